/*
 * Which devices there are, and which of them a thread uses.
 */
#include "cuda/which.h"

static int devices = 1; /* before main() only */
static _Thread_local int current;

void loom_cuda_set_devices(long count)
{
    count = count < 1 ? 1 : count;
    devices = count > LOOM_CUDA_DEVICES ? LOOM_CUDA_DEVICES : (int)count;
}

int loom_cuda_devices(void)
{
    return devices;
}

bool loom_cuda_is_device(int device)
{
    return device >= 0 && device < loom_cuda_devices();
}

int loom_cuda_device(void)
{
    return current;
}

void loom_cuda_use_device(int device)
{
    current = device;
}

bool loom_cuda_waits(uint64_t number)
{
    return loom_cuda_is_default(number) && loom_cuda_devices() == 1;
}
