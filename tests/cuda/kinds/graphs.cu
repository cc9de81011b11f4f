/*
 * Graphs: made of nodes, captured from streams that fork and join, updated,
 * launched again, with memory of their own.
 */
#include "../hosts/host.h"

__global__ void scale(int *data, int n, int by)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (i < n) {
        data[i] *= by;
    }
}

__global__ void sum(const int *a, const int *b, int *out, int n)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (i < n) {
        out[i] = a[i] + b[i];
    }
}

static void count(void *to)
{
    ++*(int *)to;
}

static const int n = 500;

/* Two branches, each with a kernel, which a third joins. */
static std::vector<int> captured(int *a, int *b, int *out)
{
    cudaStream_t one, two;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t exec;

    CHECK(cudaStreamCreate(&one));
    CHECK(cudaStreamCreate(&two));
    CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    CHECK(cudaEventRecord(fork, one));
    CHECK(cudaStreamWaitEvent(two, fork, 0));
    scale<<<blocks(n), 256, 0, one>>>(a, n, 2);
    scale<<<blocks(n), 256, 0, two>>>(b, n, 3);
    CHECK(cudaEventRecord(join, two));
    CHECK(cudaStreamWaitEvent(one, join, 0));
    sum<<<blocks(n), 256, 0, one>>>(a, b, out, n);
    CHECK(cudaStreamEndCapture(one, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int k = 0; k < 3; k++) {
        CHECK(cudaGraphLaunch(exec, one));
    }
    CHECK(cudaStreamSynchronize(one));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    return download(out, n);
}

/* A kernel whose factor changes between launches, and a node of the host. */
static int built(int *data, int *calls)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t fill, kernel, host;
    cudaMemsetParams zero = {};
    cudaKernelNodeParams call = {};
    cudaHostNodeParams function = {count, calls};
    int by = 5, size = n;
    void *args[] = {&data, &size, &by};

    zero.dst = data;
    zero.value = 1;
    zero.elementSize = 4;
    zero.width = n;
    zero.height = 1;
    call.func = (void *)scale;
    call.gridDim = dim3((unsigned)blocks(n));
    call.blockDim = dim3(256);
    call.kernelParams = args;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &zero));
    CHECK(cudaGraphAddKernelNode(&kernel, graph, &fill, 1, &call));
    CHECK(cudaGraphAddHostNode(&host, graph, &kernel, 1, &function));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaDeviceSynchronize());
    int first = download(data, n)[n - 1];
    by = 9;
    CHECK(cudaGraphExecKernelNodeSetParams(exec, kernel, &call));
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaDeviceSynchronize());
    return first == 5 && download(data, n)[n - 1] == 9 && *calls == 2;
}

int main()
{
    std::vector<int> one(n, 1), want(n, 8 + 27);
    int *a = upload(one), *b = upload(one), *out = device<int>(n), calls = 0;

    if (!built(out, &calls)) {
        return result("of the graph that was built differs", 0);
    }
    return compare(captured(a, b, out), want);
}
