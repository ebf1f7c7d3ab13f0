/* test_function.c - the functions of the language against the 80-bit ones of libm, a million points
 * each, their special values, and parameters that must have the same bits. The widths are compared
 * in test_tape.c, where each function is an instruction. */
#include "block/function.h"
#include "help/engine.h"

enum { POINTS = 1000000 };

/* units in the last place of the true value */
static double ulps(double value, long double truth)
{
    double nearest = fabs((double)truth);
    double unit = nextafter(nearest, INFINITY) - nearest;
    return (double)(fabsl((long double)value - truth) / unit);
}

typedef long double Truth(long double);

/* the intervals of a function, and how far it may be from the truth there */
typedef struct Range {
    Function f;
    Truth *truth;
    double low, high, limit;
} Range;

/* 1.6: sums of two rounded numbers; 1.1: one rounded polynomial; 0.6: second numbers were carried
 */
static const Range ranges[] = {
    {FUNCTION_SIN, sinl, -4, 4, 2.5},        {FUNCTION_SIN, sinl, -1e5, 1e5, 2.5},
    {FUNCTION_COS, cosl, -4, 4, 2.5},        {FUNCTION_COS, cosl, -1e5, 1e5, 2.5},
    {FUNCTION_TAN, tanl, -0.8, 0.8, 1.1},    {FUNCTION_TAN, tanl, -1.6, 1.6, 1.1},
    {FUNCTION_TAN, tanl, -1e6, 1e6, 1.1},    {FUNCTION_TAN, tanl, -1e9, 1e9, 1.1},
    {FUNCTION_ASIN, asinl, -1, 1, 0.6},      {FUNCTION_ASIN, asinl, -1e-5, 1e-5, 0.6},
    {FUNCTION_ACOS, acosl, -1, 1, 0.6},      {FUNCTION_ACOS, acosl, 0.999, 1, 0.6},
    {FUNCTION_ATAN, atanl, -1, 1, 0.6},      {FUNCTION_ATAN, atanl, -1e-7, 1e-7, 0.6},
    {FUNCTION_ATAN, atanl, -10, 10, 0.6},    {FUNCTION_ATAN, atanl, -1e10, 1e10, 0.6},
    {FUNCTION_SINH, sinhl, -1, 1, 1.1},      {FUNCTION_SINH, sinhl, -5, 5, 1.6},
    {FUNCTION_SINH, sinhl, -710, 710, 1.6},  {FUNCTION_COSH, coshl, -2, 2, 1.6},
    {FUNCTION_COSH, coshl, -710, 710, 1.6},  {FUNCTION_TANH, tanhl, -0.55, 0.55, 1.1},
    {FUNCTION_TANH, tanhl, -2, 2, 1.6},      {FUNCTION_TANH, tanhl, -30, 30, 1.6},
    {FUNCTION_EXP, expl, -2, 2, 1.1},        {FUNCTION_EXP, expl, -700, 709, 1.1},
    {FUNCTION_LOG, logl, 1e-9, 2, 1.1},      {FUNCTION_LOG, logl, 0.9, 1.1, 1.1},
    {FUNCTION_LOG, logl, 1, 1e15, 1.1},      {FUNCTION_LOG10, log10l, 1e-9, 2, 0.6},
    {FUNCTION_LOG10, log10l, 0.9, 1.1, 0.6}, {FUNCTION_LOG10, log10l, 1, 1e10, 0.6},
};

static void close_to_the_truth(void **state)
{
    (void)state;
    uint64_t seed = 1;
    size_t n = sizeof ranges / sizeof *ranges;
    for (size_t k = 0; k < n; k++) {
        const Range *r = &ranges[k];
        size_t of = 0;
        for (size_t j = 0; j < n; j++)
            of += ranges[j].f == r->f;
        double worst = 0, at = 0;
        for (size_t i = 0; i < POINTS / of; i++) {
            double x = random_between(&seed, r->low, r->high);
            double e = ulps(function_value(r->f, x, 0), r->truth((long double)x));
            if (!(e <= worst)) {
                worst = e;
                at = x;
            }
        }
        print_message("           %-6s %8g to %-8g %.2f ulp\n", function_table[r->f].name, r->low,
                      r->high, worst);
        if (!(worst <= r->limit))
            fail_msg("%s(%.17g) is %g ulp from the truth", function_table[r->f].name, at, worst);
    }
}

static void powers_and_angles(void **state)
{
    (void)state;
    uint64_t seed = 2;
    double worst[4] = {0};
    for (size_t i = 0; i < POINTS / 2; i++) {
        double x = exp(random_between(&seed, -10, 10)), y = random_between(&seed, -30, 30);
        worst[0] = fmax(worst[0], ulps(function_value(FUNCTION_POW, x, y), powl(x, y)));
        x = random_between(&seed, 0.995, 1.005);
        y = random_between(&seed, -5e4, 5e4);
        worst[1] = fmax(worst[1], ulps(function_value(FUNCTION_POW, x, y), powl(x, y)));
        x = random_between(&seed, -1, 1);
        y = random_between(&seed, -1, 1);
        worst[2] = fmax(worst[2], ulps(function_value(FUNCTION_ATAN2, x, y), atan2l(x, y)));
        x *= exp(random_between(&seed, -300, 300));
        y *= exp(random_between(&seed, -300, 300));
        worst[3] = fmax(worst[3], ulps(function_value(FUNCTION_ATAN2, x, y), atan2l(x, y)));
    }
    print_message("           power %.2f, %.2f ulp, atan2 %.2f, %.2f\n", worst[0], worst[1],
                  worst[2], worst[3]);
    assert_true(worst[0] <= 1.1 && worst[1] <= 1.1 && worst[2] <= 0.6 && worst[3] <= 0.6);
    /* powers of whole numbers that are numbers of the machine are exact */
    for (int base = -20; base <= 20; base++) {
        double exact = 1;
        for (int n = 0; fabs(exact) < 0x1p53; n++, exact *= base) {
            if (n > 60)
                break;
            assert_true(function_value(FUNCTION_POW, base, n) == exact);
        }
    }
    assert_true(function_value(FUNCTION_POW, 10, 22) == 1e22);
    assert_true(function_value(FUNCTION_LOG10, 1000, 0) == 3);
    assert_true(function_value(FUNCTION_POW, 3.3, 2) == 3.3 * 3.3);
}

static const double special[] = {
    0,         1,     -1,         2,       -2,    0.5,    -0.5,   3,      -3,   INFINITY,
    -INFINITY, NAN,   5e-324,     1e-308,  1e308, -1e308, 1e-200, 1e154,  2.5,  -2.5,
    1e20,      -1e20, 0x1p53 + 2, 1e6 + 1, 709.9, 745.3,  -745.3, -708.5, 710.4};
enum { SPECIALS = sizeof special / sizeof *special };

/* equal, both not a number, or as near as the rounding of both allows */
static bool agrees(double value, double libm)
{
    return value == libm || (isnan(value) && isnan(libm)) ||
           fabs(value - libm) <= 1e-15 * fabs(libm) ||
           (fabs(libm) < 1e-307 && fabs(value - libm) <= 5e-324);
}

static void special_values(void **state)
{
    (void)state;
    static const struct {
        Function f;
        double (*libm)(double);
    } one[] = {{FUNCTION_ABS, fabs},  {FUNCTION_SQRT, sqrt},   {FUNCTION_SIN, sin},
               {FUNCTION_COS, cos},   {FUNCTION_TAN, tan},     {FUNCTION_ASIN, asin},
               {FUNCTION_ACOS, acos}, {FUNCTION_ATAN, atan},   {FUNCTION_SINH, sinh},
               {FUNCTION_COSH, cosh}, {FUNCTION_TANH, tanh},   {FUNCTION_EXP, exp},
               {FUNCTION_LOG, log},   {FUNCTION_LOG10, log10}, {FUNCTION_FLOOR, floor},
               {FUNCTION_CEIL, ceil}};
    for (size_t k = 0; k < sizeof one / sizeof *one; k++)
        for (int i = 0; i < SPECIALS; i++) {
            double value = function_value(one[k].f, special[i], 0), libm = one[k].libm(special[i]);
            if (!agrees(value, libm))
                fail_msg("%s(%.17g) is %.17g, not %.17g", function_table[one[k].f].name, special[i],
                         value, libm);
        }
    for (int i = 0; i < SPECIALS; i++)
        for (int j = 0; j < SPECIALS; j++) {
            double x = special[i], y = special[j];
            bool nan = isnan(x) || isnan(y);
            double power = function_value(FUNCTION_POW, x, y);
            double angle = function_value(FUNCTION_ATAN2, x, y);
            if (!(nan ? isnan(power) : agrees(power, pow(x, y))))
                fail_msg("%.17g ^ %.17g is %.17g, not %.17g", x, y, power, pow(x, y));
            if (!agrees(angle, atan2(x, y)))
                fail_msg("atan2(%.17g, %.17g) is %.17g, not %.17g", x, y, angle, atan2(x, y));
        }
    /* zeros have no sign */
    assert_true(function_value(FUNCTION_ATAN2, -0.0, -1) == function_value(FUNCTION_ATAN2, 0, -1));
    assert_true(function_value(FUNCTION_SIGN, -3, 0) == -1 &&
                function_value(FUNCTION_SIGN, 0, 0) == 0);
}

static void whole_numbers(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int i = 0; i < 10000; i++) {
        double x = random_between(&seed, -100, 100), y = random_between(&seed, -10, 10);
        if (i % 3 == 0)
            x = floor(x) / 2;
        assert_true(function_value(FUNCTION_FLOOR, x, 0) == floor(x));
        assert_true(function_value(FUNCTION_CEIL, x, 0) == ceil(x));
        assert_true(function_value(FUNCTION_INTEGER, x, 0) == floor(x));
        assert_true(function_value(FUNCTION_DIV, x, y) == trunc(x / y));
        assert_true(function_value(FUNCTION_MOD, x, y) == x - floor(x / y) * y);
        assert_true(function_value(FUNCTION_REM, x, y) == x - trunc(x / y) * y);
        assert_true(function_value(FUNCTION_MIN, x, y) == fmin(x, y));
        assert_true(function_value(FUNCTION_MAX, x, y) == fmax(x, y));
        int32_t a = (int32_t)random_between(&seed, -0x1p31, 0x1p31), b = (int32_t)(a * 0x9e3779b1u);
        assert_true(function_value(FUNCTION_XOR, a, b) == (double)(a ^ b));
        assert_true(function_value(FUNCTION_XOR, INT32_MIN, b) == (double)(INT32_MIN ^ b));
    }
}

static void names(void **state)
{
    (void)state;
    for (int f = 0; f < FUNCTION_COUNT; f++)
        assert_int_equal(function_find(function_table[f].name), f);
    assert_int_equal(function_find("sine"), FUNCTION_COUNT);
    assert_int_equal(function_table[FUNCTION_ATAN2].arity, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(close_to_the_truth),
        cmocka_unit_test(powers_and_angles),
        cmocka_unit_test(special_values),
        cmocka_unit_test(whole_numbers),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
