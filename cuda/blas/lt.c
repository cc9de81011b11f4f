/*
 * Handles, descriptors and their attributes of cublasLt, each of which is a
 * field at a place.
 */
#include "cuda/blas/lt.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct field {
    int attribute;
    size_t offset, bytes;
};
#define FIELD(number, type, name)                                              \
    {                                                                          \
        number, offsetof(struct type, name), sizeof(((struct type *)0)->name)  \
    }

static const struct field operation_fields[] = {
    FIELD(0, loom_lt_operation, compute),
    FIELD(1, loom_lt_operation, scale_type),
    FIELD(2, loom_lt_operation, pointers),
    FIELD(3, loom_lt_operation, op_a),
    FIELD(4, loom_lt_operation, op_b),
    FIELD(5, loom_lt_operation, op_c),
    FIELD(6, loom_lt_operation, fill),
    FIELD(7, loom_lt_operation, epilogue),
    FIELD(8, loom_lt_operation, bias),
    FIELD(10, loom_lt_operation, bias_stride),
    FIELD(11, loom_lt_operation, aux),
    FIELD(12, loom_lt_operation, aux_ld),
    FIELD(13, loom_lt_operation, aux_stride),
    FIELD(22, loom_lt_operation, aux_type),
    FIELD(26, loom_lt_operation, bias_type),
};

static const struct field layout_fields[] = {
    FIELD(0, loom_lt_layout, type),   FIELD(1, loom_lt_layout, order),
    FIELD(2, loom_lt_layout, rows),   FIELD(3, loom_lt_layout, columns),
    FIELD(4, loom_lt_layout, ld),     FIELD(5, loom_lt_layout, batch),
    FIELD(6, loom_lt_layout, stride),
};

static const struct field preference_fields[] = {
    FIELD(1, loom_lt_preference, workspace_bytes),
};

struct fields {
    const struct field *field;
    size_t count;
};
#define FIELDS(list)                                                           \
    (struct fields)                                                            \
    {                                                                          \
        list, LOOM_COUNTOF(list)                                               \
    }

static const struct field *find(struct fields fields, int attribute)
{
    for (size_t i = 0; i < fields.count; i++) {
        if (fields.field[i].attribute == attribute) {
            return &fields.field[i];
        }
    }
    return NULL;
}

static int set(struct fields fields, void *object, int attribute,
               const void *from, size_t bytes)
{
    const struct field *field = find(fields, attribute);

    if (field == NULL) {
        return BLAS_NOT_SUPPORTED;
    }
    if (object == NULL || from == NULL || bytes < field->bytes) {
        return BLAS_INVALID_VALUE;
    }
    memcpy((char *)object + field->offset, from, field->bytes);
    return BLAS_OK;
}

/* Where an attribute goes to. */
struct answer {
    void *to;
    size_t bytes;
    size_t *written;
};

/* Without room it tells only how many bytes there are. */
static int get(struct fields fields, const void *object, int attribute,
               struct answer answer)
{
    const struct field *field = find(fields, attribute);

    if (field == NULL) {
        return BLAS_NOT_SUPPORTED;
    }
    if (answer.written != NULL) {
        *answer.written = field->bytes;
    }
    if (answer.bytes == 0 && answer.written != NULL) {
        return BLAS_OK;
    }
    if (object == NULL || answer.to == NULL || answer.bytes < field->bytes) {
        return BLAS_INVALID_VALUE;
    }
    memcpy(answer.to, (const char *)object + field->offset, field->bytes);
    return BLAS_OK;
}

/* Copies what a descriptor starts with to memory of ours. */
static int create(void **to, const void *from, size_t bytes)
{
    if (to == NULL) {
        return BLAS_INVALID_VALUE;
    }
    *to = malloc(bytes);
    if (*to == NULL) {
        return BLAS_ALLOC_FAILED;
    }
    memcpy(*to, from, bytes);
    return BLAS_OK;
}

/* And to memory of the program, where there is room. */
static int init(void *to, size_t room, const void *from, size_t bytes)
{
    if (to == NULL || room < bytes) {
        return BLAS_INVALID_VALUE;
    }
    memset(to, 0, room);
    memcpy(to, from, bytes);
    return BLAS_OK;
}

LOOM_CUDA(int, cublasLtCreate, struct loom_blas **handle)
{
    return loom_blas_create(handle);
}

LOOM_CUDA(int, cublasLtDestroy, struct loom_blas *handle)
{
    return loom_blas_destroy(handle);
}

static struct loom_lt_operation new_operation(int compute, int scale_type)
{
    return (struct loom_lt_operation){.compute = compute,
                                      .scale_type = scale_type,
                                      .fill = 2, /* CUBLAS_FILL_MODE_FULL */
                                      .epilogue = LT_EPILOGUE_DEFAULT,
                                      .bias_type = LT_NO_TYPE,
                                      .aux_type = LT_NO_TYPE};
}

LOOM_CUDA(int, cublasLtMatmulDescCreate, void **operation, int compute,
          int scale_type)
{
    struct loom_lt_operation o = new_operation(compute, scale_type);

    return create(operation, &o, sizeof(o));
}

LOOM_CUDA(int, cublasLtMatmulDescInit_internal, void *operation, size_t room,
          int compute, int scale_type)
{
    struct loom_lt_operation o = new_operation(compute, scale_type);

    return init(operation, room, &o, sizeof(o));
}

LOOM_CUDA(int, cublasLtMatmulDescDestroy, void *operation)
{
    free(operation);
    return BLAS_OK;
}

/* Those that change no result; scales and others would. */
static int other_attribute(int attribute)
{
    static atomic_bool told;

    switch (attribute) {
    case 14: /* the stride of vectors of alphas */
    case 15: /* how many SMs to use */
    case 25: /* sums of fewer bits */
        return BLAS_OK;
    default:
        return loom_blas_refuse(&told, "cublasLtMatmulDescSetAttribute",
                                "scales of matrices of 8 and 4 bits");
    }
}

LOOM_CUDA(int, cublasLtMatmulDescSetAttribute, void *operation, int attribute,
          const void *from, size_t bytes)
{
    int status =
        set(FIELDS(operation_fields), operation, attribute, from, bytes);

    return status == BLAS_NOT_SUPPORTED ? other_attribute(attribute) : status;
}

LOOM_CUDA(int, cublasLtMatmulDescGetAttribute, const void *operation,
          int attribute, void *to, size_t bytes, size_t *written)
{
    return get(FIELDS(operation_fields), operation, attribute,
               (struct answer){to, bytes, written});
}

static struct loom_lt_layout new_layout(int type, uint64_t rows,
                                        uint64_t columns, int64_t ld)
{
    return (struct loom_lt_layout){
        .type = type, .rows = rows, .columns = columns, .ld = ld, .batch = 1};
}

LOOM_CUDA(int, cublasLtMatrixLayoutCreate, void **layout, int type,
          uint64_t rows, uint64_t columns, int64_t ld)
{
    struct loom_lt_layout l = new_layout(type, rows, columns, ld);

    return create(layout, &l, sizeof(l));
}

LOOM_CUDA(int, cublasLtMatrixLayoutInit_internal, void *layout, size_t room,
          int type, uint64_t rows, uint64_t columns, int64_t ld)
{
    struct loom_lt_layout l = new_layout(type, rows, columns, ld);

    return init(layout, room, &l, sizeof(l));
}

LOOM_CUDA(int, cublasLtMatrixLayoutDestroy, void *layout)
{
    free(layout);
    return BLAS_OK;
}

LOOM_CUDA(int, cublasLtMatrixLayoutSetAttribute, void *layout, int attribute,
          const void *from, size_t bytes)
{
    int status = set(FIELDS(layout_fields), layout, attribute, from, bytes);

    if (status == BLAS_NOT_SUPPORTED) {
        BLAS_REFUSE("the layout has planes or arrays of addresses");
    }
    return status;
}

LOOM_CUDA(int, cublasLtMatrixLayoutGetAttribute, const void *layout,
          int attribute, void *to, size_t bytes, size_t *written)
{
    return get(FIELDS(layout_fields), layout, attribute,
               (struct answer){to, bytes, written});
}

LOOM_CUDA(int, cublasLtMatmulPreferenceCreate, void **preference)
{
    struct loom_lt_preference p = {0};

    return create(preference, &p, sizeof(p));
}

LOOM_CUDA(int, cublasLtMatmulPreferenceInit_internal, void *preference,
          size_t room)
{
    struct loom_lt_preference p = {0};

    return init(preference, room, &p, sizeof(p));
}

LOOM_CUDA(int, cublasLtMatmulPreferenceDestroy, void *preference)
{
    free(preference);
    return BLAS_OK;
}

/* Those that choose among algorithms choose nothing here. */
LOOM_CUDA(int, cublasLtMatmulPreferenceSetAttribute, void *preference,
          int attribute, const void *from, size_t bytes)
{
    int status =
        set(FIELDS(preference_fields), preference, attribute, from, bytes);

    return status == BLAS_NOT_SUPPORTED ? BLAS_OK : status;
}

LOOM_CUDA(int, cublasLtMatmulPreferenceGetAttribute, const void *preference,
          int attribute, void *to, size_t bytes, size_t *written)
{
    return get(FIELDS(preference_fields), preference, attribute,
               (struct answer){to, bytes, written});
}

/* ---- what says what is done, and what has been found: nothing here ---- */

LOOM_CUDA(int, cublasLtLoggerSetCallback, void *function)
{
    (void)function;
    return BLAS_OK;
}

LOOM_CUDA(int, cublasLtLoggerSetFile, void *file)
{
    (void)file;
    return BLAS_OK;
}

LOOM_CUDA(int, cublasLtLoggerOpenFile, const char *path)
{
    (void)path;
    return BLAS_OK;
}

LOOM_CUDA(int, cublasLtLoggerSetLevel, int level)
{
    (void)level;
    return BLAS_OK;
}

LOOM_CUDA(int, cublasLtLoggerSetMask, int mask)
{
    (void)mask;
    return BLAS_OK;
}

LOOM_CUDA(int, cublasLtLoggerForceDisable, void)
{
    return BLAS_OK;
}

LOOM_CUDA(int, cublasLtHeuristicsCacheGetCapacity, size_t *capacity)
{
    if (capacity == NULL) {
        return BLAS_INVALID_VALUE;
    }
    *capacity = 0;
    return BLAS_OK;
}

LOOM_CUDA(int, cublasLtHeuristicsCacheSetCapacity, size_t capacity)
{
    (void)capacity;
    return BLAS_OK;
}
