/*
 * The device's heap: new and delete, malloc and free, of one kernel and from
 * one to the next, until there is none left.
 */
#include "../hosts/host.h"

struct node {
    int value;
    node *next;
};

__global__ void build(node **lists, int length)
{
    node *head = nullptr;

    for (int k = 0; k < length; k++) {
        head = new node{(int)threadIdx.x + k, head};
    }
    lists[threadIdx.x] = head;
}

__global__ void take(node **lists, int *out)
{
    int sum = 0;

    for (node *at = lists[threadIdx.x]; at != nullptr;) {
        node *next = at->next;
        sum += at->value;
        delete at;
        at = next;
    }
    out[threadIdx.x] = sum;
}

__global__ void shared_room(int *out)
{
    __shared__ int *room;

    if (threadIdx.x == 0) {
        room = (int *)malloc(blockDim.x * sizeof(int));
    }
    __syncthreads();
    room[threadIdx.x] = (int)(blockIdx.x + threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0) {
        int sum = 0;
        for (unsigned k = 0; k < blockDim.x; k++) {
            sum += room[k];
        }
        out[blockIdx.x] = sum;
        free(room);
    }
}

__global__ void too_much(int *out)
{
    void *first = malloc(1 << 16), *none = malloc((size_t)1 << 40);

    out[0] = first != nullptr && none == nullptr;
    free(first);
}

int main()
{
    const int n = 64;
    node **lists = device<node *>(n);
    int *out = device<int>(n + 9);
    std::vector<int> want;
    size_t limit = 0;

    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 4 << 20));
    CHECK(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
    if (limit < 4 << 20) {
        return result("is a heap that is too small", limit);
    }
    build<<<1, n>>>(lists, 10);
    take<<<1, n>>>(lists, out);
    shared_room<<<8, 64>>>(out + n);
    too_much<<<1, 1>>>(out + n + 8);
    for (int i = 0; i < n; i++) {
        want.push_back(10 * i + 45);
    }
    for (int i = 0; i < 8; i++) {
        want.push_back(64 * i + 63 * 32);
    }
    want.push_back(1);
    return compare(download(out, n + 9), want);
}
