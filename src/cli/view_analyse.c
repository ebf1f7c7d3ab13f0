/* view_analyse.c - what the page shows of a model beside its runs: the diagram, and eigenvalues at
 * a time with the stability regions of the solvers. Both as the commands draw, eigen and stability
 * have them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli/draw.h"
#include "cli/eigen.h"
#include "cli/view.h"
#include "diagram/diagram.h"

/* ------------------------------------------------------------------ the diagram */

/* file and model that were named, for a result by --model; NULL file: no model is known */
static bool name_model(const ViewOptions *o, Log *log, char **file, const char **model)
{
    *file = NULL;
    *model = o->run.source.model;
    if (!o->result)
        return true;
    if (!o->run.source.model)
        return true;
    *file = load_file_of(log, o->run.source.model, model);
    return *file;
}

/* the diagram of the model as SVG; nothing if it has none */
static void write_diagram(const ViewOptions *o, Log *log, FILE *to)
{
    char *file;
    const char *model;
    Loaded loaded;
    if (!name_model(o, log, &file, &model) || (o->result && !file))
        return;
    ModelSource source = o->run.source;
    source.file = file ? file : source.file;
    source.model = model;
    ExitCode code = load_model(&loaded, log, &source);
    if (code == EXIT_DONE) {
        Diagram d;
        if (diagram_read(&loaded, log, &d) && d.components.n)
            diagram_svg(&d, to);
        diagram_drop(&d);
    }
    loaded_drop(&loaded);
    free(file);
}

char *view_diagram(const ViewOptions *o, const Log *from, size_t *n)
{
    Log log = *from;
    char *svg = NULL, *said = NULL;
    size_t nsaid;
    log.stream = open_memstream(&said, &nsaid); /* the run says the same */
    FILE *to = log.stream ? open_memstream(&svg, n) : NULL;
    if (to) {
        write_diagram(o, &log, to);
        fclose(to);
    }
    if (log.stream)
        fclose(log.stream);
    free(said);
    return svg;
}

/* ------------------------------------------------------------------ regions */

enum { REGION_POINTS = 241 };

/* the boundaries of all methods: one object a line */
static void write_regions(FILE *to)
{
    double complex points[REGION_POINTS];
    double re[REGION_POINTS], im[REGION_POINTS];
    for (size_t i = 0; i < method_count(); i++) {
        Method m = method_at(i);
        char name[16];
        stability_curve(m, REGION_POINTS, points);
        for (int k = 0; k < REGION_POINTS; k++) {
            re[k] = creal(points[k]);
            im[k] = cimag(points[k]);
        }
        json_begin(to, "region");
        json_text(to, "method", method_name(m, name, sizeof name));
        json_text(to, "solver", lieder_solver_name(m.solver));
        json_flag(to, "explicit", method_is_explicit(m));
        json_numbers(to, "re", re, REGION_POINTS);
        json_numbers(to, "im", im, REGION_POINTS);
        json_end(to);
    }
}

/* ------------------------------------------------------------------ eigenvalues */

/* lines of JSON: regions, then what lieder eigen --at says with --log-format json */
char *view_eigen(const RunSettings *w, double at, bool regions, const Log *from, size_t *n)
{
    char *text = NULL, problem[400];
    Log log = *from;
    log.json = true;
    log.stream = open_memstream(&text, n);
    if (!log.stream)
        return NULL;
    EigenSettings settings = {
        .at = at, .step = NAN, .wanted = NAN, .solver = LIEDER_SOLVER_AUTO, .source = w->source};
    Analysis a = {.log = &log, .settings = &settings, .to = log.stream};
    if (*analysis_problem(problem, sizeof problem)) {
        log_error(&log, "LAPACK cannot be loaded: %s\ninstall it; it finds the eigenvalues",
                  problem);
    } else {
        if (regions)
            write_regions(log.stream);
        if (eigen_find(&a) == EXIT_DONE)
            eigen_print(&a);
        eigen_drop(&a);
    }
    fclose(log.stream);
    return text;
}
