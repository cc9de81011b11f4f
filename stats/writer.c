/*
 * A file in the form of our results, put together dataset by dataset.
 *
 * Scales are kept open until the end, as each notes who uses it.
 */
#include "stats/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/file.h"

#include "stats/h5_private.h"

struct scale {
    char *path;
    struct loom_h5_scale scale;
};

struct loom_writer {
    char *path, *working;
    struct loom_h5 h5;
    struct scale **scale;
    size_t scales;
};

static char *join(const char *a, const char *b)
{
    size_t size = strlen(a) + strlen(b) + 1;
    char *text = malloc(size);

    if (text != NULL) {
        snprintf(text, size, "%s%s", a, b);
    }
    return text;
}

/* The file is closed. */
static void release(struct loom_writer *writer)
{
    for (size_t i = 0; i < writer->scales; i++) {
        free(writer->scale[i]->scale.use);
        free(writer->scale[i]->path);
        free(writer->scale[i]);
    }
    loom_h5_free(&writer->h5);
    free(writer->scale);
    free(writer->working);
    free(writer->path);
    free(writer);
}

struct loom_writer *loom_writer_open(const char *path, struct loom_error *err)
{
    struct loom_writer *writer = calloc(1, sizeof(*writer));

    if (writer == NULL || (writer->path = join(path, "")) == NULL ||
        (writer->working = join(path, ".working")) == NULL) {
        loom_fail(err, LOOM_ERR_MEMORY, "no memory for a file");
        if (writer != NULL) {
            release(writer);
        }
        return NULL;
    }
    if (!loom_file_replaceable(path, err) ||
        !loom_h5_create(&writer->h5, writer->path, false, err)) {
        release(writer);
        return NULL;
    }
    return writer;
}

/* Opens what the path names; the caller closes it. */
static hid_t open_object(struct loom_writer *writer, const char *path)
{
    hid_t object = -1;

    if (!writer->h5.failed) {
        object = H5Oopen(writer->h5.file, path, H5P_DEFAULT);
        if (object < 0) {
            loom_h5_broken(&writer->h5, "find an object");
        }
    }
    return object;
}

void loom_writer_put_text(struct loom_writer *writer, const char *object,
                          const char *name, const char *value)
{
    hid_t at = open_object(writer, object);

    loom_h5_put_text(&writer->h5, at, name, value);
    loom_h5_release(&writer->h5, at);
}

void loom_writer_put_texts(struct loom_writer *writer, const char *object,
                           const char *name, const char *const *value,
                           size_t count)
{
    hid_t at = open_object(writer, object);

    loom_h5_put_texts(&writer->h5, at, name, value, count);
    loom_h5_release(&writer->h5, at);
}

void loom_writer_put_u64(struct loom_writer *writer, const char *object,
                         const char *name, uint64_t value)
{
    hid_t at = open_object(writer, object);

    loom_h5_put_u64(&writer->h5, at, name, &value, 0);
    loom_h5_release(&writer->h5, at);
}

void loom_writer_put_f64(struct loom_writer *writer, const char *object,
                         const char *name, double value)
{
    hid_t at = open_object(writer, object);

    loom_h5_put_f64(&writer->h5, at, name, value);
    loom_h5_release(&writer->h5, at);
}

static enum loom_h5_type type_of(enum loom_writer_type type)
{
    static const enum loom_h5_type types[] = {
        [LOOM_WRITER_U64] = LOOM_H5_U64,   [LOOM_WRITER_I64] = LOOM_H5_I64,
        [LOOM_WRITER_F64] = LOOM_H5_F64,   [LOOM_WRITER_U8] = LOOM_H5_U8,
        [LOOM_WRITER_TEXT] = LOOM_H5_TEXT,
    };

    return types[type];
}

/* The group that a path lies in, made if need be, and the name in it. */
static hid_t group_of(struct loom_writer *writer, const char *path,
                      const char **name)
{
    const char *slash = strrchr(path, '/');
    char *group;
    hid_t made;

    *name = slash == NULL ? path : slash + 1;
    if (slash == NULL || slash == path) {
        return loom_h5_group(&writer->h5, writer->h5.file, "/");
    }
    group = strndup(path, (size_t)(slash - path));
    if (group == NULL) {
        loom_h5_no_memory(&writer->h5, "make a group");
        return -1;
    }
    made = loom_h5_group(&writer->h5, writer->h5.file, group);
    free(group);
    return made;
}

static struct scale *new_scale(struct loom_writer *writer, const char *path)
{
    struct scale **grown =
        realloc(writer->scale, (writer->scales + 1) * sizeof(struct scale *));
    struct scale *scale = calloc(1, sizeof(*scale));

    if (grown != NULL) {
        writer->scale = grown;
    }
    if (grown == NULL || scale == NULL ||
        (scale->path = join(path, "")) == NULL) {
        loom_h5_no_memory(&writer->h5, "make a scale");
        free(scale);
        return NULL;
    }
    return scale;
}

void loom_writer_scale(struct loom_writer *writer,
                       const struct loom_writer_dataset *scale, uint64_t length)
{
    struct loom_h5_dataset spec = {
        .unit = scale->unit, .doc = scale->doc, .type = type_of(scale->type)};
    struct scale *made;
    hid_t group;

    if (writer->h5.failed) {
        return;
    }
    group = group_of(writer, scale->path, &spec.name);
    made = new_scale(writer, scale->path);
    if (made != NULL) {
        loom_h5_scale_init(&writer->h5, &made->scale, group, &spec, length,
                           scale->data);
        writer->scale[writer->scales++] = made;
    }
    loom_h5_release(&writer->h5, group);
}

static struct scale *find_scale(const struct loom_writer *writer,
                                const char *path)
{
    for (size_t i = 0; i < writer->scales; i++) {
        if (strcmp(writer->scale[i]->path, path) == 0) {
            return writer->scale[i];
        }
    }
    return NULL;
}

uint64_t loom_writer_length(const struct loom_writer *writer, const char *path)
{
    const struct scale *scale = find_scale(writer, path);

    return scale == NULL ? 0 : scale->scale.length;
}

void loom_writer_add(struct loom_writer *writer,
                     const struct loom_writer_dataset *dataset)
{
    struct loom_h5_dataset spec = {
        .unit = dataset->unit,
        .doc = dataset->doc,
        .type = type_of(dataset->type),
        .rank = (int)dataset->rank,
    };
    struct loom_error err;
    hid_t group;

    for (uint32_t i = 0; i < dataset->rank && !writer->h5.failed; i++) {
        struct scale *scale = find_scale(writer, dataset->scale[i]);

        if (scale == NULL) {
            loom_fail(&err, LOOM_ERR_OUTPUT, "there is no scale '%s' for '%s'",
                      dataset->scale[i], dataset->path);
            loom_h5_set_error(&writer->h5, &err);
            return;
        }
        spec.scale[i] = &scale->scale;
    }
    if (writer->h5.failed) {
        return;
    }
    group = group_of(writer, dataset->path, &spec.name);
    loom_h5_fill(&writer->h5, group, &spec, dataset->data);
    loom_h5_release(&writer->h5, group);
}

bool loom_writer_close(struct loom_writer *writer, struct loom_error *err)
{
    size_t bytes;
    const void *data;
    bool ok;

    for (size_t i = 0; i < writer->scales; i++) {
        loom_h5_scale_finish(&writer->h5, &writer->scale[i]->scale);
    }
    ok = loom_h5_close(&writer->h5, err);
    if (ok) {
        data = loom_h5_image_bytes(&writer->h5, &bytes);
        ok = loom_file_put(writer->path, writer->working, data, bytes, err);
    }
    release(writer);
    return ok;
}

void loom_writer_abandon(struct loom_writer *writer)
{
    struct loom_error ignored;

    if (writer != NULL) {
        loom_h5_close(&writer->h5, &ignored);
        release(writer);
    }
}
