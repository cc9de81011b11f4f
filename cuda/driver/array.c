/*
 * Arrays, texture and surface objects of the driver API: the runtime's, from
 * descriptions of another form.
 */
#include <string.h>

#include "cuda/driver/driver.h"
#include "cuda/texture.h"

/* CUarray_format, as what a channel is in the runtime. */
static const struct {
    uint32_t format;
    int32_t bits, kind;
} formats[] = {
    {0x01, 8, 1},  {0x02, 16, 1}, {0x03, 32, 1}, {0x08, 8, 0},
    {0x09, 16, 0}, {0x0a, 32, 0}, {0x10, 16, 2}, {0x20, 32, 2},
};

bool loom_driver_channel(uint32_t format, uint32_t channels,
                         struct cuda_channel *channel)
{
    for (size_t i = 0; i < LOOM_COUNTOF(formats); i++) {
        int32_t bits = formats[i].bits;

        if (formats[i].format == format &&
            (channels == 1 || channels == 2 || channels == 4)) {
            *channel = (struct cuda_channel){
                bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0,
                channels > 2 ? bits : 0, formats[i].kind};
            return true;
        }
    }
    loom_cuda_tell("arrays of %u channels of format 0x%x are not provided",
                   channels, format);
    return false;
}

static uint32_t format_of(const struct cuda_channel *channel)
{
    for (size_t i = 0; i < LOOM_COUNTOF(formats); i++) {
        if (formats[i].bits == channel->x && formats[i].kind == channel->kind) {
            return formats[i].format;
        }
    }
    return 0;
}

static struct cuda_extent extent_of(const struct driver_array3d *made)
{
    return (struct cuda_extent){made->width, made->height, made->depth};
}

static int create(struct cuda_array **array, const struct driver_array3d *made)
{
    struct cuda_channel channel;

    return array != NULL && made != NULL &&
                   loom_driver_channel(made->format, made->channels, &channel)
               ? cudaMalloc3DArray(array, &channel, extent_of(made),
                                   made->flags)
               : CUDA_INVALID_VALUE;
}

LOOM_CUDA(int, cuArray3DCreate_v2, struct cuda_array **array,
          const struct driver_array3d *made)
{
    return LOOM_DRIVEN(create(array, made));
}

LOOM_CUDA(int, cuArrayCreate_v2, struct cuda_array **array,
          const struct driver_array *made)
{
    struct driver_array3d all;

    if (made == NULL) {
        return CUDA_INVALID_VALUE;
    }
    all = (struct driver_array3d){.width = made->width,
                                  .height = made->height,
                                  .format = made->format,
                                  .channels = made->channels};
    return LOOM_DRIVEN(create(array, &all));
}

LOOM_CUDA(int, cuArrayDestroy, struct cuda_array *array)
{
    return LOOM_DRIVEN(array == NULL ? CUDA_INVALID_HANDLE
                                     : cudaFreeArray(array));
}

static int describe(struct driver_array3d *to, struct cuda_array *array)
{
    struct cuda_channel c;
    struct cuda_extent extent;
    unsigned flags;
    int error = cudaArrayGetInfo(&c, &extent, &flags, array);

    if (error == CUDA_OK) {
        *to = (struct driver_array3d){
            extent.width,
            extent.height,
            extent.depth,
            format_of(&c),
            (uint32_t)((c.x != 0) + (c.y != 0) + (c.z != 0) + (c.w != 0)),
            flags};
    }
    return error;
}

LOOM_CUDA(int, cuArray3DGetDescriptor_v2, struct driver_array3d *to,
          struct cuda_array *array)
{
    return LOOM_DRIVEN(describe(to, array));
}

LOOM_CUDA(int, cuArrayGetDescriptor_v2, struct driver_array *to,
          struct cuda_array *array)
{
    struct driver_array3d all = {0};
    int error = LOOM_DRIVEN(describe(&all, array));

    if (error == CUDA_OK) {
        *to = (struct driver_array){all.width, all.height, all.format,
                                    all.channels};
    }
    return error;
}

/* ---- mipmaps ---- */

static int create_mipmap(struct cuda_mipmap **mipmap,
                         const struct driver_array3d *made, unsigned levels)
{
    struct cuda_channel channel;

    return mipmap != NULL && made != NULL &&
                   loom_driver_channel(made->format, made->channels, &channel)
               ? cudaMallocMipmappedArray(mipmap, &channel, extent_of(made),
                                          levels, made->flags)
               : CUDA_INVALID_VALUE;
}

LOOM_CUDA(int, cuMipmappedArrayCreate, struct cuda_mipmap **mipmap,
          const struct driver_array3d *made, unsigned levels)
{
    return LOOM_DRIVEN(create_mipmap(mipmap, made, levels));
}

LOOM_CUDA(int, cuMipmappedArrayDestroy, struct cuda_mipmap *mipmap)
{
    return LOOM_DRIVEN(mipmap == NULL ? CUDA_INVALID_HANDLE
                                      : cudaFreeMipmappedArray(mipmap));
}

LOOM_CUDA(int, cuMipmappedArrayGetLevel, struct cuda_array **array,
          struct cuda_mipmap *mipmap, unsigned level)
{
    return LOOM_DRIVEN(cudaGetMipmappedArrayLevel(array, mipmap, level));
}

/* ---- objects ---- */

enum {
    SRGB = 16
};

bool loom_driver_fractions(const struct cuda_channel *channel, uint32_t flags)
{
    return (flags & LOOM_DRIVER_READ_AS_INTEGER) == 0 && channel->kind != 2 &&
           channel->x < 32;
}

static int resource_of(const struct driver_resource *from,
                       struct cuda_resource *to)
{
    bool known = true;

    memset(to, 0, sizeof(*to));
    to->kind = (int32_t)from->kind;
    if (from->kind == RESOURCE_LINEAR) {
        to->of.linear.at = loom_driver_pointer(from->of.linear.at);
        to->of.linear.bytes = from->of.linear.bytes;
        known = loom_driver_channel(from->of.linear.format,
                                    from->of.linear.channels,
                                    &to->of.linear.channel);
    } else if (from->kind == RESOURCE_PITCHED) {
        to->of.pitched.at = loom_driver_pointer(from->of.pitched.at);
        to->of.pitched.width = from->of.pitched.width;
        to->of.pitched.height = from->of.pitched.height;
        to->of.pitched.pitch = from->of.pitched.pitch;
        known = loom_driver_channel(from->of.pitched.format,
                                    from->of.pitched.channels,
                                    &to->of.pitched.channel);
    } else {
        to->of.array = from->of.array;
    }
    return known ? CUDA_OK : CUDA_INVALID_VALUE;
}

static int channel_of(const struct cuda_resource *resource,
                      struct cuda_channel *channel)
{
    if (resource->kind == RESOURCE_LINEAR) {
        *channel = resource->of.linear.channel;
    } else if (resource->kind == RESOURCE_PITCHED) {
        *channel = resource->of.pitched.channel;
    } else if (resource->kind == RESOURCE_ARRAY) {
        return cudaArrayGetInfo(channel, NULL, NULL, resource->of.array);
    } else if (resource->kind == RESOURCE_MIPMAP) {
        struct cuda_array *level;
        int error = cudaGetMipmappedArrayLevel(&level, resource->of.mipmap, 0);

        return error != CUDA_OK ? error
                                : cudaArrayGetInfo(channel, NULL, NULL, level);
    } else {
        *channel = (struct cuda_channel){0};
    }
    return CUDA_OK;
}

static int create_texture(uint64_t *handle, const struct driver_resource *from,
                          const struct driver_texture *texture,
                          const void *view)
{
    struct cuda_resource resource;
    struct cuda_channel channel;
    struct cuda_texture made;
    int error;

    if (handle == NULL || from == NULL || texture == NULL) {
        return CUDA_INVALID_VALUE;
    }
    error = resource_of(from, &resource);
    if (error == CUDA_OK) {
        error = channel_of(&resource, &channel);
    }
    if (error != CUDA_OK) {
        return error;
    }
    made = (struct cuda_texture){
        .linear = texture->linear,
        .normalized_read = loom_driver_fractions(&channel, texture->flags),
        .srgb = (texture->flags & SRGB) != 0,
        .normalized = (texture->flags & LOOM_DRIVER_NORMALIZED) != 0,
        .mipmap_linear = texture->mipmap_linear};
    memcpy(made.address, texture->address, sizeof(made.address));
    memcpy(made.mipmap, texture->mipmap, sizeof(made.mipmap));
    return cudaCreateTextureObject(handle, &resource, &made, view);
}

LOOM_CUDA(int, cuTexObjectCreate, uint64_t *handle,
          const struct driver_resource *resource,
          const struct driver_texture *texture, const void *view)
{
    return LOOM_DRIVEN(create_texture(handle, resource, texture, view));
}

LOOM_CUDA(int, cuTexObjectDestroy, uint64_t handle)
{
    return LOOM_DRIVEN(cudaDestroyTextureObject(handle));
}

static int create_surface(uint64_t *handle, const struct driver_resource *from)
{
    struct cuda_resource resource;

    if (handle == NULL || from == NULL || from->kind != RESOURCE_ARRAY) {
        return CUDA_INVALID_VALUE;
    }
    return resource_of(from, &resource) == CUDA_OK
               ? cudaCreateSurfaceObject(handle, &resource)
               : CUDA_INVALID_VALUE;
}

LOOM_CUDA(int, cuSurfObjectCreate, uint64_t *handle,
          const struct driver_resource *resource)
{
    return LOOM_DRIVEN(create_surface(handle, resource));
}

LOOM_CUDA(int, cuSurfObjectDestroy, uint64_t handle)
{
    return LOOM_DRIVEN(cudaDestroyTextureObject(handle));
}
