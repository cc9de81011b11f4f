/*
 * Modules, which are the runtime's libraries: PTX or fat binaries that a
 * program loads itself.
 */
#define _GNU_SOURCE /* strsep */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/runtime.h"

/* Options of compilers that are answered; all others change nothing here. */
enum {
    JIT_WALL_TIME = 2,
    JIT_INFO_BYTES = 4,
    JIT_ERROR = 5,
    JIT_ERROR_BYTES = 6
};

/* The value of an option, or NULL. */
static void **option(const struct loom_cuda_jit *jit, int number)
{
    for (unsigned i = 0; i < jit->options; i++) {
        if (jit->option[i] == number) {
            return &jit->value[i];
        }
    }
    return NULL;
}

/* What is wrong goes to the program's log, too. */
static void answer(const struct loom_cuda_jit *jit, const char *why)
{
    void **text = option(jit, JIT_ERROR), **room = option(jit, JIT_ERROR_BYTES);
    void **time = option(jit, JIT_WALL_TIME);
    void **notes = option(jit, JIT_INFO_BYTES);
    size_t used = 0;

    if (text != NULL && *text != NULL && room != NULL && *room != NULL) {
        size_t most = (size_t)(uint32_t)(uintptr_t)*room;

        used = why == NULL ? 0 : strlen(why) + 1;
        used = used < most ? used : most;
        snprintf(*text, most, "%s", why == NULL ? "" : why);
    }
    if (room != NULL) {
        *room = (void *)(uintptr_t)used;
    }
    if (notes != NULL) {
        *notes = NULL;
    }
    if (time != NULL) {
        *time = NULL; /* 0 as a float */
    }
}

int loom_cuda_module(struct loom_cuda_image **module, const void *data,
                     struct loom_cuda_jit jit)
{
    char *why = NULL;
    int error;

    if (module == NULL || data == NULL) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    *module = NULL;
    loom_cuda_lock();
    error = loom_cuda_need_images();
    if (error == CUDA_OK) {
        *module = loom_cuda_image_load(data, &error, &why);
        answer(&jit, why);
    }
    loom_cuda_unlock();
    free(why);
    return loom_cuda_done(error);
}

char *loom_cuda_read_file(const char *path, size_t *bytes)
{
    FILE *file = path == NULL ? NULL : fopen(path, "rb");
    size_t room = 1 << 16, got;
    char *text = NULL, *grown;

    *bytes = 0;
    while (file != NULL && (grown = realloc(text, room)) != NULL) {
        text = grown;
        got = fread(text + *bytes, 1, room - *bytes - 1, file);
        *bytes += got;
        text[*bytes] = '\0';
        if (got == 0) {
            fclose(file);
            return text;
        }
        room = *bytes + 1 < room ? room : room * 2;
    }
    if (file == NULL) {
        loom_cuda_tell("there is no file '%s' of a module that can be read",
                       path == NULL ? "" : path);
    } else {
        fclose(file);
    }
    free(text);
    return NULL;
}

int loom_cuda_module_file(struct loom_cuda_image **module, const char *path,
                          struct loom_cuda_jit jit)
{
    size_t bytes;
    char *text = loom_cuda_read_file(path, &bytes);
    int error;

    if (text == NULL) {
        return loom_cuda_done(path == NULL ? CUDA_INVALID_VALUE
                                           : CUDA_FILE_NOT_FOUND);
    }
    error = loom_cuda_module(module, text, jit);
    free(text);
    return error;
}

LOOM_CUDA(int, cudaLibraryLoadData, struct loom_cuda_image **library,
          const void *data, const int *option, void **value, unsigned options,
          const int *library_option, void **library_value,
          unsigned library_options)
{
    (void)library_option, (void)library_value, (void)library_options;
    return loom_cuda_module(library, data,
                            (struct loom_cuda_jit){option, value, options});
}

LOOM_CUDA(int, cudaLibraryLoadFromFile, struct loom_cuda_image **library,
          const char *path, const int *option, void **value, unsigned options,
          const int *library_option, void **library_value,
          unsigned library_options)
{
    (void)library_option, (void)library_value, (void)library_options;
    return loom_cuda_module_file(
        library, path, (struct loom_cuda_jit){option, value, options});
}

LOOM_CUDA(int, cudaLibraryUnload, struct loom_cuda_image *library)
{
    struct loom_host_call call = {.name = NULL};
    int error = CUDA_INVALID_HANDLE;

    loom_cuda_lock();
    if (loom_cuda_image_is_there(library)) {
        error = LOOM_CUDA_ASK(&call, "sync", (uint64_t)loom_cuda_device());
        loom_cuda_image_unload(library);
    }
    loom_cuda_unlock();
    return loom_cuda_done(error);
}

/* Names in C++ are mangled, so a program may well ask for one that is not. */
static void tell_kernels(struct loom_cuda_image *library, const char *name)
{
    uint32_t count;
    char *names;

    if (loom_cuda_image_names(library, &names, &count) != CUDA_OK) {
        return;
    }
    for (char *end = names; (end = strchr(end, '\n')) != NULL;) {
        *end = ' ';
    }
    loom_cuda_tell("there is no kernel '%s' in a module of the program; it "
                   "has %u: %.400s",
                   name, (unsigned)count, names);
    free(names);
}

LOOM_CUDA(int, cudaLibraryGetKernel, const void **kernel,
          struct loom_cuda_image *library, const char *name)
{
    int error = CUDA_INVALID_HANDLE;

    if (kernel == NULL || name == NULL) {
        return loom_cuda_done(CUDA_INVALID_VALUE);
    }
    loom_cuda_lock();
    if (loom_cuda_image_is_there(library)) {
        error = loom_cuda_image_kernel(library, name, kernel);
        if (error == CUDA_NOT_FOUND) {
            tell_kernels(library, name);
        }
    }
    loom_cuda_unlock();
    return loom_cuda_done(error);
}

LOOM_CUDA(int, cudaLibraryGetGlobal, void **at, size_t *bytes,
          struct loom_cuda_image *library, const char *name)
{
    uint64_t address = 0, size = 0;
    int error = name == NULL ? CUDA_INVALID_VALUE : CUDA_INVALID_HANDLE;

    loom_cuda_lock();
    if (name != NULL && loom_cuda_image_is_there(library)) {
        error = loom_cuda_image_symbol(library, name, &address, &size);
        error = error == CUDA_INVALID_SYMBOL ? CUDA_NOT_FOUND : error;
    }
    if (error == CUDA_OK && at != NULL) {
        *at = (void *)(uintptr_t)address;
    }
    if (error == CUDA_OK && bytes != NULL) {
        *bytes = (size_t)size;
    }
    loom_cuda_unlock();
    return loom_cuda_done(error);
}

/* Its address is the same on both sides. */
LOOM_CUDA(int, cudaLibraryGetManaged, void **at, size_t *bytes,
          struct loom_cuda_image *library, const char *name)
{
    void *address = NULL;
    size_t size = 0;
    int error;

    loom_cuda_lock();
    error = cudaLibraryGetGlobal(&address, &size, library, name);
    if (error == CUDA_OK && loom_cuda_shared_kind(address) == 0) {
        error = loom_cuda_share((uintptr_t)address, size, LOOM_CUDA_MANAGED, 0,
                                &address);
    }
    if (error == CUDA_OK && at != NULL) {
        *at = address;
    }
    if (error == CUDA_OK && bytes != NULL) {
        *bytes = size;
    }
    loom_cuda_unlock();
    return loom_cuda_done(error);
}

/* Handles of at most `room` kernels; how many there are. */
static int enumerate(struct loom_cuda_image *library, const void **kernel,
                     unsigned room, unsigned *count)
{
    char *names = NULL, *rest, *name;
    unsigned filled = 0;
    int error = CUDA_INVALID_HANDLE;

    loom_cuda_lock();
    if (loom_cuda_image_is_there(library)) {
        error = loom_cuda_image_names(library, &names, count);
    }
    rest = names;
    while (error == CUDA_OK && filled < room &&
           (name = strsep(&rest, "\n")) != NULL && name[0] != '\0') {
        error = loom_cuda_image_kernel(library, name, &kernel[filled++]);
    }
    loom_cuda_unlock();
    free(names);
    return loom_cuda_done(error);
}

LOOM_CUDA(int, cudaLibraryGetKernelCount, unsigned *count,
          struct loom_cuda_image *library)
{
    return enumerate(library, NULL, 0, count);
}

LOOM_CUDA(int, cudaLibraryEnumerateKernels, const void **kernel, unsigned room,
          struct loom_cuda_image *library)
{
    unsigned count;

    return enumerate(library, kernel, room, &count);
}
