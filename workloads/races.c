/*
 * A list of pairs.  Programs have few of them, and the pair that was found
 * last is looked at first.
 */
#include "workloads/races.h"

#include <stdlib.h>

void loom_races_free(struct loom_race_list *list)
{
    if (list == NULL) {
        return;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        free(list->race[i].text);
    }
    free(list->race);
    free(list);
}

static bool make_room(struct loom_race_list *list)
{
    uint32_t room = list->room == 0 ? 16 : 2 * list->room;
    struct loom_race *race;

    if (list->count < list->room) {
        return true;
    }
    if (list->count >= LOOM_RACES_MAX) {
        return false;
    }
    race = realloc(list->race, room * sizeof(*race));
    if (race == NULL) {
        return false;
    }
    list->race = race;
    list->room = room;
    return true;
}

struct loom_race *loom_races_add(struct loom_race_list *list,
                                 const uint64_t key[2])
{
    for (uint32_t i = list->count; i-- > 0;) {
        struct loom_race *race = &list->race[i];

        if (race->key[0] == key[0] && race->key[1] == key[1]) {
            race->count++;
            return NULL;
        }
    }
    if (!make_room(list)) {
        list->beyond++;
        return NULL;
    }
    list->race[list->count] =
        (struct loom_race){{key[0], key[1]}, .count = 1, .text = NULL};
    return &list->race[list->count++];
}
