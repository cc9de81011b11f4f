/*
 * The file of a timeline: Chrome's trace events as JSON, one a line.
 */
#ifndef LUA_TIMELINE_EVENTS_PRIVATE_H
#define LUA_TIMELINE_EVENTS_PRIVATE_H

#include <stdio.h>

#include "engine/base.h"

enum {
    TL_LANES = 512, /* of a kind of rows */
    TL_NAME = 96    /* bytes of a name */
};

struct tl_file {
    FILE *file; /* NULL: none is written */
    uint64_t bytes, limit;
    int error;       /* errno of what could not be written */
    bool full;       /* the limit has been reached */
    bool any, ended; /* an event has been written; no more may be */
    loom_time last;  /* of what was told last */
    uint64_t slices;
};

/* A row. */
struct tl_row {
    uint32_t pid, tid;
};

/* Something that begins and ends in a row. */
struct tl_span {
    struct tl_row row;
    loom_time start;
    bool live, open; /* it has begun; it will be in the file */
    char name[TL_NAME];
};

/* Rows in which nothing overlaps: until when each of them is used. */
struct tl_lanes {
    loom_time until[TL_LANES];
    uint32_t used;
};

bool tl_may_write(struct tl_file *out);
void tl_process(struct tl_file *out, uint32_t pid, const char *name);
/* `number`: behind the name; UINT32_MAX: none. */
void tl_name_row(struct tl_file *out, struct tl_row row, const char *name,
                 uint32_t number);
/* Does it have a length in the file? */
bool tl_seen(loom_time start, loom_time end);
/* A slice without arguments; one whose arguments follow, up to tl_close(). */
void tl_slice(struct tl_file *out, struct tl_row row, loom_time start,
              loom_time end, const char *name);
void tl_open(struct tl_file *out, struct tl_row row, loom_time start,
             loom_time end, const char *name);
void tl_number(struct tl_file *out, const char *name, uint64_t value);
void tl_text(struct tl_file *out, const char *name, const char *value);
void tl_close(struct tl_file *out);
/* A slice in another one, if it has a length: viewers would put one without
 * into what follows it. */
void tl_part(struct tl_file *out, struct tl_row row, loom_time start,
             loom_time end, const char *name);
/* As tl_open() and tl_close(), for what begins with the slice in which it lies
 * and is written before that one: it may last as long, and viewers put what
 * begins with `B` into what is an `X`. */
void tl_first(struct tl_file *out, struct tl_row row, loom_time start,
              const char *name);
void tl_first_end(struct tl_file *out, struct tl_row row, loom_time end);
/* A lane that is free from `start` on and is used until `end`; TL_LANES if
 * there is none.  Rows from `first` on. */
uint32_t tl_lane(struct tl_file *out, struct tl_lanes *lanes,
                 struct tl_row first, const char *name, loom_time start,
                 loom_time end);

#endif
