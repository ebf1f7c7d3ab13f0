/* access.c - which places of a record an op of a program reads and writes, as in kernels.inc.
 *
 * Generated code keeps places in registers and must know what to load before an op and what to
 * store after it. Members of a struct are distinguished by the table of the class: blocks change
 * neither parameters nor states nor memory, and only elimination reads and writes unknowns and
 * residuals. Reals that the table does not name may be read and written by every block. Results
 * that an op leaves out because no other op needs them (basic signals, inertial columns) count as
 * neither written nor read, and may hold anything. */
#include "compile/compile.h"

typedef struct AccessWalk {
    const Program *p;
    const Op *op;
    const Component *c;
    const LiederKernels *k;
    const uint32_t *at;
    AccessVisit *visit;
    void *user;
} AccessWalk;

static void note_access(const AccessWalk *l, uint32_t place, uint32_t n, int how)
{
    if (place != NOWHERE && n > 0 && how)
        l->visit(l->user, place, n, how);
}

/* how an op treats the real at `index` of the struct */
static int member_access(const AccessWalk *l, int index)
{
    const LiederMember *m = class_member_at(l->c->class_, index);
    OpKind kind = (OpKind)l->op->kind;
    if (!m)
        return kind == OP_REDUCE ? ACCESS_READS : ACCESS_READS | ACCESS_WRITES;
    if (m->kind != LIEDER_UNKNOWN)
        return ACCESS_READS;
    if (kind == OP_SOLVE)
        return index == m->index ? ACCESS_WRITES | ACCESS_SETS : 0;
    return kind == OP_OUTWARD || kind == OP_INWARD ? ACCESS_READS | ACCESS_WRITES : 0;
}

static void access_struct(const AccessWalk *l)
{
    for (int i = 0; i < l->k->nreal; i++)
        note_access(l, l->at[LIEDER_AT_SELF] + (uint32_t)i, 1, member_access(l, i));
}

/* whether a column of a law, or a potential, counts for this variant */
static bool counts(const AccessWalk *l, const LiederDomain *d, int potential)
{
    return !(l->op->variant & LIEDER_INERTIAL) || (d->inertial >> potential & 1);
}

static void access_law(const AccessWalk *l, const LiederDomain *d, uint32_t law, int how)
{
    for (int k = 0; k < d->npotential; k++)
        if (counts(l, d, k))
            note_access(l, law + (uint32_t)(k * d->nflow), (uint32_t)d->nflow, how);
    note_access(l, law + (uint32_t)(d->npotential * d->nflow), (uint32_t)d->nflow, how);
}

static void access_potentials(const AccessWalk *l, const LiederDomain *d, uint32_t place, int how)
{
    for (int k = 0; k < d->npotential && place != NOWHERE; k++)
        if (l->op->kind == OP_REDUCE || l->op->kind == OP_OUTWARD || counts(l, d, k))
            note_access(l, place + (uint32_t)k, 1, how);
}

/* U and u0 go from reduce to solve; pivots, flows and the inverse are read by messages and loops */
static void access_save(const AccessWalk *l)
{
    const LiederDomain *d = l->c->class_->def->ports[0].domain;
    bool reduce = l->op->kind == OP_REDUCE;
    uint32_t save = l->at[LIEDER_AT_SAVE], nu = (uint32_t)l->k->nunknown;
    uint32_t np = (uint32_t)d->npotential, limit = (uint32_t)l->k->save_limit;
    int how = reduce ? ACCESS_WRITES | ACCESS_SETS : ACCESS_READS;
    for (uint32_t u = 0; u < nu && !(l->op->variant & LIEDER_GROUNDED); u++)
        for (uint32_t k = 0; k < np; k++)
            if (counts(l, d, (int)k))
                note_access(l, save + u * np + k, 1, how);
    note_access(l, save + nu * np, nu, how);
    if (!reduce)
        return;
    note_access(l, save + limit, nu, ACCESS_READS);
    note_access(l, save + (uint32_t)l->k->save_pivot, nu, how);
    if (!(l->op->variant & LIEDER_INERTIAL))
        note_access(l, save + (uint32_t)l->k->save_flow, (uint32_t)(l->k->nsave - l->k->save_flow),
                    how);
}

/* what an op reads and writes at a port, by kind of op and direction of the port */
static void access_port(const AccessWalk *l, int port)
{
    const LiederDomain *d = l->c->class_->def->ports[port].domain;
    const uint32_t *place = l->at + LIEDER_AT_PORT + LIEDER_PER_PORT * port;
    const int variant = l->op->variant, set = ACCESS_WRITES | ACCESS_SETS;
    bool in = port_incoming(l->c, port);
    OpKind kind = (OpKind)l->op->kind;
    bool explicit_ = kind == OP_EXPLICIT || kind == OP_BASIC;
    int signals = in || !explicit_ ? ACCESS_READS : set;
    if (!in && explicit_ && l->k->nmore) /* some pass through a block that does not set them */
        signals = ACCESS_READS | ACCESS_WRITES;
    note_access(l, place[LIEDER_SIGNALS], (uint32_t)d->nsignal, signals);
    if (kind == OP_REDUCE) {
        if (in && (variant & LIEDER_GROUNDED)) /* a leaf: one of its ports is */
            access_potentials(l, d, place[LIEDER_POTENTIALS], ACCESS_READS);
        if (!in) {
            if (!(variant & LIEDER_OPEN) || port <= 1)
                access_law(l, d, place[LIEDER_LAW], ACCESS_READS);
        } else if (port == (variant & LIEDER_REVERSED ? 1 : 0) &&
                   !(l->c->link && (variant & LIEDER_GROUNDED))) {
            access_law(l, d, place[LIEDER_LAW], l->op->add ? ACCESS_READS | ACCESS_WRITES : set);
        }
    } else if (kind == OP_OUTWARD || kind == OP_SOLVE) {
        if (in)
            access_potentials(l, d, place[LIEDER_POTENTIALS], ACCESS_READS);
        else if (kind == OP_OUTWARD || !(variant & LIEDER_OPEN))
            access_potentials(l, d, place[LIEDER_POTENTIALS], set);
    }
}

void op_accesses(const Program *p, const Op *op, AccessVisit *visit, void *user)
{
    const Component *c = &p->shape->components.items[op->component];
    AccessWalk l = {p, op, c, kernels_of(p, c), p->at.items + op->at, visit, user};
    access_struct(&l);
    if (l.k->nunknown > 0 && (op->kind == OP_REDUCE || op->kind == OP_SOLVE))
        access_save(&l);
    for (int port = 0; port < c->class_->def->nport; port++)
        access_port(&l, port);
    if (op->kind == OP_REDUCE)
        note_access(&l, LIEDER_ALARM, 1, ACCESS_READS | ACCESS_WRITES);
}
