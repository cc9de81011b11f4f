/*
 * Arrays of numbers of some type, on the host as doubles.
 */
#include "tests/cuda/blas/blas.h"

size_t bytes_of(int type)
{
    return type == F64                   ? 8
           : type == I8                  ? 1
           : type == F16 || type == BF16 ? 2
                                         : 4;
}

/* To the nearest, even if between two: `bits` after the point, exponents from
 * `least` on. */
static double rounded(double x, int bits, int least)
{
    int e;
    double scale;

    if (x == 0 || !isfinite(x)) {
        return x;
    }
    frexp(x, &e);
    e = e - 1 < least ? least : e - 1;
    scale = ldexp(1, bits - e);
    return nearbyint(x * scale) / scale;
}

static uint16_t to_f16(double x)
{
    double a = fabs(rounded(x, 10, -14));
    uint16_t sign = signbit(x) ? 0x8000 : 0;
    int e;

    if (isnan(x)) {
        return 0x7fff;
    }
    if (a >= 65536) {
        return (uint16_t)(sign | 0x7c00);
    }
    if (a < ldexp(1, -14)) {
        return (uint16_t)(sign | (uint16_t)ldexp(a, 24));
    }
    frexp(a, &e);
    return (uint16_t)(sign | ((e + 14) << 10) |
                      ((uint16_t)ldexp(a, 11 - e) & 1023));
}

static double from_f16(uint16_t x)
{
    int e = x >> 10 & 31;
    double a = e == 0 ? ldexp(x & 1023, -24) : ldexp((x & 1023) + 1024, e - 25);

    if (e == 31) {
        a = x & 1023 ? NAN : INFINITY;
    }
    return x & 0x8000 ? -a : a;
}

static uint16_t to_bf16(double x)
{
    float f = (float)rounded(x, 7, -126);
    uint32_t bits;

    memcpy(&bits, &f, 4);
    return (uint16_t)(isnan(x) ? 0x7fff : bits >> 16);
}

static double from_bf16(uint16_t x)
{
    uint32_t bits = (uint32_t)x << 16;
    float f;

    memcpy(&f, &bits, 4);
    return (double)f;
}

void put_number(void *at, size_t i, int type, double x)
{
    switch (type) {
    case F32:
        ((float *)at)[i] = (float)x;
        break;
    case F64:
        ((double *)at)[i] = x;
        break;
    case F16:
        ((uint16_t *)at)[i] = to_f16(x);
        break;
    case BF16:
        ((uint16_t *)at)[i] = to_bf16(x);
        break;
    case I8:
        ((int8_t *)at)[i] = (int8_t)x;
        break;
    default:
        ((int32_t *)at)[i] = isnan(x) ? 7777 : (int32_t)x;
    }
}

double number(const void *at, size_t i, int type)
{
    switch (type) {
    case F32:
        return (double)((const float *)at)[i];
    case F64:
        return ((const double *)at)[i];
    case F16:
        return from_f16(((const uint16_t *)at)[i]);
    case BF16:
        return from_bf16(((const uint16_t *)at)[i]);
    case I8:
        return ((const int8_t *)at)[i];
    default:
        return ((const int32_t *)at)[i];
    }
}

double tolerance(int type, double x)
{
    double of = type == F64    ? 1e-14
                : type == F32  ? 1e-5
                : type == F16  ? 1e-3
                : type == BF16 ? 8e-3
                               : 0;

    return of * (fabs(x) > 0.1 ? fabs(x) : 0.1);
}

double next_number(void)
{
    static uint32_t state = 12345;

    state = state * 1664525 + 1013904223;
    return ((int)(state >> 24) % 17 - 8) / 8.0;
}

static struct array make(int type, size_t count)
{
    struct array a = {.type = type, .count = count};

    a.value = malloc((count + 1) * sizeof(double));
    HOLDS(a.value != NULL);
    OK(cudaMalloc(&a.device, count * bytes_of(type) + 1));
    return a;
}

void array_send(const struct array *a)
{
    void *raw = malloc(a->count * bytes_of(a->type) + 1);

    HOLDS(raw != NULL);
    for (size_t i = 0; i < a->count; i++) {
        put_number(raw, i, a->type, a->value[i]);
    }
    OK(cudaMemcpy(a->device, raw, a->count * bytes_of(a->type),
                  CUDA_HOST_TO_DEVICE));
    free(raw);
}

struct array array_new(int type, size_t count)
{
    struct array a = make(type, count);

    for (size_t i = 0; i < count; i++) {
        a.value[i] = next_number() * (type == I8 || type == I32 ? 8 : 1);
    }
    array_send(&a);
    return a;
}

struct array array_of(int type, size_t count, double x)
{
    struct array a = make(type, count);

    for (size_t i = 0; i < count; i++) {
        a.value[i] = x;
    }
    array_send(&a);
    return a;
}

void array_free(struct array *a)
{
    free(a->value);
    OK(cudaFree(a->device));
}

void array_read(struct array *a)
{
    void *raw = malloc(a->count * bytes_of(a->type) + 1);

    HOLDS(raw != NULL);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(raw, a->device, a->count * bytes_of(a->type),
                  CUDA_DEVICE_TO_HOST));
    for (size_t i = 0; i < a->count; i++) {
        a->value[i] = number(raw, i, a->type);
    }
    free(raw);
}

const void *scalar(int type, double x, int mode)
{
    static double host[8];
    static void *device[8];
    static int next;
    int i = next++ % 8;

    put_number(&host[i], 0, type, x);
    if (mode == HOST) {
        return &host[i];
    }
    if (device[i] == NULL) {
        OK(cudaMalloc(&device[i], 8));
    }
    OK(cudaMemcpy(device[i], &host[i], 8, CUDA_HOST_TO_DEVICE));
    return device[i];
}
