/*
 * Images: PTX with its kernels and variables, which programs register before
 * main() or load themselves.  The runtime's lock is held.
 */
#ifndef CUDA_IMAGE_H
#define CUDA_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "cuda/which.h"

struct loom_cuda_kernel {
    const void *host; /* the stub's address, its key */
    const char *name; /* of the device function */
    struct loom_cuda_image *image;
    /* Of the run on each device; 0: not asked for yet. */
    uint64_t number[LOOM_CUDA_DEVICES];
    uint32_t registers, shared_bytes, local_bytes, max_threads;
    uint32_t param_bytes, params;
    uint32_t *place;            /* [2 * params] offset and bytes of each */
    int32_t max_dynamic_shared; /* as the program has set it, or 0 */
    uint64_t cluster;           /* CTAs, as in struct loom_cuda_launch */
    uint32_t max_cluster;       /* CTAs, or 0 */
    bool large_clusters;        /* the program allows those of more than 8 */
};

/* Loads all that is registered on the thread's device; at start, and when more
 * comes later.  Other devices get an image when something of it is asked for
 * there. */
void loom_cuda_load_images(void);
bool loom_cuda_images_are_loaded(void);
/* Is there a variable that the host uses, too? */
bool loom_cuda_has_managed(void);
/* Once they are loaded: loom_cuda_find_kernel(), loom_cuda_find_symbol(), on
 * the thread's device. */
int loom_cuda_kernel_of(const void *host, struct loom_cuda_kernel **kernel);
int loom_cuda_symbol_of(const void *host, uint64_t *address, uint64_t *bytes);
/* Does a texture reference give integers as fractions? */
bool loom_cuda_normalized_read(const void *host);
/* The newest architecture of the program's PTX: 75. */
uint32_t loom_cuda_architecture(void);

/* ---- what programs load (modules), once a run is there ---- */

/* PTX, a fat binary or its wrapper at `data`.  NULL: an error.  The caller
 * frees *why, what is wrong, which may be NULL. */
struct loom_cuda_image *loom_cuda_image_load(const void *data, int *error,
                                             char **why);
void loom_cuda_image_unload(struct loom_cuda_image *image);
bool loom_cuda_image_is_there(const struct loom_cuda_image *image);
/* A kernel's handle, which is as good as a stub's address. */
int loom_cuda_image_kernel(struct loom_cuda_image *image, const char *name,
                           const void **handle);
int loom_cuda_image_symbol(struct loom_cuda_image *image, const char *name,
                           uint64_t *address, uint64_t *bytes);
/* Its kernels' names, a line each, which the caller frees. */
int loom_cuda_image_names(struct loom_cuda_image *image, char **names,
                          uint32_t *count);

#endif
