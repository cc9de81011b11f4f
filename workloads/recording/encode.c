/*
 * Coding the words of streams as columns that compress well.
 *
 * Warps run the same instructions again and again, and lanes move on by the
 * same distance: what the model predicts costs its control byte, and equal
 * control bytes cost next to nothing.  The rest goes into a column of its
 * own kind, where zstd finds what is alike.  Distances between lanes are
 * divided by the access width, so that gathers of one index from arrays of
 * several element sizes look the same, and split into bytes, as their upper
 * bytes hardly vary.
 */
#include <stdlib.h>
#include <string.h>

#include "workloads/recording/code_private.h"

/* Did all active lanes move by the same distance? */
static bool moved(const struct rec_lanes *lanes, uint32_t mask,
                  const loom_addr *address, int64_t *distance)
{
    uint32_t first = loom_lowest(mask);
    uint64_t by = address[first] - lanes->address[first], bent = 0;

    if ((mask & ~lanes->known) != 0) {
        return false;
    }
    *distance = (int64_t)by;
    if (mask == UINT32_MAX) {
        for (uint32_t i = 0; i < LOOM_WARP_LANES; i++) {
            bent |= address[i] - lanes->address[i] - by;
        }
        return bent == 0;
    }
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        uint32_t lane = loom_lowest(left);

        if (address[lane] - lanes->address[lane] != by) {
            return false;
        }
    }
    return true;
}

/* Distances of the lanes after the first; returns REC_SCALED or 0. */
static uint32_t encode_deltas(struct rec_encoder *encoder,
                              const uint32_t *delta, uint32_t count,
                              uint32_t width)
{
    struct rec_bytes *plane = &encoder->column[REC_DELTA0];
    uint32_t any = 0;

    for (uint32_t k = 0; k < count; k++) {
        any |= delta[k];
    }
    if ((any & ((1u << width) - 1)) != 0) {
        width = 0;
    }
    for (uint32_t p = 0; p < 4; p++) {
        if (!rec_reserve(&plane[p], LOOM_WARP_LANES)) {
            return 0;
        }
    }
    for (uint32_t k = 0; k < count; k++) {
        int32_t signed_delta = (int32_t)delta[k];
        uint64_t code = rec_zigzag((int64_t)signed_delta >> width);

        for (uint32_t p = 0; p < 4; p++) {
            plane[p].data[plane[p].bytes++] = (unsigned char)(code >> 8 * p);
        }
    }
    return width > 0 ? REC_SCALED : 0;
}

/* Addresses without a prediction; returns bits of the control byte. */
static uint32_t encode_given(struct rec_encoder *encoder,
                             const struct rec_lanes *lanes,
                             const struct loom_warp_inst *inst)
{
    struct rec_model *model = &encoder->model;
    struct rec_bytes *column = encoder->column;
    uint32_t first = loom_lowest(inst->mask), count = loom_popcount(inst->mask);
    loom_addr base = loom_stream_base(inst), from = model->base;

    if (lanes->known >> first & 1) {
        from = lanes->address[first];
    }
    rec_put_varint(&column[REC_BASE], rec_zigzag((int64_t)(base - from)));
    model->base = base;
    switch ((enum loom_addr_mode)inst->mode) {
    case LOOM_ADDR_NONE:
        break;
    case LOOM_ADDR_STRIDE:
        rec_put_varint(&column[REC_STRIDE],
                       rec_zigzag((int32_t)inst->address[2]));
        break;
    case LOOM_ADDR_DELTA:
        return encode_deltas(encoder, inst->address + 2, count - 1,
                             rec_width(&model->inst[inst->index]));
    case LOOM_ADDR_LIST:
        for (uint32_t i = 2; i < 2 * count; i++) {
            rec_put_int(&column[REC_LIST], inst->address[i], 4);
        }
        break;
    }
    return 0;
}

static uint32_t encode_addresses(struct rec_encoder *encoder,
                                 const struct loom_warp_inst *inst)
{
    struct rec_lanes *lanes = rec_model_lanes(&encoder->model, inst->index);
    struct rec_bytes *column = encoder->column;
    loom_addr address[LOOM_WARP_LANES];
    uint32_t mask = inst->mask, control;
    /* The stride of a single lane cannot be found again from addresses. */
    bool plain = inst->mode != LOOM_ADDR_STRIDE || (mask & (mask - 1)) != 0;
    int64_t distance;

    if (lanes == NULL) {
        column[REC_CONTROL].failed = true;
        return 0;
    }
    loom_stream_addresses(inst, address);
    if (plain && moved(lanes, mask, address, &distance)) {
        if (distance == lanes->move) {
            control = REC_ADDR_ALIKE << REC_ADDR_SHIFT;
        } else {
            control = REC_ADDR_MOVED << REC_ADDR_SHIFT;
            rec_put_varint(&column[REC_MOVE], rec_zigzag(distance));
            lanes->move = distance;
        }
    } else {
        control = encode_given(encoder, lanes, inst);
    }
    if (mask == UINT32_MAX) {
        memcpy(lanes->address, address, sizeof(address));
    } else {
        for (uint32_t left = mask; left != 0; left &= left - 1) {
            lanes->address[loom_lowest(left)] = address[loom_lowest(left)];
        }
    }
    lanes->known |= mask;
    return control;
}

static uint32_t encode_mask(struct rec_encoder *encoder,
                            const struct loom_warp_inst *inst)
{
    enum rec_mask_rule rule = REC_MASK_GIVEN;

    if (inst->mask == encoder->model.mask) {
        rule = REC_MASK_SAME;
    } else if (inst->mask == UINT32_MAX) {
        rule = REC_MASK_FULL;
    } else if (inst->mask == encoder->model.place[inst->index].mask) {
        rule = REC_MASK_AGAIN;
    } else {
        rec_put_int(&encoder->column[REC_MASK], inst->mask, 4);
    }
    return (uint32_t)rule << REC_MASK_SHIFT;
}

static void encode_inst(struct rec_encoder *encoder,
                        const struct loom_warp_inst *inst)
{
    struct rec_model *model = &encoder->model;
    struct rec_bytes *column = encoder->column;
    uint32_t next = rec_model_next(model), control = 0;

    LOOM_CHECK(inst->index < model->inst_count);
    LOOM_CHECK(rec_allowed(&model->inst[inst->index], inst->mask, inst->mode));
    if (inst->index != next) {
        control |= REC_JUMPS;
        rec_put_varint(&column[REC_JUMP],
                       rec_zigzag((int64_t)inst->index - next));
    }
    control |= encode_mask(encoder, inst);
    if (inst->mode != LOOM_ADDR_NONE) {
        control |= inst->mode << REC_MODE_SHIFT;
        control |= encode_addresses(encoder, inst);
    }
    rec_model_step(model, inst->index, inst->mask);
    rec_put_int(&column[REC_CONTROL], control, 1);
}

uint64_t rec_encode(struct rec_encoder *encoder, struct loom_cursor *cursor,
                    uint64_t limit)
{
    const uint32_t *from = cursor->at;
    uint64_t insts = 0;
    struct loom_warp_inst inst;

    while ((uint64_t)(cursor->at - from) < limit &&
           loom_stream_next(cursor, &inst)) {
        encode_inst(encoder, &inst);
        insts++;
    }
    encoder->words += (uint64_t)(cursor->at - from);
    return insts;
}

size_t rec_encoded_bytes(const struct rec_encoder *encoder)
{
    size_t bytes = 0;

    for (uint32_t c = 0; c < REC_COLUMNS; c++) {
        bytes += encoder->column[c].bytes;
    }
    return bytes;
}
