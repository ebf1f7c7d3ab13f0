/* check.c - lieder check FILE: everything that is wrong with a model, without
 * running it. */
#include <stdio.h>

#include "cli/cli.h"

enum { OPT_MODEL, OPT_OVERRIDE, OPT_LOAD, OPT_LIBRARY, OPT_LIMIT, OPT_LOG_FORMAT, OPT_QUIET };
static const Option options[] = {
    [OPT_MODEL] = {"model", 0, "NAME", "check this model, not the last of the file"},
    [OPT_OVERRIDE] = {"override", 0, "NAME=VALUE",
                      "set a parameter or start value first; may be repeated"},
    [OPT_LOAD] = LOAD_OPTION,
    [OPT_LIBRARY] = LIBRARY_OPTION,
    [OPT_LIMIT] = LIMIT_OPTION,
    [OPT_LOG_FORMAT] = LOG_FORMAT_OPTION,
    [OPT_QUIET] = QUIET_OPTION,
    {0}};

static void report(Log *log, const char *title, ExitCode code)
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

typedef struct Wishes {
    const char *file, *model;
    Overrides overrides;
    ModelSource source;
} Wishes;

static ExitCode check(Log *log, Wishes *w)
{
    Loaded l;
    w->source.alone = true;
    ExitCode code =
        load_model(&l, log, &w->source, w->file, w->model, w->overrides.items, w->overrides.n);
    if (code == EXIT_DONE) {
        LiederSystem *system = load_system(&l, log);
        code = system ? EXIT_DONE : EXIT_MODEL;
        lieder_system_destroy(system);
    }
    if (code == EXIT_DONE || code == EXIT_MODEL)
        report(log, l.title[0] ? l.title : w->file ? w->file : w->model, code);
    loaded_drop(&l);
    return code;
}

static bool read_option(Arguments *a, int option, const char *value, void *wishes)
{
    Wishes *w = wishes;
    switch (option) {
    case ARGUMENT_OPERAND:
        return arguments_operand(a, value, &w->file);
    case OPT_MODEL:
        w->model = value;
        return true;
    case OPT_OVERRIDE:
        return arguments_override(a, value, &w->overrides);
    default:
        return false;
    }
}

static ExitCode run(const Command *command, int argc, char **argv)
{
    Log log = log_open();
    Arguments a = arguments_read(command, &log, argc, argv);
    Wishes w = {0};
    w.source.fmus = true;
    a.source = &w.source;
    ExitCode code;
    if (arguments_all(&a, read_option, &w, &code))
        code = w.file || w.model ? check(&log, &w) : arguments_missing(&a, "FILE.mo");
    overrides_drop(&w.overrides);
    model_source_drop(&w.source);
    return code;
}

const Command command_check = {
    .name = "check",
    .operands = "FILE.mo...",
    .text = "Say everything that is wrong with a model",
    .description = "Reads the file (or a folder with package.mo), instantiates its last "
                   "model and makes it\n"
                   "ready for numbers. All diagnostics are printed; the exit code is 0 if "
                   "the model can be\n"
                   "simulated, 1 if it is wrong and 4 if a file cannot be read.",
    .examples = "  lieder check crane.mo\n"
                "  lieder check machines/ --model Machines.Press\n"
                "  lieder check crane.mo --log-format json | jq .message\n",
    .options = options,
    .run = run};
