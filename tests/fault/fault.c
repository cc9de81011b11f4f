/*
 * A library to be preloaded: one call of the C library fails, or all from one
 * on, to see what a program does then.
 *
 *     LOOM_FAULT=write:7        the 7th write fails, the others do not
 *     LOOM_FAULT=write:7+       the 7th and all later ones fail
 *     LOOM_FAULT=malloc:9@hdf5  only requests that libhdf5 makes are counted
 *                               (of hdf5, lua, program, other)
 *     LOOM_FAULT=count          none fails
 *     LOOM_FAULT_COUNTS=PATH    at the end, how many of each there were
 *
 * Each process of a run counts for itself.  What is written to descriptor 2
 * is not counted: it is what the program says about the failure.
 *
 * Memory, opening and closing are functions that take the place of those of
 * the C library.  It writes, renames and syncs without calling its own public
 * functions (fclose, fflush), so these are caught as system calls: a filter
 * turns them into a signal, whose handler answers with an error or makes the
 * call, with a mark in an argument that the kernel ignores and the filter
 * lets through.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#if !defined(__x86_64__)
#error "the registers of system calls are those of x86-64"
#endif

#define MARK 0x6c6f6f6dL
#define MAX_RANGES 64

enum call {
    CALL_WRITE,
    CALL_SHORT, /* a write that does a half of what it was asked to */
    CALL_SYNC,
    CALL_RENAME,
    CALL_TRUNCATE,
    CALL_OPEN,
    CALL_CLOSE,
    CALL_MALLOC,
    CALL_MAP,
    CALLS
};

enum caller {
    FROM_OTHER,
    FROM_HDF5,
    FROM_LUA,
    FROM_PROGRAM,
    CALLERS
};

static const char *const call_names[CALLS] = {"write",  "short",    "sync",
                                              "rename", "truncate", "open",
                                              "close",  "malloc",   "map"};
static const char *const caller_names[CALLERS] = {"other", "hdf5", "lua",
                                                  "program"};
static const int call_errors[CALLS] = {ENOSPC, 0,   EIO,    ENOSPC, ENOSPC,
                                       EMFILE, EIO, ENOMEM, ENOMEM};

static struct {
    uintptr_t begin, end;
    enum caller caller;
} ranges[MAX_RANGES];
static size_t range_count;
static _Atomic bool armed; /* the program's own code has begun */
static bool ready;
static int failing = -1; /* the call */
static int failing_from = -1;
static long failing_at;
static bool for_ever;
static _Atomic long counts[CALLS][CALLERS + 1]; /* the last: of all */

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);

static enum caller caller_at(const void *address)
{
    for (size_t i = 0; i < range_count; i++) {
        if ((uintptr_t)address >= ranges[i].begin &&
            (uintptr_t)address < ranges[i].end) {
            return ranges[i].caller;
        }
    }
    return FROM_OTHER;
}

/* Counts a call; should it fail? */
static bool fails(enum call call, enum caller from)
{
    long of_caller, of_all, number;

    if (!ready) {
        return false;
    }
    if (!armed) {
        if (from == FROM_OTHER) {
            return false; /* constructors of libraries */
        }
        armed = true;
    }
    of_caller = ++counts[call][from];
    of_all = ++counts[call][CALLERS];
    if ((int)call != failing ||
        (failing_from >= 0 && (int)from != failing_from)) {
        return false;
    }
    number = failing_from >= 0 ? of_caller : of_all;
    if (number == failing_at && getenv("LOOM_FAULT_TRAP") != NULL) {
        raise(SIGTRAP);
    }
    return for_ever ? number >= failing_at : number == failing_at;
}

#define FAILS(call)                                                            \
    (fails((call), caller_at(__builtin_return_address(0)))                     \
         ? (errno = call_errors[call], true)                                   \
         : false)

/* ---- memory ---- */

void *malloc(size_t size)
{
    return FAILS(CALL_MALLOC) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return FAILS(CALL_MALLOC) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return size != 0 && FAILS(CALL_MALLOC) ? NULL : __libc_realloc(old, size);
}

static void *next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

void *mmap(void *at, size_t size, int protection, int flags, int fd,
           off_t offset)
{
    long got;

    if (FAILS(CALL_MAP)) {
        return MAP_FAILED;
    }
    got = syscall(SYS_mmap, at, size, protection, flags, fd, offset);
    return (void *)got;
}

/* ---- files ---- */

int close(int fd)
{
    bool failed = FAILS(CALL_CLOSE);
    int result = (int)syscall(SYS_close, fd);

    /* Closed it is in any case, as on Linux. */
    if (failed) {
        errno = call_errors[CALL_CLOSE];
        return -1;
    }
    return result;
}

static int open_with(const char *path, int flags, unsigned mode)
{
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

#define OPEN(name)                                                             \
    int name(const char *path, int flags, ...)                                 \
    {                                                                          \
        unsigned mode;                                                         \
        va_list more;                                                          \
                                                                               \
        va_start(more, flags);                                                 \
        mode = va_arg(more, unsigned);                                         \
        va_end(more);                                                          \
        return FAILS(CALL_OPEN) ? -1 : open_with(path, flags, mode);           \
    }
OPEN(open)
OPEN(open64)

FILE *fopen(const char *path, const char *mode)
{
    FILE *(*original)(const char *, const char *);

    if (FAILS(CALL_OPEN)) {
        return NULL;
    }
    *(void **)&original = next("fopen");
    return original(path, mode);
}

FILE *fopen64(const char *path, const char *mode)
{
    return FAILS(CALL_OPEN) ? NULL : fopen(path, mode);
}

/* ---- system calls ---- */

static int call_of(long number, long descriptor)
{
    switch (number) {
    case SYS_write:
    case SYS_writev:
    case SYS_pwrite64:
        return descriptor == 2 ? -1 : CALL_WRITE;
    case SYS_fsync:
    case SYS_fdatasync:
        return CALL_SYNC;
    case SYS_rename:
    case SYS_renameat:
    case SYS_renameat2:
        return CALL_RENAME;
    case SYS_ftruncate:
    case SYS_fallocate:
        return CALL_TRUNCATE;
    default:
        return -1;
    }
}

static void trapped(int signal_number, siginfo_t *info, void *context)
{
    greg_t *reg = ((ucontext_t *)context)->uc_mcontext.gregs;
    int call = call_of(info->si_syscall, (long)reg[REG_RDI]);
    long third = (long)reg[REG_RDX];
    int saved = errno;
    long result;

    (void)signal_number;
    if (call == CALL_WRITE && info->si_syscall != SYS_writev &&
        fails(CALL_SHORT, FROM_PROGRAM) && third > 1) {
        third /= 2;
    }
    if (call >= 0 && fails((enum call)call, FROM_PROGRAM)) {
        result = -call_errors[call];
    } else {
        result = syscall(info->si_syscall, reg[REG_RDI], reg[REG_RSI], third,
                         reg[REG_R10], reg[REG_R8], MARK);
        result = result < 0 ? -errno : result;
    }
    reg[REG_RAX] = (greg_t)result;
    errno = saved;
}

/* Nobody may hold the signal back. */
int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
    sigset_t without;

    if (set != NULL) {
        without = *set;
        sigdelset(&without, SIGSYS);
        set = &without;
    }
    return (int)syscall(SYS_rt_sigprocmask, how, set, old, (size_t)8) < 0 ? -1
                                                                          : 0;
}

int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    return sigprocmask(how, set, old) < 0 ? errno : 0;
}

static void install_filter(void)
{
    static const unsigned char numbers[] = {
        SYS_write,     SYS_writev, SYS_pwrite64, SYS_fsync,
        SYS_fdatasync, SYS_rename, SYS_ftruncate};
    enum {
        COUNT = sizeof(numbers) + 3
    };
    unsigned wanted[COUNT] = {SYS_renameat, SYS_renameat2, SYS_fallocate};
    struct sock_filter filter[COUNT + 6];
    struct sock_fprog program = {.filter = filter};
    size_t n = 0;

    for (size_t i = 0; i < sizeof(numbers); i++) {
        wanted[i + 3] = numbers[i];
    }
    filter[n++] = (struct sock_filter)BPF_STMT(
        BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[5]));
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MARK,
                                               COUNT + 1, 0);
    filter[n++] = (struct sock_filter)BPF_STMT(
        BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < COUNT; i++) {
        filter[n++] =
            (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, wanted[i],
                                         (unsigned char)(COUNT - i), 0);
    }
    filter[n++] =
        (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[n++] =
        (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
    program.len = (unsigned short)n;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        static const char text[] = "fault: system calls cannot be caught\n";

        (void)!write(2, text, sizeof(text) - 1);
        _exit(77);
    }
}

/* HDF5 may be inside the program (stats/h5_guard.c): before the program's own
 * range, as the first one counts. */
static void add_code_within(void)
{
    const char *const *code = dlsym(RTLD_DEFAULT, "loom_h5_code");

    if (code != NULL && code[0] != NULL) {
        ranges[range_count].begin = (uintptr_t)code[0];
        ranges[range_count].end = (uintptr_t)code[1];
        ranges[range_count++].caller = FROM_HDF5;
    }
}

static int add_ranges(struct dl_phdr_info *info, size_t size, void *context)
{
    const char *name = info->dlpi_name;
    enum caller caller = name[0] == '\0'           ? FROM_PROGRAM
                         : strstr(name, "libhdf5") ? FROM_HDF5
                         : strstr(name, "liblua")  ? FROM_LUA
                                                   : FROM_OTHER;

    (void)size, (void)context;
    if (caller == FROM_PROGRAM) {
        add_code_within();
    }
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *head = &info->dlpi_phdr[i];

        if (head->p_type == PT_LOAD && (head->p_flags & PF_X) != 0 &&
            caller != FROM_OTHER && range_count < MAX_RANGES) {
            ranges[range_count].begin = info->dlpi_addr + head->p_vaddr;
            ranges[range_count].end = ranges[range_count].begin + head->p_memsz;
            ranges[range_count++].caller = caller;
        }
    }
    return 0;
}

/* write:7+@hdf5 */
static void read_order(const char *text)
{
    const char *from = strchr(text, '@');
    char *rest;

    for (int i = 0; i < CALLS; i++) {
        size_t length = strlen(call_names[i]);

        if (strncmp(text, call_names[i], length) == 0 && text[length] == ':') {
            failing = i;
            failing_at = strtol(text + length + 1, &rest, 10);
            for_ever = *rest == '+';
        }
    }
    for (int i = 0; from != NULL && i < CALLERS; i++) {
        if (strcmp(from + 1, caller_names[i]) == 0) {
            failing_from = i;
        }
    }
}

__attribute__((constructor)) static void begin(void)
{
    const char *order = getenv("LOOM_FAULT");
    struct sigaction action = {.sa_sigaction = trapped,
                               .sa_flags =
                                   SA_SIGINFO | SA_NODEFER | SA_RESTART};

    if (order == NULL) {
        return;
    }
    dl_iterate_phdr(add_ranges, NULL);
    read_order(order);
    sigaction(SIGSYS, &action, NULL);
    /* Filters are inherited, handlers are not. */
    if (getenv("LOOM_FAULT_FILTERED") == NULL) {
        install_filter();
        setenv("LOOM_FAULT_FILTERED", "1", 1);
    }
    ready = true;
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("LOOM_FAULT_COUNTS");
    int fd;

    if (!ready || path == NULL) {
        return;
    }
    ready = false;
    fd = open_with(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    for (int c = 0; c < CALLS; c++) {
        dprintf(fd, "%s %ld", call_names[c], counts[c][CALLERS]);
        for (int i = 0; i < CALLERS; i++) {
            dprintf(fd, " %s %ld", caller_names[i], counts[c][i]);
        }
        dprintf(fd, "\n");
    }
}
