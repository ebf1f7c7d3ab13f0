/* orient.c - the ways in which the ports of a cell can be used: as a leaf, through whose ports all
 * outward variables come in; as a link, which passes them on; as a root. */
#include "equation/class/class_maker.h"

/* the cell solved for a set of outgoing ports, without keeping what is wrong with it */
static LiederStatus try_orientation(Cell *cell, uint64_t out, CellPlan *plan)
{
    size_t before = cell->diag->list.n, nerrors = cell->diag->nerrors;
    LiederStatus status = cell_solve(cell, out, plan);
    if (status != LIEDER_DONE) {
        plan_drop(plan, cell->alloc);
        diag_forget(cell->diag, before);
        cell->diag->nerrors = nerrors;
    }
    return status;
}

static bool same_states(const CellPlan *a, const CellPlan *b)
{
    bool same = a->states.n == b->states.n && a->unknowns.n == b->unknowns.n;
    for (size_t k = 0; same && k < a->states.n; k++)
        same = a->states.items[k].variable == b->states.items[k].variable &&
               a->states.items[k].order == b->states.items[k].order;
    for (size_t k = 0; same && k < a->unknowns.n; k++)
        same = a->unknowns.items[k].variable == b->unknowns.items[k].variable &&
               a->unknowns.items[k].order == b->unknowns.items[k].order;
    return same;
}

/* may a link be used from its second port as well? An event block is written for one direction. */
static bool can_turn(const Cell *cell, const CellClassInfo *info)
{
    return (cell->nport == 2 || info->domains[0] == info->domains[1]) && !cell_has_events(cell);
}

/* leaf, link, root: the first that works */
LiederStatus cell_orient(Cell *cell, const CellClassInfo *info, CellClass *c)
{
    if (info->is_oriented)
        return cell_solve(cell, info->out, &c->plan[0]);
    uint64_t all = cell->nport >= 64 ? UINT64_MAX : ((uint64_t)1 << cell->nport) - 1;
    if (cell->nport == 0)
        return cell_solve(cell, 0, &c->plan[0]);
    LiederStatus status = try_orientation(cell, 0, &c->plan[0]);
    if (status != LIEDER_BAD_MODEL)
        return status;
    if (info->likely_out && cell->nport > 2) {
        status = try_orientation(cell, info->likely_out, &c->plan[0]);
        if (status != LIEDER_BAD_MODEL)
            return status;
    }
    /* everything but one port outgoing */
    for (uint32_t in = 0; cell->nport > 1 && in < cell->nport; in++) {
        status = try_orientation(cell, all & ~((uint64_t)1 << in), &c->plan[0]);
        if (status == LIEDER_BAD_MODEL)
            continue;
        if (status == LIEDER_DONE && in == 0 && can_turn(cell, info)) {
            size_t nsystem = cell->systems.n;
            LiederStatus other = try_orientation(cell, all & ~(uint64_t)2, &c->plan[1]);
            c->reversible = other == LIEDER_DONE && same_states(&c->plan[0], &c->plan[1]) &&
                            !(info->is_library && cell->systems.n > nsystem);
            if (other == LIEDER_NO_MEMORY)
                status = other;
        }
        return status;
    }
    status = try_orientation(cell, all, &c->plan[0]);
    if (status != LIEDER_BAD_MODEL)
        return status;
    /* once more, to say what is wrong with it as a leaf */
    return cell_solve(cell, 0, &c->plan[0]);
}
