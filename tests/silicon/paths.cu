/*
 * What lies between an SM and the L2, by the SM's clock: fences beside copies,
 * loads and stores; bulk copies; writes; code that is fetched; kernels that
 * begin early.  The same program runs on a card and here.  Prints CSV:
 *
 *   nvcc -O2 -std=c++17 -gencode arch=compute_90a,code=[sm_90a,compute_90a]
 *     -o paths paths.cu
 *   ./paths > cards/CARD_paths.csv
 *   warploom cuda h100.lua -- ./paths 40
 *
 * The argument: turns that are measured, 1000 if none is given.
 */
#include "clock.h"

#define DEVICE __device__ __forceinline__
DEVICE u64 ns()
{
    u64 t;

    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
    return t;
}

DEVICE unsigned smid()
{
    unsigned id;

    asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
    return id;
}

DEVICE unsigned shared_address(const void *at)
{
    unsigned shared;

    asm("{\n.reg .u64 t;\ncvta.to.shared.u64 t, %1;\ncvt.u32.u64 %0, t;\n}"
        : "=r"(shared)
        : "l"(at));
    return shared;
}

enum {
    STAGE = 49152,
    SHARED = 200 << 10
};
static unsigned *out;
static char *mem;
static int turns = 1000;

static unsigned median(int count)
{
    std::vector<unsigned> t(count);

    CHECK(cudaMemcpy(t.data(), out, 4 * count, cudaMemcpyDeviceToHost));
    std::sort(t.begin(), t.end());
    return t[count / 2];
}

/* ---- fences ---- */

enum what {
    COPIES,
    SHARED_STORES,
    LOADS,
    STORES
};
enum fence {
    NONE,
    PROXY,
    CTA,
    PROXY_SHARED,
    GPU,
    FENCES
};
static const char *const what_name[] = {"copies", "shared stores", "loads",
                                        "stores"};
static const char *const fence_name[] = {"none", "proxy.async", "acq_rel.cta",
                                         "proxy.async.shared", "acq_rel.gpu"};

template <int FENCE> DEVICE void set_fence()
{
    if (FENCE == PROXY) {
        asm volatile("fence.proxy.async;" ::: "memory");
    } else if (FENCE == CTA) {
        asm volatile("fence.acq_rel.cta;" ::: "memory");
    } else if (FENCE == PROXY_SHARED) {
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    } else if (FENCE == GPU) {
        asm volatile("fence.acq_rel.gpu;" ::: "memory");
    }
}

/* N accesses of 16 bytes a lane, in turns; GROUPS of copies may be left. */
template <int WHAT, int N, int GROUPS, int FENCE, bool BARRIER>
__global__ void fences(const char *from, int count, unsigned *cycles)
{
    extern __shared__ char memory[];
    unsigned tid = threadIdx.x, begin = 0, all = blockDim.x * 16, sum = 0;
    unsigned to = shared_address(memory) + tid * 16;
    const char *at = from + tid * 16;
    uint4 v[N ? N : 1];

#pragma unroll 1
    for (int turn = -8; turn < count; turn++) {
        if (turn == 0) {
            __syncthreads();
            begin = now();
        }
        if (WHAT == COPIES) {
            asm volatile("cp.async.wait_group %0;" ::"n"(GROUPS) : "memory");
        }
        set_fence<FENCE>();
        if (BARRIER) {
            asm volatile("bar.sync 0;" ::: "memory");
        }
#pragma unroll
        for (int i = 0; i < N; i++) {
            if (WHAT == COPIES) {
                asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                                 to + (turn & 3) * STAGE + i * all),
                             "l"(at + i * all)
                             : "memory");
            } else if (WHAT == SHARED_STORES) {
                asm volatile(
                    "st.shared.v4.u32 [%0], {%1,%1,%1,%1};" ::"r"(to + i * all),
                    "r"(tid)
                    : "memory");
            } else if (WHAT == LOADS) {
                asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];"
                             : "=r"(v[i].x), "=r"(v[i].y), "=r"(v[i].z),
                               "=r"(v[i].w)
                             : "l"(at + i * all));
            } else {
                asm volatile(
                    "st.global.v4.u32 [%0], {%1,%1,%1,%1};" ::"l"(at + i * all),
                    "r"(tid)
                    : "memory");
            }
        }
        if (WHAT == COPIES) {
            asm volatile("cp.async.commit_group;" ::: "memory");
        }
#pragma unroll
        for (int i = 0; WHAT == LOADS && i < N; i++) {
            sum ^= v[i].x;
        }
        if (sum == 77) { /* the next turn comes after the loads */
            cycles[1] = 0;
        }
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    if (tid == 0) {
        cycles[0] = now() - begin;
    }
}

template <int WHAT, int N, int GROUPS, int FENCE, bool BARRIER>
static void fences_of()
{
    auto kernel = fences<WHAT, N, GROUPS, FENCE, BARRIER>;

    CHECK(cudaFuncSetAttribute(
        kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
    for (int warps : {1, 2, 4, 8, 16}) {
        if (WHAT == COPIES && N * warps * 512 > STAGE) {
            continue;
        }
        kernel<<<1, warps * 32, SHARED>>>(mem, turns, out);
        kernel<<<1, warps * 32, SHARED>>>(mem, turns, out);
        printf("fence,%s,%s,%d %s,%d groups,%d warps,%.1f\n", fence_name[FENCE],
               BARRIER ? "barrier" : "alone", N, what_name[WHAT], GROUPS, warps,
               median(1) / (double)turns);
    }
}

template <int FENCE, bool BARRIER> static void all_fences()
{
    fences_of<COPIES, 0, 0, FENCE, BARRIER>();
    fences_of<COPIES, 1, 0, FENCE, BARRIER>();
    fences_of<COPIES, 1, 1, FENCE, BARRIER>();
    fences_of<COPIES, 4, 0, FENCE, BARRIER>();
    fences_of<COPIES, 4, 1, FENCE, BARRIER>();
    fences_of<COPIES, 12, 0, FENCE, BARRIER>();
    fences_of<COPIES, 12, 2, FENCE, BARRIER>();
    fences_of<SHARED_STORES, 1, 0, FENCE, BARRIER>();
    fences_of<SHARED_STORES, 4, 0, FENCE, BARRIER>();
    fences_of<SHARED_STORES, 12, 0, FENCE, BARRIER>();
    fences_of<LOADS, 1, 0, FENCE, BARRIER>();
    fences_of<LOADS, 4, 0, FENCE, BARRIER>();
    fences_of<STORES, 1, 0, FENCE, BARRIER>();
    fences_of<STORES, 4, 0, FENCE, BARRIER>();
}

/* ---- bulk copies ---- */

DEVICE void wait_for(unsigned barrier, unsigned parity)
{
    unsigned done;

    do {
        asm volatile("{\n.reg .pred p;\n"
                     "mbarrier.try_wait.parity.shared.b64 p, [%1], %2;\n"
                     "selp.u32 %0, 1, 0, p;\n}"
                     : "=r"(done)
                     : "r"(barrier), "r"(parity)
                     : "memory");
    } while (!done);
}

/* A lane of each warp copies; two stages are on their way at a time. */
__global__ void bulk(const char *from, unsigned each, int count,
                     unsigned *cycles)
{
    extern __shared__ __align__(1024) char memory[];
    __shared__ __align__(8) u64 object[2];
    unsigned barrier = shared_address(object), warp = threadIdx.x / 32;
    unsigned to = (shared_address(memory) + 1023) & ~1023u;
    unsigned begin = 0;

    for (int i = 0; threadIdx.x == 0 && i < 2; i++) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(barrier + 8 * i)
                     : "memory");
    }
    __syncthreads();
    if (threadIdx.x % 32 != 0) {
        return;
    }
    for (int turn = -4; turn < count + 2; turn++) {
        unsigned own = barrier + 8 * (turn & 1),
                 stage = to + (turn & 1) * STAGE;

        if (turn == 0) {
            begin = now();
        }
        if (turn > -3) { /* what was copied there two turns ago has come */
            wait_for(own, ((turn + 2) >> 1) & 1);
        }
        if (turn >= count) {
            continue;
        }
        if (warp == 0) {
            asm volatile(
                "mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(own),
                "r"(STAGE)
                : "memory");
        }
        for (unsigned at = warp * each; at < STAGE;
             at += blockDim.x / 32 * each) {
            asm volatile(
                "cp.async.bulk.shared::cluster.global."
                "mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                    stage + at),
                "l"(from + at), "r"(each), "r"(own)
                : "memory");
        }
    }
    if (warp == 0) {
        cycles[0] = now() - begin;
    }
}

static void all_bulk()
{
    CHECK(cudaFuncSetAttribute(
        bulk, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
    for (int warps : {1, 2, 4, 8}) {
        for (int each : {128, 512, 1024, 2048, 4096, 16384, 49152}) {
            int count = std::max(40, turns / 5);

            bulk<<<1, warps * 32, SHARED>>>(mem, each, count, out);
            printf("bulk,%d warps,%d bytes,%.1f\n", warps, each,
                   median(1) / (double)count);
        }
    }
}

/* ---- writes ---- */

template <class V>
__global__ void writes(unsigned sms, V *at, size_t each, int count,
                       unsigned *cycles)
{
    V v = {};
    V *to = at + smid() * each;
    unsigned begin = 0;

    if (smid() >= sms) {
        return;
    }
    for (int turn = -1; turn < count; turn++) {
        if (turn == 0) {
            __threadfence();
            __syncthreads();
            begin = now();
        }
        for (size_t i = threadIdx.x; i < each; i += blockDim.x) {
            to[i] = v;
        }
        asm volatile("" ::: "memory");
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        cycles[smid()] = now() - begin;
    }
}

template <class V> static void all_writes(int sms)
{
    const int bytes = 64 << 10;
    int count = std::max(2, turns / 40);

    CHECK(cudaFuncSetAttribute(
        writes<V>, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
    for (int writing : {1, 4, sms}) {
        writes<V><<<sms, 1024, SHARED>>>(writing, (V *)mem, bytes / sizeof(V),
                                         count, out);
        printf("writes,%zu bytes,%s SMs,%.1f bytes a cycle\n", sizeof(V),
               writing == sms ? "all"
               : writing == 1 ? "1"
                              : "4",
               (double)bytes * count / median(writing));
    }
}

/* ---- code ---- */

#define F1(x)                                                                  \
    asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x) : "f"(a), "f"(b));
#define F4 F1(w) F1(x) F1(y) F1(z)
#define F32 F4 F4 F4 F4 F4 F4 F4 F4
#define F128 F32 F32 F32 F32
#define F512 F128 F128 F128 F128
#define F2048 F512 F512 F512 F512
#define CODE(name, body)                                                       \
    __global__ void name(unsigned *cycles, float a, float b, float c)          \
    {                                                                          \
        float w = c, x = c, y = c, z = c;                                      \
        _Pragma("unroll 1") for (int turn = 0; turn < 4; turn++)               \
        {                                                                      \
            unsigned t = now();                                                \
            body;                                                              \
            t = now() - t;                                                     \
            if (threadIdx.x == 0) {                                            \
                cycles[turn] = t;                                              \
            }                                                                  \
        }                                                                      \
        if (w + x + y + z == 1.25f) {                                          \
            cycles[4] = 1;                                                     \
        }                                                                      \
    }
CODE(code128, F128)
CODE(code512, F512)
CODE(code2048, F2048)
CODE(code4096, F2048 F2048)
CODE(code12288, F2048 F2048 F2048 F2048 F2048 F2048)

/* The first time, and again. */
static void code_of(void (*kernel)(unsigned *, float, float, float), int insts)
{
    unsigned t[4];

    kernel<<<1, 32>>>(out, 1, 2, 3);
    CHECK(cudaMemcpy(t, out, sizeof(t), cudaMemcpyDeviceToHost));
    printf("code,%d instructions,%.2f,%.2f cycles each\n", insts,
           t[0] / (double)insts, t[3] / (double)insts);
}

/* ---- kernels that begin early ---- */

DEVICE void spin(int cycles)
{
    unsigned begin = now();

    while (now() - begin < (unsigned)cycles) {
    }
}

/* begin, after the wait, before the trigger, end */
__global__ void part(u64 *at, int early, int late, int trigger, int wait)
{
    u64 t[4];

    at += 4 * blockIdx.x;
    t[0] = ns();
    if (wait) {
        asm volatile("griddepcontrol.wait;" ::: "memory");
    }
    t[1] = ns();
    spin(early);
    t[2] = ns();
    if (trigger) {
        asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    }
    spin(late);
    t[3] = ns();
    for (int i = 0; threadIdx.x == 0 && i < 4; i++) {
        at[i] = t[i];
    }
}

enum {
    KERNELS = 8
};

static void early_of(const char *name, int ctas, int programmatic, int trigger,
                     int wait)
{
    cudaStream_t stream;
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};
    std::vector<u64> t(4 * ctas);
    std::vector<double> begins, waited;
    u64 ended = 0, *times = (u64 *)mem;

    CHECK(cudaStreamCreate(&stream));
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    config.stream = stream;
    config.attrs = &attribute;
    config.gridDim = 1; /* meanwhile the others are launched */
    config.blockDim = 128;
    CHECK(cudaLaunchKernelEx(&config, part, times, 200000, 0, 0, 0));
    config.gridDim = ctas;
    for (int i = 0; i < KERNELS; i++) {
        config.numAttrs = i != 0 && programmatic;
        CHECK(cudaLaunchKernelEx(&config, part, times + 4 * ctas * (i + 1),
                                 10000, 10000, trigger, wait));
    }
    CHECK(cudaStreamSynchronize(stream));
    for (int i = 0; i < KERNELS; i++) {
        u64 first = ~0ull, go = ~0ull, last = 0;

        CHECK(cudaMemcpy(t.data(), times + 4 * ctas * (i + 1), 32 * ctas,
                         cudaMemcpyDeviceToHost));
        for (int c = 0; c < ctas; c++) {
            first = std::min(first, t[4 * c]);
            go = std::min(go, t[4 * c + 1]);
            last = std::max(last, t[4 * c + 3]);
        }
        if (i != 0) {
            begins.push_back((double)first - (double)ended);
            waited.push_back((double)go - (double)ended);
        }
        ended = last;
    }
    std::sort(begins.begin(), begins.end());
    std::sort(waited.begin(), waited.end());
    printf("early,%s,%d CTAs,begin %.0f,wait %.0f ns after the end\n", name,
           ctas, begins[KERNELS / 2], waited[KERNELS / 2]);
    CHECK(cudaStreamDestroy(stream));
}

int main(int argc, char **argv)
{
    cudaDeviceProp card;

    turns = argc > 1 ? atoi(argv[1]) : turns;
    CHECK(cudaGetDeviceProperties(&card, 0));
    printf("card,%s\n", card.name);
    CHECK(cudaMalloc(&out, 1 << 20));
    CHECK(cudaMalloc(&mem, 1 << 26));
    CHECK(cudaMemset(mem, 0, 1 << 26));
    all_fences<NONE, false>();
    all_fences<NONE, true>();
    all_fences<PROXY, false>();
    all_fences<CTA, true>();
    all_fences<PROXY_SHARED, false>();
    all_fences<GPU, false>();
    all_bulk();
    all_writes<unsigned>(card.multiProcessorCount);
    all_writes<uint2>(card.multiProcessorCount);
    all_writes<uint4>(card.multiProcessorCount);
    code_of(code128, 128);
    code_of(code512, 512);
    code_of(code2048, 2048);
    code_of(code4096, 4096);
    code_of(code12288, 12288);
    for (int ctas : {1, 132}) {
        early_of("as launched", ctas, 0, 0, 0);
        early_of("programmatic", ctas, 1, 0, 1);
        early_of("programmatic and triggered", ctas, 1, 1, 1);
    }
    return 0;
}
