/*
 * Random instructions made from the table of opcodes: whatever the parser
 * and the decoder let through must execute or fail with a message, without
 * touching what is not its own (run under sanitizers).
 *
 * links: workload_ptx
 */
#include "engine/rng.h"

#include "tests/unit/ptx_rig.h"
#include "workloads/texture.h"

#define DECLARATIONS                                                           \
    ".reg .pred %p<8>;\n.reg .b16 %h<16>;\n.reg .b32 %r<16>;\n"                \
    ".reg .b64 %d<16>;\n.reg .f32 %f<16>;\n.reg .f64 %g<16>;\n"                \
    ".reg .b128 %q<8>;\n.shared .align 128 .b8 room[1024];\n"                  \
    ".local .align 16 .b8 own[256];\n"                                         \
    "ld.param.u64 %d1, [k_at];\nld.param.u64 %d2, [k_tex];\n"                  \
    "mov.u32 %r1, %tid.x;\nmov.u32 %r2, room;\n"                               \
    "mul.wide.u32 %d3, %r1, 32;\nadd.u64 %d3, %d3, %d1;\n"                     \
    "mov.u32 %r3, 0x7fc0ff81;\nmov.f32 %f3, 0f00000001;\n"                     \
    "mov.f64 %g3, 0dfff0000000000001;\ncvt.rn.f32.u32 %f1, %r1;\n"             \
    "cvt.u16.u32 %h1, %r3;\nsetp.lt.u32 %p1, %r1, 7;\n"

#ifndef ROUNDS
#define ROUNDS 20000u
#endif

static uint32_t below(struct loom_rng *rng, uint32_t n)
{
    return (uint32_t)loom_rng_below(rng, n);
}

struct text {
    char at[4096];
    size_t used;
};

static void add(struct text *t, const char *what)
{
    size_t n = strlen(what);

    REQUIRE(t->used + n < sizeof(t->at));
    memcpy(t->at + t->used, what, n + 1);
    t->used += n;
}

static const char *const registers[] = {"%h", "%r", "%d", "%f", "%g", "%q"};
static const char *const values[] = {
    "0", "-1", "0f7FC00001", "7", "room", "%tid.x", "31", "0d8000000000000001"};

static void add_register(struct text *t, struct loom_rng *rng)
{
    char name[16];

    snprintf(name, sizeof(name), "%s%u",
             registers[below(rng, LOOM_COUNTOF(registers))], below(rng, 8));
    add(t, name);
    if (below(rng, 16) == 0) {
        add(t, below(rng, 2) == 0 ? ".b1" : ".h0");
    }
}

static void add_vector(struct text *t, struct loom_rng *rng)
{
    static const uint32_t sizes[] = {1, 2, 4, 4, 8};
    uint32_t n = sizes[below(rng, LOOM_COUNTOF(sizes))];
    const char *kind = registers[below(rng, LOOM_COUNTOF(registers))];
    char name[16];

    for (uint32_t i = 0; i < n; i++) {
        snprintf(name, sizeof(name), "%s%s%u", i == 0 ? "{" : ", ", kind,
                 below(rng, 8));
        add(t, name);
    }
    add(t, "}");
}

static void add_source(struct text *t, struct loom_rng *rng)
{
    if (below(rng, 4) == 0) {
        add(t, values[below(rng, LOOM_COUNTOF(values))]);
    } else {
        add_register(t, rng);
    }
}

static void add_operand(struct text *t, char letter, bool texture,
                        struct loom_rng *rng)
{
    static const char *const addresses[] = {
        "[%d3]", "[%d1+64]", "[%r2]", "[room+32]", "[own]", "[%d2]", "[%d3+1]"};

    switch (letter) {
    case 'v':
    case 'w':
    case 'x':
    case 'y':
        if (below(rng, 2) == 0) {
            add_vector(t, rng);
            break;
        }
        add_register(t, rng);
        break;
    case 'q':
    case 'p':
        add(t, below(rng, 2) == 0 ? "%p1" : "%p2");
        break;
    case 'a':
        if (!texture) {
            add(t, addresses[below(rng, LOOM_COUNTOF(addresses))]);
            break;
        }
        add(t, "[%d2, ");
        add(t, below(rng, 4) == 0 ? "%d2, " : "");
        add_vector(t, rng);
        add(t, "]");
        break;
    case 'd':
        add_register(t, rng);
        break;
    default:
        add_source(t, rng);
        break;
    }
}

/* A word of the field; half of the time one that is common. */
static void add_word(struct text *t, char field, struct loom_rng *rng)
{
    for (uint32_t tries = 0; tries < 400; tries++) {
        const struct loom_ptx_word *w =
            &loom_ptx_words[below(rng, (uint32_t)loom_ptx_word_count)];

        if (w->field == field) {
            add(t, ".");
            add(t, w->word);
            return;
        }
    }
}

static void add_instruction(struct text *t, const uint16_t op,
                            struct loom_rng *rng)
{
    const struct loom_ptx_opcode_info *info = &loom_ptx_opcodes[op];
    const char *o = info->operands;
    bool texture = info->group == LOOM_PTX_G_TEXTURE, optional = false;

    add(t, below(rng, 8) == 0 ? "@!%p1 " : "");
    add(t, info->name);
    for (const char *f = info->fields; *f != '\0'; f++) {
        bool must = *f == 't' || *f == 'g' || *f == 'C' || *f == 'l';

        if (must || below(rng, 3) == 0) {
            add_word(t, *f, rng);
        }
    }
    add(t, " ");
    if (strchr(o, '|') != NULL && below(rng, 2) == 0) {
        o = strchr(o, '|') + 1;
    }
    for (bool first = true; *o != '\0' && *o != '|'; o++) {
        if (*o == '?') {
            optional = true;
            continue;
        }
        if (optional && below(rng, 2) == 0) {
            break;
        }
        add(t, first ? "" : ", ");
        add_operand(t, *o, texture, rng);
        if (first && below(rng, 12) == 0) {
            add(t, "|%p3");
        }
        first = false;
    }
    add(t, ";\n");
}

static void make_texture(struct loom_memory *memory, loom_addr base,
                         struct loom_rng *rng, uint64_t *handle)
{
    struct loom_texture t = {
        .base = base,
        .width = 1 + below(rng, 8),
        .height = below(rng, 8),
        .layers = below(rng, 2) * 6,
        .format = (uint8_t)below(rng, LOOM_TEXELS),
        .channels = (uint8_t)(1u << below(rng, 3)),
        .address = {(uint8_t)below(rng, 4), (uint8_t)below(rng, 4)},
        .linear = below(rng, 2) != 0,
        .normalized = below(rng, 2) != 0,
        .normalized_read = below(rng, 2) != 0,
    };
    struct loom_error err;

    if (!loom_texture_create(memory, &t, handle, &err)) {
        t.linear = false;
        REQUIRE(loom_texture_create(memory, &t, handle, &err));
    }
}

/* False: refused by the parser. */
static bool run_text(const char *text, struct loom_rng *rng, uint32_t *ran)
{
    struct ptx_rig rig = {.memory = loom_memory_create(1 << 24)};
    uint64_t word[2] = {0};
    bool ok;

    REQUIRE(rig.memory != NULL);
    ok = ptx_workload.open(rig.memory,
                           &(struct loom_program_text){.name = "random",
                                                       .text = text,
                                                       .bytes = strlen(text)},
                           &rig.program, &rig.err);
    if (ok) {
        word[0] = ptx_rig_alloc(&rig, 8192, "words");
        make_texture(rig.memory, word[0], rng, &word[1]);
        rig.budget = 16000;
        if (ptx_rig_try(&rig, "k", ptx_shape_1d(1, 48), word)) {
            ++*ran;
        } else {
            EXPECT(rig.err.text[0] != '\0');
        }
        ptx_rig_retire(&rig);
        ptx_workload.close(rig.program);
    }
    loom_memory_destroy(rig.memory);
    return ok;
}

/* Those that may wait or call have tests of their own. */
static bool is_arithmetic(uint16_t op)
{
    switch ((enum loom_ptx_group)loom_ptx_opcodes[op].group) {
    case LOOM_PTX_G_MOVE:
    case LOOM_PTX_G_ADD:
    case LOOM_PTX_G_MINMAX:
    case LOOM_PTX_G_MUL:
    case LOOM_PTX_G_MAD:
    case LOOM_PTX_G_DIV:
    case LOOM_PTX_G_SFU:
    case LOOM_PTX_G_TENSOR:
    case LOOM_PTX_G_SHUFFLE:
    case LOOM_PTX_G_LOAD:
    case LOOM_PTX_G_STORE:
    case LOOM_PTX_G_ATOMIC:
    case LOOM_PTX_G_TEXTURE:
        return true;
    default:
        return false;
    }
}

static void random_instructions(void)
{
    uint32_t parsed = 0, ran = 0;
    struct loom_rng rng;

    loom_rng_init(&rng, ROUNDS, "instructions");
    for (uint64_t i = 0; i < ROUNDS; i++) {
        uint16_t op = (uint16_t)below(&rng, LOOM_PTX_OPCODES);
        struct text t = {.used = 0};

        if (!is_arithmetic(op)) {
            continue;
        }
        add(&t, PTX_HEAD ".visible .entry k(.param .u64 k_at, "
                         ".param .u64 k_tex)\n{\n" DECLARATIONS);
        add_instruction(&t, op, &rng);
        add(&t, "ret;\n}\n");
        parsed += run_text(t.at, &rng, &ran);
    }
    EXPECT(parsed > ROUNDS / 20);
    EXPECT(ran > ROUNDS / 100);
}

static const struct loom_test tests[] = {
    {"random_instructions", random_instructions},
};

int main(void)
{
    return loom_run_tests("ptx_rows_random", tests, LOOM_COUNTOF(tests));
}
