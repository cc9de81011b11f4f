/*
 * The driver API as a program sees it: prototypes by the names of symbols, with
 * our types.
 */
#ifndef TESTS_CUDA_DRIVER_CALLS_H
#define TESTS_CUDA_DRIVER_CALLS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef uint64_t address;

int cuInit(unsigned flags);
int cuDriverGetVersion(int *version);
int cuGetErrorName(int error, const char **text);
int cuGetErrorString(int error, const char **text);
int cuGetProcAddress(const char *symbol, void **function, int version,
                     uint64_t flags);
int cuGetProcAddress_v2(const char *symbol, void **function, int version,
                        uint64_t flags, int *status);
int cuDeviceGet(int *device, int number);
int cuDeviceGetCount(int *count);
int cuDeviceGetName(char *text, int room, int device);
int cuDeviceTotalMem_v2(size_t *bytes, int device);
int cuDeviceGetAttribute(int *value, int number, int device);
int cuDeviceComputeCapability(int *major, int *minor, int device);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuDevicePrimaryCtxRelease_v2(int device);
int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active);
int cuCtxCreate_v2(void **context, unsigned flags, int device);
int cuCtxCreate_v4(void **context, const void *params, unsigned flags,
                   int device);
int cuCtxDestroy_v2(void *context);
int cuCtxPushCurrent_v2(void *context);
int cuCtxPopCurrent_v2(void **context);
int cuCtxSetCurrent(void *context);
int cuCtxGetCurrent(void **context);
int cuCtxGetDevice(int *device);
int cuCtxGetFlags(unsigned *flags);
int cuCtxSynchronize(void);
int cuCtxGetLimit(size_t *value, int limit);
int cuModuleLoad(void **module, const char *path);
int cuModuleLoadData(void **module, const void *data);
int cuModuleLoadDataEx(void **module, const void *data, unsigned options,
                       const int *option, void **value);
int cuModuleLoadFatBinary(void **module, const void *data);
int cuModuleUnload(void *module);
int cuModuleGetFunction(void **kernel, void *module, const char *name);
int cuModuleGetFunctionCount(unsigned *count, void *module);
int cuModuleEnumerateFunctions(void **kernel, unsigned room, void *module);
int cuModuleGetGlobal_v2(address *at, size_t *bytes, void *module,
                         const char *name);
int cuModuleGetTexRef(void **reference, void *module, const char *name);
int cuLibraryLoadData(void **library, const void *data, const int *option,
                      void **value, unsigned options, const int *more,
                      void **more_value, unsigned more_options);
int cuLibraryUnload(void *library);
int cuLibraryGetKernel(void **kernel, void *library, const char *name);
int cuLibraryGetModule(void **module, void *library);
int cuLibraryGetGlobal(address *at, size_t *bytes, void *library,
                       const char *name);
int cuKernelGetFunction(void **function, void *kernel);
int cuFuncGetAttribute(int *value, int number, void *kernel);
int cuFuncSetAttribute(void *kernel, int number, int value);
int cuFuncSetCacheConfig(void *kernel, int config);
int cuFuncGetName(const char **name, void *kernel);
int cuFuncGetModule(void **module, void *kernel);
int cuFuncGetParamInfo(void *kernel, size_t number, size_t *offset,
                       size_t *bytes);
int cuFuncSetBlockShape(void *kernel, int x, int y, int z);
int cuParamSetSize(void *kernel, unsigned bytes);
int cuParamSeti(void *kernel, int offset, unsigned value);
int cuParamSetf(void *kernel, int offset, float value);
int cuParamSetv(void *kernel, int offset, void *from, unsigned bytes);
int cuLaunchGrid(void *kernel, int width, int height);
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *count, void *kernel,
                                                int threads,
                                                size_t shared_bytes);
int cuOccupancyMaxActiveClusters(int *count, void *kernel, const void *config);
int cuOccupancyMaxPotentialClusterSize(int *size, void *kernel,
                                       const void *config);
int cuOccupancyMaxPotentialBlockSize(int *blocks, int *threads, void *kernel,
                                     size_t (*shared_of)(int),
                                     size_t shared_bytes, int limit);
int cuLaunchKernel(void *kernel, unsigned grid_x, unsigned grid_y,
                   unsigned grid_z, unsigned block_x, unsigned block_y,
                   unsigned block_z, unsigned shared_bytes, void *stream,
                   void **args, void **extra);
int cuLaunchKernel_ptsz(void *kernel, unsigned grid_x, unsigned grid_y,
                        unsigned grid_z, unsigned block_x, unsigned block_y,
                        unsigned block_z, unsigned shared_bytes, void *stream,
                        void **args, void **extra);
int cuLaunchCooperativeKernel(void *kernel, unsigned grid_x, unsigned grid_y,
                              unsigned grid_z, unsigned block_x,
                              unsigned block_y, unsigned block_z,
                              unsigned shared_bytes, void *stream, void **args);
int cuLaunchKernelEx(const void *config, void *kernel, void **args,
                     void **extra);
int cuTensorMapEncodeTiled(void *map, int type, uint32_t rank, address base,
                           const uint64_t *dims, const uint64_t *strides,
                           const uint32_t *box, const uint32_t *steps,
                           int interleave, int swizzle, int promotion,
                           int fill);
int cuMemAlloc_v2(address *at, size_t bytes);
int cuMemAllocPitch_v2(address *at, size_t *pitch, size_t width, size_t height,
                       unsigned element);
int cuMemAllocManaged(address *at, size_t bytes, unsigned flags);
int cuMemAllocAsync(address *at, size_t bytes, void *stream);
int cuMemAllocHost_v2(void **at, size_t bytes);
int cuMemHostAlloc(void **at, size_t bytes, unsigned flags);
int cuMemHostGetDevicePointer_v2(address *at, void *host, unsigned flags);
int cuMemFree_v2(address at);
int cuMemFreeAsync(address at, void *stream);
int cuMemFreeHost(void *at);
int cuMemGetInfo_v2(size_t *left, size_t *total);
int cuMemGetAddressRange_v2(address *base, size_t *bytes, address at);
int cuMemAddressReserve(address *at, size_t bytes, size_t align, address hint,
                        uint64_t flags);
int cuMemAddressFree(address at, size_t bytes);
int cuMemGetAllocationGranularity(size_t *bytes, const void *of,
                                  unsigned option);
int cuMemCreate(uint64_t *handle, size_t bytes, const void *of, uint64_t flags);
int cuMemRelease(uint64_t handle);
int cuMemRetainAllocationHandle(uint64_t *handle, address at);
int cuMemGetAllocationPropertiesFromHandle(void *to, uint64_t handle);
int cuMemMap(address at, size_t bytes, size_t offset, uint64_t handle,
             uint64_t flags);
int cuMemUnmap(address at, size_t bytes);
int cuMemSetAccess(address at, size_t bytes, const void *access, size_t count);
int cuMemGetAccess(uint64_t *flags, const void *location, address at);
int cuPointerGetAttribute(void *to, int number, address at);
int cuPointerGetAttributes(unsigned count, const int *number, void **to,
                           address at);
int cuMemcpy(address to, address from, size_t bytes);
int cuMemcpyHtoD_v2(address to, const void *from, size_t bytes);
int cuMemcpyDtoH_v2(void *to, address from, size_t bytes);
int cuMemcpyDtoD_v2(address to, address from, size_t bytes);
int cuMemcpyHtoDAsync_v2(address to, const void *from, size_t bytes,
                         void *stream);
int cuMemcpyDtoHAsync_v2(void *to, address from, size_t bytes, void *stream);
int cuMemcpy2D_v2(const void *copy);
int cuMemcpy3D_v2(const void *copy);
int cuMemcpyHtoA_v2(void *to, size_t offset, const void *from, size_t bytes);
int cuMemcpyAtoH_v2(void *to, void *from, size_t offset, size_t bytes);
int cuMemsetD8_v2(address at, unsigned char value, size_t count);
int cuMemsetD16_v2(address at, unsigned short value, size_t count);
int cuMemsetD32_v2(address at, unsigned value, size_t count);
int cuMemsetD2D32_v2(address at, size_t pitch, unsigned value, size_t width,
                     size_t height);
int cuArrayCreate_v2(void **array, const void *shape);
int cuArrayGetDescriptor_v2(void *shape, void *array);
int cuArrayDestroy(void *array);
int cuTexObjectCreate(uint64_t *handle, const void *resource,
                      const void *texture, const void *view);
int cuTexObjectDestroy(uint64_t handle);
int cuTexRefSetAddress_v2(size_t *offset, void *reference, address at,
                          size_t bytes);
int cuTexRefSetFormat(void *reference, int format, int channels);
int cuTexRefSetFlags(void *reference, unsigned flags);
int cuStreamCreate(void **stream, unsigned flags);
int cuStreamDestroy_v2(void *stream);
int cuStreamSynchronize(void *stream);
int cuStreamQuery(void *stream);
int cuStreamWaitEvent(void *stream, void *event, unsigned flags);
int cuStreamAddCallback(void *stream,
                        void (*function)(void *stream, int status, void *data),
                        void *data, unsigned flags);
int cuLaunchHostFunc(void *stream, void (*function)(void *), void *data);
int cuEventCreate(void **event, unsigned flags);
int cuEventDestroy_v2(void *event);
int cuEventRecord(void *event, void *stream);
int cuEventSynchronize(void *event);
int cuEventQuery(void *event);
int cuEventElapsedTime(float *ms, void *from, void *to);
int cuLinkCreate_v2(unsigned options, const int *option, void **value,
                    void **link);
int cuLinkAddData_v2(void *link, int kind, void *data, size_t bytes,
                     const char *name, unsigned options, const int *option,
                     void **value);
int cuLinkAddFile_v2(void *link, int kind, const char *path, unsigned options,
                     const int *option, void **value);
int cuLinkComplete(void *link, void **image, size_t *bytes);
int cuLinkDestroy(void *link);
int cuMulticastCreate(void);

/* Errors, by the driver's numbers. */
enum {
    INVALID_VALUE = 1,
    INVALID_CLUSTER_SIZE = 912,
    OUT_OF_MEMORY = 2,
    NOT_INITIALIZED = 3,
    INVALID_DEVICE = 101,
    INVALID_IMAGE = 200,
    INVALID_CONTEXT = 201,
    NO_BINARY = 209,
    BAD_PTX = 218,
    NO_FILE = 301,
    INVALID_HANDLE = 400,
    NOT_FOUND = 500,
    NOT_READY = 600,
    ILLEGAL_ADDRESS = 700,
    CONTEXT_DESTROYED = 709,
    NOT_SUPPORTED = 801
};

/* Stops the program where a call did not answer as it should. */
#define DRIVER_WANT(call, error) driver_want(__LINE__, #call, (call), (error))
#define DRIVER_OK(call) DRIVER_WANT(call, 0)
#define DRIVER_HOLDS(condition)                                                \
    driver_want(__LINE__, #condition, (condition) ? 0 : 1, 0)

static inline void driver_want(int line, const char *what, int got, int error)
{
    const char *name = NULL, *expected = NULL;

    if (got != error) {
        (void)cuGetErrorName(got, &name);
        (void)cuGetErrorName(error, &expected);
        printf("line %d: %s gave %d (%s), expected %d (%s)\n", line, what, got,
               name == NULL ? "?" : name, error,
               expected == NULL ? "?" : expected);
        exit(1);
    }
}

#endif
