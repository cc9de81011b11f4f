/*
 * Three matrix products, A B, C D and (A B)(C D), the algorithm of PolyBench's
 * 3MM: see ../product.h.
 */
#include "../product.h"

KERNEL mm3_product(int rows, int inner, int columns, float *A, float *B,
                   float *C)
{
    product(rows, inner, columns, A, B, C);
}
