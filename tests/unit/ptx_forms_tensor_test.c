/*
 * Copies by tensor maps against copies in C: boxes inside, half outside and
 * outside of tensors of 1 to 5 dimensions, with and without a swizzle.
 *
 * links: workload_ptx
 */
#include "engine/tensor_map.h"

#include "tests/unit/ptx_rig.h"

#define SHARED 16384
#define TENSOR 65536

struct box {
    uint8_t type, rank, swizzle, nan;
    uint32_t dim[5], box[5];
    int32_t at[5];
    const char *load, *store; /* names of the instructions */
};

struct job {
    struct ptx_rig rig;
    uint64_t word[5]; /* map of the first tensor, of the second, image, x */
    unsigned char *tensor, *second, *image;
    struct loom_tensor_map map;
};

#define KERNEL                                                                 \
    ".version 8.6\n.target sm_90\n.address_size 64\n"                          \
    ".visible .entry k(.param .u64 map, .param .u64 second,\n"                 \
    ".param .u64 image)\n{\n.reg .b32 %%r<20>;\n.reg .b64 %%d<9>;\n"           \
    ".reg .pred %%p<4>;\n.shared .align 1024 .b8 s[%u];\n"                     \
    ".shared .align 8 .b64 mb;\nmov.u32 %%r1, %%tid.x;\n"                      \
    "ld.param.u64 %%d1, [map];\nld.param.u64 %%d2, [second];\n"                \
    "ld.param.u64 %%d3, [image];\nmov.u32 %%r2, s;\nmov.u32 %%r3, mb;\n"       \
    "mov.s32 %%r10, %d;\nmov.s32 %%r11, %d;\nmov.s32 %%r12, %d;\n"             \
    "mov.s32 %%r13, %d;\nmov.s32 %%r14, %d;\n"                                 \
    "setp.ne.u32 %%p1, %%r1, 0;\n@%%p1 bra WAIT;\n"                            \
    "prefetch.tensormap [%%d1];\n"                                             \
    "mbarrier.init.shared.b64 [%%r3], 1;\n"                                    \
    "mbarrier.arrive.expect_tx.shared.b64 _, [%%r3], %u;\n"                    \
    "cp.async.bulk.prefetch.tensor.%ud.L2.global.tile [%%d1, {%s}];\n"         \
    "%s [%%r2], [%%d1, {%s}], [%%r3];\nWAIT:\nbar.sync 0;\nTEST:\n"            \
    "mbarrier.try_wait.parity.shared.b64 %%p2, [%%r3], 0;\n"                   \
    "@!%%p2 bra TEST;\nmul.lo.u32 %%r4, %%r1, 4;\nCOPY:\n"                     \
    "add.u32 %%r5, %%r2, %%r4;\nld.shared.u32 %%r6, [%%r5];\n"                 \
    "cvt.u64.u32 %%d4, %%r4;\nadd.u64 %%d4, %%d3, %%d4;\n"                     \
    "st.global.u32 [%%d4], %%r6;\nadd.u32 %%r4, %%r4, 128;\n"                  \
    "setp.lt.u32 %%p3, %%r4, %u;\n@%%p3 bra COPY;\n"                           \
    "@%%p1 bra END;\n%s [%%d2, {%s}], [%%r2];\n"                               \
    "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nEND:\n"         \
    "ret;\n}\n"

/* Kernel k(map, second, image): the box of one tensor into shared memory, that
 * into `image`, and the box into the other tensor. */
static void open_job(struct job *job, const struct box *b, uint32_t bytes)
{
    char text[4096], place[64] = "";

    for (uint32_t i = 0; i < b->rank; i++) {
        size_t used = strlen(place);

        snprintf(place + used, sizeof(place) - used, "%s%%r%u",
                 i == 0 ? "" : ", ", 10 + i);
    }
    snprintf(text, sizeof(text), KERNEL, SHARED, b->at[0], b->at[1], b->at[2],
             b->at[3], b->at[4], bytes, b->rank, place, b->load, place, bytes,
             b->store, place);
    ptx_rig_open(&job->rig, text);
}

static void place_map(struct job *job, const struct box *b, uint32_t size)
{
    struct loom_tensor_map *m = &job->map;
    uint64_t base[2], stride = (uint64_t)b->dim[0] * size;

    *m = (struct loom_tensor_map){.magic = LOOM_TENSOR_MAP_MAGIC,
                                  .type = b->type,
                                  .rank = b->rank,
                                  .swizzle = b->swizzle,
                                  .nan = b->nan};
    for (uint32_t i = 0; i < b->rank; i++) {
        m->dim[i] = b->dim[i];
        m->box[i] = (uint16_t)b->box[i];
        if (i > 0) {
            stride = (stride + 15) / 16 * 16;
            m->stride[i - 1] = stride;
            stride *= b->dim[i];
        }
    }
    REQUIRE(stride <= TENSOR);
    for (uint32_t i = 0; i < 2; i++) {
        base[i] = ptx_rig_alloc(&job->rig, TENSOR, "tensor");
        job->word[i] = ptx_rig_alloc(&job->rig, LOOM_TENSOR_MAP_BYTES, "map");
        m->base = base[i];
        memcpy(ptx_rig_at(&job->rig, job->word[i]), m, sizeof(*m));
    }
    job->tensor = ptx_rig_at(&job->rig, base[0]);
    job->second = ptx_rig_at(&job->rig, base[1]);
    job->word[2] = ptx_rig_alloc(&job->rig, SHARED, "image");
    job->image = ptx_rig_at(&job->rig, job->word[2]);
}

/* Element `i` of the box: where it is in the tensor; false: outside. */
static bool place_of(const struct job *job, const struct box *b, uint32_t i,
                     uint32_t size, uint64_t *at)
{
    bool in = true;

    *at = 0;
    for (uint32_t n = 0; n < b->rank; n++) {
        int64_t place = b->at[n] + (int64_t)(i % b->box[n]);

        i /= b->box[n];
        in = in && place >= 0 && place < b->dim[n];
        *at +=
            in ? (uint64_t)place * (n == 0 ? size : job->map.stride[n - 1]) : 0;
    }
    return in;
}

/* Where byte `at` of the box is in shared memory: units of 16 bytes in lines of
 * 128 change places by the number of the line. */
static uint32_t swizzled(const struct box *b, uint32_t at)
{
    uint32_t line = at / 128, unit = at % 128 / 16;
    uint32_t units = 1u << b->swizzle;

    return line * 128 + (unit ^ line % units) * 16 + at % 16;
}

static uint64_t outside(const struct box *b, uint32_t size)
{
    return b->nan == 0 ? 0 : size == 2 ? 0x7fff : 0x7fffffff;
}

static void compare_box(const struct box *b, bool adds)
{
    uint32_t size = loom_tensor_bytes(b->type), count = 1, wrong = 0;
    static unsigned char want[TENSOR];
    struct job job;

    for (uint32_t i = 0; i < b->rank; i++) {
        count *= b->box[i];
    }
    open_job(&job, b, count * size);
    place_map(&job, b, size);
    for (uint32_t i = 0; i < TENSOR; i++) {
        job.tensor[i] = (unsigned char)(i * 167 + i / 256 * 59);
        job.second[i] = (unsigned char)(i * 31 + 7);
    }
    memcpy(want, job.second, TENSOR);
    if (!ptx_rig_try(&job.rig, "k", ptx_shape_1d(1, 32), job.word)) {
        EXPECT_TEXT(job.rig.err.text, "(no error)");
    }
    for (uint32_t i = 0; i < count; i++) {
        uint64_t at, value = outside(b, size), got = 0, sum = 0;

        if (place_of(&job, b, i, size, &at)) {
            memcpy(&value, job.tensor + at, size);
            memcpy(&sum, want + at, size);
            sum = adds ? sum + value : value;
            memcpy(want + at, &sum, size);
        }
        memcpy(&got, job.image + swizzled(b, i * size), size);
        wrong += got != value;
    }
    EXPECT_EQ(wrong, 0);
    EXPECT(memcmp(want, job.second, TENSOR) == 0);
    ptx_rig_close(&job.rig);
}

#define LOAD(dim)                                                              \
    "cp.async.bulk.tensor." dim                                                \
    ".shared::cluster.global.tile.mbarrier::complete_tx::bytes"
#define STORE(dim)                                                             \
    "cp.async.bulk.tensor." dim ".global.shared::cta.tile.bulk_group"

static const struct box box_list[] = {
    {LOOM_TENSOR_U8,
     1,
     0,
     0,
     {100},
     {64},
     {50},
     "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx"
     "::bytes",
     STORE("1d")},
    {LOOM_TENSOR_F32,
     2,
     0,
     0,
     {10, 6},
     {8, 4},
     {-2, 3},
     LOAD("2d"),
     STORE("2d")},
    {LOOM_TENSOR_F32,
     2,
     0,
     1,
     {10, 6},
     {8, 4},
     {4, -1},
     LOAD("2d"),
     STORE("2d")},
    {LOOM_TENSOR_F16,
     2,
     3,
     1,
     {100, 40},
     {64, 16},
     {40, 30},
     LOAD("2d"),
     STORE("2d")},
    {LOOM_TENSOR_BF16,
     2,
     2,
     0,
     {64, 64},
     {32, 24},
     {32, 8},
     LOAD("2d"),
     STORE("2d")},
    {LOOM_TENSOR_U16,
     3,
     1,
     0,
     {20, 10, 6},
     {16, 5, 3},
     {3, 7, 1},
     LOAD("3d"),
     STORE("3d")},
    {LOOM_TENSOR_S64,
     4,
     0,
     0,
     {6, 5, 4, 3},
     {4, 2, 3, 2},
     {1, 1, 2, -1},
     LOAD("4d"),
     STORE("4d")},
    {LOOM_TENSOR_U8,
     5,
     0,
     0,
     {48, 3, 4, 3, 2},
     {32, 2, 2, 2, 2},
     {8, 1, 1, 1, 0},
     LOAD("5d"),
     STORE("5d")},
    {LOOM_TENSOR_F32,
     2,
     0,
     0,
     {10, 6},
     {8, 4},
     {200, 300},
     LOAD("2d"),
     STORE("2d")},
};

static void boxes(void)
{
    for (size_t i = 0; i < LOOM_COUNTOF(box_list); i++) {
        compare_box(&box_list[i], false);
    }
}

static void reductions(void)
{
    static const struct box sum = {
        LOOM_TENSOR_U32,
        2,
        3,
        0,
        {40, 20},
        {32, 8},
        {20, 15},
        LOAD("2d"),
        "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile"
        ".bulk_group"};

    compare_box(&sum, true);
}

static const char cluster_text[] =
    ".version 8.6\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 out, .param .align 64 .b8 map[128])\n"
    ".reqnctapercluster 2, 1, 1\n{\n.reg .b32 %r<20>;\n"
    ".reg .b64 %d<9>;\n.reg .pred %p<4>;\n.reg .b16 %h<2>;\n"
    ".shared .align 128 .b8 s[128];\n.shared .align 8 .b64 mb;\n"
    "mov.u32 %r1, %tid.x;\nld.param.u64 %d1, [out];\nmov.b64 %d2, map;\n"
    "cvta.param.u64 %d2, %d2;\nmov.u32 %r2, s;\nmov.u32 %r3, mb;\n"
    "mov.u32 %r4, %ctaid.x;\nsetp.ne.u32 %p1, %r1, 0;\n"
    "setp.ne.or.u32 %p2, %r4, 0, %p1;\nmov.u16 %h1, 3;\n@%p1 bra READY;\n"
    "mbarrier.init.shared.b64 [%r3], 1;\n"
    "mbarrier.arrive.expect_tx.shared.b64 _, [%r3], 128;\nREADY:\n"
    "barrier.cluster.arrive;\nbarrier.cluster.wait;\nmov.u32 %r5, 0;\n"
    "mov.u32 %r6, 1;\n"
    "@!%p2 cp.async.bulk.tensor.5d.shared::cluster.global.tile"
    ".mbarrier::complete_tx::bytes.multicast::cluster [%r2], [%d2, "
    "{%r5, %r6, %r5, %r6, %r5}], [%r3], %h1;\nTEST:\n"
    "mbarrier.try_wait.parity.shared.b64 %p3, [%r3], 0;\n"
    "@!%p3 bra TEST;\nmad.lo.u32 %r7, %r1, 4, %r2;\n"
    "ld.shared.u32 %r8, [%r7];\nmad.lo.u32 %r9, %r4, 32, %r1;\n"
    "mad.wide.u32 %d1, %r9, 4, %d1;\nst.global.u32 [%d1], %r8;\n"
    "barrier.cluster.arrive;\nbarrier.cluster.wait;\nret;\n}\n";

/* A map in the kernel's parameters, to both CTAs of a cluster at once. */
static void to_a_cluster(void)
{
    struct loom_tensor_map map = {.magic = LOOM_TENSOR_MAP_MAGIC,
                                  .type = LOOM_TENSOR_U32,
                                  .rank = 5,
                                  .dim = {8, 4, 3, 2, 2},
                                  .stride = {32, 128, 384, 768},
                                  .box = {4, 2, 2, 1, 2}};
    struct ptx_rig rig;
    uint64_t word[1 + LOOM_TENSOR_MAP_BYTES / 8] = {0};
    uint32_t *tensor;
    const uint32_t *out;

    ptx_rig_open(&rig, cluster_text);
    map.base = ptx_rig_alloc(&rig, 1536, "tensor");
    tensor = ptx_rig_at(&rig, map.base);
    word[0] = ptx_rig_alloc(&rig, 256, "out");
    out = ptx_rig_at(&rig, word[0]);
    memcpy(&word[1], &map, sizeof(map));
    for (uint32_t i = 0; i < 384; i++) {
        tensor[i] = i * 3;
    }
    ptx_rig_run(&rig, "k", ptx_shape_1d(2, 32), word);
    for (uint32_t i = 0; i < 64; i++) {
        uint32_t e = i % 32, x = e % 4, y = e / 4 % 2 + 1, z = e / 8 % 2,
                 v = e / 16;

        EXPECT_EQ(out[i], 3 * (x + 8 * y + 32 * z + 96 + 192 * v));
    }
    ptx_rig_close(&rig);
}

/* A map is made in shared memory, goes to device memory and is used there. */
#define MAKE                                                                   \
    ".version 8.6\n.target sm_90a\n.address_size 64\n"                         \
    ".visible .entry k(.param .u64 map, .param .u64 tensor,\n"                 \
    ".param .u64 out)\n{\n.reg .b32 %r<20>;\n.reg .b64 %d<9>;\n"               \
    ".reg .pred %p<4>;\n.shared .align 1024 .b8 s[1024];\n"                    \
    ".shared .align 128 .b8 m[128];\n.shared .align 8 .b64 mb;\n"              \
    "ld.param.u64 %d1, [map];\nld.param.u64 %d2, [tensor];\n"                  \
    "ld.param.u64 %d3, [out];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, s;\n"        \
    "mov.u32 %r3, mb;\nmov.u32 %r4, m;\nmad.lo.u32 %r5, %r1, 4, %r4;\n"        \
    "st.shared.u32 [%r5], 0;\nbar.sync 0;\n"                                   \
    "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra COPY;\n"                               \
    "mov.u32 %r6, 40;\nmov.u64 %d5, 160;\n"
#define USE                                                                    \
    "mbarrier.init.shared.b64 [%r3], 1;\n"                                     \
    "mbarrier.arrive.expect_tx.shared.b64 _, [%r3], 1024;\nCOPY:\n"            \
    "bar.sync 0;\n"                                                            \
    "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release."   \
    "gpu.sync.aligned [%d1], [%r4], 128;\n@%p1 bra WAIT;\n"                    \
    "tensormap.replace.tile.global_address.global.b1024.b64 [%d1], %d2;\n"     \
    "fence.proxy.tensormap::generic.release.gpu;\n"                            \
    "fence.proxy.tensormap::generic.acquire.gpu [%d1], 128;\n"                 \
    "mov.u32 %r10, 8;\nmov.u32 %r11, 3;\n"                                     \
    "cp.async.bulk.tensor.2d.shared::cluster.global.tile."                     \
    "mbarrier::complete_tx::bytes [%r2], [%d1, {%r10, %r11}], [%r3];\n"        \
    "WAIT:\nbar.sync 0;\nTEST:\n"                                              \
    "mbarrier.try_wait.parity.shared.b64 %p2, [%r3], 0;\n@!%p2 bra TEST;\n"    \
    "mul.wide.u32 %d4, %r1, 32;\nadd.u64 %d3, %d3, %d4;\n"                     \
    "mad.lo.u32 %r5, %r1, 32, %r2;\n"                                          \
    "ld.shared.v4.u32 {%r6, %r7, %r8, %r9}, [%r5];\n"                          \
    "st.global.v4.u32 [%d3], {%r6, %r7, %r8, %r9};\n"                          \
    "ld.shared.v4.u32 {%r6, %r7, %r8, %r9}, [%r5+16];\n"                       \
    "st.global.v4.u32 [%d3+16], {%r6, %r7, %r8, %r9};\nret;\n}\n"

static void open_maker(struct ptx_rig *rig)
{
    static const char *const field[] = {
        "global_address.shared::cta.b1024.b64 [%r4], %d3",
        "rank.shared::cta.b1024.b32 [%r4], 1",
        "box_dim.shared::cta.b1024.b32 [%r4], 0, 32",
        "box_dim.shared::cta.b1024.b32 [%r4], 1, 8",
        "global_dim.shared::cta.b1024.b32 [%r4], 0, %r6",
        "global_dim.shared::cta.b1024.b32 [%r4], 1, 20",
        "global_stride.shared::cta.b1024.b64 [%r4], 0, %d5",
        "element_stride.shared::cta.b1024.b32 [%r4], 0, 1",
        "element_stride.shared::cta.b1024.b32 [%r4], 1, 1",
        "elemtype.shared::cta.b1024.b32 [%r4], 7",
        "interleave_layout.shared::cta.b1024.b32 [%r4], 0",
        "swizzle_mode.shared::cta.b1024.b32 [%r4], 3",
        "fill_mode.shared::cta.b1024.b32 [%r4], 0"};
    char text[4096];
    size_t used = (size_t)snprintf(text, sizeof(text), "%s", MAKE);

    for (size_t i = 0; i < LOOM_COUNTOF(field); i++) {
        used += (size_t)snprintf(text + used, sizeof(text) - used,
                                 "tensormap.replace.tile.%s;\n", field[i]);
    }
    snprintf(text + used, sizeof(text) - used, "%s", USE);
    ptx_rig_open(rig, text);
}

static void made_maps(void)
{
    struct loom_tensor_map want = {.magic = LOOM_TENSOR_MAP_MAGIC,
                                   .type = LOOM_TENSOR_F32,
                                   .rank = 2,
                                   .swizzle = 3,
                                   .dim = {40, 20},
                                   .stride = {160},
                                   .box = {32, 8}};
    struct ptx_rig rig;
    uint64_t word[3];
    uint32_t *tensor, *out;

    open_maker(&rig);
    word[0] = ptx_rig_alloc(&rig, LOOM_TENSOR_MAP_BYTES, "map");
    word[1] = ptx_rig_alloc(&rig, 20 * 160, "tensor");
    word[2] = ptx_rig_alloc(&rig, 1024, "out");
    want.base = word[1];
    tensor = ptx_rig_at(&rig, word[1]);
    out = ptx_rig_at(&rig, word[2]);
    for (uint32_t i = 0; i < 20 * 40; i++) {
        tensor[i] = i * 2654435761u;
    }
    ptx_rig_run(&rig, "k", ptx_shape_1d(1, 32), word);
    EXPECT(memcmp(ptx_rig_at(&rig, word[0]), &want, sizeof(want)) == 0);
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t row = i / 32, unit = i % 32 / 4 ^ row;

        EXPECT_EQ(out[row * 32 + unit * 4 + i % 4],
                  tensor[(3 + row) * 40 + 8 + i % 32]);
    }
    ptx_rig_close(&rig);
}

/* Types of elements have other numbers than for cuTensorMapEncodeTiled. */
static void elements_of_maps(void)
{
    static const uint8_t type[] = {
        LOOM_TENSOR_U8,      LOOM_TENSOR_U16,  LOOM_TENSOR_U32,
        LOOM_TENSOR_S32,     LOOM_TENSOR_U64,  LOOM_TENSOR_S64,
        LOOM_TENSOR_F16,     LOOM_TENSOR_F32,  LOOM_TENSOR_F32_FTZ,
        LOOM_TENSOR_F64,     LOOM_TENSOR_BF16, LOOM_TENSOR_TF32,
        LOOM_TENSOR_TF32_FTZ};

    for (uint32_t i = 0; i <= LOOM_COUNTOF(type); i++) {
        const struct loom_tensor_map *map;
        struct ptx_rig rig;
        char text[512];
        uint64_t word;
        bool ok;

        snprintf(text, sizeof(text),
                 ".version 8.6\n.target sm_90a\n.address_size 64\n"
                 ".visible .entry k(.param .u64 map)\n{\n.reg .b64 %%d<3>;\n"
                 "ld.param.u64 %%d1, [map];\n"
                 "tensormap.replace.tile.elemtype.global.b1024.b32 [%%d1], %u;"
                 "\nret;\n}\n",
                 i);
        ptx_rig_open(&rig, text);
        word = ptx_rig_alloc(&rig, LOOM_TENSOR_MAP_BYTES, "map");
        map = ptx_rig_at(&rig, word);
        ok = ptx_rig_try(&rig, "k", ptx_shape_1d(1, 1), &word);
        EXPECT(ok == (i < LOOM_COUNTOF(type)));
        EXPECT_EQ(map->type, ok ? type[i] : 0);
        ptx_rig_close(&rig);
    }
}

static void mistakes(void)
{
    static const struct box box = {LOOM_TENSOR_U32, 2,       0,      0,
                                   {40, 20},        {32, 8}, {0, 0}, LOAD("2d"),
                                   STORE("2d")};
    static const char *const why[] = {
        "cuTensorMapEncodeTiled makes them",
        "has 3 dimensions, the instruction has 2",
        "is not inside device memory", "there is no tensor map at its address",
        "the tensor map's box is larger than the 16392 bytes"};

    for (uint32_t i = 0; i < LOOM_COUNTOF(why); i++) {
        struct loom_tensor_map *map;
        struct job job;

        open_job(&job, &box, 1024);
        place_map(&job, &box, 4);
        map = ptx_rig_at(&job.rig, job.word[0]);
        if (i == 0) {
            map->magic++;
        } else if (i == 1) {
            map->rank = 3;
        } else if (i == 2) {
            map->base += TENSOR - 160;
        } else if (i == 3) {
            job.word[0] += 64;
        } else {
            map->box[1] = 65535;
        }
        EXPECT(!ptx_rig_try(&job.rig, "k", ptx_shape_1d(1, 32), job.word));
        if (strstr(job.rig.err.text, why[i]) == NULL) {
            EXPECT_TEXT(job.rig.err.text, why[i]);
        }
        ptx_rig_close(&job.rig);
    }
}

static const struct loom_test tests[] = {
    {"boxes", boxes},
    {"reductions", reductions},
    {"to_a_cluster", to_a_cluster},
    {"made_maps", made_maps},
    {"elements_of_maps", elements_of_maps},
    {"mistakes", mistakes},
};

int main(void)
{
    return loom_run_tests("ptx_forms_tensor", tests, LOOM_COUNTOF(tests));
}
