/*
 * Between the files of the decoder.
 *
 * Each function fills in one operation; false means that the executor has
 * no such instruction, or not this form of it.
 */
#ifndef WORKLOADS_PTX_EXEC_DECODE_PRIVATE_H
#define WORKLOADS_PTX_EXEC_DECODE_PRIVATE_H

#include "workloads/ptx/exec_private.h"

/* exec_decode.c: a predicate source (true if the slot is EXEC_NONE), a
 * predicate destination, a register destination. */
bool ptx_decode_pred(const struct exec_code *code,
                     const struct loom_ptx_operand *operand, uint32_t *slot,
                     bool *invert);
bool ptx_decode_pred_out(const struct exec_code *code,
                         const struct loom_ptx_operand *operand,
                         uint32_t *slot);
bool ptx_decode_out(const struct exec_code *code,
                    const struct loom_ptx_operand *operand, uint32_t *offset,
                    bool *wide);

/* exec_decode_lanes.c */
bool ptx_decode_lanes(struct exec_code *code, const struct loom_ptx_inst *inst,
                      struct exec_op *op);

/* exec_decode_memory.c */
bool ptx_decode_memory(struct exec_code *code, const struct loom_ptx_inst *inst,
                       struct exec_op *op);
bool ptx_decode_warp_op(struct exec_code *code,
                        const struct loom_ptx_inst *inst, struct exec_op *op);

#endif
