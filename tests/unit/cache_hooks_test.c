/*
 * The questions a cache asks: one stub policy answers all of them as each
 * test tells it to, and what the cache then does is compared with the order
 * in policies/cache_hook.h.
 *
 * links: component_cache policy_lru policy_linear_index
 */
#include "tests/unit/cache_rig_run.h"

/* What the stub answers, and how often it was asked. */
struct stub {
    enum loom_admit admit;
    struct loom_bypass bypass;
    enum loom_allocate allocate;
    enum loom_on_fail on_fail;
    enum loom_no_candidate empty;
    enum loom_line_power power;
    enum loom_event_kind power_event; /* after which `power` is the answer */
    uint16_t answer;
    uint32_t keep;   /* ways left by restrict_ways, from the lowest */
    uint32_t closed; /* the set of which it leaves none */
    uint32_t admits, allocates, fails, restricts, empties, powers, answers;
    const struct loom_cache_host *host;
};

static bool stub_bind(struct loom_policy *self,
                      const struct loom_cache_shape *shape,
                      struct loom_error *err)
{
    struct stub *stub = loom_policy_state(self);

    (void)err;
    EXPECT_EQ(shape->sets, 4);
    EXPECT_EQ(shape->ways, 2);
    EXPECT_EQ(shape->line_bytes, 128);
    EXPECT_EQ(shape->sm, 0);
    stub->host = shape->host;
    return true;
}

static enum loom_admit stub_admit(struct loom_policy *self,
                                  const struct loom_mem_request *request,
                                  struct loom_bypass *bypass)
{
    struct stub *stub = loom_policy_state(self);

    EXPECT_EQ(bypass->size_bytes, request->size_bytes);
    stub->admits++;
    *bypass = stub->bypass;
    return stub->admit;
}

static enum loom_allocate stub_allocate(struct loom_policy *self,
                                        const struct loom_mem_request *request,
                                        uint32_t set,
                                        struct loom_bypass *bypass)
{
    struct stub *stub = loom_policy_state(self);

    EXPECT_EQ(set, request->block / 128 % 4);
    EXPECT_EQ(bypass->size_bytes, 32);
    *bypass = stub->bypass;
    stub->allocates++;
    return stub->allocate;
}

static enum loom_on_fail stub_fail(struct loom_policy *self,
                                   const struct loom_mem_request *request,
                                   enum loom_fail_reason reason,
                                   struct loom_bypass *bypass)
{
    struct stub *stub = loom_policy_state(self);

    (void)request;
    EXPECT_EQ(reason, LOOM_FAIL_LINE);
    stub->fails++;
    *bypass = stub->bypass;
    return stub->on_fail;
}

static uint16_t stub_answer(struct loom_policy *self,
                            const struct loom_mem_request *request)
{
    struct stub *stub = loom_policy_state(self);

    (void)request;
    stub->answers++;
    return stub->answer;
}

static void stub_restrict(struct loom_policy *self,
                          const struct loom_mem_request *request, uint32_t set,
                          struct loom_ways *ways)
{
    struct stub *stub = loom_policy_state(self);

    (void)request;
    for (uint32_t i = 0; i < ways->count; i++) {
        EXPECT(!stub->host->reserved(stub->host->cache, set, ways->way[i]));
    }
    stub->restricts++;
    ways->count = ways->count < stub->keep ? ways->count : stub->keep;
    if (set == stub->closed) {
        ways->count = 0;
    }
}

static enum loom_no_candidate stub_empty(struct loom_policy *self,
                                         const struct loom_mem_request *request,
                                         uint32_t set,
                                         struct loom_bypass *bypass)
{
    struct stub *stub = loom_policy_state(self);

    (void)request;
    (void)set;
    stub->empties++;
    *bypass = stub->bypass;
    return stub->empty;
}

static enum loom_line_power stub_power(struct loom_policy *self,
                                       enum loom_event_kind event,
                                       const struct loom_mem_request *request,
                                       uint32_t set, uint32_t way)
{
    struct stub *stub = loom_policy_state(self);

    (void)request;
    (void)set;
    (void)way;
    stub->powers++;
    return event == stub->power_event ? stub->power : LOOM_LINE_ON;
}

static const struct loom_admit_ops admit_ops = {.bind = stub_bind,
                                                .admit = stub_admit};
static const struct loom_allocation_ops allocation_ops = {
    .bind = stub_bind,
    .allocate = stub_allocate,
    .fail = stub_fail,
    .answer = stub_answer,
};
static const struct loom_candidates_ops candidates_ops = {
    .bind = stub_bind,
    .restrict_ways = stub_restrict,
    .empty = stub_empty,
};
static const struct loom_power_ops power_ops = {.bind = stub_bind,
                                                .after = stub_power};
static const struct loom_facet stub_facets[] = {
    {&loom_admit_hook, &admit_ops},
    {&loom_allocation_hook, &allocation_ops},
    {&loom_candidates_hook, &candidates_ops},
    {&loom_power_hook, &power_ops},
};
static const struct loom_policy_type stub_policy = {
    .name = "stub",
    .doc = "Answers as told",
    .state_size = sizeof(struct stub),
    .facets = LOOM_SLICE(stub_facets),
};

/* A bench with the stub in one slot. */
static struct rig *open_with(const char *slot, struct stub **stub)
{
    struct rig *rig = rig_open();
    struct loom_policy *policy;

    rig_alone(rig); /* the stub asks and answers for one cache */
    rig_attach(rig, "replacement", &lru_policy);
    rig_attach(rig, "set_index", &linear_index_policy);
    policy = loom_machine_add_policy(rig->machine, &stub_policy,
                                     "sm[0].l1d.policy.stub", &rig->err);
    REQUIRE(policy != NULL);
    REQUIRE(loom_machine_attach(rig->cache, slot, policy, &rig->err));
    *stub = loom_policy_state(policy);
    (*stub)->keep = UINT32_MAX;
    (*stub)->closed = UINT32_MAX;
    (*stub)->bypass = (struct loom_bypass){128, false};
    return rig;
}

static void admitted_bypass_fetches_the_size_it_says(void)
{
    struct stub *stub;
    struct rig *rig = open_with("admit", &stub);

    stub->admit = LOOM_ADMIT_BYPASS;
    stub->bypass.size_bytes = 64;
    rig_sector(rig_access(rig, 10, LOOM_MEM_LOAD, 0), 3);
    rig_sector(rig_access(rig, 11, LOOM_MEM_LOAD, 0), 3);
    rig_access(rig, 12, LOOM_MEM_LOAD, 0);
    rig_start(rig);
    rig_run(rig);
    EXPECT_LOG(rig, "abababrrr");
    EXPECT_EQ(stub->admits, 3);
    EXPECT_EQ(rig->memory->count, 3); /* nothing merges */
    EXPECT_EQ(rig->memory->seen[0].size_bytes, 64);
    EXPECT_EQ(rig->memory->seen[0].sectors, 12);
    EXPECT_EQ(rig->memory->seen[0].bypassed_by, 1);
    EXPECT_EQ(rig->memory->seen[2].size_bytes, 128); /* never less than used */
    EXPECT_EQ(rig->source->reply[0].message.bypassed, LOOM_LEVEL_L1);
    EXPECT_EQ(rig_stat(rig, "bypasses"), 3);
    EXPECT_EQ(rig_stat(rig, "lookups"), 0);
    rig_close(rig);
}

static void bypass_may_merge_in_mshrs(void)
{
    struct stub *stub;
    struct rig *rig = open_with("admit", &stub);

    stub->admit = LOOM_ADMIT_BYPASS;
    stub->bypass.may_merge = true;
    rig_access(rig, 10, LOOM_MEM_LOAD, 0);
    rig_access(rig, 11, LOOM_MEM_LOAD, 0);
    rig_start(rig);
    rig_run(rig);
    EXPECT_LOG(rig, "ababrr");
    EXPECT_EQ(rig->memory->count, 1);
    EXPECT_EQ(rig_stat(rig, "mshr_merges"), 1);
    EXPECT_EQ(rig_stat(rig, "bypasses"), 2);
    EXPECT_EQ(rig->source->reply[1].message.bypassed, LOOM_LEVEL_L1);
    rig_close(rig);
}

static void lookup_verdict_is_no_bypass(void)
{
    struct stub *stub;
    struct rig *rig = open_with("admit", &stub);

    stub->admit = LOOM_ADMIT_LOOKUP;
    rig_access(rig, 10, LOOM_MEM_LOAD, 0);
    rig_start(rig);
    rig_run(rig);
    EXPECT_LOG(rig, "amAfr");
    rig_close(rig);
}

static void unallocated_miss_leaves_no_line(void)
{
    struct stub *stub;
    struct rig *rig = open_with("allocation", &stub);

    stub->allocate = LOOM_NO_ALLOCATE;
    stub->bypass.size_bytes = 32;
    stub->answer = 0x21;
    rig_sector(rig_access(rig, 10, LOOM_MEM_LOAD, 0), 0);
    rig_sector(rig_access(rig, 11, LOOM_MEM_LOAD, 0), 0); /* merges */
    rig_access(rig, 40, LOOM_MEM_LOAD, 0);
    rig_start(rig);
    rig_run(rig);
    EXPECT_LOG(rig, "amamrramr");
    EXPECT_EQ(stub->allocates, 2); /* the merged one is not asked about */
    EXPECT_EQ(stub->answers, 3);
    EXPECT_EQ(rig->memory->count, 2);
    EXPECT_EQ(rig->memory->seen[0].size_bytes, 32);
    EXPECT_EQ(rig->source->reply[0].message.reply_bits, 0x121);
    EXPECT_EQ(rig->source->reply[1].message.reply_bits, 0x21);
    EXPECT_EQ(rig_stat(rig, "unallocated_misses"), 2);
    EXPECT_EQ(rig_stat(rig, "misses"), 3);
    rig_close(rig);
}

/* One sector of a line is loaded, then one of each half of it. */
static void unallocated(uint16_t fetch, uint32_t fetches, uint32_t bytes)
{
    struct stub *stub;
    struct rig *rig = open_with("allocation", &stub);

    stub->allocate = LOOM_NO_ALLOCATE;
    stub->bypass.size_bytes = fetch;
    rig_sector(rig_access(rig, 10, LOOM_MEM_LOAD, 0), 1);
    rig_sector(rig_access(rig, 11, LOOM_MEM_LOAD, 0), 0);
    rig_sector(rig_access(rig, 12, LOOM_MEM_LOAD, 0), 3);
    rig_start(rig);
    rig_run(rig);
    EXPECT_EQ(stub->allocates, 1);
    EXPECT_EQ(rig->memory->count, fetches);
    EXPECT_EQ(rig->memory->seen[0].size_bytes, fetch);
    EXPECT_EQ(rig_stat(rig, "fetched_bytes"), bytes);
    EXPECT_EQ(rig_stat(rig, "unallocated_misses"), 1);
    EXPECT_EQ(rig_stat(rig, "misses"), 3);
    EXPECT_EQ(rig->source->answered, 3);
    for (uint32_t i = 0; i < 3; i++) { /* each gets what it asked for */
        EXPECT_EQ(rig->source->reply[i].message.size_bytes, 32);
    }
    rig_close(rig);
}

static void unallocated_miss_fetches_what_the_verdict_says(void)
{
    unallocated(32, 3, 96); /* who merges asks for what is still missing */
    unallocated(64, 2, 96);
    unallocated(128, 1, 128);
}

/* The middle of a line is two sectors, for which its size would be 128. */
static void unallocated_miss_fetches_all_its_sectors_and_no_more(void)
{
    for (uint8_t sectors = 6; sectors <= 15; sectors += 9) {
        struct stub *stub;
        struct rig *rig = open_with("allocation", &stub);

        stub->allocate = LOOM_NO_ALLOCATE;
        stub->bypass.size_bytes = 32;
        rig_access(rig, 10, LOOM_MEM_LOAD, 0)->sectors = sectors;
        rig_start(rig);
        rig_run(rig);
        EXPECT_EQ(rig->memory->seen[0].sectors, sectors);
        EXPECT_EQ(rig_stat(rig, "fetched_bytes"), sectors == 6 ? 64 : 128);
        rig_close(rig);
    }
}

static void failed_access_may_bypass(void)
{
    struct stub *stub;
    struct rig *rig = open_with("allocation", &stub);

    stub->on_fail = LOOM_FAIL_BYPASS;
    rig_access(rig, 10, LOOM_MEM_LOAD, 0);
    rig_access(rig, 11, LOOM_MEM_LOAD, 4);
    rig_access(rig, 12, LOOM_MEM_LOAD, 8);
    rig_start(rig);
    rig_run(rig);
    EXPECT_LOG(rig, "amAamAabfrfrr");
    EXPECT_EQ(stub->fails, 1);
    EXPECT_EQ(rig_item(rig, "reservation_fails", LOOM_FAIL_LINE), 0);
    EXPECT_EQ(rig_stat(rig, "bypasses"), 1);
    rig_close(rig);
}

static void candidates_restrict_the_victim(void)
{
    struct stub *stub;
    struct rig *rig = open_with("candidates", &stub);

    stub->keep = 1; /* way 0 only */
    rig_access(rig, 10, LOOM_MEM_LOAD, 0);
    rig_access(rig, 10, LOOM_MEM_LOAD, 4);
    rig_access(rig, 10, LOOM_MEM_LOAD, 4);
    rig->source->serial = true;
    rig_start(rig);
    rig_run(rig);
    EXPECT_LOG(rig, "amAframEAfrahr");
    EXPECT_EQ(rig->watch->last[LOOM_EVENT_ALLOCATE].way, 0);
    EXPECT_EQ(stub->restricts, 2);
    rig_close(rig);
}

static void no_candidate_may_bypass_or_mean_any(void)
{
    struct stub *stub;
    struct rig *rig = open_with("candidates", &stub);

    stub->keep = 0;
    stub->empty = LOOM_EMPTY_BYPASS;
    rig_access(rig, 10, LOOM_MEM_LOAD, 0);
    rig_start(rig);
    rig_run(rig);
    EXPECT_LOG(rig, "abr");
    EXPECT_EQ(stub->empties, 1);
    EXPECT_EQ(rig->memory->seen[0].bypassed_by, 1);
    rig_close(rig);

    rig = open_with("candidates", &stub);
    stub->keep = 0;
    stub->empty = LOOM_EMPTY_ANY;
    rig_access(rig, 10, LOOM_MEM_LOAD, 0);
    rig_start(rig);
    rig_run(rig);
    EXPECT_LOG(rig, "amAfr");
    rig_close(rig);
}

/* The ways are asked about before the MSHRs, all of which are in use. */
static void no_candidate_bypasses_although_mshrs_are_in_use(void)
{
    struct stub *stub;
    struct rig *rig = open_with("candidates", &stub);

    rig_set(rig, "mshr_entries", 1);
    stub->closed = 1;
    stub->empty = LOOM_EMPTY_BYPASS;
    rig_access(rig, 10, LOOM_MEM_LOAD, 0);
    rig_access(rig, 11, LOOM_MEM_LOAD, 1);
    rig_start(rig);
    rig_run(rig);
    EXPECT_LOG(rig, "amAabfrr");
    EXPECT_EQ(stub->empties, 1);
    EXPECT_EQ(rig_item(rig, "reservation_fails", LOOM_FAIL_MSHR), 0);
    rig_close(rig);
}

static void no_candidate_may_stall(void)
{
    struct stub *stub;
    struct rig *rig = open_with("candidates", &stub);
    uint32_t complaints = 0;

    stub->keep = 0;
    stub->empty = LOOM_EMPTY_STALL;
    rig_access(rig, 10, LOOM_MEM_LOAD, 0);
    rig_start(rig);
    loom_machine_run(rig->machine, LOOM_NEVER, LOOM_NEVER, &rig->err);
    EXPECT_LOG(rig, "R");
    /* it waits for ever, and the laws say so */
    loom_machine_check(rig->machine, rig_complain, &complaints);
    EXPECT(complaints != 0);
    rig_close(rig);
}

static void gated_line_misses_and_was_written_back(void)
{
    struct stub *stub;
    struct rig *rig = open_with("power", &stub);

    rig_text(rig, "write_policy", "write_back");
    rig_text(rig, "write_miss", "validate");
    rig_text(rig, "power_start", "gated");
    stub->power_event = LOOM_EVENT_HIT;
    stub->power = LOOM_LINE_GATED;
    rig_access(rig, 10, LOOM_MEM_STORE, 0); /* on at 12 */
    rig_access(rig, 20, LOOM_MEM_LOAD, 0);  /* hit at 22, then gated */
    rig_access(rig, 30, LOOM_MEM_LOAD, 0);  /* tag there, data not */
    rig_access(rig, 50, LOOM_MEM_LOAD, 0);  /* hit at 52, then gated */
    rig_start(rig);
    rig_run(rig);
    EXPECT_LOG(rig, "amArahramAfrahr");
    EXPECT_EQ(rig->memory->seen[0].kind, LOOM_MEM_WRITEBACK);
    EXPECT_EQ(rig->memory->seen_at[0], 23);
    EXPECT_EQ(rig->watch->last[LOOM_EVENT_MISS].way, 1);
    EXPECT_EQ(rig->watch->last[LOOM_EVENT_ALLOCATE].way, 1);
    EXPECT_EQ(rig_stat(rig, "line_on_cycles"), (22 - 12) + (52 - 32));
    rig_close(rig);
}

static void drowsy_line_wakes_slowly(void)
{
    struct stub *stub;
    struct rig *rig = open_with("power", &stub);

    rig_set(rig, "wake_cycles", 3);
    stub->power_event = LOOM_EVENT_FILL;
    stub->power = LOOM_LINE_DROWSY;
    rig_access(rig, 10, LOOM_MEM_LOAD, 0);
    rig_access(rig, 40, LOOM_MEM_LOAD, 0);
    rig_access(rig, 50, LOOM_MEM_LOAD, 0);
    rig_start(rig);
    rig_run(rig);
    EXPECT_EQ(rig->source->replied_at[1], 43 + 3);
    EXPECT_EQ(rig->source->replied_at[2], 53);
    rig_close(rig);
}

static void query_is_answered_with_bits(void)
{
    struct stub *stub;
    struct rig *rig = open_with("allocation", &stub);

    stub->answer = 7;
    rig_access(rig, 10, LOOM_MEM_QUERY, 0);
    rig_start(rig);
    rig_run(rig);
    EXPECT_LOG(rig, "qr");
    EXPECT_EQ(rig->source->reply[0].message.reply_bits, 7);
    EXPECT_EQ(rig_stat(rig, "queries"), 1);
    EXPECT_EQ(rig_stat(rig, "accesses"), 0);
    rig_close(rig);
}

/* Asks below at the first miss it sees. */
static void ask_below(struct loom_policy *self, const struct loom_event *event)
{
    struct stub *stub = loom_policy_state(self);
    struct loom_mem_request query = {.block = 0x1000, .policy_bits = 5};

    (void)event;
    for (uint32_t i = 0; i < 9; i++) {
        bool sent = stub->host->query(stub->host->cache, &query);

        EXPECT_EQ(sent, i < 8);
    }
}

static const struct loom_observe_ops ask_ops = {.events = LOOM_EVENT(MISS),
                                                .observe = ask_below};
static const struct loom_facet ask_facets[] = {
    {&loom_cache_observe_hook, &ask_ops},
    {&loom_admit_hook, &admit_ops},
};
static const struct loom_policy_type ask_policy = {
    .name = "ask",
    .doc = "Sends queries",
    .state_size = sizeof(struct stub),
    .facets = LOOM_SLICE(ask_facets),
};

static void policy_may_ask_below(void)
{
    struct rig *rig = rig_open();
    struct loom_policy *policy;

    rig_alone(rig); /* the stub asks and answers for one cache */
    rig_attach(rig, "replacement", &lru_policy);
    rig_attach(rig, "set_index", &linear_index_policy);
    policy = loom_machine_add_policy(rig->machine, &ask_policy,
                                     "sm[0].l1d.policy.ask", &rig->err);
    REQUIRE(loom_machine_attach(rig->cache, "observe", policy, &rig->err));
    REQUIRE(loom_machine_attach(rig->cache, "admit", policy, &rig->err));
    rig_access(rig, 10, LOOM_MEM_LOAD, 0);
    rig_start(rig);
    rig_run(rig);
    EXPECT_EQ(rig->memory->count, 9);
    EXPECT_EQ(rig->memory->seen[1].kind, LOOM_MEM_QUERY);
    EXPECT_EQ(rig->memory->seen[1].policy_bits, 5);
    EXPECT_EQ(rig->watch->count[LOOM_EVENT_ANSWER], 8);
    EXPECT_EQ(rig_stat(rig, "answers"), 8);
    EXPECT_EQ(rig->source->replies, 1);
    rig_close(rig);
}

/* ---- what is refused ---- */

static void note(void *context, const char *path, const struct loom_error *err)
{
    (void)path;
    *(struct loom_error *)context = *err;
}

static void expect_refused(struct rig *rig, const char *text)
{
    struct loom_error err = {0};

    EXPECT(!loom_machine_freeze(rig->machine, note, &err));
    EXPECT_TEXT(err.text, text);
    rig_close(rig);
}

static void impossible_shapes_are_refused(void)
{
    struct stub *stub;
    struct rig *rig = open_with("power", &stub);

    rig_set(rig, "miss_queue", 1); /* gating needs room for a write-back */
    expect_refused(rig, "miss_queue");
    rig = open_with("admit", &stub);
    rig_set(rig, "size_bytes", 1000);
    expect_refused(rig, "size_bytes");
    rig = open_with("admit", &stub);
    rig_set(rig, "sector_bytes", 16);
    expect_refused(rig, "sector_bytes");
    rig = open_with("admit", &stub);
    rig_set(rig, "mshr_entries", 65536);
    rig_set(rig, "mshr_merges", 65536);
    expect_refused(rig, "mshr_entries");
}

static const struct loom_test tests[] = {
    {"admitted_bypass_fetches_the_size_it_says",
     admitted_bypass_fetches_the_size_it_says},
    {"bypass_may_merge_in_mshrs", bypass_may_merge_in_mshrs},
    {"lookup_verdict_is_no_bypass", lookup_verdict_is_no_bypass},
    {"unallocated_miss_leaves_no_line", unallocated_miss_leaves_no_line},
    {"unallocated_miss_fetches_what_the_verdict_says",
     unallocated_miss_fetches_what_the_verdict_says},
    {"unallocated_miss_fetches_all_its_sectors_and_no_more",
     unallocated_miss_fetches_all_its_sectors_and_no_more},
    {"failed_access_may_bypass", failed_access_may_bypass},
    {"candidates_restrict_the_victim", candidates_restrict_the_victim},
    {"no_candidate_may_bypass_or_mean_any",
     no_candidate_may_bypass_or_mean_any},
    {"no_candidate_bypasses_although_mshrs_are_in_use",
     no_candidate_bypasses_although_mshrs_are_in_use},
    {"no_candidate_may_stall", no_candidate_may_stall},
    {"gated_line_misses_and_was_written_back",
     gated_line_misses_and_was_written_back},
    {"drowsy_line_wakes_slowly", drowsy_line_wakes_slowly},
    {"query_is_answered_with_bits", query_is_answered_with_bits},
    {"policy_may_ask_below", policy_may_ask_below},
    {"impossible_shapes_are_refused", impossible_shapes_are_refused},
};

int main(void)
{
    return loom_run_tests("cache_hooks", tests, LOOM_COUNTOF(tests));
}
