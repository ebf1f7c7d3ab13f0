/* export.c - lieder export FILE -o M.fmu: a model for other tools, as an FMU. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "fmi/fmi.h"

/* ------------------------------------------------------------------ options */

enum {
    OPT_MODEL,
    OPT_OUTPUT,
    OPT_FMI,
    OPT_SOLVER,
    OPT_STEP,
    OPT_RECORD,
    OPT_BINARY,
    OPT_OVERRIDE,
    OPT_LOAD,
    OPT_LIBRARY,
    OPT_LIMIT,
    OPT_LOG_FORMAT,
    OPT_QUIET
};

static const Option options[] = {
    [OPT_MODEL] = {"model", 0, "NAME", "export this model, not the last of the file"},
    [OPT_OUTPUT] = {"output", 'o', "FILE.fmu", "the FMU (the model's name with .fmu)"},
    [OPT_FMI] = {"fmi", 0, "VERSION", "2 or 3; FMI 2 has no arrays (3)"},
    [OPT_SOLVER] = {"solver", 0, "NAME",
                    "of co-simulation: rk1, rk2, rk3 or rk4 (that of the model's annotation, else "
                    "rk4)"},
    [OPT_STEP] = {"step", 0, "H",
                  "its step in s (that of the annotation, else a hundredth of the interval)"},
    [OPT_RECORD] = {"record", 0, "REGEX",
                    "also have every variable whose whole name matches this extended regular "
                    "expression (parameters, inputs, outputs, states, derivatives, observables)"},
    [OPT_BINARY] = {"binary", 0, "yes|no", "no: sources only, no compiler is needed (yes)"},
    [OPT_OVERRIDE] = OVERRIDE_OPTION,
    [OPT_LOAD] = LOAD_OPTION,
    [OPT_LIBRARY] = LIBRARY_OPTION,
    [OPT_LIMIT] = LIMIT_OPTION,
    [OPT_LOG_FORMAT] = LOG_FORMAT_OPTION,
    [OPT_QUIET] = QUIET_OPTION,
    {0}};

typedef struct ExportSettings {
    const char *output, *record;
    int version;
    LiederSolver solver;
    double step;
    bool no_binary;
    ModelSource source;
} ExportSettings;

/* one of two words; says what is wrong */
static bool read_word(Arguments *a, const char *option, const char *value, const char *first,
                      const char *second, bool *is_second)
{
    *is_second = strcmp(value, second) == 0;
    if (*is_second || strcmp(value, first) == 0)
        return true;
    log_error(a->log, "--%s is %s or %s, not '%s'", option, first, second, value);
    return false;
}

/* reads one option into ExportSettings; false after reporting an error */
static bool read_option(Arguments *a, int option, const char *value, void *settings)
{
    ExportSettings *w = settings;
    const char *name = option >= 0 ? options[option].name : "";
    bool second = false;
    switch (option) {
    case OPT_OUTPUT:
        w->output = value;
        return true;
    case OPT_FMI:
        if (!read_word(a, name, value, "2", "3", &second))
            return false;
        w->version = second ? 3 : 2;
        return true;
    case OPT_SOLVER:
        return arguments_solver(a, value, &w->solver);
    case OPT_STEP:
        return arguments_positive(a, name, value, &w->step);
    case OPT_RECORD:
        w->record = value;
        return true;
    case OPT_BINARY:
        return read_word(a, name, value, "yes", "no", &w->no_binary);
    default:
        return false;
    }
}

/* ------------------------------------------------------------------ the command */

static const double MAX_FMU_STEPS = 9e15; /* as a run may take */

static bool matches(void *user, const char *name)
{
    return pattern_matches(user, name);
}

/* The expression of --record, which some row of the table of variables has to match. NULL after
 * reporting an error. */
static Pattern *wanted_variables(Log *log, const char *regex, const LiederSystem *system)
{
    char message[200], name[1024];
    bool found = false;
    Pattern *pattern = pattern_create(regex, message, sizeof message);
    if (!pattern) {
        log_error(log, "--record %.300s is no regular expression: %s", regex, message);
        return NULL;
    }
    for (size_t i = 0, n = lieder_variable_count(system); i < n && !found; i++)
        found = pattern_matches(pattern, lieder_variable_name(system, i, name, sizeof name));
    if (found && !pattern_failed(pattern))
        return pattern;
    log_error(log,
              found ? "--record %s is too complicated\nwrite it more simply"
                    : "no variable matches --record %.300s\nit must match whole names, as '.*phi' "
                      "does; indices of arrays of models are left out",
              regex);
    pattern_destroy(pattern);
    return NULL;
}

/* solver and step as lieder simulate would have them with this solver */
static void choose_solver(FmiExport *e, const ExportSettings *w, const FrontExperiment *experiment)
{
    LiederSimulateOptions o = lieder_simulate_defaults();
    double start = isnan(experiment->start) ? 0 : experiment->start,
           stop = isnan(experiment->stop) ? start + 1 : experiment->stop;
    run_set_solver(&o, w->solver, w->step, experiment);
    e->solver = o.solver == LIEDER_SOLVER_AUTO ? LIEDER_RK4 : o.solver;
    e->start = start;
    e->stop = experiment->stop;
    e->tolerance = experiment->tolerance;
    e->step = o.step;
    if (!(e->step > 0))
        e->step = (experiment->interval > 0 ? experiment->interval : (stop - start) / 500) / 100;
}

/* records of one lane, as an FMU has them; nets as one sparse system, which it can carry */
static LiederSystem *create_system(Log *log, const Loaded *l)
{
    LiederSystemOptions o = lieder_system_defaults();
    o.isa = LIEDER_ISA_SCALAR;
    LiederSystem *system = lieder_system_create(l->session, l->model, &o);
    if (!system || !system_has_net(system))
        return system;
    lieder_system_destroy(system);
    o.method = LIEDER_METHOD_SPARSE;
    log_note(log, "the net becomes one sparse system in the FMU: its numbers are those of 'lieder "
                  "simulate' but for rounding");
    return lieder_system_create(l->session, l->model, &o);
}

/* the model once more, with another size of its arrays */
typedef struct Resized {
    const ExportSettings *settings;
    const Log *log; /* knows the libraries of --load */
    Loaded loaded;
    FILE *nowhere;
} Resized;

/* the same model with another size of its arrays, silently: fmi/scale.c compares the two; NULL:
 * none */
static LiederSystem *resize(void *user, const char *parameter, size_t value)
{
    Resized *r = user;
    char text[32];
    ModelSource source = r->settings->source;
    Overrides more = {0};
    snprintf(text, sizeof text, "%zu", value);
    r->nowhere = fopen("/dev/null", "w");
    r->loaded = (Loaded){0};
    Log quiet = *r->log;
    quiet.stream = r->nowhere;
    quiet.quiet = true;
    LiederSystem *system = NULL;
    bool ok = r->nowhere && vec_reserve(HEAP, &more, source.overrides.n + 1);
    for (size_t i = 0; i < source.overrides.n && ok; i++)
        if (strcmp(source.overrides.items[i].name, parameter) != 0)
            more.items[more.n++] = source.overrides.items[i];
    if (ok) {
        more.items[more.n++] = (FrontOverride){.name = parameter, .value = text};
        source.overrides = more;
        if (load_model(&r->loaded, &quiet, &source) == EXIT_DONE)
            system = create_system(&quiet, &r->loaded);
    }
    vec_drop(HEAP, &more);
    return system;
}

static void release_resized(void *user, LiederSystem *system)
{
    Resized *r = user;
    lieder_system_destroy(system);
    loaded_drop(&r->loaded);
    if (r->nowhere)
        fclose(r->nowhere);
}

/* whole numbers among the parameters of the model itself */
typedef struct Sizes {
    FmiSize items[16];
    char names[16][64], texts[16][200];
    size_t n;
} Sizes;

static void add_size(void *user, const FrontPart *part)
{
    Sizes *s = user;
    if (part->kind != FRONT_PARAMETER || strcmp(part->type, "Integer") != 0 ||
        strlen(part->name) >= sizeof s->names[0] || strchr(part->name, '[') ||
        s->n == sizeof s->items / sizeof *s->items)
        return;
    snprintf(s->names[s->n], sizeof s->names[0], "%s", part->name);
    snprintf(s->texts[s->n], sizeof s->texts[0], "%s", part->text ? part->text : "");
    s->items[s->n] = (FmiSize){s->names[s->n], s->texts[s->n]};
    s->n++;
}

static void list_sizes(const Loaded *l, Sizes *sizes)
{
    const char *kind, *text;
    front_describe_class(l->front, l->title, &kind, &text, add_size, sizes);
}

/* settles solver, step, variables and path, and writes the FMU */
static ExitCode write_fmu(Log *log, const ExportSettings *w, Loaded *l, LiederSystem *system)
{
    Resized resized = {.settings = w, .log = log};
    Sizes sizes = {0};
    FmiExport e = {.model = l->title, .version = w->version, .sources_only = w->no_binary};
    Pattern *pattern = NULL;
    list_sizes(l, &sizes);
    e.sizes = sizes.items;
    e.nsize = sizes.n;
    e.resize = resize;
    e.release = release_resized;
    e.resize_user = &resized;
    choose_solver(&e, w, &l->experiment);
    double span = (isnan(e.stop) ? e.start + 1 : e.stop) - e.start;
    if (!(span / e.step < MAX_FMU_STEPS)) {
        log_error(log, "%g steps of %g s are too many\ngive a longer --step", span / e.step,
                  e.step);
        return EXIT_USAGE;
    }
    if (w->record) {
        if (!(pattern = wanted_variables(log, w->record, system)))
            return EXIT_USAGE;
        e.also = matches;
        e.user = pattern;
    }
    const char *dot = strrchr(l->title, '.');
    char *path = path_of_results(log, w->output, dot ? dot + 1 : l->title, ".fmu");
    if (!path || !paths_check_read(log, l, "--output", path)) {
        ExitCode code = path ? EXIT_USAGE : EXIT_SIMULATION;
        pattern_destroy(pattern);
        free(path);
        return code;
    }
    LiederStatus status = fmi_export(system, &e, path);
    log_diagnostics(log, l->session, l->front);
    pattern_destroy(pattern);
    if (status == LIEDER_DONE)
        log_note(log, "%s: FMI %d, %sco-simulation (%s, step %g s)", path, e.version,
                 system_has_pasts(system) ? "" : "model exchange and ",
                 lieder_solver_name(e.solver), e.step);
    free(path);
    return status == LIEDER_DONE      ? EXIT_DONE
           : status == LIEDER_IO      ? EXIT_IO
           : status == LIEDER_BAD_USE ? EXIT_MODEL
                                      : EXIT_SIMULATION;
}

/* loads the model with records of one lane, as an FMU has them, and writes it */
static ExitCode export_model(Log *log, const ExportSettings *w)
{
    const PathOfCommand paths[] = {{"--output", w->output, true},
                                   {"the model", w->source.file, false}};
    if (!paths_check(log, paths, 2))
        return EXIT_USAGE;
    Loaded l;
    ExitCode code = load_model(&l, log, &w->source);
    LiederSystem *system = NULL;
    if (code == EXIT_DONE) {
        system = create_system(log, &l);
        log_diagnostics(log, l.session, l.front);
        code = system ? write_fmu(log, w, &l, system) : EXIT_MODEL;
    }
    lieder_system_destroy(system);
    loaded_drop(&l);
    return code;
}

/* lieder export */
static ExitCode export_command(const Command *command, int argc, char **argv)
{
    Log log = log_open();
    Arguments a = arguments_read(command, &log, argc, argv);
    ExportSettings w = {.version = 3, .step = NAN};
    a.source = &w.source;
    ExitCode code;
    bool good = arguments_all(&a, read_option, &w, &code);
    w.source.limits.loops = SIZE_MAX; /* an FMU has C text, which loops have not */
    if (good)
        code = w.source.file || w.source.model ? export_model(&log, &w)
                                               : arguments_missing(&a, "FILE.mo");
    model_source_drop(&w.source);
    return code;
}

const Command command_export = {
    .name = "export",
    .operands = "FILE.mo...",
    .text = "Write a model as an FMU for other tools",
    .description =
        "Writes the model as a Functional Mock-up Unit with model exchange and co-simulation,\n"
        "with a binary for this machine and C sources that need nothing but a compiler.\n"
        "Co-simulation takes the steps of 'lieder simulate' with that solver and step, bit\n"
        "for bit. In FMI 3 an array of models has arrays as variables. What an FMU cannot\n"
        "carry (very large nets, classes of --load libraries) is refused.",
    .examples = "  lieder export crane.mo -o crane.fmu --solver rk4 --step 1e-3\n"
                "  lieder export crane.mo -o crane2.fmu --fmi 2\n"
                "  lieder export crane.mo --record 'load\\..*' --override cart.m=3\n",
    .options = options,
    .run = export_command};
