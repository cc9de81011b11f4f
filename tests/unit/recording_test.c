/*
 * Recordings: what was written is read back word by word, any CTA can be
 * read first, launches may overlap, and damage is found and named.
 *
 * links: workload_replay
 */
#include <stdlib.h>
#include <unistd.h>

#include "engine/rng.h"

#include "tests/unit/cta_source.h"
#include "workloads/recording/recording.h"

#define FILE_NAME "recording_test.wlt"
#define CTAS 12
#define WARPS 3

extern const struct loom_workload_type replay_workload;

static struct loom_error err;

/* A kernel with a loop around a load; the last instruction is an exit. */
static void make_kernel(struct source *source, uint32_t ctas)
{
    static const char text[] = "mov\0ld.global\0add\0bra\0st.shared\0exit";
    static const uint32_t offset[] = {0, 4, 14, 18, 22, 32};
    static const enum loom_op op[] = {LOOM_OP_INT_ADD, LOOM_OP_LOAD,
                                      LOOM_OP_FP_ADD,  LOOM_OP_BRANCH,
                                      LOOM_OP_STORE,   LOOM_OP_EXIT};

    source_init(source, ctas, WARPS);
    for (uint32_t i = 0; i < LOOM_COUNTOF(op); i++) {
        struct loom_static_inst *inst =
            source_inst(source, op[i], i % 3 == 0 ? NONE : 7 * i, 3 * i);

        inst->text = offset[i];
        inst->line = 100 + i;
        inst->bytes = op[i] == LOOM_OP_STORE ? 1 : 4;
        inst->vector = 1;
        inst->param = (uint8_t)i;
        inst->flags = op[i] == LOOM_OP_LOAD ? LOOM_INST_ANY_MASK : 0;
        inst->space = op[i] == LOOM_OP_STORE ? 2 : 0;
        inst->loop = i >= 1 && i <= 3 ? 0 : LOOM_NO_LOOP;
    }
    source->loop[0] = (struct loom_loop){LOOM_NO_LOOP, 1, 1};
    source->kernel.loop_count = 1;
    source->kernel.text = text;
    source->kernel.registers = 21;
    source->kernel.shared_bytes = 640;
    source->kernel.local_bytes = 16;
    source->kernel.number = 5;
}

/* Every mode of addresses and every kind of mask. */
static void put_access(struct loom_rng *rng, struct loom_stream_writer *writer,
                       uint32_t index, uint32_t mask)
{
    loom_addr address[LOOM_WARP_LANES];
    loom_addr base =
        loom_rng_next(rng) % 5 == 0 ? UINT64_MAX - 40 : UINT64_C(0x100000000);
    uint64_t kind = loom_rng_below(rng, 4);

    for (uint32_t lane = 0; lane < LOOM_WARP_LANES; lane++) {
        address[lane] = base + (kind == 0   ? 4u * lane
                                : kind == 1 ? 4 * loom_rng_below(rng, 999)
                                : kind == 2 ? loom_rng_next(rng)
                                            : 0 - (loom_addr)lane);
    }
    loom_writer_memory(writer, index, mask, address);
}

static void put_loop(struct loom_rng *rng, struct loom_stream_writer *writer,
                     uint32_t trips)
{
    uint32_t mask = (uint32_t)loom_rng_next(rng) | 1;
    loom_addr address[LOOM_WARP_LANES];

    for (uint32_t lane = 0; lane < LOOM_WARP_LANES; lane++) {
        address[lane] = 0x100000000 + 4 * loom_rng_below(rng, 4096);
    }
    for (uint32_t i = 0; i < trips; i++) {
        loom_writer_memory(writer, 1, mask, address);
        loom_writer_put(writer, 2, mask);
        loom_writer_put(writer, 3, mask);
        for (uint32_t lane = 0; lane < LOOM_WARP_LANES; lane++) {
            address[lane] += 4;
        }
        mask = mask & (mask - 1) & (uint32_t)loom_rng_next(rng) ? mask & ~1u
                                                                : mask;
    }
}

static void put_warp(struct loom_rng *rng, struct loom_stream_writer *writer,
                     uint32_t trips)
{
    loom_writer_put(writer, 0, UINT32_MAX);
    put_loop(rng, writer, trips);
    loom_writer_put(writer, 1, 0);
    for (uint32_t i = 0; i < trips; i++) {
        uint32_t mask = (uint32_t)loom_rng_next(rng);

        put_access(rng, writer, 4, i % 3 == 0 ? UINT32_MAX : mask | 2);
        loom_writer_put(writer,
                        (uint32_t)loom_rng_below(rng, 4) * 3 / 2 == 1 ? 2 : 0,
                        i % 7 == 0 ? 1u << i % 32 : UINT32_MAX);
    }
    loom_writer_put(writer, 5, UINT32_MAX);
}

static struct source *make_source(uint64_t seed, uint32_t trips)
{
    struct source *source = calloc(1, sizeof(*source));
    struct loom_rng rng;

    REQUIRE(source != NULL);
    loom_rng_init(&rng, seed, "recording");
    make_kernel(source, CTAS);
    for (uint32_t w = 0; w < WARPS; w++) {
        if (w != 1 || seed % 2 == 0) { /* a warp may be empty */
            put_warp(&rng, &source->writer[w], trips);
        }
    }
    source_seal(source);
    return source;
}

static void drop_source(struct source *source)
{
    source_free(source);
    free(source);
}

/* Produces and releases one CTA as the GPU would. */
static void run_cta(struct source *source, uint32_t cta)
{
    struct loom_cta_source *front = source->kernel.source;
    struct loom_cta_stream *stream;

    REQUIRE(front->ops->produce(front, cta, &stream, &err));
    EXPECT_EQ(stream->cta, cta);
    front->ops->release(front, stream);
}

static void record(struct source *source, struct loom_recording_totals *totals)
{
    struct loom_recording_writer *writer = NULL;

    REQUIRE(loom_recording_create(FILE_NAME, &writer, &err));
    REQUIRE(loom_recording_note(writer, "workload", "test", &err));
    REQUIRE(loom_recording_attach(writer, &source->kernel, 3, &err));
    EXPECT(source->kernel.source != &source->base);
    for (uint32_t cta = 0; cta < CTAS; cta++) {
        run_cta(source, cta);
    }
    /* The last release took the recorder out. */
    EXPECT(source->kernel.source == &source->base);
    REQUIRE(loom_recording_finish(writer, totals, &err));
}

static void expect_cta(const struct source *source,
                       struct loom_recording_stream *streams, uint32_t cta)
{
    struct loom_cta_stream *stream;

    err.text[0] = 0;
    if (!loom_recording_produce(streams, &source->kernel, cta, &stream, &err)) {
        EXPECT_TEXT(err.text, "no error");
        return;
    }
    EXPECT_EQ(stream->cta, cta);
    EXPECT_EQ(stream->warp_count, WARPS);
    for (uint32_t w = 0; w < WARPS; w++) {
        const struct loom_warp_stream *want = &source->warp[w];
        const struct loom_warp_stream *got = &stream->warp[w];

        EXPECT_EQ(got->insts, want->insts);
        REQUIRE(got->words == want->words);
        EXPECT(want->words == 0 ||
               memcmp(got->word, want->word, want->words * 4) == 0);
    }
    loom_recording_release(streams, stream);
}

static void words_come_back(void)
{
    for (uint64_t seed = 1; seed <= 30; seed++) {
        struct source *source = make_source(seed, (uint32_t)seed * 7);
        struct loom_recording_stream *streams;
        struct loom_recording *recording;
        struct loom_recording_totals totals;

        record(source, &totals);
        REQUIRE(loom_recording_open(FILE_NAME, &recording, &err));
        EXPECT_EQ(loom_recording_launch(recording, 0)->insts, totals.insts);
        EXPECT_EQ(loom_recording_totals(recording).words, totals.words);
        EXPECT_EQ(loom_recording_totals(recording).file_bytes,
                  totals.file_bytes);
        streams = loom_recording_streams(recording, 0);
        REQUIRE(streams != NULL);
        for (uint32_t cta = 0; cta < CTAS; cta++) {
            expect_cta(source, streams, cta);
        }
        loom_recording_streams_close(streams);
        EXPECT(loom_recording_verify(recording, &err));
        loom_recording_close(recording);
        drop_source(source);
    }
    unlink(FILE_NAME);
}

static void tables_come_back(void)
{
    struct source *source = make_source(2, 3);
    const struct loom_recorded_launch *launch;
    const struct loom_kernel_info *info;
    struct loom_recording *recording;

    record(source, NULL);
    REQUIRE(loom_recording_open(FILE_NAME, &recording, &err));
    REQUIRE(loom_recording_kernel_count(recording) == 1);
    REQUIRE(loom_recording_launch_count(recording) == 1);
    info = loom_recording_kernel(recording, 0);
    EXPECT_TEXT(info->name, "test");
    REQUIRE(info->inst_count == 6 && info->loop_count == 1);
    for (uint32_t i = 0; i < 6; i++) {
        struct loom_static_inst want = source->inst[i], got = info->inst[i];

        EXPECT(strcmp(info->text + got.text, source->kernel.text + want.text) ==
               0);
        EXPECT(memcmp(got.use, want.use, sizeof(got.use)) == 0);
        EXPECT(memcmp(got.def, want.def, sizeof(got.def)) == 0);
        EXPECT(got.pc == want.pc && got.line == want.line &&
               got.loop == want.loop && got.op == want.op &&
               got.space == want.space && got.bytes == want.bytes &&
               got.vector == want.vector && got.param == want.param &&
               got.flags == want.flags);
    }
    EXPECT_EQ(info->loop[0].header, 1);
    launch = loom_recording_launch(recording, 0);
    EXPECT_EQ(launch->number, 5);
    EXPECT_EQ(launch->stream, 3);
    EXPECT_EQ(launch->registers, 21);
    EXPECT_EQ(launch->shared_bytes, 640);
    EXPECT_EQ(launch->local_bytes, 16);
    EXPECT_EQ(launch->grid.x, CTAS);
    EXPECT_EQ(launch->block.x, WARPS * 32);
    EXPECT_EQ(launch->ctas, CTAS);
    EXPECT_TEXT(loom_recording_find(recording, "workload"), "test");
    EXPECT(loom_recording_find(recording, "other") == NULL);
    loom_recording_close(recording);
    drop_source(source);
    unlink(FILE_NAME);
}

/* Large enough for several blocks, one of which begins within a CTA. */
static void any_cta_can_be_first(void)
{
    static const uint32_t order[] = {7, 2, 3, 11, 0, 11, 4, 5, 1};
    struct source *source = make_source(4, 30000);
    struct loom_recording_stream *streams;
    struct loom_recording *recording;
    struct loom_recording_totals totals;

    record(source, &totals);
    EXPECT(totals.blocks > 2 * CTAS);
    REQUIRE(loom_recording_open(FILE_NAME, &recording, &err));
    streams = loom_recording_streams(recording, 0);
    REQUIRE(streams != NULL);
    for (size_t i = 0; i < LOOM_COUNTOF(order); i++) {
        expect_cta(source, streams, order[i]);
    }
    loom_recording_streams_close(streams);
    loom_recording_close(recording);
    drop_source(source);
    unlink(FILE_NAME);
}

static void launches_may_overlap(void)
{
    struct source *a = make_source(6, 50), *b = make_source(8, 90);
    struct loom_recording_writer *writer;
    struct loom_recording *recording;

    REQUIRE(loom_recording_create(FILE_NAME, &writer, &err));
    REQUIRE(loom_recording_attach(writer, &a->kernel, 0, &err));
    REQUIRE(loom_recording_attach(writer, &b->kernel, 1, &err));
    for (uint32_t cta = 0; cta < CTAS; cta++) {
        run_cta(b, cta);
        run_cta(a, cta);
    }
    REQUIRE(loom_recording_finish(writer, NULL, &err));
    REQUIRE(loom_recording_open(FILE_NAME, &recording, &err));
    EXPECT_EQ(loom_recording_kernel_count(recording), 1); /* equal tables */
    EXPECT_EQ(loom_recording_launch_count(recording), 2);
    for (uint32_t i = 0; i < 2; i++) {
        struct loom_recording_stream *s = loom_recording_streams(recording, i);

        EXPECT_EQ(loom_recording_launch(recording, i)->stream, i);
        for (uint32_t cta = 0; cta < CTAS; cta++) {
            expect_cta(i == 0 ? a : b, s, cta);
        }
        loom_recording_streams_close(s);
    }
    loom_recording_close(recording);
    drop_source(a);
    drop_source(b);
    unlink(FILE_NAME);
}

static void cut_launch_says_so(void)
{
    struct source *source = make_source(10, 20);
    struct loom_recording_writer *writer;
    struct loom_recording_stream *streams;
    struct loom_recording *recording;
    struct loom_cta_stream *stream;

    REQUIRE(loom_recording_create(FILE_NAME, &writer, &err));
    REQUIRE(loom_recording_attach(writer, &source->kernel, 0, &err));
    run_cta(source, 0);
    loom_recording_detach(writer, &source->kernel);
    EXPECT(source->kernel.source == &source->base);
    REQUIRE(loom_recording_finish(writer, NULL, &err));
    REQUIRE(loom_recording_open(FILE_NAME, &recording, &err));
    EXPECT_EQ(loom_recording_launch(recording, 0)->ctas, 1);
    streams = loom_recording_streams(recording, 0);
    expect_cta(source, streams, 0);
    EXPECT(!loom_recording_produce(streams, NULL, 1, &stream, &err));
    EXPECT_TEXT(err.text, "CTA 1 of launch 0 is not in it");
    loom_recording_streams_close(streams);
    loom_recording_close(recording);
    drop_source(source);
    unlink(FILE_NAME);
}

static void events_come_back_in_order(void)
{
    struct source *source = make_source(12, 5);
    struct loom_recording_event event = {
        LOOM_RECORD_UPLOAD, 1, 0, 0x1000, 64, "A"};
    struct loom_recording_writer *writer;
    struct loom_recording *recording;
    const struct loom_recording_event *got;

    REQUIRE(loom_recording_create(FILE_NAME, &writer, &err));
    REQUIRE(loom_recording_event(writer, &event, &err));
    REQUIRE(loom_recording_attach(writer, &source->kernel, 0, &err));
    event = (struct loom_recording_event){.kind = LOOM_RECORD_SNAPSHOT,
                                          .name = "half"};
    REQUIRE(loom_recording_event(writer, &event, &err));
    REQUIRE(loom_recording_finish(writer, NULL, &err));
    REQUIRE(loom_recording_open(FILE_NAME, &recording, &err));
    REQUIRE(loom_recording_event_count(recording) == 3);
    got = loom_recording_get_event(recording, 0);
    EXPECT(got->kind == LOOM_RECORD_UPLOAD && got->stream == 1 &&
           got->address == 0x1000 && got->bytes == 64);
    EXPECT_TEXT(got->name, "A");
    got = loom_recording_get_event(recording, 1);
    EXPECT(got->kind == LOOM_RECORD_LAUNCH && got->launch == 0);
    got = loom_recording_get_event(recording, 2);
    EXPECT(got->kind == LOOM_RECORD_SNAPSHOT);
    EXPECT_TEXT(got->name, "half");
    loom_recording_close(recording);
    drop_source(source);
    unlink(FILE_NAME);
}

static void abandoned_leaves_nothing(void)
{
    struct source *source = make_source(14, 5);
    struct loom_recording_writer *writer;

    REQUIRE(loom_recording_create(FILE_NAME, &writer, &err));
    REQUIRE(loom_recording_attach(writer, &source->kernel, 0, &err));
    EXPECT_EQ(access(FILE_NAME ".partial", F_OK), 0);
    loom_recording_abandon(writer);
    EXPECT(source->kernel.source == &source->base);
    EXPECT(access(FILE_NAME ".partial", F_OK) != 0);
    EXPECT(access(FILE_NAME, F_OK) != 0);
    EXPECT(!loom_recording_create("no/such/folder/x.wlt", &writer, &err));
    EXPECT_TEXT(err.text, "'no/such/folder/x.wlt.partial' cannot be written");
    drop_source(source);
}

static unsigned char *read_all(size_t *bytes)
{
    FILE *file = fopen(FILE_NAME, "rb");
    unsigned char *data = malloc(1 << 22);

    REQUIRE(file != NULL && data != NULL);
    *bytes = fread(data, 1, 1 << 22, file);
    fclose(file);
    return data;
}

/* Whole or not at all: is the recording in memory good? */
static bool good(const unsigned char *data, size_t bytes)
{
    struct loom_recording *recording;
    bool ok;

    if (!loom_recording_open_memory(data, bytes, &recording, &err)) {
        return false;
    }
    ok = loom_recording_verify(recording, &err);
    loom_recording_close(recording);
    return ok;
}

static void every_damaged_byte_is_found(void)
{
    struct source *source = make_source(16, 12);
    unsigned char *data;
    size_t bytes;

    record(source, NULL);
    data = read_all(&bytes);
    REQUIRE(good(data, bytes));
    for (size_t i = 0; i < bytes; i++) {
        data[i] ^= (unsigned char)(1u << i % 8);
        err.text[0] = 0;
        if (good(data, bytes)) {
            EXPECT_EQ(i, SIZE_MAX); /* tell which byte */
        }
        EXPECT(strstr(err.text, "damaged") != NULL ||
               strstr(err.text, "is not a warploom recording") != NULL);
        data[i] ^= (unsigned char)(1u << i % 8);
    }
    EXPECT(good(data, bytes));
    free(data);
    drop_source(source);
    unlink(FILE_NAME);
}

static void every_cut_is_found(void)
{
    struct source *source = make_source(18, 12);
    unsigned char *data;
    size_t bytes;

    record(source, NULL);
    data = read_all(&bytes);
    for (size_t i = 0; i < bytes; i++) {
        EXPECT(!good(data, i));
    }
    EXPECT(!good(data, bytes - 1));
    EXPECT_TEXT(err.text, "the footer at offset");
    EXPECT(!good(data, 100));
    EXPECT_TEXT(err.text, "block 0 (kernel) at offset 32 is damaged: it is "
                          "cut off");
    EXPECT(!good(data, 32));
    EXPECT_TEXT(err.text, "cut off at offset 32, after 0 blocks");
    EXPECT(!good(data, 31));
    EXPECT_TEXT(err.text, "is not a warploom recording");
    free(data);
    drop_source(source);
    unlink(FILE_NAME);
}

static void missing_file_is_named(void)
{
    struct loom_recording *recording;

    EXPECT(!loom_recording_open("none.wlt", &recording, &err));
    EXPECT_TEXT(err.text, "recording 'none.wlt' cannot be read");
    EXPECT(!loom_recording_open(".", &recording, &err));
    EXPECT_TEXT(err.text, "recording '.'");
}

static void front_end_replays(void)
{
    struct source *source = make_source(20, 9);
    const struct loom_workload_type *type = &replay_workload;
    struct loom_launch_spec spec = {.kernel = "0:test",
                                    .grid = {CTAS, 1, 1},
                                    .block = {WARPS * 32, 1, 1},
                                    .number = 9};
    const struct loom_recorded *item;
    struct loom_program *program;
    struct loom_cta_stream *stream;
    struct loom_kernel *kernel, *other;

    record(source, NULL);
    REQUIRE(type->open(NULL,
                       &(struct loom_program_text){.name = FILE_NAME,
                                                   .text = FILE_NAME,
                                                   .bytes = strlen(FILE_NAME)},
                       &program, &err));
    REQUIRE(type->kernel_count(program) == 1);
    EXPECT_EQ(type->kernel(program, 0)->registers, 21);
    REQUIRE(type->recorded(program, &item) == 1);
    EXPECT_TEXT(item->key, "0:test");
    REQUIRE(type->launch(program, &spec, &kernel, &err));
    EXPECT_EQ(kernel->number, 9);
    EXPECT_EQ(kernel->registers, 21);
    spec.registers = 40;
    REQUIRE(type->launch(program, &spec, &other, &err));
    EXPECT_EQ(other->registers, 40);
    type->retire(program, other);
    REQUIRE(kernel->source->ops->produce(kernel->source, 0, &stream, &err));
    EXPECT(stream->kernel == kernel);
    EXPECT_EQ(stream->warp[0].insts, source->warp[0].insts);
    spec.grid.x = 1;
    EXPECT(!type->launch(program, &spec, &other, &err));
    EXPECT_TEXT(err.text, "'0:test' of the recording has 12 CTAs of 96 "
                          "threads, not 1 of 96");
    spec.kernel = "1:test";
    EXPECT(!type->launch(program, &spec, &other, &err));
    EXPECT_TEXT(err.text,
                "launch '1:test' is not in the recording, which has 1");
    type->close(program); /* with a launch and a stream that nobody freed */
    drop_source(source);
    unlink(FILE_NAME);
}

static void keys_tell_inputs_apart(void)
{
    char text[3][LOOM_DIGEST_TEXT];
    struct loom_stream_key key;

    for (uint32_t i = 0; i < 3; i++) {
        loom_stream_key_init(&key);
        /* The same bytes in another division are another key. */
        loom_stream_key_add(&key, "program", "abc", i == 1 ? 2 : 3);
        loom_stream_key_add(&key, "program", i == 1 ? "cd" : "d",
                            i == 1 ? 2 : 1);
        loom_stream_key_add_number(&key, "seed", i == 2 ? 7 : 6);
        loom_stream_key_text(&key, text[i]);
    }
    EXPECT(strcmp(text[0], text[1]) != 0);
    EXPECT(strcmp(text[0], text[2]) != 0);
    EXPECT_EQ(strlen(text[0]), 64);
}

int main(void)
{
    static const struct loom_test tests[] = {
        {"words_come_back", words_come_back},
        {"tables_come_back", tables_come_back},
        {"any_cta_can_be_first", any_cta_can_be_first},
        {"launches_may_overlap", launches_may_overlap},
        {"cut_launch_says_so", cut_launch_says_so},
        {"events_come_back_in_order", events_come_back_in_order},
        {"abandoned_leaves_nothing", abandoned_leaves_nothing},
        {"every_damaged_byte_is_found", every_damaged_byte_is_found},
        {"every_cut_is_found", every_cut_is_found},
        {"missing_file_is_named", missing_file_is_named},
        {"front_end_replays", front_end_replays},
        {"keys_tell_inputs_apart", keys_tell_inputs_apart},
    };

    return loom_run_tests("recording", tests, LOOM_COUNTOF(tests));
}
