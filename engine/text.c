/*
 * UTF-8, as far as a terminal needs it checked.
 */
#include "engine/text.h"

/* The code point at `text` and its bytes; 0 bytes if it is none. */
static size_t decode(const unsigned char *text, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t bytes = text[0] < 0x80   ? 1
                   : text[0] < 0xc2 ? 0
                   : text[0] < 0xe0 ? 2
                   : text[0] < 0xf0 ? 3
                   : text[0] < 0xf5 ? 4
                                    : 0;

    *code = bytes < 2 ? text[0] : text[0] & (0xffu >> (bytes + 1));
    for (size_t i = 1; i < bytes; i++) {
        if ((text[i] & 0xc0) != 0x80) {
            return 0; /* also the end of the text */
        }
        *code = *code << 6 | (text[i] & 0x3f);
    }
    if (bytes > 1 && (*code < least[bytes] || *code > 0x10ffff ||
                      (*code >= 0xd800 && *code < 0xe000))) {
        return 0;
    }
    return bytes;
}

static bool is_obeyed(uint32_t code)
{
    return (code < 0x20 && code != '\t' && code != '\n') ||
           (code >= 0x7f && code < 0xa0) ||
           (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069);
}

void loom_text_tame(char *text)
{
    unsigned char *from = (unsigned char *)text, *to = from;

    while (*from != '\0') {
        uint32_t code;
        size_t bytes = decode(from, &code);

        if (bytes == 0 || is_obeyed(code)) {
            *to++ = '?';
            from += bytes == 0 ? 1 : bytes;
            continue;
        }
        for (; bytes > 0; bytes--) {
            *to++ = *from++;
        }
    }
    *to = '\0';
}

size_t loom_text_width(const char *text)
{
    size_t width = 0;

    for (; *text != '\0'; text++) {
        width += ((unsigned char)*text & 0xc0) != 0x80;
    }
    return width;
}
