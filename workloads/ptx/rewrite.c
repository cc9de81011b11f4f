/*
 * Rewritten versions of a module: transforms are asked on a copy, which is
 * analysed like any other module and kept.
 *
 * The copy is made by parsing the text once more: it is exact, keeps line
 * numbers, and needs no code that copies every kind of thing a module holds.
 * Variables keep the addresses they have in the original; those that a
 * transform adds are allocated when the version is made.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policies/transform_hook.h"
#include "workloads/ptx/parse/parse.h"
#include "workloads/ptx/program_private.h"

static bool same_dim3(struct loom_dim3 a, struct loom_dim3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool same_facts(const struct loom_machine_facts *a,
                       const struct loom_machine_facts *b)
{
    return a->sms == b->sms && a->warps_per_sm == b->warps_per_sm &&
           a->registers_per_sm == b->registers_per_sm &&
           a->ctas_per_sm == b->ctas_per_sm &&
           a->shared_bytes_per_sm == b->shared_bytes_per_sm &&
           memcmp(&a->grain, &b->grain, sizeof(a->grain)) == 0 &&
           a->resident_ctas == b->resident_ctas;
}

static bool all_near(const struct loom_memory *memory)
{
    uint32_t count = loom_memory_count(memory);
    struct loom_allocation last;

    if (count == 0) {
        return true;
    }
    last = loom_memory_get(memory, count - 1);
    return last.base + last.bytes - LOOM_MEMORY_BASE <=
           (UINT64_C(1) << 32) - LOOM_MEMORY_ALIGN;
}

static bool is_for(const struct ptx_version *v,
                   const struct loom_launch_spec *spec, bool near)
{
    if (v->near != near || strcmp(v->kernel, spec->kernel) != 0 ||
        !same_dim3(v->grid, spec->grid) || !same_dim3(v->block, spec->block) ||
        !same_facts(&v->facts, &spec->facts) ||
        v->policy_count != spec->transforms.count ||
        v->dynamic_shared_bytes != spec->dynamic_shared_bytes) {
        return false;
    }
    for (uint32_t i = 0; i < v->policy_count; i++) {
        if (v->policy[i] != spec->transforms.item[i].policy) {
            return false;
        }
    }
    return true;
}

static struct loom_program *start(const struct loom_program *parent,
                                  const struct loom_launch_spec *spec)
{
    struct loom_program *p = calloc(1, sizeof(*p));
    uint32_t count = spec->transforms.count;

    if (p == NULL) {
        return NULL;
    }
    p->name = strdup(parent->name);
    p->memory = parent->memory;
    p->scheduled = parent->scheduled;
    p->version.kernel = strdup(spec->kernel);
    p->version.grid = spec->grid;
    p->version.block = spec->block;
    p->version.facts = spec->facts;
    p->version.dynamic_shared_bytes = spec->dynamic_shared_bytes;
    p->version.near = all_near(parent->memory);
    p->version.policy = calloc(count, sizeof(struct loom_policy *));
    if (p->name == NULL || p->version.kernel == NULL ||
        p->version.policy == NULL) {
        ptx_program_free(p);
        return NULL;
    }
    p->version.policy_count = count;
    for (uint32_t i = 0; i < count; i++) {
        p->version.policy[i] = spec->transforms.item[i].policy;
    }
    return p;
}

/* Of a program's text, what is not supported refuses the functions that have
 * it; a transform has no business to add such. */
static bool adds_nothing_refused(const struct loom_ptx_module *before,
                                 const struct loom_ptx_module *after,
                                 const char *name, struct loom_error *err)
{
    for (uint32_t i = 0; i < after->function_count; i++) {
        const struct loom_ptx_function *f = after->function[i];
        const struct loom_ptx_function *old =
            loom_ptx_function_find(before, f->name);

        if (f->refused != NULL && (old == NULL || old->refused == NULL)) {
            return loom_fail(err, LOOM_ERR_INPUT, "%.100s:%u: %s", name,
                             f->refused_line, f->refused);
        }
    }
    return true;
}

/* Text instead of the module; it is kept. */
static bool take_text(struct loom_program *p, char *text, const char *who,
                      struct loom_error *err)
{
    struct loom_ptx_module *module;
    size_t room = strlen(p->name) + strlen(who) + sizeof(" after ");
    char *name = malloc(room);
    bool ok;

    free(p->text);
    p->text = text;
    p->text_bytes = strlen(text);
    if (name == NULL) {
        return loom_fail(err, LOOM_ERR_MEMORY, "no host memory for '%s'",
                         p->name);
    }
    snprintf(name, room, "%s after %s", p->name, who);
    ok = ptx_parse(name, text, p->text_bytes, &module, err);
    if (ok && !adds_nothing_refused(p->module, module, name, err)) {
        loom_ptx_module_destroy(module);
        ok = false;
    }
    free(name);
    if (ok) {
        loom_ptx_module_destroy(p->module);
        p->module = module;
    }
    return ok;
}

/* One question.  A failure names its own place. */
static bool ask_one(struct loom_program *p, const struct loom_launch_spec *spec,
                    const struct loom_bound *transform, uint32_t registers,
                    bool *again, struct loom_error *err)
{
    const struct loom_transform_ops *ops = transform->ops;
    struct ptx_kernel kernel = {0};
    struct loom_rewrite work = {
        .module = p->module,
        .kernel = loom_ptx_function_find(p->module, spec->kernel),
        .info = &kernel.info,
        .grid = spec->grid,
        .block = spec->block,
        .dynamic_shared_bytes = spec->dynamic_shared_bytes,
        .facts = &spec->facts,
        .near = p->version.near,
        .registers = registers};
    bool ok = ptx_kernel_make(&kernel, work.kernel, p->scheduled, err);

    if (ok && !ops->rewrite(transform->policy, &work, err)) {
        ok = loom_fail_at(err, loom_policy_path(transform->policy));
    }
    ptx_kernel_free(&kernel);
    if (!ok) {
        free(work.text);
        return false;
    }
    *again = work.again;
    if (work.text != NULL) {
        return take_text(p, work.text, loom_policy_path(transform->policy),
                         err);
    }
    if (work.changed) {
        free(p->text); /* says no longer what the module says */
        p->text = NULL;
    }
    return true;
}

/* What the module says, as text of its own. */
static char *text_of(const struct loom_program *p,
                     const struct loom_program *parent, bool first)
{
    if (p->text != NULL) {
        return strdup(p->text);
    }
    return first ? strdup(parent->text) : loom_ptx_print(p->module);
}

static bool count_registers(const struct loom_program *p,
                            const struct loom_launch_spec *spec,
                            uint32_t *registers, struct loom_error *err)
{
    struct ptx_kernel kernel = {0};
    const struct loom_ptx_function *f =
        loom_ptx_function_find(p->module, spec->kernel);
    bool ok = f == NULL || ptx_kernel_make(&kernel, f, p->scheduled, err);

    *registers = spec->registers != 0 ? spec->registers : kernel.info.registers;
    ptx_kernel_free(&kernel);
    return ok;
}

/* A policy that wants to know the registers of what it makes is asked twice,
 * from the same text. */
static bool ask_until_known(struct loom_program *p,
                            const struct loom_program *parent,
                            const struct loom_launch_spec *spec, uint32_t i,
                            struct loom_error *err)
{
    const struct loom_bound *transform = &spec->transforms.item[i];
    char *before = text_of(p, parent, i == 0);
    uint32_t registers = 0;
    bool again = false, ok;

    if (before == NULL) {
        return loom_fail(err, LOOM_ERR_MEMORY, "no host memory for '%s'",
                         p->name);
    }
    ok = ask_one(p, spec, transform, 0, &again, err);
    again = ok && again;
    if (again) {
        ok = count_registers(p, spec, &registers, err);
    }
    if (!again || !ok) {
        free(before);
        return ok;
    }
    return take_text(p, before, loom_policy_path(transform->policy), err) &&
           ask_one(p, spec, transform, registers, &again, err);
}

/* Asks all transforms in order. */
static bool ask(struct loom_program *p, const struct loom_program *parent,
                const struct loom_launch_spec *spec, struct loom_error *err)
{
    const struct loom_ptx_function *f =
        loom_ptx_function_find(p->module, spec->kernel);
    uint32_t param_bytes = f->param_bytes, params = f->param_count;

    for (uint32_t i = 0; i < spec->transforms.count; i++) {
        struct loom_policy *policy = spec->transforms.item[i].policy;

        if (!ask_until_known(p, parent, spec, i, err)) {
            return false;
        }
        f = loom_ptx_function_find(p->module, spec->kernel);
        if (f == NULL || !f->entry || f->declared) {
            return loom_fail(err, LOOM_ERR_WORKLOAD, "'%s' left no kernel '%s'",
                             loom_policy_path(policy), spec->kernel);
        }
        if (f->param_bytes != param_bytes || f->param_count != params) {
            return loom_fail(err, LOOM_ERR_WORKLOAD,
                             "'%s' changed the parameters of kernel '%s', "
                             "which the launch has laid out",
                             loom_policy_path(policy), spec->kernel);
        }
    }
    return true;
}

static bool parent_address(const struct loom_program *parent, const char *name,
                           loom_addr *address)
{
    for (uint32_t i = 0; i < parent->module->var_count; i++) {
        if (strcmp(parent->module->var[i]->name, name) == 0) {
            *address = parent->address[i];
            return true;
        }
    }
    return false;
}

static bool place(struct loom_program *p, const struct loom_program *parent,
                  struct loom_error *err)
{
    const struct loom_ptx_module *m = p->module;

    p->address = calloc(m->var_count + 1u, sizeof(*p->address));
    if (p->address == NULL) {
        return loom_fail(err, LOOM_ERR_MEMORY, "no host memory for '%s'",
                         p->name);
    }
    for (uint32_t i = 0; i < m->var_count; i++) {
        const struct loom_ptx_var *var = m->var[i];

        if (!parent_address(parent, var->name, &p->address[i]) &&
            var->space == LOOM_PTX_GLOBAL && var->bytes != 0 &&
            !(loom_memory_alloc(p->memory, var->bytes, var->name,
                                &p->address[i], err) &&
              (var->init == NULL ||
               loom_memory_write(p->memory, p->address[i], var->init,
                                 var->bytes, err)))) {
            return false;
        }
    }
    return true;
}

bool ptx_rewritten(struct loom_program *program,
                   const struct loom_launch_spec *spec,
                   struct loom_program **version, struct loom_error *err)
{
    struct loom_program *p;
    bool near = all_near(program->memory);

    *version = program;
    if (spec->transforms.count == 0) {
        return true;
    }
    for (p = program->next; p != NULL; p = p->next) {
        if (is_for(&p->version, spec, near)) {
            *version = p;
            return true;
        }
    }
    p = start(program, spec);
    if (p == NULL) {
        return loom_fail(err, LOOM_ERR_MEMORY,
                         "no host memory to rewrite kernel '%s'", spec->kernel);
    }
    if (!ptx_parse(program->name, program->text, program->text_bytes,
                   &p->module, err) ||
        !ask(p, program, spec, err) || !place(p, program, err) ||
        !ptx_program_kernels(p, err)) {
        ptx_program_free(p);
        return false;
    }
    p->next = program->next;
    program->next = p;
    *version = p;
    return true;
}
