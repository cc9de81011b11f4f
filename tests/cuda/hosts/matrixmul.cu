#include "../../../workloads/suite/matrixmul/matrixmul.cu"
#include "host.h"

int main()
{
    int n = 32;
    std::vector<float> a = numbers(n * n, 1, 4), b = numbers(n * n, 2, 4),
                       want(n * n);
    float *c = device<float>(n * n), *da = upload(a), *db = upload(b);

    matrixmul<<<dim3(n / 32, n / 32), dim3(32, 32)>>>(c, da, db, n, n);
    for (int i = 0; i < n * n; i++) {
        for (int k = 0; k < n; k++) {
            want[i] += a[i / n * n + k] * b[k * n + i % n];
        }
    }
    return compare(download(c, n * n), want);
}
