/*
 * The trace front end: heads, blocks, lists, compressed files, and what is
 * refused.
 *
 * links: workload_trace
 */
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "tests/unit/trace_rig.h"
#include "workloads/trace/list.h"

/* The whole trace is refused, with this message. */
static void refuse(const char *text, const char *message)
{
    struct rig rig;
    bool ok = rig_open_bytes(&rig, text, strlen(text));

    for (uint32_t cta = 0; ok && cta < loom_dim3_count(rig.launch->kernel.grid);
         cta++) {
        ok = rig_produce(&rig, cta);
    }
    EXPECT(!ok);
    EXPECT_TEXT(ok ? "(nothing)" : rig.err.text, message);
    if (!ok && strcmp(rig.err.text, message) != 0) {
        EXPECT_TEXT("it says more", message);
        fprintf(stderr, "%s\n", rig.err.text);
    }
    rig_close(&rig);
}

static void old_versions_have_a_prefix(void)
{
    struct rig rig;

    rig_start(
        &rig,
        HEAD("2", "61", "1,1,1",
             "32,1,1") "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 1\n"
                       "0 0 0 0 0008 0000ffff 1 R2 IADD 1 R3 0\n#END_TB\n");
    EXPECT_EQ(rig_next(&rig)->pc, 8);
    EXPECT_EQ(rig.inst.mask, 0xffff);
    rig_close(&rig);
}

static void source_lines_are_kept(void)
{
    struct rig rig;

    rig_start(
        &rig,
        "-enable lineinfo = 1\n" HEAD(
            "4", "61", "1,1,1",
            "32,1,1") "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 1\n"
                      "17 0008 ffffffff 1 R2 IADD 1 R3 0\n#END_TB\n");
    EXPECT_EQ(rig_next(&rig)->line, 17);
    rig_close(&rig);
}

static void omitted_blocks_and_warps_are_empty(void)
{
    struct rig rig;

    /* Blank lines, unknown keys, and a file that does not end in a newline. */
    rig_start(&rig, "\n-new key = 3\n-other\n" HEAD(
                        "3", "70", "2,2,1",
                        "64,2,1") "\n\n#BEGIN_TB\n\nthread block = "
                                  "1,1,0\n\nwarp = 2\ninsts = 1\n\n"
                                  "0000 ffffffff 0 EXIT 0 0\r\nwarp = 3\ninsts "
                                  "= 0\n\n#END_TB");
    EXPECT_EQ(rig.stream->warp_count, 4);
    for (uint32_t cta = 0; cta < 3; cta++) {
        for (uint32_t w = 0; w < 4; w++) {
            EXPECT_EQ(rig.stream->warp[w].insts, 0);
        }
        rig_release(&rig);
        REQUIRE(rig_produce(&rig, cta + 1));
    }
    EXPECT_EQ(rig.stream->warp[0].insts, 0);
    EXPECT_EQ(rig.stream->warp[2].insts, 1);
    EXPECT_EQ(rig.stream->warp[3].insts, 0);
    rig_close(&rig);
}

/* 20000 different instructions in the second block. */
static void static_table_grows_in_place(void)
{
    const struct loom_static_inst *first;
    size_t room = 1 << 20, used;
    char *text = malloc(room);
    struct rig rig;

    REQUIRE(text != NULL);
    used = (size_t)snprintf(
        text, room,
        HEAD("3", "70", "2,1,1",
             "32,1,1") "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 1\n"
                       "0000 ffffffff 0 EXIT 0 0\n#END_TB\n"
                       "#BEGIN_TB\nthread block = 1,0,0\nwarp = 0\ninsts = "
                       "20000\n");
    for (uint32_t i = 1; i <= 20000; i++) {
        used +=
            (size_t)snprintf(text + used, room - used,
                             "%x ffffffff 1 R%u MOV 1 R3 0\n", 16 * i, i % 255);
    }
    snprintf(text + used, room - used, "#END_TB\n");
    rig_start(&rig, text);
    first = rig_next(&rig);
    rig_release(&rig);
    EXPECT_EQ(rig.launch->kernel.inst_count, 1);
    REQUIRE(rig_produce(&rig, 1));
    EXPECT_EQ(rig.launch->kernel.inst_count, 20001);
    EXPECT(first == rig.launch->kernel.inst && first->op == LOOM_OP_EXIT);
    for (uint32_t i = 1; i <= 20000; i++) {
        const struct loom_static_inst *s = rig_next(&rig);

        EXPECT(s->pc == 16 * i &&
               (s->def[i % 255 / 64] >> i % 255 % 64 & 1) != 0);
    }
    rig_close(&rig);
    free(text);
}

/* For recordings: all static instructions are there before the first CTA,
 * and nothing is counted twice. */
static void scan_completes_the_table(void)
{
    static char text[] = HEAD(
        "3", "70", "2,1,1",
        "32,1,1") "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 1\n"
                  "0000 ffffffff 0 EXIT 0 0\n#END_TB\n"
                  "#BEGIN_TB\nthread block = 1,0,0\nwarp = 0\ninsts = 2\n"
                  "0010 ffffffff 1 R2 NEWOP 1 R3 0\n0020 ffffffff 0 EXIT 0 0\n"
                  "#END_TB\n";
    struct rig rig;

    REQUIRE(rig_open_bytes(&rig, text, sizeof(text) - 1));
    REQUIRE(trace_launch_scan(rig.launch, &rig.err));
    EXPECT_EQ(rig.launch->kernel.inst_count, 3);
    REQUIRE(trace_launch_rewind(
        rig.launch, fmemopen(text, sizeof(text) - 1, "rb"), &rig.err));
    REQUIRE(rig_produce(&rig, 0));
    EXPECT_EQ(rig_next(&rig)->op, LOOM_OP_EXIT);
    EXPECT_EQ(rig.stream->warp[0].insts, 1);
    EXPECT_EQ(rig.notes.item[0].count, 0);
    REQUIRE(rig_produce(&rig, 1));
    EXPECT_EQ(rig_next(&rig)->op, LOOM_OP_INT_ADD);
    EXPECT_EQ(rig.stream->warp[0].insts, 2);
    EXPECT_EQ(rig.launch->kernel.inst_count, 3);
    EXPECT_EQ(rig.notes.item[0].count, 1);
    rig_close(&rig);
}

static void lists(void)
{
    static char text[] = "MemcpyHtoD,0x00007f7393700000,32768\n"
                         "MemcpyDtoH,0x00007f7393700000,5\n\n"
                         "kernel-1.traceg\r\nkernel-2.traceg.xz";
    struct trace_list list = {0};
    struct trace_lines lines;
    struct loom_error err;

    REQUIRE(trace_lines_open(&lines, fmemopen(text, sizeof(text) - 1, "rb"),
                             "l", &err));
    REQUIRE(trace_list_read(&list, &lines, &err));
    REQUIRE(list.count == 3);
    EXPECT(list.item[0].file == NULL);
    EXPECT_EQ(list.item[0].address, 0x7f7393700000);
    EXPECT_EQ(list.item[0].bytes, 32768);
    EXPECT_TEXT(list.item[1].file, "kernel-1.traceg");
    EXPECT_EQ(strlen(list.item[1].file), 15);
    EXPECT_TEXT(list.item[2].file, "kernel-2.traceg.xz");
    trace_list_free(&list);
    trace_lines_close(&lines);
}

#define BLOCK "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\n"
#define TWO HEAD("3", "70", "2,1,1", "64,1,1")
/* Texts that are refused, and why. */
static const struct {
    const char *text, *message;
} mistakes[] = {
    {ONE("3", "1", "0000 fffffffff 0 EXIT 0 0\n"),
     "k.traceg:14: the active mask is 'fffffffff 0 EXIT 0 0', expected "
     "eight "
     "hexadecimal digits"},
    {ONE("3", "1", "zz ffffffff 0 EXIT 0 0\n"),
     "k.traceg:14: the pc is 'zz ffffffff 0 EXIT 0 0', expected a "
     "hexadecimal number below 1000000"},
    {ONE("3", "1", "0000 ffffffff 2 R1 EXIT 0 0\n"),
     "k.traceg:14: register 2 of 2 is 'EXIT', expected R0..R255 or "
     "UR0..UR63"},
    {ONE("3", "1", "0000 ffffffff 0 EXIT 0\n"),
     "k.traceg:14: the memory width is '', expected bytes or 0"},
    {ONE("3", "1", "0000 ffffffff 1 R2 LDG.E 1 R4 4 3 0x10\n"),
     "k.traceg:14: the address mode is '3 0x10', expected 0, 1 or 2"},
    {ONE("3", "1", "0000 00000007 1 R2 LDG.E 1 R4 4 2 0x10 4\n"),
     "k.traceg:14: the addresses of 3 active lanes end at ''"},
    {ONE("3", "1", "0000 1 1 R2 LDG.E 1 R4 4 1 0x100000000000000 4\n"),
     "k.traceg:14: an address has more than 56 bits"},
    {ONE("3", "2", "0000 ffffffff 0 EXIT 0 0\n"),
     "k.traceg:15: warp 0 ends after 1 instructions, expected 2"},
    {ONE("3", "0", "0000 ffffffff 0 EXIT 0 0\n"),
     "k.traceg:14: '0000 ffffffff 0 EXIT 0 0' comes where 'warp = n' or "
     "'#END_TB' is expected"},
    {TWO BLOCK "insts = 0\n",
     "k.traceg:13: the file ends inside a block, expected '#END_TB'"},
    {TWO BLOCK "insts = 0\nwarp = 2\n",
     "k.traceg:14: the warp is 2, expected 0..1 for blocks of 64 threads"},
    {TWO BLOCK "insts = 0\nwarp = 0\ninsts = 0\n",
     "k.traceg:15: warp 0 comes twice in its block"},
    {TWO "#BEGIN_TB\nthread block = 2,0,0\n",
     "k.traceg:11: block 2,0,0 is outside the grid of 2 x 1 x 1"},
    {TWO "#BEGIN_TB\nthread block = 1,0,0\n#END_TB\n" BLOCK,
     "k.traceg:14: block 0 comes after block 1, expected linear order (x "
     "first); sort the trace"},
    {TWO "garbage\n",
     "k.traceg:10: 'garbage' comes where '#BEGIN_TB' is expected"},
    {"-grid dim = (1,1,1)\n", "k.traceg:1: the file ends in the header, "
                              "expected a line '#traces format = ..'"},
    {"-grid dim = (0,1,1)\n",
     "k.traceg:1: 'grid dim' is '(0,1,1)', expected (x,y,z), each at "
     "least 1"},
    {"-block dim = (32,32,2)\n",
     "k.traceg:1: 'block dim' is '(32,32,2)', expected at most 1024 "
     "threads"},
    {"-shmem = many\n",
     "k.traceg:1: 'shmem' is 'many', expected a number of 0..16777216"},
    {TWO "#BEGIN_TB\nthread block = 1,0,0\ncluster size = 1\n",
     "k.traceg:12: 'cluster size = 1' comes where 'cluster id', 'cluster cta' "
     "or 'cluster rank' is expected"},
    {TWO "#BEGIN_TB\nthread block = 1,0,0\ncluster cta = 1,0\n",
     "k.traceg:12: '' comes where a place 'x,y,z' is expected"},
    {TWO "#BEGIN_TB\nthread block = 1,0,0\ncluster rank = x\n",
     "k.traceg:12: 'x' comes where a number is expected"},
    {"-grid dim = (1,1,1)\n#\n", "k.traceg:2: the header has no 'block dim'"},
    {"binary\n", "k.traceg:1: 'binary' is no line of a header, expected "
                 "'-key = value' or '#'"},
};

static void mistakes_name_their_line(void)
{
    _Static_assert(LINES_OF_HEAD == 9, "line numbers above count on it");
    for (size_t i = 0; i < LOOM_COUNTOF(mistakes); i++) {
        refuse(mistakes[i].text, mistakes[i].message);
    }
}

static void another_architecture_uses_the_older_table(void)
{
    struct rig rig;

    rig_start(
        &rig,
        HEAD("7", "72", "1,1,1",
             "32,1,1") "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 1\n"
                       "0008 ffffffff 1 R2 IMAD 1 R3 0\n#END_TB\n");
    EXPECT_EQ(rig_next(&rig)->op, LOOM_OP_INT_MAD);
    REQUIRE(rig.notes.count == 2);
    EXPECT_TEXT(rig.notes.item[0].text,
                "binary version 72 has no opcode table; that of 70 was used");
    EXPECT_TEXT(rig.notes.item[1].text, "tracer version 7 is newer than 6");
    rig_close(&rig);
}

static void numbers_that_are_none_are_told(void)
{
    static const char *const broken[] = {"many", "4294967295", "0", "-1", "8x"};
    struct rig rig;

    for (size_t i = 0; i < LOOM_COUNTOF(broken); i++) {
        char text[512];

        snprintf(text, sizeof(text),
                 "-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-nregs = %s\n"
                 "-binary version = 0\n-accelsim tracer version = 0\n#\n"
                 "#BEGIN_TB\nthread block = 0,0,0\ncluster id = 0,0,0\n"
                 "cluster cta = 0,0,0\ncluster rank = 0\n"
                 "warp = 0\ninsts = 1\n"
                 "0008 ffffffff 1 R2 IMAD 1 R3 0 0 NoVal\n#END_TB\n",
                 broken[i]);
        rig_start(&rig, text);
        EXPECT_EQ(rig_next(&rig)->op, LOOM_OP_INT_MAD);
        EXPECT_EQ(rig.launch->kernel.registers, 0);
        EXPECT_EQ(rig.launch->header.tracer_version, TRACE_VERSION_NEWEST);
        EXPECT_EQ(rig.notes.count, 3); /* of clusters of one there is none */
        EXPECT_TEXT(rig.notes.item[0].text,
                    "the binary version is 0; the newest opcode table, that of "
                    "75, was used");
        rig_close(&rig);
    }
}

/* ---- compression ---- */

static const char packed_text[] =
    ONE("3", "2", "0000 ffffffff 1 R2 MOV 1 R4 0\n0010 ffffffff 0 EXIT 0 0\n");

static size_t pack_gzip(uint8_t *to, size_t room)
{
    z_stream z = {0};

    REQUIRE(deflateInit2(&z, 9, Z_DEFLATED, 16 + MAX_WBITS, 8,
                         Z_DEFAULT_STRATEGY) == Z_OK);
    z.next_in = (Bytef *)(uintptr_t)packed_text;
    z.avail_in = sizeof(packed_text) - 1;
    z.next_out = to;
    z.avail_out = (uInt)room;
    REQUIRE(deflate(&z, Z_FINISH) == Z_STREAM_END);
    deflateEnd(&z);
    return room - z.avail_out;
}

static size_t pack_xz(uint8_t *to, size_t room)
{
    size_t at = 0;

    REQUIRE(lzma_easy_buffer_encode(
                6, LZMA_CHECK_CRC32, NULL, (const uint8_t *)packed_text,
                sizeof(packed_text) - 1, to, &at, room) == LZMA_OK);
    return at;
}

static size_t pack_zstd(uint8_t *to, size_t room)
{
    size_t bytes =
        ZSTD_compress(to, room, packed_text, sizeof(packed_text) - 1, 3);

    REQUIRE(ZSTD_isError(bytes) == 0);
    return bytes;
}

static bool runs(const uint8_t *bytes, size_t size, struct loom_error *err)
{
    struct rig rig;
    bool ok = rig_open_bytes(&rig, bytes, size) && rig_produce(&rig, 0);

    if (ok) {
        EXPECT_EQ(rig.stream->warp[0].insts, 2);
    }
    *err = rig.err;
    rig_close(&rig);
    return ok;
}

static void check_packed(size_t (*pack)(uint8_t *, size_t))
{
    static uint8_t bytes[4096];
    struct loom_error err;
    size_t size = pack(bytes, sizeof(bytes));

    EXPECT(runs(bytes, size, &err));
    /* Cut short anywhere, behind what identifies the format. */
    for (size_t cut = 8; cut < size; cut++) {
        EXPECT(!runs(bytes, cut, &err));
        EXPECT_TEXT(err.text, "damaged or cut short");
    }
    /* Damaged in the middle: an error, wherever it is found. */
    bytes[size / 2] ^= 0x55;
    EXPECT(!runs(bytes, size, &err));
}

static void gzip_is_read(void)
{
    check_packed(pack_gzip);
}

static void xz_is_read(void)
{
    check_packed(pack_xz);
}

static void zstd_is_read(void)
{
    check_packed(pack_zstd);
}

static void concatenated_streams_are_read(void)
{
    size_t (*const pack[])(uint8_t *, size_t) = {pack_gzip, pack_xz, pack_zstd};
    static uint8_t bytes[8192];
    struct loom_error err;

    for (size_t i = 0; i < LOOM_COUNTOF(pack); i++) {
        size_t size = pack[i](bytes, sizeof(bytes));

        size += pack[i](bytes + size, sizeof(bytes) - size);
        /* The second copy starts with a header where a block is due. */
        EXPECT(!runs(bytes, size, &err));
        EXPECT_TEXT(err.text, "k.traceg:17: '-kernel name = _Z1kPf' comes "
                              "where '#BEGIN_TB' is expected");
    }
}

static const struct loom_test tests[] = {
    {"old_versions_have_a_prefix", old_versions_have_a_prefix},
    {"source_lines_are_kept", source_lines_are_kept},
    {"omitted_blocks_and_warps_are_empty", omitted_blocks_and_warps_are_empty},
    {"static_table_grows_in_place", static_table_grows_in_place},
    {"scan_completes_the_table", scan_completes_the_table},
    {"lists", lists},
    {"mistakes_name_their_line", mistakes_name_their_line},
    {"another_architecture_uses_the_older_table",
     another_architecture_uses_the_older_table},
    {"numbers_that_are_none_are_told", numbers_that_are_none_are_told},
    {"gzip_is_read", gzip_is_read},
    {"xz_is_read", xz_is_read},
    {"zstd_is_read", zstd_is_read},
    {"concatenated_streams_are_read", concatenated_streams_are_read},
};

int main(void)
{
    return loom_run_tests("trace_files", tests, LOOM_COUNTOF(tests));
}
