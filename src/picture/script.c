/* script.c - a picture as a script for gnuplot, data and all.
 *
 * Panels stand one below the other with their left edges in line, so every margin is set here and
 * none by gnuplot. The legend stands above its panel, where it hides no curve, or to the right of
 * it when it is long. Colours are those of Okabe and Ito without yellow: told apart by the
 * colour-blind and, by their brightness, in grey. Many curves of one family are coloured along a
 * gradient (viridis) with a bar beside the panels instead of a legend.
 *
 * A curve of a million points would make a picture of a hundred megabytes that looks the same as
 * one of a few thousand. Over a rising x the points are put into as many bins as a line has dots,
 * and of each bin the first, least, greatest and last stay (Jugel et al., "M4: A visualization-
 * oriented time series data aggregation", VLDB 2014): no dot differs. Elsewhere points are left out
 * that lie within a dot of the one before.
 */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "picture/picture.h"

static const char *const colours[PICTURE_COLOURS] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                     "#56b4e9", "#e69f00", "#222222"};
static const char *const dashes[PICTURE_DASHES] = {"solid", "(8,5)", "(2,4)", "(10,4,2,4)"};

enum { DOTS = 2000, MAX_PLAIN_POINTS = 4 * DOTS };

/* ------------------------------------------------------------------ texts */

/* In single quotes gnuplot takes a quote at the begin or end for the end of the string; in double
 * ones three characters have a meaning, a backquote even that of a command, and are written by
 * number. */
void gnuplot_text(FILE *to, const char *text)
{
    fputc('"', to);
    for (; *text; text++)
        if (strchr("\"\\`", *text))
            fprintf(to, "\\%03o", (unsigned)*text);
        else
            fputc((unsigned char)*text < ' ' ? ' ' : *text,
                  to); // a line break would end the command
    fputc('"', to);
}

/* letters of a text in UTF-8 */
static size_t script_letters(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += (*text & 0xc0) != 0x80;
    return n;
}

const char *picture_unit(const char *unit, char *buffer, size_t size)
{
    static const char *const raised[10] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    size_t n = 0;
    buffer[0] = '\0';
    for (const char *s = unit; *s && n + 4 < size; s++) {
        bool after_letter = s > unit && (s[-1] == ')' || (s[-1] | 32) >= 'a');
        if (*s == '.')
            n += (size_t)snprintf(buffer + n, size - n, "·");
        else if (*s >= '0' && *s <= '9' && after_letter)
            n += (size_t)snprintf(buffer + n, size - n, "%s", raised[*s - '0']);
        else
            n += (size_t)snprintf(buffer + n, size - n, "%c", *s);
    }
    return strcmp(buffer, "1") == 0 ? strcpy(buffer, "") : buffer;
}

const char *picture_label(const char *name, const char *unit, char *buffer, size_t size)
{
    char pretty[64];
    picture_unit(unit, pretty, sizeof pretty);
    snprintf(buffer, size, "%s%s%s", name, *name && *pretty ? " / " : "", pretty);
    return buffer;
}

bool picture_format(const char *path, PictureFormat *format)
{
    static const char *const ends[] = {[PICTURE_SVG] = ".svg",
                                       [PICTURE_PNG] = ".png",
                                       [PICTURE_PDF] = ".pdf",
                                       [PICTURE_GIF] = ".gif"};
    for (*format = PICTURE_SVG; *format <= PICTURE_GIF; ++*format)
        if (text_ends(path, ends[*format]))
            return true;
    return false;
}

/* ------------------------------------------------------------------ data */

typedef struct Span {
    double from, to;
} Span;

static bool shown(const PicturePanel *panel, const PictureCurve *c, size_t i)
{
    return isfinite(c->x[i]) && isfinite(c->y[i]) && !(panel->log_x && c->x[i] <= 0) &&
           !(panel->log_y && c->y[i] <= 0);
}

static void widen_range(Span *s, double value)
{
    s->from = fmin(s->from, value);
    s->to = fmax(s->to, value);
}

static void put_point(FILE *to, const PictureCurve *c, size_t i)
{
    fprintf(to, "%.10g %.10g\n", c->x[i], c->y[i]);
}

/* a run of points with rising x: of each bin the first, least, greatest and last */
static void put_rising(FILE *to, const PicturePanel *panel, const PictureCurve *c, size_t begin,
                       size_t end)
{
    double from = c->x[begin], span = c->x[end - 1] - from;
    double ratio = panel->log_x ? log(c->x[end - 1] / from) : 0;
    for (size_t i = begin; i < end;) {
        size_t first = i, least = i, greatest = i;
        double share = ratio > 0  ? log(c->x[i] / from) / ratio
                       : span > 0 ? (c->x[i] - from) / span
                                  : 0;
        double edge = (floor(share * DOTS) + 1) / DOTS;
        double limit = ratio > 0 ? from * exp(edge * ratio) : from + edge * span;
        for (; i < end && (c->x[i] < limit || i == first); i++) {
            least = c->y[i] < c->y[least] ? i : least;
            greatest = c->y[i] > c->y[greatest] ? i : greatest;
        }
        size_t low = least < greatest ? least : greatest, high = least + greatest - low;
        put_point(to, c, first);
        if (low != first)
            put_point(to, c, low);
        if (high != low && high != first)
            put_point(to, c, high);
        if (i - 1 != high && i - 1 != first)
            put_point(to, c, i - 1);
    }
}

/* a run of points that goes anywhere: those that lie apart, and the last */
static void put_apart(FILE *to, const PictureCurve *c, size_t begin, size_t end)
{
    Span x = {INFINITY, -INFINITY}, y = x;
    for (size_t i = begin; i < end; i++) {
        widen_range(&x, c->x[i]);
        widen_range(&y, c->y[i]);
    }
    double dx = (x.to - x.from) / DOTS, dy = (y.to - y.from) / DOTS;
    size_t last = begin;
    put_point(to, c, begin);
    for (size_t i = begin + 1; i < end; i++)
        if (fabs(c->x[i] - c->x[last]) > dx || fabs(c->y[i] - c->y[last]) > dy || i + 1 == end) {
            put_point(to, c, i);
            last = i;
        }
}

/* points of a curve from one gap to the next, thinned out where there are too many */
static void put_run(FILE *to, const PicturePanel *panel, const PictureCurve *c, size_t begin,
                    size_t end)
{
    bool rising = true;
    for (size_t i = begin + 1; i < end && rising; i++)
        rising = c->x[i] >= c->x[i - 1];
    if (end - begin <= MAX_PLAIN_POINTS)
        for (size_t i = begin; i < end; i++)
            put_point(to, c, i);
    else if (rising)
        put_rising(to, panel, c, begin, end);
    else
        put_apart(to, c, begin, end);
}

/* a data block of gnuplot: a blank line interrupts the curve */
static void put_curve(FILE *to, const PicturePanel *panel, const PictureCurve *c, size_t ipanel,
                      size_t icurve)
{
    fprintf(to, "$panel%zu_curve%zu << EOD\n", ipanel + 1, icurve + 1);
    for (size_t begin = 0, end; begin < c->n; begin = end) {
        for (end = begin; end < c->n && shown(panel, c, end);)
            end++;
        if (end > begin) {
            put_run(to, panel, c, begin, end);
            fputc('\n', to);
        }
        while (end < c->n && !shown(panel, c, end))
            end++;
    }
    fputs("EOD\n", to);
}

static bool has_points(const PicturePanel *panel, const PictureCurve *c)
{
    for (size_t i = 0; i < c->n; i++)
        if (shown(panel, c, i))
            return true;
    return false;
}

bool picture_has_points(const PicturePanel *panel)
{
    for (size_t i = 0; i < panel->ncurve; i++)
        if (has_points(panel, &panel->curves[i]))
            return true;
    return false;
}

/* ------------------------------------------------------------------ sizes */

/* lengths in pixels before scaling, or in characters of text */
typedef struct PageLayout {
    bool text;
    double width, height, scale;
    double left, right, top, bottom, gap;
    double letter, line; /* size of a character */
    double font;         /* size in the unit of the terminal */
    double panel;        /* height of a panel */
    bool beside;         /* legends to the right, not above */
    bool no_legend;
    size_t most; /* entries of a legend */
} PageLayout;

static size_t longest_label(const PicturePanel *panel, size_t *nlabel)
{
    size_t longest = 0;
    *nlabel = 0;
    for (size_t i = 0; i < panel->ncurve; i++)
        if (panel->curves[i].label) {
            size_t length = script_letters(panel->curves[i].label);
            longest = length > longest ? length : longest;
            ++*nlabel;
        }
    return longest;
}

enum { ENTRY = 7 }; /* letters that the sample of a line and the gaps take */

/* entries of a legend above its panel that stand side by side */
static size_t legend_columns(const PageLayout *l, const PicturePanel *panel)
{
    size_t n, longest = longest_label(panel, &n);
    double room = (l->width - l->left - l->right) / ((double)(longest + ENTRY) * l->letter);
    return room < 1 ? 1 : (size_t)room;
}

static double legend_height(const PageLayout *l, const PicturePanel *panel)
{
    size_t n, columns = legend_columns(l, panel);
    longest_label(panel, &n);
    if (l->no_legend || l->beside || n == 0)
        return 0;
    return l->line * (double)((n + columns - 1) / columns + l->text);
}

/* a terminal: the numbers of the y axis need ten characters, the x axis three lines */
static PageLayout lay_out_text(const Picture *p)
{
    double n = (double)p->npanel;
    return (PageLayout){.text = true,
                        .scale = 1,
                        .width = p->width ? p->width : 80,
                        .height = p->height ? p->height
                                  : n == 1  ? 24
                                            : 4 + 13 * n,
                        .left = 11,
                        .right = 2,
                        .top = p->title ? 2 : 1,
                        .bottom = 3,
                        .gap = p->shared_x ? 1 : 3,
                        .letter = 1,
                        .line = 1};
}

/* about how many characters the longest number at the y axis of a panel has */
static double number_length(const PicturePanel *panel)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t c = 0; c < panel->ncurve; c++)
        for (size_t i = 0; i < panel->curves[c].n; i++)
            if (isfinite(panel->curves[c].y[i])) {
                low = fmin(low, panel->curves[c].y[i]);
                high = fmax(high, panel->curves[c].y[i]);
            }
    double most = fmax(fabs(low), fabs(high)), step = (high - low) / 8;
    if (!(step > 0) || panel->log_y || most >= 1e6 || most < 1e-4)
        return 6;
    double before = most < 1 ? 1 : 1 + floor(log10(most));
    double behind = step < 1 ? ceil(-log10(step)) : 0;
    return (low < 0) + before + (behind > 0) + fmin(behind, 6);
}

/* sizes of panels and margins for files */
static PageLayout lay_out_graphics(const Picture *p, PictureFormat format)
{
    size_t n = p->npanel, longest = 0;
    bool square = n == 1 && p->panels[0].equal;
    PageLayout l = {.scale = 1,
                    .width = 800,
                    .height = square   ? 640
                              : n == 1 ? 450
                                       : 110 + 180 * (double)n,
                    .left = 84,
                    .top = p->title ? 40 : 14,
                    .bottom = 56,
                    .gap = p->shared_x ? 16 : 62,
                    .letter = 7.4,
                    .line = 18,
                    .no_legend = p->bar};
    for (size_t i = 0; i < n; i++) {
        size_t count, length = longest_label(&p->panels[i], &count);
        longest = length > longest ? length : longest;
        l.beside |= count > 8;
        l.most = count > l.most ? count : l.most;
        l.left = fmax(l.left, 42 + l.letter * number_length(&p->panels[i]));
    }
    l.right = p->bar ? 120 : l.beside ? 70 + l.letter * (double)longest : 24;
    if (l.right > 0.45 * l.width)
        l.right = 0.45 * l.width;
    if (p->width && p->height) {
        l.scale = fmin(p->width / l.width, p->height / l.height);
        l.width = p->width / l.scale;
        l.height = p->height / l.scale;
    } else if (format == PICTURE_PNG) {
        l.scale = 1.5; // sharp on paper and on fine screens
    }
    l.font = (format == PICTURE_SVG ? 13 : 10) * l.scale; // pixels, points
    return l;
}

static PageLayout lay_out(const Picture *p, PictureFormat format)
{
    PageLayout l = format == PICTURE_TEXT ? lay_out_text(p) : lay_out_graphics(p, format);
    double n = (double)p->npanel, room = l.height - l.top - l.bottom - (n - 1) * l.gap;
    for (size_t i = 0; i < p->npanel; i++)
        room -= legend_height(&l, &p->panels[i]);
    l.panel = fmax(room / n, 4 * l.line);
    return l;
}

/* ------------------------------------------------------------------ the script */

/* size, colours and format for gnuplot */
static void put_terminal(const PageLayout *l, PictureFormat format, const char *output,
                         bool coloured, FILE *to)
{
    double w = l->width * l->scale, h = l->height * l->scale;
    static const char shared[] = "dashlength 0.7 background '#ffffff'";
    fputs("set encoding utf8\n", to);
    switch (format) {
    case PICTURE_TEXT:
        fprintf(to, "set terminal dumb noenhanced %s size %.0f,%.0f aspect 2,1\n",
                coloured ? "ansi" : "mono", w, h);
        break;
    case PICTURE_SVG:
        fprintf(to,
                "set terminal svg noenhanced size %.0f,%.0f font 'Helvetica,Arial,sans-serif,%g' "
                "linewidth %g %s\n",
                w, h, l->font, l->scale, shared);
        break;
    case PICTURE_PNG:
        fprintf(to,
                "set terminal pngcairo noenhanced size %.0f,%.0f font 'sans,%g' linewidth %g %s\n",
                w, h, l->font, l->scale, shared);
        break;
    case PICTURE_GIF: // animations, by scene.c
        break;
    case PICTURE_PDF: // 96 pixels an inch
        fprintf(to,
                "set terminal pdfcairo noenhanced size %.4fin,%.4fin font 'sans,%g' fontscale 0.66 "
                "linewidth %g "
                "%s\n",
                w / 96, h / 96, l->font, 1.5 * l->scale, shared);
        break;
    }
    if (output) {
        fputs("set output ", to);
        gnuplot_text(to, output);
        fputc('\n', to);
    }
}

static void put_setting(FILE *to, const char *what, const char *text)
{
    fprintf(to, "set %s ", what);
    gnuplot_text(to, text ? text : "");
    fputc('\n', to);
}

/* borders, tics and lines */
static void put_style(const Picture *p, const PageLayout *l, FILE *to)
{
    fputs("set multiplot\n"
          "set border 3 linecolor rgb '#555555' linewidth 0.8\n"
          "set tics nomirror out scale 0.6 textcolor rgb '#222222'\n"
          "set autoscale fix\n",
          to);
    fprintf(to, "set offsets graph %s, graph 0.06, graph 0.06\n",
            p->phase ? "0.04, graph 0.04" : "0, graph 0");
    if (!l->text)
        fputs("set grid linetype 1 linecolor rgb '#dddddd' linewidth 0.7\n", to);
    if (p->x_from < p->x_to)
        fprintf(to, "set xrange [%.10g:%.10g]\n", p->x_from, p->x_to);
    if (p->bar && !l->text) {
        fprintf(to,
                "set palette defined (0 '#440154', 1 '#3b528b', 2 '#21918c', 3 '#5ec962', "
                "4 '#e8d820')\n"
                "%sset cbrange [%.10g:%.10g]\n"
                "set colorbox user origin screen %.6f,%.6f size screen %.6f,%.6f noborder\n",
                p->bar_log ? "set logscale cb\nset format cb '%g'\n" : "", p->bar_from, p->bar_to,
                1 - (l->right - 20) / l->width, l->bottom / l->height, 14 / l->width,
                (l->height - l->bottom - l->top) / l->height);
        put_setting(to, "cblabel", p->bar);
    }
    if (p->title) {
        fputs("set label 1 ", to);
        gnuplot_text(to, p->title);
        char font[32];
        snprintf(font, sizeof font, " font ',%g'", 1.2 * l->font);
        fprintf(to, " at screen %.6f, screen %.6f left%s\n", l->left / l->width,
                1 - (l->text ? 0.5 : 20) / l->height, l->text ? "" : font);
    }
}

/* where the middle of a text is, in pixels from the upper left */
typedef struct LabelPlace {
    double x, y;
    bool upright;
} LabelPlace;

/* a label and not xlabel or ylabel, which move with the length of the numbers */
static void put_label(FILE *to, int number, const char *text, LabelPlace at, const PageLayout *l)
{
    fprintf(to, "set label %d ", number);
    gnuplot_text(to, text ? text : "");
    fprintf(to, " at screen %.6f, screen %.6f center%s\n", at.x / l->width, 1 - at.y / l->height,
            at.upright ? " rotate" : "");
}

/* `bottom` is the lower edge of the panel; text has no turned letters: there the legend names what
 * is shown */
static void put_axes(const Picture *p, const PicturePanel *panel, const PageLayout *l,
                     double bottom, bool lowest, FILE *to)
{
    fputs(panel->log_x ? "set logscale x\n" : "unset logscale x\n", to);
    fputs(panel->log_y ? "set logscale y\nset format y '%g'\n"
                       : "unset logscale y\nset format y '%h'\n",
          to);
    fputs(panel->equal && !l->text ? "set size ratio -1\n" : "set size noratio\n", to);
    if (p->shared_x && !lowest) {
        fputs("set format x ''\nunset xlabel\n", to);
    } else {
        fputs(panel->log_x ? "set format x '%g'\n" : "set format x '%h'\n", to);
        if (l->text)
            put_setting(to, "xlabel", panel->x_label);
        else
            put_label(to, 3, panel->x_label,
                      (LabelPlace){(l->left + l->width - l->right) / 2, bottom + 43, false}, l);
    }
    if (!l->text)
        put_label(to, 2, panel->y_label, (LabelPlace){16, bottom - l->panel / 2, true}, l);
}

/* colour, width and dashes of a curve; the i-th of a panel */
static void put_curve_style(const Picture *p, const PictureCurve *c, size_t i, const PageLayout *l,
                            FILE *to)
{
    if (l->text) {
        fprintf(to, " linetype %zu", i % 8 + 1);
        return;
    }
    if (p->bar)
        fputs(" linecolor palette linewidth 1.6", to);
    else
        fprintf(to, " linecolor rgb '%s' linewidth 2", colours[c->colour % PICTURE_COLOURS]);
    int dash = p->bar ? 0 : (c->dash + c->colour / PICTURE_COLOURS) % PICTURE_DASHES;
    if (c->points)
        fputs(" pointtype 7 pointsize 0.5", to);
    else
        fprintf(to, " dashtype %s", dashes[dash]);
}

/* The legend is drawn here: gnuplot would place its own by a width of letters that it guesses anew
 * for each terminal. `top` is the upper edge of the panel; arrows and labels are counted from 10.
 */
static void put_legend(const Picture *p, const PicturePanel *panel, const PageLayout *l, double top,
                       FILE *to)
{
    size_t n, columns = l->beside ? 1 : legend_columns(l, panel);
    double entry = (double)(longest_label(panel, &n) + ENTRY) * l->letter;
    fputs("unset key\nunset arrow\n", to);
    for (size_t i = 10; i < 10 + l->most; i++)
        fprintf(to, "unset label %zu\n", i);
    for (size_t i = 0, k = 0; i < panel->ncurve && !l->no_legend; i++) {
        const PictureCurve *c = &panel->curves[i];
        if (!c->label)
            continue;
        double x = l->beside ? l->width - l->right + 14 : l->left + entry * (double)(k % columns);
        double y = l->beside
                       ? top + l->line * (double)k + 8
                       : top - legend_height(l, panel) + l->line * ((double)(k / columns) + 0.35);
        double line = 1 - y / l->height;
        if (c->points)
            fprintf(to, "set label %zu ' ' at screen %.6f, screen %.6f point", k + 110,
                    (x + 12) / l->width, line);
        else
            fprintf(
                to,
                "set arrow %zu from screen %.6f, screen %.6f to screen %.6f, screen %.6f nohead",
                k + 10, x / l->width, line, (x + 24) / l->width, line);
        put_curve_style(p, c, i, l, to);
        fprintf(to, "\nset label %zu ", k + 10);
        gnuplot_text(to, c->label);
        fprintf(to, " at screen %.6f, screen %.6f left\n", (x + 31) / l->width, line);
        k++;
    }
}

/* a terminal has gnuplot's legend: all letters are of one size */
static void put_text_legend(const PicturePanel *panel, const PageLayout *l, double top, FILE *to)
{
    fprintf(to,
            "set key at screen %.6f, screen %.6f left bottom Left reverse horizontal samplen 2 "
            "maxcols %zu\n",
            l->left / l->width, 1 - (top - 1) / l->height, legend_columns(l, panel));
}

/* the plot command of a panel */
static void put_plot(const Picture *p, const PicturePanel *panel, size_t ipanel,
                     const PageLayout *l, FILE *to)
{
    const char *before = "plot ";
    for (size_t i = 0; i < panel->ncurve; i++) {
        const PictureCurve *c = &panel->curves[i];
        if (!has_points(panel, c))
            continue;
        fprintf(to, "%s$panel%zu_curve%zu using 1:2", before, ipanel + 1, i + 1);
        if (p->bar && !l->text)
            fprintf(to, ":(%.10g)", c->shade);
        fputs(c->points ? " with points" : " with lines", to);
        put_curve_style(p, c, i, l, to);
        fputs(c->label ? " title " : " notitle", to);
        if (c->label)
            gnuplot_text(to, c->label);
        before = ", \\\n     ";
    }
    fputs("\n", to);
}

void picture_script(const Picture *p, PictureFormat format, const char *output, bool coloured,
                    FILE *to)
{
    PageLayout l = lay_out(p, format);
    fputs("# a picture by lieder, for gnuplot 5.2 or newer\n", to);
    put_terminal(&l, format, output, coloured, to);
    for (size_t i = 0; i < p->npanel; i++)
        for (size_t k = 0; k < p->panels[i].ncurve; k++)
            put_curve(to, &p->panels[i], &p->panels[i].curves[k], i, k);
    put_style(p, &l, to);
    fprintf(to, "set lmargin at screen %.6f\nset rmargin at screen %.6f\n", l.left / l.width,
            1 - l.right / l.width);
    double top = l.top;
    for (size_t i = 0; i < p->npanel; i++) {
        const PicturePanel *panel = &p->panels[i];
        top += legend_height(&l, panel);
        fprintf(to, "\nset tmargin at screen %.6f\nset bmargin at screen %.6f\n",
                1 - top / l.height, 1 - (top + l.panel) / l.height);
        put_axes(p, panel, &l, top + l.panel, i + 1 == p->npanel, to);
        if (l.text)
            put_text_legend(panel, &l, top, to);
        else
            put_legend(p, panel, &l, top, to);
        put_plot(p, panel, i, &l, to);
        if (i == 0)
            fputs("unset label 1\nunset colorbox\n", to);
        top += l.panel + l.gap;
    }
    fputs("unset multiplot\n", to);
}
