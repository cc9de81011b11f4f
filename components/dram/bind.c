/*
 * The policies of a DRAM channel, what they say of themselves, and its ports.
 */
#include "components/dram/dram_private.h"

static bool bind_watchers(struct loom_component *self, struct dram *dram,
                          struct loom_error *err)
{
    const struct dram_config *config = dram->config;
    const struct loom_commands_shape shape = {
        .channel = loom_component_index(self),
        .banks = config->banks,
        .groups = config->bank_groups,
        .low_groups = config->group_bits[0] == 'l',
    };

    dram->watchers = loom_slot(self, "commands");
    dram->watched = loom_chain(&dram->watchers) != 0;
    for (uint32_t i = 0; i < loom_chain(&dram->watchers); i++) {
        const struct loom_commands_ops *ops = dram->watchers.item[i].ops;

        if (ops->bind != NULL &&
            !ops->bind(dram->watchers.item[i].policy, &shape, err)) {
            return false;
        }
    }
    return true;
}

static struct loom_schedule_shape shape_of(const struct dram_config *config)
{
    return (struct loom_schedule_shape){
        .banks = config->banks,
        .groups = config->bank_groups,
        .entries = config->queue_entries + config->write_entries,
        .write_entries = config->write_entries,
        .dual = config->dual_bus,
        .low_groups = config->group_bits[0] == 'l',
        .ras = config->tras,
        .rcd = config->trcd > config->trcdwr ? config->trcd : config->trcdwr,
    };
}

uint32_t dram_ways_of_queue(struct loom_component *self)
{
    const struct dram_config *config = loom_config(self);
    struct loom_binding slot = loom_slot(self, "schedule");
    const struct loom_schedule_ops *ops = slot.item[0].ops;
    struct loom_policy *policy = slot.item[0].policy;
    const struct loom_schedule_shape shape = shape_of(config);
    struct dram *dram = loom_state(self);

    dram->takes = ops->take != NULL;
    dram->assigns = !dram->takes && ops->assign != NULL;
    dram->leaves = !dram->takes && ops->leaves != NULL && ops->leaves(policy);
    dram->deep = !dram->takes && (dram->assigns || dram->leaves ||
                                  shape.entries > DRAM_ENTRIES);
    if (dram->takes) {
        return DRAM_ENTRIES;
    }
    return (dram->assigns ? ops->assigned(policy, &shape) : 0) +
           (dram->leaves ? config->banks : 0);
}

bool dram_bind(struct loom_component *self, struct loom_error *err)
{
    const struct dram_config *config = loom_config(self);
    struct dram *dram = loom_state(self);
    struct loom_binding map = loom_slot(self, "map");
    struct loom_binding schedule = loom_slot(self, "schedule");
    const struct loom_map_shape map_shape = {
        config->channels, config->slices_per_channel, config->banks};
    struct loom_binding page = loom_slot(self, "page");
    const struct loom_schedule_shape shape = shape_of(config);

    dram->map = map.item[0].policy;
    dram->map_ops = map.item[0].ops;
    dram->schedule = schedule.item[0].policy;
    dram->schedule_ops = schedule.item[0].ops;
    if (page.count != 0) {
        dram->page = page.item[0].policy;
        dram->page_ops = page.item[0].ops;
    }
    dram->ports = (uint8_t)loom_port_count(self, "up");
    for (uint32_t i = 0; i < dram->ports; i++) {
        dram->port[i].in = loom_port_in(self, "up", i);
        loom_watch(dram->port[i].in, &dram->arriving, loom_bit(i));
        dram->port[i].out = loom_port_out(self, "up", i);
    }
    dram->view.entry = dram->entry;
    dram->view.before = dram->before;
    if (dram->map_ops->bind != NULL &&
        !dram->map_ops->bind(dram->map, &map_shape, err)) {
        return false;
    }
    if (dram->schedule_ops->bind != NULL &&
        !dram->schedule_ops->bind(dram->schedule, &shape, err)) {
        return false;
    }
    if (!bind_watchers(self, dram, err)) {
        return false;
    }
    dram->first_ready = dram->schedule_ops->first_ready != NULL &&
                        dram->schedule_ops->first_ready(dram->schedule);
    dram->both = dram->dual || (dram->schedule_ops->both != NULL &&
                                dram->schedule_ops->both(dram->schedule));
    dram->special = dram->both || dram->page_ops != NULL;
    return true;
}
