/* lower_request.c - reinit, assert and terminate as what the event block and the run are asked for.
 *
 * The text of a message is made once, with the class; parts of it that variables decide stand there
 * as "<a.x>", and the run puts the number in their place (solve/events/request.c).
 */
#include "front/function/large.h"
#include "front/lower/lower.h"

#include <string.h>

/* "a[2].v": a name with the numbers of its subscripts; "..." where these vary */
static bool add_name(Front *f, const Ref *ref, Env env, TextBuffer *text)
{
    bool good = true;
    for (; ref && good; ref = ref->rest) {
        good = text_add(f->alloc, text, "%s", ref->name);
        for (size_t k = 0; k < ref->subscripts.n && good; k++) {
            Value v = evaluate(f, ref->subscripts.items[k], env);
            good = v.kind == V_INTEGER && v.ndim == 0 && !is_symbolic(v.x) &&
                   text_add(f->alloc, text, "%s%.0f%s", k ? "," : "[", v.x,
                            k + 1 == ref->subscripts.n ? "]" : "");
        }
        good = good && (!ref->rest || text_add(f->alloc, text, "."));
    }
    return good;
}

const char *lower_variable_name(Front *f, Node node)
{
    node = without_seeds(f, node);
    uint32_t i = lower_variable_of(f->lower, node);
    const char *stand_in = large_stand_in_name(f, node);
    return stand_in                         ? stand_in
           : i < f->lower->cell.variables.n ? f->lower->cell.variables.items[i].name
                                            : "...";
}

/* the variable of the cell that a variable of a function has the value of, or "..." */
static const char *name_of_local(Front *f, const Expr *x, Env env)
{
    Value v = {0};
    for (const LocalName *frame = env.frame;
         frame && v.kind == V_NONE && x->kind == EX_REF && !x->ref->rest && !x->ref->subscripts.n;
         frame = frame->outer)
        if (frame->name == x->ref->name)
            v = frame->value;
    bool scalar = v.kind >= V_REAL && v.kind <= V_BOOLEAN && v.ndim == 0 && is_symbolic(v.x);
    return scalar ? lower_variable_name(f, symbolic_node(f, v.x)) : "...";
}

Value lower_open_text(Front *f, double element)
{
    TextBuffer text = {0};
    const char *name = lower_variable_name(f, symbolic_node(f, element));
    const char *copy = text_add(f->alloc, &text, OPEN_TEXT "<%s>", name)
                           ? arena_text(&f->work, text.items, text.n)
                           : NULL;
    vec_drop(f->alloc, &text);
    if (!copy)
        f->work.failed = true;
    return copy ? value_string(copy) : (Value){0};
}

/* "c.v>": the variable of an expression by its path in the cell, for the number that a run puts
 * there
 */
static void name_variable(Front *f, const Expr *x, Env env, TextBuffer *text)
{
    if (f->nfunction) {
        if (!text_add(f->alloc, text, "%s>", name_of_local(f, x, env)))
            f->work.failed = true;
        return;
    }
    const char *path = x->kind == EX_REF ? lower_inst_path(f->lower, env.inst) : NULL;
    size_t before = text->n;
    if (!path || !text_add(f->alloc, text, "%s", path) || !add_name(f, x->ref, env, text)) {
        text->n = before;
        if (!text_add(f->alloc, text, "..."))
            f->work.failed = true;
    }
    if (!text_add(f->alloc, text, ">"))
        f->work.failed = true;
}

/* is a variable of a function or algorithm an expression, for which no number can be asked? */
static bool has_expressions(Env env)
{
    for (const LocalName *frame = env.frame; frame; frame = frame->outer) {
        const Value *v = &frame->value;
        if (v->kind == V_RECORD)
            return true;
        for (size_t i = 0; v->kind != V_NONE && v->kind != V_STRING && i < v->n; i++)
            if (is_symbolic(value_at(v, i)))
                return true;
    }
    return false;
}

/* the text of a message; parts of it that variables decide are named in angle brackets */
static void message_text(Front *f, const Expr *e, Env env, TextBuffer *text)
{
    if (e->kind == EX_BINARY && e->op == OP_ADD) {
        message_text(f, e->left, env, text);
        message_text(f, e->right, env, text);
        return;
    }
    struct Lower *lower = f->lower;
    Value v = {0};
    bool known = false;
    /* a text of a variable at last */
    for (int symbolic = has_expressions(env); symbolic < 2 && !known; symbolic++) {
        ReportMark before = report_mark(f);
        f->lower = symbolic ? lower : NULL;
        v = evaluate(f, e, env);
        known = f->nwrong == before.nwrong && v.kind == V_STRING && v.ndim == 0;
        if (!known)
            report_forget(f, before);
    }
    f->lower = lower;
    size_t first = text->n, to = first;
    if (!text_add(f->alloc, text, "%s", known ? value_text(&v, 0) : "<"))
        f->work.failed = true;
    for (size_t i = first; i < text->n; i++) /* what is open is named in brackets already */
        if (text->items[i] != *OPEN_TEXT)
            text->items[to++] = text->items[i];
    if (to < text->n)
        text->items[text->n = to] = '\0';
    if (!known)
        name_variable(
            f, e->kind == EX_CALL && e->call->positional.n ? e->call->positional.items[0] : e, env,
            text);
}

/* the text of an assert or terminate, with the component before it */
static const char *message_of(Front *f, const Expr *e, Env env)
{
    TextBuffer text = {0};
    const char *path = lower_inst_path(f->lower, env.inst);
    if (e->kind == EX_INTEGER || e->kind == EX_REAL || e->kind == EX_BOOLEAN)
        report_error(f, e->span, env.inst,
                     "a text is needed here, this is a number\nwrite \"...\", or String(x)");
    if (path && *path && !text_add(f->alloc, &text, "%.*s: ", (int)strlen(path) - 1, path))
        f->work.failed = true; /* "a.b.": a component inside the cell */
    message_text(f, e, env, &text);
    const char *copy = arena_text(&f->work, text.items ? text.items : "", text.n);
    vec_drop(f->alloc, &text);
    if (!copy)
        f->work.failed = true;
    return copy ? copy : "";
}

Node lower_happens(Lower *lower)
{
    Graph *g = &lower->cell.graph;
    Node node = lower->guard ? lower->guard : node_constant(g, 1);
    for (size_t i = 0; i < lower->front->exits.n; i++) /* a loop or function was not left before */
        node = lower_and(
            g, node,
            lower_not(g, symbolic_node(lower->front, lower->front->exits.items[i].condition)));
    if (lower->is_initial)
        node = lower_and(g, lower_initial_flag(lower), node);
    return lower->in_when ? lower_and(g, lower->fires, node) : node;
}

bool report_assertion(Front *f, const Expr *e, Env env)
{
    struct Lower *lower = f->lower;
    const Expr *message = e->call->positional.items[1];
    const char *said = "", *advice = f->nfunction ? "see the condition of the function"
                                                  : "the model itself asks for this";
    int level = assertion_level(f, e, env);
    if (lower && has_expressions(env)) {
        bool before = f->writes_parameters;
        f->writes_parameters = true;
        said = message_of(f, message, env);
        f->writes_parameters = before;
    } else {
        f->lower = NULL;
        Value text = evaluate(f, message, env);
        f->lower = lower;
        if (text.kind == V_STRING)
            said = value_text(&text, 0);
    }
    if (level == 1)
        warn(f, e->span, env.inst, "a condition does not hold: %s\n%s", said, advice);
    else
        report_error(f, e->span, env.inst, "assertion failed: %s\n%s", said, advice);
    return level == 1;
}

enum { MAX_COMPARED = 32 }; /* requests before it */

void lower_add_request(Lower *lower, CellRequestKind kind, Node node, const char *text,
                       SourceSpan span)
{
    if (node && large_keep_assertion(lower->front, (int)kind, node, text, span))
        return;
    CellRequest r = {.kind = kind,
                     .node = node,
                     .text = text,
                     .at_event = lower->in_when || lower->is_initial,
                     .of_function = lower->front->nfunction > 0,
                     .place = span_place(span)};
    const CellRequest *known = lower->cell.events.requests.items;
    for (size_t i = lower->cell.events.requests.n, k = 0; i-- > 0 && k < MAX_COMPARED; k++)
        if (known[i].node == node && known[i].kind == kind && strcmp(known[i].text, text) == 0)
            return; /* an expression may be read again, for its size */
    if (!node || !vec_push(lower->cell.alloc, &lower->cell.events.requests, r))
        lower->front->work.failed = true;
}

static void add_request(Lower *lower, CellRequestKind kind, Node node, const Expr *text,
                        SourceSpan span, Env env)
{
    lower_add_request(lower, kind, node, message_of(lower->front, text, env), span);
}

void lower_require_index(Front *f, double index, size_t n, const char *enumeration, SourceSpan span,
                         const Inst *where)
{
    Graph *g = lower_graph(f);
    TextBuffer text = {0};
    Node i = symbolic_node(f, index);
    Node low = node_make(g, NODE_LESS, i, node_constant(g, 1), NO_NODE);
    Node high = node_make(g, NODE_LESS, node_constant(g, (double)n), i, NO_NODE);
    Node fails = lower_and(g, lower_happens(f->lower), lower_or(g, low, high));
    const char *path = lower_inst_path(f->lower, where);
    bool good =
        path && text_add(f->alloc, &text, "%.*s%senumeration '%s' has no literal of this number",
                         *path ? (int)strlen(path) - 1 : 0, path, *path ? ": " : "", enumeration);
    const char *copy = good ? arena_text(&f->work, text.items, text.n) : NULL;
    vec_drop(f->alloc, &text);
    if (copy)
        lower_add_request(f->lower, REQUEST_ERROR, fails, copy, span);
    else
        f->work.failed = true;
}

void lower_assertion(Lower *lower, const Expr *e, double condition, Env env)
{
    Front *f = lower->front;
    Graph *g = &lower->cell.graph;
    int level = assertion_level(f, e, env);
    if (!level)
        return;
    Node fails = lower_and(g, lower_happens(lower), lower_not(g, symbolic_node(f, condition)));
    add_request(lower, level == 1 ? REQUEST_WARNING : REQUEST_ERROR, without_seeds(f, fails),
                e->call->positional.items[1], e->span, env);
}

bool lower_guarded_call(Front *f, const Expr *e, Env env)
{
    TypeKind predefined;
    Member *m = f->lower ? lookup_class(f, env, e->call->function, &predefined) : NULL;
    Inst *inst = m && is_function_class(m->class_) ? class_inst(f, m, e->span) : NULL;
    const External *external = NULL;
    bool has_output = false;
    for (const ClassPart *part = inst ? inst->parts : NULL; part; part = part->next)
        external = external ? external : part->class_->external;
    for (size_t i = 0; inst && i < inst->members.n; i++)
        has_output |= inst->members.items[i]->component &&
                      inst->members.items[i]->prefix.causality == CAUSE_OUTPUT;
    if (inst && !external && !has_output) {
        f->nchoice++;
        call_function(f, e, env, NULL, 1); /* its assertions hold where it is called */
        f->nchoice--;
        return true;
    }
    if (!external || !external->name || strcmp(external->name, "ModelicaError") != 0 ||
        e->call->positional.n != 1)
        return false;
    add_request(f->lower, REQUEST_ERROR, without_seeds(f, lower_happens(f->lower)),
                e->call->positional.items[0], e->span, env);
    return true;
}

static void lower_terminate(Lower *lower, const Expr *e, Env env)
{
    if (e->call->positional.n != 1)
        report_error(lower->front, e->span, env.inst,
                     "terminate has one argument, a text\nwrite terminate(\"done\")");
    else
        add_request(lower, REQUEST_END, lower_happens(lower), e->call->positional.items[0], e->span,
                    env);
}

/* Two clauses may set one state, as those of a ball between two walls; where both do so at the same
 * event with different values there is no right one, and the run ends. */
static void forbid_contradiction(Lower *lower, const CellReinit *r, SourceSpan span)
{
    Front *f = lower->front;
    Graph *g = &lower->cell.graph;
    for (size_t k = 0; k < lower->cell.events.reinits.n; k++) {
        const CellReinit *other = &lower->cell.events.reinits.items[k];
        if (other->variable != r->variable || other->value == r->value)
            continue;
        TextBuffer text = {0};
        Node equal = node_make(g, NODE_EQUAL, other->value, r->value, NO_NODE);
        Node both = lower_and(g, lower_and(g, other->fires, r->fires), lower_not(g, equal));
        bool good = text_add(f->alloc, &text,
                             "two when-clauses set '%s' to different values at the same event, "
                             "this one and that of line %u",
                             lower->cell.variables.items[r->variable].name, other->place.line);
        const char *copy = good ? arena_text(&f->work, text.items, text.n) : NULL;
        vec_drop(f->alloc, &text);
        if (copy)
            lower_add_request(lower, REQUEST_ERROR, both, copy, span);
        else
            f->work.failed = true;
    }
}

/* reinit(x, value) in a when clause */
static void lower_reinit(Lower *lower, const Expr *e, Env env)
{
    Front *f = lower->front;
    if (e->call->positional.n != 2 || !lower->in_when) {
        report_error(f, e->span, env.inst,
                     lower->in_when ? "reinit has two arguments\nwrite reinit(x, 0)"
                                    : "reinit stands outside of a when-clause\n"
                                      "say when the state shall change");
        return;
    }
    bool of_variables = f->of_variables;
    f->of_variables = true;
    Value x = evaluate(f, e->call->positional.items[0], env);
    f->of_variables = of_variables;
    Value to = evaluate(f, e->call->positional.items[1], env);
    if (x.kind == V_NONE || to.kind == V_NONE)
        return;
    if (x.kind != V_REAL || (to.kind != V_REAL && to.kind != V_INTEGER) ||
        !value_same_sizes(&x, &to)) {
        report_error(f, e->span, env.inst,
                     "reinit needs a Real state and a number of the same sizes\n"
                     "write reinit(v, -e*v)");
        return;
    }
    for (size_t i = 0; i < x.n; i++) {
        uint32_t v = lower_variable_of(lower, symbolic_node(f, value_at(&x, i)));
        if (v == UINT32_MAX || lower->cell.variables.items[v].role != CELL_UNKNOWN) {
            report_error(f, e->span, env.inst,
                         "reinit of something that is no state\n"
                         "name a variable whose derivative occurs");
            return;
        }
        CellReinit r = {.variable = v,
                        .fires = lower_happens(lower),
                        .value = symbolic_node(f, value_at(&to, i)),
                        .place = span_place(e->span),
                        .path = lower_inst_text(lower, env.inst)};
        lower->cell.variables.items[v].select = SELECT_ALWAYS;
        for (size_t k = 0; k < lower->cell.events.reinits.n; k++)
            if (lower->cell.events.reinits.items[k].variable == v &&
                lower->cell.events.reinits.items[k].fires == r.fires)
                report_error(f, e->span, env.inst,
                             "'%s' is set twice in one when-clause\nleave one reinit of it",
                             lower->cell.variables.items[v].name);
        forbid_contradiction(lower, &r, e->span);
        if (!vec_push(lower->cell.alloc, &lower->cell.events.reinits, r))
            f->work.failed = true;
    }
}

bool lower_event_call(Front *f, const Expr *e, Env env)
{
    const char *name = e->call->function->name;
    if (e->call->function->rest)
        return false;
    if (strcmp(name, "reinit") == 0)
        lower_reinit(f->lower, e, env);
    else if (strcmp(name, "terminate") == 0)
        lower_terminate(f->lower, e, env);
    else
        return false;
    return true;
}
