/*
 * Cases of driver_test.c about memory, streams and events.
 */
#include "tests/cuda/driver_cases.h"

static void check_pointers(address at, void *pinned)
{
    static const int number[] = {2, 9, 12};
    uint32_t type = 9, types = 9;
    int device = 7;
    uint64_t bytes = 9, start;
    void *to[] = {&types, &device, &bytes};

    DRIVER_OK(cuPointerGetAttribute(&type, 2, at + 5));
    DRIVER_HOLDS(type == 2);
    DRIVER_OK(cuPointerGetAttribute(&start, 11, at + 5));
    DRIVER_HOLDS(start == at);
    DRIVER_OK(cuPointerGetAttribute(&type, 2, (uintptr_t)pinned));
    DRIVER_HOLDS(type == 1);
    DRIVER_WANT(cuPointerGetAttribute(&type, 2, (uintptr_t)&type),
                INVALID_VALUE);
    DRIVER_OK(cuPointerGetAttributes(3, number, to, at));
    DRIVER_HOLDS(types == 2 && device == 0 && bytes == 256);
    DRIVER_OK(cuPointerGetAttributes(3, number, to, 4711));
    DRIVER_HOLDS(types == 0 && device == 0 && bytes == 0);
}

void case_memory(void)
{
    uint16_t words[64];
    uint32_t got[64];
    address at, other, base;
    size_t bytes, left, total, after;
    void *pinned;

    begin();
    DRIVER_OK(cuMemGetInfo_v2(&left, &total));
    DRIVER_OK(cuMemAlloc_v2(&at, 256));
    DRIVER_OK(cuMemAllocAsync(&other, 256, NULL));
    DRIVER_OK(cuMemGetInfo_v2(&after, &total));
    DRIVER_HOLDS(left - after == 512);
    DRIVER_OK(cuMemGetAddressRange_v2(&base, &bytes, at + 100));
    DRIVER_HOLDS(base == at && bytes == 256);

    DRIVER_OK(cuMemsetD32_v2(at, 0x12345678, 64));
    DRIVER_OK(cuMemsetD16_v2(at + 8, 0xabcd, 3));
    DRIVER_OK(cuMemsetD8_v2(at + 14, 0x7f, 1));
    DRIVER_OK(cuMemcpyDtoD_v2(other, at, 256));
    DRIVER_OK(cuMemcpyDtoH_v2(got, other, 256));
    DRIVER_HOLDS(got[0] == 0x12345678 && got[1] == 0x12345678);
    DRIVER_HOLDS(got[2] == 0xabcdabcd && got[3] == 0x127fabcd);
    DRIVER_HOLDS(got[4] == 0x12345678 && got[63] == 0x12345678);
    DRIVER_WANT(cuMemsetD32_v2(at, 0, 65), INVALID_VALUE);
    DRIVER_WANT(cuMemsetD32_v2(at + 2, 0, 1), INVALID_VALUE);
    DRIVER_OK(cuMemsetD2D32_v2(at, 32, 5, 2, 8)); /* 8 rows of 8 words */
    DRIVER_OK(cuMemcpyDtoH_v2(got, at, 256));
    for (int i = 8; i < 64; i++) {
        DRIVER_HOLDS(got[i] == (i % 8 < 2 ? 5 : 0x12345678));
    }
    DRIVER_OK(cuMemAllocHost_v2(&pinned, 256));
    DRIVER_OK(cuMemcpy((uintptr_t)pinned, at, 256)); /* by the addresses */
    DRIVER_HOLDS(memcmp(pinned, got, 256) == 0);
    DRIVER_OK(cuMemcpy(other, (uintptr_t)words, 0));
    DRIVER_WANT(cuMemcpyHtoD_v2(4711, words, 4), INVALID_VALUE);
    DRIVER_WANT(cuMemcpyDtoH_v2(words, at, 257), INVALID_VALUE);
    check_pointers(at, pinned);
    DRIVER_OK(cuMemFreeHost(pinned));
    DRIVER_OK(cuMemFree_v2(at));
    DRIVER_WANT(cuMemFree_v2(at), INVALID_VALUE);
    DRIVER_OK(cuMemFreeAsync(other, NULL));
    DRIVER_OK(cuMemFree_v2(0));
    DRIVER_OK(cuCtxSynchronize());
    DRIVER_OK(cuMemGetInfo_v2(&after, &total));
    DRIVER_HOLDS(left == after);
}

/* CUDA_MEMCPY3D; a CUDA_MEMCPY2D has no z, levels, heights and contexts. */
struct box_side {
    size_t x, y, z, level;
    uint32_t type;
    const void *host;
    address device;
    void *array, *context;
    size_t pitch, height;
};

struct box {
    struct box_side from, to;
    size_t width, height, depth;
};

struct rectangle_side {
    size_t x, y;
    uint32_t type;
    const void *host;
    address device;
    void *array;
    size_t pitch;
};

struct rectangle {
    struct rectangle_side from, to;
    size_t width, height;
};

/* An array of 8 x 4, its middle from the host and back. */
static void check_rectangles(const uint32_t *in)
{
    struct {
        size_t width, height;
        uint32_t format, channels;
    } shape = {8, 4, 3, 1}, got_shape;
    struct rectangle r = {
        .from = {4, 1, 1, in, 0, NULL, 32}, .width = 8, .height = 2};
    uint32_t out[32] = {0};
    void *array;

    DRIVER_OK(cuArrayCreate_v2(&array, &shape));
    DRIVER_OK(cuArrayGetDescriptor_v2(&got_shape, array));
    DRIVER_HOLDS(memcmp(&shape, &got_shape, sizeof(shape)) == 0);
    r.to = (struct rectangle_side){8, 2, 3, NULL, 0, array, 0};
    DRIVER_OK(cuMemcpy2D_v2(&r));
    r.height = 3; /* it has 4 rows */
    DRIVER_WANT(cuMemcpy2D_v2(&r), INVALID_VALUE);
    r.height = 2;
    r.width = 28;
    DRIVER_WANT(cuMemcpy2D_v2(&r), INVALID_VALUE);
    DRIVER_OK(cuMemcpyAtoH_v2(out, array, 2 * 32 + 8, 8));
    DRIVER_HOLDS(out[0] == in[9] && out[1] == in[10]);
    r = (struct rectangle){.from = r.to,
                           .to = {0, 0, 1, out, 0, NULL, 12},
                           .width = 8,
                           .height = 2};
    DRIVER_OK(cuMemcpy2D_v2(&r));
    DRIVER_HOLDS(out[0] == in[9] && out[3] == in[17] && out[4] == in[18]);
    DRIVER_OK(cuMemcpyHtoA_v2(array, 64, in, 32));
    DRIVER_WANT(cuMemcpyHtoA_v2(array, 100, in, 32), INVALID_VALUE);
    DRIVER_OK(cuMemcpyAtoH_v2(out, array, 64, 32));
    DRIVER_HOLDS(memcmp(out, in, 32) == 0);
    DRIVER_OK(cuArrayDestroy(array));
    DRIVER_WANT(cuArrayDestroy(NULL), INVALID_HANDLE);
}

void case_boxes(void)
{
    uint32_t in[4 * 4 * 8], out[4 * 4 * 8];
    address at;
    size_t pitch;
    struct box b = {.width = 8, .height = 2, .depth = 3};

    begin();
    for (uint32_t i = 0; i < 128; i++) {
        in[i] = 3 * i;
        out[i] = 0;
    }
    DRIVER_WANT(cuMemAllocPitch_v2(&at, &pitch, 32, 16, 3), INVALID_VALUE);
    DRIVER_OK(cuMemAllocPitch_v2(&at, &pitch, 32, 16, 4));
    DRIVER_HOLDS(pitch >= 32 && pitch % 32 == 0);
    /* Planes of 4 rows of 8 words; from (1, 1, 1) to (2, 0, 0) and back. */
    b.from = (struct box_side){.x = 4,
                               .y = 1,
                               .z = 1,
                               .type = 1,
                               .host = in,
                               .pitch = 32,
                               .height = 4};
    b.to = (struct box_side){
        .x = 8, .type = 2, .device = at, .pitch = pitch, .height = 4};
    DRIVER_OK(cuMemcpy3D_v2(&b));
    b.from = b.to;
    b.to = (struct box_side){
        .type = 4, .device = (uintptr_t)out, .pitch = 32, .height = 4};
    DRIVER_OK(cuMemcpy3D_v2(&b));
    for (uint32_t z = 0; z < 3; z++) {
        for (uint32_t y = 0; y < 2; y++) {
            for (uint32_t x = 0; x < 2; x++) {
                DRIVER_HOLDS(out[32 * z + 8 * y + x] ==
                             in[32 * (z + 1) + 8 * (y + 1) + x + 1]);
            }
        }
    }
    b.to.pitch = 4;
    DRIVER_WANT(cuMemcpy3D_v2(&b), INVALID_VALUE);
    b.to.pitch = 32;
    b.to.type = 9;
    DRIVER_WANT(cuMemcpy3D_v2(&b), INVALID_VALUE);
    check_rectangles(in);
}

/* Memory that both sides see. */
void case_managed(void)
{
    void *module, *work, *mapped;
    address at, of_mapped, base;
    uint32_t rounds = 2, *managed, *plain;
    void *args[] = {&at, &rounds};
    uint32_t type;
    size_t bytes;
    char flag;

    begin();
    DRIVER_OK(cuModuleLoadData(&module, kernels()));
    DRIVER_OK(cuModuleGetFunction(&work, module, "work"));
    DRIVER_OK(cuMemAllocManaged(&at, 512, 1));
    DRIVER_OK(cuPointerGetAttribute(&flag, 8, at));
    DRIVER_OK(cuPointerGetAttribute(&type, 2, at));
    DRIVER_HOLDS(flag == 1 && type == 2);
    DRIVER_OK(cuMemGetAddressRange_v2(&base, &bytes, at + 4));
    DRIVER_HOLDS(base == at && bytes == 512);
    DRIVER_OK(cuMemHostAlloc(&mapped, 512, 2));
    DRIVER_OK(cuMemHostGetDevicePointer_v2(&of_mapped, mapped, 0));
    managed = (uint32_t *)(uintptr_t)at;
    plain = mapped;
    for (uint32_t i = 0; i < 128; i++) {
        managed[i] = i;
        plain[i] = 2 * i;
    }
    DRIVER_OK(cuLaunchKernel(work, 1, 1, 1, 128, 1, 1, 0, NULL, args, NULL));
    args[0] = &of_mapped;
    DRIVER_OK(cuLaunchKernel(work, 1, 1, 1, 128, 1, 1, 0, NULL, args, NULL));
    DRIVER_OK(cuCtxSynchronize());
    for (uint32_t i = 0; i < 128; i++) {
        DRIVER_HOLDS(managed[i] == 9 * i + 4 && plain[i] == 18 * i + 4);
    }
    DRIVER_OK(cuMemFree_v2(at));
    DRIVER_OK(cuMemFreeHost(mapped));
}

/* An object on an array, and a reference on memory. */
void case_texture(void)
{
    struct {
        size_t width, height;
        uint32_t format, channels;
    } shape = {8, 2, 0x20, 1};
    struct {
        uint32_t kind, padding;
        void *array;
        char rest[136];
    } resource = {.kind = 0};
    struct {
        int32_t address[3], linear, rest[22];
    } texture = {.address = {1, 1, 1}};
    float in[16], out[10];
    uint32_t table[32], found[32];
    void *module, *fetch, *lookup, *reference;
    address to, from;
    uint64_t handle;
    void *args[] = {&handle, &to};

    begin();
    for (int i = 0; i < 16; i++) {
        in[i] = (float)i / 4;
    }
    for (uint32_t i = 0; i < 32; i++) {
        table[i] = 5 * i;
    }
    DRIVER_OK(cuModuleLoadData(&module, kernels()));
    DRIVER_OK(cuModuleGetFunction(&fetch, module, "fetch"));
    DRIVER_OK(cuModuleGetFunction(&lookup, module, "lookup"));
    DRIVER_OK(cuArrayCreate_v2(&resource.array, &shape));
    DRIVER_OK(cuMemcpyHtoA_v2(resource.array, 0, in, sizeof(in)));
    DRIVER_OK(cuTexObjectCreate(&handle, &resource, &texture, NULL));
    DRIVER_OK(cuMemAlloc_v2(&to, sizeof(found)));
    DRIVER_OK(cuLaunchKernel(fetch, 1, 1, 1, 10, 1, 1, 0, NULL, args, NULL));
    DRIVER_OK(cuMemcpyDtoH_v2(out, to, sizeof(out)));
    for (int i = 0; i < 10; i++) {
        DRIVER_HOLDS(out[i] == in[i < 8 ? i : 7]);
    }
    DRIVER_OK(cuTexObjectDestroy(handle));

    args[0] = &to;
    DRIVER_OK(cuMemAlloc_v2(&from, sizeof(table)));
    DRIVER_OK(cuMemcpyHtoD_v2(from, table, sizeof(table)));
    DRIVER_WANT(cuModuleGetTexRef(&reference, module, "none"), NOT_FOUND);
    DRIVER_OK(cuModuleGetTexRef(&reference, module, "lut"));
    DRIVER_OK(cuTexRefSetAddress_v2(NULL, reference, from, sizeof(table)));
    DRIVER_OK(cuTexRefSetFormat(reference, 3, 1)); /* in any order */
    DRIVER_OK(cuTexRefSetFlags(reference, 1));
    DRIVER_WANT(cuTexRefSetFlags(&reference, 1), INVALID_HANDLE);
    DRIVER_OK(cuLaunchKernel(lookup, 1, 1, 1, 32, 1, 1, 0, NULL, args, NULL));
    DRIVER_OK(cuMemcpyDtoH_v2(found, to, sizeof(found)));
    DRIVER_HOLDS(memcmp(found, table, sizeof(found)) == 0);
}

/* ---- streams ---- */

static void add_one(void *data)
{
    (*(int *)data)++;
}

static void add_status(void *stream, int status, void *data)
{
    (void)stream;
    *(int *)data += status == 0 ? 10 : 1000;
}

void case_streams(void)
{
    enum {
        WORDS = 128 * 64
    };
    static uint32_t in[WORDS], out[WORDS];
    void *module, *work, *stream[2], *event[2];
    uint32_t rounds = 20;
    address at;
    void *args[] = {&at, &rounds};
    float ms = -1;
    int called = 0;

    begin();
    DRIVER_OK(cuModuleLoadData(&module, kernels()));
    DRIVER_OK(cuModuleGetFunction(&work, module, "work"));
    DRIVER_OK(cuMemAlloc_v2(&at, sizeof(in)));
    for (int i = 0; i < 2; i++) {
        DRIVER_OK(cuStreamCreate(&stream[i], 1));
        DRIVER_OK(cuEventCreate(&event[i], 0));
    }
    for (uint32_t i = 0; i < WORDS; i++) {
        in[i] = i;
    }
    DRIVER_WANT(cuEventElapsedTime(&ms, event[0], event[1]), INVALID_HANDLE);
    DRIVER_OK(cuMemcpyHtoDAsync_v2(at, in, sizeof(in), stream[0]));
    DRIVER_OK(cuEventRecord(event[0], stream[0]));
    DRIVER_OK(
        cuLaunchKernel(work, 64, 1, 1, 128, 1, 1, 0, stream[0], args, NULL));
    DRIVER_OK(cuEventRecord(event[1], stream[0]));
    DRIVER_WANT(cuEventElapsedTime(&ms, event[0], event[1]), NOT_READY);
    DRIVER_OK(cuStreamWaitEvent(stream[1], event[1], 0));
    DRIVER_OK(cuMemcpyDtoHAsync_v2(out, at, sizeof(out), stream[1]));
    DRIVER_OK(cuLaunchHostFunc(stream[1], add_one, &called));
    DRIVER_OK(cuStreamAddCallback(stream[1], add_status, &called, 0));
    DRIVER_OK(cuStreamSynchronize(stream[1]));
    DRIVER_HOLDS(called == 11);
    DRIVER_OK(cuStreamQuery(stream[0]));
    DRIVER_OK(cuEventSynchronize(event[1]));
    DRIVER_OK(cuEventQuery(event[1]));
    DRIVER_OK(cuEventElapsedTime(&ms, event[0], event[1]));
    DRIVER_HOLDS(ms > 0.001f && ms < 10);
    for (uint32_t i = 0; i < WORDS; i++) {
        uint32_t v = i;

        for (uint32_t k = 0; k < rounds; k++) {
            v = 3 * v + 1;
        }
        DRIVER_HOLDS(out[i] == v);
    }
    for (int i = 0; i < 2; i++) {
        DRIVER_OK(cuStreamDestroy_v2(stream[i]));
        DRIVER_OK(cuEventDestroy_v2(event[i]));
    }
    DRIVER_WANT(cuStreamDestroy_v2(NULL), INVALID_HANDLE);
}
