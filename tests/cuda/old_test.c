/*
 * A program of CUDA 11 or 12 ($OLD_VERSION when it is built): linked with a
 * library whose symbols have that version, run with ours; what it is told of
 * the device is in the layout that it knows, and no byte more.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/properties.h"

int cudaRuntimeGetVersion(int *version);
int cudaGetDeviceProperties(void *to, int device);
int cudaGetDeviceProperties_v2(void *to, int device);

static void want(const char *what, long got, long expected)
{
    if (got != expected) {
        printf("%s is %ld, expected %ld\n", what, got, expected);
        exit(1);
    }
}

int main(void)
{
    static unsigned char room[2 * sizeof(struct cuda_properties_12)];
    struct cuda_properties_12 p;
    size_t bytes = OLD_VERSION == 11
                       ? offsetof(struct cuda_properties_12, host_register)
                       : sizeof(p);
    int version;

    want("status", cudaRuntimeGetVersion(&version), 0);
    want("version", version, OLD_VERSION * 1000);
    memset(room, 0xa5, sizeof(room));
    want("status",
         OLD_VERSION == 11 ? cudaGetDeviceProperties(room, 0)
                           : cudaGetDeviceProperties_v2(room, 0),
         0);
    for (size_t i = bytes; i < sizeof(room); i++) {
        want("a byte after the properties", room[i], 0xa5);
    }
    memcpy(&p, room, sizeof(p));
    want("SMs", p.sms, 15);
    want("kHz", p.clock_khz, 700000);
    want("threads of an SM", p.threads_per_sm, 1536);
    want("registers of an SM", p.regs_per_sm, 32768);
    want("the name", strcmp(p.name, "warploom gtx480"), 0);
    printf("old %d passed\n", OLD_VERSION);
    return 0;
}
