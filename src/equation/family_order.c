/* family_order.c - pieces as loops for one size, in the order of what they read. See family.h.
 *
 * A piece depends on the pieces that set what it reads. Pieces that depend on each other in a
 * circle are one sweep, if all of them go over the same elements and read at distances of one sign:
 * those of a chain that was cut at its ends by different numbers of elements are cut to what they
 * have in common first. All else is lanes. Pieces over the same elements that read each other at
 * distance zero become one loop, and all single elements that can be computed together another.
 */
#include "equation/family_work.h"

#include <math.h>
#include <string.h>

enum { MAX_JOINED = 24, MAX_POINTS = 200, MAX_PIECES = 20000 };

static bool order_no_room(Family *f)
{
    f->failed = true;
    return false;
}

/* ------------------------------------------------------------------ at one size */

static double leaf_at(const LeafForm *l, double n, double j)
{
    return l->p * j + form_at(l->q, n);
}

/* the elements that a leaf reads over a piece */
static void leaf_range(const Piece *p, const LeafForm *l, long *low, long *high)
{
    double a = l->p * (double)p->first + l->q.a, b = l->p * (double)p->last + l->q.a;
    *low = (long)(a < b ? a : b);
    *high = (long)(a < b ? b : a);
}

/* Puts the size in: forms become p j + q with q.b = 0. What is read has to be there. */
bool family_place_pieces(Family *f, long n)
{
    for (size_t i = 0; i < f->pieces.n; i++) {
        Piece *p = &f->pieces.items[i];
        p->first = (long)form_at(p->from, (double)n);
        p->last = (long)form_at(p->to, (double)n);
        LeafForm *forms = arena_zeroed(&f->arena, (p->body->nleaf + 1) * sizeof *forms);
        if (!forms)
            return order_no_room(f);
        for (size_t k = 0; k < p->body->nleaf; k++) {
            forms[k] = p->forms[k];
            forms[k].q = (SizeForm){.a = form_at(p->forms[k].q, (double)n)};
            if (forms[k].kind != LEAF_ELEMENT)
                continue;
            const MemberSeries *s = &f->series.items[forms[k].series];
            long low, high, last = (long)form_at(s->last, (double)n);
            leaf_range(p, &forms[k], &low, &high);
            if (low < s->first || high > last)
                return family_refuse(f, "a subscript of '%s' leaves its array",
                                     s->member.name ? s->member.name : "a sum");
        }
        p->forms = forms;
        if (p->first > p->last)
            return family_refuse(f, "the size is too small");
    }
    return true;
}

/* ------------------------------------------------------------------ what depends on what */

/* a piece reads another; `distance`: of a leaf with p = 1, else NAN */
typedef struct PieceEdge {
    uint32_t to;
    double distance;
} PieceEdge;

typedef struct PieceOrder {
    Family *f;
    VEC(uint32_t) first_of; /* by series: its pieces, in `by_series` */
    VEC(uint32_t) by_series;
    VEC(uint32_t) begin; /* by piece: its edges */
    VEC(PieceEdge) edges;
    /* Tarjan */
    VEC(uint32_t) number, low, stack, component; /* component: 1 + which */
    uint32_t next, ncomponent;
    VEC(uint32_t) sorted; /* pieces, component by component, dependencies first */
} PieceOrder;

/* pieces by the series that they set */
static bool index_pieces(PieceOrder *o)
{
    Family *f = o->f;
    if (!vec_resize(f->alloc, &o->first_of, f->series.n + 2) ||
        !vec_resize(f->alloc, &o->by_series, f->pieces.n + 1))
        return order_no_room(f);
    for (size_t i = 0; i < f->pieces.n; i++)
        o->first_of.items[f->pieces.items[i].series + 1]++;
    for (size_t s = 0; s <= f->series.n; s++)
        o->first_of.items[s + 1] += o->first_of.items[s];
    VEC(uint32_t) used = {0};
    if (!vec_resize(f->alloc, &used, f->series.n + 1))
        return order_no_room(f);
    for (size_t i = 0; i < f->pieces.n; i++) {
        uint32_t s = f->pieces.items[i].series;
        o->by_series.items[o->first_of.items[s] + used.items[s]++] = (uint32_t)i;
    }
    vec_drop(f->alloc, &used);
    return true;
}

/* the pieces that set what a leaf reads */
static bool add_edges(PieceOrder *o, const Piece *p, const LeafForm *l)
{
    Family *f = o->f;
    long low, high;
    if (l->kind != LEAF_ELEMENT)
        return true;
    leaf_range(p, l, &low, &high);
    for (uint32_t k = o->first_of.items[l->series]; k < o->first_of.items[l->series + 1]; k++) {
        const Piece *q = &f->pieces.items[o->by_series.items[k]];
        bool sets = q->kind == PIECE_FOLD || (q->first <= high && q->last >= low);
        double distance = p->kind == PIECE_RUN && q->kind == PIECE_RUN && l->p == 1 ? l->q.a : NAN;
        if (sets && !vec_push(f->alloc, &o->edges, (PieceEdge){o->by_series.items[k], distance}))
            return order_no_room(f);
    }
    return true;
}

/* what each piece reads */
static bool find_edges(PieceOrder *o)
{
    Family *f = o->f;
    for (size_t i = 0; i < f->pieces.n; i++) {
        const Piece *p = &f->pieces.items[i];
        if (!vec_push(f->alloc, &o->begin, (uint32_t)o->edges.n))
            return order_no_room(f);
        for (size_t k = 0; k < p->body->nleaf; k++)
            if (!add_edges(o, p, &p->forms[k]))
                return false;
        /* a fold goes on from its first value */
        for (uint32_t k = o->first_of.items[p->series];
             p->kind == PIECE_FOLD && k < o->first_of.items[p->series + 1]; k++)
            if (o->by_series.items[k] != i &&
                !vec_push(f->alloc, &o->edges, (PieceEdge){o->by_series.items[k], NAN}))
                return order_no_room(f);
    }
    return vec_push(f->alloc, &o->begin, (uint32_t)o->edges.n) || order_no_room(f);
}

/* strongly connected components (Tarjan), what is read first */
static bool visit_piece(PieceOrder *o, uint32_t i)
{
    Family *f = o->f;
    o->number.items[i] = o->low.items[i] = ++o->next;
    if (!vec_push(f->alloc, &o->stack, i))
        return order_no_room(f);
    for (uint32_t k = o->begin.items[i]; k < o->begin.items[i + 1]; k++) {
        uint32_t j = o->edges.items[k].to;
        if (!o->number.items[j] && !visit_piece(o, j))
            return false;
        if (!o->component.items[j] && o->low.items[j] < o->low.items[i])
            o->low.items[i] = o->low.items[j];
    }
    if (o->low.items[i] != o->number.items[i])
        return true;
    o->ncomponent++;
    for (uint32_t j = UINT32_MAX; j != i;) {
        j = o->stack.items[--o->stack.n];
        o->component.items[j] = o->ncomponent;
        if (!vec_push(f->alloc, &o->sorted, j))
            return order_no_room(f);
    }
    return true;
}

/* edges, and components in order */
static bool sort_pieces(PieceOrder *o)
{
    Family *f = o->f;
    size_t n = f->pieces.n;
    if (n > MAX_PIECES)
        return family_refuse(f, "it has too many equations apart from loops");
    if (!index_pieces(o) || !find_edges(o))
        return false;
    if (!vec_resize(f->alloc, &o->number, n + 1) || !vec_resize(f->alloc, &o->low, n + 1) ||
        !vec_resize(f->alloc, &o->component, n + 1))
        return order_no_room(f);
    for (uint32_t i = 0; i < n; i++)
        if (!o->number.items[i] && !visit_piece(o, i))
            return false;
    return true;
}

/* empty again, for the same family */
static void order_drop(PieceOrder *o)
{
    const LiederAllocator *alloc = o->f->alloc;
    vec_drop(alloc, &o->first_of);
    vec_drop(alloc, &o->by_series);
    vec_drop(alloc, &o->begin);
    vec_drop(alloc, &o->edges);
    vec_drop(alloc, &o->number);
    vec_drop(alloc, &o->low);
    vec_drop(alloc, &o->stack);
    vec_drop(alloc, &o->component);
    vec_drop(alloc, &o->sorted);
    *o = (PieceOrder){.f = o->f};
}

/* ------------------------------------------------------------------ circles */

/* does a piece read itself? */
static bool reads_itself(const PieceOrder *o, uint32_t i)
{
    for (uint32_t k = o->begin.items[i]; k < o->begin.items[i + 1]; k++)
        if (o->edges.items[k].to == i)
            return true;
    return false;
}

/* The ends of a run that others of its circle do not have become points; *cut: some did. */
static bool cut_circle(PieceOrder *o, const uint32_t *pieces, size_t n, bool *cut)
{
    enum { MAX_CUT = 16 };
    Family *f = o->f;
    long first = 0, last = -1;
    for (size_t i = 0; i < n; i++) {
        const Piece *p = &f->pieces.items[pieces[i]];
        if (p->kind == PIECE_FOLD)
            return family_refuse(f, "a sum depends on itself");
        if (p->kind != PIECE_RUN)
            continue;
        first = last < 0 || p->first > first ? p->first : first;
        last = last < 0 || p->last < last ? p->last : last;
    }
    for (size_t i = 0; i < n; i++) {
        Piece p = f->pieces.items[pieces[i]];
        if (p.kind != PIECE_RUN || (p.first == first && p.last == last))
            continue;
        if (first > last || first - p.first + p.last - last > MAX_CUT)
            return family_refuse(f, "loops that depend on each other have different lengths");
        for (long j = p.first; j <= p.last; j++) {
            if (j == first)
                j = last + 1;
            if (j > p.last)
                break;
            Piece point = p;
            point.kind = PIECE_POINT;
            point.first = point.last = j;
            if (!vec_push(f->alloc, &f->pieces, point))
                return order_no_room(f);
        }
        f->pieces.items[pieces[i]].first = first;
        f->pieces.items[pieces[i]].last = last;
        *cut = true;
    }
    return true;
}

/* The runs of a circle in the order of one turn: what is read at distance zero comes first. *up: to
 * larger elements. false: see family_refuse */
static bool order_circle(PieceOrder *o, uint32_t *pieces, size_t n, bool *up)
{
    Family *f = o->f;
    bool below = false, above = false;
    for (size_t i = 0; i < n; i++) {
        uint32_t p = pieces[i];
        if (f->pieces.items[p].kind != PIECE_RUN)
            return family_refuse(f, "an end of '%s' and its loop depend on each other",
                                 f->series.items[f->pieces.items[p].series].member.name);
        for (uint32_t k = o->begin.items[p]; k < o->begin.items[p + 1]; k++) {
            const PieceEdge *e = &o->edges.items[k];
            if (o->component.items[e->to] != o->component.items[p])
                continue;
            if (isnan(e->distance))
                return family_refuse(f, "'%s' depends on itself in a way that is no sweep",
                                     f->series.items[f->pieces.items[p].series].member.name);
            below |= e->distance < 0;
            above |= e->distance > 0;
        }
    }
    if (below && above)
        return family_refuse(f, "'%s' depends on elements on both sides of it",
                             f->series.items[f->pieces.items[pieces[0]].series].member.name);
    *up = !above;
    /* a piece is next when all that it reads of this turn is there */
    for (size_t done = 0; done < n; done++) {
        size_t found = n;
        for (size_t i = done; i < n && found == n; i++) {
            bool ready = true;
            for (uint32_t k = o->begin.items[pieces[i]]; k < o->begin.items[pieces[i] + 1]; k++)
                for (size_t j = done; j < n; j++)
                    ready &= o->edges.items[k].to != pieces[j] || o->edges.items[k].distance != 0;
            found = ready ? i : n;
        }
        if (found == n)
            return family_refuse(f, "elements depend on each other");
        uint32_t kept = pieces[done];
        pieces[done] = pieces[found];
        pieces[found] = kept;
    }
    return true;
}

/* ------------------------------------------------------------------ writing loops */

/* a loop that is being put together */
typedef struct LoopDraft {
    PieceOrder *o;
    LoopCode *code;
    bool lean;
    Graph *g;
    VEC(uint32_t) pieces; /* of the draft */
    NodeList values;      /* by piece of the draft */
    VEC(LoopLoad) loads;
    VEC(uint8_t) in_draft; /* by piece */
    LoopKind kind;
    bool down;
} LoopDraft;

static bool is_point(const Piece *p)
{
    return p->first == p->last && p->kind != PIECE_FOLD;
}

static uint32_t element_place(const Family *f, uint32_t series, long element)
{
    const MemberSeries *s = &f->series.items[series];
    return s->place + (uint32_t)(element - s->first);
}

/* the symbol of something that is read; equal ones are one */
static Node load_node(LoopDraft *d, LoopLoad load)
{
    Family *f = d->o->f;
    for (size_t i = 0; i < d->loads.n; i++) {
        const LoopLoad *x = &d->loads.items[i];
        if (x->from == load.from && x->place == load.place && x->step == load.step &&
            x->first == load.first && x->increment == load.increment)
            return node_symbol(d->g, tape_symbol(TAPE_AT, (uint32_t)i));
    }
    if (!vec_push(f->alloc, &d->loads, load)) {
        order_no_room(f);
        return NO_NODE;
    }
    return node_symbol(d->g, tape_symbol(TAPE_AT, (uint32_t)d->loads.n - 1));
}

/* the value that a piece of the draft has for the element that a leaf reads in the same turn;
 * NO_NODE: it is read from the record */
static Node value_in_draft(const LoopDraft *d, const Piece *p, const LeafForm *l)
{
    const Family *f = d->o->f;
    for (size_t i = 0; i < d->values.n; i++) {
        const Piece *q = &f->pieces.items[d->pieces.items[i]];
        if (q->series != l->series)
            continue;
        if (is_point(p) ? is_point(q) && (double)q->first == leaf_at(l, 0, (double)p->first)
                        : l->p == 1 && l->q.a == 0 && !is_point(q))
            return d->values.items[i];
    }
    return NO_NODE;
}

/* a number, what the block is told, a value of the same turn, or a place of the record */
static Node leaf_node(LoopDraft *d, const Piece *p, const LeafForm *l)
{
    const Family *f = d->o->f;
    long first = d->down ? p->last : p->first;
    double step = is_point(p) ? 0 : d->down ? -l->p : l->p;
    if (l->kind == LEAF_CALL)
        return load_node(d, (LoopLoad){.from = LOOP_CALL, .place = l->series});
    if (l->kind == LEAF_NUMBER && step == 0)
        return node_constant(d->g, leaf_at(l, 0, (double)first));
    if (l->kind == LEAF_NUMBER)
        return load_node(d, (LoopLoad){.from = LOOP_NUMBER,
                                       .first = leaf_at(l, 0, (double)first),
                                       .increment = step});
    Node value = value_in_draft(d, p, l);
    if (value)
        return value;
    return load_node(
        d, (LoopLoad){.from = LOOP_RECORD,
                      .place = element_place(f, l->series, (long)leaf_at(l, 0, (double)first)),
                      .step = (int32_t)step});
}

/* the operations of a piece */
static Node body_node(LoopDraft *d, const Piece *p, int32_t root, Node *done)
{
    const Body *b = p->body;
    if (is_leaf(root))
        return leaf_node(d, p, &p->forms[leaf_of(root)]);
    for (size_t i = 0; i < b->nstep; i++) {
        const int32_t from[] = {b->steps[i].a, b->steps[i].b, b->steps[i].c};
        Node x[3] = {NO_NODE, NO_NODE, NO_NODE};
        for (int k = 0; k < 3; k++)
            if (is_leaf(from[k]))
                x[k] = leaf_node(d, p, &p->forms[leaf_of(from[k])]);
            else if (from[k] != NO_OPERAND)
                x[k] = done[from[k]];
        done[i] = b->steps[i].kind == NODE_CALL
                      ? node_call(d->g, b->steps[i].function, x[0], x[1])
                      : node_make(d->g, (NodeKind)b->steps[i].kind, x[0], x[1], x[2]);
    }
    return done[root];
}

static Node piece_node(LoopDraft *d, const Piece *p, int32_t root)
{
    Node *done = arena_zeroed(&d->o->f->arena, (p->body->nstep + 1) * sizeof *done);
    if (!done) {
        order_no_room(d->o->f);
        return NO_NODE;
    }
    return body_node(d, p, root, done);
}

/* Is a value read by others than the pieces of the draft in the same turn? */
static bool is_read_outside(const LoopDraft *d, uint32_t i)
{
    const PieceOrder *o = d->o;
    const Family *f = o->f;
    if (!d->lean || f->series.items[f->pieces.items[i].series].kind != SERIES_OBSERVABLE)
        return true;
    for (uint32_t p = 0; p < f->pieces.n; p++)
        for (uint32_t k = o->begin.items[p]; k < o->begin.items[p + 1]; k++) {
            const PieceEdge *e = &o->edges.items[k];
            bool same_turn =
                d->in_draft.items[p] && (is_point(&f->pieces.items[p]) || e->distance == 0);
            if (e->to == i && f->pieces.items[p].is_needed && !same_turn)
                return true;
        }
    return false;
}

/* writes the loop and begins a new one */
static bool finish_loop(LoopDraft *d)
{
    Family *f = d->o->f;
    VEC(LoopStore) stores = {0};
    NodeList outputs = {0};
    if (!d->pieces.n)
        return true;
    const Piece *first = &f->pieces.items[d->pieces.items[0]];
    Loop loop = {.kind = d->kind, .n = (uint32_t)(first->last - first->first + 1)};
    bool good = true;
    for (size_t i = 0; i < d->pieces.n && good; i++) {
        const Piece *p = &f->pieces.items[d->pieces.items[i]];
        LoopStore store = {.place = element_place(f, p->series, d->down ? p->last : p->first),
                           .step = is_point(p) ? 0
                                   : d->down   ? -1
                                               : 1};
        if (is_read_outside(d, d->pieces.items[i]) || d->kind == LOOP_SWEEP)
            good = vec_push(f->alloc, &stores, store) &&
                   vec_push(f->alloc, &outputs, d->values.items[i]);
    }
    TapeStatus status = good && !d->g->failed
                            ? loop_add(d->code, d->g, loop, d->loads.items, d->loads.n,
                                       stores.items, outputs.items, outputs.n)
                            : TAPE_NO_MEMORY;
    vec_drop(f->alloc, &stores);
    vec_drop(f->alloc, &outputs);
    for (size_t i = 0; i < d->pieces.n; i++)
        d->in_draft.items[d->pieces.items[i]] = 0;
    d->pieces.n = d->values.n = d->loads.n = 0;
    d->kind = LOOP_LANES;
    d->down = false;
    graph_drop(d->g);
    graph_init(d->g, f->alloc);
    if (status == TAPE_TOO_LARGE)
        return family_refuse(f, "a loop has too many values");
    return status == TAPE_DONE || order_no_room(f);
}

static bool join_loop(LoopDraft *d, uint32_t i)
{
    Family *f = d->o->f;
    Node value = piece_node(d, &f->pieces.items[i], f->pieces.items[i].body->root);
    d->in_draft.items[i] = 1;
    return (value && vec_push(f->alloc, &d->pieces, i) && vec_push(f->alloc, &d->values, value)) ||
           order_no_room(f);
}

/* may a piece be computed in the turns of the draft? */
static bool fits_draft(const LoopDraft *d, uint32_t i)
{
    const PieceOrder *o = d->o;
    const Family *f = o->f;
    const Piece *p = &f->pieces.items[i];
    if (!d->pieces.n || p->kind == PIECE_FOLD)
        return !d->pieces.n;
    const Piece *q = &f->pieces.items[d->pieces.items[0]];
    if (is_point(p) != is_point(q) || d->pieces.n >= (is_point(p) ? MAX_POINTS : MAX_JOINED))
        return false;
    if (is_point(p))
        return true;
    if (p->first != q->first || p->last != q->last)
        return false;
    for (uint32_t k = o->begin.items[i]; k < o->begin.items[i + 1]; k++)
        if (d->in_draft.items[o->edges.items[k].to] && o->edges.items[k].distance != 0)
            return false;
    return true;
}

/* a sum: its first value is there */
static bool write_fold(LoopDraft *d, const Piece *p)
{
    Family *f = d->o->f;
    Loop loop = {.kind = LOOP_FOLD, .fold = p->fold, .n = (uint32_t)(p->last - p->first + 1)};
    Node values[2] = {piece_node(d, p, p->body->root), NO_NODE};
    size_t n = 1;
    if (p->body->second != NO_OPERAND)
        values[n++] = piece_node(d, p, p->body->second);
    const LoopStore store = {.place = element_place(f, p->series, 1)}, stores[] = {store, store};
    TapeStatus status =
        !values[0] || d->g->failed || f->failed
            ? TAPE_NO_MEMORY
            : loop_add(d->code, d->g, loop, d->loads.items, d->loads.n, stores, values, n);
    d->loads.n = 0;
    graph_drop(d->g);
    graph_init(d->g, f->alloc);
    if (status == TAPE_TOO_LARGE)
        return family_refuse(f, "a sum has too many values");
    return status == TAPE_DONE || order_no_room(f);
}

/* one component: a piece, or a circle of them */
static bool write_component(LoopDraft *d, uint32_t *pieces, size_t n)
{
    PieceOrder *o = d->o;
    if (n == 1 && !reads_itself(o, pieces[0])) {
        const Piece *p = &o->f->pieces.items[pieces[0]];
        if (p->kind == PIECE_FOLD)
            return finish_loop(d) && write_fold(d, p);
        return (fits_draft(d, pieces[0]) || finish_loop(d)) && join_loop(d, pieces[0]);
    }
    bool up = true;
    if (!finish_loop(d) || !order_circle(o, pieces, n, &up))
        return false;
    d->kind = LOOP_SWEEP;
    d->down = !up;
    for (size_t i = 0; i < n; i++)
        if (!join_loop(d, pieces[i]))
            return false;
    return finish_loop(d);
}

/* ------------------------------------------------------------------ order of the loops */

/* what derivatives need, and what is made of parameters alone */
static void mark_pieces(PieceOrder *o)
{
    Family *f = o->f;
    for (size_t i = 0; i < o->sorted.n; i++) { /* what is read comes first */
        Piece *p = &f->pieces.items[o->sorted.items[i]];
        SeriesKind kind = f->series.items[p->series].kind;
        p->is_constant =
            f->program == BLOCK_EXPLICIT && (kind == SERIES_OBSERVABLE || kind == SERIES_HIDDEN);
        p->is_needed = kind != SERIES_OBSERVABLE && kind != SERIES_HIDDEN;
        for (size_t k = 0; k < p->body->nleaf; k++)
            if (p->forms[k].kind == LEAF_CALL ||
                (p->forms[k].kind == LEAF_ELEMENT &&
                 f->series.items[p->forms[k].series].kind != SERIES_PARAMETER &&
                 !family_sets(f, &f->series.items[p->forms[k].series]) &&
                 f->series.items[p->forms[k].series].kind != SERIES_HIDDEN))
                p->is_constant = false;
        for (uint32_t k = o->begin.items[o->sorted.items[i]];
             k < o->begin.items[o->sorted.items[i] + 1]; k++) {
            const Piece *q = &f->pieces.items[o->edges.items[k].to];
            if (q != p &&
                o->component.items[o->edges.items[k].to] != o->component.items[o->sorted.items[i]])
                p->is_constant &= q->is_constant;
        }
    }
    for (size_t i = o->sorted.n; i-- > 0;) { /* a circle needs two rounds at most */
        uint32_t at = o->sorted.items[i];
        for (uint32_t k = o->begin.items[at]; k < o->begin.items[at + 1]; k++)
            f->pieces.items[o->edges.items[k].to].is_needed |= f->pieces.items[at].is_needed;
    }
    for (size_t i = 0, end; i < o->sorted.n; i = end) { /* circles are one */
        bool constant = true, needed = false;
        for (end = i; end < o->sorted.n && o->component.items[o->sorted.items[end]] ==
                                               o->component.items[o->sorted.items[i]];
             end++) {
            constant &= f->pieces.items[o->sorted.items[end]].is_constant;
            needed |= f->pieces.items[o->sorted.items[end]].is_needed;
        }
        for (size_t k = i; k < end; k++) {
            f->pieces.items[o->sorted.items[k]].is_constant = constant;
            f->pieces.items[o->sorted.items[k]].is_needed = needed;
        }
    }
}

/* cuts the ends of circles until runs of a circle have the same elements */
static bool settle_circles(PieceOrder *o)
{
    enum { MAX_ROUNDS = 8 };
    for (int round = 0; round < MAX_ROUNDS; round++) {
        bool cut = false;
        order_drop(o);
        if (!sort_pieces(o))
            return false;
        for (size_t i = 0, end; i < o->sorted.n; i = end) {
            for (end = i + 1; end < o->sorted.n && o->component.items[o->sorted.items[end]] ==
                                                       o->component.items[o->sorted.items[i]];)
                end++;
            if (end > i + 1 && !cut_circle(o, &o->sorted.items[i], end - i, &cut))
                return false;
        }
        if (!cut)
            return true;
    }
    return family_refuse(o->f, "loops that depend on each other have different ends");
}

/* a component of the order that can be written next */
typedef struct OrderUnit {
    uint32_t first, n; /* in `sorted` */
    bool done;
} OrderUnit;

/* does everything that a unit reads stand before it? */
static bool unit_is_ready(const PieceOrder *o, const OrderUnit *u, const uint8_t *written)
{
    for (uint32_t i = u->first; i < u->first + u->n; i++) {
        uint32_t p = o->sorted.items[i];
        for (uint32_t k = o->begin.items[p]; k < o->begin.items[p + 1]; k++) {
            uint32_t to = o->edges.items[k].to;
            if (!written[to] && o->component.items[to] != o->component.items[p])
                return false;
        }
    }
    return true;
}

/* Writes what is ready, first of all what fits the loop at hand. */
static bool write_units(LoopDraft *d, OrderUnit *units, size_t n, uint8_t *written)
{
    PieceOrder *o = d->o;
    for (size_t left = n, from = 0; left > 0; left--) {
        size_t found = n;
        for (size_t i = from; i < n; i++) {
            if (units[i].done || !unit_is_ready(o, &units[i], written))
                continue;
            uint32_t p = o->sorted.items[units[i].first];
            bool fits = d->pieces.n && units[i].n == 1 && !reads_itself(o, p) && fits_draft(d, p);
            if (fits || found == n)
                found = i;
            if (fits)
                break;
        }
        if (found == n)
            return family_refuse(o->f, "the order of its loops is not known");
        OrderUnit *u = &units[found];
        if (!write_component(d, &o->sorted.items[u->first], u->n))
            return false;
        u->done = true;
        for (uint32_t i = u->first; i < u->first + u->n; i++)
            written[o->sorted.items[i]] = 1;
        while (from < n && units[from].done)
            from++;
    }
    return true;
}

/* all units of a part of the program */
static bool write_part(LoopDraft *d, FamilyPart part)
{
    PieceOrder *o = d->o;
    Family *f = o->f;
    VEC(OrderUnit) units = {0};
    VEC(uint8_t) written = {0};
    bool good = vec_resize(f->alloc, &written, f->pieces.n + 1) &&
                vec_resize(f->alloc, &d->in_draft, f->pieces.n + 1);
    for (size_t i = 0, end; i < o->sorted.n && good; i = end) {
        uint32_t at = o->sorted.items[i];
        for (end = i + 1; end < o->sorted.n &&
                          o->component.items[o->sorted.items[end]] == o->component.items[at];)
            end++;
        const Piece *p = &f->pieces.items[at];
        bool wanted = p->is_constant == (part == PART_CONSTANT) && (!d->lean || p->is_needed);
        for (size_t k = i; k < end && !wanted; k++)
            written.items[o->sorted.items[k]] = 1;
        if (wanted)
            good = vec_push(f->alloc, &units,
                            (OrderUnit){.first = (uint32_t)i, .n = (uint32_t)(end - i)});
    }
    if (!good)
        order_no_room(f);
    good = good && write_units(d, units.items, units.n, written.items) && finish_loop(d);
    vec_drop(f->alloc, &units);
    vec_drop(f->alloc, &written);
    return good;
}

/* new values to where the block has read the old ones */
static bool write_shadows(LoopDraft *d)
{
    Family *f = d->o->f;
    for (size_t i = 0; i < f->nnamed; i++) {
        const MemberSeries *s = &f->series.items[i];
        if (s->kind != SERIES_SHADOW || !s->is_used || !family_sets(f, s))
            continue;
        Node value = load_node(d, (LoopLoad){.from = LOOP_RECORD, .place = s->place, .step = 1});
        const LoopStore store = {.place = f->series.items[s->of].place, .step = 1};
        Loop loop = {.kind = LOOP_LANES, .n = s->count};
        TapeStatus status =
            value ? loop_add(d->code, d->g, loop, d->loads.items, d->loads.n, &store, &value, 1)
                  : TAPE_NO_MEMORY;
        d->loads.n = 0;
        graph_drop(d->g);
        graph_init(d->g, f->alloc);
        if (status != TAPE_DONE)
            return order_no_room(f);
    }
    return true;
}

bool family_write(Family *f, FamilyPart part, bool lean, LoopCode *code)
{
    PieceOrder o = {.f = f};
    Graph graph;
    graph_init(&graph, f->alloc);
    LoopDraft d = {.o = &o, .code = code, .lean = lean, .g = &graph};
    bool good = settle_circles(&o);
    if (good) {
        mark_pieces(&o);
        good = write_part(&d, part) && (part == PART_CONSTANT || write_shadows(&d));
    }
    order_drop(&o);
    graph_drop(&graph);
    vec_drop(f->alloc, &d.pieces);
    vec_drop(f->alloc, &d.values);
    vec_drop(f->alloc, &d.loads);
    vec_drop(f->alloc, &d.in_draft);
    return good && family_good(f);
}
