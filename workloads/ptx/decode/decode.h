/*
 * The decoder: from a linked kernel with its analysis to what the executor
 * runs.
 */
#ifndef WORKLOADS_PTX_DECODE_DECODE_H
#define WORKLOADS_PTX_DECODE_DECODE_H

#include "workloads/ptx/exec/code.h"

bool ptx_decode(struct exec_code *code, struct loom_error *err);
void ptx_code_free(struct exec_code *code);

/* Value of a function's name. */
uint64_t ptx_function_address(const struct loom_ptx_function *function);
/* Address in device memory of a module's variable, of which address[] has
 * those of all; false: it has none. */
bool ptx_variable_at(const struct loom_ptx_module *module,
                     const loom_addr *address, const struct loom_ptx_var *var,
                     loom_addr *base);

#endif
