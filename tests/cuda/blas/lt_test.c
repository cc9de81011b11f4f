/*
 * cublasLt against sums of doubles: epilogues, batches, layouts by rows; what
 * is asked without being done; what is refused.  usage: lt_test CASE
 */
#include "tests/cuda/blas/blas.h"

/* cublasLt.h */
enum {
    ORDER = 1,
    BATCH_COUNT = 5,
    BATCH_STRIDE = 6
};
enum {
    POINTER_MODE = 2,
    TRANS_A = 3,
    TRANS_B = 4,
    EPILOGUE = 7,
    BIAS = 8,
    BIAS_STRIDE = 10
};
enum {
    AUX = 11,
    AUX_LD = 12,
    AUX_STRIDE = 13,
    A_SCALE = 17,
    BIAS_TYPE = 26
};
enum {
    E_DEFAULT = 1,
    E_RELU = 2,
    E_BIAS = 4,
    E_RELU_BIAS = 6,
    E_GELU = 32,
    E_GELU_BIAS = 36,
    E_GELU_AUX = 160,
    E_GELU_AUX_BIAS = 164,
    E_DGELU = 192,
    E_DGELU_BGRAD = 208,
    E_BGRADA = 256,
    E_BGRADB = 512,
    E_RELU_AUX = 130
};

struct heuristic {
    uint64_t algorithm[8];
    size_t workspace;
    int status;
    float waves;
    int reserved[4];
};

int cublasLtCreate(void **h);
int cublasLtDestroy(void *h);
int cublasLtMatmulDescCreate(void **d, int compute, int scale_type);
int cublasLtMatmulDescDestroy(void *d);
int cublasLtMatmulDescSetAttribute(void *d, int what, const void *from,
                                   size_t bytes);
int cublasLtMatmulDescGetAttribute(void *d, int what, void *to, size_t bytes,
                                   size_t *written);
int cublasLtMatrixLayoutCreate(void **l, int type, uint64_t rows,
                               uint64_t columns, int64_t ld);
int cublasLtMatrixLayoutDestroy(void *l);
int cublasLtMatrixLayoutSetAttribute(void *l, int what, const void *from,
                                     size_t bytes);
int cublasLtMatmulPreferenceCreate(void **p);
int cublasLtMatmulPreferenceDestroy(void *p);
int cublasLtMatmulPreferenceSetAttribute(void *p, int what, const void *from,
                                         size_t bytes);
int cublasLtMatmulAlgoGetHeuristic(void *h, void *d, void *a, void *b, void *c,
                                   void *e, void *preference, int wanted,
                                   struct heuristic *result, int *count);
int cublasLtMatmul(void *h, void *d, const void *alpha, const void *a, void *la,
                   const void *b, void *lb, const void *beta, const void *c,
                   void *lc, void *e, void *le, const void *algorithm,
                   void *workspace, size_t bytes, void *stream);

/* op(A) is M x K, op(B) K x COLUMNS, each batch after the other. */
enum {
    M = 72,
    COLUMNS = 40,
    K = 56,
    BATCHES = 3,
    BIASES = M + COLUMNS
};

struct matmul {
    int ta, tb, type, epilogue, by_rows, mode;
    double beta;
};

static void *lt;

static void set(void *descriptor, int what, int value)
{
    OK(cublasLtMatmulDescSetAttribute(descriptor, what, &value, 4));
}

static void *layout(const struct matmul *m, int rows, int columns)
{
    void *l;
    int batches = BATCHES, by_rows = m->by_rows;
    int64_t stride = rows * columns;

    OK(cublasLtMatrixLayoutCreate(&l, m->type, (uint64_t)rows,
                                  (uint64_t)columns,
                                  m->by_rows ? columns : rows));
    OK(cublasLtMatrixLayoutSetAttribute(l, ORDER, &by_rows, 4));
    OK(cublasLtMatrixLayoutSetAttribute(l, BATCH_COUNT, &batches, 4));
    OK(cublasLtMatrixLayoutSetAttribute(l, BATCH_STRIDE, &stride, 8));
    return l;
}

/* Element (i, j) of a matrix of a batch. */
static double at(const struct matmul *m, const struct array *x, int batch,
                 const int shape[2], const int place[2])
{
    int i = m->by_rows ? place[0] * shape[1] + place[1]
                       : place[0] + place[1] * shape[0];

    return x->value[batch * shape[0] * shape[1] + i];
}

static double gelu(double x)
{
    return 0.5 * x *
           (1 + tanh(sqrt(2 / acos(-1)) * (x + 0.044715 * x * x * x)));
}

static double slope(double x)
{
    return (gelu(x + 1e-4) - gelu(x - 1e-4)) / 2e-4;
}

struct data {
    struct array a, b, c, d, bias, aux;
};

static double op_at(const struct matmul *m, const struct array *x, int batch,
                    int op, const int place[2])
{
    bool is_a = x->count == (size_t)(BATCHES * M * K);
    int shape[2] = {is_a ? M : K, is_a ? K : COLUMNS};
    int stored[2] = {op == N ? shape[0] : shape[1],
                     op == N ? shape[1] : shape[0]};
    int from[2] = {op == N ? place[0] : place[1],
                   op == N ? place[1] : place[0]};

    return at(m, x, batch, stored, from);
}

/* What D is; *before: ahead of the activation. */
static double want(const struct matmul *m, const struct data *x, int batch,
                   const int place[2], double *before)
{
    static const int shape[2] = {M, COLUMNS};
    int e = m->epilogue;
    double sum = 0;

    for (int k = 0; k < K; k++) {
        sum += op_at(m, &x->a, batch, m->ta, (int[2]){place[0], k}) *
               op_at(m, &x->b, batch, m->tb, (int[2]){k, place[1]});
    }
    sum = 0.125 * sum + m->beta * at(m, &x->c, batch, shape, place);
    if (e & E_BIAS) {
        sum += x->bias.value[batch * BIASES + place[0]];
    }
    *before = sum;
    if ((e & E_DGELU) == E_DGELU) {
        return sum * slope(at(m, &x->aux, batch, shape, place));
    }
    return e & E_RELU ? fmax(sum, 0) : e & E_GELU ? gelu(sum) : sum;
}

static void same(const struct matmul *m, double x, double y, const char *what)
{
    if (!(fabs(x - y) <= tolerance(m->type, y) * 2)) {
        printf("%s: epilogue %d, %c%c, type %d, rows %d: %g, not %g\n", what,
               m->epilogue, "nt"[m->ta], "nt"[m->tb], m -> type, m -> by_rows,
               x, y);
        exit(1);
    }
}

/* Gradients of biases. */
static void compare_gradient(const struct matmul *m, const struct data *x,
                             int batch)
{
    static const int shape[2] = {M, COLUMNS};
    int e = m->epilogue, n = e & E_BGRADB ? COLUMNS : M;

    for (int i = 0; i < n; i++) {
        double sum = 0;

        for (int j = 0; j < (e & (E_BGRADA | E_BGRADB) ? K : COLUMNS); j++) {
            sum += e & E_BGRADA ? op_at(m, &x->a, batch, m->ta, (int[2]){i, j})
                   : e & E_BGRADB
                       ? op_at(m, &x->b, batch, m->tb, (int[2]){j, i})
                       : at(m, &x->d, batch, shape, (int[2]){i, j});
        }
        same(m, x->bias.value[batch * BIASES + i], sum, "gradient");
    }
}

static void compare(const struct matmul *m, struct data *x)
{
    static const int shape[2] = {M, COLUMNS};
    bool writes_aux = (m->epilogue & E_GELU_AUX) == E_GELU_AUX;

    array_read(&x->d);
    array_read(&x->aux);
    array_read(&x->bias);
    for (int i = 0; i < BATCHES * M * COLUMNS; i++) {
        int batch = i / (M * COLUMNS);
        int place[2] = {i % M, i / M % COLUMNS};
        double before, y = want(m, x, batch, place, &before);

        same(m, at(m, &x->d, batch, shape, place), y, "D");
        if (writes_aux) {
            same(m, at(m, &x->aux, batch, shape, place), before, "aux");
        }
    }
    for (int batch = 0; batch < BATCHES; batch++) {
        if (m->epilogue & (16 | E_BGRADA | E_BGRADB)) {
            compare_gradient(m, x, batch);
        }
    }
}

static void describe(const struct matmul *m, void *d, const struct data *x)
{
    int64_t ld = m->by_rows ? COLUMNS : M, stride = M * COLUMNS;
    int64_t biases = BIASES;

    set(d, TRANS_A, m->ta);
    set(d, TRANS_B, m->tb);
    set(d, EPILOGUE, m->epilogue);
    set(d, POINTER_MODE, m->mode);
    set(d, BIAS_TYPE, m->type);
    OK(cublasLtMatmulDescSetAttribute(d, BIAS, &x->bias.device, 8));
    OK(cublasLtMatmulDescSetAttribute(d, BIAS_STRIDE, &biases, 8));
    OK(cublasLtMatmulDescSetAttribute(d, AUX, &x->aux.device, 8));
    OK(cublasLtMatmulDescSetAttribute(d, AUX_LD, &ld, 8));
    OK(cublasLtMatmulDescSetAttribute(d, AUX_STRIDE, &stride, 8));
}

static void run(const struct matmul *m, const struct data *x)
{
    int rows_a = m->ta == N ? M : K, rows_b = m->tb == N ? K : COLUMNS;
    void *la = layout(m, rows_a, M + K - rows_a);
    void *lb = layout(m, rows_b, K + COLUMNS - rows_b);
    void *lc = layout(m, M, COLUMNS), *d, *preference;
    size_t workspace = 1 << 20;
    struct heuristic found;
    int count = 0;

    OK(cublasLtMatmulDescCreate(&d, C32F, F32));
    describe(m, d, x);
    OK(cublasLtMatmulPreferenceCreate(&preference));
    OK(cublasLtMatmulPreferenceSetAttribute(preference, 1, &workspace, 8));
    OK(cublasLtMatmulAlgoGetHeuristic(lt, d, la, lb, lc, lc, preference, 1,
                                      &found, &count));
    HOLDS(count == 1 && found.status == 0);
    OK(cublasLtMatmul(lt, d, scalar(F32, 0.125, m->mode), x->a.device, la,
                      x->b.device, lb, scalar(F32, m->beta, m->mode),
                      x->c.device, lc, x->d.device, lc, &found.algorithm, NULL,
                      0, NULL));
    OK(cublasLtMatmulPreferenceDestroy(preference));
    OK(cublasLtMatmulDescDestroy(d));
    OK(cublasLtMatrixLayoutDestroy(la));
    OK(cublasLtMatrixLayoutDestroy(lb));
    OK(cublasLtMatrixLayoutDestroy(lc));
}

static void check(struct matmul m)
{
    struct data x = {.a = array_new(m.type, BATCHES * M * K),
                     .b = array_new(m.type, BATCHES * K * COLUMNS),
                     .c = array_new(m.type, BATCHES * M * COLUMNS),
                     .d = array_of(m.type, BATCHES * M * COLUMNS, NAN),
                     .bias = array_new(m.type, BATCHES * BIASES),
                     .aux = array_new(m.type, BATCHES * M * COLUMNS)};

    run(&m, &x);
    compare(&m, &x);
    array_free(&x.a), array_free(&x.b), array_free(&x.c), array_free(&x.d);
    array_free(&x.bias), array_free(&x.aux);
}

static void case_epilogues(int type)
{
    static const int epilogue[] = {E_DEFAULT,   E_RELU,   E_BIAS,
                                   E_RELU_BIAS, E_GELU,   E_GELU_BIAS,
                                   E_GELU_AUX,  E_DGELU,  E_GELU_AUX_BIAS,
                                   E_BGRADA,    E_BGRADB, E_DGELU_BGRAD};

    for (int i = 0; i < 12; i++) {
        for (int by_rows = 0; by_rows < 2; by_rows++) {
            check((struct matmul){.ta = i & 1,
                                  .tb = i >> 1 & 1,
                                  .type = type,
                                  .epilogue = epilogue[i],
                                  .by_rows = by_rows,
                                  .mode = by_rows ? DEVICE : HOST,
                                  .beta = i % 3 == 0 ? 0 : 0.5});
        }
    }
    check((struct matmul){T, N, type, E_DEFAULT, 0, HOST, 1});
    check((struct matmul){N, T, type, E_GELU_AUX_BIAS, 0, HOST, 0});
}

/* What is refused says so, and nothing is done. */
static void case_refused(void)
{
    struct matmul m = {N, N, F32, E_RELU_AUX, 0, HOST, 0};
    void *l = layout(&m, M, M), *other = layout(&m, K, M), *d;
    struct array x = array_new(F32, BATCHES * M * M);
    const void *one = scalar(F32, 1, HOST);
    size_t written;
    int back;

    OK(cublasLtMatmulDescCreate(&d, C32F, F32));
    OK(cublasLtMatmulDescGetAttribute(d, EPILOGUE, &back, 4, &written));
    HOLDS(back == E_DEFAULT && written == 4);
    HOLDS(cublasLtMatmulDescSetAttribute(d, A_SCALE, &one, 8) == NOT_SUPPORTED);
    HOLDS(cublasLtMatmulDescSetAttribute(d, EPILOGUE, &back, 1) ==
          INVALID_VALUE);
    HOLDS(cublasLtMatmul(lt, d, one, x.device, l, x.device, other, one,
                         x.device, l, x.device, l, NULL, NULL, 0,
                         NULL) == INVALID_VALUE);
    set(d, EPILOGUE, E_RELU_AUX);
    HOLDS(cublasLtMatmul(lt, d, one, x.device, l, x.device, l, one, x.device, l,
                         x.device, l, NULL, NULL, 0, NULL) == NOT_SUPPORTED);
    HOLDS(cublasLtMatmul(NULL, d, one, x.device, l, x.device, l, one, x.device,
                         l, x.device, l, NULL, NULL, 0,
                         NULL) == NOT_INITIALIZED);
    OK(cublasLtMatmulDescDestroy(d));
    OK(cublasLtMatrixLayoutDestroy(l));
    OK(cublasLtMatrixLayoutDestroy(other));
    array_free(&x);
}

int main(int argc, char **argv)
{
    HOLDS(argc == 2);
    OK(cublasLtCreate(&lt));
    if (strcmp(argv[1], "refused") == 0) {
        case_refused();
    } else {
        case_epilogues(strcmp(argv[1], "bf16") == 0  ? BF16
                       : strcmp(argv[1], "f16") == 0 ? F16
                                                     : F32);
    }
    OK(cublasLtDestroy(lt));
    OK(cudaGetLastError());
    printf("lt %s passed\n", argv[1]);
    return 0;
}
