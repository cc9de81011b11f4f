/*
 * What tests of structured.h share.
 */
#include "tests/cuda/blas/structured.h"

/* Names here and in cuBLAS. */
#define FUNCTIONS(X, L)                                                        \
    X(L, symm, symm_v2)                                                        \
    X(L, trmm, trmm_v2)                                                        \
    X(L, syrk, syrk_v2)                                                        \
    X(L, syrkx, syrkx)                                                         \
    X(L, syr2k, syr2k_v2)                                                      \
    X(L, syr, syr_v2)                                                          \
    X(L, spr, spr_v2)                                                          \
    X(L, syr2, syr2_v2)                                                        \
    X(L, spr2, spr2_v2)                                                        \
    X(L, symv, symv_v2)                                                        \
    X(L, sbmv, sbmv_v2)                                                        \
    X(L, spmv, spmv_v2)                                                        \
    X(L, gbmv, gbmv_v2)                                                        \
    X(L, trmv, trmv_v2)                                                        \
    X(L, trsv, trsv_v2)                                                        \
    X(L, tpmv, tpmv_v2)                                                        \
    X(L, tpsv, tpsv_v2)                                                        \
    X(L, tbmv, tbmv_v2)                                                        \
    X(L, tbsv, tbsv_v2)                                                        \
    X(L, tpttr, tpttr)                                                         \
    X(L, trttp, trttp)                                                         \
    X(L, getrf, getrfBatched)                                                  \
    X(L, getrs, getrsBatched)                                                  \
    X(L, getri, getriBatched)                                                  \
    X(L, matinv, matinvBatched)                                                \
    X(L, rot, rot_v2)                                                          \
    X(L, rotm, rotm_v2)                                                        \
    X(L, rotg, rotg_v2)                                                        \
    X(L, rotmg, rotmg_v2)                                                      \
    X(L, gemv_batched, gemvBatched)                                            \
    X(L, gemv_strided, gemvStridedBatched)                                     \
    X(L, grouped, gemmGroupedBatched)
#define DECLARED(L, name, real)                                                \
    extern __typeof__(*((struct functions *)0)->name) cublas##L##real;
#define FIELD(L, name, real) .name = cublas##L##real,

/* clang-format off */
FUNCTIONS(DECLARED, S)
FUNCTIONS(DECLARED, D)
static const struct functions types[] = {{.type = F32, FUNCTIONS(FIELD, S)},
                                         {.type = F64, FUNCTIONS(FIELD, D)}};
/* clang-format on */

const struct functions *f;
handle blas;
int mode;

void close_to(double x, double y, const char *what, int i)
{
    if (!(fabs(x - y) <= 10 * tolerance(f->type, fmax(fabs(y), 1)))) {
        printf("%s of type %d: element %d is %.17g, not %.17g\n", what, f->type,
               i, x, y);
        exit(1);
    }
}

const void *number_of(double x)
{
    return scalar(f->type, x, mode);
}

double at(const struct array *a, char kind, int fill, int op, int i, int j)
{
    int row = op == N ? i : j, column = op == N ? j : i;

    if (kind != 'A' && (fill == LOWER ? row < column : row > column)) {
        return kind == 'S' ? a->value[column + row * LD] : 0;
    }
    return kind == 'U' && row == column ? 1 : a->value[row + column * LD];
}

bool in_part(int fill, int i, int j)
{
    return fill == LOWER ? i >= j : i <= j;
}

struct array matrix(void)
{
    return array_new(f->type, LD * LD);
}

struct array regular(void)
{
    struct array a = matrix();

    for (int i = 0; i < LD * LD; i++) {
        a.value[i] = i / LD == i % LD ? 2 : a.value[i] / 16;
    }
    array_send(&a);
    return a;
}

struct array copy_of(const struct array *a)
{
    struct array b = array_of(a->type, a->count, 0);

    memcpy(b.value, a->value, a->count * sizeof(double));
    array_send(&b);
    return b;
}

double element(const struct array *v, int n, int apart, int i)
{
    return v->value[apart > 0 ? i * apart : (n - 1 - i) * -apart];
}

int run_case(const struct test_case *cases, const char *name)
{
    OK(cublasCreate_v2(&blas));
    for (; cases->name != NULL; cases++) {
        for (int run = 0; run < 4 && strcmp(name, cases->name) == 0; run++) {
            f = &types[run / 2];
            mode = run % 2 == 0 ? HOST : DEVICE;
            OK(cublasSetPointerMode_v2(blas, mode));
            cases->run();
        }
    }
    OK(cublasDestroy_v2(blas));
    OK(cudaGetLastError());
    printf("%s passed\n", name);
    return 0;
}
