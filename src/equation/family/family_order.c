/* family_order.c - pieces at one size, and what they depend on. See family.h.
 *
 * A piece depends on the pieces that set what it reads. Pieces that depend on each other in a
 * circle are one sweep, if all of them go over the same elements and read at distances that some
 * order of turns leaves behind: rows up or down, and in a row to the right or to the left. Runs of
 * a chain that was cut at its ends by different numbers of elements are cut to what they have in
 * common first. All else is lanes.
 */
#include "equation/family/family_order.h"

enum { MAX_PIECES = 20000 };

static bool order_no_room(Family *f)
{
    f->failed = true;
    return false;
}

/* ------------------------------------------------------------------ at one size */

/* coordinate d of the element that a leaf reads in a turn, or a number */
double family_leaf_at(const LeafForm *l, int d, Element turn)
{
    return l->p[d][ROW] * (double)turn.at[ROW] + l->p[d][COLUMN] * (double)turn.at[COLUMN] +
           l->q[d].a;
}

/* the elements that a leaf reads over a piece */
static void leaf_range(const Piece *p, const LeafForm *l, Element *low, Element *high)
{
    for (int d = 0; d < DIRECTIONS; d++) {
        double a = l->q[d].a, b = a;
        for (int t = 0; t < DIRECTIONS; t++) {
            double x = l->p[d][t] * (double)p->first.at[t], y = l->p[d][t] * (double)p->last.at[t];
            a += x < y ? x : y;
            b += x < y ? y : x;
        }
        low->at[d] = (long)a;
        high->at[d] = (long)b;
    }
}

/* the element that a piece sets in a turn */
Element family_element(const Piece *p, Element turn)
{
    Element e = turn;
    if (p->axis == ROW)
        e = (Element){{turn.at[COLUMN], turn.at[ROW]}};
    return p->kind == PIECE_FOLD ? (Element){{1, p->sum ? p->sum : turn.at[ROW]}} : e;
}

/* the box of a piece, and its turns: those of a column move on by COLUMN as those of a row do */
static bool place_box(Family *f, Piece *p, double n)
{
    p->ndir = 0;
    p->axis = COLUMN;
    for (int d = 0; d < DIRECTIONS; d++) {
        p->first.at[d] = (long)form_at(p->from[d], n);
        p->last.at[d] = (long)form_at(p->to[d], n);
        if (p->first.at[d] > p->last.at[d])
            return family_refuse(f, "the size is too small");
        p->ndir += p->first.at[d] < p->last.at[d];
    }
    if (p->ndir == 1 && p->first.at[ROW] < p->last.at[ROW] && p->kind != PIECE_FOLD) {
        p->axis = ROW;
        p->first = family_element(p, p->first);
        p->last = family_element(p, p->last);
    }
    return true;
}

/* Puts the size in: forms become those of turns, with q.b = 0. What is read has to be there. */
bool family_place_pieces(Family *f, long n)
{
    for (size_t i = 0; i < f->pieces.n; i++) {
        Piece *p = &f->pieces.items[i];
        LeafForm *forms = arena_zeroed(&f->arena, (p->body->nleaf + 1) * sizeof *forms);
        if (!forms)
            return order_no_room(f);
        if (!place_box(f, p, (double)n))
            return false;
        for (size_t k = 0; k < p->body->nleaf; k++) {
            const LeafForm *form = &p->forms[k];
            forms[k] = *form;
            for (int d = 0; d < DIRECTIONS; d++) {
                forms[k].q[d] = (SizeForm){.a = form_at(form->q[d], (double)n)};
                forms[k].p[d][COLUMN] = form->p[d][p->axis];
                forms[k].p[d][ROW] = form->p[d][p->axis == ROW ? COLUMN : ROW];
            }
            if (form->kind != LEAF_ELEMENT)
                continue;
            const MemberSeries *s = &f->series.items[form->series];
            Element low, high;
            leaf_range(p, &forms[k], &low, &high);
            for (int d = 0; d < DIRECTIONS; d++)
                if (low.at[d] < s->first.at[d] || high.at[d] > (long)form_at(s->last[d], (double)n))
                    return family_refuse(f, "a subscript of '%s' leaves its array",
                                         s->member.name ? s->member.name : "a sum");
        }
        p->forms = forms;
    }
    return true;
}

/* ------------------------------------------------------------------ what depends on what */

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

/* Does a leaf of p read in each turn what q sets as many turns before or behind it? */
bool family_distance(const Piece *p, const LeafForm *l, const Piece *q, Element *distance)
{
    if (p->kind != PIECE_RUN || q->kind != PIECE_RUN || p->ndir != q->ndir || !p->ndir)
        return false;
    for (int t = 0; t < DIRECTIONS; t++) { /* turns of q */
        int d = t == COLUMN ? q->axis : 1 - q->axis, other = 1 - t;
        bool moves = t == COLUMN || p->ndir == DIRECTIONS;
        if (moves && (l->p[d][t] != 1 || (p->ndir == DIRECTIONS && l->p[d][other] != 0)))
            return false;
        double at = family_leaf_at(l, d, p->first);
        if (!moves && (l->p[d][other] != 0 || at != (double)q->first.at[t]))
            return false;
        distance->at[t] = moves ? (long)at - p->first.at[t] : 0;
    }
    return true;
}

/* do the elements from low to high and those that a piece sets overlap? */
static bool sets_some(const Piece *q, Element low, Element high)
{
    const Element first = family_element(q, q->first), last = family_element(q, q->last);
    bool some = true;
    for (int d = 0; d < DIRECTIONS; d++)
        some &= first.at[d] <= high.at[d] && last.at[d] >= low.at[d];
    return some;
}

/* the pieces that set what a leaf reads */
static bool add_edges(PieceOrder *o, const Piece *p, const LeafForm *l)
{
    Family *f = o->f;
    Element low, high;
    if (l->kind != LEAF_ELEMENT)
        return true;
    leaf_range(p, l, &low, &high);
    for (uint32_t k = o->first_of.items[l->series]; k < o->first_of.items[l->series + 1]; k++) {
        const Piece *q = &f->pieces.items[o->by_series.items[k]];
        PieceEdge e = {.to = o->by_series.items[k]};
        if (!sets_some(q, low, high))
            continue;
        e.is_shift = family_distance(p, l, q, &e.distance);
        if (!vec_push(f->alloc, &o->edges, e))
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
            if (f->pieces.items[o->by_series.items[k]].kind != PIECE_FOLD &&
                !vec_push(f->alloc, &o->edges, (PieceEdge){.to = o->by_series.items[k]}))
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
void family_order_drop(PieceOrder *o)
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
bool family_reads_itself(const PieceOrder *o, uint32_t i)
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
        const Piece *p = &f->pieces.items[pieces[i]], *q = &f->pieces.items[pieces[0]];
        if (p->kind == PIECE_FOLD)
            return family_refuse(f, "a sum depends on itself");
        if (p->ndir != q->ndir && (p->ndir == DIRECTIONS || q->ndir == DIRECTIONS))
            return family_refuse(f, "the elements of '%s' and an edge of it depend on each other",
                                 f->series.items[p->series].member.name);
        if (p->ndir == DIRECTIONS &&
            (p->first.at[ROW] != q->first.at[ROW] || p->last.at[ROW] != q->last.at[ROW] ||
             p->first.at[COLUMN] != q->first.at[COLUMN] ||
             p->last.at[COLUMN] != q->last.at[COLUMN]))
            return family_refuse(f, "loops that depend on each other have different lengths");
        if (p->kind != PIECE_RUN)
            continue;
        long from = p->first.at[COLUMN], to = p->last.at[COLUMN];
        first = last < 0 || from > first ? from : first;
        last = last < 0 || to < last ? to : last;
    }
    for (size_t i = 0; i < n; i++) {
        Piece p = f->pieces.items[pieces[i]];
        long from = p.first.at[COLUMN], to = p.last.at[COLUMN];
        if (p.kind != PIECE_RUN || (from == first && to == last))
            continue;
        if (first > last || first - from + to - last > MAX_CUT)
            return family_refuse(f, "loops that depend on each other have different lengths");
        for (long j = from; j <= to; j++) {
            if (j == first)
                j = last + 1;
            if (j > to)
                break;
            Piece point = p;
            point.kind = PIECE_POINT;
            point.ndir = 0;
            point.first.at[COLUMN] = point.last.at[COLUMN] = j;
            if (!vec_push(f->alloc, &f->pieces, point))
                return order_no_room(f);
        }
        f->pieces.items[pieces[i]].first.at[COLUMN] = first;
        f->pieces.items[pieces[i]].last.at[COLUMN] = last;
        *cut = true;
    }
    return true;
}

/* Is what a piece reads of its circle computed before it, if turns go down as `down` says? */
static bool is_before(const PieceEdge *e, const bool *down)
{
    for (int t = 0; t < DIRECTIONS; t++)
        if (e->distance.at[t])
            return (e->distance.at[t] > 0) == down[t];
    return true;
}

/* in which direction a circle goes; false: see family_refuse */
static bool find_direction(PieceOrder *o, const uint32_t *pieces, size_t n, bool *down)
{
    Family *f = o->f;
    bool good = false;
    for (int way = 0; way < 4 && !good; way++) {
        good = true;
        down[COLUMN] = way & 1;
        down[ROW] = way & 2;
        for (size_t i = 0; i < n; i++)
            for (uint32_t k = o->begin.items[pieces[i]]; k < o->begin.items[pieces[i] + 1]; k++) {
                const PieceEdge *e = &o->edges.items[k];
                if (o->component.items[e->to] == o->component.items[pieces[i]])
                    good &= is_before(e, down);
            }
    }
    return good || family_refuse(f, "'%s' depends on elements on both sides of it",
                                 f->series.items[f->pieces.items[pieces[0]].series].member.name);
}

/* The runs of a circle in the order of one turn: what is read at distance zero comes first. false:
 * see family_refuse */
bool family_order_circle(PieceOrder *o, uint32_t *pieces, size_t n, bool *down)
{
    Family *f = o->f;
    for (size_t i = 0; i < n; i++) {
        uint32_t p = pieces[i];
        if (f->pieces.items[p].kind != PIECE_RUN)
            return family_refuse(f, "an end of '%s' and its loop depend on each other",
                                 f->series.items[f->pieces.items[p].series].member.name);
        for (uint32_t k = o->begin.items[p]; k < o->begin.items[p + 1]; k++) {
            const PieceEdge *e = &o->edges.items[k];
            if (o->component.items[e->to] == o->component.items[p] && !e->is_shift)
                return family_refuse(f, "'%s' depends on itself in a way that is no sweep",
                                     f->series.items[f->pieces.items[p].series].member.name);
        }
    }
    if (!find_direction(o, pieces, n, down))
        return false;
    /* a piece is next when all that it reads of this turn is there */
    for (size_t done = 0; done < n; done++) {
        size_t found = n;
        for (size_t i = done; i < n && found == n; i++) {
            bool ready = true;
            for (uint32_t k = o->begin.items[pieces[i]]; k < o->begin.items[pieces[i] + 1]; k++)
                for (size_t j = done; j < n; j++)
                    ready &= o->edges.items[k].to != pieces[j] || !same_turn(&o->edges.items[k]);
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

/* cuts the ends of circles until runs of a circle have the same elements */
bool family_order_pieces(PieceOrder *o)
{
    enum { MAX_ROUNDS = 8 };
    for (int round = 0; round < MAX_ROUNDS; round++) {
        bool cut = false;
        family_order_drop(o);
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
