/*
 * A trace file line by line, with errors that name the line; and the small
 * parsers that lines are taken apart with.
 */
#ifndef WORKLOADS_TRACE_LINES_H
#define WORKLOADS_TRACE_LINES_H

#include "workloads/trace/input.h"

/* Tracer 5 writes the values stored by a warp at the end of a line, some
 * kilobytes; nothing that is needed is further back than that. */
#define TRACE_LINE_MAX (1u << 20)

struct trace_lines {
    struct trace_input *input;
    char *name;
    char *buffer;    /* [TRACE_LINE_MAX + 1] */
    size_t at, end;  /* what is left of it */
    uint64_t number; /* of the line returned last, from 1 */
    bool at_end;
};

/* Takes `file`, also if it fails. */
bool trace_lines_open(struct trace_lines *lines, FILE *file, const char *name,
                      struct loom_error *err);
void trace_lines_close(struct trace_lines *lines);

/* The next line without its end, valid until the next call; *line is NULL at
 * the end of the file.  `next` includes blank lines, `next_text` skips them. */
bool trace_lines_next(struct trace_lines *lines, char **line,
                      struct loom_error *err);
bool trace_lines_next_text(struct trace_lines *lines, char **line,
                           struct loom_error *err);

/* "<name>:<line>: <text>"; returns false. */
bool trace_fail(const struct trace_lines *lines, struct loom_error *err,
                const char *fmt, ...) LOOM_PRINTF(3, 4);

/* Parsers: each skips blanks before what it reads, moves *at behind it and
 * returns false, with *at anywhere, if it is not there or too large. */
bool trace_decimal(const char **at, uint64_t *value);
bool trace_signed(const char **at, int64_t *value);
bool trace_hex(const char **at, uint64_t *value); /* with 0x or without */
/* Skips blanks; returns the length of the word there, 0 at the end. */
size_t trace_word(const char **at);

static inline bool trace_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static inline const char *trace_skip(const char *at)
{
    while (trace_blank(*at)) {
        at++;
    }
    return at;
}

#endif
