/* event_limit.c - pre(y) of a continuous variable: what it was before the pass of an event at hand.
 *
 * When event blocks run, sides have changed already and clauses assign memory. What y was before is
 * its expression with what these were before: memory as it is read, pre(v), and for each relation
 * and step a memory of its own, which a pass sets to the new side at its end. In the first pass of
 * an event that is the left limit, in later ones the value of the pass before (Modelica 3.7.5).
 */
#include "equation/event/event_work.h"

/* pre of a Real that is no memory itself */
static bool is_limit(const Cell *cell, const CellVariable *x)
{
    return x->meaning == MEANING_PRE && cell->variables.items[x->of].role != CELL_DISCRETE &&
           cell->variables.items[x->of].type == LIEDER_TYPE_REAL;
}

static bool has_limits(const Cell *cell)
{
    for (size_t v = 0; v < cell->variables.n; v++)
        if (is_limit(cell, &cell->variables.items[v]))
            return true;
    return false;
}

/* a memory that follows a side or a step */
static bool add_follower(Cell *cell, uint32_t variable)
{
    if (cell->variables.items[variable].of)
        return true; /* it has one */
    uint32_t v = cell_add_discrete(cell, MEANING_MEMORY, "side before", (Place){0});
    CellMemory memory = {.variable = v, .next = cell_variable(cell, variable, 0)};
    if (v == UINT32_MAX || !vec_push(cell->alloc, &cell->events.memories, memory))
        return false;
    cell->variables.items[v].type = cell->variables.items[variable].type;
    cell->variables.items[variable].of = v;
    return true;
}

bool cell_prepare_limits(Cell *cell)
{
    CellEvents *e = &cell->events;
    bool good = true;
    if (!has_limits(cell))
        return true;
    for (size_t i = 0; good && i < e->relations.n; i++)
        good = add_follower(cell, e->relations.items[i].variable);
    for (size_t i = 0; good && i < e->steps.n; i++)
        good = add_follower(cell, e->steps.items[i].variable);
    /* what a clause assigns is read as pre of it, so that nothing puts the new value in */
    for (size_t i = 0, n = e->memories.n; good && i < n; i++) {
        uint32_t v = e->memories.items[i].variable;
        if (cell->variables.items[v].meaning != MEANING_WHEN || cell->variables.items[v].of)
            continue;
        uint32_t p = cell_add_discrete(cell, MEANING_PRE, "before", (Place){0});
        good = p != UINT32_MAX;
        if (good) {
            cell->variables.items[p].of = v;
            cell->variables.items[p].type = cell->variables.items[v].type;
            cell->variables.items[v].of = p;
        }
    }
    return good && !cell->graph.failed;
}

/* by variable: what it was before the pass, NO_NODE: itself */
static bool list_before(EventWork *w, NodeList *before)
{
    Cell *cell = w->cell;
    if (!vec_resize(cell->alloc, before, cell->variables.n + 1))
        return event_fail(w);
    for (uint32_t v = 0; v < cell->variables.n; v++) {
        const CellVariable *x = &cell->variables.items[v];
        bool follows =
            x->meaning == MEANING_SIDE || x->meaning == MEANING_STEP || x->meaning == MEANING_WHEN;
        before->items[v] = follows && x->of ? cell_variable(cell, x->of, 0) : NO_NODE;
        if (x->meaning == MEANING_FIRES)
            before->items[v] = node_constant(&cell->graph, 0);
    }
    return !cell->graph.failed;
}

bool event_take_limits(EventWork *w)
{
    Cell *cell = w->cell;
    NodeList before = {0};
    bool good = !has_limits(cell) || list_before(w, &before);
    for (uint32_t v = 0; good && before.n && v < cell->variables.n && !w->failed; v++) {
        const CellVariable *x = &cell->variables.items[v];
        if (is_limit(cell, x))
            w->then.items[v] =
                event_replace(w, &before, event_put_in(w, cell_variable(cell, x->of, 0)));
    }
    vec_drop(cell->alloc, &before);
    return good && !w->failed;
}
