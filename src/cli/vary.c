/* vary.c - grids of parameters: what --vary says, and the settings of their members.
 *
 *     NAME=LOW:HIGH:N        N values, LOW + i (HIGH - LOW) / (N - 1)
 *     NAME=LOW:HIGH:log:N    N values, LOW (HIGH / LOW)^(i / (N - 1))
 *     NAME=V1,V2,...         these
 *
 * LOW and HIGH are taken as they are written; the values between are rounded to 15 digits, so that
 * 0:1:11 has 0.3 in it and every value that a result shows gives the same member again when it is
 * typed. The first --vary is the outermost loop of the grid.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

/* ------------------------------------------------------------------ reading */

static bool not_understood(Log *log, const char *text)
{
    log_error(log,
              "--vary needs NAME=LOW:HIGH:N, NAME=LOW:HIGH:log:N or NAME=V1,V2,..., not \"%s\"\n"
              "as in --vary world.TD=1e-5:1e-2:log:7",
              text);
    return false;
}

static bool report_no_memory(Log *log)
{
    log_error(log, "out of memory for the values of --vary");
    return false;
}

/* the number that ends at one of the characters of `ends`; moves behind it */
static bool read_grid_number(const char **at, const char *ends, double *x)
{
    char *end;
    *x = strtod(*at, &end);
    if (end == *at || !isfinite(*x) || !strchr(ends, *end))
        return false;
    *at = end;
    return true;
}

static double round_to_15_digits(double x)
{
    char text[40];
    snprintf(text, sizeof text, "%.15g", x);
    return strtod(text, NULL);
}

static bool push_value(GridAxis *axis, Log *log, double x)
{
    return vec_push(HEAP, &axis->values, x) || report_no_memory(log);
}

/* LOW:HIGH:N or LOW:HIGH:log:N; false after reporting an error */
static bool read_range(GridAxis *axis, Log *log, const char *text, const char *spec)
{
    double low, high;
    const char *at = spec;
    if (!read_grid_number(&at, ":", &low) || *at++ != ':' || !read_grid_number(&at, ":", &high) ||
        *at++ != ':')
        return not_understood(log, text);
    bool logarithmic = strncmp(at, "log:", 4) == 0;
    if (logarithmic)
        at += 4;
    char *end;
    long long n = strtoll(at, &end, 10);
    if (end == at || *end)
        return not_understood(log, text);
    if (n < 1 || n > MAX_GRID) {
        log_error(log, "--vary %s: the number of values must be from 1 to %d, not %lld", text,
                  MAX_GRID, n);
        return false;
    }
    if (logarithmic && !(low > 0 && high > 0)) {
        log_error(log,
                  "--vary %s: values in equal ratios need limits greater than zero\n"
                  "give a LOW above zero, or leave log out",
                  text);
        return false;
    }
    if (n == 1 && low != high) {
        log_error(log, "--vary %s: one value cannot be both %g and %g\ngive at least 2", text, low,
                  high);
        return false;
    }
    for (long long i = 0; i < n; i++) {
        /* long double: what comes before the rounding must be right to more than 15 digits */
        long double part = n > 1 ? (long double)i / (long double)(n - 1) : 0;
        double x = (double)(logarithmic ? powl(low, 1 - part) * powl(high, part)
                                        : (1 - part) * low + part * high);
        x = i == 0 ? low : i == n - 1 ? high : round_to_15_digits(x);
        if (!push_value(axis, log, x))
            return false;
    }
    return true;
}

/* "true" or "false" up to the next comma */
static bool take_boolean(const char **at, double *x)
{
    size_t n = strcspn(*at, ",");
    bool yes = n == 4 && strncmp(*at, "true", n) == 0;
    if (!yes && !(n == 5 && strncmp(*at, "false", n) == 0))
        return false;
    *x = yes;
    *at += n;
    return true;
}

/* V1,V2,...; false after reporting an error */
static bool read_grid_list(GridAxis *axis, Log *log, const char *text, const char *spec)
{
    size_t nboolean = 0;
    for (const char *at = spec;; at++) {
        double x;
        if (take_boolean(&at, &x))
            nboolean++;
        else if (!read_grid_number(&at, ",", &x))
            return not_understood(log, text);
        if (!push_value(axis, log, x))
            return false;
        if (!*at)
            break;
    }
    axis->boolean = nboolean > 0;
    return nboolean == 0 || nboolean == axis->values.n || not_understood(log, text);
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* two members of a grid must be distinguished by their values */
static bool has_no_twins(const GridAxis *axis, Log *log, const char *text)
{
    size_t n = axis->values.n;
    double *sorted = memory_copy(HEAP, axis->values.items, n * sizeof *sorted);
    if (!sorted)
        return report_no_memory(log);
    qsort(sorted, n, sizeof *sorted, compare_numbers);
    size_t i = 1;
    while (i < n && sorted[i] != sorted[i - 1])
        i++;
    if (i < n)
        log_error(log, "--vary %s has the value %.15g twice\ngive every value once", text,
                  sorted[i]);
    memory_free(HEAP, sorted, n * sizeof *sorted);
    return i == n;
}

bool grid_add(Grid *g, Log *log, const char *text)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1])
        return not_understood(log, text);
    if (!vec_push(HEAP, &g->axes, (GridAxis){0}))
        return report_no_memory(log);
    GridAxis *axis = &g->axes.items[g->axes.n - 1];
    if (!(axis->name = strndup(text, (size_t)(equals - text))))
        return report_no_memory(log);
    for (size_t i = 0; i + 1 < g->axes.n; i++)
        if (strcmp(g->axes.items[i].name, axis->name) == 0) {
            log_error(log, "--vary %s is given twice\ngive all its values in one", axis->name);
            return false;
        }
    if (!(strchr(equals, ':') ? read_range : read_grid_list)(axis, log, text, equals + 1) ||
        !has_no_twins(axis, log, text))
        return false;
    g->n = (g->n ? g->n : 1) * axis->values.n;
    if (g->n <= MAX_GRID)
        return true;
    log_error(log, "the grid has more than %d members\nvary fewer values", MAX_GRID);
    return false;
}

void grid_drop(Grid *g)
{
    for (size_t i = 0; i < g->axes.n; i++) {
        free(g->axes.items[i].name);
        vec_drop(HEAP, &g->axes.items[i].values);
    }
    vec_drop(HEAP, &g->axes);
}

size_t grid_stride(const Grid *g, size_t axis)
{
    size_t stride = 1;
    for (size_t i = axis + 1; i < g->axes.n; i++)
        stride *= g->axes.items[i].values.n;
    return stride;
}

size_t grid_index(const Grid *g, size_t member, size_t axis)
{
    return member / grid_stride(g, axis) % g->axes.items[axis].values.n;
}

double grid_value(const Grid *g, size_t member, size_t axis)
{
    return g->axes.items[axis].values.items[grid_index(g, member, axis)];
}

/* ------------------------------------------------------------------ settings of members */

static char *value_text(const GridAxis *axis, double x, char *to, size_t size)
{
    if (axis->boolean)
        snprintf(to, size, "%s", x != 0 ? "true" : "false");
    else if (snprintf(to, size, "%.15g", x), strtod(to, NULL) != x)
        snprintf(to, size, "%.17g", x);
    return to;
}

/* a name as the array of members knows it */
static const char *inner_name(MemberSettings *s, const char *name)
{
    static const char prefix[] = "member.";
    char *text = arena_zeroed(&s->arena, sizeof prefix + strlen(name));
    if (text) {
        strcpy(text, prefix);
        strcat(text, name);
    }
    return text;
}

static bool add_setting(MemberSettings *s, FrontOverride one, bool inside)
{
    if (inside)
        one.name = inner_name(s, one.name);
    return one.name && one.value && vec_push(HEAP, &s->list, one);
}

/* "{1,2,4}" */
static const char *list_of_values(MemberSettings *s, const Grid *g, size_t axis, size_t first,
                                  size_t stride, size_t n)
{
    enum { ROOM = 28 };
    char *text = arena_zeroed(&s->arena, n * ROOM + 3), *at = text;
    for (size_t i = 0; i < n && text; i++) {
        *at++ = i ? ',' : '{';
        value_text(&g->axes.items[axis], grid_value(g, first + i * stride, axis), at, ROOM);
        at += strlen(at);
    }
    if (text)
        strcpy(at, "}");
    return text;
}

bool settings_make(MemberSettings *s, const Grid *g, const Overrides *fixed, size_t first,
                   size_t stride, size_t n)
{
    char text[40];
    *s = (MemberSettings){0};
    arena_init(&s->arena, HEAP);
    bool ok = true;
    for (size_t i = 0; i < fixed->n && ok; i++)
        ok = add_setting(s, fixed->items[i], n > 1);
    for (size_t i = 0; i < g->axes.n && ok; i++) {
        const GridAxis *axis = &g->axes.items[i];
        FrontOverride one = {.name = axis->name, .by_element = n > 1};
        if (n > 1) {
            one.value = list_of_values(s, g, i, first, stride, n);
        } else {
            value_text(axis, grid_value(g, first, i), text, sizeof text);
            one.value = arena_text(&s->arena, text, strlen(text));
        }
        ok = add_setting(s, one, n > 1);
    }
    if (ok && n > 1) {
        snprintf(text, sizeof text, "%zu", n);
        ok = add_setting(
            s, (FrontOverride){.name = "n", .value = arena_text(&s->arena, text, strlen(text))},
            false);
    }
    return ok;
}

void settings_drop(MemberSettings *s)
{
    vec_drop(HEAP, &s->list);
    arena_drop(&s->arena);
}
