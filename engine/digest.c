/*
 * SHA-256, by nettle.
 */
#include "engine/digest.h"

void loom_digest_init(struct loom_digest *digest)
{
    sha256_init(&digest->sha);
}

void loom_digest_add(struct loom_digest *digest, const void *data, size_t bytes)
{
    sha256_update(&digest->sha, bytes, data);
}

void loom_digest_add_numbers(struct loom_digest *digest, const uint64_t *number,
                             size_t count)
{
    unsigned char byte[512];

    while (count > 0) {
        size_t part = count < sizeof(byte) / 8 ? count : sizeof(byte) / 8;

        for (size_t i = 0; i < 8 * part; i++) {
            byte[i] = (unsigned char)(number[i / 8] >> (8 * (i % 8)));
        }
        loom_digest_add(digest, byte, 8 * part);
        number += part;
        count -= part;
    }
}

void loom_digest_text(struct loom_digest *digest, char text[LOOM_DIGEST_TEXT])
{
    static const char hex[] = "0123456789abcdef";
    unsigned char sum[SHA256_DIGEST_SIZE];

    sha256_digest(&digest->sha, sizeof(sum), sum);
    for (size_t i = 0; i < sizeof(sum); i++) {
        text[2 * i] = hex[sum[i] >> 4];
        text[2 * i + 1] = hex[sum[i] & 15];
    }
    text[2 * sizeof(sum)] = '\0';
}
