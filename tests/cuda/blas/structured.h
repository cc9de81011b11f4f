/*
 * Functions of cuBLAS for matrices that are not all numbers in rows and
 * columns, those of a type in one table; what tests of them share.
 */
#ifndef TESTS_CUDA_BLAS_STRUCTURED_H
#define TESTS_CUDA_BLAS_STRUCTURED_H

#include "tests/cuda/blas/blas.h"

enum {
    ORDER = 21,
    OTHER = 35,
    LD = 40,
    BATCH = 3
};

struct functions {
    int type;
    int (*symm)(handle, int, int, int, int, const void *, const void *, int,
                const void *, int, const void *, void *, int);
    int (*trmm)(handle, int, int, int, int, int, int, const void *,
                const void *, int, const void *, int, void *, int);
    int (*syrk)(handle, int, int, int, int, const void *, const void *, int,
                const void *, void *, int);
    int (*syrkx)(handle, int, int, int, int, const void *, const void *, int,
                 const void *, int, const void *, void *, int);
    int (*syr2k)(handle, int, int, int, int, const void *, const void *, int,
                 const void *, int, const void *, void *, int);
    int (*syr)(handle, int, int, const void *, const void *, int, void *, int);
    int (*spr)(handle, int, int, const void *, const void *, int, void *);
    int (*syr2)(handle, int, int, const void *, const void *, int, const void *,
                int, void *, int);
    int (*spr2)(handle, int, int, const void *, const void *, int, const void *,
                int, void *);
    int (*symv)(handle, int, int, const void *, const void *, int, const void *,
                int, const void *, void *, int);
    int (*sbmv)(handle, int, int, int, const void *, const void *, int,
                const void *, int, const void *, void *, int);
    int (*spmv)(handle, int, int, const void *, const void *, const void *, int,
                const void *, void *, int);
    int (*gbmv)(handle, int, int, int, int, int, const void *, const void *,
                int, const void *, int, const void *, void *, int);
    int (*trmv)(handle, int, int, int, int, const void *, int, void *, int);
    int (*trsv)(handle, int, int, int, int, const void *, int, void *, int);
    int (*tpmv)(handle, int, int, int, int, const void *, void *, int);
    int (*tpsv)(handle, int, int, int, int, const void *, void *, int);
    int (*tbmv)(handle, int, int, int, int, int, const void *, int, void *,
                int);
    int (*tbsv)(handle, int, int, int, int, int, const void *, int, void *,
                int);
    int (*tpttr)(handle, int, int, const void *, void *, int);
    int (*trttp)(handle, int, int, const void *, int, void *);
    int (*getrf)(handle, int, void *, int, int *, int *, int);
    int (*getrs)(handle, int, int, int, const void *, int, const int *, void *,
                 int, int *, int);
    int (*getri)(handle, int, const void *, int, const int *, void *, int,
                 int *, int);
    int (*matinv)(handle, int, const void *, int, void *, int, int *, int);
    int (*rot)(handle, int, void *, int, void *, int, const void *,
               const void *);
    int (*rotm)(handle, int, void *, int, void *, int, const void *);
    int (*rotg)(handle, void *, void *, void *, void *);
    int (*rotmg)(handle, void *, void *, void *, const void *, void *);
    int (*gemv_batched)(handle, int, int, int, const void *, const void *, int,
                        const void *, int, const void *, void *, int, int);
    int (*gemv_strided)(handle, int, int, int, const void *, const void *, int,
                        long long, const void *, int, long long, const void *,
                        void *, int, long long, int);
    int (*grouped)(handle, const int *, const int *, const int *, const int *,
                   const int *, const void *, const void *, const int *,
                   const void *, const int *, const void *, const void *,
                   const int *, int, const int *);
};

/* Those of the type that is tested now, and its scalars' place. */
extern const struct functions *f;
extern handle blas;
extern int mode;

void close_to(double x, double y, const char *what, int i);
/* A scalar as a call gets it. */
const void *number_of(double x);
/* Element (i, j) of a matrix of LD, of a triangle (`kind` 'T', 'U' with ones),
 * a symmetric one ('S') or any ('A'); of one turned (j, i). */
double at(const struct array *a, char kind, int fill, int op, int i, int j);
bool in_part(int fill, int i, int j);
struct array matrix(void);
/* Of a diagonal of twos, which systems need. */
struct array regular(void);
struct array copy_of(const struct array *a);
/* Element `i` of n of a vector whose increment may be negative. */
double element(const struct array *v, int n, int apart, int i);

/* Runs a case for both types and both places of scalars. */
struct test_case {
    const char *name;
    void (*run)(void);
};
int run_case(const struct test_case *cases, const char *name);

#endif
