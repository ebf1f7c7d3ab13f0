/* fmi2.c - the interface of FMI 2.0 (fmi-standard.org) beyond interface.c. Declarations are our
 * own, after the text of the standard. */
#include "fmu.h"

#ifdef FMI2_FUNCTION_PREFIX
#define PASTE_(a, b) a##b
#define PASTE(a, b)  PASTE_(a, b)
#define NAME(name)   PASTE(FMI2_FUNCTION_PREFIX, fmi2##name)
#else
#define NAME(name) fmi2##name
#endif
#define GetCopy            GetFMUstate
#define SetCopy            SetFMUstate
#define FreeCopy           FreeFMUstate
#define SerializedCopySize SerializedFMUstateSize
#define SerializeCopy      SerializeFMUstate
#define DeserializeCopy    DeSerializeFMUstate
typedef int Flag;
typedef void Logger(void *environment, const char *instance, int status, const char *category,
                    const char *message, ...);
#define LOG(m, status, category, message)                                                          \
    (m)->logger((m)->environment, (m)->name, status, category, "%s", message)
#include "interface.c"

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

/* ------------------------------------------------------------------ life */

API(const char *) NAME(GetTypesPlatform)(void)
{
    return "default";
}

API(const char *) NAME(GetVersion)(void)
{
    return "2.0";
}

API(void *)
NAME(Instantiate)
(const char *name, int type, const char *guid, const char *resources, const Callbacks *callbacks,
 int visible, int logging)
{
    return create(name, guid, type == 1, callbacks ? callbacks->logger : NULL,
                  callbacks ? callbacks->environment : NULL);
}

F(SetupExperiment)
(void *instance, int has_tolerance, double tolerance, double start, int has_stop, double stop)
{
    DEMAND(PHASE_INSTANTIATED);
    return set_times(m, start, has_stop, stop, PHASE_SETUP);
}

F(EnterInitializationMode)(void *instance)
{
    DEMAND(PHASE_INSTANTIATED | PHASE_SETUP);
    m->phase = PHASE_INITIALIZATION;
    return OK;
}

/* ------------------------------------------------------------------ variables */

static int get_one(Instance *m, FmuType type, const uint32_t *vr, size_t i, double *to)
{
    uint32_t element;
    const FmuRow *row = vr ? row_of(vr[i], &element) : NULL;
    if (!row || row->type != type)
        return fail(m, "a value reference is not one of this type");
    return answer(m, row_get(m->v, row, element, 1, to));
}

F(GetReal)(void *instance, const uint32_t vr[], size_t n, double values[])
{
    DEMAND(PHASE_ANY);
    for (size_t i = 0; i < n; i++)
        if (get_one(m, FMU_REAL, values ? vr : NULL, i, &values[i]) != OK)
            return ERROR;
    return OK;
}

#define GET_AS(name, type)                                                                         \
    F(Get##name)(void *instance, const uint32_t vr[], size_t n, int values[])                      \
    {                                                                                              \
        DEMAND(PHASE_ANY);                                                                         \
        for (size_t i = 0; i < n; i++) {                                                           \
            double value;                                                                          \
            if (get_one(m, type, values ? vr : NULL, i, &value) != OK)                             \
                return ERROR;                                                                      \
            values[i] = (int)value;                                                                \
        }                                                                                          \
        return OK;                                                                                 \
    }
GET_AS(Integer, FMU_INTEGER)
GET_AS(Boolean, FMU_BOOLEAN)

F(SetReal)(void *instance, const uint32_t vr[], size_t n, const double values[])
{
    DEMAND(PHASE_ANY);
    for (size_t i = 0; i < n; i++) {
        uint32_t element;
        const FmuRow *row = vr && values ? row_of(vr[i], &element) : NULL;
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
#define NONE(name, ...)                                                                            \
    F(name)(void *instance, const uint32_t vr[], size_t n, __VA_ARGS__)                            \
    {                                                                                              \
        DEMAND(PHASE_ANY);                                                                         \
        return n ? fail(m, "a value reference is not one of this type") : OK;                      \
    }
NONE(SetInteger, const int values[])
NONE(SetBoolean, const int values[])
NONE(GetString, const char *values[])
NONE(SetString, const char *const values[])
NONE(SetRealInputDerivatives, const int orders[], const double values[])
NONE(GetRealOutputDerivatives, const int orders[], double values[])

/* ------------------------------------------------------------------ derivatives along a seed */

F(GetDirectionalDerivative)
(void *instance, const uint32_t unknowns[], size_t nunknown, const uint32_t knowns[], size_t nknown,
 const double seed[], double sensitivity[])
{
    DEMAND(PHASE_INITIALIZATION | PHASE_EVENT | PHASE_CONTINUOUS | PHASE_STEP | PHASE_TERMINATED);
    if ((nunknown && (!unknowns || !sensitivity)) || (nknown && (!knowns || !seed)))
        return fail(m, "there are no variables or no place for the results");
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
    return answer(m, direction_get(m->v, &d));
}

/* ------------------------------------------------------------------ model exchange */

F(EnterEventMode)(void *instance)
{
    DEMAND(PHASE_CONTINUOUS | PHASE_EVENT);
    m->phase = PHASE_EVENT;
    return OK;
}

F(NewDiscreteStates)(void *instance, EventInfo *info)
{
    DEMAND(PHASE_EVENT);
    if (!info)
        return fail(m, "there is no place for the results");
    bool jumps;
    if (!decide(m->v, &jumps))
        return fail_model(m);
    *info = (EventInfo){.terminate = m->v->ends,
                        .values = jumps,
                        .has_next = m->v->next < 1e308,
                        .next = m->v->next < 1e308 ? m->v->next : 0};
    return OK;
}

/* ------------------------------------------------------------------ co-simulation */

F(DoStep)(void *instance, double t, double size, int no_set_prior)
{
    DEMAND(PHASE_STEP);
    double slack;
    if (!may_step(m, t, size, &slack))
        return ERROR;
    if (!m->v->ends && !advance_to(m->v, t + size, NULL, NULL))
        return fail_model(m);
    return m->v->ends ? DISCARD : OK; /* fmi2GetBooleanStatus tells why */
}

F(CancelStep)(void *instance)
{
    DEMAND(PHASE_STEP);
    return fail(m, "steps are finished when fmi2DoStep returns: there is nothing to cancel");
}

#define STATUS(name, c_type)                                                                       \
    F(Get##name)(void *instance, int kind, c_type *value)                                          \
    {                                                                                              \
        DEMAND(PHASE_ANY);                                                                         \
        return DISCARD;                                                                            \
    }
STATUS(Status, int)
STATUS(IntegerStatus, int)
STATUS(StringStatus, const char *)

F(GetRealStatus)(void *instance, int kind, double *value)
{
    DEMAND(PHASE_ANY);
    if (kind != 2 || !value)
        return DISCARD;
    *value = m->v->t; /* fmi2LastSuccessfulTime */
    return OK;
}

F(GetBooleanStatus)(void *instance, int kind, int *value)
{
    DEMAND(PHASE_ANY | PHASE_ERROR);
    if (kind != 3 || !value)
        return DISCARD;
    *value = m->v->ends; /* fmi2Terminated */
    return OK;
}
