#include "../../../workloads/suite/histogram64/histogram64.cu"
#include "host.h"

static unsigned *zeros(size_t count)
{
    unsigned *at = device<unsigned>(count);

    CHECK(cudaMemset(at, 0, count * sizeof(*at)));
    return at;
}

int main()
{
    int bytes = 1 << 14, many = (bytes / 16 + 64 * 15 - 1) / (64 * 15), few = 4;
    std::vector<unsigned char> data(bytes);
    std::vector<unsigned> want64(64), want256(256);

    for (int i = 0; i < bytes; i++) {
        data[i] = (unsigned char)(i * i / 7);
        want64[data[i] / 4]++;
        want256[data[i]]++;
    }
    unsigned char *d = upload(data);
    unsigned *p64 = zeros(many * 64), *p256 = zeros(few * 256),
             *h64 = zeros(64), *h256 = zeros(256);
    histogram64<<<many, 64>>>(p64, (const words *)d, bytes / 16);
    histogram_merge<<<64, 256>>>(h64, p64, many, 64);
    histogram256<<<few, 192>>>(p256, (const unsigned *)d, bytes / 4);
    histogram_merge<<<256, 256>>>(h256, p256, few, 256);
    return compare(download(h64, 64), want64) +
           compare(download(h256, 256), want256);
}
