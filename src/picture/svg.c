/* svg.c - a scene as SVG, written without gnuplot: all frames over each other, or moving.
 *
 * In a moving picture every shape is one element whose points run through the frames (SMIL: a list
 * of values, linear in between), so a picture of ten seconds has fifty kilobytes and is sharp at
 * any size, in any browser. The elements hold the first frame, which is what a viewer without
 * animation shows. A bar along the lower edge grows with the time.
 */
#include <math.h>
#include <string.h>

#include "picture/picture.h"

enum { WIDTH = 800, LEFT = 56, RIGHT = 20, TOP = 16, BOTTOM = 40, CLOCK = 34 };

/* from metres to pixels */
typedef struct SvgPage {
    const Scene *scene;
    FILE *to;
    double scale, width, height; /* of the whole */
    double left, right, top, bottom;
} SvgPage;

static double to_x(const SvgPage *g, double x)
{
    return g->left + (x - g->scene->least.x) * g->scale;
}

static double to_y(const SvgPage *g, double y)
{
    return g->bottom - (y - g->scene->least.y) * g->scale;
}

/* scale and margins of the drawing, so that it fits width and height */
static SvgPage set_stage(const Scene *s, FILE *to)
{
    double dx = s->most.x - s->least.x, dy = s->most.y - s->least.y;
    double width = s->width ? s->width : WIDTH;
    double top = s->bare ? 0 : TOP + (s->title ? 24 : 0), left = s->bare ? 0 : LEFT;
    double right = s->bare ? 0 : RIGHT, scale = (width - left - right) / dx;
    double below = s->bare ? 0 : BOTTOM + (s->seconds > 0 ? CLOCK : 0);
    double tallest = (s->height ? s->height : 900) - top - below;
    if (dy * scale > tallest)
        scale = tallest / dy;
    SvgPage g = {.scene = s, .to = to, .scale = scale, .left = left, .top = top};
    g.right = g.left + fmax(dx * scale, s->bare ? 0 : 240);
    g.bottom = g.top + dy * scale;
    g.width = g.right + right;
    g.height = g.bottom + below;
    return g;
}

static void put_text(FILE *to, const char *text)
{
    for (; *text; text++)
        if (*text == '<')
            fputs("&lt;", to);
        else if (*text == '&')
            fputs("&amp;", to);
        else
            fputc((unsigned char)*text < ' ' ? ' ' : *text, to);
}

/* ------------------------------------------------------------------ axes */

/* 1, 2 or 5 times a power of ten, about a sixth of the span */
static double nice_step(double span)
{
    double power = pow(10, floor(log10(span / 6))), part = span / 6 / power;
    return power * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
}

/* the frame with ticks and numbers along both axes */
static void put_axes(const SvgPage *g)
{
    const Scene *s = g->scene;
    double step = nice_step(fmax(s->most.x - s->least.x, s->most.y - s->least.y));
    fputs("<g stroke='#e8e8e8' fill='#444444' font-size='12'>\n", g->to);
    for (double x = ceil(s->least.x / step); x * step <= s->most.x; x++)
        fprintf(g->to,
                "<path d='M%.1f %.1fV%.1f'/><text stroke='none' text-anchor='middle' x='%.1f' "
                "y='%.1f'>%g</text>\n",
                to_x(g, x * step), g->top, g->bottom, to_x(g, x * step), g->bottom + 16,
                x == 0 ? 0 : x * step);
    for (double y = ceil(s->least.y / step); y * step <= s->most.y && !s->rows; y++)
        fprintf(g->to,
                "<path d='M%.1f %.1fH%.1f'/><text stroke='none' text-anchor='end' x='%.1f' "
                "y='%.1f'>%g</text>\n",
                g->left, to_y(g, y * step), g->right, g->left - 6, to_y(g, y * step) + 4,
                y == 0 ? 0 : y * step);
    fprintf(g->to, "<text stroke='none' text-anchor='end' x='%.1f' y='%.1f'>x / m</text>\n",
            g->right, g->bottom + 32);
    if (!s->rows)
        fprintf(g->to,
                "<text stroke='none' text-anchor='end' transform='translate(14 %.1f) "
                "rotate(-90)'>y / m</text>\n",
                g->top);
    fputs("</g>\n", g->to);
}

/* ------------------------------------------------------------------ shapes */

static void begin_animation(const SvgPage *g, const char *attribute)
{
    fprintf(g->to, "<animate attributeName='%s' dur='%.3fs' repeatCount='indefinite' values='",
            attribute, g->scene->seconds);
}

static void put_points(const SvgPage *g, const SceneShape *shape)
{
    for (size_t k = 0; k < shape->n; k++) {
        ScenePoint p = g->scene->points.items[shape->first + k];
        if (isfinite(p.x) && isfinite(p.y))
            fprintf(g->to, "%s%.1f,%.1f", k ? " " : "", to_x(g, p.x), to_y(g, p.y));
    }
}

/* one coordinate of a circle through all frames; the i-th shape of each */
static void put_coordinate(const SvgPage *g, size_t i, const char *name, bool y)
{
    const Scene *s = g->scene;
    begin_animation(g, name);
    for (size_t k = 0; k < s->frames.n; k++) {
        const SceneShape *shape = &s->shapes.items[s->frames.items[k].first + i];
        ScenePoint p = s->points.items[shape->first];
        fprintf(g->to, "%s%.1f", k ? ";" : "", y ? to_y(g, p.y) : to_x(g, p.x));
    }
    fputs("'/>", g->to);
}

/* a circle, with its centre over time if it moves */
static void put_circle(const SvgPage *g, const SceneShape *shape, bool moving, size_t i)
{
    ScenePoint p = g->scene->points.items[shape->first];
    fprintf(g->to,
            "<circle cx='%.1f' cy='%.1f' r='%.1f' fill='#%06x' stroke='#%06x' stroke-width='%g'>",
            to_x(g, p.x), to_y(g, p.y), shape->radius * g->scale, shape->fill, shape->line,
            shape->width);
    if (moving) {
        put_coordinate(g, i, "cx", false);
        put_coordinate(g, i, "cy", true);
    }
    fputs("</circle>\n", g->to);
}

/* a line or an area, with its points over time if it moves */
static void put_polygon(const SvgPage *g, const SceneShape *shape, bool moving, size_t i)
{
    const Scene *s = g->scene;
    const char *element = shape->kind == SCENE_AREA ? "polygon" : "polyline";
    char fill[16] = "none";
    if (shape->kind == SCENE_AREA)
        snprintf(fill, sizeof fill, "#%06x", shape->fill);
    fprintf(g->to, "<%s fill='%s' stroke='#%06x' stroke-width='%g' points='", element, fill,
            shape->line, shape->width);
    put_points(g, shape);
    fputs("'>", g->to);
    if (moving) {
        begin_animation(g, "points");
        for (size_t k = 0; k < s->frames.n; k++) {
            fputs(k ? ";" : "", g->to);
            put_points(g, &s->shapes.items[s->frames.items[k].first + i]);
        }
        fputs("'/>", g->to);
    }
    fprintf(g->to, "</%s>\n", element);
}

static void put_shape(const SvgPage *g, const SceneShape *shape, bool moving, size_t i)
{
    if (shape->kind == SCENE_CIRCLE)
        put_circle(g, shape, moving, i);
    else
        put_polygon(g, shape, moving, i);
}

/* the bar that grows with time */
static void put_clock(const SvgPage *g)
{
    const Scene *s = g->scene;
    double y = g->height - 22, length = g->right - g->left;
    fprintf(g->to,
            "<g font-size='12' fill='#444444'><rect x='%.1f' y='%.1f' width='%.1f' height='4' "
            "fill='#dddddd'/><rect x='%.1f' y='%.1f' width='0' height='4' fill='#0072b2'>",
            g->left, y, length, g->left, y);
    begin_animation(g, "width");
    fprintf(g->to, "0;%.1f'/></rect>", length);
    fprintf(g->to,
            "<text x='%.1f' y='%.1f'>%g s</text><text text-anchor='end' x='%.1f' y='%.1f'>%g "
            "s</text></g>\n",
            g->left, y + 17, s->frames.items[0].t, g->right, y + 17,
            s->frames.items[s->frames.n - 1].t);
}

/* when a frame was, beside it */
static void put_time(const SvgPage *g, const SceneFrame *frame)
{
    if (isfinite(frame->label.x))
        fprintf(g->to, "<text x='%.1f' y='%.1f' font-size='12' fill='#555555'>%.3g s</text>\n",
                to_x(g, frame->label.x) + 4, to_y(g, frame->label.y) + 4, frame->t);
}

/* all frames of a still picture with their times, or the first one in motion with a clock */
static void put_frames(const SvgPage *g)
{
    const Scene *s = g->scene;
    bool moving = s->seconds > 0;
    size_t shown = moving && s->frames.n ? 1 : s->frames.n;
    for (size_t k = 0; k < shown; k++)
        for (size_t i = 0; i < s->frames.items[k].n; i++)
            put_shape(g, &s->shapes.items[s->frames.items[k].first + i], moving, i);
    for (size_t k = 0; k < s->frames.n && !moving; k++)
        put_time(g, &s->frames.items[k]);
    if (moving && shown)
        put_clock(g);
}

void scene_svg(const Scene *s, FILE *to)
{
    SvgPage g = set_stage(s, to);
    if (!s->bare)
        fputs("<?xml version='1.0' encoding='UTF-8'?>\n", to);
    fprintf(to,
            "<svg xmlns='http://www.w3.org/2000/svg' "
            "width='%.0f' height='%.0f' viewBox='0 0 %.0f %.0f' "
            "font-family='Helvetica,Arial,sans-serif' stroke-linejoin='round' "
            "stroke-linecap='round'>\n<rect width='100%%' height='100%%' fill='#ffffff'/>\n",
            g.width, g.height, g.width, g.height);
    if (s->title) {
        fprintf(to, "<text x='%d' y='24' font-size='15' fill='#222222'>", LEFT);
        put_text(to, s->title);
        fputs("</text>\n", to);
    }
    if (!s->bare)
        put_axes(&g);
    size_t nbackground = s->frames.n ? s->frames.items[0].first : s->shapes.n;
    for (size_t i = 0; i < nbackground; i++)
        put_shape(&g, &s->shapes.items[i], false, 0);
    put_frames(&g);
    fputs("</svg>\n", to);
}
