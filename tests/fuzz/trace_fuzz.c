/*
 * Fuzzing the trace front end: any bytes, compressed or not, give a launch or
 * an error that names a line, never a crash, a leak or a hang; and every
 * stream that is made can be read back, word for word, and refers to static
 * instructions that there are.
 *
 * With clang's libFuzzer this is a target like any other.  With
 * LOOM_FUZZ_MAIN it is a program for every compiler:
 *
 *     trace_fuzz MUTATIONS SEED FILE...
 *
 * runs each file and MUTATIONS mutations of each, the same ones for the same
 * seed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/trace/launch.h"
#include "workloads/trace/list.h"

#define CTAS_MAX 64u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* One of each kind; what is not here is unknown. */
static const char opcode_table[] =
    "arch 60 61\nDEPBAR nop\nIADD int_add\nLDG load global\n"
    "arch 70\nIMAD int_mad\nIMAD.WIDE int_mad dests=2\nLD load generic\n"
    "ST store generic\nLDG load global\nSTG store global\nLDS load shared\n"
    "STS store shared\nLDL load local\nSTL store local\nLDC load const\n"
    "ATOM atomic generic\nATOMS atomic shared\nRED atomic global\n"
    "TEX load texture\nBAR barrier\nBAR.ARV nop\nMEMBAR membar\n"
    "DEPBAR membar waits\nLDGSTS load global copies dests=1\nEXIT exit\n"
    "LDSM load shared bytes=16 dests=4\nDADD dp_add dests=2 sources=2\n";

static void check_error(const struct loom_error *err)
{
    LOOM_CHECK(err->kind != LOOM_ERR_NONE);
    LOOM_CHECK(memchr(err->text, '\0', sizeof(err->text)) != NULL);
}

static void check_warp(const struct loom_kernel *kernel,
                       const struct loom_warp_stream *warp)
{
    loom_addr address[LOOM_WARP_LANES];
    struct loom_warp_inst inst;
    struct loom_cursor cursor;
    uint64_t insts = 0;

    if (warp->words == 0) {
        LOOM_CHECK(warp->insts == 0);
        return;
    }
    cursor = loom_cursor_of(warp);
    while (loom_stream_next(&cursor, &inst)) {
        const struct loom_static_inst *s = &kernel->inst[inst.index];

        LOOM_CHECK(inst.index < kernel->inst_count && cursor.at <= cursor.end);
        LOOM_CHECK(s->op < LOOM_OPS);
        LOOM_CHECK(strlen(kernel->text + s->text) > 0);
        loom_stream_addresses(&inst, address);
        insts++;
    }
    LOOM_CHECK(insts == warp->insts);
}

static void check_ctas(struct trace_launch *launch)
{
    const struct loom_kernel *kernel = &launch->kernel;
    struct loom_cta_source *source = kernel->source;
    uint64_t count = loom_dim3_count(kernel->grid);
    struct loom_error err = {.kind = LOOM_ERR_NONE};

    for (uint32_t cta = 0; cta < count && cta < CTAS_MAX; cta++) {
        struct loom_cta_stream *stream;

        if (!source->ops->produce(source, cta, &stream, &err)) {
            check_error(&err);
            LOOM_CHECK(!source->ops->produce(source, cta, &stream, &err));
            return;
        }
        LOOM_CHECK(stream->warp_count == loom_kernel_warps(kernel));
        for (uint32_t w = 0; w < stream->warp_count; w++) {
            check_warp(kernel, &stream->warp[w]);
        }
        if (cta % 2 == 0) { /* the others are given back by the end */
            source->ops->release(source, stream);
        }
    }
}

static FILE *open_bytes(const uint8_t *data, size_t size)
{
    FILE *file = fmemopen((void *)(uintptr_t)data, size, "rb");

    LOOM_CHECK(file != NULL);
    return file;
}

static void fuzz_launch(const uint8_t *data, size_t size)
{
    struct loom_error err = {.kind = LOOM_ERR_NONE};
    struct trace_opcodes opcodes = {0};
    struct trace_notes notes = {0};
    struct trace_launch *launch = NULL;

    LOOM_CHECK(trace_opcodes_read(&opcodes, opcode_table, &err));
    if (trace_launch_open(open_bytes(data, size), "fuzz", &opcodes, &notes,
                          &launch, &err)) {
        check_ctas(launch);
        trace_launch_close(launch);
    } else {
        LOOM_CHECK(launch == NULL);
        check_error(&err);
    }
    trace_notes_free(&notes);
    trace_opcodes_free(&opcodes);
}

static void fuzz_list(const uint8_t *data, size_t size)
{
    struct loom_error err = {.kind = LOOM_ERR_NONE};
    struct trace_list list = {0};
    struct trace_lines lines;

    if (!trace_lines_open(&lines, open_bytes(data, size), "fuzz", &err)) {
        check_error(&err);
        return;
    }
    if (!trace_list_read(&list, &lines, &err)) {
        check_error(&err);
    }
    trace_list_free(&list);
    trace_lines_close(&lines);
}

static void fuzz_opcodes(const uint8_t *data, size_t size)
{
    struct loom_error err = {.kind = LOOM_ERR_NONE};
    struct trace_opcodes opcodes = {0};
    char *text = strndup((const char *)data, size);

    LOOM_CHECK(text != NULL);
    if (!trace_opcodes_read(&opcodes, text, &err)) {
        check_error(&err);
    }
    trace_opcodes_free(&opcodes);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    fuzz_launch(data, size);
    fuzz_list(data, size);
    fuzz_opcodes(data, size);
    return 0;
}

#ifdef LOOM_FUZZ_MAIN

#include "engine/rng.h"

/* What mutations paste: pieces that mean something somewhere. */
static const char *const pieces[] = {
    "#BEGIN_TB\n",
    "#END_TB\n",
    "thread block = 0,0,0\n",
    "thread block = 1,0,0\n",
    "warp = 0\n",
    "warp = 1\n",
    "insts = 1\n",
    "insts = 4294967296\n",
    "-grid dim = (4294967295,1,1)\n",
    "-block dim = (1,1,1024)\n",
    "-enable lineinfo = 1\n",
    "-accelsim tracer version = 2\n",
    "-accelsim tracer version = 5\n",
    "-binary version = 61\n",
    "-shmem base_addr = 0xffffffffffffffff\n",
    "-local mem base_addr = 0x0\n",
    "ffffffff",
    "00000000",
    " 1 R255 ",
    " UR63 ",
    " LDG.E.128 ",
    " LDGSTS.E.BYPASS.128 ",
    " ST.E.S8 ",
    " LDL.64 ",
    " ATOM.E.CAS ",
    " BAR.SYNC ",
    " DEPBAR.LE ",
    " 0 0x10 ",
    " 1 0xffffffffffffff -1 ",
    " 2 0x7f0000000000 4 4 4 ",
    "9223372036854775808",
    "-",
    "=",
    "\n",
    "\n\n",
    "0x",
    "18446744073709551616",
    "\r\n",
    "MemcpyHtoD,0x10,20\n",
    "kernel-1.traceg\n",
    "arch 70\n",
};

static size_t mutate(struct loom_rng *rng, char *text, size_t size, size_t room)
{
    const char *piece = pieces[loom_rng_below(rng, LOOM_COUNTOF(pieces))];
    size_t at = (size_t)loom_rng_below(rng, size + 1);
    size_t from = (size_t)loom_rng_below(rng, size + 1);
    size_t length = (size_t)loom_rng_below(rng, 80);

    switch (loom_rng_below(rng, 5)) {
    case 0: /* change a byte */
        text[at < size ? at : 0] = (char)loom_rng_below(rng, 256);
        return size;
    case 1: /* take something out */
        length = length > size - at ? size - at : length;
        memmove(text + at, text + at + length, size - at - length);
        return size - length;
    case 2: /* cut the end off */
        return at > 0 ? at : size;
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
    if (end > 0) {
        text = malloc((size_t)end);
    }
    if (text != NULL) {
        *size = fread(text, 1, (size_t)end, file);
    }
    if (file != NULL) {
        fclose(file);
    }
    return text;
}

static bool fuzz_file(const char *name, uint64_t mutations, uint64_t seed)
{
    size_t size = 0;
    char *text = read_file(name, &size);
    size_t room = size * 2 + 4096;
    char *copy = malloc(room);
    struct loom_rng rng;

    if (text == NULL || copy == NULL || size == 0) {
        fprintf(stderr, "%s: cannot be read\n", name);
        free(text);
        free(copy);
        return false;
    }
    loom_rng_init(&rng, seed, "trace_fuzz");
    LLVMFuzzerTestOneInput((const uint8_t *)text, size);
    for (uint64_t i = 0; i < mutations; i++) {
        uint64_t steps = 1 + loom_rng_below(&rng, 4);
        size_t length = size;

        memcpy(copy, text, size);
        while (steps-- > 0 && length > 0) {
            length = mutate(&rng, copy, length, room - 160);
        }
        LLVMFuzzerTestOneInput((const uint8_t *)copy, length);
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
