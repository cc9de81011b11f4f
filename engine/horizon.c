/*
 * Wakes that come over the horizon of a clock's wheel.
 */
#include "engine/machine_private.h"

/* Wakes it for whatever it may wait for after the base: something later was
 * forgotten for something earlier. */
static void ask(struct loom_component *self)
{
    struct clock *clock = self->clock;

    if (self->timer != LOOM_NEVER && self->timer > clock->base) {
        loom_clock_wake(clock, self->position, self->timer);
    }
    for (size_t i = 0; i < self->type->ports.count; i++) {
        const struct port *port = &self->ports[i];

        for (uint32_t k = 0; k < port->count; k++) {
            const struct loom_channel *in = port->in[k], *out = port->out[k];

            if (in != NULL && in->head_at != LOOM_NEVER &&
                in->head_at > clock->base) {
                loom_clock_wake(clock, self->position, in->head_at);
            }
            if (out != NULL && out->tail_at < LOOM_TAKEN &&
                out->tail_at > clock->base) {
                loom_clock_wake(clock, self->position, out->tail_at);
            }
        }
    }
}

static void bring(struct clock *clock, uint32_t position, loom_cycle cycle)
{
    uint32_t slot = (uint32_t)cycle & WHEEL_MASK;

    clock->far[position] = LOOM_NEVER;
    clock->far_set[position / 64] &= ~loom_bit(position % 64);
    clock->bucket[slot * clock->words + position / 64] |=
        loom_bit(position % 64);
    clock->summary[slot / 64] |= loom_bit(slot % 64);
    ask(clock->order[position]);
}

void loom_clock_bring(struct clock *clock)
{
    clock->far_next = LOOM_NEVER;
    for (uint32_t w = 0; w < clock->words; w++) {
        for (uint64_t rest = clock->far_set[w]; rest != 0; rest &= rest - 1) {
            uint32_t position = w * 64 + loom_lowest(rest);
            loom_cycle cycle = clock->far[position];

            if (cycle - clock->base < WHEEL_SLOTS) {
                bring(clock, position, cycle);
            } else if (cycle < clock->far_next) {
                clock->far_next = cycle;
            }
        }
    }
}
