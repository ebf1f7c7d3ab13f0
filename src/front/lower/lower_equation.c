/* lower_equation.c - equations as scalar equations of the cell. See lower.h. */
#include "front/instance/left_out.h"
#include "front/lower/lower.h"
#include "front/divide/noted.h"

#include <stdio.h>
#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------ equations */

/* into the branch that is being read, or into the cell */
static void add_pair(Lower *lower, CellEquation e)
{
    bool good = lower->branch       ? vec_push(lower->front->alloc, lower->branch, e)
                : lower->is_initial ? cell_add_initial(&lower->cell, e)
                                    : cell_add_equation(&lower->cell, e);
    if (!good)
        lower->front->work.failed = true;
}

void lower_equation_pair(Lower *lower, Node left, Node right, SourceSpan span, const Inst *where)
{
    Front *f = lower->front;
    char path[300];
    CellEquation e = {.left = left, .right = right, .place = span_place(span)};
    if (where != lower->top) {
        inst_path(where, path, sizeof path);
        e.path = arena_text(&f->work, path, strlen(path));
    }
    add_pair(lower, e);
}

/* field by field */
static void equal_records(Lower *lower, const Value *a, const Value *b, SourceSpan span, Env env)
{
    for (size_t i = 0; i < a->record->n; i++) {
        const Value *other = record_field(b, a->record->names[i]);
        if (!other || a->record->n != b->record->n) {
            report_error(lower->front, span, env.inst,
                         "the sides of the equation are records with different fields\n"
                         "both sides have the same type");
            return;
        }
        lower_equal(lower, a->record->fields[i], *other, span, env);
    }
}

/* is its first element a variable of the model? */
static bool names_variable(Lower *lower, const Value *v)
{
    if (v->n == 0 || !is_symbolic(value_at(v, 0)))
        return false;
    const NodeData *n = node_data(&lower->cell.graph, symbolic_node(lower->front, value_at(v, 0)));
    return n->kind == NODE_SYMBOL && n->symbol != CELL_TIME && symbol_order(n->symbol) == 0 &&
           lower->cell.variables.items[symbol_variable(n->symbol)].role == CELL_UNKNOWN;
}

/* left = right, element by element */
void lower_equal(Lower *lower, Value a, Value b, SourceSpan span, Env env)
{
    Front *f = lower->front;
    char sa[100], sb[100];
    if (a.kind == V_NONE || b.kind == V_NONE)
        return;
    if (a.kind == V_RECORD && b.kind == V_RECORD) {
        equal_records(lower, &a, &b, span, env);
        return;
    }
    bool numbers =
        (a.kind == V_REAL || a.kind == V_INTEGER) && (b.kind == V_REAL || b.kind == V_INTEGER);
    if (a.kind == V_STRING || a.kind > V_RECORD ||
        (!numbers && (a.kind != b.kind || a.literals != b.literals))) {
        bool named = a.kind == V_ENUM && b.kind == V_ENUM && a.literals && b.literals;
        report_error(f, span, env.inst, "the sides of the equation are of type %s and %s\n%s",
                     named ? a.literals->name : value_kind_text(a.kind),
                     named ? b.literals->name : value_kind_text(b.kind),
                     a.kind == V_STRING ? "a run computes no texts: use an enumeration"
                                        : "both sides have the same type");
        return;
    }
    if (!value_same_sizes(&a, &b)) {
        report_error(
            f, span, env.inst,
            "the left side has the sizes %s, the right side %s\nboth sides have the same sizes",
            a.ndim ? value_sizes_text(&a, sa, sizeof sa) : "of a scalar",
            b.ndim ? value_sizes_text(&b, sb, sizeof sb) : "of a scalar");
        return;
    }
    if (a.kind == V_INTEGER && b.kind == V_REAL && names_variable(lower, &a)) {
        report_error(f, span, env.inst,
                     "the left side is of type Integer, but the right side is of type Real\n"
                     "integer(x) rounds down");
        return;
    }
    if (numbers && a.unit && b.unit && unit_differs(a.unit, b.unit))
        warn(f, span, env.inst,
             "the left side has the unit \"%s\", the right side \"%s\"\n"
             "convert one of the two, or correct its unit",
             a.unit, b.unit);
    for (size_t i = 0; i < a.n && spend(f, span, 1); i++)
        lower_equation_pair(lower, symbolic_node(f, value_at(&a, i)),
                            symbolic_node(f, value_at(&b, i)), span, env.inst);
}

/* (a, , b) = f(x) */
static void equate_results(Lower *lower, const Equation *e, Env env)
{
    Front *f = lower->front;
    Value all[16] = {{0}};
    size_t n = e->left->list.n;
    if (e->right->kind != EX_CALL || n > 16) {
        report_error(
            f, e->right->span, env.inst,
            "a call with several results is needed here\nwrite one equation for each variable");
        return;
    }
    call_function(f, e->right, env, all, n);
    for (size_t i = 0; i < n; i++)
        if (e->left->list.items[i])
            lower_equal(lower, evaluate(f, e->left->list.items[i], env), all[i], e->span, env);
}

/* a reference with subscripts in an expression, or NULL */
static const Expr *subscripted(const Expr *e)
{
    const Expr *found = NULL;
    if (!e)
        return NULL;
    if (e->kind == EX_REF)
        for (const Ref *r = e->ref; r && !found; r = r->rest)
            found = r->subscripts.n ? e : NULL;
    else if (e->kind == EX_UNARY || e->kind == EX_BINARY)
        found = subscripted(e->left) ? subscripted(e->left) : subscripted(e->right);
    else if (e->kind == EX_CALL)
        for (size_t i = 0; i < e->call->positional.n && !found; i++)
            found = subscripted(e->call->positional.items[i]);
    return found;
}

/* the first reference with subscripts in the equations of a loop, or NULL */
static const Expr *loop_reference(const Equation *loop)
{
    const Expr *found = NULL;
    for (size_t i = 0; i < loop->body.n && !found; i++) {
        const Equation *e = loop->body.items[i];
        if (e->kind == EQ_FOR)
            found = loop_reference(e);
        else if (e->kind == EQ_EQUAL || e->kind == EQ_CONNECT)
            found = subscripted(e->left) ? subscripted(e->left) : subscripted(e->right);
    }
    return found;
}

void lower_what_grew(const Lower *lower, char *buffer, size_t size)
{
    size_t at = 0;
    buffer[0] = '\0';
    if (lower->loop && lower->loop->indices.n) {
        const Expr *ref = loop_reference(lower->loop);
        SourceSpan span = ref ? ref->span : (SourceSpan){0};
        at = (size_t)snprintf(
            buffer, size,
            "the loop over '%s' in line %d has become %zu scalar equations so far%s%.*s",
            lower->loop->indices.items[0]->name, span_line(lower->loop->span),
            lower->cell.equations.n - lower->before_loop, ref ? ", one for each " : "",
            ref ? (int)(span.length < 80 ? span.length : 80) : 0,
            ref ? span.file->text + span.at : "");
    }
    if (at < size && lower->array)
        snprintf(buffer + at, size - at, "%s'%s' alone has %zu elements", at ? "; " : "",
                 lower->array->name, lower->narray);
}

typedef struct LowerLoop {
    Lower *lower;
    const EquationList *body;
} LowerLoop;

static bool lower_body(Front *f, Env env, void *user)
{
    LowerLoop *loop = user;
    lower_equations(loop->lower, loop->body, env);
    return !f->exhausted && !f->work.failed;
}

typedef struct ParameterCheck {
    const Cell *cell;
    bool varies;
} ParameterCheck;

static bool note_variable(void *user, uint64_t symbol, Node node)
{
    ParameterCheck *check = user;
    (void)node;
    const CellVariable *v = symbol == CELL_TIME || is_seed(symbol) || is_bound_symbol(symbol)
                                ? NULL
                                : &check->cell->variables.items[symbol_variable(symbol)];
    check->varies |= !v || v->role != CELL_PARAMETER || v->is_free;
    return true;
}

/* The condition of an if-equation: 0 or 1 if parameters decide it, symbolic if it may change.
 * V_NONE after an error. */
Value lower_condition(Lower *lower, const Expr *e, Env env)
{
    Front *f = lower->front;
    Value c = evaluate(f, e, env);
    if (c.kind == V_NONE)
        return c;
    if (c.kind != V_BOOLEAN || c.ndim) {
        report_error(f, e->span, env.inst,
                     "a condition must be Boolean, this is of type %s\n"
                     "compare it with something: x > 0",
                     value_kind_text(c.kind));
        return (Value){0};
    }
    if (!is_symbolic(c.x) || f->without_numbers || parameter_number(f, &c))
        return c;
    ParameterCheck check = {.cell = &lower->cell};
    Node node = symbolic_node(f, c.x);
    if (!graph_symbols(&lower->cell.graph, &node, 1, note_variable, &check))
        f->work.failed = true;
    if (check.varies)
        return c;
    f->lower = NULL; /* as a number */
    c = structural_value(f, e, env, lower->top, "a condition");
    f->lower = lower;
    return c;
}

/* equations of the second branch in the order of the first, where their left sides are the same */
static void align_pairs(const EquationPairs *yes, EquationPairs *no)
{
    for (size_t i = 0; i < yes->n && i < no->n; i++)
        for (size_t k = i + 1; k < no->n && no->items[i].left != yes->items[i].left; k++)
            if (no->items[k].left == yes->items[i].left) {
                CellEquation swap = no->items[i];
                no->items[i] = no->items[k];
                no->items[k] = swap;
            }
}

Node lower_begin_guard(Front *f, double condition)
{
    Lower *lower = f->lower;
    Node before = lower->guard, holds = symbolic_node(f, condition);
    lower->guard = before ? node_make(&lower->cell.graph, NODE_AND, before, holds, NO_NODE) : holds;
    return before;
}

void lower_end_guard(Front *f, Node before)
{
    f->lower->guard = before;
}

/* Equations that hold one branch at a time: the k-th ones of all branches make one equation, whose
 * sides are chosen. */
static void lower_choice(Lower *lower, const Equation *e, size_t first, double condition, Env env)
{
    Front *f = lower->front;
    Graph *g = &lower->cell.graph;
    EquationPairs yes = {0}, no = {0}, *outer = lower->branch;
    Node holds = symbolic_node(f, condition);
    Node fails = node_make(g, NODE_NOT, holds, NO_NODE, NO_NODE);
    lower->branch = &yes;
    Node guard = lower_begin_guard(f, condition);
    lower_equations(lower, &e->branches.items[first]->body, env);
    lower->branch = &no;
    lower_end_guard(f, guard);
    lower_begin_guard(f, symbolic_element(fails));
    Equation rest = *e;
    rest.branches.items += first + 1;
    rest.branches.n -= first + 1;
    EquationList list = {&(Equation *){&rest}, 1};
    if (rest.branches.n && rest.branches.items[0]->condition)
        lower_equations(lower, &list, env);
    else if (rest.branches.n)
        lower_equations(lower, &rest.branches.items[0]->body, env);
    lower->branch = outer;
    lower_end_guard(f, guard);
    align_pairs(&yes, &no);
    if (yes.n != no.n)
        report_error(
            f, e->span, env.inst,
            "the branches have %zu and %zu equation(s), and variables decide which one holds\n"
            "write as many equations in each branch, the else branch included",
            yes.n, no.n);
    for (size_t i = 0; i < yes.n && i < no.n && yes.n == no.n; i++) {
        Node left = node_select(g, holds, yes.items[i].left, no.items[i].left);
        Node right = node_select(g, holds, yes.items[i].right, no.items[i].right);
        add_pair(lower, (CellEquation){.left = left,
                                       .right = right,
                                       .place = yes.items[i].place,
                                       .path = yes.items[i].path});
    }
    vec_drop(f->alloc, &yes);
    vec_drop(f->alloc, &no);
}

/* equations of all branches, joined by their conditions where these vary */
static void lower_if(Lower *lower, const Equation *e, Env env)
{
    for (size_t i = 0; i < e->branches.n; i++) {
        const Branch *branch = e->branches.items[i];
        Value c = branch->condition ? lower_condition(lower, branch->condition, env)
                                    : value_number(V_BOOLEAN, 1);
        if (c.kind == V_NONE)
            return;
        if (is_symbolic(c.x)) {
            lower_choice(lower, e, i, c.x, env);
            return;
        }
        if (c.x != 0) {
            lower_equations(lower, &branch->body, env);
            return;
        }
    }
}

/* assert: what parameters decide is checked here, the rest while the model runs */
/* the condition of an assertion in a function: a number where parameters decide it */
static Value function_condition(Front *f, const Expr *e, Env env)
{
    Value c = evaluate(f, e, env), number = c;
    if (c.kind == V_BOOLEAN && c.ndim == 0)
        return is_symbolic(c.x) && !f->without_numbers && parameter_number_of_all(f, &number)
                   ? number
                   : c;
    if (c.kind != V_NONE)
        report_error(f, e->span, env.inst,
                     "a condition must be Boolean, this is of type %s\n"
                     "compare it with something: x > 0",
                     value_kind_text(c.kind));
    return (Value){0};
}

/* AssertionLevel.warning or .error of an assertion; 0 after reporting what is wrong with it */
int assertion_level(Front *f, const Expr *e, Env env)
{
    const CallExpr *call = e->call;
    const Expr *level = call->positional.n > 2 ? call->positional.items[2] : NULL;
    for (size_t i = 0; i < call->named.n; i++)
        if (strcmp(call->named.items[i]->name, "level") == 0)
            level = call->named.items[i]->value;
    Value v = level ? evaluate(f, level, env) : value_number(V_ENUM, 2);
    if (v.kind != V_NONE && (v.kind != V_ENUM || v.ndim || is_symbolic(v.x)))
        report_error(f, level->span, env.inst, "the level of an assert is %s\n%s",
                     v.kind == V_ENUM ? "decided by variables" : value_kind_text(v.kind),
                     "write AssertionLevel.error or AssertionLevel.warning");
    return v.kind != V_ENUM || v.ndim || is_symbolic(v.x) || !(fabs(v.x) < 100) ? 0 : (int)v.x;
}

bool lower_assert_call(Front *f, const Expr *e, Env env)
{
    Lower *lower = f->lower;
    const CallExpr *call = e->call;
    if (call->positional.n < 2) {
        report_error(
            f, e->span, env.inst,
            "assert needs a condition and a text\nwrite assert(n > 0, \"n must be positive\")");
        return false;
    }
    lower->literal++;
    Value c = f->nfunction ? function_condition(f, call->positional.items[0], env)
                           : lower_condition(lower, call->positional.items[0], env);
    lower->literal--;
    if (c.kind == V_NONE)
        return false;
    if (f->without_numbers && is_symbolic(c.x))
        return precompile_assert(f, symbolic_node(f, c.x), call->positional.items[1], env);
    if (is_symbolic(c.x) || (c.x == 0 && (lower->guard || lower->in_when || f->exits.n))) {
        lower_assertion(lower, e, c.x, env);
        return true;
    }
    return c.x != 0 || report_assertion(f, e, env);
}

/* A function that is called for what it does: once, while the model is built. */
static void lower_call_alone(Lower *lower, const Equation *e, Env env)
{
    Front *f = lower->front;
    if ((lower->in_when || lower->guard) && lower_guarded_call(f, e->left, env))
        return;
    if (lower->in_when || lower->guard || lower->in_clock)
        warn(f, e->span, env.inst,
             "a call that variables decide is left out of the simulation\nassign its result");
    else
        call_function(f, e->left, env, NULL, 1);
}

/* one equation, by its kind */
static void lower_equation(Lower *lower, const Equation *e, Env env)
{
    Front *f = lower->front;
    switch (e->kind) {
    case EQ_EQUAL:
        if (e->left->kind == EX_TUPLE) {
            equate_results(lower, e, env);
        } else {
            NumberMark of_left, of_right;
            Value right = evaluate_operand(f, e->right, env, &of_right);
            if (right.kind != V_STRING || e->left->kind != EX_REF) { /* else left out: lower.c */
                Value left = evaluate_operand(f, e->left, env, &of_left);
                numbers_beside(f, env, e->left, &left, &of_left, e->right, &right, &of_right);
                lower_equal(lower, left, right, e->span, env);
            }
        }
        decisions_settle(f, 0);
        break;
    case EQ_CONNECT:
        if (!connection_left_out(env.part, e))
            lower_connect(lower, e, env);
        break;
    case EQ_FOR: {
        LowerLoop loop = {lower, &e->body};
        bool outermost = !lower->loop;
        if (outermost) {
            lower->loop = e;
            lower->before_loop = lower->cell.equations.n;
        }
        iterate(f, &e->indices, env, lower_body, &loop);
        if (outermost)
            lower->loop = NULL;
        break;
    }
    case EQ_IF:
        lower_if(lower, e, env);
        break;
    case EQ_WHEN:
        lower_when(lower, e, env);
        break;
    case EQ_CALL:
        if (e->left->kind == EX_CALL && strcmp(e->left->call->function->name, "Connections") == 0)
            break; /* lower_virtual.c has read it */
        if (e->left->kind == EX_CALL && !e->left->call->function->rest &&
            strcmp(e->left->call->function->name, "assert") == 0) {
            lower_assert_call(f, e->left, env);
            break;
        }
        if (e->left->kind == EX_CALL && lower_event_call(f, e->left, env))
            break;
        if (e->left->kind == EX_CALL) {
            lower_call_alone(lower, e, env);
            break;
        }
        /* fall through */
    default:
        report_error(f, e->span, env.inst,
                     "a call as an equation is not supported yet\nwrite x = f(...)");
    }
}

void lower_equations(Lower *lower, const EquationList *list, Env env)
{
    for (size_t i = 0; i < list->n; i++) {
        if (!enter(lower->front, list->items[i]->span))
            return;
        lower_equation(lower, list->items[i], env);
        leave(lower->front);
    }
}
