/* test_memory.c - results kept in memory. */
#include "help.h"

static const RecordColumn columns[] = {
    {.name = "x", .unit = "m", .text = "position"},
    {.name = "m", .unit = "kg", .constant = true, .value = 2.5},
    {.name = "v"},
};
enum { N = 3 };

static void test_series(void **unused)
{
    (void)unused;
    Recorder r;
    RecordSeries s;
    assert_int_equal(record_open(&r, NULL, "memory:", columns, N, NULL), LIEDER_DONE);
    assert_true(record_memory_series(&r, "x", &s));
    assert_int_equal(s.n, 0);
    enum { ROWS = 5000 }; // past what open reserved
    for (int i = 0; i < ROWS; i++)
        assert_int_equal(record_row(&r, i / 2, (double[]){i, -1, -i}), LIEDER_DONE);

    const struct {
        const char *name, *unit;
        double first, last;
    } expected[] = {{"time", "s", 0, (ROWS - 1) / 2},
                    {"x", "m", 0, ROWS - 1},
                    {"m", "kg", 2.5, 2.5},
                    {"v", "", 0, 1 - ROWS}};
    for (int i = 0; i < 4; i++) {
        assert_true(record_memory_series(&r, expected[i].name, &s));
        assert_int_equal(s.n, ROWS);
        assert_string_equal(s.unit, expected[i].unit);
        assert_true(s.values[0] == expected[i].first);
        assert_true(s.values[(ROWS - 1) * s.stride] == expected[i].last);
    }
    assert_true(record_memory_series(&r, "v", &s));
    for (size_t i = 0; i < ROWS; i++)
        assert_true(s.values[i * s.stride] == -(double)i);
    assert_false(record_memory_series(&r, "y", &s));
    assert_int_equal(record_tcp_port(&r), -1);
    assert_int_equal(record_close(&r), LIEDER_DONE);
    assert_false(record_memory_series(&r, "x", &s));
}

static void test_no_allocation(void **unused)
{
    (void)unused;
    Meter m = {0};
    LiederAllocator alloc = meter_allocator(&m);
    RecordOptions options = record_defaults();
    options.memory_rows = 300;
    Recorder r;
    assert_int_equal(record_open(&r, &alloc, "memory:", columns, N, &options), LIEDER_DONE);
    size_t before = m.calls;
    for (int i = 0; i < 300; i++)
        assert_int_equal(record_row(&r, i, (double[]){i, 0, i}), LIEDER_DONE);
    assert_int_equal(m.calls, before);
    record_close(&r);
    assert_int_equal(m.live, 0);
}

static void test_no_memory(void **unused)
{
    (void)unused;
    check_open_without_memory("memory:", columns, N, NULL);

    // in mid-run: the rows so far stay
    for (size_t k = 1; k <= 3; k++) {
        Meter m = {0};
        LiederAllocator alloc = meter_allocator(&m);
        RecordOptions options = record_defaults();
        options.memory_rows = 10;
        Recorder r;
        assert_int_equal(record_open(&r, &alloc, "memory:", columns, N, &options), LIEDER_DONE);
        m.fail_at = m.calls + k;
        for (int i = 0; i < 10; i++)
            assert_int_equal(record_row(&r, i, (double[]){i, 0, i}), LIEDER_DONE);
        assert_int_equal(record_row(&r, 10, (double[]){10, 0, 10}), LIEDER_NO_MEMORY);
        assert_int_equal(record_row(&r, 11, (double[]){11, 0, 11}), LIEDER_NO_MEMORY);
        assert_string_equal(record_message(&r),
                            "cannot record to memory:: out of memory (after 10 rows)");
        RecordSeries s;
        assert_true(record_memory_series(&r, "v", &s));
        assert_int_equal(s.n, 10);
        assert_true(s.values[9] == 9);
        assert_int_equal(record_close(&r), LIEDER_NO_MEMORY);
        assert_int_equal(m.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_series),
        cmocka_unit_test(test_no_allocation),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
