/*
 * Where HDF5 writes: memory, never a file.
 *
 * A failed write is more than HDF5 can bear: it keeps the file's id with
 * half of its parts freed, and its exit handler falls over them.  It may also
 * find out late, when a chunk leaves a cache, in a call that seems to have
 * nothing to do with it.  So HDF5 gets its "core" driver, which has no file,
 * on memory of ours; the bytes are written by engine/file.c, at once and
 * checked.  What is on the disk is therefore always whole, whenever the
 * process ends.
 */
#include <stdlib.h>
#include <string.h>

#include "stats/h5_private.h"

#define INCREMENT (1u << 20)

static void *image_malloc(size_t size, H5FD_file_image_op_t op, void *image)
{
    (void)op, (void)image;
    return malloc(size);
}

static void *image_memcpy(void *to, const void *from, size_t size,
                          H5FD_file_image_op_t op, void *image)
{
    (void)op, (void)image;
    return memcpy(to, from, size);
}

/* New bytes are zero: a file must not depend on what was in memory. */
static void *image_realloc(void *old, size_t size, H5FD_file_image_op_t op,
                           void *context)
{
    struct loom_h5_image *image = context;
    unsigned char *grown = realloc(old, size);

    (void)op;
    if (grown == NULL) {
        return NULL;
    }
    if (size > image->room) {
        memset(grown + image->room, 0, size - image->room);
    }
    image->byte = grown;
    image->room = size;
    return grown;
}

/* HDF5 has closed the file.  Its bytes are what it was made for; others it may
 * have asked for are nobody's. */
static herr_t image_free(void *old, H5FD_file_image_op_t op, void *context)
{
    const struct loom_h5_image *image = context;

    (void)op;
    if (old != image->byte) {
        free(old);
    }
    return 0;
}

/* Copies of the property list share the image. */
static void *share_image(void *image)
{
    return image;
}

static herr_t unshare_image(void *image)
{
    (void)image;
    return 0;
}

bool loom_h5_image_access(hid_t access, struct loom_h5_image *image)
{
    H5FD_file_image_callbacks_t calls = {.image_malloc = image_malloc,
                                         .image_memcpy = image_memcpy,
                                         .image_realloc = image_realloc,
                                         .image_free = image_free,
                                         .udata_copy = share_image,
                                         .udata_free = unshare_image,
                                         .udata = image};

    return H5Pset_file_image_callbacks(access, &calls) >= 0 &&
           H5Pset_fapl_core(access, INCREMENT, false) >= 0;
}

/* The superblock (version 2) says where the file ends, in 8 bytes at 28. */
const void *loom_h5_image_bytes(const struct loom_h5 *h5, size_t *bytes)
{
    const struct loom_h5_image *image = h5->image;
    uint64_t end = 0;

    LOOM_CHECK(image->room > 36);
    for (size_t i = 8; i-- > 0;) {
        end = end << 8 | image->byte[28 + i];
    }
    LOOM_CHECK(end <= image->room);
    *bytes = (size_t)end;
    return image->byte;
}
