/*
 * Policies that look at some launches of a run only.
 */
#ifndef POLICIES_LIB_LAUNCH_LIST_H
#define POLICIES_LIB_LAUNCH_LIST_H

#include "engine/schema.h"

#define LOOM_LAUNCHES_PARAM(T)                                                 \
    LOOM_PARAM(T, launches,                                                    \
               .doc = "Numbers of launches, from 0, that are counted; empty: " \
                      "all.  Static indices are those of their kernels")

static inline bool loom_launch_listed(const struct loom_list *launches,
                                      uint32_t number)
{
    for (uint32_t i = 0; i < launches->count; i++) {
        if (launches->item[i] == number) {
            return true;
        }
    }
    return launches->count == 0;
}

#endif
