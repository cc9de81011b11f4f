/*
 * Growing tables: columns that share a leading axis.
 *
 * Everything in a results file that grows is one of these: the snapshots
 * (axis `sample`), each series, the kernels, users' tables.  Rows are
 * collected in memory and written in runs, one H5Dwrite per column, because a
 * call of HDF5 costs about as much for one row as for a thousand.
 */
#ifndef STATS_TABLE_PRIVATE_H
#define STATS_TABLE_PRIVATE_H

#include "stats/h5_private.h"

/* In a row every element is one 64-bit word: an integer, the bits of a
 * double, or a pointer to a string that the row owns. */
union loom_word {
    uint64_t u;
    int64_t i;
    double f;
    char *s;
};

struct loom_rows_column {
    hid_t dataset;
    enum loom_h5_type type;
    int rank;
    hsize_t dims[LOOM_H5_RANK]; /* of one row: dims[0] is 1 */
    uint64_t chunk_rows;
    size_t offset, width; /* words */
};

struct loom_rows {
    struct loom_h5 *h5; /* not owned */
    struct loom_h5_scale leading;
    struct loom_rows_column *column; /* [0] is the leading scale itself */
    size_t columns, column_room;
    size_t words;         /* of one row */
    size_t chunk_bytes;   /* wanted per chunk and column */
    union loom_word *row; /* [room * words] */
    uint64_t room;
    uint64_t buffered, written; /* rows */
    bool has_draft;             /* the file has one more */
    uint64_t text_bytes;        /* of buffered strings */
};

/* Makes the leading scale `axis` in `group`. */
void loom_rows_init(struct loom_rows *rows, struct loom_h5 *h5, hid_t group,
                    const char *axis, const char *doc, size_t chunk_bytes);
void loom_rows_fini(struct loom_rows *rows);

/* Adds a column: `spec` without its leading scale, which is put in front.
 * Returns where the column starts in a row (words), and in *dataset, if it is
 * not NULL, the open dataset, which the table closes. */
size_t loom_rows_column(struct loom_rows *rows, hid_t group,
                        const struct loom_h5_dataset *spec, hid_t *dataset);
/* Adds a column without further axes. */
size_t loom_rows_simple(struct loom_rows *rows, hid_t group, const char *name,
                        const char *unit, const char *doc,
                        enum loom_h5_type type);
/* The columns `time` and `tick` that every sample axis has. */
void loom_rows_time(struct loom_rows *rows, hid_t group, size_t *time,
                    size_t *tick);
/* No more columns. */
void loom_rows_ready(struct loom_rows *rows);

/* A new row, zeroed but for its number; NULL when there is no memory, or the
 * file has failed before. */
union loom_word *loom_rows_add(struct loom_rows *rows);
/* Copies a string into a word of the newest row; NULL is "". */
void loom_rows_text(struct loom_rows *rows, union loom_word *word,
                    const char *text);

/* Rows so far, written or not. */
uint64_t loom_rows_count(const struct loom_rows *rows);
/* Bytes in memory. */
uint64_t loom_rows_bytes(const struct loom_rows *rows);
/* Hands all rows to HDF5. */
void loom_rows_write(struct loom_rows *rows);
/* Hands it the only row that is not written yet, for readers of a run in
 * progress: the next write puts another one in its place, or none. */
void loom_rows_draft(struct loom_rows *rows);

/* [a-z][a-z0-9_]*, shorter than 64? */
bool loom_record_name_ok(const char *what, const char *name,
                         struct loom_error *err);

#endif
