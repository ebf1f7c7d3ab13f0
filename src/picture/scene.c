/* scene.c - shapes in the plane, and how gnuplot draws them; svg.c writes .svg itself.
 *
 * A stroboscopic picture is all frames over each other, the earlier the paler. Colours are mixed
 * with white when a shape is added, so that no format needs transparency. Points are metres; widths
 * of lines are pixels.
 */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "picture/picture.h"

/* ------------------------------------------------------------------ shapes */

static unsigned mix_with_white(unsigned colour, double share)
{
    unsigned mixed = 0;
    for (int shift = 0; shift <= 16; shift += 8) {
        double part = colour >> shift & 255;
        mixed |= (unsigned)lround(part + (255 - part) * share) << shift;
    }
    return mixed;
}

void scene_shape(Scene *s, SceneKind kind, unsigned line, unsigned fill, double width)
{
    SceneShape shape = {.kind = kind,
                        .line = mix_with_white(line, s->fade),
                        .fill = mix_with_white(fill, s->fade),
                        .width = width,
                        .first = s->points.n};
    s->failed |= !vec_push(&s->alloc, &s->shapes, shape);
    if (s->frames.n && !s->failed)
        s->frames.items[s->frames.n - 1].n++;
}

void scene_point(Scene *s, double x, double y)
{
    s->failed |= !vec_push(&s->alloc, &s->points, (ScenePoint){x, y});
    if (!s->failed)
        s->shapes.items[s->shapes.n - 1].n++;
}

void scene_circle(Scene *s, double x, double y, double radius, unsigned line, unsigned fill)
{
    scene_shape(s, SCENE_CIRCLE, line, fill, 1.2);
    scene_point(s, x, y);
    if (!s->failed)
        s->shapes.items[s->shapes.n - 1].radius = radius;
}

void scene_frame(Scene *s, double t)
{
    SceneFrame frame = {.t = t, .first = s->shapes.n, .label = {NAN, NAN}};
    s->failed |= !vec_push(&s->alloc, &s->frames, frame);
}

void scene_drop(Scene *s)
{
    vec_drop(&s->alloc, &s->points);
    vec_drop(&s->alloc, &s->shapes);
    vec_drop(&s->alloc, &s->frames);
}

static size_t background_count(const Scene *s)
{
    return s->frames.n ? s->frames.items[0].first : s->shapes.n;
}

/* ------------------------------------------------------------------ the script */

typedef struct SceneSheet {
    const Scene *scene;
    PictureFormat format;
} SceneSheet;

/* pixels of the whole picture: as high as the scene asks for at this width */
static void picture_size(const Scene *s, double *width, double *height)
{
    double dx = s->most.x - s->least.x, dy = s->most.y - s->least.y;
    *width = s->width ? s->width : 800;
    double most = 900, least = s->rows ? 200 : 260;
    *height = s->height ? s->height : fmin(most, fmax(least, (*width - 110) * dy / dx + 90));
    if (!s->width && *height == most) // tall: not wider than it needs to be
        *width = fmax(360, (most - 90) * dx / dy + 110);
}

/* size and format for gnuplot */
static void put_terminal(const Scene *s, PictureFormat format, FILE *to)
{
    double w, h;
    picture_size(s, &w, &h);
    double scale = format == PICTURE_PNG && !s->width ? 1.5 : 1;
    fputs("set encoding utf8\n", to);
    if (format == PICTURE_PDF)
        fprintf(to,
                "set terminal pdfcairo noenhanced size %.4fin,%.4fin font 'sans,10' fontscale 0.66 "
                "linewidth 1.5 "
                "background '#ffffff'\n",
                w / 96, h / 96);
    else if (format == PICTURE_PNG)
        fprintf(to,
                "set terminal pngcairo noenhanced size %.0f,%.0f font 'sans,%g' linewidth %g "
                "background '#ffffff'\n",
                w * scale, h * scale, 10 * scale, scale);
    else
        fprintf(to,
                "set terminal gif animate delay %.0f loop 0 noenhanced size %.0f,%.0f font "
                "'sans,10' background '#ffffff'\n",
                fmax(2, 100 * s->seconds / (double)s->frames.n), w, h);
}

static void put_style(const Scene *s, FILE *to)
{
    fputs("set border 3 linecolor rgb '#777777' linewidth 0.8\n"
          "set tics nomirror out scale 0.6 textcolor rgb '#222222'\n"
          "set grid linetype 1 linecolor rgb '#e8e8e8' linewidth 0.7\n"
          "set size ratio -1\nset clip two\nunset key\nset xlabel 'x / m'\n"
          "set style fill solid 1.0 border\n",
          to);
    fputs(s->rows ? "set border 1\nunset ytics\n" : "set ylabel 'y / m'\n", to);
    fprintf(to, "set xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\n", s->least.x, s->most.x,
            s->least.y, s->most.y);
}

/* the data of a shape; its name is its number */
static void put_data(const Scene *s, size_t i, FILE *to)
{
    const SceneShape *shape = &s->shapes.items[i];
    fprintf(to, "$s%zu << EOD\n", i);
    for (size_t k = 0; k < shape->n; k++) {
        ScenePoint p = s->points.items[shape->first + k];
        if (isfinite(p.x) && isfinite(p.y))
            fprintf(to, "%.7g %.7g %.7g\n", p.x, p.y, shape->radius);
        else
            fputc('\n', to);
    }
    fputs("EOD\n", to);
}

static bool is_visible(const Scene *s, const SceneShape *shape)
{
    for (size_t k = 0; k < shape->n; k++) {
        ScenePoint p = s->points.items[shape->first + k];
        if (isfinite(p.x) && isfinite(p.y))
            return true;
    }
    return false;
}

/* the part of a plot command for one shape; returns what goes before the next */
static const char *put_shape(const Scene *s, size_t i, const char *before, FILE *to)
{
    const SceneShape *shape = &s->shapes.items[i];
    if (!is_visible(s, shape))
        return before;
    fprintf(to, "%s$s%zu ", before, i);
    if (shape->kind == SCENE_CIRCLE)
        fprintf(to,
                "using 1:2:3 with circles fillcolor rgb '#%06x' fillstyle solid border linecolor "
                "rgb '#%06x' linewidth %g",
                shape->fill, shape->line, shape->width);
    if (shape->kind == SCENE_AREA)
        fprintf(to, "using 1:2 with filledcurves closed fillcolor rgb '#%06x', $s%zu ", shape->fill,
                i);
    if (shape->kind != SCENE_CIRCLE)
        fprintf(to, "using 1:2 with lines linecolor rgb '#%06x' linewidth %g", shape->line,
                shape->width);
    return ", \\\n     ";
}

static void put_label(FILE *to, double t, ScenePoint at)
{
    fprintf(to,
            "set label '%.3g s' at %.7g, %.7g left offset 0.6,0.4 textcolor rgb '#555555' front\n",
            t, at.x, at.y);
}

/* one plot of the background and the frames from `first` on */
static void put_plot(const Scene *s, size_t first, size_t n, FILE *to)
{
    const char *before = "plot ";
    for (size_t i = 0; i < background_count(s); i++)
        before = put_shape(s, i, before, to);
    for (size_t k = first; k < first + n; k++)
        for (size_t i = 0; i < s->frames.items[k].n; i++)
            before = put_shape(s, s->frames.items[k].first + i, before, to);
    fputc('\n', to);
}

/* the whole script of a scene */
static void put_script(const void *user, FILE *to)
{
    const SceneSheet *sheet = user;
    const Scene *s = sheet->scene;
    put_terminal(s, sheet->format, to);
    put_style(s, to);
    for (size_t i = 0; i < s->shapes.n; i++)
        put_data(s, i, to);
    if (s->title) {
        fputs("set title ", to);
        gnuplot_text(to, s->title);
        fputc('\n', to);
    }
    if (s->seconds > 0) {
        for (size_t k = 0; k < s->frames.n; k++) {
            fprintf(to, "set label 1 't = %.3f s' at graph 0.02, graph 0.96 left\n",
                    s->frames.items[k].t);
            put_plot(s, k, 1, to);
        }
        return;
    }
    for (size_t k = 0; k < s->frames.n; k++)
        if (!isnan(s->frames.items[k].label.x))
            put_label(to, s->frames.items[k].t, s->frames.items[k].label);
    put_plot(s, 0, s->frames.n, to);
}

/* ------------------------------------------------------------------ files */

static void put_svg(const void *user, FILE *to)
{
    scene_svg(user, to);
}

LiederStatus scene_write(const Scene *s, const char *path, char *message, size_t size)
{
    PictureFormat format;
    bool moving = s->seconds > 0;
    if (!picture_format(path, &format) || (format == PICTURE_GIF) > moving) {
        snprintf(message, size, "a picture is .svg, .png or .pdf: %.700s is none of them", path);
        return LIEDER_BAD_USE;
    }
    if (format == PICTURE_SVG)
        return picture_file(path, put_svg, s, message, size);
    if (moving && format != PICTURE_GIF) {
        snprintf(message, size, "an animation is .svg or .gif: %.700s is neither", path);
        return LIEDER_BAD_USE;
    }
    return gnuplot_draw(path, put_script, &(SceneSheet){s, format}, message, size);
}
