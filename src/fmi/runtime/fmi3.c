/* fmi3.c - the interface of FMI 3.0 (fmi-standard.org) beyond interface.c. Declarations are our
 * own, after the text of the standard. */
#include "fmu.h"

#ifdef FMI3_FUNCTION_PREFIX
#define PASTE_(a, b) a##b
#define PASTE(a, b)  PASTE_(a, b)
#define NAME(name)   PASTE(FMI3_FUNCTION_PREFIX, fmi3##name)
#else
#define NAME(name) fmi3##name
#endif
#define GetCopy            GetFMUState
#define SetCopy            SetFMUState
#define FreeCopy           FreeFMUState
#define SerializedCopySize SerializedFMUStateSize
#define SerializeCopy      SerializeFMUState
#define DeserializeCopy    DeserializeFMUState
#define GetDerivatives     GetContinuousStateDerivatives
typedef bool Flag;
typedef void Logger(void *environment, int status, const char *category, const char *message);
#define LOG(m, status, category, message) (m)->logger((m)->environment, status, category, message)
#include "interface.c"

/* ------------------------------------------------------------------ life */

API(const char *) NAME(GetVersion)(void)
{
    return "3.0";
}

API(void *)
NAME(InstantiateModelExchange)
(const char *name, const char *token, const char *resources, bool visible, bool logging,
 void *environment, Logger *log)
{
    return create(name, token, false, log, environment);
}

API(void *)
NAME(InstantiateCoSimulation)
(const char *name, const char *token, const char *resources, bool visible, bool logging,
 bool event_mode, bool early_return, const uint32_t intermediate[], size_t nintermediate,
 void *environment, Logger *log, IntermediateUpdate *update)
{
    /* hasEventMode is false: event_mode is ignored, as the standard has it */
    Instance *m = create(name, token, true, log, environment);
    if (m) {
        m->early_allowed = early_return;
        m->update = update;
    }
    return m;
}

API(void *)
NAME(InstantiateScheduledExecution)
(const char *name, const char *token, const char *resources, bool visible, bool logging,
 void *environment, Logger *log, void *clock_update, void *lock, void *unlock)
{
    if (log)
        log(environment, ERROR, "logStatusError", "scheduled execution is not supported");
    return NULL;
}

F(EnterInitializationMode)
(void *instance, bool has_tolerance, double tolerance, double start, bool has_stop, double stop)
{
    DEMAND(PHASE_INSTANTIATED);
    return set_times(m, start, has_stop, stop, PHASE_INITIALIZATION);
}

F(EnterConfigurationMode)(void *instance)
{
    Instance *m = instance;
    if (!allowed(
            m, fmu_lanes ? PHASE_INSTANTIATED : 0,
            "fmi3EnterConfigurationMode, which is for structural parameters of a new instance,"))
        return ERROR;
    m->phase = PHASE_CONFIGURATION;
    return OK;
}

F(ExitConfigurationMode)(void *instance)
{
    DEMAND(PHASE_CONFIGURATION);
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
    if ((nvr && !vr) || (n && !to))
        return fail(m, "there are no value references or no place for the values");
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
    DEMAND(PHASE_ANY);
    return get_rows(m, FMU_REAL, vr, nvr, values, n);
}

F(SetFloat64)(void *instance, const uint32_t vr[], size_t nvr, const double values[], size_t n)
{
    DEMAND(PHASE_ANY);
    size_t at = 0;
    uint32_t first;
    for (size_t i = 0; i < nvr; i++) {
        const FmuRow *row = vr && values ? row_of(vr[i], &first) : NULL;
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
        DEMAND(PHASE_ANY);                                                                         \
        double *all = n < SIZE_MAX / 16 && (values || !n) ? malloc((n + 1) * sizeof *all) : NULL;  \
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
    DEMAND(PHASE_ANY);
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
        DEMAND(PHASE_ANY);                                                                         \
        return nvr ? fail(m, "a value reference is not one of this type") : OK;                    \
    }
#define NO_TYPE(name, c_type)                                                                      \
    NONE(Get##name, c_type values[], size_t n)                                                     \
    NONE(Set##name, const c_type values[], size_t n)
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
    DEMAND(PHASE_ANY);
    return fail(m, "dependencies do not change: see modelDescription.xml");
}

F(GetVariableDependencies)
(void *instance, uint32_t dependent, size_t elements[], uint32_t independents[], size_t of[],
 int kinds[], size_t n)
{
    DEMAND(PHASE_ANY);
    return fail(m, "dependencies do not change: see modelDescription.xml");
}

/* ------------------------------------------------------------------ derivatives along a seed */

/* how many numbers the variables have; SIZE_MAX: one of them is not allowed here */
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
    DEMAND(PHASE_INITIALIZATION | PHASE_EVENT | PHASE_CONTINUOUS | PHASE_STEP | PHASE_TERMINATED);
    if (count(m->v, unknowns, nunknown, false) != nsensitivity ||
        count(m->v, knowns, nknown, true) != nseed || (nseed && !seed) ||
        (nsensitivity && !sensitivity))
        return fail(m, "wrong variables or numbers of them: knowns are states, inputs and "
                       "parameters");
    Direction d = {unknowns, knowns, nunknown, nknown, seed, nseed, sensitivity, nsensitivity};
    for (size_t i = 0; i < nseed; i++)
        if (!fmu_finite(seed[i]))
            return fail(m, "a seed is not finite");
    return answer(m, direction_get(m->v, &d));
}

F(GetAdjointDerivative)
(void *instance, const uint32_t unknowns[], size_t nunknown, const uint32_t knowns[], size_t nknown,
 const double seed[], size_t nseed, double sensitivity[], size_t nsensitivity)
{
    DEMAND(PHASE_ANY);
    return fail(m, "adjoint derivatives are not provided");
}

/* ------------------------------------------------------------------ model exchange */

F(EnterEventMode)(void *instance)
{
    DEMAND(PHASE_CONTINUOUS);
    m->phase = PHASE_EVENT;
    return OK;
}

F(EvaluateDiscreteStates)(void *instance)
{
    DEMAND(PHASE_INITIALIZATION | PHASE_EVENT);
    return OK;
}

F(UpdateDiscreteStates)
(void *instance, bool *again, bool *terminate, bool *nominals, bool *values, bool *has_next,
 double *next)
{
    DEMAND(PHASE_EVENT);
    if (!again || !terminate || !nominals || !values || !has_next || !next)
        return fail(m, "there is no place for the results");
    if (!decide(m->v, values))
        return fail_model(m);
    *again = *nominals = false;
    *terminate = m->v->ends;
    *has_next = m->v->next < 1e308;
    *next = *has_next ? m->v->next : 0;
    return OK;
}

F(EnterStepMode)(void *instance)
{
    allowed(instance, 0, "fmi3EnterStepMode (there is no event mode in co-simulation)");
    return ERROR;
}

F(GetNumberOfEventIndicators)(void *instance, size_t *n)
{
    DEMAND(PHASE_ANY);
    if (!n)
        return fail(m, "there is no place for the result");
    *n = m->v->nchoice;
    return OK;
}

F(GetNumberOfContinuousStates)(void *instance, size_t *n)
{
    DEMAND(PHASE_ANY);
    if (!n)
        return fail(m, "there is no place for the result");
    *n = m->v->nstate;
    return OK;
}

/* ------------------------------------------------------------------ co-simulation */

/* reports a step to the importer; false: it wants to return here */
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
    DEMAND(PHASE_STEP);
    if (!event || !terminate || !early || !reached)
        return fail(m, "there is no place for the results");
    *event = *early = false;
    *terminate = m->v->ends;
    *reached = m->v->t;
    double slack;
    if (!may_step(m, t, size, &slack))
        return ERROR;
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
    DEMAND(PHASE_ANY);
    return fail(m, "scheduled execution is not supported");
}
