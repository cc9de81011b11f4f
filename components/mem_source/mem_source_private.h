/*
 * The inside of mem_source: mem_source.c is the component, pattern.c says
 * where request i goes.
 *
 * Requests are numbered from 0 in the order in which they arrive:
 *
 *     back <= accepted <= sent <= made
 *
 * except that replies may overtake each other.
 */
#ifndef COMPONENTS_MEM_SOURCE_MEM_SOURCE_PRIVATE_H
#define COMPONENTS_MEM_SOURCE_MEM_SOURCE_PRIVATE_H

#include "engine/component.h"

#include "components/mem_protocol.h"

enum {
    SOURCE_FLIGHTS = 4096 /* requests between sent and answered */
};

struct mem_source_config {
    const char *pattern, *arrival;
    double load;
    uint64_t warmup, count, seed;
    uint32_t outstanding, write_every;
    uint32_t banks, rows, columns, burst_bytes;
};

struct mem_source_stats {
    uint64_t requests, reads, writes, replies;
    uint64_t measured_requests, measured_cycles;
    struct loom_histogram read_latency;
};

struct mem_source_place {
    uint32_t bank, row, column;
    uint32_t pause; /* cycles of silence before it */
    bool write;
};

struct mem_source_flight {
    uint64_t number;
    loom_cycle accepted;
    bool busy, write;
};

struct mem_source {
    const struct mem_source_config *config;
    struct mem_source_stats *stats;
    struct loom_channel *out, *in;
    struct mem_source_flight *flight; /* [SOURCE_FLIGHTS], a ring */
    uint64_t made, sent, accepted, back;
    uint64_t reads_away;    /* closed: made and not back */
    uint64_t measured_back; /* of the warm-up and the measured */
    loom_cycle window_start;
    loom_cycle arrival; /* of the next request; 0: not known yet */
    uint64_t random;    /* state of the arrivals */
    double sum;         /* spaced: part of a request that has arrived */
    uint64_t paused_for;
    loom_cycle paused_until;
    uint32_t pattern;
    uint16_t id;
    bool closed, spaced;
};

extern const char *const mem_source_patterns[];

/* Finds the number of the pattern's name. */
void mem_source_pattern(struct mem_source *s);
struct mem_source_place mem_source_place(const struct mem_source *s,
                                         uint64_t i);

/* Steele, Lea, Flood, "Fast splittable pseudorandom number generators",
 * OOPSLA 2014. */
static inline uint64_t mem_source_splitmix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

#endif
