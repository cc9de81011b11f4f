/*
 * LU decomposition in blocks of 16 x 16, Rodinia's lud: for each block of the
 * diagonal, one kernel decomposes it, one computes the row and the column of
 * blocks that it begins, one updates what is right of and below them.
 */
#define SIDE 16

KERNEL lud_diagonal(float *m, int n, int offset)
{
    __shared__ float s[SIDE][SIDE];
    int t = threadIdx.x;

    for (int i = 0; i < SIDE; i++) {
        s[i][t] = m[(offset + i) * n + offset + t];
    }
    __syncthreads();
    for (int i = 0; i < SIDE - 1; i++) {
        if (t > i) {
            for (int j = 0; j < i; j++) {
                s[t][i] -= s[t][j] * s[j][i];
            }
            s[t][i] /= s[i][i];
        }
        __syncthreads();
        if (t > i) {
            for (int j = 0; j < i + 1; j++) {
                s[i + 1][t] -= s[i + 1][j] * s[j][t];
            }
        }
        __syncthreads();
    }
    for (int i = 1; i < SIDE; i++) {
        m[(offset + i) * n + offset + t] = s[i][t];
    }
}

/* Threads 0..15 compute a block of the row, 16..31 one of the column. */
KERNEL lud_perimeter(float *m, int n, int offset)
{
    __shared__ float diagonal[SIDE][SIDE];
    __shared__ float row[SIDE][SIDE];
    __shared__ float column[SIDE][SIDE];
    int t = threadIdx.x % SIDE;
    int next = offset + (blockIdx.x + 1) * SIDE;

    if (threadIdx.x < SIDE) {
        for (int i = 0; i < SIDE / 2; i++) {
            diagonal[i][t] = m[(offset + i) * n + offset + t];
        }
        for (int i = 0; i < SIDE; i++) {
            row[i][t] = m[(offset + i) * n + next + t];
        }
    } else {
        for (int i = SIDE / 2; i < SIDE; i++) {
            diagonal[i][t] = m[(offset + i) * n + offset + t];
        }
        for (int i = 0; i < SIDE; i++) {
            column[i][t] = m[(next + i) * n + offset + t];
        }
    }
    __syncthreads();
    if (threadIdx.x < SIDE) {
        for (int i = 1; i < SIDE; i++) {
            for (int j = 0; j < i; j++) {
                row[i][t] -= diagonal[i][j] * row[j][t];
            }
        }
    } else {
        for (int i = 0; i < SIDE; i++) {
            for (int j = 0; j < i; j++) {
                column[t][i] -= column[t][j] * diagonal[j][i];
            }
            column[t][i] /= diagonal[i][i];
        }
    }
    __syncthreads();
    if (threadIdx.x < SIDE) {
        for (int i = 1; i < SIDE; i++) {
            m[(offset + i) * n + next + t] = row[i][t];
        }
    } else {
        for (int i = 0; i < SIDE; i++) {
            m[(next + i) * n + offset + t] = column[i][t];
        }
    }
}

KERNEL lud_internal(float *m, int n, int offset)
{
    __shared__ float row[SIDE][SIDE];
    __shared__ float column[SIDE][SIDE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int y = offset + (blockIdx.y + 1) * SIDE + ty;
    int x = offset + (blockIdx.x + 1) * SIDE + tx;
    float sum = 0.0f;

    row[ty][tx] = m[(offset + ty) * n + x];
    column[ty][tx] = m[y * n + offset + tx];
    __syncthreads();
    for (int i = 0; i < SIDE; i++) {
        sum += column[ty][i] * row[i][tx];
    }
    m[y * n + x] -= sum;
}
