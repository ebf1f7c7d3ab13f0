/* doc.c - lieder doc CLASS: the library reference in the terminal, or as HTML, out of the classes
 * themselves: those in C by their members, all others as they are written. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "cli/cli.h"
#include "library/texts.h"
#include "picture/picture.h"

/* ------------------------------------------------------------------ pages */

enum { MAX_CELLS = 5 };

/* where a reference is written: to a terminal, in columns whose widths a first pass finds, or as
 * HTML */
typedef struct Page {
    FILE *to;
    bool html;
    int width[MAX_CELLS];
    bool printing;
} Page;

static void put_text(const Page *p, const char *text)
{
    for (; p->html && *text; text++)
        *text == '<'   ? fputs("&lt;", p->to)
        : *text == '>' ? fputs("&gt;", p->to)
        : *text == '&' ? fputs("&amp;", p->to)
        : *text == '"' ? fputs("&quot;", p->to)
                       : fputc(*text, p->to);
    fputs(text, p->to);
}

/* first pass: measures the cells; second pass: prints them in columns of these widths */
static void put_row(Page *p, int n, const char *const *cells)
{
    if (p->printing)
        fputs(p->html ? "<tr>" : "  ", p->to);
    for (int i = 0; i < n; i++) {
        const char *text = cells[i] ? cells[i] : "";
        int width = (int)strlen(text);
        if (!p->printing) {
            p->width[i] = width > p->width[i] ? width : p->width[i];
        } else if (p->html) {
            fputs("<td>", p->to);
            put_text(p, text);
        } else if (i == n - 1) {
            fprintf(p->to, "%s", text);
        } else if (p->width[i]) {
            fprintf(p->to, "%-*s  ", p->width[i], text);
        }
    }
    if (p->printing)
        fputc('\n', p->to);
}

static void begin_table(Page *p, const char *title)
{
    fprintf(p->to, p->html ? "<h4>%s</h4><table>\n" : "\n%s\n", title);
    p->printing = true;
}

static void end_table(Page *p)
{
    if (p->html && p->printing)
        fputs("</table>\n", p->to);
    p->printing = false;
    memset(p->width, 0, sizeof p->width);
}

/* how a class of mechanics looks in drawings; contacts look as the part that touches */
static void put_symbol(const Page *p, const char *name)
{
    static const char *const parts[][2] = {{"Planar.Contact", "Planar.WallSensor"},
                                           {"Planar.LineContact", "Planar.LineTouch"},
                                           {"Planar.ShapeContact", "Planar.ShapeTouch"},
                                           {"Planar.GearContact", "Planar.GearTouch"}};
    const char *of = strncmp(name, "Dialectic.", 10) == 0 ? name + 10 : name;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strcmp(of, parts[i][0]) == 0)
            of = parts[i][1];
    const Symbol *symbol = p->html ? symbol_find(of) : NULL;
    if (!symbol)
        return;
    fputs("<p>", p->to);
    symbol_svg(symbol, p->to);
    fputs("</p>\n", p->to);
}

/* what someone who knows the Modelica Standard Library would expect otherwise, and where losses
 * go; docs/guide/from_modelica.md and circuits.md say the same */
static const struct {
    const char *end, *note; /* of the class's name */
} notes[] = {
    {"Rotational.IdealGear", "ratio is the inverse of that of the Modelica Standard Library."},
    {"Rotational.LossyGear",
     "ratio is the inverse of that of the Modelica Standard Library; lossTable is the same. The "
     "box "
     "has the degree of freedom of its shafts, and its losses follow the torque of the teeth with "
     "the time constant T. lossPower goes into a Thermal.PrescribedHeatFlow."},
    {"ElastoGap", "The force of the damper is not limited by that of the spring, as it is in the "
                  "Modelica Standard Library: it may pull for a moment when the gap opens."},
    {"Translational.Body", "It has a weight along s, which a Mass of the Modelica Standard Library "
                           "has not: set g = 0 where it moves horizontally."},
    {"onal.Damper", "Its loss reaches a heat port in HeatingDamper."},
    {"onal.SpringDamper", "Its loss reaches a heat port in HeatingSpringDamper."},
    {"Planar.SpringDamper", "Its loss reaches a heat port in HeatingSpringDamper."},
    {"Planar.LineSpring", "Its loss reaches a heat port in HeatingLineSpring."},
    {"onal.DryFriction", "Its loss reaches a heat port in HeatingFriction."},
    {"CoulombFriction", "lossPower goes into a Thermal.PrescribedHeatFlow."},
    {"onal.Brake",
     "mu is a number where the Modelica Standard Library has a table over the velocity "
     "(mu_pos); there is one flange, the housing rests. lossPower goes into a "
     "Thermal.PrescribedHeatFlow."},
    {"Clutch", "mu is a number where the Modelica Standard Library has a table over the velocity "
               "(mu_pos). lossPower goes into a Thermal.PrescribedHeatFlow."},
    {"Signals.StateSpace",
     "The Modelica Standard Library's has any number of inputs and outputs; B "
     "and C are vectors here."},
    {"Sensor",
     "Of sensors with one output it is y, whatever they measure (phi, w, v, i, T ... in the "
     "Modelica Standard Library)."},
};

static void put_note(const Page *p, const char *name)
{
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
        if (text_ends(name, notes[i].end)) {
            fputs(p->html ? "<p>" : "  ", p->to);
            put_text(p, notes[i].note);
            fputs(p->html ? "</p>\n" : "\n", p->to);
            return;
        }
}

/* name, kind and text of an entry as a heading, then its note and its symbol */
static void put_heading(const Page *p, const char *name, const char *kind, const char *text)
{
    if (p->html)
        fprintf(p->to, "<h3 id=\"%s\">%s%s%s</h3>\n<p>", name, name, *kind ? " &ndash; " : "",
                kind);
    else
        fprintf(p->to, "%s%s%s%s\n%s", name, *kind ? " (" : "", kind, *kind ? ")" : "",
                text && *text ? "  " : "");
    if (text && *text) {
        put_text(p, text);
        fputs(p->html ? "</p>\n" : "\n", p->to);
    }
    put_note(p, name);
    put_symbol(p, name);
}

/* ------------------------------------------------------------------ members */

/* "= 3", "start 0", "must be set" ...: what holds if nothing is given */
static const char *default_text(const LiederMemberInfo *m, char *buffer, size_t size)
{
    if (m->environment)
        snprintf(buffer, size, "= world.%s", m->environment);
    else if (m->kind == LIEDER_STATE || m->kind == LIEDER_MEMORY)
        isnan(m->start) ? snprintf(buffer, size, "start found")
                        : snprintf(buffer, size, "start %g", m->start);
    else if (isnan(m->fallback))
        snprintf(buffer, size, "must be set");
    else if (m->structural && m->min == 0 && m->max == 1)
        snprintf(buffer, size, "= %s", m->fallback != 0 ? "true" : "false");
    else
        snprintf(buffer, size, "= %g", m->fallback);
    return buffer;
}

/* "> 0", "0 .. 1" ..., empty if any number will do */
static const char *range_text(const LiederMemberInfo *m, char *buffer, size_t size)
{
    if (m->structural && m->min == 0 && m->max == 1)
        snprintf(buffer, size, "switch");
    else if (isinf(m->min) && isinf(m->max))
        buffer[0] = '\0';
    else if (isinf(m->max) || m->max >= 1e300)
        m->min > 0 && m->min < 1e-200 ? snprintf(buffer, size, "> 0")
                                      : snprintf(buffer, size, ">= %g", m->min);
    else if (isinf(m->min))
        snprintf(buffer, size, "<= %g", m->max);
    else
        snprintf(buffer, size, "%g .. %g", m->min, m->max);
    return buffer;
}

/* columns depend on the kind: ports have a domain, parameters a default and a range */
static void put_member(Page *t, const LiederMemberInfo *m)
{
    char name[128], value[64], range[64];
    size_t at = 0;
    if (m->kind == LIEDER_PARAMETER && m->ndim) {
        at += (size_t)snprintf(name, sizeof name, "%.60s[", m->name);
        for (int k = 0; k < m->ndim && at < sizeof name; k++)
            at += (size_t)snprintf(name + at, sizeof name - at, "%zu%s", m->sizes[k],
                                   k + 1 < m->ndim ? "," : "]");
    } else if (m->kind == LIEDER_PARAMETER && m->length > 1)
        snprintf(name, sizeof name, "%s[%d]", m->name, m->length);
    else
        snprintf(name, sizeof name, "%s%s", m->name,
                 m->kind == LIEDER_PARAMETER && m->length == 0 ? "[:, 2]" : "");
    switch (m->kind) {
    case LIEDER_PORT: {
        const char *kind = m->input    ? "input"
                           : m->output ? "output"
                           : m->domain ? m->domain->name
                                       : "";
        put_row(t, 3, (const char *[]){m->name, kind, m->text});
        break;
    }
    case LIEDER_PARAMETER:
    case LIEDER_STATE:
    case LIEDER_MEMORY:
        put_row(
            t, 5,
            (const char *[]){name, m->unit, default_text(m, value, sizeof value),
                             m->kind == LIEDER_PARAMETER ? range_text(m, range, sizeof range) : "",
                             m->text});
        break;
    default:
        put_row(t, 3, (const char *[]){m->name, m->unit, m->text});
        break;
    }
}

/* the members of one kind as a table; no title if there are none */
static void print_members(Page *p, const LiederClass *class_, LiederMemberKind kind,
                          const char *title)
{
    bool any = false;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < lieder_class_member_count(class_); i++) {
            LiederMemberInfo m = lieder_class_member(class_, i);
            if (m.kind != kind)
                continue;
            if (pass && !p->printing)
                begin_table(p, title);
            any = true;
            put_member(p, &m);
        }
    }
    if (any)
        end_table(p);
}

/* the variables of every physical port type that occurs, once */
static void print_domains(Page *p, const LiederClass *class_)
{
    const LiederDomain *seen[8];
    size_t nseen = 0;
    for (size_t i = 0; i < lieder_class_member_count(class_); i++) {
        LiederMemberInfo m = lieder_class_member(class_, i);
        bool known = m.kind != LIEDER_PORT || !m.domain || m.domain->npotential == 0 || nseen == 8;
        for (size_t k = 0; k < nseen && !known; k++)
            known = seen[k] == m.domain;
        if (known)
            continue;
        const LiederDomain *d = seen[nseen++] = m.domain;
        char title[128];
        snprintf(title, sizeof title, "Variables of a port %s", d->name);
        for (int pass = 0; pass < 2; pass++) {
            if (pass)
                begin_table(p, title);
            for (int v = 0; v < d->nsignal + d->npotential + d->nflow * d->nregime; v++)
                put_row(p, 4,
                        (const char *[]){d->variables[v].name, d->variables[v].unit,
                                         v < d->nsignal                   ? "signal"
                                         : v < d->nsignal + d->npotential ? "potential"
                                                                          : "flow",
                                         d->variables[v].text});
        }
        end_table(p);
    }
}

/* name, text, then the members kind by kind */
static void print_class(Page *p, const LiederClass *class_, const Front *front)
{
    char name[256];
    put_heading(p, library_name(front, lieder_class_name(class_), name, sizeof name), "",
                lieder_class_text(class_));
    print_members(p, class_, LIEDER_PORT, "Ports");
    print_members(p, class_, LIEDER_PARAMETER, "Parameters");
    print_members(p, class_, LIEDER_STATE, "States");
    print_members(p, class_, LIEDER_MEMORY, "Discrete variables");
    print_members(p, class_, LIEDER_OBSERVABLE, "Observables");
    print_members(p, class_, LIEDER_UNKNOWN, "Unknowns of the linear group");
    if (!p->html)
        print_domains(p, class_);
}

/* ------------------------------------------------------------------ classes as they are written */

typedef struct DocParts {
    Page *page;
    FrontPartKind kind;
    bool any, pass;
    const char *title;
} DocParts;

/* one row, if it belongs to the table at hand */
static void put_part(void *user, const FrontPart *m)
{
    DocParts *s = user;
    char value[280], range[160];
    if (m->kind != s->kind)
        return;
    if (s->pass && !s->page->printing)
        begin_table(s->page, s->title);
    s->any = true;
    snprintf(value, sizeof value, "%s%s",
             *m->value ? (m->kind == FRONT_VARIABLE && !m->bound ? "start " : "= ") : "",
             *m->value                    ? m->value
             : m->kind == FRONT_PARAMETER ? "must be set"
                                          : "");
    bool positive = strcmp(m->min, "1e-60") == 0; /* the library's word for it */
    snprintf(range, sizeof range, "%s%s%s%s", *m->min ? (positive ? "> " : ">= ") : "",
             positive ? "0" : m->min, *m->max ? (*m->min ? ", <= " : "<= ") : "", m->max);
    if (m->kind == FRONT_CONNECTOR || m->kind == FRONT_COMPONENT)
        put_row(s->page, 3, (const char *[]){m->name, m->type, m->text});
    else
        put_row(s->page, 5,
                (const char *[]){m->name,
                                 *m->unit   ? m->unit
                                 : *m->role ? m->role
                                            : m->type,
                                 value, range, m->text});
}

/* connectors, parameters, variables, parts; false: there is no such class */
static bool print_written(Page *p, const Front *front, const char *name)
{
    static const char *const titles[] = {[FRONT_CONNECTOR] = "Connectors",
                                         [FRONT_PARAMETER] = "Parameters",
                                         [FRONT_VARIABLE] = "Variables",
                                         [FRONT_COMPONENT] = "Parts"};
    const char *kind, *text;
    DocParts s = {.page = p, .kind = FRONT_COMPONENT + 1};
    if (!front_describe_class(front, name, &kind, &text, put_part, &s))
        return false;
    static const char dialectic[] = "Dialectic.";
    char full[256];
    bool whole = strncmp(name, dialectic, strlen(dialectic)) == 0;
    library_name(front, whole ? name + strlen(dialectic) : name, full, sizeof full);
    put_heading(p, full, kind, text);
    for (int k = 0; k < 4; k++) {
        s = (DocParts){.page = p, .kind = (FrontPartKind)k, .title = titles[k]};
        for (int pass = 0; pass < 2; pass++) {
            s.pass = pass;
            front_describe_class(front, name, &kind, &text, put_part, &s);
        }
        if (s.any)
            end_table(p);
    }
    return true;
}

/* a class in C by its members, everything else as it is written */
static bool print_reference(Page *p, const Lieder *session, const Front *front, const char *name)
{
    const LiederClass *class_ = library_find(session, name);
    if (!class_ || library_is_text(lieder_class_name(class_)) || lieder_class_is_model(class_))
        return print_written(p, front, name);
    print_class(p, class_, front);
    return true;
}

bool doc_write(FILE *to, const Lieder *session, const Front *front, const char *name)
{
    Page p = {.to = to};
    return print_reference(&p, session, front, name);
}

/* ------------------------------------------------------------------ the whole library as HTML */

typedef struct Names {
    char (*items)[128];
    size_t n, room;
    bool failed;
} Names;

/* appends a class name to the list; `failed` is set if memory runs out */
static void add_name(void *user, const char *name, const char *text)
{
    Names *s = user;
    (void)text;
    if (s->n == s->room) {
        size_t room = s->room ? 2 * s->room : 256;
        void *items = realloc(s->items, room * sizeof *s->items);
        s->failed |= !items;
        if (!items)
            return;
        s->items = items;
        s->room = room;
    }
    snprintf(s->items[s->n++], sizeof *s->items, "%s", name);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void list_names(Lieder *session, const Front *front, size_t nclass, Names *names)
{
    for (size_t i = 0; i < nclass; i++) {
        const char *class_name = lieder_class_name(lieder_class_get(session, i));
        char name[128];
        if (!library_is_text(class_name) && !strchr(class_name, '#'))
            add_name(names, library_name(front, class_name, name, sizeof name), NULL);
    }
    front_visit_library(front, add_name, names);
    if (names->n)
        qsort(names->items, names->n, sizeof *names->items, by_name);
}

static size_t package_length(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? (size_t)(dot - name) : 0;
}

/* a heading for each package, its classes below; a package is in one piece but for those of
 * Dialectic itself, which stand between its packages and are listed first */
static void put_contents(FILE *to, const Names *names)
{
    const char *package = "";
    size_t n = 0;
    for (int inner = 0; inner < 2; inner++)
        for (size_t i = 0; i < names->n; i++) {
            const char *name = names->items[i];
            size_t length = package_length(name);
            bool of_root = length == 9 && memcmp(name, "Dialectic", 9) == 0;
            if (of_root == (inner == 1) || (i > 0 && strcmp(name, names->items[i - 1]) == 0))
                continue;
            if (length != n || memcmp(package, name, n) != 0) {
                fprintf(to, "%s<h2>%.*s</h2>\n<nav>\n", n ? "</nav>\n" : "", (int)length, name);
                package = name;
                n = length;
            }
            fprintf(to, "<a href=\"#%s\">%s</a><br>\n", name, name + length + (length > 0));
        }
    fputs("</nav>\n", to);
}

/* contents, then one section for each class */
static bool write_page(FILE *to, Lieder *session, const Front *front, const Names *names)
{
    Page p = {.to = to, .html = true};
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Library of "
          "Lieder</title>\n<style>body{font:15px/1.45 sans-serif;max-width:60em;margin:2em auto;"
          "padding:0 1em}nav{columns:4 12em;font-size:13px}h2{font-size:1.1em;margin:1em 0 "
          ".2em}td{padding:.1em .8em .1em 0;vertical-"
          "align:top}td:nth-child(2),td:nth-child(4){white-space:nowrap}td:first-child{font-family:"
          "monospace}"
          "h3{margin-top:2em;border-top:1px solid "
          "#ccc;padding-top:.6em}h4{margin:.8em 0 .2em}</style></head>\n<body><h1>Library of "
          "Lieder</h1>\n<p>Made by <code>lieder doc --html</code> from the classes themselves. "
          "Parameters are set by <code>--override</code>, states and observables recorded by "
          "<code>--record</code>.</p>\n",
          to);
    put_contents(to, names);
    for (size_t i = 0; i < names->n; i++)
        if (i == 0 || strcmp(names->items[i], names->items[i - 1]) != 0)
            print_reference(&p, session, front, names->items[i]);
    fputs("</body></html>\n", to);
    return !ferror(to);
}

/* writes index.html of the whole library into a folder, which is made if it is not there */
static ExitCode write_html(Log *log, Lieder *session, const Front *front, size_t nclass,
                           const char *folder)
{
    Names names = {0};
    NewFile file;
    char reason[FILE_REASON], *path = path_join(log, folder, strlen(folder), "/index.html");
    if (!path)
        return EXIT_SIMULATION;
    mkdir(folder, 0777);
    int error = new_file_open(&file, path, 0);
    FILE *to = error ? NULL : new_file_stream(&file);
    if (!error && !to)
        error = errno;
    list_names(session, front, nclass, &names);
    if (to && !names.failed && !write_page(to, session, front, &names))
        error = errno ? errno : EIO;
    if (to && fclose(to) != 0 && !error)
        error = errno;
    if (!error && !names.failed)
        error = new_file_publish(&file);
    new_file_close(&file);
    if (names.failed)
        log_error(log, "out of memory");
    else if (error)
        log_error(log, "cannot write %s: %s", path, file_reason(error, reason));
    else
        printf("%s: %zu classes\n", path, names.n);
    free(path);
    free(names.items);
    return names.failed ? EXIT_SIMULATION : error ? EXIT_IO : EXIT_DONE;
}

/* ------------------------------------------------------------------ the command */

enum { OPT_HTML };
static const Option options[] = {
    [OPT_HTML] = {"html", 0, "DIR", "write the reference of the whole library to DIR/index.html"},
    {0}};

typedef struct DocSettings {
    const char *name, *html;
} DocSettings;

static bool read_doc_option(Arguments *a, int option, const char *value, void *user)
{
    DocSettings *w = user;
    if (option == OPT_HTML) {
        w->html = value;
        return true;
    }
    return option == ARGUMENT_OPERAND && arguments_operand(a, value, &w->name);
}

/* an unknown class is answered with the names that are close to it */
static ExitCode print_one(Log *log, Lieder *session, Front *front, const char *name)
{
    char advice[256];
    if (doc_write(stdout, session, front, name))
        return EXIT_DONE;
    log_error(log, "the library has no class %s\n%s", name,
              library_advice(session, front, name, advice, sizeof advice));
    return EXIT_MODEL;
}

/* lieder doc: one class as text, or the library as HTML */
static ExitCode doc_command(const Command *command, int argc, char **argv)
{
    Log log = log_open();
    Arguments a = arguments_read(command, &log, argc, argv);
    DocSettings w = {0};
    ExitCode code;
    if (!arguments_all(&a, read_doc_option, &w, &code))
        return code;
    if (!w.name && !w.html)
        return arguments_missing(&a, "CLASS");
    if (w.name && w.html) {
        log_error(&log, "--html writes the whole library: leave out %s", w.name);
        return EXIT_USAGE;
    }
    Lieder *session = lieder_create(NULL);
    size_t nclass = session ? lieder_class_count(session) : 0;
    Front *front = session ? front_create(session) : NULL;
    if (!front) {
        log_error(&log, "out of memory");
        code = EXIT_SIMULATION;
    } else {
        code = w.html ? write_html(&log, session, front, nclass, w.html)
                      : print_one(&log, session, front, w.name);
    }
    front_destroy(front);
    lieder_destroy(session);
    return code;
}

const Command command_doc = {
    .name = "doc",
    .operands = "CLASS",
    .text = "Print the reference of a library class",
    .description =
        "Ports or connectors, parameters with unit, default and range, states, variables "
        "and parts of a\n"
        "class. What is listed here can be set by --override and recorded by --record.",
    .examples = "  lieder doc Planar.Revolute\n"
                "  lieder doc Signals.LimPID\n"
                "  lieder doc --html reference\n",
    .options = options,
    .run = doc_command};
