/*
 * Bytes of a trace file, decompressed: plain, .xz, .gz or .zst, told apart by
 * their first bytes and not by the name.
 *
 * A file that ends in the middle of compressed data is an error, never a
 * short file.
 */
#ifndef WORKLOADS_TRACE_INPUT_H
#define WORKLOADS_TRACE_INPUT_H

#include <stdio.h>

#include "engine/error.h"

struct trace_input;

/* Takes `file`, also if it fails. */
bool trace_input_open(FILE *file, struct trace_input **input,
                      struct loom_error *err);
void trace_input_close(struct trace_input *input); /* accepts NULL */

/* Up to `room` > 0 bytes; *got is 0 only at the end of the file. */
bool trace_input_read(struct trace_input *input, void *to, size_t room,
                      size_t *got, struct loom_error *err);

#endif
