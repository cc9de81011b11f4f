/*
 * Functions by their names: what programs get that ask for each when they
 * need it.
 *
 * A name without a suffix is that of the newest version that CUDA's of the
 * program's time had; most had one only, and are found by trying.
 */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "cuda/driver/driver.h"

enum {
    OF_THREADS = 2, /* a flag */
    NEWEST_SUFFIX = 4,
    NAME = 128
};

/* Those whose newest version is of CUDA 11 or later, which older programs do
 * not know: which of CUDA has which. */
static const struct {
    const char *name;
    int version, suffix;
} changes[] = {
    {"cuCtxCreate", 3020, 2},         {"cuCtxCreate", 11040, 3},
    {"cuCtxCreate", 12050, 4},        {"cuCtxGetDevice", 2000, 1},
    {"cuCtxGetDevice", 13000, 2},     {"cuCtxSynchronize", 2000, 1},
    {"cuCtxSynchronize", 13000, 2},   {"cuDeviceGetUuid", 9020, 1},
    {"cuDeviceGetUuid", 11040, 2},    {"cuEventElapsedTime", 2000, 1},
    {"cuEventElapsedTime", 12080, 2}, {"cuGetProcAddress", 11030, 1},
    {"cuGetProcAddress", 12000, 2},   {"cuMemAdvise", 8000, 1},
    {"cuMemAdvise", 12020, 2},        {"cuMemPrefetchAsync", 8000, 1},
    {"cuMemPrefetchAsync", 12020, 2}, {"cuStreamGetCtx", 9020, 1},
    {"cuStreamGetCtx", 12050, 2},
};

/* 0: not in the table; -1: it came later than `version`. */
static int suffix_of(const char *symbol, int version)
{
    int suffix = 0;

    for (size_t i = 0; i < LOOM_COUNTOF(changes); i++) {
        if (strcmp(changes[i].name, symbol) == 0) {
            if (changes[i].version <= version) {
                suffix = changes[i].suffix;
            } else if (suffix == 0) {
                suffix = -1;
            }
        }
    }
    return suffix;
}

/* This library: the program may have opened it for itself. */
static void *self(void)
{
    static void *handle;
    Dl_info info;

    if (handle == NULL && dladdr((void *)(uintptr_t)changes, &info) != 0) {
        handle = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    }
    return handle;
}

static void *look_up(const char *symbol, int suffix, const char *threads)
{
    char name[NAME];

    if (suffix > 1) {
        snprintf(name, sizeof(name), "%s_v%d%s", symbol, suffix, threads);
    } else {
        snprintf(name, sizeof(name), "%s%s", symbol, threads);
    }
    return dlsym(self(), name);
}

static void *of_threads(const char *symbol, int suffix, bool threads)
{
    void *found = NULL;

    if (threads) {
        found = look_up(symbol, suffix, "_ptsz");
        found = found != NULL ? found : look_up(symbol, suffix, "_ptds");
    }
    return found != NULL ? found : look_up(symbol, suffix, "");
}

enum loom_driver_entry loom_driver_entry(const char *symbol, int version,
                                         uint64_t flags, void **function)
{
    bool threads = (flags & OF_THREADS) != 0;
    int suffix = suffix_of(symbol, version);

    *function = NULL;
    if (strncmp(symbol, "cu", 2) != 0 || strncmp(symbol, "cuda", 4) == 0) {
        return LOOM_DRIVER_UNKNOWN;
    }
    if (suffix < 0) {
        return LOOM_DRIVER_LATER;
    }
    if (suffix > 0) {
        *function = of_threads(symbol, suffix, threads);
        return *function != NULL ? LOOM_DRIVER_FOUND : LOOM_DRIVER_UNKNOWN;
    }
    for (suffix = NEWEST_SUFFIX; *function == NULL && suffix > 0; suffix--) {
        *function = of_threads(symbol, suffix, threads);
    }
    return *function != NULL ? LOOM_DRIVER_FOUND : LOOM_DRIVER_UNKNOWN;
}

LOOM_CUDA(int, cuGetProcAddress_v2, const char *symbol, void **function,
          int version, uint64_t flags, int *status)
{
    enum loom_driver_entry found;

    if (symbol == NULL || function == NULL) {
        return CUDA_INVALID_VALUE;
    }
    found = loom_driver_entry(symbol, version, flags, function);
    if (status != NULL) {
        *status = (int)found;
    }
    return CUDA_OK;
}

/* Before CUDA 12 what is not found is an error. */
LOOM_CUDA(int, cuGetProcAddress, const char *symbol, void **function,
          int version, uint64_t flags)
{
    if (symbol == NULL || function == NULL) {
        return CUDA_INVALID_VALUE;
    }
    return loom_driver_entry(symbol, version, flags, function) ==
                   LOOM_DRIVER_FOUND
               ? CUDA_OK
               : CUDA_NOT_FOUND;
}

/* Tables of functions that NVIDIA's libraries have from its driver, and nobody
 * else knows. */
LOOM_CUDA(int, cuGetExportTable, const void **table, const void *id)
{
    (void)id;
    if (table != NULL) {
        *table = NULL;
    }
    loom_cuda_tell("a library of NVIDIA's asks the driver for functions of its "
                   "own (cuGetExportTable), which are not provided");
    return CUDA_NOT_FOUND;
}

/* ---- the runtime's ---- */

LOOM_CUDA(int, cudaGetDriverEntryPointByVersion, const char *symbol,
          void **function, unsigned version, uint64_t flags, int *status)
{
    enum loom_driver_entry found;

    if (symbol == NULL || function == NULL) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    found = loom_driver_entry(symbol, (int)version, flags, function);
    /* Programs of CUDA 11 pass no place for it. */
    if (status != NULL && loom_cuda_version() >= 12) {
        *status = (int)found;
    }
    return loom_cuda_done(CUDA_OK);
}

/* Of the version that the program was built with, about. */
LOOM_CUDA(int, cudaGetDriverEntryPoint, const char *symbol, void **function,
          uint64_t flags, int *status)
{
    return cudaGetDriverEntryPointByVersion(
        symbol, function, (unsigned)loom_cuda_version() * 1000, flags, status);
}

LOOM_CUDA_ALIAS(cudaGetDriverEntryPoint_ptsz, cudaGetDriverEntryPoint);
LOOM_CUDA_ALIAS(cudaGetDriverEntryPointByVersion_ptsz,
                cudaGetDriverEntryPointByVersion);
