/*
 * Systems by LU, rotations, products of several matrices and of groups against
 * sums of doubles.  usage: lu_test CASE
 */
#include "tests/cuda/blas/structured.h"

int cublasRotEx(handle h, int n, void *x, int x_type, int incx, void *y,
                int y_type, int incy, const void *c, const void *s,
                int scalar_type, int executed);

/* ---- LU ---- */

/* Addresses of matrices of LD on the device. */
static void **list(const struct array *a)
{
    void *host[BATCH], *to;

    for (int i = 0; i < BATCH; i++) {
        host[i] = (char *)a->device + (size_t)(i * LD * LD) * bytes_of(f->type);
    }
    OK(cudaMalloc(&to, sizeof(host)));
    OK(cudaMemcpy(to, host, sizeof(host), CUDA_HOST_TO_DEVICE));
    return to;
}

/* Matrices whose rows must be exchanged; the last one has no inverse if it is
 * to be so. */
static struct array systems(int n, bool singular)
{
    struct array a = array_new(f->type, BATCH * LD * LD);

    for (int i = 0; i < BATCH * LD * LD; i++) {
        int row = i % LD, column = i / LD % LD;

        a.value[i] = row == (column + 1) % n ? 3 : a.value[i] / 16;
        if (singular && i >= (BATCH - 1) * LD * LD && column == 2) {
            a.value[i] = 0;
        }
    }
    array_send(&a);
    return a;
}

/* A X is B. */
static void solved(const struct array *a, int op, int n, int columns,
                   const struct array *b, struct array *x)
{
    array_read(x);
    for (int i = 0; i < BATCH * LD * LD; i++) {
        int row = i % LD, column = i / LD % LD, first = i - i % (LD * LD);
        double sum = 0;

        if (row >= n || column >= columns) {
            continue;
        }
        for (int k = 0; k < n; k++) {
            sum += a->value[first + (op == N ? row + k * LD : k + row * LD)] *
                   x->value[first + k + column * LD];
        }
        close_to(sum, b->value[i], "a solution", i);
    }
}

static void infos(const int *device, int first, int last)
{
    int host[BATCH];

    OK(cudaMemcpy(host, device, sizeof(host), CUDA_DEVICE_TO_HOST));
    HOLDS(host[0] == first && host[BATCH - 1] == last);
}

static void lu(int op, int n, bool pivots)
{
    struct array a = systems(n, false), b = array_new(f->type, a.count);
    struct array unit = array_of(f->type, a.count, 0);
    struct array w, x = copy_of(&b), y = copy_of(&unit);
    int *info, *rows, host = 7;
    void **wl, **xl = list(&x), **yl = list(&y);

    OK(cudaMalloc((void **)&info, BATCH * sizeof(int)));
    OK(cudaMalloc((void **)&rows, (size_t)(BATCH * n) * sizeof(int)));
    for (int i = 0; i < BATCH * LD * LD; i++) {
        unit.value[i] = i % LD == i / LD % LD;
        if (!pivots) {
            a.value[i] = unit.value[i] != 0 ? 3 : a.value[i] / 16;
        }
    }
    array_send(&a);
    w = copy_of(&a);
    wl = list(&w);
    OK(f->getrf(blas, n, wl, LD, pivots ? rows : NULL, info, BATCH));
    infos(info, 0, 0);
    OK(f->getrs(blas, op, n, OTHER, wl, LD, pivots ? rows : NULL, xl, LD, &host,
                BATCH));
    HOLDS(host == 0);
    solved(&a, op, n, OTHER, &b, &x);
    OK(f->getri(blas, n, wl, LD, pivots ? rows : NULL, yl, LD, info, BATCH));
    infos(info, 0, 0);
    solved(&a, N, n, n, &unit, &y);
    OK(cudaMemcpy(w.device, a.device, a.count * bytes_of(f->type),
                  CUDA_DEVICE_TO_DEVICE));
    OK(f->matinv(blas, n, wl, LD, yl, LD, info, BATCH));
    infos(info, 0, 0);
    solved(&a, N, n, n, &unit, &y);
    array_free(&a), array_free(&b), array_free(&unit), array_free(&w);
    array_free(&x), array_free(&y);
    OK(cudaFree(info));
    OK(cudaFree(rows));
    OK(cudaFree(wl));
    OK(cudaFree(xl));
    OK(cudaFree(yl));
}

static void case_lu(void)
{
    struct array a = systems(ORDER, true), b = copy_of(&a);
    void **al = list(&a), **bl = list(&b);
    int *info, *rows;

    lu(N, ORDER, true);
    lu(T, ORDER, true);
    lu(N, ORDER, false);
    lu(C, 1, true);
    lu(N, 32, true);
    OK(cudaMalloc((void **)&info, BATCH * sizeof(int)));
    OK(cudaMalloc((void **)&rows, BATCH * ORDER * sizeof(int)));
    OK(f->matinv(blas, ORDER, al, LD, bl, LD, info, BATCH));
    infos(info, 0, 3);
    OK(f->getrf(blas, ORDER, al, LD, rows, info, BATCH));
    infos(info, 0, 3);
    OK(f->getri(blas, ORDER, al, LD, rows, bl, LD, info, BATCH));
    infos(info, 0, 3);
    HOLDS(f->matinv(blas, 33, al, LD, bl, LD, info, BATCH) == INVALID_VALUE);
    array_free(&a), array_free(&b);
    OK(cudaFree(info));
    OK(cudaFree(rows));
    OK(cudaFree(al));
    OK(cudaFree(bl));
}

/* ---- rotations ---- */

static void rotm(double flag, const double h[4])
{
    struct array x = matrix(), y = matrix(), a = copy_of(&x), b = copy_of(&y);
    struct array param = array_of(f->type, 5, 0);
    char host[40];

    param.value[0] = flag;
    param.value[1] = 0.5, param.value[2] = -2;
    param.value[3] = 0.25, param.value[4] = 3;
    for (size_t i = 0; i < 5; i++) {
        put_number(host, i, f->type, param.value[i]);
    }
    array_send(&param);
    OK(f->rotm(blas, 300, a.device, -2, b.device, 1,
               mode == HOST ? (void *)host : param.device));
    array_read(&a);
    array_read(&b);
    for (int i = 0; i < 300; i++) {
        double u = element(&x, 300, -2, i), v = y.value[i];

        close_to(element(&a, 300, -2, i), h[0] * u + h[2] * v, "rotm x", i);
        close_to(b.value[i], h[1] * u + h[3] * v, "rotm y", i);
    }
    array_free(&x), array_free(&y), array_free(&a), array_free(&b);
    array_free(&param);
}

static void rot(bool typed)
{
    struct array x = matrix(), y = matrix(), a = copy_of(&x), b = copy_of(&y);

    OK(typed
           ? cublasRotEx(blas, 500, a.device, f->type, 3, b.device, f->type, -2,
                         number_of(0.5), number_of(-0.25), f->type, f->type)
           : f->rot(blas, 500, a.device, 3, b.device, -2, number_of(0.5),
                    number_of(-0.25)));
    array_read(&a);
    array_read(&b);
    for (int i = 0; i < 500; i++) {
        double u = x.value[3 * i], v = element(&y, 500, -2, i);

        close_to(a.value[3 * i], 0.5 * u - 0.25 * v, "rot x", i);
        close_to(element(&b, 500, -2, i), 0.5 * v + 0.25 * u, "rot y", i);
    }
    array_free(&x), array_free(&y), array_free(&a), array_free(&b);
}

/* The numbers of the reference BLAS: r, z, c, s of a, b. */
static void rotg(double a, double b, const double want[4])
{
    struct array v = array_of(f->type, 4, 0);
    size_t bytes = bytes_of(f->type);
    char host[32], *to = mode == HOST ? host : v.device;

    v.value[0] = a, v.value[1] = b;
    array_send(&v);
    put_number(host, 0, f->type, a);
    put_number(host, 1, f->type, b);
    OK(f->rotg(blas, to, to + bytes, to + 2 * bytes, to + 3 * bytes));
    array_read(&v);
    for (int i = 0; i < 4; i++) {
        close_to(mode == HOST ? number(host, (size_t)i, f->type) : v.value[i],
                 want[i], "rotg", i);
    }
    array_free(&v);
}

/* h21 x1 + h22 y1 is 0, and of d1 x1 x1 + d2 y1 y1 the new d1 x1 x1 is all. */
static void rotmg(double d1, double d2, double x1, double y1)
{
    struct array v = array_of(f->type, 9, 7);
    size_t bytes = bytes_of(f->type);
    char host[72], *to = mode == HOST ? host : v.device;
    double *p = v.value;

    p[0] = d1, p[1] = d2, p[2] = x1, p[3] = y1;
    array_send(&v);
    for (size_t i = 0; i < 9; i++) {
        put_number(host, i, f->type, p[i]);
    }
    OK(f->rotmg(blas, to, to + bytes, to + 2 * bytes, to + 3 * bytes,
                to + 4 * bytes));
    array_read(&v);
    for (size_t i = 0; i < 9; i++) {
        p[i] = mode == HOST ? number(host, i, f->type) : p[i];
    }
    if (d1 < 0) {
        HOLDS(p[0] == 0 && p[1] == 0 && p[2] == 0 && p[4] == -1 && p[5] == 0);
    } else if (d2 * y1 == 0) {
        HOLDS(p[0] == d1 && p[2] == x1 && p[4] == -2);
    } else {
        double h11 = p[4] == 0 ? 1 : p[5], h22 = p[4] == 0 ? 1 : p[8];
        double h21 = p[4] == 1 ? -1 : p[6], h12 = p[4] == 1 ? 1 : p[7];

        HOLDS(p[0] > 1 / 16777216.0 && p[0] < 16777216);
        close_to(h21 * x1 + h22 * y1, 0, "rotmg", 0);
        close_to((h11 * x1 + h12 * y1) / p[2], 1, "rotmg", 1);
        close_to(p[0] * p[2] * p[2] / (d1 * x1 * x1 + d2 * y1 * y1), 1, "rotmg",
                 2);
    }
    array_free(&v);
}

static void case_rotations(void)
{
    rot(false);
    rot(true);
    rotm(-2, (double[]){1, 0, 0, 1});
    rotm(-1, (double[]){0.5, -2, 0.25, 3});
    rotm(0, (double[]){1, -2, 0.25, 1});
    rotm(1, (double[]){0.5, -1, 1, 3});
    rotg(0, 0, (double[]){0, 0, 1, 0});
    rotg(3, 4, (double[]){5, 5 / 3.0, 0.6, 0.8});
    rotg(-8, 6, (double[]){-10, -0.6, 0.8, -0.6});
    rotg(0, -2, (double[]){-2, 1, 0, 1});
    rotmg(-1, 2, 3, 4);
    rotmg(1, 2, 3, 0);
    rotmg(2, 0.5, 3, 1);
    rotmg(0.5, 2, 1, 3);
    rotmg(1e9, 2, 3, 1);
    rotmg(1e-9, 2e-9, 1, 3);
}

/* ---- several matrices ---- */

static void batches(int op, bool strided)
{
    int rows = op == N ? ORDER : OTHER, columns = op == N ? OTHER : ORDER;
    struct array a = array_new(f->type, BATCH * LD * LD);
    struct array x = array_new(f->type, a.count),
                 y = array_new(f->type, a.count);
    struct array z = copy_of(&y);
    void **al = list(&a), **xl = list(&x), **zl = list(&z);

    OK(strided ? f->gemv_strided(blas, op, ORDER, OTHER, number_of(2), a.device,
                                 LD, LD * LD, x.device, -2, LD * LD,
                                 number_of(-1), z.device, 3, LD * LD, BATCH)
               : f->gemv_batched(blas, op, ORDER, OTHER, number_of(2), al, LD,
                                 xl, -2, number_of(-1), zl, 3, BATCH));
    array_read(&z);
    for (int i = 0; i < BATCH * rows; i++) {
        int from = i / rows * LD * LD, row = i % rows;
        double sum = 0;

        for (int k = 0; k < columns; k++) {
            sum += a.value[from + (op == N ? row + k * LD : k + row * LD)] *
                   x.value[from + (columns - 1 - k) * 2];
        }
        close_to(z.value[from + 3 * row], 2 * sum - y.value[from + 3 * row],
                 "gemv", i);
    }
    array_free(&a), array_free(&x), array_free(&y), array_free(&z);
    OK(cudaFree(al));
    OK(cudaFree(xl));
    OK(cudaFree(zl));
}

/* Two matrices of a shape, one of another. */
static void groups(void)
{
    static const int m[] = {5, 17}, n[] = {9, 4}, k[] = {11, 6};
    static const int op_a[] = {N, T}, op_b[] = {T, N};
    static const int ld[] = {LD, LD}, size[] = {2, 1};
    struct array a = array_new(f->type, BATCH * LD * LD);
    struct array b = array_new(f->type, a.count),
                 c = array_new(f->type, a.count);
    struct array d = copy_of(&c);
    void **al = list(&a), **bl = list(&b), **dl = list(&d);
    char alpha[16], beta[16];

    for (size_t i = 0; i < 2; i++) {
        put_number(alpha, i, f->type, i == 0 ? 2 : -1);
        put_number(beta, i, f->type, i == 0 ? 0.5 : 3);
    }
    OK(f->grouped(blas, op_a, op_b, m, n, k, alpha, al, ld, bl, ld, beta, dl,
                  ld, 2, size));
    array_read(&d);
    for (int i = 0; i < BATCH * LD * LD; i++) {
        int from = i - i % (LD * LD), g = from == 2 * LD * LD ? 1 : 0;
        int row = i % LD, column = i / LD % LD;
        double sum = 0;

        for (int s = 0; s < k[g]; s++) {
            sum += a.value[from + (g == 0 ? row + s * LD : s + row * LD)] *
                   b.value[from + (g == 0 ? column + s * LD : s + column * LD)];
        }
        close_to(d.value[i],
                 row >= m[g] || column >= n[g] ? c.value[i]
                 : g == 0                      ? 2 * sum + 0.5 * c.value[i]
                                               : 3 * c.value[i] - sum,
                 "grouped", i);
    }
    array_free(&a), array_free(&b), array_free(&c), array_free(&d);
    OK(cudaFree(al));
    OK(cudaFree(bl));
    OK(cudaFree(dl));
}

static void case_batches(void)
{
    for (int op = N; op <= C; op++) {
        batches(op, false);
        batches(op, true);
    }
    groups();
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"lu", case_lu},
                                             {"rotations", case_rotations},
                                             {"batches", case_batches},
                                             {NULL, NULL}};

    HOLDS(argc == 2);
    return run_case(cases, argv[1]);
}
