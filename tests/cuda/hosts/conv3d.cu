#include "../../../workloads/suite/conv3d/conv3d.cu"
#include "host.h"

int main()
{
    static const int mask[][4] = {
        {-1, -1, -1, 2}, {1, -1, -1, 4},  {0, -1, 0, 5},  {0, 0, 0, 6},
        {0, 1, 0, 7},    {-1, -1, 1, -3}, {1, -1, 1, -8}, {-1, 0, 1, 1},
        {1, 0, 1, -9},   {-1, 1, 1, 10},  {1, 1, 1, -2}};
    int n = 12;
    std::vector<float> a = numbers(n * n * n, 1, 4), b(n * n * n);
    float *da = upload(a), *db = device<float>(n * n * n);

    for (int i = 1; i < n - 1; i++) {
        conv3d<<<dim3(blocks(n, 32), blocks(n, 8)), dim3(32, 8)>>>(n, n, da, db,
                                                                   i);
        for (int j = 1; j < n - 1; j++) {
            for (int k = 1; k < n - 1; k++) {
                for (const int *m : mask) {
                    b[(i * n + j) * n + k] +=
                        (float)m[3] *
                        a[((i + m[0]) * n + j + m[1]) * n + k + m[2]];
                }
            }
        }
    }
    return compare(download(db, n * n * n), b);
}
