/*
 * A thread's lines: chosen after the monitoring slice, filled, written back,
 * evicted and flushed.
 *
 * Of structure s: sl1_tag<s> is the address of the line in memory, -1 if none
 * is held; sl1_slot<s> its place in shared memory; bit i of sl1_dirty<s> says
 * that byte i was written; sl1_on<s> that the structure is cached at all.  A
 * structure that is not has no tag but -1, so that a look-up always misses.
 */
#include <stdio.h>

#include "policies/sl1/sl1_private.h"

#define PUT(...) sl1_put(e->to, __VA_ARGS__)

/* Lines of 8 and 16 bytes lie at multiples of their size; those of 24 count
 * from the pointer, as a line must not begin before the data. */
void sl1_emit_line_of(struct sl1_emit *e, uint32_t s, const char *address,
                      const char *to)
{
    if (e->config->line != 24) {
        PUT("\tand.b64 %s, %s, -%u;\n", to, address, e->config->line);
        return;
    }
    PUT("\tld.param.u64 %%sl1_e, [%s];\n", sl1_param_name(e, s));
    PUT("\tsub.s64 %%sl1_g, %s, %%sl1_e;\n", address);
    PUT("\tshr.u64 %%sl1_g, %%sl1_g, 3;\n"
        "\tcvt.u32.u64 %%sl1_o, %%sl1_g;\n"
        "\tmul.hi.u32 %%sl1_o, %%sl1_o, 2863311531; // a third\n"
        "\tshr.u32 %%sl1_o, %%sl1_o, 1;\n"
        "\tmul.wide.u32 %%sl1_g, %%sl1_o, 24;\n");
    PUT("\tadd.s64 %s, %%sl1_e, %%sl1_g;\n", to);
}

/* Before the monitoring slice. */
void sl1_emit_start(struct sl1_emit *e)
{
    PUT("\tmov.u32 %%sl1_calls, 0;\n");
    for (uint32_t s = 0; s < e->nest->count; s++) {
        PUT("\tmov.u64 %%sl1_seen%u, -1;\n"
            "\tmov.u32 %%sl1_hit%u, 0;\n"
            "\tmov.u32 %%sl1_miss%u, 0;\n",
            s, s, s);
    }
}

/* sl1_n: the thread's first line in shared memory. */
static void put_place(struct sl1_emit *e)
{
    PUT("\tmov.u32 %%sl1_o, %%tid.x;\n");
    if (e->block.y > 1 || e->block.z > 1) {
        PUT("\tmov.u32 %%sl1_m, %%tid.y;\n"
            "\tmad.lo.u32 %%sl1_o, %%sl1_m, %u, %%sl1_o;\n",
            e->block.x);
    }
    if (e->block.z > 1) {
        PUT("\tmov.u32 %%sl1_m, %%tid.z;\n"
            "\tmad.lo.u32 %%sl1_o, %%sl1_m, %u, %%sl1_o;\n",
            e->block.x * e->block.y);
    }
    PUT("\tmov.u32 %%sl1_n, sl1_lines;\n"
        "\tmad.lo.u32 %%sl1_n, %%sl1_o, %u, %%sl1_n;\n",
        e->config->line);
}

/* More than half of the structure's accesses hit; and its score. */
static void put_worth(struct sl1_emit *e, uint32_t s, bool ranked)
{
    if (e->plan->all) {
        PUT("\tsetp.ge.u32 %%sl1_on%u, %%sl1_calls, 0; // always\n", s);
    } else {
        PUT("\tsetp.gt.u32 %%sl1_on%u, %%sl1_hit%u, %%sl1_miss%u;\n", s, s, s);
    }
    if (e->config->line == 24) {
        PUT("\tld.param.u64 %%sl1_e, [%s];\n", sl1_param_name(e, s));
        PUT("\tand.b64 %%sl1_e, %%sl1_e, 7;\n"
            "\tsetp.eq.s64 %%sl1_p, %%sl1_e, 0;\n"
            "\tand.pred %%sl1_on%u, %%sl1_on%u, %%sl1_p;\n",
            s, s);
    }
    if (ranked) {
        PUT("\tshl.b32 %%sl1_score%u, %%sl1_hit%u, %u;\n", s, s,
            sl1_structure(e, s)->written ? 0 : 1);
        PUT("\t@!%%sl1_on%u mov.u32 %%sl1_score%u, 0;\n", s, s);
    }
}

/* How many are before it: of equals the first. */
static void put_rank(struct sl1_emit *e, uint32_t s)
{
    PUT("\tmov.u32 %%sl1_o, 0;\n");
    for (uint32_t t = 0; t < e->nest->count; t++) {
        if (t != s) {
            PUT("\tsetp.%s.u32 %%sl1_p, %%sl1_score%u, %%sl1_score%u;\n"
                "\t@%%sl1_p add.u32 %%sl1_o, %%sl1_o, 1;\n",
                t < s ? "ge" : "gt", t, s);
        }
    }
    PUT("\tsetp.lt.u32 %%sl1_p, %%sl1_o, %u;\n"
        "\tand.pred %%sl1_on%u, %%sl1_on%u, %%sl1_p;\n"
        "\tmad.lo.u32 %%sl1_slot%u, %%sl1_o, %u, %%sl1_n;\n",
        e->plan->lines, s, s, s, e->plan->threads * e->config->line);
}

/* Between the slices. */
void sl1_emit_choice(struct sl1_emit *e)
{
    uint32_t lines = e->plan->lines, n = e->nest->count;
    bool ranked = lines != 0 && lines < n;

    if (lines != 0) {
        put_place(e);
    }
    for (uint32_t s = 0; lines != 0 && s < n; s++) {
        put_worth(e, s, ranked);
    }
    for (uint32_t s = 0; s < n; s++) {
        if (ranked) {
            put_rank(e, s);
        } else if (lines != 0) {
            PUT("\tadd.u32 %%sl1_slot%u, %%sl1_n, %u;\n", s,
                s * e->plan->threads * e->config->line);
        } else {
            PUT("\tsetp.lt.u32 %%sl1_on%u, %%sl1_calls, 0; // never\n"
                "\tmov.u32 %%sl1_slot%u, 0;\n",
                s, s);
        }
        PUT("\tmov.u64 %%sl1_tag%u, -1;\n", s);
        if (sl1_structure(e, s)->written) {
            PUT("\tmov.u32 %%sl1_dirty%u, 0;\n", s);
        }
    }
}

/* Splits a line of 24 bytes at a multiple of 8 into the 16 that one access
 * may take and the other 8: e and g in memory, o and m in shared memory. */
static void put_parts(struct sl1_emit *e, uint32_t s)
{
    PUT("\tand.b64 %%sl1_e, %%sl1_tag%u, 8;\n"
        "\tcvt.u32.u64 %%sl1_o, %%sl1_e;\n"
        "\tshl.b32 %%sl1_m, %%sl1_o, 1;\n"
        "\tsub.u32 %%sl1_m, 16, %%sl1_m;\n"
        "\tcvt.u64.u32 %%sl1_g, %%sl1_m;\n"
        "\tadd.s64 %%sl1_e, %%sl1_tag%u, %%sl1_e;\n"
        "\tadd.s64 %%sl1_g, %%sl1_tag%u, %%sl1_g;\n"
        "\tadd.u32 %%sl1_o, %%sl1_slot%u, %%sl1_o;\n"
        "\tadd.u32 %%sl1_m, %%sl1_slot%u, %%sl1_m;\n",
        s, s, s, s, s);
}

/* The line of `address` into the structure's slot; what was there is lost. */
void sl1_emit_fill(struct sl1_emit *e, uint32_t s, const char *address)
{
    char tag[32];

    snprintf(tag, sizeof(tag), "%%sl1_tag%u", s);
    sl1_emit_line_of(e, s, address, tag);
    if (e->config->line == 24) {
        put_parts(e, s);
    }
    sl1_mark(e, SL1_FILLED, s);
    if (e->config->line == 8) {
        PUT("\tld.global.u64 %%sl1_x0, [%s];\n", tag);
    } else {
        PUT("\tld.global.v2.u64 {%%sl1_x0, %%sl1_x1}, [%s];\n",
            e->config->line == 24 ? "%sl1_e" : tag);
    }
    sl1_mark(e, SL1_MANAGE, s);
    if (e->config->line == 8) {
        PUT("\tst.shared.u64 [%%sl1_slot%u], %%sl1_x0;\n", s);
    } else if (e->config->line == 16) {
        PUT("\tst.shared.v2.u64 [%%sl1_slot%u], {%%sl1_x0, %%sl1_x1};\n", s);
    } else {
        PUT("\tld.global.u64 %%sl1_x2, [%%sl1_g];\n"
            "\tst.shared.u64 [%%sl1_o], %%sl1_x0;\n"
            "\tst.shared.u64 [%%sl1_o+8], %%sl1_x1;\n"
            "\tst.shared.u64 [%%sl1_m], %%sl1_x2;\n");
    }
}

/* All bytes were written. */
static void put_whole(struct sl1_emit *e, uint32_t s)
{
    if (e->config->line == 8) {
        PUT("\tld.shared.u64 %%sl1_x0, [%%sl1_slot%u];\n"
            "\tst.global.u64 [%%sl1_tag%u], %%sl1_x0;\n",
            s, s);
    } else if (e->config->line == 16) {
        PUT("\tld.shared.v2.u64 {%%sl1_x0, %%sl1_x1}, [%%sl1_slot%u];\n"
            "\tst.global.v2.u64 [%%sl1_tag%u], {%%sl1_x0, %%sl1_x1};\n",
            s, s);
    } else {
        put_parts(e, s);
        PUT("\tld.shared.u64 %%sl1_x0, [%%sl1_o];\n"
            "\tld.shared.u64 %%sl1_x1, [%%sl1_o+8];\n"
            "\tld.shared.u64 %%sl1_x2, [%%sl1_m];\n"
            "\tst.global.v2.u64 [%%sl1_e], {%%sl1_x0, %%sl1_x1};\n"
            "\tst.global.u64 [%%sl1_g], %%sl1_x2;\n");
    }
    PUT("\tmov.u32 %%sl1_dirty%u, 0;\n", s);
}

/* Words of which all bytes were written, and single bytes, from the first
 * word on until nothing is left to write. */
static void put_pieces(struct sl1_emit *e, uint32_t s, uint32_t label)
{
    PUT("\tmov.u32 %%sl1_o, %%sl1_slot%u;\n"
        "\tmov.u64 %%sl1_g, %%sl1_tag%u;\n"
        "$sl1_w%u_next:\n"
        "\tand.b32 %%sl1_m, %%sl1_dirty%u, 15;\n"
        "\tsetp.ne.u32 %%sl1_q, %%sl1_m, 15;\n"
        "\t@%%sl1_q bra $sl1_w%u_bytes;\n"
        "\tld.shared.u32 %%sl1_m, [%%sl1_o];\n"
        "\tst.global.u32 [%%sl1_g], %%sl1_m;\n"
        "\tbra $sl1_w%u_word;\n"
        "$sl1_w%u_bytes:\n",
        s, s, label, s, label, label, label);
    for (uint32_t b = 0; b < 4; b++) {
        PUT("\tand.b32 %%sl1_m, %%sl1_dirty%u, %u;\n"
            "\tsetp.ne.u32 %%sl1_q, %%sl1_m, 0;\n"
            "\t@%%sl1_q ld.shared.u8 %%sl1_b, [%%sl1_o+%u];\n"
            "\t@%%sl1_q st.global.u8 [%%sl1_g+%u], %%sl1_b;\n",
            s, 1u << b, b, b);
    }
    PUT("$sl1_w%u_word:\n"
        "\tshr.u32 %%sl1_dirty%u, %%sl1_dirty%u, 4;\n"
        "\tadd.u32 %%sl1_o, %%sl1_o, 4;\n"
        "\tadd.s64 %%sl1_g, %%sl1_g, 4;\n"
        "\tsetp.ne.u32 %%sl1_q, %%sl1_dirty%u, 0;\n"
        "\t@%%sl1_q bra $sl1_w%u_next;\n",
        label, s, s, s, label);
}

/* Modified parts of the line go to memory; the line is clean then.  Nothing
 * for a structure that is only read. */
void sl1_emit_write_back(struct sl1_emit *e, uint32_t s)
{
    uint32_t label = e->labels++;

    if (!sl1_structure(e, s)->written) {
        return;
    }
    PUT("\tsetp.eq.u32 %%sl1_q, %%sl1_dirty%u, 0;\n"
        "\t@%%sl1_q bra $sl1_w%u_done;\n"
        "\tsetp.eq.u32 %%sl1_q, %%sl1_dirty%u, %u;\n"
        "\t@%%sl1_q bra $sl1_w%u_whole;\n",
        s, label, s, (1u << e->config->line) - 1, label);
    put_pieces(e, s, label);
    PUT("\tbra $sl1_w%u_done;\n"
        "$sl1_w%u_whole:\n",
        label, label);
    put_whole(e, s);
    PUT("$sl1_w%u_done:\n", label);
}

/* If the structure's line overlaps `width` bytes at `address`, it is written
 * back and given up. */
void sl1_emit_evict(struct sl1_emit *e, uint32_t s, const char *address,
                    uint32_t width)
{
    uint32_t label = e->labels++;

    PUT("\tsub.s64 %%sl1_d, %s, %%sl1_tag%u;\n", address, s);
    if (width > 1) {
        PUT("\tadd.s64 %%sl1_d, %%sl1_d, %u;\n", width - 1);
    }
    PUT("\tsetp.lt.u64 %%sl1_q, %%sl1_d, %u;\n", e->config->line + width - 1);
    if (!sl1_structure(e, s)->written) {
        PUT("\t@%%sl1_q mov.u64 %%sl1_tag%u, -1;\n", s);
        return;
    }
    PUT("\t@!%%sl1_q bra $sl1_e%u;\n", label);
    sl1_emit_write_back(e, s);
    PUT("\tmov.u64 %%sl1_tag%u, -1;\n"
        "$sl1_e%u:\n",
        s, label);
}

void sl1_emit_flush(struct sl1_emit *e, bool invalidate)
{
    for (uint32_t s = 0; s < e->nest->count; s++) {
        sl1_emit_write_back(e, s);
        if (invalidate) {
            PUT("\tmov.u64 %%sl1_tag%u, -1;\n", s);
        }
    }
}
