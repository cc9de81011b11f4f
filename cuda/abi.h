/*
 * What programs that nvcc built pass to the CUDA runtime: layouts and
 * numbers.
 *
 * None of NVIDIA's headers is needed to build this; offsets and values are
 * facts of CUDA 11, 12 and 13 (driver_types.h, vector_types.h,
 * crt/host_runtime.h), and tests/cuda compares them with those headers where
 * they are installed.  Handles are pointers to whatever we like.
 */
#ifndef CUDA_ABI_H
#define CUDA_ABI_H

#include <stddef.h>
#include <stdint.h>

/* enum cudaError: those that are returned here.  The whole table, with names
 * and descriptions, is in error.c. */
enum {
    CUDA_OK = 0,
    CUDA_INVALID_VALUE = 1,
    CUDA_OUT_OF_MEMORY = 2,
    CUDA_INITIALIZATION = 3,
    CUDA_UNLOADING = 4,
    CUDA_INVALID_CONFIGURATION = 9,
    CUDA_INVALID_PITCH = 12,
    CUDA_INVALID_SYMBOL = 13,
    CUDA_INVALID_HOST_POINTER = 16,
    CUDA_INVALID_DEVICE_POINTER = 17,
    CUDA_INVALID_TEXTURE = 18,
    CUDA_INVALID_CHANNEL = 20,
    CUDA_INVALID_DIRECTION = 21,
    CUDA_MISSING_CONFIGURATION = 52,
    CUDA_INVALID_FUNCTION = 98,
    CUDA_INVALID_DEVICE = 101,
    CUDA_INVALID_IMAGE = 200,
    CUDA_INVALID_CONTEXT = 201, /* the driver API's */
    CUDA_NO_IMAGE = 209,
    CUDA_UNSUPPORTED_LIMIT = 215,
    CUDA_PEER_UNSUPPORTED = 217,
    CUDA_INVALID_PTX = 218,
    CUDA_FILE_NOT_FOUND = 301,
    CUDA_INVALID_HANDLE = 400,
    CUDA_NOT_FOUND = 500,
    CUDA_NOT_READY = 600,
    CUDA_PEER_ALREADY = 704,
    CUDA_PEER_NOT = 705,
    CUDA_CONTEXT_DESTROYED = 709,
    CUDA_STICKY_FIRST = 700, /* the first error of kernels */
    CUDA_STICKY_LAST = 719,  /* the last; those of peers are none */
    CUDA_OUT_OF_RESOURCES = 701,
    CUDA_ALREADY_REGISTERED = 712,
    CUDA_NOT_REGISTERED = 713,
    CUDA_NOT_SUPPORTED = 801,
    CUDA_CAPTURE_UNSUPPORTED = 900,
    CUDA_CAPTURE_INVALIDATED = 901,
    CUDA_CAPTURE_MERGE = 902,
    CUDA_CAPTURE_UNMATCHED = 903,
    CUDA_CAPTURE_UNJOINED = 904,
    CUDA_CAPTURE_ISOLATION = 905,
    CUDA_CAPTURED_EVENT = 907,
    CUDA_INVALID_CLUSTER_SIZE = 912,
    CUDA_EXEC_UPDATE = 910,
    CUDA_UNKNOWN = 999
};

struct cuda_dim3 {
    uint32_t x, y, z;
};

/* What a program has for each fat binary: static, in .nvFatBinSegment. */
#define CUDA_WRAPPER_MAGIC 0x466243b1
struct cuda_wrapper {
    uint32_t magic, version;
    const void *data;
    const void *more;
};

enum cuda_copy_kind {
    CUDA_HOST_TO_HOST,
    CUDA_HOST_TO_DEVICE,
    CUDA_DEVICE_TO_HOST,
    CUDA_DEVICE_TO_DEVICE,
    CUDA_DEFAULT /* what the addresses say */
};

enum {
    CUDA_HOST_MAPPED = 2,      /* cudaHostAllocMapped */
    CUDA_EVENT_NO_TIMING = 2,  /* cudaEventDisableTiming */
    CUDA_STREAM_LEGACY = 1,    /* as a cudaStream_t */
    CUDA_STREAM_PER_THREAD = 2 /* likewise */
};

struct cuda_channel {
    int32_t x, y, z, w; /* bits */
    int32_t kind;       /* 0 signed, 1 unsigned, 2 float, 3 none */
};

struct cuda_extent {
    size_t width, height, depth;
};

struct cuda_position {
    size_t x, y, z;
};

struct cuda_pitched {
    void *at;
    size_t pitch, width, height;
};

struct cuda_array; /* array.c */

/* cudaMemcpy3DParms */
struct cuda_copy3d {
    struct cuda_array *from_array;
    struct cuda_position from_position;
    struct cuda_pitched from;
    struct cuda_array *to_array;
    struct cuda_position to_position;
    struct cuda_pitched to;
    struct cuda_extent extent;
    int32_t kind;
};

/* cudaPointerAttributes; before CUDA 13 without the last. */
struct cuda_pointer_attributes {
    int32_t type; /* 0 unregistered, 1 host, 2 device, 3 managed */
    int32_t device;
    void *device_pointer, *host_pointer;
    long reserved[8];
};

/* cudaFuncAttributes; before CUDA 12 without the last line. */
struct cuda_function_attributes {
    size_t shared_bytes, constant_bytes, local_bytes;
    int32_t max_threads, registers, ptx_version, binary_version, cache_ca;
    int32_t max_dynamic_shared, carveout;
    int32_t cluster[6], reserved[16];
};

/* cudaLaunchConfig_t and an attribute of it. */
struct cuda_launch_attribute {
    int32_t id, padding;
    union {
        char bytes[64];
        int32_t number;
        struct cuda_dim3 cluster;
    } value;
};

struct cuda_launch_config {
    struct cuda_dim3 grid, block;
    size_t shared_bytes;
    void *stream;
    const struct cuda_launch_attribute *attribute;
    uint32_t attributes;
};

struct cuda_uuid {
    char bytes[16];
};

#endif
