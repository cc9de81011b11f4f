/*
 * Which statistics a machine has, sorted into classes.
 *
 * A class is all instances of one component or policy type whose canonical
 * paths differ only in their indices: the caches "gpu[0].sm[3].l1d" are class
 * "gpu/sm/l1d".  It is what becomes one group in a results file, with the
 * instances as an axis, and what scripts ask for by name.
 *
 * Two types under one index-free path ("gpu[0].l2[0]" a cache, "gpu[0].l2[1]"
 * a sectored cache) are two classes, "gpu/l2/cache" and "gpu/l2/sectored", so
 * that no row has statistics which its instance does not keep.
 *
 * Every statistic of every class has one number, in the order of classes
 * (sorted by group) and declarations; and one dotted name,
 * "gpu.sm.l1d.hits", that patterns select.
 */
#ifndef STATS_CATALOG_H
#define STATS_CATALOG_H

#include "engine/machine.h"

#include "stats/energy.h"

struct loom_class {
    char *group;      /* "gpu/sm/l1d", also "gpu/sm/l1d/policy/lru" */
    const char *type; /* name of the component or policy type */
    const char *doc;
    bool is_policy;
    struct loom_stats stats; /* with an energy model: its energies, too */
    uint32_t first;          /* number of its first statistic */
    uint32_t count;          /* instances, in order of id */
    const char **path;       /* [count] canonical paths; the machine's */
    const void **block;      /* [count] their statistics structs */
    size_t size;             /* bytes of one */
    struct loom_class_energy *energy; /* NULL: no model, or no events */
};

struct loom_estimate;

struct loom_catalog {
    struct loom_machine *machine; /* not owned */
    struct loom_class *item;
    uint32_t count;
    uint32_t stat_count; /* over all classes */
    bool is_restored; /* not of a machine that runs: stats/restore.h, mark.h */
    double seconds;   /* then, when the counters are of */
    bool is_mark;     /* its blocks are copies: stats/mark.h */
    struct loom_estimate
        *estimate; /* stats/estimate.h; NULL: none, not owned */
};

/* Of a frozen machine, which must outlive the catalogue; `model` may be NULL
 * and is asked now only.  NULL on failure. */
struct loom_catalog *loom_catalog_create(struct loom_machine *machine,
                                         const struct loom_energy_model *model,
                                         struct loom_error *err);
void loom_catalog_destroy(struct loom_catalog *catalog); /* accepts NULL */

/* A copy of an instance's statistics with arrays of its own: NULL if there is
 * no memory; brought up to date from `block`; and gone, or NULL. */
char *loom_block_copy(const struct loom_class *class, uint32_t row);
void loom_block_take(const struct loom_class *class, const void *block,
                     char *copy);
void loom_block_drop(const struct loom_class *class, char *copy);

/* The class and declaration of statistic `number`. */
const struct loom_class *loom_catalog_class(const struct loom_catalog *catalog,
                                            uint32_t number);
const struct loom_stat *loom_catalog_stat(const struct loom_catalog *catalog,
                                          uint32_t number);

#define LOOM_STAT_NAME 256 /* bytes of a dotted name, with the final zero */
void loom_catalog_name(const struct loom_catalog *catalog, uint32_t number,
                       char name[LOOM_STAT_NAME]);

/* Sets chosen[i] for each statistic that matches a pattern (stats/glob.h).  A
 * pattern that matches none is an error, with a suggestion. */
bool loom_catalog_select(const struct loom_catalog *catalog,
                         const char *const *pattern, size_t patterns,
                         bool *chosen, struct loom_error *err);

/* The class that an instance (by canonical path) belongs to, and its row. */
const struct loom_class *loom_catalog_find(const struct loom_catalog *catalog,
                                           const char *path, uint32_t *row);

/* A canonical path without its indices, segments joined by `separator`.
 * False if it does not fit into `size` bytes. */
bool loom_path_strip(const char *path, char separator, char *text, size_t size);

#endif
