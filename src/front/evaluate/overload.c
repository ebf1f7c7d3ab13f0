/* overload.c - the operators of operator records (Modelica 14).
 *
 * An operator record has operator functions named '+', '*', 'constructor' ...; each is a function
 * or a set of functions that differ in their inputs. a + b with a record among the two is the call
 * of the function whose inputs fit. If none fits, an operand that is no record is made one by the
 * constructor, as in 2 * z. Arrays go element by element, a product of vectors or matrices is the
 * sum of products, unless a function takes the arrays themselves. Operators with a dot (.+ .*)
 * always go element by element.
 */
#include <string.h>

#include "front/instance/semantic.h"

enum { MAX_INPUTS = 40 };

typedef struct Overload {
    Front *f;
    Operator op;
    SourceSpan span;
    const Inst *where;
} Overload;

/* the instance of a class at its place in the packages; NULL if it cannot be found from there */
static Inst *static_inst(Front *f, const Class *class_, SourceSpan span)
{
    Inst *around = class_->parent ? static_inst(f, class_->parent, span) : f->root;
    Member *m = around ? inst_find(around, NULL, class_->name) : NULL;
    return m && m->class_ == class_ ? class_inst(f, m, span) : NULL;
}

static bool is_operator_record(const Class *class_)
{
    return class_ && class_->kind == CLASS_OPERATOR_RECORD;
}

static bool is_operand(const Value *v)
{
    return v->kind == V_RECORD && is_operator_record(v->record->class_);
}

/* ------------------------------------------------------------------ the function that fits */

/* does the value fit an input as it is? Integers are Reals, too. */
static bool fits_input(Front *f, Member *m, const Value *v)
{
    const Type *type = member_type(f, m);
    int ndim = function_dimensions(f, m);
    if (ndim != v->ndim)
        return false;
    switch (type->kind) {
    case TY_REAL:
        return v->kind == V_REAL || v->kind == V_INTEGER;
    case TY_INTEGER:
        return v->kind == V_INTEGER;
    case TY_BOOLEAN:
        return v->kind == V_BOOLEAN;
    case TY_STRING:
        return v->kind == V_STRING;
    case TY_ENUM:
        return v->kind == V_ENUM && v->literals == type->class_;
    case TY_CLASS:
        return v->kind == V_RECORD && v->record->class_ == type->class_;
    default:
        return false;
    }
}

static bool is_input(const Member *m)
{
    return m->component && m->prefix.causality == CAUSE_INPUT && !m->is_protected;
}

/* all values have an input that fits, and the inputs that are left have defaults */
static bool fits_function(Front *f, Member *function, const Value *a, size_t n, SourceSpan span)
{
    if (!function->class_ || (function->class_->kind != CLASS_FUNCTION &&
                              function->class_->kind != CLASS_OPERATOR_FUNCTION))
        return false;
    const Inst *inst = class_inst(f, function, span);
    size_t position = 0;
    for (size_t i = 0; inst && i < inst->members.n; i++) {
        Member *m = inst->members.items[i];
        if (!is_input(m))
            continue;
        if (position < n ? !fits_input(f, m, &a[position]) : !m->mods)
            return false;
        position++;
    }
    return inst && position >= n;
}

/* the function of the operator `name` of a class that takes the values; NULL: there is none */
static Member *find_function(Front *f, const Class *class_, const char *name, const Value *a,
                             size_t n, SourceSpan span)
{
    Inst *record = static_inst(f, class_, span);
    Member *m = record ? inst_find(record, NULL, intern(f, name)) : NULL;
    if (!m || !m->class_)
        return NULL;
    if (m->class_->kind == CLASS_OPERATOR_FUNCTION)
        return fits_function(f, m, a, n, span) ? m : NULL;
    Inst *set = m->class_->kind == CLASS_OPERATOR ? class_inst(f, m, span) : NULL;
    for (size_t i = 0; set && i < set->members.n; i++)
        if (fits_function(f, set->members.items[i], a, n, span))
            return set->members.items[i];
    return NULL;
}

/* a call of the operator; false: no function fits */
static bool call_operator(const Overload *o, const Class *class_, const char *name, const Value *a,
                          size_t n, Value *result)
{
    Member *function = find_function(o->f, class_, name, a, n, o->span);
    if (function)
        *result = call_with_values(o->f, function, a, n, o->span, (Env){.inst = (Inst *)o->where});
    return function != NULL;
}

/* ------------------------------------------------------------------ constructors */

typedef struct ConstructorCall {
    const CallExpr *call;
    Value positional[MAX_INPUTS], named[MAX_INPUTS];
} ConstructorCall;

/* the arguments of a call of an overloaded constructor; false: one is wrong */
static bool evaluate_arguments(Front *f, const CallExpr *call, Env env, ConstructorCall *c)
{
    c->call = call;
    if (call->positional.n > MAX_INPUTS || call->named.n > MAX_INPUTS)
        return false;
    for (size_t i = 0; i < call->positional.n; i++)
        if ((c->positional[i] = evaluate(f, call->positional.items[i], env)).kind == V_NONE)
            return false;
    for (size_t i = 0; i < call->named.n; i++)
        if ((c->named[i] = evaluate(f, call->named.items[i]->value, env)).kind == V_NONE)
            return false;
    return true;
}

/* does the function take what the call gives, element by element if that is what it takes? */
static bool fits_call(Front *f, Member *function, const ConstructorCall *c, SourceSpan span)
{
    const Inst *inst = function->class_ ? class_inst(f, function, span) : NULL;
    size_t position = 0, found = 0;
    for (size_t i = 0; inst && i < inst->members.n; i++) {
        Member *m = inst->members.items[i];
        if (!is_input(m))
            continue;
        const Value *v = position < c->call->positional.n ? &c->positional[position] : NULL;
        for (size_t k = 0; !v && k < c->call->named.n; k++)
            if (c->call->named.items[k]->name == m->name)
                v = &c->named[k];
        Value one = v ? *v : (Value){0};
        if (v && v->ndim > function_dimensions(f, m) && v->n)
            one = value_below(v, v->ndim - function_dimensions(f, m), 0);
        if (v ? !fits_input(f, m, &one) : !m->mods)
            return false;
        found += v != NULL;
        position++;
    }
    return inst && found == c->call->positional.n + c->call->named.n;
}

Member *record_constructor(Front *f, const Class *class_, const Expr *e, Env env)
{
    Inst *record = is_operator_record(class_) ? static_inst(f, class_, e->span) : NULL;
    Member *m = record ? inst_find(record, NULL, intern(f, "'constructor'")) : NULL;
    if (!m || !m->class_ || m->class_->kind != CLASS_OPERATOR)
        return m && m->class_ ? m : NULL;
    Inst *set = class_inst(f, m, e->span);
    Member *first = NULL;
    size_t n = 0;
    for (size_t i = 0; set && i < set->members.n; i++)
        if (set->members.items[i]->class_ && n++ == 0)
            first = set->members.items[i];
    ConstructorCall *c = n > 1 ? scratch_zeroed(f, sizeof *c) : NULL;
    if (!c || !evaluate_arguments(f, e->call, env, c))
        return first;
    for (size_t i = 0; i < set->members.n; i++)
        if (set->members.items[i]->class_ && fits_call(f, set->members.items[i], c, e->span))
            return set->members.items[i];
    return first; /* says what does not fit */
}

/* ------------------------------------------------------------------ scalars */

/* the name that an operator function has in its record */
static const char *operator_name(Operator op)
{
    switch (op) {
    case OP_ADD:
    case OP_EACH_ADD:
        return "'+'";
    case OP_SUB:
    case OP_EACH_SUB:
        return "'-'";
    case OP_MUL:
    case OP_EACH_MUL:
        return "'*'";
    case OP_DIV:
    case OP_EACH_DIV:
        return "'/'";
    case OP_POW:
    case OP_EACH_POW:
        return "'^'";
    case OP_LESS:
        return "'<'";
    case OP_LESS_EQUAL:
        return "'<='";
    case OP_GREATER:
        return "'>'";
    case OP_GREATER_EQUAL:
        return "'>='";
    case OP_EQUAL:
        return "'=='";
    case OP_NOT_EQUAL:
        return "'<>'";
    case OP_AND:
        return "'and'";
    case OP_OR:
        return "'or'";
    default:
        return "'not'";
    }
}

static bool is_each(Operator op)
{
    return op == OP_EACH_ADD || op == OP_EACH_SUB || op == OP_EACH_MUL || op == OP_EACH_DIV ||
           op == OP_EACH_POW;
}

static Value reject_overload(const Overload *o, const Value *a)
{
    const Class *class_ = a->record->class_;
    report_error(o->f, o->span, o->where,
                 "'%s' of the record '%s' cannot be applied to these operands\n"
                 "see the operator functions that it declares",
                 operator_text(o->op), class_ ? class_->name : "");
    return (Value){0};
}

/* as they are, or one of them made a record by the constructor of the other */
static bool operate_fitting(const Overload *o, const Value *a, const Value *b, Value *v)
{
    Value both[2] = {*a, *b};
    const char *name = operator_name(o->op);
    for (int side = 0; side < 2; side++)
        if (is_operand(&both[side]) &&
            call_operator(o, both[side].record->class_, name, both, 2, v))
            return true;
    for (int side = 0; side < 2; side++) {
        const Value *record = &both[side], *other = &both[1 - side];
        Value made, with[2];
        if (!is_operand(record) || other->kind == V_RECORD ||
            !call_operator(o, record->record->class_, "'constructor'", other, 1, &made))
            continue;
        with[side] = *record;
        with[1 - side] = made;
        if (made.kind != V_NONE && call_operator(o, record->record->class_, name, with, 2, v))
            return true;
    }
    return false;
}

static Value operate_scalars(const Overload *o, const Value *a, const Value *b)
{
    Value v = {0};
    return operate_fitting(o, a, b, &v) ? v : reject_overload(o, is_operand(a) ? a : b);
}

/* ------------------------------------------------------------------ arrays */

/* an overloaded operator on arrays, element by element */
static Value operate_each(const Overload *o, const Value *a, const Value *b)
{
    const Value *shape = a->ndim ? a : b;
    Value *items = scratch_zeroed(o->f, (shape->n + 1) * sizeof *items);
    for (size_t i = 0; items && i < shape->n; i++) {
        Value x = a->ndim ? value_below(a, a->ndim, i) : *a;
        Value y = b->ndim ? value_below(b, b->ndim, i) : *b;
        items[i] = operate_scalars(o, &x, &y);
        if (items[i].kind == V_NONE)
            return (Value){0};
    }
    if (!items || shape->n == 0)
        return items ? (a->ndim && is_operand(a) ? *a : *b) : (Value){0};
    Value v = value_stack(o->f, o->span, items, shape->n);
    return value_reshape(o->f, o->span, &v, shape->ndim, shape->dim);
}

/* row i of a times column j of b */
static Value sum_of_products(const Overload *o, const Value *a, const Value *b, size_t i, size_t j,
                             size_t k, size_t m)
{
    Overload add = *o;
    add.op = OP_ADD;
    Value sum = {0};
    for (size_t l = 0; l < k; l++) {
        Value x = value_below(a, a->ndim, i * k + l), y = value_below(b, b->ndim, l * m + j);
        Value product = operate_scalars(o, &x, &y);
        sum = l && product.kind != V_NONE ? operate_scalars(&add, &sum, &product) : product;
        if (sum.kind == V_NONE)
            return sum;
    }
    if (k == 0 && !call_operator(o, (is_operand(a) ? a : b)->record->class_, "'0'", NULL, 0, &sum))
        return reject_overload(o, is_operand(a) ? a : b);
    return sum;
}

/* a product of matrices whose elements are records */
static Value product_of_records(const Overload *o, const Value *a, const Value *b)
{
    if (a->ndim > 2 || b->ndim > 2 || a->dim[a->ndim - 1] != b->dim[0])
        return reject_overload(o, is_operand(a) ? a : b);
    size_t n = a->ndim == 2 ? a->dim[0] : 1, k = b->dim[0], m = b->ndim == 2 ? b->dim[1] : 1;
    size_t dim[2] = {a->ndim == 2 ? n : m, m};
    int ndim = (a->ndim == 2) + (b->ndim == 2);
    Value *items = scratch_zeroed(o->f, (n * m + 1) * sizeof *items);
    for (size_t i = 0; items && i < n * m; i++) {
        items[i] = sum_of_products(o, a, b, i / m, i % m, k, m);
        if (items[i].kind == V_NONE || !spend(o->f, o->span, k))
            return (Value){0};
    }
    if (!items || n * m == 0)
        return items ? reject_overload(o, is_operand(a) ? a : b) : (Value){0};
    if (ndim == 0)
        return items[0];
    Value v = value_stack(o->f, o->span, items, n * m);
    return value_reshape(o->f, o->span, &v, ndim, dim);
}

Value overload_binary(Front *f, Operator op, const Value *a, const Value *b, SourceSpan span,
                      const Inst *where)
{
    Overload o = {f, op, span, where};
    Value v = {0};
    const Value *record = is_operand(a) ? a : b;
    if ((a->ndim == 0 && b->ndim == 0) || !is_operand(record))
        return is_operand(record) ? operate_scalars(&o, a, b)
                                  : reject_overload(&o, a->kind == V_RECORD ? a : b);
    if (!is_each(op) && operate_fitting(&o, a, b, &v))
        return v;
    bool scalar = a->ndim == 0 || b->ndim == 0, same = value_same_sizes(a, b);
    bool fits = op == OP_ADD || op == OP_SUB ? same
                : op == OP_MUL               ? scalar
                : op == OP_DIV               ? b->ndim == 0
                : op == OP_POW               ? false
                                             : same || scalar;
    if (op == OP_MUL && !scalar)
        return product_of_records(&o, a, b);
    return fits ? operate_each(&o, a, b) : reject_overload(&o, record);
}

Value overload_unary(Front *f, Operator op, const Value *a, SourceSpan span, const Inst *where)
{
    Overload o = {f, op, span, where};
    if (!is_operand(a))
        return reject_overload(&o, a);
    if (op == OP_ADD || op == OP_EACH_ADD)
        return *a;
    Value *items = scratch_zeroed(f, (a->n + 1) * sizeof *items);
    for (size_t i = 0; items && i < a->n; i++) {
        Value x = a->ndim ? value_below(a, a->ndim, i) : *a;
        if (!call_operator(&o, x.record->class_, operator_name(op), &x, 1, &items[i]))
            return reject_overload(&o, a);
        if (items[i].kind == V_NONE)
            return (Value){0};
    }
    if (!items || a->ndim == 0)
        return items ? items[0] : (Value){0};
    if (a->n == 0)
        return *a;
    Value v = value_stack(f, span, items, a->n);
    return value_reshape(f, span, &v, a->ndim, a->dim);
}

bool overload_string(Front *f, const Value *a, size_t n, SourceSpan span, const Inst *where,
                     Value *text)
{
    Overload o = {f, OP_ADD, span, where};
    return is_operand(a) && call_operator(&o, a->record->class_, "'String'", a, n, text);
}
