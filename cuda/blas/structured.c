/*
 * Symmetric, triangular, band and packed matrices: cublas?symm(), syrk(),
 * trmm(), trsv() and their like; gemv() of several matrices.
 */
#include "cuda/blas/structured.h"

const double loom_blas_zero = 0, loom_blas_one = 1;

static bool valid(const struct loom_blas_view *v)
{
    int rows = v->storage == STORAGE_BAND ? v->below + v->above + 1 : v->rows;

    return v->kind != KIND_WRONG && v->step != 0 && v->below >= 0 &&
           v->above >= 0 && v->ld >= 1 && v->ld >= rows;
}

/* A scalar as kernels get it: on the device, or its value. */
static double value(const struct loom_blas *handle, const void *given, int type,
                    const void **on_device)
{
    bool ours = given == &loom_blas_zero || given == &loom_blas_one;

    *on_device = handle->pointers_on_device && !ours ? given : NULL;
    if (given == NULL || *on_device != NULL) {
        return 0;
    }
    return type == TYPE_F32 && !ours ? (double)*(const float *)given
                                     : *(const double *)given;
}

static uint32_t tiles(int n)
{
    return (uint32_t)(n + 15) / 16;
}

int loom_blas_work(struct loom_blas *handle, struct loom_blas_work w)
{
    struct loom_blas_product *g = &w.g;
    bool by_tile = w.vectors == 0;

    if (!loom_blas_is_there(handle)) {
        return BLAS_NOT_INITIALIZED;
    }
    if (g->m < 0 || g->n < 0 || g->k < 0 || w.vectors < 0 || w.batch < 0 ||
        w.batch > 65535 || w.alpha == NULL || w.beta == NULL || !valid(&g->a) ||
        !valid(&g->b) || !valid(&g->c)) {
        return BLAS_INVALID_VALUE;
    }
    if (g->m == 0 || g->n == 0 || w.batch == 0) {
        return BLAS_OK;
    }
    g->alpha = value(handle, w.alpha, w.type, &g->alpha_at);
    g->beta = value(handle, w.beta, w.type, &g->beta_at);
    return loom_blas_launch((struct loom_blas_launch){
        .module = MODULE_STRUCTURED,
        .kernel = w.kernel[w.type == TYPE_F64],
        .grid = {by_tile ? tiles(g->m) : (uint32_t)w.vectors,
                 by_tile ? tiles(g->n) : 1, (uint32_t)w.batch},
        .block = {by_tile ? 16 : 128, by_tile ? 16 : 1, 1},
        .stream = handle->stream,
        .args = (void *[]){g}});
}

/* ---- views ---- */

static struct loom_blas_view full(const void *at, int rows, int ld, int op)
{
    return (struct loom_blas_view){.at = at,
                                   .step = 1,
                                   .ld = ld,
                                   .rows = rows,
                                   .kind = op < OP_N || op > OP_C ? KIND_WRONG
                                                                  : KIND_ALL,
                                   .turned = op != OP_N};
}

static struct loom_blas_view vector(const void *at, int n, int apart, int op)
{
    struct loom_blas_view v = full(at, 0, 1, op);

    v.step = apart;
    v.first = apart < 0 ? (int64_t)(1 - n) * apart : 0;
    return v;
}

static struct loom_blas_view packed(const void *at, int rows, int op)
{
    struct loom_blas_view v = full(at, rows, rows < 1 ? 1 : rows, op);

    v.storage = STORAGE_PACKED;
    return v;
}

static struct loom_blas_view band(const void *at, int below, int above, int ld,
                                  int op)
{
    struct loom_blas_view v = full(at, 0, ld, op);

    v.storage = STORAGE_BAND;
    v.below = below;
    v.above = above;
    return v;
}

static struct loom_blas_view part(struct loom_blas_view v, int kind, int fill)
{
    v.lower = fill == FILL_LOWER;
    v.kind =
        v.kind == KIND_WRONG || (unsigned)fill > FILL_UPPER ? KIND_WRONG : kind;
    return v;
}

static struct loom_blas_view symmetric(struct loom_blas_view v, int fill)
{
    return part(v, KIND_SYMMETRIC, fill);
}

static struct loom_blas_view triangle(struct loom_blas_view v, int fill,
                                      int diagonal)
{
    v.unit = diagonal;
    return part(v, (unsigned)diagonal > UNIT ? KIND_WRONG : KIND_TRIANGLE,
                fill);
}

/* A band beside the diagonal, on one side. */
static struct loom_blas_view beside(const void *at, int width, int ld, int op,
                                    int fill)
{
    return band(at, fill == FILL_LOWER ? width : 0,
                fill == FILL_LOWER ? 0 : width, ld, op);
}

static struct loom_blas_view repeated(struct loom_blas_view v, int64_t stride)
{
    v.stride = stride;
    return v;
}

/* ---- products ---- */

#define PRODUCT                                                                \
    {                                                                          \
        "product_f32", "product_f64"                                           \
    }
#define TIMES                                                                  \
    {                                                                          \
        "triangle_times_f32", "triangle_times_f64"                             \
    }
#define SOLVE                                                                  \
    {                                                                          \
        "triangle_solve_f32", "triangle_solve_f64"                             \
    }
#define COPY                                                                   \
    {                                                                          \
        "triangle_copy_f32", "triangle_copy_f64"                               \
    }

#define WORK(...) loom_blas_work(handle, (struct loom_blas_work){__VA_ARGS__})
/* y = alpha A x + beta y. */
#define TIMES_VECTOR(t, rows, columns, of)                                     \
    WORK(PRODUCT, t, alpha, beta,                                              \
         {.a = of,                                                             \
          .b = vector(x, columns, incx, OP_N),                                 \
          .c = vector(y, rows, incy, OP_N),                                    \
          .m = rows,                                                           \
          .n = 1,                                                              \
          .k = columns},                                                       \
         0, 1)
/* C += alpha x y', and y x' with `both`. */
#define RANK_ONE(t, other, apart, to, both)                                    \
    WORK(PRODUCT, t, alpha, &loom_blas_one,                                    \
         {.a = vector(x, n, incx, OP_N),                                       \
          .b = vector(other, n, apart, OP_T),                                  \
          .c = part(to, KIND_TRIANGLE, fill),                                  \
          .m = n,                                                              \
          .n = n,                                                              \
          .k = 1,                                                              \
          .twice = both},                                                      \
         0, 1)
/* A triangle of C = alpha op(A) op(B)' + beta C, and the same of B, A. */
#define RANK_K(t, other, ldother, both)                                        \
    WORK(PRODUCT, t, alpha, beta,                                              \
         {.a = full(a, op == OP_N ? n : k, lda, op),                           \
          .b = full(other, op == OP_N ? n : k, ldother,                        \
                    op == OP_N ? OP_T : OP_N),                                 \
          .c = part(full(c, n, ldc, OP_N), KIND_TRIANGLE, fill),               \
          .m = n,                                                              \
          .n = n,                                                              \
          .k = k,                                                              \
          .twice = both},                                                      \
         0, 1)

/* A symmetric matrix times another, or the other times it. */
struct sided {
    int type, side, m, n;
    const void *alpha, *beta;
    struct loom_blas_view a, b, c;
};

static int sided(struct loom_blas *handle, struct sided s)
{
    bool left = s.side == SIDE_LEFT;

    if ((unsigned)s.side > SIDE_RIGHT) {
        s.a.kind = KIND_WRONG;
    }
    return WORK(PRODUCT, s.type, s.alpha, s.beta,
                {.a = left ? s.a : s.b,
                 .b = left ? s.b : s.a,
                 .c = s.c,
                 .m = s.m,
                 .n = s.n,
                 .k = left ? s.m : s.n},
                0, 1);
}

/* A triangle times a matrix, which may be the result. */
static int trmm(struct loom_blas *handle, struct sided s)
{
    bool left = s.side == SIDE_LEFT;
    struct loom_blas_view x = {
        .at = s.b.at, .step = left ? 1 : s.b.ld, .ld = left ? s.b.ld : 1};

    if (s.b.at != s.c.at || s.m <= 0 || s.n <= 0 || !valid(&s.b)) {
        return sided(handle, s);
    }
    if (s.b.ld != s.c.ld || (unsigned)s.side > SIDE_RIGHT) {
        s.a.kind = KIND_WRONG;
    }
    s.a.turned ^= !left;
    return WORK(TIMES, s.type, s.alpha, s.beta,
                {.a = s.a, .b = x, .c = s.c, .m = 1, .n = left ? s.m : s.n},
                left ? s.n : s.m, 1);
}

/* x = op(A) x, or what gives x; in place. */
#define IN_PLACE(how, t, of)                                                   \
    WORK(how, t, &loom_blas_one, &loom_blas_zero,                              \
         {.a = triangle(of, fill, diagonal),                                   \
          .b = vector(x, n, incx, OP_N),                                       \
          .c = vector(x, n, incx, OP_N),                                       \
          .m = 1,                                                              \
          .n = n},                                                             \
         1, 1)

#define OF_TYPE(L, t)                                                          \
    LOOM_CUDA(int, cublas##L##symm_v2, struct loom_blas *handle, int side,     \
              int fill, int m, int n, const void *alpha, const void *a,        \
              int lda, const void *b, int ldb, const void *beta, void *c,      \
              int ldc)                                                         \
    {                                                                          \
        int order = side == SIDE_LEFT ? m : n;                                 \
                                                                               \
        return sided(                                                          \
            handle,                                                            \
            (struct sided){t, side, m, n, alpha, beta,                         \
                           symmetric(full(a, order, lda, OP_N), fill),         \
                           full(b, m, ldb, OP_N), full(c, m, ldc, OP_N)});     \
    }                                                                          \
    LOOM_CUDA(int, cublas##L##trmm_v2, struct loom_blas *handle, int side,     \
              int fill, int op, int diagonal, int m, int n, const void *alpha, \
              const void *a, int lda, const void *b, int ldb, void *c,         \
              int ldc)                                                         \
    {                                                                          \
        int order = side == SIDE_LEFT ? m : n;                                 \
                                                                               \
        return trmm(                                                           \
            handle,                                                            \
            (struct sided){t, side, m, n, alpha, &loom_blas_zero,              \
                           triangle(full(a, order, lda, op), fill, diagonal),  \
                           full(b, m, ldb, OP_N), full(c, m, ldc, OP_N)});     \
    }                                                                          \
    LOOM_CUDA(int, cublas##L##syrk_v2, struct loom_blas *handle, int fill,     \
              int op, int n, int k, const void *alpha, const void *a, int lda, \
              const void *beta, void *c, int ldc)                              \
    {                                                                          \
        return RANK_K(t, a, lda, 0);                                           \
    }                                                                          \
    LOOM_CUDA(int, cublas##L##syrkx, struct loom_blas *handle, int fill,       \
              int op, int n, int k, const void *alpha, const void *a, int lda, \
              const void *b, int ldb, const void *beta, void *c, int ldc)      \
    {                                                                          \
        return RANK_K(t, b, ldb, 0);                                           \
    }                                                                          \
    LOOM_CUDA(int, cublas##L##syr2k_v2, struct loom_blas *handle, int fill,    \
              int op, int n, int k, const void *alpha, const void *a, int lda, \
              const void *b, int ldb, const void *beta, void *c, int ldc)      \
    {                                                                          \
        return RANK_K(t, b, ldb, 1);                                           \
    }                                                                          \
    LOOM_CUDA(int, cublas##L##syr_v2, struct loom_blas *handle, int fill,      \
              int n, const void *alpha, const void *x, int incx, void *a,      \
              int lda)                                                         \
    {                                                                          \
        return RANK_ONE(t, x, incx, full(a, n, lda, OP_N), 0);                 \
    }                                                                          \
    LOOM_CUDA(int, cublas##L##spr_v2, struct loom_blas *handle, int fill,      \
              int n, const void *alpha, const void *x, int incx, void *ap)     \
    {                                                                          \
        return RANK_ONE(t, x, incx, packed(ap, n, OP_N), 0);                   \
    }                                                                          \
    LOOM_CUDA(int, cublas##L##syr2_v2, struct loom_blas *handle, int fill,     \
              int n, const void *alpha, const void *x, int incx,               \
              const void *y, int incy, void *a, int lda)                       \
    {                                                                          \
        return RANK_ONE(t, y, incy, full(a, n, lda, OP_N), 1);                 \
    }                                                                          \
    LOOM_CUDA(int, cublas##L##spr2_v2, struct loom_blas *handle, int fill,     \
              int n, const void *alpha, const void *x, int incx,               \
              const void *y, int incy, void *ap)                               \
    {                                                                          \
        return RANK_ONE(t, y, incy, packed(ap, n, OP_N), 1);                   \
    }                                                                          \
    LOOM_CUDA(int, cublas##L##symv_v2, struct loom_blas *handle, int fill,     \
              int n, const void *alpha, const void *a, int lda, const void *x, \
              int incx, const void *beta, void *y, int incy)                   \
    {                                                                          \
        return TIMES_VECTOR(t, n, n, symmetric(full(a, n, lda, OP_N), fill));  \
    }                                                                          \
    LOOM_CUDA(int, cublas##L##sbmv_v2, struct loom_blas *handle, int fill,     \
              int n, int k, const void *alpha, const void *a, int lda,         \
              const void *x, int incx, const void *beta, void *y, int incy)    \
    {                                                                          \
        return TIMES_VECTOR(t, n, n,                                           \
                            symmetric(beside(a, k, lda, OP_N, fill), fill));   \
    }                                                                          \
    LOOM_CUDA(int, cublas##L##spmv_v2, struct loom_blas *handle, int fill,     \
              int n, const void *alpha, const void *ap, const void *x,         \
              int incx, const void *beta, void *y, int incy)                   \
    {                                                                          \
        return TIMES_VECTOR(t, n, n, symmetric(packed(ap, n, OP_N), fill));    \
    }                                                                          \
    LOOM_CUDA(int, cublas##L##gbmv_v2, struct loom_blas *handle, int op,       \
              int m, int n, int below, int above, const void *alpha,           \
              const void *a, int lda, const void *x, int incx,                 \
              const void *beta, void *y, int incy)                             \
    {                                                                          \
        int rows = op == OP_N ? m : n, columns = op == OP_N ? n : m;           \
                                                                               \
        return TIMES_VECTOR(t, rows, columns, band(a, below, above, lda, op)); \
    }

/* clang-format off */
OF_TYPE(S, TYPE_F32)
OF_TYPE(D, TYPE_F64)
/* clang-format on */

#define TRIANGLES(L, t)                                                        \
    LOOM_CUDA(int, cublas##L##trmv_v2, struct loom_blas *handle, int fill,     \
              int op, int diagonal, int n, const void *a, int lda, void *x,    \
              int incx)                                                        \
    {                                                                          \
        return IN_PLACE(TIMES, t, full(a, n, lda, op));                        \
    }                                                                          \
    LOOM_CUDA(int, cublas##L##tbmv_v2, struct loom_blas *handle, int fill,     \
              int op, int diagonal, int n, int k, const void *a, int lda,      \
              void *x, int incx)                                               \
    {                                                                          \
        return IN_PLACE(TIMES, t, beside(a, k, lda, op, fill));                \
    }                                                                          \
    LOOM_CUDA(int, cublas##L##tpmv_v2, struct loom_blas *handle, int fill,     \
              int op, int diagonal, int n, const void *ap, void *x, int incx)  \
    {                                                                          \
        return IN_PLACE(TIMES, t, packed(ap, n, op));                          \
    }                                                                          \
    LOOM_CUDA(int, cublas##L##trsv_v2, struct loom_blas *handle, int fill,     \
              int op, int diagonal, int n, const void *a, int lda, void *x,    \
              int incx)                                                        \
    {                                                                          \
        return IN_PLACE(SOLVE, t, full(a, n, lda, op));                        \
    }                                                                          \
    LOOM_CUDA(int, cublas##L##tbsv_v2, struct loom_blas *handle, int fill,     \
              int op, int diagonal, int n, int k, const void *a, int lda,      \
              void *x, int incx)                                               \
    {                                                                          \
        return IN_PLACE(SOLVE, t, beside(a, k, lda, op, fill));                \
    }                                                                          \
    LOOM_CUDA(int, cublas##L##tpsv_v2, struct loom_blas *handle, int fill,     \
              int op, int diagonal, int n, const void *ap, void *x, int incx)  \
    {                                                                          \
        return IN_PLACE(SOLVE, t, packed(ap, n, op));                          \
    }                                                                          \
    LOOM_CUDA(int, cublas##L##tpttr, struct loom_blas *handle, int fill,       \
              int n, const void *ap, void *a, int lda)                         \
    {                                                                          \
        return WORK(COPY, t, &loom_blas_one, &loom_blas_zero,                  \
                    {.a = triangle(packed(ap, n, OP_N), fill, 0),              \
                     .b = packed(ap, n, OP_N),                                 \
                     .c = triangle(full(a, n, lda, OP_N), fill, 0),            \
                     .m = n,                                                   \
                     .n = n},                                                  \
                    0, 1);                                                     \
    }                                                                          \
    LOOM_CUDA(int, cublas##L##trttp, struct loom_blas *handle, int fill,       \
              int n, const void *a, int lda, void *ap)                         \
    {                                                                          \
        return WORK(COPY, t, &loom_blas_one, &loom_blas_zero,                  \
                    {.a = triangle(full(a, n, lda, OP_N), fill, 0),            \
                     .b = packed(ap, n, OP_N),                                 \
                     .c = triangle(packed(ap, n, OP_N), fill, 0),              \
                     .m = n,                                                   \
                     .n = n},                                                  \
                    0, 1);                                                     \
    }

/* clang-format off */
TRIANGLES(S, TYPE_F32)
TRIANGLES(D, TYPE_F64)
/* clang-format on */

/* gemv() of several matrices: their addresses are on the device, or they are
 * some distance apart. */
#define BATCHES(L, t)                                                          \
    LOOM_CUDA(int, cublas##L##gemvBatched, struct loom_blas *handle, int op,   \
              int m, int n, const void *alpha, const void *a, int lda,         \
              const void *x, int incx, const void *beta, void *y, int incy,    \
              int batch)                                                       \
    {                                                                          \
        int rows = op == OP_N ? m : n, columns = op == OP_N ? n : m;           \
                                                                               \
        return WORK(PRODUCT, t, alpha, beta,                                   \
                    {.a = full(a, m, lda, op),                                 \
                     .b = vector(x, columns, incx, OP_N),                      \
                     .c = vector(y, rows, incy, OP_N),                         \
                     .m = rows,                                                \
                     .n = 1,                                                   \
                     .k = columns,                                             \
                     .list = 1},                                               \
                    0, batch);                                                 \
    }                                                                          \
    LOOM_CUDA(int, cublas##L##gemvStridedBatched, struct loom_blas *handle,    \
              int op, int m, int n, const void *alpha, const void *a, int lda, \
              long long stride_a, const void *x, int incx, long long stride_x, \
              const void *beta, void *y, int incy, long long stride_y,         \
              int batch)                                                       \
    {                                                                          \
        int rows = op == OP_N ? m : n, columns = op == OP_N ? n : m;           \
                                                                               \
        return WORK(PRODUCT, t, alpha, beta,                                   \
                    {.a = repeated(full(a, m, lda, op), stride_a),             \
                     .b = repeated(vector(x, columns, incx, OP_N), stride_x),  \
                     .c = repeated(vector(y, rows, incy, OP_N), stride_y),     \
                     .m = rows,                                                \
                     .n = 1,                                                   \
                     .k = columns},                                            \
                    0, batch);                                                 \
    }

/* clang-format off */
BATCHES(S, TYPE_F32)
BATCHES(D, TYPE_F64)
/* clang-format on */
