/*
 * Fuzzing the PTX front end: any bytes give a module or an error, never a
 * crash, a leak or a hang; and a module that was accepted prints as text
 * that is accepted and prints the same again.
 *
 * With clang's libFuzzer this is a target like any other.  With
 * LOOM_FUZZ_MAIN it is a program for every compiler:
 *
 *     ptx_parse_fuzz MUTATIONS SEED FILE...
 *
 * runs each file and MUTATIONS mutations of each, the same ones for the same
 * seed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/ptx/analysis/analysis.h"
#include "workloads/ptx/parse/parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_print(const struct loom_ptx_module *module)
{
    struct loom_ptx_module *again = NULL;
    struct loom_error err = {.kind = LOOM_ERR_NONE};
    char *first = loom_ptx_print(module);
    char *second;

    LOOM_CHECK(first != NULL);
    if (!ptx_parse("printed", first, strlen(first), &again, &err)) {
        fprintf(stderr, "%s\n%s\n", err.text, first);
        LOOM_BUG("what was printed does not parse");
    }
    second = loom_ptx_print(again);
    LOOM_CHECK(second != NULL);
    if (strcmp(first, second) != 0) {
        fprintf(stderr, "%s\n----\n%s\n", first, second);
        LOOM_BUG("printing is no fixpoint");
    }
    free(first);
    free(second);
    loom_ptx_module_destroy(again);
}

static void check_analyses(const struct loom_ptx_module *module, bool scheduled)
{
    for (uint32_t i = 0; i < module->function_count; i++) {
        struct ptx_analysis *analysis = NULL;
        struct loom_error err;

        if (!module->function[i]->declared &&
            ptx_analyse(module->function[i], scheduled, &analysis, &err)) {
            LOOM_CHECK(analysis->inst_count == analysis->function->inst_count);
            LOOM_CHECK(analysis->inst_count >= module->function[i]->inst_count);
            ptx_analysis_destroy(analysis);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct loom_ptx_module *module = NULL;
    struct loom_error err = {.kind = LOOM_ERR_NONE};

    if (!ptx_parse("fuzz", (const char *)data, size, &module, &err)) {
        LOOM_CHECK(module == NULL && err.kind != LOOM_ERR_NONE);
        LOOM_CHECK(memchr(err.text, '\0', sizeof(err.text)) != NULL);
        return 0;
    }
    check_print(module);
    check_analyses(module, false);
    check_analyses(module, true);
    loom_ptx_module_destroy(module);
    return 0;
}

#ifdef LOOM_FUZZ_MAIN

#include "engine/rng.h"

/* What mutations paste: pieces of PTX that mean something somewhere. */
static const char *const pieces[] = {
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    ";",
    ",",
    ":",
    "@",
    "!",
    "|",
    "+",
    "-",
    ".v4",
    ".reg .pred %p<2>;",
    "bra",
    ".param",
    ".align 8",
    "0f3F800000",
    "0x",
    "4294967295",
    "99999999999999999999",
    "%r1",
    "_",
    ".shared",
    "call",
    "L:",
    "//",
    "/*",
    "\"",
    ".section",
    ".loc 1 2 3",
    ".callprototype",
    ".branchtargets A, B;",
    "brx.idx %r1, ts;",
    ".alias f, g;",
    ".pragma \"x\";",
    "0xFF00(",
    ".func f()",
    "ret;",
    "strange.b32 %r1, {1};",
    ".pragma \"refused\";",
    ".explicitcluster",
    "call (r0), f, (p0);",
    "call %d1, (p0), pr;",
    ".param .b32 p0;",
    "mov.b64",
    "{%r1, %r2}",
    ".cc",
    ".wide",
    "\0x",
    "%",
};

static size_t mutate(struct loom_rng *rng, char *text, size_t size, size_t room)
{
    size_t at = (size_t)loom_rng_below(rng, size + 1);
    size_t length = (size_t)loom_rng_below(rng, 64);
    size_t from = (size_t)loom_rng_below(rng, size + 1);
    const char *piece = pieces[loom_rng_below(rng, LOOM_COUNTOF(pieces))];

    switch (loom_rng_below(rng, 5)) {
    case 0: /* cut the end off */
        return loom_rng_below(rng, 8) == 0 ? at : size;
    case 1: /* remove */
        length = length > size - at ? size - at : length;
        memmove(text + at, text + at + length, size - at - length);
        return size - length;
    case 2: /* change a byte */
        if (at < size) {
            text[at] = (char)loom_rng_below(rng, 256);
        }
        return size;
    case 3: /* repeat something from elsewhere */
        length = length > size - from ? size - from : length;
        length = length > room - size ? room - size : length;
        memmove(text + at + length, text + at, size - at);
        memmove(text + at, text + (from > at ? from + length : from), length);
        return size + length;
    default:
        length = strlen(piece);
        length = length > room - size ? room - size : length;
        memmove(text + at + length, text + at, size - at);
        memcpy(text + at, piece, length);
        return size + length;
    }
}

static char *read_file(const char *name, size_t *size)
{
    FILE *file = fopen(name, "rb");
    char *text = NULL;
    long end = -1;

    if (file != NULL && fseek(file, 0, SEEK_END) == 0) {
        end = ftell(file);
        rewind(file);
    }
    if (end >= 0) {
        text = malloc((size_t)end + 1);
    }
    if (text != NULL) {
        *size = fread(text, 1, (size_t)end, file);
    }
    if (file != NULL) {
        fclose(file);
    }
    return text;
}

/* A buffer of exactly the text's size lets the sanitizer see overreads. */
static void run_exact(const char *text, size_t size)
{
    uint8_t *exact = malloc(size > 0 ? size : 1);

    LOOM_CHECK(exact != NULL);
    memcpy(exact, text, size);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

static bool fuzz_file(const char *name, uint64_t mutations, uint64_t seed)
{
    size_t size = 0;
    char *text = read_file(name, &size);
    struct loom_rng rng;
    size_t room = size * 2 + 4096;
    char *copy = malloc(room);

    if (text == NULL || copy == NULL) {
        fprintf(stderr, "%s: cannot be read\n", name);
        free(text);
        free(copy);
        return false;
    }
    loom_rng_init(&rng, seed, "ptx_parse_fuzz");
    run_exact(text, size);
    for (uint64_t i = 0; i < mutations; i++) {
        uint64_t steps = 1 + loom_rng_below(&rng, 4);
        size_t length = size;

        memcpy(copy, text, size);
        while (steps-- > 0) {
            length = mutate(&rng, copy, length, room);
        }
        run_exact(copy, length);
    }
    free(text);
    free(copy);
    return true;
}

int main(int argc, char **argv)
{
    bool ok = argc > 3;

    if (!ok) {
        fprintf(stderr, "usage: %s MUTATIONS SEED FILE...\n", argv[0]);
    }
    for (int i = 3; i < argc; i++) {
        ok = fuzz_file(argv[i], strtoull(argv[1], NULL, 10),
                       strtoull(argv[2], NULL, 10)) &&
             ok;
    }
    return ok ? 0 : 1;
}

#endif
