/*
 * Where a result came from: enough to judge it and to make it again.
 *
 * All of it lands under /meta and in attributes of the root group, never
 * beside the numbers, so that two identical runs differ only there.
 */
#ifndef STATS_PROVENANCE_H
#define STATS_PROVENANCE_H

#include "engine/digest.h"
#include "engine/error.h"

/* What the driver knows when a run begins.  Strings may be NULL (unknown)
 * and need to live only during the call that takes them. */
struct loom_provenance {
    int argc;
    const char *const *argv;
    const char *cwd;         /* NULL: asked of the system */
    const char *host;        /* NULL: asked of the system */
    const char *version;     /* of warploom */
    const char *git_commit;  /* of the source tree when it was built */
    bool git_dirty;          /* the tree had changes that were not committed */
    const char *compiler;    /* NULL: the one that built this file */
    const char *build_flags; /* build type and options */
    uint64_t seed;
    uint64_t run;            /* which of its script's, from 1; 0: unknown */
    const char *config_json; /* resolved configuration */
    const char *config_lua;  /* its machine as a script that returns it */
    const char *config_hash; /* NULL: SHA-256 of config_json */
};

/* SHA-256 of a file's content.  *bytes is its size. */
bool loom_file_digest(const char *path, char text[LOOM_DIGEST_TEXT],
                      uint64_t *bytes, struct loom_error *err);

#endif
