/*
 * Opcode tables: reading them, and what names and modifiers say.
 *
 * Tables are searched once per static instruction, so a plain search is
 * quick enough.
 */
#include "workloads/trace/opcodes.h"

#include <stdlib.h>
#include <string.h>

#include "components/mem_protocol.h"
#include "workloads/trace/lines.h"

static const struct {
    const char *name;
    uint8_t space;
} spaces[] = {
    {"global", LOOM_SPACE_GLOBAL},   {"local", LOOM_SPACE_LOCAL},
    {"shared", LOOM_SPACE_SHARED},   {"const", LOOM_SPACE_CONST},
    {"texture", LOOM_SPACE_TEXTURE}, {"generic", TRACE_GENERIC},
};

static bool is(const char *word, size_t length, const char *name)
{
    return strlen(name) == length && memcmp(word, name, length) == 0;
}

static bool read_class(struct trace_opcode *opcode, const char *word,
                       size_t length)
{
    for (uint32_t i = 0; i < LOOM_OPS; i++) {
        if (is(word, length, loom_op_names[i])) {
            opcode->op = (uint8_t)i;
            return true;
        }
    }
    return false;
}

static bool read_number(const char *word, size_t length, const char *name,
                        uint8_t *value)
{
    size_t skip = strlen(name);
    const char *at = word + skip;
    uint64_t number;

    if (length <= skip || memcmp(word, name, skip) != 0 ||
        !trace_decimal(&at, &number) || at != word + length || number > 16) {
        return false;
    }
    *value = (uint8_t)number;
    return true;
}

/* A word after the class: space, number or property. */
static bool read_attribute(struct trace_opcode *opcode, const char *word,
                           size_t length)
{
    for (size_t i = 0; i < LOOM_COUNTOF(spaces); i++) {
        if (is(word, length, spaces[i].name)) {
            opcode->space = spaces[i].space;
            return true;
        }
    }
    if (is(word, length, "copies")) {
        opcode->copies = true;
        return true;
    }
    if (is(word, length, "groups")) {
        opcode->groups = true;
        return true;
    }
    if (is(word, length, "waits")) {
        opcode->waits = true;
        return true;
    }
    return read_number(word, length, "bytes=", &opcode->bytes) ||
           read_number(word, length, "dests=", &opcode->dests) ||
           read_number(word, length, "sources=", &opcode->sources);
}

static bool bad(const char *at, size_t length, struct loom_error *err)
{
    return loom_fail(err, LOOM_ERR_INPUT,
                     "opcode table: '%.*s' is not understood",
                     (int)(length > 60 ? 60 : length), at);
}

static bool read_opcode(struct trace_arch *arch, const char *at,
                        struct loom_error *err)
{
    struct trace_opcode opcode = {.space = LOOM_SPACE_GLOBAL};
    const char *line = at;
    size_t length = trace_word(&at);

    if (length >= TRACE_OPCODE_MAX) {
        return bad(line, strlen(line), err);
    }
    memcpy(opcode.name, at, length);
    at += length;
    length = trace_word(&at);
    if (!read_class(&opcode, at, length)) {
        return bad(line, strlen(line), err);
    }
    for (at += length; (length = trace_word(&at)) != 0; at += length) {
        if (!read_attribute(&opcode, at, length)) {
            return bad(line, strlen(line), err);
        }
    }
    if (arch->count == arch->room) {
        uint32_t room = arch->room * 2 + 64;
        struct trace_opcode *grown =
            realloc(arch->opcode, room * sizeof(*grown));

        if (grown == NULL) {
            return loom_fail(err, LOOM_ERR_MEMORY, "no host memory");
        }
        arch->opcode = grown;
        arch->room = room;
    }
    arch->opcode[arch->count++] = opcode;
    return true;
}

static bool start_arch(struct trace_opcodes *opcodes, const char *at,
                       struct loom_error *err)
{
    struct trace_arch *grown =
        realloc(opcodes->arch, (opcodes->count + 1u) * sizeof(*opcodes->arch));
    struct trace_arch *arch;
    uint64_t version;

    if (grown == NULL) {
        return loom_fail(err, LOOM_ERR_MEMORY, "no host memory");
    }
    opcodes->arch = grown;
    arch = &opcodes->arch[opcodes->count++];
    *arch = (struct trace_arch){0};
    while (arch->version_count < LOOM_COUNTOF(arch->version) &&
           trace_decimal(&at, &version)) {
        arch->version[arch->version_count++] = (uint32_t)version;
    }
    if (arch->version_count == 0 || *trace_skip(at) != '\0') {
        return bad(at, strlen(at), err);
    }
    return true;
}

static bool read_line(struct trace_opcodes *opcodes, const char *line,
                      struct loom_error *err)
{
    const char *at = line;
    size_t length = trace_word(&at);

    if (length == 0) {
        return true;
    }
    if (is(at, length, "arch")) {
        return start_arch(opcodes, at + length, err);
    }
    if (opcodes->count == 0) {
        return bad(line, strlen(line), err);
    }
    return read_opcode(&opcodes->arch[opcodes->count - 1], at, err);
}

bool trace_opcodes_read(struct trace_opcodes *opcodes, const char *text,
                        struct loom_error *err)
{
    char line[256];

    while (*text != '\0') {
        size_t length = strcspn(text, "\n");

        if (length >= sizeof(line)) {
            return bad(text, length, err);
        }
        memcpy(line, text, length);
        line[length] = '\0';
        if (!read_line(opcodes, line, err)) {
            return false;
        }
        text += length + (text[length] == '\n');
    }
    return true;
}

void trace_opcodes_free(struct trace_opcodes *opcodes)
{
    for (uint32_t i = 0; i < opcodes->count; i++) {
        free(opcodes->arch[i].opcode);
    }
    free(opcodes->arch);
    *opcodes = (struct trace_opcodes){0};
}

const struct trace_arch *trace_opcodes_arch(const struct trace_opcodes *opcodes,
                                            uint32_t version, uint32_t *used)
{
    const struct trace_arch *below = NULL, *oldest = NULL;
    uint32_t below_version = 0, oldest_version = UINT32_MAX;

    if (version == 0) { /* not known: the newest has all older opcodes, too */
        version = UINT32_MAX;
    }

    for (uint32_t a = 0; a < opcodes->count; a++) {
        const struct trace_arch *arch = &opcodes->arch[a];

        for (uint32_t i = 0; i < arch->version_count; i++) {
            uint32_t v = arch->version[i];

            if (v <= version && (below == NULL || v > below_version)) {
                below = arch;
                below_version = v;
            }
            if (v < oldest_version) {
                oldest = arch;
                oldest_version = v;
            }
        }
    }
    *used = below != NULL ? below_version : oldest_version;
    return below != NULL ? below : oldest;
}

const struct trace_opcode *trace_arch_find(const struct trace_arch *arch,
                                           const char *name, size_t length)
{
    for (;;) {
        for (uint32_t i = 0; i < arch->count; i++) {
            if (is(name, length, arch->opcode[i].name)) {
                return &arch->opcode[i];
            }
        }
        while (length > 0 && name[length - 1] != '.') {
            length--;
        }
        if (length == 0) {
            return NULL;
        }
        length--;
    }
}

/* The modifier behind *at, which is at a dot or at the end. */
static bool next_modifier(const char **at, const char *end, const char **word,
                          size_t *length)
{
    const char *c = *at;

    if (c >= end) {
        return false;
    }
    *word = ++c;
    while (c < end && *c != '.') {
        c++;
    }
    *length = (size_t)(c - *word);
    *at = c;
    return true;
}

static const char *modifiers_of(const char *name, const char *end)
{
    while (name < end && *name != '.') {
        name++;
    }
    return name;
}

static uint32_t bytes_of_bits(const char *digits, size_t length)
{
    static const struct {
        const char *bits;
        uint32_t bytes;
    } known[] = {{"8", 1}, {"16", 2}, {"32", 4}, {"64", 8}, {"128", 16}};

    for (size_t i = 0; i < LOOM_COUNTOF(known); i++) {
        if (is(digits, length, known[i].bits)) {
            return known[i].bytes;
        }
    }
    return 0;
}

uint32_t trace_opcode_bytes(const char *name, size_t length)
{
    const char *end = name + length, *at = modifiers_of(name, end);
    const char *word;
    size_t bytes;

    while (next_modifier(&at, end, &word, &bytes)) {
        bool kind =
            bytes > 1 && (word[0] == 'U' || word[0] == 'S' || word[0] == 'F');
        uint32_t width = bytes_of_bits(word + kind, bytes - kind);

        if (width != 0) {
            return width;
        }
    }
    return 0;
}

bool trace_opcode_has(const char *name, size_t length, const char *what)
{
    const char *end = name + length, *at = modifiers_of(name, end);
    const char *word;
    size_t bytes;

    while (next_modifier(&at, end, &word, &bytes)) {
        if (is(word, bytes, what)) {
            return true;
        }
    }
    return false;
}
