/*
 * Memory requests and replies.
 *
 * A request travels from an SM's load/store unit towards memory; every level
 * answers loads, atomics and queries (and stores, with an acknowledgement)
 * with a reply.  Both are one plain struct, so that whoever answers copies
 * the request and changes little, and a reply still knows whose it was.
 *
 * Identity.  `src` and `token` belong to the component that sent the request
 * over this hop: it finds its own bookkeeping again by them, and networks
 * route the reply to component `src`.  A cache that sends a miss downwards
 * makes a new request with its own src and token.  All other fields describe
 * the program's access and are handed on unchanged.
 *
 * Parts.  A cache that serves every sector of a request by itself may answer
 * in parts: each reply has LOOM_MEM_PART and `sectors` says what it brings;
 * all but the last of a request have LOOM_MEM_MORE.  Whoever counts replies
 * counts those without LOOM_MEM_MORE.
 *
 * A bypass is stored in the request (bit of the level in `bypassed`), never
 * re-derived: caches above the one that answers see from the reply how the
 * request went down.
 */
#ifndef COMPONENTS_MEM_PROTOCOL_H
#define COMPONENTS_MEM_PROTOCOL_H

#include <stddef.h>
#include <string.h>

#include "engine/channel.h"

#define LOOM_BLOCK_BYTES 128 /* what byte masks cover */
#define LOOM_SECTOR_BYTES 32

enum loom_mem_kind {
    LOOM_MEM_LOAD,
    LOOM_MEM_STORE,
    LOOM_MEM_ATOMIC,
    LOOM_MEM_WRITEBACK, /* dirty line of an upper cache; no reply */
    LOOM_MEM_QUERY,     /* a policy asks a policy further down; replied */
    LOOM_MEM_FLUSH,     /* SM to its L1: drop everything; replied by the L1,
                         * never sent further */
    LOOM_MEM_KINDS
};

enum loom_mem_space {
    LOOM_SPACE_GLOBAL,
    LOOM_SPACE_LOCAL,
    LOOM_SPACE_SHARED, /* never leaves the SM */
    LOOM_SPACE_CONST,
    LOOM_SPACE_PARAM,
    LOOM_SPACE_TEXTURE,
    LOOM_SPACE_INST,
    LOOM_SPACES
};

/* Cache operators of PTX ld/st, as the request carries them. */
enum loom_cache_op {
    LOOM_CACHE_DEFAULT, /* .ca / .wb */
    LOOM_CACHE_CG,      /* cache at L2 only */
    LOOM_CACHE_CS,      /* streaming */
    LOOM_CACHE_CV,      /* volatile: do not cache, fetch again */
    LOOM_CACHE_NC       /* non-coherent, read-only */
};

/* A warm access of a CTA that is left out of time: the caches of the levels in
 * `bypassed` hand it on and do not notice. */
#define LOOM_BY_LEFT_OUT 255

/* Levels, for `bypassed`. */
enum {
    LOOM_LEVEL_L1 = 1,
    LOOM_LEVEL_L15 = 2,
    LOOM_LEVEL_L2 = 4,
    LOOM_LEVEL_L3 = 8
};

/* Bits of `flags`. */
enum {
    LOOM_MEM_REPLY = 1,       /* this is an answer */
    LOOM_MEM_HIT = 2,         /* reply: the answering cache had the data */
    LOOM_MEM_UNCOALESCED = 4, /* instruction makes more than two accesses */
    LOOM_MEM_MAY_MERGE = 8, /* a bypass that may wait in an MSHR with others */
    LOOM_MEM_PART = 16,     /* reply: to `sectors` only */
    LOOM_MEM_MORE = 32,     /* reply: further parts follow */
    LOOM_MEM_RESIZE = 64,   /* flush: the cache then uses as many ways as hold
                             * `block` bytes, at least one and at most all */
    LOOM_MEM_AWAITED = 128, /* a load: its warp cannot end without the reply */
    LOOM_MEM_SWAP = 64,     /* an atomic: of two operands for each lane */
    LOOM_MEM_REAL = 128     /* an atomic: of floating point */
};

/* All but `bytes` is in one line of the host's cache, and loads, of which there
 * are most, leave `bytes` behind: see loom_mem_copy(). */
struct loom_mem_request {
    loom_addr block;      /* first byte of the 128-byte block */
    uint16_t src;         /* component id of the sender over this hop */
    uint16_t size_bytes;  /* moved by the data packet: fetched or written */
    uint8_t kind;         /* enum loom_mem_kind */
    uint8_t sectors;      /* 4 bits: 32-byte sectors wanted or written */
    uint8_t flags;        /* LOOM_MEM_* */
    uint8_t bypassed;     /* LOOM_LEVEL_*: sent around that cache */
    uint32_t token;       /* the sender's name for it */
    uint32_t slot;        /* networks: see loom_mem_enter() */
    uint32_t origin;      /* the load/store unit's name: pending entry */
    uint8_t bypassed_by;  /* number of the policy in its chain, from 1, or
                           * LOOM_BY_LEFT_OUT */
    uint8_t space;        /* enum loom_mem_space */
    uint8_t cache_op;     /* enum loom_cache_op */
    uint8_t scheduler;    /* of its SM */
    uint16_t policy_bits; /* allotted by name when policies are bound */
    uint16_t reply_bits;  /* likewise, set by whoever answers */
    uint16_t sm;          /* hardware index */
    uint16_t warp;        /* hardware warp slot in the SM */
    uint16_t rank;        /* of the warp at issue: 0 = scheduled first */
    uint8_t access;       /* which access of its instruction, from 0 */
    uint8_t accesses;     /* how many its instruction makes */
    uint32_t cta;         /* linear CTA id */
    loom_time born;       /* when its instruction issued */
    uint32_t kernel;      /* number of the launch in this run, from 0 */
    uint32_t inst;        /* static instruction index (which load) */
    uint64_t bytes[2];    /* bit i of the 128: byte block + i is used; of loads
                           * only on their way to the first cache */
};

_Static_assert(offsetof(struct loom_mem_request, bytes) == 64,
               "the first line of a request");
_Static_assert(sizeof(struct loom_mem_request) <= LOOM_MESSAGE_MAX,
               "a request is one message");

extern const struct loom_protocol loom_mem_protocol;
/* Of the kinds, as keys of statistics; NULL behind the last one. */
extern const char *const loom_mem_kind_names[LOOM_MEM_KINDS + 1];

/* Bytes on a network, GPGPU-Sim's rule (facts/model 5): 8 of control, plus
 * the data that travels in this direction. */
static inline uint32_t loom_mem_packet_bytes(const struct loom_mem_request *r)
{
    /* Kinds that bring data as requests and as replies. */
    const uint32_t out =
        1u << LOOM_MEM_STORE | 1u << LOOM_MEM_WRITEBACK | 1u << LOOM_MEM_ATOMIC;
    const uint32_t back = 1u << LOOM_MEM_LOAD | 1u << LOOM_MEM_ATOMIC;
    uint32_t with = (r->flags & LOOM_MEM_REPLY) != 0 ? back : out;

    return 8u + (with >> r->kind & 1u) * r->size_bytes;
}

/* The same of a request with a mask of its bytes, unless it brings its sectors
 * whole, and with an atomic's second operand.  An atomic on one word has that
 * in place of the mask (decision 0079). */
static inline uint32_t loom_mem_masked_bytes(const struct loom_mem_request *r,
                                             uint32_t mask)
{
    uint32_t bytes = loom_mem_packet_bytes(r), used;

    if (r->kind != LOOM_MEM_STORE && r->kind != LOOM_MEM_WRITEBACK &&
        r->kind != LOOM_MEM_ATOMIC) {
        return bytes; /* loads leave `bytes` behind */
    }
    used = loom_popcount(r->bytes[0]) + loom_popcount(r->bytes[1]);
    if (r->kind != LOOM_MEM_ATOMIC) {
        return used < r->size_bytes ? bytes + mask : bytes;
    }
    bytes += (r->flags & LOOM_MEM_SWAP) != 0 ? r->size_bytes : 0u;
    return used <= 8 ? bytes - r->size_bytes + mask : bytes + mask;
}

/* When blocks are loaded next, as whoever drives caches without time may know:
 * LOOM_NEVER if a block is written before that, or not loaded again. */
struct loom_mem_future {
    uint64_t (*next_use)(const void *context, loom_addr block);
    const void *context;
};

/* A command to a cache: with `preload`, the host has copied these bytes; or,
 * with `future`, whom to ask from now on. */
struct loom_mem_command {
    loom_addr address;
    uint64_t bytes;
    const struct loom_mem_future *future; /* NULL: bytes were copied */
};

/* A request's way through networks, so that its reply finds back: each of them
 * enters the link by which the request came, the last one innermost, as a
 * digit whose base is the number of its links.  False if there is no room for
 * another one. */
static inline bool loom_mem_enter(struct loom_mem_request *r, uint32_t links,
                                  uint32_t link)
{
    uint64_t slot = (uint64_t)r->slot * links + link;

    r->slot = (uint32_t)slot;
    return slot <= UINT32_MAX;
}

/* The link that the request came by; a reply has left this network then. */
static inline uint32_t loom_mem_leave(struct loom_mem_request *r,
                                      uint32_t links)
{
    uint32_t link = r->slot;

    /* Without a division for the reply of the outermost network. */
    r->slot = 0;
    if (link >= links) {
        r->slot = link / links;
        link %= links;
    }
    return link;
}

/* Copies a load, whose `bytes` mean nothing from here on. */
static LOOM_INLINE void loom_mem_copy_load(struct loom_mem_request *to,
                                           const struct loom_mem_request *from)
{
    memcpy(to, from, offsetof(struct loom_mem_request, bytes));
}

/* Copies a request; a load without `bytes`. */
static LOOM_INLINE void loom_mem_copy(struct loom_mem_request *to,
                                      const struct loom_mem_request *from)
{
    loom_mem_copy_load(to, from);
    if (from->kind != LOOM_MEM_LOAD) {
        to->bytes[0] = from->bytes[0];
        to->bytes[1] = from->bytes[1];
    }
}

/* Are replies sent for this kind of request? */
static inline bool loom_mem_replied(enum loom_mem_kind kind)
{
    return kind != LOOM_MEM_WRITEBACK;
}

#endif
