/*
 * The statistics of a machine as datasets: one group per class, one dataset
 * per statistic, instances as an axis.
 *
 * Built twice with the same rules: for /stats with everything, and for each
 * series with what the user selected.
 */
#ifndef STATS_TREE_PRIVATE_H
#define STATS_TREE_PRIVATE_H

#include "stats/catalog.h"
#include "stats/table_private.h"

/* How to copy one statistic of one class into a row. */
struct loom_probe {
    const struct loom_class *class;
    const struct loom_stat *stat;
    size_t offset; /* words into the row */
    size_t width;  /* words per instance of the (first) column */
    /* Words into the row: standard errors, column by column, of each instance
     * and then of all together; 0: there are none. */
    size_t error;
};

struct loom_tree {
    const struct loom_catalog *catalog;
    struct loom_probe *probe;
    size_t probes;
    bool errors; /* set before it is laid out: with standard errors, where
                  * there are estimates */
};

/* Creates the datasets of all `chosen` statistics (NULL: all) under `root`.
 * `shared` names the datasets of `root` that are coordinates of every sample,
 * separated by spaces; each group gets hard links to them. */
bool loom_tree_init(struct loom_tree *tree, const struct loom_catalog *catalog,
                    const bool *chosen, struct loom_rows *rows, hid_t root,
                    const char *shared);
void loom_tree_fini(struct loom_tree *tree);

/* One reading of everything.  `seconds` of simulated time, for rates. */
void loom_tree_sample(const struct loom_tree *tree, union loom_word *row,
                      double seconds);

/* The axes of a class; one builder per class while the file is laid out. */
#define LOOM_TREE_AXES 32
struct loom_tree_axis {
    char name[80];
    const char *const *keys; /* NULL: numbered */
    uint64_t count;
    uint64_t *valid; /* [instances], for arrays; owned */
    bool bins;
    const char *coordinates; /* of what is along it, after those of the class:
                              * " a b"; NULL: no more */
    struct loom_h5_scale scale;
};
struct loom_tree_builder {
    bool errors; /* standard errors beside all that is an estimate */
    bool names;  /* axes have coordinates that are filled in at the end */
    struct loom_h5 *h5;
    struct loom_rows *rows;
    const struct loom_class *class;
    hid_t group;
    struct loom_h5_scale instance;
    char instance_name[80];
    char coordinates[256];
    struct loom_tree_axis axis[LOOM_TREE_AXES];
    size_t axes;
};

/* A name of `wanted` that neither a statistic nor another object has. */
void loom_tree_unique(const struct loom_tree_builder *builder,
                      const char *wanted, char *name, size_t size);
/* The scale for the second dimension after instances of a statistic; NULL
 * after a failure. */
struct loom_tree_axis *loom_tree_axis_of(struct loom_tree_builder *builder,
                                         const struct loom_stat *stat);
/* loads.c: of a table by load, its coordinates. */
void loom_tree_loads(struct loom_tree_builder *builder,
                     struct loom_tree_axis *axis);
/* The instance scale and the integer coordinates. */
void loom_tree_instances(struct loom_tree_builder *builder);
void loom_tree_axes_finish(struct loom_tree_builder *builder);

#endif
