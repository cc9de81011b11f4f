/*
 * A loop nest as slices, and how control passes between them: sl1_private.h.
 */
#include <string.h>

#include "policies/sl1/sl1_private.h"

/* Where `sl1_left` says a thread goes on: 0, to the nest's header; from 1,
 * to inner headers in slice r; then to the exits. */
static uint32_t exit_code(const struct sl1_nest *nest, uint32_t x)
{
    return 1 + nest->inners + x;
}

static uint32_t exit_of(const struct sl1_nest *nest, uint32_t to)
{
    uint32_t x = 0;

    while (x < nest->exits && nest->exit[x] != to) {
        x++;
    }
    return x;
}

/* The label of instruction `to` for the running slice. */
static void put_place(struct sl1_emit *e, uint32_t to)
{
    const struct sl1_nest *nest = e->nest;

    if (to == SL1_RETURN || !sl1_in(e->plan, e->nest_index, to)) {
        if (e->slice == 'c' && nest->exits == 1) {
            sl1_put(e, "$sl1_f%u", nest->number);
        } else {
            sl1_put(e, "$sl1_%c%u_x%u", e->slice, nest->number,
                    exit_of(nest, to));
        }
    } else if (to == nest->header && e->slice == 'r') {
        sl1_put(e, "$sl1_q%u", nest->number);
    } else {
        sl1_put(e, "$sl1_%c%u_%u", e->slice, nest->number, to);
    }
}

static void put_jump(struct sl1_emit *e, uint32_t to)
{
    sl1_put(e, "\tbra ");
    put_place(e, to);
    sl1_put(e, ";\n");
}

static bool included(const struct sl1_emit *e, uint32_t i)
{
    return sl1_in(e->plan, e->nest_index, i) &&
           (e->slice != 'r' || e->in_rest[i]);
}

static bool enter(struct sl1_emit *e, uint32_t to)
{
    if (!sl1_in(e->plan, e->nest_index, to) || to == e->nest->header ||
        e->in_rest[to]) {
        return false;
    }
    e->in_rest[to] = true;
    return true;
}

/* Slice r: what can be reached from the inner headers before the nest's. */
static void find_rest(struct sl1_emit *e)
{
    bool changed = true;

    memset(e->in_rest, 0, e->f->inst_count * sizeof(*e->in_rest));
    for (uint32_t i = 0; i < e->nest->inners; i++) {
        e->in_rest[e->nest->inner[i]] = true;
    }
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < e->f->inst_count; i++) {
            const struct loom_ptx_inst *inst = &e->f->inst[i];

            if (e->in_rest[i] && inst->op == LOOM_PTX_BRA) {
                changed = enter(e, sl1_target(e->f, inst)) || changed;
            }
            if (e->in_rest[i] && sl1_falls_through(inst)) {
                changed = enter(e, i + 1) || changed;
            }
        }
    }
}

/* At a header of slice m: have there been enough accesses?  Each was a hit or
 * a miss. */
static void put_threshold(struct sl1_emit *e, uint32_t code)
{
    uint32_t nest = e->nest->number;

    sl1_new_site(e);
    sl1_mark(e, SL1_SIMULATE, 0);
    sl1_put(e, "\tadd.u32 %%sl1_o~, %%sl1_hit^_0, %%sl1_miss^_0;\n");
    for (uint32_t s = 1; s < e->nest->count; s++) {
        sl1_put(e,
                "\tadd.u32 %%sl1_o~, %%sl1_o~, %%sl1_hit^_%u;\n"
                "\tadd.u32 %%sl1_o~, %%sl1_o~, %%sl1_miss^_%u;\n",
                s, s);
    }
    sl1_put(e, "\tsetp.ge.u32 %%sl1_p, %%sl1_o~, %u;\n", e->config->threshold);
    if (e->nest->together && e->target_arch >= 70) {
        sl1_put(e, "\tactivemask.b32 %%sl1_m~;\n"
                   "\tvote.sync.any.pred %%sl1_p, %%sl1_p, %%sl1_m~;\n");
    } else if (e->nest->together) {
        sl1_put(e, "\tvote.any.pred %%sl1_p, %%sl1_p;\n");
    }
    sl1_put(e, "\t@%%sl1_p bra $sl1_m%u_t%u;\n", nest, code);
    sl1_mark(e, SL1_NOTHING, 0);
}

static void put_header_check(struct sl1_emit *e, uint32_t i)
{
    if (e->slice != 'm') {
        return;
    }
    if (i == e->nest->header) {
        put_threshold(e, 0);
    }
    for (uint32_t k = 0; k < e->nest->inners; k++) {
        if (e->nest->inner[k] == i) {
            put_threshold(e, 1 + k);
        }
    }
}

static bool is_target(const struct sl1_emit *e, uint32_t i)
{
    bool named = i == e->nest->header;

    for (uint32_t l = 0; !named && l < e->f->label_count; l++) {
        named = e->f->label[l].target == i;
    }
    return named;
}

static void put_branch(struct sl1_emit *e, const struct loom_ptx_inst *inst,
                       uint32_t to)
{
    char guard[96];

    sl1_guard_text(e, inst, false, guard);
    sl1_put(e, "\t%sbra ", guard);
    put_place(e, to);
    sl1_put(e, ";\n");
}

static void put_inst(struct sl1_emit *e, uint32_t i)
{
    const struct loom_ptx_inst *inst = &e->f->inst[i];

    if (inst->op == LOOM_PTX_BRA) {
        put_branch(e, inst, sl1_target(e->f, inst));
    } else if (inst->op == LOOM_PTX_RET || inst->op == LOOM_PTX_EXIT) {
        put_branch(e, inst, SL1_RETURN);
    } else if (e->plan->inst[i].kind == SL1_ACCESS && e->slice == 'm') {
        sl1_emit_simulated(e, i);
    } else if (e->plan->inst[i].kind == SL1_ACCESS) {
        sl1_emit_cached(e, i);
    } else if (e->plan->inst[i].kind != SL1_OTHER && e->slice != 'm') {
        sl1_emit_foreign(e, i);
    } else {
        sl1_emit_inst(e, inst);
    }
}

/* The slice's copy of the loop. */
static void put_slice(struct sl1_emit *e, char slice)
{
    uint32_t line = 0;
    bool first = true;

    e->slice = slice;
    e->renames = 0;
    if (slice != 'm') {
        sl1_rename(e);
        sl1_swap_names(e);
    }
    for (uint32_t i = 0; i < e->f->inst_count; i++) {
        const struct loom_ptx_inst *inst = &e->f->inst[i];

        if (!included(e, i)) {
            continue;
        }
        if (first && slice != 'r' && i != e->nest->header) {
            put_jump(e, e->nest->header);
        }
        first = false;
        if (is_target(e, i)) {
            sl1_put(e, "$sl1_%c%u_%u:\n", slice, e->nest->number, i);
        }
        put_header_check(e, i);
        if (inst->line != 0 && inst->line != line) {
            line = inst->line;
            sl1_put(e, "\t.loc %u %u 0\n", inst->file, line);
        }
        put_inst(e, i);
        if (sl1_falls_through(inst) && !included(e, i + 1)) {
            put_jump(e, i + 1);
        }
    }
    sl1_swap_names(e);
}

/* What the slice's instructions left for after it, and its ways out. */
static void put_ends(struct sl1_emit *e, const char *next)
{
    const struct sl1_nest *nest = e->nest;

    if (e->late.used > 0) {
        sl1_put(e, "%s", e->late.text);
        e->late.used = 0;
        e->late.text[0] = '\0';
    }
    for (uint32_t t = 0; e->slice == 'm' && t <= nest->inners; t++) {
        sl1_put(e, "$sl1_m%u_t%u:\n\tmov.u32 %%sl1_left^, %u;\n\tbra %s%u;\n",
                nest->number, t, t, next, nest->number);
    }
    for (uint32_t x = 0; x < nest->exits; x++) {
        if (e->slice == 'c' && nest->exits == 1) {
            continue;
        }
        sl1_put(e, "$sl1_%c%u_x%u:\n\tmov.u32 %%sl1_left^, %u;\n\tbra %s%u;\n",
                e->slice, nest->number, x, exit_code(nest, x), next,
                nest->number);
    }
}

static void put_meeting(struct sl1_emit *e)
{
    const struct sl1_nest *nest = e->nest;

    sl1_put(e, "$sl1_p%u:\n", nest->number);
    sl1_emit_choice(e);
    for (uint32_t k = 0; k < nest->inners; k++) {
        sl1_put(e,
                "\tsetp.eq.u32 %%sl1_p, %%sl1_left^, %u;\n"
                "\t@%%sl1_p bra $sl1_r%u_%u;\n",
                1 + k, nest->number, nest->inner[k]);
    }
    sl1_put(e,
            "$sl1_q%u:\n"
            "\tsetp.ge.u32 %%sl1_p, %%sl1_left^, %u;\n"
            "\t@%%sl1_p bra $sl1_f%u;\n",
            nest->number, exit_code(nest, 0), nest->number);
}

static void put_leave(struct sl1_emit *e)
{
    const struct sl1_nest *nest = e->nest;

    sl1_put(e, "$sl1_f%u:\n", nest->number);
    sl1_emit_flush(e, false);
    for (uint32_t x = 0; x < nest->exits; x++) {
        const char *guard = x + 1 < nest->exits ? "@%sl1_p " : "";

        if (x + 1 < nest->exits) {
            sl1_put(e, "\tsetp.eq.u32 %%sl1_p, %%sl1_left^, %u;\n",
                    exit_code(nest, x));
        }
        if (nest->exit[x] == SL1_RETURN) {
            sl1_put(e, "\t%sret;\n", guard);
        } else {
            sl1_put(e, "\t%sbra $sl1_x%u;\n", guard, nest->exit[x]);
        }
    }
}

static void put_title(struct sl1_emit *e)
{
    const struct sl1_nest *nest = e->nest;

    sl1_put(e, "\t// S-L1: loop %u\n", nest->number);
    for (uint32_t s = 0; s < nest->count; s++) {
        sl1_put(e, "\t//   structure %u is %s, %s\n", s, sl1_param_name(e, s),
                sl1_structure(e, s)->written ? "read and written"
                                             : "only read");
    }
    for (uint32_t s = 0; s < nest->all_count; s++) {
        if (nest->all[s].refused != NULL) {
            sl1_put(e, "\t//   %s is never cached: %s\n",
                    e->f->param[nest->all[s].param]->name,
                    nest->all[s].refused);
        }
    }
}

void sl1_emit_nest(struct sl1_emit *e)
{
    put_title(e);
    sl1_mark(e, SL1_DECIDE, 0);
    sl1_emit_start(e);
    sl1_put(e, "\t// monitoring slice\n");
    sl1_mark(e, SL1_NOTHING, 0);
    put_slice(e, 'm');
    sl1_mark(e, SL1_DECIDE, 0);
    put_ends(e, "$sl1_p");
    sl1_put(e, "\t// what is cached\n");
    put_meeting(e);
    sl1_put(e, "\t// computation slice\n");
    sl1_mark(e, SL1_NOTHING, 0);
    put_slice(e, 'c');
    sl1_mark(e, SL1_DECIDE, 0);
    put_ends(e, "$sl1_f");
    if (e->nest->inners > 0) {
        find_rest(e);
        sl1_put(e, "\t// the rest of an iteration, for threads that left "
                   "an inner loop\n");
        sl1_mark(e, SL1_NOTHING, 0);
        put_slice(e, 'r');
        sl1_mark(e, SL1_DECIDE, 0);
        put_ends(e, "$sl1_q");
    }
    sl1_put(e, "\t// the loop is left: flush\n");
    sl1_mark(e, SL1_MANAGE, 0);
    put_leave(e);
    sl1_mark(e, SL1_NOTHING, 0);
}
