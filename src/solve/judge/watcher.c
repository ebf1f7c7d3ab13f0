/* watcher.c - variables that a run examines beside its rows, and the three judges of them.
 *
 *   branches.c   unknowns of nonlinear systems that go over to another solution: steps and rows
 *   drift.c      constraints that are kept and come apart, change points: rows, steps near one
 *   limits.c     variables that leave the range of min and max: rows
 *
 * The classes say what there is to examine. They are walked over once, all variables belong to one
 * observer, and a point of the run is evaluated once for all judges. Of arrays of equal subsystems
 * LANES are watched.
 *
 * Where several ranks share the lanes of a model each watches those it has, and what ends the run
 * or shortens its chunks is decided together. What ranks share of one net is not watched: its
 * evaluation takes all of them.
 */
#include "solve/judge/watcher.h"
#include "solve/run/ranks.h"

#include <math.h>
#include <string.h>

enum { LANES = 16 };

char *watched_path(const Watcher *w, const WatchedValue *v, char *buffer, size_t size)
{
    return lane_path(w->system, &w->system->shapes.items[v->shape], v->component, v->lane, buffer,
                     size);
}

/* which judge examines a system of a class */
static WatchedKind watched_kind(const LiederSystemDef *def)
{
    if (def->at_start) /* conditions on start values are examined there */
        return WATCHED_NOTHING;
    if (def->kind == LIEDER_SYSTEM_NONLINEAR)
        return WATCHED_UNKNOWN;
    if (def->kind != LIEDER_SYSTEM_CONDITION)
        return WATCHED_NOTHING;
    return strcmp(def->names[0], "regularity") == 0 ? WATCHED_REGULARITY : WATCHED_DRIFT;
}

/* adds the numbers of one system of a component in its first lanes; false: memory ran out */
static bool watch_system(Watcher *w, uint32_t shape, uint32_t component, const LiederSystemDef *def,
                         WatchedKind kind)
{
    const SystemShape *ss = &w->system->shapes.items[shape];
    for (size_t lane = 0; lane < ss->shape->nlane && lane < LANES; lane++) {
        WatchedValue v = {.kind = kind, .shape = shape, .component = component, .lane = lane};
        if (kind == WATCHED_UNKNOWN) {
            if (!branches_watch(w, &v, def))
                return false;
            continue;
        }
        LiederElement element = element_at(w->system, ss, component, lane);
        v.text = def->places[0];
        if (observer_watch_real(w->observer, &element, def->values) < 0 ||
            !vec_push(SYSTEM_ALLOC(w->system), &w->values, v))
            return false;
    }
    return true;
}

/* adds all systems of one kind; false: memory ran out */
static bool watch_systems(Watcher *w, WatchedKind kind)
{
    for (uint32_t i = 0; i < w->system->nhome; i++) {
        const Shape *shape = w->system->shapes.items[i].shape;
        for (uint32_t c = 0; c < shape->components.n && !shape->asleep; c++) {
            const LiederClassDef *def = shape->components.items[c].class_->def;
            for (int k = 0; k < def->nsystem; k++)
                if (watched_kind(&def->systems[k]) == kind &&
                    !watch_system(w, i, c, &def->systems[k], kind))
                    return false;
        }
    }
    return true;
}

/* the kinds that classes have, a bit for each */
static unsigned find_kinds(const LiederSystem *system)
{
    unsigned kinds = 0;
    for (size_t i = 0; i < system->nhome; i++) {
        const Shape *shape = system->shapes.items[i].shape;
        for (size_t c = 0; c < shape->components.n; c++) {
            const LiederClassDef *def = shape->components.items[c].class_->def;
            for (int k = 0; k < def->nsystem; k++)
                kinds |= 1u << watched_kind(&def->systems[k]);
            for (int k = 0; k < def->nmember; k++)
                kinds |= (unsigned)member_has_limits(&def->members[k]) << WATCHED_LIMIT;
        }
    }
    return kinds & ~(1u << WATCHED_NOTHING);
}

LiederStatus watcher_create(Watcher *w, LiederSystem *system, unsigned without)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(system);
    *w = (Watcher){.system = system, .drift = {.row = NAN, .last = NAN, .t = INFINITY}};
    if (system->cut)
        return LIEDER_DONE;
    unsigned kinds = find_kinds(system) & ~without;
    /* all ranks call drift_row and drift_step if any of them has constraints */
    w->drift.shared = ranks_any(system, kinds & (1u << WATCHED_DRIFT | 1u << WATCHED_REGULARITY));
    if (!kinds)
        return LIEDER_DONE;
    w->observer = lieder_observer_create(system);
    bool good = w->observer != NULL;
    for (int kind = WATCHED_UNKNOWN; kind <= WATCHED_LIMIT && good; kind++) {
        w->first[kind] = w->values.n;
        if (kinds & 1u << kind)
            good = kind == WATCHED_LIMIT ? limits_watch(w) : watch_systems(w, (WatchedKind)kind);
        w->end[kind] = w->values.n;
    }
    w->nroom = 2 * (system->nstate + w->values.n) + 1 + w->values.n;
    w->room = good ? memory_zeroed(alloc, w->nroom * sizeof(double)) : NULL;
    if (!w->room)
        return LIEDER_NO_MEMORY;
    w->numbers = w->room;
    w->x = w->numbers + w->values.n;
    w->before = w->x + system->nstate;
    w->other = w->before + system->nstate + w->values.n;
    return LIEDER_DONE;
}

void watcher_drop(Watcher *w)
{
    if (!w->system)
        return;
    lieder_observer_destroy(w->observer);
    if (w->room)
        memory_free(SYSTEM_ALLOC(w->system), w->room, w->nroom * sizeof(double));
    vec_drop(SYSTEM_ALLOC(w->system), &w->values);
    vec_drop(SYSTEM_ALLOC(w->system), &w->limits);
    *w = (Watcher){0};
}

bool watcher_evaluate(Watcher *w, double t, const Moment *moment, const double *x, double *to)
{
    LiederSystem *system = w->system;
    size_t said = system->session->diag.list.n;
    Moment before = system->moment;
    system->moment = *moment;
    bool good = lieder_observer_evaluate(w->observer, t, x, to) == LIEDER_DONE;
    system->moment = before;
    diag_forget(&system->session->diag, said); /* rows report it if they are not finite */
    return good;
}

bool watcher_wants_rows(const Watcher *w)
{
    return w->drift.shared || w->end[WATCHED_LIMIT] > w->first[WATCHED_LIMIT];
}

bool watcher_row(Watcher *w, double t, const Moment *moment, const double *x)
{
    if (!watcher_wants_rows(w) || w->drift.failed)
        return !w->drift.failed;
    bool good = w->values.n && watcher_evaluate(w, t, moment, x, w->numbers);
    if (good)
        limits_row(w, t);
    return drift_row(w, t, good);
}

bool watcher_step(Watcher *w, double t, const Moment *moment, const double *x, Adaptive *method,
                  bool held)
{
    bool branches = !held && branches_wanted(w), drift = drift_wanted(w, t);
    if (!branches && !drift)
        return !w->drift.failed;
    bool good = w->values.n && watcher_evaluate(w, t, moment, x, w->numbers);
    if (branches)
        branches_step(w, t, moment, x, good);
    return drift ? drift_step(w, t, moment, method, good) : !w->drift.failed;
}
