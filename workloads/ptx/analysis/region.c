/*
 * See region_private.h.
 */
#include <stdlib.h>
#include <string.h>

#include "workloads/ptx/analysis/region_private.h"

static int32_t size_of(const struct region *r, uint32_t reg)
{
    enum loom_ptx_type type = (enum loom_ptx_type)r->f->reg[reg].type;
    uint32_t bytes = loom_ptx_type_bytes(type);
    bool low = r->a->schedule->low[reg] || (r->holds[reg] & PTX_HOLDS_LOW) != 0;
    int32_t whole = bytes <= 4 || low ? 1 : (int32_t)(bytes + 3) / 4;

    if (type == LOOM_PTX_PRED) {
        return 0;
    }
    return whole;
}

/* Parameters and the like take registers where they are used only. */
static int32_t waiting_size(const struct region *r, uint32_t reg)
{
    return (r->holds[reg] & PTX_HOLDS_SAME) != 0 ? 0 : size_of(r, reg);
}

static bool grow(void **memory, uint32_t *room, uint32_t count, size_t size)
{
    uint32_t more = *room == 0 ? 1024 : 2 * *room;
    void *grown;

    if (count < *room) {
        return true;
    }
    grown = realloc(*memory, more * size);
    if (grown == NULL) {
        return false;
    }
    *memory = grown;
    *room = more;
    return true;
}

static struct region_value *new_value(struct region *r, uint32_t reg)
{
    void *memory = r->value;

    if (!grow(&memory, &r->value_room, r->values, sizeof(*r->value))) {
        r->failed = true;
        return NULL;
    }
    r->value = memory;
    if (r->stamp[reg] != r->number) {
        r->name[r->named++] = reg;
        r->stamp[reg] = r->number;
    }
    r->now[reg] = r->values;
    r->value[r->values] = (struct region_value){
        .size = size_of(r, reg), .same = (r->holds[reg] & PTX_HOLDS_SAME) != 0};
    return &r->value[r->values++];
}

static void add_to_list(struct region *r, uint32_t value)
{
    void *memory = r->list;

    if (!grow(&memory, &r->list_room, r->listed, sizeof(*r->list))) {
        r->failed = true;
        return;
    }
    r->list = memory;
    r->list[r->listed++] = value;
}

static void see_read(void *context, uint32_t reg, bool write)
{
    struct region *r = context;
    struct region_uses *uses = &r->uses[r->nodes];
    uint32_t v;

    if (write || r->failed) {
        return;
    }
    if (r->stamp[reg] != r->number) { /* from before */
        if (new_value(r, reg) == NULL) {
            return;
        }
        r->entered[reg] = true;
        r->entry += size_of(r, reg);
    }
    v = r->now[reg];
    for (uint32_t k = uses->first; k < r->listed; k++) {
        if (r->list[k] == v) {
            return;
        }
    }
    if (r->value[v].writer != 0) {
        ptx_set_bit(r->node[r->value[v].writer - 1].data, r->nodes);
    }
    r->value[v].left++;
    uses->reads++;
    add_to_list(r, v);
}

/* A guarded write leaves what was there, so that it is the same value, for
 * which later readers wait. */
static void see_write(void *context, uint32_t reg, bool write)
{
    struct region *r = context;
    struct region_value *value;

    if (!write || r->failed || (r->holds[reg] & PTX_HOLDS_SAME) != 0) {
        return;
    }
    if (r->f->inst[r->node[r->nodes].inst].guard != LOOM_PTX_NONE &&
        r->stamp[reg] == r->number) {
        value = &r->value[r->now[reg]];
        if (value->writer != 0 && value->writer != r->nodes + 1) {
            ptx_set_bit(r->node[value->writer - 1].data, r->nodes);
        }
        value->writer = r->nodes + 1;
        return;
    }
    value = new_value(r, reg);
    if (value != NULL) {
        value->writer = r->nodes + 1;
        r->uses[r->nodes].writes++;
        add_to_list(r, r->now[reg]);
    }
}

static void mark_data(struct region *r, const struct loom_ptx_inst *inst)
{
    const struct region_uses *uses = &r->uses[r->nodes];
    uint8_t group = loom_ptx_opcodes[inst->op].group;
    struct region_value *data = NULL;
    uint32_t singles = 0, wide = 0;

    for (uint32_t k = 0; k < uses->reads; k++) {
        struct region_value *v = &r->value[r->list[uses->first + k]];

        if (!v->same) {
            wide += v->size > 1;
            singles += v->size == 1;
            data = v->size == 1 ? v : data;
        }
    }
    if (wide > 0 && singles == 1 &&
        (group == LOOM_PTX_G_STORE || group == LOOM_PTX_G_ATOMIC)) {
        data->data = true;
    }
}

static void add_node(struct region *r, uint32_t i)
{
    r->node[r->nodes] =
        (struct ptx_node){.inst = i, .access = ptx_access_of(r->a, i)};
    r->uses[r->nodes] = (struct region_uses){.first = r->listed};
    ptx_visit(r->a, i, see_read, r);
    mark_data(r, &r->f->inst[i]);
    ptx_visit(r->a, i, see_write, r);
    ptx_order_memory(r->node, r->nodes++);
}

static void set_live(struct region *r, uint32_t reg, bool live)
{
    if (r->live[reg] != live) {
        r->live[reg] = live;
        r->base += live ? waiting_size(r, reg) : -waiting_size(r, reg);
    }
}

void region_begin_block(struct region *r, const struct ptx_ranges *range,
                        const struct ptx_block *block)
{
    memset(r->live, 0, r->f->reg_count * sizeof(*r->live));
    r->base = 0;
    for (uint32_t s = 0; s < ptx_successors(block); s++) {
        uint32_t to = ptx_successor(block, s);

        for (uint32_t w = 0; to != PTX_NO_BLOCK && w < range->words; w++) {
            uint64_t in = range->in[(size_t)to * range->words + w];

            for (; in != 0; in &= in - 1) {
                set_live(r, range->of[w * 64 + loom_lowest(in)], true);
            }
        }
    }
}

static void add_sinks(struct region *r, uint32_t first)
{
    uint32_t b = r->a->block_of[first];

    if (first == r->a->block[b].first) {
        for (uint32_t i = r->sinks->first[b];
             i != LOOM_PTX_NONE && r->nodes < PTX_NODES;
             i = r->sinks->next[i]) {
            add_node(r, i);
        }
    }
}

void region_build(struct region *r, uint32_t first, uint32_t last,
                  uint32_t copies)
{
    r->number++;
    r->nodes = r->values = r->listed = r->named = 0;
    r->entry = 0;
    add_sinks(r, first);
    for (uint32_t k = 1; k <= copies; k++) {
        for (uint32_t i = first; i <= last; i++) {
            uint8_t group = loom_ptx_opcodes[r->f->inst[i].op].group;

            if (r->a->schedule->times[i] != 0 && r->nodes < PTX_NODES &&
                !r->sinks->moved[i] &&
                (k == copies || group != LOOM_PTX_G_BRANCH)) {
                add_node(r, i);
            }
        }
    }
    for (uint32_t k = 0; k < r->named; k++) {
        r->value[r->now[r->name[k]]].out = r->live[r->name[k]];
        set_live(r, r->name[k], false);
    }
}

void region_leave(struct region *r)
{
    for (uint32_t k = 0; k < r->named; k++) {
        set_live(r, r->name[k], r->entered[r->name[k]]);
        r->entered[r->name[k]] = false;
    }
}

bool region_open(struct region *r, const struct ptx_analysis *a,
                 const struct ptx_ranges *range, const struct ptx_sinks *sinks)
{
    size_t regs = (size_t)a->function->reg_count + 1;

    *r = (struct region){.a = a, .f = a->function, .sinks = sinks};
    r->node = calloc(PTX_NODES, sizeof(*r->node));
    r->uses = calloc(PTX_NODES, sizeof(*r->uses));
    r->name = calloc(3 * regs, sizeof(*r->name));
    r->live = calloc(2 * regs, sizeof(*r->live));
    r->holds = calloc(regs, sizeof(*r->holds));
    if (r->node == NULL || r->uses == NULL || r->name == NULL ||
        r->live == NULL || r->holds == NULL) {
        return false;
    }
    r->stamp = r->name + regs;
    r->now = r->stamp + regs;
    r->entered = r->live + regs;
    return ptx_find_holds(a, range->constant, r->holds);
}

void region_close(struct region *r)
{
    free(r->node);
    free(r->uses);
    free(r->name);
    free(r->live);
    free(r->holds);
    free(r->value);
    free(r->list);
}
