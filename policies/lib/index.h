/*
 * What set indices that are made of a line's number share.
 */
#ifndef POLICIES_LIB_INDEX_H
#define POLICIES_LIB_INDEX_H

#include "policies/cache_hook.h"

/* The state of such a policy, or its beginning. */
struct loom_index {
    uint32_t shift; /* log2 of the line */
    uint32_t bits;  /* log2 of the sets */
    uint32_t mask;  /* sets - 1 */
};

/* For sets that are a power of 2. */
static inline void loom_index_init(struct loom_index *index,
                                   const struct loom_cache_shape *shape)
{
    index->shift = loom_log2(shape->line_bytes);
    index->bits = loom_log2(shape->sets);
    index->mask = shape->sets - 1;
}

/* Member of struct loom_set_index_ops: for any power of 2. */
bool loom_index_bind(struct loom_policy *self,
                     const struct loom_cache_shape *shape,
                     struct loom_error *err);

#endif
