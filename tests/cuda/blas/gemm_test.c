/*
 * GEMMs of every kind against sums of doubles.  usage: gemm_test CASE
 */
#include "tests/cuda/blas/blas.h"

/* One comparison: op(A) is m x k, op(B) k x n.  `pad`: how much larger leading
 * dimensions are. */
struct gemm {
    int ta, tb, m, n, k, pad, batch;
    int type_ab, type_c, compute;
    double alpha, beta;
    int mode; /* of scalars */
    enum {
        STRIDED,
        POINTERS
    } how;
};

struct operand {
    struct array data;
    int ld;
    size_t stride;
    void *list; /* addresses on the device */
};

static handle blas;

static int scale_type(int compute)
{
    return compute == C16F   ? F16
           : compute == C64F ? F64
           : compute == C32I ? I32
                             : F32;
}

/* Its last column has no padding, so that reading beyond it is noticed by
 * whoever looks for it. */
static struct operand operand_new(const struct gemm *g, int type, int rows,
                                  int columns, bool is_nan)
{
    struct operand o = {.ld = (rows > 0 ? rows : 1) + g->pad};
    size_t count;
    void *list[64];

    HOLDS(g->batch <= 64);
    o.stride = (size_t)o.ld * (size_t)columns + (size_t)g->pad;
    count = o.stride * (size_t)g->batch;
    o.data = is_nan ? array_of(type, count, NAN) : array_new(type, count);
    array_read(&o.data); /* an integer is never NaN */
    for (int i = 0; i < g->batch; i++) {
        list[i] = (char *)o.data.device + o.stride * (size_t)i * bytes_of(type);
    }
    OK(cudaMalloc(&o.list, sizeof(list)));
    OK(cudaMemcpy(o.list, list, sizeof(list), CUDA_HOST_TO_DEVICE));
    return o;
}

static void operand_free(struct operand *o)
{
    array_free(&o->data);
    OK(cudaFree(o->list));
}

static double element(const struct operand *o, int batch, int row, int column)
{
    return o->data.value[o->stride * (size_t)batch + (size_t)row +
                         (size_t)column * (size_t)o->ld];
}

static double want(const struct gemm *g, const struct operand *a,
                   const struct operand *b, const struct operand *c,
                   const int at[3])
{
    int batch = at[0], i = at[1], j = at[2];
    double sum = 0;

    for (int k = 0; k < g->k; k++) {
        sum +=
            (g->ta == N ? element(a, batch, i, k) : element(a, batch, k, i)) *
            (g->tb == N ? element(b, batch, k, j) : element(b, batch, j, k));
    }
    sum *= g->alpha;
    return g->beta == 0 ? sum : sum + g->beta * element(c, batch, i, j);
}

static int call(const struct gemm *g, const struct operand *a,
                const struct operand *b, const struct operand *c)
{
    int type = scale_type(g->compute);
    const void *alpha = scalar(type, g->alpha, g->mode);
    const void *beta = scalar(type, g->beta, g->mode);

    OK(cublasSetPointerMode_v2(blas, g->mode));
    if (g->how == POINTERS) {
        return cublasGemmBatchedEx(blas, g->ta, g->tb, g->m, g->n, g->k, alpha,
                                   a->list, g->type_ab, a->ld, b->list,
                                   g->type_ab, b->ld, beta, c->list, g->type_c,
                                   c->ld, g->batch, g->compute, -1);
    }
    if (g->batch > 1) {
        return cublasGemmStridedBatchedEx(
            blas, g->ta, g->tb, g->m, g->n, g->k, alpha, a->data.device,
            g->type_ab, a->ld, (long long)a->stride, b->data.device, g->type_ab,
            b->ld, (long long)b->stride, beta, c->data.device, g->type_c, c->ld,
            (long long)c->stride, g->batch, g->compute, -1);
    }
    return cublasGemmEx(blas, g->ta, g->tb, g->m, g->n, g->k, alpha,
                        a->data.device, g->type_ab, a->ld, b->data.device,
                        g->type_ab, b->ld, beta, c->data.device, g->type_c,
                        c->ld, g->compute, -1);
}

static void compare(const struct gemm *g, const struct operand *a,
                    const struct operand *b, const struct operand *c,
                    const struct operand *d)
{
    for (size_t i = 0; i < d->data.count; i++) {
        size_t in = i % d->stride;
        int at[3] = {(int)(i / d->stride), (int)(in % (size_t)d->ld),
                     (int)(in / (size_t)d->ld)};
        double x = d->data.value[i];
        double y = c->data.value[i];

        if (at[1] < g->m && at[2] < g->n) {
            y = want(g, a, b, c, at);
        } else if (isnan(y) && isnan(x)) {
            continue; /* beyond the matrix nothing is written */
        }
        if (!(fabs(x - y) <= tolerance(g->type_c, y))) {
            printf("%c%c %dx%dx%d pad %d types %d %d: batch %d (%d, %d) is %g, "
                   "not %g\n",
                   "ntc"[g->ta], "ntc"[g->tb], g -> m, g -> n, g -> k, g -> pad,
                   g -> type_ab, g -> type_c, at[0], at[1], at[2], x, y);
            exit(1);
        }
    }
}

/* With beta = 0 C is NaN before, which must not be seen. */
static void check(struct gemm g)
{
    struct operand a = operand_new(&g, g.type_ab, g.ta == N ? g.m : g.k,
                                   g.ta == N ? g.k : g.m, false);
    struct operand b = operand_new(&g, g.type_ab, g.tb == N ? g.k : g.n,
                                   g.tb == N ? g.n : g.k, false);
    struct operand c = operand_new(&g, g.type_c, g.m, g.n, g.beta == 0), d;

    d = c;
    d.data.value = malloc((c.data.count + 1) * sizeof(double));
    HOLDS(d.data.value != NULL);
    OK(call(&g, &a, &b, &c));
    array_read(&d.data);
    compare(&g, &a, &b, &c, &d);
    free(d.data.value);
    operand_free(&a);
    operand_free(&b);
    operand_free(&c);
}

/* All ways in which A and B may lie, of shapes that fill no tile, some tiles
 * and more than one of each size. */
static void all_shapes(struct gemm g)
{
    static const int shape[][4] = {
        {1, 1, 1, 0},     {5, 3, 7, 2},     {33, 17, 9, 0}, {64, 64, 32, 0},
        {70, 130, 40, 8}, {129, 65, 33, 3}, {8, 48, 64, 0}, {130, 129, 72, 8}};

    for (size_t i = 0; i < sizeof(shape) / sizeof(shape[0]); i++) {
        for (int t = 0; t < 4; t++) {
            g.ta = t / 2 == 0 ? N : i % 2 == 0 ? T : C;
            g.tb = t % 2 == 0 ? N : i % 2 == 0 ? C : T;
            g.m = shape[i][0];
            g.n = shape[i][1];
            g.k = shape[i][2];
            g.pad = shape[i][3];
            g.beta = (i + (size_t)t) % 3 == 0 ? 0 : g.beta;
            g.mode = i % 2 == 0 ? HOST : DEVICE;
            check(g);
        }
    }
}

/* Many batches, so that every SM has work with the larger tiles. */
static void batches(struct gemm g)
{
    g.m = 130, g.n = 70, g.k = 24, g.pad = 8, g.batch = 60;
    g.ta = T, g.tb = N;
    g.how = STRIDED;
    check(g);
    g.how = POINTERS;
    g.pad = 3;
    check(g);
    g.ta = N, g.tb = T, g.beta = 0, g.m = 40;
    check(g);
    g.k = 0; /* C = beta C */
    check(g);
    g.beta = 2;
    check(g);
}

static void kinds(const char *which)
{
    static const struct {
        const char *name;
        int ab, c, compute;
        double alpha, beta;
    } kind[] = {
        {"f32", F32, F32, C32F, 1.5, -0.5},
        {"f32", F32, F32, C32F_FAST_TF32, 1, 0},
        {"f64", F64, F64, C64F, 1.25, 2},
        {"f16", F16, F16, C32F, 0.5, 0.25},
        {"f16", F16, F32, C32F, 1, 1},
        {"f16", F16, F16, C16F, 0.5, -1},
        {"bf16", BF16, BF16, C32F, 0.5, 0.25},
        {"bf16", BF16, F32, C32F, 1, 1},
        {"i8", I8, I32, C32I, 3, -2},
    };
    int done = 0;

    for (size_t i = 0; i < sizeof(kind) / sizeof(kind[0]); i++) {
        struct gemm g = {.batch = 1,
                         .type_ab = kind[i].ab,
                         .type_c = kind[i].c,
                         .compute = kind[i].compute,
                         .alpha = kind[i].alpha,
                         .beta = kind[i].beta};

        if (strcmp(kind[i].name, which) == 0) {
            all_shapes(g);
            batches(g);
            done++;
        }
    }
    HOLDS(done > 0);
}

/* Functions with types in their names have their arguments in the same order;
 * those of B and C are other matrices than A's. */
static void names(void)
{
    struct array a = array_new(F32, 12), b = array_new(F32, 20);
    struct array c = array_of(F32, 30, 0), d = array_of(F64, 30, 0);
    struct array e = array_new(F64, 12), f = array_new(F64, 20);
    struct array p = array_new(F16, 12), q = array_new(F16, 20);
    struct array r = array_of(F16, 30, 0);
    float one = 1, none = 0;
    double two = 2, zero = 0;

    /* (3 x 2) (2 x 5), twice. */
    OK(cublasSgemmStridedBatched(blas, N, N, 3, 5, 2, &one, a.device, 3, 6,
                                 b.device, 2, 10, &none, c.device, 3, 15, 2));
    array_read(&c);
    OK(cublasDgemmStridedBatched(blas, N, N, 3, 5, 2, &two, e.device, 3, 6,
                                 f.device, 2, 10, &zero, d.device, 3, 15, 2));
    array_read(&d);
    OK(cublasHgemm(blas, N, N, 3, 5, 2, scalar(F16, 1, HOST), p.device, 3,
                   q.device, 2, scalar(F16, 0, HOST), r.device, 3));
    array_read(&r);
    for (int i = 0; i < 30; i++) {
        int z = i / 15, x = i % 15 % 3, y = i % 15 / 3;
        int at = z * 6 + x, from = z * 10 + y * 2;

        HOLDS(c.value[i] == a.value[at] * b.value[from] +
                                a.value[at + 3] * b.value[from + 1]);
        HOLDS(d.value[i] == 2 * (e.value[at] * f.value[from] +
                                 e.value[at + 3] * f.value[from + 1]));
        HOLDS(z == 1 || r.value[i] == p.value[at] * q.value[from] +
                                          p.value[at + 3] * q.value[from + 1]);
    }
    OK(cublasSgemm_v2(blas, T, N, 2, 5, 2, &one, a.device, 3, b.device, 2, &one,
                      c.device, 3));
    OK(cublasDgemm_v2(blas, N, T, 3, 2, 2, &two, e.device, 3, f.device, 2,
                      &zero, d.device, 3));
    array_read(&d);
    HOLDS(d.value[3] ==
          2 * (e.value[0] * f.value[1] + e.value[3] * f.value[3]));
    array_free(&a), array_free(&b), array_free(&c), array_free(&d);
    array_free(&e), array_free(&f), array_free(&p), array_free(&q);
    array_free(&r);
}

/* A stream of the program's: what is in it comes one after the other. */
static void streams(void)
{
    struct array a = array_new(F32, 64 * 64), b = array_of(F32, 64 * 64, 0);
    float one = 1, none = 0;
    void *stream, *same;

    OK(cudaStreamCreate(&stream));
    OK(cublasSetStream_v2(blas, stream));
    OK(cublasGetStream_v2(blas, &same));
    HOLDS(same == stream);
    OK(cublasSgemm_v2(blas, N, N, 64, 64, 64, &one, a.device, 64, a.device, 64,
                      &none, b.device, 64));
    OK(cublasSscal_v2(blas, 64 * 64, &one, b.device, 1));
    OK(cudaStreamSynchronize(stream));
    OK(cublasSetStream_v2(blas, NULL));
    OK(cudaStreamDestroy(stream));
    array_free(&a), array_free(&b);
}

int main(int argc, char **argv)
{
    HOLDS(argc == 2);
    OK(cublasCreate_v2(&blas));
    if (strcmp(argv[1], "names") == 0) {
        names();
        streams();
    } else {
        kinds(argv[1]);
    }
    OK(cublasDestroy_v2(blas));
    OK(cudaGetLastError());
    printf("gemm %s passed\n", argv[1]);
    return 0;
}
