/* lower_stream.c - stream variables (Modelica 15): what flows with what.
 *
 * A stream variable h of a connector is what leaves its component there, if it does. inStream(c.h)
 * is what would come in: the mixture of what all others hand to the point where c is connected,
 *
 *   inStream(c.h) = sum of w_j h_j / sum of w_j    over the others
 *
 * with the flow w_j that comes from there, which is max(-m, 0) of the connector of a component, and
 * max(m, 0) of a connector of the model itself, seen from inside, where h_j = inStream(h). What
 * leaves the latter is the mixture as well. Of one other the value is its own whatever flows, and
 * nothing is divided; without any it is c.h itself. A connector whose flow has min = 0 hands over
 * nothing. Where all flows are below a threshold e = 1e-7 of the nominal flow, the weights go over
 * to e for all of them,
 *
 *   w = a w + (1 - a) e,  a = (3 - 2 s/e) (s/e)^2 with s = sum of w,  a = 1 beyond e
 *
 * which is smooth and has a value where nothing flows. inStream(h) is a variable of the cell, so
 * that it may be asked for before all connections are known.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "front/lower/lower.h"

#define FLOW_THRESHOLD 1e-7

/* one end of a stream variable in a set of connected ones */
typedef struct StreamEnd {
    uint32_t root, end;
} StreamEnd;
typedef VEC(StreamEnd) StreamEnds;

/* ------------------------------------------------------------------ variables */

uint32_t stream_flow(Lower *lower, const Member *m, SourceSpan span)
{
    Front *f = lower->front;
    Member *flow = NULL;
    size_t n = 0;
    for (size_t i = 0; i < m->inst->members.n; i++) {
        Member *other = m->inst->members.items[i];
        if (!other->component || other->prefix.connection != CONNECT_FLOW)
            continue;
        flow = other;
        n++;
    }
    if (n == 1 && member_sizes(f, flow) && flow->ndim == 0)
        return lower_variables(f, flow, span);
    report_error(f, m->component->name_span, m->inst,
                 "'%s' is a stream variable, but its connector has %s\n"
                 "a connector with stream variables has one flow variable, which is a scalar",
                 m->name, n ? "several flows" : "no flow");
    return UINT32_MAX;
}

/* inStream of a stream variable, which it gets if it has none; UINT32_MAX: memory ran out */
static uint32_t stream_in(Lower *lower, uint32_t v)
{
    Front *f = lower->front;
    char name[400];
    if (!vec_resize(f->alloc, &lower->stream_in, lower->cell.variables.n + 1))
        return UINT32_MAX;
    if (lower->stream_in.items[v])
        return lower->stream_in.items[v] - 1;
    CellVariable x = lower->cell.variables.items[v];
    snprintf(name, sizeof name, "inStream(%.380s)", x.name);
    CellVariable in = {.name = arena_text(&f->work, name, strlen(name)),
                       .place = x.place,
                       .role = CELL_UNKNOWN,
                       .select = SELECT_NEVER,
                       .length = 1,
                       .unit = x.unit,
                       .nominal = x.nominal};
    uint32_t made = in.name ? cell_add_variable(&lower->cell, in) : UINT32_MAX;
    if (made == UINT32_MAX || !lower_sync(lower))
        return UINT32_MAX;
    lower->stream_in.items[v] = made + 1;
    return made;
}

void lower_stream_starts(Lower *lower)
{
    for (size_t v = 0; v < lower->stream_in.n; v++)
        if (lower->stream_in.items[v])
            lower->cell.variables.items[lower->stream_in.items[v] - 1].start =
                lower->cell.variables.items[v].start;
}

Value lower_stream_call(Front *f, const Expr *e, Env env)
{
    Lower *lower = f->lower;
    Graph *g = &lower->cell.graph;
    const char *name = e->call->function->name;
    if (e->call->positional.n != 1 || e->call->named.n) {
        report_error(f, e->span, env.inst, "%s has one argument\nwrite %s(port.h)", name, name);
        return (Value){0};
    }
    Value a = evaluate(f, e->call->positional.items[0], env);
    if (a.kind == V_NONE)
        return a;
    Value v = value_array(f, e->span, V_REAL, a.ndim, a.dim);
    v.unit = a.unit;
    for (size_t i = 0; v.kind != V_NONE && i < v.n; i++) {
        Node node = a.kind == V_REAL ? symbolic_node(f, value_at(&a, i)) : NO_NODE;
        uint32_t variable = node ? lower_variable_of(lower, node) : UINT32_MAX;
        if (variable == UINT32_MAX || !lower->variables.items[variable].stream_flow) {
            report_error(f, e->call->positional.items[0]->span, env.inst,
                         "%s needs a stream variable of a connector\n"
                         "name one that is declared with the prefix stream",
                         name);
            return (Value){0};
        }
        uint32_t flow = lower->variables.items[variable].stream_flow - 1;
        uint32_t in = stream_in(lower, variable);
        if (in == UINT32_MAX) {
            f->work.failed = true;
            return (Value){0};
        }
        Node value = cell_variable(&lower->cell, in, 0);
        if (strcmp(name, "actualStream") == 0)
            value = node_select(g,
                                node_make(g, NODE_LESS, node_constant(g, 0),
                                          cell_variable(&lower->cell, flow, 0), NO_NODE),
                                value, node);
        Value x = value_number(V_REAL, symbolic_number(f, value));
        value_put(&v, i, &x);
    }
    return v;
}

/* ------------------------------------------------------------------ mixtures */

/* what an end hands over */
typedef struct StreamSource {
    Node value, weight;
} StreamSource;
typedef VEC(StreamSource) StreamSources;

static Node positive_part(Graph *g, Node x)
{
    return node_call(g, FUNCTION_MAX, x, node_constant(g, 0));
}

/* what the ends of a set but one hand over; those that cannot are left out */
static bool list_sources(Lower *lower, const StreamEnd *set, size_t n, size_t but,
                         StreamSources *to)
{
    Cell *cell = &lower->cell;
    for (size_t k = 0; k < n; k++) {
        uint32_t v = set[k].end / 2, flow = lower->variables.items[v].stream_flow - 1;
        bool own = set[k].end % 2;
        const CellVariable *m = &cell->variables.items[flow];
        if (k == but || (m->has_limits && (own ? m->max <= 0 : m->min >= 0)))
            continue;
        Node through = cell_variable(cell, flow, 0);
        uint32_t in = own ? stream_in(lower, v) : v;
        if (in == UINT32_MAX)
            return false;
        StreamSource s = {
            cell_variable(cell, in, 0),
            positive_part(&cell->graph, own ? through : node_negate(&cell->graph, through))};
        if (!vec_push(lower->front->alloc, to, s))
            return false;
    }
    return true;
}

/* the mixture of several, with weights that do not vanish together */
static Node mix_sources(Graph *g, const StreamSources *sources, double nominal)
{
    Node sum = node_constant(g, 0), top = sum, bottom = sum;
    Node e = node_constant(g, FLOW_THRESHOLD * (nominal > 0 ? nominal : 1));
    for (size_t k = 0; k < sources->n; k++)
        sum = node_add(g, sum, sources->items[k].weight);
    Node part = node_divide(g, sum, e);
    Node slow = node_multiply(
        g, node_subtract(g, node_constant(g, 3), node_multiply(g, node_constant(g, 2), part)),
        node_multiply(g, part, part));
    Node a = node_select(g, node_make(g, NODE_LESS, e, sum, NO_NODE), node_constant(g, 1), slow);
    Node rest = node_multiply(g, node_subtract(g, node_constant(g, 1), a), e);
    for (size_t k = 0; k < sources->n; k++) {
        const StreamSource *s = &sources->items[k];
        Node weight = node_add(g, node_multiply(g, a, s->weight), rest);
        top = node_add(g, top, node_multiply(g, weight, s->value));
        bottom = node_add(g, bottom, weight);
    }
    return node_divide(g, top, bottom);
}

static void stream_equation(Lower *lower, uint32_t variable, Node value, Place place)
{
    CellEquation e = {
        .left = cell_variable(&lower->cell, variable, 0), .right = value, .place = place};
    if (!value || !cell_add_equation(&lower->cell, e))
        lower->front->work.failed = true;
}

/* the equations of one set */
static void lower_stream_set(Lower *lower, const StreamEnd *set, size_t n)
{
    Graph *g = &lower->cell.graph;
    StreamSources sources = {0};
    for (size_t k = 0; k < n && !lower->front->work.failed; k++) {
        uint32_t v = set[k].end / 2;
        bool own = set[k].end % 2;
        if (!own && (v >= lower->stream_in.n || !lower->stream_in.items[v]))
            continue; /* nobody asks */
        sources.n = 0;
        if (!list_sources(lower, set, n, k, &sources)) {
            lower->front->work.failed = true;
            break;
        }
        uint32_t flow = lower->variables.items[v].stream_flow - 1;
        Node self = cell_variable(&lower->cell, own ? stream_in(lower, v) : v, 0);
        Node value = sources.n == 0 ? self
                     : sources.n == 1
                         ? sources.items[0].value
                         : mix_sources(g, &sources, lower->cell.variables.items[flow].nominal);
        stream_equation(lower, own ? v : lower->stream_in.items[v] - 1, value,
                        lower->join_places.items[set[k].root]);
    }
    vec_drop(lower->front->alloc, &sources);
}

static int stream_order(const void *a, const void *b)
{
    const StreamEnd *x = a, *y = b;
    uint64_t p = (uint64_t)x->root << 32 | x->end, q = (uint64_t)y->root << 32 | y->end;
    return (p > q) - (p < q);
}

/* all ends that stand in connections, sorted by sets; what own connectors hand over is asked for */
static bool list_stream_ends(Lower *lower, StreamEnds *ends)
{
    bool good = true;
    for (uint32_t end = 0; good && end < lower->joined.n; end++) {
        uint32_t root = connect_root(lower, end);
        if (!lower->variables.items[end / 2].stream_flow || !lower->join_places.items[root].line)
            continue;
        good = vec_push(lower->front->alloc, ends, (StreamEnd){root, end}) &&
               (end % 2 == 0 || stream_in(lower, end / 2) != UINT32_MAX);
    }
    if (good && ends->n)
        qsort(ends->items, ends->n, sizeof *ends->items, stream_order);
    return good;
}

void lower_streams(Lower *lower)
{
    StreamEnds ends = {0};
    if (lower->front->work.failed || !list_stream_ends(lower, &ends)) {
        lower->front->work.failed = true;
        vec_drop(lower->front->alloc, &ends);
        return;
    }
    for (size_t first = 0, last; first < ends.n; first = last) {
        for (last = first; last < ends.n && ends.items[last].root == ends.items[first].root;)
            last++;
        lower_stream_set(lower, &ends.items[first], last - first);
    }
    /* what nothing is connected to */
    for (uint32_t v = 0; v < lower->stream_in.n && !lower->front->work.failed; v++) {
        uint32_t in = lower->stream_in.items[v];
        if (!in ||
            (2 * v < lower->joined.n && lower->join_places.items[connect_root(lower, 2 * v)].line))
            continue;
        Node value = connect_is_open(lower, v) ? node_constant(&lower->cell.graph, 0.5 + 0.125 * v)
                                               : cell_variable(&lower->cell, v, 0);
        stream_equation(lower, in - 1, value, lower->cell.variables.items[v].place);
    }
    vec_drop(lower->front->alloc, &ends);
}
