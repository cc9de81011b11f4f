/*
 * Mipmapped arrays, and texture and surface objects.
 */
#include "cuda/texture.h"

#include <stdlib.h>

#include "cuda/runtime.h"

enum {
    LEVELS = 32 /* of a mipmapped array, at most */
};

/* ---- mipmaps: arrays, each half as large ---- */

#define MIPMAP_MAGIC 0x70696d7564756300 /* "\0cudumip" */

struct cuda_mipmap {
    uint64_t magic;
    unsigned levels;
    struct cuda_array *level[LEVELS];
};

static size_t halve(size_t extent)
{
    return extent <= 1 ? extent : extent / 2;
}

LOOM_CUDA(int, cudaFreeMipmappedArray, struct cuda_mipmap *mipmap)
{
    if (mipmap == NULL || mipmap->magic != MIPMAP_MAGIC) {
        return loom_cuda_done(mipmap == NULL ? CUDA_OK : CUDA_INVALID_HANDLE);
    }
    for (unsigned i = 0; i < mipmap->levels; i++) {
        cudaFreeArray(mipmap->level[i]);
    }
    mipmap->magic = 0;
    free(mipmap);
    return CUDA_OK;
}

LOOM_CUDA(int, cudaMallocMipmappedArray, struct cuda_mipmap **handle,
          const struct cuda_channel *channel, struct cuda_extent extent,
          unsigned levels, unsigned flags)
{
    struct cuda_mipmap *mipmap = calloc(1, sizeof(*mipmap));
    size_t longest =
        extent.width > extent.height ? extent.width : extent.height;
    int error = mipmap == NULL ? CUDA_OUT_OF_MEMORY : CUDA_OK;
    bool more = levels > 0;

    if (handle == NULL || channel == NULL) {
        free(mipmap);
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    if (mipmap != NULL) {
        mipmap->magic = MIPMAP_MAGIC;
    }
    while (error == CUDA_OK && more) {
        error = cudaMalloc3DArray(&mipmap->level[mipmap->levels], channel,
                                  extent, flags);
        mipmap->levels += error == CUDA_OK;
        more =
            mipmap->levels < levels && mipmap->levels < LEVELS && longest > 1;
        longest = halve(longest);
        extent.width = halve(extent.width);
        extent.height = halve(extent.height);
        if ((flags & (ARRAY_LAYERED | ARRAY_CUBEMAP)) == 0) {
            extent.depth = halve(extent.depth);
        }
    }
    if (error != CUDA_OK) {
        cudaFreeMipmappedArray(mipmap);
        return loom_cuda_done(error);
    }
    *handle = mipmap;
    return CUDA_OK;
}

LOOM_CUDA(int, cudaGetMipmappedArrayLevel, struct cuda_array **array,
          struct cuda_mipmap *mipmap, unsigned level)
{
    if (array == NULL || mipmap == NULL || mipmap->magic != MIPMAP_MAGIC ||
        level >= mipmap->levels) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    *array = mipmap->level[level];
    return CUDA_OK;
}

/* ---- objects ---- */

/* A texture of each level, from the smallest one on. */
static int make_mipmap(uint64_t *handle, const struct cuda_mipmap *mipmap,
                       const struct cuda_texture *t)
{
    uint64_t smaller = 0;
    int error = CUDA_OK;

    if (mipmap == NULL || mipmap->magic != MIPMAP_MAGIC || !t->normalized) {
        return CUDA_INVALID_VALUE;
    }
    for (unsigned i = mipmap->levels; i > 0 && error == CUDA_OK; i--) {
        struct cuda_resource level = {.kind = RESOURCE_ARRAY,
                                      .of.array = mipmap->level[i - 1]};

        error = loom_cuda_texture_of(&smaller, &level, t, smaller);
    }
    *handle = smaller;
    return error;
}

int loom_cuda_texture(uint64_t *handle, const struct cuda_resource *r,
                      const struct cuda_texture *t)
{
    int error;

    loom_cuda_lock();
    error = r->kind == RESOURCE_MIPMAP ? make_mipmap(handle, r->of.mipmap, t)
                                       : loom_cuda_texture_of(handle, r, t, 0);
    loom_cuda_unlock();
    return loom_cuda_done(error);
}

LOOM_CUDA(int, cudaCreateTextureObject, uint64_t *handle,
          const struct cuda_resource *resource,
          const struct cuda_texture *texture, const void *view)
{
    if (view != NULL) {
        loom_cuda_tell("cudaCreateTextureObject: resource views are not "
                       "provided");
        return loom_cuda_done(CUDA_NOT_SUPPORTED);
    }
    return loom_cuda_texture(handle, resource, texture);
}

LOOM_CUDA(int, cudaCreateSurfaceObject, uint64_t *handle,
          const struct cuda_resource *resource)
{
    static const struct cuda_texture plain = {.address = {1, 1, 1}};

    return loom_cuda_texture(handle, resource, &plain);
}

LOOM_CUDA(int, cudaDestroyTextureObject, uint64_t handle)
{
    struct loom_host_call call = {.name = NULL};

    return loom_cuda_done(LOOM_CUDA_ASK(&call, "texture_free", handle));
}

LOOM_CUDA(int, cudaDestroySurfaceObject, uint64_t handle)
{
    return cudaDestroyTextureObject(handle);
}
