/* external_fft.c - the discrete Fourier transform that Modelica.Math.FastFourierTransform calls.
 *
 * Of nu real numbers u, nu even, the spectrum X[k] = sum over i of u[i] exp(-2 pi j i k / nu) at
 * the nf = nu/2 + 1 frequencies from 0 on:
 *
 *   amplitude   |X[k]| / nf, as the function of this name has it; a sine of amplitude 1 gives
 *               nu / (nu + 2)
 *   phase       atan2(Im X[k], Re X[k])
 *
 * Pairs of numbers are the parts of M = nu/2 complex ones, whose spectrum Z is that of u but for
 * one more step (Cooley, Lewis, Welch, The fast Fourier transform algorithm, 1970):
 *
 *   X[k] = E + exp(-2 pi j k / nu) O,   E, O = spectra of the even and of the odd numbers
 *   E = (Z[k] + conj Z[M - k]) / 2,     O = -j (Z[k] - conj Z[M - k]) / 2
 *
 * Z is found by decimation in time for each prime factor of M (Cooley, Tukey, 1965); of an odd
 * factor p the inputs q and p - q are taken together, which halves the products.
 *
 * Numbers may be expressions: what a clause has sampled is not known before the run. The same steps
 * then make the expressions of the spectrum, about 30 for each number and prime factor.
 */
#include "front/external/external.h"

#include <math.h>
#include <string.h>

enum {
    MAX_PRIME = 64,      /* factors of M */
    MAX_SAMPLES = 100000 /* numbers of the signal that are expressions */
};

/* a complex number, whose parts may be expressions */
typedef struct ComplexNumber {
    double re, im;
} ComplexNumber;

static double plus_complex(Front *f, double a, double b)
{
    return is_symbolic(a) || is_symbolic(b) ? symbolic_binary(f, OP_ADD, a, b) : a + b;
}

static double minus(Front *f, double a, double b)
{
    return is_symbolic(a) || is_symbolic(b) ? symbolic_binary(f, OP_SUB, a, b) : a - b;
}

static double times(Front *f, double a, double b)
{
    return is_symbolic(a) || is_symbolic(b) ? symbolic_binary(f, OP_MUL, a, b) : a * b;
}

static double call(Front *f, Function function, double a, double b)
{
    return is_symbolic(a) || is_symbolic(b) ? symbolic_call(f, function, a, b)
                                            : function_value(function, a, b);
}

static ComplexNumber pair_add(Front *f, ComplexNumber a, ComplexNumber b)
{
    return (ComplexNumber){plus_complex(f, a.re, b.re), plus_complex(f, a.im, b.im)};
}

static ComplexNumber pair_subtract(Front *f, ComplexNumber a, ComplexNumber b)
{
    return (ComplexNumber){minus(f, a.re, b.re), minus(f, a.im, b.im)};
}

static ComplexNumber pair_scale(Front *f, ComplexNumber a, double by)
{
    return (ComplexNumber){times(f, a.re, by), times(f, a.im, by)};
}

/* a times exp(-2 pi j k / n); quarters of a turn are exact */
static ComplexNumber pair_turn(Front *f, ComplexNumber a, size_t k, size_t n)
{
    k %= n;
    if (k == 0)
        return a;
    if (4 * k == n)
        return (ComplexNumber){a.im, minus(f, 0, a.re)};
    if (2 * k == n)
        return (ComplexNumber){minus(f, 0, a.re), minus(f, 0, a.im)};
    if (4 * k == 3 * n)
        return (ComplexNumber){minus(f, 0, a.im), a.re};
    double angle = 2 * M_PI * (double)k / (double)n, c = cos(angle), s = sin(angle);
    return (ComplexNumber){plus_complex(f, times(f, a.re, c), times(f, a.im, s)),
                           minus(f, times(f, a.im, c), times(f, a.re, s))};
}

/* the spectrum of p numbers in place, p odd: X[k], X[p - k] = A -+ j B, where A is made of the
 * sums x[q] + x[p - q] and B of the differences */
static void spectrum_of_odd(Front *f, ComplexNumber *x, size_t p)
{
    ComplexNumber sum[MAX_PRIME], difference[MAX_PRIME], first = x[0], all = x[0];
    for (size_t q = 1; q <= p / 2; q++) {
        sum[q] = pair_add(f, x[q], x[p - q]);
        difference[q] = pair_subtract(f, x[q], x[p - q]);
        all = pair_add(f, all, sum[q]);
    }
    x[0] = all;
    for (size_t k = 1; k <= p / 2; k++) {
        ComplexNumber a = first, b = {0, 0};
        for (size_t q = 1; q <= p / 2; q++) {
            double angle = 2 * M_PI * (double)(q * k % p) / (double)p;
            a = pair_add(f, a, pair_scale(f, sum[q], cos(angle)));
            b = pair_add(f, b, pair_scale(f, difference[q], sin(angle)));
        }
        x[k] = (ComplexNumber){plus_complex(f, a.re, b.im), minus(f, a.im, b.re)};
        x[p - k] = (ComplexNumber){minus(f, a.re, b.im), plus_complex(f, a.im, b.re)};
    }
}

static size_t smallest_prime(size_t n)
{
    for (size_t p = 2; p * p <= n; p++)
        if (n % p == 0)
            return p;
    return n;
}

/* the largest prime factor */
static size_t largest_prime(size_t n)
{
    size_t p = 1;
    for (; n > 1; n /= p)
        p = smallest_prime(n);
    return p;
}

/* out: the spectrum of the n numbers in[0], in[apart] ... */
static void transform(Front *f, const ComplexNumber *in, size_t apart, size_t n, ComplexNumber *out)
{
    ComplexNumber x[MAX_PRIME];
    if (n == 1) {
        out[0] = in[0];
        return;
    }
    size_t p = smallest_prime(n), m = n / p;
    for (size_t q = 0; q < p; q++)
        transform(f, in + q * apart, p * apart, m, out + q * m);
    for (size_t k = 0; k < m; k++) {
        for (size_t q = 0; q < p; q++)
            x[q] = pair_turn(f, out[q * m + k], q * k, n);
        if (p == 2) {
            ComplexNumber sum = pair_add(f, x[0], x[1]);
            x[1] = pair_subtract(f, x[0], x[1]);
            x[0] = sum;
        } else {
            spectrum_of_odd(f, x, p);
        }
        for (size_t q = 0; q < p; q++)
            out[q * m + k] = x[q];
    }
}

/* X[k] from the spectrum of the m pairs */
static ComplexNumber unpack(Front *f, const ComplexNumber *z, size_t m, size_t k)
{
    ComplexNumber a = z[k % m], b = z[(m - k) % m], mirrored = {b.re, minus(f, 0, b.im)};
    ComplexNumber even = pair_scale(f, pair_add(f, a, mirrored), 0.5);
    ComplexNumber odd = pair_scale(f, pair_subtract(f, a, mirrored), 0.5);
    ComplexNumber turned = {odd.im, minus(f, 0, odd.re)}; /* times -j */
    return pair_add(f, even, pair_turn(f, turned, k, 2 * m));
}

/* amplitudes and phases of a transform as the outputs of the function */
static bool put_spectrum(ExternalCall *c, const ComplexNumber *z, size_t m)
{
    Front *f = c->f;
    size_t nf = m + 1;
    Value amplitudes = value_array(f, c->span, V_REAL, 1, &nf);
    Value phases = value_array(f, c->span, V_REAL, 1, &nf);
    if (amplitudes.kind == V_NONE || phases.kind == V_NONE)
        return false;
    for (size_t k = 0; k < nf; k++) {
        ComplexNumber x = unpack(f, z, m, k);
        double square = plus_complex(f, times(f, x.re, x.re), times(f, x.im, x.im));
        double length = times(f, call(f, FUNCTION_SQRT, square, 0), 1.0 / (double)nf);
        Value amplitude = value_number(V_REAL, length);
        Value phase = value_number(V_REAL, call(f, FUNCTION_ATAN2, x.im, x.re));
        value_put(&amplitudes, k, &amplitude);
        value_put(&phases, k, &phase);
    }
    c->output[4]->value = amplitudes;
    c->output[5]->value = phases;
    return spend(f, c->span, nf);
}

/* (u, its size, work, its size, amplitudes, phases), result: 0, or 1 where the size is odd */
static bool real_spectrum(ExternalCall *c)
{
    const Value *u = &c->a[0];
    if (c->n != 6 || u->kind != V_REAL || u->ndim != 1 || u->n == 0 || !c->output[4] ||
        !c->output[5])
        return external_fail(c, "a vector of Reals is needed\nsee its declaration");
    if (u->n % 2 || largest_prime(u->n / 2) >= MAX_PRIME || u->n > MAX_SAMPLES)
        return external_fail(c,
                             "a signal of %zu numbers has no spectrum here\ntake an even number "
                             "up to %d whose prime factors are small: 2, 3 and 5",
                             u->n, MAX_SAMPLES);
    size_t m = u->n / 2;
    ComplexNumber *in = scratch_zeroed(c->f, 2 * m * sizeof *in), *out = in ? in + m : NULL;
    if (!in)
        return false;
    for (size_t i = 0; i < m; i++)
        in[i] = (ComplexNumber){value_at(u, 2 * i), value_at(u, 2 * i + 1)};
    transform(c->f, in, 1, m, out);
    c->result = value_number(V_INTEGER, 0);
    return put_spectrum(c, out, m);
}

int fourier_call(ExternalCall *c)
{
    return strcmp(c->name, "ModelicaFFT_kiss_fftr") == 0 ? real_spectrum(c) : -1;
}
