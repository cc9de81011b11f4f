/*
 * Conditional nodes: graphs that are done if, as long as, or as a number in
 * device memory says, which kernels set (cudaGraphSetConditional).  Its handle
 * is its address.
 */
#include <stdlib.h>

#include "cuda/graph_calls.h"

enum {
    ASSIGN_DEFAULT = 1 /* cudaGraphCondAssignDefault */
};

struct condition {
    uint64_t at;
    uint32_t value; /* when the graph is launched, if it is assigned */
    bool assigns, used;
    struct condition *next;
};

static struct condition *conditions; /* the lock is held */

LOOM_CUDA(int, cudaGraphConditionalHandleCreate, uint64_t *handle,
          struct cuda_graph *graph, unsigned value, unsigned flags)
{
    struct condition *c;
    void *at = NULL;
    int error;

    if (handle == NULL || loom_cuda_graph_of(graph) == NULL ||
        flags > ASSIGN_DEFAULT) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    c = calloc(1, sizeof(*c));
    error = c == NULL ? CUDA_OUT_OF_MEMORY
                      : loom_cuda_pool_keep(sizeof(uint32_t), &at);
    if (error != CUDA_OK) {
        free(c);
        return loom_cuda_done(error);
    }
    c->at = (uint64_t)(uintptr_t)at;
    c->value = value;
    c->assigns = flags == ASSIGN_DEFAULT;
    *handle = c->at;
    loom_cuda_lock();
    c->next = conditions;
    conditions = c;
    loom_cuda_unlock();
    return CUDA_OK;
}

/* A handle is of one node only. */
static bool take(uint64_t handle, struct loom_cuda_work *work)
{
    for (struct condition *c = conditions; c != NULL; c = c->next) {
        if (c->at == handle && !c->used) {
            c->used = true;
            work->of.condition.at = c->at;
            work->of.condition.value = c->value;
            work->of.condition.assigns = c->assigns;
            return true;
        }
    }
    return false;
}

static bool counts(int kind, uint32_t count)
{
    switch (kind) {
    case CONDITION_IF:
        return count == 1 || count == 2;
    case CONDITION_WHILE:
        return count == 1;
    case CONDITION_SWITCH:
        return count > 0;
    default:
        return false;
    }
}

static int make(const struct cuda_condition_params *p,
                struct loom_cuda_work *work)
{
    struct cuda_graph **body = calloc(p->count, sizeof(struct cuda_graph *));
    bool made = body != NULL;

    if (!take(p->handle, work)) {
        free(body);
        return CUDA_INVALID_VALUE;
    }
    work->of.condition.kind = p->kind;
    work->of.condition.count = body != NULL ? p->count : 0;
    work->of.condition.body = body;
    for (uint32_t i = 0; i < p->count && made; i++) {
        body[i] = loom_cuda_graph_create();
        made = body[i] != NULL;
    }
    if (!made) {
        loom_cuda_work_release(work);
    }
    return made ? CUDA_OK : CUDA_OUT_OF_MEMORY;
}

int loom_cuda_condition_add(struct cuda_node **made, struct cuda_graph *graph,
                            struct loom_cuda_nodes before,
                            struct cuda_condition_params *p)
{
    struct loom_cuda_work work = {.type = NODE_CONDITIONAL};
    struct cuda_node *node = NULL;
    int error = CUDA_INVALID_VALUE;

    if (counts(p->kind, p->count)) {
        loom_cuda_lock();
        error = make(p, &work);
        loom_cuda_unlock();
    }
    error = loom_cuda_node_put(&node, graph, before, error, work);
    if (error == CUDA_OK) {
        p->body = node->work.of.condition.body;
        if (made != NULL) {
            *made = node;
        }
    }
    return error;
}
