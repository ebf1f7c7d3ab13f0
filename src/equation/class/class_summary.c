/* class_summary.c - what a reader is shown about a class: its size, its states and why they were
 * chosen, which equations had to be solved together. Everything is copied: the cell does not last
 * as long as the class. */
#include "equation/class/class_maker.h"

#include <string.h>

/* the argument that decided between variables that constraints tie together: see state_worth */
static const char *state_reason(const CellState *s, const CellVariable *v)
{
    if (v->is_free)
        return "a parameter that initial equations decide";
    if (s->is_kept)
        return "a constraint that is not linear is kept in place of being solved for it";
    if (s->nconstraint == 0)
        return "it is differentiated, and no equation without derivatives decides it";
    if (v->select == SELECT_ALWAYS)
        return "stateSelect = StateSelect.always";
    if (v->select == SELECT_PREFER)
        return "stateSelect = StateSelect.prefer";
    if (s->order == 0 && v->start_fixed)
        return "its start value is fixed";
    if (s->order == 0 && v->start_given)
        return "it has a start value";
    return "the others are easier to solve for";
}

/* why each state was chosen, for show */
static const CellStateSummary *summarise_states(ClassMaker *m)
{
    const CellPlan *plan = &m->c->plan[0];
    CellStateSummary *list = arena_zeroed(&m->c->arena, (plan->states.n + 1) * sizeof *list);
    if (!TRY(m, list))
        return NULL;
    for (size_t k = 0; k < plan->states.n; k++) {
        const CellState *s = &plan->states.items[k];
        const CellVariable *v = &m->cell->variables.items[s->variable];
        list[k] = (CellStateSummary){.name = maker_keep_name(m, v->name, s->order),
                                     .why = state_reason(s, v),
                                     .ntied = s->ntied,
                                     .nconstraint = s->nconstraint};
        char text[300];
        if (!s->nconstraint || !s->rival)
            continue;
        cell_symbol_text(m->cell, cell_symbol(s->rival - 1, s->rival_order), text, sizeof text);
        list[k].instead = maker_keep_name(m, text, 0);
    }
    return list;
}

static bool same_component(const CellComponent *a, const CellComponent *b)
{
    return a->nequation == b->nequation && a->nleft == b->nleft && a->solution == b->solution &&
           a->is_constant == b->is_constant && a->is_sparse == b->is_sparse &&
           a->nentry == b->nentry;
}

/* systems before and after tearing, for show */
static const CellSystemSummary *summarise_systems(ClassMaker *m, size_t *n)
{
    const CellPlan *plan = &m->c->plan[0];
    size_t room = (plan->components.n + 1) * sizeof(CellSystemSummary);
    CellSystemSummary *list = arena_zeroed(&m->c->arena, room);
    if (!TRY(m, list))
        return NULL;
    for (size_t k = 0; k < plan->components.n; k++) {
        const CellComponent *c = &plan->components.items[k];
        if (k && same_component(c, c - 1)) {
            list[*n - 1].times++;
            continue;
        }
        const char *name = m->cell->variables.items[c->variable].name;
        list[(*n)++] = (CellSystemSummary){.nequation = c->nequation,
                                           .nleft = c->nleft,
                                           .solution = c->solution,
                                           .is_constant = c->is_constant,
                                           .is_sparse = c->is_sparse,
                                           .nentry = c->nentry,
                                           .variable = maker_keep_name(m, name, 0),
                                           .times = 1};
    }
    return list;
}

static const char *role_of(const ClassMaker *m)
{
    uint64_t out = m->c->plan[0].out;
    if (m->cell->nport == 0)
        return "alone";
    if (out == 0)
        return "leaf";
    return out == ((uint64_t)1 << m->cell->nport) - 1 ? "root" : "link";
}

static const CellPart *summarise_parts(ClassMaker *m)
{
    CellPart *list = arena_zeroed(&m->c->arena, (m->info->npart + 1) * sizeof *list);
    for (size_t k = 0; TRY(m, list) && k < m->info->npart; k++)
        list[k] = (CellPart){maker_keep_name(m, m->info->parts[k].path, 0),
                             maker_keep_name(m, m->info->parts[k].class_name, 0)};
    return list;
}

void maker_summarise(ClassMaker *m)
{
    const CellPlan *plan = &m->c->plan[0];
    CellSummary s = {.name = maker_keep_name(m, m->info->name, 0),
                     .role = role_of(m),
                     .nmerged = m->info->nmerged,
                     .nequation = m->cell->equations.n,
                     .ndifferentiated = plan->ndifferentiated,
                     .nport = m->cell->nport,
                     .nunknown = plan->unknowns.n,
                     .nkept = plan->kept.n,
                     .nstate = plan->states.n};
    if (m->info->merged)
        s.merged = arena_text(&m->c->arena, m->info->merged, strlen(m->info->merged));
    if (m->info->merged_why)
        s.merged_why = arena_text(&m->c->arena, m->info->merged_why, strlen(m->info->merged_why));
    for (size_t v = 0; v < m->cell->variables.n; v++) {
        CellRole role = m->cell->variables.items[v].role;
        s.nvariable += role != CELL_PARAMETER && role != CELL_DISCRETE;
    }
    s.states = summarise_states(m);
    s.systems = summarise_systems(m, &s.nsystem);
    s.parts = summarise_parts(m);
    s.npart = m->info->npart;
    m->c->summary = s;
}
