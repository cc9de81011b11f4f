/*
 * How parameters, statistics, ports and slots describe themselves.
 *
 * Each is declared once, in a static table beside the struct whose field it
 * describes.  Everything else is derived from that table: the check of the
 * values a Lua script gives, `warploom info`, the LuaLS stubs, the reference
 * pages under docs/ and the attributes in the HDF5 file.  Nothing repeats a
 * name, a default or a unit by hand, so none of these can drift apart.
 *
 * The value type is not written in the table: it is taken from the C type of
 * the field, and a field of any other type does not compile.
 */
#ifndef ENGINE_SCHEMA_H
#define ENGINE_SCHEMA_H

#include "engine/error.h"

enum loom_type {
    LOOM_BOOL,
    LOOM_U32,
    LOOM_U64,
    LOOM_F64,
    LOOM_STR,
    LOOM_LIST /* of unsigned integers */
};

enum loom_unit {
    LOOM_UNIT_NONE, /* a pure number or a name */
    LOOM_UNIT_BYTE,
    LOOM_UNIT_CYCLE,
    LOOM_UNIT_HERTZ,
    LOOM_UNIT_SECOND,
    LOOM_UNIT_RATIO,
    LOOM_UNIT_REQUEST,
    LOOM_UNIT_WARP_INST,
    LOOM_UNIT_THREAD_INST,
    LOOM_UNIT_INST_PER_CYCLE,
    LOOM_UNIT_BYTE_PER_SECOND,
    LOOM_UNIT_CYCLE_PER_REQUEST,
    LOOM_UNIT_EVENT,
    LOOM_UNIT_FLIT,
    LOOM_UNIT_LINE,
    LOOM_UNIT_WARP,
    LOOM_UNIT_CTA,
    LOOM_UNIT_JOULE,
    LOOM_UNIT_WATT,
    LOOM_UNIT_END
};

struct loom_list {
    const uint64_t *item; /* owned by whoever stored it (the instance) */
    uint32_t count;
};

union loom_value {
    bool b;
    uint64_t u;
    double f;
    const char *s;
    struct loom_list list;
};

#define LOOM_TYPE_OF(T, field)                                                 \
    _Generic(&((T *)0)->field, bool *                                          \
             : LOOM_BOOL, uint32_t *                                           \
             : LOOM_U32, uint64_t *                                            \
             : LOOM_U64, double *                                              \
             : LOOM_F64, const char **                                         \
             : LOOM_STR, struct loom_list *                                    \
             : LOOM_LIST)

struct loom_param {
    const char *name;
    const char *doc;    /* one sentence, no full stop */
    const char *source; /* where the default comes from; NULL: a choice */
    enum loom_type type;
    enum loom_unit unit;
    bool required;   /* the script must give it; `def` is not used */
    bool power_of_2; /* integers only */
    size_t offset;
    union loom_value def, min, max; /* numbers: inclusive; lists: items.
                                     * max 0 means unlimited */
    const char *const *choices;     /* strings only; ends with NULL */
};

#define LOOM_CHOICES(...) ((const char *const[]){__VA_ARGS__, NULL})

#define LOOM_PARAM(T, field, ...)                                              \
    {                                                                          \
        .name = #field, .type = LOOM_TYPE_OF(T, field),                        \
        .offset = offsetof(T, field), __VA_ARGS__                              \
    }

struct loom_params {
    const struct loom_param *item;
    size_t count;
};

enum loom_stat_kind {
    LOOM_STAT_COUNTER,   /* only grows; two readings may be subtracted */
    LOOM_STAT_GAUGE,     /* a value at a moment, such as a queue length */
    LOOM_STAT_VECTOR,    /* counters along a named axis of fixed length */
    LOOM_STAT_ARRAY,     /* counters along an axis sized in init */
    LOOM_STAT_HISTOGRAM, /* log2 bins with count, sum, min and max */
    LOOM_STAT_RATIO,     /* numerator / denominator, both of them counters here
                          * (or gauges: then of a moment) */
    LOOM_STAT_RATE,      /* numerator per second of simulated time */
    /* These two are made by stats/ where an energy model is attached, from
     * what engine/energy.h declares; no part has them in its table. */
    LOOM_STAT_ENERGY, /* joules of event `offset`; of all where there is none */
    LOOM_STAT_POWER   /* joules of all events per second */
};

#define LOOM_HISTOGRAM_BINS 32

/* Bin 0 counts the value 0, bin i values in [2^(i-1), 2^i), the last bin all
 * that is larger. */
struct loom_histogram {
    uint64_t bin[LOOM_HISTOGRAM_BINS];
    uint64_t count, sum, min, max; /* min and max are 0 while count is 0 */
};

/* A statistic whose axis length is known in init only. */
struct loom_array {
    uint64_t *item; /* from loom_alloc */
    uint32_t count;
};

struct loom_stat {
    const char *name; /* [a-z][a-z0-9_]* */
    const char *doc;  /* one sentence, no full stop */
    enum loom_stat_kind kind;
    enum loom_unit unit;
    bool exact;              /* counts what is executed, not what it takes: the
                              * same where parts are passed over */
    size_t offset;           /* the field; ratio and rate: the numerator */
    size_t den_offset;       /* ratio: the denominator */
    const char *axis;        /* vector and array: name of the axis */
    const char *const *keys; /* vector: axis labels [count] */
    uint32_t count;          /* vector: axis length */
};

/* These refuse to compile for a field of another type. */
#define LOOM_STAT_AT(T, field)                                                 \
    _Generic(&((T *)0)->field, uint64_t * : offsetof(T, field))
#define LOOM_HIST_AT(T, field)                                                 \
    _Generic(&((T *)0)->field, struct loom_histogram * : offsetof(T, field))
#define LOOM_ARRAY_AT(T, field)                                                \
    _Generic(&((T *)0)->field, struct loom_array * : offsetof(T, field))

#define LOOM_COUNTER(T, field, unit_, doc_)                                    \
    {                                                                          \
        .name = #field, .doc = doc_, .kind = LOOM_STAT_COUNTER, .unit = unit_, \
        .offset = LOOM_STAT_AT(T, field)                                       \
    }
#define LOOM_EXACT_COUNTER(T, field, unit_, doc_)                              \
    {                                                                          \
        .name = #field, .doc = doc_, .kind = LOOM_STAT_COUNTER, .unit = unit_, \
        .exact = true, .offset = LOOM_STAT_AT(T, field)                        \
    }
#define LOOM_GAUGE(T, field, unit_, doc_)                                      \
    {                                                                          \
        .name = #field, .doc = doc_, .kind = LOOM_STAT_GAUGE, .unit = unit_,   \
        .offset = LOOM_STAT_AT(T, field)                                       \
    }
#define LOOM_VECTOR(T, field, axis_, keys_, unit_, doc_)                       \
    {                                                                          \
        .name = #field, .doc = doc_, .kind = LOOM_STAT_VECTOR, .unit = unit_,  \
        .offset = LOOM_STAT_AT(T, field[0]), .axis = axis_, .keys = keys_,     \
        .count = LOOM_COUNTOF(((T *)0)->field)                                 \
    }
#define LOOM_EXACT_VECTOR(T, field, axis_, keys_, unit_, doc_)                 \
    {                                                                          \
        .name = #field, .doc = doc_, .kind = LOOM_STAT_VECTOR, .unit = unit_,  \
        .exact = true, .offset = LOOM_STAT_AT(T, field[0]), .axis = axis_,     \
        .keys = keys_, .count = LOOM_COUNTOF(((T *)0)->field)                  \
    }
#define LOOM_ARRAY(T, field, axis_, unit_, doc_)                               \
    {                                                                          \
        .name = #field, .doc = doc_, .kind = LOOM_STAT_ARRAY, .unit = unit_,   \
        .offset = LOOM_ARRAY_AT(T, field), .axis = axis_                       \
    }
#define LOOM_HISTOGRAM(T, field, unit_, doc_)                                  \
    {                                                                          \
        .name = #field, .doc = doc_, .kind = LOOM_STAT_HISTOGRAM,              \
        .unit = unit_, .offset = LOOM_HIST_AT(T, field)                        \
    }
#define LOOM_RATIO(T, name_, num, den, unit_, doc_)                            \
    {                                                                          \
        .name = #name_, .doc = doc_, .kind = LOOM_STAT_RATIO, .unit = unit_,   \
        .offset = LOOM_STAT_AT(T, num), .den_offset = LOOM_STAT_AT(T, den)     \
    }
#define LOOM_RATE(T, name_, num, unit_, doc_)                                  \
    {                                                                          \
        .name = #name_, .doc = doc_, .kind = LOOM_STAT_RATE, .unit = unit_,    \
        .offset = LOOM_STAT_AT(T, num)                                         \
    }

struct loom_stats {
    const struct loom_stat *item;
    size_t count;
};

static inline void loom_histogram_add(struct loom_histogram *h, uint64_t value)
{
    uint32_t bin = value == 0 ? 0 : loom_log2(value) + 1;

    h->bin[bin < LOOM_HISTOGRAM_BINS ? bin : LOOM_HISTOGRAM_BINS - 1]++;
    h->min = h->count == 0 || value < h->min ? value : h->min;
    h->max = value > h->max ? value : h->max;
    h->count++;
    h->sum += value;
}

/* "byte", "cycle", "1" for a pure number: the token written to files. */
const char *loom_unit_name(enum loom_unit unit);
const char *loom_type_name(enum loom_type type);

const struct loom_param *loom_params_find(struct loom_params params,
                                          const char *name);
void loom_params_default(struct loom_params params, void *config);

/* Stores one value, or explains why it may not be stored.  *config is not
 * changed on failure.  Strings and lists are not copied: they must live as
 * long as *config. */
bool loom_param_set(const struct loom_param *param, void *config,
                    union loom_value value, struct loom_error *err);
union loom_value loom_param_get(const struct loom_param *param,
                                const void *config);

/* Is every declaration complete and consistent?  tests/unit/audit_test.c
 * asks this of every registered type. */
bool loom_params_audit(struct loom_params params, size_t config_size,
                       struct loom_error *err);
bool loom_stats_audit(struct loom_stats stats, size_t stats_size,
                      struct loom_error *err);

const struct loom_stat *loom_stats_find(struct loom_stats stats,
                                        const char *name);

/* The name of the counter that a ratio or rate divides, from its offset;
 * NULL if the table does not declare it. */
const char *loom_stat_at(struct loom_stats stats, size_t offset);

/* Counter, gauge, ratio or rate as a number; LOOM_NAN where the denominator
 * is 0: a ratio of nothing is no number.  `seconds` is the simulated time. */
double loom_stat_read(const struct loom_stat *stat, const void *stats,
                      double seconds);

#endif
