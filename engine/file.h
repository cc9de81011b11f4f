/*
 * Putting a file in its place: the whole of it, or what was there before.
 *
 * The bytes go to a new file beside it, which takes its name once it is on
 * the disk.  Nothing that exists and is not a regular file is replaced, and
 * no link is followed: a name like /dev/full, a fifo, or a symbolic link that
 * somebody else put there is refused, with its kind.
 */
#ifndef ENGINE_FILE_H
#define ENGINE_FILE_H

#include "engine/error.h"

/* Could `path` be (re)placed?  True if nothing is there, or a regular file. */
bool loom_file_replaceable(const char *path, struct loom_error *err);
/* Is it, links followed, something to write to that is no file on a disk: a
 * device, a pipe? */
bool loom_file_is_sink(const char *path);

/* Makes an empty file that was not there before, whatever had its name; its
 * descriptor, or -1 and errno. */
int loom_file_create(const char *path);

/* Writes `path` by way of `temporary`, which must be in the same folder. */
bool loom_file_put(const char *path, const char *temporary, const void *data,
                   size_t bytes, struct loom_error *err);
/* The same for what a user may want to see at once: if `path` is a device or a
 * pipe, it is written to. */
bool loom_file_write(const char *path, const char *temporary, const void *data,
                     size_t bytes, struct loom_error *err);
/* Gives a complete file its name, durably. */
bool loom_file_move(const char *from, const char *to, struct loom_error *err);

#endif
