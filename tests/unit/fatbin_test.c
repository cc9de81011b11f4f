/*
 * Fat binaries: entries that are raw or compressed, which one is taken, and
 * damage of every kind.
 * links: loom_fatbin
 */
#include "cuda/fatbin.h"
#include "tests/cuda/make_fatbin.h"
#include "tests/unit/test.h"

static const char kernel[] = ".version 6.3\n.target sm_70\n.address_size 64\n"
                             ".visible .entry k()\n{\n    ret;\n}\n";
static const char other[] = ".version 6.3\n.target sm_80\n";

static struct made_fatbin made; /* too large for a stack */
static struct loom_fatbin fatbin;

static void check_text(const struct loom_fatbin_entry *entry, const char *want)
{
    struct loom_error err;
    size_t bytes = 0;
    char *text = NULL;

    EXPECT(loom_fatbin_text(entry, &text, &bytes, &err));
    if (text != NULL) {
        EXPECT_EQ(bytes, strlen(want));
        EXPECT_TEXT(text, want);
    }
    free(text);
}

static void text_is_unpacked(void)
{
    static const enum make_how how[] = {MAKE_RAW, MAKE_LZ4, MAKE_ZSTD};
    struct loom_error err;

    for (size_t i = 0; i < LOOM_COUNTOF(how); i++) {
        make_begin(&made);
        make_ptx(&made, 75, kernel, how[i]);
        EXPECT_EQ(loom_fatbin_size(made.bytes, made.size), made.size);
        EXPECT(loom_fatbin_read(made.bytes, made.size, &fatbin, &err));
        EXPECT_EQ(fatbin.count, 1);
        EXPECT(loom_fatbin_ptx(&fatbin) == &fatbin.entry[0]);
        check_text(&fatbin.entry[0], kernel);
    }
}

static void the_newest_ptx_is_taken(void)
{
    struct loom_error err;
    char text[64];

    make_begin(&made);
    make_ptx(&made, 70, kernel, MAKE_ZSTD);
    make_entry(&made, LOOM_FATBIN_MACHINE_CODE, 75, "\177ELF", 4);
    make_ptx(&made, 80, other, MAKE_LZ4);
    make_entry(&made, LOOM_FATBIN_MACHINE_CODE, 90, "\177ELF", 4);
    make_entry(&made, 16, 90, "?", 1); /* of a kind that is not known */
    EXPECT(loom_fatbin_read(made.bytes, made.size, &fatbin, &err));
    EXPECT_EQ(fatbin.count, 5);
    check_text(loom_fatbin_ptx(&fatbin), other);
    EXPECT_TEXT(loom_fatbin_architectures(&fatbin, text, sizeof(text)),
                "sm_75 sm_90");
}

/* compute_90a is taken, not compute_90, in whatever order they are. */
static void ptx_of_one_architecture_is_taken(void)
{
    for (unsigned first = 0; first < 2; first++) {
        struct loom_error err;
        size_t at[2];

        make_begin(&made);
        for (unsigned i = 0; i < 2; i++) {
            at[i] = made.size;
            make_ptx(&made, 90, i == first ? other : kernel, MAKE_RAW);
        }
        make_put(made.bytes + at[first] + 40, 8, 0x100011);
        EXPECT(loom_fatbin_read(made.bytes, made.size, &fatbin, &err));
        check_text(loom_fatbin_ptx(&fatbin), other);
    }
}

static void machine_code_alone_is_no_ptx(void)
{
    struct loom_error err;
    char text[6];

    make_begin(&made);
    make_entry(&made, LOOM_FATBIN_MACHINE_CODE, 75, "\177ELF", 4);
    make_entry(&made, LOOM_FATBIN_MACHINE_CODE, 86, "\177ELF", 4);
    EXPECT(loom_fatbin_read(made.bytes, made.size, &fatbin, &err));
    EXPECT(loom_fatbin_ptx(&fatbin) == NULL);
    EXPECT_TEXT(loom_fatbin_architectures(&fatbin, text, sizeof(text)),
                "sm_75"); /* cut off */
}

static void refused(const char *want)
{
    struct loom_error err = {.text = ""};

    EXPECT(!loom_fatbin_read(made.bytes, made.size, &fatbin, &err));
    EXPECT_TEXT(err.text, want);
}

static void containers_are_checked(void)
{
    make_begin(&made);
    make_ptx(&made, 75, other, MAKE_RAW);
    made.size -= 8;
    refused("a fat binary of 128 bytes, but only 120 are there");
    make_put(made.bytes + 8, 8, made.size - 16);
    refused("fat binary, entry 0: it has 32 bytes, 0 compressed, 24 are left");
    made.size = 60;
    make_put(made.bytes + 8, 8, made.size - 16);
    refused("fat binary, entry 0: 44 bytes are left, an entry has at least 64");
    make_put(made.bytes + 6, 2, 8);
    make_put(made.bytes + 8, 8, 32);
    refused("a fat binary whose header has 8 bytes, expected 16");
    made.bytes[0] = 0;
    refused("no fat binary: it does not start with 0xba55ed50");
    made.size = 8;
    refused("no fat binary: it does not start with 0xba55ed50");
}

static void sizes_that_overflow_are_refused(void)
{
    make_begin(&made);
    make_ptx(&made, 75, other, MAKE_RAW);
    make_put(made.bytes + 8, 8, UINT64_MAX);
    refused("a fat binary of 18446744073709551615 bytes, but only 128 are "
            "there");
    make_put(made.bytes + 8, 8, made.size - 16);
    make_put(made.bytes + 16 + 4, 4, UINT32_MAX);
    refused("fat binary, entry 0: its header has 4294967295 bytes, expected "
            "64..112");
    make_put(made.bytes + 16 + 4, 4, 80);
    make_put(made.bytes + 16 + 8, 8, UINT64_MAX - 79);
    refused("fat binary, entry 0: it has 18446744073709551536 bytes, 0 "
            "compressed, 32 are left");
}

static void bad_text(unsigned at, unsigned bytes, uint64_t value,
                     enum make_how how, const char *want)
{
    struct loom_error err = {.text = ""};
    size_t size;
    char *text;

    make_begin(&made);
    make_ptx(&made, 75, kernel, how);
    make_put(made.bytes + 16 + at, bytes, value);
    EXPECT(loom_fatbin_read(made.bytes, made.size, &fatbin, &err));
    EXPECT(!loom_fatbin_text(&fatbin.entry[0], &text, &size, &err));
    EXPECT(strncmp(err.text, want, strlen(want)) == 0);
}

static void damaged_text_is_refused(void)
{
    bad_text(80, 4, 0, MAKE_ZSTD, "damaged: ");
    bad_text(56, 8, 4, MAKE_ZSTD, "damaged: ");
    bad_text(56, 8, 4, MAKE_LZ4, "damaged: not an LZ4 block");
    bad_text(80, 8, UINT64_MAX, MAKE_LZ4, "damaged: not an LZ4 block");
    bad_text(40, 8, 0x11, MAKE_LZ4,
             "compressed in a way that is not known (flags 0x11)");
    bad_text(56, 8, UINT64_C(1) << 40, MAKE_LZ4,
             "damaged: 1099511627776 bytes, expected at most "
             "1073741824");
}

static void there_is_an_end_to_entries(void)
{
    struct loom_error err;

    make_begin(&made);
    for (unsigned i = 0; i <= LOOM_FATBIN_ENTRIES; i++) {
        make_entry(&made, 1, 75, "", 0);
    }
    EXPECT(!loom_fatbin_read(made.bytes, made.size, &fatbin, &err));
    EXPECT_TEXT(err.text, "a fat binary of more than 256 entries");
}

int main(void)
{
    static const struct loom_test tests[] = {
        {"text_is_unpacked", text_is_unpacked},
        {"the_newest_ptx_is_taken", the_newest_ptx_is_taken},
        {"ptx_of_one_architecture_is_taken", ptx_of_one_architecture_is_taken},
        {"machine_code_alone_is_no_ptx", machine_code_alone_is_no_ptx},
        {"containers_are_checked", containers_are_checked},
        {"sizes_that_overflow_are_refused", sizes_that_overflow_are_refused},
        {"damaged_text_is_refused", damaged_text_is_refused},
        {"there_is_an_end_to_entries", there_is_an_end_to_entries},
    };

    return loom_run_tests("fatbin", tests, LOOM_COUNTOF(tests));
}
