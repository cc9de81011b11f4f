#include "../../../workloads/suite/syrk/syrk.cu"
#include "host.h"

int main()
{
    int n = 40, m = 24;
    std::vector<float> a = numbers(n * m, 1, 4), c = numbers(n * n, 2, 4);
    float *dc = upload(c), *da = upload(a);

    syrk<<<dim3(blocks(n, 32), blocks(n, 8)), dim3(32, 8)>>>(n, m, 2, 3, da,
                                                             dc);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            c[i * n + j] *= 3;
            for (int k = 0; k < m; k++) {
                c[i * n + j] += 2 * a[i * m + k] * a[j * m + k];
            }
        }
    }
    return compare(download(dc, n * n), c);
}
