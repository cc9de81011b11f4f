/*
 * One line of a warp: pc, active mask, the instruction, its addresses.
 *
 *     [source line] PC mask dests R.. OPCODE sources R.. width
 *         [mode addresses] [immediates, values]
 *
 * What follows the addresses (immediates from tracer 5, values from 5 or 6)
 * is not looked at, except for the count of DEPBAR.
 */
#include "components/mem_protocol.h"
#include "workloads/trace/launch.h"

/* However many threads a damaged header claims, no sum overflows. */
#define LOCAL_MASK ((LOOM_LOCAL_BASE >> 4) - 1)

/* How addresses are written. */
enum address_mode {
    ADDRESS_LIST,
    ADDRESS_STRIDE, /* base, distance */
    ADDRESS_DELTA   /* base, distances from the lane before */
};

struct line {
    const char *at;
    uint32_t pc, mask;
    uint32_t source_line;
    loom_addr *address; /* [LOOM_WARP_LANES], of active lanes */
};

static bool bad(const struct trace_launch *launch, const char *what,
                const char *at, const char *expected, struct loom_error *err)
{
    return trace_fail(&launch->lines, err, "%s is '%.40s', expected %s", what,
                      trace_skip(at), expected);
}

static bool read_stride(struct line *line, loom_addr base)
{
    int64_t stride;

    if (!trace_signed(&line->at, &stride)) {
        return false;
    }
    for (uint32_t left = line->mask; left != 0; left &= left - 1) {
        line->address[loom_lowest(left)] = base;
        base += (loom_addr)stride;
    }
    return true;
}

/* One distance less than there are lanes: the base is the first of them.
 * (Accel-Sim's own reader takes one more and so eats the immediate.) */
static bool read_deltas(struct line *line, loom_addr base)
{
    uint32_t left = line->mask;
    int64_t delta;

    if (left == 0) {
        return true;
    }
    line->address[loom_lowest(left)] = base;
    for (left &= left - 1; left != 0; left &= left - 1) {
        if (!trace_signed(&line->at, &delta)) {
            return false;
        }
        base += (loom_addr)delta;
        line->address[loom_lowest(left)] = base;
    }
    return true;
}

static bool read_list(struct line *line)
{
    for (uint32_t left = line->mask; left != 0; left &= left - 1) {
        if (!trace_hex(&line->at, &line->address[loom_lowest(left)])) {
            return false;
        }
    }
    return true;
}

static bool read_addresses(const struct trace_launch *launch, struct line *line,
                           struct loom_error *err)
{
    const char *start = line->at;
    uint64_t mode, any = 0;
    loom_addr base = 0;
    bool ok;

    if (!trace_decimal(&line->at, &mode) || mode > ADDRESS_DELTA) {
        return bad(launch, "the address mode", start, "0, 1 or 2", err);
    }
    if (mode != ADDRESS_LIST && !trace_hex(&line->at, &base)) {
        return bad(launch, "the base address", line->at, "a hexadecimal number",
                   err);
    }
    ok = mode == ADDRESS_LIST     ? read_list(line)
         : mode == ADDRESS_STRIDE ? read_stride(line, base)
                                  : read_deltas(line, base);
    if (!ok) {
        return trace_fail(&launch->lines, err,
                          "the addresses of %u active lanes end at '%.20s'",
                          loom_popcount(line->mask), trace_skip(line->at));
    }
    for (uint32_t left = line->mask; left != 0; left &= left - 1) {
        any |= line->address[loom_lowest(left)];
    }
    if (any >> TRACE_ADDRESS_BITS != 0) {
        return trace_fail(&launch->lines, err,
                          "an address has more than %u bits",
                          TRACE_ADDRESS_BITS);
    }
    return true;
}

static bool in_window(loom_addr at, loom_addr base)
{
    return at - base < TRACE_WINDOW;
}

/* The space of a generic access; its first active lane decides. */
static enum trace_form form_of(const struct trace_launch *launch,
                               const struct trace_entry *entry, loom_addr at)
{
    const struct trace_header *h = &launch->header;

    if (in_window(at, h->shared_base)) {
        return TRACE_SHARED;
    }
    if (entry->generic && entry->inst.op != LOOM_OP_ATOMIC &&
        in_window(at, h->local_base)) {
        return TRACE_LOCAL;
    }
    return TRACE_PLAIN;
}

static void count_mixed(const struct trace_launch *launch,
                        const struct trace_entry *entry,
                        const struct line *line, enum trace_form form)
{
    for (uint32_t left = line->mask; left != 0; left &= left - 1) {
        if (form_of(launch, entry, line->address[loom_lowest(left)]) != form) {
            trace_note_count(launch->table.notes,
                             trace_note(launch->table.notes,
                                        "a generic access has lanes in "
                                        "several memory spaces; it was taken "
                                        "to be in that of its first lane"));
            return;
        }
    }
}

/* Offsets in shared memory. */
static void rebase_shared(const struct trace_launch *launch, struct line *line)
{
    loom_addr base = launch->header.shared_base;

    for (uint32_t left = line->mask; left != 0; left &= left - 1) {
        loom_addr *at = &line->address[loom_lowest(left)];

        *at -= in_window(*at, base) ? base : 0;
    }
}

/* A thread's local address to that in the launch's interleaved memory. */
static void map_local(const struct trace_launch *launch, struct line *line,
                      uint64_t thread)
{
    loom_addr base = launch->header.local_base;

    for (uint32_t left = line->mask; left != 0; left &= left - 1) {
        uint32_t lane = loom_lowest(left);
        loom_addr at = line->address[lane];

        at -= in_window(at, base) ? base : 0;
        if (at >= TRACE_WINDOW) {
            continue; /* no offset: an address of its own */
        }
        line->address[lane] =
            LOOM_LOCAL_BASE +
            ((4 * ((at / 4) * launch->all_threads + thread + lane) + at % 4) &
             LOCAL_MASK);
    }
}

static bool read_head(const struct trace_launch *launch, struct line *line,
                      struct loom_error *err)
{
    const char *start;
    uint64_t value;

    if (launch->header.tracer_version < 3) { /* block and warp */
        for (int i = 0; i < 4; i++) {
            if (!trace_decimal(&line->at, &value)) {
                return bad(launch, "the block and warp", line->at,
                           "four numbers, as the tracer's version is below 3",
                           err);
            }
        }
    }
    if (launch->header.line_info) {
        if (!trace_decimal(&line->at, &value) || value > UINT32_MAX) {
            return bad(launch, "the source line", line->at,
                       "a number, as lineinfo is enabled", err);
        }
        line->source_line = (uint32_t)value;
    }
    start = line->at;
    if (!trace_hex(&line->at, &value) || value >= TRACE_PC_MAX) {
        return bad(launch, "the pc", start,
                   "a hexadecimal number below 1000000", err);
    }
    line->pc = (uint32_t)value;
    start = line->at;
    if (!trace_blank(*start) || !trace_hex(&line->at, &value) ||
        value > UINT32_MAX || !trace_blank(*line->at)) {
        return bad(launch, "the active mask", start, "eight hexadecimal digits",
                   err);
    }
    line->mask = (uint32_t)value;
    return true;
}

/* DEPBAR waits until as many groups of copies are left as its immediate says.
 * Tracers before 5 do not write it: none may be left then. */
static enum trace_form wait_form(const struct trace_launch *launch,
                                 const struct line *line)
{
    const char *at = line->at;
    int64_t groups = 0;

    if (launch->header.tracer_version < 5 || !trace_signed(&at, &groups) ||
        groups < 0) {
        return TRACE_WAIT;
    }
    return TRACE_WAIT + (enum trace_form)(groups < TRACE_FORMS - TRACE_WAIT
                                              ? groups
                                              : TRACE_FORMS - TRACE_WAIT - 1);
}

/* Which form the instruction takes here; makes its addresses those of the
 * stream. */
static enum trace_form settle(struct trace_launch *launch,
                              const struct trace_entry *entry,
                              struct line *line, uint64_t thread)
{
    enum trace_form form = TRACE_PLAIN;
    uint32_t space;

    if (entry->generic || entry->copies) {
        form = form_of(launch, entry, line->address[loom_lowest(line->mask)]);
        count_mixed(launch, entry, line, form);
    }
    space = form == TRACE_SHARED  ? LOOM_SPACE_SHARED
            : form == TRACE_LOCAL ? LOOM_SPACE_LOCAL
                                  : entry->inst.space;
    if (space == LOOM_SPACE_SHARED) {
        rebase_shared(launch, line);
    } else if (space == LOOM_SPACE_LOCAL) {
        map_local(launch, line, thread);
    }
    return form;
}

/* The form of an instruction that does not access memory here. */
static enum trace_form settle_idle(struct trace_launch *launch,
                                   const struct trace_entry *entry,
                                   const struct line *line)
{
    const struct loom_static_inst *inst = &entry->inst;

    switch ((enum loom_op)inst->op) {
    case LOOM_OP_BARRIER:
    case LOOM_OP_MEMBAR:
        return line->mask == 0 ? TRACE_IDLE
               : entry->waits  ? wait_form(launch, line)
                               : TRACE_PLAIN;
    case LOOM_OP_LOAD:
    case LOOM_OP_STORE:
    case LOOM_OP_ATOMIC:
        if (line->mask == 0 || inst->space == LOOM_SPACE_CONST ||
            inst->space == LOOM_SPACE_TEXTURE) {
            return TRACE_PLAIN;
        }
        trace_note_count(launch->table.notes,
                         trace_note(launch->table.notes,
                                    "a memory instruction has no addresses; "
                                    "it was taken for one that does nothing"));
        return TRACE_IDLE;
    default:
        return TRACE_PLAIN;
    }
}

static bool accesses(const struct loom_static_inst *inst)
{
    return inst->op == LOOM_OP_LOAD || inst->op == LOOM_OP_STORE ||
           inst->op == LOOM_OP_ATOMIC;
}

bool trace_inst_read(struct trace_launch *launch, const char *text,
                     uint64_t thread, struct loom_stream_writer *writer,
                     struct loom_error *err)
{
    loom_addr address[LOOM_WARP_LANES];
    struct line line = {.at = text, .address = address};
    struct trace_entry *entry;
    enum trace_form form;
    bool memory;

    if (!read_head(launch, &line, err) ||
        !trace_table_entry(&launch->table, line.pc, line.source_line, &line.at,
                           &entry, err) ||
        (entry->addresses && !read_addresses(launch, &line, err))) {
        return false;
    }
    memory = entry->addresses && line.mask != 0 && accesses(&entry->inst);
    form = memory ? settle(launch, entry, &line, thread)
                  : settle_idle(launch, entry, &line);
    if (LOOM_UNLIKELY(entry->note != TRACE_NO_NOTE)) {
        trace_note_count(launch->table.notes, entry->note);
    }
    if (LOOM_UNLIKELY(entry->form[form] == 0)) {
        if (!trace_table_form(&launch->table, entry, form, err)) {
            return false;
        }
        launch->kernel.inst_count = launch->table.inst_count;
    }
    if (memory) {
        loom_writer_memory(writer, entry->form[form] - 1, line.mask, address);
    } else {
        loom_writer_put(writer, entry->form[form] - 1, line.mask);
    }
    return true;
}
