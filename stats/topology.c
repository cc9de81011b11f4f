/*
 * /topology: what was simulated, as columns.
 *
 * Every part with its place in /stats, every parameter with its value and
 * who set it, every link with its timing.  A figure can be checked against
 * the machine that it claims to show without any other file.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/recorder_private.h"

#define VALUE 4096 /* bytes of a parameter's value as text */

struct topology {
    struct loom_recorder *recorder;
    const struct loom_recorder_options *options;
    struct loom_rows rows;
};

static void put(struct loom_rows *rows, union loom_word *row, size_t *at,
                const char *text)
{
    loom_rows_text(rows, &row[(*at)++], text);
}

static struct loom_origin origin_of(const struct topology *topology,
                                    const char *path, const char *param,
                                    const char *fallback)
{
    struct loom_origin origin = {fallback, "", LOOM_STORAGE_UNKNOWN};

    if (topology->options->origin != NULL) {
        origin = topology->options->origin(topology->options->origin_context,
                                           path, param);
    }
    return origin;
}

static void columns(struct loom_rows *rows, hid_t group,
                    const char *const (*column)[2], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        loom_rows_simple(rows, group, column[i][0], "1", column[i][1],
                         LOOM_H5_TEXT);
    }
}

/* The nearest component above: the longest path that this one extends. */
static const char *parent_of(const struct loom_machine *machine,
                             const char *path)
{
    const char *best = "";

    for (uint32_t i = 0; i < loom_machine_component_count(machine); i++) {
        const char *other =
            loom_component_path(loom_machine_component(machine, i));
        size_t length = strlen(other);

        if (strncmp(path, other, length) == 0 && path[length] == '.' &&
            length > strlen(best)) {
            best = other;
        }
    }
    return best;
}

static void part_row(struct topology *topology, const char *path,
                     const char *type, const char *parent, uint64_t hertz)
{
    uint32_t number = 0;
    const struct loom_class *class =
        loom_catalog_find(topology->recorder->catalog, path, &number);
    struct loom_origin origin = origin_of(topology, path, NULL, "");
    struct loom_rows *rows = &topology->rows;
    union loom_word *row = loom_rows_add(rows);
    char group[LOOM_STAT_NAME + 8];
    size_t at = 1;

    if (row == NULL) {
        loom_h5_no_memory(rows->h5, "write the topology");
        return;
    }
    snprintf(group, sizeof(group), "/stats/%s", class->group);
    put(rows, row, &at, path);
    put(rows, row, &at, type);
    put(rows, row, &at, parent);
    put(rows, row, &at, class->stats.count == 0 ? "" : group);
    put(rows, row, &at, origin.lua_site);
    row[at++].u = hertz;
    row[at].u = number;
}

static void begin(struct topology *topology, const char *name, const char *doc,
                  hid_t *group)
{
    struct loom_h5 *h5 = &topology->recorder->h5;
    char path[64];

    snprintf(path, sizeof(path), "topology/%s", name);
    *group = loom_h5_group(h5, h5->file, path);
    loom_rows_init(&topology->rows, h5, *group, name, doc, LOOM_SERIES_CHUNK);
}

/* These tables are complete at once, so they are written and gone. */
static void end(struct topology *topology, hid_t group)
{
    loom_rows_ready(&topology->rows);
    loom_rows_write(&topology->rows);
    loom_rows_fini(&topology->rows);
    loom_h5_release(&topology->recorder->h5, group);
}

static void part_columns(struct topology *topology, hid_t group,
                         const char *parent, const char *parent_doc)
{
    const char *const column[][2] = {
        {"path", "canonical path"},
        {"class", "type, as scripts name it"},
        {parent, parent_doc},
        {"stat_group", "group of its statistics; empty if it keeps none"},
        {"lua_site", "line of the script that made it"}};

    columns(&topology->rows, group, column, LOOM_COUNTOF(column));
    loom_rows_simple(&topology->rows, group, "clock", "Hz",
                     "frequency of its clock", LOOM_H5_U64);
    loom_rows_simple(&topology->rows, group, "row", "1",
                     "its place along the instance axis of stat_group",
                     LOOM_H5_U64);
}

static void put_components(struct topology *topology)
{
    const struct loom_machine *machine = topology->recorder->machine;
    hid_t group;

    begin(topology, "component", "number (id) of the component", &group);
    part_columns(topology, group, "parent",
                 "component that it is a part of; empty at the top");
    for (uint32_t i = 0; i < loom_machine_component_count(machine); i++) {
        struct loom_component *component = loom_machine_component(machine, i);
        const char *path = loom_component_path(component);

        part_row(topology, path, loom_component_type_of(component)->name,
                 parent_of(machine, path),
                 loom_machine_hertz(machine, loom_component_clock(component)));
    }
    end(topology, group);
}

static void put_policies(struct topology *topology)
{
    const struct loom_machine *machine = topology->recorder->machine;
    hid_t group;

    begin(topology, "policy", "number of the policy", &group);
    part_columns(topology, group, "host", "component that it acts in");
    for (uint32_t i = 0; i < loom_machine_policy_count(machine); i++) {
        struct loom_policy *policy = loom_machine_policy(machine, i);
        struct loom_component *host = loom_policy_host(policy);

        part_row(topology, loom_policy_path(policy),
                 loom_policy_type_of(policy)->name,
                 host == NULL ? "" : loom_component_path(host),
                 host == NULL
                     ? 0
                     : loom_machine_hertz(machine, loom_component_clock(host)));
    }
    end(topology, group);
}

static void list_text(struct loom_list list, char *text, size_t size)
{
    size_t length = 0;

    text[0] = '\0';
    for (uint32_t i = 0; i < list.count && length + 24 < size; i++) {
        length += (size_t)snprintf(text + length, size - length, "%s%" PRIu64,
                                   i == 0 ? "" : ",", list.item[i]);
    }
}

static void value_text(enum loom_type type, union loom_value value, char *text)
{
    switch (type) {
    case LOOM_BOOL:
        snprintf(text, VALUE, "%s", value.b ? "true" : "false");
        return;
    case LOOM_U32:
    case LOOM_U64:
        snprintf(text, VALUE, "%" PRIu64, value.u);
        return;
    case LOOM_F64:
        snprintf(text, VALUE, "%.17g", value.f);
        return;
    case LOOM_STR:
        snprintf(text, VALUE, "%s", value.s == NULL ? "" : value.s);
        return;
    case LOOM_LIST:
        list_text(value.list, text, VALUE);
        return;
    }
    LOOM_BUG("type %d", (int)type);
}

/* Who set a parameter, where the caller does not say. */
static const char *setter(const struct loom_param *param, const char *value)
{
    char def[VALUE];

    value_text(param->type, param->def, def);
    return param->required || strcmp(value, def) != 0 ? "user" : "default";
}

static void param_rows(struct topology *topology, const char *path,
                       struct loom_params params, const void *config)
{
    struct loom_rows *rows = &topology->rows;
    char value[VALUE];

    for (size_t i = 0; i < params.count; i++) {
        const struct loom_param *param = &params.item[i];
        union loom_word *row = loom_rows_add(rows);
        struct loom_origin origin;
        size_t at = 1;

        if (row == NULL) {
            loom_h5_no_memory(rows->h5, "write the topology");
            return;
        }
        value_text(param->type, loom_param_get(param, config), value);
        origin = origin_of(
            topology, path, param->name,
            topology->options->origin != NULL ? "" : setter(param, value));
        put(rows, row, &at, path);
        put(rows, row, &at, param->name);
        put(rows, row, &at, value);
        put(rows, row, &at, loom_unit_name(param->unit));
        put(rows, row, &at, origin.origin);
        put(rows, row, &at, origin.lua_site);
    }
}

static void put_params(struct topology *topology)
{
    static const char *const column[][2] = {
        {"component", "canonical path of the component or policy"},
        {"name", "name of the parameter"},
        {"value", "its value"},
        {"unit", "unit of the value"},
        {"origin", "who set it: default, preset, user or derived"},
        {"lua_site", "line of the script that set it"}};
    const struct loom_machine *machine = topology->recorder->machine;
    hid_t group;

    begin(topology, "param", "number of the parameter", &group);
    columns(&topology->rows, group, column, LOOM_COUNTOF(column));
    for (uint32_t i = 0; i < loom_machine_component_count(machine); i++) {
        struct loom_component *component = loom_machine_component(machine, i);

        param_rows(topology, loom_component_path(component),
                   loom_component_type_of(component)->params,
                   loom_config(component));
    }
    for (uint32_t i = 0; i < loom_machine_policy_count(machine); i++) {
        struct loom_policy *policy = loom_machine_policy(machine, i);

        param_rows(topology, loom_policy_path(policy),
                   loom_policy_type_of(policy)->params,
                   loom_policy_config(policy));
    }
    end(topology, group);
}

static void end_text(const struct loom_end *link_end, char text[LOOM_STAT_NAME])
{
    snprintf(text, LOOM_STAT_NAME, "%s[%u]", link_end->port, link_end->index);
}

static void link_row(struct topology *topology,
                     const struct loom_link_info *info)
{
    const uint64_t timing[] = {info->request.latency,  info->request.credit,
                               info->request.capacity, info->reply.latency,
                               info->reply.credit,     info->reply.capacity};
    struct loom_rows *rows = &topology->rows;
    union loom_word *row = loom_rows_add(rows);
    char port[LOOM_STAT_NAME];
    size_t at = 1;

    if (row == NULL) {
        loom_h5_no_memory(rows->h5, "write the topology");
        return;
    }
    put(rows, row, &at, loom_component_path(info->client.component));
    end_text(&info->client, port);
    put(rows, row, &at, port);
    put(rows, row, &at, loom_component_path(info->server.component));
    end_text(&info->server, port);
    put(rows, row, &at, port);
    put(rows, row, &at, info->protocol->name);
    for (size_t i = 0; i < LOOM_COUNTOF(timing); i++) {
        row[at++].u = timing[i];
    }
}

static void put_links(struct topology *topology)
{
    static const char *const ends[][2] = {
        {"src", "component that sends requests"},
        {"src_port", "its port"},
        {"dst", "component that sends replies"},
        {"dst_port", "its port"},
        {"protocol", "what is said"}};
    static const struct {
        const char *name, *unit, *doc;
    } timing[] = {{"request_latency", "cycle", "latency of requests"},
                  {"request_credit", "cycle", "latency of their credits"},
                  {"request_capacity", "message", "requests that fit"},
                  {"reply_latency", "cycle", "latency of replies"},
                  {"reply_credit", "cycle", "latency of their credits"},
                  {"reply_capacity", "message", "replies that fit"}};
    const struct loom_machine *machine = topology->recorder->machine;
    hid_t group;

    begin(topology, "link", "number of the link", &group);
    columns(&topology->rows, group, ends, LOOM_COUNTOF(ends));
    for (size_t i = 0; i < LOOM_COUNTOF(timing); i++) {
        loom_rows_simple(&topology->rows, group, timing[i].name, timing[i].unit,
                         timing[i].doc, LOOM_H5_U64);
    }
    for (uint32_t i = 0; i < loom_machine_link_count(machine); i++) {
        struct loom_link_info info = loom_machine_link_info(machine, i);

        link_row(topology, &info);
    }
    end(topology, group);
}

/* Attribute of a policy's group: bits of each instance; none where one does
 * not say. */
static void put_storage(const struct topology *topology)
{
    const struct loom_catalog *catalog = topology->recorder->catalog;
    struct loom_h5 *h5 = &topology->recorder->h5;

    for (uint32_t i = 0; i < catalog->count && !h5->failed; i++) {
        const struct loom_class *class = &catalog->item[i];
        uint64_t *bits = calloc(class->count + 1u, sizeof(*bits));
        bool known = class->is_policy && class->stats.count != 0;
        char path[LOOM_STAT_NAME + 8];
        hid_t group;

        for (uint32_t k = 0; bits != NULL && known && k < class->count; k++) {
            bits[k] =
                origin_of(topology, class->path[k], NULL, "").storage_bits;
            known = bits[k] != LOOM_STORAGE_UNKNOWN;
        }
        if (bits == NULL) {
            loom_h5_no_memory(h5, "write the topology");
        } else if (known) {
            snprintf(path, sizeof(path), "/stats/%s", class->group);
            group = loom_h5_group(h5, h5->file, path);
            loom_h5_put_u64(h5, group, "storage_bits", bits, class->count);
            loom_h5_release(h5, group);
        }
        free(bits);
    }
}

void loom_record_topology(struct loom_recorder *recorder,
                          const struct loom_recorder_options *options)
{
    struct topology topology = {.recorder = recorder, .options = options};

    put_components(&topology);
    put_policies(&topology);
    put_params(&topology);
    put_links(&topology);
}

void loom_record_storage(struct loom_recorder *recorder,
                         const struct loom_recorder_options *options)
{
    struct topology topology = {.recorder = recorder, .options = options};

    put_storage(&topology);
}
