/*
 * Figure 10's applications on the processor at hand, timed natively: what the
 * S-L1 paper compares its GPU with.  Another machine than the paper's, so its
 * numbers stand beside those of the simulator and are not comparable.
 *
 * Threads take equal parts of the data, as the GPU's threads do; the best of
 * three runs counts.
 *
 * usage: sl1_cpu [MIB [THREADS]]
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    MOST_THREADS = 256,
    CARDS = 65536,
    MERCHANTS = 2000,
    SLOTS = 1024
};

struct data {
    size_t bytes, records;
    unsigned char *text, *out, *record;
    uint32_t key[SLOTS];
    int32_t opinion[SLOTS];
    unsigned char marked[CARDS];
    uint32_t visits[MERCHANTS];
};

struct part {
    struct data *data;
    void (*work)(struct part *part);
    size_t first, end;
    uint64_t result;
};

static uint32_t next_random(uint32_t *state)
{
    *state = *state * UINT32_C(1664525) + UINT32_C(1013904223);
    return *state >> 8;
}

/* ---- the applications ---- */

static void count_words(struct part *part)
{
    const unsigned char *text = part->data->text;
    unsigned char before = part->first > 0 ? text[part->first - 1] : ' ';
    uint64_t words = 0, lines = 0;

    for (size_t i = part->first; i < part->end; i++) {
        words += text[i] > ' ' && before <= ' ';
        lines += text[i] == '\n';
        before = text[i];
    }
    part->result = words + lines;
}

static void to_upper(struct part *part)
{
    const unsigned char *in = part->data->text;

    for (size_t i = part->first; i < part->end; i++) {
        unsigned char c = in[i];

        part->data->out[i] =
            (unsigned char)(c >= 'a' && c <= 'z' ? c - ('a' - 'A') : c);
    }
    part->result = part->data->out[part->first];
}

static void find_opinions(struct part *part)
{
    const struct data *data = part->data;
    uint32_t hash = 2166136261u;
    int64_t score = 0;

    for (size_t i = part->first; i < part->end; i++) {
        if (data->text[i] > ' ') {
            hash = (hash ^ data->text[i]) * 16777619u;
            continue;
        }
        for (uint32_t s = hash % SLOTS; data->key[s] != 0;
             s = (s + 1) % SLOTS) {
            if (data->key[s] == hash) {
                score += data->opinion[s];
                break;
            }
        }
        hash = 2166136261u;
    }
    part->result = (uint64_t)score;
}

static uint32_t number(const unsigned char *text, int digits)
{
    uint32_t value = 0;

    for (int i = 0; i < digits; i++) {
        value = 10 * value + text[i] - '0';
    }
    return value;
}

static void mark_customers(struct part *part)
{
    struct data *data = part->data;

    for (size_t r = part->first / 16; r < part->end / 16; r++) {
        const unsigned char *record = data->record + 16 * r;

        if (number(record + 9, 6) == 0) {
            __atomic_store_n(&data->marked[number(record, 8)], 1,
                             __ATOMIC_RELAXED);
        }
    }
}

static void count_visits(struct part *part)
{
    struct data *data = part->data;

    for (size_t r = part->first / 16; r < part->end / 16; r++) {
        const unsigned char *record = data->record + 16 * r;

        if (data->marked[number(record, 8)]) {
            __atomic_fetch_add(&data->visits[number(record + 9, 6)], 1,
                               __ATOMIC_RELAXED);
        }
    }
}

/* ---- the data ---- */

static void write_digits(unsigned char *to, uint32_t value, int digits)
{
    for (int i = digits - 1; i >= 0; i--) {
        to[i] = (unsigned char)('0' + value % 10);
        value /= 10;
    }
}

static void fill(struct data *data)
{
    uint32_t state = 1;

    for (size_t i = 0; i < data->bytes; i++) {
        uint32_t r = next_random(&state) % 32;

        data->text[i] = (unsigned char)(r < 26 ? 'a' + r : r < 31 ? ' ' : '\n');
    }
    for (size_t r = 0; r < data->records; r++) {
        unsigned char *record = data->record + 16 * r;

        memset(record, ' ', 16);
        write_digits(record, next_random(&state) % CARDS, 8);
        write_digits(record + 9, next_random(&state) % MERCHANTS, 6);
        record[15] = '\n';
    }
    for (uint32_t i = 0; i < 200; i++) {
        uint32_t s = next_random(&state) % SLOTS;

        data->key[s] = next_random(&state) | 1;
        data->opinion[s] = (int32_t)(i % 11) - 5;
    }
}

/* ---- timing ---- */

static void *run_part(void *context)
{
    struct part *part = context;

    part->work(part);
    return NULL;
}

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Seconds of `work` on so many threads; *result keeps it from being dropped. */
static double time_once(struct data *data, void (*work)(struct part *),
                        size_t threads, uint64_t *result)
{
    struct part part[MOST_THREADS];
    pthread_t thread[MOST_THREADS];
    size_t each = data->bytes / threads / 16 * 16;
    double start = seconds();

    for (size_t i = 0; i < threads; i++) {
        part[i] = (struct part){.data = data,
                                .work = work,
                                .first = i * each,
                                .end = (i + 1) * each};
        if (pthread_create(&thread[i], NULL, run_part, &part[i]) != 0) {
            fprintf(stderr, "sl1_cpu: cannot start thread %zu\n", i);
            exit(1);
        }
    }
    for (size_t i = 0; i < threads; i++) {
        pthread_join(thread[i], NULL);
        *result += part[i].result;
    }
    return seconds() - start;
}

static double best_rate(struct data *data, void (*const work[2])(struct part *),
                        size_t threads, uint64_t *result)
{
    double best = 0;

    for (int turn = 0; turn < 3; turn++) {
        double took = time_once(data, work[0], threads, result);
        double bytes = (double)(data->bytes / threads / 16 * 16 * threads);

        if (work[1] != NULL) {
            took += time_once(data, work[1], threads, result);
            bytes *= 2;
        }
        best = bytes / took > best ? bytes / took : best;
    }
    return best / 1e9;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*work[2])(struct part *);
    } apps[] = {{"sl1_upper", {to_upper, NULL}},
                {"sl1_wc", {count_words, NULL}},
                {"sl1_opinion", {find_opinions, NULL}},
                {"sl1_affinity", {mark_customers, count_visits}}};
    long mib = argc > 1 ? strtol(argv[1], NULL, 10) : 64;
    long threads =
        argc > 2 ? strtol(argv[2], NULL, 10) : sysconf(_SC_NPROCESSORS_ONLN);
    struct data *data = calloc(1, sizeof(*data));
    uint64_t result = 0;

    if (mib < 1 || mib > 4096 || threads < 1 || threads > MOST_THREADS ||
        data == NULL) {
        fprintf(stderr, "usage: sl1_cpu [MIB [THREADS]], 1..4096, 1..256\n");
        free(data);
        return 1;
    }
    data->bytes = (size_t)mib << 20;
    data->records = data->bytes / 16;
    data->text = malloc(data->bytes);
    data->out = malloc(data->bytes);
    data->record = malloc(data->bytes);
    if (data->text == NULL || data->out == NULL || data->record == NULL) {
        fprintf(stderr, "sl1_cpu: no memory for %ld MiB\n", 3 * mib);
        return 1;
    }
    fill(data);
    printf("This processor, which is not the paper's: not comparable.\n"
           "%-13s %10s %10s  (GB/s of data, %ld MiB)\n",
           "application", "1 thread", "threads", mib);
    for (size_t i = 0; i < sizeof(apps) / sizeof(apps[0]); i++) {
        double one = best_rate(data, apps[i].work, 1, &result);
        double all = best_rate(data, apps[i].work, (size_t)threads, &result);

        printf("%-13s %10.2f %10.2f  x %ld\n", apps[i].name, one, all, threads);
    }
    free(data->text);
    free(data->out);
    free(data->record);
    free(data);
    return result == 42; /* it is used */
}
