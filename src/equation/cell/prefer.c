/* prefer.c - preferred states that the equations do not differentiate.
 *
 * A variable that would rather be a state is one only if it is there in the stage where its rivals
 * are chosen. Two kinds of them are not:
 *
 *   s_rel = s_b - s_a            of which nobody needs the second derivative, beside positions
 *   m = V*d(p, T), U = m*u(p, T) of which nobody needs the derivatives of p and T
 *
 * So their equations are differentiated as often as it takes (raised offsets are offsets still: the
 * same number of states is left over). A definition such as s_rel may be differentiated without a
 * thought. Any other equation is differentiated if it contains variables and parameters alone, and
 * if that makes the preferred variable a state: in the stage where it stands undifferentiated, an
 * exchange of what the equations are solved for has to lead from it to a variable that is worth
 * less, and each equation on the way has to be linear in what it is solved for then, with a factor
 * that is not zero for the numbers of the model. m and U follow from p and T by assignments. An
 * angle does not follow from a current that is preferred, so it stays a state. Without the exchange
 * p and T would follow from m and U by an iteration in every evaluation, with few digits: of water,
 * p is known to 1e-9 of d.
 */
#include "equation/cell/stage.h"

typedef struct Prefer {
    Solve *solve;
    OffsetRaise raise;
    int32_t highest;    /* of all columns: nothing is raised beyond it */
    bool exchanges;     /* more than definitions is differentiated */
    VEC(uint32_t) seen; /* by column: the search that has reached it */
    uint32_t search;
    RowList reached; /* columns */
} Prefer;

static bool is_unknown(void *user, uint64_t symbol, Node node)
{
    const Solve *s = user;
    (void)node;
    CellRole role =
        symbol == CELL_TIME ? CELL_INPUT : s->cell->variables.items[symbol_variable(symbol)].role;
    return role == CELL_UNKNOWN || role == CELL_PARAMETER;
}

/* may an equation be differentiated c times? */
static bool may_differentiate(void *user, uint32_t i, int32_t c)
{
    Prefer *p = user;
    Solve *s = p->solve;
    FOR_ENTRIES(&s->table, i, e)
    if (e->order + c > p->highest)
        return false;
    if (i >= s->cell->equations.n || s->c.items[i] > 0)
        return true;
    FOR_ENTRIES(&s->table, i, e)
    p->exchanges |= e->cost > COST_CONSTANT;
    return graph_symbols(&s->cell->graph, s->plan->equations.items[i].items, 1, is_unknown, s);
}

/* Of the stage in which a column stands undifferentiated: may it stay free, if a free one that is
 * worth less is solved for? False: memory ran out. */
static bool find_exchange(Prefer *p, uint32_t column, bool *found)
{
    Solve *s = p->solve;
    const LiederAllocator *alloc = s->cell->alloc;
    int32_t level = s->d.items[column], worth = state_worth(variable_at(s, column), 0);
    p->seen.items[column] = ++p->search;
    p->reached.n = 0;
    bool good = vec_push(alloc, &p->reached, column);
    for (size_t k = 0; good && !*found && k < p->reached.n; k++) {
        uint32_t j = p->reached.items[k], i = p->raise.row_of.items[j];
        if (s->c.items[i] < level) {
            *found = state_worth(variable_at(s, j), s->d.items[j] - level) < worth;
            continue;
        }
        FOR_ENTRIES(&s->table, i, e)
        {
            uint32_t next = e->column;
            if (!good || p->seen.items[next] == p->search || e->cost > COST_VARYING ||
                e->order + s->c.items[i] != s->d.items[next] || s->d.items[next] < level)
                continue;
            p->seen.items[next] = p->search;
            good = vec_push(alloc, &p->reached, next);
        }
    }
    return good;
}

/* one order more for a column; *raised: it is a state then, or may be one */
static bool try_column(Prefer *p, uint32_t j, bool *raised)
{
    int32_t d = p->solve->d.items[j] + 1;
    p->exchanges = false;
    *raised = false;
    if (d > p->highest)
        return true;
    bool allowed, good = offset_raise(&p->raise, j, d, &allowed);
    *raised = good && allowed;
    if (*raised && p->exchanges) {
        *raised = false;
        good = find_exchange(p, j, raised);
    }
    if (!*raised)
        offset_take_back(&p->raise);
    return good;
}

bool raise_preferred(Solve *s)
{
    const LiederAllocator *alloc = s->cell->alloc;
    if (cell_is_shared(s->cell))
        return true;
    Prefer p = {.solve = s,
                .raise = {.table = &s->table,
                          .alloc = alloc,
                          .transversal = s->transversal.items,
                          .c = s->c.items,
                          .d = s->d.items,
                          .allows = may_differentiate,
                          .user = &p}};
    bool good = offset_raise_init(&p.raise) && vec_resize(alloc, &p.seen, s->unknown.n + 1);
    for (size_t j = 0; good && j < s->unknown.n; j++)
        p.highest = s->d.items[j] > p.highest ? s->d.items[j] : p.highest;
    for (uint32_t j = 0; good && j < s->unknown.n; j++)
        for (bool raised = variable_at(s, j)->select >= SELECT_PREFER &&
                           variable_at(s, j)->role == CELL_UNKNOWN;
             good && raised;)
            good = try_column(&p, j, &raised);
    offset_raise_drop(&p.raise);
    vec_drop(alloc, &p.seen);
    vec_drop(alloc, &p.reached);
    return good;
}
