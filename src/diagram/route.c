/* route.c - lines of connections that the text gives none, around the components.
 *
 * The shortest way on a grid (Dijkstra's search with the Manhattan distance as bound below: A*),
 * one connection after the other, the short ones first. A state is a point and the direction of
 * travel. Costs: a step 1, a bend, a crossing, and much for running along a line of another net;
 * lines of the same net may share their way. Components are walls, their names are costly. Memory
 * is that of the diagram.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diagram/diagram.h"

static const double PITCH = 2.5;
enum { STUB = 2, MAX_CELLS = 1000000 };
enum { STEP = 10, SHARED = 6, BEND = 60, CROSS = 35, BESIDE = 14, ALONG = 400, LABEL = 60 };

typedef enum Heading { EAST, NORTH, WEST, SOUTH } Heading;
static const int STEP_X[] = {1, 0, -1, 0}, STEP_Y[] = {0, 1, 0, -1};

typedef struct RouteCell {
    unsigned net[2]; /* of the line that runs here along x, along y; 0: none */
    bool wall, label;
} RouteCell;

typedef struct RouteEntry {
    int total, cost; /* with the bound below; without */
    unsigned state;  /* 4 cell + direction */
} RouteEntry;

typedef struct Router {
    Diagram *d;
    double x0, y0; /* of the first cell */
    int nx, ny;
    RouteCell *cells;
    int *cost;             /* (4 cells) least so far, or INT_MAX */
    unsigned char *from;   /* (4 cells) direction of the state before */
    VEC(unsigned) touched; /* states with a cost */
    VEC(RouteEntry) heap;
    size_t *net;        /* (ports) union of connected ends */
    size_t *first_port; /* (components) */
    VEC(DiagramPoint) path;
} Router;

/* ------------------------------------------------------------------ nets */

static size_t end_number(const Router *r, const DiagramEnd *e)
{
    return r->first_port[e->component] + (size_t)(e->port + 1);
}

static size_t net_of(const Router *r, size_t end)
{
    while (r->net[end] != end)
        end = r->net[end] = r->net[r->net[end]];
    return end;
}

/* lines that lead to the same ports may share their way */
static bool find_nets(Router *r)
{
    const Diagram *d = r->d;
    size_t n = 0;
    r->first_port = arena_zeroed(&r->d->arena, (d->components.n + 1) * sizeof *r->first_port);
    for (size_t i = 0; r->first_port && i < d->components.n; i++) {
        r->first_port[i] = n;
        n += d->components.items[i].ports.n + 1;
    }
    r->net = arena_zeroed(&r->d->arena, (n + 1) * sizeof *r->net);
    if (!r->first_port || !r->net)
        return false;
    for (size_t i = 0; i < n; i++)
        r->net[i] = i;
    for (size_t i = 0; i < d->connections.n; i++) {
        const DiagramConnection *c = &d->connections.items[i];
        r->net[net_of(r, end_number(r, &c->ends[0]))] = net_of(r, end_number(r, &c->ends[1]));
    }
    return true;
}

/* ------------------------------------------------------------------ the grid */

static bool inside(const Router *r, int x, int y)
{
    return x >= 0 && y >= 0 && x < r->nx && y < r->ny;
}

static RouteCell *cell_at(const Router *r, int x, int y)
{
    return &r->cells[(size_t)y * (size_t)r->nx + (size_t)x];
}

static int column_of(const Router *r, double x)
{
    return (int)lround((x - r->x0) / PITCH);
}

static int row_of(const Router *r, double y)
{
    return (int)lround((y - r->y0) / PITCH);
}

static void mark_route(const Router *r, DiagramBox b, bool wall)
{
    for (int y = (int)ceil((b.y0 - r->y0) / PITCH); y <= (int)floor((b.y1 - r->y0) / PITCH); y++)
        for (int x = (int)ceil((b.x0 - r->x0) / PITCH); x <= (int)floor((b.x1 - r->x0) / PITCH);
             x++)
            if (inside(r, x, y))
                *(wall ? &cell_at(r, x, y)->wall : &cell_at(r, x, y)->label) = true;
}

/* a grid over the diagram with the boxes of components as obstacles */
static bool make_grid(Router *r)
{
    const Diagram *d = r->d;
    DiagramBox all = {INFINITY, INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < d->components.n; i++) {
        DiagramBox b = diagram_box(&d->components.items[i]);
        all = (DiagramBox){fmin(all.x0, b.x0), fmin(all.y0, b.y0), fmax(all.x1, b.x1),
                           fmax(all.y1, b.y1)};
    }
    const double margin = 16 * PITCH;
    r->x0 = PITCH * floor(all.x0 / PITCH) - margin;
    r->y0 = PITCH * floor(all.y0 / PITCH) - margin;
    double nx = ceil((all.x1 + margin - r->x0) / PITCH),
           ny = ceil((all.y1 + margin - r->y0) / PITCH);
    if (!(nx * ny < MAX_CELLS))
        return true; /* too large: straight lines */
    r->nx = (int)nx;
    r->ny = (int)ny;
    size_t n = (size_t)r->nx * (size_t)r->ny;
    r->cells = arena_zeroed(&r->d->arena, (n) * sizeof *r->cells);
    r->cost = arena_zeroed(&r->d->arena, 4 * n * sizeof *r->cost);
    r->from = arena_zeroed(&r->d->arena, 4 * n);
    if (!r->cells || !r->cost || !r->from)
        return false;
    memset(r->cost, 0x7f, 4 * n * sizeof *r->cost);
    for (size_t i = 0; i < d->components.n; i++) {
        DiagramBox b = diagram_box(&d->components.items[i]);
        double e = d->components.items[i].connector ? 0.1 : PITCH - 0.1;
        mark_route(r, (DiagramBox){b.x0 - e, b.y0 - e, b.x1 + e, b.y1 + e}, true);
        mark_route(r, (DiagramBox){b.x0, b.y0 - 6, b.x1, b.y0}, false); /* its name */
    }
    return true;
}

/* ------------------------------------------------------------------ the heap */

static bool heap_push(Router *r, RouteEntry e)
{
    if (!vec_push(&r->d->alloc, &r->heap, e))
        return false;
    size_t i = r->heap.n - 1;
    for (; i > 0 && r->heap.items[(i - 1) / 2].total > e.total; i = (i - 1) / 2)
        r->heap.items[i] = r->heap.items[(i - 1) / 2];
    r->heap.items[i] = e;
    return true;
}

/* the cheapest entry */
static RouteEntry heap_pop(Router *r)
{
    RouteEntry first = r->heap.items[0], last = r->heap.items[--r->heap.n];
    size_t i = 0, n = r->heap.n;
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= n)
            break;
        if (child + 1 < n && r->heap.items[child + 1].total < r->heap.items[child].total)
            child++;
        if (r->heap.items[child].total >= last.total)
            break;
        r->heap.items[i] = r->heap.items[child];
        i = child;
    }
    if (n)
        r->heap.items[i] = last;
    return first;
}

/* ------------------------------------------------------------------ one search */

typedef struct Goal {
    int x, y;
    Heading into; /* the direction in which it is reached */
    unsigned net;
} Goal;

/* of a step into a cell */
static int step_cost(const Router *r, int x, int y, Heading direction, unsigned net)
{
    const RouteCell *c = cell_at(r, x, y);
    int along = direction == NORTH || direction == SOUTH, across = !along;
    int cost = c->net[along] == net ? SHARED : STEP;
    if (c->net[along] && c->net[along] != net)
        cost += ALONG;
    if (c->net[across] && c->net[across] != net)
        cost += CROSS;
    if (c->label)
        cost += LABEL;
    for (int side = -1; side <= 1; side += 2) {
        int bx = x + side * STEP_Y[direction], by = y + side * STEP_X[direction];
        if (inside(r, bx, by) && cell_at(r, bx, by)->net[along] &&
            cell_at(r, bx, by)->net[along] != net)
            cost += BESIDE;
    }
    return cost;
}

static bool reach_cell(Router *r, const Goal *goal, int x, int y, Heading d, int cost, int before)
{
    unsigned state = (unsigned)(4 * (y * r->nx + x)) + d;
    if (r->cost[state] <= cost)
        return true;
    if (r->cost[state] == 0x7f7f7f7f && !vec_push(&r->d->alloc, &r->touched, state))
        return false;
    r->cost[state] = cost;
    r->from[state] = (unsigned char)(before < 0 ? 4 : before);
    int bound = SHARED * (abs(x - goal->x) + abs(y - goal->y));
    return heap_push(r, (RouteEntry){cost + bound, cost, state});
}

/* the state in which the goal was reached, or -1; -2: no memory */
static long search_route(Router *r, int x, int y, Heading begin, const Goal *goal)
{
    r->heap.n = 0;
    if (!reach_cell(r, goal, x, y, begin, 0, -1))
        return -2;
    while (r->heap.n) {
        RouteEntry e = heap_pop(r);
        if (e.cost > r->cost[e.state])
            continue;
        Heading d = e.state % 4;
        int cx = (int)(e.state / 4) % r->nx, cy = (int)(e.state / 4) / r->nx;
        if (cx == goal->x && cy == goal->y && d == goal->into)
            return (long)e.state;
        for (Heading next = EAST; next <= SOUTH; next++) {
            if (next == (d + 2) % 4)
                continue;
            bool turn = next != d;
            /* a turn is made on the spot, a step in the direction of travel */
            int nx = turn ? cx : cx + STEP_X[d], ny = turn ? cy : cy + STEP_Y[d];
            if (!inside(r, nx, ny) || (!turn && cell_at(r, nx, ny)->wall))
                continue;
            int more = turn ? BEND : step_cost(r, nx, ny, d, goal->net);
            if (!reach_cell(r, goal, nx, ny, next, e.cost + more, (int)d))
                return -2;
        }
    }
    return -1;
}

static Heading direction_of(DiagramPoint out)
{
    return out.x > 0.5 ? EAST : out.x < -0.5 ? WEST : out.y > 0 ? NORTH : SOUTH;
}

/* the points of the way where it turns, from the goal back to the start; cells are taken */
static bool walk_back(Router *r, unsigned state, unsigned net)
{
    r->path.n = 0;
    for (;;) {
        Heading d = state % 4;
        int x = (int)(state / 4) % r->nx, y = (int)(state / 4) / r->nx;
        int before = r->from[state];
        bool turn = before < 4 && before != (int)d;
        cell_at(r, x, y)->net[d == NORTH || d == SOUTH] = net;
        if ((r->path.n == 0 || turn || before == 4) &&
            !vec_push(&r->d->alloc, &r->path, (DiagramPoint){r->x0 + x * PITCH, r->y0 + y * PITCH}))
            return false;
        if (before == 4)
            return true;
        state = turn ? (unsigned)(4 * (y * r->nx + x)) + (unsigned)before
                     : (unsigned)(4 * ((y - STEP_Y[d]) * r->nx + x - STEP_X[d])) + d;
    }
}

static void forget_route(Router *r)
{
    for (size_t i = 0; i < r->touched.n; i++)
        r->cost[r->touched.items[i]] = 0x7f7f7f7f;
    r->touched.n = 0;
}

/* ------------------------------------------------------------------ one connection */

static bool set_points(Diagram *d, DiagramConnection *c, const DiagramPoint *points, size_t n)
{
    c->points = arena_zeroed(&d->arena, n * sizeof *points);
    if (!c->points)
        return false;
    memcpy(c->points, points, n * sizeof *points);
    c->n = n;
    c->automatic = true;
    return true;
}

static bool on_line(DiagramPoint a, DiagramPoint b, DiagramPoint c)
{
    return (fabs(a.x - b.x) < 1e-9 && fabs(b.x - c.x) < 1e-9) ||
           (fabs(a.y - b.y) < 1e-9 && fabs(b.y - c.y) < 1e-9);
}

/* A line leaves its port straight: the first turn takes the coordinate of the port, which may lie
 * between two lines of the grid. */
static void straighten(DiagramPoint *turn, DiagramPoint port, DiagramPoint out)
{
    if (out.x != 0)
        turn->y = port.y;
    else
        turn->x = port.x;
}

/* The way, which was found backwards, from port to port, with its turns only. Its ends are cells in
 * front of the ports. */
static bool take_path(Router *r, DiagramConnection *c, const DiagramPoint port[2],
                      const DiagramPoint out[2])
{
    size_t n = r->path.n;
    if (!vec_resize(&r->d->alloc, &r->path, 2 * n + 4))
        return false;
    const DiagramPoint *back = r->path.items;
    DiagramPoint *p = r->path.items + n;
    p[0] = back[n - 1];
    size_t count = 1;
    for (size_t i = n - 1; i-- > 0;) {
        if (count > 1 && on_line(p[count - 2], p[count - 1], back[i]))
            count--;
        p[count++] = back[i];
    }
    /* are the first and the last cell turns, or points of a run that begins at the port? */
    DiagramPoint start = {p[0].x - out[0].x, p[0].y - out[0].y};
    DiagramPoint end = {p[count - 1].x - out[1].x, p[count - 1].y - out[1].y};
    size_t first = count > 1 && on_line(start, p[0], p[1]), last = count;
    if (count > 1 && on_line(p[count - 2], p[count - 1], end))
        last--;
    DiagramPoint m = {(port[0].x + port[1].x) / 2, (port[0].y + port[1].y) / 2};
    bool level = fabs(port[0].x - port[1].x) < 1e-9 || fabs(port[0].y - port[1].y) < 1e-9;
    if (first >= last && !level) { /* a straight way between two lines of the grid: a step */
        bool along_x = out[0].x != 0;
        DiagramPoint four[] = {
            port[0], along_x ? (DiagramPoint){m.x, port[0].y} : (DiagramPoint){port[0].x, m.y},
            along_x ? (DiagramPoint){m.x, port[1].y} : (DiagramPoint){port[1].x, m.y}, port[1]};
        return set_points(r->d, c, four, 4);
    }
    if (first >= last)
        return set_points(r->d, c, port, 2);
    straighten(&p[first], port[0], out[0]);
    straighten(&p[last - 1], port[1], out[1]);
    memmove(p + 1, p + first, (last - first) * sizeof *p);
    p[0] = port[0];
    p[1 + last - first] = port[1];
    return set_points(r->d, c, p, last - first + 2);
}

/* the way of one line with few corners and crossings, around components */
static bool route(Router *r, DiagramConnection *c)
{
    DiagramPoint out[2], port[2];
    for (int k = 0; k < 2; k++)
        port[k] = diagram_end(r->d, &c->ends[k], &out[k]);
    if (!r->cells)
        return set_points(r->d, c, port, 2);
    int x[2], y[2];
    for (int k = 0; k < 2; k++) {
        x[k] = column_of(r, port[k].x) + STUB * (int)out[k].x;
        y[k] = row_of(r, port[k].y) + STUB * (int)out[k].y;
    }
    unsigned net = 1 + (unsigned)net_of(r, end_number(r, &c->ends[0]));
    Goal goal = {x[1], y[1], (direction_of(out[1]) + 2) % 4, net};
    long state = search_route(r, x[0], y[0], direction_of(out[0]), &goal);
    bool good = state != -2;
    if (state == -1)
        good = set_points(r->d, c, port, 2);
    else if (good)
        good = walk_back(r, (unsigned)state, net) && take_path(r, c, port, out);
    forget_route(r);
    return good;
}

/* ------------------------------------------------------------------ all of them */

typedef struct Turn {
    size_t connection;
    double length;
} Turn;

static int by_length(const void *a, const void *b)
{
    const Turn *s = a, *t = b;
    return s->length != t->length          ? (s->length > t->length ? 1 : -1)
           : s->connection > t->connection ? 1
                                           : -1;
}

bool diagram_route(Diagram *d)
{
    Router r = {.d = d};
    Turn *turns = arena_zeroed(&d->arena, (d->connections.n + 1) * sizeof *turns);
    bool good = turns && find_nets(&r);
    size_t n = 0;
    for (size_t i = 0; good && i < d->connections.n; i++) {
        DiagramConnection *c = &d->connections.items[i];
        DiagramPoint out, a = diagram_end(d, &c->ends[0], &out),
                          b = diagram_end(d, &c->ends[1], &out);
        if (!c->points)
            turns[n++] = (Turn){i, fabs(a.x - b.x) + fabs(a.y - b.y)};
    }
    if (n) {
        qsort(turns, n, sizeof *turns, by_length);
        good = good && make_grid(&r);
    }
    for (size_t i = 0; good && i < n; i++)
        good = route(&r, &d->connections.items[turns[i].connection]);
    vec_drop(&d->alloc, &r.touched);
    vec_drop(&d->alloc, &r.heap);
    vec_drop(&d->alloc, &r.path);
    return good;
}
