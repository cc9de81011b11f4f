/*
 * Failures by the thousand: what one.sh does of each, without the dozen
 * programs that a shell starts for it.
 *
 * usage: quick ONE.SH COMMANDS [WHAT ORDER]..., with the environment of one.sh
 *
 * COMMANDS has a line "WHAT word word ..." for each command.  What is as it
 * should be at first sight is done with: success, and each file has the bytes
 * of the reference but where references differ; or failure, something was
 * said, and what is there can be read.  Everything else is tried again by
 * one.sh, which looks closer and says what is wrong.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    WORDS = 32,
    PATIENCE = 60 /* seconds */
};

static const char *const files[] = {
    "r.h5", "m.h5", "x.csv", "p.json", "g.dot", "d/results.h5", "d/results.csv",
};
enum {
    FILES = sizeof(files) / sizeof(files[0])
};
/* Of a command that failed: must be readable. */
static char left[][16] = {"r.h5", "r.h5.partial", "m.h5"};

static _Noreturn void die(const char *what)
{
    perror(what);
    exit(2);
}

static char *need(const char *name)
{
    char *value = getenv(name);

    if (value == NULL) {
        fprintf(stderr, "%s is not set\n", name);
        exit(2);
    }
    return value;
}

/* The bytes of a file, and how many; NULL: there is none. */
static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    struct stat st;
    char *bytes;

    if (file == NULL) {
        return NULL;
    }
    if (fstat(fileno(file), &st) != 0 ||
        (bytes = malloc((size_t)st.st_size + 1)) == NULL) {
        die(path);
    }
    *size = fread(bytes, 1, (size_t)st.st_size, file);
    bytes[*size] = '\0';
    fclose(file);
    return bytes;
}

/* ---- what an undisturbed command leaves ---- */

struct reference {
    char what[16];
    char *bytes[FILES];
    size_t size[FILES];
    bool *free[FILES]; /* bytes that differ between references */
};

static void read_reference(struct reference *ref, const char *base,
                           const char *what)
{
    char path[PATH_MAX];

    snprintf(ref->what, sizeof(ref->what), "%s", what);
    for (int i = 0; i < FILES; i++) {
        FILE *mask;
        size_t at;

        snprintf(path, sizeof(path), "%s/ref/%s/%s.first", base, what,
                 files[i]);
        ref->bytes[i] = read_file(path, &ref->size[i]);
        if (ref->bytes[i] == NULL) {
            continue;
        }
        snprintf(path, sizeof(path), "%s/ref/%s/%s.mask", base, what, files[i]);
        mask = fopen(path, "r");
        ref->free[i] = calloc(ref->size[i] + 1, 1);
        if (mask == NULL || ref->free[i] == NULL) {
            die(path);
        }
        while (fscanf(mask, "%zu", &at) == 1) {
            if (at >= 1 && at <= ref->size[i]) {
                ref->free[i][at - 1] = true;
            }
        }
        fclose(mask);
    }
}

static bool same(const struct reference *ref, int i)
{
    size_t size;
    char *bytes = read_file(files[i], &size);
    bool equal = bytes != NULL && size == ref->size[i];

    for (size_t at = 0; equal && at < size; at++) {
        equal = bytes[at] == ref->bytes[i][at] || ref->free[i][at];
    }
    free(bytes);
    return equal;
}

/* ---- commands ---- */

/* The command of `what`: words, the first of which is the program. */
static void words_of(char *commands, const char *what, char *word[WORDS],
                     char *room)
{
    for (char *line = commands; line != NULL; line = strchr(line, '\n')) {
        size_t length = strlen(what);
        int n = 0;

        line += *line == '\n';
        if (strncmp(line, what, length) != 0 || line[length] != ' ') {
            continue;
        }
        snprintf(room, 4096, "%.*s", (int)strcspn(line, "\n"), line);
        for (char *w = room; *w != '\0' && n < WORDS - 1; n++) {
            word[n] = w;
            w += strcspn(w, " ");
            if (*w == ' ') {
                *w++ = '\0';
            }
        }
        word[n] = NULL;
        word[0] = need("LOOM_WARPLOOM");
        return;
    }
    fprintf(stderr, "no command for %s\n", what);
    exit(2);
}

static void to_file(int descriptor, const char *path, int flags)
{
    int file = open(path, flags, 0666);

    if (file < 0 || dup2(file, descriptor) < 0) {
        die(path);
    }
    close(file);
}

/* Its status as a shell has it; 124: it took too long. */
static int run(char *const word[], const char *order)
{
    struct timespec patience = {PATIENCE, 0};
    sigset_t child;
    int status = 0;
    pid_t pid;

    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, NULL);
    pid = fork();
    if (pid < 0) {
        die("fork");
    }
    if (pid == 0) {
        sigprocmask(SIG_UNBLOCK, &child, NULL);
        to_file(0, "/dev/null", O_RDONLY);
        to_file(1, "out", O_WRONLY | O_CREAT | O_TRUNC);
        to_file(2, "err", O_WRONLY | O_CREAT | O_TRUNC);
        if (order != NULL) {
            setenv("LD_PRELOAD", need("LOOM_FAULT_LIBRARY"), 1);
            setenv("LOOM_FAULT", order, 1);
        }
        execv(word[0], word);
        _exit(127);
    }
    while (waitpid(pid, &status, WNOHANG) == 0) {
        if (sigtimedwait(&child, NULL, &patience) < 0) {
            kill(pid, SIGKILL);
            waitpid(pid, &status, 0);
            return 124;
        }
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static bool readable(char *file)
{
    char *word[] = {need("LOOM_WARPLOOM"), (char *)"stats", file,
                    (char *)"--check", NULL};

    return access(file, F_OK) != 0 || run(word, NULL) == 0;
}

/* Did the command do what it should, with this call failing? */
static bool good(const struct reference *ref, char *const word[],
                 const char *order)
{
    int status = run(word, order);
    struct stat err;

    if (status >= 124 || stat("err", &err) != 0) {
        return false;
    }
    if (status != 0) {
        bool fine = err.st_size != 0 && strcmp(ref->what, "csv") != 0;

        for (size_t i = 0; fine && i < sizeof(left) / sizeof(left[0]); i++) {
            fine = readable(left[i]);
        }
        return fine;
    }
    for (int i = 0; i < FILES; i++) {
        if (ref->bytes[i] != NULL && !same(ref, i)) {
            return false;
        }
    }
    return true;
}

static int take_away(const char *path, const struct stat *st, int kind,
                     struct FTW *at)
{
    (void)st;
    (void)kind;
    return at->level == 0 ? 0 : remove(path);
}

static void look_closer(const char *script, const char *what, const char *order)
{
    pid_t pid = fork();

    if (pid == 0) {
        execlp("sh", "sh", script, what, order, (char *)NULL);
        _exit(127);
    }
    waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
    const char *base = need("LOOM_FAULT_FOLDER");
    struct reference ref = {.what = ""};
    char folder[PATH_MAX], room[4096], *word[WORDS], *commands;
    size_t size;

    if (argc < 3 || (commands = read_file(argv[2], &size)) == NULL) {
        fprintf(stderr, "usage: quick ONE.SH COMMANDS [WHAT ORDER]...\n");
        return 2;
    }
    /* A name as long as one.sh gives, for it is in the results. */
    snprintf(folder, sizeof(folder), "%s/t.XXXXXX", base);
    if (mkdtemp(folder) == NULL || chdir(folder) != 0) {
        die(folder);
    }
    for (int i = 3; i + 1 < argc; i += 2) {
        if (strcmp(ref.what, argv[i]) != 0) {
            read_reference(&ref, base, argv[i]);
            words_of(commands, argv[i], word, room);
        }
        if (!good(&ref, word, argv[i + 1])) {
            look_closer(argv[1], argv[i], argv[i + 1]);
        }
        nftw(".", take_away, 8, FTW_DEPTH | FTW_PHYS);
    }
    if (chdir("/") != 0 || rmdir(folder) != 0) {
        die(folder);
    }
    return 0;
}
