/*
 * Matrix product as a map, Mars's MatrixMul: a task per element of C, which
 * multiplies a row of A and, as B is transposed, a row of B, four elements at
 * a time.  Its key says where A and B are, its value which rows; it emits the
 * element and where it belongs.
 */
#include "../mars.h"

struct matrices {
    const float *A, *B;
};

struct task {
    int row, column, rows, columns;
};

KERNEL mars_mm_count(MARS_INPUT, int *key_size, int *value_size, int *count,
                     int tasks)
{
    (void)input, (void)input_keys, (void)input_values;
    if (blockIdx.x * blockDim.x + threadIdx.x < (unsigned)tasks) {
        mars_count_pair(4, 8, key_size, value_size, count);
    }
}

GPU_INLINE float product(const struct matrices *in, const struct task *task)
{
    int n = task->columns;
    const float *a = in->A + task->row * n, *b = in->B + task->column * n;
    float sum = 0.0f;

    for (int k = 0; k < n / 4; k++) {
        float4 u = ((const float4 *)a)[k];
        float4 v = ((const float4 *)b)[k];

        sum += u.x * v.x;
        sum += u.y * v.y;
        sum += u.z * v.z;
        sum += u.w * v.w;
    }
    for (int k = n / 4 * 4; k < n; k++) {
        sum += a[k] * b[k];
    }
    return sum;
}

KERNEL mars_mm(MARS_INPUT, MARS_OUTPUT, int tasks)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < tasks) {
        unsigned char *pair = mars_buffer + threadIdx.x * MARS_BUFFER_BYTES;
        struct entry own;
        const struct task *task;

        mars_start(key_start, value_start, first, done, keys, values, output,
                   emitted);
        own = input[i];
        task = (const struct task *)(input_values + own.value);
        *(float *)pair =
            product((const struct matrices *)(input_keys + own.key), task);
        ((int *)pair)[1] = task->row;
        ((int *)pair)[2] = task->column;
        mars_emit_pair(pair, 4, pair + 4, 8, key_start, value_start, first,
                       done, keys, values, output, emitted);
    }
}
