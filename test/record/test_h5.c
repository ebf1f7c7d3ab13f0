/* test_h5.c - HDF5 results, read back by our reader and, where Debian's tool is installed, by
 * h5dump. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "in_folder.h"

#include "picture/picture.h"

/* two arrays with all elements, one of which has a row and a column; one that misses an element;
 * constants; a name with a / */
static const RecordColumn columns[] = {
    {.name = "cart.s", .unit = "m", .text = "position"},
    {.name = "crab[1].rod.r[1]", .unit = "m"},
    {.name = "crab[1].rod.r[2]", .unit = "m"},
    {.name = "crab[2].rod.r[1]", .unit = "m"},
    {.name = "crab[2].rod.r[2]", .unit = "m"},
    {.name = "grid[1,1].m", .unit = "kg", .constant = true, .value = 11},
    {.name = "grid[1,2].m", .unit = "kg", .constant = true, .value = 12},
    {.name = "part[2].x"},
    {.name = "part[3].x"},
    {.name = "k", .text = "count", .constant = true, .value = -3},
    {.name = "'a/b[1]'", .unit = "rad/s"},
};
enum { N = 11 };

static void value_row(size_t i, double *values)
{
    for (size_t c = 0; c < N; c++)
        values[c] = columns[c].constant ? 1e99 : (double)i / 3 + 1000.0 * (double)c;
}

static double time_of(size_t i)
{
    return (double)(i / 2) * 0.125; // every time twice
}

static LiederStatus record_rows(Recorder *r, size_t n)
{
    LiederStatus status = LIEDER_DONE;
    for (size_t i = 0; i < n && status == LIEDER_DONE; i++) {
        double values[N];
        value_row(i, values);
        status = record_row(r, time_of(i), values);
    }
    return status;
}

typedef struct Check {
    const size_t *at; /* of a column in the file */
    size_t n;
} Check;

static bool check_row(void *user, const double *values)
{
    Check *c = user;
    double row[N];
    value_row(c->n, row);
    assert_true(values[c->at[N]] == time_of(c->n));
    for (size_t i = 0; i < N; i++)
        assert_true(values[c->at[i]] == (columns[i].constant ? columns[i].value : row[i]));
    c->n++;
    return true;
}

/* every column by name, with unit and text, and every number; returns the rows */
static size_t check_file(const char *path)
{
    Result r;
    size_t at[N + 1], all[N + 1];
    Meter m = {0};
    LiederAllocator alloc = meter_allocator(&m);
    if (result_open(&r, &alloc, path) != LIEDER_DONE)
        fail_msg("%s", r.message);
    assert_int_equal(r.columns.n, N + 1);
    for (size_t i = 0; i <= N; i++) {
        ptrdiff_t found = result_find(&r, i < N ? columns[i].name : "time");
        if (found < 0)
            fail_msg("%s is missing", i < N ? columns[i].name : "time");
        at[i] = (size_t)found;
        all[i] = i;
        if (i == N)
            continue;
        const ResultColumn *c = &r.columns.items[found];
        assert_string_equal(c->unit, columns[i].unit ? columns[i].unit : "");
        assert_string_equal(c->text, columns[i].text ? columns[i].text : "");
        assert_int_equal(c->constant, columns[i].constant);
    }
    assert_int_equal(r.time, at[N]);
    Check check = {.at = at};
    assert_int_equal(result_read(&r, all, N + 1, check_row, &check), LIEDER_DONE);
    result_close(&r);
    assert_int_equal(m.live, 0);
    return check.n;
}

static void test_layout(void **unused)
{
    (void)unused;
    char *path = scratch_path(folder, "layout.h5"), command[512];
    size_t sizes[] = {0, 1, 2, 5000};
    for (int i = 0; i < 4; i++) {
        Recorder r;
        assert_int_equal(record_open(&r, NULL, path, columns, N, NULL), LIEDER_DONE);
        assert_int_equal(record_rows(&r, sizes[i]), LIEDER_DONE);
        assert_int_equal(record_close(&r), LIEDER_DONE);
        assert_int_equal(check_file(path), sizes[i]);
    }
    if (system("command -v h5dump > /dev/null 2>&1") != 0) {
        free(path);
        return;
    }
    // arrays are kept, others are data sets of their own
    const char *lines[] = {"crab.rod.r { ( 5000, 2, 2 ) / ( H5S_UNLIMITED, 2, 2 ) }",
                           "grid.m { ( 1, 2 ) / ( 1, 2 ) }",
                           "part[3].x { ( 5000 ) / ( H5S_UNLIMITED ) }"};
    for (int i = 0; i < 3; i++) {
        snprintf(command, sizeof command,
                 "h5dump -H '%s' | tr -d '\\n\"' | sed 's/DATASET \\([^ ]*\\) {[^{]*/\\n\\1 /g' | "
                 "grep -qF '%s'",
                 path, lines[i]);
        if (system(command) != 0)
            fail_msg("h5dump does not show %s", lines[i]);
    }
    free(path);
}

// the file can be read while the run goes on
static void test_prefix(void **unused)
{
    (void)unused;
    char *path = scratch_path(folder, "prefix.h5");
    RecordOptions options = record_defaults();
    options.flush_rows = 7;
    Recorder r;
    assert_int_equal(record_open(&r, NULL, path, columns, N, &options), LIEDER_DONE);
    assert_int_equal(access(path, F_OK), -1); // it comes with the first row
    for (size_t i = 0; i < 30; i++) {
        double values[N];
        value_row(i, values);
        assert_int_equal(record_row(&r, time_of(i), values), LIEDER_DONE);
        if (i % 7 == 6) { // another process, as a user has
            pid_t child = fork();
            if (child == 0)
                _exit(check_file(path) == i + 1 ? 0 : 1);
            int status;
            assert_int_equal(waitpid(child, &status, 0), child);
            assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        }
    }
    assert_int_equal(record_close(&r), LIEDER_DONE);
    assert_int_equal(check_file(path), 30);
    free(path);
}

static void test_kill(void **unused)
{
    (void)unused;
    char *path = scratch_path(folder, "kill.h5");
    size_t most = 0;
    for (int i = 0; i < 12; i++) {
        if (!record_until_killed(path, columns, N, time_of, value_row,
                                 30000 + 1700 * (useconds_t)i))
            continue;
        size_t n = check_file(path);
        most = n > most ? n : most;
        unlink(path);
    }
    assert_true(most >= 50);
    free(path);
}

static bool fill_disk(const char *path)
{
    Recorder r;
    if (record_open(&r, NULL, path, columns, N, NULL) < 0)
        return false;
    LiederStatus status = record_rows(&r, 100000);
    return status == LIEDER_IO && record_close(&r) == LIEDER_IO && strstr(r.message, "too large");
}

/* Any size of the disk, from none at all: the file has the rows that the message counts, and if it
 * has none the results of before stay. The program exits as others do: what libhdf5 could not close
 * does no harm. */
static bool fill_small_disk(const char *path)
{
    Recorder r;
    LiederStatus status = record_open(&r, NULL, path, columns, N, NULL);
    size_t nrow = 0;
    if (status == LIEDER_DONE) {
        status = record_rows(&r, 3000);
        record_close(&r);
        nrow = r.nrow - r.nlost;
        const char *kept = nrow ? "the rows up to there are kept" : "no row was written";
        if (strcmp(record_kept(&r), kept) != 0)
            return false;
    }
    char number[32], *counted = strstr(r.message, "(after ");
    snprintf(number, sizeof number, "(after %zu rows)", nrow);
    exit(status == LIEDER_IO && (nrow ? counted && strstr(r.message, number) : !counted) ? 0 : 1);
}

static void test_disk_full(void **unused)
{
    (void)unused;
    char *path = scratch_path(folder, "limit.h5");
    assert_true(with_file_limit(400010, fill_disk, path));
    size_t n = check_file(path);
    assert_true(n > 1000 && n < 6000);

    Recorder r; // what was there before
    assert_int_equal(record_open(&r, NULL, path, columns, N, NULL), LIEDER_DONE);
    assert_int_equal(record_rows(&r, 3), LIEDER_DONE);
    assert_int_equal(record_close(&r), LIEDER_DONE);
    bool replaced = false;
    for (size_t size = 0; size < 120000; size += 3000) {
        assert_true(with_file_limit(size, fill_small_disk, path));
        n = check_file(path);
        assert_true(n > 0 && (replaced || n == 3 || n >= 1000));
        replaced |= n != 3;
    }
    assert_true(replaced);
    free(path);
}

static void test_allocation(void **unused)
{
    (void)unused;
    char *path = scratch_path(folder, "quiet.h5");
    Meter m = {0};
    LiederAllocator alloc = meter_allocator(&m);
    Recorder r;
    assert_int_equal(record_open(&r, &alloc, path, columns, N, NULL), LIEDER_DONE);
    size_t before = m.calls;
    assert_int_equal(record_rows(&r, 3000), LIEDER_DONE);
    assert_int_equal(record_close(&r), LIEDER_DONE);
    assert_int_equal(m.calls, before);
    assert_int_equal(m.live, 0);
    assert_int_equal(check_file(path), 3000);
    check_open_without_memory(path, columns, N, NULL);
    free(path);
}

// what is no result of ours, and one that was cut off
static void test_wrong(void **unused)
{
    (void)unused;
    char *path = scratch_path(folder, "wrong.h5");
    Recorder r;
    assert_int_equal(record_open(&r, NULL, path, columns, N, NULL), LIEDER_DONE);
    assert_int_equal(record_rows(&r, 2000), LIEDER_DONE);
    assert_int_equal(record_close(&r), LIEDER_DONE);
    for (off_t size = 5000; size > 8; size /= 3) {
        Result result;
        assert_int_equal(truncate(path, size), 0);
        assert_int_equal(result_open(&result, NULL, path), LIEDER_IO);
        assert_non_null(strstr(result.message, "wrong.h5"));
        result_close(&result);
    }
    free(path);
}

/* LeakSanitizer asks for it: libhdf5 1.10 keeps what it has read of an object header whose checksum
 * is wrong. (What is left open is closed by libhdf5 itself at the end, and is no leak.) */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libhdf5";
}

// a data set whose head is damaged is reported, it is not one that was never there
static void test_damaged_head(void **unused)
{
    (void)unused;
    char *path = scratch_path(folder, "head.h5");
    Recorder r;
    assert_int_equal(record_open(&r, NULL, path, columns, N, NULL), LIEDER_DONE);
    assert_int_equal(record_rows(&r, 100), LIEDER_DONE);
    assert_int_equal(record_close(&r), LIEDER_DONE);
    FILE *f = fopen(path, "r+b");
    assert_non_null(f);
    char bytes[60000];
    size_t n = fread(bytes, 1, sizeof bytes, f), reported = 0;
    for (char *at = bytes; (at = memmem(at, (size_t)(bytes + n - at), "OHDR", 4)); at++) {
        char wrong = (char)(at[20] ^ 1); // their checksum no longer fits
        fseek(f, at + 20 - bytes, SEEK_SET);
        fwrite(&wrong, 1, 1, f);
        fflush(f);
        Result result;
        LiederStatus status = result_open(&result, NULL, path);
        assert_true(status < 0 || strstr(result.message, "is left out"));
        reported += status >= 0;
        result_close(&result);
        fseek(f, at + 20 - bytes, SEEK_SET);
        fwrite(at + 20, 1, 1, f);
        fflush(f);
    }
    fclose(f);
    assert_true(reported > 3);
    assert_int_equal(check_file(path), 100);
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layout),       cmocka_unit_test(test_prefix),
        cmocka_unit_test(test_kill),         cmocka_unit_test(test_disk_full),
        cmocka_unit_test(test_allocation),   cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_damaged_head),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
