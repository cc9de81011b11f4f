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
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/silicon/card/card.h"

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
    size_t length = end == NULL ? p->size - at : (size_t)(end - (p->text + at));

    snprintf(line, room, "%.*s", (int)(length < room ? length : room - 1),
             (const char *)p->text + at);
    return end == NULL ? p->size : at + length + 1;
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
            card_alloc(p, line + 6);
        }
        at = next + (card_has_payload(line) ? card_payload(line) + 1 : 0);
    }
    if (!p->failed) {
        card_good(
            p, "sweep",
            cu.launch(p->sweep, 2048, 1, 1, 1024, 1, 1, 0, NULL, params, NULL));
        card_good(p, "sweep", cu.sync());
    }
    card_forget();
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
        size_t bytes = card_payload(line);

        if (strncmp(line, "run ", 4) == 0 || strcmp(line, "end") == 0) {
            break;
        }
        if (card_has_payload(line)) {
            if (bytes >= p->size - next) {
                card_die("the file ends in a command's data");
            }
            if (perhaps && !p->failed) {
                card_perform(p, line, p->text + next, bytes);
            }
            next += bytes + 1;
        } else if (perhaps && !p->failed) {
            card_perform(p, line, NULL, 0);
        }
        at = next;
    }
    return at;
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
        card_good(p, "sync", cu.sync());
        if (cupti.flush != NULL) {
            card_assign(p);
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

static void read_all(struct player *p)
{
    FILE *file = strcmp(p->path, "-") == 0 ? stdin : fopen(p->path, "rb");
    uint8_t *text = NULL;
    size_t room = 0, got;

    if (file == NULL) {
        card_die(strerror(errno));
    }
    do {
        if (room - p->size < 1 << 20) {
            room = room * 2 + (4 << 20);
            text = realloc(text, room);
            if (text == NULL) {
                card_die("out of memory");
            }
        }
        got = fread(text + p->size, 1, room - p->size, file);
        p->size += got;
    } while (got > 0);
    p->text = text;
    if (p->size < 16 || memcmp(text, "warploom-card 1\n", 16) != 0) {
        card_die("the file is not of `warploom record --card`");
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
    if (argc > 4) { /* where the program begins again */
        first = (unsigned)strtoul(argv[4], NULL, 10);
    }
    if (p.repeats < 1 || p.repeats > MOST_REPEATS) {
        card_die("usage: warploom-card FILE [REPEATS [LIBCUPTI]]");
    }
    read_all(&p);
    card_open(&p, argc > 3 && strcmp(argv[3], "-") != 0 ? argv[3] : NULL);
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
                card_tell_clock();
            }
            if (p.failed && strcmp(p.path, "-") != 0) {
                char repeats[16], number[16];

                snprintf(repeats, sizeof repeats, "%u", p.repeats);
                snprintf(number, sizeof number, "%u", p.number + 1);
                execl("/proc/self/exe", argv[0], p.path, repeats,
                      argc > 3 ? argv[3] : "-", number, (char *)NULL);
            }
        }
        p.number++;
    }
    card_tell_clock();
    return 0;
}
