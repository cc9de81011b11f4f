/*
 * The PTX in what programs register and load: fat binaries, lists of them that
 * nvcc has linked, and modules, which are told by how they begin.
 */
#include "cuda/text.h"

#include <stdlib.h>
#include <string.h>

#include "cuda/code.h"
#include "cuda/fatbin.h"
#include "cuda/linked.h"
#include "cuda/runtime.h"

/* A wrapper of what nvcc has linked: its `more` has the fat binaries. */
enum {
    WRAPPER_LINKED = 2
};

/* Tells what is wrong with a text, and notes the error for its users. */
static void refuse(struct loom_cuda_text *text, int error, const char *why)
{
    text->error = error;
    text->told = loom_cuda_tell("%s", why);
    text->why = strdup(why);
}

int loom_cuda_text_error(struct loom_cuda_text *text)
{
    if (text->error != CUDA_OK && text->why != NULL && !text->told) {
        loom_cuda_complain(text->why);
        text->told = true;
    }
    return text->error;
}

/* One container's PTX. */
static void read_whole(struct loom_cuda_text *text, const void *data)
{
    static struct loom_fatbin fatbin; /* large */
    const struct loom_fatbin_entry *entry;
    struct loom_error err;

    if (!loom_fatbin_read(data, loom_cuda_readable(data), &fatbin, &err)) {
        refuse(text, CUDA_INVALID_IMAGE, err.text);
    } else if ((entry = loom_fatbin_ptx(&fatbin)) == NULL) {
        char why[320];

        loom_cuda_no_ptx(&fatbin, why, sizeof(why));
        refuse(text, CUDA_NO_IMAGE, why);
    } else if (!loom_fatbin_text(entry, &text->ptx, &text->bytes, &err)) {
        text->ptx = NULL;
        refuse(text, CUDA_INVALID_IMAGE, err.text);
    } else {
        text->arch = entry->arch;
    }
}

/* That of each translation unit: relocatable device code. */
static void read_linked(struct loom_cuda_text *text, const void *list)
{
    struct loom_cuda_linked linked;
    struct loom_error err;

    if (!loom_cuda_linked_read(list, &linked, &err)) {
        refuse(text, CUDA_INVALID_IMAGE, err.text);
        return;
    }
    if (linked.without > 0) {
        loom_cuda_tell("%u of %u parts of the program's relocatable device "
                       "code have machine code but no PTX, which is what can "
                       "be simulated: what they define is missing",
                       linked.without, linked.units + linked.without);
    }
    if (linked.units == 0) {
        refuse(text, CUDA_NO_IMAGE,
               "the program's relocatable device code has no PTX, which is "
               "what can be simulated; build it with: nvcc -rdc=true "
               "-arch=compute_75, without -dlto");
    }
    text->ptx = linked.text;
    text->bytes = linked.bytes;
    text->arch = linked.arch;
}

void loom_cuda_text_of_wrapper(struct loom_cuda_text *text,
                               const struct cuda_wrapper *wrapper)
{
    if (loom_cuda_readable(wrapper) < sizeof(*wrapper) ||
        wrapper->magic != CUDA_WRAPPER_MAGIC ||
        (wrapper->version != 1 && wrapper->version != WRAPPER_LINKED)) {
        refuse(text, CUDA_INVALID_IMAGE, "a fat binary's wrapper is damaged");
    } else if (wrapper->version == WRAPPER_LINKED) {
        read_linked(text, wrapper->more);
    } else {
        read_whole(text, wrapper->data);
    }
}

void loom_cuda_text_of_module(struct loom_cuda_text *text, const char *data)
{
    static const char elf[] = "\177ELF";
    size_t bytes = loom_cuda_readable(data);
    uint32_t magic = 0;

    memcpy(&magic, data, bytes < sizeof(magic) ? bytes : sizeof(magic));
    if (magic == CUDA_WRAPPER_MAGIC && (uintptr_t)data % sizeof(void *) == 0) {
        loom_cuda_text_of_wrapper(text, (const void *)data);
    } else if (loom_fatbin_size(data, bytes) != 0) {
        read_whole(text, data);
    } else if (memcmp(&magic, elf, sizeof(magic)) == 0) {
        refuse(text, CUDA_NO_IMAGE,
               "a module that the program loads is machine code, not PTX, "
               "which is what can be simulated; make it with: nvcc -ptx, or, "
               "of NVRTC, with --gpu-architecture=compute_75 and nvrtcGetPTX");
    } else {
        text->bytes = strnlen(data, bytes);
        text->ptx = strndup(data, text->bytes);
    }
}
