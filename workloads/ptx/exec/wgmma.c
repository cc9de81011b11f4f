/*
 * Executing wgmma.mma_async.
 *
 * A descriptor says where a matrix starts, how far its core matrices (8 rows
 * of 16 bytes, or of the swizzle's width) are apart, and which bits of the
 * address are exchanged.
 */
#include "workloads/ptx/exec/wgmma.h"

#include <string.h>

#include "workloads/ptx/exec/cluster.h"

#define ROWS 8u  /* of a core matrix */
#define UNIT 16u /* bytes that stay together */
#define FIELD 0x3fffu

struct matrix {
    uint32_t start, lead, stride; /* bytes */
    uint32_t width;               /* of a swizzled row; 16: not swizzled */
    uint32_t mask;                /* bits 7.. that change bits 4.. */
    uint32_t bits;                /* of an element */
    const struct exec_described *of;
};

static struct matrix read_descriptor(uint64_t bits,
                                     const struct exec_described *of)
{
    static const uint8_t width[4] = {16, 128, 64, 32};
    uint32_t mode = (uint32_t)(bits >> 62);

    return (struct matrix){
        .start = (uint32_t)(bits & FIELD) * UNIT,
        .lead = (uint32_t)(bits >> 16 & FIELD) * UNIT,
        .stride = (uint32_t)(bits >> 32 & FIELD) * UNIT,
        .width = width[mode],
        .mask = width[mode] / UNIT - 1u,
        .bits = ptx_fragment_bits(of->type),
        .of = of,
    };
}

/* Where an element's bits begin: row (of A, or column of B), k.  *shift: in
 * its byte. */
static uint32_t place_of(const struct matrix *m, uint32_t row, uint32_t k,
                         uint32_t *shift)
{
    uint32_t along = m->of->trans ? row : k, across = m->of->trans ? k : row;
    uint32_t byte = along * m->bits / 8, at;

    *shift = along * m->bits % 8;
    if (m->width == UNIT) {
        /* Which stride runs along depends on who is transposed. */
        at = byte / UNIT * (m->of->trans ? m->stride : m->lead) +
             across / ROWS * (m->of->trans ? m->lead : m->stride);
    } else {
        at = byte / m->width * m->lead + across / ROWS * m->stride;
    }
    at += m->start + across % ROWS * m->width + byte % m->width;
    return at ^ (at >> 7 & m->mask) << 4;
}

static bool fetch(const struct exec_launch *launch, const struct matrix *m,
                  uint32_t row, uint32_t k, uint64_t *bits)
{
    uint32_t shift, at = place_of(m, row, k, &shift);
    uint32_t bytes = m->bits < 8 ? 1 : m->bits / 8;

    if (at > launch->kernel.shared_bytes ||
        bytes > launch->kernel.shared_bytes - at) {
        return false;
    }
    *bits = 0;
    memcpy(bits, launch->shared + at, bytes);
    *bits = *bits >> shift & (UINT64_MAX >> (64 - m->bits));
    return true;
}

/* Row `row` of A or column `row` of B, `count` elements to to[at]. */
static bool fetch_line(const struct exec_launch *launch, const struct matrix *m,
                       uint32_t row, uint32_t count, struct exec_elements *to,
                       uint32_t at)
{
    for (uint32_t k = 0; k < count; k++) {
        uint64_t bits;

        if (!fetch(launch, m, row, k, &bits)) {
            return false;
        }
        if (to->real) {
            double x = ptx_real_of(m->of->type, bits);

            to->x[at + k] = m->of->negate ? -x : x;
        } else {
            to->i[at + k] = ptx_integer_of(m->of->type, bits);
        }
    }
    return true;
}

static uint64_t uniform(const struct exec_launch *launch,
                        const struct exec_warp *warp, uint32_t reg)
{
    return ((const lane_u64 *)exec_reg(launch, warp, reg))[0];
}

static bool outside(const struct exec_launch *launch,
                    const struct exec_warp *warp, const struct exec_op *op,
                    uint64_t descriptor)
{
    return ptx_fault(launch, warp, op,
                     "the matrix with descriptor 0x%llx is not inside the %u "
                     "bytes of shared memory",
                     (unsigned long long)descriptor,
                     launch->kernel.shared_bytes);
}

/* The warp's rows of A. */
static bool gather_a(const struct exec_launch *launch,
                     const struct exec_warp *warp, const struct exec_op *op,
                     const struct exec_wgmma *w, struct exec_elements *a)
{
    uint32_t first = warp->number % 4 * EXEC_WGMMA_ROWS;
    uint32_t across = w->held.columns;
    uint64_t descriptor;
    struct matrix m;

    a->real = loom_ptx_type_real((enum loom_ptx_type)w->a.type);
    if (w->held.count != 0) {
        ptx_fragment_gather(launch, warp, &w->held, EXEC_PLACE_A, a);
        for (uint32_t i = 0; w->a.negate && i < EXEC_WGMMA_ROWS * across; i++) {
            a->x[i] = -a->x[i];
        }
        return true;
    }
    descriptor = uniform(launch, warp, w->a.reg);
    m = read_descriptor(descriptor, &w->a);
    for (uint32_t row = 0; row < EXEC_WGMMA_ROWS; row++) {
        if (!fetch_line(launch, &m, first + row, across, a, row * across)) {
            return outside(launch, warp, op, descriptor);
        }
    }
    return true;
}

struct sums {
    struct exec_warp *warp;
    const struct exec_wgmma *w;
    struct exec_elements a, b; /* the warp's rows; a column */
    uint8_t place[EXEC_SPARSE_MAX];
};

/* The k of number i of a row of A. */
static uint32_t k_of(const struct sums *s, uint32_t row, uint32_t i)
{
    return s->w->is_sparse ? s->place[row * s->w->held.columns + i] : i;
}

/* One sum: D's element `at` of a lane. */
static void add_up(const struct sums *s, uint32_t row, uint32_t lane,
                   uint32_t at)
{
    const struct exec_wgmma *w = s->w;
    uint32_t across = w->held.columns;
    bool half = w->type == LOOM_PTX_F16;
    lane_u32 *d = (void *)(s->warp->frame + w->d[half ? at / 2 : at]);
    uint32_t shift = half ? at % 2 * 16 : 0;
    uint32_t keep = half ? 0xffff0000u >> shift : 0;
    uint32_t old = d[lane] >> shift & (half ? 0xffffu : UINT32_MAX), bits;
    uint32_t add = exec_pred(s->warp, w->add) >> lane & 1;

    if ((add != 0) == w->add_invert) {
        old = 0;
    }
    if (s->a.real) {
        double sum = ptx_real_of(w->type, old);

        for (uint32_t i = 0; i < across; i++) {
            sum = __builtin_fma(s->a.x[row * across + i],
                                s->b.x[k_of(s, row, i)], sum);
        }
        bits = (uint32_t)ptx_real_bits(w->type, sum, false);
    } else {
        int64_t sum = ptx_integer_of(w->type, old);

        for (uint32_t i = 0; i < across; i++) {
            sum += s->a.i[row * across + i] * s->b.i[k_of(s, row, i)];
        }
        bits = ptx_integer_bits(sum, w->finite);
    }
    d[lane] = (d[lane] & keep) | bits << shift;
}

/* A column of D is in the lanes that have its pair of columns; rows are
 * spread as those of mma's C are. */
static void put_column(const struct sums *s, uint32_t column)
{
    uint32_t in = column % 8 / 2, at = column / 8 * 4 + column % 2;

    for (uint32_t row = 0; row < EXEC_WGMMA_ROWS; row++) {
        add_up(s, row, row % 8 * 4 + in, at + row / 8 * 2);
    }
}

bool ptx_exec_wgmma(struct exec_launch *launch, struct exec_warp *warp,
                    const struct exec_op *op, uint32_t mask)
{
    const struct exec_wgmma *w = &launch->code->wgmma[op->offset2];
    struct sums s;
    struct matrix m;
    uint64_t descriptor;

    loom_writer_put(warp->writer, op->index, mask);
    if (mask == 0) {
        return true;
    }
    descriptor = uniform(launch, warp, w->b.reg);
    m = read_descriptor(descriptor, &w->b);
    if (mask != UINT32_MAX) {
        return ptx_fault(launch, warp, op, "all lanes must be active");
    }
    if (((descriptor |
          (w->held.count == 0 ? uniform(launch, warp, w->a.reg) : 0)) >>
             49 &
         7) != 0) {
        return ptx_fault(launch, warp, op,
                         "a base offset in a descriptor is not simulated");
    }
    s.warp = warp;
    s.w = w;
    if (!gather_a(launch, warp, op, w, &s.a)) {
        return false;
    }
    if (w->is_sparse) {
        ptx_sparse_places(launch, warp, &w->sparse, &w->held, s.place);
    }
    s.b.real = s.a.real;
    for (uint32_t column = 0; column < w->n; column++) {
        if (!fetch_line(launch, &m, column, w->k, &s.b, 0)) {
            return outside(launch, warp, op, descriptor);
        }
        put_column(&s, column);
    }
    return true;
}
