/* lower_virtual.c - overconstrained connectors: the virtual connection graph (Modelica 9.4).
 *
 * An orientation is a record with more variables than degrees of freedom, so connections in a loop
 * would give more equations than there are unknowns. Its class has a function equalityConstraint
 * whose result, as long as the degrees of freedom, is zero when two orientations are equal. Nodes
 * of the graph are such records in connectors; Connections.branch(a, b) is an edge that a component
 * closes by equations of its own, connect(a, b) one that may be broken. Connections.root names a
 * root, Connections.potentialRoot a candidate. Edges are taken in the order of the text, branches
 * first, if they join two trees; all roots count as one tree. A connection that would close a
 * loop is broken: instead of the record's variables being equal, 0 = equalityConstraint(a, b).
 *
 * The answers of isRoot and rooted decide which equations there are, so the graph is found before
 * equations are read. Models without Connections.* are not searched twice.
 */
#include <string.h>

#include "front/instance/left_out.h"
#include "front/external/external.h"
#include "front/lower/lower.h"

/* ------------------------------------------------------------------ nodes */

static Member *constraint_function(Front *f, const Inst *inst)
{
    Member *m = inst_listed(inst, NULL, intern(f, "equalityConstraint"));
    return m && m->class_ ? m : NULL;
}

bool virtual_constraint(Front *f, Inst *inst)
{
    return f->lower && f->lower->virtual_.known && is_record_class(inst->class_) &&
           constraint_function(f, inst);
}

static size_t virtual_key(const Lower *lower, const Inst *inst)
{
    unsigned long long set = 0;
    for (const Axis *axis = inst->axis; axis && axis != lower->top->axis; axis = axis->outer)
        set |= 1ull << axis->depth;
    return memo_key(inst->axis, set);
}

/* the node of a record at the present cursors, a new one while the graph is collected */
static uint32_t virtual_node(Lower *lower, const Inst *inst, SourceSpan span)
{
    VirtualGraph *g = &lower->virtual_;
    size_t key = virtual_key(lower, inst);
    for (size_t i = 0; i < g->nodes.n; i++)
        if (g->nodes.items[i].inst == inst && g->nodes.items[i].key == key)
            return (uint32_t)i;
    VirtualNode node = {.inst = inst, .key = key, .span = span};
    if (!g->collecting || !vec_push(lower->front->alloc, &g->nodes, node)) {
        lower->front->work.failed |= g->collecting;
        return UINT32_MAX;
    }
    return (uint32_t)g->nodes.n - 1;
}

static Value field_value(Front *f, Member *m, const Ref *ref, Env env)
{
    (void)env;
    return lower_member(f, m, ref->span);
}

bool virtual_add_record(Lower *lower, ConnectSide *side, Inst *inst, size_t first, SourceSpan span)
{
    Front *f = lower->front;
    ConnectRecord r = {.inst = inst,
                       .first = first,
                       .last = side->ends.n,
                       .node = virtual_node(lower, inst, span)};
    if (!lower->virtual_.collecting && !side->is_record)
        r.value = record_of_inst(f, inst, span, (Env){.inst = inst}, field_value);
    if (!vec_push(f->alloc, &side->records, r))
        f->work.failed = true;
    return !f->work.failed;
}

/* the node that an argument of Connections.* names; UINT32_MAX after an error, or if it is removed
 */
static uint32_t argument_node(Lower *lower, const Expr *e, Env env)
{
    ConnectSide side = {.is_record = true};
    bool good = connect_find_ends(lower, &side, e, env);
    uint32_t node = good && side.records.n == 1 ? side.records.items[0].node : UINT32_MAX;
    if (good && !side.removed && side.records.n != 1)
        report_error(lower->front, e->span, env.inst,
                     "this is no record of a connector\nname one, as in frame_a.R");
    connect_side_drop(lower, &side);
    return node;
}

/* ------------------------------------------------------------------ collecting */

/* Connections.branch, root and potentialRoot as edges and roots of the graph */
static void collect_call(Lower *lower, const CallExpr *call, SourceSpan span, Env env)
{
    Front *f = lower->front;
    VirtualGraph *g = &lower->virtual_;
    const char *what = call->function->rest ? call->function->rest->name : "";
    bool branch = strcmp(what, "branch") == 0, potential = strcmp(what, "potentialRoot") == 0;
    if (!branch && !potential && strcmp(what, "root") != 0) {
        report_error(f, span, env.inst,
                     "there is no 'Connections.%s' as an equation\n"
                     "there are branch, root and potentialRoot",
                     what);
        return;
    }
    size_t n = call->positional.n + call->named.n;
    if (call->positional.n < 1 || n > 2 || (branch && call->positional.n != 2) ||
        (!branch && !potential && n != 1)) {
        report_error(f, span, env.inst, "Connections.%s has %s\nname records of connectors", what,
                     branch      ? "two arguments"
                     : potential ? "one argument and a priority"
                                 : "one argument");
        return;
    }
    uint32_t a = argument_node(lower, call->positional.items[0], env);
    if (branch) {
        uint32_t b = argument_node(lower, call->positional.items[1], env);
        if (a != UINT32_MAX && b != UINT32_MAX &&
            !vec_push(f->alloc, &g->edges, (VirtualEdge){.a = a, .b = b, .branch = true}))
            f->work.failed = true;
        return;
    }
    if (a == UINT32_MAX)
        return;
    g->nodes.items[a].root |= !potential;
    g->nodes.items[a].potential |= potential;
    const Expr *priority = call->positional.n == 2 ? call->positional.items[1]
                           : call->named.n         ? call->named.items[0]->value
                                                   : NULL;
    if (priority) {
        f->lower = NULL;
        Value v = structural_value(f, priority, env, lower->top, "a priority");
        f->lower = lower;
        if (v.kind == V_INTEGER && v.ndim == 0)
            g->nodes.items[a].priority = v.x;
    }
}

/* a connection of overconstrained connectors as an edge that may be broken */
static void collect_connect(Lower *lower, const Equation *e, Env env)
{
    ConnectSide a = {0}, b = {0};
    if (connect_find_ends(lower, &a, e->left, env) && connect_find_ends(lower, &b, e->right, env) &&
        !a.removed && !b.removed && a.records.n == b.records.n)
        for (size_t i = 0; i < a.records.n; i++) {
            VirtualEdge edge = {.a = a.records.items[i].node, .b = b.records.items[i].node};
            if (!vec_push(lower->front->alloc, &lower->virtual_.edges, edge))
                lower->front->work.failed = true;
        }
    connect_side_drop(lower, &a);
    connect_side_drop(lower, &b);
}

static bool is_connections_call(const Equation *e)
{
    return e->kind == EQ_CALL && e->left->kind == EX_CALL &&
           strcmp(e->left->call->function->name, "Connections") == 0;
}

/* does the list have something for the graph? */
static bool list_has_edges(const EquationList *list, bool calls_only)
{
    for (size_t i = 0; i < list->n; i++) {
        const Equation *e = list->items[i];
        if (is_connections_call(e) || (!calls_only && e->kind == EQ_CONNECT))
            return true;
        if (e->kind == EQ_FOR && list_has_edges(&e->body, calls_only))
            return true;
        for (size_t k = 0; e->kind == EQ_IF && k < e->branches.n; k++)
            if (list_has_edges(&e->branches.items[k]->body, calls_only))
                return true;
    }
    return false;
}

static void collect_list(Lower *lower, const EquationList *list, Env env);

typedef struct CollectLoop {
    Lower *lower;
    const EquationList *body;
} CollectLoop;

static bool collect_body(Front *f, Env env, void *user)
{
    CollectLoop *loop = user;
    collect_list(loop->lower, loop->body, env);
    return !f->exhausted && !f->work.failed;
}

/* everything in a list of equations that is an edge or a root */
static void collect_list(Lower *lower, const EquationList *list, Env env)
{
    Front *f = lower->front;
    for (size_t i = 0; i < list->n && !f->work.failed; i++) {
        const Equation *e = list->items[i];
        if (!list_has_edges(&(EquationList){&list->items[i], 1}, false) || !enter(f, e->span))
            continue;
        if (is_connections_call(e)) {
            collect_call(lower, e->left->call, e->span, env);
        } else if (e->kind == EQ_CONNECT) {
            if (!connection_left_out(env.part, e))
                collect_connect(lower, e, env);
        } else if (e->kind == EQ_FOR) {
            CollectLoop loop = {lower, &e->body};
            iterate(f, &e->indices, env, collect_body, &loop);
        }
        for (size_t k = 0; e->kind == EQ_IF && k < e->branches.n; k++) {
            const Branch *branch = e->branches.items[k];
            Value c = branch->condition ? lower_condition(lower, branch->condition, env)
                                        : value_number(V_BOOLEAN, 1);
            if (c.kind == V_NONE || is_symbolic(c.x))
                break;
            if (c.x != 0) {
                collect_list(lower, &branch->body, env);
                break;
            }
        }
        leave(f);
    }
}

/* calls `visit` for the instance and all components inside, once or for each element */
typedef bool VirtualVisit(Lower *lower, Inst *inst);
/* visits an instance and all components inside it */
static bool visit_all(Lower *lower, Inst *inst, bool elements, VirtualVisit *visit)
{
    Front *f = lower->front;
    if (!enter(f, inst->class_->span))
        return false;
    bool found = visit(lower, inst);
    for (size_t i = 0; !found && i < inst->members.n && !f->work.failed; i++) {
        Member *m = inst->members.items[i];
        if (!m->component || m->is_outer || member_type(f, m)->kind != TY_CLASS ||
            is_external_object(m->type.class_) || !member_present(f, m))
            continue;
        Inst *child = member_child(f, m);
        if (!child || child->native || child->template_ || is_record_class(child->class_))
            continue;
        size_t n = m->axis && (elements || m->elements) ? m->axis->n : 1;
        for (size_t k = 0; !found && k < n; k++) {
            if (m->axis)
                m->axis->index = k;
            child = member_child(f, m);
            found = child && visit_all(lower, child, elements, visit);
        }
        if (m->axis)
            m->axis->index = 0;
    }
    leave(f);
    return found;
}

static bool has_calls(Lower *lower, Inst *inst)
{
    (void)lower;
    for (const ClassPart *part = inst->parts; part; part = part->next)
        if (list_has_edges(&part->class_->equations, true))
            return true;
    return false;
}

static bool collect_inst(Lower *lower, Inst *inst)
{
    for (ClassPart *part = inst->parts; part; part = part->next)
        collect_list(lower, &part->class_->equations, (Env){.inst = inst, .part = part});
    return false;
}

/* ------------------------------------------------------------------ trees */

static uint32_t tree_of(VirtualGraph *g, uint32_t node)
{
    VirtualNode *nodes = g->nodes.items;
    while (nodes[node].set != node)
        node = nodes[node].set = nodes[nodes[node].set].set;
    return node;
}

/* joins two trees; false if they are one already */
static bool join_trees(VirtualGraph *g, uint32_t a, uint32_t b)
{
    a = tree_of(g, a);
    b = tree_of(g, b);
    if (a == b)
        return false;
    g->nodes.items[b].set = a;
    return true;
}

/* the potential root of least priority becomes the root of a tree without one */
static void choose_roots(Lower *lower, uint32_t first_root)
{
    VirtualGraph *g = &lower->virtual_;
    for (uint32_t i = 0; i < g->nodes.n; i++) {
        uint32_t tree = tree_of(g, i), best = UINT32_MAX;
        if (first_root != UINT32_MAX && tree == tree_of(g, first_root))
            continue;
        bool rooted = false;
        for (uint32_t k = 0; k < g->nodes.n; k++) {
            const VirtualNode *n = &g->nodes.items[k];
            if (tree_of(g, k) != tree)
                continue;
            rooted |= n->depth == 0;
            if (n->potential && (best == UINT32_MAX || n->priority < g->nodes.items[best].priority))
                best = k;
        }
        if (!rooted && best != UINT32_MAX)
            g->nodes.items[best].depth = 0;
        else if (!rooted) {
            report_error(
                lower->front, g->nodes.items[i].span, NULL,
                "no root for the orientations that are connected here\n"
                "connect a component with Connections.root or potentialRoot, such as a World "
                "or a Body");
            g->nodes.items[i].depth = 0;
        }
    }
}

/* distances from the roots along edges that hold */
static void measure_depths(VirtualGraph *g)
{
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < g->edges.n; i++) {
            const VirtualEdge *e = &g->edges.items[i];
            VirtualNode *a = &g->nodes.items[e->a], *b = &g->nodes.items[e->b];
            if (e->broken)
                continue;
            if (a->depth != UINT32_MAX && b->depth > a->depth + 1) {
                b->depth = a->depth + 1;
                more = true;
            } else if (b->depth != UINT32_MAX && a->depth > b->depth + 1) {
                a->depth = b->depth + 1;
                more = true;
            }
        }
    }
}

/* spanning trees from the roots; connections that close a cycle are broken */
static void build_trees(Lower *lower)
{
    VirtualGraph *g = &lower->virtual_;
    uint32_t first_root = UINT32_MAX;
    for (uint32_t i = 0; i < g->nodes.n; i++) {
        g->nodes.items[i].set = i;
        g->nodes.items[i].depth = UINT32_MAX;
    }
    for (size_t i = 0; i < g->edges.n; i++)
        if (g->edges.items[i].branch)
            join_trees(g, g->edges.items[i].a, g->edges.items[i].b);
    for (uint32_t i = 0; i < g->nodes.n; i++) {
        if (!g->nodes.items[i].root)
            continue;
        g->nodes.items[i].depth = 0;
        if (first_root == UINT32_MAX)
            first_root = i;
        else
            join_trees(g, first_root, i);
    }
    for (size_t i = 0; i < g->edges.n; i++)
        if (!g->edges.items[i].branch)
            g->edges.items[i].broken = !join_trees(g, g->edges.items[i].a, g->edges.items[i].b);
    choose_roots(lower, first_root);
    measure_depths(g);
}

void lower_virtual_graph(Lower *lower)
{
    VirtualGraph *g = &lower->virtual_;
    if (!visit_all(lower, lower->top, false, has_calls) || lower->front->work.failed)
        return;
    g->known = g->collecting = true;
    visit_all(lower, lower->top, true, collect_inst);
    g->collecting = false;
    if (!lower->front->work.failed)
        build_trees(lower);
}

/* ------------------------------------------------------------------ answers */

/* the record of side a that end i belongs to, if its connection is broken; -1 */
static ptrdiff_t cut_record(const Lower *lower, const ConnectSide *a, const ConnectSide *b,
                            size_t i)
{
    const VirtualGraph *g = &lower->virtual_;
    for (size_t k = 0; k < a->records.n && k < b->records.n; k++) {
        const ConnectRecord *x = &a->records.items[k], *y = &b->records.items[k];
        if (i < x->first || i >= x->last)
            continue;
        for (size_t e = 0; e < g->edges.n; e++)
            if (g->edges.items[e].broken && g->edges.items[e].a == x->node &&
                g->edges.items[e].b == y->node)
                return (ptrdiff_t)k;
    }
    return -1;
}

bool virtual_is_cut(const Lower *lower, const ConnectSide *a, const ConnectSide *b, size_t i)
{
    return cut_record(lower, a, b, i) >= 0;
}

void virtual_equations(Lower *lower, const ConnectSide *a, const ConnectSide *b, SourceSpan span,
                       Env env)
{
    Front *f = lower->front;
    for (size_t k = 0; k < a->records.n && k < b->records.n; k++) {
        const ConnectRecord *x = &a->records.items[k], *y = &b->records.items[k];
        if (cut_record(lower, a, b, x->first) != (ptrdiff_t)k)
            continue;
        Value sides[] = {x->value, y->value};
        Member *function = constraint_function(f, x->inst);
        if (!function || x->value.kind == V_NONE || y->value.kind == V_NONE)
            continue;
        Value residue = call_with_values(f, function, sides, 2, span, env);
        for (size_t i = 0; residue.kind != V_NONE && i < residue.n; i++)
            lower_equation_pair(lower, symbolic_node(f, value_at(&residue, i)), symbolic_node(f, 0),
                                span, env.inst);
    }
}

/* rooted(a): a is nearer to the root than the other end of its branch */
static bool is_rooted(const VirtualGraph *g, uint32_t node)
{
    bool any = false;
    for (size_t i = 0; i < g->edges.n; i++) {
        const VirtualEdge *e = &g->edges.items[i];
        if (!e->branch || (e->a != node && e->b != node))
            continue;
        uint32_t other = e->a == node ? e->b : e->a;
        any = true;
        if (g->nodes.items[node].depth < g->nodes.items[other].depth)
            return true;
    }
    return !any && g->nodes.items[node].depth == 0;
}

Value virtual_call(Front *f, const Expr *e, Env env)
{
    const CallExpr *call = e->call;
    const char *what = call->function->rest->name;
    bool root = strcmp(what, "isRoot") == 0, rooted = strcmp(what, "rooted") == 0;
    if (!(root || rooted) || call->positional.n != 1) {
        report_error(f, e->span, env.inst,
                     "'Connections.%s' has no value here\nthere are isRoot(R) and rooted(R)", what);
        return (Value){0};
    }
    if (!f->lower) {
        report_error(f, e->span, env.inst,
                     "'Connections.%s' cannot be used in a parameter\nuse it in equations", what);
        return (Value){0};
    }
    if (f->lower->virtual_.collecting) {
        report_error(
            f, e->span, env.inst,
            "connections cannot depend on Connections.%s\nconnect outside of this condition", what);
        return (Value){0};
    }
    uint32_t node = argument_node(f->lower, call->positional.items[0], env);
    const VirtualGraph *g = &f->lower->virtual_;
    if (node == UINT32_MAX)
        return value_number(V_BOOLEAN, 0);
    return value_number(V_BOOLEAN, root ? g->nodes.items[node].depth == 0 : is_rooted(g, node));
}
