/* sparse.c - groups coupled like a mesh: one sparse system for each lane of a shape, factored by
 * lu.c.
 *
 * Unknowns are the potentials of every node that is not grounded, the flow at every outgoing port
 * of a link (its total over the regimes), and the unknowns of the links. The equations are
 * written by probing each component alone:
 *
 *   potentials of a driven node   p_out - L (p_in, u)             = l0
 *   flow at an outgoing port      f_out + sum of takers' flows    = 0
 *   residuals                     r (p_in, u, f_out)              = 0
 *
 * A free node has no driver: its potentials are unknowns without an equation of their own, and the
 * sums of flows stand in their rows. Leaves of a network bring unknowns and residuals as links do.
 *
 * Every coefficient belongs to one component, so the pattern depends on the shape only and is
 * analysed once (lu_plan.c). The system is larger than the one for the unknowns alone, but it stays
 * as sparse as the model is.
 *
 * The result does not depend on what was evaluated before, nor by which thread: the factors are
 * those of the coefficients alone, and what was factored last is used again only if these have the
 * same bits. A network may be singular where switches are closed, which a pivot that is nothing but
 * rounding shows.
 *
 * Plan (Sparse) and numbers (SparseWork, one for each thread) are apart. Nothing here asks for
 * memory during an evaluation.
 */
#include "model/linear/linear.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/linear/sparse.h"

struct SparseWork {
    const Sparse *plan;
    double *value, *rhs;
    double *kept; /* known potentials of one component, meanwhile */
    Lu lu;
    bool complete;    /* lu are the factors of */
    double *factored; /* these values */
    size_t bytes;     /* of all numbers, which begin at value */
};

typedef struct Triplet {
    int row, column;
    uint32_t probe; /* position in entry, or NOWHERE for a unit diagonal */
} Triplet;

/* ------------------------------------------------------------------ structure */

/* Adds the inputs or outputs of a component that belong to nodes that are solved, and its unknowns,
 * whose numbers begin with first_unknown. */
static bool add_quantities(Sparse *s, const Component *c, const MapVariable *variables, size_t n,
                           bool outputs, int first_unknown, const LiederAllocator *alloc)
{
    for (size_t i = 0; i < n; i++) {
        const MapVariable *v = &variables[i];
        int first = v->kind == MAP_UNKNOWN     ? first_unknown
                    : v->kind == MAP_POTENTIAL ? s->node_variable.items[c->node[v->port]]
                                               : s->flow_variable.items[c->node[v->port]];
        double sign = !outputs ? 0 : v->kind == MAP_POTENTIAL ? -1 : 1;
        if (first >= 0 &&
            !vec_push(alloc, &s->quantities, (SparseQuantity){*v, first + v->index, sign}))
            return false;
    }
    return true;
}

/* the inputs and outputs of one component */
static bool add_map(SystemShape *ss, Sparse *s, uint32_t i, int *unknown,
                    const LiederAllocator *alloc)
{
    const Component *c = &ss->shape->components.items[i];
    const LiederClassDef *def = c->class_->def;
    const uint32_t *at = at_of(&ss->plan.full, i);
    SparseMap map = {.component = i, .first_input = (uint32_t)s->quantities.n};
    VEC(MapVariable) list = {0};
    size_t npotential = 0;
    for (int p = 0; p < def->nport; p++)
        npotential += (size_t)def->ports[p].domain->npotential;
    s->nkept = npotential > s->nkept ? npotential : s->nkept;
    size_t nin = map_inputs(def, at, c->reversed, MAP_REGIMES_TOGETHER, NULL, 0);
    size_t nout = map_outputs(def, at, c->reversed, MAP_REGIMES_TOGETHER, NULL, 0);
    bool ok = vec_resize(alloc, &list, nin + nout + 1);
    if (ok) {
        map_inputs(def, at, c->reversed, MAP_REGIMES_TOGETHER, list.items, nin);
        map_outputs(def, at, c->reversed, MAP_REGIMES_TOGETHER, list.items + nin, nout);
        ok = add_quantities(s, c, list.items, nin, false, *unknown, alloc);
        map.ninput = (uint32_t)s->quantities.n - map.first_input;
        map.first_output = (uint32_t)s->quantities.n;
        ok = ok && add_quantities(s, c, list.items + nin, nout, true, *unknown, alloc);
        map.noutput = (uint32_t)s->quantities.n - map.first_output;
        *unknown += kernels_of(&ss->plan.full, c)->nunknown;
    }
    vec_drop(alloc, &list);
    return ok && vec_push(alloc, &s->maps, map);
}

static int compare_triplets(const void *a, const void *b)
{
    const Triplet *x = a, *y = b;
    if (x->column != y->column)
        return x->column < y->column ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* the column-compressed pattern, and the place of each probed coefficient in it */
static bool compress(Sparse *s, const LiederAllocator *alloc)
{
    VEC(Triplet) t = {0};
    bool ok = true;
    for (size_t m = 0; m < s->maps.n && ok; m++) {
        const SparseMap *map = &s->maps.items[m];
        for (uint32_t i = 0; i < map->ninput && ok; i++)
            for (uint32_t o = 0; o < map->noutput && ok; o++) {
                Triplet e = {s->quantities.items[map->first_output + o].number,
                             s->quantities.items[map->first_input + i].number,
                             (uint32_t)s->entry.n};
                ok = vec_push(alloc, &t, e) && vec_push(alloc, &s->entry, 0);
            }
    }
    for (size_t n = 0; n < s->diagonal.n && ok; n++)
        ok = vec_push(alloc, &t,
                      (Triplet){(int)s->diagonal.items[n], (int)s->diagonal.items[n], NOWHERE});
    ok = ok && vec_resize(alloc, &s->columns, (size_t)s->n + 1);
    if (ok) {
        if (t.n)
            qsort(t.items, t.n, sizeof *t.items, compare_triplets);
        size_t unit = 0;
        for (size_t k = 0; k < t.n && ok; k++) {
            if (k == 0 || compare_triplets(&t.items[k], &t.items[k - 1]) != 0)
                ok = vec_push(alloc, &s->rows, t.items[k].row);
            s->columns.items[t.items[k].column + 1] = (int)s->rows.n;
            if (t.items[k].probe == NOWHERE)
                s->diagonal.items[unit++] = (uint32_t)s->rows.n - 1;
            else
                s->entry.items[t.items[k].probe] = (uint32_t)s->rows.n - 1;
        }
        for (int c = 0; c < s->n; c++)
            if (s->columns.items[c + 1] < s->columns.items[c])
                s->columns.items[c + 1] = s->columns.items[c];
    }
    vec_drop(alloc, &t);
    return ok;
}

LiederStatus sparse_create(SystemShape *ss, const LiederAllocator *alloc)
{
    const Shape *shape = ss->shape;
    Sparse *s = memory_zeroed(alloc, sizeof *s);
    if (!s)
        return LIEDER_NO_MEMORY;
    ss->plan.sparse = s;
    s->alloc = alloc;
    s->network = shape->general;
    bool ok = vec_resize(alloc, &s->node_variable, shape->nodes.n) &&
              vec_resize(alloc, &s->flow_variable, shape->nodes.n);
    for (size_t n = 0; n < shape->nodes.n && ok; n++) {
        const ShapeNode *node = &shape->nodes.items[n];
        bool solved = node->domain->npotential > 0 && !node->grounded;
        int driven = node->free ? 0 : node->domain->npotential;
        s->node_variable.items[n] = solved ? s->n : -1;
        s->flow_variable.items[n] = solved ? s->n + driven : -1;
        int count = solved ? driven + node->domain->nflow : 0;
        for (int k = 0; k < count && ok && !node->free; k++)
            ok = vec_push(alloc, &s->diagonal, (uint32_t)(s->n + k));
        s->n += count;
    }
    for (uint32_t i = 0; i < shape->components.n && ok; i++)
        if (shape->components.items[i].group >= 0)
            ok = add_map(ss, s, i, &s->n, alloc);
    ok = ok && compress(s, alloc);
    if (ok && s->n)
        ok = lu_plan_create(&s->plan, s->n, s->columns.items, s->rows.items, alloc) == LU_DONE;
    return ok ? LIEDER_DONE : LIEDER_NO_MEMORY;
}

void sparse_destroy(SystemShape *ss, const LiederAllocator *alloc)
{
    Sparse *s = ss->plan.sparse;
    if (!s)
        return;
    lu_plan_drop(&s->plan);
    vec_drop(alloc, &s->quantities);
    vec_drop(alloc, &s->maps);
    vec_drop(alloc, &s->node_variable);
    vec_drop(alloc, &s->flow_variable);
    vec_drop(alloc, &s->entry);
    vec_drop(alloc, &s->columns);
    vec_drop(alloc, &s->rows);
    vec_drop(alloc, &s->diagonal);
    memory_free(alloc, s, sizeof *s);
    ss->plan.sparse = NULL;
}

SparseWork *sparse_work_create(const Sparse *s)
{
    SparseWork *w = memory_zeroed(s->alloc, sizeof *w);
    if (!w)
        return NULL;
    size_t entries = s->rows.n;
    w->plan = s;
    w->bytes = (2 * entries + (size_t)s->n + s->nkept + 1) * sizeof(double);
    w->value = memory_zeroed(s->alloc, w->bytes);
    bool ok = w->value;
    if (ok) {
        w->factored = w->value + entries;
        w->rhs = w->factored + entries;
        w->kept = w->rhs + s->n;
    }
    if (ok && s->n)
        ok = lu_create(&w->lu, &s->plan) == LU_DONE;
    if (!ok) {
        sparse_work_destroy(w);
        return NULL;
    }
    return w;
}

void sparse_work_destroy(SparseWork *w)
{
    if (!w)
        return;
    const LiederAllocator *alloc = w->plan->alloc;
    lu_drop(&w->lu);
    memory_free(alloc, w->value, w->bytes);
    memory_free(alloc, w, sizeof *w);
}

/* ------------------------------------------------------------------ numbers */

/* Zeroes flows of the second regime and at ports without an answer, which are no inputs: an
 * observer has left its numbers there. */
static void clear_flows(SystemShape *ss, const LiederStrip *strip, uint32_t component)
{
    const Component *c = &ss->shape->components.items[component];
    const uint32_t *at = at_of(&ss->plan.full, component);
    for (int port = 0; port < c->class_->def->nport; port++) {
        const LiederDomain *d = c->class_->def->ports[port].domain;
        uint32_t place = at[LIEDER_AT_PORT + LIEDER_PER_PORT * port + LIEDER_FLOWS];
        for (int k = 0; k < d->nflow * d->nregime && !port_incoming(c, port); k++)
            ss->plan.full_ops->fill(strip, place + (uint32_t)k, 0.0);
    }
}

/* puts the known potentials of a component aside and sets them to zero, or brings them back */
static void swap_known(SystemShape *ss, const LiederStrip *strip, const Component *c,
                       const uint32_t *at, double *kept, bool aside)
{
    const double *rec = strip->base;
    for (int port = 0; port < c->class_->def->nport; port++) {
        const ShapeNode *node = &ss->shape->nodes.items[c->node[port]];
        if (!node->grounded || !port_incoming(c, port))
            continue;
        uint32_t place = at[LIEDER_AT_PORT + LIEDER_PER_PORT * port + LIEDER_POTENTIALS];
        for (int k = 0; k < node->domain->npotential; k++, place++, kept++) {
            if (aside)
                *kept = rec[place * (size_t)ss->plan.full.lanes];
            ss->plan.full_ops->fill(strip, place, aside ? 0.0 : *kept);
        }
    }
}

/* known potentials stay as they are with the bias on, and are zero with it off */
static void assemble_sparse(SystemShape *ss, SparseWork *w, const LiederStrip *strip)
{
    const Sparse *s = ss->plan.sparse;
    const Program *p = &ss->plan.full;
    const double *rec = strip->base;
    size_t lanes = (size_t)p->lanes, probe = 0;
    memset(w->value, 0, s->rows.n * sizeof(double));
    memset(w->rhs, 0, (size_t)s->n * sizeof(double));
    for (size_t d = 0; d < s->diagonal.n; d++)
        w->value[s->diagonal.items[d]] = 1.0;
    LiederStrip on = *strip, off = *strip;
    on.bias_scale = 1;
    off.bias_scale = 0;
    for (size_t m = 0; m < s->maps.n; m++) {
        const SparseMap *map = &s->maps.items[m];
        const SparseQuantity *in = s->quantities.items + map->first_input;
        const SparseQuantity *out = s->quantities.items + map->first_output;
        const Component *c = &ss->shape->components.items[map->component];
        const LiederKernels *k = kernels_of(p, c);
        const uint32_t *at = at_of(p, map->component);
        for (uint32_t i = 0; i < map->ninput; i++)
            ss->plan.full_ops->fill(strip, in[i].variable.place, 0.0);
        clear_flows(ss, strip, map->component);
        map_run(k, c->reversed, at, &on);
        for (uint32_t o = 0; o < map->noutput; o++)
            w->rhs[out[o].number] -= out[o].sign * map_read(rec, lanes, &out[o].variable);
        /* with the bias off known potentials must be zero */
        swap_known(ss, strip, c, at, w->kept, true);
        for (uint32_t i = 0; i < map->ninput; i++) {
            ss->plan.full_ops->fill(strip, in[i].variable.place, 1.0);
            map_run(k, c->reversed, at, &off);
            ss->plan.full_ops->fill(strip, in[i].variable.place, 0.0);
            for (uint32_t o = 0; o < map->noutput; o++)
                w->value[s->entry.items[probe++]] +=
                    out[o].sign * map_read(rec, lanes, &out[o].variable);
        }
        swap_known(ss, strip, c, at, w->kept, false);
    }
}

/* factors w->value unless it is what was factored last; *column: where it is singular */
static LuStatus factor_sparse(SparseWork *w, int *column)
{
    size_t bytes = w->plan->rows.n * sizeof(double);
    if (w->complete && memcmp(w->value, w->factored, bytes) == 0)
        return LU_DONE;
    w->complete = false;
    LuStatus status = lu_factor(&w->lu, w->value, column);
    if (status == LU_DONE && w->plan->network &&
        (*column = lu_lost_pivot(&w->lu, w->value, LU_SMALLEST_PIVOT)) >= 0)
        status = LU_SINGULAR;
    w->complete = status == LU_DONE;
    if (w->complete)
        memcpy(w->factored, w->value, bytes);
    return status;
}

/* the component to report: one that reads an unknown, or the first joint */
static uint32_t blame_unknown(const SystemShape *ss, int column)
{
    const Sparse *s = ss->plan.sparse;
    for (size_t m = 0; m < s->maps.n; m++) {
        const SparseMap *map = &s->maps.items[m];
        const Component *c = &ss->shape->components.items[map->component];
        if (column < 0 && c->link && kernels_of(&ss->plan.full, c)->nunknown)
            return map->component;
        for (uint32_t i = 0; i < map->ninput && column >= 0; i++)
            if (s->quantities.items[map->first_input + i].number == column)
                return map->component;
    }
    return s->maps.n ? s->maps.items[0].component : 0;
}

LiederStatus sparse_solve(SystemShape *ss, const Workspace *workspace, const LiederStrip *strip,
                          uint32_t *culprit)
{
    const Sparse *s = ss->plan.sparse;
    SparseWork *w = workspace->sparse;
    int column = -1;
    if (s->n == 0)
        return LIEDER_DONE;
    assemble_sparse(ss, w, strip);
    LuStatus status = factor_sparse(w, &column);
    if (status != LU_DONE) {
        *culprit = blame_unknown(ss, s->network ? column : -1);
        return status == LU_NO_MEMORY ? LIEDER_NO_MEMORY : LIEDER_SINGULAR;
    }
    lu_solve(&w->lu, w->rhs);
    for (size_t m = 0; m < s->maps.n; m++) {
        const SparseMap *map = &s->maps.items[m];
        for (uint32_t i = 0; i < map->ninput; i++) {
            const SparseQuantity *q = &s->quantities.items[map->first_input + i];
            ss->plan.full_ops->fill(strip, q->variable.place, w->rhs[q->number]);
        }
    }
    return LIEDER_DONE;
}
