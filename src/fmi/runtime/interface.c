/* interface.c - the common part of the interfaces of FMI 2.0 and 3.0: an instance, its phases,
 * model exchange and copies of the state. Functions that differ only in their prefix stand here;
 * fmi2.c and fmi3.c define NAME, names that differ otherwise, Flag, Logger and LOG before they
 * include it. A call that the phase of the instance does not allow, or a number that is not finite,
 * returns an error with a message. */
#include <math.h>
#include <stdio.h>

typedef enum Status { OK, WARNING, DISCARD, ERROR, FATAL } Status;
typedef void IntermediateUpdate(void *environment, double time, bool set_requested,
                                bool get_allowed, bool step_finished, bool can_return_early,
                                bool *return_requested, double *return_time);

typedef struct Instance {
    Values *v;
    int phase;
    bool co_simulation, has_stop;
    double stop;
    char *name; /* FMI 2 */
    Logger *logger;
    void *environment;
    /* FMI 3 */
    bool early_allowed;
    bool asked_back; /* the importer wants an early return */
    IntermediateUpdate *update;
} Instance;

#define API(type) __attribute__((visibility("default"))) type
#define F(name)   API(int) NAME(name)

/* ------------------------------------------------------------------ messages and phases */

static __attribute__((noinline, cold)) void log_message(const Instance *m, int status,
                                                        const char *category, const char *message)
{
    if (!m->logger)
        return;
    LOG(m, status, category, message);
}

static __attribute__((noinline, cold)) int fail(const Instance *m, const char *message)
{
    log_message(m, ERROR, "logStatusError", message);
    return ERROR;
}

static void warn(void *instance, const char *message)
{
    log_message(instance, WARNING, "logStatusWarning", message);
}

/* the model itself failed: nothing but reset and free is left */
static __attribute__((noinline, cold)) int fail_model(Instance *m)
{
    m->phase = PHASE_ERROR;
    return fail(m, m->v->wrong);
}

static __attribute__((noinline)) int answer(const Instance *m, bool ok)
{
    return ok ? OK : fail(m, m->v->wrong);
}

static __attribute__((noinline)) bool allowed(Instance *m, int phases, const char *what)
{
    char message[160];
    if (!m)
        return false;
    if (m->phase & phases)
        return true;
    snprintf(message, sizeof message, "%s is not allowed: the instance is %s", what,
             phase_name(m->phase));
    fail(m, message);
    return false;
}

#define DEMAND(phases)                                                                             \
    Instance *m = instance;                                                                        \
    if (!allowed(m, phases, __func__))                                                             \
    return ERROR
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* ------------------------------------------------------------------ life */

static __attribute__((noinline)) void drop(Instance *m)
{
    if (m) {
        values_destroy(m->v);
        free(m->name);
    }
    free(m);
}

/* an instance, or NULL after reporting why */
static Instance *create(const char *name, const char *token, bool co_simulation, Logger *logger,
                        void *environment)
{
    const char *wrong = binary_problem();
    if (!name || !*name)
        wrong = "an instance must have a name";
    else if (!token || strcmp(token, fmu_token) != 0)
        wrong = "the GUID or instantiation token is not that of this FMU";
    Instance *m = wrong ? NULL : calloc(1, sizeof *m);
    if (m && (m->name = malloc(strlen(name) + 1)) && (m->v = values_create(fmu_lanes))) {
        strcpy(m->name, name);
        *m = (Instance){.v = m->v,
                        .name = m->name,
                        .phase = PHASE_INSTANTIATED,
                        .co_simulation = co_simulation,
                        .logger = logger,
                        .environment = environment};
        m->v->warn = warn;
        m->v->user = m;
        if (co_simulation || !m->v->npast)
            return m;
        wrong = no_exchange;
    }
    char none[] = "";
    fail(&(Instance){.name = name ? (char *)name : none,
                     .logger = logger,
                     .environment = environment},
         wrong ? wrong : "out of memory");
    drop(m);
    return NULL;
}

API(void) NAME(FreeInstance)(void *instance)
{
    drop(instance);
}

F(SetDebugLogging)(void *instance, Flag on, size_t n, const char *const categories[])
{
    DEMAND(PHASE_ANY | PHASE_ERROR);
    for (size_t i = 0; i < n; i++)
        if (!categories || !categories[i] ||
            (strcmp(categories[i], "logStatusError") != 0 &&
             strcmp(categories[i], "logStatusWarning") != 0))
            return fail(m, "there are two log categories: logStatusError, logStatusWarning");
    return OK;
}

/* sets begin and end of the experiment, from where steps are counted */
static int set_times(Instance *m, double start, bool has_stop, double stop, int phase)
{
    if (!fmu_finite(start) || (has_stop && (!fmu_finite(stop) || stop < start)))
        return fail(m, "the times of the experiment make no sense");
    m->v->t = m->v->origin = start;
    m->v->counter = 0;
    m->v->event_time = start + 1e-9 * fmu_step;
    m->has_stop = has_stop;
    m->stop = stop;
    m->phase = phase;
    values_moved(m->v);
    return OK;
}

/* An event in model exchange: choices are decided anew, states and memory jump. *jumps: derivatives
 * or states may have jumped, so that importers start their solvers anew. */
static bool decide(Values *v, bool *jumps)
{
    bool timed = v->t >= v->next, moved = false;
    double size = fabs(v->t) > 1 ? fabs(v->t) : 1;
    v->event_time = v->t + 1e-12 * size;
    *jumps = choices_decide(v) || timed;
    values_moved(v);
    if (fmu_events && !fmu_events->handle(v, &moved))
        return false;
    *jumps |= moved;
    v->next = next_time(v, v->event_time);
    if (!fmu_finite(v->next))
        v->next = 1e308;
    return true;
}

F(ExitInitializationMode)(void *instance)
{
    DEMAND(PHASE_INITIALIZATION);
    if (!start_find(m->v) || (!fmu_events && !derivatives_update(m->v)))
        return fail_model(m);
    m->v->at_start = false;
    m->phase = m->co_simulation ? PHASE_STEP : PHASE_EVENT;
    m->v->hold = !m->co_simulation;
    m->v->next = 1e308;
    bool jumps;
    if (fmu_events && !(fmu_events->start(m->v) && derivatives_update(m->v)))
        return fail_model(m);
    if (m->v->hold && !decide(m->v, &jumps))
        return fail_model(m);
    return OK;
}

F(Terminate)(void *instance)
{
    DEMAND(PHASE_EVENT | PHASE_CONTINUOUS | PHASE_STEP);
    m->phase = PHASE_TERMINATED;
    return OK;
}

F(Reset)(void *instance)
{
    DEMAND(PHASE_ANY | PHASE_ERROR);
    values_reset(m->v);
    m->phase = PHASE_INSTANTIATED;
    return OK;
}

/* ------------------------------------------------------------------ copies of the state */

F(GetCopy)(void *instance, void **state)
{
    DEMAND(PHASE_ANY);
    if (!state)
        return fail(m, "there is no place for the state");
    Kept *kept = kept_take(m->v, *state, m->phase);
    if (!kept)
        return fail(m, "out of memory");
    *state = kept;
    return OK;
}

F(SetCopy)(void *instance, void *state)
{
    DEMAND(PHASE_ANY | PHASE_ERROR);
    if (!state)
        return fail(m, "there is no state");
    if (kept_phase(state) & (m->co_simulation ? PHASE_EVENT | PHASE_CONTINUOUS : PHASE_STEP))
        return fail(m, "this is a state of the other kind of FMU");
    bool ok = kept_restore(m->v, state);
    m->phase = ok ? kept_phase(state) : PHASE_ERROR;
    return ok ? OK : fail(m, "out of memory");
}

F(FreeCopy)(void *instance, void **state)
{
    DEMAND(PHASE_ANY | PHASE_ERROR);
    if (state) {
        kept_free(*state);
        *state = NULL;
    }
    return OK;
}

F(SerializedCopySize)(void *instance, void *state, size_t *size)
{
    DEMAND(PHASE_ANY);
    if (!state || !size)
        return fail(m, "there is no state");
    *size = kept_size(state);
    return OK;
}

F(SerializeCopy)(void *instance, void *state, unsigned char bytes[], size_t size)
{
    DEMAND(PHASE_ANY);
    if (!state || !bytes || size < kept_size(state))
        return fail(m, "there is no state, or too little room");
    kept_write(state, bytes);
    return OK;
}

F(DeserializeCopy)(void *instance, const unsigned char bytes[], size_t size, void **state)
{
    DEMAND(PHASE_ANY);
    Kept *kept = bytes && state ? kept_read(bytes, size) : NULL;
    if (!kept)
        return fail(m, "these bytes are no state of this model");
    *state = kept;
    return OK;
}

/* ------------------------------------------------------------------ model exchange */

enum { PHASES_TO_GET = PHASE_INITIALIZATION | PHASE_EVENT | PHASE_CONTINUOUS | PHASE_TERMINATED };

F(EnterContinuousTimeMode)(void *instance)
{
    DEMAND(PHASE_EVENT);
    m->phase = PHASE_CONTINUOUS;
    return OK;
}

F(CompletedIntegratorStep)(void *instance, Flag no_set_prior, Flag *enter_event, Flag *terminate)
{
    DEMAND(PHASE_CONTINUOUS);
    if (!enter_event || !terminate)
        return fail(m, "there is no place for the results");
    if (fmu_events && !fmu_events->accept(m->v))
        return fail_model(m);
    *enter_event = 0;
    *terminate = m->v->ends;
    return OK;
}

F(SetTime)(void *instance, double time)
{
    DEMAND(PHASE_EVENT | PHASE_CONTINUOUS);
    if (!fmu_finite(time))
        return fail(m, "the time is not finite");
    if (time != m->v->t)
        values_moved(m->v);
    m->v->t = time;
    return OK;
}

/* a list of numbers of the states or indicators */
static __attribute__((noinline)) bool fits(const Instance *m, const double *list, size_t n,
                                           size_t right)
{
    if (n == right && (!n || list))
        return true;
    fail(m, "the number of states or event indicators is wrong");
    return false;
}

F(SetContinuousStates)(void *instance, const double x[], size_t n)
{
    DEMAND(PHASE_EVENT | PHASE_CONTINUOUS);
    return fits(m, x, n, m->v->nstate) ? answer(m, states_set(m->v, x)) : ERROR;
}

F(GetContinuousStates)(void *instance, double x[], size_t n)
{
    DEMAND(PHASES_TO_GET);
    if (!fits(m, x, n, m->v->nstate) || answer(m, start_find(m->v)) != OK)
        return ERROR;
    states_get(m->v, m->v->x, x);
    return OK;
}

F(GetDerivatives)(void *instance, double dx[], size_t n)
{
    DEMAND(PHASES_TO_GET);
    if (!fits(m, dx, n, m->v->nstate) || answer(m, derivatives_update(m->v)) != OK)
        return ERROR;
    states_get(m->v, m->v->dx, dx);
    return OK;
}

F(GetNominalsOfContinuousStates)(void *instance, double nominals[], size_t n)
{
    DEMAND(PHASE_ANY);
    if (!fits(m, nominals, n, m->v->nstate))
        return ERROR;
    if (fmu_nominals)
        states_get(m->v, fmu_nominals, nominals);
    for (size_t i = 0; i < n && !fmu_nominals; i++)
        nominals[i] = 1;
    return OK;
}

F(GetEventIndicators)(void *instance, double values[], size_t n)
{
    DEMAND(PHASES_TO_GET);
    return fits(m, values, n, m->v->nchoice) ? answer(m, crossings_get(m->v, values)) : ERROR;
}

/* ------------------------------------------------------------------ co-simulation */

/* may a step of this size begin at t? *slack: times closer than this count as equal */
static bool may_step(const Instance *m, double t, double size, double *slack)
{
    const char *wrong = NULL;
    *slack = 0;
    if (!fmu_finite(t) || !fmu_finite(size) || !(size > 0))
        wrong = "the communication step must be positive";
    else
        *slack = 1e-6 * (size < fmu_step ? size : fmu_step) + 1e-12 * fabs(t);
    if (!wrong && fabs(t - m->v->t) > *slack)
        wrong = "the communication point is not where the last step ended";
    if (!wrong && m->has_stop && t + size > m->stop + *slack)
        wrong = "the step goes beyond the stop time";
    if (wrong)
        fail(m, wrong);
    return !wrong;
}
