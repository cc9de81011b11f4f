/*
 * Putting a file in its place (see the header for why).
 */
#include "engine/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static bool failed(struct loom_error *err, const char *path)
{
    return loom_fail(err, LOOM_ERR_OUTPUT, "cannot write '%.300s': %s", path,
                     strerror(errno));
}

static const char *kind_of(mode_t mode)
{
    return S_ISDIR(mode)    ? "a folder"
           : S_ISLNK(mode)  ? "a symbolic link"
           : S_ISFIFO(mode) ? "a pipe"
           : S_ISSOCK(mode) ? "a socket"
                            : "a device";
}

bool loom_file_replaceable(const char *path, struct loom_error *err)
{
    struct stat file;

    if (lstat(path, &file) != 0) {
        return errno == ENOENT || failed(err, path);
    }
    if (!S_ISREG(file.st_mode)) {
        return loom_fail(err, LOOM_ERR_OUTPUT,
                         "cannot write '%.200s': it is %s, and only a regular "
                         "file is replaced; name another, or remove it",
                         path, kind_of(file.st_mode));
    }
    return true;
}

bool loom_file_is_sink(const char *path)
{
    struct stat file;

    return stat(path, &file) == 0 && !S_ISREG(file.st_mode) &&
           !S_ISDIR(file.st_mode);
}

int loom_file_create(const char *path)
{
    /* Left by a process that was killed, or planted: a name only. */
    unlink(path);
    return open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                0666);
}

/* Beyond the limit of this process a write would be a deadly signal. */
static bool within_limit(size_t bytes)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
        limit.rlim_cur != RLIM_INFINITY && bytes > limit.rlim_cur) {
        errno = EFBIG;
        return false;
    }
    return true;
}

static bool write_all(int fd, const char *data, size_t bytes)
{
    if (!within_limit(bytes)) {
        return false;
    }
    while (bytes > 0) {
        ssize_t wrote = write(fd, data, bytes);

        if (wrote < 0 && errno != EINTR) {
            return false;
        }
        if (wrote > 0) {
            data += wrote;
            bytes -= (size_t)wrote;
        }
    }
    return true;
}

/* Filesystems that cannot sync what was asked for say EINVAL. */
static bool sync_fd(int fd)
{
    return fsync(fd) == 0 || errno == EINVAL;
}

static bool sync_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder =
        slash == NULL ? strdup(".")
                      : strndup(path, (size_t)(slash - path) + (slash == path));
    bool ok;
    int fd;

    if (folder == NULL) {
        return false;
    }
    fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    /* A folder that may be written need not be one that may be read. */
    ok = fd < 0 ? errno == EACCES : sync_fd(fd);
    if (fd >= 0) {
        close(fd);
    }
    free(folder);
    return ok;
}

bool loom_file_put(const char *path, const char *temporary, const void *data,
                   size_t bytes, struct loom_error *err)
{
    bool ok;
    int fd, reason;

    if (!loom_file_replaceable(path, err)) {
        return false;
    }
    fd = loom_file_create(temporary);
    if (fd < 0) {
        return failed(err, path);
    }
    ok = write_all(fd, data, bytes) && sync_fd(fd);
    reason = errno;
    if (close(fd) != 0 && ok) {
        ok = false;
        reason = errno;
    }
    if (ok && rename(temporary, path) != 0) {
        ok = false;
        reason = errno;
    }
    if (!ok) {
        unlink(temporary);
        errno = reason;
        return failed(err, path);
    }
    return sync_folder(path) || failed(err, path);
}

bool loom_file_write(const char *path, const char *temporary, const void *data,
                     size_t bytes, struct loom_error *err)
{
    bool ok;
    int fd;

    if (!loom_file_is_sink(path)) {
        return loom_file_put(path, temporary, data, bytes, err);
    }
    fd = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
    ok = fd >= 0 && write_all(fd, data, bytes);
    if (fd >= 0) {
        ok = close(fd) == 0 && ok;
    }
    return ok || failed(err, path);
}

bool loom_file_move(const char *from, const char *to, struct loom_error *err)
{
    int fd;
    bool ok;

    if (!loom_file_replaceable(to, err)) {
        return false;
    }
    fd = open(from, O_RDONLY | O_CLOEXEC);
    ok = fd >= 0 && sync_fd(fd);
    if (fd >= 0) {
        close(fd);
    }
    return (ok && rename(from, to) == 0 && sync_folder(to)) || failed(err, to);
}
