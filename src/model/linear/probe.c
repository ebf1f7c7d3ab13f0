/* probe.c - the scheme of paper 003: probe every unknown of a group with the plain blocks of all
 * components, solve the dense system. O(n^3), and it loses digits with n; it is the oracle of the
 * tests and the baseline of the benchmark.
 *
 *   residuals(u) = A u + r:  r with u = 0 and the bias on, column j of A with u = e_j and the
 *   bias off;  A u = -r by elimination with row exchange.
 *
 * The potentials of free nodes are unknowns, too, with the sums of flows as residuals.
 *
 * Unit inputs are set here and not by linear_map.h. That one finds what a component alone answers;
 * here a unit goes through all components, and flows are summed at nodes on the way. And this is
 * the oracle of the methods that linear_map.h serves: with shared passes it would share their
 * mistakes.
 */
#include "model/linear/linear.h"

#include "base/dense.h"

/* the unknowns of a component and their residuals */
static bool add_unknowns(SystemShape *ss, uint32_t i, const LiederAllocator *alloc)
{
    const LiederClassDef *def = ss->shape->components.items[i].class_->def;
    uint32_t self = at_of(&ss->plan.full, i)[LIEDER_AT_SELF];
    const LiederMember *u;
    for (int m = 0; (u = next_unknown(def, &m));)
        if (!vec_push(
                alloc, &ss->plan.unknowns,
                (UnknownPlace){i, self + (uint32_t)u->index, self + (uint32_t)u->other, NOWHERE}))
            return false;
    return true;
}

/* the potentials of a free node, whose residuals are sums of flows */
static bool add_potentials(SystemShape *ss, uint32_t n, const LiederAllocator *alloc)
{
    const ShapeNode *node = &ss->shape->nodes.items[n];
    for (uint32_t k = 0; k < (uint32_t)node->domain->npotential; k++) {
        UnknownPlace u = {ss->shape->takers.items[node->first_taker].component,
                          ss->plan.full.potential_of.items[n] + k, k, n};
        if (!vec_push(alloc, &ss->plan.unknowns, u))
            return false;
    }
    return true;
}

LiederStatus probe_prepare(SystemShape *ss, const LiederAllocator *alloc)
{
    const Shape *shape = ss->shape;
    size_t largest = 0;
    for (size_t g = 0; g < shape->groups.n; g++) {
        if (shape->groups.items[g].nunknown > largest)
            largest = shape->groups.items[g].nunknown;
        for (size_t q = 0; q < shape->links.n; q++) {
            uint32_t i = shape->links.items[q];
            if (shape->components.items[i].group == (int)g && !add_unknowns(ss, i, alloc))
                return LIEDER_NO_MEMORY;
        }
        for (uint32_t i = 0; i < shape->components.n && shape->general; i++)
            if (!shape->components.items[i].link && shape->components.items[i].group == (int)g &&
                !add_unknowns(ss, i, alloc))
                return LIEDER_NO_MEMORY;
        for (uint32_t n = 0; n < shape->nodes.n && shape->network; n++)
            if (shape->nodes.items[n].free && shape->nodes.items[n].group == (int)g &&
                !add_potentials(ss, n, alloc))
                return LIEDER_NO_MEMORY;
    }
    ss->plan.ndense = largest * (largest + 1) + 1;
    return LIEDER_DONE;
}

/* the residual of an unknown: that of its component, or the sum of flows at its node */
static double residual_of(const SystemShape *ss, const double *rec, const UnknownPlace *u)
{
    const Program *p = &ss->plan.full;
    size_t lanes = (size_t)p->lanes;
    if (u->node == NOWHERE)
        return rec[u->residual * lanes];
    const ShapeNode *node = &ss->shape->nodes.items[u->node];
    double sum = 0;
    for (uint32_t t = node->first_taker; t < node->first_taker + node->ntaker; t++) {
        const Taker *taker = &ss->shape->takers.items[t];
        uint32_t place =
            at_of(p,
                  taker->component)[LIEDER_AT_PORT + LIEDER_PER_PORT * taker->port + LIEDER_FLOWS] +
            u->residual;
        for (int g = 0; g < node->domain->nregime; g++)
            sum += rec[(place + (uint32_t)(g * node->domain->nflow)) * lanes];
    }
    return sum;
}

LiederStatus probe_solve(SystemShape *ss, const Workspace *w, const LiederStrip *strip,
                         uint32_t *culprit)
{
    const Program *p = &ss->plan.full;
    const double *rec = strip->base;
    const UnknownPlace *u = ss->plan.unknowns.items;
    LiederStrip on = *strip, off = *strip;
    on.bias_scale = 1;
    off.bias_scale = 0;
    for (size_t g = 0; g < ss->shape->groups.n; g++) {
        size_t n = ss->shape->groups.items[g].nunknown, row = n + 1, bad = 0;
        double *A = w->dense;
        for (size_t k = 0; k < ss->plan.unknowns.n; k++)
            ss->plan.full_ops->fill(strip, ss->plan.unknowns.items[k].unknown, 0.0);
        linear_pass(p, &on, true);
        for (size_t i = 0; i < n; i++)
            A[i * row + n] = -residual_of(ss, rec, &u[i]);
        for (size_t j = 0; j < n; j++) {
            ss->plan.full_ops->fill(strip, u[j].unknown, 1.0);
            linear_pass(p, &off, true);
            ss->plan.full_ops->fill(strip, u[j].unknown, 0.0);
            for (size_t i = 0; i < n; i++)
                A[i * row + j] = residual_of(ss, rec, &u[i]);
        }
        if (!dense_solve(n, A, row, A + n, row, &bad)) {
            *culprit = u[bad].component;
            return LIEDER_SINGULAR;
        }
        for (size_t i = 0; i < n; i++)
            w->found[(size_t)(u - ss->plan.unknowns.items) + i] = A[i * row + n];
        u += n;
    }
    for (size_t k = 0; k < ss->plan.unknowns.n; k++)
        ss->plan.full_ops->fill(strip, ss->plan.unknowns.items[k].unknown, w->found[k]);
    return LIEDER_DONE;
}
