/*
 * Texture references, which CUDA 12 removed: a variable of the program stands
 * for a texture, and binding it puts a texture's handle into the variable of
 * the same name in the PTX.
 */
#include "cuda/runtime.h"
#include "cuda/texture.h"

/* textureReference, as programs fill it in. */
struct cuda_reference {
    int32_t normalized, linear, address[3];
    struct cuda_channel channel;
    int32_t srgb;
    uint32_t anisotropy;
    int32_t rest[20];
};

int loom_cuda_bind(uint64_t address, const struct cuda_resource *resource,
                   const struct cuda_texture *texture)
{
    uint64_t handle;
    int error = loom_cuda_texture(&handle, resource, texture);

    if (error == CUDA_OK) {
        error = loom_cuda_transfer(
            (struct loom_cuda_transfer){.way = LOOM_CUDA_TO_DEVICE,
                                        .to = address,
                                        .from = (uintptr_t)&handle,
                                        .bytes = sizeof(handle),
                                        .silent = true});
    }
    return loom_cuda_done(error);
}

/* Puts a texture's handle into the variable of a reference. */
static int put(const void *reference, const struct cuda_resource *resource,
               const struct cuda_texture *texture)
{
    uint64_t address, bytes;
    int error = loom_cuda_find_symbol(reference, &address, &bytes);

    return error != CUDA_OK || bytes != sizeof(uint64_t)
               ? loom_cuda_done(CUDA_INVALID_TEXTURE)
               : loom_cuda_bind(address, resource, texture);
}

static int bind(const struct cuda_reference *reference,
                const struct cuda_resource *resource)
{
    struct cuda_texture texture;
    uint64_t address, bytes;

    /* Only a registered texture is known to have fields. */
    if (loom_cuda_find_symbol(reference, &address, &bytes) != CUDA_OK ||
        bytes != sizeof(uint64_t)) {
        return loom_cuda_done(CUDA_INVALID_TEXTURE);
    }
    texture = (struct cuda_texture){
        .address = {reference->address[0], reference->address[1],
                    reference->address[2]},
        .linear = reference->linear,
        .normalized = reference->normalized,
        .normalized_read = loom_cuda_normalized_read(reference)};
    return put(reference, resource, &texture);
}

LOOM_CUDA(int, cudaBindTexture, size_t *offset,
          const struct cuda_reference *reference, const void *at,
          const struct cuda_channel *channel, size_t bytes)
{
    struct cuda_resource resource = {.kind = RESOURCE_LINEAR};
    struct loom_host_call call = {.name = NULL};

    if (offset != NULL) {
        *offset = 0;
    }
    resource.of.linear.at = (void *)(uintptr_t)at;
    resource.of.linear.channel = *channel;
    resource.of.linear.bytes = bytes;
    /* Programs bind "all that there is" as 2^32 - 1 bytes. */
    if (LOOM_CUDA_ASK(&call, "find", (uintptr_t)at) == CUDA_OK) {
        uint64_t left = call.result[0] + call.result[1] - (uintptr_t)at;

        resource.of.linear.bytes = bytes < left ? bytes : (size_t)left;
    }
    return bind(reference, &resource);
}

LOOM_CUDA(int, cudaBindTexture2D, size_t *offset,
          const struct cuda_reference *reference, const void *at,
          const struct cuda_channel *channel, size_t width, size_t height,
          size_t pitch)
{
    struct cuda_resource resource = {.kind = RESOURCE_PITCHED};

    if (offset != NULL) {
        *offset = 0;
    }
    resource.of.pitched.at = (void *)(uintptr_t)at;
    resource.of.pitched.channel = *channel;
    resource.of.pitched.width = width;
    resource.of.pitched.height = height;
    resource.of.pitched.pitch = pitch;
    return bind(reference, &resource);
}

LOOM_CUDA(int, cudaBindTextureToArray, const struct cuda_reference *reference,
          struct cuda_array *array, const struct cuda_channel *channel)
{
    struct cuda_resource resource = {.kind = RESOURCE_ARRAY};

    (void)channel; /* the array's own */
    resource.of.array = array;
    return bind(reference, &resource);
}

LOOM_CUDA(int, cudaBindSurfaceToArray, const void *reference,
          struct cuda_array *array, const struct cuda_channel *channel)
{
    static const struct cuda_texture plain = {.address = {1, 1, 1}};
    struct cuda_resource resource = {.kind = RESOURCE_ARRAY};

    (void)channel;
    resource.of.array = array;
    return put(reference, &resource, &plain);
}

/* What is bound stays until something else is. */
LOOM_CUDA(int, cudaUnbindTexture, const struct cuda_reference *reference)
{
    (void)reference;
    return loom_cuda_sticky();
}

LOOM_CUDA(int, cudaGetTextureReference, const void **reference,
          const void *symbol)
{
    *reference = symbol;
    return CUDA_OK;
}

LOOM_CUDA(int, cudaGetTextureAlignmentOffset, size_t *offset,
          const struct cuda_reference *reference)
{
    (void)reference;
    *offset = 0;
    return CUDA_OK;
}
