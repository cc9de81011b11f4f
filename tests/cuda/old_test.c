/*
 * A program of CUDA 11 or 12 ($OLD_VERSION when it is built): linked with a
 * library whose symbols have that version, run with ours; what it is told of
 * the device is in the layout that it knows, and no byte more.
 *
 * The places of fields are those that others have measured with CUDA 12.4's
 * headers; 11's are the same as far as it goes.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/properties.h"

int cudaRuntimeGetVersion(int *version);
int cudaGetDeviceProperties(void *to, int device);
int cudaGetDeviceProperties_v2(void *to, int device);

#define AT(field, offset)                                                      \
    static_assert(offsetof(struct cuda_properties_12, field) == (offset),      \
                  #field)
AT(clock_khz, 348);
AT(sms, 388);
AT(texture_1d, 408);
AT(memory_clock_khz, 608);
AT(threads_per_sm, 624);
AT(regs_per_sm, 648);
AT(shared_per_block_optin, 696);
AT(reserved_shared, 720);
AT(host_register, 728);
static_assert(sizeof(struct cuda_properties_12) == 1032, "CUDA 12's size");
static_assert(sizeof(struct cuda_properties) == 1008, "CUDA 13's size");

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
