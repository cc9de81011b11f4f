/*
 * An access of the program: followed by simulateCache() in the monitoring
 * slice, through the cache in the others.
 *
 * A hit is in line; the rest is behind the slice and comes back to the place
 * where a hit goes on, so that threads that missed and threads that hit take
 * their data from shared memory together.
 */
#include <stdio.h>

#include "policies/sl1/sl1_private.h"
#include "workloads/ir/build.h"

#define PUT(...) sl1_put(e, __VA_ARGS__)

struct access {
    const struct loom_ptx_inst *inst;
    const struct sl1_inst *mine;
    uint32_t s, i, label;
    char base[80];  /* a register, of `bytes` bytes; its address is there, */
    int64_t offset; /* so far behind */
    uint32_t bytes;
    bool changed;   /* the access writes this register */
    char word[80];  /* a register: the address in e->word's bits */
    char guard[96]; /* negated, or "" */
};

struct overlap {
    uint32_t reg;
    bool found;
};

static void compare(void *context, uint32_t reg, bool write)
{
    struct overlap *o = context;

    o->found = o->found || (write && reg == o->reg);
}

static void find_base(struct sl1_emit *e, struct access *a)
{
    const struct loom_ptx_operand *o =
        &a->inst->operand[loom_ptx_address_operand(a->inst)];
    struct overlap overlap = {.reg = o->reg};
    const struct loom_ptx_reg *reg;

    a->bytes = 8;
    if (o->kind != LOOM_PTX_OP_ADDRESS || o->reg == LOOM_PTX_NONE) {
        PUT("\tmov.u64 %%sl1_a~, %s%s%lld;\n",
            o->var != NULL ? o->var->name : "", o->var != NULL ? "+" : "",
            (long long)o->value);
        snprintf(a->base, sizeof(a->base), "%%sl1_a%u", e->site.number);
        return;
    }
    reg = &e->f->reg[o->reg];
    snprintf(a->base, sizeof(a->base), "%.60s", reg->name);
    if (reg->number != LOOM_PTX_NONE) {
        snprintf(a->base, sizeof(a->base), "%.60s%u", reg->name, reg->number);
    }
    loom_ptx_visit(a->inst, compare, &overlap);
    a->changed = overlap.found;
    a->offset = o->value;
    a->bytes = loom_ptx_type_bytes((enum loom_ptx_type)reg->type);
}

/* The address in 64 bits: a register, `to` if that takes instructions. */
static const char *put_address(struct sl1_emit *e, const struct access *a,
                               const char *to)
{
    if (!e->near) {
        return a->word;
    }
    if (a->bytes < 8) { /* it is extended with zeros */
        PUT("\tcvt.u64.u%u %s, %s;\n", 8 * a->bytes, to, a->base);
    }
    if (a->offset != 0) {
        PUT("\tadd.s64 %s, %s, %lld;\n", to, a->bytes < 8 ? to : a->base,
            (long long)a->offset);
    }
    return a->bytes < 8 || a->offset != 0 ? to : a->base;
}

/* The address's word in a register that the access does not change. */
static void put_word(struct sl1_emit *e, struct access *a)
{
    const char *from = a->base;

    snprintf(a->word, sizeof(a->word), "%%sl1_w%u", e->site.number);
    if (a->bytes != (e->near ? 4 : 8)) {
        PUT("\tcvt.%s.u%u %s, %s;\n", e->word, 8 * a->bytes, a->word, from);
        from = a->word;
    }
    if (a->offset != 0) {
        PUT("\tadd.%s %s, %s, %lld;\n", e->near ? "s32" : "s64", a->word, from,
            (long long)(e->near ? (int32_t)a->offset : a->offset));
    } else if (from == a->base && a->changed && e->slice == 'm') {
        PUT("\tmov.%s %s, %s;\n", e->word, a->word, from);
    } else if (from == a->base) {
        snprintf(a->word, sizeof(a->word), "%s", a->base);
    }
}

static struct access start(struct sl1_emit *e, uint32_t i)
{
    struct access a = {.inst = &e->f->inst[i],
                       .mine = &e->plan->inst[i],
                       .s = e->plan->inst[i].structure,
                       .i = i,
                       .label = e->labels++};

    sl1_new_site(e);
    sl1_guard_text(e, a.inst, true, a.guard);
    if (a.guard[0] != '\0') {
        PUT("\t%sbra $sl1_s%u;\n", a.guard, a.label);
    }
    find_base(e, &a);
    return a;
}

static void finish(struct sl1_emit *e, const struct access *a)
{
    if (a->guard[0] != '\0') {
        PUT("$sl1_s%u:\n", a->label);
    }
}

/* The access itself, without its guard or with another one. */
static void put_plain(struct sl1_emit *e, const struct access *a,
                      uint32_t guard)
{
    struct loom_ptx_inst inst = *a->inst;

    inst.guard = guard;
    inst.guard_negate = guard != LOOM_PTX_NONE;
    sl1_emit_inst(e, &inst);
}

/* The same access in shared memory, so far behind %sl1_o~. */
static void put_shared(struct sl1_emit *e, const struct access *a,
                       uint32_t offset, uint32_t guard)
{
    struct loom_ptx_inst inst = *a->inst;
    struct loom_ptx_operand operand[4];
    uint32_t at = loom_ptx_address_operand(a->inst);

    for (uint32_t k = 0; k < inst.operand_count && k < 4; k++) {
        operand[k] = inst.operand[k];
    }
    operand[at] = loom_ptx_operand_at(e->site.offset, offset);
    inst.op = a->mine->store ? LOOM_PTX_ST : LOOM_PTX_LD;
    inst.operand = operand;
    inst.space = LOOM_PTX_SHARED;
    inst.flags = 0;
    inst.order = inst.cache = inst.evict = inst.prefetch = inst.scope = 0;
    inst.guard = guard;
    inst.guard_negate = false;
    sl1_emit_inst(e, &inst);
}

void sl1_emit_simulated(struct sl1_emit *e, uint32_t i)
{
    struct access a = start(e, i);
    char seen[32];

    if (!a.changed) {
        put_plain(e, &a, LOOM_PTX_NONE);
    }
    sl1_mark(e, SL1_SIMULATE, a.s);
    put_word(e, &a);
    if (a.changed) {
        sl1_mark(e, SL1_NOTHING, a.s);
        put_plain(e, &a, LOOM_PTX_NONE);
    }
    snprintf(seen, sizeof(seen), "%%sl1_seen^_%u", a.s);
    sl1_mark(e, SL1_SIMULATED, a.s);
    PUT("\tsub.%s %%sl1_d~, %s, %s; // simulateCache(%s)\n", e->word, a.word,
        seen, sl1_param_name(e, a.s));
    sl1_mark(e, SL1_SIMULATE, a.s);
    PUT("\tsetp.lt.%s %%sl1_p, %%sl1_d~, %u;\n"
        "\t@%%sl1_p add.u32 %%sl1_hit^_%u, %%sl1_hit^_%u, 1;\n"
        "\t@%%sl1_p bra $sl1_h%u;\n"
        "\tadd.u32 %%sl1_miss^_%u, %%sl1_miss^_%u, 1;\n",
        e->word, e->config->line, a.s, a.s, a.label, a.s, a.s);
    sl1_emit_line_of(e, a.s, a.word, seen);
    PUT("$sl1_h%u:\n", a.label);
    sl1_mark(e, SL1_NOTHING, a.s);
    finish(e, &a);
}

/* With %sl1_d~ the place in the line of structure s: the access to it in
 * shared memory, and the bitmap of a store.  `guard`: none if the structure is
 * cached for certain. */
static void put_hit(struct sl1_emit *e, const struct access *a, uint32_t s,
                    uint32_t guard)
{
    const char *place = e->near ? "%sl1_d~" : "%sl1_o~";
    uint32_t offset;
    char slot[32];

    if (!e->near) {
        PUT("\tcvt.u32.u64 %%sl1_o~, %%sl1_d~;\n");
    }
    if (a->mine->store) {
        PUT("\tshl.b32 %%sl1_m~, %u, %s;\n", (1u << a->mine->width) - 1, place);
        if (guard != LOOM_PTX_NONE) {
            PUT("\t@%%sl1_on%u or.b32 %%sl1_dirty^_%u, %%sl1_dirty^_%u, "
                "%%sl1_m~;\n",
                s, s, s);
        } else {
            PUT("\tor.b32 %%sl1_dirty^_%u, %%sl1_dirty^_%u, %%sl1_m~;\n", s, s);
        }
    }
    PUT("\tadd.u32 %%sl1_o~, %s, %s;\n", place, sl1_slot(e, s, slot, &offset));
    sl1_mark(e, SL1_CACHED, s);
    put_shared(e, a, offset, guard);
}

/* Pointers may be equal: another structure's line may hold the data.  Lines
 * of 24 bytes, which lie anywhere, make way. */
static void put_other_lines(struct sl1_emit *e, const struct access *a)
{
    for (uint32_t t = 0; t < e->nest->count; t++) {
        uint32_t label;

        if (t == a->s) {
            continue;
        }
        if (e->config->line == 24 ||
            (a->mine->store && !sl1_structure(e, t)->written)) {
            sl1_emit_evict(e, t, a->word,
                           e->config->line == 24 ? a->mine->width : 1);
            continue;
        }
        label = e->labels++;
        PUT("\tsub.%s %%sl1_d~, %s, %%sl1_tag^_%u;\n", e->word, a->word, t);
        PUT("\tsetp.ge.%s %%sl1_q, %%sl1_d~, %u;\n"
            "\t@%%sl1_q bra $sl1_e%u;\n",
            e->word, e->config->line, label);
        put_hit(e, a, t, LOOM_PTX_NONE);
        sl1_mark(e, SL1_MANAGE, t);
        PUT("\tbra $sl1_%c%u_done%u;\n"
            "$sl1_e%u:\n",
            e->slice, e->nest->number, a->i, label);
    }
}

/* A line of 24 bytes may overlap several of another structure, and is only
 * counted from the pointer on, for 4 GiB. */
static void put_odd_lines(struct sl1_emit *e, const struct access *a)
{
    if (e->config->line != 24) {
        return;
    }
    PUT("\tld.param.u64 %%sl1_e~, [%s];\n", sl1_param_name(e, a->s));
    PUT("\tsub.s64 %%sl1_e~, %s, %%sl1_e~;\n", put_address(e, a, "%sl1_x~"));
    PUT("\tshr.u64 %%sl1_e~, %%sl1_e~, 32;\n"
        "\tsetp.eq.s64 %%sl1_q, %%sl1_e~, 0;\n"
        "\t@%%sl1_q bra $sl1_n%u;\n",
        a->label);
    put_plain(e, a, LOOM_PTX_NONE);
    PUT("\tbra $sl1_%c%u_done%u;\n"
        "$sl1_n%u:\n",
        e->slice, e->nest->number, a->i, a->label);
    if (e->config->restricted) {
        return;
    }
    sl1_emit_line_of(e, a->s, a->word, "%sl1_v~");
    for (uint32_t t = 0; t < e->nest->count; t++) {
        if (t != a->s) {
            sl1_emit_evict(e, t, "%sl1_v~", e->config->line);
        }
    }
}

static void put_miss(struct sl1_emit *e, const struct access *a)
{
    uint32_t nest = e->nest->number;

    sl1_mark(e, SL1_MANAGE, a->s);
    PUT("$sl1_%c%u_miss%u:\n", e->slice, nest, a->i);
    if (!e->config->restricted) {
        put_other_lines(e, a);
    }
    PUT("\t@!%%sl1_on%u bra $sl1_%c%u_hit%u;\n", a->s, e->slice, nest, a->i);
    put_odd_lines(e, a);
    sl1_emit_write_back(e, a->s);
    sl1_emit_fill(e, a->s, a->word, put_address(e, a, "%sl1_x~"));
    PUT("\tbra $sl1_%c%u_hit%u;\n", e->slice, nest, a->i);
}

void sl1_emit_cached(struct sl1_emit *e, uint32_t i)
{
    struct access a = start(e, i);
    uint32_t nest = e->nest->number;

    sl1_mark(e, SL1_MANAGE, a.s);
    put_word(e, &a);
    sl1_mark(e, SL1_LOOKED_UP, a.s);
    PUT("\tsub.%s %%sl1_d~, %s, %%sl1_tag^_%u; // accessThroughCache(%s)\n",
        e->word, a.word, a.s, sl1_param_name(e, a.s));
    sl1_mark(e, SL1_MANAGE, a.s);
    PUT("\tsetp.ge.%s %%sl1_p, %%sl1_d~, %u;\n"
        "\t@%%sl1_p bra $sl1_%c%u_miss%u;\n"
        "$sl1_%c%u_hit%u:\n",
        e->word, e->config->line, e->slice, nest, i, e->slice, nest, i);
    put_hit(e, &a, a.s, e->on[a.s]);
    sl1_mark(e, SL1_NOTHING, a.s);
    put_plain(e, &a, e->on[a.s]);
    PUT("$sl1_%c%u_done%u:\n", e->slice, nest, i);
    finish(e, &a);
    e->to = &e->late;
    put_miss(e, &a);
    e->to = &e->body;
}

/* Fences, barriers, and accesses that bypass the cache. */
void sl1_emit_foreign(struct sl1_emit *e, uint32_t i)
{
    const struct sl1_inst *mine = &e->plan->inst[i];
    struct access a;

    if (mine->kind == SL1_FENCE) {
        PUT("\t// before a fence: flush\n");
        sl1_mark(e, SL1_MANAGE, 0);
        sl1_emit_flush(e, true);
        sl1_mark(e, SL1_NOTHING, 0);
        sl1_emit_inst(e, &e->f->inst[i]);
        return;
    }
    if (mine->alone && e->config->restricted) {
        sl1_emit_inst(e, &e->f->inst[i]);
        return;
    }
    sl1_mark(e, SL1_MANAGE, 0);
    a = start(e, i);
    put_word(e, &a);
    for (uint32_t t = 0; t < e->nest->count; t++) {
        if (mine->kind == SL1_FOREIGN_STORE || sl1_structure(e, t)->written) {
            sl1_emit_evict(e, t, a.word, mine->width);
        }
    }
    sl1_mark(e, SL1_NOTHING, 0);
    put_plain(e, &a, LOOM_PTX_NONE);
    finish(e, &a);
}
