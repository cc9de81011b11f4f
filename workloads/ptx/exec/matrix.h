/*
 * Matrices that a warp holds together: mma, wmma, ldmatrix, stmatrix,
 * movmatrix.
 *
 * An element of a fragment is in a slot of a lane: bits of one of its
 * registers.  Where slots lie in the matrix is what PTX ISA draws for mma
 * and ldmatrix.  Of wmma it is left open there; here lane l holds elements
 * n * l to n * l + n - 1 in the order of memory, n being 1/32 of them, so
 * that loads are contiguous; registers that are left over hold zeros.
 *
 * Products are exact, sums are done in double in ascending order of k and
 * rounded once to the type of the result (hardware has fewer bits in
 * between, in an order that is not documented).
 */
#ifndef WORKLOADS_PTX_EXEC_MATRIX_H
#define WORKLOADS_PTX_EXEC_MATRIX_H

#include "workloads/ptx/exec/access.h"

#define EXEC_FRAGMENT 8      /* registers */
#define EXEC_MATRIX_MAX 4096 /* elements: 16 by 256 bits */

struct exec_fragment {
    uint32_t reg[EXEC_FRAGMENT]; /* places in the frame, or constants */
    uint8_t count;
    uint8_t type; /* enum loom_ptx_type of an element */
    uint16_t rows, columns;
    bool by_column; /* wmma: memory holds columns */
    bool wide;
};

enum exec_matrix_place {
    EXEC_PLACE_A, /* of mma */
    EXEC_PLACE_B,
    EXEC_PLACE_C,
    EXEC_PLACE_MEMORY /* of wmma */
};

/* Where what A has of a row belongs in it: four bits of metadata say it of two
 * numbers in four, of one .tf32 in two, of two pairs of 4 bits in four. */
struct exec_sparse {
    uint32_t reg;  /* the metadata */
    uint8_t first; /* of four lanes, the one that has the first of it */
};

struct exec_matrix {
    struct exec_fragment d, a, b, c;
    struct exec_sparse sparse;
    uint16_t m, n, k;
    bool opaque;    /* wmma */
    bool is_sparse; /* a has half of k */
    bool quads;     /* m8n8k4: four products, each of eight lanes */
    bool finite;    /* .satfinite */
    bool differ;    /* bits: .xor.popc */
    bool trans;
    uint8_t shape;   /* ldmatrix, stmatrix: enum loom_ptx_shape */
    uint8_t chunk;   /* bytes that a lane moves at once */
    uint32_t stride; /* wmma: register of the leading dimension, or NONE */
};

/* A matrix: integers, or doubles. */
struct exec_elements {
    bool real;
    union {
        double x[EXEC_MATRIX_MAX];
        int64_t i[EXEC_MATRIX_MAX];
    };
};

/* fragment.c: an element's value by its bits, and the bits of a sum */
double ptx_real_of(uint8_t type, uint64_t bits);
int64_t ptx_integer_of(uint8_t type, uint64_t bits);
uint64_t ptx_real_bits(uint8_t type, double value, bool finite);
uint32_t ptx_integer_bits(int64_t value, bool finite);

uint32_t ptx_fragment_bits(uint8_t type); /* of an element in a register */
/* Slots of a lane that hold elements. */
uint32_t ptx_fragment_slots(const struct exec_fragment *f);
/* Index of a slot in rows times columns. */
uint32_t ptx_fragment_index(const struct exec_fragment *f,
                            enum exec_matrix_place place, uint32_t lane,
                            uint32_t slot);
uint64_t ptx_slot_read(const struct exec_launch *launch,
                       const struct exec_warp *warp,
                       const struct exec_fragment *f, uint32_t lane,
                       uint32_t slot);
void ptx_slot_write(struct exec_warp *warp, const struct exec_fragment *f,
                    uint32_t lane, uint32_t slot, uint64_t bits);
void ptx_fragment_clear(struct exec_warp *warp, const struct exec_fragment *f,
                        uint32_t mask);
void ptx_fragment_gather(const struct exec_launch *launch,
                         const struct exec_warp *warp,
                         const struct exec_fragment *f,
                         enum exec_matrix_place place,
                         struct exec_elements *to);
void ptx_fragment_scatter(struct exec_warp *warp, const struct exec_fragment *f,
                          enum exec_matrix_place place,
                          const struct exec_elements *from, bool finite,
                          uint32_t mask);

/* sparse.c: the k of A's numbers, 16 rows of `columns`. */
#define EXEC_SPARSE_MAX (16 * 64)
void ptx_sparse_places(const struct exec_launch *launch,
                       const struct exec_warp *warp,
                       const struct exec_sparse *sparse,
                       const struct exec_fragment *a, uint8_t *place);
void ptx_exec_sparse(const struct exec_launch *launch,
                     const struct exec_warp *warp, const struct exec_matrix *m,
                     const struct exec_elements *a,
                     const struct exec_elements *b, struct exec_elements *d);
void ptx_exec_quads(const struct exec_launch *launch, struct exec_warp *warp,
                    const struct exec_matrix *m, uint32_t mask);

/* matrix.c; false: launch->err is set. */
bool ptx_exec_matrix(struct exec_launch *launch, struct exec_warp *warp,
                     const struct exec_op *op, uint32_t mask);

#endif
