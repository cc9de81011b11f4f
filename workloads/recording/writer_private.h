/*
 * The writer of recordings, shared by the file that writes blocks and the one
 * that stands in front of kernels.
 */
#ifndef WORKLOADS_RECORDING_WRITER_PRIVATE_H
#define WORKLOADS_RECORDING_WRITER_PRIVATE_H

#include <stdio.h>

#include "workloads/recording/recording_private.h"

/* Between two launches: what the first left to be told. */
#define REC_LAUNCH_END LOOM_RECORD_RESERVED

struct rec_source;

struct loom_recording_writer {
    FILE *file;
    char *path, *partial;
    struct ZSTD_CCtx_s *zstd;
    uint64_t offset; /* bytes written */
    bool failed;
    struct rec_bytes notes, events, index;
    struct rec_bytes raw, packed;     /* one block before and after zstd */
    char (*kernel)[LOOM_DIGEST_TEXT]; /* digests of the tables written */
    uint32_t kernel_capacity;
    struct rec_source *active, *spare;
    struct loom_recording_totals totals;
};

/* out.c.  A failure, which is remembered; bytes of the file; a block. */
bool rec_broken(struct loom_recording_writer *writer, struct loom_error *err,
                const char *why);
bool rec_out(struct loom_recording_writer *writer, const void *data,
             size_t bytes, struct loom_error *err);
bool rec_write_block(struct loom_recording_writer *writer, uint32_t kind,
                     uint32_t launch, uint32_t cta, const struct rec_bytes *raw,
                     struct loom_error *err);
/* Writes the events if they are more than `least` bytes. */
bool rec_flush_events(struct loom_recording_writer *writer, size_t least,
                      struct loom_error *err);
/* Writes the events once there are many. */
bool rec_events_added(struct loom_recording_writer *writer,
                      struct loom_error *err);

/* Ends the launches that are still attached. */
bool rec_sources_finish(struct loom_recording_writer *writer,
                        struct loom_error *err);
void rec_sources_free(struct loom_recording_writer *writer);

#endif
