/*
 * Cases of api_test.c about memory that host and device both use, and arrays of
 * more than two dimensions.
 */
#ifndef TESTS_CUDA_API_MEMORY_H
#define TESTS_CUDA_API_MEMORY_H

#include "tests/cuda/api_order.h"

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

#endif
