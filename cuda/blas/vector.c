/*
 * Vectors: cublas?axpy() and its like.  Results of sums are left by blocks in
 * the handle's scratch memory, and added up by a launch of one block.
 */
#include <string.h>

#include "cuda/blas/blas.h"

enum {
    THREADS = 256,
    ELEMENTWISE_BLOCKS = 4096
};

/* A vector, as the program gave it. */
struct vector {
    const void *at;
    int64_t apart;
};

static int64_t distance(int64_t apart)
{
    return apart < 0 ? -apart : apart;
}

/* Where the first element is: of a negative increment, the last in memory. */
static const void *first_of(struct vector v, int64_t n, size_t bytes)
{
    return v.apart >= 0 || v.at == NULL
               ? v.at
               : (const char *)v.at +
                     (n - 1) * distance(v.apart) * (int64_t)bytes;
}

static int launch(const struct loom_blas *handle, const char *kernel,
                  int64_t blocks, void **args)
{
    return loom_blas_launch(
        (struct loom_blas_launch){.module = MODULE_VECTOR,
                                  .kernel = kernel,
                                  .grid = {(uint32_t)blocks, 1, 1},
                                  .block = {THREADS, 1, 1},
                                  .stream = handle->stream,
                                  .args = args});
}

static int64_t blocks_for(int64_t n, int64_t most)
{
    int64_t blocks = (n + THREADS - 1) / THREADS;

    return blocks < most ? blocks : most;
}

struct scalar {
    const void *at;
    size_t bytes;
};

/* y += alpha x, x *= alpha, copies and exchanges of elements of some bytes;
 * without a scalar its `bytes` are 0, without y its address is NULL. */
struct elementwise {
    const char *kernel;
    size_t bytes;
    int64_t n;
    struct scalar alpha;
    struct vector x, y;
};

static int elements(struct loom_blas *handle, struct elementwise e)
{
    const void *from = first_of(e.x, e.n, e.bytes);
    const void *to = first_of(e.y, e.n, e.bytes);
    const void *on_device = NULL;
    uint64_t unused = 0;
    void *args[7];
    int i = 0;

    if (!loom_blas_is_there(handle)) {
        return BLAS_NOT_INITIALIZED;
    }
    if (e.alpha.bytes > 0 && e.alpha.at == NULL) {
        return BLAS_INVALID_VALUE;
    }
    if (e.n <= 0 || (to == NULL && e.x.apart <= 0)) {
        return BLAS_OK;
    }
    args[i++] = &e.n;
    if (e.alpha.bytes > 0) {
        on_device = handle->pointers_on_device ? e.alpha.at : NULL;
        args[i++] = &on_device;
        args[i++] =
            on_device != NULL ? (void *)&unused : (void *)(uintptr_t)e.alpha.at;
    }
    args[i++] = &from;
    args[i++] = &e.x.apart;
    if (to != NULL) {
        args[i++] = &to;
        args[i++] = &e.y.apart;
    }
    return launch(handle, e.kernel, blocks_for(e.n, ELEMENTWISE_BLOCKS), args);
}

/* A sum of `bytes`, by a kernel of many blocks and one of one. */
struct reduction {
    const char *kernel, *last;
    size_t bytes, result_bytes;
    int64_t n;
    struct vector x, y; /* without y its address is NULL */
    void *result;
};

/* The result of no elements is 0. */
static int give_nothing(const struct loom_blas *handle,
                        const struct reduction *r)
{
    uint64_t zero = 0;

    return handle->pointers_on_device
               ? loom_blas_status(
                     cudaMemcpyAsync(r->result, &zero, r->result_bytes,
                                     CUDA_HOST_TO_DEVICE, handle->stream))
               : (memcpy(r->result, &zero, r->result_bytes), BLAS_OK);
}

static int reduce(struct loom_blas *handle, struct reduction r)
{
    const void *x = first_of(r.x, r.n, r.bytes);
    const void *y = first_of(r.y, r.n, r.bytes);
    int64_t blocks = blocks_for(r.n, BLAS_BLOCKS);
    void *part, *to;
    int status, i = 0;
    void *args[6];

    if (!loom_blas_is_there(handle)) {
        return BLAS_NOT_INITIALIZED;
    }
    if (r.result == NULL) {
        return BLAS_INVALID_VALUE;
    }
    if (r.n <= 0 || (y == NULL && r.x.apart <= 0)) {
        return give_nothing(handle, &r);
    }
    part = handle->scratch;
    to = handle->pointers_on_device ? r.result
                                    : handle->scratch + BLAS_SCRATCH / 2;
    args[i++] = &r.n;
    args[i++] = &x;
    args[i++] = &r.x.apart;
    if (y != NULL) {
        args[i++] = &y;
        args[i++] = &r.y.apart;
    }
    args[i++] = &part;
    status = launch(handle, r.kernel, blocks, args);
    if (status == BLAS_OK) {
        status = launch(handle, r.last, 1, (void *[]){&blocks, &part, &to});
    }
    if (status == BLAS_OK && !handle->pointers_on_device) {
        int error = cudaMemcpyAsync(r.result, to, r.result_bytes,
                                    CUDA_DEVICE_TO_HOST, handle->stream);

        status = loom_blas_status(
            error != CUDA_OK ? error : cudaStreamSynchronize(handle->stream));
    }
    return status;
}

LOOM_CUDA(int, cublasSaxpy_v2, struct loom_blas *handle, int n,
          const float *alpha, const float *x, int incx, float *y, int incy)
{
    return elements(handle,
                    (struct elementwise){
                        "axpy_f32", 4, n, {alpha, 4}, {x, incx}, {y, incy}});
}

LOOM_CUDA(int, cublasSscal_v2, struct loom_blas *handle, int n,
          const float *alpha, float *x, int incx)
{
    return elements(handle,
                    (struct elementwise){
                        "scal_f32", 4, n, {alpha, 4}, {x, incx}, {NULL, 0}});
}

LOOM_CUDA(int, cublasScopy_v2, struct loom_blas *handle, int n, const float *x,
          int incx, float *y, int incy)
{
    return elements(handle,
                    (struct elementwise){
                        "copy_f32", 4, n, {NULL, 0}, {x, incx}, {y, incy}});
}

LOOM_CUDA(int, cublasSswap_v2, struct loom_blas *handle, int n, float *x,
          int incx, float *y, int incy)
{
    return elements(handle,
                    (struct elementwise){
                        "swap_f32", 4, n, {NULL, 0}, {x, incx}, {y, incy}});
}

LOOM_CUDA(int, cublasSdot_v2, struct loom_blas *handle, int n, const float *x,
          int incx, const float *y, int incy, float *result)
{
    return reduce(
        handle,
        (struct reduction){
            "dot_f32", "total_f32", 4, 4, n, {x, incx}, {y, incy}, result});
}

LOOM_CUDA(int, cublasSasum_v2, struct loom_blas *handle, int n, const float *x,
          int incx, float *result)
{
    return reduce(
        handle,
        (struct reduction){
            "asum_f32", "total_f32", 4, 4, n, {x, incx}, {NULL, 0}, result});
}

LOOM_CUDA(int, cublasSnrm2_v2, struct loom_blas *handle, int n, const float *x,
          int incx, float *result)
{
    return reduce(
        handle,
        (struct reduction){
            "squares_f32", "root_f32", 4, 4, n, {x, incx}, {NULL, 0}, result});
}

LOOM_CUDA(int, cublasIsamax_v2, struct loom_blas *handle, int n, const float *x,
          int incx, int *result)
{
    return reduce(handle, (struct reduction){"iamax_f32",
                                             "iamax_of_f32",
                                             4,
                                             sizeof(int),
                                             n,
                                             {x, incx},
                                             {NULL, 0},
                                             result});
}

LOOM_CUDA(int, cublasIsamin_v2, struct loom_blas *handle, int n, const float *x,
          int incx, int *result)
{
    return reduce(handle, (struct reduction){"iamin_f32",
                                             "iamin_of_f32",
                                             4,
                                             sizeof(int),
                                             n,
                                             {x, incx},
                                             {NULL, 0},
                                             result});
}

LOOM_CUDA(int, cublasDaxpy_v2, struct loom_blas *handle, int n,
          const double *alpha, const double *x, int incx, double *y, int incy)
{
    return elements(handle,
                    (struct elementwise){
                        "axpy_f64", 8, n, {alpha, 8}, {x, incx}, {y, incy}});
}

LOOM_CUDA(int, cublasDscal_v2, struct loom_blas *handle, int n,
          const double *alpha, double *x, int incx)
{
    return elements(handle,
                    (struct elementwise){
                        "scal_f64", 8, n, {alpha, 8}, {x, incx}, {NULL, 0}});
}

LOOM_CUDA(int, cublasDcopy_v2, struct loom_blas *handle, int n, const double *x,
          int incx, double *y, int incy)
{
    return elements(handle,
                    (struct elementwise){
                        "copy_f64", 8, n, {NULL, 0}, {x, incx}, {y, incy}});
}

LOOM_CUDA(int, cublasDswap_v2, struct loom_blas *handle, int n, double *x,
          int incx, double *y, int incy)
{
    return elements(handle,
                    (struct elementwise){
                        "swap_f64", 8, n, {NULL, 0}, {x, incx}, {y, incy}});
}

LOOM_CUDA(int, cublasDdot_v2, struct loom_blas *handle, int n, const double *x,
          int incx, const double *y, int incy, double *result)
{
    return reduce(
        handle,
        (struct reduction){
            "dot_f64", "total_f64", 8, 8, n, {x, incx}, {y, incy}, result});
}

LOOM_CUDA(int, cublasDasum_v2, struct loom_blas *handle, int n, const double *x,
          int incx, double *result)
{
    return reduce(
        handle,
        (struct reduction){
            "asum_f64", "total_f64", 8, 8, n, {x, incx}, {NULL, 0}, result});
}

LOOM_CUDA(int, cublasDnrm2_v2, struct loom_blas *handle, int n, const double *x,
          int incx, double *result)
{
    return reduce(
        handle,
        (struct reduction){
            "squares_f64", "root_f64", 8, 8, n, {x, incx}, {NULL, 0}, result});
}

LOOM_CUDA(int, cublasIdamax_v2, struct loom_blas *handle, int n,
          const double *x, int incx, int *result)
{
    return reduce(handle, (struct reduction){"iamax_f64",
                                             "iamax_of_f64",
                                             8,
                                             sizeof(int),
                                             n,
                                             {x, incx},
                                             {NULL, 0},
                                             result});
}

LOOM_CUDA(int, cublasIdamin_v2, struct loom_blas *handle, int n,
          const double *x, int incx, int *result)
{
    return reduce(handle, (struct reduction){"iamin_f64",
                                             "iamin_of_f64",
                                             8,
                                             sizeof(int),
                                             n,
                                             {x, incx},
                                             {NULL, 0},
                                             result});
}

/* ---- sizes of 64 bits ---- */

#define LONG(L, bytes, t)                                                      \
    LOOM_CUDA(int, cublas##L##axpy_v2_64, struct loom_blas *handle, int64_t n, \
              const void *alpha, const void *x, int64_t incx, void *y,         \
              int64_t incy)                                                    \
    {                                                                          \
        return elements(                                                       \
            handle,                                                            \
            (struct elementwise){                                              \
                "axpy_" t, bytes, n, {alpha, bytes}, {x, incx}, {y, incy}});   \
    }                                                                          \
    LOOM_CUDA(int, cublas##L##scal_v2_64, struct loom_blas *handle, int64_t n, \
              const void *alpha, void *x, int64_t incx)                        \
    {                                                                          \
        return elements(                                                       \
            handle,                                                            \
            (struct elementwise){                                              \
                "scal_" t, bytes, n, {alpha, bytes}, {x, incx}, {NULL, 0}});   \
    }                                                                          \
    LOOM_CUDA(int, cublas##L##copy_v2_64, struct loom_blas *handle, int64_t n, \
              const void *x, int64_t incx, void *y, int64_t incy)              \
    {                                                                          \
        return elements(                                                       \
            handle,                                                            \
            (struct elementwise){                                              \
                "copy_" t, bytes, n, {NULL, 0}, {x, incx}, {y, incy}});        \
    }                                                                          \
    LOOM_CUDA(int, cublas##L##swap_v2_64, struct loom_blas *handle, int64_t n, \
              void *x, int64_t incx, void *y, int64_t incy)                    \
    {                                                                          \
        return elements(                                                       \
            handle,                                                            \
            (struct elementwise){                                              \
                "swap_" t, bytes, n, {NULL, 0}, {x, incx}, {y, incy}});        \
    }                                                                          \
    LOOM_CUDA(int, cublas##L##dot_v2_64, struct loom_blas *handle, int64_t n,  \
              const void *x, int64_t incx, const void *y, int64_t incy,        \
              void *result)                                                    \
    {                                                                          \
        return reduce(handle, (struct reduction){"dot_" t,                     \
                                                 "total_" t,                   \
                                                 bytes,                        \
                                                 bytes,                        \
                                                 n,                            \
                                                 {x, incx},                    \
                                                 {y, incy},                    \
                                                 result});                     \
    }                                                                          \
    LOOM_CUDA(int, cublas##L##asum_v2_64, struct loom_blas *handle, int64_t n, \
              const void *x, int64_t incx, void *result)                       \
    {                                                                          \
        return reduce(handle, (struct reduction){"asum_" t,                    \
                                                 "total_" t,                   \
                                                 bytes,                        \
                                                 bytes,                        \
                                                 n,                            \
                                                 {x, incx},                    \
                                                 {NULL, 0},                    \
                                                 result});                     \
    }                                                                          \
    LOOM_CUDA(int, cublas##L##nrm2_v2_64, struct loom_blas *handle, int64_t n, \
              const void *x, int64_t incx, void *result)                       \
    {                                                                          \
        return reduce(handle, (struct reduction){"squares_" t,                 \
                                                 "root_" t,                    \
                                                 bytes,                        \
                                                 bytes,                        \
                                                 n,                            \
                                                 {x, incx},                    \
                                                 {NULL, 0},                    \
                                                 result});                     \
    }

/* clang-format off */
LONG(S, 4, "f32")
LONG(D, 8, "f64")
/* clang-format on */

/* ---- types as arguments ---- */

/* What the kernels are of: elements of a type, scalars and sums of another. */
struct numbers {
    int type, scalar;
    size_t bytes, scalar_bytes;
    const char *axpy, *scal, *dot, *total, *squares, *root;
};

static const struct numbers *numbers_of(int type)
{
    static const struct numbers all[] = {
        {TYPE_F32, TYPE_F32, 4, 4, "axpy_f32", "scal_f32", "dot_f32",
         "total_f32", "squares_f32", "root_f32"},
        {TYPE_F64, TYPE_F64, 8, 8, "axpy_f64", "scal_f64", "dot_f64",
         "total_f64", "squares_f64", "root_f64"},
        {TYPE_F16, TYPE_F32, 2, 4, "axpy_f16", "scal_f16", "dot_f16",
         "total_f16", "squares_f16", "root_f16"},
        {TYPE_BF16, TYPE_F32, 2, 4, "axpy_bf16", "scal_bf16", "dot_bf16",
         "total_bf16", "squares_bf16", "root_bf16"},
    };

    for (size_t i = 0; i < LOOM_COUNTOF(all); i++) {
        if (all[i].type == type) {
            return &all[i];
        }
    }
    return NULL;
}

#define TYPES_WHY                                                              \
    "elements are f32, f64, f16 or bf16, and x, y and the result the same; "   \
    "scalars and sums of the narrow ones are f32"

LOOM_CUDA(int, cublasAxpyEx, struct loom_blas *handle, int n, const void *alpha,
          int alpha_type, const void *x, int type, int incx, void *y,
          int y_type, int incy, int executed)
{
    const struct numbers *of = numbers_of(type);

    if (of == NULL || y_type != type || alpha_type != of->scalar ||
        executed != of->scalar) {
        BLAS_REFUSE(TYPES_WHY);
    }
    return elements(handle, (struct elementwise){of->axpy,
                                                 of->bytes,
                                                 n,
                                                 {alpha, of->scalar_bytes},
                                                 {x, incx},
                                                 {y, incy}});
}

LOOM_CUDA(int, cublasScalEx, struct loom_blas *handle, int n, const void *alpha,
          int alpha_type, void *x, int type, int incx, int executed)
{
    const struct numbers *of = numbers_of(type);

    if (of == NULL || alpha_type != of->scalar || executed != of->scalar) {
        BLAS_REFUSE(TYPES_WHY);
    }
    return elements(handle, (struct elementwise){of->scal,
                                                 of->bytes,
                                                 n,
                                                 {alpha, of->scalar_bytes},
                                                 {x, incx},
                                                 {NULL, 0}});
}

LOOM_CUDA(int, cublasDotEx, struct loom_blas *handle, int n, const void *x,
          int type, int incx, const void *y, int y_type, int incy, void *result,
          int result_type, int executed)
{
    const struct numbers *of = numbers_of(type);

    if (of == NULL || y_type != type || result_type != type ||
        executed != of->scalar) {
        BLAS_REFUSE(TYPES_WHY);
    }
    return reduce(handle, (struct reduction){of->dot,
                                             of->total,
                                             of->bytes,
                                             of->bytes,
                                             n,
                                             {x, incx},
                                             {y, incy},
                                             result});
}

/* Of real numbers the same. */
LOOM_CUDA(int, cublasDotcEx, struct loom_blas *handle, int n, const void *x,
          int type, int incx, const void *y, int y_type, int incy, void *result,
          int result_type, int executed)
{
    return cublasDotEx(handle, n, x, type, incx, y, y_type, incy, result,
                       result_type, executed);
}

LOOM_CUDA(int, cublasNrm2Ex, struct loom_blas *handle, int n, const void *x,
          int type, int incx, void *result, int result_type, int executed)
{
    const struct numbers *of = numbers_of(type);

    if (of == NULL || result_type != type || executed != of->scalar) {
        BLAS_REFUSE(TYPES_WHY);
    }
    return reduce(handle, (struct reduction){of->squares,
                                             of->root,
                                             of->bytes,
                                             of->bytes,
                                             n,
                                             {x, incx},
                                             {NULL, 0},
                                             result});
}
