/*
 * Symmetric, triangular, packed and band matrices against sums of doubles.
 * usage: structured_test CASE
 */
#include "tests/cuda/blas/structured.h"

/* ---- products ---- */

static void symm(int side, int fill)
{
    int m = side == LEFT ? ORDER : OTHER, n = side == LEFT ? OTHER : ORDER;
    struct array a = matrix(), b = matrix(), c = matrix(), d = copy_of(&c);

    OK(f->symm(blas, side, fill, m, n, number_of(2), a.device, LD, b.device, LD,
               number_of(-0.5), d.device, LD));
    array_read(&d);
    for (int i = 0; i < LD * LD; i++) {
        int row = i % LD, column = i / LD;
        double sum = 0;

        for (int k = 0; k < ORDER; k++) {
            sum +=
                side == LEFT
                    ? at(&a, 'S', fill, N, row, k) * b.value[k + column * LD]
                    : b.value[row + k * LD] * at(&a, 'S', fill, N, k, column);
        }
        close_to(d.value[i],
                 row < m && column < n ? 2 * sum - 0.5 * c.value[i]
                                       : c.value[i],
                 "symm", i);
    }
    array_free(&a), array_free(&b), array_free(&c), array_free(&d);
}

/* syrk, syrkx, syr2k; without beta C is not read. */
static void rank_k(int which, int fill, int op)
{
    struct array a = matrix(), b = which == 0 ? copy_of(&a) : matrix();
    struct array c = op == N ? matrix() : array_of(f->type, LD * LD, NAN);
    struct array d = copy_of(&c);
    double beta = op == N ? 3 : 0;
    int status =
        which == 0 ? f->syrk(blas, fill, op, ORDER, OTHER, number_of(-1),
                             a.device, LD, number_of(beta), d.device, LD)
                   : (which == 1 ? f->syrkx : f->syr2k)(
                         blas, fill, op, ORDER, OTHER, number_of(-1), a.device,
                         LD, b.device, LD, number_of(beta), d.device, LD);

    OK(status);
    array_read(&d);
    for (int i = 0; i < ORDER * LD; i++) {
        int row = i % LD, column = i / LD;
        double sum = 0;

        if (row >= ORDER || !in_part(fill, row, column)) {
            HOLDS(op == N ? d.value[i] == c.value[i] : isnan(d.value[i]));
            continue;
        }
        for (int k = 0; k < OTHER; k++) {
            sum += at(&a, 'A', 0, op, row, k) * at(&b, 'A', 0, op, column, k);
            sum += which < 2 ? 0
                             : at(&b, 'A', 0, op, row, k) *
                                   at(&a, 'A', 0, op, column, k);
        }
        close_to(d.value[i], -sum + (op == N ? 3 * c.value[i] : 0), "rank k",
                 i);
    }
    array_free(&a), array_free(&b), array_free(&c), array_free(&d);
}

static void trmm(int side, int fill, int op, int diagonal, bool here)
{
    int m = side == LEFT ? ORDER : OTHER, n = side == LEFT ? OTHER : ORDER;
    char kind = diagonal == UNIT ? 'U' : 'T';
    struct array a = matrix(), b = matrix();
    struct array c = here ? copy_of(&b) : array_of(f->type, LD * LD, 77);

    OK(f->trmm(blas, side, fill, op, diagonal, m, n, number_of(2), a.device, LD,
               here ? c.device : b.device, LD, c.device, LD));
    array_read(&c);
    for (int i = 0; i < LD * LD; i++) {
        int row = i % LD, column = i / LD;
        double sum = 0;

        for (int k = 0; k < ORDER; k++) {
            sum +=
                side == LEFT
                    ? at(&a, kind, fill, op, row, k) * b.value[k + column * LD]
                    : b.value[row + k * LD] * at(&a, kind, fill, op, k, column);
        }
        close_to(c.value[i],
                 row < m && column < n ? 2 * sum
                 : here                ? b.value[i]
                                       : 77,
                 "trmm", i);
    }
    array_free(&a), array_free(&b), array_free(&c);
}

static void case_products(void)
{
    for (int i = 0; i < 24; i++) {
        int fill = i & 1, op = i / 8;

        if (i < 4) {
            symm(i >> 1, fill);
        }
        if (i % 8 < 6) {
            rank_k(i % 8 / 2, fill, op);
        }
        trmm(i >> 1 & 1, fill, op, i >> 2 & 1, (i ^ mode) & 1);
        trmm(i >> 1 & 1, fill, op, i >> 2 & 1, !((i ^ mode) & 1));
    }
    HOLDS(f->symm(blas, LEFT, 7, 2, 2, number_of(1), NULL, 2, NULL, 2,
                  number_of(1), NULL, 2) == INVALID_VALUE);
    HOLDS(f->syrk(blas, LOWER, N, 3, 2, number_of(1), NULL, 2, number_of(1),
                  NULL, 3) == INVALID_VALUE);
}

/* ---- packed and band matrices ---- */

/* The triangle of ORDER columns, one after the other. */
static struct array pack(const struct array *a, int fill)
{
    struct array p = array_of(f->type, ORDER * (ORDER + 1) / 2, 0);
    int next = 0;

    for (int j = 0; j < ORDER; j++) {
        for (int i = fill == LOWER ? j : 0; i < (fill == LOWER ? ORDER : j + 1);
             i++) {
            p.value[next++] = a->value[i + j * LD];
        }
    }
    array_send(&p);
    return p;
}

/* The diagonals as rows of LD, and A without what is beside them. */
static struct array diagonals(struct array *a, int m, int n, int below,
                              int above)
{
    struct array b = array_of(f->type, LD * LD, 55);

    for (int i = 0; i < LD * LD; i++) {
        int row = i % LD, column = i / LD;

        if (row - column > below || column - row > above) {
            a->value[i] = 0;
        } else if (row < m && column < n) {
            b.value[above + row - column + column * LD] = a->value[i];
        }
    }
    array_send(&b);
    return b;
}

/* What was multiplied (at). */
struct factor {
    const struct array *a;
    char kind;
    int fill, op, rows, columns;
};

static void compare_times(struct factor g, const struct array *x,
                          const struct array *y, struct array *z)
{
    array_read(z);
    for (int i = 0; i < g.rows; i++) {
        double sum = 0;

        for (int k = 0; k < g.columns; k++) {
            sum += at(g.a, g.kind, g.fill, g.op, i, k) *
                   element(x, g.columns, -2, k);
        }
        close_to(element(z, g.rows, 3, i), 2 * sum - element(y, g.rows, 3, i),
                 "times a vector", i);
    }
    OK(cudaMemcpy(z->device, y->device, y->count * bytes_of(f->type),
                  CUDA_DEVICE_TO_DEVICE));
}

static void times(int fill)
{
    struct array a = matrix(), p = pack(&a, fill);
    struct array x = matrix(), y = matrix(), z = copy_of(&y);
    int below = fill == LOWER ? 4 : 0, above = 4 - below;
    struct array b;

    OK(f->symv(blas, fill, ORDER, number_of(2), a.device, LD, x.device, -2,
               number_of(-1), z.device, 3));
    compare_times((struct factor){&a, 'S', fill, N, ORDER, ORDER}, &x, &y, &z);
    OK(f->spmv(blas, fill, ORDER, number_of(2), p.device, x.device, -2,
               number_of(-1), z.device, 3));
    compare_times((struct factor){&a, 'S', fill, N, ORDER, ORDER}, &x, &y, &z);
    for (int op = N; op <= C; op++) {
        struct array full = copy_of(&a);

        b = diagonals(&full, ORDER, OTHER, 3, 7);
        OK(f->gbmv(blas, op, ORDER, OTHER, 3, 7, number_of(2), b.device, LD,
                   x.device, -2, number_of(-1), z.device, 3));
        compare_times((struct factor){&full, 'A', 0, op,
                                      op == N ? ORDER : OTHER,
                                      op == N ? OTHER : ORDER},
                      &x, &y, &z);
        array_free(&b), array_free(&full);
    }
    b = diagonals(&a, ORDER, ORDER, below, above);
    OK(f->sbmv(blas, fill, ORDER, 4, number_of(2), b.device, LD, x.device, -2,
               number_of(-1), z.device, 3));
    compare_times((struct factor){&a, 'S', fill, N, ORDER, ORDER}, &x, &y, &z);
    array_free(&a), array_free(&p), array_free(&x), array_free(&y);
    array_free(&z), array_free(&b);
}

/* syr and syr2, and the same of packed ones. */
static void rank_one(int fill, bool both)
{
    struct array a = matrix(), p = pack(&a, fill), q, x = matrix(),
                 y = matrix(), before = copy_of(&a);

    if (both) {
        OK(f->syr2(blas, fill, ORDER, number_of(-2), x.device, -2, y.device, 3,
                   a.device, LD));
        OK(f->spr2(blas, fill, ORDER, number_of(-2), x.device, -2, y.device, 3,
                   p.device));
    } else {
        OK(f->syr(blas, fill, ORDER, number_of(-2), x.device, -2, a.device,
                  LD));
        OK(f->spr(blas, fill, ORDER, number_of(-2), x.device, -2, p.device));
    }
    array_read(&a);
    array_read(&p);
    for (int i = 0; i < LD * ORDER; i++) {
        int row = i % LD, column = i / LD;
        double by = element(&x, ORDER, -2, row < ORDER ? row : 0), with;

        with = both ? by * element(&y, ORDER, 3, column) +
                          element(&x, ORDER, -2, column) *
                              element(&y, ORDER, 3, row < ORDER ? row : 0)
                    : by * element(&x, ORDER, -2, column);
        close_to(a.value[i],
                 before.value[i] -
                     (row < ORDER && in_part(fill, row, column) ? 2 * with : 0),
                 "rank one", i);
    }
    q = pack(&a, fill);
    for (size_t i = 0; i < q.count; i++) {
        close_to(p.value[i], q.value[i], "packed rank one", (int)i);
    }
    array_free(&a), array_free(&p), array_free(&q), array_free(&x);
    array_free(&y), array_free(&before);
}

static void repack(int fill)
{
    struct array a = matrix(), p = pack(&a, fill);
    struct array q = array_of(f->type, p.count, 0);
    struct array b = array_of(f->type, LD * LD, 33);

    OK(f->trttp(blas, fill, ORDER, a.device, LD, q.device));
    OK(f->tpttr(blas, fill, ORDER, p.device, b.device, LD));
    array_read(&q);
    array_read(&b);
    HOLDS(memcmp(q.value, p.value, p.count * sizeof(double)) == 0);
    for (int i = 0; i < LD * ORDER; i++) {
        HOLDS(b.value[i] == (i % LD < ORDER && in_part(fill, i % LD, i / LD)
                                 ? a.value[i]
                                 : 33));
    }
    array_free(&a), array_free(&p), array_free(&q), array_free(&b);
}

static void case_packed(void)
{
    for (int fill = LOWER; fill <= UPPER; fill++) {
        times(fill);
        rank_one(fill, false);
        rank_one(fill, true);
        repack(fill);
    }
}

/* A triangle's product in place, and the vector again from it. */
static void in_place(int fill, int op, int diagonal, int apart)
{
    struct array a = regular(), p = pack(&a, fill), x = matrix(), b;
    int below = fill == LOWER ? 4 : 0;

    for (int kind = 0; kind < 3; kind++) {
        struct array y = copy_of(&x);

        if (kind == 2) {
            b = diagonals(&a, ORDER, ORDER, below, 4 - below);
        }
        for (int back = 0; back < 2; back++) {
            int status =
                kind == 0 ? (back ? f->trsv : f->trmv)(blas, fill, op, diagonal,
                                                       ORDER, a.device, LD,
                                                       y.device, apart)
                : kind == 1
                    ? (back ? f->tpsv : f->tpmv)(blas, fill, op, diagonal,
                                                 ORDER, p.device, y.device,
                                                 apart)
                    : (back ? f->tbsv : f->tbmv)(blas, fill, op, diagonal,
                                                 ORDER, 4, b.device, LD,
                                                 y.device, apart);

            OK(status);
            array_read(&y);
            for (int i = 0; i < ORDER; i++) {
                double sum = 0;

                for (int k = 0; k < ORDER; k++) {
                    sum +=
                        at(&a, diagonal == UNIT ? 'U' : 'T', fill, op, i, k) *
                        element(&x, ORDER, apart, k);
                }
                close_to(element(&y, ORDER, apart, i),
                         back ? element(&x, ORDER, apart, i) : sum, "in place",
                         i);
            }
        }
        array_free(&y);
    }
    array_free(&a), array_free(&p), array_free(&x), array_free(&b);
}

static void case_in_place(void)
{
    for (int i = 0; i < 12; i++) {
        in_place(i & 1, i / 4, i >> 1 & 1, i % 3 == 0 ? -2 : 1);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"products", case_products},
                                             {"packed", case_packed},
                                             {"in_place", case_in_place},
                                             {NULL, NULL}};

    HOLDS(argc == 2);
    return run_case(cases, argv[1]);
}
