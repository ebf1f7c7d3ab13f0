/* lower_connect.c - connections inside a cell as equations.
 *
 * connect(a, b) joins the variables of two connectors one by one. A set of joined variables is one
 * equation less than it has members if they are equal, and one sum if they are flows: flows count
 * positive into a component, so a connector of the model itself, seen from inside, counts negative.
 * Each variable therefore has two ends, seen from outside its component (2 v) and from inside (2 v
 * + 1); ends are joined by union-find. A flow whose outer end stands in no connection is zero.
 * An outer component stands for the inner one: its connectors are seen from outside, as those of
 * other components are, and the connectors of the model itself from inside (Modelica 9.2).
 */
#include "front/divide/rigid.h"
#include "front/evaluate/subscript.h"

#include <string.h>

/* ------------------------------------------------------------------ the ends of a connector */

/* the variables of a connector, or of those elements that subscripts choose */
static bool add_ends(Lower *lower, ConnectSide *side, Member *m, SourceSpan span,
                     const IndexSelection *s)
{
    Front *f = lower->front;
    uint32_t first = lower_variables(f, m, span);
    if (first == UINT32_MAX)
        return false;
    size_t n = s ? selection_count(s) : 1;
    for (int k = 0; !s && k < m->ndim; k++)
        n *= m->dim[k];
    for (size_t i = 0; i < n; i++) {
        size_t position = s ? selection_position(s, m->dim, i) : i;
        FlowPrefix prefix = member_connection(m);
        ConnectEnd end = {first + (uint32_t)position, m->name, prefix == CONNECT_FLOW,
                          prefix == CONNECT_STREAM, inst_is_connector(m->inst)};
        if (!vec_push(f->alloc, &side->ends, end)) {
            f->work.failed = true;
            return false;
        }
    }
    return true;
}

/* all variables of a connector, in the order of their declaration */
static bool add_connector(Lower *lower, ConnectSide *side, Inst *inst, SourceSpan span)
{
    Front *f = lower->front;
    bool good = true;
    for (size_t i = 0; good && i < inst->members.n; i++) {
        Member *m = inst->members.items[i];
        if (!m->component || member_is_parameter(m) || !member_present(f, m))
            continue;
        if (member_type(f, m)->kind != TY_CLASS) {
            /* potentials of the library are derivatives, each of the signal beside it */
            int nsignal = lower_signals(lower, inst);
            bool flow = member_connection(m) == CONNECT_FLOW;
            if (nsignal == 0 || flow || lower_position(m) < nsignal)
                good = member_sizes(f, m) && add_ends(lower, side, m, span, NULL);
            continue;
        }
        Inst *child = member_child(f, m);
        size_t n = m->axis ? m->axis->n : 1, saved = m->axis ? m->axis->index : 0;
        bool constrained = child && virtual_constraint(f, child);
        for (size_t k = 0; good && child && k < n; k++) {
            if (m->axis)
                m->axis->index = k;
            size_t first = side->ends.n;
            child = member_child(f, m);
            good = child && add_connector(lower, side, child, span);
            if (constrained)
                good = good && virtual_add_record(lower, side, child, first, span);
        }
        if (m->axis)
            m->axis->index = saved;
    }
    return good;
}

static bool walk_side(Lower *lower, ConnectSide *side, Member *m, const Ref *ref, Env env);

/* one element of a component or connector */
static bool walk_element(Lower *lower, ConnectSide *side, Inst *child, const Ref *ref, Env env)
{
    Front *f = lower->front;
    if (child->class_->kind == CLASS_EXPANDABLE_CONNECTOR)
        return bus_walk(lower, side, child, ref->rest, env);
    if (!ref->rest) {
        if (side->is_record)
            return virtual_add_record(lower, side, child, 0, ref->span);
        if (inst_is_connector(child))
            return add_connector(lower, side, child, ref->span);
        report_error(f, ref->span, env.inst, "'%s' is no connector\nconnect needs connectors: a.b",
                     ref->name);
        return false;
    }
    Member *next = inst_find(child, NULL, ref->rest->name);
    if (!next)
        return report_no_member(f, ref->rest, child, env.inst);
    if (next->is_protected && child != env.inst) {
        report_error(f, ref->rest->span, env.inst,
                     "'%s' is protected in '%s'\nmake it public there", next->name,
                     next->part ? next->part->class_->name : "");
        return false;
    }
    return walk_side(lower, side, next, ref->rest, env);
}

/* does a connector have flows? Its variables are no connectors: a sum of flows needs all of it. */
static bool has_flows(const Inst *inst)
{
    bool flows = false;
    for (size_t i = 0; i < inst->members.n; i++)
        flows |= inst->members.items[i]->component &&
                 member_connection(inst->members.items[i]) == CONNECT_FLOW;
    return flows;
}

/* a variable that is a connector: input, output, of a connector type, or a part of one */
static bool is_simple_connector(const Member *m)
{
    return m->type.restriction == CLASS_CONNECTOR || member_causality(m) != CAUSE_NONE ||
           (inst_is_connector(m->inst) && !has_flows(m->inst)) || is_record_class(m->inst->class_);
}

/* The sizes of a selection follow those of the steps before it: {2, 3} of a[1:2, 5].pin[3]. Sizes
 * beyond VALUE_DIMS are counted alone: they matter to expandable connectors, see bus_connect. */
static void add_sizes(ConnectSide *side, const IndexSelection *s)
{
    for (int d = 0; d < s->ndim; d++) {
        if (s->drop[d])
            continue;
        if (side->ndim < VALUE_DIMS)
            side->dim[side->ndim] = s->n[d];
        side->ndim++;
    }
}

/* one step of a reference in a connect equation of the cell */
static bool walk_side(Lower *lower, ConnectSide *side, Member *m, const Ref *ref, Env env)
{
    Front *f = lower->front;
    const Type *type = member_type(f, m);
    if (type->kind == TY_NONE || !member_sizes(f, m))
        return false;
    if (!member_present(f, m)) {
        side->removed = true;
        return true;
    }
    IndexSelection s;
    bool picks = ref->subscripts.n > 0 || m->ndim > 0;
    if (picks &&
        !select_subscripts(f, &ref->subscripts, env, m->ndim, m->dim, ref->span, m->name, &s))
        return false;
    if (picks)
        add_sizes(side, &s);
    if (type->kind != TY_CLASS && !ref->rest && !is_simple_connector(m)) {
        report_error(
            f, ref->span, env.inst,
            "'%s' is a %s, but connect needs connectors\nname a connector, or write an equation",
            m->name, member_is_parameter(m) ? "parameter" : "variable");
        return false;
    }
    if (type->kind != TY_CLASS) {
        if (!ref->rest)
            return add_ends(lower, side, m, ref->span, picks ? &s : NULL);
        report_error(f, ref->rest->span, env.inst,
                     "'%s' has nothing inside\nremove what follows the dot", m->name);
        return false;
    }
    Inst *child = member_child(f, m);
    if (!child)
        return false;
    if (!m->axis)
        return walk_element(lower, side, child, ref, env);
    size_t n = selection_count(&s), saved = m->axis->index, npresent = 0;
    bool good = true;
    int ndim = side->ndim; /* up to here; each element adds the same */
    for (size_t i = 0; good && i < n; i++) {
        side->ndim = ndim;
        m->axis->index = selection_position(&s, m->dim, i);
        child = member_child(f, m);
        size_t nend = side->ends.n;
        good = child && spend(f, ref->span, 1) && walk_element(lower, side, child, ref, env);
        npresent += side->ends.n > nend;
    }
    m->axis->index = saved;
    if (good && side->removed && npresent > 0) {
        report_error(f, ref->span, env.inst,
                     "some elements of '%s' have this connector and others have not\n"
                     "connect the elements one by one, in a loop with if",
                     m->name);
        return false;
    }
    return good;
}

bool connect_find_ends(Lower *lower, ConnectSide *side, const Expr *e, Env env)
{
    Front *f = lower->front;
    if (e->kind != EX_REF) {
        report_error(f, e->span, env.inst,
                     "connect needs the names of two connectors\nwrite connect(a.b, c.d)");
        return false;
    }
    Member *m = inst_find(env.inst, NULL, e->ref->name);
    if (!m || !m->component) {
        report_error(f, e->ref->span, env.inst,
                     "there is no component '%s' to connect\ndeclare it in this model",
                     e->ref->name);
        return false;
    }
    m = member_resolve(f, m, e->ref->span);
    if (!m)
        return false;
    const Type *type = member_type(f, m);
    side->own = type->kind != TY_CLASS || type->class_->kind == CLASS_CONNECTOR ||
                type->restriction == CLASS_CONNECTOR || is_expandable(type) ||
                (env.inst == lower->top && lower->top->draft && side_is_beside(f, e, env.inst));
    return walk_side(lower, side, m, e->ref, env);
}

/* ------------------------------------------------------------------ sets */

uint32_t connect_root(Lower *lower, uint32_t end)
{
    uint32_t *parent = lower->joined.items;
    while (parent[end] != end)
        end = parent[end] = parent[parent[end]];
    return end;
}

/* room for the ends of all variables, each alone at first */
static bool open_ends(Lower *lower)
{
    const LiederAllocator *alloc = lower->front->alloc;
    size_t n = 2 * lower->cell.variables.n, before = lower->joined.n;
    if (!vec_resize(alloc, &lower->joined, n) || !vec_resize(alloc, &lower->join_places, n)) {
        lower->front->work.failed = true;
        return false;
    }
    for (size_t i = before; i < n; i++)
        lower->joined.items[i] = (uint32_t)i;
    return true;
}

static void join_ends(Lower *lower, uint32_t a, uint32_t b, SourceSpan span)
{
    uint32_t ra = connect_root(lower, a), rb = connect_root(lower, b);
    if (ra == rb)
        return;
    lower->joined.items[rb] = ra;
    if (!lower->join_places.items[ra].line)
        lower->join_places.items[ra] = span_place(span);
}

/* the end of a flow or stream that a connection sees; of other variables there is one */
static uint32_t seen_end(const ConnectEnd *end, bool own)
{
    return 2 * end->variable + ((end->flow || end->stream) && own);
}

void connect_join(Lower *lower, const ConnectEnd *a, bool a_own, const ConnectEnd *b, bool b_own,
                  SourceSpan span)
{
    if (open_ends(lower))
        join_ends(lower, seen_end(a, a_own), seen_end(b, b_own), span);
}

/* The end of the same name as end i of the other side, the k-th to the k-th of that name; NULL:
 * there is none. What is a connector by itself, such as an input, is called as it likes. */
static ConnectEnd *find_partner(const ConnectSide *a, size_t i, ConnectSide *b)
{
    const ConnectEnd *x = &a->ends.items[i];
    size_t before = 0, n = 0;
    if (!x->in_connector || !b->ends.items[i].in_connector || b->ends.items[i].name == x->name)
        return &b->ends.items[i];
    for (size_t k = 0; k < i; k++)
        before += a->ends.items[k].name == x->name;
    for (size_t k = 0; k < b->ends.n; k++)
        if (b->ends.items[k].name == x->name && n++ == before)
            return &b->ends.items[k];
    return NULL;
}

static const char *type_text(const Lower *lower, const ConnectEnd *end)
{
    Member *m = (Member *)lower->variables.items[end->variable].member;
    return m ? value_kind_text(kind_of_type(member_type(lower->front, m)->kind)) : "";
}

/* end i of one side and its partner: equal, or a sum of flows */
static bool connect_pair(Lower *lower, ConnectSide *a, ConnectSide *b, size_t i, SourceSpan span,
                         Env env)
{
    Front *f = lower->front;
    const ConnectEnd *x = &a->ends.items[i], *y = find_partner(a, i, b);
    if (!y) {
        report_error(f, span, env.inst,
                     "the connectors do not fit: one has '%s', the other '%s' and no '%s'\n"
                     "connect connectors of one kind, whose variables have the same names",
                     x->name, b->ends.items[i].name, x->name);
        return false;
    }
    if (x->flow != y->flow || x->stream != y->stream) {
        bool first = x->flow != y->flow ? x->flow : x->stream;
        report_error(f, span, env.inst,
                     "'%s' is a %s on one side of the connection, and '%s' is none on the "
                     "other\nconnect connectors of one kind",
                     first ? x->name : y->name, x->flow != y->flow ? "flow" : "stream",
                     first ? y->name : x->name);
        return false;
    }
    if (type_text(lower, x) != type_text(lower, y)) {
        report_error(f, span, env.inst,
                     "'%s' is of type %s on one side of the connection, and '%s' of type %s on the "
                     "other\nboth have the same type; blocks convert one into the other",
                     x->name, type_text(lower, x), y->name, type_text(lower, y));
        return false;
    }
    if (!virtual_is_cut(lower, a, b, i))
        join_ends(lower, seen_end(x, a->own), seen_end(y, b->own), span);
    return true;
}

bool connect_sizes_fit(Lower *lower, int na, const size_t *a, int nb, const size_t *b,
                       SourceSpan span, const Inst *inst)
{
    Value va = {.ndim = na < VALUE_DIMS ? na : VALUE_DIMS};
    Value vb = {.ndim = nb < VALUE_DIMS ? nb : VALUE_DIMS};
    memcpy(va.dim, a, (size_t)va.ndim * sizeof *a);
    memcpy(vb.dim, b, (size_t)vb.ndim * sizeof *b);
    if (na == nb && memcmp(va.dim, vb.dim, sizeof va.dim) == 0)
        return true;
    char text_a[100], text_b[100];
    report_error(lower->front, span, inst,
                 "one side of the connection has the sizes %s, the other %s\n"
                 "both sides of connect have the same sizes",
                 na ? value_sizes_text(&va, text_a, sizeof text_a) : "of a scalar",
                 nb ? value_sizes_text(&vb, text_b, sizeof text_b) : "of a scalar");
    return false;
}

void lower_connect(Lower *lower, const Equation *e, Env env)
{
    Front *f = lower->front;
    ConnectSide a = {0}, b = {0};
    if (env.inst == lower->top && lower->top->draft && side_is_beside(f, e->left, env.inst) &&
        side_is_beside(f, e->right, env.inst))
        return; /* a connection of the engine */
    bool good = connect_find_ends(lower, &a, e->left, env);
    good = connect_find_ends(lower, &b, e->right, env) && good;
    if (good && !a.removed && !b.removed && (a.bus.n || b.bus.n)) {
        bus_connect(lower, &a, &b, e->span, env);
    } else if (good && !a.removed && !b.removed && open_ends(lower)) {
        if (a.ends.n != b.ends.n)
            report_error(
                f, e->span, env.inst,
                "the connectors have %zu and %zu variables\nconnect connectors of one kind",
                a.ends.n, b.ends.n);
        else if (!connect_sizes_fit(lower, a.ndim, a.dim, b.ndim, b.dim, e->span, env.inst))
            good = false;
        bool closes = rigid_closes(lower, &a, &b, e->span);
        for (size_t i = 0; good && a.ends.n == b.ends.n && i < a.ends.n; i++)
            if (!(closes && rigid_is_kinetic(&a, i)) &&
                !connect_pair(lower, &a, &b, i, e->span, env))
                break;
        if (closes)
            rigid_close_start(lower, &a, &b, e->span);
        virtual_equations(lower, &a, &b, e->span, env);
    }
    connect_side_drop(lower, &a);
    connect_side_drop(lower, &b);
}

bool connect_is_joined(Lower *lower, const ConnectSide *a, const ConnectSide *b)
{
    return open_ends(lower) && connect_root(lower, seen_end(&a->ends.items[0], a->own)) ==
                                   connect_root(lower, seen_end(&b->ends.items[0], b->own));
}

void connect_side_drop(Lower *lower, ConnectSide *side)
{
    vec_drop(lower->front->alloc, &side->ends);
    vec_drop(lower->front->alloc, &side->records);
    vec_drop(lower->front->alloc, &side->bus);
}

/* v = that of the first of its set */
static void equal_in_set(Lower *lower, uint32_t variable, uint32_t root)
{
    CellEquation e = {.left = cell_variable(&lower->cell, variable, 0),
                      .right = cell_variable(&lower->cell, root / 2, 0),
                      .place = lower->join_places.items[root]};
    if (!cell_add_equation(&lower->cell, e))
        lower->front->work.failed = true;
}

/* ------------------------------------------------------------------ a class alone */

/* the connector of the top that a variable belongs to; NULL: there is none, or it is a library's */
static const Inst *top_connector(const Lower *lower, uint32_t variable)
{
    const Member *m = lower->variables.items[variable].member; /* of a helper of events none */
    const Inst *inst = m ? m->inst : NULL;
    while (inst && inst != lower->top && inst->parent != lower->top)
        inst = inst->parent;
    return inst && inst != lower->top && inst_is_connector(inst) && !inst->domain ? inst : NULL;
}

/* Of the flow of a connector that stands alone the potential beside it, the k-th to the k-th flow,
 * and k; UINT32_MAX if there are not as many of one as of the other. */
static uint32_t beside_flow(const Lower *lower, uint32_t flow, uint32_t *k)
{
    const Inst *inst = top_connector(lower, flow);
    size_t key = lower->variables.items[flow].key;
    uint32_t nflow = 0, npotential = 0, found = UINT32_MAX;
    for (uint32_t v = 0; inst && v < lower->variables.n; v++) {
        const LowerVariable *x = &lower->variables.items[v];
        if (x->is_start || x->key != key || lower->cell.variables.items[v].role != CELL_UNKNOWN ||
            top_connector(lower, v) != inst)
            continue;
        if (v == flow)
            *k = nflow;
        nflow += x->flow;
        npotential += !x->flow && !x->stream_flow && member_causality(x->member) == CAUSE_NONE;
    }
    for (uint32_t v = 0, n = 0; inst && nflow == npotential && v < lower->variables.n; v++) {
        const LowerVariable *x = &lower->variables.items[v];
        if (x->is_start || x->key != key || x->flow || x->stream_flow ||
            top_connector(lower, v) != inst ||
            lower->cell.variables.items[v].role != CELL_UNKNOWN ||
            member_causality(x->member) != CAUSE_NONE)
            continue;
        if (n++ == *k)
            found = v;
    }
    return found;
}

bool connect_is_open(const Lower *lower, uint32_t variable)
{
    return lower->front->alone && lower->top == lower->front->top && top_connector(lower, variable);
}

/* Something general at a connector of a class that is examined alone: potential = a - b flow.
 * false: the connector is none for which this could be said. */
static bool close_alone(Lower *lower, uint32_t flow)
{
    uint32_t k = 0;
    if (!lower->front->alone || lower->top != lower->front->top)
        return false;
    uint32_t potential = beside_flow(lower, flow, &k);
    if (potential == UINT32_MAX)
        return false;
    Graph *g = &lower->cell.graph;
    Node load = node_multiply(g, node_constant(g, 1.25 + 0.0625 * flow),
                              cell_variable(&lower->cell, flow, 0));
    CellEquation e = {.left = cell_variable(&lower->cell, potential, 0),
                      .right = node_subtract(g, node_constant(g, 0.5 + 0.125 * potential), load),
                      .place =
                          span_place(top_connector(lower, flow)->member->component->name_span)};
    if (!cell_add_equation(&lower->cell, e))
        lower->front->work.failed = true;
    return true;
}

/* a run of something that is meant to be a component */
static void report_open_connector(Lower *lower, uint32_t flow, const Inst **reported)
{
    Front *f = lower->front;
    const Inst *inst = lower->top == f->top ? top_connector(lower, flow) : NULL;
    if (inst && inst != *reported && !f->nwrong)
        warn(f, inst->member->component->name_span, NULL,
             "the connector '%s' of the model is open: nothing flows through it\n"
             "run a model that has this one as a component and connects it",
             inst->member->name);
    *reported = inst ? inst : *reported;
}

void lower_connection_sets(Lower *lower)
{
    Front *f = lower->front;
    const Inst *reported = NULL;
    NodeList sums = {0}; /* by end that is a root: the sum of its flows */
    Graph *g = &lower->cell.graph;
    /* once memory has run out, lists of variables may differ in length */
    if (f->work.failed || !open_ends(lower) || !vec_resize(f->alloc, &sums, lower->joined.n + 1)) {
        f->work.failed = true;
        vec_drop(f->alloc, &sums);
        return;
    }
    for (uint32_t end = 0; end < lower->joined.n; end++) {
        uint32_t variable = end / 2, root = connect_root(lower, end);
        if (lower->cell.variables.items[variable].role == CELL_PARAMETER)
            continue;
        if (!lower->variables.items[variable].flow) {
            if (root != end && end % 2 == 0 && !lower->variables.items[variable].stream_flow)
                equal_in_set(lower, variable, root);
            continue;
        }
        Node node = cell_variable(&lower->cell, variable, 0), *sum = &sums.items[root];
        if (end % 2)
            node = node_negate(g, node);
        bool alone = root == end && !lower->join_places.items[end].line;
        if (!alone)
            *sum = *sum ? node_add(g, *sum, node) : node;
        else if (end % 2 == 0 && lower->cell.variables.items[variable].role != CELL_INWARD &&
                 !close_alone(lower, variable)) {
            *sum = node; /* not connected: zero */
            report_open_connector(lower, variable, &reported);
        }
    }
    for (uint32_t end = 0; end < lower->joined.n; end++) {
        if (!sums.items[end])
            continue;
        Place place = lower->join_places.items[end];
        CellEquation e = {.left = sums.items[end],
                          .right = node_constant(g, 0),
                          .place = place.line ? place : lower->cell.variables.items[end / 2].place};
        if (!cell_add_equation(&lower->cell, e))
            f->work.failed = true;
    }
    vec_drop(f->alloc, &sums);
}
