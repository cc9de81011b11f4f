/*
 * The table of textures of a device memory.
 */
#include "workloads/texture.h"

#include <stdlib.h>

/* Dimensions stay below this, so that products of offsets fit 64 bits. */
#define SIZE_MAX_TEXELS (1u << 27)

/* One piece of host memory, so that the device memory can free it. */
struct loom_texture_table {
    uint32_t count, room;
    struct entry {
        struct loom_texture texture;
        bool live;
    } entry[];
};

static const struct {
    const char *name;
    uint32_t bytes;
} formats[LOOM_TEXELS] = {
    [LOOM_TEXEL_U8] = {"u8", 1},   [LOOM_TEXEL_U16] = {"u16", 2},
    [LOOM_TEXEL_U32] = {"u32", 4}, [LOOM_TEXEL_S8] = {"s8", 1},
    [LOOM_TEXEL_S16] = {"s16", 2}, [LOOM_TEXEL_S32] = {"s32", 4},
    [LOOM_TEXEL_F16] = {"f16", 2}, [LOOM_TEXEL_F32] = {"f32", 4},
};

const char *loom_texel_name(enum loom_texel format)
{
    return formats[format].name;
}

uint32_t loom_texel_bytes(enum loom_texel format)
{
    return formats[format].bytes;
}

static bool check_kind(const struct loom_texture *t, struct loom_error *err)
{
    if (t->format >= LOOM_TEXELS) {
        return loom_fail(err, LOOM_ERR_WORKLOAD, "texture: format %u",
                         t->format);
    }
    if (t->channels != 1 && t->channels != 2 && t->channels != 4) {
        return loom_fail(err, LOOM_ERR_WORKLOAD,
                         "texture: %u channels, expected 1, 2 or 4",
                         t->channels);
    }
    for (uint32_t i = 0; i < 3; i++) {
        if (t->address[i] > LOOM_ADDRESS_MIRROR) {
            return loom_fail(err, LOOM_ERR_WORKLOAD, "texture: address mode %u",
                             t->address[i]);
        }
    }
    if (t->linear && t->format != LOOM_TEXEL_F32 &&
        t->format != LOOM_TEXEL_F16 &&
        !(t->normalized_read && loom_texel_bytes(t->format) < 4)) {
        return loom_fail(err, LOOM_ERR_WORKLOAD,
                         "texture: linear filtering needs floats, but format "
                         "%s is read as integers",
                         loom_texel_name(t->format));
    }
    return true;
}

static bool check_size(const struct loom_texture *t, struct loom_error *err)
{
    if (t->width == 0 || t->width > SIZE_MAX_TEXELS ||
        t->height > SIZE_MAX_TEXELS || t->depth > SIZE_MAX_TEXELS ||
        t->layers > SIZE_MAX_TEXELS || (t->depth != 0 && t->height == 0) ||
        (t->depth != 0 && t->layers != 0)) {
        return loom_fail(err, LOOM_ERR_WORKLOAD,
                         "texture: a size of %u x %u x %u texels in %u layers "
                         "is not possible",
                         t->width, t->height, t->depth, t->layers);
    }
    return true;
}

/* Fills in the strides; false: they are too small or not aligned. */
static bool set_strides(struct loom_texture *t, uint64_t *bytes,
                        struct loom_error *err)
{
    uint64_t texel = (uint64_t)loom_texel_bytes(t->format) * t->channels;
    uint64_t rows = t->height == 0 ? 1 : t->height;
    uint64_t planes = (uint64_t)(t->depth == 0 ? 1 : t->depth) *
                      (t->layers == 0 ? 1 : t->layers);

    t->pitch = t->pitch == 0 ? t->width * texel : t->pitch;
    if (t->pitch >= UINT64_C(1) << 35 || t->pitch < t->width * texel) {
        return loom_fail(err, LOOM_ERR_WORKLOAD,
                         "texture: a pitch of %llu bytes for rows of %llu",
                         (unsigned long long)t->pitch,
                         (unsigned long long)(t->width * texel));
    }
    t->slice = t->slice == 0 ? t->pitch * rows : t->slice;
    if (t->slice < t->pitch * rows || t->slice > (UINT64_MAX >> 1) / planes) {
        return loom_fail(err, LOOM_ERR_WORKLOAD,
                         "texture: a slice of %llu bytes for planes of %llu",
                         (unsigned long long)t->slice,
                         (unsigned long long)(t->pitch * rows));
    }
    if ((t->base | t->pitch | t->slice) % texel != 0) {
        return loom_fail(err, LOOM_ERR_WORKLOAD,
                         "texture: base, pitch and slice must be multiples of "
                         "the texel's %llu bytes",
                         (unsigned long long)texel);
    }
    *bytes = (planes - 1) * t->slice + (rows - 1) * t->pitch + t->width * texel;
    return true;
}

static struct loom_texture_table *grow(struct loom_texture_table **place)
{
    struct loom_texture_table *t = *place;
    uint32_t count = t == NULL ? 0 : t->count;
    uint32_t room = count * 2 + 8;

    if (t != NULL && count < t->room) {
        return t;
    }
    t = realloc(t, sizeof(*t) + room * sizeof(t->entry[0]));
    if (t == NULL) {
        return NULL;
    }
    t->count = count;
    t->room = room;
    *place = t;
    return t;
}

bool loom_texture_create(struct loom_memory *memory,
                         const struct loom_texture *texture, uint64_t *handle,
                         struct loom_error *err)
{
    struct loom_texture t = *texture;
    struct loom_texture_table *table;
    uint64_t bytes = 0;

    if (!check_kind(&t, err) || !check_size(&t, err) ||
        !set_strides(&t, &bytes, err)) {
        return false;
    }
    if (loom_memory_at(memory, t.base, bytes) == NULL) {
        return loom_fail(err, LOOM_ERR_WORKLOAD,
                         "texture: its %llu bytes at 0x%llx are not all in one "
                         "buffer",
                         (unsigned long long)bytes, (unsigned long long)t.base);
    }
    table = grow(loom_memory_textures(memory));
    if (table == NULL) {
        return loom_fail(err, LOOM_ERR_MEMORY, "no host memory for a texture");
    }
    t.span = bytes;
    table->entry[table->count++] = (struct entry){t, true};
    *handle = LOOM_TEXTURE_HANDLE + table->count;
    return true;
}

static struct entry *find(const struct loom_memory *memory, uint64_t handle)
{
    struct loom_texture_table *table = loom_memory_texture_table(memory);
    uint64_t number = handle - LOOM_TEXTURE_HANDLE - 1;

    return table == NULL || number >= table->count || !table->entry[number].live
               ? NULL
               : &table->entry[number];
}

const struct loom_texture *loom_texture_find(const struct loom_memory *memory,
                                             uint64_t handle)
{
    const struct entry *entry = find(memory, handle);

    return entry == NULL ? NULL : &entry->texture;
}

bool loom_texture_destroy(struct loom_memory *memory, uint64_t handle,
                          struct loom_error *err)
{
    struct entry *entry = find(memory, handle);

    if (entry == NULL) {
        return loom_fail(err, LOOM_ERR_WORKLOAD, "0x%llx is not a texture",
                         (unsigned long long)handle);
    }
    entry->live = false;
    return true;
}
