/*
 * Fuzzing the reader of recordings: any bytes are a recording or an error,
 * never a crash, a leak, a hang or a huge allocation.
 *
 * Bytes that were changed at random hardly get past the checksums, so there
 * is a second way in: an input that begins with a letter k, e, n or s is the
 * content of a block of that kind (kernel, events, notes, streams), and the
 * rest of the recording around it is made here, with good checksums.
 *
 * With clang's libFuzzer this is a target like any other.  With
 * LOOM_FUZZ_MAIN it is a program for every compiler:
 *
 *     replay_fuzz MUTATIONS SEED
 *     replay_fuzz --seeds FOLDER
 *
 * makes a small recording and runs MUTATIONS mutations of it and of each kind
 * of block, the same ones for the same seed; or writes them to a folder, for
 * libFuzzer to begin with.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "workloads/recording/code_private.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CTAS 3
#define WARPS 2

/* Static instructions with a loop, every space of memory in it. */
static struct loom_static_inst table[8];
static const struct loom_loop loops[] = {{LOOM_NO_LOOP, 1, 1}};

static struct loom_kernel make_kernel(void)
{
    static const enum loom_op ops[] = {
        LOOM_OP_INT_ADD, LOOM_OP_LOAD,   LOOM_OP_STORE,  LOOM_OP_ATOMIC,
        LOOM_OP_LOAD,    LOOM_OP_BRANCH, LOOM_OP_FP_MAD, LOOM_OP_EXIT};

    for (uint32_t i = 0; i < LOOM_COUNTOF(table); i++) {
        table[i] = (struct loom_static_inst){
            .op = (uint8_t)ops[i],
            .pc = 8 * i,
            .bytes = (uint8_t)(1u << i % 4),
            .vector = 1,
            .space = (uint8_t)(i == 4 ? 2 : 0),
            .flags = i == 3 ? LOOM_INST_ANY_MASK : 0,
            .loop = i > 0 && i < 6 ? 0 : LOOM_NO_LOOP};
    }
    return (struct loom_kernel){.name = "fuzz",
                                .grid = {CTAS, 1, 1},
                                .block = {32 * WARPS, 1, 1},
                                .inst = table,
                                .inst_count = LOOM_COUNTOF(table),
                                .loop = loops,
                                .loop_count = 1};
}

static void put_kernel(struct rec_bytes *bytes)
{
    struct loom_kernel kernel = make_kernel();

    rec_put_kernel(bytes, &kernel);
}

/* A launch of all CTAs, and its end. */
static void put_events(struct rec_bytes *bytes)
{
    static const uint32_t fields[] = {LOOM_RECORD_LAUNCH,
                                      0,
                                      0,
                                      0,
                                      CTAS,
                                      1,
                                      1,
                                      32 * WARPS,
                                      1,
                                      1,
                                      16,
                                      0,
                                      0,
                                      0,
                                      LOOM_RECORD_RESERVED,
                                      0,
                                      CTAS,
                                      CTAS * WARPS * 11,
                                      0};

    for (size_t i = 0; i < LOOM_COUNTOF(fields); i++) {
        rec_put_varint(bytes, fields[i]);
    }
}

static void put_notes(struct rec_bytes *bytes)
{
    rec_put_text(bytes, "workload");
    rec_put_text(bytes, "fuzz");
}

/* Where a block of each kind comes from: the input, or what is good. */
static void add_block(struct rec_bytes *file, struct rec_bytes *index,
                      uint32_t kind, const struct rec_bytes *raw)
{
    size_t bound = ZSTD_compressBound(raw->bytes);
    unsigned char header[REC_BLOCK_HEADER_BYTES];
    unsigned char *stored = malloc(bound);
    struct rec_block block = {.offset = file->bytes,
                              .number = (uint32_t)(index->bytes / 32),
                              .kind = kind,
                              .raw = (uint32_t)raw->bytes};

    LOOM_CHECK(stored != NULL);
    block.stored =
        (uint32_t)ZSTD_compress(stored, bound, raw->data, raw->bytes, 1);
    block.sum = rec_crc(stored, block.stored);
    rec_block_write(header, &block);
    rec_put(file, header, sizeof(header));
    rec_put(file, stored, block.stored);
    free(stored);
    if (kind != REC_INDEX) {
        rec_put_int(index, block.offset, 8);
        rec_put_int(index, kind, 4);
        rec_put_int(index, block.stored, 4);
        rec_put_int(index, block.raw, 4);
        rec_put_int(index, 0, 8);
        rec_put_int(index, block.number, 4);
    }
}

static void put_header(struct rec_bytes *file)
{
    rec_put(file, rec_magic, sizeof(rec_magic));
    rec_put_int(file, LOOM_RECORDING_VERSION, 4);
    while (file->bytes < REC_HEADER_BYTES - 4) {
        rec_put_int(file, 0, 4);
    }
    rec_put_int(file, rec_crc(file->data, file->bytes), 4);
}

static void put_footer(struct rec_bytes *file, uint64_t index, uint32_t blocks)
{
    size_t from = file->bytes;

    rec_put_int(file, index, 8);
    rec_put_int(file, from + REC_FOOTER_BYTES, 8);
    rec_put_int(file, blocks, 4);
    rec_put_int(file, LOOM_RECORDING_VERSION, 4);
    rec_put(file, rec_magic, sizeof(rec_magic));
    rec_put_int(file, 0, 4);
    rec_put_int(file, rec_crc(file->data + from, REC_FOOTER_BYTES - 4), 4);
}

/* A whole recording around one block's content. */
static void wrap(struct rec_bytes *file, uint32_t kind, const uint8_t *data,
                 size_t size)
{
    static const uint32_t kinds[] = {REC_KERNEL, REC_EVENTS, REC_STREAM,
                                     REC_NOTES};
    struct rec_bytes index = {0};
    uint64_t at;

    put_header(file);
    for (size_t i = 0; i < LOOM_COUNTOF(kinds); i++) {
        struct rec_bytes raw = {0};

        if (kinds[i] == kind) {
            rec_put(&raw, data, size);
        } else if (kinds[i] == REC_KERNEL) {
            put_kernel(&raw);
        } else if (kinds[i] == REC_EVENTS) {
            put_events(&raw);
        } else if (kinds[i] == REC_NOTES) {
            put_notes(&raw);
        }
        add_block(file, &index, kinds[i], &raw);
        rec_free(&raw);
    }
    at = file->bytes;
    add_block(file, &index, REC_INDEX, &index);
    put_footer(file, at, LOOM_COUNTOF(kinds) + 1);
    rec_free(&index);
}

/* Reads everything.  What is accepted must be usable. */
static bool try_reading(const uint8_t *data, size_t size)
{
    struct loom_recording *recording = NULL;
    struct loom_error err = {.kind = LOOM_ERR_NONE};
    bool ok;

    if (!loom_recording_open_memory(data, size, &recording, &err)) {
        LOOM_CHECK(recording == NULL && err.kind != LOOM_ERR_NONE);
        LOOM_CHECK(memchr(err.text, '\0', sizeof(err.text)) != NULL);
        return false;
    }
    for (uint32_t i = 0; i < loom_recording_kernel_count(recording); i++) {
        const struct loom_kernel_info *info =
            loom_recording_kernel(recording, i);

        for (uint32_t k = 0; k < info->inst_count; k++) {
            LOOM_CHECK(strlen(info->text + info->inst[k].text) < size * 2000);
        }
    }
    ok = loom_recording_verify(recording, &err);
    LOOM_CHECK(ok || err.kind != LOOM_ERR_NONE);
    loom_recording_close(recording);
    return ok;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char letters[] = {'k', 'e', 'n', 's'};
    static const uint32_t kinds[] = {REC_KERNEL, REC_EVENTS, REC_NOTES,
                                     REC_STREAM};
    struct rec_bytes file = {0};

    for (size_t i = 0; i < LOOM_COUNTOF(kinds); i++) {
        if (size > 0 && data[0] == (uint8_t)letters[i]) {
            wrap(&file, kinds[i], data + 1, size - 1);
            try_reading(file.data, file.bytes);
            rec_free(&file);
            return 0;
        }
    }
    try_reading(data, size);
    return 0;
}

#ifdef LOOM_FUZZ_MAIN

#include "engine/rng.h"

/* Streams of all CTAs as the content of one block. */
static void put_streams(struct rec_bytes *raw, struct loom_rng *rng)
{
    struct rec_encoder encoder = {.words = 0};
    struct loom_kernel kernel = make_kernel();

    LOOM_CHECK(rec_model_init(&encoder.model, kernel.inst, kernel.inst_count));
    rec_model_reset(&encoder.model);
    for (uint32_t n = 0; n < CTAS * WARPS; n++) {
        static const uint32_t head[] = {0, 1, 2, 4, 5, 1, 2, 4, 5, 6, 7};
        uint32_t words[256], count = 0;
        struct loom_cursor cursor;

        for (size_t i = 0; i < LOOM_COUNTOF(head); i++) {
            bool memory = head[i] == 1 || head[i] == 2 || head[i] == 4;
            uint32_t mode = memory ? 1 + (uint32_t)loom_rng_below(rng, 3) : 0;

            words[count++] = head[i] | 1u << 23 | mode << 24;
            words[count++] = 0x10005; /* three lanes */
            for (uint32_t k = 0; memory && k < (mode == 3   ? 6
                                                : mode == 2 ? 4
                                                            : 3);
                 k++) {
                words[count++] = (uint32_t)loom_rng_below(rng, 1 << 16) << 4;
            }
        }
        cursor = (struct loom_cursor){words, words + count};
        rec_model_warp(&encoder.model);
        rec_put_varint(&encoder.column[REC_SEGMENT],
                       n > 0 && n % WARPS == 0 ? 1 : 0);
        rec_put_varint(&encoder.column[REC_SEGMENT], n % WARPS);
        rec_put_varint(&encoder.column[REC_SEGMENT],
                       rec_encode(&encoder, &cursor, count) << 1 | 1);
    }
    for (uint32_t c = 0; c < REC_COLUMNS; c++) {
        rec_put_int(raw, encoder.column[c].bytes, 4);
    }
    for (uint32_t c = 0; c < REC_COLUMNS; c++) {
        rec_put(raw, encoder.column[c].data, encoder.column[c].bytes);
        rec_free(&encoder.column[c]);
    }
    rec_model_free(&encoder.model);
}

static void mutate(struct loom_rng *rng, struct rec_bytes *bytes)
{
    size_t at = (size_t)loom_rng_below(rng, bytes->bytes + 1);
    size_t length = (size_t)loom_rng_below(rng, 16);

    switch (loom_rng_below(rng, 6)) {
    case 0:
        bytes->bytes = loom_rng_below(rng, 4) == 0 ? at : bytes->bytes;
        break;
    case 1: /* remove */
        length = length > bytes->bytes - at ? bytes->bytes - at : length;
        memmove(bytes->data + at, bytes->data + at + length,
                bytes->bytes - at - length);
        bytes->bytes -= length;
        break;
    case 2: /* insert */
        if (rec_reserve(bytes, length)) {
            memmove(bytes->data + at + length, bytes->data + at,
                    bytes->bytes - at);
            memset(bytes->data + at, (int)loom_rng_below(rng, 256), length);
            bytes->bytes += length;
        }
        break;
    case 3: /* a number that is large */
        for (size_t i = at; i < at + 4 && i < bytes->bytes; i++) {
            bytes->data[i] = 0xff;
        }
        break;
    default:
        if (at < bytes->bytes) {
            bytes->data[at] = (unsigned char)(loom_rng_below(rng, 2) == 0
                                                  ? loom_rng_below(rng, 256)
                                                  : bytes->data[at] ^ 1);
        }
        break;
    }
}

/* One input and its mutations.  Returns how many were accepted. */
static uint32_t run_all(struct loom_rng *rng, const struct rec_bytes *seed,
                        uint32_t mutations)
{
    for (uint32_t i = 0; i < mutations; i++) {
        struct rec_bytes bytes = {0};
        uint64_t times = 1 + loom_rng_below(rng, 4);

        rec_put(&bytes, seed->data, seed->bytes);
        while (times-- > 0) {
            mutate(rng, &bytes);
        }
        LLVMFuzzerTestOneInput(bytes.data, bytes.bytes);
        rec_free(&bytes);
    }
    return mutations;
}

#define INPUTS 5

/* A good recording, and a good block of each kind. */
static void make_inputs(struct loom_rng *rng, struct rec_bytes *input)
{
    struct rec_bytes file = {0}, streams = {0};

    rec_put(&input[0], "k", 1);
    put_kernel(&input[0]);
    rec_put(&input[1], "e", 1);
    put_events(&input[1]);
    rec_put(&input[2], "n", 1);
    put_notes(&input[2]);
    put_streams(&streams, rng);
    rec_put(&input[3], "s", 1);
    rec_put(&input[3], streams.data, streams.bytes);
    wrap(&file, REC_STREAM, streams.data, streams.bytes);
    rec_put(&input[4], file.data, file.bytes);
    rec_free(&file);
    rec_free(&streams);
}

static bool write_inputs(const char *folder, const struct rec_bytes *input)
{
    for (size_t i = 0; i < INPUTS; i++) {
        char name[1024];
        FILE *file;

        if (snprintf(name, sizeof(name), "%s/seed%zu", folder, i) >=
                (int)sizeof(name) ||
            (file = fopen(name, "wb")) == NULL) {
            fprintf(stderr, "%s: cannot be written\n", folder);
            return false;
        }
        fwrite(input[i].data, 1, input[i].bytes, file);
        LOOM_CHECK(fclose(file) == 0);
    }
    return true;
}

int main(int argc, char **argv)
{
    bool seeds = argc == 3 && strcmp(argv[1], "--seeds") == 0;
    uint32_t mutations =
        argc > 1 && !seeds ? (uint32_t)strtoul(argv[1], NULL, 10) : 500;
    uint64_t seed = argc > 2 && !seeds ? strtoull(argv[2], NULL, 10) : 1;
    struct rec_bytes input[INPUTS] = {{0}};
    struct loom_rng rng;
    uint32_t ran = 0;
    bool ok = true;

    loom_rng_init(&rng, seed, "replay_fuzz");
    make_inputs(&rng, input);
    /* What is mutated is good to begin with. */
    LOOM_CHECK(try_reading(input[4].data, input[4].bytes));
    if (seeds) {
        ok = write_inputs(argv[2], input);
    } else {
        for (size_t i = 0; i < INPUTS; i++) {
            ran += run_all(&rng, &input[i], mutations);
        }
        printf("%u inputs\n", ran);
    }
    for (size_t i = 0; i < INPUTS; i++) {
        rec_free(&input[i]);
    }
    return ok ? 0 : 1;
}

#endif
