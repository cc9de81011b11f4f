/*
 * closed_page: a row is closed when no queued request wants it any more.
 *
 * With `idle` it stays open for so many cycles after its last column, so that
 * a request that comes soon finds it open (a timeout, as in Kaseridis et al.,
 * Minimalist Open-page, MICRO 2011, and in processors' memory controllers).
 */
#include "policies/dram_hook.h"

struct closed_page_config {
    uint32_t idle;
};

static loom_cycle closed_page_close_at(struct loom_policy *self, uint32_t bank,
                                       uint32_t row, loom_cycle now)
{
    const struct closed_page_config *config = loom_policy_config(self);

    (void)bank;
    (void)row;
    return now + config->idle;
}

static const struct loom_param closed_page_params[] = {
    LOOM_PARAM(struct closed_page_config, idle, .unit = LOOM_UNIT_CYCLE,
               .def = {.u = 0}, .max = {.u = 1000000},
               .doc = "Cycles from a row's last column until it is closed"),
};

static const struct loom_page_ops closed_page_ops = {
    .close_at = closed_page_close_at,
};

const struct loom_policy_type closed_page_policy = {
    .name = "closed_page",
    .doc = "DRAM rows that nobody wants are closed",
    .config_size = sizeof(struct closed_page_config),
    .params = LOOM_SLICE(closed_page_params),
    .facets = LOOM_FACETS({&loom_page_hook, &closed_page_ops}),
    .cost = loom_cost_none,
};
