/*
 * What depends on the kernel: where local memory lies, and how much of a
 * unified memory is the L1's.
 *
 * Local memory by slots (GPGPU-Sim): word w of a thread is at
 *
 *     base + 4 (w M + s),  s = P (sm + sms * slot) + thread of its CTA
 *
 * with P the threads of a CTA in whole warps, slot the number of its CTA
 * among those resident on the SM, and M = P * CTAs per SM * SMs.  So a CTA
 * finds the lines of its predecessor in the slot.  The stream says the word
 * and the thread of the grid (workloads/stream.h); more than a word per lane
 * is several accesses, or with local_words = "first" one, to the first.
 *
 * Unified memory (GPGPU-Sim 4, -gpgpu_adaptive_cache_config): before a
 * kernel's first access to memory the smallest of the options that holds the
 * shared memory of all resident CTAs is taken, and the L1 is told to use the
 * rest.
 */
#include <string.h>

#include "components/cta_protocol.h"
#include "components/ldst/ldst_private.h"

bool ldst_validate(const void *config, struct loom_error *err)
{
    const struct ldst_config *k = config;

    if (k->unified_bytes == 0) {
        return true;
    }
    if (k->shared_options.count == 0 || !k->flushes_l1) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "parameter 'unified_bytes' needs 'shared_options' "
                         "and flushes_l1 = true: it is shared with an L1");
    }
    for (uint32_t i = 0; i < k->shared_options.count; i++) {
        if (k->shared_options.item[i] * 1024 >= k->unified_bytes) {
            return loom_fail(err, LOOM_ERR_CONFIG,
                             "parameter 'shared_options' has %llu KiB, "
                             "expected less than 'unified_bytes', %llu",
                             (unsigned long long)k->shared_options.item[i],
                             (unsigned long long)k->unified_bytes);
        }
    }
    return true;
}

/* CTAs on an SM at a time: what fits, but no more than an even share of the
 * grid (GPGPU-Sim, shader_core_config::max_cta). */
static uint32_t resident_ctas(const struct ldst_config *k,
                              const struct loom_kernel *kernel)
{
    struct loom_sm_limits limits = {
        .threads = k->sm_threads,
        .registers = k->sm_registers,
        .shared_bytes = k->sm_shared_bytes,
        .ctas = k->sm_ctas,
        .warps = k->warps,
        .grain = k->grain,
    };
    const char *limit;
    uint32_t ctas = loom_cta_occupancy(kernel, &limits, &limit);
    uint64_t share = (loom_dim3_count(kernel->grid) + k->sms - 1) / k->sms;

    ctas = share < ctas ? (uint32_t)share : ctas;
    return ctas == 0 ? 1 : ctas;
}

/* KiB of shared memory, UINT64_MAX if none of the options is enough. */
static uint64_t option_for(const struct ldst_config *k, uint64_t bytes)
{
    uint64_t best = UINT64_MAX;

    for (uint32_t i = 0; i < k->shared_options.count; i++) {
        uint64_t option = k->shared_options.item[i];

        if (option * 1024 >= bytes && option < best) {
            best = option;
        }
    }
    return best;
}

static void no_option(struct ldst *u, const struct loom_kernel *kernel,
                      uint64_t bytes)
{
    struct loom_error err;

    loom_fail(&err, LOOM_ERR_CONFIG,
              "kernel '%s' needs %llu bytes of shared memory per SM, more "
              "than each of 'shared_options'",
              kernel->name, (unsigned long long)bytes);
    loom_raise(u->self, &err);
}

static void carve(struct ldst *u, const struct loom_kernel *kernel,
                  uint32_t ctas, loom_cycle now)
{
    const struct ldst_config *k = u->config;
    uint64_t bytes =
        (uint64_t)loom_cta_takes(kernel, &k->grain).shared_bytes * ctas;
    uint64_t option = option_for(k, bytes);
    struct loom_mem_request *r;
    bool beside;

    if (option == UINT64_MAX) {
        no_option(u, kernel, bytes);
        return;
    }
    /* Beside a newer kernel: it has what that one has, if that is enough. */
    beside = u->is_carved && kernel->number <= u->newest;
    if (beside && u->carved >= option) {
        return;
    }
    u->newest = beside ? u->newest : kernel->number;
    u->carved = option;
    u->is_carved = true;
    u->stats->shared_carved_bytes = option * 1024;
    u->stats->l1_carved_bytes = k->unified_bytes - option * 1024;
    u->stats->l1_resizes++;
    r = loom_send(u->to[LDST_L1D], now, 0);
    *r = (struct loom_mem_request){
        .block = u->stats->l1_carved_bytes,
        .born = loom_cycle_time(u->self, now),
        .src = u->id,
        .sm = (uint16_t)u->sm,
        .kind = LOOM_MEM_FLUSH,
        .flags = LOOM_MEM_RESIZE,
    };
    u->resizing = true;
}

static bool knows(const struct ldst *u)
{
    return u->announced && u->kernel.number == u->access.kernel->number;
}

static void learn(struct ldst *u)
{
    const struct loom_kernel *kernel = u->access.kernel;
    struct ldst_kernel *facts = &u->kernel;

    u->announced = true;
    facts->number = kernel->number;
    facts->threads = loom_kernel_warps(kernel) * LOOM_WARP_LANES;
    facts->ctas = resident_ctas(u->config, kernel);
    facts->grid_threads = loom_dim3_count(kernel->grid) * facts->threads;
}

bool ldst_meet_kernel(struct ldst *u, loom_cycle now)
{
    bool split = u->config->unified_bytes != 0 && u->to[LDST_L1D] != NULL;

    if (LOOM_LIKELY(knows(u))) {
        return true;
    }
    if (split && (u->queued != 0 || !loom_ready(u->to[LDST_L1D], now))) {
        return false;
    }
    learn(u);
    if (split) {
        carve(u, u->access.kernel, u->kernel.ctas, now);
    }
    return true;
}

void ldst_meet_kernel_warm(struct ldst *u)
{
    if (!knows(u)) {
        learn(u);
    }
}

/* The address of word `word` of the thread that the stream's address is of. */
static loom_addr place(const struct ldst *u, loom_addr address, uint32_t word)
{
    const struct ldst_kernel *f = &u->kernel;
    uint64_t number = (address - LOOM_LOCAL_BASE) / 4;
    uint64_t sms = u->config->sms;
    uint64_t all = (uint64_t)f->threads * f->ctas * sms;
    uint64_t slot = u->access.warp / (f->threads / LOOM_WARP_LANES);
    uint64_t thread = number % f->grid_threads % f->threads;
    uint64_t at = f->threads * (u->sm + sms * slot) + thread;

    return u->config->local_base +
           4 * ((number / f->grid_threads + word) * all + at);
}

bool ldst_local(struct ldst *u, const struct loom_static_inst *inst,
                const loom_addr *address)
{
    uint32_t bytes = inst->bytes * (uint32_t)inst->vector;
    struct loom_static_inst one = *inst;
    loom_addr moved[LOOM_WARP_LANES];
    struct loom_lanes lanes = {&one, moved, u->access.inst.mask};
    struct loom_access made[LOOM_ACCESS_MAX];

    if (inst->space != LOOM_SPACE_LOCAL ||
        address[loom_lowest(lanes.mask)] < LOOM_LOCAL_BASE) {
        return false;
    }
    one.bytes = bytes < 4 ? (uint8_t)bytes : 4;
    one.vector = 1;
    bytes = u->first_words ? 4 : bytes;
    for (uint32_t word = 0; word == 0 || 4 * word < bytes; word++) {
        uint32_t count;

        for (uint32_t left = lanes.mask; left != 0; left &= left - 1) {
            uint32_t lane = loom_lowest(left);

            moved[lane] = place(u, address[lane], word);
        }
        count = u->coalesce->coalesce(u->coalesce_self, &lanes, made);
        if (count > LOOM_ACCESS_MAX - u->made_count) {
            count = LOOM_ACCESS_MAX - u->made_count;
        }
        memcpy(u->made + u->made_count, made, count * sizeof(*made));
        u->made_count += count;
    }
    return true;
}
