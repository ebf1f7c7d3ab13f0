/* test_mat.c - MATLAB v4 results, read back with matio. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "in_folder.h"

#include <matio.h>

static const RecordColumn columns[] = {
    {.name = "cart.s", .unit = "m", .text = "position"},
    {.name = "cart.m", .unit = "kg", .text = "mass", .constant = true, .value = 2.5},
    {.name = "a.name.longer.than.eight", .unit = "rad/s"},
    {.name = "k", .text = "count", .constant = true, .value = -3},
    {.name = "y"},
};
enum { N = 5, NCONSTANT = 2 };

static matvar_t *read_matrix(mat_t *file, const char *name, size_t nrows, size_t ncolumns)
{
    matvar_t *v = Mat_VarRead(file, name);
    assert_non_null(v);
    assert_int_equal(v->rank, 2);
    assert_int_equal(v->dims[0], nrows);
    assert_int_equal(v->dims[1], ncolumns);
    assert_false(v->isComplex);
    return v;
}

/* column j of a text matrix is `text` and then blanks */
static void check_text_column(const matvar_t *v, size_t j, const char *text)
{
    size_t width = v->dims[0], n = strlen(text);
    const char *at = (const char *)v->data + j * width;
    assert_int_equal(v->class_type, MAT_C_CHAR);
    assert_true(n <= width);
    assert_memory_equal(at, text, n);
    for (size_t i = n; i < width; i++)
        assert_int_equal(at[i], ' ');
}

static void value_row(size_t i, double *values)
{
    double x = (double)i;
    double row[N] = {x / 3, 1e99, -x, 1e99, x * x + 0.1};
    memcpy(values, row, sizeof row);
}

static double time_of(size_t i)
{
    return (double)(i / 2) * 0.125; // every time twice
}

/* Checks every matrix; gives back the number of rows that data_2 has. */
static size_t check_file(const char *path)
{
    mat_t *file = Mat_Open(path, MAT_ACC_RDONLY);
    assert_non_null(file);
    assert_int_equal(Mat_GetVersion(file), MAT_FT_MAT4);

    // the order that OpenModelica needs
    const char *order[] = {"Aclass", "name", "description", "dataInfo", "data_1", "data_2"};
    for (int i = 0; i < 6; i++) {
        matvar_t *v = Mat_VarReadNextInfo(file);
        assert_non_null(v);
        assert_string_equal(v->name, order[i]);
        Mat_VarFree(v);
    }
    assert_null(Mat_VarReadNextInfo(file));
    Mat_Rewind(file);

    matvar_t *v = read_matrix(file, "Aclass", 4, 11);
    const char *rows[4] = {"Atrajectory", "1.1        ", "           ", "binTrans   "};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 11; j++)
            assert_int_equal(((char *)v->data)[i + 4 * j], rows[i][j]);
    Mat_VarFree(v);

    v = read_matrix(file, "name", 24, N + 1);
    check_text_column(v, 0, "time");
    for (size_t i = 0; i < N; i++)
        check_text_column(v, i + 1, columns[i].name);
    Mat_VarFree(v);

    v = read_matrix(file, "description", 24, N + 1);
    const char *texts[] = {
        "Simulation time [s]", "position [m]", "mass [kg]", "[rad/s]", "count", ""};
    for (size_t i = 0; i <= N; i++)
        check_text_column(v, i, texts[i]);
    Mat_VarFree(v);

    v = read_matrix(file, "dataInfo", 4, N + 1);
    const int info[] = {0, 1, 0, -1, 2, 2, 0, -1, 1, 2, 0, 0, 2, 3, 0, -1, 1, 3, 0, 0, 2, 4, 0, -1};
    for (size_t i = 0; i < sizeof info / sizeof *info; i++)
        assert_true(((double *)v->data)[i] == info[i]); // matio turns all numbers into doubles
    Mat_VarFree(v);

    v = Mat_VarReadInfo(file, "data_2");
    size_t n = v->dims[1];
    Mat_VarFree(v);
    v = read_matrix(file, "data_1", 1 + NCONSTANT, 2);
    const double *data = v->data;
    assert_int_equal(v->class_type, MAT_C_DOUBLE);
    for (size_t j = 0; j < 2; j++) {
        assert_true(data[3 * j + 1] == 2.5);
        assert_true(data[3 * j + 2] == -3);
    }
    assert_true(data[0] == 0);
    // after a kill the last time may be newer than the last column, never older
    assert_true(data[3] >= (n ? time_of(n - 1) : 0));
    Mat_VarFree(v);

    if (n > 0) {
        v = read_matrix(file, "data_2", 1 + N - NCONSTANT, n);
        assert_int_equal(v->class_type, MAT_C_DOUBLE);
        data = v->data;
        for (size_t i = 0; i < n; i++) {
            double x[N];
            value_row(i, x);
            double expected[] = {time_of(i), x[0], x[2], x[4]};
            assert_memory_equal(data + 4 * i, expected, sizeof expected);
        }
        Mat_VarFree(v);
    }
    Mat_Close(file);
    return n;
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

static off_t size_of(const char *path)
{
    struct stat s;
    assert_int_equal(stat(path, &s), 0);
    return s.st_size;
}

static void test_layout(void **unused)
{
    (void)unused;
    char *path = scratch_path(folder, "layout.mat");
    off_t head = 0;
    size_t sizes[] = {0, 1, 2, 5000};
    for (int i = 0; i < 4; i++) {
        size_t n = sizes[i];
        Recorder r;
        assert_int_equal(record_open(&r, NULL, path, columns, N, NULL), LIEDER_DONE);
        assert_int_equal(record_rows(&r, n), LIEDER_DONE);
        assert_int_equal(record_close(&r), LIEDER_DONE);
        assert_int_equal(check_file(path), n);
        if (n == 0)
            head = size_of(path);
        assert_int_equal(size_of(path), head + (off_t)(n * 4 * sizeof(double)));
    }
    // the element types, which matio hides: int32 and text as bytes
    size_t size;
    char *bytes = read_whole(path, &size);
    const char *names[] = {"Aclass", "name", "description", "dataInfo", "data_1", "data_2"};
    const int32_t types[] = {51, 51, 51, 20, 0, 0};
    for (int i = 0; i < 6; i++) {
        int32_t type;
        const char *at = memmem(bytes, size, names[i], strlen(names[i]) + 1);
        assert_non_null(at);
        memcpy(&type, at - 20, sizeof type);
        assert_int_equal(type % 1000, types[i]);
    }
    free(bytes);

    // the head of data_2 (27 bytes) starts at a multiple of 8: its count is never torn
    assert_int_equal((head - 27) % 8, 0);
    free(path);
}

// the first and last time are in data_1
static void test_span(void **unused)
{
    (void)unused;
    char *path = scratch_path(folder, "span.mat");
    Recorder r;
    assert_int_equal(record_open(&r, NULL, path, NULL, 0, NULL), LIEDER_DONE);
    for (int i = 0; i < 3000; i++)
        assert_int_equal(record_row(&r, i + 0.5, NULL), LIEDER_DONE);
    assert_int_equal(record_close(&r), LIEDER_DONE);
    mat_t *file = Mat_Open(path, MAT_ACC_RDONLY);
    assert_non_null(file);
    matvar_t *v = read_matrix(file, "data_1", 1, 2);
    assert_true(((double *)v->data)[0] == 0.5);
    assert_true(((double *)v->data)[1] == 2999.5);
    Mat_VarFree(v);
    v = read_matrix(file, "data_2", 1, 3000);
    assert_true(((double *)v->data)[1234] == 1234.5);
    Mat_VarFree(v);
    Mat_Close(file);
    free(path);
}

// the file can be read while the run goes on
static void test_prefix(void **unused)
{
    (void)unused;
    char *path = scratch_path(folder, "prefix.mat");
    RecordOptions options = record_defaults();
    options.flush_rows = 7;
    Recorder r;
    assert_int_equal(record_open(&r, NULL, path, columns, N, &options), LIEDER_DONE);
    assert_int_equal(access(path, F_OK), -1); // it comes with the first row
    for (size_t i = 0; i < 30; i++) {
        double values[N];
        value_row(i, values);
        assert_int_equal(record_row(&r, time_of(i), values), LIEDER_DONE);
        assert_int_equal(check_file(path), i < 6 ? 1 : (i + 1) / 7 * 7);
    }
    assert_int_equal(record_close(&r), LIEDER_DONE);
    assert_int_equal(check_file(path), 30);
    free(path);
}

static void test_kill(void **unused)
{
    (void)unused;
    char *path = scratch_path(folder, "kill.mat");
    size_t most = 0;
    for (int i = 0; i < 25; i++) {
        if (!record_until_killed(path, columns, N, time_of, value_row, 5000 + 700 * (useconds_t)i))
            continue;
        size_t n = check_file(path);
        most = n > most ? n : most;
    }
    assert_true(most > 1000);
    free(path);
}

static bool fill_disk(const char *path)
{
    Recorder r;
    if (record_open(&r, NULL, path, columns, N, NULL) < 0)
        return false;
    LiederStatus status = record_rows(&r, 100000);
    char end[64];
    snprintf(end, sizeof end, "File too large (after %zu rows)", r.nrow - r.nlost);
    return status == LIEDER_IO && record_close(&r) == LIEDER_IO && strstr(r.message, end);
}

static void test_disk_full(void **unused)
{
    (void)unused;
    char *path = scratch_path(folder, "limit.mat");
    Recorder r;
    assert_int_equal(record_open(&r, NULL, path, columns, N, NULL), LIEDER_DONE);
    assert_int_equal(record_close(&r), LIEDER_DONE);
    off_t head = size_of(path);
    assert_true(with_file_limit(100010, fill_disk, path));
    size_t n = check_file(path);
    assert_true(n > 3000 && n < 3125);
    assert_int_equal(size_of(path), head + (off_t)(n * 4 * sizeof(double))); // no torn column

    char *full = scratch_path(folder, "full.mat");
    assert_int_equal(symlink("/dev/full", full), 0);
    assert_int_equal(record_open(&r, NULL, full, columns, N, NULL), LIEDER_IO);
    assert_non_null(strstr(record_message(&r), "full.mat: it is not a regular file"));
    free(full);
    free(path);
}

static void test_allocation(void **unused)
{
    (void)unused;
    char *path = scratch_path(folder, "quiet.mat");
    Meter m = {0};
    LiederAllocator alloc = meter_allocator(&m);
    Recorder r;
    assert_int_equal(record_open(&r, &alloc, path, columns, N, NULL), LIEDER_DONE);
    size_t before = m.calls;
    assert_int_equal(record_rows(&r, 20000), LIEDER_DONE);
    assert_int_equal(record_close(&r), LIEDER_DONE);
    assert_int_equal(m.calls, before);
    assert_int_equal(m.live, 0);
    assert_int_equal(check_file(path), 20000);
    check_open_without_memory(path, columns, N, NULL);
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layout),    cmocka_unit_test(test_span),
        cmocka_unit_test(test_prefix),    cmocka_unit_test(test_kill),
        cmocka_unit_test(test_disk_full), cmocka_unit_test(test_allocation),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
