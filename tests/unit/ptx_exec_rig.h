/*
 * Pieces of a kernel for tests of the executor.
 */
#ifndef TESTS_UNIT_PTX_EXEC_RIG_H
#define TESTS_UNIT_PTX_EXEC_RIG_H

#include "tests/unit/ptx_rig.h"

/* Kernel k(out) whose thread i writes %r2 to out[i]; %r1 is %tid.x. */
#define REGISTERS                                                              \
    ".reg .pred %p<9>;\n.reg .b16 %h<9>;\n.reg .b32 %r<20>;\n"                 \
    ".reg .b64 %d<20>;\n.reg .f32 %f<9>;\n"
#define OPEN PTX_HEAD ".visible .entry k(.param .u64 k_out)\n{\n" REGISTERS
#define START                                                                  \
    "ld.param.u64 %d1, [k_out];\nmov.u32 %r1, %tid.x;\n"                       \
    "mul.wide.u32 %d2, %r1, 4;\nadd.s64 %d1, %d1, %d2;\nmov.u32 %r2, 0;\n"
#define FINISH "st.global.u32 [%d1], %r2;\nret;\n}\n"

#define TEST(name)                                                             \
    {                                                                          \
#name, name                                                            \
    }

#endif
