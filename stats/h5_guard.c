/*
 * What becomes of a process in which HDF5 falls over.
 *
 * HDF5 1.10 does not survive a request for memory that is refused: of a
 * thousand places at which one may be, most end in a null pointer that is
 * followed, and some in exit(-1).  A program that ran out of memory while it
 * wrote its results should say so and end as it does when a disk is full; a
 * file on the disk is whole in any case (h5_image.c).  Nor does it survive
 * every file that is damaged, so the message names those that are being read.
 * Only faults with HDF5 on the stack are treated so: others are ours and stay
 * what they are.
 */
#define _GNU_SOURCE /* dladdr, on_exit */
#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "stats/guard.h"
#include "stats/h5_private.h"

#define FRAMES 48
#define STACK (64u << 10)
#define HDF5_EXIT (-1)
#define MAX_READ 4 /* files at a time that are named */
#define NAME_BYTES 256

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

/* Where HDF5's code is, if it is inside the program (stats/hdf5.cmake); the
 * names are the linker's.  Exported, for tests/fault. */
extern const char __start_loom_hdf5_text[] __attribute__((weak));
extern const char __stop_loom_hdf5_text[] __attribute__((weak));
const char *const loom_h5_code[2] = {__start_loom_hdf5_text,
                                     __stop_loom_hdf5_text};

static const void *library_of(const void *address)
{
    Dl_info info;

    return dladdr(address, &info) == 0 ? NULL : info.dli_fbase;
}

static bool is_hdf5(const void *address)
{
    herr_t (*function)(void) = H5open; /* its address as data */

    return loom_h5_code[0] != NULL
               ? (uintptr_t)address >= (uintptr_t)loom_h5_code[0] &&
                     (uintptr_t)address < (uintptr_t)loom_h5_code[1]
               : library_of(address) == library_of(*(void **)&function);
}

/* Names of the files that are being read, for a handler that can ask nobody. */
static char reading[MAX_READ][NAME_BYTES];

void loom_h5_reads(const char *path)
{
    for (int i = 0; i < MAX_READ; i++) {
        if (reading[i][0] == '\0') {
            strncpy(reading[i], path, NAME_BYTES - 1);
            return;
        }
    }
}

void loom_h5_has_read(const char *path)
{
    for (int i = 0; i < MAX_READ; i++) {
        if (strncmp(reading[i], path, NAME_BYTES - 1) == 0) {
            memset(reading[i], 0, NAME_BYTES);
            return;
        }
    }
}

static void say(const char *text)
{
    (void)!write(2, text, strlen(text));
}

LOOM_NORETURN static void give_up(void)
{
    const char *before = "input error: HDF5 cannot go on while it reads '";

    for (int i = 0; i < MAX_READ; i++) {
        if (reading[i][0] != '\0') {
            say(before);
            say(reading[i]);
            before = "' and '";
        }
    }
    if (before[0] == '\'') {
        say("': damaged, or there is no memory left\n");
    } else {
        say("output error: HDF5 cannot go on, most likely for want of memory; "
            "results that are on the disk stay as they are\n");
    }
    _exit(LOOM_H5_GUARD_STATUS);
}

static void fault(int number)
{
    void *frame[FRAMES];
    int frames = backtrace(frame, FRAMES);

    for (int i = 0; i < frames; i++) {
        if (is_hdf5(frame[i])) {
            give_up();
        }
    }
    signal(number, SIG_DFL);
    raise(number);
}

static void at_exit(int status, void *context)
{
    (void)context;
    if (status == HDF5_EXIT) {
        give_up();
    }
}

/* Some faults are a stack that has no end.  A sanitizer has one of its own for
 * them. */
static bool set_stack(void)
{
    stack_t stack = {.ss_size = STACK}, old;

    if (sigaltstack(NULL, &old) == 0 && (old.ss_flags & SS_DISABLE) == 0) {
        return true;
    }
    stack.ss_sp = mmap(NULL, STACK, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return stack.ss_sp != MAP_FAILED && sigaltstack(&stack, NULL) == 0;
}

bool loom_h5_guard(void)
{
    struct sigaction action = {.sa_handler = fault,
                               .sa_flags = SA_NODEFER | SA_ONSTACK};
    struct sigaction old;
    void *frame[1];
    bool (*self)(void) = loom_h5_guard;

    /* Linked into the program by others HDF5 cannot be told from it. */
    if (is_hdf5(*(void **)&self)) {
        return false;
    }
    if (!set_stack()) {
        return false;
    }
    backtrace(frame, 1); /* loads what it needs, while there is memory */
    for (size_t i = 0; i < LOOM_COUNTOF(signals); i++) {
        /* A sanitizer's or a debugger's handlers stay. */
        if (sigaction(signals[i], NULL, &old) == 0 &&
            old.sa_handler == SIG_DFL) {
            sigaction(signals[i], &action, NULL);
        }
    }
    return on_exit(at_exit, NULL) == 0;
}
