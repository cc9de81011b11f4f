/*
 * Lists of free places in memory that is zero until a place is used.
 *
 * What a free place keeps is how many places its next one lies behind the one
 * that follows it, so zeros say: all are free, in ascending order.  Nothing has
 * to be written before the first is taken, and of a large table that is hardly
 * used most pages are never touched.  The end of a list of n places is n.
 */
#ifndef ENGINE_FREE_LIST_H
#define ENGINE_FREE_LIST_H

#include <stdint.h>

/* The next one of `place`, which keeps `link`. */
static inline uint32_t loom_free_next(uint32_t place, uint32_t link)
{
    return place + 1 + link;
}

/* What `place` keeps so that `next` is its next one. */
static inline uint32_t loom_free_link(uint32_t place, uint32_t next)
{
    return next - place - 1;
}

#endif
