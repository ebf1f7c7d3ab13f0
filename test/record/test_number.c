/* test_number.c - numbers as text against printf. */
#include "help.h"

#include <float.h>
#include <math.h>

#include "record/format.h"

static NumberWriter writer;

static void check(double x)
{
    char expected[64], text[NUMBER_ROOM + 8];
    int n = snprintf(expected, sizeof expected, "%.16g", x);
    memset(text, '#', sizeof text);
    char *end = number_write(&writer, x, text);
    if (end - text != n || memcmp(text, expected, (size_t)n) != 0)
        fail_msg("%.*s instead of %s", (int)(end - text), text, expected);
    assert_true(n < NUMBER_ROOM);
    assert_int_equal(text[NUMBER_ROOM], '#'); // the room is enough for what it touches, too
}

static void check_both(double x)
{
    check(x);
    check(-x);
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void test_edges(void **unused)
{
    (void)unused;
    double edges[] = {0,
                      1,
                      0.1,
                      0.5,
                      1e15,
                      1e16,
                      1e17,
                      1e-4,
                      1e-5,
                      1e-38,
                      1e-39,
                      9.999e-5,
                      DBL_MAX,
                      DBL_MIN,
                      4.9e-324,
                      INFINITY,
                      2.0 / 3,
                      123456789.123456789,
                      0.1 + 0.2,
                      9999999999999998,
                      999999999999999.9,
                      0.00099999999999999999};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        check_both(edges[i]);
        check_both(nextafter(edges[i], 0));
        check_both(nextafter(edges[i], INFINITY));
    }
    for (int k = -45; k < 25; k++) {
        double power = pow(10, k);
        check_both(power);
        check_both(nextafter(power, 0));
        check_both(nextafter(power, INFINITY));
    }
    for (int k = -140; k < 60; k++)
        check_both(ldexp(1, k));
}

// exact halves of the 16th digit go to even
static void test_ties(void **unused)
{
    (void)unused;
    for (int i = 0; i < 1000; i++) {
        check_both(1000000000000000.0 + i + 0.5);
        check_both(100000000000000.0 + i * 0.0625);
        check_both(10000000000000.0 + i * 0.0078125);
    }
}

static void test_random(void **unused)
{
    (void)unused;
    uint64_t state = 88172645463325252u;
    for (int i = 0; i < 300000; i++) {
        uint64_t bits = next_random(&state);
        double any, unit = (double)(bits >> 11) * 0x1p-53;
        memcpy(&any, &bits, sizeof any);
        if (!isnan(any))
            check(any);
        // where results are, and short decimals
        check((unit - 0.5) * pow(10, (int)(bits % 58) - 40));
        check_both((double)(bits % 100000) / 1000);
    }
}

static void test_nan(void **unused)
{
    (void)unused;
    char text[NUMBER_ROOM];
    assert_int_equal(number_write(&writer, -(double)NAN, text) - text, 3);
    assert_memory_equal(text, "nan", 3);
}

int main(void)
{
    number_init(&writer);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_nan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
