/* stability.c - lieder stability: the stability regions of the solvers as numbers, as curves and as
 * a picture. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "cli/cli.h"
#include "picture/picture.h"
#include "record/record.h"

enum { OPT_SOLVER, OPT_OUTPUT, OPT_POINTS, OPT_LOG_FORMAT };
static const Option options[] = {
    [OPT_SOLVER] = {"solver", 0, "NAME", "this solver only; may be repeated"},
    [OPT_OUTPUT] = {"output", 'o', "FILE",
                    "write the boundaries: .csv or .mat with two columns a solver, or a picture "
                    "(.svg, .png, .pdf)"},
    [OPT_POINTS] = {"points", 0, "N", "points of a boundary (721)"},
    [OPT_LOG_FORMAT] = LOG_FORMAT_OPTION,
    {0}};

enum { POINTS = 721, MIN_POINTS = 16, MAX_POINTS = 1000000 };

typedef struct StabilitySettings {
    bool wanted[LIEDER_SOLVER_COUNT], some;
    const char *output;
    size_t points;
} StabilitySettings;

/* reads one option into StabilitySettings; false after reporting an error */
static bool read_option(Arguments *a, int option, const char *value, void *settings)
{
    StabilitySettings *w = settings;
    LiederSolver solver;
    switch (option) {
    case ARGUMENT_OPERAND:
        log_error(a->log,
                  "'lieder stability' is about solvers, not about %s\n'lieder eigen %s' "
                  "says which steps a model allows",
                  value, value);
        return false;
    case OPT_SOLVER:
        if (!arguments_solver(a, value, &solver))
            return false;
        if (solver == LIEDER_SOLVER_AUTO) {
            log_error(a->log, "auto is no solver of its own\nleave --solver out for all of them");
            return false;
        }
        w->wanted[solver] = w->some = true;
        return true;
    case OPT_OUTPUT:
        w->output = value;
        return true;
    case OPT_POINTS:
        if (!arguments_count(a, options[option].name, value, &w->points))
            return false;
        if (w->points >= MIN_POINTS && w->points <= MAX_POINTS)
            return true;
        log_error(a->log, "--points goes from %d to %d", MIN_POINTS, MAX_POINTS);
        return false;
    default:
        return false;
    }
}

static bool is_wanted(const StabilitySettings *w, Method m)
{
    return !w->some || w->wanted[m.solver];
}

/* ------------------------------------------------------------------ numbers */

typedef struct StabilityNumbers {
    char name[16];
    double real, imaginary, angle, far; /* far: |R| at infinity */
} StabilityNumbers;

static StabilityNumbers numbers_of(Method m)
{
    StabilityNumbers n = {.real = stability_step(m, -1),
                          .imaginary = stability_step(m, I),
                          .angle = stability_angle(m),
                          .far = stability_growth(m, -1e12)};
    method_name(m, n.name, sizeof n.name);
    return n;
}

static const char *kind_of(const StabilityNumbers *n, char *buffer, size_t size)
{
    if (n->angle == 0)
        snprintf(buffer, size, "bounded");
    else if (n->angle == 90)
        snprintf(buffer, size, "%s-stable", n->far < 1e-6 ? "L" : "A");
    else
        snprintf(buffer, size, "A(%.4g)-stable", n->angle);
    return buffer;
}

static const char *limit_text(double limit, char *buffer, size_t size)
{
    snprintf(buffer, size, isinf(limit) ? "all" : "%.9g", limit);
    return buffer;
}

/* one line for each solver: order, limits on both axes, kind of region */
static void print_numbers(const StabilitySettings *w, const Log *log)
{
    if (!log->json)
        printf("%-15s %5s  %-13s %-13s %s\n", "solver", "order", "real axis", "imaginary axis",
               "region");
    for (size_t i = 0; i < method_count(); i++) {
        if (!is_wanted(w, method_at(i)))
            continue;
        StabilityNumbers n = numbers_of(method_at(i));
        char axis[32], imaginary[32], kind[64];
        if (log->json) {
            json_begin(stdout, "region");
            json_text(stdout, "solver", n.name);
            json_count(stdout, "order", (size_t)method_at(i).order);
            json_number(stdout, "real_axis", n.real);
            json_number(stdout, "imaginary_axis", n.imaginary);
            json_number(stdout, "angle", n.angle);
            json_number(stdout, "growth_at_infinity", n.angle > 0 ? n.far : NAN);
            json_end(stdout);
            continue;
        }
        printf("%-15s %5d  %-13s %-13s  %s\n", n.name, method_at(i).order,
               limit_text(n.real, axis, sizeof axis),
               limit_text(n.imaginary, imaginary, sizeof imaginary),
               kind_of(&n, kind, sizeof kind));
    }
}

/* ------------------------------------------------------------------ curves */

enum { MAX_CURVES = 16 };

/* the boundaries of all wanted methods, one after the other */
typedef struct Curves {
    size_t n, npoint;
    Method method[MAX_CURVES];
    double *re, *im;
} Curves;

/* the borders of the regions as points; false: no memory */
static bool make_curves(Curves *c, const StabilitySettings *w)
{
    c->npoint = w->points;
    for (size_t i = 0; i < method_count(); i++)
        if (is_wanted(w, method_at(i)))
            c->method[c->n++] = method_at(i);
    c->re = calloc(c->n * c->npoint, sizeof *c->re);
    c->im = calloc(c->n * c->npoint, sizeof *c->im);
    double complex *points = calloc(c->npoint, sizeof *points);
    bool ok = c->re && c->im && points;
    for (size_t i = 0; i < c->n && ok; i++) {
        stability_curve(c->method[i], c->npoint, points);
        for (size_t k = 0; k < c->npoint; k++) {
            c->re[i * c->npoint + k] = creal(points[k]);
            c->im[i * c->npoint + k] = cimag(points[k]);
        }
    }
    free(points);
    return ok;
}

static void drop_curves(Curves *c)
{
    free(c->re);
    free(c->im);
}

/* a row is a point of every curve; the time is how far along the curves it stands, from 0 to 1 */
static ExitCode record_curves(const Curves *c, const char *target, Log *log)
{
    Arena arena;
    arena_init(&arena, HEAP);
    RecordColumn *columns = calloc(2 * c->n + 1, sizeof *columns);
    double *values = calloc(2 * c->n + 1, sizeof *values);
    bool ok = columns && values;
    for (size_t i = 0; i < 2 * c->n && ok; i++) {
        char method[16], name[32];
        snprintf(name, sizeof name, "%s.%s", method_name(c->method[i / 2], method, sizeof method),
                 i % 2 ? "im" : "re");
        columns[i] = (RecordColumn){.name = arena_text(&arena, name, strlen(name)),
                                    .text = i % 2 ? "imaginary part of h lambda on the boundary"
                                                  : "real part of h lambda on the boundary"};
    }
    ExitCode code = EXIT_DONE;
    Recorder r;
    if (!ok || arena.failed) {
        log_error(log, "out of memory");
        code = EXIT_SIMULATION;
    } else if (record_open(&r, NULL, target, columns, 2 * c->n, NULL) < 0) {
        log_error(log, "%s", record_message(&r));
        code = r.status == LIEDER_BAD_USE ? EXIT_USAGE : EXIT_IO;
    } else {
        for (size_t k = 0; k < c->npoint; k++) {
            for (size_t i = 0; i < c->n; i++) {
                values[2 * i] = c->re[i * c->npoint + k];
                values[2 * i + 1] = c->im[i * c->npoint + k];
            }
            record_row(&r, (double)k / (double)(c->npoint - 1), values);
        }
        if (record_close(&r) < 0) {
            log_error(log, "%s", record_message(&r));
            code = EXIT_IO;
        }
    }
    free(columns);
    free(values);
    arena_drop(&arena);
    return code;
}

/* ------------------------------------------------------------------ picture */

static bool is_picture(const char *file)
{
    PictureFormat format;
    return picture_format(file, &format) && format != PICTURE_GIF;
}

/* the regions of implicit methods lie outside their curves: dashed */
static ExitCode draw_curves(const Curves *c, const char *file, Log *log)
{
    char names[MAX_CURVES][32], method[16], message[PICTURE_MESSAGE];
    PictureCurve curves[MAX_CURVES];
    for (size_t i = 0; i < c->n; i++) {
        bool outside = !method_is_explicit(c->method[i]);
        snprintf(names[i], sizeof names[i], "%s%s",
                 method_name(c->method[i], method, sizeof method), outside ? " (outside)" : "");
        curves[i] = (PictureCurve){.label = names[i],
                                   .x = c->re + i * c->npoint,
                                   .y = c->im + i * c->npoint,
                                   .n = c->npoint,
                                   .colour = (int)i % PICTURE_COLOURS,
                                   .dash = outside};
    }
    PicturePanel panel = {
        .x_label = "Re hλ", .y_label = "Im hλ", .curves = curves, .ncurve = c->n, .equal = true};
    Picture picture = {.panels = &panel, .npanel = 1, .phase = true};
    if (picture_write(&picture, file, message, sizeof message) >= 0)
        return EXIT_DONE;
    log_error(log, "%s", message);
    return EXIT_IO;
}

/* ------------------------------------------------------------------ the command */

/* prints the table, and writes the borders to a picture or a file of results */
static ExitCode stability(Log *log, const StabilitySettings *w)
{
    char problem[400];
    if (*analysis_problem(problem, sizeof problem)) {
        log_error(log, "LAPACK cannot be loaded: %s\ninstall it; it finds the roots", problem);
        return EXIT_SIMULATION;
    }
    print_numbers(w, log);
    if (!w->output)
        return EXIT_DONE;
    Curves c = {0};
    ExitCode code = EXIT_SIMULATION;
    if (make_curves(&c, w))
        code = is_picture(w->output) ? draw_curves(&c, w->output, log)
                                     : record_curves(&c, w->output, log);
    else
        log_error(log, "out of memory for %zu points", w->points);
    drop_curves(&c);
    return code;
}

static ExitCode stability_command(const Command *command, int argc, char **argv)
{
    Log log = log_open();
    Arguments a = arguments_read(command, &log, argc, argv);
    StabilitySettings w = {.points = POINTS};
    ExitCode code;
    return arguments_all(&a, read_option, &w, &code) ? stability(&log, &w) : code;
}

const Command command_stability = {
    .name = "stability",
    .operands = "",
    .text = "Show the stability regions of the solvers",
    .description =
        "A motion exp(lambda t) does not grow in steps of h if h lambda lies in the region of\n"
        "the solver. Prints how far the regions reach along both axes; --output writes their\n"
        "boundaries |R(h lambda)| = 1 as columns SOLVER.re and SOLVER.im, or draws them. 'lieder\n"
        "eigen' has the eigenvalues of a model.",
    .examples = "  lieder stability\n"
                "  lieder stability --solver rk3 --solver rk4 -o regions.csv\n"
                "  lieder stability -o regions.svg\n",
    .options = options,
    .run = stability_command};
