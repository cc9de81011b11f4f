/*
 * Results of active lanes to a register.
 */
#include "workloads/ptx/exec/exec.h"

void ptx_blend(void *to, const void *from, uint32_t mask, bool wide)
{
    if (wide) {
        lane_u64 *d = to;
        const lane_u64 *a = from;

        for (uint32_t l = 0; l < LOOM_WARP_LANES; l++) {
            d[l] = (mask >> l & 1) != 0 ? a[l] : d[l];
        }
    } else {
        lane_u32 *d = to;
        const lane_u32 *a = from;

        for (uint32_t l = 0; l < LOOM_WARP_LANES; l++) {
            d[l] = (mask >> l & 1) != 0 ? a[l] : d[l];
        }
    }
}
