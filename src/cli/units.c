/* units.c - the unit of a column that does not say it.
 *
 * A .csv file has names and no units, but a name such as "prismatic.s" says what it is in nearly
 * all cases: the library is searched for the classes that have all the variables which the file has
 * of the same component ("s" and "v"), first for those whose states are all there; and if these
 * agree on the unit, that is it. One vote against and there is no unit: a wrong one would be worse.
 * Where no compiled class knows the variable, those that are read as text are asked the same; an
 * input or output there says its unit at the end of its comment: "heat flow in W".
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "front/front.h"

/* "der(prismatic.s)" or "rod.frame_a.x" taken apart; texts point into the name */
typedef struct PathParts {
    bool derivative;
    const char *owner, *member; /* "rod", "frame_a.x" */
    size_t nowner, nmember;
} PathParts;

/* after the last dot, or the one before it */
static bool take_apart(const char *name, bool port, PathParts *p)
{
    size_t n = strlen(name);
    *p = (PathParts){.derivative = n > 5 && strncmp(name, "der(", 4) == 0 && name[n - 1] == ')'};
    const char *begin = name + (p->derivative ? 4 : 0), *end = name + n - p->derivative, *at = end;
    for (int dots = 0; at > begin; at--)
        if (at[-1] == '.' && ++dots == 1 + port)
            break;
    p->owner = begin;
    p->member = at;
    p->nowner = at > begin ? (size_t)(at - 1 - begin) : 0;
    p->nmember = (size_t)(end - at);
    return at > begin;
}

static bool same_unit(const char *name, const char *text, size_t n)
{
    return strlen(name) == n && memcmp(name, text, n) == 0;
}

/* unit of a member of a class, or of "port.variable"; NULL: it has none of that name */
static const char *unit_in_class(const LiederClass *c, const char *member, size_t n)
{
    const char *dot = memchr(member, '.', n);
    const char *bracket = memchr(member, '[', n); // an element of a vector
    size_t first = dot ? (size_t)(dot - member) : bracket ? (size_t)(bracket - member) : n;
    for (size_t i = 0; i < lieder_class_member_count(c); i++) {
        LiederMemberInfo m = lieder_class_member(c, i);
        if (!same_unit(m.name, member, first))
            continue;
        if (m.kind != LIEDER_PORT && !dot)
            return m.unit ? m.unit : "";
        if (m.kind != LIEDER_PORT || (!dot && m.domain->npotential))
            continue;
        const LiederDomain *d = m.domain;
        if (!dot)
            return d->variables[0].unit;
        for (int k = 0; k < d->nsignal + d->npotential + d->nflow * d->nregime; k++)
            if (same_unit(d->variables[k].name, dot + 1, n - first - 1))
                return d->variables[k].unit;
    }
    return NULL;
}

/* has the class everything that the columns know of that component? */
static bool fits(const LiederClass *c, const PathParts *p, const Result *r)
{
    PathParts other;
    for (size_t i = 0; i < r->columns.n; i++)
        for (int port = 0; port < 2; port++)
            if (take_apart(r->columns.items[i].name, port, &other) && other.nowner == p->nowner &&
                memcmp(other.owner, p->owner, p->nowner) == 0 &&
                !unit_in_class(c, other.member, other.nmember))
                return false;
    return true;
}

/* have the columns all states of the class? A run records all or none. */
static bool has_states(const LiederClass *c, const PathParts *p, const Result *r)
{
    size_t n = 0;
    for (size_t i = 0; i < lieder_class_member_count(c); i++) {
        LiederMemberInfo m = lieder_class_member(c, i);
        char name[1024];
        if (m.kind != LIEDER_STATE)
            continue;
        snprintf(name, sizeof name, "%.*s.%s", (int)p->nowner, p->owner, m.name);
        if (result_find(r, name) < 0)
            return false;
        n++;
    }
    return n > 0;
}

/* the unit on which all classes agree; NULL: there is none */
static const char *agreed(const Lieder *session, const Result *r, const PathParts *p, bool states)
{
    const char *unit = NULL;
    for (size_t i = 0; i < lieder_class_count(session); i++) {
        const LiederClass *c = lieder_class_get(session, i);
        const char *here = unit_in_class(c, p->member, p->nmember);
        if (!here || !fits(c, p, r) || (states && !has_states(c, p, r)))
            continue;
        if (unit && strcmp(unit, here) != 0)
            return NULL;
        unit = here;
    }
    return unit;
}

/* ------------------------------------------------------------------ classes that are text */

typedef struct TextVotes {
    const Front *front;
    const Result *r;
    const PathParts *p;
    size_t columns; /* of the component in the file */
    /* of the class at hand: columns that it has, and its unit if it has the variable */
    size_t matched;
    bool has;
    char here[40];
    /* of all classes */
    bool any, differ;
    char unit[40];
} TextVotes;

static bool is_of_owner(const char *name, const PathParts *p, PathParts *column)
{
    return take_apart(name, false, column) && column->nowner == p->nowner &&
           memcmp(column->owner, p->owner, p->nowner) == 0;
}

/* the unit that a comment ends with, or "" */
static const char *unit_of_comment(const char *text)
{
    const char *last = NULL;
    for (const char *at = text; (at = strstr(at, " in ")); at++)
        last = at + 4;
    if (strncmp(text, "in ", 3) == 0 && !last)
        last = text + 3;
    return last && !strpbrk(last, " ,;:") ? last : "";
}

/* "r[2]" is the declaration of "r[1]", "T" of "T" and not of "T[1]" */
static bool declares(const char *part, const char *member, size_t nmember)
{
    size_t n = strcspn(part, "[");
    return n <= nmember && memcmp(part, member, n) == 0 &&
           (part[n] == '[' ? n < nmember && member[n] == '[' : n == nmember);
}

/* a variable or connector of the class at hand; parameters are no columns */
static void vote_part(void *user, const FrontPart *part)
{
    TextVotes *v = user;
    PathParts column;
    if (part->kind == FRONT_PARAMETER || part->kind == FRONT_COMPONENT)
        return;
    for (size_t i = 0; i < v->r->columns.n; i++)
        if (is_of_owner(v->r->columns.items[i].name, v->p, &column) &&
            declares(part->name, column.member, column.nmember))
            v->matched++;
    if (!declares(part->name, v->p->member, v->p->nmember))
        return;
    v->has = true;
    snprintf(v->here, sizeof v->here, "%s",
             part->kind == FRONT_CONNECTOR ? unit_of_comment(part->text) : part->unit);
}

/* a class votes if it has all that the columns know of the component */
static void vote_class(void *user, const char *name, const char *text)
{
    TextVotes *v = user;
    const char *kind;
    v->matched = 0;
    v->has = false;
    if (!front_describe_class(v->front, name, &kind, &text, vote_part, v) || !v->has ||
        v->matched != v->columns)
        return;
    v->differ |= v->any && strcmp(v->unit, v->here) != 0;
    v->any = true;
    memcpy(v->unit, v->here, sizeof v->unit);
}

/* as agreed, by the classes that are text; "" where they do not agree */
static void agree_on_text(Lieder *session, const Result *r, const PathParts *p, char *unit,
                          size_t size)
{
    TextVotes v = {.r = r, .p = p};
    PathParts column;
    Front *front = front_create(session);
    v.front = front;
    for (size_t i = 0; i < r->columns.n; i++)
        v.columns += is_of_owner(r->columns.items[i].name, p, &column);
    if (front)
        front_visit_library(front, vote_class, &v);
    front_destroy(front);
    snprintf(unit, size, "%s", v.any && !v.differ ? v.unit : "");
}

const char *unit_guess(Lieder *session, const Result *r, const char *name, char *buffer,
                       size_t size)
{
    PathParts p;
    char of_text[40];
    const char *unit = NULL;
    if (strcmp(name, "time") == 0)
        unit = "s";
    if (strncmp(name, "energy.", 7) == 0) /* those of the run */
        unit = "J";
    for (int port = 0; port < 2 && !unit; port++)
        for (int states = 1; states >= 0 && !unit && take_apart(name, port, &p); states--)
            unit = agreed(session, r, &p, states);
    if (!unit && take_apart(name, false, &p)) {
        agree_on_text(session, r, &p, of_text, sizeof of_text);
        unit = *of_text ? of_text : NULL;
    }
    if (unit && strcmp(name, "time") != 0 && strncmp(name, "energy.", 7) != 0 && p.derivative)
        return unit_derivative(unit, buffer, size);
    snprintf(buffer, size, "%s", unit ? unit : "");
    return buffer;
}
