/* lanes.c - see lanes.h; compiled once per instruction set.
 *
 * The complement. Coupling leaves answer with a flow lambda at their second port and -lambda at the
 * first, lambda = K p + k0, where p are the potentials at both. The rest of the group is a tree,
 * which reduce and solve eliminate: p = p0 + G lambda. So
 *
 *   (I - K G) lambda = K p0 + k0
 *
 * One column of G is one unit flow sent inward along the path from the leaf to the root, through
 * the eliminations that reduce has saved, and outward again. lambda itself is the unknown and
 * not the flows at both ports, because these are dependent and the system would lose all digits
 * for stiff springs.
 */
#include "model/program/lanes.h"
#include "model/program/complement.inc"

#include <string.h>

static void load_variable(const LiederStrip *strip, uint32_t place, const double *from, size_t n)
{
    real *rec = (real *)strip->base + place;
    size_t whole = n / LIEDER_LANES;
    for (size_t v = 0; v < whole; v++, rec += strip->record)
        memcpy(rec, from + v * LIEDER_LANES, sizeof(real));
    if (n % LIEDER_LANES)
        for (size_t l = 0; l < LIEDER_LANES; l++) {
            size_t i = whole * LIEDER_LANES + l;
            ((double *)rec)[l] = from[i < n ? i : n - 1];
        }
}

/* k numbers of each of n lanes into the records of a strip, whole vectors first */
static void load_all(const LiederStrip *strip, const uint32_t *places, size_t k, const double *from,
                     size_t stride, size_t n)
{
    real *rec = strip->base;
    size_t whole = n / LIEDER_LANES;
    for (size_t v = 0; v < whole; v++, rec += strip->record) {
        const double *at = from + v * LIEDER_LANES;
#pragma GCC unroll 4
        for (size_t s = 0; s < k; s++, at += stride)
            memcpy(rec + places[s], at, sizeof(real));
    }
    if (n % LIEDER_LANES) {
        LiederStrip last = {.base = rec, .record = strip->record, .nvec = 1};
        for (size_t s = 0; s < k; s++)
            load_variable(&last, places[s], from + s * stride + whole * LIEDER_LANES,
                          n % LIEDER_LANES);
    }
}

static void fill_variable(const LiederStrip *strip, uint32_t place, double value)
{
    real *rec = (real *)strip->base + place;
    for (int v = 0; v < strip->nvec; v++, rec += strip->record)
        *rec = real_splat(value);
}

static double store(const LiederStrip *strip, uint32_t place, double *to, size_t n)
{
    const real *rec = (const real *)strip->base + place;
    double zero = 0;
    for (size_t i = 0; i < n; i++) {
        to[i] = ((const double *)(rec + i / LIEDER_LANES * strip->record))[i % LIEDER_LANES];
        zero += to[i] * 0.0; /* stays zero unless it is infinite or NaN */
    }
    return zero;
}

/* the way back; the sum is zero unless some number is infinite or NaN */
static double store_all(const LiederStrip *strip, const uint32_t *places, size_t k, double *to,
                        size_t stride, size_t n)
{
    const real *rec = strip->base;
    size_t whole = n / LIEDER_LANES;
    /* zeros stay zero unless some x is infinite or NaN; several, so that none waits for the last */
    enum { AHEAD = 4 };
    real zeros[AHEAD] = {0}, zero = real_splat(0.0);
    for (size_t v = 0; v < whole; v++, rec += strip->record) {
        double *at = to + v * LIEDER_LANES;
        size_t s = 0;
        for (; s + AHEAD <= k; s += AHEAD)
            for (size_t i = 0; i < AHEAD; i++, at += stride) {
                real x = rec[places[s + i]];
                zeros[i] = zeros[i] + x * 0.0;
                memcpy(at, &x, sizeof x);
            }
        for (; s < k; s++, at += stride) {
            real x = rec[places[s]];
            zero = zero + x * 0.0;
            memcpy(at, &x, sizeof x);
        }
    }
    for (size_t i = 0; i < AHEAD; i++)
        zero = zero + zeros[i];
    double sum = 0;
    for (int l = 0; l < LIEDER_LANES; l++)
        sum += LIEDER_LANE(zero, l);
    if (n % LIEDER_LANES) {
        LiederStrip last = {.base = (void *)rec, .record = strip->record, .nvec = 1};
        for (size_t s = 0; s < k; s++)
            sum +=
                store(&last, places[s], to + s * stride + whole * LIEDER_LANES, n % LIEDER_LANES);
    }
    return sum;
}

static int alarm(const LiederStrip *strip)
{
    const real *rec = (const real *)strip->base + LIEDER_ALARM;
    real all = real_splat(0.0);
    for (int v = 0; v < strip->nvec; v++, rec += strip->record)
        all = all + *rec;
    return mask_any((mask)(all != 0.0));
}

/* ------------------------------------------------------------------ complement */

/* places of the unknowns of a component and of their residuals, in the order of members */
static void list_places(const Component *c, const uint32_t *at, uint32_t *unknown,
                        uint32_t *residual)
{
    const LiederMember *u;
    for (int m = 0, n = 0; (u = next_unknown(c->class_->def, &m)); n++) {
        unknown[n] = at[LIEDER_AT_SELF] + (uint32_t)u->index;
        residual[n] = at[LIEDER_AT_SELF] + (uint32_t)u->other;
    }
}

/* a unit flow `sign` at flow r of a node, along the path inward; adds to u0 of the links */
static void send_inward(const LiederStrip *one, const Program *p, const Complement *m,
                        uint32_t first, uint32_t npath, uint32_t r, double sign, real *u0)
{
    real *rec = one->base, *flow = rec + m->flow;
    for (uint32_t s = 0; s < npath; s++) {
        const LoopStep *step = &m->path.items[first + s];
        const LoopLink *link = &m->links.items[step->link];
        const Component *c = &p->shape->components.items[link->component];
        const LiederKernels *k = c->class_->kernels[p->isa];
        const uint32_t *at = p->at.items + link->inward;
        int in_port = c->reversed ? 1 : 0, save = (int)at[LIEDER_AT_SAVE];
        const LiederDomain *out = c->class_->def->ports[step->port].domain;
        const LiederDomain *in = c->class_->def->ports[in_port].domain;
        int to = (int)at[LIEDER_AT_PORT + LIEDER_PER_PORT * step->port + LIEDER_FLOWS];
        int from = (int)at[LIEDER_AT_PORT + LIEDER_PER_PORT * in_port + LIEDER_FLOWS];
        uint32_t unknown[k->nunknown + 1], residual[k->nunknown + 1];
        list_places(c, at, unknown, residual);
        if (s == 0)
            loop_start(flow, out->nflow, (int)r, sign);
        loop_enter(rec, to, out->nflow, flow);
        lieder_run(k->inward[c->reversed], one, at, 0);
        loop_leave(rec, to, out->nflow, from, in->nflow, in->nregime, save + k->save_inverse,
                   save + k->save_flow, k->nunknown, residual, u0 + link->first_unknown, flow);
    }
}

/* u = U p + u0 for every link, outward; bias off */
static void send_outward(const LiederStrip *one, const Program *p, const Complement *m, real *u0)
{
    real *rec = one->base;
    for (size_t i = 0; i < m->links.n; i++) {
        const LoopLink *link = &m->links.items[i];
        const Component *c = &p->shape->components.items[link->component];
        const LiederKernels *k = c->class_->kernels[p->isa];
        const uint32_t *at = p->at.items + link->outward;
        int in = c->reversed ? 1 : 0, np = c->class_->def->ports[in].domain->npotential;
        uint32_t unknown[k->nunknown + 1], residual[k->nunknown + 1];
        list_places(c, at, unknown, residual);
        loop_respond(rec, (int)at[LIEDER_AT_SAVE], np,
                     (int)at[LIEDER_AT_PORT + LIEDER_PER_PORT * in + LIEDER_POTENTIALS],
                     link->grounded, k->nunknown, unknown, u0 + link->first_unknown);
        lieder_run(k->outward[c->reversed], one, at, 0);
    }
}

/* row r of K_b times the potentials at both ports */
static real leaf_row(const real *rec, const CoupledLeaf *leaf, uint32_t r)
{
    return loop_row(rec, (int)leaf->save, (int)leaf->np, (int)leaf->nf, (int)r,
                    (int)leaf->potential[0], (int)leaf->potential[1]);
}

/* sets flows of an earlier pass to zero, which the full layout holds */
static void clear_flows(real *rec, const Program *p, const Complement *m)
{
    for (size_t i = 0; i < m->links.n; i++) {
        const LiederClassDef *def =
            p->shape->components.items[m->links.items[i].component].class_->def;
        const uint32_t *at = at_of(p, m->links.items[i].component);
        for (int port = 0; port < def->nport; port++) {
            const LiederDomain *d = def->ports[port].domain;
            real *flow = rec + at[LIEDER_AT_PORT + LIEDER_PER_PORT * port + LIEDER_FLOWS];
            for (int f = 0; f < d->nflow * d->nregime; f++)
                flow[f] = real_splat(0.0);
        }
    }
}

/* with lambda = 0: the right-hand side, and the unknowns of the links */
static void run_tree_alone(const LiederStrip *one, const Program *p, const Complement *m)
{
    real *rec = one->base, *A = rec + m->matrix;
    for (size_t e = 0; e < m->leaves.n; e++) {
        const CoupledLeaf *leaf = &m->leaves.items[e];
        const Component *c = &p->shape->components.items[leaf->component];
        lieder_run(c->class_->kernels[p->isa]->couple, one, at_of(p, leaf->component), 0);
        for (uint32_t r = 0; r < leaf->nf; r++)
            A[(leaf->column + r) * (m->n + 1) + m->n] =
                leaf_row(rec, leaf, r) + rec[leaf->save + 4 * leaf->np * leaf->nf + leaf->nf + r];
    }
    for (size_t i = 0; i < m->links.n; i++) {
        const LoopLink *link = &m->links.items[i];
        const Component *c = &p->shape->components.items[link->component];
        int nunknown = c->class_->kernels[p->isa]->nunknown;
        uint32_t unknown[nunknown + 1], residual[nunknown + 1];
        list_places(c, at_of(p, link->component), unknown, residual);
        loop_keep(rec, nunknown, unknown, rec + m->base + link->first_unknown);
    }
}

/* the columns of I - K G that belong to the flows of a leaf, by a unit of each */
static void columns_of_leaf(const LiederStrip *off, const Program *p, const Complement *m,
                            const CoupledLeaf *leaf)
{
    real *rec = off->base, *A = rec + m->matrix;
    for (uint32_t r = 0; r < leaf->nf; r++) {
        uint32_t column = leaf->column + r;
        real *u0 = rec + m->response + column * m->nunknown;
        for (uint32_t i = 0; i < m->nunknown; i++)
            u0[i] = real_splat(0.0);
        send_inward(off, p, m, leaf->path[1], leaf->npath[1], r, 1.0, u0);
        send_inward(off, p, m, leaf->path[0], leaf->npath[0], r, -1.0, u0);
        send_outward(off, p, m, u0);
        for (size_t g = 0; g < m->leaves.n; g++)
            for (uint32_t s = 0; s < m->leaves.items[g].nf; s++) {
                uint32_t row = m->leaves.items[g].column + s;
                real *to = &A[row * (m->n + 1) + column];
                *to = -leaf_row(rec, &m->leaves.items[g], s);
                if (row == column)
                    *to = *to + 1.0;
            }
    }
}

/* all unknowns from the flows of the leaves, and outward once more with the bias */
static void finish_links(const LiederStrip *on, const Program *p, const Complement *m)
{
    real *rec = on->base;
    for (size_t i = 0; i < m->links.n; i++) {
        const LoopLink *link = &m->links.items[i];
        const Component *c = &p->shape->components.items[link->component];
        const uint32_t *at = at_of(p, link->component);
        int nunknown = c->class_->kernels[p->isa]->nunknown;
        uint32_t unknown[nunknown + 1], residual[nunknown + 1];
        list_places(c, at, unknown, residual);
        loop_unknowns(rec, rec + m->matrix, (int)m->n, nunknown, unknown,
                      rec + m->base + link->first_unknown, rec + m->response + link->first_unknown,
                      (int)m->nunknown);
        lieder_run(c->class_->kernels[p->isa]->outward[c->reversed], on, at, 0);
    }
}

/* The loops of a group in one record. The matrix has n rows of n + 1, the right-hand side last; it
 * is eliminated without exchange: I plus something like a positive definite matrix. */
static void complement_one(const LiederStrip *one, const Program *p, const Complement *m)
{
    LiederStrip on = *one, off = *one;
    on.bias_scale = 1;
    off.bias_scale = 0;
    if (p->full)
        clear_flows(one->base, p, m);
    run_tree_alone(one, p, m);
    for (size_t e = 0; e < m->leaves.n; e++)
        columns_of_leaf(&off, p, m, &m->leaves.items[e]);
    loop_eliminate((real *)one->base + m->matrix, (int)m->n);
    finish_links(&on, p, m);
}

/* the same for all records of a strip */
static void complement(const LiederStrip *strip, const Program *p, const Complement *m)
{
    LiederStrip one = *strip;
    one.nvec = 1;
    for (int v = 0; v < strip->nvec; v++) {
        one.base = (real *)strip->base + (size_t)v * strip->record;
        if (strip->times)
            one.times = strip->times + v * LIEDER_LANES;
        if (strip->event_times)
            one.event_times = strip->event_times + v * LIEDER_LANES;
        complement_one(&one, p, m);
    }
}

/* ------------------------------------------------------------------ Runge-Kutta sums */

static void stage_first(double *restrict y, double *restrict sum, const double *restrict x,
                        const double *restrict k, double p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        y[i] = x[i] + p * k[i];
        sum[i] = k[i];
    }
}

static void stage_next(double *restrict y, double *restrict sum, const double *restrict x,
                       const double *restrict k, double p, double q, double r, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        y[i] = x[i] + (p * k[i] + q * sum[i]);
        sum[i] = sum[i] + r * k[i];
    }
}

/* x + s (sum + k), the end of a Runge-Kutta step; the result is zero unless some number is not
 * finite */
static double stage_last(double *restrict x, const double *restrict sum, const double *restrict k,
                         double s, size_t n)
{
    double zero[8] = {0}; /* stays zero unless some x is infinite or NaN */
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (size_t l = 0; l < 8; l++) {
            x[i + l] = x[i + l] + s * (sum[i + l] + k[i + l]);
            zero[l] = zero[l] + x[i + l] * 0.0;
        }
    for (; i < n; i++) {
        x[i] = x[i] + s * (sum[i] + k[i]);
        zero[0] = zero[0] + x[i] * 0.0;
    }
    double all = 0;
    for (size_t l = 0; l < 8; l++)
        all += zero[l];
    return all;
}

/* registers as long as no number in them is far, then number by number */
static size_t first_apart(const double *x, const double *y, double part, size_t n)
{
    size_t i = 0;
    for (; i + LIEDER_LANES <= n; i += LIEDER_LANES) {
        real here, there;
        memcpy(&here, x + i, sizeof here);
        memcpy(&there, y + i, sizeof there);
        if (mask_any((mask)(real_absolute(there - here) > part * (1.0 + real_absolute(here)))))
            break;
    }
    while (i < n && !(fabs(y[i] - x[i]) > part * (1 + fabs(x[i]))))
        i++;
    return i;
}

extern const LaneOps LIEDER_SYMBOL(lane_ops);
const LaneOps LIEDER_SYMBOL(lane_ops) = {load_variable, load_all,   fill_variable, store,
                                         store_all,     alarm,      complement,    stage_first,
                                         stage_next,    stage_last, first_apart};
