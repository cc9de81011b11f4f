/*
 * Keys of streams.
 *
 * Every field is hashed as length of the name, name, length of the value,
 * value, so that no two sequences of fields give the same bytes.
 */
#include <string.h>

#include "workloads/recording/recording.h"

static void add_length(struct loom_stream_key *key, uint64_t value)
{
    unsigned char bytes[8];

    for (int i = 0; i < 8; i++) {
        bytes[i] = (unsigned char)(value >> 8 * i);
    }
    loom_digest_add(&key->digest, bytes, sizeof(bytes));
}

void loom_stream_key_init(struct loom_stream_key *key)
{
    loom_digest_init(&key->digest);
    loom_stream_key_add_number(key, "format", LOOM_RECORDING_VERSION);
}

void loom_stream_key_add(struct loom_stream_key *key, const char *name,
                         const void *data, size_t bytes)
{
    size_t length = strlen(name);

    add_length(key, length);
    loom_digest_add(&key->digest, name, length);
    add_length(key, bytes);
    if (bytes > 0) {
        loom_digest_add(&key->digest, data, bytes);
    }
}

void loom_stream_key_add_number(struct loom_stream_key *key, const char *name,
                                uint64_t value)
{
    unsigned char bytes[8];

    for (int i = 0; i < 8; i++) {
        bytes[i] = (unsigned char)(value >> 8 * i);
    }
    loom_stream_key_add(key, name, bytes, sizeof(bytes));
}

/* Registers are not part of it: they change occupancy, not streams. */
void loom_stream_key_add_launch(struct loom_stream_key *key,
                                const struct loom_launch_spec *spec)
{
    const uint32_t size[] = {spec->grid.x,  spec->grid.y,  spec->grid.z,
                             spec->block.x, spec->block.y, spec->block.z};

    loom_stream_key_add(key, "kernel", spec->kernel, strlen(spec->kernel));
    for (size_t i = 0; i < LOOM_COUNTOF(size); i++) {
        loom_stream_key_add_number(key, "size", size[i]);
    }
    loom_stream_key_add_number(key, "shared", spec->dynamic_shared_bytes);
    loom_stream_key_add_number(key, "number", spec->number);
    loom_stream_key_add(key, "params", spec->params, spec->param_bytes);
    if (spec->cluster.x != 0) {
        loom_stream_key_add_number(key, "cluster",
                                   spec->cluster.x |
                                       (uint64_t)spec->cluster.y << 20 |
                                       (uint64_t)spec->cluster.z << 40);
    }
    if (spec->cooperative || spec->interleave != 0) {
        loom_stream_key_add_number(key, "interleave", spec->interleave);
    }
    if (spec->turn > 1) { /* the order that everybody knows */
        loom_stream_key_add_number(key, "turn", spec->turn);
    }
    for (uint32_t i = 0; i < spec->transforms.count; i++) {
        const char *path = loom_policy_path(spec->transforms.item[i].policy);

        loom_stream_key_add(key, "transform", path, strlen(path));
        loom_stream_key_add_number(key, "resident", spec->facts.resident_ctas);
    }
}

void loom_stream_key_text(const struct loom_stream_key *key,
                          char text[LOOM_DIGEST_TEXT])
{
    struct loom_digest digest = key->digest;

    loom_digest_text(&digest, text);
}
