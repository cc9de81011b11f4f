/*
 * Systems and inverses of some small matrices, whose addresses are on the
 * device: cublas?getrfBatched() and its like.
 */
#include "cuda/blas/structured.h"

enum {
    INVERT_MOST = 32 /* rows that matinvBatched() takes */
};

static const char *of(int type, const char *f32, const char *f64)
{
    return type == TYPE_F32 ? f32 : f64;
}

static bool wrong(int n, int ld, int batch)
{
    return n < 0 || ld < 1 || ld < n || batch < 0 || batch > 65535;
}

static int launch(const struct loom_blas *handle, const char *kernel,
                  struct cuda_dim3 grid, uint32_t threads, void **args)
{
    return loom_blas_launch(
        (struct loom_blas_launch){.module = MODULE_STRUCTURED,
                                  .kernel = kernel,
                                  .grid = grid,
                                  .block = {threads, 1, 1},
                                  .stream = handle->stream,
                                  .args = args});
}

/* L and U of rows as the pivots say, and the vectors of b. */
struct solve {
    int type, op, n, columns, lda, ldb, batch;
    const void *a, *pivots;
    void *b;
};

static int swap_rows(struct loom_blas *handle, struct solve s, int backwards)
{
    if (s.pivots == NULL) {
        return BLAS_OK;
    }
    return launch(
        handle, of(s.type, "swap_rows_f32", "swap_rows_f64"),
        (struct cuda_dim3){(uint32_t)(s.columns + 63) / 64, (uint32_t)s.batch,
                           1},
        64, (void *[]){&s.n, &s.columns, &s.b, &s.ldb, &s.pivots, &backwards});
}

static int triangle(struct loom_blas *handle, struct solve s, int fill)
{
    struct loom_blas_view b = {.at = s.b, .step = 1, .ld = s.ldb, .rows = s.n};

    return loom_blas_work(
        handle, (struct loom_blas_work){
                    .kernel = {"triangle_solve_f32", "triangle_solve_f64"},
                    .type = s.type,
                    .alpha = &loom_blas_one,
                    .beta = &loom_blas_zero,
                    .g = {.a = {.at = s.a,
                                .step = 1,
                                .ld = s.lda,
                                .rows = s.n,
                                .kind = KIND_TRIANGLE,
                                .turned = s.op != OP_N,
                                .lower = fill == FILL_LOWER,
                                .unit = fill == FILL_LOWER},
                          .b = b,
                          .c = b,
                          .m = 1,
                          .n = s.n,
                          .list = 1},
                    .vectors = s.columns,
                    .batch = s.batch});
}

/* P A = L U: of A the rows are exchanged first, of A transposed last. */
static int solve(struct loom_blas *handle, struct solve s)
{
    bool plain = s.op == OP_N;
    int status = plain ? swap_rows(handle, s, 0) : BLAS_OK;

    if (status == BLAS_OK) {
        status = triangle(handle, s, plain ? FILL_LOWER : FILL_UPPER);
    }
    if (status == BLAS_OK) {
        status = triangle(handle, s, plain ? FILL_UPPER : FILL_LOWER);
    }
    return status == BLAS_OK && !plain ? swap_rows(handle, s, 1) : status;
}

/* `info` is on the host, and says which argument is wrong. */
static int getrs(struct loom_blas *handle, struct solve s, int *info)
{
    if (!loom_blas_is_there(handle)) {
        return BLAS_NOT_INITIALIZED;
    }
    if (info == NULL) {
        return BLAS_INVALID_VALUE;
    }
    *info = s.op < OP_N || s.op > OP_C       ? -1
            : s.n < 0                        ? -2
            : s.columns < 0                  ? -3
            : s.lda < 1 || s.lda < s.n       ? -5
            : s.ldb < 1 || s.ldb < s.n       ? -8
            : s.batch < 0 || s.batch > 65535 ? -10
                                             : 0;
    if (*info != 0) {
        return BLAS_INVALID_VALUE;
    }
    return s.n == 0 || s.columns == 0 || s.batch == 0 ? BLAS_OK
                                                      : solve(handle, s);
}

/* One matrix for each block; `to` gets the inverse. */
struct each {
    const char *kernel;
    int n, lda, ldto, batch;
    const void *a;
    void *to;
    int *info;
};

static int invert(struct loom_blas *handle, struct each e)
{
    if (!loom_blas_is_there(handle)) {
        return BLAS_NOT_INITIALIZED;
    }
    if (wrong(e.n, e.lda, e.batch) || e.ldto < 1 || e.ldto < e.n ||
        e.info == NULL) {
        return BLAS_INVALID_VALUE;
    }
    return e.n == 0 || e.batch == 0
               ? BLAS_OK
               : launch(
                     handle, e.kernel,
                     (struct cuda_dim3){(uint32_t)e.batch, 1, 1}, 256,
                     (void *[]){&e.a, &e.n, &e.lda, &e.to, &e.ldto, &e.info});
}

#define OF_TYPE(L, t, T)                                                       \
    LOOM_CUDA(int, cublas##L##getrfBatched, struct loom_blas *handle, int n,   \
              void *a, int lda, int *pivots, int *info, int batch)             \
    {                                                                          \
        if (!loom_blas_is_there(handle)) {                                     \
            return BLAS_NOT_INITIALIZED;                                       \
        }                                                                      \
        if (wrong(n, lda, batch) || info == NULL) {                            \
            return BLAS_INVALID_VALUE;                                         \
        }                                                                      \
        return n == 0 || batch == 0                                            \
                   ? BLAS_OK                                                   \
                   : launch(handle, "lu_" T,                                   \
                            (struct cuda_dim3){(uint32_t)batch, 1, 1}, 256,    \
                            (void *[]){&a, &n, &lda, &pivots, &info});         \
    }                                                                          \
    LOOM_CUDA(int, cublas##L##getrsBatched, struct loom_blas *handle, int op,  \
              int n, int columns, const void *a, int lda, const int *pivots,   \
              void *b, int ldb, int *info, int batch)                          \
    {                                                                          \
        return getrs(                                                          \
            handle,                                                            \
            (struct solve){t, op, n, columns, lda, ldb, batch, a, pivots, b},  \
            info);                                                             \
    }                                                                          \
    LOOM_CUDA(int, cublas##L##getriBatched, struct loom_blas *handle, int n,   \
              const void *a, int lda, const int *pivots, void *c, int ldc,     \
              int *info, int batch)                                            \
    {                                                                          \
        int status = invert(handle, (struct each){"identity_" T, n, lda, ldc,  \
                                                  batch, a, c, info});         \
                                                                               \
        return status != BLAS_OK || n == 0 || batch == 0                       \
                   ? status                                                    \
                   : solve(handle, (struct solve){t, OP_N, n, n, lda, ldc,     \
                                                  batch, a, pivots, c});       \
    }                                                                          \
    LOOM_CUDA(int, cublas##L##matinvBatched, struct loom_blas *handle, int n,  \
              const void *a, int lda, void *to, int ldto, int *info,           \
              int batch)                                                       \
    {                                                                          \
        return n > INVERT_MOST                                                 \
                   ? BLAS_INVALID_VALUE                                        \
                   : invert(handle, (struct each){"invert_" T, n, lda, ldto,   \
                                                  batch, a, to, info});        \
    }

/* clang-format off */
OF_TYPE(S, TYPE_F32, "f32")
OF_TYPE(D, TYPE_F64, "f64")
/* clang-format on */
