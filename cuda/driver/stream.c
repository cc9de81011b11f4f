/*
 * Streams and events of the driver API.  Streams of threads are the default
 * stream, as the runtime's.
 */
#include "cuda/driver/driver.h"

LOOM_CUDA(int, cuStreamCreateWithPriority, void **stream, unsigned flags,
          int priority)
{
    return LOOM_DRIVEN(
        stream == NULL ? CUDA_INVALID_VALUE
                       : cudaStreamCreateWithPriority(stream, flags, priority));
}

LOOM_CUDA(int, cuStreamCreate, void **stream, unsigned flags)
{
    return cuStreamCreateWithPriority(stream, flags, 0);
}

LOOM_CUDA(int, cuStreamDestroy_v2, void *stream)
{
    return LOOM_DRIVEN(cudaStreamDestroy(stream));
}

LOOM_CUDA(int, cuStreamSynchronize, void *stream)
{
    return LOOM_DRIVEN(cudaStreamSynchronize(stream));
}

LOOM_CUDA(int, cuStreamQuery, void *stream)
{
    return LOOM_DRIVEN(cudaStreamQuery(stream));
}

LOOM_CUDA(int, cuStreamGetFlags, void *stream, unsigned *flags)
{
    return LOOM_DRIVEN(cudaStreamGetFlags(stream, flags));
}

LOOM_CUDA(int, cuStreamGetPriority, void *stream, int *priority)
{
    return LOOM_DRIVEN(cudaStreamGetPriority(stream, priority));
}

LOOM_CUDA(int, cuStreamGetId, void *stream, uint64_t *id)
{
    return LOOM_DRIVEN(cudaStreamGetId(stream, id));
}

LOOM_CUDA(int, cuStreamGetDevice, void *stream, int *device)
{
    return LOOM_DRIVEN(cudaStreamGetDevice(stream, device));
}

static int context_of(void *stream, struct loom_driver_context **context)
{
    uint64_t number;
    int error = loom_cuda_stream(stream, &number);

    *context = error == CUDA_OK
                   ? loom_driver_context_on(loom_cuda_device_of(number))
                   : NULL;
    return error;
}

LOOM_CUDA(int, cuStreamGetCtx, void *stream,
          struct loom_driver_context **context)
{
    return LOOM_DRIVEN(context_of(stream, context));
}

LOOM_CUDA(int, cuStreamGetCtx_v2, void *stream,
          struct loom_driver_context **context, void **green)
{
    if (green != NULL) {
        *green = NULL;
    }
    return cuStreamGetCtx(stream, context);
}

LOOM_CUDA(int, cuStreamIsCapturing, void *stream, int *status)
{
    return LOOM_DRIVEN(cudaStreamIsCapturing(stream, status));
}

LOOM_CUDA(int, cuStreamWaitEvent, void *stream, void *event, unsigned flags)
{
    return LOOM_DRIVEN(cudaStreamWaitEvent(stream, event, flags));
}

LOOM_CUDA(int, cuStreamAddCallback, void *stream,
          void (*function)(void *stream, int status, void *data), void *data,
          unsigned flags)
{
    return LOOM_DRIVEN(cudaStreamAddCallback(stream, function, data, flags));
}

LOOM_CUDA(int, cuLaunchHostFunc, void *stream, void (*function)(void *),
          void *data)
{
    return LOOM_DRIVEN(cudaLaunchHostFunc(stream, function, data));
}

LOOM_CUDA(int, cuStreamAttachMemAsync, void *stream, uint64_t at, size_t bytes,
          unsigned flags)
{
    uint64_t number;

    (void)at, (void)bytes, (void)flags; /* one host thread, or all: the same */
    return LOOM_DRIVEN(loom_cuda_stream(stream, &number));
}

LOOM_CUDA(int, cuStreamSetAttribute, void *stream, int attribute,
          const void *value)
{
    return LOOM_DRIVEN(cudaStreamSetAttribute(stream, attribute, value));
}

LOOM_CUDA(int, cuStreamGetAttribute, void *stream, int attribute, void *value)
{
    return LOOM_DRIVEN(cudaStreamGetAttribute(stream, attribute, value));
}

LOOM_CUDA(int, cuStreamCopyAttributes, void *to, void *from)
{
    return LOOM_DRIVEN(cudaStreamCopyAttributes(to, from));
}

/* ---- events ---- */

LOOM_CUDA(int, cuEventCreate, void **event, unsigned flags)
{
    return LOOM_DRIVEN(event == NULL ? CUDA_INVALID_VALUE
                                     : cudaEventCreateWithFlags(event, flags));
}

LOOM_CUDA(int, cuEventDestroy_v2, void *event)
{
    return LOOM_DRIVEN(cudaEventDestroy(event));
}

LOOM_CUDA(int, cuEventRecordWithFlags, void *event, void *stream,
          unsigned flags)
{
    return LOOM_DRIVEN(cudaEventRecordWithFlags(event, stream, flags));
}

LOOM_CUDA(int, cuEventRecord, void *event, void *stream)
{
    return cuEventRecordWithFlags(event, stream, 0);
}

LOOM_CUDA(int, cuEventSynchronize, void *event)
{
    return LOOM_DRIVEN(cudaEventSynchronize(event));
}

LOOM_CUDA(int, cuEventQuery, void *event)
{
    return LOOM_DRIVEN(cudaEventQuery(event));
}

LOOM_CUDA(int, cuEventElapsedTime, float *ms, void *from, void *to)
{
    return LOOM_DRIVEN(cudaEventElapsedTime(ms, from, to));
}

#define THREAD(name) LOOM_CUDA_ALIAS(name##_ptsz, name)

THREAD(cuStreamSynchronize);
THREAD(cuStreamQuery);
THREAD(cuStreamGetFlags);
THREAD(cuStreamGetPriority);
THREAD(cuStreamGetId);
THREAD(cuStreamGetDevice);
THREAD(cuStreamGetCtx);
THREAD(cuStreamGetCtx_v2);
THREAD(cuStreamIsCapturing);
THREAD(cuStreamWaitEvent);
THREAD(cuStreamAddCallback);
THREAD(cuStreamAttachMemAsync);
THREAD(cuStreamSetAttribute);
THREAD(cuStreamGetAttribute);
THREAD(cuStreamCopyAttributes);
THREAD(cuLaunchHostFunc);
THREAD(cuEventRecord);
THREAD(cuEventRecordWithFlags);
LOOM_CUDA_ALIAS(cuStreamDestroy, cuStreamDestroy_v2);
LOOM_CUDA_ALIAS(cuEventDestroy, cuEventDestroy_v2);
LOOM_CUDA_ALIAS(cuEventElapsedTime_v2, cuEventElapsedTime);
