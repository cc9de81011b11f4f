/*
 * What programs of the driver API pass to it: layouts, which are facts of
 * cuda.h since CUDA 3.2; tests/cuda/driver compares them with it.
 */
#ifndef CUDA_DRIVER_ABI_H
#define CUDA_DRIVER_ABI_H

#include "cuda/abi.h"

/* CUDA_ARRAY_DESCRIPTOR and, with depth and flags, CUDA_ARRAY3D_DESCRIPTOR. */
struct driver_array {
    size_t width, height;
    uint32_t format, channels;
};
struct driver_array3d {
    size_t width, height, depth;
    uint32_t format, channels, flags;
};

/* CUmemLocation, CUmemAllocationProp, CUmemAccessDesc. */
struct driver_location {
    int32_t type, id;
};
struct driver_memory_properties {
    int32_t type, handle_types;
    struct driver_location location;
    void *windows;
    uint8_t compression, rdma;
    uint16_t usage;
    uint8_t reserved[4];
};
struct driver_access {
    struct driver_location location;
    int32_t flags;
};

/* One side of CUDA_MEMCPY2D. */
struct driver_side2d {
    size_t x, y; /* x in bytes */
    uint32_t type, padding;
    const void *host;
    uint64_t device;
    struct cuda_array *array;
    size_t pitch;
};

struct driver_copy2d {
    struct driver_side2d from, to;
    size_t width, height;
};

/* Of CUDA_MEMCPY3D and CUDA_MEMCPY3D_PEER. */
struct driver_side3d {
    size_t x, y, z, level;
    uint32_t type, padding;
    const void *host;
    uint64_t device;
    struct cuda_array *array;
    void *context;
    size_t pitch, height;
};

struct driver_copy3d {
    struct driver_side3d from, to;
    size_t width, height, depth;
};

/* CUDA_RESOURCE_DESC; kinds are the runtime's. */
struct driver_resource {
    uint32_t kind, padding;
    union {
        struct cuda_array *array;
        struct {
            uint64_t at;
            uint32_t format, channels;
            size_t bytes;
        } linear;
        struct {
            uint64_t at;
            uint32_t format, channels;
            size_t width, height, pitch;
        } pitched;
        int32_t reserved[32];
    } of;
    uint32_t flags;
};

/* CUDA_TEXTURE_DESC */
struct driver_texture {
    int32_t address[3], linear;
    uint32_t flags, anisotropy;
    int32_t mipmap_linear;
    float mipmap[3], border[4];
    int32_t reserved[12];
};

/* CUlaunchConfig */
struct driver_launch_config {
    struct cuda_dim3 grid, block;
    uint32_t shared_bytes;
    void *stream;
    const struct cuda_launch_attribute *attribute;
    uint32_t attributes;
};

/* CUdevprop */
struct driver_properties {
    int32_t max_threads, max_block[3], max_grid[3], shared_per_block;
    int32_t constant_bytes, warp_size, max_pitch, regs_per_block, clock_khz;
    int32_t texture_alignment;
};

#endif
