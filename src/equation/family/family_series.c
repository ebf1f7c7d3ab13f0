/* family_series.c - members of classes of small sizes as series: x[1] ... x[n] is "x[#]". See
 * family.h. */
#include "equation/family/family_work.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"

enum { MAX_SUBSCRIPTS = 6, NAME_LENGTH = 400 };

bool family_refuse(Family *f, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (!f->why[0])
        vsnprintf(f->why, sizeof f->why, format, list);
    va_end(list);
    return false;
}

static bool series_no_room(Family *f)
{
    f->failed = true;
    return false;
}

/* ------------------------------------------------------------------ names */

/* a real of the struct by the member that it belongs to */
typedef struct NamedReal {
    SeriesKind kind;
    const LiederMember *member;
    const char *blank; /* interned: kind and name with "#" for every subscript */
    long subscripts[MAX_SUBSCRIPTS];
    int nsubscript;
    int real;
    long position;              /* among the members */
    const LiederSystemDef *def; /* of a status or value */
    uint32_t value;
} NamedReal;
typedef VEC(NamedReal) NamedReals;

/* "b[2].x[3]" to "b[#].x[#]" and 2, 3; false: too long, or of another form */
static bool take_subscripts(const char *name, char *blank, size_t size, NamedReal *to)
{
    size_t n = 0;
    bool inside = false, quoted = false;
    for (const char *c = name; *c; c++) {
        quoted ^= *c == '\'';
        inside = !quoted && (*c == '[' || (inside && *c != ']'));
        if (n + 2 > size || *c == '#')
            return false;
        if (inside && isdigit((unsigned char)*c)) {
            if (to->nsubscript == MAX_SUBSCRIPTS)
                return false;
            char *end;
            to->subscripts[to->nsubscript++] = strtol(c, &end, 10);
            c = end - 1;
            blank[n++] = '#';
        } else
            blank[n++] = *c;
    }
    blank[n] = 0;
    return true;
}

/* one real; `index`: of a vector, from 1, or 0; `columns`: of a matrix that grows in both
 * directions, or 0 */
static bool add_real(Family *f, Interner *names, NamedReals *to, NamedReal r, const char *name,
                     long index, long columns)
{
    char blank[NAME_LENGTH + 20] = {(char)('A' + r.kind)};
    if (!take_subscripts(name, blank + 1, NAME_LENGTH, &r) ||
        (index && r.nsubscript + 1 >= MAX_SUBSCRIPTS))
        return family_refuse(f, "the name of '%.100s' is too long", name);
    if (index && columns) {
        r.subscripts[r.nsubscript++] = (index - 1) / columns + 1;
        r.subscripts[r.nsubscript++] = (index - 1) % columns + 1;
        strcat(blank, "{#,#}");
    } else if (index) {
        r.subscripts[r.nsubscript++] = index;
        strcat(blank, "{#}");
    }
    r.blank = intern_text(names, blank);
    return (r.blank && vec_push(f->alloc, to, r)) || series_no_room(f);
}

bool family_is_numbered(const LiederMember *m)
{
    return m->kind == LIEDER_CROSSING || m->kind == LIEDER_REQUEST ||
           (m->kind == LIEDER_MEMORY && strchr(m->name, ' '));
}

/* Relations and requests are numbered through, "relation 3 (line 7)": those of one line, or with
 * one text, are elements of an array. */
static bool add_numbered(Family *f, Interner *names, NamedReals *to, NamedReal r,
                         const LiederMember *m)
{
    char blank[NAME_LENGTH + 20] = {(char)('A' + r.kind)};
    size_t head = strcspn(m->name, "0123456789"), digits = strspn(m->name + head, "0123456789");
    /* the text of a request may name the component that it belongs to: "r[3]: too hot" */
    if (r.kind == SERIES_REQUEST && strlen(m->text) < NAME_LENGTH &&
        take_subscripts(m->text, blank + 1, NAME_LENGTH, &r) && r.nsubscript) {
        r.blank = intern_text(names, blank);
        return (r.blank && vec_push(f->alloc, to, r)) || series_no_room(f);
    }
    r.nsubscript = 0;
    snprintf(blank, sizeof blank, "%c%.*s#%.100s %.200s", 'A' + (int)r.kind, (int)head, m->name,
             m->name + head + digits, r.kind == SERIES_REQUEST ? m->text : "");
    r.blank = intern_text(names, blank);
    if (!r.blank)
        return series_no_room(f);
    r.subscripts[r.nsubscript++] = 1;
    for (size_t i = to->n; i-- > 0;)
        if (to->items[i].blank == r.blank) {
            r.subscripts[0] = to->items[i].subscripts[0] + 1;
            break;
        }
    return vec_push(f->alloc, to, r) || series_no_room(f);
}

/* the columns of a parameter that is a matrix of the class and grows in both directions, or 0 */
static long growing_columns(const Family *f, const LiederMember *m)
{
    if (m->ndim != 2)
        return 0;
    for (int s = 0; s < 2; s++) {
        const LiederClassDef *def = &f->sizes[s].class_->block->info.def;
        for (int i = 0; i < def->nmember; i++) {
            const LiederMember *x = &def->members[i];
            if (x->kind == m->kind && x->ndim == 2 && strcmp(x->name, m->name) == 0 &&
                x->sizes[0] != m->sizes[0] && x->sizes[1] != m->sizes[1])
                return (long)m->sizes[1];
        }
    }
    return 0;
}

/* a member that the small class does not have, or has with another name */
static const LiederMember *own_member(Family *f, LiederMember member, const char *name)
{
    LiederMember *m = arena_zeroed(&f->arena, sizeof *m);
    member.name = arena_text(&f->arena, name, strlen(name));
    if (!m || !member.name) {
        series_no_room(f);
        return NULL;
    }
    *m = member;
    return m;
}

/* "guess 1 of system 7" as that of an unknown, and what is found */
static bool add_guess(Family *f, Interner *names, NamedReals *to, NamedReal r, const Cell *cell)
{
    const LiederMember *m = r.member;
    unsigned k, number;
    char text[200], name[260];
    const CellSystem *about = NULL;
    if (sscanf(m->name, "guess %u of system %u", &k, &number) == 2 && number > 0 &&
        number <= cell->graph.systems.n)
        about = &cell->systems.items[cell->graph.systems.items[number - 1].source];
    if (!about || k == 0 || k > about->symbols.n)
        return family_refuse(f, "it has iterations ('%s')", m->name);
    cell_symbol_text(cell, about->symbols.items[k - 1], text, sizeof text);
    snprintf(name, sizeof name, "guess of %s", text);
    r.kind = SERIES_GUESS;
    r.member = own_member(f, *m, name);
    if (!r.member || !add_real(f, names, to, r, name, 0, 0))
        return false;
    r.kind = SERIES_FOUND;
    r.real = m->other;
    return add_real(f, names, to, r, name, 0, 0);
}

/* how the systems of a class went, by their first unknown */
static bool list_systems(Family *f, Interner *names, const LiederClassDef *def, NamedReals *to)
{
    for (int i = 0; i < def->nsystem; i++) {
        const LiederSystemDef *d = &def->systems[i];
        const char *when = d->at_start ? "start of " : "";
        char name[300];
        if (d->kind == LIEDER_SYSTEM_CONDITION)
            return family_refuse(f, "it has conditions on start values");
        snprintf(name, sizeof name, "%s%.200s", when, d->names[0]);
        NamedReal r = {.kind = SERIES_STATUS,
                       .def = d,
                       .real = d->status,
                       .position = def->nmember + i,
                       .member = own_member(f, (LiederMember){.kind = LIEDER_OBSERVABLE}, name)};
        if (!r.member || !add_real(f, names, to, r, name, 0, 0))
            return false;
        r.kind = SERIES_VALUE;
        for (; r.value < (uint32_t)d->nvalue; r.value++) {
            snprintf(name, sizeof name, "%u of %s%.200s", r.value, when, d->names[0]);
            r.real = d->values + (int)r.value;
            if (!add_real(f, names, to, r, name, 0, 0))
                return false;
        }
    }
    return true;
}

/* all reals of a class that have names */
static bool list_reals(Family *f, Interner *names, const FamilySize *size, NamedReals *to)
{
    const CellClass *c = size->class_;
    const LiederClassDef *def = &c->block->info.def;
    bool good = true;
    for (int i = 0; i < def->nmember && good; i++) {
        const LiederMember *m = &def->members[i];
        NamedReal r = {.member = m, .real = m->index, .position = i};
        switch (m->kind) {
        case LIEDER_PARAMETER:
            r.kind = SERIES_PARAMETER;
            if (m->length < 1)
                return family_refuse(f, "'%s' is a table", m->name);
            for (long k = 0, columns = growing_columns(f, m); k < m->length && good; k++, r.real++)
                good = add_real(f, names, to, r, m->name, m->length > 1 ? k + 1 : 0, columns);
            break;
        case LIEDER_STATE:
            r.kind = SERIES_STATE;
            good = add_real(f, names, to, r, m->name, 0, 0);
            r.kind = SERIES_DERIVATIVE;
            r.real = m->other;
            good = good && add_real(f, names, to, r, m->name, 0, 0);
            break;
        case LIEDER_OBSERVABLE:
            r.kind = SERIES_OBSERVABLE;
            if (m->by_observe)
                return family_refuse(f, "'%s' is not linear in forces", m->name);
            good = add_real(f, names, to, r, m->name, 0, 0);
            break;
        case LIEDER_CROSSING:
        case LIEDER_REQUEST:
            r.kind = m->kind == LIEDER_CROSSING ? SERIES_CROSSING : SERIES_REQUEST;
            good = add_numbered(f, names, to, r, m);
            r.kind = SERIES_CHOICE;
            r.real = m->other;
            if (good && m->kind == LIEDER_CROSSING)
                good = add_numbered(f, names, to, r, m);
            break;
        case LIEDER_MEMORY: {
            bool numbered = family_is_numbered(m); /* "condition 3": none of the text */
            r.kind = SERIES_MEMORY;
            good = numbered ? add_numbered(f, names, to, r, m)
                            : add_real(f, names, to, r, m->name, 0, 0);
            r.kind = SERIES_NEXT;
            r.real = m->other;
            good = good && (numbered ? add_numbered(f, names, to, r, m)
                                     : add_real(f, names, to, r, m->name, 0, 0));
            break;
        }
        case LIEDER_TIMER:
            r.kind = SERIES_TIMER;
            good = add_real(f, names, to, r, m->name, 0, 0);
            break;
        case LIEDER_GUESS:
            good = add_guess(f, names, to, r, size->cell);
            break;
        default:
            return family_refuse(f, "it has %s ('%s')",
                                 m->kind == LIEDER_HISTORY ? "delays" : "unknowns", m->name);
        }
    }
    return good && list_systems(f, names, def, to);
}

/* ------------------------------------------------------------------ series */

/* the largest subscripts of a name, by size */
typedef struct BlankName {
    const char *blank;
    long most[FAMILY_SIZES][MAX_SUBSCRIPTS];
} BlankName;
typedef VEC(BlankName) BlankNames;

/* Work lists of what is read once. Names are interned, so that their addresses sort them. */
typedef struct SeriesReader {
    Family *f;
    Interner names;
    NamedReals reals[FAMILY_SIZES];
    BlankNames blanks;   /* sorted when all are there */
    VEC(uint32_t) table; /* by hash of a series' name: 1 + series */
} SeriesReader;

static int by_blank(const void *x, const void *y)
{
    const BlankName *a = x, *b = y;
    return a->blank < b->blank ? -1 : a->blank > b->blank;
}

/* the largest subscript at each position, for each name */
static bool find_largest(SeriesReader *r)
{
    Family *f = r->f;
    for (int s = 0; s < FAMILY_SIZES; s++)
        for (size_t i = 0; i < r->reals[s].n; i++)
            if (!vec_push(f->alloc, &r->blanks, (BlankName){.blank = r->reals[s].items[i].blank}))
                return series_no_room(f);
    qsort(r->blanks.items, r->blanks.n, sizeof *r->blanks.items, by_blank);
    size_t n = 0;
    for (size_t i = 0; i < r->blanks.n; i++)
        if (n == 0 || r->blanks.items[n - 1].blank != r->blanks.items[i].blank)
            r->blanks.items[n++] = r->blanks.items[i];
    r->blanks.n = n;
    for (int s = 0; s < FAMILY_SIZES; s++)
        for (size_t i = 0; i < r->reals[s].n; i++) {
            const NamedReal *x = &r->reals[s].items[i];
            BlankName *b = bsearch(&(BlankName){.blank = x->blank}, r->blanks.items, n,
                                   sizeof *r->blanks.items, by_blank);
            for (int k = 0; k < x->nsubscript; k++)
                if (x->subscripts[k] > b->most[s][k])
                    b->most[s][k] = x->subscripts[k];
        }
    return true;
}

/* Which subscripts grow with the size, and the largest of them at the size at hand. Returns how
 * many; more than DIRECTIONS is too many. What grows in one direction has a second coordinate
 * only. */
static int growing(const SeriesReader *r, int size, const NamedReal *x, int *subscripts,
                   Element *most)
{
    const BlankName *b = bsearch(&(BlankName){.blank = x->blank}, r->blanks.items, r->blanks.n,
                                 sizeof *r->blanks.items, by_blank);
    int n = 0;
    subscripts[ROW] = subscripts[COLUMN] = -1;
    *most = (Element){{1, 1}};
    for (int k = 0; k < x->nsubscript; k++)
        if (b->most[0][k] != b->most[1][k]) {
            subscripts[ROW] = subscripts[COLUMN];
            subscripts[COLUMN] = k;
            n++;
        }
    for (int d = 0; d < DIRECTIONS; d++)
        if (subscripts[d] >= 0)
            most->at[d] = b->most[size][subscripts[d]];
    return n;
}

/* the name of a series: subscripts that do not grow are written out */
static void series_name(const NamedReal *x, const int *grow, char *to, size_t size)
{
    size_t n = 0;
    int k = 0;
    for (const char *c = x->blank; *c && n + 24 < size; c++) {
        if (*c == '#' && k != grow[ROW] && k != grow[COLUMN])
            n += (size_t)snprintf(to + n, size - n, "%ld", x->subscripts[k]);
        else
            to[n++] = *c;
        k += *c == '#';
    }
    to[n] = 0;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* is what the table says of two elements the same? */
static bool same_member(const LiederMember *a, const LiederMember *b)
{
    bool crossing =
        a->crossing == b->crossing && a->length == b->length && a->request == b->request;
    if (a->kind != LIEDER_PARAMETER && !crossing)
        return false;
    bool fallback = a->fallback == b->fallback || (isnan(a->fallback) && isnan(b->fallback));
    return fallback && a->min == b->min && a->max == b->max && a->type == b->type &&
           same_text(a->unit, b->unit) &&
           (a->kind == LIEDER_REQUEST || same_text(a->text, b->text)) &&
           a->structural == b->structural && !a->environment && !b->environment && !a->only_if &&
           !b->only_if;
}

/* the series of this name; UINT32_MAX: there is none yet, and *slot is where it goes */
static uint32_t find_series(const SeriesReader *r, const char *name, size_t *slot)
{
    *slot = (size_t)hash_bytes(HASH_SEED, name, strlen(name)) & (r->table.n - 1);
    while (r->table.items[*slot]) {
        uint32_t s = r->table.items[*slot] - 1;
        if (strcmp(r->f->series.items[s].name, name) == 0)
            return s;
        *slot = (*slot + 1) & (r->table.n - 1);
    }
    return UINT32_MAX;
}

/* the series of a real, made if the size is the smallest */
static uint32_t series_of_real(SeriesReader *r, int size, const NamedReal *x, Element *element,
                               Element *most)
{
    Family *f = r->f;
    char name[NAME_LENGTH + 200];
    int grow[DIRECTIONS], n = growing(r, size, x, grow, most);
    size_t slot;
    if (n > DIRECTIONS) {
        family_refuse(f, "'%s' grows in three directions", x->member->name);
        return UINT32_MAX;
    }
    series_name(x, grow, name, sizeof name);
    for (int d = 0; d < DIRECTIONS; d++)
        element->at[d] = grow[d] >= 0 ? x->subscripts[grow[d]] : 1;
    uint32_t s = find_series(r, name, &slot);
    if (s == UINT32_MAX && size > 0) {
        family_refuse(f, "'%s' is there for some sizes only", x->member->name);
        return UINT32_MAX;
    }
    if (s == UINT32_MAX) {
        MemberSeries new = {.kind = x->kind,
                            .name = arena_text(&f->arena, name, strlen(name)),
                            .ngrow = n,
                            .is_vector = x->kind == SERIES_PARAMETER && x->member->length > 1,
                            .is_initial = x->kind == SERIES_STATE && isnan(x->member->fallback),
                            .member = *x->member,
                            .subscripts = {grow[ROW], grow[COLUMN]},
                            .first = *element,
                            .position = x->position,
                            .def = x->def,
                            .value = x->value};
        s = (uint32_t)f->series.n;
        if (!new.name || !vec_push(f->alloc, &f->series, new)) {
            series_no_room(f);
            return UINT32_MAX;
        }
        r->table.items[slot] = s + 1;
    }
    return s;
}

/* an element that is not there; of iterations: few unknowns are left of equations of many elements
 */
static bool refuse_missing(Family *f, const NamedReal *x)
{
    if (x->kind >= SERIES_GUESS && x->kind <= SERIES_VALUE)
        return family_refuse(f,
                             "equations of several elements are solved together where it runs "
                             "(%.100s)",
                             x->member->name);
    return family_refuse(f, "elements of '%s' are missing", x->member->name);
}

/* Elements have to follow each other, row by row: the first is the same for all sizes, and there
 * are no gaps. `most`: the largest coordinates. */
static bool add_element(Family *f, int size, uint32_t s, const NamedReal *x, Element element,
                        Element most)
{
    MemberSeries *series = &f->series.items[s];
    series->lasts[size] = most;
    if (series_columns(series, size) < 1)
        return refuse_missing(f, x);
    Element next = series_element(series, size, series->counts[size]++);
    if (element.at[ROW] != next.at[ROW] || element.at[COLUMN] != next.at[COLUMN])
        return refuse_missing(f, x);
    if (!same_member(&series->member, x->member))
        return family_refuse(f, "'%s' differs from its neighbours in its attributes",
                             x->member->name);
    if (size == 0) {
        series->end = x->position;
        if (element.at[ROW] == series->first.at[ROW])
            series->row_end = x->position;
    }
    f->series_of[size][x->real] = s + 1;
    f->element_of[size][x->real] = element;
    return true;
}

/* the last element as a function of the size */
static bool fit_lengths(Family *f)
{
    for (size_t i = 0; i < f->series.n; i++) {
        MemberSeries *s = &f->series.items[i];
        for (int k = 0; k < FAMILY_SIZES; k++)
            if (!s->counts[k] || s->counts[k] != series_length(s, k))
                return family_refuse(f, "elements of '%s' are missing", s->member.name);
        for (int d = 0; d < DIRECTIONS; d++) {
            double b = (double)(s->lasts[1].at[d] - s->lasts[0].at[d]) /
                       (double)(f->sizes[1].n - f->sizes[0].n);
            s->last[d] =
                (SizeForm){.a = (double)s->lasts[0].at[d] - b * (double)f->sizes[0].n, .b = b};
            for (int k = 0; k < FAMILY_SIZES; k++)
                if (b != floor(b) ||
                    form_at(s->last[d], (double)f->sizes[k].n) != (double)s->lasts[k].at[d])
                    return family_refuse(f, "the length of '%s' does not follow the size evenly",
                                         s->member.name);
            if (b < 0)
                return family_refuse(f, "'%s' becomes shorter", s->member.name);
        }
        s->grows = s->ngrow > 0;
    }
    return true;
}

/* series whose new values a block computes from their old ones */
static bool add_shadows(Family *f)
{
    bool grows = false;
    for (uint32_t i = 0, n = (uint32_t)f->series.n; i < n; i++) {
        MemberSeries s = f->series.items[i];
        grows |= s.grows;
        if (s.kind != SERIES_STATE && s.kind != SERIES_CHOICE)
            continue;
        s.kind = SERIES_SHADOW;
        s.of = i;
        f->series.items[i].shadow = (uint32_t)f->series.n + 1;
        if (!vec_push(f->alloc, &f->series, s))
            return series_no_room(f);
    }
    f->nnamed = f->series.n;
    return grows || family_refuse(f, "no array grows with the size");
}

/* reals of all sizes, then names that grow, then series */
static bool read_all(SeriesReader *r)
{
    Family *f = r->f;
    size_t n = 0;
    for (int s = 0; s < FAMILY_SIZES; s++) {
        size_t nreal = (size_t)f->sizes[s].class_->block->info.nreal + 1;
        f->series_of[s] = arena_zeroed(&f->arena, nreal * sizeof(uint32_t));
        f->element_of[s] = arena_zeroed(&f->arena, nreal * sizeof(Element));
        f->kept[s] = arena_zeroed(&f->arena, nreal * sizeof(Node));
        if (!f->series_of[s] || !f->element_of[s] || !f->kept[s])
            return series_no_room(f);
        if (!list_reals(f, &r->names, &f->sizes[s], &r->reals[s]))
            return false;
        n += r->reals[s].n;
    }
    size_t ntable = 64;
    while (ntable < 2 * n)
        ntable *= 2;
    if (!find_largest(r) || !vec_resize(f->alloc, &r->table, ntable))
        return series_no_room(f);
    for (int s = 0; s < FAMILY_SIZES; s++)
        for (size_t i = 0; i < r->reals[s].n; i++) {
            const NamedReal *x = &r->reals[s].items[i];
            Element element, most;
            uint32_t series = series_of_real(r, s, x, &element, &most);
            if (series == UINT32_MAX || !add_element(f, s, series, x, element, most))
                return false;
        }
    return fit_lengths(f) && add_shadows(f);
}

bool family_read_series(Family *f)
{
    SeriesReader r = {.f = f};
    intern_init(&r.names, f->alloc);
    bool good = read_all(&r);
    intern_drop(&r.names);
    for (int s = 0; s < FAMILY_SIZES; s++)
        vec_drop(f->alloc, &r.reals[s]);
    vec_drop(f->alloc, &r.blanks);
    vec_drop(f->alloc, &r.table);
    return good;
}
