/*
 * load_bypass: the loads on a list go around the cache.
 *
 * A load is named as statistics name it: by its line in the source (in the
 * PTX text where that has no .loc), by its static instruction index, by its
 * number among the kernel's loads of global and local memory, or by the
 * kernel parameter that its address comes from.
 *
 * Requests carry the index only, so the policy remembers the kernels that
 * run on its SM.  The number of a load is found as far as a kernel's table
 * has been read; the table of a trace grows, and what was found stays true.
 */
#include <string.h>

#include "policies/lib/bypass.h"

#define LIVE 32 /* kernels at once on an SM */

struct load_bypass_config {
    struct loom_list lines, insts, loads, params;
    const char *kernel;
    uint32_t fetch_bytes;
    bool merge;
};

enum rule {
    BY_LINE,
    BY_INST,
    BY_LOAD,
    BY_PARAM,
    RULES
};

struct load_bypass_stats {
    uint64_t bypasses, bypasses_by_rule[RULES];
    uint64_t loads, unknown_kernels;
    struct loom_array bypasses_by_item; /* lines, insts, loads, params */
};

/* A kernel that runs.  The loads on the list are in order of their numbers'
 * places in the list; CACHE of the search so far. */
struct live {
    const struct loom_kernel *kernel; /* NULL: free */
    bool listed;                      /* its name is that of the list */
    uint32_t read;                    /* instructions looked at so far */
    uint32_t found;                   /* loads among them */
    uint32_t *inst;                   /* [loads] index, or UINT32_MAX */
};

struct load_bypass {
    struct live live[LIVE];
    uint32_t first[RULES]; /* item of the rule's first list entry */
};

static bool lb_init(struct loom_policy *self, struct loom_error *err)
{
    const struct load_bypass_config *config = loom_policy_config(self);
    struct load_bypass *b = loom_policy_state(self);
    struct load_bypass_stats *stats = loom_policy_stats(self);
    uint32_t loads = config->loads.count;
    uint32_t *inst =
        loom_policy_alloc(self, (size_t)LIVE * loads + 1, sizeof(*inst));

    b->first[BY_INST] = config->lines.count;
    b->first[BY_LOAD] = b->first[BY_INST] + config->insts.count;
    b->first[BY_PARAM] = b->first[BY_LOAD] + loads;
    stats->bypasses_by_item.count = b->first[BY_PARAM] + config->params.count;
    stats->bypasses_by_item.item =
        loom_policy_alloc(self, stats->bypasses_by_item.count + 1u,
                          sizeof(*stats->bypasses_by_item.item));
    if (!loom_policy_has_memory(self, err)) {
        return false;
    }
    for (uint32_t i = 0; i < LIVE; i++) {
        b->live[i].inst = inst + (size_t)i * loads;
    }
    return true;
}

static uint32_t place_of(struct loom_list list, uint64_t value)
{
    for (uint32_t i = 0; i < list.count; i++) {
        if (list.item[i] == value) {
            return i;
        }
    }
    return UINT32_MAX;
}

/* Numbers the loads up to instruction `inst`. */
static void number_loads(const struct load_bypass_config *config,
                         struct live *l, uint32_t inst)
{
    for (; l->read <= inst; l->read++) {
        const struct loom_static_inst *s = &l->kernel->inst[l->read];
        uint32_t place;

        if (s->op != LOOM_OP_LOAD ||
            (s->space != LOOM_SPACE_GLOBAL && s->space != LOOM_SPACE_LOCAL)) {
            continue;
        }
        place = place_of(config->loads, l->found++);
        if (place != UINT32_MAX) {
            l->inst[place] = l->read;
        }
    }
}

static uint32_t load_place(const struct load_bypass_config *config,
                           const struct live *l, uint32_t inst)
{
    for (uint32_t i = 0; i < config->loads.count; i++) {
        if (l->inst[i] == inst) {
            return i;
        }
    }
    return UINT32_MAX;
}

/* The item that names the load, or UINT32_MAX. */
static uint32_t find_item(struct loom_policy *self, struct live *l,
                          uint32_t inst, enum rule *rule)
{
    const struct load_bypass_config *config = loom_policy_config(self);
    const struct load_bypass *b = loom_policy_state(self);
    const struct loom_static_inst *s = &l->kernel->inst[inst];
    uint32_t place[RULES];

    if (config->loads.count != 0) {
        number_loads(config, l, inst);
    }
    place[BY_LINE] = place_of(config->lines, s->line);
    place[BY_INST] = place_of(config->insts, inst);
    place[BY_LOAD] = load_place(config, l, inst);
    place[BY_PARAM] = s->param == LOOM_NO_PARAM || s->param == LOOM_MIXED_PARAM
                          ? UINT32_MAX
                          : place_of(config->params, s->param);
    for (uint32_t i = 0; i < RULES; i++) {
        if (place[i] != UINT32_MAX) {
            *rule = (enum rule)i;
            return b->first[i] + place[i];
        }
    }
    return UINT32_MAX;
}

static struct live *find_kernel(struct load_bypass *b, uint32_t number)
{
    for (uint32_t i = 0; i < LIVE; i++) {
        if (b->live[i].kernel != NULL && b->live[i].kernel->number == number) {
            return &b->live[i];
        }
    }
    return NULL;
}

static enum loom_admit lb_admit(struct loom_policy *self,
                                const struct loom_mem_request *request,
                                struct loom_bypass *bypass)
{
    const struct load_bypass_config *config = loom_policy_config(self);
    struct load_bypass_stats *stats = loom_policy_stats(self);
    enum rule rule = BY_LINE;
    struct live *l;
    uint32_t item;

    if (!loom_bypass_load(request) || stats->bypasses_by_item.count == 0) {
        return LOOM_ADMIT_DEFAULT;
    }
    l = find_kernel(loom_policy_state(self), request->kernel);
    if (l == NULL || !l->listed || request->inst >= l->kernel->inst_count) {
        return LOOM_ADMIT_DEFAULT;
    }
    item = find_item(self, l, request->inst, &rule);
    if (item == UINT32_MAX) {
        return LOOM_ADMIT_DEFAULT;
    }
    loom_bypass_set(bypass, config->fetch_bytes, config->merge);
    stats->bypasses++;
    stats->bypasses_by_rule[rule]++;
    stats->bypasses_by_item.item[item]++;
    return LOOM_ADMIT_BYPASS;
}

/* A request that arrives after its kernel's end on this SM has no loads in
 * it: stores at most. */
static void lb_watch_sm(struct loom_policy *self,
                        const struct loom_event *event)
{
    const struct load_bypass_config *config = loom_policy_config(self);
    struct load_bypass *b = loom_policy_state(self);
    struct load_bypass_stats *stats = loom_policy_stats(self);
    struct live *l = find_kernel(b, event->kernel->number);

    if (event->kind == LOOM_EVENT_KERNEL_END) {
        if (l != NULL) {
            l->kernel = NULL;
        }
        return;
    }
    for (uint32_t i = 0; i < LIVE && l == NULL; i++) {
        l = b->live[i].kernel == NULL ? &b->live[i] : NULL;
    }
    if (l == NULL) {
        stats->unknown_kernels++;
        return;
    }
    l->kernel = event->kernel;
    l->read = 0;
    l->found = 0;
    l->listed = config->kernel[0] == '\0' ||
                strcmp(config->kernel, event->kernel->name) == 0;
    for (uint32_t i = 0; i < config->loads.count; i++) {
        l->inst[i] = UINT32_MAX;
    }
}

static void lb_watch_cache(struct loom_policy *self,
                           const struct loom_event *event)
{
    struct load_bypass_stats *stats = loom_policy_stats(self);

    stats->loads += loom_bypass_load(event->request);
}

static bool lb_check(struct loom_policy *self, struct loom_error *err)
{
    const struct load_bypass_stats *s = loom_policy_stats(self);
    uint64_t rules = 0, items = 0;

    for (uint32_t i = 0; i < RULES; i++) {
        rules += s->bypasses_by_rule[i];
    }
    for (uint32_t i = 0; i < s->bypasses_by_item.count; i++) {
        items += s->bypasses_by_item.item[i];
    }
    if (rules != s->bypasses || items != s->bypasses ||
        s->bypasses > s->loads) {
        return loom_fail(err, LOOM_ERR_LAW,
                         "bypasses %llu are by rule %llu, by item %llu, of "
                         "%llu loads",
                         (unsigned long long)s->bypasses,
                         (unsigned long long)rules, (unsigned long long)items,
                         (unsigned long long)s->loads);
    }
    return true;
}

static const struct loom_admit_ops lb_admit_ops = {.admit = lb_admit};
static const struct loom_observe_ops lb_cache_ops = {
    .events = LOOM_EVENT(ACCESS), .observe = lb_watch_cache};
static const struct loom_observe_ops lb_sm_ops = {
    .events = LOOM_EVENT(KERNEL_START) | LOOM_EVENT(KERNEL_END),
    .observe = lb_watch_sm,
};

static void load_bypass_cost(const void *config,
                             const struct loom_cost_shape *shape,
                             struct loom_cost *cost)
{
    const struct load_bypass_config *k = config;

    loom_cost_add(cost, "list",
                  (uint64_t)k->lines.count + k->insts.count + k->loads.count +
                      k->params.count,
                  shape->pc_bits, "Loads that go around, compared with the pc");
}

static const char *const rule_keys[RULES] = {"line", "inst", "load", "param"};

static const struct loom_param lb_params[] = {
    LOOM_PARAM(struct load_bypass_config, lines,
               .doc = "Lines of the source, of the PTX text where that has no "
                      ".loc, whose loads go around"),
    LOOM_PARAM(struct load_bypass_config, insts,
               .doc = "Static instruction indices of loads that go around"),
    LOOM_PARAM(struct load_bypass_config, loads,
               .doc = "Numbers, from 0, among the kernel's loads of global and "
                      "local memory"),
    LOOM_PARAM(struct load_bypass_config, params,
               .doc = "Kernel parameters, from 0: loads whose address comes "
                      "from one of them go around"),
    LOOM_PARAM(struct load_bypass_config, kernel, .def = {.s = ""},
               .doc = "The lists are for this kernel only; empty: for all"),
    LOOM_BYPASS_PARAMS(struct load_bypass_config),
};

static const struct loom_stat lb_stat_table[] = {
    LOOM_COUNTER(struct load_bypass_stats, loads, LOOM_UNIT_REQUEST,
                 "Accesses of loads, sent around or not"),
    LOOM_COUNTER(struct load_bypass_stats, bypasses, LOOM_UNIT_REQUEST,
                 "Accesses sent around"),
    LOOM_VECTOR(struct load_bypass_stats, bypasses_by_rule, "rule", rule_keys,
                LOOM_UNIT_REQUEST,
                "Accesses sent around, by the list that "
                "names the load first"),
    LOOM_ARRAY(struct load_bypass_stats, bypasses_by_item, "item",
               LOOM_UNIT_REQUEST,
               "Accesses sent around by each entry of "
               "lines, insts, loads, params"),
    LOOM_COUNTER(struct load_bypass_stats, unknown_kernels, LOOM_UNIT_EVENT,
                 "Kernels beyond the 32 that are remembered at once"),
};

const struct loom_policy_type load_bypass_policy = {
    .name = "load_bypass",
    .doc = "The loads on a list go around the cache",
    .state_size = sizeof(struct load_bypass),
    .config_size = sizeof(struct load_bypass_config),
    .stats_size = sizeof(struct load_bypass_stats),
    .params = LOOM_SLICE(lb_params),
    .stats = LOOM_SLICE(lb_stat_table),
    .facets = LOOM_FACETS({&loom_admit_hook, &lb_admit_ops},
                          {&loom_cache_observe_hook, &lb_cache_ops},
                          {&loom_sm_observe_hook, &lb_sm_ops}),
    .init = lb_init,
    .check = lb_check,
    .cost = load_bypass_cost,
};
