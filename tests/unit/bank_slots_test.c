/*
 * bank_slots against a model of the scheduler that it repeats: counters that
 * fall by one in every cycle, a slot for each bank, and the walk over the
 * banks as GPGPU-Sim's dram_t::cycle() goes it.  Every command of a channel
 * whose queue is always asked for more must be the model's, in its cycle.
 *
 * The times are the GTX 480's, see dram_rules_test.c.
 * links: component_dram policy_bank_slots policy_frfcfs policy_linear_map
 * links: policy_fcfs
 */
#include "tests/unit/dram_rig.h"

extern const struct loom_policy_type bank_slots_policy;

enum {
    REQUESTS = 1500,
    COMMANDS = 8 * REQUESTS,
    BANKS = 16,
    GROUPS = 4,
    QUEUE = 20
};

struct command {
    loom_cycle at;
    enum loom_dram_command what;
    uint32_t bank, row;
};

struct log {
    struct command item[COMMANDS];
    uint32_t count;
};

static void add(struct log *log, loom_cycle at, enum loom_dram_command what,
                uint32_t bank, uint32_t row)
{
    REQUIRE(log->count < COMMANDS);
    log->item[log->count++] = (struct command){at, what, bank, row};
}

/* ---- a watcher ---- */

static void spy_issued(struct loom_policy *self,
                       const struct loom_command_event *event)
{
    struct log **log = loom_policy_state(self);

    if (*log == NULL) {
        *log = calloc(1, sizeof(**log));
    }
    add(*log, event->now, event->command, event->bank, event->row);
}

static const struct loom_commands_ops spy_ops = {.issued = spy_issued};
static const struct loom_facet spy_facets[] = {
    {&loom_commands_hook, &spy_ops},
};
static const struct loom_policy_type spy_policy = {
    .name = "spy",
    .doc = "Keeps all commands",
    .state_size = sizeof(struct log *),
    .facets = LOOM_SLICE(spy_facets),
};

/* ---- the model ---- */

struct request {
    uint32_t bank, row, columns;
    bool write, queued;
};

struct bank {
    struct request *slot;
    bool active;
    uint32_t row, rcd, rcdwr, ras, rc, rp, wtp, rtp;
};

struct model {
    struct request *request; /* [REQUESTS], in order of arrival */
    struct bank bank[BANKS];
    uint32_t ccdl[GROUPS], rtpl[GROUPS];
    uint32_t ccd, rrd, rtw, wtr;
    uint32_t accepted, pending, served, prio;
    struct log log;
};

static void take(struct model *m)
{
    for (uint32_t i = 0; i < BANKS; i++) {
        uint32_t b = (m->prio + i) % BANKS;
        struct request *best = NULL;

        for (uint32_t r = 0; r < m->accepted && m->bank[b].slot == NULL; r++) {
            struct request *one = &m->request[r];

            if (one->queued && one->bank == b &&
                (best == NULL ||
                 (best->row != m->bank[b].row && one->row == m->bank[b].row))) {
                best = one;
            }
        }
        if (best != NULL) {
            best->queued = false;
            m->bank[b].slot = best;
            m->pending--;
            m->prio = (m->prio + 1) % BANKS;
            return;
        }
    }
}

static bool column(struct model *m, uint32_t number, loom_cycle now)
{
    struct bank *b = &m->bank[number];
    struct request *r = b->slot;
    uint32_t group = number / (BANKS / GROUPS);

    if (r == NULL || m->ccd != 0 || m->ccdl[group] != 0 || !b->active ||
        b->row != r->row || (r->write ? b->rcdwr + m->rtw : b->rcd + m->wtr)) {
        return false;
    }
    m->ccd = 2;
    m->ccdl[group] = 3;
    if (r->write) {
        m->wtr = 4 + 2 + 5;
        b->wtp = 4 + 2 + 12;
    } else {
        m->rtw = 12 + 2 + 2 - 4;
        b->rtp = 2;
        m->rtpl[group] = 2;
    }
    add(&m->log, now, r->write ? LOOM_DRAM_WR : LOOM_DRAM_RD, number, r->row);
    if (--r->columns == 0) {
        b->slot = NULL;
        m->served++;
    }
    return true;
}

static bool row(struct model *m, uint32_t number, loom_cycle now)
{
    struct bank *b = &m->bank[number];
    bool can_close = b->ras + b->wtp + b->rtp == 0 &&
                     m->rtpl[number / (BANKS / GROUPS)] == 0;

    if (b->slot == NULL) {
        return false;
    }
    if (!b->active && m->rrd + b->rp + b->rc == 0) {
        b->active = true;
        b->row = b->slot->row;
        m->rrd = 6;
        b->rcd = 12;
        b->rcdwr = 7;
        b->ras = 28;
        b->rc = 40;
        add(&m->log, now, LOOM_DRAM_ACT, number, b->row);
    } else if (b->active && b->row != b->slot->row && can_close) {
        b->active = false;
        b->rp = 12;
        add(&m->log, now, LOOM_DRAM_PRE, number, b->row);
    } else {
        return false;
    }
    m->prio = (number + 1) % BANKS;
    return true;
}

static void fall(uint32_t *counter)
{
    *counter -= *counter != 0 ? 1 : 0;
}

static void count_down(struct model *m)
{
    uint32_t *const one[] = {&m->ccd, &m->rrd, &m->rtw, &m->wtr};

    for (uint32_t i = 0; i < LOOM_COUNTOF(one); i++) {
        fall(one[i]);
    }
    for (uint32_t g = 0; g < GROUPS; g++) {
        fall(&m->ccdl[g]);
        fall(&m->rtpl[g]);
    }
    for (uint32_t b = 0; b < BANKS; b++) {
        struct bank *bank = &m->bank[b];
        uint32_t *const of_bank[] = {&bank->rcd, &bank->rcdwr, &bank->ras,
                                     &bank->rc,  &bank->rp,    &bank->wtp,
                                     &bank->rtp};

        for (uint32_t i = 0; i < LOOM_COUNTOF(of_bank); i++) {
            fall(of_bank[i]);
        }
    }
}

/* `prio` moves with a row command, and the steps of the walk are not counted
 * anew. */
static void walk(struct model *m, bool dual, bool both, loom_cycle now)
{
    bool did_column = false, did_row = false;

    for (uint32_t i = 0; i < BANKS; i++) {
        uint32_t b = (m->prio + i) % BANKS;

        if (!did_column && (both || !did_row)) {
            did_column = column(m, b, now);
        }
        if (!did_column && !did_row && !dual) {
            did_row = row(m, b, now);
        }
    }
    for (uint32_t i = 0; i < BANKS && dual && !did_row; i++) {
        did_row = row(m, (m->prio + i) % BANKS, now);
    }
}

static void run_model(struct model *m, bool dual, bool both)
{
    for (loom_cycle now = 0; m->served < REQUESTS; now++) {
        take(m);
        walk(m, dual, both, now);
        count_down(m);
        if (m->accepted < REQUESTS && m->pending < QUEUE) {
            m->request[m->accepted++].queued = true;
            m->pending++;
        }
    }
}

/* ---- side by side ---- */

static void draw(struct request *r, uint64_t *x)
{
    *x = *x * 6364136223846793005u + 1442695040888963407u;
    r->bank = (uint32_t)(*x >> 33) % BANKS;
    r->row = (uint32_t)(*x >> 40) % 3;
    r->write = (*x >> 52) % 3 == 0;
    r->columns = (*x >> 57) % 4 == 0 ? 2 : 1;
}

static void compare(const struct log *ours, const struct log *want)
{
    loom_cycle start = ours->item[0].at - want->item[0].at;

    EXPECT_EQ(ours->count, want->count);
    for (uint32_t i = 0; i < ours->count && i < want->count; i++) {
        const struct command *a = &ours->item[i], *b = &want->item[i];

        if (a->at - start != b->at || a->what != b->what ||
            a->bank != b->bank || a->row != b->row) {
            fprintf(stderr,
                    "command %u: %u of bank %u at %llu, not %u of %u "
                    "at %llu\n",
                    i, a->what, a->bank, (unsigned long long)(a->at - start),
                    b->what, b->bank, (unsigned long long)b->at);
            EXPECT(false);
            return;
        }
    }
}

static void one_case(uint64_t seed, bool dual, bool both)
{
    struct dram_rig rig = dram_rig_build(1, REQUESTS, &bank_slots_policy);
    struct model *m = calloc(1, sizeof(*m));
    struct loom_error err = {LOOM_ERR_NONE, ""};
    struct loom_policy *spy =
        rig_policy(rig.dram, rig.machine, "commands", &spy_policy);
    struct log **ours;
    uint64_t x = seed;

    REQUIRE(m != NULL);
    m->request = calloc(REQUESTS, sizeof(*m->request));
    REQUIRE(m->request != NULL);
    for (uint32_t i = 0; i < REQUESTS; i++) {
        struct request *r = &m->request[i];

        draw(r, &x);
        dram_rig_add(&rig, 0, 10, dram_at(r->bank, r->row, 8),
                     r->write ? LOOM_MEM_STORE : LOOM_MEM_LOAD)
            ->size_bytes = (uint16_t)(r->columns * 64);
    }
    rig_set(rig.dram, "queue_entries", QUEUE);
    rig_set(rig.dram, "dual_bus", dual);
    REQUIRE(loom_machine_set_policy(rig.schedule, "both",
                                    (union loom_value){.b = both}, &err));
    dram_rig_run(&rig);
    EXPECT_EQ(rig.list[0].got_count, REQUESTS);
    run_model(m, dual, both || dual);
    ours = loom_policy_state(spy);
    REQUIRE(*ours != NULL);
    compare(*ours, &m->log);
    free(*ours);
    free(m->request);
    free(m);
    dram_rig_destroy(&rig);
}

static void commands_are_the_models_one_at_a_time(void)
{
    for (uint64_t seed = 1; seed <= 4; seed++) {
        one_case(seed, false, false);
    }
}

static void a_column_goes_out_beside_a_row_command(void)
{
    for (uint64_t seed = 1; seed <= 4; seed++) {
        one_case(seed, false, true);
    }
}

static void a_second_bus_has_its_own_walk(void)
{
    for (uint64_t seed = 1; seed <= 4; seed++) {
        one_case(seed, true, true);
        one_case(seed, true, false);
    }
}

/* ---- what else it promises ---- */

/* A request in a slot is not in the queue: two places are enough for two
 * banks and two requests more. */
static void what_is_taken_leaves_its_place(void)
{
    struct dram_rig rig = dram_rig_build(1, 8, &bank_slots_policy);

    rig_set(rig.dram, "queue_entries", 2);
    for (uint32_t i = 0; i < 4; i++) {
        dram_rig_add(&rig, 0, 10, dram_at(i % 2, i / 2, 0), LOOM_MEM_LOAD);
    }
    dram_rig_run(&rig);
    EXPECT_EQ(rig.list[0].got_count, 4);
    EXPECT_EQ(dram_rig_counter(&rig, "queue_full_cycles"), 0);
    dram_rig_destroy(&rig);
}

/* With `delay` a request is so much later in the queue. */
static void delay_is_before_the_queue(void)
{
    static const struct loom_policy_type *const policy[] = {&bank_slots_policy,
                                                            &frfcfs_policy};

    for (uint32_t k = 0; k < 2; k++) {
        struct dram_rig rig = dram_rig_build(1, 8, policy[k]);
        const struct rig_list *list = &rig.list[0];

        rig_set(rig.dram, "delay", 100);
        dram_rig_add(&rig, 0, 10, dram_at(0, 1, 0), LOOM_MEM_LOAD);
        dram_rig_add(&rig, 0, 500, dram_at(0, 1, 1), LOOM_MEM_LOAD);
        dram_rig_add(&rig, 0, 500, dram_at(0, 1, 2), LOOM_MEM_STORE);
        dram_rig_run(&rig);
        REQUIRE(list->got_count == 3);
        EXPECT_EQ(list->got[0].at - 10, 100 + 1 + 12 + 12 + 2 + 2);
        EXPECT_EQ(list->got[1].at - 500, 100 + 1 + 12 + 2 + 2);
        dram_rig_destroy(&rig);
    }
}

/* As many as have a place in the queue and among the replies, and one more. */
static void no_more_set_out_than_find_a_place(void)
{
    struct dram_rig rig = dram_rig_build(1, 40, &bank_slots_policy);
    const struct rig_list *list = &rig.list[0];

    rig_set(rig.dram, "delay", 1000);
    rig_set(rig.dram, "queue_entries", 8);
    rig_set(rig.dram, "return_entries", 4);
    for (uint32_t i = 0; i < 40; i++) {
        dram_rig_add(&rig, 0, 10, dram_at(0, 1, i), LOOM_MEM_LOAD);
    }
    dram_rig_run(&rig);
    REQUIRE(list->got_count == 40);
    EXPECT(list->got[12].at - list->got[0].at < 100);
    EXPECT(list->got[13].at - list->got[12].at > 900);
    EXPECT(list->got[25].at - list->got[13].at < 100);
    dram_rig_destroy(&rig);
}

static const struct loom_test tests[] = {
    {"commands_are_the_models_one_at_a_time",
     commands_are_the_models_one_at_a_time},
    {"a_column_goes_out_beside_a_row_command",
     a_column_goes_out_beside_a_row_command},
    {"a_second_bus_has_its_own_walk", a_second_bus_has_its_own_walk},
    {"what_is_taken_leaves_its_place", what_is_taken_leaves_its_place},
    {"delay_is_before_the_queue", delay_is_before_the_queue},
    {"no_more_set_out_than_find_a_place", no_more_set_out_than_find_a_place},
};

int main(void)
{
    return loom_run_tests("bank_slots", tests, LOOM_COUNTOF(tests));
}
