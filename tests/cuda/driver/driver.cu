/*
 * An ordinary program of the driver API, with the headers of the CUDA that nvcc
 * comes with; our layouts against them.  usage: driver FILE.. (PTX or a fat
 * binary of this very file)
 */
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <vector>

#include "../../../cuda/driver/abi.h"

#define SAME(theirs, field, ours, mine)                                        \
    static_assert(offsetof(theirs, field) == offsetof(ours, mine), #field)

static_assert(sizeof(CUDA_ARRAY_DESCRIPTOR) == sizeof(driver_array), "");
SAME(CUDA_ARRAY_DESCRIPTOR, NumChannels, driver_array, channels);
static_assert(sizeof(CUDA_ARRAY3D_DESCRIPTOR) == sizeof(driver_array3d), "");
SAME(CUDA_ARRAY3D_DESCRIPTOR, Flags, driver_array3d, flags);
static_assert(sizeof(CUmemAllocationProp) == sizeof(driver_memory_properties),
              "");
static_assert(offsetof(CUmemAllocationProp, location) ==
                  offsetof(driver_memory_properties, location),
              "");
static_assert(sizeof(CUmemAccessDesc) == sizeof(driver_access), "");
static_assert(offsetof(CUmemAccessDesc, flags) ==
                  offsetof(driver_access, flags),
              "");
static_assert(sizeof(CUDA_MEMCPY2D) == sizeof(driver_copy2d), "");
SAME(CUDA_MEMCPY2D, srcMemoryType, driver_copy2d, from.type);
SAME(CUDA_MEMCPY2D, srcPitch, driver_copy2d, from.pitch);
SAME(CUDA_MEMCPY2D, dstXInBytes, driver_copy2d, to.x);
SAME(CUDA_MEMCPY2D, dstArray, driver_copy2d, to.array);
SAME(CUDA_MEMCPY2D, WidthInBytes, driver_copy2d, width);
static_assert(sizeof(CUDA_MEMCPY3D) == sizeof(driver_copy3d), "");
static_assert(sizeof(CUDA_MEMCPY3D_PEER) == sizeof(driver_copy3d), "");
SAME(CUDA_MEMCPY3D, srcLOD, driver_copy3d, from.level);
SAME(CUDA_MEMCPY3D, srcMemoryType, driver_copy3d, from.type);
SAME(CUDA_MEMCPY3D, srcHost, driver_copy3d, from.host);
SAME(CUDA_MEMCPY3D, srcPitch, driver_copy3d, from.pitch);
SAME(CUDA_MEMCPY3D, srcHeight, driver_copy3d, from.height);
SAME(CUDA_MEMCPY3D, dstXInBytes, driver_copy3d, to.x);
SAME(CUDA_MEMCPY3D, dstDevice, driver_copy3d, to.device);
SAME(CUDA_MEMCPY3D, Depth, driver_copy3d, depth);
SAME(CUDA_MEMCPY3D_PEER, srcContext, driver_copy3d, from.context);
static_assert(sizeof(CUDA_RESOURCE_DESC) == sizeof(driver_resource), "");
SAME(CUDA_RESOURCE_DESC, res.linear.numChannels, driver_resource,
     of.linear.channels);
SAME(CUDA_RESOURCE_DESC, res.pitch2D.pitchInBytes, driver_resource,
     of.pitched.pitch);
SAME(CUDA_RESOURCE_DESC, flags, driver_resource, flags);
static_assert(sizeof(CUDA_TEXTURE_DESC) == sizeof(driver_texture), "");
SAME(CUDA_TEXTURE_DESC, flags, driver_texture, flags);
SAME(CUDA_TEXTURE_DESC, borderColor, driver_texture, border);
static_assert(sizeof(CUlaunchConfig) == sizeof(driver_launch_config), "");
SAME(CUlaunchConfig, sharedMemBytes, driver_launch_config, shared_bytes);
SAME(CUlaunchConfig, hStream, driver_launch_config, stream);
SAME(CUlaunchConfig, numAttrs, driver_launch_config, attributes);
static_assert(sizeof(CUdevprop) == sizeof(driver_properties), "");
SAME(CUdevprop, clockRate, driver_properties, clock_khz);

__device__ int calls;

extern "C" __global__ void add(const int *a, const int *b, int *sum, int n)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (i < n) {
        sum[i] = a[i] + b[i];
    }
    if (threadIdx.x == 0) {
        atomicAdd(&calls, 1);
    }
}

static void check(CUresult result, const char *what)
{
    const char *name = "?";

    if (result != CUDA_SUCCESS) {
        cuGetErrorName(result, &name);
        printf("FAILED: %s: %s\n", what, name);
        exit(1);
    }
}
#define CHECK(call) check(call, #call)

static void run(const char *path)
{
    const int n = 1000;
    std::vector<int> a(n), b(n), sum(n);
    CUdeviceptr at[3], counter;
    CUmodule module;
    CUfunction function;
    CUstream stream;
    size_t bytes;
    int count = 0, size = n;

    for (int i = 0; i < n; i++) {
        a[i] = i;
        b[i] = 7 * i;
    }
    CHECK(cuModuleLoad(&module, path));
    CHECK(cuModuleGetFunction(&function, module, "add"));
    CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    for (CUdeviceptr &p : at) {
        CHECK(cuMemAlloc(&p, n * sizeof(int)));
    }
    CHECK(cuMemcpyHtoDAsync(at[0], a.data(), n * sizeof(int), stream));
    CHECK(cuMemcpyHtoDAsync(at[1], b.data(), n * sizeof(int), stream));
    void *args[] = {&at[0], &at[1], &at[2], &size};
    CHECK(cuLaunchKernel(function, 8, 1, 1, 128, 1, 1, 0, stream, args, NULL));
    CHECK(cuMemcpyDtoHAsync(sum.data(), at[2], n * sizeof(int), stream));
    CHECK(cuStreamSynchronize(stream));
    CHECK(cuModuleGetGlobal(&counter, &bytes, module, "calls"));
    CHECK(cuMemcpyDtoH(&count, counter, bytes));
    for (int i = 0; i < n; i++) {
        if (sum[i] != 8 * i || count != 8) {
            printf("FAILED: %d: %d, %d blocks\n", i, sum[i], count);
            exit(1);
        }
    }
    for (CUdeviceptr p : at) {
        CHECK(cuMemFree(p));
    }
    CHECK(cuStreamDestroy(stream));
    CHECK(cuModuleUnload(module));
}

/* The kernel in the program itself, by the runtime's memory and stream. */
static void run_mixed()
{
    int *data[3], size = 500, last = 0;
    void *args[] = {&data[0], &data[1], &data[2], &size};
    cudaFunction_t function;
    cudaStream_t stream;
    CUcontext context;

    CHECK((CUresult)cudaSetDevice(0));
    CHECK((CUresult)cudaStreamCreate(&stream));
    CHECK(cuCtxGetCurrent(&context));
    for (int *&p : data) {
        CHECK((CUresult)cudaMalloc(&p, size * sizeof(int)));
        CHECK(cuMemsetD32((CUdeviceptr)p, 21, size));
    }
    CHECK((CUresult)cudaGetFuncBySymbol(&function, (const void *)add));
    CHECK(cuLaunchKernel(function, 4, 1, 1, 128, 1, 1, 0, stream, args, NULL));
    CHECK((CUresult)cudaStreamSynchronize(stream));
    CHECK(cuMemcpyDtoH(&last, (CUdeviceptr)(data[2] + size - 1), sizeof(int)));
    add<<<4, 128, 0, stream>>>(data[2], data[2], data[0], size);
    CHECK((CUresult)cudaMemcpy(data[1], data[0], 4, cudaMemcpyDefault));
    CHECK(cuMemcpyDtoH(&size, (CUdeviceptr)data[1], sizeof(int)));
    if (last != 42 || size != 84 || context == NULL) {
        printf("FAILED: %d, %d\n", last, size);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    CUcontext context;
    CUdevice device;

    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDevicePrimaryCtxRetain(&context, device));
    CHECK(cuCtxSetCurrent(context));
    for (int i = 1; i < argc; i++) {
        run(argv[i]);
    }
    CHECK(cuDevicePrimaryCtxRelease(device));
    CHECK(cuCtxSetCurrent(NULL));
    run_mixed();
    printf("PASSED: %d modules\n", argc - 1);
    return 0;
}
