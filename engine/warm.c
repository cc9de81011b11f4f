/*
 * Warm messages, and whether a machine is ready for them.
 */
#include "engine/warm.h"

#include "engine/machine_private.h"

void loom_warm(const struct loom_channel *channel, void *message)
{
    struct loom_component *to = channel->receiver;
    loom_cycle after = loom_clock_after_near(to->clock, *channel->time);

    to->ops->warm->serve(to, message, after - 1);
}

bool loom_warms(const struct loom_channel *channel)
{
    const struct loom_warm_ops *ops = channel->receiver->ops->warm;

    return ops != NULL && ops->serve != NULL;
}

/* Is a message on its way between two parts that know warm ones? */
static bool under_way(const struct link *link)
{
    return link->info.client.component->ops->warm != NULL &&
           link->info.server.component->ops->warm != NULL &&
           ((link->request != NULL && loom_occupancy(link->request) != 0) ||
            (link->reply != NULL && loom_occupancy(link->reply) != 0));
}

bool loom_machine_quiet(const struct loom_machine *machine)
{
    for (size_t i = 0; i < machine->components.count; i++) {
        struct loom_component *c = machine->components.item[i];

        if (c->ops->warm != NULL && !c->ops->warm->quiet(c)) {
            return false;
        }
    }
    for (size_t i = 0; i < machine->links.count; i++) {
        if (under_way(machine->links.item[i])) {
            return false;
        }
    }
    return true;
}
