/* plot_panels.c - runs and variables as a picture.
 *
 * Every variable gives a curve for each run. Variables of one unit share a panel unless --panel
 * says otherwise; the axis names what all curves of a panel are, the legend what tells them apart,
 * and many runs are distinguished by colours along a gradient.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/plot.h"

/* ------------------------------------------------------------------ what stands together */

/* the shape of the picture, out of which its parts are made */
typedef struct PanelLayout {
    PicturePanel *panels;
    size_t npanel;
    size_t *panel_of;  /* by variable */
    ptrdiff_t shading; /* the group that chooses the colour of a run, or ABSENT */
    bool text;         /* to be printed in the terminal */
} PanelLayout;

/* many runs differ by colours along a gradient: that of the first group with several values */
static ptrdiff_t find_shading(const Plot *p)
{
    for (size_t i = 0; p->runs.n > PICTURE_COLOURS && i < p->groups.n; i++)
        for (size_t k = 1; k < p->runs.n; k++)
            if (p->runs.items[k].groups[i] != p->runs.items[0].groups[i])
                return (ptrdiff_t)i;
    return ABSENT;
}

/* a panel for every --panel, or else for every unit, or for what has no unit but one name; with a
 * gradient for every variable */
static bool together(const Plot *p, const PanelLayout *s, const PlotVariable *a,
                     const PlotVariable *b)
{
    if (p->given->npanel)
        return a->panel == b->panel;
    if (s->shading != ABSENT || strcmp(a->unit, b->unit) != 0)
        return false;
    return *a->unit || strcmp(a->part, b->part) == 0;
}

static void divide(const Plot *p, PanelLayout *s)
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

static size_t variables_in(const Plot *p, const PanelLayout *s, size_t panel)
{
    size_t n = 0;
    for (size_t i = 0; i < p->variables.n; i++)
        n += s->panel_of[i] == panel;
    return n;
}

/* ------------------------------------------------------------------ names */

static const char *keep_label(Plot *p, const char *text)
{
    const char *copy = arena_text(&p->arena, text, strlen(text));
    p->failed |= !copy;
    return copy ? copy : "";
}

enum { LONG_NAME = 22 }; /* that stands beside the axis of a panel */

/* the name of the only variable, or the part that all have in common; "" if there is neither */
static const char *panel_name(const Plot *p, const PanelLayout *s, size_t panel)
{
    const char *name = NULL;
    bool alone = variables_in(p, s, panel) == 1;
    for (size_t i = 0; i < p->variables.n; i++) {
        if (s->panel_of[i] != panel)
            continue;
        const char *here = p->variables.items[i].name;
        if (!alone || strlen(here) > LONG_NAME)
            here = strncmp(here, "der(", 4) == 0 ? "" : p->variables.items[i].part;
        if (name && strcmp(name, here) != 0)
            return "";
        name = here;
    }
    return name ? name : "";
}

static const char *panel_unit(const Plot *p, const PanelLayout *s, size_t panel)
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

/* the file without folder and ending */
static void name_file(const char *path, char *label, size_t size)
{
    const char *slash = strrchr(path, '/');
    snprintf(label, size, "%s", slash ? slash + 1 : path);
    if (plot_is_result(label))
        label[strlen(label) - 4] = '\0';
}

/* "damped, world.TD = 0.001": the result if there are several, and the groups */
static void name_run(const Plot *p, PlotRun *run)
{
    size_t n = 0, size = sizeof run->label;
    const PlotOptions *w = p->given;
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

/* ------------------------------------------------------------------ curves */

/* does the axis of its panel name the variable? */
static bool is_on_axis(const Plot *p, const PanelLayout *s, size_t variable)
{
    size_t panel = s->panel_of[variable];
    return !s->text && variables_in(p, s, panel) == 1 &&
           strcmp(panel_name(p, s, panel), p->variables.items[variable].name) == 0;
}

/* Legend: the run when the axis names the variable, the variable when there is one run, else both.
 * Nothing for a curve that is alone and named by its axis, nor for a label that the first panel
 * has.
 */
static const char *curve_label(Plot *p, const PanelLayout *s, size_t variable, const PlotRun *run)
{
    const PlotVariable *v = &p->variables.items[variable];
    char label[600], name[300];
    if (is_on_axis(p, s, variable)) {
        bool shown = variable > 0 && is_on_axis(p, s, 0) && run->y[0].n;
        return *run->label && !shown ? keep_label(p, run->label) : NULL;
    }
    snprintf(name, sizeof name, "%s", v->name);
    if (s->text)
        picture_label(v->name, v->unit, name, sizeof name);
    snprintf(label, sizeof label, "%s%s%s", name, *run->label ? ", " : "", run->label);
    return keep_label(p, label);
}

/* Colours tell the runs of one variable or the variables of one run; where there are several of
 * both, variables have colours and runs dashes as long as there are enough. */
static void style_curve(const Plot *p, const PanelLayout *s, PictureCurve *c, size_t panel,
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
    c->points = p->given->points;
    if (s->shading != ABSENT)
        c->shade = p->runs.items[run].groups[s->shading];
}

/* ------------------------------------------------------------------ the picture */

/* x is another variable than the time */
static bool is_phase(const Plot *p)
{
    const Result *r = &p->results.items[0];
    return strcmp(p->x, r->columns.items[r->time].name) != 0;
}

/* the curves of a panel, one for each variable and run, with labels and styles */
static bool fill_panel(Plot *p, PanelLayout *s, size_t panel)
{
    PicturePanel *to = &s->panels[panel];
    PictureCurve *curves =
        arena_zeroed(&p->arena, variables_in(p, s, panel) * p->runs.n * sizeof *curves);
    if (!curves)
        return false;
    const char *unit = panel_unit(p, s, panel);
    char label[400];
    *to = (PicturePanel){.curves = curves,
                         .log_x = p->given->log_x,
                         .log_y = p->given->log_y,
                         .equal = *unit && strcmp(unit, p->x_unit) == 0 && is_phase(p) &&
                                  !p->given->log_x && !p->given->log_y};
    to->x_label = keep_label(p, picture_label(p->x, p->x_unit, label, sizeof label));
    to->y_label = keep_label(p, picture_label(panel_name(p, s, panel), unit, label, sizeof label));
    for (size_t i = 0; i < p->variables.n; i++)
        for (size_t k = 0; k < p->runs.n && s->panel_of[i] == panel; k++) {
            const PlotRun *run = &p->runs.items[k];
            if (run->y[i].n == 0)
                continue;
            PictureCurve *c = &curves[to->ncurve++];
            *c = (PictureCurve){.x = run->x.items, .y = run->y[i].items, .n = run->x.n};
            c->label = curve_label(p, s, i, run);
            style_curve(p, s, c, panel, i, k);
        }
    return true;
}

/* the colour bar of a plot whose curves are shaded by a column; logarithmic if the values span
 * decades */
static void set_bar(Plot *p, const PanelLayout *s, Picture *picture)
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
    plot_find_unit(p, name, unit, sizeof unit);
    picture->bar = keep_label(p, picture_label(name, unit, label, sizeof label));
    picture->bar_from = least;
    picture->bar_to = greatest;
    picture->bar_log = least > 0 && greatest / least >= 50;
}

bool plot_compose(Plot *p, bool text, Picture *picture)
{
    PanelLayout s = {.text = text, .shading = find_shading(p)};
    s.panel_of = arena_zeroed(&p->arena, p->variables.n * sizeof *s.panel_of);
    if (!s.panel_of)
        return false;
    divide(p, &s);
    s.panels = arena_zeroed(&p->arena, s.npanel * sizeof *s.panels);
    for (size_t i = 0; i < p->runs.n; i++)
        name_run(p, &p->runs.items[i]);
    for (size_t i = 0; s.panels && i < s.npanel; i++)
        p->failed |= !fill_panel(p, &s, i);
    *picture = (Picture){.title = p->given->title,
                         .panels = s.panels,
                         .npanel = s.npanel,
                         .shared_x = true,
                         .phase = is_phase(p),
                         .width = (int)p->given->width,
                         .height = (int)p->given->height};
    set_bar(p, &s, picture);
    return s.panels && !p->failed;
}
