/*
 * Reading a warp's stream: one dynamic instruction after the other.  Part of
 * workloads/stream.h, which includes it and says what the words mean.
 */
#ifndef WORKLOADS_STREAM_READER_H
#define WORKLOADS_STREAM_READER_H

#include "workloads/stream.h"

enum loom_addr_mode {
    LOOM_ADDR_NONE,
    LOOM_ADDR_STRIDE,
    LOOM_ADDR_DELTA,
    LOOM_ADDR_LIST
};

/* One dynamic warp instruction, decoded.  `address` points into the stream. */
struct loom_warp_inst {
    const uint32_t *address;
    uint32_t index; /* static */
    uint32_t mask;
    uint32_t mode; /* enum loom_addr_mode */
};

struct loom_cursor { /* where a reader is in a warp's stream */
    const uint32_t *at, *end;
};

static inline struct loom_cursor
loom_cursor_of(const struct loom_warp_stream *warp)
{
    /* An empty stream may be nowhere. */
    return (struct loom_cursor){
        warp->word, warp->words != 0 ? warp->word + warp->words : warp->word};
}

/* Static index of the next instruction; there must be one. */
static inline uint32_t loom_stream_index(const struct loom_cursor *cursor)
{
    return *cursor->at & (LOOM_STATIC_MAX - 1);
}

/* Decodes the next instruction and moves on; false at the end. */
static inline bool loom_stream_next(struct loom_cursor *cursor,
                                    struct loom_warp_inst *inst)
{
    const uint32_t *at = cursor->at;
    uint32_t head;

    if (at == cursor->end) {
        return false;
    }
    head = *at++;
    inst->index = head & (LOOM_STATIC_MAX - 1);
    inst->mask = head & (1u << 23) ? *at++ : UINT32_MAX;
    inst->mode = (head >> 24) & 15u;
    inst->address = at;
    switch ((enum loom_addr_mode)inst->mode) {
    case LOOM_ADDR_NONE:
        break;
    case LOOM_ADDR_STRIDE:
        at += 3;
        break;
    case LOOM_ADDR_DELTA:
        at += 1 + loom_popcount(inst->mask);
        break;
    case LOOM_ADDR_LIST:
        at += 2 * loom_popcount(inst->mask);
        break;
    }
    cursor->at = at;
    return true;
}

/* Moves on without decoding; there must be an instruction. */
static inline void loom_stream_skip(struct loom_cursor *cursor)
{
    const uint32_t *at = cursor->at;
    uint32_t head = *at++, lanes = LOOM_WARP_LANES;

    if ((head & 1u << 23) != 0) {
        lanes = loom_popcount(*at++);
    }
    if (LOOM_UNLIKELY((head >> 24 & 15u) != LOOM_ADDR_NONE)) {
        uint32_t mode = head >> 24 & 15u;

        at += mode == LOOM_ADDR_STRIDE  ? 3
              : mode == LOOM_ADDR_DELTA ? 1 + lanes
                                        : 2 * lanes;
    }
    cursor->at = at;
}

/* One address per lane; lanes that are not active are left as they are. */
void loom_stream_addresses(const struct loom_warp_inst *inst,
                           loom_addr address[LOOM_WARP_LANES]);

/* The lowest and the highest address of an active lane, without expanding
 * them; false where that is not known so easily. */
bool loom_stream_span(const struct loom_warp_inst *inst, loom_addr *lowest,
                      loom_addr *highest);

/* Address of the first active lane. */
static inline loom_addr loom_stream_base(const struct loom_warp_inst *inst)
{
    return inst->address[0] | (loom_addr)inst->address[1] << 32;
}

/* Is `loop` the same as or inside `outer`? */
bool loom_loop_within(const struct loom_kernel *kernel, uint16_t loop,
                      uint16_t outer);

#endif
