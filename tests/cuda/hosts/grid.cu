/*
 * Blocks of a cooperative launch that wait for each other, by cooperative
 * groups.
 */
#include <cooperative_groups.h>

#include "host.h"

__global__ void turn(int *data, int n)
{
    auto grid = cooperative_groups::this_grid();
    int i = (int)grid.thread_rank(), v = 0;

    if (i < n) {
        data[i] = i;
    }
    grid.sync();
    if (i < n) {
        v = data[n - 1 - i];
    }
    grid.sync();
    if (i < n) {
        data[i] = v;
    }
}

int main()
{
    int n = 500, *data = device<int>(n);
    void *args[] = {&data, &n};
    std::vector<int> want(n);

    CHECK(cudaLaunchCooperativeKernel((void *)turn, 4, 128, args, 0, 0));
    for (int i = 0; i < n; i++) {
        want[i] = n - 1 - i;
    }
    return compare(download(data, n), want);
}
