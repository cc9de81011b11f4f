/*
 * Before cache_model.h: what a configuration of the matrix is, the blocks that
 * its traffic touches, and set indices, written out.
 */
#ifndef TESTS_CONTRACT_CACHE_MODEL_SETUP_H
#define TESTS_CONTRACT_CACHE_MODEL_SETUP_H

#include "components/mem_protocol.h"
#include "tests/unit/test.h"

enum {
    BLOCKS = 24,
    BYTES = LOOM_BLOCK_BYTES,
    SETS = 32,
    LINES = 48 /* of a set, more than any shape here has */
};

/* Set indices; without one the cache is infinite. */
enum indexing {
    INDEX_LINEAR,
    INDEX_XOR,
    INDEX_IPOLY,
    INDEX_CCWS,
    INDEX_CUSTOM,
    INDEX_FERMI,
    INDEX_NONE
};

struct write_mode {
    const char *policy, *miss;
    bool local;
};

struct sector_mode {
    uint32_t bytes; /* 0: the line */
    bool split;
    const char *unit, *replies;
    bool join;
};

struct shape {
    uint32_t sets, ways, line;
    bool fifo;
    enum indexing index; /* INDEX_LINEAR: takes turns with others */
};

struct allocate_mode {
    const char *name;
    bool line_mshrs;
};

struct setup {
    struct write_mode write;
    struct sector_mode sector;
    struct shape shape;
    struct allocate_mode allocate;
    uint32_t number, ratio;
    enum indexing index;
};

/* Number of the 24 blocks that are used: consecutive, or six each with bits
 * that Fermi's index looks at. */
static uint64_t block_number(const struct setup *s, uint32_t name)
{
    static const uint64_t spread[BLOCKS / 6] = {0, 64 + 128, 1 << 10, 1 << 12};

    return s->index == INDEX_FERMI ? name % 6 + spread[name / 6] : name;
}

static uint32_t block_name(const struct setup *s, uint64_t block)
{
    uint32_t name = 0;

    while (name < BLOCKS && block_number(s, name) != block / BYTES) {
        name++;
    }
    REQUIRE(name < BLOCKS);
    return name;
}

/* The remainder of a polynomial over GF(2), by long division: x + 1, x^2 + x +
 * 1 or x^3 + x + 1, which have 2, 4 and 8 remainders. */
static uint32_t remainder_of(uint64_t number, uint32_t remainders)
{
    uint64_t divisor = remainders == 2 ? 3 : remainders == 4 ? 7 : 11;

    for (uint32_t i = 64; i-- > 0;) {
        uint64_t top = UINT64_C(1) << i;

        if (top >= remainders && (number & top) != 0) {
            number ^= divisor * (top / remainders);
        }
    }
    return (uint32_t)number;
}

/* What the tests' own policy says. */
static uint32_t custom_set(uint64_t number, uint32_t sets)
{
    return (uint32_t)((5 * number + number / 3) % sets);
}

static uint32_t fermi_of(uint64_t address)
{
    static const uint32_t with[5] = {13, 14, 15, 17, 19};
    uint32_t set = 0;

    for (uint32_t i = 0; i < 5; i++) {
        bool one = (address >> (7 + i) & 1) != (address >> with[i] & 1);

        set += one ? 1u << i : 0;
    }
    return set;
}

#endif
