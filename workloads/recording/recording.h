/*
 * Recordings: a workload's launches and instruction streams in one file, to
 * be replayed on any machine.
 *
 * Functional execution does not depend on timing, so what was recorded once
 * is what every machine would have been given.  docs/recordings.md describes
 * the file: a header, checksummed blocks compressed with zstd, an index of
 * the blocks and a footer.  Writer and reader hold a few MiB, whatever the
 * size of the file; only the stream of a CTA that is resident is in memory as
 * a whole.
 *
 * A file that is damaged is refused with the number, kind and offset of its
 * first damaged block.  A file that nobody damaged but that somebody made up
 * is refused as well: everything read is checked before it is used.
 */
#ifndef WORKLOADS_RECORDING_RECORDING_H
#define WORKLOADS_RECORDING_RECORDING_H

#include "engine/digest.h"

#include "workloads/program.h"

#define LOOM_RECORDING_VERSION 4
#define LOOM_RECORDING_SUFFIX ".wlt"

/* What the host program did, in this order.  Tasks are launches, copies,
 * fills, events and waits, numbered together from 1.  Stream 0 is the default
 * stream, in which the host waits for each task. */
enum loom_record_event {
    LOOM_RECORD_LAUNCH,   /* `launch` says which */
    LOOM_RECORD_ALLOC,    /* address, bytes, name */
    LOOM_RECORD_FREE,     /* address */
    LOOM_RECORD_UPLOAD,   /* address, bytes, stream: host to device */
    LOOM_RECORD_DOWNLOAD, /* address, bytes, stream: device to host */
    LOOM_RECORD_COPY,     /* address, bytes, stream: within the device */
    LOOM_RECORD_SNAPSHOT, /* name: label */
    LOOM_RECORD_VERIFIED, /* name: how results were checked */
    LOOM_RECORD_FILL,     /* address, bytes, stream: within the device */
    LOOM_RECORD_MARK,     /* stream: an event */
    LOOM_RECORD_WAIT,     /* stream waits for task number `address` */
    LOOM_RECORD_SYNC,     /* the host waits: for task number `address`; 0: for
                           * those of `stream`; this 0, too: for all */
    LOOM_RECORD_RESERVED, /* the file's own; never an event */
    LOOM_RECORD_GATHER,   /* bytes, stream: by the host's processor */
    LOOM_RECORD_EVENTS
};

struct loom_recording_event {
    enum loom_record_event kind;
    uint32_t stream;
    uint32_t launch; /* LAUNCH: its place among the launches, from 0 */
    loom_addr address;
    uint64_t bytes;
    const char *name; /* may be "" */
};

/* Sizes of what was written or read; warp instructions of all launches. */
struct loom_recording_totals {
    uint64_t insts;
    uint64_t words;        /* of streams, 4 bytes each */
    uint64_t encoded;      /* bytes of streams before compression */
    uint64_t stream_bytes; /* of blocks with streams, in the file */
    uint64_t file_bytes;
    uint32_t launches, kernels, blocks;
};

/* ---- Writing ---- */

struct loom_recording_writer;

/* Writes to `path`.partial; finish renames it to `path`. */
bool loom_recording_create(const char *path,
                           struct loom_recording_writer **writer,
                           struct loom_error *err);
/* Provenance: pairs of texts, such as "script_sha256". */
bool loom_recording_note(struct loom_recording_writer *writer, const char *name,
                         const char *value, struct loom_error *err);
bool loom_recording_event(struct loom_recording_writer *writer,
                          const struct loom_recording_event *event,
                          struct loom_error *err);

/* From now on every CTA that `kernel` produces is also written.  This puts a
 * source of the writer's in front of the kernel's own until its last CTA was
 * released, or until detach: its front end must not retire it before. */
bool loom_recording_attach(struct loom_recording_writer *writer,
                           struct loom_kernel *kernel, uint32_t stream,
                           struct loom_error *err);
/* Nothing happens if the kernel is not attached. */
void loom_recording_detach(struct loom_recording_writer *writer,
                           struct loom_kernel *kernel);

/* Writes the rest, syncs, renames.  The writer is gone in any case; if this
 * fails, so is the partial file.  `totals` may be NULL. */
bool loom_recording_finish(struct loom_recording_writer *writer,
                           struct loom_recording_totals *totals,
                           struct loom_error *err);
/* Detaches, and removes the partial file.  Accepts NULL. */
void loom_recording_abandon(struct loom_recording_writer *writer);

/* ---- Reading ---- */

struct loom_recording;        /* an open file and its tables */
struct loom_recording_stream; /* a place in the streams of one launch */

struct loom_recorded_launch {
    uint32_t kernel; /* number of its kernel in the recording */
    uint32_t number; /* of the launch in the recorded run */
    uint32_t stream;
    struct loom_dim3 grid, block;
    uint32_t registers, shared_bytes, local_bytes;
    uint32_t interleave;
    uint64_t ctas; /* recorded; less than the grid's if the run was cut */
    uint64_t insts;
};

bool loom_recording_open(const char *path, struct loom_recording **recording,
                         struct loom_error *err);
/* The same from memory, which the caller keeps as long. */
bool loom_recording_open_memory(const void *data, size_t bytes,
                                struct loom_recording **recording,
                                struct loom_error *err);
void loom_recording_close(struct loom_recording *recording); /* accepts NULL */

/* Static tables; registers and sizes are those of the first launch. */
uint32_t loom_recording_kernel_count(const struct loom_recording *recording);
const struct loom_kernel_info *
loom_recording_kernel(const struct loom_recording *recording, uint32_t number);

uint32_t loom_recording_launch_count(const struct loom_recording *recording);
const struct loom_recorded_launch *
loom_recording_launch(const struct loom_recording *recording, uint32_t number);

uint32_t loom_recording_event_count(const struct loom_recording *recording);
const struct loom_recording_event *
loom_recording_get_event(const struct loom_recording *recording,
                         uint32_t number);

/* Text noted under `name` (the last one), or NULL. */
const char *loom_recording_find(const struct loom_recording *recording,
                                const char *name);
uint32_t loom_recording_note_count(const struct loom_recording *recording);
void loom_recording_get_note(const struct loom_recording *recording,
                             uint32_t number, const char **name,
                             const char **value);
struct loom_recording_totals
loom_recording_totals(const struct loom_recording *recording);

/* Streams of a launch.  Any number may be open; NULL if there is no memory. */
struct loom_recording_stream *
loom_recording_streams(struct loom_recording *recording, uint32_t launch);
/* Accepts NULL; CTAs that were not given back are freed as well. */
void loom_recording_streams_close(struct loom_recording_stream *streams);
/* CTA `cta` of the launch, in any order; ascending is fast.  `kernel` is put
 * into the result. */
bool loom_recording_produce(struct loom_recording_stream *streams,
                            const struct loom_kernel *kernel, uint32_t cta,
                            struct loom_cta_stream **stream,
                            struct loom_error *err);
void loom_recording_release(struct loom_recording_stream *streams,
                            struct loom_cta_stream *stream);

/* Reads every block; false at the first damaged one. */
bool loom_recording_verify(struct loom_recording *recording,
                           struct loom_error *err);

/* ---- Keys ---- */

/* What a workload's streams depend on, as one digest: two runs with equal
 * keys have equal streams, whatever their machines.  Fields are hashed with
 * their names and lengths, in the order in which they are added; what must be
 * added is in docs/recordings.md. */
struct loom_stream_key {
    struct loom_digest digest;
};

void loom_stream_key_init(struct loom_stream_key *key);
void loom_stream_key_add(struct loom_stream_key *key, const char *name,
                         const void *data, size_t bytes);
void loom_stream_key_add_number(struct loom_stream_key *key, const char *name,
                                uint64_t value);
void loom_stream_key_add_launch(struct loom_stream_key *key,
                                const struct loom_launch_spec *spec);
void loom_stream_key_text(const struct loom_stream_key *key,
                          char text[LOOM_DIGEST_TEXT]);

#endif
