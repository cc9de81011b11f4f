/*
 * A program of both APIs: kernels that nvcc has put into it, launched by the
 * driver; modules that it loads, launched by the runtime; one memory.
 */
#include "tests/cuda/driver_calls.h"
#include "tests/cuda/stubs.h"

static const char scale; /* a shadow: only its address matters */

static const struct stub_list kernels[] = {{&scale, "scale"}, {NULL, NULL}};
static const struct stub_list variables[] = {{NULL, NULL}};

int cudaGetFuncBySymbol(void **function, const void *stub);
int cudaGetKernel(void **kernel, const void *stub);
int cudaGetDriverEntryPointByVersion(const char *symbol, void **function,
                                     unsigned version, uint64_t flags,
                                     int *status);
int cudaLibraryLoadData(void **library, const void *data, const int *option,
                        void **value, unsigned options, const int *more,
                        void **more_value, unsigned more_options);
int cudaLibraryGetKernel(void **kernel, void *library, const char *name);
int cudaLibraryGetKernelCount(unsigned *count, void *library);
int cudaLibraryEnumerateKernels(void **kernel, unsigned room, void *library);
int cudaLibraryGetGlobal(void **at, size_t *bytes, void *library,
                         const char *name);
int cudaLibraryUnload(void *library);

enum {
    N = 256
};

__attribute__((constructor)) static void before_main(void)
{
    (void)stub_register(kernels, variables);
}

static void check(const float *device, float add)
{
    float out[N];

    OK(cudaMemcpy(out, device, sizeof(out), CUDA_DEVICE_TO_HOST));
    for (int i = 0; i < N; i++) {
        HOLDS(out[i] == 2 * (float)i + add);
    }
}

/* The runtime's context is the thread's, and the primary one. */
static void check_context(void)
{
    void *current = NULL, *primary = NULL;
    unsigned flags;
    int active = 0;

    DRIVER_OK(cuInit(0));
    DRIVER_OK(cuCtxGetCurrent(&current));
    HOLDS(current == NULL);
    OK(cudaFree(NULL));
    DRIVER_OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    DRIVER_OK(cuCtxGetCurrent(&current));
    DRIVER_OK(cuDevicePrimaryCtxRetain(&primary, 0));
    HOLDS(active == 1 && current != NULL && current == primary);
    DRIVER_OK(cuDevicePrimaryCtxRelease_v2(0));
    DRIVER_OK(cuCtxSynchronize());
}

/* Errors of the driver API are not the runtime's. */
static void check_errors(void)
{
    address at;

    OK(cudaGetLastError());
    DRIVER_WANT(cuMemAlloc_v2(&at, SIZE_MAX), OUT_OF_MEMORY);
    DRIVER_WANT(cuMemFree_v2(4711), INVALID_VALUE);
    OK(cudaGetLastError());
    WANT(cudaSetDevice(5), CUDA_INVALID_DEVICE);
    DRIVER_OK(cuCtxSynchronize());
    WANT(cudaGetLastError(), CUDA_INVALID_DEVICE);
}

static float *from, *to;
static unsigned n = N;
static float add;
static void *args[] = {&from, &to, &n, &add};

static void allocate(void)
{
    float in[N];
    address moved;

    for (int i = 0; i < N; i++) {
        in[i] = (float)i;
    }
    OK(cudaMalloc((void **)&from, sizeof(in)));
    DRIVER_OK(cuMemAlloc_v2(&moved, sizeof(in)));
    to = (float *)(uintptr_t)moved;
    DRIVER_OK(cuMemcpyHtoD_v2((uintptr_t)from, in, sizeof(in)));
}

/* The program's own kernel by the driver, in a stream of the runtime. */
static void check_own_kernel(void)
{
    void *function, *kernel, *stream;

    OK(cudaGetFuncBySymbol(&function, &scale));
    OK(cudaGetKernel(&kernel, &scale));
    OK(cudaStreamCreate(&stream));
    add = 1;
    DRIVER_OK(
        cuLaunchKernel(function, 2, 1, 1, 128, 1, 1, 0, stream, args, NULL));
    DRIVER_OK(cuStreamSynchronize(stream));
    check(to, 1);
    add = 2;
    DRIVER_OK(cuKernelGetFunction(&kernel, kernel));
    DRIVER_OK(cuLaunchKernel(kernel, 2, 1, 1, 128, 1, 1, 0, NULL, args, NULL));
    check(to, 2);
    add = 3;
    OK(stub_launch(&scale, 2, 128, 0, stream, args));
    OK(cudaStreamSynchronize(stream));
    check(to, 3);
}

/* A module's kernel by the runtime. */
static void check_module(void)
{
    struct cuda_dim3 grid = {2, 1, 1}, block = {128, 1, 1};
    void *kernel, *none, *library, *list[20], *variable;
    unsigned count;
    size_t bytes;

    OK(cudaLibraryLoadData(&library, stub_read(getenv("TEST_PTX")), NULL, NULL,
                           0, NULL, NULL, 0));
    OK(cudaLibraryGetKernel(&kernel, library, "scale"));
    add = 4;
    OK(cudaLaunchKernel(kernel, grid, block, args, 0, NULL));
    check(to, 4);
    WANT(cudaLibraryGetKernel(&none, library, "none"), CUDA_NOT_FOUND);
    WANT(cudaGetLastError(), CUDA_NOT_FOUND);
    OK(cudaLibraryGetKernelCount(&count, library));
    HOLDS(count == 13);
    OK(cudaLibraryEnumerateKernels(list, 20, library));
    OK(cudaLibraryGetGlobal(&variable, &bytes, library, "factor"));
    HOLDS(bytes == 4);
    OK(cudaLibraryUnload(library));
    WANT(cudaLaunchKernel(kernel, grid, block, args, 0, NULL),
         CUDA_INVALID_FUNCTION);
}

static void check_entry(void)
{
    union {
        void *pointer;
        int (*call)(address *at, size_t bytes);
    } entry;
    address at;
    int status = 9;

    OK(cudaGetDriverEntryPointByVersion("cuMemAlloc", &entry.pointer, 12000, 0,
                                        &status));
    HOLDS(status == 0);
    DRIVER_OK(entry.call(&at, 64));
    OK(cudaFree((void *)(uintptr_t)at));
}

int main(void)
{
    check_context();
    check_errors();
    allocate();
    check_own_kernel();
    check_module();
    check_entry();
    DRIVER_OK(cuMemFree_v2((uintptr_t)from));
    printf("mixed passed\n");
    return 0;
}
