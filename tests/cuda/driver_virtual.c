/*
 * Case of driver_test.c about addresses that are reserved and memory that is
 * mapped there.
 */
#include "tests/cuda/driver_cases.h"

#define PIECE ((size_t)2 << 20)

enum {
    VIRTUAL_SUPPORTED = 102 /* CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_.. */
};

struct location {
    int type, id;
};
struct properties {
    int type, handle_types;
    struct location location;
    void *windows;
    uint64_t flags;
};
struct access {
    struct location location;
    int flags;
};

static const struct properties of_device = {.type = 1, .location = {1, 0}};
static const struct access all = {{1, 0}, 3}, none = {{1, 0}, 0};

static void check_asked(void)
{
    struct properties other = of_device;
    size_t bytes = 0, total;
    uint64_t handle;
    int value = 0;

    DRIVER_OK(cuDeviceGetAttribute(&value, VIRTUAL_SUPPORTED, 0));
    DRIVER_HOLDS(value == 1);
    DRIVER_OK(cuMemGetAllocationGranularity(&bytes, &of_device, 0));
    DRIVER_HOLDS(bytes == PIECE);
    DRIVER_OK(cuMemGetAllocationGranularity(&bytes, &of_device, 1));
    DRIVER_HOLDS(bytes == PIECE);
    DRIVER_WANT(cuMemGetAllocationGranularity(NULL, &of_device, 1),
                INVALID_VALUE);
    DRIVER_WANT(cuMemCreate(&handle, PIECE / 2, &of_device, 0), INVALID_VALUE);
    DRIVER_WANT(cuMemCreate(&handle, PIECE, &of_device, 1), INVALID_VALUE);
    DRIVER_OK(cuMemGetInfo_v2(&bytes, &total));
    DRIVER_WANT(cuMemCreate(&handle, total + PIECE, &of_device, 0),
                OUT_OF_MEMORY);
    other.location.id = 1;
    DRIVER_WANT(cuMemCreate(&handle, PIECE, &other, 0), INVALID_DEVICE);
    other = of_device;
    other.location.type = 2; /* the host */
    DRIVER_WANT(cuMemCreate(&handle, PIECE, &other, 0), NOT_SUPPORTED);
    other.type = 0;
    DRIVER_WANT(cuMemCreate(&handle, PIECE, &other, 0), INVALID_VALUE);
    DRIVER_WANT(cuMemRelease(4711), INVALID_VALUE);
}

/* Nothing is there, or no access. */
static void check_nothing(address at)
{
    uint32_t word;
    uint64_t flags, handle;

    DRIVER_WANT(cuMemcpyDtoH_v2(&word, at, 4), INVALID_VALUE);
    DRIVER_WANT(cuMemSetAccess(at, PIECE, &all, 1), INVALID_VALUE);
    DRIVER_WANT(cuMemGetAccess(&flags, &all.location, at), INVALID_VALUE);
    DRIVER_WANT(cuMemUnmap(at, PIECE), INVALID_VALUE);
    DRIVER_WANT(cuMemRetainAllocationHandle(&handle, at), INVALID_VALUE);
    DRIVER_WANT(cuMemFree_v2(at), INVALID_VALUE);
}

static void check_maps(address at, uint64_t handle)
{
    uint64_t flags = 9;
    uint32_t word;

    DRIVER_WANT(cuMemMap(at + 4096, PIECE, 0, handle, 0), INVALID_VALUE);
    DRIVER_WANT(cuMemMap(at, PIECE / 2, 0, handle, 0), INVALID_VALUE);
    DRIVER_WANT(cuMemMap(at, 2 * PIECE, 0, handle, 0), INVALID_VALUE);
    DRIVER_WANT(cuMemMap(at, PIECE, PIECE, handle, 0), INVALID_VALUE);
    DRIVER_WANT(cuMemMap(at + 4 * PIECE, PIECE, 0, handle, 0), INVALID_VALUE);
    DRIVER_WANT(cuMemMap(at, PIECE, 0, 4711, 0), INVALID_VALUE);
    DRIVER_OK(cuMemMap(at, PIECE, 0, handle, 0));
    DRIVER_WANT(cuMemMap(at, PIECE, 0, handle, 0), INVALID_VALUE);
    DRIVER_WANT(cuMemcpyDtoH_v2(&word, at, 4), INVALID_VALUE);
    DRIVER_OK(cuMemGetAccess(&flags, &all.location, at));
    DRIVER_HOLDS(flags == 0);
    DRIVER_WANT(cuMemSetAccess(at, 2 * PIECE, &all, 1), INVALID_VALUE);
    DRIVER_OK(cuMemSetAccess(at, PIECE, &all, 1));
    DRIVER_OK(cuMemGetAccess(&flags, &all.location, at + 5));
    DRIVER_HOLDS(flags == 3);
    DRIVER_OK(cuMemcpyDtoH_v2(&word, at, 4));
    DRIVER_HOLDS(word == 0);
    DRIVER_WANT(cuMemFree_v2(at), INVALID_VALUE);
    DRIVER_WANT(cuMemAddressFree(at, 4 * PIECE), INVALID_VALUE);
}

/* A kernel writes over the end of a piece into the next. */
static void check_kernel(void *scale, address to)
{
    address from = floats_on_device();
    uint32_t count = ELEMENTS;
    float add = 3;
    void *args[] = {&from, &to, &count, &add};

    DRIVER_OK(cuLaunchKernel(scale, 8, 1, 1, 128, 1, 1, 0, NULL, args, NULL));
    check_floats(to, 2, 3);
    DRIVER_OK(cuMemFree_v2(from));
}

/* The memory of `handle` has it, wherever it is mapped. */
static void check_other_places(address at, uint64_t handle)
{
    uint64_t same;
    uint32_t word;
    float value;

    DRIVER_OK(cuMemMap(at + 3 * PIECE, PIECE, 0, handle, 0));
    DRIVER_OK(cuMemSetAccess(at + 3 * PIECE, PIECE, &all, 1));
    DRIVER_OK(cuMemcpyDtoH_v2(&value, at + 4 * PIECE - 2000 + 4, 4));
    DRIVER_HOLDS(value == 2 + 3);
    DRIVER_OK(cuMemsetD32_v2(at, 4711, 1));
    DRIVER_OK(cuMemcpyDtoH_v2(&word, at + 3 * PIECE, 4));
    DRIVER_HOLDS(word == 4711);
    DRIVER_OK(cuMemRetainAllocationHandle(&same, at + 3 * PIECE + 7));
    DRIVER_HOLDS(same == handle);
    DRIVER_OK(cuMemRelease(same));
    DRIVER_OK(cuMemSetAccess(at + 3 * PIECE, PIECE, &none, 1));
    DRIVER_WANT(cuMemcpyDtoH_v2(&word, at + 3 * PIECE, 4), INVALID_VALUE);
    DRIVER_OK(cuMemUnmap(at + 3 * PIECE, PIECE));
    check_nothing(at + 3 * PIECE);
}

void case_virtual(void)
{
    struct properties got = {0};
    uint64_t first, second;
    address at, other;
    size_t left, total, after;
    void *module, *scale;
    uint32_t word = 0;

    begin();
    check_asked();
    DRIVER_OK(cuModuleLoad(&module, getenv("TEST_PTX")));
    DRIVER_OK(cuModuleGetFunction(&scale, module, "scale"));
    DRIVER_OK(cuMemGetInfo_v2(&left, &total));
    DRIVER_WANT(cuMemAddressReserve(&at, 4096, 0, 0, 0), INVALID_VALUE);
    DRIVER_WANT(cuMemAddressReserve(&at, PIECE, 3, 0, 0), INVALID_VALUE);
    DRIVER_OK(cuMemAddressReserve(&other, 16 * total / PIECE * PIECE, 0, 0, 0));
    DRIVER_OK(cuMemAddressReserve(&at, 4 * PIECE, 8 * PIECE, 0, 0));
    DRIVER_HOLDS(at % (8 * PIECE) == 0);
    check_nothing(at);
    DRIVER_OK(cuMemCreate(&first, PIECE, &of_device, 0));
    DRIVER_OK(cuMemCreate(&second, PIECE, &of_device, 0));
    DRIVER_OK(cuMemGetAllocationPropertiesFromHandle(&got, second));
    DRIVER_HOLDS(memcmp(&got, &of_device, sizeof(got)) == 0);
    DRIVER_OK(cuMemGetInfo_v2(&after, &total));
    DRIVER_HOLDS(left - after == 2 * PIECE);
    check_maps(at, first);
    DRIVER_OK(cuMemMap(at + PIECE, PIECE, 0, second, 0));
    DRIVER_OK(cuMemSetAccess(at + PIECE, PIECE, &all, 1));
    DRIVER_OK(cuMemRelease(second)); /* as long as it is mapped it stays */
    check_kernel(scale, at + PIECE - 2000);
    check_other_places(at, first);

    DRIVER_OK(cuMemUnmap(at, 2 * PIECE));
    DRIVER_OK(cuMemGetInfo_v2(&after, &total));
    DRIVER_HOLDS(left - after == PIECE);
    DRIVER_OK(cuMemMap(at, PIECE, 0, first, 0));
    DRIVER_OK(cuMemSetAccess(at, PIECE, &all, 1));
    DRIVER_OK(cuMemcpyDtoH_v2(&word, at, 4));
    DRIVER_HOLDS(word == 4711);
    DRIVER_OK(cuMemRelease(first));
    DRIVER_OK(cuMemUnmap(at, PIECE));
    DRIVER_WANT(cuMemRelease(first), INVALID_VALUE);
    DRIVER_OK(cuMemGetInfo_v2(&after, &total));
    DRIVER_HOLDS(left == after);
    DRIVER_WANT(cuMemAddressFree(at, PIECE), INVALID_VALUE);
    DRIVER_OK(cuMemAddressFree(at, 4 * PIECE));
    DRIVER_WANT(cuMemAddressFree(at, 4 * PIECE), INVALID_VALUE);
    DRIVER_OK(cuMemAddressFree(other, 16 * total / PIECE * PIECE));
}
