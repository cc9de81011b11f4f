/*
 * Asking what works on and on to stop.
 *
 * A word that somebody else sets, such as a signal handler or another thread,
 * and that loops look at where they may end: a machine between windows, a
 * front end between turns of warps.  Whoever owns the word keeps it until
 * nobody looks any more.
 */
#ifndef ENGINE_INTERRUPT_H
#define ENGINE_INTERRUPT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct loom_interrupt {
    atomic_int word; /* not 0: stop */
};

/* NULL: nobody ever asks. */
static inline bool loom_interrupted(struct loom_interrupt *interrupt)
{
    return interrupt != NULL &&
           atomic_load_explicit(&interrupt->word, memory_order_relaxed) != 0;
}

#endif
