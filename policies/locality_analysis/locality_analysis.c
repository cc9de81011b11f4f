/*
 * locality_analysis: by whom the lines of a cache are used (observes only).
 *
 * Figures 3 to 6 of APCM (000): a line is streaming while it is used once,
 * intra-warp while only the warp that brought it uses it again, inter-warp
 * while only others do, else mixed.  A load's lines are those that it
 * brought.  Meant for an infinite cache, where no line loses its class by
 * leaving; in a finite one a line that comes back is another line.
 *
 * A line's record lies where the line lies, so nothing is looked for and
 * nothing can overflow; there are rows for `load_rows` loads, and what has no
 * row is counted.
 */
#include "policies/cache_hook.h"
#include "policies/lib/launch_list.h"
#include "policies/lib/load_table.h"

struct locality_analysis_config {
    uint32_t load_rows;
    struct loom_list launches;
    bool stores;
};

enum class {
    STREAMING,
    INTRA,
    INTER,
    MIXED,
    CLASSES
};

enum {
    COUNTS = 8 /* classes of uses of a line: 1 2 3 4 5-8 9-16 17-32 more */
};

struct locality_analysis_stats {
    uint64_t lines, lines_by_class[CLASSES], lines_by_uses[COUNTS];
    uint64_t uses, same_warp, other_warp, other_loads;
    uint64_t dominant_lines, classified_lines;
    struct loom_histogram same_warp_distance, other_warp_distance;
    struct loom_load_ids load;
    struct loom_array load_lines[CLASSES];
};

struct line {
    uint64_t warp, last; /* who brought it, who used it last */
    uint64_t when;       /* number of the last use in the cache */
    uint32_t row;        /* of the load that brought it, or LOOM_NO_ROW */
    uint32_t uses;
    uint8_t class;
};

struct locality_analysis {
    struct line *line; /* [sets * ways] */
    uint32_t ways;
    uint64_t now; /* uses of the cache */
    struct loom_load_table table;
};

static bool la_init(struct loom_policy *self, struct loom_error *err)
{
    const struct locality_analysis_config *config = loom_policy_config(self);
    struct locality_analysis *a = loom_policy_state(self);
    struct locality_analysis_stats *stats = loom_policy_stats(self);

    loom_load_ids_init(&stats->load, self, config->load_rows);
    for (uint32_t i = 0; i < CLASSES; i++) {
        loom_policy_array(self, &stats->load_lines[i], config->load_rows);
    }
    return loom_load_table_init(&a->table, self, config->load_rows, err);
}

static void la_given(struct loom_policy *self, const void *work, uint32_t kind)
{
    struct locality_analysis *a = loom_policy_state(self);
    struct locality_analysis_stats *stats = loom_policy_stats(self);

    loom_load_table_given(&a->table, work, kind);
    loom_load_ids_publish(&stats->load, &a->table);
}

static bool la_bind(struct loom_policy *self,
                    const struct loom_observe_shape *shape,
                    struct loom_error *err)
{
    struct locality_analysis *a = loom_policy_state(self);
    size_t lines = (size_t)shape->sets * shape->ways;

    a->ways = shape->ways;
    a->line = loom_policy_alloc(self, lines, sizeof(*a->line));
    return loom_policy_has_memory(self, err);
}

static uint64_t warp_of(const struct loom_mem_request *r)
{
    return (uint64_t)r->kernel << 48 | (uint64_t)r->cta << 16 | r->warp;
}

static uint32_t count_class(uint32_t uses)
{
    static const uint32_t most[COUNTS - 1] = {1, 2, 3, 4, 8, 16, 32};
    uint32_t i = 0;

    while (i < COUNTS - 1 && uses > most[i]) {
        i++;
    }
    return i;
}

/* A line of `class` more, or one less. */
static void count_line(struct loom_policy *self, const struct line *line,
                       uint64_t by)
{
    struct locality_analysis_stats *stats = loom_policy_stats(self);

    stats->lines_by_class[line->class] += by;
    stats->lines_by_uses[count_class(line->uses)] += by;
    if (line->row != LOOM_NO_ROW) {
        stats->load_lines[line->class].item[line->row] += by;
    }
}

static void note_line(struct loom_policy *self, const struct loom_event *event)
{
    struct locality_analysis *a = loom_policy_state(self);
    struct locality_analysis_stats *stats = loom_policy_stats(self);
    struct line *line = &a->line[(size_t)event->set * a->ways + event->way];

    *line = (struct line){
        .warp = warp_of(event->request),
        .last = warp_of(event->request),
        .when = a->now,
        .row = loom_load_ids_row(&stats->load, &a->table, event->request),
        .uses = 1,
        .class = STREAMING,
    };
    stats->lines++;
    stats->other_loads += line->row == LOOM_NO_ROW;
    count_line(self, line, 1);
}

static void note_use(struct loom_policy *self, const struct loom_event *event)
{
    struct locality_analysis *a = loom_policy_state(self);
    struct locality_analysis_stats *stats = loom_policy_stats(self);
    struct line *line = &a->line[(size_t)event->set * a->ways + event->way];
    uint64_t warp = warp_of(event->request);
    uint64_t distance = a->now - line->when;

    if (line->uses == 0) { /* it came before anybody watched, or by a store */
        return;
    }
    count_line(self, line, UINT64_MAX);
    line->uses += line->uses < UINT32_MAX;
    line->class |= warp == line->warp ? INTRA : INTER;
    count_line(self, line, 1);
    if (warp == line->last) {
        stats->same_warp++;
        loom_histogram_add(&stats->same_warp_distance, distance);
    } else {
        stats->other_warp++;
        loom_histogram_add(&stats->other_warp_distance, distance);
    }
    line->last = warp;
    line->when = a->now;
}

static void la_watch(struct loom_policy *self, const struct loom_event *event)
{
    const struct locality_analysis_config *config = loom_policy_config(self);
    struct locality_analysis *a = loom_policy_state(self);
    struct locality_analysis_stats *stats = loom_policy_stats(self);
    uint32_t kind = event->request->kind;

    if (event->kind == LOOM_EVENT_EVICT) {
        a->line[(size_t)event->set * a->ways + event->way].uses = 0;
        return;
    }
    if ((kind != LOOM_MEM_LOAD &&
         !(kind == LOOM_MEM_STORE && config->stores)) ||
        !loom_launch_listed(&config->launches, event->request->kernel)) {
        return;
    }
    if (event->kind == LOOM_EVENT_ALLOCATE) {
        note_line(self, event);
        return;
    }
    a->now++;
    stats->uses++;
    if (event->kind != LOOM_EVENT_MISS && event->way < a->ways) {
        note_use(self, event);
    }
}

/* Equation 1 of the paper: numerator and denominator. */
static void la_settle(struct loom_policy *self, loom_cycle now)
{
    const struct locality_analysis_config *config = loom_policy_config(self);
    struct locality_analysis_stats *stats = loom_policy_stats(self);

    (void)now;
    stats->dominant_lines = 0;
    stats->classified_lines = 0;
    for (uint32_t i = 0; i < config->load_rows; i++) {
        uint64_t most = 0;

        for (uint32_t k = 0; k < CLASSES; k++) {
            uint64_t lines = stats->load_lines[k].item[i];

            most = lines > most ? lines : most;
            stats->classified_lines += lines;
        }
        stats->dominant_lines += most;
    }
}

static bool la_check(struct loom_policy *self, struct loom_error *err)
{
    const struct locality_analysis_stats *s = loom_policy_stats(self);
    uint64_t classes = 0, uses = 0;

    for (uint32_t i = 0; i < CLASSES; i++) {
        classes += s->lines_by_class[i];
    }
    for (uint32_t i = 0; i < COUNTS; i++) {
        uses += s->lines_by_uses[i];
    }
    if (classes != s->lines || uses != s->lines ||
        s->classified_lines + s->other_loads != s->lines ||
        s->same_warp + s->other_warp > s->uses) {
        return loom_fail(err, LOOM_ERR_LAW,
                         "lines %llu are %llu by class, %llu by uses, %llu by "
                         "load",
                         (unsigned long long)s->lines,
                         (unsigned long long)classes, (unsigned long long)uses,
                         (unsigned long long)s->classified_lines);
    }
    return true;
}

static const struct loom_observe_ops la_observe = {
    .events = LOOM_EVENT(HIT) | LOOM_EVENT(PENDING_HIT) | LOOM_EVENT(MISS) |
              LOOM_EVENT(ALLOCATE) | LOOM_EVENT(EVICT),
    .bind = la_bind,
    .observe = la_watch,
};

static const char *const class_keys[CLASSES] = {"streaming", "intra", "inter",
                                                "mixed"};
static const char *const count_keys[COUNTS] = {"1",   "2",    "3",     "4",
                                               "5_8", "9_16", "17_32", "more"};

static const struct loom_param la_params[] = {
    LOOM_PARAM(struct locality_analysis_config, load_rows, .def = {.u = 512},
               .min = {.u = 1}, .max = {.u = 1u << 20},
               .doc = "Rows of the tables of loads"),
    LOOM_LAUNCHES_PARAM(struct locality_analysis_config),
    LOOM_PARAM(struct locality_analysis_config, stores, .def = {.b = false},
               .doc = "Stores use lines, too"),
};

#define BY_LOAD(name_, class, doc_)                                            \
    LOOM_LOAD_ID(struct locality_analysis_stats, name_, load_lines[class],     \
                 LINE, doc_)

static const struct loom_stat la_stat_table[] = {
    LOOM_COUNTER(struct locality_analysis_stats, lines, LOOM_UNIT_LINE,
                 "Lines that loads brought"),
    LOOM_VECTOR(struct locality_analysis_stats, lines_by_class, "class",
                class_keys, LOOM_UNIT_LINE,
                "The same by class so far, which a later use may change"),
    LOOM_VECTOR(struct locality_analysis_stats, lines_by_uses, "times_used",
                count_keys, LOOM_UNIT_LINE, "The same by uses so far"),
    LOOM_COUNTER(struct locality_analysis_stats, uses, LOOM_UNIT_REQUEST,
                 "Accesses that were looked up"),
    LOOM_COUNTER(struct locality_analysis_stats, same_warp, LOOM_UNIT_REQUEST,
                 "Hits on lines that the same warp had used last"),
    LOOM_COUNTER(struct locality_analysis_stats, other_warp, LOOM_UNIT_REQUEST,
                 "Hits on lines that another warp had used last"),
    LOOM_HISTOGRAM(struct locality_analysis_stats, same_warp_distance,
                   LOOM_UNIT_REQUEST,
                   "Accesses of the cache since the line's last use, by the "
                   "same warp"),
    LOOM_HISTOGRAM(struct locality_analysis_stats, other_warp_distance,
                   LOOM_UNIT_REQUEST,
                   "Accesses of the cache since the line's last use, by "
                   "another warp"),
    LOOM_LOAD_IDS(struct locality_analysis_stats, load),
    BY_LOAD("load_streaming", STREAMING,
            "Its streaming lines so far, of those that it brought"),
    BY_LOAD("load_intra", INTRA, "Its intra-warp lines so far"),
    BY_LOAD("load_inter", INTER, "Its inter-warp lines so far"),
    BY_LOAD("load_mixed", MIXED, "Its mixed lines so far"),
    LOOM_COUNTER(struct locality_analysis_stats, other_loads, LOOM_UNIT_LINE,
                 "Lines of loads that have no row"),
    LOOM_GAUGE(struct locality_analysis_stats, dominant_lines, LOOM_UNIT_LINE,
               "Lines of each load's most frequent class"),
    LOOM_GAUGE(struct locality_analysis_stats, classified_lines, LOOM_UNIT_LINE,
               "Lines of loads that have a row"),
    LOOM_RATIO(struct locality_analysis_stats, access_pattern_similarity,
               dominant_lines, classified_lines, LOOM_UNIT_RATIO,
               "APS: share of the lines that are of their load's most "
               "frequent class"),
};

const struct loom_policy_type locality_analysis_policy = {
    .name = "locality_analysis",
    .doc = "Observes by which warps the lines of a cache are used",
    .state_size = sizeof(struct locality_analysis),
    .config_size = sizeof(struct locality_analysis_config),
    .stats_size = sizeof(struct locality_analysis_stats),
    .params = LOOM_SLICE(la_params),
    .stats = LOOM_SLICE(la_stat_table),
    .facets = LOOM_FACETS({&loom_cache_observe_hook, &la_observe}),
    .init = la_init,
    .given = la_given,
    .settle = la_settle,
    .check = la_check,
    .cost = loom_cost_none,
};
