/*
 * Functions of the driver API about graphs that are the runtime's by another
 * name.
 */
#include "cuda/driver/driver.h"
#include "cuda/graph_calls.h"

/* ---- graphs, nodes ---- */

LOOM_CUDA(int, cuGraphCreate, struct cuda_graph **made, unsigned flags)
{
    return LOOM_DRIVEN(cudaGraphCreate(made, flags));
}

LOOM_CUDA(int, cuGraphDestroy, struct cuda_graph *graph)
{
    return LOOM_DRIVEN(cudaGraphDestroy(graph));
}

LOOM_CUDA(int, cuGraphClone, struct cuda_graph **made,
          struct cuda_graph *handle)
{
    return LOOM_DRIVEN(cudaGraphClone(made, handle));
}

LOOM_CUDA(int, cuGraphDebugDotPrint, struct cuda_graph *graph, const char *path,
          unsigned flags)
{
    return LOOM_DRIVEN(cudaGraphDebugDotPrint(graph, path, flags));
}

LOOM_CUDA(int, cuGraphDestroyNode, struct cuda_node *handle)
{
    return LOOM_DRIVEN(cudaGraphDestroyNode(handle));
}

LOOM_CUDA(int, cuGraphNodeFindInClone, struct cuda_node **found,
          struct cuda_node *original, struct cuda_graph *clone)
{
    return LOOM_DRIVEN(cudaGraphNodeFindInClone(found, original, clone));
}

LOOM_CUDA(int, cuGraphNodeGetType, struct cuda_node *handle, int *type)
{
    return LOOM_DRIVEN(cudaGraphNodeGetType(handle, type));
}

LOOM_CUDA(int, cuGraphGetNodes, struct cuda_graph *graph,
          struct cuda_node **nodes, size_t *count)
{
    return LOOM_DRIVEN(cudaGraphGetNodes(graph, nodes, count));
}

LOOM_CUDA(int, cuGraphGetRootNodes, struct cuda_graph *graph,
          struct cuda_node **nodes, size_t *count)
{
    return LOOM_DRIVEN(cudaGraphGetRootNodes(graph, nodes, count));
}

LOOM_CUDA(int, cuGraphGetEdges, struct cuda_graph *handle,
          struct cuda_node **from, struct cuda_node **to, size_t *count)
{
    return LOOM_DRIVEN(cudaGraphGetEdges_v2(handle, from, to, NULL, count));
}

LOOM_CUDA(int, cuGraphGetEdges_v2, struct cuda_graph *handle,
          struct cuda_node **from, struct cuda_node **to, void *data,
          size_t *count)
{
    return LOOM_DRIVEN(cudaGraphGetEdges_v2(handle, from, to, data, count));
}

LOOM_CUDA(int, cuGraphNodeGetDependencies, struct cuda_node *node,
          struct cuda_node **nodes, size_t *count)
{
    return LOOM_DRIVEN(
        cudaGraphNodeGetDependencies_v2(node, nodes, NULL, count));
}

LOOM_CUDA(int, cuGraphNodeGetDependencies_v2, struct cuda_node *node,
          struct cuda_node **nodes, void *data, size_t *count)
{
    return LOOM_DRIVEN(
        cudaGraphNodeGetDependencies_v2(node, nodes, data, count));
}

LOOM_CUDA(int, cuGraphNodeGetDependentNodes, struct cuda_node *node,
          struct cuda_node **nodes, size_t *count)
{
    return LOOM_DRIVEN(
        cudaGraphNodeGetDependentNodes_v2(node, nodes, NULL, count));
}

LOOM_CUDA(int, cuGraphNodeGetDependentNodes_v2, struct cuda_node *node,
          struct cuda_node **nodes, void *data, size_t *count)
{
    return LOOM_DRIVEN(
        cudaGraphNodeGetDependentNodes_v2(node, nodes, data, count));
}

LOOM_CUDA(int, cuGraphAddDependencies, struct cuda_graph *graph,
          struct cuda_node *const *from, struct cuda_node *const *to,
          size_t count)
{
    return LOOM_DRIVEN(
        cudaGraphAddDependencies_v2(graph, from, to, NULL, count));
}

LOOM_CUDA(int, cuGraphAddDependencies_v2, struct cuda_graph *graph,
          struct cuda_node *const *from, struct cuda_node *const *to,
          const void *data, size_t count)
{
    return LOOM_DRIVEN(
        cudaGraphAddDependencies_v2(graph, from, to, data, count));
}

LOOM_CUDA(int, cuGraphRemoveDependencies, struct cuda_graph *graph,
          struct cuda_node *const *from, struct cuda_node *const *to,
          size_t count)
{
    return LOOM_DRIVEN(
        cudaGraphRemoveDependencies_v2(graph, from, to, NULL, count));
}

LOOM_CUDA(int, cuGraphRemoveDependencies_v2, struct cuda_graph *graph,
          struct cuda_node *const *from, struct cuda_node *const *to,
          const void *data, size_t count)
{
    return LOOM_DRIVEN(
        cudaGraphRemoveDependencies_v2(graph, from, to, data, count));
}

LOOM_CUDA(int, cuGraphAddEmptyNode, struct cuda_node **made,
          struct cuda_graph *graph, struct cuda_node *const *before,
          size_t count)
{
    return LOOM_DRIVEN(cudaGraphAddEmptyNode(made, graph, before, count));
}

LOOM_CUDA(int, cuGraphAddHostNode, struct cuda_node **made,
          struct cuda_graph *graph, struct cuda_node *const *before,
          size_t count, const struct cuda_host_params *p)
{
    return LOOM_DRIVEN(cudaGraphAddHostNode(made, graph, before, count, p));
}

LOOM_CUDA(int, cuGraphHostNodeGetParams, struct cuda_node *node,
          struct cuda_host_params *p)
{
    return LOOM_DRIVEN(cudaGraphHostNodeGetParams(node, p));
}

LOOM_CUDA(int, cuGraphHostNodeSetParams, struct cuda_node *node,
          const struct cuda_host_params *p)
{
    return LOOM_DRIVEN(cudaGraphHostNodeSetParams(node, p));
}

LOOM_CUDA(int, cuGraphExecHostNodeSetParams, struct cuda_exec *exec,
          struct cuda_node *node, const struct cuda_host_params *p)
{
    return LOOM_DRIVEN(cudaGraphExecHostNodeSetParams(exec, node, p));
}

LOOM_CUDA(int, cuGraphMemsetNodeGetParams, struct cuda_node *node,
          struct cuda_fill_params *p)
{
    return LOOM_DRIVEN(cudaGraphMemsetNodeGetParams(node, p));
}

LOOM_CUDA(int, cuGraphMemsetNodeSetParams, struct cuda_node *node,
          const struct cuda_fill_params *p)
{
    return LOOM_DRIVEN(cudaGraphMemsetNodeSetParams(node, p));
}

LOOM_CUDA(int, cuGraphAddChildGraphNode, struct cuda_node **made,
          struct cuda_graph *graph, struct cuda_node *const *before,
          size_t count, struct cuda_graph *child)
{
    return LOOM_DRIVEN(
        cudaGraphAddChildGraphNode(made, graph, before, count, child));
}

LOOM_CUDA(int, cuGraphChildGraphNodeGetGraph, struct cuda_node *node,
          struct cuda_graph **graph)
{
    return LOOM_DRIVEN(cudaGraphChildGraphNodeGetGraph(node, graph));
}

LOOM_CUDA(int, cuGraphExecChildGraphNodeSetParams, struct cuda_exec *exec,
          struct cuda_node *handle, struct cuda_graph *graph)
{
    return LOOM_DRIVEN(
        cudaGraphExecChildGraphNodeSetParams(exec, handle, graph));
}

LOOM_CUDA(int, cuGraphAddEventRecordNode, struct cuda_node **made,
          struct cuda_graph *graph, struct cuda_node *const *before,
          size_t count, void *event)
{
    return LOOM_DRIVEN(
        cudaGraphAddEventRecordNode(made, graph, before, count, event));
}

LOOM_CUDA(int, cuGraphAddEventWaitNode, struct cuda_node **made,
          struct cuda_graph *graph, struct cuda_node *const *before,
          size_t count, void *event)
{
    return LOOM_DRIVEN(
        cudaGraphAddEventWaitNode(made, graph, before, count, event));
}

LOOM_CUDA(int, cuGraphEventRecordNodeGetEvent, struct cuda_node *node,
          void **event)
{
    return LOOM_DRIVEN(cudaGraphEventRecordNodeGetEvent(node, event));
}

LOOM_CUDA(int, cuGraphEventRecordNodeSetEvent, struct cuda_node *node,
          void *event)
{
    return LOOM_DRIVEN(cudaGraphEventRecordNodeSetEvent(node, event));
}

LOOM_CUDA(int, cuGraphExecEventRecordNodeSetEvent, struct cuda_exec *exec,
          struct cuda_node *node, void *event)
{
    return LOOM_DRIVEN(cudaGraphExecEventRecordNodeSetEvent(exec, node, event));
}

LOOM_CUDA(int, cuGraphEventWaitNodeGetEvent, struct cuda_node *node,
          void **event)
{
    return LOOM_DRIVEN(cudaGraphEventWaitNodeGetEvent(node, event));
}

LOOM_CUDA(int, cuGraphEventWaitNodeSetEvent, struct cuda_node *node,
          void *event)
{
    return LOOM_DRIVEN(cudaGraphEventWaitNodeSetEvent(node, event));
}

LOOM_CUDA(int, cuGraphExecEventWaitNodeSetEvent, struct cuda_exec *exec,
          struct cuda_node *node, void *event)
{
    return LOOM_DRIVEN(cudaGraphExecEventWaitNodeSetEvent(exec, node, event));
}

LOOM_CUDA(int, cuGraphAddMemAllocNode, struct cuda_node **made,
          struct cuda_graph *graph, struct cuda_node *const *before,
          size_t count, struct cuda_alloc_params *p)
{
    return LOOM_DRIVEN(cudaGraphAddMemAllocNode(made, graph, before, count, p));
}

LOOM_CUDA(int, cuGraphMemAllocNodeGetParams, struct cuda_node *node,
          struct cuda_alloc_params *p)
{
    return LOOM_DRIVEN(cudaGraphMemAllocNodeGetParams(node, p));
}

LOOM_CUDA(int, cuGraphAddMemFreeNode, struct cuda_node **made,
          struct cuda_graph *graph, struct cuda_node *const *before,
          size_t count, void *at)
{
    return LOOM_DRIVEN(cudaGraphAddMemFreeNode(made, graph, before, count, at));
}

LOOM_CUDA(int, cuGraphMemFreeNodeGetParams, struct cuda_node *node, void **at)
{
    return LOOM_DRIVEN(cudaGraphMemFreeNodeGetParams(node, at));
}

LOOM_CUDA(int, cuGraphConditionalHandleCreate, uint64_t *handle,
          struct cuda_graph *graph, unsigned value, unsigned flags)
{
    return LOOM_DRIVEN(
        cudaGraphConditionalHandleCreate(handle, graph, value, flags));
}

LOOM_CUDA(int, cuGraphKernelNodeSetAttribute, struct cuda_node *handle,
          int attribute, const void *value)
{
    return LOOM_DRIVEN(
        cudaGraphKernelNodeSetAttribute(handle, attribute, value));
}

LOOM_CUDA(int, cuGraphKernelNodeGetAttribute, struct cuda_node *node,
          int attribute, void *value)
{
    return LOOM_DRIVEN(cudaGraphKernelNodeGetAttribute(node, attribute, value));
}

LOOM_CUDA(int, cuGraphKernelNodeCopyAttributes, struct cuda_node *to,
          struct cuda_node *from)
{
    return LOOM_DRIVEN(loom_cuda_copy_attributes(to, from));
}

/* ---- what is launched ---- */

LOOM_CUDA(int, cuGraphInstantiateWithFlags, struct cuda_exec **made,
          struct cuda_graph *graph, uint64_t flags)
{
    return LOOM_DRIVEN(cudaGraphInstantiateWithFlags(made, graph, flags));
}

LOOM_CUDA(int, cuGraphInstantiateWithParams, struct cuda_exec **made,
          struct cuda_graph *graph, struct cuda_instantiate *how)
{
    return LOOM_DRIVEN(cudaGraphInstantiateWithParams(made, graph, how));
}

LOOM_CUDA(int, cuGraphLaunch, struct cuda_exec *handle, void *stream)
{
    return LOOM_DRIVEN(cudaGraphLaunch(handle, stream));
}

LOOM_CUDA(int, cuGraphUpload, struct cuda_exec *exec, void *stream)
{
    return LOOM_DRIVEN(cudaGraphUpload(exec, stream));
}

LOOM_CUDA(int, cuGraphExecDestroy, struct cuda_exec *handle)
{
    return LOOM_DRIVEN(cudaGraphExecDestroy(handle));
}

LOOM_CUDA(int, cuGraphExecGetFlags, struct cuda_exec *handle, uint64_t *flags)
{
    return LOOM_DRIVEN(cudaGraphExecGetFlags(handle, flags));
}

LOOM_CUDA(int, cuGraphNodeSetEnabled, struct cuda_exec *exec,
          struct cuda_node *handle, unsigned enabled)
{
    return LOOM_DRIVEN(cudaGraphNodeSetEnabled(exec, handle, enabled));
}

LOOM_CUDA(int, cuGraphNodeGetEnabled, struct cuda_exec *exec,
          struct cuda_node *handle, unsigned *enabled)
{
    return LOOM_DRIVEN(cudaGraphNodeGetEnabled(exec, handle, enabled));
}

LOOM_CUDA_ALIAS(cuGraphLaunch_ptsz, cuGraphLaunch);
LOOM_CUDA_ALIAS(cuGraphUpload_ptsz, cuGraphUpload);
LOOM_CUDA_ALIAS(cuGraphInstantiateWithParams_ptsz,
                cuGraphInstantiateWithParams);
