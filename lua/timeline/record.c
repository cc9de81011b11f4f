/*
 * A profile's columns, and its way into the results file.
 */
#include <stdlib.h>
#include <string.h>

#include "lua/core.h"
#include "lua/timeline/timeline_private.h"
#include "stats/profile.h"

static const char *const reason_names[TL_REASONS] = {
    "issued",     "turn",   "unit",   "l1",      "merged", "l2",
    "dram",       "memory", "shared", "on_chip", "sfu",    "tensor",
    "arithmetic", "atomic", "membar", "barrier", "fetch",  "drain"};
static const char *const place_names[TL_PLACES] = {
    "queue",      "L1",         "L1.5",   "NoC out",  "L2",
    "L3",         "DRAM queue", "DRAM",   "NoC back", "merged",
    "write-back", "execution",  "unknown"};
static const char *const outcome_names[TL_OUTCOMES] = {"hit", "merged", "miss",
                                                       "bypass"};

#define FIELD(field, unit_, doc_)                                              \
    .name = #field, .unit = unit_, .doc = doc_,                                \
    .offset = offsetof(struct tl_code, field)
#define ALONG(axis_, names)                                                    \
    .axis = axis_, .label = names, .labels = LOOM_COUNTOF(names)

static const struct loom_profile_column columns[] = {
    {FIELD(kernel, "1", "name of the kernel"), .type = LOOM_PROFILE_TEXT,
     .coordinate = true},
    {.name = "kernel_number",
     .unit = "1",
     .doc = "tells kernels of one name apart",
     .offset = offsetof(struct tl_code, id),
     .coordinate = true},
    {FIELD(pc, "byte", "offset in the kernel"), .coordinate = true},
    {FIELD(line, "1",
           "line of the source, where the PTX has .loc, else of "
           "the PTX; 0: unknown"),
     .coordinate = true},
    {FIELD(text, "1", "the instruction, as PTX or SASS"),
     .type = LOOM_PROFILE_TEXT, .coordinate = true},
    {FIELD(op, "1", "what it needs from the SM"), .type = LOOM_PROFILE_TEXT,
     .coordinate = true},
    {FIELD(issues, "warp_inst", "times a warp issued it")},
    {FIELD(lanes, "thread_inst", "their active lanes")},
    {.name = "warp_cycles",
     .unit = "cycle",
     .doc = "cycles of warps whose next instruction it was, by what they "
            "waited for",
     .offset = offsetof(struct tl_code, waits),
     ALONG("wait", reason_names)},
    {.name = "held_cycles",
     .unit = "cycle",
     .doc = "cycles in which warps waited for its result",
     .offset = offsetof(struct tl_code, held)},
    {.name = "accesses",
     .unit = "request",
     .doc = "accesses that its executions were split into",
     .offset = offsetof(struct tl_code, accesses)},
    {.name = "l1_accesses",
     .unit = "request",
     .doc = "accesses by what they were in the L1",
     .offset = offsetof(struct tl_code, l1),
     ALONG("outcome", outcome_names)},
    {.name = "completed",
     .unit = "warp_inst",
     .doc = "memory instructions that were done",
     .offset = offsetof(struct tl_code, done)},
    {.name = "latency",
     .unit = "cycle",
     .doc = "from issue to write-back, the sum over those",
     .offset = offsetof(struct tl_code, cycles)},
    {.name = "latency_at",
     .unit = "cycle",
     .doc = "the same by where they were: the way of the access that came "
            "last",
     .offset = offsetof(struct tl_code, place),
     ALONG("place", place_names),
     .type = LOOM_PROFILE_F64},
};

static int by_kernel(const void *a, const void *b)
{
    const struct tl_code *x = a, *y = b;

    if (x->id != y->id) {
        return x->id < y->id ? -1 : 1;
    }
    return x->inst < y->inst ? -1 : x->inst > y->inst;
}

bool tl_profile_record(const struct tl_profile *profile,
                       struct loom_recorder *recorder, struct loom_error *err)
{
    size_t rows = profile->codes == 0 ? 1 : profile->codes;
    struct tl_code *sorted = calloc(rows, sizeof(*sorted));
    struct loom_profile out = {.row = sorted,
                               .rows = profile->codes,
                               .row_size = sizeof(*sorted),
                               .column = columns,
                               .columns = LOOM_COUNTOF(columns),
                               .left_out = profile->left_out};
    bool ok;

    if (sorted == NULL) {
        return loom_fail(err, LOOM_ERR_MEMORY, "no memory for a profile");
    }
    memcpy(sorted, profile->code, profile->codes * sizeof(*sorted));
    qsort(sorted, profile->codes, sizeof(*sorted), by_kernel);
    ok = profile->codes == 0 || loom_recorder_profile(recorder, &out, err);
    free(sorted);
    return ok;
}
