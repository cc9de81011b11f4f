/*
 * What the files of the recording share: the layout of the file, growing
 * byte buffers, bounded reading, blocks, and the coding of streams.
 *
 * All numbers are little endian and written byte by byte; nothing depends on
 * the layout of a struct or on the host.
 */
#ifndef WORKLOADS_RECORDING_RECORDING_PRIVATE_H
#define WORKLOADS_RECORDING_RECORDING_PRIVATE_H

#include "workloads/recording/recording.h"

#define REC_HEADER_BYTES 32u
#define REC_BLOCK_HEADER_BYTES 36u
#define REC_FOOTER_BYTES 40u
#define REC_INDEX_ROW_BYTES 32u

/* A block's bytes before and after compression are at most this. */
#define REC_BLOCK_MAX (64u << 20)
/* A block of streams ends after a CTA that fills it this far ... */
#define REC_STREAM_WORDS (512u << 10)
#define REC_STREAM_BYTES (128u << 10)
/* ... and within a CTA that fills it this far. */
#define REC_STREAM_WORDS_MAX (1u << 20)
#define REC_STREAM_BYTES_MAX (512u << 10)
#define REC_EVENT_BYTES (64u << 10)
/* What a reader takes from a block of streams; a writer stays below. */
#define REC_STREAM_WORDS_LIMIT (2u * REC_STREAM_WORDS_MAX)
#define REC_NAME_MAX (1u << 20) /* bytes of a name or text */

enum rec_kind {
    REC_NOTES = 1,
    REC_KERNEL,
    REC_EVENTS,
    REC_STREAM,
    REC_INDEX,
    REC_KINDS
};

/* ---- Bytes ---- */

struct rec_bytes { /* being written */
    unsigned char *data;
    size_t bytes, capacity;
    bool failed; /* no memory: reported once by the caller */
};

struct rec_view { /* being read; `bad` once something did not fit */
    const unsigned char *at, *end;
    bool bad;
};

bool rec_reserve(struct rec_bytes *bytes, size_t more);
void rec_free(struct rec_bytes *bytes);
void rec_put(struct rec_bytes *bytes, const void *data, size_t size);
void rec_put_int(struct rec_bytes *bytes, uint64_t value, uint32_t size);
void rec_put_varint(struct rec_bytes *bytes, uint64_t value);
void rec_put_text(struct rec_bytes *bytes, const char *text);

uint64_t rec_get_int(struct rec_view *view, uint32_t size);
uint64_t rec_get_varint(struct rec_view *view);
/* A varint that is at most `max`. */
uint32_t rec_get_small(struct rec_view *view, uint32_t max);
/* Points into the view; NULL if it is bad.  Final zero included. */
const char *rec_get_text(struct rec_view *view);
const unsigned char *rec_get_span(struct rec_view *view, size_t bytes);

static inline uint64_t rec_zigzag(int64_t value)
{
    return (uint64_t)value << 1 ^ (uint64_t)(value < 0 ? -1 : 0);
}

static inline int64_t rec_unzigzag(uint64_t value)
{
    return (int64_t)(value >> 1 ^ (0 - (value & 1)));
}

static inline uint64_t rec_load(const unsigned char *at, uint32_t size)
{
    uint64_t value = 0;

    for (uint32_t i = 0; i < size; i++) {
        value |= (uint64_t)at[i] << 8 * i;
    }
    return value;
}

/* CRC-32 (IEEE 802.3). */
uint32_t rec_crc(const unsigned char *data, size_t bytes);

/* ---- Blocks ---- */

struct rec_block {
    uint64_t offset; /* of its header in the file */
    uint32_t number; /* from 0, in the order of the file */
    uint32_t kind;   /* enum rec_kind */
    uint32_t stored, raw;
    uint32_t launch; /* REC_STREAM */
    uint32_t cta;    /* REC_STREAM: that its first instruction is of */
    uint32_t sum;    /* rec_crc of the stored bytes */
};

const char *rec_kind_name(uint32_t kind);
/* All header fields but `offset`, and their checksum. */
void rec_block_write(unsigned char header[REC_BLOCK_HEADER_BYTES],
                     const struct rec_block *block);
bool rec_block_read(const unsigned char header[REC_BLOCK_HEADER_BYTES],
                    struct rec_block *block);
/* "block 3 (streams) at offset 4711 is damaged: <why>"; returns false. */
bool rec_damaged(struct loom_error *err, const struct rec_block *block,
                 const char *why);

extern const unsigned char rec_magic[8];

/* ---- Tables ---- */

void rec_put_kernel(struct rec_bytes *bytes, const struct loom_kernel *kernel);

struct rec_kernel { /* as read; one block of memory each */
    struct loom_kernel_info info;
    char *name;
    struct loom_static_inst *inst;
    struct loom_loop *loop;
    char *text;
};

/* False, with the reason in *why, if the table contradicts itself. */
bool rec_get_kernel(struct rec_view *view, struct rec_kernel *kernel,
                    const char **why);
void rec_kernel_free(struct rec_kernel *kernel);

#endif
