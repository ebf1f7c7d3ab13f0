/* lane_system.c - lanes of a shape as a shape of their own, and one lane as a system.
 *
 * The engine works on shapes: states, choices and numbers of lane l stand at known places of
 * vectors. A view is a copy of a shape's description that has other lanes: its vectors hold the
 * lanes that were put into it, in any order. So a strip is filled with any lanes, and one lane is a
 * system for which events are decided, located and handled by the same code as for any other.
 *
 * Each thread has a copy of the system whose shapes are views, with diagnostics of its own, which
 * are reported later in the order of lanes.
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
    /* messages name the first lane of a shape by its batch */
    lane += v->home->shape->first_lane;
    const Batch *batch = batch_of_lane(v->home->shape, lane);
    v->batch = *batch;
    v->batch.first_lane = (size_t)0 - (lane - batch->first_lane);
}

/* ------------------------------------------------------------------ threads */

bool thread_system_create(ThreadSystem *b, const LiederSystem *system,
                          const LiederAllocator *messages)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(system);
    *b = (ThreadSystem){.system = *system,
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
    thread_system_drop(b, system);
    return false;
}

void thread_system_drop(ThreadSystem *b, const LiederSystem *system)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(system);
    if (b->session.values.items != system->session->values.items)
        memory_free(alloc, b->session.values.items,
                    (system->session->values.room + 1) * sizeof(double));
    if (b->system.shapes.items != system->shapes.items)
        memory_free(alloc, b->system.shapes.items, (b->nshape + 1) * sizeof(SystemShape));
    diag_drop(&b->session.diag);
    *b = (ThreadSystem){0};
}

/* ------------------------------------------------------------------ one lane */

/* its shape becomes the only one with lanes in the system of its thread */
static void lane_system_activate(LaneSystem *single)
{
    ThreadSystem *b = single->thread;
    if (b->active == single->shape)
        return;
    if (b->active != NOWHERE)
        b->system.shapes.items[b->active] = (SystemShape){.shape = &b->empty};
    b->active = single->shape;
    b->system.shapes.items[single->shape] = single->view.ss;
    b->system.nstate = single->view.shape.states.n;
    b->system.nchoice = single->view.ss.held.crossings.n;
    b->system.nmemory = single->view.ss.held.memories.n;
    b->system.nguess = single->view.ss.held.nguess;
    b->system.nheld = single->view.ss.held.nheld;
    if (b->system.scales.nominal)
        b->system.scales.nominal = single->nominal;
}

bool lane_system_create(LaneSystem *single, ThreadSystem *thread, LiederSystem *system,
                        uint32_t shape, double tolerance, double span)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(system);
    SystemShape *home = &system->shapes.items[shape];
    size_t n = home->shape->states.n;
    *single = (LaneSystem){.thread = thread, .home = home, .shape = shape, .task = {shape, 0, 1}};
    single->workspace = workspace_create(system, home, true);
    single->x = memory_zeroed(alloc, (n + 1) * sizeof(double));
    single->nominal = memory_zeroed(alloc, (n + 1) * sizeof(double));
    single->found = memory_zeroed(alloc, (n + 1) * sizeof(double));
    single->pivots = memory_zeroed(alloc, (home->pivots.n + 1) * sizeof(double));
    bool ok = single->workspace && single->x && single->nominal && single->found &&
              single->pivots && view_create(&single->view, home, 1, single->workspace, alloc);
    if (!ok) {
        lane_system_drop(single);
        return false;
    }
    single->view.ss.pivots.items = single->pivots; /* of this thread */
    lane_system_activate(single);
    single->team = (Team){.system = &thread->system, .n = 1};
    single->team.tasks.items = &single->task;
    single->team.tasks.n = 1;
    if (events_create(&single->events, &single->team, span, NULL) != LIEDER_DONE) {
        lane_system_drop(single);
        return false;
    }
    histories_borrow(&single->events, thread->messages);
    single->events.tolerance = tolerance;
    single->events.alone = &single->view.ss;
    return true;
}

void lane_system_drop(LaneSystem *single)
{
    if (!single->thread)
        return;
    const LiederAllocator *alloc = SYSTEM_ALLOC(&single->thread->system);
    size_t n = single->home->shape->states.n;
    if (single->events.team) { /* sizes are those of its system */
        lane_system_activate(single);
        events_drop(&single->events);
    }
    workspace_destroy(single->home, single->workspace, alloc);
    memory_free(alloc, single->x, (n + 1) * sizeof(double));
    memory_free(alloc, single->nominal, (n + 1) * sizeof(double));
    memory_free(alloc, single->found, (n + 1) * sizeof(double));
    memory_free(alloc, single->pivots, (single->home->pivots.n + 1) * sizeof(double));
    view_drop(&single->view);
    *single = (LaneSystem){0};
}

void lane_system_enter(LaneSystem *single, const LiederSystem *system, size_t lane,
                       const Events *all)
{
    const SystemShape *home = single->home;
    Events *e = &single->events;
    view_set(&single->view, 0, lane);
    lane_system_activate(single);
    strip_load(&single->view.ss, single->workspace, 0, 1);
    for (size_t s = 0; s < home->shape->states.n; s++)
        single->nominal[s] = state_nominal(system, home_state(home, s, lane));
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

void lane_system_leave(const LaneSystem *single, Events *all)
{
    const SystemShape *home = single->home;
    const Events *e = &single->events;
    for (size_t k = 0; k < home->held.crossings.n; k++) {
        size_t at = home_choice(home, k, single->view.lanes[0]);
        all->choices[at] = e->choices[k];
        all->crossings[at] = e->crossings[k];
    }
    for (size_t k = 0; k < home->held.memories.n; k++)
        all->memory[home_memory(home, k, single->view.lanes[0])] = e->memory[k];
}
