/*
 * The identities of the load/store unit's hooks, and the grouping of lanes
 * that coalescers share.
 *
 * A warp's lanes mostly ascend in address and mostly fall into the segment
 * of the lane before, so the last segment is tried first and the sort finds
 * nothing to do.  Lanes of which each goes on where the one before ends, or
 * repeats it, are taken together.
 */
#include "policies/ldst_hook.h"

const struct loom_hook loom_coalesce_hook = {
    .name = "coalesce",
    .doc = "Turns the lanes of a memory instruction into accesses",
};

const struct loom_hook loom_order_hook = {
    .name = "order",
    .doc = "Order in which accesses go from the coalescer to the L1",
};

struct grouping {
    struct loom_access *item; /* [LOOM_ACCESS_MAX] in order of appearance */
    uint32_t count;
    uint32_t last;     /* where the previous piece went */
    loom_addr highest; /* segment so far */
    bool apart;        /* pieces that overlap may not share an access */
};

/* A piece of a run of lanes inside one segment. */
struct piece {
    loom_addr segment;
    uint64_t bytes[2]; /* of the 128-byte block */
    uint32_t lanes;
};

/* Lanes that touch the bytes from `from` to `stop` together. */
struct run {
    loom_addr from, stop;
    uint32_t lanes;
};

/* `count` bytes, at least one and none beyond the block, from `first` on. */
static inline void mark_bytes(uint64_t bytes[2], uint32_t first, uint32_t count)
{
    loom_u128 ones;

    if (first % 64 + count <= 64) { /* mostly within one word */
        bytes[first / 64] = ~UINT64_C(0) >> (64 - count) << first % 64;
        bytes[1 - first / 64] = 0;
        return;
    }
    ones = ~(loom_u128)0 >> (LOOM_BLOCK_BYTES - count) << first;
    bytes[0] = (uint64_t)ones;
    bytes[1] = (uint64_t)(ones >> 64);
}

static bool fits(const struct grouping *g, const loom_addr *segment, uint32_t i,
                 const struct piece *piece)
{
    const struct loom_access *a = &g->item[i];

    return segment[i] == piece->segment &&
           !(g->apart && ((a->bytes[0] & piece->bytes[0]) != 0 ||
                          (a->bytes[1] & piece->bytes[1]) != 0));
}

static void add_piece(struct grouping *g, loom_addr *segment,
                      const struct piece *piece)
{
    struct loom_access *a;
    uint32_t i = g->last;

    /* Pieces that must be apart go into the first access with room, as in
     * GPGPU-Sim: so the second lane of each word goes into the second one. */
    if (g->count == 0 || piece->segment > g->highest) {
        i = g->count; /* lanes that ascend: nothing to look for */
    } else if (g->apart || !fits(g, segment, i, piece)) {
        for (i = 0; i < g->count && !fits(g, segment, i, piece); i++) {
        }
    }
    g->last = i;
    a = &g->item[i];
    if (i == g->count) {
        LOOM_CHECK(g->count < LOOM_ACCESS_MAX);
        g->count++;
        segment[i] = piece->segment;
        g->highest = piece->segment > g->highest ? piece->segment : g->highest;
        a->block = piece->segment & ~(loom_addr)(LOOM_BLOCK_BYTES - 1);
        a->bytes[0] = 0;
        a->bytes[1] = 0;
        a->lanes = 0;
        a->zero = 0;
    }
    a->bytes[0] |= piece->bytes[0];
    a->bytes[1] |= piece->bytes[1];
    a->lanes |= piece->lanes;
}

static void add_run(struct grouping *g, loom_addr *segment,
                    const struct run *run, uint32_t segment_bytes)
{
    loom_addr from = run->from;
    struct piece piece = {.lanes = run->lanes};

    while (from < run->stop) {
        loom_addr stop;

        piece.segment = from & ~(loom_addr)(segment_bytes - 1);
        stop = piece.segment + segment_bytes;
        stop = stop < run->stop ? stop : run->stop;
        mark_bytes(piece.bytes, (uint32_t)from & (LOOM_BLOCK_BYTES - 1),
                   (uint32_t)(stop - from));
        add_piece(g, segment, &piece);
        from = stop;
    }
}

/* The common case: the whole run lies in the segment of the one before. */
static inline void add_near(struct loom_access *a, const struct run *run)
{
    uint64_t used[2];

    mark_bytes(used, (uint32_t)run->from & (LOOM_BLOCK_BYTES - 1),
               (uint32_t)(run->stop - run->from));
    a->bytes[0] |= used[0];
    a->bytes[1] |= used[1];
    a->lanes |= run->lanes;
}

/* The first of the lanes `left`, of `bytes` each, and those that go on where it
 * ends, inside its segment, or repeat it. */
static inline struct run run_of(const struct loom_lanes *lanes, uint32_t left,
                                uint32_t bytes, uint32_t segment_bytes)
{
    loom_addr from = lanes->address[loom_lowest(left)];
    struct run run = {from, from + bytes, left & (0 - left)};
    loom_addr last = from | (segment_bytes - 1);

    for (left &= left - 1; left != 0; left &= left - 1) {
        loom_addr at = lanes->address[loom_lowest(left)];

        if (at == run.stop && last - from >= run.stop - from + bytes - 1) {
            run.stop += bytes;
        } else if (at != run.stop - bytes) {
            break;
        }
        run.lanes |= left & (0 - left);
    }
    return run;
}

/* order[] becomes the items by ascending segment; equal ones keep theirs. */
static void sort(const loom_addr *segment, uint32_t count, uint8_t *order)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = i;

        while (at > 0 && segment[order[at - 1]] > segment[i]) {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = (uint8_t)i;
    }
}

static void finish(struct loom_access *a)
{
    static const uint16_t size[16] = {
        32, 32, 32, 64, 32, 128, 128, 128, 32, 128, 128, 128, 64, 128, 128, 128,
    };
    uint32_t sectors = 0;

    for (uint32_t i = 0; i < 4; i++) {
        if ((uint32_t)(a->bytes[i / 2] >> (32 * (i % 2))) != 0) {
            sectors |= 1u << i;
        }
    }
    a->sectors = (uint8_t)sectors;
    a->size_bytes = size[sectors];
}

/* Lanes that ascend, each in a segment of its own: nothing to group.  Returns
 * 0 if they are not so. */
static uint32_t spread(const struct loom_lanes *lanes, uint32_t bytes,
                       uint32_t segment_bytes, struct loom_access *access)
{
    uint32_t count = loom_popcount(lanes->mask);
    struct loom_access *a = access + count;
    loom_addr inside = segment_bytes - 1, last = 0;

    for (uint32_t left = lanes->mask; left != 0; left &= left - 1) {
        loom_addr from = lanes->address[loom_lowest(left)];
        loom_addr segment = from & ~inside;

        if ((segment <= last && left != lanes->mask) ||
            (from & inside) + bytes > segment_bytes) {
            return 0;
        }
        last = segment;
        a--;
        a->block = from & ~(loom_addr)(LOOM_BLOCK_BYTES - 1);
        a->lanes = left & (0 - left);
        mark_bytes(a->bytes, (uint32_t)from & (LOOM_BLOCK_BYTES - 1), bytes);
        finish(a);
    }
    return count;
}

/* All 32 lanes in one segment, each behind the one before or all at one
 * place: one access, or 0 if they are not so. */
static uint32_t together(const struct loom_lanes *lanes, uint32_t bytes,
                         uint32_t segment_bytes, struct loom_access *access)
{
    const loom_addr *address = lanes->address;
    loom_addr from = address[0], row = 0, same = 0;
    uint32_t offset = (uint32_t)from & (segment_bytes - 1);
    uint32_t length;

    for (uint32_t l = 0; l < LOOM_WARP_LANES; l++) {
        row |= address[l] ^ (from + l * bytes);
        same |= address[l] ^ from;
    }
    length = same == 0 ? bytes : LOOM_WARP_LANES * bytes;
    if ((row != 0 && same != 0) || offset + length > segment_bytes) {
        return 0;
    }
    access->block = from & ~(loom_addr)(LOOM_BLOCK_BYTES - 1);
    access->lanes = lanes->mask;
    mark_bytes(access->bytes, (uint32_t)from & (LOOM_BLOCK_BYTES - 1), length);
    finish(access);
    return 1;
}

uint32_t loom_coalesce_segments(const struct loom_lanes *lanes,
                                uint32_t segment_bytes,
                                struct loom_access access[LOOM_ACCESS_MAX])
{
    struct loom_access item[LOOM_ACCESS_MAX];
    loom_addr segment[LOOM_ACCESS_MAX];
    uint8_t order[LOOM_ACCESS_MAX];
    const struct loom_static_inst *inst = lanes->inst;
    struct grouping g = {.item = item, .apart = inst->op == LOOM_OP_ATOMIC};
    uint32_t bytes = inst->bytes * (uint32_t)inst->vector;
    bool near = !g.apart && bytes <= segment_bytes;

    if (near && lanes->mask == UINT32_MAX) {
        uint32_t count = together(lanes, bytes, segment_bytes, access);

        count =
            count != 0 ? count : spread(lanes, bytes, segment_bytes, access);
        if (count != 0) {
            return count;
        }
    }
    for (uint32_t left = lanes->mask; left != 0;) {
        struct run run = run_of(lanes, near ? left : left & (0 - left), bytes,
                                segment_bytes);

        if (near && g.count != 0 &&
            run.from - segment[g.last] <=
                segment_bytes - (run.stop - run.from)) {
            add_near(&item[g.last], &run);
        } else {
            add_run(&g, segment, &run, segment_bytes);
        }
        left &= ~run.lanes;
    }
    sort(segment, g.count, order);
    for (uint32_t i = 0; i < g.count; i++) {
        access[i] = item[order[g.count - 1 - i]];
        finish(&access[i]);
    }
    return g.count;
}
