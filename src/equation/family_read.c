/* family_read.c - classes of small sizes as series of members and bodies of assignments. See
 * family.h. */
#include "equation/family_work.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"

enum { MAX_SUBSCRIPTS = 6, NAME_LENGTH = 400, MAX_STEPS = 2000, MAX_DEPTH = 3000 };

bool family_refuse(Family *f, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (!f->why[0])
        vsnprintf(f->why, sizeof f->why, format, list);
    va_end(list);
    return false;
}

static bool no_room(Family *f)
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
    long position; /* among the members */
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

/* one real; `index`: of a vector, from 1, or 0 */
static bool add_real(Family *f, Interner *names, NamedReals *to, NamedReal r, const char *name,
                     long index)
{
    char blank[NAME_LENGTH + 20] = {(char)('A' + r.kind)};
    if (!take_subscripts(name, blank + 1, NAME_LENGTH, &r) ||
        (index && r.nsubscript == MAX_SUBSCRIPTS))
        return family_refuse(f, "the name of '%.100s' is too long", name);
    if (index) {
        r.subscripts[r.nsubscript++] = index;
        strcat(blank, "{#}");
    }
    r.blank = intern_text(names, blank);
    return (r.blank && vec_push(f->alloc, to, r)) || no_room(f);
}

/* all reals of a class that have names */
static bool list_reals(Family *f, Interner *names, const CellClass *c, NamedReals *to)
{
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
            for (int k = 0; k < m->length && good; k++, r.real++)
                good = add_real(f, names, to, r, m->name, m->length > 1 ? k + 1 : 0);
            break;
        case LIEDER_STATE:
            r.kind = SERIES_STATE;
            good = add_real(f, names, to, r, m->name, 0);
            r.kind = SERIES_DERIVATIVE;
            r.real = m->other;
            good = good && add_real(f, names, to, r, m->name, 0);
            break;
        case LIEDER_OBSERVABLE:
            r.kind = SERIES_OBSERVABLE;
            if (m->by_observe)
                return family_refuse(f, "'%s' is not linear in forces", m->name);
            good = add_real(f, names, to, r, m->name, 0);
            break;
        default:
            return family_refuse(f, "it has events ('%s')", m->name);
        }
    }
    return good;
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
    BlankNames blanks;    /* sorted when all are there */
    VEC(uint32_t) table;  /* by hash of a series' name: 1 + series */
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
                return no_room(f);
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

/* which subscript grows with the size: -1 none, -2 several */
static int growing(const SeriesReader *r, const NamedReal *x)
{
    const BlankName *b = bsearch(&(BlankName){.blank = x->blank}, r->blanks.items, r->blanks.n,
                                 sizeof *r->blanks.items, by_blank);
    int found = -1;
    for (int k = 0; k < x->nsubscript; k++)
        if (b->most[0][k] != b->most[1][k])
            found = found == -1 ? k : -2;
    return found;
}

/* the name of a series: subscripts that do not grow are written out */
static void series_name(const NamedReal *x, int grows, char *to, size_t size)
{
    size_t n = 0;
    int k = 0;
    for (const char *c = x->blank; *c && n + 24 < size; c++) {
        if (*c == '#' && k != grows)
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
    bool fallback = a->fallback == b->fallback || (isnan(a->fallback) && isnan(b->fallback));
    return fallback && a->min == b->min && a->max == b->max && a->type == b->type &&
           same_text(a->unit, b->unit) && same_text(a->text, b->text) &&
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
static uint32_t series_of_real(SeriesReader *r, int size, const NamedReal *x, long *element)
{
    Family *f = r->f;
    char name[NAME_LENGTH + 200];
    int grows = growing(r, x);
    size_t slot;
    if (grows == -2) {
        family_refuse(f, "'%s' grows in two directions", x->member->name);
        return UINT32_MAX;
    }
    series_name(x, grows, name, sizeof name);
    *element = grows >= 0 ? x->subscripts[grows] : 1;
    uint32_t s = find_series(r, name, &slot);
    if (s == UINT32_MAX && size > 0) {
        family_refuse(f, "'%s' is there for some sizes only", x->member->name);
        return UINT32_MAX;
    }
    if (s == UINT32_MAX) {
        Series new = {.kind = x->kind,
                      .name = arena_text(&f->arena, name, strlen(name)),
                      .grows = grows >= 0,
                      .is_vector = x->kind == SERIES_PARAMETER && x->member->length > 1,
                      .is_initial = x->kind == SERIES_STATE && isnan(x->member->fallback),
                      .member = *x->member,
                      .subscript = grows,
                      .first = *element,
                      .position = x->position};
        s = (uint32_t)f->series.n;
        if (!new.name || !vec_push(f->alloc, &f->series, new)) {
            no_room(f);
            return UINT32_MAX;
        }
        r->table.items[slot] = s + 1;
    }
    return s;
}

/* Elements have to follow each other: the first is the same for all sizes, and there are no gaps.
 */
static bool add_element(Family *f, int size, uint32_t s, const NamedReal *x, long element)
{
    Series *series = &f->series.items[s];
    long count = series->lasts[size] ? series->lasts[size] - series->first + 1 : 0;
    if (!series->reals[size])
        series->reals[size] =
            arena_zeroed(&f->arena, (f->sizes[size].class_->block->info.nreal + 1) * sizeof(int));
    if (!series->reals[size])
        return no_room(f);
    if (element != series->first + count)
        return family_refuse(f, "elements of '%s' are missing", x->member->name);
    if (!same_member(&series->member, x->member))
        return family_refuse(f, "'%s' differs from its neighbours in its attributes",
                             x->member->name);
    series->reals[size][count] = x->real;
    series->lasts[size] = element;
    if (size == 0)
        series->end = x->position;
    f->series_of[size][x->real] = s + 1;
    f->element_of[size][x->real] = element;
    return true;
}

/* the last element as a function of the size */
static bool fit_lengths(Family *f)
{
    for (size_t i = 0; i < f->series.n; i++) {
        Series *s = &f->series.items[i];
        double b = (double)(s->lasts[1] - s->lasts[0]) / (double)(f->sizes[1].n - f->sizes[0].n);
        s->last = (SizeForm){(double)s->lasts[0] - b * (double)f->sizes[0].n, b};
        for (int k = 0; k < FAMILY_SIZES; k++)
            if (b != floor(b) || !s->lasts[k] ||
                form_at(s->last, (double)f->sizes[k].n) != (double)s->lasts[k])
                return family_refuse(f, "the length of '%s' does not follow the size evenly",
                                     s->member.name);
        s->grows = b != 0;
        if (b < 0)
            return family_refuse(f, "'%s' becomes shorter", s->member.name);
    }
    return true;
}

static bool read_all(SeriesReader *r)
{
    Family *f = r->f;
    size_t n = 0;
    for (int s = 0; s < FAMILY_SIZES; s++) {
        size_t nreal = (size_t)f->sizes[s].class_->block->info.nreal + 1;
        f->series_of[s] = arena_zeroed(&f->arena, nreal * sizeof(uint32_t));
        f->element_of[s] = arena_zeroed(&f->arena, nreal * sizeof(long));
        f->kept[s] = arena_zeroed(&f->arena, nreal * sizeof(Node));
        if (!f->series_of[s] || !f->element_of[s] || !f->kept[s])
            return no_room(f);
        if (!list_reals(f, &r->names, f->sizes[s].class_, &r->reals[s]))
            return false;
        n += r->reals[s].n;
    }
    size_t ntable = 64;
    while (ntable < 2 * n)
        ntable *= 2;
    if (!find_largest(r) || !vec_resize(f->alloc, &r->table, ntable))
        return no_room(f);
    for (int s = 0; s < FAMILY_SIZES; s++)
        for (size_t i = 0; i < r->reals[s].n; i++) {
            const NamedReal *x = &r->reals[s].items[i];
            long element;
            uint32_t series = series_of_real(r, s, x, &element);
            if (series == UINT32_MAX || !add_element(f, s, series, x, element))
                return false;
        }
    f->nnamed = f->series.n;
    return fit_lengths(f);
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

/* ------------------------------------------------------------------ bodies */

typedef struct BodyReader {
    Family *f;
    int size;
    Graph *g;
    VEC(BodyStep) steps;
    VEC(Leaf) leaves;
    NodeList nodes; /* by step */
    Node own;       /* the node itself is no leaf */
    int depth;
} BodyReader;

static int32_t read_node(BodyReader *r, Node node);

/* keeps what was read */
static bool keep_body(BodyReader *r, Body *body)
{
    Family *f = r->f;
    BodyStep *steps = arena_zeroed(&f->arena, (r->steps.n + 1) * sizeof *steps);
    Leaf *leaves = arena_zeroed(&f->arena, (r->leaves.n + 1) * sizeof *leaves);
    if (!steps || !leaves)
        return no_room(f);
    if (r->steps.n)
        memcpy(steps, r->steps.items, r->steps.n * sizeof *steps);
    if (r->leaves.n)
        memcpy(leaves, r->leaves.items, r->leaves.n * sizeof *leaves);
    body->steps = steps;
    body->leaves = leaves;
    body->nstep = r->steps.n;
    body->nleaf = r->leaves.n;
    return true;
}

static void drop_reader(BodyReader *r)
{
    vec_drop(r->f->alloc, &r->steps);
    vec_drop(r->f->alloc, &r->leaves);
    vec_drop(r->f->alloc, &r->nodes);
}

static int32_t add_leaf(BodyReader *r, LeafKind kind, uint32_t series, double value)
{
    if (!vec_push(r->f->alloc, &r->leaves, (Leaf){kind, series, value})) {
        no_room(r->f);
        return NO_OPERAND;
    }
    return leaf_operand(r->leaves.n - 1);
}

static int32_t give_up(BodyReader *r, const char *why)
{
    family_refuse(r->f, "%s", why);
    return NO_OPERAND;
}

/* a value without a name, met for the first time; false: see family_refuse */
static bool add_hidden(Family *f, int size, Hidden hidden)
{
    return vec_push(f->alloc, &f->hidden[size], hidden) || no_room(f);
}

/* which of the hidden values a node is; UINT32_MAX: none */
static uint32_t hidden_of(const Family *f, int size, Node node)
{
    const HiddenList *list = &f->hidden[size];
    for (size_t i = f->nhidden_before; i < list->n; i++)
        if (list->items[i].node == node)
            return (uint32_t)(f->nnamed + i);
    return UINT32_MAX;
}

static bool reads_arrays(const Family *f, const Body *b)
{
    for (size_t i = 0; i < b->nleaf; i++)
        if (b->leaves[i].kind != LEAF_NUMBER &&
            (b->leaves[i].kind == LEAF_CALL || b->leaves[i].series >= f->nnamed ||
             f->series.items[b->leaves[i].series].kind != SERIES_PARAMETER ||
             f->series.items[b->leaves[i].series].grows))
            return true;
    return false;
}

/* What a constant block computes for others: a number for all is a hidden value, of others the
 * expression is read in place. */
static int32_t read_kept(BodyReader *r, Node node)
{
    Family *f = r->f;
    uint32_t found = hidden_of(f, r->size, node);
    Body body;
    if (found != UINT32_MAX)
        return add_leaf(r, LEAF_ELEMENT, found, 1);
    if (!family_read_body(f, r->size, node, &body))
        return NO_OPERAND;
    if (reads_arrays(f, &body) || body.nstep == 0)
        return read_node(r, node);
    if (!add_hidden(f, r->size, (Hidden){.node = node, .first = body}))
        return NO_OPERAND;
    return add_leaf(r, LEAF_ELEMENT, (uint32_t)(f->nnamed + f->hidden[r->size].n - 1), 1);
}

static int32_t read_symbol(BodyReader *r, uint64_t symbol)
{
    Family *f = r->f;
    const BlockPlace *place = block_place_of(f->sizes[r->size].class_->block, symbol);
    switch (place ? (int)place->kind : -1) {
    case PLACE_TIME:
        return add_leaf(r, LEAF_CALL, TAPE_TIME, 0);
    case PLACE_EVENT_TIME:
        return add_leaf(r, LEAF_CALL, TAPE_EVENT_TIME, 0);
    case PLACE_MEMBER:
        break;
    default:
        return give_up(r, "it has events or ports");
    }
    uint32_t s = f->series_of[r->size][place->index];
    if (!s)
        return f->kept[r->size][place->index]
                   ? read_kept(r, f->kept[r->size][place->index])
                   : give_up(r, "a value is read that nothing sets");
    /* values of before the block are read beside those that it sets */
    SeriesKind kind = f->series.items[s - 1].kind;
    if (kind != SERIES_PARAMETER && (kind != SERIES_STATE || f->set == SERIES_STATE))
        return give_up(r, "a block reads what it sets");
    return add_leaf(r, LEAF_ELEMENT, s - 1, (double)f->element_of[r->size][place->index]);
}

/* ------------------------------------------------------------------ sums */

/* the rest of a sum, its last term and how that is added; false: it is no sum */
static bool sum_step(const Graph *g, Node node, Node *rest, Node *a, Node *b, LoopFold *fold)
{
    const NodeData *n = node_data(g, node);
    *b = NO_NODE;
    if (n->kind == NODE_ADD || n->kind == NODE_SUBTRACT) {
        *rest = n->a;
        *a = n->b;
        *fold = n->kind == NODE_ADD ? FOLD_ADD : FOLD_SUBTRACT;
        return true;
    }
    *rest = n->c;
    *a = n->a;
    *b = n->b;
    *fold = FOLD_FUSED;
    return n->kind == NODE_FUSED;
}

/* a term of a sum, from the last to the first */
typedef struct SumTerm {
    Node node; /* the sum up to it */
    Node rest, a, b;
    LoopFold fold;
    Body body;
} SumTerm;
typedef VEC(SumTerm) SumTerms;

static bool same_shape(const Body *x, const Body *y)
{
    if (x->nstep != y->nstep || x->nleaf != y->nleaf || x->root != y->root ||
        x->second != y->second)
        return false;
    for (size_t i = 0; i < x->nleaf; i++)
        if (x->leaves[i].kind != y->leaves[i].kind || x->leaves[i].series != y->leaves[i].series)
            return false;
    for (size_t i = 0; i < x->nstep; i++) {
        const BodyStep *a = &x->steps[i], *b = &y->steps[i];
        if (a->kind != b->kind || a->function != b->function || a->a != b->a || a->b != b->b ||
            a->c != b->c)
            return false;
    }
    return true;
}

bool body_follows(const Body *before, const Body *x, const Body *y)
{
    if (!same_shape(x, y))
        return false;
    for (size_t i = 0; before && i < x->nleaf; i++)
        if (y->leaves[i].value - x->leaves[i].value !=
            x->leaves[i].value - before->leaves[i].value)
            return false;
    return true;
}

/* two factors as one body with two results */
static bool read_term(Family *f, int size, SumTerm *t)
{
    Graph *g = (Graph *)&f->sizes[size].cell->graph;
    if (!t->b)
        return family_read_body(f, size, t->a, &t->body);
    BodyReader r = {.f = f, .size = size, .g = g};
    t->body.root = read_node(&r, t->a);
    t->body.second = t->body.root == NO_OPERAND ? NO_OPERAND : read_node(&r, t->b);
    bool good = t->body.second != NO_OPERAND && keep_body(&r, &t->body);
    drop_reader(&r);
    return good && family_good(f);
}

/* the terms of a sum that are alike, as a hidden value */
static bool make_fold(Family *f, int size, SumTerms *terms)
{
    size_t n = terms->n, mid = n / 2, low = mid, high = mid;
    SumTerm *t = terms->items; /* t[n - 1] is the first one that is added */
    for (size_t i = 0; i < n; i++)
        if (!read_term(f, size, &t[i]))
            return false;
    /* indices fall from term to term */
    while (high + 1 < n && t[high + 1].fold == t[mid].fold &&
           body_follows(high > low ? &t[high - 1].body : NULL, &t[high].body, &t[high + 1].body))
        high++;
    while (low > 0 && high > low && t[low - 1].fold == t[mid].fold &&
           body_follows(&t[low + 1].body, &t[low].body, &t[low - 1].body))
        low--;
    if ((long)(high - low + 1) < f->sizes[size].n / 2)
        return true; /* no array is summed up */
    Hidden h = {.is_fold = true,
                .fold = t[mid].fold,
                .node = t[low].node,
                .nterm = (long)(high - low + 1)};
    h.terms = arena_zeroed(&f->arena, (size_t)h.nterm * sizeof *h.terms);
    if (!h.terms)
        return no_room(f);
    for (long k = 0; k < h.nterm; k++)
        h.terms[k] = t[high - (size_t)k].body;
    return family_read_body(f, size, t[high].rest, &h.first) && add_hidden(f, size, h);
}

/* looks for a long sum; false: see family_refuse */
static bool try_sum(BodyReader *r, Node node)
{
    Family *f = r->f;
    if (f->tried[r->size].items[node])
        return true;
    SumTerms terms = {0};
    SumTerm t = {.node = node};
    bool good = true;
    while (good && sum_step(r->g, t.node, &t.rest, &t.a, &t.b, &t.fold)) {
        if (terms.n && f->def_of[r->size].items[t.node])
            break;
        f->tried[r->size].items[t.node] = 1;
        good = vec_push(f->alloc, &terms, t) || no_room(f);
        t.node = t.rest;
    }
    if (good && (long)terms.n >= f->sizes[r->size].n / 2)
        good = make_fold(f, r->size, &terms);
    vec_drop(f->alloc, &terms);
    return good;
}

/* ------------------------------------------------------------------ operations */

static int32_t read_operation(BodyReader *r, Node node)
{
    Family *f = r->f;
    for (size_t i = r->nodes.n; i-- > 0;)
        if (r->nodes.items[i] == node)
            return (int32_t)i;
    const NodeData n = *node_data(r->g, node);
    if (n.kind >= NODE_LIST)
        return give_up(r, "equations have to be solved together where it runs");
    BodyStep step = {n.kind, n.kind == NODE_CALL ? n.function : 0, NO_OPERAND, NO_OPERAND,
                     NO_OPERAND};
    const Node from[] = {n.a, n.b, n.c};
    int32_t *to[] = {&step.a, &step.b, &step.c};
    for (int k = 0; k < 3; k++)
        if (from[k] && (*to[k] = read_node(r, from[k])) == NO_OPERAND)
            return NO_OPERAND;
    if (r->steps.n >= MAX_STEPS)
        return give_up(r, "an expression is too long");
    if (!vec_push(f->alloc, &r->steps, step) || !vec_push(f->alloc, &r->nodes, node)) {
        no_room(f);
        return NO_OPERAND;
    }
    return (int32_t)r->steps.n - 1;
}

static int32_t read_node(BodyReader *r, Node node)
{
    Family *f = r->f;
    const NodeData *n = node_data(r->g, node);
    if (n->kind == NODE_CONSTANT)
        return add_leaf(r, LEAF_NUMBER, 0, n->value);
    if (n->kind == NODE_SYMBOL)
        return read_symbol(r, n->symbol);
    uint32_t def = f->def_of[r->size].items[node];
    if (def && node != r->own)
        return add_leaf(r, LEAF_ELEMENT, def - 1, (double)f->def_at[r->size].items[node]);
    if (!try_sum(r, node))
        return NO_OPERAND;
    uint32_t hidden = hidden_of(f, r->size, node);
    if (hidden != UINT32_MAX)
        return add_leaf(r, LEAF_ELEMENT, hidden, 1);
    if (++r->depth > MAX_DEPTH)
        return give_up(r, "an expression is too deep");
    int32_t result = read_operation(r, node);
    r->depth--;
    return result;
}

bool family_read_body(Family *f, int size, Node node, Body *body)
{
    BodyReader r = {
        .f = f, .size = size, .g = (Graph *)&f->sizes[size].cell->graph, .own = node};
    *body = (Body){.second = NO_OPERAND};
    body->root = read_node(&r, node);
    bool good = body->root != NO_OPERAND && keep_body(&r, body);
    drop_reader(&r);
    return good && family_good(f);
}

/* ------------------------------------------------------------------ programs */

/* one assignment: to an element, or kept for other blocks */
static bool take_assignment(Family *f, int size, const BlockAssignment *a)
{
    if (a->place.kind != PLACE_MEMBER)
        return family_refuse(f, "it has ports");
    uint32_t s = f->series_of[size][a->place.index];
    if (!s) {
        f->kept[size][a->place.index] = a->node;
        return true;
    }
    Series *series = &f->series.items[s - 1];
    if ((series->kind == SERIES_STATE) != (f->set == SERIES_STATE) ||
        series->kind == SERIES_PARAMETER)
        return family_refuse(f, "a block sets '%s'", series->member.name);
    series->nodes[size][f->element_of[size][a->place.index] - series->first] = a->node;
    return true;
}

/* nodes that are values of variables: of the first series that has them */
static bool note_values(Family *f, int size)
{
    const Graph *g = &f->sizes[size].cell->graph;
    f->def_of[size].n = f->def_at[size].n = f->tried[size].n = 0;
    if (!vec_resize(f->alloc, &f->def_of[size], g->nodes.n) ||
        !vec_resize(f->alloc, &f->def_at[size], g->nodes.n) ||
        !vec_resize(f->alloc, &f->tried[size], g->nodes.n))
        return no_room(f);
    for (size_t i = 0; i < f->nnamed; i++) {
        const Series *s = &f->series.items[i];
        for (long e = s->first; e <= s->lasts[size]; e++) {
            Node node = s->nodes[size][e - s->first];
            if (node && node_data(g, node)->kind > NODE_SYMBOL && !f->def_of[size].items[node]) {
                f->def_of[size].items[node] = (uint32_t)i + 1;
                f->def_at[size].items[node] = e;
            }
        }
    }
    return true;
}

bool family_read_program(Family *f, const BlockKind *kinds, size_t nkind, SeriesKind set)
{
    f->set = set;
    for (int size = 0; size < FAMILY_SIZES; size++) {
        const BlockClass *block = f->sizes[size].class_->block;
        for (size_t i = 0; i < f->nnamed; i++) {
            Series *s = &f->series.items[i];
            size_t n = (size_t)(s->lasts[size] - s->first + 1);
            s->nodes[size] = arena_zeroed(&f->arena, n * sizeof(Node));
            if (!s->nodes[size])
                return no_room(f);
        }
        for (size_t k = 0; k < nkind; k++) {
            const BlockAssignments *list = &block->blocks[kinds[k]][0];
            for (size_t i = 0; i < list->n; i++)
                if (!take_assignment(f, size, &list->items[i]))
                    return false;
        }
        if (!note_values(f, size))
            return false;
    }
    return true;
}
