/*
 * Fuzzing sl1: whatever kernel it is given, what it makes of it is accepted,
 * ends, and leaves the same bytes in memory.
 *
 * A launch is one thread, so that nothing races and the order of accesses to
 * memory is the program's.  Its pointers are 1 KiB apart in one buffer, so
 * that changed programs run from one structure into another; sl1 is not told
 * that they do not overlap.  Only kernels that end by themselves within the
 * budget are compared.  Not compared are those that ask for the time or for
 * the size of shared memory, which are others in a rewritten kernel.
 *
 *     transform_fuzz MUTATIONS SEED FILE...
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/digest.h"
#include "engine/machine.h"

#include "policies/transform_hook.h"
#include "workloads/ptx/program_private.h"

#define BUDGET 3000u /* warp instructions of the original */
#define MORE 300u    /* times as many of the rewritten kernel */
#define BUFFER 65536u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const struct loom_workload_type ptx_workload;
extern const struct loom_policy_type sl1_policy;

/* ---- a host that is a place for the transform ---- */

static bool host_init(struct loom_component *self, struct loom_error *err)
{
    (void)self;
    (void)err;
    return true;
}

static loom_cycle host_tick(struct loom_component *self, loom_cycle now)
{
    (void)self;
    (void)now;
    return LOOM_NEVER;
}

static const struct loom_slot_decl host_slots[] = {
    {"transform", "Under test", &loom_transform_hook, NULL},
};
static const struct loom_component_ops host_ops = {.init = host_init,
                                                   .tick = host_tick};
static const struct loom_component_type host_type = {
    .name = "host",
    .doc = "A place for transforms",
    .slots = LOOM_SLICE(host_slots),
    .ops = &host_ops,
};

static void note(void *context, const char *path, const struct loom_error *err)
{
    (void)context;
    fprintf(stderr, "%s: %s\n", path, err->text);
}

/* How sl1 is set depends on a hash of the text. */
static struct loom_machine *host_with_sl1(uint32_t how,
                                          struct loom_component **host)
{
    static const char *const caches[] = {"all", "worth", "all", "none"};
    struct loom_machine *machine = loom_machine_create(1);
    uint32_t clock = loom_machine_clock(machine, 1000000000);
    struct loom_error err = {.kind = LOOM_ERR_NONE};
    struct loom_policy *policy;
    const union loom_value line = {.u = 8 + how % 3 * 8};
    const union loom_value threshold = {.u = 1 + (how >> 4) % 9};
    const union loom_value cache = {.s = caches[how >> 8 & 3]};
    const union loom_value leave = {.s = (how & 1024) != 0 ? "any" : "outer"};
    const union loom_value lines = {.u = (how >> 12) % 3};

    *host = loom_machine_add(machine, &host_type, "host", clock, &err);
    policy =
        loom_machine_add_policy(machine, &sl1_policy, "host.policy.sl1", &err);
    LOOM_CHECK(*host != NULL && policy != NULL &&
               loom_machine_attach(*host, "transform", policy, &err));
    LOOM_CHECK(loom_machine_set_policy(policy, "line", line, &err) &&
               loom_machine_set_policy(policy, "threshold", threshold, &err) &&
               loom_machine_set_policy(policy, "cache", cache, &err) &&
               loom_machine_set_policy(policy, "leave", leave, &err) &&
               loom_machine_set_policy(policy, "lines", lines, &err));
    LOOM_CHECK(loom_machine_freeze(machine, note, NULL));
    return machine;
}

/* ---- launches ---- */

/* Runs the one CTA; false, with *err, if it did not come to its end. */
static bool run(struct loom_program *program,
                const struct loom_launch_spec *spec, uint32_t budget,
                struct loom_error *err)
{
    struct loom_cta_stream *stream;
    struct loom_kernel *kernel;
    bool ok;

    if (!ptx_workload.launch(program, spec, &kernel, err)) {
        return false;
    }
    ((struct exec_launch *)kernel->source)->budget = budget;
    ok = kernel->source->ops->produce(kernel->source, 0, &stream, err);
    if (ok) {
        kernel->source->ops->release(kernel->source, stream);
    }
    ptx_workload.retire(program, kernel);
    return ok;
}

static unsigned char *params_of(const struct loom_kernel_info *info,
                                loom_addr buffer)
{
    unsigned char *params = calloc(info->param_bytes + 8u, 1);

    LOOM_CHECK(params != NULL);
    for (uint32_t i = 0; i < info->param_count; i++) {
        const struct loom_kernel_param *p = &info->param[i];
        uint64_t value = p->pointer ? buffer + 1024 * (i % 32) : 3 + i;

        memcpy(params + p->offset, &value, p->bytes < 8 ? p->bytes : 8);
    }
    return params;
}

static bool write_noise(struct loom_memory *memory, loom_addr buffer,
                        struct loom_error *err)
{
    static const char noise[] = "words of 3 or 4, and more:\n0012 ab\"c\n";
    unsigned char *bytes = malloc(BUFFER);
    bool ok;

    LOOM_CHECK(bytes != NULL);
    for (size_t i = 0; i < BUFFER; i++) {
        bytes[i] = (unsigned char)noise[i * 5 % (sizeof(noise) - 1)];
    }
    ok = loom_memory_write(memory, buffer, bytes, BUFFER, err);
    free(bytes);
    return ok;
}

struct outcome {
    bool ended;
    char digest[LOOM_DIGEST_TEXT]; /* of all memory */
    struct loom_error err;
};

/* Launches kernel `index` in memory of its own. */
static struct outcome launch(const uint8_t *data, size_t size, uint32_t index,
                             struct loom_binding transforms)
{
    struct outcome out = {.err = {.kind = LOOM_ERR_NONE}};
    struct loom_memory *memory = loom_memory_create(1 << 20);
    struct loom_program *program = NULL;
    struct loom_digest digest;
    loom_addr buffer = 0;

    LOOM_CHECK(memory != NULL &&
               loom_memory_alloc(memory, BUFFER, "buffer", &buffer, &out.err) &&
               write_noise(memory, buffer, &out.err));
    if (ptx_workload.open(
            memory,
            &(struct loom_program_text){
                .name = "fuzz", .text = (const char *)data, .bytes = size},
            &program, &out.err)) {
        const struct loom_kernel_info *info =
            ptx_workload.kernel(program, index);
        unsigned char *params = params_of(info, buffer);
        const struct loom_launch_spec spec = {
            .kernel = info->name,
            .grid = {1, 1, 1},
            .block = {1, 1, 1},
            .pool_bytes = 1 << 16,
            .params = params,
            .param_bytes = info->param_bytes,
            .transforms = transforms,
        };

        out.ended =
            run(program, &spec, transforms.count != 0 ? BUDGET * MORE : BUDGET,
                &out.err);
        free(params);
        ptx_workload.close(program);
    }
    loom_digest_init(&digest);
    loom_memory_digest(memory, &digest);
    loom_digest_text(&digest, out.digest);
    loom_memory_destroy(memory);
    return out;
}

static bool has(const uint8_t *data, size_t size, const char *word)
{
    size_t length = strlen(word);

    for (size_t i = 0; i + length <= size; i++) {
        if (memcmp(data + i, word, length) == 0) {
            return true;
        }
    }
    return false;
}

static void compare(const uint8_t *data, size_t size, uint32_t index,
                    struct loom_component *host)
{
    const struct loom_binding none = {NULL, 0};
    struct outcome plain = launch(data, size, index, none);
    struct outcome other;

    if (!plain.ended) {
        return;
    }
    other = launch(data, size, index, loom_slot(host, "transform"));
    if (!other.ended &&
        strstr(other.err.text, "addresses of 32 bits") == NULL &&
        strstr(other.err.text, "rewritten by sl1 already") == NULL) {
        fprintf(stderr, "kernel %u of\n%.*s\nsl1 is at a loss: %s\n", index,
                (int)size, (const char *)data, other.err.text);
        abort();
    }
    if (other.ended && strcmp(other.digest, plain.digest) != 0) {
        fprintf(stderr, "kernel %u of\n%.*s\nleaves other bytes with sl1\n",
                index, (int)size, (const char *)data);
        abort();
    }
}

/* How many kernels the text has, 0 if it is no program. */
static uint32_t kernels_of(const uint8_t *data, size_t size)
{
    struct loom_memory *memory = loom_memory_create(1 << 20);
    struct loom_program *program = NULL;
    struct loom_error err = {.kind = LOOM_ERR_NONE};
    uint32_t count = 0;

    LOOM_CHECK(memory != NULL);
    if (ptx_workload.open(
            memory,
            &(struct loom_program_text){
                .name = "fuzz", .text = (const char *)data, .bytes = size},
            &program, &err)) {
        count = ptx_workload.kernel_count(program);
        ptx_workload.close(program);
    }
    loom_memory_destroy(memory);
    return count < 4 ? count : 4;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint32_t how = 2166136261u, kernels;
    struct loom_component *host;
    struct loom_machine *machine;

    for (size_t i = 0; i < size; i++) {
        how = (how ^ data[i]) * 16777619u;
    }
    if (has(data, size, "clock") || has(data, size, "smem_size") ||
        has(data, size, "globaltimer")) {
        return 0;
    }
    kernels = kernels_of(data, size);
    machine = host_with_sl1(how >> 3, &host);
    for (uint32_t i = 0; i < kernels; i++) {
        compare(data, size, i, host);
    }
    loom_machine_destroy(machine);
    return 0;
}

#ifdef LOOM_FUZZ_MAIN

#include "tests/fuzz/mutate.h"

int main(int argc, char **argv)
{
    return fuzz_files("transform_fuzz", argc, argv);
}

#endif
