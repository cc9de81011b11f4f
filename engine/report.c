/*
 * The no-progress report: who holds what since when, which channels are
 * full, who waits for whom.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/machine_private.h"

struct line {
    loom_time since; /* LOOM_NEVER: unknown */
    const char *path;
    char text[200];
};

struct loom_report {
    struct list lines;
};

void loom_report_line(struct loom_report *report,
                      const struct loom_component *self, loom_cycle since,
                      const char *fmt, ...)
{
    struct line *line = calloc(1, sizeof(*line));
    va_list args;

    if (line == NULL || !loom_list_add(&report->lines, line)) {
        free(line);
        return;
    }
    line->since =
        since == LOOM_NEVER ? LOOM_NEVER : loom_clock_time(self->clock, since);
    line->path = self->path;
    va_start(args, fmt);
    vsnprintf(line->text, sizeof(line->text), fmt, args);
    va_end(args);
}

static int by_age(const void *a, const void *b)
{
    const struct line *const *x = a, *const *y = b;

    if ((*x)->since != (*y)->since) {
        return (*x)->since < (*y)->since ? -1 : 1;
    }
    return loom_path_compare((*x)->path, (*y)->path);
}

static void print_held(FILE *out, struct loom_machine *machine)
{
    struct loom_report report = {{0}};

    for (size_t i = 0; i < machine->components.count; i++) {
        struct loom_component *self = machine->components.item[i];

        if (self->ops->report != NULL) {
            self->ops->report(self, &report);
        }
    }
    if (report.lines.count != 0) {
        qsort(report.lines.item, report.lines.count, sizeof(void *), by_age);
        fprintf(out, "held, oldest first:\n");
    }
    for (size_t i = 0; i < report.lines.count; i++) {
        struct line *line = report.lines.item[i];

        if (i < 40 && line->since != LOOM_NEVER) {
            fprintf(out, "  %-28s since %.3f us: %s\n", line->path,
                    (double)line->since * 1e-9, line->text);
        } else if (i < 40) {
            fprintf(out, "  %-28s %s\n", line->path, line->text);
        }
        free(line);
    }
    if (report.lines.count > 40) {
        fprintf(out, "  and %zu more\n", report.lines.count - 40);
    }
    free(report.lines.item);
}

static bool full(const struct loom_channel *c)
{
    return c != NULL && loom_occupancy(c) == c->capacity;
}

static void print_channels(FILE *out, const struct loom_machine *machine)
{
    bool any = false;

    for (size_t i = 0; i < machine->links.count; i++) {
        const struct link *link = machine->links.item[i];
        const struct loom_channel *pair[2] = {link->request, link->reply};

        for (int k = 0; k < 2; k++) {
            const struct loom_channel *c = pair[k];

            if (c == NULL || loom_occupancy(c) == 0) {
                continue;
            }
            fprintf(out, "%s  %s -> %s: %u of %u messages%s\n",
                    any ? "" : "channels that are not empty:\n",
                    c->sender->path, c->receiver->path, loom_occupancy(c),
                    c->capacity,
                    full(c) ? ", full; the sender waits for the receiver" : "");
            any = true;
        }
    }
}

/* The component for which `self` waits: the receiver of a full channel that
 * it wanted to send on. */
static const struct loom_component *
waits_for(const struct loom_machine *machine, const struct loom_component *self)
{
    for (size_t i = 0; i < machine->links.count; i++) {
        const struct link *link = machine->links.item[i];

        if (full(link->request) && link->request->starved &&
            link->request->sender == self) {
            return link->request->receiver;
        }
        if (full(link->reply) && link->reply->starved &&
            link->reply->sender == self) {
            return link->reply->receiver;
        }
    }
    return NULL;
}

static void print_cycle(FILE *out, const struct loom_machine *machine)
{
    size_t count = machine->components.count;

    for (size_t i = 0; i < count; i++) {
        const struct loom_component *first = machine->components.item[i];
        const struct loom_component *at = first;

        for (size_t step = 0; at != NULL && step < count; step++) {
            at = waits_for(machine, at);
            if (at == first) {
                break;
            }
        }
        if (at != first || waits_for(machine, first) == NULL) {
            continue;
        }
        fprintf(out, "a cycle of components that wait for each other:\n  %s",
                first->path);
        do {
            at = waits_for(machine, at);
            fprintf(out, " -> %s", at->path);
        } while (at != first);
        fputc('\n', out);
        return;
    }
}

char *loom_machine_report(struct loom_machine *machine)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);

    if (out == NULL) {
        return NULL;
    }
    fprintf(out, "no progress at %.3f us of simulated time\n",
            (double)machine->now * 1e-9);
    print_held(out, machine);
    print_channels(out, machine);
    print_cycle(out, machine);
    fclose(out);
    return text;
}
