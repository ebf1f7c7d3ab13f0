/* class_members.c - the struct of a class: a real for each parameter, state and variable, and what
 * the engine and a reader are shown about them. */
#include "equation/class/class_maker.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ places */

/* The port of the class that a port of the cell is: incoming ones first. A reversed link is written
 * from its incoming port as well. */
int port_place(const ClassMaker *m, uint32_t port)
{
    int place = m->c->hangs;
    for (uint32_t p = 0; p < m->cell->nport; p++)
        if (port_is_out(m, p) != port_is_out(m, port) ? port_is_out(m, port) : p < port)
            place++;
    return place;
}

/* which of the outward or inward variables of its port a variable is */
int place_in_port(const Cell *cell, uint32_t variable)
{
    const CellVariable *v = &cell->variables.items[variable];
    int place = 0;
    for (uint32_t i = 0; i < variable; i++)
        place +=
            cell->variables.items[i].role == v->role && cell->variables.items[i].port == v->port;
    return place;
}

/* which of the signals of its port an outward variable is, differentiated some times: those of
 * order 0 come first */
int signal_in_port(const Cell *cell, uint32_t variable, uint32_t order)
{
    const CellVariable *v = &cell->variables.items[variable];
    int before = 0;
    for (uint32_t i = 0; i < cell->variables.n; i++) {
        const CellVariable *x = &cell->variables.items[i];
        if (x->role == CELL_OUTWARD && x->port == v->port)
            before += (int)(x->contract < order ? x->contract : order) +
                      (i < variable && x->contract > order);
    }
    return before;
}

/* Potentials of a domain that the outward variables of a port leave out: where velocities are the
 * derivatives of positions, the highest derivatives are the second half. */
int first_potential(const ClassMaker *m, uint32_t port)
{
    int n = 0;
    for (uint32_t i = 0; i < m->cell->variables.n; i++)
        n += m->cell->variables.items[i].role == CELL_OUTWARD &&
             m->cell->variables.items[i].port == port;
    return m->info->domains[port]->npotential - n;
}

int maker_new_real(ClassMaker *m, int count)
{
    int first = m->c->nreal;
    m->c->nreal += count;
    return first;
}

static const char *maker_keep_text(ClassMaker *m, const char *text, size_t length)
{
    const char *copy = arena_text(&m->c->arena, text ? text : "", text ? length : 0);
    TRY(m, copy);
    return copy ? copy : "";
}

/* "x", and x'' for its second derivative as a state: der(x) is the derivative of the state x */
const char *maker_keep_name(ClassMaker *m, const char *name, uint32_t order)
{
    char text[300];
    snprintf(text, sizeof text, "%.280s%.*s", name, (int)order, "''");
    return maker_keep_text(m, text, strlen(text));
}

void maker_add_member(ClassMaker *m, LiederMember member)
{
    TRY(m, vec_push(m->cell->alloc, &m->members, member));
}
/* ------------------------------------------------------------------ members */

static bool is_parameter(const ClassMaker *m, uint32_t v)
{
    const CellVariable *x = &m->cell->variables.items[v];
    return x->role == CELL_PARAMETER && !x->is_free &&
           (!x->is_hint || m->c->plan[0].reads.items[v]);
}

/* the sizes of an array with several indices */
static const size_t *maker_keep_sizes(ClassMaker *m, const CellVariable *x, int length)
{
    if (x->ndim <= 1 || length == 1)
        return NULL;
    size_t *sizes = arena_zeroed(&m->c->arena, (size_t)x->ndim * sizeof *sizes);
    if (TRY(m, sizes))
        memcpy(sizes, x->sizes, (size_t)x->ndim * sizeof *sizes);
    return sizes;
}

/* a vector parameter is one member, whose name has no index */
static void add_parameter(ClassMaker *m, uint32_t v)
{
    const CellVariable *x = &m->cell->variables.items[v];
    const CellDeclaration *d = x->declared;
    if (x->element > 0) {
        m->variable_at.items[v] = m->variable_at.items[v - 1] + 1;
        return;
    }
    int length = x->length > 1 ? (int)x->length : 1;
    m->variable_at.items[v] = maker_new_real(m, length);
    const char *index = x->length > 1 ? strrchr(x->name, '[') : NULL;
    maker_add_member(
        m, (LiederMember){
               .kind = LIEDER_PARAMETER,
               .name =
                   maker_keep_text(m, x->name, index ? (size_t)(index - x->name) : strlen(x->name)),
               .unit = maker_keep_name(m, x->unit ? x->unit : "", 0),
               .index = m->variable_at.items[v],
               .length = length,
               .ndim = x->ndim > 1 && length > 1 ? x->ndim : 0,
               .sizes = maker_keep_sizes(m, x, length),
               .fallback = d            ? d->value
                           : x->is_zero ? 0
                                        : NAN,
               .min = d ? d->min : -INFINITY,
               .max = d ? d->max : INFINITY,
               .environment = d && d->environment ? maker_keep_name(m, d->environment, 0) : NULL,
               .structural = d && d->is_switch,
               .text = maker_keep_name(m, x->text ? x->text : "", 0)});
}

/* states with their derivatives, start values and attributes */
static void add_states(ClassMaker *m)
{
    const CellPlan *plan = maker_plan(m);
    const LiederAllocator *alloc = m->cell->alloc;
    for (size_t k = 0; k < plan->states.n; k++)
        TRY(m, vec_push(alloc, &m->state_at, maker_new_real(m, 1)));
    for (size_t k = 0; k < plan->states.n; k++)
        TRY(m, vec_push(alloc, &m->derivative_at, maker_new_real(m, 1)));
    for (size_t k = 0; k < plan->states.n; k++)
        TRY(m, vec_push(alloc, &m->shown_at,
                        plan->states.items[k].is_projected ? maker_new_real(m, 1) : 0));
    for (size_t k = 0; k < plan->states.n && !m->failed; k++) {
        const CellState *s = &plan->states.items[k];
        const CellVariable *v = &m->cell->variables.items[s->variable];
        maker_add_member(m, (LiederMember){.kind = LIEDER_STATE,
                                           .name = maker_keep_name(m, v->name, s->order),
                                           .unit = maker_keep_name(
                                               m, s->order == 0 && v->unit ? v->unit : "", 0),
                                           .index = m->state_at.items[k],
                                           .other = m->derivative_at.items[k],
                                           .other_name = maker_keep_name(m, v->name, s->order + 1),
                                           .shown = m->shown_at.items[k],
                                           /* NaN: the start block finds it */
                                           .fallback = s->initial    ? NAN
                                                       : v->declared ? v->declared->value
                                                                     : 0,
                                           .min = -INFINITY,
                                           .max = INFINITY,
                                           .only_if = maker_only_if(m, s),
                                           .text = maker_keep_name(m, v->text ? v->text : "", 0)});
    }
}

/* the derivative of this state is a variable and order; NO_PLACE: no state has it, or one that is
 * projected, whose derivative is more than that */
static int find_derivative(const ClassMaker *m, const CellState *of)
{
    const CellPlan *plan = maker_plan(m);
    for (size_t k = 0; k < plan->states.n; k++)
        if (plan->states.items[k].variable == of->variable &&
            plan->states.items[k].order + 1 == of->order)
            return plan->states.items[k].is_projected ? NO_PLACE : m->derivative_at.items[k];
    return NO_PLACE;
}

bool maker_is_crossing(const ClassMaker *m, uint32_t v)
{
    const EventPlan *e = &m->c->events;
    const NodeList *values = &m->c->plan[0].values.items[v];
    const CellVariable *x = &m->cell->variables.items[v];
    if (!m->info->is_library || x->role != CELL_UNKNOWN || x->energy || !values->n)
        return false;
    for (size_t i = 0; i < e->crossings.n; i++)
        if (e->crossings.items[i].value == values->items[0])
            return true;
    return false;
}

static bool is_observable(const ClassMaker *m, uint32_t v);

/* the variable of a class of the library that is nothing but this derivative: a = der(v); or NULL
 */
static const CellVariable *find_named(const ClassMaker *m, uint64_t symbol)
{
    const CellPlan *plan = maker_plan(m);
    for (uint32_t v = 0; m->info->is_library && v < m->cell->variables.n; v++) {
        if (!is_observable(m, v))
            continue;
        const NodeData *n = node_data(&m->cell->graph, plan->values.items[v].items[0]);
        if (n->kind == NODE_SYMBOL && n->symbol == symbol)
            return &m->cell->variables.items[v];
    }
    return NULL;
}

/* unknowns of the linear half with their residuals */
static void add_unknowns(ClassMaker *m)
{
    const CellPlan *plan = maker_plan(m);
    const LiederAllocator *alloc = m->cell->alloc;
    for (size_t k = 0; k < plan->unknowns.n && !m->failed; k++) {
        const CellState *u = &plan->unknowns.items[k];
        int at = find_derivative(m, u), residual = maker_new_real(m, 1);
        if (at == NO_PLACE)
            at = maker_new_real(m, 1);
        TRY(m, vec_push(alloc, &m->unknown_at, at) && vec_push(alloc, &m->residual_at, residual));
        const CellVariable *v = &m->cell->variables.items[u->variable];
        char name[300];
        snprintf(name, sizeof name, "residual of der(%.270s)", v->name);
        const CellVariable *named = find_named(m, cell_symbol(u->variable, u->order));
        maker_add_member(
            m,
            (LiederMember){.kind = LIEDER_UNKNOWN,
                           .name = named ? maker_keep_name(m, named->name, 0)
                                         : maker_keep_name(m, v->name, u->order),
                           .unit = named && named->unit ? maker_keep_name(m, named->unit, 0) : "",
                           .index = at,
                           .other = residual,
                           .other_name = maker_keep_text(m, name, strlen(name)),
                           .text = named && named->text ? maker_keep_name(m, named->text, 0) : ""});
    }
}

/* a variable that is neither state nor port variable can be observed; states are known already */
static bool is_observable(const ClassMaker *m, uint32_t v)
{
    const CellVariable *x = &m->cell->variables.items[v];
    if (x->role != CELL_UNKNOWN || x->is_hidden || m->input_port.items[v] != NO_PLACE ||
        m->hidden.items[v] & HIDDEN_FOR_ALL)
        return false;
    if (m->info->is_library && (x->is_protected || x->energy || maker_is_crossing(m, v)))
        return false;
    return maker_plan(m)->values.items[v].n > 0;
}

/* the real of a derivative or an unknown that a variable of a class of the library is equal to */
static int find_shared(const ClassMaker *m, uint32_t v)
{
    const CellPlan *plan = maker_plan(m);
    Node node = plan->values.items[v].items[0];
    const NodeData *n = node_data(&m->cell->graph, node);
    if (!m->info->is_library)
        return NO_PLACE;
    for (size_t k = 0; k < plan->unknowns.n; k++)
        if (n->kind == NODE_SYMBOL && n->symbol == cell_symbol(plan->unknowns.items[k].variable,
                                                               plan->unknowns.items[k].order))
            return m->unknown_at.items[k];
    for (size_t k = 0; k < plan->states.n; k++)
        if (node == plan->values.items[plan->states.items[k].variable]
                        .items[plan->states.items[k].order + 1])
            return m->derivative_at.items[k];
    return NO_PLACE;
}

/* a variable that is only examined, in the place of its double if it has one */
static void add_observable(ClassMaker *m, uint32_t v)
{
    const CellVariable *x = &m->cell->variables.items[v];
    int shared = find_shared(m, v);
    m->variable_at.items[v] = shared != NO_PLACE ? shared : maker_new_real(m, 1);
    maker_add_member(m, (LiederMember){.kind = LIEDER_OBSERVABLE,
                                       .name = maker_keep_name(m, x->name, 0),
                                       .unit = maker_keep_name(m, x->unit ? x->unit : "", 0),
                                       .index = m->variable_at.items[v],
                                       .min = x->has_limits ? x->min : 0,
                                       .max = x->has_limits ? x->max : 0,
                                       .type = x->type,
                                       .by_observe = m->hidden.items[v],
                                       .text = maker_keep_name(m, x->text ? x->text : "", 0)});
}

/* all variables that are no states, parameters or memory */
static void add_observables(ClassMaker *m)
{
    const Cell *cell = m->cell;
    const CellPlan *plan = maker_plan(m);
    VEC(uint8_t) is_state = {0};
    TRY(m, vec_resize(cell->alloc, &is_state, cell->variables.n + 1));
    for (size_t k = 0; k < plan->states.n && !m->failed; k++)
        if (plan->states.items[k].order == 0)
            is_state.items[plan->states.items[k].variable] = 1;
    for (uint32_t v = 0; v < cell->variables.n && !m->failed; v++)
        if (!is_state.items[v] && is_observable(m, v))
            add_observable(m, v);
    vec_drop(cell->alloc, &is_state);
}

bool maker_add_members(ClassMaker *m)
{
    Cell *cell = m->cell;
    const LiederAllocator *alloc = cell->alloc;
    if (!vec_resize(alloc, &m->variable_at, cell->variables.n + 1))
        return maker_fail(m);
    for (uint32_t v = 0; v < cell->variables.n; v++)
        m->variable_at.items[v] = NO_PLACE;
    for (uint32_t v = 0; v < cell->variables.n && !m->failed; v++)
        if (is_parameter(m, v))
            add_parameter(m, v);
    add_states(m);
    add_unknowns(m);
    add_observables(m);
    maker_add_event_members(m);
    return !m->failed;
}

/* ------------------------------------------------------------------ ports */

bool maker_add_ports(ClassMaker *m)
{
    Cell *cell = m->cell;
    const LiederAllocator *alloc = cell->alloc;
    if (!vec_resize(alloc, &m->input_port, cell->variables.n + 1))
        return maker_fail(m);
    if (m->c->hangs)
        TRY(m, vec_push(alloc, &m->ports,
                        (LiederPortDef){.name = CELL_HOOK,
                                        .domain = m->info->domains[0],
                                        .role = LIEDER_IN,
                                        .text = ""}));
    for (int out = 0; out < 2; out++)
        for (uint32_t p = 0; p < cell->nport; p++)
            if (port_is_out(m, p) == (bool)out)
                TRY(m, vec_push(alloc, &m->ports,
                                (LiederPortDef){
                                    .name = maker_keep_name(m, m->info->port_names[p], 0),
                                    .domain = m->info->domains[p],
                                    .role = out ? LIEDER_OUT : LIEDER_IN,
                                    .optional = out,
                                    .text = m->info->port_texts
                                                ? maker_keep_name(m, m->info->port_texts[p], 0)
                                                : ""}));
    for (uint32_t v = 0; v < cell->variables.n; v++)
        m->input_port.items[v] = NO_PLACE;
    for (int out = 0; out < 2; out++)
        for (uint32_t v = 0; v < cell->variables.n && !m->failed; v++) {
            const CellVariable *x = &cell->variables.items[v];
            if (out ? !x->is_output : x->role != CELL_INPUT)
                continue;
            m->input_port.items[v] = (int)m->ports.n;
            TRY(m,
                vec_push(alloc, &m->ports,
                         (LiederPortDef){.name = maker_keep_name(m, x->name, 0),
                                         .domain = &lieder_signal,
                                         .role = out ? LIEDER_OUT : LIEDER_IN,
                                         .optional = true,
                                         .text = maker_keep_name(m, x->text ? x->text : "", 0)}));
        }
    return !m->failed;
}

/* ------------------------------------------------------------------ symbols */

/* what the symbols of variables read */
void maker_add_symbol(ClassMaker *m, uint64_t symbol, PlaceKind kind, int port, int index)
{
    TRY(m, vec_push(m->cell->alloc, &m->symbols, (BlockSymbol){symbol, {kind, port, index}}));
}

/* those of port variables, which differ between directions */
void maker_add_port_symbols(ClassMaker *m)
{
    const Cell *cell = m->cell;
    for (uint32_t v = 0; v < cell->variables.n; v++) {
        const CellVariable *x = &cell->variables.items[v];
        if (x->role < CELL_OUTWARD)
            continue;
        int port = port_place(m, x->port), index = place_in_port(cell, v);
        if (x->role == CELL_OUTWARD && !port_is_out(m, x->port)) {
            for (uint32_t order = 0; order < x->contract; order++)
                maker_add_symbol(m, cell_symbol(v, order), PLACE_SIGNAL, port,
                                 signal_in_port(cell, v, order));
            maker_add_symbol(m, cell_symbol(v, x->contract), PLACE_POTENTIAL, port,
                             first_potential(m, x->port) + index);
        } else if (x->role == CELL_INWARD && port_is_out(m, x->port)) {
            maker_add_symbol(m, cell_symbol(v, 0), PLACE_FLOW, port, index);
        }
    }
}

void maker_add_member_symbols(ClassMaker *m)
{
    const Cell *cell = m->cell;
    const CellPlan *plan = maker_plan(m);
    maker_add_symbol(m, CELL_TIME, PLACE_TIME, 0, 0);
    for (uint32_t v = 0; v < cell->variables.n; v++) {
        const CellVariable *x = &cell->variables.items[v];
        if (is_parameter(m, v))
            maker_add_symbol(m, cell_symbol(v, 0), PLACE_MEMBER, 0, m->variable_at.items[v]);
        else if (x->role == CELL_INPUT)
            maker_add_symbol(m, cell_symbol(v, 0), PLACE_SIGNAL, m->input_port.items[v], 0);
    }
    for (size_t k = 0; k < plan->states.n; k++) {
        const CellState *s = &plan->states.items[k];
        maker_add_symbol(m, cell_symbol(s->variable, s->order), PLACE_MEMBER, 0,
                         m->state_at.items[k]);
        if (s->is_projected)
            maker_add_symbol(m, cell_symbol(s->variable, CELL_RAW + s->order), PLACE_MEMBER, 0,
                             m->state_at.items[k]);
    }
    for (size_t k = 0; k < plan->unknowns.n; k++)
        maker_add_symbol(
            m, cell_symbol(plan->unknowns.items[k].variable, plan->unknowns.items[k].order),
            PLACE_MEMBER, 0, m->unknown_at.items[k]);
    for (size_t k = 0; k < m->kept.n; k++)
        maker_add_symbol(m, KEPT_SYMBOL + k, PLACE_MEMBER, 0, m->kept_at.items[k]);
    maker_add_event_symbols(m);
}
