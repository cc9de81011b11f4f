/*
 * Threads: one per shard, the caller's included.
 *
 * A window is run, merged and planned by all threads with a barrier after
 * each of the first two steps.  The barriers spin, because a window takes
 * about as long as a system call, then yield, and in the end sleep: where
 * threads are more than processors, or others want them too, those that wait
 * must leave them to those that do not.  Between runs the threads sleep.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "engine/machine_private.h"

enum {
    SPINS = 2000, /* before the processor is given to somebody else */
    YIELDS = 20   /* before the thread sleeps */
};

struct barrier {
    atomic_uint arrived;
    atomic_uint round;
    atomic_uint sleepers;
    unsigned threads;
    pthread_mutex_t mutex;
    pthread_cond_t opened;
};

struct pool {
    pthread_t *thread; /* [shards - 1] */
    uint32_t started;
    struct barrier barrier;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    uint64_t run; /* number of runs begun; guarded by mutex */
    bool quit;    /* likewise */
    /* Number of runs ended.  A number, not a flag: a thread that is late to
     * look must not take the next run for a further window of this one. */
    atomic_ullong ended;
};

static void barrier_sleep(struct barrier *barrier, unsigned round)
{
    pthread_mutex_lock(&barrier->mutex);
    atomic_fetch_add(&barrier->sleepers, 1);
    while (atomic_load(&barrier->round) == round) {
        pthread_cond_wait(&barrier->opened, &barrier->mutex);
    }
    atomic_fetch_sub(&barrier->sleepers, 1);
    pthread_mutex_unlock(&barrier->mutex);
}

/* The last one opens it.  Either it sees who is about to sleep, or that one
 * sees the new round: both write before they read. */
static void barrier_open(struct barrier *barrier, unsigned round)
{
    atomic_store_explicit(&barrier->arrived, 0, memory_order_relaxed);
    atomic_store(&barrier->round, round + 1);
    if (atomic_load(&barrier->sleepers) != 0) {
        pthread_mutex_lock(&barrier->mutex);
        pthread_cond_broadcast(&barrier->opened);
        pthread_mutex_unlock(&barrier->mutex);
    }
}

static void wait_for_all(struct barrier *barrier)
{
    unsigned round =
        atomic_load_explicit(&barrier->round, memory_order_relaxed);

    if (atomic_fetch_add_explicit(&barrier->arrived, 1, memory_order_acq_rel) +
            1 ==
        barrier->threads) {
        barrier_open(barrier, round);
        return;
    }
    for (unsigned spins = 0;
         atomic_load_explicit(&barrier->round, memory_order_acquire) == round;
         spins++) {
        if (spins > SPINS + YIELDS) {
            barrier_sleep(barrier, round);
            return;
        }
        if (spins > SPINS) {
            sched_yield();
        }
    }
}

/* What every thread does in a window, between the barriers at its ends. */
static void window(struct pool *pool, struct shard *shard)
{
    loom_shard_run(shard);
    wait_for_all(&pool->barrier);
    loom_shard_merge(shard);
    loom_shard_plan(shard);
    wait_for_all(&pool->barrier);
}

static void *work(void *context)
{
    struct shard *shard = context;
    struct pool *pool = shard->machine->pool;
    uint64_t seen = 0;

    for (;;) {
        pthread_mutex_lock(&pool->mutex);
        while (pool->run == seen && !pool->quit) {
            pthread_cond_wait(&pool->wake, &pool->mutex);
        }
        seen = pool->run;
        if (pool->quit) {
            pthread_mutex_unlock(&pool->mutex);
            return NULL;
        }
        pthread_mutex_unlock(&pool->mutex);
        for (;;) {
            wait_for_all(&pool->barrier); /* the next window, or the end */
            if (atomic_load_explicit(&pool->ended, memory_order_relaxed) >=
                seen) {
                break;
            }
            window(pool, shard);
        }
    }
}

bool loom_threads_start(struct loom_machine *machine)
{
    struct pool *pool;

    if (machine->shards < 2) {
        return true;
    }
    pool = calloc(1, sizeof(*pool));
    if (pool == NULL) {
        return false;
    }
    machine->pool = pool;
    pool->barrier.threads = machine->shards;
    pthread_mutex_init(&pool->barrier.mutex, NULL);
    pthread_cond_init(&pool->barrier.opened, NULL);
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pool->thread = calloc(machine->shards - 1, sizeof(*pool->thread));
    if (pool->thread == NULL) {
        return false;
    }
    for (uint32_t i = 1; i < machine->shards; i++) {
        if (pthread_create(&pool->thread[i - 1], NULL, work,
                           &machine->shard[i]) != 0) {
            return false;
        }
        pool->started++;
    }
    return true;
}

void loom_threads_begin(struct loom_machine *machine)
{
    struct pool *pool = machine->pool;

    if (pool == NULL) {
        return;
    }
    pthread_mutex_lock(&pool->mutex);
    pool->run++;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
}

void loom_threads_window(struct loom_machine *machine)
{
    struct pool *pool = machine->pool;

    wait_for_all(&pool->barrier);
    window(pool, &machine->shard[0]);
}

void loom_threads_end(struct loom_machine *machine)
{
    struct pool *pool = machine->pool;

    if (pool != NULL) {
        atomic_store_explicit(&pool->ended, pool->run, memory_order_relaxed);
        wait_for_all(&pool->barrier);
    }
}

void loom_threads_stop(struct loom_machine *machine)
{
    struct pool *pool = machine->pool;

    if (pool == NULL) {
        return;
    }
    pthread_mutex_lock(&pool->mutex);
    pool->quit = true;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
    for (uint32_t i = 0; i < pool->started; i++) {
        pthread_join(pool->thread[i], NULL);
    }
    pthread_mutex_destroy(&pool->barrier.mutex);
    pthread_cond_destroy(&pool->barrier.opened);
    pthread_mutex_destroy(&pool->mutex);
    pthread_cond_destroy(&pool->wake);
    free(pool->thread);
    free(pool);
    machine->pool = NULL;
}
