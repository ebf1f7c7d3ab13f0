/* plot.c - lieder plot RESULT: curves of results, as a picture or as text in the terminal.
 *
 * Results are read in runs: a file is one, or one for every value of the columns it is grouped by
 * (a sweep writes its parameters before the time). Every variable that is drawn gives a curve for
 * each run; variables of one unit share a panel unless --panel says otherwise.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

#define HEAP (&memory_default)

/* ------------------------------------------------------------------ options */

enum {
    OPT_X,
    OPT_Y,
    OPT_PANEL,
    OPT_OUTPUT,
    OPT_LOG,
    OPT_FROM,
    OPT_TO,
    OPT_GROUP,
    OPT_LABEL,
    OPT_TITLE,
    OPT_SIZE,
    OPT_POINTS,
    OPT_SCRIPT,
    OPT_LOG_FORMAT,
    OPT_QUIET
};

static const Option options[] = {
    [OPT_X] = {"x", 'x', "NAME", "the variable to the right (time)"},
    [OPT_Y] = {"y", 'y', "NAME...",
               "variables to draw: names, or regular expressions that match whole names; may be "
               "repeated (the states)"},
    [OPT_PANEL] = {"panel", 0, NULL,
                   "the names that follow get a panel of their own (a panel for each unit)"},
    [OPT_OUTPUT] = {"output", 'o', "FILE",
                    "the picture: .svg, .png or .pdf (text in the terminal)"},
    [OPT_LOG] = {"log", 0, "AXIS", "logarithmic axis: x, y or xy"},
    [OPT_FROM] = {"from", 0, "T", "draw from this time on"},
    [OPT_TO] = {"to", 0, "T", "draw up to this time"},
    [OPT_GROUP] =
        {"group", 0, "COLUMN",
         "a curve for every value of this column; may be repeated (the columns before the "
         "time, which a sweep writes)"},
    [OPT_LABEL] = {"label", 0, "TEXT",
                   "name of a result in the legend, in their order; may be repeated (its file)"},
    [OPT_TITLE] = {"title", 0, "TEXT", "a line above the picture"},
    [OPT_SIZE] = {"size", 0, "WxH", "size in pixels, or in characters of text (800x450)"},
    [OPT_POINTS] = {"points", 0, NULL, "marks instead of lines"},
    [OPT_SCRIPT] = {"script", 0, "FILE.gp", "write the script for gnuplot, to vary it"},
    [OPT_LOG_FORMAT] = LOG_FORMAT_OPTION,
    [OPT_QUIET] = QUIET_OPTION,
    {0}};

/* a NAME of --y and the number of the --panel before it */
typedef struct Name {
    const char *text;
    size_t panel;
} Name;

typedef struct Wishes {
    VEC(const char *) results, labels, groups;
    VEC(Name) names;
    const char *x, *output, *title, *script;
    double from, to;
    size_t width, height, npanel; /* npanel: how often --panel was said */
    bool log_x, log_y, points;
    bool failed; /* memory */
} Wishes;

static bool is_result(const char *text)
{
    size_t n = strlen(text);
    return n > 4 && (strcmp(text + n - 4, ".csv") == 0 || strcmp(text + n - 4, ".mat") == 0);
}

static bool add_name(Wishes *w, const char *text)
{
    w->failed |= !vec_push(HEAP, &w->names, (Name){text, w->npanel});
    return true;
}

/* names may go on after --y NAME; a file of results is told by its end */
static bool read_operand(Wishes *w, const char *text)
{
    if (w->names.n && !is_result(text))
        return add_name(w, text);
    w->failed |= !vec_push(HEAP, &w->results, text);
    return true;
}

static bool read_axis(Arguments *a, const char *text, Wishes *w)
{
    if (*text && strspn(text, "xy") == strlen(text)) {
        w->log_x |= strchr(text, 'x') != NULL;
        w->log_y |= strchr(text, 'y') != NULL;
        return true;
    }
    log_error(a->log, "--log is x, y or xy, not \"%s\"", text);
    return false;
}

static bool read_option(Arguments *a, int option, const char *value, void *wishes)
{
    Wishes *w = wishes;
    switch (option) {
    case ARGUMENT_OPERAND:
        return read_operand(w, value);
    case OPT_X:
        w->x = value;
        return true;
    case OPT_Y:
        return add_name(w, value);
    case OPT_PANEL:
        w->npanel++;
        return true;
    case OPT_OUTPUT:
        w->output = value;
        return true;
    case OPT_LOG:
        return read_axis(a, value, w);
    case OPT_FROM:
        return arguments_number(a, "from", value, &w->from);
    case OPT_TO:
        return arguments_number(a, "to", value, &w->to);
    case OPT_GROUP:
        w->failed |= !vec_push(HEAP, &w->groups, value);
        return true;
    case OPT_LABEL:
        w->failed |= !vec_push(HEAP, &w->labels, value);
        return true;
    case OPT_TITLE:
        w->title = value;
        return true;
    case OPT_SIZE:
        return arguments_size(a, value, &w->width, &w->height);
    case OPT_POINTS:
        return w->points = true;
    case OPT_SCRIPT:
        w->script = value;
        return true;
    default:
        return false;
    }
}

/* ------------------------------------------------------------------ what is drawn */

enum { FEW_VARIABLES = 12, ABSENT = -1 };

typedef VEC(double) Series;

/* a variable to draw; the same name in all results */
typedef struct Variable {
    const char *name;
    char unit[64];
    size_t panel; /* of --panel */
} Variable;

/* a curve for each variable */
typedef struct Run {
    size_t result;
    double *groups; /* values of the columns it is grouped by (ngroup) */
    char label[256];
    Series x;
    Series *y; /* by variable; empty when the result has none of the name */
} Run;

typedef struct Plot {
    Log *log;
    const Wishes *wishes;
    Lieder *session; /* for units */
    Arena arena;
    VEC(Result) results;
    VEC(Variable) variables;
    const char *x; /* its name */
    char x_unit[64];
    VEC(const char *) groups; /* names of columns */
    VEC(Run) runs;
    size_t nrow; /* rows read */
    bool failed; /* memory */
    /* while a result is read */
    Run *run;
    size_t reading;
    double last;       /* time of the row before */
    ptrdiff_t *column; /* by group, then by variable: place in the values of a row, or ABSENT */
    double *key;       /* values of the groups of a row */
} Plot;

static ExitCode no_memory(Log *log)
{
    log_error(log, "out of memory for the curves\ndraw fewer variables, or a part of the time by "
                   "--from and --to");
    return EXIT_SIMULATION;
}

static ExitCode open_results(Plot *p)
{
    for (size_t i = 0; i < p->wishes->results.n; i++) {
        Result r;
        LiederStatus status = result_open(&r, NULL, p->wishes->results.items[i]);
        if (!vec_push(HEAP, &p->results, r)) {
            result_close(&r);
            return no_memory(p->log);
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

static void find_unit(Plot *p, const char *name, char *unit, size_t size)
{
    for (size_t i = 0; i < p->results.n; i++) {
        ptrdiff_t at = result_find(&p->results.items[i], name);
        if (at < 0)
            continue;
        snprintf(unit, size, "%s", p->results.items[i].columns.items[at].unit);
        if (!*unit && !p->session)
            p->session = lieder_create(NULL);
        if (!*unit && p->session)
            unit_guess(p->session, &p->results.items[i], name, unit, size);
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
    Variable v = {.name = name, .panel = panel};
    find_unit(p, name, v.unit, sizeof v.unit);
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
    return column != r->time && !c->constant && strcmp(c->name, p->x) != 0 && !is_group(p, c->name);
}

/* a NAME of --y: a column, or all whose names the expression matches */
static ExitCode choose_name(Plot *p, const Name *name)
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

/* nobody said what to draw: the states, or everything of a result that has none */
static void choose_default(Plot *p)
{
    for (int states = 1; states >= 0 && p->variables.n == 0; states--) {
        size_t nleft = 0;
        const Result *r = &p->results.items[0];
        for (size_t k = 0; k < r->columns.n; k++) {
            const char *name = r->columns.items[k].name;
            if (!is_drawable(p, r, k) || (states && !is_state(r, name)))
                continue;
            if (p->variables.n < FEW_VARIABLES)
                add_variable(p, name, 0);
            else
                nleft++;
        }
        if (nleft)
            log_note(p->log, "%d of %zu %s are drawn\n--y names others", (int)FEW_VARIABLES,
                     FEW_VARIABLES + nleft, states ? "states" : "variables");
    }
}

/* --group, or what stands before the time */
static ExitCode choose_groups(Plot *p)
{
    const Wishes *w = p->wishes;
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

static ExitCode choose_variables(Plot *p)
{
    const Wishes *w = p->wishes;
    const Result *r = &p->results.items[0];
    p->x = w->x ? w->x : r->columns.items[r->time].name;
    if (!any_has(p, p->x))
        return unknown_column(p, "x", p->x);
    find_unit(p, p->x, p->x_unit, sizeof p->x_unit);
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
    return p->failed ? no_memory(p->log) : code;
}

/* ------------------------------------------------------------------ reading */

/* a row begins with time and x */
enum { ROW_TIME, ROW_X, ROW_REST };

/* two values of a group are the same when they are, or when both are missing */
static bool same_groups(const Plot *p, const Run *run)
{
    for (size_t i = 0; i < p->groups.n; i++)
        if (run->groups[i] != p->key[i] && !(isnan(run->groups[i]) && isnan(p->key[i])))
            return false;
    return true;
}

static Run *new_run(Plot *p)
{
    Run run = {.result = p->reading,
               .groups = arena_zeroed(&p->arena, (p->groups.n + 1) * sizeof(double)),
               .y = arena_zeroed(&p->arena, p->variables.n * sizeof(Series))};
    if (!run.groups || !run.y || !vec_push(HEAP, &p->runs, run))
        return NULL;
    memcpy(run.groups, p->key, p->groups.n * sizeof(double));
    return &p->runs.items[p->runs.n - 1];
}

/* the run that a row belongs to */
static Run *find_run(Plot *p)
{
    for (size_t i = p->runs.n; i-- > 0 && p->runs.items[i].result == p->reading;)
        if (same_groups(p, &p->runs.items[i]))
            return &p->runs.items[i];
    return new_run(p);
}

/* values NULL: a gap */
static void push_point(Plot *p, Run *run, const double *values)
{
    const ptrdiff_t *column = p->column + p->groups.n;
    p->failed |= !vec_push(HEAP, &run->x, values ? values[ROW_X] : NAN);
    for (size_t i = 0; i < p->variables.n; i++)
        if (column[i] != ABSENT)
            p->failed |= !vec_push(HEAP, &run->y[i], values ? values[column[i]] : NAN);
}

static bool on_row(void *user, const double *values)
{
    Plot *p = user;
    double t = values[ROW_TIME];
    p->nrow++;
    if (t < p->wishes->from || t > p->wishes->to)
        return true;
    for (size_t i = 0; i < p->groups.n; i++)
        p->key[i] = p->column[i] == ABSENT ? NAN : values[p->column[i]];
    if (!p->run || !same_groups(p, p->run))
        p->run = find_run(p);
    else if (t < p->last) // another run begins, and no column tells it
        push_point(p, p->run, NULL);
    p->last = t;
    if (!p->run)
        return !(p->failed = true);
    push_point(p, p->run, values);
    return !p->failed;
}

/* the columns of a result that are needed, and where in a row they stand; their number */
static size_t choose_columns(Plot *p, const Result *r, size_t x, size_t *wanted)
{
    size_t n = 0;
    wanted[n++] = r->time;
    wanted[n++] = x;
    for (size_t i = 0; i < p->groups.n + p->variables.n; i++) {
        const char *name =
            i < p->groups.n ? p->groups.items[i] : p->variables.items[i - p->groups.n].name;
        ptrdiff_t at = result_find(r, name);
        p->column[i] = at < 0 ? ABSENT : (ptrdiff_t)n;
        if (at >= 0)
            wanted[n++] = (size_t)at;
    }
    return n;
}

static ExitCode read_result(Plot *p, size_t index)
{
    Result *r = &p->results.items[index];
    ptrdiff_t x = result_find(r, p->x);
    if (x < 0)
        return EXIT_DONE;
    size_t most = ROW_REST + p->groups.n + p->variables.n;
    size_t *wanted = arena_zeroed(&p->arena, most * sizeof *wanted);
    p->column = arena_zeroed(&p->arena, most * sizeof *p->column);
    p->key = arena_zeroed(&p->arena, (p->groups.n + 1) * sizeof *p->key);
    p->reading = index;
    p->run = NULL;
    if (!wanted || !p->column || !p->key)
        return no_memory(p->log);
    size_t n = choose_columns(p, r, (size_t)x, wanted);
    LiederStatus status = result_read(r, wanted, n, on_row, p);
    if (p->failed)
        return no_memory(p->log);
    if (status < 0) {
        log_error(p->log, "%s", r->message);
        return EXIT_IO;
    }
    if (*r->message)
        log_note(p->log, "%s", r->message);
    return EXIT_DONE;
}

static ExitCode read_results(Plot *p)
{
    ExitCode code = EXIT_DONE;
    for (size_t i = 0; code == EXIT_DONE && i < p->results.n; i++)
        code = read_result(p, i);
    if (code != EXIT_DONE || p->runs.n)
        return code;
    if (p->nrow)
        log_error(p->log, "there are no rows between %g and %g s\ngive other --from and --to",
                  p->wishes->from, p->wishes->to);
    else
        log_error(p->log, "%s has no rows: there is nothing to draw", p->results.items[0].path);
    return EXIT_USAGE;
}

/* ------------------------------------------------------------------ names of curves */

/* the file without folder and ending */
static void name_file(const char *path, char *label, size_t size)
{
    const char *slash = strrchr(path, '/');
    snprintf(label, size, "%s", slash ? slash + 1 : path);
    if (is_result(label))
        label[strlen(label) - 4] = '\0';
}

/* "damped, world.TD = 0.001": the result if there are several, and the groups */
static void name_run(const Plot *p, Run *run)
{
    size_t n = 0, size = sizeof run->label;
    const Wishes *w = p->wishes;
    if (run->result < w->labels.n)
        snprintf(run->label, size, "%s", w->labels.items[run->result]);
    else if (p->results.n > 1)
        name_file(p->results.items[run->result].path, run->label, size);
    n = strlen(run->label);
    for (size_t i = 0; i < p->groups.n && n < size; i++)
        if (!isnan(run->groups[i]))
            n += (size_t)snprintf(run->label + n, size - n, "%s%s = %.6g", n ? ", " : "",
                                  p->groups.items[i], run->groups[i]);
}

/* ------------------------------------------------------------------ panels */

/* the shape of the picture, out of which its parts are made */
typedef struct Shape {
    PicturePanel *panels;
    size_t npanel;
    size_t *panel_of;  /* by variable */
    ptrdiff_t shading; /* the group that chooses the colour of a run, or ABSENT */
    bool text;         /* to be printed in the terminal */
} Shape;

/* many runs differ by colours along a gradient: that of the first group with several values */
static ptrdiff_t find_shading(const Plot *p)
{
    for (size_t i = 0; p->runs.n > PICTURE_COLOURS && i < p->groups.n; i++)
        for (size_t k = 1; k < p->runs.n; k++)
            if (p->runs.items[k].groups[i] != p->runs.items[0].groups[i])
                return (ptrdiff_t)i;
    return ABSENT;
}

/* what is left of a name after the last dot: "phi" of "revolute.phi" and of "der(revolute.phi)" */
static const char *last_part(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? dot + 1 : name;
}

/* a panel for every --panel, or else for every unit, or for what has no unit but one name; with a
 * gradient for every variable */
static bool together(const Plot *p, const Shape *s, const Variable *a, const Variable *b)
{
    if (p->wishes->npanel)
        return a->panel == b->panel;
    if (s->shading != ABSENT || strcmp(a->unit, b->unit) != 0)
        return false;
    return *a->unit || strcmp(last_part(a->name), last_part(b->name)) == 0;
}

static void divide(const Plot *p, Shape *s)
{
    for (size_t i = 0; i < p->variables.n; i++) {
        s->panel_of[i] = s->npanel;
        for (size_t k = 0; k < i; k++)
            if (together(p, s, &p->variables.items[i], &p->variables.items[k])) {
                s->panel_of[i] = s->panel_of[k];
                break;
            }
        s->npanel += s->panel_of[i] == s->npanel;
    }
}

static size_t variables_in(const Plot *p, const Shape *s, size_t panel)
{
    size_t n = 0;
    for (size_t i = 0; i < p->variables.n; i++)
        n += s->panel_of[i] == panel;
    return n;
}

static const char *keep(Plot *p, const char *text)
{
    const char *copy = arena_text(&p->arena, text, strlen(text));
    p->failed |= !copy;
    return copy ? copy : "";
}

enum { LONG_NAME = 22 }; /* that stands beside the axis of a panel */

/* the name of the only variable, or the part that all have in common; "" if there is neither */
static const char *panel_name(const Plot *p, const Shape *s, size_t panel)
{
    const char *name = NULL;
    bool alone = variables_in(p, s, panel) == 1;
    for (size_t i = 0; i < p->variables.n; i++) {
        if (s->panel_of[i] != panel)
            continue;
        const char *here = p->variables.items[i].name;
        if (!alone || strlen(here) > LONG_NAME)
            here = strncmp(here, "der(", 4) == 0 ? "" : last_part(here);
        if (name && strcmp(name, here) != 0)
            return "";
        name = here;
    }
    return name ? name : "";
}

static const char *panel_unit(const Plot *p, const Shape *s, size_t panel)
{
    const char *unit = NULL;
    for (size_t i = 0; i < p->variables.n; i++) {
        if (s->panel_of[i] != panel)
            continue;
        if (unit && strcmp(unit, p->variables.items[i].unit) != 0)
            return "";
        unit = p->variables.items[i].unit;
    }
    return unit ? unit : "";
}

/* does the axis of its panel name the variable? */
static bool on_axis(const Plot *p, const Shape *s, size_t variable)
{
    size_t panel = s->panel_of[variable];
    return !s->text && variables_in(p, s, panel) == 1 &&
           strcmp(panel_name(p, s, panel), p->variables.items[variable].name) == 0;
}

/* Legend: the run when the axis names the variable, the variable when there is one run, else both.
 * Nothing for a curve that is alone and named by its axis, nor for what the first panel has said.
 */
static const char *curve_label(Plot *p, const Shape *s, size_t variable, const Run *run)
{
    const Variable *v = &p->variables.items[variable];
    char label[600], name[300];
    if (on_axis(p, s, variable)) {
        bool said = variable > 0 && on_axis(p, s, 0) && run->y[0].n;
        return *run->label && !said ? keep(p, run->label) : NULL;
    }
    snprintf(name, sizeof name, "%s", v->name);
    if (s->text)
        picture_label(v->name, v->unit, name, sizeof name);
    snprintf(label, sizeof label, "%s%s%s", name, *run->label ? ", " : "", run->label);
    return keep(p, label);
}

/* Colours tell the runs of one variable or the variables of one run; where there are several of
 * both, variables have colours and runs dashes as long as there are enough. */
static void style_curve(const Plot *p, const Shape *s, PictureCurve *c, size_t panel,
                        size_t variable, size_t run)
{
    size_t nth = 0, nvariable = variables_in(p, s, panel);
    for (size_t i = 0; i < variable; i++)
        nth += s->panel_of[i] == panel;
    if (p->runs.n == 1 || nvariable == 1)
        c->colour = (int)(nth + run);
    else if (p->runs.n <= PICTURE_DASHES) {
        c->colour = (int)nth;
        c->dash = (int)run;
    } else
        c->colour = (int)(nth * p->runs.n + run);
    c->points = p->wishes->points;
    if (s->shading != ABSENT)
        c->shade = p->runs.items[run].groups[s->shading];
}

/* x is another variable than the time */
static bool is_phase(const Plot *p)
{
    const Result *r = &p->results.items[0];
    return strcmp(p->x, r->columns.items[r->time].name) != 0;
}

static bool fill_panel(Plot *p, Shape *s, size_t panel)
{
    PicturePanel *to = &s->panels[panel];
    PictureCurve *curves =
        arena_zeroed(&p->arena, variables_in(p, s, panel) * p->runs.n * sizeof *curves);
    if (!curves)
        return false;
    const char *unit = panel_unit(p, s, panel);
    char label[400];
    *to = (PicturePanel){.curves = curves,
                         .log_x = p->wishes->log_x,
                         .log_y = p->wishes->log_y,
                         .equal = *unit && strcmp(unit, p->x_unit) == 0 && is_phase(p) &&
                                  !p->wishes->log_x && !p->wishes->log_y};
    to->x_label = keep(p, picture_label(p->x, p->x_unit, label, sizeof label));
    to->y_label = keep(p, picture_label(panel_name(p, s, panel), unit, label, sizeof label));
    for (size_t i = 0; i < p->variables.n; i++)
        for (size_t k = 0; k < p->runs.n && s->panel_of[i] == panel; k++) {
            const Run *run = &p->runs.items[k];
            if (run->y[i].n == 0)
                continue;
            PictureCurve *c = &curves[to->ncurve++];
            *c = (PictureCurve){.x = run->x.items, .y = run->y[i].items, .n = run->x.n};
            c->label = curve_label(p, s, i, run);
            style_curve(p, s, c, panel, i, k);
        }
    return true;
}

static void set_bar(Plot *p, const Shape *s, Picture *picture)
{
    if (s->shading == ABSENT)
        return;
    double least = INFINITY, greatest = -INFINITY;
    for (size_t i = 0; i < p->runs.n; i++) {
        least = fmin(least, p->runs.items[i].groups[s->shading]);
        greatest = fmax(greatest, p->runs.items[i].groups[s->shading]);
    }
    char unit[64] = "", label[400];
    const char *name = p->groups.items[s->shading];
    find_unit(p, name, unit, sizeof unit);
    picture->bar = keep(p, picture_label(name, unit, label, sizeof label));
    picture->bar_from = least;
    picture->bar_to = greatest;
    picture->bar_log = least > 0 && greatest / least >= 50;
}

static bool compose(Plot *p, bool text, Picture *picture)
{
    Shape s = {.text = text, .shading = find_shading(p)};
    s.panel_of = arena_zeroed(&p->arena, p->variables.n * sizeof *s.panel_of);
    if (!s.panel_of)
        return false;
    divide(p, &s);
    s.panels = arena_zeroed(&p->arena, s.npanel * sizeof *s.panels);
    for (size_t i = 0; i < p->runs.n; i++)
        name_run(p, &p->runs.items[i]);
    for (size_t i = 0; s.panels && i < s.npanel; i++)
        p->failed |= !fill_panel(p, &s, i);
    *picture = (Picture){.title = p->wishes->title,
                         .panels = s.panels,
                         .npanel = s.npanel,
                         .shared_x = true,
                         .phase = is_phase(p),
                         .width = (int)p->wishes->width,
                         .height = (int)p->wishes->height};
    set_bar(p, &s, picture);
    return s.panels && !p->failed;
}

/* ------------------------------------------------------------------ drawing */

static ExitCode write_script(const Plot *p, const Picture *picture)
{
    const Wishes *w = p->wishes;
    PictureFormat format = PICTURE_TEXT;
    if (w->output)
        picture_format(w->output, &format);
    FILE *to = fopen(w->script, "w");
    if (to)
        picture_script(picture, format, w->output, false, to);
    bool wrong = !to || ferror(to);
    if ((to && fclose(to) != 0) || wrong) {
        log_error(p->log, "cannot write the script %s: %s", w->script, strerror(errno));
        return EXIT_IO;
    }
    return EXIT_DONE;
}

static void say(const Plot *p, const Picture *picture)
{
    size_t ncurve = 0;
    for (size_t i = 0; i < picture->npanel; i++)
        ncurve += picture->panels[i].ncurve;
    const char *file = p->wishes->output ? p->wishes->output : p->wishes->script;
    if (p->log->json) {
        json_begin(stdout, "picture");
        json_text(stdout, "output", p->wishes->output);
        json_text(stdout, "script", p->wishes->script);
        json_count(stdout, "panels", picture->npanel);
        json_count(stdout, "curves", ncurve);
        json_count(stdout, "rows", p->nrow);
        json_end(stdout);
    } else if (file && !p->log->quiet) {
        printf("%s: %zu curve%s in %zu panel%s, from %zu rows\n", file, ncurve,
               ncurve == 1 ? "" : "s", picture->npanel, picture->npanel == 1 ? "" : "s", p->nrow);
    }
}

static ExitCode draw(Plot *p)
{
    const Wishes *w = p->wishes;
    bool text = !w->output && !w->script;
    Picture picture;
    if (!compose(p, text, &picture))
        return no_memory(p->log);
    ExitCode code = w->script ? write_script(p, &picture) : EXIT_DONE;
    char message[PICTURE_MESSAGE];
    LiederStatus status = LIEDER_DONE;
    if (text && !w->width)
        picture.width = log_width(stdout);
    if (code == EXIT_DONE && w->output)
        status = picture_write(&picture, w->output, message, sizeof message);
    else if (code == EXIT_DONE && text)
        status = picture_print(&picture, isatty(STDOUT_FILENO), message, sizeof message);
    if (status < 0) {
        log_error(p->log, "%s", message);
        return status == LIEDER_BAD_USE ? EXIT_USAGE : EXIT_IO;
    }
    if (code == EXIT_DONE)
        say(p, &picture);
    return code;
}

static void drop(Plot *p)
{
    for (size_t i = 0; i < p->runs.n; i++) {
        Run *run = &p->runs.items[i];
        vec_drop(HEAP, &run->x);
        for (size_t k = 0; k < p->variables.n; k++)
            vec_drop(HEAP, &run->y[k]);
    }
    vec_drop(HEAP, &p->runs);
    vec_drop(HEAP, &p->variables);
    vec_drop(HEAP, &p->groups);
    for (size_t i = 0; i < p->results.n; i++)
        result_close(&p->results.items[i]);
    vec_drop(HEAP, &p->results);
    arena_drop(&p->arena);
    lieder_destroy(p->session);
}

/* what can be known to be wrong before anything is read */
static ExitCode check(Log *log, const Wishes *w)
{
    PictureFormat format;
    if (w->output && (!picture_format(w->output, &format) || format == PICTURE_GIF)) {
        log_error(log, "a picture is .svg, .png or .pdf: %s is none of them", w->output);
        return EXIT_USAGE;
    }
    if (w->labels.n > w->results.n) {
        log_error(log,
                  "there are %zu labels, but %zu result%s\neach --label names a result, in "
                  "their order",
                  w->labels.n, w->results.n, w->results.n == 1 ? "" : "s");
        return EXIT_USAGE;
    }
    if (w->from > w->to) {
        log_error(log, "--from %g is after --to %g", w->from, w->to);
        return EXIT_USAGE;
    }
    return w->failed ? no_memory(log) : EXIT_DONE;
}

static ExitCode plot(Log *log, const Wishes *w)
{
    Plot p = {.log = log, .wishes = w};
    arena_init(&p.arena, HEAP);
    ExitCode code = check(log, w);
    if (code == EXIT_DONE)
        code = open_results(&p);
    if (code == EXIT_DONE)
        code = choose_variables(&p);
    if (code == EXIT_DONE)
        code = read_results(&p);
    if (code == EXIT_DONE)
        code = draw(&p);
    drop(&p);
    return code;
}

static ExitCode run(const Command *command, int argc, char **argv)
{
    Log log = log_open();
    Arguments a = arguments_read(command, &log, argc, argv);
    Wishes w = {.from = -INFINITY, .to = INFINITY};
    ExitCode code;
    if (arguments_all(&a, read_option, &w, &code))
        code = w.results.n ? plot(&log, &w) : arguments_missing(&a, "RESULT");
    vec_drop(HEAP, &w.results);
    vec_drop(HEAP, &w.labels);
    vec_drop(HEAP, &w.groups);
    vec_drop(HEAP, &w.names);
    return code;
}

const Command command_plot = {
    .name = "plot",
    .operands = "RESULT...",
    .text = "Draw curves of results",
    .description =
        "RESULT is a .csv or .mat file of results. Without --y the states are drawn, without "
        "--output\nthe picture is text. Variables of one unit share a panel; several results are "
        "drawn over each\nother. After --y names may go on: what ends in .csv or .mat is a result. "
        "Units are those of\nthe .mat file; for .csv the library is asked by name.",
    .examples = "  lieder plot crane.csv\n"
                "  lieder plot crane.csv --y prismatic.s revolute.phi -o crane.svg\n"
                "  lieder plot crane.csv --x revolute.phi --y revolute.w -o phase.pdf\n"
                "  lieder plot soft.mat stiff.mat --y '.*\\.f' --from 1 --to 2 -o force.png\n"
                "  lieder plot sweep.csv --group world.TD --y load.v -o sweep.svg\n",
    .options = options,
    .run = run};
