/* real.h - the number type of component blocks, and functions on it.
 *
 * A `real` holds the same variable of LIEDER_LANES equal subsystems side by side: one (a plain
 * double), two, four or eight. It adds, multiplies and compares like a double, mixes with
 * double constants, and cannot be used in an `if`: use choose instead. So one block source
 * serves one instance and many, and every lane does the same IEEE operations in the same
 * order: compiled without contraction (-ffp-contract=off, as lieder.pc asks) all widths give
 * the same bits.
 *
 *   choose(a < b, x, y)   x where a < b, else y       minimum, maximum, absolute
 *   fused(a, b, c)        a b + c, rounded once, on every machine (fused.h)
 *   square_root, sine_cosine; the other functions stand in functions.h
 *
 * Sine and cosine are our own, because libm has no lanes and libmvec other bits and four ulps:
 * argument reduction to a small interval, then a polynomial; measured errors against libm are at
 * most 2 ulp (test/model/test_real.c).
 */
#ifndef LIEDER_REAL_H
#define LIEDER_REAL_H

#include <math.h>
#include <stdint.h>
#ifdef __AVX512F__ /* a slow header; elsewhere two builtins are enough */
#include <immintrin.h>
#endif

#ifndef LIEDER_LANES
#if defined __AVX512F__
#define LIEDER_LANES 8
#elif defined __AVX2__
#define LIEDER_LANES 4
#else
#define LIEDER_LANES 2
#endif
#endif

#if LIEDER_LANES > 1
typedef double real __attribute__((vector_size(8 * LIEDER_LANES)));
typedef int64_t mask __attribute__((vector_size(8 * LIEDER_LANES)));
#define LIEDER_LANE(x, i) ((x)[i])
#else
typedef double real;
typedef int64_t mask;
#define LIEDER_LANE(x, i) (*(&(x) + (i)))
#endif

#define LIEDER_INLINE static inline __attribute__((always_inline, unused))

/* ------------------------------------------------------------------ constants into lanes */

LIEDER_INLINE real real_same(real x)
{
    return x;
}

LIEDER_INLINE real real_splat(double x)
{
#if LIEDER_LANES == 16
    return (real){x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x};
#elif LIEDER_LANES == 8
    return (real){x, x, x, x, x, x, x, x};
#elif LIEDER_LANES == 4
    return (real){x, x, x, x};
#elif LIEDER_LANES == 2
    return (real){x, x};
#else
    return x;
#endif
}

#if LIEDER_LANES > 1 && defined __cplusplus
extern "C++" { /* overloads, wherever the header is included */
LIEDER_INLINE real real_of(real x)
{
    return x;
}
LIEDER_INLINE real real_of(double x)
{
    return real_splat(x);
}
}
#define REAL(x) real_of(x)
#elif LIEDER_LANES > 1
#define REAL(x) _Generic((x), real : real_same, default : real_splat)(x)
#else
#define REAL(x) ((real)(x))
#endif

/* ------------------------------------------------------------------ selection */

LIEDER_INLINE mask real_bits(real x)
{
    union {
        real r;
        mask m;
    } u = {.r = x};
    return u.m;
}

LIEDER_INLINE real real_from_bits(mask x)
{
    union {
        mask m;
        real r;
    } u = {.m = x};
    return u.r;
}

LIEDER_INLINE real real_select(mask c, real x, real y)
{
#if LIEDER_LANES > 1
    return real_from_bits((c & real_bits(x)) | (~c & real_bits(y)));
#else
    return c ? x : y;
#endif
}
#define choose(condition, x, y) real_select((mask)(condition), REAL(x), REAL(y))

LIEDER_INLINE real real_absolute(real x)
{
#if LIEDER_LANES > 1
    return real_from_bits(real_bits(x) & INT64_MAX);
#else
    return __builtin_fabs(x);
#endif
}
#define absolute(x)   real_absolute(REAL(x))
#define minimum(x, y) choose(REAL(x) < REAL(y), x, y)
#define maximum(x, y) choose(REAL(x) > REAL(y), x, y)

/* true if any lane is set */
LIEDER_INLINE int mask_any(mask m)
{
#if LIEDER_LANES == 8 && defined __AVX512F__
    return _mm512_test_epi64_mask((__m512i)m, (__m512i)m) != 0;
#elif LIEDER_LANES == 4 && defined __AVX__
    typedef long long m256 __attribute__((vector_size(32)));
    return !__builtin_ia32_ptestz256((m256)m, (m256)m);
#elif LIEDER_LANES == 16 && defined __AVX512F__
    union {
        mask m;
        __m512i part[2];
    } u = {.m = m};
    __m512i either = _mm512_or_si512(u.part[0], u.part[1]);
    return _mm512_test_epi64_mask(either, either) != 0;
#elif LIEDER_LANES > 4 && defined __AVX__
    typedef long long m256 __attribute__((vector_size(32)));
    union {
        mask m;
        m256 part[LIEDER_LANES / 4];
    } u = {.m = m};
    m256 either = u.part[0];
    for (int i = 1; i < LIEDER_LANES / 4; i++)
        either |= u.part[i];
    return !__builtin_ia32_ptestz256(either, either);
#elif LIEDER_LANES == 2 && defined __SSE2__
    return __builtin_ia32_movmskpd((real)m) != 0;
#elif LIEDER_LANES > 1
    int64_t any = 0;
    for (int i = 0; i < LIEDER_LANES; i++)
        any |= m[i];
    return any != 0;
#else
    return m != 0;
#endif
}

/* ------------------------------------------------------------------ fused multiply-add */

#include <lieder/fused.h>

/* a b + c by the instruction, or by the software of fused.h where the compiler may not use it */
LIEDER_INLINE real real_fused_anyway(real a, real b, real c)
{
#ifndef __FMA__
    return fused_software(a, b, c);
#elif LIEDER_LANES == 1
    return __builtin_fma(a, b, c);
#elif LIEDER_LANES == 2
    return __builtin_ia32_vfmaddpd(a, b, c);
#elif LIEDER_LANES == 4
    return __builtin_ia32_vfmaddpd256(a, b, c);
#else
#ifdef __AVX512F__
    typedef __m512d part;
#define LIEDER_FUSED_PART _mm512_fmadd_pd
#else
    typedef double part __attribute__((vector_size(32)));
#define LIEDER_FUSED_PART __builtin_ia32_vfmaddpd256
#endif
    union parts {
        real r;
        part of[sizeof(real) / sizeof(part)];
    } x = {.r = a}, y = {.r = b}, z = {.r = c};
    for (unsigned i = 0; i < sizeof(real) / sizeof(part); i++)
        z.of[i] = LIEDER_FUSED_PART(x.of[i], y.of[i], z.of[i]);
    return z.r;
#undef LIEDER_FUSED_PART
#endif
}

/* Products that the compiler knows to be zero are left out, which changes no bit; kernels.inc
 * depends on it, since it runs the linear blocks on unit inputs. clang does so by itself where it
 * has the instruction. */
LIEDER_INLINE real real_fused(real a, real b, real c)
{
#if !defined __clang__ || !defined __FMA__
    real product = a * b;
    int zero = LIEDER_LANE(product, 0) == 0.0;
#pragma GCC unroll 16
    for (int i = 1; i < LIEDER_LANES; i++)
        zero &= LIEDER_LANE(product, i) == 0.0;
    if (__builtin_constant_p(zero) && zero)
        return c;
#endif
    return real_fused_anyway(a, b, c);
}
#define fused(a, b, c) real_fused(REAL(a), REAL(b), REAL(c))

/* ------------------------------------------------------------------ functions */

LIEDER_INLINE real real_sqrt(real x)
{
#if LIEDER_LANES == 8 && defined __AVX512F__
    return (real)_mm512_sqrt_pd((__m512d)x);
#elif LIEDER_LANES == 4 && defined __AVX__
    return __builtin_ia32_sqrtpd256(x);
#elif LIEDER_LANES > 4 && defined __AVX__
    typedef double d256 __attribute__((vector_size(32)));
    union {
        real r;
        d256 part[LIEDER_LANES / 4];
    } u = {.r = x};
    for (int i = 0; i < LIEDER_LANES / 4; i++)
        u.part[i] = __builtin_ia32_sqrtpd256(u.part[i]);
    return u.r;
#elif LIEDER_LANES == 2 && defined __SSE2__
    return __builtin_ia32_sqrtpd(x);
#else
    for (int i = 0; i < LIEDER_LANES; i++)
        LIEDER_LANE(x, i) = __builtin_sqrt(LIEDER_LANE(x, i));
    return x;
#endif
}
#define square_root(x) real_sqrt(REAL(x))

/* the integer nearest to a b, for |a b| < 2^51, as a real; its low bits as integers in *bits */
LIEDER_INLINE real real_round_product(real a, double b, mask *bits)
{
    const double magic = 0x1.8p52;
    real shifted = fused(a, b, magic);
    *bits = real_bits(shifted);
    return shifted - magic;
}

/* the same for b = 1 */
LIEDER_INLINE real real_round(real x, mask *bits)
{
    const double magic = 0x1.8p52;
    real shifted = x + magic;
    *bits = real_bits(shifted);
    return shifted - magic;
}

/* {x, sine, cosine}: by libm in the lanes where x is large or not a number */
static __attribute__((noinline, cold, unused)) void real_sincos_far(real all[3])
{
    for (int i = 0; i < LIEDER_LANES; i++)
        if (!(__builtin_fabs(LIEDER_LANE(all[0], i)) <= 1e6)) {
            LIEDER_LANE(all[1], i) = sin(LIEDER_LANE(all[0], i));
            LIEDER_LANE(all[2], i) = cos(LIEDER_LANE(all[0], i));
        }
}

/* sine and cosine together. Reduction: r = x - n pi/2 with pi/2 in parts of 53, 33 and 53 bits, of
 * which the second is exact for |n| < 2^20; beyond |x| = 1e6 libm takes over lane by lane. On
 * |r| <= pi/4, with q = r^2,
 *
 *   sin r = r + r q S(q),   cos r = (1 - q/2) + q^2 C(q)
 *
 * where S and C are minimax polynomials of degree 5 (Remez), 3.4e-18 and 4.7e-20 from the truth,
 * summed in pairs because a processor waits less that way than in Horner's. */
LIEDER_INLINE void real_sincos(real x, real *sine, real *cosine)
{
    mask quadrant;
    real n = real_round_product(x, 0.63661977236758134308, &quadrant);
    real r = fused(n, -0x1.921fb54442d18p+0, x);
    r = fused(n, -0x1.1a626331p-54, r);
    r = fused(n, -0x1.1701b839a252p-88, r);
    real q = r * r, q2 = q * q;
    real S = fused(q, 0x1.5d9318136495dp-33, -0x1.ae5e668766e82p-26);
    real C = fused(q, -0x1.8faeb6333d309p-37, 0x1.1ee9ec192f146p-29);
    S = fused(S, q2, fused(q, 0x1.71de357814d5dp-19, -0x1.a01a019c1201p-13));
    C = fused(C, q2, fused(q, -0x1.27e4f80a34992p-22, 0x1.a01a019cb217dp-16));
    S = fused(S, q2, fused(q, 0x1.111111110f87dp-7, -0x1.5555555555549p-3));
    C = fused(C, q2, fused(q, -0x1.6c16c16c15181p-10, 0x1.555555555554cp-5));
    real s = fused(r, q * S, r);
    real c = fused(q2, C, fused(q, -0.5, 1.0));
    /* odd quadrants swap; the signs are bit 1 of n, and bit 1 of n + 1 */
#if LIEDER_LANES > 1
    mask odd = quadrant << 63, upper = quadrant << 62;
    const mask sign = ((mask)(x != x) & 0) | INT64_MIN;
    *sine = real_from_bits(real_bits(real_select((mask)(odd < 0), c, s)) ^ (upper & sign));
    *cosine =
        real_from_bits(real_bits(real_select((mask)(odd < 0), s, c)) ^ ((upper ^ odd) & sign));
#else
    static const double sign[] = {1, 1, -1, -1, 1}; /* ready long before s and c are */
    *sine = sign[quadrant & 3] * (quadrant & 1 ? c : s);
    *cosine = sign[(quadrant & 3) + 1] * (quadrant & 1 ? s : c);
#endif
    mask far = (mask)(real_absolute(x) > 1e6);
    if (__builtin_expect(mask_any(far), 0)) {
        real all[] = {x, *sine, *cosine}; /* copies, so that those above stay in registers */
        real_sincos_far(all);
        *sine = all[1];
        *cosine = all[2];
    }
}
#define sine_cosine(x, s, c) real_sincos(REAL(x), s, c)

LIEDER_INLINE real real_sin(real x)
{
    real s, c;
    real_sincos(x, &s, &c);
    return s;
}
#define sine(x) real_sin(REAL(x))

#endif
