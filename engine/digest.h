/*
 * SHA-256 (FIPS 180-4), for state digests and provenance.
 */
#ifndef ENGINE_DIGEST_H
#define ENGINE_DIGEST_H

#include "engine/base.h"

struct loom_digest {
    uint32_t state[8];
    uint64_t bytes;
    unsigned char block[64];
    bool fast; /* the processor has instructions for it */
};

#define LOOM_DIGEST_TEXT 65 /* 64 hexadecimal digits and the final zero */

void loom_digest_init(struct loom_digest *digest);
void loom_digest_add(struct loom_digest *digest, const void *data,
                     size_t bytes);
void loom_digest_text(struct loom_digest *digest, char text[LOOM_DIGEST_TEXT]);

#endif
