/*
 * Putting files in their place: what may be replaced, what is left behind,
 * and who is not followed.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/file.h"

#include "tests/unit/test.h"

#define NAME "file_test.txt"
#define TEMPORARY "file_test.txt.tmp"

static void write_plainly(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);

    REQUIRE(fd >= 0);
    REQUIRE(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
}

static void expect_content(const char *path, const char *text)
{
    char got[64] = "";
    int fd = open(path, O_RDONLY);

    REQUIRE(fd >= 0);
    REQUIRE(read(fd, got, sizeof(got) - 1) >= 0);
    EXPECT_TEXT(got, text);
    EXPECT_EQ(strlen(got), strlen(text));
    close(fd);
}

static bool put(const char *path, const char *text, struct loom_error *err)
{
    return loom_file_put(path, TEMPORARY, text, strlen(text), err);
}

static void test_files_are_replaced_whole(void)
{
    struct loom_error err;

    unlink(NAME);
    REQUIRE(put(NAME, "first", &err));
    expect_content(NAME, "first");
    REQUIRE(put(NAME, "2", &err));
    expect_content(NAME, "2");
    EXPECT(access(TEMPORARY, F_OK) != 0);
    unlink(NAME);
}

/* A limit on the size of files stands for a full disk. */
static void test_a_failed_write_leaves_what_was_there(void)
{
    struct rlimit old, low;
    struct loom_error err;
    bool ok;

    REQUIRE(put(NAME, "before", &err));
    getrlimit(RLIMIT_FSIZE, &old);
    low = old;
    low.rlim_cur = 4;
    setrlimit(RLIMIT_FSIZE, &low);
    ok = put(NAME, "afterwards", &err);
    setrlimit(RLIMIT_FSIZE, &old);
    EXPECT(!ok);
    EXPECT_EQ(err.kind, LOOM_ERR_OUTPUT);
    EXPECT_TEXT(err.text, "cannot write 'file_test.txt': File too large");
    expect_content(NAME, "before");
    EXPECT(access(TEMPORARY, F_OK) != 0);
    EXPECT(!put("no/such/folder/x", "x", &err));
    EXPECT_TEXT(err.text, "No such file");
    unlink(NAME);
}

static void refused(const char *path, const char *kind)
{
    struct loom_error err;

    EXPECT(!put(path, "x", &err));
    EXPECT_EQ(err.kind, LOOM_ERR_OUTPUT);
    EXPECT_TEXT(err.text, kind);
    write_plainly(TEMPORARY, "moved");
    EXPECT(!loom_file_move(TEMPORARY, path, &err));
    EXPECT_TEXT(err.text, kind);
    unlink(TEMPORARY);
}

static void test_only_regular_files_are_replaced(void)
{
    struct stat file;

    refused("/dev/full", "it is a device");
    REQUIRE(mkfifo("file_test.fifo", 0666) == 0);
    refused("file_test.fifo", "it is a pipe");
    unlink("file_test.fifo");
    REQUIRE(mkdir("file_test.dir", 0777) == 0);
    refused("file_test.dir", "it is a folder");
    rmdir("file_test.dir");
    write_plainly("file_test.victim", "precious");
    REQUIRE(symlink("file_test.victim", "file_test.link") == 0);
    refused("file_test.link", "it is a symbolic link");
    REQUIRE(lstat("file_test.link", &file) == 0);
    EXPECT(S_ISLNK(file.st_mode));
    expect_content("file_test.victim", "precious");
    unlink("file_test.link");
    unlink("file_test.victim");
}

static void test_planted_links_are_not_followed(void)
{
    struct loom_error err;

    unlink(NAME);
    write_plainly("file_test.victim", "precious");
    REQUIRE(symlink("file_test.victim", TEMPORARY) == 0);
    REQUIRE(put(NAME, "text", &err));
    expect_content(NAME, "text");
    expect_content("file_test.victim", "precious");
    /* A second name of somebody's file, too. */
    REQUIRE(link("file_test.victim", TEMPORARY) == 0);
    REQUIRE(put(NAME, "more", &err));
    expect_content("file_test.victim", "precious");
    unlink("file_test.victim");
    unlink(NAME);
}

static void test_devices_are_written_to(void)
{
    struct loom_error err;

    EXPECT(loom_file_is_sink("/dev/null"));
    EXPECT(!loom_file_is_sink("."));
    EXPECT(!loom_file_is_sink(NAME));
    EXPECT(loom_file_write("/dev/null", TEMPORARY, "x", 1, &err));
    EXPECT(!loom_file_write("/dev/full", TEMPORARY, "x", 1, &err));
    EXPECT_TEXT(err.text, "cannot write '/dev/full': No space left");
    EXPECT(access(TEMPORARY, F_OK) != 0);
    EXPECT(loom_file_write(NAME, TEMPORARY, "x", 1, &err));
    expect_content(NAME, "x");
    unlink(NAME);
}

int main(void)
{
    static const struct loom_test tests[] = {
        {"files_are_replaced_whole", test_files_are_replaced_whole},
        {"a_failed_write_leaves_what_was_there",
         test_a_failed_write_leaves_what_was_there},
        {"only_regular_files_are_replaced",
         test_only_regular_files_are_replaced},
        {"planted_links_are_not_followed", test_planted_links_are_not_followed},
        {"devices_are_written_to", test_devices_are_written_to},
    };

    return loom_run_tests("file", tests, LOOM_COUNTOF(tests));
}
