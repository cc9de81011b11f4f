/*
 * S-L1 (Mokhtari and Stumm): a level-1 cache in software.  A kernel's loops
 * get a monitoring slice, which finds out what is worth caching, and a
 * computation slice, whose accesses go through lines of the thread's own in
 * shared memory.
 *
 * Everything is PTX that runs: what it costs is not a parameter.
 */
#include <string.h>

#include "policies/sl1/sl1_private.h"

struct sl1_stats {
    uint64_t kernels, loops, loops_left, structures, structures_left;
    uint64_t lines;
};

/* A kernel that was rewritten before is not again. */
static bool is_new(const struct loom_ptx_function *f)
{
    for (uint32_t i = 0; i < f->reg_count; i++) {
        if (strncmp(f->reg[i].name, SL1_PREFIX, sizeof(SL1_PREFIX) - 1) == 0) {
            return false;
        }
    }
    return true;
}

static void count(struct sl1_stats *stats, const struct sl1_plan *plan)
{
    stats->kernels++;
    stats->lines = plan->lines;
    for (uint32_t n = 0; n < plan->nests; n++) {
        const struct sl1_nest *nest = &plan->nest[n];
        bool used = nest->refused == NULL;

        stats->loops += used;
        stats->loops_left += !used;
        stats->structures += used ? nest->count : 0;
        stats->structures_left += nest->all_count - (used ? nest->count : 0);
    }
}

static bool rewrite(struct loom_policy *self, struct loom_rewrite *work,
                    struct loom_error *err)
{
    struct sl1_plan plan = {0};
    struct sl1_emit emit = {.config = loom_policy_config(self), .plan = &plan};
    bool ok = true;

    if (work->module->address_bits != 64 || !is_new(work->kernel)) {
        return loom_fail(err, LOOM_ERR_WORKLOAD, "kernel '%s' %s",
                         work->kernel->name,
                         is_new(work->kernel) ? "has addresses of 32 bits"
                                              : "was rewritten by sl1 already");
    }
    if (!sl1_plan_make(&plan, emit.config, work)) {
        return loom_fail(err, LOOM_ERR_MEMORY, "no memory for kernel '%s'",
                         work->kernel->name);
    }
    /* The registers of what comes out decide how many threads there will be,
     * and so how many lines each has. */
    work->again =
        plan.used > 0 && work->registers == 0 && work->facts->sms != 0;
    if (!work->again) {
        count(loom_policy_stats(self), &plan);
    }
    if (plan.nests > 0) {
        work->text = sl1_emit_text(&emit, work);
        work->changed = plan.used > 0;
        ok = work->text != NULL ||
             loom_fail(err, LOOM_ERR_MEMORY, "no memory for kernel '%s'",
                       work->kernel->name);
    }
    return ok;
}

static bool validate(const void *config, struct loom_error *err)
{
    const struct sl1_config *c = config;

    if (c->line != 8 && c->line != 16 && c->line != 24) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "line is %u, expected 8, 16 or 24 bytes", c->line);
    }
    return true;
}

static const struct loom_transform_ops transform = {.rewrite = rewrite};

static const char *const leaves[] = {"outer", "any", NULL};

static const struct loom_param params[] = {
    LOOM_PARAM(struct sl1_config, line, .def = {.u = 16}, .min = {.u = 8},
               .max = {.u = 24}, .unit = LOOM_UNIT_BYTE,
               .doc = "Bytes of a line: 8, 16 or 24",
               .source = "paper, section 3.1"),
    LOOM_PARAM(struct sl1_config, threshold, .def = {.u = 300}, .min = {.u = 1},
               .max = {.u = 1u << 30},
               .doc = "Accesses that a thread monitors before it decides",
               .source = "paper, section 3.2.1"),
    LOOM_PARAM(struct sl1_config, lines, .max = {.u = SL1_STRUCTURES},
               .doc = "Most lines of a thread; 0: as many as the free shared "
                      "memory has room for"),
    LOOM_PARAM(struct sl1_config, restricted, .def = {.b = false},
               .doc = "Pointers given to kernels do not overlap (`restrict`): "
                      "an access looks up its own structure's line only"),
    LOOM_PARAM(struct sl1_config, cache, .def = {.s = "worth"},
               .choices = LOOM_CHOICES("worth", "all", "none"),
               .doc = "Which structures are cached: those of which more than "
                      "half of the monitored accesses hit, all that there is "
                      "room for, or none, though all else is done"),
    LOOM_PARAM(struct sl1_config, leave, .def = {.s = "outer"},
               .choices = leaves,
               .doc = "Where a thread that has monitored enough leaves the "
                      "monitoring slice: at the next turn of the outermost "
                      "loop, or of any loop in it, which keeps a warp's "
                      "threads apart after inner loops of unlike length"),
    LOOM_PARAM(struct sl1_config, marks, .def = {.b = true},
               .doc = "Mark instructions with what they are for, for "
                      "sl1_count"),
    LOOM_PARAM(struct sl1_config, shared_bytes, .def = {.u = 48u << 10},
               .max = {.u = 1u << 20}, .unit = LOOM_UNIT_BYTE,
               .doc = "Shared memory of an SM where no machine is known"),
};

#define COUNT(field, unit_name, doc_text)                                      \
    LOOM_COUNTER(struct sl1_stats, field, LOOM_UNIT_##unit_name, doc_text)

static const struct loom_stat stat_table[] = {
    COUNT(kernels, NONE, "Kernels rewritten, each shape of launch once"),
    COUNT(loops, NONE, "Outermost loops of these that were sliced"),
    COUNT(loops_left, NONE, "Those left as they are"),
    COUNT(structures, NONE, "Data structures of sliced loops, cacheable"),
    COUNT(structures_left, NONE, "Data structures that never are"),
    LOOM_GAUGE(struct sl1_stats, lines, LOOM_UNIT_NONE,
               "Lines of a thread of the last kernel"),
};

const struct loom_policy_type sl1_policy = {
    .name = "sl1",
    .doc = "S-L1: a software L1 cache in shared memory, put into kernels",
    .config_size = sizeof(struct sl1_config),
    .stats_size = sizeof(struct sl1_stats),
    .params = LOOM_SLICE(params),
    .stats = LOOM_SLICE(stat_table),
    .facets = LOOM_FACETS({&loom_transform_hook, &transform}),
    .validate = validate,
    .cost = loom_cost_none,
};
