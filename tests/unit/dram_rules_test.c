/*
 * Every command of a DRAM channel under random traffic, against a table of
 * rules that is written down here a second time, independently: command
 * pairs, scope, and least distance in cycles.  A rule must also be tight, as
 * far as the traffic can show it: a channel that is too slow is wrong too.
 *
 * The commands are seen by a policy that watches the command bus.
 * links: component_dram policy_frfcfs policy_fcfs policy_linear_map
 */
#include "tests/unit/dram_rig.h"

enum {
    LOG_MAX = 100000,
    BANKS = 16,
    GROUPS = 4
};

enum command {
    ACT,
    PRE,
    RD,
    WR,
    COMMANDS
};

struct logged {
    loom_cycle at;
    uint32_t command, bank, row;
};

struct spy {
    struct logged *log; /* [LOG_MAX] */
    uint32_t count;
};

static bool spy_bind(struct loom_policy *self,
                     const struct loom_commands_shape *shape,
                     struct loom_error *err)
{
    struct spy *spy = loom_policy_state(self);

    (void)shape;
    (void)err;
    spy->log = loom_policy_alloc(self, LOG_MAX, sizeof(*spy->log));
    return spy->log != NULL;
}

static void spy_issued(struct loom_policy *self,
                       const struct loom_command_event *event)
{
    static const enum command command[] = {
        [LOOM_DRAM_ACT] = ACT,
        [LOOM_DRAM_PRE] = PRE,
        [LOOM_DRAM_RD] = RD,
        [LOOM_DRAM_WR] = WR,
    };
    struct spy *spy = loom_policy_state(self);
    struct logged *l = &spy->log[spy->count];

    LOOM_CHECK(spy->count++ < LOG_MAX && event->command <= LOOM_DRAM_WR);
    l->at = event->now;
    l->bank = event->bank;
    l->row = event->row;
    l->command = command[event->command];
}

static const struct loom_commands_ops spy_ops = {
    .bind = spy_bind,
    .issued = spy_issued,
};
static const struct loom_facet spy_facets[] = {
    {&loom_commands_hook, &spy_ops},
};
static const struct loom_policy_type spy_policy = {
    .name = "spy",
    .doc = "Keeps all commands",
    .state_size = sizeof(struct spy),
    .facets = LOOM_SLICE(spy_facets),
};

/* ---- rules ---- */

enum scope {
    BANK,    /* the same bank */
    GROUP,   /* another bank of the same group */
    CHANNEL, /* any bank */
    WINDOW   /* any bank, the nth previous one */
};

struct rule {
    enum command before, after;
    enum scope scope;
    uint32_t cycles, nth;
    bool tight; /* the minimum must occur */
};

/* GTX480: CL 12, WL 4, B 2. */
static const struct rule gtx480[] = {
    {RD, RD, BANK, 3, 1, true},     /* tCCDL */
    {RD, RD, GROUP, 3, 1, true},    /* tCCDL */
    {RD, RD, CHANNEL, 2, 1, true},  /* tCCD */
    {WR, WR, GROUP, 3, 1, true},    /* tCCDL */
    {WR, WR, CHANNEL, 2, 1, true},  /* tCCD */
    {RD, WR, CHANNEL, 12, 1, true}, /* CL + B + 2 - WL */
    {WR, RD, CHANNEL, 11, 1, true}, /* WL + B + 5 */
    {RD, PRE, BANK, 2, 1, true},    /* B */
    {RD, PRE, GROUP, 2, 1, true},   /* tRTPL */
    {WR, PRE, BANK, 18, 1, true},   /* WL + B + 12 */
    {ACT, ACT, BANK, 40, 1, false}, /* tRC */
    {ACT, RD, BANK, 12, 1, true},   /* tRCD */
    {ACT, WR, BANK, 7, 1, true},    /* tRCD - (WL + 1) */
    {ACT, PRE, BANK, 28, 1, true},  /* tRAS */
    {PRE, ACT, BANK, 12, 1, true},  /* tRP */
    {ACT, ACT, CHANNEL, 6, 1, true} /* tRRD */
};

/* GDDR5 8 Gb at 6 GT/s as DRAMsim3 has it: CL 24, WL 7, B 2, WTR 10, WR 24,
 * RTP 5, RCDWR 20, RRD 10, FAW 40, 32AW 360. */
static const struct rule gddr5[] = {
    {RD, RD, GROUP, 3, 1, true},      {RD, RD, CHANNEL, 2, 1, true},
    {RD, WR, CHANNEL, 21, 1, true},   {WR, RD, CHANNEL, 19, 1, true},
    {RD, PRE, BANK, 5, 1, true},      {WR, PRE, BANK, 33, 1, true},
    {ACT, RD, BANK, 24, 1, true},     {ACT, WR, BANK, 20, 1, true},
    {ACT, PRE, BANK, 56, 1, true},    {PRE, ACT, BANK, 24, 1, true},
    {ACT, ACT, CHANNEL, 10, 1, true}, {ACT, ACT, WINDOW, 40, 4, true},
    {ACT, ACT, WINDOW, 360, 32, true}};

/* HBM2-like: two command buses, B 1, CCD 1/2, RRD 4/6, WTR 6/8, CL 14, WL 4,
 * RCD 14, RTP 5, WR 16, FAW 30. */
static const struct rule hbm2[] = {
    {RD, RD, GROUP, 2, 1, true},    {RD, RD, CHANNEL, 1, 1, true},
    {RD, WR, CHANNEL, 13, 1, true}, {WR, RD, CHANNEL, 11, 1, true},
    {WR, RD, GROUP, 13, 1, true},   {RD, PRE, BANK, 5, 1, true},
    {WR, PRE, BANK, 21, 1, true},   {ACT, RD, BANK, 14, 1, true},
    {ACT, WR, BANK, 14, 1, true},   {ACT, PRE, BANK, 34, 1, true},
    {PRE, ACT, BANK, 14, 1, true},  {ACT, ACT, CHANNEL, 4, 1, true},
    {ACT, ACT, GROUP, 6, 1, true},  {ACT, ACT, WINDOW, 30, 4, true}};

static bool in_scope(enum scope scope, uint32_t a, uint32_t b)
{
    switch (scope) {
    case BANK:
        return a == b;
    case GROUP:
        return a != b && a / (BANKS / GROUPS) == b / (BANKS / GROUPS);
    case CHANNEL:
    case WINDOW:
        break;
    }
    return true;
}

static void check_rule(const struct spy *spy, const struct rule *rule)
{
    uint64_t least = UINT64_MAX;
    uint32_t worst = 0;

    for (uint32_t i = 0; i < spy->count; i++) {
        const struct logged *after = &spy->log[i];
        uint32_t left = rule->nth;

        if (after->command != rule->after) {
            continue;
        }
        for (uint32_t k = i; k-- > 0 && spy->log[k].at + 500 > after->at;) {
            const struct logged *before = &spy->log[k];

            if (before->command != rule->before ||
                !in_scope(rule->scope, before->bank, after->bank) ||
                --left != 0) {
                continue;
            }
            if (after->at - before->at < least) {
                least = after->at - before->at;
                worst = i;
            }
            break;
        }
    }
    if (least < rule->cycles || (rule->tight && least != rule->cycles)) {
        printf("\ncommand %u: %u after %u, scope %u: %u cycles, rule %u\n",
               worst, rule->after, rule->before, rule->scope, (unsigned)least,
               rule->cycles);
    }
    EXPECT(least >= rule->cycles);
    EXPECT(!rule->tight || least == rule->cycles);
}

/* Rows are opened before use and closed before another; one command a cycle,
 * or one row and one column command. */
static void check_states(const struct spy *spy, bool dual)
{
    uint32_t row[BANKS];
    bool open[BANKS] = {false};
    uint32_t wrong = 0;

    for (uint32_t i = 0; i < spy->count; i++) {
        const struct logged *l = &spy->log[i];
        bool column = l->command == RD || l->command == WR;

        wrong += l->command == ACT && open[l->bank] ? 1 : 0;
        wrong += l->command != ACT && !open[l->bank] ? 1 : 0;
        wrong += column && row[l->bank] != l->row ? 1 : 0;
        if (l->command == ACT) {
            open[l->bank] = true;
            row[l->bank] = l->row;
        } else if (l->command == PRE) {
            open[l->bank] = false;
        }
        if (i != 0 && spy->log[i - 1].at == l->at) {
            const struct logged *b = &spy->log[i - 1];
            bool other = (b->command == RD || b->command == WR) != column;

            wrong += dual && other ? 0 : 1;
        }
    }
    EXPECT_EQ(wrong, 0);
}

/* The data bus carries one burst at a time. */
static void check_bus(const struct spy *spy, uint32_t cl, uint32_t wl,
                      uint32_t burst)
{
    loom_cycle free = 0;
    uint32_t wrong = 0;

    for (uint32_t i = 0; i < spy->count; i++) {
        const struct logged *l = &spy->log[i];

        if (l->command == RD || l->command == WR) {
            loom_cycle first = l->at + (l->command == RD ? cl : wl);

            wrong += first < free ? 1 : 0;
            free = first + burst;
        }
    }
    EXPECT_EQ(wrong, 0);
}

struct setting {
    const char *name;
    uint64_t value;
};

static struct dram_rig traffic(const struct setting *setting, bool dual,
                               uint64_t seed, const struct spy **spy)
{
    struct dram_rig rig = dram_rig_build(2, 4000, &frfcfs_policy);
    struct loom_policy *watcher =
        rig_policy(rig.dram, rig.machine, "commands", &spy_policy);

    for (; setting->name != NULL; setting++) {
        rig_set(rig.dram, setting->name, setting->value);
    }
    rig_flag(rig.dram, "dual_bus", dual);
    rig_set(rig.dram, "queue_entries", 32);
    dram_rig_random(&rig, 4000, seed);
    dram_rig_run(&rig);
    EXPECT_EQ(rig.list[0].got_count, 4000);
    EXPECT_EQ(rig.list[1].got_count, 4000);
    *spy = loom_policy_state(watcher);
    return rig;
}

static void gtx480_commands_are_legal_and_tight(void)
{
    static const struct setting none[] = {{NULL, 0}};

    const struct spy *spy;
    struct dram_rig rig = traffic(none, false, 3, &spy);

    for (size_t i = 0; i < LOOM_COUNTOF(gtx480); i++) {
        check_rule(spy, &gtx480[i]);
    }
    check_states(spy, false);
    check_bus(spy, 12, 4, 2);
    EXPECT_EQ(dram_rig_counter(&rig, "activates") +
                  dram_rig_counter(&rig, "precharges") +
                  dram_rig_counter(&rig, "columns"),
              spy->count);
    dram_rig_destroy(&rig);
}

static void gddr5_windows_are_legal_and_tight(void)
{
    static const struct setting settings[] = {
        {"cl", 24},   {"wl", 7},    {"trcd", 24},   {"trcdwr", 20}, {"trp", 24},
        {"tras", 56}, {"trc", 80},  {"tcdlr", 10},  {"twr", 24},    {"trtp", 5},
        {"trrd", 10}, {"tfaw", 40}, {"t32aw", 360}, {"trtpl", 0},   {NULL, 0}};
    const struct spy *spy;
    struct dram_rig rig = traffic(settings, false, 4, &spy);

    for (size_t i = 0; i < LOOM_COUNTOF(gddr5); i++) {
        check_rule(spy, &gddr5[i]);
    }
    check_states(spy, false);
    check_bus(spy, 24, 7, 2);
    dram_rig_destroy(&rig);
}

static void two_command_buses_are_legal_and_tight(void)
{
    static const struct setting settings[] = {
        {"cl", 14},    {"wl", 4},         {"trcd", 14},        {"trcdwr", 14},
        {"trp", 14},   {"tras", 34},      {"trc", 48},         {"tcdlr", 6},
        {"tcdlrl", 8}, {"twr", 16},       {"trtp", 5},         {"trrd", 4},
        {"trrdl", 6},  {"tccd", 1},       {"tccdl", 2},        {"tfaw", 30},
        {"trtpl", 0},  {"bus_bytes", 32}, {"burst_length", 2}, {"data_rate", 2},
        {NULL, 0}};
    const struct spy *spy;
    struct dram_rig rig = traffic(settings, true, 5, &spy);

    for (size_t i = 0; i < LOOM_COUNTOF(hbm2); i++) {
        check_rule(spy, &hbm2[i]);
    }
    check_states(spy, true);
    check_bus(spy, 14, 4, 1);
    dram_rig_destroy(&rig);
}

static const struct loom_test tests[] = {
    {"gtx480_commands_are_legal_and_tight",
     gtx480_commands_are_legal_and_tight},
    {"gddr5_windows_are_legal_and_tight", gddr5_windows_are_legal_and_tight},
    {"two_command_buses_are_legal_and_tight",
     two_command_buses_are_legal_and_tight},
};

int main(void)
{
    return loom_run_tests("dram_rules", tests, LOOM_COUNTOF(tests));
}
