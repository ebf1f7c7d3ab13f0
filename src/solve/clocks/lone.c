/* lone.c - lanes of a shape as a shape of their own, and one lane as a system.
 *
 * The engine works on shapes: states, choices and numbers of lane l stand at known places of
 * vectors. A view is a copy of a shape's description that has other lanes: its vectors hold the
 * lanes that were put into it, in any order. So a strip may be filled with whatever lanes are at
 * hand, and one lane is a system for which events are decided, located and handled by the same code
 * as for any other.
 *
 * Threads have benches: a copy of the system that knows views only, and diagnostics of its own,
 * which are reported later in the order of lanes.
 */
#include "solve/clocks/clocks.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------ views */

bool view_create(View *v, const SystemShape *home, size_t width, Workspace *workspace,
                 const LiederAllocator *alloc)
{
    *v = (View){.ss = *home, .shape = *home->shape, .home = home, .alloc = alloc, .width = width};
    size_t nslot = home->values.slots.n;
    for (size_t i = 0; i < nslot; i++)
        v->ndiffering += home->values.slots.items[i].lanes != NULL;
    v->slots = memory_zeroed(alloc, (nslot + 1) * sizeof *v->slots);
    v->differing = memory_zeroed(alloc, (v->ndiffering + 1) * sizeof *v->differing);
    v->numbers = memory_zeroed(alloc, (v->ndiffering * width + 1) * sizeof(double));
    v->lanes = memory_zeroed(alloc, (width + 1) * sizeof *v->lanes);
    if (!v->slots || !v->differing || !v->numbers || !v->lanes) {
        view_drop(v);
        return false;
    }
    memcpy(v->slots, home->values.slots.items, nslot * sizeof *v->slots);
    for (size_t i = 0, n = 0; i < nslot; i++)
        if (home->values.slots.items[i].lanes) {
            v->slots[i].lanes = v->numbers + n * width;
            v->differing[n++] = (uint32_t)i;
        }
    v->shape.nlane = width;
    v->shape.first_lane = 0;
    v->shape.batches.items = &v->batch;
    v->shape.batches.n = 1;
    v->ss.shape = &v->shape;
    v->ss.values.slots.items = v->slots;
    v->ss.first_state = v->ss.held.first_choice = v->ss.held.first_memory = 0;
    v->ss.workspace = workspace;
    for (size_t l = 0; l < width; l++)
        view_set(v, l, 0);
    return true;
}

void view_drop(View *v)
{
    if (!v->alloc)
        return;
    memory_free(v->alloc, v->slots, (v->home->values.slots.n + 1) * sizeof *v->slots);
    memory_free(v->alloc, v->differing, (v->ndiffering + 1) * sizeof *v->differing);
    memory_free(v->alloc, v->numbers, (v->ndiffering * v->width + 1) * sizeof(double));
    memory_free(v->alloc, v->lanes, (v->width + 1) * sizeof *v->lanes);
    *v = (View){0};
}

void view_set(View *v, size_t l, size_t lane)
{
    for (size_t i = 0; i < v->ndiffering; i++)
        v->numbers[i * v->width + l] = v->home->values.slots.items[v->differing[i]].lanes[lane];
    v->lanes[l] = lane;
    if (l > 0)
        return;
    /* so that the first lane has its own name */
    lane += v->home->shape->first_lane;
    const Batch *batch = batch_of_lane(v->home->shape, lane);
    v->batch = *batch;
    v->batch.first_lane = (size_t)0 - (lane - batch->first_lane);
}

/* ------------------------------------------------------------------ benches */

bool bench_create(Bench *b, const LiederSystem *system, const LiederAllocator *messages)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(system);
    *b = (Bench){.system = *system,
                 .session = *system->session,
                 .nshape = system->shapes.n,
                 .active = NOWHERE};
    b->messages = messages;
    diag_init(&b->session.diag, messages);
    b->session.values.items =
        memory_zeroed(alloc, (system->session->values.room + 1) * sizeof(double));
    b->system.shapes.items = memory_zeroed(alloc, (b->nshape + 1) * sizeof(SystemShape));
    b->system.session = &b->session;
    b->system.options.ranks = NULL; /* its lanes decide alone */
    for (size_t i = 0; i < b->nshape && b->system.shapes.items; i++)
        b->system.shapes.items[i] = (SystemShape){.shape = &b->empty};
    if (b->session.values.items && b->system.shapes.items)
        return true;
    bench_drop(b, system);
    return false;
}

void bench_drop(Bench *b, const LiederSystem *system)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(system);
    if (b->session.values.items != system->session->values.items)
        memory_free(alloc, b->session.values.items,
                    (system->session->values.room + 1) * sizeof(double));
    if (b->system.shapes.items != system->shapes.items)
        memory_free(alloc, b->system.shapes.items, (b->nshape + 1) * sizeof(SystemShape));
    diag_drop(&b->session.diag);
    *b = (Bench){0};
}

/* ------------------------------------------------------------------ one lane */

/* its shape alone stands on the bench */
static void lone_activate(Lone *lone)
{
    Bench *b = lone->bench;
    if (b->active == lone->shape)
        return;
    if (b->active != NOWHERE)
        b->system.shapes.items[b->active] = (SystemShape){.shape = &b->empty};
    b->active = lone->shape;
    b->system.shapes.items[lone->shape] = lone->view.ss;
    b->system.nstate = lone->view.shape.states.n;
    b->system.nchoice = lone->view.ss.held.crossings.n;
    b->system.nmemory = lone->view.ss.held.memories.n;
    b->system.nguess = lone->view.ss.held.nguess;
    b->system.nheld = lone->view.ss.held.nheld;
    if (b->system.scales.nominal)
        b->system.scales.nominal = lone->nominal;
}

bool lone_create(Lone *lone, Bench *bench, LiederSystem *system, uint32_t shape, double tolerance,
                 double span)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(system);
    SystemShape *home = &system->shapes.items[shape];
    size_t n = home->shape->states.n;
    *lone = (Lone){.bench = bench, .home = home, .shape = shape, .task = {shape, 0, 1}};
    lone->workspace = workspace_create(system, home, true);
    lone->x = memory_zeroed(alloc, (n + 1) * sizeof(double));
    lone->nominal = memory_zeroed(alloc, (n + 1) * sizeof(double));
    lone->found = memory_zeroed(alloc, (n + 1) * sizeof(double));
    lone->pivots = memory_zeroed(alloc, (home->pivots.n + 1) * sizeof(double));
    bool ok = lone->workspace && lone->x && lone->nominal && lone->found && lone->pivots &&
              view_create(&lone->view, home, 1, lone->workspace, alloc);
    if (!ok) {
        lone_drop(lone);
        return false;
    }
    lone->view.ss.pivots.items = lone->pivots; /* of this thread */
    lone_activate(lone);
    lone->team = (Team){.system = &bench->system, .n = 1};
    lone->team.tasks.items = &lone->task;
    lone->team.tasks.n = 1;
    if (events_create(&lone->events, &lone->team, span, NULL) != LIEDER_DONE) {
        lone_drop(lone);
        return false;
    }
    histories_borrow(&lone->events, bench->messages);
    lone->events.tolerance = tolerance;
    lone->events.alone = &lone->view.ss;
    return true;
}

void lone_drop(Lone *lone)
{
    if (!lone->bench)
        return;
    const LiederAllocator *alloc = SYSTEM_ALLOC(&lone->bench->system);
    size_t n = lone->home->shape->states.n;
    if (lone->events.team) { /* sizes are those of its system */
        lone_activate(lone);
        events_drop(&lone->events);
    }
    workspace_destroy(lone->home, lone->workspace, alloc);
    memory_free(alloc, lone->x, (n + 1) * sizeof(double));
    memory_free(alloc, lone->nominal, (n + 1) * sizeof(double));
    memory_free(alloc, lone->found, (n + 1) * sizeof(double));
    memory_free(alloc, lone->pivots, (lone->home->pivots.n + 1) * sizeof(double));
    view_drop(&lone->view);
    *lone = (Lone){0};
}

void lone_enter(Lone *lone, const LiederSystem *system, size_t lane, const Events *all)
{
    const SystemShape *home = lone->home;
    Events *e = &lone->events;
    view_set(&lone->view, 0, lane);
    lone_activate(lone);
    strip_load(&lone->view.ss, lone->workspace, 0, 1);
    for (size_t s = 0; s < home->shape->states.n; s++)
        lone->nominal[s] = state_nominal(system, home_state(home, s, lane));
    for (size_t k = 0; k < home->held.crossings.n; k++) {
        size_t at = home_choice(home, k, lane);
        e->choices[k] = all->choices[at];
        e->crossings[k] = all->crossings[at];
    }
    for (size_t k = 0; k < home->held.memories.n; k++) {
        e->memory[k] = all->memory[home_memory(home, k, lane)];
        e->changed[k] = 0;
    }
    histories_enter(e);
    if (e->largest)
        memset(e->largest, 0, e->nlane * sizeof *e->largest);
    crossing_resume(e);
}

void lone_leave(const Lone *lone, Events *all)
{
    const SystemShape *home = lone->home;
    const Events *e = &lone->events;
    for (size_t k = 0; k < home->held.crossings.n; k++) {
        size_t at = home_choice(home, k, lone->view.lanes[0]);
        all->choices[at] = e->choices[k];
        all->crossings[at] = e->crossings[k];
    }
    for (size_t k = 0; k < home->held.memories.n; k++)
        all->memory[home_memory(home, k, lone->view.lanes[0])] = e->memory[k];
}
