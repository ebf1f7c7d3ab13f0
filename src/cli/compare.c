/* compare.c - lieder compare REFERENCE RESULT: is every variable of the reference inside the tube?
 *
 * Both files are read once, with the columns that both have. Names are compared without blanks,
 * since some programs write "r[1, 2]" and others "r[1,2]". The rule stands in analysis/tube.h.
 */
#include <math.h>
#include <string.h>

#include "analysis/tube.h"
#include "base/file.h"
#include "cli/cli.h"

enum { OPT_SIGNALS, OPT_TOLERANCE, OPT_UNTIL, OPT_LOG_FORMAT, OPT_QUIET };
static const Option options[] = {
    [OPT_SIGNALS] = {"signals", 0, "FILE",
                     "compare only the variables that this file names, one a line"},
    [OPT_TOLERANCE] = {"tolerance", 0, "R",
                       "half width and half height of the rectangles around the points of the "
                       "reference, by its duration and its range (2e-3)"},
    [OPT_UNTIL] = {"until", 0, "T", "compare the beginning only, up to this time in s"},
    [OPT_LOG_FORMAT] = LOG_FORMAT_OPTION,
    [OPT_QUIET] = QUIET_OPTION,
    {0}};

typedef struct CompareOptions {
    const char *reference, *result, *signals;
    double tolerance, until;
} CompareOptions;

/* reads one option or operand: the reference first, then the result */
static bool read_compare_option(Arguments *a, int option, const char *value, void *user)
{
    CompareOptions *o = user;
    switch (option) {
    case ARGUMENT_OPERAND:
        if (!o->reference) {
            o->reference = value;
            return true;
        }
        return arguments_operand(a, value, &o->result);
    case OPT_SIGNALS:
        o->signals = value;
        return true;
    case OPT_TOLERANCE:
        return arguments_positive(a, options[option].name, value, &o->tolerance);
    case OPT_UNTIL:
        return arguments_number(a, options[option].name, value, &o->until);
    default:
        return false;
    }
}

/* one of the two files: its columns that are compared, row by row */
typedef struct CompareFile {
    Result file;
    VEC(size_t) columns;  /* time first */
    VEC(double) * values; /* by place in `columns` */
    double until;
    bool failed;
} CompareFile;

/* whether two lines are equal but for blanks and the CR of Windows */
static bool same_without_blanks(const char *a, const char *b)
{
    for (;; a++, b++) {
        while (*a == ' ' || *a == '\r')
            a++;
        while (*b == ' ' || *b == '\r')
            b++;
        if (*a != *b)
            return false;
        if (!*a)
            return true;
    }
}

static ptrdiff_t find_without_blanks(const Result *r, const char *name)
{
    ptrdiff_t at = result_find(r, name);
    for (size_t i = 0; at < 0 && i < r->columns.n; i++)
        if (same_without_blanks(r->columns.items[i].name, name))
            at = (ptrdiff_t)i;
    return at;
}

static bool keep_compare_row(void *user, const double *values)
{
    CompareFile *f = user;
    if (values[0] > f->until)
        return true;
    for (size_t i = 0; i < f->columns.n; i++)
        f->failed |= !vec_push(HEAP, &f->values[i], values[i]);
    return !f->failed;
}

/* the chosen columns of a file */
static ExitCode read_compare_file(CompareFile *f, Log *log)
{
    f->values = memory_zeroed(HEAP, f->columns.n * sizeof *f->values);
    LiederStatus status = LIEDER_NO_MEMORY;
    if (f->values)
        status = result_read(&f->file, f->columns.items, f->columns.n, keep_compare_row, f);
    if (!f->values || f->failed) {
        log_error(log, "out of memory");
        return EXIT_SIMULATION;
    }
    if (status < 0) {
        log_error(log, "%s", f->file.message);
        return EXIT_IO;
    }
    if (*f->file.message)
        log_note(log, "%s", f->file.message);
    return EXIT_DONE;
}

static void drop_compare_file(CompareFile *f)
{
    for (size_t i = 0; f->values && i < f->columns.n; i++)
        vec_drop(HEAP, &f->values[i]);
    if (f->values)
        memory_free(HEAP, f->values, f->columns.n * sizeof *f->values);
    vec_drop(HEAP, &f->columns);
    result_close(&f->file);
}

/* variables of the reference that are compared, and what came of it */
typedef struct Comparison {
    Log *log;
    const CompareOptions *options;
    CompareFile reference, result;
    char *signals; /* text of --signals, or NULL */
    size_t nsignals;
    size_t ncompared, nmissing, noutside;
} Comparison;

/* reads the whole file of --signals */
static ExitCode read_signals(Comparison *c)
{
    const char *path = c->options->signals;
    const char *why = "";
    FILE *file = path ? file_open_to_read(path, &why) : NULL;
    if (!path)
        return EXIT_DONE;
    VEC(char) text = {0};
    bool good = file != NULL;
    for (int ch; good && (ch = getc(file)) != EOF;)
        good = vec_push(HEAP, &text, (char)ch);
    good = good && vec_push(HEAP, &text, '\0') && !ferror(file);
    if (file)
        fclose(file);
    c->signals = text.items;
    c->nsignals = text.room;
    if (good)
        return EXIT_DONE;
    log_error(c->log, "cannot read %s%s%s", path, *why ? ": " : "", why);
    return EXIT_IO;
}

static bool is_wanted(const Comparison *c, const char *name)
{
    char line[1024];
    for (const char *p = c->signals; p && *p;) {
        size_t n = strcspn(p, "\n");
        snprintf(line, sizeof line, "%.*s", (int)n, p);
        if (same_without_blanks(line, name))
            return true;
        p += n + (p[n] != 0);
    }
    return !c->signals;
}

static void print_missing(Comparison *c, const char *name)
{
    c->nmissing++;
    if (c->log->json) {
        json_begin(stdout, "comparison");
        json_text(stdout, "name", name);
        json_flag(stdout, "missing", true);
        json_end(stdout);
    } else {
        printf("%s: missing in the result\n", name);
    }
}

/* the columns of both files; a variable that only the reference has is missing */
static bool choose_compared(Comparison *c)
{
    const Result *r = &c->reference.file, *y = &c->result.file;
    bool good = vec_push(HEAP, &c->reference.columns, r->time) &&
                vec_push(HEAP, &c->result.columns, y->time);
    for (size_t i = 0; good && i < r->columns.n; i++) {
        const char *name = r->columns.items[i].name;
        if (i == r->time || !is_wanted(c, name) || same_without_blanks(name, "time"))
            continue;
        ptrdiff_t at = find_without_blanks(y, name);
        if (at < 0)
            print_missing(c, name);
        else
            good = vec_push(HEAP, &c->reference.columns, i) &&
                   vec_push(HEAP, &c->result.columns, (size_t)at);
    }
    return good;
}

/* prints how one variable compares; one inside the tube is left out with --quiet */
static void print_verdict(const Comparison *c, const char *name, const TubeVerdict *v)
{
    if (c->log->json) {
        json_begin(stdout, "comparison");
        json_text(stdout, "name", name);
        json_flag(stdout, "inside", v->noutside == 0 && v->npoint > 0);
        json_count(stdout, "points", v->npoint);
        json_count(stdout, "outside", v->noutside);
        json_number(stdout, "worst", v->worst);
        json_end(stdout);
    } else if (v->npoint == 0) {
        printf("%s: no point at a time of the reference\n", name);
    } else if (v->noutside) {
        printf("%s: %zu of %zu points outside, the first at %.6g s, the worst by %.2g of its "
               "size\n",
               name, v->noutside, v->npoint, v->first, v->worst);
    } else if (!c->log->quiet) {
        printf("%s: inside\n", name);
    }
}

/* Times that do not rise (those of a sweep, of a damaged file) have no tube. */
static bool times_rise(const Comparison *c, const CompareFile *f, const char *path)
{
    const double *t = f->values[0].items;
    for (size_t i = 0; i < f->values[0].n; i++)
        if (!isfinite(t[i]) || (i > 0 && t[i] < t[i - 1])) {
            log_error(c->log,
                      "%.700s: time %g of row %zu does not come after the one before\n"
                      "give the result of one run; a file may be damaged",
                      path, t[i], i + 1);
            return false;
        }
    return true;
}

/* what only the reference has is not compared, which is reported */
static void warn_of_part(const Comparison *c)
{
    const CompareFile *r = &c->reference, *y = &c->result;
    size_t nr = r->values[0].n, ny = y->values[0].n;
    if (nr == 0 || ny == 0 || isfinite(c->options->until))
        return;
    double from = r->values[0].items[0], to = r->values[0].items[nr - 1];
    double begin = y->values[0].items[0], end = y->values[0].items[ny - 1];
    double near = c->options->tolerance * (to - from);
    if (begin <= from + near && end >= to - near)
        return;
    log_note(c->log,
             "the result goes from %g to %g s, the reference from %g to %g s: what the result "
             "does not have is not compared\n"
             "did the run end early? --until says that a part is meant",
             begin, end, from, to);
}

/* judges column by column; false when memory ran out */
static bool judge_columns(Comparison *c)
{
    const CompareFile *r = &c->reference, *y = &c->result;
    for (size_t i = 1; i < r->columns.n; i++) {
        TubeCurve reference = {r->values[0].items, r->values[i].items, r->values[i].n};
        TubeCurve curve = {y->values[0].items, y->values[i].items, y->values[i].n};
        TubeVerdict verdict;
        if (!tube_compare(HEAP, reference, curve, c->options->tolerance, &verdict))
            return false;
        c->ncompared++;
        c->noutside += verdict.noutside > 0 || verdict.npoint == 0;
        print_verdict(c, r->file.columns.items[r->columns.items[i]].name, &verdict);
    }
    return true;
}

/* prints the sum; returns EXIT_MODEL if a variable is outside, missing, or none was compared */
static ExitCode print_comparison(const Comparison *c)
{
    bool inside = c->noutside + c->nmissing == 0 && c->ncompared > 0;
    if (c->log->json) {
        json_begin(stdout, "summary");
        json_flag(stdout, "inside", inside);
        json_count(stdout, "compared", c->ncompared);
        json_count(stdout, "outside", c->noutside);
        json_count(stdout, "missing", c->nmissing);
        json_end(stdout);
    } else if (inside) {
        printf("%zu variables inside the tube\n", c->ncompared);
    } else {
        printf("%zu of %zu variables outside the tube, %zu missing\n", c->noutside, c->ncompared,
               c->nmissing);
    }
    return inside ? EXIT_DONE : EXIT_MODEL;
}

/* reads the columns that both files have, and judges each by its tube */
static ExitCode compare_files(Comparison *c)
{
    CompareFile *files[] = {&c->reference, &c->result};
    const char *paths[] = {c->options->reference, c->options->result};
    for (int i = 0; i < 2; i++) {
        files[i]->until = c->options->until;
        if (result_open(&files[i]->file, HEAP, paths[i]) < 0) {
            log_error(c->log, "%s", files[i]->file.message);
            return EXIT_IO;
        }
    }
    ExitCode code = read_signals(c);
    if (code == EXIT_DONE && !choose_compared(c)) {
        log_error(c->log, "out of memory");
        code = EXIT_SIMULATION;
    }
    for (int i = 0; i < 2 && code == EXIT_DONE; i++) {
        code = read_compare_file(files[i], c->log);
        if (code == EXIT_DONE && !times_rise(c, files[i], paths[i]))
            code = EXIT_IO;
    }
    if (code != EXIT_DONE)
        return code;
    warn_of_part(c);
    if (!judge_columns(c)) {
        log_error(c->log, "out of memory");
        return EXIT_SIMULATION;
    }
    return print_comparison(c);
}

/* reads the command line and compares */
static ExitCode compare_command(const Command *command, int argc, char **argv)
{
    Log log = log_open();
    Arguments a = arguments_read(command, &log, argc, argv);
    CompareOptions o = {.tolerance = TUBE_TOLERANCE, .until = INFINITY};
    ExitCode code;
    if (!arguments_all(&a, read_compare_option, &o, &code))
        return code;
    if (!o.result)
        return arguments_missing(&a, "a reference and a result");
    Comparison c = {.log = &log, .options = &o};
    code = compare_files(&c);
    drop_compare_file(&c.reference);
    drop_compare_file(&c.result);
    memory_free(HEAP, c.signals, c.nsignals);
    return code;
}

const Command command_compare = {
    .name = "compare",
    .operands = "REFERENCE RESULT",
    .text = "Compare a result with a reference",
    .description =
        "Each variable of REFERENCE (.csv, .mat or .h5) must stay inside a tube around its curve "
        "in\n"
        "RESULT: the envelope of rectangles around the points of the reference, as the libraries\n"
        "of the Modelica Association are compared. Exit status 1 if one does not or is missing.",
    .examples = "  lieder compare reference.csv CraneCrab_result.csv\n"
                "  lieder compare reference.mat run.csv --until 2.5 --tolerance 1e-3\n",
    .options = options,
    .run = compare_command};
