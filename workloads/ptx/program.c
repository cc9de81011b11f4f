/*
 * A program's kernels: analysed and described; and its end.
 */
#include <stdlib.h>

#include "workloads/ptx/decode/decode.h"
#include "workloads/ptx/program_private.h"

static bool describe_params(struct ptx_kernel *kernel,
                            const struct loom_ptx_function *f,
                            struct loom_error *err)
{
    kernel->param = calloc(f->param_count + 1u, sizeof(*kernel->param));
    if (kernel->param == NULL) {
        return loom_fail(err, LOOM_ERR_MEMORY, "no host memory for kernel '%s'",
                         f->name);
    }
    for (uint32_t i = 0; i < f->param_count; i++) {
        const struct loom_ptx_var *var = f->param[i];

        kernel->param[i] = (struct loom_kernel_param){
            .name = var->name,
            .bytes = (uint32_t)var->bytes,
            .align = var->align,
            .offset = (uint32_t)var->offset,
            .pointer = var->pointer || kernel->analysis->pointer[i],
            .real = loom_ptx_type_real((enum loom_ptx_type)var->type),
        };
    }
    return true;
}

static uint32_t max_threads(const struct loom_ptx_function *f)
{
    const uint32_t *n = f->reqntid[0] != 0 ? f->reqntid : f->maxntid;
    uint32_t threads = n[0];

    for (uint32_t i = 1; i < 3; i++) {
        threads *= n[i] != 0 ? n[i] : 1;
    }
    return threads;
}

bool ptx_kernel_make(struct ptx_kernel *kernel,
                     const struct loom_ptx_function *f, bool scheduled,
                     struct loom_error *err)
{
    const struct ptx_analysis *a;

    if (!ptx_analyse(f, scheduled, &kernel->analysis, err)) {
        return false;
    }
    a = kernel->analysis;
    kernel->info = (struct loom_kernel_info){
        .name = f->name,
        .param_count = f->param_count,
        .param_bytes = f->param_bytes,
        .registers = a->registers,
        .shared_bytes = a->shared_bytes,
        .local_bytes = a->local_bytes,
        .max_threads = max_threads(f),
        .reads_time = a->reads_time,
        .cluster = {f->reqnctapercluster[0], f->reqnctapercluster[1],
                    f->reqnctapercluster[2]},
        .max_cluster = f->maxclusterrank,
        .inst = a->inst,
        .inst_count = a->inst_count,
        .order = a->schedule != NULL ? a->schedule->order : NULL,
        .times = a->schedule != NULL ? a->schedule->times : NULL,
        .loop = a->loop,
        .loop_count = a->loop_count,
        .text = a->text,
    };
    if (!describe_params(kernel, f, err)) {
        return false;
    }
    kernel->info.param = kernel->param;
    return true;
}

void ptx_kernel_free(struct ptx_kernel *kernel)
{
    ptx_code_free(kernel->code);
    ptx_analysis_destroy(kernel->analysis);
    free(kernel->param);
}

bool ptx_program_kernels(struct loom_program *program, struct loom_error *err)
{
    const struct loom_ptx_module *m = program->module;

    program->kernel = calloc(m->function_count + 1u, sizeof(*program->kernel));
    if (program->kernel == NULL) {
        return loom_fail(err, LOOM_ERR_MEMORY, "no host memory for '%s'",
                         program->name);
    }
    for (uint32_t i = 0; i < m->function_count; i++) {
        const struct loom_ptx_function *f = m->function[i];

        if (f->entry && !f->declared &&
            !ptx_kernel_make(&program->kernel[program->kernel_count++], f,
                             program->scheduled, err)) {
            return false;
        }
    }
    return true;
}

static void free_one(struct loom_program *program)
{
    for (uint32_t i = 0; i < program->kernel_count; i++) {
        ptx_kernel_free(&program->kernel[i]);
    }
    free(program->kernel);
    free(program->address);
    loom_ptx_module_destroy(program->module);
    loom_pool_destroy(program->pool);
    free(program->version.kernel);
    free(program->version.policy);
    free((char *)(uintptr_t)program->note.text);
    free(program->text);
    free(program->name);
    free(program);
}

void ptx_program_free(struct loom_program *program)
{
    while (program != NULL) {
        struct loom_program *next = program->next;

        free_one(program);
        program = next;
    }
}
