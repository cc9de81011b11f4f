/*
 * A case of driver_test.c about graphs, captures and pools: what is the
 * runtime's by another name, and what is not.
 */
#include "cuda/driver/abi.h"
#include "cuda/graph_nodes.h"
#include "tests/cuda/driver_cases.h"

struct cuda_pool;

int cuGraphCreate(struct cuda_graph **graph, unsigned flags);
int cuGraphDestroy(struct cuda_graph *graph);
int cuGraphAddKernelNode_v2(struct cuda_node **made, struct cuda_graph *graph,
                            struct cuda_node *const *before, size_t count,
                            const void *p);
int cuGraphExecKernelNodeSetParams_v2(struct cuda_exec *exec,
                                      struct cuda_node *node, const void *p);
int cuGraphAddMemsetNode(struct cuda_node **made, struct cuda_graph *graph,
                         struct cuda_node *const *before, size_t count,
                         const struct cuda_fill_params *p, const void *context);
int cuGraphAddMemcpyNode(struct cuda_node **made, struct cuda_graph *graph,
                         struct cuda_node *const *before, size_t count,
                         const struct driver_copy3d *p, const void *context);
int cuGraphMemcpyNodeGetParams(struct cuda_node *node, struct driver_copy3d *p);
int cuGraphConditionalHandleCreate(uint64_t *handle, struct cuda_graph *graph,
                                   unsigned value, unsigned flags);
int cuGraphAddNode_v2(struct cuda_node **made, struct cuda_graph *graph,
                      struct cuda_node *const *before, const void *edges,
                      size_t count, void *p);
int cuGraphInstantiateWithFlags(struct cuda_exec **exec,
                                struct cuda_graph *graph, uint64_t flags);
int cuGraphLaunch(struct cuda_exec *exec, void *stream);
int cuGraphExecUpdate_v2(struct cuda_exec *exec, struct cuda_graph *graph,
                         struct loom_cuda_update *info);
int cuGraphExecDestroy(struct cuda_exec *exec);
int cuStreamBeginCapture_v2(void *stream, int mode);
int cuStreamEndCapture(void *stream, struct cuda_graph **graph);
int cuDeviceGetDefaultMemPool(struct cuda_pool **pool, int device);
int cuMemAllocFromPoolAsync(address *at, size_t bytes, struct cuda_pool *pool,
                            void *stream);
int cuMemsetD32Async(address at, unsigned value, size_t count, void *stream);
int cuMemPoolGetAttribute(struct cuda_pool *pool, int attribute, void *value);

int cuStreamSetAttribute(void *stream, int attribute, const void *value);
int cuStreamGetAttribute(void *stream, int attribute, void *value);
int cuMemRangeGetAttribute(void *value, size_t room, int attribute, address at,
                           size_t bytes);
int cuDeviceGetP2PAttribute(int *value, int attribute, int device, int peer);

enum {
    N = 128
};

static uint32_t worked(uint32_t v, uint32_t rounds)
{
    while (rounds-- > 0) {
        v = 3 * v + 1;
    }
    return v;
}

struct kernel_params {
    struct cuda_kernel_params plain;
    const void *kernel, *context;
};

/* A fill, a kernel, a copy to the host, in one graph. */
static void in_nodes(void *work, address at)
{
    struct cuda_graph *graph;
    struct cuda_exec *exec;
    struct cuda_node *fill, *node, *copy;
    uint32_t out[N], rounds = 3;
    void *args[] = {&at, &rounds};
    struct cuda_fill_params zeros = {(void *)(uintptr_t)at, 0, 5, 4, N, 1};
    struct kernel_params kernel = {
        .plain = {.grid = {1, 1, 1}, .block = {N, 1, 1}, .args = args},
        .kernel = work};
    struct driver_copy3d box = {.from = {.type = 2, .device = at},
                                .to = {.type = 1, .host = out},
                                .width = sizeof(out),
                                .height = 1,
                                .depth = 1};
    struct driver_copy3d got;

    DRIVER_OK(cuGraphCreate(&graph, 0));
    DRIVER_OK(cuGraphAddMemsetNode(&fill, graph, NULL, 0, &zeros, NULL));
    DRIVER_OK(cuGraphAddKernelNode_v2(&node, graph, &fill, 1, &kernel));
    DRIVER_OK(cuGraphAddMemcpyNode(&copy, graph, &node, 1, &box, NULL));
    DRIVER_OK(cuGraphMemcpyNodeGetParams(copy, &got));
    DRIVER_HOLDS(got.from.device == at && got.to.host == out &&
                 got.width == sizeof(out));
    DRIVER_OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    DRIVER_OK(cuGraphLaunch(exec, NULL));
    DRIVER_OK(cuCtxSynchronize());
    DRIVER_HOLDS(out[9] == worked(5, 3));
    rounds = 6;
    DRIVER_OK(cuGraphExecKernelNodeSetParams_v2(exec, node, &kernel));
    DRIVER_OK(cuGraphLaunch(exec, NULL));
    DRIVER_OK(cuCtxSynchronize());
    DRIVER_HOLDS(out[9] == worked(5, 6));
    DRIVER_OK(cuGraphExecDestroy(exec));
    DRIVER_OK(cuGraphDestroy(graph));
}

/* The same of what a stream is told. */
static void in_a_stream(void *work, address at)
{
    struct loom_cuda_update info;
    struct cuda_graph *graph, *other;
    struct cuda_exec *exec;
    struct cuda_pool *pool;
    uint32_t out[N], rounds = 2;
    void *stream, *args[] = {&at, &rounds};
    uint64_t used, window[8] = {0};
    address taken;

    DRIVER_OK(cuStreamCreate(&stream, 0));
    for (int i = 0; i < 2; i++) {
        DRIVER_OK(cuStreamBeginCapture_v2(stream, 0));
        DRIVER_OK(cuMemsetD32Async(at, 1, N, stream));
        DRIVER_OK(
            cuLaunchKernel(work, 1, 1, 1, N, 1, 1, 0, stream, args, NULL));
        DRIVER_OK(cuStreamEndCapture(stream, i == 0 ? &graph : &other));
        rounds++;
    }
    DRIVER_OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    DRIVER_OK(cuGraphExecUpdate_v2(exec, other, &info));
    DRIVER_HOLDS(info.result == 0);
    DRIVER_OK(cuGraphLaunch(exec, stream));
    DRIVER_OK(cuMemcpyDtoH_v2(out, at, sizeof(out)));
    DRIVER_HOLDS(out[77] == worked(1, 3));
    DRIVER_OK(cuGraphExecDestroy(exec));
    DRIVER_OK(cuGraphDestroy(graph));
    DRIVER_OK(cuGraphDestroy(other));

    DRIVER_OK(cuDeviceGetDefaultMemPool(&pool, 0));
    DRIVER_OK(cuMemAllocFromPoolAsync(&taken, 512, pool, stream));
    DRIVER_OK(cuMemPoolGetAttribute(pool, 7, &used));
    DRIVER_HOLDS(used == 512);
    DRIVER_OK(cuMemFreeAsync(taken, stream));
    window[1] = 64;
    DRIVER_OK(cuStreamSetAttribute(stream, 1, window));
    window[1] = 0;
    DRIVER_OK(cuStreamGetAttribute(stream, 1, window));
    DRIVER_HOLDS(window[1] == 64);
    DRIVER_WANT(cuMemRangeGetAttribute(window, 4, 1, at, 4), INVALID_VALUE);
    DRIVER_WANT(cuDeviceGetP2PAttribute((int *)window, 1, 0, 1),
                INVALID_DEVICE);
    DRIVER_OK(cuStreamDestroy_v2(stream));
}

/* A kernel that is done until a number is 0. */
static void in_a_loop(void *count_down, address at)
{
    struct cuda_node_params p = {.type = NODE_CONDITIONAL};
    struct kernel_params kernel = {
        .plain = {.grid = {1, 1, 1}, .block = {1, 1, 1}}, .kernel = count_down};
    struct cuda_graph *graph;
    struct cuda_exec *exec;
    struct cuda_node *node;
    uint64_t handle;
    uint32_t out[N];
    void *args[] = {&at, &handle};

    kernel.plain.args = args;
    DRIVER_OK(cuGraphCreate(&graph, 0));
    DRIVER_OK(cuGraphConditionalHandleCreate(&handle, graph, 1, 1));
    p.of.condition =
        (struct cuda_condition_params){handle, CONDITION_WHILE, 1, NULL};
    DRIVER_OK(cuGraphAddNode_v2(&node, graph, NULL, NULL, 0, &p));
    DRIVER_OK(cuGraphAddKernelNode_v2(&node, p.of.condition.body[0], NULL, 0,
                                      &kernel));
    DRIVER_OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    DRIVER_OK(cuGraphLaunch(exec, NULL));
    DRIVER_OK(cuMemcpyDtoH_v2(out, at, sizeof(out)));
    DRIVER_HOLDS(out[0] == 0 && out[1] > 0);
    DRIVER_OK(cuGraphExecDestroy(exec));
    DRIVER_OK(cuGraphDestroy(graph));
}

void case_graph(void)
{
    void *module, *work, *count_down;
    address at;

    begin();
    DRIVER_OK(cuModuleLoadData(&module, kernels()));
    DRIVER_OK(cuModuleGetFunction(&work, module, "work"));
    DRIVER_OK(cuMemAlloc_v2(&at, 4 * N));
    in_nodes(work, at);
    in_a_stream(work, at);
    DRIVER_OK(cuModuleGetFunction(&count_down, module, "count_down"));
    in_a_loop(count_down, at);
    DRIVER_OK(cuMemFree_v2(at));
}
