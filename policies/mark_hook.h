/*
 * The question asked of each request that a load/store unit makes or a cache
 * sends on: which policy bits does it carry?
 *
 * State of a technique that spans islands travels in requests.  A part asks
 * for bits by name when it is bound (loom_policy_bits), its partner further
 * down asks for the same name and gets the same bits; the partner answers in
 * the reply bits (cache_hook.h, allocation.answer).
 */
#ifndef POLICIES_MARK_HOOK_H
#define POLICIES_MARK_HOOK_H

#include "engine/component.h"

#include "components/mem_protocol.h"

/* The same question, two places; both chains. */
extern const struct loom_hook loom_ldst_mark_hook;
extern const struct loom_hook loom_cache_mark_hook;

struct loom_mark_ops {
    /* Optional; for loom_policy_bits. */
    bool (*bind)(struct loom_policy *self, struct loom_error *err);
    /* Bits to set in request->policy_bits, which is final otherwise; only
     * bits that were allotted.  Required. */
    uint16_t (*mark)(struct loom_policy *self,
                     const struct loom_mem_request *request);
};

/* Binds the chain of a component's slot. */
bool loom_marks_bind(struct loom_binding *marks, struct loom_component *self,
                     const char *slot, struct loom_error *err);

/* All bits of a chain. */
uint16_t loom_marks_ask(const struct loom_binding *marks,
                        const struct loom_mem_request *request);

#endif
