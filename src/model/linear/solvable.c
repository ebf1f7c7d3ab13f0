/* solvable.c - see solvable.h; the rules R1 to R5 are those of docs/solvability.md.
 *
 * A component is probed alone, at the states of a lane: unit values one by one for its incoming
 * potentials, its unknowns and the flows at its outgoing ports, with the constant terms off
 * (linear_map.h). Of potentials that come in blocks as long as the flows (mechanics: elastic
 * velocities, then accelerations) the last block is the acceleration a; the first one moves with it
 * as P = tau a, where tau is the same for all joints of a group (rule R4).
 *
 * A group is examined from the outermost link to the root, for one state after the other. Each node
 * has a space N that contains all accelerations to which the components behind it answer with no
 * force: empty where there is a body, everything where there is nothing. A joint along S needs (N,
 * S) independent, and passes on what remains of (N, S) at its other port (rule R3).
 */
#include "model/linear/solvable.h"

#include <math.h>
#include <string.h>

#include "model/class/linear_map.h"
#include "model/linear/solvable_matrix.h"

enum {
    NTRY = 4,          /* random states beside the start */
    MAX_FLOWS = 6,     /* of a port */
    MAX_PARTS = 100000 /* components that are examined: of a shape, or of all its lanes that
                           differ; of more lanes some are, and nothing is proved */
};
static const double CLOSE = 1e-9;

/* what one component maps: out[o] = sum of a[o * SMALL + i] in[i] */
typedef struct Local {
    double a[SMALL * SMALL];
    int in_potential[SMALL], in_flow[SMALL]; /* by port: first input, or -1 */
    int out_potential[SMALL], out_flow[SMALL];
    int in_unknown, out_residual, nunknown;
    MapVariable in[SMALL], out[SMALL];
    int nin, nout;
} Local;

/* a space of accelerations: independent rows */
typedef struct Space {
    int n; /* how many; -1: nothing is known, it counts as everything */
    double row[MAX_FLOWS * MAX_FLOWS];
} Space;

/* of a component: numbers that must be the same at all states */
typedef struct Invariant {
    int n;
    double value[2 * MAX_FLOWS];
} Invariant;

typedef struct Solvable {
    LiederSystem *system;
    SystemShape *ss;
    const LiederAllocator *alloc;
    VEC(Space) spaces;         /* by node */
    VEC(Invariant) invariants; /* by component */
    VEC(GroupSolvable) groups; /* of the shape */
    VEC(double) tau;           /* by group; NaN: no joint yet */
    VEC(uint8_t) uneven;       /* by group: joints with different tau */
    VEC(double) start;         /* states of the lane */
    bool first;                /* state of the lane */
    size_t lane;
    uint64_t seed;
    Local local;
} Solvable;

/* ------------------------------------------------------------------ verdicts */

/* the worst verdict of a group counts, and the first reason for it */
static void judge(Solvable *s, int group, SolvableVerdict verdict, uint32_t component,
                  const char *why)
{
    GroupSolvable *g = &s->groups.items[group];
    if (verdict <= g->verdict)
        return;
    g->verdict = verdict;
    g->component = component;
    g->lane = s->lane;
    g->why = why;
}

static bool close_to(double a, double b, double size)
{
    return fabs(a - b) <= CLOSE * (size + fabs(a) + fabs(b));
}

/* the same numbers as at the first state? */
static bool invariant_holds(Solvable *s, uint32_t component, const double *value, int n)
{
    Invariant *v = &s->invariants.items[component];
    double size = 0;
    if (n > 2 * MAX_FLOWS)
        return false;
    if (s->first) {
        v->n = n;
        memcpy(v->value, value, (size_t)n * sizeof *value);
        return true;
    }
    for (int i = 0; i < n; i++)
        size = fmax(size, fabs(value[i]));
    bool same = v->n == n;
    for (int i = 0; same && i < n; i++)
        same = close_to(value[i], v->value[i], size);
    return same;
}

/* whether one of two numbers has been the same at all states so far */
static bool either_holds(Solvable *s, uint32_t component, double a, double b)
{
    Invariant *v = &s->invariants.items[component];
    const double value[] = {a, b};
    if (s->first)
        return invariant_holds(s, component, value, 2);
    if (v->n != 2)
        return false;
    for (int k = 0; k < 2; k++)
        if (!close_to(value[k], v->value[k], 0))
            v->value[k] = NAN; /* from now on */
    return !isnan(v->value[0]) || !isnan(v->value[1]);
}

/* ------------------------------------------------------------------ probing */

/* where the variables of each port begin; -1: the list has none of its own */
static void index_variables(const MapVariable *list, int n, int *potential, int *flow, int *unknown)
{
    for (int p = 0; p < SMALL; p++)
        potential[p] = flow[p] = -1;
    *unknown = n;
    for (int i = n; i-- > 0;)
        if (list[i].kind == MAP_UNKNOWN)
            *unknown = i;
        else
            (list[i].kind == MAP_POTENTIAL ? potential : flow)[list[i].port] = i;
}

/* the inputs and outputs of a component; false: too many, or a domain that is not understood */
static bool lay_out(Solvable *s, uint32_t i)
{
    const Component *c = &s->ss->shape->components.items[i];
    const LiederClassDef *def = c->class_->def;
    const uint32_t *at = at_of(&s->ss->plan.full, i);
    Local *l = &s->local;
    if (def->nport > SMALL)
        return false;
    for (int p = 0; p < def->nport; p++) {
        const LiederDomain *d = def->ports[p].domain;
        if (d->npotential &&
            (d->nflow > MAX_FLOWS || d->npotential % d->nflow || d->npotential > 2 * d->nflow))
            return false;
    }
    size_t nin = map_inputs(def, at, c->reversed, MAP_REGIMES_TOGETHER, l->in, SMALL);
    size_t nout = map_outputs(def, at, c->reversed, MAP_REGIMES_TOGETHER, l->out, SMALL);
    if (nin > SMALL || nout > SMALL)
        return false;
    l->nin = (int)nin;
    l->nout = (int)nout;
    index_variables(l->in, l->nin, l->in_potential, l->in_flow, &l->in_unknown);
    index_variables(l->out, l->nout, l->out_potential, l->out_flow, &l->out_residual);
    l->nunknown = l->nin - l->in_unknown;
    return true;
}

/* the map of a component at the state that the record holds; false: not understood */
static bool probe(Solvable *s, uint32_t i)
{
    const Program *p = &s->ss->plan.full;
    const Component *c = &s->ss->shape->components.items[i];
    const LiederKernels *k = kernels_of(p, c);
    const uint32_t *at = at_of(p, i);
    const double *rec = s->ss->workspace->record;
    LiederStrip strip = full_strip(s->ss, 0);
    strip.bias_scale = 0;
    if (!lay_out(s, i))
        return false;
    Local *l = &s->local;
    for (int port = 0; port < c->class_->def->nport; port++) { /* the other regimes as well */
        const LiederDomain *d = c->class_->def->ports[port].domain;
        uint32_t place = at[LIEDER_AT_PORT + LIEDER_PER_PORT * port + LIEDER_FLOWS];
        for (int f = 0; f < d->nflow * d->nregime && l->in_flow[port] >= 0; f++)
            s->ss->plan.full_ops->fill(&strip, place + (uint32_t)f, 0.0);
    }
    for (int n = 0; n < l->nin; n++)
        s->ss->plan.full_ops->fill(&strip, l->in[n].place, 0.0);
    bool finite = true;
    for (int n = 0; n < l->nin; n++) {
        s->ss->plan.full_ops->fill(&strip, l->in[n].place, 1.0);
        map_run(k, c->reversed, at, &strip);
        s->ss->plan.full_ops->fill(&strip, l->in[n].place, 0.0);
        for (int o = 0; o < l->nout; o++) {
            l->a[o * SMALL + n] = map_read(rec, (size_t)p->lanes, &l->out[o]);
            finite &= isfinite(l->a[o * SMALL + n]) != 0;
        }
    }
    return finite;
}

/* flows of a port, and where its accelerations begin among the potentials */
static int port_flows(const Component *c, int port)
{
    return c->class_->def->ports[port].domain->nflow;
}
static int acceleration(const Component *c, int port)
{
    const LiederDomain *d = c->class_->def->ports[port].domain;
    return d->npotential - d->nflow;
}

/* the column of an acceleration that comes in, with what moves with it: see R4 */
static double column_at(const Local *l, const Component *c, int port, int k, int row, double tau)
{
    int first = l->in_potential[port], a = acceleration(c, port);
    double value = l->a[row * SMALL + first + a + k];
    return a ? value + tau * l->a[row * SMALL + first + k] : value;
}

/* ------------------------------------------------------------------ the time constant, R4 */

/* the elastic velocity and the acceleration that unknown u makes of potential k at a port; false:
 * the port has no elastic regime */
static bool joint_moves(const Local *l, const Component *c, int port, int k, int u, double *elastic,
                        double *accel)
{
    int row = l->out_potential[port] + k, a = acceleration(c, port);
    *accel = l->a[(row + a) * SMALL + l->in_unknown + u];
    *elastic = l->a[row * SMALL + l->in_unknown + u];
    return a != 0;
}

/* tau of the potentials P = tau a that a joint moves; NaN: P is no such multiple */
static double joint_tau(const Solvable *s, const Component *c)
{
    const Local *l = &s->local;
    double tau = 0, most = 0, elastic, accel;
    for (int twice = 0; twice < 2; twice++)
        for (int p = 0; p < c->class_->def->nport; p++) {
            int n = l->out_potential[p] >= 0 ? port_flows(c, p) * l->nunknown : 0;
            for (int i = 0; i < n; i++) {
                if (!joint_moves(l, c, p, i / l->nunknown, i % l->nunknown, &elastic, &accel))
                    continue;
                if (twice && !close_to(elastic, tau * accel, tau * most))
                    return NAN;
                if (!twice && fabs(accel) > most) {
                    most = fabs(accel);
                    tau = elastic / accel;
                }
            }
        }
    return tau;
}

/* the time constant of the joints of each group, or that they differ */
static void find_tau(Solvable *s)
{
    const Shape *shape = s->ss->shape;
    for (size_t q = 0; q < shape->links.n; q++) {
        uint32_t i = shape->links.items[q];
        const Component *c = &shape->components.items[i];
        if (c->group < 0 || !probe(s, i) || !s->local.nunknown)
            continue;
        double tau = joint_tau(s, c), *before = &s->tau.items[c->group];
        if (isnan(*before))
            *before = tau;
        if (isnan(tau) || !close_to(tau, *before, 0))
            s->uneven.items[c->group] = 1;
    }
}

/* ------------------------------------------------------------------ leaves, R2 */

/* the law between the accelerations and flows of the ports of a leaf that are not grounded;
 * *elastic: it answers to the first block of potentials. Returns its size. */
static int leaf_law(const Solvable *s, uint32_t i, double *law, bool *elastic)
{
    const Component *c = &s->ss->shape->components.items[i];
    const Local *l = &s->local;
    int rows[SMALL], ports[SMALL], ks[SMALL], n = 0;
    for (int p = 0; p < c->class_->def->nport; p++)
        for (int k = 0; l->out_flow[p] >= 0 && k < port_flows(c, p); k++) {
            if (s->ss->shape->nodes.items[c->node[p]].grounded || n == 2 * MAX_FLOWS)
                continue;
            rows[n] = l->out_flow[p] + k;
            ports[n] = p;
            ks[n++] = k;
        }
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) {
            int group = s->ss->shape->nodes.items[c->node[ports[b]]].group;
            double tau = group < 0 || isnan(s->tau.items[group]) ? 0 : s->tau.items[group];
            law[a * n + b] = column_at(l, c, ports[b], ks[b], rows[a], tau);
            *elastic |= acceleration(c, ports[b]) &&
                        l->a[rows[a] * SMALL + l->in_potential[ports[b]] + ks[b]] != 0;
        }
    return n;
}

static bool is_symmetric(const double *a, int n)
{
    double size = 0;
    for (int i = 0; i < n * n; i++)
        size = fmax(size, fabs(a[i]));
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            if (fabs(a[i * n + k] - a[k * n + i]) > CLOSE * size)
                return false;
    return true;
}

/* N of a symmetric law: eigenvectors of what is zero but for rounding. false: it is indefinite. */
static bool null_space(double *law, int n, double *values, Space *space)
{
    double vectors[4 * MAX_FLOWS * MAX_FLOWS];
    symmetric_eigen(law, n, values, vectors);
    double most = n ? values[n - 1] : 0;
    if (n && values[0] < -CLOSE * fabs(most))
        return false;
    space->n = 0;
    for (int i = 0; i < n; i++)
        if (values[i] <= 1e-14 * most && n <= MAX_FLOWS)
            memcpy(space->row + space->n++ * n, vectors + i * n, (size_t)n * sizeof *vectors);
    return true;
}

/* takes the smaller of two spaces of a node */
static void improve(Space *space, const Space *by)
{
    if (by->n >= 0 && (space->n < 0 || by->n < space->n))
        *space = *by;
}

/* the one port of a leaf whose node is not grounded; -1: there are several, or none */
static int only_port(const Solvable *s, const Component *c)
{
    int found = -1;
    for (int p = 0; p < c->class_->def->nport; p++) {
        const ShapeNode *node = &s->ss->shape->nodes.items[c->node[p]];
        if (node->domain->npotential == 0 || node->grounded)
            continue;
        if (found >= 0)
            return -1;
        found = p;
    }
    return found;
}

/* a leaf: its law must be symmetric and positive; the space of its node follows */
static void examine_leaf(Solvable *s, uint32_t i)
{
    const Component *c = &s->ss->shape->components.items[i];
    double law[4 * MAX_FLOWS * MAX_FLOWS], values[2 * MAX_FLOWS];
    Space space = {.n = -1};
    bool elastic = false;
    int group = -1;
    for (int p = 0; p < c->class_->def->nport; p++) {
        const ShapeNode *node = &s->ss->shape->nodes.items[c->node[p]];
        group =
            node->domain->npotential && !node->grounded && node->group >= 0 ? node->group : group;
    }
    if (group < 0)
        return;
    if (!probe(s, i) || s->local.nunknown) {
        judge(s, group, SOLVABLE_TESTED, i, "no rule is about a component of this kind");
        return;
    }
    int n = leaf_law(s, i, law, &elastic);
    if (elastic && s->uneven.items[group]) {
        judge(s, group, SOLVABLE_TESTED, i,
              "it answers to elastic velocities, and the joints have different T_D");
        return;
    }
    if (!is_symmetric(law, n) || !null_space(law, n, values, &space)) {
        judge(s, group, SOLVABLE_TESTED, i, "its answer is not symmetric and positive");
        return;
    }
    int port = only_port(s, c);
    if (!invariant_holds(s, i, values, n))
        judge(s, group, SOLVABLE_TESTED, i, "how strongly it answers depends on the state");
    else if (port >= 0)
        improve(&s->spaces.items[c->node[port]], &space);
}

/* ------------------------------------------------------------------ links, R1 and R3 */

/* R1: forces come back through the transpose of the map of accelerations, and the residuals are
 * multiples of the work along the unknowns. *bent: accelerations depend on elastic velocities. */
static bool is_dual(const Solvable *s, const Component *c, double tau, int in, double *factor,
                    bool *bent)
{
    const Local *l = &s->local;
    int nport = c->class_->def->nport;
    double size = 0;
    for (int n = 0; n < SMALL * SMALL; n++)
        if (n / SMALL < l->nout && n % SMALL < l->nin)
            size = fmax(size, fabs(l->a[n]));
    for (int u = 0; u < l->nunknown; u++)
        factor[u] = 0;
    for (int p = 0; p < nport; p++)
        for (int k = 0; l->out_potential[p] >= 0 && k < port_flows(c, p); k++) {
            int row = l->out_potential[p] + acceleration(c, p) + k, flow = l->in_flow[p] + k;
            for (int j = 0; j < port_flows(c, in); j++) {
                int a = acceleration(c, in), first = l->in_potential[in];
                double t = l->a[row * SMALL + first + a + j];
                if (!close_to(t, -l->a[(l->out_flow[in] + j) * SMALL + flow], size))
                    return false;
                *bent |= a && tau != 0 && fabs(l->a[row * SMALL + first + j]) > CLOSE * size;
            }
            for (int u = 0; u < l->nunknown; u++) {
                double along = l->a[row * SMALL + l->in_unknown + u];
                double work = l->a[(l->out_residual + u) * SMALL + flow];
                if (factor[u] == 0 && fabs(along) > CLOSE * size)
                    factor[u] = work / along;
                if (!close_to(work, factor[u] * along, size))
                    return false;
            }
        }
    for (int u = 0; u < l->nunknown; u++)
        if (factor[u] == 0)
            return false; /* it moves nothing */
    return true;
}

/* What a link answers itself: symmetric and positive, as a leaf's law. `inertia` is its share that
 * the unknowns move with nothing else. */
static bool own_answer(const Solvable *s, const Component *c, double tau, int in,
                       const double *factor, double *inertia)
{
    const Local *l = &s->local;
    int nf = port_flows(c, in), n = nf + l->nunknown;
    double law[4 * MAX_FLOWS * MAX_FLOWS], values[2 * MAX_FLOWS];
    Space space;
    if (n > 2 * MAX_FLOWS)
        return false;
    for (int row = 0; row < n; row++)
        for (int k = 0; k < n; k++) {
            int o = row < nf ? l->out_flow[in] + row : l->out_residual + row - nf;
            double value =
                k < nf ? column_at(l, c, in, k, o, tau) : l->a[o * SMALL + l->in_unknown + k - nf];
            law[row * n + k] = row < nf ? value : -value / factor[row - nf];
            if (row >= nf && k >= nf)
                inertia[(row - nf) * l->nunknown + k - nf] = law[row * n + k];
        }
    return is_symmetric(law, n) && null_space(law, n, values, &space);
}

/* Rows of W, as vectors over all outgoing ports: the spaces of the nodes behind the link, then the
 * directions in which the unknowns move them. Returns how many rows; *width: their length. */
static int stack_spaces(const Solvable *s, const Component *c, double *w, int *width)
{
    const Local *l = &s->local;
    int n = 0, rows = 0, at[SMALL];
    for (int p = 0; p < c->class_->def->nport; p++) {
        at[p] = n;
        n += l->out_potential[p] >= 0 ? port_flows(c, p) : 0;
    }
    *width = n;
    if (n > SMALL || n == 0)
        return -1;
    memset(w, 0, SMALL * SMALL * sizeof *w);
    for (int p = 0; p < c->class_->def->nport; p++) {
        int nf = port_flows(c, p);
        const Space *space = &s->spaces.items[c->node[p]];
        int count = space->n < 0 ? nf : space->n;
        for (int k = 0; l->out_potential[p] >= 0 && k < count; k++, rows++)
            for (int j = 0; j < nf && rows < SMALL; j++)
                w[rows * n + at[p] + j] = space->n < 0 ? j == k : space->row[k * nf + j];
    }
    for (int u = 0; u < l->nunknown && rows < SMALL; u++, rows++)
        for (int p = 0; p < c->class_->def->nport; p++)
            for (int k = 0; l->out_potential[p] >= 0 && k < port_flows(c, p); k++)
                w[rows * n + at[p] + k] =
                    l->a[(l->out_potential[p] + acceleration(c, p) + k) * SMALL + l->in_unknown +
                         u];
    return rows < SMALL ? rows : -1;
}

static void normalise_rows(double *w, int nrow, int n)
{
    for (int r = 0; r < nrow; r++) {
        double length = 0;
        for (int k = 0; k < n; k++)
            length += w[r * n + k] * w[r * n + k];
        for (int k = 0; k < n && length > 0; k++)
            w[r * n + k] /= sqrt(length);
    }
}

/* N at the incoming port: (N, S) of a rigid port of the same size, brought there */
static Space space_inboard(const Solvable *s, const Component *c, int in)
{
    const Local *l = &s->local;
    Space best = {.n = -1};
    int nf = port_flows(c, in);
    for (int p = 0; p < c->class_->def->nport; p++) {
        const Space *space = &s->spaces.items[c->node[p]];
        double t[MAX_FLOWS * MAX_FLOWS], rows[2 * MAX_FLOWS * MAX_FLOWS];
        if (l->out_potential[p] < 0 || port_flows(c, p) != nf || space->n < 0 ||
            space->n + l->nunknown > nf)
            continue;
        int first = l->out_potential[p] + acceleration(c, p);
        memcpy(rows, space->row, (size_t)(space->n * nf) * sizeof *rows);
        for (int u = 0; u < l->nunknown; u++)
            for (int k = 0; k < nf; k++)
                rows[(space->n + u) * nf + k] = l->a[(first + k) * SMALL + l->in_unknown + u];
        for (int k = 0; k < nf; k++)
            for (int j = 0; j < nf; j++)
                t[k * nf + j] =
                    l->a[(first + k) * SMALL + l->in_potential[in] + acceleration(c, in) + j];
        Space found = {.n = space->n + l->nunknown};
        if (!solve_rows(t, nf, rows, found.n))
            continue;
        memcpy(found.row, rows, (size_t)(found.n * nf) * sizeof *rows);
        improve(&best, &found);
    }
    return best;
}

/* R3: something with a definite law moves with each unknown, inside the link or behind it */
static void examine_joint(Solvable *s, const Component *c, uint32_t i, int group, double *inertia)
{
    double w[SMALL * SMALL], values[2 * MAX_FLOWS];
    Space none;
    int nu = s->local.nunknown, width;
    if (nu <= MAX_FLOWS && null_space(inertia, nu, values, &none) && none.n == 0 && values[0] > 0) {
        if (!invariant_holds(s, i, values, nu))
            judge(s, group, SOLVABLE_TESTED, i, "its own inertia depends on the state");
        return;
    }
    int nrow = stack_spaces(s, c, w, &width);
    if (nrow < 0) {
        judge(s, group, SOLVABLE_TESTED, i, "it is too large");
        return;
    }
    double volume = gram_determinant(w, nrow, width);
    normalise_rows(w, nrow, width);
    double independent = gram_determinant(w, nrow, width);
    if (!(independent > 1e-12))
        judge(s, group, SOLVABLE_TESTED, i, "nothing definite moves with it alone");
    else if (!either_holds(s, i, volume, independent))
        judge(s, group, SOLVABLE_TESTED, i, "what moves with it depends on the state");
}

/* the unknowns of a link: their inertia, their factors, and whether the rules reach it */
static void examine_link(Solvable *s, uint32_t i)
{
    const Component *c = &s->ss->shape->components.items[i];
    double factor[SMALL], inertia[4 * MAX_FLOWS * MAX_FLOWS];
    int in = -1, nin = 0, group = c->group;
    bool bent = false;
    for (int p = 0; p < c->class_->def->nport; p++) {
        const ShapeNode *node = &s->ss->shape->nodes.items[c->node[p]];
        if (node->domain->npotential == 0)
            continue;
        if (port_incoming(c, p)) {
            in = p;
            nin++;
        }
        if (group < 0 && node->group >= 0)
            group = node->group;
    }
    if (group < 0)
        return;
    double tau = isnan(s->tau.items[group]) ? 0 : s->tau.items[group];
    if (nin != 1 || !probe(s, i)) {
        judge(s, group, SOLVABLE_TESTED, i, "no rule is about a component of this kind");
        return;
    }
    if (!is_dual(s, c, tau, in, factor, &bent) || !own_answer(s, c, tau, in, factor, inertia)) {
        judge(s, group, SOLVABLE_TESTED, i,
              "forces do not come back through it as accelerations go");
        return;
    }
    bool of_library = kernels_of(&s->ss->plan.full, c)->source != NULL; /* R5 is about these */
    if (bent && of_library)
        judge(s, group, SOLVABLE_AT_REST, i, "it passes on terms T_D w of what turns");
    else if (bent)
        judge(s, group, SOLVABLE_TESTED, i,
              "accelerations behind it depend on elastic velocities before it");
    if (s->local.nunknown)
        examine_joint(s, c, i, group, inertia);
    Space inboard = space_inboard(s, c, in);
    improve(&s->spaces.items[c->node[in]], &inboard);
}

/* ------------------------------------------------------------------ a shape */

/* the lane at one state: leaves, then links from the outermost to the root */
static void examine_state(Solvable *s)
{
    const Shape *shape = s->ss->shape;
    for (size_t n = 0; n < s->spaces.n; n++)
        s->spaces.items[n].n = -1;
    for (size_t g = 0; g < s->tau.n; g++)
        s->tau.items[g] = NAN;
    find_tau(s);
    for (uint32_t i = 0; i < shape->components.n; i++)
        if (!shape->components.items[i].link && !shape->components.items[i].root)
            examine_leaf(s, i);
    for (size_t q = shape->links.n; q-- > 0;)
        examine_link(s, shape->links.items[q]);
    s->first = false;
}

static double any_state(Solvable *s)
{
    s->seed = s->seed * 6364136223846793005ull + 1442695040888963407ull;
    return 4 * ((double)(s->seed >> 11) * 0x1p-53) - 2;
}

/* evaluates the lane; failures are counted, not reported */
static void try_state(Solvable *s, double t, const double *x, bool rules)
{
    Diagnostics *diag = &s->system->session->diag;
    size_t before = diag->list.n, nerrors = diag->nerrors;
    LiederStatus status = evaluate_lane(s->system, s->ss, s->lane, t, x, false);
    diag_forget(diag, before);
    diag->nerrors = nerrors;
    for (size_t g = 0; g < s->groups.n; g++) {
        s->groups.items[g].ntried++;
        s->groups.items[g].nregular += status == LIEDER_DONE;
    }
    if (rules)
        examine_state(s);
}

/* the start, then random numbers for the states of the lane; x is left as it was */
static void examine_lane(Solvable *s, double *x, bool rules)
{
    s->first = true;
    try_state(s, 0, x, rules);
    for (size_t i = 0; i < s->ss->shape->states.n; i++)
        s->start.items[i] = x[home_state(s->ss, i, s->lane)];
    for (int k = 0; k < NTRY; k++) {
        for (size_t i = 0; i < s->ss->shape->states.n; i++)
            x[home_state(s->ss, i, s->lane)] = any_state(s);
        try_state(s, 0.1 + 0.7 * k, x, rules);
    }
    for (size_t i = 0; i < s->ss->shape->states.n; i++)
        x[home_state(s->ss, i, s->lane)] = s->start.items[i];
}

/* room for what is found about a shape, one verdict for each group; false: no memory */
static bool open_shape(Solvable *s)
{
    const Shape *shape = s->ss->shape;
    size_t n = shape->groups.n;
    if (!vec_resize(s->alloc, &s->spaces, shape->nodes.n) ||
        !vec_resize(s->alloc, &s->invariants, shape->components.n) ||
        !vec_resize(s->alloc, &s->groups, n) || !vec_resize(s->alloc, &s->tau, n) ||
        !vec_resize(s->alloc, &s->uneven, n) || !vec_resize(s->alloc, &s->start, shape->states.n))
        return false;
    for (size_t g = 0; g < n; g++)
        s->groups.items[g] = (GroupSolvable){.shape = (uint32_t)(s->ss - s->system->shapes.items),
                                             .group = (uint32_t)g,
                                             .nunknown = shape->groups.items[g].nunknown};
    for (uint32_t i = (uint32_t)shape->components.n; i-- > 0;) {
        const Component *c = &shape->components.items[i];
        if (c->group >= 0)
            s->groups.items[c->group].component = i;
    }
    return true;
}

/* verdicts of a shape, in as many lanes as are examined */
static LiederStatus examine_shape(Solvable *s, double *x)
{
    const Shape *shape = s->ss->shape;
    if (shape->asleep || shape->nlane == 0 || shape->groups.n == 0)
        return LIEDER_DONE;
    LiederStatus status = full_prepare(s->system, s->ss);
    if (status != LIEDER_DONE || !open_shape(s))
        return LIEDER_NO_MEMORY;
    bool large = shape->components.n > MAX_PARTS, rules = !shape->general && !large;
    size_t nlane = s->ss->values.lanes_differ ? shape->nlane : 1;
    size_t most = large ? 1 : MAX_PARTS / (shape->components.n ? shape->components.n : 1);
    size_t looked = nlane > most ? most : nlane;
    for (size_t k = 0; k < looked; k++) {
        s->lane = k * nlane / looked;
        examine_lane(s, x, rules);
    }
    for (size_t g = 0; g < s->groups.n; g++) {
        GroupSolvable *group = &s->groups.items[g];
        s->lane = 0;
        if (!rules)
            judge(s, (int)g, SOLVABLE_TESTED, group->component,
                  large ? "the subsystem is too large to examine every component"
                        : "no rule is about networks and components that are solved together");
        if (looked < nlane)
            judge(s, (int)g, SOLVABLE_TESTED, group->component,
                  "not all lanes with their parameters were examined");
        if (group->nregular == 0 && group->verdict == SOLVABLE_TESTED)
            group->verdict = SOLVABLE_SINGULAR;
    }
    return status;
}

static void close_shape(Solvable *s)
{
    vec_drop(s->alloc, &s->spaces);
    vec_drop(s->alloc, &s->invariants);
    vec_drop(s->alloc, &s->groups);
    vec_drop(s->alloc, &s->tau);
    vec_drop(s->alloc, &s->uneven);
    vec_drop(s->alloc, &s->start);
}

LiederStatus system_solvable(LiederSystem *system, GroupSolvables *list)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(system);
    double *x = memory_zeroed(alloc, (system->nstate + 1) * sizeof *x);
    Solvable *s = memory_zeroed(alloc, sizeof *s);
    LiederStatus status = x && s ? lieder_system_start(system, x) : LIEDER_NO_MEMORY;
    for (size_t i = 0; i < system->shapes.n && status == LIEDER_DONE; i++) {
        *s = (Solvable){
            .system = system, .ss = &system->shapes.items[i], .alloc = alloc, .seed = 20131 + i};
        status = examine_shape(s, x);
        for (size_t g = 0; g < s->groups.n && status == LIEDER_DONE; g++)
            if (!vec_push(alloc, list, s->groups.items[g]))
                status = LIEDER_NO_MEMORY;
        close_shape(s);
    }
    memory_free(alloc, x, (system->nstate + 1) * sizeof *x);
    memory_free(alloc, s, sizeof *s);
    return status;
}
