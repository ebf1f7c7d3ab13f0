/* family_fit.c - bodies of the elements of a series as pieces that hold for every size. See
 * family.h.
 *
 * Of each array the element in the middle is where the run begins; it is extended to both sides as
 * far as operations are the same and leaves move on by the same steps. What is left are points,
 * counted from the ends. Two sizes give the positions as a + b n, the others have to agree.
 *
 * An array with two indices has a run in each row; rows around the one in the middle whose bodies
 * move on by the same steps are a block, so that its run is a box and what is beside the run is a
 * column. Other rows are fitted alone, counted from the ends.
 */
#include "equation/family/family_work.h"

#include <stdio.h>
#include <string.h>

static bool fit_no_room(Family *f)
{
    f->failed = true;
    return false;
}

/* the bodies of a series row by row, or the terms of sums, for all sizes */
typedef struct FitGrid {
    uint32_t series;
    const char *name;
    const Body *bodies[FAMILY_SIZES];
    Element first; /* coordinates of the first body */
    long rows[FAMILY_SIZES], columns[FAMILY_SIZES];
    bool grows;
    bool is_fold;
    LoopFold fold;
    long sum;
} FitGrid;

/* where the run of a row lies, by number from 0 */
typedef struct FitRun {
    long low, high;
} FitRun;

/* rows that follow each other, and the run of each row */
typedef struct FitBlock {
    long top, bottom;
    FitRun *runs;
} FitBlock;

static const Body *body_at(const FitGrid *g, int size, long row, long column)
{
    return &g->bodies[size][row * g->columns[size] + column];
}

static FitRun find_run(const Body *b, long n)
{
    long mid = n / 2;
    FitRun r = {mid, mid};
    while (r.high + 1 < n &&
           body_follows(r.high > r.low ? &b[r.high - 1] : NULL, &b[r.high], &b[r.high + 1]))
        r.high++;
    while (r.low > 0 && r.high > r.low && body_follows(&b[r.low + 1], &b[r.low], &b[r.low - 1]))
        r.low--;
    return r;
}

/* Is row y what comes next to row x, after `before` or as the second of a block (-1)? The bodies of
 * its run move on by the same steps, others each by its own. */
static bool row_follows(const FitGrid *g, const FitBlock *b, int size, long before, long x, long y)
{
    const FitRun *p = &b->runs[x], *q = &b->runs[y];
    if (p->low != q->low || p->high != q->high)
        return false;
    for (long k = 0; k < g->columns[size]; k++)
        if (!body_follows(before < 0 ? NULL : body_at(g, size, before, k), body_at(g, size, x, k),
                          body_at(g, size, y, k)))
            return false;
    const Body *from = body_at(g, size, x, p->low), *to = body_at(g, size, y, p->low);
    for (long k = p->low + 1; k <= p->high; k++)
        for (size_t i = 0; i < from->nleaf; i++)
            for (int d = 0; d < DIRECTIONS; d++)
                if (body_at(g, size, y, k)->leaves[i].value[d] -
                        body_at(g, size, x, k)->leaves[i].value[d] !=
                    to->leaves[i].value[d] - from->leaves[i].value[d])
                    return false;
    return true;
}

/* what a leaf reads, for a message */
static void leaf_text(const Family *f, const Leaf *leaf, char *text, size_t size)
{
    if (leaf->kind == LEAF_NUMBER)
        snprintf(text, size, "the number %g", leaf->value[COLUMN]);
    else if (leaf->series < f->nnamed)
        snprintf(text, size, "the subscript of '%.80s'", f->series.items[leaf->series].name + 1);
    else
        snprintf(text, size, "a sum");
}

/* says why the bodies of a row around the one in the middle are no run: what differs beyond it */
static bool refuse_row(Family *f, const FitGrid *g, int size, long row, FitRun run)
{
    long k = run.high + 1 < g->columns[size] ? run.high : run.low - 1;
    const Body *x = body_at(g, size, row, k > 0 ? k : 0);
    char text[120];
    if (k < 1 || k + 1 >= g->columns[size] || !body_is_like(x, x + 1))
        return family_refuse(f, "the equations of '%s' do not have the same form for its elements",
                             g->name);
    for (size_t i = 0; i < x->nleaf; i++)
        for (int d = 0; d < DIRECTIONS; d++)
            if (x[1].leaves[i].value[d] - x->leaves[i].value[d] !=
                x->leaves[i].value[d] - x[-1].leaves[i].value[d]) {
                leaf_text(f, &x->leaves[i], text, sizeof text);
                return family_refuse(
                    f, "%s in the equations of '%s' does not go on evenly from element to element",
                    text, g->name);
            }
    return family_refuse(f, "the equations of '%s' are not the same for its elements", g->name);
}

/* the run of each row, and the rows around the one in the middle that follow each other */
static bool find_block(Family *f, const FitGrid *g, int size, FitBlock *b)
{
    long n = g->rows[size];
    b->top = b->bottom = n / 2;
    b->runs = arena_zeroed(&f->arena, (size_t)n * sizeof *b->runs);
    if (!b->runs)
        return fit_no_room(f);
    for (long k = 0; k < n; k++) {
        b->runs[k] = find_run(body_at(g, size, k, 0), g->columns[size]);
        if (b->runs[k].high - b->runs[k].low < 2)
            return refuse_row(f, g, size, k, b->runs[k]);
    }
    while (b->bottom + 1 < n && row_follows(g, b, size, b->bottom > b->top ? b->bottom - 1 : -1,
                                            b->bottom, b->bottom + 1))
        b->bottom++;
    while (b->top > 0 && b->bottom > b->top &&
           row_follows(g, b, size, b->top + 1, b->top, b->top - 1))
        b->top--;
    if (n != g->rows[0] && b->bottom - b->top < 2)
        return family_refuse(f, "the equations of '%s' are not the same for its rows", g->name);
    return true;
}

/* a line through the values at the first two sizes; the others must lie on it */
static bool fit_line(const Family *f, const double *values, SizeForm *to)
{
    double n0 = (double)f->sizes[0].n, n1 = (double)f->sizes[1].n;
    to->b = (values[1] - values[0]) / (n1 - n0);
    to->a = values[0] - to->b * n0;
    for (int s = 0; s < FAMILY_SIZES; s++)
        if (form_at(*to, (double)f->sizes[s].n) != values[s])
            return false;
    return true;
}

/* The leaves of corresponding bodies, which stand at the corners of boxes; they have the steps of
 * the forms. */
static bool fit_leaves(Family *f, const Body *const *bodies, const Element *corner, LeafForm *forms)
{
    for (size_t i = 0; i < bodies[0]->nleaf; i++) {
        const Leaf *leaf = &bodies[0]->leaves[i];
        LeafForm *form = &forms[i];
        form->kind = leaf->kind;
        form->series = leaf->series;
        for (int d = 0; d < DIRECTIONS; d++) {
            double q[FAMILY_SIZES];
            const double *p = form->p[d];
            for (int s = 0; s < FAMILY_SIZES; s++)
                q[s] = bodies[s]->leaves[i].value[d] - p[ROW] * (double)corner[s].at[ROW] -
                       p[COLUMN] * (double)corner[s].at[COLUMN];
            if (!fit_line(f, q, &form->q[d]))
                return family_refuse(f, "a number or subscript does not follow the size evenly");
        }
    }
    return true;
}

/* the steps of leaves from a body to its neighbour in one direction */
static bool fit_steps(Family *f, const FitGrid *g, const Element *low, int direction,
                      LeafForm *forms)
{
    for (int s = 0; s < FAMILY_SIZES; s++) {
        const Body *from = body_at(g, s, low[s].at[ROW], low[s].at[COLUMN]),
                   *to = body_at(g, s, low[s].at[ROW] + (direction == ROW),
                                 low[s].at[COLUMN] + (direction == COLUMN));
        for (size_t i = 0; i < from->nleaf; i++)
            for (int d = 0; d < DIRECTIONS; d++) {
                double step = to->leaves[i].value[d] - from->leaves[i].value[d];
                if (s == 0)
                    forms[i].p[d][direction] = step;
                else if (forms[i].p[d][direction] != step)
                    return family_refuse(f, "subscripts of '%s' differ from size to size", g->name);
            }
    }
    return true;
}

/* one piece: the bodies of a box, by number from 0 */
static bool fit_box(Family *f, const FitGrid *g, const Element *low, const Element *high)
{
    const Body *bodies[FAMILY_SIZES];
    Element corner[FAMILY_SIZES];
    for (int s = 0; s < FAMILY_SIZES; s++)
        bodies[s] = body_at(g, s, low[s].at[ROW], low[s].at[COLUMN]);
    Piece piece = {.kind = g->is_fold ? PIECE_FOLD : PIECE_POINT,
                   .fold = g->fold,
                   .sum = g->sum,
                   .series = g->series,
                   .body = bodies[0]};
    for (int s = 1; s < FAMILY_SIZES; s++)
        if (!body_follows(NULL, bodies[0], bodies[s]))
            return family_refuse(f, "the equations of '%s' differ from size to size", g->name);
    LeafForm *forms = arena_zeroed(&f->arena, (bodies[0]->nleaf + 1) * sizeof *forms);
    if (!forms)
        return fit_no_room(f);
    for (int d = 0; d < DIRECTIONS; d++) {
        double from[FAMILY_SIZES], to[FAMILY_SIZES];
        for (int s = 0; s < FAMILY_SIZES; s++) {
            corner[s].at[d] = g->first.at[d] + low[s].at[d];
            from[s] = (double)corner[s].at[d];
            to[s] = (double)(g->first.at[d] + high[s].at[d]);
        }
        if (!fit_line(f, from, &piece.from[d]) || !fit_line(f, to, &piece.to[d]))
            return family_refuse(f, "the ends of '%s' differ from size to size", g->name);
        if (low[0].at[d] == high[0].at[d])
            continue;
        piece.kind = g->is_fold ? PIECE_FOLD : PIECE_RUN;
        if (!fit_steps(f, g, low, d, forms))
            return false;
    }
    if (!fit_leaves(f, bodies, corner, forms))
        return false;
    piece.forms = forms;
    return vec_push(f->alloc, &f->pieces, piece) || fit_no_room(f);
}

/* the bodies from a row to another one, whose runs are the same: what is on the left, the run, and
 * what is on the right */
static bool fit_rows(Family *f, const FitGrid *g, const FitBlock *blocks, const long *from,
                     const long *to)
{
    Element low[FAMILY_SIZES], high[FAMILY_SIZES];
    FitRun runs[FAMILY_SIZES];
    for (int s = 0; s < FAMILY_SIZES; s++) {
        runs[s] = blocks[s].runs[from[s]];
        low[s].at[ROW] = from[s];
        high[s].at[ROW] = to[s];
        if (runs[s].low != runs[0].low ||
            g->columns[s] - runs[s].high != g->columns[0] - runs[0].high)
            return family_refuse(f, "the ends of '%s' grow with the size", g->name);
    }
    long left = runs[0].low, right = g->columns[0] - 1 - runs[0].high;
    if (g->is_fold && (left || right))
        return family_refuse(f, "the terms of a sum differ");
    for (long k = 0; k < left; k++) {
        for (int s = 0; s < FAMILY_SIZES; s++)
            low[s].at[COLUMN] = high[s].at[COLUMN] = k;
        if (!fit_box(f, g, low, high))
            return false;
    }
    for (int s = 0; s < FAMILY_SIZES; s++) {
        low[s].at[COLUMN] = runs[s].low;
        high[s].at[COLUMN] = runs[s].high;
    }
    if (!fit_box(f, g, low, high))
        return false;
    for (long k = right; k-- > 0;) {
        for (int s = 0; s < FAMILY_SIZES; s++)
            low[s].at[COLUMN] = high[s].at[COLUMN] = g->columns[s] - 1 - k;
        if (!fit_box(f, g, low, high))
            return false;
    }
    return true;
}

/* each body as a piece: arrays that do not grow */
static bool fit_points(Family *f, const FitGrid *g)
{
    Element at[FAMILY_SIZES];
    for (long row = 0; row < g->rows[0]; row++)
        for (long k = 0; k < g->columns[0]; k++) {
            for (int s = 0; s < FAMILY_SIZES; s++)
                at[s] = (Element){{row, k}};
            if (!fit_box(f, g, at, at))
                return false;
        }
    return true;
}

/* all bodies of a grid as pieces */
static bool fit_grid(Family *f, const FitGrid *g)
{
    FitBlock blocks[FAMILY_SIZES];
    long from[FAMILY_SIZES], to[FAMILY_SIZES];
    if (!g->grows)
        return fit_points(f, g);
    for (int s = 0; s < FAMILY_SIZES; s++) {
        if (!find_block(f, g, s, &blocks[s]))
            return false;
        if (blocks[s].top != blocks[0].top ||
            g->rows[s] - blocks[s].bottom != g->rows[0] - blocks[0].bottom)
            return family_refuse(f, "the ends of '%s' grow with the size", g->name);
    }
    for (long k = 0; k < blocks[0].top; k++) {
        for (int s = 0; s < FAMILY_SIZES; s++)
            from[s] = k;
        if (!fit_rows(f, g, blocks, from, from))
            return false;
    }
    for (int s = 0; s < FAMILY_SIZES; s++) {
        from[s] = blocks[s].top;
        to[s] = blocks[s].bottom;
    }
    if (!fit_rows(f, g, blocks, from, to))
        return false;
    for (long k = g->rows[0] - 1 - blocks[0].bottom; k-- > 0;) {
        for (int s = 0; s < FAMILY_SIZES; s++)
            from[s] = g->rows[s] - 1 - k;
        if (!fit_rows(f, g, blocks, from, from))
            return false;
    }
    return true;
}

/* ------------------------------------------------------------------ series and hidden values */

/* the body of the k-th element; the value of another variable is read there */
static bool read_value(Family *f, int size, uint32_t number, long k, Node node, Body *body)
{
    const MemberSeries *s = &f->series.items[number];
    const Element e = series_element(s, size, k);
    uint32_t def = node_data(&f->sizes[size].cell->graph, node)->kind > NODE_SYMBOL
                       ? f->def_of[size].items[node]
                       : 0;
    const Element at = def ? f->def_at[size].items[node] : e;
    if (!def || (def == number + 1 && at.at[ROW] == e.at[ROW] && at.at[COLUMN] == e.at[COLUMN]))
        return family_read_body(f, size, node, body);
    Leaf *leaf = arena_zeroed(&f->arena, sizeof *leaf);
    if (!leaf)
        return fit_no_room(f);
    *leaf = (Leaf){LEAF_ELEMENT, def - 1, {(double)at.at[ROW], (double)at.at[COLUMN]}};
    *body = (Body){.leaves = leaf, .nleaf = 1, .root = leaf_operand(0), .second = NO_OPERAND};
    return true;
}

/* Reads the bodies of a series; *there: something is assigned to it. */
static bool read_grid(Family *f, uint32_t number, FitGrid *g, bool *there)
{
    const MemberSeries *s = &f->series.items[number];
    *there = s->nodes[0][0] != NO_NODE;
    *g = (FitGrid){.series = number, .name = s->member.name, .first = s->first, .grows = s->grows};
    for (int size = 0; size < FAMILY_SIZES; size++) {
        long n = series_length(s, size);
        g->columns[size] = series_columns(s, size);
        g->rows[size] = n / g->columns[size];
        Body *bodies = arena_zeroed(&f->arena, (size_t)n * sizeof *bodies);
        if (!bodies)
            return fit_no_room(f);
        g->bodies[size] = bodies;
        for (long k = 0; k < n; k++) {
            Node node = s->nodes[size][k];
            if ((node != NO_NODE) != *there)
                return family_refuse(f, "some elements of '%s' have no value", g->name);
            if (node && !read_value(f, size, number, k, node, &bodies[k]))
                return false;
        }
    }
    return true;
}

/* the hidden values of a series, for one size; *n: how many */
static const Hidden **hidden_elements(Family *f, int size, uint32_t series, long *n)
{
    const HiddenList *all = &f->hidden[size];
    const Hidden **list = arena_zeroed(&f->arena, (all->n + 1) * sizeof *list);
    *n = 0;
    for (size_t i = 0; list && i < all->n; i++)
        if (all->items[i].series == series)
            list[(*n)++] = &all->items[i];
    if (!list)
        fit_no_room(f);
    return list;
}

/* the terms of a sum, or, where the sums are an array, those of all of them, a row for each */
static bool fit_fold(Family *f, FitGrid g, const Hidden **const *h, const long *count, long sum)
{
    g.is_fold = true;
    g.fold = h[0][0]->fold;
    g.sum = sum;
    g.name = "a sum";
    for (int s = 0; s < FAMILY_SIZES; s++) {
        const Hidden *x = h[s][sum ? sum - 1 : 0];
        g.columns[s] = x->width;
        g.rows[s] = sum ? x->nterm / x->width : count[s];
        g.bodies[s] = x->terms;
        if (sum)
            continue;
        if (x->width != x->nterm)
            return family_refuse(f, "each element has a sum over two directions");
        Body *all = arena_zeroed(&f->arena, (size_t)(count[s] * x->width) * sizeof *all);
        if (!all)
            return fit_no_room(f);
        for (long k = 0; k < count[s]; k++)
            memcpy(all + k * x->width, h[s][k]->terms, (size_t)x->width * sizeof *all);
        g.bodies[s] = all;
    }
    g.grows = true;
    size_t before = f->pieces.n;
    return fit_grid(f, &g) &&
           (!sum || f->pieces.n == before + 1 || family_refuse(f, "the terms of a sum differ"));
}

/* the hidden values of all sizes correspond to each other */
static bool fit_hidden(Family *f, uint32_t number)
{
    const Hidden **h[FAMILY_SIZES];
    FitGrid g = {.series = (uint32_t)f->nnamed + number, .name = "a sum", .first = {{1, 1}}};
    long count[FAMILY_SIZES];
    double last[FAMILY_SIZES];
    MemberSeries series = {
        .kind = SERIES_HIDDEN, .name = "", .first = {{1, 1}}, .last = {{.a = 1}}};
    for (int s = 0; s < FAMILY_SIZES; s++) {
        h[s] = hidden_elements(f, s, number, &count[s]);
        if (!h[s])
            return false;
        if (!count[s] || h[s][0]->is_fold != h[0][0]->is_fold || h[s][0]->fold != h[0][0]->fold)
            return family_refuse(f, "sums differ from size to size");
        g.grows |= count[s] != count[0];
        g.rows[s] = 1;
        g.columns[s] = count[s];
        last[s] = (double)count[s];
        Body *bodies = arena_zeroed(&f->arena, (size_t)count[s] * sizeof *bodies);
        if (!bodies)
            return fit_no_room(f);
        for (long k = 0; k < count[s]; k++)
            bodies[k] = h[s][k]->first;
        g.bodies[s] = bodies;
    }
    series.grows = g.grows;
    if (!fit_line(f, last, &series.last[COLUMN]))
        return family_refuse(f, "sums differ from size to size");
    if (!fit_grid(f, &g))
        return false;
    for (long k = g.grows ? 0 : 1; h[0][0]->is_fold && k <= (g.grows ? 0 : count[0]); k++)
        if (!fit_fold(f, g, h, count, k))
            return false;
    return vec_push(f->alloc, &f->series, series) || fit_no_room(f);
}

bool family_fit(Family *f)
{
    f->pieces.n = 0;
    uint32_t first = f->nhidden[0];
    for (int s = 0; s < FAMILY_SIZES; s++)
        f->nhidden_before[s] = f->hidden[s].n;
    for (uint32_t i = 0; i < f->nnamed; i++) {
        const MemberSeries *s = &f->series.items[i];
        FitGrid grid;
        bool there;
        if (!family_sets(f, s))
            continue;
        if (!read_grid(f, i, &grid, &there))
            return false;
        if (!there && (s->kind == SERIES_DERIVATIVE || s->kind == SERIES_OBSERVABLE))
            return family_refuse(f, "nothing sets '%s'", s->member.name);
        if (there && !fit_grid(f, &grid))
            return false;
    }
    for (int s = 1; s < FAMILY_SIZES; s++)
        if (f->nhidden[s] != f->nhidden[0])
            return family_refuse(f, "each element has a sum of its own");
    for (uint32_t i = first; i < f->nhidden[0]; i++)
        if (!fit_hidden(f, i))
            return false;
    return true;
}
