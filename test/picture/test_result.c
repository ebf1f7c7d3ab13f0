/* test_result.c - results read back: both formats, foreign ones, and damaged files. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <math.h>

#include "record/help.h"
#include "picture/picture.h"

static char *folder, *csv, *mat;

static const RecordColumn columns[] = {
    {"cart.s", "m", "position", false, 0},
    {"cart.m", "kg", "mass", true, 2.5},
    {"say \"a,b\"", NULL, NULL, false, 0},
    {"der(cart.s)", "m/s", NULL, false, 0},
};
enum { NCOLUMN = 4, NROW = 3000 };

static double value(size_t row, size_t column)
{
    return column == 1 ? 2.5 : sin(0.01 * (double)row) * pow(10, (double)column);
}

static void record(const char *path)
{
    Recorder r;
    assert_int_equal(record_open(&r, NULL, path, columns, NCOLUMN, NULL), LIEDER_DONE);
    for (size_t i = 0; i < NROW; i++) {
        double values[NCOLUMN];
        for (size_t k = 0; k < NCOLUMN; k++)
            values[k] = value(i, k);
        assert_int_equal(record_row(&r, 0.1 * (double)i, values), LIEDER_DONE);
    }
    assert_int_equal(record_close(&r), LIEDER_DONE);
}

static int set_up(void **state)
{
    (void)state;
    folder = scratch_create();
    csv = scratch_path(folder, "run.csv");
    mat = scratch_path(folder, "run.mat");
    record(csv);
    record(mat);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    scratch_destroy(folder);
    free(csv);
    free(mat);
    return 0;
}

/* ------------------------------------------------------------------ round trip */

/* numbers of a row in the order asked for: time, the last column, the first */
static bool compare_row(void *user, const double *values)
{
    size_t *row = user;
    assert_true(fabs(values[0] - 0.1 * (double)*row) <= 1e-15 * fabs(values[0]));
    assert_true(fabs(values[1] - value(*row, 3)) <= 1e-15 * fabs(values[1]));
    assert_true(fabs(values[2] - value(*row, 0)) <= 1e-15 * fabs(values[2]));
    assert_true(values[3] == 2.5);
    ++*row;
    return true;
}

static bool count_row(void *user, const double *values)
{
    (void)values;
    ++*(size_t *)user;
    return true;
}

static bool first_row(void *user, const double *values)
{
    *(double *)user = values[0];
    return false;
}

static void test_round_trip(void **state)
{
    (void)state;
    const char *const paths[] = {csv, mat};
    for (int i = 0; i < 2; i++) {
        Result r;
        assert_int_equal(result_open(&r, NULL, paths[i]), LIEDER_DONE);
        assert_int_equal(r.columns.n, NCOLUMN + 1);
        assert_int_equal(r.time, 0);
        for (size_t k = 0; k < NCOLUMN; k++) {
            assert_string_equal(r.columns.items[k + 1].name, columns[k].name);
            const char *unit = i == 1 && columns[k].unit ? columns[k].unit : "";
            assert_string_equal(r.columns.items[k + 1].unit, unit);
        }
        assert_int_equal(result_find(&r, "say \"a,b\""), 3);
        assert_int_equal(result_find(&r, "nothing"), -1);
        assert_true(r.columns.items[2].constant == (i == 1));
        // twice: a result can be read again
        for (int round = 0; round < 2; round++) {
            size_t row = 0;
            assert_int_equal(result_read(&r, (size_t[]){0, 4, 1, 2}, 4, compare_row, &row),
                             LIEDER_DONE);
            assert_int_equal(row, NROW);
        }
        double t = -1;
        assert_int_equal(result_read(&r, (size_t[]){0}, 1, first_row, &t), LIEDER_STOPPED);
        assert_true(t == 0);
        result_close(&r);
    }
}

/* ------------------------------------------------------------------ memory */

static void test_memory(void **state)
{
    (void)state;
    const char *const paths[] = {csv, mat};
    for (int i = 0; i < 2; i++) {
        LiederStatus status = LIEDER_NO_MEMORY;
        size_t k = 1;
        for (; status == LIEDER_NO_MEMORY; k++) {
            Meter m = {.fail_at = k};
            LiederAllocator alloc = meter_allocator(&m);
            Result r;
            size_t nrow = 0;
            status = result_open(&r, &alloc, paths[i]);
            if (status == LIEDER_DONE)
                status = result_read(&r, (size_t[]){0, 1}, 2, count_row, &nrow);
            if (status == LIEDER_NO_MEMORY)
                assert_non_null(strstr(r.message, "out of memory"));
            result_close(&r);
            assert_int_equal(m.live, 0);
        }
        assert_int_equal(status, LIEDER_DONE);
        assert_true(k > 3);
    }
}

/* ------------------------------------------------------------------ text of others */

static void write_bytes(const char *path, const void *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    fclose(f);
}

/* rows of a text with all its columns, or what is said of it */
static LiederStatus read_all(const char *path, Result *r, size_t *nrow)
{
    *nrow = 0;
    LiederStatus status = result_open(r, NULL, path);
    size_t all[16];
    for (size_t i = 0; i < 16; i++)
        all[i] = i;
    return status < 0 ? status : result_read(r, all, r->columns.n, count_row, nrow);
}

static void test_text(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int nrow; /* -1: an error */
        const char *message;
    } cases[] = {
        {"time,x\n0,1\n1,2\n", 2, ""},
        {"\xef\xbb\xbf\"time\" , \"x\"\r\n0 , 1e-3\r\n\r\n1,nan\r\n", 2, ""},
        {"# by hand\ntime,x\n# units: s, m\n0,1\n1,\n", 2, ""},
        {"time,x\n0,1\n1,2", 1, "has no end"}, // it may have been 1,25
        {"time,x\n0,1\n1", 1, "has no end"},
        {"time,x\n0,1\n1,2e", 1, "has no end"},
        {"time,x", -1, "cut off in its first line"},
        {"time,x\n", 0, ""},
        {"time,x\n0,1\n1\n2,3\n", -1, "has 1 fields, but there are 2"},
        {"time,x\n0,1,5\n", -1, "more than 2 fields"},
        {"time,x\n0,one\n1,1\n", -1, ":2: \"one\" in the column x is no number"},
        {"0,1\n1,2\n", -1, "the names are missing"},
        {"time;x\n0;1\n", -1, "not separated by commas"},
        {"\n\n", -1, "no line of names"},
        {"", -1, "is empty"},
    };
    char *path = scratch_path(folder, "text.csv");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Result r;
        size_t nrow;
        write_bytes(path, cases[i].text, strlen(cases[i].text));
        LiederStatus status = read_all(path, &r, &nrow);
        if ((status < 0) != (cases[i].nrow < 0) || !strstr(r.message, cases[i].message) ||
            (!*cases[i].message && *r.message) || (status >= 0 && (int)nrow != cases[i].nrow))
            fail_msg("case %zu: status %d, %zu rows, \"%s\"", i, status, nrow, r.message);
        result_close(&r);
    }
    free(path);
    Result r;
    assert_int_equal(result_open(&r, NULL, "/nowhere/run.csv"), LIEDER_IO);
    assert_non_null(strstr(r.message, "No such file"));
    result_close(&r);
    assert_int_equal(result_open(&r, NULL, "/"), LIEDER_IO);
    result_close(&r);
}

/* the parameters of a sweep stand before the time */
static void test_time(void **state)
{
    (void)state;
    char *path = scratch_path(folder, "time.csv");
    Result r;
    write_bytes(path, "a,b,time,x\n", 11);
    assert_int_equal(result_open(&r, NULL, path), LIEDER_DONE);
    assert_int_equal(r.time, 2);
    result_close(&r);
    free(path);
}

/* ------------------------------------------------------------------ damage */

/* A .mat file cut off anywhere: what is whole is read and the rest is missed, or a clear refusal.
 */
static void test_cut_off(void **state)
{
    (void)state;
    size_t size, most = 0;
    char *whole = read_whole(mat, &size), *path = scratch_path(folder, "cut.mat");
    for (size_t n = 1; n < size; n += n < 1200 ? 7 : 4099) {
        Result r;
        size_t nrow;
        write_bytes(path, whole, n);
        LiederStatus status = read_all(path, &r, &nrow);
        assert_true(*r.message); // something is said in any case
        if (status == LIEDER_DONE) {
            assert_non_null(strstr(r.message, "was cut off"));
            assert_true(nrow < NROW && nrow >= most);
            most = nrow;
        } else {
            assert_int_equal(status, LIEDER_IO);
        }
        result_close(&r);
    }
    assert_true(most > NROW / 2);
    free(path);
    free(whole);
}

/* A .csv file cut off anywhere has the rows whose lines are whole, and no others. */
static void test_cut_text(void **state)
{
    (void)state;
    size_t size;
    char *whole = read_whole(csv, &size), *path = scratch_path(folder, "cut.csv");
    size_t head = strcspn(whole, "\n") + 1;
    for (size_t n = 1; n < 2000; n++) {
        Result r;
        size_t nrow, nline = 0;
        for (size_t i = head; i < n; i++)
            nline += whole[i] == '\n';
        write_bytes(path, whole, n);
        LiederStatus status = read_all(path, &r, &nrow);
        if (n < head) {
            assert_int_equal(status, LIEDER_IO);
        } else {
            assert_int_equal(status, LIEDER_DONE);
            assert_int_equal(nrow, nline);
            assert_int_equal(*r.message != 0, whole[n - 1] != '\n');
        }
        result_close(&r);
    }
    // a block that never reached the disk
    Result r;
    size_t nrow;
    memset(whole + head + 100, 0, 50);
    write_bytes(path, whole, 2000);
    assert_int_equal(read_all(path, &r, &nrow), LIEDER_IO);
    assert_non_null(strstr(r.message, "zero byte"));
    result_close(&r);
    free(path);
    free(whole);
}

/* where the number of columns of data_2 stands */
static size_t count_place(const char *bytes, size_t size)
{
    for (size_t i = 20; i + 7 < size; i++)
        if (memcmp(bytes + i, "data_2", 7) == 0)
            return i - 12;
    fail_msg("no data_2");
    return 0;
}

/* columns that are there and not counted: a run is writing them, or was killed before it counted */
static void test_not_counted(void **state)
{
    (void)state;
    size_t size;
    char *whole = read_whole(mat, &size), *path = scratch_path(folder, "count.mat");
    size_t at = count_place(whole, size);
    static const int less[] = {1, 2, 100, NROW};
    for (size_t i = 0; i < sizeof less / sizeof *less; i++)
        for (size_t torn = 0; torn < 33; torn += 8) { // also with a part of one more column
            int32_t count = NROW - less[i];
            Result r;
            size_t nrow;
            memcpy(whole + at, &count, sizeof count);
            write_bytes(path, whole, size - torn);
            assert_int_equal(read_all(path, &r, &nrow), LIEDER_DONE);
            assert_int_equal(nrow, count);
            if (less[i] > 1 || torn < 32)
                assert_non_null(strstr(r.message, "not counted"));
            result_close(&r);
        }
    // another matrix behind is no row
    int32_t count = NROW;
    struct {
        int head[5];
        char name[2];
        double element;
    } __attribute__((packed)) other = {{0, 1, 1, 0, 2}, "A", 3};
    memcpy(whole + at, &count, sizeof count);
    write_bytes(path, whole, size);
    FILE *f = fopen(path, "ab");
    fwrite(&other, sizeof other, 1, f);
    fclose(f);
    Result r;
    size_t nrow;
    assert_int_equal(read_all(path, &r, &nrow), LIEDER_DONE);
    assert_int_equal(nrow, NROW);
    assert_string_equal(r.message, "");
    result_close(&r);
    free(path);
    free(whole);
}

/* at every moment of a run its files can be read, with as many rows as were flushed; the first one
 * is flushed at once */
static void test_growing(void **state)
{
    (void)state;
    static const char *const names[] = {"grow.csv", "grow.mat"};
    for (size_t k = 0; k < 2; k++) {
        char *path = scratch_path(folder, names[k]);
        RecordOptions o = record_defaults();
        o.flush_rows = 3;
        Recorder w;
        assert_int_equal(record_open(&w, NULL, path, columns, NCOLUMN, &o), LIEDER_DONE);
        for (size_t i = 0; i < 50; i++) {
            assert_int_equal(record_row(&w, (double)i, (double[]){1, 2, 3, 4}), LIEDER_DONE);
            Result r;
            size_t nrow;
            assert_int_equal(read_all(path, &r, &nrow), LIEDER_DONE);
            assert_int_equal(nrow, i < 2 ? 1 : (i + 1) / 3 * 3);
            assert_string_equal(r.message, "");
            result_close(&r);
        }
        assert_int_equal(record_close(&w), LIEDER_DONE);
        free(path);
    }
}

/* no byte of the head may lead outside: changed ones are read, refused or end in other numbers */
static void test_changed(void **state)
{
    (void)state;
    size_t size;
    char *whole = read_whole(mat, &size), *path = scratch_path(folder, "changed.mat");
    static const unsigned char bytes[] = {0x00, 0x7f, 0xff};
    for (size_t n = 0; n < 900; n += 2)
        for (size_t i = 0; i < sizeof bytes; i++) {
            char kept = whole[n];
            Result r;
            size_t nrow;
            whole[n] = (char)bytes[i];
            write_bytes(path, whole, 4000);
            read_all(path, &r, &nrow);
            result_close(&r);
            whole[n] = kept;
        }
    free(path);
    free(whole);
}

/* a v4 file with another matrix in it, and one of version 5 */
static void test_foreign(void **state)
{
    (void)state;
    char *path = scratch_path(folder, "foreign.mat");
    Result r;
    struct {
        int head[5];
        char name[2];
        double element;
    } __attribute__((packed)) other = {{0, 1, 1, 0, 2}, "A", 3};
    write_bytes(path, &other, sizeof other);
    assert_int_equal(result_open(&r, NULL, path), LIEDER_IO);
    assert_non_null(strstr(r.message, "there is no matrix Aclass"));
    result_close(&r);
    char five[200] = "MATLAB 5.0 MAT-file";
    write_bytes(path, five, sizeof five);
    assert_int_equal(result_open(&r, NULL, path), LIEDER_IO);
    assert_non_null(strstr(r.message, "not a MATLAB v4 file"));
    result_close(&r);
    free(path);
}

/* ------------------------------------------------------------------ as others write .mat */

static void put_matrix(FILE *f, const char *name, int type, int rows, int ncolumns,
                       const void *elements, size_t size)
{
    int head[5] = {type, rows, ncolumns, 0, (int)strlen(name) + 1};
    fwrite(head, sizeof head, 1, f);
    fwrite(name, strlen(name) + 1, 1, f);
    fwrite(elements, size, 1, f);
}

static bool keep_row(void *user, const double *values)
{
    double **to = user;
    for (int i = 0; i < 4; i++)
        *(*to)++ = values[i];
    return true;
}

/* text as doubles that are no characters at all */
static void test_wild_characters(void **state)
{
    (void)state;
    char *path = scratch_path(folder, "wild.mat");
    static const double wild[] = {1e300, -1e300, 256, -1, 1e10};
    for (size_t k = 0; k < 7; k++) {
        FILE *f = fopen(path, "wb");
        assert_non_null(f);
        double class_[44], x = k < 5 ? wild[k] : k == 5 ? NAN : INFINITY;
        for (int i = 0; i < 44; i++)
            class_[i] = x;
        put_matrix(f, "Aclass", 1, 4, 11, class_, sizeof class_);
        put_matrix(f, "name", 51, 4, 1, "time", 4);
        put_matrix(f, "dataInfo", 20, 4, 1, (int[]){0, 1, 0, -1}, 16);
        put_matrix(f, "data_1", 0, 1, 1, &x, 8);
        put_matrix(f, "data_2", 0, 1, 1, &x, 8);
        fclose(f);
        Result r;
        assert_int_equal(result_open(&r, NULL, path), LIEDER_IO);
        assert_non_null(strstr(r.message, "binTrans"));
        result_close(&r);
    }
    free(path);
}

/* single precision, a negative alias, data_1 of one column without time, a display unit */
static void test_others(void **state)
{
    (void)state;
    char *path = scratch_path(folder, "other.mat");
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    char class_[44], *to = class_;
    static const char rows[4][12] = {"Atrajectory", "1.1        ", "           ", "binTrans   "};
    for (int j = 0; j < 11; j++)
        for (int i = 0; i < 4; i++)
            *to++ = rows[i][j];
    put_matrix(f, "Aclass", 51, 4, 11, class_, 44);
    put_matrix(f, "name", 51, 4, 4, "timex   -x  m   ", 16);
    put_matrix(f, "description", 51, 8, 4, "[s]     a [m|mm]a [m]   mass    ", 32);
    int info[16] = {0, 1, 0, -1, 2, 2, 0, -1, 2, -2, 0, -1, 1, -1, 0, 0};
    put_matrix(f, "dataInfo", 20, 4, 4, info, sizeof info);
    double constant = 7;
    put_matrix(f, "data_1", 0, 1, 1, &constant, sizeof constant);
    float data[] = {0, 1.5f, 1, 2.5f};
    put_matrix(f, "data_2", 10, 2, 2, data, sizeof data);
    fclose(f);
    Result r;
    double values[8], *at = values;
    assert_int_equal(result_open(&r, NULL, path), LIEDER_DONE);
    assert_string_equal(r.columns.items[1].unit, "m");
    assert_string_equal(r.columns.items[1].text, "a");
    assert_string_equal(r.columns.items[3].text, "mass");
    assert_int_equal(result_read(&r, (size_t[]){0, 1, 2, 3}, 4, keep_row, &at), LIEDER_DONE);
    const double expected[] = {0, 1.5, -1.5, -7, 1, 2.5, -2.5, -7};
    assert_memory_equal(values, expected, sizeof expected);
    result_close(&r);
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_memory),
        cmocka_unit_test(test_text),       cmocka_unit_test(test_time),
        cmocka_unit_test(test_cut_off),    cmocka_unit_test(test_changed),
        cmocka_unit_test(test_foreign),    cmocka_unit_test(test_others),
        cmocka_unit_test(test_cut_text),   cmocka_unit_test(test_not_counted),
        cmocka_unit_test(test_growing),    cmocka_unit_test(test_wild_characters),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
