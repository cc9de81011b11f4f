/*
 * Textures and surfaces: descriptors that the host makes and programs use by
 * handle.
 *
 * A texture is a view of device memory: texel (x, y, z) of layer l is at
 *
 *   base + (l * depth + z) * slice + y * pitch + x * texel
 *
 * bytes, texel = channels * the format's size.  Memory is linear; the tiled
 * order in which hardware keeps its arrays is not modelled, so neighbouring
 * rows share no cache line.  Semantics of a fetch: CUDA C++ Programming
 * Guide, "Texture Fetching"; PTX ISA, "Texture Instructions".
 *
 * Handles are 64-bit values, as in CUDA, and never addresses.  They are
 * numbered in the order of creation and not used again.
 */
#ifndef WORKLOADS_TEXTURE_H
#define WORKLOADS_TEXTURE_H

#include "workloads/memory.h"

#define LOOM_TEXTURE_HANDLE (UINT64_C(0x54) << 56) /* plus a number from 1 */
#define LOOM_TEXTURE_CHANNELS 4

enum loom_texel {
    LOOM_TEXEL_U8,
    LOOM_TEXEL_U16,
    LOOM_TEXEL_U32,
    LOOM_TEXEL_S8,
    LOOM_TEXEL_S16,
    LOOM_TEXEL_S32,
    LOOM_TEXEL_F16,
    LOOM_TEXEL_F32,
    LOOM_TEXELS
};

enum loom_address_mode {
    LOOM_ADDRESS_CLAMP,
    LOOM_ADDRESS_BORDER, /* zero outside */
    LOOM_ADDRESS_WRAP,   /* normalised coordinates only, else as clamp */
    LOOM_ADDRESS_MIRROR  /* likewise */
};

struct loom_texture {
    loom_addr base;
    uint64_t pitch;                /* bytes from row to row; 0: a row's */
    uint64_t slice;                /* from plane to plane; 0: a plane's */
    uint64_t span;                 /* all bytes; filled in */
    uint32_t width, height, depth; /* texels; 0: has no such dimension */
    uint32_t layers;               /* of an array, 6 per cube; 0: no array */
    uint8_t format;                /* enum loom_texel */
    uint8_t channels;              /* 1, 2 or 4 */
    uint8_t address[3];            /* enum loom_address_mode, of x, y, z */
    bool linear;                   /* filter; else the nearest texel */
    bool normalized;               /* coordinates are fractions of the size */
    bool normalized_read;          /* 8- and 16-bit integers are read as
                                    * floats in [0, 1] or [-1, 1] */
    /* Of a mipmap, whose level 0 this is or one of the others: */
    uint64_t smaller;        /* the next level, a texture; 0: there is none */
    bool between;            /* two levels are blended; else the nearest */
    float bias, least, most; /* of the level that a fetch asks for */
};

/* Checks that all texels lie in one allocation and fills in pitch,
 * slice and span.
 * False: err says what is wrong with it. */
bool loom_texture_create(struct loom_memory *memory,
                         const struct loom_texture *texture, uint64_t *handle,
                         struct loom_error *err);
bool loom_texture_destroy(struct loom_memory *memory, uint64_t handle,
                          struct loom_error *err);
/* NULL: not a handle, or destroyed. */
const struct loom_texture *loom_texture_find(const struct loom_memory *memory,
                                             uint64_t handle);

const char *loom_texel_name(enum loom_texel format); /* "u8" */
uint32_t loom_texel_bytes(enum loom_texel format);   /* of one channel */

#endif
