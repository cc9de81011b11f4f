/*
 * Fat binaries made by tests, as nvcc makes them: PTX as it is, as an LZ4
 * block or as a Zstandard frame, and machine code that is none.
 */
#ifndef TESTS_CUDA_MAKE_FATBIN_H
#define TESTS_CUDA_MAKE_FATBIN_H

#include <lz4.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum make_how {
    MAKE_RAW,
    MAKE_LZ4,
    MAKE_ZSTD
};

struct made_fatbin {
    unsigned char bytes[1 << 16];
    size_t size;
};

static inline void make_put(unsigned char *at, unsigned bytes, uint64_t value)
{
    for (unsigned i = 0; i < bytes; i++) {
        at[i] = (unsigned char)(value >> (8 * i));
    }
}

static inline void make_begin(struct made_fatbin *made)
{
    memset(made->bytes, 0, 16);
    make_put(made->bytes, 4, 0xba55ed50u);
    make_put(made->bytes + 4, 2, 1);
    make_put(made->bytes + 6, 2, 16);
    made->size = 16;
}

/* Adds an entry: `kind` 1 is PTX, 2 is machine code; of `bytes` bytes. */
static inline void make_entry(struct made_fatbin *made, unsigned kind,
                              unsigned arch, const void *from, size_t bytes)
{
    unsigned char *at = made->bytes + made->size;
    size_t padded = (bytes + 7) / 8 * 8;

    memset(at, 0, 80 + padded);
    make_put(at, 2, kind);
    make_put(at + 2, 2, 0x101);
    make_put(at + 4, 4, 80);
    make_put(at + 8, 8, padded);
    make_put(at + 28, 4, arch);
    make_put(at + 40, 8, 0x11);
    memcpy(at + 80, from, bytes);
    made->size += 80 + padded;
    make_put(made->bytes + 8, 8, made->size - 16);
}

/* Adds an entry of PTX. */
static inline void make_ptx(struct made_fatbin *made, unsigned arch,
                            const char *text, enum make_how how)
{
    static char packed[1 << 15];
    unsigned char *at = made->bytes + made->size;
    size_t full = strlen(text) + 1, bytes;

    if (how == MAKE_RAW) {
        make_entry(made, 1, arch, text, full);
        return;
    }
    bytes = how == MAKE_LZ4
                ? (size_t)LZ4_compress_default(text, packed, (int)full,
                                               (int)sizeof(packed))
                : ZSTD_compress(packed, sizeof(packed), text, full, 3);
    make_entry(made, 1, arch, packed, bytes);
    make_put(at + 16, 4, bytes);
    make_put(at + 40, 8, how == MAKE_LZ4 ? 0x2011 : 0x8011);
    make_put(at + 56, 8, full);
}

/* A few changes of bytes and numbers, the same ones for the same seed; none
 * without. */
static inline void make_damage(struct made_fatbin *made, const char *seed)
{
    static const uint64_t odd[] = {0, 1, 15, 64, 80, UINT32_MAX, UINT64_MAX};
    uint64_t random = seed != NULL ? strtoull(seed, NULL, 10) : 0;

    for (uint64_t changes = random % 4 + 1; random != 0 && changes > 0;
         changes--) {
        size_t at;

        random = random * UINT64_C(6364136223846793005) +
                 UINT64_C(1442695040888963407);
        /* Half of them in the headers. */
        at = (size_t)(random >> 33) %
             ((random >> 32 & 1) != 0 ? 96 : made->size);
        if ((random >> 31 & 1) != 0) {
            made->bytes[at] ^= (unsigned char)(1u << (random >> 28 & 7));
        } else {
            make_put(made->bytes + at / 8 * 8, 1u << (random >> 26 & 3),
                     odd[(random >> 20 & 63) % 7]);
        }
    }
}

#endif
