/*
 * The functional L1 model of workloads/locality/locality.h.
 *
 * An SM is stepped only when it is full and its next CTA waits, or when no
 * CTA is left.  As CTAs come in linear order and belong to SMs in turn, each
 * SM sees what it would see if all were stepped together.
 */
#include "workloads/locality/locality.h"

#include <stdlib.h>
#include <string.h>

#include "components/mem_protocol.h"

#define NO_LINE UINT64_MAX
#define MOST_SETS (1 << LOOM_LOCALITY_SET_BITS)

struct line {
    loom_addr tag; /* address / 128, or NO_LINE */
    uint32_t warp; /* who touched it last */
};

/* Sets of `ways` lines each, most recently used first. */
struct cache {
    struct line *line;           /* [sets * ways] */
    uint16_t shifted[MOST_SETS]; /* index times x^set_bits */
    uint32_t set_bits, ways;
    uint32_t groups; /* of set_bits bits in a tag */
    enum loom_locality_index kind;
};

struct warp {
    struct loom_cursor cursor;
    uint32_t id; /* in the run */
    bool waits;  /* at a barrier */
    bool ended;
};

struct cta {
    struct loom_cta_stream *stream; /* NULL: a free place */
    struct warp *warp;              /* [warps_per_cta] */
    uint32_t left;                  /* warps that have not ended */
    uint32_t waiting;               /* warps at a barrier */
};

struct sm {
    struct cache cache[LOOM_LOCALITY_CACHES];
    struct cta *cta; /* [places] */
    uint32_t held;
};

struct loom_locality_model {
    struct loom_locality_spec spec;
    struct sm *sm;       /* [sms] */
    uint32_t warps_seen; /* in the launches before */
    /* Of the launch. */
    struct loom_kernel *kernel;
    struct loom_locality *result;
    uint32_t places, warps_per_cta;
    uint32_t caches; /* of each SM that are there */
    bool failed;     /* whoever is told said so; why is in *err */
    struct loom_error *err;
};

/* A place for `count` items; NULL and an error without memory. */
static void *take(size_t count, size_t size, struct loom_error *err)
{
    void *memory = calloc(count, size);

    if (memory == NULL) {
        loom_fail(err, LOOM_ERR_MEMORY, "no memory for the locality model");
    }
    return memory;
}

/* The finaliser of MurmurHash3. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 33) * UINT64_C(0xff51afd7ed558ccd);
    x = (x ^ x >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return x ^ x >> 33;
}

/* Polynomial: the tag over GF(2), modulo an irreducible one whose degree is
 * the number of index bits, group by group from the top.  Folded: the same
 * with a table that multiplies by 1. */
static struct line *set_of(const struct cache *cache, loom_addr tag)
{
    uint64_t index = 0, mask = (UINT64_C(1) << cache->set_bits) - 1;

    if (cache->kind == LOOM_LOCALITY_MODULO) {
        index = tag & mask;
    } else if (cache->kind == LOOM_LOCALITY_RANDOM) {
        index = mix(tag) & mask;
    } else {
        for (uint32_t at = cache->groups; at-- != 0;) {
            index =
                cache->shifted[index] ^ (tag >> at * cache->set_bits & mask);
        }
    }
    return cache->line + index * cache->ways;
}

/* The way that holds the tag, or `ways`. */
static uint32_t find(const struct line *set, uint32_t ways, loom_addr tag)
{
    uint32_t way = 0;

    while (way < ways && set[way].tag != tag) {
        way++;
    }
    return way;
}

/* A load's access: true if it hits; *before is who was there last. */
static bool touch(const struct cache *cache, loom_addr tag, uint32_t warp,
                  uint32_t *before)
{
    struct line *set = set_of(cache, tag);
    uint32_t ways = cache->ways;
    uint32_t way = find(set, ways, tag);
    bool hit = way < ways;

    *before = hit ? set[way].warp : 0;
    memmove(set + 1, set, (hit ? way : ways - 1) * sizeof(*set));
    set[0] = (struct line){tag, warp};
    return hit;
}

/* The place of an evicted line is the next to be filled. */
static void evict(const struct cache *cache, loom_addr tag)
{
    struct line *set = set_of(cache, tag);
    uint32_t ways = cache->ways;
    uint32_t way = find(set, ways, tag);

    if (way < ways) {
        memmove(set + way, set + way + 1, (ways - 1 - way) * sizeof(*set));
        set[ways - 1].tag = NO_LINE;
    }
}

/* The distinct lines of a warp access, in the order of the lanes. */
static uint32_t lines_of(const struct loom_warp_inst *inst,
                         const struct loom_static_inst *fact,
                         loom_addr line[2 * LOOM_WARP_LANES])
{
    loom_addr address[LOOM_WARP_LANES];
    uint32_t bytes = (uint32_t)fact->bytes * (fact->vector ? fact->vector : 1);
    uint32_t count = 0;

    loom_stream_addresses(inst, address);
    for (uint32_t lane = 0; lane < LOOM_WARP_LANES; lane++) {
        loom_addr first, last;

        if ((inst->mask >> lane & 1u) == 0) {
            continue;
        }
        first = address[lane] / LOOM_LOCALITY_LINE;
        last = (address[lane] + bytes - 1) / LOOM_LOCALITY_LINE;
        for (loom_addr tag = first; tag <= last; tag++) {
            uint32_t at = 0;

            while (at < count && line[at] != tag) {
                at++;
            }
            if (at == count && count < 2 * LOOM_WARP_LANES) {
                line[count++] = tag;
            }
        }
    }
    return count;
}

static void load(const struct loom_locality_model *m, struct sm *sm,
                 uint32_t warp, loom_addr tag, struct loom_locality_load *to)
{
    uint32_t before = 0;
    bool hit = false;

    for (uint32_t c = 0; c < m->caches; c++) {
        hit = touch(&sm->cache[c], tag, warp, &before);
        to->hits[c] += hit ? 1 : 0;
    }
    if (hit && before == warp) {
        to->same_warp++;
    } else if (hit) {
        to->other_warp++;
    }
}

/* Tells of the accesses of one instruction. */
static void tell(struct loom_locality_model *m, const struct sm *sm,
                 const struct loom_static_inst *fact,
                 struct loom_mem_request *request, const loom_addr *line)
{
    request->bytes[0] = UINT64_MAX;
    request->bytes[1] = UINT64_MAX;
    request->kernel = m->kernel->number;
    request->sm = (uint16_t)(sm - m->sm);
    request->size_bytes = LOOM_LOCALITY_LINE;
    request->kind = fact->op == LOOM_OP_LOAD    ? LOOM_MEM_LOAD
                    : fact->op == LOOM_OP_STORE ? LOOM_MEM_STORE
                                                : LOOM_MEM_ATOMIC;
    request->space = fact->space;
    request->cache_op = fact->cache_op;
    request->sectors = 15;
    for (uint8_t i = 0; i < request->accesses && !m->failed; i++) {
        request->block = line[i] * LOOM_LOCALITY_LINE;
        request->access = i;
        m->failed = !m->spec.access(m->spec.context, request, m->err);
    }
}

static void access_memory(struct loom_locality_model *m, struct sm *sm,
                          const struct loom_warp_inst *inst,
                          const struct cta *cta, const struct warp *warp)
{
    const struct loom_static_inst *fact = &m->kernel->inst[inst->index];
    struct loom_locality_load *to = &m->result->load[inst->index];
    loom_addr line[2 * LOOM_WARP_LANES];
    uint32_t count = lines_of(inst, fact, line);

    if (fact->op == LOOM_OP_LOAD) {
        to->loads++;
        to->lines += count;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (fact->op == LOOM_OP_LOAD) {
            load(m, sm, warp->id, line[i], to);
            continue;
        }
        for (uint32_t c = 0; c < m->caches; c++) {
            evict(&sm->cache[c], line[i]);
        }
    }
    if (m->spec.access != NULL) {
        struct loom_mem_request request = {
            .cta = cta->stream->cta,
            .inst = inst->index,
            .warp = (uint16_t)((cta - sm->cta) * m->warps_per_cta +
                               (warp - cta->warp)),
            .accesses = (uint8_t)count,
        };

        tell(m, sm, fact, &request, line);
    }
}

static bool is_cached(const struct loom_static_inst *fact)
{
    return (fact->op == LOOM_OP_LOAD || fact->op == LOOM_OP_STORE ||
            fact->op == LOOM_OP_ATOMIC) &&
           (fact->space == LOOM_SPACE_GLOBAL ||
            fact->space == LOOM_SPACE_LOCAL);
}

/* One turn of a warp: up to and with its next access, or a barrier. */
static void step_warp(struct loom_locality_model *m, struct sm *sm,
                      struct cta *cta, struct warp *warp)
{
    struct loom_warp_inst inst;

    while (loom_stream_next(&warp->cursor, &inst)) {
        const struct loom_static_inst *fact = &m->kernel->inst[inst.index];

        m->result->thread_insts += loom_popcount(inst.mask);
        if (is_cached(fact) && inst.mode != LOOM_ADDR_NONE) {
            access_memory(m, sm, &inst, cta, warp);
            return;
        }
        if (fact->op == LOOM_OP_BARRIER && inst.mask != 0 &&
            (fact->flags & LOOM_INST_ARRIVE) == 0) {
            warp->waits = true;
            cta->waiting++;
            return;
        }
    }
    warp->ended = true;
    cta->left--;
}

/* A barrier opens when nobody else of the CTA can move, which is right for
 * barriers of any number of warps in a program that ends. */
static void open_barrier(const struct loom_locality_model *m, struct cta *cta)
{
    if (cta->left == 0 || cta->waiting < cta->left) {
        return;
    }
    cta->waiting = 0;
    for (uint32_t w = 0; w < m->warps_per_cta; w++) {
        cta->warp[w].waits = false;
    }
}

static void release(const struct loom_locality_model *m, struct sm *sm,
                    struct cta *cta)
{
    m->kernel->source->ops->release(m->kernel->source, cta->stream);
    cta->stream = NULL;
    sm->held--;
}

/* A round: a turn for every warp of the SM. */
static void step_sm(struct loom_locality_model *m, struct sm *sm)
{
    for (uint32_t p = 0; p < m->places; p++) {
        struct cta *cta = &sm->cta[p];

        for (uint32_t w = 0; cta->stream != NULL && w < m->warps_per_cta; w++) {
            if (!cta->warp[w].ended && !cta->warp[w].waits) {
                step_warp(m, sm, cta, &cta->warp[w]);
            }
        }
        if (cta->stream != NULL) {
            open_barrier(m, cta);
            if (cta->left == 0) {
                release(m, sm, cta);
            }
        }
    }
}

static void put(const struct loom_locality_model *m, struct sm *sm,
                struct loom_cta_stream *stream)
{
    struct cta *cta = sm->cta;

    while (cta->stream != NULL) {
        cta++;
    }
    cta->stream = stream;
    cta->left = m->warps_per_cta;
    cta->waiting = 0;
    for (uint32_t w = 0; w < m->warps_per_cta; w++) {
        cta->warp[w] = (struct warp){.cursor = loom_cursor_of(&stream->warp[w]),
                                     .id = m->warps_seen +
                                           stream->cta * m->warps_per_cta + w};
        m->result->insts += stream->warp[w].insts;
    }
    sm->held++;
}

static bool execute(struct loom_locality_model *m, struct loom_error *err)
{
    struct loom_cta_source *source = m->kernel->source;
    uint64_t count = loom_dim3_count(m->kernel->grid);

    for (uint64_t i = 0; i < count; i++) {
        struct sm *sm = &m->sm[i % m->spec.sms];
        struct loom_cta_stream *stream;

        while (sm->held == m->places) {
            step_sm(m, sm);
        }
        if (!source->ops->produce(source, (uint32_t)i, &stream, err)) {
            return false;
        }
        put(m, sm, stream);
    }
    for (uint32_t s = 0; s < m->spec.sms; s++) {
        while (m->sm[s].held != 0) {
            step_sm(m, &m->sm[s]);
        }
    }
    return !m->failed;
}

/* Fills the table of multiples. */
static void init_index(struct cache *cache)
{
    /* Irreducible polynomials of degree 1 and so on, without leading term. */
    static const uint16_t rest[LOOM_LOCALITY_SET_BITS] = {0x1, 0x3, 0x3, 0x3,
                                                          0x5, 0x3, 0x3, 0x1b};
    uint32_t sets = 1u << cache->set_bits;

    for (uint32_t i = 0; i < sets; i++) {
        uint32_t value = i;

        for (uint32_t k = 0;
             k < cache->set_bits && cache->kind == LOOM_LOCALITY_POLYNOMIAL;
             k++) {
            value <<= 1;
            if (value >= sets) {
                value = (value - sets) ^ rest[cache->set_bits - 1];
            }
        }
        cache->shifted[i] = (uint16_t)value;
    }
    cache->groups = (57 + cache->set_bits - 1) / cache->set_bits;
}

/* The caches of an SM, empty. */
static bool init_sm(const struct loom_locality_spec *spec, struct sm *sm,
                    struct loom_error *err)
{
    for (uint32_t c = 0; c < LOOM_LOCALITY_CACHES && spec->cache[c].sets != 0;
         c++) {
        struct cache *cache = &sm->cache[c];
        size_t lines = (size_t)spec->cache[c].sets * spec->cache[c].ways;

        cache->ways = spec->cache[c].ways;
        cache->set_bits = loom_log2(spec->cache[c].sets);
        cache->kind = spec->index;
        init_index(cache);
        cache->line = take(lines, sizeof(struct line), err);
        if (cache->line == NULL) {
            return false;
        }
        for (size_t i = 0; i < lines; i++) {
            cache->line[i].tag = NO_LINE;
        }
    }
    return true;
}

struct loom_locality_model *
loom_locality_create(const struct loom_locality_spec *spec,
                     struct loom_error *err)
{
    struct loom_locality_model *m = take(1, sizeof(*m), err);
    bool ok;

    if (m == NULL) {
        return NULL;
    }
    m->spec = *spec;
    while (m->caches < LOOM_LOCALITY_CACHES &&
           spec->cache[m->caches].sets != 0) {
        m->caches++;
    }
    m->sm = take(spec->sms, sizeof(*m->sm), err);
    ok = m->sm != NULL;
    for (uint32_t s = 0; ok && s < spec->sms; s++) {
        ok = init_sm(spec, &m->sm[s], err);
    }
    if (!ok) {
        loom_locality_destroy(m);
        return NULL;
    }
    return m;
}

void loom_locality_destroy(struct loom_locality_model *m)
{
    for (uint32_t s = 0; m != NULL && m->sm != NULL && s < m->spec.sms; s++) {
        for (uint32_t c = 0; c < LOOM_LOCALITY_CACHES; c++) {
            free(m->sm[s].cache[c].line);
        }
    }
    if (m != NULL) {
        free(m->sm);
    }
    free(m);
}

static void flush(struct sm *sm)
{
    for (uint32_t c = 0; c < LOOM_LOCALITY_CACHES; c++) {
        const struct cache *cache = &sm->cache[c];
        size_t lines = (size_t)cache->ways << cache->set_bits;

        for (size_t i = 0; i < lines; i++) {
            cache->line[i].tag = NO_LINE;
        }
    }
}

/* Places for the launch's CTAs. */
static bool begin(struct loom_locality_model *m, struct loom_error *err)
{
    for (uint32_t s = 0; s < m->spec.sms; s++) {
        struct sm *sm = &m->sm[s];

        if (m->spec.flush) {
            flush(sm);
        }
        sm->cta = take(m->places, sizeof(*sm->cta), err);
        for (uint32_t p = 0; sm->cta != NULL && p < m->places; p++) {
            sm->cta[p].warp = take(m->warps_per_cta, sizeof(struct warp), err);
            if (sm->cta[p].warp == NULL) {
                return false;
            }
        }
        if (sm->cta == NULL) {
            return false;
        }
    }
    return true;
}

static void end(struct loom_locality_model *m)
{
    for (uint32_t s = 0; s < m->spec.sms; s++) {
        struct sm *sm = &m->sm[s];

        for (uint32_t p = 0; sm->cta != NULL && p < m->places; p++) {
            if (sm->cta[p].stream != NULL) {
                release(m, sm, &sm->cta[p]);
            }
            free(sm->cta[p].warp);
        }
        free(sm->cta);
        sm->cta = NULL;
    }
    m->warps_seen +=
        m->warps_per_cta * (uint32_t)loom_dim3_count(m->kernel->grid);
}

bool loom_locality_measure(struct loom_locality_model *m,
                           struct loom_kernel *kernel,
                           struct loom_locality *result, struct loom_error *err)
{
    uint64_t fit = m->spec.threads / loom_dim3_count(kernel->block);
    bool ok;

    m->kernel = kernel;
    m->result = result;
    m->failed = false;
    m->err = err;
    m->places = fit < m->spec.ctas ? (uint32_t)fit : m->spec.ctas;
    m->places = m->places != 0 ? m->places : 1;
    m->warps_per_cta = loom_kernel_warps(kernel);
    *result = (struct loom_locality){0};
    result->load = take(kernel->inst_count + 1, sizeof(*result->load), err);
    ok = result->load != NULL && begin(m, err) && execute(m, err);
    end(m);
    if (!ok) {
        loom_locality_free(result);
    }
    return ok;
}

void loom_locality_free(struct loom_locality *result)
{
    free(result->load);
    result->load = NULL;
}
