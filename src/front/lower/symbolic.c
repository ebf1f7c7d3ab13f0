/* symbolic.c - expressions in place of numbers.
 *
 * The evaluator of parameters also reads equations: arrays, subscripts, loops and functions work on
 * elements without asking what they are. An element that is not a number but an expression is a NaN
 * that carries the node of the graph, and whoever computes with elements asks is_symbolic first and
 * comes here. So an equation is a parameter expression that stops where it meets a variable.
 */
#include <math.h>

#include "front/function/large.h"
#include "front/lower/lower.h"

double symbolic_element(Node node)
{
    union {
        unsigned long long bits;
        double x;
    } u = {SYMBOLIC_TAG | node};
    return u.x;
}

Node symbolic_node(Front *f, double element)
{
    union {
        double x;
        unsigned long long bits;
    } u = {element};
    return is_symbolic(element) ? (Node)u.bits : node_constant(lower_graph(f), element);
}

double symbolic_number(Front *f, Node node)
{
    if (!node) { /* the graph may be empty */
        f->work.failed = true;
        return symbolic_element(node);
    }
    const NodeData *n = node_data(lower_graph(f), node);
    return n->kind == NODE_CONSTANT ? n->value : symbolic_element(node);
}

double symbolic_unary(Front *f, Operator op, double a)
{
    Graph *g = lower_graph(f);
    NodeKind kind = op == OP_NOT ? NODE_NOT : NODE_NEGATE;
    return symbolic_number(f, node_make(g, kind, symbolic_node(f, a), NO_NODE, NO_NODE));
}

double symbolic_binary(Front *f, Operator op, double a, double b)
{
    Graph *g = lower_graph(f);
    Node x = symbolic_node(f, a), y = symbolic_node(f, b), equal;
    switch (op) {
    case OP_ADD:
    case OP_EACH_ADD:
        return symbolic_number(f, node_add(g, x, y));
    case OP_SUB:
    case OP_EACH_SUB:
        return symbolic_number(f, node_subtract(g, x, y));
    case OP_MUL:
    case OP_EACH_MUL:
        return symbolic_number(f, node_multiply(g, x, y));
    case OP_DIV:
    case OP_EACH_DIV:
        return symbolic_number(f, node_divide(g, x, y));
    case OP_POW:
    case OP_EACH_POW:
        return symbolic_number(f, node_call(g, FUNCTION_POW, x, y));
    case OP_AND:
        return symbolic_number(f, node_make(g, NODE_AND, x, y, NO_NODE));
    case OP_OR:
        return symbolic_number(f, node_make(g, NODE_OR, x, y, NO_NODE));
    case OP_LESS:
        return symbolic_number(f, node_make(g, NODE_LESS, x, y, NO_NODE));
    case OP_GREATER:
        return symbolic_number(f, node_make(g, NODE_LESS, y, x, NO_NODE));
    case OP_LESS_EQUAL:
        return symbolic_number(f, node_make(g, NODE_LESS_EQUAL, x, y, NO_NODE));
    case OP_GREATER_EQUAL:
        return symbolic_number(f, node_make(g, NODE_LESS_EQUAL, y, x, NO_NODE));
    default:
        equal = node_make(g, NODE_EQUAL, x, y, NO_NODE);
        return symbolic_number(f, op == OP_EQUAL ? equal
                                                 : node_make(g, NODE_NOT, equal, NO_NODE, NO_NODE));
    }
}

double symbolic_call(Front *f, Function function, double a, double b)
{
    Graph *g = lower_graph(f);
    return symbolic_number(f, node_call(g, function, symbolic_node(f, a), symbolic_node(f, b)));
}

double symbolic_select(Front *f, double condition, double a, double b)
{
    Graph *g = lower_graph(f);
    return symbolic_number(
        f, node_select(g, symbolic_node(f, condition), symbolic_node(f, a), symbolic_node(f, b)));
}

/* what a variable is where a branch gave it no value: no number, which ends a run that comes there;
 * V_NONE where there is no such thing */
static Value undefined_like(Front *f, const Value *v, SourceSpan span)
{
    bool number = v->kind == V_REAL || v->kind == V_INTEGER;
    Value u = number || v->kind == V_RECORD ? value_copy(f, v, span) : (Value){0};
    for (size_t i = 0; number && u.kind != V_NONE && i < u.n; i++) {
        Value nan = value_number(u.kind, NAN);
        if (u.ndim)
            value_put(&u, i, &nan);
        else
            u.x = nan.x;
    }
    for (size_t i = 0; u.kind == V_RECORD && i < u.record->n; i++) {
        Value field = undefined_like(f, &v->record->fields[i], span);
        if (field.kind != V_NONE)
            u.record->fields[i] = field;
    }
    return u;
}

Value symbolic_merge(Front *f, double condition, Value a, Value b, SourceSpan span,
                     const Inst *where)
{
    if (a.kind == V_NONE && b.kind != V_NONE)
        a = undefined_like(f, &b, span);
    else if (b.kind == V_NONE && a.kind != V_NONE)
        b = undefined_like(f, &a, span);
    return a.kind == V_NONE || b.kind == V_NONE ? (Value){0}
                                                : symbolic_choice(f, condition, a, b, span, where);
}

/* field by field */
static Value record_choice(Front *f, double condition, const Value *a, const Value *b,
                           SourceSpan span, const Inst *where)
{
    Value v = record_create(f, a->record->class_, a->record->n, a->ndim, a->dim);
    for (size_t i = 0; v.kind != V_NONE && i < a->record->n; i++) {
        const Value *other = record_field(b, a->record->names[i]);
        v.record->names[i] = a->record->names[i];
        v.record->fields[i] = a->record->fields[i];
        if (!other) {
            report_error(
                f, span, where,
                "the branches of this choice are records with different fields\n"
                "both must be of the same type, since either may hold during the simulation");
            return (Value){0};
        }
        if (!value_identical(&a->record->fields[i], other))
            v.record->fields[i] =
                symbolic_merge(f, condition, a->record->fields[i], *other, span, where);
    }
    return v;
}

Value symbolic_choice(Front *f, double condition, Value a, Value b, SourceSpan span,
                      const Inst *where)
{
    if (a.kind == V_NONE || b.kind == V_NONE)
        return (Value){0};
    if (a.kind == V_INTEGER && b.kind == V_REAL)
        a.kind = V_REAL;
    if (b.kind == V_INTEGER && a.kind == V_REAL)
        b.kind = V_REAL;
    if (a.kind == V_RECORD && b.kind == V_RECORD)
        return record_choice(f, condition, &a, &b, span, where);
    if (a.kind == V_STRING && b.kind == V_STRING) {
        report_error(f, span, where,
                     "variables decide which text this is, and a run computes no texts\n"
                     "use an enumeration, or let a parameter decide");
        return (Value){0};
    }
    if (a.kind != b.kind || !value_same_sizes(&a, &b)) {
        report_error(
            f, span, where,
            "the branches of this choice differ in type or size: %s and %s\n"
            "both must be of the same type and size, since either may hold during the simulation",
            value_kind_text(a.kind), value_kind_text(b.kind));
        return (Value){0};
    }
    Value v = value_array(f, span, a.kind, a.ndim, a.dim);
    v.literals = a.literals;
    v.unit = a.unit ? a.unit : b.unit;
    if (a.unit && b.unit && unit_differs(a.unit, b.unit))
        v.unit = NULL;
    for (size_t i = 0; v.kind != V_NONE && i < a.n; i++) {
        Value e =
            value_number(a.kind, symbolic_select(f, condition, value_at(&a, i), value_at(&b, i)));
        value_put(&v, i, &e);
    }
    return v;
}

bool is_known(Front *f, const Value *v, SourceSpan span, const Inst *where, const char *what)
{
    for (size_t i = 0; v->kind == V_RECORD && i < v->record->n; i++)
        if (!is_known(f, &v->record->fields[i], span, where, what))
            return false;
    for (size_t i = 0; f->lower && v->kind != V_RECORD && v->kind != V_STRING && i < v->n; i++)
        if (is_symbolic(value_at(v, i))) {
            report_error(f, span, where,
                         "%s depends on variables, but must be known before the simulation\n"
                         "use constants and parameters here",
                         what);
            return false;
        }
    return true;
}

Value lower_homotopy(Front *f, Value actual, const Value *simplified)
{
    Cell *cell = &f->lower->cell;
    if (actual.kind != V_REAL || !value_same_sizes(&actual, simplified))
        return actual;
    if (large_refuse(f))
        return actual;
    for (size_t i = 0; i < actual.n; i++) {
        double a = value_at(&actual, i), s = value_at(simplified, i);
        if (is_symbolic(a) && !cell_add_homotopy(cell, symbolic_node(f, a), symbolic_node(f, s)))
            f->work.failed = true;
    }
    lower_sync(f->lower);
    return actual;
}
