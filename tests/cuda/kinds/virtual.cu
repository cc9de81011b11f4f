/*
 * Virtual functions: objects that a kernel makes, which another calls.
 */
#include "../hosts/host.h"

struct shape {
    __device__ virtual ~shape()
    {
    }
    __device__ virtual int area(int scale) const = 0;
    __device__ virtual int corners() const
    {
        return 0;
    }
};

struct square : shape {
    int side;

    __device__ explicit square(int s) : side(s)
    {
    }
    __device__ int area(int scale) const override
    {
        return scale * side * side;
    }
    __device__ int corners() const override
    {
        return 4;
    }
};

struct triangle : shape {
    int base, height;

    __device__ triangle(int b, int h) : base(b), height(h)
    {
    }
    __device__ int area(int scale) const override
    {
        return scale * base * height / 2;
    }
    __device__ int corners() const override
    {
        return 3;
    }
};

struct circle : shape {
    int radius;

    __device__ explicit circle(int r) : radius(r)
    {
    }
    __device__ int area(int scale) const override
    {
        return 3 * scale * radius * radius;
    }
};

__global__ void make(shape **shapes, int n)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (i >= n) {
        return;
    }
    switch (i % 3) {
    case 0:
        shapes[i] = new square(i);
        break;
    case 1:
        shapes[i] = new triangle(i, 2 * i);
        break;
    default:
        shapes[i] = new circle(i);
    }
}

__global__ void measure(shape *const *shapes, int *out, int n)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (i < n) {
        out[i] = shapes[i]->area(2) + shapes[i]->corners();
    }
}

__global__ void drop(shape **shapes, int n)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (i < n) {
        delete shapes[i];
    }
}

int main()
{
    const int n = 200;
    shape **shapes = device<shape *>(n);
    int *out = device<int>(n);
    std::vector<int> want(n);

    make<<<blocks(n), 256>>>(shapes, n);
    measure<<<blocks(n), 256>>>(shapes, out, n);
    drop<<<blocks(n), 256>>>(shapes, n);
    for (int i = 0; i < n; i++) {
        want[i] = i % 3 == 0   ? 2 * i * i + 4
                  : i % 3 == 1 ? 2 * i * i + 3
                               : 6 * i * i;
    }
    return compare(download(out, n), want);
}
