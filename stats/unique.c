/*
 * Names of datasets that nothing else in their group has.
 */
#include <stdio.h>
#include <string.h>

#include "stats/tree_private.h"

static const char *const histogram_suffix[] = {"_hist", "_bin", "_count",
                                               "_sum",  "_min", "_max"};

static bool is_stat_name(const struct loom_class *class, const char *name)
{
    for (size_t i = 0; i < class->stats.count; i++) {
        const struct loom_stat *stat = &class->stats.item[i];
        size_t length = strlen(stat->name);

        if (strncmp(name, stat->name, length) != 0) {
            continue;
        }
        if (name[length] == '\0') {
            return true;
        }
        for (size_t k = 0; k < LOOM_COUNTOF(histogram_suffix); k++) {
            if (stat->kind == LOOM_STAT_HISTOGRAM && k != 1 &&
                strcmp(name + length, histogram_suffix[k]) == 0) {
                return true;
            }
        }
    }
    return false;
}

void loom_tree_unique(const struct loom_tree_builder *builder,
                      const char *wanted, char *name, size_t size)
{
    snprintf(name, size, "%s", wanted);
    while ((loom_h5_exists(builder->h5, builder->group, name) ||
            is_stat_name(builder->class, name)) &&
           strlen(name) + 1 < size) {
        memcpy(name + strlen(name), "_", 2);
    }
}
