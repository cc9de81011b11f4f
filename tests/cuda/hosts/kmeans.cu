#include "../../../workloads/suite/kmeans/kmeans.cu"
#include "host.h"

int main()
{
    int n = 200, f = 9, k = 3;
    std::vector<float> x = numbers(n * f, 1, 100), c = numbers(k * f, 2, 100),
                       inverted(n * f);
    std::vector<int> member(n);
    float *dx = upload(x), *dc = upload(c), *di = device<float>(n * f);
    int *dm = device<int>(n);

    kmeans_invert<<<blocks(n), 256>>>(dx, di, n, f);
    kmeans_point<<<blocks(n), 256>>>(dx, dc, dm, n, f, k);
    for (int p = 0; p < n; p++) {
        float least = 3.4e38f;

        for (int q = 0; q < k; q++) {
            float d = 0;

            for (int j = 0; j < f; j++) {
                float far = x[p * f + j] - c[q * f + j];

                d += far * far;
                inverted[p + n * j] = x[p * f + j];
            }
            member[p] = d < least ? q : member[p];
            least = std::min(least, d);
        }
    }
    return compare(download(dm, n), member) +
           compare(download(di, n * f), inverted);
}
