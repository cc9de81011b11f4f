#include "../../../workloads/suite/scalarprod/scalarprod.cu"
#include "host.h"

int main()
{
    int pairs = 5, length = 300;
    std::vector<float> a = numbers(pairs * length, 1, 4),
                       b = numbers(pairs * length, 2, 4), want(pairs);
    float *product = device<float>(pairs), *da = upload(a), *db = upload(b);

    scalarprod<<<pairs, 256>>>(product, da, db, pairs, length);
    for (int i = 0; i < pairs * length; i++) {
        want[i / length] += a[i] * b[i];
    }
    return compare(download(product, pairs), want);
}
