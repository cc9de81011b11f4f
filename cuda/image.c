/*
 * What programs register before main(): fat binaries, and by the addresses
 * of their host shadows the kernels and variables in them; and modules that
 * they load themselves, whose kernels have their names' addresses as handles.
 *
 * Registering only notes; PTX is parsed when the run starts.  A fat binary
 * that cannot be used is told about then, and an error when something of it
 * is asked for, for a program may bring along more than it uses; --quiet
 * hides only what is told about those that nobody uses.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/code.h"
#include "cuda/cubin.h"
#include "cuda/fatbin.h"
#include "cuda/linked.h"
#include "cuda/runtime.h"

/* A wrapper of what nvcc has linked: its `more` has the fat binaries. */
enum {
    WRAPPER_LINKED = 2
};

struct loom_cuda_image {
    struct loom_cuda_image *next;
    const struct cuda_wrapper *wrapper; /* NULL: of a module */
    char *ptx; /* NULL: there is none, and `error` says so */
    size_t bytes;
    uint32_t arch;
    uint64_t module; /* of the run; 0: not loaded */
    int error;
    char *why; /* what is wrong; NULL: nothing, or no memory to say it */
    bool told; /* somebody has been told of it */
    struct loom_cuda_code code;
};

struct variable {
    const void *host;
    const char *name;
    struct loom_cuda_image *image;
    void **managed;       /* where its address is to be put, or NULL */
    bool normalized_read; /* of a texture */
};

static struct {
    struct loom_cuda_image *first, **last;
    struct loom_cuda_kernel *kernel; /* [kernels], sorted by host if sorted */
    struct variable *variable;       /* [variables] */
    size_t kernels, kernel_room, variables, variable_room;
    uint32_t arch;
    bool sorted, running, managed;
} registry;

/* A growing array has room for one more. */
static void *grow(void *list, size_t count, size_t *room, size_t bytes)
{
    if (count == *room) {
        *room = *room == 0 ? 64 : *room * 2;
        list = realloc(list, *room * bytes);
        if (list == NULL) {
            loom_cuda_give_up(CUDA_UNKNOWN, "no memory");
        }
    }
    return list;
}

/* Tells what is wrong with an image, and notes the error for its users. */
static void refuse(struct loom_cuda_image *image, int error, const char *text)
{
    image->error = error;
    image->told = loom_cuda_tell("%s", text);
    image->why = strdup(text);
}

/* The error of an image that something is asked of. */
static int error_of(struct loom_cuda_image *image)
{
    if (image->error != CUDA_OK && image->why != NULL && !image->told) {
        loom_cuda_complain(image->why);
        image->told = true;
    }
    return image->error;
}

/* One container's PTX. */
static void read_whole(struct loom_cuda_image *image, const void *data)
{
    static struct loom_fatbin fatbin; /* large */
    const struct loom_fatbin_entry *entry;
    struct loom_error err;

    if (!loom_fatbin_read(data, loom_cuda_readable(data), &fatbin, &err)) {
        refuse(image, CUDA_INVALID_IMAGE, err.text);
    } else if ((entry = loom_fatbin_ptx(&fatbin)) == NULL) {
        char text[320];

        loom_cuda_no_ptx(&fatbin, text, sizeof(text));
        refuse(image, CUDA_NO_IMAGE, text);
    } else if (!loom_fatbin_text(entry, &image->ptx, &image->bytes, &err)) {
        image->ptx = NULL;
        refuse(image, CUDA_INVALID_IMAGE, err.text);
    } else {
        image->arch = entry->arch;
    }
}

/* That of each translation unit: relocatable device code. */
static void read_linked(struct loom_cuda_image *image, const void *list)
{
    struct loom_cuda_linked linked;
    struct loom_error err;

    if (!loom_cuda_linked_read(list, &linked, &err)) {
        refuse(image, CUDA_INVALID_IMAGE, err.text);
        return;
    }
    if (linked.without > 0) {
        loom_cuda_tell("%u of %u parts of the program's relocatable device "
                       "code have machine code but no PTX, which is what can "
                       "be simulated: what they define is missing",
                       linked.without, linked.units + linked.without);
    }
    if (linked.units == 0) {
        refuse(image, CUDA_NO_IMAGE,
               "the program's relocatable device code has no PTX, which is "
               "what can be simulated; build it with: nvcc -rdc=true "
               "-arch=compute_75, without -dlto");
    }
    image->ptx = linked.text;
    image->bytes = linked.bytes;
    image->arch = linked.arch;
}

static void read_wrapper(struct loom_cuda_image *image,
                         const struct cuda_wrapper *wrapper)
{
    if (loom_cuda_readable(wrapper) < sizeof(*wrapper) ||
        wrapper->magic != CUDA_WRAPPER_MAGIC ||
        (wrapper->version != 1 && wrapper->version != WRAPPER_LINKED)) {
        refuse(image, CUDA_INVALID_IMAGE, "a fat binary's wrapper is damaged");
    } else if (wrapper->version == WRAPPER_LINKED) {
        read_linked(image, wrapper->more);
    } else {
        read_whole(image, wrapper->data);
    }
}

static void read_image(struct loom_cuda_image *image)
{
    read_wrapper(image, image->wrapper);
    if (image->arch > registry.arch) {
        registry.arch = image->arch;
    }
}

/* What a program loads is told by how it begins. */
static void read_module(struct loom_cuda_image *image, const char *data)
{
    static const char elf[] = "\177ELF";
    size_t bytes = loom_cuda_readable(data);
    uint32_t magic = 0;

    memcpy(&magic, data, bytes < sizeof(magic) ? bytes : sizeof(magic));
    if (magic == CUDA_WRAPPER_MAGIC && (uintptr_t)data % sizeof(void *) == 0) {
        read_wrapper(image, (const void *)data);
    } else if (loom_fatbin_size(data, bytes) != 0) {
        read_whole(image, data);
    } else if (memcmp(&magic, elf, sizeof(magic)) == 0) {
        refuse(image, CUDA_NO_IMAGE,
               "a module that the program loads is machine code, not PTX, "
               "which is what can be simulated; make it with: nvcc -ptx, or, "
               "of NVRTC, with --gpu-architecture=compute_75 and nvrtcGetPTX");
    } else {
        image->bytes = strnlen(data, bytes);
        image->ptx = strndup(data, image->bytes);
    }
}

static void load_image(struct loom_cuda_image *image)
{
    static struct loom_host_call call; /* large; the lock is held */

    if (image->ptx == NULL || image->module != 0) {
        return;
    }
    call = (struct loom_host_call){
        .name = "load", .data = image->ptx, .bytes = image->bytes};
    image->error = loom_cuda_pass(&call);
    if (image->error == CUDA_OK) {
        image->module = call.result[0];
        if (image->wrapper != NULL) {
            loom_cuda_read_code(image->wrapper->data, image->arch,
                                &image->code);
        }
    } else if (call.text != NULL) {
        image->told = loom_cuda_tells();
        image->why = strndup(call.text, call.text_bytes);
    }
    free(image->ptx);
    image->ptx = NULL;
}

static int place_variable(struct variable *variable);

void loom_cuda_load_images(void)
{
    for (struct loom_cuda_image *i = registry.first; i != NULL; i = i->next) {
        if (i->wrapper != NULL && i->ptx == NULL && i->error == CUDA_OK &&
            i->module == 0) {
            read_image(i);
        }
    }
    registry.running = true;
    for (struct loom_cuda_image *i = registry.first; i != NULL; i = i->next) {
        load_image(i);
    }
    for (size_t i = 0; i < registry.variables; i++) {
        place_variable(&registry.variable[i]);
    }
}

bool loom_cuda_images_are_loaded(void)
{
    return registry.running;
}

bool loom_cuda_has_managed(void)
{
    return registry.managed;
}

uint32_t loom_cuda_architecture(void)
{
    return registry.arch != 0 ? registry.arch : 75;
}

/* ---- what programs call before main() ---- */

/* The lock is held. */
static struct loom_cuda_image *add_image(const struct cuda_wrapper *wrapper)
{
    struct loom_cuda_image *image = calloc(1, sizeof(*image));

    if (image == NULL) {
        loom_cuda_give_up(CUDA_UNKNOWN, "no memory");
    }
    image->wrapper = wrapper;
    if (registry.last == NULL) {
        registry.last = &registry.first;
    }
    *registry.last = image;
    registry.last = &image->next;
    return image;
}

LOOM_CUDA(void **, __cudaRegisterFatBinary, void *wrapper)
{
    struct loom_cuda_image *image;

    loom_cuda_lock();
    image = add_image(wrapper);
    loom_cuda_unlock();
    return (void **)(void *)image;
}

LOOM_CUDA(void, __cudaRegisterFatBinaryEnd, void **handle)
{
    (void)handle;
    loom_cuda_lock();
    if (registry.running) { /* of a library that was opened later */
        loom_cuda_load_images();
    }
    loom_cuda_unlock();
}

LOOM_CUDA(void, __cudaUnregisterFatBinary, void **handle)
{
    (void)handle; /* kept: results name what ran */
}

static void add_kernel(struct loom_cuda_image *image, const void *host,
                       const char *name)
{
    registry.kernel = grow(registry.kernel, registry.kernels,
                           &registry.kernel_room, sizeof(*registry.kernel));
    registry.kernel[registry.kernels++] =
        (struct loom_cuda_kernel){.host = host, .name = name, .image = image};
    registry.sorted = false;
}

LOOM_CUDA(void, __cudaRegisterFunction, void **handle, const char *host,
          char *device, const char *name, int thread_limit, void *tid,
          void *bid, void *block, void *grid, int *warp_size)
{
    (void)device, (void)thread_limit, (void)tid, (void)bid, (void)block;
    (void)grid, (void)warp_size;
    loom_cuda_lock();
    add_kernel((void *)handle, host, name);
    loom_cuda_unlock();
}

static void add_variable(void **handle, const void *host, const char *name,
                         void **managed)
{
    loom_cuda_lock();
    registry.variable =
        grow(registry.variable, registry.variables, &registry.variable_room,
             sizeof(*registry.variable));
    registry.variable[registry.variables++] =
        (struct variable){.host = host,
                          .name = name,
                          .image = (void *)handle,
                          .managed = managed};
    registry.managed = registry.managed || managed != NULL;
    loom_cuda_unlock();
}

LOOM_CUDA(void, __cudaRegisterVar, void **handle, char *host, char *device,
          const char *name, int external, size_t bytes, int constant,
          int global)
{
    (void)device, (void)external, (void)bytes, (void)constant, (void)global;
    add_variable(handle, host, name, NULL);
}

LOOM_CUDA(void, __cudaRegisterManagedVar, void **handle, void **host,
          char *device, const char *name, int external, size_t bytes,
          int constant, int global)
{
    (void)device, (void)external, (void)bytes, (void)constant, (void)global;
    add_variable(handle, host, name, host);
}

LOOM_CUDA(void, __cudaRegisterTexture, void **handle, const void *host,
          const void **device, const char *name, int dimensions,
          int normalized_read, int external)
{
    (void)device, (void)dimensions, (void)external;
    add_variable(handle, host, name, NULL);
    loom_cuda_lock();
    registry.variable[registry.variables - 1].normalized_read =
        normalized_read != 0;
    loom_cuda_unlock();
}

LOOM_CUDA(void, __cudaRegisterSurface, void **handle, const void *host,
          const void **device, const char *name, int dimensions, int external)
{
    (void)device, (void)dimensions, (void)external;
    add_variable(handle, host, name, NULL);
}

/* ---- finding ---- */

static int by_host(const void *a, const void *b)
{
    const struct loom_cuda_kernel *x = a, *y = b;

    return ((uintptr_t)x->host > (uintptr_t)y->host) -
           ((uintptr_t)x->host < (uintptr_t)y->host);
}

static int ask_kernel(struct loom_cuda_kernel *kernel)
{
    const struct loom_cuda_image *image = kernel->image;
    struct loom_host_call call = {.name = "kernel",
                                  .args = 5,
                                  .arg = {image->module},
                                  .data = kernel->name,
                                  .bytes = strlen(kernel->name)};
    struct loom_cubin_kernel code;
    int error;

    if (image->code.bytes != NULL &&
        loom_cubin_find(image->code.bytes, image->code.size, kernel->name,
                        &code)) {
        call.arg[1] = code.registers;
        call.arg[2] = code.shared_bytes;
        call.arg[3] = code.local_bytes;
        call.arg[4] = image->code.arch;
    }
    error = loom_cuda_pass(&call);
    if (error != CUDA_OK) {
        return error == CUDA_NOT_FOUND ? CUDA_INVALID_FUNCTION : error;
    }
    kernel->place = malloc(call.text_bytes + 1);
    if (kernel->place == NULL) {
        return CUDA_OUT_OF_MEMORY;
    }
    memcpy(kernel->place, call.text, call.text_bytes);
    kernel->registers = (uint32_t)call.result[1];
    kernel->shared_bytes = (uint32_t)call.result[2];
    kernel->local_bytes = (uint32_t)call.result[3];
    kernel->max_threads = (uint32_t)call.result[4];
    kernel->param_bytes = (uint32_t)call.result[5];
    kernel->params = (uint32_t)call.result[6];
    kernel->cluster = call.result[7];
    kernel->max_cluster = (uint32_t)call.result[8];
    kernel->number = call.result[0];
    return CUDA_OK;
}

int loom_cuda_kernel_of(const void *host, struct loom_cuda_kernel **kernel)
{
    struct loom_cuda_kernel key = {.host = host}, *found;
    int error;

    if (!registry.sorted && registry.kernels > 0) {
        qsort(registry.kernel, registry.kernels, sizeof(key), by_host);
        registry.sorted = true;
    }
    found = registry.kernels == 0
                ? NULL
                : bsearch(&key, registry.kernel, registry.kernels, sizeof(key),
                          by_host);
    if (found == NULL) {
        return CUDA_INVALID_FUNCTION;
    }
    *kernel = found;
    if (found->number != 0) {
        return CUDA_OK;
    }
    error = error_of(found->image);
    return error != CUDA_OK ? error : ask_kernel(found);
}

int loom_cuda_image_symbol(struct loom_cuda_image *image, const char *name,
                           uint64_t *address, uint64_t *bytes)
{
    struct loom_host_call call = {
        .name = "symbol", .args = 1, .data = name, .bytes = strlen(name)};
    int error = error_of(image);

    if (error == CUDA_OK) {
        call.arg[0] = image->module;
        error = loom_cuda_pass(&call);
    }
    *address = call.result[0];
    *bytes = call.result[1];
    return error;
}

static int ask_symbol(const struct variable *variable, uint64_t *address,
                      uint64_t *bytes)
{
    return loom_cuda_image_symbol(variable->image, variable->name, address,
                                  bytes);
}

/* A managed variable's address is the same on both sides. */
static int place_variable(struct variable *variable)
{
    uint64_t address, bytes;
    int error;

    if (variable->managed == NULL || *variable->managed != NULL) {
        return CUDA_OK;
    }
    error = ask_symbol(variable, &address, &bytes);
    return error != CUDA_OK ? error
                            : loom_cuda_share(address, bytes, LOOM_CUDA_MANAGED,
                                              0, variable->managed);
}

int loom_cuda_symbol_of(const void *host, uint64_t *address, uint64_t *bytes)
{
    int error = CUDA_INVALID_SYMBOL;

    for (size_t i = 0; i < registry.variables; i++) {
        if (registry.variable[i].host == host) {
            error = ask_symbol(&registry.variable[i], address, bytes);
        }
    }
    return error;
}

bool loom_cuda_normalized_read(const void *host)
{
    for (size_t i = 0; i < registry.variables; i++) {
        if (registry.variable[i].host == host) {
            return registry.variable[i].normalized_read;
        }
    }
    return false;
}

/* ---- modules ---- */

bool loom_cuda_image_is_there(const struct loom_cuda_image *image)
{
    for (struct loom_cuda_image *i = registry.first; i != NULL; i = i->next) {
        if (i == image) {
            return true;
        }
    }
    return false;
}

struct loom_cuda_image *loom_cuda_image_load(const void *data, int *error,
                                             char **why)
{
    struct loom_cuda_image *image = add_image(NULL);

    read_module(image, data);
    load_image(image);
    *error = error_of(image);
    *why = image->why;
    image->why = NULL;
    if (*error != CUDA_OK) {
        loom_cuda_image_unload(image);
        return NULL;
    }
    return image;
}

void loom_cuda_image_unload(struct loom_cuda_image *image)
{
    struct loom_cuda_image **link = &registry.first;
    size_t kept = 0;

    if (image->wrapper != NULL) {
        return; /* the program's own stays as long as it does */
    }
    for (size_t i = 0; i < registry.kernels; i++) {
        struct loom_cuda_kernel *kernel = &registry.kernel[i];

        if (kernel->image == image) {
            free(kernel->place);
            free((void *)(uintptr_t)kernel->name);
        } else {
            registry.kernel[kept++] = *kernel;
        }
    }
    registry.kernels = kept;
    while (*link != image) {
        link = &(*link)->next;
    }
    *link = image->next;
    if (registry.last == &image->next) {
        registry.last = link;
    }
    free(image->ptx);
    free(image->code.bytes);
    free(image->why);
    free(image);
}

int loom_cuda_image_kernel(struct loom_cuda_image *image, const char *name,
                           const void **handle)
{
    struct loom_cuda_kernel *kernel;
    char *copy;
    int error;

    for (size_t i = 0; i < registry.kernels; i++) {
        if (registry.kernel[i].image == image &&
            strcmp(registry.kernel[i].name, name) == 0) {
            *handle = registry.kernel[i].host;
            return CUDA_OK;
        }
    }
    copy = strdup(name);
    if (copy == NULL) {
        return CUDA_OUT_OF_MEMORY;
    }
    add_kernel(image, copy, copy);
    error = loom_cuda_kernel_of(copy, &kernel);
    if (error != CUDA_OK) { /* it has none of that name */
        *kernel = registry.kernel[--registry.kernels];
        registry.sorted = false;
        free(copy);
        return error == CUDA_INVALID_FUNCTION ? CUDA_NOT_FOUND : error;
    }
    *handle = copy;
    return CUDA_OK;
}

int loom_cuda_image_names(struct loom_cuda_image *image, char **names,
                          uint32_t *count)
{
    struct loom_host_call call = {
        .name = "kernels", .args = 1, .arg = {image->module}};
    int error = error_of(image);

    if (error == CUDA_OK) {
        error = loom_cuda_pass(&call);
    }
    if (error == CUDA_OK) {
        *count = (uint32_t)call.result[0];
        *names = strndup(call.text, call.text_bytes);
        error = *names == NULL ? CUDA_OUT_OF_MEMORY : CUDA_OK;
    }
    return error;
}
