/*
 * Checking the global heaps of an HDF5 file before libhdf5 reads them.
 *
 * Strings live in global heap collections, the one structure of the format
 * that has no checksum, and HDF5 1.10 trusts what they say: a collection with
 * a zeroed page (a file system that lost the last writes of a crashed host)
 * makes it loop for ever, a wrong size makes it read beyond its buffer.  So
 * every collection is walked here first.
 *
 * A collection ("III.E. Disk Format: Level 1E" of the format specification)
 * is "GCOL", version 1, three zeros, its size in 8 bytes; then objects of a
 * 16-byte header (index, references, reserved, size) and their data, padded
 * to 8 bytes.  Index 0 is the free rest, whose size includes its header.
 */
#define _GNU_SOURCE /* memmem */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stats/h5_private.h"

#define HEADER 16u
#define BLOCK (1u << 20)
/* Reading all of a larger file only to check it would take too long. */
#define MAX_CHECKED (UINT64_C(1) << 30)

static const unsigned char signature[8] = {'G', 'C', 'O', 'L', 1, 0, 0, 0};
/* How much of it is looked for: files are full of its zeros. */
#define TELLING 5

/* What has been read of the file, from `at` on. */
struct block {
    unsigned char *data;
    uint64_t at;
    size_t bytes;
    int fd;
};

/* Most headers are in the block: one read for each would be all the time that
 * a small file takes. */
static bool read_at(const struct block *block, uint64_t at, void *data,
                    size_t bytes)
{
    if (at >= block->at && at - block->at + bytes <= block->bytes) {
        memcpy(data, block->data + (at - block->at), bytes);
        return true;
    }
    return pread(block->fd, data, bytes, (off_t)at) == (ssize_t)bytes;
}

/* The unsigned integer of `bytes` bytes, lowest first. */
static uint64_t decode(const unsigned char *data, size_t bytes)
{
    uint64_t value = 0;

    while (bytes-- > 0) {
        value = value << 8 | data[bytes];
    }
    return value;
}

/* Does the collection at `start` end where it says? */
static bool collection_ok(const struct block *block, uint64_t start,
                          uint64_t file_size)
{
    unsigned char header[HEADER];
    uint64_t at = HEADER, size, need;

    if (!read_at(block, start, header, HEADER)) {
        return false;
    }
    size = decode(header + 8, 8);
    if (size < HEADER || size > file_size - start) {
        return false;
    }
    while (at + HEADER <= size) {
        if (!read_at(block, start + at, header, HEADER)) {
            return false;
        }
        need = decode(header + 8, 8);
        if (need > size) {
            return false;
        }
        if (decode(header, 2) != 0) {
            need = HEADER + (need + 7) / 8 * 8;
        }
        if (need < HEADER || need > size - at) {
            return false;
        }
        at += need;
    }
    return true;
}

/* All collections that begin in the block. */
static bool block_ok(const struct block *block, uint64_t file_size)
{
    const unsigned char *end = block->data + block->bytes, *hit = block->data;

    while ((hit = memmem(hit, (size_t)(end - hit), signature, TELLING)) !=
           NULL) {
        if ((size_t)(end - hit) >= sizeof(signature) &&
            memcmp(hit, signature, sizeof(signature)) == 0 &&
            !collection_ok(block, block->at + (uint64_t)(hit - block->data),
                           file_size)) {
            return false;
        }
        hit++;
    }
    return true;
}

bool loom_h5_heaps_ok(int fd)
{
    struct block block = {.fd = fd};
    struct stat file;
    uint64_t size;
    bool ok = true;

    if (fstat(fd, &file) < 0 || (uint64_t)file.st_size > MAX_CHECKED) {
        return true;
    }
    size = (uint64_t)file.st_size;
    block.data = malloc(BLOCK);
    if (block.data == NULL) {
        return false;
    }
    /* Blocks overlap, so that no signature is cut in two. */
    for (; ok && block.at < size; block.at += BLOCK - sizeof(signature)) {
        ssize_t got = pread(fd, block.data, BLOCK, (off_t)block.at);

        block.bytes = got > 0 ? (size_t)got : 0;
        ok = got >= 0 && block_ok(&block, size);
    }
    free(block.data);
    return ok;
}
