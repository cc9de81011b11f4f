/*
 * Handles and what they hold, versions, statuses, and what is not supported.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/blas/blas.h"

enum {
    ATTRIBUTE_SMS = 16
};

static const uint64_t handle_magic = 0x73616c62756d6f6f;

bool loom_blas_is_there(const struct loom_blas *handle)
{
    return handle != NULL && handle->magic == handle_magic;
}

int loom_blas_refuse_as(const char *function, const char *why)
{
    char text[400];

    snprintf(text, sizeof(text),
             "the program calls %s, which is not supported: %s; it gets "
             "CUBLAS_STATUS_NOT_SUPPORTED (docs/cuda-libraries.md lists what "
             "is)",
             function, why);
    loom_cuda_complain(text);
    return BLAS_NOT_SUPPORTED;
}

int loom_blas_refuse(atomic_bool *told, const char *function, const char *why)
{
    return atomic_exchange(told, true) ? BLAS_NOT_SUPPORTED
                                       : loom_blas_refuse_as(function, why);
}

int loom_blas_create(struct loom_blas **handle)
{
    struct loom_blas *h;
    int error;

    if (handle == NULL) {
        return BLAS_INVALID_VALUE;
    }
    *handle = NULL;
    h = calloc(1, sizeof(*h));
    if (h == NULL) {
        return BLAS_ALLOC_FAILED;
    }
    h->magic = handle_magic;
    h->atomics = 0;
    error = cudaDeviceGetAttribute(&h->sms, ATTRIBUTE_SMS, 0);
    if (error == CUDA_OK) {
        error = loom_cuda_capability(&h->capability);
    }
    if (error == CUDA_OK) {
        error = cudaMalloc((void **)&h->scratch, BLAS_SCRATCH);
    }
    if (error != CUDA_OK) {
        free(h);
        return error == CUDA_OUT_OF_MEMORY ? BLAS_ALLOC_FAILED
                                           : BLAS_NOT_INITIALIZED;
    }
    *handle = h;
    return BLAS_OK;
}

int loom_blas_destroy(struct loom_blas *handle)
{
    if (!loom_blas_is_there(handle)) {
        return BLAS_NOT_INITIALIZED;
    }
    cudaFree(handle->scratch);
    memset(handle, 0, sizeof(*handle));
    free(handle);
    return BLAS_OK;
}

LOOM_CUDA(int, cublasCreate_v2, struct loom_blas **handle)
{
    return loom_blas_create(handle);
}

LOOM_CUDA(int, cublasDestroy_v2, struct loom_blas *handle)
{
    return loom_blas_destroy(handle);
}

/* cublasSet*() and cublasGet*() of a field. */
#define FIELD(set, get, type, field)                                           \
    LOOM_CUDA(int, set, struct loom_blas *handle, type value)                  \
    {                                                                          \
        if (!loom_blas_is_there(handle)) {                                     \
            return BLAS_NOT_INITIALIZED;                                       \
        }                                                                      \
        handle->field = value;                                                 \
        return BLAS_OK;                                                        \
    }                                                                          \
    LOOM_CUDA(int, get, struct loom_blas *handle, type *value)                 \
    {                                                                          \
        if (!loom_blas_is_there(handle)) {                                     \
            return BLAS_NOT_INITIALIZED;                                       \
        }                                                                      \
        if (value == NULL) {                                                   \
            return BLAS_INVALID_VALUE;                                         \
        }                                                                      \
        *value = handle->field;                                                \
        return BLAS_OK;                                                        \
    }

/* clang-format off */
FIELD(cublasSetStream_v2, cublasGetStream_v2, void *, stream)
FIELD(cublasSetPointerMode_v2, cublasGetPointerMode_v2, int,
      pointers_on_device)
FIELD(cublasSetAtomicsMode, cublasGetAtomicsMode, int, atomics)
FIELD(cublasSetMathMode, cublasGetMathMode, int, math)
FIELD(cublasSetSmCountTarget, cublasGetSmCountTarget, int, sms_target)
/* clang-format on */

/* No kernel needs any. */
LOOM_CUDA(int, cublasSetWorkspace_v2, struct loom_blas *handle, void *at,
          size_t bytes)
{
    (void)at, (void)bytes;
    return loom_blas_is_there(handle) ? BLAS_OK : BLAS_NOT_INITIALIZED;
}

/* That of the program's CUDA, without a release. */
static int version(void)
{
    int major = loom_cuda_version();

    return major >= 12 ? major * 10000 : major * 1000;
}

LOOM_CUDA(int, cublasGetVersion_v2, struct loom_blas *handle, int *value)
{
    (void)handle; /* NULL is allowed */
    if (value == NULL) {
        return BLAS_INVALID_VALUE;
    }
    *value = version();
    return BLAS_OK;
}

LOOM_CUDA(size_t, cublasGetCudartVersion, void)
{
    return (size_t)loom_cuda_version() * 1000;
}

LOOM_CUDA(size_t, cublasLtGetVersion, void)
{
    return (size_t)version();
}

LOOM_CUDA(size_t, cublasLtGetCudartVersion, void)
{
    return (size_t)loom_cuda_version() * 1000;
}

/* Major, minor, patch. */
LOOM_CUDA(int, cublasGetProperty, int which, int *value)
{
    if (value == NULL || which < 0 || which > 2) {
        return BLAS_INVALID_VALUE;
    }
    *value = which == 0 ? loom_cuda_version() : 0;
    return BLAS_OK;
}

LOOM_CUDA(int, cublasLtGetProperty, int which, int *value)
{
    return cublasGetProperty(which, value);
}

static const struct {
    int status;
    const char *name, *text;
} statuses[] = {
    {BLAS_OK, "CUBLAS_STATUS_SUCCESS", "the operation completed"},
    {BLAS_NOT_INITIALIZED, "CUBLAS_STATUS_NOT_INITIALIZED",
     "there is no such handle"},
    {BLAS_ALLOC_FAILED, "CUBLAS_STATUS_ALLOC_FAILED", "out of memory"},
    {BLAS_INVALID_VALUE, "CUBLAS_STATUS_INVALID_VALUE",
     "an argument has no valid value"},
    {BLAS_ARCH_MISMATCH, "CUBLAS_STATUS_ARCH_MISMATCH",
     "the device lacks what it needs"},
    {BLAS_MAPPING_ERROR, "CUBLAS_STATUS_MAPPING_ERROR", "a copy failed"},
    {BLAS_EXECUTION_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED",
     "a kernel failed"},
    {BLAS_INTERNAL_ERROR, "CUBLAS_STATUS_INTERNAL_ERROR", "an error within"},
    {BLAS_NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED", "it is not supported"},
    {BLAS_LICENSE_ERROR, "CUBLAS_STATUS_LICENSE_ERROR", "no licence"},
};

LOOM_CUDA(const char *, cublasGetStatusName, int status)
{
    for (size_t i = 0; i < LOOM_COUNTOF(statuses); i++) {
        if (statuses[i].status == status) {
            return statuses[i].name;
        }
    }
    return "unknown status";
}

LOOM_CUDA(const char *, cublasGetStatusString, int status)
{
    for (size_t i = 0; i < LOOM_COUNTOF(statuses); i++) {
        if (statuses[i].status == status) {
            return statuses[i].text;
        }
    }
    return "unknown status";
}

LOOM_CUDA(const char *, cublasLtGetStatusName, int status)
{
    return cublasGetStatusName(status);
}

LOOM_CUDA(const char *, cublasLtGetStatusString, int status)
{
    return cublasGetStatusString(status);
}

LOOM_CUDA(void, cublasXerbla, const char *name, int number)
{
    char text[120];

    snprintf(text, sizeof(text), "cublas: argument %d of %.60s is wrong",
             number, name);
    loom_cuda_complain(text);
}

/* What is done is in the run's results. */
LOOM_CUDA(int, cublasLoggerConfigure, int on, int to_stdout, int to_stderr,
          const char *file)
{
    (void)on, (void)to_stdout, (void)to_stderr, (void)file;
    return BLAS_OK;
}
