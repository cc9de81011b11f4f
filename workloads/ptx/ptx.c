/*
 * The PTX front end as a workload: opens a module, offers its kernels and
 * launches them.
 *
 * A program owns the parsed module, one analysis per kernel and the places
 * of its module-scope variables in device memory, which stay allocated when
 * it is closed: their contents are results.  A kernel is decoded at its first
 * launch; what comes out is never written again, and programs that launch a
 * small kernel a thousand times (bfs) do it once.
 */
#include <stdlib.h>
#include <string.h>

#include "workloads/ptx/decode/decode.h"
#include "workloads/ptx/parse/parse.h"
#include "workloads/ptx/program_private.h"

static bool in_memory(const struct loom_ptx_var *var)
{
    return (var->space == LOOM_PTX_GLOBAL || var->space == LOOM_PTX_CONST) &&
           var->bytes != 0 && (var->linkage & LOOM_PTX_EXTERN) == 0;
}

/* Addresses inside initialisers; all variables have theirs now. */
static bool relocate(struct loom_program *program, uint32_t number,
                     struct loom_error *err)
{
    const struct loom_ptx_var *var = program->module->var[number];
    uint32_t bytes = loom_ptx_type_bytes((enum loom_ptx_type)var->type);

    for (uint32_t i = 0; i < var->reloc_count; i++) {
        const struct loom_ptx_reloc *r = &var->reloc[i];
        loom_addr at = 0;

        if (r->function != NULL) {
            at = ptx_function_address(r->function);
        } else if (!ptx_variable_at(program->module, program->address, r->var,
                                    &at)) {
            return loom_fail(err, LOOM_ERR_WORKLOAD,
                             "%s: the initialiser of '%s' holds the address "
                             "of something that has none here",
                             program->name, var->name);
        }
        at += (uint64_t)r->addend;
        if (r->mask != 0) {
            at = (at & r->mask) >> loom_lowest(r->mask);
        }
        if (!loom_memory_write(program->memory,
                               program->address[number] + r->offset, &at, bytes,
                               err)) {
            return false;
        }
    }
    return true;
}

static loom_addr placed_at(const struct loom_program_text *source,
                           const char *name)
{
    for (uint32_t i = 0; i < source->placed_count; i++) {
        if (strcmp(source->placed[i].name, name) == 0) {
            return source->placed[i].address;
        }
    }
    return 0;
}

static bool place_variables(struct loom_program *program,
                            const struct loom_program_text *source,
                            struct loom_error *err)
{
    const struct loom_ptx_module *m = program->module;

    program->address = calloc(m->var_count + 1u, sizeof(*program->address));
    if (program->address == NULL) {
        return loom_fail(err, LOOM_ERR_MEMORY, "no host memory for '%s'",
                         program->name);
    }
    for (uint32_t i = 0; i < m->var_count; i++) {
        const struct loom_ptx_var *var = m->var[i];

        if (!in_memory(var)) {
            continue;
        }
        program->address[i] = placed_at(source, var->name);
        if (program->address[i] != 0) {
            continue;
        }
        if (!loom_memory_alloc(program->memory, var->bytes, var->name,
                               &program->address[i], err) ||
            (var->init != NULL &&
             !loom_memory_write(program->memory, program->address[i], var->init,
                                var->bytes, err))) {
            return false;
        }
    }
    for (uint32_t i = 0; i < m->var_count; i++) {
        if (!in_memory(m->var[i]) || placed_at(source, m->var[i]->name) != 0) {
            continue;
        }
        if (!relocate(program, i, err)) {
            return false;
        }
        /* What has no initialiser is zero by PTX. */
        loom_memory_mark(program->memory, program->address[i],
                         m->var[i]->bytes);
        if (m->var[i]->space == LOOM_PTX_CONST) {
            loom_memory_protect(program->memory, program->address[i]);
        }
    }
    return true;
}

static bool keep_text(struct loom_program *program,
                      const struct loom_program_text *source)
{
    program->name = strdup(source->name);
    program->text = malloc(source->bytes + 1);
    program->pool = loom_pool_create(LOOM_POOL_BYTES);
    if (program->name == NULL || program->text == NULL ||
        program->pool == NULL) {
        return false;
    }
    memcpy(program->text, source->text, source->bytes);
    program->text[source->bytes] = '\0';
    program->text_bytes = source->bytes;
    return true;
}

static bool ptx_open(struct loom_memory *memory,
                     const struct loom_program_text *source,
                     struct loom_program **result, struct loom_error *err)
{
    struct loom_program *program = calloc(1, sizeof(*program));

    *result = NULL;
    if (program == NULL || !keep_text(program, source)) {
        ptx_program_free(program);
        return loom_fail(err, LOOM_ERR_MEMORY, "no host memory for '%s'",
                         source->name);
    }
    program->memory = memory;
    program->scheduled = source->scheduled;
    if (!ptx_parse(program->name, program->text, program->text_bytes,
                   &program->module, err)) {
        ptx_program_free(program);
        return false;
    }
    if (program->module->address_bits != 64) {
        ptx_program_free(program);
        return loom_fail(err, LOOM_ERR_INPUT,
                         "%s: .address_size is not 64, which is all that is "
                         "supported",
                         source->name);
    }
    if (!place_variables(program, source, err) ||
        !ptx_program_kernels(program, err)) {
        ptx_program_free(program);
        return false;
    }
    *result = program;
    return true;
}

static uint32_t ptx_kernel_count(const struct loom_program *program)
{
    return program->kernel_count;
}

static const struct loom_kernel_info *
ptx_kernel(const struct loom_program *program, uint32_t number)
{
    LOOM_CHECK(number < program->kernel_count);
    return &program->kernel[number].info;
}

static bool ptx_symbol_find(const struct loom_program *program,
                            const char *name, loom_addr *base, uint64_t *bytes,
                            struct loom_error *err)
{
    const struct loom_ptx_module *m = program->module;

    for (uint32_t i = 0; i < m->var_count; i++) {
        if (program->address[i] != 0 && strcmp(m->var[i]->name, name) == 0) {
            *base = program->address[i];
            *bytes = m->var[i]->bytes;
            return true;
        }
    }
    return loom_fail(err, LOOM_ERR_WORKLOAD,
                     "'%s' has no global or constant variable '%s'",
                     program->name, name);
}

/* Of every compute capability from 2.0: threads of a CTA, bytes of a
 * thread's local memory; and more shared memory than any SM has. */
#define MAX_THREADS 1024
#define MAX_LOCAL (512u << 10)
#define MAX_SHARED (1u << 20)

/* Clusters divide the grid; at most 16 CTAs, as on compute capability 9.0
 * where a kernel asks for more than the portable 8. */
static bool check_cluster(const struct loom_kernel_info *info,
                          const struct loom_launch_spec *spec,
                          struct loom_error *err)
{
    struct loom_dim3 c = ptx_cluster_of(info, spec), grid = spec->grid;
    uint64_t most = info->max_cluster != 0 && info->max_cluster < EXEC_CLUSTER
                        ? info->max_cluster
                        : EXEC_CLUSTER;

    if (c.x > most || c.y > most || c.z > most || loom_dim3_count(c) > most) {
        return loom_fail(err, LOOM_ERR_WORKLOAD,
                         "kernel '%s': clusters of %u x %u x %u blocks, "
                         "expected 1..%llu blocks",
                         info->name, c.x, c.y, c.z, (unsigned long long)most);
    }
    if (grid.x % c.x != 0 || grid.y % c.y != 0 || grid.z % c.z != 0) {
        return loom_fail(err, LOOM_ERR_WORKLOAD,
                         "kernel '%s': a grid of %u x %u x %u blocks is not "
                         "made of clusters of %u x %u x %u",
                         info->name, grid.x, grid.y, grid.z, c.x, c.y, c.z);
    }
    if (spec->cluster.x != 0 && info->cluster.x != 0) {
        struct loom_launch_spec none = {.cluster = {0, 0, 0}};
        struct loom_dim3 own = ptx_cluster_of(info, &none);

        if (own.x != c.x || own.y != c.y || own.z != c.z) {
            return loom_fail(err, LOOM_ERR_WORKLOAD,
                             "kernel '%s' has clusters of %u x %u x %u blocks, "
                             "got %u x %u x %u",
                             info->name, own.x, own.y, own.z, c.x, c.y, c.z);
        }
    }
    return true;
}

static bool check_spec(const struct loom_kernel_info *info,
                       const struct loom_launch_spec *spec,
                       struct loom_error *err)
{
    uint64_t threads = loom_dim3_count(spec->block);
    uint32_t most = info->max_threads != 0 && info->max_threads < MAX_THREADS
                        ? info->max_threads
                        : MAX_THREADS;

    if (threads == 0 || threads > most) {
        return loom_fail(err, LOOM_ERR_WORKLOAD,
                         "kernel '%s': a block of %u x %u x %u threads, "
                         "expected 1..%u threads",
                         info->name, spec->block.x, spec->block.y,
                         spec->block.z, most);
    }
    /* Each factor is below 2^32, so two of them cannot overflow. */
    if (spec->grid.x == 0 || spec->grid.y == 0 || spec->grid.z == 0 ||
        (uint64_t)spec->grid.x * spec->grid.y > UINT32_MAX / spec->grid.z) {
        return loom_fail(err, LOOM_ERR_WORKLOAD,
                         "kernel '%s': a grid of %u x %u x %u blocks, expected "
                         "1..%u blocks",
                         info->name, spec->grid.x, spec->grid.y, spec->grid.z,
                         UINT32_MAX);
    }
    if (info->local_bytes > MAX_LOCAL || info->shared_bytes > MAX_SHARED ||
        spec->dynamic_shared_bytes > MAX_SHARED) {
        return loom_fail(err, LOOM_ERR_WORKLOAD,
                         "kernel '%s': %u bytes of local memory for each "
                         "thread and %u + %u of shared memory, expected at "
                         "most %u and %u",
                         info->name, info->local_bytes, info->shared_bytes,
                         spec->dynamic_shared_bytes, MAX_LOCAL, MAX_SHARED);
    }
    if (spec->param_bytes != info->param_bytes) {
        return loom_fail(err, LOOM_ERR_WORKLOAD,
                         "kernel '%s' has %u bytes of parameters, got %u",
                         info->name, info->param_bytes, spec->param_bytes);
    }
    return check_cluster(info, spec, err);
}

static struct ptx_kernel *find_kernel(struct loom_program *program,
                                      const char *name)
{
    for (uint32_t i = 0; i < program->kernel_count; i++) {
        if (strcmp(program->kernel[i].info.name, name) == 0) {
            return &program->kernel[i];
        }
    }
    return NULL;
}

/* A kernel that has, or calls a function that has, what is not supported. */
static bool refused(const struct loom_program *program,
                    const struct ptx_kernel *k, struct loom_error *err)
{
    for (uint32_t s = 0; s < k->analysis->section_count; s++) {
        const struct loom_ptx_function *f = k->analysis->section[s].function;

        if (f->refused == NULL) {
            continue;
        }
        if (s == 0) {
            loom_fail(err, LOOM_ERR_WORKLOAD,
                      "%.100s:%u: kernel '%.80s' is refused: %s", program->name,
                      f->refused_line, k->info.name, f->refused);
        } else {
            loom_fail(err, LOOM_ERR_WORKLOAD,
                      "%.100s:%u: kernel '%.80s' is refused: it calls '%.80s': "
                      "%s",
                      program->name, f->refused_line, k->info.name, f->name,
                      f->refused);
        }
        return true;
    }
    return false;
}

/* The decoded form of a kernel, which belongs to the program. */
static bool decoded(struct loom_program *program, struct ptx_kernel *k,
                    struct loom_error *err)
{
    struct exec_code *code = k->code;

    if (code != NULL) {
        return true;
    }
    if (refused(program, k, err)) {
        return false;
    }
    code = calloc(1, sizeof(*code));
    if (code == NULL) {
        return loom_fail(err, LOOM_ERR_MEMORY, "no host memory for a launch");
    }
    code->info = &k->info;
    code->file = program->name;
    code->analysis = k->analysis;
    code->function = k->analysis->function;
    code->module = program->module;
    code->address = program->address;
    code->tail = program->version.policy_count > 0;
    if (!ptx_decode(code, err)) {
        ptx_code_free(code);
        return false;
    }
    k->code = code;
    return true;
}

static bool ptx_ready(struct loom_program *program, uint32_t number,
                      struct loom_error *err)
{
    LOOM_CHECK(number < program->kernel_count);
    return decoded(program, &program->kernel[number], err);
}

/* The version of the program that such a launch is of. */
static bool find_version(struct loom_program *program,
                         const struct loom_launch_spec *spec,
                         struct loom_program **version, struct loom_error *err)
{
    const struct ptx_kernel *k = find_kernel(program, spec->kernel);

    if (k == NULL) {
        return loom_fail(err, LOOM_ERR_WORKLOAD, "'%s' has no kernel '%s'",
                         program->name, spec->kernel);
    }
    return !refused(program, k, err) && check_spec(&k->info, spec, err) &&
           ptx_rewritten(program, spec, version, err);
}

static bool ptx_launch(struct loom_program *program,
                       const struct loom_launch_spec *spec,
                       struct loom_kernel **kernel, struct loom_error *err)
{
    struct ptx_kernel *k;
    struct loom_program *version;
    struct exec_launch *launch;

    if (!find_version(program, spec, &version, err)) {
        return false;
    }
    k = find_kernel(version, spec->kernel);
    if (!decoded(version, k, err)) {
        return false;
    }
    loom_pool_limit(program->pool,
                    spec->pool_bytes != 0 ? spec->pool_bytes : LOOM_POOL_BYTES);
    if (spec->pool_folder != NULL && spec->pool_folder[0] != '\0' &&
        !loom_pool_folder(program->pool, spec->pool_folder)) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "the folder for temporary files has too long a name");
    }
    if (!ptx_launch_create(k->code, program, spec, &launch, err)) {
        return false;
    }
    *kernel = &launch->kernel;
    return true;
}

static bool ptx_rewritten_text(struct loom_program *program,
                               const struct loom_launch_spec *spec, char **text,
                               struct loom_error *err)
{
    struct loom_program *version;

    if (!find_version(program, spec, &version, err)) {
        return false;
    }
    *text = version->text != NULL ? strdup(version->text)
                                  : loom_ptx_print(version->module);
    return *text != NULL || loom_fail(err, LOOM_ERR_MEMORY,
                                      "no host memory for the text of "
                                      "'%s'",
                                      program->name);
}

static void ptx_retire(struct loom_program *program, struct loom_kernel *kernel)
{
    (void)program;
    ptx_launch_destroy((struct exec_launch *)kernel->source);
}

static uint32_t ptx_notes(const struct loom_program *program,
                          const struct loom_note **item)
{
    *item = &program->note;
    return program->note.text != NULL ? 1 : 0;
}

const struct loom_workload_type ptx_workload = {
    .name = "ptx",
    .doc = "PTX modules, executed functionally",
    .open = ptx_open,
    .close = ptx_program_free,
    .kernel_count = ptx_kernel_count,
    .kernel = ptx_kernel,
    .symbol = ptx_symbol_find,
    .ready = ptx_ready,
    .launch = ptx_launch,
    .retire = ptx_retire,
    .rewritten = ptx_rewritten_text,
    .notes = ptx_notes,
};
