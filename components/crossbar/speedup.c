/*
 * A switch that is faster than its links: internal_speedup s above 1.
 *
 * A cycle has s rounds.  A link brings or takes a flit per cycle, so flits of
 * a packet do not pass the switch one after the other as in a switch of the
 * links' speed: each waits until it has come by its input's link, and for a
 * place at its output, which the output's link makes free.  What the packet
 * holds, it holds until its last flit has passed.
 *
 * Flit i of a packet that is granted in round g passes in round
 *
 *   p(i) = max(p(i-1) + 1, s a(i), s f)        p(-1) = g + packet_gap - 1
 *
 * where a(i) is the cycle of its arrival and f that in which its place is
 * free.  It is at the end of its output, if the link is free, after a round
 * of traversal and `latency`:
 *
 *   x(i) = max(x(i-1) + 1, floor((p(i) + 1) / s) - lead + latency)
 *
 * with `lead` such that a packet alone takes `latency`.  A place at an input is
 * free in the cycle after its flit has passed, one at an output at x.  All of
 * this is known when a packet is granted, so that no flit is an event.
 *
 * These are the times of BookSim 2's iq_router with one virtual channel and
 * packet_gap 1: p is its switch allocation, and g that of the channel.
 */
#include "components/crossbar/crossbar_private.h"

static struct crossbar_line *take_lines(struct loom_component *self,
                                        uint32_t count, uint32_t places)
{
    struct crossbar_line *line = loom_alloc(self, count, sizeof(*line));

    for (uint32_t i = 0; line != NULL && i < count; i++) {
        line[i].places = places;
        line[i].free = loom_alloc(self, places, sizeof(*line[i].free));
    }
    return line;
}

void crossbar_take_lines(struct loom_component *self,
                         struct crossbar_switch *sw)
{
    if (sw->rounds != 1) {
        sw->in = take_lines(self, sw->inputs, sw->input_limit);
        sw->out = take_lines(self, sw->outputs, sw->output_limit);
    }
}

static inline uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Takes the next place of a line; it will be free at `until`. */
static inline void occupy(struct crossbar_line *line, loom_cycle until)
{
    line->free[line->next] = until;
    line->next = line->next + 1 < line->places ? line->next + 1 : 0;
}

/* When the next flit of a line can come to its end, if it can set out so that
 * it would be there at `at`. */
static inline loom_cycle arrival(const struct crossbar_line *line,
                                 loom_cycle at)
{
    return later(at, later(line->link, line->free[line->next]));
}

/* The head of input `number`, seen at `seen`, asks when it has come. */
static void ask_late(struct crossbar_switch *sw, uint32_t number,
                     loom_cycle seen)
{
    struct crossbar_input *input = &sw->input[number];

    input->free_at =
        later(input->free_at, arrival(&sw->in[number], seen) * sw->rounds);
}

void crossbar_await(struct crossbar_switch *sw, uint32_t number,
                    struct crossbar_packet *p, loom_cycle now)
{
    p->ready = now;
    if (sw->input[number].fifo.head == p) {
        ask_late(sw, number, now);
    }
}

void crossbar_pace(struct crossbar_switch *sw, uint32_t from, uint32_t to,
                   struct crossbar_packet *p, uint64_t round)
{
    struct crossbar_line *in = &sw->in[from], *out = &sw->out[to];
    const struct crossbar_packet *next = sw->input[from].fifo.head;
    uint64_t passes = round + sw->gap;

    for (uint32_t i = 0; i < p->flits; i++) {
        loom_cycle came = arrival(in, p->ready), sent;

        passes = later(passes, later(came, out->free[out->next]) * sw->rounds);
        sent = (passes + 1) / sw->rounds - sw->lead + sw->config->latency;
        sent = later(out->link, sent);
        in->link = came + 1;
        out->link = sent + 1;
        occupy(in, passes / sw->rounds + 1);
        occupy(out, sent);
        passes++;
    }
    p->ready = out->link - 1;
    sw->output[to].free_at = passes;
    sw->input[from].free_at =
        sw->speedup == 1 ? passes - sw->gap + sw->input_gap
                         : round + sw->input_gap +
                               (p->flits + sw->speedup - 1) / sw->speedup;
    if (next != NULL) {
        ask_late(sw, from, next->ready);
    }
}
