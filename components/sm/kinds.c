/*
 * Kinds of execution units and the table of operations, both made of the
 * parameters, and what the parameters must fulfil for that.
 */
#include "components/sm/sm_private.h"

struct sm_kind sm_kind_of(const struct sm_config *c, uint32_t unit)
{
    const struct sm_kind all[SM_UNITS] = {
        {"sp", c->sp_units, c->sp_collectors, c->sp_ports, c->sp_latches},
        {"int", c->int_units, c->int_collectors, c->int_ports, c->int_latches},
        {"dp", c->dp_units, c->dp_collectors, c->dp_ports, c->dp_latches},
        {"sfu", c->sfu_units, c->sfu_collectors, c->sfu_ports, c->sfu_latches},
        {"tensor", c->tensor_units, c->tensor_collectors, c->tensor_ports,
         c->tensor_latches},
        {"ldst", c->ldst_units, c->ldst_collectors, c->ldst_ports,
         c->ldst_latches},
        {"queue", c->tensor_queue, 0, 0, 0}, /* of each sub-core */
    };

    return all[unit];
}

/* Every kind of instruction needs a way through the collectors. */
static bool validate_kinds(const struct sm_config *c, struct loom_error *err)
{
    bool generic = c->generic_collectors != 0 && c->generic_ports != 0;

    for (uint32_t i = 0; i < SM_UNITS; i++) {
        struct sm_kind kind = sm_kind_of(c, i);
        bool own = kind.collectors != 0 && kind.ports != 0;

        if (c->register_banks != 0 && kind.units != 0 && !own && !generic) {
            return loom_fail(err, LOOM_ERR_CONFIG,
                             "parameters '%s_collectors' and '%s_ports' are %u "
                             "and %u, expected some of both, or generic ones",
                             kind.name, kind.name, kind.collectors, kind.ports);
        }
    }
    return true;
}

/* Sub-cores are alike. */
static bool validate_sub_cores(const struct sm_config *c,
                               struct loom_error *err)
{
    uint32_t n = c->schedulers;

    if (!c->sub_core) {
        return true;
    }
    if (c->register_banks % n != 0) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "parameter 'register_banks' is %u, expected a "
                         "multiple of %u schedulers",
                         c->register_banks, n);
    }
    for (uint32_t i = 0; i < SM_UNITS; i++) {
        struct sm_kind kind = sm_kind_of(c, i);

        if (i < SM_UNIT_LDST && kind.units % n != 0) {
            return loom_fail(err, LOOM_ERR_CONFIG,
                             "parameter '%s_units' is %u, expected a multiple "
                             "of %u schedulers",
                             kind.name, kind.units, n);
        }
    }
    return true;
}

bool sm_validate(const void *config, struct loom_error *err)
{
    const struct sm_config *c = config;

    if (c->warps > 64 * c->schedulers) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "parameter 'warps' is %u, expected at most 64 per "
                         "scheduler, %u",
                         c->warps, 64 * c->schedulers);
    }
    if ((c->l0i_sets & (c->l0i_sets - 1)) != 0) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "parameter 'l0i_sets' is %u, expected 0 or a power "
                         "of 2",
                         c->l0i_sets);
    }
    if (c->sp_multiplies &&
        (c->int_units == 0 || !c->sub_core || c->register_banks != 0)) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "parameter 'sp_multiplies' is true, expected false "
                         "without integer units, without sub-cores and with "
                         "register banks");
    }
    if (c->tensor_queue != 0 && c->register_banks != 0) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "parameter 'tensor_queue' is %u, expected 0 with "
                         "register banks",
                         c->tensor_queue);
    }
    return validate_kinds(c, err) && validate_sub_cores(c, err);
}

struct timing {
    uint32_t op;   /* enum loom_op, or LOOM_OPS and enum loom_form */
    uint32_t unit; /* enum sm_unit, or SM_UNIT_MUL or _EITHER */
    uint32_t latency;
    double interval;
};

struct sm_op sm_several(struct sm_op op, uint32_t parts)
{
    uint32_t rest = op.rest * parts;
    uint32_t latency =
        op.latency + (parts - 1) * op.interval + (op.rest * (parts - 1) >> 8);

    op.latency = (uint16_t)(latency < SM_WHEEL ? latency : SM_WHEEL - 1);
    op.interval = (uint16_t)(op.interval * parts + (rest >> 8));
    op.rest = rest & UINT8_MAX;
    return op;
}

static void make_op(struct sm *sm, struct timing t)
{
    uint32_t interval = (uint32_t)(t.interval * 256 + 0.5);
    uint32_t more = sm->config->register_banks != 0
                        ? SM_WRITE_CYCLES
                        : sm->config->pipeline_cycles;

    sm->op[t.op] = (struct sm_op){
        .latency = (uint16_t)(t.latency + more),
        .interval = (uint16_t)(interval >> 8),
        .rest = interval & UINT8_MAX,
        .unit = (uint16_t)t.unit,
    };
}

static void make_units(struct sm *sm)
{
    uint32_t groups = sm->config->sub_core ? sm->config->schedulers : 1;

    for (uint32_t g = 0; g < groups; g++) {
        for (uint32_t i = 0; i < SM_UNITS; i++) {
            uint32_t units = sm_kind_of(sm->config, i).units;

            sm->unit[g][i].count = i < SM_UNIT_LDST ? units / groups : units;
        }
    }
}

/* Those without a latency of their own are not apart from their op. */
static void make_forms(struct sm *sm)
{
    const struct sm_config *c = sm->config;
    enum sm_unit alu = c->int_units != 0 ? SM_UNIT_INT : SM_UNIT_SP;
    enum sm_unit tensor = c->tensor_units != 0 ? SM_UNIT_TENSOR : SM_UNIT_SFU;
    const struct timing all[] = {
        {LOOM_FORM_LOGIC, alu, c->logic_latency, c->logic_interval},
        {LOOM_FORM_CONVERT, SM_UNIT_SFU, c->convert_latency,
         c->convert_interval},
        {LOOM_FORM_HALF, SM_UNIT_SP, c->half_latency, c->half_interval},
        {LOOM_FORM_VOTE, alu, c->vote_latency, c->vote_interval},
        {LOOM_FORM_SPECIAL, alu, c->special_latency, c->special_interval},
        {LOOM_FORM_SHIFT, c->sp_multiplies ? SM_UNIT_EITHER : (uint32_t)alu,
         c->logic_latency, c->logic_interval},
        {LOOM_FORM_TENSOR_SHORT, tensor, c->tensor_short_latency,
         c->tensor_short_interval},
        {LOOM_FORM_TENSOR_F64, tensor, c->tensor_f64_latency,
         c->tensor_f64_interval},
        {LOOM_FORM_TENSOR_GROUP, c->tensor_queue != 0 ? SM_UNIT_QUEUE : tensor,
         c->tensor_group_latency, c->tensor_group_interval},
    };

    _Static_assert(LOOM_COUNTOF(all) == LOOM_FORM_PRODUCTS,
                   "one for each form that has a time");
    sm->multiplies = (uint8_t)tensor;
    for (size_t i = 0; i < LOOM_COUNTOF(all); i++) {
        struct timing t = all[i];

        if (t.latency != 0) {
            sm->apart[t.op] = (uint8_t)(LOOM_OPS + t.op);
            t.op += LOOM_OPS;
            make_op(sm, t);
        }
    }
}

/* Control and no-ops pass the SP units in one cycle and divisions go to the
 * SFUs whatever their type, both as in GPGPU-Sim 4. */
void sm_make_ops(struct sm *sm)
{
    const struct sm_config *c = sm->config;
    enum sm_unit sp = SM_UNIT_SP;
    enum sm_unit sfu = SM_UNIT_SFU;
    enum sm_unit mem = SM_UNIT_LDST;
    enum sm_unit alu = c->int_units != 0 ? SM_UNIT_INT : sp;
    uint32_t mul = c->sp_multiplies ? SM_UNIT_MUL : alu;
    uint32_t either = c->sp_multiplies ? SM_UNIT_EITHER : alu;
    enum sm_unit dp = c->dp_units != 0 ? SM_UNIT_DP : sfu;
    enum sm_unit tensor = c->tensor_units != 0 ? SM_UNIT_TENSOR : sfu;
    const struct timing all[] = {
        {LOOM_OP_INT_ADD, either, c->int_add_latency, c->int_add_interval},
        {LOOM_OP_INT_MAX, alu, c->int_max_latency, c->int_max_interval},
        {LOOM_OP_INT_MUL, mul, c->int_mul_latency, c->int_mul_interval},
        {LOOM_OP_INT_MAD, mul, c->int_mad_latency, c->int_mad_interval},
        {LOOM_OP_INT_DIV, sfu, c->int_div_latency, c->int_div_interval},
        {LOOM_OP_MOVE, either, c->move_latency, c->move_interval},
        {LOOM_OP_FP_ADD, sp, c->fp_add_latency, c->fp_add_interval},
        {LOOM_OP_FP_MAX, c->sp_multiplies ? alu : sp, c->fp_max_latency,
         c->fp_max_interval},
        {LOOM_OP_FP_MUL, sp, c->fp_mul_latency, c->fp_mul_interval},
        {LOOM_OP_FP_MAD, sp, c->fp_mad_latency, c->fp_mad_interval},
        {LOOM_OP_FP_DIV, sfu, c->fp_div_latency, c->fp_div_interval},
        {LOOM_OP_DP_ADD, dp, c->dp_add_latency, c->dp_add_interval},
        {LOOM_OP_DP_MAX, dp, c->dp_max_latency, c->dp_max_interval},
        {LOOM_OP_DP_MUL, dp, c->dp_mul_latency, c->dp_mul_interval},
        {LOOM_OP_DP_MAD, dp, c->dp_mad_latency, c->dp_mad_interval},
        {LOOM_OP_DP_DIV, sfu, c->dp_div_latency, c->dp_div_interval},
        {LOOM_OP_SFU, sfu, c->sfu_latency, c->sfu_interval},
        {LOOM_OP_TENSOR, tensor, c->tensor_latency, c->tensor_interval},
        {LOOM_OP_SHUFFLE, alu, c->shuffle_latency, c->shuffle_interval},
        {LOOM_OP_BRANCH, sp, 1, 1},
        {LOOM_OP_BARRIER, sp, 1, 1},
        {LOOM_OP_MEMBAR, mem, 1, 1},
        {LOOM_OP_LOAD, mem, 1, 1},
        {LOOM_OP_STORE, mem, 1, 1},
        {LOOM_OP_ATOMIC, mem, 1, 1},
        {LOOM_OP_EXIT, sp, 1, 1},
        {LOOM_OP_NOP, sp, 1, 1},
    };

    _Static_assert(LOOM_COUNTOF(all) == LOOM_OPS, "one line for each op");
    for (size_t i = 0; i < LOOM_COUNTOF(all); i++) {
        make_op(sm, all[i]);
    }
    sm->more[LOOM_USE_OTHER] = (uint8_t)c->cross_cycles;
    sm->more[LOOM_USE_FAR] = (uint8_t)c->far_cycles;
    sm->more[LOOM_USE_GUARD] = (uint8_t)c->guard_cycles;
    make_forms(sm);
    make_units(sm);
}
