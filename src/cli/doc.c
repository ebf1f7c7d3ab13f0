/* doc.c - lieder doc CLASS: the library reference in the terminal, out of the
 * classes themselves. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "library/texts.h"

static const Option options[] = {{0}};

/* ------------------------------------------------------------------ tables */

enum { MAX_CELLS = 5 };

/* rows of texts; widths are found in a first pass that prints nothing */
typedef struct Table {
    FILE *to;
    int width[MAX_CELLS];
    bool printing;
} Table;

/* first pass: measures the cells; second pass: prints them in columns of these widths */
static void put_row(Table *t, int n, const char *const *cells)
{
    if (t->printing)
        fputs("  ", t->to);
    for (int i = 0; i < n; i++) {
        const char *text = cells[i] ? cells[i] : "";
        int width = (int)strlen(text);
        if (!t->printing)
            t->width[i] = width > t->width[i] ? width : t->width[i];
        else if (i == n - 1)
            fprintf(t->to, "%s\n", text);
        else if (t->width[i])
            fprintf(t->to, "%-*s  ", t->width[i], text);
    }
}

/* ------------------------------------------------------------------ members */

/* "= 3", "start 0", "must be set" ...: what holds if nothing is said */
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
static void put_member(Table *t, const LiederMemberInfo *m)
{
    char name[128], value[64], range[64];
    if (m->kind == LIEDER_PARAMETER && m->length > 1)
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
static void print_members(FILE *to, const LiederClass *class_, LiederMemberKind kind,
                          const char *title)
{
    Table t = {.to = to};
    for (int pass = 0; pass < 2; pass++, t.printing = true) {
        bool first = true;
        for (size_t i = 0; i < lieder_class_member_count(class_); i++) {
            LiederMemberInfo m = lieder_class_member(class_, i);
            if (m.kind != kind)
                continue;
            if (t.printing && first)
                fprintf(to, "\n%s\n", title);
            first = false;
            put_member(&t, &m);
        }
    }
}

/* the variables of every physical port type that occurs, once */
static void print_domains(FILE *to, const LiederClass *class_)
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
        fprintf(to, "\nVariables of a port %s\n", d->name);
        Table t = {.to = to};
        for (int pass = 0; pass < 2; pass++, t.printing = true)
            for (int v = 0; v < d->nsignal + d->npotential + d->nflow * d->nregime; v++)
                put_row(&t, 4,
                        (const char *[]){d->variables[v].name, d->variables[v].unit,
                                         v < d->nsignal                   ? "signal"
                                         : v < d->nsignal + d->npotential ? "potential"
                                                                          : "flow",
                                         d->variables[v].text});
    }
}

/* name, text, then the members kind by kind */
static void print_class(FILE *to, const LiederClass *class_, const Front *front)
{
    const char *text = lieder_class_text(class_);
    char name[256];
    fprintf(to, "%s%s\n", library_name(front, lieder_class_name(class_), name, sizeof name),
            lieder_class_is_model(class_) ? " (model)" : "");
    if (text && *text)
        fprintf(to, "  %s\n", text);
    print_members(to, class_, LIEDER_PORT, "Ports");
    print_members(to, class_, LIEDER_PARAMETER, "Parameters");
    print_members(to, class_, LIEDER_STATE, "States");
    print_members(to, class_, LIEDER_MEMORY, "Discrete variables");
    print_members(to, class_, LIEDER_OBSERVABLE, "Observables");
    print_members(to, class_, LIEDER_UNKNOWN, "Unknowns of the linear group");
    print_domains(to, class_);
}

bool doc_write(FILE *to, const Lieder *session, const Front *front, const char *name)
{
    const LiederClass *class_ = library_find(session, name);
    if (class_ && !library_is_text(lieder_class_name(class_)))
        print_class(to, class_, front);
    else /* a class in Modelica is its own reference */
        return front_print_library_class(front, name, to);
    return true;
}

static bool read_doc_option(Arguments *a, int option, const char *value, void *name)
{
    return option == ARGUMENT_OPERAND && arguments_operand(a, value, name);
}

/* an unknown class is answered with the names that are close to it */
static ExitCode doc_command(const Command *command, int argc, char **argv)
{
    Log log = log_open();
    Arguments a = arguments_read(command, &log, argc, argv);
    const char *name = NULL;
    ExitCode code;
    if (!arguments_all(&a, read_doc_option, &name, &code))
        return code;
    if (!name)
        return arguments_missing(&a, "CLASS");
    code = EXIT_DONE;
    Lieder *session = lieder_create(NULL);
    Front *front = session ? front_create(session) : NULL;
    char advice[256];
    if (!front) {
        log_error(&log, "out of memory");
        code = EXIT_SIMULATION;
    } else if (!doc_write(stdout, session, front, name)) {
        log_error(&log, "the library has no class %s\n%s", name,
                  library_advice(session, front, name, advice, sizeof advice));
        code = EXIT_MODEL;
    }
    front_destroy(front);
    lieder_destroy(session);
    return code;
}

const Command command_doc = {
    .name = "doc",
    .operands = "CLASS",
    .text = "Print the reference of a library class",
    .description = "Ports, parameters with unit, default and range, states and "
                   "observables of a class. What\n"
                   "is listed here can be set by --override and recorded by --record.",
    .examples = "  lieder doc Planar.Revolute\n"
                "  lieder doc World\n",
    .options = options,
    .run = doc_command};
