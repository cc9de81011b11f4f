/*
 * Streams that are captured: what the program has them do goes into a graph.
 *
 * A captured stream has nodes that what comes next in it comes after.  An event
 * that is recorded there keeps those nodes, and a stream that waits for it is
 * captured from then on, too, until the first stream's capture ends.  Threads
 * and modes make no difference: what cannot be captured is refused in those
 * streams only.
 */
#include <stdlib.h>
#include <string.h>

#include "cuda/graph.h"

struct capture {
    struct cuda_graph *graph;
    uint64_t id;
    const void *origin; /* the stream that it began with */
    bool invalid;
    bool given; /* the graph is the program's */
};

/* The nodes that a stream or an event stands behind. */
struct mark {
    struct mark *next;
    const void *handle;
    struct capture *capture;
    struct cuda_node **node;
    size_t count;
};

enum {
    STATUS_NONE,
    STATUS_ACTIVE,
    STATUS_INVALID
};

static struct {
    struct mark *streams, *events;
} captured; /* the lock is held */

static struct mark *mark_of(struct mark *first, const void *handle)
{
    while (first != NULL && first->handle != handle) {
        first = first->next;
    }
    return first;
}

static struct mark *add_mark(struct mark **first, const void *handle,
                             struct capture *capture)
{
    struct mark *mark = calloc(1, sizeof(*mark));

    if (mark != NULL) {
        *mark = (struct mark){*first, handle, capture, NULL, 0};
        *first = mark;
    }
    return mark;
}

/* Those of a handle, or where it is NULL of a capture. */
static void remove_marks(struct mark **first, const void *handle,
                         const struct capture *capture)
{
    while (*first != NULL) {
        struct mark *mark = *first;

        if (handle != NULL ? mark->handle == handle
                           : mark->capture == capture) {
            *first = mark->next;
            free(mark->node);
            free(mark);
        } else {
            first = &mark->next;
        }
    }
}

/* Nodes in the place of, or beside, those that there are. */
static int set_nodes(struct mark *mark, struct loom_cuda_nodes nodes,
                     bool beside)
{
    size_t kept = beside ? mark->count : 0;
    struct cuda_node **all = calloc(kept + nodes.count + 1, sizeof(*all));

    if (all == NULL) {
        return CUDA_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < kept; i++) {
        all[i] = mark->node[i];
    }
    for (size_t i = 0; i < nodes.count; i++) {
        bool there = false;

        for (size_t k = 0; k < kept; k++) {
            there = there || all[k] == nodes.node[i];
        }
        if (!there) {
            all[kept++] = nodes.node[i];
        }
    }
    free(mark->node);
    mark->node = all;
    mark->count = kept;
    return CUDA_OK;
}

static struct loom_cuda_nodes nodes_of(const struct mark *mark)
{
    return (struct loom_cuda_nodes){mark->node, mark->count};
}

/* ---- for what streams are told to do ---- */

bool loom_cuda_captures(const void *stream)
{
    bool found;

    loom_cuda_lock();
    found = mark_of(captured.streams, stream) != NULL;
    loom_cuda_unlock();
    return found;
}

static int capture_work(const void *stream, struct loom_cuda_work work)
{
    struct mark *mark = mark_of(captured.streams, stream);
    struct cuda_node *node = NULL;
    int error;

    if (mark == NULL || mark->capture->invalid) {
        loom_cuda_work_release(&work);
        return CUDA_CAPTURE_INVALIDATED;
    }
    error =
        loom_cuda_graph_add(mark->capture->graph, nodes_of(mark), work, &node);
    return error != CUDA_OK
               ? error
               : set_nodes(mark, (struct loom_cuda_nodes){&node, 1}, false);
}

int loom_cuda_capture(const void *stream, struct loom_cuda_work work)
{
    int error;

    loom_cuda_lock();
    error = capture_work(stream, work);
    loom_cuda_unlock();
    return error;
}

int loom_cuda_capture_refuse(const void *stream)
{
    struct mark *mark;

    loom_cuda_lock();
    mark = mark_of(captured.streams, stream);
    if (mark != NULL) {
        mark->capture->invalid = true;
    }
    loom_cuda_unlock();
    return CUDA_CAPTURE_UNSUPPORTED;
}

int loom_cuda_capture_record(void *stream, void *event)
{
    struct mark *mark, *at;
    int error = CUDA_OUT_OF_MEMORY;

    loom_cuda_lock();
    mark = mark_of(captured.streams, stream);
    remove_marks(&captured.events, event, NULL);
    at = add_mark(&captured.events, event, mark->capture);
    if (mark->capture->invalid) {
        error = CUDA_CAPTURE_INVALIDATED;
    } else if (at != NULL) {
        error = set_nodes(at, nodes_of(mark), false);
    }
    loom_cuda_unlock();
    return error;
}

static int wait_for(const void *stream, struct mark *mark,
                    const struct mark *event)
{
    if (event == NULL) { /* it was recorded outside */
        mark->capture->invalid = true;
        return CUDA_CAPTURE_ISOLATION;
    }
    if (mark == NULL) {
        mark = add_mark(&captured.streams, stream, event->capture);
        if (mark == NULL) {
            return CUDA_OUT_OF_MEMORY;
        }
    }
    if (mark->capture != event->capture) {
        mark->capture->invalid = event->capture->invalid = true;
        return CUDA_CAPTURE_MERGE;
    }
    return mark->capture->invalid ? CUDA_CAPTURE_INVALIDATED
                                  : set_nodes(mark, nodes_of(event), true);
}

bool loom_cuda_capture_wait(void *stream, void *handle, int *error)
{
    struct mark *mark, *event;

    loom_cuda_lock();
    mark = mark_of(captured.streams, stream);
    event = mark_of(captured.events, handle);
    if (mark != NULL || event != NULL) {
        *error = wait_for(stream, mark, event);
    }
    loom_cuda_unlock();
    return mark != NULL || event != NULL;
}

bool loom_cuda_capture_has_event(const void *event)
{
    bool found;

    loom_cuda_lock();
    found = mark_of(captured.events, event) != NULL;
    loom_cuda_unlock();
    return found;
}

void loom_cuda_capture_forget_event(const void *event)
{
    loom_cuda_lock();
    remove_marks(&captured.events, event, NULL);
    loom_cuda_unlock();
}

void loom_cuda_capture_forget_stream(const void *stream)
{
    struct mark *mark;

    loom_cuda_lock();
    mark = mark_of(captured.streams, stream);
    if (mark != NULL && mark->capture->origin == stream) {
        mark->handle = NULL; /* whose end is never asked for */
        mark->capture->invalid = true;
    } else if (mark != NULL) {
        remove_marks(&captured.streams, stream, NULL); /* its nodes stay */
    }
    loom_cuda_unlock();
}

/* ---- begin and end ---- */

static int begin(const void *stream, struct cuda_graph *given,
                 struct loom_cuda_nodes before)
{
    static uint64_t ids; /* the lock is held */
    struct capture *capture;
    struct mark *mark;
    uint64_t number;
    int error = loom_cuda_stream(stream, &number);

    if (error != CUDA_OK) {
        return error;
    }
    if ((uintptr_t)stream <= CUDA_STREAM_LEGACY) {
        return CUDA_CAPTURE_UNSUPPORTED;
    }
    if (mark_of(captured.streams, stream) != NULL) {
        return CUDA_INVALID_VALUE;
    }
    capture = calloc(1, sizeof(*capture));
    mark =
        capture == NULL ? NULL : add_mark(&captured.streams, stream, capture);
    if (mark == NULL) {
        free(capture);
        return CUDA_OUT_OF_MEMORY;
    }
    *capture = (struct capture){given, ++ids, stream, false, given != NULL};
    if (given == NULL) {
        capture->graph = loom_cuda_graph_create();
    }
    return capture->graph == NULL ? CUDA_OUT_OF_MEMORY
                                  : set_nodes(mark, before, false);
}

LOOM_CUDA(int, cudaStreamBeginCapture, void *stream, int mode)
{
    int error;

    if (mode < 0 || mode > 2) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    loom_cuda_lock();
    error = begin(stream, NULL, (struct loom_cuda_nodes){NULL, 0});
    loom_cuda_unlock();
    return loom_cuda_done(error);
}

LOOM_CUDA(int, cudaStreamBeginCaptureToGraph, void *stream,
          struct cuda_graph *graph, struct cuda_node *const *before,
          const void *edges, size_t count, int mode)
{
    int error;

    (void)edges;
    if (mode < 0 || mode > 2 || loom_cuda_graph_of(graph) == NULL ||
        (count > 0 && before == NULL)) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    loom_cuda_lock();
    error = begin(stream, graph, (struct loom_cuda_nodes){before, count});
    loom_cuda_unlock();
    return loom_cuda_done(error);
}

/* Does the first stream stand behind all other nodes?  Then those that
 * nothing comes after are its own. */
static bool is_joined(const struct mark *mark)
{
    const struct cuda_graph *graph = mark->capture->graph;
    bool *followed = calloc(graph->nodes + 1, sizeof(*followed));
    bool joined = followed != NULL;

    for (size_t i = 0; joined && i < graph->nodes; i++) {
        for (size_t k = 0; k < graph->node[i]->befores; k++) {
            followed[graph->node[i]->before[k]->index] = true;
        }
    }
    for (size_t i = 0; joined && i < mark->count; i++) {
        followed[mark->node[i]->index] = true;
    }
    for (size_t i = 0; joined && i < graph->nodes; i++) {
        joined = followed[i];
    }
    free(followed);
    return joined;
}

static int end(const void *stream, struct cuda_graph **graph)
{
    struct mark *mark = mark_of(captured.streams, stream);
    struct capture *capture;
    int error = CUDA_OK;

    /* A graph of the program's own it knows already. */
    if (mark == NULL || (graph == NULL && !mark->capture->given)) {
        return CUDA_INVALID_VALUE;
    }
    capture = mark->capture;
    if (capture->origin != stream) {
        capture->invalid = true;
        return CUDA_CAPTURE_UNMATCHED;
    }
    if (capture->invalid) {
        error = CUDA_CAPTURE_INVALIDATED;
    } else if (!capture->given && !is_joined(mark)) {
        error = CUDA_CAPTURE_UNJOINED;
    }
    if (error == CUDA_OK && graph != NULL) {
        *graph = capture->graph;
    } else if (!capture->given) {
        loom_cuda_graph_destroy(capture->graph);
    }
    remove_marks(&captured.streams, NULL, capture);
    remove_marks(&captured.events, NULL, capture);
    free(capture);
    return error;
}

LOOM_CUDA(int, cudaStreamEndCapture, void *stream, struct cuda_graph **graph)
{
    int error;

    if (graph != NULL) {
        *graph = NULL;
    }
    loom_cuda_lock();
    error = end(stream, graph);
    loom_cuda_unlock();
    return loom_cuda_done(error);
}

/* ---- questions ---- */

static int status_of(const struct mark *mark)
{
    return mark == NULL             ? STATUS_NONE
           : mark->capture->invalid ? STATUS_INVALID
                                    : STATUS_ACTIVE;
}

LOOM_CUDA(int, cudaStreamIsCapturing, void *stream, int *status)
{
    uint64_t number;

    loom_cuda_lock();
    *status = status_of(mark_of(captured.streams, stream));
    loom_cuda_unlock();
    return loom_cuda_done(loom_cuda_stream(stream, &number));
}

/* Before CUDA 12.3: edges have no data. */
LOOM_CUDA(int, cudaStreamGetCaptureInfo_v2, void *stream, int *status,
          uint64_t *id, struct cuda_graph **graph,
          struct cuda_node *const **before, size_t *count)
{
    const struct mark *mark;
    uint64_t number;

    loom_cuda_lock();
    mark = mark_of(captured.streams, stream);
    *status = status_of(mark);
    if (*status == STATUS_ACTIVE) {
        if (id != NULL) {
            *id = mark->capture->id;
        }
        if (graph != NULL) {
            *graph = mark->capture->graph;
        }
        if (before != NULL) {
            *before = mark->node;
        }
        if (count != NULL) {
            *count = mark->count;
        }
    }
    loom_cuda_unlock();
    return loom_cuda_done(loom_cuda_stream(stream, &number));
}

/* No edge here has data, for which the place is NULL then. */
LOOM_CUDA(int, cudaStreamGetCaptureInfo_v3, void *stream, int *status,
          uint64_t *id, struct cuda_graph **graph,
          struct cuda_node *const **before, const void **edges, size_t *count)
{
    if (edges != NULL) {
        *edges = NULL;
    }
    return cudaStreamGetCaptureInfo_v2(stream, status, id, graph, before,
                                       count);
}

/* Of CUDA 13; programs of older versions know the first three arguments by
 * this name. */
LOOM_CUDA(int, cudaStreamGetCaptureInfo, void *stream, int *status,
          uint64_t *id, struct cuda_graph **graph,
          struct cuda_node *const **before, const void **edges, size_t *count)
{
    return loom_cuda_version() >= 13
               ? cudaStreamGetCaptureInfo_v3(stream, status, id, graph, before,
                                             edges, count)
               : cudaStreamGetCaptureInfo_v2(stream, status, id, NULL, NULL,
                                             NULL);
}

LOOM_CUDA(int, cudaStreamUpdateCaptureDependencies_v2, void *stream,
          struct cuda_node *const *before, const void *edges, size_t count,
          unsigned flags)
{
    struct mark *mark;
    int error = CUDA_INVALID_VALUE;

    (void)edges;
    loom_cuda_lock();
    mark = mark_of(captured.streams, stream);
    if (mark != NULL && flags <= 1 && (count == 0 || before != NULL)) {
        error = mark->capture->invalid
                    ? CUDA_CAPTURE_INVALIDATED
                    : set_nodes(mark, (struct loom_cuda_nodes){before, count},
                                flags == 0);
    }
    loom_cuda_unlock();
    return loom_cuda_done(error);
}

/* Before CUDA 13 without the edges' data. */
LOOM_CUDA(int, cudaStreamUpdateCaptureDependencies, void *stream,
          struct cuda_node *const *before, uint64_t edges_or_count,
          uint64_t count_or_flags, unsigned flags)
{
    return loom_cuda_version() >= 13
               ? cudaStreamUpdateCaptureDependencies_v2(
                     stream, before, NULL, (size_t)count_or_flags, flags)
               : cudaStreamUpdateCaptureDependencies_v2(
                     stream, before, NULL, (size_t)edges_or_count,
                     (unsigned)count_or_flags);
}

LOOM_CUDA(int, cudaThreadExchangeStreamCaptureMode, int *mode)
{
    static _Thread_local int current;
    int before = current;

    if (mode == NULL || *mode < 0 || *mode > 2) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    current = *mode;
    *mode = before;
    return CUDA_OK;
}

LOOM_CUDA_ALIAS(cudaStreamBeginCapture_v2, cudaStreamBeginCapture);
LOOM_CUDA_ALIAS(cudaStreamBeginCapture_ptsz, cudaStreamBeginCapture);
LOOM_CUDA_ALIAS(cudaStreamBeginCaptureToGraph_ptsz,
                cudaStreamBeginCaptureToGraph);
LOOM_CUDA_ALIAS(cudaStreamEndCapture_ptsz, cudaStreamEndCapture);
LOOM_CUDA_ALIAS(cudaStreamIsCapturing_ptsz, cudaStreamIsCapturing);
LOOM_CUDA_ALIAS(cudaStreamGetCaptureInfo_ptsz, cudaStreamGetCaptureInfo);
LOOM_CUDA_ALIAS(cudaStreamGetCaptureInfo_v2_ptsz, cudaStreamGetCaptureInfo_v2);
LOOM_CUDA_ALIAS(cudaStreamGetCaptureInfo_v3_ptsz, cudaStreamGetCaptureInfo_v3);
LOOM_CUDA_ALIAS(cudaStreamUpdateCaptureDependencies_ptsz,
                cudaStreamUpdateCaptureDependencies);
LOOM_CUDA_ALIAS(cudaStreamUpdateCaptureDependencies_v2_ptsz,
                cudaStreamUpdateCaptureDependencies_v2);
