/*
 * The suite's kernels, executed functionally, against the CPU.
 *
 * links: workload_ptx
 */
#include <math.h>

#include "tests/unit/ptx_rig.h"

/* Opens workloads/suite/<name>/<name>.ptx of the source tree. */
static void open_suite(struct ptx_rig *rig, const char *name)
{
    char path[1024], *text;
    size_t bytes;
    FILE *file;

    snprintf(path, sizeof(path), "%s/workloads/suite/%s/%s.ptx", LOOM_SOURCE,
             name, name);
    file = fopen(path, "rb");
    REQUIRE(file != NULL);
    text = calloc(1, 1 << 20);
    REQUIRE(text != NULL);
    bytes = fread(text, 1, (1 << 20) - 1, file);
    fclose(file);
    REQUIRE(bytes > 0);
    ptx_rig_open(rig, text);
    free(text);
}

/* A device array of floats k/8 with k in -64 .. 63: sums of products of two
 * such are exact in any order. */
static float *floats(struct ptx_rig *rig, uint64_t *address, uint32_t count,
                     uint32_t seed)
{
    float *host;

    *address = ptx_rig_alloc(rig, count * sizeof(float), "array");
    host = ptx_rig_at(rig, *address);
    for (uint32_t i = 0; i < count && seed != 0; i++) {
        seed = seed * 1664525 + 1013904223;
        host[i] = (float)((int)(seed >> 25) - 64) / 8.0f;
    }
    return host;
}

static uint32_t blocks(uint32_t count, uint32_t size)
{
    return (count + size - 1) / size;
}

static uint64_t bits_of(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

static void expect_floats(const float *got, const float *want, uint32_t count)
{
    uint32_t bad = 0;

    for (uint32_t i = 0; i < count; i++) {
        bad += got[i] != want[i] ? 1 : 0;
    }
    EXPECT_EQ(bad, 0);
}

static void vectoradd_adds(void)
{
    enum {
        N = 1000
    };
    uint64_t word[4] = {0, 0, 0, N};
    struct ptx_rig rig;
    float *a, *b, *c, want[N];

    open_suite(&rig, "vectoradd");
    a = floats(&rig, &word[0], N, 1);
    b = floats(&rig, &word[1], N, 2);
    c = floats(&rig, &word[2], N, 0);
    ptx_rig_run(&rig, "vectoradd", ptx_shape_1d(blocks(N, 256), 256), word);
    for (uint32_t i = 0; i < N; i++) {
        want[i] = a[i] + b[i];
    }
    expect_floats(c, want, N);
    ptx_rig_close(&rig);
}

/* out = A in, or A^T in, in the order of the kernels and fused like them. */
static void product(const float *A, uint32_t rows, uint32_t columns,
                    const float *in, bool transposed, float *out)
{
    uint32_t length = transposed ? columns : rows;

    for (uint32_t i = 0; i < length; i++) {
        out[i] = 0.0f;
    }
    for (uint32_t i = 0; i < rows; i++) {
        for (uint32_t j = 0; j < columns; j++) {
            uint32_t to = transposed ? j : i, from = transposed ? i : j;

            out[to] = fmaf(A[i * columns + j], in[from], out[to]);
        }
    }
}

static void atax_multiplies_twice(void)
{
    enum {
        NX = 96,
        NY = 70
    };
    struct ptx_rig rig;
    uint64_t A, x, tmp, y;
    float want_tmp[NX], want_y[NY];
    float *host_A, *host_x;

    open_suite(&rig, "atax");
    host_A = floats(&rig, &A, NX * NY, 3);
    host_x = floats(&rig, &x, NY, 4);
    floats(&rig, &tmp, NX, 0);
    floats(&rig, &y, NY, 0);
    ptx_rig_run(&rig, "atax_rows", ptx_shape_1d(blocks(NX, 256), 256),
                (uint64_t[]){NX, NY, A, x, tmp});
    ptx_rig_run(&rig, "atax_columns", ptx_shape_1d(blocks(NY, 256), 256),
                (uint64_t[]){NX, NY, A, y, tmp});
    product(host_A, NX, NY, host_x, false, want_tmp);
    product(host_A, NX, NY, want_tmp, true, want_y);
    expect_floats(ptx_rig_at(&rig, tmp), want_tmp, NX);
    expect_floats(ptx_rig_at(&rig, y), want_y, NY);
    ptx_rig_close(&rig);
}

static void bicg_multiplies_both_ways(void)
{
    enum {
        NX = 65,
        NY = 130
    };
    struct ptx_rig rig;
    uint64_t A, r, s, p, q;
    float want_s[NY], want_q[NX];
    float *host_A, *host_r, *host_p;

    open_suite(&rig, "bicg");
    host_A = floats(&rig, &A, NX * NY, 5);
    host_r = floats(&rig, &r, NX, 6);
    host_p = floats(&rig, &p, NY, 7);
    floats(&rig, &s, NY, 8);
    floats(&rig, &q, NX, 9);
    ptx_rig_run(&rig, "bicg_columns", ptx_shape_1d(blocks(NY, 256), 256),
                (uint64_t[]){NX, NY, A, r, s});
    ptx_rig_run(&rig, "bicg_rows", ptx_shape_1d(blocks(NX, 256), 256),
                (uint64_t[]){NX, NY, A, p, q});
    product(host_A, NX, NY, host_r, true, want_s);
    product(host_A, NX, NY, host_p, false, want_q);
    expect_floats(ptx_rig_at(&rig, s), want_s, NY);
    expect_floats(ptx_rig_at(&rig, q), want_q, NX);
    ptx_rig_close(&rig);
}

static void gemm_multiplies_tiles(void)
{
    enum {
        N = 48,
        M = 32,
        K = 64
    };
    struct ptx_shape shape = {{M / 16, N / 16, 1}, {16, 16, 1}, 0};
    static float want[N * M];
    struct ptx_rig rig;
    uint64_t A, B, C;
    float *a, *b, *c;

    open_suite(&rig, "gemm");
    a = floats(&rig, &A, N * K, 10);
    b = floats(&rig, &B, K * M, 11);
    c = floats(&rig, &C, N * M, 12);
    for (uint32_t i = 0; i < N * M; i++) {
        float sum = 0.0f;

        for (uint32_t k = 0; k < K; k++) {
            sum += a[i / M * K + k] * b[k * M + i % M];
        }
        want[i] = 0.5f * sum + 2.0f * c[i];
    }
    ptx_rig_run(&rig, "gemm", shape,
                (uint64_t[]){M, K, bits_of(0.5f), bits_of(2.0f), A, B, C});
    expect_floats(c, want, N * M);
    EXPECT_EQ(rig.kernel->shared_bytes, 2 * 16 * 16 * 4);
    ptx_rig_close(&rig);
}

static void reduction_sums(void)
{
    enum {
        N = 100000,
        BLOCKS = 30
    };
    struct ptx_rig rig;
    uint64_t in, part, out;
    float *host, sum = 0.0f;

    open_suite(&rig, "reduction");
    host = floats(&rig, &in, N, 13);
    floats(&rig, &part, BLOCKS, 0);
    floats(&rig, &out, 1, 0);
    for (uint32_t i = 0; i < N; i++) {
        sum += host[i]; /* eighths below 2^24 / 8: exact */
    }
    ptx_rig_run(&rig, "reduction", ptx_shape_1d(BLOCKS, 256),
                (uint64_t[]){in, part, N});
    ptx_rig_run(&rig, "reduction", ptx_shape_1d(1, 256),
                (uint64_t[]){part, out, BLOCKS});
    expect_floats(ptx_rig_at(&rig, out), &sum, 1);
    ptx_rig_close(&rig);
}

#define NODES 3000

struct graph {
    uint64_t node, edge, frontier, next, visited, cost, again;
    int32_t *first_count; /* [2 * NODES] */
    int32_t *target;
    uint32_t edges;
};

/* Up to five edges from each node, to nodes near and far. */
static void make_graph(struct ptx_rig *rig, struct graph *g)
{
    uint32_t seed = 99;

    g->node = ptx_rig_alloc(rig, NODES * 8, "node");
    g->edge = ptx_rig_alloc(rig, NODES * 5 * 4, "edge");
    g->frontier = ptx_rig_alloc(rig, NODES, "frontier");
    g->next = ptx_rig_alloc(rig, NODES, "next");
    g->visited = ptx_rig_alloc(rig, NODES, "visited");
    g->cost = ptx_rig_alloc(rig, NODES * 4, "cost");
    g->again = ptx_rig_alloc(rig, 4, "again");
    g->first_count = ptx_rig_at(rig, g->node);
    g->target = ptx_rig_at(rig, g->edge);
    g->edges = 0;
    for (uint32_t i = 0; i < NODES; i++) {
        g->first_count[2 * i] = (int32_t)g->edges;
        seed = seed * 1664525 + 1013904223;
        g->first_count[2 * i + 1] = (int32_t)(seed >> 28) % 6;
        for (int32_t e = 0; e < g->first_count[2 * i + 1]; e++) {
            seed = seed * 1664525 + 1013904223;
            g->target[g->edges++] =
                (int32_t)(e == 0 ? (i + 1) % NODES : (seed >> 8) % NODES);
        }
    }
}

/* Levels by a queue; -1: not reached. */
static void levels(const struct graph *g, int32_t *level)
{
    static int32_t queue[NODES];
    uint32_t head = 0, tail = 0;

    for (uint32_t i = 0; i < NODES; i++) {
        level[i] = -1;
    }
    level[0] = 0;
    queue[tail++] = 0;
    while (head < tail) {
        int32_t at = queue[head++];

        for (int32_t e = 0; e < g->first_count[2 * at + 1]; e++) {
            int32_t to = g->target[g->first_count[2 * at] + e];

            if (level[to] < 0) {
                level[to] = level[at] + 1;
                queue[tail++] = to;
            }
        }
    }
}

static void bfs_finds_all_levels(void)
{
    static int32_t want[NODES];
    struct ptx_shape shape = ptx_shape_1d(blocks(NODES, 512), 512);
    uint32_t bad = 0, launches = 0;
    int32_t *cost, *again;
    struct ptx_rig rig;
    struct graph g;

    open_suite(&rig, "bfs");
    make_graph(&rig, &g);
    levels(&g, want);
    cost = ptx_rig_at(&rig, g.cost);
    again = ptx_rig_at(&rig, g.again);
    for (uint32_t i = 0; i < NODES; i++) {
        cost[i] = i == 0 ? 0 : -1;
    }
    *(char *)ptx_rig_at(&rig, g.frontier) = 1;
    *(char *)ptx_rig_at(&rig, g.visited) = 1;
    do {
        *again = 0;
        ptx_rig_run(&rig, "bfs_expand", shape,
                    (uint64_t[]){g.node, g.edge, g.frontier, g.next, g.visited,
                                 g.cost, NODES});
        ptx_rig_run(
            &rig, "bfs_advance", shape,
            (uint64_t[]){g.frontier, g.next, g.visited, g.again, NODES});
        launches++;
    } while (*again != 0 && launches < NODES);
    for (uint32_t i = 0; i < NODES; i++) {
        bad += cost[i] != want[i] ? 1 : 0;
    }
    EXPECT_EQ(bad, 0);
    EXPECT(launches > 5);
    ptx_rig_close(&rig);
}

static const struct loom_test tests[] = {
    {"vectoradd_adds", vectoradd_adds},
    {"atax_multiplies_twice", atax_multiplies_twice},
    {"bicg_multiplies_both_ways", bicg_multiplies_both_ways},
    {"gemm_multiplies_tiles", gemm_multiplies_tiles},
    {"reduction_sums", reduction_sums},
    {"bfs_finds_all_levels", bfs_finds_all_levels},
};

int main(void)
{
    return loom_run_tests("ptx_suite", tests, LOOM_COUNTOF(tests));
}
