/* unit.c - do two unit texts mean the same quantity?
 *
 * A unit is a product of symbols with whole exponents and at most one division: "N.m/rad",
 * "kg.m2/(s.K)", "rad/s2". It is turned into exponents of m, kg, s, A, K, mol, cd and a factor;
 * rad counts as a number, so "N.m/rad" and "N.m" agree. What is not understood agrees with all:
 * a check must not complain about what it does not know.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "front/instance/semantic.h"

enum { BASES = 7 };

typedef struct Unit {
    double factor;
    int power[BASES]; /* m kg s A K mol cd */
} Unit;

static const struct {
    const char *name;
    Unit unit;
} known[] = {
    {"m", {1, {1}}},
    {"g", {1e-3, {0, 1}}},
    {"s", {1, {0, 0, 1}}},
    {"A", {1, {0, 0, 0, 1}}},
    {"K", {1, {0, 0, 0, 0, 1}}},
    {"mol", {1, {0, 0, 0, 0, 0, 1}}},
    {"cd", {1, {0, 0, 0, 0, 0, 0, 1}}},
    {"rad", {1, {0}}},
    {"deg", {0.017453292519943295, {0}}},
    {"N", {1, {1, 1, -2}}},
    {"J", {1, {2, 1, -2}}},
    {"W", {1, {2, 1, -3}}},
    {"Pa", {1, {-1, 1, -2}}},
    {"bar", {1e5, {-1, 1, -2}}},
    {"Hz", {1, {0, 0, -1}}},
    {"C", {1, {0, 0, 1, 1}}},
    {"V", {1, {2, 1, -3, -1}}},
    {"Ohm", {1, {2, 1, -3, -2}}},
    {"S", {1, {-2, -1, 3, 2}}},
    {"F", {1, {-2, -1, 4, 2}}},
    {"H", {1, {2, 1, -2, -2}}},
    {"Wb", {1, {2, 1, -2, -1}}},
    {"T", {1, {0, 1, -2, -1}}},
    {"min", {60, {0, 0, 1}}},
    {"h", {3600, {0, 0, 1}}},
    {"d", {86400, {0, 0, 1}}},
    {"l", {1e-3, {3}}},
    {"t", {1e3, {0, 1}}},
};

static double prefix_factor(char c)
{
    static const char letters[] = "yzafpnumcdhkMGTPEZY";
    static const int powers[] = {-24, -21, -18, -15, -12, -9, -6, -3, -2, -1,
                                 2,   3,   6,   9,   12,  15, 18, 21, 24};
    const char *at = c ? strchr(letters, c) : NULL;
    return at ? pow(10, powers[at - letters]) : 0;
}

/* a unit with or without a prefix; false: it is not known */
static bool find_symbol(const char *name, size_t n, Unit *unit)
{
    for (int prefix = 0; prefix < 2; prefix++) {
        double factor = prefix ? prefix_factor(name[0]) : 1;
        if (factor == 0 || n <= (size_t)prefix)
            continue;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            if (strlen(known[i].name) == n - (size_t)prefix &&
                memcmp(known[i].name, name + prefix, n - (size_t)prefix) == 0) {
                *unit = known[i].unit;
                unit->factor *= factor;
                return true;
            }
    }
    return false;
}

/* factors = symbol [exponent] { "." symbol [exponent] } */
static bool read_factors(const char **text, int sign, Unit *sum, int depth)
{
    const char *p = *text;
    for (;;) {
        if (*p == '(' && depth < 4) {
            p++;
            if (!read_factors(&p, sign, sum, depth + 1) || *p++ != ')')
                return false;
        } else if (*p == '1' && !isdigit((unsigned char)p[1])) {
            p++;
        } else {
            size_t n = 0;
            while (isalpha((unsigned char)p[n]))
                n++;
            Unit unit;
            if (n == 0 || !find_symbol(p, n, &unit))
                return false;
            p += n;
            int power = 0, minus = *p == '-';
            if (*p == '-' || *p == '+')
                p++;
            while (isdigit((unsigned char)*p) && power < 100)
                power = 10 * power + (*p++ - '0');
            power = sign * (minus ? -power : power == 0 ? 1 : power);
            sum->factor *= pow(unit.factor, power);
            for (int i = 0; i < BASES; i++)
                sum->power[i] += unit.power[i] * power;
        }
        if (*p != '.')
            break;
        p++;
    }
    *text = p;
    return true;
}

static bool read_unit(const char *text, Unit *unit)
{
    *unit = (Unit){.factor = 1};
    if (!read_factors(&text, 1, unit, 0))
        return false;
    if (*text == '/') {
        text++;
        if (!read_factors(&text, -1, unit, 0))
            return false;
    }
    return *text == '\0';
}

bool unit_is_text(const char *text)
{
    int depth = 0;
    bool operand = true, divided = false; /* is one expected? */
    for (const char *p = text; *p;) {
        size_t n = strcspn(p, "().*/+-0123456789 ^");
        if (operand && *p == '(') {
            depth++;
            p++;
        } else if (operand && (n > 0 || *p == '1')) {
            p += n ? n : strspn(p, "10");
            p += n && (*p == '-' || *p == '+') && isdigit((unsigned char)p[1]);
            p += n ? strspn(p, "0123456789") : 0;
            operand = false;
        } else if (!operand && *p == ')' && depth > 0) {
            depth--;
            p++;
        } else if (!operand && (*p == '.' || (*p == '/' && !(divided && depth == 0)))) {
            divided |= *p++ == '/';
            operand = true;
        } else {
            return false;
        }
    }
    return depth == 0 && !operand;
}

bool unit_differs(const char *a, const char *b)
{
    Unit ua, ub;
    if (strcmp(a, b) == 0 || !read_unit(a, &ua) || !read_unit(b, &ub))
        return false;
    return memcmp(ua.power, ub.power, sizeof ua.power) != 0 ||
           fabs(ua.factor - ub.factor) > 1e-9 * fabs(ua.factor);
}

bool unit_agrees(const char *a, const char *b)
{
    Unit ua, ub;
    return strcmp(a, b) == 0 || (read_unit(a, &ua) && read_unit(b, &ub) && !unit_differs(a, b));
}

bool unit_converts(const char *a, const char *b)
{
    Unit ua, ub;
    return !read_unit(a, &ua) || !read_unit(b, &ub) ||
           memcmp(ua.power, ub.power, sizeof ua.power) == 0;
}

/* "N" for {1, 1, -2}, "m.kg/s3" where nobody has given it a name */
static const char *unit_text(Front *f, const Unit *unit)
{
    static const char *const bases[BASES] = {"m", "kg", "s", "A", "K", "mol", "cd"};
    char text[120] = "";
    size_t at = 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].unit.factor == 1 && strcmp(known[i].name, "rad") != 0 &&
            memcmp(known[i].unit.power, unit->power, sizeof unit->power) == 0)
            return known[i].name;
    int below = 0;
    for (int i = 0; i < BASES; i++)
        below += unit->power[i] < 0;
    for (int sign = 1; sign >= -1; sign -= 2) {
        size_t begin = at;
        for (int i = 0; i < BASES; i++) {
            int power = sign * unit->power[i];
            if (power <= 0)
                continue;
            const char *before = at > begin ? "." : sign > 0 ? "" : below > 1 ? "/(" : "/";
            if (at == 0 && sign < 0)
                at += (size_t)snprintf(text, sizeof text, "1");
            at += (size_t)snprintf(text + at, sizeof text - at, "%s%s", before, bases[i]);
            if (power != 1)
                at += (size_t)snprintf(text + at, sizeof text - at, "%d", power);
        }
    }
    if (below > 1)
        at += (size_t)snprintf(text + at, sizeof text - at, ")");
    return at ? arena_text(&f->work, text, at) : "1";
}

const char *unit_times(Front *f, const char *a, const char *b, int power)
{
    Unit ua, ub;
    if (!a || !b || !read_unit(a, &ua) || !read_unit(b, &ub) || ua.factor != 1 || ub.factor != 1 ||
        power > 9 || power < -9)
        return NULL;
    for (int i = 0; i < BASES; i++) {
        ua.power[i] += power * ub.power[i];
        if (ua.power[i] > 99 || ua.power[i] < -99)
            return NULL;
    }
    return unit_text(f, &ua);
}

bool unit_base(const char *text, double *factor, int power[7])
{
    Unit unit;
    if (!read_unit(text, &unit))
        return false;
    *factor = unit.factor;
    memcpy(power, unit.power, sizeof unit.power);
    return true;
}
