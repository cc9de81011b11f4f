#include "../../../workloads/suite/mm2/mm2.cu"
#include "host.h"

static float *times(int n, float *x, float *y)
{
    float *z = device<float>(n * n);

    mm2_product<<<dim3(blocks(n, 32), blocks(n, 8)), dim3(32, 8)>>>(n, n, n, x,
                                                                    y, z);
    return z;
}

static std::vector<float> times(int n, const std::vector<float> &x,
                                const std::vector<float> &y)
{
    std::vector<float> z(n * n);

    for (int i = 0; i < n * n; i++) {
        for (int k = 0; k < n; k++) {
            z[i] += x[i / n * n + k] * y[k * n + i % n];
        }
    }
    return z;
}

int main()
{
    int n = 36;
    std::vector<float> a = numbers(n * n, 1, 2), b = numbers(n * n, 2, 2),
                       c = numbers(n * n, 3, 2);
    float *da = upload(a), *db = upload(b), *dc = upload(c);
    float *dab = times(n, da, db), *dabc = times(n, dab, dc);
    std::vector<float> ab = times(n, a, b);

    return compare(download(dab, n * n), ab) +
           compare(download(dabc, n * n), times(n, ab, c));
}
