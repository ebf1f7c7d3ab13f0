/* lower_bus.c - expandable connectors.
 *
 * An expandable connector has no variables of its own: what is connected to one of its elements
 * under one name is connected with each other, across all expandable connectors that are connected
 * (Modelica 9.1.3). So a bus is a tree of nodes by name; connect(bus1, bus2) unites two nodes and,
 * in the end, their elements of the same name; connect(bus.x, c) puts the connector c to the node.
 * An element that nothing is connected to does not exist. Elements of an element are its
 * subscripts: x[2] is the element [2] of x, which meets the second variable of a whole array at x.
 * A declared element that an equation reads is a variable, which is connected to its node.
 */
#include "front/lower/lower.h"

#include <stdio.h>
#include <string.h>

bool is_expandable(const Type *type)
{
    return type->kind == TY_CLASS && type->class_->kind == CLASS_EXPANDABLE_CONNECTOR;
}

/* ------------------------------------------------------------------ nodes */

static uint32_t node_root(Lower *lower, uint32_t node)
{
    BusNode *nodes = lower->bus.nodes.items;
    while (nodes[node].set != node)
        node = nodes[node].set = nodes[nodes[node].set].set;
    return node;
}

static uint32_t add_node(Lower *lower, BusNode node)
{
    node.set = (uint32_t)lower->bus.nodes.n;
    if (!vec_push(lower->front->alloc, &lower->bus.nodes, node)) {
        lower->front->work.failed = true;
        return UINT32_MAX;
    }
    return node.set;
}

/* the node of an expandable connector at the present cursors */
static uint32_t node_of_inst(Lower *lower, const Inst *inst, size_t key)
{
    for (uint32_t i = 0; i < lower->bus.nodes.n; i++)
        if (lower->bus.nodes.items[i].inst == inst && lower->bus.nodes.items[i].key == key)
            return i;
    return add_node(lower,
                    (BusNode){.inst = inst, .key = key, .path = lower_inst_path(lower, inst)});
}

/* the element of a node; one that was not met before is made */
static uint32_t node_element(Lower *lower, uint32_t node, const char *name)
{
    if (node == UINT32_MAX)
        return node;
    uint32_t root = node_root(lower, node);
    for (uint32_t i = 0; i < lower->bus.nodes.n; i++) {
        const BusNode *n = &lower->bus.nodes.items[i];
        if (!n->inst && n->name == name && node_root(lower, n->parent) == root)
            return i;
    }
    return add_node(lower, (BusNode){.parent = node, .name = name});
}

/* the element of a node by its indices, which are counted from 1 */
static uint32_t node_at(Lower *lower, uint32_t node, int nindex, const size_t *index)
{
    TextBuffer text = {0};
    bool good = true;
    for (int i = 0; i < nindex && good; i++)
        good = text_add(lower->front->alloc, &text, "%s%zu", i ? "," : "[", index[i]);
    good = good && text_add(lower->front->alloc, &text, "]");
    uint32_t element = UINT32_MAX;
    if (good)
        element = node_element(lower, node, intern(lower->front, text.items));
    else
        lower->front->work.failed = true;
    vec_drop(lower->front->alloc, &text);
    if (element != UINT32_MAX) {
        BusNode *n = &lower->bus.nodes.items[element];
        n->nindex = nindex;
        memcpy(n->index, index, (size_t)nindex * sizeof *index);
    }
    return element;
}

/* indices from subscripts that are numbers; false after reporting an error */
static bool read_indices(Lower *lower, const ExprList *subscripts, Env env, size_t *index)
{
    for (size_t i = 0; i < subscripts->n; i++) {
        const Expr *e = subscripts->items[i];
        Value v = e->kind == EX_COLON ? (Value){0} : evaluate(lower->front, e, env);
        if (v.kind != V_INTEGER || v.ndim || !parameter_number(lower->front, &v) || v.x < 1 ||
            i == VALUE_DIMS) {
            report_error(lower->front, e->span, env.inst,
                         "an index of an element of an expandable connector must be one number, "
                         "counted from 1\n"
                         "connect the elements one by one, or the whole array");
            return false;
        }
        index[i] = (size_t)v.x;
    }
    return true;
}

static size_t size_product(int ndim, const size_t *dim)
{
    size_t n = 1;
    for (int d = 0; d < ndim; d++)
        n *= dim[d];
    return n;
}

/* the element of a node that is the k-th, counted from 0, of an array of these sizes */
static uint32_t node_number(Lower *lower, uint32_t node, size_t k, int ndim, const size_t *dim)
{
    size_t index[VALUE_DIMS];
    for (int d = ndim; d-- > 0; k /= dim[d])
        index[d] = k % dim[d] + 1;
    return node_at(lower, node, ndim, index);
}

/* an expandable connector that another one declares as its element, or NULL */
static Member *declared_bus(Front *f, Inst *inst, const char *name)
{
    Member *m = inst ? inst_find(inst, NULL, name) : NULL;
    return m && m->component && is_expandable(member_type(f, m)) && member_sizes(f, m) ? m : NULL;
}

/* The nodes that a reference leads to from a node, which is that of `inst`, if it is declared: more
 * than one where it goes through a declared array. */
static bool walk_nodes(Lower *lower, ConnectSide *side, uint32_t node, Inst *inst, const Ref *rest,
                       Env env)
{
    Front *f = lower->front;
    for (; rest && node != UINT32_MAX; rest = rest->rest) {
        Member *m = declared_bus(f, inst, rest->name);
        node = node_element(lower, node, rest->name);
        inst = m ? member_child(f, m) : NULL;
        size_t index[VALUE_DIMS];
        if (rest->subscripts.n && !read_indices(lower, &rest->subscripts, env, index))
            return false;
        if (rest->subscripts.n)
            node = node_at(lower, node, (int)rest->subscripts.n, index);
        if (rest->subscripts.n || !rest->rest || !m || m->ndim == 0)
            continue;
        int ndim = side->ndim;
        bool good = true;
        for (size_t k = 0; good && k < m->axis->n; k++) {
            side->ndim = ndim;
            for (int d = 0; d < m->ndim; d++, side->ndim++)
                if (side->ndim < VALUE_DIMS)
                    side->dim[side->ndim] = m->dim[d];
            uint32_t element = node_number(lower, node, k, m->ndim, m->dim);
            good =
                spend(f, rest->span, 1) && walk_nodes(lower, side, element, inst, rest->rest, env);
        }
        return good;
    }
    if (node == UINT32_MAX || !vec_push(f->alloc, &side->bus, node)) {
        f->work.failed = true;
        return false;
    }
    return true;
}

bool bus_walk(Lower *lower, ConnectSide *side, Inst *inst, const Ref *rest, Env env)
{
    uint32_t node = node_of_inst(lower, inst, memo_key(inst->axis, ~0ull));
    return walk_nodes(lower, side, node, inst, rest, env);
}

/* the node of an expandable connector, which may be an element that another one declares */
static uint32_t node_of_declared(Lower *lower, const Inst *inst)
{
    const Member *m = inst->member;
    if (!m || m->inst->class_->kind != CLASS_EXPANDABLE_CONNECTOR)
        return node_of_inst(lower, inst, memo_key(inst->axis, ~0ull));
    uint32_t node = node_element(lower, node_of_declared(lower, m->inst), m->name);
    return m->axis ? node_number(lower, node, m->axis->index, m->ndim, m->dim) : node;
}

void bus_declare(Lower *lower, const Member *m, uint32_t first, SourceSpan span)
{
    uint32_t node = node_element(lower, node_of_declared(lower, m->inst), m->name);
    BusSide s = {.node = node, .declared = true, .span = span, .ndim = m->ndim};
    memcpy(s.dim, m->dim, (size_t)s.ndim * sizeof *s.dim);
    size_t n = size_product(m->ndim, m->dim);
    bool good = node != UINT32_MAX;
    for (size_t i = 0; good && i < n; i++) {
        ConnectEnd end = {.variable = first + (uint32_t)i, .name = m->name};
        good = vec_push(lower->front->alloc, &s.ends, end);
    }
    if (good && vec_push(lower->front->alloc, &lower->bus.sides, s))
        return;
    vec_drop(lower->front->alloc, &s.ends);
    lower->front->work.failed = true;
}

/* ------------------------------------------------------------------ connections */

static void unite(Lower *lower, uint32_t a, uint32_t b)
{
    uint32_t ra = node_root(lower, a), rb = node_root(lower, b);
    if (ra != rb)
        lower->bus.nodes.items[rb].set = ra;
}

/* Ends from first on, n of them, of a side become a connection of the node; they are the element
 * of its array with as many indices as the array of nodes has. */
static void attach(Lower *lower, uint32_t node, const ConnectSide *side, size_t first, size_t n,
                   int nindex, SourceSpan span)
{
    BusSide s = {.node = node, .own = side->own, .span = span, .ndim = side->ndim - nindex};
    memcpy(s.dim, side->dim + nindex, (size_t)s.ndim * sizeof *s.dim);
    bool good = node != UINT32_MAX;
    for (size_t i = first; good && i < first + n; i++)
        good = vec_push(lower->front->alloc, &s.ends, side->ends.items[i]);
    if (good && vec_push(lower->front->alloc, &lower->bus.sides, s))
        return;
    vec_drop(lower->front->alloc, &s.ends);
    lower->front->work.failed = true;
}

/* the first sizes of an array of connectors are those of the array of expandable ones */
static bool sizes_begin(const ConnectSide *all, const ConnectSide *bus)
{
    return all->ndim >= bus->ndim &&
           memcmp(all->dim, bus->dim, (size_t)bus->ndim * sizeof *bus->dim) == 0;
}

void bus_connect(Lower *lower, ConnectSide *a, ConnectSide *b, SourceSpan span, Env env)
{
    Front *f = lower->front;
    if (a->records.n || b->records.n) {
        report_error(
            f, span, env.inst,
            "a connector with an orientation or the like cannot be an element of an expandable "
            "connector yet\nconnect it directly");
        return;
    }
    if (a->ndim > VALUE_DIMS || b->ndim > VALUE_DIMS) {
        report_error(f, span, env.inst,
                     "an array of %d dimensions is connected to an expandable connector, which "
                     "takes up to %d\nconnect the elements in a loop",
                     a->ndim > b->ndim ? a->ndim : b->ndim, VALUE_DIMS);
        return;
    }
    if (!a->bus.n) {
        ConnectSide *swap = a;
        a = b;
        b = swap;
    }
    size_t na = a->bus.n, nb = b->bus.n;
    if (nb && na == nb) {
        for (size_t i = 0; i < na; i++)
            unite(lower, a->bus.items[i], b->bus.items[i]);
    } else if (nb && (na == 1 || nb == 1)) { /* an array of them is an element of the other */
        ConnectSide *one = na == 1 ? a : b, *many = na == 1 ? b : a;
        for (size_t i = 0; i < many->bus.n && !f->work.failed; i++)
            unite(lower, node_number(lower, one->bus.items[0], i, many->ndim, many->dim),
                  many->bus.items[i]);
    } else if (!nb && sizes_begin(b, a)) {
        size_t each = b->ends.n / na;
        for (size_t i = 0; i < na; i++)
            attach(lower, a->bus.items[i], b, i * each, each, a->ndim, span);
    } else {
        report_error(f, span, env.inst,
                     "arrays of %zu and %zu expandable connectors are connected\n"
                     "both sides have the same sizes",
                     na, nb ? nb : b->ends.n);
    }
}

/* ------------------------------------------------------------------ the end */

/* elements of the same name of united nodes are united, too */
static void unite_elements(Lower *lower)
{
    BusNode *nodes = lower->bus.nodes.items;
    for (bool again = true; again && spend(lower->front, (SourceSpan){0}, lower->bus.nodes.n);) {
        again = false;
        for (uint32_t i = 0; i < lower->bus.nodes.n; i++)
            for (uint32_t k = 0; k < i; k++)
                if (nodes[i].name && nodes[i].name == nodes[k].name &&
                    node_root(lower, nodes[i].parent) == node_root(lower, nodes[k].parent) &&
                    node_root(lower, i) != node_root(lower, k)) {
                    unite(lower, k, i);
                    again = true;
                }
    }
}

/* The position among the elements of a whole array, counted from 0, of a node that is an element of
 * it; SIZE_MAX if it is none, or after reporting an error. */
static size_t position_below(Lower *lower, uint32_t node, const BusSide *whole)
{
    const BusNode *n = &lower->bus.nodes.items[node];
    size_t position = 0;
    if (!n->nindex || node_root(lower, n->parent) != node_root(lower, whole->node))
        return SIZE_MAX;
    bool inside = n->nindex == whole->ndim;
    for (int d = 0; d < n->nindex && inside; d++) {
        inside = n->index[d] <= whole->dim[d];
        position = position * whole->dim[d] + n->index[d] - 1;
    }
    if (inside)
        return position;
    Value array = {.ndim = whole->ndim};
    char sizes[100];
    memcpy(array.dim, whole->dim, sizeof array.dim);
    report_error(lower->front, whole->span, NULL,
                 "an array with the sizes %s is connected to an expandable connector, and "
                 "elsewhere its element %s, which it has not\n"
                 "give as many indices as the array has dimensions, none beyond its size",
                 array.ndim ? value_sizes_text(&array, sizes, sizeof sizes) : "of a scalar",
                 n->name);
    return SIZE_MAX;
}

/* members of two expandable connectors become one variable or one sum */
static void join_sides(Lower *lower, const BusSide *a, const BusSide *b, size_t first)
{
    for (size_t i = 0; i < b->ends.n; i++) {
        const ConnectEnd *x = &a->ends.items[first + i], *y = &b->ends.items[i];
        if (x->flow != y->flow) {
            report_error(
                lower->front, b->span, NULL,
                "'%s' is a flow on one side of the connection, and '%s' is none on the other\n"
                "connect connectors of one kind",
                x->flow ? x->name : y->name, x->flow ? y->name : x->name);
            return;
        }
        connect_join(lower, x, a->own, y, b->own, b->span);
    }
}

static void report_kinds(Lower *lower, size_t na, size_t nb, SourceSpan span)
{
    report_error(lower->front, span, NULL,
                 "connectors of %zu and %zu variables are connected through an expandable "
                 "connector\nconnect connectors of one kind",
                 na, nb);
}

/* connects a side of a whole array and one of an element of it; false: they are not that */
static bool meets_element(Lower *lower, const BusSide *whole, const BusSide *part)
{
    uint32_t of = node_root(lower, part->node);
    size_t count = size_product(whole->ndim, whole->dim);
    for (uint32_t i = 0; i < lower->bus.nodes.n; i++) {
        size_t k = node_root(lower, i) == of ? position_below(lower, i, whole) : SIZE_MAX;
        if (k == SIZE_MAX)
            continue;
        if (whole->ends.n == count * part->ends.n)
            join_sides(lower, whole, part, k * part->ends.n);
        else
            report_kinds(lower, whole->ends.n / count, part->ends.n, part->span);
        return true;
    }
    return false;
}

/* ------------------------------------------------------------------ variables of results */

/* a variable of this name is connected to the node: it is declared there, and some equation has
 * it */
static bool is_declared(Lower *lower, uint32_t node, const char *name)
{
    uint32_t root = node_root(lower, node);
    for (size_t k = 0; k < lower->bus.sides.n; k++) {
        const BusSide *s = &lower->bus.sides.items[k];
        if (!s->declared || node_root(lower, s->node) != root)
            continue;
        for (size_t i = 0; i < s->ends.n; i++)
            if (strcmp(lower->cell.variables.items[s->ends.items[i].variable].name, name) == 0)
                return true;
    }
    return false;
}

/* The variables of a connector at a node by the path of the node: path[2,3].name, or path[2,3]
 * where the connector is one variable. Flows have no name there, nor have arrays inside a
 * connector. */
static void name_side(Lower *lower, const BusSide *side, const char *path)
{
    const LiederAllocator *alloc = lower->front->alloc;
    const ConnectEnd *ends = side->ends.items;
    size_t count = size_product(side->ndim, side->dim), each = count ? side->ends.n / count : 0;
    for (size_t i = 0; i < side->ends.n; i++) {
        char index[INDEX_LENGTH];
        TextBuffer name = {0};
        bool unique = each == 1 || i % each == 0 || ends[i - 1].name != ends[i].name;
        unique &= each == 1 || i % each == each - 1 || ends[i + 1].name != ends[i].name;
        bool good = unique && !ends[i].flow &&
                    text_add(alloc, &name, "%s%s", path,
                             index_text(side->ndim, side->dim, i / each, index)) &&
                    (each == 1 || text_add(alloc, &name, ".%s", ends[i].name));
        const char *copy = good ? arena_text(&lower->front->work, name.items, name.n) : NULL;
        vec_drop(alloc, &name);
        if (copy && !is_declared(lower, side->node, copy))
            lower_add_alias(lower, copy, ends[i].variable, span_place(side->span));
    }
}

/* all elements below a node, by their names */
static void name_elements(Lower *lower, uint32_t node, const char *path, int depth)
{
    uint32_t root = node_root(lower, node);
    const LiederAllocator *alloc = lower->front->alloc;
    for (uint32_t i = 0; i < lower->bus.nodes.n && depth < INSTANCE_DEPTH; i++) {
        const BusNode *n = &lower->bus.nodes.items[i];
        if (!n->name || node_root(lower, n->parent) != root ||
            !spend(lower->front, (SourceSpan){0}, 1))
            continue;
        bool first = true; /* of this name */
        for (uint32_t k = 0; k < i && first; k++)
            first = lower->bus.nodes.items[k].name != n->name ||
                    node_root(lower, lower->bus.nodes.items[k].parent) != root;
        TextBuffer text = {0};
        size_t length = strlen(path);
        bool index = n->nindex && length && path[length - 1] == '.';
        bool good = first && text_add(alloc, &text, "%.*s%s", (int)(length - index), path, n->name);
        const char *name = good ? arena_text(&lower->front->work, text.items, text.n) : NULL;
        bool inside = good && text_add(alloc, &text, ".");
        const char *below = inside ? arena_text(&lower->front->work, text.items, text.n) : NULL;
        vec_drop(alloc, &text);
        size_t k = 0;
        while (k < lower->bus.sides.n &&
               node_root(lower, lower->bus.sides.items[k].node) != node_root(lower, i))
            k++;
        if (name && k < lower->bus.sides.n)
            name_side(lower, &lower->bus.sides.items[k], name);
        else if (below)
            name_elements(lower, i, below, depth + 1);
    }
}

void lower_buses(Lower *lower)
{
    size_t n = lower->bus.sides.n;
    unite_elements(lower);
    for (uint32_t i = 0; i < lower->bus.nodes.n && !lower->front->work.failed; i++)
        if (lower->bus.nodes.items[i].path)
            name_elements(lower, i, lower->bus.nodes.items[i].path, 0);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++) {
            const BusSide *a = &lower->bus.sides.items[k], *b = &lower->bus.sides.items[i];
            if (node_root(lower, a->node) != node_root(lower, b->node)) {
                if (!meets_element(lower, a, b))
                    meets_element(lower, b, a);
            } else if (a->ends.n != b->ends.n) {
                report_kinds(lower, a->ends.n, b->ends.n, b->span);
            } else if (connect_sizes_fit(lower, a->ndim, a->dim, b->ndim, b->dim, b->span, NULL)) {
                join_sides(lower, a, b, 0);
            }
        }
}

void bus_drop(Lower *lower)
{
    const LiederAllocator *alloc = lower->front->alloc;
    for (size_t i = 0; i < lower->bus.sides.n; i++)
        vec_drop(alloc, &lower->bus.sides.items[i].ends);
    vec_drop(alloc, &lower->bus.sides);
    vec_drop(alloc, &lower->bus.nodes);
}
