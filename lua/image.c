/*
 * Images of machines as strings (engine/image.h), and what they are tied to:
 * the file of this program, or of the module that another Lua has loaded.
 */
#define _GNU_SOURCE /* dladdr */
#include "engine/image.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "lua/core.h"
#include "lua/image.h"

/* machine:save() -> image, or nil, text, kind */
int loom_lua_save(lua_State *L)
{
    struct loom_error err;
    size_t bytes;
    unsigned char *image =
        loom_image_save(loom_lua_machine(L, 1), &bytes, &err);

    if (image == NULL) {
        return loom_lua_failed(L, &err);
    }
    lua_pushlstring(L, (const char *)image, bytes);
    free(image);
    return 1;
}

struct kept {
    lua_State *L;
    int at;
};

static bool is_kept(void *context, const char *path)
{
    const struct kept *kept = context;
    bool found = lua_getfield(kept->L, kept->at, path) != LUA_TNIL;

    lua_pop(kept->L, 1);
    return found;
}

/* machine:load(image, { policy's path = true }) -> true, or nil, text, kind */
int loom_lua_load(lua_State *L)
{
    size_t bytes;
    struct loom_machine *machine = loom_lua_machine(L, 1);
    const char *image = luaL_checklstring(L, 2, &bytes);
    struct kept kept = {L, 3};
    struct loom_error err;

    luaL_checktype(L, 3, LUA_TTABLE);
    return loom_lua_done(L,
                         loom_image_load(machine, (const unsigned char *)image,
                                         bytes, is_kept, &kept, &err),
                         &err);
}

/* core.image_place(image) -> number, or nil: it is no image */
static int image_place(lua_State *L)
{
    size_t bytes;
    const char *image = luaL_checklstring(L, 1, &bytes);
    uint32_t place;

    if (!loom_image_place((const unsigned char *)image, bytes, &place)) {
        return 0;
    }
    lua_pushinteger(L, place);
    return 1;
}

/* core.binary() -> path of the file that has this code */
static int binary(lua_State *L)
{
    Dl_info info;

    if (dladdr((const void *)(uintptr_t)binary, &info) == 0) {
        return 0;
    }
    lua_pushstring(L, info.dli_fname);
    return 1;
}

struct build_id {
    unsigned char byte[64];
    size_t bytes;
};

/* Among notes of an ELF file, the one in which the linker named it. */
static void find_build_id(struct build_id *id, const unsigned char *note,
                          size_t bytes)
{
    ElfW(Nhdr) head;
    size_t name, text;

    for (size_t at = 0; at + sizeof(head) <= bytes;) {
        memcpy(&head, note + at, sizeof(head));
        name = at + sizeof(head);
        text = name + (head.n_namesz + 3u) / 4 * 4;
        at = text + (head.n_descsz + 3u) / 4 * 4;
        if (head.n_type == NT_GNU_BUILD_ID && at <= bytes &&
            head.n_descsz <= sizeof(id->byte) && head.n_namesz == 4 &&
            memcmp(note + name, "GNU", 4) == 0) {
            memcpy(id->byte, note + text, head.n_descsz);
            id->bytes = head.n_descsz;
        }
    }
}

/* The first file in memory is the program. */
static int look_at_program(struct dl_phdr_info *info, size_t size, void *id)
{
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];

        if (part->p_type == PT_NOTE) {
            find_build_id(id,
                          (const unsigned char *)(uintptr_t)(info->dlpi_addr +
                                                             part->p_vaddr),
                          part->p_memsz);
        }
    }
    return 1;
}

/* core.build_id() -> bytes, or nil: the linker gave it none */
static int build_id(lua_State *L)
{
    struct build_id id = {.bytes = 0};

    dl_iterate_phdr(look_at_program, &id);
    if (id.bytes == 0) {
        return 0;
    }
    lua_pushlstring(L, (const char *)id.byte, id.bytes);
    return 1;
}

void loom_lua_open_image(lua_State *L)
{
    static const luaL_Reg functions[] = {{"image_place", image_place},
                                         {"binary", binary},
                                         {"build_id", build_id},
                                         {NULL, NULL}};

    luaL_setfuncs(L, functions, 0);
}
