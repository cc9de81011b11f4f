/*
 * loom.plugin: types from a shared library (engine/plugin.h).
 *
 * The library stays loaded until the program ends: machines hold addresses in
 * it.
 */
#include "engine/plugin.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "engine/registry.h"

#include "lua/core.h"
#include "lua/policy_types.h"

static int refuse(lua_State *L, const char *fmt, const char *a, const char *b)
{
    lua_pushnil(L);
    lua_pushfstring(L, fmt, a, b);
    return 2;
}

/* Was it built with our headers?  Nil and what is wrong if not. */
static const char *mismatch(const struct loom_plugin *plugin, char *text,
                            size_t size)
{
    if (plugin->magic != LOOM_PLUGIN_MAGIC) {
        return "its symbol 'loom_plugin' was not made by LOOM_PLUGIN()";
    }
    if (plugin->abi != LOOM_PLUGIN_ABI) {
        snprintf(text, size,
                 "was built for ABI %u, this program has ABI %d: build it "
                 "with this program's headers",
                 plugin->abi, LOOM_PLUGIN_ABI);
        return text;
    }
    if (plugin->policy_size != sizeof(struct loom_policy_type) ||
        plugin->component_size != sizeof(struct loom_component_type) ||
        plugin->param_size != sizeof(struct loom_param) ||
        plugin->stat_size != sizeof(struct loom_stat) ||
        plugin->message_max != LOOM_MESSAGE_MAX) {
        return "was built with other headers than this program's: build it "
               "with those";
    }
    return NULL;
}

/* Does the type declare itself well, and is its name free? */
static bool good_policy(lua_State *L, const struct loom_policy_type *type,
                        struct loom_error *err)
{
    const struct loom_policy_type *known;

    if (type->name == NULL || type->doc == NULL) {
        return loom_fail(err, LOOM_ERR_CONFIG, "a policy has no name or doc");
    }
    known = loom_lua_policy_type(L, type->name);
    if (known != NULL && known != type) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "brings policy '%s', which there is already",
                         type->name);
    }
    if (type->facets.count == 0) {
        return loom_fail(err, LOOM_ERR_CONFIG, "policy '%s' has no facets",
                         type->name);
    }
    return (loom_params_audit(type->params, type->config_size, err) &&
            loom_stats_audit(type->stats, type->stats_size, err) &&
            loom_energies_audit(type->energies, type->stats, err)) ||
           loom_fail_at(err, type->name);
}

static bool good_component(lua_State *L, const struct loom_component_type *type,
                           struct loom_error *err)
{
    const struct loom_component_type *known;

    if (type->name == NULL || type->doc == NULL || type->ops == NULL ||
        type->ops->init == NULL || type->ops->tick == NULL) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "a component has no name, doc, init or tick");
    }
    known = loom_lua_component_type(L, type->name);
    if (known != NULL && known != type) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "brings component '%s', which there is already",
                         type->name);
    }
    return (loom_params_audit(type->params, type->config_size, err) &&
            loom_stats_audit(type->stats, type->stats_size, err) &&
            loom_energies_audit(type->energies, type->stats, err)) ||
           loom_fail_at(err, type->name);
}

static bool good_types(lua_State *L, const struct loom_plugin *plugin,
                       struct loom_error *err)
{
    uint32_t count = 0;

    for (size_t i = 0; plugin->policies && plugin->policies[i]; i++, count++) {
        if (!good_policy(L, plugin->policies[i], err)) {
            return false;
        }
    }
    for (size_t i = 0; plugin->components && plugin->components[i];
         i++, count++) {
        if (!good_component(L, plugin->components[i], err)) {
            return false;
        }
    }
    return count > 0 || loom_fail(err, LOOM_ERR_CONFIG,
                                  "lists no policies and no components");
}

static void add_types(lua_State *L, const struct loom_plugin *plugin)
{
    lua_Integer row = 0;

    lua_newtable(L);
    lua_newtable(L);
    for (size_t i = 0; plugin->policies && plugin->policies[i]; i++) {
        loom_lua_add_policy_type(L, plugin->policies[i], 0);
        loom_lua_push_policy_type(L, plugin->policies[i]);
        lua_rawseti(L, -2, ++row);
    }
    lua_setfield(L, -2, "policies");
    lua_newtable(L);
    row = 0;
    for (size_t i = 0; plugin->components && plugin->components[i]; i++) {
        loom_lua_add_component_type(L, plugin->components[i]);
        loom_lua_push_component_type(L, plugin->components[i]);
        lua_rawseti(L, -2, ++row);
    }
    lua_setfield(L, -2, "components");
}

/* core.plugin(path) -> { policies = {..}, components = {..} }, as of
 * core.registry(), or nil and why not. */
static int load_plugin(lua_State *L)
{
    const char *path = luaL_checkstring(L, 1);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const struct loom_plugin *plugin;
    struct loom_error err;
    const char *why;
    char text[200];

    if (library == NULL) {
        return refuse(L, "cannot be loaded: %s%s", dlerror(), "");
    }
    plugin = dlsym(library, LOOM_PLUGIN_SYMBOL);
    if (plugin == NULL) {
        return refuse(L,
                      "has no symbol '%s': it is no plug-in, or has no "
                      "LOOM_PLUGIN()%s",
                      LOOM_PLUGIN_SYMBOL, "");
    }
    why = mismatch(plugin, text, sizeof(text));
    if (why != NULL) {
        return refuse(L, "%s%s", why, "");
    }
    if (!good_types(L, plugin, &err)) {
        return refuse(L, "%s%s", err.text, "");
    }
    add_types(L, plugin);
    return 1;
}

void loom_lua_open_plugin(lua_State *L)
{
    static const luaL_Reg functions[] = {{"plugin", load_plugin}, {NULL, NULL}};

    luaL_setfuncs(L, functions, 0);
}
