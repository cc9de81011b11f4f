#include "../../../workloads/suite/reduction/reduction.cu"
#include "host.h"

int main()
{
    int n = 3000, most = 6, count = n;
    std::vector<float> in = numbers(n, 1, 4), want(1);
    float *from = upload(in);
    int ctas = (n + 255) / 256 < most ? (n + 255) / 256 : most;
    float *to = device<float>(ctas);

    while (count > 1) {
        reduction<<<ctas, 256>>>(from, to, count);
        count = ctas;
        from = to;
        if (count > 1) {
            ctas = (count + 255) / 256;
            to = device<float>(ctas);
        }
    }
    for (float v : in) {
        want[0] += v;
    }
    return compare(download(from, 1), want);
}
