/*
 * warploom-card: does what a host program did, as `warploom record --card`
 * wrote it, on a real card, and tells how long each kernel took.
 *
 * Everything of NVIDIA's is found when it runs: the driver's API, and CUPTI
 * for durations as the profilers tell them; without CUPTI, events around each
 * launch.  So it is built wherever a C compiler is.
 *
 * Prints one line of CSV per launch: the run, the launch's number in it, the
 * kernel, grid and block, the shortest, the median and the longest duration in
 * nanoseconds, and when it began after the run's first kernel did.  What is
 * read back is compared with what warploom computed.  A run that fails says so;
 * as a fault ends the context, the program then begins again behind it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int (*any_fn)();

/* The driver's functions that are used. */
static struct {
    int (*init)(unsigned);
    int (*version)(int *);
    int (*device)(int *, int);
    int (*name)(char *, int, int);
    int (*attribute)(int *, int, int);
    int (*retain)(void **, int);
    int (*current)(void *);
    int (*sync)(void);
    int (*load)(void **, const void *, unsigned, void *, void *);
    int (*unload)(void *);
    int (*function)(void **, void *, const char *);
    int (*global)(uint64_t *, size_t *, void *, const char *);
    int (*set_attribute)(void *, int, int);
    int (*alloc)(uint64_t *, size_t);
    int (*free)(uint64_t);
    int (*to_device)(uint64_t, const void *, size_t, void *);
    int (*to_host)(void *, uint64_t, size_t, void *);
    int (*within)(uint64_t, uint64_t, size_t, void *);
    int (*fill)(uint64_t, unsigned char, size_t, void *);
    int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned,
                  unsigned, unsigned, void *, void **, void **);
    int (*stream)(void **, unsigned);
    int (*stream_sync)(void *);
    int (*event)(void **, unsigned);
    int (*record)(void *, void *);
    int (*elapsed)(float *, void *, void *);
    int (*error)(int, const char **);
} cu;

/* CUPTI's. */
static struct {
    int (*callbacks)(void (*)(uint8_t **, size_t *, size_t *),
                     void (*)(void *, uint32_t, uint8_t *, size_t, size_t));
    int (*enable)(int);
    int (*next)(uint8_t *, size_t, void **);
    int (*flush)(uint32_t);
} cupti;

enum {
    CONCURRENT_KERNEL = 10, /* CUpti_ActivityKind */
    MOST_STREAMS = 64,
    MOST_REPEATS = 64
};

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

struct place { /* memory of the host program, and where it is on the card */
    uint64_t address, bytes, here;
    bool variable;
};

struct launch {
    char kernel[200];
    unsigned grid[3], block[3];
    double ns[MOST_REPEATS], begin[MOST_REPEATS];
};

struct record {
    uint32_t correlation;
    double start, ns;
};

struct player {
    const char *path;
    const uint8_t *text;
    size_t size;
    char run[8192];
    unsigned number, repeat, repeats;
    struct place *places;
    size_t place_count, place_room;
    void *modules[16];
    unsigned module_count;
    void *streams[MOST_STREAMS];
    struct launch *launches;
    size_t launch_count, launch_room, most_launches;
    unsigned compared, different;
    double worst; /* relative, of elements that are real */
    bool failed;
    char why[300];
    void *events[2];
    void *sweep; /* a kernel that reads `scratch` */
    uint64_t scratch;
};

static struct record *records;
static size_t record_count, record_room;

static void die(const char *what)
{
    fprintf(stderr, "warploom-card: %s\n", what);
    exit(1);
}

static void *larger(void *block, size_t *room, size_t size)
{
    *room = *room * 2 + 64;
    block = realloc(block, *room * size);
    if (block == NULL) {
        die("out of memory");
    }
    return block;
}

static void wrong(struct player *p, const char *what, int status)
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

static bool good(struct player *p, const char *what, int status)
{
    if (status != 0) {
        wrong(p, what, status);
    }
    return status == 0;
}

/*---------------------------------------------------------------------------
 * CUPTI */

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
                records = larger(records, &record_room, sizeof *records);
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

/*---------------------------------------------------------------------------
 * Commands */

static struct place *find(struct player *p, uint64_t address)
{
    for (size_t i = p->place_count; i-- > 0;) {
        struct place *place = &p->places[i];

        if (address >= place->address &&
            address - place->address < place->bytes) {
            return place;
        }
    }
    return NULL;
}

static uint64_t here(struct player *p, uint64_t address)
{
    const struct place *place = find(p, address);

    if (place == NULL) {
        wrong(p, "an address of no allocation", 0);
        return 0;
    }
    return place->here + (address - place->address);
}

static void *stream_of(struct player *p, unsigned number)
{
    if (number == 0 || number >= MOST_STREAMS) {
        return NULL;
    }
    if (p->streams[number] == NULL) {
        good(p, "stream", cu.stream(&p->streams[number], 1));
    }
    return p->streams[number];
}

static void add_place(struct player *p, uint64_t address, uint64_t bytes,
                      uint64_t at, bool variable)
{
    if (p->place_count == p->place_room) {
        p->places = larger(p->places, &p->place_room, sizeof *p->places);
    }
    p->places[p->place_count++] = (struct place){address, bytes, at, variable};
}

static void do_alloc(struct player *p, const char *line)
{
    uint64_t address, bytes, at = 0;

    if (sscanf(line, "%" SCNu64 " %" SCNu64, &address, &bytes) == 2 &&
        find(p, address) == NULL && good(p, "alloc", cu.alloc(&at, bytes))) {
        /* As warploom's memory: zeros. */
        good(p, "fill", cu.fill(at, 0, bytes, NULL));
        add_place(p, address, bytes, at, false);
    }
}

static void do_free(struct player *p, const char *line)
{
    struct place *place = find(p, strtoull(line, NULL, 10));

    if (place != NULL) {
        good(p, "free", cu.free(place->here));
        *place = p->places[--p->place_count];
    }
}

static void do_symbol(struct player *p, const char *line)
{
    uint64_t address, bytes, at = 0;
    char name[300];
    size_t size;

    if (sscanf(line, "%" SCNu64 " %" SCNu64 " %299s", &address, &bytes,
               name) != 3) {
        return;
    }
    for (unsigned i = 0; i < p->module_count; i++) {
        if (cu.global(&at, &size, p->modules[i], name) == 0) {
            add_place(p, address, bytes, at, true);
            return;
        }
    }
    wrong(p, "a variable of no module", 0);
}

static void do_module(struct player *p, const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);

    if (text == NULL || p->module_count == 16) {
        die("too many modules");
    }
    memcpy(text, data, size);
    text[size] = '\0';
    if (good(p, "module", cu.load(&p->modules[p->module_count], text, 0, NULL,
                                  NULL))) {
        p->module_count++;
    }
    free(text);
}

/* Compares what was computed here with what warploom computed. */
static void compare(struct player *p, const uint8_t *got, const uint8_t *want,
                    size_t bytes, const char *type)
{
    p->compared++;
    if (memcmp(got, want, bytes) == 0) {
        return;
    }
    p->different++;
    if (strcmp(type, "f32") == 0) {
        double scale = 0, most = 0;

        for (size_t i = 0; i + 4 <= bytes; i += 4) {
            float a, b;

            memcpy(&a, got + i, 4);
            memcpy(&b, want + i, 4);
            scale = fmax(scale, fabs((double)b));
            most = fmax(most, fabs((double)a - (double)b));
        }
        p->worst = fmax(p->worst, scale > 0 ? most / scale : most);
    } else {
        p->worst = INFINITY;
    }
}

static void do_copy(struct player *p, const char *line, bool read,
                    const uint8_t *data, size_t bytes)
{
    uint64_t address, size;
    unsigned number;
    char type[16];
    void *stream;
    uint8_t *all, *got;

    if (sscanf(line, "%" SCNu64 " %" SCNu64 " %*u %u %15s", &address, &size,
               &number, type) != 4) {
        wrong(p, "a copy that is not understood", 0);
        return;
    }
    address = here(p, address);
    stream = stream_of(p, number);
    all = malloc(size + 1);
    got = malloc(size + 1);
    if (all == NULL || got == NULL || (bytes == 0 && size > 0)) {
        die("out of memory");
    }
    for (size_t i = 0; i < size; i += bytes) { /* they may repeat */
        memcpy(all + i, data, size - i < bytes ? size - i : bytes);
    }
    if (!p->failed && !read) {
        good(p, "upload", cu.to_device(address, all, size, stream));
        good(p, "upload", cu.stream_sync(stream));
    } else if (!p->failed &&
               good(p, "download", cu.to_host(got, address, size, stream)) &&
               good(p, "download", cu.stream_sync(stream))) {
        compare(p, got, all, size, type);
    }
    free(all);
    free(got);
}

static void do_fill(struct player *p, const char *line)
{
    uint64_t address, bytes;
    unsigned value, number;

    if (sscanf(line, "%" SCNu64 " %" SCNu64 " %u %u", &address, &bytes, &value,
               &number) == 4) {
        address = here(p, address);
        if (!p->failed) {
            good(p, "fill", cu.fill(address, (unsigned char)value, bytes,
                                    stream_of(p, number)));
        }
    }
}

static void do_move(struct player *p, const char *line)
{
    uint64_t to, from, bytes;
    unsigned number;

    if (sscanf(line, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %u", &to, &from,
               &bytes, &number) == 4) {
        to = here(p, to);
        from = here(p, from);
        if (!p->failed) {
            good(p, "copy", cu.within(to, from, bytes, stream_of(p, number)));
        }
    }
}

static void *kernel_of(struct player *p, const char *name)
{
    void *function = NULL;

    for (unsigned i = 0; i < p->module_count; i++) {
        if (cu.function(&function, p->modules[i], name) == 0) {
            return function;
        }
    }
    wrong(p, "a kernel of no module", 0);
    return NULL;
}

static struct launch *next_launch(struct player *p)
{
    if (p->launch_count == p->launch_room) {
        p->launches = larger(p->launches, &p->launch_room,
                             sizeof *p->launches);
    }
    return &p->launches[p->launch_count++];
}

static void do_launch(struct player *p, const char *line, const uint8_t *data,
                      size_t bytes)
{
    struct launch *l = next_launch(p);
    unsigned shared, number, cooperative, pointers;
    int at = 0;
    size_t size = bytes;
    uint8_t *params = malloc(bytes + 1);
    void *extra[] = {(void *)1, params, (void *)2, &size, NULL};
    void *function;

    if (params == NULL) {
        die("out of memory");
    }
    memcpy(params, data, bytes);
    if (sscanf(line, "%199s %u %u %u %u %u %u %u %u %u %*u %u%n", l->kernel,
               &l->grid[0], &l->grid[1], &l->grid[2], &l->block[0],
               &l->block[1], &l->block[2], &shared, &number, &cooperative,
               &pointers, &at) != 11) {
        wrong(p, "a launch that is not understood", 0);
    }
    for (const char *rest = line + at; pointers > 0 && !p->failed; pointers--) {
        unsigned long offset = strtoul(rest, (char **)&rest, 10);
        uint64_t address;

        if (offset + 8 > bytes) {
            wrong(p, "a pointer outside of the parameters", 0);
            break;
        }
        memcpy(&address, params + offset, 8);
        address = here(p, address);
        memcpy(params + offset, &address, 8);
    }
    function = p->failed ? NULL : kernel_of(p, l->kernel);
    if (!p->failed && shared > 48 << 10) {
        good(p, "shared memory", cu.set_attribute(function, 8, (int)shared));
    }
    if (!p->failed) {
        void *stream = stream_of(p, number);

        if (p->events[0] != NULL) {
            cu.record(p->events[0], stream);
        }
        good(p, l->kernel,
             cu.launch(function, l->grid[0], l->grid[1], l->grid[2],
                       l->block[0], l->block[1], l->block[2], shared, stream,
                       NULL, bytes > 0 ? extra : NULL));
        if (number == 0) { /* the host program waits */
            float ms = 0;

            if (p->events[0] != NULL) {
                cu.record(p->events[1], stream);
            }
            good(p, l->kernel, cu.sync());
            if (p->events[0] != NULL && p->repeat < p->repeats) {
                cu.elapsed(&ms, p->events[0], p->events[1]);
                l->ns[p->repeat] = (double)ms * 1e6;
                l->begin[p->repeat] = 0;
            }
        }
    }
    free(params);
}

/*---------------------------------------------------------------------------
 * Runs */

static void clear(struct player *p)
{
    for (size_t i = 0; i < p->place_count; i++) {
        if (!p->places[i].variable) {
            cu.free(p->places[i].here);
        }
    }
    for (unsigned i = 0; i < p->module_count; i++) {
        cu.unload(p->modules[i]);
    }
    p->place_count = 0;
    p->module_count = 0;
}

/* A line at `at`, without its end; where the next one begins. */
static size_t read_line(const struct player *p, size_t at, char *line,
                        size_t room)
{
    const uint8_t *end = memchr(p->text + at, '\n', p->size - at);
    size_t length = end == NULL ? p->size - at
                                : (size_t)(end - (p->text + at));

    snprintf(line, room, "%.*s", (int)(length < room ? length : room - 1),
             (const char *)p->text + at);
    return end == NULL ? p->size : at + length + 1;
}

/* Bytes that follow a line. */
static size_t payload(const char *line)
{
    uint64_t bytes = 0;

    if (strncmp(line, "module ", 7) == 0) {
        sscanf(line + 7, "%" SCNu64, &bytes);
    } else if (strncmp(line, "write ", 6) == 0 ||
               strncmp(line, "read ", 5) == 0) {
        sscanf(strchr(line, ' '), "%*u %*u %" SCNu64, &bytes);
    } else if (strncmp(line, "launch ", 7) == 0) {
        sscanf(line + 7, "%*s %*u %*u %*u %*u %*u %*u %*u %*u %*u %" SCNu64,
               &bytes);
    }
    return (size_t)bytes;
}

static bool has_payload(const char *line)
{
    return strncmp(line, "module ", 7) == 0 ||
           strncmp(line, "write ", 6) == 0 ||
           strncmp(line, "read ", 5) == 0 || strncmp(line, "launch ", 7) == 0;
}

static void perform(struct player *p, const char *line, const uint8_t *data,
                    size_t bytes)
{
    const char *rest = strchr(line, ' ');

    rest = rest == NULL ? "" : rest + 1;
    if (strncmp(line, "alloc ", 6) == 0) {
        do_alloc(p, rest);
    } else if (strncmp(line, "free ", 5) == 0) {
        do_free(p, rest);
    } else if (strncmp(line, "symbol ", 7) == 0) {
        do_symbol(p, rest);
    } else if (strncmp(line, "module ", 7) == 0) {
        do_module(p, data, bytes);
    } else if (strncmp(line, "write ", 6) == 0) {
        do_copy(p, rest, false, data, bytes);
    } else if (strncmp(line, "read ", 5) == 0) {
        do_copy(p, rest, true, data, bytes);
    } else if (strncmp(line, "fill ", 5) == 0) {
        do_fill(p, rest);
    } else if (strncmp(line, "move ", 5) == 0) {
        do_move(p, rest);
    } else if (strncmp(line, "launch ", 7) == 0) {
        do_launch(p, rest, data, bytes);
    } else if (strncmp(line, "sync", 4) == 0) {
        good(p, "sync", cu.sync());
    }
}

/*
 * What a run allocates before it frees anything, with zeros as warploom's
 * memory has them; then the card's caches are filled with something else, so
 * that they hold what the run itself brings there.
 */
static void prepare(struct player *p, size_t at)
{
    static char line[8192];
    void *params[] = {&p->scratch};

    while (at < p->size && !p->failed) {
        size_t next = read_line(p, at, line, sizeof line);

        if (strncmp(line, "run ", 4) == 0 || strncmp(line, "free ", 5) == 0 ||
            strcmp(line, "end") == 0) {
            break;
        }
        if (strncmp(line, "alloc ", 6) == 0) {
            do_alloc(p, line + 6);
        }
        at = next + (has_payload(line) ? payload(line) + 1 : 0);
    }
    if (!p->failed) {
        good(p, "sweep", cu.launch(p->sweep, 2048, 1, 1, 1024, 1, 1, 0, NULL,
                                   params, NULL));
        good(p, "sweep", cu.sync());
    }
    if (cupti.flush != NULL) {
        cupti.flush(1);
        record_count = 0;
    }
}

/* The commands from `at` to the end of the run; where that is. */
static size_t play(struct player *p, size_t at, bool perhaps)
{
    static char line[8192];

    p->launch_count = 0;
    if (perhaps) {
        prepare(p, at);
    }
    while (at < p->size) {
        size_t next = read_line(p, at, line, sizeof line);
        size_t bytes = payload(line);

        if (strncmp(line, "run ", 4) == 0 || strcmp(line, "end") == 0) {
            break;
        }
        if (has_payload(line)) {
            if (bytes >= p->size - next) {
                die("the file ends in a command's data");
            }
            if (perhaps && !p->failed) {
                perform(p, line, p->text + next, bytes);
            }
            next += bytes + 1;
        } else if (perhaps && !p->failed) {
            perform(p, line, NULL, 0);
        }
        at = next;
    }
    return at;
}

/* Gives durations that CUPTI told to the launches, in their order. */
static void assign(struct player *p)
{
    cupti.flush(1);
    qsort(records, record_count, sizeof *records, by_correlation);
    if (record_count != p->launch_count) {
        wrong(p, "CUPTI tells of another number of kernels", 0);
    }
    for (size_t i = 0; i < record_count && !p->failed; i++) {
        p->launches[i].ns[p->repeat] = records[i].ns;
        p->launches[i].begin[p->repeat] = records[i].start - records[0].start;
    }
    record_count = 0;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static void tell(struct player *p, unsigned repeats)
{
    for (size_t i = 0; i < p->launch_count; i++) {
        struct launch *l = &p->launches[i];
        double begin = l->begin[repeats - 1];

        qsort(l->ns, repeats, sizeof *l->ns, by_value);
        printf("launch,%s,%zu,%s,%ux%ux%u,%ux%ux%u,%.0f,%.0f,%.0f,%.0f\n",
               p->run, i, l->kernel, l->grid[0], l->grid[1], l->grid[2],
               l->block[0], l->block[1], l->block[2], l->ns[0],
               l->ns[repeats / 2], l->ns[repeats - 1], begin);
    }
    printf("check,%s,%u,%u,%g\n", p->run, p->compared, p->different, p->worst);
}

/* A run, as often as is wanted and once more before, which does not count. */
static size_t play_run(struct player *p, size_t at)
{
    size_t end = at;
    unsigned warm = p->repeats > 1 ? 1 : 0;

    p->failed = false;
    for (unsigned i = 0; i < p->repeats + warm; i++) {
        p->repeat = i - warm;
        p->compared = 0;
        p->different = 0;
        p->worst = 0;
        if (i < warm) {
            p->repeat = 0;
        }
        end = play(p, at, true);
        good(p, "sync", cu.sync());
        if (cupti.flush != NULL) {
            assign(p);
        }
        clear(p);
    }
    if (p->failed) {
        printf("failed,%s,%s\n", p->run, p->why);
    } else {
        tell(p, p->repeats);
    }
    fflush(stdout);
    return end;
}

/*---------------------------------------------------------------------------
 * The card */

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
        die(dlerror());
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

/* `given`: the library's path, or "" for none. */
static void open_cupti(const char *given)
{
    static const char *names[] = {"libcupti.so", "libcupti.so.13",
                                  "libcupti.so.12", "libcupti.so.11.0"};
    void *lib = given != NULL && given[0] != '\0' ? dlopen(given, RTLD_NOW)
                                                  : NULL;

    for (unsigned i = 0; i < 4 && lib == NULL && given == NULL; i++) {
        lib = dlopen(names[i], RTLD_NOW);
    }
    if (lib == NULL) {
        return;
    }
    *(void **)&cupti.callbacks =
        symbol(lib, "cuptiActivityRegisterCallbacks");
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
    } asked[] = {{16, "sms"},          {13, "core_khz"}, {36, "memory_khz"},
                 {37, "bus_bits"},     {38, "l2_bytes"}, {75, "major"},
                 {76, "minor"},        {82, "registers"}, {81, "shared"}};
    int device, version = 0, value;
    char name[200] = "";
    void *context;

    if (cu.init(0) != 0 || cu.device(&device, 0) != 0 ||
        cu.retain(&context, device) != 0 || cu.current(context) != 0) {
        die("there is no card");
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
        die("no memory for the sweep");
    }
}

/* The clock of the SMs while one of them is busy. */
static void tell_clock(void)
{
    uint64_t at, out[2] = {0, 1};
    void *module, *function, *params[] = {&at};

    if (cu.load(&module, spin, 0, NULL, NULL) == 0 &&
        cu.function(&function, module, "spin") == 0 &&
        cu.alloc(&at, 16) == 0 &&
        cu.launch(function, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL) == 0 &&
        cu.to_host(out, at, 16, NULL) == 0 && cu.sync() == 0) {
        printf("clock,%.1f\n", (double)out[0] / (double)out[1] * 1000);
        cu.free(at);
        cu.unload(module);
    }
    if (cupti.flush != NULL) {
        cupti.flush(1);
        record_count = 0;
    }
    fflush(stdout);
}

static void read_all(struct player *p)
{
    FILE *file = strcmp(p->path, "-") == 0 ? stdin : fopen(p->path, "rb");
    uint8_t *text = NULL;
    size_t room = 0, got;

    if (file == NULL) {
        die(strerror(errno));
    }
    do {
        if (room - p->size < 1 << 20) {
            room = room * 2 + (4 << 20);
            text = realloc(text, room);
            if (text == NULL) {
                die("out of memory");
            }
        }
        got = fread(text + p->size, 1, room - p->size, file);
        p->size += got;
    } while (got > 0);
    p->text = text;
    if (p->size < 16 || memcmp(text, "warploom-card 1\n", 16) != 0) {
        die("the file is not of `warploom record --card`");
    }
}

int main(int argc, char **argv)
{
    static struct player p;
    unsigned first = 0;
    size_t at = 16;
    static char line[8192];

    p.repeats = 5;
    p.path = argc > 1 ? argv[1] : "-";
    if (argc > 2) {
        p.repeats = (unsigned)strtoul(argv[2], NULL, 10);
    }
    if (argc > 3) {
        first = (unsigned)strtoul(argv[3], NULL, 10);
    }
    if (p.repeats < 1 || p.repeats > MOST_REPEATS) {
        die("usage: warploom-card FILE [REPEATS]");
    }
    read_all(&p);
    open_driver();
    open_cupti(getenv("WARPLOOM_CUPTI"));
    open_card(&p);
    make_sweep(&p);
    tell_clock();
    while (at < p.size) {
        size_t next = read_line(&p, at, line, sizeof line);

        if (strncmp(line, "run ", 4) != 0) {
            break;
        }
        snprintf(p.run, sizeof p.run, "%s", line + 4);
        for (char *c = p.run; *c != '\0'; c++) {
            *c = *c == ' ' ? ',' : *c;
        }
        if (p.number < first) {
            at = play(&p, next, false);
        } else {
            at = play_run(&p, next);
            if (p.number % 32 == 31) {
                tell_clock();
            }
            if (p.failed && strcmp(p.path, "-") != 0) {
                char repeats[16], number[16];

                snprintf(repeats, sizeof repeats, "%u", p.repeats);
                snprintf(number, sizeof number, "%u", p.number + 1);
                execl("/proc/self/exe", argv[0], p.path, repeats, number,
                      (char *)NULL);
            }
        }
        p.number++;
    }
    tell_clock();
    return 0;
}
