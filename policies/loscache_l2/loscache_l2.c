/*
 * loscache_l2: gates lines of the L2 after their last predicted access.
 *
 * LoSCache (paper 004), the part at a slice of the L2.  Every line counts the
 * accesses to its data, the first one included.  A request may carry how many
 * are predicted (policy loscache); the access that reaches this number is the
 * last one, and the line is gated after it, or after its fill.  Data that is
 * predicted to be accessed once gets no line.  A gated line keeps its tag and
 * count: an access to it has come too late, is a miss, and the reply says so.
 * Lines are gated until their first use.
 */
#include <string.h>

#include "policies/lib/gating.h"

#define COUNT_BITS 6
#define COUNT_MAX ((1u << COUNT_BITS) - 1)

struct gate_config {
    const char *once, *after_early;
    uint32_t phase_accesses;
    bool start_gated, reuse_gated;
};

struct gate_stats {
    /* Counters */
    uint64_t gatings, early_misses, early_hits;
    uint64_t unallocated, once_again, retired, retired_right, retired_early,
        retired_late;
    uint64_t queries, counted, unpredicted_cycles;
    uint64_t followed, followed_right; /* requests: see follow() */
    /* Brought up to date by settle */
    uint64_t judged, right, late, enough;
    uint64_t judged_requests, right_requests;
    struct loom_array on_cycles;
};

struct line {
    loom_cycle since;  /* unpredicted_cycles are counted up to here */
    uint8_t count;     /* accesses to its data */
    uint8_t predicted; /* by its last access; 0: nothing */
    bool last;         /* its last access was the last predicted one */
    bool held;         /* it has data, or had when it was gated */
};

/* Blocks that got no line, as hardware would not know them: for statistics. */
struct ghost {
    loom_addr block; /* | 1; 0: none */
};

struct gate {
    struct loom_gating lines;
    struct line *line;                      /* [lines] */
    struct ghost *ghost;                    /* [lines] a ring per set */
    uint16_t *oldest;                       /* [sets] */
    const struct loom_mem_request *refused; /* a line, just now */
    uint32_t count_shift, answer_shift, early_bit, over_bit;
    uint32_t kernel, accesses; /* of the newest kernel */
    uint32_t answer;           /* to the query in hand */
    bool once_tag, go_on;
    bool early; /* the access in hand came too late */
};

static bool gate_init(struct loom_policy *self, struct loom_error *err)
{
    const struct gate_config *config = loom_policy_config(self);
    struct gate *g = loom_policy_state(self);

    g->once_tag = strcmp(config->once, "tag") == 0;
    g->go_on = strcmp(config->after_early, "go_on") == 0;
    return loom_policy_bits(self, LOOM_BITS_REQUEST, "loscache_count",
                            COUNT_BITS, &g->count_shift, err) &&
           loom_policy_bits(self, LOOM_BITS_REPLY, "loscache_count", COUNT_BITS,
                            &g->answer_shift, err) &&
           loom_policy_bits(self, LOOM_BITS_REPLY, "loscache_early", 1,
                            &g->early_bit, err) &&
           loom_policy_bits(self, LOOM_BITS_REPLY, "loscache_over", 1,
                            &g->over_bit, err);
}

static bool gate_bind(struct loom_policy *self,
                      const struct loom_cache_shape *shape,
                      struct loom_error *err)
{
    const struct gate_config *config = loom_policy_config(self);
    struct gate *g = loom_policy_state(self);
    struct gate_stats *stats = loom_policy_stats(self);

    g->lines.on_cycles = &stats->on_cycles;
    if (!loom_gating_bind(&g->lines, self, shape,
                          config->start_gated ? LOOM_LINE_GATED : LOOM_LINE_ON,
                          err)) {
        return false;
    }
    g->line = loom_policy_alloc(self, g->lines.lines, sizeof(*g->line));
    g->ghost = loom_policy_alloc(self, g->lines.lines, sizeof(*g->ghost));
    g->oldest = loom_policy_alloc(self, shape->sets, sizeof(*g->oldest));
    return loom_policy_has_memory(self, err);
}

static uint8_t prediction(const struct gate *g,
                          const struct loom_mem_request *r)
{
    return (uint8_t)((uint32_t)r->policy_bits >> g->count_shift & COUNT_MAX);
}

static struct line *line_of(const struct gate *g, uint32_t set, uint32_t way)
{
    return &g->line[(size_t)set * g->lines.ways + way];
}

/* ---- blocks without a line ---- */

/* A request with a prediction says whether it is the last one to its data.
 * What became of it: another request came, or the data is gone. */
static void follow(struct gate_stats *stats, bool last, bool more)
{
    stats->followed++;
    stats->followed_right += last != more;
}

static struct ghost *ghost_of(const struct gate *g, uint32_t set,
                              loom_addr block)
{
    struct ghost *ghost = &g->ghost[(size_t)set * g->lines.ways];

    for (uint32_t i = 0; i < g->lines.ways; i++) {
        if (ghost[i].block == (block | 1)) {
            return &ghost[i];
        }
    }
    return NULL;
}

static void remember(struct loom_policy *self, uint32_t set, loom_addr block)
{
    struct gate *g = loom_policy_state(self);
    struct gate_stats *stats = loom_policy_stats(self);
    struct ghost *ghost =
        &g->ghost[(size_t)set * g->lines.ways + g->oldest[set]];

    if (ghost->block != 0) {
        stats->retired++;
        stats->retired_right++;
        follow(stats, true, false);
    }
    ghost->block = block | 1;
    g->oldest[set] = (uint16_t)((g->oldest[set] + 1u) % g->lines.ways);
}

/* A miss without a tag: of a block that was predicted to be accessed once? */
static void look_for_ghost(struct loom_policy *self,
                           const struct loom_event *event)
{
    struct gate *g = loom_policy_state(self);
    struct gate_stats *stats = loom_policy_stats(self);
    struct ghost *ghost = ghost_of(g, event->set, event->block);

    if (ghost != NULL) {
        ghost->block = 0;
        stats->once_again++;
        stats->retired++;
        stats->retired_early++;
        follow(stats, true, true);
    }
    if (g->refused == event->request) {
        stats->unallocated++;
        remember(self, event->set, event->block);
    }
    g->refused = NULL;
}

/* ---- lines ---- */

/* The data of a line is gone, or the prediction was disproved. */
static void retire(struct loom_policy *self, struct line *line, bool early)
{
    struct gate_stats *stats = loom_policy_stats(self);

    if (line->held && line->predicted != 0) {
        follow(stats, line->last, early);
        stats->retired++;
        stats->retired_early += early;
        stats->retired_right += !early && line->count == line->predicted;
        stats->retired_late += !early && line->count < line->predicted;
    }
    line->held = false;
}

/* Before its state or its prediction changes: was it on without one? */
static void count_cycles(struct loom_policy *self, struct line *line,
                         loom_cycle now)
{
    struct gate *g = loom_policy_state(self);
    struct gate_stats *stats = loom_policy_stats(self);
    bool on = g->lines.state[line - g->line] == LOOM_LINE_ON;

    if (on && line->predicted == 0 && now > line->since) {
        stats->unpredicted_cycles += now - line->since;
    }
    line->since = now;
}

/* Writes the count of a line that has had `before` accesses. */
static void count_one(struct loom_policy *self,
                      const struct loom_mem_request *r, struct line *line,
                      uint32_t before)
{
    struct gate *g = loom_policy_state(self);
    struct gate_stats *stats = loom_policy_stats(self);

    count_cycles(self, line, loom_policy_now(self));
    stats->counted++;
    line->count = (uint8_t)(before < COUNT_MAX ? before + 1 : COUNT_MAX);
    line->predicted = prediction(g, r);
    line->last = line->predicted != 0 && line->count >= line->predicted;
}

/* An access found the line's tag.  One more than were predicted proves the
 * prediction wrong, whether its data is still on its way or gated. */
static void use(struct loom_policy *self, const struct loom_event *event)
{
    struct gate *g = loom_policy_state(self);
    struct gate_stats *stats = loom_policy_stats(self);
    struct line *line = line_of(g, event->set, event->way);

    if (line->held && line->predicted != 0) {
        follow(stats, line->last, true);
    }
    if (line->last) {
        g->early = true;
        stats->early_hits++;
    }
    count_one(self, event->request, line, line->count);
}

static bool is_gone(const struct gate *g, const struct loom_event *event)
{
    const struct loom_cache_host *host = g->lines.host;

    return loom_gating_is_off(&g->lines, event->set, event->way) &&
           !host->reserved(host->cache, event->set, event->way);
}

static void miss(struct loom_policy *self, const struct loom_event *event)
{
    struct gate *g = loom_policy_state(self);
    struct gate_stats *stats = loom_policy_stats(self);
    struct line *line;

    if (event->way >= g->lines.ways) {
        look_for_ghost(self, event);
        return;
    }
    g->refused = NULL;
    line = line_of(g, event->set, event->way);
    if (!is_gone(g, event)) {
        use(self, event); /* another sector of it */
        return;
    }
    if (line->held) {
        stats->early_misses++;
        g->early = true;
        retire(self, line, true);
    }
}

static void allocate(struct loom_policy *self, const struct loom_event *event)
{
    struct gate *g = loom_policy_state(self);
    struct line *line = line_of(g, event->set, event->way);

    line->held = true;
    count_one(self, event->request, line,
              g->early && g->go_on ? line->count : 0);
}

/* ---- the cache's questions ---- */

static void count_access(struct gate *g, const struct loom_mem_request *r)
{
    g->early = false;
    if (r->kind == LOOM_MEM_WRITEBACK || r->kernel < g->kernel) {
        return;
    }
    if (r->kernel > g->kernel) {
        g->kernel = r->kernel;
        g->accesses = 0;
    }
    g->accesses++;
}

static void answer_query(struct loom_policy *self, loom_addr block)
{
    struct gate *g = loom_policy_state(self);
    struct gate_stats *stats = loom_policy_stats(self);
    uint32_t set, way;

    stats->queries++;
    g->answer = 0;
    if (g->lines.host->find(g->lines.host->cache, block, &set, &way) &&
        way < g->lines.ways) {
        g->answer = line_of(g, set, way)->count;
    }
}

static void gate_watch(struct loom_policy *self, const struct loom_event *event)
{
    struct gate *g = loom_policy_state(self);

    switch (event->kind) {
    case LOOM_EVENT_ACCESS:
        count_access(g, event->request);
        break;
    case LOOM_EVENT_HIT:
    case LOOM_EVENT_PENDING_HIT:
        g->refused = NULL;
        if (event->way < g->lines.ways) {
            use(self, event);
        }
        break;
    case LOOM_EVENT_MISS:
        miss(self, event);
        break;
    case LOOM_EVENT_ALLOCATE:
        allocate(self, event);
        break;
    case LOOM_EVENT_EVICT:
        retire(self, line_of(g, event->set, event->way), false);
        line_of(g, event->set, event->way)->count = 0;
        break;
    default:
        answer_query(self, event->request->block);
        break;
    }
}

/* May be refused afterwards and asked again: counted when it is a miss. */
static enum loom_allocate gate_allocate(struct loom_policy *self,
                                        const struct loom_mem_request *request,
                                        uint32_t set,
                                        struct loom_bypass *bypass)
{
    struct gate *g = loom_policy_state(self);

    (void)set;
    (void)bypass; /* DRAM is read by sectors */
    g->refused = NULL;
    if (g->once_tag || prediction(g, request) != 1 ||
        request->kind > LOOM_MEM_STORE) {
        return LOOM_ALLOCATE_DEFAULT;
    }
    g->refused = request;
    return LOOM_NO_ALLOCATE;
}

static uint16_t gate_answer(struct loom_policy *self,
                            const struct loom_mem_request *request)
{
    const struct gate_config *config = loom_policy_config(self);
    struct gate *g = loom_policy_state(self);
    uint64_t bits = 0;

    if (request->kind == LOOM_MEM_QUERY) {
        return (uint16_t)(g->answer << g->answer_shift);
    }
    if (g->early) {
        bits |= loom_bit(g->early_bit);
    }
    if (config->phase_accesses != 0 && g->accesses >= config->phase_accesses &&
        request->kernel == g->kernel) {
        bits |= loom_bit(g->over_bit);
    }
    return (uint16_t)bits;
}

static enum loom_line_power gate_after(struct loom_policy *self,
                                       enum loom_event_kind event,
                                       const struct loom_mem_request *request,
                                       uint32_t set, uint32_t way)
{
    struct gate *g = loom_policy_state(self);
    struct gate_stats *stats = loom_policy_stats(self);
    const struct loom_cache_host *host = g->lines.host;
    struct line *line = line_of(g, set, way);
    enum loom_line_power state = LOOM_LINE_ON;

    (void)request;
    count_cycles(self, line, loom_policy_now(self));
    if (event == LOOM_EVENT_EVICT) {
        state = LOOM_LINE_GATED; /* holds nothing until it is allocated */
    } else if (line->last && host->reserved(host->cache, set, way)) {
        /* The data is not kept, only the tag: it need not be on for it. */
        state = g->once_tag && line->predicted == 1 ? LOOM_LINE_GATED
                                                    : LOOM_LINE_ON;
    } else if (line->last) {
        state = LOOM_LINE_GATED;
        stats->gatings++;
    }
    return loom_gating_set(&g->lines, set, way, state, loom_policy_now(self));
}

static void gate_restrict(struct loom_policy *self,
                          const struct loom_mem_request *request, uint32_t set,
                          struct loom_ways *ways)
{
    const struct gate_config *config = loom_policy_config(self);
    const struct gate *g = loom_policy_state(self);

    (void)request;
    if (config->reuse_gated) {
        loom_gating_prefer(&g->lines, set, ways);
    }
}

/* What is still there is judged as if it left now. */
static void gate_settle(struct loom_policy *self, loom_cycle now)
{
    struct gate *g = loom_policy_state(self);
    struct gate_stats *stats = loom_policy_stats(self);

    loom_gating_settle(&g->lines, now);
    stats->judged = stats->retired;
    stats->right = stats->retired_right;
    stats->late = stats->retired_late;
    stats->judged_requests = stats->followed;
    stats->right_requests = stats->followed_right;
    for (uint32_t i = 0; i < g->lines.lines; i++) {
        struct line *line = &g->line[i];
        bool open = line->held && line->predicted != 0;
        uint32_t ghost = g->ghost[i].block != 0;

        count_cycles(self, line, now);
        stats->judged += ghost + open;
        stats->judged_requests += ghost + open;
        stats->right_requests += ghost + (open && line->last);
        stats->right += ghost + (open && line->count == line->predicted);
        stats->late += open && line->count < line->predicted;
    }
    stats->enough = stats->right + stats->late;
}

static bool gate_check(struct loom_policy *self, struct loom_error *err)
{
    const struct gate_stats *s = loom_policy_stats(self);

    if (s->right + s->late > s->judged ||
        s->right_requests > s->judged_requests ||
        s->retired_early > s->early_misses + s->once_again) {
        return loom_fail(err, LOOM_ERR_LAW,
                         "%llu predictions were right and %llu too high, of "
                         "%llu",
                         (unsigned long long)s->right,
                         (unsigned long long)s->late,
                         (unsigned long long)s->judged);
    }
    return true;
}

static const struct loom_power_ops gate_power = {.bind = gate_bind,
                                                 .after = gate_after};
static const struct loom_allocation_ops gate_allocation = {
    .allocate = gate_allocate, .answer = gate_answer};
static const struct loom_candidates_ops gate_candidates = {.restrict_ways =
                                                               gate_restrict};
static const struct loom_observe_ops gate_observe = {
    .events = LOOM_EVENT(ACCESS) | LOOM_EVENT(HIT) | LOOM_EVENT(PENDING_HIT) |
              LOOM_EVENT(MISS) | LOOM_EVENT(ALLOCATE) | LOOM_EVENT(EVICT) |
              LOOM_EVENT(QUERY),
    .observe = gate_watch,
};

static void gate_cost(const void *config, const struct loom_cost_shape *shape,
                      struct loom_cost *cost)
{
    (void)config;
    loom_cost_add(cost, "count", (uint64_t)shape->sets * shape->ways,
                  COUNT_BITS, "Accesses to the data of a line");
}

static const struct loom_param gate_params[] = {
    LOOM_PARAM(struct gate_config, once, .def = {.s = "no_line"},
               .choices = LOOM_CHOICES("no_line", "tag"),
               .doc = "Data predicted to be accessed once gets no line, or a "
                      "gated one with its tag only",
               .source = "paper 004, section IV.B"),
    LOOM_PARAM(struct gate_config, after_early, .def = {.s = "restart"},
               .choices = LOOM_CHOICES("restart", "go_on"),
               .doc = "What the count of a line does that was gated too "
                      "early: its new data starts with 1, or it goes on"),
    LOOM_PARAM(struct gate_config, phase_accesses, .unit = LOOM_UNIT_REQUEST,
               .doc = "Accesses of a kernel to this slice after which replies "
                      "end prediction phases; 0: never"),
    LOOM_PARAM(struct gate_config, start_gated, .def = {.b = true},
               .doc = "Lines are gated until their first allocation",
               .source = "paper 004, section IV.B"),
    LOOM_PARAM(struct gate_config, reuse_gated, .def = {.b = true},
               .doc = "A gated way is replaced before one that holds data"),
};

static const struct loom_stat gate_stat_table[] = {
    LOOM_COUNTER(struct gate_stats, gatings, LOOM_UNIT_EVENT,
                 "Lines gated after their last predicted access"),
    LOOM_COUNTER(struct gate_stats, early_misses, LOOM_UNIT_REQUEST,
                 "Early gatings: misses that found the tag of a gated line"),
    LOOM_COUNTER(struct gate_stats, early_hits, LOOM_UNIT_REQUEST,
                 "Accesses after the last predicted one to data on its way"),
    LOOM_COUNTER(struct gate_stats, unallocated, LOOM_UNIT_REQUEST,
                 "Misses that got no line: one access was predicted"),
    LOOM_COUNTER(struct gate_stats, once_again, LOOM_UNIT_REQUEST,
                 "Of their blocks, asked for again while a line might have "
                 "kept them: found by a shadow of `ways` tags per set"),
    LOOM_COUNTER(struct gate_stats, counted, LOOM_UNIT_EVENT,
                 "Accesses counted in lines"),
    LOOM_COUNTER(struct gate_stats, queries, LOOM_UNIT_REQUEST,
                 "Counts that predictors asked for"),
    LOOM_COUNTER(struct gate_stats, unpredicted_cycles, LOOM_UNIT_CYCLE,
                 "Cycles of lines that were on for data whose last access "
                 "carried no prediction"),
    LOOM_COUNTER(struct gate_stats, retired, LOOM_UNIT_LINE,
                 "Predictions whose data has left or was asked for too late"),
    LOOM_COUNTER(struct gate_stats, retired_right, LOOM_UNIT_LINE,
                 "Of these, right: as many accesses as predicted"),
    LOOM_COUNTER(struct gate_stats, retired_early, LOOM_UNIT_LINE,
                 "Of these, too low: asked for again"),
    LOOM_COUNTER(struct gate_stats, retired_late, LOOM_UNIT_LINE,
                 "Of these, too high: evicted before"),
    LOOM_COUNTER(struct gate_stats, followed, LOOM_UNIT_REQUEST,
                 "Requests with a prediction after which the next one came or "
                 "the data left"),
    LOOM_COUNTER(struct gate_stats, followed_right, LOOM_UNIT_REQUEST,
                 "Of these, right: predicted to be the last one, or not"),
    LOOM_GAUGE(struct gate_stats, judged, LOOM_UNIT_LINE,
               "All predictions so far, those of data that is still there "
               "as if it left now"),
    LOOM_GAUGE(struct gate_stats, right, LOOM_UNIT_LINE,
               "Of these, right: as many accesses as predicted"),
    LOOM_GAUGE(struct gate_stats, late, LOOM_UNIT_LINE,
               "Of these, too high so far"),
    LOOM_RATIO(struct gate_stats, accuracy, right, judged, LOOM_UNIT_RATIO,
               "Right predictions of all"),
    LOOM_GAUGE(struct gate_stats, judged_requests, LOOM_UNIT_REQUEST,
               "Requests with a prediction, each of which says whether it is "
               "the last one to its data, judged by what came then"),
    LOOM_GAUGE(struct gate_stats, right_requests, LOOM_UNIT_REQUEST,
               "Of these, right: the last one, or another one came"),
    LOOM_RATIO(struct gate_stats, request_accuracy, right_requests,
               judged_requests, LOOM_UNIT_RATIO,
               "Right requests of all with a prediction"),
    LOOM_GAUGE(struct gate_stats, enough, LOOM_UNIT_LINE,
               "Predictions that were right or too high: no access came after "
               "the last predicted one"),
    LOOM_RATIO(struct gate_stats, coverage, enough, judged, LOOM_UNIT_RATIO,
               "Predictions that were right or too high, of all"),
    LOOM_ARRAY(struct gate_stats, on_cycles, "line", LOOM_UNIT_CYCLE,
               "Cycles for which a line was on, by line: set * ways + way"),
};

/* The counts of a slice beside its tags. */
static const struct loom_energy gate_energies[] = {
    {"count_read", "Reading the count of a line", "counted + queries",
     0.1103e-12,
     "CACTI 7: RAM of 16 x 11 bits, extrapolated, 40 nm; assumed: "
     "six bits beside a tag take as much"},
    {"count_write", "Writing it back", "counted", 0.1863e-12,
     "CACTI 7: RAM of 16 x 11 bits, extrapolated, 40 nm; assumed: six bits "
     "beside a tag take as much"},
};

const struct loom_policy_type loscache_l2_policy = {
    .name = "loscache_l2",
    .doc =
        "Gates lines of the L2 after their last access that loscache predicts",
    .state_size = sizeof(struct gate),
    .config_size = sizeof(struct gate_config),
    .stats_size = sizeof(struct gate_stats),
    .params = LOOM_SLICE(gate_params),
    .stats = LOOM_SLICE(gate_stat_table),
    .energies = LOOM_SLICE(gate_energies),
    .facets = LOOM_FACETS({&loom_power_hook, &gate_power},
                          {&loom_allocation_hook, &gate_allocation},
                          {&loom_candidates_hook, &gate_candidates},
                          {&loom_cache_observe_hook, &gate_observe}),
    .init = gate_init,
    .settle = gate_settle,
    .check = gate_check,
    .cost = gate_cost,
};
