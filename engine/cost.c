/*
 * Bits of storage, added up.
 */
#include "engine/cost.h"

#define SHAPE(field, def_, max_, unit_, doc_)                                  \
    LOOM_PARAM(struct loom_cost_shape, field, .unit = unit_,                   \
               .def = {.u = (def_)}, .min = {.u = 1}, .max = {.u = (max_)},    \
               .doc = doc_)

static const struct loom_param shape_params[] = {
    SHAPE(sets, 32, 1u << 24, LOOM_UNIT_NONE, "Sets of the cache"),
    SHAPE(ways, 4, 1u << 16, LOOM_UNIT_LINE, "Lines of a set"),
    SHAPE(line_bytes, 128, 4096, LOOM_UNIT_BYTE, "Line of the cache"),
    SHAPE(sector_bytes, 128, 4096, LOOM_UNIT_BYTE,
          "Sector of a line; the line's size where there are none"),
    SHAPE(mshrs, 64, 1u << 16, LOOM_UNIT_LINE, "MSHRs of the cache"),
    SHAPE(warps, 48, 4096, LOOM_UNIT_WARP, "Warp slots of the SM"),
    SHAPE(schedulers, 2, 64, LOOM_UNIT_NONE, "Warp schedulers of the SM"),
    SHAPE(ctas, 8, 256, LOOM_UNIT_CTA, "CTA slots of the SM"),
    SHAPE(sms, 15, 1u << 16, LOOM_UNIT_NONE, "SMs of the GPU"),
    SHAPE(inputs, 15, 1u << 16, LOOM_UNIT_NONE, "Inputs of the network"),
    SHAPE(outputs, 12, 1u << 16, LOOM_UNIT_NONE, "Outputs of the network"),
    SHAPE(banks, 16, 4096, LOOM_UNIT_NONE, "Banks of the DRAM channel"),
    SHAPE(entries, 64, 4096, LOOM_UNIT_REQUEST,
          "Requests that wait in the DRAM channel"),
    SHAPE(address_bits, 40, 64, LOOM_UNIT_NONE,
          "Bits of a byte address (Fermi: 40)"),
    SHAPE(pc_bits, 32, 64, LOOM_UNIT_NONE, "Bits of an instruction's address"),
};

const struct loom_params loom_cost_shape_params = LOOM_SLICE(shape_params);

void loom_cost_add(struct loom_cost *cost, const char *name, uint64_t count,
                   uint64_t bits, const char *doc)
{
    struct loom_cost_part *part = &cost->part[cost->count];

    if (count == 0 || bits == 0) {
        return;
    }
    LOOM_CHECK(cost->count < LOOM_COST_PARTS);
    part->name = name;
    part->doc = doc;
    part->count = count;
    part->bits = bits;
    cost->count++;
}

uint64_t loom_cost_bits(const struct loom_cost *cost)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < cost->count; i++) {
        sum += cost->part[i].count * cost->part[i].bits;
    }
    return sum;
}

uint32_t loom_bits_for(uint64_t values)
{
    return values < 2 ? 0 : loom_log2(values - 1) + 1;
}

uint32_t loom_cost_tag_bits(const struct loom_cost_shape *shape, uint32_t sets)
{
    uint32_t low = loom_bits_for(sets) + loom_bits_for(shape->line_bytes);

    return shape->address_bits > low ? shape->address_bits - low : 0;
}

void loom_cost_none(const void *config, const struct loom_cost_shape *shape,
                    struct loom_cost *cost)
{
    (void)config;
    (void)shape;
    (void)cost;
}
