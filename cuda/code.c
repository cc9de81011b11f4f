/*
 * Machine code beside PTX, and programs that have nothing else.
 */
#include "cuda/code.h"

#include <stdio.h>

#include "cuda/linked.h"
#include "cuda/runtime.h"

void loom_cuda_read_code(const void *data, uint32_t arch,
                         struct loom_cuda_code *code)
{
    static struct loom_fatbin fatbin; /* large */
    const struct loom_fatbin_entry *entry;
    struct loom_host_call call = {
        .name = "capability", .args = 1, .arg = {arch}};
    struct loom_error err;

    if (data == NULL || loom_cuda_pass(&call) != CUDA_OK ||
        !loom_fatbin_read(data, loom_cuda_readable(data), &fatbin, &err)) {
        return;
    }
    entry = loom_fatbin_machine_code(&fatbin, (uint32_t)call.result[0]);
    if (entry == NULL) {
        return;
    }
    if (!loom_fatbin_unpack(entry, &code->bytes, &code->size, &err)) {
        code->bytes = NULL;
        loom_cuda_tell("machine code for sm_%u cannot be read, so registers "
                       "are counted in PTX: %s",
                       entry->arch, err.text);
    }
    code->arch = entry->arch;
}

void loom_cuda_no_ptx(const struct loom_fatbin *fatbin, char *text, size_t room)
{
    char architectures[100];

    loom_fatbin_architectures(fatbin, architectures, sizeof(architectures));
    snprintf(text, room,
             "the program has machine code%s%s%s but no PTX, which is what "
             "can be simulated; build it with: nvcc -arch=compute_75",
             architectures[0] != '\0' ? " (" : "", architectures,
             architectures[0] != '\0' ? ")" : "");
}
