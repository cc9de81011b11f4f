/*
 * What writer and reader of streams know alike: predictions, and what the
 * timing model relies on.
 */
#include <stdlib.h>

#include "components/mem_protocol.h"
#include "workloads/recording/code_private.h"

bool rec_model_init(struct rec_model *model,
                    const struct loom_static_inst *inst, uint32_t count)
{
    *model = (struct rec_model){.inst = inst, .inst_count = count};
    model->place = calloc(count == 0 ? 1 : count, sizeof(*model->place));
    return model->place != NULL;
}

void rec_model_free(struct rec_model *model)
{
    free(model->place);
    free(model->lane);
    *model = (struct rec_model){0};
}

void rec_model_reset(struct rec_model *model)
{
    for (uint32_t i = 0; i < model->inst_count; i++) {
        model->place[i] = (struct rec_place){i + 1, UINT32_MAX, 0};
    }
    model->lane_count = 0;
    model->base = 0;
    rec_model_warp(model);
}

void rec_model_warp(struct rec_model *model)
{
    model->before = UINT32_MAX;
    model->mask = UINT32_MAX;
}

struct rec_lanes *rec_model_lanes(struct rec_model *model, uint32_t index)
{
    struct rec_place *place = &model->place[index];

    if (place->lanes == 0) {
        if (model->lane_count == model->lane_capacity) {
            uint32_t capacity =
                model->lane_capacity == 0 ? 16 : 2 * model->lane_capacity;
            struct rec_lanes *lane =
                realloc(model->lane, capacity * sizeof(*lane));

            if (lane == NULL) {
                return NULL;
            }
            model->lane = lane;
            model->lane_capacity = capacity;
        }
        model->lane[model->lane_count] = (struct rec_lanes){.known = 0};
        place->lanes = ++model->lane_count;
    }
    return &model->lane[place->lanes - 1];
}

bool rec_allowed(const struct loom_static_inst *inst, uint32_t mask,
                 uint32_t mode)
{
    bool memory = inst->op == LOOM_OP_LOAD || inst->op == LOOM_OP_STORE ||
                  inst->op == LOOM_OP_ATOMIC;

    if (mask == 0) {
        return (inst->flags & LOOM_INST_ANY_MASK) != 0 &&
               mode == LOOM_ADDR_NONE;
    }
    return !memory || mode != LOOM_ADDR_NONE ||
           inst->space == LOOM_SPACE_CONST || inst->space == LOOM_SPACE_PARAM;
}
