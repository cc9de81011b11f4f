/*
 * What a device is: as the script describes it.  If there are several
 * (devices.c) they are alike.
 *
 * What the machine says is taken from it (SMs, threads, registers, shared
 * memory, clock, memory, caches outside of SMs); its compute capability is
 * that of the newest PTX in the program, for that is what will run; limits
 * that every device has are those of the CUDA C++ Programming Guide; all else
 * is 0.
 */
#include <stdio.h>
#include <string.h>

#include "cuda/graph.h"
#include "cuda/properties.h"

enum {
    SHARED_PER_BLOCK = 49152, /* without opting in, at most */
    SHARED_RESERVED = 1024,   /* of each block, since 8.0 */
    EXTENT = 32768,
    LAYERS = 2048,
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
    FACT_KERNELS,
    FACT_BUS_BITS,
    FACT_TRANSFERS /* per second */
};

static void fill_textures(struct cuda_properties *p)
{
    p->texture_1d = 131072;
    p->texture_2d[0] = p->surface_2d[0] = 131072;
    p->texture_2d[1] = p->surface_2d[1] = 65536;
    p->texture_2d_linear[0] = 131072;
    p->texture_2d_linear[1] = 65000;
    p->texture_2d_linear[2] = 2097120;
    for (int i = 0; i < 3; i++) {
        p->texture_3d[i] = p->surface_3d[i] = 16384;
        p->texture_3d_alt[i] = i == 2 ? 32768 : 8192;
    }
    p->texture_1d_mipmap = p->surface_1d = EXTENT;
    for (int i = 0; i < 2; i++) {
        p->texture_2d_mipmap[i] = p->texture_2d_gather[i] = EXTENT;
        p->texture_2d_layered[i] = p->surface_2d_layered[i] = EXTENT;
    }
    p->texture_1d_layered[0] = p->surface_1d_layered[0] = EXTENT;
    p->texture_1d_layered[1] = p->surface_1d_layered[1] = LAYERS;
    p->texture_2d_layered[2] = p->surface_2d_layered[2] = LAYERS;
    p->texture_cube = p->surface_cube = EXTENT;
    p->texture_cube_layered[0] = p->surface_cube_layered[0] = EXTENT;
    p->texture_cube_layered[1] = p->surface_cube_layered[1] = LAYERS - 2;
}

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
    p->unified_addressing = 1;
    p->managed = 1;
    p->map_host = 1;
    p->cooperative = 1;
    p->global_l1 = 1;
    p->local_l1 = 1;
    p->host_register = 1;
    p->memory_pools = 1;
    memcpy(p->uuid, "warploom", sizeof("warploom"));
    fill_textures(p);
}

int loom_cuda_properties(struct cuda_properties *p,
                         struct loom_cuda_clocks *clocks, int device)
{
    struct loom_host_call call = {.name = NULL}, told = {.name = NULL};
    uint32_t arch;
    int error;

    memset(p, 0, sizeof(*p));
    if (!loom_cuda_is_device(device)) {
        return CUDA_INVALID_DEVICE;
    }
    loom_cuda_lock();
    error = loom_cuda_ask(&call, "facts", NULL, 0);
    if (error == CUDA_OK) {
        snprintf(p->name, sizeof(p->name), "warploom %.*s",
                 (int)call.text_bytes, call.text);
        error = LOOM_CUDA_ASK(&told, "capability", loom_cuda_architecture());
    }
    loom_cuda_unlock();
    if (error != CUDA_OK) {
        return error;
    }
    fill_limits(p);
    p->pci_bus = device + 1;
    p->uuid[sizeof(p->uuid) - 1] = (char)device;
    arch = loom_cuda_architecture();
    arch = (uint32_t)told.result[0] > arch ? (uint32_t)told.result[0] : arch;
    p->major = (int32_t)(arch / 10);
    p->minor = (int32_t)(arch % 10);
    p->clusters = p->major >= 9;
    p->global_bytes = (size_t)call.result[FACT_MEMORY];
    p->sms = (int32_t)call.result[FACT_SMS];
    p->threads_per_sm = (int32_t)call.result[FACT_THREADS];
    p->regs_per_sm = p->regs_per_block = (int32_t)call.result[FACT_REGISTERS];
    p->shared_per_sm = (size_t)call.result[FACT_SHARED];
    p->reserved_shared = p->major >= 8 ? SHARED_RESERVED : 0;
    p->shared_per_block_optin = p->shared_per_sm > p->reserved_shared
                                    ? p->shared_per_sm - p->reserved_shared
                                    : 0;
    p->shared_per_block = p->shared_per_sm < SHARED_PER_BLOCK
                              ? p->shared_per_sm
                              : SHARED_PER_BLOCK;
    p->blocks_per_sm = (int32_t)call.result[FACT_CTAS];
    p->l2_bytes = (int32_t)call.result[FACT_L2];
    p->copy_engines = (int32_t)call.result[FACT_COPY_ENGINES];
    p->concurrent_kernels = call.result[FACT_KERNELS] > 1;
    p->bus_width = (int32_t)call.result[FACT_BUS_BITS];
    clocks->core_khz = (int32_t)(call.result[FACT_HERTZ] / 1000);
    /* Of two transfers a cycle, whatever the memory is. */
    clocks->memory_khz = (int32_t)(call.result[FACT_TRANSFERS] / 2000);
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

/* All that both have. */
static const struct {
    size_t from, to, bytes;
} fields[] = {
    /* clang-format off */
    BOTH(name), BOTH(uuid), BOTH(luid), BOTH(luid_node_mask),
    BOTH(global_bytes), BOTH(shared_per_block), BOTH(regs_per_block),
    BOTH(warp_size), BOTH(max_pitch), BOTH(max_threads), BOTH(max_block),
    BOTH(max_grid), BOTH(constant_bytes), BOTH(major), BOTH(minor),
    BOTH(texture_alignment), BOTH(texture_pitch_alignment), BOTH(texture_2d),
    BOTH(texture_2d_mipmap), BOTH(texture_2d_linear), BOTH(texture_2d_gather),
    BOTH(texture_3d), BOTH(texture_3d_alt), BOTH(texture_cube),
    BOTH(texture_1d_layered), BOTH(texture_2d_layered),
    BOTH(texture_cube_layered), BOTH(surface_1d), BOTH(surface_2d),
    BOTH(surface_3d), BOTH(surface_1d_layered), BOTH(surface_2d_layered),
    BOTH(surface_cube), BOTH(surface_cube_layered), BOTH(surface_alignment),
    BOTH(concurrent_kernels), BOTH(ecc), BOTH(pci_bus), BOTH(pci_device),
    BOTH(pci_domain), BOTH(tcc), BOTH(copy_engines), BOTH(unified_addressing),
    BOTH(bus_width), BOTH(l2_bytes), BOTH(persisting_l2_bytes),
    BOTH(threads_per_sm), BOTH(stream_priorities), BOTH(global_l1),
    BOTH(local_l1), BOTH(shared_per_sm), BOTH(regs_per_sm), BOTH(managed),
    BOTH(multi_gpu), BOTH(multi_gpu_group), BOTH(host_atomics),
    BOTH(pageable_access), BOTH(concurrent_managed), BOTH(preemption),
    BOTH(host_pointer_registered), BOTH(cooperative),
    BOTH(shared_per_block_optin), BOTH(pageable_host_tables),
    BOTH(direct_managed), BOTH(blocks_per_sm), BOTH(access_window),
    BOTH(reserved_shared), BOTH(host_register), BOTH(sparse_arrays),
    BOTH(host_register_read_only), BOTH(timeline_semaphores),
    BOTH(memory_pools), BOTH(rdma), BOTH(rdma_flush), BOTH(rdma_ordering),
    BOTH(pool_handle_types), BOTH(deferred_arrays), BOTH(ipc_events),
    BOTH(clusters), BOTH(unified_functions), BOTH(sms), BOTH(integrated),
    BOTH(map_host), BOTH(texture_1d), BOTH(texture_1d_mipmap),
    /* clang-format on */
};

/* Before CUDA 13: the same fields in other places, and some more. */
static void translate(const struct cuda_properties *p,
                      const struct loom_cuda_clocks *clocks, void *to,
                      size_t bytes)
{
    struct cuda_properties_12 old = {
        .clock_khz = clocks->core_khz,
        .memory_clock_khz = clocks->memory_khz,
        .overlap = p->copy_engines > 0,
        .double_ratio = p->major >= 6 && p->minor == 0 ? 2 : 32,
        .texture_1d_linear = 1 << 28};

    for (size_t i = 0; i < LOOM_COUNTOF(fields); i++) {
        memcpy((char *)&old + fields[i].to, (const char *)p + fields[i].from,
               fields[i].bytes);
    }
    memcpy(to, &old, bytes);
}

static int get(void *to, int device, int version)
{
    struct cuda_properties p;
    struct loom_cuda_clocks clocks = {0};
    int error = loom_cuda_properties(&p, &clocks, device);

    if (error != CUDA_OK) {
        return error;
    }
    if (version >= 13) {
        memcpy(to, &p, sizeof(p));
    } else {
        translate(&p, &clocks, to,
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
    /* clang-format off */
    ATTRIBUTE(1, max_threads), ATTRIBUTE(2, max_block[0]),
    ATTRIBUTE(3, max_block[1]), ATTRIBUTE(4, max_block[2]),
    ATTRIBUTE(5, max_grid[0]), ATTRIBUTE(6, max_grid[1]),
    ATTRIBUTE(7, max_grid[2]), ATTRIBUTE(8, shared_per_block),
    ATTRIBUTE(9, constant_bytes), ATTRIBUTE(10, warp_size),
    ATTRIBUTE(11, max_pitch), ATTRIBUTE(12, regs_per_block),
    ATTRIBUTE(14, texture_alignment), ATTRIBUTE(16, sms),
    ATTRIBUTE(18, integrated), ATTRIBUTE(19, map_host),
    ATTRIBUTE(21, texture_1d), ATTRIBUTE(22, texture_2d[0]),
    ATTRIBUTE(23, texture_2d[1]), ATTRIBUTE(24, texture_3d[0]),
    ATTRIBUTE(25, texture_3d[1]), ATTRIBUTE(26, texture_3d[2]),
    ATTRIBUTE(27, texture_2d_layered[0]), ATTRIBUTE(28, texture_2d_layered[1]),
    ATTRIBUTE(29, texture_2d_layered[2]), ATTRIBUTE(30, surface_alignment),
    ATTRIBUTE(31, concurrent_kernels), ATTRIBUTE(32, ecc),
    ATTRIBUTE(33, pci_bus), ATTRIBUTE(34, pci_device),
    ATTRIBUTE(37, bus_width), ATTRIBUTE(38, l2_bytes),
    ATTRIBUTE(39, threads_per_sm), ATTRIBUTE(40, copy_engines),
    ATTRIBUTE(41, unified_addressing), ATTRIBUTE(42, texture_1d_layered[0]),
    ATTRIBUTE(43, texture_1d_layered[1]), ATTRIBUTE(45, texture_2d_gather[0]),
    ATTRIBUTE(46, texture_2d_gather[1]), ATTRIBUTE(47, texture_3d_alt[0]),
    ATTRIBUTE(48, texture_3d_alt[1]), ATTRIBUTE(49, texture_3d_alt[2]),
    ATTRIBUTE(50, pci_domain), ATTRIBUTE(51, texture_pitch_alignment),
    ATTRIBUTE(52, texture_cube), ATTRIBUTE(53, texture_cube_layered[0]),
    ATTRIBUTE(54, texture_cube_layered[1]), ATTRIBUTE(55, surface_1d),
    ATTRIBUTE(56, surface_2d[0]), ATTRIBUTE(57, surface_2d[1]),
    ATTRIBUTE(58, surface_3d[0]), ATTRIBUTE(59, surface_3d[1]),
    ATTRIBUTE(60, surface_3d[2]), ATTRIBUTE(61, surface_1d_layered[0]),
    ATTRIBUTE(62, surface_1d_layered[1]), ATTRIBUTE(63, surface_2d_layered[0]),
    ATTRIBUTE(64, surface_2d_layered[1]), ATTRIBUTE(65, surface_2d_layered[2]),
    ATTRIBUTE(66, surface_cube), ATTRIBUTE(67, surface_cube_layered[0]),
    ATTRIBUTE(68, surface_cube_layered[1]),
    ATTRIBUTE(70, texture_2d_linear[0]), ATTRIBUTE(71, texture_2d_linear[1]),
    ATTRIBUTE(72, texture_2d_linear[2]), ATTRIBUTE(73, texture_2d_mipmap[0]),
    ATTRIBUTE(74, texture_2d_mipmap[1]), ATTRIBUTE(75, major),
    ATTRIBUTE(76, minor), ATTRIBUTE(77, texture_1d_mipmap),
    ATTRIBUTE(78, stream_priorities), ATTRIBUTE(79, global_l1),
    ATTRIBUTE(80, local_l1), ATTRIBUTE(81, shared_per_sm),
    ATTRIBUTE(82, regs_per_sm), ATTRIBUTE(83, managed),
    ATTRIBUTE(88, pageable_access), ATTRIBUTE(89, concurrent_managed),
    ATTRIBUTE(90, preemption), ATTRIBUTE(95, cooperative),
    ATTRIBUTE(97, shared_per_block_optin), ATTRIBUTE(99, host_register),
    ATTRIBUTE(106, blocks_per_sm), ATTRIBUTE(111, reserved_shared),
    ATTRIBUTE(115, memory_pools), ATTRIBUTE(120, clusters),
    /* clang-format on */
};

enum {
    ATTRIBUTE_CLOCK = 13,
    ATTRIBUTE_OVERLAP = 15,
    ATTRIBUTE_MEMORY_CLOCK = 36,
    ATTRIBUTE_1D_LINEAR = 69,
    ATTRIBUTE_VIRTUAL = 102, /* memory management: driver/virtual.c */
    ATTRIBUTE_LAST = 147
};

LOOM_CUDA(int, cudaDeviceGetAttribute, int *value, int number, int device)
{
    struct cuda_properties p;
    struct loom_cuda_clocks clocks = {0};
    int error = loom_cuda_properties(&p, &clocks, device);

    if (number < 1 || number > ATTRIBUTE_LAST) {
        error = CUDA_INVALID_VALUE;
    }
    if (error != CUDA_OK) {
        return loom_cuda_done(error);
    }
    switch (number) {
    case ATTRIBUTE_CLOCK:
        *value = clocks.core_khz;
        break;
    case ATTRIBUTE_MEMORY_CLOCK:
        *value = clocks.memory_khz;
        break;
    case ATTRIBUTE_OVERLAP:
        *value = p.copy_engines > 0;
        break;
    case ATTRIBUTE_1D_LINEAR:
        *value = 1 << 28;
        break;
    case ATTRIBUTE_VIRTUAL:
        *value = 1;
        break;
    default:
        *value = 0;
    }
    for (size_t i = 0; i < LOOM_COUNTOF(attributes); i++) {
        if (attributes[i].number == number) {
            /* Sizes are size_t and int; both are little-endian. */
            memcpy(value, (char *)&p + attributes[i].offset, sizeof(*value));
        }
    }
    return CUDA_OK;
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
    error = LOOM_CUDA_ASK(&call, "sync", (uint64_t)loom_cuda_device());
    if (error == CUDA_OK) {
        error = loom_cuda_pull_shared();
    }
    if (error == CUDA_OK) {
        loom_cuda_pools_settle();
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

/* No line of a cache stays. */
LOOM_CUDA(int, cudaCtxResetPersistingL2Cache, void)
{
    return CUDA_OK;
}

LOOM_CUDA(int, cudaDeviceGetTexture1DLinearMaxWidth, size_t *width,
          const struct cuda_channel *channel, int device)
{
    if (width == NULL || channel == NULL || !loom_cuda_is_device(device)) {
        return loom_cuda_done(loom_cuda_is_device(device)
                                  ? CUDA_INVALID_VALUE
                                  : CUDA_INVALID_DEVICE);
    }
    *width = 1 << 28;
    return CUDA_OK;
}

/* Limits and preferences are the machine's, as the script says: what a program
 * sets, it is told again. */
static size_t limits[] = {1024, 1 << 20, 8 << 20, 2,
                          2048, 128,     32 << 10}; /* the lock is held */

LOOM_CUDA(int, cudaDeviceSetLimit, int limit, size_t value)
{
    if (limit < 0 || limit >= (int)LOOM_COUNTOF(limits)) {
        return loom_cuda_done(CUDA_UNSUPPORTED_LIMIT);
    }
    loom_cuda_lock();
    limits[limit] = value;
    loom_cuda_unlock();
    return CUDA_OK;
}

LOOM_CUDA(int, cudaDeviceGetLimit, size_t *value, int limit)
{
    if (limit < 0 || limit >= (int)LOOM_COUNTOF(limits)) {
        return loom_cuda_done(CUDA_UNSUPPORTED_LIMIT);
    }
    loom_cuda_lock();
    *value = limits[limit];
    loom_cuda_unlock();
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
LOOM_CUDA_ALIAS(cudaThreadSetLimit, cudaDeviceSetLimit);
LOOM_CUDA_ALIAS(cudaThreadGetLimit, cudaDeviceGetLimit);
LOOM_CUDA_ALIAS(cudaThreadSetCacheConfig, cudaDeviceSetCacheConfig);
LOOM_CUDA_ALIAS(cudaThreadGetCacheConfig, cudaDeviceGetCacheConfig);
LOOM_CUDA_ALIAS(cudaThreadExit, cudaDeviceReset);
