/*
 * What a compiler's register count has beyond the live values of PTX.
 *
 * Measured: with it our counts are closest to those of ptxas 13.0 for sm_75
 * (28 kernels of tests/data/ptx).
 */
#include "workloads/ptx/analysis/analysis_private.h"

/* Registers that the code sequence behind one PTX instruction needs for
 * itself: divisions and square roots are subroutines.  Measured as above. */
uint32_t ptx_temporaries(const struct loom_ptx_inst *inst)
{
    bool wide = loom_ptx_type_bytes((enum loom_ptx_type)inst->type[0]) > 4;
    bool real = loom_ptx_type_real((enum loom_ptx_type)inst->type[0]);
    bool exact = (inst->flags & (LOOM_PTX_APPROX | LOOM_PTX_FULL)) == 0;

    switch ((enum loom_ptx_opcode)inst->op) {
    case LOOM_PTX_DIV:
    case LOOM_PTX_REM:
        if (wide) {
            return 15;
        }
        return real ? exact ? 6 : 0 : 3;
    case LOOM_PTX_SQRT:
    case LOOM_PTX_RCP:
    case LOOM_PTX_RSQRT:
        if (wide) {
            return 10;
        }
        return exact && inst->op != LOOM_PTX_RSQRT ? 3 : 0;
    default:
        return 0;
    }
}
