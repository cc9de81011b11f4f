/*
 * Looking up the kernels of a program by name.
 */
#include "workloads/program.h"

#include <string.h>

const struct loom_kernel_info *
loom_program_kernel(const struct loom_workload_type *type,
                    const struct loom_program *program, const char *name)
{
    uint32_t count = type->kernel_count(program);

    for (uint32_t i = 0; i < count; i++) {
        const struct loom_kernel_info *info = type->kernel(program, i);

        if (strcmp(info->name, name) == 0) {
            return info;
        }
    }
    return NULL;
}
