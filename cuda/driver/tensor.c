/*
 * Tensor maps (engine/tensor_map.h): what is asked for is written down.
 */
#include <string.h>

#include "engine/tensor_map.h"

#include "cuda/driver/driver.h"

enum {
    BOX_MOST = 256,
    ALIGN = 16
};

/* NaNs only of floats; rows fit the swizzle. */
static bool fits(const struct loom_tensor_map *m, uint32_t interleave,
                 uint32_t swizzle, uint32_t fill)
{
    uint32_t bytes = loom_tensor_bytes(m->type), row = bytes * m->box[0];

    return interleave == 0 && swizzle <= 3 && fill <= 1 && row % ALIGN == 0 &&
           (swizzle == 0 || row <= (uint32_t)ALIGN << swizzle) &&
           (fill == 0 || m->type >= LOOM_TENSOR_F16) && m->base % ALIGN == 0;
}

LOOM_CUDA(int, cuTensorMapEncodeTiled, void *map, uint32_t type, uint32_t rank,
          void *base, const uint64_t *dims, const uint64_t *strides,
          const uint32_t *box, const uint32_t *steps, uint32_t interleave,
          uint32_t swizzle, uint32_t promotion, uint32_t fill)
{
    struct loom_tensor_map m = {.magic = LOOM_TENSOR_MAP_MAGIC,
                                .type = (uint8_t)type,
                                .rank = (uint8_t)rank,
                                .swizzle = (uint8_t)swizzle,
                                .nan = (uint8_t)fill,
                                .base = (uint64_t)(uintptr_t)base};

    (void)promotion;
    if (map == NULL || base == NULL || dims == NULL || box == NULL ||
        steps == NULL || rank < 1 || rank > LOOM_TENSOR_DIMS ||
        loom_tensor_bytes(type) == 0 || (rank > 1 && strides == NULL)) {
        return CUDA_INVALID_VALUE;
    }
    for (uint32_t i = 0; i < rank; i++) {
        if (dims[i] == 0 || dims[i] > UINT64_C(1) << 32 || box[i] == 0 ||
            box[i] > BOX_MOST || (i > 0 && strides[i - 1] % ALIGN != 0)) {
            return CUDA_INVALID_VALUE;
        }
        if (steps[i] != 1) {
            return CUDA_NOT_SUPPORTED;
        }
        m.dim[i] = dims[i];
        m.box[i] = (uint16_t)box[i];
        if (i > 0) {
            m.stride[i - 1] = strides[i - 1];
        }
    }
    if (interleave != 0) {
        return CUDA_NOT_SUPPORTED;
    }
    if (!fits(&m, interleave, swizzle, fill)) {
        return CUDA_INVALID_VALUE;
    }
    memset(map, 0, LOOM_TENSOR_MAP_BYTES);
    memcpy(map, &m, sizeof(m));
    return CUDA_OK;
}
