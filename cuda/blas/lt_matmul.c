/*
 * cublasLtMatmul(): a GEMM whose kernels end with an epilogue, and sums of rows
 * for gradients of biases.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cuda/blas/gemm.h"
#include "cuda/blas/lt.h"

/* What a program gives. */
struct matmul {
    const char *function;
    const struct loom_lt_operation *operation;
    const struct loom_lt_layout *a, *b, *c, *d;
};

/* A matrix that is stored by rows is the transposed one by columns. */
static int op_of(int op, const struct loom_lt_layout *layout)
{
    bool turned = (op != OP_N) != (layout->order == LT_ROWS);

    return turned ? OP_T : OP_N;
}

static int size_of(uint64_t n)
{
    return n > INT_MAX ? -1 : (int)n;
}

/* Why it cannot be done; NULL: it can. */
static const char *refusal(const struct matmul *m)
{
    const struct loom_lt_operation *o = m->operation;
    const struct loom_lt_layout *layout[] = {m->a, m->b, m->c, m->d};
    int e = o->epilogue & ~LT_EPILOGUE_DEFAULT;

    for (size_t i = 0; i < LOOM_COUNTOF(layout); i++) {
        if (layout[i]->order != LT_COLUMNS && layout[i]->order != LT_ROWS) {
            return "a layout's order is neither column nor row";
        }
    }
    if (m->c->order != m->d->order || m->c->type != m->d->type) {
        return "C and D have another type or order";
    }
    if (o->pointers != LT_POINTERS_HOST && o->pointers != LT_POINTERS_DEVICE) {
        return "alpha is a vector";
    }
    if (o->op_c != OP_N || o->fill < 2) {
        return "C is transposed, or a half of D is wanted";
    }
    if ((e & LT_DRELU) || (e & (LT_RELU | LT_AUX)) == (LT_RELU | LT_AUX)) {
        return "masks of bits of RELU";
    }
    if (o->scale_type != loom_blas_scale_type(o->compute)) {
        return "a scale type that is not the compute type's";
    }
    return NULL;
}

static bool fits_types(const struct matmul *m)
{
    int e = m->operation->epilogue & ~LT_EPILOGUE_DEFAULT;

    return e == 0 || m->d->type == TYPE_F32 || m->d->type == TYPE_F16 ||
           m->d->type == TYPE_BF16;
}

/* The sizes agree. */
static bool fits_shapes(const struct matmul *m)
{
    const struct loom_lt_operation *o = m->operation;
    uint64_t rows = o->op_a == OP_N ? m->a->rows : m->a->columns;
    uint64_t depth = o->op_a == OP_N ? m->a->columns : m->a->rows;
    uint64_t depth_b = o->op_b == OP_N ? m->b->rows : m->b->columns;
    uint64_t columns = o->op_b == OP_N ? m->b->columns : m->b->rows;

    return rows == m->d->rows && columns == m->d->columns && depth == depth_b &&
           m->c->rows == rows && m->c->columns == columns && rows <= INT_MAX &&
           columns <= INT_MAX && depth <= INT_MAX && m->a->ld <= INT_MAX &&
           m->b->ld <= INT_MAX && m->c->ld <= INT_MAX && m->d->ld <= INT_MAX &&
           m->a->ld > 0 && m->b->ld > 0 && m->c->ld > 0 && m->d->ld > 0;
}

static int type_or(int type, int otherwise)
{
    return type == LT_NO_TYPE ? otherwise : type;
}

static void fill_epilogue(const struct matmul *m, struct loom_blas_gemm *g)
{
    const struct loom_lt_operation *o = m->operation;
    int e = o->epilogue;

    g->finish = e & LT_RELU    ? FINISH_RELU
                : e & LT_GELU  ? FINISH_GELU
                : e & LT_DGELU ? FINISH_BACKWARD_GELU
                               : 0;
    if (e & LT_BIAS) {
        g->finish |= FINISH_BIAS;
        g->bias = o->bias;
        g->stride_bias = o->bias_stride;
    }
    if (e & LT_AUX) {
        g->finish |= e & LT_DGELU ? 0 : FINISH_AUX;
        g->aux = o->aux;
        g->stride_aux = o->aux_stride;
        g->ldaux = (int32_t)o->aux_ld;
    }
    g->type_bias = type_or(o->bias_type, m->d->type);
    g->type_aux = type_or(o->aux_type, m->d->type);
}

/* D by columns; or by rows, which is D transposed = op(B)' op(A)'. */
static struct loom_blas_request request_of(const struct matmul *m)
{
    const struct loom_lt_operation *o = m->operation;
    bool by_rows = m->d->order == LT_ROWS;
    const struct loom_lt_layout *a = by_rows ? m->b : m->a;
    const struct loom_lt_layout *b = by_rows ? m->a : m->b;
    int op_a = op_of(by_rows ? o->op_b : o->op_a, a);
    int op_b = op_of(by_rows ? o->op_a : o->op_b, b);
    uint64_t depth = o->op_a == OP_N ? m->a->columns : m->a->rows;
    struct loom_blas_request r = {.function = m->function,
                                  .op_a = by_rows ? OP_T - op_a : op_a,
                                  .op_b = by_rows ? OP_T - op_b : op_b,
                                  .type_a = a->type,
                                  .type_b = b->type,
                                  .compute = o->compute,
                                  .batch = m->d->batch};

    r.scalars_on_device = o->pointers == LT_POINTERS_DEVICE;
    r.g = (struct loom_blas_gemm){
        .stride_a = a->stride,
        .stride_b = b->stride,
        .stride_c = m->c->stride,
        .stride_d = m->d->stride,
        .m = size_of(by_rows ? m->d->columns : m->d->rows),
        .n = size_of(by_rows ? m->d->rows : m->d->columns),
        .k = size_of(depth),
        .lda = (int32_t)a->ld,
        .ldb = (int32_t)b->ld,
        .ldc = (int32_t)m->c->ld,
        .ldd = (int32_t)m->d->ld,
        .type_d = m->d->type};
    fill_epilogue(m, &r.g);
    if (by_rows && (r.g.finish & FINISH_BIAS)) {
        r.g.finish |= FINISH_BIAS_BY_COLUMN;
    }
    return r;
}

/* What the program asks for, as a request without addresses; a status. */
static int prepare(const struct matmul *m, struct loom_blas_request *r)
{
    const char *why;

    if (m->operation == NULL || m->a == NULL || m->b == NULL || m->c == NULL ||
        m->d == NULL || !fits_shapes(m)) {
        return BLAS_INVALID_VALUE;
    }
    why = refusal(m);
    if (why == NULL && !fits_types(m)) {
        why = "an epilogue with that type of D";
    }
    if (why != NULL) {
        return loom_blas_refuse_as(m->function, why);
    }
    *r = request_of(m);
    return loom_blas_gemm_check(r);
}

/* The sums over `n` of x, `count` of them, a batch each. */
struct rows {
    void *to;
    const void *x;
    int type_to, type, count, n, batch;
    int64_t one, other, stride_to, stride;
};

static int sum_rows(struct rows s, void *stream)
{
    return loom_blas_launch((struct loom_blas_launch){
        .module = MODULE_ROWS,
        .kernel = "sum_rows",
        .grid = {(uint32_t)s.count, (uint32_t)s.batch, 1},
        .block = {256, 1, 1},
        .stream = stream,
        .args = (void *[]){&s.to, &s.type_to, &s.x, &s.type, &s.n, &s.one,
                           &s.other, &s.stride_to, &s.stride}});
}

/* Gradients of biases: sums of op(A)'s rows, op(B)'s columns or D's rows. */
static int gradient(const struct matmul *m, const void *a, const void *b,
                    const void *d, void *stream)
{
    const struct loom_lt_operation *o = m->operation;
    int e = o->epilogue;
    const struct loom_lt_layout *l = e & LT_BGRADA   ? m->a
                                     : e & LT_BGRADB ? m->b
                                                     : m->d;
    /* Is the result one for each row of what is stored? */
    bool by_row = e & LT_BGRADA   ? o->op_a == OP_N
                  : e & LT_BGRADB ? o->op_b != OP_N
                                  : true;
    int64_t row = l->order == LT_ROWS ? l->ld : 1;
    int64_t column = l->order == LT_ROWS ? 1 : l->ld;

    if (o->bias == NULL) {
        return BLAS_INVALID_VALUE;
    }
    return sum_rows(
        (struct rows){.to = (void *)(uintptr_t)o->bias,
                      .x = e & LT_BGRADA   ? a
                           : e & LT_BGRADB ? b
                                           : d,
                      .type_to = type_or(o->bias_type, m->d->type),
                      .type = l->type,
                      .count = size_of(by_row ? l->rows : l->columns),
                      .n = size_of(by_row ? l->columns : l->rows),
                      .batch = m->d->batch,
                      .one = by_row ? row : column,
                      .other = by_row ? column : row,
                      .stride_to = o->bias_stride,
                      .stride = l->stride},
        stream);
}

LOOM_CUDA(int, cublasLtMatmul, struct loom_blas *handle,
          const struct loom_lt_operation *operation, const void *alpha,
          const void *a, const struct loom_lt_layout *layout_a, const void *b,
          const struct loom_lt_layout *layout_b, const void *beta,
          const void *c, const struct loom_lt_layout *layout_c, void *d,
          const struct loom_lt_layout *layout_d, const void *algorithm,
          void *workspace, size_t workspace_bytes, void *stream)
{
    struct matmul m = {__func__, operation, layout_a,
                       layout_b, layout_c,  layout_d};
    struct loom_blas_request r;
    int status;

    (void)algorithm, (void)workspace, (void)workspace_bytes;
    if (!loom_blas_is_there(handle)) {
        return BLAS_NOT_INITIALIZED;
    }
    status = prepare(&m, &r);
    if (status != BLAS_OK) {
        return status;
    }
    r.g.a = layout_d->order == LT_ROWS ? b : a;
    r.g.b = layout_d->order == LT_ROWS ? a : b;
    r.g.c = c;
    r.g.d = d;
    r.alpha = alpha;
    r.beta = beta;
    r.stream = stream;
    r.sms = handle->sms;
    r.capability = handle->capability;
    if (((r.g.finish & FINISH_BIAS) && r.g.bias == NULL) ||
        ((operation->epilogue & LT_AUX) &&
         (r.g.aux == NULL || r.g.ldaux < r.g.m))) {
        return BLAS_INVALID_VALUE;
    }
    status = loom_blas_gemm(&r);
    if (status == BLAS_OK &&
        (operation->epilogue & (LT_BGRAD | LT_BGRADA | LT_BGRADB))) {
        status = gradient(&m, a, b, d, stream);
    }
    return status;
}

/* There is one algorithm, which needs no workspace. */
static int heuristic(const struct matmul *m, struct loom_lt_heuristic *result)
{
    struct loom_blas_request r;
    int status = prepare(m, &r);

    memset(result, 0, sizeof(*result));
    result->status = status;
    result->waves = 1;
    return status;
}

LOOM_CUDA(int, cublasLtMatmulAlgoGetHeuristic, struct loom_blas *handle,
          const struct loom_lt_operation *operation,
          const struct loom_lt_layout *a, const struct loom_lt_layout *b,
          const struct loom_lt_layout *c, const struct loom_lt_layout *d,
          const void *preference, int wanted, struct loom_lt_heuristic *results,
          int *count)
{
    struct matmul m = {__func__, operation, a, b, c, d};
    int status;

    if (!loom_blas_is_there(handle)) {
        return BLAS_NOT_INITIALIZED;
    }
    if (preference == NULL || results == NULL || count == NULL || wanted < 1) {
        return BLAS_INVALID_VALUE;
    }
    status = heuristic(&m, results);
    *count = status == BLAS_OK ? 1 : 0;
    return status;
}

LOOM_CUDA(int, cublasLtMatmulAlgoCheck, struct loom_blas *handle,
          const struct loom_lt_operation *operation,
          const struct loom_lt_layout *a, const struct loom_lt_layout *b,
          const struct loom_lt_layout *c, const struct loom_lt_layout *d,
          const struct loom_lt_algorithm *algorithm,
          struct loom_lt_heuristic *result)
{
    struct matmul m = {__func__, operation, a, b, c, d};

    if (!loom_blas_is_there(handle)) {
        return BLAS_NOT_INITIALIZED;
    }
    if (algorithm == NULL || result == NULL) {
        return BLAS_INVALID_VALUE;
    }
    return heuristic(&m, result);
}

LOOM_CUDA(int, cublasLtMatmulAlgoGetIds, struct loom_blas *handle, int compute,
          int scale_type, int type_a, int type_b, int type_c, int type_d,
          int wanted, int *id, int *count)
{
    (void)compute, (void)scale_type, (void)type_a, (void)type_b;
    (void)type_c, (void)type_d;
    if (!loom_blas_is_there(handle)) {
        return BLAS_NOT_INITIALIZED;
    }
    if (id == NULL || count == NULL || wanted < 1) {
        return BLAS_INVALID_VALUE;
    }
    id[0] = 0;
    *count = 1;
    return BLAS_OK;
}

LOOM_CUDA(int, cublasLtMatmulAlgoInit, struct loom_blas *handle, int compute,
          int scale_type, int type_a, int type_b, int type_c, int type_d,
          int id, struct loom_lt_algorithm *algorithm)
{
    (void)compute, (void)scale_type, (void)type_a, (void)type_b;
    (void)type_c, (void)type_d;
    if (!loom_blas_is_there(handle)) {
        return BLAS_NOT_INITIALIZED;
    }
    if (algorithm == NULL || id != 0) {
        return BLAS_INVALID_VALUE;
    }
    memset(algorithm, 0, sizeof(*algorithm));
    return BLAS_OK;
}
