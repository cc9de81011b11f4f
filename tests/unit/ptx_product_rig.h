/*
 * Matrices for tests of products: small numbers, how their kinds are written,
 * where a lane has them, and where the numbers of a sparse A belong.
 */
#ifndef TESTS_UNIT_PTX_PRODUCT_RIG_H
#define TESTS_UNIT_PTX_PRODUCT_RIG_H

#include "tests/unit/ptx_narrow_rig.h"

/* Small numbers, different everywhere. */
static inline int number(uint32_t i, uint32_t seed)
{
    return (int)((i * 7 + seed * 13 + i * i % 11) % 9) - 4;
}

/* How an element is written. */
struct kind {
    const char *name;
    uint32_t bits;
    struct form form; /* fraction 0: an integer */
};

static inline uint32_t pattern_of(const struct kind *k, int value)
{
    if (k->form.fraction != 0) {
        uint32_t bits = form_round(k->form, value, 0, 'n', false);

        return k->bits == 32 ? bits << 13 : bits; /* .tf32 in .f32 */
    }
    return (uint32_t)value & (UINT32_MAX >> (32 - k->bits));
}

/* Integers without a sign are made positive. */
static inline int value_of(const struct kind *k, uint32_t i, uint32_t seed)
{
    int value = number(i, seed);

    return k->bits == 1 ? value & 1 : k->name[0] == 'u' ? value + 4 : value;
}

/* A or B as a program sees it: rows of A, columns of B behind each other. */
struct matrix {
    const struct kind *kind;
    const int *from;
    uint32_t lines, k;
};

/* Element e of a register: PTX ISA's figures of fragments of 8 bits and
 * fewer; registers of 16 lines are those of lines g and g + 8, then the next
 * part of k. */
static inline uint32_t fragment(const struct matrix *x, uint32_t lane,
                                uint32_t reg)
{
    uint32_t bits = x->kind->bits, each = 32 / bits, word = 0;
    bool both = x->lines == 16;

    for (uint32_t e = 0; e < each; e++) {
        uint32_t along = lane % 4 * each + e;
        uint32_t line = lane / 4 + (both ? reg % 2 * 8 : 0);

        along += (both ? reg / 2 : reg) * 4 * each;
        word |= pattern_of(x->kind, x->from[line * x->k + along]) << e * bits;
    }
    return word;
}

static inline uint32_t registers_of(const struct matrix *x)
{
    return x->lines * x->k * x->kind->bits / 1024;
}

static inline void put_list(char *list, size_t room, uint32_t first,
                            uint32_t count)
{
    size_t used = 0;

    for (uint32_t r = 0; r < count; r++) {
        used += (size_t)snprintf(list + used, room - used, "%s%%r%u",
                                 r == 0 ? "" : ", ", first + r);
    }
}

/* Is slot `slot` of registers `got` what is wanted? */
static inline void expect_sum(char sum, const uint32_t *got, uint32_t slot,
                              int want)
{
    uint32_t bits = got[sum == 'h' ? slot / 2 : slot];
    float value;

    if (sum == 'h') {
        EXPECT_EQ(bits >> (slot % 2 * 16) & 0xffff,
                  form_round(f16, want, 0, 'n', false));
    } else if (sum == 'f') {
        memcpy(&value, &bits, 4);
        EXPECT_EQ((int)value, want);
    } else {
        EXPECT_EQ((int)bits, want);
    }
}

#define E4M3                                                                   \
    {                                                                          \
        "e4m3", 8,                                                             \
        {                                                                      \
            3, 4, true                                                         \
        }                                                                      \
    }
#define E5M2                                                                   \
    {                                                                          \
        "e5m2", 8,                                                             \
        {                                                                      \
            2, 5, false                                                        \
        }                                                                      \
    }
#define INT(name, bits)                                                        \
    {                                                                          \
        name, bits,                                                            \
        {                                                                      \
            0, 0, false                                                        \
        }                                                                      \
    }
#define F16                                                                    \
    {                                                                          \
        "f16", 16,                                                             \
        {                                                                      \
            10, 5, false                                                       \
        }                                                                      \
    }
#define BF16                                                                   \
    {                                                                          \
        "bf16", 16,                                                            \
        {                                                                      \
            7, 8, false                                                        \
        }                                                                      \
    }
#define TF32                                                                   \
    {                                                                          \
        "tf32", 32,                                                            \
        {                                                                      \
            10, 8, false                                                       \
        }                                                                      \
    }

/* An element in memory. */
static inline void put_bits(unsigned char *image, uint32_t byte, uint32_t bits,
                            uint32_t k, uint32_t pattern)
{
    if (bits == 1) {
        image[byte] = (unsigned char)(image[byte] | pattern << (k % 8));
    } else {
        memcpy(image + byte, &pattern, bits / 8);
    }
}

/* ---- a sparse A ---- */

/* Numbers of a row that four bits of metadata are for, and how many of them
 * there are. */
static inline uint32_t four_of(const struct kind *kind)
{
    return kind->bits == 32 ? 2 : kind->bits == 4 ? 8 : 4;
}

/* Four bits: of .tf32 which one of two, else two numbers of two bits, here in
 * order, or both orders. */
static inline uint32_t four_at(const struct kind *kind, uint32_t row,
                               uint32_t n, bool orders)
{
    static const uint32_t six[] = {4, 8, 12, 9, 13, 14};
    uint32_t four = six[(row * 5 + n * 7 + row * n) % 6];

    if (kind->bits == 32) {
        return (row + n + row * n / 2) % 2 == 0 ? 4 : 14;
    }
    return orders && (row + n) % 3 == 0 ? four >> 2 | (four & 3) << 2 : four;
}

/* All of A's rows, from what is there of them. */
static inline void expand(const struct matrix *x, bool orders, int *all)
{
    uint32_t of = four_of(x->kind), each = of / 2;

    memset(all, 0, sizeof(*all) * x->lines * x->k * 2);
    for (uint32_t i = 0; i < x->lines * x->k; i++) {
        uint32_t row = i / x->k, n = i % x->k / each, in = i % each;
        uint32_t four = four_at(x->kind, row, n, orders);
        uint32_t pair = x->kind->bits == 4 ? 2 : 1;
        uint32_t to = (four >> in / pair * 2 & 3) * pair + in % pair;

        if (x->kind->bits == 32) {
            to = four == 14;
        }
        all[row * x->k * 2 + n * of + to] = x->from[i];
    }
}

/* What a lane has of the metadata of rows first .. first + 15, by the figures
 * of PTX ISA; lanes that the selector leaves out have something else. */
static inline uint32_t metadata(const struct matrix *x, uint32_t first,
                                bool orders, uint32_t selector, uint32_t lane)
{
    bool halves = x->kind->bits >= 16;
    uint32_t fours = x->k * 2 / four_of(x->kind);
    uint32_t lanes = fours / 4; /* of 16 rows by 4 bits */
    uint32_t part = lane % 4 - selector * lanes, word = 0;

    if (lane % 4 < selector * lanes || part >= lanes) {
        return 0xdeadbeef * (lane + 1);
    }
    for (uint32_t i = 0; i < 8; i++) {
        uint32_t below = halves ? i / 4 : part % 2;
        uint32_t n = halves ? part * 4 + i % 4 : part / 2 * 8 + i;

        word |= four_at(x->kind, first + lane / 4 + 8 * below, n, orders)
                << (4 * i);
    }
    return word;
}

#endif
