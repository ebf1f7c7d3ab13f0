/* family_fit.c - bodies of the elements of a series as pieces that hold for every size. See
 * family.h.
 *
 * Of each array the element in the middle is where the run begins; it is extended to both sides as
 * far as operations are the same and leaves move on by the same steps. What is left are points,
 * counted from the ends. Two sizes give the positions as a + b n, the others have to agree.
 *
 * Numbers may also be b/(n + a), with a power of two for b, or b (n + a)^2, with an integer, where
 * a is at most 2: 1.0/n, 0.5/(n - 1), n^2. However the text writes them they are rounded once or
 * not at all, so that they have its bits; 3*(1.0/n) is rounded twice and is none of them.
 */
#include "equation/family_work.h"

#include <math.h>
#include <string.h>

static bool fit_no_room(Family *f)
{
    f->failed = true;
    return false;
}

/* the bodies of a series, or the terms of a sum, for all sizes */
typedef struct FitRow {
    uint32_t series;
    const char *name;
    const Body *bodies[FAMILY_SIZES];
    long first, n[FAMILY_SIZES]; /* positions are first ... first + n - 1 */
    SizeForm last;
    bool grows;
} FitRow;

/* where the run lies, by number from 0 */
typedef struct FitRun {
    long low, high;
} FitRun;

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

/* a line through the values at the first two sizes; the others must lie on it */
static bool fit_line(const Family *f, const double *values, SizeForm *to)
{
    double n0 = (double)f->sizes[0].n, n1 = (double)f->sizes[1].n;
    to->shape = SIZE_LINE;
    to->b = (values[1] - values[0]) / (n1 - n0);
    to->a = values[0] - to->b * n0;
    for (int s = 0; s < FAMILY_SIZES; s++)
        if (form_at(*to, (double)f->sizes[s].n) != values[s])
            return false;
    return true;
}

static bool is_power_of_two(double x)
{
    int exponent;
    return isfinite(x) && fabs(frexp(x, &exponent)) == 0.5;
}

/* b/(n + a) or b (n + a)^2 through the values of all sizes; see above */
static bool fit_curve(const Family *f, const double *values, SizeForm *to)
{
    enum { MAX_SHIFT = 2 };
    double n0 = (double)f->sizes[0].n;
    for (int a = -MAX_SHIFT; a <= MAX_SHIFT; a++)
        for (SizeShape shape = SIZE_RATIO; shape <= SIZE_SQUARE; shape++) {
            double x = n0 + a, b = shape == SIZE_RATIO ? values[0] * x : values[0] / (x * x);
            bool good = shape == SIZE_RATIO ? is_power_of_two(b) : b == floor(b) && b != 0;
            *to = (SizeForm){a, b, shape};
            for (int s = 0; s < FAMILY_SIZES && good; s++)
                good = form_at(*to, (double)f->sizes[s].n) == values[s];
            if (good)
                return true;
        }
    return false;
}

/* The leaves of corresponding bodies, at position at[size]; `p`: steps of a run, or NULL. */
static const LeafForm *fit_leaves(Family *f, const Body *const *bodies, const double *at,
                                  const double *p)
{
    size_t n = bodies[0]->nleaf;
    LeafForm *forms = arena_zeroed(&f->arena, (n + 1) * sizeof *forms);
    if (!forms) {
        fit_no_room(f);
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        const Leaf *leaf = &bodies[0]->leaves[i];
        double q[FAMILY_SIZES];
        forms[i] = (LeafForm){.kind = leaf->kind, .series = leaf->series, .p = p ? p[i] : 0};
        for (int s = 0; s < FAMILY_SIZES; s++)
            q[s] = bodies[s]->leaves[i].value - forms[i].p * at[s];
        bool number = leaf->kind == LEAF_NUMBER && forms[i].p == 0;
        if (!fit_line(f, q, &forms[i].q) && !(number && fit_curve(f, q, &forms[i].q))) {
            family_refuse(f, "a number or subscript does not follow the size evenly");
            return NULL;
        }
    }
    return forms;
}

/* one piece: at position at[size] (and up to `to` of it, if it is a run with steps p) */
static bool fit_piece(Family *f, const FitRow *row, const Body *const *bodies, const double *at,
                      const double *to, const double *p, PieceKind kind)
{
    Piece piece = {.kind = kind, .series = row->series, .body = bodies[0]};
    for (int s = 1; s < FAMILY_SIZES; s++)
        if (!body_follows(NULL, bodies[0], bodies[s]))
            return family_refuse(f, "the equations of '%s' differ from size to size", row->name);
    piece.forms = fit_leaves(f, bodies, at, p);
    if (!piece.forms)
        return false;
    if (!fit_line(f, at, &piece.from) || !fit_line(f, to, &piece.to))
        return family_refuse(f, "the ends of '%s' differ from size to size", row->name);
    return vec_push(f->alloc, &f->pieces, piece) || fit_no_room(f);
}

/* the k-th body from the left or from the right end */
static bool fit_point(Family *f, const FitRow *row, long k, bool right)
{
    const Body *bodies[FAMILY_SIZES];
    double at[FAMILY_SIZES];
    for (int s = 0; s < FAMILY_SIZES; s++) {
        long i = right ? row->n[s] - 1 - k : k;
        bodies[s] = &row->bodies[s][i];
        at[s] = (double)(row->first + i);
    }
    return fit_piece(f, row, bodies, at, at, NULL, PIECE_POINT);
}

/* the run of all sizes, its steps taken from its first two bodies */
static bool fit_run(Family *f, const FitRow *row, const FitRun *runs, PieceKind kind)
{
    const Body *bodies[FAMILY_SIZES];
    double at[FAMILY_SIZES], to[FAMILY_SIZES];
    size_t n = row->bodies[0][runs[0].low].nleaf;
    double *p = arena_zeroed(&f->arena, (n + 1) * sizeof *p);
    if (!p)
        return fit_no_room(f);
    for (int s = 0; s < FAMILY_SIZES; s++) {
        bodies[s] = &row->bodies[s][runs[s].low];
        at[s] = (double)(row->first + runs[s].low);
        to[s] = (double)(row->first + runs[s].high);
        for (size_t i = 0; i < n && bodies[s]->nleaf == n; i++) {
            double step = bodies[s][1].leaves[i].value - bodies[s]->leaves[i].value;
            if (s == 0)
                p[i] = step;
            else if (p[i] != step)
                return family_refuse(f, "subscripts of '%s' differ from size to size", row->name);
        }
    }
    return fit_piece(f, row, bodies, at, to, p, kind);
}

/* all bodies of a row as pieces */
static bool fit_row(Family *f, const FitRow *row, PieceKind kind)
{
    FitRun runs[FAMILY_SIZES];
    if (!row->grows) {
        for (long k = 0; k < row->n[0]; k++)
            if (!fit_point(f, row, k, false))
                return false;
        return true;
    }
    for (int s = 0; s < FAMILY_SIZES; s++) {
        runs[s] = find_run(row->bodies[s], row->n[s]);
        if (runs[s].high - runs[s].low < 2)
            return family_refuse(f, "the equations of '%s' are not the same for its elements",
                                 row->name);
        if (runs[s].low != runs[0].low || row->n[s] - runs[s].high != row->n[0] - runs[0].high)
            return family_refuse(f, "the ends of '%s' grow with the size", row->name);
    }
    for (long k = 0; k < runs[0].low; k++)
        if (!fit_point(f, row, k, false))
            return false;
    if (!fit_run(f, row, runs, kind))
        return false;
    for (long k = 0; k < row->n[0] - 1 - runs[0].high; k++)
        if (!fit_point(f, row, k, true))
            return false;
    return true;
}

/* ------------------------------------------------------------------ series and hidden values */

/* Reads the bodies of a series; *there: something is assigned to it. */
static bool read_row(Family *f, uint32_t number, FitRow *row, bool *there)
{
    const MemberSeries *s = &f->series.items[number];
    *there = s->nodes[0][0] != NO_NODE;
    *row = (FitRow){.series = number,
                    .name = s->member.name,
                    .first = s->first,
                    .last = s->last,
                    .grows = s->grows};
    for (int size = 0; size < FAMILY_SIZES; size++) {
        row->n[size] = s->lasts[size] - s->first + 1;
        Body *bodies = arena_zeroed(&f->arena, (size_t)row->n[size] * sizeof *bodies);
        if (!bodies)
            return fit_no_room(f);
        row->bodies[size] = bodies;
        for (long k = 0; k < row->n[size]; k++) {
            Node node = s->nodes[size][k];
            if ((node != NO_NODE) != *there)
                return family_refuse(f, "some elements of '%s' have no value", row->name);
            /* the value of another variable is read there */
            const Graph *g = &f->sizes[size].cell->graph;
            bool copy = node && node_data(g, node)->kind > NODE_SYMBOL &&
                        (f->def_of[size].items[node] != number + 1 ||
                         f->def_at[size].items[node] != s->first + k);
            if (copy) {
                Leaf *leaf = arena_zeroed(&f->arena, sizeof *leaf);
                if (!leaf)
                    return fit_no_room(f);
                *leaf = (Leaf){LEAF_ELEMENT, f->def_of[size].items[node] - 1,
                               (double)f->def_at[size].items[node]};
                bodies[k] = (Body){
                    .leaves = leaf, .nleaf = 1, .root = leaf_operand(0), .second = NO_OPERAND};
            } else if (node && !family_read_body(f, size, node, &bodies[k]))
                return false;
        }
    }
    return true;
}

/* the hidden values of all sizes correspond to each other */
static bool fit_hidden(Family *f, size_t number)
{
    const Hidden *h[FAMILY_SIZES];
    FitRow row = {.series = (uint32_t)(f->nnamed + number), .name = "a sum", .first = 1};
    double last[FAMILY_SIZES];
    for (int s = 0; s < FAMILY_SIZES; s++) {
        h[s] = &f->hidden[s].items[number];
        if (h[s]->is_fold != h[0]->is_fold || h[s]->fold != h[0]->fold)
            return family_refuse(f, "sums differ from size to size");
        row.bodies[s] = &h[s]->first;
        row.n[s] = 1;
        last[s] = (double)h[s]->nterm;
    }
    if (!fit_row(f, &row, PIECE_POINT))
        return false;
    if (!h[0]->is_fold)
        return true;
    row.grows = true;
    for (int s = 0; s < FAMILY_SIZES; s++) {
        row.bodies[s] = h[s]->terms;
        row.n[s] = h[s]->nterm;
    }
    size_t before = f->pieces.n;
    if (!fit_line(f, last, &row.last) || !fit_row(f, &row, PIECE_FOLD) || f->pieces.n != before + 1)
        return family_refuse(f, "the terms of a sum differ");
    f->pieces.items[before].fold = h[0]->fold;
    return true;
}

bool family_fit(Family *f)
{
    f->pieces.n = 0;
    size_t first = f->hidden[0].n;
    f->nhidden_before = first;
    for (uint32_t i = 0; i < f->nnamed; i++) {
        const MemberSeries *s = &f->series.items[i];
        FitRow row;
        bool there;
        if (!family_sets(f, s))
            continue;
        if (!read_row(f, i, &row, &there))
            return false;
        if (!there && (s->kind == SERIES_DERIVATIVE || s->kind == SERIES_OBSERVABLE))
            return family_refuse(f, "nothing sets '%s'", s->member.name);
        if (there && !fit_row(f, &row, PIECE_RUN))
            return false;
    }
    for (int s = 1; s < FAMILY_SIZES; s++)
        if (f->hidden[s].n != f->hidden[0].n)
            return family_refuse(f, "each element has a sum of its own");
    for (size_t i = first; i < f->hidden[0].n; i++)
        if (!fit_hidden(f, i))
            return false;
    /* hidden values are series of one element */
    while (f->series.n < f->nnamed + f->hidden[0].n)
        if (!vec_push(
                f->alloc, &f->series,
                (MemberSeries){.kind = SERIES_HIDDEN, .name = "", .first = 1, .last = {.a = 1}}))
            return fit_no_room(f);
    return true;
}
