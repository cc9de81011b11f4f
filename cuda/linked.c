/*
 * Joins the PTX of translation units; workloads/ptx/parse/unit.c links them.
 */
#include "cuda/linked.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/fatbin.h"

enum {
    UNITS_MAX = 1 << 16 /* more are damage */
};

size_t loom_cuda_readable(const void *at)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    uintptr_t address = (uintptr_t)at, end = address;
    char line[512];

    while (maps != NULL && fgets(line, sizeof(line), maps) != NULL) {
        char *rest;
        uintptr_t from = (uintptr_t)strtoull(line, &rest, 16);
        uintptr_t to = (uintptr_t)strtoull(rest + 1, &rest, 16);

        if (from <= end && end < to && rest[1] == 'r') {
            end = to; /* neighbours are in ascending order */
        }
    }
    if (maps != NULL) {
        fclose(maps);
    }
    return end - address;
}

/* The device run-time library (libcudadevrt), which nvcc links into every such
 * program, is the only caller of what the driver does for kernels that launch
 * kernels.  It is left out: calls of it are refused where they are. */
static bool is_device_runtime(const char *text)
{
    return strstr(text, "cnpLaunchDevice") != NULL ||
           strstr(text, "cnpv2LaunchDevice") != NULL;
}

static bool add(struct loom_cuda_linked *linked, const char *text,
                struct loom_error *err)
{
    size_t bytes = strlen(text);
    char *grown = realloc(linked->text, linked->bytes + bytes + 2);

    if (grown == NULL) {
        return loom_fail(err, LOOM_ERR_MEMORY, "no memory for PTX");
    }
    linked->text = grown;
    memcpy(linked->text + linked->bytes, text, bytes);
    linked->bytes += bytes;
    linked->text[linked->bytes++] = '\n';
    linked->text[linked->bytes] = '\0';
    linked->units++;
    return true;
}

static bool read_one(const void *data, struct loom_cuda_linked *linked,
                     struct loom_error *err)
{
    static struct loom_fatbin fatbin; /* large */
    const struct loom_fatbin_entry *entry;
    size_t bytes;
    char *text;
    bool ok = true;

    if (!loom_fatbin_read(data, loom_cuda_readable(data), &fatbin, err)) {
        return false;
    }
    entry = loom_fatbin_ptx(&fatbin);
    if (entry == NULL) {
        linked->without += fatbin.count > 0;
        return true;
    }
    if (!loom_fatbin_text(entry, &text, &bytes, err)) {
        return false;
    }
    if (!is_device_runtime(text)) {
        linked->arch = entry->arch > linked->arch ? entry->arch : linked->arch;
        ok = add(linked, text, err);
    }
    free(text);
    return ok;
}

bool loom_cuda_linked_read(const void *list, struct loom_cuda_linked *linked,
                           struct loom_error *err)
{
    const void *const *part = list;
    size_t room = loom_cuda_readable(list) / sizeof(*part), i = 0;
    bool ok = true;

    *linked = (struct loom_cuda_linked){.text = NULL};
    while (ok && i < room && i < UNITS_MAX && part[i] != NULL) {
        ok = read_one(part[i], linked, err);
        i++;
    }
    if (ok && (i == room || i == UNITS_MAX)) {
        ok = loom_fail(err, LOOM_ERR_INPUT,
                       "the list of fat binaries of relocatable device code "
                       "has no end: it is damaged");
    }
    if (!ok) {
        free(linked->text);
        linked->text = NULL;
    }
    return ok;
}
