/* td_advice.c - what T_D will do to a model, before it runs.
 *
 * The model is linearised at its start, and where it rests near that, as good as without T_D (a
 * millionth of it, which changes no structure). A motion of the angular frequency w then loses
 * about T_D w^2 of its energy per second to the filter, and T_D |w| says how far it is from
 * Newton's: at 0.1 its decay in a period is 27
 * %. A contact may be open there, so contacts are judged by c T_D^2 / m with the lightest body: at
 * 1 a rebound is lost. Where no elastic element is at all nothing can be stiff, and T_D has no use.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "cli/cli.h"

static const double FAR = 0.1, MUCH_PER_SECOND = 1e-3, STIFF_CONTACT = 0.1;
enum { MAX_STATES = 40 };

typedef struct Advice {
    LiederSystem *system;
    Selection list;  /* parameters TD above zero */
    double TD;       /* the largest of them */
    double w, speed; /* the fastest oscillation, the fastest motion of any kind, rad/s */
    char name[300];  /* a state of the fastest oscillation */
    bool elastic;    /* some element has a stiffness */
    double contact;  /* c T_D^2 / m of the stiffest contact */
    char contact_name[300];
} Advice;

/* ------------------------------------------------------------------ what the model has */

/* all parameters named TD, and the largest; false: there is none above zero */
static bool list_TDs(Advice *a)
{
    char message[64];
    Pattern *pattern = pattern_create("(.*\\.)?TD", message, sizeof message);
    if (!pattern)
        return false;
    select_matching(&a->list, a->system, pattern);
    pattern_destroy(pattern);
    for (size_t i = 0; i < a->list.list.n; i++)
        if (a->list.list.items[i].constant)
            a->TD = fmax(a->TD, a->list.list.items[i].value);
    return a->TD > 0;
}

/* every T_D times a factor of its value in the model */
static void scale_TDs(const Advice *a, double factor)
{
    for (size_t i = 0; i < a->list.list.n; i++) {
        const Selected *s = &a->list.list.items[i];
        size_t before = a->system->session->diag.list.n;
        if (s->constant && s->value > 0)
            lieder_handle_set(a->system, &s->handle, factor * s->value);
        diag_forget(&a->system->session->diag, before); /* World hands its own on */
    }
}

/* an element of the library in C has the switch `damped`, one of equations a stiffness c between
 * its ports, all of which come in */
static bool is_elastic(const LiederClassDef *def)
{
    bool stiff = false;
    for (int i = 0; i < def->nmember; i++) {
        const LiederMember *m = &def->members[i];
        if (m->structural && strcmp(m->name, "damped") == 0)
            return true;
        stiff |= m->kind == LIEDER_PARAMETER && strcmp(m->name, "c") == 0;
    }
    for (int i = 0; i < def->nport; i++)
        stiff &= def->ports[i].role == LIEDER_IN;
    return stiff;
}

static bool opens(const LiederClassDef *def)
{
    for (int i = 0; i < def->nmember; i++)
        if (def->members[i].kind == LIEDER_CROSSING)
            return true;
    return false;
}

/* a parameter of a component in the first lane, or NaN */
static double advice_parameter(const Advice *a, const SystemShape *ss, uint32_t component,
                               const char *name)
{
    char path[400];
    double value = NAN;
    size_t before = a->system->session->diag.list.n;
    lane_path(a->system, ss, component, 0, path, sizeof path);
    snprintf(path + strlen(path), sizeof path - strlen(path), ".%s", name);
    LiederHandle h;
    if (lieder_handle_search(a->system, NULL, path, &h))
        lieder_handle_get(a->system, &h, &value);
    diag_forget(&a->system->session->diag, before);
    return value;
}

/* elastic elements, and the stiffest contact of a subsystem against its lightest body */
static void examine_shape(Advice *a, const SystemShape *ss)
{
    double lightest = INFINITY;
    for (uint32_t i = 0; i < ss->shape->components.n; i++) {
        double m = advice_parameter(a, ss, i, "m");
        lightest = m > 0 ? fmin(lightest, m) : lightest;
    }
    for (uint32_t i = 0; i < ss->shape->components.n; i++) {
        const LiederClassDef *def = ss->shape->components.items[i].class_->def;
        if (!is_elastic(def))
            continue;
        a->elastic = true;
        double TD = advice_parameter(a, ss, i, "TD"),
               much = advice_parameter(a, ss, i, "c") * TD * TD / lightest;
        if (opens(def) && much > a->contact) {
            a->contact = much;
            lane_path(a->system, ss, i, 0, a->contact_name, sizeof a->contact_name);
        }
    }
}

/* ------------------------------------------------------------------ its motions without T_D */

/* the fastest motions of the model linearised at x */
static void find_motions(Advice *a, double t, double *x)
{
    Linear linear;
    Spectrum spectrum = {0};
    LinearPoint p = {.t = t, .x = x, .rough = true};
    LiederStatus status = linear_create(&linear, a->system, &p);
    if (status == LIEDER_DONE)
        status = spectrum_quick(&spectrum, &linear);
    for (size_t i = 0; status == LIEDER_DONE && i < spectrum.values.n; i++) {
        const Eigenvalue *v = &spectrum.values.items[i];
        a->speed = fmax(a->speed, hypot(v->re, v->im));
        if (!(v->im > a->w) || v->im < 10 * v->error)
            continue;
        const Block *b = spectrum_block(&spectrum, i);
        a->w = v->im;
        lieder_system_state_name(
            a->system, home_state(&a->system->shapes.items[b->shape], v->shares[0].state, b->lane),
            a->name, sizeof a->name);
    }
    spectrum_drop(&spectrum);
    linear_drop(&linear);
}

/* at the start, and where the model rests near it: a pendulum that begins high up swings there */
static void look_without_TD(Advice *a, double t)
{
    double x[MAX_STATES];
    size_t before = a->system->session->diag.list.n;
    scale_TDs(a, 1e-6);
    if (lieder_system_start(a->system, x) == LIEDER_DONE) {
        find_motions(a, t, x);
        if (steady_find(a->system, t, x) == LIEDER_DONE)
            find_motions(a, t, x);
    }
    scale_TDs(a, 1);
    diag_forget(&a->system->session->diag, before);
}

/* ------------------------------------------------------------------ messages */

/* one note for each effect that matters: energy taken per second, motion that is damped, contacts
 */
static void print_effects(const Advice *a, Log *log)
{
    double loss = a->TD * a->w * a->w, hertz = a->w / (2 * acos(-1));
    if (!a->elastic)
        log_note(log,
                 "T_D = %g s takes about %.2g %% of the energy of %s (%.3g Hz) per second\nno "
                 "elastic element is there that it could help: world.TD = 0 costs nothing and is "
                 "Newton's mechanics",
                 a->TD, 100 * loss, *a->name ? a->name : "the motion", hertz);
    else if (a->TD * a->w > FAR)
        log_note(
            log,
            "T_D |w| = %.2g for the motion of %s (%.3g Hz): T_D = %g s damps it, and the result "
            "will be far from Newton's there\nwith T_D = %.1g s it would be right to a "
            "percent or so",
            a->TD * a->w, a->name, hertz, a->TD, 0.01 / a->w);
    else if (loss > MUCH_PER_SECOND)
        log_note(log, "T_D = %g s takes about %.2g %% of the energy of %s (%.3g Hz) per second",
                 a->TD, 100 * loss, a->name, hertz);
    if (a->contact > STIFF_CONTACT)
        log_note(
            log,
            "c T_D^2 / m = %.2g at %s: what bounces there loses %s energy to the filter\nT_D = "
            "0 with an adaptive solver bounces as Newton's does",
            a->contact, a->contact_name, a->contact > 1 ? "most of its" : "a part of its");
}

void td_advise(LiederSystem *system, double t, Log *log)
{
    Advice a = {.system = system};
    size_t n = lieder_system_state_count(system);
    if (n == 0 || n > MAX_STATES || log->quiet)
        return;
    if (list_TDs(&a)) {
        for (size_t i = 0; i < system->nhome; i++)
            examine_shape(&a, &system->shapes.items[i]);
        look_without_TD(&a, isnan(t) ? 0 : t);
        if (a.w > 0 || a.contact > 0)
            print_effects(&a, log);
    }
    selection_drop(&a.list);
}
