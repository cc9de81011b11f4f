#include "../../../workloads/suite/lud/lud.cu"
#include "host.h"

int main()
{
    int n = 48;
    std::vector<float> a = reals(n * n, 1);
    std::vector<double> product(n * n);

    for (int i = 0; i < n; i++) {
        a[i * n + i] += n;
    }
    float *m = upload(a);
    for (int offset = 0; offset < n; offset += SIDE) {
        int left = (n - offset) / SIDE - 1;

        lud_diagonal<<<1, SIDE>>>(m, n, offset);
        if (left > 0) {
            lud_perimeter<<<left, 2 * SIDE>>>(m, n, offset);
            lud_internal<<<dim3(left, left), dim3(SIDE, SIDE)>>>(m, n, offset);
        }
    }
    std::vector<float> lu = download(m, n * n);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            for (int k = 0; k <= std::min(i, j); k++) {
                product[i * n + j] +=
                    (k == i ? 1.0 : lu[i * n + k]) * lu[k * n + j];
            }
        }
    }
    return compare_near(a, product, 1e-5);
}
