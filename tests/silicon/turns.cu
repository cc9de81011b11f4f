/*
 * How soon a CTA follows another one in its place: CTAs that live for so many
 * cycles, in several waves.  The same program runs on a card and here:
 *
 *   nvcc -O2 -std=c++17 -gencode arch=compute_90a,code=[sm_90a,compute_90a]
 *     -o turns turns.cu
 *   ./turns > cards/CARD_turns.csv
 *   warploom cuda h100.lua -- ./turns
 *
 * Prints the cycles of a place between two CTAs, on average, and from the end
 * of one to the begin of the next on its SM, the median of those that have
 * nothing else to wait for.
 */
#include "clock.h"

struct life {
    unsigned begin, end, sm, unused;
};

__global__ void live(life *lives, unsigned cycles)
{
    unsigned begin = now(), sm;

    while (now() - begin < cycles) {
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
        lives[blockIdx.x] = {begin, now(), sm, 0};
    }
}

int main(void)
{
    const int ctas = 4096;
    life *lives;
    cudaDeviceProp card;

    CHECK(cudaGetDeviceProperties(&card, 0));
    printf("card,%s\n", card.name);
    CHECK(cudaMalloc(&lives, ctas * sizeof(life)));
    for (int threads : {32, 128, 256, 512, 1024}) {
        for (unsigned cycles : {500u, 1000u, 2000u, 4000u}) {
            std::vector<life> of(ctas);
            std::vector<double> place, lived;
            int most;

            CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&most, live,
                                                                threads, 0));
            for (int i = 0; i < 2; i++) {
                live<<<ctas, threads>>>(lives, cycles);
            }
            CHECK(cudaMemcpy(of.data(), lives, ctas * sizeof(life),
                             cudaMemcpyDeviceToHost));
            for (int sm = 0; sm < card.multiProcessorCount; sm++) {
                unsigned first = 0, last = 0;
                bool any = false;
                double count = 0, sum = 0;

                for (const life &l : of) {
                    if (l.sm != (unsigned)sm) {
                        continue;
                    }
                    first = any && (int)(l.begin - first) > 0 ? first : l.begin;
                    last = any && (int)(l.end - last) < 0 ? last : l.end;
                    any = true;
                    count++;
                    sum += l.end - l.begin;
                }
                if (count > 2 * most) {
                    place.push_back((last - first) * (double)most / count);
                    lived.push_back(sum / count);
                }
            }
            if (place.empty()) {
                continue;
            }
            std::sort(place.begin(), place.end());
            std::sort(lived.begin(), lived.end());
            printf("turns,%d threads,%u cycles,%d on an SM,%.0f,%.0f\n",
                   threads, cycles, most, lived[lived.size() / 2],
                   place[place.size() / 2]);
            fflush(stdout);
        }
    }
    return 0;
}
