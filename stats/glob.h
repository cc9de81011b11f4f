/*
 * Patterns over dotted names, and what to suggest when one matches nothing.
 *
 * `*` stands for any characters within a segment, `?` for one, `**` for any
 * number of whole segments, also none: "**.dram.*bytes" matches
 * "gpu.dram.read_bytes" and "dram.bytes".  `/` in a pattern means `.`, so
 * that group names of a file can be pasted.
 */
#ifndef STATS_GLOB_H
#define STATS_GLOB_H

#include "engine/base.h"

bool loom_glob(const char *pattern, const char *name);

/* As users write them on a command line: a pattern that names a group stands
 * for all in it, and one without a dot is looked for in every group. */
bool loom_glob_loose(const char *pattern, const char *name);

/* How many characters must change for `name` to match `pattern`: 0 if it
 * does.  Wildcards are free. */
uint32_t loom_glob_distance(const char *pattern, const char *name);

/* Is a distance small enough to say "did you mean"? */
bool loom_glob_near(const char *pattern, uint32_t distance);

#endif
