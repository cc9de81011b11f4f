/*
 * mem_source: makes memory requests by a rule and measures how they fare, so
 * that one DRAM channel (or whatever serves memory requests) can be studied
 * without a GPU.
 *
 * The rules are those of the DRAM experiments that docs/validation.md
 * repeats.  Request i goes to a bank, row and column that depend on i and
 * `seed` alone (pattern.c); its address is
 *
 *     ((row * banks + bank) * columns + column) * burst_bytes
 *
 * which linear_map takes apart again.  Arrivals are Bernoulli trials, one in
 * a cycle, or evenly spaced, or as many reads are kept under way as
 * `outstanding` says (writes come between them as they do).  What has arrived
 * waits in a queue without bounds; its head is offered to the server once per
 * cycle.
 *
 * Latency is from acceptance to reply.  The source sees a request's acceptance
 * by the place that it leaves in the channel, one cycle later, and a reply one
 * cycle after it was sent; both exactly if the link's latencies are 1 and the
 * clocks the same.  The first of these is taken off, the second is the
 * server's business: see `reply_lead` of dram.
 *
 * New requests are made until all measured ones are back; so the load does
 * not fade while they are under way.
 */
#include "components/mem_source/mem_source_private.h"

static bool source_validate(const void *untyped, struct loom_error *err)
{
    const struct mem_source_config *config = untyped;

    if (config->columns % 4 != 0 && config->columns > 4) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "parameter 'columns' is %u, expected a multiple of 4",
                         config->columns);
    }
    if (config->load < 0 || config->load > 1) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "parameter 'load' is %g, expected 0..1 requests per "
                         "cycle",
                         config->load);
    }
    return true;
}

static bool source_init(struct loom_component *self, struct loom_error *err)
{
    const struct mem_source_config *config = loom_config(self);
    struct mem_source *s = loom_state(self);

    s->config = config;
    s->stats = loom_stats_of(self);
    s->id = loom_component_id(self);
    s->out = loom_port_out(self, "down", 0);
    s->in = loom_port_in(self, "down", 0);
    s->flight = loom_alloc(self, SOURCE_FLIGHTS, sizeof(*s->flight));
    if (!loom_has_memory(self, err)) {
        return false;
    }
    mem_source_pattern(s);
    s->closed = config->arrival[0] == 'c';
    s->spaced = config->arrival[0] == 's';
    /* The experiments' generator of arrivals starts here. */
    s->random = config->seed * 77 + 1;
    return true;
}

/* ---- arrivals ---- */

/* The first cycle from `from` on in which a request arrives. */
static loom_cycle next_arrival(struct mem_source *s, loom_cycle from)
{
    double load = s->config->load;

    if (load <= 0) {
        return LOOM_NEVER;
    }
    for (;; from++) {
        bool hit;

        if (s->spaced) {
            s->sum += load;
            hit = s->sum >= 1;
            s->sum -= hit ? 1 : 0;
        } else {
            s->random = mem_source_splitmix(s->random);
            hit = (double)(s->random >> 11) / 9007199254740992.0 < load;
        }
        if (hit) {
            return from;
        }
    }
}

static bool over(const struct mem_source *s)
{
    uint64_t last = s->config->warmup + s->config->count;

    return s->config->count != 0 && s->measured_back >= last;
}

static void arrive(struct mem_source *s, loom_cycle now)
{
    if (s->closed) {
        if (s->reads_away < s->config->outstanding) {
            s->reads_away += mem_source_place(s, s->made).write ? 0 : 1;
            s->made++;
        }
        return;
    }
    if (s->arrival == 0) { /* the first tick */
        s->arrival = next_arrival(s, now);
    }
    while (s->arrival <= now) {
        s->made++;
        s->arrival = next_arrival(s, s->arrival + 1);
    }
}

/* ---- requests ---- */

static void offer(struct mem_source *s, loom_cycle now)
{
    struct mem_source_flight *flight = &s->flight[s->sent % SOURCE_FLIGHTS];
    uint32_t size = s->config->burst_bytes;
    struct mem_source_place place;
    struct loom_mem_request *request;
    loom_addr address;

    if (flight->busy || now < s->paused_until || !loom_ready(s->out, now)) {
        return;
    }
    place = mem_source_place(s, s->sent);
    if (place.pause != 0 && s->paused_for != s->sent) {
        s->paused_for = s->sent;
        s->paused_until = now + place.pause;
        return;
    }
    address = ((loom_addr)place.row * s->config->banks + place.bank) *
                  s->config->columns +
              place.column;
    address *= size;
    request = loom_send(s->out, now, 0);
    *request = (struct loom_mem_request){
        .block = address & ~(loom_addr)(LOOM_BLOCK_BYTES - 1),
        .src = s->id,
        .token = (uint32_t)(s->sent % SOURCE_FLIGHTS),
        .size_bytes = (uint16_t)size,
        .kind = place.write ? LOOM_MEM_STORE : LOOM_MEM_LOAD,
        .accesses = 1,
    };
    for (uint32_t at = 0; at < size && at < LOOM_BLOCK_BYTES;
         at += LOOM_SECTOR_BYTES) {
        uint32_t sector = (uint32_t)(address + at - request->block) / 32;

        request->sectors |= (uint8_t)(1u << (sector & 3));
    }
    *flight = (struct mem_source_flight){
        .number = s->sent, .busy = true, .write = place.write};
    s->sent++;
    s->stats->requests++;
    s->stats->reads += place.write ? 0 : 1;
    s->stats->writes += place.write ? 1 : 0;
}

/* What has left the channel was accepted in the cycle before. */
static void see_accepted(struct mem_source *s, loom_cycle now)
{
    uint64_t left = s->sent - (loom_capacity(s->out) - loom_room(s->out, now));

    for (; s->accepted < left; s->accepted++) {
        s->flight[s->accepted % SOURCE_FLIGHTS].accepted = now - 1;
    }
}

static void land(struct mem_source *s, struct mem_source_flight *flight,
                 loom_cycle now)
{
    const struct mem_source_config *config = s->config;
    uint64_t end = config->warmup + config->count;

    flight->busy = false;
    s->back++;
    s->reads_away -= flight->write || !s->closed ? 0 : 1;
    s->stats->replies++;
    if (s->back == config->warmup) {
        s->window_start = now;
    }
    if (s->back == end && config->count != 0) {
        s->stats->measured_requests = config->count;
        s->stats->measured_cycles = now - s->window_start;
    }
    s->measured_back += flight->number < end ? 1 : 0;
    if (flight->number >= config->warmup && flight->number < end &&
        !flight->write) {
        loom_histogram_add(&s->stats->read_latency, now - flight->accepted);
    }
}

static loom_cycle source_tick(struct loom_component *self, loom_cycle now)
{
    struct mem_source *s = loom_state(self);
    const struct loom_mem_request *reply;

    see_accepted(s, now);
    while ((reply = loom_peek(s->in, now)) != NULL) {
        land(s, &s->flight[reply->token % SOURCE_FLIGHTS], now);
        loom_pop(s->in, now);
    }
    if (over(s)) {
        s->made = s->sent;
        return LOOM_NEVER;
    }
    arrive(s, now);
    if (s->made != s->sent) {
        offer(s, now);
    }
    /* Until a place is free nothing can be seen or sent. */
    if (s->made != s->sent && !loom_ready(s->out, now)) {
        return LOOM_NEVER;
    }
    if (s->made != s->sent && now < s->paused_until) {
        return s->accepted != s->sent ? now + 1 : s->paused_until;
    }
    if (s->made != s->sent || s->accepted != s->sent ||
        (s->closed && s->reads_away < s->config->outstanding)) {
        return now + 1;
    }
    return s->closed ? LOOM_NEVER : s->arrival;
}

static bool source_check(struct loom_component *self, struct loom_error *err)
{
    const struct mem_source *s = loom_state(self);

    if (s->stats->requests == s->stats->replies) {
        return true;
    }
    return loom_fail(err, LOOM_ERR_LAW, "%llu requests, %llu replies",
                     (unsigned long long)s->stats->requests,
                     (unsigned long long)s->stats->replies);
}

static void source_report(struct loom_component *self,
                          struct loom_report *report)
{
    const struct mem_source *s = loom_state(self);

    if (s->sent != s->back) {
        loom_report_line(report, self, LOOM_NEVER,
                         "%llu requests are not answered",
                         (unsigned long long)(s->sent - s->back));
    }
}

#define COUNT(field_, def_, min_, max_, doc_)                                  \
    LOOM_PARAM(struct mem_source_config, field_, .def = {.u = (def_)},         \
               .min = {.u = (min_)}, .max = {.u = (max_)}, .doc = doc_)

static const char *const arrivals[] = {"bernoulli", "spaced", "closed", NULL};

static const struct loom_param source_params[] = {
    LOOM_PARAM(struct mem_source_config, pattern, .def = {.s = "sequential"},
               .choices = mem_source_patterns,
               .doc =
                   "Where request i goes; mixed is all in turn, with pauses"),
    LOOM_PARAM(struct mem_source_config, arrival, .def = {.s = "closed"},
               .choices = arrivals,
               .doc = "When requests arrive: by chance, evenly, or when "
                      "others are back"),
    LOOM_PARAM(struct mem_source_config, load, .def = {.f = 0.1},
               .max = {.f = 1}, .doc = "Requests per cycle, unless closed"),
    COUNT(outstanding, 16, 1, SOURCE_FLIGHTS, "Reads kept under way if closed"),
    COUNT(write_every, 0, 0, 1u << 30,
          "The last of so many requests is a write; 0: all are reads"),
    COUNT(warmup, 0, 0, UINT64_C(1) << 40, "Requests before those measured"),
    COUNT(count, 1000, 0, UINT64_C(1) << 40,
          "Requests measured; 0: no end and nothing is measured"),
    COUNT(seed, 12345, 0, UINT64_MAX, "Of addresses and arrivals"),
    COUNT(banks, 16, 1, 64, "Banks in use"),
    COUNT(rows, 4096, 1, 1u << 24, "Rows in use of each bank"),
    COUNT(columns, 64, 1, 1u << 20, "Bursts of a row"),
    LOOM_PARAM(struct mem_source_config, burst_bytes, .unit = LOOM_UNIT_BYTE,
               .def = {.u = 64}, .min = {.u = 32}, .max = {.u = 4096},
               .power_of_2 = true, .doc = "Bytes of a request"),
};

#define REQUESTS(field, doc_)                                                  \
    LOOM_COUNTER(struct mem_source_stats, field, LOOM_UNIT_REQUEST, doc_)

static const struct loom_stat source_stats[] = {
    REQUESTS(requests, "Requests sent"),
    REQUESTS(reads, "Reads sent"),
    REQUESTS(writes, "Writes sent"),
    REQUESTS(replies, "Replies received"),
    REQUESTS(measured_requests, "Replies from the last of the warm-up on until "
                                "as many as are measured"),
    LOOM_COUNTER(struct mem_source_stats, measured_cycles, LOOM_UNIT_CYCLE,
                 "Cycles in which they came"),
    LOOM_RATIO(struct mem_source_stats, cycles_per_request, measured_cycles,
               measured_requests, LOOM_UNIT_CYCLE_PER_REQUEST,
               "Mean distance of replies"),
    LOOM_HISTOGRAM(struct mem_source_stats, read_latency, LOOM_UNIT_CYCLE,
                   "Cycles from a measured read's acceptance to its reply"),
};

static const struct loom_port_decl source_ports[] = {
    {"down", "What serves the requests", LOOM_CLIENT, &loom_mem_protocol, 1, 1},
};

static const struct loom_component_ops source_ops = {
    .validate = source_validate,
    .init = source_init,
    .tick = source_tick,
    .starts = true,
    .check = source_check,
    .report = source_report,
};

const struct loom_component_type mem_source_component = {
    .name = "mem_source",
    .doc = "Memory requests by a rule, and how long they take",
    .state_size = sizeof(struct mem_source),
    .config_size = sizeof(struct mem_source_config),
    .stats_size = sizeof(struct mem_source_stats),
    .params = LOOM_SLICE(source_params),
    .stats = LOOM_SLICE(source_stats),
    .ports = LOOM_SLICE(source_ports),
    .ops = &source_ops,
};
