/*
 * kernelslist.g: the launches and copies of a recorded program, in order.
 */
#ifndef WORKLOADS_TRACE_LIST_H
#define WORKLOADS_TRACE_LIST_H

#include "workloads/trace/lines.h"

struct trace_item {
    char *file; /* of a kernel, as the list has it; NULL: a copy */
    loom_addr address;
    uint64_t bytes;
};

struct trace_list {
    struct trace_item *item;
    uint32_t count, room;
    bool kernel; /* the file is no list but a kernel's trace itself */
};

bool trace_list_read(struct trace_list *list, struct trace_lines *lines,
                     struct loom_error *err);
void trace_list_free(struct trace_list *list);

#endif
