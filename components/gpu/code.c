/*
 * Where the instructions of kernels are.  If there are more kernels than
 * places the oldest are forgotten; their code then gets new addresses.
 */
#include "components/gpu/gpu_private.h"

/* FNV-1a, never 0. */
static uint64_t hash_of(const char *name)
{
    uint64_t hash = UINT64_C(14695981039346656037);

    for (; *name != '\0'; name++) {
        hash = (hash ^ (unsigned char)*name) * UINT64_C(1099511628211);
    }
    return hash | 1;
}

static uint64_t highest_pc(const struct loom_kernel *kernel)
{
    uint32_t highest = 0;

    for (uint32_t i = 0; i < kernel->inst_count; i++) {
        highest = kernel->inst[i].pc > highest ? kernel->inst[i].pc : highest;
    }
    return highest;
}

/* Kernels follow each other without gaps, as in GPGPU-Sim: the last line of
 * one is the first of the next. */
static uint64_t code_bytes(const struct loom_kernel *kernel)
{
    uint32_t last = kernel->inst_count - 1;

    if (kernel->inst_count < 2 || kernel->inst[last].pc == 0) {
        return INST_BYTES;
    }
    if (kernel->inst[last].pc < kernel->inst[last - 1].pc) {
        return highest_pc(kernel) + INST_BYTES;
    }
    return 2 * (uint64_t)kernel->inst[last].pc - kernel->inst[last - 1].pc;
}

uint64_t gpu_code_of(struct gpu *gpu, const struct loom_kernel *kernel)
{
    uint64_t name = hash_of(kernel->name);
    struct gpu_code *code;

    for (uint32_t i = 0; i < GPU_CODES && gpu->code[i].name != 0; i++) {
        if (gpu->code[i].name == name) {
            return gpu->code[i].base;
        }
    }
    code = &gpu->code[gpu->codes++ % GPU_CODES];
    *code = (struct gpu_code){name, gpu->code_end};
    gpu->code_end += code_bytes(kernel);
    return code->base;
}
