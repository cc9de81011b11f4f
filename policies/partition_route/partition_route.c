/*
 * partition_route: an L2 of two partitions, each next to half of the SMs and
 * half of the memory.
 *
 * A slice has two links, a near one and a far one that takes longer.  What is
 * from the near half of the memory goes near.  What is from the other half goes
 * far, and reads leave a copy in the partition next to the SM, so that the next
 * ones from there go near.  Writes and atomics go where the memory is, and
 * copies are dropped.  Who wants sectors that are on their way from the other
 * partition waits for what is left of it: more than two links to a slice are
 * for that, each of which takes an equal part longer than the one before.
 *
 * Only the tags of copies are here.  The data have one place in the slices,
 * whatever has been copied: the capacity that copies take is not lost.  So that
 * one SM finds as much near as on a card, copies take half of a partition.
 */
#include "policies/noc_hook.h"

enum {
    SIDES = 2,
    SECTORS = LOOM_BLOCK_BYTES / LOOM_SECTOR_BYTES,
    ALL = (1 << SECTORS) - 1
};

struct partition_config {
    uint64_t bytes;
    uint32_t ways, group, home_bytes, fetch_cycles;
};

struct partition_stats {
    uint64_t near_requests, waiting_requests, far_requests;
};

struct partition_block {
    uint64_t word;    /* its number, from 1, and its sectors; 0: none */
    loom_cycle there; /* cycle in which the last of them is here */
};

/* Copies of both partitions, by set, the last used one first. */
struct partition_route {
    struct partition_block *block[SIDES]; /* [sets * ways] */
    uint32_t sets, home_shift;
    uint32_t far; /* number of the farthest link */
};

static bool partition_validate(const void *config, struct loom_error *err)
{
    const struct partition_config *c = config;

    if (!loom_is_power_of_2(c->home_bytes)) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "partition_route: 'home_bytes' is %u, expected a "
                         "power of 2",
                         c->home_bytes);
    }
    return c->bytes >= (uint64_t)c->ways * LOOM_BLOCK_BYTES ||
           loom_fail(err, LOOM_ERR_CONFIG,
                     "partition_route: 'bytes' is %llu, expected at least a "
                     "set of %u blocks, %u bytes",
                     (unsigned long long)c->bytes, c->ways,
                     c->ways * LOOM_BLOCK_BYTES);
}

static uint32_t sets_of(const struct partition_config *c)
{
    return (uint32_t)(c->bytes / LOOM_BLOCK_BYTES / c->ways);
}

static bool partition_bind(struct loom_policy *self,
                           const struct loom_noc_shape *shape,
                           struct loom_error *err)
{
    const struct partition_config *config = loom_policy_config(self);
    struct partition_route *p = loom_policy_state(self);

    if (shape->slice_links < 2) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "partition_route has a near and a far way to each "
                         "slice, but there are %u links, expected a crossbar "
                         "with slice_links = 2 or more",
                         shape->slice_links);
    }
    p->far = shape->slice_links - 1;
    p->sets = sets_of(config);
    p->home_shift = loom_log2(config->home_bytes);
    for (uint32_t i = 0; i < SIDES; i++) {
        p->block[i] = loom_policy_alloc(self, (size_t)p->sets * config->ways,
                                        sizeof(*p->block[i]));
    }
    return loom_policy_has_memory(self, err);
}

static uint32_t side_of(const struct partition_config *config, uint32_t sm)
{
    return sm / config->group % SIDES;
}

/* Way of a block, or `ways`. */
static uint32_t find(const struct partition_block *set, uint32_t ways,
                     uint64_t number)
{
    uint32_t way = 0;

    while (way < ways && set[way].word >> SECTORS != number) {
        way++;
    }
    return way;
}

/* Sectors are read: in how many cycles is a copy of them there?  A new one in
 * `fetch`. */
static loom_cycle read_copy(struct partition_block *set, uint32_t ways,
                            uint64_t number, uint32_t sectors, loom_cycle now,
                            loom_cycle fetch)
{
    uint32_t way = find(set, ways, number);
    struct partition_block block = {number << SECTORS, 0};

    if (way == ways) {
        way--;
    } else {
        block = set[way];
    }
    if ((sectors & ~block.word) != 0) {
        block.word |= sectors;
        block.there = now + fetch;
    }
    for (; way > 0; way--) {
        set[way] = set[way - 1];
    }
    set[0] = block;
    return block.there > now ? block.there - now : 0;
}

/* The first link that takes no less than `left` of `fetch` cycles longer, so
 * that nobody has a copy before it is there. */
static uint32_t link_of(const struct partition_route *p, loom_cycle left,
                        loom_cycle fetch)
{
    return left == 0 ? 0 : (uint32_t)((left * p->far + fetch - 1) / fetch);
}

static uint32_t partition_link(struct loom_policy *self,
                               const struct loom_mem_request *r, uint32_t slice)
{
    const struct partition_config *config = loom_policy_config(self);
    struct partition_route *p = loom_policy_state(self);
    struct partition_stats *stats = loom_policy_stats(self);
    uint32_t side = side_of(config, r->sm), ways = config->ways;
    uint32_t home = loom_popcount(r->block >> p->home_shift) % SIDES;
    uint64_t number = r->block / LOOM_BLOCK_BYTES + 1;
    /* Where the copy is, if there is one. */
    struct partition_block *set =
        p->block[1 - home] + (size_t)(number % p->sets) * ways;
    uint32_t sectors = r->sectors & ALL, link = home != side ? p->far : 0;

    (void)slice;
    if (r->kind != LOOM_MEM_LOAD) {
        uint32_t way = find(set, ways, number);

        if (way != ways) {
            set[way].word &= ~(uint64_t)sectors;
        }
    } else if (home != side) {
        link = link_of(p,
                       read_copy(set, ways, number, sectors,
                                 loom_policy_now(self), config->fetch_cycles),
                       config->fetch_cycles);
    }
    stats->near_requests += link == 0;
    stats->far_requests += link == p->far;
    stats->waiting_requests += link != 0 && link != p->far;
    return link;
}

static uint32_t partition_reply(struct loom_policy *self, uint32_t router,
                                uint32_t input, uint32_t destination)
{
    (void)self;
    (void)router;
    (void)input;
    return destination;
}

static void partition_cost(const void *config,
                           const struct loom_cost_shape *shape,
                           struct loom_cost *cost)
{
    (void)config;
    (void)shape;
    loom_cost_add(cost, "none", 0, 0,
                  "The tags are those of the partitions' slices");
}

static const struct loom_param partition_params[] = {
    LOOM_PARAM(struct partition_config, bytes, .unit = LOOM_UNIT_BYTE,
               .def = {.u = 25u << 19}, .min = {.u = LOOM_BLOCK_BYTES},
               .max = {.u = 1u << 30},
               .doc = "Copies that a partition holds at most",
               .source = "half of one of an H100's; chases, decision 0058"),
    LOOM_PARAM(struct partition_config, ways, .def = {.u = 16}, .min = {.u = 1},
               .max = {.u = 64}, .doc = "Of its sets of blocks",
               .source = "ours"),
    LOOM_PARAM(struct partition_config, group, .def = {.u = 8}, .min = {.u = 1},
               .max = {.u = 1024},
               .doc = "SMs that follow each other at one partition, then as "
                      "many at the other",
               .source = "durations of small grids, decision 0058"),
    LOOM_PARAM(struct partition_config, home_bytes, .unit = LOOM_UNIT_BYTE,
               .def = {.u = 4096}, .min = {.u = LOOM_BLOCK_BYTES},
               .max = {.u = 1u << 30},
               .doc = "Memory that is attached to one partition together",
               .source = "durations of small matrices, decision 0058"),
    LOOM_PARAM(struct partition_config, fetch_cycles, .unit = LOOM_UNIT_CYCLE,
               .def = {.u = 200}, .max = {.u = 4096},
               .doc =
                   "Until what is read from the other partition is in this one",
               .source = "public: 475 cycles far, 276 near"),
};

static const struct loom_stat partition_stat_table[] = {
    LOOM_COUNTER(struct partition_stats, near_requests, LOOM_UNIT_REQUEST,
                 "Requests by the near link"),
    LOOM_COUNTER(struct partition_stats, waiting_requests, LOOM_UNIT_REQUEST,
                 "Requests by links between, for copies on their way"),
    LOOM_COUNTER(struct partition_stats, far_requests, LOOM_UNIT_REQUEST,
                 "Requests by the far link"),
};

static const struct loom_routing_ops partition_ops = {
    .bind = partition_bind,
    .route = partition_reply,
    .slice_link = partition_link,
};

const struct loom_policy_type partition_route_policy = {
    .name = "partition_route",
    .doc = "Crossbar routing to an L2 of two partitions: near or far",
    .state_size = sizeof(struct partition_route),
    .config_size = sizeof(struct partition_config),
    .stats_size = sizeof(struct partition_stats),
    .params = LOOM_SLICE(partition_params),
    .stats = LOOM_SLICE(partition_stat_table),
    .facets = LOOM_FACETS({&loom_routing_hook, &partition_ops}),
    .validate = partition_validate,
    .cost = partition_cost,
};
