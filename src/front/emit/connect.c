/* connect.c - connections, and loops and conditions around them.
 *
 * A connector of the model itself is no object of the engine: it is a name for a port inside
 * ("exposed"). All own connectors that hang together and the inner ports connected to them are one
 * set; the first inner port stands for the set, the others are connected to it.
 */
#include <stdio.h>
#include <string.h>

#include "front/instance/left_out.h"
#include "front/emit/emit.h"
#include "front/lower/lower.h"
#include "front/instance/semantic.h"
#include "front/evaluate/subscript.h"

enum { CONNECT_STEPS = 10 }; /* what it costs beside the evaluations inside it */

/* one side of a connect: all the ports that it means */
typedef struct ConnectEnds {
    VEC(ConnectedPort) ends;
    ConnectedPort end; /* under way */
    TextBuffer name;   /* likewise: of an element of an array of connectors */
    int ndim;
    size_t dim[VALUE_DIMS * 2];
    const char *domain;
    Causality causality;
    bool own;
    bool removed; /* switched off by a condition */
    const Ref *ref;
    Env env;
} ConnectEnds;

typedef struct OwnPort {
    const char *name;
    size_t set;
} OwnPort;

typedef struct Connector {
    Front *f;
    Inst *inst;
    ClassPart *part;
    bool beside; /* the model is a cell: only what connects components beside it counts */
    ConnectEnds a, b;
    SourceSpan span; /* of the equation at hand */
    VEC(OwnPort) own;
    VEC(ConnectedPort) sets; /* by set: the inner port that stands for it; component NULL: none */
    ConnectionVisit *visit;  /* who wants to know, instead of the model; or NULL */
    void *user;
} Connector;

/* ------------------------------------------------------------------ ports of a reference */

static bool walk_connections(Front *f, ConnectEnds *side, Member *m, const Ref *ref, Inst *in);

bool report_no_member(Front *f, const Ref *ref, const Inst *in, const Inst *where)
{
    char hint[140];
    NearestName nearest = {.name = ref->name};
    for (size_t i = 0; i < in->members.n; i++)
        nearest_try(&nearest, in->members.items[i]->name);
    nearest_text(&nearest, hint, sizeof hint);
    report_error(f, ref->span, where, "'%s' has no connector '%s'\n%s", in->class_->name, ref->name,
                 *hint ? hint : "look at its declaration for its connectors");
    return false;
}

/* a component was named where a connector is needed: says which it has */
static bool report_no_connector(Front *f, const ConnectEnds *side, const Ref *ref, Member *m,
                                const Inst *child)
{
    char names[200] = "";
    size_t at = 0;
    Causality causality;
    for (size_t i = 0; child && i < child->members.n && at < 150; i++) {
        Member *c = child->members.items[i];
        if (c->component && connector_domain(f, c, &causality))
            at += (size_t)snprintf(names + at, sizeof names - at, "%s%s.%.40s", at ? ", " : "",
                                   m->name, c->name);
    }
    report_error(f, ref->span, side->env.inst,
                 "'%s' is a component, but connect needs connectors\n%s%s", m->name,
                 *names ? "its connectors are " : "it has no connector", names);
    return false;
}

/* the name of a connector in its component; NULL: no memory */
static const char *connector_name(Front *f, ConnectEnds *side, const Member *m, size_t position)
{
    char index[INDEX_LENGTH];
    if (!m->ndim)
        return m->name;
    side->name.n = 0;
    if (text_add(f->alloc, &side->name, "%s%s", m->name,
                 index_text(m->ndim, m->dim, position, index)))
        return intern(f, side->name.items);
    f->work.failed = true;
    return NULL;
}

/* the end of the reference: the port itself */
static bool add_port(Front *f, ConnectEnds *side, Member *m, const Ref *ref, Inst *in,
                     size_t position)
{
    m->connected |= in != side->env.inst;
    if (in != side->env.inst && member_causality(m) == CAUSE_INPUT && !in->native && m->mods &&
        member_binding(f, m)) {
        report_error(f, ref->span, side->env.inst,
                     "the input '%s' of '%s' has a value of its own, and a connection gives it "
                     "another\nleave one of the two out",
                     m->name, in->class_->name);
        return false;
    }
    ConnectedPort end = side->end;
    end.connector = m;
    end.name = connector_name(f, side, m, position);
    bool ok = end.name;
    if (ok && in != side->env.inst && !in->native && !in->template_ && !in->opaque) {
        /* a connector of a composed model must lead somewhere */
        bool known = in->model == NULL; /* wrong for other reasons */
        for (size_t i = 0; i < in->ports.n && !known; i++)
            known = strcmp(in->ports.items[i], end.name) == 0;
        if (!known) {
            report_error(f, ref->span, side->env.inst,
                         "the connector '%s' of '%s' is connected to nothing inside\n"
                         "connect it there to a component",
                         m->name, in->class_->name);
            ok = false;
        }
    }
    if (ok && !vec_push(f->alloc, &side->ends, end)) {
        f->work.failed = true;
        ok = false;
    }
    return ok;
}

/* the dimensions that a selection leaves to the side, unless it has them from the element before;
 * returns how many elements are selected */
static size_t add_dims(ConnectEnds *side, const IndexSelection *s)
{
    for (int k = 0; k < s->ndim; k++)
        if (!s->drop[k] && side->ends.n == 0 && side->ndim < VALUE_DIMS * 2)
            side->dim[side->ndim++] = s->n[k];
    return selection_count(s);
}

/* the connector that a reference ends with, or those elements that its subscripts choose */
static bool walk_connector(Front *f, ConnectEnds *side, Member *m, const Ref *ref, Inst *in)
{
    if (ref->rest) {
        report_error(f, ref->rest->span, side->env.inst,
                     "'%s' is a variable of the connector '%s'\nconnect the whole connector",
                     ref->rest->name, m->name);
        return false;
    }
    if (!member_sizes(f, m))
        return false;
    side->own = in == side->env.inst;
    if (m->ndim == 0 && ref->subscripts.n == 0)
        return add_port(f, side, m, ref, in, 0);
    IndexSelection s;
    if (!select_subscripts(f, &ref->subscripts, side->env, m->ndim, m->dim, ref->span, m->name, &s))
        return false;
    size_t dim[VALUE_DIMS], n = add_dims(side, &s);
    memcpy(dim, m->dim, sizeof dim);
    bool ok = true;
    for (size_t i = 0; i < n && ok; i++)
        ok =
            spend(f, ref->span, 1) && add_port(f, side, m, ref, in, selection_position(&s, dim, i));
    return ok;
}

/* into one element of a component */
static bool walk_inside(Front *f, ConnectEnds *side, Member *m, const Ref *ref, Inst *child,
                        size_t position)
{
    Member *next = inst_find(child, NULL, ref->rest->name);
    if (!next)
        return report_no_member(f, ref->rest, child, side->env.inst);
    if (next->is_protected) {
        report_error(f, ref->rest->span, side->env.inst,
                     "'%s' is protected in '%s'\nmake it public there", next->name,
                     next->part->class_->name);
        return false;
    }
    if (!side->end.component) {
        side->end = (ConnectedPort){.component = m, .element = position};
        bool ok = walk_connections(f, side, next, ref->rest, child);
        side->end.component = NULL;
        return ok;
    }
    PortWay *way = work_zeroed(f, sizeof *way);
    if (!way)
        return false;
    *way = (PortWay){.outer = side->end.inside, .component = child, .element = position};
    side->end.inside = way;
    bool ok = walk_connections(f, side, next, ref->rest, child);
    side->end.inside = way->outer;
    return ok;
}

/* a component on the way, or those elements that its subscripts choose */
static bool walk_component(Front *f, ConnectEnds *side, Member *m, const Ref *ref)
{
    Inst *child = member_child(f, m);
    if (!child)
        return false;
    if (!ref->rest)
        return report_no_connector(f, side, ref, m, child);
    if (!m->axis) {
        if (ref->subscripts.n) {
            report_error(f, ref->span, side->env.inst,
                         "'%s' is no array and has no index\nremove the index", m->name);
            return false;
        }
        return walk_inside(f, side, m, ref, child, 0);
    }
    IndexSelection s;
    if (!select_subscripts(f, &ref->subscripts, side->env, m->ndim, m->dim, ref->span, m->name, &s))
        return false;
    size_t n = add_dims(side, &s);
    bool ok = true;
    for (size_t i = 0; i < n && ok; i++)
        ok = spend(f, ref->span, 1) &&
             walk_inside(f, side, m, ref, child, selection_position(&s, m->dim, i));
    return ok;
}

/* one step of a reference: a connector, or a component that leads on */
static bool walk_connections(Front *f, ConnectEnds *side, Member *m, const Ref *ref, Inst *in)
{
    if (!m->component) {
        report_error(f, ref->span, side->env.inst,
                     "'%s' is a class, but connect needs connectors\nname a connector", m->name);
        return false;
    }
    if (m->is_outer) {
        report_error(
            f, ref->span, side->env.inst,
            "'%s' is outer; connections to it are not supported yet\npass the connector on from "
            "model to model",
            m->name);
        return false;
    }
    const Type *type = member_type(f, m);
    if (type->kind == TY_NONE)
        return false;
    if (!member_present(f, m)) {
        side->removed = true;
        return true;
    }
    const char *domain = connector_domain(f, m, &side->causality);
    if (domain) {
        side->domain = domain;
        return walk_connector(f, side, m, ref, in);
    }
    if (type->kind != TY_CLASS) {
        report_error(f, ref->span, side->env.inst,
                     "'%s' is a %s, but connect needs connectors\nname a connector", m->name,
                     member_is_parameter(m) ? "parameter" : "variable");
        return false;
    }
    return walk_component(f, side, m, ref);
}

/* all the ports that one side of a connect means; false after reporting an error */
static bool find_side(Front *f, ConnectEnds *side, const Expr *e, Env env)
{
    side->ends.n = 0;
    side->end = (ConnectedPort){0};
    side->ndim = 0;
    side->domain = NULL;
    side->own = side->removed = false;
    side->env = env;
    if (e->kind != EX_REF) {
        report_error(f, e->span, env.inst,
                     "connect needs the names of two connectors\nwrite connect(a.b, c.d)");
        return false;
    }
    side->ref = e->ref;
    Found found = lookup(f, env, e->ref->name);
    if (found.kind != FOUND_MEMBER || found.enclosing || found.member->inst != env.inst) {
        char hint[140];
        NearestName nearest = {.name = e->ref->name};
        for (size_t i = 0; i < env.inst->members.n; i++)
            nearest_try(&nearest, env.inst->members.items[i]->name);
        nearest_text(&nearest, hint, sizeof hint);
        report_error(f, e->ref->span, env.inst, "there is no component '%s' to connect\n%s",
                     e->ref->name, *hint ? hint : "declare it in this model");
        return false;
    }
    return walk_connections(f, side, found.member, e->ref, env.inst);
}

/* ------------------------------------------------------------------ sets of own connectors */

static size_t set_of(Connector *c, const char *name)
{
    for (size_t i = 0; i < c->own.n; i++)
        if (c->own.items[i].name == name)
            return c->own.items[i].set;
    size_t set = c->sets.n;
    if (!vec_push(c->f->alloc, &c->sets, (ConnectedPort){0}) ||
        !vec_push(c->f->alloc, &c->own, (OwnPort){name, set}))
        c->f->work.failed = true;
    return set;
}

/* two ports of components */
static void join_inner(Connector *c, const ConnectedPort *a, const ConnectedPort *b)
{
    if (c->visit)
        c->visit(c->user, a, b);
    else
        emit_connection(c->f, c->inst, a, b, c->span);
}

/* two connectors: those of components are connected, those of the model belong to one set */
static void join(Connector *c, const ConnectedPort *a, const ConnectedPort *b)
{
    Front *f = c->f;
    if (a->component && b->component) {
        join_inner(c, a, b);
        return;
    }
    if (!a->component && !b->component) {
        size_t sa = set_of(c, a->name), sb = set_of(c, b->name);
        if (sa == sb || f->work.failed)
            return;
        if (c->sets.items[sa].component && c->sets.items[sb].component)
            join_inner(c, &c->sets.items[sa], &c->sets.items[sb]);
        else if (c->sets.items[sb].component)
            c->sets.items[sa] = c->sets.items[sb];
        for (size_t i = 0; i < c->own.n; i++)
            if (c->own.items[i].set == sb)
                c->own.items[i].set = sa;
        return;
    }
    const ConnectedPort *inner = a->component ? a : b;
    size_t set = set_of(c, a->component ? b->name : a->name);
    if (f->work.failed)
        return;
    if (c->sets.items[set].component)
        join_inner(c, &c->sets.items[set], inner);
    else
        c->sets.items[set] = *inner;
}

/* ------------------------------------------------------------------ equations */

static bool is_source(const ConnectEnds *side)
{
    return side->causality == (side->own ? CAUSE_INPUT : CAUSE_OUTPUT);
}

static bool is_same_port(const ConnectedPort *a, const ConnectedPort *b)
{
    const PortWay *x = a->inside, *y = b->inside;
    for (; x && y && x->component == y->component && x->element == y->element; x = x->outer)
        y = y->outer;
    return !x && !y && a->component == b->component && a->element == b->element &&
           a->name == b->name;
}

/* a connect equation: finds both sides, compares domains and sizes, joins them one by one */
static void connect(Connector *c, const Equation *e, Env env)
{
    Front *f = c->f;
    ConnectEnds *a = &c->a, *b = &c->b;
    if (!spend(f, e->span, CONNECT_STEPS))
        return;
    if (c->beside && !(side_is_beside(f, e->left, c->inst) && side_is_beside(f, e->right, c->inst)))
        return;
    bool ok = find_side(f, a, e->left, env);
    ok = find_side(f, b, e->right, env) && ok;
    if (!ok || a->removed || b->removed)
        return;
    char na[100], nb[100];
    if (a->domain && b->domain && strcmp(a->domain, b->domain) != 0) {
        report_error(
            f, e->span, env.inst,
            "'%s' is a %s and cannot be connected to '%s', a %s\n"
            "connect connectors of one kind; a wheel or a gear leads from one to the other",
            ref_text(a->ref, na, sizeof na), a->domain, ref_text(b->ref, nb, sizeof nb), b->domain);
        return;
    }
    bool same = a->ends.n == b->ends.n && a->ndim == b->ndim;
    for (int k = 0; k < a->ndim && same; k++)
        same = a->dim[k] == b->dim[k];
    if (!same) {
        report_error(
            f, e->span, env.inst,
            "'%s' has %zu connector(s), '%s' has %zu\nboth sides of connect have the same sizes",
            ref_text(a->ref, na, sizeof na), a->ends.n, ref_text(b->ref, nb, sizeof nb), b->ends.n);
        return;
    }
    if (a->domain && strcmp(a->domain, "Signal") == 0 && is_source(a) && is_source(b)) {
        report_error(f, e->span, env.inst,
                     "'%s' and '%s' are both sources of a signal\nconnect an output to an input",
                     ref_text(a->ref, na, sizeof na), ref_text(b->ref, nb, sizeof nb));
        return;
    }
    c->span = e->span;
    for (size_t i = 0; i < a->ends.n; i++) {
        const ConnectedPort *x = &a->ends.items[i], *y = &b->ends.items[i];
        if (is_same_port(x, y))
            report_error(f, e->span, env.inst, "'%s' is connected to itself\nremove the connection",
                         ref_text(a->ref, na, sizeof na));
        else
            join(c, x, y);
    }
}

static void run_list(Connector *c, const EquationList *list, Env env);

typedef struct ConnectLoop {
    Connector *connector;
    const EquationList *body;
} ConnectLoop;

static bool run_body(Front *f, Env env, void *user)
{
    ConnectLoop *loop = user;
    run_list(loop->connector, loop->body, env);
    return !f->exhausted && !f->work.failed;
}

static bool is_assert(const Equation *e)
{
    return e->left->kind == EX_CALL && !e->left->call->function->rest &&
           strcmp(e->left->call->function->name, "assert") == 0;
}

/* an assert among equations without variables: it must hold */
static void check_assert(Front *f, const Equation *e, Env env)
{
    const CallExpr *call = e->left->call;
    if (call->positional.n < 2) {
        report_error(
            f, e->span, env.inst,
            "assert needs a condition and a text\nwrite assert(n > 0, \"n must be positive\")");
        return;
    }
    bool holds;
    if (!evaluate_condition(f, call->positional.items[0], env, &holds) || holds)
        return;
    Value text = evaluate(f, call->positional.items[1], env);
    report_error(f, e->span, env.inst, "assertion failed: %s\nthe model itself asks for this",
                 text.kind == V_STRING ? value_text(&text, 0) : "");
}

static bool has_connections(const EquationList *list);

/* an equation: connections, and loops, conditions and asserts around them */
static void run_connections(Connector *c, const Equation *e, Env env)
{
    Front *f = c->f;
    if (c->beside && !has_connections(&(EquationList){(Equation **)&e, 1}))
        return;
    unsigned long long before = f->touched;
    f->touched = 0;
    switch (e->kind) {
    case EQ_CONNECT:
        if (!connection_left_out(env.part, e))
            connect(c, e, env);
        break;
    case EQ_FOR: {
        ConnectLoop loop = {c, &e->body};
        iterate(f, &e->indices, env, run_body, &loop);
        break;
    }
    case EQ_IF:
        for (size_t i = 0; i < e->branches.n; i++) {
            bool holds = true;
            const Branch *branch = e->branches.items[i];
            if (branch->condition && !evaluate_condition(f, branch->condition, env, &holds))
                break;
            if (holds) {
                run_list(c, &branch->body, env);
                break;
            }
        }
        break;
    case EQ_CALL:
        if (is_assert(e))
            check_assert(f, e, env);
        f->touched = 0;
        break;
    default:
        break; /* reported by report_unsupported */
    }
    same_for_all(f, f->touched, e->span, env.inst, "connections");
    f->touched = before;
}

static void run_list(Connector *c, const EquationList *list, Env env)
{
    for (size_t i = 0; i < list->n; i++) {
        if (!enter(c->f, list->items[i]->span))
            return;
        run_connections(c, list->items[i], env);
        leave(c->f);
    }
}

/* the connections of all parts of an instance, then its own connectors, which become its ports */
static void run_all(Connector *c)
{
    Front *f = c->f;
    for (ClassPart *part = c->inst->parts; part; part = part->next) {
        c->part = part;
        run_list(c, &part->class_->equations, (Env){.inst = c->inst, .part = part});
    }
    for (size_t i = 0; !c->visit && i < c->own.n; i++)
        if (c->own.items[i].set < c->sets.n && c->sets.items[c->own.items[i].set].component)
            emit_port(f, c->inst, c->own.items[i].name, &c->sets.items[c->own.items[i].set]);
    vec_drop(f->alloc, &c->own);
    vec_drop(f->alloc, &c->sets);
    vec_drop(f->alloc, &c->a.ends);
    vec_drop(f->alloc, &c->a.name);
    vec_drop(f->alloc, &c->b.ends);
    vec_drop(f->alloc, &c->b.name);
}

void emit_connections(Front *f, Inst *inst, bool beside)
{
    run_all(&(Connector){.f = f, .inst = inst, .beside = beside});
}

void visit_connections(Front *f, Inst *inst, ConnectionVisit *visit, void *user)
{
    run_all(&(Connector){.f = f, .inst = inst, .visit = visit, .user = user});
}

/* ------------------------------------------------------------------ cardinality */

/* a connector, or one element of an array of them, whose connections are counted */
typedef struct Cardinality {
    const Inst *inst; /* where it is declared */
    const Member *connector;
    bool outside;   /* equations of the model around are read, where it is inst.connector */
    size_t element; /* of an array of connectors */
    long count;     /* -1 after an error */
} Cardinality;

/* do the subscripts name this element? Without any they name all. */
static bool names_element(Front *f, const Ref *ref, int ndim, const size_t *dim, size_t element,
                          Env env)
{
    IndexSelection s;
    if (ref->subscripts.n == 0 || ndim == 0)
        return true;
    if (!select_subscripts(f, &ref->subscripts, env, ndim, dim, ref->span, ref->name, &s))
        return false;
    for (int k = ndim; k-- > 0; element /= dim[k]) {
        size_t i = 0;
        while (i < s.n[k] && s.at[k][i] != element % dim[k])
            i++;
        if (i == s.n[k])
            return false;
    }
    return true;
}

/* does the reference name the connector? */
static bool names_connector(Front *f, const Cardinality *c, const Expr *e, Env env)
{
    const Ref *r = e->kind == EX_REF ? e->ref : NULL;
    if (r && c->outside) {
        const Member *m = c->inst->member;
        const Axis *axis = m->axis;
        if (r->name != m->name ||
            (axis && !names_element(f, r, axis->ndim, axis->dim, axis->index, env)))
            return false;
        r = r->rest;
    }
    return r && r->name == c->connector->name && !r->rest &&
           names_element(f, r, c->connector->ndim, c->connector->dim, c->element, env);
}

/* are all components on the way there? */
static bool is_there(Front *f, const Expr *e, Inst *inst)
{
    for (const Ref *r = e->kind == EX_REF ? e->ref : NULL; r && inst; r = r->rest) {
        Member *m = inst_find(inst, NULL, r->name);
        m = m && m->component ? member_resolve(f, m, r->span) : NULL;
        if (!m || !member_present(f, m))
            return false;
        inst = r->rest && member_type(f, m)->kind == TY_CLASS ? member_child(f, m) : NULL;
    }
    return true;
}

static bool count_list(Front *f, Cardinality *c, const EquationList *list, Env env);

typedef struct CountLoop {
    Cardinality *c;
    const EquationList *body;
} CountLoop;

static bool count_body(Front *f, Env env, void *user)
{
    CountLoop *loop = user;
    return count_list(f, loop->c, loop->body, env);
}

static bool has_connections(const EquationList *list)
{
    for (size_t i = 0; i < list->n; i++) {
        const Equation *e = list->items[i];
        if (e->kind == EQ_CONNECT || (e->kind == EQ_FOR && has_connections(&e->body)))
            return true;
        for (size_t k = 0; e->kind == EQ_IF && k < e->branches.n; k++)
            if (has_connections(&e->branches.items[k]->body))
                return true;
    }
    return false;
}

/* connect equations in a list that name it; false after an error */
static bool count_list(Front *f, Cardinality *c, const EquationList *list, Env env)
{
    for (size_t i = 0; i < list->n; i++) {
        const Equation *e = list->items[i];
        bool good = true;
        if (e->kind == EQ_CONNECT && !connection_left_out(env.part, e)) {
            long n = names_connector(f, c, e->left, env) + names_connector(f, c, e->right, env);
            if (n && is_there(f, e->left, env.inst) && is_there(f, e->right, env.inst))
                c->count += n;
        } else if (e->kind == EQ_FOR && has_connections(&e->body)) {
            CountLoop loop = {c, &e->body};
            good = iterate(f, &e->indices, env, count_body, &loop);
        } else if (e->kind == EQ_IF && has_connections(&(EquationList){&list->items[i], 1})) {
            bool holds = false;
            for (size_t k = 0; good && !holds && k < e->branches.n; k++) {
                const Branch *branch = e->branches.items[k];
                holds = !branch->condition;
                good = holds || evaluate_condition(f, branch->condition, env, &holds);
                if (good && holds)
                    good = count_list(f, c, &branch->body, env);
            }
        }
        if (!good)
            return false;
    }
    return true;
}

long connection_count(Front *f, const Ref *ref, Env env)
{
    Member *m = inst_find(env.inst, NULL, ref->name);
    if (!m || !m->component || ref->rest || !member_sizes(f, m))
        return -1;
    Cardinality c = {.inst = env.inst, .connector = m};
    if (m->ndim && ref->subscripts.n) {
        IndexSelection s;
        if (!select_subscripts(f, &ref->subscripts, env, m->ndim, m->dim, ref->span, m->name, &s))
            return -1;
        for (int k = 0; k < m->ndim; k++)
            c.element = c.element * m->dim[k] + (s.n[k] ? s.at[k][0] : 0);
    }
    struct Lower *lower = f->lower;
    f->lower = NULL; /* structure is asked for */
    bool good = true;
    for (ClassPart *p = env.inst->parts; p && good; p = p->next)
        good = count_list(f, &c, &p->class_->equations, (Env){.inst = env.inst, .part = p});
    c.outside = true;
    Inst *around = env.inst->parent;
    for (ClassPart *p = around ? around->parts : NULL; p && good; p = p->next)
        good = count_list(f, &c, &p->class_->equations, (Env){.inst = around, .part = p});
    f->lower = lower;
    return good ? c.count : -1;
}
