/*
 * The names of instructions with their modifiers, taken apart.
 */
#ifndef TESTS_UNIT_PTX_VALUES_FORM_H
#define TESTS_UNIT_PTX_VALUES_FORM_H

#include <stdlib.h>

#include "tests/unit/test.h"

#define WORDS_MAX 14

/* "setp.lt.u32" in words; types from the last word on. */
struct form {
    const char *text;
    char word[WORDS_MAX][24];
    uint32_t words;
    char kind, kind2;     /* of the last type and of the one before it: u s b
                             f; p: predicate; h: two halves; B: bf16 */
    uint32_t bits, bits2; /* likewise; 0: no type */
};

static inline void form_type(const char *word, char *kind, uint32_t *bits)
{
    char *end;

    *kind = word[0];
    *bits = (uint32_t)strtoul(word + 1, &end, 10);
    if (strcmp(word, "pred") == 0) {
        *kind = 'p';
        *bits = 1;
    } else if (strcmp(word, "f16x2") == 0) {
        *kind = 'h';
        *bits = 32;
    } else if (*end != '\0' || strchr("usbf", *kind) == NULL || *bits == 0) {
        *bits = 0;
    }
}

static inline void form_read(struct form *f, const char *text)
{
    const char *at = text;

    *f = (struct form){.text = text};
    while (f->words < WORDS_MAX && *at != '\0') {
        size_t n = strcspn(at, ".");

        REQUIRE(n < sizeof(f->word[0]));
        memcpy(f->word[f->words++], at, n);
        at += at[n] == '.' ? n + 1 : n;
    }
    REQUIRE(*at == '\0');
    form_type(f->word[f->words - 1], &f->kind, &f->bits);
    if (f->words > 1) {
        form_type(f->word[f->words - 2], &f->kind2, &f->bits2);
    }
}

static inline bool form_has(const struct form *f, const char *word)
{
    for (uint32_t i = 1; i < f->words; i++) {
        if (strcmp(f->word[i], word) == 0) {
            return true;
        }
    }
    return false;
}

/* Its rounding, 'n' if it names none. */
static inline char form_rounding(const struct form *f)
{
    for (uint32_t i = 1; i < f->words; i++) {
        const char *w = f->word[i];

        if (w[0] == 'r' && strchr("nzmp", w[1]) != NULL &&
            (w[2] == '\0' || strcmp(w + 2, "i") == 0)) {
            return w[1];
        }
    }
    return 'n';
}

static inline uint64_t low_bits(uint64_t x, uint32_t bits)
{
    return bits >= 64 ? x : x & ((UINT64_C(1) << bits) - 1);
}

#endif
