/*
 * The stub as a transform: puts instructions that do nothing before a
 * kernel's first one, through the builder, and checks what it is told.
 */
#include "tests/policies/stub/stub_private.h"
#include "workloads/ir/ir.h"

static bool facts_make_sense(const struct loom_machine_facts *facts)
{
    return facts->sms != 0 && facts->warps_per_sm != 0 &&
           facts->registers_per_sm != 0 && facts->shared_bytes_per_sm != 0 &&
           facts->ctas_per_sm != 0 && facts->resident_ctas != 0 &&
           facts->resident_ctas <= facts->ctas_per_sm;
}

static bool stub_rewrite(struct loom_policy *self, struct loom_rewrite *work,
                         struct loom_error *err)
{
    struct loom_ptx_function *kernel = work->kernel;
    const struct stub_config *config = loom_policy_config(self);
    uint32_t reg = loom_ptx_reg_fresh(kernel, LOOM_PTX_U32);
    struct loom_ptx_operand operand[2] = {loom_ptx_operand_reg(reg),
                                          loom_ptx_operand_imm(7)};
    struct loom_ptx_inst move =
        loom_ptx_inst_make(LOOM_PTX_MOV, LOOM_PTX_U32, operand, 2);

    count(self)->rewrites++;
    count(self)->wrong += kernel->module != work->module || !kernel->entry ||
                          work->info->inst_count < kernel->inst_count ||
                          loom_dim3_count(work->grid) == 0 ||
                          loom_dim3_count(work->block) == 0 ||
                          !facts_make_sense(work->facts);
    work->changed = config->insert != 0;
    for (uint32_t i = 0; i < config->insert; i++) {
        if (reg == LOOM_PTX_NONE ||
            !loom_ptx_insert(kernel, 0, &move, 1, false)) {
            return loom_fail(err, LOOM_ERR_MEMORY, "no memory to insert");
        }
        count(self)->inserted_insts++;
    }
    if (config->as_text) {
        work->text = loom_ptx_print(work->module);
        loom_ptx_remove(kernel, 0, kernel->inst_count); /* nobody looks */
    }
    return true;
}

const struct loom_transform_ops stub_transform_ops = {
    .rewrite = stub_rewrite,
};
