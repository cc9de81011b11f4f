/*
 * Decoding calls: whom they call, and where arguments and results are.
 */
#include "workloads/ptx/exec/call.h"

#include <stdlib.h>
#include <string.h>

#include "workloads/ptx/decode/decode_private.h"

/* Of a function of the device run-time system, else NULL. */
static const char *system_name(const char *name)
{
    static const char *const heads[] = {"__cudaCDP2", "cuda"};

    for (size_t i = 0; i < LOOM_COUNTOF(heads); i++) {
        size_t bytes = strlen(heads[i]);

        if (strncmp(name, heads[i], bytes) == 0) {
            return name + bytes;
        }
    }
    return NULL;
}

static enum exec_builtin builtin_of(const char *name)
{
    static const struct {
        const char *name;
        enum exec_builtin builtin;
    } known[] = {
        {"vprintf", EXEC_VPRINTF},
        {"malloc", EXEC_MALLOC},
        {"free", EXEC_FREE},
        {"__assertfail", EXEC_ASSERTFAIL},
        {"cudaGraphSetConditional", EXEC_SET_CONDITION},
    };
    /* Behind "__cudaCDP2" or, before CUDA 12, "cuda". */
    static const struct {
        const char *name;
        enum exec_builtin builtin;
    } system[] = {
        {"GetParameterBufferV2", EXEC_GET_BUFFER},
        {"LaunchDeviceV2", EXEC_LAUNCH},
        {"StreamCreateWithFlags", EXEC_NEW_HANDLE},
        {"StreamDestroy", EXEC_NO_WORK},
        {"EventCreateWithFlags", EXEC_NEW_HANDLE},
        {"EventDestroy", EXEC_NO_WORK},
        {"EventRecord", EXEC_RECORD},
        {"StreamWaitEvent", EXEC_STREAM_WAIT},
        {"MemcpyAsync", EXEC_COPY_LATER},
        {"Memcpy2DAsync", EXEC_COPY_ROWS},
        {"MemsetAsync", EXEC_FILL_LATER},
        {"Memset2DAsync", EXEC_FILL_ROWS},
        {"GetErrorString", EXEC_ERROR_TEXT},
        {"GetDevice", EXEC_DEVICE},
        {"GetDeviceCount", EXEC_DEVICES},
        {"GetLastError", EXEC_LAST_ERROR},
        {"PeekAtLastError", EXEC_PEEK_ERROR},
        {"Malloc", EXEC_DEVICE_MALLOC},
        {"Free", EXEC_FREE},
    };
    const char *rest = system_name(name);

    for (size_t i = 0; i < LOOM_COUNTOF(known); i++) {
        if (strcmp(known[i].name, name) == 0) {
            return known[i].builtin;
        }
    }
    for (size_t i = 0; rest != NULL && i < LOOM_COUNTOF(system); i++) {
        if (strcmp(system[i].name, rest) == 0) {
            return system[i].builtin;
        }
    }
    return EXEC_NO_BUILTIN;
}

static bool decode_arg(struct exec_code *code, const struct loom_ptx_inst *inst,
                       const struct loom_ptx_operand *operand,
                       struct exec_arg *arg)
{
    const struct ptx_place *place;
    bool wide = false;

    *arg = (struct exec_arg){.reg = EXEC_NONE};
    switch (operand->kind) {
    case LOOM_PTX_OP_SYMBOL:
        place = ptx_place_of(code->analysis, operand->var);
        if (place == NULL || operand->value != 0) {
            code->why = "an argument must be a .param variable, a register "
                        "or a constant";
            return false;
        }
        arg->offset = place->offset;
        arg->bytes = (uint32_t)operand->var->bytes;
        return true;
    case LOOM_PTX_OP_REG:
        arg->bytes = ptx_reg_wide(code, operand->reg) ? 8 : 4;
        return ptx_decode_out(code, operand, &arg->reg, &wide);
    case LOOM_PTX_OP_SINK:
        return true;
    default:
        arg->bytes = 8;
        return ptx_operand(code, inst, operand, LOOM_PTX_B64, &arg->reg);
    }
}

static bool decode_lists(struct exec_code *code,
                         const struct loom_ptx_inst *inst,
                         struct exec_call *call)
{
    const struct loom_ptx_operand *ret = &inst->operand[0];
    const struct loom_ptx_operand *arg = &inst->operand[2];

    call->rets = ret->count;
    call->args = arg->count;
    call->arg = calloc((size_t)call->args + call->rets + 1, sizeof(*call->arg));
    if (call->arg == NULL) {
        return false;
    }
    call->ret = call->arg + call->args;
    for (uint32_t i = 0; i < call->args; i++) {
        if (!decode_arg(code, inst, &arg->element[i], &call->arg[i])) {
            return false;
        }
    }
    for (uint32_t i = 0; i < call->rets; i++) {
        if (!decode_arg(code, inst, &ret->element[i], &call->ret[i])) {
            return false;
        }
    }
    return true;
}

/* Do arguments and parameters agree?  A register may be wider than what it
 * is passed as. */
static bool lists_fit(const struct exec_arg *x, const struct exec_arg *y,
                      uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (x[i].bytes != y[i].bytes &&
            (x[i].reg == EXEC_NONE || y[i].bytes > x[i].bytes)) {
            return false;
        }
    }
    return true;
}

/* Of a function without a body that is none of the above. */
static const char *why_not(const char *name)
{
    if (system_name(name) == NULL) {
        return "the function that it calls has no body";
    }
    return strcmp(system_name(name), "DeviceSynchronize") == 0
               ? "a kernel that waits for kernels that it launched is not "
                 "simulated, and CUDA 12 has no such function"
               : "it calls the device run-time system, which is not "
                 "simulated but for launches, copies, streams and events";
}

/* struct dim3 */
static bool is_extent(const struct exec_arg *arg)
{
    return arg->reg == EXEC_NONE && arg->bytes == 12;
}

static bool decode_direct(struct exec_code *code,
                          const struct loom_ptx_function *f,
                          struct exec_call *call)
{
    const struct exec_area *area;

    f = ptx_real_function(f);
    call->section = ptx_section_of(code->analysis, f);
    if (call->section == LOOM_PTX_NONE) {
        static const uint32_t args[] = {
            [EXEC_VPRINTF] = 2,       [EXEC_MALLOC] = 1,
            [EXEC_FREE] = 1,          [EXEC_ASSERTFAIL] = 5,
            [EXEC_SET_CONDITION] = 2, [EXEC_DEVICE_MALLOC] = 2,
            [EXEC_GET_BUFFER] = 4,    [EXEC_LAUNCH] = 2,
            [EXEC_NEW_HANDLE] = 2,    [EXEC_RECORD] = 2,
            [EXEC_STREAM_WAIT] = 3,   [EXEC_COPY_LATER] = 5,
            [EXEC_FILL_LATER] = 4,    [EXEC_COPY_ROWS] = 8,
            [EXEC_FILL_ROWS] = 6,     [EXEC_ERROR_TEXT] = 1,
            [EXEC_DEVICE] = 1,        [EXEC_DEVICES] = 1,
            [EXEC_NO_WORK] = 0,
        };

        call->builtin = (uint8_t)builtin_of(f->name);
        if (call->builtin == EXEC_NO_BUILTIN) {
            code->why = why_not(f->name);
            return false;
        }
        if (call->args < args[call->builtin] ||
            (call->builtin == EXEC_GET_BUFFER &&
             (!is_extent(&call->arg[1]) || !is_extent(&call->arg[2])))) {
            code->why = "its arguments are not those of the function";
            return false;
        }
        return true;
    }
    area = &code->area[call->section];
    if (call->args != area->params || call->rets > area->rets ||
        !lists_fit(call->arg, area->param, call->args) ||
        !lists_fit(call->ret, area->ret, call->rets)) {
        code->why = "its arguments are not those of the function";
        return false;
    }
    return true;
}

bool ptx_decode_call(struct exec_code *code, const struct loom_ptx_inst *inst,
                     struct exec_op *op, uint32_t at)
{
    const struct loom_ptx_operand *to = &inst->operand[1];
    struct exec_call *call;
    bool wide = false;

    if (code->call_count == code->call_room) {
        uint32_t room = code->call_room * 2 + 8;
        struct exec_call *grown = realloc(code->call, room * sizeof(*grown));

        if (grown == NULL) {
            return false;
        }
        code->call = grown;
        code->call_room = room;
    }
    call = &code->call[code->call_count];
    *call = (struct exec_call){.section = EXEC_NONE};
    op->kind = EXEC_CALL;
    op->target = code->call_count++;
    if (!decode_lists(code, inst, call)) {
        return false;
    }
    if (to->kind == LOOM_PTX_OP_FUNCTION) {
        return decode_direct(code, to->function, call);
    }
    /* Lanes that call different functions come together behind it. */
    code->op[at + 1].flags |= EXEC_JOIN;
    op->how.mode = 1;
    return ptx_decode_out(code, to, &op->s[0], &wide) && wide;
}

static void formal(const struct exec_code *code,
                   struct loom_ptx_var *const *var, uint32_t count,
                   struct exec_arg *arg)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct ptx_place *place = ptx_place_of(code->analysis, var[i]);

        arg[i] = (struct exec_arg){.reg = EXEC_NONE,
                                   .offset = place != NULL ? place->offset : 0,
                                   .bytes = (uint32_t)var[i]->bytes};
    }
}

bool ptx_decode_areas(struct exec_code *code)
{
    const struct ptx_analysis *a = code->analysis;

    for (uint32_t s = 0; s < a->section_count; s++) {
        const struct loom_ptx_function *f = a->section[s].function;
        struct exec_area *area = &code->area[s];

        area->first = a->section[s].first;
        area->local_bytes = a->section[s].local_bytes;
        area->params = f->entry ? 0 : f->param_count;
        area->rets = f->ret_count;
        area->param =
            calloc((size_t)area->params + area->rets + 1, sizeof(*area->param));
        if (area->param == NULL) {
            return false;
        }
        area->ret = area->param + area->params;
        formal(code, f->param, area->params, area->param);
        formal(code, f->ret, area->rets, area->ret);
    }
    code->local_bytes = a->local_bytes;
    if (a->recursive && code->local_bytes < EXEC_STACK_BYTES) {
        code->local_bytes = EXEC_STACK_BYTES;
    }
    return true;
}

void ptx_calls_code_free(struct exec_code *code)
{
    for (uint32_t i = 0; i < code->call_count; i++) {
        free(code->call[i].arg);
    }
    for (uint32_t s = 0;
         code->area != NULL && s < code->analysis->section_count; s++) {
        free(code->area[s].param);
    }
    free(code->call);
    free(code->area);
    free(code->slot);
}
