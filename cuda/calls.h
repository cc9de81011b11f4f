/*
 * Functions of the runtime that are used by others here: the driver API is
 * made of them.
 */
#ifndef CUDA_CALLS_H
#define CUDA_CALLS_H

#include "cuda/abi.h"

struct loom_cuda_image;
struct cuda_resource;
struct cuda_texture;

const char *cudaGetErrorString(int code);

int cudaDriverGetVersion(int *version);
int cudaGetDeviceCount(int *count);
int cudaDeviceGetAttribute(int *value, int number, int device);
int cudaDeviceGetPCIBusId(char *text, int room, int device);
int cudaDeviceGetByPCIBusId(int *device, const char *text);
int cudaDeviceCanAccessPeer(int *can, int device, int peer);
int cudaDeviceSynchronize(void);
int cudaDeviceSetLimit(int limit, size_t value);
int cudaDeviceGetLimit(size_t *value, int limit);
int cudaDeviceSetCacheConfig(int config);
int cudaDeviceGetCacheConfig(int *config);
int cudaDeviceSetSharedMemConfig(int config);
int cudaDeviceGetSharedMemConfig(int *config);
int cudaDeviceGetStreamPriorityRange(int *least, int *greatest);

int cudaFuncGetAttributes(struct cuda_function_attributes *to,
                          const void *stub);
int cudaFuncSetAttribute(const void *stub, int attribute, int value);
int cudaFuncSetCacheConfig(const void *stub, int config);
int cudaFuncSetSharedMemConfig(const void *stub, int config);
int cudaFuncGetName(const char **name, const void *stub);
int cudaFuncGetParamInfo(const void *stub, size_t number, size_t *offset,
                         size_t *bytes);
int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *count,
                                                           const void *stub,
                                                           int threads,
                                                           size_t shared_bytes,
                                                           unsigned flags);
int cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *stub,
                                              int blocks, int threads);
int cudaOccupancyMaxActiveClusters(int *count, const void *stub,
                                   const struct cuda_launch_config *config);
int cudaOccupancyMaxPotentialClusterSize(
    int *size, const void *stub, const struct cuda_launch_config *config);

struct cuda_mipmap;
int cudaMallocMipmappedArray(struct cuda_mipmap **handle,
                             const struct cuda_channel *channel,
                             struct cuda_extent extent, unsigned levels,
                             unsigned flags);
int cudaFreeMipmappedArray(struct cuda_mipmap *mipmap);
int cudaGetMipmappedArrayLevel(struct cuda_array **array,
                               struct cuda_mipmap *mipmap, unsigned level);

int cudaLibraryUnload(struct loom_cuda_image *library);
int cudaLibraryGetKernel(const void **kernel, struct loom_cuda_image *library,
                         const char *name);
int cudaLibraryGetGlobal(void **at, size_t *bytes,
                         struct loom_cuda_image *library, const char *name);
int cudaLibraryGetManaged(void **at, size_t *bytes,
                          struct loom_cuda_image *library, const char *name);
int cudaLibraryGetKernelCount(unsigned *count, struct loom_cuda_image *library);
int cudaLibraryEnumerateKernels(const void **kernel, unsigned count,
                                struct loom_cuda_image *library);

int cudaMalloc(void **at, size_t bytes);
int cudaMallocPitch(void **at, size_t *pitch, size_t width, size_t height);
int cudaFree(void *at);
int cudaMallocAsync(void **at, size_t bytes, void *stream);
int cudaFreeAsync(void *at, void *stream);
int cudaMemGetInfo(size_t *left, size_t *total);
int cudaMallocManaged(void **at, size_t bytes, unsigned flags);
int cudaHostAlloc(void **at, size_t bytes, unsigned flags);
int cudaFreeHost(void *at);
int cudaHostGetDevicePointer(void **device, void *host, unsigned flags);
int cudaHostGetFlags(unsigned *flags, void *host);
int cudaHostRegister(void *at, size_t bytes, unsigned flags);
int cudaHostUnregister(void *at);
int cudaMemPrefetchAsync(const void *at, size_t bytes, uint64_t where, ...);
int cudaMemRangeGetAttribute(void *value, size_t room, int attribute,
                             const void *at, size_t bytes);
int cudaMemRangeGetAttributes(void **value, const size_t *room,
                              const int *attribute, size_t count,
                              const void *at, size_t bytes);
int cudaStreamSetAttribute(void *handle, int attribute, const void *value);
int cudaStreamGetAttribute(void *handle, int attribute, void *value);
int cudaStreamCopyAttributes(void *to, void *from);
int cudaDeviceGetP2PAttribute(int *value, int attribute, int device, int peer);
int cudaMemAdvise(const void *at, size_t bytes, int advice, ...);
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind,
                    void *stream);

int cudaMalloc3DArray(struct cuda_array **handle,
                      const struct cuda_channel *channel,
                      struct cuda_extent extent, unsigned flags);
int cudaFreeArray(struct cuda_array *handle);
int cudaArrayGetInfo(struct cuda_channel *channel, struct cuda_extent *extent,
                     unsigned *flags, struct cuda_array *handle);
int cudaCreateTextureObject(uint64_t *handle,
                            const struct cuda_resource *resource,
                            const struct cuda_texture *texture,
                            const void *view);
int cudaCreateSurfaceObject(uint64_t *handle,
                            const struct cuda_resource *resource);
int cudaDestroyTextureObject(uint64_t handle);

int cudaStreamCreateWithPriority(void **handle, unsigned flags, int priority);
int cudaStreamDestroy(void *handle);
int cudaStreamSynchronize(void *handle);
int cudaStreamQuery(void *handle);
int cudaStreamGetFlags(void *handle, unsigned *flags);
int cudaStreamGetPriority(void *handle, int *priority);
int cudaStreamGetDevice(void *handle, int *device);
int cudaStreamGetId(void *handle, uint64_t *id);
int cudaStreamIsCapturing(void *handle, int *status);
int cudaStreamWaitEvent(void *stream, void *handle, unsigned flags);
int cudaLaunchHostFunc(void *stream, void (*function)(void *), void *data);
int cudaStreamAddCallback(void *stream,
                          void (*function)(void *stream, int status,
                                           void *data),
                          void *data, unsigned flags);
int cudaEventCreateWithFlags(void **handle, unsigned flags);
int cudaEventDestroy(void *handle);
int cudaEventRecordWithFlags(void *handle, void *stream, unsigned flags);
int cudaEventSynchronize(void *handle);
int cudaEventQuery(void *handle);
int cudaEventElapsedTime(float *ms, void *from, void *to);

#endif
