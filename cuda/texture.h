/*
 * Resources and textures as CUDA's texture objects have them: cudaResourceDesc
 * and cudaTextureDesc.
 */
#ifndef CUDA_TEXTURE_H
#define CUDA_TEXTURE_H

#include "cuda/abi.h"

enum {
    ARRAY_LAYERED = 1, /* cudaArrayLayered */
    ARRAY_CUBEMAP = 4  /* six layers a cube */
};

enum {
    RESOURCE_ARRAY = 0,
    RESOURCE_MIPMAP = 1,
    RESOURCE_LINEAR = 2,
    RESOURCE_PITCHED = 3
};

struct cuda_resource {
    int32_t kind, padding;
    union {
        struct cuda_array *array;
        struct cuda_mipmap *mipmap;
        struct {
            void *at;
            struct cuda_channel channel;
            size_t bytes;
        } linear;
        struct {
            void *at;
            struct cuda_channel channel;
            size_t width, height, pitch;
        } pitched;
        int32_t reserved[32];
    } of;
    uint32_t flags;
};

struct cuda_texture {
    int32_t address[3]; /* 0 wrap, 1 clamp, 2 mirror, 3 border */
    int32_t linear, normalized_read, srgb;
    float border[4];
    int32_t normalized;
    uint32_t anisotropy;
    int32_t mipmap_linear;
    float mipmap[3]; /* added to the level, the least, the most */
    int32_t plain_filter, seamless;
};

/* A texture of the run, by its handle; an error number, which is noted as the
 * thread's last. */
int loom_cuda_texture(uint64_t *handle, const struct cuda_resource *resource,
                      const struct cuda_texture *texture);

/* Of a resource that is no mipmap; `smaller` is the next level of the mipmap
 * that it is a level of, or 0.  The lock is held; the error is not noted. */
int loom_cuda_texture_of(uint64_t *handle, const struct cuda_resource *resource,
                         const struct cuda_texture *texture, uint64_t smaller);

/* Puts a new texture's handle into a variable of the device; likewise. */
int loom_cuda_bind(uint64_t address, const struct cuda_resource *resource,
                   const struct cuda_texture *texture);

#endif
