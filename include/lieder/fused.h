/* fused.h - a b + c with one rounding, in software; included by real.h, at any number of lanes.
 *
 * After Boldo and Melquiond, "Emulation of a FMA and Correctly Rounded Sums: Proved Algorithms
 * Using Rounding to Odd" (IEEE Transactions on Computers 57, 2008): with exact products and sums
 *
 *   u_h + u_l = a b,   t_h + t_l = c + u_l,   v_h + v_l = u_h + t_h,   a b + c = v_h + (t_l + v_l),
 *
 * and the last sum is right if t_l + v_l is rounded to odd: away from an even last digit wherever a
 * digit is lost. That needs products and numbers far from the ends of the range; others are
 * computed with integers (fused_exact), as are infinities and NaN. All decisions are made on bits,
 * so that the result is the same if blocks are compiled as if every number were finite. */

#ifndef LIEDER_REAL_H
#include <lieder/real.h> /* which includes this where it is needed */
#else

/* ------------------------------------------------------------------ one number, by integers */

#ifndef LIEDER_FUSED_EXACT
#define LIEDER_FUSED_EXACT

typedef unsigned __int128 fused_wide;

/* magnitude m 2^e, the highest digit of m at FUSED_TOP */
typedef struct FusedNumber {
    fused_wide m;
    int e, negative;
} FusedNumber;
enum { FUSED_TOP = 125 };

static __attribute__((unused)) uint64_t fused_bits(double x)
{
    uint64_t bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits;
}

static __attribute__((unused)) double fused_double(uint64_t bits)
{
    double x;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}

static __attribute__((unused)) int fused_length(fused_wide m)
{
    uint64_t high = (uint64_t)(m >> 64);
    return high ? 128 - __builtin_clzll(high) : m ? 64 - __builtin_clzll((uint64_t)m) : 0;
}

static __attribute__((unused)) FusedNumber fused_number(fused_wide m, int e, int negative)
{
    int shift = FUSED_TOP + 1 - fused_length(m);
    return (FusedNumber){m << shift, e - shift, negative};
}

/* 53 digits and the exponent of the last one; not for infinities and NaN */
static __attribute__((unused)) uint64_t fused_split(uint64_t bits, int *e)
{
    int exponent = (int)(bits >> 52 & 0x7ff);
    uint64_t digits = bits & 0xfffffffffffff;
    *e = (exponent ? exponent : 1) - 1075;
    return exponent ? digits | 1ull << 52 : digits;
}

/* nearest double of (-1)^negative m 2^e, m > 0, ties to even; the lowest digit of m may stand for
 * more that was cut off, if m has more than 60 digits */
static __attribute__((unused)) double fused_round(fused_wide m, int e, int negative)
{
    int last = e + fused_length(m) - 53; /* exponent of the last digit that is kept */
    if (last < -1074)
        last = -1074;
    int shift = last - e;
    uint64_t digits, sign = (uint64_t)negative << 63;
    if (shift > 127) {
        return fused_double(sign);
    } else if (shift <= 0) {
        digits = (uint64_t)(m << -shift);
    } else {
        fused_wide half = (fused_wide)1 << (shift - 1), rest = m & ((half << 1) - 1);
        digits = (uint64_t)(m >> shift);
        digits += rest > half || (rest == half && (digits & 1));
    }
    /* the implicit digit adds one to the exponent, or none to that of subnormal numbers */
    uint64_t bits = ((uint64_t)(last + 1074) << 52) + digits;
    if (bits >> 52 >= 0x7ff)
        bits = 0x7ffull << 52;
    return fused_double(sign | bits);
}

static __attribute__((noinline, cold, unused)) double fused_exact(double a, double b, double c)
{
    const uint64_t infinity = 0x7ffull << 52, most = ~0ull >> 1;
    uint64_t A = fused_bits(a), B = fused_bits(b), C = fused_bits(c);
    int finite = (A & infinity) != infinity && (B & infinity) != infinity;
    if (!finite || (A & most) == 0 || (B & most) == 0)
        return a * b + c;
    if ((C & infinity) == infinity)
        return c;
    int ea, eb, ec;
    fused_wide product = (fused_wide)fused_split(A, &ea) * fused_split(B, &eb);
    fused_wide digits = fused_split(C, &ec);
    FusedNumber x = fused_number(product, ea + eb, (int)((A ^ B) >> 63));
    if (digits == 0)
        return fused_round(x.m, x.e, x.negative);
    FusedNumber y = fused_number(digits, ec, (int)(C >> 63));
    if (x.e < y.e || (x.e == y.e && x.m < y.m)) {
        FusedNumber other = x;
        x = y;
        y = other;
    }
    /* the smaller one to the exponent of the larger; what is cut off leaves a digit */
    int shift = x.e - y.e;
    fused_wide moved = shift > 127 ? 0 : y.m >> shift;
    if (shift > 127 || (shift > 0 && (y.m & (((fused_wide)1 << shift) - 1))))
        moved |= 1;
    fused_wide sum = x.negative == y.negative ? x.m + moved : x.m - moved;
    return sum ? fused_round(sum, x.e, x.negative) : 0.0;
}
#endif

/* ------------------------------------------------------------------ lanes */

/* a + b = *high + the result, exactly */
LIEDER_INLINE real fused_two_sum(real a, real b, real *high)
{
    real s = a + b, from_b = s - a, from_a = s - from_b;
    *high = s;
    return (a - from_a) + (b - from_b);
}

/* a number of 53 digits as two of 26 */
LIEDER_INLINE real fused_halve(real x, real *high)
{
    real t = x * 134217729.0, d = t - x;
    *high = t - d;
    return x - *high;
}

/* a + b rounded to odd */
LIEDER_INLINE real fused_odd_sum(real a, real b)
{
    real s, e = fused_two_sum(a, b, &s);
    mask S = real_bits(s), E = real_bits(e);
    /* a digit was lost and the last one is even: one digit towards what was lost */
    mask lost = (mask)((E & INT64_MAX) != 0) & (mask)((S & 1) == 0);
#if LIEDER_LANES == 1
    lost = -lost; /* comparisons give 1, those of vectors -1 */
#endif
    mask down = (S ^ E) >> 63;
    return real_from_bits(S + (lost & (down | 1)));
}

/* whether the formulas hold: no number near the ends of the range, unless the product is zero */
LIEDER_INLINE mask fused_extreme(real a, real b, real c, real product)
{
    const int64_t e = 0x7ff0000000000000;
    mask A = real_bits(a) & e, B = real_bits(b) & e, C = real_bits(c) & e,
         P = real_bits(product) & e;
    const int64_t most = (int64_t)(1023 + 900) << 52, least = (int64_t)(1023 - 800) << 52;
    mask none = (mask)((real_bits(a) & INT64_MAX) == 0) | (mask)((real_bits(b) & INT64_MAX) == 0);
    mask large = (mask)(A > most) | (mask)(B > most) | (mask)(C > most) | (mask)(P > most);
    mask small = (mask)(P < least) & ~none;
    return large | small;
}

static __attribute__((noinline, cold, unused)) void fused_extremes(real all[4], mask extreme)
{
    for (int i = 0; i < LIEDER_LANES; i++)
        if (LIEDER_LANE(extreme, i))
            LIEDER_LANE(all[3], i) =
                fused_exact(LIEDER_LANE(all[0], i), LIEDER_LANE(all[1], i), LIEDER_LANE(all[2], i));
}

static __attribute__((noinline, unused)) real fused_software(real a, real b, real c)
{
    real uh = a * b, ul, th, tl, vh, vl, ah, bh;
    real al = fused_halve(a, &ah), bl = fused_halve(b, &bh);
    ul = ((ah * bh - uh) + ah * bl + al * bh) + al * bl;
    tl = fused_two_sum(c, ul, &th);
    vl = fused_two_sum(uh, th, &vh);
    real y = vh + fused_odd_sum(tl, vl);
    /* a product of zero keeps the sign of zeros right */
    y = real_select((mask)(uh == 0.0), uh + c, y);
    mask extreme = fused_extreme(a, b, c, uh);
    if (__builtin_expect(mask_any(extreme), 0)) {
        real all[] = {a, b, c, y};
        fused_extremes(all, extreme);
        y = all[3];
    }
    return y;
}

#endif
