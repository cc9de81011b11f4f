/*
 * Graphs: work that is kept, to be done later, as often as the program likes.
 *
 * A node keeps what a call would have done (struct loom_cuda_work) and the
 * nodes that come before it.  Streams that are captured put nodes into a graph
 * (capture.c) in place of doing things; graph_run.c does them.  graph.c, at
 * the bottom, only keeps.  The runtime's lock is held.
 */
#ifndef CUDA_GRAPH_H
#define CUDA_GRAPH_H

#include <stdbool.h>

#include "cuda/runtime.h"

/* enum cudaGraphNodeType */
enum {
    NODE_KERNEL = 0,
    NODE_COPY = 1,
    NODE_FILL = 2,
    NODE_HOST = 3,
    NODE_GRAPH = 4,
    NODE_EMPTY = 5,
    NODE_WAIT = 6,
    NODE_RECORD = 7,
    NODE_ALLOC = 10,
    NODE_FREE = 11,
    NODE_CONDITIONAL = 13
};

/* enum cudaGraphConditionalNodeType */
enum {
    CONDITION_IF = 0,
    CONDITION_WHILE = 1,
    CONDITION_SWITCH = 2
};

struct loom_cuda_condition {
    uint64_t at;              /* device memory: the number that decides */
    struct cuda_graph **body; /* [count], the node's own */
    int kind;
    uint32_t count;
    uint32_t value; /* that it has when the graph is launched */
    bool assigns;   /* or it has what it had */
};

struct loom_cuda_work {
    int type;
    union {
        struct {
            const void *handle;
            struct loom_cuda_launch how; /* its args are in `kept` */
            void *kept;    /* the node's: addresses of arguments, and those */
            size_t params; /* how many */
            size_t bytes;  /* of `kept` */
        } kernel;
        struct loom_cuda_copy copy;
        struct loom_cuda_fill fill;
        struct {
            void (*function)(void *);
            void *data;
        } host;
        struct cuda_graph *graph; /* the node's own */
        void *event;
        struct {
            void *at;
            size_t bytes;
        } memory;
        struct loom_cuda_condition condition;
    } of;
};

struct cuda_node {
    uint64_t magic;
    struct cuda_graph *graph;
    struct cuda_node *origin; /* of a clone */
    struct cuda_exec *exec;   /* of a child graph that can be launched */
    struct cuda_exec **body;  /* of each graph of a condition */
    void *event;              /* is recorded for those that wait for it */
    struct cuda_node **before;
    size_t befores, room;
    size_t index; /* in its graph */
    size_t lane;  /* where it is done: graph_run.c */
    bool disabled;
    struct loom_cuda_work work;
};

struct cuda_graph {
    uint64_t magic, id;
    struct cuda_node **node;
    size_t nodes, room;
};

struct loom_cuda_nodes {
    struct cuda_node *const *node;
    size_t count;
};

/* Of a handle, or NULL. */
struct cuda_graph *loom_cuda_graph_of(struct cuda_graph *handle);
struct cuda_node *loom_cuda_node_of(struct cuda_node *handle);

struct cuda_graph *loom_cuda_graph_create(void);
void loom_cuda_graph_destroy(struct cuda_graph *graph);
/* NULL: no memory. */
struct cuda_graph *loom_cuda_graph_clone(const struct cuda_graph *graph);
/* The node of a clone that was made of this one; NULL: none. */
struct cuda_node *loom_cuda_node_in(const struct cuda_graph *clone,
                                    const struct cuda_node *origin);

/* Takes the work over, also if it fails: an error number. */
int loom_cuda_graph_add(struct cuda_graph *graph, struct loom_cuda_nodes before,
                        struct loom_cuda_work work, struct cuda_node **made);
int loom_cuda_node_depend(struct cuda_node *node, struct cuda_node *before);
/* Nodes so that those before a node come before it, which the caller frees;
 * NULL: there is a circle, or no memory. */
struct cuda_node **loom_cuda_graph_order(const struct cuda_graph *graph);

/* Copies what a node keeps; false: no memory. */
bool loom_cuda_work_copy(struct loom_cuda_work *to,
                         const struct loom_cuda_work *from);
void loom_cuda_work_release(struct loom_cuda_work *work);
/* Other work of the same kind, taken over. */
void loom_cuda_work_replace(struct loom_cuda_work *to,
                            struct loom_cuda_work from);

/* ---- graph_update.c ---- */

/* The node that is launched for a graph's node; NULL: none. */
struct cuda_node *loom_cuda_exec_node(struct cuda_exec *exec,
                                      struct cuda_node *node);

/* ---- pool.c ---- */

/* False: the address is not of a pool. */
bool loom_cuda_pool_free(const void *at, int *error);
/* Frees what pools keep; did they keep anything? */
bool loom_cuda_pools_trim(void);
/* The program has waited: down to their thresholds. */
void loom_cuda_pools_settle(void);
/* Memory of a graph's node, which stays as long as the run. */
int loom_cuda_pool_keep(size_t bytes, void **at);

/* A flag of our own: the event may be recorded on any device. */
#define LOOM_CUDA_ANYWHERE (1u << 31)

/* ---- capture.c: is a stream captured, and then in place of its work ---- */

bool loom_cuda_captures(const void *stream);
/* Takes the work over. */
int loom_cuda_capture(const void *stream, struct loom_cuda_work work);
/* What cannot be captured: invalidates it; an error number. */
int loom_cuda_capture_refuse(const void *stream);
int loom_cuda_capture_record(void *stream, void *event);
/* False: neither the stream nor the event is captured. */
bool loom_cuda_capture_wait(void *stream, void *event, int *error);
bool loom_cuda_capture_has_event(const void *event);
/* An event is recorded or destroyed, a stream destroyed: what is known of its
 * handle is of no use any more. */
void loom_cuda_capture_forget_event(const void *event);
void loom_cuda_capture_forget_stream(const void *stream);

#endif
