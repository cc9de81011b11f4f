/*
 * The commands of a run: what the host program did, on the card.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/card/card.h"

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
        card_wrong(p, "an address of no allocation", 0);
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
        card_good(p, "stream", cu.stream(&p->streams[number], 1));
    }
    return p->streams[number];
}

static void add_place(struct player *p, uint64_t address, uint64_t bytes,
                      uint64_t at, bool variable)
{
    if (p->place_count == p->place_room) {
        p->places = card_larger(p->places, &p->place_room, sizeof *p->places);
    }
    p->places[p->place_count++] = (struct place){address, bytes, at, variable};
}

void card_alloc(struct player *p, const char *line)
{
    uint64_t address, bytes, at = 0;

    if (sscanf(line, "%" SCNu64 " %" SCNu64, &address, &bytes) == 2 &&
        find(p, address) == NULL &&
        card_good(p, "alloc", cu.alloc(&at, bytes))) {
        /* As warploom's memory: zeros. */
        card_good(p, "fill", cu.fill(at, 0, bytes, NULL));
        add_place(p, address, bytes, at, false);
    }
}

static void do_free(struct player *p, const char *line)
{
    struct place *place = find(p, strtoull(line, NULL, 10));

    if (place != NULL) {
        card_good(p, "free", cu.free(place->here));
        *place = p->places[--p->place_count];
    }
}

static void do_symbol(struct player *p, const char *line)
{
    uint64_t address, bytes, at = 0;
    char name[300];
    size_t size;

    if (sscanf(line, "%" SCNu64 " %" SCNu64 " %299s", &address, &bytes, name) !=
        3) {
        return;
    }
    for (unsigned i = 0; i < p->module_count; i++) {
        if (cu.global(&at, &size, p->modules[i], name) == 0) {
            add_place(p, address, bytes, at, true);
            return;
        }
    }
    card_wrong(p, "a variable of no module", 0);
}

static void do_module(struct player *p, const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);

    if (text == NULL || p->module_count == 16) {
        card_die("too many modules");
    }
    memcpy(text, data, size);
    text[size] = '\0';
    if (card_good(p, "module",
                  cu.load(&p->modules[p->module_count], text, 0, NULL, NULL))) {
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
        card_wrong(p, "a copy that is not understood", 0);
        return;
    }
    address = here(p, address);
    stream = stream_of(p, number);
    all = malloc(size + 1);
    got = malloc(size + 1);
    if (all == NULL || got == NULL || (bytes == 0 && size > 0)) {
        card_die("out of memory");
    }
    for (size_t i = 0; i < size; i += bytes) { /* they may repeat */
        memcpy(all + i, data, size - i < bytes ? size - i : bytes);
    }
    if (!p->failed && !read) {
        card_good(p, "upload", cu.to_device(address, all, size, stream));
        card_good(p, "upload", cu.stream_sync(stream));
    } else if (!p->failed &&
               card_good(p, "download",
                         cu.to_host(got, address, size, stream)) &&
               card_good(p, "download", cu.stream_sync(stream))) {
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
            card_good(p, "fill",
                      cu.fill(address, (unsigned char)value, bytes,
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
            card_good(p, "copy",
                      cu.within(to, from, bytes, stream_of(p, number)));
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
    card_wrong(p, "a kernel of no module", 0);
    return NULL;
}

static struct launch *next_launch(struct player *p)
{
    if (p->launch_count == p->launch_room) {
        p->launches =
            card_larger(p->launches, &p->launch_room, sizeof *p->launches);
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
        card_die("out of memory");
    }
    memcpy(params, data, bytes);
    if (sscanf(line, "%199s %u %u %u %u %u %u %u %u %u %*u %u%n", l->kernel,
               &l->grid[0], &l->grid[1], &l->grid[2], &l->block[0],
               &l->block[1], &l->block[2], &shared, &number, &cooperative,
               &pointers, &at) != 11) {
        card_wrong(p, "a launch that is not understood", 0);
    }
    for (const char *rest = line + at; pointers > 0 && !p->failed; pointers--) {
        unsigned long offset = strtoul(rest, (char **)&rest, 10);
        uint64_t address;

        if (offset + 8 > bytes) {
            card_wrong(p, "a pointer outside of the parameters", 0);
            break;
        }
        memcpy(&address, params + offset, 8);
        address = here(p, address);
        memcpy(params + offset, &address, 8);
    }
    function = p->failed ? NULL : kernel_of(p, l->kernel);
    if (!p->failed && shared > 48 << 10) {
        card_good(p, "shared memory",
                  cu.set_attribute(function, 8, (int)shared));
    }
    if (!p->failed) {
        void *stream = stream_of(p, number);

        if (p->events[0] != NULL) {
            cu.record(p->events[0], stream);
        }
        card_good(p, l->kernel,
                  cu.launch(function, l->grid[0], l->grid[1], l->grid[2],
                            l->block[0], l->block[1], l->block[2], shared,
                            stream, NULL, bytes > 0 ? extra : NULL));
        if (number == 0) { /* the host program waits */
            float ms = 0;

            if (p->events[0] != NULL) {
                cu.record(p->events[1], stream);
            }
            card_good(p, l->kernel, cu.sync());
            if (p->events[0] != NULL && p->repeat < p->repeats) {
                cu.elapsed(&ms, p->events[0], p->events[1]);
                l->ns[p->repeat] = (double)ms * 1e6;
                l->begin[p->repeat] = 0;
            }
        }
    }
    free(params);
}

/* Bytes that follow a line. */
size_t card_payload(const char *line)
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

bool card_has_payload(const char *line)
{
    return strncmp(line, "module ", 7) == 0 ||
           strncmp(line, "write ", 6) == 0 || strncmp(line, "read ", 5) == 0 ||
           strncmp(line, "launch ", 7) == 0;
}

void card_perform(struct player *p, const char *line, const uint8_t *data,
                  size_t bytes)
{
    const char *rest = strchr(line, ' ');

    rest = rest == NULL ? "" : rest + 1;
    if (strncmp(line, "alloc ", 6) == 0) {
        card_alloc(p, rest);
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
        card_good(p, "sync", cu.sync());
    }
}
