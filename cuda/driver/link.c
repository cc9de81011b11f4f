/*
 * The linker of the driver API: joins PTX, which is linked when it is loaded;
 * so what it gives in place of machine code is PTX.
 */
#include <stdlib.h>
#include <string.h>

#include "cuda/driver/driver.h"
#include "cuda/fatbin.h"

enum {
    INPUT_PTX = 1,
    INPUT_FAT_BINARY = 2
};

struct driver_link {
    struct driver_link *next;
    char *text;
    size_t bytes;
};

static struct driver_link *links;

static struct driver_link **find(const struct driver_link *link)
{
    struct driver_link **l = &links;

    while (*l != NULL && *l != link) {
        l = &(*l)->next;
    }
    return l;
}

static int create(struct driver_link **made)
{
    struct driver_link *link = calloc(1, sizeof(*link));

    if (link == NULL || made == NULL) {
        free(link);
        return made == NULL ? CUDA_INVALID_VALUE : CUDA_OUT_OF_MEMORY;
    }
    loom_cuda_lock();
    link->next = links;
    links = link;
    loom_cuda_unlock();
    *made = link;
    return CUDA_OK;
}

LOOM_CUDA(int, cuLinkCreate_v2, unsigned options, const int *option,
          void **value, struct driver_link **made)
{
    (void)options, (void)option, (void)value;
    return LOOM_DRIVEN(create(made));
}

static int append(struct driver_link *link, const char *text, size_t bytes)
{
    size_t length = strnlen(text, bytes);
    char *grown = realloc(link->text, link->bytes + length + 2);

    if (grown == NULL) {
        return CUDA_OUT_OF_MEMORY;
    }
    link->text = grown;
    memcpy(grown + link->bytes, text, length);
    link->bytes += length;
    grown[link->bytes++] = '\n';
    grown[link->bytes] = '\0';
    return CUDA_OK;
}

/* The PTX of a fat binary. */
static int append_fatbin(struct driver_link *link, const void *data,
                         size_t bytes)
{
    static struct loom_fatbin fatbin; /* large; the lock is held */
    const struct loom_fatbin_entry *entry;
    struct loom_error err;
    size_t length;
    char *text;
    int error;

    if (!loom_fatbin_read(data, bytes, &fatbin, &err)) {
        loom_cuda_tell("cuLinkAddData: %s", err.text);
        return CUDA_INVALID_IMAGE;
    }
    entry = loom_fatbin_ptx(&fatbin);
    if (entry == NULL) {
        loom_cuda_complain("cuLinkAddData: the fat binary has no PTX, which "
                           "is what can be simulated");
        return CUDA_NO_IMAGE;
    }
    if (!loom_fatbin_text(entry, &text, &length, &err)) {
        loom_cuda_tell("cuLinkAddData: %s", err.text);
        return CUDA_INVALID_IMAGE;
    }
    error = append(link, text, length);
    free(text);
    return error;
}

static int add(struct driver_link *link, int kind, const void *data,
               size_t bytes)
{
    int error = CUDA_INVALID_HANDLE;

    if (data == NULL) {
        return CUDA_INVALID_VALUE;
    }
    loom_cuda_lock();
    if (link == NULL || *find(link) == NULL) {
        error = CUDA_INVALID_HANDLE;
    } else if (kind == INPUT_PTX) {
        error = append(link, data, bytes);
    } else if (kind == INPUT_FAT_BINARY) {
        error = append_fatbin(link, data, bytes);
    } else {
        loom_cuda_complain("cuLinkAddData: only PTX and fat binaries with PTX "
                           "can be linked; machine code cannot be simulated");
        error = CUDA_NO_IMAGE;
    }
    loom_cuda_unlock();
    return error;
}

LOOM_CUDA(int, cuLinkAddData_v2, struct driver_link *link, int kind,
          const void *data, size_t bytes, const char *name, unsigned options,
          const int *option, void **value)
{
    (void)name, (void)options, (void)option, (void)value;
    return LOOM_DRIVEN(add(link, kind, data, bytes));
}

static int add_file(struct driver_link *link, int kind, const char *path)
{
    size_t bytes;
    char *text = loom_cuda_read_file(path, &bytes);
    int error =
        text == NULL ? CUDA_FILE_NOT_FOUND : add(link, kind, text, bytes);

    free(text);
    return error;
}

LOOM_CUDA(int, cuLinkAddFile_v2, struct driver_link *link, int kind,
          const char *path, unsigned options, const int *option, void **value)
{
    (void)options, (void)option, (void)value;
    return LOOM_DRIVEN(add_file(link, kind, path));
}

static int complete(struct driver_link *link, void **image, size_t *bytes)
{
    int error = CUDA_INVALID_HANDLE;

    loom_cuda_lock();
    if (link != NULL && *find(link) != NULL) {
        error = link->text == NULL ? CUDA_INVALID_VALUE : CUDA_OK;
        *image = link->text;
    }
    if (error == CUDA_OK && bytes != NULL) {
        *bytes = link->bytes + 1;
    }
    loom_cuda_unlock();
    return error;
}

LOOM_CUDA(int, cuLinkComplete, struct driver_link *link, void **image,
          size_t *bytes)
{
    return LOOM_DRIVEN(complete(link, image, bytes));
}

static int destroy(struct driver_link *link)
{
    struct driver_link **found;
    int error = CUDA_INVALID_HANDLE;

    loom_cuda_lock();
    found = find(link);
    if (link != NULL && *found != NULL) {
        *found = link->next;
        free(link->text);
        free(link);
        error = CUDA_OK;
    }
    loom_cuda_unlock();
    return error;
}

LOOM_CUDA(int, cuLinkDestroy, struct driver_link *link)
{
    return LOOM_DRIVEN(destroy(link));
}

LOOM_CUDA_ALIAS(cuLinkCreate, cuLinkCreate_v2);
LOOM_CUDA_ALIAS(cuLinkAddData, cuLinkAddData_v2);
LOOM_CUDA_ALIAS(cuLinkAddFile, cuLinkAddFile_v2);
