/*
 * Blocks of a kernel's trace, in linear order, as streams of CTAs.
 *
 *     #BEGIN_TB
 *     thread block = x,y,z
 *     cluster id = x,y,z     these three from Hopper on
 *     cluster cta = x,y,z
 *     cluster rank = n
 *     warp = w
 *     insts = n
 *     ... n lines
 *     #END_TB
 *
 * The head of the block after the one being produced is always read already,
 * so that a CTA which the trace leaves out is known.
 */
#include "workloads/trace/launch.h"

#include <stdlib.h>
#include <string.h>

/* ---- blocks ---- */

static bool cut_short(const struct trace_launch *launch, const char *expected,
                      struct loom_error *err)
{
    return trace_fail(&launch->lines, err,
                      "the file ends inside a block, expected %s", expected);
}

static bool unexpected(const struct trace_launch *launch, const char *text,
                       const char *expected, struct loom_error *err)
{
    return trace_fail(&launch->lines, err, "'%.60s' comes where %s is expected",
                      trace_skip(text), expected);
}

/* "name = value", value being what `at` is moved to. */
static bool named(const char **at, const char *name)
{
    const char *c = trace_skip(*at);

    for (; *name != '\0'; name++, c++) {
        if (*c != *name) {
            return false;
        }
    }
    c = trace_skip(c);
    if (*c != '=') {
        return false;
    }
    *at = c + 1;
    return true;
}

/* "n,n,.." at *at, which is left where it is not. */
static bool numbers(const char **at, uint32_t count, uint64_t *value)
{
    for (uint32_t i = 0; i < count; i++) {
        *at = trace_skip(*at);
        if (i > 0 && **at != ',') {
            return false;
        }
        *at += i > 0;
        if (!trace_decimal(at, &value[i])) {
            return false;
        }
    }
    return true;
}

static bool read_place(struct trace_launch *launch, const char *at,
                       uint64_t *block, struct loom_error *err)
{
    struct loom_dim3 grid = launch->kernel.grid;
    uint64_t v[3];

    if (!numbers(&at, 3, v)) {
        return unexpected(launch, at, "a block's place 'x,y,z'", err);
    }
    if (v[0] >= grid.x || v[1] >= grid.y || v[2] >= grid.z) {
        return trace_fail(&launch->lines, err,
                          "block %llu,%llu,%llu is outside the grid of "
                          "%u x %u x %u",
                          (unsigned long long)v[0], (unsigned long long)v[1],
                          (unsigned long long)v[2], grid.x, grid.y, grid.z);
    }
    *block = v[0] + grid.x * (v[1] + grid.y * v[2]);
    return true;
}

/* Reads up to the head of the next block, if there is one. */
static bool next_block(struct trace_launch *launch, struct loom_error *err)
{
    uint64_t last = launch->block, block = 0;
    const char *at;
    char *line;

    launch->block = LOOM_NEVER;
    if (!trace_lines_next_text(&launch->lines, &line, err)) {
        return false;
    }
    if (line == NULL) {
        return true;
    }
    at = trace_skip(line);
    if (strncmp(at, "#BEGIN_TB", 9) != 0) {
        return unexpected(launch, line, "'#BEGIN_TB'", err);
    }
    if (!trace_lines_next_text(&launch->lines, &line, err)) {
        return false;
    }
    at = line;
    if (line == NULL) {
        return cut_short(launch, "'thread block = x,y,z'", err);
    }
    if (!named(&at, "thread block")) {
        return unexpected(launch, line, "'thread block = x,y,z'", err);
    }
    if (!read_place(launch, at, &block, err)) {
        return false;
    }
    if (last != LOOM_NEVER && block <= last) {
        return trace_fail(&launch->lines, err,
                          "block %llu comes after block %llu, expected "
                          "linear order (x first); sort the trace",
                          (unsigned long long)block, (unsigned long long)last);
    }
    launch->block = block;
    return true;
}

/* Where the block is in its cluster, which is looked at and not modelled: who
 * is not the first of one has others beside it. */
static bool read_cluster(struct trace_launch *launch, const char *line,
                         struct loom_error *err)
{
    const char *at = line;
    bool id = named(&at, "cluster id"), cta = named(&at, "cluster cta");
    uint64_t v[3] = {0};

    if (!id && !cta && !named(&at, "cluster rank")) {
        return unexpected(launch, line,
                          "'cluster id', 'cluster cta' or 'cluster rank'", err);
    }
    if (!numbers(&at, id || cta ? 3 : 1, v)) {
        return unexpected(launch, at,
                          id || cta ? "a place 'x,y,z'" : "a number", err);
    }
    if (!id && (v[0] | v[1] | v[2]) != 0) {
        trace_note_count(launch->table.notes,
                         trace_note(launch->table.notes,
                                    "blocks are of clusters; they were "
                                    "dispatched as others are"));
    }
    return true;
}

/* The n lines of one warp. */
static bool read_warp(struct trace_launch *launch, uint32_t warp,
                      uint64_t insts, struct loom_stream_writer *writer,
                      struct loom_error *err)
{
    uint64_t thread = (launch->block * launch->warps + warp) * LOOM_WARP_LANES;
    char *line;

    for (uint64_t i = 0; i < insts; i++) {
        if (!trace_lines_next_text(&launch->lines, &line, err)) {
            return false;
        }
        if (line == NULL || *line == '#' || *line == 'w') {
            return trace_fail(&launch->lines, err,
                              "warp %u ends after %llu instructions, "
                              "expected %llu",
                              warp, (unsigned long long)i,
                              (unsigned long long)insts);
        }
        if (!trace_inst_read(launch, line, thread, writer, err)) {
            return false;
        }
    }
    if (writer->failed) {
        return loom_fail(err, LOOM_ERR_MEMORY,
                         "no host memory, and no room for a temporary file, "
                         "for the stream of block %llu",
                         (unsigned long long)launch->block);
    }
    return true;
}

static bool read_warp_head(struct trace_launch *launch, const char *line,
                           uint32_t *warp, uint64_t *insts,
                           struct loom_error *err)
{
    const char *at = line;
    uint64_t number;
    char *more;

    if (!named(&at, "warp") || !trace_decimal(&at, &number)) {
        return unexpected(launch, line, "'warp = n' or '#END_TB'", err);
    }
    if (number >= launch->warps) {
        return trace_fail(&launch->lines, err,
                          "the warp is %llu, expected 0..%u for blocks of %u "
                          "threads",
                          (unsigned long long)number, launch->warps - 1,
                          (uint32_t)loom_dim3_count(launch->kernel.block));
    }
    if (!trace_lines_next_text(&launch->lines, &more, err)) {
        return false;
    }
    if (more == NULL) {
        return cut_short(launch, "'insts = n'", err);
    }
    at = more;
    if (!named(&at, "insts") || !trace_decimal(&at, insts)) {
        return unexpected(launch, more, "'insts = n'", err);
    }
    *warp = (uint32_t)number;
    return true;
}

/* The body of the block whose head has been read. */
static bool read_block(struct trace_launch *launch, struct loom_cta_slot *s,
                       struct loom_error *err)
{
    uint32_t warp = 0, seen = 0;
    uint64_t insts = 0;
    char *line;

    for (;;) {
        if (!trace_lines_next_text(&launch->lines, &line, err)) {
            return false;
        }
        if (line == NULL) {
            return cut_short(launch, "'#END_TB'", err);
        }
        if (strncmp(trace_skip(line), "#END_TB", 7) == 0) {
            return true;
        }
        if (strncmp(trace_skip(line), "cluster", 7) == 0) {
            if (!read_cluster(launch, line, err)) {
                return false;
            }
            continue;
        }
        if (!read_warp_head(launch, line, &warp, &insts, err)) {
            return false;
        }
        if ((seen >> warp & 1) != 0) {
            return trace_fail(&launch->lines, err,
                              "warp %u comes twice in its block", warp);
        }
        seen |= 1u << warp;
        if (!read_warp(launch, warp, insts, &s->writer[warp], err)) {
            return false;
        }
    }
}

/* ---- the source ---- */

static bool fill(struct trace_launch *launch, struct loom_cta_slot *s,
                 uint32_t cta, struct loom_error *err)
{
    if (launch->block == cta &&
        !(read_block(launch, s, err) && next_block(launch, err))) {
        return false;
    }
    loom_cta_seal(&launch->ctas, s, &launch->kernel, cta);
    return true;
}

static bool produce(struct loom_cta_source *source, uint32_t cta,
                    struct loom_cta_stream **stream, struct loom_error *err)
{
    struct trace_launch *launch = (struct trace_launch *)source;
    struct loom_cta_slot *s;

    if (launch->failed) { /* where it stopped, nothing can be read */
        *err = launch->error;
        return false;
    }
    s = loom_cta_take(&launch->ctas);
    if (s == NULL) {
        return loom_fail(err, LOOM_ERR_MEMORY,
                         "no host memory for the stream of CTA %u", cta);
    }
    if (!fill(launch, s, cta, err)) {
        loom_cta_give(&launch->ctas, s);
        launch->failed = true;
        launch->error = *err;
        return false;
    }
    *stream = &s->stream;
    return true;
}

static void release(struct loom_cta_source *source,
                    struct loom_cta_stream *stream)
{
    loom_cta_give(&((struct trace_launch *)source)->ctas,
                  (struct loom_cta_slot *)stream);
}

static const struct loom_cta_source_ops source_ops = {
    .produce = produce,
    .release = release,
};

/* ---- opening and closing ---- */

static void note_versions(struct trace_launch *launch, uint32_t used)
{
    const struct trace_header *h = &launch->header;
    struct trace_notes *notes = launch->table.notes;

    if (h->binary_version == 0) {
        trace_note_count(notes,
                         trace_note(notes,
                                    "the binary version is 0; the newest "
                                    "opcode table, that of %u, was used",
                                    used));
    } else if (used != h->binary_version) {
        trace_note_count(
            notes, trace_note(notes,
                              "binary version %u has no opcode table; that "
                              "of %u was used",
                              h->binary_version, used));
    }
    if (h->registers == 0) {
        trace_note_count(notes,
                         trace_note(notes, "'nregs' is no number of 1..256; "
                                           "registers do not limit how many "
                                           "blocks an SM holds"));
    }
    if (h->tracer_is_zero) {
        trace_note_count(notes, trace_note(notes,
                                           "the tracer's version is 0; lines "
                                           "were read as those of %u",
                                           TRACE_VERSION_NEWEST));
    }
    if (h->tracer_version > TRACE_VERSION_NEWEST) {
        trace_note_count(notes,
                         trace_note(notes,
                                    "tracer version %u is newer than %u; lines "
                                    "were read as those of %u",
                                    h->tracer_version, TRACE_VERSION_NEWEST,
                                    TRACE_VERSION_NEWEST));
    }
}

static bool start(struct trace_launch *launch,
                  const struct trace_opcodes *opcodes,
                  struct trace_notes *notes, struct loom_error *err)
{
    const struct trace_header *h = &launch->header;
    const struct trace_arch *arch;
    uint32_t used = 0;

    if (!trace_header_read(&launch->header, &launch->lines, err)) {
        return false;
    }
    arch = trace_opcodes_arch(opcodes, h->binary_version, &used);
    if (arch == NULL) {
        return loom_fail(err, LOOM_ERR_INPUT, "there are no opcode tables");
    }
    if (!trace_table_init(&launch->table, arch, &launch->lines, notes, err)) {
        return false;
    }
    note_versions(launch, used);
    launch->source.ops = &source_ops;
    launch->kernel = (struct loom_kernel){
        .name = h->name,
        .grid = h->grid,
        .block = h->block,
        .registers = h->registers,
        .shared_bytes = h->shared_bytes,
        .inst = launch->table.inst,
        .text = launch->table.text,
        .source = &launch->source,
    };
    launch->warps = loom_kernel_warps(&launch->kernel);
    launch->ctas.warps = launch->warps;
    launch->all_threads =
        loom_dim3_count(h->grid) * launch->warps * LOOM_WARP_LANES;
    launch->block = LOOM_NEVER;
    return next_block(launch, err);
}

bool trace_launch_open(FILE *file, const char *name,
                       const struct trace_opcodes *opcodes,
                       struct trace_notes *notes, struct trace_launch **result,
                       struct loom_error *err)
{
    struct trace_launch *launch = calloc(1, sizeof(*launch));

    if (launch == NULL) {
        fclose(file);
        return loom_fail(err, LOOM_ERR_MEMORY, "no host memory for a launch");
    }
    if (!trace_lines_open(&launch->lines, file, name, err) ||
        !start(launch, opcodes, notes, err)) {
        trace_launch_close(launch);
        return false;
    }
    *result = launch;
    return true;
}

/* Nothing is counted twice: notes count when the blocks are produced. */
bool trace_launch_scan(struct trace_launch *launch, struct loom_error *err)
{
    struct trace_notes *notes = launch->table.notes;
    struct loom_cta_slot *s = loom_cta_take(&launch->ctas);
    bool ok = s != NULL;

    if (!ok) {
        loom_fail(err, LOOM_ERR_MEMORY, "no host memory for a stream");
    }
    while (ok && launch->block != LOOM_NEVER) {
        for (uint32_t w = 0; w < launch->warps; w++) {
            loom_writer_reset(&s->writer[w]);
        }
        notes->silent = true;
        ok = read_block(launch, s, err) && next_block(launch, err);
        notes->silent = false;
    }
    if (s != NULL) {
        loom_cta_give(&launch->ctas, s);
    }
    return ok;
}

bool trace_launch_rewind(struct trace_launch *launch, FILE *file,
                         struct loom_error *err)
{
    struct trace_header again;
    struct trace_lines lines;

    if (!trace_lines_open(&lines, file, launch->lines.name, err)) {
        return false;
    }
    trace_lines_close(&launch->lines);
    launch->lines = lines;
    if (!trace_header_read(&again, &launch->lines, err)) {
        return false;
    }
    trace_header_free(&again);
    launch->block = LOOM_NEVER;
    return next_block(launch, err);
}

void trace_launch_close(struct trace_launch *launch)
{
    if (launch == NULL) {
        return;
    }
    loom_cta_pool_free(&launch->ctas);
    trace_table_free(&launch->table);
    trace_header_free(&launch->header);
    trace_lines_close(&launch->lines);
    free(launch);
}
