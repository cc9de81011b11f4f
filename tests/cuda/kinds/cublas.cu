/*
 * cuBLAS: matrix products, batched ones, of halves with sums of floats,
 * vectors.
 */
#include <cublas_v2.h>
#include <cuda_fp16.h>

#include "../hosts/host.h"

static void check(cublasStatus_t status, const char *what)
{
    if (status != CUBLAS_STATUS_SUCCESS) {
        printf("FAILED: %s: %d\n", what, (int)status);
        exit(1);
    }
}

/* By columns: of m x k (transposed: k x m) and k x n. */
static std::vector<float> product(const float *a, const float *b, int m, int n,
                                  int k, bool turned)
{
    std::vector<float> c(m * n);

    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            for (int l = 0; l < k; l++) {
                c[j * m + i] +=
                    a[turned ? i * k + l : l * m + i] * b[j * k + l];
            }
        }
    }
    return c;
}

int main()
{
    const int m = 37, n = 29, k = 53, batch = 3;
    std::vector<float> a = numbers(batch * m * k, 1, 8),
                       b = numbers(batch * k * n, 2, 8), want, got;
    float *x = upload(a), *y = upload(b), *z = device<float>(batch * m * n);
    const float one = 1, zero = 0, two = 2;
    float norm = 0, dot = 0, exact = 0;
    cublasHandle_t handle;
    int bad = 0;

    CHECK(cublasCreate(&handle));
    CHECK(cublasSgemm(handle, CUBLAS_OP_T, CUBLAS_OP_N, m, n, k, &one, x, k, y,
                      k, &zero, z, m));
    bad += download(z, m * n) != product(a.data(), b.data(), m, n, k, true);
    CHECK(cublasSgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k,
                                    &one, x, m, m * k, y, k, k * n, &zero, z, m,
                                    m * n, batch));
    got = download(z, batch * m * n);
    for (int i = 0; i < batch; i++) {
        want = product(&a[i * m * k], &b[i * k * n], m, n, k, false);
        bad += !std::equal(want.begin(), want.end(), got.begin() + i * m * n);
    }
    std::vector<half> p, q;
    for (float v : a) {
        p.push_back(__float2half(v));
    }
    for (float v : b) {
        q.push_back(__float2half(v));
    }
    CHECK(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one,
                       upload(p), CUDA_R_16F, m, upload(q), CUDA_R_16F, k,
                       &zero, z, CUDA_R_32F, m, CUBLAS_COMPUTE_32F,
                       CUBLAS_GEMM_DEFAULT));
    bad += download(z, m * n) != product(a.data(), b.data(), m, n, k, false);
    CHECK(cublasSaxpy(handle, k, &two, x, 1, y, 1));
    for (int i = 0; i < k; i++) {
        b[i] += 2 * a[i];
        exact += a[i] * b[i];
    }
    CHECK(cublasSdot(handle, k, x, 1, y, 1, &dot));
    CHECK(cublasSnrm2(handle, k, y, 1, &norm));
    double square = 0;
    for (int i = 0; i < k; i++) {
        square += (double)b[i] * b[i];
    }
    bad += dot != exact || std::abs(norm - std::sqrt(square)) > 1e-3;
    CHECK(cublasDestroy(handle));
    return result(bad ? "of some product differs" : nullptr, (size_t)bad);
}
