/*
 * Component instances: what a part sees of itself.
 */
#include <string.h>

#include "engine/machine_private.h"

void *loom_state(struct loom_component *self)
{
    return self + 1;
}

const void *loom_config(const struct loom_component *self)
{
    return self->config;
}

void *loom_stats_of(struct loom_component *self)
{
    return self->stats;
}

uint16_t loom_component_id(const struct loom_component *self)
{
    return (uint16_t)self->id;
}

const char *loom_component_path(const struct loom_component *self)
{
    return self->path;
}

uint32_t loom_component_index(const struct loom_component *self)
{
    const char *bracket = strrchr(self->path, '[');
    uint32_t index = 0;

    if (bracket == NULL) {
        return 0;
    }
    for (const char *c = bracket + 1; *c >= '0' && *c <= '9'; c++) {
        index = index * 10 + (uint32_t)(*c - '0');
    }
    return index;
}

static struct port *find_port(const struct loom_component *self,
                              const char *name)
{
    struct loom_ports ports = self->type->ports;

    for (size_t i = 0; i < ports.count; i++) {
        if (strcmp(ports.item[i].name, name) == 0) {
            return &self->ports[i];
        }
    }
    LOOM_BUG("'%s' asks for port '%s', which it does not declare",
             self->type->name, name);
}

uint32_t loom_port_count(const struct loom_component *self, const char *port)
{
    return find_port(self, port)->count;
}

struct loom_channel *loom_port_out(struct loom_component *self,
                                   const char *port, uint32_t index)
{
    const struct port *p = find_port(self, port);

    return index < p->count ? p->out[index] : NULL;
}

struct loom_channel *loom_port_in(struct loom_component *self, const char *port,
                                  uint32_t index)
{
    const struct port *p = find_port(self, port);

    return index < p->count ? p->in[index] : NULL;
}

uint32_t loom_port_peer(const struct loom_component *self, const char *port,
                        uint32_t index)
{
    const struct port *p = find_port(self, port);

    LOOM_CHECK(index < p->count && p->peer[index] != NULL);
    return p->peer[index]->id;
}

struct loom_binding loom_slot(struct loom_component *self, const char *slot)
{
    struct loom_slots slots = self->type->slots;

    for (size_t i = 0; i < slots.count; i++) {
        if (strcmp(slots.item[i].name, slot) == 0) {
            return (struct loom_binding){self->slots[i].bound,
                                         self->slots[i].count};
        }
    }
    LOOM_BUG("'%s' asks for slot '%s', which it does not declare",
             self->type->name, slot);
}

void *loom_alloc(struct loom_component *self, size_t count, size_t size)
{
    LOOM_CHECK(!self->started);
    return loom_arena_take(&self->arena, count, size);
}

void loom_array(struct loom_component *self, struct loom_array *array,
                uint32_t count)
{
    array->count = count;
    array->item = loom_alloc(self, count, sizeof(*array->item));
}

bool loom_has_memory(const struct loom_component *self, struct loom_error *err)
{
    return loom_arena_whole(&self->arena, err);
}

struct loom_rng *loom_component_rng(struct loom_component *self)
{
    return &self->rng;
}

loom_time loom_cycle_time(const struct loom_component *self, loom_cycle cycle)
{
    if (LOOM_LIKELY(cycle == self->clock->base)) {
        return self->clock->base_time;
    }
    return loom_clock_time(self->clock, cycle);
}

loom_cycle loom_cycle_at(const struct loom_component *self, loom_time time)
{
    return loom_clock_after(self->clock, time - 1);
}

loom_time loom_told_time(const struct loom_component *self, loom_cycle cycle)
{
    return loom_cycle_time(self, cycle) + self->machine->skipped;
}

void loom_raise(struct loom_component *self, const struct loom_error *err)
{
    struct shard *shard = self->shard;

    /* The earliest stays; of several at one time that of the lowest id. */
    if (shard->error.kind != LOOM_ERR_NONE &&
        (shard->error_time < shard->now ||
         (shard->error_time == shard->now && shard->error_id <= self->id))) {
        return;
    }
    shard->error = *err;
    shard->error_time = shard->now;
    shard->error_id = self->id;
}

void loom_notify(struct loom_component *self)
{
    /* Or others have been simulated beyond this cycle (engine/ahead.c). */
    LOOM_CHECK(self->shard->now >= self->machine->ahead_end);
    self->shard->notified = true;
    self->shard->progress++;
}

void loom_start_awake(struct loom_component *self)
{
    LOOM_CHECK(!self->started);
    loom_clock_wake(self->clock, self->position, self->clock->base + 1);
}

void loom_may_take(struct loom_component *self, loom_cycle cycles)
{
    struct loom_machine *machine = self->machine;
    loom_time time = loom_clock_time(self->clock, cycles);

    LOOM_CHECK(!self->started);
    machine->silence = time > machine->silence ? time : machine->silence;
}

void loom_meet(struct loom_component *self, loom_meeting *what)
{
    struct loom_machine *machine = self->machine;

    LOOM_CHECK(machine->together);
    LOOM_CHECK(self->meeting == NULL);
    self->meeting = what;
    machine->meeting[machine->meetings++] = self;
}

void loom_stay_asleep(struct loom_component *self)
{
    self->stays_asleep = true;
}

void loom_progress(struct loom_component *self)
{
    self->shard->progress++;
}

loom_cycle loom_component_after_now(const struct loom_component *self)
{
    return loom_clock_after(self->clock, self->shard->now);
}

const struct loom_component_type *
loom_component_type_of(const struct loom_component *component)
{
    return component->type;
}

uint32_t loom_component_clock(const struct loom_component *component)
{
    return component->clock_number;
}

bool loom_machine_command(struct loom_component *component, const void *command,
                          struct loom_error *err)
{
    if (component->ops->command == NULL) {
        return loom_fail(err, LOOM_ERR_CONFIG, "'%s' takes no commands",
                         component->path);
    }
    if (!component->ops->command(component, command, err)) {
        return false;
    }
    if (component->stays_asleep) {
        component->stays_asleep = false;
        return true;
    }
    /* It has something to do now: wake it at its next edge.  What comes
     * after a pause is judged from here. */
    component->machine->mark = LOOM_NEVER;
    loom_clock_catch_up(component->clock, loom_component_after_now(component));
    loom_clock_wake(component->clock, component->position,
                    loom_component_after_now(component));
    return true;
}
