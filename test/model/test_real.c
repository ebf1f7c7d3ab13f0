/* test_real.c - the functions of real.h against the 80-bit ones of libm, and the same bits for one
 * and two lanes (test_lanes.c compares the wider ones, system by system). */
#include "help/engine.h"

#define REAL_WIDTH 1
#include "help/real_width.h"
#undef REAL_WIDTH
#define REAL_WIDTH 2
#include "help/real_width.h"

enum { N = 200000 };

static double a[N], b[N], out[2 * N], wide[2 * N];

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sine_and_cosine),
        cmocka_unit_test(sine_and_cosine_far_away),
        cmocka_unit_test(not_a_number_stays_one),
        cmocka_unit_test(selection_and_roots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
