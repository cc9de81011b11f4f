#include "../../../workloads/suite/jacobi1d/jacobi1d.cu"
#include "host.h"

int main()
{
    int n = 600;
    std::vector<float> a = reals(n, 1);
    float *da = upload(a), *db = device<float>(n);

    for (int t = 0; t < 3; t++) {
        std::vector<float> was = a;

        jacobi1d_average<<<blocks(n), 256>>>(n, da, db);
        jacobi1d_copy<<<blocks(n), 256>>>(n, da, db);
        for (int i = 1; i < n - 1; i++) {
            a[i] = 0.33333f * (was[i - 1] + was[i] + was[i + 1]);
        }
    }
    return compare_near(download(da, n), a, 1e-5);
}
