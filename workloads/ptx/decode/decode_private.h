/*
 * Between the files of the decoder.
 *
 * Each function fills in one operation; false means that the executor has
 * no such instruction, or not this form of it.
 */
#ifndef WORKLOADS_PTX_DECODE_DECODE_PRIVATE_H
#define WORKLOADS_PTX_DECODE_DECODE_PRIVATE_H

#include "workloads/ptx/decode/decode.h"
#include "workloads/ptx/exec/exec.h"

/* operand.c: a predicate source (true if the slot is EXEC_NONE), a
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

/* lanes.c */
bool ptx_decode_lanes(struct exec_code *code, const struct loom_ptx_inst *inst,
                      struct exec_op *op);

/* arith.c */
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

/* video.c */
bool ptx_decode_video(struct exec_code *code, const struct loom_ptx_inst *inst,
                      struct exec_op *op);

/* memory.c */
bool ptx_decode_memory(struct exec_code *code, const struct loom_ptx_inst *inst,
                       struct exec_op *op);
bool ptx_decode_warp_op(struct exec_code *code,
                        const struct loom_ptx_inst *inst, struct exec_op *op);
bool ptx_type_signed(uint8_t type);
/* An address operand: its register, its offset, and whether it is wide. */
bool ptx_decode_address(struct exec_code *code,
                        const struct loom_ptx_operand *operand, uint8_t space,
                        uint32_t *reg, int64_t *offset, uint8_t *wide);

/* async.c */
bool ptx_decode_copy(struct exec_code *code, const struct loom_ptx_inst *inst,
                     struct exec_op *op);
bool ptx_decode_mbarrier(struct exec_code *code,
                         const struct loom_ptx_inst *inst, struct exec_op *op);
bool ptx_decode_pending(struct exec_code *code,
                        const struct loom_ptx_inst *inst, struct exec_op *op);
/* The static entries of a copy: the load in `load`, a store made from it. */
void ptx_copy_static(const struct exec_op *op, struct loom_static_inst *load,
                     struct loom_static_inst *store);

/* cluster.c */
bool ptx_decode_rank(struct exec_code *code, const struct loom_ptx_inst *inst,
                     struct exec_op *op);
bool ptx_decode_explicit(struct exec_code *code,
                         const struct loom_ptx_inst *inst, struct exec_op *op);

/* operand.c */
bool ptx_operand(struct exec_code *code, const struct loom_ptx_inst *inst,
                 const struct loom_ptx_operand *operand, uint8_t type,
                 uint32_t *result);
bool ptx_constant(struct exec_code *code, uint64_t value, bool wide,
                  uint32_t *result);
bool ptx_symbol(const struct exec_code *code, const struct loom_ptx_var *var,
                uint64_t *address);
/* Is the variable's address relative to the running activation's? */
bool ptx_in_frame(const struct exec_code *code, const struct loom_ptx_var *var,
                  uint64_t *offset);
/* A register with the address of the activation's local memory + offset. */
bool ptx_local_slot(struct exec_code *code, uint64_t offset, bool wide,
                    uint32_t *result);
bool ptx_reg_wide(const struct exec_code *code, uint32_t reg);
bool ptx_refuse(const struct exec_code *code, const struct loom_ptx_inst *inst,
                const char *why, struct loom_error *err);

/* call.c */
bool ptx_decode_call(struct exec_code *code, const struct loom_ptx_inst *inst,
                     struct exec_op *op, uint32_t at);
bool ptx_decode_areas(struct exec_code *code);
void ptx_calls_code_free(struct exec_code *code);
/* matrix.c */
bool ptx_decode_matrix(struct exec_code *code, const struct loom_ptx_inst *inst,
                       struct exec_op *op);
/* Width and number of elements of the accesses. */
void ptx_matrix_static(const struct exec_code *code, const struct exec_op *op,
                       struct loom_static_inst *inst);

bool ptx_decode_fill(struct exec_code *code, const struct loom_ptx_inst *inst,
                     struct exec_op *op);
/* tensor.c */
bool ptx_decode_tensor(struct exec_code *code, const struct loom_ptx_inst *inst,
                       struct exec_op *op);
/* tensormap.replace, tensormap.cp_fenceproxy */
bool ptx_decode_map(struct exec_code *code, const struct loom_ptx_inst *inst,
                    struct exec_op *op);
/* wgmma.c */
/* matrix.c: the metadata and the sparsity selector, operands `at` and behind
 * it; `lanes` of four have the metadata. */
struct exec_sparse;
bool ptx_decode_metadata(struct exec_code *code,
                         const struct loom_ptx_inst *inst, uint32_t at,
                         uint32_t lanes, struct exec_sparse *sparse);
bool ptx_decode_wgmma(struct exec_code *code, const struct loom_ptx_inst *inst,
                      struct exec_op *op);

/* texture.c */
bool ptx_decode_texture(struct exec_code *code,
                        const struct loom_ptx_inst *inst, struct exec_op *op);
uint32_t ptx_texture_forms(const struct exec_op *op);
void ptx_texture_static(const struct exec_op *op, struct loom_static_inst *own,
                        struct loom_static_inst *form);

/* interval.c: `shows` and `opens` of all operations; false: no memory. */
bool ptx_find_intervals(struct exec_code *code);

#endif
