/*
 * Reading the streams of a launch.
 *
 * A reader holds one block and its place in it.  CTAs in ascending order
 * cost one pass over the blocks; going back, or far ahead, starts at the
 * last block that begins before the CTA that is wanted.
 */
#include <stdlib.h>

#include "workloads/recording/code_private.h"
#include "workloads/recording/reader_private.h"

struct rec_cta {
    struct loom_cta_stream stream; /* first */
    struct loom_warp_stream *warp; /* [warp_count] */
    struct rec_words words;
    struct rec_cta *next, *before; /* among those given out, or spare */
};

struct rec_segment {
    uint32_t cta, warp;
    uint64_t insts;
    bool last; /* of its warp */
};

struct loom_recording_stream {
    struct loom_recording *recording;
    const struct rec_launch *launch;
    struct rec_decoder decoder;
    struct rec_bytes raw; /* the block being read */
    struct rec_words scratch;
    struct rec_cta *given, *spare;
    const struct rec_block *block; /* NULL: none yet */
    uint32_t next_block;           /* of the launch */
    struct rec_segment segment;    /* valid if `pending` */
    bool pending;
    uint32_t at; /* CTA that the place is before, if there is a block */
    uint32_t warps;
    uint64_t ctas;
};

struct loom_recording_stream *
loom_recording_streams(struct loom_recording *recording, uint32_t launch)
{
    struct loom_recording_stream *s = calloc(1, sizeof(*s));
    const struct rec_launch *found = &recording->launch[launch];
    const struct rec_kernel *kernel = &recording->kernel[found->seen.kernel];

    if (s == NULL) {
        return NULL;
    }
    s->recording = recording;
    s->launch = found;
    s->warps =
        (uint32_t)((loom_dim3_count(found->seen.block) + LOOM_WARP_LANES - 1) /
                   LOOM_WARP_LANES);
    s->ctas = loom_dim3_count(found->seen.grid);
    if (!rec_model_init(&s->decoder.model, kernel->inst,
                        kernel->info.inst_count)) {
        free(s);
        return NULL;
    }
    return s;
}

static void free_list(struct rec_cta *cta)
{
    while (cta != NULL) {
        struct rec_cta *next = cta->next;

        free(cta->words.word);
        free(cta->warp);
        free(cta);
        cta = next;
    }
}

void loom_recording_streams_close(struct loom_recording_stream *s)
{
    if (s != NULL) {
        free_list(s->given);
        free_list(s->spare);
        free(s->scratch.word);
        rec_free(&s->raw);
        rec_model_free(&s->decoder.model);
        free(s);
    }
}

static const struct rec_block *block_of(const struct loom_recording_stream *s,
                                        uint32_t number)
{
    return &s->recording->block[s->recording->order[s->launch->first + number]];
}

static bool damaged(const struct loom_recording_stream *s,
                    struct loom_error *err, const char *why)
{
    return rec_damaged(err, s->block, why);
}

/* Goes to the next block; false with *err at a damaged one.  At the end,
 * `pending` stays false. */
static bool next_block(struct loom_recording_stream *s, bool *end,
                       struct loom_error *err)
{
    *end = s->next_block == s->launch->count;
    if (*end) {
        return true;
    }
    s->block = block_of(s, s->next_block);
    if (!rec_read_block(s->recording, s->block, &s->raw, err)) {
        return false;
    }
    s->next_block++;
    s->segment.cta = s->block->cta;
    if (!rec_decode_columns(&s->decoder, s->raw.data, s->raw.bytes)) {
        return damaged(s, err, "its columns do not fit");
    }
    return true;
}

/* Looks at the next segment; *end: there is none. */
static bool next_segment(struct loom_recording_stream *s, bool *end,
                         struct loom_error *err)
{
    struct rec_view *view = &s->decoder.column[REC_SEGMENT];
    struct rec_segment *segment = &s->segment;
    uint64_t insts;

    *end = false;
    if (s->pending) {
        return true;
    }
    while (s->block == NULL || view->at == view->end) {
        if (!next_block(s, end, err) || *end) {
            return *end;
        }
    }
    segment->cta += rec_get_small(view, UINT32_MAX);
    segment->warp = rec_get_small(view, UINT32_MAX);
    insts = rec_get_varint(view);
    segment->insts = insts >> 1;
    segment->last = (insts & 1) != 0;
    if (view->bad || segment->cta >= s->ctas || segment->warp >= s->warps) {
        return damaged(s, err, "a piece of a warp is not in the launch");
    }
    s->pending = true;
    return true;
}

static bool take_segment(struct loom_recording_stream *s,
                         struct rec_words *words, struct loom_error *err)
{
    const char *why;

    s->pending = false;
    rec_model_warp(&s->decoder.model);
    if (!rec_decode(&s->decoder, s->segment.insts, words, &why)) {
        return damaged(s, err, why);
    }
    return true;
}

static void seek(struct loom_recording_stream *s, uint32_t cta)
{
    uint32_t low = 0, high = s->launch->count;

    /* Number of blocks that begin before the CTA. */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (block_of(s, middle)->cta < cta) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low = low > 0 ? low - 1 : 0;
    if (s->block == NULL || s->at > cta || s->next_block <= low) {
        s->block = NULL;
        s->pending = false;
        s->next_block = low;
    }
    s->at = cta;
}

static bool decode_warp(struct loom_recording_stream *s, struct rec_cta *cta,
                        uint32_t warp, struct loom_error *err)
{
    struct loom_warp_stream *stream = &cta->warp[warp];
    size_t before = cta->words.words;
    bool last = false;

    stream->insts = 0;
    while (!last) {
        bool end;

        if (!next_segment(s, &end, err)) {
            return false;
        }
        if (end) {
            return loom_fail(err, LOOM_ERR_INPUT,
                             "CTA %lu of launch %lu is not complete in it",
                             (unsigned long)cta->stream.cta,
                             (unsigned long)(s->launch - s->recording->launch));
        }
        if (s->segment.cta != cta->stream.cta || s->segment.warp != warp) {
            return damaged(s, err, "a warp is missing");
        }
        if (!take_segment(s, &cta->words, err)) {
            return false;
        }
        stream->insts += s->segment.insts;
        last = s->segment.last;
    }
    stream->words = cta->words.words - before;
    return true;
}

/* Moves to the first segment of a CTA. */
static bool find_cta(struct loom_recording_stream *s, uint32_t cta,
                     struct loom_error *err)
{
    bool end = false;

    seek(s, cta);
    while (next_segment(s, &end, err)) {
        if (end) {
            return loom_fail(err, LOOM_ERR_INPUT,
                             "CTA %lu of launch %lu is not in it: the "
                             "recorded run was cut short",
                             (unsigned long)cta,
                             (unsigned long)(s->launch - s->recording->launch));
        }
        if (s->segment.cta >= cta) {
            return true;
        }
        s->scratch.words = 0;
        if (!take_segment(s, &s->scratch, err)) {
            return false;
        }
    }
    return false;
}

static struct rec_cta *new_cta(struct loom_recording_stream *s)
{
    struct rec_cta *cta = s->spare;

    if (cta != NULL) {
        s->spare = cta->next;
    } else {
        cta = calloc(1, sizeof(*cta));
        if (cta == NULL) {
            return NULL;
        }
        cta->warp = calloc(s->warps, sizeof(*cta->warp));
        if (cta->warp == NULL) {
            free(cta);
            return NULL;
        }
    }
    cta->words.words = 0;
    cta->next = s->given;
    cta->before = NULL;
    if (s->given != NULL) {
        s->given->before = cta;
    }
    s->given = cta;
    return cta;
}

static bool fill_cta(struct loom_recording_stream *s, struct rec_cta *cta,
                     struct loom_error *err)
{
    const uint32_t *at;

    if (!find_cta(s, cta->stream.cta, err)) {
        return false;
    }
    for (uint32_t w = 0; w < s->warps; w++) {
        if (!decode_warp(s, cta, w, err)) {
            return false;
        }
    }
    s->at = cta->stream.cta + 1;
    /* The buffer moved while it grew. */
    at = cta->words.word;
    for (uint32_t w = 0; w < s->warps; w++) {
        cta->warp[w].word = at;
        at = at == NULL ? NULL : at + cta->warp[w].words;
    }
    return true;
}

bool loom_recording_produce(struct loom_recording_stream *s,
                            const struct loom_kernel *kernel, uint32_t cta,
                            struct loom_cta_stream **stream,
                            struct loom_error *err)
{
    struct rec_cta *made = new_cta(s);
    struct loom_error why;

    if (made == NULL) {
        return loom_fail(err, LOOM_ERR_MEMORY, "no memory for a CTA's stream");
    }
    made->stream = (struct loom_cta_stream){kernel, cta, s->warps, made->warp};
    if (!fill_cta(s, made, &why)) {
        s->block = NULL;
        s->pending = false;
        s->next_block = 0;
        loom_recording_release(s, &made->stream);
        return loom_fail(err, why.kind, "recording '%s': %s",
                         s->recording->path, why.text);
    }
    *stream = &made->stream;
    return true;
}

void loom_recording_release(struct loom_recording_stream *s,
                            struct loom_cta_stream *stream)
{
    struct rec_cta *cta = (struct rec_cta *)stream;

    if (cta->before != NULL) {
        cta->before->next = cta->next;
    } else {
        s->given = cta->next;
    }
    if (cta->next != NULL) {
        cta->next->before = cta->before;
    }
    cta->next = s->spare;
    s->spare = cta;
}

static bool verify_launch(struct loom_recording *recording, uint32_t number,
                          struct loom_error *err)
{
    const struct loom_recorded_launch *launch =
        loom_recording_launch(recording, number);
    struct loom_recording_stream *s = loom_recording_streams(recording, number);
    bool ok =
        s != NULL || loom_fail(err, LOOM_ERR_MEMORY, "no memory for streams");
    uint64_t insts = 0;

    for (uint64_t cta = 0; ok && cta < launch->ctas; cta++) {
        struct loom_cta_stream *stream;

        ok = loom_recording_produce(s, NULL, (uint32_t)cta, &stream, err);
        for (uint32_t w = 0; ok && w < stream->warp_count; w++) {
            insts += stream->warp[w].insts;
        }
        if (ok) {
            loom_recording_release(s, stream);
        }
    }
    loom_recording_streams_close(s);
    if (ok && insts != launch->insts) {
        return loom_fail(err, LOOM_ERR_INPUT,
                         "recording '%s': launch %lu has %llu instructions, "
                         "expected %llu",
                         recording->path, (unsigned long)number,
                         (unsigned long long)insts,
                         (unsigned long long)launch->insts);
    }
    return ok;
}

bool loom_recording_verify(struct loom_recording *recording,
                           struct loom_error *err)
{
    for (uint32_t i = 0; i < recording->launches; i++) {
        if (!verify_launch(recording, i, err)) {
            return false;
        }
    }
    return true;
}
