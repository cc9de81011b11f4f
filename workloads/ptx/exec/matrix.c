/*
 * Executing matrix instructions.
 *
 * A load or store of a fragment moves one chunk per lane and record, so a
 * fragment that is not contiguous in memory makes several records.
 */
#include "workloads/ptx/exec/matrix.h"

#include <string.h>

#include "workloads/ptx/lanes/tools.h"

static double real_sum(const struct exec_matrix *m,
                       const struct exec_elements *a,
                       const struct exec_elements *b, uint32_t row,
                       uint32_t column, double sum)
{
    for (uint32_t k = 0; k < m->k; k++) {
        sum = lane_fma(a->x[row * m->k + k], b->x[k * m->n + column], sum);
    }
    return sum;
}

static int64_t integer_sum(const struct exec_matrix *m,
                           const struct exec_elements *a,
                           const struct exec_elements *b, uint32_t row,
                           uint32_t column, int64_t sum)
{
    for (uint32_t k = 0; k < m->k; k++) {
        int64_t left = a->i[row * m->k + k], right = b->i[k * m->n + column];

        sum += m->differ ? left ^ right : left * right;
    }
    return sum;
}

/* Of numbers of at most four bytes products are exact in double, so a product
 * and a sum are what fma gives; the inner loop is one of vectors. */
static void multiply_exact(const struct exec_matrix *m,
                           const struct exec_elements *a,
                           const struct exec_elements *b,
                           struct exec_elements *d)
{
    uint32_t n = m->n;

    for (uint32_t row = 0; row < m->m; row++) {
        double *sum = &d->x[row * n];

        for (uint32_t k = 0; k < m->k; k++) {
            const double *right = &b->x[k * n];
            double left = a->x[row * m->k + k];

            for (uint32_t column = 0; column < n; column++) {
                sum[column] += left * right[column];
            }
        }
    }
}

static void multiply(const struct exec_matrix *m, const struct exec_elements *a,
                     const struct exec_elements *b, struct exec_elements *d)
{
    for (uint32_t row = 0; row < m->m; row++) {
        for (uint32_t column = 0; column < m->n; column++) {
            uint32_t at = row * m->n + column;

            if (a->real) {
                d->x[at] = real_sum(m, a, b, row, column, d->x[at]);
            } else {
                d->i[at] = integer_sum(m, a, b, row, column, d->i[at]);
            }
        }
    }
}

static void multiply_add(const struct exec_launch *launch,
                         struct exec_warp *warp, const struct exec_matrix *m,
                         uint32_t mask)
{
    struct exec_elements a, b, d;

    if (m->quads) {
        ptx_exec_quads(launch, warp, m, mask);
        return;
    }
    ptx_fragment_gather(launch, warp, &m->a,
                        m->opaque ? EXEC_PLACE_MEMORY : EXEC_PLACE_A, &a);
    ptx_fragment_gather(launch, warp, &m->b,
                        m->opaque ? EXEC_PLACE_MEMORY : EXEC_PLACE_B, &b);
    ptx_fragment_gather(launch, warp, &m->c,
                        m->opaque ? EXEC_PLACE_MEMORY : EXEC_PLACE_C, &d);
    if (m->is_sparse) {
        ptx_exec_sparse(launch, warp, m, &a, &b, &d);
    } else if (a.real && m->a.type != LOOM_PTX_F64) {
        multiply_exact(m, &a, &b, &d);
    } else {
        multiply(m, &a, &b, &d);
    }
    ptx_fragment_scatter(warp, &m->d,
                         m->opaque ? EXEC_PLACE_MEMORY : EXEC_PLACE_C, &d,
                         m->finite, mask);
}

/* The address of a lane in its own space; *space is found for generic. */
static loom_addr address_of(const struct exec_launch *launch,
                            const struct exec_warp *warp,
                            const struct exec_op *op, uint32_t lane,
                            uint32_t *space)
{
    const void *reg = exec_reg(launch, warp, op->s[0]);
    loom_addr at = op->s_wide != 0 ? ((const lane_u64 *)reg)[lane]
                                   : ((const lane_u32 *)reg)[lane];

    at += (uint64_t)op->offset;
    *space = op->space;
    if (op->space == EXEC_GENERIC) {
        *space = (at & EXEC_WINDOW_MASK) == EXEC_WINDOW_SHARED ? EXEC_SHARED
                                                               : EXEC_GLOBAL;
        at -= *space == EXEC_SHARED ? EXEC_WINDOW_SHARED : 0;
    }
    return *space == EXEC_SHARED ? at & UINT32_MAX : at;
}

/* Between lane's slots from `first` on and memory. */
static void move_chunk(const struct exec_launch *launch, struct exec_warp *warp,
                       const struct exec_op *op, const struct exec_matrix *m,
                       const struct exec_access *access, uint32_t first)
{
    uint32_t bytes = ptx_fragment_bits(m->d.type) / 8;

    for (uint32_t left = access->mask; left != 0; left &= left - 1) {
        uint32_t lane = loom_lowest(left);

        for (uint32_t i = 0; i < m->chunk / bytes; i++) {
            unsigned char *at = access->host[lane] + i * bytes;
            uint64_t value = 0;

            if (op->opcode_sub == EXEC_MATRIX_STORE) {
                value = ptx_slot_read(launch, warp, &m->d, lane, first + i);
                memcpy(at, &value, bytes);
            } else {
                memcpy(&value, at, bytes);
                ptx_slot_write(warp, &m->d, lane, first + i, value);
            }
        }
    }
}

/* wmma.load and wmma.store. */
static bool move_fragment(struct exec_launch *launch, struct exec_warp *warp,
                          const struct exec_op *op, const struct exec_matrix *m,
                          uint32_t mask)
{
    uint32_t bytes = ptx_fragment_bits(m->d.type) / 8,
             first = loom_lowest(mask);
    uint32_t along = m->d.by_column ? m->d.rows : m->d.columns;
    uint64_t stride = m->trans ? m->d.rows : along;
    uint32_t slots = ptx_fragment_slots(&m->d);
    struct exec_access access = {.mask = mask, .bytes = m->chunk};
    loom_addr base = address_of(launch, warp, op, first, &access.space);

    if (m->stride != EXEC_NONE) {
        stride = ((const lane_u32 *)exec_reg(launch, warp, m->stride))[first];
    }
    if (op->opcode_sub == EXEC_MATRIX_LOAD) {
        ptx_fragment_clear(warp, &m->d, mask);
    }
    for (uint32_t slot = 0; slot < slots; slot += m->chunk / bytes) {
        for (uint32_t lane = 0; lane < LOOM_WARP_LANES; lane++) {
            uint32_t e = lane * slots + slot;
            uint64_t line = e / along, in = e % along;

            access.address[lane] =
                base +
                (m->trans ? in * stride + line : line * stride + in) * bytes;
        }
        if (!ptx_locate(launch, warp, op, &access)) {
            return false;
        }
        move_chunk(launch, warp, op, m, &access, slot);
    }
    return true;
}

/* Row and column of element i of a lane in an 8 by 8 matrix of .b16. */
static uint32_t place_8x8(const struct exec_matrix *m, uint32_t lane,
                          uint32_t i, uint32_t *column)
{
    uint32_t row = lane >> 2;

    *column = 2 * (lane & 3) + i;
    if (m->trans) {
        uint32_t swap = row;

        row = *column;
        *column = swap;
    }
    return row;
}

/* Matrices of bytes: byte i of a lane's registers.  The rows of memory are
 * those of .m8n16, and the columns of the others. */
static uint32_t place_bytes(const struct exec_matrix *m, uint32_t lane,
                            uint32_t i, uint32_t *column)
{
    uint32_t group = lane >> 2, in = lane & 3;

    switch (m->shape) {
    case LOOM_PTX_M8N16:
        *column = 4 * in + i;
        return group;
    case LOOM_PTX_M16N16:
        *column = group + 8 * (i >> 2);
        return 4 * in + (i & 3);
    default:
        *column = group + 8 * (i >> 1);
        return 2 * in + (i & 1);
    }
}

/* Element `column` of a row of memory. */
static uint64_t read_element(const unsigned char *row, uint8_t type,
                             uint32_t column)
{
    uint32_t bits = type == LOOM_PTX_B16         ? 16
                    : type == LOOM_PTX_B6X16_P32 ? 6
                    : type == LOOM_PTX_B4X16_P64 ? 4
                                                 : 8;
    uint32_t at = column * bits / 8, value;

    /* Packed elements end before the row does. */
    value = row[at] | (at < 15 ? (uint32_t)row[at + 1] << 8 : 0);
    return value >> (column * bits % 8) & ((1u << bits) - 1);
}

/* ldmatrix and stmatrix: lane R * n + r has the address of row r of matrix
 * n, which has R rows. */
static bool move_rows(struct exec_launch *launch, struct exec_warp *warp,
                      const struct exec_op *op, const struct exec_matrix *m,
                      uint32_t mask)
{
    bool bytes = m->shape != LOOM_PTX_M8N8;
    uint32_t own = m->shape == LOOM_PTX_M16N16 ? 16 : 8; /* of a matrix */
    uint32_t elements = own == 16 ? 8 : bytes ? 4 : 2;
    uint32_t rows =
        m->shape == LOOM_PTX_M16N16 ? 8u * m->d.count : own * m->d.count;
    uint32_t want = rows == 32 ? UINT32_MAX : (1u << rows) - 1;
    struct exec_access access = {.mask = want, .bytes = 16};

    if ((mask & want) != want) {
        return ptx_fault(launch, warp, op,
                         "all lanes with an address must be active");
    }
    for (uint32_t lane = 0; lane < rows; lane++) {
        access.address[lane] =
            address_of(launch, warp, op, lane, &access.space);
    }
    if (!ptx_locate(launch, warp, op, &access)) {
        return false;
    }
    for (uint32_t slot = 0; slot < rows / own * elements; slot++) {
        for (uint32_t left = mask; left != 0; left &= left - 1) {
            uint32_t lane = loom_lowest(left), i = slot % elements, column;
            uint32_t row = bytes ? place_bytes(m, lane, i, &column)
                                 : place_8x8(m, lane, i, &column);
            unsigned char *at = access.host[slot / elements * own + row];

            if (op->opcode_sub == EXEC_MATRIX_STORE_ROWS) {
                uint64_t value = ptx_slot_read(launch, warp, &m->d, lane, slot);

                memcpy(at + column * (bytes ? 1 : 2), &value, bytes ? 1 : 2);
            } else {
                ptx_slot_write(warp, &m->d, lane, slot,
                               read_element(at, m->d.type, column));
            }
        }
    }
    return true;
}

/* movmatrix.trans */
static void transpose(const struct exec_launch *launch, struct exec_warp *warp,
                      const struct exec_matrix *m, uint32_t mask)
{
    lane_u32 result[LOOM_WARP_LANES];
    const lane_u32 *a = exec_reg(launch, warp, m->a.reg[0]);

    for (uint32_t lane = 0; lane < LOOM_WARP_LANES; lane++) {
        result[lane] = 0;
        for (uint32_t i = 0; i < 2; i++) {
            uint32_t column, row = place_8x8(m, lane, i, &column);
            uint32_t half = a[row * 4 + column / 2] >> (column % 2 * 16);

            result[lane] |= (half & 0xffff) << (16 * i);
        }
    }
    ptx_blend(warp->frame + m->d.reg[0], result, mask, false);
}

bool ptx_exec_matrix(struct exec_launch *launch, struct exec_warp *warp,
                     const struct exec_op *op, uint32_t mask)
{
    const struct exec_matrix *m = &launch->code->matrix[op->offset2];
    enum exec_matrix_op what = (enum exec_matrix_op)op->opcode_sub;

    if (mask == 0 || what == EXEC_MATRIX_MULTIPLY ||
        what == EXEC_MATRIX_TRANSPOSE) {
        loom_writer_put(warp->writer, op->index, mask);
    }
    if (mask == 0) {
        return true;
    }
    switch (what) {
    case EXEC_MATRIX_MULTIPLY:
        multiply_add(launch, warp, m, mask);
        return true;
    case EXEC_MATRIX_TRANSPOSE:
        transpose(launch, warp, m, mask);
        return true;
    case EXEC_MATRIX_LOAD_ROWS:
    case EXEC_MATRIX_STORE_ROWS:
        return move_rows(launch, warp, op, m, mask);
    case EXEC_MATRIX_LOAD:
    case EXEC_MATRIX_STORE:
        break;
    }
    return move_fragment(launch, warp, op, m, mask);
}
