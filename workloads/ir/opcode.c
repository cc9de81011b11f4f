/*
 * The tables behind workloads/ir/opcode.h, and what can be said of an
 * instruction from its row alone.
 *
 * A word may occur under several fields (".lo" is half of a product and an
 * unsigned comparison); the opcode's row decides which one is meant.
 */
#include <string.h>

#include "workloads/ir/ir.h"

#define INFO(id, name, fields, operands, group)                                \
    {name, fields, operands, LOOM_PTX_G_##group},

const struct loom_ptx_opcode_info loom_ptx_opcodes[LOOM_PTX_OPCODES] = {
    LOOM_PTX_ROWS(INFO)};

/* wgmma has all n that are multiples of 8. */
#define M64_OF(n, k)                                                           \
    {                                                                          \
        "m64n" #n "k" #k, 'g',                                                 \
            LOOM_PTX_M64 + (n / 8 - 1) * LOOM_PTX_KS + LOOM_PTX_K##k           \
    }
#define M64(n)                                                                 \
    M64_OF(n, 8), M64_OF(n, 16), M64_OF(n, 32), M64_OF(n, 64), M64_OF(n, 256)
/* clang-format off */
#define M64_WORDS                                                              \
    M64(8), M64(16), M64(24), M64(32), M64(40), M64(48), M64(56), M64(64),     \
    M64(72), M64(80), M64(88), M64(96), M64(104), M64(112), M64(120),          \
    M64(128), M64(136), M64(144), M64(152), M64(160), M64(168), M64(176),      \
    M64(184), M64(192), M64(200), M64(208), M64(216), M64(224), M64(232),      \
    M64(240), M64(248), M64(256)
/* clang-format on */

const struct loom_ptx_word loom_ptx_words[] = {
    {"pred", 't', LOOM_PTX_PRED},
    {"b8", 't', LOOM_PTX_B8},
    {"b16", 't', LOOM_PTX_B16},
    {"b32", 't', LOOM_PTX_B32},
    {"b64", 't', LOOM_PTX_B64},
    {"b128", 't', LOOM_PTX_B128},
    {"u8", 't', LOOM_PTX_U8},
    {"u16", 't', LOOM_PTX_U16},
    {"u32", 't', LOOM_PTX_U32},
    {"u64", 't', LOOM_PTX_U64},
    {"s8", 't', LOOM_PTX_S8},
    {"s16", 't', LOOM_PTX_S16},
    {"s32", 't', LOOM_PTX_S32},
    {"s64", 't', LOOM_PTX_S64},
    {"f16", 't', LOOM_PTX_F16},
    {"f32", 't', LOOM_PTX_F32},
    {"f64", 't', LOOM_PTX_F64},
    {"f16x2", 't', LOOM_PTX_F16X2},
    {"bf16", 't', LOOM_PTX_BF16},
    {"bf16x2", 't', LOOM_PTX_BF16X2},
    {"tf32", 't', LOOM_PTX_TF32},
    {"u16x2", 't', LOOM_PTX_U16X2},
    {"s16x2", 't', LOOM_PTX_S16X2},
    {"e4m3x2", 't', LOOM_PTX_E4M3X2},
    {"e5m2x2", 't', LOOM_PTX_E5M2X2},
    {"u4", 't', LOOM_PTX_U4},
    {"s4", 't', LOOM_PTX_S4},
    {"b1", 't', LOOM_PTX_B1},
    {"f32x2", 't', LOOM_PTX_F32X2},
    {"e4m3", 't', LOOM_PTX_E4M3},
    {"e5m2", 't', LOOM_PTX_E5M2},
    {"e2m1x2", 't', LOOM_PTX_E2M1X2},
    {"e2m3x2", 't', LOOM_PTX_E2M3X2},
    {"e3m2x2", 't', LOOM_PTX_E3M2X2},
    {"b8x16.b6x16_p32", 't', LOOM_PTX_B6X16_P32},
    {"b8x16.b4x16_p64", 't', LOOM_PTX_B4X16_P64},
    {"weak", 'o', LOOM_PTX_WEAK},
    {"volatile", 'o', LOOM_PTX_VOLATILE},
    {"relaxed", 'o', LOOM_PTX_RELAXED},
    {"acquire", 'o', LOOM_PTX_ACQUIRE},
    {"release", 'o', LOOM_PTX_RELEASE},
    {"acq_rel", 'o', LOOM_PTX_ACQ_REL},
    {"sc", 'o', LOOM_PTX_SC},
    {"mmio.relaxed", 'o', LOOM_PTX_MMIO},
    {"cta", 'k', LOOM_PTX_CTA},
    {"cluster", 'k', LOOM_PTX_CLUSTER},
    {"gpu", 'k', LOOM_PTX_GPU},
    {"gl", 'k', LOOM_PTX_GL},
    {"sys", 'k', LOOM_PTX_SYS},
    {"global", 'p', LOOM_PTX_GLOBAL},
    {"shared", 'p', LOOM_PTX_SHARED},
    {"local", 'p', LOOM_PTX_LOCAL},
    {"const", 'p', LOOM_PTX_CONST},
    {"param", 'p', LOOM_PTX_PARAM},
    {"shared::cta", 'p', LOOM_PTX_SHARED_CTA},
    {"shared::cluster", 'p', LOOM_PTX_SHARED_CLUSTER},
    {"param::entry", 'p', LOOM_PTX_PARAM_ENTRY},
    {"param::func", 'p', LOOM_PTX_PARAM_FUNC},
    {"ca", 'c', LOOM_PTX_CA},
    {"cg", 'c', LOOM_PTX_CG},
    {"cs", 'c', LOOM_PTX_CS},
    {"lu", 'c', LOOM_PTX_LU},
    {"cv", 'c', LOOM_PTX_CV},
    {"wb", 'c', LOOM_PTX_WB},
    {"wt", 'c', LOOM_PTX_WT},
    {"L1::evict_normal", 'e', LOOM_PTX_EVICT_NORMAL},
    {"L1::evict_unchanged", 'e', LOOM_PTX_EVICT_UNCHANGED},
    {"L1::evict_first", 'e', LOOM_PTX_EVICT_FIRST},
    {"L1::evict_last", 'e', LOOM_PTX_EVICT_LAST},
    {"L1::no_allocate", 'e', LOOM_PTX_NO_ALLOCATE},
    {"L2::evict_normal", 'e', LOOM_PTX_L2_EVICT_NORMAL},
    {"L2::evict_last", 'e', LOOM_PTX_L2_EVICT_LAST},
    {"L2::evict_first", 'e', LOOM_PTX_L2_EVICT_FIRST},
    {"L2::evict_unchanged", 'e', LOOM_PTX_L2_EVICT_UNCHANGED},
    {"L2::64B", 'm', LOOM_PTX_L2_64B},
    {"L2::128B", 'm', LOOM_PTX_L2_128B},
    {"L2::256B", 'm', LOOM_PTX_L2_256B},
    {"L2::cache_hint", 'H', LOOM_PTX_CACHE_HINT},
    {"v2", 'v', 2u},
    {"v4", 'v', 4u},
    {"v8", 'v', 8u},
    {"rn", 'r', LOOM_PTX_RN},
    {"rz", 'r', LOOM_PTX_RZ},
    {"rm", 'r', LOOM_PTX_RM},
    {"rp", 'r', LOOM_PTX_RP},
    {"rni", 'r', LOOM_PTX_RNI},
    {"rzi", 'r', LOOM_PTX_RZI},
    {"rmi", 'r', LOOM_PTX_RMI},
    {"rpi", 'r', LOOM_PTX_RPI},
    {"rna", 'r', LOOM_PTX_RNA},
    {"eq", 'C', LOOM_PTX_EQ},
    {"ne", 'C', LOOM_PTX_NE},
    {"lt", 'C', LOOM_PTX_LT},
    {"le", 'C', LOOM_PTX_LE},
    {"gt", 'C', LOOM_PTX_GT},
    {"ge", 'C', LOOM_PTX_GE},
    {"lo", 'C', LOOM_PTX_LO},
    {"ls", 'C', LOOM_PTX_LS},
    {"hi", 'C', LOOM_PTX_HI},
    {"hs", 'C', LOOM_PTX_HS},
    {"equ", 'C', LOOM_PTX_EQU},
    {"neu", 'C', LOOM_PTX_NEU},
    {"ltu", 'C', LOOM_PTX_LTU},
    {"leu", 'C', LOOM_PTX_LEU},
    {"gtu", 'C', LOOM_PTX_GTU},
    {"geu", 'C', LOOM_PTX_GEU},
    {"num", 'C', LOOM_PTX_NUM},
    {"nan", 'C', LOOM_PTX_NAN},
    {"add", 'b', LOOM_PTX_DO_ADD},
    {"min", 'b', LOOM_PTX_DO_MIN},
    {"max", 'b', LOOM_PTX_DO_MAX},
    {"inc", 'b', LOOM_PTX_DO_INC},
    {"dec", 'b', LOOM_PTX_DO_DEC},
    {"and", 'b', LOOM_PTX_DO_AND},
    {"or", 'b', LOOM_PTX_DO_OR},
    {"xor", 'b', LOOM_PTX_DO_XOR},
    {"exch", 'b', LOOM_PTX_DO_EXCH},
    {"cas", 'b', LOOM_PTX_DO_CAS},
    {"popc", 'b', LOOM_PTX_DO_POPC},
    {"all", 'b', LOOM_PTX_DO_ALL},
    {"any", 'b', LOOM_PTX_DO_ANY},
    {"uni", 'b', LOOM_PTX_DO_UNI},
    {"ballot", 'b', LOOM_PTX_DO_BALLOT},
    {"up", 'b', LOOM_PTX_DO_UP},
    {"down", 'b', LOOM_PTX_DO_DOWN},
    {"bfly", 'b', LOOM_PTX_DO_BFLY},
    {"idx", 'b', LOOM_PTX_DO_IDX},
    {"and.popc", 'b', LOOM_PTX_DO_AND_POPC},
    {"xor.popc", 'b', LOOM_PTX_DO_XOR_POPC},
    {"lo", 'h', LOOM_PTX_LOW},
    {"hi", 'h', LOOM_PTX_HIGH},
    {"wide", 'h', LOOM_PTX_WIDE},
    {"trap", 'M', LOOM_PTX_TRAP_MODE},
    {"clamp", 'M', LOOM_PTX_CLAMP},
    {"wrap", 'M', LOOM_PTX_WRAP},
    {"zero", 'M', LOOM_PTX_ZERO},
    {"f4e", 'M', LOOM_PTX_F4E},
    {"b4e", 'M', LOOM_PTX_B4E},
    {"rc8", 'M', LOOM_PTX_RC8},
    {"ecl", 'M', LOOM_PTX_ECL},
    {"ecr", 'M', LOOM_PTX_ECR},
    {"rc16", 'M', LOOM_PTX_RC16},
    {"finite", 'M', LOOM_PTX_FINITE},
    {"infinite", 'M', LOOM_PTX_INFINITE},
    {"number", 'M', LOOM_PTX_NUMBER},
    {"notanumber", 'M', LOOM_PTX_NOTANUMBER},
    {"normal", 'M', LOOM_PTX_NORMAL},
    {"subnormal", 'M', LOOM_PTX_SUBNORMAL},
    {"x1", 'M', LOOM_PTX_X1},
    {"x2", 'M', LOOM_PTX_X2},
    {"x4", 'M', LOOM_PTX_X4},
    {"shr7", 'M', LOOM_PTX_SHR7},
    {"shr15", 'M', LOOM_PTX_SHR15},
    {"alias", 'M', LOOM_PTX_ALIAS},
    {"async", 'M', LOOM_PTX_ASYNC_PROXY},
    {"async::generic", 'M', LOOM_PTX_ASYNC_GENERIC},
    {"tensormap", 'M', LOOM_PTX_TENSORMAP},
    {"tensormap::generic", 'M', LOOM_PTX_TENSORMAP_GENERIC},
    {"global_address", 'M', LOOM_PTX_MAP_ADDRESS},
    {"rank", 'M', LOOM_PTX_MAP_RANK},
    {"box_dim", 'M', LOOM_PTX_MAP_BOX},
    {"global_dim", 'M', LOOM_PTX_MAP_DIM},
    {"global_stride", 'M', LOOM_PTX_MAP_STRIDE},
    {"element_stride", 'M', LOOM_PTX_MAP_ELEMENT_STRIDE},
    {"elemtype", 'M', LOOM_PTX_MAP_TYPE},
    {"interleave_layout", 'M', LOOM_PTX_MAP_INTERLEAVE},
    {"swizzle_mode", 'M', LOOM_PTX_MAP_SWIZZLE},
    {"fill_mode", 'M', LOOM_PTX_MAP_FILL},
    {"L1", 'M', LOOM_PTX_L1},
    {"L2", 'M', LOOM_PTX_L2},
    {"1d", 'g', LOOM_PTX_1D},
    {"2d", 'g', LOOM_PTX_2D},
    {"3d", 'g', LOOM_PTX_3D},
    {"4d", 'g', LOOM_PTX_4D},
    {"5d", 'g', LOOM_PTX_5D},
    {"a1d", 'g', LOOM_PTX_A1D},
    {"a2d", 'g', LOOM_PTX_A2D},
    {"cube", 'g', LOOM_PTX_CUBE},
    {"acube", 'g', LOOM_PTX_ACUBE},
    {"m8n8", 'g', LOOM_PTX_M8N8},
    {"m16n16k16", 'g', LOOM_PTX_M16N16K16},
    {"m8n32k16", 'g', LOOM_PTX_M8N32K16},
    {"m32n8k16", 'g', LOOM_PTX_M32N8K16},
    {"m16n16k8", 'g', LOOM_PTX_M16N16K8},
    {"m8n8k4", 'g', LOOM_PTX_M8N8K4},
    {"m8n8k16", 'g', LOOM_PTX_M8N8K16},
    {"m8n8k32", 'g', LOOM_PTX_M8N8K32},
    {"m16n8k4", 'g', LOOM_PTX_M16N8K4},
    {"m16n8k8", 'g', LOOM_PTX_M16N8K8},
    {"m16n8k16", 'g', LOOM_PTX_M16N8K16},
    {"m16n8k32", 'g', LOOM_PTX_M16N8K32},
    {"m16n8k64", 'g', LOOM_PTX_M16N8K64},
    {"m8n8k128", 'g', LOOM_PTX_M8N8K128},
    {"m16n8k128", 'g', LOOM_PTX_M16N8K128},
    {"m16n8k256", 'g', LOOM_PTX_M16N8K256},
    {"m16n16", 'g', LOOM_PTX_M16N16},
    {"m8n16", 'g', LOOM_PTX_M8N16},
    {"m16n8", 'g', LOOM_PTX_M16N8},
    M64_WORDS,
    {"row", 'l', LOOM_PTX_ROW},
    {"col", 'l', LOOM_PTX_COL},
    {"row.row", 'l', LOOM_PTX_ROW_ROW},
    {"row.col", 'l', LOOM_PTX_ROW_COL},
    {"col.row", 'l', LOOM_PTX_COL_ROW},
    {"col.col", 'l', LOOM_PTX_COL_COL},
    {"noftz", 'F', LOOM_PTX_NOFTZ},
    {"noinc", 'F', LOOM_PTX_NOINC},
    {"bulk_group", 'F', LOOM_PTX_BULK_GROUP},
    {"mbarrier::complete_tx::bytes", 'F', LOOM_PTX_COMPLETE_TX},
    {"read", 'F', LOOM_PTX_READ},
    {"tile", 'F', LOOM_PTX_TILE},
    {"b1024", 'F', LOOM_PTX_B1024},
    {"multicast::cluster", 'F', LOOM_PTX_MULTICAST},
    {"trans", 'F', LOOM_PTX_TRANS},
    {"sync_restrict::shared::cta", 'G', LOOM_PTX_RESTRICT_CTA},
    {"sync_restrict::shared::cluster", 'G', LOOM_PTX_RESTRICT_CLUSTER},
    {"sync", 'y', LOOM_PTX_SYNC},
    {"uni", 'u', LOOM_PTX_UNI},
    {"approx", 'A', LOOM_PTX_APPROX},
    {"full", 'A', LOOM_PTX_FULL},
    {"ftz", 'z', LOOM_PTX_FTZ},
    {"sat", 's', LOOM_PTX_SAT},
    {"satfinite", 's', LOOM_PTX_SATFINITE},
    {"cc", 'x', LOOM_PTX_CC},
    {"nc", 'n', LOOM_PTX_NONCOHERENT},
    {"aligned", 'a', LOOM_PTX_ALIGNED},
    {"to", 'T', LOOM_PTX_TO},
    {"shiftamt", 'i', LOOM_PTX_SHIFTAMT},
    {"relu", 'R', LOOM_PTX_RELU},
    {"xorsign.abs", 'R', LOOM_PTX_XORSIGN_ABS},
    {"NaN", 'N', LOOM_PTX_NAN_RESULT},
    {"abs", 'V', LOOM_PTX_ABS_VALUE},
};

const size_t loom_ptx_word_count = LOOM_COUNTOF(loom_ptx_words);

static const struct {
    const char *name;
    uint8_t bytes;
    bool real;
} types[LOOM_PTX_TYPES] = {
    [LOOM_PTX_NO_TYPE] = {"", 0, false},
    [LOOM_PTX_PRED] = {"pred", 1, false},
    [LOOM_PTX_B8] = {"b8", 1, false},
    [LOOM_PTX_B16] = {"b16", 2, false},
    [LOOM_PTX_B32] = {"b32", 4, false},
    [LOOM_PTX_B64] = {"b64", 8, false},
    [LOOM_PTX_B128] = {"b128", 16, false},
    [LOOM_PTX_U8] = {"u8", 1, false},
    [LOOM_PTX_U16] = {"u16", 2, false},
    [LOOM_PTX_U32] = {"u32", 4, false},
    [LOOM_PTX_U64] = {"u64", 8, false},
    [LOOM_PTX_S8] = {"s8", 1, false},
    [LOOM_PTX_S16] = {"s16", 2, false},
    [LOOM_PTX_S32] = {"s32", 4, false},
    [LOOM_PTX_S64] = {"s64", 8, false},
    [LOOM_PTX_F16] = {"f16", 2, true},
    [LOOM_PTX_F32] = {"f32", 4, true},
    [LOOM_PTX_F64] = {"f64", 8, true},
    [LOOM_PTX_F16X2] = {"f16x2", 4, true},
    [LOOM_PTX_BF16] = {"bf16", 2, true},
    [LOOM_PTX_BF16X2] = {"bf16x2", 4, true},
    [LOOM_PTX_TF32] = {"tf32", 4, true},
    [LOOM_PTX_U16X2] = {"u16x2", 4, false},
    [LOOM_PTX_S16X2] = {"s16x2", 4, false},
    [LOOM_PTX_E4M3X2] = {"e4m3x2", 2, true},
    [LOOM_PTX_E5M2X2] = {"e5m2x2", 2, true},
    [LOOM_PTX_U4] = {"u4", 1, false},
    [LOOM_PTX_S4] = {"s4", 1, false},
    [LOOM_PTX_B1] = {"b1", 1, false},
    [LOOM_PTX_F32X2] = {"f32x2", 8, true},
    [LOOM_PTX_E4M3] = {"e4m3", 1, true},
    [LOOM_PTX_E5M2] = {"e5m2", 1, true},
    [LOOM_PTX_E2M1X2] = {"e2m1x2", 1, true},
    [LOOM_PTX_E2M3X2] = {"e2m3x2", 2, true},
    [LOOM_PTX_E3M2X2] = {"e3m2x2", 2, true},
    [LOOM_PTX_B6X16_P32] = {"b8x16.b6x16_p32", 1, false},
    [LOOM_PTX_B4X16_P64] = {"b8x16.b4x16_p64", 1, false},
    [LOOM_PTX_TEXREF] = {"texref", 8, false},
    [LOOM_PTX_SAMPLERREF] = {"samplerref", 8, false},
    [LOOM_PTX_SURFREF] = {"surfref", 8, false},
};

/* Names that differ in a letter or a digit. */
#define VECTOR(id, name)                                                       \
    [id##_X] = name ".x", [id##_Y] = name ".y", [id##_Z] = name ".z"
#define EIGHT(first, name, end)                                                \
    [(first) + 0] = name "0" end, [(first) + 1] = name "1" end,                \
               [(first) + 2] = name "2" end, [(first) + 3] = name "3" end,     \
               [(first) + 4] = name "4" end, [(first) + 5] = name "5" end,     \
               [(first) + 6] = name "6" end, [(first) + 7] = name "7" end
#define TEN(first, name)                                                       \
    EIGHT(first, name, ""), [(first) + 8] = name "8", [(first) + 9] = name "9"

static const char *const specials[LOOM_PTX_SPECIALS] = {
    VECTOR(LOOM_PTX_TID, "%tid"),
    VECTOR(LOOM_PTX_NTID, "%ntid"),
    VECTOR(LOOM_PTX_CTAID, "%ctaid"),
    VECTOR(LOOM_PTX_NCTAID, "%nctaid"),
    [LOOM_PTX_LANEID] = "%laneid",
    [LOOM_PTX_WARPID] = "%warpid",
    [LOOM_PTX_NWARPID] = "%nwarpid",
    [LOOM_PTX_SMID] = "%smid",
    [LOOM_PTX_NSMID] = "%nsmid",
    [LOOM_PTX_GRIDID] = "%gridid",
    [LOOM_PTX_LANEMASK_EQ] = "%lanemask_eq",
    [LOOM_PTX_LANEMASK_LE] = "%lanemask_le",
    [LOOM_PTX_LANEMASK_LT] = "%lanemask_lt",
    [LOOM_PTX_LANEMASK_GE] = "%lanemask_ge",
    [LOOM_PTX_LANEMASK_GT] = "%lanemask_gt",
    [LOOM_PTX_CLOCK] = "%clock",
    [LOOM_PTX_CLOCK_HI] = "%clock_hi",
    [LOOM_PTX_CLOCK64] = "%clock64",
    [LOOM_PTX_GLOBALTIMER] = "%globaltimer",
    [LOOM_PTX_GLOBALTIMER_LO] = "%globaltimer_lo",
    [LOOM_PTX_GLOBALTIMER_HI] = "%globaltimer_hi",
    [LOOM_PTX_DYNAMIC_SMEM_SIZE] = "%dynamic_smem_size",
    [LOOM_PTX_TOTAL_SMEM_SIZE] = "%total_smem_size",
    TEN(LOOM_PTX_ENVREG0, "%envreg"),
    TEN(LOOM_PTX_ENVREG0 + 10, "%envreg1"),
    TEN(LOOM_PTX_ENVREG0 + 20, "%envreg2"),
    [LOOM_PTX_ENVREG0 + 30] = "%envreg30",
    [LOOM_PTX_ENVREG0 + 31] = "%envreg31",
    [LOOM_PTX_WARP_SIZE] = "WARP_SZ",
    EIGHT(LOOM_PTX_PM0, "%pm", ""),
    EIGHT(LOOM_PTX_PM0 + 8, "%pm", "_64"),
    VECTOR(LOOM_PTX_CLUSTERID, "%clusterid"),
    VECTOR(LOOM_PTX_NCLUSTERID, "%nclusterid"),
    VECTOR(LOOM_PTX_CLUSTER_CTAID, "%cluster_ctaid"),
    VECTOR(LOOM_PTX_CLUSTER_NCTAID, "%cluster_nctaid"),
    [LOOM_PTX_CLUSTER_CTARANK] = "%cluster_ctarank",
    [LOOM_PTX_CLUSTER_NCTARANK] = "%cluster_nctarank",
    [LOOM_PTX_IS_EXPLICIT_CLUSTER] = "%is_explicit_cluster",
    [LOOM_PTX_AGGR_SMEM_SIZE] = "%aggr_smem_size",
    [LOOM_PTX_RESERVED_SMEM_BEGIN] = "%reserved_smem_offset_begin",
    [LOOM_PTX_RESERVED_SMEM_END] = "%reserved_smem_offset_end",
    [LOOM_PTX_RESERVED_SMEM_CAP] = "%reserved_smem_offset_cap",
    [LOOM_PTX_RESERVED_SMEM_0] = "%reserved_smem_offset_0",
    [LOOM_PTX_RESERVED_SMEM_1] = "%reserved_smem_offset_1",
    [LOOM_PTX_GRAPH_EXEC] = "%current_graph_exec",
};

const uint16_t *loom_ptx_product(uint8_t shape)
{
    static const uint16_t sizes[][3] = {[0] = {0, 0, 0},
                                        [LOOM_PTX_M16N16K16] = {16, 16, 16},
                                        [LOOM_PTX_M8N32K16] = {8, 32, 16},
                                        [LOOM_PTX_M32N8K16] = {32, 8, 16},
                                        [LOOM_PTX_M16N16K8] = {16, 16, 8},
                                        [LOOM_PTX_M8N8K4] = {8, 8, 4},
                                        [LOOM_PTX_M8N8K16] = {8, 8, 16},
                                        [LOOM_PTX_M8N8K32] = {8, 8, 32},
                                        [LOOM_PTX_M16N8K4] = {16, 8, 4},
                                        [LOOM_PTX_M16N8K8] = {16, 8, 8},
                                        [LOOM_PTX_M16N8K16] = {16, 8, 16},
                                        [LOOM_PTX_M16N8K32] = {16, 8, 32},
                                        [LOOM_PTX_M16N8K64] = {16, 8, 64},
                                        [LOOM_PTX_M8N8K128] = {8, 8, 128},
                                        [LOOM_PTX_M16N8K128] = {16, 8, 128},
                                        [LOOM_PTX_M16N8K256] = {16, 8, 256}};

    return sizes[shape < LOOM_COUNTOF(sizes) ? shape : 0];
}

uint32_t loom_ptx_type_bytes(enum loom_ptx_type type)
{
    return types[type].bytes;
}

bool loom_ptx_type_real(enum loom_ptx_type type)
{
    return types[type].real;
}

const char *loom_ptx_type_name(enum loom_ptx_type type)
{
    return types[type].name;
}

const char *loom_ptx_special_name(enum loom_ptx_special what)
{
    return specials[what];
}

uint8_t *loom_ptx_field(struct loom_ptx_inst *inst, char field)
{
    switch (field) {
    case 'o':
        return &inst->order;
    case 'k':
        return &inst->scope;
    case 'p':
        return &inst->space;
    case 'P':
        return &inst->space2;
    case 'c':
        return &inst->cache;
    case 'e':
        return &inst->evict;
    case 'E':
        return &inst->evict2;
    case 'm':
        return &inst->prefetch;
    case 'v':
        return &inst->vector;
    case 't':
        return inst->type;
    case 'r':
        return &inst->round;
    case 'C':
        return &inst->compare;
    case 'b':
        return &inst->sub;
    case 'h':
        return &inst->half;
    case 'M':
        return &inst->mode;
    case 'g':
        return &inst->shape;
    case 'l':
        return &inst->layout;
    default:
        return NULL;
    }
}

uint32_t loom_ptx_dests(const struct loom_ptx_inst *inst)
{
    const char first = loom_ptx_opcodes[inst->op].operands[0];

    if (inst->op == LOOM_PTX_CALL) {
        return 1;
    }
    if (first == '\0' || strchr("dqxv", first) == NULL) {
        return 0;
    }
    return inst->flags & LOOM_PTX_PAIR ? 2 : 1;
}

bool loom_ptx_of_group(const struct loom_ptx_inst *inst)
{
    return inst->op == LOOM_PTX_WGMMA_MMA || inst->op == LOOM_PTX_WGMMA_SP;
}

bool loom_ptx_sparse(const struct loom_ptx_inst *inst)
{
    return inst->op == LOOM_PTX_MMA_SP || inst->op == LOOM_PTX_MMA_SP_ORDERED ||
           inst->op == LOOM_PTX_WGMMA_SP;
}

bool loom_ptx_selects(const struct loom_ptx_inst *inst)
{
    return inst->op >= LOOM_PTX_VADD && inst->op <= LOOM_PTX_VSET4;
}

uint32_t loom_ptx_address_operand(const struct loom_ptx_inst *inst)
{
    uint32_t i;

    for (i = 0; i < inst->operand_count; i++) {
        if (inst->operand[i].kind == LOOM_PTX_OP_ADDRESS ||
            inst->operand[i].kind == LOOM_PTX_OP_TEXTURE) {
            return i;
        }
    }
    return LOOM_PTX_NONE;
}

static void visit_operand(const struct loom_ptx_operand *operand, bool write,
                          void (*visit)(void *, uint32_t, bool), void *context)
{
    switch ((enum loom_ptx_operand_kind)operand->kind) {
    case LOOM_PTX_OP_REG:
        visit(context, operand->reg, write);
        break;
    case LOOM_PTX_OP_ADDRESS:
        if (operand->reg != LOOM_PTX_NONE) {
            visit(context, operand->reg, false);
        }
        break;
    case LOOM_PTX_OP_VECTOR:
    case LOOM_PTX_OP_LIST:
    case LOOM_PTX_OP_TEXTURE:
        for (uint32_t i = 0; i < operand->count; i++) {
            visit_operand(&operand->element[i], write, visit, context);
        }
        break;
    case LOOM_PTX_OP_NONE:
    case LOOM_PTX_OP_IMM:
    case LOOM_PTX_OP_F32:
    case LOOM_PTX_OP_F64:
    case LOOM_PTX_OP_SYMBOL:
    case LOOM_PTX_OP_SPECIAL:
    case LOOM_PTX_OP_LABEL:
    case LOOM_PTX_OP_FUNCTION:
    case LOOM_PTX_OP_PROTOTYPE:
    case LOOM_PTX_OP_SINK:
        break;
    }
}

void loom_ptx_visit(const struct loom_ptx_inst *inst,
                    void (*visit)(void *context, uint32_t reg, bool write),
                    void *context)
{
    uint32_t dests = loom_ptx_dests(inst);
    uint32_t i;

    if (loom_ptx_of_group(inst)) { /* it adds to what is there */
        visit_operand(&inst->operand[0], false, visit, context);
    }
    for (i = 0; i < inst->operand_count; i++) {
        visit_operand(&inst->operand[i], i < dests, visit, context);
    }
    if (inst->guard != LOOM_PTX_NONE) {
        visit(context, inst->guard, false);
    }
}
