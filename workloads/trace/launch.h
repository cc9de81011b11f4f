/*
 * One recorded launch as a source of CTAs, read while it is timed.
 *
 * Memory is bounded by the CTAs that are out and one buffer for the file: a
 * block is read when its CTA is produced.  Blocks that the trace leaves out,
 * because none of their threads did anything, have empty streams.
 */
#ifndef WORKLOADS_TRACE_LAUNCH_H
#define WORKLOADS_TRACE_LAUNCH_H

#include "workloads/streams/cta_pool.h"
#include "workloads/trace/header.h"
#include "workloads/trace/table.h"

/* CUDA's generic windows of shared and local memory are this large. */
#define TRACE_WINDOW (UINT64_C(1) << 24)
/* Addresses above are no addresses of any device. */
#define TRACE_ADDRESS_BITS 56

struct trace_launch {
    struct loom_cta_source source; /* first */
    struct loom_kernel kernel;
    struct trace_header header;
    struct trace_lines lines;
    struct trace_table table;
    uint32_t warps;
    uint64_t all_threads; /* of the grid, in whole warps */
    uint64_t block;       /* whose head has been read; LOOM_NEVER: none */
    uint64_t block_line;  /* where it began */
    struct loom_cta_pool ctas;
    struct trace_launch *next; /* of those that the program has open */
    bool failed;               /* with `error`, which repeats */
    struct loom_error error;
};

/* Takes `file`, also if it fails. */
bool trace_launch_open(FILE *file, const char *name,
                       const struct trace_opcodes *opcodes,
                       struct trace_notes *notes, struct trace_launch **launch,
                       struct loom_error *err);
void trace_launch_close(struct trace_launch *launch); /* accepts NULL */

/* Reads the whole file, which completes the static table; and starts again
 * with the same file, opened anew, which it takes. */
bool trace_launch_scan(struct trace_launch *launch, struct loom_error *err);
bool trace_launch_rewind(struct trace_launch *launch, FILE *file,
                         struct loom_error *err);

/* Reads one instruction's line into a warp's stream.  `thread` is the number
 * of the warp's first thread in the launch. */
bool trace_inst_read(struct trace_launch *launch, const char *line,
                     uint64_t thread, struct loom_stream_writer *writer,
                     struct loom_error *err);

#endif
