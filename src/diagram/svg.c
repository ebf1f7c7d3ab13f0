/* svg.c - a diagram as SVG, in units of the diagram; four pixels each, fewer if it is large.
 *
 * Every component is a group with its name in data-component and its declaration in data-file,
 * data-line and data-source, every connection likewise: the viewer's page leads from there to
 * variables and text. Nothing is styled by style attributes, which its policy forbids.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "diagram/diagram.h"

static const double MARGIN = 8, PIXELS = 4, WIDEST = 1600;

/* ------------------------------------------------------------------ texts */

/* text with the characters escaped that XML means otherwise */
static void put_text(FILE *to, const char *text)
{
    for (; text && *text; text++)
        switch (*text) {
        case '<':
            fputs("&lt;", to);
            break;
        case '>':
            fputs("&gt;", to);
            break;
        case '&':
            fputs("&amp;", to);
            break;
        case '\'':
            fputs("&#39;", to);
            break;
        case '"':
            fputs("&quot;", to);
            break;
        default:
            fputc((unsigned char)*text < ' ' ? ' ' : *text, to);
        }
}

static size_t letters(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

/* ------------------------------------------------------------------ shapes */

/* y of SVG runs downwards */
static void put_point(FILE *to, const char *before, DiagramPoint p)
{
    fprintf(to, "%s%.2f %.2f", before, p.x, -p.y);
}

static DiagramPoint middle(DiagramPoint a, DiagramPoint b)
{
    return (DiagramPoint){(a.x + b.x) / 2, (a.y + b.y) / 2};
}

/* a line through points, smooth as Bezier splines where asked for */
static void put_path(FILE *to, const DiagramPoint *p, size_t n, bool smooth, bool closed)
{
    fputs(" d='", to);
    put_point(to, "M", p[0]);
    for (size_t i = 1; i < n; i++) {
        if (smooth && i + 1 < n) {
            if (i == 1)
                put_point(to, "L", middle(p[0], p[1]));
            put_point(to, "Q", p[i]);
            put_point(to, " ", middle(p[i], p[i + 1]));
        } else {
            put_point(to, "L", p[i]);
        }
    }
    fputs(closed ? "Z'" : "'", to);
}

static void put_pen(FILE *to, unsigned colour, double width, int dash)
{
    fprintf(to, " stroke='#%06x' stroke-width='%.2f'", colour, fmax(width, 0.2));
    if (dash)
        fputs(dash == 1 ? " stroke-dasharray='2 1'" : " stroke-dasharray='0.6 0.8'", to);
}

/* a triangle at the end of a line */
static void put_arrow(FILE *to, DiagramPoint tip, DiagramPoint from, unsigned colour)
{
    double x = tip.x - from.x, y = tip.y - from.y, length = hypot(x, y);
    if (!(length > 0))
        return;
    x /= length;
    y /= length;
    DiagramPoint corners[] = {tip,
                              {tip.x - 3 * x - 1.2 * y, tip.y - 3 * y + 1.2 * x},
                              {tip.x - 3 * x + 1.2 * y, tip.y - 3 * y - 1.2 * x}};
    fprintf(to, "<path fill='#%06x'", colour);
    put_path(to, corners, 3, false, true);
    fputs("/>", to);
}

/* upright, whatever the component is turned by; as large as its box allows */
static void put_words(FILE *to, const DiagramShape *s, DiagramPoint a, DiagramPoint b, double w,
                      double h)
{
    size_t n = letters(s->text);
    if (!n)
        return;
    double size = s->size > 0 ? s->size : fmin(0.9 * h, w / (0.56 * (double)n));
    double x = s->align < 0 ? fmin(a.x, b.x) : s->align > 0 ? fmax(a.x, b.x) : (a.x + b.x) / 2;
    fprintf(to, "<text x='%.2f' y='%.2f' font-size='%.2f' fill='#%06x' text-anchor='%s'%s%s>", x,
            -(a.y + b.y) / 2 + 0.35 * size, size, s->line,
            s->align < 0   ? "start"
            : s->align > 0 ? "end"
                           : "middle",
            s->bold ? " font-weight='bold'" : "", s->italic ? " font-style='italic'" : "");
    put_text(to, s->text);
    fputs("</text>", to);
}

enum { MAX_POINTS = 4096 };

/* one graphic of an icon, mapped to its place */
static void put_shape(FILE *to, const DiagramShape *s, const DiagramMap *m)
{
    DiagramPoint p[MAX_POINTS];
    size_t n = s->n < MAX_POINTS ? s->n : MAX_POINTS;
    if (n < 2)
        return;
    for (size_t i = 0; i < n; i++)
        p[i] = diagram_map(m, s->points[i].x, s->points[i].y);
    if (s->kind == DIAGRAM_TEXT) {
        double w = fabs(s->points[1].x - s->points[0].x), h = fabs(s->points[1].y - s->points[0].y);
        put_words(to, s, p[0], p[1], w * hypot(m->xx, m->xy), h * hypot(m->yx, m->yy));
        return;
    }
    if (s->has_fill && s->kind == DIAGRAM_AREA)
        fprintf(to, "<path fill='#%06x'", s->fill);
    else
        fputs("<path fill='none'", to);
    if (s->has_line)
        put_pen(to, s->line, s->width, s->dash);
    put_path(to, p, n, s->smooth, s->kind == DIAGRAM_AREA);
    fputs("/>", to);
    if (s->kind == DIAGRAM_LINE && s->arrow[0])
        put_arrow(to, p[0], p[1], s->line);
    if (s->kind == DIAGRAM_LINE && s->arrow[1])
        put_arrow(to, p[n - 1], p[n - 2], s->line);
}

/* ------------------------------------------------------------------ components, connections */

/* where it stands in the text, and the line itself */
static void put_place(FILE *to, const Place *place)
{
    if (!place->file)
        return;
    const char *slash = strrchr(place->file, '/');
    fputs(" data-file='", to);
    put_text(to, slash ? slash + 1 : place->file);
    fprintf(to, "' data-line='%d' data-source='", place->line);
    char source[240];
    size_t n = place->source ? strcspn(place->source, "\r\n") : 0;
    if (n >= sizeof source)
        n = sizeof source - 1;
    while (n > 0 && n < sizeof source - 1 && ((unsigned char)place->source[n] & 0xc0) == 0x80)
        n--; /* no letter is cut in two */
    memcpy(source, place->source ? place->source : "", n);
    source[n] = '\0';
    put_text(to, source + strspn(source, " \t"));
    fputs("'", to);
}

/* a component: its icon, its name and what is shown when the pointer is over it */
static void put_component(FILE *to, const DiagramComponent *c)
{
    fputs("<g class='component' data-component='", to);
    put_text(to, c->path);
    fputs("'", to);
    put_place(to, &c->place);
    fputs("><title>", to);
    put_text(to, c->name);
    fputs(" : ", to);
    put_text(to, c->class_name);
    if (c->text) {
        fputs("\n", to);
        put_text(to, c->text);
    }
    fputs("</title>", to);
    DiagramBox b = diagram_box(c);
    fprintf(to,
            "<rect class='back' x='%.2f' y='%.2f' width='%.2f' height='%.2f' fill='none' "
            "pointer-events='all'/>",
            b.x0, -b.y1, b.x1 - b.x0, b.y1 - b.y0);
    for (size_t i = 0; i < c->shapes.n; i++)
        put_shape(to, &c->shapes.items[i], &c->map);
    for (size_t i = 0; i < c->ports.n; i++) {
        const DiagramPort *p = &c->ports.items[i];
        DiagramMap m = diagram_compose(&c->map, &p->map);
        fputs("<g class='port'><title>", to);
        put_text(to, c->path);
        fputs(".", to);
        put_text(to, p->name);
        fputs("</title>", to);
        for (size_t k = 0; k < p->shapes.n; k++)
            if (p->shapes.items[k].kind != DIAGRAM_TEXT)
                put_shape(to, &p->shapes.items[k], &m);
        fputs("</g>", to);
    }
    if (!c->labelled && c->shapes.n) { /* below its icon */
        DiagramShape name = {.line = 0x1e3c8c, .text = c->name};
        double mid = (b.x0 + b.x1) / 2;
        put_words(to, &name, (DiagramPoint){mid - 20, b.y0 - 5}, (DiagramPoint){mid + 20, b.y0 - 1},
                  40, 4);
    }
    fputs("</g>\n", to);
}

/* a connection with its dots at junctions */
static void put_connection(FILE *to, const DiagramConnection *c)
{
    if (c->n < 2)
        return;
    fputs("<g class='connection'", to);
    put_place(to, &c->place);
    fputs("><title>connect(", to);
    put_text(to, c->names[0]);
    fputs(", ", to);
    put_text(to, c->names[1]);
    fputs(")</title><path fill='none' stroke-linejoin='round'", to);
    put_pen(to, c->colour, c->automatic ? 0.35 : c->width, c->dash);
    put_path(to, c->points, c->n, c->smooth, false);
    fputs("/></g>\n", to);
}

/* ------------------------------------------------------------------ junctions */

static bool is_between(double v, double a, double b)
{
    return v > fmin(a, b) + 1e-6 && v < fmax(a, b) - 1e-6;
}

/* does the point lie inside a segment of the line? */
static bool lies_on(const DiagramConnection *c, DiagramPoint p)
{
    for (size_t i = 0; i + 1 < c->n; i++) {
        DiagramPoint a = c->points[i], b = c->points[i + 1];
        if ((fabs(a.x - b.x) < 1e-6 && fabs(p.x - a.x) < 1e-6 && is_between(p.y, a.y, b.y)) ||
            (fabs(a.y - b.y) < 1e-6 && fabs(p.y - a.y) < 1e-6 && is_between(p.x, a.x, b.x)))
            return true;
    }
    return false;
}

static bool share_an_end(const DiagramConnection *a, const DiagramConnection *b)
{
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++)
            if (a->ends[i].component == b->ends[k].component && a->ends[i].port == b->ends[k].port)
                return true;
    return false;
}

/* where a line bends away from another of its net that goes on */
static void put_junctions(const Diagram *d, FILE *to)
{
    for (size_t i = 0; i < d->connections.n; i++) {
        const DiagramConnection *c = &d->connections.items[i];
        for (size_t k = 0; k < d->connections.n && c->automatic; k++) {
            const DiagramConnection *other = &d->connections.items[k];
            if (k == i || !other->automatic || !share_an_end(c, other))
                continue;
            for (size_t p = 1; p + 1 < c->n; p++)
                if (lies_on(other, c->points[p]))
                    fprintf(to,
                            "<circle class='junction' cx='%.2f' cy='%.2f' r='0.9' fill='#%06x'/>\n",
                            c->points[p].x, -c->points[p].y, c->colour);
        }
    }
}

/* ------------------------------------------------------------------ the whole */

static void widen(DiagramBox *b, DiagramPoint p)
{
    *b = (DiagramBox){fmin(b->x0, p.x), fmin(b->y0, p.y), fmax(b->x1, p.x), fmax(b->y1, p.y)};
}

static void widen_shapes(DiagramBox *b, const DiagramShapes *shapes, const DiagramMap *m)
{
    for (size_t i = 0; i < shapes->n; i++)
        for (size_t k = 0; k < shapes->items[i].n; k++)
            widen(b, diagram_map(m, shapes->items[i].points[k].x, shapes->items[i].points[k].y));
}

/* the box around everything that is drawn */
static DiagramBox find_bounds(const Diagram *d)
{
    DiagramBox b = {INFINITY, INFINITY, -INFINITY, -INFINITY};
    DiagramMap same = {1, 0, 0, 1, 0, 0};
    widen_shapes(&b, &d->shapes, &same);
    for (size_t i = 0; i < d->components.n; i++) {
        const DiagramComponent *c = &d->components.items[i];
        DiagramBox box = diagram_box(c);
        widen(&b, (DiagramPoint){box.x0, box.y0 - 4});
        widen(&b, (DiagramPoint){box.x1, box.y1});
        widen_shapes(&b, &c->shapes, &c->map);
    }
    for (size_t i = 0; i < d->connections.n; i++)
        for (size_t k = 0; k < d->connections.items[i].n; k++)
            widen(&b, d->connections.items[i].points[k]);
    return isfinite(b.x0) ? b : (DiagramBox){-100, -100, 100, 100};
}

void diagram_svg(const Diagram *d, FILE *to)
{
    DiagramBox b = find_bounds(d);
    double w = b.x1 - b.x0 + 2 * MARGIN, h = b.y1 - b.y0 + 2 * MARGIN;
    double scale = fmin(PIXELS, WIDEST / fmax(w, h));
    fprintf(to,
            "<svg xmlns='http://www.w3.org/2000/svg' width='%.0f' height='%.0f' "
            "viewBox='%.2f %.2f %.2f %.2f' font-family='sans-serif'>\n<title>",
            w * scale, h * scale, b.x0 - MARGIN, -b.y1 - MARGIN, w, h);
    put_text(to, d->title);
    if (d->text) {
        fputs(": ", to);
        put_text(to, d->text);
    }
    fprintf(to,
            "</title>\n<rect class='paper' x='%.2f' y='%.2f' width='%.2f' height='%.2f' "
            "fill='#ffffff'/>\n",
            b.x0 - MARGIN, -b.y1 - MARGIN, w, h);
    DiagramMap same = {1, 0, 0, 1, 0, 0};
    for (size_t i = 0; i < d->shapes.n; i++)
        put_shape(to, &d->shapes.items[i], &same);
    for (size_t i = 0; i < d->connections.n; i++)
        put_connection(to, &d->connections.items[i]);
    put_junctions(d, to);
    for (size_t i = 0; i < d->components.n; i++)
        put_component(to, &d->components.items[i]);
    fputs("</svg>\n", to);
}
