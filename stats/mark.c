/*
 * A catalogue of copies.
 */
#include "stats/mark.h"

#include <stdlib.h>
#include <string.h>

#include "stats/estimate.h"

static double now_of(const struct loom_catalog *catalog)
{
    return catalog->is_restored
               ? catalog->seconds
               : (double)loom_machine_now(catalog->machine) / 1e15;
}

/* All but the blocks is the catalogue's. */
static bool copy_class(struct loom_class *item, const struct loom_class *from)
{
    *item = *from;
    item->block = calloc(from->count, sizeof(*item->block));
    for (uint32_t row = 0; item->block != NULL && row < from->count; row++) {
        item->block[row] = loom_block_copy(from, row);
        if (item->block[row] == NULL) {
            return false;
        }
    }
    return item->block != NULL;
}

struct loom_catalog *loom_mark_create(const struct loom_catalog *catalog,
                                      struct loom_error *err)
{
    struct loom_catalog *mark = calloc(1, sizeof(*mark));
    bool ok = mark != NULL;

    if (!catalog->is_restored) {
        loom_estimate_settle(catalog);
    }
    if (ok) {
        *mark = (struct loom_catalog){.machine = catalog->machine,
                                      .stat_count = catalog->stat_count,
                                      .is_restored = true,
                                      .is_mark = true,
                                      .seconds = now_of(catalog)};
        mark->item = calloc(catalog->count + 1u, sizeof(*mark->item));
        ok = mark->item != NULL;
    }
    for (uint32_t i = 0; ok && i < catalog->count; i++) {
        mark->count++;
        ok = copy_class(&mark->item[i], &catalog->item[i]);
    }
    if (!ok) {
        loom_fail(err, LOOM_ERR_MEMORY, "no memory for the statistics");
        loom_catalog_destroy(mark);
        return NULL;
    }
    return mark;
}

void loom_mark_take(struct loom_catalog *mark,
                    const struct loom_catalog *catalog)
{
    LOOM_CHECK(mark->is_mark && mark->count == catalog->count);
    if (!catalog->is_restored) {
        loom_estimate_settle(catalog);
    }
    mark->seconds = now_of(catalog);
    for (uint32_t i = 0; i < mark->count; i++) {
        for (uint32_t row = 0; row < mark->item[i].count; row++) {
            /* The copies are the mark's. */
            loom_block_take(&mark->item[i], catalog->item[i].block[row],
                            (char *)(uintptr_t)mark->item[i].block[row]);
        }
    }
}
