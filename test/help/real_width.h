/* real_width.h - real.h at one number of lanes, inside functions that take plain arrays: define
 * REAL_WIDTH and include it, once per width. Widths that the baseline has: 1 and 2. */
#define REAL_PASTE_(a, b) a##_##b
#define REAL_PASTE(a, b)  REAL_PASTE_(a, b)
#define REAL_NAME(name)   REAL_PASTE(name, REAL_WIDTH)

#define real               REAL_NAME(real)
#define mask               REAL_NAME(mask)
#define real_same          REAL_NAME(real_same)
#define real_splat         REAL_NAME(real_splat)
#define real_bits          REAL_NAME(real_bits)
#define real_from_bits     REAL_NAME(real_from_bits)
#define real_select        REAL_NAME(real_select)
#define real_absolute      REAL_NAME(real_absolute)
#define mask_any           REAL_NAME(mask_any)
#define real_fused         REAL_NAME(real_fused)
#define real_fused_anyway  REAL_NAME(real_fused_anyway)
#define fused_two_sum      REAL_NAME(fused_two_sum)
#define fused_halve        REAL_NAME(fused_halve)
#define fused_odd_sum      REAL_NAME(fused_odd_sum)
#define fused_extreme      REAL_NAME(fused_extreme)
#define fused_extremes     REAL_NAME(fused_extremes)
#define fused_software     REAL_NAME(fused_software)
#define real_sqrt          REAL_NAME(real_sqrt)
#define real_round         REAL_NAME(real_round)
#define real_round_product REAL_NAME(real_round_product)
#define real_sincos        REAL_NAME(real_sincos)
#define real_sincos_far    REAL_NAME(real_sincos_far)
#define real_sin           REAL_NAME(real_sin)

#undef LIEDER_REAL_H
#undef LIEDER_LANES
#undef LIEDER_LANE
#undef LIEDER_INLINE
#undef REAL
#undef choose
#undef absolute
#undef minimum
#undef maximum
#undef fused
#undef square_root
#undef sine_cosine
#undef sine
#define LIEDER_LANES REAL_WIDTH
#include <lieder/real.h>

/* n numbers (a multiple of the width) through one function; out holds 2 n for sine_cosine */
typedef enum {
    REAL_NAME(F_SINCOS),
    REAL_NAME(F_SQRT),
    REAL_NAME(F_CHOOSE),
    REAL_NAME(F_FUSED) /* a b + c, where the numbers of c stand behind those of b */
} REAL_NAME(Function);

static void REAL_NAME(apply)(REAL_NAME(Function) f, const double *a, const double *b, double *out,
                             size_t n)
{
    for (size_t i = 0; i < n; i += LIEDER_LANES) {
        real x, y, s, c = real_splat(0.0);
        for (int l = 0; l < LIEDER_LANES; l++) {
            LIEDER_LANE(x, l) = a[i + (size_t)l];
            LIEDER_LANE(y, l) = b[i + (size_t)l];
        }
        switch (f) {
        case REAL_NAME(F_SINCOS):
            sine_cosine(x, &s, &c);
            break;
        case REAL_NAME(F_SQRT):
            s = square_root(x);
            break;
        case REAL_NAME(F_FUSED):
            for (int l = 0; l < LIEDER_LANES; l++)
                LIEDER_LANE(c, l) = b[n + i + (size_t)l];
            s = fused(x, y, c);
            break;
        default: /* |x| where x < y, the smaller of x and 1 elsewhere; and max(x, y) */
            s = choose(x < y, absolute(x), minimum(x, 1.0));
            c = maximum(x, y);
            break;
        }
        for (int l = 0; l < LIEDER_LANES; l++) {
            out[i + (size_t)l] = LIEDER_LANE(s, l);
            out[n + i + (size_t)l] = LIEDER_LANE(c, l);
        }
    }
}

#undef real
#undef mask
#undef real_same
#undef real_splat
#undef real_bits
#undef real_from_bits
#undef real_select
#undef real_absolute
#undef mask_any
#undef real_fused
#undef real_fused_anyway
#undef fused_two_sum
#undef fused_halve
#undef fused_odd_sum
#undef fused_extreme
#undef fused_extremes
#undef fused_software
#undef real_sqrt
#undef real_round
#undef real_round_product
#undef real_sincos
#undef real_sin
#undef REAL_PASTE_
#undef REAL_PASTE
#undef REAL_NAME
