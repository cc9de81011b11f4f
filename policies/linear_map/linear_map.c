/*
 * linear_map: the simplest interleaving, without any hash.
 *
 * Consecutive pieces of `interleave` bytes go to consecutive channels, then
 * to the next slice of each channel.  Inside a channel consecutive bursts
 * fill a row, then the same row of the next bank, then the next row.  It is
 * the map of DRAM experiments that want to choose bank, row and column by the
 * address: with one channel, address = ((row * banks + bank) * columns +
 * column) * burst bytes.
 */
#include "policies/dram_hook.h"

struct linear_map_config {
    uint64_t interleave;
    uint32_t burst_bytes, columns, banks;
};

/* A divisor; most are powers of 2, for which no division is needed. */
struct divisor {
    uint64_t by;
    uint32_t shift; /* 64: is none */
};

struct linear_map {
    struct divisor interleave, burst, channels, slices, columns, banks;
};

static struct divisor divisor_of(uint64_t by)
{
    bool power = (by & (by - 1)) == 0;

    return (struct divisor){by, power ? loom_log2(by) : 64};
}

/* Divides *value, returns the rest. */
static LOOM_INLINE uint64_t divide(uint64_t *value, const struct divisor *d)
{
    uint64_t before = *value;

    if (LOOM_LIKELY(d->shift < 64)) {
        *value = before >> d->shift;
        return before & (d->by - 1);
    }
    *value = before / d->by;
    return before - *value * d->by;
}

static bool linear_map_bind(struct loom_policy *self,
                            const struct loom_map_shape *shape,
                            struct loom_error *err)
{
    const struct linear_map_config *config = loom_policy_config(self);
    struct linear_map *map = loom_policy_state(self);

    if (shape->banks != 0 && config->banks > shape->banks) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "parameter 'banks' of the map is %u, but the channel "
                         "has %u banks",
                         config->banks, shape->banks);
    }
    map->interleave = divisor_of(config->interleave);
    map->burst = divisor_of(config->burst_bytes);
    map->channels = divisor_of(shape->channels);
    map->slices = divisor_of(shape->slices_per_channel);
    map->columns = divisor_of(config->columns);
    map->banks = divisor_of(config->banks);
    return true;
}

static void linear_map_cell(struct loom_policy *self, loom_addr address,
                            struct loom_place *place)
{
    const struct linear_map *map = loom_policy_state(self);
    uint64_t piece = address;
    uint64_t offset = divide(&piece, &map->interleave);
    uint64_t burst;

    divide(&piece, &map->channels);
    burst = piece * map->interleave.by + offset;
    divide(&burst, &map->burst);
    place->column = (uint32_t)divide(&burst, &map->columns);
    place->bank = (uint32_t)divide(&burst, &map->banks);
    place->row = (uint32_t)burst;
}

static void linear_map_map(struct loom_policy *self, loom_addr address,
                           struct loom_place *place)
{
    const struct linear_map *map = loom_policy_state(self);
    uint64_t piece = address; /* of all, then of the channel, of the slice */
    uint64_t offset = divide(&piece, &map->interleave);
    uint64_t channel = divide(&piece, &map->channels);
    uint64_t slice = divide(&piece, &map->slices);

    place->channel = (uint32_t)channel;
    place->slice = (uint32_t)(channel * map->slices.by + slice);
    place->local = piece * map->interleave.by + offset;
    linear_map_cell(self, address, place);
}

static const struct loom_param linear_map_params[] = {
    LOOM_PARAM(struct linear_map_config, interleave, .unit = LOOM_UNIT_BYTE,
               .def = {.u = 256}, .min = {.u = 128},
               .max = {.u = UINT64_C(1) << 40}, .power_of_2 = true,
               .doc = "Bytes that stay in one channel and slice"),
    LOOM_PARAM(struct linear_map_config, burst_bytes, .unit = LOOM_UNIT_BYTE,
               .def = {.u = 64}, .min = {.u = 1}, .max = {.u = 4096},
               .power_of_2 = true, .doc = "Bytes of one column command"),
    LOOM_PARAM(struct linear_map_config, columns, .def = {.u = 64},
               .min = {.u = 1}, .max = {.u = 1u << 20},
               .doc = "Column commands that cover a row"),
    LOOM_PARAM(struct linear_map_config, banks, .def = {.u = 16},
               .min = {.u = 1}, .max = {.u = 64}, .doc = "Banks of a channel"),
};

static const struct loom_map_ops linear_map_ops = {
    .bind = linear_map_bind,
    .map = linear_map_map,
    .cell = linear_map_cell,
};

const struct loom_policy_type linear_map_policy = {
    .name = "linear_map",
    .doc = "Address map that interleaves channels, then slices, without a hash",
    .state_size = sizeof(struct linear_map),
    .config_size = sizeof(struct linear_map_config),
    .params = LOOM_SLICE(linear_map_params),
    .facets = LOOM_FACETS({&loom_map_hook, &linear_map_ops}),
    .cost = loom_cost_none,
};
