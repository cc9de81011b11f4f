/*
 * What a program did wrong: which kernel, where in it, which thread.
 */
#include <stdarg.h>
#include <stdio.h>

#include "workloads/ptx/exec/access.h"

/* "kernel 'k', pc 0x18 (line 12 of the source, k.ptx:40: ld...)". */
void ptx_place(const struct exec_launch *launch, const struct exec_op *op,
               char *text, size_t room)
{
    const struct exec_code *code = launch->code;
    const struct loom_ptx_inst *inst;
    char name[96], source[48] = "", in[64] = "";
    uint32_t section;

    if (op->index >= code->function->inst_count) {
        snprintf(text, room, "kernel '%.80s', at its end",
                 code->function->name);
        return;
    }
    inst = &code->function->inst[op->index];
    section = ptx_section_at(code->analysis, op->index);
    if (section != 0) {
        snprintf(in, sizeof(in), "in '%.48s', ",
                 code->analysis->section[section].function->name);
    }
    if (inst->line != 0) {
        snprintf(source, sizeof(source), "source line %u, ", inst->line);
    }
    loom_ptx_print_inst(code->function, inst, name, sizeof(name));
    snprintf(text, room, "kernel '%.64s', %spc 0x%x (%s%.64s:%u: '%s')",
             code->function->name, in, code->inst[op->index].pc, source,
             code->file, inst->text_line, name);
}

bool ptx_fault(const struct exec_launch *launch, const struct exec_warp *warp,
               const struct exec_op *op, const char *fmt, ...)
{
    char where[448], what[320];
    va_list args;

    ptx_place(launch, op, where, sizeof(where));
    va_start(args, fmt);
    vsnprintf(what, sizeof(what), fmt, args);
    va_end(args);
    return loom_fail(launch->err, LOOM_ERR_WORKLOAD, "%s, CTA %u, warp %u: %s",
                     where, launch->cta, warp->number, what);
}

#define NULL_PAGE 65536 /* bytes: fields of a structure at a null pointer */

static const char *const space_name[] = {"global", "shared", "local",
                                         "parameter"};

static uint32_t thread_of(const struct exec_warp *warp, uint32_t lane)
{
    return warp->number * LOOM_WARP_LANES + lane;
}

/* Of accesses that hardware would let be. */
static const char *hint_at(const struct exec_launch *launch, loom_addr at,
                           uint32_t bytes)
{
    return loom_memory_beyond(launch->memory, at, bytes)
               ? " (a card would not notice, nor does a run with "
                 "out_of_bounds = \"zero\")"
               : "";
}

bool ptx_fault_address(const struct exec_launch *launch,
                       const struct exec_warp *warp, const struct exec_op *op,
                       const struct exec_access *access, uint32_t lane)
{
    unsigned long long at = access->address[lane];
    unsigned thread = thread_of(warp, lane);
    struct loom_allocation near;
    unsigned long long size;

    if (access->space == EXEC_GLOBAL) {
        const char *why = at < NULL_PAGE ? " (a null pointer?)" : "";

        if (loom_memory_freed(launch->memory, at, &near)) {
            return ptx_fault(launch, warp, op,
                             "thread %u: %u bytes at 0x%llx are in '%.48s', "
                             "%llu bytes at 0x%llx, which was freed",
                             thread, access->bytes, at, near.name,
                             (unsigned long long)near.bytes,
                             (unsigned long long)near.base);
        }
        if (!loom_memory_nearest(launch->memory, at, &near)) {
            return ptx_fault(launch, warp, op,
                             "thread %u: %u bytes at 0x%llx are outside "
                             "device memory, where nothing is allocated%s",
                             thread, access->bytes, at, why);
        }
        if (near.read_only && at - near.base < near.bytes &&
            access->bytes <= near.bytes - (at - near.base)) {
            return ptx_fault(launch, warp, op,
                             "thread %u: %u bytes at 0x%llx are in '%.48s', "
                             "which is constant memory and cannot be written",
                             thread, access->bytes, at, near.name);
        }
        return ptx_fault(launch, warp, op,
                         "thread %u: %u bytes at 0x%llx are outside every "
                         "allocation%s; the nearest is '%.48s', %llu bytes "
                         "at 0x%llx%s",
                         thread, access->bytes, at, why, near.name,
                         (unsigned long long)near.bytes,
                         (unsigned long long)near.base,
                         hint_at(launch, at, access->bytes));
    }
    if (access->space == EXEC_SHARED && at >> EXEC_RANK_AT != 0 &&
        at >> (EXEC_RANK_AT + 8) == 0) {
        return ptx_fault(launch, warp, op,
                         "thread %u: %u bytes at 0x%llx in the shared memory "
                         "of the CTA of rank %llu are outside its %u bytes, or "
                         "it has ended, or is not one of the cluster's %u",
                         thread, access->bytes, at & EXEC_RANK_MASK,
                         (at >> EXEC_RANK_AT) - 1, launch->kernel.shared_bytes,
                         launch->group->ctas);
    }
    size = access->space == EXEC_SHARED  ? launch->kernel.shared_bytes
           : access->space == EXEC_LOCAL ? launch->code->local_bytes
                                         : launch->param_bytes;
    return ptx_fault(launch, warp, op,
                     "thread %u: %u bytes at 0x%llx are outside the %llu "
                     "bytes of %s memory",
                     thread, access->bytes, at, size,
                     space_name[access->space]);
}

bool ptx_fault_alignment(const struct exec_launch *launch,
                         const struct exec_warp *warp, const struct exec_op *op,
                         const struct exec_access *access)
{
    uint32_t lane = 0;

    while ((access->address[lane] & (access->bytes - 1)) == 0) {
        lane++;
    }
    return ptx_fault(launch, warp, op,
                     "thread %u: address 0x%llx in %s memory is not a "
                     "multiple of the access's %u bytes",
                     thread_of(warp, lane),
                     (unsigned long long)access->address[lane],
                     space_name[access->space], access->bytes);
}
