/*
 * What the files of the recording share: the layout of the file, growing
 * byte buffers, bounded reading, blocks, and the coding of streams.
 *
 * All numbers are little endian and written byte by byte; nothing depends on
 * the layout of a struct or on the host.
 */
#ifndef WORKLOADS_RECORDING_PRIVATE_H
#define WORKLOADS_RECORDING_PRIVATE_H

#include "workloads/recording.h"

#define REC_HEADER_BYTES 32u
#define REC_BLOCK_HEADER_BYTES 32u
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

/* CRC-32 (IEEE 802.3) of headers; contents have zstd's XXH64. */
uint32_t rec_crc(const unsigned char *data, size_t bytes);

/* ---- Blocks ---- */

struct rec_block {
    uint64_t offset; /* of its header in the file */
    uint32_t number; /* from 0, in the order of the file */
    uint32_t kind;   /* enum rec_kind */
    uint32_t stored, raw;
    uint32_t launch; /* REC_STREAM */
    uint32_t cta;    /* REC_STREAM: that its first instruction is of */
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

/* ---- Streams ---- */

/* Columns of a block of streams; equal things lie together for zstd. */
enum rec_column {
    REC_SEGMENT, /* CTA, warp, instructions of each piece of a warp */
    REC_CONTROL, /* one byte an instruction */
    REC_JUMP,    /* static indices that were not predicted */
    REC_MASK,    /* masks that were not predicted, 4 bytes */
    REC_MOVE,    /* distances from the last addresses */
    REC_BASE,
    REC_STRIDE,
    REC_DELTA0, /* distances of lanes, byte by byte */
    REC_DELTA1,
    REC_DELTA2,
    REC_DELTA3,
    REC_LIST, /* 8 bytes a lane */
    REC_COLUMNS
};

/* What is known of a static instruction from its last execution. */
struct rec_place {
    uint32_t next; /* static index that followed */
    uint32_t mask;
    uint32_t lanes; /* number of its entry in `lane`, from 1; 0: none */
};

struct rec_lanes {
    loom_addr address[LOOM_WARP_LANES];
    uint32_t known; /* lanes with an address */
    int64_t move;   /* last distance */
};

/* The predictions that writer and reader make alike. */
struct rec_model {
    const struct loom_static_inst *inst;
    struct rec_place *place; /* [inst_count] */
    struct rec_lanes *lane;  /* [lane_capacity] */
    uint32_t inst_count, lane_count, lane_capacity;
    uint32_t before; /* static index of the last instruction, or UINT32_MAX */
    uint32_t mask;   /* of the last instruction */
    loom_addr base;  /* last address without a prediction */
};

bool rec_model_init(struct rec_model *model,
                    const struct loom_static_inst *inst, uint32_t count);
void rec_model_free(struct rec_model *model);
void rec_model_reset(struct rec_model *model); /* before each block */
void rec_model_warp(struct rec_model *model);  /* before each warp */
/* Last addresses of a static instruction, NULL without memory. */
struct rec_lanes *rec_model_lanes(struct rec_model *model, uint32_t index);

static inline uint32_t rec_model_next(const struct rec_model *model)
{
    return model->before == UINT32_MAX ? 0 : model->place[model->before].next;
}

static inline void rec_model_step(struct rec_model *model, uint32_t index,
                                  uint32_t mask)
{
    if (model->before != UINT32_MAX) {
        model->place[model->before].next = index;
    }
    model->place[index].mask = mask;
    model->before = index;
    model->mask = mask;
}

/* The control byte. */
enum {
    REC_JUMPS = 1,      /* the static index is in REC_JUMP */
    REC_MASK_SHIFT = 1, /* 2 bits, enum rec_mask_rule */
    REC_MODE_SHIFT = 3, /* 2 bits, enum loom_addr_mode */
    REC_ADDR_SHIFT = 5, /* 2 bits, enum rec_addr_rule */
    REC_SCALED = 128    /* distances are in units of the access width */
};

enum rec_mask_rule {
    REC_MASK_SAME, /* that of the instruction before */
    REC_MASK_FULL,
    REC_MASK_GIVEN,
    REC_MASK_AGAIN /* that of this static instruction's last execution */
};

enum rec_addr_rule {
    REC_ADDR_GIVEN,
    REC_ADDR_MOVED, /* every lane's last address plus a distance given */
    REC_ADDR_ALIKE  /* the same, by the last distance */
};

/* Shift of the access width of a static instruction. */
static inline uint32_t rec_width(const struct loom_static_inst *inst)
{
    return inst->bytes == 0 ? 0 : loom_log2(inst->bytes);
}

/* What the timing model relies on: lanes and addresses where the contract of
 * streams wants them. */
bool rec_allowed(const struct loom_static_inst *inst, uint32_t mask,
                 uint32_t mode);

struct rec_encoder {
    struct rec_model model;
    struct rec_bytes column[REC_COLUMNS];
    uint64_t words; /* in this block */
};

/* Appends `limit` words of `cursor` or a little more; returns the number of
 * instructions.  Memory is short if a column has `failed`. */
uint64_t rec_encode(struct rec_encoder *encoder, struct loom_cursor *cursor,
                    uint64_t limit);
size_t rec_encoded_bytes(const struct rec_encoder *encoder);

struct rec_decoder {
    struct rec_model model;
    struct rec_view column[REC_COLUMNS];
};

struct rec_words { /* where decoded words go */
    uint32_t *word;
    size_t words, capacity;
};

/* Takes a block's content apart. */
bool rec_decode_columns(struct rec_decoder *decoder, const unsigned char *raw,
                        size_t bytes);
/* Appends `insts` instructions; false, with the reason, if it cannot. */
bool rec_decode(struct rec_decoder *decoder, uint64_t insts,
                struct rec_words *words, const char **why);

#endif
