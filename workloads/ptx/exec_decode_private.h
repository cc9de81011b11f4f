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

/* exec_decode_arith.c */
void ptx_decode_how(const struct loom_ptx_inst *inst, struct exec_how *how);
bool ptx_decode_lop3(struct exec_code *code, const struct loom_ptx_inst *inst,
                     struct exec_op *op);
bool ptx_decode_mad_carry(struct exec_code *code,
                          const struct loom_ptx_inst *inst, struct exec_op *op);
bool ptx_decode_cvt_packed(struct exec_code *code,
                           const struct loom_ptx_inst *inst,
                           struct exec_op *op);
bool ptx_decode_cvt_pack(struct exec_code *code,
                         const struct loom_ptx_inst *inst, struct exec_op *op);
uint32_t ptx_decode_true(uint8_t type, uint8_t stype);
bool ptx_decode_mov_128(struct exec_code *code,
                        const struct loom_ptx_inst *inst, struct exec_op *op);
bool ptx_decode_pair_128(struct exec_code *code,
                         const struct loom_ptx_inst *inst,
                         const struct loom_ptx_operand *operand, bool load,
                         struct exec_op *op);

/* exec_decode_video.c */
bool ptx_decode_video(struct exec_code *code, const struct loom_ptx_inst *inst,
                      struct exec_op *op);

/* exec_decode_memory.c */
bool ptx_decode_memory(struct exec_code *code, const struct loom_ptx_inst *inst,
                       struct exec_op *op);
bool ptx_decode_warp_op(struct exec_code *code,
                        const struct loom_ptx_inst *inst, struct exec_op *op);
/* An address operand: its register, its offset, and whether it is wide. */
bool ptx_decode_address(struct exec_code *code,
                        const struct loom_ptx_operand *operand, uint8_t space,
                        uint32_t *reg, int64_t *offset, uint8_t *wide);

/* exec_decode_async.c */
bool ptx_decode_copy(struct exec_code *code, const struct loom_ptx_inst *inst,
                     struct exec_op *op);
bool ptx_decode_mbarrier(struct exec_code *code,
                         const struct loom_ptx_inst *inst, struct exec_op *op);
bool ptx_decode_pending(struct exec_code *code,
                        const struct loom_ptx_inst *inst, struct exec_op *op);
/* The static entries of a copy: the load in `load`, a store made from it. */
void ptx_copy_static(const struct exec_op *op, struct loom_static_inst *load,
                     struct loom_static_inst *store);

#endif
