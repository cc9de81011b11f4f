#include "../../../workloads/suite/histogram64/histogram64.cu"
#include "host.h"

int main()
{
    int bytes = 4096, many = blocks(bytes / 16, 64 * 15),
        few = std::min(240, blocks(bytes, 4 * 192));
    std::vector<unsigned char> data = integers<unsigned char>(bytes, 1, 0, 255);
    std::vector<unsigned> want64(64), want256(256);

    for (unsigned char byte : data) {
        want64[byte / 4]++;
        want256[byte]++;
    }
    unsigned char *d = upload(data);
    unsigned *p64 = device<unsigned>(many * 64),
             *p256 = device<unsigned>(few * 256), *h64 = device<unsigned>(64),
             *h256 = device<unsigned>(256);
    histogram64<<<many, 64>>>(p64, (const words *)d, bytes / 16);
    histogram_merge<<<64, 256>>>(h64, p64, many, 64);
    histogram256<<<few, 192>>>(p256, (const unsigned *)d, bytes / 4);
    histogram_merge<<<256, 256>>>(h256, p256, few, 256);
    return compare(download(h64, 64), want64) +
           compare(download(h256, 256), want256);
}
