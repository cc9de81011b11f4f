/*
 * Copies by a tensor map: a box of a tensor in device memory, and its elements
 * behind each other in shared memory, where units of 16 bytes may change
 * places (engine/tensor_map.h).
 *
 * What is outside of the tensor is read as zeros or NaNs and not written; an
 * mbarrier is told of it all the same.
 */
#include <string.h>

#include "engine/tensor_map.h"

#include "workloads/ptx/exec/async.h"
#include "workloads/ptx/exec/call.h"
#include "workloads/ptx/exec/cluster.h"

#define UNIT 16u
#define ROW_MAX (256u * 8) /* bytes of a row of a box */

struct box {
    struct loom_tensor_map map;
    uint32_t element; /* bytes */
    uint32_t row;     /* bytes of the innermost dimension */
    uint32_t rows;
    int64_t first[LOOM_TENSOR_DIMS]; /* coordinates */
    uint64_t shared;                 /* generic address */
    uint32_t lane;
    uint32_t now;      /* row in hand */
    uint32_t recorded; /* bytes that went to shared memory */
    unsigned char bytes[ROW_MAX];
};

static const uint8_t types[LOOM_TENSOR_TYPES] = {
    LOOM_PTX_U8,  LOOM_PTX_U16, LOOM_PTX_U32, LOOM_PTX_S32, LOOM_PTX_U64,
    LOOM_PTX_S64, LOOM_PTX_F16, LOOM_PTX_F32, LOOM_PTX_F64, LOOM_PTX_BF16,
    LOOM_PTX_F32, LOOM_PTX_F32, LOOM_PTX_F32};

static bool is_signed(uint8_t type)
{
    return type == LOOM_PTX_S32 || type == LOOM_PTX_S64;
}

/* The map and the box; what a program cannot have made is refused. */
static bool read_map(struct exec_launch *launch, struct exec_warp *warp,
                     const struct exec_op *op, uint32_t lane, struct box *b)
{
    uint64_t at = ptx_lane_address(launch, warp, op->s[1], true, lane);
    uint64_t room = 0, bytes;
    const unsigned char *from = ptx_peek(launch, warp, lane, at, &room);
    struct loom_tensor_map *m = &b->map;

    if (from == NULL || room < LOOM_TENSOR_MAP_BYTES) {
        return ptx_fault(launch, warp, op,
                         "there is no tensor map at its address 0x%llx",
                         (unsigned long long)at);
    }
    memcpy(m, from, sizeof(*m));
    b->element = loom_tensor_bytes(m->type);
    b->row = b->element * m->box[0];
    bytes = b->row;
    if (m->magic != LOOM_TENSOR_MAP_MAGIC || b->element == 0 || b->row == 0 ||
        b->row > ROW_MAX || b->row % UNIT != 0 || m->swizzle > 3) {
        return ptx_fault(launch, warp, op,
                         "what is at 0x%llx is no tensor map: "
                         "cuTensorMapEncodeTiled makes them",
                         (unsigned long long)at);
    }
    if (m->rank != op->elements) {
        return ptx_fault(launch, warp, op,
                         "the tensor map has %u dimensions, the instruction "
                         "has %u",
                         m->rank, op->elements);
    }
    for (uint32_t i = 0; i < m->rank; i++) {
        const lane_u32 *place = exec_reg(launch, warp, op->v[i]);

        b->first[i] = (int32_t)place[lane];
        bytes *= i > 0 ? m->box[i] : 1;
        if (bytes == 0 || bytes > launch->kernel.shared_bytes) {
            return ptx_fault(launch, warp, op,
                             "the tensor map's box is larger than the %u bytes "
                             "of shared memory, or empty",
                             launch->kernel.shared_bytes);
        }
    }
    b->rows = (uint32_t)(bytes / b->row);
    b->recorded = 0;
    b->lane = lane;
    return true;
}

/* Device address of a row's first element, or false: the row is outside. */
static bool row_at(const struct box *b, uint64_t *at)
{
    uint32_t row = b->now;

    *at = b->map.base;
    for (uint32_t i = 1; i < b->map.rank; i++) {
        int64_t place = b->first[i] + row % b->map.box[i];

        row /= b->map.box[i];
        if (place < 0 || (uint64_t)place >= b->map.dim[i]) {
            return false;
        }
        *at += (uint64_t)place * b->map.stride[i - 1];
    }
    return true;
}

/* The elements of a row that are inside: from `from` on, `count`. */
static uint32_t inside(const struct box *b, uint32_t *from)
{
    int64_t low = b->first[0] < 0 ? -b->first[0] : 0;
    int64_t high = (int64_t)b->map.dim[0] - b->first[0];

    high = high > b->map.box[0] ? b->map.box[0] : high;
    *from = (uint32_t)low;
    return high > low ? (uint32_t)(high - low) : 0;
}

static bool bad_memory(const struct exec_launch *launch,
                       const struct exec_warp *warp, const struct exec_op *op,
                       const char *what, uint64_t at, uint32_t bytes)
{
    return ptx_fault(launch, warp, op,
                     "a row of %u bytes at 0x%llx is not inside %s memory",
                     bytes, (unsigned long long)(at & ~EXEC_WINDOW_MASK), what);
}

/* Between the row in hand and its units in shared memory. */
static bool move_row(struct exec_launch *launch, struct exec_warp *warp,
                     const struct exec_op *op, struct box *b, bool load)
{
    uint32_t mask = (1u << b->map.swizzle) - 1;

    for (uint32_t u = 0; u < b->row; u += UNIT) {
        uint64_t at = b->shared + (uint64_t)b->now * b->row + u, room = 0;
        unsigned char *host;

        at ^= (at >> 7 & mask) << 4;
        host = ptx_peek(launch, warp, b->lane, at, &room);
        if (host == NULL || room < UNIT) {
            return bad_memory(launch, warp, op, "shared", at, UNIT);
        }
        if (load) {
            memcpy(host, b->bytes + u, UNIT);
        } else {
            memcpy(b->bytes + u, host, UNIT);
        }
    }
    return true;
}

static void fill(struct box *b)
{
    const bool half = types[b->map.type] == LOOM_PTX_F16 ||
                      types[b->map.type] == LOOM_PTX_BF16;

    memset(b->bytes, 0, b->row);
    for (uint32_t at = 0; b->map.nan != 0 && at < b->row; at += b->element) {
        uint64_t nan = half              ? 0x7fff
                       : b->element == 8 ? UINT64_C(0x7ff8000000000000)
                                         : 0x7fffffff;

        memcpy(b->bytes + at, &nan, b->element);
    }
}

/* The device's side of a row is put down in whole units. */
static void record_row(struct exec_warp *warp, uint32_t index, uint64_t at,
                       uint32_t bytes)
{
    uint64_t first = at / UNIT * UNIT;

    ptx_record_bulk(warp, index, first,
                    (at + bytes - first + UNIT - 1) / UNIT * UNIT);
}

static bool load_row(struct exec_launch *launch, struct exec_warp *warp,
                     const struct exec_op *op, struct box *b, bool record)
{
    uint32_t from, count = inside(b, &from);
    uint64_t at, room = 0;

    fill(b);
    if (count != 0 && row_at(b, &at)) {
        const unsigned char *host;

        at += (uint64_t)(b->first[0] + from) * b->element;
        host = ptx_peek(launch, warp, b->lane, at, &room);
        if (host == NULL || room < (uint64_t)count * b->element) {
            return bad_memory(launch, warp, op, "device", at,
                              count * b->element);
        }
        memcpy(b->bytes + (size_t)from * b->element, host,
               (size_t)count * b->element);
        if (record) {
            record_row(warp, op->index, at, count * b->element);
        }
    }
    return move_row(launch, warp, op, b, true);
}

static bool store_row(struct exec_launch *launch, struct exec_warp *warp,
                      const struct exec_op *op, struct box *b)
{
    unsigned char *host;
    uint32_t from, count = inside(b, &from);
    uint64_t at, room = 0;
    struct exec_op combine = *op;

    if (!move_row(launch, warp, op, b, false)) {
        return false;
    }
    if (count == 0 || !row_at(b, &at)) {
        return true;
    }
    at += (uint64_t)(b->first[0] + from) * b->element;
    host = ptx_peek(launch, warp, b->lane, at, &room);
    if (host == NULL || room < (uint64_t)count * b->element) {
        return bad_memory(launch, warp, op, "device", at, count * b->element);
    }
    if (op->opcode_sub == 0) {
        memcpy(host, b->bytes + (size_t)from * b->element,
               (size_t)count * b->element);
    } else {
        combine.how.dtype = types[b->map.type];
        combine.flags |= is_signed(combine.how.dtype) ? EXEC_SIGNED : 0;
        combine.flags |=
            loom_ptx_type_real((enum loom_ptx_type)combine.how.dtype)
                ? EXEC_REAL
                : 0;
        ptx_combine_all(&combine, host, b->bytes + (size_t)from * b->element,
                        (uint64_t)count * b->element);
    }
    record_row(warp, op->target, at, count * b->element);
    return true;
}

/* Rows go to shared memory as they come, an access of all lanes at a time. */
static void record_shared(struct exec_warp *warp, const struct exec_op *op,
                          struct box *b)
{
    uint32_t bytes = (b->now + 1) * b->row;

    if (bytes - b->recorded >= LOOM_WARP_LANES * UNIT ||
        b->now + 1 == b->rows) {
        ptx_record_bulk(warp, op->target,
                        (b->shared & EXEC_RANK_MASK) + b->recorded,
                        bytes - b->recorded);
        b->recorded = bytes;
    }
}

/* To one CTA, whose mbarrier is told. */
static bool load_box(struct exec_launch *launch, struct exec_warp *warp,
                     const struct exec_op *op, struct box *b, uint64_t mbarrier,
                     bool record)
{
    for (b->now = 0; b->now < b->rows; b->now++) {
        if (!load_row(launch, warp, op, b, record)) {
            return false;
        }
        if (record) {
            record_shared(warp, op, b);
        }
    }
    return ptx_mbarrier_bytes(launch, warp, b->lane, mbarrier,
                              -(int64_t)b->rows * b->row) ||
           ptx_fault(launch, warp, op, "there is no mbarrier at its address");
}

static bool load_boxes(struct exec_launch *launch, struct exec_warp *warp,
                       const struct exec_op *op, struct box *b)
{
    uint64_t mbarrier =
        ptx_lane_address(launch, warp, op->s[2], op->d_wide != 0, b->lane);
    const lane_u32 *given;
    bool first = true;

    if (op->s[3] == EXEC_NONE) {
        return load_box(launch, warp, op, b, mbarrier, true);
    }
    given = exec_reg(launch, warp, op->s[3]);
    for (uint32_t left = given[b->lane] & 0xffff; left != 0; left &= left - 1) {
        uint64_t tag = (loom_lowest(left) + UINT64_C(1)) << EXEC_RANK_AT;

        b->shared = (b->shared & (EXEC_WINDOW_MASK | EXEC_RANK_MASK)) | tag;
        mbarrier = (mbarrier & EXEC_RANK_MASK) | tag;
        if (!load_box(launch, warp, op, b, mbarrier, first)) {
            return false;
        }
        first = false;
    }
    return true;
}

static bool move_box(struct exec_launch *launch, struct exec_warp *warp,
                     const struct exec_op *op, uint32_t lane)
{
    bool load = op->space == EXEC_SHARED;
    uint64_t at;
    struct box b;

    if (!read_map(launch, warp, op, lane, &b)) {
        return false;
    }
    at = (uint64_t)op->offset +
         ptx_lane_address(launch, warp, op->s[0], op->s_wide != 0, lane);
    if (at % (UNIT * 8) != 0) {
        return ptx_fault(launch, warp, op,
                         "shared address 0x%llx is not a multiple of 128",
                         (unsigned long long)at);
    }
    b.shared = at | EXEC_WINDOW_SHARED;
    if (load && !load_boxes(launch, warp, op, &b)) {
        return false;
    }
    for (b.now = 0; !load && b.now < b.rows; b.now++) {
        if (!store_row(launch, warp, op, &b)) {
            return false;
        }
    }
    if (!load) {
        ptx_record_bulk(warp, op->index, at & EXEC_RANK_MASK,
                        (uint64_t)b.rows * b.row);
    }
    return true;
}

bool ptx_exec_tensor(struct exec_launch *launch, struct exec_warp *warp,
                     const struct exec_op *op, uint32_t mask)
{
    if (mask == 0) {
        loom_writer_put(warp->writer, op->index, 0);
    }
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        if (!move_box(launch, warp, op, loom_lowest(left))) {
            return false;
        }
    }
    return true;
}
