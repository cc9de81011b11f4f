/*
 * Copies of an instance's statistics, with arrays of their own.
 */
#include <stdlib.h>
#include <string.h>

#include "stats/catalog.h"

static bool is_array(const struct loom_class *class, size_t stat)
{
    return class->stats.item[stat].kind == LOOM_STAT_ARRAY;
}

static struct loom_array *array_of(const struct loom_class *class, char *block,
                                   size_t stat)
{
    return (void *)(block + class->stats.item[stat].offset);
}

void loom_block_drop(const struct loom_class *class, char *copy)
{
    for (size_t i = 0; copy != NULL && i < class->stats.count; i++) {
        if (is_array(class, i)) {
            free(array_of(class, copy, i)->item);
        }
    }
    free(copy);
}

/* Ratios and rates are of counters, which have rows of their own. */
static size_t bytes_of(const struct loom_stat *stat)
{
    switch (stat->kind) {
    case LOOM_STAT_COUNTER:
    case LOOM_STAT_GAUGE:
        return sizeof(uint64_t);
    case LOOM_STAT_VECTOR:
        return stat->count * sizeof(uint64_t);
    case LOOM_STAT_HISTOGRAM:
        return sizeof(struct loom_histogram);
    case LOOM_STAT_ARRAY:
    case LOOM_STAT_RATIO:
    case LOOM_STAT_RATE:
    case LOOM_STAT_ENERGY:
    case LOOM_STAT_POWER:
        return 0;
    }
    LOOM_BUG("kind %d", (int)stat->kind);
}

void loom_block_take(const struct loom_class *class, const void *block,
                     char *copy)
{
    for (size_t i = 0; i < class->stats.count; i++) {
        const struct loom_stat *stat = &class->stats.item[i];
        size_t bytes = bytes_of(stat);
        const char *from = block;

        if (stat->kind == LOOM_STAT_ARRAY) {
            const struct loom_array *array =
                (const void *)(from + stat->offset);
            const struct loom_array *own = array_of(class, copy, i);

            if (own->count != 0) {
                memcpy(own->item, array->item, own->count * sizeof(*own->item));
            }
        } else if (bytes != 0) {
            memcpy(copy + stat->offset, from + stat->offset, bytes);
        }
    }
}

char *loom_block_copy(const struct loom_class *class, uint32_t row)
{
    char *copy = calloc(1, class->size + 1);
    bool whole = true;

    if (copy == NULL) {
        return NULL;
    }
    memcpy(copy, class->block[row], class->size);
    for (size_t i = 0; i < class->stats.count; i++) {
        if (is_array(class, i)) {
            struct loom_array *array = array_of(class, copy, i);

            array->item = calloc(array->count + 1u, sizeof(*array->item));
            whole = whole && array->item != NULL;
        }
    }
    if (!whole) {
        loom_block_drop(class, copy);
        return NULL;
    }
    loom_block_take(class, class->block[row], copy);
    return copy;
}
