/*
 * Characters to tokens, and the errors that name a place in the text.
 *
 * The lexer never looks behind `end`, needs no final zero and takes time
 * linear in the text.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/ptx/parse/parse_private.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) ||
           c == '_' || c == '$';
}

static int digit_of(char c)
{
    if (is_digit(c)) {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    if (c >= 'A' && c <= 'F') {
        return c - 'A' + 10;
    }
    return 99;
}

void ptx_skip_line(struct ptx_parser *p)
{
    while (p->at < p->end && *p->at != '\n') {
        p->at++;
    }
}

static void skip_comment(struct ptx_parser *p)
{
    p->at += 2;
    while (p->at < p->end) {
        if (*p->at == '*' && p->end - p->at > 1 && p->at[1] == '/') {
            p->at += 2;
            return;
        }
        p->line += *p->at == '\n';
        p->at++;
    }
}

static void skip_blank(struct ptx_parser *p)
{
    while (p->at < p->end) {
        char c = *p->at;

        if (c == '\n') {
            p->line++;
            p->at++;
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f') {
            p->at++;
        } else if (c == '/' && p->end - p->at > 1 && p->at[1] == '/') {
            ptx_skip_line(p);
        } else if (c == '/' && p->end - p->at > 1 && p->at[1] == '*') {
            skip_comment(p);
        } else if (c == '@' && p->end - p->at > 1 && p->at[1] == '@') {
            ptx_skip_line(p); /* @@DWARF of old compilers */
        } else {
            return;
        }
    }
}

/* Digits of `base` from `at`; the token is bad if there are none, if they
 * do not fit, or if a letter follows. */
static void lex_digits(struct ptx_parser *p, int base)
{
    struct ptx_token *token = &p->token;
    bool any = false;
    uint64_t value = 0;

    while (p->at < p->end && digit_of(*p->at) < base) {
        uint64_t digit = (uint64_t)digit_of(*p->at);

        if (value > (UINT64_MAX - digit) / (uint64_t)base) {
            token->kind = PTX_T_BAD;
        }
        value = value * (uint64_t)base + digit;
        any = true;
        p->at++;
    }
    if (p->at < p->end && *p->at == 'U') {
        p->at++;
    }
    if (!any || (p->at < p->end && is_word(*p->at))) {
        token->kind = PTX_T_BAD;
    }
    token->value = value;
}

/* "64.visible" of a minified text is a number and a directive. */
static bool is_point(const struct ptx_parser *p, const char *at)
{
    return p->end - at < 2 || !is_word(at[1]) || is_digit(at[1]);
}

/* "1.5", "2e-3": a double. */
static void lex_decimal_float(struct ptx_parser *p)
{
    char copy[64];
    size_t length = 0;
    char *end = NULL;
    bool dotted = false;
    double value;

    while (p->at + length < p->end && length < sizeof(copy) - 1) {
        char c = p->at[length];
        char before = length > 0 ? p->at[length - 1] : ' ';
        bool sign = (c == '+' || c == '-') && (before == 'e' || before == 'E');
        bool point = c == '.' && !dotted && is_point(p, p->at + length);

        if (!is_digit(c) && !point && c != 'e' && c != 'E' && !sign) {
            break; /* "9.0.target" of a minified text ends at its word */
        }
        dotted = dotted || point;
        copy[length++] = c;
    }
    copy[length] = '\0';
    value = strtod(copy, &end);
    p->token.kind = *end == '\0' && length > 0 ? PTX_T_F64 : PTX_T_BAD;
    memcpy(&p->token.value, &value, sizeof(value));
    p->at += length;
}

static void lex_bits(struct ptx_parser *p, enum ptx_token_kind kind,
                     ptrdiff_t digits)
{
    const char *start = p->at + 2;

    p->token.kind = kind;
    p->at = start;
    lex_digits(p, 16);
    if (p->at - start != digits) {
        p->token.kind = PTX_T_BAD;
    }
}

static void lex_number(struct ptx_parser *p)
{
    char next = p->end - p->at > 1 ? p->at[1] : ' ';
    const char *look = p->at;

    p->token.kind = PTX_T_INT;
    if (*p->at == '0' && (next == 'f' || next == 'F')) {
        lex_bits(p, PTX_T_F32, 8);
        return;
    }
    if (*p->at == '0' && (next == 'd' || next == 'D')) {
        lex_bits(p, PTX_T_F64, 16);
        return;
    }
    if (*p->at == '0' && (next == 'x' || next == 'X')) {
        p->at += 2;
        lex_digits(p, 16);
        return;
    }
    if (*p->at == '0' && (next == 'b' || next == 'B')) {
        p->at += 2;
        lex_digits(p, 2);
        return;
    }
    while (look < p->end && is_digit(*look)) {
        look++;
    }
    if (look < p->end &&
        ((*look == '.' && is_point(p, look)) || *look == 'e' || *look == 'E')) {
        lex_decimal_float(p);
        return;
    }
    lex_digits(p, *p->at == '0' ? 8 : 10);
}

static void lex_string(struct ptx_parser *p)
{
    const char *start = ++p->at;

    while (p->at < p->end && *p->at != '"' && *p->at != '\n') {
        if (*p->at == '\\' && p->end - p->at > 1 && p->at[1] != '\n') {
            p->at++;
        }
        p->at++;
    }
    p->token.text = start;
    p->token.length = (size_t)(p->at - start);
    p->token.kind = PTX_T_BAD;
    if (p->at < p->end && *p->at == '"') {
        p->token.kind = PTX_T_STRING;
        p->at++;
    }
}

static void lex_directive(struct ptx_parser *p)
{
    p->at++;
    while (p->at < p->end &&
           (is_word(*p->at) || (*p->at == ':' && p->end - p->at > 2 &&
                                p->at[1] == ':' && is_word(p->at[2])))) {
        p->at += *p->at == ':' ? 2 : 1;
    }
    p->token.text++;
    p->token.length = (size_t)(p->at - p->token.text);
    p->token.kind = p->token.length > 0 ? PTX_T_DIRECTIVE : PTX_T_BAD;
}

void ptx_advance(struct ptx_parser *p)
{
    struct ptx_token *token = &p->token;
    char c;

    skip_blank(p);
    *token =
        (struct ptx_token){.kind = PTX_T_END, .text = p->at, .line = p->line};
    if (p->at >= p->end || *p->at == '\0') {
        p->end = p->at;
        return;
    }
    c = *p->at;
    if (is_digit(c)) {
        lex_number(p);
    } else if (is_word(c) || c == '%') {
        token->kind = PTX_T_WORD;
        p->at++;
        while (p->at < p->end && is_word(*p->at)) {
            p->at++;
        }
    } else if (c == '.') {
        lex_directive(p);
        return;
    } else if (c == '"') {
        lex_string(p);
        return;
    } else {
        token->kind = PTX_T_PUNCT;
        p->at++;
    }
    token->length = (size_t)(p->at - token->text);
}

bool ptx_is(const struct ptx_parser *p, char punct)
{
    return p->token.kind == PTX_T_PUNCT && *p->token.text == punct;
}

bool ptx_is_directive(const struct ptx_parser *p, const char *word)
{
    return p->token.kind == PTX_T_DIRECTIVE &&
           p->token.length == strlen(word) &&
           memcmp(p->token.text, word, p->token.length) == 0;
}

bool ptx_take(struct ptx_parser *p, char punct)
{
    if (!ptx_is(p, punct)) {
        return false;
    }
    ptx_advance(p);
    return true;
}

bool ptx_take_directive(struct ptx_parser *p, const char *word)
{
    if (!ptx_is_directive(p, word)) {
        return false;
    }
    ptx_advance(p);
    return true;
}

bool ptx_expect(struct ptx_parser *p, char punct)
{
    const char what[] = {'\'', punct, '\'', '\0'};

    return ptx_take(p, punct) || ptx_unexpected(p, what);
}

bool ptx_number(struct ptx_parser *p, int64_t *value)
{
    bool minus = ptx_take(p, '-');
    bool invert = !minus && ptx_take(p, '~');
    uint64_t bits = p->token.value;

    if (p->token.kind != PTX_T_INT) {
        return ptx_unexpected(p, "an integer");
    }
    ptx_advance(p);
    bits = minus ? 0 - bits : invert ? ~bits : bits;
    memcpy(value, &bits, sizeof(bits));
    return true;
}

bool ptx_count(struct ptx_parser *p, uint64_t max, uint64_t *value)
{
    if (p->token.kind != PTX_T_INT) {
        return ptx_unexpected(p, "a number");
    }
    if (p->token.value > max) {
        return ptx_error(p, "%llu is too large, expected at most %llu",
                         (unsigned long long)p->token.value,
                         (unsigned long long)max);
    }
    *value = p->token.value;
    ptx_advance(p);
    return true;
}

bool ptx_word(struct ptx_parser *p, const char *what, const char **text)
{
    if (p->token.kind != PTX_T_WORD) {
        return ptx_unexpected(p, what);
    }
    *text = loom_ptx_text(p->module, p->token.text, p->token.length);
    ptx_advance(p);
    return *text != NULL || ptx_no_memory(p);
}

bool ptx_skip_block(struct ptx_parser *p)
{
    uint32_t depth = 0;

    for (;;) {
        if (p->token.kind == PTX_T_END) {
            return ptx_unexpected(p, "'}'");
        }
        if (ptx_is(p, '{')) {
            depth++;
        } else if (ptx_is(p, '}') && --depth == 0) {
            ptx_advance(p);
            return true;
        }
        ptx_advance(p);
    }
}

/* Text up to `end` with blanks and control characters squeezed. */
static void squeeze(char *to, size_t room, const char *from, const char *end)
{
    size_t used = 0;

    while (from < end && used + 5 < room) {
        bool blank = (unsigned char)*from <= ' ';

        if (!blank || (used > 0 && to[used - 1] != ' ')) {
            to[used++] = blank ? ' ' : *from;
        }
        from++;
    }
    if (from < end) {
        memcpy(to + used, "...", 3);
        used += 3;
    }
    to[used] = '\0';
}

bool ptx_error(struct ptx_parser *p, const char *fmt, ...)
{
    va_list args;

    if (p->failed) {
        return false;
    }
    va_start(args, fmt);
    vsnprintf(p->reason, sizeof(p->reason), fmt, args);
    va_end(args);
    p->failed = true;
    p->reason_line = p->token.line;
    return loom_fail(&p->err, LOOM_ERR_INPUT, "%.100s:%u: %s", p->name,
                     p->reason_line, p->reason);
}

bool ptx_unexpected(struct ptx_parser *p, const char *what)
{
    char found[60];

    if (p->token.kind == PTX_T_END) {
        return ptx_error(p, "the text ends where %s is expected", what);
    }
    squeeze(found, sizeof(found), p->token.text,
            p->token.text + p->token.length);
    return ptx_error(p, "found '%s%s' where %s is expected",
                     p->token.kind == PTX_T_DIRECTIVE ? "." : "", found, what);
}

bool ptx_bad_instruction(struct ptx_parser *p, const char *what)
{
    const char *end = p->statement;
    char text[100];

    while (end < p->end && *end != ';' && *end != '\n' && *end != '}') {
        end += 1;
        if (end[-1] == '{') { /* a vector's brackets belong to it */
            while (end < p->end && *end != '}' && *end != '\n') {
                end++;
            }
            end += end < p->end && *end == '}';
        }
    }
    squeeze(text, sizeof(text), p->statement, end);
    p->token.line = p->statement_line;
    return ptx_error(p, "instruction '%s' %s", text, what);
}

bool ptx_no_memory(struct ptx_parser *p)
{
    if (!p->failed) {
        p->failed = true;
        loom_fail(&p->err, LOOM_ERR_MEMORY, "%.100s:%u: no memory", p->name,
                  p->token.line);
    }
    return false;
}
