/*
 * Registers of the new code: what the cache keeps of a nest, and temporaries.
 */
#include <stdio.h>

#include "policies/sl1/sl1_private.h"
#include "workloads/ir/build.h"

static uint32_t add_register(struct sl1_emit *e, const char *name,
                             enum loom_ptx_type type, uint32_t number)
{
    uint32_t added = loom_ptx_reg_add(e->f, type, name, number);

    e->to->failed = e->to->failed || added == LOOM_PTX_NONE;
    return added;
}

/* For each structure that the nest of this number may have. */
static void add_of_nest(struct sl1_emit *e, const char *name,
                        enum loom_ptx_type type, uint32_t nest)
{
    char text[48];
    int length =
        snprintf(text, sizeof(text), "%s%s%u_", SL1_PREFIX, name, nest);
    const char *kept = loom_ptx_text(e->f->module, text, (size_t)length);

    e->to->failed = e->to->failed || kept == NULL;
    for (uint32_t s = 0; s < e->plan->most && kept != NULL; s++) {
        add_register(e, kept, type, s);
    }
}

void sl1_add_registers(struct sl1_emit *e)
{
    const enum loom_ptx_type word = e->near ? LOOM_PTX_B32 : LOOM_PTX_B64;
    const struct {
        const char *name;
        enum loom_ptx_type type;
    } each[] = {{"seen", word},         {"hit", LOOM_PTX_B32},
                {"miss", LOOM_PTX_B32}, {"score", LOOM_PTX_B32},
                {"tag", word},          {"slot", LOOM_PTX_B32},
                {"dirty", LOOM_PTX_B32}};
    static const char *const one[] = {SL1_PREFIX "n", SL1_PREFIX "left"};

    add_register(e, SL1_PREFIX "p", LOOM_PTX_PRED, LOOM_PTX_NONE);
    add_register(e, SL1_PREFIX "q", LOOM_PTX_PRED, LOOM_PTX_NONE);
    for (uint32_t s = 0; s < e->plan->most; s++) {
        e->on[s] = add_register(e, SL1_PREFIX "on", LOOM_PTX_PRED, s);
    }
    for (size_t i = 0; i < LOOM_COUNTOF(one); i++) {
        for (uint32_t n = 0; n < e->plan->used; n++) {
            add_register(e, one[i], LOOM_PTX_B32, n);
        }
    }
    for (size_t i = 0; i < LOOM_COUNTOF(each); i++) {
        for (uint32_t n = 0; n < e->plan->used; n++) {
            add_of_nest(e, each[i].name, each[i].type, n);
        }
    }
}

struct sl1_site sl1_new_site(struct sl1_emit *e)
{
    struct sl1_site old = e->site;

    e->site.number = e->sites++;
    e->site.offset =
        add_register(e, SL1_PREFIX "o", LOOM_PTX_B32, e->site.number);
    return old;
}

/* The temporaries of all sites, but for %sl1_o~. */
void sl1_add_temporaries(struct sl1_emit *e)
{
    const enum loom_ptx_type word = e->near ? LOOM_PTX_B32 : LOOM_PTX_B64;
    const struct {
        const char *name;
        enum loom_ptx_type type;
    } reg[] = {
        {SL1_PREFIX "w", word},         {SL1_PREFIX "d", word},
        {SL1_PREFIX "v", word},         {SL1_PREFIX "m", LOOM_PTX_B32},
        {SL1_PREFIX "b", LOOM_PTX_B32}, {SL1_PREFIX "a", LOOM_PTX_B64},
        {SL1_PREFIX "e", LOOM_PTX_B64}, {SL1_PREFIX "g", LOOM_PTX_B64},
        {SL1_PREFIX "x", LOOM_PTX_B64}, {SL1_PREFIX "y", LOOM_PTX_B64},
    };

    for (size_t i = 0; i < LOOM_COUNTOF(reg); i++) {
        for (uint32_t s = 0; s < e->sites; s++) {
            add_register(e, reg[i].name, reg[i].type, s);
        }
    }
}
