/*
 * The mark hook and its chain.
 */
#include "policies/mark_hook.h"

const struct loom_hook loom_ldst_mark_hook = {
    .name = "ldst_mark",
    .doc = "Sets policy bits of requests that a load/store unit makes",
    .chain = true,
};

const struct loom_hook loom_cache_mark_hook = {
    .name = "cache_mark",
    .doc = "Sets policy bits of requests that a cache sends on",
    .chain = true,
};

bool loom_marks_bind(struct loom_binding *marks, struct loom_component *self,
                     const char *slot, struct loom_error *err)
{
    *marks = loom_slot(self, slot);
    for (uint32_t i = 0; i < marks->count; i++) {
        const struct loom_mark_ops *ops = marks->item[i].ops;

        if (ops->bind != NULL && !ops->bind(marks->item[i].policy, err)) {
            return false;
        }
    }
    return true;
}

uint16_t loom_marks_ask(const struct loom_binding *marks,
                        const struct loom_mem_request *request)
{
    uint16_t bits = 0;

    for (uint32_t i = 0; i < marks->count; i++) {
        const struct loom_mark_ops *ops = marks->item[i].ops;

        bits = (uint16_t)(bits | ops->mark(marks->item[i].policy, request));
    }
    return bits;
}
