/*
 * A program of the driver API: one case after the other, each a little program
 * that checks itself; kernels are those of $TEST_PTX.  usage: driver_test CASE
 */
#include <dlfcn.h>

#include "tests/cuda/driver_cases.h"

/* As nvcc links programs that register no kernels. */
__attribute__((section(".nv_fatbin"), used)) static const char no_kernels[8];

/* Is the context there only as long as it should be? */
static void case_contexts(void)
{
    uint64_t some[3] = {0, 1}, none[3] = {0}; /* CUctxCreateParams */
    void *first, *second, *now, *primary, *again;
    unsigned flags;
    int device, active;
    size_t left, total, value;

    DRIVER_WANT(cuMemGetInfo_v2(&left, &total), NOT_INITIALIZED);
    DRIVER_WANT(cuDeviceGet(&device, 0), NOT_INITIALIZED);
    DRIVER_WANT(cuInit(1), INVALID_VALUE);
    DRIVER_OK(cuInit(0));
    DRIVER_WANT(cuMemGetInfo_v2(&left, &total), INVALID_CONTEXT);
    DRIVER_OK(cuCtxGetCurrent(&now));
    DRIVER_HOLDS(now == NULL);
    DRIVER_WANT(cuDeviceGet(&device, 1), INVALID_DEVICE);
    DRIVER_WANT(cuCtxCreate_v2(&first, 0, 1), INVALID_DEVICE);
    DRIVER_WANT(cuCtxCreate_v4(&first, some, 0, 0), NOT_SUPPORTED);
    DRIVER_OK(cuCtxCreate_v4(&first, none, 0, 0));
    DRIVER_OK(cuCtxDestroy_v2(first));
    DRIVER_OK(cuCtxCreate_v2(&first, 4, 0));
    DRIVER_OK(cuCtxCreate_v4(&second, NULL, 0, 0));
    DRIVER_OK(cuCtxGetCurrent(&now));
    DRIVER_HOLDS(now == second && first != second);
    DRIVER_OK(cuCtxPopCurrent_v2(&now));
    DRIVER_HOLDS(now == second);
    DRIVER_OK(cuCtxGetFlags(&flags));
    DRIVER_OK(cuCtxGetDevice(&device));
    DRIVER_HOLDS(flags == 4 && device == 0);
    DRIVER_OK(cuCtxPushCurrent_v2(second));
    DRIVER_OK(cuCtxDestroy_v2(second)); /* it is on top, and goes */
    DRIVER_OK(cuCtxGetCurrent(&now));
    DRIVER_HOLDS(now == first);
    DRIVER_WANT(cuCtxDestroy_v2(second), INVALID_CONTEXT);
    DRIVER_WANT(cuCtxPushCurrent_v2(second), INVALID_CONTEXT);
    DRIVER_WANT(cuCtxSetCurrent(&value), INVALID_CONTEXT);
    DRIVER_OK(cuMemGetInfo_v2(&left, &total));
    DRIVER_OK(cuCtxGetLimit(&value, 0));
    DRIVER_WANT(cuCtxGetLimit(&value, 99), 215);

    DRIVER_OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    DRIVER_HOLDS(active == 0);
    DRIVER_WANT(cuDevicePrimaryCtxRelease_v2(0), INVALID_CONTEXT);
    DRIVER_OK(cuDevicePrimaryCtxRetain(&primary, 0));
    DRIVER_OK(cuDevicePrimaryCtxRetain(&again, 0));
    DRIVER_HOLDS(primary == again && primary != first);
    DRIVER_OK(cuCtxSetCurrent(primary));
    DRIVER_OK(cuDevicePrimaryCtxRelease_v2(0));
    DRIVER_OK(cuCtxSynchronize());
    DRIVER_OK(cuDevicePrimaryCtxRelease_v2(0));
    DRIVER_WANT(cuCtxSynchronize(), CONTEXT_DESTROYED);
    DRIVER_OK(cuCtxSetCurrent(NULL));
    DRIVER_WANT(cuCtxPopCurrent_v2(&now), INVALID_CONTEXT);
}

static void case_device(void)
{
    char name[200], little[4];
    int count, version, sms, threads, major, minor;
    size_t total;

    DRIVER_OK(cuDriverGetVersion(&version)); /* before anything else */
    DRIVER_OK(cuInit(0));
    DRIVER_OK(cuDeviceGetCount(&count));
    DRIVER_OK(cuDeviceGetName(name, sizeof(name), 0));
    DRIVER_OK(cuDeviceGetName(little, sizeof(little), 0));
    DRIVER_OK(cuDeviceTotalMem_v2(&total, 0));
    DRIVER_OK(cuDeviceGetAttribute(&sms, 16, 0));
    DRIVER_OK(cuDeviceGetAttribute(&threads, 1, 0));
    DRIVER_OK(cuDeviceComputeCapability(&major, &minor, 0));
    DRIVER_HOLDS(count == 1 && version >= 12000 && sms == 15);
    DRIVER_HOLDS(threads == 1024 && major == 7 && minor == 5);
    DRIVER_HOLDS(strncmp(name, "warploom ", 9) == 0 && total > 1 << 28);
    DRIVER_HOLDS(strcmp(little, "war") == 0);
    DRIVER_WANT(cuDeviceGetAttribute(&sms, 16, 3), INVALID_DEVICE);
    DRIVER_WANT(cuDeviceGetAttribute(&sms, 0, 0), INVALID_VALUE);
}

/* ---- modules ---- */

/* In clusters of four CTAs; three do not divide eight. */
static void check_clusters(void *scale, void **args)
{
    struct {
        int id, padding;
        unsigned dim[16];
    } cluster = {.id = 4, .dim = {4, 1, 1}};
    struct {
        unsigned grid[3], block[3], shared_bytes;
        void *stream, *attribute;
        unsigned attributes;
    } config = {.grid = {8, 1, 1},
                .block = {128, 1, 1},
                .attribute = &cluster,
                .attributes = 1};
    int ctas = 0, count = 0;

    DRIVER_OK(cuLaunchKernelEx(&config, scale, args, NULL));
    /* Of a GTX 480: 15 SMs with 8 such CTAs each. */
    DRIVER_OK(
        cuOccupancyMaxActiveBlocksPerMultiprocessor(&ctas, scale, 128, 0));
    DRIVER_OK(cuOccupancyMaxActiveClusters(&count, scale, &config));
    DRIVER_HOLDS(count == 15 * ctas / 4);
    DRIVER_OK(cuOccupancyMaxPotentialClusterSize(&count, scale, &config));
    DRIVER_HOLDS(count == 8);
    cluster.dim[0] = 16;
    DRIVER_WANT(cuOccupancyMaxActiveClusters(&count, scale, &config),
                INVALID_CLUSTER_SIZE);
    DRIVER_OK(cuFuncSetAttribute(scale, 14, 1)); /* large clusters */
    DRIVER_OK(cuOccupancyMaxActiveClusters(&count, scale, &config));
    DRIVER_HOLDS(count == 15 * ctas / 16);
    DRIVER_OK(cuOccupancyMaxPotentialClusterSize(&count, scale, &config));
    DRIVER_HOLDS(count == 16);
    DRIVER_OK(cuFuncSetAttribute(scale, 14, 0));
    cluster.dim[0] = 3;
    DRIVER_WANT(cuLaunchKernelEx(&config, scale, args, NULL), INVALID_VALUE);
}

/* The same kernel by each way to launch it: to[i] = 2 from[i] + add. */
static void check_launches(void *scale)
{
    struct {
        unsigned grid[3], block[3], shared_bytes;
        void *stream, *attribute;
        unsigned attributes;
    } config = {.grid = {8, 1, 1}, .block = {128, 1, 1}};
    struct {
        address from, to;
        uint32_t count;
        float add;
    } packed = {.count = ELEMENTS, .add = 3};
    size_t bytes = sizeof(packed);
    void *extra[] = {(void *)1, &packed, (void *)2, &bytes, NULL};
    void *args[] = {&packed.from, &packed.to, &packed.count, &packed.add};

    packed.from = floats_on_device();
    DRIVER_OK(cuMemAlloc_v2(&packed.to, ELEMENTS * 4));
    DRIVER_OK(cuLaunchKernel(scale, 8, 1, 1, 128, 1, 1, 0, NULL, args, NULL));
    check_floats(packed.to, 2, 3);
    packed.add = 4;
    DRIVER_OK(cuLaunchKernel(scale, 8, 1, 1, 128, 1, 1, 0, NULL, NULL, extra));
    check_floats(packed.to, 2, 4);
    packed.add = 5;
    DRIVER_OK(
        cuLaunchKernel_ptsz(scale, 8, 1, 1, 128, 1, 1, 0, NULL, args, NULL));
    check_floats(packed.to, 2, 5);
    packed.add = 6;
    DRIVER_OK(cuLaunchKernelEx(&config, scale, args, NULL));
    check_floats(packed.to, 2, 6);
    packed.add = 7;
    DRIVER_OK(cuLaunchKernelEx(&config, scale, NULL, extra));
    check_floats(packed.to, 2, 7);

    packed.add = 9;
    check_clusters(scale, args);
    check_floats(packed.to, 2, 9);

    /* As before CUDA 4. */
    DRIVER_OK(cuFuncSetBlockShape(scale, 128, 1, 1));
    DRIVER_OK(cuParamSetSize(scale, 24));
    DRIVER_OK(cuParamSetv(scale, 0, &packed.from, 8));
    DRIVER_OK(cuParamSetv(scale, 8, &packed.to, 8));
    DRIVER_OK(cuParamSeti(scale, 16, ELEMENTS));
    DRIVER_OK(cuParamSetf(scale, 20, 8));
    DRIVER_OK(cuLaunchGrid(scale, 8, 1));
    check_floats(packed.to, 2, 8);
    DRIVER_WANT(cuParamSetv(scale, 4095, &packed.to, 8), INVALID_VALUE);

    bytes = 20; /* too few */
    DRIVER_WANT(cuLaunchKernel(scale, 8, 1, 1, 128, 1, 1, 0, NULL, NULL, extra),
                INVALID_VALUE);
    DRIVER_WANT(cuLaunchKernel(scale, 8, 1, 1, 128, 1, 1, 0, NULL, args, extra),
                INVALID_VALUE);
    DRIVER_WANT(cuLaunchKernel(scale, 8, 1, 1, 128, 1, 1, 0, NULL, NULL, NULL),
                INVALID_VALUE);
    DRIVER_WANT(cuLaunchKernel(scale, 0, 1, 1, 128, 1, 1, 0, NULL, args, NULL),
                INVALID_VALUE);
    DRIVER_OK(cuMemFree_v2(packed.from));
    DRIVER_OK(cuMemFree_v2(packed.to));
}

/* 64 by 100 floats in boxes of 32 by 8; what they hold is seen in
 * tests/unit/ptx_forms_tensor_test.c. */
static void check_tensor_maps(void)
{
    static const char none[128];
    const uint64_t dim[2] = {64, 100}, stride = 256, odd = 260;
    uint32_t box[2] = {32, 8}, step[2] = {1, 1};
    char map[128] = "";
    address at;

    DRIVER_OK(cuMemAlloc_v2(&at, 25600));
    DRIVER_OK(cuTensorMapEncodeTiled(map, 7, 2, at, dim, &stride, box, step, 0,
                                     3, 0, 0));
    DRIVER_HOLDS(memcmp(map, none, 128) != 0);
    /* The second word, of which CUTLASS clears a bit, says nothing. */
    DRIVER_OK(cuTensorMapEncodeTiled(map, 7, 2, at | 1u << 21, dim, &stride,
                                     box, step, 0, 3, 0, 0));
    DRIVER_HOLDS(memcmp(map + 8, none, 8) == 0);
    DRIVER_WANT(
        cuTensorMapEncodeTiled(map, 7, 2, at, dim, &odd, box, step, 0, 3, 0, 0),
        INVALID_VALUE);
    DRIVER_WANT(cuTensorMapEncodeTiled(map, 7, 6, at, dim, &stride, box, step,
                                       0, 3, 0, 0),
                INVALID_VALUE);
    DRIVER_WANT(cuTensorMapEncodeTiled(map, 7, 2, at, dim, &stride, box, step,
                                       0, 2, 0, 0),
                INVALID_VALUE); /* rows of 128 bytes, a swizzle of 64 */
    step[0] = 2;
    DRIVER_WANT(cuTensorMapEncodeTiled(map, 7, 2, at, dim, &stride, box, step,
                                       0, 3, 0, 0),
                NOT_SUPPORTED);
    DRIVER_OK(cuMemFree_v2(at));
}

static void check_attributes(void *module, void *scale)
{
    void *list[20] = {NULL}, *owner;
    size_t offset, bytes;
    unsigned count;
    const char *name;
    int value, blocks, threads;

    DRIVER_OK(cuModuleGetFunctionCount(&count, module));
    DRIVER_HOLDS(count == 13); /* of kernels.ptx */
    DRIVER_OK(cuModuleEnumerateFunctions(list, 20, module));
    DRIVER_HOLDS(list[12] != NULL && list[13] == NULL);
    DRIVER_OK(cuFuncGetName(&name, scale));
    DRIVER_HOLDS(strcmp(name, "scale") == 0);
    DRIVER_OK(cuFuncGetModule(&owner, scale));
    DRIVER_HOLDS(owner == module);
    DRIVER_OK(cuFuncGetAttribute(&value, 0, scale));
    DRIVER_HOLDS(value == 1024);
    DRIVER_OK(cuFuncGetAttribute(&value, 4, scale));
    DRIVER_HOLDS(value > 4);
    DRIVER_OK(cuFuncSetAttribute(scale, 8, 4096));
    DRIVER_OK(cuFuncGetAttribute(&value, 8, scale));
    DRIVER_HOLDS(value == 4096);
    DRIVER_WANT(cuFuncGetAttribute(&value, 77, scale), INVALID_VALUE);
    DRIVER_OK(cuFuncSetCacheConfig(scale, 1));
    DRIVER_OK(cuFuncGetParamInfo(scale, 3, &offset, &bytes));
    DRIVER_HOLDS(offset == 20 && bytes == 4);
    DRIVER_WANT(cuFuncGetParamInfo(scale, 4, &offset, &bytes), INVALID_VALUE);
    DRIVER_OK(
        cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale, 256, 0));
    DRIVER_HOLDS(blocks == 6); /* of 1536 threads */
    DRIVER_OK(
        cuOccupancyMaxPotentialBlockSize(&blocks, &threads, scale, NULL, 0, 0));
    DRIVER_HOLDS(threads == 768 && blocks == 2 * 15);
}

static void case_module(void)
{
    void *module, *scale, *again, *meet;
    uint32_t blocks, eight = 8, seen[8];
    address counter, arrived, out;
    void *args[] = {&arrived, &out};
    float factor;
    size_t bytes;

    begin();
    DRIVER_OK(cuModuleLoadData(&module, kernels()));
    DRIVER_OK(cuModuleGetFunction(&scale, module, "scale"));
    DRIVER_OK(cuModuleGetFunction(&again, module, "scale"));
    DRIVER_HOLDS(scale == again);
    check_launches(scale);
    check_tensor_maps();
    check_attributes(module, scale);
    DRIVER_OK(cuModuleGetGlobal_v2(&counter, &bytes, module, "counter"));
    DRIVER_HOLDS(bytes == 4);
    DRIVER_OK(cuMemcpyDtoH_v2(&blocks, counter, 4));
    DRIVER_HOLDS(blocks == 7 + 7 * 8);
    DRIVER_OK(cuModuleGetGlobal_v2(&counter, NULL, module, "factor"));
    DRIVER_OK(cuMemcpyDtoH_v2(&factor, counter, 4));
    DRIVER_HOLDS(factor == 2);

    DRIVER_OK(cuModuleGetFunction(&meet, module, "meet"));
    DRIVER_OK(cuMemAlloc_v2(&arrived, 4));
    DRIVER_OK(cuMemAlloc_v2(&out, sizeof(seen)));
    DRIVER_OK(cuMemsetD32_v2(arrived, 0, 1));
    DRIVER_OK(
        cuLaunchCooperativeKernel(meet, 8, 1, 1, 64, 1, 1, 0, NULL, args));
    DRIVER_OK(cuMemcpyDtoH_v2(seen, out, sizeof(seen)));
    for (int i = 0; i < 8; i++) {
        DRIVER_HOLDS(seen[i] == eight);
    }
    DRIVER_WANT(
        cuLaunchCooperativeKernel(meet, 1000, 1, 1, 64, 1, 1, 0, NULL, args),
        720);

    DRIVER_OK(cuModuleUnload(module));
    DRIVER_WANT(cuModuleUnload(module), INVALID_HANDLE);
    DRIVER_WANT(cuModuleGetFunction(&again, module, "scale"), INVALID_HANDLE);
    DRIVER_WANT(cuLaunchKernel(scale, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL),
                INVALID_HANDLE);
}

/* Fat binaries, files, and libraries, which need no context. */
static void case_forms(void)
{
    static struct made_fatbin fatbin;
    struct {
        uint32_t magic, version;
        const void *data, *more;
    } wrapper = {0x466243b1, 1, fatbin.bytes, NULL};
    void *module, *scale, *library, *context;
    address at;

    DRIVER_OK(cuInit(0));
    DRIVER_OK(
        cuLibraryLoadData(&library, kernels(), NULL, NULL, 0, NULL, NULL, 0));
    DRIVER_OK(cuLibraryGetKernel(&scale, library, "scale"));
    DRIVER_WANT(cuLibraryGetGlobal(&at, NULL, library, "factor"),
                INVALID_CONTEXT);
    DRIVER_OK(cuDevicePrimaryCtxRetain(&context, 0));
    DRIVER_OK(cuCtxSetCurrent(context));
    check_launches(scale); /* a kernel is as good as a function */
    DRIVER_OK(cuKernelGetFunction(&scale, scale));
    check_launches(scale);
    DRIVER_OK(cuLibraryGetGlobal(&at, NULL, library, "factor"));
    DRIVER_OK(cuLibraryGetModule(&module, library));
    DRIVER_OK(cuModuleGetFunction(&scale, module, "work"));
    DRIVER_OK(cuLibraryUnload(library));
    DRIVER_WANT(cuLibraryUnload(library), INVALID_HANDLE);

    DRIVER_OK(cuModuleLoad(&module, getenv("TEST_PTX")));
    DRIVER_OK(cuModuleGetFunction(&scale, module, "scale"));
    check_launches(scale);
    for (int how = MAKE_RAW; how <= MAKE_ZSTD; how++) {
        make_begin(&fatbin);
        make_entry(&fatbin, 2, 75, "\177ELF", 4);
        make_ptx(&fatbin, 75, kernels(), (enum make_how)how);
        DRIVER_OK(cuModuleLoadFatBinary(&module, fatbin.bytes));
        DRIVER_OK(cuModuleGetFunction(&scale, module, "scale"));
        check_launches(scale);
    }
    DRIVER_OK(cuModuleLoadFatBinary(&module, &wrapper));
    DRIVER_OK(cuModuleGetFunction(&scale, module, "scale"));
    check_launches(scale);
}

/* ---- errors ---- */

/* A log buffer gets what is wrong with PTX, with its line. */
static void check_log(void)
{
    static char bad[] = ".version 7.0\n.target sm_50\n.address_size 64\n"
                        ".visible .entry f()\n{\n    ret;\n}\nfly;\n";
    char log[300] = "", little[8];
    int option[] = {5, 6, 4, 2};
    void *value[] = {log, (void *)sizeof(log), (void *)7, (void *)9};
    void *module = bad;

    DRIVER_WANT(cuModuleLoadDataEx(&module, bad, 4, option, value), BAD_PTX);
    DRIVER_HOLDS(module == NULL);
    DRIVER_HOLDS(strstr(log, ":8") != NULL && strstr(log, "fly") != NULL);
    DRIVER_HOLDS((size_t)value[1] == strlen(log) + 1 && value[2] == NULL);
    memset(little, 1, sizeof(little));
    value[0] = little;
    value[1] = (void *)sizeof(little);
    DRIVER_WANT(cuModuleLoadDataEx(&module, bad, 2, option, value), BAD_PTX);
    DRIVER_HOLDS(little[7] == '\0' && (size_t)value[1] == sizeof(little));
    value[1] = (void *)sizeof(little);
    DRIVER_OK(cuModuleLoadDataEx(&module, kernels(), 2, option, value));
    DRIVER_HOLDS(little[0] == '\0' && value[1] == NULL);
}

static void case_errors(void)
{
    static struct made_fatbin fatbin;
    void *module, *kernel, *wrong = &fatbin;
    char elf[64] = "\177ELF";
    const char *text;
    address at = 0;
    size_t left, total;

    begin();
    check_log();
    DRIVER_WANT(cuModuleLoadData(&module, elf), NO_BINARY);
    DRIVER_WANT(cuModuleLoadData(&module, NULL), INVALID_VALUE);
    DRIVER_WANT(cuModuleLoadData(&module, "no PTX at all"), BAD_PTX);
    DRIVER_WANT(cuModuleLoad(&module, "nowhere/none.ptx"), NO_FILE);
    make_begin(&fatbin);
    make_entry(&fatbin, 2, 75, "\177ELF", 4);
    DRIVER_WANT(cuModuleLoadFatBinary(&module, fatbin.bytes), NO_BINARY);
    make_ptx(&fatbin, 75, kernels(), MAKE_ZSTD);
    fatbin.bytes[200] ^= 255;
    DRIVER_WANT(cuModuleLoadFatBinary(&module, fatbin.bytes), INVALID_IMAGE);
    DRIVER_OK(cuModuleLoadData(&module, kernels()));
    DRIVER_WANT(cuModuleGetFunction(&kernel, module, "scales"), NOT_FOUND);
    DRIVER_WANT(cuModuleGetFunction(&kernel, module, NULL), INVALID_VALUE);
    DRIVER_WANT(cuModuleGetFunction(&kernel, wrong, "scale"), INVALID_HANDLE);
    DRIVER_WANT(cuModuleGetGlobal_v2(&at, NULL, module, "none"), NOT_FOUND);
    DRIVER_WANT(cuModuleGetGlobal_v2(&at, NULL, NULL, "none"), INVALID_HANDLE);
    DRIVER_WANT(cuLaunchKernel(wrong, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL),
                INVALID_HANDLE);
    DRIVER_WANT(cuStreamSynchronize(wrong), INVALID_HANDLE);
    DRIVER_WANT(cuEventRecord(wrong, NULL), INVALID_HANDLE);
    DRIVER_WANT(cuMemAlloc_v2(&at, 0), INVALID_VALUE);
    DRIVER_OK(cuMemGetInfo_v2(&left, &total));
    DRIVER_WANT(cuMemAlloc_v2(&at, total + 1), OUT_OF_MEMORY);
    DRIVER_WANT(cuMemFree_v2(4711), INVALID_VALUE);
    DRIVER_WANT(cuMemGetAddressRange_v2(&at, NULL, 4711), NOT_FOUND);
    DRIVER_WANT(cuMemsetD32_v2(2, 0, 1), INVALID_VALUE);
    DRIVER_OK(cuGetErrorName(500, &text));
    DRIVER_HOLDS(strcmp(text, "CUDA_ERROR_NOT_FOUND") == 0);
    DRIVER_OK(cuGetErrorString(2, &text));
    DRIVER_HOLDS(strcmp(text, "out of memory") == 0);
    DRIVER_WANT(cuGetErrorName(4711, &text), INVALID_VALUE);
    DRIVER_HOLDS(text == NULL);
    DRIVER_WANT(cuMulticastCreate(), NOT_SUPPORTED);
    DRIVER_WANT(cuMulticastCreate(), NOT_SUPPORTED);
}

/* A kernel that fails is told about by what comes after it, for ever. */
static void case_sticky(void)
{
    void *module, *astray;
    address nowhere = 16;
    void *args[] = {&nowhere};
    size_t left, total;

    begin();
    DRIVER_OK(cuModuleLoadData(&module, kernels()));
    DRIVER_OK(cuModuleGetFunction(&astray, module, "astray"));
    DRIVER_OK(cuLaunchKernel(astray, 1, 1, 1, 32, 1, 1, 0, NULL, args, NULL));
    DRIVER_WANT(cuCtxSynchronize(), ILLEGAL_ADDRESS);
    DRIVER_WANT(cuMemGetInfo_v2(&left, &total), ILLEGAL_ADDRESS);
    DRIVER_WANT(cuModuleLoadData(&module, kernels()), ILLEGAL_ADDRESS);
}

/* ---- linking, and functions by their names ---- */

static void case_link(void)
{
    void *link, *image, *module, *raise;
    uint32_t counted;
    address counter;
    size_t bytes;
    char *text;

    begin();
    DRIVER_OK(cuLinkCreate_v2(0, NULL, NULL, &link));
    DRIVER_WANT(cuLinkComplete(link, &image, &bytes), INVALID_VALUE);
    text = kernels();
    DRIVER_OK(cuLinkAddData_v2(link, 1, text, strlen(text) + 1, "kernels", 0,
                               NULL, NULL));
    DRIVER_OK(
        cuLinkAddFile_v2(link, 1, getenv("TEST_LINKED_PTX"), 0, NULL, NULL));
    DRIVER_WANT(cuLinkAddFile_v2(link, 1, "none.ptx", 0, NULL, NULL), NO_FILE);
    DRIVER_WANT(cuLinkAddData_v2(link, 0, "\177ELF", 4, "code", 0, NULL, NULL),
                NO_BINARY);
    DRIVER_OK(cuLinkComplete(link, &image, &bytes));
    DRIVER_OK(cuModuleLoadData(&module, image));
    DRIVER_OK(cuLinkDestroy(link));
    DRIVER_WANT(cuLinkDestroy(link), INVALID_HANDLE);
    DRIVER_OK(cuModuleGetFunction(&raise, module, "raise"));
    DRIVER_OK(cuLaunchKernel(raise, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    DRIVER_OK(cuModuleGetGlobal_v2(&counter, &bytes, module, "counter"));
    DRIVER_OK(cuMemcpyDtoH_v2(&counted, counter, 4));
    DRIVER_HOLDS(counted == 7 + 90 + 10);
}

static void *function_of(const char *name, int version, uint64_t flags)
{
    void *found, *old;
    int status = -1;

    DRIVER_OK(cuGetProcAddress_v2(name, &found, version, flags, &status));
    DRIVER_HOLDS((status == 0) == (found != NULL));
    DRIVER_WANT(cuGetProcAddress(name, &old, version, flags),
                found != NULL ? 0 : NOT_FOUND);
    DRIVER_HOLDS(old == found);
    return found;
}

static void *symbol(const char *name)
{
    void *found = dlsym(RTLD_DEFAULT, name);

    DRIVER_HOLDS(found != NULL);
    return found;
}

static void case_entry(void)
{
    DRIVER_HOLDS(function_of("cuInit", 12000, 0) == symbol("cuInit"));
    DRIVER_HOLDS(function_of("cuMemAlloc", 11000, 0) ==
                 symbol("cuMemAlloc_v2"));
    DRIVER_HOLDS(function_of("cuCtxCreate", 11000, 0) ==
                 symbol("cuCtxCreate_v2"));
    DRIVER_HOLDS(function_of("cuCtxCreate", 12000, 0) ==
                 symbol("cuCtxCreate_v3"));
    DRIVER_HOLDS(function_of("cuCtxCreate", 13000, 0) ==
                 symbol("cuCtxCreate_v4"));
    DRIVER_HOLDS(function_of("cuMemAdvise", 12000, 0) == symbol("cuMemAdvise"));
    DRIVER_HOLDS(function_of("cuMemAdvise", 13000, 0) ==
                 symbol("cuMemAdvise_v2"));
    DRIVER_HOLDS(function_of("cuMemcpyHtoD", 12000, 2) ==
                 symbol("cuMemcpyHtoD_v2_ptds"));
    DRIVER_HOLDS(function_of("cuLaunchKernel", 12000, 2) ==
                 symbol("cuLaunchKernel_ptsz"));
    DRIVER_HOLDS(function_of("cuGraphCreate", 12000, 0) ==
                 symbol("cuGraphCreate"));
    DRIVER_HOLDS(function_of("cuNothing", 12000, 0) == NULL);
    DRIVER_HOLDS(function_of("cudaMalloc", 12000, 0) == NULL);
    DRIVER_HOLDS(function_of("cuMemPrefetchAsync", 7000, 0) == NULL);
}

/* A fat binary with a few changes: it is loaded, or there is an error. */
static void case_damaged(void)
{
    static struct made_fatbin fatbin;
    void *module;
    int error;

    begin();
    make_begin(&fatbin);
    make_ptx(&fatbin, 75, kernels(), MAKE_ZSTD);
    make_damage(&fatbin, getenv("TEST_DAMAGE"));
    error = cuModuleLoadData(&module, fatbin.bytes);
    DRIVER_HOLDS(error == 0 || error == INVALID_IMAGE || error == NO_BINARY ||
                 error == BAD_PTX);
    printf("error %d\n", error);
}

/* Calls what $TEST_NAME says, twice; it is told once. */
static void case_call(void)
{
    int (*call)(void);

    *(void **)&call = symbol(getenv("TEST_NAME"));
    DRIVER_WANT(call(), NOT_SUPPORTED);
    DRIVER_WANT(call(), NOT_SUPPORTED);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {
        {"contexts", case_contexts}, {"device", case_device},
        {"module", case_module},     {"forms", case_forms},
        {"errors", case_errors},     {"sticky", case_sticky},
        {"link", case_link},         {"entry", case_entry},
        {"call", case_call},         {"memory", case_memory},
        {"virtual", case_virtual},   {"boxes", case_boxes},
        {"managed", case_managed},   {"texture", case_texture},
        {"streams", case_streams},   {"damaged", case_damaged},
        {"graph", case_graph},
    };

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
