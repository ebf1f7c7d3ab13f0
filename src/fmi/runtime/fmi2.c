/* fmi2.c - the interface of FMI 2.0 (fmi-standard.org). Declarations are our own, after the text of
 * the standard. An instance knows in which phase it is; what the phase does not allow is answered
 * with an error and a message, and so is a number that is not finite. */
#include "fmu.h"

#include <math.h>
#include <stdio.h>

typedef enum Status { OK, WARNING, DISCARD, ERROR, FATAL, PENDING } Status;
typedef void Logger(void *environment, const char *instance, int status, const char *category,
                    const char *message, ...);
typedef struct Callbacks {
    Logger *logger;
    void *(*allocate)(size_t n, size_t size);
    void (*release)(void *block);
    void (*step_finished)(void *environment, int status);
    void *environment;
} Callbacks;
typedef struct EventInfo {
    int again, terminate, nominals, values, has_next;
    double next;
} EventInfo;

typedef struct Instance {
    Values *v;
    int phase;
    bool co_simulation, has_stop;
    double stop;
    double next; /* time event, 1e308: none */
    char *name;
    Logger *logger;
    void *environment;
} Instance;

#ifdef FMI2_FUNCTION_PREFIX
#define PASTE_(a, b) a##b
#define PASTE(a, b)  PASTE_(a, b)
#define NAME(name)   PASTE(FMI2_FUNCTION_PREFIX, name)
#else
#define NAME(name) name
#endif
#define API(type) __attribute__((visibility("default"))) type
#define F(name)   API(int) NAME(fmi2##name)

/* ------------------------------------------------------------------ messages and phases */

static __attribute__((noinline, cold)) int fail(Instance *m, const char *message)
{
    if (m->logger)
        m->logger(m->environment, m->name, ERROR, "logStatusError", "%s", message);
    return ERROR;
}

static void warn(void *instance, const char *message)
{
    const Instance *m = instance;
    if (m->logger)
        m->logger(m->environment, m->name, WARNING, "logStatusWarning", "%s", message);
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

API(const char *) NAME(fmi2GetTypesPlatform)(void)
{
    return "default";
}

API(const char *) NAME(fmi2GetVersion)(void)
{
    return "2.0";
}

F(SetDebugLogging)(void *instance, int on, size_t n, const char *const categories[])
{
    (void)on;
    DEMAND(PHASE_ANY | PHASE_ERROR, "fmi2SetDebugLogging");
    for (size_t i = 0; i < n; i++)
        if (!categories || !categories[i] ||
            (strcmp(categories[i], "logStatusError") != 0 &&
             strcmp(categories[i], "logStatusWarning") != 0))
            return fail(m, "there are two log categories: logStatusError, logStatusWarning");
    return OK;
}

API(void *)
NAME(fmi2Instantiate)
(const char *name, int type, const char *guid, const char *resources, const Callbacks *callbacks,
 int visible, int logging)
{
    (void)resources;
    (void)visible;
    (void)logging;
    const char *wrong = binary_problem();
    Logger *logger = callbacks ? callbacks->logger : NULL;
    if (!name || !*name)
        wrong = "an instance must have a name";
    else if (!guid || strcmp(guid, fmu_token) != 0)
        wrong = "the GUID is not that of this FMU";
    Instance *m = wrong ? NULL : calloc(1, sizeof *m);
    size_t length = name ? strlen(name) + 1 : 0;
    if (m) {
        m->v = values_create(fmu_lanes);
        m->name = malloc(length);
    }
    if (!m || !m->v || !m->name) {
        if (logger)
            logger(callbacks->environment, name ? name : "", ERROR, "logStatusError", "%s",
                   wrong ? wrong : "out of memory");
        if (m) {
            values_destroy(m->v);
            free(m->name);
        }
        free(m);
        return NULL;
    }
    memcpy(m->name, name, length);
    m->phase = PHASE_INSTANTIATED;
    m->co_simulation = type == 1;
    m->logger = logger;
    m->environment = callbacks ? callbacks->environment : NULL;
    m->v->warn = warn;
    m->v->user = m;
    if (m->co_simulation || !m->v->npast)
        return m;
    fail(m, no_exchange);
    values_destroy(m->v);
    free(m->name);
    free(m);
    return NULL;
}

API(void) NAME(fmi2FreeInstance)(void *instance)
{
    Instance *m = instance;
    if (!m)
        return;
    values_destroy(m->v);
    free(m->name);
    free(m);
}

F(SetupExperiment)
(void *instance, int has_tolerance, double tolerance, double start, int has_stop, double stop)
{
    (void)has_tolerance;
    (void)tolerance;
    DEMAND(PHASE_INSTANTIATED, "fmi2SetupExperiment");
    if (!fmu_finite(start) || (has_stop && (!fmu_finite(stop) || stop < start)))
        return fail(m, "the times of the experiment make no sense");
    m->v->t = m->v->origin = start;
    m->v->counter = 0;
    m->v->event_time = start + 1e-9 * fmu_step;
    m->has_stop = has_stop;
    m->stop = stop;
    m->phase = PHASE_SETUP;
    values_moved(m->v);
    return OK;
}

F(EnterInitializationMode)(void *instance)
{
    DEMAND(PHASE_INSTANTIATED | PHASE_SETUP, "fmi2EnterInitializationMode");
    m->phase = PHASE_INITIALIZATION;
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
    DEMAND(PHASE_INITIALIZATION, "fmi2ExitInitializationMode");
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
    DEMAND(PHASE_EVENT | PHASE_CONTINUOUS | PHASE_STEP, "fmi2Terminate");
    m->phase = PHASE_TERMINATED;
    return OK;
}

F(Reset)(void *instance)
{
    DEMAND(PHASE_ANY | PHASE_ERROR, "fmi2Reset");
    values_reset(m->v);
    m->phase = PHASE_INSTANTIATED;
    return OK;
}

/* ------------------------------------------------------------------ variables */

static int get_one(Instance *m, FmuType type, const uint32_t *vr, size_t i, double *to)
{
    uint32_t element;
    const FmuRow *row = vr ? row_of(vr[i], &element) : NULL;
    if (!row || row->type != type)
        return fail(m, "a value reference is not one of this type");
    return row_get(m->v, row, element, 1, to) ? OK : fail(m, m->v->wrong);
}

F(GetReal)(void *instance, const uint32_t vr[], size_t n, double values[])
{
    DEMAND(PHASE_ANY, "fmi2GetReal");
    for (size_t i = 0; i < n; i++)
        if (get_one(m, FMU_REAL, vr, i, &values[i]) != OK)
            return ERROR;
    return OK;
}

#define GET_AS(name, type)                                                                         \
    F(Get##name)(void *instance, const uint32_t vr[], size_t n, int values[])                      \
    {                                                                                              \
        DEMAND(PHASE_ANY, "fmi2Get" #name);                                                        \
        for (size_t i = 0; i < n; i++) {                                                           \
            double value;                                                                          \
            if (get_one(m, type, vr, i, &value) != OK)                                             \
                return ERROR;                                                                      \
            values[i] = (int)value;                                                                \
        }                                                                                          \
        return OK;                                                                                 \
    }
GET_AS(Integer, FMU_INTEGER)
GET_AS(Boolean, FMU_BOOLEAN)

F(SetReal)(void *instance, const uint32_t vr[], size_t n, const double values[])
{
    DEMAND(PHASE_ANY, "fmi2SetReal");
    for (size_t i = 0; i < n; i++) {
        uint32_t element;
        const FmuRow *row = vr ? row_of(vr[i], &element) : NULL;
        if (!row || row->type != FMU_REAL)
            return fail(m, "a value reference is not one of this type");
        if (!(phases_to_set(row) & m->phase))
            return fail(m, "a variable cannot be set now");
        if (!row_set(m->v, row, element, 1, &values[i]))
            return fail(m, m->v->wrong);
    }
    return OK;
}

/* types of which there are no variables that could be set, or none at all */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define NONE(name, ...)                                                                            \
    F(name)(void *instance, const uint32_t vr[], size_t n, __VA_ARGS__)                            \
    {                                                                                              \
        DEMAND(PHASE_ANY, "fmi2" #name);                                                           \
        return n ? fail(m, "a value reference is not one of this type") : OK;                      \
    }
NONE(SetInteger, const int values[])
NONE(SetBoolean, const int values[])
NONE(GetString, const char *values[])
NONE(SetString, const char *const values[])
NONE(SetRealInputDerivatives, const int orders[], const double values[])
NONE(GetRealOutputDerivatives, const int orders[], double values[])

/* ------------------------------------------------------------------ copies of the state */

F(GetFMUstate)(void *instance, void **state)
{
    DEMAND(PHASE_ANY, "fmi2GetFMUstate");
    if (!state)
        return fail(m, "there is no place for the state");
    Kept *kept = kept_take(m->v, *state, m->phase);
    if (!kept)
        return fail(m, "out of memory");
    *state = kept;
    return OK;
}

F(SetFMUstate)(void *instance, void *state)
{
    DEMAND(PHASE_ANY | PHASE_ERROR, "fmi2SetFMUstate");
    if (!state)
        return fail(m, "there is no state");
    return kept_restore(m->v, state, &m->phase) ? OK : fail(m, "out of memory");
}

F(FreeFMUstate)(void *instance, void **state)
{
    DEMAND(PHASE_ANY | PHASE_ERROR, "fmi2FreeFMUstate");
    if (state) {
        kept_free(*state);
        *state = NULL;
    }
    return OK;
}

F(SerializedFMUstateSize)(void *instance, void *state, size_t *size)
{
    DEMAND(PHASE_ANY, "fmi2SerializedFMUstateSize");
    if (!state || !size)
        return fail(m, "there is no state");
    *size = kept_size(state);
    return OK;
}

F(SerializeFMUstate)(void *instance, void *state, char bytes[], size_t size)
{
    DEMAND(PHASE_ANY, "fmi2SerializeFMUstate");
    if (!state || !bytes || size < kept_size(state))
        return fail(m, "there is no state, or too little room");
    kept_write(state, (unsigned char *)bytes);
    return OK;
}

F(DeSerializeFMUstate)(void *instance, const char bytes[], size_t size, void **state)
{
    DEMAND(PHASE_ANY, "fmi2DeSerializeFMUstate");
    Kept *kept = bytes && state ? kept_read((const unsigned char *)bytes, size) : NULL;
    if (!kept)
        return fail(m, "these bytes are no state of this model");
    *state = kept;
    return OK;
}

/* ------------------------------------------------------------------ derivatives along a seed */

F(GetDirectionalDerivative)
(void *instance, const uint32_t unknowns[], size_t nunknown, const uint32_t knowns[], size_t nknown,
 const double seed[], double sensitivity[])
{
    DEMAND(PHASE_INITIALIZATION | PHASE_EVENT | PHASE_CONTINUOUS | PHASE_STEP | PHASE_TERMINATED,
           "fmi2GetDirectionalDerivative");
    for (size_t i = 0; i < nunknown + nknown; i++) {
        uint32_t element;
        bool known = i >= nunknown;
        const FmuRow *row = row_of(known ? knowns[i - nunknown] : unknowns[i], &element);
        if (!row || row->type != FMU_REAL ||
            (known && row->kind != FMU_STATE && row->kind != FMU_SLOT))
            return fail(m, "wrong variables: knowns are states, inputs and parameters");
        if (known && !fmu_finite(seed[i - nunknown]))
            return fail(m, "a seed is not finite");
    }
    Direction d = {unknowns, knowns, nunknown, nknown, seed, nknown, sensitivity, nunknown};
    return direction_get(m->v, &d) ? OK : fail(m, m->v->wrong);
}

/* ------------------------------------------------------------------ model exchange */

F(EnterEventMode)(void *instance)
{
    DEMAND(PHASE_CONTINUOUS | PHASE_EVENT, "fmi2EnterEventMode");
    m->phase = PHASE_EVENT;
    return OK;
}

F(NewDiscreteStates)(void *instance, EventInfo *info)
{
    DEMAND(PHASE_EVENT, "fmi2NewDiscreteStates");
    if (!info)
        return fail(m, "there is no place for the results");
    bool jumps;
    if (!decide(m, &jumps))
        return fail_model(m);
    *info = (EventInfo){.terminate = m->v->ends,
                        .values = jumps,
                        .has_next = m->next < 1e308,
                        .next = m->next < 1e308 ? m->next : 0};
    return OK;
}

F(EnterContinuousTimeMode)(void *instance)
{
    DEMAND(PHASE_EVENT, "fmi2EnterContinuousTimeMode");
    m->phase = PHASE_CONTINUOUS;
    return OK;
}

F(CompletedIntegratorStep)(void *instance, int no_set_prior, int *enter_event, int *terminate)
{
    DEMAND(PHASE_CONTINUOUS, "fmi2CompletedIntegratorStep");
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
    DEMAND(PHASE_EVENT | PHASE_CONTINUOUS, "fmi2SetTime");
    if (!fmu_finite(time))
        return fail(m, "the time is not finite");
    if (time != m->v->t)
        values_moved(m->v);
    m->v->t = time;
    return OK;
}

F(SetContinuousStates)(void *instance, const double x[], size_t n)
{
    DEMAND(PHASE_EVENT | PHASE_CONTINUOUS, "fmi2SetContinuousStates");
    if (n != m->v->nstate || (n && !x))
        return fail(m, "the number of states is wrong");
    return states_set(m->v, x) ? OK : fail(m, m->v->wrong);
}

F(GetContinuousStates)(void *instance, double x[], size_t n)
{
    DEMAND(PHASE_INITIALIZATION | PHASE_EVENT | PHASE_CONTINUOUS | PHASE_TERMINATED,
           "fmi2GetContinuousStates");
    if (n != m->v->nstate || (n && !x))
        return fail(m, "the number of states is wrong");
    if (!start_find(m->v))
        return fail(m, m->v->wrong);
    states_get(m->v, m->v->x, x);
    return OK;
}

F(GetDerivatives)(void *instance, double dx[], size_t n)
{
    DEMAND(PHASE_INITIALIZATION | PHASE_EVENT | PHASE_CONTINUOUS | PHASE_TERMINATED,
           "fmi2GetDerivatives");
    if (n != m->v->nstate || (n && !dx))
        return fail(m, "the number of states is wrong");
    if (!derivatives_update(m->v))
        return fail(m, m->v->wrong);
    states_get(m->v, m->v->dx, dx);
    return OK;
}

F(GetNominalsOfContinuousStates)(void *instance, double nominals[], size_t n)
{
    DEMAND(PHASE_ANY, "fmi2GetNominalsOfContinuousStates");
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
           "fmi2GetEventIndicators");
    if (n != m->v->nchoice || (n && !values))
        return fail(m, "the number of event indicators is wrong");
    return crossings_get(m->v, values) ? OK : fail(m, m->v->wrong);
}

/* ------------------------------------------------------------------ co-simulation */

F(DoStep)(void *instance, double t, double size, int no_set_prior)
{
    DEMAND(PHASE_STEP, "fmi2DoStep");
    if (!fmu_finite(t) || !fmu_finite(size) || !(size > 0))
        return fail(m, "the communication step must be positive");
    double slack = 1e-6 * (size < fmu_step ? size : fmu_step) + 1e-12 * fabs(t);
    if (fabs(t - m->v->t) > slack)
        return fail(m, "the communication point is not where the last step ended");
    if (m->has_stop && t + size > m->stop + slack)
        return fail(m, "the step goes beyond the stop time");
    if (!m->v->ends && !advance_to(m->v, t + size, NULL, NULL))
        return fail_model(m);
    return m->v->ends ? DISCARD : OK; /* fmi2GetBooleanStatus tells why */
}

F(CancelStep)(void *instance)
{
    DEMAND(PHASE_STEP, "fmi2CancelStep");
    return fail(m, "steps are finished when fmi2DoStep returns: there is nothing to cancel");
}

#define STATUS(name, c_type)                                                                       \
    F(Get##name)(void *instance, int kind, c_type *value)                                          \
    {                                                                                              \
        DEMAND(PHASE_ANY, "fmi2Get" #name);                                                        \
        return DISCARD;                                                                            \
    }
STATUS(Status, int)
STATUS(IntegerStatus, int)
STATUS(StringStatus, const char *)

F(GetRealStatus)(void *instance, int kind, double *value)
{
    DEMAND(PHASE_ANY, "fmi2GetRealStatus");
    if (kind != 2 || !value)
        return DISCARD;
    *value = m->v->t; /* fmi2LastSuccessfulTime */
    return OK;
}

F(GetBooleanStatus)(void *instance, int kind, int *value)
{
    DEMAND(PHASE_ANY | PHASE_ERROR, "fmi2GetBooleanStatus");
    if (kind != 3 || !value)
        return DISCARD;
    *value = m->v->ends; /* fmi2Terminated */
    return OK;
}
