/*
 * Recordings as Lua sees them.
 *
 * A writer that is collected is abandoned; the library does so before the
 * programs whose kernels are attached are closed.
 */
#include "workloads/recording/recording.h"

#include <string.h>

#include "lua/core.h"
#include "lua/recording.h"

#define WRITER "warploom.recording_writer"
#define RECORDING "warploom.recording"

static const char *const event_names[LOOM_RECORD_EVENTS] = {
    [LOOM_RECORD_LAUNCH] = "launch",     [LOOM_RECORD_ALLOC] = "alloc",
    [LOOM_RECORD_FREE] = "free",         [LOOM_RECORD_UPLOAD] = "upload",
    [LOOM_RECORD_DOWNLOAD] = "download", [LOOM_RECORD_COPY] = "copy",
    [LOOM_RECORD_SNAPSHOT] = "snapshot", [LOOM_RECORD_VERIFIED] = "verified",
    [LOOM_RECORD_FILL] = "fill",         [LOOM_RECORD_MARK] = "mark",
    [LOOM_RECORD_WAIT] = "wait",         [LOOM_RECORD_SYNC] = "sync",
    [LOOM_RECORD_RESERVED] = "",         [LOOM_RECORD_GATHER] = "gather",
};

static void push_totals(lua_State *L, const struct loom_recording_totals *t)
{
    lua_newtable(L);
    loom_lua_set_int(L, "insts", t->insts);
    loom_lua_set_int(L, "words", t->words);
    loom_lua_set_int(L, "encoded", t->encoded);
    loom_lua_set_int(L, "stream_bytes", t->stream_bytes);
    loom_lua_set_int(L, "file_bytes", t->file_bytes);
    loom_lua_set_int(L, "launches", t->launches);
    loom_lua_set_int(L, "kernels", t->kernels);
    loom_lua_set_int(L, "blocks", t->blocks);
}

/* ---- Writing ---- */

/* core.recording_writer(path) */
static int writer_new(lua_State *L)
{
    const char *path = luaL_checkstring(L, 1);
    struct loom_lua_owner *owner = loom_lua_own(L, WRITER, 0);
    struct loom_recording_writer *writer;
    struct loom_error err;

    if (!loom_recording_create(path, &writer, &err)) {
        return loom_lua_failed(L, &err);
    }
    owner->object = writer;
    return 1;
}

/* writer:note(name, value) */
static int writer_note(lua_State *L)
{
    struct loom_error err = {LOOM_ERR_NONE, ""};

    return loom_lua_done(L,
                         loom_recording_note(loom_lua_owned(L, 1, WRITER),
                                             luaL_checkstring(L, 2),
                                             luaL_checkstring(L, 3), &err),
                         &err);
}

/* writer:event(kind, address, bytes, name, stream) */
static int writer_event(lua_State *L)
{
    const char *kind = luaL_checkstring(L, 2);
    struct loom_recording_event event = {
        .kind = LOOM_RECORD_EVENTS,
        .stream = (uint32_t)luaL_optinteger(L, 6, 0),
        .address = (loom_addr)luaL_optinteger(L, 3, 0),
        .bytes = (uint64_t)luaL_optinteger(L, 4, 0),
        .name = luaL_optstring(L, 5, "")};
    struct loom_error err = {LOOM_ERR_NONE, ""};

    for (uint32_t i = LOOM_RECORD_LAUNCH + 1; i < LOOM_RECORD_EVENTS; i++) {
        if (strcmp(event_names[i], kind) == 0) {
            event.kind = (enum loom_record_event)i;
        }
    }
    luaL_argcheck(L, event.kind != LOOM_RECORD_EVENTS, 2, "no such event");
    return loom_lua_done(
        L, loom_recording_event(loom_lua_owned(L, 1, WRITER), &event, &err),
        &err);
}

/* writer:attach(kernel, stream) */
static int writer_attach(lua_State *L)
{
    uint32_t stream = (uint32_t)luaL_optinteger(L, 3, 0);
    struct loom_error err = {LOOM_ERR_NONE, ""};

    return loom_lua_done(L,
                         loom_recording_attach(loom_lua_owned(L, 1, WRITER),
                                               loom_lua_kernel(L, 2), stream,
                                               &err),
                         &err);
}

/* writer:finish() -> totals */
static int writer_finish(lua_State *L)
{
    struct loom_recording_totals totals;
    struct loom_error err;

    loom_lua_owned(L, 1, WRITER);
    if (!loom_recording_finish(loom_lua_disown(L, WRITER), &totals, &err)) {
        return loom_lua_failed(L, &err);
    }
    push_totals(L, &totals);
    return 1;
}

static int writer_abandon(lua_State *L)
{
    loom_recording_abandon(loom_lua_disown(L, WRITER));
    return 0;
}

/* ---- Reading ---- */

/* core.recording(path) */
static int recording_new(lua_State *L)
{
    const char *path = luaL_checkstring(L, 1);
    struct loom_lua_owner *owner = loom_lua_own(L, RECORDING, 0);
    struct loom_recording *recording;
    struct loom_error err;

    if (!loom_recording_open(path, &recording, &err)) {
        return loom_lua_failed(L, &err);
    }
    owner->object = recording;
    return 1;
}

static int recording_close(lua_State *L)
{
    loom_recording_close(loom_lua_disown(L, RECORDING));
    return 0;
}

/* recording:notes() -> list of { name, value } */
static int recording_notes(lua_State *L)
{
    const struct loom_recording *recording = loom_lua_owned(L, 1, RECORDING);

    lua_newtable(L);
    for (uint32_t i = 0; i < loom_recording_note_count(recording); i++) {
        const char *name, *value;

        loom_recording_get_note(recording, i, &name, &value);
        lua_newtable(L);
        loom_lua_set_text(L, "name", name);
        loom_lua_set_text(L, "value", value);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

static void push_launch(lua_State *L, const struct loom_recording *recording,
                        uint32_t number)
{
    const struct loom_recorded_launch *seen =
        loom_recording_launch(recording, number);
    const char *name = loom_recording_kernel(recording, seen->kernel)->name;

    lua_newtable(L);
    lua_pushfstring(L, "%d:%s", (int)number, name);
    lua_setfield(L, -2, "key");
    loom_lua_set_text(L, "kernel", name);
    loom_lua_set_int(L, "kernel_number", seen->kernel);
    loom_lua_set_int(L, "id", number);
    loom_lua_set_int(L, "number", seen->number);
    loom_lua_set_int(L, "stream", seen->stream);
    loom_lua_set_dim3(L, "grid", seen->grid);
    loom_lua_set_dim3(L, "block", seen->block);
    loom_lua_set_int(L, "registers", seen->registers);
    loom_lua_set_int(L, "shared_bytes", seen->shared_bytes);
    loom_lua_set_int(L, "local_bytes", seen->local_bytes);
    loom_lua_set_int(L, "ctas", seen->ctas);
    loom_lua_set_int(L, "insts", seen->insts);
}

/* recording:launches() -> list */
static int recording_launches(lua_State *L)
{
    const struct loom_recording *recording = loom_lua_owned(L, 1, RECORDING);

    lua_newtable(L);
    for (uint32_t i = 0; i < loom_recording_launch_count(recording); i++) {
        push_launch(L, recording, i);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

/* recording:events() -> list in order; launches have `launch`, from 0. */
static int recording_events(lua_State *L)
{
    const struct loom_recording *recording = loom_lua_owned(L, 1, RECORDING);

    lua_newtable(L);
    for (uint32_t i = 0; i < loom_recording_event_count(recording); i++) {
        const struct loom_recording_event *event =
            loom_recording_get_event(recording, i);

        lua_newtable(L);
        loom_lua_set_text(L, "kind", event_names[event->kind]);
        loom_lua_set_int(L, "stream", event->stream);
        if (event->kind == LOOM_RECORD_LAUNCH) {
            loom_lua_set_int(L, "launch", event->launch);
        } else {
            loom_lua_set_int(L, "address", event->address);
            loom_lua_set_int(L, "bytes", event->bytes);
            loom_lua_set_text(L, "name", event->name);
        }
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

static int recording_totals(lua_State *L)
{
    struct loom_recording_totals totals =
        loom_recording_totals(loom_lua_owned(L, 1, RECORDING));

    push_totals(L, &totals);
    return 1;
}

/* recording:verify() */
static int recording_verify(lua_State *L)
{
    struct loom_error err = {LOOM_ERR_NONE, ""};

    return loom_lua_done(
        L, loom_recording_verify(loom_lua_owned(L, 1, RECORDING), &err), &err);
}

/* recording:listing() -> list of kernels with their static tables */
static int recording_listing(lua_State *L)
{
    const struct loom_recording *recording = loom_lua_owned(L, 1, RECORDING);

    lua_newtable(L);
    for (uint32_t i = 0; i < loom_recording_kernel_count(recording); i++) {
        loom_lua_push_listing(L, loom_recording_kernel(recording, i));
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

/* recording:warp(launch, cta, warp, limit) -> rows, instructions of the warp;
 * numbers from 0.  nil without an error: there is no such warp. */
static int recording_warp(lua_State *L)
{
    struct loom_recording *recording = loom_lua_owned(L, 1, RECORDING);
    lua_Integer launch = luaL_checkinteger(L, 2), cta = luaL_checkinteger(L, 3);
    lua_Integer warp = luaL_checkinteger(L, 4);
    lua_Integer limit = luaL_optinteger(L, 5, LUA_MAXINTEGER);
    const struct loom_recorded_launch *seen;
    struct loom_recording_stream *streams;
    struct loom_cta_stream *stream;
    struct loom_error err;
    int count;

    if (launch < 0 || launch >= loom_recording_launch_count(recording)) {
        return 0;
    }
    seen = loom_recording_launch(recording, (uint32_t)launch);
    if (cta < 0 || (uint64_t)cta >= loom_dim3_count(seen->grid)) {
        return 0;
    }
    streams = loom_recording_streams(recording, (uint32_t)launch);
    if (streams == NULL) {
        return loom_lua_no_memory(L, "a recorded launch");
    }
    if (!loom_recording_produce(streams, NULL, (uint32_t)cta, &stream, &err)) {
        loom_recording_streams_close(streams);
        return loom_lua_failed(L, &err);
    }
    count = warp < 0 || warp >= stream->warp_count
                ? 0
                : loom_lua_push_warp(L, stream, (uint32_t)warp, limit);
    loom_recording_streams_close(streams);
    return count;
}

void loom_lua_open_recording(lua_State *L)
{
    static const luaL_Reg writer_methods[] = {
        {"note", writer_note},       {"event", writer_event},
        {"attach", writer_attach},   {"finish", writer_finish},
        {"abandon", writer_abandon}, {NULL, NULL}};
    static const luaL_Reg methods[] = {{"close", recording_close},
                                       {"notes", recording_notes},
                                       {"launches", recording_launches},
                                       {"events", recording_events},
                                       {"totals", recording_totals},
                                       {"verify", recording_verify},
                                       {"listing", recording_listing},
                                       {"warp", recording_warp},
                                       {NULL, NULL}};
    static const luaL_Reg functions[] = {{"recording_writer", writer_new},
                                         {"recording", recording_new},
                                         {NULL, NULL}};

    loom_lua_class(L, WRITER, writer_methods, writer_abandon);
    loom_lua_class(L, RECORDING, methods, recording_close);
    luaL_setfuncs(L, functions, 0);
    loom_lua_open_listing(L);
}
