/*
 * Rotations of two vectors: cublas?rot() and its like.
 */
#include "cuda/blas/blas.h"

struct vector {
    const void *at;
    int64_t apart;
};

struct rotation {
    const char *kernel;
    size_t bytes;
    int64_t n;
    struct vector x, y;
};

static const void *first_of(struct vector v, int64_t n, size_t bytes)
{
    return v.apart >= 0
               ? v.at
               : (const char *)v.at + (n - 1) * -v.apart * (int64_t)bytes;
}

/* Without blocks one thread. */
static int launch(const struct loom_blas *handle, const char *kernel,
                  uint32_t blocks, void **args)
{
    return loom_blas_launch(
        (struct loom_blas_launch){.module = MODULE_VECTOR,
                                  .kernel = kernel,
                                  .grid = {blocks == 0 ? 1 : blocks, 1, 1},
                                  .block = {blocks == 0 ? 1 : 256, 1, 1},
                                  .stream = handle->stream,
                                  .args = args});
}

static uint32_t blocks_for(int64_t n)
{
    return n > 1048576 ? 4096 : (uint32_t)(n + 255) / 256;
}

/* Scalars that are on the host go to the device's scratch memory. */
static int to_device(const struct loom_blas *handle, const void *from,
                     size_t bytes, const void **at)
{
    *at = handle->pointers_on_device ? from : handle->scratch;
    return handle->pointers_on_device
               ? BLAS_OK
               : loom_blas_status(cudaMemcpyAsync(handle->scratch, from, bytes,
                                                  CUDA_HOST_TO_DEVICE,
                                                  handle->stream));
}

static int rot(struct loom_blas *handle, struct rotation r, const void *c,
               const void *s)
{
    const void *x = first_of(r.x, r.n, r.bytes);
    const void *y = first_of(r.y, r.n, r.bytes);
    const void *c_at, *s_at;
    uint64_t unused = 0;

    if (!loom_blas_is_there(handle)) {
        return BLAS_NOT_INITIALIZED;
    }
    if (c == NULL || s == NULL) {
        return BLAS_INVALID_VALUE;
    }
    c_at = handle->pointers_on_device ? c : NULL;
    s_at = handle->pointers_on_device ? s : NULL;
    return r.n <= 0
               ? BLAS_OK
               : launch(handle, r.kernel, blocks_for(r.n),
                        (void *[]){&r.n, &x, &r.x.apart, &y, &r.y.apart, &c_at,
                                   c_at != NULL ? (void *)&unused
                                                : (void *)(uintptr_t)c,
                                   &s_at,
                                   s_at != NULL ? (void *)&unused
                                                : (void *)(uintptr_t)s});
}

/* `h` is a flag and four numbers. */
static int rotm(struct loom_blas *handle, struct rotation r, const void *h)
{
    const void *x = first_of(r.x, r.n, r.bytes);
    const void *y = first_of(r.y, r.n, r.bytes);
    const void *at;
    int status;

    if (!loom_blas_is_there(handle)) {
        return BLAS_NOT_INITIALIZED;
    }
    if (h == NULL) {
        return BLAS_INVALID_VALUE;
    }
    if (r.n <= 0) {
        return BLAS_OK;
    }
    status = to_device(handle, h, 5 * r.bytes, &at);
    return status != BLAS_OK
               ? status
               : launch(handle, r.kernel, blocks_for(r.n),
                        (void *[]){&r.n, &x, &r.x.apart, &y, &r.y.apart, &at});
}

/* Some numbers of the program's. */
struct numbers {
    const void *at;
    size_t count;
    bool stays; /* it is not written */
};

enum {
    MOST = 5
};

/* To one place or from it, by a copy each. */
static int gather(const struct loom_blas *handle, size_t bytes,
                  const struct numbers *all, bool back)
{
    char *at = handle->scratch;
    int error = CUDA_OK;

    for (int i = 0; i < MOST && all[i].count > 0 && error == CUDA_OK; i++) {
        size_t size = all[i].count * bytes;
        void *own = (void *)(uintptr_t)all[i].at;

        if (!back || !all[i].stays) {
            error = cudaMemcpyAsync(back ? own : at, back ? at : own, size,
                                    CUDA_DEFAULT, handle->stream);
        }
        at += size;
    }
    return error;
}

static int make(struct loom_blas *handle, const char *kernel, size_t bytes,
                const struct numbers *all)
{
    int status, error;

    if (!loom_blas_is_there(handle)) {
        return BLAS_NOT_INITIALIZED;
    }
    for (int i = 0; i < MOST && all[i].count > 0; i++) {
        if (all[i].at == NULL) {
            return BLAS_INVALID_VALUE;
        }
    }
    error = gather(handle, bytes, all, false);
    if (error != CUDA_OK) {
        return loom_blas_status(error);
    }
    status = launch(handle, kernel, 0, (void *[]){&handle->scratch});
    if (status != BLAS_OK) {
        return status;
    }
    error = gather(handle, bytes, all, true);
    if (error == CUDA_OK && !handle->pointers_on_device) {
        error = cudaStreamSynchronize(handle->stream);
    }
    return loom_blas_status(error);
}

#define OF_TYPE(L, bytes, t)                                                   \
    LOOM_CUDA(int, cublas##L##rot_v2, struct loom_blas *handle, int n,         \
              void *x, int incx, void *y, int incy, const void *c,             \
              const void *s)                                                   \
    {                                                                          \
        return rot(                                                            \
            handle,                                                            \
            (struct rotation){"rot_" t, bytes, n, {x, incx}, {y, incy}}, c,    \
            s);                                                                \
    }                                                                          \
    LOOM_CUDA(int, cublas##L##rotm_v2, struct loom_blas *handle, int n,        \
              void *x, int incx, void *y, int incy, const void *h)             \
    {                                                                          \
        return rotm(                                                           \
            handle,                                                            \
            (struct rotation){"rotm_" t, bytes, n, {x, incx}, {y, incy}}, h);  \
    }                                                                          \
    LOOM_CUDA(int, cublas##L##rotg_v2, struct loom_blas *handle, void *a,      \
              void *b, void *c, void *s)                                       \
    {                                                                          \
        return make(                                                           \
            handle, "rotg_" t, bytes,                                          \
            (struct numbers[MOST]){                                            \
                {a, 1, false}, {b, 1, false}, {c, 1, false}, {s, 1, false}});  \
    }                                                                          \
    LOOM_CUDA(int, cublas##L##rotmg_v2, struct loom_blas *handle, void *d1,    \
              void *d2, void *x1, const void *y1, void *h)                     \
    {                                                                          \
        return make(handle, "rotmg_" t, bytes,                                 \
                    (struct numbers[MOST]){{d1, 1, false},                     \
                                           {d2, 1, false},                     \
                                           {x1, 1, false},                     \
                                           {y1, 1, true},                      \
                                           {h, 5, false}});                    \
    }

/* clang-format off */
OF_TYPE(S, 4, "f32")
OF_TYPE(D, 8, "f64")
/* clang-format on */

LOOM_CUDA(int, cublasRotEx, struct loom_blas *handle, int n, void *x, int type,
          int incx, void *y, int y_type, int incy, const void *c, const void *s,
          int scalar_type, int executed)
{
    if ((type != TYPE_F32 && type != TYPE_F64) || y_type != type ||
        scalar_type != type || executed != type) {
        BLAS_REFUSE("elements and scalars are f32 or f64, all the same");
    }
    return type == TYPE_F32 ? cublasSrot_v2(handle, n, x, incx, y, incy, c, s)
                            : cublasDrot_v2(handle, n, x, incx, y, incy, c, s);
}
