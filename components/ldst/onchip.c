/*
 * Shared and constant memory: pipelines of fixed latency whose initiation
 * depends on the addresses.
 *
 * Shared memory: banks of 4 bytes.  An instruction occupies the unit for as
 * many cycles as the bank with the most distinct words needs; lanes that
 * read the same word share it (GPGPU-Sim 3.2.2 and the CUDA C Programming
 * Guide for compute capability 2.x and later).  Atomics do not share.
 *
 * Constant memory: one cycle per distinct line of 64 bytes; parameters: one
 * cycle.
 */
#include "components/ldst/ldst_private.h"

enum {
    WORD_BYTES = 4,
    CONST_LINE = 64,
    WORDS_MAX = 128, /* 32 lanes of up to 16 bytes */
    BANKS_MAX = 64
};

/* Only what `used` says has been written. */
struct banks {
    uint64_t used; /* bit per bank */
    uint32_t most; /* words of a bank */
    uint8_t count[BANKS_MAX];
    loom_addr word[WORDS_MAX][BANKS_MAX];
};
_Static_assert(WORDS_MAX <= UINT8_MAX, "a count is a byte");

static inline void add_word(struct banks *b, uint32_t bank, loom_addr word,
                            bool share)
{
    uint32_t count = (b->used >> bank & 1) != 0 ? b->count[bank] : 0;

    for (uint32_t i = 0; share && i < count; i++) {
        if (b->word[i][bank] == word) {
            return;
        }
    }
    if (count == WORDS_MAX) {
        return;
    }
    b->used |= loom_bit(bank);
    b->word[count][bank] = word;
    b->count[bank] = (uint8_t)++count;
    b->most = count > b->most ? count : b->most;
}

/* All words lie within one row of banks, so that no two of them share one. */
static bool within_row(const struct ldst *u, uint32_t bytes)
{
    loom_addr lowest, highest;

    return loom_stream_span(&u->access.inst, &lowest, &highest) &&
           (highest + bytes - 1) / WORD_BYTES - lowest / WORD_BYTES <
               u->config->shared_banks;
}

uint32_t ldst_passes(const struct ldst *u, const struct loom_static_inst *inst)
{
    uint32_t bytes = inst->bytes * (uint32_t)inst->vector;
    uint32_t mask = u->config->shared_banks - 1;
    bool share = inst->op != LOOM_OP_ATOMIC;
    loom_addr address[LOOM_WARP_LANES];
    struct banks b;

    if (share && within_row(u, bytes)) {
        return 1;
    }
    b.used = 0;
    b.most = 1;
    loom_stream_addresses(&u->access.inst, address);
    for (uint32_t left = u->access.inst.mask; left != 0; left &= left - 1) {
        loom_addr from = address[loom_lowest(left)];
        loom_addr last = (from + bytes - 1) / WORD_BYTES;

        for (loom_addr word = from / WORD_BYTES; word <= last; word++) {
            add_word(&b, (uint32_t)word & mask, word, share);
        }
    }
    return b.most;
}

static struct ldst_done done_of(const struct ldst *u,
                                const struct loom_static_inst *inst,
                                loom_cycle ready)
{
    const struct loom_warp_access *a = &u->access;

    return (struct ldst_done){
        .message = {.warp = a->warp,
                    .kind = ldst_done_kind(inst),
                    .slot = a->slot,
                    .inst = a->inst.index,
                    .cta = a->cta},
        .born = a->born,
        .ready = ready,
        .entry = LDST_NONE,
    };
}

/* Takes the banks from `from` on. */
static void take_banks(struct ldst *u, const struct loom_static_inst *inst,
                       loom_cycle from)
{
    uint32_t cycles = u->access.inst.mask != 0 ? ldst_passes(u, inst) : 1;
    struct ldst_done done =
        done_of(u, inst, from + cycles - 1 + u->config->shared_latency);

    u->shared_free = from + cycles;
    u->stats->shared_conflict_cycles += cycles - 1;
    if (u->config->return_cycles != 0 && ldst_to_registers(inst)) {
        done.ready = ldst_returned(u, u->access.scheduler, cycles, done.ready);
    }
    ldst_push_done(u, LDST_PIPE_SHARED, &done);
}

static bool no_place(const struct ldst *u)
{
    const struct ldst_ring *ring = &u->ring[LDST_PIPE_SHARED];

    return ring->count == ring->capacity;
}

enum ldst_stall ldst_shared(struct ldst *u, const struct loom_static_inst *inst,
                            loom_cycle now)
{
    if (u->shared_free > now || no_place(u)) {
        return LDST_STALL_SHARED;
    }
    take_banks(u, inst, now);
    return LDST_MOVED;
}

enum ldst_stall ldst_store_copy(struct ldst *u,
                                const struct loom_static_inst *inst,
                                loom_cycle now)
{
    if (no_place(u)) {
        return LDST_STALL_SHARED;
    }
    take_banks(u, inst, u->shared_free > now ? u->shared_free : now);
    return LDST_MOVED;
}

static uint32_t const_cycles(const struct ldst *u)
{
    loom_addr address[LOOM_WARP_LANES];
    loom_addr line[LOOM_WARP_LANES];
    uint32_t count = 0;

    loom_stream_addresses(&u->access.inst, address);
    for (uint32_t left = u->access.inst.mask; left != 0; left &= left - 1) {
        loom_addr at = address[loom_lowest(left)] / CONST_LINE;
        uint32_t i = 0;

        while (i < count && line[i] != at) {
            i++;
        }
        if (i == count) {
            line[count++] = at;
        }
    }
    return count;
}

enum ldst_stall ldst_const(struct ldst *u, const struct loom_static_inst *inst,
                           loom_cycle now)
{
    const struct ldst_ring *ring = &u->ring[LDST_PIPE_CONST];
    struct ldst_done done;
    uint32_t cycles = 1;

    if (u->const_free > now || ring->count > u->config->const_latency) {
        return LDST_STALL_CONST;
    }
    if (inst->space != LOOM_SPACE_PARAM && u->access.inst.mask != 0 &&
        u->access.inst.mode != LOOM_ADDR_NONE) {
        cycles = const_cycles(u);
    }
    u->const_free = now + cycles;
    u->stats->const_serial_cycles += cycles - 1;
    done = done_of(u, inst, now + cycles - 1 + u->config->const_latency);
    ldst_push_done(u, LDST_PIPE_CONST, &done);
    return LDST_MOVED;
}
