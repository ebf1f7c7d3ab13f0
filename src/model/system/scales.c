/* scales.c - what a model says about the size of its states: nominal, min and max.
 *
 * A nominal value is the size at which an error of the tolerance is allowed: solvers weigh state i
 * by 1 / (tolerance (nominal_i + |x_i|)). Without one it is 1. The limits min and max change
 * nothing: a run reports a state that leaves them.
 *
 * Most models give none, so the vectors are made only where one is given, with a number for each
 * state of the system; sheets have the numbers as they were set (flatten.h).
 */
#include "model/system/system.h"

#include <math.h>

static const LiederAllocator *alloc_of(const LiederSystem *system)
{
    return SYSTEM_ALLOC(system);
}

/* the slot of a state in its class */
static uint32_t state_slot(const LiederClass *class_, const LiederMember *state)
{
    return (uint32_t)class_slot_of_member(class_, state);
}

/* false after reporting an error: a nominal of zero, an empty range */
static bool check_scale(LiederSystem *system, size_t state)
{
    const Scales *c = &system->scales;
    char name[600];
    bool good = isfinite(c->nominal[state]) && c->nominal[state] > 0,
         range = c->min[state] <= c->max[state];
    if (good && range)
        return true;
    lieder_system_state_name(system, state, name, sizeof name);
    if (!good)
        diag_error(&system->session->diag, NULL, name,
                   "nominal = %g is no size\ngive a number that the state is about as large as",
                   c->nominal[state]);
    else
        diag_error(&system->session->diag, NULL, name,
                   "no number lies between min = %g and max = %g\ncorrect one of them",
                   c->min[state], c->max[state]);
    return false;
}

/* a nominal value below zero is taken as a size, which its author may not have meant */
static void warn_of_sign(LiederSystem *system, size_t state, double nominal)
{
    char name[600];
    lieder_system_state_name(system, state, name, sizeof name);
    diag_warning(&system->session->diag, NULL, name,
                 "nominal = %g is below zero: %g is taken\nwrite the size, without the sign",
                 nominal, -nominal);
}

/* the attributes of one state in all lanes of its shape */
static bool fill_state(LiederSystem *system, const SystemShape *ss, size_t s)
{
    const StateRef *ref = &ss->shape->states.items[s];
    const LiederClass *class_ = ss->shape->components.items[ref->component].class_;
    uint32_t slot = state_slot(class_, ref->member);
    Scales *c = &system->scales;
    for (size_t lane = 0; lane < ss->shape->nlane; lane++) {
        LiederElement e = element_at(system, ss, ref->component, lane);
        const Sheet *sheet = &system->flat.sheets.items[e.sheet];
        uint32_t at = sheet_instance(sheet, e.instance).first_slot + slot;
        double *to[] = {&c->nominal[home_state(ss, s, lane)], &c->min[home_state(ss, s, lane)],
                        &c->max[home_state(ss, s, lane)]};
        for (int k = 0; k < STATE_ATTRIBUTES; k++) {
            double value = sheet_attribute(sheet, at, (StateAttribute)k, e.lane);
            if (!isnan(value))
                *to[k] = k == STATE_NOMINAL ? fabs(value) : value;
            if (k == STATE_NOMINAL && value < 0 && lane == 0)
                warn_of_sign(system, home_state(ss, s, lane), value);
        }
        if (!check_scale(system, home_state(ss, s, lane)))
            return false;
    }
    return true;
}

LiederStatus scales_create(LiederSystem *system)
{
    Scales *c = &system->scales;
    size_t bytes = system->nstate * sizeof(double) + 1;
    if (!flat_has_attributes(&system->flat))
        return LIEDER_DONE;
    c->bytes = bytes;
    c->nominal = memory_zeroed(alloc_of(system), bytes);
    c->min = memory_zeroed(alloc_of(system), bytes);
    c->max = memory_zeroed(alloc_of(system), bytes);
    if (!c->nominal || !c->min || !c->max)
        return LIEDER_NO_MEMORY;
    for (size_t i = 0; i < system->nstate; i++) {
        c->nominal[i] = 1;
        c->min[i] = -INFINITY;
        c->max[i] = INFINITY;
    }
    LiederStatus status = LIEDER_DONE;
    for (size_t k = 0; k < system->nhome; k++) {
        const SystemShape *ss = &system->shapes.items[k];
        for (size_t s = 0; s < ss->shape->states.n; s++)
            if (!fill_state(system, ss, s))
                status = LIEDER_BAD_MODEL;
    }
    return status;
}

void scales_drop(LiederSystem *system)
{
    Scales *c = &system->scales;
    double *owned[] = {c->nominal, c->min, c->max};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        if (owned[i])
            memory_free(alloc_of(system), owned[i], c->bytes);
    *c = (Scales){0};
}
