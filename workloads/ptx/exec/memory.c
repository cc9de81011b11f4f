/*
 * Loads and stores of a warp.
 *
 * Every access is checked against what it may touch: one allocation of
 * device memory (the one that the same instruction found last is tried
 * first), the CTA's shared memory, the thread's local memory or the
 * parameter block; and it must be aligned to its size, as PTX demands.
 *
 * Lanes that are not active borrow the address of the first active one, so
 * that checks and loads need no mask; what they load is not kept.
 */
#include <string.h>

#include "workloads/ptx/exec/check.h"
#include "workloads/ptx/exec/cluster.h"

/* Global: the allocation that holds the first active lane's access. */
static bool find_region(struct exec_launch *launch, const struct exec_op *op,
                        loom_addr at, uint32_t bytes)
{
    struct exec_region *region = &launch->region[op->index];
    struct loom_allocation found;
    uint64_t end;

    if (!loom_memory_before(launch->memory, at, &found) ||
        (found.read_only && ptx_writes(op))) {
        return false;
    }
    end = found.bytes;
    if (launch->code->tail && !ptx_writes(op) && !found.adopted) {
        end += LOOM_MEMORY_TAIL;
    }
    if (at - found.base > end || bytes > end - (at - found.base)) {
        return false;
    }
    region->base = found.base;
    region->bytes = end;
    region->host = loom_memory_at(launch->memory, found.base, found.bytes);
    return true;
}

/* Do all accesses lie in the region?  Offsets are below 2^63, so a wrong
 * one shows as a sign. */
static bool all_inside(const loom_addr *address, const struct exec_region *r,
                       uint32_t bytes)
{
    uint64_t bad = 0, limit = r->bytes - bytes;

    if (r->bytes < bytes) {
        return false;
    }
    for (uint32_t l = 0; l < LOOM_WARP_LANES; l++) {
        uint64_t offset = address[l] - r->base;

        bad |= offset | (limit - offset);
    }
    return bad >> 63 == 0;
}

/* Where a load or a store beyond an allocation goes, if it may. */
static unsigned char *beyond(const struct exec_launch *launch,
                             const struct exec_op *op, loom_addr at,
                             uint32_t bytes)
{
    if (op->kind == EXEC_STORE) {
        return loom_memory_sink(launch->memory, at, bytes);
    }
    return ptx_writes(op) ? NULL
                          : (unsigned char *)(uintptr_t)loom_memory_zeros(
                                launch->memory, at, bytes);
}

/* Lanes that lie in different allocations, one by one. */
static bool locate_each(struct exec_launch *launch, struct exec_warp *warp,
                        const struct exec_op *op, struct exec_access *access)
{
    struct exec_region *r = &launch->region[op->index];

    for (uint32_t l = 0; l < LOOM_WARP_LANES; l++) {
        loom_addr at = access->address[l];

        if ((at - r->base > r->bytes ||
             access->bytes > r->bytes - (at - r->base)) &&
            !find_region(launch, op, at, access->bytes)) {
            access->host[l] = beyond(launch, op, at, access->bytes);
            if (access->host[l] == NULL) {
                return ptx_fault_address(launch, warp, op, access, l);
            }
            continue;
        }
        access->host[l] = r->host + (at - r->base);
    }
    return true;
}

static bool locate_global(struct exec_launch *launch, struct exec_warp *warp,
                          const struct exec_op *op, struct exec_access *access)
{
    struct exec_region *r = &launch->region[op->index];

    if (!all_inside(access->address, r, access->bytes)) {
        return locate_each(launch, warp, op, access);
    }
    for (uint32_t l = 0; l < LOOM_WARP_LANES; l++) {
        access->host[l] = r->host + (access->address[l] - r->base);
    }
    return true;
}

/* Of another CTA of the cluster, or nowhere. */
static LOOM_NOINLINE bool locate_apart(struct exec_launch *launch,
                                       struct exec_warp *warp,
                                       const struct exec_op *op,
                                       struct exec_access *access,
                                       const struct exec_region *r)
{
    uint32_t l = 0;

    if (access->space == EXEC_SHARED) {
        return ptx_cluster_locate(launch, access, &l) ||
               ptx_fault_address(launch, warp, op, access, l);
    }
    while (access->address[l] <= r->bytes &&
           access->bytes <= r->bytes - access->address[l]) {
        l++;
    }
    return ptx_fault_address(launch, warp, op, access, l);
}

static bool locate_block(struct exec_launch *launch, struct exec_warp *warp,
                         const struct exec_op *op, struct exec_access *access)
{
    struct exec_region r = {0, launch->param_bytes, launch->params};

    if (access->space == EXEC_SHARED) {
        r = (struct exec_region){0, launch->kernel.shared_bytes,
                                 launch->shared};
    }
    if (!all_inside(access->address, &r, access->bytes)) {
        return locate_apart(launch, warp, op, access, &r);
    }
    for (uint32_t l = 0; l < LOOM_WARP_LANES; l++) {
        access->host[l] = r.host + access->address[l];
    }
    return true;
}

/* Local memory has each thread's bytes together here; what the stream shows
 * is interleaved. */
static bool locate_local(struct exec_launch *launch, struct exec_warp *warp,
                         const struct exec_op *op, struct exec_access *access)
{
    uint64_t bytes = launch->code->local_bytes;
    uint64_t first = (uint64_t)warp->number * LOOM_WARP_LANES;
    uint64_t thread =
        ((uint64_t)launch->cta * launch->warps) * LOOM_WARP_LANES + first;
    uint32_t borrowed = loom_lowest(access->mask);

    for (uint32_t l = 0; l < LOOM_WARP_LANES; l++) {
        loom_addr at = access->address[l];
        uint32_t own = (access->mask >> l & 1) != 0 ? l : borrowed;

        if (at > bytes || access->bytes > bytes - at) {
            return ptx_fault_address(launch, warp, op, access, l);
        }
        access->host[l] = launch->local + (first + own) * bytes + at;
        access->address[l] =
            LOOM_LOCAL_BASE +
            4 * ((at / 4) * launch->all_threads + thread + own);
    }
    return true;
}

/* Lane addresses as the instruction computes them. */
static void compute_addresses(const struct exec_launch *launch,
                              const struct exec_warp *warp,
                              const struct exec_op *op, loom_addr *address)
{
    const void *reg = exec_reg(launch, warp, op->s[0]);
    uint64_t offset = (uint64_t)op->offset;

    if (op->s_wide != 0) {
        const lane_u64 *wide = reg;

        for (uint32_t l = 0; l < LOOM_WARP_LANES; l++) {
            address[l] = wide[l] + offset;
        }
    } else {
        const lane_u32 *narrow = reg;

        for (uint32_t l = 0; l < LOOM_WARP_LANES; l++) {
            address[l] = narrow[l] + offset;
        }
    }
    /* Shared addresses wrap at 32 bits: compilers add negative offsets. */
    if (op->space == EXEC_SHARED) {
        for (uint32_t l = 0; l < LOOM_WARP_LANES; l++) {
            address[l] &= UINT32_MAX;
        }
    }
}

static void borrow(loom_addr *address, uint32_t mask)
{
    loom_addr first = address[loom_lowest(mask)];

    for (uint32_t l = 0; l < LOOM_WARP_LANES; l++) {
        address[l] = (mask >> l & 1) != 0 ? address[l] : first;
    }
}

static bool aligned(const loom_addr *address, uint32_t bytes)
{
    uint64_t all = 0;

    for (uint32_t l = 0; l < LOOM_WARP_LANES; l++) {
        all |= address[l];
    }
    return (all & (bytes - 1)) == 0;
}

/* Checks, finds the host addresses and writes the record of the lanes that
 * are in one space. */
bool ptx_locate(struct exec_launch *launch, struct exec_warp *warp,
                const struct exec_op *op, struct exec_access *access)
{
    uint32_t index = op->index;
    bool ok;

    if (access->mask != UINT32_MAX) {
        borrow(access->address, access->mask);
    }
    if (!aligned(access->address, access->bytes)) {
        return ptx_fault_alignment(launch, warp, op, access);
    }
    switch (access->space) {
    case EXEC_GLOBAL:
        ok = locate_global(launch, warp, op, access);
        break;
    case EXEC_LOCAL:
        ok = locate_local(launch, warp, op, access);
        break;
    default:
        ok = locate_block(launch, warp, op, access);
        break;
    }
    if (op->space == EXEC_GENERIC && access->space == EXEC_SHARED) {
        index = op->target;
    } else if (op->space == EXEC_GENERIC && access->space == EXEC_LOCAL) {
        index = op->target + 1;
    } else if ((op->flags & EXEC_SECOND) != 0) {
        index = op->target;
    }
    if (ok && LOOM_UNLIKELY(launch->watch != 0)) {
        ok = ptx_check_access(launch, warp, op, access);
    }
    if (ok && (op->flags & EXEC_QUIET) != 0) {
        loom_writer_put(warp->writer, index, access->mask);
    } else if (ok) {
        loom_writer_memory(warp->writer, index, access->mask, access->address);
    }
    return ok;
}

static const loom_addr window[EXEC_SPACES] = {
    [EXEC_SHARED] = EXEC_WINDOW_SHARED,
    [EXEC_LOCAL] = EXEC_WINDOW_LOCAL,
    [EXEC_PARAM] = EXEC_WINDOW_PARAM,
};

/* One record and one visit for each space that generic addresses are in. */
static bool visit_generic(struct exec_launch *launch, struct exec_warp *warp,
                          const struct exec_op *op, uint32_t mask,
                          exec_visit *visit)
{
    loom_addr address[LOOM_WARP_LANES];
    struct exec_access access = {0};

    compute_addresses(launch, warp, op, address);
    for (uint32_t space = 0; space < EXEC_SPACES; space++) {
        access.mask = 0;
        for (uint32_t left = mask; left != 0; left &= left - 1) {
            uint32_t l = loom_lowest(left);

            if ((address[l] & EXEC_WINDOW_MASK) == window[space]) {
                access.mask |= 1u << l;
                access.address[l] = address[l] - window[space];
            }
        }
        access.space = space;
        access.bytes = op->bytes * (uint32_t)op->elements;
        mask &= ~access.mask;
        if (access.mask != 0) {
            if (!ptx_locate(launch, warp, op, &access)) {
                return false;
            }
            visit(launch, warp, op, &access);
        }
    }
    if (mask != 0) { /* beyond all windows */
        access.mask = mask;
        access.space = EXEC_GLOBAL;
        memcpy(access.address, address, sizeof(address));
        return ptx_fault_address(launch, warp, op, &access, loom_lowest(mask));
    }
    return true;
}

bool ptx_visit_memory(struct exec_launch *launch, struct exec_warp *warp,
                      const struct exec_op *op, uint32_t mask,
                      exec_visit *visit)
{
    struct exec_access access;

    if (mask == 0) {
        loom_writer_put(warp->writer, op->index, 0);
        return true;
    }
    if (op->space == EXEC_GENERIC) {
        return visit_generic(launch, warp, op, mask, visit);
    }
    access.mask = mask;
    access.space = op->space;
    access.bytes = op->bytes * (uint32_t)op->elements;
    compute_addresses(launch, warp, op, access.address);
    if (!ptx_locate(launch, warp, op, &access)) {
        return false;
    }
    visit(launch, warp, op, &access);
    return true;
}

/* Element `n` of all lanes to narrow lanes, extended. */
static void gather_narrow(const struct exec_access *access, uint32_t n,
                          const struct exec_op *op, lane_u32 *to)
{
    bool sign = (op->flags & EXEC_SIGNED) != 0;
    uint32_t at = n * op->bytes;

    if (op->bytes == 4) {
        for (uint32_t l = 0; l < LOOM_WARP_LANES; l++) {
            uint32_t value;

            memcpy(&value, access->host[l] + at, sizeof(value));
            to[l] = value;
        }
    } else if (op->bytes == 2) {
        for (uint32_t l = 0; l < LOOM_WARP_LANES; l++) {
            uint16_t value;

            memcpy(&value, access->host[l] + at, sizeof(value));
            to[l] = (lane_u32)(sign ? (int16_t)value : (int32_t)value);
        }
    } else {
        for (uint32_t l = 0; l < LOOM_WARP_LANES; l++) {
            uint8_t value = access->host[l][at];

            to[l] = (lane_u32)(sign ? (int8_t)value : (int32_t)value);
        }
    }
}

static void gather_wide(const struct exec_access *access, uint32_t n,
                        const struct exec_op *op, lane_u64 *to)
{
    lane_u32 narrow[LOOM_WARP_LANES];

    if (op->bytes == 8) {
        for (uint32_t l = 0; l < LOOM_WARP_LANES; l++) {
            uint64_t value;

            memcpy(&value, access->host[l] + n * 8, sizeof(value));
            to[l] = value;
        }
        return;
    }
    gather_narrow(access, n, op, narrow);
    for (uint32_t l = 0; l < LOOM_WARP_LANES; l++) {
        int64_t extended = (int32_t)narrow[l];

        to[l] = (lane_u64)((op->flags & EXEC_SIGNED) != 0 ? extended
                                                          : (int64_t)narrow[l]);
    }
}

static void load(struct exec_launch *launch, struct exec_warp *warp,
                 const struct exec_op *op, struct exec_access *access)
{
    lane_u64 value[LOOM_WARP_LANES];

    (void)launch;
    for (uint32_t n = 0; n < op->elements; n++) {
        bool wide = (op->d_wide >> n & 1) != 0;
        bool direct = access->mask == UINT32_MAX;
        void *to;

        if (op->d[n] == EXEC_NONE) {
            continue;
        }
        to = direct ? (void *)(warp->frame + op->d[n]) : (void *)value;
        if (wide) {
            gather_wide(access, n, op, to);
        } else {
            gather_narrow(access, n, op, to);
        }
        if (!direct) {
            ptx_blend(warp->frame + op->d[n], value, access->mask, wide);
        }
    }
}

static void scatter(const struct exec_access *access, const void *from,
                    bool wide, uint32_t at, uint32_t bytes)
{
    const unsigned char *lane = from;
    uint32_t step = wide ? 8 : 4;

    if (access->mask == UINT32_MAX && bytes == 4 && !wide) {
        for (uint32_t l = 0; l < LOOM_WARP_LANES; l++) {
            memcpy(access->host[l] + at, lane + l * 4, 4);
        }
        return;
    }
    for (uint32_t left = access->mask; left != 0; left &= left - 1) {
        uint32_t l = loom_lowest(left);

        /* The low bytes of a lane: hosts are little-endian, as GPUs are. */
        memcpy(access->host[l] + at, lane + l * step, bytes);
    }
}

/* Of what is there for all lanes. */
static uint64_t digest_of(const struct exec_access *access)
{
    uint64_t digest = 0;

    for (uint32_t left = access->mask; left != 0; left &= left - 1) {
        const unsigned char *at = access->host[loom_lowest(left)];

        for (uint32_t i = 0; i < access->bytes; i++) {
            digest = digest * UINT64_C(0x100000001B3) + at[i];
        }
    }
    return digest;
}

static void store(struct exec_launch *launch, struct exec_warp *warp,
                  const struct exec_op *op, struct exec_access *access)
{
    uint64_t before = launch->code->polls ? digest_of(access) : 0;

    for (uint32_t n = 0; n < op->elements; n++) {
        scatter(access, exec_reg(launch, warp, op->v[n]),
                (op->v_wide >> n & 1) != 0, n * op->bytes, op->bytes);
    }
    if (launch->code->polls && digest_of(access) != before) {
        launch->moved = launch->total;
    }
}

bool ptx_exec_load(struct exec_launch *launch, struct exec_warp *warp,
                   const struct exec_op *op, uint32_t mask)
{
    return ptx_visit_memory(launch, warp, op, mask, load);
}

bool ptx_exec_store(struct exec_launch *launch, struct exec_warp *warp,
                    const struct exec_op *op, uint32_t mask)
{
    return ptx_visit_memory(launch, warp, op, mask, store);
}
