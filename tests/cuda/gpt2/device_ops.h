/*
 * A GPT-2's functions as launches.  Who includes this has LAUNCH(kernel, grid,
 * block, args), and `struct cuda_dim3` for both.
 */
#ifndef TESTS_CUDA_GPT2_DEVICE_OPS_H
#define TESTS_CUDA_GPT2_DEVICE_OPS_H

#include "ops.h"

enum {
    BLOCK = 128,
    ROWS = 4, /* of a block with a warp for each */
    EDGE = 16 /* of a tile */
};

static void ok(int error, const char *what)
{
    if (error != 0) {
        printf("FAILED: %s: error %d\n", what, error);
        exit(1);
    }
}
#define OK(call) ok((int)(call), #call)

static unsigned blocks_of(int n, int size)
{
    return (unsigned)((n + size - 1) / size);
}

static void *device_room(size_t bytes)
{
    void *at;

    OK(cudaMalloc(&at, bytes));
    OK(cudaMemset(at, 0, bytes));
    return at;
}

static void device_put(void *to, const void *from, size_t bytes)
{
    OK(cudaMemcpy(to, from, bytes, HOST_TO_DEVICE));
}

static void device_get(void *to, const void *from, size_t bytes)
{
    OK(cudaMemcpy(to, from, bytes, DEVICE_TO_HOST));
}

static void device_clear(void *at, size_t bytes)
{
    OK(cudaMemset(at, 0, bytes));
}

static void device_drop(void *at)
{
    OK(cudaFree(at));
}

#define EACH(kernel, n, ...)                                                   \
    do {                                                                       \
        void *args[] = {__VA_ARGS__};                                          \
                                                                               \
        LAUNCH(kernel, DIM(blocks_of(n, BLOCK), 1), DIM(BLOCK, 1), args);      \
    } while (0)
#define EACH_ROW(kernel, rows, ...)                                            \
    do {                                                                       \
        void *args[] = {__VA_ARGS__};                                          \
                                                                               \
        LAUNCH(kernel, DIM(blocks_of(rows, ROWS), 1), DIM(32, ROWS), args);    \
    } while (0)

static void device_embed(struct tokens t, float *x, const float *tokens,
                         const float *places)
{
    EACH(embed, t.rows * t.width, &x, &t.at, &tokens, &places, &t.rows,
         &t.length, &t.width);
}

static void device_embed_back(struct tokens t, const float *dx, float *tokens,
                              float *places)
{
    EACH(embed_back, t.rows * t.width, &dx, &t.at, &tokens, &places, &t.rows,
         &t.length, &t.width);
}

static void device_norm(struct norm n, float *y, const float *bias)
{
    EACH_ROW(layer_norm, n.rows, &y, &n.kept, &n.x, &n.weight, &bias, &n.rows,
             &n.width);
}

static void device_norm_back(struct norm n, float *dx, float *dweight,
                             float *dbias, const float *dy)
{
    EACH_ROW(layer_norm_back, n.rows, &dx, &dweight, &dbias, &dy, &n.x, &n.kept,
             &n.weight, &n.rows, &n.width);
}

static void device_multiply(struct product p)
{
    int add = p.add;
    void *args[] = {&p.to,       &p.a.at,    &p.b.at,     &p.bias,
                    &p.rows,     &p.columns, &p.inner,    &p.a.first,
                    &p.a.second, &p.b.first, &p.b.second, &add};

    LAUNCH(multiply, DIM(blocks_of(p.columns, EDGE), blocks_of(p.rows, EDGE)),
           DIM(EDGE, EDGE), args);
}

static void device_bias_back(float *dbias, const float *dy, int rows,
                             int columns)
{
    EACH(bias_back, columns, &dbias, &dy, &rows, &columns);
}

static void device_attend(struct attention a, float *out)
{
    void *args[] = {&out, &a.chance, &a.qkv, &a.length, &a.width, &a.heads};

    LAUNCH(attend, DIM((unsigned)a.rows, (unsigned)a.heads), DIM(32, 1), args);
}

static void device_attend_back(struct attention a, float *dqkv, float *change,
                               const float *dout)
{
    void *args[] = {&dqkv,  &change,   &dout,    &a.chance,
                    &a.qkv, &a.length, &a.width, &a.heads};

    LAUNCH(attend_back, DIM((unsigned)a.rows, (unsigned)a.heads), DIM(32, 1),
           args);
}

static void device_gelu(float *y, const float *x, int n)
{
    EACH(gelu, n, &y, &x, &n);
}

static void device_gelu_back(float *dx, const float *dy, const float *x, int n)
{
    EACH(gelu_back, n, &dx, &dy, &x, &n);
}

static void device_sum(float *y, const float *a, const float *b, int n)
{
    EACH(sum, n, &y, &a, &b, &n);
}

static void device_loss(float *losses, float *logits, const int *next, int rows,
                        int words)
{
    EACH_ROW(loss, rows, &losses, &logits, &next, &rows, &words);
}

static void device_adamw(float *p, const float *g, float *m, float *v, int n,
                         struct rates r)
{
    EACH(adamw, n, &p, &g, &m, &v, &n, &r.rate, &r.first, &r.second, &r.decay);
}

static const struct ops device_ops = {
    device_room,        device_put,      device_get,        device_clear,
    device_drop,        device_embed,    device_embed_back, device_norm,
    device_norm_back,   device_multiply, device_bias_back,  device_attend,
    device_attend_back, device_gelu,     device_gelu_back,  device_sum,
    device_loss,        device_adamw};

#endif
