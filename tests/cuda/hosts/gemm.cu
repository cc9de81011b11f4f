#include "../../../workloads/suite/gemm/gemm.cu"
#include "host.h"

int main()
{
    int n = 32, m = 48, k = 32;
    std::vector<float> a = numbers(n * k, 1, 4), b = numbers(k * m, 2, 4),
                       c = numbers(n * m, 3, 4), want(n * m);
    float *da = upload(a), *db = upload(b), *dc = upload(c);

    gemm<<<dim3(m / 16, n / 16), dim3(16, 16)>>>(m, k, 2, 3, da, db, dc);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            float sum = 0;

            for (int l = 0; l < k; l++) {
                sum += a[i * k + l] * b[l * m + j];
            }
            want[i * m + j] = 2 * sum + 3 * c[i * m + j];
        }
    }
    return compare(download(dc, n * m), want);
}
