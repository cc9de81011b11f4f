/*
 * A GPT-2's kernels: forward, backward, AdamW.  Matrices are by rows; rows of
 * activations are tokens.  Gradients are added to what is there.
 */
#define KERNEL extern "C" __global__ void

static const int TILE = 16;

static __device__ float warp_sum(float x)
{
    for (int step = 16; step > 0; step /= 2) {
        x += __shfl_xor_sync(0xffffffff, x, step);
    }
    return x;
}

static __device__ float warp_max(float x)
{
    for (int step = 16; step > 0; step /= 2) {
        x = fmaxf(x, __shfl_xor_sync(0xffffffff, x, step));
    }
    return x;
}

/* x[row] = the token's vector and that of its place. */
KERNEL embed(float *x, const int *token, const float *tokens,
             const float *places, int rows, int length, int width)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (i < rows * width) {
        int row = i / width, c = i % width;

        x[i] =
            tokens[token[row] * width + c] + places[row % length * width + c];
    }
}

KERNEL embed_back(const float *dx, const int *token, float *tokens,
                  float *places, int rows, int length, int width)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (i < rows * width) {
        int row = i / width, c = i % width;

        atomicAdd(&tokens[token[row] * width + c], dx[i]);
        atomicAdd(&places[row % length * width + c], dx[i]);
    }
}

/* A warp for each row; what is kept of it is its mean and 1 / deviation. */
KERNEL layer_norm(float *y, float *kept, const float *x, const float *weight,
                  const float *bias, int rows, int width)
{
    int row = (int)(blockIdx.x * blockDim.y + threadIdx.y);
    int lane = (int)threadIdx.x;
    float sum = 0, square = 0;

    if (row >= rows) {
        return;
    }
    for (int c = lane; c < width; c += 32) {
        sum += x[row * width + c];
    }
    float mean = warp_sum(sum) / (float)width;
    for (int c = lane; c < width; c += 32) {
        float d = x[row * width + c] - mean;
        square += d * d;
    }
    float scale = rsqrtf(warp_sum(square) / (float)width + 1e-5f);
    for (int c = lane; c < width; c += 32) {
        y[row * width + c] =
            (x[row * width + c] - mean) * scale * weight[c] + bias[c];
    }
    if (lane == 0) {
        kept[2 * row] = mean;
        kept[2 * row + 1] = scale;
    }
}

KERNEL layer_norm_back(float *dx, float *dweight, float *dbias, const float *dy,
                       const float *x, const float *kept, const float *weight,
                       int rows, int width)
{
    int row = (int)(blockIdx.x * blockDim.y + threadIdx.y);
    int lane = (int)threadIdx.x;
    float sum = 0, along = 0;

    if (row >= rows) {
        return;
    }
    float mean = kept[2 * row], scale = kept[2 * row + 1];
    for (int c = lane; c < width; c += 32) {
        float g = dy[row * width + c] * weight[c];
        sum += g;
        along += g * (x[row * width + c] - mean) * scale;
    }
    sum = warp_sum(sum) / (float)width;
    along = warp_sum(along) / (float)width;
    for (int c = lane; c < width; c += 32) {
        float n = (x[row * width + c] - mean) * scale;
        float g = dy[row * width + c];

        dx[row * width + c] += (g * weight[c] - sum - n * along) * scale;
        atomicAdd(&dweight[c], g * n);
        atomicAdd(&dbias[c], g);
    }
}

/* c[i][j] = (add: itself, else bias[j] or 0) + sum over k of a b, whose
 * elements are as far apart as said; a tile a CTA. */
KERNEL multiply(float *c, const float *a, const float *b, const float *bias,
                int rows, int columns, int inner, int a_row, int a_inner,
                int b_inner, int b_column, int add)
{
    __shared__ float x[TILE][TILE + 1], y[TILE][TILE + 1];
    int tx = (int)threadIdx.x, ty = (int)threadIdx.y;
    int i = (int)blockIdx.y * TILE + ty, j = (int)blockIdx.x * TILE + tx;
    float sum = 0;

    for (int k = 0; k < inner; k += TILE) {
        x[ty][tx] =
            i < rows && k + tx < inner ? a[i * a_row + (k + tx) * a_inner] : 0;
        y[ty][tx] = j < columns && k + ty < inner
                        ? b[(k + ty) * b_inner + j * b_column]
                        : 0;
        __syncthreads();
        for (int l = 0; l < TILE; l++) {
            sum += x[ty][l] * y[l][tx];
        }
        __syncthreads();
    }
    if (i < rows && j < columns) {
        float *to = &c[i * columns + j];

        *to = sum + (add ? *to : bias ? bias[j] : 0);
    }
}

KERNEL bias_back(float *dbias, const float *dy, int rows, int columns)
{
    int j = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    float sum = 0;

    if (j < columns) {
        for (int i = 0; i < rows; i++) {
            sum += dy[i * columns + j];
        }
        dbias[j] += sum;
    }
}

/* A warp for each token and head: softmax of its query with the keys up to it,
 * and the sum of values.  qkv has the three parts of a row one after another.
 */
KERNEL attend(float *out, float *chance, const float *qkv, int length,
              int width, int heads)
{
    int t = (int)blockIdx.x % length, row = (int)blockIdx.x, lane = threadIdx.x;
    int head = (int)blockIdx.y, size = width / heads;
    const float *q = qkv + row * 3 * width + head * size;
    const float *first = qkv + (row - t) * 3 * width + head * size;
    float *p = chance + (row * heads + head) * length;
    float scale = rsqrtf((float)size), most = -1e30f, sum = 0;

    for (int k = lane; k <= t; k += 32) {
        float dot = 0;

        for (int c = 0; c < size; c++) {
            dot += q[c] * first[k * 3 * width + width + c];
        }
        p[k] = dot * scale;
        most = fmaxf(most, p[k]);
    }
    most = warp_max(most);
    for (int k = lane; k <= t; k += 32) {
        p[k] = expf(p[k] - most);
        sum += p[k];
    }
    sum = warp_sum(sum);
    for (int k = lane; k < length; k += 32) {
        p[k] = k <= t ? p[k] / sum : 0;
    }
    __syncwarp();
    for (int c = lane; c < size; c += 32) {
        float value = 0;

        for (int k = 0; k <= t; k++) {
            value += p[k] * first[k * 3 * width + 2 * width + c];
        }
        out[row * width + head * size + c] = value;
    }
}

/* `change` has room for what p would change by. */
KERNEL attend_back(float *dqkv, float *change, const float *dout,
                   const float *chance, const float *qkv, int length, int width,
                   int heads)
{
    int t = (int)blockIdx.x % length, row = (int)blockIdx.x, lane = threadIdx.x;
    int head = (int)blockIdx.y, size = width / heads;
    const float *q = qkv + row * 3 * width + head * size;
    const float *first = qkv + (row - t) * 3 * width + head * size;
    float *dq = dqkv + row * 3 * width + head * size;
    float *dfirst = dqkv + (row - t) * 3 * width + head * size;
    const float *p = chance + (row * heads + head) * length;
    const float *dy = dout + row * width + head * size;
    float *d = change + (row * heads + head) * length;
    float scale = rsqrtf((float)size), sum = 0;

    for (int k = lane; k <= t; k += 32) {
        float dot = 0;

        for (int c = 0; c < size; c++) {
            dot += dy[c] * first[k * 3 * width + 2 * width + c];
        }
        d[k] = dot;
        sum += dot * p[k];
    }
    sum = warp_sum(sum);
    for (int k = lane; k <= t; k += 32) {
        d[k] = (d[k] - sum) * p[k] * scale;
    }
    __syncwarp();
    for (int c = lane; c < size; c += 32) {
        float mine = 0;

        for (int k = 0; k <= t; k++) {
            mine += d[k] * first[k * 3 * width + width + c];
            atomicAdd(&dfirst[k * 3 * width + width + c], d[k] * q[c]);
            atomicAdd(&dfirst[k * 3 * width + 2 * width + c], p[k] * dy[c]);
        }
        atomicAdd(&dq[c], mine);
    }
}

static const float ROOT = 0.7978845608f; /* of 2 / pi */

KERNEL gelu(float *y, const float *x, int n)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (i < n) {
        float u = x[i];

        y[i] = 0.5f * u * (1 + tanhf(ROOT * (u + 0.044715f * u * u * u)));
    }
}

KERNEL gelu_back(float *dx, const float *dy, const float *x, int n)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (i < n) {
        float u = x[i], h = tanhf(ROOT * (u + 0.044715f * u * u * u));
        float slope = ROOT * (1 + 3 * 0.044715f * u * u);

        dx[i] += dy[i] * (0.5f * (1 + h) + 0.5f * u * (1 - h * h) * slope);
    }
}

/* y = a + b, or y += a. */
KERNEL sum(float *y, const float *a, const float *b, int n)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (i < n) {
        y[i] = a[i] + (b ? b[i] : y[i]);
    }
}

/* A warp for each row: -log of what softmax gives the next token, and the
 * mean's gradient in place of the logits. */
KERNEL loss(float *losses, float *logits, const int *next, int rows, int words)
{
    int row = (int)(blockIdx.x * blockDim.y + threadIdx.y);
    int lane = (int)threadIdx.x;
    float most = -1e30f, total = 0;

    if (row >= rows) {
        return;
    }
    float *x = logits + row * words;
    for (int w = lane; w < words; w += 32) {
        most = fmaxf(most, x[w]);
    }
    most = warp_max(most);
    for (int w = lane; w < words; w += 32) {
        total += expf(x[w] - most);
    }
    total = warp_sum(total);
    if (lane == 0) {
        losses[row] = logf(total) - (x[next[row]] - most);
    }
    __syncwarp();
    for (int w = lane; w < words; w += 32) {
        x[w] = (expf(x[w] - most) / total - (w == next[row] ? 1.0f : 0.0f)) /
               (float)rows;
    }
}

/* `first` and `second` are 1 - beta^step. */
KERNEL adamw(float *p, const float *g, float *m, float *v, int n, float rate,
             float first, float second, float decay)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (i < n) {
        m[i] = 0.9f * m[i] + 0.1f * g[i];
        v[i] = 0.95f * v[i] + 0.05f * g[i] * g[i];
        p[i] -= rate *
                (m[i] / first / (sqrtf(v[i] / second) + 1e-8f) + decay * p[i]);
    }
}
