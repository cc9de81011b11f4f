/*
 * Second half of cache_model.h: what an access does to the lines.
 */
#ifndef TESTS_CONTRACT_CACHE_MODEL_ACCESS_H
#define TESTS_CONTRACT_CACHE_MODEL_ACCESS_H

#include "tests/contract/cache_model.h"

/* Gets the touched sectors that are not whole. */
static void fetch(struct model *m, struct line *line,
                  const struct loom_mem_request *r)
{
    uint32_t first = (uint32_t)(line->address - r->block);
    bool mark[BYTES] = {false};

    for (uint32_t s = 0; s < m->setup->shape.line; s += m->sector) {
        bool whole = true;

        for (uint32_t i = s; i < s + m->sector; i++) {
            whole = whole && line->have[i];
        }
        for (uint32_t i = s; i < s + m->sector; i++) {
            if (!whole && touches(m, r, first + i)) {
                line->have[i] = true;
                mark[first + i] = true;
            }
        }
    }
    send(m, LOOM_MEM_LOAD, r->block, mark);
}

/* Writes into the line: bytes in a lazy cache, else whole sectors.  What
 * leaves later are the written bytes of dirty sectors. */
static void change(struct model *m, struct line *line,
                   const struct loom_mem_request *r, bool dirty)
{
    uint32_t first = (uint32_t)(line->address - r->block);
    bool bytes = m->lazy && r->kind != LOOM_MEM_ATOMIC;

    m->modified += !line->modified;
    line->modified = true;
    for (uint32_t i = 0; i < m->setup->shape.line; i++) {
        if (touches(m, r, first + i)) {
            line->dirty[i] = line->dirty[i] || dirty;
            if (!bytes || uses(r, first + i)) {
                line->have[i] = true;
                line->wrote[i] = true;
            }
        }
    }
}

/* Does the line hold all (or, for a lazy write, some) of each sector? */
static bool holds(const struct model *m, const struct line *line,
                  const struct loom_mem_request *r, bool some)
{
    uint32_t first = (uint32_t)(line->address - r->block);

    for (uint32_t s = 0; s < m->setup->shape.line; s += m->sector) {
        uint32_t count = 0;

        for (uint32_t i = s; i < s + m->sector; i++) {
            count += line->have[i];
        }
        if (touches(m, r, first + s) &&
            (some ? count == 0 : count != m->sector)) {
            return false;
        }
    }
    return true;
}

static bool covers(const struct model *m, const struct loom_mem_request *r,
                   uint32_t first)
{
    for (uint32_t i = first; i < first + m->setup->shape.line; i++) {
        if (touches(m, r, i) && !uses(r, i)) {
            return false;
        }
    }
    return true;
}

/* The sectors go that are written around the cache; the line goes with the
 * last of them, or if it holds something newer there. */
static void drop_written(struct model *m, const struct loom_mem_request *r,
                         uint64_t address)
{
    uint32_t set = set_of(m, address), at = find(m, address);
    uint32_t first = (uint32_t)(address - r->block);
    struct line *line = &m->line[set][at];
    bool others = false, newer = false;

    for (uint32_t i = 0; i < m->setup->shape.line; i++) {
        bool gone = touches(m, r, first + i);

        others = others || (!gone && line->have[i]);
        newer = newer || (gone && line->wrote[i]);
    }
    if (newer || !others) {
        m->dropped++;
        drop(m, set, at);
        return;
    }
    for (uint32_t i = 0; i < m->setup->shape.line; i++) {
        line->have[i] = line->have[i] && !touches(m, r, first + i);
    }
}

static void model_hit(struct model *m, const struct loom_mem_request *r,
                      uint64_t address, bool keeps)
{
    uint32_t set = set_of(m, address);

    m->hits++;
    use(m, set, find(m, address));
    if (r->kind == LOOM_MEM_LOAD) {
        return;
    }
    if (keeps) {
        change(m, &m->line[set][find(m, address)], r, true);
        return;
    }
    send_on(m, r);
    if (m->through) {
        change(m, &m->line[set][find(m, address)], r, false);
    } else {
        drop_written(m, r, address);
    }
}

static void model_write_miss(struct model *m, const struct loom_mem_request *r,
                             uint64_t address, bool keeps)
{
    const char *miss = m->setup->write.miss;
    uint32_t first = (uint32_t)(address - r->block);
    bool makes_line =
        m->back ? strcmp(miss, "no_allocate") != 0
                : m->through && (m->lazy || strcmp(miss, "write_"
                                                         "allocate") == 0);

    if (!makes_line || (m->lazy && !keeps) ||
        strcmp(miss, "write_allocate") == 0) {
        send_on(m, r);
    }
    if (!makes_line) {
        return;
    }
    if (m->lazy) {
        change(m, line_for(m, address), r, keeps);
    } else if (strcmp(miss, "write_allocate") == 0) {
        fetch(m, line_for(m, address), r);
    } else {
        if (strcmp(miss, "validate") != 0 || !covers(m, r, first)) {
            fetch(m, line_for(m, address), r);
        }
        change(m, line_for(m, address), r, true);
    }
}

/* One access, to one line. */
static void model_access(struct model *m, const struct loom_mem_request *r)
{
    bool load = r->kind == LOOM_MEM_LOAD, atomic = r->kind == LOOM_MEM_ATOMIC;
    bool keeps =
        m->back || (m->setup->write.local && r->space == LOOM_SPACE_LOCAL);
    uint64_t address = r->block + loom_lowest(r->sectors) * 32u /
                                      m->setup->shape.line *
                                      m->setup->shape.line;
    uint32_t set = set_of(m, address), at = find(m, address);
    bool there = at < m->count[set];

    if (there && holds(m, &m->line[set][at], r, m->lazy && !load && !atomic)) {
        model_hit(m, r, address, keeps);
        return;
    }
    m->misses++;
    if (!load && !atomic) {
        model_write_miss(m, r, address, keeps);
        return;
    }
    fetch(m, line_for(m, address), r);
    if (atomic) {
        change(m, line_for(m, address), r, true);
    }
}

static void model_flush(struct model *m)
{
    for (uint32_t set = 0; set < SETS; set++) {
        while (m->count[set] != 0) {
            m->flushed++;
            write_back(m, &m->line[set][0]);
            drop(m, set, 0);
        }
    }
}

static void model_request(struct model *m, const struct loom_mem_request *r)
{
    struct loom_mem_request piece = *r;

    if (r->kind == LOOM_MEM_FLUSH) {
        model_flush(m);
        return;
    }
    if (r->kind == LOOM_MEM_ATOMIC && !m->back) {
        m->bypasses++;
        send_on(m, r);
        return;
    }
    if (!m->setup->sector.split) {
        model_access(m, r);
        return;
    }
    for (uint32_t s = 0; s < 4; s++) {
        uint64_t mask = (uint64_t)UINT32_MAX << (32 * (s % 2));

        if ((r->sectors >> s & 1) != 0) {
            piece.sectors = (uint8_t)(1u << s);
            piece.bytes[0] = s < 2 ? r->bytes[0] & mask : 0;
            piece.bytes[1] = s >= 2 ? r->bytes[1] & mask : 0;
            model_access(m, &piece);
        }
    }
}

#endif
