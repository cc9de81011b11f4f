/*
 * Parts that are built outside of the tree: a shared library with one symbol
 * that lists its policy and component types.
 *
 *     LOOM_PLUGIN(.policies = (const struct loom_policy_type *const[]){
 *                     &mine_policy, NULL});
 *
 * The library uses the functions and hooks of the program that loads it, and
 * links nothing of ours.  It must have been built with the headers of that
 * program: LOOM_PLUGIN_ABI grows whenever a header changes in a way that
 * matters to compiled code, and the sizes of the structs that both sides know
 * catch what was forgotten.
 */
#ifndef ENGINE_PLUGIN_H
#define ENGINE_PLUGIN_H

#include "engine/component.h"

#define LOOM_PLUGIN_ABI 17
#define LOOM_PLUGIN_SYMBOL "loom_plugin"
#define LOOM_PLUGIN_MAGIC UINT64_C(0x6c6f6f6d706c7567) /* "loomplug" */

struct loom_plugin {
    uint64_t magic;
    uint32_t abi;
    uint32_t policy_size, component_size, param_size, stat_size, message_max;
    const struct loom_policy_type *const *policies;      /* ends with NULL */
    const struct loom_component_type *const *components; /* ends with NULL */
};

#define LOOM_PLUGIN(...)                                                       \
    extern const struct loom_plugin loom_plugin;                               \
    __attribute__((visibility("default")))                                     \
    const struct loom_plugin loom_plugin = {                                   \
        .magic = LOOM_PLUGIN_MAGIC,                                            \
        .abi = LOOM_PLUGIN_ABI,                                                \
        .policy_size = sizeof(struct loom_policy_type),                        \
        .component_size = sizeof(struct loom_component_type),                  \
        .param_size = sizeof(struct loom_param),                               \
        .stat_size = sizeof(struct loom_stat),                                 \
        .message_max = LOOM_MESSAGE_MAX,                                       \
        __VA_ARGS__}

#endif
