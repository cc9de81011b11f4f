/*
 * What every policy that keeps loads out of a cache leaves to the user: how
 * a request fetches that goes around or misses without a line.
 *
 * A policy's config has the field `uint32_t fetch_bytes`, its table of
 * parameters the row LOOM_FETCH_PARAM; where requests go around, also `bool
 * merge` and instead the rows LOOM_BYPASS_PARAMS.  (A miss without a line has
 * an MSHR, which is shared in any case.)
 */
#ifndef POLICIES_LIB_BYPASS_H
#define POLICIES_LIB_BYPASS_H

#include "policies/cache_hook.h"

#define LOOM_FETCH_PARAM(T)                                                    \
    LOOM_PARAM(T, fetch_bytes, .unit = LOOM_UNIT_BYTE, .def = {.u = 32},       \
               .min = {.u = 32}, .max = {.u = 128}, .power_of_2 = true,        \
               .doc = "A load that goes around or misses without a line "      \
                      "fetches at least as many bytes; never less than the "   \
                      "sectors that it needs")

#define LOOM_BYPASS_PARAMS(T)                                                  \
    LOOM_FETCH_PARAM(T),                                                       \
        LOOM_PARAM(T, merge, .def = {.b = false},                              \
                   .doc = "Requests that go around may share an MSHR with "    \
                          "others of their block")

static inline void loom_bypass_set(struct loom_bypass *bypass,
                                   uint32_t fetch_bytes, bool merge)
{
    if (bypass->size_bytes < fetch_bytes) {
        bypass->size_bytes = (uint16_t)fetch_bytes;
    }
    bypass->may_merge = merge;
}

/* May a policy send this request around?  Loads only: stores are the
 * cache's own matter, atomics and flushes have rules of their own. */
static inline bool loom_bypass_load(const struct loom_mem_request *request)
{
    return request->kind == LOOM_MEM_LOAD;
}

#endif
