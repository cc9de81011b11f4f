/*
 * Is a log of DRAM commands legal?  A program by itself: it shares nothing
 * with the simulator, neither code nor numbers.
 *
 *     dram_check RULES CONFIG GROUPS BANKS BUSES HALVES <log.csv
 *
 * RULES is a table (tests/validate/dram_rules.csv says its form) of which the
 * lines of CONFIG count.  The channel has GROUPS bank groups of BANKS banks
 * and HALVES pseudo channels, among which the groups are dealt like cards;
 * BUSES is 2 if row and column commands have a bus each.  A command of several
 * cycles (scope "length") stands at its first; distances are from last cycle to
 * last cycle.  The log's first line
 * names its columns, in any case and order: clk or clock, command, bankgroup,
 * bank, row, and others, which are not looked at.
 *
 * It prints the number of commands and of rules, and per rule the line of the
 * log where its least distance was found exactly (0: never).  Status 1 and a
 * message per kind of violation if a rule is broken, 2 if the input is no
 * log.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    RULES = 256,
    BANKS = 64,
    RING = 64,
    MOST_PARTS = 12
};

enum command {
    ACT,
    PRE,
    RD,
    WR,
    REF,
    REFB,
    PREA, /* all banks that are open */
    COMMANDS
};

enum scope {
    SAME_BANK,
    SAME_GROUP, /* another bank of the group */
    OTHER_GROUP,
    ANY,
    MOST_ANY, /* a greatest distance */
    MOST_SAME_BANK,
    OFTEN, /* at most so many as intervals are over, and `window` more */
    OFTEN_SAME_BANK,
    LENGTH, /* cycles of the first command on its bus */
    SCOPES
};

enum field {
    F_CLK,
    F_COMMAND,
    F_GROUP,
    F_BANK,
    F_ROW,
    FIELDS
};

static const char *const command_names[] = {"ACT", "PRE",  "RD",  "WR",
                                            "REF", "REFB", "PREA"};
static const char *const scope_names[] = {
    "same_bank", "same_bg_other_bank", "other_bg",
    "any",       "any_most",           "same_bank_most",
    "any_often", "same_bank_often",    "length"};

struct rule {
    enum command before, after;
    enum scope scope;
    int64_t window, cycles;
    uint64_t tight, broken;
    char formula[64];
};

struct channel {
    int groups, per_group, buses, halves;
    int64_t last[COMMANDS][BANKS]; /* -1: never */
    int64_t ring[COMMANDS][2][RING];
    uint64_t count[COMMANDS][2], bank_count[COMMANDS][BANKS];
    bool open[BANKS];
    int64_t row[BANKS];
    int64_t bus[2];         /* free again */
    enum command on_bus[2]; /* the last one there */
};

struct line {
    uint64_t number;
    int64_t clk, row;
    enum command command;
    int bank; /* of all, group by group */
};

static struct rule rules[RULES];
static struct rule *lengths[COMMANDS]; /* NULL: a cycle */
static int rule_count;
static uint64_t states_broken;

static int find(const char *const *names, int count, const char *name)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

/* Cuts a line at its commas. */
static int split(char *text, char *part[], int most)
{
    int count = 0;

    text[strcspn(text, "\r\n")] = '\0';
    while (count < most) {
        part[count++] = text;
        text = strchr(text, ',');
        if (text == NULL) {
            break;
        }
        *text++ = '\0';
    }
    return count;
}

static bool number(const char *text, int64_t *value)
{
    char *end;

    *value = strtoll(text, &end, 10);
    return end != text && *end == '\0';
}

/* One line of the table: config, command, next command, scope, which previous
 * one, cycles, formula.  False if it is a line of the config and wrong. */
static bool read_rule(char *text, const char *config)
{
    char *part[MOST_PARTS] = {NULL};
    int count = split(text, part, MOST_PARTS);
    struct rule *r = &rules[rule_count];
    int before, after, scope;

    if (strcmp(part[0], config) != 0) {
        return true;
    }
    if (count < 6 || rule_count == RULES) {
        return false;
    }
    before = find(command_names, COMMANDS, part[1]);
    after = find(command_names, COMMANDS, part[2]);
    scope = find(scope_names, SCOPES, part[3]);
    if (before < 0 || after < 0 || scope < 0 || !number(part[4], &r->window) ||
        !number(part[5], &r->cycles) || r->window >= RING ||
        r->window < (scope == OFTEN ? 0 : 1)) {
        return false;
    }
    r->before = (enum command)before;
    r->after = (enum command)after;
    r->scope = (enum scope)scope;
    strncpy(r->formula, count > 6 ? part[6] : "", sizeof(r->formula) - 1);
    if (scope == LENGTH) {
        lengths[before] = r;
    }
    rule_count += r->cycles > 0 ? 1 : 0; /* 0: the table's way to say none */
    return true;
}

static bool read_rules(const char *path, const char *config)
{
    FILE *file = fopen(path, "r");
    char text[512];
    bool good = file != NULL;

    while (good && fgets(text, sizeof(text), file) != NULL) {
        good = read_rule(text, config);
    }
    if (file != NULL) {
        fclose(file);
    }
    return good && rule_count != 0;
}

static int half_of(const struct channel *c, int bank)
{
    return bank / c->per_group % c->halves;
}

static int64_t length_of(enum command command)
{
    return lengths[command] != NULL ? lengths[command]->cycles : 1;
}

/* The last `before` in the rule's scope, as seen from a bank; -1: none. */
static int64_t last_of(const struct channel *c, const struct rule *r, int bank)
{
    int banks = c->groups * c->per_group;
    int half = half_of(c, bank);
    int64_t last = -1;

    if (r->scope == SAME_BANK || r->scope == MOST_SAME_BANK) {
        return c->last[r->before][bank];
    }
    if (r->scope == ANY || r->scope == MOST_ANY) {
        uint64_t n = c->count[r->before][half];

        return n < (uint64_t)r->window
                   ? -1
                   : c->ring[r->before][half][(n - (uint64_t)r->window) % RING];
    }
    for (int b = 0; b < banks; b++) {
        bool same = b / c->per_group == bank / c->per_group;

        if (b != bank && half_of(c, b) == half &&
            same == (r->scope == SAME_GROUP) && c->last[r->before][b] > last) {
            last = c->last[r->before][b];
        }
    }
    return last;
}

static void broken(struct rule *r, const struct line *l, int64_t distance)
{
    if (r->broken++ == 0) {
        printf("line %llu: %s %lld cycles after %s, rule %s %lld (%s)\n",
               (unsigned long long)l->number, command_names[l->command],
               (long long)distance, command_names[r->before],
               scope_names[r->scope], (long long)r->cycles, r->formula);
    }
}

/* Refreshes so far, this one included. */
static void check_often(const struct channel *c, struct rule *r,
                        const struct line *l)
{
    uint64_t count = r->scope == OFTEN ? c->count[l->command][0]
                                       : c->bank_count[l->command][l->bank];

    count++;
    if (((int64_t)count - r->window) * r->cycles > l->clk) {
        broken(r, l, l->clk / (int64_t)count);
    }
}

static void check_rule(const struct channel *c, struct rule *r,
                       const struct line *l)
{
    bool most = r->scope == MOST_ANY || r->scope == MOST_SAME_BANK;
    int64_t last = last_of(c, r, l->bank);
    int64_t distance;

    /* From the beginning, where there is none before. */
    last = last < 0 && most ? 0 : last;
    if (last < 0) {
        return;
    }
    distance = l->clk - last;
    distance += most ? 0 : length_of(l->command) - length_of(r->before);
    if (distance == r->cycles && r->tight == 0) {
        r->tight = l->number;
    }
    if (most ? distance > r->cycles : distance < r->cycles) {
        broken(r, l, distance);
    }
}

static void wrong(const struct line *l, const char *text)
{
    if (states_broken++ == 0) {
        printf("line %llu: %s of bank %d: %s\n", (unsigned long long)l->number,
               command_names[l->command], l->bank, text);
    }
}

static void check_bus(struct channel *c, const struct line *l)
{
    bool column = l->command == RD || l->command == WR;
    int which = c->buses == 2 && column ? 1 : 0;
    struct rule *length = lengths[c->on_bus[which]];

    if (l->clk == c->bus[which] && length != NULL && length->tight == 0) {
        length->tight = l->number;
    }
    if (l->clk < c->bus[which]) {
        wrong(l, "the command bus is in use, or time runs backwards");
    }
    c->bus[which] = l->clk + length_of(l->command);
    c->on_bus[which] = l->command;
}

static void check_state(struct channel *c, const struct line *l)
{
    switch (l->command) {
    case ACT:
        if (c->open[l->bank]) {
            wrong(l, "a row is open");
        }
        c->open[l->bank] = true;
        c->row[l->bank] = l->row;
        break;
    case PRE:
        if (!c->open[l->bank]) {
            wrong(l, "no row is open");
        }
        c->open[l->bank] = false;
        break;
    case RD:
    case WR:
        if (!c->open[l->bank] || c->row[l->bank] != l->row) {
            wrong(l, "the row is not open");
        }
        break;
    case REF:
        for (int b = 0; b < c->groups * c->per_group; b++) {
            if (c->open[b]) {
                wrong(l, "a row is open");
            }
        }
        break;
    case REFB:
        if (c->open[l->bank]) {
            wrong(l, "a row is open");
        }
        break;
    case PREA:
    case COMMANDS:
        break;
    }
}

static void note(struct channel *c, const struct line *l)
{
    for (int half = 0; half < c->halves; half++) {
        if (l->command == REF || half == half_of(c, l->bank)) {
            c->ring[l->command][half][c->count[l->command][half]++ % RING] =
                l->clk;
        }
    }
    c->last[l->command][l->bank] = l->clk;
    c->bank_count[l->command][l->bank]++;
}

static void check_rules(struct channel *c, const struct line *l)
{
    for (int i = 0; i < rule_count; i++) {
        if (rules[i].after != l->command || rules[i].scope == LENGTH) {
            continue;
        }
        if (rules[i].scope == OFTEN || rules[i].scope == OFTEN_SAME_BANK) {
            check_often(c, &rules[i], l);
        } else {
            check_rule(c, &rules[i], l);
        }
    }
    check_state(c, l);
}

/* One precharge for all open banks: each obeys the rules of its own. */
static void check_all_banks(struct channel *c, struct line l)
{
    int banks = c->groups * c->per_group;

    l.command = PRE;
    for (int pass = 0; pass < 2; pass++) {
        for (l.bank = 0; l.bank < banks; l.bank++) {
            if (pass == 0 && c->open[l.bank]) {
                check_rules(c, &l);
            } else if (pass == 1) {
                note(c, &l);
            }
        }
    }
}

static int command_of(char *name)
{
    static const char *const long_names[] = {
        "activate", "precharge", "read", "write", "refresh", "REFsb", "PREab"};
    static const char *const others[] = {"ACT",   "PREpb", "RD",    "WR",
                                         "REFab", "REFpb", "PREall"};
    int found = find(command_names, COMMANDS, name);

    found = found >= 0 ? found : find(long_names, COMMANDS, name);
    return found >= 0 ? found : find(others, COMMANDS, name);
}

/* Which column is which; false if one is missing. */
static bool read_header(char *text, int where[FIELDS])
{
    static const char *const names[] = {"clk", "command", "bankgroup", "bank",
                                        "row"};
    char *part[MOST_PARTS];
    int count = split(text, part, MOST_PARTS);

    for (int f = 0; f < FIELDS; f++) {
        where[f] = -1;
    }
    for (int i = 0; i < count; i++) {
        for (char *at = part[i]; *at != '\0'; at++) {
            *at = (char)tolower((unsigned char)*at);
        }
        if (strcmp(part[i], "clock") == 0) {
            where[F_CLK] = i;
        } else if (find(names, FIELDS, part[i]) >= 0) {
            where[find(names, FIELDS, part[i])] = i;
        }
    }
    for (int f = 0; f < FIELDS; f++) {
        if (where[f] < 0) {
            return false;
        }
    }
    return true;
}

static bool parse(const struct channel *c, char *text, const int where[FIELDS],
                  struct line *l)
{
    char *part[MOST_PARTS];
    int count = split(text, part, MOST_PARTS);
    int64_t group, bank;
    int command;

    for (int f = 0; f < FIELDS; f++) {
        if (where[f] >= count) {
            return false;
        }
    }
    command = command_of(part[where[F_COMMAND]]);
    if (command < 0 || !number(part[where[F_CLK]], &l->clk) ||
        !number(part[where[F_GROUP]], &group) ||
        !number(part[where[F_BANK]], &bank) ||
        !number(part[where[F_ROW]], &l->row)) {
        return false;
    }
    if (command == REF || command == PREA) {
        group = bank = 0;
    }
    l->command = (enum command)command;
    l->bank = (int)(group * c->per_group + bank);
    return group >= 0 && group < c->groups && bank >= 0 &&
           bank < c->per_group && l->clk >= 0;
}

static bool check_log(struct channel *c, uint64_t *commands)
{
    struct line l = {.number = 1};
    int where[FIELDS];
    char text[256];

    if (fgets(text, sizeof(text), stdin) == NULL || !read_header(text, where)) {
        fprintf(stderr, "the first line does not name the columns\n");
        return false;
    }
    while (fgets(text, sizeof(text), stdin) != NULL) {
        l.number++;
        if (!parse(c, text, where, &l)) {
            fprintf(stderr, "line %llu is no command\n",
                    (unsigned long long)l.number);
            return false;
        }
        check_bus(c, &l);
        if (l.command == PREA) {
            check_all_banks(c, l);
        } else {
            check_rules(c, &l);
            note(c, &l);
        }
        ++*commands;
    }
    return true;
}

static int report(uint64_t commands)
{
    uint64_t broken = states_broken;

    for (int i = 0; i < rule_count; i++) {
        const struct rule *r = &rules[i];

        broken += r->broken;
        printf("rule %s %s %s %lld %lld tight %llu broken %llu\n",
               command_names[r->before], command_names[r->after],
               scope_names[r->scope], (long long)r->window,
               (long long)r->cycles, (unsigned long long)r->tight,
               (unsigned long long)r->broken);
    }
    printf("%llu commands, %d rules, %llu violations\n",
           (unsigned long long)commands, rule_count,
           (unsigned long long)broken);
    return broken != 0 || commands == 0 ? 1 : 0;
}

static int small(const char *text)
{
    int64_t value;

    return number(text, &value) && value > 0 && value <= BANKS ? (int)value : 0;
}

int main(int argc, char **argv)
{
    static struct channel c;
    uint64_t commands = 0;

    if (argc != 7 || !read_rules(argv[1], argv[2])) {
        fprintf(stderr, "usage: dram_check RULES CONFIG GROUPS BANKS BUSES "
                        "HALVES <log.csv\n(or RULES has no CONFIG)\n");
        return 2;
    }
    c.groups = small(argv[3]);
    c.per_group = small(argv[4]);
    c.buses = small(argv[5]);
    c.halves = small(argv[6]);
    if (c.groups < 1 || c.per_group < 1 || c.groups * c.per_group > BANKS ||
        c.halves < 1 || c.halves > 2) {
        fprintf(stderr, "impossible shape\n");
        return 2;
    }
    memset(c.last, -1, sizeof(c.last));
    c.on_bus[0] = c.on_bus[1] = PRE;
    return check_log(&c, &commands) ? report(commands) : 2;
}
