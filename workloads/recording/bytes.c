/*
 * Bytes of a recording: growing buffers, bounded views, block headers.
 *
 * A view that ran over its end gives zeros from there on and says so in
 * `bad`, so that callers check once after a group of reads.
 */
#include <stdlib.h>
#include <string.h>

#include "workloads/recording/recording_private.h"

/* The high bit finds files that lost one, the line ends find files that were
 * copied as text. */
const unsigned char rec_magic[8] = {0x89, 'W',  'L',  'T',
                                    '\r', '\n', 0x1a, '\n'};

#define BLOCK_MAGIC UINT32_C(0x6b6c4257) /* "WBlk" */

bool rec_reserve(struct rec_bytes *bytes, size_t more)
{
    size_t capacity = bytes->capacity == 0 ? 256 : bytes->capacity;
    unsigned char *data;

    if (LOOM_LIKELY(bytes->capacity - bytes->bytes >= more)) {
        return true;
    }
    while (capacity - bytes->bytes < more) {
        capacity *= 2;
    }
    data = realloc(bytes->data, capacity);
    if (data == NULL) {
        bytes->failed = true;
        return false;
    }
    bytes->data = data;
    bytes->capacity = capacity;
    return true;
}

void rec_free(struct rec_bytes *bytes)
{
    free(bytes->data);
    *bytes = (struct rec_bytes){0};
}

void rec_put(struct rec_bytes *bytes, const void *data, size_t size)
{
    if (size > 0 && rec_reserve(bytes, size)) {
        memcpy(bytes->data + bytes->bytes, data, size);
        bytes->bytes += size;
    }
}

void rec_put_int(struct rec_bytes *bytes, uint64_t value, uint32_t size)
{
    if (rec_reserve(bytes, size)) {
        for (uint32_t i = 0; i < size; i++) {
            bytes->data[bytes->bytes++] = (unsigned char)(value >> 8 * i);
        }
    }
}

void rec_put_varint(struct rec_bytes *bytes, uint64_t value)
{
    if (!rec_reserve(bytes, 10)) {
        return;
    }
    while (value >= 128) {
        bytes->data[bytes->bytes++] = (unsigned char)(value | 128);
        value >>= 7;
    }
    bytes->data[bytes->bytes++] = (unsigned char)value;
}

void rec_put_text(struct rec_bytes *bytes, const char *text)
{
    size_t length = strlen(text) + 1;

    rec_put_varint(bytes, length);
    rec_put(bytes, text, length);
}

const unsigned char *rec_get_span(struct rec_view *view, size_t bytes)
{
    const unsigned char *at = view->at;

    if ((size_t)(view->end - at) < bytes) {
        view->bad = true;
        view->at = view->end;
        return NULL;
    }
    view->at += bytes;
    return at;
}

uint64_t rec_get_int(struct rec_view *view, uint32_t size)
{
    const unsigned char *at = rec_get_span(view, size);

    return at == NULL ? 0 : rec_load(at, size);
}

uint64_t rec_get_varint(struct rec_view *view)
{
    uint64_t value = 0;

    for (uint32_t shift = 0; shift < 70; shift += 7) {
        uint64_t byte;

        if (view->at == view->end) {
            break;
        }
        byte = *view->at++;
        if (shift == 63 && byte > 1) {
            break;
        }
        value |= (byte & 127) << shift;
        if (byte < 128) {
            return value;
        }
    }
    view->bad = true;
    view->at = view->end;
    return 0;
}

uint32_t rec_get_small(struct rec_view *view, uint32_t max)
{
    uint64_t value = rec_get_varint(view);

    if (value > max) {
        view->bad = true;
        return 0;
    }
    return (uint32_t)value;
}

const char *rec_get_text(struct rec_view *view)
{
    size_t length = rec_get_small(view, REC_NAME_MAX);
    const unsigned char *text = rec_get_span(view, length);

    if (text == NULL || length == 0 ||
        memchr(text, 0, length) != text + length - 1) {
        view->bad = true;
        return NULL;
    }
    return (const char *)text;
}

uint32_t rec_crc(const unsigned char *data, size_t bytes)
{
    /* Remainders of half a byte: small, and fast enough for compressed data. */
    static const uint32_t half[16] = {
        0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
        0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
        0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
    uint32_t crc = UINT32_MAX;

    for (size_t i = 0; i < bytes; i++) {
        crc ^= data[i];
        crc = crc >> 4 ^ half[crc & 15];
        crc = crc >> 4 ^ half[crc & 15];
    }
    return ~crc;
}

const char *rec_kind_name(uint32_t kind)
{
    static const char *const names[REC_KINDS] = {
        [REC_NOTES] = "notes",   [REC_KERNEL] = "kernel",
        [REC_EVENTS] = "events", [REC_STREAM] = "streams",
        [REC_INDEX] = "index",
    };

    return kind < REC_KINDS && names[kind] != NULL ? names[kind] : "unknown";
}

static void store(unsigned char *at, uint64_t value)
{
    for (int i = 0; i < 4; i++) {
        at[i] = (unsigned char)(value >> 8 * i);
    }
}

void rec_block_write(unsigned char header[REC_BLOCK_HEADER_BYTES],
                     const struct rec_block *block)
{
    store(header, BLOCK_MAGIC);
    store(header + 4, block->kind);
    store(header + 8, block->number);
    store(header + 12, block->stored);
    store(header + 16, block->raw);
    store(header + 20, block->launch);
    store(header + 24, block->cta);
    store(header + 28, block->sum);
    store(header + 32, rec_crc(header, 32));
}

bool rec_block_read(const unsigned char header[REC_BLOCK_HEADER_BYTES],
                    struct rec_block *block)
{
    block->kind = (uint32_t)rec_load(header + 4, 4);
    block->number = (uint32_t)rec_load(header + 8, 4);
    block->stored = (uint32_t)rec_load(header + 12, 4);
    block->raw = (uint32_t)rec_load(header + 16, 4);
    block->launch = (uint32_t)rec_load(header + 20, 4);
    block->cta = (uint32_t)rec_load(header + 24, 4);
    block->sum = (uint32_t)rec_load(header + 28, 4);
    return rec_load(header, 4) == BLOCK_MAGIC &&
           rec_load(header + 32, 4) == rec_crc(header, 32) && block->kind > 0 &&
           block->kind < REC_KINDS && block->stored <= REC_BLOCK_MAX &&
           block->raw <= REC_BLOCK_MAX;
}

bool rec_damaged(struct loom_error *err, const struct rec_block *block,
                 const char *why)
{
    return loom_fail(err, LOOM_ERR_INPUT,
                     "block %lu (%s) at offset %llu is damaged: %s",
                     (unsigned long)block->number, rec_kind_name(block->kind),
                     (unsigned long long)block->offset, why);
}
