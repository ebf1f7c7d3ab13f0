/* lower_algorithm.c - algorithm sections of models: run once on expressions.
 *
 *   x := 2*y; if x > 1 then port.v := x; end if;
 *
 * Each variable that the statements assign has a frame, whose value changes as in functions; what
 * it has at the end is its equation. In the beginning it has its start value, and what is discrete
 * what it was before the event (Modelica 11.1.2), unless it is assigned in any case. A variable
 * inside of a component has a frame without a name: wherever an expression names it, the variables
 * of the cell lead to the frame.
 */
#include "front/function/function.h"
#include "front/lower/lower.h"

/* ------------------------------------------------------------------ what is assigned where */

/* the same variable, all of it? */
static bool is_whole(const Expr *left, const Ref *path)
{
    for (size_t k = 0; left->kind == EX_TUPLE && k < left->list.n; k++)
        if (left->list.items[k] && is_whole(left->list.items[k], path))
            return true;
    const Ref *a = left->kind == EX_REF ? left->ref : NULL;
    while (a && path && a->name == path->name && !a->subscripts.n) {
        a = a->rest;
        path = path->rest;
        if (!a)
            return !path;
    }
    return false;
}

/* do the statements assign the variable, all of it, whatever conditions say? */
static bool assigned_always(const EquationList *list, const Ref *path)
{
    for (size_t i = 0; i < list->n; i++) {
        const Equation *s = list->items[i];
        if (s->kind == EQ_ASSIGN && is_whole(s->left, path))
            return true;
        size_t n = s->kind == EQ_IF ? s->branches.n : 0, k = 0;
        while (k < n && assigned_always(&s->branches.items[k]->body, path))
            k++;
        if (n && k == n && !s->branches.items[n - 1]->condition)
            return true;
    }
    return false;
}

/* ------------------------------------------------------------------ frames */

/* a variable that the algorithm under way assigns */
typedef struct AlgorithmFrame {
    LocalName local; /* its first member; its outer ones are frames of the algorithm, too */
    uint32_t first;  /* 1 + the first variable of the cell, of one inside of a component; or 0 */
    bool by_when;    /* a clause assigns it */
    const Ref *path; /* by which it is assigned first */
} AlgorithmFrame;

static AlgorithmFrame *outer_frame(const AlgorithmFrame *frame)
{
    return (AlgorithmFrame *)frame->local.outer;
}

/* an algorithm under way, while its variables get their frames */
typedef struct Opening {
    Lower *lower;
    Env env;
    AlgorithmFrame *frames;
    bool by_when, inside; /* in a clause; the round of variables inside of components */
    const Ref *path;
} Opening;

/* one more frame in front of the others */
static AlgorithmFrame *add_frame(Opening *o, const char *name, Member *m, uint32_t first)
{
    AlgorithmFrame *frame = work_zeroed(o->lower->front, sizeof *frame);
    if (!frame)
        return NULL;
    *frame = (AlgorithmFrame){
        .local = {.outer = o->frames ? &o->frames->local : NULL, .name = name, .variable = m},
        .first = first,
        .by_when = o->by_when,
        .path = o->path};
    o->frames = frame;
    return frame;
}

static AlgorithmFrame *frame_inside(AlgorithmFrame *frame, uint32_t first)
{
    while (frame && frame->first != first + 1)
        frame = outer_frame(frame);
    return frame;
}

LocalName *algorithm_frame(const Lower *lower, uint32_t first)
{
    AlgorithmFrame *frame = frame_inside((AlgorithmFrame *)lower->frames, first);
    return frame ? &frame->local : NULL;
}

const Value *algorithm_value(Front *f, const Member *m, uint32_t first, SourceSpan span)
{
    const LocalName *frame =
        f->lower->frames && !f->of_variables ? algorithm_frame(f->lower, first) : NULL;
    if (frame && frame->value.kind == V_NONE)
        report_error(f, span, f->lower->top, "'%s' is used before it has a value\nassign it first",
                     m->name);
    return frame ? &frame->value : NULL;
}

/* may a variable of a model be assigned? */
static bool is_assignable(Opening *o, Member *m)
{
    Front *f = o->lower->front;
    return m->component &&
           !(member_is_parameter(m) &&
             !(o->lower->is_initial && member_is_free(f, m) && !member_binding(f, m)));
}

static bool open_inside(Opening *o, Member *m, const Ref *ref, SourceSpan span);

/* the variables of a record, or what is named of a component: every element of an array */
static bool open_component(Opening *o, Member *m, const Ref *ref, SourceSpan span)
{
    Front *f = o->lower->front;
    size_t n = m->axis ? m->axis->n : 1, saved = m->axis ? m->axis->index : 0;
    bool good = true;
    for (size_t i = 0; i < n && good && spend(f, span, 1); i++) {
        if (m->axis)
            m->axis->index = i;
        Inst *child = member_child(f, m);
        Member *next = child && ref->rest ? inst_find(child, NULL, ref->rest->name) : NULL;
        if (next)
            good = open_inside(o, next, ref->rest, span);
        for (size_t k = 0; child && !ref->rest && k < child->members.n && good; k++)
            good = open_inside(o, child->members.items[k], ref, span);
        if (child && ref->rest && !next)
            good = report_no_element(f, child, ref->rest, o->env).kind != V_NONE;
        good = good && child;
    }
    if (m->axis)
        m->axis->index = saved;
    return good;
}

/* a frame for each variable that is assigned through a component */
static bool open_inside(Opening *o, Member *m, const Ref *ref, SourceSpan span)
{
    Front *f = o->lower->front;
    m = m->component ? member_resolve(f, m, span) : m;
    if (!m)
        return false;
    const Type *type = m->component ? member_type(f, m) : NULL;
    if (type && type->kind == TY_NONE)
        return false;
    if (type && type->kind == TY_CLASS && (ref->rest || is_record_class(type->class_)))
        return open_component(o, m, ref, span);
    if (!is_assignable(o, m) || type->kind == TY_CLASS || ref->rest) {
        report_error(f, span, o->env.inst,
                     "'%s' cannot be assigned here\nassign a variable of the model", ref->name);
        return false;
    }
    uint32_t first = lower_variables(f, m, span);
    if (first == UINT32_MAX)
        return false;
    AlgorithmFrame *known = frame_inside(o->frames, first);
    if (known)
        known->by_when |= o->by_when;
    return known || add_frame(o, NULL, m, first + 1);
}

/* what one left side assigns: a variable of the model by its name, or one inside of a component */
static bool open_left(Opening *o, const Expr *left)
{
    Front *f = o->lower->front;
    bool good = true;
    if (left->kind == EX_TUPLE) {
        for (size_t i = 0; i < left->list.n; i++)
            good &= !left->list.items[i] || open_left(o, left->list.items[i]);
        return good;
    }
    if (left->kind != EX_REF || o->inside != (left->ref->rest != NULL))
        return true; /* no reference: reported when it is run */
    for (AlgorithmFrame *frame = o->frames; frame; frame = outer_frame(frame))
        if (frame->local.name == left->ref->name) {
            frame->by_when |= o->by_when;
            return true;
        }
    Member *m = inst_find(o->env.inst, NULL, left->ref->name);
    if (!m) {
        report_no_name(f, left->ref, o->env);
        return false;
    }
    o->path = left->ref;
    if (o->inside)
        return open_inside(o, m, left->ref, left->span);
    if (!is_assignable(o, m)) {
        report_error(f, left->span, o->env.inst,
                     "'%s' cannot be assigned here\nassign a variable of the model",
                     left->ref->name);
        return false;
    }
    Env env = o->env; /* sizes may read what is assigned */
    env.frame = o->frames ? &o->frames->local : NULL;
    Value v = unassigned_value(f, m, env);
    AlgorithmFrame *frame = add_frame(o, m->name, m, 0);
    if (frame)
        frame->local.value = v;
    return frame != NULL;
}

/* a frame for each variable of the model that the statements assign */
static bool open_list(Opening *o, const EquationList *list)
{
    bool good = true, by_when = o->by_when;
    for (size_t i = 0; i < list->n; i++) {
        const Equation *s = list->items[i];
        if (s->kind == EQ_ASSIGN)
            good &= open_left(o, s->left);
        o->by_when = by_when || s->kind == EQ_WHEN;
        for (size_t k = 0; k < s->branches.n; k++)
            good &= open_list(o, &s->branches.items[k]->body);
        good &= open_list(o, &s->body);
        o->by_when = by_when;
    }
    return good;
}

/* ------------------------------------------------------------------ first and last values */

/* the variable of the model behind a name of the algorithm, a record with those of its fields */
static Value frame_variable(Front *f, const AlgorithmFrame *frame, SourceSpan span)
{
    Member *m = (Member *)frame->local.variable;
    if (frame->first)
        return lower_symbols(f, m, frame->first - 1, span);
    return evaluate_reference(f, &(Ref){.span = span, .name = m->name}, (Env){.inst = m->inst});
}

/* is it a Boolean, Integer, enumeration or discrete Real? */
static bool is_discrete(Front *f, const AlgorithmFrame *frame)
{
    TypeKind type = member_type(f, (Member *)frame->local.variable)->kind;
    return type == TY_INTEGER || type == TY_BOOLEAN || type == TY_ENUM ||
           frame->local.variable->prefix.variability == VARY_DISCRETE;
}

/* the start values of a Real, element by element */
static Value start_of(Lower *lower, Value variable, SourceSpan span)
{
    Front *f = lower->front;
    Value v = value_copy(f, &variable, span);
    for (size_t i = 0; v.kind == V_REAL && i < v.n; i++) {
        uint32_t x = lower_variable_of(lower, symbolic_node(f, value_at(&v, i)));
        bool given = x != UINT32_MAX && lower->cell.variables.items[x].start_given;
        /* elements of arrays are often assigned in loops: no parameters that say 0 for them */
        Node start = x != UINT32_MAX && (given || !v.ndim) ? lower_start_node(lower, x) : NO_NODE;
        Value e = value_number(V_REAL, start ? symbolic_element(start) : 0);
        value_put(&v, i, &e);
    }
    return v;
}

/* what variables have before the first statement */
static void first_values(Lower *lower, const Algorithm *algorithm, AlgorithmFrame *frame)
{
    Front *f = lower->front;
    for (; frame; frame = outer_frame(frame)) {
        bool always = assigned_always(&algorithm->statements, frame->path);
        Value v = frame_variable(f, frame, algorithm->span);
        if (frame->by_when || (is_discrete(f, frame) && !lower->is_initial && !always))
            frame->local.value = lower_before(f, v, algorithm->span);
        else if (v.kind == V_REAL && !lower->is_initial && !always)
            frame->local.value = start_of(lower, v, algorithm->span);
        else if (frame->first)
            frame->local.value = (Value){0};
    }
}

typedef struct SymbolSearch {
    uint64_t symbol;
    bool found;
} SymbolSearch;

static bool compare_symbol(void *user, uint64_t symbol, Node node)
{
    (void)node;
    SymbolSearch *search = user;
    search->found |= symbol == search->symbol;
    return !search->found;
}

static bool depends_on(Lower *lower, double element, Node start)
{
    Graph *g = &lower->cell.graph;
    SymbolSearch search = {.symbol = node_data(g, start)->symbol};
    Node node = is_symbolic(element) ? symbolic_node(lower->front, element) : NO_NODE;
    if (node)
        graph_symbols(g, &node, 1, compare_symbol, &search);
    return search.found;
}

/* Does a value depend on the start value of the variable? Then a case has been forgotten, or this
 * is meant. */
static void warn_of_start(Lower *lower, const Algorithm *algorithm, const AlgorithmFrame *frame,
                          Env env)
{
    Front *f = lower->front;
    Value variable = frame_variable(f, frame, algorithm->span);
    for (size_t i = 0; variable.kind == V_REAL && i < frame->local.value.n; i++) {
        uint32_t x = lower_variable_of(lower, symbolic_node(f, value_at(&variable, i)));
        Node start = x == UINT32_MAX ? NO_NODE : lower->cell.variables.items[x].start;
        if (!start || !depends_on(lower, value_at(&frame->local.value, i), start))
            continue;
        warn(f, algorithm->span, env.inst,
             "'%s' is not assigned in every case before it is read: it has its start value then, "
             "in each evaluation\nassign it before the conditions",
             lower->cell.variables.items[x].name);
        return;
    }
}

/* what a variable has at the end is its equation */
static void last_value(Lower *lower, const Algorithm *algorithm, const AlgorithmFrame *frame,
                       Env env)
{
    Front *f = lower->front;
    if (frame->local.value.kind == V_NONE)
        report_error(f, algorithm->span, env.inst,
                     "'%s' has no value at the end of this algorithm in every case\n"
                     "assign it before the conditions",
                     frame->local.variable->name);
    Value left = frame_variable(f, frame, algorithm->span);
    if (frame->by_when) {
        lower_assigned_values(lower, left, frame->local.value, algorithm->span, env);
        return;
    }
    warn_of_start(lower, algorithm, frame, env);
    lower_equal(lower, left, frame->local.value, algorithm->span, env);
}

/* the section is run once on expressions; what its variables have at the end are their equations */
void lower_algorithm(Lower *lower, const Algorithm *algorithm, Env env)
{
    Opening o = {.lower = lower, .env = env};
    bool good = open_list(&o, &algorithm->statements);
    o.inside = true;
    if (!good || !open_list(&o, &algorithm->statements))
        return;
    first_values(lower, algorithm, o.frames);
    Env inside = env;
    inside.frame = lower->frames = o.frames ? &o.frames->local : NULL;
    good = run_algorithm(lower->front, &algorithm->statements, inside);
    lower->frames = NULL;
    for (AlgorithmFrame *frame = o.frames; good && frame; frame = outer_frame(frame))
        last_value(lower, algorithm, frame, env);
}
