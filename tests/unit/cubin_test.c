/*
 * Machine code: what it says of its kernels, and damage of every kind.
 * links: loom_fatbin
 */
#include <stdlib.h>

#include "cuda/cubin.h"
#include "cuda/fatbin.h"
#include "tests/cuda/make_cubin.h"
#include "tests/cuda/make_fatbin.h"
#include "tests/unit/test.h"

static const struct make_cubin old = {"heavy", 71, 1200, 16, 256, true};
static const struct make_cubin new = {"heavy", 40, 1200, 256, 0, false};

/* In exactly as many bytes, which a sanitizer watches. */
static bool look(const struct made_cubin *made, size_t size, const char *name,
                 struct loom_cubin_kernel *kernel)
{
    unsigned char *exact = malloc(size > 0 ? size : 1);
    bool ok;

    REQUIRE(exact != NULL);
    memcpy(exact, made->bytes, size);
    ok = loom_cubin_find(exact, size, name, kernel);
    free(exact);
    return ok;
}

static void check(const struct make_cubin *want)
{
    struct loom_cubin_kernel kernel;
    struct made_cubin made;

    make_cubin(&made, want);
    EXPECT(look(&made, made.size, "heavy", &kernel));
    EXPECT_EQ(kernel.registers, want->registers);
    EXPECT_EQ(kernel.shared_bytes, 1200);
    EXPECT_EQ(kernel.local_bytes, 256);
    EXPECT(!look(&made, made.size, "heav", &kernel));
    EXPECT(!look(&made, made.size, "heavy2", &kernel));
    EXPECT(!look(&made, made.size, "", &kernel));
}

static void a_kernel_is_found(void)
{
    check(&old);
    check(&new);
}

static void attributes_come_before_the_header(void)
{
    struct loom_cubin_kernel kernel;
    struct made_cubin made;

    make_cubin(&made, &old);
    make_put(made.bytes + made.info + 8, 4, 72);
    EXPECT(look(&made, made.size, "heavy", &kernel));
    EXPECT_EQ(kernel.registers, 72);
    make_put(made.bytes + made.info, 1, 9); /* a format nobody knows */
    EXPECT(look(&made, made.size, "heavy", &kernel));
    EXPECT_EQ(kernel.registers, 71);
    make_cubin(&made, &new);
    make_put(made.bytes + made.info, 1, 9);
    EXPECT(!look(&made, made.size, "heavy", &kernel));
    make_cubin(&made, &new);
    make_put(made.bytes + made.info + 8, 4, 256); /* more than there can be */
    EXPECT(!look(&made, made.size, "heavy", &kernel));
}

static void other_files_are_none(void)
{
    struct loom_cubin_kernel kernel;
    struct made_cubin made;

    make_cubin(&made, &new);
    make_put(made.bytes + 18, 2, 62); /* x86-64 */
    EXPECT(!look(&made, made.size, "heavy", &kernel));
    make_cubin(&made, &new);
    make_put(made.bytes + 4, 1, 1); /* 32 bits */
    EXPECT(!look(&made, made.size, "heavy", &kernel));
    EXPECT(!look(&made, 0, "heavy", &kernel));
}

/* Cut off anywhere, and every byte with some other values: never a byte beyond
 * the end, and never a number that no kernel has. */
static void damage_is_survived(void)
{
    static const uint64_t odd[] = {0, 1, 0x7f, 0xff, 0x80};
    struct loom_cubin_kernel kernel;
    struct made_cubin made;

    for (unsigned which = 0; which < 2; which++) {
        make_cubin(&made, which == 0 ? &old : &new);
        for (size_t size = 0; size < made.size; size++) {
            EXPECT(!look(&made, size, "heavy", &kernel));
        }
        for (size_t at = 0; at < made.size; at++) {
            unsigned char was = made.bytes[at];

            for (size_t i = 0; i < LOOM_COUNTOF(odd); i++) {
                made.bytes[at] = (unsigned char)odd[i];
                if (look(&made, made.size, "heavy", &kernel)) {
                    EXPECT(kernel.registers >= 1 && kernel.registers <= 255);
                }
            }
            made.bytes[at] = was;
        }
        for (size_t at = 0; at + 8 <= made.size; at += 4) {
            unsigned char was[8];

            memcpy(was, made.bytes + at, 8);
            make_put(made.bytes + at, 8, UINT64_MAX - (at & 15));
            look(&made, made.size, "heavy", &kernel);
            memcpy(made.bytes + at, was, 8);
        }
    }
}

static void the_nearest_machine_code_is_taken(void)
{
    static struct made_fatbin made;
    static struct loom_fatbin fatbin;
    static const struct {
        uint32_t wanted, taken;
    } cases[] = {{20, 70}, {70, 70}, {72, 70}, {75, 80}, {80, 80}, {120, 90}};
    struct loom_error err;

    make_begin(&made);
    make_ptx(&made, 75, ".version 6.3\n", MAKE_RAW);
    EXPECT(loom_fatbin_read(made.bytes, made.size, &fatbin, &err));
    EXPECT(loom_fatbin_machine_code(&fatbin, 75) == NULL);
    make_entry(&made, LOOM_FATBIN_MACHINE_CODE, 80, "80", 2);
    make_entry(&made, LOOM_FATBIN_MACHINE_CODE, 70, "70", 2);
    make_entry(&made, LOOM_FATBIN_MACHINE_CODE, 90, "90", 2);
    EXPECT(loom_fatbin_read(made.bytes, made.size, &fatbin, &err));
    for (size_t i = 0; i < LOOM_COUNTOF(cases); i++) {
        const struct loom_fatbin_entry *entry =
            loom_fatbin_machine_code(&fatbin, cases[i].wanted);

        REQUIRE(entry != NULL);
        EXPECT_EQ(entry->arch, cases[i].taken);
    }
}

static const struct loom_test tests[] = {
    {"a_kernel_is_found", a_kernel_is_found},
    {"attributes_come_before_the_header", attributes_come_before_the_header},
    {"other_files_are_none", other_files_are_none},
    {"damage_is_survived", damage_is_survived},
    {"the_nearest_machine_code_is_taken", the_nearest_machine_code_is_taken},
};

int main(void)
{
    return loom_run_tests("cubin", tests, LOOM_COUNTOF(tests));
}
