/*
 * What nvcc's host compilation makes of a program with kernels, written by
 * hand: the fat binary is made when the program starts, from a file of PTX
 * ($TEST_PTX) in the way that $TEST_FATBIN says, and registered before main()
 * with the addresses of stubs and shadows.
 *
 * Prototypes are those of CUDA's runtime, with our types.
 */
#ifndef TESTS_CUDA_STUBS_H
#define TESTS_CUDA_STUBS_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/abi.h"
#include "tests/cuda/make_cubin.h"
#include "tests/cuda/stub_link.h"

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device,
                            const char *name, int thread_limit, void *tid,
                            void *bid, void *block, void *grid, int *warp_size);
void __cudaRegisterVar(void **handle, char *host, char *device,
                       const char *name, int external, size_t bytes,
                       int constant, int global);
unsigned __cudaPushCallConfiguration(struct cuda_dim3 grid,
                                     struct cuda_dim3 block,
                                     size_t shared_bytes, void *stream);
int __cudaPopCallConfiguration(struct cuda_dim3 *grid, struct cuda_dim3 *block,
                               size_t *shared_bytes, void *stream);
int __cudaGetKernel(void **handle, const void *stub);
int __cudaLaunchKernel(const void *handle, struct cuda_dim3 grid,
                       struct cuda_dim3 block, void **args, size_t shared_bytes,
                       void *stream);
int cudaLaunchKernel(const void *stub, struct cuda_dim3 grid,
                     struct cuda_dim3 block, void **args, size_t shared_bytes,
                     void *stream);
int cudaLaunchCooperativeKernel(const void *stub, struct cuda_dim3 grid,
                                struct cuda_dim3 block, void **args,
                                size_t shared_bytes, void *stream);
int cudaMalloc(void **at, size_t bytes);
int cudaFree(void *at);
int cudaMallocHost(void **at, size_t bytes);
int cudaHostAlloc(void **at, size_t bytes, unsigned flags);
int cudaFreeHost(void *at);
int cudaMallocManaged(void **at, size_t bytes, unsigned flags);
int cudaMallocPitch(void **at, size_t *pitch, size_t width, size_t height);
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind,
                    void *stream);
int cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from,
                      size_t from_pitch, size_t width, size_t height, int way,
                      void *stream);
int cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                 size_t width, size_t height, int kind);
int cudaMemset(void *at, int value, size_t bytes);
int cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes,
                       size_t offset, int kind);
int cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes,
                         size_t offset, int kind);
int cudaGetSymbolSize(size_t *bytes, const void *symbol);
int cudaMemGetInfo(size_t *left, size_t *total);
int cudaPointerGetAttributes(struct cuda_pointer_attributes *to,
                             const void *at);
int cudaDeviceSynchronize(void);
int cudaDeviceReset(void);
int cudaGetLastError(void);
int cudaPeekAtLastError(void);
const char *cudaGetErrorName(int error);
const char *cudaGetErrorString(int error);
int cudaGetDeviceCount(int *count);
int cudaSetDevice(int device);
int cudaGetDeviceProperties(void *to, int device);
int cudaDeviceGetAttribute(int *value, int number, int device);
int cudaStreamCreate(void **stream);
int cudaStreamDestroy(void *stream);
int cudaStreamSynchronize(void *stream);
int cudaStreamQuery(void *stream);
int cudaStreamWaitEvent(void *stream, void *event, unsigned flags);
int cudaEventCreate(void **event);
int cudaEventDestroy(void *event);
int cudaEventRecord(void *event, void *stream);
int cudaEventSynchronize(void *event);
int cudaEventQuery(void *event);
int cudaEventElapsedTime(float *ms, void *from, void *to);
int cudaFuncGetAttributes(struct cuda_function_attributes *to,
                          const void *stub);
int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *count,
                                                           const void *stub,
                                                           int threads,
                                                           size_t shared_bytes,
                                                           unsigned flags);
int cudaMallocArray(struct cuda_array **array,
                    const struct cuda_channel *channel, size_t width,
                    size_t height, unsigned flags);
int cudaFreeArray(struct cuda_array *array);
int cudaMemcpy2DToArray(struct cuda_array *array, size_t x, size_t y,
                        const void *from, size_t pitch, size_t width,
                        size_t height, int kind);
struct cuda_resource;
struct cuda_texture;
int cudaCreateTextureObject(uint64_t *handle,
                            const struct cuda_resource *resource,
                            const struct cuda_texture *texture,
                            const void *view);
int cudaDestroyTextureObject(uint64_t handle);
int cudaBindTexture(size_t *offset, const void *reference, const void *at,
                    const struct cuda_channel *channel, size_t bytes);
void cudaConfigureCall(void);

/* Stops the program where a call did not answer as it should. */
#define WANT(call, error) want(__LINE__, #call, (call), (error))
#define OK(call) WANT(call, CUDA_OK)
#define HOLDS(condition)                                                       \
    want(__LINE__, #condition, (condition) ? 0 : 1, CUDA_OK)

static inline void want(int line, const char *what, int got, int error)
{
    if (got != error) {
        printf("line %d: %s gave %d (%s), expected %d (%s)\n", line, what, got,
               cudaGetErrorName(got), error, cudaGetErrorName(error));
        exit(1);
    }
}

struct stub_list {
    const void *host; /* address of anything of its own */
    const char *name;
};

static struct made_fatbin stub_fatbin;
/* Where nvcc puts it: this says that a file has kernels. */
static struct cuda_wrapper stub_wrapper
    __attribute__((section(".nvFatBinSegment"))) = {.version = 1};

/* Flips a bit of every byte whose number divides by `every`. */
static inline void stub_damage(size_t every)
{
    for (size_t i = 0; i < stub_fatbin.size; i += every) {
        stub_fatbin.bytes[i] ^= (unsigned char)(1u << (i % 8));
    }
}

/* Machine code for two architectures beside the PTX, of one kernel. */
static inline void stub_cubin(void)
{
    static const struct make_cubin near = {"work", 200, 1200, 16, 256, true};
    static const struct make_cubin far = {"work", 100, 1200, 256, 0, false};
    struct made_cubin made;

    make_cubin(&made, &far);
    make_entry(&stub_fatbin, 2, 90, made.bytes, made.size);
    make_cubin(&made, &near);
    make_entry(&stub_fatbin, 2, 75, made.bytes, made.size);
}

static inline void stub_make(void)
{
    const char *how = getenv("TEST_FATBIN");
    const char *text = stub_read(getenv("TEST_PTX"));

    how = how == NULL ? "raw" : how;
    make_begin(&stub_fatbin);
    if (strcmp(how, "code") == 0) {
        make_entry(&stub_fatbin, 2, 75, "\177ELF", 4);
    } else {
        make_ptx(&stub_fatbin, 75, text,
                 strcmp(how, "lz4") == 0 ? MAKE_LZ4
                 : strcmp(how, "zstd") == 0 || strcmp(how, "text") == 0
                     ? MAKE_ZSTD
                     : MAKE_RAW);
    }
    stub_wrapper =
        (struct cuda_wrapper){CUDA_WRAPPER_MAGIC, 1, stub_fatbin.bytes, NULL};
    if (strcmp(how, "header") == 0) {
        stub_damage(5);
    } else if (strcmp(how, "text") == 0) {
        stub_fatbin.bytes[16 + 80 + 20] ^= 0x11;
    } else if (strcmp(how, "long") == 0) {
        make_put(stub_fatbin.bytes + 8, 8, UINT64_C(1) << 40);
    } else if (strcmp(how, "wrapper") == 0) {
        stub_wrapper.magic++;
    }
    if (strcmp(how, "cubin") == 0) {
        stub_cubin();
    }
    if (getenv("TEST_LINKED") != NULL) {
        stub_link(&stub_wrapper,
                  strcmp(how, "zstd") == 0 ? MAKE_ZSTD : MAKE_RAW);
    }
    make_damage(&stub_fatbin, getenv("TEST_DAMAGE"));
}

static inline void **stub_register(const struct stub_list *kernel,
                                   const struct stub_list *variable)
{
    void **handle;

    stub_make();
    handle = __cudaRegisterFatBinary(&stub_wrapper);
    for (; kernel->host != NULL; kernel++) {
        __cudaRegisterFunction(handle, kernel->host, NULL, kernel->name, -1,
                               NULL, NULL, NULL, NULL, NULL);
    }
    for (; variable->host != NULL; variable++) {
        __cudaRegisterVar(handle, (char *)(uintptr_t)variable->host, NULL,
                          variable->name, 0, 4, 0, 0);
    }
    __cudaRegisterFatBinaryEnd(handle);
    return handle;
}

/* A launch as `kernel<<<grid, block, shared, stream>>>(..)` becomes: by the
 * calls of CUDA 13, or of those before if $TEST_LAUNCH says "old". */
static inline int stub_launch(const void *stub, unsigned grid, unsigned block,
                              size_t shared_bytes, void *stream, void **args)
{
    struct cuda_dim3 g = {grid, 1, 1}, b = {block, 1, 1};
    const char *how = getenv("TEST_LAUNCH");
    void *handle, *popped;

    if (__cudaPushCallConfiguration(g, b, shared_bytes, stream) != 0) {
        return CUDA_UNKNOWN;
    }
    if (__cudaPopCallConfiguration(&g, &b, &shared_bytes, (void *)&popped) !=
        0) {
        return CUDA_UNKNOWN;
    }
    if (how != NULL && strcmp(how, "old") == 0) {
        return cudaLaunchKernel(stub, g, b, args, shared_bytes, popped);
    }
    (void)__cudaGetKernel(&handle, stub); /* stubs do not look */
    return __cudaLaunchKernel(handle, g, b, args, shared_bytes, popped);
}

#endif
