/*
 * Kernels: a row for each launch.
 */
#include "stats/recorder_private.h"

enum {
    NAME = 1, /* columns of texts */
    FROM = 10,
    TENSOR = 15,
    PARTS
};

static const struct {
    const char *name, *unit, *doc;
    enum loom_h5_type type;
} kernel_columns[] = {
    {"id", "1", "number of the launch, from 0", LOOM_H5_U64},
    {"name", "1", "name of the kernel", LOOM_H5_TEXT},
    {"stream", "1", "stream it was launched in", LOOM_H5_U64},
    {"grid_x", "cta", "thread blocks along x", LOOM_H5_U64},
    {"grid_y", "cta", "thread blocks along y", LOOM_H5_U64},
    {"grid_z", "cta", "thread blocks along z", LOOM_H5_U64},
    {"block_x", "thread", "threads of a block along x", LOOM_H5_U64},
    {"block_y", "thread", "threads of a block along y", LOOM_H5_U64},
    {"block_z", "thread", "threads of a block along z", LOOM_H5_U64},
    {"registers", "register", "registers per thread", LOOM_H5_U64},
    {"registers_from", "1",
     "where their number is from: \"PTX\" counted there, \"sm_75\" machine "
     "code for that, \"launch\" or \"trace\" given there",
     LOOM_H5_TEXT},
    {"shared_bytes", "byte", "shared memory per block", LOOM_H5_U64},
    {"interleave", "warp_inst",
     "warp instructions of a turn, if its blocks were executed in turns; 0: "
     "one after the other",
     LOOM_H5_U64},
    {"resident", "cta", "thread blocks that all SMs hold at a time",
     LOOM_H5_U64},
    {"passed", "1",
     "1: passed over in a sampled run, its times are those of others",
     LOOM_H5_U64},
    {"tensor_form", "1",
     "what its tensor instructions are, as the SM's parameters call them: "
     "\"mma\", \"short\", \"f64\", \"group\" or \"mixed\"; \"\": it has "
     "none",
     LOOM_H5_TEXT},
    {"tensor_parts", "1",
     "products of m16n8 and 256 bits of k (short: 128; f64: m8n8k4) in one of "
     "them, on average",
     LOOM_H5_F64},
    {"launch_tick", "fs", "when the host launched it", LOOM_H5_U64},
    {"start_tick", "fs", "when its first block was placed", LOOM_H5_U64},
    {"end_tick", "fs", "when its last block had finished", LOOM_H5_U64},
    {"sample_begin", "1", "snapshot in /stats before it; -1: none",
     LOOM_H5_I64},
    {"sample_end", "1", "snapshot in /stats after it; -1: none", LOOM_H5_I64},
};

void loom_record_kernels(struct loom_recorder *recorder)
{
    struct loom_h5 *h5 = &recorder->h5;
    hid_t group = loom_h5_group(h5, h5->file, "kernel");

    _Static_assert(LOOM_COUNTOF(kernel_columns) <
                       LOOM_COUNTOF(((struct loom_recorder *)0)->kernel_column),
                   "every kernel column has its place");
    loom_rows_init(&recorder->kernels, h5, group, "kernel", "row of the kernel",
                   LOOM_SNAPSHOT_CHUNK);
    for (size_t i = 0; i < LOOM_COUNTOF(kernel_columns); i++) {
        recorder->kernel_column[i] =
            loom_rows_simple(&recorder->kernels, group, kernel_columns[i].name,
                             kernel_columns[i].unit, kernel_columns[i].doc,
                             kernel_columns[i].type);
    }
    loom_rows_ready(&recorder->kernels);
    loom_h5_release(h5, group);
}

bool loom_recorder_kernel(struct loom_recorder *recorder,
                          const struct loom_kernel_record *kernel,
                          struct loom_error *err)
{
    const uint64_t value[] = {kernel->id,
                              0, /* the name */
                              kernel->stream,
                              kernel->grid[0],
                              kernel->grid[1],
                              kernel->grid[2],
                              kernel->block[0],
                              kernel->block[1],
                              kernel->block[2],
                              kernel->registers,
                              0, /* where from */
                              kernel->shared_bytes,
                              kernel->interleave,
                              kernel->resident,
                              kernel->passed,
                              0, /* its tensor instructions */
                              0,
                              kernel->launch,
                              kernel->start,
                              kernel->end,
                              (uint64_t)kernel->sample_begin,
                              (uint64_t)kernel->sample_end};
    union loom_word *row = loom_rows_add(&recorder->kernels);

    if (row == NULL) {
        return loom_h5_ok(&recorder->h5, err) &&
               loom_fail(err, LOOM_ERR_MEMORY, "no memory for kernel '%s'",
                         kernel->name);
    }
    for (size_t i = 0; i < LOOM_COUNTOF(value); i++) {
        row[recorder->kernel_column[i]].u = value[i];
    }
    loom_rows_text(&recorder->kernels, &row[recorder->kernel_column[NAME]],
                   kernel->name);
    loom_rows_text(&recorder->kernels, &row[recorder->kernel_column[FROM]],
                   kernel->registers_from);
    loom_rows_text(&recorder->kernels, &row[recorder->kernel_column[TENSOR]],
                   kernel->tensor_form);
    row[recorder->kernel_column[PARTS]].f = kernel->tensor_parts;
    return loom_recorder_added(recorder, err);
}
