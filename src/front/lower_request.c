/* lower_request.c - reinit, assert and terminate as what the event block and the run are asked for.
 *
 * The text of a message is made once, with the class; parts of it that variables decide stand there
 * as "<a.x>", and the run puts the number in their place (solve/request.c).
 */
#include "front/lower.h"

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

/* "c.v>": the variable of an expression by its path in the cell, for the number that a run puts
 * there
 */
static void name_variable(Front *f, const Expr *x, Env env, TextBuffer *text)
{
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
    for (int symbolic = 0; symbolic < 2 && !known; symbolic++) { /* a text of a variable at last */
        size_t before = f->diag->list.n, nerrors = f->diag->nerrors, nwrong = f->nwrong;
        f->lower = symbolic ? lower : NULL;
        v = evaluate(f, e, env);
        known = f->nwrong == nwrong && v.kind == V_STRING && v.ndim == 0;
        if (!known) {
            diag_forget(f->diag, before);
            f->diag->nerrors = nerrors;
            f->nwrong = nwrong;
        }
    }
    f->lower = lower;
    if (!text_add(f->alloc, text, "%s", known ? value_text(&v, 0) : "<"))
        f->work.failed = true;
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
    return lower->in_when ? node_make(g, NODE_AND, lower->fires, node, NO_NODE) : node;
}

static void add_text_request(Lower *lower, CellRequestKind kind, Node node, const char *text,
                             SourceSpan span)
{
    CellRequest r = {.kind = kind,
                     .node = node,
                     .text = text,
                     .at_event = lower->in_when,
                     .place = span_place(span)};
    if (!node || !vec_push(lower->cell.alloc, &lower->cell.events.requests, r))
        lower->front->work.failed = true;
}

static void add_request(Lower *lower, CellRequestKind kind, Node node, const Expr *text,
                        SourceSpan span, Env env)
{
    add_text_request(lower, kind, node, message_of(lower->front, text, env), span);
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
        add_text_request(f->lower, REQUEST_ERROR, fails, copy, span);
    else
        f->work.failed = true;
}

void lower_assertion(Lower *lower, const Expr *e, double condition, Env env)
{
    Front *f = lower->front;
    Graph *g = &lower->cell.graph;
    const CallExpr *call = e->call;
    const Expr *level = call->positional.n > 2 ? call->positional.items[2] : NULL;
    for (size_t i = 0; i < call->named.n; i++)
        if (strcmp(call->named.items[i]->name, "level") == 0)
            level = call->named.items[i]->value;
    Value v = level ? evaluate(f, level, env) : value_number(V_ENUM, 2);
    if (v.kind == V_NONE)
        return;
    Node fails = node_make(g, NODE_NOT, symbolic_node(f, condition), NO_NODE, NO_NODE);
    fails = node_make(g, NODE_AND, lower_happens(lower), fails, NO_NODE);
    add_request(lower, v.x == 1 ? REQUEST_WARNING : REQUEST_ERROR, fails, call->positional.items[1],
                e->span, env);
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
    if (x.kind != V_REAL || !value_same_sizes(&x, &to)) {
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
