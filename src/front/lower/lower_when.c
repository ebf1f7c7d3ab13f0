/* lower_when.c - when-clauses as discrete variables of the cell:
 *
 *   when c then v = e    v = if fires then e else pre(v), where fires = edge(c)
 *
 * and nothing fires during the initialisation but when initial(). A variable that a clause assigns
 * is memory, whatever its type. See Modelica 8.3.5, 8.6.
 */
#include <string.h>

#include "front/lower/lower.h"

/* ------------------------------------------------------------------ clauses */

/* a condition becomes true: its memory is what it was before the event */
static Node rises(Lower *lower, Node condition, SourceSpan span)
{
    Graph *g = &lower->cell.graph;
    if (lower_is_sample(lower, condition))
        return condition; /* true in one pass only */
    uint32_t v =
        lower_hidden(lower, MEANING_MEMORY, "condition", lower->cell.events.memories.n + 1, span);
    if (v == UINT32_MAX)
        return NO_NODE;
    lower_memory(lower, (CellMemory){.variable = v, .next = condition, .place = span_place(span)});
    return lower_and(g, condition, lower_not(g, cell_variable(&lower->cell, v, 0)));
}

bool clause_begin(Front *f, Clause *c, SourceSpan span, Env env)
{
    Lower *lower = f->lower;
    const char *what = lower->in_when ? "a when-clause stands inside another one"
                       : lower->branch || f->nchoice
                           ? "a when-clause stands in a branch that variables decide"
                       : lower->is_initial ? "a when-clause stands in an initial section"
                                           : NULL;
    *c = (Clause){.lower = lower, .earlier = node_constant(&lower->cell.graph, 0)};
    if (!what)
        return true;
    report_error(f, span, env.inst, "%s\nput the condition into the condition of the clause", what);
    return false;
}

/* conditions: one, or a vector of them */
static bool read_conditions(Front *f, Clause *c, const Expr *condition, Env env)
{
    Value v = evaluate(f, condition, env);
    if (v.kind == V_NONE)
        return false;
    if (is_clock_value(f, &v)) {
        report_error(f, condition->span, env.inst,
                     "a clocked when-clause stands in an algorithm\n"
                     "write it as an equation");
        return false;
    }
    if (v.kind != V_BOOLEAN || v.ndim > 1) {
        report_error(f, condition->span, env.inst,
                     "the condition of a when-clause must be Boolean, this is of type %s\n"
                     "compare it with something: x > 0",
                     value_kind_text(v.kind));
        return false;
    }
    c->conditions = v;
    return true;
}

bool clause_open(Front *f, Clause *c, const Expr *condition, Env env, double *fires)
{
    Lower *lower = c->lower;
    size_t number = lower->cell.events.whens.n + 1;
    if (!condition || !read_conditions(f, c, condition, env))
        return false;
    c->span = condition->span;
    c->variable = lower_hidden(lower, MEANING_FIRES, "when", number, c->span);
    if (c->variable == UINT32_MAX)
        return false;
    *fires = symbolic_element(cell_variable(&lower->cell, c->variable, 0));
    lower->fires = cell_variable(&lower->cell, c->variable, 0);
    lower->in_when = true;
    lower->literal++;
    c->npre = lower->npre;
    return true;
}

/* When initial() holds its clause is a part of the initial equations: it holds in every initial
 * pass, but where it counts from pre values it happens once. */
void clause_close(Front *f, Clause *c)
{
    Lower *lower = c->lower;
    Graph *g = &lower->cell.graph;
    Node initial = lower_initial_flag(lower), any = node_constant(g, 0);
    bool counts = lower->npre > c->npre;
    lower->in_when = false;
    lower->literal--;
    for (size_t i = 0; i < c->conditions.n; i++) {
        Node condition = symbolic_node(f, value_at(&c->conditions, i));
        Node rise;
        if (condition == initial)
            rise = counts ? rises(lower, initial, c->span) : initial;
        else
            rise = lower_and(g, rises(lower, condition, c->span), lower_not(g, initial));
        any = lower_or(g, any, rise);
    }
    CellWhen when = {c->variable, lower_and(g, any, lower_not(g, c->earlier)), span_place(c->span)};
    c->earlier = lower_or(g, c->earlier, cell_variable(&lower->cell, c->variable, 0));
    if (!c->earlier || !vec_push(lower->cell.alloc, &lower->cell.events.whens, when))
        f->work.failed = true;
}

/* ------------------------------------------------------------------ variables of clauses */

/* a clause gives the variable `left` this value at events */
static void lower_assigned(Lower *lower, Node left, Node value, SourceSpan span, const Inst *where)
{
    Front *f = lower->front;
    uint32_t v = lower_variable_of(lower, left);
    CellVariable *x = v == UINT32_MAX ? NULL : &lower->cell.variables.items[v];
    if (!x || (x->role != CELL_UNKNOWN && x->meaning != MEANING_WHEN)) {
        report_error(f, span, where,
                     "the left side of an equation in a when-clause must be a variable\n"
                     "write v = expression, where nothing else decides v");
        return;
    }
    if (x->meaning == MEANING_WHEN) {
        report_error(f, span, where,
                     "'%s' is assigned by more than one when-clause\n"
                     "use one clause with elsewhen, which says what comes first",
                     x->name);
        return;
    }
    x->role = CELL_DISCRETE;
    x->meaning = MEANING_WHEN;
    lower_memory(lower, (CellMemory){.variable = v,
                                     .next = value,
                                     .place = span_place(span),
                                     .path = lower_inst_text(lower, where)});
}

/* element by element, and field by field of records */
void lower_assigned_values(Lower *lower, Value left, Value value, SourceSpan span, Env env)
{
    Front *f = lower->front;
    if (left.kind == V_NONE || value.kind == V_NONE)
        return;
    for (size_t i = 0; left.kind == V_RECORD && i < left.record->n; i++) {
        const Value *field = record_field(&value, left.record->names[i]);
        if (field)
            lower_assigned_values(lower, left.record->fields[i], *field, span, env);
    }
    for (size_t i = 0; left.kind != V_RECORD && i < left.n && i < value.n; i++)
        lower_assigned(lower, symbolic_node(f, value_at(&left, i)),
                       symbolic_node(f, value_at(&value, i)), span, env.inst);
}

/* what one clause of a when-equation assigns */
typedef struct ClauseBranch {
    Node fires;
    EquationPairs pairs;
} ClauseBranch;
typedef VEC(ClauseBranch) ClauseBranches;

/* one branch of a when: its condition and what it sets */
static bool read_clause(Lower *lower, Clause *c, const Branch *branch, Env env, ClauseBranch *to)
{
    Front *f = lower->front;
    double fires;
    if (!clause_open(f, c, branch->condition, env, &fires))
        return false;
    to->fires = symbolic_node(f, fires);
    lower->branch = &to->pairs;
    lower_equations(lower, &branch->body, env);
    lower->branch = NULL;
    clause_close(f, c);
    return true;
}

enum { CLAUSE_STEPS = 100 }; /* of when, beside what it says */

/* has a branch set this variable already, before its equation i? reports it */
static bool is_set_twice(const Lower *lower, const ClauseBranch *branch, size_t i, SourceSpan span,
                         const Inst *where)
{
    Node left = branch->pairs.items[i].left;
    uint32_t v = lower_variable_of(lower, left);
    bool twice = false;
    for (size_t k = 0; k < i; k++)
        if (branch->pairs.items[k].left == left) {
            report_error(lower->front, span, where,
                         "a when-clause has two equations for '%s'\nremove one of them",
                         v == UINT32_MAX ? "a variable" : lower->cell.variables.items[v].name);
            twice = true;
        }
    return twice;
}

/* v = if fires then e else (if fires of a later clause then ... else pre(v)), from branch b on */
static Node joined_value(Lower *lower, const ClauseBranches *all, size_t b, Node left,
                         SourceSpan span)
{
    uint32_t v = lower_variable_of(lower, left);
    Node value = v == UINT32_MAX ? NO_NODE : lower_pre_of(lower, v, span);
    for (size_t c = b; c < all->n && value; c++) {
        const ClauseBranch *branch = &all->items[c];
        for (size_t k = 0; k < branch->pairs.n; k++)
            if (branch->pairs.items[k].left == left)
                value = node_select(&lower->cell.graph, branch->fires, branch->pairs.items[k].right,
                                    value);
    }
    return value;
}

/* what all branches of a when-equation assign, variable by variable */
static void join_branches(Lower *lower, const ClauseBranches *all, SourceSpan span, Env env)
{
    NodeList done = {0};
    for (size_t b = 0; b < all->n; b++)
        for (size_t i = 0; i < all->items[b].pairs.n; i++) {
            Node left = all->items[b].pairs.items[i].left;
            bool known = false;
            for (size_t k = 0; k < done.n; k++)
                known |= done.items[k] == left;
            /* twice in one clause is too much; it is found in the first one */
            known |= is_set_twice(lower, &all->items[b], i, span, env.inst);
            if (known)
                continue;
            Node value = joined_value(lower, all, b, left, span);
            if (!vec_push(lower->front->alloc, &done, left))
                lower->front->work.failed = true;
            lower_assigned(lower, left, value, span, env.inst);
        }
    vec_drop(lower->front->alloc, &done);
}

void lower_when(Lower *lower, const Equation *e, Env env)
{
    Front *f = lower->front;
    Clause c;
    ClauseBranches all = {0};
    bool good = spend(f, e->span, CLAUSE_STEPS);
    if (good && lower_clocked_when(lower, e, env))
        return;
    good = good && clause_begin(f, &c, e->span, env);
    for (size_t i = 0; good && i < e->branches.n; i++) {
        ClauseBranch branch = {0};
        good = read_clause(lower, &c, e->branches.items[i], env, &branch);
        if (!vec_push(f->alloc, &all, branch)) {
            vec_drop(f->alloc, &branch.pairs);
            f->work.failed = true;
        }
    }
    if (good)
        join_branches(lower, &all, e->span, env);
    for (size_t i = 0; i < all.n; i++)
        vec_drop(f->alloc, &all.items[i].pairs);
    vec_drop(f->alloc, &all);
}

/* ------------------------------------------------------------------ when all is read */

/* pre of a variable that no clause assigns is what it was at the end of the last pass */
static void end_pre(Lower *lower, uint32_t p)
{
    const CellVariable *pre = &lower->cell.variables.items[p];
    const CellVariable *of = &lower->cell.variables.items[pre->of];
    if (of->meaning == MEANING_WHEN)
        return;
    if (of->type != LIEDER_TYPE_REAL) {
        lower_memory(lower, (CellMemory){.variable = p,
                                         .next = cell_variable(&lower->cell, pre->of, 0),
                                         .initial = cell_variable(&lower->cell, p, 0),
                                         .place = pre->place});
    } else if (pre->is_hint) {
        diag_error(lower->front->diag, &pre->place, NULL,
                   "pre(%s) outside of a when-clause: the variable is continuous\n"
                   "use it inside of when, or assign the variable by when",
                   of->name);
        lower->front->nwrong++;
    }
}

static bool is_declared_discrete(const Lower *lower, uint32_t v)
{
    const Member *m = lower->variables.items[v].member;
    return m && m->component && m->prefix.variability == VARY_DISCRETE;
}

/* a discrete Real that no clause assigns (Modelica 4.5.1); what comes in by connectors is decided
 * elsewhere */
static void check_discrete_reals(Lower *lower)
{
    const Cell *cell = &lower->cell;
    for (uint32_t v = 0; v < cell->variables.n && v < lower->variables.n; v++) {
        const CellVariable *x = &cell->variables.items[v];
        const Member *m = lower->variables.items[v].member;
        if (x->role == CELL_UNKNOWN && x->type == LIEDER_TYPE_REAL && x->element == 0 &&
            is_declared_discrete(lower, v) && m->prefix.causality != CAUSE_INPUT &&
            !(m->inst->class_ && m->inst->class_->kind == CLASS_CONNECTOR))
            diag_warning(lower->front->diag, &x->place, NULL,
                         "'%s' is declared discrete, but no when-clause assigns it\n"
                         "assign it in a when-clause, or leave out 'discrete'",
                         x->name);
    }
}

/* what a clause assigns has no derivative */
static void check_derivatives(Lower *lower)
{
    const Cell *cell = &lower->cell;
    for (Node i = 1; i < cell->graph.nodes.n; i++) {
        const NodeData *n = node_data(&cell->graph, i);
        if (n->kind != NODE_SYMBOL || n->symbol == CELL_TIME || is_bound_symbol(n->symbol) ||
            !symbol_order(n->symbol))
            continue;
        const CellVariable *v = &cell->variables.items[symbol_variable(n->symbol)];
        bool declared = is_declared_discrete(lower, symbol_variable(n->symbol));
        if ((v->role != CELL_DISCRETE && !declared) ||
            lower->variables.items[symbol_variable(n->symbol)].is_clocked)
            continue;
        diag_error(lower->front->diag, &v->place, NULL,
                   "'%s' is discrete, since %s, and has no derivative\n"
                   "use another variable where a derivative is needed",
                   v->name, declared ? "its declaration says so" : "a when-clause assigns it");
        lower->front->nwrong++;
    }
}

void lower_end_events(Lower *lower)
{
    Cell *cell = &lower->cell;
    check_derivatives(lower);
    check_discrete_reals(lower);
    lower_sync(lower);
    for (uint32_t v = 0, n = (uint32_t)cell->variables.n; v < n; v++)
        if (cell->variables.items[v].meaning == MEANING_PRE)
            end_pre(lower, v);
    lower_end_random(lower);
}
