/*
 * Relocatable device code made by tests: what its wrapper points to, of PTX in
 * the files that $TEST_LINKED_PTX and $TEST_PTX name; $TEST_LINKED says what is
 * wrong with it.
 */
#ifndef TESTS_CUDA_STUB_LINK_H
#define TESTS_CUDA_STUB_LINK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/abi.h"
#include "tests/cuda/make_fatbin.h"

static inline char *stub_read(const char *path)
{
    FILE *file = path == NULL ? NULL : fopen(path, "rb");
    static char text[1 << 15];
    size_t bytes;

    if (file == NULL) {
        printf("TEST_PTX names no file\n");
        exit(1);
    }
    bytes = fread(text, 1, sizeof(text) - 1, file);
    fclose(file);
    text[bytes] = '\0';
    return text;
}

/* The containers of relocatable device code: two units, the device run-time
 * library, one without PTX. */
static struct made_fatbin stub_part[4];
static const void *stub_list[5];

static inline void stub_link(struct cuda_wrapper *wrapper, enum make_how how)
{
    const char *linked = getenv("TEST_LINKED");

    for (int i = 0; i < 4; i++) {
        make_begin(&stub_part[i]);
        stub_list[i] = stub_part[i].bytes;
    }
    make_ptx(&stub_part[0], 75, stub_read(getenv("TEST_LINKED_PTX")), how);
    make_ptx(&stub_part[1], 80, stub_read(getenv("TEST_PTX")), how);
    make_ptx(&stub_part[2], 90, "cnpLaunchDevice is no PTX", how);
    make_entry(&stub_part[3], 2, 75, "\177ELF", 4);
    wrapper->version = 2;
    wrapper->more = stub_list;
    if (linked != NULL && strcmp(linked, "none") == 0) {
        wrapper->more = NULL;
    } else if (linked != NULL && strcmp(linked, "part") == 0) {
        stub_part[1].bytes[0]++;
    } else if (linked != NULL && strcmp(linked, "code") == 0) {
        wrapper->more = stub_list + 2;
    }
}

#endif
