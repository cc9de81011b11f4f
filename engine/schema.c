/*
 * Checks and conversions that follow from a schema table.
 */
#include "engine/schema.h"

#include <string.h>

static const char *const unit_names[LOOM_UNIT_END] = {
    [LOOM_UNIT_NONE] = "1",
    [LOOM_UNIT_BYTE] = "byte",
    [LOOM_UNIT_CYCLE] = "cycle",
    [LOOM_UNIT_HERTZ] = "Hz",
    [LOOM_UNIT_SECOND] = "s",
    [LOOM_UNIT_RATIO] = "1",
    [LOOM_UNIT_REQUEST] = "request",
    [LOOM_UNIT_WARP_INST] = "warp_inst",
    [LOOM_UNIT_THREAD_INST] = "thread_inst",
    [LOOM_UNIT_INST_PER_CYCLE] = "inst/cycle",
    [LOOM_UNIT_BYTE_PER_SECOND] = "byte/s",
    [LOOM_UNIT_CYCLE_PER_REQUEST] = "cycle/request",
    [LOOM_UNIT_EVENT] = "event",
    [LOOM_UNIT_FLIT] = "flit",
    [LOOM_UNIT_LINE] = "line",
    [LOOM_UNIT_WARP] = "warp",
    [LOOM_UNIT_CTA] = "cta",
    [LOOM_UNIT_JOULE] = "J",
    [LOOM_UNIT_WATT] = "W",
};

static const char *const type_names[] = {
    [LOOM_BOOL] = "boolean", [LOOM_U32] = "integer", [LOOM_U64] = "integer",
    [LOOM_F64] = "number",   [LOOM_STR] = "string",  [LOOM_LIST] = "list",
};

static const size_t type_sizes[] = {
    [LOOM_BOOL] = sizeof(bool),        [LOOM_U32] = sizeof(uint32_t),
    [LOOM_U64] = sizeof(uint64_t),     [LOOM_F64] = sizeof(double),
    [LOOM_STR] = sizeof(const char *), [LOOM_LIST] = sizeof(struct loom_list),
};

const char *loom_unit_name(enum loom_unit unit)
{
    return unit_names[unit];
}

const char *loom_type_name(enum loom_type type)
{
    return type_names[type];
}

const struct loom_param *loom_params_find(struct loom_params params,
                                          const char *name)
{
    for (size_t i = 0; i < params.count; i++) {
        if (strcmp(params.item[i].name, name) == 0) {
            return &params.item[i];
        }
    }
    return NULL;
}

static void store(const struct loom_param *param, void *config,
                  union loom_value value)
{
    unsigned char *field = (unsigned char *)config + param->offset;
    uint32_t narrow = (uint32_t)value.u;

    switch (param->type) {
    case LOOM_BOOL:
        memcpy(field, &value.b, sizeof(value.b));
        break;
    case LOOM_U32:
        memcpy(field, &narrow, sizeof(narrow));
        break;
    case LOOM_U64:
        memcpy(field, &value.u, sizeof(value.u));
        break;
    case LOOM_F64:
        memcpy(field, &value.f, sizeof(value.f));
        break;
    case LOOM_STR:
        memcpy(field, &value.s, sizeof(value.s));
        break;
    case LOOM_LIST:
        memcpy(field, &value.list, sizeof(value.list));
        break;
    }
}

void loom_params_default(struct loom_params params, void *config)
{
    for (size_t i = 0; i < params.count; i++) {
        store(&params.item[i], config, params.item[i].def);
    }
}

union loom_value loom_param_get(const struct loom_param *param,
                                const void *config)
{
    const unsigned char *field = (const unsigned char *)config + param->offset;
    union loom_value value = {.u = 0};
    uint32_t narrow;

    switch (param->type) {
    case LOOM_BOOL:
        memcpy(&value.b, field, sizeof(value.b));
        break;
    case LOOM_U32:
        memcpy(&narrow, field, sizeof(narrow));
        value.u = narrow;
        break;
    case LOOM_U64:
        memcpy(&value.u, field, sizeof(value.u));
        break;
    case LOOM_F64:
        memcpy(&value.f, field, sizeof(value.f));
        break;
    case LOOM_STR:
        memcpy(&value.s, field, sizeof(value.s));
        break;
    case LOOM_LIST:
        memcpy(&value.list, field, sizeof(value.list));
        break;
    }
    return value;
}

/* The largest value: the declared maximum or, where that is 0, the type's. */
static uint64_t largest(const struct loom_param *p)
{
    if (p->max.u != 0) {
        return p->max.u;
    }
    return p->type == LOOM_U32 ? UINT32_MAX : UINT64_MAX;
}

static bool check_integer(const struct loom_param *p, uint64_t u,
                          struct loom_error *err)
{
    if (u < p->min.u || u > largest(p)) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "parameter '%s' is %llu, expected %llu..%llu", p->name,
                         (unsigned long long)u, (unsigned long long)p->min.u,
                         (unsigned long long)largest(p));
    }
    if (p->power_of_2 && !loom_is_power_of_2(u)) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "parameter '%s' is %llu, expected a power of two",
                         p->name, (unsigned long long)u);
    }
    return true;
}

static bool check_list(const struct loom_param *p, struct loom_list list,
                       struct loom_error *err)
{
    for (uint32_t i = 0; i < list.count; i++) {
        if (!check_integer(p, list.item[i], err)) {
            return false;
        }
    }
    return true;
}

static bool check_choice(const struct loom_param *p, const char *s,
                         struct loom_error *err)
{
    for (const char *const *c = p->choices; *c; c++) {
        if (strcmp(*c, s) == 0) {
            return true;
        }
    }
    return loom_fail(err, LOOM_ERR_CONFIG,
                     "parameter '%s' is '%s', which is not a choice", p->name,
                     s);
}

static bool check_value(const struct loom_param *p, union loom_value value,
                        struct loom_error *err)
{
    switch (p->type) {
    case LOOM_BOOL:
        return true;
    case LOOM_U32:
    case LOOM_U64:
        return check_integer(p, value.u, err);
    case LOOM_F64:
        if (value.f >= p->min.f && (p->max.f == 0.0 || value.f <= p->max.f)) {
            return true;
        }
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "parameter '%s' is %g, expected %g..%g", p->name,
                         value.f, p->min.f, p->max.f);
    case LOOM_STR:
        return p->choices == NULL || check_choice(p, value.s, err);
    case LOOM_LIST:
        return check_list(p, value.list, err);
    }
    LOOM_BUG("parameter '%s' has no type", p->name);
}

bool loom_param_set(const struct loom_param *param, void *config,
                    union loom_value value, struct loom_error *err)
{
    if (!check_value(param, value, err)) {
        return false;
    }
    store(param, config, value);
    return true;
}

static bool name_is_plain(const char *name)
{
    if (*name < 'a' || *name > 'z') {
        return false;
    }
    for (; *name != '\0'; name++) {
        if (!(*name >= 'a' && *name <= 'z') &&
            !(*name >= '0' && *name <= '9') && *name != '_') {
            return false;
        }
    }
    return true;
}

bool loom_params_audit(struct loom_params params, size_t config_size,
                       struct loom_error *err)
{
    for (size_t i = 0; i < params.count; i++) {
        const struct loom_param *p = &params.item[i];

        if (p->doc == NULL || p->doc[0] == '\0') {
            return loom_fail(err, LOOM_ERR_CONFIG, "parameter '%s' has no doc",
                             p->name);
        }
        if (p->offset + type_sizes[p->type] > config_size) {
            return loom_fail(err, LOOM_ERR_CONFIG,
                             "parameter '%s' lies outside its struct", p->name);
        }
        if (loom_params_find(params, p->name) != p) {
            return loom_fail(err, LOOM_ERR_CONFIG,
                             "parameter '%s' is declared twice", p->name);
        }
        if (p->type == LOOM_U32 && p->max.u > UINT32_MAX) {
            return loom_fail(err, LOOM_ERR_CONFIG,
                             "parameter '%s' has a range wider than its field",
                             p->name);
        }
        if (!name_is_plain(p->name)) {
            return loom_fail(err, LOOM_ERR_CONFIG,
                             "parameter '%s' is not named [a-z][a-z0-9_]*",
                             p->name);
        }
        if (!p->required && !(p->type == LOOM_STR && p->def.s == NULL) &&
            !check_value(p, p->def, err)) {
            return false;
        }
    }
    return true;
}

static size_t stat_size(const struct loom_stat *s)
{
    switch (s->kind) {
    case LOOM_STAT_COUNTER:
    case LOOM_STAT_GAUGE:
    case LOOM_STAT_RATIO:
    case LOOM_STAT_RATE:
    case LOOM_STAT_ENERGY:
    case LOOM_STAT_POWER:
        break;
    case LOOM_STAT_VECTOR:
        return s->count * sizeof(uint64_t);
    case LOOM_STAT_ARRAY:
        return sizeof(struct loom_array);
    case LOOM_STAT_HISTOGRAM:
        return sizeof(struct loom_histogram);
    }
    return sizeof(uint64_t);
}

static bool audit_stat(struct loom_stats stats, const struct loom_stat *s,
                       size_t stats_size, struct loom_error *err)
{
    if (s->doc == NULL || s->doc[0] == '\0') {
        return loom_fail(err, LOOM_ERR_CONFIG, "statistic '%s' has no doc",
                         s->name);
    }
    if (!name_is_plain(s->name) || loom_stats_find(stats, s->name) != s) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "statistic '%s' is declared twice or has a name "
                         "other than [a-z][a-z0-9_]*",
                         s->name);
    }
    if (s->kind == LOOM_STAT_ENERGY || s->kind == LOOM_STAT_POWER) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "statistic '%s' is an energy; declare an energy event",
                         s->name);
    }
    if (s->offset + stat_size(s) > stats_size ||
        s->den_offset + sizeof(uint64_t) > stats_size) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "statistic '%s' lies outside its struct", s->name);
    }
    if ((s->kind == LOOM_STAT_RATIO || s->kind == LOOM_STAT_RATE) &&
        (loom_stat_at(stats, s->offset) == NULL ||
         (s->kind == LOOM_STAT_RATIO &&
          loom_stat_at(stats, s->den_offset) == NULL))) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "statistic '%s' divides something undeclared",
                         s->name);
    }
    if (s->kind == LOOM_STAT_VECTOR) {
        for (uint32_t i = 0; i < s->count; i++) {
            if (s->axis == NULL || s->keys == NULL || s->keys[i] == NULL) {
                return loom_fail(err, LOOM_ERR_CONFIG,
                                 "statistic '%s' has no label %u", s->name, i);
            }
        }
    }
    return s->kind != LOOM_STAT_ARRAY || s->axis != NULL ||
           loom_fail(err, LOOM_ERR_CONFIG, "statistic '%s' has no axis",
                     s->name);
}

bool loom_stats_audit(struct loom_stats stats, size_t stats_size,
                      struct loom_error *err)
{
    for (size_t i = 0; i < stats.count; i++) {
        if (!audit_stat(stats, &stats.item[i], stats_size, err)) {
            return false;
        }
    }
    return true;
}

const struct loom_stat *loom_stats_find(struct loom_stats stats,
                                        const char *name)
{
    for (size_t i = 0; i < stats.count; i++) {
        if (strcmp(stats.item[i].name, name) == 0) {
            return &stats.item[i];
        }
    }
    return NULL;
}

const char *loom_stat_at(struct loom_stats stats, size_t offset)
{
    for (size_t i = 0; i < stats.count; i++) {
        const struct loom_stat *s = &stats.item[i];

        if ((s->kind == LOOM_STAT_COUNTER || s->kind == LOOM_STAT_GAUGE) &&
            s->offset == offset) {
            return s->name;
        }
    }
    return NULL;
}

static uint64_t read_u64(const void *stats, size_t offset)
{
    uint64_t value;

    memcpy(&value, (const unsigned char *)stats + offset, sizeof(value));
    return value;
}

double loom_stat_read(const struct loom_stat *stat, const void *stats,
                      double seconds)
{
    double value = (double)read_u64(stats, stat->offset);
    double den = 1.0;

    if (stat->kind == LOOM_STAT_RATIO) {
        den = (double)read_u64(stats, stat->den_offset);
    } else if (stat->kind == LOOM_STAT_RATE) {
        den = seconds;
    }
    return den > 0.0 ? value / den : LOOM_NAN;
}
