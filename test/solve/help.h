/* help.h - shared by the tests of solve/: models, runs into memory, diagnostics by text. */
#ifndef TEST_SOLVE_HELP_H
#define TEST_SOLVE_HELP_H

#include <lieder/simulate.h>

#include "help/engine.h"
#include "help/meter.h"

/* one mass m on a spring c and a damper d, no gravity; TD = 0 is m s'' + d s' + c s = 0 */
static inline void build_oscillator(Lieder *session, const char *name, double m, double c, double d,
                                    double TD, double s, double v)
{
    LiederModel *model = lieder_model_create(session, name, "");
    lieder_model_add(model, "world", "World");
    lieder_model_set(model, "world.TD", TD);
    lieder_model_add(model, "o", "Examples.SpringMass");
    lieder_model_set(model, "o.body.m", m);
    lieder_model_set(model, "o.body.g", 0);
    lieder_model_set(model, "o.spring.c", c);
    lieder_model_set(model, "o.spring.d", d);
    lieder_model_set(model, "o.joint.s", s);
    lieder_model_set(model, "o.joint.v", v);
}

/* n crane crabs with different rods */
static inline void build_crabs(Lieder *session, const char *name, size_t n, double TD)
{
    LiederModel *model = lieder_model_create(session, name, "");
    lieder_model_add(model, "world", "World");
    lieder_model_set(model, "world.TD", TD);
    lieder_model_add_array(model, "crab", "Examples.CraneCrab", n);
    double *each = malloc(n * sizeof *each);
    for (size_t i = 0; i < n; i++)
        each[i] = 1 + 0.5 * (double)i / (double)n;
    lieder_model_set_each(model, "crab.load.m", each, n);
    for (size_t i = 0; i < n; i++)
        each[i] = 0.5 + (double)i / (double)n;
    lieder_model_set_each(model, "crab.revolute.phi", each, n);
    free(each);
}

/* does a diagnostic contain both texts? path NULL: any */
static inline bool said(const Lieder *session, const char *path, const char *text)
{
    for (size_t i = 0; i < lieder_diagnostic_count(session); i++) {
        const LiederDiagnostic *d = lieder_diagnostic_get(session, i);
        if (strstr(d->message, text) && (!path || (d->path && strstr(d->path, path))))
            return true;
    }
    return false;
}

static inline void assert_said(const Lieder *session, const char *path, const char *text)
{
    if (said(session, path, text))
        return;
    lieder_diagnostic_print_all(session, stderr);
    fail_msg("no diagnostic has \"%s\" about %s", text, path ? path : "anything");
}

/* rows of a run in memory */
typedef struct Rows {
    size_t nstate, n, room, limit; /* limit: stop after so many rows; 0: never */
    double *t, *x;
    LiederRow *kind;
} Rows;

static inline bool rows_take(void *user, double t, const double *x, LiederRow kind)
{
    Rows *r = user;
    if (r->n == r->room) {
        r->room = 2 * r->room + 64;
        r->t = realloc(r->t, r->room * sizeof *r->t);
        r->kind = realloc(r->kind, r->room * sizeof *r->kind);
        r->x = realloc(r->x, r->room * (r->nstate + 1) * sizeof *r->x);
    }
    r->t[r->n] = t;
    r->kind[r->n] = kind;
    memcpy(r->x + r->n * r->nstate, x, r->nstate * sizeof *x);
    return ++r->n != r->limit;
}

static inline void rows_drop(Rows *r)
{
    free(r->t);
    free(r->x);
    free(r->kind);
    *r = (Rows){0};
}

static inline LiederStatus run_rows(LiederSystem *system, LiederSimulateOptions o, Rows *rows,
                                    LiederStatistics *s)
{
    rows->nstate = lieder_system_state_count(system);
    o.output = rows_take;
    o.user = rows;
    return lieder_simulate(system, &o, s);
}

static inline const double *last_row(const Rows *r)
{
    return r->x + (r->n - 1) * r->nstate;
}

#endif
