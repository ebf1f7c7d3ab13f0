/* scale.c - array sizes that an importer may choose: structural parameters of FMI 3.
 *
 * A parameter n that is the number of lanes of some shapes, crab[n], needs no new code for another
 * number, if it determines nothing else. To find that out the model is built once more with another
 * n: both must have the same texts, variables and numbers, apart from the number of lanes. Where
 * elements differ (m = {1 + i/10 for i in 1:n}) their numbers are known as far as they were
 * exported, and n can only become smaller. */
#include "fmi/fmi.h"

#include <string.h>

#include "fmi/runtime/kinds.h"

/* two builds of a model; a: that of the export */
typedef struct ScaledPair {
    const FmiTexts *t;
    FmiRows *a, *b;
    size_t na, nb; /* the parameter in both */
    bool differ;   /* elements have numbers of their own */
} ScaledPair;

/* ------------------------------------------------------------------ shapes */

static const SystemShape *shape_of(const FmiRows *rows, size_t i)
{
    return &rows->system->shapes.items[i];
}

static bool shape_scales(const ScaledPair *p, size_t i)
{
    return shape_of(p->a, i)->shape->nlane == p->na && shape_of(p->b, i)->shape->nlane == p->nb;
}

static double lane_value(const SlotValue *v, size_t lane)
{
    return v->lanes ? v->lanes[lane] : v->value;
}

/* numbers of the lanes that both have */
static bool same_slots(ScaledPair *p, size_t i)
{
    const SystemShape *a = shape_of(p->a, i), *b = shape_of(p->b, i);
    size_t nlane = a->shape->nlane < b->shape->nlane ? a->shape->nlane : b->shape->nlane;
    if (a->values.slots.n != b->values.slots.n)
        return false;
    for (size_t k = 0; k < a->values.slots.n; k++) {
        const SlotValue *x = &a->values.slots.items[k], *y = &b->values.slots.items[k];
        p->differ |= x->lanes != NULL;
        for (size_t lane = 0; lane < (x->lanes || y->lanes ? nlane : 1); lane++) {
            double u = lane_value(x, lane), v = lane_value(y, lane);
            if (memcmp(&u, &v, sizeof u) != 0)
                return false;
        }
    }
    return true;
}

/* is the generated text the same, apart from the number of lanes? */
static bool same_text(const ScaledPair *p, size_t i)
{
    FmiTexts ta = *p->t, tb = *p->t;
    TextBuffer a = {0}, b = {0};
    ta.any_lanes = tb.any_lanes = true;
    ta.rows = p->a;
    tb.rows = p->b;
    bool same = shape_source(&ta, i, &a) && shape_source(&tb, i, &b) && a.n == b.n &&
                memcmp(a.items, b.items, a.n) == 0;
    vec_drop(p->t->alloc, &a);
    vec_drop(p->t->alloc, &b);
    return same;
}

static bool same_shapes(ScaledPair *p)
{
    size_t n = p->a->system->shapes.n;
    bool any = false, same = n == p->b->system->shapes.n;
    for (size_t i = 0; i < n && same; i++) {
        bool scales = shape_scales(p, i);
        any |= scales;
        same = (scales || shape_of(p->a, i)->shape->nlane == shape_of(p->b, i)->shape->nlane) &&
               same_slots(p, i) && same_text(p, i);
    }
    return same && any;
}

/* ------------------------------------------------------------------ variables */

static const RowPiece *piece_of(const FmiRows *rows, const FmiRow *row)
{
    return &rows->pieces.items[row->first_piece];
}

/* one piece over all lanes, or constants; dimensions as n says */
static bool row_scales(const ScaledPair *p, const FmiRow *a, const FmiRow *b)
{
    if (a->ndim != 1 || b->ndim != 1 || a->n != p->na || b->n != p->nb)
        return false;
    if (a->kind == FMU_CONSTANT)
        return true;
    const RowPiece *x = piece_of(p->a, a), *y = piece_of(p->b, b);
    return a->npiece == 1 && b->npiece == 1 && x->shape == y->shape && x->place == y->place &&
           x->lane == 0 && y->lane == 0 && x->length == 1 && y->length == 1 &&
           shape_scales(p, x->shape);
}

/* whether a row of two sizes of the model is the same, without arrays that grew */
static bool same_row(const ScaledPair *p, const FmiRow *a, const FmiRow *b)
{
    if (a->n != b->n || a->ndim != b->ndim || a->npiece != b->npiece ||
        memcmp(a->dimensions, b->dimensions, a->ndim * sizeof *a->dimensions) != 0)
        return false;
    for (size_t i = 0; i < a->npiece; i++) {
        const RowPiece *x = piece_of(p->a, a) + i, *y = piece_of(p->b, b) + i;
        if (x->shape != y->shape || x->lane != y->lane || x->length != y->length || x->n != y->n ||
            (a->kind != FMU_CONSTANT && (x->place != y->place || shape_scales(p, x->shape))))
            return false;
    }
    return true;
}

/* the constant of an element, whatever pieces it has */
static double constant_of(const FmiRows *rows, const FmiRow *row, size_t element)
{
    const RowPiece *piece = piece_of(rows, row);
    while (element >= piece->n)
        element -= piece++->n;
    return rows->constants.items[piece->place + element];
}

static double start_of(const FmiRows *rows, const FmiRow *row, size_t i)
{
    return row->kind == FMU_CONSTANT ? constant_of(rows, row, i)
           : row->values             ? row->values[i]
                                     : row->info.start;
}

/* whether elements that both sizes have start alike; p->differ: not all of one row do */
static bool same_starts(ScaledPair *p, const FmiRow *a, const FmiRow *b)
{
    size_t n = a->n < b->n ? a->n : b->n;
    p->differ |= a->values != NULL;
    for (size_t i = 0; i < n; i++) {
        double u = start_of(p->a, a, i), v = start_of(p->b, b, i);
        if (memcmp(&u, &v, sizeof u) != 0)
            return false;
    }
    for (size_t i = 1; i < a->n && a->kind == FMU_CONSTANT; i++)
        p->differ |= constant_of(p->a, a, i) != constant_of(p->a, a, 0);
    return true;
}

static bool same_rows(ScaledPair *p)
{
    bool same = p->a->list.n == p->b->list.n;
    for (size_t i = 0; i < p->a->list.n && same; i++) {
        FmiRow *a = &p->a->list.items[i];
        const FmiRow *b = &p->b->list.items[i];
        same = strcmp(a->name, b->name) == 0 && a->kind == b->kind && a->causality == b->causality;
        a->scales = same && row_scales(p, a, b);
        same = same && (a->scales || same_row(p, a, b)) && same_starts(p, a, b);
    }
    return same;
}

/* ------------------------------------------------------------------ which parameter */

/* the number of lanes that is another one in the second build, 0: there is none */
static size_t changed_lanes(const FmiRows *a, const LiederSystem *b, size_t nb)
{
    for (size_t i = 0; i < a->system->shapes.n && i < b->shapes.n; i++) {
        size_t here = shape_of(a, i)->shape->nlane;
        if (here != nb && b->shapes.items[i].shape->nlane == nb)
            return here;
    }
    return 0;
}

/* builds the model with the parameter at nb: does only the number of lanes change? */
static bool try_size(const FmiTexts *t, FmiRows *rows, const char *name, size_t nb, ScaledPair *p)
{
    const FmiExport *e = t->e;
    FmiRows other = {0};
    *p = (ScaledPair){.t = t, .a = rows, .b = &other, .nb = nb};
    LiederSystem *system = e->resize(e->resize_user, name, nb);
    p->na = system ? changed_lanes(rows, system, nb) : 0;
    bool same =
        p->na && rows_make(&other, system, e->also, e->user) && same_shapes(p) && same_rows(p);
    if (other.system)
        rows_drop(&other);
    e->release(e->resize_user, system);
    for (size_t i = 0; i < rows->list.n; i++)
        rows->list.items[i].scales &= same;
    return same;
}

/* the row of the parameter that sets the number of lanes; false: no memory */
static bool add_size(FmiRows *rows, const FmiSize *size, const ScaledPair *p)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(rows->system);
    FmiRow row = {.info = {.text = size->text,
                           .unit = "",
                           .type = LIEDER_TYPE_INTEGER,
                           .start = (double)p->na},
                  .name = memory_text(alloc, size->name),
                  .kind = FMU_LANES,
                  .causality = ROW_SIZE,
                  .n = 1,
                  .first = rows->n,
                  .state = -1};
    if (!row.name || !vec_push(alloc, &rows->list, row))
        return false;
    rows->n++;
    rows->size = rows->list.n;
    rows->lanes = p->na;
    rows->most_lanes = p->differ ? p->na : 0;
    return true;
}

bool rows_scale(const FmiTexts *t, FmiRows *rows)
{
    const FmiExport *e = t->e;
    ScaledPair p;
    if (e->version != 3 || rows->system->scales.nominal)
        return true;
    for (size_t i = 0; i < e->nsize; i++)
        for (size_t nb = 2; nb <= 3; nb++)
            if (try_size(t, rows, e->sizes[i].name, nb, &p))
                return add_size(rows, &e->sizes[i], &p);
    return true;
}
