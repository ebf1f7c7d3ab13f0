/* steady.c - states at which a system rests, from its start values.
 *
 * Newton's method for f(t, x) = 0 by way of pseudo-transient continuation (Kelley and Keyes, SIAM
 * J. Numer. Anal. 35, 1998): steps of the linearly implicit Euler method
 *
 *   (I / h - f'(x)) d = f(x),   x := x + d
 *
 * whose h grows as |f| falls and shrinks where it rises. Short steps follow the motion, damped by
 * the method, so that a pendulum ends below and a mechanism stays near its start where nothing
 * decides its position; long ones are Newton's. The matrix is found by differences, one evaluation
 * for each state of a shape, and solved lane by lane.
 *
 * * At rest the output of a delay is its input. So each delay adds an unknown w, its output, with a
 * lag of one second during the search: w' = u - w has the same rest. Its past is one segment of the
 * value w (lieder/history.h), whose address stands in the memory of the system meanwhile.
 *
 * Assembling a mechanism is the same without gravity: elastic elements that close loops pull the
 * parts to positions where they carry no force; velocities stay as they were. */
#include "analysis/analysis.h"
#include "base/dense.h"
#include "model/system/energy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STEPS = 400, MAX_STATES = 1000, MAX_NAMED = 3 };
static const double FIRST_STEP = 1e-3, LONGEST_STEP = 100, RESTS = 1e-8, NUDGE = 1e-7, BRAKE = 1;
static const double ROUNDING = 64 * 2.2e-16; /* of the forces in a balance, relative */

typedef struct Steady {
    LiederSystem *system;
    double t, *x, *f, *tried, *moved; /* n each; tried: 2 n, its second half the next x */
    double *columns;                  /* df/dx of the present shape, by lane a matrix by rows */
    double *braked;                   /* by state: 1 for velocities of joints */
    double *noise;                    /* by state: what rounding leaves of f */
    size_t n, nstate;                 /* unknowns: states, then outputs of delays */
    struct Past *pasts;               /* by delay */
    double *taken;                    /* by delay: its input; then Readings.delayed */
} Steady;

/* the past of a delay, which is w at all times */
typedef struct Past {
    LiederHistory shared; /* first: blocks have its address */
    LiederSegment segment;
} Past;

/* ------------------------------------------------------------------ delays */

/* called for memory k of a lane, which is history i of the system */
typedef void EachHistory(Steady *s, const SystemShape *ss, size_t k, size_t lane, size_t i);

/* all histories in the order of their numbers: by shape, lane and member */
static void each_history(Steady *s, EachHistory *act)
{
    size_t i = 0;
    for (size_t shape = 0; shape < s->system->nhome; shape++) {
        const SystemShape *ss = &s->system->shapes.items[shape];
        for (size_t lane = 0; lane < ss->shape->nlane && ss->held.nhistory; lane++)
            for (size_t k = 0; k < ss->held.nmemory; k++)
                if (ss->held.memories.items[k].member->kind == LIEDER_HISTORY)
                    act(s, ss, k, lane, i++);
    }
}

static size_t count_histories(const LiederSystem *system)
{
    size_t n = 0;
    for (size_t i = 0; i < system->nhome; i++)
        n += system->shapes.items[i].held.nhistory * system->shapes.items[i].shape->nlane;
    return n;
}

static void attach_past(Steady *s, const SystemShape *ss, size_t k, size_t lane, size_t i)
{
    Past *p = &s->pasts[i];
    p->segment = (LiederSegment){.begin = -LIEDER_LATE, .end = LIEDER_LATE};
    p->shared = (LiederHistory){.begin = -LIEDER_LATE, .n = 1, .segments = &p->segment};
    uint64_t address = (uintptr_t)&p->shared;
    memcpy(&s->system->memory[home_memory(ss, k, lane)], &address, sizeof address);
}

static void detach_past(Steady *s, const SystemShape *ss, size_t k, size_t lane, size_t i)
{
    (void)i;
    s->system->memory[home_memory(ss, k, lane)] = 0;
}

/* the input of delay i */
static void take_in(Steady *s, const SystemShape *ss, size_t k, size_t lane, size_t i)
{
    s->taken[i] = s->taken[count_histories(s->system) + home_memory(ss, k, lane)];
}

/* the inputs of all delays at a state */
static void find_taken(Steady *s, const double *x)
{
    LiederSystem *system = s->system;
    Moment moment = {.event_time = NAN, .memory = system->memory};
    double *values = s->taken + count_histories(system);
    for (size_t i = 0; i < system->nhome; i++) {
        SystemShape *ss = &system->shapes.items[i];
        for (size_t lane = 0; lane < ss->shape->nlane && ss->held.nhistory; lane++) {
            StripView v = strip_view(system, ss, lane, 1, x, NULL, system->stages);
            strip_load(ss, ss->workspace, lane, 1);
            strip_read(ss, ss->workspace, s->t, &moment, lane, 1, v.x, v.stride,
                       (Readings){.delayed = values, .nmemory = system->nmemory});
        }
    }
    each_history(s, take_in);
}

/* f, with a brake on the velocities of joints that is nothing at rest: without it momentum that
 * rounding or a linearised step has made would last for ever */
static LiederStatus evaluate_steady(Steady *s, const double *x, double *f)
{
    for (size_t i = s->nstate; i < s->n; i++)
        s->pasts[i - s->nstate].segment.d[0] = x[i];
    LiederStatus status = lieder_system_derivatives(s->system, s->t, x, f);
    for (size_t i = 0; status == LIEDER_DONE && i < s->nstate; i++)
        if (s->braked[i] != 0)
            f[i] -= BRAKE * x[i];
    if (status == LIEDER_DONE && s->n > s->nstate)
        find_taken(s, x);
    for (size_t i = s->nstate; status == LIEDER_DONE && i < s->n; i++)
        f[i] = s->taken[i - s->nstate] - x[i];
    return status;
}

/* joints in C: they have an unknown acceleration and account for their energy */
static void find_braked(Steady *s)
{
    for (size_t i = 0; i < s->system->shapes.n; i++) {
        const SystemShape *ss = &s->system->shapes.items[i];
        for (size_t k = 0; k < ss->shape->states.n; k++) {
            const StateRef *ref = &ss->shape->states.items[k];
            const LiederKernels *kernels =
                ss->shape->components.items[ref->component].class_->def->kernels;
            bool velocity =
                strcmp(ref->member->unit, "m/s") == 0 || strcmp(ref->member->unit, "rad/s") == 0;
            for (size_t l = 0;
                 velocity && kernels->energy && kernels->nunknown && l < ss->shape->nlane; l++)
                s->braked[home_state(ss, k, l)] = 1;
        }
    }
}

/* ------------------------------------------------------------------ a step */

/* number of unknowns of a lane of a shape: its states, then the outputs of its delays */
static size_t unknowns_of(const SystemShape *ss)
{
    return ss->shape->states.n + ss->held.nhistory;
}

static size_t unknown_at(const Steady *s, const SystemShape *ss, size_t k, size_t lane)
{
    size_t first = s->nstate;
    if (k < ss->shape->states.n)
        return home_state(ss, k, lane);
    for (const SystemShape *other = s->system->shapes.items; other < ss; other++)
        first += other->held.nhistory * other->shape->nlane;
    return first + lane * ss->held.nhistory + (k - ss->shape->states.n);
}

/* df/dx of a shape into columns, all lanes at once */
static LiederStatus find_columns(Steady *s, const SystemShape *ss)
{
    size_t m = unknowns_of(ss), nlane = ss->shape->nlane;
    for (size_t k = 0; k < m; k++) {
        memcpy(s->tried, s->x, s->n * sizeof(double));
        for (size_t l = 0; l < nlane; l++) {
            size_t i = unknown_at(s, ss, k, l);
            s->tried[i] += NUDGE * fmax(1, fabs(s->x[i]));
        }
        LiederStatus status = evaluate_steady(s, s->tried, s->moved);
        if (status != LIEDER_DONE)
            return status;
        for (size_t l = 0; l < nlane; l++) {
            size_t at = unknown_at(s, ss, k, l);
            double h = s->tried[at] - s->x[at];
            for (size_t r = 0; r < m; r++) {
                size_t i = unknown_at(s, ss, r, l);
                s->columns[(l * m + r) * m + k] = (s->moved[i] - s->f[i]) / h;
            }
        }
    }
    return LIEDER_DONE;
}

/* one step of length h towards rest of all lanes of a shape, (1/h - J) dx = f, from s->x into `to`
 */
static LiederStatus step_shape(Steady *s, const SystemShape *ss, double h, double *to)
{
    size_t m = unknowns_of(ss);
    LiederStatus status = find_columns(s, ss);
    double *b = s->moved; /* find_columns is done with it */
    for (size_t l = 0; status == LIEDER_DONE && l < ss->shape->nlane; l++) {
        double *a = s->columns + l * m * m;
        for (size_t r = 0; r < m; r++) {
            double sum = 0;
            for (size_t k = 0; k < m; k++)
                sum += fabs(a[r * m + k] * s->x[unknown_at(s, ss, k, l)]);
            s->noise[unknown_at(s, ss, r, l)] = ROUNDING * sum;
            for (size_t k = 0; k < m; k++)
                a[r * m + k] = (r == k ? 1 / h : 0) - a[r * m + k];
            b[r] = s->f[unknown_at(s, ss, r, l)];
        }
        size_t bad;
        if (!dense_solve(m, a, m, b, 1, &bad))
            return LIEDER_SINGULAR;
        for (size_t r = 0; r < m; r++) {
            size_t at = unknown_at(s, ss, r, l);
            to[at] = s->x[at] + b[r];
        }
    }
    return status;
}

static double norm_of(const Steady *s, const double *f)
{
    double most = 0;
    for (size_t i = 0; i < s->n; i++)
        most = isfinite(f[i]) ? fmax(most, fabs(f[i])) : INFINITY;
    return most;
}

/* is every derivative below the limit, or what rounding makes of forces that cancel? */
static bool at_rest(const Steady *s, double limit)
{
    for (size_t i = 0; i < s->n; i++)
        if (!(fabs(s->f[i]) <= fmax(limit, s->noise[i])))
            return false;
    return true;
}

/* ------------------------------------------------------------------ messages */

/* names the states that still move most */
static void report_motion(const Steady *s, size_t steps)
{
    char list[600] = "", name[300];
    double most = norm_of(s, s->f), below = INFINITY;
    for (int k = 0; k < MAX_NAMED; k++) {
        size_t worst = s->nstate;
        for (size_t i = 0; i < s->nstate; i++) /* delays follow these */
            if (fabs(s->f[i]) < below && (worst == s->nstate || fabs(s->f[i]) > fabs(s->f[worst])))
                worst = i;
        if (worst == s->nstate || !(fabs(s->f[worst]) > 1e-3 * most))
            break;
        below = fabs(s->f[worst]);
        snprintf(list + strlen(list), sizeof list - strlen(list), "%sder(%s) = %.3g", k ? ", " : "",
                 lieder_system_state_name(s->system, worst, name, sizeof name), s->f[worst]);
    }
    diag_error(&s->system->session->diag, NULL, NULL,
               "no state was found in which the model rests: after %zu steps still %s\na source "
               "that drives it, a force that nothing carries, or start values far away; 'lieder "
               "simulate' without --initial shows where it goes",
               steps, list);
}

/* ------------------------------------------------------------------ the search */

/* x := a state with f = 0; the last f is in s->f */
static LiederStatus search_steady(Steady *s)
{
    double h = FIRST_STEP, before, greatest;
    LiederStatus status = evaluate_steady(s, s->x, s->f);
    before = greatest = norm_of(s, s->f);
    double *next = s->tried + s->n;
    for (size_t k = 0; status == LIEDER_DONE && !at_rest(s, RESTS * fmin(1, greatest)); k++) {
        if (k == MAX_STEPS) {
            report_motion(s, k);
            return LIEDER_GAVE_UP;
        }
        for (size_t i = 0; status == LIEDER_DONE && i < s->system->shapes.n; i++)
            if (unknowns_of(&s->system->shapes.items[i]))
                status = step_shape(s, &s->system->shapes.items[i], h, next);
        if (status == LIEDER_DONE)
            status = evaluate_steady(s, next, s->moved);
        if (status != LIEDER_DONE)
            break;
        double now = norm_of(s, s->moved);
        greatest = fmax(greatest, isfinite(now) ? now : 0);
        if (!isfinite(now) || (now > 1e3 * before && h > 1e-9)) {
            h /= 10;
            continue;
        }
        memcpy(s->x, next, s->n * sizeof(double));
        memcpy(s->f, s->moved, s->n * sizeof(double));
        h = fmin(LONGEST_STEP, h * fmin(10, fmax(0.3, before > 0 ? 1.5 * before / now : 10)));
        before = now;
    }
    return status;
}

/* runs a search with room for its vectors and matrices; refuses shapes that are too large */
static LiederStatus with_room(LiederSystem *system, double t, double *x,
                              LiederStatus (*work)(Steady *))
{
    size_t npast = count_histories(system), n = system->nstate + npast, room = 1;
    for (size_t i = 0; i < system->shapes.n; i++) {
        const Shape *shape = system->shapes.items[i].shape;
        if (shape->states.n > MAX_STATES) {
            diag_error(&system->session->diag, NULL, NULL,
                       "a subsystem of %zu states is too large to be balanced at once: the limit "
                       "is %d\nlet it come to rest in a run, and go on from --checkpoint",
                       shape->states.n, MAX_STATES);
            return LIEDER_BAD_USE;
        }
        size_t m = unknowns_of(&system->shapes.items[i]), need = m * m * shape->nlane;
        room = need > room ? need : room;
    }
    Steady s = {.system = system, .t = t, .n = n, .nstate = system->nstate};
    size_t vectors = 7 * n + room + 7, ntaken = npast ? npast + 3 * system->nmemory : 0,
           bytes = (vectors + ntaken) * sizeof(double) + npast * sizeof(Past);
    double *block = memory_zeroed(SYSTEM_ALLOC(system), bytes);
    if (!block) {
        diag_error(&system->session->diag, NULL, NULL, "not enough memory to balance %zu states",
                   n);
        return LIEDER_NO_MEMORY;
    }
    s.f = block;
    s.moved = block + n + 1;
    s.tried = s.moved + n + 1; /* and what is tried behind it */
    s.braked = s.tried + 2 * n + 2;
    s.noise = s.braked + n + 1;
    s.x = s.noise + n + 1;
    s.columns = s.x + n + 1;
    s.taken = block + vectors;
    s.pasts = (Past *)(s.taken + ntaken);
    if (system->nstate)
        memcpy(s.x, x, system->nstate * sizeof(double));
    find_braked(&s);
    each_history(&s, attach_past);
    if (npast) { /* outputs begin with the inputs */
        LiederStatus first = evaluate_steady(&s, s.x, s.f);
        for (size_t i = 0; first == LIEDER_DONE && i < npast; i++)
            s.x[system->nstate + i] = s.taken[i];
    }
    LiederStatus status = work(&s);
    each_history(&s, detach_past);
    if (system->nstate)
        memcpy(x, s.x, system->nstate * sizeof(double));
    memory_free(SYSTEM_ALLOC(system), block, bytes);
    return status;
}

/* ------------------------------------------------------------------ numbers of a system */

/* called for a number of the system */
typedef LiederStatus EachNumber(LiederSystem *system, const LiederHandle *h, void *user);

/* the numbers of all variables of a kind that have this name (NULL: any) and one of two units */
static LiederStatus each_number(LiederSystem *system, LiederVariableKind kind, const char *name,
                                const char *unit, const char *other, EachNumber *act, void *user)
{
    LiederStatus status = LIEDER_DONE;
    for (size_t i = 0; i < lieder_variable_count(system); i++) {
        LiederVariableInfo info = lieder_variable_info(system, i);
        LiederHandle h;
        if (info.kind != kind || (name && strcmp(info.name, name) != 0) ||
            (strcmp(info.unit, unit) != 0 && strcmp(info.unit, other) != 0))
            continue;
        for (size_t k = 0; status == LIEDER_DONE && k < info.n; k++)
            if (lieder_variable_handle(system, i, k, &h))
                status = act(system, &h, user);
    }
    return status;
}

/* adds a gravity to the list and sets it to zero; NaN: it cannot be set, since bodies have taken it
 * over */
static LiederStatus take_gravity(LiederSystem *system, const LiederHandle *h, void *user)
{
    double value;
    size_t before = system->session->diag.list.n;
    if (lieder_handle_get(system, h, &value) != LIEDER_DONE ||
        lieder_handle_set(system, h, 0) != LIEDER_DONE) {
        diag_forget(&system->session->diag, before);
        value = NAN;
    }
    return vec_push(SYSTEM_ALLOC(system), (DoubleVec *)user, value) ? LIEDER_DONE
                                                                    : LIEDER_NO_MEMORY;
}

typedef struct Returned {
    DoubleVec *list;
    size_t at;
} Returned;

static LiederStatus give_gravity(LiederSystem *system, const LiederHandle *h, void *user)
{
    Returned *r = user;
    double value = r->at < r->list->n ? r->list->items[r->at++] : NAN;
    return isnan(value) ? LIEDER_DONE : lieder_handle_set(system, h, value);
}

/* velocities go to the list and are zero; a second time they come back */
typedef struct Velocities {
    Returned kept;
    double *x;
    bool back;
} Velocities;

/* keeps a velocity and sets it to zero, or gives it back */
static LiederStatus stop_velocity(LiederSystem *system, const LiederHandle *h, void *user)
{
    Velocities *v = user;
    ptrdiff_t i = lieder_handle_state(system, h);
    if (i < 0)
        return LIEDER_DONE;
    if (v->back) {
        v->x[i] = v->kept.list->items[v->kept.at++];
        return LIEDER_DONE;
    }
    bool ok = vec_push(SYSTEM_ALLOC(system), v->kept.list, v->x[i]);
    v->x[i] = 0;
    return ok ? LIEDER_DONE : LIEDER_NO_MEMORY;
}

static LiederStatus rest(LiederSystem *system, double t, double *x)
{
    return system->nstate ? with_room(system, t, x, search_steady) : LIEDER_DONE;
}

/* Velocities begin at zero: conserved momentum would last for ever. */
LiederStatus steady_find(LiederSystem *system, double t, double *x)
{
    DoubleVec kept = {0};
    Velocities v = {.kept = {&kept, 0}, .x = x};
    LiederStatus status =
        each_number(system, LIEDER_VARIABLE_STATE, NULL, "m/s", "rad/s", stop_velocity, &v);
    vec_drop(SYSTEM_ALLOC(system), &kept);
    return status == LIEDER_DONE ? rest(system, t, x) : status;
}

/* reports an elastic element that still holds energy: the parts do not meet */
static LiederStatus check_fit(LiederSystem *system, double t, const double *x, double before)
{
    char name[300];
    double left;
    LiederStatus status = energy_strongest(system, t, x, name, sizeof name, &left);
    if (status != LIEDER_DONE || !(left > 1e-9 * fmax(before, 1e-6)))
        return status;
    diag_error(
        &system->session->diag, NULL, name,
        "the mechanism cannot be put together: this element still holds %.3g J\nlengths that "
        "do not reach, springs that work against each other, or start values on the wrong "
        "side",
        left);
    return LIEDER_BAD_MODEL;
}

LiederStatus assemble_find(LiederSystem *system, double t, double *x)
{
    static const char g_unit[] = "m/s2";
    DoubleVec gravity = {0}, kept = {0};
    Velocities v = {.kept = {&kept, 0}, .x = x};
    Returned returned = {&gravity, 0};
    char name[300];
    double before = 0;
    LiederStatus status =
        each_number(system, LIEDER_VARIABLE_STATE, NULL, "m/s", "rad/s", stop_velocity, &v);
    if (status == LIEDER_DONE)
        status = each_number(system, LIEDER_VARIABLE_PARAMETER, "g", g_unit, g_unit, take_gravity,
                             &gravity);
    if (status == LIEDER_DONE)
        status = energy_strongest(system, t, x, name, sizeof name, &before);
    size_t said = system->session->diag.list.n;
    if (status == LIEDER_DONE)
        status = rest(system, t, x);
    if (status == LIEDER_GAVE_UP)
        diag_forget(&system->session->diag, said); /* the reason counts, not what follows of it */
    if (status == LIEDER_DONE || status == LIEDER_GAVE_UP) {
        LiederStatus fit = check_fit(system, t, x, before);
        if (fit == LIEDER_DONE && status == LIEDER_GAVE_UP)
            diag_error(&system->session->diag, NULL, NULL,
                       "the mechanism does not come to rest without gravity\na source that drives "
                       "it, or parts that nothing holds together");
        status = fit != LIEDER_DONE ? fit : status;
    }
    each_number(system, LIEDER_VARIABLE_PARAMETER, "g", g_unit, g_unit, give_gravity, &returned);
    v.back = true;
    if (status == LIEDER_DONE)
        each_number(system, LIEDER_VARIABLE_STATE, NULL, "m/s", "rad/s", stop_velocity, &v);
    vec_drop(SYSTEM_ALLOC(system), &gravity);
    vec_drop(SYSTEM_ALLOC(system), &kept);
    return status;
}
