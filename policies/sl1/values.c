/*
 * Which values live on from one turn of a nest to the next, or beyond it: a
 * register of the program that does not has a name of its own in each slice,
 * as every value has in what compilers write.  Else it would count as live
 * from the first slice to the last.
 */
#include <stdio.h>
#include <string.h>

#include "policies/sl1/sl1_private.h"
#include "workloads/ir/build.h"

#define MOST_WORDS                                                             \
    ((size_t)1 << 23) /* of a bit for each register and place                  \
                       */

struct flow {
    const struct sl1_emit *e;
    uint64_t *in;  /* [(inst_count + 1) * words]: live in front of it */
    uint64_t *now; /* [words] */
    size_t words;
    bool guarded;
};

static void see_write(void *context, uint32_t reg, bool write)
{
    struct flow *l = context;

    if (write && !l->guarded) {
        l->now[reg / 64] &= ~(UINT64_C(1) << reg % 64);
    }
}

static void see_read(void *context, uint32_t reg, bool write)
{
    struct flow *l = context;

    if (!write) {
        l->now[reg / 64] |= UINT64_C(1) << reg % 64;
    }
}

static void join(struct flow *l, uint32_t to)
{
    for (size_t w = 0; w < l->words; w++) {
        l->now[w] |= l->in[(size_t)to * l->words + w];
    }
}

static void join_next(struct flow *l, uint32_t i)
{
    const struct loom_ptx_function *f = l->e->f;
    const struct loom_ptx_inst *inst = &f->inst[i];

    if (sl1_falls_through(inst)) {
        join(l, i + 1);
    }
    if (inst->op == LOOM_PTX_BRA) {
        join(l, sl1_target(f, inst));
    } else if (inst->op == LOOM_PTX_BRX_IDX) {
        const struct loom_ptx_prototype *list =
            &f->prototype[inst->operand[1].value];

        for (uint32_t k = 0; k < list->label_count; k++) {
            join(l, f->label[list->label[k]].target);
        }
    }
}

static void find_live(struct flow *l)
{
    const struct loom_ptx_function *f = l->e->f;
    bool changed = true;

    while (changed) {
        changed = false;
        for (uint32_t i = f->inst_count; i-- > 0;) {
            uint64_t *in = l->in + (size_t)i * l->words;

            memset(l->now, 0, l->words * sizeof(*l->now));
            join_next(l, i);
            l->guarded = f->inst[i].guard != LOOM_PTX_NONE;
            loom_ptx_visit(&f->inst[i], see_write, l);
            loom_ptx_visit(&f->inst[i], see_read, l);
            changed = changed || memcmp(in, l->now, l->words * 8) != 0;
            memcpy(in, l->now, l->words * sizeof(*in));
        }
    }
}

/* Where control comes into a slice, and where it goes on behind the nest. */
static void join_edges(struct flow *l)
{
    const struct sl1_nest *nest = l->e->nest;

    memset(l->now, 0, l->words * sizeof(*l->now));
    join(l, nest->header);
    for (uint32_t k = 0; k < nest->inners; k++) {
        join(l, nest->inner[k]);
    }
    for (uint32_t x = 0; x < nest->exits; x++) {
        if (nest->exit[x] != SL1_RETURN) {
            join(l, nest->exit[x]);
        }
    }
}

static void note(void *context, uint32_t reg, bool write)
{
    bool *seen = context;

    (void)write;
    seen[reg] = true;
}

/* A register beside each of the nest's that does not live on. */
static void add_names(struct sl1_emit *e, const uint64_t *stays,
                      const bool *seen)
{
    uint32_t count = e->f->reg_count;

    for (uint32_t type = 0; type < LOOM_PTX_TYPES; type++) {
        char text[32];
        int length = snprintf(text, sizeof(text), "%s%s_", SL1_PREFIX,
                              loom_ptx_type_name((enum loom_ptx_type)type));
        const char *name = loom_ptx_text(e->f->module, text, (size_t)length);

        e->to->failed = e->to->failed || name == NULL;
        for (uint32_t r = 0; r < count; r++) {
            if (name != NULL && seen[r] && e->f->reg[r].type == type &&
                (stays[r / 64] >> r % 64 & 1) == 0) {
                struct sl1_rename *to = &e->rename[e->renames++];

                to->reg = r;
                to->as = loom_ptx_reg_add(e->f, (enum loom_ptx_type)type, name,
                                          e->named[type]++);
                e->to->failed = e->to->failed || to->as == LOOM_PTX_NONE;
            }
        }
    }
}

void sl1_rename(struct sl1_emit *e)
{
    struct loom_ptx_module *module = e->f->module;
    size_t count = e->f->reg_count;
    struct flow l = {.e = e, .words = count / 64 + 1};
    size_t places = (size_t)e->f->inst_count + 1;
    bool *seen;

    e->renames = 0;
    if (l.words > MOST_WORDS / places) {
        return; /* all keep their names */
    }
    l.in = loom_ptx_alloc(module, places * l.words * sizeof(*l.in));
    l.now = loom_ptx_alloc(module, l.words * sizeof(*l.now));
    seen = loom_ptx_alloc(module, count + 1);
    e->rename = loom_ptx_alloc(module, (count + 1) * sizeof(*e->rename));
    if (l.in == NULL || l.now == NULL || seen == NULL || e->rename == NULL) {
        e->to->failed = true;
        return;
    }
    find_live(&l);
    join_edges(&l);
    for (uint32_t i = 0; i < e->f->inst_count; i++) {
        if (sl1_in(e->plan, e->nest_index, i)) {
            loom_ptx_visit(&e->f->inst[i], note, seen);
        }
    }
    add_names(e, l.now, seen);
}

void sl1_swap_names(struct sl1_emit *e)
{
    for (uint32_t i = 0; i < e->renames && !e->to->failed; i++) {
        struct loom_ptx_reg *a = &e->f->reg[e->rename[i].reg];
        struct loom_ptx_reg *b = &e->f->reg[e->rename[i].as];
        struct loom_ptx_reg kept = *a;

        *a = *b;
        *b = kept;
    }
}
