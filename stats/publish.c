/*
 * How a results file gets its name: whole, or not at all.
 *
 * HDF5 rewrites its indices in place, so the file that it writes is at times
 * not whole, and a process may be killed at such a time.  It is therefore
 * PATH.working, which nobody reads.  After a flush, when it is whole, a copy
 * is made beside it and renamed to PATH.partial; at the end it is itself
 * renamed to PATH.
 */
#define _GNU_SOURCE /* copy_file_range */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stats/recorder_private.h"

/* Where the file ends, as its superblock (version 2) says, in 8 bytes at 28.
 * What is behind was reserved and not used. */
static bool end_of(int fd, uint64_t *end)
{
    unsigned char raw[8];

    if (pread(fd, raw, sizeof(raw), 28) != (ssize_t)sizeof(raw)) {
        return false;
    }
    *end = 0;
    for (size_t i = sizeof(raw); i-- > 0;) {
        *end = *end << 8 | raw[i];
    }
    return true;
}

static bool copy_plainly(int from, int to, off_t at, uint64_t left)
{
    char buffer[1 << 16];

    while (left > 0) {
        size_t want = left < sizeof(buffer) ? (size_t)left : sizeof(buffer);
        ssize_t got = pread(from, buffer, want, at);

        if (got <= 0 || write(to, buffer, (size_t)got) != got) {
            return false;
        }
        at += got;
        left -= (uint64_t)got;
    }
    return true;
}

/* Filesystems that can do so share the blocks. */
static bool copy_bytes(int from, int to, uint64_t left)
{
    off_t at = 0;

    while (left > 0) {
        ssize_t got = copy_file_range(from, &at, to, NULL, left, 0);

        if (got <= 0) {
            return copy_plainly(from, to, at, left);
        }
        left -= (uint64_t)got;
    }
    return true;
}

bool loom_publish_copy(int fd, const char *partial)
{
    size_t size = strlen(partial) + sizeof(".new");
    char *name = malloc(size);
    uint64_t end;
    bool ok = false;
    int to = -1;

    if (name != NULL && end_of(fd, &end)) {
        snprintf(name, size, "%s.new", partial);
        to = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    }
    if (to >= 0) {
        ok = copy_bytes(fd, to, end) && fsync(to) == 0;
        ok = close(to) == 0 && ok && rename(name, partial) == 0;
        if (!ok) {
            unlink(name);
        }
    }
    free(name);
    return ok;
}

static bool failed(struct loom_error *err, const char *what, const char *path)
{
    return loom_fail(err, LOOM_ERR_OUTPUT, "cannot %s '%.300s': %s", what, path,
                     strerror(errno));
}

bool loom_publish(const struct loom_recorder *recorder, struct loom_error *err)
{
    char *slash = strrchr(recorder->path, '/');
    uint64_t end;
    int folder;

    if (!end_of(recorder->fd, &end) ||
        ftruncate(recorder->fd, (off_t)end) < 0 || fsync(recorder->fd) < 0) {
        return failed(err, "sync", recorder->working);
    }
    if (rename(recorder->working, recorder->path) < 0) {
        return failed(err, "rename the results to", recorder->path);
    }
    unlink(recorder->partial);
    if (slash != NULL) {
        *slash = '\0';
    }
    folder = open(slash == NULL             ? "."
                  : slash == recorder->path ? "/"
                                            : recorder->path,
                  O_RDONLY | O_CLOEXEC);
    if (folder >= 0) {
        fsync(folder);
        close(folder);
    }
    return true;
}
