/*
 * Instructions that are known and not simulated, by the beginnings of their
 * names: what has them is refused with a reason, which docs/ptx-coverage.md
 * has, too.
 */
#include <string.h>

#include "workloads/ptx/parse/parse_private.h"

static const struct {
    const char *name, *why;
} absent[] = {
    {"tcgen05", "is of Blackwell's tensor memory, which is not simulated"},
    {"multimem", "works on the memory of several devices at once, which is "
                 "not simulated"},
    {"clusterlaunchcontrol", "asks for clusters that have not been launched, "
                             "which is not simulated"},
    {"istypep", "asks for the kind of a handle, which is not simulated"},
};

/* Modifiers of instructions that are simulated without them. */
static const struct {
    const char *word, *why;
} foreign[] = {
    {"kind::f8f6f4", "multiplies floats of 4 and 6 bits, which are not "
                     "simulated"},
    {"kind::mxf8f6f4", "multiplies with scales, which is not simulated"},
    {"kind::mxf4", "multiplies with scales, which is not simulated"},
    {"kind::mxf4nvf4", "multiplies with scales, which is not simulated"},
    {"ue8m0x2", "has scales of 8 bits, which are not simulated"},
    {"rs", "rounds stochastically, which is not simulated"},
    {"oob", "tests for the NaN of copies beyond a tensor, whose bits PTX does "
            "not tell"},
    {"im2col", "reads the places of a filter, which is not simulated"},
    {"im2col_no_offs", "writes the places of a filter, which is not simulated"},
    {"im2col::w", "reads the places of a filter, which is not simulated"},
    {"tile::gather4", "gathers rows of a tensor, which is not simulated"},
    {"tile::scatter4", "scatters rows of a tensor, which is not simulated"},
    {"cta_group::1", "is of Blackwell's pairs of CTAs, which are not "
                     "simulated"},
    {"cta_group::2", "is of Blackwell's pairs of CTAs, which are not "
                     "simulated"},
    {"swizzle_atomicity", "sets how a swizzle goes by units of 32 bytes, which "
                          "is not simulated"},
    {"cp_mask", "copies some bytes of 16, which is not simulated"},
};

const char *ptx_absent(const char *text, size_t length)
{
    for (size_t i = 0; i < LOOM_COUNTOF(absent); i++) {
        size_t n = strlen(absent[i].name);

        if (n <= length && memcmp(absent[i].name, text, n) == 0 &&
            (n == length || text[n] == '.')) {
            return absent[i].why;
        }
    }
    return NULL;
}

const char *ptx_foreign(const char *word, size_t length)
{
    for (size_t i = 0; i < LOOM_COUNTOF(foreign); i++) {
        if (strlen(foreign[i].word) == length &&
            memcmp(foreign[i].word, word, length) == 0) {
            return foreign[i].why;
        }
    }
    return NULL;
}
