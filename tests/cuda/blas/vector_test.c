/*
 * Vectors, a matrix and vectors, triangular systems against sums of doubles;
 * in numbers of four and of eight bytes.  usage: vector_test CASE
 */
#include "tests/cuda/blas/blas.h"

static handle blas;

/* Element `i` of n of a vector whose increment may be negative. */
static double at(const struct array *v, int n, int apart, int i)
{
    return v->value[apart > 0 ? i * apart : (n - 1 - i) * -apart];
}

static void close_to(int type, double x, double y, const char *what, int i)
{
    /* Of four bytes sums of a thousand are not exact. */
    double far = tolerance(type, y) * 4;

    if (!(fabs(x - y) <= far)) {
        printf("%s of type %d: element %d is %.17g, not %.17g\n", what, type, i,
               x, y);
        exit(1);
    }
}

static struct array copy_of(const struct array *a)
{
    struct array b = array_of(a->type, a->count, 0);

    OK(cudaMemcpy(b.device, a->device, a->count * bytes_of(a->type),
                  CUDA_DEVICE_TO_DEVICE));
    array_read(&b);
    return b;
}

/* A result on the host or the device. */
static double result(int type, const void *from, int mode)
{
    double raw = 0;

    if (mode == DEVICE) {
        OK(cudaMemcpy(&raw, from, 8, CUDA_DEVICE_TO_HOST));
    } else {
        memcpy(&raw, from, 8);
    }
    return number(&raw, 0, type);
}

/* Functions of a type in an order of ours, so that cases are written once. */
struct functions {
    int type;
    int (*axpy)(handle, int, const void *, const void *, int, void *, int);
    int (*scal)(handle, int, const void *, void *, int);
    int (*copy)(handle, int, const void *, int, void *, int);
    int (*swap)(handle, int, void *, int, void *, int);
    int (*dot)(handle, int, const void *, int, const void *, int, void *);
    int (*asum)(handle, int, const void *, int, void *);
    int (*nrm2)(handle, int, const void *, int, void *);
    int (*iamax)(handle, int, const void *, int, int *);
    int (*iamin)(handle, int, const void *, int, int *);
    int (*gemv)(handle, int, int, int, const void *, const void *, int,
                const void *, int, const void *, void *, int);
    int (*ger)(handle, int, int, const void *, const void *, int, const void *,
               int, void *, int);
    int (*geam)(handle, int, int, int, int, const void *, const void *, int,
                const void *, const void *, int, void *, int);
    int (*dgmm)(handle, int, int, int, const void *, int, const void *, int,
                void *, int);
    int (*trsm)(handle, int, int, int, int, int, int, const void *,
                const void *, int, void *, int);
    int (*trsm_batched)(handle, int, int, int, int, int, int, const void *,
                        const void *const *, int, void *const *, int, int);
};

#define WRAPPED(L, l, t)                                                       \
    static int L##axpy(handle h, int n, const void *a, const void *x, int ix,  \
                       void *y, int iy)                                        \
    {                                                                          \
        return cublas##L##axpy_v2(h, n, a, x, ix, y, iy);                      \
    }                                                                          \
    static int L##scal(handle h, int n, const void *a, void *x, int ix)        \
    {                                                                          \
        return cublas##L##scal_v2(h, n, a, x, ix);                             \
    }                                                                          \
    static int L##copy(handle h, int n, const void *x, int ix, void *y,        \
                       int iy)                                                 \
    {                                                                          \
        return cublas##L##copy_v2(h, n, x, ix, y, iy);                         \
    }                                                                          \
    static int L##swap(handle h, int n, void *x, int ix, void *y, int iy)      \
    {                                                                          \
        return cublas##L##swap_v2(h, n, x, ix, y, iy);                         \
    }                                                                          \
    static int L##dot(handle h, int n, const void *x, int ix, const void *y,   \
                      int iy, void *r)                                         \
    {                                                                          \
        return cublas##L##dot_v2(h, n, x, ix, y, iy, r);                       \
    }                                                                          \
    static int L##asum(handle h, int n, const void *x, int ix, void *r)        \
    {                                                                          \
        return cublas##L##asum_v2(h, n, x, ix, r);                             \
    }                                                                          \
    static int L##nrm2(handle h, int n, const void *x, int ix, void *r)        \
    {                                                                          \
        return cublas##L##nrm2_v2(h, n, x, ix, r);                             \
    }                                                                          \
    static int L##iamax(handle h, int n, const void *x, int ix, int *r)        \
    {                                                                          \
        return cublasI##l##amax_v2(h, n, x, ix, r);                            \
    }                                                                          \
    static int L##iamin(handle h, int n, const void *x, int ix, int *r)        \
    {                                                                          \
        return cublasI##l##amin_v2(h, n, x, ix, r);                            \
    }                                                                          \
    static int L##gemv(handle h, int op, int m, int n, const void *p,          \
                       const void *a, int lda, const void *x, int ix,          \
                       const void *q, void *y, int iy)                         \
    {                                                                          \
        return cublas##L##gemv_v2(h, op, m, n, p, a, lda, x, ix, q, y, iy);    \
    }                                                                          \
    static int L##ger(handle h, int m, int n, const void *p, const void *x,    \
                      int ix, const void *y, int iy, void *a, int lda)         \
    {                                                                          \
        return cublas##L##ger_v2(h, m, n, p, x, ix, y, iy, a, lda);            \
    }                                                                          \
    static int L##geam(handle h, int ta, int tb, int m, int n, const void *p,  \
                       const void *a, int lda, const void *q, const void *b,   \
                       int ldb, void *c, int ldc)                              \
    {                                                                          \
        return cublas##L##geam(h, ta, tb, m, n, p, a, lda, q, b, ldb, c, ldc); \
    }                                                                          \
    static int L##dgmm(handle h, int side, int m, int n, const void *a,        \
                       int lda, const void *x, int ix, void *c, int ldc)       \
    {                                                                          \
        return cublas##L##dgmm(h, side, m, n, a, lda, x, ix, c, ldc);          \
    }                                                                          \
    static int L##trsm(handle h, int s, int u, int op, int d, int m, int n,    \
                       const void *p, const void *a, int lda, void *b,         \
                       int ldb)                                                \
    {                                                                          \
        return cublas##L##trsm_v2(h, s, u, op, d, m, n, p, a, lda, b, ldb);    \
    }                                                                          \
    static int L##trsm_batched(handle h, int s, int u, int op, int d, int m,   \
                               int n, const void *p, const void *const *a,     \
                               int lda, void *const *b, int ldb, int batch)    \
    {                                                                          \
        return cublas##L##trsmBatched(h, s, u, op, d, m, n, p,                 \
                                      (const t *const *)a, lda, (t *const *)b, \
                                      ldb, batch);                             \
    }                                                                          \
    static const struct functions L##_functions = {sizeof(t) == 4 ? F32 : F64, \
                                                   L##axpy,                    \
                                                   L##scal,                    \
                                                   L##copy,                    \
                                                   L##swap,                    \
                                                   L##dot,                     \
                                                   L##asum,                    \
                                                   L##nrm2,                    \
                                                   L##iamax,                   \
                                                   L##iamin,                   \
                                                   L##gemv,                    \
                                                   L##ger,                     \
                                                   L##geam,                    \
                                                   L##dgmm,                    \
                                                   L##trsm,                    \
                                                   L##trsm_batched};

WRAPPED(S, s, float)
WRAPPED(D, d, double)

/* The same with sizes of 64 bits. */
#define WRAPPED64(L)                                                           \
    int cublas##L##axpy_v2_64(handle, int64_t, const void *, const void *,     \
                              int64_t, void *, int64_t);                       \
    int cublas##L##scal_v2_64(handle, int64_t, const void *, void *, int64_t); \
    int cublas##L##copy_v2_64(handle, int64_t, const void *, int64_t, void *,  \
                              int64_t);                                        \
    int cublas##L##swap_v2_64(handle, int64_t, void *, int64_t, void *,        \
                              int64_t);                                        \
    int cublas##L##dot_v2_64(handle, int64_t, const void *, int64_t,           \
                             const void *, int64_t, void *);                   \
    int cublas##L##asum_v2_64(handle, int64_t, const void *, int64_t, void *); \
    int cublas##L##nrm2_v2_64(handle, int64_t, const void *, int64_t, void *); \
    static int L##axpy64(handle h, int n, const void *a, const void *x,        \
                         int ix, void *y, int iy)                              \
    {                                                                          \
        return cublas##L##axpy_v2_64(h, n, a, x, ix, y, iy);                   \
    }                                                                          \
    static int L##scal64(handle h, int n, const void *a, void *x, int ix)      \
    {                                                                          \
        return cublas##L##scal_v2_64(h, n, a, x, ix);                          \
    }                                                                          \
    static int L##copy64(handle h, int n, const void *x, int ix, void *y,      \
                         int iy)                                               \
    {                                                                          \
        return cublas##L##copy_v2_64(h, n, x, ix, y, iy);                      \
    }                                                                          \
    static int L##swap64(handle h, int n, void *x, int ix, void *y, int iy)    \
    {                                                                          \
        return cublas##L##swap_v2_64(h, n, x, ix, y, iy);                      \
    }                                                                          \
    static int L##dot64(handle h, int n, const void *x, int ix, const void *y, \
                        int iy, void *r)                                       \
    {                                                                          \
        return cublas##L##dot_v2_64(h, n, x, ix, y, iy, r);                    \
    }                                                                          \
    static int L##asum64(handle h, int n, const void *x, int ix, void *r)      \
    {                                                                          \
        return cublas##L##asum_v2_64(h, n, x, ix, r);                          \
    }                                                                          \
    static int L##nrm264(handle h, int n, const void *x, int ix, void *r)      \
    {                                                                          \
        return cublas##L##nrm2_v2_64(h, n, x, ix, r);                          \
    }                                                                          \
    static struct functions L##_long(void)                                     \
    {                                                                          \
        struct functions f = L##_functions;                                    \
                                                                               \
        f.axpy = L##axpy64;                                                    \
        f.scal = L##scal64;                                                    \
        f.copy = L##copy64;                                                    \
        f.swap = L##swap64;                                                    \
        f.dot = L##dot64;                                                      \
        f.asum = L##asum64;                                                    \
        f.nrm2 = L##nrm264;                                                    \
        return f;                                                              \
    }

WRAPPED64(S)
WRAPPED64(D)

static void elements(const struct functions *f, int n, int ix, int iy, int mode)
{
    struct array x = array_new(f->type, (size_t)(n * abs(ix)));
    struct array y = array_new(f->type, (size_t)(n * abs(iy)));
    struct array a = copy_of(&y), b = copy_of(&x), c = copy_of(&x);

    OK(cublasSetPointerMode_v2(blas, mode));
    OK(f->axpy(blas, n, scalar(f->type, -1.5, mode), x.device, ix, a.device,
               iy));
    OK(f->swap(blas, n, b.device, ix, a.device, iy));
    array_read(&a);
    array_read(&b);
    for (int i = 0; i < n; i++) {
        close_to(f->type, at(&b, n, ix, i),
                 at(&y, n, iy, i) - 1.5 * at(&x, n, ix, i), "axpy", i);
        close_to(f->type, at(&a, n, iy, i), at(&x, n, ix, i), "swap", i);
    }
    OK(f->copy(blas, n, y.device, iy, c.device, ix));
    OK(f->scal(blas, n, scalar(f->type, 0.25, mode), c.device, abs(ix)));
    array_read(&c);
    for (int i = 0; i < n; i++) {
        close_to(f->type, at(&c, n, ix, i), at(&y, n, iy, i) * 0.25, "scal", i);
    }
    array_free(&x), array_free(&y), array_free(&a), array_free(&b);
    array_free(&c);
}

static int place(const struct array *x, int n, int ix, double sign)
{
    int best = 0;

    for (int i = 1; i < n; i++) {
        if (sign * fabs(at(x, n, ix, i)) > sign * fabs(at(x, n, ix, best))) {
            best = i;
        }
    }
    return n > 0 ? best + 1 : 0;
}

static void sums(const struct functions *f, int n, int ix, int mode)
{
    struct array x = array_new(f->type, (size_t)(n * ix) + 1);
    struct array y = array_new(f->type, (size_t)(n * 2) + 1);
    struct array room = array_of(f->type, 2, 0);
    double host = 0, dot = 0, asum = 0, squares = 0;
    void *to = mode == DEVICE ? room.device : (void *)&host;

    for (int i = 0; i < n; i++) {
        dot += at(&x, n, ix, i) * at(&y, n, -2, i);
        asum += fabs(at(&x, n, ix, i));
        squares += at(&x, n, ix, i) * at(&x, n, ix, i);
    }
    OK(cublasSetPointerMode_v2(blas, mode));
    OK(f->dot(blas, n, x.device, ix, y.device, -2, to));
    close_to(f->type, result(f->type, to, mode), dot, "dot", n);
    OK(f->asum(blas, n, x.device, ix, to));
    close_to(f->type, result(f->type, to, mode), asum, "asum", n);
    OK(f->nrm2(blas, n, x.device, ix, to));
    close_to(f->type, result(f->type, to, mode), sqrt(squares), "nrm2", n);
    OK(f->iamax(blas, n, x.device, ix, to));
    HOLDS((int)result(I32, to, mode) == place(&x, n, ix, 1));
    OK(f->iamin(blas, n, x.device, ix, to));
    HOLDS((int)result(I32, to, mode) == place(&x, n, ix, -1));
    array_free(&x), array_free(&y), array_free(&room);
}

static void case_vectors(const struct functions *f)
{
    for (int mode = HOST; mode <= DEVICE; mode++) {
        elements(f, 1, 1, 1, mode);
        elements(f, 1000, 1, 2, mode);
        elements(f, 77, -2, 3, mode);
        sums(f, 0, 1, mode);
        sums(f, 3, 2, mode);
        sums(f, 5000, 1, mode);
        sums(f, 20000, 3, mode);
    }
}

static void case_long(const struct functions *f)
{
    struct functions with = f->type == F32 ? S_long() : D_long();

    case_vectors(&with);
}

static void gemv(const struct functions *f, int op, int m, int n, int mode)
{
    int lda = m + 3, nx = op == N ? n : m, ny = op == N ? m : n;
    bool none = mode == DEVICE; /* then beta is 0, and y NaN */
    struct array a = array_new(f->type, (size_t)(lda * n));
    struct array x = array_new(f->type, (size_t)(2 * nx));
    struct array y = none ? array_of(f->type, (size_t)ny, NAN)
                          : array_new(f->type, (size_t)ny);
    struct array z = copy_of(&y);

    OK(cublasSetPointerMode_v2(blas, mode));
    OK(f->gemv(blas, op, m, n, scalar(f->type, 2, mode), a.device, lda,
               x.device, -2, scalar(f->type, none ? 0 : -0.5, mode), z.device,
               1));
    array_read(&z);
    for (int i = 0; i < ny; i++) {
        double sum = 0;

        for (int j = 0; j < nx; j++) {
            sum += a.value[op == N ? i + j * lda : j + i * lda] *
                   at(&x, nx, -2, j);
        }
        close_to(f->type, z.value[i], 2 * sum - (none ? 0 : 0.5 * y.value[i]),
                 "gemv", i);
    }
    array_free(&a), array_free(&x), array_free(&y), array_free(&z);
}

static void ger(const struct functions *f, int m, int n, int mode)
{
    struct array x = array_new(f->type, (size_t)(m * 2));
    struct array y = array_new(f->type, (size_t)(n * 3));
    struct array a = array_new(f->type, (size_t)((m + 1) * n));
    struct array b = copy_of(&a);

    OK(cublasSetPointerMode_v2(blas, mode));
    OK(f->ger(blas, m, n, scalar(f->type, -2, mode), x.device, 2, y.device, -3,
              b.device, m + 1));
    array_read(&b);
    for (int i = 0; i < (m + 1) * n; i++) {
        int row = i % (m + 1), column = i / (m + 1);

        close_to(
            f->type, b.value[i],
            a.value[i] -
                (row == m ? 0 : 2 * at(&x, m, 2, row) * at(&y, n, -3, column)),
            "ger", i);
    }
    array_free(&x), array_free(&y), array_free(&a), array_free(&b);
}

static void geam(const struct functions *f, int ta, int tb, int mode)
{
    enum {
        M = 37,
        K = 21,
        LD = 40
    };
    struct array a = array_new(f->type, LD * LD);
    struct array b = array_new(f->type, LD * LD);
    struct array c = array_of(f->type, LD * LD, 99), x = array_new(f->type, M);

    OK(cublasSetPointerMode_v2(blas, mode));
    OK(f->geam(blas, ta, tb, M, K, scalar(f->type, 2, mode), a.device, LD,
               scalar(f->type, -1, mode), b.device, LD, c.device, LD));
    array_read(&c);
    for (int i = 0; i < LD * K; i++) {
        int row = i % LD, column = i / LD, turned = column + row * LD;

        close_to(f->type, c.value[i],
                 row >= M ? 99
                          : 2 * a.value[ta == N ? i : turned] -
                                b.value[tb == N ? i : turned],
                 "geam", i);
    }
    OK(f->dgmm(blas, ta == N ? LEFT : RIGHT, M, K, a.device, LD, x.device, 1,
               c.device, LD));
    array_read(&c);
    for (int i = 0; i < LD * K; i++) {
        close_to(f->type, c.value[i],
                 i % LD >= M ? 99
                             : a.value[i] * x.value[ta == N ? i % LD : i / LD],
                 "dgmm", i);
    }
    array_free(&a), array_free(&b), array_free(&c), array_free(&x);
}

static void case_matrix(const struct functions *f)
{
    for (int mode = HOST; mode <= DEVICE; mode++) {
        for (int op = N; op <= C; op++) {
            gemv(f, op, 1, 1, mode);
            gemv(f, op, 70, 33, mode);
            gemv(f, op, 9, 130, mode);
            geam(f, op, C - op, mode);
        }
        ger(f, 45, 31, mode);
    }
}

enum {
    ORDER = 19,
    OTHER = 7,
    BATCH = 3
};

struct triangle {
    int side, fill, op, diagonal;
};

/* op(A)(i, j) of a triangle. */
static double triangle_at(const struct triangle *t, const double *a, int i,
                          int j)
{
    int row = t->op == N ? i : j, column = t->op == N ? j : i;

    if (row == column && t->diagonal == UNIT) {
        return 1;
    }
    return (t->fill == LOWER ? row >= column : row <= column)
               ? a[row + column * ORDER]
               : 0;
}

/* op(A) X, or X op(A), is alpha B again. */
static void compare_solution(const struct functions *f,
                             const struct triangle *t, const double *a,
                             const double *b, const double *x)
{
    int m = t->side == LEFT ? ORDER : OTHER;
    int n = t->side == LEFT ? OTHER : ORDER;

    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            double sum = 0;

            for (int k = 0; k < ORDER; k++) {
                sum += t->side == LEFT ? triangle_at(t, a, i, k) * x[k + j * m]
                                       : x[i + k * m] * triangle_at(t, a, k, j);
            }
            /* Small, as what is added up here is large. */
            if (fabs(sum - 2 * b[i + j * m]) >
                (f->type == F32 ? 1e-4 : 1e-12)) {
                printf("trsm %d%d%d%d of type %d: (%d, %d) gives %g, not %g\n",
                       t->side, t->fill, t->op, t->diagonal, f->type, i, j, sum,
                       2 * b[i + j * m]);
                exit(1);
            }
        }
    }
}

/* Small numbers beside a diagonal of twos, so that solutions are as large as
 * what they solve. */
static void make_regular(struct array *a)
{
    char raw[8];

    for (size_t i = 0; i < a->count; i++) {
        size_t in = i % (ORDER * ORDER);

        a->value[i] = in / ORDER == in % ORDER ? 2 : a->value[i] / 16;
        put_number(raw, 0, a->type, a->value[i]);
        OK(cudaMemcpy((char *)a->device + i * bytes_of(a->type), raw,
                      bytes_of(a->type), CUDA_HOST_TO_DEVICE));
    }
}

static void solve(const struct functions *f, struct triangle t,
                  const struct array *a, int mode)
{
    int m = t.side == LEFT ? ORDER : OTHER, n = ORDER + OTHER - m;
    struct array b = array_new(f->type, BATCH * ORDER * OTHER);
    struct array x = copy_of(&b);
    size_t bytes = bytes_of(f->type);
    void *list[2][BATCH], *device;

    OK(cublasSetPointerMode_v2(blas, mode));
    OK(f->trsm(blas, t.side, t.fill, t.op, t.diagonal, m, n,
               scalar(f->type, 2, mode), a->device, ORDER, x.device, m));
    array_read(&x);
    compare_solution(f, &t, a->value, b.value, x.value);
    for (int i = 0; i < BATCH; i++) {
        list[0][i] = (char *)a->device + (size_t)(i * ORDER * ORDER) * bytes;
        list[1][i] = (char *)b.device + (size_t)(i * ORDER * OTHER) * bytes;
    }
    OK(cudaMalloc(&device, sizeof(list)));
    OK(cudaMemcpy(device, list, sizeof(list), CUDA_HOST_TO_DEVICE));
    array_free(&x);
    x = copy_of(&b);
    OK(f->trsm_batched(blas, t.side, t.fill, t.op, t.diagonal, m, n,
                       scalar(f->type, 2, mode), device, ORDER,
                       (void *const *)device + BATCH, m, BATCH));
    array_read(&b);
    for (int i = 0; i < BATCH; i++) {
        compare_solution(f, &t, a->value + i * ORDER * ORDER,
                         x.value + i * ORDER * OTHER,
                         b.value + i * ORDER * OTHER);
    }
    array_free(&b), array_free(&x);
    OK(cudaFree(device));
}

static void case_triangles(const struct functions *f)
{
    struct array a = array_new(f->type, BATCH * ORDER * ORDER);

    make_regular(&a);
    for (int i = 0; i < 24; i++) {
        solve(f,
              (struct triangle){.side = i & 1,
                                .fill = i >> 1 & 1,
                                .diagonal = i >> 2 & 1,
                                .op = i / 8},
              &a, i % 2 == 0 ? HOST : DEVICE);
    }
    array_free(&a);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(const struct functions *f);
    } cases[] = {{"vectors", case_vectors},
                 {"long", case_long},
                 {"matrix", case_matrix},
                 {"triangles", case_triangles}};

    HOLDS(argc == 2);
    OK(cublasCreate_v2(&blas));
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (strcmp(argv[1], cases[i].name) == 0) {
            cases[i].run(&S_functions);
            cases[i].run(&D_functions);
            OK(cublasDestroy_v2(blas));
            OK(cudaGetLastError());
            printf("%s passed\n", argv[1]);
            return 0;
        }
    }
    printf("no case %s\n", argv[1]);
    return 1;
}
