/*
 * Texture and surface references of the driver API, which CUDA 12 removed from
 * the runtime: what calls set one after the other is bound before the next
 * launch.
 */
#include <stdlib.h>
#include <string.h>

#include "cuda/driver/driver.h"
#include "cuda/texture.h"

struct driver_reference {
    struct driver_reference *next;
    const struct loom_cuda_image *module;
    uint64_t address; /* of its variable */
    struct cuda_resource resource;
    struct cuda_texture texture;
    struct cuda_channel channel; /* of memory; arrays have their own */
    uint32_t flags;
    bool set, changed;
};

static struct driver_reference *references;

static bool is_reference(const struct driver_reference *reference)
{
    const struct driver_reference *r = references;

    while (r != NULL && r != reference) {
        r = r->next;
    }
    return r != NULL;
}

/* What a reference is on, with the channel that flags are about. */
static int bind(struct driver_reference *r)
{
    struct cuda_channel channel = r->channel;
    int error = CUDA_OK;

    if (r->resource.kind == RESOURCE_ARRAY) {
        error = cudaArrayGetInfo(&channel, NULL, NULL, r->resource.of.array);
    } else if (r->resource.kind == RESOURCE_LINEAR) {
        r->resource.of.linear.channel = channel;
    } else {
        r->resource.of.pitched.channel = channel;
    }
    r->texture.normalized_read = loom_driver_fractions(&channel, r->flags);
    r->texture.normalized = (r->flags & LOOM_DRIVER_NORMALIZED) != 0;
    r->changed = false;
    return error != CUDA_OK
               ? error
               : loom_cuda_bind(r->address, &r->resource, &r->texture);
}

int loom_driver_bind_references(void)
{
    int error = CUDA_OK;

    loom_cuda_lock();
    for (struct driver_reference *r = references; r != NULL; r = r->next) {
        if (r->set && r->changed && error == CUDA_OK) {
            error = bind(r);
        }
    }
    loom_cuda_unlock();
    return error;
}

void loom_driver_forget_references(const struct loom_cuda_image *module)
{
    struct driver_reference **link = &references;

    loom_cuda_lock();
    while (*link != NULL) {
        struct driver_reference *r = *link;

        if (r->module == module) {
            *link = r->next;
            free(r);
        } else {
            link = &r->next;
        }
    }
    loom_cuda_unlock();
}

static int get(struct driver_reference **to, struct loom_cuda_image *module,
               const char *name)
{
    struct driver_reference *r;
    void *address;
    size_t bytes;
    int error = cudaLibraryGetGlobal(&address, &bytes, module, name);

    if (error != CUDA_OK || bytes != sizeof(uint64_t)) {
        return error != CUDA_OK ? error : CUDA_NOT_FOUND;
    }
    loom_cuda_lock();
    for (r = references; r != NULL && r->address != (uintptr_t)address;) {
        r = r->next;
    }
    if (r == NULL && (r = calloc(1, sizeof(*r))) != NULL) {
        r->next = references;
        r->module = module;
        r->address = (uintptr_t)address;
        r->channel = (struct cuda_channel){32, 0, 0, 0, 2};
        for (int i = 0; i < 3; i++) {
            r->texture.address[i] = 1; /* clamped */
        }
        references = r;
    }
    loom_cuda_unlock();
    *to = r;
    return r == NULL ? CUDA_OUT_OF_MEMORY : CUDA_OK;
}

LOOM_CUDA(int, cuModuleGetTexRef, struct driver_reference **to,
          struct loom_cuda_image *module, const char *name)
{
    return LOOM_DRIVEN(get(to, module, name));
}

LOOM_CUDA(int, cuModuleGetSurfRef, struct driver_reference **to,
          struct loom_cuda_image *module, const char *name)
{
    return LOOM_DRIVEN(get(to, module, name));
}

/* The reference, marked as changed; with the lock, unless it is NULL. */
static struct driver_reference *change(struct driver_reference *r)
{
    loom_cuda_lock();
    if (!is_reference(r)) {
        loom_cuda_unlock();
        return NULL;
    }
    r->changed = true;
    return r;
}

static int changed(void)
{
    loom_cuda_unlock();
    return CUDA_OK;
}

static int set_array(struct driver_reference *r, struct cuda_array *array)
{
    struct loom_cuda_place place;

    if (loom_cuda_array_place(array, &place) != CUDA_OK || change(r) == NULL) {
        return CUDA_INVALID_HANDLE;
    }
    r->set = true;
    memset(&r->resource, 0, sizeof(r->resource));
    r->resource.kind = RESOURCE_ARRAY;
    r->resource.of.array = array;
    return changed();
}

LOOM_CUDA(int, cuTexRefSetArray, struct driver_reference *r,
          struct cuda_array *array, unsigned flags)
{
    (void)flags; /* the format is the array's */
    return LOOM_DRIVEN(set_array(r, array));
}

/* Surfaces are read as they are. */
LOOM_CUDA(int, cuSurfRefSetArray, struct driver_reference *r,
          struct cuda_array *array, unsigned flags)
{
    (void)flags;
    return LOOM_DRIVEN(set_array(r, array));
}

static int set_linear(struct driver_reference *r, uint64_t at, size_t bytes)
{
    if (change(r) == NULL) {
        return CUDA_INVALID_HANDLE;
    }
    r->set = at != 0;
    memset(&r->resource, 0, sizeof(r->resource));
    r->resource.kind = RESOURCE_LINEAR;
    r->resource.of.linear.at = loom_driver_pointer(at);
    r->resource.of.linear.bytes = bytes;
    return changed();
}

LOOM_CUDA(int, cuTexRefSetAddress_v2, size_t *offset,
          struct driver_reference *r, uint64_t at, size_t bytes)
{
    if (offset != NULL) {
        *offset = 0;
    }
    return LOOM_DRIVEN(set_linear(r, at, bytes));
}

static int set_pitched(struct driver_reference *r,
                       const struct driver_array *shape, uint64_t at,
                       size_t pitch)
{
    struct cuda_channel channel;

    if (shape == NULL ||
        !loom_driver_channel(shape->format, shape->channels, &channel)) {
        return CUDA_INVALID_VALUE;
    }
    if (change(r) == NULL) {
        return CUDA_INVALID_HANDLE;
    }
    r->set = true;
    r->channel = channel;
    memset(&r->resource, 0, sizeof(r->resource));
    r->resource.kind = RESOURCE_PITCHED;
    r->resource.of.pitched.at = loom_driver_pointer(at);
    r->resource.of.pitched.width = shape->width;
    r->resource.of.pitched.height = shape->height;
    r->resource.of.pitched.pitch = pitch;
    return changed();
}

LOOM_CUDA(int, cuTexRefSetAddress2D_v3, struct driver_reference *r,
          const struct driver_array *shape, uint64_t at, size_t pitch)
{
    return LOOM_DRIVEN(set_pitched(r, shape, at, pitch));
}

static int set_format(struct driver_reference *r, uint32_t format, int channels)
{
    struct cuda_channel channel;

    if (!loom_driver_channel(format, (uint32_t)channels, &channel)) {
        return CUDA_INVALID_VALUE;
    }
    if (change(r) == NULL) {
        return CUDA_INVALID_HANDLE;
    }
    r->channel = channel;
    return changed();
}

LOOM_CUDA(int, cuTexRefSetFormat, struct driver_reference *r, uint32_t format,
          int channels)
{
    return LOOM_DRIVEN(set_format(r, format, channels));
}

static int set_mode(struct driver_reference *r, int dimension, int mode)
{
    if (dimension < 0 || dimension > 2) {
        return CUDA_INVALID_VALUE;
    }
    if (change(r) == NULL) {
        return CUDA_INVALID_HANDLE;
    }
    r->texture.address[dimension] = mode;
    return changed();
}

LOOM_CUDA(int, cuTexRefSetAddressMode, struct driver_reference *r,
          int dimension, int mode)
{
    return LOOM_DRIVEN(set_mode(r, dimension, mode));
}

static int set_filter(struct driver_reference *r, int linear)
{
    if (change(r) == NULL) {
        return CUDA_INVALID_HANDLE;
    }
    r->texture.linear = linear;
    return changed();
}

LOOM_CUDA(int, cuTexRefSetFilterMode, struct driver_reference *r, int linear)
{
    return LOOM_DRIVEN(set_filter(r, linear));
}

static int set_flags(struct driver_reference *r, unsigned flags)
{
    if (change(r) == NULL) {
        return CUDA_INVALID_HANDLE;
    }
    r->flags = flags;
    return changed();
}

LOOM_CUDA(int, cuTexRefSetFlags, struct driver_reference *r, unsigned flags)
{
    return LOOM_DRIVEN(set_flags(r, flags));
}

/* What is set for a launch stays set. */
LOOM_CUDA(int, cuParamSetTexRef, const void *kernel, int unit,
          struct driver_reference *r)
{
    (void)kernel, (void)unit;
    return LOOM_DRIVEN(is_reference(r) ? CUDA_OK : CUDA_INVALID_HANDLE);
}

LOOM_CUDA_ALIAS(cuTexRefSetAddress2D_v2, cuTexRefSetAddress2D_v3);
