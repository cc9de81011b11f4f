/*
 * Functions of the runtime about graphs, captures and pools that are used by
 * others here: the driver API is made of them.
 */
#ifndef CUDA_GRAPH_CALLS_H
#define CUDA_GRAPH_CALLS_H

#include "cuda/graph_nodes.h"

struct cuda_instantiate;
struct cuda_pool;
struct cuda_pool_properties;
struct cuda_location;
struct cuda_access;

/* ---- capture.c ---- */

int cudaStreamBeginCapture(void *stream, int mode);
int cudaStreamBeginCaptureToGraph(void *stream, struct cuda_graph *graph,
                                  struct cuda_node *const *before,
                                  const void *edges, size_t count, int mode);
int cudaStreamEndCapture(void *stream, struct cuda_graph **graph);
int cudaStreamGetCaptureInfo_v2(void *stream, int *status, uint64_t *id,
                                struct cuda_graph **graph,
                                struct cuda_node *const **before,
                                size_t *count);
int cudaStreamGetCaptureInfo_v3(void *stream, int *status, uint64_t *id,
                                struct cuda_graph **graph,
                                struct cuda_node *const **before,
                                const void **edges, size_t *count);
int cudaStreamUpdateCaptureDependencies_v2(void *stream,
                                           struct cuda_node *const *before,
                                           const void *edges, size_t count,
                                           unsigned flags);
int cudaThreadExchangeStreamCaptureMode(int *mode);

int cudaGraphDestroy(struct cuda_graph *graph);
int cudaGraphCreate(struct cuda_graph **made, unsigned flags);
int cudaGraphDestroyNode(struct cuda_node *handle);
int cudaGraphClone(struct cuda_graph **made, struct cuda_graph *handle);
int cudaGraphNodeFindInClone(struct cuda_node **found,
                             struct cuda_node *original,
                             struct cuda_graph *clone);
int cudaGraphNodeGetType(struct cuda_node *handle, int *type);

int cudaGraphGetNodes(struct cuda_graph *graph, struct cuda_node **nodes,
                      size_t *count);
int cudaGraphGetRootNodes(struct cuda_graph *graph, struct cuda_node **nodes,
                          size_t *count);
int cudaGraphGetEdges_v2(struct cuda_graph *handle, struct cuda_node **from,
                         struct cuda_node **to, void *data, size_t *count);
int cudaGraphNodeGetDependencies_v2(struct cuda_node *node,
                                    struct cuda_node **nodes, void *data,
                                    size_t *count);
int cudaGraphNodeGetDependentNodes_v2(struct cuda_node *node,
                                      struct cuda_node **nodes, void *data,
                                      size_t *count);
int cudaGraphAddDependencies_v2(struct cuda_graph *graph,
                                struct cuda_node *const *from,
                                struct cuda_node *const *to, const void *data,
                                size_t count);
int cudaGraphRemoveDependencies_v2(struct cuda_graph *graph,
                                   struct cuda_node *const *from,
                                   struct cuda_node *const *to,
                                   const void *data, size_t count);
int cudaGraphDebugDotPrint(struct cuda_graph *graph, const char *path,
                           unsigned flags);

/* ---- graph_nodes.c ---- */

int cudaGraphAddKernelNode(struct cuda_node **made, struct cuda_graph *graph,
                           struct cuda_node *const *before, size_t count,
                           const struct cuda_kernel_params *p);
int cudaGraphKernelNodeGetParams(struct cuda_node *node,
                                 struct cuda_kernel_params *p);
int cudaGraphKernelNodeSetParams(struct cuda_node *node,
                                 const struct cuda_kernel_params *p);
int cudaGraphExecKernelNodeSetParams(struct cuda_exec *exec,
                                     struct cuda_node *node,
                                     const struct cuda_kernel_params *p);
int cudaGraphKernelNodeSetAttribute(struct cuda_node *handle, int attribute,
                                    const void *value);
int cudaGraphKernelNodeGetAttribute(struct cuda_node *node, int attribute,
                                    void *value);
int cudaGraphKernelNodeCopyAttributes(struct cuda_node *first,
                                      struct cuda_node *second);
int cudaGraphAddMemcpyNode(struct cuda_node **made, struct cuda_graph *graph,
                           struct cuda_node *const *before, size_t count,
                           const struct cuda_copy3d *p);
int cudaGraphAddMemcpyNode1D(struct cuda_node **made, struct cuda_graph *graph,
                             struct cuda_node *const *before, size_t count,
                             void *to, const void *from, size_t bytes,
                             int kind);
int cudaGraphAddMemcpyNodeToSymbol(struct cuda_node **made,
                                   struct cuda_graph *graph,
                                   struct cuda_node *const *before,
                                   size_t count, const void *symbol,
                                   const void *from, size_t bytes,
                                   size_t offset, int kind);
int cudaGraphAddMemcpyNodeFromSymbol(struct cuda_node **made,
                                     struct cuda_graph *graph,
                                     struct cuda_node *const *before,
                                     size_t count, void *to, const void *symbol,
                                     size_t bytes, size_t offset, int kind);
int cudaGraphMemcpyNodeGetParams(struct cuda_node *node, struct cuda_copy3d *p);
int cudaGraphMemcpyNodeSetParams(struct cuda_node *node,
                                 const struct cuda_copy3d *p);
int cudaGraphExecMemcpyNodeSetParams(struct cuda_exec *exec,
                                     struct cuda_node *node,
                                     const struct cuda_copy3d *p);
int cudaGraphMemcpyNodeSetParams1D(struct cuda_node *node, void *to,
                                   const void *from, size_t bytes, int kind);
int cudaGraphExecMemcpyNodeSetParams1D(struct cuda_exec *exec,
                                       struct cuda_node *node, void *to,
                                       const void *from, size_t bytes,
                                       int kind);
int cudaGraphMemcpyNodeSetParamsToSymbol(struct cuda_node *node,
                                         const void *symbol, const void *from,
                                         size_t bytes, size_t offset, int kind);
int cudaGraphExecMemcpyNodeSetParamsToSymbol(struct cuda_exec *exec,
                                             struct cuda_node *node,
                                             const void *symbol,
                                             const void *from, size_t bytes,
                                             size_t offset, int kind);
int cudaGraphMemcpyNodeSetParamsFromSymbol(struct cuda_node *node, void *to,
                                           const void *symbol, size_t bytes,
                                           size_t offset, int kind);
int cudaGraphExecMemcpyNodeSetParamsFromSymbol(struct cuda_exec *exec,
                                               struct cuda_node *node, void *to,
                                               const void *symbol, size_t bytes,
                                               size_t offset, int kind);
int cudaGraphAddMemsetNode(struct cuda_node **made, struct cuda_graph *graph,
                           struct cuda_node *const *before, size_t count,
                           const struct cuda_fill_params *p);
int cudaGraphMemsetNodeGetParams(struct cuda_node *node,
                                 struct cuda_fill_params *p);
int cudaGraphMemsetNodeSetParams(struct cuda_node *node,
                                 const struct cuda_fill_params *p);
int cudaGraphExecMemsetNodeSetParams(struct cuda_exec *exec,
                                     struct cuda_node *node,
                                     const struct cuda_fill_params *p);

int cudaGraphAddEmptyNode(struct cuda_node **made, struct cuda_graph *graph,
                          struct cuda_node *const *before, size_t count);
int cudaGraphAddHostNode(struct cuda_node **made, struct cuda_graph *graph,
                         struct cuda_node *const *before, size_t count,
                         const struct cuda_host_params *p);
int cudaGraphHostNodeGetParams(struct cuda_node *node,
                               struct cuda_host_params *p);
int cudaGraphHostNodeSetParams(struct cuda_node *node,
                               const struct cuda_host_params *p);
int cudaGraphExecHostNodeSetParams(struct cuda_exec *exec,
                                   struct cuda_node *node,
                                   const struct cuda_host_params *p);
int cudaGraphAddChildGraphNode(struct cuda_node **made,
                               struct cuda_graph *graph,
                               struct cuda_node *const *before, size_t count,
                               struct cuda_graph *child);
int cudaGraphChildGraphNodeGetGraph(struct cuda_node *node,
                                    struct cuda_graph **graph);
int cudaGraphAddEventRecordNode(struct cuda_node **made,
                                struct cuda_graph *graph,
                                struct cuda_node *const *before, size_t count,
                                void *event);
int cudaGraphAddEventWaitNode(struct cuda_node **made, struct cuda_graph *graph,
                              struct cuda_node *const *before, size_t count,
                              void *event);
int cudaGraphEventRecordNodeGetEvent(struct cuda_node *node, void **event);
int cudaGraphEventRecordNodeSetEvent(struct cuda_node *node, void *event);
int cudaGraphExecEventRecordNodeSetEvent(struct cuda_exec *exec,
                                         struct cuda_node *node, void *event);
int cudaGraphEventWaitNodeGetEvent(struct cuda_node *node, void **event);
int cudaGraphEventWaitNodeSetEvent(struct cuda_node *node, void *event);
int cudaGraphExecEventWaitNodeSetEvent(struct cuda_exec *exec,
                                       struct cuda_node *node, void *event);
int cudaGraphAddMemAllocNode(struct cuda_node **made, struct cuda_graph *graph,
                             struct cuda_node *const *before, size_t count,
                             struct cuda_alloc_params *p);
int cudaGraphMemAllocNodeGetParams(struct cuda_node *node,
                                   struct cuda_alloc_params *p);
int cudaGraphAddMemFreeNode(struct cuda_node **made, struct cuda_graph *graph,
                            struct cuda_node *const *before, size_t count,
                            void *at);
int cudaGraphMemFreeNodeGetParams(struct cuda_node *node, void **at);
int cudaGraphConditionalHandleCreate(uint64_t *handle, struct cuda_graph *graph,
                                     unsigned value, unsigned flags);
int cudaGraphAddNode_v2(struct cuda_node **made, struct cuda_graph *graph,
                        struct cuda_node *const *before, const void *edges,
                        size_t count, struct cuda_node_params *p);
int cudaGraphNodeSetParams(struct cuda_node *node,
                           const struct cuda_node_params *p);
int cudaGraphExecNodeSetParams(struct cuda_exec *exec, struct cuda_node *node,
                               const struct cuda_node_params *p);

/* ---- graph_run.c, graph_update.c ---- */

int cudaGraphLaunch(struct cuda_exec *handle, void *stream);
int cudaGraphUpload(struct cuda_exec *exec, void *stream);
int cudaGraphInstantiateWithFlags(struct cuda_exec **made,
                                  struct cuda_graph *graph, uint64_t flags);
int cudaGraphInstantiate(struct cuda_exec **made, struct cuda_graph *graph,
                         uint64_t flags_or_node, char *text, size_t room);
int cudaGraphInstantiateWithParams(struct cuda_exec **made,
                                   struct cuda_graph *graph,
                                   struct cuda_instantiate *how);
int cudaGraphExecGetFlags(struct cuda_exec *handle, uint64_t *flags);
int cudaGraphExecDestroy(struct cuda_exec *handle);
int cudaGraphExecUpdate(struct cuda_exec *exec, struct cuda_graph *graph,
                        void *info_or_node, int *result);
int cudaGraphExecChildGraphNodeSetParams(struct cuda_exec *exec,
                                         struct cuda_node *handle,
                                         struct cuda_graph *graph);
int cudaGraphNodeSetEnabled(struct cuda_exec *exec, struct cuda_node *handle,
                            unsigned enabled);
int cudaGraphNodeGetEnabled(struct cuda_exec *exec, struct cuda_node *handle,
                            unsigned *enabled);

/* ---- pool.c ---- */

int cudaMallocFromPoolAsync(void **at, size_t bytes, struct cuda_pool *handle,
                            void *stream);
int cudaMemPoolCreate(struct cuda_pool **made,
                      const struct cuda_pool_properties *properties);
int cudaMemPoolDestroy(struct cuda_pool *handle);
int cudaMemPoolTrimTo(struct cuda_pool *handle, size_t bytes);
int cudaMemPoolGetAttribute(struct cuda_pool *handle, int attribute,
                            void *value);
int cudaMemPoolSetAttribute(struct cuda_pool *handle, int attribute,
                            const void *value);
int cudaMemPoolSetAccess(struct cuda_pool *pool,
                         const struct cuda_access *access, size_t count);
int cudaMemPoolGetAccess(int *flags, struct cuda_pool *pool,
                         const struct cuda_location *where);
int cudaDeviceGetDefaultMemPool(struct cuda_pool **pool, int device);
int cudaDeviceGetMemPool(struct cuda_pool **pool, int device);
int cudaDeviceSetMemPool(int device, struct cuda_pool *pool);
int cudaMemGetDefaultMemPool(struct cuda_pool **pool,
                             const struct cuda_location *where, int type);
int cudaMemGetMemPool(struct cuda_pool **pool,
                      const struct cuda_location *where, int type);
int cudaMemSetMemPool(const struct cuda_location *where, int type,
                      struct cuda_pool *pool);
int cudaDeviceGetGraphMemAttribute(int device, int attribute, uint64_t *value);
int cudaDeviceSetGraphMemAttribute(int device, int attribute,
                                   const uint64_t *value);
int cudaDeviceGraphMemTrim(int device);

#endif
