/*
 * /meta and the root attributes: everything about a run that is not about
 * the simulated machine.
 */
#include "stats/provenance.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "stats/recorder_private.h"

#define COMPILER_OF_THIS_FILE __VERSION__

bool loom_file_digest(const char *path, char text[LOOM_DIGEST_TEXT],
                      uint64_t *bytes, struct loom_error *err)
{
    FILE *file = fopen(path, "rb");
    struct loom_digest digest;
    char block[16384];
    size_t got;
    bool failed;

    if (file == NULL) {
        return loom_fail(err, LOOM_ERR_INPUT, "cannot open '%.300s': %s", path,
                         strerror(errno));
    }
    loom_digest_init(&digest);
    *bytes = 0;
    while ((got = fread(block, 1, sizeof(block), file)) > 0) {
        loom_digest_add(&digest, block, got);
        *bytes += got;
    }
    failed = ferror(file) != 0;
    fclose(file);
    if (failed) {
        return loom_fail(err, LOOM_ERR_INPUT, "cannot read '%.300s'", path);
    }
    loom_digest_text(&digest, text);
    return true;
}

static void text_digest(const char *data, char text[LOOM_DIGEST_TEXT])
{
    struct loom_digest digest;

    loom_digest_init(&digest);
    loom_digest_add(&digest, data, strlen(data));
    loom_digest_text(&digest, text);
}

/* A random identity (RFC 4122, version 4) and the date, both of the run and
 * not of what it simulates. */
static void put_identity(struct loom_h5 *h5)
{
    unsigned char byte[16] = {0};
    char text[40] = "";
    struct timespec now;
    struct tm date;

    if (getrandom(byte, sizeof(byte), 0) < (ssize_t)sizeof(byte)) {
        clock_gettime(CLOCK_REALTIME, &now);
        memcpy(byte, &now, sizeof(byte));
    }
    byte[6] = (unsigned char)((byte[6] & 0x0f) | 0x40);
    byte[8] = (unsigned char)((byte[8] & 0x3f) | 0x80);
    for (size_t i = 0; i < sizeof(byte); i++) {
        const char *dash = i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "";
        size_t length = strlen(text);

        snprintf(text + length, sizeof(text) - length, "%s%02x", dash, byte[i]);
    }
    loom_h5_put_text(h5, h5->file, "run_id", text);
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &date);
    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &date);
    loom_h5_put_text(h5, h5->file, "created", text);
}

static void put_place(struct loom_h5 *h5, hid_t meta,
                      const struct loom_provenance *provenance)
{
    char host[256] = "", cwd[PATH_MAX] = "";
    uint64_t dirty = provenance->git_dirty;

    if (provenance->host == NULL && gethostname(host, sizeof(host) - 1) < 0) {
        host[0] = '\0';
    }
    if (provenance->cwd == NULL && getcwd(cwd, sizeof(cwd)) == NULL) {
        cwd[0] = '\0';
    }
    loom_h5_put_text(h5, meta, "host",
                     provenance->host == NULL ? host : provenance->host);
    loom_h5_put_text(h5, meta, "cwd",
                     provenance->cwd == NULL ? cwd : provenance->cwd);
    if (provenance->argc > 0) {
        loom_h5_put_texts(h5, meta, "argv", provenance->argv,
                          (size_t)provenance->argc);
    } else {
        loom_h5_put_text(h5, meta, "argv", "");
    }
    loom_h5_put_u64(h5, meta, "git_dirty", &dirty, 0);
}

static void put_build(struct loom_h5 *h5, hid_t meta,
                      const struct loom_provenance *provenance)
{
    char hash[LOOM_DIGEST_TEXT] = "";

    loom_h5_put_text(h5, meta, "git_commit", provenance->git_commit);
    loom_h5_put_text(h5, meta, "version", provenance->version);
    loom_h5_put_text(h5, meta, "compiler",
                     provenance->compiler == NULL ? COMPILER_OF_THIS_FILE
                                                  : provenance->compiler);
    loom_h5_put_text(h5, meta, "build_flags", provenance->build_flags);
    loom_h5_put_u64(h5, meta, "seed", &provenance->seed, 0);
    loom_h5_put_u64(h5, meta, "run", &provenance->run, 0);
    loom_h5_put_document(h5, meta, "config", "resolved configuration (JSON)",
                         provenance->config_json);
    loom_h5_put_document(h5, meta, "config_lua",
                         "the machine as a script that returns it",
                         provenance->config_lua);
    if (provenance->config_hash == NULL && provenance->config_json != NULL) {
        text_digest(provenance->config_json, hash);
    }
    loom_h5_put_text(h5, h5->file, "config_hash",
                     provenance->config_hash == NULL ? hash
                                                     : provenance->config_hash);
}

static void lay_out_files(struct loom_recorder *recorder, hid_t meta)
{
    struct loom_h5 *h5 = &recorder->h5;
    hid_t group = loom_h5_group(h5, meta, "source");
    struct loom_rows *rows = &recorder->sources;
    size_t *column = recorder->source_column;

    loom_rows_init(rows, h5, group, "file", "number of the file",
                   LOOM_SNAPSHOT_CHUNK);
    column[0] = loom_rows_simple(rows, group, "path", "1",
                                 "path as it was loaded", LOOM_H5_TEXT);
    column[1] = loom_rows_simple(rows, group, "text", "1",
                                 "content of the file", LOOM_H5_TEXT);
    column[2] = loom_rows_simple(rows, group, "sha256", "1",
                                 "SHA-256 of the content", LOOM_H5_TEXT);
    loom_rows_ready(rows);
    loom_h5_release(h5, group);
    group = loom_h5_group(h5, meta, "inputs");
    rows = &recorder->inputs;
    column = recorder->input_column;
    loom_rows_init(rows, h5, group, "input", "number of the input",
                   LOOM_SNAPSHOT_CHUNK);
    column[0] = loom_rows_simple(rows, group, "path", "1",
                                 "path as it was opened", LOOM_H5_TEXT);
    column[1] = loom_rows_simple(rows, group, "sha256", "1",
                                 "SHA-256 of the content", LOOM_H5_TEXT);
    column[2] = loom_rows_simple(rows, group, "bytes", "byte",
                                 "size of the file", LOOM_H5_U64);
    loom_rows_ready(rows);
    loom_h5_release(h5, group);
}

void loom_record_meta(struct loom_recorder *recorder,
                      const struct loom_recorder_options *options)
{
    const struct loom_provenance nothing = {0};
    const struct loom_provenance *provenance =
        options->provenance == NULL ? &nothing : options->provenance;
    struct loom_h5 *h5 = &recorder->h5;
    hid_t meta = loom_h5_group(h5, h5->file, "meta");

    put_identity(h5);
    put_place(h5, meta, provenance);
    put_build(h5, meta, provenance);
    lay_out_files(recorder, meta);
    loom_h5_release(h5, meta);
}

bool loom_recorder_source(struct loom_recorder *recorder, const char *path,
                          const char *text, struct loom_error *err)
{
    struct loom_rows *rows = &recorder->sources;
    const size_t *column = recorder->source_column;
    union loom_word *row = loom_rows_add(rows);
    char hash[LOOM_DIGEST_TEXT];

    if (row == NULL) {
        return loom_h5_ok(&recorder->h5, err) &&
               loom_fail(err, LOOM_ERR_MEMORY, "no memory for source '%s'",
                         path);
    }
    text_digest(text, hash);
    loom_rows_text(rows, &row[column[0]], path);
    loom_rows_text(rows, &row[column[1]], text);
    loom_rows_text(rows, &row[column[2]], hash);
    return loom_recorder_added(recorder, err);
}

bool loom_recorder_input(struct loom_recorder *recorder, const char *path,
                         const char *sha256, uint64_t bytes,
                         struct loom_error *err)
{
    struct loom_rows *rows = &recorder->inputs;
    const size_t *column = recorder->input_column;
    char hash[LOOM_DIGEST_TEXT];
    union loom_word *row;

    if (sha256 == NULL && !loom_file_digest(path, hash, &bytes, err)) {
        return false;
    }
    row = loom_rows_add(rows);
    if (row == NULL) {
        return loom_h5_ok(&recorder->h5, err) &&
               loom_fail(err, LOOM_ERR_MEMORY, "no memory for input '%s'",
                         path);
    }
    loom_rows_text(rows, &row[column[0]], path);
    loom_rows_text(rows, &row[column[1]], sha256 == NULL ? hash : sha256);
    row[column[2]].u = bytes;
    return loom_recorder_added(recorder, err);
}

void loom_record_ending(struct loom_recorder *recorder,
                        const struct loom_ending *ending)
{
    static const char *const status[] = {"complete", "deadlock", "error",
                                         "interrupted"};
    struct loom_h5 *h5 = &recorder->h5;
    hid_t meta = loom_h5_group(h5, h5->file, "meta");
    loom_time now = loom_machine_now(recorder->machine);

    loom_h5_put_text(h5, meta, "exit_reason", ending->exit_reason);
    loom_h5_put_f64(h5, meta, "wall_s", ending->wall_s);
    loom_h5_put_f64(h5, meta, "kips", ending->kips);
    loom_h5_put_f64(h5, meta, "sim_time", (double)now / 1e15);
    if (recorder->catalog->estimate != NULL) {
        uint64_t out = loom_estimate_left_out(recorder->catalog->estimate);

        loom_h5_put_f64(h5, meta, "time_stderr",
                        loom_estimate_time_error(recorder->catalog->estimate));
        loom_h5_put_u64(h5, meta, "left_out", &out, 0);
    }
    if (recorder->is_chosen) {
        loom_h5_put_u64(h5, meta, "launches", &ending->launches, 0);
        loom_h5_put_u64(h5, meta, "launches_timed", &ending->launches_timed, 0);
    }
    loom_h5_put_text(h5, h5->file, "state_digest", ending->state_digest);
    loom_h5_put_text(h5, h5->file, "status", status[ending->status]);
    loom_h5_release(h5, meta);
}
