#include "../../../workloads/suite/vectoradd/vectoradd.cu"
#include "host.h"

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 2000;
    std::vector<float> a = numbers(n, 1, 100), b = numbers(n, 2, 100), want(n);
    float *da = upload(a), *db = upload(b), *dc = device<float>(n);

    vectoradd<<<(n + 255) / 256, 256>>>(da, db, dc, n);
    for (int i = 0; i < n; i++) {
        want[i] = a[i] + b[i];
    }
    return compare(download(dc, n), want);
}
