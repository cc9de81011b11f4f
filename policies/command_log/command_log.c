/*
 * command_log: writes every command of a DRAM channel to a file, one line
 * each:
 *
 *     clk,command,bankgroup,bank,row,col
 *     17,RD,0,3,4711,12
 *
 * Commands are ACT, PRE, RD, WR, REF, REFB and PREA; `bank` is the number in
 * its group; what a command does not have is -1.  A '%' in the file's name
 * stands for the number of the channel.  The file is written when 4096 commands
 * are there, and when statistics are read.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "policies/dram_hook.h"

enum {
    LINES = 4096
};

struct log_config {
    const char *file;
};

struct log_stats {
    uint64_t commands;
};

struct log {
    struct loom_command_event *line; /* [LINES] */
    uint32_t count;
    uint32_t groups, per_group;
    bool low_groups, begun, failed;
    char path[1024];
};

static void expand(struct log *log, const char *file, uint32_t channel)
{
    size_t used = 0;
    bool replaced = false;

    for (; *file != '\0' && used + 16 < sizeof(log->path); file++) {
        if (*file == '%' && !replaced) {
            replaced = true;
            used += (size_t)snprintf(log->path + used, 16, "%u", channel);
        } else {
            log->path[used++] = *file;
        }
    }
    log->path[used] = '\0';
}

static bool log_bind(struct loom_policy *self,
                     const struct loom_commands_shape *shape,
                     struct loom_error *err)
{
    const struct log_config *config = loom_policy_config(self);
    struct log *log = loom_policy_state(self);
    FILE *file;

    log->groups = shape->groups;
    log->per_group = shape->banks / shape->groups;
    log->low_groups = shape->low_groups;
    log->line = loom_policy_alloc(self, LINES, sizeof(*log->line));
    if (!loom_policy_has_memory(self, err)) {
        return false;
    }
    expand(log, config->file, shape->channel);
    file = fopen(log->path, "a"); /* `check` must not empty it */
    if (file == NULL) {
        return loom_fail(err, LOOM_ERR_CONFIG, "parameter 'file': %s: %s",
                         log->path, strerror(errno));
    }
    fclose(file);
    return true;
}

static void print(const struct log *log, const struct loom_command_event *line,
                  FILE *file)
{
    static const char *const names[] = {"ACT", "PRE",  "RD",  "WR",
                                        "REF", "REFB", "PREA"};
    char text[128];
    bool all =
        line->command == LOOM_DRAM_REF || line->command == LOOM_DRAM_PREA;
    bool column =
        line->command == LOOM_DRAM_RD || line->command == LOOM_DRAM_WR;
    bool row = column || line->command == LOOM_DRAM_ACT;
    uint32_t group = log->low_groups ? line->bank % log->groups
                                     : line->bank / log->per_group;
    uint32_t bank = log->low_groups ? line->bank / log->groups
                                    : line->bank % log->per_group;

    snprintf(text, sizeof(text), "%llu,%s,%lld,%lld,%lld,%lld\n",
             (unsigned long long)line->now, names[line->command],
             all ? -1LL : (long long)group, all ? -1LL : (long long)bank,
             row ? (long long)line->row : -1LL,
             column ? (long long)line->column : -1LL);
    fputs(text, file);
}

static void flush(struct log *log)
{
    FILE *file;

    if (log->failed || (log->begun && log->count == 0)) {
        return;
    }
    file = fopen(log->path, log->begun ? "a" : "w");
    if (file == NULL) {
        log->failed = true;
        return;
    }
    if (!log->begun) {
        fputs("clk,command,bankgroup,bank,row,col\n", file);
    }
    for (uint32_t i = 0; i < log->count; i++) {
        print(log, &log->line[i], file);
    }
    log->begun = true;
    log->count = 0;
    log->failed = ferror(file) != 0;
    log->failed = fclose(file) != 0 || log->failed;
}

static void log_issued(struct loom_policy *self,
                       const struct loom_command_event *event)
{
    struct log *log = loom_policy_state(self);
    struct log_stats *stats = loom_policy_stats(self);

    if (log->failed) {
        return;
    }
    stats->commands++;
    log->line[log->count++] = *event;
    if (log->count == LINES) {
        flush(log);
    }
}

static void log_settle(struct loom_policy *self, loom_cycle now)
{
    (void)now;
    flush(loom_policy_state(self));
}

static bool log_check(struct loom_policy *self, struct loom_error *err)
{
    const struct log *log = loom_policy_state(self);

    if (!log->failed) {
        return true;
    }
    return loom_fail(err, LOOM_ERR_LAW, "the file '%s' is not complete",
                     log->path);
}

static const struct loom_param log_params[] = {
    LOOM_PARAM(struct log_config, file, .def = {.s = "commands-%.csv"},
               .doc = "File to write; '%' is the number of the channel"),
};

static const struct loom_stat log_stat_table[] = {
    LOOM_COUNTER(struct log_stats, commands, LOOM_UNIT_EVENT,
                 "Commands written"),
};

static const struct loom_commands_ops log_ops = {
    .bind = log_bind,
    .issued = log_issued,
};

const struct loom_policy_type command_log_policy = {
    .name = "command_log",
    .doc = "Writes the commands of a DRAM channel to a file",
    .state_size = sizeof(struct log),
    .config_size = sizeof(struct log_config),
    .stats_size = sizeof(struct log_stats),
    .params = LOOM_SLICE(log_params),
    .stats = LOOM_SLICE(log_stat_table),
    .facets = LOOM_FACETS({&loom_commands_hook, &log_ops}),
    .settle = log_settle,
    .check = log_check,
    .cost = loom_cost_none,
};
