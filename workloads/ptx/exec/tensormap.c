/*
 * Tensor maps that a kernel changes: tensormap.replace, and
 * tensormap.cp_fenceproxy, which copies one to device memory.
 *
 * A map that is all zeros becomes one with the first field that it gets, for
 * programs make maps so.  The copy's 128 bytes are recorded where they are
 * written, not where they are read.
 */
#include <string.h>

#include "engine/tensor_map.h"

#include "workloads/ptx/exec/async.h"
#include "workloads/ptx/exec/call.h"

/* As PTX ISA numbers the types of elements, which cuTensorMapEncodeTiled
 * numbers otherwise. */
static const uint8_t types[LOOM_TENSOR_TYPES] = {
    LOOM_TENSOR_U8,      LOOM_TENSOR_U16, LOOM_TENSOR_U32,  LOOM_TENSOR_S32,
    LOOM_TENSOR_U64,     LOOM_TENSOR_S64, LOOM_TENSOR_F16,  LOOM_TENSOR_F32,
    LOOM_TENSOR_F32_FTZ, LOOM_TENSOR_F64, LOOM_TENSOR_BF16, LOOM_TENSOR_TF32,
    LOOM_TENSOR_TF32_FTZ};

/* False: such a value is not simulated. */
static bool replace(struct loom_tensor_map *m, uint8_t field, uint8_t n,
                    uint64_t value)
{
    switch (field) {
    case LOOM_PTX_MAP_ADDRESS:
        m->base = value;
        return true;
    case LOOM_PTX_MAP_RANK: /* one less */
        m->rank = (uint8_t)(value + 1);
        return value < LOOM_TENSOR_DIMS;
    case LOOM_PTX_MAP_BOX:
        m->box[n] = (uint16_t)value;
        return value <= 256;
    case LOOM_PTX_MAP_DIM:
        m->dim[n] = value;
        return true;
    case LOOM_PTX_MAP_STRIDE: /* of dimension 1 and on */
        if (n < LOOM_TENSOR_DIMS - 1) {
            m->stride[n] = value;
        }
        return true;
    case LOOM_PTX_MAP_TYPE:
        m->type = value < LOOM_TENSOR_TYPES ? types[value] : 0;
        return value < LOOM_TENSOR_TYPES;
    case LOOM_PTX_MAP_SWIZZLE:
        m->swizzle = (uint8_t)value;
        return value < 4;
    case LOOM_PTX_MAP_FILL:
        m->nan = value != 0;
        return value < 2;
    case LOOM_PTX_MAP_ELEMENT_STRIDE:
        return value == 1;
    default: /* the interleaved layout */
        return value == 0;
    }
}

static bool is_map(struct loom_tensor_map *m, const unsigned char *host)
{
    static const unsigned char zeros[LOOM_TENSOR_MAP_BYTES];

    memcpy(m, host, sizeof(*m));
    if (memcmp(host, zeros, sizeof(zeros)) == 0) {
        m->magic = LOOM_TENSOR_MAP_MAGIC;
    }
    return m->magic == LOOM_TENSOR_MAP_MAGIC;
}

static void mark(const struct exec_launch *launch, const struct exec_op *op,
                 uint64_t at)
{
    if (op->space == EXEC_GLOBAL && loom_memory_watched(launch->memory)) {
        loom_memory_mark(launch->memory, at, LOOM_TENSOR_MAP_BYTES);
    }
}

static bool replace_lane(struct exec_launch *launch, struct exec_warp *warp,
                         const struct exec_op *op, uint32_t lane, uint64_t at)
{
    uint64_t room = 0,
             window = op->space == EXEC_SHARED ? EXEC_WINDOW_SHARED : 0;
    unsigned char *host = ptx_peek(launch, warp, lane, at | window, &room);
    uint64_t value =
        ptx_lane_address(launch, warp, op->v[0], op->v_wide != 0, lane);
    struct loom_tensor_map map;

    if (host == NULL || room < LOOM_TENSOR_MAP_BYTES || !is_map(&map, host)) {
        return ptx_fault(launch, warp, op,
                         "there is no tensor map at its address 0x%llx",
                         (unsigned long long)(at & ~EXEC_WINDOW_MASK));
    }
    if (!replace(&map, op->how.mode, op->how.sub, value)) {
        return ptx_fault(launch, warp, op,
                         "a tensor map with the value %llu is not simulated",
                         (unsigned long long)value);
    }
    memcpy(host, &map, sizeof(map));
    mark(launch, op, at);
    return true;
}

/* By the whole warp, whose lanes have the same addresses. */
static bool copy_map(struct exec_launch *launch, struct exec_warp *warp,
                     const struct exec_op *op, uint32_t lane, uint64_t at)
{
    uint64_t room = 0, had = 0;
    uint64_t source =
        (uint64_t)op->offset2 +
        ptx_lane_address(launch, warp, op->s[1], op->d_wide != 0, lane);
    unsigned char *to = ptx_peek(launch, warp, lane, at, &room);
    const unsigned char *from =
        ptx_peek(launch, warp, lane, source | EXEC_WINDOW_SHARED, &had);

    if (to == NULL || from == NULL || room < LOOM_TENSOR_MAP_BYTES ||
        had < LOOM_TENSOR_MAP_BYTES || at % LOOM_TENSOR_MAP_BYTES != 0) {
        return ptx_fault(launch, warp, op,
                         "128 bytes from 0x%llx to 0x%llx are not inside "
                         "memory, or not aligned",
                         (unsigned long long)(source & ~EXEC_WINDOW_MASK),
                         (unsigned long long)at);
    }
    memcpy(to, from, LOOM_TENSOR_MAP_BYTES);
    mark(launch, op, at);
    ptx_record_bulk(warp, op->index, at, LOOM_TENSOR_MAP_BYTES);
    return true;
}

bool ptx_exec_map(struct exec_launch *launch, struct exec_warp *warp,
                  const struct exec_op *op, uint32_t mask)
{
    loom_addr address[LOOM_WARP_LANES] = {0};
    bool copies = op->how.mode == 0;

    if (mask == 0) {
        loom_writer_put(warp->writer, op->index, 0);
        return true;
    }
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        uint32_t lane = loom_lowest(left);

        address[lane] =
            (uint64_t)op->offset +
            ptx_lane_address(launch, warp, op->s[0], op->s_wide != 0, lane);
        if (copies) {
            return copy_map(launch, warp, op, lane, address[lane]);
        }
        if (!replace_lane(launch, warp, op, lane, address[lane])) {
            return false;
        }
    }
    loom_writer_memory(warp->writer, op->index, mask, address);
    return true;
}
