/*
 * Two matrix products in turn, A B and (A B) C, the algorithm of PolyBench's
 * 2MM: see ../product.h.
 */
#include "../product.h"

KERNEL mm2_product(int rows, int inner, int columns, float *A, float *B,
                   float *C)
{
    product(rows, inner, columns, A, B, C);
}
