/*
 * Digests against published vectors, random numbers against their promises.
 * links: loom_engine
 */
#include "engine/digest.h"
#include "engine/rng.h"

#include "tests/unit/test.h"

static void digest_of(const char *text, size_t repeat, const char *want)
{
    struct loom_digest digest;
    char got[LOOM_DIGEST_TEXT];

    loom_digest_init(&digest);
    for (size_t i = 0; i < repeat; i++) {
        loom_digest_add(&digest, text, strlen(text));
    }
    loom_digest_text(&digest, got);
    EXPECT_TEXT(got, want);
}

/* The examples of FIPS 180-4's companion page. */
static void digests_are_sha256(void)
{
    digest_of("", 1,
              "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b8"
              "55");
    digest_of("abc", 1,
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015"
              "ad");
    digest_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06"
              "c1");
    digest_of("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 25000,
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112c"
              "d0");
}

/* The bytes 0 to 255, four times and one number: more than one block's worth.
 */
static void numbers_are_bytes_lowest_first(void)
{
    struct loom_digest numbers, bytes;
    char a[LOOM_DIGEST_TEXT], b[LOOM_DIGEST_TEXT];
    uint64_t number[129];

    loom_digest_init(&numbers);
    loom_digest_init(&bytes);
    for (size_t i = 0; i < LOOM_COUNTOF(number); i++) {
        number[i] = 0;
        for (size_t k = 8; k-- > 0;) {
            number[i] = number[i] << 8 | (8 * i + k) % 256;
        }
    }
    for (size_t i = 0; i < 8 * LOOM_COUNTOF(number); i++) {
        unsigned char byte = (unsigned char)(i % 256);

        loom_digest_add(&bytes, &byte, 1);
    }
    loom_digest_add_numbers(&numbers, number, LOOM_COUNTOF(number));
    loom_digest_text(&numbers, a);
    loom_digest_text(&bytes, b);
    EXPECT_TEXT(a, b);
}

static void seeds_and_paths_tell_generators_apart(void)
{
    struct loom_rng a, b, c, d;
    uint64_t x;

    loom_rng_init(&a, 1, "gpu[0]");
    loom_rng_init(&b, 1, "gpu[0]");
    loom_rng_init(&c, 2, "gpu[0]");
    loom_rng_init(&d, 1, "gpu[1]");
    x = loom_rng_next(&a);
    EXPECT_EQ(loom_rng_next(&b), x);
    EXPECT(loom_rng_next(&c) != x);
    EXPECT(loom_rng_next(&d) != x);
}

static void bounded_numbers_are_fair(void)
{
    struct loom_rng rng;
    uint32_t seen[7] = {0};

    loom_rng_init(&rng, 5, "x");
    for (int i = 0; i < 70000; i++) {
        seen[loom_rng_below(&rng, 7)]++;
    }
    for (int i = 0; i < 7; i++) {
        EXPECT(seen[i] > 9600 && seen[i] < 10400);
    }
    for (int i = 0; i < 1000; i++) {
        double r = loom_rng_real(&rng);

        EXPECT(r >= 0.0 && r < 1.0);
    }
}

/* The same numbers are drawn as by trials one by one, and no more. */
static void failures_are_those_of_single_trials(void)
{
    const uint64_t threshold = UINT64_C(1) << 50; /* 1 in 8 */
    struct loom_rng a, b;
    uint64_t most = 12, longest = 0;

    loom_rng_init(&a, 3, "node");
    loom_rng_init(&b, 3, "node");
    for (int i = 0; i < 1000; i++) {
        uint64_t n = 0;

        while (n < most && loom_rng_next(&b) >> 11 >= threshold) {
            n++;
        }
        EXPECT_EQ(loom_rng_failures(&a, threshold, most), n);
        longest = n > longest ? n : longest;
    }
    EXPECT_EQ(longest, most);
    EXPECT_EQ(loom_rng_failures(&a, threshold, 0), 0);
    EXPECT_EQ(loom_rng_next(&a), loom_rng_next(&b));
}

int main(void)
{
    static const struct loom_test tests[] = {
        {"digests_are_sha256", digests_are_sha256},
        {"numbers_are_bytes_lowest_first", numbers_are_bytes_lowest_first},
        {"seeds_and_paths_tell_generators_apart",
         seeds_and_paths_tell_generators_apart},
        {"bounded_numbers_are_fair", bounded_numbers_are_fair},
        {"failures_are_those_of_single_trials",
         failures_are_those_of_single_trials},
    };

    return loom_run_tests("base", tests, LOOM_COUNTOF(tests));
}
