/*
 * What the ordinary CUDA hosts of these tests share: nothing of warploom.
 */
#ifndef TESTS_CUDA_HOSTS_HOST_H
#define TESTS_CUDA_HOSTS_HOST_H

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

static void check(cudaError_t error, const char *what)
{
    if (error != cudaSuccess) {
        printf("%s: %s\n", what, cudaGetErrorString(error));
        exit(1);
    }
}
#define CHECK(call) check(call, #call)

template <typename T> static T *device(size_t count)
{
    T *at;

    CHECK(cudaMalloc(&at, count * sizeof(T)));
    return at;
}

template <typename T> static T *upload(const std::vector<T> &from)
{
    T *at = device<T>(from.size());

    CHECK(cudaMemcpy(at, from.data(), from.size() * sizeof(T),
                     cudaMemcpyHostToDevice));
    return at;
}

template <typename T> static std::vector<T> download(const T *at, size_t count)
{
    std::vector<T> to(count);

    CHECK(cudaMemcpy(to.data(), at, count * sizeof(T), cudaMemcpyDeviceToHost));
    return to;
}

/* Random numbers as the suite's Lua hosts draw them for a seed (xoshiro256**,
 * seeded by splitmix64), so that both have the same data. */
class drawn
{
    uint64_t word[4];

    static uint64_t mix(uint64_t *x)
    {
        uint64_t z = *x += 0x9E3779B97F4A7C15;

        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
        z = (z ^ z >> 27) * 0x94D049BB133111EB;
        return z ^ z >> 31;
    }

  public:
    explicit drawn(uint64_t seed)
    {
        uint64_t x = 0xCBF29CE484222325; /* FNV-1a */

        for (const char *c = "array"; *c != 0; c++) {
            x = (x ^ (unsigned char)*c) * 0x100000001B3;
        }
        x ^= mix(&seed);
        for (uint64_t &w : word) {
            w = mix(&x);
        }
    }

    uint64_t next()
    {
        uint64_t five = word[1] * 5, result = (five << 7 | five >> 57) * 9;
        uint64_t t = word[1] << 17;

        word[2] ^= word[0];
        word[3] ^= word[1];
        word[1] ^= word[2];
        word[0] ^= word[3];
        word[2] ^= t;
        word[3] = word[3] << 45 | word[3] >> 19;
        return result;
    }

    /* In [0, 1). */
    double real()
    {
        return (double)(next() >> 11) / 9007199254740992.0;
    }

    /* In [0, bound). */
    uint64_t below(uint64_t bound)
    {
        uint64_t x;

        do {
            x = next();
        } while (x < (0 - bound) % bound);
        return x % bound;
    }
};

/* Whole numbers from 0 to below `limit`. */
static std::vector<float> numbers(size_t count, uint64_t seed, unsigned limit)
{
    std::vector<float> v(count);
    drawn random(seed);

    for (float &x : v) {
        x = (float)(int64_t)(limit * random.real());
    }
    return v;
}

/* From `low` to below `high`. */
static std::vector<float> reals(size_t count, uint64_t seed, double low = 0,
                                double high = 1)
{
    std::vector<float> v(count);
    drawn random(seed);

    for (float &x : v) {
        x = (float)(low + (high - low) * random.real());
    }
    return v;
}

/* From `low` to `high`. */
template <typename T>
static std::vector<T> integers(size_t count, uint64_t seed, int low, int high)
{
    std::vector<T> v(count);
    drawn random(seed);

    for (T &x : v) {
        x = (T)(low + (int64_t)random.below((uint64_t)(high - low) + 1));
    }
    return v;
}

static int blocks(int n, int block = 256)
{
    return (n + block - 1) / block;
}

static int result(const char *wrong, size_t at)
{
    CHECK(cudaGetLastError());
    if (wrong != nullptr) {
        printf("FAILED: element %zu %s\n", at, wrong);
        return 1;
    }
    printf("PASSED\n");
    return 0;
}

/* Up to `tolerance` times the largest magnitude. */
template <typename T, typename U>
static int compare_near(const std::vector<T> &got, const std::vector<U> &want,
                        double tolerance)
{
    double scale = 1e-30;

    for (U w : want) {
        scale = std::max(scale, std::abs((double)w));
    }
    for (size_t i = 0; i < want.size(); i++) {
        if (!(std::abs((double)got[i] - (double)want[i]) <=
              tolerance * scale)) {
            return result("is too far off", i);
        }
    }
    return result(nullptr, 0);
}

template <typename T>
static int compare(const std::vector<T> &got, const std::vector<T> &want)
{
    for (size_t i = 0; i < want.size(); i++) {
        if (got[i] != want[i]) {
            return result("differs", i);
        }
    }
    return result(nullptr, 0);
}

#endif
