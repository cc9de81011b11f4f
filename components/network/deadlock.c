/*
 * The no-progress report: which virtual channels hold packets, and a cycle of
 * channels that wait for each other.
 *
 * A channel whose packet has no virtual channel of its output yet waits for
 * those that it may take, all of which others own; a channel whose packet has
 * one waits for the buffer behind it.  A channel that can reach one that is
 * not stuck is not stuck itself; among those that remain every step leads to
 * another one, so that following the first of each finds a cycle.
 */
#include <stdio.h>

#include "components/network/fabric_private.h"

struct walk {
    struct fabric *f;
    uint32_t count; /* channels */
    uint8_t *stuck; /* [count] */
};

static uint32_t router_slots(const struct fabric *f)
{
    return 1u << (f->port_shift + f->vc_shift);
}

/* The channel of this number, or NULL if that is a hole. */
static const struct network_vc *channel(const struct fabric *f, uint32_t number)
{
    uint32_t slot = number % router_slots(f);

    return slot >> f->vc_shift < f->ports
               ? network_vc_at(f->block, number, f->shape)
               : NULL;
}

/* Calls `visit` for each channel that `where` waits for, until it says true;
 * false if it never did. */
static uint32_t waits_for(const struct walk *w, uint32_t where, bool *free)
{
    const struct fabric *f = w->f;
    const struct network_vc *vc = network_vc_at(f->block, where, f->shape);
    uint32_t router = where / router_slots(f);
    uint32_t port = router << f->port_shift | vc->output;
    uint32_t behind = f->graph->to[port];
    const struct network_lane *lane = network_lane_at(
        f->block, network_lane_place(port << f->vc_shift, f->shape));
    const uint32_t *unowned = block_state(
        network_block(f->block, router, f->shape), NETWORK_UNOWNED, f->shape);
    uint32_t found = NETWORK_NONE;

    *free = false;
    if (vc->output_vc != NETWORK_NO_VC) {
        uint32_t next = (behind << f->vc_shift) + vc->output_vc;

        *free = behind == NETWORK_NONE || lane[vc->output_vc].credits != 0 ||
                !w->stuck[next];
        return next;
    }
    for (uint64_t rest = f->tail[where].allowed; rest != 0; rest &= rest - 1) {
        uint32_t v = loom_lowest(rest);
        uint32_t slot = ((uint32_t)vc->output << f->vc_shift) + v;
        uint32_t owner = router * router_slots(f) + lane[v].owner;
        bool owned = (unowned[slot / 32] >> slot % 32 & 1) == 0;

        if (!owned || !w->stuck[owner]) {
            *free = behind != NETWORK_NONE || owned;
            return NETWORK_NONE;
        }
        found = owner;
    }
    return found;
}

/* Leaves only channels that wait for channels that wait .. for ever. */
static void settle(struct walk *w)
{
    bool changed = true, free;

    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < w->count; i++) {
            if (w->stuck[i] != 0 &&
                (waits_for(w, i, &free) == NETWORK_NONE || free)) {
                w->stuck[i] = 0;
                changed = true;
            }
        }
    }
}

static void name(const struct fabric *f, uint32_t where, char text[64])
{
    uint32_t slot = where % router_slots(f);
    char port[24];

    network_port_name(f->graph, slot >> f->vc_shift, port);
    snprintf(text, 64, "router %u input %s vc %u", where / router_slots(f),
             port, slot & ((1u << f->vc_shift) - 1));
}

/* Number of the packet at the head of a channel. */
static uint32_t head(const struct fabric *f, uint32_t where)
{
    return network_vc_at(f->block, where, f->shape)->head / 2;
}

static void print_cycle(struct walk *w, struct loom_report *report)
{
    struct fabric *f = w->f;
    uint32_t at = 0, first, length = 0;
    bool free;
    char here[64], there[64];

    while (at < w->count && w->stuck[at] == 0) {
        at++;
    }
    if (at == w->count) {
        return;
    }
    for (; w->stuck[at] != 2; at = waits_for(w, at, &free)) {
        w->stuck[at] = 2;
    }
    first = at;
    do {
        uint32_t next = waits_for(w, at, &free);

        name(f, at, here);
        name(f, next, there);
        loom_report_line(
            report, f->self, LOOM_NEVER,
            "a cycle of waiting channels, %u: %s waits for %s "
            "(packet 0x%llx for site %u)",
            length++, here, there,
            (unsigned long long)f->packet[head(f, at)].message.block,
            f->aim[head(f, at)] / 2);
        at = next;
    } while (at != first && length < 32);
}

static void print_channels(struct fabric *f, const char *what, uint32_t count,
                           struct loom_report *report)
{
    char here[64];

    for (uint32_t i = 0, lines = 0; i < count && lines < 16; i++) {
        const struct network_vc *vc = channel(f, i);
        const struct network_packet *p;

        if (vc == NULL || vc->count == 0) {
            continue;
        }
        p = &f->packet[head(f, i)];
        name(f, i, here);
        loom_report_line(report, f->self, p->arrived,
                         "%s 0x%llx for site %u at %s, %u flits there", what,
                         (unsigned long long)p->message.block,
                         f->aim[head(f, i)] / 2, here, vc->count);
        lines++;
    }
}

void network_report_fabric(struct fabric *f, const char *what,
                           struct loom_report *report)
{
    struct walk w = {f, f->routers * router_slots(f), f->stuck};

    for (uint32_t i = 0; i < w.count; i++) {
        const struct network_vc *vc = channel(f, i);

        w.stuck[i] =
            vc != NULL && vc->count != 0 && vc->output != NETWORK_NO_OUTPUT;
    }
    print_channels(f, what, w.count, report);
    settle(&w);
    print_cycle(&w, report);
    for (uint32_t c = 0; c < f->classes; c++) {
        for (uint32_t i = 0; i < f->sinks[c]; i++) {
            const struct network_sink *sink = &f->sink[c][i];

            if (sink->head != NETWORK_NONE) {
                loom_report_line(
                    report, f->self, f->packet[sink->head].arrived,
                    "%s 0x%llx waits to leave by link %u", what,
                    (unsigned long long)f->packet[sink->head].message.block, i);
            }
        }
    }
}
