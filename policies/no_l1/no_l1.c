/*
 * no_l1: all loads go around the cache.
 *
 * The L1 that is switched off, which papers on bypassing compare with
 * (facts: "always B from cycle 0" of the two-level bypassing).  Its stores
 * still go through unless `stores` says otherwise: a store of a write-evict
 * cache changes nothing where no load ever allocates.
 */
#include <string.h>

#include "policies/lib/bypass.h"

struct no_l1_config {
    const char *spaces;
    bool stores;
    uint32_t fetch_bytes;
    bool merge;
};

struct no_l1_stats {
    uint64_t bypasses[2]; /* loads, stores */
};

struct no_l1 {
    bool local; /* local memory, too */
};

static bool no_l1_init(struct loom_policy *self, struct loom_error *err)
{
    const struct no_l1_config *config = loom_policy_config(self);
    struct no_l1 *n = loom_policy_state(self);

    (void)err;
    n->local = strcmp(config->spaces, "all") == 0;
    return true;
}

static enum loom_admit no_l1_admit(struct loom_policy *self,
                                   const struct loom_mem_request *request,
                                   struct loom_bypass *bypass)
{
    const struct no_l1_config *config = loom_policy_config(self);
    const struct no_l1 *n = loom_policy_state(self);
    struct no_l1_stats *stats = loom_policy_stats(self);
    bool store = request->kind == LOOM_MEM_STORE && config->stores;

    if ((!loom_bypass_load(request) && !store) ||
        (request->space == LOOM_SPACE_LOCAL && !n->local)) {
        return LOOM_ADMIT_DEFAULT;
    }
    loom_bypass_set(bypass, config->fetch_bytes, config->merge);
    stats->bypasses[store]++;
    return LOOM_ADMIT_BYPASS;
}

static const struct loom_admit_ops no_l1_ops = {.admit = no_l1_admit};

static const char *const no_l1_kinds[] = {"load", "store"};

static const struct loom_param no_l1_params[] = {
    LOOM_PARAM(struct no_l1_config, spaces, .def = {.s = "all"},
               .choices = LOOM_CHOICES("all", "global"),
               .doc = "Whose accesses go around: of global memory only, or of "
                      "local memory as well"),
    LOOM_PARAM(struct no_l1_config, stores, .def = {.b = false},
               .doc = "Stores go around, too"),
    LOOM_BYPASS_PARAMS(struct no_l1_config),
};

static const struct loom_stat no_l1_stat_table[] = {
    LOOM_VECTOR(struct no_l1_stats, bypasses, "kind", no_l1_kinds,
                LOOM_UNIT_REQUEST, "Accesses sent around"),
};

const struct loom_policy_type no_l1_policy = {
    .name = "no_l1",
    .doc = "All loads go around the cache",
    .state_size = sizeof(struct no_l1),
    .config_size = sizeof(struct no_l1_config),
    .stats_size = sizeof(struct no_l1_stats),
    .params = LOOM_SLICE(no_l1_params),
    .stats = LOOM_SLICE(no_l1_stat_table),
    .facets = LOOM_FACETS({&loom_admit_hook, &no_l1_ops}),
    .init = no_l1_init,
    .joins = true,
    .cost = loom_cost_none,
};
