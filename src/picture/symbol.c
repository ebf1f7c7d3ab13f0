/* symbol.c - the symbols of components: the table from class names to symbols.
 *
 * A symbol draws one component in one frame from the poses of its ports. It must give the same
 * number of shapes and points in every frame, since an animation moves them. Lengths are multiples
 * of part->unit, a fiftieth of the scene.
 */
#include <math.h>
#include <string.h>

#include "picture/picture.h"

enum {
    DARK = 0x333333,
    STEEL = 0x5b6b7a,
    BODY = 0x0072b2,
    CART = 0xdfe7ee,
    SPRING = 0x009e73,
    THREAD = 0xd55e00,
    PALE = 0xb8b8b8,
    SHAPE = 0xeef3f7,
    WHITE = 0xffffff
};

/* a point given in the axes of a pose */
static void put_from(Scene *s, SymbolPose p, double x, double y)
{
    double k = cos(p.phi), n = sin(p.phi);
    scene_point(s, p.x + k * x - n * y, p.y + n * x + k * y);
}

/* the pose of the first port turned until x points to the second */
static SymbolPose towards(const SymbolPart *part, double *length)
{
    double dx = part->pose[1].x - part->pose[0].x, dy = part->pose[1].y - part->pose[0].y;
    *length = hypot(dx, dy);
    return (SymbolPose){part->pose[0].x, part->pose[0].y, atan2(dy, dx)};
}

static void put_box(Scene *s, SymbolPose p, double half_length, double half_height, unsigned fill)
{
    scene_shape(s, SCENE_AREA, DARK, fill, 1.2);
    put_from(s, p, -half_length, -half_height);
    put_from(s, p, half_length, -half_height);
    put_from(s, p, half_length, half_height);
    put_from(s, p, -half_length, half_height);
    put_from(s, p, -half_length, -half_height);
}

/* ------------------------------------------------------------------ symbols */

/* a bar with strokes on the far side: below the frame, or left of a flange */
static void put_hatch(Scene *s, SymbolPose p, double u)
{
    scene_shape(s, SCENE_LINE, DARK, 0, 1.6);
    put_from(s, p, -2 * u, 0);
    put_from(s, p, 2 * u, 0);
    for (int i = 0; i < 5; i++) {
        scene_shape(s, SCENE_LINE, DARK, 0, 0.9);
        put_from(s, p, (i - 1.5) * 0.8 * u, 0);
        put_from(s, p, (i - 2.3) * 0.8 * u, -0.9 * u);
    }
}

static void draw_ground(Scene *s, const SymbolPart *part)
{
    put_hatch(s, part->pose[0], part->unit);
}

static void draw_wall(Scene *s, const SymbolPart *part)
{
    SymbolPose p = part->pose[0];
    p.phi -= acos(-1) / 2;
    put_hatch(s, p, part->unit);
}

/* as large as its mass, by volume */
static void draw_body(Scene *s, const SymbolPart *part)
{
    double radius = part->unit * fmax(0.45, 1.25 * cbrt(part->share));
    scene_circle(s, part->pose[0].x, part->pose[0].y, radius, DARK, BODY);
}

static void draw_block(Scene *s, const SymbolPart *part)
{
    double half = part->unit * fmax(0.6, 1.5 * cbrt(part->share));
    put_box(s, part->pose[0], half, half, BODY);
}

static void draw_rod(Scene *s, const SymbolPart *part)
{
    scene_shape(s, SCENE_LINE, STEEL, 0, 3.2);
    scene_point(s, part->pose[0].x, part->pose[0].y);
    scene_point(s, part->pose[1].x, part->pose[1].y);
}

static void draw_revolute(Scene *s, const SymbolPart *part)
{
    scene_circle(s, part->pose[0].x, part->pose[0].y, 0.42 * part->unit, DARK, WHITE);
}

/* guide as long as the way, and a box that slides on it; a thread instead, if it is one */
static void draw_prismatic(Scene *s, const SymbolPart *part)
{
    SymbolPose p = part->pose[0];
    p.phi += atan2(part->axis[1], part->axis[0]);
    double u = part->unit;
    scene_shape(s, SCENE_LINE, PALE, 0, 1.6);
    put_from(s, p, part->span[0] - 3 * u, 0);
    put_from(s, p, part->span[1] + 3 * u, 0);
    SymbolPose box = {part->pose[1].x, part->pose[1].y, p.phi};
    put_box(s, box, 2 * u, 1.1 * u, CART);
}

/* Taut it is a line. Slack it hangs through as a parabola of about its length: an arc of width a
 * and sag b has the length a + 8 b^2 / (3 a). */
static void draw_thread(Scene *s, const SymbolPart *part)
{
    enum { PIECES = 12 };
    double a;
    towards(part, &a);
    double spare = fmax(0, part->slack - a);
    double sag = fmin(sqrt(3 * fmax(a, 1e-9) * spare / 8), 0.5 * (spare + sqrt(spare * a)));
    scene_shape(s, SCENE_LINE, THREAD, 0, spare > 0 ? 1.4 : 2.2);
    for (int i = 0; i <= PIECES; i++) {
        double q = (double)i / PIECES;
        scene_point(s, part->pose[0].x + q * (part->pose[1].x - part->pose[0].x),
                    part->pose[0].y + q * (part->pose[1].y - part->pose[0].y) -
                        4 * sag * q * (1 - q));
    }
}

/* straight ends and eight teeth between; of no length it is a ring */
static void draw_spring(Scene *s, const SymbolPart *part)
{
    enum { TEETH = 8 };
    double length, u = part->unit;
    SymbolPose p = towards(part, &length);
    double end = fmin(u, 0.15 * length), tooth = fmin(0.8 * u, 0.5 * length);
    scene_shape(s, SCENE_LINE, SPRING, 0, 1.8);
    put_from(s, p, 0, 0);
    put_from(s, p, end, 0);
    for (int i = 0; i < TEETH; i++)
        put_from(s, p, end + (length - 2 * end) * (i + 0.5) / TEETH, i % 2 ? -tooth : tooth);
    put_from(s, p, length - end, 0);
    put_from(s, p, length, 0);
}

/* a pot, and a piston in it */
static void draw_damper(Scene *s, const SymbolPart *part)
{
    double length, u = part->unit;
    SymbolPose p = towards(part, &length);
    double half = fmin(0.7 * u, 0.35 * length), pot = 0.35 * length;
    scene_shape(s, SCENE_LINE, SPRING, 0, 1.8);
    put_from(s, p, 0, 0);
    put_from(s, p, pot, 0);
    put_from(s, p, pot, half);
    put_from(s, p, 0.75 * length, half);
    put_from(s, p, pot, half);
    put_from(s, p, pot, -half);
    put_from(s, p, 0.75 * length, -half);
    scene_shape(s, SCENE_LINE, SPRING, 0, 1.8);
    put_from(s, p, length, 0);
    put_from(s, p, 0.55 * length, 0);
    put_from(s, p, 0.55 * length, 0.8 * half);
    put_from(s, p, 0.55 * length, -0.8 * half);
}

/* a gap: a short bar across at either end, and the way between them */
static void draw_gap(Scene *s, const SymbolPart *part)
{
    if (part->thread) {
        draw_thread(s, part);
        return;
    }
    double length, u = part->unit;
    SymbolPose p = towards(part, &length);
    for (int end = 0; end < 2; end++) {
        scene_shape(s, SCENE_LINE, THREAD, 0, 2.2);
        put_from(s, p, end * length, -1.2 * u);
        put_from(s, p, end * length, 1.2 * u);
    }
    scene_shape(s, SCENE_LINE, THREAD, 0, 0.8);
    put_from(s, p, 0, 0);
    put_from(s, p, length, 0);
}

/* ------------------------------------------------------------------ shapes that touch */

/* from the direction `from` over the angle `over` around a corner */
static void add_arc(Outline *o, double x, double y, double radius, double from, double over,
                    int pieces)
{
    for (int i = 0; i <= pieces && o->n < MAX_OUTLINE; i++) {
        double angle = from + over * i / pieces;
        o->points[o->n++] = (ScenePoint){x + radius * cos(angle), y + radius * sin(angle)};
    }
}

/* direction outward of the edge that begins at corner i */
static double outward(const double *corners, size_t n, size_t i)
{
    const double *a = corners + 2 * i, *b = corners + 2 * ((i + 1) % n);
    return atan2(b[1] - a[1], b[0] - a[0]) - acos(-1) / 2;
}

void symbol_outline(Outline *o, const double *corners, size_t n, double radius)
{
    const double turn = 2 * acos(-1);
    *o = (Outline){.spoke = n == 1 ? radius : 0};
    if (n == 1)
        add_arc(o, corners[0], corners[1], radius, 0, turn, 72);
    for (size_t i = 0; i < n && n > 1; i++) {
        double from = outward(corners, n, (i + n - 1) % n);
        double over = fmod(outward(corners, n, i) - from + 2 * turn, turn);
        int pieces = radius > 0 ? (n == 2 ? 32 : 8) : 0;
        if (pieces)
            add_arc(o, corners[2 * i], corners[2 * i + 1], radius, from, over, pieces);
        else
            o->points[o->n++] = (ScenePoint){corners[2 * i], corners[2 * i + 1]};
    }
    if (n > 1)
        o->points[o->n++] = o->points[0];
    for (size_t i = 0; i < o->n; i++)
        o->reach = fmax(o->reach, hypot(o->points[i].x, o->points[i].y));
}

/* an outline at the pose of its component */
static void put_outline(Scene *s, SymbolPose p, const Outline *o, SceneKind kind)
{
    if (!o)
        return;
    scene_shape(s, kind, STEEL, SHAPE, 1.4);
    for (size_t i = 0; i < o->n; i++)
        put_from(s, p, o->points[i].x, o->points[i].y);
    if (o->spoke == 0)
        return;
    scene_shape(s, SCENE_LINE, STEEL, 0, 1.4);
    put_from(s, p, 0.55 * o->spoke, 0);
    put_from(s, p, o->spoke, 0);
}

static void draw_shapes(Scene *s, const SymbolPart *part)
{
    for (int port = 0; port < 2; port++)
        put_outline(s, part->pose[port], part->outline[port], SCENE_AREA);
}

/* pitch circles: a ring has the other wheel inside, so that they are no areas */
static void draw_gears(Scene *s, const SymbolPart *part)
{
    for (int port = 0; port < 2; port++)
        put_outline(s, part->pose[port], part->outline[port], SCENE_LINE);
}

/* a wall as long as the way of the shape along it, with strokes on the far side, and the shape */
static void draw_contact(Scene *s, const SymbolPart *part)
{
    enum { STROKES = 12 };
    SymbolPose p = part->pose[0];
    p.phi += atan2(part->axis[1], part->axis[0]) - acos(-1) / 2;
    double u = part->unit, reach = part->outline[1] ? part->outline[1]->reach : 0;
    double from = part->span[0] - reach - 2 * u, to = part->span[1] + reach + 2 * u;
    scene_shape(s, SCENE_LINE, DARK, 0, 1.6);
    put_from(s, p, from, 0);
    put_from(s, p, to, 0);
    for (int i = 0; i < STROKES; i++) {
        double x = from + (to - from) * (i + 0.7) / STROKES;
        scene_shape(s, SCENE_LINE, PALE, 0, 0.9);
        put_from(s, p, x, 0);
        put_from(s, p, x - 0.6 * u, -0.7 * u);
    }
    put_outline(s, part->pose[1], part->outline[1], SCENE_AREA);
}

/* a wheel seen from above: as long as its diameter */
static void draw_tyre(Scene *s, const SymbolPart *part)
{
    double radius = part->outline[0] ? part->outline[0]->reach : part->unit;
    put_box(s, part->pose[0], radius, 0.28 * radius, DARK);
}

/* ------------------------------------------------------------------ the table */

#define SYMBOL(name, look_, layer_, draw_, ...)                                                    \
    {                                                                                              \
        .class_name = name, .look = look_, .layer = layer_, .draw = draw_, __VA_ARGS__             \
    }
#define FRAME   .ports = {"frame"}
#define FRAME_A .ports = {"frame_a"}
#define FRAMES  .ports = {"frame_a", "frame_b"}
#define FLANGES .linear = true, .ports = {"flange_a", "flange_b"}
#define RADIUS  .radii = {"radius"}
#define RADII   .radii = {"radius_a", "radius_b"}

/* clang-format off */
static const Symbol table[] = {
    SYMBOL("Planar.Fixed", "ground", 1, draw_ground, FRAME),
    SYMBOL("Planar.Prismatic", "slider", 1, draw_prismatic, FRAMES),
    SYMBOL("Planar.FixedTranslation", "rod", 2, draw_rod, FRAMES),
    SYMBOL("Planar.WallSensor", "contact", 2, draw_contact, FRAMES, .radii = {NULL, "radius"}),
    SYMBOL("Planar.RollingDisc", "contact", 2, draw_contact, FRAMES, .radii = {NULL, "radius"}),
    SYMBOL("Planar.LineTouch", "contact", 2, draw_contact, FRAMES, .radii = {NULL, "radius"},
           .shapes = {NULL, "shape"}, .lever = true),
    SYMBOL("Planar.ShapeTouch", "shapes", 2, draw_shapes, FRAMES, RADII,
           .shapes = {"shape_a", "shape_b"}, .lever = true),
    SYMBOL("Planar.GearTouch", "gears", 2, draw_gears, FRAMES, RADII, .lever = true),
    SYMBOL("Planar.IdealWheel", "tyre", 3, draw_tyre, FRAME, RADIUS),
    SYMBOL("Planar.DryFrictionWheel", "tyre", 3, draw_tyre, FRAME, RADIUS),
    SYMBOL("Planar.SlipWheel", "tyre", 3, draw_tyre, FRAME, RADIUS),
    SYMBOL("Planar.SpringDamper", "spring", 3, draw_spring, FRAMES),
    SYMBOL("Planar.LineSpring", "spring", 3, draw_spring, FRAMES),
    SYMBOL("Planar.HeatingSpringDamper", "spring", 3, draw_spring, FRAMES),
    SYMBOL("Planar.HeatingLineSpring", "spring", 3, draw_spring, FRAMES),
    SYMBOL("Planar.Body", "body", 4, draw_body, FRAME_A),
    SYMBOL("Planar.Revolute", "pivot", 5, draw_revolute, FRAME_A),
    SYMBOL("Translational.Fixed", "wall", 1, draw_wall, .linear = true, .ports = {"flange_b"}),
    SYMBOL("Translational.Translation", "rod", 2, draw_rod, FLANGES),
    SYMBOL("Translational.Spring", "spring", 3, draw_spring, FLANGES),
    SYMBOL("Translational.SpringDamper", "spring", 3, draw_spring, FLANGES),
    SYMBOL("Translational.CubicSpring", "spring", 3, draw_spring, FLANGES),
    SYMBOL("Translational.TableSpring", "spring", 3, draw_spring, FLANGES),
    SYMBOL("Translational.HeatingSpringDamper", "spring", 3, draw_spring, FLANGES),
    SYMBOL("Translational.Damper", "damper", 3, draw_damper, FLANGES),
    SYMBOL("Translational.HeatingDamper", "damper", 3, draw_damper, FLANGES),
    SYMBOL("Translational.ElastoGap", "gap", 3, draw_gap, FLANGES),
    SYMBOL("Translational.HeatingElastoGap", "gap", 3, draw_gap, FLANGES),
    SYMBOL("Translational.Body", "block", 4, draw_block, .linear = true, .ports = {"flange_a"}),
};
/* clang-format on */

const Symbol *symbol_find(const char *class_name)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].class_name, class_name) == 0)
            return &table[i];
    return NULL;
}

const Symbol *symbol_like(const char *name, bool linear)
{
    size_t n = strcspn(name, "#"); /* "Spring#2": a class of that name was there already */
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const char *last = strrchr(table[i].class_name, '.') + 1;
        if (table[i].linear == linear && strlen(last) == n && memcmp(last, name, n) == 0)
            return &table[i];
    }
    return NULL;
}

void symbol_svg(const Symbol *symbol, FILE *to)
{
    Outline first, second;
    double wide = symbol->ports[1] ? 8 : 0; /* units from port to port */
    bool contact = symbol_is_contact(symbol);
    SymbolPart part = {
        .symbol = symbol,
        .unit = 1,
        .share = 1,
        .axis = {!contact, contact},
        .span = {0, wide},
        .pose = {{0, 0, 0}, {wide, 0, 0}},
        .outline = {symbol->radii[0] ? &first : NULL, symbol->radii[1] ? &second : NULL}};
    static const double box[] = {-2, -2, 2, -2, 2, 2, -2, 2}, origin[2] = {0, 0};
    symbol_outline(&first, symbol->shapes[0] ? box : origin, symbol->shapes[0] ? 4 : 1,
                   symbol->shapes[0] ? 0.5 : 3);
    symbol_outline(&second, symbol->shapes[1] ? box : origin, symbol->shapes[1] ? 4 : 1,
                   symbol->shapes[1] ? 0.5 : 3);
    if (symbol->radii[1] && !contact)
        part.pose[1].x = symbol->shapes[0] ? 5 : first.reach + second.reach;
    if (contact)
        part.pose[1] = (SymbolPose){wide / 2, symbol->shapes[1] ? 2.5 : 3, 0};
    Scene s = {.alloc = memory_default, .bare = true};
    symbol->draw(&s, &part);
    s.least = s.most = s.points.n ? s.points.items[0] : (ScenePoint){0, 0};
    for (size_t i = 0; i < s.shapes.n; i++)
        for (size_t k = 0; k < s.shapes.items[i].n; k++) {
            ScenePoint p = s.points.items[s.shapes.items[i].first + k];
            double r = s.shapes.items[i].radius + 0.3;
            s.least = (ScenePoint){fmin(s.least.x, p.x - r), fmin(s.least.y, p.y - r)};
            s.most = (ScenePoint){fmax(s.most.x, p.x + r), fmax(s.most.y, p.y + r)};
        }
    s.width = (int)(12 * (s.most.x - s.least.x));
    if (!s.failed)
        scene_svg(&s, to);
    scene_drop(&s);
}

bool symbol_is_body(const Symbol *s)
{
    return s->draw == draw_body || s->draw == draw_block;
}

bool symbol_is_slider(const Symbol *s)
{
    return s->draw == draw_prismatic;
}

bool symbol_is_contact(const Symbol *s)
{
    return s->draw == draw_contact;
}

bool symbol_is_gap(const Symbol *s)
{
    return s->draw == draw_gap;
}

bool symbol_is_still(const Symbol *s)
{
    return s->draw == draw_ground || s->draw == draw_wall;
}
