/* test_picture.c - pictures: what the script says, and that gnuplot makes files of it. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <math.h>

#include "record/help.h"
#include "picture/picture.h"

/* ------------------------------------------------------------------ scripts */

static char *script_of(const Picture *p, PictureFormat format, const char *output)
{
    FILE *f = tmpfile();
    assert_non_null(f);
    picture_script(p, format, output, false, f);
    size_t n = (size_t)ftell(f);
    char *text = malloc(n + 1);
    rewind(f);
    text[fread(text, 1, n, f)] = '\0';
    fclose(f);
    return text;
}

static void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("\"%s\" is missing in:\n%.3000s", part, text);
}

static const double x[] = {0, 1, 2, NAN, 3}, y[] = {1, -1, 0, 5, 2};
static const PictureCurve curves[] = {{.label = "it's", .x = x, .y = y, .n = 5},
                                      {.label = "b_2", .x = x, .y = y, .n = 3, .colour = 8}};
static const PicturePanel panels[] = {
    {.x_label = "time / s", .y_label = "s / m", .curves = curves, .ncurve = 2},
    {.x_label = "time / s", .y_label = "v", .curves = curves, .ncurve = 1, .log_y = true}};
static const Picture two = {.title = "T", .panels = panels, .npanel = 2, .shared_x = true};

static void test_script(void **state)
{
    (void)state;
    char *text = script_of(&two, PICTURE_SVG, "it's.svg");
    assert_has(text, "set terminal svg noenhanced");
    assert_has(text, "set output \"it's.svg\"\n");
    // a point that is no number interrupts the curve; on a log axis what is not positive, too
    assert_has(text, "$panel1_curve1 << EOD\n0 1\n1 -1\n2 0\n\n3 2\n\nEOD\n");
    assert_has(text, "$panel2_curve1 << EOD\n0 1\n\n3 2\n\nEOD\n");
    assert_has(text, "\"it's\"");
    assert_has(text, "\"s / m\"");
    assert_has(text, "set logscale y\n");
    // beyond the palette colours come again, dashed
    assert_has(text, "$panel1_curve2 using 1:2 with lines linecolor rgb '#d55e00' linewidth 2 "
                     "dashtype (8,5)");
    // numbers of x stand at the lowest panel only
    assert_has(text, "\"time / s\"");
    assert_null(strstr(strstr(text, "\"time / s\"") + 1, "\"time / s\""));
    free(text);
    text = script_of(&two, PICTURE_TEXT, NULL);
    assert_has(text, "set terminal dumb noenhanced mono size 80,");
    assert_null(strstr(text, "set output"));
    free(text);
}

static void test_shades(void **state)
{
    (void)state;
    PictureCurve many[10];
    for (int i = 0; i < 10; i++)
        many[i] = (PictureCurve){.label = "no", .x = x, .y = y, .n = 3, .shade = 1e-5 * (i + 1)};
    PicturePanel panel = {.curves = many, .ncurve = 10};
    Picture p = {.panels = &panel,
                 .npanel = 1,
                 .bar = "TD / s",
                 .bar_from = 1e-5,
                 .bar_to = 1e-4,
                 .bar_log = true};
    char *text = script_of(&p, PICTURE_PNG, NULL);
    assert_has(text, "set logscale cb\n");
    assert_has(text, "set cbrange [1e-05:0.0001]");
    assert_has(text, "set cblabel \"TD / s\"");
    assert_has(text, "$panel1_curve3 using 1:2:(3e-05) with lines linecolor palette");
    assert_null(strstr(text, "set label 10 ")); // the bar is the legend
    free(text);
}

/* ------------------------------------------------------------------ thinning */

/* the points of the first curve as the script has them */
static size_t thinned(const double *px, const double *py, size_t n, double *tx, double *ty,
                      size_t room)
{
    PictureCurve curve = {.x = px, .y = py, .n = n};
    PicturePanel panel = {.curves = &curve, .ncurve = 1};
    char *text = script_of(&(Picture){.panels = &panel, .npanel = 1}, PICTURE_SVG, NULL);
    char *line = strstr(text, "$panel1_curve1 << EOD\n");
    assert_non_null(line);
    size_t count = 0;
    while ((line = strchr(line, '\n') + 1), sscanf(line, "%lg %lg\n", tx, ty) == 2) {
        count++;
        if (count == room)
            break;
        tx++;
        ty++;
    }
    free(text);
    return count;
}

/* a million points become thousands, and no spike is lost */
static void test_thinning(void **state)
{
    (void)state;
    enum { N = 400000, ROOM = 20000 };
    double *px = malloc(N * sizeof(double)), *py = malloc(N * sizeof(double));
    double *tx = malloc(ROOM * sizeof(double)), *ty = malloc(ROOM * sizeof(double));
    for (int i = 0; i < N; i++) {
        px[i] = i * 1e-3;
        py[i] = sin(px[i] * 0.1);
    }
    py[123456] = 7;
    py[234567] = -9;
    size_t n = thinned(px, py, N, tx, ty, ROOM);
    assert_true(n >= 4000 && n <= 8004);
    double least = 0, greatest = 0;
    for (size_t i = 0; i < n; i++) {
        least = fmin(least, ty[i]);
        greatest = fmax(greatest, ty[i]);
        assert_true(i == 0 || tx[i] >= tx[i - 1]);
    }
    assert_true(least == -9 && greatest == 7);
    assert_true(tx[0] == px[0] && fabs(tx[n - 1] - px[N - 1]) < 1e-6);
    // a circle that is gone round many times: points that lie apart
    for (int i = 0; i < N; i++) {
        px[i] = cos(i * 1e-4);
        py[i] = sin(i * 1e-4);
    }
    n = thinned(px, py, N, tx, ty, ROOM);
    assert_true(n > 1000 && n < N / 4 + 1);
    free(px);
    free(py);
    free(tx);
    free(ty);
}

/* ------------------------------------------------------------------ labels */

static void test_labels(void **state)
{
    (void)state;
    char text[64];
    assert_string_equal(picture_unit("m/s2", text, sizeof text), "m/s²");
    assert_string_equal(picture_unit("kg.m2", text, sizeof text), "kg·m²");
    assert_string_equal(picture_unit("1/s", text, sizeof text), "1/s");
    assert_string_equal(picture_unit("1", text, sizeof text), "");
    assert_string_equal(picture_unit("", text, sizeof text), "");
    assert_string_equal(picture_label("phi", "rad", text, sizeof text), "phi / rad");
    assert_string_equal(picture_label("", "rad", text, sizeof text), "rad");
    assert_string_equal(picture_label("phi", "", text, sizeof text), "phi");
    PictureFormat f;
    assert_true(picture_format("a.b/run.PNG", &f) && f == PICTURE_PNG);
    assert_false(picture_format("run.csv", &f));
    assert_false(picture_format(".svg", &f));
}

/* ------------------------------------------------------------------ files */

static void assert_begins(const char *path, const char *signature, const char *end)
{
    size_t n;
    char *bytes = read_whole(path, &n);
    assert_true(n > 500);
    if (memcmp(bytes, signature, strlen(signature)) != 0)
        fail_msg("%s begins with %.16s", path, bytes);
    assert_non_null(memmem(bytes + n - 64, 64, end, strlen(end)));
    free(bytes);
}

static void test_files(void **state)
{
    (void)state;
    char *folder = scratch_create(), message[PICTURE_MESSAGE] = "";
    static const struct {
        const char *name, *signature, *end;
    } formats[] = {{"it's a.svg", "<?xml", "</svg>"},
                   {"a.png", "\x89PNG\r\n\x1a\n", "IEND"},
                   {"a.pdf", "%PDF-", "%%EOF"}};
    for (size_t i = 0; i < 3; i++) {
        char *path = scratch_path(folder, formats[i].name);
        if (picture_write(&two, path, message, sizeof message) != LIEDER_DONE)
            fail_msg("%s", message);
        assert_begins(path, formats[i].signature, formats[i].end);
        free(path);
    }
    scratch_destroy(folder);
}

/* what was there stays when nothing new could be made */
static void test_failures(void **state)
{
    (void)state;
    char *folder = scratch_create(), message[PICTURE_MESSAGE];
    assert_int_equal(picture_write(&two, "/nowhere/a.svg", message, sizeof message), LIEDER_IO);
    assert_has(message, "the directory does not exist");
    assert_int_equal(picture_write(&two, "a.jpeg", message, sizeof message), LIEDER_BAD_USE);
    char *path = scratch_path(folder, "a.svg"), *part = scratch_path(folder, "a.svg.part");
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("old", f);
    fclose(f);
    // nothing but points that cannot be shown: gnuplot refuses
    PicturePanel panel = {.curves = &(PictureCurve){.x = x + 3, .y = y, .n = 1}, .ncurve = 1};
    Picture nothing = {.panels = &panel, .npanel = 1};
    assert_int_equal(picture_write(&nothing, path, message, sizeof message), LIEDER_IO);
    assert_has(message, "nothing to draw");
    // no gnuplot to be found
    char *search = strdup(getenv("PATH"));
    setenv("PATH", folder, 1);
    assert_int_equal(picture_write(&two, path, message, sizeof message), LIEDER_IO);
    setenv("PATH", search, 1);
    assert_has(message, "apt-get install gnuplot");
    free(search);
    size_t n;
    char *text = read_whole(path, &n);
    assert_string_equal(text, "old");
    assert_int_not_equal(access(part, F_OK), 0);
    free(text);
    free(path);
    free(part);
    scratch_destroy(folder);
}

/* ------------------------------------------------------------------ scenes */

static void fill(Scene *s, size_t nframe)
{
    *s = (Scene){.alloc = memory_default, .least = {-1, -1}, .most = {1, 1}};
    scene_shape(s, SCENE_LINE, 0, 0, 1);
    scene_point(s, -1, 0);
    scene_point(s, 1, 0);
    for (size_t k = 0; k < nframe; k++) {
        double a = 0.1 * (double)k;
        scene_frame(s, a);
        scene_circle(s, cos(a), sin(a), 0.1, 0x333333, 0x0072b2);
        scene_shape(s, SCENE_AREA, 0, 0xff0000, 1);
        scene_point(s, a, 0);
        scene_point(s, a, 0.1);
        scene_point(s, 0, 0.1);
    }
    assert_false(s->failed);
}

static size_t count(const char *text, const char *part)
{
    size_t n = 0;
    for (; (text = strstr(text, part)); text++)
        n++;
    return n;
}

static void test_scene(void **state)
{
    (void)state;
    char *folder = scratch_create(), message[PICTURE_MESSAGE] = "";
    Scene s;
    fill(&s, 5);
    char *png = scratch_path(folder, "a.png"), *svg = scratch_path(folder, "a.svg"),
         *gif = scratch_path(folder, "a.gif");
    if (scene_write(&s, png, message, sizeof message) != LIEDER_DONE)
        fail_msg("%s", message);
    assert_begins(png, "\x89PNG", "IEND");
    assert_int_equal(scene_write(&s, gif, message, sizeof message), LIEDER_BAD_USE);
    // moving: one element for each shape, whose values are as many as frames
    s.seconds = 2;
    s.title = "a < b & c";
    if (scene_write(&s, svg, message, sizeof message) != LIEDER_DONE)
        fail_msg("%s", message);
    size_t n;
    char *text = read_whole(svg, &n);
    assert_int_equal(count(text, "<circle"), 1);
    assert_int_equal(count(text, "<polygon"), 1);
    assert_int_equal(count(text, "<polyline"), 1);
    assert_has(text, "a &lt; b &amp; c");
    char *values = strstr(text, "attributeName='cx'");
    assert_non_null(values);
    values = strstr(values, "values='") + 8;
    size_t semicolons = 0;
    for (; *values != '\''; values++)
        semicolons += *values == ';';
    assert_int_equal(semicolons, 4);
    free(text);
    if (scene_write(&s, gif, message, sizeof message) != LIEDER_DONE)
        fail_msg("%s", message);
    assert_begins(gif, "GIF89a", ";");
    assert_int_equal(scene_write(&s, png, message, sizeof message), LIEDER_BAD_USE);
    assert_has(message, "an animation is");
    scene_drop(&s);
    free(png);
    free(svg);
    free(gif);
    scratch_destroy(folder);
}

/* every symbol gives as many shapes and points in all poses: an animation moves them */
static void test_symbols(void **state)
{
    (void)state;
    static const char *const names[] = {
        "Planar.Fixed",         "Planar.Prismatic",   "Planar.FixedTranslation",
        "Planar.SpringDamper",  "Planar.Body",        "Planar.Revolute",
        "Planar.WallSensor",    "Planar.LineTouch",   "Planar.ShapeTouch",
        "Planar.GearTouch",     "Planar.IdealWheel",  "Translational.ElastoGap",
        "Translational.Damper", "Translational.Body", "Translational.Spring"};
    Outline box;
    symbol_outline(&box, (const double[]){-1, -1, 1, -1, 1, 1, -1, 1}, 4, 0.1);
    assert_null(symbol_find("Electrical.Resistor"));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const Symbol *symbol = symbol_find(names[i]);
        assert_non_null(symbol);
        for (int thread = 0; thread < 2; thread++) {
            Scene s = {.alloc = memory_default};
            size_t shapes = 0, points = 0;
            for (int k = 0; k < 4; k++) {
                SymbolPart part = {.symbol = symbol,
                                   .pose = {{0.1 * k, 0.2, 0.3 * k}, {0.3, 0.2, 0}},
                                   .unit = 0.02,
                                   .axis = {1, 0},
                                   .outline = {thread ? &box : NULL, &box},
                                   .thread = thread,
                                   .slack = 0.2};
                size_t before = s.shapes.n, points_before = s.points.n;
                symbol->draw(&s, &part);
                if (k == 0) {
                    shapes = s.shapes.n;
                    points = s.points.n;
                }
                assert_int_equal(s.shapes.n - before, shapes);
                assert_int_equal(s.points.n - points_before, points);
            }
            assert_true(shapes > 0);
            for (size_t k = 0; k < s.points.n; k++)
                assert_true(isfinite(s.points.items[k].x) && isfinite(s.points.items[k].y));
            scene_drop(&s);
        }
    }
}

/* a point of a rim: how far outside the hull of the corners */
static double outside(const double *corners, size_t n, ScenePoint p)
{
    double least = INFINITY;
    for (size_t i = 0; i < n; i++) {
        const double *a = corners + 2 * i, *b = corners + 2 * ((i + 1) % n);
        double ex = b[0] - a[0], ey = b[1] - a[1], square = ex * ex + ey * ey;
        double q = square > 0 ? ((p.x - a[0]) * ex + (p.y - a[1]) * ey) / square : 0;
        q = fmin(fmax(q, 0), 1);
        least = fmin(least, hypot(p.x - a[0] - q * ex, p.y - a[1] - q * ey));
    }
    return least;
}

/* rims are closed, and everywhere as far from the hull as the radius says: discs, capsules,
 * polygons up to eight corners, round and sharp */
static void test_outlines(void **state)
{
    (void)state;
    for (size_t n = 1; n <= 8; n++)
        for (int sharp = 0; sharp < 2; sharp++) {
            double corners[16], radius = sharp ? 0 : 0.2;
            for (size_t i = 0; i < n; i++) {
                corners[2 * i] = n == 1 ? 0 : cos(2 * M_PI * (double)i / (double)n);
                corners[2 * i + 1] = n == 1 ? 0 : sin(2 * M_PI * (double)i / (double)n);
            }
            Outline o;
            symbol_outline(&o, corners, n, radius);
            assert_true(o.n > 2 && o.n <= MAX_OUTLINE);
            assert_true(fabs(o.points[0].x - o.points[o.n - 1].x) < 1e-12);
            assert_true(fabs(o.points[0].y - o.points[o.n - 1].y) < 1e-12);
            for (size_t i = 0; i < o.n; i++)
                assert_true(fabs(outside(corners, n, o.points[i]) - radius) < 1e-12);
            assert_true(fabs(o.reach - (n == 1 ? radius : 1 + radius)) < 1e-3);
            assert_true(o.spoke == (n == 1 ? radius : 0));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_script),   cmocka_unit_test(test_shades),
        cmocka_unit_test(test_thinning), cmocka_unit_test(test_labels),
        cmocka_unit_test(test_files),    cmocka_unit_test(test_failures),
        cmocka_unit_test(test_scene),    cmocka_unit_test(test_symbols),
        cmocka_unit_test(test_outlines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
