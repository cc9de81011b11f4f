/*
 * A list that grows.
 */
#include "workloads/children.h"

#include <stdlib.h>

struct loom_child *loom_children_add(struct loom_children *list)
{
    if (list->count == list->room) {
        uint32_t room = list->room * 2 + 16;
        struct loom_child *grown =
            realloc(list->item, room * sizeof(*list->item));

        if (grown == NULL || room < list->room) {
            return NULL;
        }
        list->item = grown;
        list->room = room;
    }
    list->item[list->count] = (struct loom_child){.params = NULL};
    return &list->item[list->count++];
}

void loom_children_free(struct loom_children *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        free(list->item[i].params);
    }
    free(list->item);
    *list = (struct loom_children){.item = NULL};
}
