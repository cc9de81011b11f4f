/*
 * "-key = value" lines.  Keys that are not known are ignored, as new tracers
 * add some; those that the timing model cannot do without are required.
 */
#include "workloads/trace/header.h"

#include <stdlib.h>
#include <string.h>

#define GRID_MAX UINT64_C(0xffffffff) /* CTAs; they are numbered by 32 bits */
#define BLOCK_MAX 1024u
#define REGISTERS_MAX 256u /* of a thread */

enum seen {
    SEEN_GRID = 1,
    SEEN_BLOCK = 2,
    SEEN_BINARY = 4,
    SEEN_REGISTERS = 8,
    SEEN_TRACER = 16
};

static bool bad_value(const struct trace_lines *lines, const char *key,
                      const char *value, const char *expected,
                      struct loom_error *err)
{
    return trace_fail(lines, err, "'%s' is '%.80s', expected %s", key, value,
                      expected);
}

static bool number(const struct trace_lines *lines, const char *key,
                   const char *value, uint64_t limit, uint64_t *result,
                   struct loom_error *err)
{
    const char *at = value;

    if (!trace_decimal(&at, result) || *trace_skip(at) != '\0' ||
        *result > limit) {
        char expected[64];

        snprintf(expected, sizeof(expected), "a number of 0..%llu",
                 (unsigned long long)limit);
        return bad_value(lines, key, value, expected, err);
    }
    return true;
}

static bool address(const struct trace_lines *lines, const char *key,
                    const char *value, loom_addr *result,
                    struct loom_error *err)
{
    const char *at = value;

    if (!trace_hex(&at, result) || *trace_skip(at) != '\0') {
        return bad_value(lines, key, value, "a hexadecimal address", err);
    }
    return true;
}

static bool extent(const char *value, struct loom_dim3 *result)
{
    uint64_t v[3] = {0};
    const char *at = trace_skip(value);

    for (int i = 0; i < 3; i++) {
        at = trace_skip(at);
        if (*at != (i == 0 ? '(' : ',')) {
            return false;
        }
        at++;
        if (!trace_decimal(&at, &v[i]) || v[i] == 0 || v[i] > INT32_MAX) {
            return false;
        }
    }
    at = trace_skip(at);
    *result =
        (struct loom_dim3){(uint32_t)v[0], (uint32_t)v[1], (uint32_t)v[2]};
    return *at == ')' && *trace_skip(at + 1) == '\0';
}

/* x * y * z <= limit, without overflow. */
static bool at_most(struct loom_dim3 d, uint64_t limit)
{
    return d.x <= limit && d.y <= limit / d.x &&
           d.z <= limit / ((uint64_t)d.x * d.y);
}

static bool set_extent(struct trace_header *h, const struct trace_lines *lines,
                       const char *key, const char *value,
                       struct loom_error *err)
{
    bool grid = strcmp(key, "grid dim") == 0;
    struct loom_dim3 *to = grid ? &h->grid : &h->block;

    if (!extent(value, to)) {
        return bad_value(lines, key, value, "(x,y,z), each at least 1", err);
    }
    if (!at_most(*to, grid ? GRID_MAX : BLOCK_MAX)) {
        return bad_value(
            lines, key, value,
            grid ? "at most 2^32-1 blocks" : "at most 1024 threads", err);
    }
    return true;
}

static bool set_name(struct trace_header *h, const char *value,
                     struct loom_error *err)
{
    free(h->name);
    h->name = strdup(value);
    return h->name != NULL || loom_fail(err, LOOM_ERR_MEMORY, "no host memory");
}

/* Tracers of Hopper write what is no number of registers: 0 then. */
static uint32_t registers(const char *value)
{
    uint64_t n = 0;
    bool good = trace_decimal(&value, &n) && *trace_skip(value) == '\0';

    return good && n <= REGISTERS_MAX ? (uint32_t)n : 0;
}

struct field {
    const char *key;
    uint64_t limit;
    size_t offset; /* of a uint32_t in the header */
    uint32_t seen;
};

static bool set_number(struct trace_header *h, const struct trace_lines *lines,
                       const struct field *field, const char *value,
                       struct loom_error *err)
{
    uint64_t n;

    if (!number(lines, field->key, value, field->limit, &n, err)) {
        return false;
    }
    *(uint32_t *)(void *)((char *)h + field->offset) = (uint32_t)n;
    return true;
}

static bool set(struct trace_header *h, const struct trace_lines *lines,
                const char *key, const char *value, uint32_t *seen,
                struct loom_error *err)
{
    static const struct field fields[] = {
        {"kernel id", UINT32_MAX, offsetof(struct trace_header, id), 0},
        {"shmem", 1u << 24, offsetof(struct trace_header, shared_bytes), 0},
        {"binary version", 999, offsetof(struct trace_header, binary_version),
         SEEN_BINARY},
        {"accelsim tracer version", 999,
         offsetof(struct trace_header, tracer_version), SEEN_TRACER},
    };
    uint64_t n = 0;

    for (size_t i = 0; i < LOOM_COUNTOF(fields); i++) {
        if (strcmp(key, fields[i].key) == 0) {
            *seen |= fields[i].seen;
            return set_number(h, lines, &fields[i], value, err);
        }
    }
    if (strcmp(key, "nregs") == 0) {
        *seen |= SEEN_REGISTERS;
        h->registers = registers(value);
        return true;
    } else if (strcmp(key, "kernel name") == 0) {
        return set_name(h, value, err);
    } else if (strcmp(key, "grid dim") == 0 || strcmp(key, "block dim") == 0) {
        *seen |= key[0] == 'g' ? SEEN_GRID : SEEN_BLOCK;
        return set_extent(h, lines, key, value, err);
    } else if (strcmp(key, "cuda stream id") == 0) {
        return number(lines, key, value, UINT64_MAX, &h->stream, err);
    } else if (strcmp(key, "shmem base_addr") == 0) {
        return address(lines, key, value, &h->shared_base, err);
    } else if (strcmp(key, "local mem base_addr") == 0) {
        return address(lines, key, value, &h->local_base, err);
    } else if (strcmp(key, "enable lineinfo") == 0) {
        bool ok = number(lines, key, value, 1, &n, err);

        h->line_info = n != 0;
        return ok;
    }
    return true;
}

static void cut_blanks(char *text)
{
    size_t length = strlen(text);

    while (length > 0 && trace_blank(text[length - 1])) {
        text[--length] = '\0';
    }
}

static bool read_field(struct trace_header *h, const struct trace_lines *lines,
                       char *line, uint32_t *seen, struct loom_error *err)
{
    char *equals = strchr(line, '=');
    char *key = line + 1;

    if (equals == NULL) { /* a key of its own kind: ignored */
        return true;
    }
    *equals = '\0';
    cut_blanks(key);
    cut_blanks(equals + 1);
    return set(h, lines, trace_skip(key), trace_skip(equals + 1), seen, err);
}

static bool complete(struct trace_header *h, const struct trace_lines *lines,
                     uint32_t seen, struct loom_error *err)
{
    const char *missing = (seen & SEEN_GRID) == 0        ? "grid dim"
                          : (seen & SEEN_BLOCK) == 0     ? "block dim"
                          : (seen & SEEN_BINARY) == 0    ? "binary version"
                          : (seen & SEEN_REGISTERS) == 0 ? "nregs"
                                                         : NULL;

    if (missing != NULL) {
        return trace_fail(lines, err, "the header has no '%s'", missing);
    }
    if ((seen & SEEN_TRACER) != 0 && h->tracer_version == 0) {
        h->tracer_is_zero = true;
        h->tracer_version = TRACE_VERSION_NEWEST;
    }
    return h->name != NULL || set_name(h, "kernel", err);
}

bool trace_header_read(struct trace_header *h, struct trace_lines *lines,
                       struct loom_error *err)
{
    uint32_t seen = 0;
    char *line;

    *h = (struct trace_header){0};
    for (;;) {
        bool ok = trace_lines_next_text(lines, &line, err);
        const char *text;

        if (ok && line == NULL) {
            ok = trace_fail(lines, err,
                            "the file ends in the header, expected a line "
                            "'#traces format = ..'");
        }
        if (!ok) {
            trace_header_free(h);
            return false;
        }
        text = trace_skip(line);
        if (*text == '#') {
            break;
        }
        if (*text != '-') {
            ok = trace_fail(lines, err,
                            "'%.40s' is no line of a header, expected "
                            "'-key = value' or '#'",
                            text);
        } else {
            ok = read_field(h, lines, line + (text - line), &seen, err);
        }
        if (!ok) {
            trace_header_free(h);
            return false;
        }
    }
    if (!complete(h, lines, seen, err)) {
        trace_header_free(h);
        return false;
    }
    return true;
}

void trace_header_free(struct trace_header *header)
{
    free(header->name);
    *header = (struct trace_header){0};
}
