/*
 * What libcudart_static.a is to a program: all functions of the runtime, which
 * must never be called when the program runs on a simulated GPU, and one of a
 * version that is still to come.
 *
 * The file of FAKE_NAMES has FAKE(name) for each; a version lacks some of them.
 */
#include <stdio.h>
#include <unistd.h>

#define FAKE(name)                                                             \
    int name(void);                                                            \
    int name(void)                                                             \
    {                                                                          \
        return called(#name);                                                  \
    }

static int called(const char *name)
{
    fprintf(stderr, "NVIDIA's %s was called\n", name);
    _exit(99);
}

#ifdef FAKE_NAMES
#include FAKE_NAMES
#else
FAKE(cudaFutureFunction)
#endif
