/* diagram_shape.c - graphical annotations as shapes: Modelica 3.6, chapter 18.6.
 *
 * Annotations are nearly always literals, and are read as such: numbers, arrays, names of
 * enumerations, texts. DynamicSelect(a, b) stands for a. `visible` may name a Boolean parameter.
 * What cannot be read this way has its default: a picture is no reason to refuse a model.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "front/diagram/diagram_read.h"

enum { ARC = 48, CORNER = 8, MAX_POINTS = 4096 };

/* ------------------------------------------------------------------ literals */

const Argument *diagram_argument(const ArgumentList *list, const char *name)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->items[i]->kind == AR_MODIFY && list->items[i]->modification &&
            strcmp(list->items[i]->name->name, name) == 0)
            return list->items[i];
    return NULL;
}

static const Expr *static_part(const Expr *e)
{
    while (e && e->kind == EX_CALL && strcmp(e->call->function->name, "DynamicSelect") == 0)
        e = e->call->positional.n ? e->call->positional.items[0] : NULL;
    return e;
}

/* the value of a Boolean or number that the component has, if it was asked for */
static bool known_parameter(const DiagramReader *r, const Expr *e, Value *value)
{
    if (e->kind != EX_REF || e->ref->rest || !r->inst)
        return false;
    const Member *m = inst_listed(r->inst, NULL, e->ref->name);
    const Memo *memo = m && m->component ? m->value : NULL;
    if (!memo || memo->state != MEMO_DONE || memo->touched)
        return false;
    *value = memo->value;
    return value->kind != V_NONE && value->ndim == 0;
}

/* a number of an annotation, or the other one */
static double number(const DiagramReader *r, const Expr *e, double otherwise)
{
    Value v;
    e = static_part(e);
    if (!e)
        return otherwise;
    if (e->kind == EX_INTEGER)
        return (double)e->integer;
    if (e->kind == EX_REAL)
        return isfinite(e->real) ? e->real : otherwise;
    if (e->kind == EX_UNARY && e->op == OP_SUB)
        return -number(r, e->right, -otherwise);
    if (e->kind == EX_BINARY && (e->op == OP_ADD || e->op == OP_SUB)) {
        double a = number(r, e->left, NAN), b = number(r, e->right, NAN);
        double sum = e->op == OP_ADD ? a + b : a - b;
        return isfinite(sum) ? sum : otherwise;
    }
    if (known_parameter(r, e, &v) && (v.kind == V_REAL || v.kind == V_INTEGER) &&
        !is_symbolic(v.x) && isfinite(v.x))
        return v.x;
    return otherwise;
}

/* a Boolean of an annotation, or the other one */
static bool truth(const DiagramReader *r, const Expr *e, bool otherwise)
{
    Value v;
    e = static_part(e);
    if (!e)
        return otherwise;
    if (e->kind == EX_BOOLEAN)
        return e->boolean;
    if (e->kind == EX_UNARY && e->op == OP_NOT)
        return !truth(r, e->right, !otherwise);
    if (known_parameter(r, e, &v) && v.kind == V_BOOLEAN && !is_symbolic(v.x))
        return v.x != 0;
    return otherwise;
}

/* "Solid" of FillPattern.Solid */
static const char *literal(const Expr *e)
{
    e = static_part(e);
    if (!e || e->kind != EX_REF)
        return "";
    const Ref *ref = e->ref;
    while (ref->rest)
        ref = ref->rest;
    return ref->name;
}

static const ExprList *array(const Expr *e)
{
    static const ExprList nothing;
    e = static_part(e);
    return e && e->kind == EX_ARRAY ? &e->list : &nothing;
}

static bool point(const DiagramReader *r, const Expr *e, DiagramPoint *to)
{
    const ExprList *list = array(e);
    if (list->n != 2)
        return false;
    *to = (DiagramPoint){number(r, list->items[0], 0), number(r, list->items[1], 0)};
    return true;
}

static unsigned colour(const DiagramReader *r, const Expr *e, unsigned otherwise)
{
    const ExprList *list = array(e);
    unsigned rgb = 0;
    if (list->n != 3)
        return otherwise;
    for (int i = 0; i < 3; i++)
        rgb = rgb << 8 | (unsigned)fmin(fmax(number(r, list->items[i], 0), 0), 255);
    return rgb;
}

/* ------------------------------------------------------------------ maps */

DiagramMap diagram_compose(const DiagramMap *o, const DiagramMap *i)
{
    DiagramPoint at = diagram_map(o, i->x, i->y);
    return (DiagramMap){o->xx * i->xx + o->yx * i->xy,
                        o->xy * i->xx + o->yy * i->xy,
                        o->xx * i->yx + o->yx * i->yy,
                        o->xy * i->yx + o->yy * i->yy,
                        at.x,
                        at.y};
}

DiagramMap diagram_placement(DiagramPoint a, DiagramPoint b, double degrees, DiagramPoint origin)
{
    double c = cos(degrees * M_PI / 180), s = sin(degrees * M_PI / 180);
    double sx = (b.x - a.x) / 200, sy = (b.y - a.y) / 200;
    double x = (a.x + b.x) / 2, y = (a.y + b.y) / 2;
    return (DiagramMap){
        c * sx, s * sx, -s * sy, c * sy, c * x - s * y + origin.x, s * x + c * y + origin.y};
}

/* ------------------------------------------------------------------ one item */

/* the arguments of Rectangle(...), as a list of names and values */
typedef struct ShapeArguments {
    const DiagramReader *r;
    const NamedArgumentList *list;
} ShapeArguments;

static const Expr *get(const ShapeArguments *item, const char *name)
{
    for (size_t i = 0; i < item->list->n; i++)
        if (strcmp(item->list->items[i]->name, name) == 0)
            return item->list->items[i]->value;
    return NULL;
}

static DiagramPoint *points_of(Diagram *d, size_t n)
{
    DiagramPoint *p = arena_zeroed(&d->arena, (n ? n : 1) * sizeof *p);
    d->failed |= !p;
    return p;
}

static bool read_points(const DiagramReader *r, const Expr *e, DiagramPoint **points, size_t *n)
{
    const ExprList *list = array(e);
    *n = list->n < MAX_POINTS ? list->n : MAX_POINTS;
    *points = *n ? points_of(r->diagram, *n) : NULL;
    for (size_t i = 0; *points && i < *n; i++)
        if (!point(r, list->items[i], &(*points)[i]))
            return false;
    return *points;
}

/* origin and rotation that every item may have */
static void turn_item(const ShapeArguments *item, DiagramShape *s)
{
    DiagramPoint origin = {0, 0};
    point(item->r, get(item, "origin"), &origin);
    double degrees = number(item->r, get(item, "rotation"), 0);
    if (degrees == 0 && origin.x == 0 && origin.y == 0)
        return;
    DiagramMap m =
        diagram_placement((DiagramPoint){-100, -100}, (DiagramPoint){100, 100}, degrees, origin);
    for (size_t i = 0; i < s->n; i++)
        s->points[i] = diagram_map(&m, s->points[i].x, s->points[i].y);
}

/* an arc of an ellipse in a box; whole, or with its chord or its two radii */
static void make_ellipse(const ShapeArguments *item, DiagramShape *s, DiagramPoint a,
                         DiagramPoint b)
{
    double from = number(item->r, get(item, "startAngle"), 0) * M_PI / 180;
    double to = number(item->r, get(item, "endAngle"), 360) * M_PI / 180;
    const char *closure = literal(get(item, "closure"));
    bool whole = fabs(to - from) > 2 * M_PI - 1e-6;
    bool radial = !whole && (strcmp(closure, "Radial") == 0 || (!*closure && s->has_fill));
    s->n = ARC + 1 + (size_t)radial;
    s->points = points_of(item->r->diagram, s->n);
    if (!s->points)
        return;
    double x = (a.x + b.x) / 2, y = (a.y + b.y) / 2;
    double rx = fabs(b.x - a.x) / 2, ry = fabs(b.y - a.y) / 2;
    for (int i = 0; i <= ARC; i++) {
        double angle = from + (to - from) * i / ARC;
        s->points[i] = (DiagramPoint){x + rx * cos(angle), y + ry * sin(angle)};
    }
    if (radial)
        s->points[ARC + 1] = (DiagramPoint){x, y};
    if (!whole && !radial && strcmp(closure, "Chord") != 0)
        s->kind = DIAGRAM_LINE;
}

/* four corners, rounded where there is a radius */
static void make_rectangle(const ShapeArguments *item, DiagramShape *s, DiagramPoint a,
                           DiagramPoint b)
{
    double x0 = fmin(a.x, b.x), x1 = fmax(a.x, b.x), y0 = fmin(a.y, b.y), y1 = fmax(a.y, b.y);
    double radius = fmin(number(item->r, get(item, "radius"), 0), fmin(x1 - x0, y1 - y0) / 2);
    int corner = radius > 0 ? CORNER : 0;
    s->n = (size_t)(4 * (corner + 1));
    s->points = points_of(item->r->diagram, s->n);
    if (!s->points)
        return;
    if (!(radius > 0))
        radius = 0;
    DiagramPoint centre[] = {{x1 - radius, y1 - radius},
                             {x0 + radius, y1 - radius},
                             {x0 + radius, y0 + radius},
                             {x1 - radius, y0 + radius}};
    size_t at = 0;
    for (int k = 0; k < 4; k++)
        for (int i = 0; i <= corner; i++) {
            double angle = M_PI / 2 * (k + (corner ? (double)i / corner : 0));
            s->points[at++] = (DiagramPoint){centre[k].x + radius * cos(angle),
                                             centre[k].y + radius * sin(angle)};
        }
}

/* %name, %class, %parameter and %{parameter} in a text; false: a parameter is not known */
static bool expand(DiagramReader *r, const char *from, TextBuffer *to)
{
    const LiederAllocator *alloc = &r->diagram->alloc;
    bool ok = true;
    while (ok && *from) {
        if (*from != '%' || from[1] == '%') {
            from += *from == '%';
            ok = text_add(alloc, to, "%c", *from++);
            continue;
        }
        bool braces = from[1] == '{';
        from += 1 + braces;
        size_t n = braces ? strcspn(from, "}")
                          : strspn(from, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                         "0123456789_.");
        if (n == 4 && strncmp(from, "name", 4) == 0) {
            ok = text_add(alloc, to, "%s", r->name ? r->name : "");
            r->said_name = true;
        } else if (n == 5 && strncmp(from, "class", 5) == 0) {
            ok = text_add(alloc, to, "%s", r->class_ ? r->class_->name : "");
        } else {
            Ref ref = {.name = intern_range(&r->front->names, from, n)};
            Value v;
            if (!ref.name || !known_parameter(r, &(Expr){.kind = EX_REF, .ref = &ref}, &v) ||
                (v.kind != V_REAL && v.kind != V_INTEGER) || is_symbolic(v.x))
                return false;
            ok = text_add(alloc, to, "%.5g", v.x);
        }
        from += n + (braces && from[n] == '}');
    }
    r->diagram->failed |= !ok;
    return ok;
}

/* a text in its box, with %name and its like replaced */
static bool make_text(DiagramReader *r, const ShapeArguments *item, DiagramShape *s, DiagramPoint a,
                      DiagramPoint b)
{
    const Expr *e = static_part(get(item, "textString"));
    if (!e)
        e = static_part(get(item, "string"));
    if (!e || e->kind != EX_STRING)
        return false;
    TextBuffer text = {0};
    bool good = expand(r, e->text, &text) && text.n > 0;
    s->text = good ? arena_text(&r->diagram->arena, text.items, text.n) : NULL;
    vec_drop(&r->diagram->alloc, &text);
    const char *align = literal(get(item, "horizontalAlignment"));
    s->align = strcmp(align, "Left") == 0 ? -1 : strcmp(align, "Right") == 0;
    s->size =
        number(r, get(item, "fontSize"), 0) * 0.353; /* points are of 0.353 mm, a unit is 1 mm */
    const ExprList *styles = array(get(item, "textStyle"));
    for (size_t i = 0; i < styles->n; i++) {
        s->bold |= strcmp(literal(styles->items[i]), "Bold") == 0;
        s->italic |= strcmp(literal(styles->items[i]), "Italic") == 0;
    }
    s->line = colour(r, get(item, "textColor"),
                     colour(r, get(item, "lineColor"), colour(r, get(item, "color"), 0)));
    s->n = 2;
    s->points = points_of(r->diagram, 2);
    if (!s->points || !s->text)
        return false;
    s->points[0] = a;
    s->points[1] = b;
    return true;
}

/* colours, thickness and patterns of a graphic */
static void read_pens(const ShapeArguments *item, DiagramShape *s)
{
    const DiagramReader *r = item->r;
    bool is_line = s->kind == DIAGRAM_LINE;
    const char *fill = literal(get(item, "fillPattern"));
    const char *pattern = literal(get(item, "pattern"));
    s->line = colour(r, get(item, is_line ? "color" : "lineColor"), 0);
    s->has_line = strcmp(pattern, "None") != 0;
    s->fill = colour(r, get(item, "fillColor"), 0);
    s->has_fill = !is_line && *fill && strcmp(fill, "None") != 0;
    s->dash = strcmp(pattern, "Dash") == 0 || strcmp(pattern, "DashDot") == 0     ? 1
              : strcmp(pattern, "Dot") == 0 || strcmp(pattern, "DashDotDot") == 0 ? 2
                                                                                  : 0;
    s->width = number(r, get(item, is_line ? "thickness" : "lineThickness"), 0.25);
    s->smooth = strcmp(literal(get(item, "smooth")), "Bezier") == 0;
    const ExprList *arrows = array(get(item, "arrow"));
    for (size_t i = 0; i < arrows->n && i < 2; i++) {
        const char *arrow = literal(arrows->items[i]);
        s->arrow[i] = *arrow && strcmp(arrow, "None") != 0;
    }
}

/* one call of a list of graphics; false: nothing is to be drawn */
static bool read_item(DiagramReader *r, const Expr *e, DiagramShape *s)
{
    if (!e || e->kind != EX_CALL)
        return false;
    const char *kind = e->call->function->name;
    ShapeArguments item = {r, &e->call->named};
    DiagramPoint box[2] = {{-100, -100}, {100, 100}};
    const ExprList *extent = array(get(&item, "extent"));
    if (extent->n == 2) {
        point(r, extent->items[0], &box[0]);
        point(r, extent->items[1], &box[1]);
    }
    *s = (DiagramShape){.kind = strcmp(kind, "Line") == 0   ? DIAGRAM_LINE
                                : strcmp(kind, "Text") == 0 ? DIAGRAM_TEXT
                                                            : DIAGRAM_AREA};
    if (!truth(r, get(&item, "visible"), true))
        return false;
    read_pens(&item, s);
    if (strcmp(kind, "Text") == 0) {
        if (!make_text(r, &item, s, box[0], box[1]))
            return false;
    } else if (strcmp(kind, "Rectangle") == 0) {
        make_rectangle(&item, s, box[0], box[1]);
    } else if (strcmp(kind, "Ellipse") == 0) {
        make_ellipse(&item, s, box[0], box[1]);
    } else if (strcmp(kind, "Line") != 0 && strcmp(kind, "Polygon") != 0) {
        return false; /* a bitmap is a file, which nobody reads here */
    } else if (!read_points(r, get(&item, "points"), &s->points, &s->n)) {
        return false;
    }
    if (s->points)
        turn_item(&item, s);
    return s->points;
}

/* ------------------------------------------------------------------ lists, placements, lines */

/* the map that makes a coordinate system of other corners one of -100 to 100 */
static DiagramMap coordinate_system(const DiagramReader *r, const ArgumentList *icon)
{
    DiagramPoint a = {-100, -100}, b = {100, 100};
    const Argument *system = diagram_argument(icon, "coordinateSystem");
    const Argument *extent =
        system ? diagram_argument(&system->modification->arguments, "extent") : NULL;
    const ExprList *corners = array(extent ? extent->modification->value : NULL);
    if (corners->n == 2) {
        point(r, corners->items[0], &a);
        point(r, corners->items[1], &b);
    }
    double w = b.x - a.x, h = b.y - a.y;
    if (!(fabs(w) > 0 && fabs(h) > 0))
        return (DiagramMap){1, 0, 0, 1, 0, 0};
    return (DiagramMap){200 / w, 0, 0, 200 / h, -100 - 200 * a.x / w, -100 - 200 * a.y / h};
}

bool diagram_graphics(DiagramReader *r, const ArgumentList *annotation, const char *layer,
                      DiagramShapes *to)
{
    const Argument *icon = diagram_argument(annotation, layer);
    const Argument *graphics =
        icon ? diagram_argument(&icon->modification->arguments, "graphics") : NULL;
    if (!graphics)
        return false;
    const ExprList *list = array(graphics->modification->value);
    DiagramMap system = {1, 0, 0, 1, 0, 0};
    if (strcmp(layer, "Icon") == 0)
        system = coordinate_system(r, &icon->modification->arguments);
    for (size_t i = 0; i < list->n && !r->diagram->failed; i++) {
        DiagramShape s;
        if (!read_item(r, list->items[i], &s))
            continue;
        for (size_t k = 0; k < s.n; k++)
            s.points[k] = diagram_map(&system, s.points[k].x, s.points[k].y);
        r->diagram->failed |= !vec_push(&r->diagram->alloc, to, s);
    }
    return list->n > 0;
}

bool diagram_place(DiagramReader *r, const ArgumentList *annotation, bool icon, DiagramMap *map)
{
    const Argument *placement = diagram_argument(annotation, "Placement"), *t = NULL;
    if (!placement)
        return false;
    const ArgumentList *list = &placement->modification->arguments;
    if (icon)
        t = diagram_argument(list, "iconTransformation");
    if (!t)
        t = diagram_argument(list, "transformation");
    if (!t)
        return false;
    const ArgumentList *with = &t->modification->arguments;
    DiagramPoint a = {-100, -100}, b = {100, 100}, origin = {0, 0};
    const Argument *extent = diagram_argument(with, "extent"),
                   *rotation = diagram_argument(with, "rotation"),
                   *moved = diagram_argument(with, "origin");
    const ExprList *corners = array(extent ? extent->modification->value : NULL);
    if (corners->n != 2 || !point(r, corners->items[0], &a) || !point(r, corners->items[1], &b))
        return false;
    if (moved)
        point(r, moved->modification->value, &origin);
    *map =
        diagram_placement(a, b, rotation ? number(r, rotation->modification->value, 0) : 0, origin);
    return fabs(map->xx * map->yy - map->xy * map->yx) > 0;
}

/* Line is written like a modification: its entries are arguments, not those of a call */
void diagram_line(DiagramReader *r, const ArgumentList *annotation, DiagramConnection *c)
{
    const Argument *line = diagram_argument(annotation, "Line");
    if (!line)
        return;
    const ArgumentList *list = &line->modification->arguments;
    const Argument *points = diagram_argument(list, "points"),
                   *pen = diagram_argument(list, "color"),
                   *width = diagram_argument(list, "thickness"),
                   *pattern = diagram_argument(list, "pattern"),
                   *smooth = diagram_argument(list, "smooth");
    if (!points || !read_points(r, points->modification->value, &c->points, &c->n) || c->n < 2) {
        c->points = NULL;
        c->n = 0;
    }
    if (pen)
        c->colour = colour(r, pen->modification->value, c->colour);
    if (width)
        c->width = number(r, width->modification->value, 0.25);
    if (pattern)
        c->dash = strcmp(literal(pattern->modification->value), "Dash") == 0  ? 1
                  : strcmp(literal(pattern->modification->value), "Dot") == 0 ? 2
                                                                              : 0;
    if (smooth)
        c->smooth = strcmp(literal(smooth->modification->value), "Bezier") == 0;
}
