/*
 * gpgpusim_map: the address decoding of GPGPU-Sim (addrdec.cc, 3.2.2).
 *
 * The channel is taken from the address above `channel_bit` by a remainder,
 * which for a power of two is a field of bits; what is left after the channel
 * has been squeezed out is the `rest`:
 *
 *     q = address >> channel_bit;  channel = q mod channels
 *     rest = (q div channels) << channel_bit | (address mod 2^channel_bit)
 *
 * Bank, row, column and slice are bits of `rest`, picked by lists of bit
 * numbers (lowest first), which say what GPGPU-Sim's mask letters say.  The
 * slice's bits are bank bits too: the slices of a channel divide its banks.
 * Columns count bursts of 64 bytes (atoms), so the mask's S bits are no part
 * of them.  Bits of `rest` that no list names do not matter to the DRAM.
 *
 * An L2 slice indexes its sets with `local`: rest without the slice's bits.
 *
 * `hash` (-gpgpu_memory_partition_indexing of version 4) changes which channel
 * and slice serve an address, and nothing else:
 *
 *     xor     channel ^= lowest bits above channel and slice (powers of two)
 *     ipoly   slice of all := hash of the same bits, modulo the slices if
 *             their number is no power of two
 *     random  slice of all := a random number for each block of half the
 *             interleave; here a hash, there rand() in order of first use
 *     rotate  slice of all += a hash of the local address, modulo their
 *             number; not in GPGPU-Sim
 *
 * With none, xor and rotate, and ipoly of a power of two of channels, no two
 * addresses share a place; ipoly and random of other numbers give some slices
 * more than others, as there.
 */
#include <string.h>

#include "policies/dram_hook.h"
#include "policies/lib/ipoly.h"

enum {
    RUNS = 16, /* of a list of bits */
    LISTS = 5,
    COLUMN = 32,
    BITS = 48 /* of `rest` that can be picked */
};

enum hash {
    HASH_NONE,
    HASH_XOR,
    HASH_IPOLY,
    HASH_RANDOM,
    HASH_ROTATE
};

static const char *const hashes[] = {"none",   "xor",    "ipoly",
                                     "random", "rotate", NULL};

struct map_config {
    uint32_t channel_bit;
    const char *hash;
    struct loom_list slice_bits, bank_bits, row_bits, column_bits;
};

/* Bits that are neighbours in the address and in the result move together. */
struct run {
    uint64_t mask; /* in the result's place; 0: behind a field's last run */
    uint32_t by;   /* the address is rotated left by this */
};

struct field {
    uint8_t first, runs; /* of the map's */
};

/* A parameter. */
struct bits {
    struct loom_list list;
    const char *name;
};

/* In the order in which it is used, on few cache lines. */
struct map {
    uint64_t inverse; /* 2^64 / channels, rounded up; 0: divide */
    uint64_t offset_mask;
    uint32_t channels, slices;
    struct field slice, local; /* local: rest without the slice's bits */
    struct field bank, cell;   /* cell: row, and column from COLUMN on */
    uint8_t channel_bit;
    uint8_t hash; /* enum hash */
    struct run run[LISTS * (RUNS + 1)];
    uint32_t high_shift; /* address bits below those that are hashed in */
    struct loom_ipoly poly;
};

static inline uint64_t pick(const struct map *map, struct field field,
                            uint64_t rest)
{
    uint64_t value = 0;

    for (const struct run *run = &map->run[field.first]; run->mask != 0;
         run++) {
        value |= (rest << run->by | rest >> (-run->by & 63)) & run->mask;
    }
    return value;
}

/* The next field's runs stand behind those of `before` and their end. */
static void begin(struct field *field, struct field before)
{
    field->first = (uint8_t)(before.first + before.runs + 1);
}

/* Appends bit `from` of the address as bit `to` of the field that was begun
 * last and may have so many runs. */
static bool add_bit(struct map *map, struct field *field, uint32_t limit,
                    uint32_t from, uint32_t to)
{
    struct run *run = NULL;

    if (field->runs != 0) {
        run = &map->run[field->first + field->runs - 1];
    }
    if (run == NULL || run->by != ((to - from) & 63) ||
        (run->mask & loom_bit(to - 1)) == 0) {
        if (field->runs == limit) {
            return false;
        }
        run = &map->run[field->first + field->runs++];
        run->by = (to - from) & 63;
    }
    run->mask |= loom_bit(to);
    return true;
}

/* A list of bits, to the field that was begun last, from bit `to` on. */
static bool compile(struct map *map, struct field *field,
                    const struct bits *bits, uint32_t to,
                    struct loom_error *err)
{
    uint32_t limit = field->runs + RUNS;
    uint64_t seen = 0;

    for (uint32_t i = 0; i < bits->list.count; i++) {
        uint32_t bit = (uint32_t)bits->list.item[i];

        if ((seen & loom_bit(bit)) != 0) {
            return loom_fail(err, LOOM_ERR_CONFIG,
                             "parameter '%s' names bit %u twice", bits->name,
                             bit);
        }
        seen |= loom_bit(bit);
        if (!add_bit(map, field, limit, bit, to + i)) {
            return loom_fail(err, LOOM_ERR_CONFIG,
                             "parameter '%s' has more than %d separate runs "
                             "of bits",
                             bits->name, RUNS);
        }
    }
    return true;
}

static bool map_validate(const void *untyped, struct loom_error *err)
{
    const struct map_config *config = untyped;

    if (config->bank_bits.count > 6 || config->row_bits.count > 32 ||
        config->column_bits.count > 32 || config->slice_bits.count > 8) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "%u bank, %u row, %u column and %u slice bits, "
                         "expected at most 6, 32, 32 and 8",
                         config->bank_bits.count, config->row_bits.count,
                         config->column_bits.count, config->slice_bits.count);
    }
    return true;
}

/* As many of the slice's bits as the shape has slices. */
static bool compile_slice(struct map *map, const struct map_config *config,
                          struct loom_error *err)
{
    struct bits bits = {config->slice_bits, "slice_bits"};
    uint64_t taken = 0;
    uint32_t to = 0;

    if (!loom_is_power_of_2(map->slices) ||
        loom_log2(map->slices) > bits.list.count) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "%u slices per channel, expected a power of two of "
                         "at most the %u bits of parameter 'slice_bits'",
                         map->slices, bits.list.count);
    }
    bits.list.count = loom_log2(map->slices);
    if (!compile(map, &map->slice, &bits, 0, err)) {
        return false;
    }
    begin(&map->local, map->slice);
    for (uint32_t i = 0; i < bits.list.count; i++) {
        taken |= loom_bit((uint32_t)bits.list.item[i]);
    }
    for (uint32_t from = 0; from < 64; from++) {
        if ((taken & loom_bit(from)) == 0 &&
            !add_bit(map, &map->local, RUNS, from, to++)) {
            return loom_fail(err, LOOM_ERR_CONFIG,
                             "parameter 'slice_bits' has too many runs");
        }
    }
    return true;
}

static uint32_t log2_up(uint32_t n)
{
    return n <= 1 ? 0 : loom_log2(n - 1) + 1;
}

static bool choose_hash(struct map *map, const struct map_config *config,
                        struct loom_error *err)
{
    uint32_t channels = log2_up(map->channels);
    uint32_t bits = channels + log2_up(map->slices);

    while (strcmp(hashes[map->hash], config->hash) != 0) {
        map->hash++;
    }
    map->high_shift = config->channel_bit + bits;
    if (map->hash == HASH_XOR && !loom_is_power_of_2(map->channels)) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "parameter 'hash' is xor with %u channels, expected "
                         "a power of two",
                         map->channels);
    }
    if (map->hash == HASH_IPOLY && (bits == 0 || bits > LOOM_IPOLY_BITS)) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "parameter 'hash' is ipoly with %u slices in all, "
                         "expected 2..%u",
                         map->channels * map->slices, 1u << LOOM_IPOLY_BITS);
    }
    if (map->hash == HASH_IPOLY) {
        loom_ipoly_init(&map->poly, bits, 0);
    }
    return true;
}

static bool compile_fields(struct map *map, const struct map_config *config,
                           struct loom_error *err)
{
    const struct bits bank = {config->bank_bits, "bank_bits"};
    const struct bits row = {config->row_bits, "row_bits"};
    const struct bits column = {config->column_bits, "column_bits"};

    begin(&map->bank, map->local);
    if (!compile(map, &map->bank, &bank, 0, err)) {
        return false;
    }
    begin(&map->cell, map->bank);
    return compile(map, &map->cell, &row, 0, err) &&
           compile(map, &map->cell, &column, COLUMN, err);
}

static bool map_bind(struct loom_policy *self,
                     const struct loom_map_shape *shape, struct loom_error *err)
{
    const struct map_config *config = loom_policy_config(self);
    struct map *map = loom_policy_state(self);
    uint32_t banks = 1u << config->bank_bits.count;

    if (shape->banks != 0 && banks > shape->banks) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "the %u bits of parameter 'bank_bits' of the map name "
                         "%u banks, but the channel has %u",
                         config->bank_bits.count, banks, shape->banks);
    }
    *map = (struct map){0}; /* one policy may serve several components */
    map->channels = shape->channels;
    map->slices = shape->slices_per_channel;
    map->channel_bit = (uint8_t)config->channel_bit;
    map->offset_mask = loom_bit(config->channel_bit) - 1;
    if (map->channels <= map->offset_mask) {
        map->inverse = UINT64_MAX / map->channels + 1;
    }
    return choose_hash(map, config, err) && compile_slice(map, config, err) &&
           compile_fields(map, config, err);
}

/* Splitmix64's finalizer (Steele, Lea, Flood, OOPSLA 2014). */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Channel and slice by hash; `high` is the address above the channel. */
static void rehash(const struct map *map, loom_addr address, uint64_t high,
                   uint32_t channel_bit, struct loom_place *place)
{
    uint32_t all = map->channels * map->slices;
    bool gap = !loom_is_power_of_2(map->channels);
    uint64_t above = gap ? high : address >> map->high_shift;
    uint32_t slice = place->slice;

    if (map->hash == HASH_XOR) {
        slice ^= ((uint32_t)above & (map->channels - 1)) * map->slices;
    } else if (map->hash == HASH_IPOLY) {
        slice = loom_ipoly_hash(&map->poly, above, slice);
        slice = gap ? slice % all : slice;
    } else if (map->hash == HASH_RANDOM) {
        slice = (uint32_t)(mix((address >> (channel_bit - 1)) + 1) % all);
    } else { /* what the local address has above an interleave */
        slice += (uint32_t)(mix(place->local >> channel_bit) % all);
        slice = slice >= all ? slice - all : slice;
    }
    place->slice = slice;
    place->channel = slice / map->slices;
}

/* q / channels.  The product with the inverse is too large by less than one
 * in 2^64 / channels as long as q * channels is less than 2^64, and q has
 * channel_bit leading zeros (Granlund and Montgomery, PLDI 1994). */
static inline uint64_t divide(const struct map *map, uint64_t q)
{
    if (LOOM_LIKELY(map->inverse != 0)) {
        return (uint64_t)((loom_u128)q * map->inverse >> 64);
    }
    return q / map->channels;
}

/* An address whose channel has been squeezed out. */
struct squeezed {
    uint64_t high, rest;
    uint32_t channel;
};

static inline struct squeezed squeeze(const struct map *map, loom_addr address)
{
    uint64_t q = address >> map->channel_bit;
    struct squeezed s;

    s.high = divide(map, q);
    s.rest = s.high << map->channel_bit | (address & map->offset_mask);
    s.channel = (uint32_t)(q - s.high * map->channels);
    return s;
}

static inline uint32_t slice_of(const struct map *map, struct squeezed s)
{
    return s.channel * map->slices + (uint32_t)pick(map, map->slice, s.rest);
}

static inline void find_cell(const struct map *map, uint64_t rest,
                             struct loom_place *place)
{
    uint64_t cell = pick(map, map->cell, rest);

    place->bank = (uint32_t)pick(map, map->bank, rest);
    place->row = (uint32_t)cell;
    place->column = (uint32_t)(cell >> COLUMN);
}

static void map_map(struct loom_policy *self, loom_addr address,
                    struct loom_place *place)
{
    const struct map *map = loom_policy_state(self);
    struct squeezed s = squeeze(map, address);

    place->channel = s.channel;
    place->slice = slice_of(map, s);
    place->local = pick(map, map->local, s.rest);
    find_cell(map, s.rest, place);
    if (map->hash != HASH_NONE) {
        rehash(map, address, s.high, map->channel_bit, place);
    }
}

static LOOM_NOINLINE uint32_t hashed_slice(struct loom_policy *self,
                                           loom_addr address)
{
    struct loom_place place;

    map_map(self, address, &place);
    return place.slice;
}

static uint32_t map_slice(struct loom_policy *self, loom_addr address)
{
    const struct map *map = loom_policy_state(self);

    if (map->hash != HASH_NONE) {
        return hashed_slice(self, address);
    }
    return slice_of(map, squeeze(map, address));
}

/* A hash changes neither of these. */
static loom_addr map_local(struct loom_policy *self, loom_addr address)
{
    const struct map *map = loom_policy_state(self);

    return pick(map, map->local, squeeze(map, address).rest);
}

static void map_cell(struct loom_policy *self, loom_addr address,
                     struct loom_place *place)
{
    const struct map *map = loom_policy_state(self);

    find_cell(map, squeeze(map, address).rest, place);
}

/* GPGPU-Sim 3.2.2, GTX480, from the highest bit of `rest`:
 * 0000RRRR RRRRRRRR BBBCCCCB CCSSSSSS. */
static const uint64_t gtx480_slice[] = {8};
static const uint64_t gtx480_bank[] = {8, 13, 14, 15};
static const uint64_t gtx480_row[] = {16, 17, 18, 19, 20, 21,
                                      22, 23, 24, 25, 26, 27};
static const uint64_t gtx480_column[] = {6, 7, 9, 10, 11, 12};

#define GTX480 "GPGPU-Sim 3.2.2, GTX480, dramid@8"

#define BIT_LIST(field_, array, doc_)                                          \
    LOOM_PARAM(struct map_config, field_,                                      \
               .def = {.list = {array, LOOM_COUNTOF(array)}},                  \
               .max = {.u = BITS - 1}, .source = GTX480, .doc = doc_)

static const struct loom_param map_params[] = {
    LOOM_PARAM(struct map_config, channel_bit, .def = {.u = 8}, .min = {.u = 7},
               .max = {.u = 40}, .source = GTX480,
               .doc = "Lowest address bit that chooses the channel"),
    LOOM_PARAM(struct map_config, hash, .unit = LOOM_UNIT_NONE,
               .def = {.s = "none"}, .choices = hashes,
               .doc = "How higher address bits change the channel and slice",
               .source = "GPGPU-Sim 4, -gpgpu_memory_partition_indexing"),
    BIT_LIST(slice_bits, gtx480_slice,
             "Bits that choose the slice of a channel, lowest first"),
    BIT_LIST(bank_bits, gtx480_bank, "Bits of the bank, lowest first"),
    BIT_LIST(row_bits, gtx480_row, "Bits of the row, lowest first"),
    BIT_LIST(column_bits, gtx480_column,
             "Bits of the column in bursts, lowest first"),
};

static const struct loom_map_ops map_ops = {
    .bind = map_bind,
    .map = map_map,
    .slice = map_slice,
    .local = map_local,
    .cell = map_cell,
};

const struct loom_policy_type gpgpusim_map_policy = {
    .name = "gpgpusim_map",
    .doc = "Address decoding by bit masks, as GPGPU-Sim's dramid@8",
    .state_size = sizeof(struct map),
    .config_size = sizeof(struct map_config),
    .params = LOOM_SLICE(map_params),
    .facets = LOOM_FACETS({&loom_map_hook, &map_ops}),
    .validate = map_validate,
    .cost = loom_cost_none,
};
