/* held.c - what a lane holds between events beside its states.
 *
 *   choices   of crossings, see component.h. Those of kind LIEDER_HELD are read by blocks in every
 *             evaluation; outside of runs held_decide finds them.
 *   memory    discrete numbers of components. Blocks read the number itself; event blocks set the
 *             new one. Its start value is a slot like that of a state. Memory includes the
 *             addresses of histories (solve/events/history.c; outside of runs there are none) and
 *             guesses (solve/events/guess.c; outside of runs they are zero)
 *   timers    the time of a component's next event
 *   requests  whether one was made when it was last examined, so that it is reported once
 *
 * The last three stand in one vector, number k of lane l of a shape at first_memory + k nlane + l,
 * and stay there when the connections change, as states do. A run has a vector of its own; that
 * of the system holds start values and is used outside of runs.
 */
#include "model/system/system.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------ lists */

static bool is_timer_or_request(const LiederMember *m)
{
    return m->kind == LIEDER_TIMER || m->kind == LIEDER_REQUEST;
}

/* members for which the event block of the component runs in every event */
static bool is_memory(const LiederMember *m)
{
    return m->kind == LIEDER_MEMORY || m->kind == LIEDER_HISTORY;
}

/* members that blocks read: numbers, addresses of histories, guesses */
static bool is_read(const LiederMember *m)
{
    return is_memory(m) || m->kind == LIEDER_GUESS;
}

/* members of all components that blocks read, or timers and requests */
static bool list_memories(SystemShape *ss, bool memory, const LiederAllocator *alloc)
{
    for (uint32_t i = 0; i < ss->shape->components.n; i++) {
        const LiederClassDef *def = ss->shape->components.items[i].class_->def;
        for (int m = 0; m < def->nmember; m++)
            if ((memory ? is_read(&def->members[m]) : is_timer_or_request(&def->members[m])) &&
                !vec_push(alloc, &ss->held.memories, (CrossingRef){i, &def->members[m]}))
                return false;
    }
    return true;
}

bool list_held(SystemShape *ss, const LiederAllocator *alloc)
{
    for (uint32_t i = 0; i < ss->shape->components.n; i++) {
        const LiederClassDef *def = ss->shape->components.items[i].class_->def;
        bool alert = false;
        for (int m = 0; m < def->nmember; m++) {
            const LiederMember *member = &def->members[m];
            alert |= is_memory(member) || member->kind == LIEDER_TIMER;
            ss->held.nhistory += member->kind == LIEDER_HISTORY;
            ss->held.nguess += member->kind == LIEDER_GUESS;
            if (member->kind != LIEDER_CROSSING)
                continue;
            ss->held.nheld += member->crossing == LIEDER_HELD;
            ss->held.linear_crossings |= member->linear;
            if (!vec_push(alloc, &ss->held.crossings, (CrossingRef){i, member}))
                return false;
        }
        if (alert && !vec_push(alloc, &ss->held.alert, i))
            return false;
    }
    if (!list_memories(ss, true, alloc))
        return false;
    ss->held.nmemory = ss->held.memories.n;
    return list_memories(ss, false, alloc);
}

/* ------------------------------------------------------------------ own values */

static double start_value(const SystemShape *ss, const CrossingRef *ref, size_t lane)
{
    if (ref->member->kind != LIEDER_MEMORY)
        return ref->member->kind == LIEDER_TIMER ? INFINITY : 0;
    const LiederClass *class_ = ss->shape->components.items[ref->component].class_;
    const SlotValue *v =
        slot_of(ss, ref->component, (uint32_t)class_slot_of_member(class_, ref->member));
    return v->lanes ? v->lanes[lane] : v->value;
}

void held_start(const LiederSystem *system, double *memory)
{
    for (size_t i = 0; i < system->nhome; i++) {
        const SystemShape *ss = &system->shapes.items[i];
        for (size_t k = 0; k < ss->held.memories.n; k++)
            for (size_t lane = 0; lane < ss->shape->nlane; lane++)
                memory[home_memory(ss, k, lane)] =
                    start_value(ss, &ss->held.memories.items[k], lane);
    }
}

void held_first_choices(const LiederSystem *system, double *choices)
{
    for (size_t i = 0; i < system->nhome; i++) {
        const SystemShape *ss = &system->shapes.items[i];
        for (size_t k = 0; k < ss->held.crossings.n; k++)
            for (size_t lane = 0; lane < ss->shape->nlane; lane++)
                if (ss->held.crossings.items[k].member->crossing != LIEDER_EDGE)
                    choices[home_choice(ss, k, lane)] =
                        ss->held.crossings.items[k].member->fallback;
    }
}

/* one lane of a member of a class: a memory, or the choice of a crossing */
static void load_number(const Program *p, const LaneOps *ops, const LiederStrip *strip,
                        const CrossingRef *ref, int index, double value)
{
    ops->load(strip, at_of(p, ref->component)[LIEDER_AT_SELF] + (uint32_t)index, &value, 1);
}

void held_load_start(const SystemShape *ss, const Program *p, const LaneOps *ops,
                     const LiederStrip *strip, size_t lane)
{
    for (size_t k = 0; k < ss->held.nmemory; k++)
        load_number(p, ops, strip, &ss->held.memories.items[k],
                    ss->held.memories.items[k].member->index,
                    start_value(ss, &ss->held.memories.items[k], lane));
    for (size_t k = 0; k < ss->held.crossings.n; k++)
        load_number(p, ops, strip, &ss->held.crossings.items[k],
                    ss->held.crossings.items[k].member->other, 0);
}

void held_forget_past(const SystemShape *ss, const Program *p, const LaneOps *ops,
                      const LiederStrip *strip)
{
    for (size_t k = 0; k < ss->held.nmemory && ss->held.nhistory; k++)
        if (ss->held.memories.items[k].member->kind == LIEDER_HISTORY)
            load_number(p, ops, strip, &ss->held.memories.items[k],
                        ss->held.memories.items[k].member->index, 0);
}

bool held_create(LiederSystem *system)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(system);
    if (system->nmemory) {
        system->memory = memory_zeroed(alloc, system->nmemory * sizeof(double));
        if (!system->memory)
            return false;
        held_start(system, system->memory);
    }
    for (size_t i = 0; i < system->shapes.n; i++)
        system->shapes.items[i].held.own_memory = system->memory;
    if (system->nheld == 0)
        return true;
    system->choices = memory_zeroed(alloc, 2 * system->nchoice * sizeof(double));
    return system->choices;
}

void held_drop(LiederSystem *system)
{
    memory_free(SYSTEM_ALLOC(system), system->memory, system->nmemory * sizeof(double));
    memory_free(SYSTEM_ALLOC(system), system->choices, 2 * system->nchoice * sizeof(double));
}

void held_update(LiederSystem *system, const Seat *home, const LiederMember *m, double value)
{
    const SystemShape *ss = &system->shapes.items[home->shape];
    for (size_t k = 0; k < ss->held.nmemory; k++)
        if (ss->held.memories.items[k].component == home->component &&
            ss->held.memories.items[k].member == m)
            system->memory[home_memory(ss, k, home->lane)] = value;
}

/* ------------------------------------------------------------------ one lane */

/* a real of a component in the full record of a shape, first lane */
static double *record_real(const SystemShape *ss, uint32_t component, int index)
{
    size_t place = at_of(&ss->plan.full, component)[LIEDER_AT_SELF] + (size_t)index;
    return ss->workspace->record + place * (size_t)ss->plan.full.lanes;
}

void lane_crossings(LiederSystem *system, SystemShape *ss, size_t lane, double t,
                    const Moment *moment, const double *x, double *values)
{
    lane_explicit(system, ss, lane, t, moment, x);
    for (size_t k = 0; k < ss->held.crossings.n; k++) {
        const CrossingRef *ref = &ss->held.crossings.items[k];
        values[home_choice(ss, k, lane)] = *record_real(ss, ref->component, ref->member->index);
    }
}

/* states of a component out of the full record; true if one has changed */
static bool take_states(const SystemShape *ss, uint32_t component, size_t lane, double *x)
{
    bool moved = false;
    for (size_t s = 0; s < ss->shape->states.n; s++) {
        const StateRef *ref = &ss->shape->states.items[s];
        if (ref->component != component)
            continue;
        double *state = x + home_state(ss, s, lane);
        double value = *record_real(ss, component, ref->member->index);
        moved |= *state != value;
        *state = value;
    }
    return moved;
}

bool lane_event(LiederSystem *system, SystemShape *ss, uint32_t component, size_t lane, double t,
                const Moment *moment, double *x, bool *moved)
{
    const LiederKernels *k = kernels_of(&ss->plan.full, &ss->shape->components.items[component]);
    if (!k->event.run)
        return false;
    LiederStrip strip = lane_explicit(system, ss, lane, t, moment, x);
    lieder_run(k->event, &strip, at_of(&ss->plan.full, component), 0);
    *moved |= take_states(ss, component, lane, x);
    return true;
}

enum { BY_EVENT = 1, BY_EXPLICIT = 2 };

/* marks the requests of a lane that explicit blocks have made: event blocks make the others */
static void mark_requests(const SystemShape *ss, size_t lane, LanePass *pass)
{
    for (size_t k = ss->held.nmemory; k < ss->held.memories.n; k++) {
        const CrossingRef *ref = &ss->held.memories.items[k];
        if (ref->member->kind == LIEDER_REQUEST &&
            *record_real(ss, ref->component, ref->member->index) != 0)
            pass->changed[home_memory(ss, k, lane)] |= BY_EXPLICIT;
    }
}

/* number k of the lane out of the full record */
static void take_memory(const SystemShape *ss, size_t k, size_t lane, double *memory,
                        LanePass *pass)
{
    const CrossingRef *ref = &ss->held.memories.items[k];
    const LiederMember *m = ref->member;
    size_t i = home_memory(ss, k, lane);
    if (m->kind == LIEDER_HISTORY || m->kind == LIEDER_GUESS)
        return; /* solve/events/history.c, solve/events/guess.c */
    double value = *record_real(ss, ref->component, m->kind == LIEDER_MEMORY ? m->other : m->index);
    if (m->kind == LIEDER_REQUEST) {
        if (value != 0 && !(pass->changed[i] & BY_EXPLICIT))
            pass->changed[i] |= BY_EVENT;
        pass->changed[i] &= BY_EVENT;
        return;
    }
    if (isnan(value) || (m->kind == LIEDER_MEMORY && isinf(value)))
        pass->trouble = k;
    if (memcmp(&memory[i], &value, sizeof value) == 0)
        return;
    memory[i] = value;
    if (m->kind == LIEDER_MEMORY) {
        pass->changed[i] = BY_EVENT;
        pass->memory = true;
    }
}

void lane_pass(LiederSystem *system, SystemShape *ss, size_t lane, double t, const Moment *moment,
               double *x, double *memory, LanePass *pass)
{
    LiederStrip strip = lane_explicit(system, ss, lane, t, moment, x);
    pass->memory = pass->states = false;
    pass->trouble = NO_TROUBLE;
    mark_requests(ss, lane, pass);
    for (size_t i = 0; i < ss->held.alert.n; i++) {
        uint32_t c = ss->held.alert.items[i];
        lieder_run(kernels_of(&ss->plan.full, &ss->shape->components.items[c])->event, &strip,
                   at_of(&ss->plan.full, c), 0);
    }
    for (size_t i = 0; i < ss->held.alert.n; i++)
        pass->states |= take_states(ss, ss->held.alert.items[i], lane, x);
    for (size_t k = 0; k < ss->held.memories.n; k++)
        take_memory(ss, k, lane, memory, pass);
}

/* ------------------------------------------------------------------ modes without a past */

enum { MAX_PASSES = 100, JOINT_PASSES = 16 };

/* changes the held choices of a lane that contradict their values, all or the first one; returns
 * how many */
static size_t change_held(LiederSystem *system, const SystemShape *ss, size_t lane,
                          const double *values, bool one)
{
    const double BAND = 1e-12;
    double largest = 0;
    size_t n = 0;
    for (size_t k = 0; k < ss->held.crossings.n; k++)
        if (ss->held.crossings.items[k].member->crossing == LIEDER_HELD)
            largest = fmax(largest, fabs(values[home_choice(ss, k, lane)]));
    for (size_t k = 0; k < ss->held.crossings.n && !(one && n); k++) {
        size_t i = home_choice(ss, k, lane);
        if (ss->held.crossings.items[k].member->crossing != LIEDER_HELD ||
            (values[i] < 0) == (system->choices[i] > 0.5) || !(fabs(values[i]) > BAND * largest))
            continue;
        system->choices[i] = values[i] < 0;
        n++;
    }
    return n;
}

/* repeats the crossings of a lane until no choice changes; reports choices that go on changing */
static LiederStatus decide_lane(LiederSystem *system, SystemShape *ss, size_t lane, double t,
                                const double *x, double *values)
{
    Moment moment = system->moment;
    moment.choices = system->choices;
    moment.decides = true;
    for (int pass = 0; pass < MAX_PASSES; pass++) {
        lane_crossings(system, ss, lane, t, &moment, x, values);
        if (change_held(system, ss, lane, values, pass >= JOINT_PASSES) == 0)
            return LIEDER_DONE;
    }
    char path[512];
    diag_error(
        &system->session->diag, NULL,
        lane_path(system, ss, ss->held.crossings.items[0].component, lane, path, sizeof path),
        "the choices between modes contradict each other at t = %.15g\nis there a solution "
        "at all? simulate goes on from the modes before, which may help",
        t);
    return LIEDER_GAVE_UP;
}

/* The choices of held modes at (t, x) without a past, into system->choices: an iteration from all
 * on one side. LIEDER_GAVE_UP after naming those that contradict each other. */
static LiederStatus held_decide(LiederSystem *system, double t, const double *x)
{
    LiederStatus status = LIEDER_DONE;
    double *values = system->choices + system->nchoice;
    size_t n;
    held_first_choices(system, system->choices);
    for (size_t i = 0; i < system->shapes.n; i++) {
        SystemShape *ss = &system->shapes.items[i];
        for (size_t lane = 0;
             ss->held.nheld && status == LIEDER_DONE && lanes_next(ss, &lane, &n, 1); lane++)
            status = decide_lane(system, ss, lane, t, x, values);
    }
    return status;
}

LiederStatus held_enter(LiederSystem *system, double t, const double *x)
{
    if (!system->choices || system->moment.choices)
        return LIEDER_DONE;
    LiederStatus status = held_decide(system, t, x);
    system->moment.choices = system->choices;
    system->moment.decides = true;
    return status;
}
