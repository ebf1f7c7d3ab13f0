/* test_csv.c - the recorder in general, and its CSV files. */
#include "in_folder.h"

#include <math.h>

static const RecordColumn columns[] = {
    {.name = "cart.s", .unit = "m", .text = "position"},
    {.name = "cart.m", .unit = "kg", .constant = true, .value = 2.5},
    {.name = "say \"hi\", you"},
};
enum { N = 3 };

static void check_file(const char *path, const char *expected)
{
    size_t size;
    char *text = read_whole(path, &size);
    assert_string_equal(text, expected);
    free(text);
}

static void test_text(void **unused)
{
    (void)unused;
    char *path = scratch_path(folder, "text.CSV");
    Recorder r;
    assert_int_equal(record_open(&r, NULL, path, columns, N, NULL), LIEDER_DONE);
    record_row(&r, 0, (double[]){0.1, NAN, -INFINITY});
    record_row(&r, 0.25, (double[]){1.0 / 3, 7, NAN});
    record_row(&r, 0.25, (double[]){-5e-11, 7, 1e300}); // the right side of an event
    assert_int_equal(record_close(&r), LIEDER_DONE);
    assert_int_equal(record_close(&r), LIEDER_DONE);
    assert_string_equal(record_message(&r), "");
    assert_int_equal(r.nrow, 3);
    check_file(path, "\"time\",\"cart.s\",\"cart.m\",\"say \"\"hi\"\", you\"\n"
                     "0,0.1,2.5,-inf\n"
                     "0.25,0.3333333333333333,2.5,nan\n"
                     "0.25,-5e-11,2.5,1e+300\n");
    free(path);
}

static void test_no_columns(void **unused)
{
    (void)unused;
    char *path = scratch_path(folder, "none.csv");
    Recorder r;
    assert_int_equal(record_open(&r, NULL, path, NULL, 0, NULL), LIEDER_DONE);
    record_row(&r, 1.5, NULL);
    assert_int_equal(record_close(&r), LIEDER_DONE);
    check_file(path, "\"time\"\n1.5\n");
    free(path);
}

static void test_leading(void **unused)
{
    (void)unused;
    char *path = scratch_path(folder, "leading.csv");
    const RecordColumn some[] = {{.name = "a"}, {.name = "b", .constant = true, .value = 7}};
    const char *const expected[] = {"\"time\",\"a\",\"b\"\n1.5,3,7\n",
                                    "\"a\",\"time\",\"b\"\n3,1.5,7\n",
                                    "\"a\",\"b\",\"time\"\n3,7,1.5\n"};
    for (size_t i = 0; i < 3; i++) {
        Recorder r;
        RecordOptions options = record_defaults();
        options.leading = i;
        assert_int_equal(record_open(&r, NULL, path, some, 2, &options), LIEDER_DONE);
        record_row(&r, 1.5, (const double[]){3, 0});
        assert_int_equal(record_close(&r), LIEDER_DONE);
        check_file(path, expected[i]);
    }
    free(path);
}

// a head line and rows that are longer than any buffer
static void test_wide(void **unused)
{
    (void)unused;
    enum { WIDE = 20000 };
    char *path = scratch_path(folder, "wide.csv");
    RecordColumn *wide = calloc(WIDE, sizeof *wide);
    double *values = calloc(WIDE, sizeof *values);
    char(*names)[24] = calloc(WIDE, sizeof *names);
    for (int i = 0; i < WIDE; i++) {
        snprintf(names[i], sizeof *names, "body[%d].x", i);
        wide[i].name = names[i];
        values[i] = -1.0 / (i + 1) * 1e-300;
    }
    Recorder r;
    assert_int_equal(record_open(&r, NULL, path, wide, WIDE, NULL), LIEDER_DONE);
    for (int t = 0; t < 3; t++)
        assert_int_equal(record_row(&r, t, values), LIEDER_DONE);
    assert_int_equal(record_close(&r), LIEDER_DONE);

    size_t size;
    char *text = read_whole(path, &size), *at = text;
    for (int line = 0; line < 4; line++) {
        size_t ncomma = 0;
        for (; *at && *at != '\n'; at++)
            ncomma += *at == ',';
        assert_int_equal(ncomma, WIDE);
        assert_int_equal(*at++, '\n');
    }
    assert_int_equal(*at, '\0');
    free(text);
    free(names);
    free(values);
    free(wide);
    free(path);
}

static void check_refused(const char *target, LiederStatus status, const char *part)
{
    Recorder r;
    assert_int_equal(record_open(&r, NULL, target, columns, N, NULL), status);
    if (!strstr(record_message(&r), part))
        fail_msg("\"%s\" does not say \"%s\"", record_message(&r), part);
    assert_int_equal(record_row(&r, 0, NULL), status); // refused, not looked at
    assert_int_equal(record_close(&r), status);
}

static void test_targets(void **unused)
{
    (void)unused;
    check_refused("run.dat", LIEDER_BAD_USE, "\"run.dat\"");
    check_refused("run.dat", LIEDER_BAD_USE, ".csv, .mat or .h5");
    check_refused("run.dat", LIEDER_BAD_USE, "tcp-listen://HOST:PORT");
    check_refused(".csv", LIEDER_BAD_USE, "memory:");
    check_refused("", LIEDER_BAD_USE, "cannot tell");
    check_refused("/no/such/run.csv", LIEDER_IO,
                  "cannot write results to /no/such/run.csv: the directory does not exist");
    check_refused("/no/such/run.mat", LIEDER_IO, "the directory does not exist");

    // a directory in place of a file: not writable even for root
    char *path = scratch_path(folder, "folder.csv");
    assert_int_equal(mkdir(path, 0777), 0);
    check_refused(path, LIEDER_IO, "Is a directory");
    free(path);

    char *full = scratch_path(folder, "full.csv");
    assert_int_equal(symlink("/dev/full", full), 0);
    check_refused(full, LIEDER_IO, "full.csv: No space left on device");
    free(full);
}

static void test_names(void **unused)
{
    (void)unused;
    Recorder r;
    RecordColumn twice[] = {{.name = "a"}, {.name = "b"}, {.name = "a", .constant = true}};
    assert_int_equal(record_open(&r, NULL, "memory:", twice, 3, NULL), LIEDER_BAD_USE);
    assert_string_equal(record_message(&r), "cannot record \"a\" twice");
    RecordColumn time[] = {{.name = "time"}};
    assert_int_equal(record_open(&r, NULL, "memory:", time, 1, NULL), LIEDER_BAD_USE);
    RecordColumn none[] = {{.name = "a"}, {.name = NULL}};
    assert_int_equal(record_open(&r, NULL, "memory:", none, 2, NULL), LIEDER_BAD_USE);
    assert_string_equal(record_message(&r), "cannot record column 2: it has no name");
}

// a disk that fills up in the middle of a line, seen from a child with a limit on file size
static bool fill_disk(const char *path)
{
    Recorder r;
    if (record_open(&r, NULL, path, columns, N, NULL) < 0)
        return false;
    LiederStatus status = LIEDER_DONE;
    size_t n = 0;
    for (; status == LIEDER_DONE && n < 100000; n++)
        status = record_row(&r, (double)n, (double[]){1.0 / 3, 0, 2.0 / 3});
    if (record_close(&r) != LIEDER_IO || status != LIEDER_IO)
        return false;

    // as many whole lines as the message says
    size_t size, nline = 0;
    char *text = read_whole(path, &size), end[64];
    for (size_t i = 0; i < size; i++)
        nline += text[i] == '\n';
    snprintf(end, sizeof end, "File too large (after %zu rows)", nline - 1);
    bool good = strstr(r.message, end) && text[size - 1] == '\n' && size > 100000 - 64 &&
                r.nlost == r.nrow - (nline - 1);
    free(text);
    return good;
}

static void test_disk_full(void **unused)
{
    (void)unused;
    char *path = scratch_path(folder, "limit.csv");
    assert_true(with_file_limit(100000, fill_disk, path));
    free(path);
}

static void test_no_allocation(void **unused)
{
    (void)unused;
    char *path = scratch_path(folder, "quiet.csv");
    Meter m = {0};
    LiederAllocator alloc = meter_allocator(&m);
    Recorder r;
    assert_int_equal(record_open(&r, &alloc, path, columns, N, NULL), LIEDER_DONE);
    size_t before = m.calls;
    for (int i = 0; i < 20000; i++)
        assert_int_equal(record_row(&r, i, (double[]){i, 0, -i * 1e-50}), LIEDER_DONE);
    assert_int_equal(m.calls, before);
    assert_int_equal(record_close(&r), LIEDER_DONE);
    assert_int_equal(m.calls, before);
    assert_int_equal(m.live, 0);
    free(path);
}

static void test_no_memory(void **unused)
{
    (void)unused;
    char *path = scratch_path(folder, "old.csv");
    check_open_without_memory(path, columns, N, NULL);

    // an older result survives a refusal
    FILE *f = fopen(path, "w");
    fputs("old\n", f);
    fclose(f);
    for (size_t k = 1; k < 6; k++) {
        Meter m = {.fail_at = k};
        LiederAllocator alloc = meter_allocator(&m);
        Recorder r;
        assert_int_equal(record_open(&r, &alloc, path, columns, N, NULL), LIEDER_NO_MEMORY);
        check_file(path, "old\n");
    }
    free(path);
}

// rows reach the file by count, by clock, and on demand
static void test_flush(void **unused)
{
    (void)unused;
    char *path = scratch_path(folder, "flush.csv");
    RecordColumn one = {.name = "x"};
    RecordOptions options = record_defaults();
    options.flush_rows = 2;
    options.flush_seconds = 0.05;
    Recorder r;
    assert_int_equal(record_open(&r, NULL, path, &one, 1, &options), LIEDER_DONE);
    assert_int_equal(access(path, F_OK), -1);
    record_row(&r, 1, (double[]){1});
    check_file(path, "\"time\",\"x\"\n1,1\n"); // it comes with the first row
    record_row(&r, 2, (double[]){1});
    check_file(path, "\"time\",\"x\"\n1,1\n2,1\n");
    usleep(70000); // longer than flush_seconds, with a clock of 4 ms
    record_row(&r, 3, (double[]){1});
    check_file(path, "\"time\",\"x\"\n1,1\n2,1\n3,1\n");
    record_row(&r, 4, (double[]){1});
    assert_int_equal(record_flush(&r), LIEDER_DONE);
    check_file(path, "\"time\",\"x\"\n1,1\n2,1\n3,1\n4,1\n");
    assert_int_equal(record_close(&r), LIEDER_DONE);
    free(path);
}

/* what an earlier run left stays until the first row, and for good if there is none */
static void test_old_results(void **unused)
{
    (void)unused;
    static const char *const names[] = {"old.csv", "old.mat"};
    RecordColumn one = {.name = "x"};
    for (size_t i = 0; i < 2; i++) {
        char *path = scratch_path(folder, names[i]);
        write_whole(path, "old");
        Recorder r;
        assert_int_equal(record_open(&r, NULL, path, &one, 1, NULL), LIEDER_DONE);
        check_file(path, "old");
        assert_int_equal(record_cancel(&r), LIEDER_DONE);
        check_file(path, "old");

        // a program that opens, records nothing and closes wants a file without rows
        assert_int_equal(record_open(&r, NULL, path, &one, 1, NULL), LIEDER_DONE);
        assert_int_equal(record_close(&r), LIEDER_DONE);
        size_t size;
        char *text = read_whole(path, &size);
        assert_true(size > 3);
        free(text);

        // cancelled after a row: the row stays
        write_whole(path, "old");
        assert_int_equal(record_open(&r, NULL, path, &one, 1, NULL), LIEDER_DONE);
        assert_int_equal(record_row(&r, 1, (double[]){2}), LIEDER_DONE);
        assert_int_equal(record_cancel(&r), LIEDER_DONE);
        if (i == 0)
            check_file(path, "\"time\",\"x\"\n1,2\n");
        free(path);
    }
    assert_int_equal(count_files(folder, ".old"), 0); // nothing is left beside
}

static bool say_yes(void *user)
{
    (*(int *)user)++;
    return true;
}

/* a pipe whose reader does not read holds the run up until it is interrupted */
static void test_pipe(void **unused)
{
    (void)unused;
    char *path = scratch_path(folder, "pipe.csv");
    assert_int_equal(mkfifo(path, 0600), 0);
    int reader = open(path, O_RDONLY | O_NONBLOCK), asked = 0;
    assert_true(reader >= 0);
    RecordColumn one = {.name = "x"};
    RecordOptions o = record_defaults();
    o.interrupted = say_yes;
    o.user = &asked;
    Recorder r;
    assert_int_equal(record_open(&r, NULL, path, &one, 1, &o), LIEDER_DONE);
    char head[32] = "";
    assert_int_equal(read(reader, head, sizeof head), 11);
    assert_string_equal(head, "\"time\",\"x\"\n");
    LiederStatus status = LIEDER_DONE;
    for (size_t i = 0; i < 1000000 && status == LIEDER_DONE; i++)
        status = record_row(&r, (double)i, (double[]){1});
    assert_int_equal(status, LIEDER_IO);
    assert_true(asked > 0);
    assert_int_equal(record_close(&r), LIEDER_IO);
    close(reader);

    // a .mat file is written at several places: not through a pipe
    char *mat = scratch_path(folder, "pipe.mat");
    assert_int_equal(mkfifo(mat, 0600), 0);
    assert_int_equal(record_open(&r, NULL, mat, &one, 1, NULL), LIEDER_IO);
    assert_non_null(strstr(record_message(&r), "not a regular file"));
    free(path);
    free(mat);
}

/* Row i is i,i/3,2.5,-i/7: all lines are whole and in order. The last may lack its newline only
 * if `torn` allows it (see csv.c). Gives back the number of rows. */
static size_t check_lines(const char *path, bool torn)
{
    size_t size, n = 0;
    char *text = read_whole(path, &size), *line = strchr(text, '\n') + 1;
    for (char *end; (end = strchr(line, '\n')); line = end + 1, n++) {
        double i = (double)n;
        char expected[100];
        snprintf(expected, sizeof expected, "%.16g,%.16g,2.5,%.16g", i, i / 3, -i / 7);
        *end = '\0';
        assert_string_equal(line, expected);
    }
    assert_true(torn || !*line);
    free(text);
    return n;
}

static pid_t start_run(const char *path, size_t nrow, int done)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child)
        return child;
    RecordOptions options = record_defaults();
    options.flush_rows = 100;
    Recorder r;
    if (record_open(&r, NULL, path, columns, N, &options) < 0)
        _exit(1);
    for (size_t i = 0; i < nrow; i++) {
        double x = (double)i;
        if (record_row(&r, x, (double[]){x / 3, 0, -x / 7}) < 0)
            _exit(1);
    }
    if (write(done, "", 1) != 1)
        _exit(1);
    for (;;)
        pause();
}

static void test_kill(void **unused)
{
    (void)unused;
    char *path = scratch_path(folder, "kill.csv"), byte;
    int pipe_ends[2];
    assert_int_equal(pipe(pipe_ends), 0);

    // between two flushes: everything up to the last one is there
    pid_t child = start_run(path, 12345, pipe_ends[1]);
    assert_int_equal(read(pipe_ends[0], &byte, 1), 1);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_int_equal(check_lines(path, false), 12300);

    // at any moment
    for (int i = 0; i < 20; i++) {
        child = start_run(path, SIZE_MAX, pipe_ends[1]);
        usleep(2000 + 500 * (useconds_t)i);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        size_t size;
        char *text = read_whole(path, &size);
        bool begun = strchr(text, '\n');
        free(text);
        if (begun)
            check_lines(path, true);
    }
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),      cmocka_unit_test(test_no_columns),
        cmocka_unit_test(test_leading),   cmocka_unit_test(test_wide),
        cmocka_unit_test(test_targets),   cmocka_unit_test(test_names),
        cmocka_unit_test(test_disk_full), cmocka_unit_test(test_no_allocation),
        cmocka_unit_test(test_no_memory), cmocka_unit_test(test_flush),
        cmocka_unit_test(test_kill),      cmocka_unit_test(test_old_results),
        cmocka_unit_test(test_pipe),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
