/*
 * Every registered part declares itself completely and consistently.
 */
#include "engine/registry.h"

#include "tests/unit/test.h"
#include "workloads/program.h"

static void blame(const char *type, const struct loom_error *err)
{
    char text[700];

    snprintf(text, sizeof(text), "%s: %s", type, err->text);
    CU_assertImplementation(CU_FALSE, __LINE__, text, __FILE__, "", CU_FALSE);
}

static void audit(const char *name, const char *doc, struct loom_params params,
                  size_t config_size, struct loom_stats stats,
                  size_t stats_size)
{
    struct loom_error err;

    EXPECT(doc != NULL && doc[0] != '\0');
    if (!loom_params_audit(params, config_size, &err)) {
        blame(name, &err);
    }
    if (!loom_stats_audit(stats, stats_size, &err)) {
        blame(name, &err);
    }
}

static void audit_energies(const char *name, struct loom_energies energies,
                           struct loom_stats stats)
{
    struct loom_error err;

    if (!loom_energies_audit(energies, stats, &err)) {
        blame(name, &err);
    }
}

static void components_are_declared_well(void)
{
    EXPECT(loom_component_type_count > 0);
    for (size_t i = 0; i < loom_component_type_count; i++) {
        const struct loom_component_type *t = loom_component_types[i];

        audit(t->name, t->doc, t->params, t->config_size, t->stats,
              t->stats_size);
        audit_energies(t->name, t->energies, t->stats);
        EXPECT(t->ops != NULL && t->ops->init != NULL && t->ops->tick != NULL);
        EXPECT(loom_component_type_find(t->name) == t);
        EXPECT(loom_policy_type_find(t->name) == NULL);
        for (size_t k = 0; k < t->ports.count; k++) {
            EXPECT(t->ports.item[k].doc != NULL);
            EXPECT(t->ports.item[k].max >= 1);
            EXPECT(t->ports.item[k].min <= t->ports.item[k].max);
            EXPECT(t->ports.item[k].protocol->request_size <= LOOM_MESSAGE_MAX);
            EXPECT(t->ports.item[k].protocol->reply_size <= LOOM_MESSAGE_MAX);
        }
        for (size_t k = 0; k < t->slots.count; k++) {
            const struct loom_slot_decl *s = &t->slots.item[k];
            const struct loom_policy_type *p;

            EXPECT(s->doc != NULL && s->hook != NULL);
            if (s->def != NULL) {
                p = loom_policy_type_find(s->def);
                REQUIRE(p != NULL);
                EXPECT(loom_policy_type_ops(p, s->hook) != NULL);
            }
        }
    }
}

/* Parts have names and are at most 2^40 bits, whatever the shape. */
static void costs_are_declared_well(const struct loom_policy_type *t)
{
    static const struct loom_cost_shape corners[] = {
        {32, 4, 128, 32, 64, 48, 2, 8, 15, 15, 12, 16, 64, 40, 32},
        {1, 1, 32, 32, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
    };
    unsigned char config[1024] = {0};

    REQUIRE(t->config_size <= sizeof(config));
    REQUIRE(t->cost != NULL);
    loom_params_default(t->params, config);
    for (size_t i = 0; i < LOOM_COUNTOF(corners); i++) {
        struct loom_cost cost = {.count = 0};

        t->cost(config, &corners[i], &cost);
        EXPECT(loom_cost_bits(&cost) < UINT64_C(1) << 40);
        for (uint32_t k = 0; k < cost.count; k++) {
            EXPECT(cost.part[k].name != NULL && cost.part[k].doc != NULL);
        }
    }
}

static void policies_are_declared_well(void)
{
    EXPECT(loom_policy_type_count > 0);
    for (size_t i = 0; i < loom_policy_type_count; i++) {
        const struct loom_policy_type *t = loom_policy_types[i];

        audit(t->name, t->doc, t->params, t->config_size, t->stats,
              t->stats_size);
        audit_energies(t->name, t->energies, t->stats);
        EXPECT(t->facets.count > 0);
        costs_are_declared_well(t);
        for (size_t k = 0; k < t->facets.count; k++) {
            EXPECT(t->facets.item[k].ops != NULL);
            EXPECT_EQ(
                (uintptr_t)loom_policy_type_ops(t, t->facets.item[k].hook),
                (uintptr_t)t->facets.item[k].ops);
        }
    }
}

static void workloads_are_declared_well(void)
{
    for (size_t i = 0; i < loom_workload_type_count; i++) {
        const struct loom_workload_type *t = loom_workload_types[i];

        EXPECT(t->doc != NULL && t->open != NULL && t->close != NULL);
        EXPECT(t->kernel_count != NULL && t->kernel != NULL);
        EXPECT(t->launch != NULL && t->retire != NULL);
    }
}

int main(void)
{
    static const struct loom_test tests[] = {
        {"components_are_declared_well", components_are_declared_well},
        {"policies_are_declared_well", policies_are_declared_well},
        {"workloads_are_declared_well", workloads_are_declared_well},
    };

    return loom_run_tests("audit", tests, LOOM_COUNTOF(tests));
}
