/*
 * printf() of a thread: the format is text in device memory, the values lie
 * behind each other as the compiler put them, each aligned to its size
 * (CUDA C Programming Guide, "Formatted output": integers of 4 or 8 bytes,
 * floating point as double).
 *
 * A conversion that C does not know is printed as it stands.  What a thread
 * prints goes to the launch's callback at once: CTAs are executed in order.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "workloads/ptx/exec/call.h"

#define SPEC_MAX 32u  /* characters of a conversion, with its flags */
#define TEXT_MAX 1024 /* of one conversion that is not a string */
#define WIDTH_MAX 512 /* of a field, and of its precision */

struct print {
    struct exec_launch *launch;
    const struct exec_warp *warp;
    uint32_t lane;
    uint64_t values; /* address of the next one */
    uint32_t count;
    bool failed;
};

static void say(const struct print *p, const char *text, size_t bytes)
{
    if (p->launch->print != NULL && bytes != 0) {
        p->launch->print(p->launch->print_context, text, bytes);
    }
}

static uint64_t next_value(struct print *p, uint32_t bytes)
{
    uint64_t room = 0, value = 0;
    uint64_t at = (p->values + bytes - 1) & ~(uint64_t)(bytes - 1);
    const unsigned char *from =
        ptx_peek(p->launch, p->warp, p->lane, at, &room);

    if (from == NULL || room < bytes) {
        p->failed = true;
        return 0;
    }
    memcpy(&value, from, bytes);
    p->values = at + bytes;
    return value;
}

/* Digits, or '*'; larger ones are cut.  Returns what to go on with. */
static const char *number(struct print *p, const char *at, char *spec,
                          size_t *used)
{
    int value = 0;

    if (*at == '*') {
        value = (int32_t)(uint32_t)next_value(p, 4);
        at++;
    } else {
        for (; isdigit((unsigned char)*at) != 0; at++) {
            value = value > WIDTH_MAX ? value : value * 10 + (*at - '0');
        }
    }
    value = value > WIDTH_MAX    ? WIDTH_MAX
            : value < -WIDTH_MAX ? -WIDTH_MAX
                                 : value;
    *used += (size_t)snprintf(spec + *used, SPEC_MAX - *used, "%d", value);
    return at;
}

/* "%-08.3ll" with numbers for stars; the length is left out, but told. */
static const char *read_spec(struct print *p, const char *at, char *spec,
                             bool *wide)
{
    size_t used = 1;

    spec[0] = '%';
    *wide = false;
    for (at++; *at != '\0' && strchr("-+ #0", *at) != NULL; at++) {
        if (used < 6) {
            spec[used++] = *at;
        }
    }
    if (*at == '*' || isdigit((unsigned char)*at) != 0) {
        at = number(p, at, spec, &used);
    }
    if (*at == '.') {
        spec[used++] = '.';
        at = number(p, at + 1, spec, &used);
    }
    for (; *at != '\0' && strchr("hlLqjzt", *at) != NULL; at++) {
        *wide = *wide || *at != 'h';
    }
    spec[used] = '\0';
    return at;
}

static void print_string(struct print *p, const char *spec)
{
    uint64_t address = next_value(p, 8), room = 0;
    const char *from = address == 0
                           ? NULL
                           : (const char *)ptx_peek(p->launch, p->warp, p->lane,
                                                    address, &room);
    const void *end = from == NULL ? NULL : memchr(from, '\0', (size_t)room);
    char text[TEXT_MAX], fmt[SPEC_MAX + 4];

    if (end == NULL) {
        from = "(null)";
    } else if (strcmp(spec, "%") == 0) {
        say(p, from, strlen(from));
        return;
    }
    snprintf(fmt, sizeof(fmt), "%ss", spec);
    snprintf(text, sizeof(text), fmt, from);
    say(p, text, strlen(text));
}

/* fmt ends in the conversion letter. */
static void print_integer(struct print *p, char letter, const char *spec,
                          bool wide)
{
    char text[TEXT_MAX], fmt[SPEC_MAX + 8];
    uint64_t value = next_value(p, wide ? 8 : 4);
    long long sign =
        wide ? (long long)(int64_t)value : (int32_t)(uint32_t)value;

    snprintf(fmt, sizeof(fmt), "%sll%c", spec, letter);
    if (letter == 'd' || letter == 'i') {
        snprintf(text, sizeof(text), fmt, sign);
    } else {
        snprintf(text, sizeof(text), fmt, (unsigned long long)value);
    }
    say(p, text, strlen(text));
}

static void print_value(struct print *p, char letter, const char *spec,
                        bool wide)
{
    char text[TEXT_MAX], fmt[SPEC_MAX + 8];
    uint64_t bits;
    double real;

    p->count++;
    switch (letter) {
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o':
        print_integer(p, letter, spec, wide);
        return;
    case 'c':
        snprintf(fmt, sizeof(fmt), "%sc", spec);
        snprintf(text, sizeof(text), fmt, (int)(next_value(p, 4) & 255));
        break;
    case 'p':
        snprintf(text, sizeof(text), "0x%llx",
                 (unsigned long long)next_value(p, 8));
        break;
    case 's':
        print_string(p, spec);
        return;
    default: /* a floating point conversion */
        bits = next_value(p, 8);
        memcpy(&real, &bits, sizeof(real));
        snprintf(fmt, sizeof(fmt), "%s%c", spec, letter);
        snprintf(text, sizeof(text), fmt, real);
        break;
    }
    say(p, text, strlen(text));
}

static void print_all(struct print *p, const char *format)
{
    const char *start = format;

    while (*format != '\0' && !p->failed) {
        const char *at = format;
        char spec[SPEC_MAX + 4];
        bool wide;

        if (*format != '%') {
            format++;
            continue;
        }
        say(p, start, (size_t)(format - start));
        format = read_spec(p, format, spec, &wide);
        if (*format != '\0' && strchr("diuxXocpsfFeEgGaA", *format) != NULL) {
            print_value(p, *format, spec, wide);
            start = format + 1;
        } else {
            start = *format == '%' ? format : at;
        }
        format += *format != '\0' ? 1 : 0;
    }
    say(p, start, (size_t)(format - start));
}

bool ptx_printf(struct exec_launch *launch, struct exec_warp *warp,
                const struct exec_op *op, uint32_t lane,
                struct exec_print *print)
{
    struct print p = {
        .launch = launch, .warp = warp, .lane = lane, .values = print->values};
    uint64_t room = 0;
    const unsigned char *text =
        ptx_peek(launch, warp, lane, print->format, &room);

    if (text == NULL || memchr(text, '\0', (size_t)room) == NULL) {
        return ptx_fault(launch, warp, op,
                         "thread %u: the format of printf is not a text",
                         warp->number * LOOM_WARP_LANES + lane);
    }
    print_all(&p, (const char *)text);
    print->count = p.count;
    return !p.failed ||
           ptx_fault(launch, warp, op,
                     "thread %u: printf reads values that are not there",
                     warp->number * LOOM_WARP_LANES + lane);
}
