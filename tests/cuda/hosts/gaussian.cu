#include "../../../workloads/suite/gaussian/gaussian.cu"
#include "host.h"

int main()
{
    int n = 14;
    std::vector<float> a = reals(n * n, 1), b = reals(n, 2);
    std::vector<double> x(n), product(n);

    for (int i = 0; i < n; i++) {
        a[i * n + i] += n;
    }
    float *da = upload(a), *db = upload(b), *dm = device<float>(n * n);
    for (int t = 0; t < n - 1; t++) {
        gaussian_multipliers<<<blocks(n), 256>>>(dm, da, n, t);
        gaussian_subtract<<<dim3(blocks(n, 4), blocks(n, 4)), dim3(4, 4)>>>(
            dm, da, db, n, t);
    }
    std::vector<float> u = download(da, n * n), y = download(db, n);
    for (int i = n - 1; i >= 0; i--) {
        x[i] = y[i];
        for (int j = i + 1; j < n; j++) {
            x[i] -= u[i * n + j] * x[j];
        }
        x[i] /= u[i * n + i];
    }
    for (int i = 0; i < n * n; i++) {
        product[i / n] += a[i] * x[i % n];
    }
    return compare_near(b, product, 1e-4);
}
