/*
 * What warploom-card has of NVIDIA's: the driver's API, CUPTI, the card.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/silicon/card/card.h"

struct card_driver cu;
struct card_cupti cupti;

enum {
    CONCURRENT_KERNEL = 10
}; /* CUpti_ActivityKind */

/* The beginning of CUPTI's record of a kernel, which all versions share. */
struct kernel_record {
    uint32_t kind;
    uint8_t before[12];
    uint64_t start, end, completed; /* ns */
    uint32_t device, context, stream;
    int32_t grid[3], block[3];
    int32_t shared[2];
    uint32_t local[2];
    uint32_t correlation;
};

static struct record *records;
static size_t record_count, record_room;

_Noreturn void card_die(const char *what)
{
    fprintf(stderr, "warploom-card: %s\n", what);
    exit(1);
}

void *card_larger(void *block, size_t *room, size_t size)
{
    *room = *room * 2 + 64;
    block = realloc(block, *room * size);
    if (block == NULL) {
        card_die("out of memory");
    }
    return block;
}

void card_wrong(struct player *p, const char *what, int status)
{
    const char *text = NULL;

    if (p->failed) {
        return;
    }
    p->failed = true;
    if (status != 0 && cu.error(status, &text) != 0) {
        text = "unknown error";
    }
    snprintf(p->why, sizeof p->why, "%s%s%s", what, text != NULL ? ": " : "",
             text != NULL ? text : "");
}

bool card_good(struct player *p, const char *what, int status)
{
    if (status != 0) {
        card_wrong(p, what, status);
    }
    return status == 0;
}

static void give_buffer(uint8_t **buffer, size_t *size, size_t *most)
{
    *size = 4 << 20;
    *buffer = aligned_alloc(8, *size);
    *most = 0;
}

static void take_buffer(void *context, uint32_t stream, uint8_t *buffer,
                        size_t size, size_t valid)
{
    void *at = NULL;

    (void)context;
    (void)stream;
    (void)size;
    while (cupti.next(buffer, valid, &at) == 0) {
        const struct kernel_record *k = at;

        if (k->kind == CONCURRENT_KERNEL) {
            if (record_count == record_room) {
                records = card_larger(records, &record_room, sizeof *records);
            }
            records[record_count++] = (struct record){
                k->correlation, (double)k->start, (double)(k->end - k->start)};
        }
    }
    free(buffer);
}

static int by_correlation(const void *a, const void *b)
{
    uint32_t x = ((const struct record *)a)->correlation;
    uint32_t y = ((const struct record *)b)->correlation;

    return x < y ? -1 : x > y;
}

void card_forget(void)
{
    if (cupti.flush != NULL) {
        cupti.flush(1);
        record_count = 0;
    }
}

/* Gives durations that CUPTI told to the launches, in their order. */
void card_assign(struct player *p)
{
    cupti.flush(1);
    qsort(records, record_count, sizeof *records, by_correlation);
    if (record_count != p->launch_count) {
        card_wrong(p, "CUPTI tells of another number of kernels", 0);
    }
    for (size_t i = 0; i < record_count && !p->failed; i++) {
        p->launches[i].ns[p->repeat] = records[i].ns;
        p->launches[i].begin[p->repeat] = records[i].start - records[0].start;
    }
    record_count = 0;
}

static void *symbol(void *library, const char *name)
{
    void *found = dlsym(library, name);

    if (found == NULL) {
        fprintf(stderr, "warploom-card: there is no %s\n", name);
        exit(1);
    }
    return found;
}

static void open_driver(void)
{
    void *lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);

    if (lib == NULL) {
        card_die(dlerror());
    }
    *(void **)&cu.init = symbol(lib, "cuInit");
    *(void **)&cu.version = symbol(lib, "cuDriverGetVersion");
    *(void **)&cu.device = symbol(lib, "cuDeviceGet");
    *(void **)&cu.name = symbol(lib, "cuDeviceGetName");
    *(void **)&cu.attribute = symbol(lib, "cuDeviceGetAttribute");
    *(void **)&cu.retain = symbol(lib, "cuDevicePrimaryCtxRetain");
    *(void **)&cu.current = symbol(lib, "cuCtxSetCurrent");
    *(void **)&cu.sync = symbol(lib, "cuCtxSynchronize");
    *(void **)&cu.load = symbol(lib, "cuModuleLoadDataEx");
    *(void **)&cu.unload = symbol(lib, "cuModuleUnload");
    *(void **)&cu.function = symbol(lib, "cuModuleGetFunction");
    *(void **)&cu.global = symbol(lib, "cuModuleGetGlobal_v2");
    *(void **)&cu.set_attribute = symbol(lib, "cuFuncSetAttribute");
    *(void **)&cu.alloc = symbol(lib, "cuMemAlloc_v2");
    *(void **)&cu.free = symbol(lib, "cuMemFree_v2");
    *(void **)&cu.to_device = symbol(lib, "cuMemcpyHtoDAsync_v2");
    *(void **)&cu.to_host = symbol(lib, "cuMemcpyDtoHAsync_v2");
    *(void **)&cu.within = symbol(lib, "cuMemcpyDtoDAsync_v2");
    *(void **)&cu.fill = symbol(lib, "cuMemsetD8Async");
    *(void **)&cu.launch = symbol(lib, "cuLaunchKernel");
    *(void **)&cu.stream = symbol(lib, "cuStreamCreate");
    *(void **)&cu.stream_sync = symbol(lib, "cuStreamSynchronize");
    *(void **)&cu.event = symbol(lib, "cuEventCreate");
    *(void **)&cu.record = symbol(lib, "cuEventRecord");
    *(void **)&cu.elapsed = symbol(lib, "cuEventElapsedTime");
    *(void **)&cu.error = symbol(lib, "cuGetErrorString");
}

/* `given`: the library's path, "" for none, NULL for where it is found. */
static void open_cupti(const char *given)
{
    static const char *names[] = {"libcupti.so", "libcupti.so.13",
                                  "libcupti.so.12", "libcupti.so.11.0"};
    void *lib =
        given != NULL && given[0] != '\0' ? dlopen(given, RTLD_NOW) : NULL;

    for (unsigned i = 0; i < 4 && lib == NULL && given == NULL; i++) {
        lib = dlopen(names[i], RTLD_NOW);
    }
    if (lib == NULL) {
        return;
    }
    *(void **)&cupti.callbacks = symbol(lib, "cuptiActivityRegisterCallbacks");
    *(void **)&cupti.enable = symbol(lib, "cuptiActivityEnable");
    *(void **)&cupti.next = symbol(lib, "cuptiActivityGetNextRecord");
    *(void **)&cupti.flush = symbol(lib, "cuptiActivityFlushAll");
    if (cupti.callbacks(give_buffer, take_buffer) != 0 ||
        cupti.enable(CONCURRENT_KERNEL) != 0) {
        cupti.flush = NULL;
    }
}

static void open_card(struct player *p)
{
    static const struct {
        int number;
        const char *name;
    } asked[] = {{16, "sms"},      {13, "core_khz"},  {36, "memory_khz"},
                 {37, "bus_bits"}, {38, "l2_bytes"},  {75, "major"},
                 {76, "minor"},    {82, "registers"}, {81, "shared"}};
    int device, version = 0, value;
    char name[200] = "";
    void *context;

    if (cu.init(0) != 0 || cu.device(&device, 0) != 0 ||
        cu.retain(&context, device) != 0 || cu.current(context) != 0) {
        card_die("there is no card");
    }
    cu.name(name, sizeof name, device);
    cu.version(&version);
    printf("card,%s,driver %d,durations by %s\n", name, version,
           cupti.flush != NULL ? "CUPTI" : "events");
    for (unsigned i = 0; i < sizeof asked / sizeof *asked; i++) {
        if (cu.attribute(&value, asked[i].number, device) == 0) {
            printf("attribute,%s,%d\n", asked[i].name, value);
        }
    }
    if (cupti.flush == NULL) {
        cu.event(&p->events[0], 0);
        cu.event(&p->events[1], 0);
    }
}

static const char spin[] =
    ".version 6.0\n.target sm_50\n.address_size 64\n"
    ".visible .entry spin(.param .u64 out)\n{\n"
    " .reg .b64 %r<8>;\n .reg .pred %p;\n"
    " ld.param.u64 %r0, [out];\n mov.u64 %r1, %globaltimer;\n"
    " mov.u64 %r2, %clock64;\n add.u64 %r3, %r2, 20000000;\n"
    "again:\n mov.u64 %r4, %clock64;\n setp.lt.u64 %p, %r4, %r3;\n"
    " @%p bra again;\n mov.u64 %r5, %globaltimer;\n"
    " sub.u64 %r6, %r4, %r2;\n sub.u64 %r7, %r5, %r1;\n"
    " st.global.u64 [%r0], %r6;\n st.global.u64 [%r0+8], %r7;\n ret;\n}\n";

/* 2048 CTAs of 1024 threads read 128 MiB. */
static const char sweep[] =
    ".version 6.0\n.target sm_50\n.address_size 64\n"
    ".visible .entry sweep(.param .u64 at)\n{\n"
    " .reg .b64 %a<4>;\n .reg .b32 %r<12>;\n .reg .pred %p;\n"
    " ld.param.u64 %a0, [at];\n mov.u32 %r0, %ctaid.x;\n"
    " mov.u32 %r1, %tid.x;\n mad.lo.u32 %r2, %r0, 1024, %r1;\n"
    " mul.wide.u32 %a1, %r2, 16;\n add.u64 %a2, %a0, %a1;\n"
    " ld.global.v4.u32 {%r3,%r4,%r5,%r6}, [%a2];\n"
    " ld.global.v4.u32 {%r7,%r8,%r9,%r10}, [%a2+33554432];\n"
    " or.b32 %r3, %r3, %r7;\n setp.eq.u32 %p, %r3, 12345;\n"
    " @%p st.global.u32 [%a2], %r4;\n ret;\n}\n";

static void make_sweep(struct player *p)
{
    static const size_t bytes = 256 << 20;
    void *module;

    if (cu.load(&module, sweep, 0, NULL, NULL) != 0 ||
        cu.function(&p->sweep, module, "sweep") != 0 ||
        cu.alloc(&p->scratch, bytes) != 0 ||
        cu.fill(p->scratch, 0, bytes, NULL) != 0) {
        card_die("no memory for the sweep");
    }
}

/* The clock of the SMs while one of them is busy. */
void card_tell_clock(void)
{
    uint64_t at, out[2] = {0, 1};
    void *module, *function, *params[] = {&at};

    if (cu.load(&module, spin, 0, NULL, NULL) == 0 &&
        cu.function(&function, module, "spin") == 0 && cu.alloc(&at, 16) == 0 &&
        cu.launch(function, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL) == 0 &&
        cu.to_host(out, at, 16, NULL) == 0 && cu.sync() == 0) {
        printf("clock,%.1f\n", (double)out[0] / (double)out[1] * 1000);
        cu.free(at);
        cu.unload(module);
    }
    card_forget();
    fflush(stdout);
}

void card_open(struct player *p, const char *library)
{
    open_driver();
    open_cupti(library);
    open_card(p);
    make_sweep(p);
    card_tell_clock();
}
