/*
 * What is said of a kernel that has used its budget of warp instructions.
 *
 * Which of the loops around the instruction is the one that does not end is
 * found by going on for a little: it is the innermost one that the warp does
 * not leave meanwhile.  Loops of the functions that called count, too.
 */
#include <stdio.h>

#include "workloads/ptx/exec/call.h"
#include "workloads/ptx/exec/order.h"

#define STEPS 2048u   /* branches, memory operations */
#define LOOPS_MAX 64u /* that an instruction is in */

struct loops {
    uint16_t loop[LOOPS_MAX]; /* innermost first */
    uint32_t count;
};

static void add_loops(const struct exec_code *code, uint32_t index,
                      struct loops *in)
{
    uint16_t loop = index < code->function->inst_count ? code->inst[index].loop
                                                       : LOOM_NO_LOOP;

    while (loop != LOOM_NO_LOOP && in->count < LOOPS_MAX) {
        in->loop[in->count++] = loop;
        loop = code->info->loop[loop].parent;
    }
}

/* The loops that a warp is in. */
static struct loops loops_of(const struct exec_launch *launch,
                             const struct exec_warp *warp)
{
    struct loops in = {.count = 0};
    uint32_t calls = warp->calls != NULL ? warp->calls->depth : 0;

    add_loops(launch->code, warp->path[warp->depth - 1].pc, &in);
    for (uint32_t d = calls; d > 0; d--) {
        add_loops(launch->code, warp->calls->frame[d].call, &in);
    }
    return in;
}

static void keep_common(struct loops *in, const struct loops *now)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < in->count; i++) {
        bool found = false;

        for (uint32_t k = 0; k < now->count && !found; k++) {
            found = now->loop[k] == in->loop[i];
        }
        if (found) {
            in->loop[kept++] = in->loop[i];
        }
    }
    in->count = kept;
}

/* Whoever runs goes on one instruction at a time, without a limit, in silence.
 */
static void restart(struct exec_launch *launch)
{
    launch->budget = launch->look = UINT64_MAX;
    launch->print = NULL;
    launch->quantum = launch->lap = 1;
    launch->round = 0;
    for (uint32_t w = 0; w < launch->warps; w++) {
        launch->warp[w].clock = 0;
        launch->due[w] = launch->warp[w].state == EXEC_RUNS ? 0 : EXEC_NEVER;
    }
}

/* The loop that a warp stays in, or LOOM_NO_LOOP. */
static uint16_t find_loop(struct exec_launch *launch,
                          const struct exec_warp *warp)
{
    struct loops in = loops_of(launch, warp), now;
    struct loom_error *err = launch->err, ignored;

    restart(launch);
    launch->err = &ignored;
    for (uint32_t i = 0; i < STEPS && in.count != 0; i++) {
        if (launch->round == EXEC_NEVER || !ptx_run_round(launch) ||
            warp->state == EXEC_DONE) {
            break;
        }
        now = loops_of(launch, warp);
        keep_common(&in, &now);
    }
    launch->err = err;
    return in.count != 0 ? in.loop[0] : LOOM_NO_LOOP;
}

/* " in the loop of lines 6 to 12 (source line 3)", or "". */
static void tell_loop(const struct exec_code *code, uint16_t loop, char *text,
                      size_t room)
{
    uint32_t first, last, source;
    char of_source[40] = "";

    text[0] = '\0';
    if (loop == LOOM_NO_LOOP) {
        return;
    }
    first = last =
        code->function->inst[code->info->loop[loop].header].text_line;
    source = code->function->inst[code->info->loop[loop].header].line;
    for (uint32_t i = 0; i < code->function->inst_count; i++) {
        uint32_t line = code->function->inst[i].text_line;
        struct loops in = {.count = 0};

        add_loops(code, i, &in);
        for (uint32_t k = 0; k < in.count; k++) {
            last = in.loop[k] == loop && line > last ? line : last;
        }
    }
    if (source != 0) {
        snprintf(of_source, sizeof(of_source), " (source line %u)", source);
    }
    snprintf(text, room, " in the loop of lines %u to %u%s", first, last,
             of_source);
}

static void report_endless(struct exec_launch *launch,
                           const struct exec_warp *warp)
{
    const struct exec_launch *whole =
        (const struct exec_launch *)launch->kernel.source;
    const struct exec_op *op = warp->next;
    bool together = launch->kernel.interleave != 0;
    uint64_t budget = together ? whole->budget : launch->budget;
    char loop[112];

    tell_loop(launch->code, find_loop(launch, warp), loop, sizeof(loop));
    ptx_fault(launch, warp, op,
              "%llu warp instructions of %s, now%s: it is endless%s; if it "
              "is only long, raise its 'budget'",
              (unsigned long long)budget,
              together ? "the CTAs that take turns" : "this CTA",
              loop[0] != '\0' ? loop : " here",
              together || launch->timed
                  ? ""
                  : ", or waits for another CTA (cooperative = true)");
}

void ptx_tell_endless(struct exec_launch *launch)
{
    if (launch->endless != NULL) {
        report_endless(launch, launch->endless);
    }
}

bool ptx_go_round(struct exec_launch *launch)
{
    if (ptx_run_round(launch)) {
        return true;
    }
    ptx_tell_endless(launch);
    return false;
}
