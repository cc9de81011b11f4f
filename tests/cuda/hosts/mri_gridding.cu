#include "../../../workloads/suite/mri_gridding/mri_gridding.cu"
#include "host.h"

/* Sums of what is before each of n elements; of up to 128 parts. */
static void scan(int *data, int n)
{
    int parts = blocks(n, PART), wide = 128, *sum = device<int>(wide);

    gridding_scan<<<parts, PART / 2>>>(data, sum, n);
    gridding_up<<<1, wide / 2>>>(sum, 1);
    CHECK(cudaMemset(&sum[wide - 1], 0, sizeof(*sum)));
    gridding_down<<<1, wide / 2>>>(sum, 1);
    gridding_add<<<parts, PART / 2>>>(data, sum, n);
    CHECK(cudaFree(sum));
}

static int *sort(int *key, int *value, int n, int largest)
{
    int *to_key = device<int>(n), *to_value = device<int>(n);
    int parts = blocks(n, PART), *histogram = device<int>(DIGITS * parts);

    for (int shift = 0; largest >> shift > 0; shift += 4) {
        gridding_split<<<parts, PART / 4>>>(key, value, histogram, n, shift);
        scan(histogram, DIGITS * parts);
        gridding_rearrange<<<parts, PART / 4>>>(key, value, to_key, to_value,
                                                histogram, n, shift);
        std::swap(key, to_key);
        std::swap(value, to_value);
    }
    return value;
}

/* What the samples add to the cells around them. */
static void reference(const std::vector<float> &sample, int n, double reach,
                      std::vector<double> &grid, std::vector<float> &density)
{
    for (size_t q = 0; q < sample.size(); q += 6) {
        const float *s = &sample[q];

        for (int i = 0; i < n * n * n; i++) {
            double x = s[2] - i % n, y = s[3] - i / n % n, z = s[4] - i / n / n;
            double d = (x * x + y * y + z * z) / (reach * reach);

            if (d < 1) {
                grid[2 * i] += (1 - d) * (1 - d) * s[0] * s[5];
                grid[2 * i + 1] += (1 - d) * (1 - d) * s[1] * s[5];
                density[i]++;
            }
        }
    }
}

int main()
{
    int count = 200, n = 8, cells = n * n * n, padded = blocks(count, 4) * 4;
    std::vector<float> sample = reals(6 * count, 1), density(cells);
    std::vector<int> none(padded, -1);
    std::vector<double> grid(2 * cells);

    for (int i = 0; i < 6 * count; i++) {
        if (i % 6 >= 2 && i % 6 <= 4) {
            sample[i] = std::floor(n * sample[i] * 64) / 64;
        }
    }
    struct sample *dsample = (struct sample *)upload(sample);
    int *key = upload(none), *value = device<int>(padded),
        *start = device<int>(cells + 1);
    gridding_bin<<<1, 512>>>(dsample, key, value, start, count, n, 32);
    value = sort(key, value, padded, cells + 1);
    float *signal = device<float>(2 * count), *place = device<float>(4 * count);
    gridding_reorder<<<1, 512>>>(value, dsample, (float2 *)signal,
                                 (float4 *)place, count);
    scan(start, cells + 1);
    float *dgrid = device<float>(2 * cells), *ddensity = device<float>(cells);
    gridding_gather<<<dim3(n / 8, n / 4 * (n / 8)), dim3(8, 4, 2)>>>(
        (float2 *)signal, (float4 *)place, start, (float2 *)dgrid, ddensity, n,
        2.5f);
    /* No bin is full: each sample has its place, and starts end with all. */
    std::vector<int> order = download(value, padded), each(count);
    order.resize(count + 1);
    for (int i = 0; i < count; i++) {
        each[i] = i;
    }
    std::sort(order.begin(), order.begin() + count);
    reference(sample, n, 2.5, grid, density);
    each.push_back(count);
    order[count] = download(start, cells + 1)[cells];
    return compare(order, each) + compare(download(ddensity, cells), density) +
           compare_near(download(dgrid, 2 * cells), grid, 1e-4);
}
