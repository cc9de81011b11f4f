/*
 * A matrix and vectors, two matrices, triangular systems: cublas?gemv(), ger(),
 * geam(), dgmm(), trsm() and trsmBatched().
 */
#include "cuda/blas/blas.h"

struct vector {
    const void *at;
    int64_t apart;
};

struct matrix {
    const void *at;
    int ld;
};

/* A scalar as the program gave it, and as kernels get it. */
struct scalar {
    const void *given;
    const void *on_device;
    uint64_t unused;
};

/* A number's bytes where a kernel's parameter is read. */
static void *value(const struct loom_blas *handle, struct scalar *s)
{
    s->unused = 0;
    s->on_device = handle->pointers_on_device ? s->given : NULL;
    return handle->pointers_on_device ? (void *)&s->unused
                                      : (void *)(uintptr_t)s->given;
}

/* Where the first element is: of a negative increment, the last in memory. */
static const void *first_of(struct vector v, int64_t n, int64_t bytes)
{
    return v.apart >= 0 ? v.at
                        : (const char *)v.at + (n - 1) * -v.apart * bytes;
}

static uint32_t pieces(int64_t size, int64_t piece)
{
    return (uint32_t)((size + piece - 1) / piece);
}

/* Blocks of 32 x 8 threads. */
static int launch(const struct loom_blas *handle, const char *kernel,
                  uint32_t x, uint32_t y, void **args)
{
    return loom_blas_launch((struct loom_blas_launch){.module = MODULE_MATRIX,
                                                      .kernel = kernel,
                                                      .grid = {x, y, 1},
                                                      .block = {32, 8, 1},
                                                      .stream = handle->stream,
                                                      .args = args});
}

struct gemv {
    const char *kernel[2]; /* for A and A transposed */
    int64_t bytes;
    int op, m, n;
    struct scalar alpha, beta;
    struct matrix a;
    struct vector x, y;
};

static int gemv(struct loom_blas *handle, struct gemv g)
{
    const void *x, *y;
    bool plain = g.op == OP_N;
    void *alpha, *beta;

    if (!loom_blas_is_there(handle)) {
        return BLAS_NOT_INITIALIZED;
    }
    if (g.m < 0 || g.n < 0 || g.a.ld < 1 || g.a.ld < g.m || g.op < OP_N ||
        g.op > OP_C || g.x.apart == 0 || g.y.apart == 0 ||
        g.alpha.given == NULL || g.beta.given == NULL) {
        return BLAS_INVALID_VALUE;
    }
    if (g.m == 0 || g.n == 0) {
        return BLAS_OK;
    }
    x = first_of(g.x, plain ? g.n : g.m, g.bytes);
    y = first_of(g.y, plain ? g.m : g.n, g.bytes);
    alpha = value(handle, &g.alpha);
    beta = value(handle, &g.beta);
    return launch(handle, g.kernel[plain ? 0 : 1],
                  plain ? pieces(g.m, 32) : pieces(g.n, 8), 1,
                  (void *[]){&g.m, &g.n, &g.alpha.on_device, alpha, &g.a.at,
                             &g.a.ld, &x, &g.x.apart, &g.beta.on_device, beta,
                             &y, &g.y.apart});
}

struct ger {
    const char *kernel;
    int64_t bytes;
    int m, n;
    struct scalar alpha;
    struct vector x, y;
    struct matrix a;
};

static int ger(struct loom_blas *handle, struct ger g)
{
    const void *x, *y;
    void *alpha;

    if (!loom_blas_is_there(handle)) {
        return BLAS_NOT_INITIALIZED;
    }
    if (g.m < 0 || g.n < 0 || g.a.ld < 1 || g.a.ld < g.m || g.x.apart == 0 ||
        g.y.apart == 0 || g.alpha.given == NULL) {
        return BLAS_INVALID_VALUE;
    }
    if (g.m == 0 || g.n == 0) {
        return BLAS_OK;
    }
    x = first_of(g.x, g.m, g.bytes);
    y = first_of(g.y, g.n, g.bytes);
    alpha = value(handle, &g.alpha);
    return launch(handle, g.kernel, pieces(g.m, 32), pieces(g.n, 8),
                  (void *[]){&g.m, &g.n, &g.alpha.on_device, alpha, &x,
                             &g.x.apart, &y, &g.y.apart, &g.a.at, &g.a.ld});
}

struct geam {
    const char *kernel;
    int op_a, op_b, m, n;
    struct scalar alpha, beta;
    struct matrix a, b, c;
};

static int geam(struct loom_blas *handle, struct geam g)
{
    bool plain_a = g.op_a == OP_N, plain_b = g.op_b == OP_N;
    int64_t ia = plain_a ? 1 : g.a.ld, ja = plain_a ? g.a.ld : 1;
    int64_t ib = plain_b ? 1 : g.b.ld, jb = plain_b ? g.b.ld : 1;
    void *alpha, *beta;

    if (!loom_blas_is_there(handle)) {
        return BLAS_NOT_INITIALIZED;
    }
    if (g.m < 0 || g.n < 0 || g.alpha.given == NULL || g.beta.given == NULL ||
        g.a.ld < (plain_a ? g.m : g.n) || g.b.ld < (plain_b ? g.m : g.n) ||
        g.a.ld < 1 || g.b.ld < 1 || g.c.ld < 1 || g.c.ld < g.m) {
        return BLAS_INVALID_VALUE;
    }
    if (g.m == 0 || g.n == 0) {
        return BLAS_OK;
    }
    alpha = value(handle, &g.alpha);
    beta = value(handle, &g.beta);
    return launch(handle, g.kernel, pieces(g.m, 32), pieces(g.n, 8),
                  (void *[]){&g.m, &g.n, &g.alpha.on_device, alpha, &g.a.at,
                             &ia, &ja, &g.beta.on_device, beta, &g.b.at, &ib,
                             &jb, &g.c.at, &g.c.ld});
}

struct dgmm {
    const char *kernel;
    int64_t bytes;
    int side, m, n;
    struct matrix a;
    struct vector x;
    struct matrix c;
};

static int dgmm(struct loom_blas *handle, struct dgmm g)
{
    bool left = g.side == SIDE_LEFT;
    int64_t by_row = left ? g.x.apart : 0, by_column = left ? 0 : g.x.apart;
    const void *x = first_of(g.x, left ? g.m : g.n, g.bytes);

    if (!loom_blas_is_there(handle)) {
        return BLAS_NOT_INITIALIZED;
    }
    if (g.m < 0 || g.n < 0 || g.a.ld < 1 || g.a.ld < g.m || g.c.ld < 1 ||
        g.c.ld < g.m || (unsigned)g.side > SIDE_RIGHT) {
        return BLAS_INVALID_VALUE;
    }
    if (g.m == 0 || g.n == 0) {
        return BLAS_OK;
    }
    return launch(handle, g.kernel, pieces(g.m, 32), pieces(g.n, 8),
                  (void *[]){&g.m, &g.n, &g.a.at, &g.a.ld, &x, &by_row,
                             &by_column, &g.c.at, &g.c.ld});
}

/* Of batches, a and b are arrays of addresses on the device. */
struct trsm {
    const char *kernel;
    int side, fill, op, diagonal, m, n;
    struct scalar alpha;
    struct matrix a, b;
    int batch; /* 0: one, that is no array */
};

/* X op(A) = alpha B is op(A) transposed, times X transposed. */
static int solve(struct loom_blas *handle, struct trsm t)
{
    bool left = t.side == SIDE_LEFT, turned = (t.op != OP_N) == left;
    int n = left ? t.m : t.n, count = left ? t.n : t.m;
    int64_t ia = turned ? t.a.ld : 1, ja = turned ? 1 : t.a.ld;
    int64_t ib = left ? 1 : t.b.ld, jb = left ? t.b.ld : 1;
    int lower = (t.fill == FILL_LOWER) != turned, unit = t.diagonal == UNIT;
    int list = t.batch > 0;
    void *alpha = value(handle, &t.alpha);

    return loom_blas_launch((struct loom_blas_launch){
        .module = MODULE_MATRIX,
        .kernel = t.kernel,
        .grid = {pieces(count, 64), list ? (uint32_t)t.batch : 1, 1},
        .block = {64, 1, 1},
        .stream = handle->stream,
        .args = (void *[]){&n, &count, &t.alpha.on_device, alpha, &t.a.at, &ia,
                           &ja, &t.b.at, &ib, &jb, &lower, &unit, &list}});
}

static int trsm(struct loom_blas *handle, struct trsm t)
{
    int rows = t.side == SIDE_LEFT ? t.m : t.n;

    if (!loom_blas_is_there(handle)) {
        return BLAS_NOT_INITIALIZED;
    }
    if (t.m < 0 || t.n < 0 || t.batch < 0 || t.batch > 65535 || t.a.ld < 1 ||
        t.a.ld < rows || t.b.ld < 1 || t.b.ld < t.m || t.alpha.given == NULL ||
        (unsigned)t.side > SIDE_RIGHT || (unsigned)t.fill > FILL_UPPER ||
        (unsigned)t.op > OP_C || (unsigned)t.diagonal > UNIT) {
        return BLAS_INVALID_VALUE;
    }
    return t.m == 0 || t.n == 0 ? BLAS_OK : solve(handle, t);
}

LOOM_CUDA(int, cublasSgemv_v2, struct loom_blas *handle, int op, int m, int n,
          const float *alpha, const float *a, int lda, const float *x, int incx,
          const float *beta, float *y, int incy)
{
    return gemv(handle, (struct gemv){.kernel = {"gemv_f32_n", "gemv_f32_t"},
                                      .bytes = 4,
                                      .op = op,
                                      .m = m,
                                      .n = n,
                                      .alpha.given = alpha,
                                      .beta.given = beta,
                                      .a = {a, lda},
                                      .x = {x, incx},
                                      .y = {y, incy}});
}

LOOM_CUDA(int, cublasSger_v2, struct loom_blas *handle, int m, int n,
          const float *alpha, const float *x, int incx, const float *y,
          int incy, float *a, int lda)
{
    return ger(handle, (struct ger){.kernel = "ger_f32",
                                    .bytes = 4,
                                    .m = m,
                                    .n = n,
                                    .alpha.given = alpha,
                                    .x = {x, incx},
                                    .y = {y, incy},
                                    .a = {a, lda}});
}

LOOM_CUDA(int, cublasSgeam, struct loom_blas *handle, int op_a, int op_b, int m,
          int n, const float *alpha, const float *a, int lda, const float *beta,
          const float *b, int ldb, float *c, int ldc)
{
    return geam(handle, (struct geam){.kernel = "geam_f32",
                                      .op_a = op_a,
                                      .op_b = op_b,
                                      .m = m,
                                      .n = n,
                                      .alpha.given = alpha,
                                      .beta.given = beta,
                                      .a = {a, lda},
                                      .b = {b, ldb},
                                      .c = {c, ldc}});
}

LOOM_CUDA(int, cublasSdgmm, struct loom_blas *handle, int side, int m, int n,
          const float *a, int lda, const float *x, int incx, float *c, int ldc)
{
    return dgmm(handle,
                (struct dgmm){
                    "dgmm_f32", 4, side, m, n, {a, lda}, {x, incx}, {c, ldc}});
}

LOOM_CUDA(int, cublasStrsm_v2, struct loom_blas *handle, int side, int fill,
          int op, int diagonal, int m, int n, const float *alpha,
          const float *a, int lda, float *b, int ldb)
{
    return trsm(handle, (struct trsm){.kernel = "trsm_f32",
                                      .side = side,
                                      .fill = fill,
                                      .op = op,
                                      .diagonal = diagonal,
                                      .m = m,
                                      .n = n,
                                      .alpha.given = alpha,
                                      .a = {a, lda},
                                      .b = {b, ldb}});
}

LOOM_CUDA(int, cublasStrsmBatched, struct loom_blas *handle, int side, int fill,
          int op, int diagonal, int m, int n, const float *alpha,
          const float *const *a, int lda, float *const *b, int ldb, int batch)
{
    if (batch == 0) {
        return loom_blas_is_there(handle) ? BLAS_OK : BLAS_NOT_INITIALIZED;
    }
    return trsm(handle, (struct trsm){.kernel = "trsm_f32",
                                      .side = side,
                                      .fill = fill,
                                      .op = op,
                                      .diagonal = diagonal,
                                      .m = m,
                                      .n = n,
                                      .alpha.given = alpha,
                                      .a = {a, lda},
                                      .b = {b, ldb},
                                      .batch = batch});
}

LOOM_CUDA(int, cublasDgemv_v2, struct loom_blas *handle, int op, int m, int n,
          const double *alpha, const double *a, int lda, const double *x,
          int incx, const double *beta, double *y, int incy)
{
    return gemv(handle, (struct gemv){.kernel = {"gemv_f64_n", "gemv_f64_t"},
                                      .bytes = 8,
                                      .op = op,
                                      .m = m,
                                      .n = n,
                                      .alpha.given = alpha,
                                      .beta.given = beta,
                                      .a = {a, lda},
                                      .x = {x, incx},
                                      .y = {y, incy}});
}

LOOM_CUDA(int, cublasDger_v2, struct loom_blas *handle, int m, int n,
          const double *alpha, const double *x, int incx, const double *y,
          int incy, double *a, int lda)
{
    return ger(handle, (struct ger){.kernel = "ger_f64",
                                    .bytes = 8,
                                    .m = m,
                                    .n = n,
                                    .alpha.given = alpha,
                                    .x = {x, incx},
                                    .y = {y, incy},
                                    .a = {a, lda}});
}

LOOM_CUDA(int, cublasDgeam, struct loom_blas *handle, int op_a, int op_b, int m,
          int n, const double *alpha, const double *a, int lda,
          const double *beta, const double *b, int ldb, double *c, int ldc)
{
    return geam(handle, (struct geam){.kernel = "geam_f64",
                                      .op_a = op_a,
                                      .op_b = op_b,
                                      .m = m,
                                      .n = n,
                                      .alpha.given = alpha,
                                      .beta.given = beta,
                                      .a = {a, lda},
                                      .b = {b, ldb},
                                      .c = {c, ldc}});
}

LOOM_CUDA(int, cublasDdgmm, struct loom_blas *handle, int side, int m, int n,
          const double *a, int lda, const double *x, int incx, double *c,
          int ldc)
{
    return dgmm(handle,
                (struct dgmm){
                    "dgmm_f64", 8, side, m, n, {a, lda}, {x, incx}, {c, ldc}});
}

LOOM_CUDA(int, cublasDtrsm_v2, struct loom_blas *handle, int side, int fill,
          int op, int diagonal, int m, int n, const double *alpha,
          const double *a, int lda, double *b, int ldb)
{
    return trsm(handle, (struct trsm){.kernel = "trsm_f64",
                                      .side = side,
                                      .fill = fill,
                                      .op = op,
                                      .diagonal = diagonal,
                                      .m = m,
                                      .n = n,
                                      .alpha.given = alpha,
                                      .a = {a, lda},
                                      .b = {b, ldb}});
}

LOOM_CUDA(int, cublasDtrsmBatched, struct loom_blas *handle, int side, int fill,
          int op, int diagonal, int m, int n, const double *alpha,
          const double *const *a, int lda, double *const *b, int ldb, int batch)
{
    if (batch == 0) {
        return loom_blas_is_there(handle) ? BLAS_OK : BLAS_NOT_INITIALIZED;
    }
    return trsm(handle, (struct trsm){.kernel = "trsm_f64",
                                      .side = side,
                                      .fill = fill,
                                      .op = op,
                                      .diagonal = diagonal,
                                      .m = m,
                                      .n = n,
                                      .alpha.given = alpha,
                                      .a = {a, lda},
                                      .b = {b, ldb},
                                      .batch = batch});
}
