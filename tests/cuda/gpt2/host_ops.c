/*
 * A GPT-2's functions on the host, in plain loops.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ops.h"

static void *host_room(size_t bytes)
{
    void *at = calloc(1, bytes);

    if (at == NULL) {
        printf("FAILED: no memory\n");
        exit(1);
    }
    return at;
}

static void host_copy(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
}

static void host_clear(void *at, size_t bytes)
{
    memset(at, 0, bytes);
}

static void host_embed(struct tokens t, float *x, const float *tokens,
                       const float *places)
{
    for (int i = 0; i < t.rows * t.width; i++) {
        x[i] = tokens[t.at[i / t.width] * t.width + i % t.width] +
               places[i / t.width % t.length * t.width + i % t.width];
    }
}

static void host_embed_back(struct tokens t, const float *dx, float *tokens,
                            float *places)
{
    for (int i = 0; i < t.rows * t.width; i++) {
        tokens[t.at[i / t.width] * t.width + i % t.width] += dx[i];
        places[i / t.width % t.length * t.width + i % t.width] += dx[i];
    }
}

static void host_norm(struct norm n, float *y, const float *bias)
{
    const float *x = n.x, *weight = n.weight;
    int width = n.width;

    for (int r = 0; r < n.rows; r++, x += width, y += width) {
        float mean = 0, square = 0;

        for (int c = 0; c < width; c++) {
            mean += x[c] / (float)width;
        }
        for (int c = 0; c < width; c++) {
            square += (x[c] - mean) * (x[c] - mean) / (float)width;
        }
        n.kept[2 * r] = mean;
        n.kept[2 * r + 1] = 1 / sqrtf(square + 1e-5f);
        for (int c = 0; c < width; c++) {
            y[c] = (x[c] - mean) * n.kept[2 * r + 1] * weight[c] + bias[c];
        }
    }
}

static void host_norm_back(struct norm n, float *dx, float *dweight,
                           float *dbias, const float *dy)
{
    const float *x = n.x, *weight = n.weight;
    int width = n.width;

    for (int r = 0; r < n.rows; r++, x += width, dx += width, dy += width) {
        float mean = n.kept[2 * r], scale = n.kept[2 * r + 1], sum = 0,
              along = 0;

        for (int c = 0; c < width; c++) {
            float unit = (x[c] - mean) * scale;

            sum += dy[c] * weight[c] / (float)width;
            along += dy[c] * weight[c] * unit / (float)width;
            dweight[c] += dy[c] * unit;
            dbias[c] += dy[c];
        }
        for (int c = 0; c < width; c++) {
            float unit = (x[c] - mean) * scale;

            dx[c] += (dy[c] * weight[c] - sum - unit * along) * scale;
        }
    }
}

static void host_multiply(struct product p)
{
    for (int i = 0; i < p.rows; i++) {
        for (int j = 0; j < p.columns; j++) {
            float *to = &p.to[i * p.columns + j], sum = 0;

            for (int k = 0; k < p.inner; k++) {
                sum += p.a.at[i * p.a.first + k * p.a.second] *
                       p.b.at[k * p.b.first + j * p.b.second];
            }
            *to = sum + (p.add ? *to : p.bias != NULL ? p.bias[j] : 0);
        }
    }
}

static void host_bias_back(float *dbias, const float *dy, int rows, int columns)
{
    for (int i = 0; i < rows * columns; i++) {
        dbias[i % columns] += dy[i];
    }
}

/* Of one token and head. */
static void attend_one(const struct attention *a, float *out, int row, int head)
{
    int t = row % a->length, size = a->width / a->heads, wide = 3 * a->width;
    const float *q = a->qkv + row * wide + head * size;
    const float *k = a->qkv + (row - t) * wide + a->width + head * size;
    const float *v = k + a->width;
    float *p = a->chance + (row * a->heads + head) * a->length;
    float most = -1e30f, sum = 0;

    for (int j = 0; j <= t; j++) {
        p[j] = 0;
        for (int c = 0; c < size; c++) {
            p[j] += q[c] * k[j * wide + c];
        }
        p[j] /= sqrtf((float)size);
        most = p[j] > most ? p[j] : most;
    }
    for (int j = 0; j <= t; j++) {
        p[j] = expf(p[j] - most);
        sum += p[j];
    }
    for (int c = 0; c < size; c++) {
        out[row * a->width + head * size + c] = 0;
    }
    for (int j = 0; j < a->length; j++) {
        p[j] = j <= t ? p[j] / sum : 0;
        for (int c = 0; j <= t && c < size; c++) {
            out[row * a->width + head * size + c] += p[j] * v[j * wide + c];
        }
    }
}

static void host_attend(struct attention a, float *out)
{
    for (int i = 0; i < a.rows * a.heads; i++) {
        attend_one(&a, out, i / a.heads, i % a.heads);
    }
}

static void attend_back_one(const struct attention *a, float *dqkv, float *d,
                            const float *dy, int row, int head)
{
    int t = row % a->length, size = a->width / a->heads, wide = 3 * a->width;
    int own = row * wide + head * size;
    int first = (row - t) * wide + a->width + head * size;
    const float *p = a->chance + (row * a->heads + head) * a->length;
    float sum = 0;

    for (int j = 0; j <= t; j++) {
        d[j] = 0;
        for (int c = 0; c < size; c++) {
            d[j] += dy[c] * a->qkv[first + a->width + j * wide + c];
        }
        sum += d[j] * p[j];
    }
    for (int j = 0; j <= t; j++) {
        float change = (d[j] - sum) * p[j] / sqrtf((float)size);

        for (int c = 0; c < size; c++) {
            dqkv[own + c] += change * a->qkv[first + j * wide + c];
            dqkv[first + j * wide + c] += change * a->qkv[own + c];
            dqkv[first + a->width + j * wide + c] += p[j] * dy[c];
        }
    }
}

static void host_attend_back(struct attention a, float *dqkv, float *change,
                             const float *dout)
{
    int size = a.width / a.heads;

    for (int i = 0; i < a.rows * a.heads; i++) {
        attend_back_one(&a, dqkv, change, dout + i * size, i / a.heads,
                        i % a.heads);
    }
}

static void host_gelu(float *y, const float *x, int n)
{
    for (int i = 0; i < n; i++) {
        float inner = 0.7978845608f * (x[i] + 0.044715f * x[i] * x[i] * x[i]);

        y[i] = 0.5f * x[i] * (1 + tanhf(inner));
    }
}

static void host_gelu_back(float *dx, const float *dy, const float *x, int n)
{
    for (int i = 0; i < n; i++) {
        float u = x[i];
        float h = tanhf(0.7978845608f * (u + 0.044715f * u * u * u));
        float slope = 0.7978845608f * (1 + 3 * 0.044715f * u * u);

        dx[i] += dy[i] * (0.5f * (1 + h) + 0.5f * u * (1 - h * h) * slope);
    }
}

static void host_sum(float *y, const float *a, const float *b, int n)
{
    for (int i = 0; i < n; i++) {
        y[i] = a[i] + (b != NULL ? b[i] : y[i]);
    }
}

static void host_loss(float *losses, float *x, const int *next, int rows,
                      int words)
{
    for (int r = 0; r < rows; r++, x += words) {
        float most = -1e30f, total = 0;

        for (int w = 0; w < words; w++) {
            most = x[w] > most ? x[w] : most;
        }
        for (int w = 0; w < words; w++) {
            total += expf(x[w] - most);
        }
        losses[r] = logf(total) - (x[next[r]] - most);
        for (int w = 0; w < words; w++) {
            float is = w == next[r] ? 1 : 0;

            x[w] = (expf(x[w] - most) / total - is) / (float)rows;
        }
    }
}

static void host_adamw(float *p, const float *g, float *m, float *v, int n,
                       struct rates r)
{
    for (int i = 0; i < n; i++) {
        m[i] = 0.9f * m[i] + 0.1f * g[i];
        v[i] = 0.95f * v[i] + 0.05f * g[i] * g[i];
        p[i] -= r.rate * (m[i] / r.first / (sqrtf(v[i] / r.second) + 1e-8f) +
                          r.decay * p[i]);
    }
}

const struct ops host_ops = {host_room,        host_copy,      host_copy,
                             host_clear,       free,           host_embed,
                             host_embed_back,  host_norm,      host_norm_back,
                             host_multiply,    host_bias_back, host_attend,
                             host_attend_back, host_gelu,      host_gelu_back,
                             host_sum,         host_loss,      host_adamw};
