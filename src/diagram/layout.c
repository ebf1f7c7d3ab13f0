/* layout.c - places for components that the text gives none.
 *
 * A layered drawing (Sugiyama, Tagawa, Toda 1981), with the sides of connectors as guide: what
 * hangs at a right side comes in a later column than its partner, what hangs at the same side may
 * share its column. Per group of connected components:
 *
 *   1. columns: the longest way from a source, cycles cut by depth-first search;
 *   2. order in a column: barycentres of the partners, forwards and backwards;
 *   3. heights: each wants the mean height of its partners; within a column the least squares of
 *      these aims under a least distance (pool adjacent violators), a few rounds of it.
 *
 * Elements that act on the flange of one joint alone stand above it. Groups stand below each other,
 * single components in a row above all.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diagram/diagram.h"

enum { SWEEPS = 12, ROUNDS = 16 };
static const double HALF = 10;   /* a component has 20 units */
static const double COLUMN = 42; /* from column to column */
static const double ROW = 32;    /* least distance in a column */
static const double ABOVE = 30;  /* from a joint to what acts on its flange */
static const double GRID = 5;

typedef struct Edge {
    size_t from, to; /* nodes */
    double lift;     /* height of the port of `from` above its centre, less that of `to` */
    int length;      /* columns between them, at least */
    bool cut;        /* against the order */
} Edge;

typedef struct LayoutNode {
    bool free;      /* to be placed */
    bool alone;     /* no connections */
    ptrdiff_t host; /* stands above this one; -1: none */
    size_t above;   /* how many stand above it */
    int group, column, state;
    double order, y;
} LayoutNode;

typedef struct DiagramLayout {
    Diagram *d;
    LayoutNode *nodes;
    size_t n;
    VEC(Edge) edges;
    VEC(size_t) list, finished; /* nodes of a group; in the order in which they were finished */
    size_t *sorted;             /* (n) those of a column */
    double *aim, *weight, *mean;
    size_t *size;
} DiagramLayout;

/* ------------------------------------------------------------------ ends of connections */

DiagramBox diagram_box(const DiagramComponent *c)
{
    DiagramBox b = {INFINITY, INFINITY, -INFINITY, -INFINITY};
    for (int k = 0; k < 4; k++) {
        DiagramPoint p = diagram_map(&c->map, k & 1 ? 100 : -100, k & 2 ? 100 : -100);
        b = (DiagramBox){fmin(b.x0, p.x), fmin(b.y0, p.y), fmax(b.x1, p.x), fmax(b.y1, p.y)};
    }
    return b;
}

/* along the axis in which a vector is longest */
static DiagramPoint along_axis(double x, double y)
{
    if (fabs(x) >= fabs(y))
        return (DiagramPoint){x < 0 ? -1 : 1, 0};
    return (DiagramPoint){0, y < 0 ? -1 : 1};
}

DiagramPoint diagram_end(const Diagram *d, const DiagramEnd *end, DiagramPoint *direction)
{
    const DiagramComponent *c = &d->components.items[end->component];
    DiagramPoint centre = {c->map.x, c->map.y}, p = centre;
    if (end->port >= 0) {
        const DiagramPort *port = &c->ports.items[end->port];
        p = diagram_map(&c->map, port->map.x, port->map.y);
        *direction = along_axis(p.x - centre.x, p.y - centre.y);
    } else {
        /* a connector of the model: an input points inwards, so its tip leads on */
        DiagramPoint tip = diagram_map(&c->map, 100, 0);
        *direction = along_axis(tip.x - centre.x, tip.y - centre.y);
    }
    return p;
}

/* the same in the icon itself, before it has a place */
static DiagramPoint port_in_icon(const Diagram *d, const DiagramEnd *end, DiagramPoint *direction)
{
    const DiagramComponent *c = &d->components.items[end->component];
    if (end->port < 0) {
        *direction = (DiagramPoint){1, 0};
        return (DiagramPoint){0, 0};
    }
    const DiagramMap *m = &c->ports.items[end->port].map;
    *direction = along_axis(m->x, m->y);
    return (DiagramPoint){m->x * HALF / 100, m->y * HALF / 100};
}

/* ------------------------------------------------------------------ the graph */

/* elements at the flanges of a joint: all that they are connected to lies at its upper side */
static void find_hosts(DiagramLayout *l)
{
    const Diagram *d = l->d;
    for (size_t i = 0; i < l->n; i++)
        l->nodes[i].host = l->nodes[i].free ? -2 : -1; /* -2: nobody yet */
    for (size_t i = 0; i < d->connections.n; i++)
        for (int k = 0; k < 2; k++) {
            const DiagramEnd *self = &d->connections.items[i].ends[k];
            const DiagramEnd *other = &d->connections.items[i].ends[!k];
            LayoutNode *node = &l->nodes[self->component];
            DiagramPoint out;
            port_in_icon(d, other, &out);
            bool upper = out.y > 0 && self->component != other->component &&
                         d->components.items[other->component].ports.n > 2;
            if (node->host == -2 && upper)
                node->host = (ptrdiff_t)other->component;
            else if (node->host >= 0 && !(upper && node->host == (ptrdiff_t)other->component))
                node->host = -1;
            else if (node->host == -2)
                node->host = -1;
        }
    for (size_t i = 0; i < l->n; i++) {
        LayoutNode *node = &l->nodes[i];
        if (node->host == -2)
            node->alone = node->free;
        if (node->host < 0 || l->nodes[node->host].host >= 0 || !l->nodes[node->host].free)
            node->host = -1;
        else
            l->nodes[node->host].above++;
    }
}

/* connections as edges from the left to the right */
static bool find_edges(DiagramLayout *l)
{
    const Diagram *d = l->d;
    for (size_t i = 0; i < d->connections.n; i++) {
        const DiagramEnd *a = &d->connections.items[i].ends[0];
        const DiagramEnd *b = &d->connections.items[i].ends[1];
        if (a->component == b->component || !l->nodes[a->component].free ||
            !l->nodes[b->component].free || l->nodes[a->component].host >= 0 ||
            l->nodes[b->component].host >= 0)
            continue;
        DiagramPoint out_a, out_b;
        DiagramPoint pa = port_in_icon(d, a, &out_a), pb = port_in_icon(d, b, &out_b);
        bool back = (out_a.x < 0 && out_b.x >= 0) || (out_a.x == 0 && out_b.x > 0);
        Edge e = {.from = back ? b->component : a->component,
                  .to = back ? a->component : b->component,
                  .lift = back ? pb.y - pa.y : pa.y - pb.y,
                  .length = out_a.x * out_b.x > 0 ? 0 : 1};
        if (!vec_push(&l->d->alloc, &l->edges, e))
            return false;
    }
    return true;
}

/* everything that hangs together with node i gets its number */
static bool find_group(DiagramLayout *l, size_t i, int group)
{
    l->list.n = 0;
    l->nodes[i].group = group;
    if (!vec_push(&l->d->alloc, &l->list, i))
        return false;
    for (size_t at = 0; at < l->list.n; at++)
        for (size_t k = 0; k < l->edges.n; k++) {
            const Edge *e = &l->edges.items[k];
            size_t self = l->list.items[at];
            size_t other = e->from == self ? e->to : e->to == self ? e->from : self;
            if (l->nodes[other].group != group) {
                l->nodes[other].group = group;
                if (!vec_push(&l->d->alloc, &l->list, other))
                    return false;
            }
        }
    return true;
}

/* ------------------------------------------------------------------ columns */

enum { STATE_NEW, STATE_BUSY, STATE_DONE };

/* depth first; edges that lead back are cut */
static bool visit_box(DiagramLayout *l, size_t i)
{
    l->nodes[i].state = STATE_BUSY;
    for (size_t k = 0; k < l->edges.n; k++) {
        Edge *e = &l->edges.items[k];
        if (e->from != i)
            continue;
        if (l->nodes[e->to].state == STATE_BUSY)
            e->cut = true;
        else if (l->nodes[e->to].state == STATE_NEW && !visit_box(l, e->to))
            return false;
    }
    l->nodes[i].state = STATE_DONE;
    return vec_push(&l->d->alloc, &l->finished, i);
}

static bool has_edge_to(const DiagramLayout *l, size_t i)
{
    for (size_t k = 0; k < l->edges.n; k++)
        if (l->edges.items[k].to == i)
            return true;
    return false;
}

/* columns by the longest way from a source; edges that go back are left out */
static bool find_columns(DiagramLayout *l)
{
    l->finished.n = 0;
    for (int sources = 1; sources >= 0; sources--)
        for (size_t i = 0; i < l->list.n; i++) {
            size_t node = l->list.items[i];
            if (l->nodes[node].state == STATE_NEW && (!sources || !has_edge_to(l, node)) &&
                !visit_box(l, node))
                return false;
        }
    for (size_t i = l->finished.n; i-- > 0;) /* sources first */
        for (size_t k = 0; k < l->edges.n; k++) {
            const Edge *e = &l->edges.items[k];
            if (e->from != l->finished.items[i] || e->cut)
                continue;
            int least = l->nodes[e->from].column + e->length;
            if (l->nodes[e->to].column < least)
                l->nodes[e->to].column = least;
        }
    /* a source stands next to what it drives */
    for (size_t i = 0; i < l->finished.n; i++) {
        size_t node = l->finished.items[i];
        int most = 1 << 20;
        for (size_t k = 0; k < l->edges.n; k++) {
            const Edge *e = &l->edges.items[k];
            if (e->from == node && !e->cut && l->nodes[e->to].column - e->length < most)
                most = l->nodes[e->to].column - e->length;
        }
        if (!has_edge_to(l, node) && most < 1 << 20)
            l->nodes[node].column = most;
    }
    return true;
}

/* ------------------------------------------------------------------ order and heights */

/* the nodes of a column in their order; how many */
static size_t column_nodes(DiagramLayout *l, int column)
{
    size_t n = 0;
    for (size_t i = 0; i < l->list.n; i++) {
        size_t node = l->list.items[i];
        if (l->nodes[node].column != column)
            continue;
        size_t at = n++;
        for (; at > 0 && l->nodes[l->sorted[at - 1]].order > l->nodes[node].order; at--)
            l->sorted[at] = l->sorted[at - 1];
        l->sorted[at] = node;
    }
    return n;
}

typedef enum Aim { AIM_ORDER, AIM_HEIGHT, AIM_HEIGHT_BEFORE } Aim;

/* mean of what the partners of a node have: their order, or the height that would make a straight
 * line, to all or to those in earlier columns; its own if it has none */
static double mean_of_partners(const DiagramLayout *l, size_t i, Aim aim)
{
    bool height = aim != AIM_ORDER;
    double sum = 0, beside = 0;
    int n = 0, nbeside = 0;
    for (size_t k = 0; k < l->edges.n; k++) {
        const Edge *e = &l->edges.items[k];
        if (e->from != i && e->to != i)
            continue;
        const LayoutNode *other = &l->nodes[e->from == i ? e->to : e->from];
        if (height && other->column == l->nodes[i].column) {
            beside += other->y;
            nbeside++;
            continue;
        }
        if (aim == AIM_HEIGHT_BEFORE && other->column > l->nodes[i].column)
            continue;
        sum += height ? other->y + (e->from == i ? -e->lift : e->lift) : other->order;
        n++;
    }
    if (n)
        return sum / n;
    if (aim == AIM_HEIGHT && nbeside)
        return beside / nbeside;
    return height ? l->nodes[i].y : l->nodes[i].order;
}

/* order within the columns by the means of neighbours, sweep by sweep */
static void find_order(DiagramLayout *l, int ncolumn)
{
    for (size_t i = 0; i < l->list.n; i++)
        l->nodes[l->list.items[i]].order = (double)i;
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int k = 0; k < ncolumn; k++) {
            int column = sweep % 2 ? ncolumn - 1 - k : k;
            size_t n = column_nodes(l, column);
            for (size_t i = 0; i < n; i++)
                l->aim[i] = mean_of_partners(l, l->sorted[i], AIM_ORDER);
            for (size_t i = 0; i < n; i++)
                l->nodes[l->sorted[i]].order = l->aim[i];
            n = column_nodes(l, column);
            for (size_t i = 0; i < n; i++) /* evenly, so that columns are comparable */
                l->nodes[l->sorted[i]].order = ((double)i + 0.5) / (double)n;
        }
}

/* Heights of a column from the top down: least squares of the aims with a least distance. With
 * z = y + what must lie above, the heights z fall monotonically: pool adjacent violators. */
static void place_column(DiagramLayout *l, int column, Aim aim)
{
    size_t n = column_nodes(l, column), pools = 0;
    double offset = 0;
    for (size_t i = 0; i < n; i++) {
        const LayoutNode *node = &l->nodes[l->sorted[i]];
        offset += i ? ROW + ABOVE * (double)node->above : 0;
        l->weight[i] = offset;
        l->mean[pools] = mean_of_partners(l, l->sorted[i], aim) + offset;
        l->size[pools++] = 1;
        while (pools > 1 && l->mean[pools - 2] < l->mean[pools - 1]) {
            size_t a = l->size[pools - 2], b = l->size[pools - 1];
            l->mean[pools - 2] =
                (l->mean[pools - 2] * (double)a + l->mean[pools - 1] * (double)b) / (double)(a + b);
            l->size[pools - 2] = a + b;
            pools--;
        }
    }
    for (size_t pool = 0, i = 0; pool < pools; pool++)
        for (size_t k = 0; k < l->size[pool]; k++, i++)
            l->nodes[l->sorted[i]].y = l->mean[pool] - l->weight[i];
}

/* heights that keep the order and make lines straight */
static void find_heights(DiagramLayout *l, int ncolumn)
{
    for (size_t i = 0; i < l->list.n; i++)
        l->nodes[l->list.items[i]].y = -ROW * l->nodes[l->list.items[i]].order;
    for (int round = 0; round < ROUNDS; round++)
        for (int k = 0; k < ncolumn; k++)
            place_column(l, round % 2 ? ncolumn - 1 - k : k, AIM_HEIGHT);
    for (int k = 1; k < ncolumn; k++) /* chains become straight */
        place_column(l, k, AIM_HEIGHT_BEFORE);
    for (int k = 0; k < ncolumn; k++) {
        size_t n = column_nodes(l, k);
        for (size_t i = 0; i < n; i++)
            l->nodes[l->sorted[i]].y = GRID * round(l->nodes[l->sorted[i]].y / GRID);
    }
}

/* ------------------------------------------------------------------ all of it */

static void put_at(DiagramLayout *l, size_t i, double x, double y)
{
    l->d->components.items[i].map = diagram_placement(
        (DiagramPoint){-HALF, -HALF}, (DiagramPoint){HALF, HALF}, 0, (DiagramPoint){x, y});
}

/* those that stand above a joint */
static void put_above(DiagramLayout *l, size_t host, double x, double y)
{
    double at = y;
    for (size_t i = 0; i < l->n; i++)
        if (l->nodes[i].host == (ptrdiff_t)host)
            put_at(l, i, x, at += ABOVE);
}

/* a group below `top`; returns where it ends. Gaps between columns grow with the lines in them. */
static double put_group(DiagramLayout *l, double left, double top, int ncolumn)
{
    double highest = -INFINITY, lowest = INFINITY, x = left + HALF;
    for (size_t i = 0; i < l->list.n; i++) {
        const LayoutNode *node = &l->nodes[l->list.items[i]];
        highest = fmax(highest, node->y + ABOVE * (double)node->above);
        lowest = fmin(lowest, node->y);
    }
    double down = top - HALF - highest;
    for (int column = 0; column < ncolumn; column++) {
        size_t lines = 0;
        for (size_t i = 0; i < l->list.n; i++) {
            size_t node = l->list.items[i];
            if (l->nodes[node].column != column)
                continue;
            put_at(l, node, x, l->nodes[node].y + down);
            put_above(l, node, x, l->nodes[node].y + down);
        }
        for (size_t k = 0; k < l->edges.n; k++)
            lines += l->nodes[l->edges.items[k].from].group == l->nodes[l->list.items[0]].group &&
                     l->nodes[l->edges.items[k].from].column == column;
        x += COLUMN + GRID * floor(fmin(fmax((double)lines - 3, 0), 10) / 2);
    }
    return lowest + down - HALF - 14;
}

/* what hangs together, at the left edge and below what was placed before */
static bool layout_group(DiagramLayout *l, size_t first, int group, double left, double *top)
{
    if (!find_group(l, first, group) || !find_columns(l))
        return false;
    int least = 1 << 20, ncolumn = 0;
    for (size_t i = 0; i < l->list.n; i++)
        if (l->nodes[l->list.items[i]].column < least)
            least = l->nodes[l->list.items[i]].column;
    for (size_t i = 0; i < l->list.n; i++) {
        LayoutNode *node = &l->nodes[l->list.items[i]];
        node->column -= least;
        if (node->column >= ncolumn)
            ncolumn = node->column + 1;
    }
    find_order(l, ncolumn);
    find_heights(l, ncolumn);
    *top = put_group(l, left, *top, ncolumn);
    return true;
}

/* where automatic places begin: below all that the text has placed */
static void find_corner(const DiagramLayout *l, double *left, double *top)
{
    double x = INFINITY, y = INFINITY;
    for (size_t i = 0; i < l->n; i++) {
        if (l->nodes[i].free)
            continue;
        DiagramBox b = diagram_box(&l->d->components.items[i]);
        x = fmin(x, b.x0);
        y = fmin(y, b.y0);
    }
    *left = isfinite(x) ? GRID * round(x / GRID) : 0;
    *top = isfinite(y) ? GRID * floor((y - 20) / GRID) : 0;
}

/* components without a place, beside those that have one */
static bool place_all(DiagramLayout *l)
{
    double left, top, x;
    find_hosts(l);
    if (!find_edges(l))
        return false;
    find_corner(l, &left, &top);
    bool any = false;
    x = left + HALF;
    for (size_t i = 0; i < l->n; i++)
        if (l->nodes[i].alone) {
            put_at(l, i, x, top - HALF);
            x += COLUMN;
            any = true;
        }
    if (any)
        top -= 2 * HALF + 20;
    int group = 0;
    for (size_t i = 0; i < l->n; i++) {
        const LayoutNode *node = &l->nodes[i];
        if (node->free && !node->alone && node->host < 0 && node->group == 0 &&
            !layout_group(l, i, ++group, left, &top))
            return false;
    }
    return true;
}

bool diagram_layout(Diagram *d)
{
    size_t n = d->components.n, room = n + 1;
    DiagramLayout l = {.d = d, .n = n};
    l.nodes = arena_zeroed(&d->arena, (room) * sizeof *l.nodes);
    l.sorted = arena_zeroed(&d->arena, (room) * sizeof *l.sorted);
    l.size = arena_zeroed(&d->arena, (room) * sizeof *l.size);
    l.aim = arena_zeroed(&d->arena, (3 * room) * sizeof *l.aim);
    bool good = l.nodes && l.sorted && l.size && l.aim, any = false;
    for (size_t i = 0; good && i < n; i++)
        any |= l.nodes[i].free = !d->components.items[i].placed;
    if (good) {
        l.weight = l.aim + room;
        l.mean = l.weight + room;
    }
    if (good && any)
        good = place_all(&l);
    vec_drop(&d->alloc, &l.edges);
    vec_drop(&d->alloc, &l.list);
    vec_drop(&d->alloc, &l.finished);
    return good && diagram_route(d);
}
