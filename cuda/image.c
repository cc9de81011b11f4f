/*
 * What programs register before main(): fat binaries, and by the addresses
 * of their host shadows the kernels and variables in them.
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
    const struct cuda_wrapper *wrapper;
    char *ptx; /* NULL: there is none, and `error` says so */
    size_t bytes;
    uint32_t arch;
    uint64_t module; /* of the run; 0: not loaded */
    int error;
    char *why;  /* there is an error, and nobody has been told yet; or NULL */
    char *code; /* machine code for `code_arch`; NULL: there is none */
    size_t code_bytes;
    uint32_t code_arch;
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
    image->why = loom_cuda_tell("%s", text) ? NULL : strdup(text);
}

/* The error of an image that something is asked of. */
static int error_of(struct loom_cuda_image *image)
{
    if (image->error != CUDA_OK && image->why != NULL) {
        loom_cuda_complain(image->why);
        free(image->why);
        image->why = NULL;
    }
    return image->error;
}

static void refuse_machine_code(struct loom_cuda_image *image,
                                const struct loom_fatbin *fatbin)
{
    char architectures[100], text[320];

    loom_fatbin_architectures(fatbin, architectures, sizeof(architectures));
    snprintf(text, sizeof(text),
             "the program has machine code%s%s%s but no PTX, which is what "
             "can be simulated; build it with: nvcc -arch=compute_75",
             architectures[0] != '\0' ? " (" : "", architectures,
             architectures[0] != '\0' ? ")" : "");
    refuse(image, CUDA_NO_IMAGE, text);
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
        refuse_machine_code(image, &fatbin);
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

static void read_image(struct loom_cuda_image *image)
{
    const struct cuda_wrapper *wrapper = image->wrapper;

    if (loom_cuda_readable(wrapper) < sizeof(*wrapper) ||
        wrapper->magic != CUDA_WRAPPER_MAGIC ||
        (wrapper->version != 1 && wrapper->version != WRAPPER_LINKED)) {
        refuse(image, CUDA_INVALID_IMAGE, "a fat binary's wrapper is damaged");
    } else if (wrapper->version == WRAPPER_LINKED) {
        read_linked(image, wrapper->more);
    } else {
        read_whole(image, wrapper->data);
    }
    if (image->arch > registry.arch) {
        registry.arch = image->arch;
    }
}

/* Machine code beside the PTX: for the compute capability of the machine, else
 * the nearest.  That of relocatable device code is as nvlink made it. */
static void read_code(struct loom_cuda_image *image)
{
    static struct loom_fatbin fatbin; /* large */
    const void *data = image->wrapper->data;
    const struct loom_fatbin_entry *entry;
    struct loom_host_call call = {
        .name = "capability", .args = 1, .arg = {image->arch}};
    struct loom_error err;

    if (data == NULL || loom_cuda_pass(&call) != CUDA_OK ||
        !loom_fatbin_read(data, loom_cuda_readable(data), &fatbin, &err)) {
        return;
    }
    entry = loom_fatbin_machine_code(&fatbin, (uint32_t)call.result[0]);
    if (entry == NULL) {
        return;
    }
    if (!loom_fatbin_unpack(entry, &image->code, &image->code_bytes, &err)) {
        image->code = NULL;
        loom_cuda_tell("machine code for sm_%u cannot be read, so registers "
                       "are counted in PTX: %s",
                       entry->arch, err.text);
    }
    image->code_arch = entry->arch;
}

static void load_image(struct loom_cuda_image *image)
{
    struct loom_host_call call = {
        .name = "load", .data = image->ptx, .bytes = image->bytes};

    if (image->ptx == NULL || image->module != 0) {
        return;
    }
    image->error = loom_cuda_pass(&call);
    if (image->error == CUDA_OK) {
        image->module = call.result[0];
        read_code(image);
    } else if (call.text != NULL && !loom_cuda_tells()) {
        image->why = strndup(call.text, call.text_bytes);
    }
    free(image->ptx);
    image->ptx = NULL;
}

static int place_variable(struct variable *variable);

void loom_cuda_load_images(void)
{
    for (struct loom_cuda_image *i = registry.first; i != NULL; i = i->next) {
        if (i->ptx == NULL && i->error == CUDA_OK && i->module == 0) {
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

LOOM_CUDA(void **, __cudaRegisterFatBinary, void *wrapper)
{
    struct loom_cuda_image *image = calloc(1, sizeof(*image));

    if (image == NULL) {
        loom_cuda_give_up(CUDA_UNKNOWN, "no memory");
    }
    image->wrapper = wrapper;
    loom_cuda_lock();
    if (registry.last == NULL) {
        registry.last = &registry.first;
    }
    *registry.last = image;
    registry.last = &image->next;
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

LOOM_CUDA(void, __cudaRegisterFunction, void **handle, const char *host,
          char *device, const char *name, int thread_limit, void *tid,
          void *bid, void *block, void *grid, int *warp_size)
{
    struct loom_cuda_kernel *kernel;

    (void)device, (void)thread_limit, (void)tid, (void)bid, (void)block;
    (void)grid, (void)warp_size;
    loom_cuda_lock();
    registry.kernel = grow(registry.kernel, registry.kernels,
                           &registry.kernel_room, sizeof(*registry.kernel));
    kernel = &registry.kernel[registry.kernels++];
    *kernel = (struct loom_cuda_kernel){
        .host = host, .name = name, .image = (void *)handle};
    registry.sorted = false;
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

    if (image->code != NULL &&
        loom_cubin_find(image->code, image->code_bytes, kernel->name, &code)) {
        call.arg[1] = code.registers;
        call.arg[2] = code.shared_bytes;
        call.arg[3] = code.local_bytes;
        call.arg[4] = image->code_arch;
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

static int ask_symbol(const struct variable *variable, uint64_t *address,
                      uint64_t *bytes)
{
    struct loom_host_call call = {.name = "symbol",
                                  .args = 1,
                                  .data = variable->name,
                                  .bytes = strlen(variable->name)};
    int error = error_of(variable->image);

    if (error == CUDA_OK) {
        call.arg[0] = variable->image->module;
        error = loom_cuda_pass(&call);
    }
    *address = call.result[0];
    *bytes = call.result[1];
    return error;
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
