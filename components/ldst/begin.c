/*
 * A memory instruction begins: it takes an entry of the table of pending ones,
 * and what its requests have in common is written down.
 */
#include "components/ldst/ldst_private.h"

void ldst_coalesce(struct ldst *u, const struct loom_static_inst *inst)
{
    loom_addr address[LOOM_WARP_LANES];
    struct loom_lanes lanes = {inst, address, u->access.inst.mask};

    loom_stream_addresses(&u->access.inst, address);
    if (!u->by_slot || !ldst_local(u, inst, address)) {
        u->made_count =
            u->coalesce->coalesce(u->coalesce_self, &lanes, u->made);
    }
}

static void tell_issue(struct ldst *u, loom_cycle now)
{
    const struct loom_warp_access *a = &u->access;
    struct loom_event event = {
        .now = now,
        .request = &u->request,
        .kernel = a->kernel,
        .kind = LOOM_EVENT_MEM_ISSUE,
        .cta = a->cta,
        .inst = a->inst.index,
        .mask = a->inst.mask,
        .count = u->made_count,
        .warp = a->warp,
        .rank = a->rank,
        .scheduler = a->scheduler,
    };

    loom_observers_tell(&u->observers, &event);
}

static int flags_of(const struct loom_static_inst *inst)
{
    return inst->op == LOOM_OP_LOAD              ? LOOM_MEM_AWAITED
           : inst->form == LOOM_FORM_ATOMIC_REAL ? LOOM_MEM_REAL
           : inst->form == LOOM_FORM_ATOMIC_SWAP ? LOOM_MEM_SWAP
                                                 : 0;
}

void ldst_describe_request(struct ldst *u, const struct loom_static_inst *inst,
                           uint32_t entry)
{
    const struct loom_warp_access *a = &u->access;
    bool around =
        inst->op == LOOM_OP_ATOMIC || inst->cache_op == LOOM_CACHE_CG ||
        inst->cache_op == LOOM_CACHE_CV ||
        (inst->flags & LOOM_INST_VOLATILE) != 0 ||
        (u->config->global_around && inst->space == LOOM_SPACE_GLOBAL);

    u->request = (struct loom_mem_request){
        .born = a->born,
        .src = u->id,
        .token = entry,
        .origin = entry,
        .cta = a->cta,
        .kernel = a->kernel->number,
        .inst = a->inst.index,
        .sm = (uint16_t)u->sm,
        .warp = a->warp,
        .rank = a->rank,
        .accesses = (uint8_t)u->made_count,
        .scheduler = a->scheduler,
        .kind = (uint8_t)(inst->op == LOOM_OP_LOAD    ? LOOM_MEM_LOAD
                          : inst->op == LOOM_OP_STORE ? LOOM_MEM_STORE
                                                      : LOOM_MEM_ATOMIC),
        .space = inst->space,
        .cache_op = inst->cache_op,
        .bypassed = around && u->port == LDST_L1D ? LOOM_LEVEL_L1 : 0,
        .flags = (uint8_t)((u->made_count > 2 ? LOOM_MEM_UNCOALESCED : 0) |
                           flags_of(inst)),
    };
}

static void count_accesses(struct ldst *u, const struct loom_static_inst *inst)
{
    struct ldst_stats *s = u->stats;

    if (u->port != LDST_L1D) {
        *(u->port == LDST_L1C ? &s->const_accesses : &s->texture_accesses) +=
            u->made_count;
        return;
    }
    s->accesses += u->made_count;
    if (inst->op == LOOM_OP_LOAD) {
        s->coalesced_loads++;
        s->load_accesses += u->made_count;
    } else if (inst->op == LOOM_OP_STORE) {
        s->store_accesses += u->made_count;
    } else {
        s->atomic_accesses += u->made_count;
    }
}

static void write_entry(const struct ldst *u,
                        const struct loom_static_inst *inst,
                        struct ldst_pending *entry)
{
    const struct loom_warp_access *a = &u->access;

    *entry = (struct ldst_pending){
        .kernel = a->kernel,
        .born = a->born,
        .outstanding = u->made_count,
        .accesses = u->made_count,
        .inst = a->inst.index,
        .cta = a->cta,
        .mask = a->inst.mask,
        .warp = a->warp,
        .rank = a->rank,
        .scheduler = a->scheduler,
        .slot = a->slot,
        .done = ldst_done_kind(inst),
        .port = u->port,
    };
}

void ldst_begin(struct ldst *u, const struct loom_static_inst *inst,
                enum ldst_port port, loom_cycle now)
{
    uint32_t entry;

    ldst_integrate(u, now);
    entry = u->pending_free[u->pending_used++];
    u->port = (uint8_t)port;
    write_entry(u, inst, &u->pending[entry]);
    ldst_describe_request(u, inst, entry);
    count_accesses(u, inst);
    if (port == LDST_L1D &&
        loom_observed(&u->observers, LOOM_EVENT_MEM_ISSUE)) {
        tell_issue(u, now);
    }
    if (u->config->return_cycles != 0 && port == LDST_L1D &&
        ldst_to_registers(inst) && u->made_count != 0) {
        u->pending[entry].passes = (uint8_t)ldst_passes(u, inst);
    }
    if (u->made_count == 0) {
        ldst_complete(u, entry, now);
    }
    u->started = true;
}
