/*
 * An open recording, shared by the file that opens it and the one that reads
 * its streams.
 */
#ifndef WORKLOADS_RECORDING_READER_PRIVATE_H
#define WORKLOADS_RECORDING_READER_PRIVATE_H

#include <stdio.h>

#include "workloads/recording/recording_private.h"

struct rec_launch {
    struct loom_recorded_launch seen; /* what callers see; first */
    uint32_t first, count;            /* its blocks, in `order` */
};

struct rec_note {
    char *name, *value;
};

struct loom_recording {
    FILE *file; /* or NULL, and then: */
    const unsigned char *memory;
    char *path; /* for messages */
    uint64_t bytes;
    struct rec_block *block; /* [blocks], without that of the index */
    uint32_t blocks;
    uint32_t *order; /* numbers of stream blocks, launch by launch */
    struct rec_kernel *kernel;
    struct rec_launch *launch;
    struct loom_recording_event *event;
    struct rec_note *note;
    uint32_t kernels, launches, events, notes;
    uint32_t kernel_capacity, launch_capacity, event_capacity, note_capacity;
    struct rec_bytes stored; /* a block as it is in the file */
    struct ZSTD_DCtx_s *zstd;
    struct loom_recording_totals totals;
};

/* block.c: bytes of the file; false: it has no such bytes. */
bool rec_fetch(struct loom_recording *recording, uint64_t offset, void *to,
               size_t bytes);
/* Reads and checks a block; its content replaces that of `raw`. */
bool rec_read_block(struct loom_recording *recording,
                    const struct rec_block *block, struct rec_bytes *raw,
                    struct loom_error *err);

/* Tables of the recording, from the contents of blocks. */
bool rec_load_tables(struct loom_recording *recording, struct loom_error *err);
void rec_free_tables(struct loom_recording *recording);

/* Room for one more entry; zeroed. */
void *rec_grow(void **list, uint32_t count, uint32_t *capacity, size_t size);

#endif
