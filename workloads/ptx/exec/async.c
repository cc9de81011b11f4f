/*
 * Executing copies that run on their own, and mbarriers.
 *
 * A bulk copy is issued by one lane; its records show it as warps of 16-byte
 * lanes, for the timing model knows no larger access.
 */
#include "workloads/ptx/exec/async.h"

#include <string.h>

#include "workloads/ptx/exec/access.h"
#include "workloads/ptx/exec/call.h"

/* ---- cp.async ---- */

static void read_source(struct exec_launch *launch, struct exec_warp *warp,
                        const struct exec_op *op, struct exec_access *access)
{
    (void)warp;
    for (uint32_t left = access->mask; left != 0; left &= left - 1) {
        uint32_t l = loom_lowest(left);

        memcpy(launch->staging[l], access->host[l], op->bytes);
    }
}

static void write_copy(struct exec_launch *launch, struct exec_warp *warp,
                       const struct exec_op *op, struct exec_access *access)
{
    (void)warp;
    for (uint32_t left = access->mask; left != 0; left &= left - 1) {
        uint32_t l = loom_lowest(left);

        memcpy(access->host[l], launch->staging[l], op->bytes);
    }
}

/* Lanes that read `bytes` of the source; the rest stays zero.  A number that
 * is no power of two is read in halves. */
static bool read_some(struct exec_launch *launch, struct exec_warp *warp,
                      const struct exec_op *op, uint32_t mask, uint32_t bytes)
{
    struct exec_op load = *op;
    uint64_t room = 0;

    load.s[0] = op->s[1];
    load.s_wide = op->v_wide;
    load.offset = op->offset2;
    load.space = EXEC_GLOBAL;
    load.bytes = (uint8_t)(1u << loom_log2(bytes));
    if (!ptx_visit_memory(launch, warp, &load, mask, read_source)) {
        return false;
    }
    for (uint32_t left = load.bytes == bytes ? 0 : mask; left != 0;
         left &= left - 1) {
        uint32_t l = loom_lowest(left);
        const lane_u64 *at = exec_reg(launch, warp, op->s[1]);
        const unsigned char *from =
            ptx_peek(launch, warp, l, at[l] + (uint64_t)op->offset2, &room);

        if (from == NULL || room < bytes) {
            return ptx_fault(launch, warp, op,
                             "thread %u: %u bytes of its source are outside "
                             "every allocation",
                             warp->number * LOOM_WARP_LANES + l, bytes);
        }
        memcpy(launch->staging[l], from, bytes);
    }
    return true;
}

static bool copy_lanes(struct exec_launch *launch, struct exec_warp *warp,
                       const struct exec_op *op, uint32_t mask)
{
    const lane_u32 *size = exec_reg(launch, warp, op->v[0]);
    struct exec_op store = *op;
    uint32_t left = mask;

    memset(launch->staging, 0, sizeof(launch->staging));
    while (left != 0) {
        uint32_t bytes = size[loom_lowest(left)], same = 0;

        for (uint32_t l = 0; l < LOOM_WARP_LANES; l++) {
            same |= (left >> l & 1) != 0 && size[l] == bytes ? 1u << l : 0;
        }
        left &= ~same;
        bytes = bytes > op->bytes ? op->bytes : bytes;
        if (bytes != 0 && !read_some(launch, warp, op, same, bytes)) {
            return false;
        }
    }
    store.flags |= EXEC_SECOND;
    return ptx_visit_memory(launch, warp, &store, mask, write_copy);
}

/* ---- cp.async.bulk ---- */

uint64_t ptx_lane_address(const struct exec_launch *launch,
                          const struct exec_warp *warp, uint32_t operand,
                          bool wide, uint32_t lane)
{
    const void *reg = exec_reg(launch, warp, operand);

    return wide ? ((const lane_u64 *)reg)[lane] : ((const lane_u32 *)reg)[lane];
}

/* An access of as many lanes as there are left; returns how many bytes. */
static uint64_t record_piece(struct exec_warp *warp, uint32_t index,
                             uint64_t at, uint64_t bytes)
{
    loom_addr address[LOOM_WARP_LANES];
    uint64_t lanes =
        bytes / 16 < LOOM_WARP_LANES ? bytes / 16 : LOOM_WARP_LANES;

    for (uint32_t l = 0; l < LOOM_WARP_LANES; l++) {
        address[l] = at + 16 * (l < lanes ? l : 0);
    }
    loom_writer_memory(warp->writer, index,
                       (uint32_t)((UINT64_C(1) << lanes) - 1), address);
    return lanes * 16;
}

void ptx_record_bulk(struct exec_warp *warp, uint32_t index, uint64_t at,
                     uint64_t bytes)
{
    for (uint64_t done = 0; done < bytes;) {
        done += record_piece(warp, index, at + done, bytes - done);
    }
}

/* st.bulk; units of 16 bytes are put down whole. */
bool ptx_exec_fill(struct exec_launch *launch, struct exec_warp *warp,
                   const struct exec_op *op, uint32_t mask)
{
    const lane_u64 *size = exec_reg(launch, warp, op->s[1]);

    if (mask == 0) {
        loom_writer_put(warp->writer, op->index, 0);
    }
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        uint32_t lane = loom_lowest(left);
        uint64_t room = 0, bytes = size[lane], first;
        uint64_t at =
            (uint64_t)op->offset +
            ptx_lane_address(launch, warp, op->s[0], op->s_wide != 0, lane);
        unsigned char *host;

        at |= op->how.mode != 0 ? 0 : EXEC_WINDOW_SHARED;
        host = ptx_peek(launch, warp, lane, at, &room);
        if (bytes % 8 != 0 || at % 8 != 0 || host == NULL || room < bytes ||
            (at & EXEC_WINDOW_MASK) != EXEC_WINDOW_SHARED) {
            return ptx_fault(launch, warp, op,
                             "thread %u: %llu bytes at 0x%llx are not whole "
                             "units of 8 bytes inside shared memory",
                             warp->number * LOOM_WARP_LANES + lane,
                             (unsigned long long)bytes,
                             (unsigned long long)(at & ~EXEC_WINDOW_MASK));
        }
        memset(host, 0, (size_t)bytes);
        first = (at & EXEC_RANK_MASK) / 16 * 16;
        ptx_record_bulk(warp, op->index, first,
                        ((at & EXEC_RANK_MASK) + bytes - first + 15) / 16 * 16);
    }
    return true;
}

struct bulk {
    uint64_t bytes, to, from, mbarrier; /* addresses: generic */
    uint32_t lane;
};

/* To one place; the mbarrier is told. */
static bool move_bulk(struct exec_launch *launch, struct exec_warp *warp,
                      const struct exec_op *op, const struct bulk *b)
{
    uint64_t had = 0, room = 0;
    unsigned char *target = ptx_peek(launch, warp, b->lane, b->to, &room);
    unsigned char *source = ptx_peek(launch, warp, b->lane, b->from, &had);

    if (target == NULL || source == NULL || room < b->bytes || had < b->bytes) {
        return ptx_fault(launch, warp, op,
                         "thread %u: a bulk copy of %llu bytes from 0x%llx to "
                         "0x%llx is not inside memory",
                         warp->number * LOOM_WARP_LANES + b->lane,
                         (unsigned long long)b->bytes,
                         (unsigned long long)(b->from & ~EXEC_WINDOW_MASK),
                         (unsigned long long)(b->to & ~EXEC_WINDOW_MASK));
    }
    if (op->opcode_sub != 0) {
        ptx_combine_all(op, target, source, b->bytes);
    } else {
        memmove(target, source, (size_t)b->bytes);
    }
    return op->s[2] == EXEC_NONE ||
           ptx_mbarrier_bytes(launch, warp, b->lane, b->mbarrier,
                              -(int64_t)b->bytes) ||
           ptx_fault(launch, warp, op, "there is no mbarrier at its address");
}

/* .multicast: to the same place in each CTA of the mask. */
static bool move_to_all(struct exec_launch *launch, struct exec_warp *warp,
                        const struct exec_op *op, const struct bulk *b)
{
    const lane_u32 *given = exec_reg(launch, warp, op->s[3]);

    for (uint32_t left = given[b->lane] & 0xffff; left != 0; left &= left - 1) {
        uint64_t tag = (loom_lowest(left) + UINT64_C(1)) << EXEC_RANK_AT;
        struct bulk one = *b;

        one.to = (b->to & (EXEC_WINDOW_MASK | EXEC_RANK_MASK)) | tag;
        one.mbarrier = (b->mbarrier & EXEC_RANK_MASK) | tag;
        if (!move_bulk(launch, warp, op, &one)) {
            return false;
        }
    }
    return true;
}

static bool copy_bulk(struct exec_launch *launch, struct exec_warp *warp,
                      const struct exec_op *op, uint32_t lane)
{
    bool in = op->space == EXEC_SHARED, out = op->how.swide != 0;
    uint64_t bytes = ptx_lane_address(launch, warp, op->v[0], false, lane);
    uint64_t to =
        (uint64_t)op->offset +
        ptx_lane_address(launch, warp, op->s[0], op->s_wide != 0, lane);
    uint64_t from =
        (uint64_t)op->offset2 +
        ptx_lane_address(launch, warp, op->s[1], op->v_wide != 0, lane);
    struct bulk b = {bytes, in ? to | EXEC_WINDOW_SHARED : to,
                     out ? from | EXEC_WINDOW_SHARED : from, 0, lane};

    if (((to | from | bytes) & 15) != 0) {
        return ptx_fault(launch, warp, op,
                         "addresses or bytes of a bulk copy are not multiples "
                         "of 16");
    }
    if (op->s[2] != EXEC_NONE) {
        b.mbarrier =
            ptx_lane_address(launch, warp, op->s[2], op->d_wide != 0, lane);
    }
    if (op->s[3] != EXEC_NONE ? !move_to_all(launch, warp, op, &b)
                              : !move_bulk(launch, warp, op, &b)) {
        return false;
    }
    from = out ? from & EXEC_RANK_MASK : from;
    to = in ? to & EXEC_RANK_MASK : to;
    for (uint64_t done = 0; done < bytes;) { /* as the data come */
        record_piece(warp, op->index, from + done, bytes - done);
        done += record_piece(warp, op->target, to + done, bytes - done);
    }
    return true;
}

/* Stored at once; then the bytes are told to the mbarrier. */
bool ptx_exec_store_async(struct exec_launch *launch, struct exec_warp *warp,
                          const struct exec_op *op, uint32_t mask)
{
    const uint32_t bytes = (uint32_t)op->bytes * op->elements;

    if (op->opcode_sub != 0 ? !ptx_exec_atomic(launch, warp, op, mask)
                            : !ptx_exec_store(launch, warp, op, mask)) {
        return false;
    }
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        uint32_t l = loom_lowest(left);
        uint64_t at =
            (uint64_t)op->offset2 +
            ptx_lane_address(launch, warp, op->s[2], op->d_wide != 0, l);

        if (!ptx_mbarrier_bytes(launch, warp, l, at, -(int64_t)bytes)) {
            return ptx_fault(launch, warp, op,
                             "there is no mbarrier at its address");
        }
    }
    return true;
}

bool ptx_exec_copy(struct exec_launch *launch, struct exec_warp *warp,
                   const struct exec_op *op, uint32_t mask)
{
    if (mask == 0) {
        loom_writer_put(warp->writer, op->index, 0);
        return true;
    }
    if (op->how.mode == EXEC_COPY_LANES) {
        return copy_lanes(launch, warp, op, mask);
    }
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        if (!copy_bulk(launch, warp, op, loom_lowest(left))) {
            return false;
        }
    }
    return true;
}

/* ---- mbarrier ---- */

#define COUNT_MASK ((UINT64_C(1) << EXEC_MB_BITS) - 1)
#define BYTES_MASK ((UINT64_C(1) << EXEC_MB_BYTES_BITS) - 1)

/* Some have arrived, and `bytes` more are expected (or, negative, came). */
static uint64_t advance(uint64_t object, uint64_t arrivals, uint64_t drop,
                        uint64_t bytes)
{
    uint64_t expected = (object - drop) & COUNT_MASK;
    uint64_t pending = ((object >> EXEC_MB_BITS) - arrivals) & COUNT_MASK;
    uint64_t left = ((object >> EXEC_MB_BYTES_AT) + bytes) & BYTES_MASK;
    uint64_t phase = object & EXEC_MB_PHASE;

    if (pending == 0 && left == 0) {
        phase ^= EXEC_MB_PHASE;
        pending = expected;
    }
    return EXEC_MB_VALID | phase | left << EXEC_MB_BYTES_AT |
           pending << EXEC_MB_BITS | expected;
}

bool ptx_mbarrier_bytes(struct exec_launch *launch,
                        const struct exec_warp *warp, uint32_t lane,
                        uint64_t address, int64_t bytes)
{
    uint64_t room = 0, object;
    unsigned char *at =
        ptx_peek(launch, warp, lane,
                 (address & ~EXEC_WINDOW_MASK) | EXEC_WINDOW_SHARED, &room);

    if (at == NULL || room < 8) {
        return false;
    }
    memcpy(&object, at, 8);
    if ((object & EXEC_MB_VALID) == 0) {
        return false;
    }
    object = advance(object, 0, 0, (uint64_t)bytes);
    memcpy(at, &object, 8);
    return true;
}

static uint64_t change(const struct exec_op *op, uint64_t object,
                       uint64_t value)
{
    switch ((enum exec_mbarrier)op->how.mode) {
    case EXEC_MB_INIT:
        return EXEC_MB_VALID | value << EXEC_MB_BITS | value;
    case EXEC_MB_INVAL:
        return 0;
    case EXEC_MB_ARRIVE:
        return advance(object, value, 0, 0);
    case EXEC_MB_EXPECT_ARRIVE:
        return advance(object, 1, 0, value);
    case EXEC_MB_DROP:
        return advance(object, value, value, 0);
    case EXEC_MB_EXPECT:
        return advance(object, 0, 0, value);
    case EXEC_MB_COMPLETE:
        return advance(object, 0, 0, 0 - value);
    case EXEC_MB_COPIES:
        return op->how.sat != 0 ? object : advance(object, 1, 0, 0);
    case EXEC_MB_TEST:
    case EXEC_MB_PARITY:
        break;
    }
    return object;
}

/* More arrivals than are expected would wrap around. */
static bool allowed(const struct exec_op *op, uint64_t object, uint64_t value)
{
    uint64_t pending = object >> EXEC_MB_BITS & COUNT_MASK;

    switch ((enum exec_mbarrier)op->how.mode) {
    case EXEC_MB_INIT:
        return value >= 1 && value <= COUNT_MASK;
    case EXEC_MB_ARRIVE:
    case EXEC_MB_DROP:
        return (object & EXEC_MB_VALID) != 0 && value >= 1 && value <= pending;
    case EXEC_MB_EXPECT_ARRIVE:
        return (object & EXEC_MB_VALID) != 0 && pending != 0 &&
               value <= BYTES_MASK / 2;
    case EXEC_MB_COPIES:
        return (object & EXEC_MB_VALID) != 0 &&
               (op->how.sat != 0 || pending != 0);
    case EXEC_MB_EXPECT:
    case EXEC_MB_COMPLETE:
        return (object & EXEC_MB_VALID) != 0 && value <= BYTES_MASK / 2;
    case EXEC_MB_INVAL:
    case EXEC_MB_TEST:
    case EXEC_MB_PARITY:
        break;
    }
    return (object & EXEC_MB_VALID) != 0;
}

/* Has the phase that `value` names come to its end? */
static bool complete(const struct exec_op *op, uint64_t object, uint64_t value)
{
    bool phase = (object & EXEC_MB_PHASE) != 0;

    if (op->how.mode == EXEC_MB_PARITY) {
        return phase != ((value & 1) != 0);
    }
    return phase != ((value & EXEC_MB_PHASE) != 0);
}

static void mbarrier(struct exec_launch *launch, struct exec_warp *warp,
                     const struct exec_op *op, struct exec_access *access)
{
    const void *reg = exec_reg(launch, warp, op->v[0]);
    uint32_t done = 0;

    for (uint32_t left = access->mask; left != 0; left &= left - 1) {
        uint32_t l = loom_lowest(left);
        uint64_t value = op->how.mode == EXEC_MB_TEST
                             ? ((const lane_u64 *)reg)[l]
                             : ((const lane_u32 *)reg)[l];
        uint64_t object;

        memcpy(&object, access->host[l], 8);
        if (!allowed(op, object, value)) {
            launch->odd_lane = l;
            return;
        }
        done |= complete(op, object, value) ? 1u << l : 0;
        if (op->d[0] != EXEC_NONE) {
            ((lane_u64 *)(void *)(warp->frame + op->d[0]))[l] = object;
        }
        object = change(op, object, value);
        memcpy(access->host[l], &object, 8);
    }
    exec_pred_set(warp, op->po, done, access->mask);
}

bool ptx_exec_mbarrier(struct exec_launch *launch, struct exec_warp *warp,
                       const struct exec_op *op, uint32_t mask, bool *waits)
{
    bool test = op->how.mode == EXEC_MB_TEST || op->how.mode == EXEC_MB_PARITY;

    launch->odd_lane = LOOM_WARP_LANES;
    if (!ptx_visit_memory(launch, warp, op, mask, mbarrier)) {
        return false;
    }
    if (launch->odd_lane != LOOM_WARP_LANES) {
        return ptx_fault(launch, warp, op,
                         "thread %u: the mbarrier is not initialised, or its "
                         "count is out of range",
                         warp->number * LOOM_WARP_LANES + launch->odd_lane);
    }
    *waits = test && mask != 0 && (exec_pred(warp, op->po) & mask) != mask;
    return true;
}
