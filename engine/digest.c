/*
 * SHA-256 as FIPS 180-4 describes it, with x86's instructions for it where the
 * processor has them.
 */
#include "engine/digest.h"

#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#include <immintrin.h>
#define SHA_NI 1
#else
#define SHA_NI 0
#endif

/* First 32 bits of the fractional parts of the cube roots of the first 64
 * primes (FIPS 180-4, 4.2.2). */
static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t right(uint32_t x, int by)
{
    return x >> by | x << (32 - by);
}

/* Round n of eight.  A round changes two of the eight words, and each of the
 * others becomes its neighbour; instead of moving them, round n finds word i
 * at place i - n. */
static inline void turn(uint32_t v[8], int n, uint32_t kw)
{
    uint32_t a = v[(8 - n) & 7], b = v[(9 - n) & 7], c = v[(10 - n) & 7];
    uint32_t e = v[(12 - n) & 7], f = v[(13 - n) & 7], g = v[(14 - n) & 7];
    uint32_t *d = &v[(11 - n) & 7], *h = &v[(15 - n) & 7];
    uint32_t t1 = *h + (right(e, 6) ^ right(e, 11) ^ right(e, 25)) +
                  (g ^ (e & (f ^ g))) + kw;

    *d += t1;
    *h = t1 + (right(a, 2) ^ right(a, 13) ^ right(a, 22)) +
         ((a & b) | (c & (a | b)));
}

static void compress_plain(uint32_t state[8], const unsigned char *block)
{
    uint32_t w[64], v[8];

    for (int i = 0; i < 16; i++) {
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
               (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    }
    for (int i = 16; i < 64; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];

        w[i] = w[i - 16] + w[i - 7] + (right(a, 7) ^ right(a, 18) ^ a >> 3) +
               (right(b, 17) ^ right(b, 19) ^ b >> 10);
    }
    memcpy(v, state, sizeof(v));
    for (int i = 0; i < 64; i += 8) {
        turn(v, 0, K[i] + w[i]);
        turn(v, 1, K[i + 1] + w[i + 1]);
        turn(v, 2, K[i + 2] + w[i + 2]);
        turn(v, 3, K[i + 3] + w[i + 3]);
        turn(v, 4, K[i + 4] + w[i + 4]);
        turn(v, 5, K[i + 5] + w[i + 5]);
        turn(v, 6, K[i + 6] + w[i + 6]);
        turn(v, 7, K[i + 7] + w[i + 7]);
    }
    for (int i = 0; i < 8; i++) {
        state[i] += v[i];
    }
}

#if SHA_NI
static bool has_instructions(void)
{
    unsigned a, b, c, d;

    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & bit_SSE4_1) == 0) {
        return false;
    }
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA) != 0;
}

static __m128i load4(const void *at)
{
    return _mm_loadu_si128(at);
}

/* The instructions want the words as (a b e f) and (c d g h), highest first.
 * Each of two takes two rounds; w holds four words of the schedule. */
__attribute__((target("sha,sse4.1"))) static void
compress_fast(uint32_t state[8], const unsigned char *block)
{
    const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    __m128i badc = _mm_shuffle_epi32(load4(state), 0xb1);
    __m128i hgfe = _mm_shuffle_epi32(load4(state + 4), 0x1b);
    __m128i abef = _mm_alignr_epi8(badc, hgfe, 8);
    __m128i cdgh = _mm_blend_epi16(hgfe, badc, 0xf0);
    __m128i x = abef, y = cdgh, w[16];

    for (int i = 0; i < 4; i++) {
        w[i] = _mm_shuffle_epi8(load4(block + 16 * i), swap);
    }
    for (int i = 4; i < 16; i++) {
        __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(w[i - 4], w[i - 3]),
                                    _mm_alignr_epi8(w[i - 1], w[i - 2], 4));

        w[i] = _mm_sha256msg2_epu32(sum, w[i - 1]);
    }
    for (int i = 0; i < 16; i++) {
        __m128i kw = _mm_add_epi32(w[i], load4(K + 4 * i));

        y = _mm_sha256rnds2_epu32(y, x, kw);
        x = _mm_sha256rnds2_epu32(x, y, _mm_shuffle_epi32(kw, 0x0e));
    }
    x = _mm_shuffle_epi32(_mm_add_epi32(x, abef), 0x1b);
    y = _mm_shuffle_epi32(_mm_add_epi32(y, cdgh), 0xb1);
    _mm_storeu_si128((void *)state, _mm_blend_epi16(x, y, 0xf0));
    _mm_storeu_si128((void *)(state + 4), _mm_alignr_epi8(y, x, 8));
}
#endif

static void compress(struct loom_digest *digest, const unsigned char *block)
{
#if SHA_NI
    if (digest->fast) {
        compress_fast(digest->state, block);
        return;
    }
#endif
    compress_plain(digest->state, block);
}

void loom_digest_init(struct loom_digest *digest)
{
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372,
                                      0xa54ff53a, 0x510e527f, 0x9b05688c,
                                      0x1f83d9ab, 0x5be0cd19};

    memcpy(digest->state, start, sizeof(start));
    digest->bytes = 0;
#if SHA_NI
    digest->fast = has_instructions();
#else
    digest->fast = false;
#endif
}

void loom_digest_add(struct loom_digest *digest, const void *data, size_t bytes)
{
    const unsigned char *at = data;
    size_t used = (size_t)(digest->bytes % 64);

    digest->bytes += bytes;
    if (used != 0) {
        size_t part = bytes < 64 - used ? bytes : 64 - used;

        memcpy(digest->block + used, at, part);
        at += part;
        bytes -= part;
        if (used + part < 64) {
            return;
        }
        compress(digest, digest->block);
    }
    for (; bytes >= 64; at += 64, bytes -= 64) {
        compress(digest, at);
    }
    if (bytes != 0) {
        memcpy(digest->block, at, bytes);
    }
}

void loom_digest_text(struct loom_digest *digest, char text[LOOM_DIGEST_TEXT])
{
    static const char hex[] = "0123456789abcdef";
    unsigned char tail[72] = {0x80};
    uint64_t bits = digest->bytes * 8;
    size_t used = (size_t)(digest->bytes % 64);
    size_t pad = used < 56 ? 56 - used : 120 - used;

    for (int i = 0; i < 8; i++) {
        tail[pad + (size_t)i] = (unsigned char)(bits >> (56 - 8 * i));
    }
    loom_digest_add(digest, tail, pad + 8);
    for (int i = 0; i < 64; i++) {
        text[i] = hex[digest->state[i / 8] >> (28 - 4 * (i % 8)) & 15];
    }
    text[64] = '\0';
}
