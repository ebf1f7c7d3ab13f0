/* eigen.c - lieder eigen FILE: a model near one point of its motion: eigenvalues, who takes part in
 * them, which steps are stable, and A, B, C, D as a file. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "cli/cli.h"
#include "record/matrices.h"

/* ------------------------------------------------------------------ options */

enum {
    OPT_MODEL,
    OPT_AT,
    OPT_SOLVER,
    OPT_STEP,
    OPT_WANTED,
    OPT_OVERRIDE,
    OPT_INPUT,
    OPT_VARIABLE,
    OPT_OUTPUT,
    OPT_ALL,
    OPT_LOG_FORMAT,
    OPT_QUIET
};

static const Option options[] = {
    [OPT_MODEL] = {"model", 0, "NAME", "analyse this model, not the last of the file"},
    [OPT_AT] = {"at", 0, "TIME", "simulate to this time first (the start)"},
    [OPT_SOLVER] = {"solver", 0, "NAME",
                    "is this solver stable with --step or --wanted-step? It also runs the model "
                    "to --at"},
    [OPT_STEP] = {"step", 0, "H", "step in s that is judged"},
    [OPT_WANTED] = {"wanted-step", 0, "H",
                    "find the T_D of the world that makes this step stable (rk4, or --solver)"},
    [OPT_OVERRIDE] = {"override", 0, "NAME=VALUE",
                      "set a parameter or start value first; may be repeated"},
    [OPT_INPUT] = {"input", 'u', "PATH",
                   "a parameter or an open signal input as input of the linear model; may be "
                   "repeated"},
    [OPT_VARIABLE] = {"output-variable", 'y', "PATH",
                      "any variable as output of the linear model; may be repeated"},
    [OPT_OUTPUT] = {"output", 'o', "FILE",
                    "write A, B, C, D with names: .mat (MATLAB v4) or .json"},
    [OPT_ALL] = {"all", 'a', NULL, "print every eigenvalue, not only the first 40"},
    [OPT_LOG_FORMAT] = LOG_FORMAT_OPTION,
    [OPT_QUIET] = QUIET_OPTION,
    {0}};

typedef VEC(const char *) Paths;

/* NaN: not given */
typedef struct Wishes {
    const char *file, *model, *output;
    double at, step, wanted;
    LiederSolver solver;
    Overrides overrides;
    Paths inputs, outputs;
    bool all;
} Wishes;

static bool read_option(Arguments *a, int option, const char *value, void *wishes)
{
    Wishes *w = wishes;
    const char *name = option >= 0 ? options[option].name : "";
    switch (option) {
    case ARGUMENT_OPERAND:
        return arguments_operand(a, value, &w->file);
    case OPT_MODEL:
        w->model = value;
        return true;
    case OPT_AT:
        return arguments_number(a, name, value, &w->at);
    case OPT_SOLVER:
        return arguments_solver(a, value, &w->solver);
    case OPT_STEP:
        return arguments_positive(a, name, value, &w->step);
    case OPT_WANTED:
        return arguments_positive(a, name, value, &w->wanted);
    case OPT_OVERRIDE:
        return arguments_override(a, value, &w->overrides);
    case OPT_INPUT:
    case OPT_VARIABLE:
        if (vec_push(&memory_default, option == OPT_INPUT ? &w->inputs : &w->outputs, value))
            return true;
        log_error(a->log, "out of memory");
        return false;
    case OPT_OUTPUT:
        w->output = value;
        if (matrices_know(value))
            return true;
        log_error(a->log, "matrices go to a .mat or .json file, not to %s", value);
        return false;
    case OPT_ALL:
        return w->all = true;
    default:
        return false;
    }
}

/* what only the options together tell */
static bool check_wishes(const Wishes *w, Log *log)
{
    if (!isnan(w->wanted) && w->solver > LIEDER_RK4) {
        log_error(log, "%s is stable whatever T_D is\n--wanted-step is about rk1, rk2, rk3 and rk4",
                  lieder_solver_name(w->solver));
        return false;
    }
    if (!isnan(w->step) && w->solver == LIEDER_BDF) {
        log_error(log, "bdf chooses its steps\n'lieder stability' shows the regions of its orders");
        return false;
    }
    return true;
}

/* ------------------------------------------------------------------ the point */

typedef struct Analysis {
    Log *log;
    const Wishes *wishes;
    Loaded loaded;
    LiederSystem *system;
    double start, t, *x, *choices;
    bool held; /* choices are those of a run */
    Linear linear;
    Spectrum spectrum;
    bool linearised;
} Analysis;

/* keeps the last row of the run to --at */
static bool on_row(void *user, double t, const double *x, LiederRow kind)
{
    Analysis *a = user;
    (void)kind;
    const Moment *moment = &a->system->moment;
    a->t = t;
    memcpy(a->x, x, a->system->nstate * sizeof(double));
    a->held = moment->choices;
    if (a->held)
        memcpy(a->choices, moment->choices, a->system->nchoice * sizeof(double));
    return true;
}

static ExitCode run_to(Analysis *a)
{
    const Wishes *w = a->wishes;
    LiederSimulateOptions o = lieder_simulate_defaults();
    o.start = a->start;
    o.stop = w->at;
    if (a->loaded.experiment.tolerance > 0)
        o.tolerance = a->loaded.experiment.tolerance;
    run_set_solver(&o, w->solver, w->solver != LIEDER_SOLVER_AUTO ? w->step : NAN,
                   &a->loaded.experiment);
    o.chatter = a->loaded.experiment.chatter;
    o.output = on_row;
    o.user = a;
    LiederStatistics s;
    LiederStatus status = lieder_simulate(a->system, &o, &s);
    log_diagnostics(a->log, a->loaded.session, a->loaded.front);
    if (status == LIEDER_STOPPED)
        log_note(a->log, "the model ended the run at t = %g s, before %g s", s.t, w->at);
    if (status >= 0)
        return EXIT_DONE;
    log_error(a->log, "the run to t = %g s failed at t = %g s: %s%s", w->at, s.t,
              lieder_status_text(status),
              w->solver != LIEDER_SOLVER_AUTO ? "\nwithout --solver the default one goes there"
                                              : "");
    return EXIT_SIMULATION;
}

static ExitCode find_point(Analysis *a)
{
    size_t n = lieder_system_state_count(a->system);
    const FrontExperiment *e = &a->loaded.experiment;
    a->start = isnan(e->start) ? 0 : e->start;
    a->t = a->start;
    if (a->wishes->at < a->start) {
        log_error(a->log, "--at %g is before the model starts, at %g s", a->wishes->at, a->start);
        return EXIT_USAGE;
    }
    a->x = calloc(n + 1, sizeof *a->x);
    a->choices = calloc(a->system->nchoice + 1, sizeof *a->choices);
    if (!a->x || !a->choices) {
        log_error(a->log, "out of memory for %zu states", n);
        return EXIT_SIMULATION;
    }
    lieder_system_start(a->system, a->x);
    return a->wishes->at > a->start && n > 0 ? run_to(a) : EXIT_DONE;
}

static ExitCode linearise(Analysis *a)
{
    const Wishes *w = a->wishes;
    LinearPoint p = {.t = a->t,
                     .x = a->x,
                     .choices = a->held ? a->choices : NULL,
                     .inputs = w->inputs.items,
                     .ninput = w->inputs.n,
                     .outputs = w->outputs.items,
                     .noutput = w->outputs.n};
    a->linearised = true;
    LiederStatus status = linear_create(&a->linear, a->system, &p);
    if (status == LIEDER_DONE)
        status = spectrum_create(&a->spectrum, &a->linear);
    log_diagnostics(a->log, a->loaded.session, a->loaded.front);
    return status == LIEDER_DONE      ? EXIT_DONE
           : status == LIEDER_BAD_USE ? EXIT_USAGE
                                      : EXIT_SIMULATION;
}

/* ------------------------------------------------------------------ names */

/* state s of a lane of a shape */
static const char *state_name(const Analysis *a, uint32_t shape, size_t lane, size_t s,
                              char *buffer, size_t size)
{
    const SystemShape *ss = &a->system->shapes.items[shape];
    return lieder_system_state_name(a->system, home_state(ss, s, lane), buffer, size);
}

/* the block an eigenvalue belongs to */
static const Block *block_of(const Spectrum *s, size_t value)
{
    size_t low = 0, high = s->blocks.n;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        *(s->blocks.items[middle].first <= value ? &low : &high) = middle;
    }
    return &s->blocks.items[low];
}

/* "-500 +- 1322.88i" */
static const char *value_text(const Eigenvalue *v, char *buffer, size_t size)
{
    Motion motion = eigen_motion(v);
    double re = motion == MOTION_UNDAMPED || motion == MOTION_REST ? 0 : v->re;
    if (motion == MOTION_REST)
        snprintf(buffer, size, "0");
    else if (v->im != 0 && re == 0)
        snprintf(buffer, size, "+-%.6gi", fabs(v->im));
    else if (v->im != 0)
        snprintf(buffer, size, "%.6g +-%.6gi", re, fabs(v->im));
    else
        snprintf(buffer, size, "%.6g", re);
    return buffer;
}

/* ------------------------------------------------------------------ the table */

enum { MANY = 40, FEW_SHAPES = 20 };
static const float SHOWN_SHARE = 0.02F;

/* the other half of a pair is not printed */
static bool is_shown(const Eigenvalue *v)
{
    return v->im >= 0;
}

static void print_shares(const Analysis *a, const Block *b, const Eigenvalue *v)
{
    char name[512];
    const char *between = "";
    for (int i = 0; i < SHARES; i++) {
        if (v->shares[i].part < SHOWN_SHARE)
            break;
        printf("%s%s %.0f%%", between,
               state_name(a, b->shape, b->lane, v->shares[i].state, name, sizeof name),
               100 * (double)v->shares[i].part);
        between = ", ";
    }
}

/* |lambda| of the k-th eigenvalue over all blocks of a shape */
static void find_range(const Spectrum *s, uint32_t shape, size_t k, double *least, double *most)
{
    *least = INFINITY;
    *most = 0;
    for (size_t i = 0; i < s->blocks.n; i++) {
        const Block *b = &s->blocks.items[i];
        if (b->shape != shape || k >= b->n)
            continue;
        const Eigenvalue *v = &s->values.items[b->first + k];
        *least = fmin(*least, hypot(v->re, v->im));
        *most = fmax(*most, hypot(v->re, v->im));
    }
}

static void print_row(const Analysis *a, const Block *b, size_t k, bool several)
{
    const Eigenvalue *v = &a->spectrum.values.items[b->first + k];
    char text[64], hertz[32] = "-", rate[32] = "-", damping[32] = "-", constant[32] = "-";
    Motion motion = eigen_motion(v);
    double size = hypot(v->re, v->im);
    if (v->im != 0 && motion != MOTION_REST) {
        snprintf(hertz, sizeof hertz, "%.5g", size / (2 * acos(-1)));
        snprintf(rate, sizeof rate, "%.5g", size);
        snprintf(damping, sizeof damping, "%.4g", motion == MOTION_UNDAMPED ? 0.0 : -v->re / size);
    }
    if (motion == MOTION_DECAYING || motion == MOTION_GROWING)
        snprintf(constant, sizeof constant, "%.4g%s", 1 / fabs(v->re),
                 motion == MOTION_GROWING ? "!" : "");
    printf("  %-24s %10s %10s %9s %10s  ", value_text(v, text, sizeof text), hertz, rate, damping,
           constant);
    if (several) {
        double least, most;
        find_range(&a->spectrum, b->shape, k, &least, &most);
        snprintf(text, sizeof text, "%.4g..%.4g", least, most);
        printf("%-19s  ", text);
    }
    print_shares(a, b, v);
    putchar('\n');
}

/* the block of a shape with the fastest motion, and the number of blocks */
static const Block *fastest_block(const Spectrum *s, uint32_t shape, size_t *count)
{
    const Block *best = NULL;
    double most = -1;
    *count = 0;
    for (size_t i = 0; i < s->blocks.n; i++) {
        const Block *b = &s->blocks.items[i];
        if (b->shape != shape)
            continue;
        ++*count;
        double size = hypot(s->values.items[b->first].re, s->values.items[b->first].im);
        if (size > most) {
            most = size;
            best = b;
        }
    }
    return best;
}

static void print_shape(const Analysis *a, uint32_t shape)
{
    const Spectrum *s = &a->spectrum;
    const LinearShape *ls = &a->linear.shapes.items[shape];
    size_t count, shown = 0, skipped = 0;
    const Block *b = fastest_block(s, shape, &count);
    char name[512];
    if (!b)
        return;
    putchar('\n');
    if (ls->nlane > 1)
        printf("%zu subsystems of %zu states, %zu different; the fastest one is that of %s\n",
               ls->nlane, ls->n, count, state_name(a, shape, b->lane, 0, name, sizeof name));
    else if (a->linear.shapes.n > 1)
        printf("Subsystem of %zu states, with %s\n", ls->n,
               state_name(a, shape, 0, 0, name, sizeof name));
    if (!b->complete)
        printf("The %zu fastest of %zu eigenvalues, by %zu products; shares are |v|^2 of the "
               "states\n",
               b->n, ls->n, s->products);
    printf("  %-24s %10s %10s %9s %10s  ", "eigenvalue 1/s", "Hz", "rad/s", "damping",
           "constant s");
    if (count > 1)
        printf("%-19s  ", "|.| over all lanes");
    printf("%s\n", b->complete ? "takes part" : "moves most");
    for (size_t k = 0; k < b->n; k++) {
        if (!is_shown(&s->values.items[b->first + k]))
            continue;
        if (shown < MANY || a->wishes->all) {
            print_row(a, b, k, count > 1);
            shown++;
        } else {
            skipped++;
        }
    }
    if (skipped)
        printf("  ... and %zu slower ones; --all prints them\n", skipped);
}

/* what the model does by itself */
static void print_motion(const Analysis *a)
{
    const Spectrum *s = &a->spectrum;
    size_t count[4] = {0};
    bool complete = true;
    for (size_t i = 0; i < s->blocks.n; i++) {
        const Block *b = &s->blocks.items[i];
        complete &= b->complete;
        for (size_t k = 0; k < b->n; k++)
            count[eigen_motion(&s->values.items[b->first + k])] += b->nlane;
    }
    const char *verdict = count[MOTION_GROWING]    ? "grows"
                          : count[MOTION_UNDAMPED] ? "swings on"
                          : count[MOTION_REST]     ? "decays but for motions at rest"
                                                   : "decays";
    if (complete)
        printf("\nBy itself the model %s: ", verdict);
    else
        printf("\nOf the eigenvalues that were found ");
    printf("%zu decay, %zu are undamped, %zu grow, %zu are 0\n", count[MOTION_DECAYING],
           count[MOTION_UNDAMPED], count[MOTION_GROWING], count[MOTION_REST]);
}

/* ------------------------------------------------------------------ steps */

static const Method *explicit_methods(size_t *n)
{
    for (*n = 0; methods[*n].solver <= LIEDER_RK4; ++*n)
        continue;
    return methods;
}

static const char *step_text(double h, char *buffer, size_t size)
{
    snprintf(buffer, size, isinf(h) ? "any" : h == 0 ? "none" : "%.6g", h);
    return buffer;
}

static void print_steps(const Analysis *a)
{
    size_t n;
    const Method *list = explicit_methods(&n);
    bool complete = true;
    for (size_t i = 0; i < a->spectrum.blocks.n; i++)
        complete &= a->spectrum.blocks.items[i].complete;
    printf("\nLargest stable step%s\n",
           complete ? "" : ", as far as the fastest motions decide it");
    for (size_t i = 0; i < n; i++) {
        char name[16], step[32], value[64];
        ptrdiff_t at;
        double h = spectrum_step(&a->spectrum, list[i], &at);
        printf("  %-5s %12s%s", method_name(list[i], name, sizeof name),
               step_text(h, step, sizeof step), h > 0 && isfinite(h) ? " s" : "");
        if (at >= 0) {
            const Eigenvalue *v = &a->spectrum.values.items[at];
            printf("%s  limited by %s of ", h > 0 && isfinite(h) ? "" : "  ",
                   value_text(v, value, sizeof value));
            const Block *b = block_of(&a->spectrum, (size_t)at);
            char state[512];
            printf("%s", state_name(a, b->shape, b->lane, v->shares[0].state, state, sizeof state));
        }
        putchar('\n');
    }
}

/* methods that --step is about: the given solver, or all with fixed steps */
static bool is_judged(const Analysis *a, Method m)
{
    if (a->wishes->solver != LIEDER_SOLVER_AUTO)
        return m.solver == a->wishes->solver;
    return m.solver <= LIEDER_EULER_BACKWARD;
}

static const double MARGIN = 1e-10; /* of a growth that counts as 1 */

static void judge_steps(const Analysis *a)
{
    double h = a->wishes->step;
    for (size_t i = 0; i < method_count && !isnan(h); i++) {
        char name[16], value[64];
        ptrdiff_t at;
        if (!is_judged(a, methods[i]))
            continue;
        double growth = spectrum_growth(&a->spectrum, methods[i], h, &at);
        bool stable = growth <= 1 + MARGIN;
        method_name(methods[i], name, sizeof name);
        if (at >= 0)
            value_text(&a->spectrum.values.items[at], value, sizeof value);
        if (a->log->json) {
            json_begin(stdout, "step");
            json_text(stdout, "solver", name);
            json_number(stdout, "step", h);
            json_flag(stdout, "stable", stable);
            json_number(stdout, "growth", growth);
            json_end(stdout);
        } else if (at < 0) {
            printf("\n%s is stable with any step: nothing decays or swings\n", name);
        } else {
            printf("\n%s with a step of %g s is %s: a step multiplies the motion of %s by %.6g\n",
                   name, h, stable ? "stable" : "NOT STABLE", value, growth);
        }
    }
}

/* ------------------------------------------------------------------ T_D */

typedef struct Search {
    const Analysis *a;
    Method method;
    const char *world; /* name of the World component */
} Search;

/* the same state in a system that may be built differently */
static bool carry_state(const LiederSystem *from, const double *x, const LiederSystem *to,
                        double *moved)
{
    char name[512];
    for (size_t i = 0; i < to->nstate; i++) {
        lieder_system_state_name(to, i, name, sizeof name);
        ptrdiff_t at = lieder_system_state_index(from, name);
        if (at < 0)
            return false;
        moved[i] = x[at];
    }
    return true;
}

static LiederSystem *with_TD(const Search *s, double TD)
{
    const Analysis *a = s->a;
    char name[128], value[32];
    snprintf(name, sizeof name, "%s.TD", s->world);
    snprintf(value, sizeof value, "%.17g", TD);
    Overrides list = {0};
    bool ok = true;
    for (size_t i = 0; i < a->wishes->overrides.n; i++)
        if (strcmp(a->wishes->overrides.items[i].name, name) != 0)
            ok &= vec_push(&memory_default, &list, a->wishes->overrides.items[i]);
    ok = ok && vec_push(&memory_default, &list, (FrontOverride){.name = name, .value = value});
    const char *model = NULL;
    if (ok)
        ok = front_instantiate(a->loaded.front, a->loaded.title, list.items, list.n, NULL,
                               &model) >= 0;
    vec_drop(&memory_default, &list);
    return ok ? lieder_system_create(a->loaded.session, model, NULL) : NULL;
}

static int is_stable_with(void *user, double TD)
{
    Search *s = user;
    const Analysis *a = s->a;
    LiederSystem *system = with_TD(s, TD);
    if (!system)
        return -1;
    double *x = calloc(system->nstate + 1, sizeof *x);
    int stable = -1;
    if (x && carry_state(a->system, a->x, system, x)) {
        bool held = a->held && system->nchoice == a->system->nchoice;
        Linear l;
        Spectrum spectrum = {0};
        ptrdiff_t at;
        LinearPoint p = {.t = a->t, .x = x, .choices = held ? a->choices : NULL};
        if (linear_create(&l, system, &p) == LIEDER_DONE &&
            spectrum_create(&spectrum, &l) == LIEDER_DONE)
            stable = spectrum_growth(&spectrum, s->method, a->wishes->wanted, &at) <= 1 + MARGIN;
        spectrum_drop(&spectrum);
        linear_drop(&l);
    }
    free(x);
    lieder_system_destroy(system);
    return stable;
}

static const char *find_world(const LiederSystem *system)
{
    const LiederModel *model = system->flat.scopes.items[0].model;
    for (size_t i = 0; i < model->declarations.n; i++)
        if (strcmp(model->declarations.items[i].class_->name, "World") == 0)
            return model->declarations.items[i].name;
    return NULL;
}

static const char *result_name(DialecticResult result)
{
    static const char *const names[] = {"found", "any", "never", "failed"};
    return names[result];
}

static ExitCode search_TD(const Analysis *a)
{
    const Wishes *w = a->wishes;
    Search s = {.a = a,
                .method = methods[(w->solver ? w->solver : LIEDER_RK4) - LIEDER_RK1],
                .world = find_world(a->system)};
    char name[16];
    ptrdiff_t at;
    double TD = NAN, growth = spectrum_growth(&a->spectrum, s.method, w->wanted, &at);
    bool already = growth <= 1 + MARGIN;
    method_name(s.method, name, sizeof name);
    DialecticResult result = DIALECTIC_NEVER;
    if (s.world && !already)
        result = dialectic_search(is_stable_with, &s, w->wanted, &TD);
    log_diagnostics(a->log, a->loaded.session, a->loaded.front);
    if (result == DIALECTIC_FAILED) {
        log_error(a->log, "the T_D for a step of %g s could not be found", w->wanted);
        return EXIT_SIMULATION;
    }
    if (a->log->json) {
        json_begin(stdout, "dialectic");
        json_text(stdout, "solver", name);
        json_number(stdout, "wanted_step", w->wanted);
        json_text(stdout, "result", already ? "already" : result_name(result));
        json_number(stdout, "TD", TD);
        json_end(stdout);
        return EXIT_DONE;
    }
    printf("\nA step of %g s with %s ", w->wanted, name);
    if (already)
        printf("is stable as the model is\n");
    else if (!s.world)
        printf("is not stable, and T_D cannot help: the model has no World\n");
    else if (result == DIALECTIC_NEVER)
        printf("is not stable, and T_D cannot help: no %s.TD up to %g s changes that\n", s.world,
               1024 * w->wanted);
    else
        printf("becomes stable with %s.TD = %.4g s%s\n", s.world, TD,
               result == DIALECTIC_ANY ? " or less" : "");
    return EXIT_DONE;
}

/* ------------------------------------------------------------------ JSON */

static void json_eigenvalue(const Analysis *a, const Block *b, const Eigenvalue *v)
{
    static const char *const motions[] = {"rest", "decaying", "undamped", "growing"};
    char names[SHARES][512];
    const char *texts[SHARES];
    double parts[SHARES], size = hypot(v->re, v->im);
    size_t n = 0;
    for (; n < SHARES && v->shares[n].part > 0; n++) {
        texts[n] = state_name(a, b->shape, b->lane, v->shares[n].state, names[n], sizeof names[n]);
        parts[n] = (double)v->shares[n].part;
    }
    json_begin(stdout, "eigenvalue");
    json_count(stdout, "shape", b->shape + 1);
    json_count(stdout, "lane", b->lane + 1);
    json_count(stdout, "lanes", b->nlane);
    json_number(stdout, "real", v->re);
    json_number(stdout, "imaginary", v->im);
    json_number(stdout, "error", v->error);
    json_text(stdout, "motion", motions[eigen_motion(v)]);
    json_number(stdout, "rate", size);
    json_number(stdout, "frequency", v->im != 0 ? size / (2 * acos(-1)) : 0);
    json_number(stdout, "damping", size > 0 ? -v->re / size : NAN);
    json_number(stdout, "time_constant", v->re != 0 ? 1 / fabs(v->re) : NAN);
    json_texts(stdout, "states", texts, n);
    json_numbers(stdout, "participation", parts, n);
    json_end(stdout);
}

static void print_json(const Analysis *a)
{
    const Spectrum *s = &a->spectrum;
    json_begin(stdout, "linearisation");
    json_text(stdout, "model", a->loaded.title);
    json_number(stdout, "time", a->t);
    json_count(stdout, "states", a->system->nstate);
    json_count(stdout, "blocks", s->blocks.n);
    json_end(stdout);
    for (size_t i = 0; i < s->blocks.n; i++)
        for (size_t k = 0; k < s->blocks.items[i].n; k++)
            json_eigenvalue(a, &s->blocks.items[i], &s->values.items[s->blocks.items[i].first + k]);
    size_t n;
    const Method *list = explicit_methods(&n);
    for (size_t i = 0; i < n; i++) {
        char name[16];
        ptrdiff_t at;
        double h = spectrum_step(s, list[i], &at);
        json_begin(stdout, "stability");
        json_text(stdout, "solver", method_name(list[i], name, sizeof name));
        json_number(stdout, "largest_step", h);
        if (at >= 0) {
            json_number(stdout, "real", s->values.items[at].re);
            json_number(stdout, "imaginary", s->values.items[at].im);
        }
        json_end(stdout);
    }
}

static void print_text(const Analysis *a)
{
    printf("%s at t = %g s: %zu states\n", a->loaded.title, a->t, a->system->nstate);
    if (a->system->nstate == 0)
        return;
    uint32_t shown = 0, left = 0;
    for (uint32_t i = 0; i < a->linear.shapes.n; i++) {
        if (a->linear.shapes.items[i].n == 0)
            continue;
        if (shown++ < FEW_SHAPES || a->wishes->all)
            print_shape(a, i);
        else
            left++;
    }
    if (left)
        printf("\n... and %u subsystems more; --all prints them\n", left);
    print_motion(a);
    print_steps(a);
}

/* ------------------------------------------------------------------ matrices */

/* A of the whole system; the blocks of lanes do not meet */
static double *whole_A(const Analysis *a)
{
    size_t n = a->system->nstate;
    double *A = calloc(n * n + 1, sizeof *A);
    for (uint32_t i = 0; i < a->linear.shapes.n && A; i++) {
        const LinearShape *s = &a->linear.shapes.items[i];
        const SystemShape *ss = &a->system->shapes.items[i];
        for (size_t lane = 0, one; lanes_next(ss, &lane, &one, 1); lane++)
            for (size_t c = 0; c < s->n; c++)
                for (size_t r = 0; r < s->n; r++)
                    A[home_state(ss, c, lane) * n + home_state(ss, r, lane)] =
                        s->A[(lane * s->n + c) * s->n + r];
    }
    return A;
}

static ExitCode write_matrices(const Analysis *a)
{
    const Wishes *w = a->wishes;
    const Linear *l = &a->linear;
    size_t n = a->system->nstate, nu = l->ninput, ny = l->noutput;
    if (n > DENSE_MOST) {
        log_error(a->log,
                  "A of %zu states has %.3g numbers and is not written\n--output takes up to %d "
                  "states",
                  n, (double)n * (double)n, DENSE_MOST);
        return EXIT_USAGE;
    }
    double *A = whole_A(a);
    const char **names = calloc(n + 1, sizeof *names);
    Arena arena;
    char name[512], message[1024];
    arena_init(&arena, &memory_default);
    for (size_t i = 0; i < n && names; i++) {
        lieder_system_state_name(a->system, i, name, sizeof name);
        names[i] = arena_text(&arena, name, strlen(name));
    }
    ExitCode code = EXIT_DONE;
    if (!A || !names || arena.failed) {
        log_error(a->log, "out of memory");
        code = EXIT_SIMULATION;
    } else {
        const Matrix list[] = {
            {.name = "A", .nrow = n, .ncolumn = n, .values = A},
            {.name = "B", .nrow = n, .ncolumn = nu, .values = l->B},
            {.name = "C", .nrow = ny, .ncolumn = n, .values = l->C},
            {.name = "D", .nrow = ny, .ncolumn = nu, .values = l->D},
            {.name = "x_names", .nrow = n, .texts = names},
            {.name = "u_names", .nrow = nu, .texts = w->inputs.items ? w->inputs.items : names},
            {.name = "y_names", .nrow = ny, .texts = w->outputs.items ? w->outputs.items : names},
            {.name = "t", .nrow = 1, .ncolumn = 1, .values = &l->t},
            {.name = "x", .nrow = n, .ncolumn = 1, .values = l->x},
            {.name = "u", .nrow = nu, .ncolumn = 1, .values = l->u},
            {.name = "y", .nrow = ny, .ncolumn = 1, .values = l->y},
        };
        if (matrices_write(w->output, list, sizeof list / sizeof *list, message, sizeof message) !=
            LIEDER_DONE) {
            log_error(a->log, "%s", message);
            code = EXIT_IO;
        } else {
            log_note(a->log, "A, B, C and D are in %s", w->output);
        }
    }
    arena_drop(&arena);
    free(names);
    free(A);
    return code;
}

/* ------------------------------------------------------------------ all of it */

static ExitCode report(const Analysis *a)
{
    if (!a->log->quiet && a->log->json)
        print_json(a);
    else if (!a->log->quiet)
        print_text(a);
    ExitCode code = EXIT_DONE;
    if (!a->log->quiet && a->system->nstate > 0) {
        judge_steps(a);
        if (!isnan(a->wishes->wanted))
            code = search_TD(a);
    }
    if (code == EXIT_DONE && a->wishes->output)
        code = write_matrices(a);
    return code;
}

static ExitCode analyse(Log *log, const Wishes *w)
{
    Analysis a = {.log = log, .wishes = w};
    ExitCode code =
        load_model(&a.loaded, log, w->file, w->model, w->overrides.items, w->overrides.n);
    if (code == EXIT_DONE && !(a.system = load_system(&a.loaded, log)))
        code = EXIT_MODEL;
    if (code == EXIT_DONE)
        code = find_point(&a);
    if (code == EXIT_DONE)
        code = linearise(&a);
    if (code == EXIT_DONE)
        code = report(&a);
    spectrum_drop(&a.spectrum);
    if (a.linearised)
        linear_drop(&a.linear);
    free(a.x);
    free(a.choices);
    lieder_system_destroy(a.system);
    loaded_drop(&a.loaded);
    return code;
}

static ExitCode run(const Command *command, int argc, char **argv)
{
    Log log = log_open();
    Arguments a = arguments_read(command, &log, argc, argv);
    Wishes w = {.at = NAN, .step = NAN, .wanted = NAN};
    ExitCode code;
    if (arguments_all(&a, read_option, &w, &code)) {
        if (!check_wishes(&w, &log))
            code = EXIT_USAGE;
        else
            code = w.file ? analyse(&log, &w) : arguments_missing(&a, "FILE.mo");
    }
    overrides_drop(&w.overrides);
    vec_drop(&memory_default, &w.inputs);
    vec_drop(&memory_default, &w.outputs);
    return code;
}

const Command command_eigen = {
    .name = "eigen",
    .operands = "FILE.mo",
    .text = "Linearise a model: eigenvalues, stable steps, A, B, C, D",
    .description =
        "Linearises the model at its start, or at --at, on the side of contacts and switches\n"
        "where it is. Prints the eigenvalues with frequency, damping and the states that take\n"
        "part, the largest stable step of every explicit solver, whether --solver with --step\n"
        "is stable, and the T_D that makes --wanted-step stable. Equal subsystems count once.",
    .examples = "  lieder eigen crane.mo --at 2\n"
                "  lieder eigen clamp.mo --solver rk3 --step 1e-3\n"
                "  lieder eigen clamp.mo --wanted-step 1e-3\n"
                "  lieder eigen drive.mo -u force.f -y load.frame_a.s -o drive.mat\n",
    .options = options,
    .run = run};
