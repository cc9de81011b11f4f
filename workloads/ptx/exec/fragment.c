/*
 * Fragments: which lane holds which element, and their formats.
 */
#include "workloads/ptx/exec/matrix.h"
#include "workloads/ptx/lanes/formats.h"

uint32_t ptx_fragment_bits(uint8_t type)
{
    switch (type) {
    case LOOM_PTX_B1:
        return 1;
    case LOOM_PTX_U4:
    case LOOM_PTX_S4:
        return 4;
    default:
        return 8 * loom_ptx_type_bytes((enum loom_ptx_type)type);
    }
}

uint32_t ptx_fragment_slots(const struct exec_fragment *f)
{
    return (uint32_t)f->rows * f->columns / LOOM_WARP_LANES;
}

/* Where PTX ISA has it ("Matrix Fragments for mma"): groups of four lanes
 * share rows of A and C and columns of B. */
static uint32_t place_of_mma(const struct exec_fragment *f,
                             enum exec_matrix_place place, uint32_t lane,
                             uint32_t slot)
{
    uint32_t group = lane >> 2, in = lane & 3;
    uint32_t bits = ptx_fragment_bits(f->type);
    uint32_t each = bits >= 32 ? 1 : 32 / bits;
    uint32_t reg = slot / each, i = slot % each;

    switch (place) {
    case EXEC_PLACE_A:
        return f->rows == 16
                   ? (group + 8 * (reg & 1)) * f->columns + in * each + i +
                         4 * each * (reg >> 1)
                   : group * f->columns + in * each + i + 4 * each * reg;
    case EXEC_PLACE_B:
        return (in * each + i + 4 * each * reg) * f->columns + group;
    case EXEC_PLACE_C:
    case EXEC_PLACE_MEMORY:
        break;
    }
    return (group + 8 * (slot >> 1)) * f->columns + in * 2 + (slot & 1);
}

uint32_t ptx_fragment_index(const struct exec_fragment *f,
                            enum exec_matrix_place place, uint32_t lane,
                            uint32_t slot)
{
    uint32_t e;

    if (place != EXEC_PLACE_MEMORY) {
        return place_of_mma(f, place, lane, slot);
    }
    e = lane * ptx_fragment_slots(f) + slot;
    return f->by_column ? e % f->rows * f->columns + e / f->rows : e;
}

uint64_t ptx_slot_read(const struct exec_launch *launch,
                       const struct exec_warp *warp,
                       const struct exec_fragment *f, uint32_t lane,
                       uint32_t slot)
{
    uint32_t bits = ptx_fragment_bits(f->type);
    uint32_t each = bits >= 32 ? 1 : 32 / bits;
    const void *reg = exec_reg(launch, warp, f->reg[slot / each]);

    if (f->wide) {
        return ((const lane_u64 *)reg)[lane];
    }
    return ((const lane_u32 *)reg)[lane] >> (slot % each * bits) &
           (UINT32_MAX >> (32 - bits));
}

void ptx_slot_write(struct exec_warp *warp, const struct exec_fragment *f,
                    uint32_t lane, uint32_t slot, uint64_t value)
{
    uint32_t bits = ptx_fragment_bits(f->type);
    uint32_t each = bits >= 32 ? 1 : 32 / bits, at = slot % each * bits;
    void *reg = warp->frame + f->reg[slot / each];
    lane_u32 *narrow = reg;

    if (f->wide) {
        ((lane_u64 *)reg)[lane] = value;
        return;
    }
    narrow[lane] = (narrow[lane] & ~(UINT32_MAX >> (32 - bits) << at)) |
                   ((uint32_t)value & UINT32_MAX >> (32 - bits)) << at;
}

void ptx_fragment_clear(struct exec_warp *warp, const struct exec_fragment *f,
                        uint32_t mask)
{
    static const lane_u64 zero[LOOM_WARP_LANES];

    for (uint32_t i = 0; i < f->count; i++) {
        ptx_blend(warp->frame + f->reg[i], zero, mask, f->wide);
    }
}

double ptx_real_of(uint8_t type, uint64_t bits)
{
    switch (type) {
    case LOOM_PTX_F64:
        return lane_double(bits);
    case LOOM_PTX_F32:
        return lane_float((uint32_t)bits);
    case LOOM_PTX_TF32: /* the lower 13 bits do not count */
        return lane_float((uint32_t)bits & 0xffffe000u);
    default:
        return narrow_value((uint32_t)bits, narrow_of(type));
    }
}

int64_t ptx_integer_of(uint8_t type, uint64_t bits)
{
    switch (type) {
    case LOOM_PTX_S4:
        return (int64_t)(bits << 60) >> 60;
    case LOOM_PTX_S8:
        return (int8_t)bits;
    case LOOM_PTX_S32:
        return (int32_t)bits;
    default:
        return (int64_t)bits;
    }
}

void ptx_fragment_gather(const struct exec_launch *launch,
                         const struct exec_warp *warp,
                         const struct exec_fragment *f,
                         enum exec_matrix_place place, struct exec_elements *to)
{
    to->real = loom_ptx_type_real((enum loom_ptx_type)f->type);
    for (uint32_t lane = 0; lane < LOOM_WARP_LANES; lane++) {
        for (uint32_t slot = 0; slot < ptx_fragment_slots(f); slot++) {
            uint32_t at = ptx_fragment_index(f, place, lane, slot);
            uint64_t bits = ptx_slot_read(launch, warp, f, lane, slot);

            if (to->real) {
                to->x[at] = ptx_real_of(f->type, bits);
            } else {
                to->i[at] = ptx_integer_of(f->type, bits);
            }
        }
    }
}

uint32_t ptx_integer_bits(int64_t value, bool finite)
{
    if (finite) {
        value = value > INT32_MAX   ? INT32_MAX
                : value < INT32_MIN ? INT32_MIN
                                    : value;
    }
    return (uint32_t)value;
}

uint64_t ptx_real_bits(uint8_t type, double value, bool finite)
{
    if (type == LOOM_PTX_F64) {
        return lane_double_bits(canon_f64(value));
    }
    return type == LOOM_PTX_F32
               ? lane_float_bits(canon_f32((float)value))
               : narrow_bits(value, narrow_of(type), 0, finite);
}

void ptx_fragment_scatter(struct exec_warp *warp, const struct exec_fragment *f,
                          enum exec_matrix_place place,
                          const struct exec_elements *from, bool finite,
                          uint32_t mask)
{
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        uint32_t lane = loom_lowest(left);

        for (uint32_t slot = 0; slot < ptx_fragment_slots(f); slot++) {
            uint32_t at = ptx_fragment_index(f, place, lane, slot);

            ptx_slot_write(warp, f, lane, slot,
                           from->real
                               ? ptx_real_bits(f->type, from->x[at], finite)
                               : ptx_integer_bits(from->i[at], finite));
        }
    }
}
