/* plot.c - lieder plot RESULT: curves of results, as a picture or as text in the terminal. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/plot.h"

/* ------------------------------------------------------------------ options */

enum {
    OPT_X,
    OPT_Y,
    OPT_PANEL,
    OPT_OUTPUT,
    OPT_LOG,
    OPT_FROM,
    OPT_TO,
    OPT_GROUP,
    OPT_LABEL,
    OPT_TITLE,
    OPT_SIZE,
    OPT_POINTS,
    OPT_SCRIPT,
    OPT_LOG_FORMAT,
    OPT_QUIET
};

static const Option options[] = {
    [OPT_X] = {"x", 'x', "NAME", "the variable to the right (time)"},
    [OPT_Y] = {"y", 'y', "NAME...",
               "variables to draw: names, or regular expressions that match whole names; may be "
               "repeated (the states)"},
    [OPT_PANEL] = {"panel", 0, NULL,
                   "the names that follow get a panel of their own (a panel for each unit)"},
    [OPT_OUTPUT] = {"output", 'o', "FILE",
                    "the picture: .svg, .png or .pdf (text in the terminal)"},
    [OPT_LOG] = {"log", 0, "AXIS", "logarithmic axis: x, y or xy"},
    [OPT_FROM] = {"from", 0, "T", "draw from this time on"},
    [OPT_TO] = {"to", 0, "T", "draw up to this time"},
    [OPT_GROUP] =
        {"group", 0, "COLUMN",
         "a curve for every value of this column; may be repeated (the columns before the "
         "time, which a sweep writes)"},
    [OPT_LABEL] = {"label", 0, "TEXT",
                   "name of a result in the legend, in their order; may be repeated (its file)"},
    [OPT_TITLE] = {"title", 0, "TEXT", "a line above the picture"},
    [OPT_SIZE] = {"size", 0, "WxH", "size in pixels, or in characters of text (800x450)"},
    [OPT_POINTS] = {"points", 0, NULL, "marks instead of lines"},
    [OPT_SCRIPT] = {"script", 0, "FILE.gp", "write the script for gnuplot, to vary it"},
    [OPT_LOG_FORMAT] = LOG_FORMAT_OPTION,
    [OPT_QUIET] = QUIET_OPTION,
    {0}};

bool plot_is_result(const char *text)
{
    return text_ends(text, ".csv") || text_ends(text, ".mat") || text_ends(text, ".h5");
}

static bool add_column_name(PlotOptions *w, const char *text)
{
    w->failed |= !vec_push(HEAP, &w->names, (PlotName){text, w->npanel});
    return true;
}

/* names may go on after --y NAME; a file of results is known by its end */
static bool read_operand(PlotOptions *w, const char *text)
{
    if (w->names.n && !plot_is_result(text))
        return add_column_name(w, text);
    w->failed |= !vec_push(HEAP, &w->results, text);
    return true;
}

static bool read_axis(Arguments *a, const char *text, PlotOptions *w)
{
    if (*text && strspn(text, "xy") == strlen(text)) {
        w->log_x |= strchr(text, 'x') != NULL;
        w->log_y |= strchr(text, 'y') != NULL;
        return true;
    }
    log_error(a->log, "--log is x, y or xy, not \"%s\"", text);
    return false;
}

/* an option or operand into PlotOptions; false after reporting an error */
static bool read_plot_option(Arguments *a, int option, const char *value, void *given)
{
    PlotOptions *w = given;
    switch (option) {
    case ARGUMENT_OPERAND:
        return read_operand(w, value);
    case OPT_X:
        w->x = value;
        return true;
    case OPT_Y:
        return add_column_name(w, value);
    case OPT_PANEL:
        w->npanel++;
        return true;
    case OPT_OUTPUT:
        w->output = value;
        return true;
    case OPT_LOG:
        return read_axis(a, value, w);
    case OPT_FROM:
        return arguments_number(a, "from", value, &w->from);
    case OPT_TO:
        return arguments_number(a, "to", value, &w->to);
    case OPT_GROUP:
        w->failed |= !vec_push(HEAP, &w->groups, value);
        return true;
    case OPT_LABEL:
        w->failed |= !vec_push(HEAP, &w->labels, value);
        return true;
    case OPT_TITLE:
        w->title = value;
        return true;
    case OPT_SIZE:
        return arguments_size(a, value, &w->width, &w->height);
    case OPT_POINTS:
        return w->points = true;
    case OPT_SCRIPT:
        w->script = value;
        return true;
    default:
        return false;
    }
}

ExitCode plot_no_memory(Log *log)
{
    log_error(log, "out of memory for the curves\ndraw fewer variables, or a part of the time by "
                   "--from and --to");
    return EXIT_SIMULATION;
}

/* does every --panel have a name? */
static bool has_all_panels(Log *log, const PlotOptions *w)
{
    for (size_t panel = 1; panel <= w->npanel; panel++) {
        bool any = false;
        for (size_t i = 0; i < w->names.n; i++)
            any |= w->names.items[i].panel == panel;
        if (!any) {
            log_error(log, "--panel does nothing without names behind it\n"
                           "as in -y cart.s --panel -y cart.v");
            return false;
        }
    }
    return true;
}

/* what can be known to be wrong before anything is read */
static ExitCode check_plot(Log *log, const PlotOptions *w)
{
    PictureFormat format;
    if (w->output && (!picture_format(w->output, &format) || format == PICTURE_GIF)) {
        log_error(log, "a picture is .svg, .png or .pdf: %s is none of them", w->output);
        return EXIT_USAGE;
    }
    if (w->labels.n > w->results.n) {
        log_error(log,
                  "there are %zu labels, but %zu result%s\neach --label names a result, in "
                  "their order",
                  w->labels.n, w->results.n, w->results.n == 1 ? "" : "s");
        return EXIT_USAGE;
    }
    if (w->from > w->to) {
        log_error(log, "--from %g is after --to %g", w->from, w->to);
        return EXIT_USAGE;
    }
    const PathOfCommand own[] = {{"--output", w->output, true}, {"--script", w->script, true}};
    bool apart = paths_check(log, own, 2);
    for (size_t i = 0; i < w->results.n && apart; i++) {
        const PathOfCommand paths[] = {{"--output", w->output, true},
                                       {"--script", w->script, true},
                                       {"the result", w->results.items[i], false}};
        apart = paths_check(log, paths, 3);
    }
    if (apart && !has_all_panels(log, w))
        return EXIT_USAGE;
    return w->failed ? plot_no_memory(log) : apart ? EXIT_DONE : EXIT_USAGE;
}

/* ------------------------------------------------------------------ drawing */

typedef struct PlotScript {
    const Picture *picture;
    PictureFormat format;
    const char *output;
} PlotScript;

static void write_plot_script(const void *user, FILE *to)
{
    const PlotScript *s = user;
    picture_script(s->picture, s->format, s->output, false, to);
}

static ExitCode write_script(const Plot *p, const Picture *picture)
{
    const PlotOptions *w = p->given;
    PlotScript script = {picture, PICTURE_TEXT, w->output};
    char message[PICTURE_MESSAGE];
    if (w->output)
        picture_format(w->output, &script.format);
    if (picture_file(w->script, write_plot_script, &script, message, sizeof message) == LIEDER_DONE)
        return EXIT_DONE;
    log_error(p->log, "%s", message);
    return EXIT_IO;
}

/* the closing line: file, curves, panels and rows */
static void report_plot(const Plot *p, const Picture *picture)
{
    size_t ncurve = 0;
    for (size_t i = 0; i < picture->npanel; i++)
        ncurve += picture->panels[i].ncurve;
    const char *file = p->given->output ? p->given->output : p->given->script;
    if (p->log->json) {
        json_begin(stdout, "picture");
        json_text(stdout, "output", p->given->output);
        json_text(stdout, "script", p->given->script);
        json_count(stdout, "panels", picture->npanel);
        json_count(stdout, "curves", ncurve);
        json_count(stdout, "rows", p->nrow);
        json_end(stdout);
    } else if (file && !p->log->quiet) {
        printf("%s: %zu curve%s in %zu panel%s, from %zu rows\n", file, ncurve,
               ncurve == 1 ? "" : "s", picture->npanel, picture->npanel == 1 ? "" : "s", p->nrow);
    }
}

/* writes script and picture, or prints the picture on the terminal if neither was asked for */
static ExitCode write_plot(Plot *p)
{
    const PlotOptions *w = p->given;
    bool text = !w->output && !w->script;
    Picture picture;
    if (!plot_compose(p, text, &picture))
        return plot_no_memory(p->log);
    ExitCode code = w->script ? write_script(p, &picture) : EXIT_DONE;
    char message[PICTURE_MESSAGE];
    LiederStatus status = LIEDER_DONE;
    if (text && !w->width)
        picture.width = log_width(stdout);
    if (code == EXIT_DONE && w->output)
        status = picture_write(&picture, w->output, message, sizeof message);
    else if (code == EXIT_DONE && text)
        status = picture_print(&picture, isatty(STDOUT_FILENO), message, sizeof message);
    if (status < 0) {
        log_error(p->log, "%s", message);
        return status == LIEDER_BAD_USE ? EXIT_USAGE : EXIT_IO;
    }
    if (code == EXIT_DONE)
        report_plot(p, &picture);
    return code;
}

/* ------------------------------------------------------------------ the command */

/* frees everything that a plot holds, also one that failed on its way */
static void drop_plot(Plot *p)
{
    for (size_t i = 0; i < p->runs.n; i++) {
        PlotRun *run = &p->runs.items[i];
        vec_drop(HEAP, &run->x);
        for (size_t k = 0; k < p->variables.n; k++)
            vec_drop(HEAP, &run->y[k]);
    }
    vec_drop(HEAP, &p->runs);
    vec_drop(HEAP, &p->variables);
    vec_drop(HEAP, &p->groups);
    for (size_t i = 0; i < p->results.n; i++)
        result_close(&p->results.items[i]);
    vec_drop(HEAP, &p->results);
    arena_drop(&p->arena);
    lieder_destroy(p->session);
}

/* the order of a plot: results, columns, rows, picture */
static ExitCode plot(Log *log, const PlotOptions *w)
{
    Plot p = {.log = log, .given = w};
    arena_init(&p.arena, HEAP);
    ExitCode code = check_plot(log, w);
    if (code == EXIT_DONE)
        code = plot_open(&p);
    if (code == EXIT_DONE)
        code = plot_choose(&p);
    if (code == EXIT_DONE)
        code = plot_read(&p);
    if (code == EXIT_DONE)
        code = write_plot(&p);
    drop_plot(&p);
    return code;
}

/* lieder plot */
static ExitCode plot_command(const Command *command, int argc, char **argv)
{
    Log log = log_open();
    Arguments a = arguments_read(command, &log, argc, argv);
    PlotOptions w = {.from = -INFINITY, .to = INFINITY};
    ExitCode code;
    if (arguments_all(&a, read_plot_option, &w, &code))
        code = w.results.n ? plot(&log, &w) : arguments_missing(&a, "RESULT");
    vec_drop(HEAP, &w.results);
    vec_drop(HEAP, &w.labels);
    vec_drop(HEAP, &w.groups);
    vec_drop(HEAP, &w.names);
    return code;
}

const Command command_plot = {
    .name = "plot",
    .operands = "RESULT...",
    .text = "Draw curves of results",
    .description =
        "RESULT is a .csv, .mat or .h5 file of results. Without --y the states are drawn, without "
        "--output\nthe picture is text; of a summary of a sweep what was asked is drawn over the "
        "first "
        "parameter.\nVariables of one unit share a panel; several results are "
        "drawn over each\nother. After --y names may go on: what ends in .csv, .mat or .h5 is a "
        "result. "
        "Units are those of\nthe .mat or .h5 file; for .csv the library is asked by name.",
    .examples = "  lieder plot crane.csv\n"
                "  lieder plot crane.csv --y prismatic.s revolute.phi -o crane.svg\n"
                "  lieder plot crane.csv --x revolute.phi --y revolute.w -o phase.pdf\n"
                "  lieder plot soft.mat stiff.mat --y '.*\\.f' --from 1 --to 2 -o force.png\n"
                "  lieder plot sweep.csv --group world.TD --y load.v -o sweep.svg\n",
    .options = options,
    .run = plot_command};
