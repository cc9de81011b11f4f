/*
 * The device, versions and errors, as the driver API has them.
 */
#include <string.h>

#include "cuda/driver/driver.h"
#include "cuda/properties.h"

LOOM_CUDA(int, cuDriverGetVersion, int *version)
{
    return version == NULL ? CUDA_INVALID_VALUE : cudaDriverGetVersion(version);
}

LOOM_CUDA(int, cuDeviceGetCount, int *count)
{
    return LOOM_DRIVEN_BARE(count == NULL ? CUDA_INVALID_VALUE
                                          : cudaGetDeviceCount(count));
}

static int get(int *device, int number)
{
    if (device == NULL) {
        return CUDA_INVALID_VALUE;
    }
    *device = number;
    return loom_cuda_is_device(number) ? CUDA_OK : CUDA_INVALID_DEVICE;
}

LOOM_CUDA(int, cuDeviceGet, int *device, int number)
{
    return LOOM_DRIVEN_BARE(get(device, number));
}

static int name(char *text, int room, int device)
{
    struct cuda_properties p;
    struct loom_cuda_clocks clocks;
    int error = loom_cuda_properties(&p, &clocks, device);

    if (error == CUDA_OK && (text == NULL || room <= 0)) {
        error = CUDA_INVALID_VALUE;
    }
    if (error == CUDA_OK) {
        size_t bytes = strnlen(p.name, (size_t)room - 1);

        memcpy(text, p.name, bytes);
        text[bytes] = '\0';
    }
    return error;
}

LOOM_CUDA(int, cuDeviceGetName, char *text, int room, int device)
{
    return LOOM_DRIVEN_BARE(name(text, room, device));
}

static int uuid(char *to, int device)
{
    struct cuda_properties p;
    struct loom_cuda_clocks clocks;
    int error = loom_cuda_properties(&p, &clocks, device);

    if (error == CUDA_OK) {
        memcpy(to, p.uuid, sizeof(p.uuid));
    }
    return error;
}

LOOM_CUDA(int, cuDeviceGetUuid_v2, char *to, int device)
{
    return LOOM_DRIVEN_BARE(uuid(to, device));
}

static int total(size_t *bytes, int device)
{
    struct cuda_properties p;
    struct loom_cuda_clocks clocks;
    int error = loom_cuda_properties(&p, &clocks, device);

    if (error == CUDA_OK) {
        *bytes = p.global_bytes;
    }
    return error;
}

LOOM_CUDA(int, cuDeviceTotalMem_v2, size_t *bytes, int device)
{
    return LOOM_DRIVEN_BARE(total(bytes, device));
}

static int capability(int *major, int *minor, int device)
{
    struct cuda_properties p;
    struct loom_cuda_clocks clocks;
    int error = loom_cuda_properties(&p, &clocks, device);

    if (error == CUDA_OK) {
        *major = p.major;
        *minor = p.minor;
    }
    return error;
}

LOOM_CUDA(int, cuDeviceComputeCapability, int *major, int *minor, int device)
{
    return LOOM_DRIVEN_BARE(capability(major, minor, device));
}

static int old_properties(struct driver_properties *to, int device)
{
    struct cuda_properties p;
    struct loom_cuda_clocks clocks;
    int error = loom_cuda_properties(&p, &clocks, device);

    if (error != CUDA_OK) {
        return error;
    }
    *to = (struct driver_properties){
        .max_threads = p.max_threads,
        .shared_per_block = (int32_t)p.shared_per_block,
        .constant_bytes = (int32_t)p.constant_bytes,
        .warp_size = p.warp_size,
        .max_pitch = (int32_t)p.max_pitch,
        .regs_per_block = p.regs_per_block,
        .clock_khz = clocks.core_khz,
        .texture_alignment = (int32_t)p.texture_alignment};
    memcpy(to->max_block, p.max_block, sizeof(p.max_block));
    memcpy(to->max_grid, p.max_grid, sizeof(p.max_grid));
    return CUDA_OK;
}

LOOM_CUDA(int, cuDeviceGetProperties, struct driver_properties *to, int device)
{
    return LOOM_DRIVEN_BARE(old_properties(to, device));
}

/* Their numbers are the runtime's. */
LOOM_CUDA(int, cuDeviceGetAttribute, int *value, int number, int device)
{
    return LOOM_DRIVEN_BARE(
        value == NULL ? CUDA_INVALID_VALUE
                      : cudaDeviceGetAttribute(value, number, device));
}

LOOM_CUDA(int, cuDeviceGetPCIBusId, char *text, int room, int device)
{
    return LOOM_DRIVEN_BARE(cudaDeviceGetPCIBusId(text, room, device));
}

LOOM_CUDA(int, cuDeviceGetByPCIBusId, int *device, const char *text)
{
    return LOOM_DRIVEN_BARE(cudaDeviceGetByPCIBusId(device, text));
}

LOOM_CUDA(int, cuDeviceGetP2PAttribute, int *value, int attribute, int device,
          int peer)
{
    return LOOM_DRIVEN_BARE(
        cudaDeviceGetP2PAttribute(value, attribute, device, peer));
}

LOOM_CUDA(int, cuDeviceCanAccessPeer, int *can, int device, int peer)
{
    return LOOM_DRIVEN_BARE(cudaDeviceCanAccessPeer(can, device, peer));
}

LOOM_CUDA(int, cuProfilerStart, void)
{
    return LOOM_DRIVEN(CUDA_OK);
}

LOOM_CUDA(int, cuProfilerStop, void)
{
    return LOOM_DRIVEN(CUDA_OK);
}

LOOM_CUDA_ALIAS(cuDeviceGetUuid, cuDeviceGetUuid_v2);
