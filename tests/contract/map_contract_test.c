/*
 * What every address map owes a memory system: no two bursts share a place in
 * the DRAM, no two blocks of a slice its local address, and every slice gets
 * as much as the others; for every number of channels, powers of two or not.
 *
 * The maps that hash as GPGPU-Sim does where the number of channels is no
 * power of two (ipoly, random) break this, as there; that they do is tested,
 * because their page says so.
 *
 * Who asks for a part of a place gets what the whole place has.
 *
 * links: policy_gpgpusim_map policy_linear_map
 */
#include <stdlib.h>
#include <string.h>

#include "engine/machine.h"

#include "policies/dram_hook.h"
#include "tests/unit/test.h"

extern const struct loom_policy_type gpgpusim_map_policy;
extern const struct loom_policy_type linear_map_policy;

enum {
    CHANNELS = 40,
    BLOCKS = 512, /* of a slice */
    BLOCK = 128,
    ATOM = 64,
    BANKS = 16,
    ROWS = 4, /* of a bank that the range reaches */
    COLUMNS = 64
};

struct rig {
    struct loom_machine *machine;
    struct loom_policy *policy;
    const struct loom_map_ops *ops;
};

/* Slices of a channel take turns every 256 bytes of it. */
static void set_bits(struct loom_policy *policy, uint32_t slices)
{
    static const uint64_t slice[] = {8, 9};
    static const uint64_t bank[] = {8, 13, 14, 15};
    static const uint64_t row[] = {16, 17, 18, 19, 20, 21};
    static const uint64_t column[] = {6, 7, 9, 10, 11, 12};
    struct loom_error err;

    REQUIRE(loom_machine_set_policy(
        policy, "slice_bits",
        (union loom_value){.list = {slice, loom_log2(slices)}}, &err));
    REQUIRE(loom_machine_set_policy(
        policy, "bank_bits", (union loom_value){.list = {bank, 4}}, &err));
    REQUIRE(loom_machine_set_policy(
        policy, "row_bits", (union loom_value){.list = {row, 6}}, &err));
    REQUIRE(loom_machine_set_policy(
        policy, "column_bits", (union loom_value){.list = {column, 6}}, &err));
}

/* `hash` NULL: the linear map. */
static struct rig build(const char *hash, uint32_t channels, uint32_t slices)
{
    const struct loom_policy_type *type =
        hash != NULL ? &gpgpusim_map_policy : &linear_map_policy;
    struct loom_map_shape shape = {channels, slices, 0};
    struct rig rig = {.machine = loom_machine_create(1)};
    struct loom_error err;

    rig.policy = loom_machine_add_policy(rig.machine, type, "m.map", &err);
    rig.ops = loom_policy_type_ops(type, &loom_map_hook);
    REQUIRE(rig.policy != NULL && rig.ops != NULL);
    if (hash != NULL) {
        set_bits(rig.policy, slices);
        REQUIRE(loom_machine_set_policy(rig.policy, "hash",
                                        (union loom_value){.s = hash}, &err));
    }
    REQUIRE(rig.ops->bind(rig.policy, &shape, &err));
    return rig;
}

/* Bursts whose place in the DRAM another has, or that have none. */
static uint32_t shared_places(struct rig *rig, uint32_t channels,
                              uint32_t slices)
{
    size_t places = (size_t)channels * BANKS * ROWS * COLUMNS;
    unsigned char *seen = calloc(places, 1);
    uint64_t bytes = (uint64_t)channels * slices * BLOCKS * BLOCK;
    uint32_t wrong = 0;

    REQUIRE(seen != NULL);
    for (loom_addr a = 0; a < bytes; a += ATOM) {
        struct loom_place p = {0};
        size_t at;

        rig->ops->map(rig->policy, a, &p);
        at = (((size_t)p.channel * BANKS + p.bank) * ROWS + p.row) * COLUMNS +
             p.column;
        if (p.channel >= channels || p.bank >= BANKS || p.row >= ROWS ||
            p.column >= COLUMNS || p.slice / slices != p.channel ||
            seen[at]++ != 0) {
            wrong++;
        }
    }
    free(seen);
    return wrong;
}

/* Blocks whose local address another of the slice has, or that is not among
 * the first BLOCKS: none, if the map is one to one and balanced. */
static uint32_t shared_locals(struct rig *rig, uint32_t channels,
                              uint32_t slices)
{
    uint32_t all = channels * slices;
    unsigned char *seen = calloc((size_t)all * BLOCKS, 1);
    uint32_t wrong = 0;

    REQUIRE(seen != NULL);
    for (loom_addr b = 0; b < (loom_addr)all * BLOCKS; b++) {
        struct loom_place p = {0};
        uint64_t n;

        rig->ops->map(rig->policy, b * BLOCK + 96, &p);
        n = p.local / BLOCK;
        if (p.slice >= all || p.local % BLOCK != 96 || n >= BLOCKS ||
            seen[p.slice * BLOCKS + n]++ != 0) {
            wrong++;
        }
    }
    free(seen);
    return wrong;
}

static void expect_one_to_one(const char *hash, uint32_t channels,
                              uint32_t slices)
{
    struct rig rig = build(hash, channels, slices);

    EXPECT_EQ(shared_places(&rig, channels, slices), 0);
    EXPECT_EQ(shared_locals(&rig, channels, slices), 0);
    loom_machine_destroy(rig.machine);
}

static void maps_are_one_to_one(void)
{
    static const char *const any[] = {NULL, "none", "rotate"};
    static const char *const powers[] = {"xor", "ipoly"};

    for (uint32_t channels = 1; channels <= CHANNELS; channels++) {
        for (uint32_t slices = 1; slices <= 4; slices *= 2) {
            for (size_t i = 0; i < LOOM_COUNTOF(any); i++) {
                expect_one_to_one(any[i], channels, slices);
            }
            if (loom_is_power_of_2(channels) && channels * slices > 1) {
                for (size_t i = 0; i < LOOM_COUNTOF(powers); i++) {
                    expect_one_to_one(powers[i], channels, slices);
                }
            }
        }
    }
}

/* Every power of two of slices that there may be. */
static void ipoly_exists_for_every_power_of_two(void)
{
    for (uint32_t channels = 2; channels <= 2048; channels *= 2) {
        struct rig rig = build("ipoly", channels, 2);

        EXPECT_EQ(shared_locals(&rig, channels, 2), 0);
        loom_machine_destroy(rig.machine);
    }
}

/* Strides of as many blocks as there are channels meet all slices. */
static void rotation_spreads_strides(void)
{
    for (uint32_t channels = 3; channels <= CHANNELS; channels += 3) {
        struct rig rig = build("rotate", channels, 2);
        uint32_t count[2 * CHANNELS] = {0};

        for (uint32_t i = 0; i < 100 * 2 * channels; i++) {
            struct loom_place p = {0};

            rig.ops->map(rig.policy, (loom_addr)i * channels * 512, &p);
            count[p.slice]++;
        }
        for (uint32_t i = 0; i < 2 * channels; i++) {
            EXPECT(count[i] > 50 && count[i] < 160);
        }
        loom_machine_destroy(rig.machine);
    }
}

static void the_others_are_as_their_page_says(void)
{
    static const char *const hash[] = {"ipoly", "random"};

    for (size_t i = 0; i < LOOM_COUNTOF(hash); i++) {
        struct rig rig = build(hash[i], 6, 2);

        EXPECT(shared_locals(&rig, 6, 2) > 0);
        loom_machine_destroy(rig.machine);
    }
}

/* Addresses of which a part differs from the same in the whole place. */
static uint32_t other_parts(struct rig *rig)
{
    uint32_t wrong = 0;
    loom_addr a = 0;

    for (uint32_t i = 0; i < 4096; i++) {
        struct loom_place whole = {0}, cell = {0};

        a = a * 5 + 0x1234567 * (loom_addr)i + 1;
        a &= (UINT64_C(1) << 47) - 1;
        rig->ops->map(rig->policy, a, &whole);
        loom_map_cell(rig->ops, rig->policy, a, &cell);
        if (loom_map_slice(rig->ops, rig->policy, a) != whole.slice ||
            loom_map_local(rig->ops, rig->policy, a) != whole.local ||
            cell.bank != whole.bank || cell.row != whole.row ||
            cell.column != whole.column) {
            wrong++;
        }
    }
    return wrong;
}

static void parts_are_those_of_the_place(void)
{
    static const char *const hash[] = {NULL,    "none",   "xor",
                                       "ipoly", "random", "rotate"};

    for (size_t i = 0; i < LOOM_COUNTOF(hash); i++) {
        struct rig two = build(hash[i], 8, 4);

        EXPECT_EQ(other_parts(&two), 0);
        loom_machine_destroy(two.machine);
        if (hash[i] == NULL || strcmp(hash[i], "xor") != 0) {
            struct rig six = build(hash[i], 6, 2);

            EXPECT_EQ(other_parts(&six), 0);
            loom_machine_destroy(six.machine);
        }
    }
}

static const struct loom_test tests[] = {
    {"parts_are_those_of_the_place", parts_are_those_of_the_place},
    {"maps_are_one_to_one", maps_are_one_to_one},
    {"ipoly_exists_for_every_power_of_two",
     ipoly_exists_for_every_power_of_two},
    {"rotation_spreads_strides", rotation_spreads_strides},
    {"the_others_are_as_their_page_says", the_others_are_as_their_page_says},
};

int main(void)
{
    return loom_run_tests("map_contract", tests, LOOM_COUNTOF(tests));
}
