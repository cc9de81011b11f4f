/*
 * The coding of streams in recordings: columns, and the predictions that
 * writer and reader make alike.
 */
#ifndef WORKLOADS_RECORDING_CODE_PRIVATE_H
#define WORKLOADS_RECORDING_CODE_PRIVATE_H

#include "workloads/recording/recording_private.h"

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
    size_t words; /* of this block so far */
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
