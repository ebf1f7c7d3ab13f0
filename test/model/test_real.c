/* test_real.c - the functions of real.h against the 80-bit ones of libm, and the same bits for one
 * and two lanes (test_lanes.c compares the wider ones, system by system). */
#include "help/engine.h"

#include <float.h>

#define REAL_WIDTH 1
#include "help/real_width.h"
#undef REAL_WIDTH
#define REAL_WIDTH 2
#include "help/real_width.h"

enum { N = 200000 };

static double a[N], b[2 * N], out[2 * N], wide[2 * N]; /* b + N: what is added, for F_FUSED */

/* units in the last place of the true value */
static double ulps(double value, long double truth)
{
    double nearest = fabs((double)truth);
    double unit = nextafter(nearest, INFINITY) - nearest;
    return (double)(fabsl((long double)value - truth) / unit);
}

/* runs both widths, compares bits, leaves the result in out */
static void both(Function_1 f)
{
    apply_1(f, a, b, out, N);
    apply_2((Function_2)f, a, b, wide, N);
    for (size_t i = 0; i < 2 * N; i++)
        if (memcmp(&out[i], &wide[i], sizeof *out) != 0)
            fail_msg("function %d of (%.17g, %.17g): %.17g for one lane, %.17g for two", (int)f,
                     a[i % N], b[i % N], out[i], wide[i]);
}

typedef struct Errors {
    double libm, truth; /* in units in the last place */
} Errors;

static Errors sincos_errors(void)
{
    Errors e = {0};
    both(F_SINCOS_1);
    for (size_t i = 0; i < N; i++) {
        e.libm = fmax(e.libm, fmax(ulps(out[i], sin(a[i])), ulps(out[N + i], cos(a[i]))));
        e.truth = fmax(e.truth, fmax(ulps(out[i], sinl((long double)a[i])),
                                     ulps(out[N + i], cosl((long double)a[i]))));
    }
    return e;
}

static void sine_and_cosine(void **state)
{
    (void)state;
    uint64_t seed = 1;
    random_fill(&seed, a, N, -4, 4);
    Errors e[3];
    e[0] = sincos_errors();
    random_fill(&seed, a, N, -1e5, 1e5);
    e[1] = sincos_errors();
    /* close to the multiples of pi/2, where one of the two vanishes */
    for (size_t i = 0; i < N; i++)
        a[i] = (double)((long double)(i % 60000) * acosl(-1.0L) / 2) +
               random_between(&seed, -1e-8, 1e-8);
    e[2] = sincos_errors();
    for (int k = 0; k < 3; k++) {
        print_message("           %.2f ulp from libm, %.2f from the truth\n", e[k].libm,
                      e[k].truth);
        assert_true(e[k].libm <= 2);
        assert_true(e[k].truth <= 2.5); /* 2 from libm, which is half a unit away itself */
    }
}

/* beyond 1e6 libm takes over; special values */
static void sine_and_cosine_far_away(void **state)
{
    (void)state;
    uint64_t seed = 2;
    random_fill(&seed, a, N, -1e9, 1e9);
    a[0] = 0;
    a[1] = -0.0;
    a[2] = 1e300;
    a[3] = 5e-324;
    both(F_SINCOS_1);
    for (size_t i = 4; i < N; i++) {
        double limit = fabs(a[i]) > 1e6 ? 1 : 2;
        assert_true(ulps(out[i], sinl((long double)a[i])) <= limit);
    }
    assert_true(out[0] == 0 && out[N] == 1 && out[1] == 0 && out[N + 1] == 1);
    assert_true(out[2] == sin(1e300) && out[N + 2] == cos(1e300));
    assert_true(out[3] == 5e-324);
}

static void not_a_number_stays_one(void **state)
{
    (void)state;
    for (size_t i = 0; i < N; i++) {
        a[i] = i % 3 == 0 ? NAN : i % 3 == 1 ? INFINITY : -INFINITY;
        b[i] = 1;
    }
    apply_1(F_SINCOS_1, a, b, out, N);
    for (size_t i = 0; i < 12; i++)
        assert_true(isnan(out[i]) && isnan(out[N + i]));
    apply_2(F_SINCOS_2, a, b, out, N);
    for (size_t i = 0; i < 12; i++)
        assert_true(isnan(out[i]) && isnan(out[N + i]));
}

static void selection_and_roots(void **state)
{
    (void)state;
    uint64_t seed = 5;
    random_fill(&seed, a, N, -2, 2);
    random_fill(&seed, b, N, -2, 2);
    both(F_CHOOSE_1);
    for (size_t i = 0; i < N; i++) {
        assert_true(out[i] == (a[i] < b[i] ? fabs(a[i]) : a[i] < 1 ? a[i] : 1));
        assert_true(out[N + i] == (a[i] > b[i] ? a[i] : b[i]));
    }
    random_fill(&seed, a, N, 0, 1e10);
    both(F_SQRT_1);
    for (size_t i = 0; i < N; i++)
        assert_true(out[i] == sqrt(a[i])); /* IEEE: exactly rounded */
}

/* ------------------------------------------------------------------ fused multiply-add */

/* The baseline has no such instruction, so that these are the formulas of fused.h, and their way
 * through integers beside them; the reference is the one of libm, exactly rounded as well. */
static void compare_fused(const char *what)
{
    both(F_FUSED_1);
    for (size_t i = 0; i < N; i++) {
        double truth = fma(a[i], b[i], b[N + i]), exact = fused_exact(a[i], b[i], b[N + i]);
        bool nan = isnan(truth) && isnan(out[i]) && isnan(exact);
        if (!nan && (memcmp(&out[i], &truth, sizeof truth) || memcmp(&exact, &truth, sizeof truth)))
            fail_msg("%s: %a * %a + %a is %a, not %a, and %a by integers", what, a[i], b[i],
                     b[N + i], truth, out[i], exact);
    }
}

/* random digits and sign, exponent between two powers of two; low: few digits */
static double random_number(uint64_t *seed, int low, int high, bool few)
{
    double digits = random_between(seed, 1, 2), sign = random_between(seed, -1, 1);
    if (few)
        digits = 1 + floor(32 * (digits - 1)) / 32;
    return copysign(ldexp(digits, (int)random_between(seed, low, high + 1)), sign);
}

static void fused_of_random_numbers(void **state)
{
    static const struct {
        const char *what;
        int low, high, low_c, high_c;
    } ranges[] = {{"near one", -4, 4, -8, 8},
                  {"far apart", -60, 60, -120, 120},
                  {"the whole range", -1074, 1023, -1074, 1023},
                  {"tiny products", -560, -490, -1074, -960},
                  {"subnormal results", -600, -470, -1074, -1020},
                  {"huge products", 480, 530, 990, 1023},
                  {"at the limits of the formulas", -410, -390, -900, -780}};
    uint64_t seed = 6;
    (void)state;
    for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++)
        for (int few = 0; few < 2; few++) { /* few digits: ties */
            for (size_t i = 0; i < N; i++) {
                a[i] = random_number(&seed, ranges[k].low, ranges[k].high, few);
                b[i] = random_number(&seed, ranges[k].low, ranges[k].high, few);
                b[N + i] = random_number(&seed, ranges[k].low_c, ranges[k].high_c, few);
            }
            compare_fused(ranges[k].what);
        }
}

/* c is minus the product, or next to it: what is left is what the product has lost */
static void fused_that_cancels(void **state)
{
    uint64_t seed = 7;
    (void)state;
    for (int range = 0; range < 3; range++) {
        int exponent = range == 0 ? 0 : range == 1 ? -505 : 505;
        for (size_t i = 0; i < N; i++) {
            a[i] = random_number(&seed, exponent - 3, exponent + 3, i % 7 == 0);
            b[i] = random_number(&seed, exponent - 3, exponent + 3, i % 7 == 0);
            b[N + i] = -a[i] * b[i];
            for (size_t k = 0; k < i % 4; k++)
                b[N + i] = nextafter(b[N + i], i % 3 ? INFINITY : -INFINITY);
            if (i % 5 == 0)
                b[N + i] *= 0.5;
        }
        compare_fused("cancellation");
    }
}

/* exactly between two numbers, and a little beside: one is decided by the last digit of the other
 */
static void fused_ties(void **state)
{
    uint64_t seed = 8;
    (void)state;
    for (size_t i = 0; i < N; i++) {
        double whole = floor(ldexp(random_between(&seed, 1, 2), 52)); /* 53 digits */
        a[i] = i % 2 ? 0.5 : -0.5;                                    /* half a unit of them */
        b[i] = 1;
        if (i % 3 == 1)
            b[i] = nextafter(1, 0);
        if (i % 3 == 2)
            b[i] = nextafter(1, 2);
        if (i % 5 == 0) { /* beyond the second half of the product */
            a[i] *= 1 + 0x1p-27;
            b[i] = 1 - 0x1p-27;
        }
        b[N + i] = i % 7 ? whole : -whole;
        int scale = i % 11 == 0 ? -1074 - 52 + 20 : 0; /* the same among subnormal numbers */
        b[N + i] = ldexp(b[N + i], scale);
        a[i] = ldexp(a[i], scale / 2);
        b[i] = ldexp(b[i], scale - scale / 2);
    }
    compare_fused("ties");
}

static void fused_of_special_values(void **state)
{
    static const double special[] = {
        0.0,     -0.0,     1,        -1,        5e-324, -5e-324,  0x1p-1022, 0x1p1023,
        DBL_MAX, -DBL_MAX, INFINITY, -INFINITY, NAN,    0x1p-800, 0x1p900,   0x1.fffffffffffffp-1};
    enum { K = sizeof special / sizeof *special };
    (void)state;
    for (size_t i = 0; i < N; i++) {
        a[i] = special[i % K];
        b[i] = special[i / K % K];
        b[N + i] = special[i / K / K % K];
    }
    compare_fused("special values");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sine_and_cosine),
        cmocka_unit_test(sine_and_cosine_far_away),
        cmocka_unit_test(not_a_number_stays_one),
        cmocka_unit_test(selection_and_roots),
        cmocka_unit_test(fused_of_random_numbers),
        cmocka_unit_test(fused_that_cancels),
        cmocka_unit_test(fused_ties),
        cmocka_unit_test(fused_of_special_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
