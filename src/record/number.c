/* number.c - doubles as text with 16 significant digits, as %.16g but 6 to 12 times faster.
 *
 * A double is a = m 2^e with m < 2^53. With E the decimal exponent, the digits are
 *
 *     N = round(a 10^k) = round(m 5^k 2^(e+k)),   k = 15 - E,   10^15 <= N < 10^16
 *
 * For 0 <= k <= 55 the power 5^k fits 128 bits, m 5^k fits 192, and what remains is a shift: the
 * result is exact, and halves are rounded to even as in printf. This covers 1e-38 <= a < 1e16.
 * Other numbers, which are rare in results, go through snprintf, whose decimal point depends on the
 * locale of the program and is replaced.
 *
 * Rejected: shortest-digit algorithms (up to 17 digits instead of 16; big tables); long double (64
 * bits are not always there, and valgrind has 53).
 */
#include "record/format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

__extension__ typedef unsigned __int128 u128;

static const uint64_t TEN15 = 1000000000000000u, TEN16 = 10000000000000000u;

void number_init(NumberWriter *w)
{
    u128 power = 1;
    for (int k = 0; k < 56; k++) {
        w->five[k][0] = (uint64_t)power;
        w->five[k][1] = (uint64_t)(power >> 64);
        power *= 5;
    }
}

/* floor(m 5^k 2^(e+k)); part is -1, 0, 1 for a rest below, at, above one half */
static uint64_t scale_decimal(const NumberWriter *w, uint64_t m, int e, int k, int *part)
{
    // the product as (high, low), high with up to 128 bits
    u128 lower = (u128)m * w->five[k][0];
    u128 high = (u128)m * w->five[k][1] + (uint64_t)(lower >> 64);
    uint64_t low = (uint64_t)lower;

    // the shift to the right, and what falls out of it
    int shift = -(e + k);
    *part = -1;
    if (shift <= 0)
        return low << -shift;
    if (shift < 64) {
        uint64_t half = (uint64_t)1 << (shift - 1), rest = low & (2 * half - 1);
        *part = (rest > half) - (rest < half);
        return (uint64_t)(high << (64 - shift)) | low >> shift;
    }
    if (shift == 64) {
        uint64_t half = (uint64_t)1 << 63;
        *part = (low > half) - (low < half);
        return (uint64_t)high;
    }
    u128 half = (u128)1 << (shift - 65), rest = high & (2 * half - 1);
    *part = rest > half || (rest == half && low) ? 1 : rest == half ? 0 : -1;
    return (uint64_t)(high >> (shift - 64));
}

/* eight digits with leading zeros */
static void write_eight(char *to, uint32_t n)
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                                "25262728293031323334353637383940414243444546474849"
                                "50515253545556575859606162636465666768697071727374"
                                "75767778798081828384858687888990919293949596979899";
    for (int i = 6; i >= 0; i -= 2, n /= 100)
        memcpy(to + i, pairs + 2 * (n % 100), 2);
}

/* by snprintf; the decimal point of the locale becomes '.' */
static char *write_slow(double x, char *to)
{
    char text[64];
    snprintf(text, sizeof text, "%.16g", x);
    bool point = false;
    for (const char *c = text; *c; c++) {
        bool plain = (*c >= '0' && *c <= '9') || strchr("+-einfa", *c);
        if (plain || !point)
            *to++ = plain ? *c : '.';
        point |= !plain;
    }
    return to;
}

/* d.ddde-07 */
static char *write_exponential(char *to, const char *digits, int n, int exponent)
{
    *to++ = digits[0];
    if (n > 1) {
        *to++ = '.';
        memcpy(to, digits + 1, (size_t)n - 1);
        to += n - 1;
    }
    *to++ = 'e';
    *to++ = exponent < 0 ? '-' : '+';
    int size = exponent < 0 ? -exponent : exponent;
    *to++ = (char)('0' + size / 10);
    *to++ = (char)('0' + size % 10);
    return to;
}

/* 123.45 or 0.00012345; digits has all 16, of which n count */
static char *write_fixed(char *to, const char *digits, int n, int exponent)
{
    int whole = exponent + 1;
    if (whole <= 0) {
        memcpy(to, "0.0000", 6);
        to += 2 - whole;
        memcpy(to, digits, (size_t)n);
        return to + n;
    }
    memcpy(to, digits, (size_t)whole);
    to += whole;
    if (n > whole) {
        *to++ = '.';
        memcpy(to, digits + whole, (size_t)(n - whole));
        to += n - whole;
    }
    return to;
}

char *number_write(const NumberWriter *w, double x, char *to)
{
    if (isnan(x))
        return (char *)memcpy(to, "nan", 3) + 3;
    double a = fabs(x);
    if (a != 0 && !(a >= 1e-38 && a < 1e16))
        return write_slow(x, to);
    if (signbit(x))
        *to++ = '-';
    if (a == 0) {
        *to++ = '0';
        return to;
    }

    // a = m 2^e
    uint64_t bits;
    memcpy(&bits, &a, sizeof bits);
    uint64_t m = (bits & (((uint64_t)1 << 52) - 1)) | (uint64_t)1 << 52;
    int e = (int)(bits >> 52) - 1075;

    // decimal exponent: floor(log10(2) floor(log2 a)) is right or one too small
    int exponent = ((e + 52) * 315653) >> 20;
    int part;
    uint64_t n = scale_decimal(w, m, e, 15 - exponent, &part);
    if (n >= TEN16)
        n = scale_decimal(w, m, e, 15 - ++exponent, &part);
    n += part > 0 || (part == 0 && (n & 1));
    if (n == TEN16) {
        n = TEN15;
        exponent++;
    }

    // sixteen digits, those that are not trailing zeros
    char digits[16];
    write_eight(digits, (uint32_t)(n / 100000000));
    write_eight(digits + 8, (uint32_t)(n % 100000000));
    int ndigit = 16;
    while (ndigit > 1 && digits[ndigit - 1] == '0')
        ndigit--;

    // the choice that %g makes
    return exponent < -4 || exponent >= 16 ? write_exponential(to, digits, ndigit, exponent)
                                           : write_fixed(to, digits, ndigit, exponent);
}
