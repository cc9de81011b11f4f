/*
 * Threads: one per shard, the caller's included.
 *
 * A window is run, merged and planned by all threads with a barrier after
 * each of the first two steps.  The barriers spin, because a window takes
 * about as long as a system call, and then sleep: where threads are more than
 * processors, or others want them too, those that wait must leave them to those
 * that do not.  Who yields instead has its next turn when all others had
 * theirs, milliseconds later; who is woken comes at once.  Between runs the
 * threads sleep.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "engine/ahead_private.h"
#include "engine/forecast_private.h"

enum {
    SPINS = 50000, /* before the thread sleeps: some ten microseconds */
    MEASURED = 8   /* windows, of which one is */
};

struct barrier {
    atomic_uint arrived;
    atomic_uint round;
    atomic_uint sleepers;
    unsigned threads;
    pthread_mutex_t mutex;
    pthread_cond_t opened;
};

struct worker {
    pthread_t thread;
    struct loom_machine *machine;
    uint32_t number; /* of its shard */
};

struct pool {
    struct worker *worker; /* [threads - 1] */
    uint32_t started;
    bool open;    /* between begin and end */
    bool ahead;   /* in this window; written between barriers */
    uint32_t use; /* threads of this stretch; guarded by mutex */
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

/* Until others change `round`; false: they have not for a while. */
static LOOM_INLINE bool spin(const atomic_uint *round, unsigned seen)
{
    for (unsigned spins = 0;
         atomic_load_explicit(round, memory_order_acquire) == seen; spins++) {
        if (spins > SPINS) {
            return false;
        }
    }
    return true;
}

static void wait_for_all(struct barrier *barrier)
{
    unsigned round =
        atomic_load_explicit(&barrier->round, memory_order_relaxed);
    /* Read before arriving: who has arrived last may change it. */
    unsigned threads = barrier->threads;

    if (atomic_fetch_add_explicit(&barrier->arrived, 1, memory_order_acq_rel) +
            1 ==
        threads) {
        barrier_open(barrier, round);
        return;
    }
    if (!spin(&barrier->round, round)) {
        barrier_sleep(barrier, round);
    }
}

uint64_t loom_host_time(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t loom_threads_patience(void)
{
    atomic_uint never;
    uint64_t begin = loom_host_time();

    atomic_init(&never, 0);
    spin(&never, 0);
    return loom_host_time() - begin;
}

/* One window of so many is measured, all that is done ahead. */
static void run_measured(struct shard *shard)
{
    if (shard->machine->windows % MEASURED == 0) {
        uint64_t begin = loom_host_time();

        loom_shard_run(shard);
        shard->busy += MEASURED * (loom_host_time() - begin);
    } else {
        loom_shard_run(shard);
    }
}

static void run_ahead(struct pool *pool, struct shard *shard)
{
    uint64_t begin = loom_host_time();

    loom_ahead_shard(shard);
    shard->busy += loom_host_time() - begin;
    wait_for_all(&pool->barrier);
    loom_shard_merge(shard);
    wait_for_all(&pool->barrier);
}

/* What every thread does in a window, between the barriers at its ends. */
static void window(struct pool *pool, struct shard *shard)
{
    if (pool->ahead) {
        run_ahead(pool, shard);
    }
    run_measured(shard);
    wait_for_all(&pool->barrier);
    loom_shard_merge(shard);
    loom_shard_plan(shard);
    wait_for_all(&pool->barrier);
}

static void *work(void *context)
{
    const struct worker *self = context;
    struct pool *pool = self->machine->pool;
    uint64_t seen = 0;

    for (;;) {
        bool used;

        pthread_mutex_lock(&pool->mutex);
        while (pool->run == seen && !pool->quit) {
            pthread_cond_wait(&pool->wake, &pool->mutex);
        }
        seen = pool->run;
        used = self->number < pool->use;
        if (pool->quit) {
            pthread_mutex_unlock(&pool->mutex);
            return NULL;
        }
        pthread_mutex_unlock(&pool->mutex);
        while (used) {
            wait_for_all(&pool->barrier); /* the next window, or the end */
            if (atomic_load_explicit(&pool->ended, memory_order_relaxed) >=
                seen) {
                break;
            }
            window(pool, &self->machine->shard[self->number]);
        }
    }
}

bool loom_threads_start(struct loom_machine *machine)
{
    uint32_t more = machine->threads - 1;
    struct pool *pool = calloc(1, sizeof(*pool));

    if (pool == NULL) {
        return false;
    }
    machine->pool = pool;
    pthread_mutex_init(&pool->barrier.mutex, NULL);
    pthread_cond_init(&pool->barrier.opened, NULL);
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pool->worker = calloc(more, sizeof(*pool->worker));
    if (pool->worker == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < more; i++) {
        struct worker *worker = &pool->worker[i];

        worker->machine = machine;
        worker->number = i + 1;
        if (pthread_create(&worker->thread, NULL, work, worker) != 0) {
            return false;
        }
        pool->started++;
    }
    return true;
}

void loom_threads_begin(struct loom_machine *machine)
{
    struct pool *pool = machine->pool;

    LOOM_CHECK(pool != NULL && !pool->open);
    pool->open = true;
    pool->barrier.threads = machine->shards;
    pthread_mutex_lock(&pool->mutex);
    pool->run++;
    pool->use = machine->shards;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
}

void loom_threads_window(struct loom_machine *machine, bool ahead)
{
    struct pool *pool = machine->pool;

    pool->ahead = ahead;
    wait_for_all(&pool->barrier);
    window(pool, &machine->shard[0]);
}

void loom_threads_end(struct loom_machine *machine)
{
    struct pool *pool = machine->pool;

    if (pool != NULL && pool->open) {
        pool->open = false;
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
        pthread_join(pool->worker[i].thread, NULL);
    }
    pthread_mutex_destroy(&pool->barrier.mutex);
    pthread_cond_destroy(&pool->barrier.opened);
    pthread_mutex_destroy(&pool->mutex);
    pthread_cond_destroy(&pool->wake);
    free(pool->worker);
    free(pool);
    machine->pool = NULL;
}
