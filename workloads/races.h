/*
 * Races that were found in a program: each pair of instructions once, with a
 * count and the first example.
 */
#ifndef WORKLOADS_RACES_H
#define WORKLOADS_RACES_H

#include "engine/error.h"

#define LOOM_RACES_MAX 1000u /* pairs; those beyond are only counted */

struct loom_race {
    uint64_t key[2]; /* of the pair, whatever the front end takes */
    uint64_t count;
    char *text; /* several lines; NULL: no memory for it */
};

struct loom_race_list {
    struct loom_race *race; /* [count], in the order in which they were found */
    uint32_t count, room;
    uint64_t beyond;    /* races of pairs that there was no room for */
    uint64_t forgotten; /* accesses that were replaced in the table */
};

void loom_races_free(struct loom_race_list *list); /* or NULL */

/* Counts one of a pair.  A pair that is new is returned, for its text. */
struct loom_race *loom_races_add(struct loom_race_list *list,
                                 const uint64_t key[2]);

#endif
