/* eigen_steps.c - which steps are stable: the largest of every explicit solver, whether that of
 * --step is one, and the T_D that makes --wanted-step one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/eigen.h"

/* ------------------------------------------------------------------ the largest step */

static const char *step_text(double h, char *buffer, size_t size)
{
    snprintf(buffer, size, isinf(h) ? "any" : h == 0 ? "none" : "%.6g", h);
    return buffer;
}

/* at: the eigenvalue that limits the step, or -1 */
static void print_step(const Analysis *a, Method m, double h, ptrdiff_t at)
{
    char name[16], step[32], value[64], state[512];
    const char *unit = h > 0 && isfinite(h) ? " s" : "";
    printf("  %-5s %12s%s", method_name(m, name, sizeof name), step_text(h, step, sizeof step),
           unit);
    if (at >= 0) {
        const Eigenvalue *v = &a->spectrum.values.items[at];
        const Block *b = spectrum_block(&a->spectrum, (size_t)at);
        printf("%s  limited by %s of %s", *unit ? "" : "  ",
               eigen_value_text(v, value, sizeof value),
               eigen_state_name(a, b, v->shares[0].state, state, sizeof state));
    }
    putchar('\n');
}

static void print_step_json(const Analysis *a, Method m, double h, ptrdiff_t at)
{
    char name[16];
    json_begin(a->to, "stability");
    json_text(a->to, "solver", method_name(m, name, sizeof name));
    json_number(a->to, "largest_step", h);
    if (at >= 0) {
        json_number(a->to, "real", a->spectrum.values.items[at].re);
        json_number(a->to, "imaginary", a->spectrum.values.items[at].im);
    }
    json_end(a->to);
}

void eigen_print_steps(const Analysis *a)
{
    if (!a->log->json)
        printf("\nLargest stable step%s\n",
               spectrum_complete(&a->spectrum) ? "" : ", as far as the fastest motions decide it");
    for (size_t i = 0; i < method_count(); i++) {
        ptrdiff_t at;
        Method m = method_at(i);
        if (!method_is_explicit(m))
            continue;
        double h = spectrum_step(&a->spectrum, m, &at);
        (a->log->json ? print_step_json : print_step)(a, m, h, at);
    }
}

/* ------------------------------------------------------------------ a given one */

/* methods that --step is about: the given solver, or all with fixed steps */
static bool is_judged(const Analysis *a, Method m)
{
    if (a->settings->solver != LIEDER_SOLVER_AUTO)
        return m.solver == a->settings->solver;
    return !lieder_solver_info(m.solver)->adaptive;
}

void eigen_judge_steps(const Analysis *a)
{
    double h = a->settings->step;
    for (size_t i = 0; i < method_count() && !isnan(h); i++) {
        char name[16], value[64];
        ptrdiff_t at;
        if (!is_judged(a, method_at(i)))
            continue;
        double growth = spectrum_growth(&a->spectrum, method_at(i), h, &at);
        bool stable = stability_holds(growth);
        method_name(method_at(i), name, sizeof name);
        if (at >= 0)
            eigen_value_text(&a->spectrum.values.items[at], value, sizeof value);
        if (a->log->json) {
            json_begin(a->to, "step");
            json_text(a->to, "solver", name);
            json_number(a->to, "step", h);
            json_flag(a->to, "stable", stable);
            json_number(a->to, "growth", growth);
            json_end(a->to);
        } else if (at < 0) {
            printf("\n%s is stable with any step: nothing decays or swings\n", name);
        } else {
            printf("\n%s with a step of %g s is %s: a step multiplies the motion of %s by %.6g\n",
                   name, h, stable ? "stable" : "NOT STABLE", value, growth);
        }
    }
}

/* ------------------------------------------------------------------ the T_D for a wanted one */

typedef struct TdSearch {
    const Analysis *a;
    Method method;
    const char *world; /* name of the World component, or NULL */
    bool already;      /* the step is stable as the model is */
    DialecticResult result;
} TdSearch;

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

/* the model once more with another T_D of its World; NULL: it cannot be made */
static LiederSystem *with_TD(const TdSearch *s, double TD)
{
    const Analysis *a = s->a;
    char name[128], value[32];
    snprintf(name, sizeof name, "%s.TD", s->world);
    snprintf(value, sizeof value, "%.17g", TD);
    Overrides list = {0};
    bool ok = true;
    for (size_t i = 0; i < a->settings->source.overrides.n; i++)
        if (strcmp(a->settings->source.overrides.items[i].name, name) != 0)
            ok &= vec_push(HEAP, &list, a->settings->source.overrides.items[i]);
    ok = ok && vec_push(HEAP, &list, (FrontOverride){.name = name, .value = value});
    const char *model = NULL;
    if (ok)
        ok = front_instantiate(a->loaded.front, a->loaded.title, list.items, list.n, NULL,
                               &model) >= 0;
    vec_drop(HEAP, &list);
    return ok ? lieder_system_create(a->loaded.session, model, NULL) : NULL;
}

/* whether the wanted step is stable with this T_D, at the same point; -1: that cannot be computed
 */
static int is_stable_with(void *user, double TD)
{
    TdSearch *s = user;
    const Analysis *a = s->a;
    LiederSystem *system = with_TD(s, TD);
    if (!system)
        return -1;
    double *x = calloc(system->nstate + 1, sizeof *x);
    int stable = -1;
    if (x && carry_state(a->system, a->point.x, system, x)) {
        bool held = a->point.held && system->nchoice == a->system->nchoice;
        Linear l;
        Spectrum spectrum = {0};
        ptrdiff_t at;
        LinearPoint p = {.t = a->point.t,
                         .x = x,
                         .choices = held ? a->point.choices : NULL,
                         .memory = held && system->nmemory == a->system->nmemory ? a->point.memory
                                                                                 : NULL};
        if (linear_create(&l, system, &p) == LIEDER_DONE &&
            spectrum_create(&spectrum, &l) == LIEDER_DONE)
            stable =
                stability_holds(spectrum_growth(&spectrum, s->method, a->settings->wanted, &at));
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

/* what the search for T_D has found, as a JSON object */
static void print_TD_json(const TdSearch *s, double TD)
{
    static const char *const results[] = {[DIALECTIC_FOUND] = "found",
                                          [DIALECTIC_ANY] = "any",
                                          [DIALECTIC_NEVER] = "never",
                                          [DIALECTIC_FAILED] = "failed"};
    char name[16];
    json_begin(s->a->to, "dialectic");
    json_text(s->a->to, "solver", method_name(s->method, name, sizeof name));
    json_number(s->a->to, "wanted_step", s->a->settings->wanted);
    json_text(s->a->to, "result", s->already ? "already" : results[s->result]);
    json_number(s->a->to, "TD", TD);
    json_end(s->a->to);
}

/* the T_D that makes the wanted step stable, as a sentence */
static void print_TD(const TdSearch *s, double TD)
{
    char name[16];
    double h = s->a->settings->wanted;
    printf("\nA step of %g s with %s ", h, method_name(s->method, name, sizeof name));
    if (s->already)
        printf("is stable as the model is\n");
    else if (!s->world)
        printf("is not stable, and T_D cannot help: the model has no World\n");
    else if (s->result == DIALECTIC_NEVER)
        printf("is not stable, and T_D cannot help: no %s.TD up to %g s changes that\n", s->world,
               1024 * h);
    else
        printf("becomes stable with %s.TD = %.4g s%s\n", s->world, TD,
               s->result == DIALECTIC_ANY ? " or less" : "");
}

ExitCode eigen_search_TD(const Analysis *a)
{
    const EigenSettings *w = a->settings;
    LiederSolver solver = w->solver ? w->solver : LIEDER_RK4;
    TdSearch s = {.a = a,
                  .method = {solver, lieder_solver_info(solver)->order},
                  .world = find_world(a->system),
                  .result = DIALECTIC_NEVER};
    ptrdiff_t at;
    double TD = NAN;
    s.already = stability_holds(spectrum_growth(&a->spectrum, s.method, w->wanted, &at));
    if (s.world && !s.already)
        s.result = dialectic_search(is_stable_with, &s, w->wanted, &TD);
    log_diagnostics(a->log, a->loaded.session, a->loaded.front);
    if (s.result == DIALECTIC_FAILED) {
        log_error(a->log, "the T_D for a step of %g s could not be found", w->wanted);
        return EXIT_SIMULATION;
    }
    (a->log->json ? print_TD_json : print_TD)(&s, TD);
    return EXIT_DONE;
}
