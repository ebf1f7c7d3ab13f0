/* shapes.c - Planar.ShapeTouch and Planar.LineTouch: contact of convex shapes with each other and
 * with a straight line, with dry friction. In C because the corners are data of a model: what is
 * done with each of them is a loop, and blocks of a class in Modelica are straight lines.
 *
 * An element between two frames has opposite flows at these, so both have to be in the same place:
 * a Lever (planar.c) takes the motion of the first body to the origin of the second one. That and
 * two sensors of positions make Planar.ShapeContact and Planar.LineContact (library/Contact.mo).
 *
 * A shape is the convex hull of a few corners, made larger by a radius all around: one corner is a
 * disc, two are a capsule, three and more, counterclockwise, a polygon with rounded corners, or
 * sharp ones where the radius is zero. Corners are a table, in the axes of the frame.
 *
 * Points of contact: every corner of one shape, with its radius, against the hull of the other one.
 * Two faces that meet so touch in two points, a corner and a face in one. Where two corners meet
 * each sees the other, and each counts half. A corner outside the hull is away from it by the
 * distance to the nearest point, one inside by the (negative) distance to the nearest edge:
 *
 *   gap = distance - radius_a - radius_b,   n from a to b,   point in the middle of the overlap
 *
 * In each point with a negative gap the law of Touch (library/Planar.mo) holds, with the kinetic
 * velocities u_n and u_t of b against a and L_n = (n, q x n), L_t = (J n, q x J n), q from frame_b
 * to the point, taking a twist at frame_b to the velocity in the point:
 *
 *   along n: c gap + d u_n  [ + d_n (elastic - kinetic) ],   d_n = d + c T_D
 *   along t: f              [ + f/u_t (elastic - kinetic) ], f = N S(u_t)
 *
 * The sum over the points is a flow at frame_b, w + M U with the relative elastic twist U and
 *   M = sum (d_n L_n L_n' + d_t L_t L_t'),
 * so that a pair of shapes is one element between two frames, whatever the number of corners.
 *
 * Heat is sum (d u_n^2 + f u_t), of kinetic velocities, so that it is a signal that can leave; what
 * the element takes beyond that and the energy of its springs, c gap^2/2, is the filter's.
 */
#include <lieder/mechanics.h>

#include "library/friction.h"
#include "library/library.h"

/* ------------------------------------------------------------------ the law in a point */

enum { MAX_CORNERS = 8, POINTS = 2 * MAX_CORNERS };

/* first in the structs of both classes, so that they share members */
typedef struct Law {
    real TD, damped, c, d, mu_A, mu_S, vAdhesion, vSlide;
    real opening;                     /* least gap */
    real gap[POINTS], closed[POINTS]; /* of each corner, those of a first; 1 while it is negative */
    real N, f_t;     /* sums over the points: normal force, and friction on frame_b */
    real ux, uy, uw; /* kinetic twist of b against a */
    real stored, lossPower;
    Wrench elastic, kinetic, springs; /* the last: c gap along the normals */
    real M[6];                        /* xx, xy, yy, xt, yt, tt */
} Law;

/* before the points: the motion of b against a */
static inline void law_begin(Law *c, const Frame *a, const Frame *b)
{
    c->ux = b->vx - a->vx;
    c->uy = b->vy - a->vy;
    c->uw = b->w - a->w;
    c->N = c->f_t = REAL(0.0);
    c->stored = c->lossPower = REAL(0.0);
    c->elastic = c->kinetic = c->springs = (Wrench){REAL(0.0), REAL(0.0), REAL(0.0)};
    for (int i = 0; i < 6; i++)
        c->M[i] = REAL(0.0);
    c->opening = REAL(1e300);
    for (int i = 0; i < POINTS; i++)
        c->gap[i] = REAL(1.0);
}

/* after the points: choices of corners that there are not, which stay open */
static inline void law_end(Law *c, size_t npoint, Call call)
{
    for (size_t i = npoint; i < POINTS; i++)
        hold_choice(call, (mask)(c->gap[i] < 0.0), &c->closed[i]);
}

static inline Wrench along(real amount, Wrench L)
{
    return (Wrench){amount * L.fx, amount * L.fy, amount * L.t};
}

static inline Wrench plus(Wrench a, Wrench b)
{
    return (Wrench){a.fx + b.fx, a.fy + b.fy, a.t + b.t};
}

static inline void add_coupling(Law *c, real d, Wrench L)
{
    c->M[0] += d * L.fx * L.fx;
    c->M[1] += d * L.fx * L.fy;
    c->M[2] += d * L.fy * L.fy;
    c->M[3] += d * L.fx * L.t;
    c->M[4] += d * L.fy * L.t;
    c->M[5] += d * L.t * L.t;
}

/* Point i, at q from frame_b with the normal n, counts `share`. */
static inline void law_point(Law *c, size_t i, real qx, real qy, real nx, real ny, real gap,
                             real share, Call call)
{
    c->gap[i] = gap;
    c->opening = minimum(c->opening, gap);
    mask inside = hold_choice(call, (mask)(gap < 0.0), &c->closed[i]);
    real on = choose(inside, share, 0.0), bracket = choose(c->TD > 0.0, on * c->damped, 0.0);
    Wrench L_n = {nx, ny, qx * ny - qy * nx}, L_t = {-ny, nx, qx * nx + qy * ny};
    real approach = c->ux * L_n.fx + c->uy * L_n.fy + c->uw * L_n.t;
    real slip = c->ux * L_t.fx + c->uy * L_t.fy + c->uw * L_t.t;
    real spring = on * c->c * gap, damper = on * c->d * approach;
    real N = maximum(-(spring + damper), 0.0);
    real f = N * triple_s_function(c->vAdhesion, c->vSlide, c->mu_A, c->mu_S, slip);
    /* f/slip, and its limit at standstill */
    mask creeps = (mask)(absolute(slip) < 1e-6 * c->vAdhesion);
    real slope = choose(creeps, 1.5 * N * c->mu_A / c->vAdhesion, f / choose(creeps, 1.0, slip));
    real d_n = bracket * (c->d + c->c * c->TD), d_t = choose(bracket > 0.0, slope, 0.0);
    c->N += N;
    c->f_t -= f;
    c->stored += 0.5 * spring * gap;
    c->lossPower += damper * approach + f * slip;
    c->springs = plus(c->springs, along(spring, L_n));
    c->elastic =
        plus(c->elastic, plus(along(spring - d_n * approach, L_n), along(-d_t * slip, L_t)));
    c->kinetic = plus(c->kinetic, plus(along(damper, L_n), along(f, L_t)));
    add_coupling(c, d_n, L_n);
    add_coupling(c, d_t, L_t);
}

/* flows at both frames */
static inline void law_inward(Law *c, Frame *a, Frame *b, Call call)
{
    real Ux = b->vx_el - a->vx_el, Uy = b->vy_el - a->vy_el, Uw = b->w_el - a->w_el;
    const real *M = c->M;
    b->el = (Wrench){constant_term(c->elastic.fx) + M[0] * Ux + M[1] * Uy + M[3] * Uw,
                     constant_term(c->elastic.fy) + M[1] * Ux + M[2] * Uy + M[4] * Uw,
                     constant_term(c->elastic.t) + M[3] * Ux + M[4] * Uy + M[5] * Uw};
    b->ki = (Wrench){constant_term(c->kinetic.fx), constant_term(c->kinetic.fy),
                     constant_term(c->kinetic.t)};
    a->el = (Wrench){-b->el.fx, -b->el.fy, -b->el.t};
    a->ki = (Wrench){-b->ki.fx, -b->ki.fy, -b->ki.t};
}

static inline real power_of(Wrench w, real vx, real vy, real omega)
{
    return w.fx * vx + w.fy * vy + w.t * omega;
}

/* what goes in at both frames, without what the springs keep and without the heat, is the filter's
 */
static inline Energy law_energy(Law *c, const Frame *a, const Frame *b)
{
    real Ux = b->vx_el - a->vx_el, Uy = b->vy_el - a->vy_el, Uw = b->w_el - a->w_el;
    Wrench beyond = plus(b->el, along(REAL(-1.0), c->springs));
    real taken = power_of(beyond, Ux, Uy, Uw) + power_of(b->ki, c->ux, c->uy, c->uw);
    return (Energy){
        .potential = c->stored, .dissipated = c->lossPower, .filter = taken - c->lossPower};
}

/* ------------------------------------------------------------------ a corner and a hull */

typedef struct Pose {
    real x, y, sine, cosine;
} Pose;

static inline Pose pose_at(real x, real y, real phi)
{
    Pose p = {.x = x, .y = y};
    sine_cosine(phi, &p.sine, &p.cosine);
    return p;
}

/* what a hull answers to a point: distance, direction away from it, and whether a corner is nearest
 */
typedef struct Nearest {
    real distance, nx, ny, corner;
} Nearest;

typedef struct EdgeSearch {
    real qx, qy;              /* the point */
    real square, dx, dy, end; /* nearest of the edges: distance squared, from there, at an end */
    real height, hx, hy;      /* edge that the point is farthest above, and its normal */
} EdgeSearch;

/* one edge of a hull, from (x0, y0) to (x1, y1), which are numbers that all lanes share */
static inline void search_edge(EdgeSearch *s, double x0, double y0, double x1, double y1)
{
    double ex = x1 - x0, ey = y1 - y0, square = ex * ex + ey * ey;
    double length = __builtin_sqrt(square), over = square > 0 ? 1 / square : 0;
    double mx = length > 0 ? ey / length : 0, my = length > 0 ? -ex / length : 1;
    real px = s->qx - x0, py = s->qy - y0;
    real height = px * mx + py * my, part = (px * ex + py * ey) * over;
    real on = minimum(maximum(part, 0.0), 1.0), dx = px - on * ex, dy = py - on * ey;
    real near = dx * dx + dy * dy;
    mask nearer = (mask)(near < s->square), higher = (mask)(height > s->height);
    s->square = choose(nearer, near, s->square);
    s->dx = choose(nearer, dx, s->dx);
    s->dy = choose(nearer, dy, s->dy);
    s->end = choose(nearer, choose((mask)(part > 0.0) & (mask)(part < 1.0), 0.0, 1.0), s->end);
    s->height = choose(higher, height, s->height);
    s->hx = choose(higher, REAL(mx), s->hx);
    s->hy = choose(higher, REAL(my), s->hy);
}

/* the hull of a table against a point of the world; the answer is in the axes of the world */
static inline Nearest hull_nearest(const LiederTable *hull, Pose at, real x, real y)
{
    size_t n = hull->rows, edges = n > 2 ? n : 1;
    const double *v = hull->data;
    real gx = x - at.x, gy = y - at.y;
    EdgeSearch s = {.qx = at.cosine * gx + at.sine * gy,
                    .qy = at.cosine * gy - at.sine * gx,
                    .square = REAL(1e300),
                    .height = REAL(-1e300)};
    for (size_t i = 0; i < edges; i++) {
        const double *to = v + 2 * ((i + 1) % n);
        search_edge(&s, v[2 * i], v[2 * i + 1], to[0], to[1]);
    }
    real far = square_root(s.square);
    mask inside = n > 2 ? (mask)(s.height <= 0.0) : (mask)(s.square < 0.0);
    mask flat = inside | (mask)(far < 1e-150);
    real divisor = choose(flat, 1.0, far);
    real nx = choose(flat, s.hx, s.dx / divisor), ny = choose(flat, s.hy, s.dy / divisor);
    return (Nearest){.distance = choose(inside, s.height, far),
                     .nx = at.cosine * nx - at.sine * ny,
                     .ny = at.sine * nx + at.cosine * ny,
                     .corner = choose(flat, 0.0, s.end)};
}

/* ------------------------------------------------------------------ ShapeTouch */

typedef struct ShapeTouch {
    Law law;
    TableSlot shape_a, shape_b;
    real radius_a, radius_b;
} ShapeTouch;

/* All corners of one shape against the hull of the other; side: 1 for corners of b, -1 of a. Their
 * points are numbered from `first` on; returns the next number. */
static inline size_t add_corners(ShapeTouch *c, size_t first, const LiederTable *corners, Pose own,
                                 const LiederTable *hull, Pose other, double side, const Frame *b,
                                 Call call)
{
    real radius = side > 0 ? c->radius_b : c->radius_a;
    for (size_t i = 0; i < corners->rows; i++) {
        const double *v = corners->data + 2 * i;
        real x = own.x + own.cosine * v[0] - own.sine * v[1];
        real y = own.y + own.sine * v[0] + own.cosine * v[1];
        Nearest near = hull_nearest(hull, other, x, y);
        real gap = near.distance - c->radius_a - c->radius_b, back = radius + 0.5 * gap;
        real share = corners->rows > 1 ? 1.0 - 0.5 * near.corner : REAL(1.0);
        law_point(&c->law, first + i, x - back * near.nx - b->x, y - back * near.ny - b->y,
                  side * near.nx, side * near.ny, gap, share, call);
    }
    return first + corners->rows;
}

/* the deepest corner of each shape in the other, and the force there */
static inline void shape_explicit(ShapeTouch *c, Frame *a, Frame *b, Signal *x, Signal *y,
                                  Signal *loss, Call call)
{
    const LiederTable *hull_a = c->shape_a.table, *hull_b = c->shape_b.table;
    Pose at_a = pose_at(x->y, y->y, a->phi), at_b = pose_at(b->x, b->y, b->phi);
    law_begin(&c->law, a, b);
    /* a disc is one corner: the other shape's corners would see the same point again */
    size_t n = 0;
    if (hull_a->rows == 1 || hull_b->rows > 1)
        n = add_corners(c, n, hull_a, at_a, hull_b, at_b, -1, b, call);
    if (hull_a->rows > 1)
        n = add_corners(c, n, hull_b, at_b, hull_a, at_a, 1, b, call);
    law_end(&c->law, n, call);
    loss->y = c->law.lossPower;
}

static inline void shape_inward(ShapeTouch *c, Frame *a, Frame *b, Signal *x, Signal *y,
                                Signal *loss, Call call)
{
    (void)x;
    (void)y;
    (void)loss;
    law_inward(&c->law, a, b, call);
}

static inline Energy shape_energy(ShapeTouch *c, Frame *a, Frame *b, Signal *x, Signal *y,
                                  Signal *loss, Call call)
{
    (void)x;
    (void)y;
    (void)loss;
    (void)call;
    return law_energy(&c->law, a, b);
}

#define CLASS    ShapeTouch
#define PORTS(X) X(0, IN, Frame) X(1, IN, Frame) X(2, IN, Signal) X(3, IN, Signal) X(4, OUT, Signal)
#define EXPLICIT shape_explicit
#define INWARD   shape_inward
#define ENERGY   shape_energy
#include <lieder/kernels.inc>

/* ------------------------------------------------------------------ LineTouch */

/* the corners of a shape at frame_b against a line through frame_a with the normal n */
typedef struct LineTouch {
    Law law;
    TableSlot shape;
    real radius, n[2];
    real length; /* of n */
} LineTouch;

static inline void line_constant(LineTouch *c)
{
    c->length = square_root(c->n[0] * c->n[0] + c->n[1] * c->n[1]);
}

/* the corners of a shape that are behind a line */
static inline void line_explicit(LineTouch *c, Frame *a, Frame *b, Signal *x, Signal *y,
                                 Signal *loss, Call call)
{
    const LiederTable *corners = c->shape.table;
    Pose line = pose_at(x->y, y->y, a->phi), at = pose_at(b->x, b->y, b->phi);
    real nx = (line.cosine * c->n[0] - line.sine * c->n[1]) / c->length;
    real ny = (line.sine * c->n[0] + line.cosine * c->n[1]) / c->length;
    law_begin(&c->law, a, b);
    for (size_t i = 0; i < corners->rows; i++) {
        const double *v = corners->data + 2 * i;
        real qx = at.cosine * v[0] - at.sine * v[1], qy = at.sine * v[0] + at.cosine * v[1];
        real gap = nx * (at.x - line.x + qx) + ny * (at.y - line.y + qy) - c->radius;
        real back = c->radius + 0.5 * gap;
        law_point(&c->law, i, qx - back * nx, qy - back * ny, nx, ny, gap, REAL(1.0), call);
    }
    law_end(&c->law, corners->rows, call);
    loss->y = c->law.lossPower;
}

static inline void line_inward(LineTouch *c, Frame *a, Frame *b, Signal *x, Signal *y, Signal *loss,
                               Call call)
{
    (void)x;
    (void)y;
    (void)loss;
    law_inward(&c->law, a, b, call);
}

static inline Energy line_energy(LineTouch *c, Frame *a, Frame *b, Signal *x, Signal *y,
                                 Signal *loss, Call call)
{
    (void)x;
    (void)y;
    (void)loss;
    (void)call;
    return law_energy(&c->law, a, b);
}

#define CLASS    LineTouch
#define PORTS(X) X(0, IN, Frame) X(1, IN, Frame) X(2, IN, Signal) X(3, IN, Signal) X(4, OUT, Signal)
#define CONSTANT line_constant
#define EXPLICIT line_explicit
#define INWARD   line_inward
#define ENERGY   line_energy
#include <lieder/kernels.inc>

#ifndef LIEDER_BLOCKS_ONLY
/* ------------------------------------------------------------------ the classes */

static const LiederPortDef touch_ports[] = {
    PORT_IN("frame_a", lieder_planar, "moves with the first body, where frame_b is"),
    PORT_IN("frame_b", lieder_planar, "the second body"),
    PORT_INPUT("x", "where the first body is"), PORT_INPUT("y", "where the first body is"),
    PORT_OUTPUT("lossPower", "heat of damping and friction in W")};

#define CORNERS(class_, field)                                                                     \
    TABLE(class_, field, "m", "corners: one for a disc, two for a capsule, more counterclockwise")
#define RADIUS(class_, field)                                                                      \
    PARAMETER(class_, field, "m", 0, AT_LEAST(0), "around the corners: 0 is sharp")
/* TD and damped come first: see law_couples */
#define LAW_MEMBERS                                                                                \
    TD_MEMBER(Law), DAMPED_MEMBER(Law), PARAMETER(Law, c, "N/m", NAN, AT_LEAST(0), "stiffness"),   \
        PARAMETER(Law, d, "N.s/m", 0, AT_LEAST(0), "damping"),                                     \
        PARAMETER(Law, mu_A, "1", 0, AT_LEAST(0), "friction coefficient at adhesion"),             \
        PARAMETER(Law, mu_S, "1", 0, AT_LEAST(0), "friction coefficient at sliding"),              \
        PARAMETER(Law, vAdhesion, "m/s", 1e-3, AT_LEAST(1e-300), "velocity of highest friction"),  \
        PARAMETER(Law, vSlide, "m/s", 1e-2, AT_LEAST(0), "velocity where sliding is reached")
#define POINT(i)                                                                                   \
    {                                                                                              \
        .kind = LIEDER_CROSSING, .name = "gap_" #i, .unit = "m",                                   \
        .index = LIEDER_AT(Law, gap[i - 1]), .other = LIEDER_AT(Law, closed[i - 1]),               \
        .other_name = "closed_" #i, .crossing = LIEDER_EDGE, .text = "negative in contact"         \
    }
#define LAW_RESULTS                                                                                \
    OBSERVABLE(Law, N, "N", "normal forces, added over the points of contact"),                    \
        OBSERVABLE(Law, f_t, "N", "friction on frame_b across the normals, added"),                \
        OBSERVABLE(Law, opening, "m", "least gap: negative in contact"), POINT(1), POINT(2),       \
        POINT(3), POINT(4), POINT(5), POINT(6), POINT(7), POINT(8), POINT(9), POINT(10),           \
        POINT(11), POINT(12), POINT(13), POINT(14), POINT(15), POINT(16)

static const LiederMember shape_members[] = {LAW_MEMBERS,
                                             CORNERS(ShapeTouch, shape_a),
                                             CORNERS(ShapeTouch, shape_b),
                                             RADIUS(ShapeTouch, radius_a),
                                             RADIUS(ShapeTouch, radius_b),
                                             LAW_RESULTS};
static const LiederMember line_members[] = {
    LAW_MEMBERS, CORNERS(LineTouch, shape), RADIUS(LineTouch, radius),
    PARAMETER(LineTouch, n, "1", NAN, ANY, "normal of the line in the axes of frame_a"),
    LAW_RESULTS};

static bool law_couples(const double *parameters)
{
    return parameters[0] > 0 && parameters[1] > 0; /* TD and damped: the bracket may not be zero */
}

static const char *law_check(const double *parameters)
{
    return parameters[7] > parameters[6]
               ? NULL
               : "the velocity of sliding must be greater than the velocity of adhesion";
}

/* the tables stand between the parameters of the law and these: see line_members */
static const char *line_check(const double *parameters)
{
    return parameters[10] != 0 || parameters[11] != 0 ? law_check(parameters)
                                                      : "the normal n must not be zero";
}

/* every corner is on the left of every edge */
static const char *corners_check(const LiederTable *table, size_t *row)
{
    size_t n = table->rows;
    const double *v = table->data;
    if (n > MAX_CORNERS) {
        *row = MAX_CORNERS;
        return "a shape has at most 8 corners";
    }
    for (size_t i = 0; i < n && n > 1; i++) {
        const double *to = v + 2 * ((i + 1) % n);
        *row = i;
        if (to[0] == v[2 * i] && to[1] == v[2 * i + 1])
            return "the next corner is the same: leave out one";
    }
    for (size_t i = 0; i < n && n > 2; i++) {
        const double *from = v + 2 * i, *to = v + 2 * ((i + 1) % n);
        double ex = to[0] - from[0], ey = to[1] - from[1];
        *row = i;
        for (size_t k = 0; k < n; k++)
            if (k != i && k != (i + 1) % n &&
                !(ex * (v[2 * k + 1] - from[1]) - ey * (v[2 * k] - from[0]) > 0))
                return "the edge that begins here does not have all corners on its left: the shape "
                       "must be convex and its corners go counterclockwise";
    }
    return NULL;
}

static const LiederClassDef classes[] = {
    LIBRARY_CLASS("Planar.ShapeTouch", "Force between two convex shapes: a part of ShapeContact",
                  touch_ports, shape_members, ShapeTouch_kernels, .couples = law_couples,
                  .check = law_check, .check_table = corners_check),
    LIBRARY_CLASS("Planar.LineTouch",
                  "Force between a convex shape and a straight line: a part of LineContact",
                  touch_ports, line_members, LineTouch_kernels, .couples = law_couples,
                  .check = line_check, .check_table = corners_check),
};

const LiederClassList LIEDER_SYMBOL(library_shapes) = {LIEDER_COUNT(classes), classes};
#endif
