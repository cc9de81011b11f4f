/*
 * The calls that no other program makes, by NVIDIA's own declarations: each
 * does what CUDA's documentation says, as far as docs/cuda.md does not say
 * otherwise.
 */
#include <cstring>
#include <cuda_profiler_api.h>

#include "host.h"

/* Some are deprecated, and used all the same. */
#pragma nv_diag_suppress 1444
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static int bad;

#define WANT(condition)                                                        \
    do {                                                                       \
        if (!(condition)) {                                                    \
            printf("line %d: not %s\n", __LINE__, #condition);                 \
            bad++;                                                             \
        }                                                                      \
    } while (0)

__device__ int symbol[8];
__managed__ int managed = 7;

__global__ void add(int *data, int value)
{
    extern __shared__ int room[];

    room[threadIdx.x] = value;
    data[threadIdx.x] += room[threadIdx.x];
}

__global__ void to_surface(cudaSurfaceObject_t surface)
{
    surf2Dwrite((int)(10 * threadIdx.y + threadIdx.x), surface,
                threadIdx.x * sizeof(int), threadIdx.y);
}

static void fills(void)
{
    unsigned char got[64] = {0};
    cudaPitchedPtr box;
    cudaExtent extent = make_cudaExtent(5, 4, 3);
    char *plane = device<char>(64);

    CHECK(cudaMemset2D(plane, 16, 1, 5, 2));
    CHECK(cudaMemset2DAsync(plane + 32, 16, 2, 5, 2, 0));
    CHECK(cudaMemsetAsync(plane + 60, 3, 4, 0));
    CHECK(cudaMemcpy(got, plane, 64, cudaMemcpyDeviceToHost));
    WANT(got[4] == 1 && got[5] == 0 && got[20] == 1 && got[21] == 0);
    WANT(got[36] == 2 && got[37] == 0 && got[52] == 2 && got[63] == 3);

    CHECK(cudaMalloc3D(&box, extent));
    WANT(box.pitch >= 5 && box.ysize == 4 && box.pitch % 32 == 0);
    CHECK(cudaMemset3D(box, 4, extent));
    CHECK(cudaMemset3DAsync(box, 5, make_cudaExtent(5, 4, 1), 0));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = box;
    copy.dstPtr = make_cudaPitchedPtr(got, 5, 5, 4);
    copy.extent = extent;
    copy.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&copy));
    WANT(got[0] == 5 && got[19] == 5 && got[20] == 4 && got[59] == 4);
    copy.dstPtr = make_cudaPitchedPtr(got, 5, 5, 4);
    copy.srcPos = make_cudaPos(0, 0, 2);
    copy.extent = make_cudaExtent(5, 4, 1);
    CHECK(cudaMemcpy3DAsync(&copy, 0));
    CHECK(cudaDeviceSynchronize());
    WANT(got[0] == 4 && got[19] == 4);
    CHECK(cudaFree(box.ptr));
}

static void copies(void)
{
    int from[8] = {1, 2, 3, 4, 5, 6, 7, 8}, got[8] = {0}, *address;
    int *a = upload(std::vector<int>(from, from + 8)), *b = device<int>(8), *c;
    size_t bytes;

    CHECK(cudaMemcpyPeer(b, 0, a, 0, 16));
    CHECK(cudaMemcpyPeerAsync(b + 4, 0, a + 4, 0, 16, 0));
    CHECK(cudaMemcpy2DAsync(got, 4, b, 8, 4, 4, cudaMemcpyDeviceToHost, 0));
    CHECK(cudaDeviceSynchronize());
    WANT(got[0] == 1 && got[1] == 3 && got[3] == 7);
    CHECK(cudaMemcpyToSymbolAsync(symbol, from, 16, 8, cudaMemcpyHostToDevice,
                                  0));
    CHECK(cudaMemcpyFromSymbolAsync(got, symbol, 32, 0, cudaMemcpyDeviceToHost,
                                    0));
    CHECK(cudaDeviceSynchronize());
    WANT(got[1] == 0 && got[2] == 1 && got[5] == 4 && got[6] == 0);
    CHECK(cudaGetSymbolAddress((void **)&address, symbol));
    CHECK(cudaGetSymbolSize(&bytes, symbol));
    CHECK(cudaMemcpy(got, address + 3, 4, cudaMemcpyDefault));
    WANT(got[0] == 2 && bytes == sizeof(symbol));
    CHECK(cudaMallocAsync((void **)&c, 64, 0));
    CHECK(cudaMemcpy(c, from, 32, cudaMemcpyHostToDevice));
    CHECK(cudaFreeAsync(c, 0));
    WANT(cudaMemcpyPeer(b, 1, a, 0, 16) != cudaSuccess);
    cudaGetLastError();
}

static void host_memory(void)
{
    static int registered[256];
    cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
    int *mapped, *same, *shared;
    unsigned flags = 0;

    CHECK(cudaHostAlloc((void **)&mapped, 256, cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer((void **)&same, mapped, 0));
    CHECK(cudaHostGetFlags(&flags, mapped));
    WANT(flags & cudaHostAllocMapped);
    mapped[3] = 4;
    add<<<1, 32, 128>>>(same, 5);
    CHECK(cudaDeviceSynchronize());
    WANT(mapped[3] == 9);
    CHECK(cudaFreeHost(mapped));
    CHECK(cudaHostRegister(registered, sizeof(registered),
                           cudaHostRegisterDefault));
    CHECK(cudaHostUnregister(registered));
    CHECK(cudaMallocManaged(&shared, 128));
    CHECK(cudaMemAdvise(shared, 128, cudaMemAdviseSetReadMostly, here));
    CHECK(cudaMemPrefetchAsync(shared, 128, here, 0, 0));
    managed++;
    add<<<1, 32, 128>>>(shared, managed);
    CHECK(cudaDeviceSynchronize());
    WANT(shared[31] == 8);
    CHECK(cudaFree(shared));
}

static void arrays(void)
{
    int from[12], got[12] = {0};
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>(), told;
    cudaExtent extent;
    unsigned flags = 9;
    cudaArray_t array, box;

    for (int i = 0; i < 12; i++) {
        from[i] = i;
    }
    CHECK(cudaMallocArray(&array, &format, 4, 3, cudaArraySurfaceLoadStore));
    CHECK(cudaMemcpy2DToArrayAsync(array, 0, 0, from, 16, 16, 3,
                                   cudaMemcpyHostToDevice, 0));
    CHECK(cudaMemcpy2DFromArray(got, 16, array, 4, 1, 8, 2,
                                cudaMemcpyDeviceToHost));
    WANT(got[0] == 5 && got[1] == 6 && got[4] == 9 && got[5] == 10);
    CHECK(cudaArrayGetInfo(&told, &extent, &flags, array));
    WANT(told.x == 32 && told.f == cudaChannelFormatKindSigned);
    WANT(extent.width == 4 && extent.height == 3 && extent.depth == 0);
    CHECK(cudaGetChannelDesc(&told, array));
    WANT(told.x == 32 && told.y == 0);
    CHECK(cudaMemcpyToArray(array, 4, 1, &from[10], 8, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpyFromArray(got, array, 0, 1, 16, cudaMemcpyDeviceToHost));
    WANT(got[0] == 4 && got[1] == 10 && got[2] == 11 && got[3] == 7);

    cudaResourceDesc resource = {};
    cudaSurfaceObject_t surface;
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    CHECK(cudaCreateSurfaceObject(&surface, &resource));
    to_surface<<<1, dim3(4, 3)>>>(surface);
    CHECK(cudaMemcpy2DFromArray(got, 16, array, 0, 0, 16, 3,
                                cudaMemcpyDeviceToHost));
    WANT(got[3] == 3 && got[4] == 10 && got[11] == 23);
    CHECK(cudaDestroySurfaceObject(surface));

    CHECK(cudaMalloc3DArray(&box, &format, make_cudaExtent(2, 2, 3)));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(from, 8, 2, 2);
    copy.dstArray = box;
    copy.extent = make_cudaExtent(2, 2, 3);
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    memset(got, 0, sizeof(got));
    copy = {};
    copy.srcArray = box;
    copy.dstPtr = make_cudaPitchedPtr(got, 8, 2, 2);
    copy.extent = make_cudaExtent(2, 2, 3);
    copy.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&copy));
    WANT(memcmp(got, from, sizeof(from)) == 0);
    CHECK(cudaFreeArray(array));
    CHECK(cudaFreeArray(box));
}

static void note(void *data)
{
    (*(int *)data)++;
}

static void note_status(cudaStream_t, cudaError_t status, void *data)
{
    *(int *)data += status == cudaSuccess ? 10 : 100;
}

static void streams(void)
{
    int least = 9, greatest = 9, priority = 9, noted = 0;
    unsigned long long id[2];
    unsigned flags = 0;
    cudaStream_t stream, other;
    cudaEvent_t event;
    float ms;

    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    WANT(greatest <= least);
    CHECK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, least));
    CHECK(cudaStreamCreate(&other));
    CHECK(cudaStreamGetPriority(stream, &priority));
    CHECK(cudaStreamGetFlags(stream, &flags));
    WANT(priority == least && flags == cudaStreamNonBlocking);
    CHECK(cudaStreamGetId(stream, &id[0]));
    CHECK(cudaStreamGetId(other, &id[1]));
    WANT(id[0] != id[1]);
    CHECK(cudaLaunchHostFunc(stream, note, &noted));
    CHECK(cudaStreamAddCallback(stream, note_status, &noted, 0));
    CHECK(cudaStreamSynchronize(stream));
    WANT(noted == 11);
    CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    CHECK(cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault));
    CHECK(cudaEventSynchronize(event));
    WANT(cudaEventElapsedTime(&ms, event, event) ==
         cudaErrorInvalidResourceHandle);
    WANT(cudaGetLastError() == cudaErrorInvalidResourceHandle);
    CHECK(cudaEventDestroy(event));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaStreamDestroy(other));
}

static void the_device(void)
{
    cudaDeviceProp wish = {};
    cudaFuncCache cache;
    cudaSharedMemConfig banks;
    int number = 9, version = 0, yes = 9;
    unsigned flags;
    size_t limit;
    char bus[32];

    CHECK(cudaInitDevice(0, 0, 0));
    CHECK(cudaSetValidDevices(&(number = 0), 1));
    CHECK(cudaChooseDevice(&number, &wish));
    CHECK(cudaGetDevice(&number));
    WANT(number == 0);
    CHECK(cudaDeviceGetPCIBusId(bus, sizeof(bus), 0));
    CHECK(cudaDeviceGetByPCIBusId(&(number = 9), bus));
    WANT(strlen(bus) == 12 && number == 0);
    CHECK(cudaDeviceCanAccessPeer(&yes, 0, 0));
    WANT(yes == 0);
    WANT(cudaDeviceEnablePeerAccess(1, 0) == cudaErrorInvalidDevice);
    WANT(cudaDeviceDisablePeerAccess(1) == cudaErrorInvalidDevice);
    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 24));
    CHECK(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
    WANT(limit >= 1 << 20);
    CHECK(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
    CHECK(cudaDeviceGetCacheConfig(&cache));
    CHECK(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeFourByte));
    CHECK(cudaDeviceGetSharedMemConfig(&banks));
    WANT(banks == cudaSharedMemBankSizeFourByte);
    CHECK(cudaSetDeviceFlags(cudaDeviceScheduleAuto));
    CHECK(cudaGetDeviceFlags(&flags));
    CHECK(cudaDriverGetVersion(&version));
    WANT(version >= CUDART_VERSION);
    CHECK(cudaProfilerStart());
    CHECK(cudaProfilerStop());
    cudaGetLastError();
}

static void kernels(void)
{
    int value = 3, *data = device<int>(32);
    void *args[] = {&data, &value};
    const char *name = "";
    cudaKernel_t kernel;
    cudaFunction_t function;
    cudaLaunchConfig_t how = {};
    cudaFuncAttributes about;
    size_t bytes = 0;

    CHECK(cudaMemset(data, 0, 128));
    CHECK(cudaFuncSetAttribute(add, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               4096));
    CHECK(cudaFuncGetAttributes(&about, add));
    WANT(about.maxDynamicSharedSizeBytes == 4096);
    CHECK(cudaFuncSetCacheConfig(add, cudaFuncCachePreferShared));
    CHECK(cudaFuncSetSharedMemConfig(add, cudaSharedMemBankSizeFourByte));
    CHECK(cudaFuncGetName(&name, (const void *)add));
    WANT(strstr(name, "add") != nullptr);
    CHECK(cudaGetKernel(&kernel, (const void *)add));
    CHECK(cudaGetFuncBySymbol(&function, (const void *)add));
    WANT(kernel != nullptr && function != nullptr);
    how.gridDim = dim3(1);
    how.blockDim = dim3(32);
    how.dynamicSmemBytes = 128;
    CHECK(cudaLaunchKernelExC(&how, (const void *)add, args));
    CHECK(cudaLaunchKernelEx(&how, add, data, 4));
    WANT(download(data, 32)[31] == 7);
    CHECK(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, add, 2, 64));
    WANT(bytes == 24576); /* half of 48 KiB */
}

int main()
{
    fills();
    copies();
    host_memory();
    arrays();
    streams();
    the_device();
    kernels();
    CHECK(cudaGetLastError());
    printf("%s\n", bad == 0 ? "PASSED" : "FAILED");
    return bad != 0;
}
