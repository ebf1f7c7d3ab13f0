/* plot_choose.c - which columns of the results are drawn: those that --y names or matches, or the
 * states; what is to the right, what tells the runs of a file apart, and the units of all of them.
 */
#include <stdio.h>
#include <string.h>

#include "cli/plot.h"

enum { MAX_VARIABLES = 12 }; /* that are drawn without being asked for */

/* ------------------------------------------------------------------ results */

ExitCode plot_open(Plot *p)
{
    for (size_t i = 0; i < p->given->results.n; i++) {
        Result r;
        LiederStatus status = result_open(&r, NULL, p->given->results.items[i]);
        if (!vec_push(HEAP, &p->results, r)) {
            result_close(&r);
            return plot_no_memory(p->log);
        }
        if (status < 0) {
            log_error(p->log, "%s", r.message);
            return status == LIEDER_NO_MEMORY ? EXIT_SIMULATION : EXIT_IO;
        }
    }
    return EXIT_DONE;
}

/* names of the columns of all results, for suggestions */
static const char *column_name(const void *from, size_t index)
{
    const Plot *p = from;
    for (size_t i = 0; i < p->results.n; i++) {
        if (index < p->results.items[i].columns.n)
            return p->results.items[i].columns.items[index].name;
        index -= p->results.items[i].columns.n;
    }
    return NULL;
}

/* reports a column that no result has, with the one that may be meant or a list of those there are
 */
static ExitCode unknown_column(const Plot *p, const char *option, const char *name)
{
    const char *meant = suggest(name, column_name, p);
    const Result *r = &p->results.items[0];
    char list[512] = "";
    size_t n = 0;
    for (size_t i = 0; i < r->columns.n && n + 40 < sizeof list; i++)
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%.100s", i ? ", " : "",
                              r->columns.items[i].name);
    const char *more = n + 40 < sizeof list ? "" : ", ...";
    if (meant)
        log_error(p->log, "no result has a column %s (--%s)\ndid you mean %s?", name, option,
                  meant);
    else
        log_error(p->log, "no result has a column %s (--%s)\n%s has %s%s", name, option, r->path,
                  list, more);
    return EXIT_USAGE;
}

static bool any_has(const Plot *p, const char *name)
{
    for (size_t i = 0; i < p->results.n; i++)
        if (result_find(&p->results.items[i], name) >= 0)
            return true;
    return false;
}

/* ------------------------------------------------------------------ units */

/* the variable of "final(revolute.phi)" and its like in a summary, or the name itself */
static const char *inner_name(const char *name, char *buffer, size_t size)
{
    static const char *const functions[] = {"final(", "min(", "max(", "mean("};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        size_t n = strlen(functions[i]), all = strlen(name);
        if (strncmp(name, functions[i], n) == 0 && name[all - 1] == ')') {
            snprintf(buffer, size, "%.*s", (int)(all - n - 1), name + n);
            return buffer;
        }
    }
    return name;
}

void plot_find_unit(Plot *p, const char *name, char *unit, size_t size)
{
    char inner[600];
    for (size_t i = 0; i < p->results.n; i++) {
        ptrdiff_t at = result_find(&p->results.items[i], name);
        if (at < 0)
            continue;
        snprintf(unit, size, "%s", p->results.items[i].columns.items[at].unit);
        if (!*unit && !p->session)
            p->session = lieder_create(NULL);
        if (!*unit && p->session)
            unit_guess(p->session, &p->results.items[i], inner_name(name, inner, sizeof inner),
                       unit, size);
        if (*unit)
            return;
    }
}

/* ------------------------------------------------------------------ variables */

static void add_variable(Plot *p, const char *name, size_t panel)
{
    for (size_t i = 0; i < p->variables.n; i++)
        if (strcmp(p->variables.items[i].name, name) == 0 && p->variables.items[i].panel == panel)
            return;
    PlotVariable v = {.name = name, .panel = panel};
    char inner[600];
    const char *whole = inner_name(name, inner, sizeof inner), *dot = strrchr(whole, '.');
    snprintf(v.part, sizeof v.part, "%.120s", dot ? dot + 1 : whole);
    plot_find_unit(p, name, v.unit, sizeof v.unit);
    p->failed |= !vec_push(HEAP, &p->variables, v);
}

static bool is_group(const Plot *p, const char *name)
{
    for (size_t i = 0; i < p->groups.n; i++)
        if (strcmp(p->groups.items[i], name) == 0)
            return true;
    return false;
}

static bool is_drawable(const Plot *p, const Result *r, size_t column)
{
    const ResultColumn *c = &r->columns.items[column];
    if (p->summary && strcmp(c->name, "failed") == 0)
        return false;
    return column != r->time && !c->constant && strcmp(c->name, p->x) != 0 && !is_group(p, c->name);
}

/* a NAME of --y: a column, or all whose names the expression matches */
static ExitCode choose_name(Plot *p, const PlotName *name)
{
    if (any_has(p, name->text)) {
        add_variable(p, name->text, name->panel);
        return EXIT_DONE;
    }
    char message[256];
    Pattern *pattern = pattern_create(name->text, message, sizeof message);
    size_t before = p->variables.n, nmatch = 0;
    for (size_t i = 0; pattern && i < p->results.n; i++) {
        const Result *r = &p->results.items[i];
        for (size_t k = 0; k < r->columns.n; k++)
            if (is_drawable(p, r, k) && pattern_matches(pattern, r->columns.items[k].name)) {
                add_variable(p, r->columns.items[k].name, name->panel);
                nmatch++;
            }
    }
    pattern_destroy(pattern);
    return p->variables.n > before || nmatch ? EXIT_DONE : unknown_column(p, "y", name->text);
}

static bool is_state(const Result *r, const char *name)
{
    char derivative[1100];
    snprintf(derivative, sizeof derivative, "der(%.1000s)", name);
    return result_find(r, derivative) >= 0;
}

/* without --y: the states, or everything of a result that has none */
static void choose_default(Plot *p)
{
    for (int states = 1; states >= 0 && p->variables.n == 0; states--) {
        size_t nleft = 0;
        const Result *r = &p->results.items[0];
        for (size_t k = 0; k < r->columns.n; k++) {
            const char *name = r->columns.items[k].name;
            if (!is_drawable(p, r, k) || (states && !is_state(r, name)))
                continue;
            if (p->variables.n < MAX_VARIABLES)
                add_variable(p, name, 0);
            else
                nleft++;
        }
        if (nleft)
            log_note(p->log, "%d of %zu %s are drawn\n--y names others", (int)MAX_VARIABLES,
                     MAX_VARIABLES + nleft, states ? "states" : "variables");
    }
}

/* --group, or what stands before the time */
static ExitCode choose_groups(Plot *p)
{
    const PlotOptions *w = p->given;
    for (size_t i = 0; i < w->groups.n; i++) {
        if (!any_has(p, w->groups.items[i]))
            return unknown_column(p, "group", w->groups.items[i]);
        p->failed |= !vec_push(HEAP, &p->groups, w->groups.items[i]);
    }
    for (size_t i = 0; w->groups.n == 0 && i < p->results.n; i++) {
        const Result *r = &p->results.items[i];
        for (size_t k = 0; k < r->time; k++) {
            const char *name = r->columns.items[k].name;
            if (!is_group(p, name) && strcmp(name, p->x) != 0)
                p->failed |= !vec_push(HEAP, &p->groups, name);
        }
    }
    return EXIT_DONE;
}

/* what lieder sweep --summary writes: parameters, time, failed, then what was asked */
static bool is_summary(const Result *r)
{
    return r->time > 0 && r->time + 1 < r->columns.n &&
           strcmp(r->columns.items[r->time + 1].name, "failed") == 0;
}

/* of a summary the first parameter stands to the right, and the others tell the curves apart */
ExitCode plot_choose(Plot *p)
{
    const PlotOptions *w = p->given;
    const Result *r = &p->results.items[0];
    p->summary = is_summary(r);
    p->x = w->x ? w->x : r->columns.items[p->summary ? 0 : r->time].name;
    if (!any_has(p, p->x))
        return unknown_column(p, "x", p->x);
    plot_find_unit(p, p->x, p->x_unit, sizeof p->x_unit);
    ExitCode code = choose_groups(p);
    for (size_t i = 0; code == EXIT_DONE && i < w->names.n; i++)
        code = choose_name(p, &w->names.items[i]);
    if (code == EXIT_DONE && w->names.n == 0)
        choose_default(p);
    if (code == EXIT_DONE && p->variables.n == 0) {
        log_error(p->log, "%s has no variables that could be drawn\nis it a file of results?",
                  r->path);
        return EXIT_USAGE;
    }
    return p->failed ? plot_no_memory(p->log) : code;
}
