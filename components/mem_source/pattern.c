/*
 * Where request i goes.  With B banks, C columns, R rows:
 *
 *   sequential     column i % C, bank (i / C) % B, row (i / C / B) % R
 *   interleaved    bank i % B, column (i / B) % C, row (i / C / B) % R
 *   row_miss       bank i % B, row (i / B) % R, column 0
 *   row_conflict   bank 0, row i % R, column 0
 *   random         bank, row and column from a hash of seed + i
 *   random_blocks  likewise for 4 columns in turn
 *
 * `mixed` is meant to break rules of timing: phases of 32 requests, each of
 * one of these or of two rows of one bank in turn or of banks of one group in
 * turn, reads only, writes only or mixed, some after a pause.
 */
#include <string.h>

#include "components/mem_source/mem_source_private.h"

enum pattern {
    SEQUENTIAL,
    INTERLEAVED,
    ROW_MISS,
    ROW_CONFLICT,
    RANDOM,
    RANDOM_BLOCKS,
    TWO_ROWS, /* of mixed only, from here */
    ONE_GROUP,
    MIXED_KINDS
};

const char *const mem_source_patterns[] = {
    "sequential", "interleaved",   "row_miss", "row_conflict",
    "random",     "random_blocks", "mixed",    NULL};

enum {
    MIXED = 6, /* in the list of names */
    PHASE = 32
};

void mem_source_pattern(struct mem_source *s)
{
    while (strcmp(mem_source_patterns[s->pattern], s->config->pattern) != 0) {
        s->pattern++;
    }
}

static struct mem_source_place hashed(const struct mem_source_config *c,
                                      uint64_t i, uint32_t block)
{
    uint64_t h = mem_source_splitmix(c->seed + i / block);
    struct mem_source_place place = {
        .bank = (uint32_t)(h % c->banks),
        .row = (uint32_t)((h >> 8) % c->rows),
        .column = (uint32_t)((h >> 40) % (c->columns / block)),
    };

    place.column = place.column * block + (uint32_t)(i % block);
    return place;
}

static struct mem_source_place by_rule(const struct mem_source_config *c,
                                       enum pattern pattern, uint64_t i)
{
    struct mem_source_place place = {0};
    uint64_t rest;

    switch (pattern) {
    case SEQUENTIAL:
        place.column = (uint32_t)(i % c->columns);
        rest = i / c->columns;
        place.bank = (uint32_t)(rest % c->banks);
        place.row = (uint32_t)(rest / c->banks % c->rows);
        break;
    case INTERLEAVED:
        place.bank = (uint32_t)(i % c->banks);
        rest = i / c->banks;
        place.column = (uint32_t)(rest % c->columns);
        place.row = (uint32_t)(rest / c->columns % c->rows);
        break;
    case ROW_MISS:
        place.bank = (uint32_t)(i % c->banks);
        place.row = (uint32_t)(i / c->banks % c->rows);
        break;
    case ROW_CONFLICT:
        place.row = (uint32_t)(i % c->rows);
        break;
    case RANDOM:
        return hashed(c, i, 1);
    case RANDOM_BLOCKS:
        return hashed(c, i, c->columns < 4 ? 1 : 4);
    case TWO_ROWS:
        place.row = (uint32_t)(i % 2 % c->rows);
        place.column = (uint32_t)(i / 2 % c->columns);
        break;
    case ONE_GROUP: /* whichever way groups are numbered */
        place.bank = (uint32_t)(i % 2 != 0 ? i / 2 % 4 : i / 2 % 4 * 4);
        place.bank %= c->banks;
        place.column = (uint32_t)(i % c->columns);
        break;
    case MIXED_KINDS:
        break;
    }
    return place;
}

static struct mem_source_place mixed(const struct mem_source_config *c,
                                     uint64_t i)
{
    uint64_t h = mem_source_splitmix(c->seed ^ (i / PHASE * 2 + 1));
    uint32_t writes = (uint32_t)(h >> 8 & 3);
    struct mem_source_place place =
        by_rule(c, (enum pattern)(h % MIXED_KINDS), i);

    /* Another corner of the banks in each phase. */
    place.bank = (uint32_t)((place.bank + (h >> 32)) % c->banks);
    place.row = (uint32_t)((place.row + (h >> 40)) % c->rows);
    place.write = writes == 1 || (writes == 2 && i % 2 != 0) ||
                  (writes == 3 && mem_source_splitmix(i) % 3 == 0);
    if (i % PHASE == 0 && (h >> 12 & 7) == 0) {
        place.pause = (uint32_t)(h >> 16 & 2047);
    }
    return place;
}

struct mem_source_place mem_source_place(const struct mem_source *s, uint64_t i)
{
    const struct mem_source_config *c = s->config;
    struct mem_source_place place;

    if (s->pattern == MIXED) {
        return mixed(c, i);
    }
    place = by_rule(c, (enum pattern)s->pattern, i);
    place.write =
        c->write_every != 0 && i % c->write_every == c->write_every - 1;
    return place;
}
