/*
 * The device: one, as the script describes it.
 *
 * What the machine says is taken from it (SMs, threads, registers, shared
 * memory, clock, memory, caches outside of SMs); its compute capability is
 * that of the newest PTX in the program, for that is what will run; limits
 * that every device has are those of the CUDA C++ Programming Guide; all else
 * is 0.
 */
#include <stdio.h>
#include <string.h>

#include "cuda/properties.h"
#include "cuda/runtime.h"

enum {
    SHARED_PER_BLOCK = 49152, /* without opting in, at most */
    DRIVER_VERSION = 13000
};

/* In the order of calls.facts in lua/warploom/cuda/cuda.lua. */
enum fact {
    FACT_SMS,
    FACT_THREADS,
    FACT_REGISTERS,
    FACT_SHARED,
    FACT_CTAS,
    FACT_HERTZ,
    FACT_MEMORY,
    FACT_L2,
    FACT_COPY_ENGINES,
    FACT_KERNELS
};

static void fill_limits(struct cuda_properties *p)
{
    static const int32_t block[] = {1024, 1024, 64};
    static const int32_t grid[] = {INT32_MAX, 65535, 65535};

    p->warp_size = 32;
    p->max_threads = 1024;
    memcpy(p->max_block, block, sizeof(block));
    memcpy(p->max_grid, grid, sizeof(grid));
    p->max_pitch = INT32_MAX;
    p->constant_bytes = 65536;
    p->texture_alignment = 512;
    p->texture_pitch_alignment = 32;
    p->surface_alignment = 512;
    p->texture_1d = p->surface_1d = 131072;
    p->texture_2d[0] = p->surface_2d[0] = 131072;
    p->texture_2d[1] = p->surface_2d[1] = 65536;
    p->texture_2d_linear[0] = p->texture_2d_linear[2] = 131072;
    p->texture_2d_linear[1] = 65000;
    for (int i = 0; i < 3; i++) {
        p->texture_3d[i] = p->surface_3d[i] = 16384;
    }
    p->unified_addressing = 1;
    p->managed = 1;
    p->map_host = 1;
    p->cooperative = 1;
    p->global_l1 = 1;
    p->local_l1 = 1;
    p->host_register = 1;
    p->pci_bus = 1;
}

int loom_cuda_properties(struct cuda_properties *p, uint64_t *hertz)
{
    struct loom_host_call call = {.name = NULL};
    uint32_t arch;
    int error;

    memset(p, 0, sizeof(*p));
    loom_cuda_lock();
    error = loom_cuda_ask(&call, "facts", NULL, 0);
    if (error == CUDA_OK) {
        snprintf(p->name, sizeof(p->name), "warploom %.*s",
                 (int)call.text_bytes, call.text);
    }
    loom_cuda_unlock();
    if (error != CUDA_OK) {
        return error;
    }
    fill_limits(p);
    arch = loom_cuda_architecture();
    p->major = (int32_t)(arch / 10);
    p->minor = (int32_t)(arch % 10);
    p->global_bytes = (size_t)call.result[FACT_MEMORY];
    p->sms = (int32_t)call.result[FACT_SMS];
    p->threads_per_sm = (int32_t)call.result[FACT_THREADS];
    p->regs_per_sm = p->regs_per_block = (int32_t)call.result[FACT_REGISTERS];
    p->shared_per_sm = (size_t)call.result[FACT_SHARED];
    p->shared_per_block_optin = p->shared_per_sm;
    p->shared_per_block = p->shared_per_sm < SHARED_PER_BLOCK
                              ? p->shared_per_sm
                              : SHARED_PER_BLOCK;
    p->blocks_per_sm = (int32_t)call.result[FACT_CTAS];
    p->l2_bytes = (int32_t)call.result[FACT_L2];
    p->copy_engines = (int32_t)call.result[FACT_COPY_ENGINES];
    p->concurrent_kernels = call.result[FACT_KERNELS] > 1;
    *hertz = call.result[FACT_HERTZ];
    return CUDA_OK;
}

int loom_cuda_capability(uint32_t *capability)
{
    struct loom_host_call call = {.name = NULL};
    int error;

    loom_cuda_lock();
    error = loom_cuda_need_images();
    if (error == CUDA_OK) {
        error = LOOM_CUDA_ASK(&call, "capability", loom_cuda_architecture());
    }
    loom_cuda_unlock();
    *capability = (uint32_t)call.result[0];
    return error;
}

#define BOTH(field)                                                            \
    {                                                                          \
        offsetof(struct cuda_properties, field),                               \
            offsetof(struct cuda_properties_12, field),                        \
            sizeof(((struct cuda_properties *)0)->field)                       \
    }

/* Before CUDA 13: the fields that are filled in, in other places. */
static void translate(const struct cuda_properties *p, uint64_t hertz, void *to,
                      size_t bytes)
{
    static const struct {
        size_t from, to, bytes;
    } fields[] = {
        BOTH(name),
        BOTH(global_bytes),
        BOTH(shared_per_block),
        BOTH(regs_per_block),
        BOTH(warp_size),
        BOTH(max_pitch),
        BOTH(max_threads),
        BOTH(max_block),
        BOTH(max_grid),
        BOTH(constant_bytes),
        BOTH(major),
        BOTH(minor),
        BOTH(texture_alignment),
        BOTH(texture_pitch_alignment),
        BOTH(sms),
        BOTH(map_host),
        BOTH(texture_1d),
        BOTH(texture_2d),
        BOTH(texture_2d_linear),
        BOTH(texture_3d),
        BOTH(surface_1d),
        BOTH(surface_2d),
        BOTH(surface_3d),
        BOTH(surface_alignment),
        BOTH(concurrent_kernels),
        BOTH(pci_bus),
        BOTH(copy_engines),
        BOTH(unified_addressing),
        BOTH(l2_bytes),
        BOTH(threads_per_sm),
        BOTH(global_l1),
        BOTH(local_l1),
        BOTH(shared_per_sm),
        BOTH(regs_per_sm),
        BOTH(managed),
        BOTH(cooperative),
        BOTH(shared_per_block_optin),
        BOTH(blocks_per_sm),
        BOTH(host_register),
    };
    struct cuda_properties_12 old = {.clock_khz = (int32_t)(hertz / 1000),
                                     .overlap = p->copy_engines > 0,
                                     .texture_1d_linear = 1 << 27};

    for (size_t i = 0; i < LOOM_COUNTOF(fields); i++) {
        memcpy((char *)&old + fields[i].to, (const char *)p + fields[i].from,
               fields[i].bytes);
    }
    memcpy(to, &old, bytes);
}

static int get(void *to, int device, int version)
{
    struct cuda_properties p;
    uint64_t hertz = 0;
    int error =
        device != 0 ? CUDA_INVALID_DEVICE : loom_cuda_properties(&p, &hertz);

    if (error != CUDA_OK) {
        return error;
    }
    if (version >= 13) {
        memcpy(to, &p, sizeof(p));
    } else {
        translate(&p, hertz, to,
                  version == 12
                      ? sizeof(struct cuda_properties_12)
                      : offsetof(struct cuda_properties_12, host_register));
    }
    return CUDA_OK;
}

/* Programs of CUDA 12 call the second one. */
LOOM_CUDA(int, cudaGetDeviceProperties, void *to, int device)
{
    return loom_cuda_done(get(to, device, loom_cuda_version() >= 13 ? 13 : 11));
}

LOOM_CUDA(int, cudaGetDeviceProperties_v2, void *to, int device)
{
    return loom_cuda_done(get(to, device, 12));
}

#define ATTRIBUTE(number, field)                                               \
    {                                                                          \
        number, offsetof(struct cuda_properties, field),                       \
            sizeof(((struct cuda_properties *)0)->field)                       \
    }

/* enum cudaDeviceAttr: those with a value here; the others are 0. */
static const struct {
    int number;
    size_t offset, bytes;
} attributes[] = {
    ATTRIBUTE(1, max_threads),
    ATTRIBUTE(2, max_block[0]),
    ATTRIBUTE(3, max_block[1]),
    ATTRIBUTE(4, max_block[2]),
    ATTRIBUTE(5, max_grid[0]),
    ATTRIBUTE(6, max_grid[1]),
    ATTRIBUTE(7, max_grid[2]),
    ATTRIBUTE(8, shared_per_block),
    ATTRIBUTE(9, constant_bytes),
    ATTRIBUTE(10, warp_size),
    ATTRIBUTE(11, max_pitch),
    ATTRIBUTE(12, regs_per_block),
    ATTRIBUTE(14, texture_alignment),
    ATTRIBUTE(16, sms),
    ATTRIBUTE(19, map_host),
    ATTRIBUTE(21, texture_1d),
    ATTRIBUTE(22, texture_2d[0]),
    ATTRIBUTE(23, texture_2d[1]),
    ATTRIBUTE(24, texture_3d[0]),
    ATTRIBUTE(25, texture_3d[1]),
    ATTRIBUTE(26, texture_3d[2]),
    ATTRIBUTE(30, surface_alignment),
    ATTRIBUTE(31, concurrent_kernels),
    ATTRIBUTE(33, pci_bus),
    ATTRIBUTE(38, l2_bytes),
    ATTRIBUTE(39, threads_per_sm),
    ATTRIBUTE(40, copy_engines),
    ATTRIBUTE(41, unified_addressing),
    ATTRIBUTE(51, texture_pitch_alignment),
    ATTRIBUTE(75, major),
    ATTRIBUTE(76, minor),
    ATTRIBUTE(79, global_l1),
    ATTRIBUTE(80, local_l1),
    ATTRIBUTE(81, shared_per_sm),
    ATTRIBUTE(82, regs_per_sm),
    ATTRIBUTE(83, managed),
    ATTRIBUTE(95, cooperative),
    ATTRIBUTE(97, shared_per_block_optin),
    ATTRIBUTE(99, host_register),
    ATTRIBUTE(106, blocks_per_sm),
};

enum {
    ATTRIBUTE_CLOCK = 13,
    ATTRIBUTE_OVERLAP = 15,
    ATTRIBUTE_LAST = 147
};

LOOM_CUDA(int, cudaDeviceGetAttribute, int *value, int number, int device)
{
    struct cuda_properties p;
    uint64_t hertz = 0;
    int error =
        device != 0 ? CUDA_INVALID_DEVICE : loom_cuda_properties(&p, &hertz);

    if (number < 1 || number > ATTRIBUTE_LAST) {
        error = CUDA_INVALID_VALUE;
    }
    if (error != CUDA_OK) {
        return loom_cuda_done(error);
    }
    *value = number == ATTRIBUTE_CLOCK     ? (int)(hertz / 1000)
             : number == ATTRIBUTE_OVERLAP ? p.copy_engines > 0
                                           : 0;
    for (size_t i = 0; i < LOOM_COUNTOF(attributes); i++) {
        if (attributes[i].number == number) {
            /* Sizes are size_t and int; both are little-endian. */
            memcpy(value, (char *)&p + attributes[i].offset, sizeof(*value));
        }
    }
    return CUDA_OK;
}

LOOM_CUDA(int, cudaGetDeviceCount, int *count)
{
    *count = 1;
    return CUDA_OK;
}

static int only_device(int device)
{
    return loom_cuda_done(device == 0 ? CUDA_OK : CUDA_INVALID_DEVICE);
}

LOOM_CUDA(int, cudaSetDevice, int device)
{
    return only_device(device);
}

LOOM_CUDA(int, cudaInitDevice, int device, unsigned device_flags,
          unsigned flags)
{
    (void)device_flags, (void)flags;
    return only_device(device);
}

LOOM_CUDA(int, cudaGetDevice, int *device)
{
    *device = 0;
    return CUDA_OK;
}

LOOM_CUDA(int, cudaChooseDevice, int *device, const void *properties)
{
    (void)properties;
    return cudaGetDevice(device);
}

LOOM_CUDA(int, cudaSetValidDevices, int *device, int count)
{
    return count > 0 ? only_device(device[0]) : CUDA_OK;
}

LOOM_CUDA(int, cudaSetDeviceFlags, unsigned flags)
{
    (void)flags;
    return CUDA_OK;
}

LOOM_CUDA(int, cudaGetDeviceFlags, unsigned *flags)
{
    *flags = 0;
    return CUDA_OK;
}

LOOM_CUDA(int, cudaDriverGetVersion, int *version)
{
    *version = DRIVER_VERSION;
    return CUDA_OK;
}

LOOM_CUDA(int, cudaRuntimeGetVersion, int *version)
{
    *version = loom_cuda_version() * 1000;
    return CUDA_OK;
}

LOOM_CUDA(int, cudaDeviceSynchronize, void)
{
    struct loom_host_call call = {.name = NULL};
    int error;

    loom_cuda_lock();
    error = loom_cuda_ask(&call, "sync", NULL, 0);
    if (error == CUDA_OK) {
        error = loom_cuda_pull_shared();
    }
    loom_cuda_unlock();
    return loom_cuda_done(error);
}

/* The run goes on, with its memory: a program that begins anew after this
 * does so on the same machine. */
LOOM_CUDA(int, cudaDeviceReset, void)
{
    return cudaDeviceSynchronize();
}

LOOM_CUDA(int, cudaDeviceGetStreamPriorityRange, int *least, int *greatest)
{
    *least = *greatest = 0;
    return CUDA_OK;
}

LOOM_CUDA(int, cudaDeviceCanAccessPeer, int *can, int device, int peer)
{
    (void)device, (void)peer;
    *can = 0;
    return CUDA_OK;
}

LOOM_CUDA(int, cudaDeviceEnablePeerAccess, int peer, unsigned flags)
{
    (void)peer, (void)flags;
    return loom_cuda_done(CUDA_INVALID_DEVICE);
}

LOOM_CUDA(int, cudaDeviceDisablePeerAccess, int peer)
{
    (void)peer;
    return loom_cuda_done(CUDA_INVALID_DEVICE);
}

LOOM_CUDA(int, cudaDeviceGetPCIBusId, char *text, int room, int device)
{
    snprintf(text, room > 0 ? (size_t)room : 0, "0000:01:00.0");
    return only_device(device);
}

LOOM_CUDA(int, cudaDeviceGetByPCIBusId, int *device, const char *text)
{
    (void)text;
    return cudaGetDevice(device);
}

/* Limits and preferences are the machine's, as the script says. */
LOOM_CUDA(int, cudaDeviceSetLimit, int limit, size_t value)
{
    (void)limit, (void)value;
    return CUDA_OK;
}

LOOM_CUDA(int, cudaDeviceGetLimit, size_t *value, int limit)
{
    static const size_t limits[] = {1024, 1 << 20, 8 << 20};

    *value =
        limit >= 0 && limit < (int)LOOM_COUNTOF(limits) ? limits[limit] : 0;
    return CUDA_OK;
}

LOOM_CUDA(int, cudaDeviceSetCacheConfig, int config)
{
    (void)config;
    return CUDA_OK;
}

LOOM_CUDA(int, cudaDeviceGetCacheConfig, int *config)
{
    *config = 0;
    return CUDA_OK;
}

LOOM_CUDA(int, cudaDeviceSetSharedMemConfig, int config)
{
    (void)config;
    return CUDA_OK;
}

LOOM_CUDA(int, cudaDeviceGetSharedMemConfig, int *config)
{
    *config = 1; /* banks of four bytes */
    return CUDA_OK;
}

LOOM_CUDA(int, cudaProfilerStart, void)
{
    return CUDA_OK;
}

LOOM_CUDA(int, cudaProfilerStop, void)
{
    return CUDA_OK;
}

LOOM_CUDA_ALIAS(cudaThreadSynchronize, cudaDeviceSynchronize);
LOOM_CUDA_ALIAS(cudaThreadExit, cudaDeviceReset);
