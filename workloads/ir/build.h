/*
 * Making and changing PTX modules.  Part of workloads/ir/ir.h, which
 * includes it.
 *
 * All memory is the module's; functions that need some return NULL, false
 * or LOOM_PTX_NONE when the host has none left, and change nothing then.
 * Texts are copied, but where said otherwise.
 */
#ifndef WORKLOADS_IR_BUILD_H
#define WORKLOADS_IR_BUILD_H

#include "workloads/ir/ir.h"

struct loom_ptx_module *loom_ptx_module_create(void);
void loom_ptx_module_destroy(struct loom_ptx_module *module); /* or NULL */

/* Zeroed memory that lives as long as the module. */
void *loom_ptx_alloc(struct loom_ptx_module *module, size_t bytes);
const char *loom_ptx_text(struct loom_ptx_module *module, const char *text,
                          size_t length);

struct loom_ptx_function *loom_ptx_function_add(struct loom_ptx_module *module,
                                                const char *name, bool entry);
/* NULL if there is none. */
struct loom_ptx_function *
loom_ptx_function_find(const struct loom_ptx_module *module, const char *name);

/* Adds a copy of *spec: to the module if function is NULL, else to the
 * function's body.  bytes, align (if 0) and offset are worked out. */
struct loom_ptx_var *loom_ptx_var_add(struct loom_ptx_module *module,
                                      struct loom_ptx_function *function,
                                      const struct loom_ptx_var *spec);
/* Likewise for a parameter (or, if `result`, a device function's result). */
struct loom_ptx_var *loom_ptx_param_add(struct loom_ptx_function *function,
                                        const struct loom_ptx_var *spec,
                                        bool result);

/* A new register `name` (not copied) or, unless number is LOOM_PTX_NONE,
 * name<number>.  The caller sees to it that the name is new;
 * loom_ptx_reg_fresh() does so itself and names it "%loom<n>". */
uint32_t loom_ptx_reg_add(struct loom_ptx_function *function,
                          enum loom_ptx_type type, const char *name,
                          uint32_t number);
uint32_t loom_ptx_reg_fresh(struct loom_ptx_function *function,
                            enum loom_ptx_type type);

/* A label in front of instruction `target`.  NULL: makes up a name. */
uint32_t loom_ptx_label_add(struct loom_ptx_function *function,
                            const char *name, uint32_t target);

/* Puts a copy of inst[count] in front of instruction `at`, `at` <=
 * inst_count; operand arrays are copied, too, and types are those of the
 * caller.  Labels at `at` then name the first new instruction or, if
 * `labels_stay`, still the one they named (a loop's preheader). */
bool loom_ptx_insert(struct loom_ptx_function *function, uint32_t at,
                     const struct loom_ptx_inst *inst, uint32_t count,
                     bool labels_stay);
/* Room for one instruction at the end, zeroed by nobody: for parsers. */
struct loom_ptx_inst *loom_ptx_append(struct loom_ptx_function *function);
/* Removes instructions; labels at them name the next one that is left. */
void loom_ptx_remove(struct loom_ptx_function *function, uint32_t at,
                     uint32_t count);

/* `name` and `text` are not copied. */
uint32_t loom_ptx_prototype_add(struct loom_ptx_function *function,
                                const char *name, const char *text);
/* A list of branch targets; the array of labels is not copied either. */
uint32_t loom_ptx_targets_add(struct loom_ptx_function *function,
                              const char *name, uint32_t *label,
                              uint32_t count);
/* In front of instruction `at`; a NULL function: of the module.  `text` has
 * its quotes and is not copied. */
bool loom_ptx_pragma_add(struct loom_ptx_module *module,
                         struct loom_ptx_function *function, const char *text,
                         uint32_t at);
bool loom_ptx_file_add(struct loom_ptx_module *module, uint32_t number,
                       const char *name);

/* Operands and instructions by value. */
struct loom_ptx_operand loom_ptx_operand_reg(uint32_t reg);
struct loom_ptx_operand loom_ptx_operand_imm(int64_t value);
struct loom_ptx_operand loom_ptx_operand_special(enum loom_ptx_special what);
struct loom_ptx_operand loom_ptx_operand_label(uint32_t label);
struct loom_ptx_operand loom_ptx_operand_symbol(const struct loom_ptx_var *var);
/* [reg + offset], [var + offset] */
struct loom_ptx_operand loom_ptx_operand_at(uint32_t reg, int64_t offset);
struct loom_ptx_operand loom_ptx_operand_in(const struct loom_ptx_var *var,
                                            int64_t offset);
/* Without guard and modifiers; `operand` is not copied before insertion. */
struct loom_ptx_inst loom_ptx_inst_make(enum loom_ptx_opcode op,
                                        enum loom_ptx_type type,
                                        struct loom_ptx_operand *operand,
                                        uint32_t count);

/* Facts about types and opcodes. */
uint32_t loom_ptx_type_bytes(enum loom_ptx_type type); /* .pred: 1 */
/* m, n and k of a shape of mma and wmma; zeros: it is another one. */
const uint16_t *loom_ptx_product(uint8_t shape);
bool loom_ptx_type_real(enum loom_ptx_type type);        /* floating point */
const char *loom_ptx_type_name(enum loom_ptx_type type); /* "f32" */
const char *loom_ptx_special_name(enum loom_ptx_special what);

/* How many of the first operands are written: 0, 1, or 2 for a pair.  A
 * call's results are the list in operand 0, which counts as one. */
uint32_t loom_ptx_dests(const struct loom_ptx_inst *inst);
/* wgmma.mma_async, also of a sparse A. */
bool loom_ptx_of_group(const struct loom_ptx_inst *inst);
/* A product whose A is sparse: half of its k is there, and metadata. */
bool loom_ptx_sparse(const struct loom_ptx_inst *inst);
/* A video instruction: its registers may have selectors. */
bool loom_ptx_selects(const struct loom_ptx_inst *inst);
/* Index of the address operand of a memory operation, or LOOM_PTX_NONE. */
uint32_t loom_ptx_address_operand(const struct loom_ptx_inst *inst);

/* The registers that an instruction reads or writes, in order of operands,
 * guard last; calls visit() with the register and whether it is written. */
void loom_ptx_visit(const struct loom_ptx_inst *inst,
                    void (*visit)(void *context, uint32_t reg, bool write),
                    void *context);

/* Module as text that parses to the same module; the caller frees it with
 * free().  NULL: no memory. */
char *loom_ptx_print(const struct loom_ptx_module *module);
/* The same, with `body` for the function's instructions and labels: for
 * transforms that write text. */
char *loom_ptx_print_with(const struct loom_ptx_module *module,
                          const struct loom_ptx_function *function,
                          const char *body);
/* One instruction without its end of line, as the front end's tables show
 * it; returns its length, as snprintf() does. */
size_t loom_ptx_print_inst(const struct loom_ptx_function *function,
                           const struct loom_ptx_inst *inst, char *text,
                           size_t room);

#endif
