/*
 * Matrix products of warps by nvcuda::wmma: half and bfloat16, tf32, int8;
 * products and sums are small whole numbers, so each result is exact.
 */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include "../hosts/host.h"

using namespace nvcuda;

template <typename T, typename SUM, typename FRAGMENT, int M, int N, int K>
__global__ void multiply(const T *a, const T *b, SUM *c, int k)
{
    wmma::fragment<wmma::matrix_a, M, N, K, FRAGMENT, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, M, N, K, FRAGMENT, wmma::col_major> y;
    wmma::fragment<wmma::accumulator, M, N, K, SUM> sum;

    wmma::fill_fragment(sum, (SUM)1);
    for (int i = 0; i < k; i += K) {
        wmma::load_matrix_sync(x, a + i, (unsigned)k);
        wmma::load_matrix_sync(y, b + i, (unsigned)k);
        wmma::mma_sync(sum, x, y, sum);
    }
    for (int i = 0; i < sum.num_elements; i++) {
        sum.x[i] = sum.x[i] + sum.x[i];
    }
    wmma::store_matrix_sync(c, sum, N, wmma::mem_row_major);
}

/* Of an m x k matrix, by rows, and a k x n one, by columns. */
template <typename T, typename SUM, typename FRAGMENT, int M, int N, int K>
static int product(const char *what)
{
    const int k = 2 * K;
    std::vector<int> left = integers<int>(M * k, 7, -3, 3),
                     right = integers<int>(N * k, 8, -3, 3);
    std::vector<T> a, b;

    for (int v : left) {
        a.push_back((T)(float)v);
    }
    for (int v : right) {
        b.push_back((T)(float)v);
    }
    SUM *c = device<SUM>(M * N);
    multiply<T, SUM, FRAGMENT, M, N, K><<<1, 32>>>(upload(a), upload(b), c, k);
    std::vector<SUM> got = download(c, M * N);
    for (int i = 0; i < M * N; i++) {
        int sum = 1;
        for (int j = 0; j < k; j++) {
            sum += left[i / N * k + j] * right[i % N * k + j];
        }
        if ((double)got[i] != 2 * sum) {
            printf("%s: %g, not %d\n", what, (double)got[i], 2 * sum);
            return 1;
        }
    }
    return 0;
}

int main()
{
    int bad = product<half, float, half, 16, 16, 16>("half") +
              product<half, float, half, 32, 8, 16>("half, 32x8") +
              product<half, float, half, 8, 32, 16>("half, 8x32") +
              product<signed char, int, signed char, 16, 16, 16>("int8") +
              product<__nv_bfloat16, float, __nv_bfloat16, 16, 16, 16>("bf16") +
              product<float, float, wmma::precision::tf32, 16, 16, 8>("tf32");

    return result(bad ? "of a product differs" : nullptr, 0);
}
