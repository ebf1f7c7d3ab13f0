/* family_read.c - assignments of classes of small sizes as bodies: operations, and leaves that are
 * elements of series or numbers. See family.h. */
#include "equation/family/family_work.h"

#include <string.h>

enum { MAX_STEPS = 2000, MAX_DEPTH = 3000 };

static bool read_no_room(Family *f)
{
    f->failed = true;
    return false;
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
        return read_no_room(f);
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

static int32_t add_leaf(BodyReader *r, Leaf leaf)
{
    if (!vec_push(r->f->alloc, &r->leaves, leaf)) {
        read_no_room(r->f);
        return NO_OPERAND;
    }
    return leaf_operand(r->leaves.n - 1);
}

static int32_t add_call(BodyReader *r, uint32_t place)
{
    return add_leaf(r, (Leaf){LEAF_CALL, place, {0, 0}});
}

static int32_t add_element_leaf(BodyReader *r, uint32_t series, Element e)
{
    return add_leaf(r, (Leaf){LEAF_ELEMENT, series, {(double)e.at[ROW], (double)e.at[COLUMN]}});
}

static int32_t give_up(BodyReader *r, const char *why)
{
    family_refuse(r->f, "%s", why);
    return NO_OPERAND;
}

/* the same values, of one series? Folds of one shape are. */
static bool are_elements(const Hidden *a, const Hidden *b)
{
    return a->is_fold && b->is_fold && a->fold == b->fold && a->nterm == b->nterm &&
           a->width == b->width && body_is_like(&a->first, &b->first) &&
           body_is_like(a->terms, b->terms);
}

/* a value without a name, met for the first time; false: see family_refuse */
static bool add_hidden(Family *f, int size, Hidden hidden)
{
    HiddenList *list = &f->hidden[size];
    hidden.element = 1;
    hidden.series = UINT32_MAX;
    for (size_t i = list->n; i-- > f->nhidden_before[size] && hidden.series == UINT32_MAX;)
        if (are_elements(&list->items[i], &hidden)) {
            hidden.series = list->items[i].series;
            hidden.element = list->items[i].element + 1;
        }
    if (hidden.series == UINT32_MAX)
        hidden.series = f->nhidden[size]++;
    return vec_push(f->alloc, list, hidden) || read_no_room(f);
}

/* the hidden value that a node is; NULL: none */
static const Hidden *hidden_of(const Family *f, int size, Node node)
{
    const HiddenList *list = &f->hidden[size];
    for (size_t i = f->nhidden_before[size]; i < list->n; i++)
        if (list->items[i].node == node)
            return &list->items[i];
    return NULL;
}

static int32_t add_hidden_leaf(BodyReader *r, const Hidden *h)
{
    return add_element_leaf(r, (uint32_t)r->f->nnamed + h->series, (Element){{1, h->element}});
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
    const Hidden *found = hidden_of(f, r->size, node);
    Body body;
    if (found)
        return add_hidden_leaf(r, found);
    if (!family_read_body(f, r->size, node, &body))
        return NO_OPERAND;
    if (reads_arrays(f, &body) || body.nstep == 0)
        return read_node(r, node);
    if (!add_hidden(f, r->size, (Hidden){.node = node, .first = body}))
        return NO_OPERAND;
    return add_hidden_leaf(r, &f->hidden[r->size].items[f->hidden[r->size].n - 1]);
}

/* what a symbol reads, as a leaf */
static int32_t read_symbol(BodyReader *r, uint64_t symbol)
{
    Family *f = r->f;
    const BlockPlace *place = block_place_of(f->sizes[r->size].class_->block, symbol);
    switch (place ? (int)place->kind : -1) {
    case PLACE_TIME:
        return add_call(r, TAPE_TIME);
    case PLACE_EVENT_TIME:
        return add_call(r, TAPE_EVENT_TIME);
    case PLACE_HOLD:
        return add_call(r, TAPE_HOLD);
    case PLACE_INITIAL:
        return add_call(r, TAPE_INITIAL);
    case PLACE_TERMINAL:
        return add_call(r, TAPE_TERMINAL);
    case PLACE_MEMBER:
        break;
    default:
        return give_up(r, "it has events or ports");
    }
    uint32_t s = f->series_of[r->size][place->index];
    if (!s)
        return f->kept[r->size][place->index] ? read_kept(r, f->kept[r->size][place->index])
                                              : give_up(r, "a value is read that nothing sets");
    /* values of before the block are read beside those that it sets */
    if (family_sets(f, &f->series.items[s - 1]))
        return give_up(r, "a block reads what it sets");
    return add_element_leaf(r, s - 1, f->element_of[r->size][place->index]);
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

bool body_is_like(const Body *x, const Body *y)
{
    if (x->nstep != y->nstep || x->nleaf != y->nleaf || x->root != y->root ||
        x->second != y->second)
        return false;
    for (size_t i = 0; i < x->nleaf; i++)
        if (x->leaves[i].kind != y->leaves[i].kind || x->leaves[i].series != y->leaves[i].series)
            return false;
    for (size_t i = 0; i < x->nstep; i++) {
        const BodyStep *a = &x->steps[i], *b = &y->steps[i];
        if (a->kind != b->kind || a->function != b->function || a->system != b->system ||
            a->a != b->a || a->b != b->b || a->c != b->c)
            return false;
    }
    return true;
}

bool body_follows(const Body *before, const Body *x, const Body *y)
{
    if (!body_is_like(x, y))
        return false;
    for (size_t i = 0; before && i < x->nleaf; i++)
        for (int d = 0; d < DIRECTIONS; d++)
            if (y->leaves[i].value[d] - x->leaves[i].value[d] !=
                x->leaves[i].value[d] - before->leaves[i].value[d])
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

/* do terms follow each other? `t` falls, so that indices do */
static bool terms_follow(const SumTerm *before, const SumTerm *x, const SumTerm *y)
{
    return x->fold == y->fold && body_follows(before ? &before->body : NULL, &x->body, &y->body);
}

static bool read_terms(Family *f, int size, SumTerms *terms)
{
    for (size_t i = 0; i < terms->n; i++)
        if (!read_term(f, size, &terms->items[i]))
            return false;
    return true;
}

/* the terms around one that follow each other; indices fall from term to term. Returns how many */
static size_t find_terms(const SumTerm *t, size_t n, size_t mid, size_t *low, size_t *high)
{
    *low = *high = mid;
    while (*high + 1 < n &&
           terms_follow(*high > *low ? &t[*high - 1] : NULL, &t[*high], &t[*high + 1]))
        ++*high;
    while (*low > 0 && *high > *low && terms_follow(&t[*low + 1], &t[*low], &t[*low - 1]))
        --*low;
    return *high - *low + 1;
}

/* Rows of `width` terms beside the one from low to high become part of the run, as long as each of
 * their terms follows those of the rows before. */
static void add_rows(const SumTerm *t, size_t n, size_t width, size_t *low, size_t *high)
{
    bool good = true;
    while (good && *high + width < n) {
        for (size_t k = 0; k < width && good; k++) {
            const SumTerm *x = &t[*high - k];
            good = terms_follow(*high - *low + 1 > width ? x - width : NULL, x, x + width);
        }
        *high += good ? width : 0;
    }
    for (good = true; good && *low >= width;) {
        for (size_t k = 0; k < width && good; k++) {
            const SumTerm *x = &t[*low + k];
            good = terms_follow(*high - *low + 1 > width ? x + width : NULL, x, x - width);
        }
        *low -= good ? width : 0;
    }
}

/* The terms of a sum that are alike, as a hidden value. t[n - 1] is the first one that is added.
 * Terms before them, such as the first row of an array, may be another one. */
static bool make_fold(Family *f, int size, const SumTerm *t, size_t n)
{
    size_t mid = n / 2, low, high, width = find_terms(t, n, mid, &low, &high);
    if ((long)width < f->sizes[size].n / 2 && mid + 2 < n) /* the end of a row is in the middle */
        width = find_terms(t, n, mid + 2, &low, &high);
    if ((long)width < f->sizes[size].n / 2)
        return true; /* no array is summed up */
    add_rows(t, n, width, &low, &high);
    Hidden h = {.is_fold = true,
                .fold = t[low].fold,
                .node = t[low].node,
                .nterm = (long)(high - low + 1),
                .width = (long)width};
    h.terms = arena_zeroed(&f->arena, (size_t)h.nterm * sizeof *h.terms);
    if (!h.terms)
        return read_no_room(f);
    for (long k = 0; k < h.nterm; k++)
        h.terms[k] = t[high - (size_t)k].body;
    size_t before = n - 1 - high;
    return ((long)before < f->sizes[size].n / 2 || make_fold(f, size, t + high + 1, before)) &&
           family_read_body(f, size, t[high].rest, &h.first) && add_hidden(f, size, h);
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
        good = vec_push(f->alloc, &terms, t) || read_no_room(f);
        t.node = t.rest;
    }
    if (good && (long)terms.n >= f->sizes[r->size].n / 2)
        good = read_terms(f, r->size, &terms) && make_fold(f, r->size, terms.items, terms.n);
    vec_drop(f->alloc, &terms);
    return good;
}

/* ------------------------------------------------------------------ operations */

/* an operation and what it is made of; once for a node */
static int32_t read_operation(BodyReader *r, Node node)
{
    Family *f = r->f;
    for (size_t i = r->nodes.n; i-- > 0;)
        if (r->nodes.items[i] == node)
            return (int32_t)i;
    const NodeData n = *node_data(r->g, node);
    BodyStep step = {.kind = n.kind,
                     .function = n.kind == NODE_CALL ? n.function : 0,
                     .a = NO_OPERAND,
                     .b = NO_OPERAND,
                     .c = NO_OPERAND};
    if (n.kind == NODE_SYSTEM) {
        step.system = family_system(f, r->size, system_number(r->g, node));
        if (step.system == UINT32_MAX)
            return NO_OPERAND;
    }
    const Node from[] = {n.a, n.kind == NODE_SYSTEM ? NO_NODE : n.b, n.c};
    int32_t *to[] = {&step.a, &step.b, &step.c};
    for (int k = 0; k < 3; k++)
        if (from[k] && (*to[k] = read_node(r, from[k])) == NO_OPERAND)
            return NO_OPERAND;
    if (r->steps.n >= MAX_STEPS)
        return give_up(r, "an expression is too long");
    if (!vec_push(f->alloc, &r->steps, step) || !vec_push(f->alloc, &r->nodes, node)) {
        read_no_room(f);
        return NO_OPERAND;
    }
    return (int32_t)r->steps.n - 1;
}

/* a number, a symbol, the value of a variable, a sum, or an operation */
static int32_t read_node(BodyReader *r, Node node)
{
    Family *f = r->f;
    const NodeData *n = node_data(r->g, node);
    if (n->kind == NODE_CONSTANT)
        return add_leaf(r, (Leaf){LEAF_NUMBER, 0, {0, n->value}});
    if (n->kind == NODE_SYMBOL)
        return read_symbol(r, n->symbol);
    uint32_t def = f->def_of[r->size].items[node];
    if (def && node != r->own)
        return add_element_leaf(r, def - 1, f->def_at[r->size].items[node]);
    if (!try_sum(r, node))
        return NO_OPERAND;
    const Hidden *hidden = hidden_of(f, r->size, node);
    if (hidden)
        return add_hidden_leaf(r, hidden);
    if (++r->depth > MAX_DEPTH)
        return give_up(r, "an expression is too deep");
    int32_t result = read_operation(r, node);
    r->depth--;
    return result;
}

bool family_read_body(Family *f, int size, Node node, Body *body)
{
    BodyReader r = {.f = f, .size = size, .g = (Graph *)&f->sizes[size].cell->graph, .own = node};
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
    MemberSeries *series = &f->series.items[s - 1];
    if (series->shadow && family_sets(f, &f->series.items[series->shadow - 1])) {
        series = &f->series.items[series->shadow - 1];
        series->is_used = true;
    }
    if (!family_sets(f, series))
        return family_refuse(f, "a block sets '%s'", series->member.name);
    series->nodes[size][series_index(series, size, f->element_of[size][a->place.index])] = a->node;
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
        return read_no_room(f);
    for (size_t i = 0; i < f->nnamed; i++) {
        const MemberSeries *s = &f->series.items[i];
        for (long k = 0, n = series_length(s, size); k < n; k++) {
            Node node = s->nodes[size][k];
            if (node && node_data(g, node)->kind > NODE_SYMBOL && !f->def_of[size].items[node]) {
                f->def_of[size].items[node] = (uint32_t)i + 1;
                f->def_at[size].items[node] = series_element(s, size, k);
            }
        }
    }
    return true;
}

bool family_sets(const Family *f, const MemberSeries *s)
{
    switch (s->kind) {
    case SERIES_DERIVATIVE:
    case SERIES_OBSERVABLE:
    case SERIES_CROSSING:
    case SERIES_FOUND:
        return f->program == BLOCK_EXPLICIT;
    case SERIES_STATUS:
    case SERIES_VALUE:
        return f->program == (s->def->at_start ? BLOCK_START : BLOCK_EXPLICIT);
    case SERIES_STATE:
        return f->program == BLOCK_START;
    case SERIES_NEXT:
    case SERIES_TIMER:
        return f->program == BLOCK_EVENT;
    case SERIES_REQUEST:
        return f->program != BLOCK_START;
    case SERIES_SHADOW:
        return f->program ==
               (f->series.items[s->of].kind == SERIES_STATE ? BLOCK_EVENT : BLOCK_EXPLICIT);
    default:
        return false;
    }
}

bool family_read_program(Family *f, BlockKind program)
{
    const BlockKind kinds[] = {program, BLOCK_CONSTANT};
    size_t nkind = program == BLOCK_EXPLICIT ? 2 : 1;
    f->program = program;
    for (size_t i = 0; i < f->nnamed; i++)
        f->series.items[i].is_used = false;
    for (int size = 0; size < FAMILY_SIZES; size++) {
        const BlockClass *block = f->sizes[size].class_->block;
        for (size_t i = 0; i < f->nnamed; i++) {
            MemberSeries *s = &f->series.items[i];
            size_t n = (size_t)series_length(s, size);
            s->nodes[size] = arena_zeroed(&f->arena, n * sizeof(Node));
            if (!s->nodes[size])
                return read_no_room(f);
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
