/* iterate.c - the event of one lane.
 *
 *   pass: choices that their values contradict get their new side; event blocks run, all from the
 *         same numbers; memory and states take what they have set; values are computed anew
 *
 * is repeated until no choice is contradicted and nothing has changed. The event block of a
 * component with memory or timers runs in every pass, any other one in the pass in which a
 * crossing of the component has changed. Memory is compared bit by bit. In a lane with memory the
 * choices of modes are settled first: event blocks see no mixture of modes that is no solution.
 *
 * Choices of modes are changed together in the first JOINT_PASSES passes, afterwards only the
 * contradicted one of least index, which ends where the equations of the modes are a P-matrix
 * (Murty, Math. Programming 7, 1974). If a lane comes back to numbers that it had in an earlier
 * pass it will do so for ever: what changes on the way round is named. Equations of modes that are
 * no P-matrix (a limited amplifier with positive feedback) have several solutions, and the way to
 * the next one may lead over several modes: after MAX_PASSES all combinations of up to MAX_TRIED
 * modes are tried, those first that differ least from what held before the event. If none fits, the
 * choices or numbers that change are reported; the run stops, or holds choices at their surface
 * where they are close to it.
 *
 * Chattering and Zeno: a crossing that fires CHATTER_COUNT times within CHATTER_SPAN of the run, or
 * within UNARMED_SPAN if each time it came back before it was armed; CONVERGING_COUNT times if they
 * come faster and faster and set states, since such events may end by themselves. Then the run
 * stops, or the crossing is held: its choice becomes 2. Where both sides lead back to the surface
 * the lane slides along it (slide.c). Contacts of dialectic mechanics are held unless the run was
 * set to stop: closed, s' = v + T_D z is v when the spring is relaxed, since d_el T_D holds the
 * weight; open it is v - T_D g; in between the ball rides on the surface for about T_D.
 */
#include "base/intern.h"
#include "solve/events/events.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    CHATTER_COUNT = 32,
    CONVERGING_COUNT = 500,
    MAX_PASSES = 100,
    JOINT_PASSES = 16,
    LAST_PASSES = 10,
    MAX_TRIED = 12
};
static const double UNARMED_SPAN = 1e-2, LATE = 0.001, NOTHING = 1e-9;

typedef struct LaneIteration {
    Events *e;
    LiederSystem *system;
    Instant *at;
    SystemShape *ss;
    size_t lane;
    Moment moment;
    int settling;              /* passes since memory or states have changed */
    size_t flipped;            /* choices in this pass */
    bool ran;                  /* event blocks with memory, in this pass */
    bool changed;              /* memory or states, in this pass */
    bool moved;                /* states, in any pass */
    unsigned before;           /* choices of the modes when the event began, as bits; list_modes */
    bool tried;                /* all combinations of modes were tried */
    uint64_t seen[MAX_PASSES]; /* hashes of the numbers after passes with event blocks */
    size_t nseen, left;        /* left: passes until the round is complete */
} LaneIteration;

/* ------------------------------------------------------------------ chattering */

/* path of the component of crossing k; the name of its value */
static const char *name_crossing(const LaneIteration *v, size_t k, char *path, size_t size)
{
    const CrossingRef *ref = &v->ss->held.crossings.items[k];
    lane_path(v->system, v->ss, ref->component, v->lane, path, size);
    return ref->member->name;
}

/* an elastic element of dialectic mechanics that opens and closes: it has the switch `damped` */
static bool is_contact(const LaneIteration *v, size_t k)
{
    const CrossingRef *ref = &v->ss->held.crossings.items[k];
    const LiederClassDef *def = v->ss->shape->components.items[ref->component].class_->def;
    for (int i = 0; i < def->nmember; i++)
        if (def->members[i].structural && strcmp(def->members[i].name, "damped") == 0)
            return true;
    return false;
}

static bool holds(const LaneIteration *v, size_t k)
{
    return v->at->chatter == LIEDER_CHATTER_HOLD ||
           (v->at->chatter == LIEDER_CHATTER_AUTO && is_contact(v, k));
}

/* does a choice of the lane slide already? */
static bool another_slides(const LaneIteration *v)
{
    for (size_t k = 0; k < v->ss->held.crossings.n; k++)
        if (slides(v->e->choices[home_choice(v->ss, k, v->lane)]))
            return true;
    return false;
}

/* an error if the run stops there, a warning if it is set to hold the surface */
static void report_chatter(const LaneIteration *v, size_t k)
{
    char path[512];
    double t = v->at->t;
    const char *name = name_crossing(v, k, path, sizeof path);
    if (!holds(v, k))
        diag_error(&v->system->session->diag, NULL, path,
                   "events of %s follow each other without end from t = %.15g on (chattering or "
                   "Zeno)%s\nsmooth the component, take fixed steps (--solver rk3 with a step that "
                   "lieder eigen calls stable), or let the run hold the surface (--chatter hold, "
                   "LIEDER_CHATTER_HOLD)",
                   name, t,
                   another_slides(v)
                       ? ": another relation of the subsystem slides already, and one "
                         "at a time can"
                       : "");
    else if (v->at->chatter == LIEDER_CHATTER_HOLD)
        diag_warning(&v->system->session->diag, NULL, path,
                     "events of %s follow each other without end from t = %.15g on (chattering or "
                     "Zeno): held at its surface",
                     name, t);
}

/* Both sides lead back to the surface: the lane slides along it from here on. */
static bool slides_along(const LaneIteration *v, size_t k)
{
    enum { MAX_REPORTED = 5 };
    char path[512];
    uint32_t shape = (uint32_t)(v->ss - v->system->shapes.items);
    if (v->at->chatter == LIEDER_CHATTER_STOP || is_contact(v, k) ||
        !slide_begins(v->e, shape, v->lane, home_choice(v->ss, k, v->lane), v->at->t, &v->moment,
                      v->at->x))
        return false;
    const char *name = name_crossing(v, k, path, sizeof path);
    if (v->e->team->slides_reported++ < MAX_REPORTED)
        diag_warning(&v->system->session->diag, NULL, path,
                     "from t = %.15g on both sides of %s lead back to it: the model slides along "
                     "it, by a mixture of both (Filippov)\na hysteresis or a smooth law says more "
                     "about what happens there; --chatter stop ends the run instead",
                     v->at->t, name);
    return true;
}

bool chatter_count(Recent *r, double t, double span)
{
    if (t - r->since > span) {
        r->since = t;
        r->count = 0;
    }
    return ++r->count >= CHATTER_COUNT;
}

/* ------------------------------------------------------------------ what alternates */

/* the values of the crossings, with what is held now */
static void evaluate_lane_event(LaneIteration *v)
{
    lane_crossings(v->system, v->ss, v->lane, v->at->t, &v->moment, v->at->x, v->e->high);
}

static bool lane_contradicted(const LaneIteration *v)
{
    for (size_t k = 0; k < v->ss->held.crossings.n; k++) {
        size_t i = home_choice(v->ss, k, v->lane);
        if (crossing_contradicted(v->e, i, v->e->high[i]))
            return true;
    }
    return false;
}

/* ------------------------------------------------------------------ all combinations of modes */

/* the modes of the lane, by crossing; 0: none, or more than can be tried */
static size_t list_modes(const LaneIteration *v, size_t *modes)
{
    size_t n = 0;
    for (size_t k = 0; k < v->ss->held.crossings.n; k++) {
        size_t i = home_choice(v->ss, k, v->lane);
        if (!v->e->mode[i])
            continue;
        if (n == MAX_TRIED)
            return 0;
        modes[n++] = i;
    }
    return n;
}

static unsigned modes_held(const LaneIteration *v)
{
    size_t modes[MAX_TRIED], n = list_modes(v, modes);
    unsigned bits = 0;
    for (size_t k = 0; k < n; k++)
        bits |= (v->e->choices[modes[k]] > 0.5 ? 1u : 0u) << k;
    return bits;
}

static bool modes_contradicted(const LaneIteration *v, const size_t *modes, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (crossing_contradicted(v->e, modes[k], v->e->high[modes[k]]))
            return true;
    return false;
}

/* Combinations that differ in 1, 2, ... modes from those before the event, until one is a solution.
 */
static bool try_all_modes(LaneIteration *v)
{
    size_t modes[MAX_TRIED], n = v->tried ? 0 : list_modes(v, modes);
    v->tried = true;
    for (unsigned distance = 1; distance <= n; distance++)
        for (unsigned turned = 1; turned < 1u << n; turned++) {
            if ((unsigned)__builtin_popcount(turned) != distance)
                continue;
            for (size_t k = 0; k < n; k++) {
                v->e->choices[modes[k]] = (v->before ^ turned) >> k & 1;
                v->e->crossings[modes[k]].armed = 0;
            }
            evaluate_lane_event(v);
            if (modes_contradicted(v, modes, n))
                continue;
            v->settling = 0;
            v->nseen = v->left = 0;
            return true;
        }
    return false;
}

/* Choices that change in every pass rest at their surface, if they can; else nothing is changed. */
static bool hold_alternating(LaneIteration *v)
{
    Events *e = v->e;
    for (size_t k = 0; k < v->ss->held.crossings.n; k++) {
        size_t i = home_choice(v->ss, k, v->lane);
        e->low[i] = e->choices[i];
        if (e->news[i] & CROSSING_FLIPPED)
            e->choices[i] = LIEDER_HELD_SURFACE;
    }
    evaluate_lane_event(v);
    if (!lane_contradicted(v))
        return true;
    for (size_t k = 0; k < v->ss->held.crossings.n; k++) {
        size_t i = home_choice(v->ss, k, v->lane);
        e->choices[i] = e->low[i];
    }
    return false;
}

/* reports the choices that change in every pass, or (LIEDER_CHATTER_HOLD) that they are held */
static LiederStatus report_choices(LaneIteration *v)
{
    enum { MAX_NAMED = 3 };
    Diagnostics *diag = &v->system->session->diag;
    bool held = v->at->chatter == LIEDER_CHATTER_HOLD && hold_alternating(v);
    size_t found = 0;
    for (size_t k = 0; k < v->ss->held.crossings.n; k++) {
        if (!(v->e->news[home_choice(v->ss, k, v->lane)] & CROSSING_FLIPPED) ||
            found++ >= MAX_NAMED)
            continue;
        char path[512];
        const char *name = name_crossing(v, k, path, sizeof path);
        if (held)
            diag_warning(diag, NULL, path,
                         "the choice by %s changes in every one of %d passes at t = %.15g: held at "
                         "its surface",
                         name, MAX_PASSES, v->at->t);
        else
            diag_error(diag, NULL, path,
                       "the choice by %s changes in every one of %d passes at t = %.15g: the "
                       "choices of the model contradict each other\nis there a solution at all? "
                       "smooth the component, or give it a range where both choices are right",
                       name, MAX_PASSES, v->at->t);
    }
    if (found > MAX_NAMED)
        diag_warning(diag, NULL, NULL, "%zu other choices change with these", found - MAX_NAMED);
    return held ? LIEDER_DONE : LIEDER_GAVE_UP;
}

/* forgets what has changed so far, to see what changes from here on */
static void forget_changes(LaneIteration *v)
{
    for (size_t k = 0; k < v->ss->held.crossings.n; k++)
        v->e->news[home_choice(v->ss, k, v->lane)] &= (unsigned char)~CROSSING_CHANGED;
    for (size_t k = 0; k < v->ss->held.nmemory; k++)
        v->e->changed[home_memory(v->ss, k, v->lane)] = 0;
}

/* "a.b (1), a.c (0)": what has changed since forget_changes, with its value now; how many */
static size_t list_changed(const LaneIteration *v, char *buffer, size_t size)
{
    size_t at = 0, n = 0;
    buffer[0] = '\0';
    for (size_t k = 0; k < v->ss->held.nmemory; k++) {
        size_t i = home_memory(v->ss, k, v->lane);
        const CrossingRef *ref = &v->ss->held.memories.items[k];
        char path[512];
        if (!v->e->changed[i])
            continue;
        lane_path(v->system, v->ss, ref->component, v->lane, path, sizeof path);
        if (at < size)
            at += (size_t)snprintf(buffer + at, size - at, "%s%s%s%s (%g)", n ? ", " : "", path,
                                   *path ? "." : "", ref->member->name, v->e->memory[i]);
        n++;
    }
    return n;
}

/* memory of components that changes in every pass */
static LiederStatus report_memory(const LaneIteration *v, const char *how)
{
    char names[1500];
    size_t n = list_changed(v, names, sizeof names);
    diag_error(&v->system->session->diag, NULL, NULL,
               "the event at t = %.15g does not end: %s %s %s\nequations like b = not pre(b) have "
               "no solution: let the variable change in a when clause, once for each event; a "
               "clock ticks at most %d times in one step",
               v->at->t, names, n == 1 ? "changes" : "change", how, MAX_PASSES);
    return LIEDER_GAVE_UP;
}

/* the event does not end: memory that changes, else states that every pass sets */
static LiederStatus report_endless(LaneIteration *v, const char *how)
{
    char names[8];
    if (list_changed(v, names, sizeof names))
        return report_memory(v, how);
    char path[512];
    diag_error(&v->system->session->diag, NULL,
               lane_path(v->system, v->ss, v->ss->held.alert.items[0], v->lane, path, sizeof path),
               "the event at t = %.15g does not end: states are set anew %s\nreinit belongs into a "
               "when clause whose condition becomes true once",
               v->at->t, how);
    return LIEDER_GAVE_UP;
}

static LiederStatus report_alternation(LaneIteration *v)
{
    return v->ss->held.alert.n && v->changed ? report_endless(v, "in every pass")
                                             : report_choices(v);
}

/* all numbers of the lane that an event may change */
static uint64_t lane_hash(const LaneIteration *v)
{
    const SystemShape *ss = v->ss;
    unsigned long long hash = HASH_SEED;
    for (size_t k = 0; k < ss->held.nmemory; k++)
        hash = hash_bytes(hash, &v->e->memory[home_memory(ss, k, v->lane)], sizeof(double));
    for (size_t k = 0; k < ss->held.crossings.n; k++)
        hash = hash_bytes(hash, &v->e->choices[home_choice(ss, k, v->lane)], sizeof(double));
    for (size_t s = 0; s < ss->shape->states.n; s++)
        hash = hash_bytes(hash, &v->at->x[home_state(ss, s, v->lane)], sizeof(double));
    return hash;
}

/* after a pass with event blocks: has the lane been here before? */
static LiederStatus watch_round(LaneIteration *v)
{
    uint64_t now = lane_hash(v);
    if (v->left)
        return --v->left ? LIEDER_DONE : report_endless(v, "in turn");
    for (size_t i = 0; i < v->nseen; i++)
        if (v->seen[i] == now) {
            v->left = v->nseen - i;
            forget_changes(v);
            return LIEDER_DONE;
        }
    v->seen[v->nseen++] = now;
    return LIEDER_DONE;
}

/* ------------------------------------------------------------------ a pass */

static bool is_alert(const SystemShape *ss, uint32_t component)
{
    for (size_t i = 0; i < ss->held.alert.n; i++)
        if (ss->held.alert.items[i] == component)
            return true;
    return false;
}

/* A mode that is not armed changes where it leaves its band: once a warning, where that is a
 * visible part of its values. What these are is not known at the first events of a run: the band
 * is kept until the next ones. */
static void report_late(const LaneIteration *v, size_t k)
{
    Events *e = v->e;
    size_t i = home_choice(v->ss, k, v->lane);
    const Crossing *c = &e->crossings[i];
    char path[512];
    if (e->late == INFINITY || !e->mode[i])
        return;
    double scale = c->scale[e->choices[i] > 0.5], most = e->largest[e->lane_of[i]];
    double band = fmax(c->armed > 0 ? 0 : 2 * c->noise, e->late);
    bool known = most > NOTHING * band; /* else they are the rounding of zeros so far */
    e->late = known ? 0 : band;
    if (!known || !(band > (scale > 0 ? LATE * scale : most)))
        return;
    e->late = INFINITY;
    const char *name = name_crossing(v, k, path, sizeof path);
    diag_warning(&v->system->session->diag, NULL, path,
                 "the tolerance leaves %.2g in %s, whose values reach %.2g: its events may be late "
                 "by as much (seen at t = %.6g)\ntake a finer tolerance, or say how large the "
                 "states are by their attribute nominal",
                 band, name, scale > 0 ? scale : most, v->at->t);
}

/* a contradicted choice gets its new side, and the event block of a component without memory
 * runs */
static LiederStatus flip_crossing(LaneIteration *v, size_t k)
{
    Events *e = v->e;
    size_t i = home_choice(v->ss, k, v->lane);
    Crossing *c = &e->crossings[i];
    double before = e->choices[i];
    double span = (c->armed > 0 ? CHATTER_SPAN : UNARMED_SPAN) * e->span;
    report_late(v, k);
    crossing_flip(e, i, e->high[i]);
    c->bounces.turned = e->choices[i];
    v->flipped++;
    if (!v->at->patient && !(e->news[i] & CROSSING_COUNTED) &&
        chatter_count(&c->recent, v->at->t, span) &&
        (holds(v, k) || !zeno_converges(e, i) || c->recent.count >= CONVERGING_COUNT)) {
        bool slides = slides_along(v, k);
        if (!slides)
            report_chatter(v, k);
        if (!slides && !holds(v, k))
            return LIEDER_GAVE_UP;
        if (!slides)
            e->choices[i] = LIEDER_HELD_SURFACE;
        c->recent.count = 0;
    }
    e->news[i] |= CROSSING_FLIPPED | CROSSING_COUNTED | CROSSING_CHANGED;
    /* a choice that leaves a held surface is no event of the component */
    bool moved = false;
    uint32_t component = v->ss->held.crossings.items[k].component;
    if (before < 1.5 && !is_alert(v->ss, component) &&
        lane_event(v->system, v->ss, component, v->lane, v->at->t, &v->moment, v->at->x, &moved))
        v->at->ran++;
    if (moved)
        e->news[i] |= CROSSING_MOVED;
    v->moved |= moved;
    return LIEDER_DONE;
}

enum { MODES = 1, EDGES = 2 };

/* changes every crossing of these kinds whose choice its value contradicts; from JOINT_PASSES on
 * one mode at a time */
static LiederStatus flip_choices(LaneIteration *v, int kinds)
{
    Events *e = v->e;
    bool alone = false; /* a mode was changed, and no other one may be */
    for (size_t k = 0; k < v->ss->held.crossings.n; k++) {
        size_t i = home_choice(v->ss, k, v->lane);
        if (!(kinds & (e->mode[i] ? MODES : EDGES)) || (e->mode[i] && alone) ||
            !crossing_contradicted(e, i, e->high[i]))
            continue;
        alone = e->mode[i] && v->settling >= JOINT_PASSES;
        LiederStatus status = flip_crossing(v, k);
        if (status != LIEDER_DONE)
            return status;
    }
    return LIEDER_DONE;
}

/* the event blocks of components with memory or timers */
static LiederStatus run_blocks(LaneIteration *v)
{
    LanePass pass = {.changed = v->e->changed};
    lane_pass(v->system, v->ss, v->lane, v->at->t, &v->moment, v->at->x, v->e->memory, &pass);
    v->at->ran += v->nseen == 0 && v->left == 0;
    v->ran = true;
    v->changed = pass.memory || pass.states;
    v->moved |= pass.states;
    /* at the start values follow from others that the next pass has */
    if (pass.trouble == NO_TROUBLE || (v->moment.initial && pass.memory))
        return LIEDER_DONE;
    const CrossingRef *ref = &v->ss->held.memories.items[pass.trouble];
    char path[512];
    diag_error(&v->system->session->diag, NULL,
               lane_path(v->system, v->ss, ref->component, v->lane, path, sizeof path),
               "%s becomes %g in the event at t = %.15g\na function has left its range, a system "
               "of equations has no solution, or a while loop that variables decide has not ended "
               "after 50 rounds",
               ref->member->name, v->e->memory[home_memory(v->ss, pass.trouble, v->lane)],
               v->at->t);
    return LIEDER_NOT_FINITE;
}

/* choices, then event blocks, then values */
static LiederStatus one_pass(LaneIteration *v)
{
    Events *e = v->e;
    SystemShape *ss = v->ss;
    bool alert = ss->held.alert.n > 0;
    v->flipped = 0;
    v->ran = v->changed = false;
    for (size_t k = 0; k < ss->held.crossings.n; k++)
        e->news[home_choice(ss, k, v->lane)] &= CROSSING_COUNTED | CROSSING_CHANGED;
    LiederStatus status = flip_choices(v, alert ? MODES : MODES | EDGES);
    if (status == LIEDER_DONE && alert && v->flipped == 0) {
        status = flip_choices(v, EDGES);
        if (status == LIEDER_DONE)
            status = run_blocks(v);
    }
    if (status != LIEDER_DONE || (v->flipped == 0 && !v->changed))
        return status;
    v->settling = v->changed ? 0 : v->settling + 1;
    evaluate_lane_event(v);
    for (size_t k = 0; k < ss->held.crossings.n && v->changed; k++)
        if (e->mode[home_choice(ss, k, v->lane)])
            e->news[home_choice(ss, k, v->lane)] |= CROSSING_OTHER;
    crossing_measure_lane(e, ss, v->lane, v->at->t, &v->moment, v->at->x,
                          CROSSING_FLIPPED | CROSSING_OTHER);
    /* where the event blocks have left their own values; what else follows is for the next pass */
    for (size_t k = 0; k < ss->held.crossings.n; k++) {
        size_t i = home_choice(ss, k, v->lane);
        if (e->news[i] & CROSSING_MOVED && e->choices[i] < 1.5)
            crossing_set(e, i, e->high[i]);
    }
    return v->ran ? watch_round(v) : LIEDER_DONE;
}

LiederStatus events_iterate_lane(Events *e, uint32_t shape, size_t lane, Instant *at)
{
    LaneIteration v = {.e = e,
                       .system = e->team->system,
                       .at = at,
                       .ss = &e->team->system->shapes.items[shape],
                       .lane = lane,
                       .moment = events_moment(e, at->decided, false)};
    LiederStatus status = LIEDER_DONE;
    v.moment.initial = at->initial;
    for (size_t k = 0; k < v.ss->held.crossings.n; k++)
        e->news[home_choice(v.ss, k, lane)] = 0;
    forget_changes(&v);
    crossing_doubt_lane(e, v.ss, lane, at->t, &v.moment, at->x);
    v.before = modes_held(&v);
    for (int pass = 0; status == LIEDER_DONE; pass++) {
        if (pass == MAX_PASSES) {
            if (v.changed || !try_all_modes(&v))
                return report_alternation(&v);
            pass = 0;
        }
        if (pass == MAX_PASSES - LAST_PASSES)
            forget_changes(&v);
        status = one_pass(&v);
        if (v.flipped == 0 && !v.changed)
            break;
    }
    for (size_t k = 0; status == LIEDER_DONE && v.moved && k < v.ss->held.crossings.n; k++)
        if (e->news[home_choice(v.ss, k, lane)] & CROSSING_COUNTED)
            zeno_note(e, home_choice(v.ss, k, lane), at->t);
    return status;
}
