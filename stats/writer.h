/*
 * A file in the form of our results, put together dataset by dataset: what
 * merges and conversions write.  (A run's own file is a recorder's.)
 *
 * Nothing in the file depends on when, where or how often it is written: the
 * same calls give the same bytes.  Errors stick: after the first one every
 * function does nothing, and loom_writer_close() tells.
 *
 * HDF5 writes PATH.working, which becomes PATH when it is complete on the
 * disk, so PATH is always a whole file.
 */
#ifndef STATS_WRITER_H
#define STATS_WRITER_H

#include "engine/error.h"

/* The layout of results files, which their attribute format_version tells: the
 * first number grows when readers have to change, the second with what they
 * may leave alone.  Files of older layouts stay readable. */
#define LOOM_LAYOUT "1.0"

#define LOOM_WRITER_RANK 3

struct loom_writer;

enum loom_writer_type {
    LOOM_WRITER_U64,
    LOOM_WRITER_I64,
    LOOM_WRITER_F64,
    LOOM_WRITER_U8,
    LOOM_WRITER_TEXT /* const char *const[] */
};

/* A dataset: "/metrics/ipc".  Groups on the way are made. */
struct loom_writer_dataset {
    const char *path, *unit, *doc;
    enum loom_writer_type type;
    const char *scale[LOOM_WRITER_RANK]; /* paths of scales: dimensions */
    uint32_t rank;
    const void *data; /* row-major, as long as the scales say */
};

/* NULL on failure. */
struct loom_writer *loom_writer_open(const char *path, struct loom_error *err);

/* Attributes of a group or dataset that exists ("/" always does). */
void loom_writer_put_text(struct loom_writer *writer, const char *object,
                          const char *name, const char *value);
void loom_writer_put_texts(struct loom_writer *writer, const char *object,
                           const char *name, const char *const *value,
                           size_t count);
void loom_writer_put_u64(struct loom_writer *writer, const char *object,
                         const char *name, uint64_t value);
void loom_writer_put_f64(struct loom_writer *writer, const char *object,
                         const char *name, double value);

/* A dimension scale of `length` >= 1 texts or numbers; its rank is 1 and needs
 * not be said; data NULL: 0, 1, 2 and so on. */
void loom_writer_scale(struct loom_writer *writer,
                       const struct loom_writer_dataset *scale,
                       uint64_t length);
/* Length of a scale; 0 if there is none of this path. */
uint64_t loom_writer_length(const struct loom_writer *writer, const char *path);
void loom_writer_add(struct loom_writer *writer,
                     const struct loom_writer_dataset *dataset);

/* Frees the writer.  False: PATH is what it was before. */
bool loom_writer_close(struct loom_writer *writer, struct loom_error *err);
/* Frees it and leaves no file; accepts NULL. */
void loom_writer_abandon(struct loom_writer *writer);

#endif
