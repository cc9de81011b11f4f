/*
 * Mutations of PTX as text, for fuzzing with any compiler: instructions are
 * moved, repeated and dropped, and registers, numbers and modifiers change
 * places, so that more is accepted than of bytes changed at random.
 *
 * A target that is built with LOOM_FUZZ_MAIN includes this and has a main()
 * that calls fuzz_files():
 *
 *     TARGET MUTATIONS SEED FILE...
 */
#ifndef TESTS_FUZZ_MUTATE_H
#define TESTS_FUZZ_MUTATE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/error.h"
#include "engine/rng.h"

#define TEXT_MAX (1u << 16)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct span {
    size_t at, length;
};

/* A random line of text[size], with its end. */
static struct span line_of(struct loom_rng *rng, const char *text, size_t size)
{
    size_t at = (size_t)loom_rng_below(rng, size), end = at;

    while (at > 0 && text[at - 1] != '\n') {
        at--;
    }
    while (end < size && text[end] != '\n') {
        end++;
    }
    return (struct span){at, (end < size ? end + 1 : end) - at};
}

static bool in_token(char c)
{
    return c > ' ' && strchr("{}()[];,+|", c) == NULL;
}

static struct span token_of(struct loom_rng *rng, const char *text, size_t size)
{
    size_t at = (size_t)loom_rng_below(rng, size), end;

    while (at > 0 && in_token(text[at - 1])) {
        at--;
    }
    for (end = at; end < size && in_token(text[end]); end++) {
    }
    return (struct span){at, end - at};
}

/* Replaces `to` by a copy of `from`; returns the new size. */
static size_t paste(char *text, size_t size, struct span to, struct span from)
{
    char copy[512];
    size_t length = from.length < sizeof(copy) ? from.length : sizeof(copy);

    if (size - to.length + length >= TEXT_MAX) {
        return size;
    }
    memcpy(copy, text + from.at, length);
    memmove(text + to.at + length, text + to.at + to.length,
            size - to.at - to.length);
    memcpy(text + to.at, copy, length);
    return size - to.length + length;
}

static size_t mutate(struct loom_rng *rng, char *text, size_t size)
{
    struct span a, b;

    switch (loom_rng_below(rng, 8)) {
    case 0: /* repeat a line elsewhere */
        a = line_of(rng, text, size);
        b = line_of(rng, text, size);
        return paste(text, size, (struct span){a.at, 0}, b);
    case 1: /* drop a line */
        return paste(text, size, line_of(rng, text, size), (struct span){0, 0});
    case 2: /* another number */
        a = token_of(rng, text, size);
        if (a.length != 0 && text[a.at] >= '0' && text[a.at] <= '9') {
            text[a.at] = (char)('0' + loom_rng_below(rng, 10));
        }
        return size;
    default: /* a token for another one of its kind */
        a = token_of(rng, text, size);
        for (uint32_t i = 0; i < 32; i++) {
            b = token_of(rng, text, size);
            if (a.length != 0 && b.length > 1 && text[a.at] == text[b.at] &&
                text[a.at + a.length - 1] != ':') {
                return paste(text, size, a, b);
            }
        }
        return size;
    }
}

static size_t read_file(const char *name, char *text)
{
    FILE *file = fopen(name, "rb");
    size_t size;

    LOOM_CHECK(file != NULL);
    size = fread(text, 1, TEXT_MAX / 2, file);
    fclose(file);
    return size;
}

static void fuzz_file(const char *target, const char *name, uint64_t mutations,
                      uint64_t seed)
{
    char *text = malloc(TEXT_MAX), *copy = malloc(TEXT_MAX);
    struct loom_rng rng;
    size_t size;

    LOOM_CHECK(text != NULL && copy != NULL);
    size = read_file(name, text);
    loom_rng_init(&rng, seed, target);
    LLVMFuzzerTestOneInput((const uint8_t *)text, size);
    for (uint64_t i = 0; i < mutations && size != 0; i++) {
        uint64_t steps = 1 + loom_rng_below(&rng, 3);
        size_t length = size;

        memcpy(copy, text, size);
        while (steps-- > 0 && length != 0) {
            length = mutate(&rng, copy, length);
        }
        LLVMFuzzerTestOneInput((const uint8_t *)copy, length);
    }
    free(text);
    free(copy);
}

static inline int fuzz_files(const char *target, int argc, char **argv)
{
    if (argc <= 3) {
        fprintf(stderr, "usage: %s MUTATIONS SEED FILE...\n", argv[0]);
        return 1;
    }
    for (int i = 3; i < argc; i++) {
        fuzz_file(target, argv[i], strtoull(argv[1], NULL, 10),
                  strtoull(argv[2], NULL, 10));
    }
    return 0;
}

#endif
