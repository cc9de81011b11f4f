/*
 * What copies of the host leave in the L2: one thread visits lines, and its
 * SM's clock says where each was found.  The same program runs on a card and
 * here (decision 0080):
 *
 *   nvcc -O2 -std=c++17 -gencode arch=compute_90a,code=[sm_90a,compute_90a]
 *     -o copied copied.cu
 *   ./copied
 *   warploom cuda h100.lua -- ./copied
 *
 * Prints how many percent of the lines took less than 575 cycles, in all and of
 * each eighth of what was copied.
 */
#include "clock.h"

enum {
    LINES = 4096, /* that are visited, at most */
    FOUND = 575   /* cycles */
};
static const size_t KIB = 1024, MIB = 1024 * 1024;
static unsigned *cycles;
static char *host, *other;

__global__ void visit(const char *at, size_t step, int lines, unsigned *cycles)
{
    for (int i = 0; i < lines; i++) {
        unsigned begin = now(), v;

        asm volatile("ld.global.cg.u32 %0, [%1];"
                     : "=r"(v)
                     : "l"(at + i * step)
                     : "memory");
        if (v == 0x12345678) { /* never: waits for it */
            cycles[0] = 1;
        }
        cycles[i] = now() - begin;
    }
}

__global__ void reads(const uint4 *at, size_t count, unsigned *out)
{
    unsigned sum = 0;

    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += gridDim.x * blockDim.x) {
        sum ^= at[i].x;
    }
    if (sum == 0x12345678) {
        *out = sum;
    }
}

static void read_all(const char *at, size_t bytes)
{
    reads<<<264, 1024>>>((const uint4 *)at, bytes / 16, cycles);
    CHECK(cudaDeviceSynchronize());
}

static void look(const char *what, const char *at, size_t bytes)
{
    int lines = (int)std::min<size_t>(LINES, bytes / 128), found[8] = {0};
    std::vector<unsigned> t(lines);
    int all = 0;

    visit<<<1, 1>>>(at, bytes / lines / 128 * 128, lines, cycles);
    CHECK(cudaMemcpy(t.data(), cycles, 4 * lines, cudaMemcpyDeviceToHost));
    for (int i = 0; i < lines; i++) {
        found[i * 8 / lines] += t[i] < FOUND;
        all += t[i] < FOUND;
    }
    printf("%s,%zu KiB,%.1f", what, bytes / KIB, 100.0 * all / lines);
    for (int i = 0; i < 8; i++) {
        printf(",%d", 800 * found[i] / lines);
    }
    printf("\n");
    fflush(stdout);
}

static void copy(char *to, size_t bytes)
{
    CHECK(cudaMemcpy(to, host, bytes, cudaMemcpyHostToDevice));
}

int main(void)
{
    char *a, *b;

    host = (char *)calloc(32, MIB);
    CHECK(cudaMalloc(&cycles, 4 * LINES));
    CHECK(cudaMalloc(&a, 32 * MIB));
    CHECK(cudaMalloc(&b, 32 * MIB));
    copy(a, MIB);
    look("first copy", a, MIB);
    copy(a, 8 * MIB);
    look("second copy", a, 8 * MIB);
    CHECK(cudaMalloc(&other, 128 * MIB));
    for (size_t kib : {256, 1024, 4096, 16384, 32768}) {
        size_t bytes = kib * KIB;

        read_all(other, 100 * MIB);
        copy(a, bytes);
        look("copied to a full L2", a, bytes);
        read_all(other, 100 * MIB);
        copy(a, bytes);
        copy(b, bytes);
        look("copied before another copy", a, bytes);
        read_all(other, 100 * MIB);
        copy(a, bytes);
        read_all(other + 101 * MIB, MIB);
        look("copied before 1 MiB was read", a, bytes);
    }
    for (size_t kib : {256, 1024}) {
        read_all(other, 100 * MIB);
        copy(a, kib * KIB);
        read_all(a, kib * KIB);
        read_all(other + 101 * MIB, 8 * MIB);
        look("copied and read before 8 MiB were read", a, kib * KIB);
    }
    return 0;
}
