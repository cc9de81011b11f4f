/*
 * What synchronisations take two threads: windows in which they have nothing to
 * do, run by the engine's own threads, which are there for a moment.  The
 * machine is dealt and gathered again, which it does not notice.
 */
#include <stdlib.h>

#include "engine/forecast_private.h"

enum {
    METER = 60,     /* milliseconds in which they are measured */
    TURNS = 16,     /* of that, if others want the processors, too */
    SAMPLES = 1000, /* the last ones */
    WINDOWS = 16,   /* at once */
    LATE = 10 /* times as long as it spins, until a thread surely sleeps */
};

static int by_size(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

/* Nanoseconds of so many windows of two threads that have nothing to do, to
 * which the first comes so late. */
static uint64_t empty_windows(struct loom_machine *machine, int windows,
                              uint64_t late)
{
    uint64_t begin = loom_host_time(), time;

    do {
        time = loom_host_time();
    } while (time - begin < late);
    for (int i = 0; i < windows; i++) {
        loom_threads_window(machine, false);
    }
    return loom_host_time() - time;
}

/* Seconds: their median at the end of a while; of the next one, if it is too
 * long, as it is while others use the processors; or in the end the shortest.
 */
static double usual_windows(struct loom_machine *machine,
                            struct loom_meetings *meetings, int windows,
                            uint64_t late, uint64_t enough)
{
    uint64_t taken[SAMPLES] = {0}, shortest = UINT64_MAX;

    for (int turn = 0; turn < TURNS; turn++) {
        uint64_t first = loom_host_time(), most = METER * UINT64_C(1000000);
        uint64_t count = 0;

        for (; loom_host_time() - first < most; count++) {
            taken[count % SAMPLES] = empty_windows(machine, windows, late);
        }
        count = count < SAMPLES ? count : SAMPLES;
        qsort(taken, (size_t)count, sizeof(*taken), by_size);
        if (taken[count / 2] <= enough) {
            return (double)taken[count / 2] * 1e-9;
        }
        shortest = taken[0] < shortest ? taken[0] : shortest;
    }
    meetings->crowded = true;
    return (double)shortest * 1e-9;
}

static uint64_t patience(void)
{
    uint64_t least = UINT64_MAX;

    for (int i = 0; i < 50; i++) {
        uint64_t time = loom_threads_patience();

        least = time < least ? time : least;
    }
    return least;
}

static void measure(struct loom_machine *machine,
                    struct loom_meetings *meetings)
{
    uint64_t spins = patience();
    double wake;

    meetings->patience = (double)spins * 1e-9;
    meetings->window =
        usual_windows(machine, meetings, WINDOWS, 0, WINDOWS * spins) /
        (double)WINDOWS;
    wake = usual_windows(machine, meetings, 1, LATE * spins, LATE * spins);
    meetings->wake = wake > meetings->window ? wake - meetings->window : 0;
}

struct loom_meetings loom_meetings_of_two(struct loom_machine *machine)
{
    struct loom_meetings meetings = {0};
    double share[LOOM_THREADS_MAX] = {0.5, 0.5};

    machine->threads = 2;
    if (machine->islands >= 2 && loom_threads_start(machine) &&
        loom_deal_out(machine, 2, share)) {
        loom_threads_begin(machine);
        measure(machine, &meetings);
        loom_threads_end(machine);
        loom_deal_alone(machine);
    }
    loom_threads_stop(machine);
    machine->threads = 1;
    return meetings;
}
