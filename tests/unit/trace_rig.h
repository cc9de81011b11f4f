/*
 * A trace in a string, opened and produced, for tests of the trace front end.
 */
#ifndef TESTS_UNIT_TRACE_RIG_H
#define TESTS_UNIT_TRACE_RIG_H

#include <stdlib.h>

#include "components/mem_protocol.h"
#include "tests/unit/test.h"
#include "workloads/trace/launch.h"

#define SHARED_BASE "0x7f4000000000"
#define LOCAL_BASE "0x7f3e00000000"

/* The head of a trace of `grid` blocks of `block` threads; line 9 is the
 * first after it. */
#define HEAD(version, binary, grid, block)                                     \
    "-kernel name = _Z1kPf\n-grid dim = (" grid ")\n-block dim = (" block      \
    ")\n-nregs = 32\n-binary version = " binary                                \
    "\n-shmem base_addr = " SHARED_BASE "\n-local mem base_addr = " LOCAL_BASE \
    "\n-accelsim tracer version = " version "\n#traces format = .. PC mask\n"
#define LINES_OF_HEAD 9

#define ONE(version, insts, lines)                                             \
    HEAD(version, "70", "1,1,1", "32,1,1")                                     \
    "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = " insts "\n" lines     \
    "#END_TB\n"

static const char opcode_text[] =
    "arch 61\nIADD int_add\nDEPBAR nop\n"
    "arch 70 75\nIMAD int_mad\nIMAD.WIDE int_mad dests=2\n"
    "MOV int_add\nLDG load global\nSTG store global\nLDS load shared\n"
    "STS store shared\nLDL load local\nSTL store local\nLDC load const\n"
    "LD load generic\nST store generic\nATOMG atomic global\n"
    "RED atomic global\nBAR barrier\nBAR.ARV nop\nEXIT exit\n"
    "DADD dp_add dests=2 sources=2\n"
    "LDGSTS load global copies dests=1\nLDGDEPBAR nop groups\nDEPBAR membar "
    "waits\n";

struct rig {
    struct trace_opcodes opcodes;
    struct trace_notes notes;
    struct trace_launch *launch;
    struct loom_cta_stream *stream;
    struct loom_cursor cursor;
    struct loom_warp_inst inst;
    loom_addr address[LOOM_WARP_LANES];
    struct loom_error err;
};

static inline bool rig_open_bytes(struct rig *rig, const void *bytes,
                                  size_t size)
{
    FILE *file = fmemopen((void *)(uintptr_t)bytes, size, "rb");

    *rig = (struct rig){.launch = NULL};
    REQUIRE(file != NULL);
    REQUIRE(trace_opcodes_read(&rig->opcodes, opcode_text, &rig->err));
    return trace_launch_open(file, "k.traceg", &rig->opcodes, &rig->notes,
                             &rig->launch, &rig->err);
}

static inline bool rig_produce(struct rig *rig, uint32_t cta)
{
    struct loom_cta_source *source = rig->launch->kernel.source;

    if (!source->ops->produce(source, cta, &rig->stream, &rig->err)) {
        return false;
    }
    EXPECT_EQ(rig->stream->cta, cta);
    rig->cursor = (struct loom_cursor){NULL, NULL};
    if (rig->stream->warp[0].words != 0) {
        rig->cursor = loom_cursor_of(&rig->stream->warp[0]);
    }
    return true;
}

static inline void rig_release(struct rig *rig)
{
    struct loom_cta_source *source = rig->launch->kernel.source;

    source->ops->release(source, rig->stream);
}

static inline void rig_close(struct rig *rig)
{
    trace_launch_close(rig->launch);
    trace_notes_free(&rig->notes);
    trace_opcodes_free(&rig->opcodes);
}

/* Opens a trace and produces its first CTA. */
static inline void rig_start(struct rig *rig, const char *text)
{
    bool ok = rig_open_bytes(rig, text, strlen(text)) && rig_produce(rig, 0);

    if (!ok) {
        fprintf(stderr, "%s\n", rig->err.text);
    }
    REQUIRE(ok);
}

/* The next instruction of warp 0, with its addresses. */
static inline const struct loom_static_inst *rig_next(struct rig *rig)
{
    REQUIRE(loom_stream_next(&rig->cursor, &rig->inst));
    REQUIRE(rig->inst.index < rig->launch->kernel.inst_count);
    loom_stream_addresses(&rig->inst, rig->address);
    return &rig->launch->kernel.inst[rig->inst.index];
}

#endif
