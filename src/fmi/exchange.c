/* exchange.c - an FMU of model exchange from one communication point to the next.
 *
 * Such an FMU has derivatives and event indicators, and no solver. This is one for it: the pair of
 * Dormand and Prince, of order five with an error of order four (J. Comp. Appl. Math. 6, 1980),
 * steps by the usual rule h (1 / error)^(1/5). An indicator that changes its sign within a step is
 * located by bisection on the cubic through both ends; time events are met exactly. The tolerance
 * is fixed, since outputs are held between communication points, whose distance determines the
 * error of a run. */
#include "fmi/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STAGES = 6, MAX_STEPS = 1000000, MAX_UPDATES = 100, HALVINGS = 60 };
static const double RELATIVE = 1e-8, ABSOLUTE = 1e-10;

/* ------------------------------------------------------------------ the FMU at a point */

static bool is_three(const Inside *in)
{
    return in->file->model.version == 3;
}

static bool move_to(Inside *in, double t, const double *x)
{
    Exchange *e = &in->exchange;
    return (GOOD(CALL(in, "SetTime", (void *, double), in->instance, t)) &&
            (e->nstate == 0 ||
             GOOD(CALL(in, "SetContinuousStates", (void *, const double *, size_t), in->instance, x,
                       e->nstate)))) ||
           inside_fail(in, "it cannot be set to a time and states");
}

/* derivatives at (t, x); false after a failure, and if one is not finite */
static bool derivatives(Inside *in, double t, const double *x, double *dx)
{
    Exchange *e = &in->exchange;
    if (!move_to(in, t, x))
        return false;
    int status = e->nstate == 0
                     ? 0
                     : CALL(in, is_three(in) ? "GetContinuousStateDerivatives" : "GetDerivatives",
                            (void *, double *, size_t), in->instance, dx, e->nstate);
    bool finite = true;
    for (size_t i = 0; i < e->nstate; i++)
        finite &= isfinite(dx[i]);
    return (GOOD(status) && finite) || inside_fail(in, "its derivatives cannot be computed");
}

static bool indicators(Inside *in, double *z)
{
    Exchange *e = &in->exchange;
    return e->nindicator == 0 ||
           GOOD(CALL(in, "GetEventIndicators", (void *, double *, size_t), in->instance, z,
                     e->nindicator)) ||
           inside_fail(in, "its event indicators cannot be computed");
}

/* has an indicator changed its sign since the last step? */
static bool crossed(const Exchange *e, const double *z)
{
    for (size_t i = 0; i < e->nindicator; i++)
        if ((z[i] > 0) != (e->z[i] > 0))
            return true;
    return false;
}

/* ------------------------------------------------------------------ events */

/* fmi2EventInfo */
typedef struct EventInfo {
    int again, terminate, nominals, values, has_next;
    double next;
} EventInfo;

/* one pass of an event; *again: another follows, *terminate: the run ends; sets e->next */
static bool update_once(Inside *in, bool *again, bool *terminate)
{
    Exchange *e = &in->exchange;
    bool nominals, values, has_next = false;
    double next = 0;
    EventInfo info = {0};
    int status;
    if (is_three(in)) {
        status = CALL(in, "UpdateDiscreteStates",
                      (void *, bool *, bool *, bool *, bool *, bool *, double *), in->instance,
                      again, terminate, &nominals, &values, &has_next, &next);
    } else {
        status = CALL(in, "NewDiscreteStates", (void *, EventInfo *), in->instance, &info);
        *again = info.again;
        *terminate = info.terminate;
        has_next = info.has_next;
        next = info.next;
    }
    e->next = has_next ? next : INFINITY;
    return GOOD(status) || inside_fail(in, "its event failed");
}

bool exchange_end_event(Inside *in)
{
    Exchange *e = &in->exchange;
    bool again = true, terminate = false;
    if (!e->running)
        return true;
    for (int i = 0; i < MAX_UPDATES && again; i++)
        if (!update_once(in, &again, &terminate))
            return false;
    if (again)
        return inside_fail(in, "its event does not end");
    in->ended |= terminate;
    if (!GOOD(CALL(in, "EnterContinuousTimeMode", (void *), in->instance)))
        return inside_fail(in, "it cannot go on after an event");
    if (e->nstate && !GOOD(CALL(in, "GetContinuousStates", (void *, double *, size_t), in->instance,
                                e->x, e->nstate)))
        return inside_fail(in, "its states cannot be read");
    return derivatives(in, e->t, e->x, e->dx) && indicators(in, e->z);
}

bool exchange_begin_event(Inside *in)
{
    return !in->exchange.running || GOOD(CALL(in, "EnterEventMode", (void *), in->instance)) ||
           inside_fail(in, "it cannot enter an event");
}

/* ------------------------------------------------------------------ steps */

static const double nodes[STAGES] = {1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
static const double weights[STAGES][STAGES] = {
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
/* of dx and the six stages: order five minus order four */
static const double errors[STAGES + 1] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                          -17253.0 / 339200, 22.0 / 525, -1.0 / 40};

/* derivative number i: dx, then those of the stages */
static const double *derivative(const Exchange *e, size_t i)
{
    return i == 0 ? e->dx : e->k + (i - 1) * e->nstate;
}

/* a step of h from (t, x) into y; the last stage is the derivative there. *error: 1 is allowed */
static bool try_step(Inside *in, double h, double *error)
{
    Exchange *e = &in->exchange;
    for (size_t stage = 0; stage < STAGES; stage++) {
        for (size_t s = 0; s < e->nstate; s++) {
            double sum = 0;
            for (size_t i = 0; i <= stage; i++)
                sum += weights[stage][i] * derivative(e, i)[s];
            e->y[s] = e->x[s] + h * sum;
        }
        if (!derivatives(in, e->t + nodes[stage] * h, e->y, e->k + stage * e->nstate))
            return false;
    }
    *error = 0;
    for (size_t s = 0; s < e->nstate; s++) {
        double sum = 0;
        for (size_t i = 0; i <= STAGES; i++)
            sum += errors[i] * derivative(e, i)[s];
        double scale = ABSOLUTE + RELATIVE * fmax(fabs(e->x[s]), fabs(e->y[s]));
        *error = fmax(*error, fabs(h * sum) / scale);
    }
    return true;
}

/* the cubic through both ends of the step, at a share of it; into the room of the first stage */
static double *between_states(const Exchange *e, double h, double share)
{
    const double *end = e->k + (STAGES - 1) * e->nstate;
    double a = share, b = 1 - share;
    for (size_t s = 0; s < e->nstate; s++)
        e->k[s] = b * b * (1 + 2 * a) * e->x[s] + a * a * (3 - 2 * a) * e->y[s] +
                  h * a * b * (b * e->dx[s] - a * end[s]);
    return e->k;
}

/* an indicator has changed in the step: locates the first change, and handles the event there */
static bool locate(Inside *in, double h)
{
    Exchange *e = &in->exchange;
    double low = 0, high = 1;
    for (int i = 0; i < HALVINGS && (high - low) * h > 1e-14 * fmax(1, fabs(e->t)); i++) {
        double middle = (low + high) / 2;
        if (!move_to(in, e->t + middle * h, between_states(e, h, middle)) ||
            !indicators(in, e->now))
            return false;
        if (crossed(e, e->now))
            high = middle;
        else
            low = middle;
    }
    double *x = between_states(e, h, high);
    if (!move_to(in, e->t + high * h, x))
        return false;
    memcpy(e->x, x, e->nstate * sizeof *x);
    e->t += high * h;
    return exchange_begin_event(in) && exchange_end_event(in);
}

/* the end of the step becomes the state; *event: the FMU wants an event there */
static bool accept_step(Inside *in, double h, bool *event)
{
    Exchange *e = &in->exchange;
    memcpy(e->x, e->y, e->nstate * sizeof *e->x);
    memcpy(e->dx, e->k + (STAGES - 1) * e->nstate, e->nstate * sizeof *e->x);
    memcpy(e->z, e->now, e->nindicator * sizeof *e->z);
    e->t += h;
    bool enter = false, terminate = false;
    int enter2 = 0, terminate2 = 0, status;
    if (is_three(in))
        status = CALL(in, "CompletedIntegratorStep", (void *, bool, bool *, bool *), in->instance,
                      true, &enter, &terminate);
    else
        status = CALL(in, "CompletedIntegratorStep", (void *, int, int *, int *), in->instance, 1,
                      &enter2, &terminate2);
    if (!GOOD(status))
        return inside_fail(in, "its step failed");
    *event = enter || enter2;
    in->ended |= terminate || terminate2;
    return true;
}

/* one step up to `end` at most, with its event if there is one */
static bool advance_exchange(Inside *in, double end)
{
    Exchange *e = &in->exchange;
    double limit = fmin(end, e->next), h = fmin(e->h, limit - e->t), error;
    bool event = false;
    if (!(h > 0)) /* a time event that is due */
        return exchange_begin_event(in) && exchange_end_event(in);
    if (!try_step(in, h, &error))
        return false;
    double factor = error > 0 ? 0.9 * pow(error, -0.2) : 5;
    e->h = h * fmin(fmax(factor, 0.2), 5);
    if (error > 1)
        return e->h > 1e-14 * fmax(1, fabs(e->t)) ||
               inside_fail(in, "its steps become too short: is it singular?");
    if (!move_to(in, e->t + h, e->y) || !indicators(in, e->now))
        return false;
    if (crossed(e, e->now))
        return locate(in, h);
    if (!accept_step(in, h, &event))
        return false;
    if (limit - e->t < 1e-13 * fmax(1, fabs(limit)))
        e->t = limit;
    event |= e->t >= e->next;
    return !event ||
           (move_to(in, e->t, e->x) && exchange_begin_event(in) && exchange_end_event(in));
}

bool exchange_step(Inside *in, double t, double size)
{
    Exchange *e = &in->exchange;
    double end = t + size;
    e->h = fmin(e->h > 0 ? e->h : size / 10, size);
    for (int i = 0; e->t < end && !in->ended; i++) {
        if (i == MAX_STEPS)
            return inside_fail(in, "it takes more than a million steps between two points");
        if (!advance_exchange(in, end))
            return false;
    }
    return move_to(in, e->t, e->x);
}

/* ------------------------------------------------------------------ beginning and end */

/* number of states and indicators: in FMI 2 from the description, in FMI 3 by functions */
static bool take_sizes(Inside *in)
{
    Exchange *e = &in->exchange;
    e->nstate = in->file->model.nderivative;
    e->nindicator = in->file->model.nindicator;
    if (!is_three(in))
        return true;
    return (GOOD(CALL(in, "GetNumberOfContinuousStates", (void *, size_t *), in->instance,
                      &e->nstate)) &&
            GOOD(CALL(in, "GetNumberOfEventIndicators", (void *, size_t *), in->instance,
                      &e->nindicator))) ||
           inside_fail(in, "it does not tell how many states it has");
}

bool exchange_ready(Inside *in, double t)
{
    Exchange *e = &in->exchange;
    if (!GOOD(CALL(in, "ExitInitializationMode", (void *), in->instance)))
        return inside_fail(in, "it cannot be initialised");
    if (!take_sizes(in))
        return false;
    size_t n = e->nstate, m = e->nindicator;
    e->room =
        n < 10000000 && m < 10000000 ? calloc((3 + STAGES) * n + 2 * m + 1, sizeof(double)) : NULL;
    if (!e->room)
        return inside_fail(in, "there is not enough memory for its states");
    e->x = e->room;
    e->dx = e->x + n;
    e->y = e->dx + n;
    e->k = e->y + n;
    e->z = e->k + STAGES * n;
    e->now = e->z + m;
    e->t = t;
    e->running = true; /* it is in event mode now */
    return exchange_end_event(in);
}

void exchange_drop(Inside *in)
{
    free(in->exchange.room);
    in->exchange = (Exchange){0};
}
