/* fmi3.c - the interface of FMI 3.0 (fmi-standard.org). Declarations are our own, after the text of
 * the standard. An instance knows in which phase it is; what the phase does not allow is answered
 * with an error and a message, and so is a number that is not finite. */
#include "fmu.h"

#include <math.h>
#include <stdio.h>

typedef enum Status { OK, WARNING, DISCARD, ERROR, FATAL } Status;
typedef void LogMessage(void *environment, int status, const char *category, const char *message);
typedef void IntermediateUpdate(void *environment, double time, bool set_requested,
                                bool get_allowed, bool step_finished, bool can_return_early,
                                bool *return_requested, double *return_time);

typedef struct Instance {
    Values *v;
    int phase;
    bool co_simulation, logging, early_allowed;
    bool asked_back; /* the importer asked to return early */
    double stop;
    bool has_stop;
    double next; /* time event, 1e308: none */
    void *environment;
    LogMessage *log;
    IntermediateUpdate *update;
} Instance;

#ifdef FMI3_FUNCTION_PREFIX
#define PASTE_(a, b) a##b
#define PASTE(a, b)  PASTE_(a, b)
#define NAME(name)   PASTE(FMI3_FUNCTION_PREFIX, name)
#else
#define NAME(name) name
#endif
#define API(type) __attribute__((visibility("default"))) type
#define F(name)   API(int) NAME(fmi3##name)

/* ------------------------------------------------------------------ messages and phases */

static __attribute__((noinline, cold)) int fail(Instance *m, const char *message)
{
    if (m->log)
        m->log(m->environment, ERROR, "logStatusError", message);
    return ERROR;
}

static void warn(void *instance, const char *message)
{
    const Instance *m = instance;
    if (m->log)
        m->log(m->environment, WARNING, "logStatusWarning", message);
}

/* the model itself failed: nothing but reset and free is left */
static __attribute__((noinline, cold)) int fail_model(Instance *m)
{
    m->phase = PHASE_ERROR;
    return fail(m, m->v->wrong);
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

#define DEMAND(phases, what)                                                                       \
    Instance *m = instance;                                                                        \
    if (!allowed(m, phases, what))                                                                 \
    return ERROR

/* ------------------------------------------------------------------ life */

API(const char *) NAME(fmi3GetVersion)(void)
{
    return "3.0";
}

F(SetDebugLogging)(void *instance, bool on, size_t n, const char *const categories[])
{
    DEMAND(PHASE_ANY | PHASE_ERROR, "fmi3SetDebugLogging");
    for (size_t i = 0; i < n; i++)
        if (!categories || !categories[i] ||
            (strcmp(categories[i], "logStatusError") != 0 &&
             strcmp(categories[i], "logStatusWarning") != 0))
            return fail(m, "there are two log categories: logStatusError, logStatusWarning");
    m->logging = on;
    return OK;
}

static Instance *create(const char *name, const char *token, bool logging, void *environment,
                        LogMessage *log)
{
    const char *wrong = binary_problem();
    if (!name || !*name)
        wrong = "an instance must have a name";
    else if (!token || strcmp(token, fmu_token) != 0)
        wrong = "the instantiation token is not that of this FMU";
    Instance *m = wrong ? NULL : calloc(1, sizeof *m);
    if (m)
        m->v = values_create(fmu_lanes);
    if (!m || !m->v) {
        if (log)
            log(environment, ERROR, "logStatusError", wrong ? wrong : "out of memory");
        free(m);
        return NULL;
    }
    m->phase = PHASE_INSTANTIATED;
    m->logging = logging;
    m->environment = environment;
    m->log = log;
    m->v->warn = warn;
    m->v->user = m;
    return m;
}

API(void *)
NAME(fmi3InstantiateModelExchange)
(const char *name, const char *token, const char *resources, bool visible, bool logging,
 void *environment, LogMessage *log)
{
    (void)resources;
    (void)visible;
    Instance *m = create(name, token, logging, environment, log);
    if (m && m->v->npast) {
        fail(m, no_exchange);
        values_destroy(m->v);
        free(m);
        return NULL;
    }
    return m;
}

API(void *)
NAME(fmi3InstantiateCoSimulation)
(const char *name, const char *token, const char *resources, bool visible, bool logging,
 bool event_mode, bool early_return, const uint32_t intermediate[], size_t nintermediate,
 void *environment, LogMessage *log, IntermediateUpdate *update)
{
    (void)resources;
    (void)visible;
    (void)event_mode; /* hasEventMode is false: ignored, as the standard has it */
    (void)intermediate;
    (void)nintermediate;
    Instance *m = create(name, token, logging, environment, log);
    if (m) {
        m->co_simulation = true;
        m->early_allowed = early_return;
        m->update = update;
    }
    return m;
}

API(void *)
NAME(fmi3InstantiateScheduledExecution)
(const char *name, const char *token, const char *resources, bool visible, bool logging,
 void *environment, LogMessage *log, void *clock_update, void *lock, void *unlock)
{
    (void)name;
    (void)token;
    (void)resources;
    (void)visible;
    (void)logging;
    (void)clock_update;
    (void)lock;
    (void)unlock;
    if (log)
        log(environment, ERROR, "logStatusError", "scheduled execution is not supported");
    return NULL;
}

API(void) NAME(fmi3FreeInstance)(void *instance)
{
    Instance *m = instance;
    if (!m)
        return;
    values_destroy(m->v);
    free(m);
}

F(EnterInitializationMode)
(void *instance, bool has_tolerance, double tolerance, double start, bool has_stop, double stop)
{
    (void)has_tolerance;
    (void)tolerance;
    DEMAND(PHASE_INSTANTIATED, "fmi3EnterInitializationMode");
    if (!fmu_finite(start) || (has_stop && (!fmu_finite(stop) || stop < start)))
        return fail(m, "the times of the experiment make no sense");
    m->v->t = m->v->origin = start;
    m->v->counter = 0;
    m->v->event_time = start + 1e-9 * fmu_step;
    m->has_stop = has_stop;
    m->stop = stop;
    m->phase = PHASE_INITIALIZATION;
    values_moved(m->v);
    return OK;
}

/* What happens at an event in model exchange: choices are made anew, states and memory jump.
 * *jumps: the derivatives may do so here; importers start their solvers anew when states have
 * changed, and are told so. */
static bool decide(Instance *m, bool *jumps)
{
    bool timed = m->v->t >= m->next, moved = false;
    double size = fabs(m->v->t) > 1 ? fabs(m->v->t) : 1;
    m->v->event_time = m->v->t + 1e-12 * size;
    *jumps = choices_decide(m->v) || timed;
    values_moved(m->v);
    if (fmu_events && !fmu_events->handle(m->v, &moved))
        return false;
    *jumps |= moved;
    m->next = next_time(m->v, m->v->event_time);
    if (!fmu_finite(m->next))
        m->next = 1e308;
    return true;
}

F(ExitInitializationMode)(void *instance)
{
    DEMAND(PHASE_INITIALIZATION, "fmi3ExitInitializationMode");
    if (!start_find(m->v) || (!fmu_events && !derivatives_update(m->v)))
        return fail_model(m);
    m->v->at_start = false;
    m->phase = m->co_simulation ? PHASE_STEP : PHASE_EVENT;
    m->v->hold = !m->co_simulation;
    m->next = 1e308;
    bool jumps;
    if (fmu_events && !(fmu_events->start(m->v) && derivatives_update(m->v)))
        return fail_model(m);
    if (m->v->hold && !decide(m, &jumps))
        return fail_model(m);
    return OK;
}

F(Terminate)(void *instance)
{
    DEMAND(PHASE_EVENT | PHASE_CONTINUOUS | PHASE_STEP, "fmi3Terminate");
    m->phase = PHASE_TERMINATED;
    return OK;
}

F(Reset)(void *instance)
{
    DEMAND(PHASE_ANY | PHASE_ERROR, "fmi3Reset");
    values_reset(m->v);
    m->phase = PHASE_INSTANTIATED;
    return OK;
}

F(EnterConfigurationMode)(void *instance)
{
    DEMAND(fmu_lanes ? PHASE_INSTANTIATED : 0,
           "fmi3EnterConfigurationMode, which is for structural parameters of a new instance,");
    m->phase = PHASE_CONFIGURATION;
    return OK;
}

F(ExitConfigurationMode)(void *instance)
{
    DEMAND(PHASE_CONFIGURATION, "fmi3ExitConfigurationMode");
    m->phase = PHASE_INSTANTIATED;
    return OK;
}

/* ------------------------------------------------------------------ variables */

/* numbers of a type, in the order of the references */
static int get_rows(Instance *m, FmuType type, const uint32_t vr[], size_t nvr, double *to,
                    size_t n)
{
    size_t at = 0;
    uint32_t first;
    if (nvr && !vr)
        return fail(m, "there are no value references");
    for (size_t i = 0; i < nvr; i++) {
        const FmuRow *row = row_of(vr[i], &first);
        if (!row || row->type != type)
            return fail(m, "a value reference is not one of this type");
        size_t count = row_count(m->v, row);
        if (count > n - at)
            return fail(m, "there is too little room for the values");
        if (!row_get(m->v, row, 0, count, to + at))
            return fail(m, m->v->wrong);
        at += count;
    }
    return at == n ? OK : fail(m, "the number of values is not that of the variables");
}

F(GetFloat64)(void *instance, const uint32_t vr[], size_t nvr, double values[], size_t n)
{
    DEMAND(PHASE_ANY, "fmi3GetFloat64");
    return get_rows(m, FMU_REAL, vr, nvr, values, n);
}

F(SetFloat64)(void *instance, const uint32_t vr[], size_t nvr, const double values[], size_t n)
{
    DEMAND(PHASE_ANY, "fmi3SetFloat64");
    size_t at = 0;
    uint32_t first;
    for (size_t i = 0; i < nvr; i++) {
        const FmuRow *row = vr ? row_of(vr[i], &first) : NULL;
        if (!row || row->type != FMU_REAL)
            return fail(m, "a value reference is not one of this type");
        if (!(phases_to_set(row) & m->phase))
            return fail(m, "a variable cannot be set now");
        size_t count = row_count(m->v, row);
        if (count > n - at)
            return fail(m, "there are too few values");
        if (!row_set(m->v, row, 0, count, values + at))
            return fail(m, m->v->wrong);
        at += count;
    }
    return at == n ? OK : fail(m, "the number of values is not that of the variables");
}

/* discrete variables and constants of other types */
#define GET_AS(name, c_type, type)                                                                 \
    F(Get##name)(void *instance, const uint32_t vr[], size_t nvr, c_type values[], size_t n)       \
    {                                                                                              \
        DEMAND(PHASE_ANY, "fmi3Get" #name);                                                        \
        double *all = malloc((n + 1) * sizeof *all);                                               \
        int status =                                                                               \
            all ? get_rows(m, type, vr, nvr, all, n) : fail(m, "there is not enough memory");      \
        for (size_t i = 0; i < n && status == OK; i++)                                             \
            values[i] = (c_type)all[i];                                                            \
        free(all);                                                                                 \
        return status;                                                                             \
    }
GET_AS(Int32, int32_t, FMU_INTEGER)
GET_AS(Boolean, bool, FMU_BOOLEAN)
GET_AS(UInt64, uint64_t, FMU_COUNT)

F(SetUInt64)(void *instance, const uint32_t vr[], size_t nvr, const uint64_t values[], size_t n)
{
    DEMAND(PHASE_ANY, "fmi3SetUInt64");
    uint32_t first;
    if (nvr != n || (n && (!vr || !values)))
        return fail(m, "the number of values is not that of the variables");
    for (size_t i = 0; i < nvr; i++) {
        const FmuRow *row = row_of(vr[i], &first);
        if (!row || row->type != FMU_COUNT)
            return fail(m, "a value reference is not one of this type");
        if (m->phase != PHASE_CONFIGURATION)
            return fail(m, "a structural parameter is set in configuration mode");
        if (values[i] < 1 || (fmu_most_lanes && values[i] > fmu_most_lanes))
            return fail(m, "there are fewer or more elements than the FMU can have");
        if (!values_resize(m->v, values[i]))
            return fail(m, m->v->wrong);
    }
    return OK;
}

/* types of which there are no variables */
#define NONE(name, ...)                                                                            \
    F(name)(void *instance, const uint32_t vr[], size_t nvr, __VA_ARGS__)                          \
    {                                                                                              \
        (void)vr;                                                                                  \
        DEMAND(PHASE_ANY, "fmi3" #name);                                                           \
        return nvr ? fail(m, "a value reference is not one of this type") : OK;                    \
    }
#define NO_TYPE(name, c_type)                                                                      \
    NONE(Get##name, c_type values[], size_t n __attribute__((unused)))                             \
    NONE(Set##name, const c_type values[], size_t n __attribute__((unused)))
#pragma GCC diagnostic ignored "-Wunused-parameter"
NO_TYPE(Float32, float)
NO_TYPE(Int8, int8_t)
NO_TYPE(UInt8, uint8_t)
NO_TYPE(Int16, int16_t)
NO_TYPE(UInt16, uint16_t)
NO_TYPE(UInt32, uint32_t)
NO_TYPE(Int64, int64_t)

NO_TYPE(String, char *const)
NONE(SetInt32, const int32_t values[], size_t n)
NONE(SetBoolean, const bool values[], size_t n)
NONE(GetBinary, size_t sizes[], const uint8_t *values[], size_t n)
NONE(SetBinary, const size_t sizes[], const uint8_t *const values[], size_t n)
NONE(GetClock, bool values[])
NONE(SetClock, const bool values[])
NONE(GetIntervalDecimal, double intervals[], int qualifiers[])
NONE(GetIntervalFraction, uint64_t counters[], uint64_t resolutions[], int qualifiers[])
NONE(GetShiftDecimal, double shifts[])
NONE(GetShiftFraction, uint64_t counters[], uint64_t resolutions[])
NONE(SetIntervalDecimal, const double intervals[])
NONE(SetIntervalFraction, const uint64_t counters[], const uint64_t resolutions[])
NONE(SetShiftDecimal, const double shifts[])
NONE(SetShiftFraction, const uint64_t counters[], const uint64_t resolutions[])
NONE(GetOutputDerivatives, const int32_t orders[], double values[], size_t n)

F(GetNumberOfVariableDependencies)(void *instance, uint32_t reference, size_t *n)
{
    DEMAND(PHASE_ANY, "fmi3GetNumberOfVariableDependencies");
    return fail(m, "dependencies do not change: see modelDescription.xml");
}

F(GetVariableDependencies)
(void *instance, uint32_t dependent, size_t elements[], uint32_t independents[], size_t of[],
 int kinds[], size_t n)
{
    DEMAND(PHASE_ANY, "fmi3GetVariableDependencies");
    return fail(m, "dependencies do not change: see modelDescription.xml");
}

/* ------------------------------------------------------------------ copies of the state */

F(GetFMUState)(void *instance, void **state)
{
    DEMAND(PHASE_ANY, "fmi3GetFMUState");
    if (!state)
        return fail(m, "there is no place for the state");
    Kept *kept = kept_take(m->v, *state, m->phase);
    if (!kept)
        return fail(m, "out of memory");
    *state = kept;
    return OK;
}

F(SetFMUState)(void *instance, void *state)
{
    DEMAND(PHASE_ANY | PHASE_ERROR, "fmi3SetFMUState");
    if (!state)
        return fail(m, "there is no state");
    if (!kept_restore(m->v, state, &m->phase))
        return fail(m, "out of memory");
    return OK;
}

F(FreeFMUState)(void *instance, void **state)
{
    DEMAND(PHASE_ANY | PHASE_ERROR, "fmi3FreeFMUState");
    if (state) {
        kept_free(*state);
        *state = NULL;
    }
    return OK;
}

F(SerializedFMUStateSize)(void *instance, void *state, size_t *size)
{
    DEMAND(PHASE_ANY, "fmi3SerializedFMUStateSize");
    if (!state || !size)
        return fail(m, "there is no state");
    *size = kept_size(state);
    return OK;
}

F(SerializeFMUState)(void *instance, void *state, uint8_t bytes[], size_t size)
{
    DEMAND(PHASE_ANY, "fmi3SerializeFMUState");
    if (!state || !bytes || size < kept_size(state))
        return fail(m, "there is no state, or too little room");
    kept_write(state, bytes);
    return OK;
}

F(DeserializeFMUState)(void *instance, const uint8_t bytes[], size_t size, void **state)
{
    DEMAND(PHASE_ANY, "fmi3DeserializeFMUState");
    Kept *kept = bytes && state ? kept_read(bytes, size) : NULL;
    if (!kept)
        return fail(m, "these bytes are no state of this model");
    *state = kept;
    return OK;
}

/* ------------------------------------------------------------------ derivatives along a seed */

/* numbers of the variables; SIZE_MAX: one of them may not stand here */
static size_t count(const Values *v, const uint32_t vr[], size_t n, bool known)
{
    size_t all = 0;
    uint32_t first;
    for (size_t i = 0; i < n; i++) {
        const FmuRow *row = vr ? row_of(vr[i], &first) : NULL;
        if (!row || row->type != FMU_REAL ||
            (known && row->kind != FMU_STATE && row->kind != FMU_SLOT))
            return SIZE_MAX;
        all += row_count(v, row);
    }
    return all;
}

F(GetDirectionalDerivative)
(void *instance, const uint32_t unknowns[], size_t nunknown, const uint32_t knowns[], size_t nknown,
 const double seed[], size_t nseed, double sensitivity[], size_t nsensitivity)
{
    DEMAND(PHASE_INITIALIZATION | PHASE_EVENT | PHASE_CONTINUOUS | PHASE_STEP | PHASE_TERMINATED,
           "fmi3GetDirectionalDerivative");
    if (count(m->v, unknowns, nunknown, false) != nsensitivity ||
        count(m->v, knowns, nknown, true) != nseed)
        return fail(m, "wrong variables or numbers of them: knowns are states, inputs and "
                       "parameters");
    Direction d = {unknowns, knowns, nunknown, nknown, seed, nseed, sensitivity, nsensitivity};
    for (size_t i = 0; i < nseed; i++)
        if (!fmu_finite(seed[i]))
            return fail(m, "a seed is not finite");
    return direction_get(m->v, &d) ? OK : fail(m, m->v->wrong);
}

F(GetAdjointDerivative)
(void *instance, const uint32_t unknowns[], size_t nunknown, const uint32_t knowns[], size_t nknown,
 const double seed[], size_t nseed, double sensitivity[], size_t nsensitivity)
{
    DEMAND(PHASE_ANY, "fmi3GetAdjointDerivative");
    return fail(m, "adjoint derivatives are not provided");
}

/* ------------------------------------------------------------------ model exchange */

F(EnterEventMode)(void *instance)
{
    DEMAND(PHASE_CONTINUOUS, "fmi3EnterEventMode");
    m->phase = PHASE_EVENT;
    return OK;
}

F(EvaluateDiscreteStates)(void *instance)
{
    DEMAND(PHASE_INITIALIZATION | PHASE_EVENT, "fmi3EvaluateDiscreteStates");
    return OK;
}

F(UpdateDiscreteStates)
(void *instance, bool *again, bool *terminate, bool *nominals, bool *values, bool *has_next,
 double *next)
{
    DEMAND(PHASE_EVENT, "fmi3UpdateDiscreteStates");
    if (!again || !terminate || !nominals || !values || !has_next || !next)
        return fail(m, "there is no place for the results");
    if (!decide(m, values))
        return fail_model(m);
    *again = *nominals = false;
    *terminate = m->v->ends;
    *has_next = m->next < 1e308;
    *next = *has_next ? m->next : 0;
    return OK;
}

F(EnterContinuousTimeMode)(void *instance)
{
    DEMAND(PHASE_EVENT, "fmi3EnterContinuousTimeMode");
    if (m->co_simulation)
        return fail(m, "fmi3EnterContinuousTimeMode is for model exchange");
    m->phase = PHASE_CONTINUOUS;
    return OK;
}

F(EnterStepMode)(void *instance)
{
    DEMAND(0, "fmi3EnterStepMode (there is no event mode in co-simulation)");
    return OK;
}

F(CompletedIntegratorStep)(void *instance, bool no_set_prior, bool *enter_event, bool *terminate)
{
    DEMAND(PHASE_CONTINUOUS, "fmi3CompletedIntegratorStep");
    if (!enter_event || !terminate)
        return fail(m, "there is no place for the results");
    if (fmu_events && !fmu_events->accept(m->v))
        return fail_model(m);
    *enter_event = false;
    *terminate = m->v->ends;
    return OK;
}

F(SetTime)(void *instance, double time)
{
    DEMAND(PHASE_EVENT | PHASE_CONTINUOUS, "fmi3SetTime");
    if (!fmu_finite(time))
        return fail(m, "the time is not finite");
    if (time != m->v->t)
        values_moved(m->v);
    m->v->t = time;
    return OK;
}

F(SetContinuousStates)(void *instance, const double x[], size_t n)
{
    DEMAND(PHASE_EVENT | PHASE_CONTINUOUS, "fmi3SetContinuousStates");
    if (n != m->v->nstate || (n && !x))
        return fail(m, "the number of states is wrong");
    return states_set(m->v, x) ? OK : fail(m, m->v->wrong);
}

F(GetContinuousStates)(void *instance, double x[], size_t n)
{
    DEMAND(PHASE_INITIALIZATION | PHASE_EVENT | PHASE_CONTINUOUS | PHASE_TERMINATED,
           "fmi3GetContinuousStates");
    if (n != m->v->nstate || (n && !x))
        return fail(m, "the number of states is wrong");
    if (!start_find(m->v))
        return fail(m, m->v->wrong);
    states_get(m->v, m->v->x, x);
    return OK;
}

F(GetContinuousStateDerivatives)(void *instance, double dx[], size_t n)
{
    DEMAND(PHASE_INITIALIZATION | PHASE_EVENT | PHASE_CONTINUOUS | PHASE_TERMINATED,
           "fmi3GetContinuousStateDerivatives");
    if (n != m->v->nstate || (n && !dx))
        return fail(m, "the number of states is wrong");
    if (!derivatives_update(m->v))
        return fail(m, m->v->wrong);
    states_get(m->v, m->v->dx, dx);
    return OK;
}

F(GetNominalsOfContinuousStates)(void *instance, double nominals[], size_t n)
{
    DEMAND(PHASE_ANY, "fmi3GetNominalsOfContinuousStates");
    if (n != m->v->nstate || (n && !nominals))
        return fail(m, "the number of states is wrong");
    if (fmu_nominals)
        states_get(m->v, fmu_nominals, nominals);
    for (size_t i = 0; i < n && !fmu_nominals; i++)
        nominals[i] = 1;
    return OK;
}

F(GetEventIndicators)(void *instance, double values[], size_t n)
{
    DEMAND(PHASE_INITIALIZATION | PHASE_EVENT | PHASE_CONTINUOUS | PHASE_TERMINATED,
           "fmi3GetEventIndicators");
    if (n != m->v->nchoice || (n && !values))
        return fail(m, "the number of event indicators is wrong");
    return crossings_get(m->v, values) ? OK : fail(m, m->v->wrong);
}

F(GetNumberOfEventIndicators)(void *instance, size_t *n)
{
    DEMAND(PHASE_ANY, "fmi3GetNumberOfEventIndicators");
    if (!n)
        return fail(m, "there is no place for the result");
    *n = m->v->nchoice;
    return OK;
}

F(GetNumberOfContinuousStates)(void *instance, size_t *n)
{
    DEMAND(PHASE_ANY, "fmi3GetNumberOfContinuousStates");
    if (!n)
        return fail(m, "there is no place for the result");
    *n = m->v->nstate;
    return OK;
}

/* ------------------------------------------------------------------ co-simulation */

/* tells the importer of a step; false: it wants to return here */
static bool stepped(void *user, double t)
{
    Instance *m = user;
    bool requested = false;
    double back_at = t;
    m->update(m->environment, t, false, true, true, m->early_allowed, &requested, &back_at);
    m->asked_back = m->early_allowed && requested && back_at <= t;
    return !m->asked_back;
}

F(DoStep)
(void *instance, double t, double size, bool no_set_prior, bool *event, bool *terminate,
 bool *early, double *reached)
{
    DEMAND(PHASE_STEP, "fmi3DoStep");
    if (!event || !terminate || !early || !reached)
        return fail(m, "there is no place for the results");
    *event = *early = false;
    *terminate = m->v->ends;
    *reached = m->v->t;
    if (!fmu_finite(t) || !fmu_finite(size) || !(size > 0))
        return fail(m, "the communication step must be positive");
    double slack = 1e-6 * (size < fmu_step ? size : fmu_step) + 1e-12 * fabs(t);
    if (fabs(t - m->v->t) > slack)
        return fail(m, "the communication point is not where the last step ended");
    if (m->has_stop && t + size > m->stop + slack)
        return fail(m, "the step goes beyond the stop time");
    m->asked_back = false;
    if (!m->v->ends && !advance_to(m->v, t + size, m->update ? stepped : NULL, m))
        return fail_model(m);
    *terminate = m->v->ends;
    *early = (m->asked_back || m->v->ends) && m->v->t < t + size - slack;
    *reached = m->v->t;
    return OK;
}

F(ActivateModelPartition)(void *instance, uint32_t clock, double time)
{
    DEMAND(PHASE_ANY, "fmi3ActivateModelPartition");
    return fail(m, "scheduled execution is not supported");
}
