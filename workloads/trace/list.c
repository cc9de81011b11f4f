/*
 * Lines of a list: "MemcpyHtoD,0x<address>,<bytes>" and "kernel-<n>.traceg";
 * all others (copies to the host and within the device) are ignored, as
 * Accel-Sim ignores them.
 */
#include "workloads/trace/list.h"

#include <stdlib.h>
#include <string.h>

#define ITEMS_MAX (1u << 24)

static const char copy_name[] = "MemcpyHtoD";

static struct trace_item *add(struct trace_list *list)
{
    if (list->count == list->room) {
        uint32_t room = list->room * 2 + 64;
        struct trace_item *grown =
            realloc(list->item, room * sizeof(*list->item));

        if (grown == NULL) {
            return NULL;
        }
        list->item = grown;
        list->room = room;
    }
    list->item[list->count] = (struct trace_item){0};
    return &list->item[list->count++];
}

static bool field(const char **at)
{
    const char *c = trace_skip(*at);

    *at = c + 1;
    return *c == ',';
}

static bool read_copy(struct trace_item *item, const struct trace_lines *lines,
                      const char *at, struct loom_error *err)
{
    if (!field(&at) || !trace_hex(&at, &item->address) || !field(&at) ||
        !trace_decimal(&at, &item->bytes) || *trace_skip(at) != '\0') {
        return trace_fail(lines, err,
                          "a copy is not understood, expected "
                          "'MemcpyHtoD,0x<address>,<bytes>'");
    }
    return true;
}

static bool read_line(struct trace_list *list, const struct trace_lines *lines,
                      const char *line, struct loom_error *err)
{
    const char *at = trace_skip(line);
    bool copy = strncmp(at, copy_name, sizeof(copy_name) - 1) == 0;
    struct trace_item *item;

    if (!copy && strncmp(at, "kernel", 6) != 0) {
        return true;
    }
    item = list->count < ITEMS_MAX ? add(list) : NULL;
    if (item == NULL) {
        return loom_fail(err, LOOM_ERR_MEMORY, "%s: no host memory",
                         lines->name);
    }
    if (copy) {
        return read_copy(item, lines, at + sizeof(copy_name) - 1, err);
    }
    item->file = strndup(at, trace_word(&at));
    return item->file != NULL ||
           loom_fail(err, LOOM_ERR_MEMORY, "%s: no host memory", lines->name);
}

bool trace_list_read(struct trace_list *list, struct trace_lines *lines,
                     struct loom_error *err)
{
    bool first = true;
    char *line;

    for (;;) {
        if (!trace_lines_next_text(lines, &line, err)) {
            return false;
        }
        if (line == NULL) {
            return true;
        }
        if (first && *trace_skip(line) == '-') {
            list->kernel = true;
            return true;
        }
        first = false;
        if (!read_line(list, lines, line, err)) {
            return false;
        }
    }
}

void trace_list_free(struct trace_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        free(list->item[i].file);
    }
    free(list->item);
    *list = (struct trace_list){0};
}
