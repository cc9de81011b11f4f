/*
 * A thread's lines: chosen after the monitoring slice, filled, written back,
 * evicted and flushed.
 *
 * Of structure s: sl1_tag<s> is the address of the line in memory; bit i of
 * sl1_dirty<s> says that byte i was written; sl1_on<s> that the structure is
 * cached at all.  sl1_n is the thread's first place in shared memory; if there
 * are fewer lines than structures, sl1_slot<s> is the structure's.
 *
 * Tags have 32 bits where all memory in use lies in the 4 GiB from
 * LOOM_MEMORY_BASE on, less the last LOOM_MEMORY_ALIGN bytes: no two addresses
 * of it have the same lower half, and those bytes are nobody's, which a tag
 * says that holds no line.  Such has the tag of a structure that is not
 * cached, so that a look-up always misses.
 */
#include <stdio.h>

#include "policies/sl1/sl1_private.h"
#include "workloads/memory.h"

#define PUT(...) sl1_put(e, __VA_ARGS__)

/* Has each structure a register for its place? */
static bool ranked(const struct sl1_emit *e)
{
    return e->plan->lines != 0 && e->plan->lines < e->nest->count;
}

const char *sl1_slot(const struct sl1_emit *e, uint32_t s, char name[32],
                     uint32_t *offset)
{
    if (ranked(e)) {
        *offset = 0;
        snprintf(name, 32, "%%sl1_slot^_%u", s);
    } else {
        *offset =
            e->plan->lines == 0 ? 0 : s * e->plan->threads * e->config->line;
        snprintf(name, 32, "%%sl1_n^");
    }
    return name;
}

static void put_nothing(struct sl1_emit *e, const char *guard, const char *name,
                        uint32_t s)
{
    if (e->near) {
        PUT("\t%smov.u32 %%sl1_%s^_%u, %u;\n", guard, name, s,
            (uint32_t)(LOOM_MEMORY_BASE - LOOM_MEMORY_ALIGN));
    } else {
        PUT("\t%smov.u64 %%sl1_%s^_%u, -1;\n", guard, name, s);
    }
}

/* The line's address in 64 bits: the tag itself, or `to`. */
static const char *put_memory(struct sl1_emit *e, uint32_t s, const char *to,
                              char tag[32])
{
    snprintf(tag, 32, "%%sl1_tag^_%u", s);
    if (!e->near) {
        return tag;
    }
    PUT("\tsub.u32 %%sl1_m~, %s, %u;\n", tag, (uint32_t)LOOM_MEMORY_BASE);
    PUT("\tmad.wide.u32 %s, %%sl1_m~, 1, %llu;\n", to,
        (unsigned long long)LOOM_MEMORY_BASE);
    return to;
}

/* Lines of 8 and 16 bytes lie at multiples of their size; those of 24 count
 * from the pointer, as a line must not begin before the data. */
void sl1_emit_line_of(struct sl1_emit *e, uint32_t s, const char *word,
                      const char *to)
{
    if (e->config->line != 24) {
        PUT("\tand.b%u %s, %s, -%u;\n", e->near ? 32u : 64u, to, word,
            e->config->line);
        return;
    }
    PUT("\tld.param.u64 %%sl1_e~, [%s];\n", sl1_param_name(e, s));
    if (e->near) {
        PUT("\tcvt.u32.u64 %%sl1_m~, %%sl1_e~;\n"
            "\tsub.u32 %%sl1_o~, %s, %%sl1_m~;\n"
            "\tshr.u32 %%sl1_o~, %%sl1_o~, 3;\n",
            word);
    } else {
        PUT("\tsub.s64 %%sl1_g~, %s, %%sl1_e~;\n", word);
        PUT("\tshr.u64 %%sl1_g~, %%sl1_g~, 3;\n"
            "\tcvt.u32.u64 %%sl1_o~, %%sl1_g~;\n");
    }
    PUT("\tmul.hi.u32 %%sl1_o~, %%sl1_o~, 2863311531; // a third\n"
        "\tshr.u32 %%sl1_o~, %%sl1_o~, 1;\n");
    if (e->near) {
        PUT("\tmad.lo.u32 %s, %%sl1_o~, 24, %%sl1_m~;\n", to);
    } else {
        PUT("\tmad.wide.u32 %s, %%sl1_o~, 24, %%sl1_e~;\n", to);
    }
}

/* Before the monitoring slice. */
void sl1_emit_start(struct sl1_emit *e)
{
    for (uint32_t s = 0; s < e->nest->count; s++) {
        put_nothing(e, "", "seen", s);
        PUT("\tmov.u32 %%sl1_hit^_%u, 0;\n"
            "\tmov.u32 %%sl1_miss^_%u, 0;\n",
            s, s);
    }
}

/* sl1_n: the thread's first line in shared memory. */
static void put_place(struct sl1_emit *e)
{
    PUT("\tmov.u32 %%sl1_o~, %%tid.x;\n");
    if (e->block.y > 1 || e->block.z > 1) {
        PUT("\tmov.u32 %%sl1_m~, %%tid.y;\n"
            "\tmad.lo.u32 %%sl1_o~, %%sl1_m~, %u, %%sl1_o~;\n",
            e->block.x);
    }
    if (e->block.z > 1) {
        PUT("\tmov.u32 %%sl1_m~, %%tid.z;\n"
            "\tmad.lo.u32 %%sl1_o~, %%sl1_m~, %u, %%sl1_o~;\n",
            e->block.x * e->block.y);
    }
    PUT("\tmov.u32 %%sl1_n^, sl1_lines;\n"
        "\tmad.lo.u32 %%sl1_n^, %%sl1_o~, %u, %%sl1_n^;\n",
        e->config->line);
}

/* More than half of the structure's accesses hit; and its score. */
static void put_worth(struct sl1_emit *e, uint32_t s)
{
    if (e->plan->all) {
        PUT("\tsetp.ge.u32 %%sl1_on%u, %%sl1_hit^_%u, 0; // always\n", s, s);
    } else {
        PUT("\tsetp.gt.u32 %%sl1_on%u, %%sl1_hit^_%u, %%sl1_miss^_%u;\n", s, s,
            s);
    }
    if (e->config->line == 24) {
        PUT("\tld.param.u64 %%sl1_e~, [%s];\n", sl1_param_name(e, s));
        PUT("\tand.b64 %%sl1_e~, %%sl1_e~, 7;\n"
            "\tsetp.eq.s64 %%sl1_p, %%sl1_e~, 0;\n"
            "\tand.pred %%sl1_on%u, %%sl1_on%u, %%sl1_p;\n",
            s, s);
    }
    if (ranked(e)) {
        PUT("\tshl.b32 %%sl1_score^_%u, %%sl1_hit^_%u, %u;\n", s, s,
            sl1_structure(e, s)->written ? 0 : 1);
        PUT("\t@!%%sl1_on%u mov.u32 %%sl1_score^_%u, 0;\n", s, s);
    }
}

/* How many are before it: of equals the first. */
static void put_rank(struct sl1_emit *e, uint32_t s)
{
    PUT("\tmov.u32 %%sl1_o~, 0;\n");
    for (uint32_t t = 0; t < e->nest->count; t++) {
        if (t != s) {
            PUT("\tsetp.%s.u32 %%sl1_p, %%sl1_score^_%u, %%sl1_score^_%u;\n"
                "\t@%%sl1_p add.u32 %%sl1_o~, %%sl1_o~, 1;\n",
                t < s ? "ge" : "gt", t, s);
        }
    }
    PUT("\tsetp.lt.u32 %%sl1_p, %%sl1_o~, %u;\n"
        "\tand.pred %%sl1_on%u, %%sl1_on%u, %%sl1_p;\n"
        "\tmad.lo.u32 %%sl1_slot^_%u, %%sl1_o~, %u, %%sl1_n^;\n",
        e->plan->lines, s, s, s, e->plan->threads * e->config->line);
}

/* Between the slices. */
void sl1_emit_choice(struct sl1_emit *e)
{
    uint32_t lines = e->plan->lines, n = e->nest->count;

    sl1_new_site(e);
    if (lines != 0) {
        put_place(e);
    } else {
        PUT("\tmov.u32 %%sl1_n^, 0;\n");
    }
    for (uint32_t s = 0; lines != 0 && s < n; s++) {
        put_worth(e, s);
    }
    for (uint32_t s = 0; s < n; s++) {
        if (ranked(e)) {
            put_rank(e, s);
        } else if (lines == 0) {
            PUT("\tsetp.lt.u32 %%sl1_on%u, %%sl1_hit^_%u, 0; // never\n", s, s);
        }
        put_nothing(e, "", "tag", s);
        if (sl1_structure(e, s)->written) {
            PUT("\tmov.u32 %%sl1_dirty^_%u, 0;\n", s);
        }
    }
}

/* Splits a line of 24 bytes at a multiple of 8 into the 16 that one access
 * may take and the other 8: e and g in memory; o and m in shared memory, so
 * far behind as is returned. */
static uint32_t put_parts(struct sl1_emit *e, uint32_t s)
{
    char tag[32], slot[32];
    const char *memory = put_memory(e, s, "%sl1_g~", tag);
    uint32_t offset;

    sl1_slot(e, s, slot, &offset);
    PUT("\tand.b64 %%sl1_e~, %s, 8;\n"
        "\tcvt.u32.u64 %%sl1_o~, %%sl1_e~;\n"
        "\tshl.b32 %%sl1_m~, %%sl1_o~, 1;\n"
        "\tsub.u32 %%sl1_m~, 16, %%sl1_m~;\n"
        "\tadd.s64 %%sl1_e~, %s, %%sl1_e~;\n"
        "\tmad.wide.u32 %%sl1_g~, %%sl1_m~, 1, %s;\n"
        "\tadd.u32 %%sl1_o~, %s, %%sl1_o~;\n"
        "\tadd.u32 %%sl1_m~, %s, %%sl1_m~;\n",
        memory, memory, memory, slot, slot);
    return offset;
}

static void put_odd_fill(struct sl1_emit *e, uint32_t s)
{
    uint32_t offset = put_parts(e, s);

    sl1_mark(e, SL1_FILLED, s);
    PUT("\tld.global.v2.u64 {%%sl1_e~, %%sl1_y~}, [%%sl1_e~];\n");
    sl1_mark(e, SL1_MANAGE, s);
    PUT("\tld.global.u64 %%sl1_g~, [%%sl1_g~];\n"
        "\tst.shared.u64 [%%sl1_o~+%u], %%sl1_e~;\n"
        "\tst.shared.u64 [%%sl1_o~+%u], %%sl1_y~;\n"
        "\tst.shared.u64 [%%sl1_m~+%u], %%sl1_g~;\n",
        offset, offset + 8, offset);
}

/* The line of an access into the structure's slot; what was there is lost.
 * Addresses and what is loaded from there have the same registers. */
void sl1_emit_fill(struct sl1_emit *e, uint32_t s, const char *word,
                   const char *address)
{
    char slot[32], tag[32];
    const char *from = e->near ? "%sl1_x~" : tag;
    uint32_t offset;

    snprintf(tag, sizeof(tag), "%%sl1_tag^_%u", s);
    sl1_slot(e, s, slot, &offset);
    sl1_emit_line_of(e, s, word, tag);
    PUT("\tsub.%s %%sl1_d~, %s, %s;\n", e->word, word, tag);
    if (e->config->line == 24) {
        put_odd_fill(e, s);
        return;
    }
    if (e->near) {
        PUT("\tand.b64 %%sl1_x~, %s, -%u;\n", address, e->config->line);
    }
    sl1_mark(e, SL1_FILLED, s);
    if (e->config->line == 8) {
        PUT("\tld.global.u64 %%sl1_x~, [%s];\n", from);
        sl1_mark(e, SL1_MANAGE, s);
        PUT("\tst.shared.u64 [%s+%u], %%sl1_x~;\n", slot, offset);
    } else {
        PUT("\tld.global.v2.u64 {%%sl1_x~, %%sl1_y~}, [%s];\n", from);
        sl1_mark(e, SL1_MANAGE, s);
        PUT("\tst.shared.v2.u64 [%s+%u], {%%sl1_x~, %%sl1_y~};\n", slot,
            offset);
    }
}

/* All bytes were written. */
static void put_whole(struct sl1_emit *e, uint32_t s)
{
    char slot[32], tag[32];
    const char *memory;
    uint32_t offset;

    sl1_slot(e, s, slot, &offset);
    if (e->config->line == 24) {
        offset = put_parts(e, s);
        PUT("\tld.shared.u64 %%sl1_y~, [%%sl1_m~+%u];\n"
            "\tst.global.u64 [%%sl1_g~], %%sl1_y~;\n"
            "\tld.shared.u64 %%sl1_x~, [%%sl1_o~+%u];\n"
            "\tld.shared.u64 %%sl1_y~, [%%sl1_o~+%u];\n"
            "\tst.global.v2.u64 [%%sl1_e~], {%%sl1_x~, %%sl1_y~};\n",
            offset, offset, offset + 8);
    } else {
        memory = put_memory(e, s, "%sl1_g~", tag);
        if (e->config->line == 8) {
            PUT("\tld.shared.u64 %%sl1_x~, [%s+%u];\n"
                "\tst.global.u64 [%s], %%sl1_x~;\n",
                slot, offset, memory);
        } else {
            PUT("\tld.shared.v2.u64 {%%sl1_x~, %%sl1_y~}, [%s+%u];\n"
                "\tst.global.v2.u64 [%s], {%%sl1_x~, %%sl1_y~};\n",
                slot, offset, memory);
        }
    }
    PUT("\tmov.u32 %%sl1_dirty^_%u, 0;\n", s);
}

/* Words of which all bytes were written, and single bytes, from the first
 * word on until nothing is left to write. */
static void put_pieces(struct sl1_emit *e, uint32_t s, uint32_t label)
{
    char slot[32], tag[32];
    const char *memory = put_memory(e, s, "%sl1_g~", tag);
    uint32_t offset;

    if (memory == tag) {
        PUT("\tmov.u64 %%sl1_g~, %s;\n", tag);
    }
    sl1_slot(e, s, slot, &offset);
    PUT("\tadd.u32 %%sl1_o~, %s, %u;\n"
        "$sl1_w%u_next:\n"
        "\tld.shared.u32 %%sl1_b~, [%%sl1_o~];\n"
        "\tand.b32 %%sl1_m~, %%sl1_dirty^_%u, 15;\n"
        "\tsetp.ne.u32 %%sl1_q, %%sl1_m~, 15;\n"
        "\t@%%sl1_q bra $sl1_w%u_bytes;\n"
        "\tst.global.u32 [%%sl1_g~], %%sl1_b~;\n"
        "\tbra $sl1_w%u_word;\n"
        "$sl1_w%u_bytes:\n",
        slot, offset, label, s, label, label, label);
    for (uint32_t b = 0; b < 4; b++) {
        PUT("\tand.b32 %%sl1_m~, %%sl1_dirty^_%u, %u;\n"
            "\tsetp.ne.u32 %%sl1_q, %%sl1_m~, 0;\n"
            "\t@%%sl1_q st.global.u8 [%%sl1_g~+%u], %%sl1_b~;\n",
            s, 1u << b, b);
        if (b < 3) {
            PUT("\tshr.u32 %%sl1_b~, %%sl1_b~, 8;\n");
        }
    }
    PUT("$sl1_w%u_word:\n"
        "\tshr.u32 %%sl1_dirty^_%u, %%sl1_dirty^_%u, 4;\n"
        "\tadd.u32 %%sl1_o~, %%sl1_o~, 4;\n"
        "\tadd.s64 %%sl1_g~, %%sl1_g~, 4;\n"
        "\tsetp.ne.u32 %%sl1_q, %%sl1_dirty^_%u, 0;\n"
        "\t@%%sl1_q bra $sl1_w%u_next;\n",
        label, s, s, s, label);
}

/* Modified parts of the line go to memory; the line is clean then.  Nothing
 * for a structure that is only read. */
void sl1_emit_write_back(struct sl1_emit *e, uint32_t s)
{
    uint32_t label = e->labels++;
    struct sl1_site outer;

    if (!sl1_structure(e, s)->written) {
        return;
    }
    outer = sl1_new_site(e);
    PUT("\tsetp.eq.u32 %%sl1_q, %%sl1_dirty^_%u, 0;\n"
        "\t@%%sl1_q bra $sl1_w%u_done;\n"
        "\tsetp.eq.u32 %%sl1_q, %%sl1_dirty^_%u, %u;\n"
        "\t@%%sl1_q bra $sl1_w%u_whole;\n",
        s, label, s, (1u << e->config->line) - 1, label);
    put_pieces(e, s, label);
    PUT("\tbra $sl1_w%u_done;\n"
        "$sl1_w%u_whole:\n",
        label, label);
    sl1_new_site(e);
    put_whole(e, s);
    PUT("$sl1_w%u_done:\n", label);
    e->site = outer;
}

/* If the structure's line overlaps `width` bytes at `word`, it is written
 * back and given up. */
void sl1_emit_evict(struct sl1_emit *e, uint32_t s, const char *word,
                    uint32_t width)
{
    uint32_t label = e->labels++;

    PUT("\tsub.%s %%sl1_d~, %s, %%sl1_tag^_%u;\n", e->word, word, s);
    if (width > 1) {
        PUT("\tadd.%s %%sl1_d~, %%sl1_d~, %u;\n", e->word, width - 1);
    }
    PUT("\tsetp.lt.%s %%sl1_q, %%sl1_d~, %u;\n", e->word,
        e->config->line + width - 1);
    if (!sl1_structure(e, s)->written) {
        put_nothing(e, "@%sl1_q ", "tag", s);
        return;
    }
    PUT("\t@!%%sl1_q bra $sl1_e%u;\n", label);
    sl1_emit_write_back(e, s);
    put_nothing(e, "", "tag", s);
    PUT("$sl1_e%u:\n", label);
}

void sl1_emit_flush(struct sl1_emit *e, bool invalidate)
{
    for (uint32_t s = 0; s < e->nest->count; s++) {
        sl1_emit_write_back(e, s);
        if (invalidate) {
            put_nothing(e, "", "tag", s);
        }
    }
}
