/*
 * Which kernel computes a GEMM: by types, by where A and B lie, and of tiles
 * the largest of which every SM gets one.
 */
#include "cuda/blas/gemm.h"

#include <stdio.h>
#include <string.h>

enum {
    BATCHES = 65535, /* of a grid */
    TENSOR_CAPABILITY = 80
};

struct tile {
    int m, n, threads;
};

/* Kernels of a type: gemm_NAME_nt_64x64; tiles from the largest on. */
struct family {
    enum loom_blas_module module;
    const char *name;
    struct tile tile[4]; /* until one without rows */
};

static const struct family f32 = {
    MODULE_F32, "f32", {{128, 128, 256}, {64, 64, 256}, {32, 32, 64}}};
static const struct family f64 = {
    MODULE_F64, "f64", {{64, 64, 256}, {32, 32, 64}}};
static const struct family i8 = {MODULE_LANES16, "i8", {{64, 64, 256}}};
static const struct family lanes_f16 = {
    MODULE_LANES16, "lanes_f16", {{64, 64, 256}}};
static const struct family lanes_bf16 = {
    MODULE_LANES16, "lanes_bf16", {{64, 64, 256}}};
static const struct family tensor_f16 = {
    MODULE_F16, "f16", {{128, 128, 128}, {64, 64, 128}}};
static const struct family tensor_bf16 = {
    MODULE_BF16, "bf16", {{128, 128, 128}, {64, 64, 128}}};

static const struct family *family_of(const struct loom_blas_request *r)
{
    bool tensor = r->capability >= TENSOR_CAPABILITY;

    switch (r->type_a) {
    case TYPE_F32:
        return &f32;
    case TYPE_F64:
        return &f64;
    case TYPE_I8:
        return &i8;
    case TYPE_F16:
        return tensor ? &tensor_f16 : &lanes_f16;
    default:
        return tensor ? &tensor_bf16 : &lanes_bf16;
    }
}

int loom_blas_scale_type(int compute)
{
    switch (compute) {
    case COMPUTE_F16:
    case COMPUTE_F16_PEDANTIC:
        return TYPE_F16;
    case COMPUTE_F64:
    case COMPUTE_F64_PEDANTIC:
        return TYPE_F64;
    case COMPUTE_I32:
    case COMPUTE_I32_PEDANTIC:
        return TYPE_I32;
    case COMPUTE_F32:
    case COMPUTE_F32_PEDANTIC:
    case COMPUTE_F32_FAST_F16:
    case COMPUTE_F32_FAST_BF16:
    case COMPUTE_F32_FAST_TF32:
    case COMPUTE_F32_EMULATED:
        return TYPE_F32;
    default:
        return -1;
    }
}

/* A and B of one type, and what C and D may be then. */
static bool types_fit(const struct loom_blas_request *r)
{
    int scale = loom_blas_scale_type(r->compute), d = r->g.type_d;

    if (r->type_a != r->type_b) {
        return false;
    }
    switch (r->type_a) {
    case TYPE_F32:
        return d == TYPE_F32 && scale == TYPE_F32;
    case TYPE_F64:
        return d == TYPE_F64 && scale == TYPE_F64;
    case TYPE_I8:
        return d == TYPE_I32 && scale == TYPE_I32;
    case TYPE_F16:
        return (scale == TYPE_F32 && (d == TYPE_F16 || d == TYPE_F32)) ||
               (scale == TYPE_F16 && d == TYPE_F16);
    case TYPE_BF16:
        return scale == TYPE_F32 && (d == TYPE_BF16 || d == TYPE_F32);
    default:
        return false;
    }
}

int loom_blas_gemm_check(struct loom_blas_request *r)
{
    const struct loom_blas_gemm *g = &r->g;
    int rows_a = r->op_a == OP_N ? g->m : g->k;
    int rows_b = r->op_b == OP_N ? g->k : g->n;

    if (g->m < 0 || g->n < 0 || g->k < 0 || r->batch < 0 || r->op_a < OP_N ||
        r->op_a > OP_C || r->op_b < OP_N || r->op_b > OP_C || g->lda < 1 ||
        g->lda < rows_a || g->ldb < 1 || g->ldb < rows_b || g->ldc < 1 ||
        g->ldc < g->m || g->ldd < 1 || g->ldd < g->m) {
        return BLAS_INVALID_VALUE;
    }
    if (!types_fit(r)) {
        char why[160];

        snprintf(why, sizeof(why),
                 "types A %d, B %d, C %d (cudaDataType) with compute type %d "
                 "(cublasComputeType_t) are no combination of ours",
                 r->type_a, r->type_b, g->type_d, r->compute);
        return loom_blas_refuse_as(r->function, why);
    }
    return BLAS_OK;
}

/* A number of two bytes. */
static float from_f16(uint16_t bits)
{
    uint32_t sign = (uint32_t)(bits & 0x8000) << 16, e = bits >> 10 & 31;
    uint32_t fraction = bits & 1023, whole;
    float x;

    if (e == 0) { /* fraction * 2^-24 */
        x = (float)fraction / 16777216.0f;
        return sign != 0 ? -x : x;
    }
    whole = e == 31 ? 0x7f800000 : (e + 112) << 23;
    whole |= sign | fraction << 13;
    memcpy(&x, &whole, sizeof(x));
    return x;
}

static union loom_blas_scalar scalar(const void *at, int type)
{
    union loom_blas_scalar s = {.f64 = 0};
    uint16_t half;

    switch (type) {
    case TYPE_F16:
        memcpy(&half, at, sizeof(half));
        s.f32 = from_f16(half);
        break;
    case TYPE_F64:
        memcpy(&s.f64, at, sizeof(s.f64));
        break;
    default:
        memcpy(&s, at, sizeof(s.f32)); /* of the same size as i32 */
    }
    return s;
}

static bool is_zero(union loom_blas_scalar s, int type)
{
    return type == TYPE_F64   ? s.f64 == 0
           : type == TYPE_I32 ? s.i32 == 0
                              : s.f32 == 0;
}

/* What has the factor 0 is not read, whatever there is. */
static int fill_scalars(struct loom_blas_request *r)
{
    struct loom_blas_gemm *g = &r->g;

    if (r->alpha == NULL || r->beta == NULL) {
        return BLAS_INVALID_VALUE;
    }
    g->type_scale = loom_blas_scale_type(r->compute);
    if (r->scalars_on_device) {
        g->alpha_at = r->alpha;
        g->beta_at = r->beta;
        return BLAS_OK;
    }
    g->alpha_at = g->beta_at = NULL;
    g->alpha = scalar(r->alpha, g->type_scale);
    g->beta = scalar(r->beta, g->type_scale);
    if (is_zero(g->alpha, g->type_scale)) {
        g->k = 0;
    }
    return BLAS_OK;
}

static int64_t pieces(int size, int tile)
{
    return ((int64_t)size + tile - 1) / tile;
}

static void name_of(const struct loom_blas_request *r,
                    const struct family *family, const struct tile *tile,
                    char (*name)[48])
{
    snprintf(*name, sizeof(*name), "gemm_%s_%c%c_%dx%d", family->name,
             r->op_a == OP_N ? 'n' : 't', r->op_b == OP_N ? 'n' : 't', tile->m,
             tile->n);
}

/* The first that gives work to every SM and is not mostly beyond the edge;
 * else the last. */
static const struct tile *choose(const struct loom_blas_request *r,
                                 const struct family *family, char (*name)[48])
{
    const struct tile *tile = family->tile, *last = tile;

    for (; tile < family->tile + LOOM_COUNTOF(family->tile) && tile->m > 0;
         tile++) {
        int64_t ctas =
            pieces(r->g.m, tile->m) * pieces(r->g.n, tile->n) * r->batch;

        last = tile;
        name_of(r, family, tile, name);
        if (ctas >= r->sms && r->g.m > tile->m / 2 && r->g.n > tile->n / 2 &&
            loom_blas_fits(family->module, *name, tile->threads)) {
            return tile;
        }
    }
    return last;
}

/* Chunks of 16 bytes, if all columns are as far apart as that; kernels look
 * at addresses. */
static int alignment(const struct loom_blas_gemm *g)
{
    return (g->lda % 8 == 0 ? GEMM_ALIGNED_A : 0) |
           (g->ldb % 8 == 0 ? GEMM_ALIGNED_B : 0);
}

static int64_t bytes_of(int type)
{
    switch (type) {
    case TYPE_F64:
        return 8;
    case TYPE_F32:
    case TYPE_I32:
        return 4;
    case TYPE_I8:
        return 1;
    default:
        return 2;
    }
}

static const void *skip(const void *at, int64_t bytes)
{
    return at == NULL ? NULL : (const char *)at + bytes;
}

/* Those that another launch has. */
static void skip_batches(struct loom_blas_gemm *g, int64_t count, int type_a)
{
    int64_t in = bytes_of(type_a) * count;
    int64_t out = bytes_of(g->type_d) * count;
    int64_t address = (int64_t)sizeof(void *) * count;
    bool list = (g->flags & GEMM_POINTERS) != 0;

    g->a = skip(g->a, list ? address : g->stride_a * in);
    g->b = skip(g->b, list ? address : g->stride_b * in);
    g->c = skip(g->c, list ? address : g->stride_c * out);
    g->d = (void *)(uintptr_t)skip(g->d, list ? address : g->stride_d * out);
    g->bias = skip(g->bias, g->stride_bias * bytes_of(g->type_bias) * count);
    g->aux = (void *)(uintptr_t)skip(g->aux, g->stride_aux *
                                                 bytes_of(g->type_aux) * count);
}

int loom_blas_gemm(struct loom_blas_request *r)
{
    const struct family *family;
    const struct tile *tile;
    char name[48];
    int status = loom_blas_gemm_check(r);

    if (status != BLAS_OK || r->g.m == 0 || r->g.n == 0 || r->batch == 0) {
        return status;
    }
    status = fill_scalars(r);
    if (status != BLAS_OK) {
        return status;
    }
    family = family_of(r);
    tile = choose(r, family, &name);
    r->g.flags |= alignment(&r->g);
    for (int first = 0; first < r->batch && status == BLAS_OK;
         first += BATCHES) {
        struct loom_blas_gemm g = r->g;
        int count = r->batch - first < BATCHES ? r->batch - first : BATCHES;

        skip_batches(&g, first, r->type_a);
        status = loom_blas_launch((struct loom_blas_launch){
            .module = family->module,
            .kernel = name,
            .grid = {(uint32_t)pieces(g.m, tile->m),
                     (uint32_t)pieces(g.n, tile->n), (uint32_t)count},
            .block = {(uint32_t)tile->threads, 1, 1},
            .stream = r->stream,
            .args = (void *[]){&g}});
    }
    return status;
}
