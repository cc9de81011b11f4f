/*
 * Operand collectors: from issue to the execution units, after GPGPU-Sim
 * (opndcoll_rfu_t).
 *
 *     issue -> latch -> collector unit -> latch -> execution unit
 *
 * An instruction waits in the latch of its kind for a collector unit, there
 * for its source registers, and then in a second latch for its unit.  A
 * register bank is read once in a cycle, or written: results go first.  So
 * without conflicts an instruction issued at t is given a collector at t + 1,
 * reads at t + 2, leaves the collector at t + 3 and starts in its unit at
 * t + 4; SM_WRITE_CYCLES after the unit's latency its result is written.
 *
 * A register is in bank (number + warp slot) mod banks, or number mod banks.
 * With sub-cores each scheduler has its own part of the latches, collectors
 * and banks.  A 64-bit operand is two registers and two reads.
 *
 * Invariants: `busy` counts the flights that are in a latch or a collector;
 * `asked` has the banks with operands that wait, `full` the latches of issue
 * without room for what there may be, `waiting` and `leaving` the latches in
 * front of and behind the collectors with something in them; a set's `held`
 * counts its units in use, its `ready` has those whose operands are read, and
 * `gathered` the sets with such units.  A step in which nothing moves would be
 * repeated as it was until a unit is free, so the SM can sleep until then
 * (sm_operands_next).
 */
#include "engine/free_list.h"

#include "components/sm/sm_private.h"

/* The part of `count` that one of `groups` has: one at least, of any. */
static uint32_t share(uint32_t count, uint32_t groups)
{
    return count == 0 || count >= groups ? count / groups : 1;
}

static struct sm_bank *bank_at(const struct sm_operands *o, uint32_t bank)
{
    return (void *)(o->bank + (size_t)bank * o->bank_bytes);
}

/* Is there an operation for units of kind `k`? */
static bool is_used(const struct sm *sm, uint32_t k)
{
    bool used = false;

    for (uint32_t i = 0; i < SM_OPS; i++) {
        used = used || sm->op[i].unit == k;
    }
    return used;
}

static void lay_out(struct sm *sm, uint32_t groups)
{
    const struct sm_config *config = sm->config;
    struct sm_operands *o = &sm->operands;
    /* Those without a port would never be left. */
    uint32_t generic =
        config->generic_ports != 0 ? config->generic_collectors : 0;

    for (uint32_t g = 0; g < groups; g++) {
        for (uint32_t k = 0; k < SM_UNITS; k++) {
            struct sm_kind kind = sm_kind_of(config, k);
            uint32_t latches = kind.latches != 0 ? kind.latches : kind.units;
            uint32_t out = k == SM_UNIT_LDST ? 1 : groups;

            o->in[g][k].capacity = (uint16_t)share(latches, groups);
            if (o->in[g][k].capacity == 0 && is_used(sm, k)) {
                o->full |= loom_bit(g * SM_GROUP + k);
            }
            o->out[g][k].capacity = (uint16_t)share(latches, out);
            o->own[g][k].first = (uint16_t)o->units;
            o->units += share(kind.collectors, groups);
            o->own[g][k].end = (uint16_t)o->units;
            o->own[g][k].ports = (uint16_t)share(kind.ports, groups);
        }
        o->generic[g].first = (uint16_t)o->units;
        o->units += share(generic, groups);
        o->generic[g].end = (uint16_t)o->units;
        o->generic[g].ports = (uint16_t)share(config->generic_ports, groups);
    }
}

bool sm_operands_init(struct sm *sm, struct loom_error *err)
{
    const struct sm_config *config = sm->config;
    struct sm_operands *o = &sm->operands;
    uint32_t flights;

    if (config->register_banks == 0) {
        return true;
    }
    o->on = true;
    lay_out(sm, config->sub_core ? config->schedulers : 1);
    flights = o->units + 2 * SM_SCHEDULERS * SM_UNITS * SM_UNITS_MAX;
    o->bank_bytes = (uint32_t)(sizeof(struct sm_bank) +
                               o->units * SM_READS * sizeof(uint16_t) + 63) /
                    64 * 64;
    o->flight = loom_alloc(sm->self, (size_t)flights + 1, sizeof(*o->flight));
    o->unit = loom_alloc(sm->self, o->units, sizeof(*o->unit));
    o->bank = loom_alloc(sm->self, config->register_banks, o->bank_bytes);
    if (!loom_has_memory(sm->self, err)) {
        return false;
    }
    o->flights = flights;
    o->flight_free = 1; /* and all after it: engine/free_list.h */
    return true;
}

static uint32_t bank_of(const struct sm *sm, const struct sm_warp *warp,
                        uint32_t reg)
{
    const struct sm_config *config = sm->config;
    uint32_t number = reg + (config->bank_by_warp ? warp->slot : 0);
    uint32_t banks = config->register_banks;

    if (config->sub_core) {
        banks /= config->schedulers;
        return number % banks + warp->scheduler * banks;
    }
    return number % banks;
}

/* Banks that the instruction writes. */
static uint64_t written_banks(const struct sm *sm, const struct sm_warp *warp,
                              const struct loom_static_inst *inst)
{
    uint64_t banks = 0;

    for (uint32_t i = 0; i < LOOM_REG_WORDS; i++) {
        uint64_t bits = inst->def[i];

        for (; LOOM_UNLIKELY(bits != 0); bits &= bits - 1) {
            banks |= loom_bit(bank_of(sm, warp, i * 64 + loom_lowest(bits)));
        }
    }
    return banks;
}

void sm_operands_write(struct sm *sm, const struct sm_warp *warp,
                       const struct loom_static_inst *inst)
{
    sm->operands.written |= written_banks(sm, warp, inst);
}

bool sm_operands_try_write(struct sm *sm, const struct sm_warp *warp,
                           const struct loom_static_inst *inst)
{
    uint64_t banks = written_banks(sm, warp, inst);

    if ((banks & sm->operands.written) != 0) {
        return false;
    }
    sm->operands.written |= banks;
    return true;
}

void sm_operands_issue(struct sm *sm, const struct sm_warp *warp)
{
    struct sm_operands *o = &sm->operands;
    uint32_t unit = sm_unit_of(sm, warp->inst);
    uint32_t group = sm->config->sub_core ? warp->scheduler : 0;
    struct sm_latch *latch = &o->in[group][unit];
    uint32_t number = o->flight_free;
    struct sm_flight *flight = &o->flight[number];

    LOOM_CHECK(number <= o->flights && latch->count < latch->capacity);
    o->flight_free = (uint16_t)loom_free_next(number, flight->next);
    *flight = (struct sm_flight){
        .inst = warp->next,
        .order = o->orders++,
        .warp = warp->slot,
        .unit = (uint8_t)unit,
        .group = (uint8_t)group,
    };
    if (unit == SM_UNIT_LDST) {
        uint32_t rank = sm->scheduler_ops->rank(sm->scheduler_policy.policy,
                                                warp->scheduler, warp->local);

        flight->rank =
            (uint16_t)(rank * sm->config->schedulers + warp->scheduler);
    }
    latch->flight[latch->count++] = (uint16_t)number;
    o->waiting |= loom_bit(group * SM_GROUP + unit);
    if (latch->count == latch->capacity) {
        o->full |= loom_bit(group * SM_GROUP + unit);
    }
    o->busy++;
    o->moved = true;
}

/* `used`: the mask in which `bit` says that the latch is not empty. */
static void take_from(struct sm_latch *latch, uint32_t place, uint64_t *used,
                      uint32_t bit)
{
    latch->count--;
    for (uint32_t i = place; i < latch->count; i++) {
        latch->flight[i] = latch->flight[i + 1];
    }
    if (latch->count == 0) {
        *used &= ~loom_bit(bit);
    }
}

/* The oldest instruction of the latch enters a unit, if it can. */
static bool start(struct sm *sm, uint32_t group, uint32_t unit)
{
    struct sm_operands *o = &sm->operands;
    struct sm_latch *latch = &o->out[group][unit];
    struct sm_flight *flight;
    const struct sm_warp *warp;
    uint32_t oldest = 0;
    uint32_t number;
    struct sm_op op;

    for (uint32_t i = 1; i < latch->count; i++) {
        if (o->flight[latch->flight[i]].order <
            o->flight[latch->flight[oldest]].order) {
            oldest = i;
        }
    }
    number = latch->flight[oldest];
    flight = &o->flight[number];
    warp = &sm->warp[flight->warp];
    op = sm_timing(sm, &warp->table[flight->inst.index]);
    if (!sm_unit_free(sm, group, unit) ||
        (unit == SM_UNIT_LDST && !loom_ready(sm->ldst_out, sm->now))) {
        o->refused[group][unit] =
            unit == SM_UNIT_LDST ? SM_SLOT_LDST : SM_SLOT_UNIT;
        return false;
    }
    if (unit != SM_UNIT_LDST && !sm_bus_free(sm, op.latency)) {
        o->refused[group][unit] = SM_SLOT_RESULT_BUS;
        return false;
    }
    take_from(latch, oldest, &o->leaving, group * SM_GROUP + unit);
    sm_start_flight(sm, flight, op);
    flight->next = (uint16_t)loom_free_link(number, o->flight_free);
    o->flight_free = number;
    o->busy--;
    o->moved = true;
    return true;
}

static void start_all(struct sm *sm)
{
    struct sm_operands *o = &sm->operands;
    uint64_t bits = o->leaving;

    for (; o->refusing != 0; o->refusing &= o->refusing - 1) {
        uint32_t i = loom_lowest(o->refusing);

        o->refused[i / SM_GROUP][i % SM_GROUP] = 0;
    }
    for (; bits != 0; bits &= bits - 1) {
        uint32_t i = loom_lowest(bits);
        uint32_t g = i / SM_GROUP, k = i % SM_GROUP;

        while (o->out[g][k].count != 0) {
            if (!start(sm, g, k)) {
                o->refusing |= loom_bit(i);
                break;
            }
        }
    }
}

/* The set of a bit of `gathered`. */
static struct sm_collectors *set_of(struct sm_operands *o, uint32_t bit)
{
    return bit % SM_GROUP == SM_GENERIC
               ? &o->generic[bit / SM_GROUP]
               : &o->own[bit / SM_GROUP][bit % SM_GROUP];
}

/* The flight has all its operands. */
static void gathered(struct sm_operands *o, const struct sm_flight *flight)
{
    set_of(o, flight->set)->ready |= loom_bit(flight->place);
    o->gathered |= loom_bit(flight->set);
}

/* The instruction in collector `place` of the set, which has its operands,
 * leaves if there is room for it. */
static bool leave(struct sm_operands *o, struct sm_collectors *set,
                  uint32_t place)
{
    uint32_t number = o->unit[set->first + place];
    const struct sm_flight *flight = &o->flight[number];
    uint32_t group = flight->unit == SM_UNIT_LDST ? 0 : flight->group;
    struct sm_latch *latch = &o->out[group][flight->unit];

    if (latch->count == latch->capacity) {
        return false;
    }
    latch->flight[latch->count++] = (uint16_t)number;
    o->leaving |= loom_bit(group * SM_GROUP + flight->unit);
    o->unit[set->first + place] = 0;
    o->moved = true;
    set->ready &= ~loom_bit(place);
    set->held--;
    set->last = (uint16_t)place;
    return true;
}

/* Instructions with all their operands leave their collectors, in turn: those
 * behind the one that left last, then the others. */
static void dispatch(struct sm_operands *o, struct sm_collectors *set)
{
    uint32_t units = (uint32_t)set->end - set->first;
    uint32_t first = set->last + 1u;
    uint32_t left = set->ports;
    uint64_t turn[2] = {first < units ? set->ready >> first << first : 0};

    turn[1] = set->ready ^ turn[0];
    for (uint32_t i = 0; i < 2; i++) {
        for (; turn[i] != 0 && left != 0; turn[i] &= turn[i] - 1) {
            left -= leave(o, set, loom_lowest(turn[i]));
        }
    }
}

static void read_banks(struct sm *sm)
{
    struct sm_operands *o = &sm->operands;
    uint32_t places = o->units * SM_READS;

    for (uint64_t rest = o->asked; rest != 0; rest &= rest - 1) {
        uint32_t b = loom_lowest(rest);
        struct sm_bank *bank = bank_at(o, b);
        struct sm_flight *flight;

        o->moved = true;
        if ((o->written >> b & 1) != 0) {
            sm->stats->write_conflicts += bank->count;
            continue;
        }
        flight = &o->flight[bank->flight[bank->head]];
        if (--flight->missing == 0) {
            gathered(o, flight);
        }
        bank->head = (uint16_t)(bank->head + 1u == places ? 0 : bank->head + 1);
        bank->count--;
        if (bank->count == 0) {
            bank->head = 0;
            o->asked &= ~loom_bit(b);
        }
        sm->stats->register_reads++;
        sm->stats->bank_conflicts += bank->count;
    }
}

static void ask(struct sm *sm, uint32_t number, uint32_t reg)
{
    struct sm_operands *o = &sm->operands;
    struct sm_flight *flight = &o->flight[number];
    uint32_t b = bank_of(sm, &sm->warp[flight->warp], reg);
    struct sm_bank *bank = bank_at(o, b);
    uint32_t places = o->units * SM_READS;
    uint32_t place = (uint32_t)bank->head + bank->count;

    if (flight->missing < SM_READS) {
        bank->flight[place < places ? place : place - places] =
            (uint16_t)number;
        bank->count++;
        o->asked |= loom_bit(b);
        flight->missing++;
    }
}

/* The masks do not say which destinations are sources as well, but how many
 * operands there are: the first destinations stand for those not found.  The
 * guard is not read through the collectors. */
static void ask_all(struct sm *sm, uint32_t number)
{
    const struct sm_flight *flight = &sm->operands.flight[number];
    const struct sm_warp *warp = &sm->warp[flight->warp];
    const struct loom_static_inst *inst = warp->table + flight->inst.index;
    uint32_t guard = (inst->flags & LOOM_INST_PREDICATED) != 0;
    uint32_t found = 0;

    for (uint32_t i = 0; i < LOOM_REG_WORDS; i++) {
        uint64_t bits = inst->use[i] & ~inst->def[i];

        for (; bits != 0; bits &= bits - 1) {
            uint32_t reg = i * 64 + loom_lowest(bits);

            found++;
            if (reg >= LOOM_REG_PREDICATE && guard != 0) {
                guard = 0;
            } else {
                ask(sm, number, reg);
            }
        }
    }
    for (uint32_t i = 0; i < LOOM_REG_WORDS && found < inst->sources; i++) {
        uint64_t bits = inst->def[i];

        for (; bits != 0 && found < inst->sources; bits &= bits - 1) {
            ask(sm, number, i * 64 + loom_lowest(bits));
            found++;
        }
    }
}

/* The first of latch `kind` of the group goes into a unit of the set, which has
 * one left: `to` is a kind or SM_GENERIC. */
static LOOM_NOINLINE void gather(struct sm *sm, struct sm_collectors *set,
                                 uint32_t group, uint32_t kind, uint32_t to)
{
    struct sm_operands *o = &sm->operands;
    struct sm_latch *latch = &o->in[group][kind];
    struct sm_flight *flight;
    uint32_t place = set->first;

    while (o->unit[place] != 0) {
        place++;
    }
    o->unit[place] = latch->flight[0];
    flight = &o->flight[latch->flight[0]];
    flight->set = (uint8_t)(group * SM_GROUP + to);
    flight->place = (uint8_t)(place - set->first);
    o->full &= ~loom_bit(group * SM_GROUP + kind);
    o->moved = true;
    set->held++;
    ask_all(sm, latch->flight[0]);
    if (flight->missing == 0) {
        gathered(o, flight);
    }
    take_from(latch, 0, &o->waiting, group * SM_GROUP + kind);
}

/* Gives the first of latch `kind` of the group a unit of set `to`, if there is
 * one. */
static LOOM_INLINE bool accept(struct sm *sm, uint32_t group, uint32_t kind,
                               uint32_t to)
{
    struct sm_operands *o = &sm->operands;
    struct sm_collectors *set =
        to == SM_GENERIC ? &o->generic[group] : &o->own[group][to];

    if (set->held == set->end - set->first) {
        return false;
    }
    gather(sm, set, group, kind, to);
    return true;
}

/* The latches of a group, `waiting`, are not all empty. */
static void accept_all(struct sm *sm, uint32_t g, uint64_t waiting)
{
    struct sm_operands *o = &sm->operands;
    uint32_t kind = 0;

    for (uint64_t bits = waiting; bits != 0; bits &= bits - 1) {
        uint32_t k = loom_lowest(bits);
        uint32_t ports = o->own[g][k].ports;

        for (uint32_t p = 0; p < ports && o->in[g][k].count != 0; p++) {
            if (!accept(sm, g, k, k) && !accept(sm, g, k, SM_GENERIC)) {
                break;
            }
        }
    }
    for (uint32_t p = 0; p < o->generic[g].ports; p++) {
        while (kind < SM_UNITS && o->in[g][kind].count == 0) {
            kind++;
        }
        if (kind == SM_UNITS || !accept(sm, g, kind, SM_GENERIC)) {
            break;
        }
    }
}

static void read_operands(struct sm *sm)
{
    const uint64_t group = loom_bit(SM_GROUP) - 1;
    struct sm_operands *o = &sm->operands;

    for (uint64_t bits = o->gathered; bits != 0; bits &= bits - 1) {
        struct sm_collectors *set = set_of(o, loom_lowest(bits));

        dispatch(o, set);
        if (set->ready == 0) {
            o->gathered &= ~(bits & (0 - bits));
        }
    }
    read_banks(sm);
    for (uint64_t bits = o->waiting; bits != 0;) {
        uint32_t g = loom_lowest(bits) / SM_GROUP;

        accept_all(sm, g, bits >> g * SM_GROUP & group);
        bits &= ~(group << g * SM_GROUP);
    }
}

void sm_operands_step(struct sm *sm)
{
    sm->operands.moved = false;
    if (sm->operands.busy != 0) {
        start_all(sm);
        for (uint32_t i = 0; i < sm->config->register_ports; i++) {
            read_operands(sm);
            sm->operands.written = 0;
        }
    }
    sm->operands.written = 0;
}

loom_cycle sm_operands_next(const struct sm *sm)
{
    const struct sm_operands *o = &sm->operands;
    loom_cycle next = LOOM_NEVER;

    if (o->busy == 0) {
        return LOOM_NEVER;
    }
    if (o->moved || o->asked != 0) {
        return sm->now + 1;
    }
    for (uint64_t bits = o->leaving; bits != 0; bits &= bits - 1) {
        uint32_t g = loom_lowest(bits) / SM_GROUP;
        uint32_t k = loom_lowest(bits) % SM_GROUP;
        loom_cycle at = sm->unit[g][k].free_at;

        if (o->refused[g][k] == SM_SLOT_RESULT_BUS) {
            return sm->now + 1;
        }
        /* A free unit that refuses waits for the load/store unit, whose credit
         * wakes. */
        next = at > sm->now && at < next ? at : next;
    }
    return next;
}

void sm_operands_rest(struct sm *sm)
{
    struct sm_operands *o = &sm->operands;

    for (uint32_t i = 1; i <= o->flights; i++) {
        o->flight[i].inst = (struct loom_warp_inst){0};
    }
}
