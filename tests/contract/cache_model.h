/*
 * A cache's contents, the simple way: lines of bytes in order of use, and what
 * each access sends down.  Nothing of masks, MSHRs, queues or time is in
 * here, so it is the reference for what may depend on none of them.
 */
#ifndef TESTS_CONTRACT_CACHE_MODEL_H
#define TESTS_CONTRACT_CACHE_MODEL_H

#include <string.h>

#include "tests/contract/cache_model_setup.h"

struct line {
    uint64_t address; /* of its first byte */
    bool have[BYTES], wrote[BYTES];
    bool dirty[BYTES]; /* of sectors that were written, all */
    bool modified;
};

struct model {
    const struct setup *setup;
    uint32_t sector; /* bytes */
    bool lazy, back, through;
    struct line line[SETS][LINES]; /* by set, the next victim last */
    uint32_t count[SETS], lines, modified;
    uint64_t hits, misses, bypasses, evictions, flushed, dropped;
    uint32_t sent[LOOM_MEM_KINDS][BLOCKS][BYTES]; /* messages by byte */
};

static void open_model(struct model *m, const struct setup *s)
{
    memset(m, 0, sizeof(*m));
    m->setup = s;
    m->sector = s->sector.bytes != 0 ? s->sector.bytes : s->shape.line;
    m->sector = m->sector > s->shape.line ? s->shape.line : m->sector;
    m->lazy = strcmp(s->write.miss, "lazy") == 0;
    m->back = strcmp(s->write.policy, "write_back") == 0;
    m->through = strcmp(s->write.policy, "write_through") == 0;
    m->lines = s->shape.sets * s->shape.ways;
}

static uint32_t set_of(const struct model *m, uint64_t address)
{
    uint32_t sets = m->setup->shape.sets;
    uint64_t number = address / m->setup->shape.line;

    switch (m->setup->index) {
    case INDEX_XOR:
        return (uint32_t)((number ^ number / sets) % sets);
    case INDEX_IPOLY:
        return remainder_of(number, sets);
    case INDEX_CCWS:
        return (uint32_t)((number + 7 * (number / sets)) % sets);
    case INDEX_CUSTOM:
        return custom_set(number, sets);
    case INDEX_FERMI:
        return fermi_of(address);
    case INDEX_LINEAR:
    case INDEX_NONE:
        break;
    }
    return (uint32_t)(number % sets);
}

static bool uses(const struct loom_mem_request *r, uint32_t byte)
{
    return (r->bytes[byte / 64] >> byte % 64 & 1) != 0;
}

/* Is the byte of the block in a sector that the request touches? */
static bool touches(const struct model *m, const struct loom_mem_request *r,
                    uint32_t byte)
{
    uint32_t first = byte / m->sector * m->sector;

    for (uint32_t i = first; i < first + m->sector; i++) {
        if ((r->sectors >> i / 32 & 1) != 0) {
            return true;
        }
    }
    return false;
}

/* A message whose bytes are those for which `mark` is set. */
static void send(struct model *m, enum loom_mem_kind kind, uint64_t block,
                 const bool mark[BYTES])
{
    uint32_t name = block_name(m->setup, block);

    for (uint32_t i = 0; i < BYTES; i++) {
        m->sent[kind][name][i] += mark[i];
    }
}

static void send_on(struct model *m, const struct loom_mem_request *r)
{
    bool mark[BYTES];

    for (uint32_t i = 0; i < BYTES; i++) {
        mark[i] = uses(r, i);
    }
    send(m, (enum loom_mem_kind)r->kind, r->block, mark);
}

static void write_back(struct model *m, const struct line *line)
{
    uint64_t block = line->address / BYTES * BYTES;
    uint32_t first = (uint32_t)(line->address - block);
    bool mark[BYTES] = {false};

    for (uint32_t i = 0; i < m->setup->shape.line; i++) {
        mark[first + i] = line->dirty[i] && line->wrote[i];
    }
    send(m, LOOM_MEM_WRITEBACK, block, mark);
}

static uint32_t find(const struct model *m, uint64_t address)
{
    uint32_t set = set_of(m, address), i = 0;

    while (i < m->count[set] && m->line[set][i].address != address) {
        i++;
    }
    return i;
}

static void drop(struct model *m, uint32_t set, uint32_t at)
{
    m->modified -= m->line[set][at].modified;
    m->count[set]--;
    memmove(&m->line[set][at], &m->line[set][at + 1],
            (m->count[set] - at) * sizeof(struct line));
}

static void use(struct model *m, uint32_t set, uint32_t at)
{
    struct line line = m->line[set][at];

    if (!m->setup->shape.fifo) {
        memmove(&m->line[set][1], &m->line[set][0], at * sizeof(line));
        m->line[set][0] = line;
    }
}

static uint32_t victim_of(const struct model *m, uint32_t set)
{
    uint32_t last = m->count[set] - 1;

    if (m->modified * 100 < m->setup->ratio * m->lines) {
        for (uint32_t i = last + 1; i-- > 0;) {
            if (!m->line[set][i].modified) {
                return i;
            }
        }
    }
    return last;
}

/* The line, which is made if it is not there. */
static struct line *line_for(struct model *m, uint64_t address)
{
    uint32_t set = set_of(m, address), at = find(m, address);

    if (at < m->count[set]) {
        use(m, set, at);
        return &m->line[set][find(m, address)];
    }
    if (m->count[set] == m->setup->shape.ways) {
        uint32_t victim = victim_of(m, set);

        m->evictions++;
        write_back(m, &m->line[set][victim]);
        drop(m, set, victim);
    }
    memmove(&m->line[set][1], &m->line[set][0],
            m->count[set] * sizeof(struct line));
    m->count[set]++;
    m->line[set][0] = (struct line){.address = address};
    return &m->line[set][0];
}

#endif
