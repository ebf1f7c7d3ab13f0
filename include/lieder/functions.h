/* functions.h - the functions of the modelling language on `real`.
 *
 * They are our own, because libm has no lanes, gives other bits on other machines (it has
 * code for processors with fused multiply-add) and compilers fold calls of it with other bits than
 * the call has. Here every lane does the same IEEE operations in the same order: one sine has
 * one bit pattern in a parameter, in a block, in every width and in generated code.
 *
 *   exponential  logarithm  log10  power  tangent  arc_sine  arc_cosine  arc_tangent
 *   arc_tangent2  hyperbolic sine, cosine, tangent  floor, ceil, trunc, div, mod, rem, sign
 *
 * Method: reduce the argument to a small interval, sum a Taylor polynomial there, and carry what
 * the critical operations lose in a second number: a RealPair stands for hi + lo with |lo| about
 * 2^-53 |hi|. Errors of products and sums are obtained exactly (Dekker 1971, Knuth 1969); no fused
 * multiply-add is needed, so that all machines agree. Measured errors stand in
 * test/block/test_function.c: below 1 ulp for all but cosh (1.1) and sinh, tanh (1.5).
 *
 * Special cases follow IEEE 754 with two exceptions: zeros have no sign, so that the result of
 * atan2 is in (-pi, pi], and a function of NaN is NaN. Infinities and NaN are recognised by their
 * bits, since blocks are compiled with -ffinite-math-only, where a comparison would be folded away.
 */
#ifndef LIEDER_FUNCTIONS_H
#define LIEDER_FUNCTIONS_H

#include <lieder/history.h>
#include <lieder/real.h>

/* ------------------------------------------------------------------ pairs */

typedef struct RealPair {
    real hi, lo;
} RealPair;

/* a + b exactly */
LIEDER_INLINE RealPair pair_sum(real a, real b)
{
    real s = a + b, v = s - a;
    return (RealPair){s, (a - (s - v)) + (b - v)};
}

/* a + b exactly if |a| >= |b| or a = 0 */
LIEDER_INLINE RealPair pair_sum_ordered(real a, real b)
{
    real s = a + b;
    return (RealPair){s, b - (s - a)};
}

/* a b exactly, by halves of 26 bits; for |a|, |b| < 2^996 and products that are normal */
LIEDER_INLINE RealPair pair_product(real a, real b)
{
    real p = a * b, ca = 134217729.0 * a, cb = 134217729.0 * b;
    real ah = ca - (ca - a), bh = cb - (cb - b), al = a - ah, bl = b - bh;
    return (RealPair){p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}

/* a / b to about 100 bits */
LIEDER_INLINE RealPair pair_quotient(RealPair a, RealPair b)
{
    real t = a.hi / b.hi;
    RealPair p = pair_product(t, b.hi);
    return (RealPair){t, (((a.hi - p.hi) - p.lo) + (a.lo - t * b.lo)) / b.hi};
}

LIEDER_INLINE RealPair pair_choose(mask c, RealPair a, RealPair b)
{
    return (RealPair){real_select(c, a.hi, b.hi), real_select(c, a.lo, b.lo)};
}

/* ------------------------------------------------------------------ special values */

#define REAL_INFINITE_BITS 0x7ff0000000000000
#define REAL_NAN_BITS      0x7ff8000000000000

/* a mask like that of a comparison, for one lane too */
LIEDER_INLINE mask mask_full(mask c)
{
#if LIEDER_LANES > 1
    return c;
#else
    return -(mask)(c != 0);
#endif
}

/* the number with these bits where c holds: selected as integers, so that it may be infinite */
LIEDER_INLINE real real_special(mask c, int64_t bits, real otherwise)
{
    mask m = mask_full(c);
    return real_from_bits((m & bits) | (~m & real_bits(otherwise)));
}

LIEDER_INLINE mask real_is_nan(real x)
{
    return mask_full((mask)((real_bits(x) & INT64_MAX) > REAL_INFINITE_BITS));
}

LIEDER_INLINE mask real_is_infinite(real x)
{
    return mask_full((mask)((real_bits(x) & INT64_MAX) == REAL_INFINITE_BITS));
}

#define real_not_a_number_where(c, otherwise) real_special((mask)(c), REAL_NAN_BITS, otherwise)

/* ------------------------------------------------------------------ whole numbers */

/* the nearest integer; numbers from 2^52 on are integers */
LIEDER_INLINE real real_nearest(real x)
{
    real a = real_absolute(x), r = (a + 0x1p52) - 0x1p52;
    r = choose(x < 0.0, -r, r);
    return choose(a < 0x1p52, r, x);
}

LIEDER_INLINE real real_floor(real x)
{
    real r = real_nearest(x);
    return choose(r > x, r - 1.0, r);
}

LIEDER_INLINE real real_ceil(real x)
{
    real r = real_nearest(x);
    return choose(r < x, r + 1.0, r);
}

LIEDER_INLINE real real_trunc(real x)
{
    real r = real_floor(real_absolute(x));
    return choose(x < 0.0, -r, r);
}

/* as the language defines them */
LIEDER_INLINE real real_div(real x, real y)
{
    return real_trunc(x / y);
}

LIEDER_INLINE real real_mod(real x, real y)
{
    return x - real_floor(x / y) * y;
}

LIEDER_INLINE real real_rem(real x, real y)
{
    return x - real_trunc(x / y) * y;
}

/* the bits of two whole numbers from -2^31 to 2^31 - 1, each bit: exactly one of both. Added to 1.5
 * 2^52 a whole number stands in the last bits, its sign in those before; where both signs are the
 * same the result has none. */
LIEDER_INLINE real real_xor(real x, real y)
{
    mask bits = real_bits(x + 0x1.8p52) ^ real_bits(y + 0x1.8p52);
    return real_from_bits(bits ^ 0x4338000000000000) - 0x1.8p52;
}

LIEDER_INLINE real real_sign(real x)
{
    return choose(x > 0.0, 1.0, choose(x < 0.0, -1.0, 0.0));
}

LIEDER_INLINE real real_minimum(real x, real y)
{
    return minimum(x, y);
}

LIEDER_INLINE real real_maximum(real x, real y)
{
    return maximum(x, y);
}

LIEDER_INLINE real real_cos(real x)
{
    real s, c;
    real_sincos(x, &s, &c);
    return c;
}

/* ------------------------------------------------------------------ exponential */

/* 2^n for integer n in [-1022, 1023] */
LIEDER_INLINE real real_power2(mask n)
{
#if LIEDER_LANES > 1
    return real_from_bits((n + 1023) << 52);
#else
    return real_from_bits((mask)((uint64_t)(n + 1023) << 52));
#endif
}

/* 2^-halvings e^(x + low), |low| small: r = x - n ln 2, Taylor to r^13 on |r| <= 0.347, times 2^n
 * in two factors so that the ends of the range come out right; beyond them infinity and zero.
 * precise: what the reduction loses is kept. */
LIEDER_INLINE real real_exp_parts(real x, real low, const int halvings, const int precise)
{
    real y = choose(x < -746.0, -746.0, x);
    y = choose(x > 711.0, 711.0, y);
    mask bits;
    real n = real_round(y * 1.44269504088896340736, &bits);
    real a = y - n * 0x1.62e42fefa38p-1, b = n * 0x1.ef35793c7673p-45;
    real r = a - b;
    if (precise)
        low = low + ((a - r) - b);
    real p = r * (1.0 / 6227020800.0) + 1.0 / 479001600.0;
    p = r * p + 1.0 / 39916800.0;
    p = r * p + 1.0 / 3628800.0;
    p = r * p + 1.0 / 362880.0;
    p = r * p + 1.0 / 40320.0;
    p = r * p + 1.0 / 5040.0;
    p = r * p + 1.0 / 720.0;
    p = r * p + 1.0 / 120.0;
    p = r * p + 1.0 / 24.0;
    p = r * p + 1.0 / 6.0;
    p = r * p + 0.5;
    if (precise) {
        real e = r + r * r * p;
        p = 1.0 + (e + (low + low * e));
    } else {
        p = 1.0 + (r + r * r * p);
    }
    mask k = (bits & 0xffff) - ((bits & 0x8000) << 1); /* n, sign extended from 16 bits */
    k = k - halvings;
    mask k1 = k >> 1;
    p = p * real_power2(k1) * real_power2(k - k1);
    return real_not_a_number_where(real_is_nan(x), p);
}

LIEDER_INLINE real real_exp(real x)
{
    return real_exp_parts(x, x, 0, 0);
}
#define exponential(x) real_exp(REAL(x))

/* ------------------------------------------------------------------ logarithms */

/* |x| = 2^k m with m in [sqrt(1/2), sqrt(2)); returns m. For 0 < |x| < infinity. */
LIEDER_INLINE real real_split(real x, real *k)
{
    mask small = (mask)(x < 0x1p-1022);
    mask bits = real_bits(real_select(small, x * 0x1p54, x)) & INT64_MAX;
    mask over = bits - 0x3fe6a09e667f3bcd, e = over >> 52;
    *k = real_from_bits(e + 0x4338000000000000) - 0x1.8p52;
    *k = choose(small, *k - 54.0, *k);
    return real_from_bits(bits - (over & ~(((int64_t)1 << 52) - 1)));
}

/* the logarithm of x: -infinity for zero, infinity for infinity, NaN for negative numbers and NaN,
 * else y */
LIEDER_INLINE real real_log_ends(real x, real y)
{
    y = real_special((mask)(x == 0.0), (int64_t)(REAL_INFINITE_BITS | (1ull << 63)), y);
    y = real_special(real_is_infinite(x), REAL_INFINITE_BITS, y);
    return real_not_a_number_where(mask_full((mask)(x < 0.0)) | real_is_nan(x), y);
}

/* 1/3 + q/5 + ... + q^9/21 without its first `leave` terms; q <= 0.0295 */
LIEDER_INLINE real real_atanh_sum(real q, const int leave)
{
    real p = q * (1.0 / 23.0) + 1.0 / 21.0;
    p = q * p + 1.0 / 19.0;
    p = q * p + 1.0 / 17.0;
    p = q * p + 1.0 / 15.0;
    p = q * p + 1.0 / 13.0;
    p = q * p + 1.0 / 11.0;
    p = q * p + 1.0 / 9.0;
    p = q * p + 1.0 / 7.0;
    p = q * p + 1.0 / 5.0;
    return leave ? p : q * p + 1.0 / 3.0;
}

/* log m = 2 atanh s, s = f / (2 + f), f = m - 1; with 2 s = f - f^2/2 + s f^2/2 its first term is
 * exact */
LIEDER_INLINE real real_log(real x)
{
    real k, f = real_split(x, &k) - 1.0;
    real s = f / (2.0 + f), q = s * s, half = 0.5 * (f * f);
    real rest = s * (half + 2.0 * (q * real_atanh_sum(q, 0))) + k * 0x1.ef35793c7673p-45;
    return real_log_ends(x, k * 0x1.62e42fefa38p-1 + (f - (half - rest)));
}

/* log x to about 2^-64 of its value, for 0 < x < infinity */
LIEDER_INLINE RealPair real_log_pair(real x)
{
    real k, f = real_split(x, &k) - 1.0;
    RealPair d = pair_sum_ordered(real_splat(2.0), f);
    RealPair s = pair_quotient((RealPair){f, real_splat(0.0)}, d);
    RealPair q = pair_product(s.hi, s.hi);
    q.lo = q.lo + 2.0 * (s.hi * s.lo);
    /* t = 1/3 + q/5 + ..., w = q t, log m = 2 (s + s w) */
    RealPair t = pair_sum_ordered(real_splat(0x1.5555555555555p-2), q.hi * real_atanh_sum(q.hi, 1));
    t.lo = t.lo + 0x1.5555555555555p-56;
    RealPair w = pair_product(q.hi, t.hi);
    w.lo = w.lo + (q.hi * t.lo + q.lo * t.hi);
    RealPair z = pair_product(s.hi, w.hi);
    z.lo = z.lo + (s.hi * w.lo + s.lo * w.hi);
    RealPair m = pair_sum_ordered(s.hi, z.hi);
    m.lo = m.lo + (z.lo + s.lo);
    RealPair y = pair_sum(k * 0x1.62e42fefa38p-1, 2.0 * m.hi);
    y.lo = y.lo + (2.0 * m.lo + k * 0x1.ef35793c7673p-45);
    return pair_sum_ordered(y.hi, y.lo);
}

LIEDER_INLINE real real_log10(real x)
{
    RealPair y = real_log_pair(x), p = pair_product(y.hi, real_splat(0x1.bcb7b1526e50ep-2));
    real z = p.hi + (p.lo + (y.hi * 0x1.95355baaafad3p-57 + y.lo * 0x1.bcb7b1526e50ep-2));
    return real_log_ends(x, z);
}

/* x^y; negative x for whole y only. x^1 is x and x^2 is x x, so that both may be written so. NaN
 * stays NaN, where IEEE 754 has 1 for NaN^0 and 1^NaN. */
LIEDER_INLINE real real_pow(real x, real y)
{
    real ax = real_absolute(x), exponent = choose(y > 0x1p66, 0x1p66, y);
    exponent = choose(y < -0x1p66, -0x1p66, exponent);
    mask end = mask_full((mask)(ax == 0.0)) | real_is_infinite(ax) | real_is_nan(ax);
    RealPair l = real_log_pair(choose(end, 1.0, ax));
    RealPair p = pair_product(exponent, l.hi);
    p.lo = choose(real_absolute(p.hi) < 1000.0, p.lo + exponent * l.lo, 0.0);
    real z = real_exp_parts(p.hi, p.lo, 0, 1);
    /* ends of the range of x: zero or infinite */
    mask zero = mask_full((mask)(ax == 0.0)), down = mask_full((mask)(y < 0.0));
    z = real_special(end, 0, z);
    z = real_special(end & ~(zero ^ down), REAL_INFINITE_BITS, z);
    /* sign */
    mask whole = mask_full((mask)(real_trunc(y) == y)), negative = mask_full((mask)(x < 0.0));
    mask odd = whole & ~mask_full((mask)(real_trunc(0.5 * y) == 0.5 * y));
    z = real_select(negative & odd, -z, z);
    z = real_not_a_number_where(negative & ~whole & ~end, z);
    /* exact ones */
    z = choose(y == 1.0, x, choose(y == 2.0, x * x, z));
    z = choose(mask_full((mask)(y == 0.0)) | mask_full((mask)(x == 1.0)), 1.0, z);
    return real_not_a_number_where(real_is_nan(x) | real_is_nan(y), z);
}

/* ------------------------------------------------------------------ tangent */

/* {x, tangent}: by libm in the lanes where x is large */
static __attribute__((noinline, cold, unused)) void real_tan_far(real all[2])
{
    for (int i = 0; i < LIEDER_LANES; i++)
        if (!(__builtin_fabs(LIEDER_LANE(all[0], i)) <= 1e6))
            LIEDER_LANE(all[1], i) = tan(LIEDER_LANE(all[0], i));
}

/* as in sine_cosine, with what the reduction loses; a quotient of pairs. Polynomials as there. */
LIEDER_INLINE real real_tan(real x)
{
    mask quadrant;
    real n = real_round(x * 0.63661977236758134308, &quadrant);
    RealPair r = pair_sum(x - n * 0x1.921fb544p+0, n * -0x1.0b4611a6p-34);
    r.lo = r.lo - n * 0x1.3198a2e037073p-69;
    r = pair_sum_ordered(r.hi, r.lo);
    real q = r.hi * r.hi, S, C;
    S = q * 0x1.5d9318136495dp-33 - 0x1.ae5e668766e82p-26;
    S = S * q + 0x1.71de357814d5dp-19;
    S = S * q - 0x1.a01a019c1201p-13;
    S = S * q + 0x1.111111110f87dp-7;
    S = S * q - 0x1.5555555555549p-3;
    C = q * -0x1.8faeb6333d309p-37 + 0x1.1ee9ec192f146p-29;
    C = C * q - 0x1.27e4f80a34992p-22;
    C = C * q + 0x1.a01a019cb217dp-16;
    C = C * q - 0x1.6c16c16c15181p-10;
    C = C * q + 0x1.555555555554cp-5;
    /* sin (r + l) = r + (r q S + l), cos (r + l) = 1 - q/2 + (q^2 C - r l - error of q) */
    RealPair s = pair_sum_ordered(r.hi, r.hi * (q * S) + r.lo);
    RealPair square = pair_product(r.hi, r.hi);
    RealPair c = pair_sum_ordered(real_splat(1.0), -0.5 * q);
    c.lo = c.lo + (q * (q * C) - (r.hi * r.lo + 0.5 * square.lo));
    c = pair_sum_ordered(c.hi, c.lo);
    mask odd = mask_full((mask)((quadrant & 1) != 0));
    RealPair t =
        pair_quotient(pair_choose(odd, c, s), pair_choose(odd, (RealPair){-s.hi, -s.lo}, c));
    real y = choose(q < 0x1p-1000, r.hi, t.hi + t.lo); /* products below have no exact error */
    mask far = (mask)(real_absolute(x) > 1e6);
    if (__builtin_expect(mask_any(far), 0)) {
        real all[] = {x, y};
        real_tan_far(all);
        y = all[1];
    }
    return y;
}

/* ------------------------------------------------------------------ arc tangents */

/* atan (y / x) for 0 <= y <= x, x between 2^-900 and 2^900: with c the multiple of 1/4 next to y /
 * x,
 *
 *   atan (y / x) = atan c + atan u,   u = (y - c x) / (x + c y),   |u| <= 1/8
 */
LIEDER_INLINE RealPair real_atan_octant(RealPair y, RealPair x)
{
    mask bits;
    real k = real_round(4.0 * (y.hi / x.hi), &bits), c = 0.25 * k;
    RealPair cx = pair_product(c, x.hi), cy = pair_product(c, y.hi);
    RealPair top = pair_sum(y.hi, -cx.hi), below = pair_sum_ordered(x.hi, cy.hi);
    top.lo = top.lo + ((y.lo - cx.lo) - c * x.lo);
    below.lo = below.lo + ((x.lo + cy.lo) + c * y.lo);
    RealPair u = pair_quotient(top, below);
    u.lo = choose(u.hi * u.hi > 0x1p-900, u.lo, 0.0); /* products below have no exact error */
    real q = u.hi * u.hi;
    real p = q * (1.0 / 21.0) - 1.0 / 19.0;
    p = q * p + 1.0 / 17.0;
    p = q * p - 1.0 / 15.0;
    p = q * p + 1.0 / 13.0;
    p = q * p - 1.0 / 11.0;
    p = q * p + 1.0 / 9.0;
    p = q * p - 1.0 / 7.0;
    p = q * p + 1.0 / 5.0;
    p = q * p - 1.0 / 3.0;
    /* atan 1/4, 1/2, 3/4, 1 */
    mask k1 = (mask)(k == 1.0), k2 = (mask)(k == 2.0), k3 = (mask)(k == 3.0), k4 = (mask)(k == 4.0);
    RealPair a = {choose(k1, 0x1.f5b75f92c80ddp-3, 0.0), choose(k1, 0x1.8ab6e3cf7afbdp-57, 0.0)};
    a.hi = choose(k2, 0x1.dac670561bb4fp-2, a.hi);
    a.lo = choose(k2, 0x1.a2b7f222f65e2p-56, a.lo);
    a.hi = choose(k3, 0x1.4978fa3269ee1p-1, a.hi);
    a.lo = choose(k3, 0x1.2419a87f2a458p-56, a.lo);
    a.hi = choose(k4, 0x1.921fb54442d18p-1, a.hi);
    a.lo = choose(k4, 0x1.1a62633145c07p-55, a.lo);
    RealPair all = pair_sum_ordered(a.hi, u.hi);
    all.lo = all.lo + (a.lo + (u.lo + u.hi * (q * p)));
    return all;
}

/* the angle of (x, y) for pairs; |x| + |y| between 2^-900 and 2^900 or zero */
LIEDER_INLINE real real_angle(RealPair y, RealPair x)
{
    mask left = (mask)(x.hi < 0.0), below = (mask)(y.hi < 0.0);
    x = pair_choose(left, (RealPair){-x.hi, -x.lo}, x);
    y = pair_choose(below, (RealPair){-y.hi, -y.lo}, y);
    mask steep = (mask)(y.hi > x.hi);
    RealPair high = pair_choose(steep, y, x), low = pair_choose(steep, x, y);
    high.hi = choose(high.hi > 0.0, high.hi, 1.0);
    RealPair a = real_atan_octant(low, high);
    /* a, pi/2 - a, pi/2 + a or pi - a */
    mask minus = mask_full(steep) ^ mask_full(left);
    real quarters = choose(steep, 1.0, choose(left, 2.0, 0.0));
    a = pair_choose(minus, (RealPair){-a.hi, -a.lo}, a);
    RealPair all = pair_sum_ordered(quarters * 0x1.921fb54442d18p+0, a.hi);
    real angle = all.hi + (all.lo + (a.lo + quarters * 0x1.1a62633145c07p-54));
    return choose(below, -angle, angle);
}

LIEDER_INLINE real real_atan2(real y, real x)
{
    mask bad = real_is_nan(x) | real_is_nan(y);
    mask wide = real_is_infinite(x), high = real_is_infinite(y);
    /* infinite ones are far beyond finite ones */
    mask any = wide | high;
    real a = real_special(any & ~wide, 0, choose(any, choose(x < 0.0, -1.0, 1.0), x));
    real b = real_special(any & ~high, 0, choose(any, choose(y < 0.0, -1.0, 1.0), y));
    /* into the range of pairs */
    real size = maximum(real_absolute(a), real_absolute(b));
    real scale = choose(size > 0x1p900, 0x1p-200, choose(size < 0x1p-800, 0x1p200, 1.0));
    real zero = real_splat(0.0);
    /* for x > 0 and y / x below 2^-60 the angle is the quotient, which may be subnormal */
    mask flat = mask_full((mask)(a > 0.0)) & mask_full((mask)(real_absolute(b) < a * 0x1p-60));
    b = real_absolute(b);
    real angle = real_angle((RealPair){b * scale, zero}, (RealPair){a * scale, zero});
    angle = real_select(flat, b / choose(flat, a, 1.0), angle);
    return real_not_a_number_where(bad, choose(y < 0.0, -angle, angle));
}
#define arc_tangent2(y, x) real_atan2(REAL(y), REAL(x))

LIEDER_INLINE real real_atan(real x)
{
    return real_atan2(x, real_splat(1.0));
}

/* sqrt (1 - x^2) for |x| <= 1 */
LIEDER_INLINE RealPair real_other_leg(real x)
{
    RealPair p = pair_product(x, x), w = pair_sum_ordered(real_splat(1.0), -p.hi);
    w.lo = w.lo - p.lo;
    w = pair_sum_ordered(w.hi, w.lo);
    real leg = real_sqrt(choose(w.hi > 0.0, w.hi, 0.0));
    RealPair back = pair_product(leg, leg);
    real rest = ((w.hi - back.hi) - back.lo) + w.lo;
    return (RealPair){leg, choose(leg > 0.0, rest / (2.0 * choose(leg > 0.0, leg, 1.0)), 0.0)};
}

LIEDER_INLINE real real_asin(real x)
{
    real a = real_absolute(x);
    mask bad = mask_full((mask)(a > 1.0)) | real_is_nan(x);
    real inside = choose(bad, 0.0, x);
    real y = real_angle((RealPair){inside, real_splat(0.0)}, real_other_leg(inside));
    y = choose(a < 0x1p-30, x, y);
    return real_not_a_number_where(bad, y);
}

LIEDER_INLINE real real_acos(real x)
{
    mask bad = mask_full((mask)(real_absolute(x) > 1.0)) | real_is_nan(x);
    real inside = choose(bad, 0.0, x);
    real y = real_angle(real_other_leg(inside), (RealPair){inside, real_splat(0.0)});
    return real_not_a_number_where(bad, y);
}

/* ------------------------------------------------------------------ hyperbolic functions */

/* e^|x| / 2 + e^-|x| / 2 */
LIEDER_INLINE real real_cosh(real x)
{
    real half = real_exp_parts(real_absolute(x), real_splat(0.0), 1, 1);
    return half + 0.25 / half;
}

/* (sinh x - x) / x^3 as a function of q = x^2 <= 1 */
LIEDER_INLINE real real_sinh_sum(real q)
{
    real p = q * (1.0 / 51090942171709440000.0) + 1.0 / 121645100408832000.0;
    p = q * p + 1.0 / 355687428096000.0;
    p = q * p + 1.0 / 1307674368000.0;
    p = q * p + 1.0 / 6227020800.0;
    p = q * p + 1.0 / 39916800.0;
    p = q * p + 1.0 / 362880.0;
    p = q * p + 1.0 / 5040.0;
    p = q * p + 1.0 / 120.0;
    return q * p + 1.0 / 6.0;
}

/* Taylor polynomial for |x| < 1 */
LIEDER_INLINE real real_sinh(real x)
{
    real a = real_absolute(x), b = choose(a < 1.0, a, 0.0), q = b * b;
    real half = real_exp_parts(a, real_splat(0.0), 1, 1);
    real y = choose(a < 1.0, b + b * (q * real_sinh_sum(q)), half - 0.25 / half);
    return choose(x < 0.0, -y, y);
}

/* quotient of Taylor polynomials for |x| < 0.55, else 1 - 2 / (e^2x + 1) */
LIEDER_INLINE real real_tanh(real x)
{
    real a = real_absolute(x), b = choose(a < 0.55, a, 0.0), q = b * b;
    real C = q * (1.0 / 6402373705728000.0) + 1.0 / 20922789888000.0;
    C = q * C + 1.0 / 87178291200.0;
    C = q * C + 1.0 / 479001600.0;
    C = q * C + 1.0 / 3628800.0;
    C = q * C + 1.0 / 40320.0;
    C = q * C + 1.0 / 720.0;
    C = q * C + 1.0 / 24.0;
    RealPair s = pair_sum_ordered(b, b * (q * real_sinh_sum(q)));
    RealPair c = pair_sum_ordered(real_splat(1.0), 0.5 * q);
    c.lo = c.lo + (q * (q * C) + 0.5 * pair_product(b, b).lo);
    c = pair_sum_ordered(c.hi, c.lo);
    RealPair t = pair_quotient(s, c);
    real near = choose(q < 0x1p-1000, b, t.hi + t.lo);
    real far =
        1.0 -
        2.0 / (real_exp_parts(2.0 * choose(a < 400.0, a, 400.0), real_splat(0.0), 0, 1) + 1.0);
    real y = choose(a < 0.55, near, far);
    y = choose(x < 0.0, -y, y);
    return real_not_a_number_where(real_is_nan(x), y);
}

#endif
