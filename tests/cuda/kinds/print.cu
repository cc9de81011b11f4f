/*
 * printf in a kernel, each conversion; the host reads what stands in the file
 * that stdout is led to, and compares it with its own printf.
 */
#include <string>
#include <unistd.h>

#include "../hosts/host.h"

__global__ void print(const char *text)
{
    printf("thread %u of block %d\n", threadIdx.x, (int)blockIdx.x);
    if (threadIdx.x == 0) {
        printf("%s|%c|%5.2f|%e|%lld|%x|%%|%-6d|%06d\n", text, 'x', 2.5, 1e-3,
               -5000000000ll, 255, 42, 43);
    }
    __syncthreads();
    if (threadIdx.x == 1) {
        int given = printf("%d %d\n", 1, 2);
        int none = printf("no arguments\n");
        printf("%d %d\n", given, none);
    }
}

__device__ char text[] = "a string";

int main()
{
    char path[] = "/tmp/kinds.XXXXXX", line[200], want[200];
    int file = mkstemp(path), saved = dup(1);
    std::string got, all;
    char *at;

    CHECK(cudaGetSymbolAddress((void **)&at, text));
    fflush(stdout);
    dup2(file, 1);
    print<<<1, 2>>>(at);
    cudaError_t error = cudaDeviceSynchronize();
    fflush(stdout);
    dup2(saved, 1);
    CHECK(error);
    FILE *in = fopen(path, "r");
    while (fgets(line, sizeof(line), in) != nullptr) {
        got += line;
    }
    fclose(in);
    unlink(path);
    snprintf(want, sizeof(want), "%s|%c|%5.2f|%e|%lld|%x|%%|%-6d|%06d\n",
             "a string", 'x', 2.5, 1e-3, -5000000000ll, 255, 42, 43);
    all = std::string("thread 0 of block 0\nthread 1 of block 0\n") + want +
          "1 2\nno arguments\n2 0\n";
    if (got != all) {
        printf("got:\n%swant:\n%s", got.c_str(), all.c_str());
        return result("of the text differs", 0);
    }
    return result(nullptr, 0);
}
