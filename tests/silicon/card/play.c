/*
 * The commands of a run: what the host program did, on the card.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/silicon/card/card.h"

/* The next numbers of a line; are they all there? */
static bool numbers(const char **at, uint64_t *out, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        char *end;

        out[i] = strtoull(*at, &end, 10);
        if (end == *at) {
            return false;
        }
        *at = end;
    }
    return true;
}

/* The next word of a line, as far as there is room. */
static void word(const char **at, char *out, size_t room)
{
    size_t length;

    *at += strspn(*at, " ");
    length = strcspn(*at, " ");
    snprintf(out, room, "%.*s", (int)(length < room ? length : room - 1), *at);
    *at += length;
}

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

static void *stream_of(struct player *p, uint64_t number)
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
    uint64_t n[2], at = 0;

    if (numbers(&line, n, 2) && find(p, n[0]) == NULL &&
        card_good(p, "alloc", cu.alloc(&at, n[1]))) {
        /* As warploom's memory: zeros. */
        card_good(p, "fill", cu.fill(at, 0, n[1], NULL));
        add_place(p, n[0], n[1], at, false);
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
    uint64_t n[2], at = 0;
    char name[300];
    size_t size;

    if (!numbers(&line, n, 2)) {
        return;
    }
    word(&line, name, sizeof(name));
    for (unsigned i = 0; i < p->module_count; i++) {
        if (cu.global(&at, &size, p->modules[i], name) == 0) {
            add_place(p, n[0], n[1], at, true);
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
    uint64_t n[4]; /* address, bytes, stored bytes, stream */
    uint64_t address, size;
    char type[16];
    void *stream;
    uint8_t *all, *got;

    if (!numbers(&line, n, 4)) {
        card_wrong(p, "a copy that is not understood", 0);
        return;
    }
    word(&line, type, sizeof(type));
    address = here(p, n[0]);
    size = n[1];
    stream = stream_of(p, n[3]);
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
    uint64_t n[4], address; /* address, bytes, value, stream */

    if (numbers(&line, n, 4)) {
        address = here(p, n[0]);
        if (!p->failed) {
            card_good(p, "fill",
                      cu.fill(address, (unsigned char)n[2], n[1],
                              stream_of(p, n[3])));
        }
    }
}

static void do_move(struct player *p, const char *line)
{
    uint64_t n[4], to, from; /* to, from, bytes, stream */

    if (numbers(&line, n, 4)) {
        to = here(p, n[0]);
        from = here(p, n[1]);
        if (!p->failed) {
            card_good(p, "copy", cu.within(to, from, n[2], stream_of(p, n[3])));
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

/* Addresses in a launch's parameters, at the offsets that `line` has. */
static void translate(struct player *p, const char *line, uint64_t pointers,
                      uint8_t *params, size_t bytes)
{
    for (; pointers > 0 && !p->failed; pointers--) {
        uint64_t offset, address;

        if (!numbers(&line, &offset, 1) || offset > bytes ||
            bytes - offset < sizeof(address)) {
            card_wrong(p, "a pointer outside of the parameters", 0);
            return;
        }
        memcpy(&address, params + offset, sizeof(address));
        address = here(p, address);
        memcpy(params + offset, &address, sizeof(address));
    }
}

/* In the default stream the host program waits. */
static void finish(struct player *p, struct launch *l, void *stream)
{
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

static void launch(struct player *p, struct launch *l, const uint64_t *n,
                   uint8_t *params)
{
    size_t size = n[9];
    void *extra[] = {(void *)1, params, (void *)2, &size, NULL};
    void *stream = stream_of(p, n[7]);
    void *function = kernel_of(p, l->kernel);

    if (!p->failed && n[6] > 48 << 10) {
        card_good(p, "shared memory", cu.set_attribute(function, 8, (int)n[6]));
    }
    if (p->failed) {
        return;
    }
    if (p->events[0] != NULL) {
        cu.record(p->events[0], stream);
    }
    card_good(p, l->kernel,
              cu.launch(function, l->grid[0], l->grid[1], l->grid[2],
                        l->block[0], l->block[1], l->block[2], (unsigned)n[6],
                        stream, NULL, size > 0 ? extra : NULL));
    if (n[7] == 0) {
        finish(p, l, stream);
    }
}

static void do_launch(struct player *p, const char *line, const uint8_t *data,
                      size_t bytes)
{
    struct launch *l = next_launch(p);
    uint64_t n[11]; /* grid, block, shared bytes, stream, cooperative, bytes of
                     * parameters, pointers in them */
    uint8_t *params = malloc(bytes + 1);

    if (params == NULL) {
        card_die("out of memory");
    }
    memcpy(params, data, bytes);
    word(&line, l->kernel, sizeof(l->kernel));
    if (!numbers(&line, n, 11) || n[9] != bytes) {
        card_wrong(p, "a launch that is not understood", 0);
    } else {
        for (unsigned i = 0; i < 3; i++) {
            l->grid[i] = (unsigned)n[i];
            l->block[i] = (unsigned)n[3 + i];
        }
        translate(p, line, n[10], params, bytes);
        launch(p, l, n, params);
    }
    free(params);
}

/* Bytes that follow a line. */
size_t card_payload(const char *line)
{
    uint64_t n[10] = {0};
    char kernel[4];

    if (strncmp(line, "module ", 7) == 0) {
        line += 7;
        numbers(&line, n, 1);
        return n[0];
    } else if (strncmp(line, "write ", 6) == 0 ||
               strncmp(line, "read ", 5) == 0) {
        line = strchr(line, ' ') + 1;
        return numbers(&line, n, 3) ? n[2] : 0;
    } else if (strncmp(line, "launch ", 7) == 0) {
        line += 7;
        word(&line, kernel, sizeof(kernel));
        return numbers(&line, n, 10) ? n[9] : 0;
    }
    return 0;
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
