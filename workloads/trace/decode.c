/*
 * Registers, widths and cache operators of SASS instructions.
 *
 * The trace names the first register of each operand only.  A 128-bit load
 * writes four, so a destination reserves width / 4 registers, the data of a
 * store or atomic reads as many, and the address of an .E instruction is a
 * pair; opcode tables say the same of 64-bit arithmetic.
 *
 * General registers keep their numbers; R255 (RZ) is none.  Traces do not
 * name predicates, so uniform registers (UR0..UR62, UR63 is zero) take the
 * numbers of predicates.
 */
#include "workloads/trace/decode.h"

#include <string.h>

#include "components/mem_protocol.h"

#define ZERO_REG 255u
#define ZERO_UNIFORM 63u

static bool read_reg(struct trace_reg *reg, const char *word, size_t length)
{
    bool predicate = false, uniform = length > 1 && word[0] == 'U';
    const char *at = word + uniform;
    uint64_t number;

    predicate = *at == 'P';
    if (*at != 'R' && !predicate) {
        return false;
    }
    at++;
    if (predicate && *at == 'T' && at + 1 == word + length) {
        *reg = (struct trace_reg){TRACE_REG_NONE, uniform};
        return true;
    }
    if (*at < '0' || *at > '9' || !trace_decimal(&at, &number) ||
        at != word + length || number > ZERO_REG) {
        return false;
    }
    reg->uniform = uniform;
    reg->number = (uint16_t)(uniform ? LOOM_REG_PREDICATE + number : number);
    if (predicate || (uniform && number >= ZERO_UNIFORM) ||
        (!uniform && number == ZERO_REG)) {
        reg->number = TRACE_REG_NONE;
    }
    return true;
}

static bool read_regs(struct trace_reg *reg, uint32_t *count, const char **at,
                      const struct trace_lines *lines, struct loom_error *err)
{
    uint64_t number;

    if (!trace_decimal(at, &number) || number > TRACE_REGS_MAX) {
        size_t length = trace_word(at);

        return trace_fail(
            lines, err, "the number of registers is '%.*s', expected 0..%u",
            (int)(length > 40 ? 40 : length), *at, TRACE_REGS_MAX);
    }
    *count = (uint32_t)number;
    for (uint32_t i = 0; i < *count; i++) {
        size_t length = trace_word(at);

        if (!read_reg(&reg[i], *at, length)) {
            return trace_fail(lines, err,
                              "register %u of %u is '%.*s', expected "
                              "R0..R255 or UR0..UR63",
                              i + 1, *count, (int)(length > 40 ? 40 : length),
                              *at);
        }
        *at += length;
    }
    return true;
}

bool trace_words_read(struct trace_words *words, const char **at,
                      const struct trace_lines *lines, struct loom_error *err)
{
    uint64_t width;

    if (!read_regs(words->dest, &words->dests, at, lines, err)) {
        return false;
    }
    words->opcode_bytes = trace_word(at);
    words->opcode = *at;
    if (words->opcode_bytes == 0 || words->opcode[0] < 'A' ||
        words->opcode[0] > 'Z' || words->opcode_bytes > 200) {
        return trace_fail(lines, err, "'%.40s' is no opcode", words->opcode);
    }
    *at += words->opcode_bytes;
    if (!read_regs(words->source, &words->sources, at, lines, err)) {
        return false;
    }
    if (!trace_decimal(at, &width) || width > 1024 ||
        (**at != '\0' && !trace_blank(**at))) {
        return trace_fail(lines, err,
                          "the memory width is '%.40s', expected bytes or 0",
                          trace_skip(*at));
    }
    words->mem_width = (uint32_t)width;
    return true;
}

static void add_reg(uint64_t *set, struct trace_reg reg, uint32_t count)
{
    uint32_t first = reg.uniform ? LOOM_REG_PREDICATE : 0;
    uint32_t size =
        reg.uniform ? LOOM_REG_WORDS * 64 - LOOM_REG_PREDICATE : ZERO_REG;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t bit = reg.number - first + i;

        if (reg.number != TRACE_REG_NONE && bit < size) {
            bit += first;
            set[bit / 64] |= loom_bit(bit % 64);
        }
    }
}

static bool is_memory(const struct loom_static_inst *inst)
{
    return inst->op == LOOM_OP_LOAD || inst->op == LOOM_OP_STORE ||
           inst->op == LOOM_OP_ATOMIC;
}

/* Registers of source i. */
static uint32_t source_size(const struct trace_words *w,
                            const struct trace_opcode *opcode,
                            const struct loom_static_inst *inst, uint32_t i)
{
    if (opcode != NULL && opcode->sources != 0) {
        return opcode->sources;
    }
    if (!is_memory(inst) || w->source[i].uniform) {
        return 1;
    }
    if (i == 0) {
        return trace_opcode_has(w->opcode, w->opcode_bytes, "E") ? 2 : 1;
    }
    if (inst->op == LOOM_OP_LOAD) {
        return 1;
    }
    return inst->bytes > 4 ? inst->bytes / 4u : 1;
}

static uint32_t dest_size(const struct trace_opcode *opcode,
                          const struct loom_static_inst *inst)
{
    if (opcode != NULL && opcode->dests != 0) {
        return opcode->dests;
    }
    return is_memory(inst) && inst->bytes > 4 ? inst->bytes / 4u : 1;
}

static void set_registers(const struct trace_words *w,
                          const struct trace_opcode *opcode,
                          struct loom_static_inst *inst)
{
    for (uint32_t i = 0; i < w->dests; i++) {
        uint32_t size = w->dest[i].uniform ? 1 : dest_size(opcode, inst);

        add_reg(inst->def, w->dest[i], size);
        inst->dests =
            (uint8_t)(inst->dests + (w->dest[i].number != TRACE_REG_NONE));
    }
    memcpy(inst->use, inst->def, sizeof(inst->use));
    for (uint32_t i = 0; i < w->sources; i++) {
        add_reg(inst->use, w->source[i], source_size(w, opcode, inst, i));
        inst->sources =
            (uint8_t)(inst->sources + (w->source[i].number != TRACE_REG_NONE));
    }
}

/* .STRONG.GPU loads go around the L1, as Accel-Sim has it; stores are written
 * through anyway.  A plain .SYS on Volta is the scope of a weak access. */
static enum loom_cache_op cache_of(const struct trace_words *w, bool load)
{
    static const struct {
        const char *modifier;
        uint8_t op;
    } known[] = {
        {"CV", LOOM_CACHE_CV},       {"CG", LOOM_CACHE_CG},
        {"CS", LOOM_CACHE_CS},       {"LU", LOOM_CACHE_CS},
        {"EF", LOOM_CACHE_CS},       {"CI", LOOM_CACHE_NC},
        {"CONSTANT", LOOM_CACHE_NC},
    };

    if (load && trace_opcode_has(w->opcode, w->opcode_bytes, "STRONG") &&
        !trace_opcode_has(w->opcode, w->opcode_bytes, "CTA") &&
        !trace_opcode_has(w->opcode, w->opcode_bytes, "SM")) {
        return LOOM_CACHE_CG;
    }
    for (size_t i = 0; i < LOOM_COUNTOF(known); i++) {
        if (trace_opcode_has(w->opcode, w->opcode_bytes, known[i].modifier)) {
            return (enum loom_cache_op)known[i].op;
        }
    }
    return LOOM_CACHE_DEFAULT;
}

static enum loom_form form_of_atomic(const struct trace_words *w)
{
    static const char *const real[] = {"F16",     "F16x2", "BF16", "BF16x2",
                                       "BF16_V2", "F32",   "F64"};

    for (size_t i = 0; i < LOOM_COUNTOF(real); i++) {
        if (trace_opcode_has(w->opcode, w->opcode_bytes, real[i])) {
            return LOOM_FORM_ATOMIC_REAL;
        }
    }
    return trace_opcode_has(w->opcode, w->opcode_bytes, "CAS")
               ? LOOM_FORM_ATOMIC_SWAP
               : LOOM_FORM_PLAIN;
}

static bool power_width(uint32_t bytes)
{
    return bytes <= 16 && loom_is_power_of_2(bytes);
}

static void set_memory(const struct trace_words *w,
                       const struct trace_opcode *opcode,
                       struct trace_entry *entry)
{
    struct loom_static_inst *inst = &entry->inst;
    uint32_t bytes = trace_opcode_bytes(w->opcode, w->opcode_bytes);

    if (opcode != NULL && opcode->bytes != 0) {
        bytes = opcode->bytes;
    }
    if (bytes == 0) {
        bytes = power_width(w->mem_width) ? w->mem_width : 4;
    }
    inst->bytes = (uint8_t)bytes;
    inst->cache_op = (uint8_t)cache_of(w, inst->op == LOOM_OP_LOAD);
    if (inst->op == LOOM_OP_ATOMIC) {
        inst->form = (uint8_t)form_of_atomic(w);
    }
    if (inst->space == TRACE_GENERIC) {
        inst->space = LOOM_SPACE_GLOBAL;
        entry->generic = true;
    }
}

/* An opcode that no table has: arithmetic, or what its addresses suggest. */
static void guess(const struct trace_words *w, struct trace_entry *entry,
                  struct trace_notes *notes)
{
    struct loom_static_inst *inst = &entry->inst;
    const char *what = "integer arithmetic";
    size_t base = strcspn(w->opcode, ". \t");

    inst->op = LOOM_OP_INT_ADD;
    if (w->mem_width != 0) {
        inst->op = w->dests != 0 ? LOOM_OP_LOAD : LOOM_OP_STORE;
        inst->space = TRACE_GENERIC;
        what = w->dests != 0 ? "a load" : "a store";
    }
    entry->note = trace_note(notes,
                             "opcode '%.*s' is not in the opcode tables and "
                             "was taken for %s",
                             (int)(base > 40 ? 40 : base), w->opcode, what);
}

void trace_decode(const struct trace_words *w, const struct trace_arch *arch,
                  struct trace_notes *notes, struct trace_entry *entry)
{
    const struct trace_opcode *opcode =
        trace_arch_find(arch, w->opcode, w->opcode_bytes);
    struct loom_static_inst *inst = &entry->inst;

    entry->note = TRACE_NO_NOTE;
    entry->addresses = w->mem_width != 0;
    inst->loop = LOOM_NO_LOOP;
    inst->param = LOOM_NO_PARAM;
    inst->vector = 1;
    inst->flags = LOOM_INST_ANY_MASK; /* guards are in the mask */
    if (opcode != NULL) {
        inst->op = opcode->op;
        inst->space = opcode->space;
        entry->copies = opcode->copies;
        entry->waits = opcode->waits;
        if (opcode->copies || opcode->groups || opcode->waits) {
            inst->flags |= LOOM_INST_ASYNC;
        }
    } else {
        guess(w, entry, notes);
    }
    if (is_memory(inst)) {
        set_memory(w, opcode, entry);
    } else {
        inst->space = LOOM_SPACE_GLOBAL;
    }
    set_registers(w, opcode, inst);
    if (inst->op == LOOM_OP_ATOMIC && inst->dests != 0) {
        inst->flags |= LOOM_INST_RETURNS;
    }
}
