#include "../../../workloads/suite/vectoradd/vectoradd.cu"
#include "host.h"

int main()
{
    int n = 2000;
    std::vector<float> a = reals(n, 1, -1), b = reals(n, 2, -1), want(n);
    float *da = upload(a), *db = upload(b), *dc = device<float>(n);

    vectoradd<<<blocks(n), 256>>>(da, db, dc, n);
    for (int i = 0; i < n; i++) {
        want[i] = a[i] + b[i];
    }
    return compare(download(dc, n), want);
}
