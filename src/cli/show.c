/* show.c - lieder show FILE: what a model is made of and what the engine made
 * of it.
 *
 * The advice rests on the fastest motion at the start: the spectral radius of
 * the Jacobian J of dx = f(t, x), estimated by the growth of J v, J J v, ...
 * with J v = (f(x + e v) - f(x)) / e. The mean growth over many products does
 * not mind complex pairs, as a Rayleigh quotient would. An explicit Runge-Kutta
 * method of order 4 is stable up to h |lambda| = 2.8 or so.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/show.h"
#include "compile/compile.h"
#include "model/net/net_plan.h"

enum { OPT_MODEL, OPT_OVERRIDE, OPT_LOAD, OPT_LIBRARY, OPT_LIMIT, OPT_RECORD, OPT_LOG_FORMAT };
static const Option options[] = {
    [OPT_MODEL] = {"model", 0, "NAME", "show this model, not the last of the file"},
    [OPT_OVERRIDE] = OVERRIDE_OPTION,
    [OPT_LOAD] = LOAD_OPTION,
    [OPT_RECORD] = {"record", 0, "REGEX",
                    "list the variables that 'simulate --record REGEX' would "
                    "record, and nothing else"},
    [OPT_LIBRARY] = LIBRARY_OPTION,
    [OPT_LIMIT] = LIMIT_OPTION,
    [OPT_LOG_FORMAT] = LOG_FORMAT_OPTION,
    {0}};

/* ------------------------------------------------------------------ instance tree */

enum { MANY = 40 }; /* lines of one scope; more are counted */

/* Names of the states of a component, "phi, w"; some are there only with a certain switch. Of an
 * array the first element counts. */
static const char *state_names(const LiederSystem *system, uint32_t sheet, uint32_t instance,
                               char *buffer, size_t size)
{
    const LiederClassDef *def =
        sheet_instance(&system->flat.sheets.items[sheet], instance).class_->def;
    char path[1024], name[1200];
    size_t n = 0;
    buffer[0] = '\0';
    flat_path(&system->flat, sheet, instance, 0, path, sizeof path);
    for (int i = 0; i < def->nmember; i++) {
        const LiederMember *m = &def->members[i];
        if (m->kind != LIEDER_STATE || n >= size)
            continue;
        snprintf(name, sizeof name, "%s.%s", path, m->name);
        if (lieder_system_state_index(system, name) >= 0)
            n += (size_t)snprintf(buffer + n, size - n, "%s%s", n ? ", " : "", m->name);
    }
    return buffer;
}

static void label(const Declaration *d, char *buffer, size_t size)
{
    size_t at = (size_t)snprintf(buffer, size, "%s", d->name);
    for (int k = 0; k < d->ndim && at < size; k++)
        at += (size_t)snprintf(buffer + at, size - at, "%s%zu%s", k ? ", " : "[",
                               declaration_dim(d)[k], k + 1 == d->ndim ? "]" : "");
}

/* the declarations of a model, indented; models inside it follow below their line */
static void print_tree(const LiederSystem *system, uint32_t scope, const char *margin)
{
    const Scope *s = &system->flat.scopes.items[scope];
    size_t n = s->model->declarations.n, shown = n > MANY ? MANY : n;
    int width = 0;
    char text[256];
    for (size_t i = 0; i < shown; i++) {
        label(&s->model->declarations.items[i], text, sizeof text);
        width = (int)strlen(text) > width ? (int)strlen(text) : width;
    }
    for (size_t i = 0; i < shown; i++) {
        const Declaration *d = &s->model->declarations.items[i];
        bool last = i + 1 == n;
        label(d, text, sizeof text);
        const char *class_name = d->class_->name;
        if (d->n && !d->class_->def && !d->class_->model)
            class_name = d->class_->template_.name;
        printf("%s%s%-*s  %s", margin, last ? "`- " : "|- ", width, text, class_name);
        if (d->class_->def && d->n &&
            state_names(system, s->sheet, s->first[i], text, sizeof text)[0])
            printf("  (%s)", text);
        putchar('\n');
        if (!d->class_->def && d->n > 0 && strlen(margin) < 3 * 20) {
            char deeper[80];
            snprintf(deeper, sizeof deeper, "%s%s", margin, last ? "   " : "|  ");
            print_tree(system, s->first[i], deeper);
        }
    }
    if (shown < n)
        printf("%s`- ... and %zu more\n", margin, n - shown);
}

/* ------------------------------------------------------------------ shapes */

static const char *isa_name(LiederIsa isa)
{
    static const char *const names[] = {"auto", "scalar", "sse2", "avx2", "avx512"};
    return names[isa];
}

static const char *method_name(LiederMethod method)
{
    static const char *const names[] = {"auto", "tree", "sparse", "probe", "net"};
    return names[method];
}

/* sizes of the groups, "2, 3 x 1": equal neighbours together */
static const char *group_sizes(const Shape *shape, char *buffer, size_t size)
{
    size_t n = 0;
    snprintf(buffer, size, "none");
    for (size_t i = 0, same; i < shape->groups.n && n + 24 < size; i += same) {
        const Group *g = &shape->groups.items[i];
        for (same = 1;
             i + same < shape->groups.n && shape->groups.items[i + same].nunknown == g->nunknown;)
            same++;
        n +=
            (size_t)(same > 1 ? snprintf(buffer + n, size - n, "%s%zu x %u", n ? ", " : "", same,
                                         g->nunknown)
                              : snprintf(buffer + n, size - n, "%s%u", n ? ", " : "", g->nunknown));
        if (n + 24 >= size && i + same < shape->groups.n)
            snprintf(buffer + n, size - n, ", ...");
    }
    return buffer;
}

/* couplings that close loops, over all groups */
static size_t loop_count(const Shape *shape)
{
    size_t n = 0;
    for (size_t i = 0; i < shape->groups.n; i++)
        n += shape->groups.items[i].ncoupling;
    return n;
}

static const char *net_method_name(NetMethod method)
{
    static const char *const names[] = {"conjugate gradients", "Cholesky", "LU"};
    return names[method];
}

/* how a net is solved, and why */
static void print_net(size_t number, const Net *net)
{
    printf("\nNet  shape %zu: %u parts with up to %u unknowns each, held together by %u elastic "
           "elements,\n"
           "  which add up to %.3g times its own inertia to a part (c TD^2 / m and the like).\n",
           number, net->ncell, net->block, net->ntie, net->start_stiffest - 1);
    switch (net->method) {
    case NET_ITERATE:
        printf("  Solved by conjugate gradients, because that is soft: %zu steps at the start, for "
               "%u of the\n"
               "  parts; the others are eliminated first. A factorisation takes over where they do "
               "not do.\n",
               net->start_iterations, net->nblack);
        break;
    case NET_CHOLESKY:
        printf("  Solved by a Cholesky factorisation, because that is stiff: conjugate gradients "
               "%s %zu\n"
               "  steps at the start, an estimated %.3g ms against %.3g ms. The matrix %s.\n",
               net->start_converged ? "take" : "gave up after", net->start_iterations,
               1e3 * net->iterate_cost, 1e3 * net->direct_cost,
               net->constant ? "does not depend on the states:\n  it is factored once"
                             : "depends on the states:\n  it is factored in every evaluation");
        break;
    case NET_LU:
        printf("  Solved by an LU factorisation, because the matrix is not symmetric: joints with "
               "different\n"
               "  TD do that, and levers that turn.\n");
        break;
    }
}

/* the table of shapes: lanes, sizes, method, what code evaluates them */
static void print_shapes(const LiederSystem *system)
{
    char groups[64];
    printf("\nShapes (subsystems that look the same; each lane is one of them)\n"
           "  %5s  %9s  %10s  %6s  %-16s  %5s  %-7s  %-6s  %-9s  %9s\n",
           "shape", "lanes", "components", "states", "linear groups", "loops", "method", "code",
           "compiled", "lane");
    for (size_t i = 0; i < system->shapes.n && i < MANY; i++) {
        const SystemShape *ss = &system->shapes.items[i];
        const Shape *shape = ss->shape;
        printf("  %5zu  %9zu  %10zu  %6zu  %-16s  %5zu  %-7s  %-6s  %-9s  %7zu B\n", i + 1,
               shape->nlane, shape->components.n, shape->states.n,
               group_sizes(shape, groups, sizeof groups), loop_count(shape),
               method_name(ss->plan.method), isa_name(ss->plan.lean.isa), shape_form(ss),
               (size_t)ss->plan.lean.nreal * sizeof(double));
    }
    if (system->shapes.n > MANY)
        printf("  ... and %zu more\n", system->shapes.n - MANY);
    for (size_t i = 0; i < system->shapes.n && i < MANY; i++)
        if (system->shapes.items[i].plan.net)
            print_net(i + 1, system->shapes.items[i].plan.net);
}

static const char *bytes_text(size_t bytes, char *buffer, size_t size)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    double value = (double)bytes;
    int i = 0;
    for (; value >= 1000 && i < 4; i++)
        value /= 1000;
    snprintf(buffer, size, "%.3g %s", value, units[i]);
    return buffer;
}

/* ------------------------------------------------------------------ advice */

static double norm(const double *v, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += v[i] * v[i];
    return sqrt(sum);
}

/* largest |lambda| of the Jacobian at the start, 1/s; NaN when it cannot be had. A large model gets
 * as many products as two seconds allow; the first half of them is not examined. */
static double fastest(LiederSystem *system, double t)
{
    enum { ROUNDS = 60, FEW = 4 };
    size_t n = lieder_system_state_count(system);
    double *x = calloc(4 * n + 1, sizeof *x), *f = x + n, *v = f + n, *moved = v + n;
    double growth[ROUNDS], begun = clock_seconds(), sum = 0;
    int k = 0;
    if (!x)
        return NAN;
    lieder_system_start(system, x);
    bool good = n > 0 && lieder_system_derivatives(system, t, x, f) == LIEDER_DONE;
    for (size_t i = 0; i < n; i++)
        v[i] = 1 + 0.3 * sin(12.9898 * (double)(i + 1)); /* anything without symmetry */
    double length = norm(v, n), size = 1 + norm(x, n);
    while (good && k < ROUNDS && length > 0 && (k < FEW || clock_seconds() - begun < 2)) {
        double step = 1e-6 * size / length;
        for (size_t i = 0; i < n; i++)
            moved[i] = x[i] + step * v[i];
        good = lieder_system_derivatives(system, t, moved, v) == LIEDER_DONE;
        for (size_t i = 0; i < n; i++)
            v[i] = (v[i] - f[i]) / step / length;
        length = norm(v, n);
        growth[k++] = log(length);
    }
    free(x);
    for (int i = k / 2; i < k; i++)
        sum += growth[i];
    if (good && length == 0)
        return 0;
    return good && k >= FEW ? exp(sum / (k - k / 2)) : NAN;
}

/* what the annotations of the model say about a run */
static void print_experiment(const FrontExperiment *e)
{
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"start", e->start},
                   {"stop", e->stop},
                   {"interval", e->interval},
                   {"tolerance", e->tolerance},
                   {"step", e->step}};
    bool any = false;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!isnan(numbers[i].value)) {
            printf("%s%s %g", any ? ", " : "\nAnnotated  ", numbers[i].name, numbers[i].value);
            any = true;
        }
    if (e->solver != LIEDER_SOLVER_AUTO) {
        printf("%ssolver %s", any ? ", " : "\nAnnotated  ", lieder_solver_name(e->solver));
        any = true;
    }
    if (e->chatter != LIEDER_CHATTER_AUTO) {
        printf("%schatter %s", any ? ", " : "\nAnnotated  ", lieder_chatter_name(e->chatter));
        any = true;
    }
    if (any)
        putchar('\n');
}

enum { MORE_STEPS = 1000 }; /* a run is advised to take, however slow its motion at the start */

/* which solver and step suit the fastest rate at the start */
static void print_advice(LiederSystem *system, const Loaded *l)
{
    double start = isnan(l->experiment.start) ? 0 : l->experiment.start;
    double stop = isnan(l->experiment.stop) ? start + 1 : l->experiment.stop;
    double rate = fastest(system, start);
    printf("\nSolver advice\n");
    if (lieder_system_state_count(system) == 0) {
        printf("  There are no states: any solver does.\n");
        return;
    }
    if (rate == 0) {
        printf("  Nothing has a rate of its own at the start, as in free fall: begin with the "
               "default, "
               "bdf.\n");
        return;
    }
    if (!(rate > 0)) {
        printf("  The derivatives at the start could not be probed: begin with "
               "--solver esdirk23.\n");
        return;
    }
    double steps = (stop - start) * rate / 2.5;
    printf("  The fastest motion at the start has a rate of about %.2g/s, a time "
           "constant or 1 / angular\n"
           "  frequency of %.2g s. rk4 is stable up to a step of about %.1g s: "
           "a run of %g s needs %.2g.\n",
           rate, 1 / rate, 2.5 / rate, stop - start, ceil(steps));
    if (steps > 1e5)
        printf("  That is stiff for this span: --solver bdf or esdirk23 finds its "
               "own step; for real time\n"
               "  --solver euler-backward with a fixed step.\n");
    else
        printf("  That is not stiff: --solver rk4 --step %.1g is about right for "
               "four digits; esdirk23 and\n"
               "  bdf find their step by --tolerance and locate events.\n",
               fmin(0.1 / rate, (stop - start) / MORE_STEPS));
    if (0.1 / rate > (stop - start) / MORE_STEPS)
        printf("  A model at rest may become faster on its way: 'lieder eigen --at' looks "
               "there.\n");
    printf("  'lieder eigen' has the eigenvalues and the exact limits.\n");
}

/* ------------------------------------------------------------------ the report
 */

/* the report as text */
static void print_text(LiederSystem *system, const Loaded *l)
{
    LiederSystemInfo info = lieder_system_info(system);
    char bytes[32], name[512];
    printf("%s\n", l->title);
    print_tree(system, 0, "");
    printf("\nStates  %zu\n", info.nstate);
    double *x = info.nstate <= 24 ? calloc(info.nstate + 1, sizeof *x) : NULL;
    if (x) {
        lieder_system_start(system, x);
        for (size_t i = 0; i < info.nstate; i++)
            printf("  %-32s start %g\n", lieder_system_state_name(system, i, name, sizeof name),
                   x[i]);
        free(x);
    }
    show_cells(system, l->front);
    print_shapes(system);
    printf("\nIn all  %zu components, %zu linear unknowns, largest group %zu, %s "
           "of memory",
           info.ncomponent, info.nunknown, info.largest_group,
           bytes_text(info.bytes, bytes, sizeof bytes));
    if (info.nlane > 1 && info.bytes >= info.nlane)
        printf(" (%zu B a lane)", info.bytes / info.nlane);
    putchar('\n');
    print_experiment(&l->experiment);
    print_advice(system, l);
}

/* the report as JSON, one object a line */
static void print_json(LiederSystem *system, const Loaded *l)
{
    LiederSystemInfo info = lieder_system_info(system);
    double start = isnan(l->experiment.start) ? 0 : l->experiment.start;
    json_begin(stdout, "model");
    json_text(stdout, "name", l->title);
    json_count(stdout, "states", info.nstate);
    json_count(stdout, "components", info.ncomponent);
    json_count(stdout, "unknowns", info.nunknown);
    json_count(stdout, "shapes", info.nshape);
    json_count(stdout, "lanes", info.nlane);
    json_count(stdout, "groups", info.ngroup);
    json_count(stdout, "largest_group", info.largest_group);
    json_count(stdout, "bytes", info.bytes);
    json_number(stdout, "fastest_rate", fastest(system, start));
    if (l->experiment.solver != LIEDER_SOLVER_AUTO)
        json_text(stdout, "annotated_solver", lieder_solver_name(l->experiment.solver));
    if (!isnan(l->experiment.step))
        json_number(stdout, "annotated_step", l->experiment.step);
    json_text(stdout, "annotated_chatter", lieder_chatter_name(l->experiment.chatter));
    json_end(stdout);
    show_cells_json(system, l->front);
    char groups[64];
    for (size_t i = 0; i < system->shapes.n; i++) {
        const SystemShape *ss = &system->shapes.items[i];
        json_begin(stdout, "shape");
        json_count(stdout, "lanes", ss->shape->nlane);
        json_count(stdout, "components", ss->shape->components.n);
        json_count(stdout, "states", ss->shape->states.n);
        json_text(stdout, "groups", group_sizes(ss->shape, groups, sizeof groups));
        json_count(stdout, "loops", loop_count(ss->shape));
        json_text(stdout, "method", method_name(ss->plan.method));
        json_text(stdout, "code", isa_name(ss->plan.lean.isa));
        json_text(stdout, "compiled", shape_form(ss));
        if (ss->plan.net) {
            json_text(stdout, "net", net_method_name(ss->plan.net->method));
            json_count(stdout, "net_parts", ss->plan.net->ncell);
            json_count(stdout, "net_steps", ss->plan.net->start_iterations);
            json_number(stdout, "net_stiffness", ss->plan.net->start_stiffest - 1);
        }
        json_end(stdout);
    }
}

/* the variables that match --record, with unit and text */
static ExitCode print_matching(Log *log, LiederSystem *system, const Front *front,
                               const char *regex)
{
    Selection s;
    ExitCode code = select_or_say(&s, log, system, front, true, regex);
    for (size_t i = 0; code == EXIT_DONE && i < s.list.n; i++) {
        const Selected *c = &s.list.items[i];
        if (log->json) {
            json_begin(stdout, "variable");
            json_text(stdout, "name", c->name);
            json_text(stdout, "unit", c->unit);
            json_text(stdout, "text", c->text);
            json_flag(stdout, "constant", c->constant);
            json_end(stdout);
        } else {
            printf("%-36s %-8s %s\n", c->name, c->unit ? c->unit : "", c->text ? c->text : "");
        }
    }
    selection_drop(&s);
    return code;
}

typedef struct ShowSettings {
    const char *record;
    ModelSource source;
} ShowSettings;

/* loads the model and prints what was asked for; returns the exit code */
static ExitCode show_model(Log *log, const ShowSettings *w)
{
    Loaded l;
    ExitCode code = load_model(&l, log, &w->source);
    LiederSystem *system = code == EXIT_DONE ? load_system(&l, log) : NULL;
    if (code == EXIT_DONE && !system)
        code = EXIT_MODEL;
    if (system && w->record)
        code = print_matching(log, system, l.front, w->record);
    else if (system && log->json)
        print_json(system, &l);
    else if (system)
        print_text(system, &l);
    if (system && !w->record)
        td_advise(system, l.experiment.start, log);
    lieder_system_destroy(system);
    loaded_drop(&l);
    return code;
}

static bool read_option(Arguments *a, int option, const char *value, void *settings)
{
    (void)a;
    ShowSettings *w = settings;
    if (option == OPT_RECORD)
        w->record = value;
    return option == OPT_RECORD;
}

/* lieder show */
static ExitCode show_command(const Command *command, int argc, char **argv)
{
    Log log = log_open();
    Arguments a = arguments_read(command, &log, argc, argv);
    ShowSettings w = {0};
    a.source = &w.source;
    ExitCode code;
    if (arguments_all(&a, read_option, &w, &code))
        code = w.source.file || w.source.model ? show_model(&log, &w)
                                               : arguments_missing(&a, "FILE.mo");
    model_source_drop(&w.source);
    return code;
}

const Command command_show = {.name = "show",
                              .operands = "FILE.mo...",
                              .text = "Show the instances of a model and how it is solved",
                              .description =
                                  "Prints the tree of instances with their states, the classes "
                                  "made of equations with what was\n"
                                  "merged and why states were chosen, the shapes "
                                  "and lanes that the engine found,\n"
                                  "the sizes of the linear groups, the method chosen for "
                                  "them, the memory, and which solver\n"
                                  "suits the model. Library models such as Examples.CraneCrab "
                                  "can be shown as well.",
                              .examples = "  lieder show crane.mo\n"
                                          "  lieder show fleet.mo --override n=1000000\n"
                                          "  lieder show crane.mo --record 'revolute\\..*'\n",
                              .options = options,
                              .run = show_command};
