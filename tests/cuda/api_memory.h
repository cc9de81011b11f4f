/*
 * Cases of api_test.c about memory that host and device both use, arrays of
 * more than two dimensions, and pools.
 */
#ifndef TESTS_CUDA_API_MEMORY_H
#define TESTS_CUDA_API_MEMORY_H

#include "cuda/graph_calls.h"
#include "tests/cuda/api_order.h"

int cudaMemsetAsync(void *at, int value, size_t bytes, void *stream);
int cudaMallocAsync(void **at, size_t bytes, void *stream);
int cudaFreeAsync(void *at, void *stream);
int cudaHostRegister(void *at, size_t bytes, unsigned flags);
int cudaHostUnregister(void *at);
int cudaMemAdvise(const void *at, size_t bytes, int advice, ...);
int cudaMemPrefetchAsync(const void *at, size_t bytes, uint64_t where, ...);
int cudaMemRangeGetAttribute(void *value, size_t room, int attribute,
                             const void *at, size_t bytes);
int cudaStreamAttachMemAsync(void *stream, const void *at, size_t bytes,
                             unsigned flags);
int cudaStreamSetAttribute(void *stream, int attribute, const void *value);
int cudaStreamGetAttribute(void *stream, int attribute, void *value);
int cudaMalloc3DArray(struct cuda_array **handle,
                      const struct cuda_channel *channel,
                      struct cuda_extent extent, unsigned flags);
int cudaMemcpy3D(const struct cuda_copy3d *p);
int cudaArrayGetInfo(struct cuda_channel *channel, struct cuda_extent *extent,
                     unsigned *flags, struct cuda_array *handle);
struct cuda_mipmap;
int cudaMallocMipmappedArray(struct cuda_mipmap **handle,
                             const struct cuda_channel *channel,
                             struct cuda_extent extent, unsigned levels,
                             unsigned flags);
int cudaGetMipmappedArrayLevel(struct cuda_array **array,
                               struct cuda_mipmap *mipmap, unsigned level);
int cudaFreeMipmappedArray(struct cuda_mipmap *mipmap);

static const char face; /* a shadow */

/* What the host writes beside a kernel stays; after a launch that is complete
 * it goes on from what the kernel has made; advice is taken. */
static void case_beside(void)
{
    uint32_t *data, own[128] = {0};
    void *stream, *plain;
    struct {
        int32_t type, id;
    } where = {1, 0};
    int value, values[4];
    struct {
        void *at;
        size_t bytes;
        char rest[48];
    } window = {NULL, 64, {0}}, got;

    OK(cudaStreamCreate(&stream));
    OK(cudaMallocManaged((void **)&data, 2 * 512, 1));
    memset(data, 0, 2 * 512);
    OK(launch_work(data, 128, 2, stream));
    data[200] = 77; /* the same page */
    OK(cudaStreamSynchronize(stream));
    HOLDS(data[5] == 4 && data[200] == 77);
    OK(launch_work(data, 256, 1, NULL));
    data[0]++; /* after it, without a wait */
    OK(cudaDeviceSynchronize());
    HOLDS(data[0] == 14 && data[1] == 13 && data[200] == 3 * 77 + 1);
    OK(launch_work(data, 128, 1, stream));
    data[0] = 5; /* both */
    OK(cudaDeviceSynchronize());
    HOLDS(data[0] == 3 * 14 + 1);

    OK(cudaMemAdvise(data, 1024, 1, where));
    OK(cudaMemPrefetchAsync(data, 1024, 0, stream));
    WANT(cudaMemAdvise(data, 1025, 1, where), CUDA_INVALID_VALUE);
    WANT(cudaMemAdvise(data, 16, 99, where), CUDA_INVALID_VALUE);
    OK(cudaMemRangeGetAttribute(&value, 4, 1, data, 16));
    HOLDS(value == 0);
    OK(cudaMemRangeGetAttribute(values, sizeof(values), 3, data, 16));
    HOLDS(values[3] == -2);
    OK(cudaStreamAttachMemAsync(stream, data, 0, 4));
    OK(cudaStreamSetAttribute(stream, 1, &window));
    OK(cudaStreamGetAttribute(stream, 1, &got));
    HOLDS(got.bytes == 64);

    OK(cudaMallocHost(&plain, 512)); /* kernels may use it without being told */
    memset(plain, 0, 512);
    OK(launch_work(plain, 128, 2, stream));
    OK(cudaStreamSynchronize(stream));
    HOLDS(((uint32_t *)plain)[127] == 4);
    OK(cudaFreeHost(plain));
    OK(cudaHostRegister(own, sizeof(own), 0));
    WANT(cudaHostRegister(own, 4, 0), CUDA_ALREADY_REGISTERED);
    OK(launch_work(own, 128, 2, stream));
    OK(cudaStreamSynchronize(stream));
    HOLDS(own[127] == 4);
    WANT(cudaFreeHost(own), CUDA_INVALID_VALUE);
    OK(cudaHostUnregister(own));
    WANT(cudaHostUnregister(own), CUDA_NOT_REGISTERED);
    OK(cudaFree(data));
    OK(cudaStreamDestroy(stream));
}

/* The faces of a cube, and the arrays that a mipmapped one is made of. */
static void case_cube(void)
{
    static const float way[6][4] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                    {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
    struct {
        int32_t kind, padding;
        struct cuda_array *array;
        uint64_t rest[15];
        uint32_t flags;
    } resource = {.kind = 0};
    struct {
        int32_t address[3], linear, rest[14];
    } texture = {.address = {1, 1, 1}};
    struct cuda_channel channel = {32, 0, 0, 0, 2};
    struct cuda_extent extent = {2, 2, 6}, six = {16, 8, 0}, is;
    float in[6][4], out[6][4];
    struct cuda_copy3d copy = {
        .from = {in, 8, 2, 2}, .extent = extent, .kind = 1};
    struct cuda_array *level;
    struct cuda_mipmap *mipmap;
    uint64_t handle;
    void *device, *args[] = {&handle, &device};

    for (int i = 0; i < 24; i++) {
        in[i / 4][i % 4] = (float)(i / 4);
    }
    OK(cudaMalloc3DArray(&resource.array, &channel, extent, 4));
    copy.to_array = resource.array;
    OK(cudaMemcpy3D(&copy));
    OK(cudaCreateTextureObject(&handle, (void *)&resource, (void *)&texture,
                               NULL));
    OK(cudaMalloc(&device, sizeof(way)));
    OK(cudaMemcpy(device, way, sizeof(way), CUDA_HOST_TO_DEVICE));
    OK(stub_launch(&face, 1, 6, 0, NULL, args));
    OK(cudaMemcpy(out, device, sizeof(out), CUDA_DEVICE_TO_HOST));
    for (int i = 0; i < 6; i++) {
        HOLDS(out[i][0] == (float)i);
    }
    extent.depth = 5;
    WANT(cudaMalloc3DArray(&level, &channel, extent, 4), CUDA_INVALID_VALUE);

    OK(cudaMallocMipmappedArray(&mipmap, &channel, six, 9, 0));
    OK(cudaGetMipmappedArrayLevel(&level, mipmap, 4));
    OK(cudaArrayGetInfo(NULL, &is, NULL, level));
    HOLDS(is.width == 1 && is.height == 1);
    WANT(cudaGetMipmappedArrayLevel(&level, mipmap, 5), CUDA_INVALID_VALUE);
    OK(cudaFreeMipmappedArray(mipmap));
}

/* What is freed is given out again, and counted. */
static void reuse(struct cuda_pool *pool, void *stream)
{
    uint64_t bytes;
    void *at[3];

    OK(cudaMallocAsync(&at[0], 1000, stream));
    OK(cudaMemsetAsync(at[0], 5, 1000, stream));
    OK(cudaMemPoolGetAttribute(pool, 7, &bytes));
    HOLDS(bytes == 1000);
    OK(cudaFreeAsync(at[0], stream));
    OK(cudaMemPoolGetAttribute(pool, 7, &bytes));
    HOLDS(bytes == 0);
    OK(cudaMemPoolGetAttribute(pool, 5, &bytes));
    HOLDS(bytes == 1000);
    OK(cudaMallocAsync(&at[1], 1000, stream)); /* the same again */
    HOLDS(at[1] == at[0]);
    OK(cudaMallocAsync(&at[2], 1000, stream));
    HOLDS(at[2] != at[0]);
    OK(cudaFree(at[1]));
    OK(cudaFreeAsync(at[2], stream));
    OK(cudaMemPoolTrimTo(pool, 0));
    OK(cudaMemPoolGetAttribute(pool, 5, &bytes));
    HOLDS(bytes == 0);
    OK(cudaMemPoolGetAttribute(pool, 8, &bytes));
    HOLDS(bytes == 2000);
}

/* What stays when the program waits. */
static void keep_some(struct cuda_pool *pool, void *stream)
{
    uint64_t bytes;
    void *at[1];

    OK(cudaMallocAsync(&at[0], 300, stream));
    OK(cudaFreeAsync(at[0], stream));
    OK(cudaStreamSynchronize(stream)); /* its threshold is 0 */
    OK(cudaMemPoolGetAttribute(pool, 5, &bytes));
    HOLDS(bytes == 0);
    bytes = UINT64_MAX;
    OK(cudaMemPoolSetAttribute(pool, 4, &bytes));
    OK(cudaMallocAsync(&at[0], 300, stream));
    OK(cudaFreeAsync(at[0], stream));
    OK(cudaDeviceSynchronize());
    OK(cudaMemPoolGetAttribute(pool, 5, &bytes));
    HOLDS(bytes == 300);
    WANT(cudaMemPoolSetAttribute(pool, 5, &bytes), CUDA_INVALID_VALUE);
}

static void case_pool(void)
{
    struct {
        int32_t type, handles, location_type, location;
        void *attributes;
        size_t most;
        char reserved[56];
    } properties = {.type = 1, .location_type = 1};
    struct cuda_pool *pool, *other;
    void *stream, *at[2];
    uint64_t bytes;
    int flag;

    OK(cudaStreamCreate(&stream));
    OK(cudaDeviceGetDefaultMemPool(&pool, 0));
    reuse(pool, stream);
    keep_some(pool, stream);
    OK(cudaMemPoolCreate(&other, (void *)&properties));
    OK(cudaMemPoolGetAttribute(other, 1, &flag));
    HOLDS(flag == 1);
    OK(cudaDeviceSetMemPool(0, other));
    OK(cudaDeviceGetMemPool(&pool, 0));
    HOLDS(pool == other);
    OK(cudaMallocAsync(&at[0], 512, stream));
    OK(cudaMallocFromPoolAsync(&at[1], 512, other, stream));
    OK(cudaMemPoolGetAttribute(other, 7, &bytes));
    HOLDS(bytes == 1024);
    OK(cudaFreeAsync(at[0], stream));
    OK(cudaMemPoolDestroy(other));
    OK(cudaFreeAsync(at[1], stream));
    WANT(cudaFreeAsync(&bytes, stream), CUDA_INVALID_VALUE);
    properties.handles = 1;
    WANT(cudaMemPoolCreate(&other, (void *)&properties), CUDA_NOT_SUPPORTED);
    OK(cudaStreamSynchronize(stream));
    OK(cudaStreamDestroy(stream));
}

#endif
