/*
 * Programs and kernels as Lua userdata.
 *
 * A kernel userdata keeps its program alive and a program its memory.  Lua
 * finalizes in the reverse order of creation, so kernels are retired before
 * their program is closed; one that outlives it all the same does nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "lua/interrupt.h"
#include "lua/methods.h"

#define PROGRAM "warploom.program"
#define KERNEL "warploom.kernel"

struct holder {
    const struct loom_workload_type *type;
    struct loom_program *program; /* NULL once closed */
};

struct kernel_holder {
    struct holder *owner; /* kept alive by user value 1 */
    struct loom_kernel *kernel;
};

static struct holder *program_at(lua_State *L, int at)
{
    struct holder *holder = luaL_checkudata(L, at, PROGRAM);

    luaL_argcheck(L, holder->program != NULL, at, "program is closed");
    return holder;
}

struct loom_kernel *loom_lua_kernel(lua_State *L, int at)
{
    struct kernel_holder *holder = luaL_checkudata(L, at, KERNEL);

    luaL_argcheck(L, holder->kernel != NULL && holder->owner->program != NULL,
                  at, "kernel is retired");
    return holder->kernel;
}

const struct loom_workload_type *loom_lua_front_end(const char *name)
{
    for (size_t i = 0; i < loom_workload_type_count; i++) {
        if (strcmp(loom_workload_types[i]->name, name) == 0) {
            return loom_workload_types[i];
        }
    }
    return NULL;
}

/* The table at `at`, of names and addresses: the array is the state's. */
static void read_placed(lua_State *L, int at, struct loom_program_text *text)
{
    struct loom_placed *placed;
    uint32_t count = 0;

    if (lua_isnoneornil(L, at)) {
        return;
    }
    luaL_checktype(L, at, LUA_TTABLE);
    for (lua_pushnil(L); lua_next(L, at) != 0; lua_pop(L, 1)) {
        count++;
    }
    placed = lua_newuserdatauv(L, (count + 1) * sizeof(*placed), 0);
    text->placed = placed;
    for (lua_pushnil(L); lua_next(L, at) != 0; lua_pop(L, 1)) {
        placed[text->placed_count++] = (struct loom_placed){
            lua_tostring(L, -2), (loom_addr)luaL_checkinteger(L, -1)};
    }
}

/* core.program(memory, front end, name, text, scheduled, addresses of variables
 * that are there already, by name; or nil) */
static int program_new(lua_State *L)
{
    struct loom_memory *memory = loom_lua_memory(L, 1);
    const char *kind = luaL_checkstring(L, 2);
    const struct loom_workload_type *type = loom_lua_front_end(kind);
    struct loom_program_text text = {.name = luaL_checkstring(L, 3),
                                     .scheduled = lua_toboolean(L, 5)};
    struct holder *holder;
    struct loom_error err;

    text.text = luaL_checklstring(L, 4, &text.bytes);
    read_placed(L, 6, &text);
    holder = lua_newuserdatauv(L, sizeof(*holder), 1);
    *holder = (struct holder){type, NULL};
    luaL_setmetatable(L, PROGRAM);
    lua_pushvalue(L, 1);
    lua_setiuservalue(L, -2, 1);
    if (type == NULL) {
        loom_fail(&err, LOOM_ERR_INPUT, "no front end '%s' in this build",
                  kind);
        return loom_lua_failed(L, &err);
    }
    if (!type->open(memory, &text, &holder->program, &err)) {
        holder->program = NULL;
        return loom_lua_failed(L, &err);
    }
    return 1;
}

static int program_close(lua_State *L)
{
    struct holder *holder = luaL_checkudata(L, 1, PROGRAM);

    if (holder->program != NULL) {
        holder->type->close(holder->program);
        holder->program = NULL;
    }
    return 0;
}

static void push_kernel_param(lua_State *L,
                              const struct loom_kernel_param *param)
{
    lua_newtable(L);
    loom_lua_set_text(L, "name", param->name);
    loom_lua_set_int(L, "bytes", param->bytes);
    loom_lua_set_int(L, "offset", param->offset);
    loom_lua_set_flag(L, "pointer", param->pointer);
    loom_lua_set_flag(L, "real", param->real);
}

/* program:kernels() -> list of what is known of each. */
static int program_kernels(lua_State *L)
{
    struct holder *holder = program_at(L, 1);
    uint32_t count = holder->type->kernel_count(holder->program);

    lua_newtable(L);
    for (uint32_t i = 0; i < count; i++) {
        const struct loom_kernel_info *info =
            holder->type->kernel(holder->program, i);

        lua_newtable(L);
        loom_lua_set_text(L, "name", info->name);
        loom_lua_set_int(L, "param_bytes", info->param_bytes);
        loom_lua_set_int(L, "registers", info->registers);
        loom_lua_set_int(L, "shared_bytes", info->shared_bytes);
        loom_lua_set_int(L, "local_bytes", info->local_bytes);
        loom_lua_set_int(L, "max_threads", info->max_threads);
        loom_lua_set_int(L, "cluster",
                         info->cluster.x | (uint64_t)info->cluster.y << 11 |
                             (uint64_t)info->cluster.z << 22);
        loom_lua_set_int(L, "max_cluster", info->max_cluster);
        loom_lua_set_int(L, "instructions", info->inst_count);
        lua_newtable(L);
        for (uint32_t p = 0; p < info->param_count; p++) {
            push_kernel_param(L, &info->param[p]);
            lua_rawseti(L, -2, (lua_Integer)p + 1);
        }
        lua_setfield(L, -2, "params");
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

/* program:ready(name) -> true, or nil and why it cannot be executed */
static int program_ready(lua_State *L)
{
    struct holder *holder = program_at(L, 1);
    const char *name = luaL_checkstring(L, 2);
    uint32_t count = holder->type->kernel_count(holder->program);
    struct loom_error err;

    for (uint32_t i = 0; i < count && holder->type->ready != NULL; i++) {
        if (strcmp(holder->type->kernel(holder->program, i)->name, name) == 0 &&
            !holder->type->ready(holder->program, i, &err)) {
            return loom_lua_failed(L, &err);
        }
    }
    lua_pushboolean(L, true);
    return 1;
}

/* program:symbol(name) -> address, bytes */
static int program_symbol(lua_State *L)
{
    struct holder *holder = program_at(L, 1);
    const char *name = luaL_checkstring(L, 2);
    struct loom_error err;
    loom_addr base;
    uint64_t bytes;

    if (holder->type->symbol == NULL) {
        loom_fail(&err, LOOM_ERR_INPUT, "front end '%s' has no symbols",
                  holder->type->name);
        return loom_lua_failed(L, &err);
    }
    if (!holder->type->symbol(holder->program, name, &base, &bytes, &err)) {
        return loom_lua_failed(L, &err);
    }
    lua_pushinteger(L, (lua_Integer)base);
    lua_pushinteger(L, (lua_Integer)bytes);
    return 2;
}

static void push_recorded(lua_State *L, const struct holder *holder,
                          const struct loom_recorded *item)
{
    const struct loom_kernel_info *info;

    lua_newtable(L);
    if (item->kind == LOOM_RECORDED_COPY) {
        loom_lua_set_int(L, "address", item->address);
        loom_lua_set_int(L, "bytes", item->bytes);
        return;
    }
    info = holder->type->kernel(holder->program, item->kernel);
    loom_lua_set_text(L, "key", item->key);
    loom_lua_set_text(L, "name", info->name);
    loom_lua_set_int(L, "id", item->id);
    loom_lua_set_int(L, "stream", item->stream);
    loom_lua_set_int(L, "registers", info->registers);
    loom_lua_set_int(L, "shared_bytes", info->shared_bytes);
    loom_lua_set_dim3(L, "grid", item->grid);
    loom_lua_set_dim3(L, "block", item->block);
}

/* program:recorded() -> list of launches (which have a key) and copies (which
 * have an address), or nil if the program is not a recorded one. */
static int program_recorded(lua_State *L)
{
    struct holder *holder = program_at(L, 1);
    const struct loom_recorded *item;
    uint32_t count;

    if (holder->type->recorded == NULL) {
        lua_pushnil(L);
        return 1;
    }
    count = holder->type->recorded(holder->program, &item);
    lua_newtable(L);
    for (uint32_t i = 0; i < count; i++) {
        push_recorded(L, holder, &item[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

/* program:notes() -> list of { text =, count = } */
static int program_notes(lua_State *L)
{
    struct holder *holder = program_at(L, 1);
    const struct loom_note *item;
    uint32_t count = 0;

    if (holder->type->notes != NULL) {
        count = holder->type->notes(holder->program, &item);
    }
    lua_newtable(L);
    for (uint32_t i = 0; i < count; i++) {
        lua_newtable(L);
        loom_lua_set_text(L, "text", item[i].text);
        loom_lua_set_int(L, "count", item[i].count);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

/* program:launch{ .. } -> kernel, and whether its registers are those that the
 * launch gives; the table is loom_lua_launch_spec's. */
static int program_launch(lua_State *L)
{
    struct holder *holder = program_at(L, 1);
    struct loom_launch_spec spec;
    struct kernel_holder *kernel;
    struct loom_error err;

    luaL_checktype(L, 2, LUA_TTABLE);
    spec = loom_lua_launch_spec(L, 2, holder->type, holder->program);
    kernel = lua_newuserdatauv(L, sizeof(*kernel), 1);
    *kernel = (struct kernel_holder){holder, NULL};
    luaL_setmetatable(L, KERNEL);
    lua_pushvalue(L, 1);
    lua_setiuservalue(L, -2, 1);
    if (!holder->type->launch(holder->program, &spec, &kernel->kernel, &err)) {
        kernel->kernel = NULL;
        return loom_lua_failed(L, &err);
    }
    lua_pushboolean(L, spec.registers != 0);
    return 2;
}

/* program:resident{ .. } -> CTAs that an SM holds of such a launch */
static int program_resident(lua_State *L)
{
    struct holder *holder = program_at(L, 1);

    luaL_checktype(L, 2, LUA_TTABLE);
    lua_pushinteger(
        L, (lua_Integer)loom_lua_resident(L, 2, holder->type, holder->program));
    return 1;
}

/* program:rewritten{ .. } -> text; the table is loom_lua_launch_spec's. */
static int program_rewritten(lua_State *L)
{
    struct holder *holder = program_at(L, 1);
    struct loom_launch_spec spec;
    struct loom_error err;
    char *text = NULL;

    luaL_checktype(L, 2, LUA_TTABLE);
    spec = loom_lua_launch_spec(L, 2, holder->type, holder->program);
    if (holder->type->rewritten == NULL) {
        loom_fail(&err, LOOM_ERR_INPUT, "front end '%s' rewrites nothing",
                  holder->type->name);
        return loom_lua_failed(L, &err);
    }
    if (!holder->type->rewritten(holder->program, &spec, &text, &err)) {
        return loom_lua_failed(L, &err);
    }
    lua_pushstring(L, text);
    free(text);
    return 1;
}

static int kernel_retire(lua_State *L)
{
    struct kernel_holder *holder = luaL_checkudata(L, 1, KERNEL);

    if (holder->kernel != NULL && holder->owner->program != NULL) {
        holder->owner->type->retire(holder->owner->program, holder->kernel);
    }
    holder->kernel = NULL;
    return 0;
}

/* What its tensor instructions are, if they are of one kind: "mma", "short",
 * "f64" or "group", and how many products one has on average. */
static void set_tensor(lua_State *L, const struct loom_kernel *kernel)
{
    static const char *const names[LOOM_FORMS] = {
        [LOOM_FORM_PLAIN] = "mma",
        [LOOM_FORM_TENSOR_SHORT] = "short",
        [LOOM_FORM_TENSOR_F64] = "f64",
        [LOOM_FORM_TENSOR_GROUP] = "group"};
    const char *form = NULL;
    uint32_t insts = 0, parts = 0;

    for (uint32_t i = 0; i < kernel->inst_count; i++) {
        const struct loom_static_inst *inst = &kernel->inst[i];

        if (inst->op == LOOM_OP_TENSOR) {
            const char *name = names[inst->form];

            form = form == NULL || form == name ? name : "mixed";
            parts += inst->parts != 0 ? inst->parts : 1;
            insts++;
        }
    }
    loom_lua_set_text(L, "tensor_form", form == NULL ? "" : form);
    lua_pushnumber(L, insts != 0 ? (double)parts / insts : 0.0);
    lua_setfield(L, -2, "tensor_parts");
}

/* kernel:instructions() -> how many its static table has now */
static int kernel_instructions(lua_State *L)
{
    lua_pushinteger(L, loom_lua_kernel(L, 1)->inst_count);
    return 1;
}

/* kernel:loads() -> { [static index] = { pc =, line =, text =, op = } } */
static int kernel_loads(lua_State *L)
{
    const struct loom_kernel *kernel = loom_lua_kernel(L, 1);

    lua_newtable(L);
    for (uint32_t i = 0; i < kernel->inst_count; i++) {
        const struct loom_static_inst *inst = &kernel->inst[i];

        if (inst->op == LOOM_OP_LOAD) {
            lua_newtable(L);
            loom_lua_set_int(L, "pc", inst->pc);
            loom_lua_set_int(L, "line", inst->line);
            loom_lua_set_text(L, "text", kernel->text + inst->text);
            loom_lua_set_text(L, "op", loom_op_names[inst->op]);
            lua_rawseti(L, -2, (lua_Integer)i);
        }
    }
    return 1;
}

/* kernel:facts() -> table */
static int kernel_facts(lua_State *L)
{
    const struct loom_kernel *kernel = loom_lua_kernel(L, 1);

    lua_newtable(L);
    loom_lua_set_text(L, "name", kernel->name);
    loom_lua_set_int(L, "number", kernel->number);
    loom_lua_set_int(L, "registers", kernel->registers);
    loom_lua_set_int(L, "shared_bytes", kernel->shared_bytes);
    loom_lua_set_int(L, "local_bytes", kernel->local_bytes);
    loom_lua_set_int(L, "interleave", kernel->interleave);
    loom_lua_set_flag(L, "timed", kernel->timed);
    loom_lua_set_flag(L, "placed", kernel->placed);
    loom_lua_set_flag(L, "launches", kernel->children != NULL);
    loom_lua_set_int(L, "ctas", loom_dim3_count(kernel->grid));
    loom_lua_set_int(L, "warps_per_cta", loom_kernel_warps(kernel));
    set_tensor(L, kernel);
    return 1;
}

/* kernel:children() -> what it asks the system for, in order */
static int kernel_children(lua_State *L)
{
    loom_lua_push_children(L, loom_lua_kernel(L, 1)->children);
    return 1;
}

/* kernel:execute(first CTA) -> warp instructions: all CTAs from there on,
 * functionally only; and at which one to go on, if a signal came. */
static int kernel_execute(lua_State *L)
{
    struct loom_kernel *kernel = loom_lua_kernel(L, 1);
    struct loom_cta_source *source = kernel->source;
    uint64_t first = (uint64_t)luaL_checkinteger(L, 2), cta = first;
    uint64_t count = loom_dim3_count(kernel->grid), insts = 0;
    bool paused = false;

    while (cta < count && !paused) {
        struct loom_cta_stream *stream;
        struct loom_error err;

        if (!source->ops->produce(source, (uint32_t)cta, &stream, &err)) {
            if (err.kind != LOOM_ERR_INTERRUPTED || cta == first) {
                return loom_lua_failed(L, &err);
            }
            break;
        }
        for (uint32_t w = 0; w < stream->warp_count; w++) {
            insts += stream->warp[w].insts;
        }
        source->ops->release(source, stream);
        cta++;
        paused = loom_interrupted(loom_interrupt_pause());
    }
    lua_pushinteger(L, (lua_Integer)insts);
    if (cta == count) {
        return 1;
    }
    lua_pushinteger(L, (lua_Integer)cta);
    return 2;
}

void loom_lua_open_program(lua_State *L)
{
    static const luaL_Reg methods[] = {
        {"close", program_close},       {"kernels", program_kernels},
        {"ready", program_ready},       {"symbol", program_symbol},
        {"launch", program_launch},     {"resident", program_resident},
        {"recorded", program_recorded}, {"rewritten", program_rewritten},
        {"notes", program_notes},       {NULL, NULL}};
    static const luaL_Reg kernel_methods[] = {
        {"retire", kernel_retire},
        {"facts", kernel_facts},
        {"instructions", kernel_instructions},
        {"loads", kernel_loads},
        {"execute", kernel_execute},
        {"children", kernel_children},
        {NULL, NULL}};
    static const luaL_Reg functions[] = {{"program", program_new},
                                         {NULL, NULL}};

    loom_lua_class(L, PROGRAM, methods, program_close);
    loom_lua_class(L, KERNEL, kernel_methods, kernel_retire);
    luaL_setfuncs(L, functions, 0);
}
