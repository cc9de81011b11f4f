/*
 * Nodes of graphs that do something on the device: what programs say of them,
 * and what they are told.
 *
 * Each kind is made of what a call would have been given (struct
 * loom_cuda_work); a node of a graph and the one that is launched for it are
 * changed alike.  A copy from or to an array is told as one of its memory.
 */
#include "cuda/graph_nodes.h"

#include <stdlib.h>
#include <string.h>

#include "cuda/graph.h"

int loom_cuda_node_put(struct cuda_node **made, struct cuda_graph *handle,
                       struct loom_cuda_nodes before, int error,
                       struct loom_cuda_work work)
{
    struct cuda_graph *graph = loom_cuda_graph_of(handle);

    if (error != CUDA_OK) {
        return loom_cuda_done(error);
    }
    if (made == NULL || graph == NULL) {
        loom_cuda_work_release(&work);
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    loom_cuda_lock();
    error = loom_cuda_graph_add(graph, before, work, made);
    loom_cuda_unlock();
    return loom_cuda_done(error);
}

int loom_cuda_node_set(struct cuda_node *handle, int error,
                       struct loom_cuda_work work)
{
    struct cuda_node *node = loom_cuda_node_of(handle);

    if (error == CUDA_OK && (node == NULL || node->work.type != work.type)) {
        loom_cuda_work_release(&work);
        error = CUDA_INVALID_VALUE;
    }
    if (error != CUDA_OK) {
        return loom_cuda_done(error);
    }
    loom_cuda_lock();
    loom_cuda_work_replace(&node->work, work);
    loom_cuda_unlock();
    return CUDA_OK;
}

const struct loom_cuda_work *loom_cuda_node_work(struct cuda_node *handle,
                                                 int type)
{
    const struct cuda_node *node = loom_cuda_node_of(handle);

    return node == NULL || node->work.type != type ? NULL : &node->work;
}

static struct loom_cuda_nodes list(struct cuda_node *const *before,
                                   size_t count)
{
    return (struct loom_cuda_nodes){before, count};
}

/* ---- kernels ---- */

int loom_cuda_kernel_work(const struct cuda_kernel_params *p,
                          struct loom_cuda_work *work)
{
    struct loom_cuda_launch how;

    if (p == NULL) {
        return CUDA_INVALID_VALUE;
    }
    how = (struct loom_cuda_launch){.grid = p->grid,
                                    .block = p->block,
                                    .shared_bytes = p->shared_bytes,
                                    .args = p->args};
    if (p->extra != NULL) {
        int error = p->args != NULL ? CUDA_INVALID_VALUE
                                    : loom_cuda_read_extra(p->extra, &how);

        if (error != CUDA_OK) {
            return error;
        }
    }
    return loom_cuda_launch_keep(p->kernel, how, work);
}

/* Whether it is cooperative is an attribute of its own. */
static int set_kernel(struct cuda_node *node,
                      const struct cuda_kernel_params *p)
{
    const struct loom_cuda_work *old = loom_cuda_node_work(node, NODE_KERNEL);
    struct loom_cuda_work work;
    int error =
        old == NULL ? CUDA_INVALID_VALUE : loom_cuda_kernel_work(p, &work);

    if (error == CUDA_OK) {
        work.of.kernel.how.cooperative = old->of.kernel.how.cooperative;
        work.of.kernel.how.device = old->of.kernel.how.device;
    }
    return loom_cuda_node_set(node, error, work);
}

LOOM_CUDA(int, cudaGraphAddKernelNode, struct cuda_node **made,
          struct cuda_graph *graph, struct cuda_node *const *before,
          size_t count, const struct cuda_kernel_params *p)
{
    struct loom_cuda_work work;
    int error = loom_cuda_kernel_work(p, &work);

    return loom_cuda_node_put(made, graph, list(before, count), error, work);
}

LOOM_CUDA(int, cudaGraphKernelNodeGetParams, struct cuda_node *node,
          struct cuda_kernel_params *p)
{
    const struct loom_cuda_work *work = loom_cuda_node_work(node, NODE_KERNEL);

    if (work == NULL || p == NULL) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    p->kernel = work->of.kernel.handle;
    p->grid = work->of.kernel.how.grid;
    p->block = work->of.kernel.how.block;
    p->shared_bytes = (uint32_t)work->of.kernel.how.shared_bytes;
    p->args = work->of.kernel.how.args;
    p->extra = NULL;
    return CUDA_OK;
}

LOOM_CUDA(int, cudaGraphKernelNodeSetParams, struct cuda_node *node,
          const struct cuda_kernel_params *p)
{
    return set_kernel(node, p);
}

LOOM_CUDA(int, cudaGraphExecKernelNodeSetParams, struct cuda_exec *exec,
          struct cuda_node *node, const struct cuda_kernel_params *p)
{
    return set_kernel(loom_cuda_exec_node(exec, node), p);
}

/* Those that are hints are not kept. */
LOOM_CUDA(int, cudaGraphKernelNodeSetAttribute, struct cuda_node *handle,
          int attribute, const void *value)
{
    struct cuda_node *node = loom_cuda_node_of(handle);

    if (node == NULL || node->work.type != NODE_KERNEL || value == NULL) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    if (attribute == LOOM_CUDA_COOPERATIVE) {
        node->work.of.kernel.how.cooperative = *(const int *)value != 0;
    }
    return CUDA_OK;
}

LOOM_CUDA(int, cudaGraphKernelNodeGetAttribute, struct cuda_node *node,
          int attribute, void *value)
{
    const struct loom_cuda_work *work = loom_cuda_node_work(node, NODE_KERNEL);

    if (work == NULL || value == NULL) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    memset(value, 0, LOOM_CUDA_ATTRIBUTE_BYTES);
    if (attribute == LOOM_CUDA_COOPERATIVE) {
        *(int *)value = work->of.kernel.how.cooperative;
    }
    return CUDA_OK;
}

int loom_cuda_copy_attributes(struct cuda_node *to_handle,
                              struct cuda_node *from_handle)
{
    struct cuda_node *to = loom_cuda_node_of(to_handle);
    struct cuda_node *from = loom_cuda_node_of(from_handle);

    if (to == NULL || from == NULL || to->work.type != NODE_KERNEL ||
        from->work.type != NODE_KERNEL) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    to->work.of.kernel.how.cooperative = from->work.of.kernel.how.cooperative;
    return CUDA_OK;
}

/* Before CUDA 13 the two were the other way round. */
LOOM_CUDA(int, cudaGraphKernelNodeCopyAttributes, struct cuda_node *first,
          struct cuda_node *second)
{
    return loom_cuda_version() >= 13 ? loom_cuda_copy_attributes(first, second)
                                     : loom_cuda_copy_attributes(second, first);
}

/* ---- copies ---- */

static int copy_work(const struct cuda_copy3d *p, struct loom_cuda_work *work)
{
    work->type = NODE_COPY;
    return p == NULL ? CUDA_INVALID_VALUE : loom_cuda_copy3d(p, &work->of.copy);
}

static int line_work(void *to, const void *from, size_t bytes, int kind,
                     struct loom_cuda_work *work)
{
    work->type = NODE_COPY;
    work->of.copy = (struct loom_cuda_copy){.to = (uintptr_t)to,
                                            .from = (uintptr_t)from,
                                            .width = bytes,
                                            .height = 1,
                                            .depth = 1,
                                            .kind = kind};
    return to == NULL || from == NULL ? CUDA_INVALID_VALUE : CUDA_OK;
}

static int symbol_work(struct loom_cuda_part part, const void *other, int kind,
                       bool to, struct loom_cuda_work *work)
{
    work->type = NODE_COPY;
    return loom_cuda_copy_symbol(part, other, kind, to, &work->of.copy);
}

LOOM_CUDA(int, cudaGraphAddMemcpyNode, struct cuda_node **made,
          struct cuda_graph *graph, struct cuda_node *const *before,
          size_t count, const struct cuda_copy3d *p)
{
    struct loom_cuda_work work;
    int error = copy_work(p, &work);

    return loom_cuda_node_put(made, graph, list(before, count), error, work);
}

LOOM_CUDA(int, cudaGraphAddMemcpyNode1D, struct cuda_node **made,
          struct cuda_graph *graph, struct cuda_node *const *before,
          size_t count, void *to, const void *from, size_t bytes, int kind)
{
    struct loom_cuda_work work;
    int error = line_work(to, from, bytes, kind, &work);

    return loom_cuda_node_put(made, graph, list(before, count), error, work);
}

LOOM_CUDA(int, cudaGraphAddMemcpyNodeToSymbol, struct cuda_node **made,
          struct cuda_graph *graph, struct cuda_node *const *before,
          size_t count, const void *symbol, const void *from, size_t bytes,
          size_t offset, int kind)
{
    struct loom_cuda_part part = {symbol, bytes, offset};
    struct loom_cuda_work work;
    int error = symbol_work(part, from, kind, true, &work);

    return loom_cuda_node_put(made, graph, list(before, count), error, work);
}

LOOM_CUDA(int, cudaGraphAddMemcpyNodeFromSymbol, struct cuda_node **made,
          struct cuda_graph *graph, struct cuda_node *const *before,
          size_t count, void *to, const void *symbol, size_t bytes,
          size_t offset, int kind)
{
    struct loom_cuda_part part = {symbol, bytes, offset};
    struct loom_cuda_work work;
    int error = symbol_work(part, to, kind, false, &work);

    return loom_cuda_node_put(made, graph, list(before, count), error, work);
}

LOOM_CUDA(int, cudaGraphMemcpyNodeGetParams, struct cuda_node *node,
          struct cuda_copy3d *p)
{
    const struct loom_cuda_work *work = loom_cuda_node_work(node, NODE_COPY);
    const struct loom_cuda_copy *c;

    if (work == NULL || p == NULL) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    c = &work->of.copy;
    *p = (struct cuda_copy3d){
        .from = {(void *)(uintptr_t)c->from, c->from_pitch, c->width,
                 c->from_pitch == 0 ? c->height
                                    : c->from_slice / c->from_pitch},
        .to = {(void *)(uintptr_t)c->to, c->to_pitch, c->width,
               c->to_pitch == 0 ? c->height : c->to_slice / c->to_pitch},
        .extent = {c->width, c->height, c->depth},
        .kind = c->kind};
    return CUDA_OK;
}

LOOM_CUDA(int, cudaGraphMemcpyNodeSetParams, struct cuda_node *node,
          const struct cuda_copy3d *p)
{
    struct loom_cuda_work work;
    int error = copy_work(p, &work);

    return loom_cuda_node_set(node, error, work);
}

LOOM_CUDA(int, cudaGraphExecMemcpyNodeSetParams, struct cuda_exec *exec,
          struct cuda_node *node, const struct cuda_copy3d *p)
{
    return cudaGraphMemcpyNodeSetParams(loom_cuda_exec_node(exec, node), p);
}

LOOM_CUDA(int, cudaGraphMemcpyNodeSetParams1D, struct cuda_node *node, void *to,
          const void *from, size_t bytes, int kind)
{
    struct loom_cuda_work work;
    int error = line_work(to, from, bytes, kind, &work);

    return loom_cuda_node_set(node, error, work);
}

LOOM_CUDA(int, cudaGraphExecMemcpyNodeSetParams1D, struct cuda_exec *exec,
          struct cuda_node *node, void *to, const void *from, size_t bytes,
          int kind)
{
    return cudaGraphMemcpyNodeSetParams1D(loom_cuda_exec_node(exec, node), to,
                                          from, bytes, kind);
}

LOOM_CUDA(int, cudaGraphMemcpyNodeSetParamsToSymbol, struct cuda_node *node,
          const void *symbol, const void *from, size_t bytes, size_t offset,
          int kind)
{
    struct loom_cuda_part part = {symbol, bytes, offset};
    struct loom_cuda_work work;
    int error = symbol_work(part, from, kind, true, &work);

    return loom_cuda_node_set(node, error, work);
}

LOOM_CUDA(int, cudaGraphExecMemcpyNodeSetParamsToSymbol, struct cuda_exec *exec,
          struct cuda_node *node, const void *symbol, const void *from,
          size_t bytes, size_t offset, int kind)
{
    return cudaGraphMemcpyNodeSetParamsToSymbol(
        loom_cuda_exec_node(exec, node), symbol, from, bytes, offset, kind);
}

LOOM_CUDA(int, cudaGraphMemcpyNodeSetParamsFromSymbol, struct cuda_node *node,
          void *to, const void *symbol, size_t bytes, size_t offset, int kind)
{
    struct loom_cuda_part part = {symbol, bytes, offset};
    struct loom_cuda_work work;
    int error = symbol_work(part, to, kind, false, &work);

    return loom_cuda_node_set(node, error, work);
}

LOOM_CUDA(int, cudaGraphExecMemcpyNodeSetParamsFromSymbol,
          struct cuda_exec *exec, struct cuda_node *node, void *to,
          const void *symbol, size_t bytes, size_t offset, int kind)
{
    return cudaGraphMemcpyNodeSetParamsFromSymbol(
        loom_cuda_exec_node(exec, node), to, symbol, bytes, offset, kind);
}

/* ---- fills ---- */

static int fill_work(const struct cuda_fill_params *p,
                     struct loom_cuda_work *work)
{
    if (p == NULL || p->at == NULL ||
        (p->unit != 1 && p->unit != 2 && p->unit != 4)) {
        return CUDA_INVALID_VALUE;
    }
    *work = (struct loom_cuda_work){
        .type = NODE_FILL,
        .of.fill = {.at = (uintptr_t)p->at,
                    .value = p->value,
                    .unit = p->unit,
                    .extent = {p->width * p->unit, p->height, 1},
                    .pitch = p->pitch}};
    return CUDA_OK;
}

LOOM_CUDA(int, cudaGraphAddMemsetNode, struct cuda_node **made,
          struct cuda_graph *graph, struct cuda_node *const *before,
          size_t count, const struct cuda_fill_params *p)
{
    struct loom_cuda_work work;
    int error = fill_work(p, &work);

    return loom_cuda_node_put(made, graph, list(before, count), error, work);
}

LOOM_CUDA(int, cudaGraphMemsetNodeGetParams, struct cuda_node *node,
          struct cuda_fill_params *p)
{
    const struct loom_cuda_work *work = loom_cuda_node_work(node, NODE_FILL);
    const struct loom_cuda_fill *f;

    if (work == NULL || p == NULL) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    f = &work->of.fill;
    *p = (struct cuda_fill_params){
        (void *)(uintptr_t)f->at,  f->pitch,        f->value, (uint32_t)f->unit,
        f->extent.width / f->unit, f->extent.height};
    return CUDA_OK;
}

LOOM_CUDA(int, cudaGraphMemsetNodeSetParams, struct cuda_node *node,
          const struct cuda_fill_params *p)
{
    struct loom_cuda_work work;
    int error = fill_work(p, &work);

    return loom_cuda_node_set(node, error, work);
}

LOOM_CUDA(int, cudaGraphExecMemsetNodeSetParams, struct cuda_exec *exec,
          struct cuda_node *node, const struct cuda_fill_params *p)
{
    return cudaGraphMemsetNodeSetParams(loom_cuda_exec_node(exec, node), p);
}
