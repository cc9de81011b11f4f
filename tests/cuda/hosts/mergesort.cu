#include "../../../workloads/suite/mergesort/mergesort.cu"
#include "host.h"

int main()
{
    int n = 2048, samples = n / 128;
    std::vector<unsigned> keys = integers<unsigned>(n, 1, 0, n), values(n),
                          order;

    for (int i = 0; i < n; i++) {
        values[i] = i;
    }
    unsigned *key = upload(keys), *value = upload(values),
             *to_key = device<unsigned>(n), *to_value = device<unsigned>(n);
    int *rank = device<int>(samples), *cut = device<int>(2 * samples);
    mergesort_part<<<n / 1024, 512>>>(key, value);
    for (int run = 1024; run < n; run *= 2) {
        mergesort_rank<<<blocks(samples), 256>>>(key, rank, run, samples);
        mergesort_cut<<<blocks(samples), 256>>>(key, rank, cut, run, samples);
        mergesort_merge<<<samples, 128>>>(key, value, to_key, to_value, cut,
                                          run);
        std::swap(key, to_key);
        std::swap(value, to_value);
    }
    order = values;
    std::stable_sort(order.begin(), order.end(),
                     [&](unsigned a, unsigned b) { return keys[a] < keys[b]; });
    std::sort(keys.begin(), keys.end());
    return compare(download(key, n), keys) + compare(download(value, n), order);
}
