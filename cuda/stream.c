/*
 * Streams and events.
 *
 * A stream's number is the run's.  The default stream of its device waits for
 * all others there and they for it, whatever the flags of a stream say.
 * Threads' own default streams are that one, too.
 */
#include <stdlib.h>
#include <string.h>

#include "cuda/graph.h"

#define EVENT_MAGIC 0x746e766564756300 /* "\0cudevnt" */

enum {
    ANYWHERE = -1,     /* as a device */
    EVENT_EXTERNAL = 1 /* cudaEventRecordExternal, cudaEventWaitExternal */
};

struct cuda_event {
    uint64_t magic;
    uint64_t number; /* of the run's, as last recorded; 0: never */
    unsigned flags;
    int device;
};

static struct cuda_event *event_of(void *handle)
{
    struct cuda_event *event = handle;

    return event != NULL && event->magic == EVENT_MAGIC ? event : NULL;
}

LOOM_CUDA(int, cudaStreamCreateWithPriority, void **handle, unsigned flags,
          int priority)
{
    static uint64_t numbers; /* the lock is held */
    struct loom_host_call call = {.name = NULL};
    struct cuda_stream *stream = calloc(1, sizeof(*stream));
    int error = CUDA_OUT_OF_MEMORY;

    loom_cuda_lock();
    if (stream != NULL) {
        int device = loom_cuda_device();

        error = LOOM_CUDA_ASK(&call, "free_memory", (uint64_t)device);
        *stream = (struct cuda_stream){
            .magic = LOOM_CUDA_STREAM_MAGIC,
            .number = loom_cuda_default_stream(device) + ++numbers,
            .flags = flags,
            .priority = priority};
        *handle = stream;
    }
    loom_cuda_unlock();
    return loom_cuda_done(error);
}

LOOM_CUDA(int, cudaStreamCreateWithFlags, void **handle, unsigned flags)
{
    return cudaStreamCreateWithPriority(handle, flags, 0);
}

LOOM_CUDA(int, cudaStreamCreate, void **handle)
{
    return cudaStreamCreateWithPriority(handle, 0, 0);
}

LOOM_CUDA(int, cudaStreamDestroy, void *handle)
{
    struct cuda_stream *stream = handle;
    uint64_t number = 0;
    int error = loom_cuda_stream(handle, &number);

    if (error != CUDA_OK || loom_cuda_is_default(number)) {
        return loom_cuda_done(CUDA_INVALID_HANDLE);
    }
    loom_cuda_capture_forget_stream(stream);
    stream->magic = 0; /* what is in it is still done */
    free(stream);
    return CUDA_OK;
}

LOOM_CUDA(int, cudaStreamSynchronize, void *handle)
{
    struct loom_host_call call = {.name = NULL};
    uint64_t number;
    int error;

    if (loom_cuda_captures(handle)) {
        return loom_cuda_done(loom_cuda_capture_refuse(handle));
    }
    loom_cuda_lock();
    error = loom_cuda_stream(handle, &number);
    if (error == CUDA_OK) {
        error = LOOM_CUDA_ASK(&call, "stream_sync", number);
    }
    if (error == CUDA_OK) {
        error = loom_cuda_pull_shared();
    }
    if (error == CUDA_OK) {
        loom_cuda_pools_settle();
    }
    loom_cuda_unlock();
    return loom_cuda_done(error);
}

LOOM_CUDA(int, cudaStreamQuery, void *handle)
{
    struct loom_host_call call = {.name = NULL};
    uint64_t number;
    int error = loom_cuda_stream(handle, &number);

    if (loom_cuda_captures(handle)) {
        return loom_cuda_done(loom_cuda_capture_refuse(handle));
    }
    return loom_cuda_done(error != CUDA_OK
                              ? error
                              : LOOM_CUDA_ASK(&call, "stream_query", number));
}

LOOM_CUDA(int, cudaStreamGetFlags, void *handle, unsigned *flags)
{
    const struct cuda_stream *stream = handle;
    uint64_t number;
    int error = loom_cuda_stream(handle, &number);

    *flags =
        error == CUDA_OK && !loom_cuda_is_default(number) ? stream->flags : 0;
    return loom_cuda_done(error);
}

LOOM_CUDA(int, cudaStreamGetPriority, void *handle, int *priority)
{
    const struct cuda_stream *stream = handle;
    uint64_t number;
    int error = loom_cuda_stream(handle, &number);

    *priority = error == CUDA_OK && !loom_cuda_is_default(number)
                    ? stream->priority
                    : 0;
    return loom_cuda_done(error);
}

LOOM_CUDA(int, cudaStreamGetId, void *handle, uint64_t *id)
{
    return loom_cuda_done(loom_cuda_stream(handle, id));
}

LOOM_CUDA(int, cudaStreamGetDevice, void *handle, int *device)
{
    uint64_t number;
    int error = loom_cuda_stream(handle, &number);

    if (error == CUDA_OK) {
        *device = loom_cuda_device_of(number);
    }
    return loom_cuda_done(error);
}

/* Kept, no more: policies of caches and the like are the machine's. */
LOOM_CUDA(int, cudaStreamSetAttribute, void *handle, int attribute,
          const void *value)
{
    struct cuda_stream *stream = handle;
    uint64_t number;
    int error = loom_cuda_stream(handle, &number);

    if (error == CUDA_OK && value == NULL) {
        error = CUDA_INVALID_VALUE;
    }
    if (error == CUDA_OK && !loom_cuda_is_default(number)) {
        stream->attribute_id = attribute;
        memcpy(stream->attribute, value, sizeof(stream->attribute));
    }
    return loom_cuda_done(error);
}

LOOM_CUDA(int, cudaStreamGetAttribute, void *handle, int attribute, void *value)
{
    const struct cuda_stream *stream = handle;
    uint64_t number;
    int error = loom_cuda_stream(handle, &number);

    if (error != CUDA_OK || value == NULL) {
        return loom_cuda_done(error != CUDA_OK ? error : CUDA_INVALID_VALUE);
    }
    memset(value, 0, sizeof(stream->attribute));
    if (!loom_cuda_is_default(number) && stream->attribute_id == attribute) {
        memcpy(value, stream->attribute, sizeof(stream->attribute));
    }
    return CUDA_OK;
}

LOOM_CUDA(int, cudaStreamCopyAttributes, void *to, void *from)
{
    const struct cuda_stream *source = from;
    uint64_t number;
    int error = loom_cuda_stream(from, &number);

    return error != CUDA_OK || loom_cuda_is_default(number)
               ? loom_cuda_done(error)
               : cudaStreamSetAttribute(to, source->attribute_id,
                                        source->attribute);
}

/* The host's function is called here and now, after what is before it. */
LOOM_CUDA(int, cudaLaunchHostFunc, void *stream, void (*function)(void *),
          void *data)
{
    int error;

    if (loom_cuda_captures(stream)) {
        return loom_cuda_done(loom_cuda_capture(
            stream, (struct loom_cuda_work){.type = NODE_HOST,
                                            .of.host = {function, data}}));
    }
    error = cudaStreamSynchronize(stream);
    if (error == CUDA_OK) {
        function(data);
    }
    return error;
}

LOOM_CUDA(int, cudaStreamAddCallback, void *stream,
          void (*function)(void *stream, int status, void *data), void *data,
          unsigned flags)
{
    int error = cudaStreamSynchronize(stream);

    (void)flags;
    if (error != CUDA_CAPTURE_UNSUPPORTED) {
        function(stream, error, data);
    }
    return error;
}

/* ---- events ---- */

LOOM_CUDA(int, cudaEventCreateWithFlags, void **handle, unsigned flags)
{
    struct loom_host_call call = {.name = NULL};
    struct cuda_event *event = calloc(1, sizeof(*event));

    if (event == NULL) {
        return loom_cuda_done(CUDA_OUT_OF_MEMORY);
    }
    *event = (struct cuda_event){.magic = EVENT_MAGIC,
                                 .flags = flags & ~LOOM_CUDA_ANYWHERE,
                                 .device = (flags & LOOM_CUDA_ANYWHERE) != 0
                                               ? ANYWHERE
                                               : loom_cuda_device()};
    *handle = event;
    return loom_cuda_done(
        LOOM_CUDA_ASK(&call, "free_memory", (uint64_t)loom_cuda_device()));
}

LOOM_CUDA(int, cudaEventCreate, void **handle)
{
    return cudaEventCreateWithFlags(handle, 0);
}

LOOM_CUDA(int, cudaEventDestroy, void *handle)
{
    struct loom_host_call call = {.name = NULL};
    struct cuda_event *event = event_of(handle);

    if (event == NULL) {
        return loom_cuda_done(CUDA_INVALID_HANDLE);
    }
    if (event->number != 0) {
        LOOM_CUDA_ASK(&call, "forget", event->number);
    }
    loom_cuda_capture_forget_event(event);
    event->magic = 0;
    free(event);
    return CUDA_OK;
}

LOOM_CUDA(int, cudaEventRecordWithFlags, void *handle, void *stream,
          unsigned flags)
{
    struct loom_host_call call = {.name = NULL};
    struct cuda_event *event = event_of(handle);
    uint64_t number;
    int error = loom_cuda_stream(stream, &number);

    if (event == NULL || error != CUDA_OK ||
        (event->device != ANYWHERE &&
         event->device != loom_cuda_device_of(number))) {
        return loom_cuda_done(CUDA_INVALID_HANDLE);
    }
    if (loom_cuda_captures(stream)) {
        return loom_cuda_done(
            flags & EVENT_EXTERNAL
                ? loom_cuda_capture(stream,
                                    (struct loom_cuda_work){.type = NODE_RECORD,
                                                            .of.event = event})
                : loom_cuda_capture_record(stream, event));
    }
    loom_cuda_lock();
    loom_cuda_capture_forget_event(event);
    if (event->number != 0) {
        LOOM_CUDA_ASK(&call, "forget", event->number);
    }
    error = LOOM_CUDA_ASK(&call, "mark", number);
    event->number = error == CUDA_OK ? call.result[0] : 0;
    loom_cuda_unlock();
    return loom_cuda_done(error);
}

LOOM_CUDA(int, cudaEventRecord, void *handle, void *stream)
{
    return cudaEventRecordWithFlags(handle, stream, 0);
}

LOOM_CUDA(int, cudaEventSynchronize, void *handle)
{
    struct loom_host_call call = {.name = NULL};
    struct cuda_event *event = event_of(handle);
    int error = loom_cuda_sticky();

    if (event == NULL || loom_cuda_capture_has_event(event)) {
        return loom_cuda_done(event == NULL ? CUDA_INVALID_HANDLE
                                            : CUDA_CAPTURED_EVENT);
    }
    loom_cuda_lock();
    if (event->number != 0 && error == CUDA_OK) {
        error = LOOM_CUDA_ASK(&call, "event_sync", event->number);
    }
    if (error == CUDA_OK) {
        error = loom_cuda_pull_shared();
    }
    loom_cuda_unlock();
    return loom_cuda_done(error);
}

LOOM_CUDA(int, cudaEventQuery, void *handle)
{
    struct loom_host_call call = {.name = NULL};
    const struct cuda_event *event = event_of(handle);
    int error = CUDA_OK;

    if (event == NULL || loom_cuda_capture_has_event(event)) {
        return loom_cuda_done(event == NULL ? CUDA_INVALID_HANDLE
                                            : CUDA_CAPTURED_EVENT);
    }
    if (event->number != 0) {
        error = LOOM_CUDA_ASK(&call, "event_query", event->number);
    }
    return loom_cuda_done(error);
}

/* In milliseconds of the machine's time. */
LOOM_CUDA(int, cudaEventElapsedTime, float *ms, void *from, void *to)
{
    struct loom_host_call call = {.name = NULL};
    const struct cuda_event *a = event_of(from), *b = event_of(to);
    int error;

    if (a == NULL || b == NULL || a->number == 0 || b->number == 0 ||
        a->device != b->device ||
        ((a->flags | b->flags) & CUDA_EVENT_NO_TIMING) != 0) {
        return loom_cuda_done(CUDA_INVALID_HANDLE);
    }
    error = LOOM_CUDA_ASK(&call, "elapsed", a->number, b->number);
    if (error == CUDA_OK) {
        *ms = (float)((double)(int64_t)call.result[0] * 1e-12);
    }
    return loom_cuda_done(error);
}

LOOM_CUDA(int, cudaStreamWaitEvent, void *stream, void *handle, unsigned flags)
{
    struct loom_host_call call = {.name = NULL};
    const struct cuda_event *event = event_of(handle);
    uint64_t number;
    int error = loom_cuda_stream(stream, &number);

    if (event == NULL || error != CUDA_OK) {
        return loom_cuda_done(CUDA_INVALID_HANDLE);
    }
    if (flags & EVENT_EXTERNAL && loom_cuda_captures(stream)) {
        return loom_cuda_done(loom_cuda_capture(
            stream,
            (struct loom_cuda_work){.type = NODE_WAIT, .of.event = handle}));
    }
    if (loom_cuda_capture_wait(stream, handle, &error)) {
        return loom_cuda_done(error);
    }
    if (event->number != 0) { /* else there is nothing to wait for */
        error = LOOM_CUDA_ASK(&call, "wait", number, event->number);
    }
    return loom_cuda_done(error);
}

LOOM_CUDA_ALIAS(cudaStreamSynchronize_ptsz, cudaStreamSynchronize);
LOOM_CUDA_ALIAS(cudaStreamQuery_ptsz, cudaStreamQuery);
LOOM_CUDA_ALIAS(cudaStreamGetFlags_ptsz, cudaStreamGetFlags);
LOOM_CUDA_ALIAS(cudaStreamGetPriority_ptsz, cudaStreamGetPriority);
LOOM_CUDA_ALIAS(cudaStreamGetId_ptsz, cudaStreamGetId);
LOOM_CUDA_ALIAS(cudaStreamGetDevice_ptsz, cudaStreamGetDevice);
LOOM_CUDA_ALIAS(cudaStreamSetAttribute_ptsz, cudaStreamSetAttribute);
LOOM_CUDA_ALIAS(cudaStreamGetAttribute_ptsz, cudaStreamGetAttribute);
LOOM_CUDA_ALIAS(cudaStreamCopyAttributes_ptsz, cudaStreamCopyAttributes);
LOOM_CUDA_ALIAS(cudaLaunchHostFunc_ptsz, cudaLaunchHostFunc);
LOOM_CUDA_ALIAS(cudaStreamAddCallback_ptsz, cudaStreamAddCallback);
LOOM_CUDA_ALIAS(cudaStreamWaitEvent_ptsz, cudaStreamWaitEvent);
LOOM_CUDA_ALIAS(cudaEventRecord_ptsz, cudaEventRecord);
LOOM_CUDA_ALIAS(cudaEventRecordWithFlags_ptsz, cudaEventRecordWithFlags);
