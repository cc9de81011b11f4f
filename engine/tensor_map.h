/*
 * Tensor maps: what a program has the driver make (cuTensorMapEncodeTiled) and
 * hands to cp.async.bulk.tensor.  It is opaque to programs; these 128 bytes are
 * ours.  But CUTLASS clears bit 21 of its second word where the driver is one
 * of before 13.2 and the tensor is small: nothing may be there.
 */
#ifndef ENGINE_TENSOR_MAP_H
#define ENGINE_TENSOR_MAP_H

#include <stddef.h>
#include <stdint.h>

#define LOOM_TENSOR_MAP_BYTES 128
#define LOOM_TENSOR_MAP_MAGIC UINT32_C(0x6d744d4c)
#define LOOM_TENSOR_DIMS 5

/* As cuTensorMapEncodeTiled numbers them. */
enum loom_tensor_type {
    LOOM_TENSOR_U8,
    LOOM_TENSOR_U16,
    LOOM_TENSOR_U32,
    LOOM_TENSOR_S32,
    LOOM_TENSOR_U64,
    LOOM_TENSOR_S64,
    LOOM_TENSOR_F16,
    LOOM_TENSOR_F32,
    LOOM_TENSOR_F64,
    LOOM_TENSOR_BF16,
    LOOM_TENSOR_F32_FTZ,
    LOOM_TENSOR_TF32,
    LOOM_TENSOR_TF32_FTZ,
    LOOM_TENSOR_TYPES
};

struct loom_tensor_map {
    uint32_t magic;
    uint8_t type;                   /* enum loom_tensor_type */
    uint8_t rank;                   /* 1 to LOOM_TENSOR_DIMS */
    uint8_t swizzle;                /* 0: none; n: of rows of 16 << n bytes */
    uint8_t nan;                    /* outside are NaNs and not zeros */
    uint64_t nothing;               /* programs write here */
    uint64_t base;                  /* device address */
    uint64_t dim[LOOM_TENSOR_DIMS]; /* elements, the innermost first */
    uint64_t stride[LOOM_TENSOR_DIMS - 1]; /* bytes, of dimension 1 and on */
    uint16_t box[LOOM_TENSOR_DIMS];
};

_Static_assert(sizeof(struct loom_tensor_map) <= LOOM_TENSOR_MAP_BYTES,
               "a tensor map has 128 bytes");
_Static_assert(offsetof(struct loom_tensor_map, nothing) == 8,
               "a tensor map's second word says nothing");

/* Bytes of an element; 0: no such type. */
static inline uint32_t loom_tensor_bytes(uint32_t type)
{
    static const uint8_t bytes[LOOM_TENSOR_TYPES] = {1, 2, 4, 4, 8, 8, 2,
                                                     4, 8, 2, 4, 4, 4};

    return type < LOOM_TENSOR_TYPES ? bytes[type] : 0;
}

#endif
