/* units.c - the unit of a column that does not say it.
 *
 * A .csv file has names and no units, but a name such as "prismatic.s" says what it is in nearly
 * all cases: the library is searched for the classes that have all the variables which the file has
 * of the same component ("s" and "v"), first for those whose states are all there; and if these
 * agree on the unit, that is it. One vote against and there is no unit: a wrong one would be worse.
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"

/* "der(prismatic.s)" or "rod.frame_a.x" taken apart; texts point into the name */
typedef struct Parts {
    bool derivative;
    const char *owner, *member; /* "rod", "frame_a.x" */
    size_t nowner, nmember;
} Parts;

/* after the last dot, or the one before it */
static bool take_apart(const char *name, bool port, Parts *p)
{
    size_t n = strlen(name);
    *p = (Parts){.derivative = n > 5 && strncmp(name, "der(", 4) == 0 && name[n - 1] == ')'};
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

static bool same(const char *name, const char *text, size_t n)
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
        if (!same(m.name, member, first))
            continue;
        if (m.kind != LIEDER_PORT && !dot)
            return m.unit ? m.unit : "";
        if (m.kind != LIEDER_PORT || (!dot && m.domain->npotential))
            continue;
        const LiederDomain *d = m.domain;
        if (!dot)
            return d->variables[0].unit;
        for (int k = 0; k < d->nsignal + d->npotential + d->nflow * d->nregime; k++)
            if (same(d->variables[k].name, dot + 1, n - first - 1))
                return d->variables[k].unit;
    }
    return NULL;
}

/* has the class everything that the columns know of that component? */
static bool fits(const LiederClass *c, const Parts *p, const Result *r)
{
    Parts other;
    for (size_t i = 0; i < r->columns.n; i++)
        for (int port = 0; port < 2; port++)
            if (take_apart(r->columns.items[i].name, port, &other) && other.nowner == p->nowner &&
                memcmp(other.owner, p->owner, p->nowner) == 0 &&
                !unit_in_class(c, other.member, other.nmember))
                return false;
    return true;
}

/* have the columns all states of the class? A run records all or none. */
static bool has_states(const LiederClass *c, const Parts *p, const Result *r)
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
static const char *agreed(const Lieder *session, const Result *r, const Parts *p, bool states)
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

const char *unit_guess(const Lieder *session, const Result *r, const char *name, char *buffer,
                       size_t size)
{
    Parts p;
    const char *unit = NULL;
    if (strcmp(name, "time") == 0)
        unit = "s";
    for (int port = 0; port < 2 && !unit; port++)
        for (int states = 1; states >= 0 && !unit && take_apart(name, port, &p); states--)
            unit = agreed(session, r, &p, states);
    if (unit && strcmp(name, "time") != 0 && p.derivative)
        return unit_derivative(unit, buffer, size);
    snprintf(buffer, size, "%s", unit ? unit : "");
    return buffer;
}
