/*
 * What programs register before main(): fat binaries, and by the addresses
 * of their host shadows the kernels and variables in them; and modules that
 * they load themselves, whose kernels have their names' addresses as handles.
 *
 * Registering only notes; PTX is parsed when the run starts.  A fat binary
 * that cannot be used is told about then, and an error when something of it
 * is asked for, for a program may bring along more than it uses; --quiet
 * hides only what is told about those that nobody uses.
 *
 * Each device has variables of its own, so each gets a module of the run; only
 * managed variables are where the first module has them.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/code.h"
#include "cuda/cubin.h"
#include "cuda/runtime.h"
#include "cuda/text.h"

struct loom_cuda_image {
    struct loom_cuda_image *next;
    const struct cuda_wrapper *wrapper; /* NULL: of a module */
    struct loom_cuda_text text;
    uint64_t module[LOOM_CUDA_DEVICES]; /* of the run; 0: not loaded */
    uint64_t first;                     /* of them: loaded first */
    struct loom_cuda_code code;
    bool launches; /* its kernels may launch others */
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

static void read_image(struct loom_cuda_image *image)
{
    loom_cuda_text_of_wrapper(&image->text, image->wrapper);
    if (image->text.arch > registry.arch) {
        registry.arch = image->text.arch;
    }
}

/* On the thread's device. */
static void load_image(struct loom_cuda_image *image)
{
    static struct loom_host_call call; /* large; the lock is held */
    int device = loom_cuda_device();

    if (image->text.ptx == NULL || image->module[device] != 0) {
        return;
    }
    call = (struct loom_host_call){.name = "load",
                                   .arg = {(uint64_t)device, image->first},
                                   .args = 2,
                                   .data = image->text.ptx,
                                   .bytes = image->text.bytes};
    image->launches = strstr(image->text.ptx, "LaunchDeviceV2") != NULL;
    image->text.error = loom_cuda_pass(&call);
    if (image->text.error == CUDA_OK) {
        image->module[device] = call.result[0];
        if (image->first == 0) {
            image->first = call.result[0];
        }
        if (image->wrapper != NULL && image->code.bytes == NULL) {
            loom_cuda_read_code(image->wrapper->data, image->text.arch,
                                &image->code);
        }
    } else if (call.text != NULL) {
        image->text.told = loom_cuda_tells();
        image->text.why = strndup(call.text, call.text_bytes);
    }
    if (image->text.error != CUDA_OK || loom_cuda_devices() == 1) {
        free(image->text.ptx);
        image->text.ptx = NULL;
    }
}

/* Its module on the thread's device, or an error. */
static int module_of(struct loom_cuda_image *image, uint64_t *module)
{
    int error = loom_cuda_text_error(&image->text);

    if (error == CUDA_OK && image->first != 0) {
        load_image(image);
        error = loom_cuda_text_error(&image->text);
    }
    *module = image->module[loom_cuda_device()];
    return error;
}

static int place_variable(struct variable *variable);

void loom_cuda_load_images(void)
{
    for (struct loom_cuda_image *i = registry.first; i != NULL; i = i->next) {
        if (i->wrapper != NULL && i->text.ptx == NULL &&
            i->text.error == CUDA_OK && i->first == 0) {
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

static bool note_kernel(struct loom_cuda_kernel *kernel,
                        const struct loom_host_call *call)
{
    kernel->place = malloc(call->text_bytes + 1);
    if (kernel->place == NULL) {
        return false;
    }
    memcpy(kernel->place, call->text, call->text_bytes);
    kernel->registers = (uint32_t)call->result[1];
    kernel->shared_bytes = (uint32_t)call->result[2];
    kernel->local_bytes = (uint32_t)call->result[3];
    kernel->max_threads = (uint32_t)call->result[4];
    kernel->param_bytes = (uint32_t)call->result[5];
    kernel->params = (uint32_t)call->result[6];
    kernel->cluster = call->result[7];
    kernel->max_cluster = (uint32_t)call->result[8];
    return true;
}

static int ask_kernel(struct loom_cuda_kernel *kernel)
{
    struct loom_cuda_image *image = kernel->image;
    struct loom_host_call call = {.name = "kernel",
                                  .args = 5,
                                  .data = kernel->name,
                                  .bytes = strlen(kernel->name)};
    struct loom_cubin_kernel code;
    int error = module_of(image, &call.arg[0]);

    if (error != CUDA_OK) {
        return error;
    }
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
    /* All but the number is the same on each device. */
    if (kernel->place == NULL && !note_kernel(kernel, &call)) {
        return CUDA_OUT_OF_MEMORY;
    }
    kernel->number[loom_cuda_device()] = call.result[0];
    return CUDA_OK;
}

/* With those that it may launch: what their machine code needs is known then.
 */
static int ask_kernels(struct loom_cuda_kernel *kernel)
{
    int error = ask_kernel(kernel);

    for (size_t i = 0;
         error == CUDA_OK && kernel->image->launches && i < registry.kernels;
         i++) {
        struct loom_cuda_kernel *other = &registry.kernel[i];

        if (other->image == kernel->image &&
            other->number[loom_cuda_device()] == 0) {
            ask_kernel(other); /* one that is not there is not launched */
        }
    }
    return error;
}

int loom_cuda_kernel_of(const void *host, struct loom_cuda_kernel **kernel)
{
    struct loom_cuda_kernel key = {.host = host}, *found;

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
    return found->number[loom_cuda_device()] != 0 ? CUDA_OK
                                                  : ask_kernels(found);
}

static int ask_variable(const char *what, struct loom_cuda_image *image,
                        const char *name, uint64_t *address, uint64_t *bytes)
{
    struct loom_host_call call = {
        .name = what, .args = 1, .data = name, .bytes = strlen(name)};
    int error = module_of(image, &call.arg[0]);

    if (error == CUDA_OK) {
        error = loom_cuda_pass(&call);
    }
    *address = call.result[0];
    *bytes = call.result[1];
    return error;
}

int loom_cuda_image_symbol(struct loom_cuda_image *image, const char *name,
                           uint64_t *address, uint64_t *bytes)
{
    return ask_variable("symbol", image, name, address, bytes);
}

/* A managed variable's address is the same on both sides. */
static int place_variable(struct variable *variable)
{
    uint64_t address, bytes;
    int error;

    if (variable->managed == NULL || *variable->managed != NULL) {
        return CUDA_OK;
    }
    error = ask_variable("managed", variable->image, variable->name, &address,
                         &bytes);
    return error != CUDA_OK ? error
                            : loom_cuda_share(address, bytes, LOOM_CUDA_MANAGED,
                                              0, variable->managed);
}

int loom_cuda_symbol_of(const void *host, uint64_t *address, uint64_t *bytes)
{
    int error = CUDA_INVALID_SYMBOL;

    for (size_t i = 0; i < registry.variables; i++) {
        if (registry.variable[i].host == host) {
            error = loom_cuda_image_symbol(registry.variable[i].image,
                                           registry.variable[i].name, address,
                                           bytes);
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

    loom_cuda_text_of_module(&image->text, data);
    load_image(image);
    *error = loom_cuda_text_error(&image->text);
    *why = image->text.why;
    image->text.why = NULL;
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
    free(image->text.ptx);
    free(image->code.bytes);
    free(image->text.why);
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
    struct loom_host_call call = {.name = "kernels", .args = 1};
    int error = module_of(image, &call.arg[0]);

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
