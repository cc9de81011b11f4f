/*
 * The instruction stream contract: what the timing model knows of a program.
 *
 * Functional execution comes first.  When the dispatcher takes CTA k, the
 * workload produces the complete dynamic instruction stream of that CTA; the
 * SMs then consume it.  Only where a program reads the time does execution go
 * along with timing: streams come in parts then (loom_kernel.timed).
 *
 * Static facts are stored once per kernel; a dynamic warp instruction is only
 * its static index, its active mask and, for memory operations, compressed lane
 * addresses.
 *
 * A warp's stream is a sequence of 32-bit words:
 *
 *   word 0   bits 0..22  static instruction index
 *            bit  23     set: a mask word follows; clear: all 32 lanes
 *            bits 24..27 enum loom_addr_mode
 *            bits 28..31 reserved, 0
 *   [mask]   active lanes (after predication), never 0 unless the static
 *            instruction has LOOM_INST_ANY_MASK
 *   addresses, by mode; k counts active lanes in ascending order:
 *     NONE    nothing
 *     STRIDE  base low, base high, stride: lane k is at base + k * stride
 *             (stride is signed)
 *     DELTA   base low, base high, then one signed word per active lane
 *             after the first: its address minus base
 *     LIST    two words per active lane: low, high
 *
 * A BARRIER whose number or thread count the program computes has a mode,
 * too: the low word of its base is the number, the high word the count of
 * threads (0: all).  So has a NOP in which the warp sleeps: the low word of
 * its base are nanoseconds.
 *
 * Only this header and its .c know the words; everybody else uses
 * loom_stream_next() and loom_stream_addresses() (readers) or the writer of
 * workloads/streams/writer.h.
 */
#ifndef WORKLOADS_STREAM_H
#define WORKLOADS_STREAM_H

#include "engine/error.h"

#include "workloads/op.h"

#define LOOM_WARP_LANES 32

/* Local memory in a stream: word w of thread t of the grid (CTAs in linear
 * order, their threads rounded up to whole warps) is at
 * LOOM_LOCAL_BASE + 4 * (w * threads of the grid + t).  Timing may move it. */
#define LOOM_LOCAL_BASE UINT64_C(0x7000000000000000)

#define LOOM_STATIC_MAX (1u << 23) /* static instructions of a kernel */

/* Register numbers in masks: 0..255 general (a 64-bit value takes two),
 * 256..319 predicates.  Numbers beyond wrap around inside their class, which
 * can only add dependences. */
#define LOOM_REG_WORDS 5
#define LOOM_REG_PREDICATE 256

/* Bits of `flags`. */
enum {
    LOOM_INST_ANY_MASK = 1,     /* may be issued with no active lane */
    LOOM_INST_PREDICATED = 2,   /* has a guard predicate */
    LOOM_INST_RETURNS = 4,      /* atomic: somebody reads the old value */
    LOOM_INST_UNIFORM = 8,      /* branch: .uni */
    LOOM_INST_LOOP_HEADER = 16, /* first instruction of a loop's header */
    LOOM_INST_VOLATILE = 32,
    /* Copies that run on their own (cp.async): a LOAD that writes no register
     * and the STORE of its data; a NOP that ends a group of them; a MEMBAR that
     * waits until only those of the last `barrier` groups are on their way
     * (LOOM_ALL_COPIES: none).  A NOP with a `barrier`: the warp sleeps. */
    LOOM_INST_ASYNC = 64,
    LOOM_INST_ARRIVE = 128 /* barrier: the warp does not wait */
};

#define LOOM_ALL_COPIES UINT8_MAX
/* Behind the named barriers of a CTA: its part in one of its cluster. */
#define LOOM_CLUSTER_BARRIER 16

#define LOOM_NO_LOOP UINT16_MAX
#define LOOM_NO_PARAM UINT8_MAX
#define LOOM_MIXED_PARAM (UINT8_MAX - 1)

/* Bits of `way`: how a compiler for a machine since Volta has it. */
enum loom_way {
    LOOM_WAY_MEET = 1,    /* lanes that went apart meet before it */
    LOOM_WAY_SHORT = 2,   /* branch: none, for what it is over has a guard */
    LOOM_WAY_STRAIGHT = 4 /* branch: one side goes straight to where both
                           * meet */
};

struct loom_static_inst {
    uint64_t use[LOOM_REG_WORDS]; /* sources, guard and destinations: what
                                   * must not be pending to issue */
    uint64_t def[LOOM_REG_WORDS]; /* destinations, all of a vector's */
    uint32_t pc;                  /* byte offset in the kernel */
    uint32_t line;                /* of the source file; 0: unknown */
    uint32_t text;                /* offset in the kernel's text table */
    uint16_t loop;                /* innermost loop, or LOOM_NO_LOOP */
    uint16_t mark;                /* `.pragma "loom.mark N"` stood last before
                                   * it in the text; 0: none */
    uint8_t op;                   /* enum loom_op */
    uint8_t space;                /* enum loom_mem_space (memory ops) */
    uint8_t bytes;                /* per lane and element: 1, 2, 4, 8, 16;
                                   * BARRIER: warps it is for, 0: all;
                                   * TENSOR_GROUP: of A, in shared memory */
    uint8_t vector;               /* elements per lane: 1, 2, 4 */
    uint8_t cache_op;             /* enum loom_cache_op */
    uint8_t barrier;              /* named barrier (BARRIER ops) */
    uint8_t param;                /* kernel parameter that the address comes
                                   * from, LOOM_NO_PARAM, LOOM_MIXED_PARAM */
    uint8_t sources, dests;       /* register operands, for collectors */
    uint8_t form;                 /* enum loom_form */
    uint8_t parts;                /* TENSOR: products of m16n8 and 256 bits of
                                   * k (by form: others) in it; 0: one */
    uint8_t first_use;            /* enum loom_use */
    uint8_t flags;
    uint8_t way; /* LOOM_WAY_* */
};

struct loom_loop {
    uint16_t parent; /* or LOOM_NO_LOOP */
    uint32_t header; /* static index of its first instruction */
    uint32_t depth;  /* 1 = outermost */
};

struct loom_dim3 {
    uint32_t x, y, z;
};

struct loom_cta_source;

/* In what amounts an SM gives its registers and shared memory to CTAs.  All 0:
 * as GPGPU-Sim 3.2.2 does, register_grain 4 and nothing else. */
struct loom_cta_grain {
    uint32_t register_grain; /* registers of a thread, rounded up to these */
    uint32_t register_files; /* of an SM; each warp is in one */
    uint32_t shared_grain;   /* bytes of a CTA, rounded up to these */
    uint32_t shared_kept;    /* bytes that each CTA takes beside its own */
};

/* One launch of one kernel: static tables plus the source of its CTAs.
 * Owned by the workload; immutable while it runs. */
struct loom_kernel {
    const char *name;
    uint32_t number; /* of the launch in this run, from 0 */
    struct loom_dim3 grid, block;
    uint32_t registers;    /* per thread, for occupancy */
    uint32_t shared_bytes; /* per CTA, static and dynamic */
    uint32_t system_bytes; /* of these, the system's (shared_kept) */
    uint32_t local_bytes;  /* per thread */
    uint32_t interleave;   /* turns of CTAs, as in loom_launch_spec; 0: none */
    bool timed;  /* it reads the time: streams come in parts (resume) */
    bool placed; /* it reads on which SM it is */
    const struct loom_static_inst *inst;
    uint32_t inst_count; /* of a trace: grows as CTAs are produced; `inst`
                          * and `text` stay where they are */
    const struct loom_loop *loop;
    uint32_t loop_count;
    const char *text; /* disassembly, one final-zero string per inst */
    /* What it asks the system for (workloads/children.h), complete once all
     * CTAs are executed; NULL: such a kernel asks for nothing. */
    const struct loom_children *children;
    struct loom_cta_source *source;
};

struct loom_warp_stream {
    const uint32_t *word; /* [words] */
    uint64_t words;
    uint64_t insts; /* dynamic warp instructions */
    bool open;      /* it is a part, and another one follows */
};

/* When an instruction was issued, as programs read it. */
struct loom_moment {
    uint64_t cycles;      /* of the SM: %clock64 */
    uint64_t nanoseconds; /* %globaltimer */
};

/* The stream of one CTA.  Immutable, but for warps that ask for their next
 * part; valid until released. */
struct loom_cta_stream {
    const struct loom_kernel *kernel;
    uint32_t cta;        /* linear id: x + grid.x * (y + grid.y * z) */
    uint32_t warp_count; /* ceil(threads of a block / 32) */
    const struct loom_warp_stream *warp; /* [warp_count] */
};

struct loom_cta_source_ops {
    /* Executes or reads CTA `cta`.  Called for 0, 1, 2 ... in this order,
     * whatever the timing.  False: the program did something illegal. */
    bool (*produce)(struct loom_cta_source *source, uint32_t cta,
                    struct loom_cta_stream **stream, struct loom_error *err);
    /* The CTA has been timed; its memory may be used again. */
    void (*release)(struct loom_cta_source *source,
                    struct loom_cta_stream *stream);
    /* Streams in parts only: the warps of `asking` have issued the last
     * instructions of their parts, at that moment.  Those in *ready have their
     * next parts in stream->warp now; others of them have to wait for a later
     * call, in which they may be ready although they are not in `asking`.  The
     * words of earlier parts stay where their accesses have addresses. */
    bool (*resume)(struct loom_cta_source *source,
                   struct loom_cta_stream *stream, uint64_t asking,
                   struct loom_moment moment, uint64_t *ready,
                   struct loom_error *err);
};

/* First member of every source. */
struct loom_cta_source {
    const struct loom_cta_source_ops *ops;
    uint32_t sm; /* that the next CTA is produced for, if somebody knows */
};

static inline uint64_t loom_dim3_count(struct loom_dim3 d)
{
    return (uint64_t)d.x * d.y * d.z;
}

static inline uint32_t loom_kernel_warps(const struct loom_kernel *kernel)
{
    return (uint32_t)((loom_dim3_count(kernel->block) + LOOM_WARP_LANES - 1) /
                      LOOM_WARP_LANES);
}

#include "workloads/stream_reader.h"

#endif
