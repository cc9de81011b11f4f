/*
 * Thrust, whose kernels are in the program: sums, scans and sorts.
 */
#include <algorithm>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>

#include "host.h"

int main()
{
    const int n = 3000;
    thrust::device_vector<int> v(n);
    thrust::host_vector<int> h(n);
    std::vector<int> got(n), want(n);
    unsigned x = 1;

    thrust::sequence(v.begin(), v.end());
    if (thrust::reduce(v.begin(), v.end()) != n * (n - 1) / 2) {
        printf("FAILED: the sum\n");
        return 1;
    }
    thrust::inclusive_scan(v.begin(), v.end(), v.begin());
    if (v[n - 1] != n * (n - 1) / 2) {
        printf("FAILED: the scan\n");
        return 1;
    }
    for (int i = 0; i < n; i++) {
        x = x * 1664525u + 1013904223u;
        h[i] = want[i] = (int)(x >> 8);
    }
    v = h;
    thrust::sort(v.begin(), v.end());
    h = v;
    std::copy(h.begin(), h.end(), got.begin());
    std::sort(want.begin(), want.end());
    return compare(got, want);
}
