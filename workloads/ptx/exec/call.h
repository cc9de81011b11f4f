/*
 * Calls of device functions.
 *
 * A warp has a stack of activations.  Each has the lanes that called, its
 * own part of the divergence stack, and its own local memory, whose address
 * is the same for all lanes of the warp.  The registers of a function have
 * fixed places in the warp's frame; a recursive call puts the older
 * activation's aside.
 */
#ifndef WORKLOADS_PTX_EXEC_CALL_H
#define WORKLOADS_PTX_EXEC_CALL_H

#include "workloads/ptx/exec/exec.h"

/* Local memory of a thread where the depth of calls is not known. */
#define EXEC_STACK_BYTES 16384u

/* What device functions without a body do. */
enum exec_builtin {
    EXEC_NO_BUILTIN,
    EXEC_VPRINTF,
    EXEC_MALLOC,
    EXEC_FREE,
    EXEC_ASSERTFAIL,
    EXEC_SET_CONDITION,
    EXEC_DEVICE_MALLOC, /* cudaMalloc() */
    EXEC_SYSTEM,        /* from here on: system.h */
    EXEC_GET_BUFFER = EXEC_SYSTEM,
    EXEC_LAUNCH,
    EXEC_NEW_HANDLE,
    EXEC_RECORD,
    EXEC_STREAM_WAIT,
    EXEC_COPY_LATER,
    EXEC_COPY_ROWS,
    EXEC_FILL_LATER,
    EXEC_FILL_ROWS,
    EXEC_ERROR_TEXT,
    EXEC_DEVICE,
    EXEC_DEVICES,
    EXEC_LAST_ERROR,
    EXEC_PEEK_ERROR,
    EXEC_NO_WORK
};

/* An argument, parameter or result: in local memory or a register. */
struct exec_arg {
    uint32_t reg;    /* frame offset or constant; EXEC_NONE: in memory */
    uint32_t offset; /* from the activation's local memory */
    uint32_t bytes;
};

struct exec_call {
    uint32_t section; /* EXEC_NONE: a builtin, or through a register */
    uint8_t builtin;  /* enum exec_builtin */
    uint32_t args, rets;
    struct exec_arg *arg, *ret; /* one block of memory */
};

/* A function's registers and formal parameters. */
struct exec_area {
    uint32_t first; /* instruction */
    uint32_t frame, frame_bytes;
    uint32_t predicate, predicates;
    uint32_t local_bytes;
    uint32_t params, rets;
    struct exec_arg *param, *ret; /* one block of memory */
};

/* A register that holds an address of the activation's local memory. */
struct exec_slot {
    uint32_t section, reg;
    uint64_t offset;
    bool wide;
};

struct exec_frame {
    uint32_t section;
    uint32_t call;   /* op that made it */
    uint32_t mask;   /* lanes that called */
    uint32_t live;   /* the caller's lanes */
    uint32_t exited; /* lanes that exited in here */
    uint32_t base;   /* the caller's part of the divergence stack */
    uint32_t local;  /* address of its local memory */
    uint32_t top;    /* end of its local memory, with what alloca took */
    bool saved;      /* registers were put aside */
};

struct exec_calls {
    uint32_t depth;           /* frame[depth] runs; frame[0]: the kernel */
    struct exec_frame *frame; /* [EXEC_CALLS + 1] */
    uint32_t *active;         /* [sections] activations */
    unsigned char *saved;     /* registers that were put aside */
    size_t saved_bytes, saved_room;
};

/* call.c: false: launch->err is set.  Moves the program counter. */
bool ptx_exec_call(struct exec_launch *launch, struct exec_warp *warp,
                   const struct exec_op *op, uint32_t mask);
/* All lanes of the running activation have returned or exited. */
void ptx_exec_return(struct exec_launch *launch, struct exec_warp *warp);
bool ptx_exec_stack(struct exec_launch *launch, struct exec_warp *warp,
                    const struct exec_op *op, uint32_t mask);
void ptx_calls_reset(struct exec_warp *warp);
void ptx_calls_free(struct exec_launch *launch);
/* reach.c: a lane's local memory, an argument's place. */
unsigned char *ptx_local_at(const struct exec_launch *launch,
                            const struct exec_warp *warp, uint32_t lane,
                            uint32_t at);
void *ptx_arg_at(const struct exec_launch *launch, const struct exec_warp *warp,
                 const struct exec_arg *arg, uint32_t lane);
/* The value of an argument for one lane, at most 8 bytes. */
uint64_t ptx_arg_value(const struct exec_launch *launch,
                       const struct exec_warp *warp, const struct exec_arg *arg,
                       uint32_t lane);
void ptx_arg_set(struct exec_launch *launch, struct exec_warp *warp,
                 const struct exec_arg *arg, uint32_t lane, uint64_t value);
/* Host view of memory at a thread's generic address, and how many bytes
 * follow it; NULL: none there. */
unsigned char *ptx_peek(struct exec_launch *launch,
                        const struct exec_warp *warp, uint32_t lane,
                        uint64_t address, uint64_t *bytes);

/* The same for what a builtin function writes there; false: launch->err is
 * set. */
struct exec_put {
    uint32_t lane;
    uint64_t address;
    const void *from; /* [bytes] */
    uint64_t bytes;
};
bool ptx_put(struct exec_launch *launch, const struct exec_warp *warp,
             const struct exec_op *op, const struct exec_put *put);

/* builtin.c */
bool ptx_exec_builtin(struct exec_launch *launch, struct exec_warp *warp,
                      const struct exec_op *op, uint32_t mask);
/* printf.c: false: launch->err is set. */
struct exec_print {
    uint64_t format, values; /* generic addresses */
    uint32_t count;          /* out: values printed */
};
bool ptx_printf(struct exec_launch *launch, struct exec_warp *warp,
                const struct exec_op *op, uint32_t lane,
                struct exec_print *print);

#endif
