/*
 * Contexts.  A program has as many as it likes, but all have the same device
 * memory, streams and modules, and those of one device its variables; its
 * primary one is what the runtime uses.
 *
 * A thread that has called the runtime, and has no context or has gone to
 * another device, has the primary one: this is found out when it next calls the
 * driver API.
 */
#include <stdlib.h>

#include "cuda/driver/driver.h"

enum {
    DEPTH = 64,         /* of a thread's stack */
    API_VERSION = 3020, /* what cuCtxGetApiVersion says of these */
    AFFINITY_UNSUPPORTED = 224
};

struct loom_driver_context {
    struct loom_driver_context *next;
    uint64_t id;
    unsigned flags;
    int device;
    unsigned retained; /* a primary one */
    bool used;         /* likewise, by the runtime: it stays */
};

static struct {
    struct loom_driver_context primary[LOOM_CUDA_DEVICES];
    struct loom_driver_context *first; /* the others */
    uint64_t ids;                      /* after those of the primary ones */
    bool initialized;
} contexts = {.ids = LOOM_CUDA_DEVICES};

/* The primary one of a device that there is. */
static struct loom_driver_context *primary_of(int device)
{
    struct loom_driver_context *primary = &contexts.primary[device];

    loom_cuda_lock();
    primary->id = (uint64_t)device + 1;
    primary->device = device;
    loom_cuda_unlock();
    return primary;
}

static _Thread_local struct loom_driver_context *stack[DEPTH];
static _Thread_local unsigned depth;

static bool is_context(const struct loom_driver_context *context)
{
    const struct loom_driver_context *c;
    bool found = false;

    loom_cuda_lock();
    for (int i = 0; i < loom_cuda_devices() && !found; i++) {
        c = &contexts.primary[i];
        found = c == context && (c->retained > 0 || c->used);
    }
    for (c = contexts.first; c != NULL && !found; c = c->next) {
        found = c == context;
    }
    loom_cuda_unlock();
    return found;
}

struct loom_driver_context *loom_driver_current(void)
{
    bool runs = loom_cuda_take_runs();
    struct loom_driver_context *primary = primary_of(loom_cuda_device());

    if (runs && (depth == 0 || stack[depth - 1]->device != primary->device)) {
        primary->used = contexts.initialized = true;
        depth -= depth > 0;
        stack[depth++] = primary;
    }
    return depth == 0 ? NULL : stack[depth - 1];
}

bool loom_driver_begin_bare(void)
{
    loom_driver_current(); /* the runtime calls cuInit, too */
    if (contexts.initialized) {
        loom_cuda_begin_driver();
    }
    return contexts.initialized;
}

bool loom_driver_begin(void)
{
    const struct loom_driver_context *current = loom_driver_current();

    return current != NULL && is_context(current) && loom_driver_begin_bare();
}

int loom_driver_refusal(void)
{
    if (!contexts.initialized) {
        return CUDA_INITIALIZATION;
    }
    return loom_driver_current() == NULL ? CUDA_INVALID_CONTEXT
                                         : CUDA_CONTEXT_DESTROYED;
}

int loom_driver_end(int error)
{
    loom_cuda_end_driver();
    switch (error) {
    case CUDA_INVALID_CONFIGURATION:
    case CUDA_INVALID_PITCH:
    case CUDA_INVALID_HOST_POINTER:
    case CUDA_INVALID_DEVICE_POINTER:
    case CUDA_INVALID_TEXTURE:
    case CUDA_INVALID_CHANNEL:
    case CUDA_INVALID_DIRECTION:
        return CUDA_INVALID_VALUE;
    case CUDA_INVALID_SYMBOL:
        return CUDA_NOT_FOUND;
    case CUDA_INVALID_FUNCTION:
        return CUDA_INVALID_HANDLE;
    default:
        return error;
    }
}

LOOM_CUDA(int, cuInit, unsigned flags)
{
    if (flags != 0) {
        return CUDA_INVALID_VALUE;
    }
    contexts.initialized = true;
    return CUDA_OK;
}

/* ---- the primary one ---- */

static int check_device(int device)
{
    return loom_cuda_is_device(device) ? CUDA_OK : CUDA_INVALID_DEVICE;
}

static int retain(struct loom_driver_context **context, int device)
{
    int error = context == NULL ? CUDA_INVALID_VALUE : check_device(device);

    if (error != CUDA_OK) {
        return error;
    }
    *context = primary_of(device);
    loom_cuda_lock();
    (*context)->retained++;
    loom_cuda_unlock();
    return CUDA_OK;
}

LOOM_CUDA(int, cuDevicePrimaryCtxRetain, struct loom_driver_context **context,
          int device)
{
    return LOOM_DRIVEN_BARE(retain(context, device));
}

static int release(int device)
{
    int error = check_device(device);

    if (error != CUDA_OK) {
        return error;
    }
    loom_cuda_lock();
    error =
        contexts.primary[device].retained == 0 ? CUDA_INVALID_CONTEXT : CUDA_OK;
    contexts.primary[device].retained -= error == CUDA_OK;
    loom_cuda_unlock();
    return error;
}

LOOM_CUDA(int, cuDevicePrimaryCtxRelease_v2, int device)
{
    return LOOM_DRIVEN_BARE(release(device));
}

LOOM_CUDA(int, cuDevicePrimaryCtxSetFlags_v2, int device, unsigned flags)
{
    if (loom_cuda_is_device(device)) {
        contexts.primary[device].flags = flags;
    }
    return LOOM_DRIVEN_BARE(check_device(device));
}

LOOM_CUDA(int, cuDevicePrimaryCtxGetState, int device, unsigned *flags,
          int *active)
{
    (void)loom_driver_current(); /* has the runtime been used? */
    if (loom_cuda_is_device(device)) {
        *flags = contexts.primary[device].flags;
        *active = is_context(&contexts.primary[device]);
    }
    return LOOM_DRIVEN_BARE(check_device(device));
}

/* As cudaDeviceReset. */
LOOM_CUDA(int, cuDevicePrimaryCtxReset_v2, int device)
{
    return LOOM_DRIVEN_BARE(loom_cuda_is_device(device)
                                ? cudaDeviceSynchronize()
                                : CUDA_INVALID_DEVICE);
}

/* ---- the thread's ---- */

static int push(struct loom_driver_context *context)
{
    if (!is_context(context)) {
        return CUDA_INVALID_CONTEXT;
    }
    if (depth == DEPTH) {
        return CUDA_INVALID_VALUE;
    }
    stack[depth++] = context;
    loom_cuda_use_device(context->device);
    return CUDA_OK;
}

LOOM_CUDA(int, cuCtxPushCurrent_v2, struct loom_driver_context *context)
{
    (void)loom_driver_current();
    return LOOM_DRIVEN_BARE(push(context));
}

static int pop(struct loom_driver_context **context)
{
    struct loom_driver_context *top = loom_driver_current();

    if (top == NULL) {
        return CUDA_INVALID_CONTEXT;
    }
    depth--;
    if (depth > 0) {
        loom_cuda_use_device(stack[depth - 1]->device);
    }
    if (context != NULL) {
        *context = top;
    }
    return CUDA_OK;
}

LOOM_CUDA(int, cuCtxPopCurrent_v2, struct loom_driver_context **context)
{
    return LOOM_DRIVEN_BARE(pop(context));
}

/* Takes the place of the top. */
static int set(struct loom_driver_context *context)
{
    if (context != NULL && !is_context(context)) {
        return CUDA_INVALID_CONTEXT;
    }
    depth -= loom_driver_current() != NULL;
    return context == NULL ? CUDA_OK : push(context);
}

LOOM_CUDA(int, cuCtxSetCurrent, struct loom_driver_context *context)
{
    return LOOM_DRIVEN_BARE(set(context));
}

static int current(struct loom_driver_context **context)
{
    if (context == NULL) {
        return CUDA_INVALID_VALUE;
    }
    *context = loom_driver_current();
    return CUDA_OK;
}

LOOM_CUDA(int, cuCtxGetCurrent, struct loom_driver_context **context)
{
    return LOOM_DRIVEN_BARE(current(context));
}

/* ---- others ---- */

static int create(struct loom_driver_context **context, unsigned flags,
                  int device)
{
    struct loom_driver_context *made;
    int error = context == NULL ? CUDA_INVALID_VALUE : check_device(device);

    if (error != CUDA_OK) {
        return error;
    }
    made = calloc(1, sizeof(*made));
    if (made == NULL) {
        return CUDA_OUT_OF_MEMORY;
    }
    loom_cuda_lock();
    *made = (struct loom_driver_context){.next = contexts.first,
                                         .id = ++contexts.ids,
                                         .flags = flags,
                                         .device = device};
    contexts.first = made;
    loom_cuda_unlock();
    (void)loom_driver_current();
    *context = made;
    return push(made);
}

LOOM_CUDA(int, cuCtxCreate_v2, struct loom_driver_context **context,
          unsigned flags, int device)
{
    return LOOM_DRIVEN_BARE(create(context, flags, device));
}

/* A part of the device's SMs is what affinity is about. */
LOOM_CUDA(int, cuCtxCreate_v3, struct loom_driver_context **context,
          const void *affinity, int affinities, unsigned flags, int device)
{
    (void)affinity;
    return LOOM_DRIVEN_BARE(affinities != 0 ? AFFINITY_UNSUPPORTED
                                            : create(context, flags, device));
}

/* CUctxCreateParams */
struct create_params {
    const void *affinity;
    int32_t affinities;
    const void *graphics;
};

LOOM_CUDA(int, cuCtxCreate_v4, struct loom_driver_context **context,
          const struct create_params *params, unsigned flags, int device)
{
    if (params != NULL &&
        (params->affinities != 0 || params->graphics != NULL)) {
        loom_cuda_tell("cuCtxCreate: parameters of a context are not "
                       "provided; pass NULL");
        return CUDA_NOT_SUPPORTED;
    }
    return LOOM_DRIVEN_BARE(create(context, flags, device));
}

/* What was allocated in it stays: another may use it. */
static int destroy(struct loom_driver_context *context)
{
    struct loom_driver_context **link = &contexts.first;
    int error = CUDA_INVALID_CONTEXT;

    loom_cuda_lock();
    while (*link != NULL && *link != context) {
        link = &(*link)->next;
    }
    if (context != NULL && *link != NULL) {
        error = cudaDeviceSynchronize();
        *link = context->next;
    }
    loom_cuda_unlock();
    if (error != CUDA_INVALID_CONTEXT) {
        if (loom_driver_current() == context) {
            pop(NULL);
        }
        free(context);
    }
    return error;
}

LOOM_CUDA(int, cuCtxDestroy_v2, struct loom_driver_context *context)
{
    return LOOM_DRIVEN_BARE(destroy(context));
}

LOOM_CUDA(int, cuCtxDetach, struct loom_driver_context *context)
{
    return LOOM_DRIVEN_BARE(destroy(context));
}

LOOM_CUDA(int, cuCtxAttach, struct loom_driver_context **context,
          unsigned flags)
{
    (void)flags;
    return LOOM_DRIVEN(current(context));
}

/* ---- what is asked of them ---- */

static int device_of(int *device, const struct loom_driver_context *context)
{
    *device = context->device;
    return CUDA_OK;
}

LOOM_CUDA(int, cuCtxGetDevice, int *device)
{
    return LOOM_DRIVEN(device_of(device, loom_driver_current()));
}

LOOM_CUDA(int, cuCtxGetDevice_v2, int *device,
          struct loom_driver_context *context)
{
    return context == NULL       ? cuCtxGetDevice(device)
           : is_context(context) ? LOOM_DRIVEN_BARE(device_of(device, context))
                                 : CUDA_INVALID_CONTEXT;
}

LOOM_CUDA(int, cuCtxGetFlags, unsigned *flags)
{
    const struct loom_driver_context *context = loom_driver_current();

    if (context != NULL) {
        *flags = context->flags;
    }
    return LOOM_DRIVEN(CUDA_OK);
}

LOOM_CUDA(int, cuCtxSetFlags, unsigned flags)
{
    struct loom_driver_context *context = loom_driver_current();

    if (context != NULL) {
        context->flags = flags;
    }
    return LOOM_DRIVEN(CUDA_OK);
}

LOOM_CUDA(int, cuCtxGetId, struct loom_driver_context *context, uint64_t *id)
{
    context = context == NULL ? loom_driver_current() : context;
    if (!is_context(context)) {
        return CUDA_INVALID_CONTEXT;
    }
    *id = context->id;
    return LOOM_DRIVEN_BARE(CUDA_OK);
}

LOOM_CUDA(int, cuCtxGetApiVersion, struct loom_driver_context *context,
          unsigned *version)
{
    *version = API_VERSION;
    return context == NULL || is_context(context) ? LOOM_DRIVEN_BARE(CUDA_OK)
                                                  : CUDA_INVALID_CONTEXT;
}

LOOM_CUDA(int, cuCtxSynchronize, void)
{
    return LOOM_DRIVEN(cudaDeviceSynchronize());
}

LOOM_CUDA(int, cuCtxSynchronize_v2, struct loom_driver_context *context)
{
    return context == NULL || is_context(context)
               ? LOOM_DRIVEN_BARE(cudaDeviceSynchronize())
               : CUDA_INVALID_CONTEXT;
}

enum {
    LIMITS = 10
};

LOOM_CUDA(int, cuCtxSetLimit, int limit, size_t value)
{
    return LOOM_DRIVEN(limit < 0 || limit >= LIMITS
                           ? CUDA_UNSUPPORTED_LIMIT
                           : cudaDeviceSetLimit(limit, value));
}

LOOM_CUDA(int, cuCtxGetLimit, size_t *value, int limit)
{
    return LOOM_DRIVEN(limit < 0 || limit >= LIMITS
                           ? CUDA_UNSUPPORTED_LIMIT
                           : cudaDeviceGetLimit(value, limit));
}

LOOM_CUDA(int, cuCtxSetCacheConfig, int config)
{
    return LOOM_DRIVEN(cudaDeviceSetCacheConfig(config));
}

LOOM_CUDA(int, cuCtxGetCacheConfig, int *config)
{
    return LOOM_DRIVEN(cudaDeviceGetCacheConfig(config));
}

LOOM_CUDA(int, cuCtxSetSharedMemConfig, int config)
{
    return LOOM_DRIVEN(cudaDeviceSetSharedMemConfig(config));
}

LOOM_CUDA(int, cuCtxGetSharedMemConfig, int *config)
{
    return LOOM_DRIVEN(cudaDeviceGetSharedMemConfig(config));
}

LOOM_CUDA(int, cuCtxGetStreamPriorityRange, int *least, int *greatest)
{
    return LOOM_DRIVEN(cudaDeviceGetStreamPriorityRange(least, greatest));
}

/* Between devices, whatever contexts they have. */
static int set_peer(const struct loom_driver_context *peer, bool wanted)
{
    int error = is_context(peer) ? loom_cuda_peer(peer->device, wanted)
                                 : CUDA_INVALID_CONTEXT;

    return error != CUDA_INVALID_DEVICE ? error
           : wanted                     ? CUDA_PEER_UNSUPPORTED
                                        : CUDA_PEER_NOT;
}

LOOM_CUDA(int, cuCtxEnablePeerAccess, struct loom_driver_context *peer,
          unsigned flags)
{
    return LOOM_DRIVEN(flags != 0 ? CUDA_INVALID_VALUE : set_peer(peer, true));
}

LOOM_CUDA(int, cuCtxDisablePeerAccess, struct loom_driver_context *peer)
{
    return LOOM_DRIVEN(set_peer(peer, false));
}

struct loom_driver_context *loom_driver_context_on(int device)
{
    struct loom_driver_context *context = loom_driver_current();

    return context != NULL && context->device == device ? context
                                                        : primary_of(device);
}

LOOM_CUDA_ALIAS(cuCtxDestroy, cuCtxDestroy_v2);
LOOM_CUDA_ALIAS(cuCtxPushCurrent, cuCtxPushCurrent_v2);
LOOM_CUDA_ALIAS(cuCtxPopCurrent, cuCtxPopCurrent_v2);
LOOM_CUDA_ALIAS(cuCtxCreate, cuCtxCreate_v2);
LOOM_CUDA_ALIAS(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2);
LOOM_CUDA_ALIAS(cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags_v2);
LOOM_CUDA_ALIAS(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2);
