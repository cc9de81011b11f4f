/*
 * Several devices: variables, streams, events and pools of each, peers, one
 * graph over two, threads, and what is an error.
 */
#include <cuda.h>

#include <cstring>
#include <thread>

#include "../hosts/host.h"

__device__ int base;
__constant__ int step;
__managed__ int sum;

__global__ void fill(int *data, int n)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (i < n) {
        data[i] = base + i * step;
    }
}

__global__ void add(int *to, const int *from, int n)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (i < n) {
        to[i] += from[i];
    }
}

__global__ void count(void)
{
    atomicAdd(&sum, base);
}

static int failures;

static void expect(bool ok, const char *what)
{
    if (!ok) {
        printf("FAILED: %s\n", what);
        failures++;
    }
}

#define EXPECT(e) expect(e, #e)
#define EXPECT_ERROR(call, error)                                              \
    do {                                                                       \
        EXPECT((call) == (error));                                             \
        cudaGetLastError();                                                    \
    } while (0)

enum {
    N = 5000,
    BYTES = N * sizeof(int)
};

static std::vector<int> host_of(const int *data)
{
    std::vector<int> got(N);

    CHECK(cudaMemcpy(got.data(), data, BYTES, cudaMemcpyDefault));
    return got;
}

/* What device d has made: fill(). */
static int made(int d, int i)
{
    return 1000 * (d + 1) + i * (d + 1);
}

static void check_properties(int devices)
{
    for (int d = 0; d < devices; d++) {
        cudaDeviceProp p;
        char id[32];
        int found = -1, bus = -1;

        CHECK(cudaGetDeviceProperties(&p, d));
        CHECK(cudaDeviceGetPCIBusId(id, sizeof(id), d));
        CHECK(cudaDeviceGetByPCIBusId(&found, id));
        CHECK(cudaDeviceGetAttribute(&bus, cudaDevAttrPciBusId, d));
        EXPECT(found == d && bus == p.pciBusID && bus == d + 1);
    }
    EXPECT_ERROR(cudaSetDevice(devices), cudaErrorInvalidDevice);
    EXPECT_ERROR(cudaSetDevice(-1), cudaErrorInvalidDevice);
}

/* Each has variables of its own, and what all of them manage. */
static void check_variables(int devices, int **data)
{
    for (int d = 0; d < devices; d++) {
        int b = 1000 * (d + 1), s = d + 1;

        CHECK(cudaSetDevice(d));
        CHECK(cudaMemcpyToSymbol(base, &b, sizeof(b)));
        CHECK(cudaMemcpyToSymbol(step, &s, sizeof(s)));
        CHECK(cudaMalloc(&data[d], BYTES));
    }
    sum = 5;
    for (int d = 0; d < devices; d++) {
        CHECK(cudaSetDevice(d));
        fill<<<blocks(N), 256>>>(data[d], N);
        count<<<1, 2>>>();
    }
    for (int d = 0; d < devices; d++) {
        cudaPointerAttributes a;
        void *at = NULL, *other = NULL;

        CHECK(cudaSetDevice(d));
        CHECK(cudaDeviceSynchronize());
        for (int i = 0; i < N; i += 7) {
            EXPECT(host_of(data[d])[i] == made(d, i));
            i += 900;
        }
        CHECK(cudaPointerGetAttributes(&a, data[d]));
        EXPECT(a.type == cudaMemoryTypeDevice && a.device == d);
        CHECK(cudaGetSymbolAddress(&at, base));
        CHECK(cudaPointerGetAttributes(&a, at));
        EXPECT(a.device == d);
        CHECK(cudaSetDevice((d + 1) % devices));
        CHECK(cudaGetSymbolAddress(&other, base));
        EXPECT(at != other);
    }
    EXPECT(sum == 5 + 2 * 1000 * devices * (devices + 1) / 2);
}

static void check_memory(int devices)
{
    size_t before, left, total;
    void *at;

    CHECK(cudaSetDevice(1));
    CHECK(cudaMemGetInfo(&before, &total));
    CHECK(cudaMalloc(&at, 1 << 20));
    CHECK(cudaMemGetInfo(&left, &total));
    EXPECT(before - left == 1 << 20);
    CHECK(cudaSetDevice(0));
    CHECK(cudaMemGetInfo(&before, &total));
    CHECK(cudaFree(at)); /* from another device */
    CHECK(cudaMemGetInfo(&left, &total));
    EXPECT(before == left);
    for (int d = 0; d < devices; d++) {
        cudaMemPool_t pool, now;
        cudaStream_t stream;
        cudaPointerAttributes a;

        CHECK(cudaSetDevice(d));
        CHECK(cudaStreamCreate(&stream));
        CHECK(cudaMallocAsync(&at, 4096, stream));
        CHECK(cudaPointerGetAttributes(&a, at));
        EXPECT(a.device == d);
        CHECK(cudaFreeAsync(at, stream));
        CHECK(cudaDeviceGetDefaultMemPool(&pool, d));
        CHECK(cudaDeviceGetMemPool(&now, d));
        EXPECT(pool == now);
        EXPECT_ERROR(cudaDeviceSetMemPool((d + 1) % devices, pool),
                     cudaErrorInvalidValue);
        CHECK(cudaStreamDestroy(stream));
    }
}

static void check_peers(int **data)
{
    int can = -1;
    std::vector<int> got;
    cudaMemcpy3DPeerParms box = {};

    CHECK(cudaDeviceCanAccessPeer(&can, 0, 1));
    EXPECT(can == 1);
    CHECK(cudaDeviceCanAccessPeer(&can, 1, 1));
    EXPECT(can == 0);
    CHECK(cudaDeviceGetP2PAttribute(&can, cudaDevP2PAttrAccessSupported, 0, 1));
    EXPECT(can == 1);
    CHECK(cudaSetDevice(0));
    EXPECT_ERROR(cudaDeviceEnablePeerAccess(0, 0), cudaErrorInvalidDevice);
    EXPECT_ERROR(cudaDeviceDisablePeerAccess(1),
                 cudaErrorPeerAccessNotEnabled);
    CHECK(cudaDeviceEnablePeerAccess(1, 0));
    EXPECT_ERROR(cudaDeviceEnablePeerAccess(1, 0),
                 cudaErrorPeerAccessAlreadyEnabled);
    add<<<blocks(N), 256>>>(data[0], data[1], N);
    got = host_of(data[0]);
    EXPECT(got[4321] == made(0, 4321) + made(1, 4321));
    CHECK(cudaMemcpyPeer(data[0], 0, data[1], 1, BYTES));
    EXPECT(host_of(data[0])[17] == made(1, 17));
    CHECK(cudaMemcpy(data[0], data[2], BYTES, cudaMemcpyDefault));
    EXPECT(host_of(data[0])[17] == made(2, 17));
    box.srcPtr = make_cudaPitchedPtr(data[1], 400, 400, N / 100);
    box.dstPtr = make_cudaPitchedPtr(data[0], 400, 400, N / 100);
    box.srcDevice = 1;
    box.extent = make_cudaExtent(200, N / 100, 1); /* half of each row */
    CHECK(cudaMemcpy3DPeer(&box));
    got = host_of(data[0]);
    EXPECT(got[149] == made(1, 149) && got[150] == made(2, 150));
    fill<<<blocks(N), 256>>>(data[0], N);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaDeviceDisablePeerAccess(1));
}

/* A ring: each device adds its own to what the one before it has made. */
static void check_events(int devices, int **data)
{
    std::vector<cudaStream_t> stream(devices);
    std::vector<cudaEvent_t> done(devices);
    std::vector<int *> room(devices);
    float ms = -1;
    cudaEvent_t begin;
    int of = -1, want = 0;

    for (int d = 0; d < devices; d++) {
        CHECK(cudaSetDevice(d));
        CHECK(cudaStreamCreateWithFlags(&stream[d], cudaStreamNonBlocking));
        CHECK(cudaEventCreate(&done[d]));
        CHECK(cudaMalloc(&room[d], BYTES));
        CHECK(cudaMemsetAsync(room[d], 0, BYTES, stream[d]));
        CHECK(cudaStreamGetDevice(stream[d], &of));
        EXPECT(of == d);
    }
    CHECK(cudaSetDevice(0));
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventRecord(begin, stream[0]));
    for (int d = 0; d < devices; d++) {
        CHECK(cudaSetDevice(d));
        if (d > 0) {
            CHECK(cudaStreamWaitEvent(stream[d], done[d - 1], 0));
            CHECK(cudaMemcpyPeerAsync(room[d], d, room[d - 1], d - 1, BYTES,
                                      stream[d]));
        }
        add<<<blocks(N), 256, 0, stream[d]>>>(room[d], data[d], N);
        CHECK(cudaEventRecord(done[d], stream[d]));
        want += made(d, 99);
    }
    CHECK(cudaEventSynchronize(done[devices - 1]));
    EXPECT(host_of(room[devices - 1])[99] == want);
    CHECK(cudaEventElapsedTime(&ms, begin, done[0]));
    EXPECT(ms >= 0);
    EXPECT_ERROR(cudaEventElapsedTime(&ms, begin, done[1]),
                 cudaErrorInvalidResourceHandle);
    CHECK(cudaSetDevice(0));
    EXPECT_ERROR(cudaEventRecord(begin, stream[1]),
                 cudaErrorInvalidResourceHandle);
    add<<<1, 1, 0, stream[1]>>>(room[0], room[0], 1); /* another's stream */
    EXPECT_ERROR(cudaGetLastError(), cudaErrorInvalidResourceHandle);
}

/* A stream of device 1 joins what is captured on device 0. */
static void check_graph(int **data)
{
    cudaStream_t one, other;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t exec;

    CHECK(cudaSetDevice(1));
    CHECK(cudaStreamCreate(&other));
    CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    CHECK(cudaMemset(data[1], 0, BYTES));
    CHECK(cudaSetDevice(0));
    CHECK(cudaMemset(data[0], 0, BYTES));
    CHECK(cudaStreamCreate(&one));
    CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    fill<<<blocks(N), 256, 0, one>>>(data[0], N);
    CHECK(cudaEventRecord(fork, one));
    CHECK(cudaSetDevice(1));
    CHECK(cudaStreamWaitEvent(other, fork, 0));
    fill<<<blocks(N), 256, 0, other>>>(data[1], N);
    add<<<blocks(N), 256, 0, other>>>(data[1], data[0], N);
    CHECK(cudaEventRecord(join, other));
    CHECK(cudaSetDevice(0));
    CHECK(cudaStreamWaitEvent(one, join, 0));
    CHECK(cudaStreamEndCapture(one, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, one));
    CHECK(cudaStreamSynchronize(one));
    EXPECT(host_of(data[0])[3] == made(0, 3));
    EXPECT(host_of(data[1])[3] == made(0, 3) + made(1, 3));
    CHECK(cudaMemset(data[0], 0, BYTES));
    CHECK(cudaGraphLaunch(exec, other)); /* of the other device */
    CHECK(cudaStreamSynchronize(other));
    EXPECT(host_of(data[0])[3] == made(0, 3));
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaDeviceSynchronize());
    EXPECT(host_of(data[1])[3] == made(0, 3) + made(1, 3));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
}

static void check_threads(int devices)
{
    std::vector<std::thread> threads;
    std::vector<int> got(devices);

    CHECK(cudaSetDevice(devices - 1));
    for (int d = 0; d < devices; d++) {
        threads.emplace_back([d, &got]() {
            int *data, now = -1;

            CHECK(cudaGetDevice(&now)); /* a thread begins with the first */
            expect(now == 0, "a thread's device");
            CHECK(cudaSetDevice(d));
            CHECK(cudaMalloc(&data, BYTES));
            fill<<<blocks(N), 256>>>(data, N);
            got[d] = host_of(data)[11];
            CHECK(cudaFree(data));
        });
    }
    for (int d = 0; d < devices; d++) {
        threads[d].join();
        EXPECT(got[d] == made(d, 11));
    }
}

/* The driver API goes where the runtime goes, and leads it. */
static void check_driver(void)
{
    CUdevice device = -1;
    CUcontext first, second, now;
    int current = -1;

    CHECK(cudaSetDevice(1));
    CHECK(cudaFree(0));
    EXPECT(cuCtxGetDevice(&device) == CUDA_SUCCESS && device == 1);
    EXPECT(cuCtxGetCurrent(&second) == CUDA_SUCCESS);
    EXPECT(cuDevicePrimaryCtxRetain(&first, 0) == CUDA_SUCCESS);
    EXPECT(first != second);
    EXPECT(cuCtxPushCurrent(first) == CUDA_SUCCESS);
    CHECK(cudaGetDevice(&current));
    EXPECT(current == 0);
    EXPECT(cuCtxEnablePeerAccess(second, 0) == CUDA_SUCCESS);
    EXPECT(cuCtxEnablePeerAccess(second, 0) ==
           CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
    EXPECT(cuCtxDisablePeerAccess(second) == CUDA_SUCCESS);
    EXPECT(cuCtxPopCurrent(&now) == CUDA_SUCCESS && now == first);
    CHECK(cudaGetDevice(&current));
    EXPECT(current == 1);
    EXPECT(cuDevicePrimaryCtxRelease(0) == CUDA_SUCCESS);
}

int main()
{
    int devices = 0;
    int *data[16] = {};

    CHECK(cudaGetDeviceCount(&devices));
    if (devices < 3) {
        printf("FAILED: %d devices, expected 3\n", devices);
        return 1;
    }
    check_properties(devices);
    check_variables(devices, data);
    check_memory(devices);
    check_peers(data);
    check_events(devices, data);
    check_graph(data);
    check_threads(devices);
    check_driver();
    printf("%d devices: %s\n", devices, failures == 0 ? "PASSED" : "FAILED");
    return failures != 0;
}
