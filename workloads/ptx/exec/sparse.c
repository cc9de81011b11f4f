/*
 * Products of matrices of which A is sparse, and the four products of m8n8k4.
 *
 * PTX ISA, "Sparse matrix storage" and "Metadata": four lanes of a group have
 * the metadata of rows g and g + 8, each lane 32 bits of it.
 */
#include "workloads/ptx/exec/matrix.h"

#define QUADS 4u
#define SIDE 8u /* rows and columns */
#define DEPTH 4u

/* Four bits say where `numbers` of A are in `of` of its row. */
static uint8_t place_of(uint32_t bits, uint32_t four, uint32_t p)
{
    switch (bits) {
    case 32: /* 0b0100 and 0b1110 */
        return (uint8_t)(p * 2 + (four >> 1 & 1));
    case 4: /* pairs */
        return (uint8_t)(p / 4 * 8 + (four >> p % 4 / 2 * 2 & 3) * 2 + p % 2);
    default:
        return (uint8_t)(p / 2 * 4 + (four >> p % 2 * 2 & 3));
    }
}

void ptx_sparse_places(const struct exec_launch *launch,
                       const struct exec_warp *warp,
                       const struct exec_sparse *sparse,
                       const struct exec_fragment *a, uint8_t *place)
{
    const lane_u32 *meta = exec_reg(launch, warp, sparse->reg);
    uint32_t bits = ptx_fragment_bits(a->type);
    uint32_t each = bits == 32 ? 1 : bits == 4 ? 4 : 2;

    for (uint32_t i = 0; i < 16u * a->columns; i++) {
        uint32_t row = i / a->columns, p = i % a->columns, four = p / each;
        uint32_t lane = row % 8 * 4 + sparse->first, shift;

        if (bits >= 16) { /* a half is of row g, the other one of g + 8 */
            lane += four / 4;
            shift = row / 8 * 16 + four % 4 * 4;
        } else { /* a lane is of row g, the next one of g + 8 */
            lane += four / 8 * 2 + row / 8;
            shift = four % 8 * 4;
        }
        place[i] = place_of(bits, meta[lane] >> shift & 15, p);
    }
}

/* Products of all types that can be sparse are exact in double. */
void ptx_exec_sparse(const struct exec_launch *launch,
                     const struct exec_warp *warp, const struct exec_matrix *m,
                     const struct exec_elements *a,
                     const struct exec_elements *b, struct exec_elements *d)
{
    uint8_t place[EXEC_SPARSE_MAX];

    ptx_sparse_places(launch, warp, &m->sparse, &m->a, place);
    for (uint32_t i = 0; i < (uint32_t)m->m * m->a.columns; i++) {
        uint32_t right = (uint32_t)place[i] * m->n;
        uint32_t sum = i / m->a.columns * m->n;

        for (uint32_t column = 0; column < m->n; column++) {
            if (a->real) {
                d->x[sum + column] += a->x[i] * b->x[right + column];
            } else {
                d->i[sum + column] += a->i[i] * b->i[right + column];
            }
        }
    }
}

/* Lane t of the eight that have product q. */
static uint32_t quad_lane(uint32_t q, uint32_t t)
{
    return q * 4 + t % 4 + t / 4 * 16;
}

/* Element i of lane t in C and D: index in rows of eight. */
static uint32_t quad_sum(uint8_t type, uint32_t t, uint32_t i)
{
    return type == LOOM_PTX_F16 ? t * SIDE + i
                                : ((t & 1) + (i & 2) + t / 4 * 4) * SIDE +
                                      ((i & 4) + (t & 2) + (i & 1));
}

/* A, or B's transpose: rows of four.  A lane has a row of it, or of each of
 * four rows the same element. */
static void gather_quad(const struct exec_launch *launch,
                        const struct exec_warp *warp,
                        const struct exec_fragment *f, uint32_t q, bool across,
                        double *to)
{
    for (uint32_t t = 0; t < SIDE; t++) {
        for (uint32_t i = 0; i < DEPTH; i++) {
            uint32_t at =
                across ? (i + t / 4 * 4) * DEPTH + t % 4 : t * DEPTH + i;

            to[at] = ptx_real_of(
                f->type, ptx_slot_read(launch, warp, f, quad_lane(q, t), i));
        }
    }
}

static void multiply_quad(const struct exec_launch *launch,
                          const struct exec_warp *warp,
                          const struct exec_matrix *m, uint32_t q, double *sum)
{
    double a[SIDE * DEPTH], b[SIDE * DEPTH];

    gather_quad(launch, warp, &m->a, q, m->a.by_column, a);
    gather_quad(launch, warp, &m->b, q, !m->b.by_column, b);
    for (uint32_t e = 0; e < SIDE * SIDE; e++) {
        uint32_t lane = quad_lane(q, e / SIDE), i = e % SIDE;
        uint32_t at = quad_sum(m->c.type, e / SIDE, i);

        sum[at] =
            ptx_real_of(m->c.type, ptx_slot_read(launch, warp, &m->c, lane, i));
        for (uint32_t k = 0; k < DEPTH; k++) {
            sum[at] += a[at / SIDE * DEPTH + k] * b[at % SIDE * DEPTH + k];
        }
    }
}

void ptx_exec_quads(const struct exec_launch *launch, struct exec_warp *warp,
                    const struct exec_matrix *m, uint32_t mask)
{
    double sum[QUADS][SIDE * SIDE];

    for (uint32_t q = 0; q < QUADS; q++) {
        multiply_quad(launch, warp, m, q, sum[q]);
    }
    for (uint32_t i = 0; i < QUADS * SIDE * SIDE; i++) {
        uint32_t q = i / (SIDE * SIDE), t = i / SIDE % SIDE;
        uint32_t lane = quad_lane(q, t);

        if ((mask >> lane & 1) != 0) {
            double x = sum[q][quad_sum(m->d.type, t, i % SIDE)];

            ptx_slot_write(warp, &m->d, lane, i % SIDE,
                           ptx_real_bits(m->d.type, x, m->finite));
        }
    }
}
