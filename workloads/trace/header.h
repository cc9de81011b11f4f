/*
 * What the head of a kernel's trace says.
 */
#ifndef WORKLOADS_TRACE_HEADER_H
#define WORKLOADS_TRACE_HEADER_H

#include "workloads/stream.h"
#include "workloads/trace/lines.h"

#define TRACE_VERSION_NEWEST 6 /* of the tracer; later ones get a note */

struct trace_header {
    char *name; /* mangled, as recorded; to be freed */
    uint32_t id;
    struct loom_dim3 grid, block;
    uint32_t shared_bytes;
    uint32_t registers;      /* 0: what there was is no number of 1..256 */
    uint32_t binary_version; /* 70: compute capability 7.0; 0: not known */
    uint32_t tracer_version; /* 0: not said, before 3 */
    bool tracer_is_zero;     /* it says 0: taken for the newest */
    uint64_t stream;
    loom_addr shared_base, local_base; /* generic windows; 0: not said */
    bool line_info;
};

/* Reads up to and including the line that starts with '#'. */
bool trace_header_read(struct trace_header *header, struct trace_lines *lines,
                       struct loom_error *err);
void trace_header_free(struct trace_header *header);

#endif
