/*
 * SHA-256 (FIPS 180-4), for state digests and provenance.  Nettle does the
 * work (docs/decisions/0021-sha-256-by-nettle.md).
 */
#ifndef ENGINE_DIGEST_H
#define ENGINE_DIGEST_H

#include <nettle/sha2.h>

#include "engine/base.h"

struct loom_digest {
    struct sha256_ctx sha;
};

#define LOOM_DIGEST_TEXT 65 /* 64 hexadecimal digits and the final zero */

void loom_digest_init(struct loom_digest *digest);
void loom_digest_add(struct loom_digest *digest, const void *data,
                     size_t bytes);

/* Adds each number as eight bytes, the lowest first, on any machine. */
void loom_digest_add_numbers(struct loom_digest *digest, const uint64_t *number,
                             size_t count);

/* Ends the digest: what is added afterwards begins another one. */
void loom_digest_text(struct loom_digest *digest, char text[LOOM_DIGEST_TEXT]);

#endif
