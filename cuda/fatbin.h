/*
 * Fat binaries: what nvcc puts into a program for its kernels, PTX and
 * machine code for several architectures in one container.
 *
 * A container is a header of 16 bytes and entries one after the other, each
 * a header and a payload.  PTX lies there as it is, or compressed as one LZ4
 * block or one Zstandard frame.  NVIDIA does not document the format; what
 * is read here was found by comparing what nvcc 13.0 writes with each of its
 * --compress-mode choices.  Nothing in a container is believed before it is
 * checked against the bytes that there are.
 */
#ifndef CUDA_FATBIN_H
#define CUDA_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/error.h"

enum {
    LOOM_FATBIN_ENTRIES = 256,
    /* More PTX than this is damage: the largest libraries have some MB. */
    LOOM_FATBIN_TEXT_MAX = 1 << 30
};

enum loom_fatbin_kind {
    LOOM_FATBIN_PTX = 1,
    LOOM_FATBIN_MACHINE_CODE = 2 /* an ELF file for one architecture */
};

struct loom_fatbin_entry {
    uint32_t kind;     /* enum loom_fatbin_kind, or one that is not known */
    uint32_t arch;     /* 75 for sm_75 or compute_75 */
    uint64_t flags;    /* how it is compressed */
    const void *bytes; /* in the image */
    uint64_t stored;   /* bytes in the image, without padding */
    uint64_t full;     /* bytes when not compressed; 0: as stored */
};

struct loom_fatbin {
    struct loom_fatbin_entry entry[LOOM_FATBIN_ENTRIES];
    uint32_t count;
};

/* What a container says of its own size, header included; 0: `image`, of
 * which `bytes` may be read, is none. */
uint64_t loom_fatbin_size(const void *image, size_t bytes);

/* The entries of the container at `image`; they point into it. */
bool loom_fatbin_read(const void *image, size_t bytes,
                      struct loom_fatbin *fatbin, struct loom_error *err);

/* The PTX for the newest architecture, or NULL. */
const struct loom_fatbin_entry *
loom_fatbin_ptx(const struct loom_fatbin *fatbin);

/* "sm_75 sm_80": for which architectures there is machine code; "" if for
 * none.  Returns `text`. */
const char *loom_fatbin_architectures(const struct loom_fatbin *fatbin,
                                      char *text, size_t room);

/* The machine code for `arch`, else the nearest, of two the newer; or NULL. */
const struct loom_fatbin_entry *
loom_fatbin_machine_code(const struct loom_fatbin *fatbin, uint32_t arch);

/* The bytes of an entry, and a zero behind them; the caller frees them. */
bool loom_fatbin_unpack(const struct loom_fatbin_entry *entry, char **data,
                        size_t *bytes, struct loom_error *err);

/* The text of an entry, with a final zero that *bytes does not count; the
 * caller frees it. */
bool loom_fatbin_text(const struct loom_fatbin_entry *entry, char **text,
                      size_t *bytes, struct loom_error *err);

#endif
