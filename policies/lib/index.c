/*
 * Set indices that are made of a line's number.
 */
#include "policies/lib/index.h"

bool loom_index_bind(struct loom_policy *self,
                     const struct loom_cache_shape *shape,
                     struct loom_error *err)
{
    if (!loom_is_power_of_2(shape->sets)) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "%s does not exist for %u sets, expected a power of 2",
                         loom_policy_type_of(self)->name, shape->sets);
    }
    loom_index_init(loom_policy_state(self), shape);
    return true;
}
