/*
 * Atomics and stores of parts of sectors, by the SM's clock: what one of them
 * takes, and how many lanes an L2 slice and an SM do in a cycle.  The same
 * program runs on a card and here.  Prints CSV, cycles per warp instruction of
 * the SM that took longest:
 *
 *   nvcc -O2 -std=c++17 -gencode arch=compute_90a,code=[sm_90a,compute_90a]
 *     -o atomics atomics.cu
 *   ./atomics > cards/CARD_atomics.csv
 *   warploom cuda h100.lua -- ./atomics 10
 *
 * Arguments: instructions of a warp that are measured (400), which operations
 * (part of a name), SMs at most.
 */
#include "clock.h"

static char *mem;
static unsigned *out;
static int turns = 400, most;
static const char *only = "";

/* Where lanes go: bytes from one group of lanes to the next, lanes of a group,
 * bytes from one warp to the next, warps that share a place. */
struct place {
    const char *name;
    unsigned group, stride, warp;
};

static const struct place places[] = {
    {"words of a line", 1, 4, 128},
    {"pairs of lanes", 2, 4, 128},
    {"fours", 4, 4, 128},
    {"eights", 8, 4, 128},
    {"a word a warp", 32, 0, 128},
    {"eights in sectors", 8, 32, 128},
    {"fours in sectors", 4, 32, 256},
    {"sectors", 1, 32, 1024},
    {"lines", 1, 128, 4096},
    /* All warps in one slice. */
    {"one word", 32, 0, 0},
    {"two words", 16, 4, 0},
    {"words of one sector", 4, 4, 0},
    {"words of one line", 1, 4, 0},
    {"sectors of one line", 8, 32, 0},
};

enum op {
    RED_U32,
    RED_F32,
    RED_MAX,
    RED_H2,
    RED_U64,
    RED_F64,
    ATOM_U32,
    ATOM_F32,
    ATOM_EXCH,
    ATOM_CAS,
    ATOM_U64,
    ATOM_CAS64,
    STORE_8,
    STORE_32,
    STORE_64,
    OPS
};
static const char *const op_name[] = {
    "red.add.u32",   "red.add.f32",  "red.max.s32",  "red.add.f16x2",
    "red.add.u64",   "red.add.f64",  "atom.add.u32", "atom.add.f32",
    "atom.exch.b32", "atom.cas.b32", "atom.add.u64", "atom.cas.b64",
    "st.u8",         "st.u32",       "st.u64",
};

/* Its result, or 0. */
template <int OP> __device__ __forceinline__ unsigned one(char *at, unsigned v)
{
    unsigned r = 0;
    unsigned long long w = v, d = 0;

    switch (OP) {
    case RED_U32:
        asm volatile("red.global.add.u32 [%0], %1;" ::"l"(at), "r"(v));
        break;
    case RED_F32:
        asm volatile("red.global.add.f32 [%0], 0f3f800000;" ::"l"(at));
        break;
    case RED_MAX:
        asm volatile("red.global.max.s32 [%0], %1;" ::"l"(at), "r"(v));
        break;
    case RED_H2:
        asm volatile("red.global.add.noftz.f16x2 [%0], %1;" ::"l"(at), "r"(v));
        break;
    case RED_U64:
        asm volatile("red.global.add.u64 [%0], %1;" ::"l"(at), "l"(w));
        break;
    case RED_F64:
        asm volatile("red.global.add.f64 [%0], 0d3ff0000000000000;" ::"l"(at));
        break;
    case ATOM_U32:
        asm volatile("atom.global.add.u32 %0, [%1], %2;"
                     : "=r"(r)
                     : "l"(at), "r"(v));
        break;
    case ATOM_F32:
        asm volatile("atom.global.add.f32 %0, [%1], 0f3f800000;"
                     : "=r"(r)
                     : "l"(at));
        break;
    case ATOM_EXCH:
        asm volatile("atom.global.exch.b32 %0, [%1], %2;"
                     : "=r"(r)
                     : "l"(at), "r"(v));
        break;
    case ATOM_CAS:
        asm volatile("atom.global.cas.b32 %0, [%1], %2, %2;"
                     : "=r"(r)
                     : "l"(at), "r"(v));
        break;
    case ATOM_U64:
        asm volatile("atom.global.add.u64 %0, [%1], %2;"
                     : "=l"(d)
                     : "l"(at), "l"(w));
        break;
    case ATOM_CAS64:
        asm volatile("atom.global.cas.b64 %0, [%1], %2, %2;"
                     : "=l"(d)
                     : "l"(at), "l"(w));
        break;
    case STORE_8:
        asm volatile("st.global.u8 [%0], %1;" ::"l"(at), "r"(v));
        break;
    case STORE_32:
        asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(v));
        break;
    case STORE_64:
        asm volatile("st.global.u64 [%0], %1;" ::"l"(at), "l"(w));
        break;
    }
    return r ^ (unsigned)d;
}

template <int OP>
__global__ void ops(char *mem, unsigned group, unsigned stride, unsigned warp,
                    unsigned scale, int count, unsigned *cycles)
{
    unsigned lane = threadIdx.x & 31;
    unsigned w = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, begin = 0, end;
    char *at = mem + scale * (w * warp + lane / group * stride);
    /* An SM joins writes to one place. */
    unsigned apart = OP >= STORE_8 ? 1u << 24 : 0;

    one<OP>(at, lane);
    __threadfence();
    __syncthreads();
    begin = now();
#pragma unroll 1
    for (int i = 0; i < count; i += 4) {
        unsigned a = one<OP>(at, lane);
        unsigned b = one<OP>(at + apart, lane);
        unsigned c = one<OP>(at + 2 * apart, lane);
        unsigned d = one<OP>(at + 3 * apart, lane);

        if ((a ^ b ^ c ^ d) == 0x7fffffff) { /* never: a wait for all */
            cycles[1000] = 0;
        }
    }
    __threadfence();
    __syncthreads();
    end = now();
    cycles[blockIdx.x] = end - begin;
}

/* Of the card's SMs so many with a CTA each. */
template <int OP> void cases(const struct place *p, int ctas, int warps)
{
    bool wide = strcmp(op_name[OP] + strlen(op_name[OP]) - 2, "64") == 0;
    unsigned longest[2] = {0, 0};
    std::vector<unsigned> t(ctas);
    /* Words of 8 bytes are where those of 4 are twice as far. */
    unsigned scale = wide && p->stride <= 4 ? 2 : 1;

    for (int i = 0; i < 2; i++) {
        int count = i == 0 ? turns : turns * 2;

        ops<OP><<<ctas, 32 * warps>>>(mem, p->group, p->stride, p->warp, scale,
                                      count, out);
        CHECK(cudaMemcpy(t.data(), out, 4 * ctas, cudaMemcpyDeviceToHost));
        longest[i] = *std::max_element(t.begin(), t.end());
    }
    printf("%s,%s,%d SMs,%d warps,%.2f\n", op_name[OP], p->name, ctas, warps,
           (double)(longest[1] - longest[0]) / turns / warps);
    fflush(stdout);
}

template <int OP> void all_of()
{
    const int sms[] = {1, 8, 132};

    for (const struct place &p : places) {
        if (strstr(op_name[OP], only) == NULL) {
            return;
        }
        cases<OP>(&p, 1, 1);
        for (int n : sms) {
            if (n <= most) {
                cases<OP>(&p, n, 16);
            }
        }
    }
}

int main(int argc, char **argv)
{
    cudaDeviceProp card;

    turns = argc > 1 ? atoi(argv[1]) : turns;
    only = argc > 2 ? argv[2] : only;
    CHECK(cudaGetDeviceProperties(&card, 0));
    printf("card,%s\n", card.name);
    most = argc > 3 ? atoi(argv[3]) : card.multiProcessorCount;
    CHECK(cudaMalloc(&out, 1 << 20));
    CHECK(cudaMalloc(&mem, 1 << 26));
    CHECK(cudaMemset(mem, 0, 1 << 26));
    all_of<RED_U32>();
    all_of<RED_F32>();
    all_of<RED_MAX>();
    all_of<RED_H2>();
    all_of<RED_U64>();
    all_of<RED_F64>();
    all_of<ATOM_U32>();
    all_of<ATOM_F32>();
    all_of<ATOM_EXCH>();
    all_of<ATOM_CAS>();
    all_of<ATOM_U64>();
    all_of<ATOM_CAS64>();
    all_of<STORE_8>();
    all_of<STORE_32>();
    all_of<STORE_64>();
    return 0;
}
