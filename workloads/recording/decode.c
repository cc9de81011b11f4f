/*
 * From columns back to the words of streams; the mirror of encoding.
 *
 * Nothing read is trusted: an index, a mask or a mode that the contract of
 * streams does not allow ends the decoding, as does a column that is too
 * short, and what is written is bounded by what the caller asked for.
 */
#include <stdlib.h>
#include <string.h>

#include "components/mem_protocol.h"
#include "workloads/recording/code_private.h"

/* Head, mask and the full addresses of all lanes. */
#define RECORD_MAX (2u + 2u * LOOM_WARP_LANES)
#define MASK_BIT (1u << 23)
#define MODE_SHIFT 24

bool rec_decode_columns(struct rec_decoder *decoder, const unsigned char *raw,
                        size_t bytes)
{
    struct rec_view all = {raw, raw + bytes, false};
    uint32_t size[REC_COLUMNS];

    for (uint32_t c = 0; c < REC_COLUMNS; c++) {
        size[c] = (uint32_t)rec_get_int(&all, 4);
    }
    for (uint32_t c = 0; c < REC_COLUMNS; c++) {
        const unsigned char *at = rec_get_span(&all, size[c]);

        if (all.bad) {
            return false;
        }
        decoder->column[c] = (struct rec_view){at, at + size[c], false};
    }
    rec_model_reset(&decoder->model);
    decoder->words = 0;
    return all.at == all.end;
}

/* One instruction as it is put together. */
struct piece {
    loom_addr address[LOOM_WARP_LANES];
    uint32_t index, mask, mode, count; /* count of active lanes */
    uint32_t *at;                      /* where its words go */
};

static uint32_t decode_mask(struct rec_decoder *decoder, uint32_t control,
                            uint32_t index)
{
    switch ((enum rec_mask_rule)(control >> REC_MASK_SHIFT & 3)) {
    case REC_MASK_SAME:
        return decoder->model.mask;
    case REC_MASK_FULL:
        return UINT32_MAX;
    case REC_MASK_AGAIN:
        return decoder->model.place[index].mask;
    case REC_MASK_GIVEN:
        break;
    }
    return (uint32_t)rec_get_int(&decoder->column[REC_MASK], 4);
}

static void put_address(struct piece *piece, loom_addr address)
{
    *piece->at++ = (uint32_t)address;
    *piece->at++ = (uint32_t)(address >> 32);
}

/* Words of addresses that the model knew. */
static void put_lanes(struct piece *piece)
{
    uint32_t left = piece->mask;
    loom_addr base = piece->address[loom_lowest(left)];

    if (piece->mode != LOOM_ADDR_LIST) {
        put_address(piece, base);
        left &= left - 1;
    }
    for (; left != 0; left &= left - 1) {
        loom_addr address = piece->address[loom_lowest(left)];

        if (piece->mode == LOOM_ADDR_LIST) {
            put_address(piece, address);
        } else {
            *piece->at++ = (uint32_t)(address - base);
        }
        if (piece->mode == LOOM_ADDR_STRIDE) {
            return;
        }
    }
}

static bool decode_moved(struct rec_decoder *decoder, struct piece *piece,
                         struct rec_lanes *lanes, uint32_t control)
{
    if ((piece->mask & ~lanes->known) != 0 ||
        (piece->mode == LOOM_ADDR_STRIDE && piece->count < 2)) {
        return false;
    }
    if ((control >> REC_ADDR_SHIFT & 3) == REC_ADDR_MOVED) {
        lanes->move = rec_unzigzag(rec_get_varint(&decoder->column[REC_MOVE]));
    }
    for (uint32_t i = 0; i < LOOM_WARP_LANES; i++) {
        piece->address[i] = lanes->address[i] + (uint64_t)lanes->move;
    }
    put_lanes(piece);
    return true;
}

static bool decode_deltas(struct rec_decoder *decoder, struct piece *piece,
                          uint32_t control)
{
    const unsigned char *plane[4];
    uint32_t shift = 0;

    if ((control & REC_SCALED) != 0) {
        shift = rec_width(&decoder->model.inst[piece->index]);
    }
    for (uint32_t p = 0; p < 4; p++) {
        plane[p] =
            rec_get_span(&decoder->column[REC_DELTA0 + p], piece->count - 1);
        if (plane[p] == NULL) {
            return false;
        }
    }
    for (uint32_t k = 0; k + 1 < piece->count; k++) {
        uint32_t code = plane[0][k] | (uint32_t)plane[1][k] << 8 |
                        (uint32_t)plane[2][k] << 16 |
                        (uint32_t)plane[3][k] << 24;

        *piece->at++ = (uint32_t)rec_unzigzag(code) << shift;
    }
    return true;
}

static bool decode_given(struct rec_decoder *decoder, struct piece *piece,
                         const struct rec_lanes *lanes, uint32_t control)
{
    struct rec_view *column = decoder->column;
    uint32_t first = loom_lowest(piece->mask);
    loom_addr base = decoder->model.base;

    if (lanes->known >> first & 1) {
        base = lanes->address[first];
    }
    base += (uint64_t)rec_unzigzag(rec_get_varint(&column[REC_BASE]));
    decoder->model.base = base;
    put_address(piece, base);
    switch ((enum loom_addr_mode)piece->mode) {
    case LOOM_ADDR_NONE:
        return false;
    case LOOM_ADDR_STRIDE:
        *piece->at++ =
            (uint32_t)rec_unzigzag(rec_get_varint(&column[REC_STRIDE]));
        return true;
    case LOOM_ADDR_DELTA:
        return decode_deltas(decoder, piece, control);
    case LOOM_ADDR_LIST:
        for (uint32_t i = 2; i < 2 * piece->count; i++) {
            *piece->at++ = (uint32_t)rec_get_int(&column[REC_LIST], 4);
        }
        return true;
    }
    return false;
}

static bool decode_addresses(struct rec_decoder *decoder, struct piece *piece,
                             uint32_t control)
{
    struct rec_lanes *lanes = rec_model_lanes(&decoder->model, piece->index);
    const uint32_t *words = piece->at;
    uint32_t mask = piece->mask;

    if (lanes == NULL || mask == 0) {
        return false;
    }
    if ((control >> REC_ADDR_SHIFT & 3) != REC_ADDR_GIVEN) {
        if (!decode_moved(decoder, piece, lanes, control)) {
            return false;
        }
    } else {
        struct loom_warp_inst inst = {words, piece->index, mask, piece->mode};

        if (!decode_given(decoder, piece, lanes, control)) {
            return false;
        }
        loom_stream_addresses(&inst, piece->address);
    }
    if (mask == UINT32_MAX) {
        memcpy(lanes->address, piece->address, sizeof(lanes->address));
    } else {
        for (uint32_t left = mask; left != 0; left &= left - 1) {
            uint32_t lane = loom_lowest(left);

            lanes->address[lane] = piece->address[lane];
        }
    }
    lanes->known |= mask;
    return true;
}

static const char *decode_inst(struct rec_decoder *decoder,
                               struct rec_words *words)
{
    struct rec_model *model = &decoder->model;
    struct rec_view *column = decoder->column;
    uint32_t control = (uint32_t)rec_get_int(&column[REC_CONTROL], 1);
    uint64_t index = rec_model_next(model);
    size_t before = words->words;
    struct piece piece;

    if ((control & REC_JUMPS) != 0) {
        index += (uint64_t)rec_unzigzag(rec_get_varint(&column[REC_JUMP]));
    }
    if (index >= model->inst_count || column[REC_CONTROL].bad) {
        return "an instruction is not in the kernel";
    }
    piece.index = (uint32_t)index;
    piece.mask = decode_mask(decoder, control, piece.index);
    piece.count = loom_popcount(piece.mask);
    piece.mode = control >> REC_MODE_SHIFT & 3;
    piece.at = words->word + words->words;
    if (!rec_allowed(&model->inst[piece.index], piece.mask, piece.mode)) {
        return "an instruction has lanes or addresses that it cannot have";
    }
    *piece.at++ = piece.index | (piece.mask == UINT32_MAX ? 0 : MASK_BIT) |
                  piece.mode << MODE_SHIFT;
    if (piece.mask != UINT32_MAX) {
        *piece.at++ = piece.mask;
    }
    if (piece.mode != LOOM_ADDR_NONE &&
        !decode_addresses(decoder, &piece, control)) {
        return "an instruction's addresses contradict themselves";
    }
    rec_model_step(model, piece.index, piece.mask);
    words->words = (size_t)(piece.at - words->word);
    decoder->words += words->words - before;
    return decoder->words > REC_STREAM_WORDS_LIMIT ? "it is too large" : NULL;
}

static bool make_room(struct rec_words *words)
{
    size_t capacity = words->capacity == 0 ? 4096 : 2 * words->capacity;
    uint32_t *word = realloc(words->word, capacity * sizeof(*word));

    if (word == NULL) {
        return false;
    }
    words->word = word;
    words->capacity = capacity;
    return true;
}

bool rec_decode(struct rec_decoder *decoder, uint64_t insts,
                struct rec_words *words, const char **why)
{
    for (uint64_t i = 0; i < insts; i++) {
        if (words->capacity - words->words < RECORD_MAX && !make_room(words)) {
            *why = "no memory for its streams";
            return false;
        }
        *why = decode_inst(decoder, words);
        if (*why != NULL) {
            return false;
        }
    }
    for (uint32_t c = 0; c < REC_COLUMNS; c++) {
        if (decoder->column[c].bad) {
            *why = "a column is too short";
            return false;
        }
    }
    return true;
}
