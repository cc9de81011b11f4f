/*
 * cudaDeviceProp as CUDA 13 has it, and as 11 and 12 have it.  CUDA 11's ends
 * before host_register.  Names are CUDA's, in our spelling.
 */
#ifndef CUDA_PROPERTIES_H
#define CUDA_PROPERTIES_H

#include <stddef.h>
#include <stdint.h>

/* Fields that all have, in blocks that have the same order in all. */
#define CUDA_PROPERTIES_SIZES                                                  \
    char name[256];                                                            \
    char uuid[16], luid[8];                                                    \
    uint32_t luid_node_mask;                                                   \
    size_t global_bytes, shared_per_block;                                     \
    int32_t regs_per_block, warp_size;                                         \
    size_t max_pitch;                                                          \
    int32_t max_threads, max_block[3], max_grid[3];

#define CUDA_PROPERTIES_CAPABILITY                                             \
    size_t constant_bytes;                                                     \
    int32_t major, minor;                                                      \
    size_t texture_alignment, texture_pitch_alignment;

#define CUDA_PROPERTIES_TEXTURES                                               \
    int32_t texture_2d[2], texture_2d_mipmap[2], texture_2d_linear[3];         \
    int32_t texture_2d_gather[2], texture_3d[3], texture_3d_alt[3];            \
    int32_t texture_cube, texture_1d_layered[2], texture_2d_layered[3];        \
    int32_t texture_cube_layered[2], surface_1d, surface_2d[2];                \
    int32_t surface_3d[3], surface_1d_layered[2], surface_2d_layered[3];       \
    int32_t surface_cube, surface_cube_layered[2];                             \
    size_t surface_alignment;                                                  \
    int32_t concurrent_kernels, ecc, pci_bus, pci_device, pci_domain, tcc;     \
    int32_t copy_engines, unified_addressing;

#define CUDA_PROPERTIES_SM                                                     \
    int32_t bus_width, l2_bytes, persisting_l2_bytes, threads_per_sm;          \
    int32_t stream_priorities, global_l1, local_l1;                            \
    size_t shared_per_sm;                                                      \
    int32_t regs_per_sm, managed, multi_gpu, multi_gpu_group, host_atomics;

#define CUDA_PROPERTIES_ACCESS                                                 \
    int32_t pageable_access, concurrent_managed, preemption;                   \
    int32_t host_pointer_registered, cooperative;

#define CUDA_PROPERTIES_LIMITS                                                 \
    size_t shared_per_block_optin;                                             \
    int32_t pageable_host_tables, direct_managed, blocks_per_sm;               \
    int32_t access_window;                                                     \
    size_t reserved_shared;

#define CUDA_PROPERTIES_MORE                                                   \
    int32_t host_register, sparse_arrays, host_register_read_only;             \
    int32_t timeline_semaphores, memory_pools, rdma;                           \
    uint32_t rdma_flush;                                                       \
    int32_t rdma_ordering;                                                     \
    uint32_t pool_handle_types;                                                \
    int32_t deferred_arrays, ipc_events, clusters, unified_functions;

struct cuda_properties {
    CUDA_PROPERTIES_SIZES
    CUDA_PROPERTIES_CAPABILITY
    int32_t sms, integrated, map_host;
    int32_t texture_1d, texture_1d_mipmap;
    CUDA_PROPERTIES_TEXTURES
    CUDA_PROPERTIES_SM
    CUDA_PROPERTIES_ACCESS
    CUDA_PROPERTIES_LIMITS
    CUDA_PROPERTIES_MORE
    int32_t numa[4];
    uint32_t pci_ids[2];
    int32_t host_numa_multinode, reserved[56];
};

struct cuda_properties_12 {
    CUDA_PROPERTIES_SIZES
    int32_t clock_khz;
    CUDA_PROPERTIES_CAPABILITY
    int32_t overlap, sms, timeout, integrated, map_host, compute_mode;
    int32_t texture_1d, texture_1d_mipmap, texture_1d_linear;
    CUDA_PROPERTIES_TEXTURES
    int32_t memory_clock_khz;
    CUDA_PROPERTIES_SM
    int32_t double_ratio;
    CUDA_PROPERTIES_ACCESS
    int32_t cooperative_multi_device;
    CUDA_PROPERTIES_LIMITS
    CUDA_PROPERTIES_MORE
    int32_t reserved[63];
};

struct loom_cuda_clocks {
    int32_t core_khz, memory_khz;
};

/* Of a device; an error number.  device.c. */
int loom_cuda_properties(struct cuda_properties *properties,
                         struct loom_cuda_clocks *clocks, int device);

#endif
