/* test_file.c - files that are replaced as a whole, and one file by several names. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"

static char folder[] = "/tmp/lieder_file_XXXXXX";

static int enter(void **state)
{
    (void)state;
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return chdir("/") == 0 ? system(command) : -1;
}

static void write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static void check_text(const char *path, const char *expected)
{
    char text[64] = "";
    FILE *f = fopen(path, "rb");
    if (!f)
        fail_msg("%s is not there", path);
    size_t n = fread(text, 1, sizeof text - 1, f);
    text[n] = '\0';
    fclose(f);
    assert_string_equal(text, expected);
}

static size_t count_entries(void)
{
    DIR *d = opendir(".");
    size_t n = 0;
    while (readdir(d))
        n++;
    closedir(d);
    return n;
}

static void put(const NewFile *f, const char *text)
{
    size_t done;
    assert_int_equal(file_write(f->fd, -1, text, strlen(text), &done), 0);
    assert_int_equal(done, strlen(text));
}

/* with and without a name on the way: the target is old, then new, and may be written on */
static void replaced_as_a_whole(void **unused)
{
    (void)unused;
    for (int flags = 0; flags <= FILE_NAMED; flags += FILE_NAMED) {
        NewFile f;
        write_text("a", "old");
        assert_int_equal(chmod("a", 0640), 0);
        size_t before = count_entries();
        assert_int_equal(new_file_open(&f, "a", flags), 0);
        put(&f, "new");
        check_text("a", "old");
        assert_int_equal(new_file_publish(&f), 0);
        assert_int_equal(new_file_publish(&f), 0);
        check_text("a", "new");
        put(&f, "er");
        check_text("a", "newer");
        assert_int_equal(new_file_close(&f), 0);
        assert_int_equal(new_file_close(&f), 0);
        check_text("a", "newer");
        assert_int_equal(count_entries(), before);
        struct stat st;
        assert_int_equal(stat("a", &st), 0);
        assert_int_equal(st.st_mode & 0777, 0640);

        // dropped before: no trace
        assert_int_equal(new_file_open(&f, "a", flags), 0);
        put(&f, "lost");
        assert_int_equal(new_file_close(&f), 0);
        check_text("a", "newer");
        assert_int_equal(new_file_open(&f, "b", flags), 0);
        assert_int_equal(new_file_close(&f), 0);
        assert_int_equal(access("b", F_OK), -1);
        assert_int_equal(count_entries(), before);
    }
}

/* the link stays and leads to the new file, also if it led nowhere before */
static void links_of_the_target_are_followed(void **unused)
{
    (void)unused;
    NewFile f;
    assert_int_equal(mkdir("deep", 0777), 0);
    write_text("deep/real", "old");
    assert_int_equal(symlink("deep/second", "first"), 0);
    assert_int_equal(symlink("real", "deep/second"), 0);
    assert_int_equal(new_file_open(&f, "first", 0), 0);
    put(&f, "new");
    assert_int_equal(new_file_publish(&f), 0);
    assert_int_equal(new_file_close(&f), 0);
    check_text("deep/real", "new");
    struct stat st;
    assert_true(lstat("first", &st) == 0 && S_ISLNK(st.st_mode));
    assert_true(lstat("deep/second", &st) == 0 && S_ISLNK(st.st_mode));
    assert_int_equal(symlink("loop", "loop"), 0);
    assert_int_equal(new_file_open(&f, "loop", 0), ELOOP);

    // the target becomes a link while the file is written: what it leads to is left alone
    write_text("victim", "precious");
    write_text("swapped", "old");
    assert_int_equal(new_file_open(&f, "swapped", 0), 0);
    put(&f, "new");
    assert_int_equal(unlink("swapped"), 0);
    assert_int_equal(symlink("victim", "swapped"), 0);
    assert_int_equal(new_file_publish(&f), FILE_NOT_REGULAR);
    new_file_close(&f);
    check_text("victim", "precious");
}

static void only_regular_files_are_replaced(void **unused)
{
    (void)unused;
    NewFile f;
    struct stat st;
    assert_int_equal(mkfifo("fifo", 0600), 0);
    assert_int_equal(symlink("/dev/null", "null"), 0);
    assert_int_equal(new_file_open(&f, "fifo", FILE_ATOMIC), FILE_NOT_REGULAR);
    assert_int_equal(new_file_open(&f, "/dev/null", FILE_ATOMIC), FILE_NOT_REGULAR);
    assert_int_equal(new_file_open(&f, "null", 0), FILE_NOT_REGULAR);
    assert_int_equal(new_file_try("deep", FILE_ATOMIC), EISDIR);
    assert_int_equal(new_file_try("deep/", 0), EISDIR);
    assert_int_equal(new_file_try("nowhere/a", 0), ENOENT);
    assert_int_equal(new_file_try("", 0), ENOENT);

    // a device is written to, and stays one
    assert_int_equal(new_file_open(&f, "null", FILE_STREAMS), 0);
    assert_true(f.stream);
    put(&f, "into the dark");
    assert_int_equal(new_file_publish(&f), 0);
    assert_int_equal(new_file_close(&f), 0);
    assert_true(stat("/dev/null", &st) == 0 && S_ISCHR(st.st_mode));

    // a pipe with a reader as well
    int reader = open("fifo", O_RDONLY | O_NONBLOCK);
    assert_int_equal(new_file_open(&f, "fifo", FILE_STREAMS), 0);
    put(&f, "hello");
    assert_int_equal(new_file_close(&f), 0);
    char text[8] = "";
    assert_int_equal(read(reader, text, sizeof text), 5);
    close(reader);
    char reason[FILE_REASON];
    assert_non_null(strstr(file_reason(FILE_NOT_REGULAR, reason), "regular"));
}

/* names beyond what the system takes are refused, not cut */
static void long_names(void **unused)
{
    (void)unused;
    char name[6000];
    NewFile f;
    memset(name, 'x', sizeof name);
    name[255] = '\0'; // the longest that there is: the temporary name is no longer
    for (int flags = 0; flags <= FILE_NAMED; flags += FILE_NAMED) {
        assert_int_equal(new_file_open(&f, name, flags), 0);
        assert_int_equal(new_file_publish(&f), 0);
        assert_int_equal(new_file_close(&f), 0);
        assert_int_equal(access(name, F_OK), 0);
        assert_int_equal(unlink(name), 0);
    }
    name[255] = 'x';
    name[256] = '\0';
    assert_int_not_equal(new_file_try(name, 0), 0);
    name[256] = 'x';
    name[5000] = '\0';
    assert_int_equal(new_file_try(name, 0), ENAMETOOLONG);
}

/* a file that may be written in a folder that may not: the old one gets the new bytes */
static void written_in_place_where_it_must_be(void **unused)
{
    (void)unused;
    uid_t us = geteuid();
    NewFile f;
    assert_int_equal(mkdir("closed", 0777), 0);
    write_text("closed/a", "old and long");
    assert_int_equal(chmod("closed/a", 0666), 0);
    assert_int_equal(chmod(folder, 0755), 0);
    assert_int_equal(chmod("closed", 0555), 0);
    if (us == 0)
        assert_int_equal(seteuid(65534), 0);
    assert_int_not_equal(new_file_try("closed/a", FILE_ATOMIC), 0);
    assert_int_equal(new_file_open(&f, "closed/a", 0), 0);
    put(&f, "new");
    check_text("closed/a", "old and long");
    assert_int_equal(new_file_publish(&f), 0);
    put(&f, "er");
    assert_int_equal(new_file_close(&f), 0);
    if (us == 0)
        assert_int_equal(seteuid(us), 0);
    check_text("closed/a", "newer");
    assert_int_equal(chmod("closed", 0755), 0);
}

/* somebody guesses names and plants links: whatever exists is not opened */
static void temporary_names_cannot_be_guessed(void **unused)
{
    (void)unused;
    NewFile f, g;
    assert_int_equal(new_file_open(&f, "a", FILE_NAMED), 0);
    assert_int_equal(new_file_open(&g, "a", FILE_NAMED), 0);
    assert_string_not_equal(f.beside, g.beside);
    assert_null(strstr(f.beside, ".part"));
    struct stat st;
    assert_int_equal(stat(f.beside, &st), 0);
    new_file_close(&f);
    new_file_close(&g);
}

static void same_files(void **unused)
{
    (void)unused;
    write_text("one", "");
    assert_int_equal(link("one", "hard"), 0);
    assert_int_equal(symlink("one", "soft"), 0);
    assert_int_equal(symlink("not_yet", "dangling"), 0);
    assert_true(file_same("one", "one"));
    assert_true(file_same("one", "./one"));
    assert_true(file_same("one", "deep/../one"));
    assert_true(file_same("one", "hard"));
    assert_true(file_same("soft", "hard"));
    assert_false(file_same("one", "two"));
    assert_false(file_same("one", "deep/one"));
    assert_true(file_same("not_yet", "deep/../not_yet"));
    assert_true(file_same("dangling", "./not_yet"));
    assert_false(file_same("not_yet", "deep/not_yet"));
    assert_false(file_same("not_yet", "neither"));
    assert_false(file_same("/dev/null", "/dev/null")); // may be written to twice
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(replaced_as_a_whole),
                                       cmocka_unit_test(links_of_the_target_are_followed),
                                       cmocka_unit_test(only_regular_files_are_replaced),
                                       cmocka_unit_test(long_names),
                                       cmocka_unit_test(written_in_place_where_it_must_be),
                                       cmocka_unit_test(temporary_names_cannot_be_guessed),
                                       cmocka_unit_test(same_files)};
    return cmocka_run_group_tests(tests, enter, leave);
}
