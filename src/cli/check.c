/* check.c - lieder check FILE: everything that is wrong with a model, without
 * running it. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "equation/class/summary.h"
#include "model/linear/solvable.h"

enum { OPT_MODEL, OPT_OVERRIDE, OPT_LOAD, OPT_LIBRARY, OPT_LIMIT, OPT_LOG_FORMAT, OPT_QUIET };
static const Option options[] = {
    [OPT_MODEL] = {"model", 0, "NAME", "check this model, not the last of the file"},
    [OPT_OVERRIDE] = OVERRIDE_OPTION,
    [OPT_LOAD] = LOAD_OPTION,
    [OPT_LIBRARY] = LIBRARY_OPTION,
    [OPT_LIMIT] = LIMIT_OPTION,
    [OPT_LOG_FORMAT] = LOG_FORMAT_OPTION,
    [OPT_QUIET] = QUIET_OPTION,
    {0}};

/* the sum of what was found: one line, or a JSON object */
static void report_check(Log *log, const char *title, ExitCode code)
{
    if (log->json && !log->quiet) {
        json_begin(stdout, "summary");
        json_text(stdout, "model", title);
        json_text(stdout, "status", run_outcome(code));
        json_count(stdout, "errors", log->nerror);
        json_count(stdout, "warnings", log->nwarning);
        json_end(stdout);
    } else if (!log->quiet && code == EXIT_DONE) {
        printf("%s: no errors, %zu warning%s\n", title, log->nwarning,
               log->nwarning == 1 ? "" : "s");
    } else if (!log->json && !log->quiet) {
        fprintf(stderr, "%zu error%s, %zu warning%s\n", log->nerror, log->nerror == 1 ? "" : "s",
                log->nwarning, log->nwarning == 1 ? "" : "s");
    }
}

/* ------------------------------------------------------------------ linear groups */

enum { FEW = 12 }; /* groups that are reported one by one */

static const char *const verdicts[] = {
    [SOLVABLE_PROVED] = "regular for all states",
    [SOLVABLE_AT_REST] = "regular for all positions at rest",
    [SOLVABLE_TESTED] = "regular where it was tried",
    [SOLVABLE_SINGULAR] = "singular where it was tried",
};

/* n linear groups that are alike, with their verdict, and where a proof failed the component of the
 * first one and the reason */
static void say_group(const LiederSystem *system, const GroupSolvable *g, size_t n)
{
    const SystemShape *ss = &system->shapes.items[g->shape];
    char path[512];
    lane_path(system, ss, g->component, g->lane, path, sizeof path);
    if (n > 1)
        printf("  %zu linear groups, each", n);
    else
        printf("  linear group");
    printf(" of %u unknown%s, %zu lane%s: %s", g->nunknown, g->nunknown == 1 ? "" : "s",
           ss->shape->nlane, ss->shape->nlane == 1 ? "" : "s", verdicts[g->verdict]);
    if (g->verdict >= SOLVABLE_TESTED)
        printf(", %zu of %zu states", g->nregular, g->ntried);
    if (g->why)
        printf("\n    %s: %s%s", path, g->why, n > 1 ? ", and the others likewise" : "");
    putchar('\n');
}

/* would say_group print the same but for the component? What is not proved to be regular is
 * reported one by one. */
static bool groups_alike(const LiederSystem *system, const GroupSolvable *a, const GroupSolvable *b)
{
    return a->verdict == b->verdict && a->verdict < SOLVABLE_TESTED && a->nunknown == b->nunknown &&
           a->ntried == b->ntried && a->nregular == b->nregular && !a->why == !b->why &&
           (!a->why || strcmp(a->why, b->why) == 0) &&
           system->shapes.items[a->shape].shape->nlane ==
               system->shapes.items[b->shape].shape->nlane;
}

/* the same as a JSON object */
static void say_group_json(const LiederSystem *system, const GroupSolvable *g)
{
    static const char *const names[] = {"proved", "at_rest", "tested", "singular"};
    const SystemShape *ss = &system->shapes.items[g->shape];
    char path[512];
    json_begin(stdout, "group");
    json_count(stdout, "unknowns", g->nunknown);
    json_count(stdout, "lanes", ss->shape->nlane);
    json_text(stdout, "verdict", names[g->verdict]);
    json_text(stdout, "component", lane_path(system, ss, g->component, g->lane, path, sizeof path));
    json_text(stdout, "why", g->why);
    json_count(stdout, "tried", g->ntried);
    json_count(stdout, "regular", g->nregular);
    json_end(stdout);
}

/* how many of the groups from begin on are like it, itself included */
static size_t count_alike(const LiederSystem *system, const GroupSolvables *list, size_t begin)
{
    size_t n = 1;
    for (size_t i = begin + 1; i < list->n; i++)
        n += groups_alike(system, &list->items[begin], &list->items[i]);
    return n;
}

/* what the rules of docs/solvability.md say about each linear group, the worst first */
static void say_groups(Log *log, LiederSystem *system)
{
    GroupSolvables list = {0};
    size_t said[FEW], nsaid = 0, nmore = 0;
    if (log->quiet)
        return;
    if (system_solvable(system, &list) == LIEDER_NO_MEMORY)
        log_error(log, "out of memory");
    for (SolvableVerdict v = SOLVABLE_SINGULAR + 1; v-- > SOLVABLE_PROVED;)
        for (size_t i = 0; i < list.n; i++) {
            size_t k = 0;
            if (list.items[i].verdict != v)
                continue;
            if (log->json) {
                say_group_json(system, &list.items[i]);
                continue;
            }
            while (k < nsaid && !groups_alike(system, &list.items[said[k]], &list.items[i]))
                k++;
            if (k < nsaid)
                continue; /* counted with that one */
            if (nsaid == FEW) {
                nmore++;
                continue;
            }
            say_group(system, &list.items[i], count_alike(system, &list, i));
            said[nsaid++] = i;
        }
    if (nmore > 0)
        printf("  ... and %zu more linear groups that are no worse\n", nmore);
    vec_drop(SYSTEM_ALLOC(system), &list);
}

/* systems of equations inside classes: what has constant coefficients and was solved once, is
 * always solved */
static void say_systems(Log *log, const Front *front)
{
    size_t constant = 0, varying = 0, iterated = 0;
    for (size_t i = 0; i < front_cell_count(front); i++) {
        const CellSummary *c = front_cell(front, i);
        for (size_t k = 0; k < c->nsystem; k++) {
            const CellSystemSummary *s = &c->systems[k];
            size_t n = s->times;
            constant += s->solution == SOLVED_LINEAR && s->is_constant ? n : 0;
            varying += s->solution == SOLVED_LINEAR && !s->is_constant ? n : 0;
            iterated += s->solution == SOLVED_ITERATED ? n : 0;
        }
    }
    if (log->quiet || log->json || constant + varying + iterated == 0)
        return;
    printf("  systems in classes made of equations:");
    if (constant)
        printf(" %zu linear with constant coefficients, regular for all states;", constant);
    if (varying)
        printf(" %zu linear with coefficients that vary, regular at the start;", varying);
    if (iterated)
        printf(" %zu nonlinear, solved at the start;", iterated);
    printf(" lieder show lists them\n");
}

/* the derivatives at the start: false if they cannot be had, which the run will explain */
static bool starts(LiederSystem *system)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(system);
    size_t n = lieder_system_state_count(system), before = system->session->diag.list.n;
    double *x = memory_zeroed(alloc, (2 * n + 2) * sizeof *x);
    bool good = x && lieder_system_start(system, x) == LIEDER_DONE &&
                lieder_system_derivatives(system, 0, x, x + n + 1) == LIEDER_DONE;
    memory_free(alloc, x, (2 * n + 2) * sizeof *x);
    diag_forget(&system->session->diag, before);
    return good;
}

/* loads the model, reports on it and its linear groups, and on T_D if it can start; returns the
 * exit code */
static ExitCode check_model(Log *log, const ModelSource *source)
{
    Loaded l;
    ExitCode code = load_model(&l, log, source);
    LiederSystem *system = code == EXIT_DONE ? load_system(&l, log) : NULL;
    if (code == EXIT_DONE && !system)
        code = EXIT_MODEL;
    if (code == EXIT_DONE || code == EXIT_MODEL)
        report_check(log, l.title[0] ? l.title : source->file ? source->file : source->model, code);
    if (system)
        say_groups(log, system);
    if (system && starts(system)) {
        say_systems(log, l.front);
        td_advise(system, l.experiment.start, log);
    }
    lieder_system_destroy(system);
    loaded_drop(&l);
    return code;
}

/* lieder check */
static ExitCode check_command(const Command *command, int argc, char **argv)
{
    Log log = log_open();
    Arguments a = arguments_read(command, &log, argc, argv);
    ModelSource source = {.alone = true, .fmus = true};
    a.source = &source;
    ExitCode code;
    if (arguments_all(&a, NULL, NULL, &code))
        code = source.file || source.model ? check_model(&log, &source)
                                           : arguments_missing(&a, "FILE.mo");
    model_source_drop(&source);
    return code;
}

const Command command_check = {
    .name = "check",
    .operands = "FILE.mo...",
    .text = "Say everything that is wrong with a model",
    .description =
        "Reads the file (or a folder with package.mo), instantiates its last "
        "model and makes it\n"
        "ready for numbers. All diagnostics are printed, and for each linear group whether "
        "it is regular\n"
        "for all states or where it was tried (docs/solvability.md); the exit code is 0 if "
        "the model can be\n"
        "simulated, 1 if it is wrong and 4 if a file cannot be read.",
    .examples = "  lieder check crane.mo\n"
                "  lieder check machines/ --model Machines.Press\n"
                "  lieder check crane.mo --log-format json | jq .message\n",
    .options = options,
    .run = check_command};
