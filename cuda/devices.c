/*
 * The devices, which of them a thread uses, and what they may reach of each
 * other.
 *
 * All have one address space, so any of them finds what is another's, and peer
 * access is only noted.  What is a device's own: memory as far as it is
 * counted, variables of programs (image.c), the default stream (stream.h) and
 * pools (pool.c).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/runtime.h"

static bool peer[LOOM_CUDA_DEVICES][LOOM_CUDA_DEVICES]; /* the lock is held */

LOOM_CUDA(int, cudaGetDeviceCount, int *count)
{
    *count = loom_cuda_devices();
    return CUDA_OK;
}

static int check(int device)
{
    return loom_cuda_done(loom_cuda_is_device(device) ? CUDA_OK
                                                      : CUDA_INVALID_DEVICE);
}

LOOM_CUDA(int, cudaSetDevice, int device)
{
    int error = check(device);

    if (error == CUDA_OK) {
        loom_cuda_use_device(device);
    }
    return error;
}

LOOM_CUDA(int, cudaInitDevice, int device, unsigned device_flags,
          unsigned flags)
{
    (void)device_flags, (void)flags;
    return check(device);
}

LOOM_CUDA(int, cudaGetDevice, int *device)
{
    *device = loom_cuda_device();
    return CUDA_OK;
}

/* All are alike. */
LOOM_CUDA(int, cudaChooseDevice, int *device, const void *properties)
{
    (void)properties;
    *device = 0;
    return CUDA_OK;
}

LOOM_CUDA(int, cudaSetValidDevices, const int *device, int count)
{
    int error = CUDA_OK;

    for (int i = 0; i < count && error == CUDA_OK; i++) {
        error = check(device[i]);
    }
    return error;
}

/* ---- where they are ---- */

LOOM_CUDA(int, cudaDeviceGetPCIBusId, char *text, int room, int device)
{
    int error = check(device);

    if (error == CUDA_OK && room > 0) {
        snprintf(text, (size_t)room, "0000:%02x:00.0", (unsigned)device + 1);
    }
    return error;
}

LOOM_CUDA(int, cudaDeviceGetByPCIBusId, int *device, const char *text)
{
    unsigned long part[3] = {0}; /* domain, bus, device */
    const char *at = text;
    int parts = 0;

    while (at != NULL && parts < 3) {
        part[parts++] = strtoul(at, NULL, 16);
        at = strchr(at, ':');
        at = at == NULL ? NULL : at + 1;
    }
    if (parts == 2) { /* the domain may be left out */
        part[2] = part[1];
        part[1] = part[0];
        part[0] = 0;
    }
    if (parts < 2) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    if (part[0] != 0 || part[2] != 0 || part[1] < 1 ||
        part[1] > (unsigned)loom_cuda_devices()) {
        return loom_cuda_done(CUDA_INVALID_DEVICE);
    }
    *device = (int)part[1] - 1;
    return CUDA_OK;
}

/* ---- peers ---- */

static bool are_peers(int device, int other)
{
    return loom_cuda_is_device(device) && loom_cuda_is_device(other) &&
           device != other;
}

LOOM_CUDA(int, cudaDeviceCanAccessPeer, int *can, int device, int other)
{
    if (!loom_cuda_is_device(device) || !loom_cuda_is_device(other)) {
        return loom_cuda_done(CUDA_INVALID_DEVICE);
    }
    *can = device != other;
    return CUDA_OK;
}

int loom_cuda_peer(int other, bool wanted)
{
    struct loom_host_call call = {.name = NULL};
    int error, current = loom_cuda_device();
    bool *has;

    if (!are_peers(current, other)) {
        return CUDA_INVALID_DEVICE;
    }
    loom_cuda_lock();
    error = wanted ? loom_cuda_ask(&call, "peers", NULL, 0) : CUDA_OK;
    has = &peer[current][other];
    if (error == CUDA_OK && *has == wanted) {
        error = wanted ? CUDA_PEER_ALREADY : CUDA_PEER_NOT;
    }
    *has = wanted;
    loom_cuda_unlock();
    return error;
}

LOOM_CUDA(int, cudaDeviceEnablePeerAccess, int other, unsigned flags)
{
    return loom_cuda_done(flags != 0 ? CUDA_INVALID_VALUE
                                     : loom_cuda_peer(other, true));
}

LOOM_CUDA(int, cudaDeviceDisablePeerAccess, int other)
{
    return loom_cuda_done(loom_cuda_peer(other, false));
}

/* enum cudaDeviceP2PAttr: how good the way is (0: the best), access, atomics,
 * arrays. */
LOOM_CUDA(int, cudaDeviceGetP2PAttribute, int *value, int attribute, int device,
          int other)
{
    if (value == NULL || attribute < 1 || attribute > 4) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    if (!are_peers(device, other)) {
        return loom_cuda_done(CUDA_INVALID_DEVICE);
    }
    *value = attribute != 1;
    return CUDA_OK;
}

/* cudaMemcpy3DPeerParms */
struct cuda_copy3d_peer {
    struct cuda_array *from_array;
    struct cuda_position from_position;
    struct cuda_pitched from;
    int32_t from_device;
    struct cuda_array *to_array;
    struct cuda_position to_position;
    struct cuda_pitched to;
    int32_t to_device;
    struct cuda_extent extent;
};

static int copy3d(const struct cuda_copy3d_peer *p, void *stream, bool async)
{
    struct cuda_copy3d plain = {.from_array = p->from_array,
                                .from_position = p->from_position,
                                .from = p->from,
                                .to_array = p->to_array,
                                .to_position = p->to_position,
                                .to = p->to,
                                .extent = p->extent,
                                .kind = CUDA_DEVICE_TO_DEVICE};
    struct loom_cuda_copy copy;
    int error =
        loom_cuda_is_device(p->from_device) && loom_cuda_is_device(p->to_device)
            ? loom_cuda_copy3d(&plain, &copy)
            : CUDA_INVALID_DEVICE;

    copy.stream = stream;
    copy.async = async;
    return error != CUDA_OK ? loom_cuda_done(error) : loom_cuda_copy(copy);
}

LOOM_CUDA(int, cudaMemcpy3DPeer, const struct cuda_copy3d_peer *p)
{
    return copy3d(p, NULL, false);
}

LOOM_CUDA(int, cudaMemcpy3DPeerAsync, const struct cuda_copy3d_peer *p,
          void *stream)
{
    return copy3d(p, stream, true);
}

/* Attributes of kernels are those of all devices, which are alike. */
LOOM_CUDA(int, cudaKernelSetAttributeForDevice, const void *kernel,
          int attribute, int value, int device)
{
    return loom_cuda_is_device(device)
               ? cudaFuncSetAttribute(kernel, attribute, value)
               : loom_cuda_done(CUDA_INVALID_DEVICE);
}

LOOM_CUDA_ALIAS(cudaMemcpy3DPeer_ptds, cudaMemcpy3DPeer);
LOOM_CUDA_ALIAS(cudaMemcpy3DPeerAsync_ptsz, cudaMemcpy3DPeerAsync);
