/*
 * Pattern matching by recursion on wildcards: patterns are short and written
 * by hand, so the exponential worst case of `**` is bounded by its length.
 */
#include "stats/glob.h"

#include <string.h>

#define LONGEST 256

static char folded(char c)
{
    return c == '/' ? '.' : c;
}

static bool glob(const char *pattern, const char *name, int depth);

/* `**` followed by a dot or the end: tries every start of a segment. */
static bool glob_segments(const char *rest, const char *name, int depth)
{
    if (*rest == '\0') {
        return true;
    }
    for (const char *at = name; at != NULL && *at != '\0';) {
        if (glob(rest + 1, at, depth + 1)) {
            return true;
        }
        at = strpbrk(at, "./");
        at = at == NULL ? NULL : at + 1;
    }
    return false;
}

static bool glob(const char *pattern, const char *name, int depth)
{
    if (depth > 16) {
        return false;
    }
    for (;; pattern++, name++) {
        if (pattern[0] == '*' && pattern[1] == '*' &&
            (pattern[2] == '\0' || folded(pattern[2]) == '.')) {
            return glob_segments(pattern + 2, name, depth);
        }
        if (*pattern == '*') {
            for (;; name++) {
                if (glob(pattern + 1, name, depth + 1)) {
                    return true;
                }
                if (*name == '\0' || folded(*name) == '.') {
                    return false;
                }
            }
        }
        /* "a.**" names all in a: the dot before a final ** may be absent
         * only together with it, so nothing special is needed here. */
        if (*pattern == '\0' || *name == '\0') {
            return *pattern == *name;
        }
        if (*pattern != '?' && folded(*pattern) != folded(*name)) {
            return false;
        }
        if (*pattern == '?' && folded(*name) == '.') {
            return false;
        }
    }
}

bool loom_glob(const char *pattern, const char *name)
{
    return glob(pattern, name, 0);
}

bool loom_glob_loose(const char *pattern, const char *name)
{
    char wide[LONGEST + 8];
    size_t length = strlen(pattern);
    bool whole = strpbrk(pattern, "./") != NULL;

    if (loom_glob(pattern, name)) {
        return true;
    }
    if (length > LONGEST) {
        return false;
    }
    memcpy(wide, pattern, length);
    memcpy(wide + length, ".**", 4);
    if (loom_glob(wide, name)) {
        return true;
    }
    if (whole) {
        return false;
    }
    memcpy(wide, "**.", 3);
    memcpy(wide + 3, pattern, length + 1);
    return loom_glob(wide, name);
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Levenshtein's distance, except that `*` may stand for anything. */
uint32_t loom_glob_distance(const char *pattern, const char *name)
{
    size_t length = strlen(name);
    uint32_t row[LONGEST];

    if (length >= LONGEST) {
        return UINT32_MAX;
    }
    for (size_t j = 0; j <= length; j++) {
        row[j] = (uint32_t)j;
    }
    for (; *pattern != '\0'; pattern++) {
        bool star = *pattern == '*';
        uint32_t corner = row[0];

        row[0] += star ? 0 : 1;
        for (size_t j = 1; j <= length; j++) {
            bool same =
                *pattern == '?' || folded(*pattern) == folded(name[j - 1]);
            uint32_t old = row[j];

            row[j] = star ? smaller(old, row[j - 1])
                          : smaller(corner + (same ? 0 : 1),
                                    smaller(old, row[j - 1]) + 1);
            corner = old;
        }
    }
    return row[length];
}

bool loom_glob_near(const char *pattern, uint32_t distance)
{
    size_t length = strlen(pattern);

    return distance <= (length < 7 ? 2 : length / 3);
}
