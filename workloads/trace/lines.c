/*
 * Lines are handed out inside the buffer, terminated where the newline was,
 * so that nothing is copied but the piece of a line at the buffer's end.
 */
#include "workloads/trace/lines.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool trace_lines_open(struct trace_lines *lines, FILE *file, const char *name,
                      struct loom_error *err)
{
    *lines = (struct trace_lines){0};
    if (!trace_input_open(file, &lines->input, err)) {
        return loom_fail_at(err, name);
    }
    lines->name = strdup(name);
    lines->buffer = malloc(TRACE_LINE_MAX + 1);
    if (lines->name == NULL || lines->buffer == NULL) {
        trace_lines_close(lines);
        return loom_fail(err, LOOM_ERR_MEMORY, "%s: no host memory", name);
    }
    return true;
}

void trace_lines_close(struct trace_lines *lines)
{
    trace_input_close(lines->input);
    free(lines->name);
    free(lines->buffer);
    *lines = (struct trace_lines){0};
}

bool trace_fail(const struct trace_lines *lines, struct loom_error *err,
                const char *fmt, ...)
{
    char text[sizeof(err->text)];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    return loom_fail(err, LOOM_ERR_INPUT, "%s:%llu: %s", lines->name,
                     (unsigned long long)lines->number, text);
}

/* Moves what is left to the front and reads behind it. */
static bool refill(struct trace_lines *lines, struct loom_error *err)
{
    size_t left = lines->end - lines->at, got;

    memmove(lines->buffer, lines->buffer + lines->at, left);
    lines->at = 0;
    lines->end = left;
    if (left == TRACE_LINE_MAX) {
        lines->number++;
        return trace_fail(lines, err,
                          "the line is longer than %u bytes; this is no trace",
                          TRACE_LINE_MAX);
    }
    if (!trace_input_read(lines->input, lines->buffer + left,
                          TRACE_LINE_MAX - left, &got, err)) {
        char text[sizeof(err->text)];

        snprintf(text, sizeof(text), "%s", err->text);
        return trace_fail(lines, err, "after this line: %s", text);
    }
    lines->end += got;
    lines->at_end = got == 0;
    return true;
}

bool trace_lines_next(struct trace_lines *lines, char **line,
                      struct loom_error *err)
{
    size_t looked = 0;
    char *from, *stop;

    for (;;) {
        from = lines->buffer + lines->at;
        stop = memchr(from + looked, '\n', lines->end - lines->at - looked);
        if (stop != NULL) {
            break;
        }
        if (lines->at_end) {
            if (lines->at == lines->end) {
                *line = NULL;
                return true;
            }
            stop = lines->buffer + lines->end;
            lines->end++; /* as if there were one */
            break;
        }
        looked = lines->end - lines->at;
        if (!refill(lines, err)) {
            return false;
        }
    }
    *stop = '\0';
    lines->at += (size_t)(stop - from) + 1;
    lines->number++;
    *line = from;
    return true;
}

bool trace_lines_next_text(struct trace_lines *lines, char **line,
                           struct loom_error *err)
{
    do {
        if (!trace_lines_next(lines, line, err)) {
            return false;
        }
    } while (*line != NULL && *trace_skip(*line) == '\0');
    return true;
}

bool trace_decimal(const char **at, uint64_t *value)
{
    const char *c = trace_skip(*at);
    uint64_t sum = 0;

    if (*c < '0' || *c > '9') {
        return false;
    }
    for (; *c >= '0' && *c <= '9'; c++) {
        uint64_t digit = (uint64_t)(*c - '0');

        if (sum > (UINT64_MAX - digit) / 10) {
            return false;
        }
        sum = sum * 10 + digit;
    }
    *at = c;
    *value = sum;
    return true;
}

bool trace_signed(const char **at, int64_t *value)
{
    const char *c = trace_skip(*at);
    bool negative = *c == '-';
    uint64_t sum;

    c += negative;
    if (negative && (*c < '0' || *c > '9')) {
        return false;
    }
    if (!trace_decimal(&c, &sum) || sum > (uint64_t)INT64_MAX) {
        return false;
    }
    *at = c;
    *value = negative ? -(int64_t)sum : (int64_t)sum;
    return true;
}

static inline uint32_t hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return (uint32_t)(c - '0');
    }
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a') + 10 : 16;
}

bool trace_hex(const char **at, uint64_t *value)
{
    const char *c = trace_skip(*at);
    uint64_t sum = 0;
    uint32_t digit;

    if (c[0] == '0' && (c[1] | 0x20) == 'x') {
        c += 2;
    }
    digit = hex_digit(*c);
    if (digit == 16) {
        return false;
    }
    for (; digit < 16; digit = hex_digit(*++c)) {
        if (sum >> 60 != 0) {
            return false;
        }
        sum = sum << 4 | digit;
    }
    *at = c;
    *value = sum;
    return true;
}

size_t trace_word(const char **at)
{
    const char *c = trace_skip(*at);

    *at = c;
    while (*c != '\0' && !trace_blank(*c)) {
        c++;
    }
    return (size_t)(c - *at);
}
