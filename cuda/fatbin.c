/*
 * Reading containers.  Offsets are those of the entry's header:
 *
 *    0 u16 kind               16 u32 bytes when compressed, 0: not
 *    4 u32 size of header     28 u32 architecture
 *    8 u64 size of payload    40 u64 flags
 *                             56 u64 bytes when not compressed
 */
#include "cuda/fatbin.h"

#include <limits.h>
#include <lz4.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define MAGIC 0xba55ed50u
#define FLAG_LZ4 UINT64_C(0x2000)
#define FLAG_ZSTD UINT64_C(0x8000)
#define FLAG_SPECIFIC UINT64_C(0x100000) /* compute_90a */

enum {
    CONTAINER_HEADER = 16,
    ENTRY_HEADER = 64 /* at least */
};

static uint64_t get(const unsigned char *at, unsigned bytes)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < bytes; i++) {
        value |= (uint64_t)at[i] << (8 * i);
    }
    return value;
}

uint64_t loom_fatbin_size(const void *image, size_t bytes)
{
    const unsigned char *at = image;
    uint64_t header, payload;

    if (bytes < CONTAINER_HEADER || get(at, 4) != MAGIC) {
        return 0;
    }
    header = get(at + 6, 2);
    payload = get(at + 8, 8);
    return payload > UINT64_MAX - header ? UINT64_MAX : header + payload;
}

/* One entry of at most `left` bytes; the bytes it takes in *taken. */
static bool read_entry(const unsigned char *at, uint64_t left,
                       struct loom_fatbin_entry *entry, uint64_t *taken,
                       struct loom_error *err)
{
    uint64_t header, payload, stored;

    if (left < ENTRY_HEADER) {
        return loom_fail(err, LOOM_ERR_INPUT,
                         "%llu bytes are left, an entry has at least %d",
                         (unsigned long long)left, ENTRY_HEADER);
    }
    header = get(at + 4, 4);
    payload = get(at + 8, 8);
    stored = get(at + 16, 4);
    if (header < ENTRY_HEADER || header > left) {
        return loom_fail(
            err, LOOM_ERR_INPUT, "its header has %llu bytes, expected %d..%llu",
            (unsigned long long)header, ENTRY_HEADER, (unsigned long long)left);
    }
    if (payload > left - header || stored > payload) {
        return loom_fail(err, LOOM_ERR_INPUT,
                         "it has %llu bytes, %llu compressed, %llu are left",
                         (unsigned long long)payload,
                         (unsigned long long)stored,
                         (unsigned long long)(left - header));
    }
    *entry = (struct loom_fatbin_entry){
        .kind = (uint32_t)get(at, 2),
        .arch = (uint32_t)get(at + 28, 4),
        .flags = get(at + 40, 8),
        .bytes = at + header,
        .stored = stored != 0 ? stored : payload,
        .full = stored != 0 ? get(at + 56, 8) : 0,
    };
    *taken = header + payload;
    return true;
}

bool loom_fatbin_read(const void *image, size_t bytes,
                      struct loom_fatbin *fatbin, struct loom_error *err)
{
    const unsigned char *at = image;
    uint64_t size = loom_fatbin_size(image, bytes), offset;

    fatbin->count = 0;
    if (size == 0) {
        return loom_fail(err, LOOM_ERR_INPUT,
                         "no fat binary: it does not start with 0x%x", MAGIC);
    }
    if (size > bytes) {
        return loom_fail(err, LOOM_ERR_INPUT,
                         "a fat binary of %llu bytes, but only %llu are there",
                         (unsigned long long)size, (unsigned long long)bytes);
    }
    offset = get(at + 6, 2);
    if (offset < CONTAINER_HEADER) {
        return loom_fail(err, LOOM_ERR_INPUT,
                         "a fat binary whose header has %llu bytes, "
                         "expected %d",
                         (unsigned long long)offset, CONTAINER_HEADER);
    }
    while (offset < size) {
        uint64_t taken = 0;

        if (fatbin->count == LOOM_FATBIN_ENTRIES) {
            return loom_fail(err, LOOM_ERR_INPUT,
                             "a fat binary of more than %d entries",
                             LOOM_FATBIN_ENTRIES);
        }
        if (!read_entry(at + offset, size - offset,
                        &fatbin->entry[fatbin->count], &taken, err)) {
            char where[40];

            snprintf(where, sizeof(where), "fat binary, entry %u",
                     fatbin->count);
            return loom_fail_at(err, where);
        }
        fatbin->count++;
        offset += taken;
    }
    return true;
}

/* compute_90a has all of compute_90, and more. */
static bool newer(const struct loom_fatbin_entry *a,
                  const struct loom_fatbin_entry *b)
{
    return a->arch != b->arch
               ? a->arch > b->arch
               : (a->flags & FLAG_SPECIFIC) > (b->flags & FLAG_SPECIFIC);
}

const struct loom_fatbin_entry *
loom_fatbin_ptx(const struct loom_fatbin *fatbin)
{
    const struct loom_fatbin_entry *found = NULL;

    for (uint32_t i = 0; i < fatbin->count; i++) {
        const struct loom_fatbin_entry *entry = &fatbin->entry[i];

        if (entry->kind == LOOM_FATBIN_PTX &&
            (found == NULL || newer(entry, found))) {
            found = entry;
        }
    }
    return found;
}

static uint32_t distance(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}

const struct loom_fatbin_entry *
loom_fatbin_machine_code(const struct loom_fatbin *fatbin, uint32_t arch)
{
    const struct loom_fatbin_entry *found = NULL;

    for (uint32_t i = 0; i < fatbin->count; i++) {
        const struct loom_fatbin_entry *entry = &fatbin->entry[i];

        if (entry->kind == LOOM_FATBIN_MACHINE_CODE &&
            (found == NULL ||
             distance(entry->arch, arch) < distance(found->arch, arch) ||
             (distance(entry->arch, arch) == distance(found->arch, arch) &&
              entry->arch > found->arch))) {
            found = entry;
        }
    }
    return found;
}

const char *loom_fatbin_architectures(const struct loom_fatbin *fatbin,
                                      char *text, size_t room)
{
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t i = 0; i < fatbin->count && used < room; i++) {
        const struct loom_fatbin_entry *entry = &fatbin->entry[i];

        if (entry->kind == LOOM_FATBIN_MACHINE_CODE) {
            used += (size_t)snprintf(text + used, room - used, "%ssm_%u",
                                     used > 0 ? " " : "", entry->arch);
        }
    }
    return text;
}

/* Bytes in *got. */
static bool unpack(const struct loom_fatbin_entry *entry, char *to, size_t room,
                   size_t *got, struct loom_error *err)
{
    if (entry->flags & FLAG_ZSTD) {
        *got = ZSTD_decompress(to, room, entry->bytes, (size_t)entry->stored);
        if (ZSTD_isError(*got)) {
            return loom_fail(err, LOOM_ERR_INPUT, "damaged: %s",
                             ZSTD_getErrorName(*got));
        }
        return true;
    }
    if (entry->flags & FLAG_LZ4) {
        int count = entry->stored > INT_MAX
                        ? -1
                        : LZ4_decompress_safe(entry->bytes, to,
                                              (int)entry->stored, (int)room);

        if (count < 0) {
            return loom_fail(err, LOOM_ERR_INPUT, "damaged: not an LZ4 block");
        }
        *got = (size_t)count;
        return true;
    }
    return loom_fail(err, LOOM_ERR_INPUT,
                     "compressed in a way that is not known (flags 0x%llx)",
                     (unsigned long long)entry->flags);
}

bool loom_fatbin_unpack(const struct loom_fatbin_entry *entry, char **data,
                        size_t *bytes, struct loom_error *err)
{
    uint64_t room = entry->full != 0 ? entry->full : entry->stored;
    size_t got = (size_t)entry->stored;
    bool ok = true;
    char *to;

    if (room > LOOM_FATBIN_TEXT_MAX) {
        return loom_fail(err, LOOM_ERR_INPUT,
                         "damaged: %llu bytes, expected at most %d",
                         (unsigned long long)room, LOOM_FATBIN_TEXT_MAX);
    }
    to = malloc((size_t)room + 1);
    if (to == NULL) {
        return loom_fail(err, LOOM_ERR_MEMORY, "no memory for %llu bytes",
                         (unsigned long long)room);
    }
    if (entry->full == 0) {
        memcpy(to, entry->bytes, got);
    } else {
        ok = unpack(entry, to, (size_t)room, &got, err);
    }
    if (!ok) {
        free(to);
        return false;
    }
    to[got] = '\0';
    *bytes = got;
    *data = to;
    return true;
}

bool loom_fatbin_text(const struct loom_fatbin_entry *entry, char **text,
                      size_t *bytes, struct loom_error *err)
{
    if (!loom_fatbin_unpack(entry, text, bytes, err)) {
        return false;
    }
    *bytes = strnlen(*text, *bytes); /* padded with zeros */
    return true;
}
