/*
 * A CUDA program as nvcc would have built it: one case after the other, each
 * a little program that checks itself.  usage: api_test CASE
 */
#include <dlfcn.h>

#include "cuda/properties.h"
#include "tests/cuda/api_capture.h"
#include "tests/cuda/api_children.h"
#include "tests/cuda/api_condition.h"
#include "tests/cuda/api_devices.h"
#include "tests/cuda/api_graph.h"
#include "tests/cuda/api_memory.h"
#include "tests/cuda/api_order.h"

/* Shadows: only their addresses matter. */
static const char scale, meet, astray, say, fetch, reverse, absent;
static const char strange;
static const char factor, lookup, raise_counter;
static const int32_t lut[64] = {0, 0, 1, 1, 1};

static const struct stub_list kernels[] = {
    {&scale, "scale"},     {&work, "work"},
    {&meet, "meet"},       {&astray, "astray"},
    {&say, "say"},         {&fetch, "fetch"},
    {&reverse, "reverse"}, {&absent, "absent"},
    {&lookup, "lookup"},   {&raise_counter, "raise"},
    {&face, "face"},       {&strange, "strange"},
    {&spin, "spin"},       {&count_down, "count_down"},
    {&branch, "branch"},   {NULL, NULL}};
static const struct stub_list variables[] = {
    {&factor, "factor"}, {&counter, "counter"}, {lut, "lut"}, {NULL, NULL}};

static void **registered;

__attribute__((constructor)) static void before_main(void)
{
    registered = stub_register(kernels, variables);
}

static void at_exit(void)
{
    __cudaUnregisterFatBinary(registered);
}

static int launch_scale(void *in, void *out, unsigned n, float add,
                        void *stream)
{
    void *args[] = {&in, &out, &n, &add};

    return stub_launch(&scale, (n + 127) / 128, 128, 0, stream, args);
}

enum {
    N = 1000
};

/* Kernel, copies, memset, symbols, both directions. */
static void case_basic(void)
{
    float in[N], out[N], three = 3, *from, *to;
    uint32_t blocks;

    for (int i = 0; i < N; i++) {
        in[i] = (float)i;
    }
    OK(cudaMalloc((void **)&from, sizeof(in)));
    OK(cudaMalloc((void **)&to, sizeof(in)));
    OK(cudaMemcpy(from, in, sizeof(in), CUDA_HOST_TO_DEVICE));
    OK(cudaMemset(to, 0xff, sizeof(in)));
    OK(launch_scale(from, to, N, 1, NULL));
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(out, to, sizeof(out), CUDA_DEVICE_TO_HOST));
    for (int i = 0; i < N; i++) {
        HOLDS(out[i] == 2 * (float)i + 1);
    }
    OK(cudaMemcpyToSymbol(&factor, &three, 4, 0, CUDA_HOST_TO_DEVICE));
    OK(launch_scale(to, from, N, 0, NULL));
    OK(cudaMemcpy(out, from, sizeof(out), CUDA_DEFAULT));
    HOLDS(out[10] == 63);
    OK(cudaMemcpyFromSymbol(&blocks, &counter, 4, 0, CUDA_DEVICE_TO_HOST));
    HOLDS(blocks == 7 + 2 * 8);
    OK(cudaMemcpy(from, to, sizeof(in), CUDA_DEVICE_TO_DEVICE));
    OK(cudaMemcpy(out, from, sizeof(out), CUDA_DEVICE_TO_HOST));
    HOLDS(out[10] == 21);
    OK(cudaFree(from));
    OK(cudaFree(to));
    OK(cudaDeviceReset());
}

static void case_errors(void)
{
    struct cuda_array *array = NULL;
    char host[16] = {0};
    void *at, *more;
    size_t left, total;
    int value;

    OK(cudaGetDeviceCount(&value));
    HOLDS(value == 1);
    WANT(cudaSetDevice(1), CUDA_INVALID_DEVICE);
    WANT(cudaPeekAtLastError(), CUDA_INVALID_DEVICE);
    WANT(cudaGetLastError(), CUDA_INVALID_DEVICE);
    OK(cudaGetLastError());
    OK(cudaMemGetInfo(&left, &total));
    HOLDS(left == total);
    WANT(cudaMalloc(&at, total + 1), CUDA_OUT_OF_MEMORY);
    HOLDS(at == NULL);
    WANT(cudaMalloc(&at, SIZE_MAX), CUDA_OUT_OF_MEMORY);
    OK(cudaMalloc(&at, 64));
    OK(cudaMalloc(&more, 0));
    HOLDS(more == NULL);
    WANT(cudaMemcpy(at, host, 65, CUDA_HOST_TO_DEVICE), CUDA_INVALID_VALUE);
    WANT(cudaMemcpy(host, at, 16, CUDA_HOST_TO_DEVICE), CUDA_INVALID_VALUE);
    WANT(cudaMemcpy(host, at, 16, 9), CUDA_INVALID_DIRECTION);
    WANT(cudaMemset(at, 0, 100), CUDA_INVALID_VALUE);
    WANT(cudaFree((char *)at + 8), CUDA_INVALID_VALUE);
    OK(cudaFree(at));
    WANT(cudaFree(at), CUDA_INVALID_VALUE);
    OK(cudaFree(NULL));
    WANT(launch_work(at, 1u << 20, 1, host), CUDA_INVALID_HANDLE);
    WANT(stub_launch(&work, 1, 2048, 0, NULL, NULL),
         CUDA_INVALID_CONFIGURATION);
    WANT(stub_launch(&work, 0, 32, 0, NULL, NULL), CUDA_INVALID_CONFIGURATION);
    WANT(stub_launch(&say, 1, 32, 1 << 20, NULL, NULL), 701);
    WANT(stub_launch(&absent, 1, 32, 0, NULL, NULL), CUDA_INVALID_FUNCTION);
    WANT(stub_launch(host, 1, 32, 0, NULL, NULL), CUDA_INVALID_FUNCTION);
    WANT(cudaMemcpyToSymbol(&work, host, 4, 0, CUDA_HOST_TO_DEVICE),
         CUDA_INVALID_SYMBOL);
    WANT(cudaMemcpyToSymbol(&factor, host, 8, 0, CUDA_HOST_TO_DEVICE),
         CUDA_INVALID_VALUE);
    WANT(cudaFreeArray((struct cuda_array *)(void *)kernels),
         CUDA_INVALID_HANDLE);
    OK(cudaFreeArray(array));
    HOLDS(strcmp(cudaGetErrorName(2), "cudaErrorMemoryAllocation") == 0);
    HOLDS(strcmp(cudaGetErrorString(2), "out of memory") == 0);
    HOLDS(strcmp(cudaGetErrorName(-5), "unrecognized error code") == 0);
}

/* A kernel that fails is told about by what comes after it, for ever. */
static void case_sticky(void)
{
    void *to = (void *)16, *args[] = {&to}, *at;
    size_t left, total;

    OK(cudaMalloc(&at, 64));
    OK(stub_launch(&astray, 1, 32, 0, NULL, args));
    WANT(cudaDeviceSynchronize(), 700);
    WANT(cudaGetLastError(), 700);
    WANT(cudaGetLastError(), 700);
    WANT(cudaMalloc(&at, 64), 700);
    WANT(cudaMemGetInfo(&left, &total), 700);
    WANT(stub_launch(&say, 1, 1, 0, NULL, NULL), 700);
    WANT(cudaMemcpy(at, &to, 0, CUDA_HOST_TO_DEVICE), 700);
}

static void case_properties(void)
{
    struct cuda_function_attributes f;
    struct cuda_properties p;
    int value;

    OK(cudaGetDeviceProperties(&p, 0));
    HOLDS(strcmp(p.name, "warploom gtx480") == 0);
    HOLDS(p.sms == 15 && p.warp_size == 32 && p.threads_per_sm == 1536);
    HOLDS(p.major == 7 && p.minor == 5);
    HOLDS(p.shared_per_block == 49152 && p.regs_per_sm == 32768);
    HOLDS(p.global_bytes == UINT64_C(1536) << 20); /* a GTX 480's */
    HOLDS(p.bus_width == 384 && p.texture_cube_layered[1] == 2046);
    HOLDS(p.shared_per_block_optin == p.shared_per_sm && p.memory_pools == 1);
    OK(cudaDeviceGetAttribute(&value, 36, 0));
    HOLDS(value == 1848000); /* kHz */
    OK(cudaDeviceGetAttribute(&value, 37, 0));
    HOLDS(value == 384);
    HOLDS(p.l2_bytes == 12 * 65536);
    OK(cudaDeviceGetAttribute(&value, 16, 0));
    HOLDS(value == 15);
    OK(cudaDeviceGetAttribute(&value, 13, 0));
    HOLDS(value == 700000); /* kHz */
    WANT(cudaDeviceGetAttribute(&value, 9999, 0), CUDA_INVALID_VALUE);
    WANT(cudaGetDeviceProperties(&p, 1), CUDA_INVALID_DEVICE);
    OK(cudaFuncGetAttributes(&f, &scale));
    HOLDS(f.max_threads == 1024 && f.registers > 4 && f.registers < 32);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&value, &work,
                                                              256, 0, 0));
    HOLDS(value == 6); /* 1536 threads */
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&value, &work, 32,
                                                              20000, 0));
    HOLDS(value == 2); /* 48 KiB */
    WANT(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&value, &absent,
                                                                32, 0, 0),
         CUDA_INVALID_FUNCTION);
}

static void case_managed(void)
{
    struct cuda_pointer_attributes attributes;
    uint32_t *data, *mapped;

    OK(cudaMallocManaged((void **)&data, 300 * 1024, 1));
    OK(cudaHostAlloc((void **)&mapped, 512, CUDA_HOST_MAPPED));
    for (uint32_t i = 0; i < 300 * 256; i++) {
        data[i] = i;
        mapped[i % 128] = i % 128;
    }
    OK(launch_work(data + 256 * 128, 128, 5, NULL));
    OK(launch_work(mapped, 128, 3, NULL));
    OK(cudaDeviceSynchronize());
    check_work(data + 256 * 128, 256 * 128, 5);
    check_work(mapped, 0, 3);
    HOLDS(data[7] == 7);
    OK(cudaMemset(data, 0, 512));
    HOLDS(data[100] == 0);
    OK(launch_work(data, 128, 1, NULL));
    OK(cudaDeviceSynchronize());
    HOLDS(data[100] == 1);
    OK(cudaPointerGetAttributes(&attributes, data + 1));
    HOLDS(attributes.type == 3);
    OK(cudaPointerGetAttributes(&attributes, mapped));
    HOLDS(attributes.type == 1);
    OK(cudaPointerGetAttributes(&attributes, &attributes));
    HOLDS(attributes.type == 0);
    OK(cudaFree(data));
    OK(cudaFreeHost(mapped));
    WANT(cudaFreeHost(mapped), CUDA_INVALID_VALUE);
}

static void case_cooperative(void)
{
    struct cuda_dim3 grid = {8, 1, 1}, block = {64, 1, 1};
    uint32_t seen[8], *arrived, *out;
    void *args[] = {&arrived, &out};

    OK(cudaMalloc((void **)&arrived, 4));
    OK(cudaMalloc((void **)&out, sizeof(seen)));
    OK(cudaMemset(arrived, 0, 4));
    OK(cudaLaunchCooperativeKernel(&meet, grid, block, args, 0, NULL));
    OK(cudaMemcpy(seen, out, sizeof(seen), CUDA_DEVICE_TO_HOST));
    for (int i = 0; i < 8; i++) {
        HOLDS(seen[i] == 8);
    }
    OK(cudaMemset(arrived, 0, 4));
    grid.x = 1000;
    WANT(cudaLaunchCooperativeKernel(&meet, grid, block, args, 0, NULL), 720);
}

static void case_print(void)
{
    printf("before\n");
    OK(stub_launch(&say, 3, 1, 0, NULL, NULL));
    OK(cudaDeviceSynchronize());
    printf("after\n");
}

/* Rows to the device, a kernel on each, and back, in a stream. */
static void scale_rows(void)
{
    float in[4][30], out[4][30];
    void *device, *stream;
    size_t pitch;

    OK(cudaStreamCreate(&stream));
    OK(cudaMallocPitch(&device, &pitch, sizeof(*in), 4));
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 120; i++) {
            in[i / 30][i % 30] = (float)(i + round);
        }
        OK(cudaMemcpy2DAsync(device, pitch, in, sizeof(*in), sizeof(*in), 4,
                             CUDA_HOST_TO_DEVICE, stream));
        for (size_t i = 0; i < 4; i++) {
            char *row = (char *)device + i * pitch;

            OK(launch_scale(row, row, 30, 1, stream));
        }
        OK(cudaMemcpy2DAsync(out, sizeof(*out), device, pitch, sizeof(*out), 4,
                             CUDA_DEVICE_TO_HOST, stream));
        OK(cudaStreamSynchronize(stream));
        for (int i = 0; i < 120; i++) {
            HOLDS(out[i / 30][i % 30] == 2 * (float)(i + round) + 1);
        }
    }
}

static void case_pitch(void)
{
    unsigned char in[5][30], out[5][40];
    void *device;
    size_t pitch;

    for (int i = 0; i < 150; i++) {
        in[i / 30][i % 30] = (unsigned char)i;
    }
    OK(cudaMallocPitch(&device, &pitch, 30, 5));
    HOLDS(pitch >= 30 && pitch % 256 == 0);
    OK(cudaMemcpy2D(device, pitch, in, 30, 30, 5, CUDA_HOST_TO_DEVICE));
    memset(out, 9, sizeof(out));
    OK(cudaMemcpy2D(out, 40, device, pitch, 30, 5, CUDA_DEVICE_TO_HOST));
    for (int i = 0; i < 150; i++) {
        HOLDS(out[i / 30][i % 30] == i);
    }
    HOLDS(out[0][30] == 9 && out[4][39] == 9);
    WANT(cudaMemcpy2D(out, 20, device, pitch, 30, 5, CUDA_DEVICE_TO_HOST),
         CUDA_INVALID_PITCH);
    scale_rows();
}

static void case_texture(void)
{
    struct {
        int32_t kind, padding;
        struct cuda_array *array;
        char rest[128];
    } resource = {.kind = 0};
    struct {
        int32_t address[3], linear, rest[14];
    } texture = {.address = {1, 1, 1}};
    struct cuda_channel channel = {32, 0, 0, 0, 2};
    float in[2][8], out[10], *device;
    uint64_t handle;
    void *args[] = {&handle, &device};

    for (int i = 0; i < 16; i++) {
        in[i / 8][i % 8] = (float)i / 4;
    }
    OK(cudaMallocArray(&resource.array, &channel, 8, 2, 0));
    OK(cudaMemcpy2DToArray(resource.array, 0, 0, in, 32, 32, 2,
                           CUDA_HOST_TO_DEVICE));
    OK(cudaCreateTextureObject(&handle, (void *)&resource, (void *)&texture,
                               NULL));
    OK(cudaMalloc((void **)&device, sizeof(out)));
    OK(stub_launch(&fetch, 1, 10, 0, NULL, args));
    OK(cudaMemcpy(out, device, sizeof(out), CUDA_DEVICE_TO_HOST));
    for (int i = 0; i < 10; i++) {
        HOLDS(out[i] == in[0][i < 8 ? i : 7]);
    }
    OK(cudaDestroyTextureObject(handle));
    OK(cudaFreeArray(resource.array));
}

static void case_reference(void)
{
    struct cuda_channel channel = {32, 0, 0, 0, 1};
    uint32_t in[32], out[32], *from, *to;
    size_t offset = 9;
    void *args[] = {&to};

    for (uint32_t i = 0; i < 32; i++) {
        in[i] = 5 * i;
    }
    OK(cudaMalloc((void **)&from, sizeof(in)));
    OK(cudaMalloc((void **)&to, sizeof(out)));
    OK(cudaMemcpy(from, in, sizeof(in), CUDA_HOST_TO_DEVICE));
    OK(cudaBindTexture(&offset, lut, from, &channel, UINT32_MAX));
    HOLDS(offset == 0);
    OK(stub_launch(&lookup, 1, 32, 0, NULL, args));
    OK(cudaMemcpy(out, to, sizeof(out), CUDA_DEVICE_TO_HOST));
    for (uint32_t i = 0; i < 32; i++) {
        HOLDS(out[i] == 5 * i);
    }
    WANT(cudaBindTexture(NULL, &counter, from, &channel, 128),
         CUDA_INVALID_TEXTURE);
}

static void case_shared(void)
{
    uint32_t in[256], out[256], *device;
    void *args[] = {&device};

    for (uint32_t i = 0; i < 256; i++) {
        in[i] = i * i;
    }
    OK(cudaMalloc((void **)&device, sizeof(in)));
    OK(cudaMemcpy(device, in, sizeof(in), CUDA_HOST_TO_DEVICE));
    OK(stub_launch(&reverse, 1, 256, sizeof(in), NULL, args));
    OK(cudaMemcpy(out, device, sizeof(out), CUDA_DEVICE_TO_HOST));
    for (uint32_t i = 0; i < 256; i++) {
        HOLDS(out[i] == in[255 - i]);
    }
}

/* A function that is not there. */
static void case_missing(void)
{
    cudaConfigureCall();
    printf("the program went on\n");
}

/* The function of $TEST_NAME, whatever it is. */
static void case_call(void)
{
    const char *name = getenv("TEST_NAME");
    int (*function)(void);

    HOLDS(name != NULL);
    *(void **)&function = dlsym(RTLD_DEFAULT, name);
    HOLDS(function != NULL);
    WANT(function(), CUDA_NOT_SUPPORTED);
    WANT(function(), CUDA_NOT_SUPPORTED);
}

/* A kernel of one translation unit, with what another one has. */
static void case_linked(void)
{
    struct cuda_properties p;
    uint32_t count;

    OK(stub_launch(&raise_counter, 1, 1, 0, NULL, NULL));
    OK(cudaMemcpyFromSymbol(&count, &counter, 4, 0, CUDA_DEVICE_TO_HOST));
    HOLDS(count == 7 + 90 + 10);
    OK(stub_launch(&say, 1, 1, 0, NULL, NULL));
    OK(cudaGetDeviceProperties(&p, 0));
    HOLDS(p.major == 8 && p.minor == 0);
}

/* Of a runtime in the program: a function that nobody knows yet, and one of
 * the program's own with such a name. */
int cudaFutureFunction(void) __attribute__((weak));
int cudaOfMine(void);

int cudaOfMine(void)
{
    return 7;
}

static void case_future(void)
{
    OK(cudaDeviceSynchronize());
    HOLDS(cudaOfMine() == 7);
    if (cudaFutureFunction != NULL) {
        cudaFutureFunction();
    }
    printf("the program went on\n");
}

/* A kernel that cannot be executed, of which nothing is known; others can. */
static void case_refused(void)
{
    struct cuda_function_attributes f;
    void *to = NULL, *args[] = {&to};
    int count;

    WANT(stub_launch(&strange, 1, 32, 0, NULL, args), 801);
    WANT(cudaGetLastError(), 801);
    WANT(cudaFuncGetAttributes(&f, &strange), 801);
    WANT(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
             &count, &strange, 32, 0, 0),
         801);
    OK(cudaFuncGetAttributes(&f, &say));
    OK(stub_launch(&say, 1, 1, 0, NULL, NULL));
    OK(cudaDeviceSynchronize());
}

/* What machine code in the program says: 200 registers, of 32,768. */
static void case_compiled(void)
{
    struct cuda_function_attributes f;
    uint32_t *data;
    int count;

    OK(cudaMalloc((void **)&data, 1024));
    OK(cudaFuncGetAttributes(&f, &work));
    HOLDS(f.registers == 200 && f.shared_bytes == 1200 && f.local_bytes == 256);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&count, &work, 64,
                                                              0, 0));
    HOLDS(count == 2);
    WANT(stub_launch(&work, 1, 256, 0, NULL, (void *[]){&data, &count}), 701);
    OK(launch_work(data, 128, 1, NULL));
    OK(cudaFuncGetAttributes(&f, &say));
    HOLDS(f.registers > 0 && f.registers < 32);
    OK(stub_launch(&say, 1, 1, 0, NULL, NULL));
    OK(cudaDeviceSynchronize());
}

/* Images that cannot be used: an error, and a message on stderr. */
static void case_damaged(void)
{
    const char *expected = getenv("TEST_ERROR");
    int error = stub_launch(&say, 1, 1, 0, NULL, NULL);

    HOLDS(expected != NULL && error == strtol(expected, NULL, 10));
    OK(cudaDeviceSynchronize());
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {
        {"basic", case_basic},
        {"errors", case_errors},
        {"sticky", case_sticky},
        {"properties", case_properties},
        {"overlap", case_overlap},
        {"async", case_async},
        {"managed", case_managed},
        {"cooperative", case_cooperative},
        {"print", case_print},
        {"pitch", case_pitch},
        {"texture", case_texture},
        {"shared", case_shared},
        {"threads", case_threads},
        {"missing", case_missing},
        {"damaged", case_damaged},
        {"reference", case_reference},
        {"call", case_call},
        {"future", case_future},
        {"linked", case_linked},
        {"refused", case_refused},
        {"compiled", case_compiled},
        {"graph", case_graph},
        {"capture", case_capture},
        {"graph_nodes", case_graph_nodes},
        {"graph_conditions", case_graph_conditions},
        {"pool", case_pool},
        {"capture_errors", case_capture_errors},
        {"graph_overlap", case_graph_overlap},
        {"beside", case_beside},
        {"cube", case_cube},
        {"clock", case_clock},
        {"devices", case_devices},
        {"devices_overlap", case_devices_overlap},
        {"children", case_children},
        {"large_children", case_large_children},
    };

    atexit(at_exit);
    for (size_t i = 0; argc > 1 && i < sizeof(cases) / sizeof(*cases); i++) {
        if (strcmp(cases[i].name, argv[1]) == 0) {
            cases[i].run();
            printf("%s passed\n", argv[1]);
            return 0;
        }
    }
    printf("there is no such case\n");
    return 2;
}
