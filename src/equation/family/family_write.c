/* family_write.c - pieces as loops for one size, in the order of what they read. See family.h.
 *
 * Pieces over the same elements that read each other at distance zero become one loop, and all
 * single elements that can be computed together another. The loop of an array with two indices has
 * rows of turns.
 */
#include "equation/family/family_order.h"

#include <string.h>

enum { MAX_JOINED = 24, MAX_POINTS = 200 };

static bool write_no_room(Family *f)
{
    f->failed = true;
    return false;
}

static Element leaf_element(const LeafForm *l, Element turn)
{
    return (Element){{(long)family_leaf_at(l, ROW, turn), (long)family_leaf_at(l, COLUMN, turn)}};
}

/* ------------------------------------------------------------------ writing loops */

/* a system of the family in the graph of a draft */
typedef struct DraftSystem {
    uint32_t system, number;
} DraftSystem;

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
    bool down[DIRECTIONS];
    VEC(DraftSystem) systems; /* in the graph */
} LoopDraft;

/* an empty graph, for the next loop */
static void begin_graph(LoopDraft *d)
{
    graph_drop(d->g);
    graph_init(d->g, d->o->f->alloc);
    d->systems.n = 0;
}

static bool is_point(const Piece *p)
{
    return p->ndir == 0 && p->kind != PIECE_FOLD;
}

static uint32_t element_place(const Family *f, uint32_t series, Element e)
{
    const MemberSeries *s = &f->series.items[series];
    uint32_t k = (uint32_t)(e.at[ROW] - s->first.at[ROW]) * s->columns +
                 (uint32_t)(e.at[COLUMN] - s->first.at[COLUMN]);
    return s->place + k * (s->stride ? s->stride : 1);
}

/* the turn that comes first, and the one after it in a direction; the same if there is none */
static Element first_turn(const LoopDraft *d, const Piece *p)
{
    return (Element){{d->down[ROW] ? p->last.at[ROW] : p->first.at[ROW],
                      d->down[COLUMN] ? p->last.at[COLUMN] : p->first.at[COLUMN]}};
}

static Element next_turn(const LoopDraft *d, const Piece *p, int direction)
{
    Element turn = first_turn(d, p);
    if (p->first.at[direction] < p->last.at[direction])
        turn.at[direction] += d->down[direction] ? -1 : 1;
    return turn;
}

/* the symbol of something that is read; equal ones are one */
static Node load_node(LoopDraft *d, LoopLoad load)
{
    Family *f = d->o->f;
    for (size_t i = 0; i < d->loads.n; i++) {
        const LoopLoad *x = &d->loads.items[i];
        if (x->from == load.from && x->place == load.place && x->step == load.step &&
            x->leap == load.leap && x->first == load.first && x->increment == load.increment &&
            x->rise == load.rise)
            return node_symbol(d->g, tape_symbol(TAPE_AT, (uint32_t)i));
    }
    if (!vec_push(f->alloc, &d->loads, load)) {
        write_no_room(f);
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
        PieceEdge e = {0};
        if (q->series != l->series)
            continue;
        const Element read = leaf_element(l, p->first), set = family_element(q, q->first);
        e.is_shift = family_distance(p, l, q, &e.distance);
        if (is_point(p)
                ? is_point(q) && read.at[ROW] == set.at[ROW] && read.at[COLUMN] == set.at[COLUMN]
                : same_turn(&e))
            return d->values.items[i];
    }
    return NO_NODE;
}

/* a number, an input of the block, a value of the same turn, or a place of the record */
static Node leaf_node(LoopDraft *d, const Piece *p, const LeafForm *l)
{
    const Family *f = d->o->f;
    const Element first = first_turn(d, p), next = next_turn(d, p, COLUMN),
                  below = next_turn(d, p, ROW);
    if (l->kind == LEAF_CALL)
        return load_node(d, (LoopLoad){.from = LOOP_CALL, .place = l->series});
    if (l->kind == LEAF_NUMBER) {
        double x = family_leaf_at(l, COLUMN, first),
               increment = l->p[COLUMN][COLUMN] * (double)(next.at[COLUMN] - first.at[COLUMN]),
               rise = l->p[COLUMN][ROW] * (double)(below.at[ROW] - first.at[ROW]);
        if (increment == 0 && rise == 0)
            return node_constant(d->g, x);
        return load_node(
            d, (LoopLoad){.from = LOOP_NUMBER, .first = x, .increment = increment, .rise = rise});
    }
    Node value = value_in_draft(d, p, l);
    if (value)
        return value;
    uint32_t place = element_place(f, l->series, leaf_element(l, first));
    return load_node(
        d,
        (LoopLoad){.from = LOOP_RECORD,
                   .place = place,
                   .step = (int32_t)(element_place(f, l->series, leaf_element(l, next)) - place),
                   .leap = (int32_t)(element_place(f, l->series, leaf_element(l, below)) - place)});
}

/* where a piece puts its values */
static LoopStore piece_store(const LoopDraft *d, const Piece *p)
{
    const Family *f = d->o->f;
    uint32_t place[3];
    const Element turns[] = {first_turn(d, p), next_turn(d, p, COLUMN), next_turn(d, p, ROW)};
    for (int k = 0; k < 3; k++)
        place[k] = element_place(f, p->series, family_element(p, turns[k]));
    return (LoopStore){.place = place[0],
                       .step = (int32_t)(place[1] - place[0]),
                       .leap = (int32_t)(place[2] - place[0])};
}

/* a system, which other pieces of the draft may solve as well */
static Node system_node(LoopDraft *d, uint32_t system, Node list, Node right)
{
    Family *f = d->o->f;
    size_t i = 0;
    while (i < d->systems.n && d->systems.items[i].system != system)
        i++;
    if (i == d->systems.n) {
        uint32_t number = family_write_system(f, system, d->g);
        if (number == UINT32_MAX ||
            !vec_push(f->alloc, &d->systems, (DraftSystem){system, number})) {
            write_no_room(f);
            return NO_NODE;
        }
    }
    return node_make(d->g, NODE_SYSTEM, list, node_constant(d->g, d->systems.items[i].number),
                     right);
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
        if (b->steps[i].kind == NODE_SYSTEM) {
            done[i] = system_node(d, b->steps[i].system, x[0], x[2]);
            continue;
        }
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
        write_no_room(d->o->f);
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
            bool inside = d->in_draft.items[p] && (is_point(&f->pieces.items[p]) || same_turn(e));
            if (e->to == i && f->pieces.items[p].is_needed && !inside)
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
    Loop loop = {.kind = d->kind, .n = piece_turns(first, COLUMN), .rows = piece_turns(first, ROW)};
    bool good = true;
    for (size_t i = 0; i < d->pieces.n && good; i++) {
        const Piece *p = &f->pieces.items[d->pieces.items[i]];
        LoopStore store = piece_store(d, p);
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
    d->down[ROW] = d->down[COLUMN] = false;
    begin_graph(d);
    if (status == TAPE_TOO_LARGE)
        return family_refuse(f, "a loop has too many values");
    return status == TAPE_DONE || write_no_room(f);
}

static bool join_loop(LoopDraft *d, uint32_t i)
{
    Family *f = d->o->f;
    Node value = piece_node(d, &f->pieces.items[i], f->pieces.items[i].body->root);
    d->in_draft.items[i] = 1;
    return (value && vec_push(f->alloc, &d->pieces, i) && vec_push(f->alloc, &d->values, value)) ||
           write_no_room(f);
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
    if (p->ndir != q->ndir)
        return false;
    for (int t = p->ndir == DIRECTIONS ? ROW : COLUMN; t < DIRECTIONS; t++)
        if (p->first.at[t] != q->first.at[t] || p->last.at[t] != q->last.at[t])
            return false;
    for (uint32_t k = o->begin.items[i]; k < o->begin.items[i + 1]; k++)
        if (d->in_draft.items[o->edges.items[k].to] && !same_turn(&o->edges.items[k]))
            return false;
    return true;
}

/* a sum: its first value is there */
static bool write_fold(LoopDraft *d, const Piece *p)
{
    Family *f = d->o->f;
    Loop loop = {.kind = LOOP_FOLD,
                 .fold = p->fold,
                 .n = piece_turns(p, COLUMN),
                 .rows = piece_turns(p, ROW)};
    Node values[2] = {piece_node(d, p, p->body->root), NO_NODE};
    size_t n = 1;
    if (p->body->second != NO_OPERAND)
        values[n++] = piece_node(d, p, p->body->second);
    const LoopStore store = piece_store(d, p), stores[] = {store, store};
    TapeStatus status =
        !values[0] || d->g->failed || f->failed
            ? TAPE_NO_MEMORY
            : loop_add(d->code, d->g, loop, d->loads.items, d->loads.n, stores, values, n);
    d->loads.n = 0;
    begin_graph(d);
    if (status == TAPE_TOO_LARGE)
        return family_refuse(f, "a sum has too many values");
    return status == TAPE_DONE || write_no_room(f);
}

/* one component: a piece, or a circle of them */
static bool write_component(LoopDraft *d, uint32_t *pieces, size_t n)
{
    PieceOrder *o = d->o;
    if (n == 1 && !family_reads_itself(o, pieces[0])) {
        const Piece *p = &o->f->pieces.items[pieces[0]];
        if (p->kind == PIECE_FOLD)
            return finish_loop(d) && write_fold(d, p);
        return (fits_draft(d, pieces[0]) || finish_loop(d)) && join_loop(d, pieces[0]);
    }
    bool down[DIRECTIONS];
    if (!finish_loop(d) || !family_order_circle(o, pieces, n, down))
        return false;
    d->kind = LOOP_SWEEP;
    memcpy(d->down, down, sizeof down);
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
            bool fits =
                d->pieces.n && units[i].n == 1 && !family_reads_itself(o, p) && fits_draft(d, p);
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
        write_no_room(f);
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
        Loop loop = {.kind = LOOP_LANES, .n = s->count, .rows = 1};
        TapeStatus status =
            value ? loop_add(d->code, d->g, loop, d->loads.items, d->loads.n, &store, &value, 1)
                  : TAPE_NO_MEMORY;
        d->loads.n = 0;
        begin_graph(d);
        if (status != TAPE_DONE)
            return write_no_room(f);
    }
    return true;
}

bool family_write(Family *f, FamilyPart part, bool lean, LoopCode *code)
{
    PieceOrder o = {.f = f};
    Graph graph;
    graph_init(&graph, f->alloc);
    LoopDraft d = {.o = &o, .code = code, .lean = lean, .g = &graph};
    bool good = family_order_pieces(&o);
    if (good) {
        mark_pieces(&o);
        good = write_part(&d, part) && (part == PART_CONSTANT || write_shadows(&d));
    }
    family_order_drop(&o);
    graph_drop(&graph);
    vec_drop(f->alloc, &d.pieces);
    vec_drop(f->alloc, &d.values);
    vec_drop(f->alloc, &d.loads);
    vec_drop(f->alloc, &d.in_draft);
    vec_drop(f->alloc, &d.systems);
    return good && family_good(f);
}
