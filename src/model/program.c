/* program.c - see program.h: places in the record first, then the lists of ops, then complements.
 * How lists become code of their own stands in program_join.c. */
#include "model/program.h"

#include <string.h>

typedef struct Builder {
    Program *p;
    const Shape *shape;
    const LiederAllocator *alloc;
    uint32_t next;     /* first free real of the record */
    VEC(uint32_t) law; /* by node: where its law stands now, or NOWHERE */
    /* areas that may be used again: (size, place) */
    struct FreeArea {
        uint32_t size, place;
    } free_areas[64];
    size_t nfree;
    VEC(uint8_t) level;    /* by group: 1 if inertial columns suffice */
    VEC(uint8_t) needed;   /* by component: its solve is needed for derivatives */
    VEC(uint8_t) all_read; /* by component: all its outgoing signals are needed */
    VEC(uint8_t) wanted;   /* by component: its explicit block is needed */
    VEC(uint32_t) users;   /* by node: solves that still need its potentials */
    uint32_t unit;         /* of the explicit block at hand, else 0 */
    bool failed;
} Builder;

bool shape_has_isa(const Shape *shape, LiederIsa isa)
{
    for (size_t i = 0; i < shape->components.n; i++)
        if (!shape->components.items[i].class_->kernels[isa])
            return false;
    return true;
}

/* ------------------------------------------------------------------ memory of a record */

static uint32_t take(Builder *b, uint32_t size)
{
    for (size_t i = 0; i < b->nfree; i++)
        if (b->free_areas[i].size == size) {
            uint32_t place = b->free_areas[i].place;
            b->free_areas[i] = b->free_areas[--b->nfree];
            return place;
        }
    uint32_t place = b->next;
    b->next += size;
    return place;
}

static void give_back(Builder *b, uint32_t place, uint32_t size)
{
    if (!b->p->full && b->nfree < sizeof b->free_areas / sizeof *b->free_areas)
        b->free_areas[b->nfree++] = (struct FreeArea){size, place};
}

static uint32_t *port_at(Builder *b, uint32_t component, int port, int what)
{
    return b->p->at.items + b->p->at_of.items[component] + LIEDER_AT_PORT + LIEDER_PER_PORT * port +
           what;
}

/* whether a group gets a complement */
static bool has_loops(const Builder *b, int group)
{
    return b->p->loops && b->shape->groups.items[group].ncoupling > 0;
}

/* the kernel of a component, if it has one */
static LiederCode kernel_of(const LiederKernels *k, OpKind kind, int variant, uint32_t unit)
{
    int reversed = variant & LIEDER_REVERSED;
    switch (kind) {
    case OP_CONSTANT:
        return k->constant;
    case OP_INCOMING:
        return k->incoming[reversed];
    case OP_EXPLICIT:
        return unit ? k->more[unit - 1][reversed] : k->explicit_[reversed];
    case OP_BASIC:
        return k->basic[reversed];
    case OP_OUTWARD:
        return k->outward[reversed];
    case OP_INWARD:
        return k->inward[reversed];
    case OP_REDUCE:
        return k->reduce[variant];
    case OP_SOLVE:
        return k->solve[variant];
    case OP_OBSERVE:
        return k->observe[reversed];
    }
    return (LiederCode){0};
}

static bool push_op(Builder *b, OpList *list, OpKind kind, int variant, uint32_t component,
                    uint32_t at, int add)
{
    const Component *c = &b->shape->components.items[component];
    LiederCode code = kernel_of(kernels_of(b->p, c), kind, variant, b->unit);
    Op op = {.code = code,
             .at = at,
             .component = component,
             .kind = (uint8_t)kind,
             .variant = (uint8_t)variant,
             .add = (uint8_t)add,
             .unit = b->unit};
    if (code.run && !vec_push(b->alloc, list, op))
        b->failed = true;
    return code.run;
}

/* an op that finds its things where at_of says */
static void emit(Builder *b, OpList *list, OpKind kind, uint32_t component)
{
    push_op(b, list, kind, b->shape->components.items[component].reversed ? LIEDER_REVERSED : 0,
            component, b->p->at_of.items[component], 0);
}

/* A kernel whose laws or potentials are at other places than at_of says gets a copy of at[]. The
 * places of laws and potentials are only right at the moment of emission. */
static uint32_t freeze_at(Builder *b, uint32_t component)
{
    uint32_t n = at_length(&b->shape->components.items[component]);
    uint32_t from = b->p->at_of.items[component], to = (uint32_t)b->p->at.n;
    if (!vec_resize(b->alloc, &b->p->at, to + n)) {
        b->failed = true;
        return from;
    }
    memcpy(b->p->at.items + to, b->p->at.items + from, n * sizeof(uint32_t));
    return to;
}

/* ------------------------------------------------------------------ layout */

/* signals, structs, save areas, parameters */
static void place_fixed(Builder *b)
{
    Program *p = b->p;
    const Shape *shape = b->shape;
    uint32_t longest = 1;
    for (size_t n = 0; n < shape->nodes.n; n++)
        if (law_size(shape->nodes.items[n].domain) > longest)
            longest = law_size(shape->nodes.items[n].domain);
    b->next = LIEDER_ALARM + 1;
    p->zero = take(b, longest);
    p->nzero = longest;
    for (size_t i = 0; i < shape->components.n && !b->failed; i++) {
        const Component *c = &shape->components.items[i];
        uint32_t n = at_length(c);
        p->at_of.items[i] = (uint32_t)p->at.n;
        b->failed |= !vec_resize(b->alloc, &p->at, p->at.n + n);
    }
    /* in the order of evaluation, so that a chain is walked through front to back */
    for (size_t n = 0; n < p->signal_of.n; n++)
        p->signal_of.items[n] = NOWHERE;
    for (size_t q = 0; q < shape->order.n && !b->failed; q++) {
        uint32_t i = shape->order.items[q].component;
        const Component *c = &shape->components.items[i];
        const LiederKernels *k = kernels_of(p, c);
        const LiederClassDef *def = c->class_->def;
        if (shape->order.items[q].unit > 0)
            continue;
        uint32_t *at = p->at.items + p->at_of.items[i];
        at[LIEDER_AT_SELF] = take(b, (uint32_t)k->nreal);
        if ((uint32_t)k->nscratch > p->nscratch)
            p->nscratch = (uint32_t)k->nscratch;
        uint32_t nsave = (uint32_t)k->nsave;
        if (c->coupling == COUPLE_BOTH && p->loops) {
            const LiederDomain *d = def->ports[0].domain;
            nsave = (uint32_t)(2 * d->nflow * (2 * d->npotential + 1));
        }
        at[LIEDER_AT_SAVE] = nsave ? take(b, nsave) : 0;
        for (int port = 0; port < def->nport; port++) {
            uint32_t node = c->node[port];
            const Node *nd = &shape->nodes.items[node];
            if (p->signal_of.items[node] == NOWHERE) {
                p->signal_of.items[node] = take(b, (uint32_t)nd->domain->nsignal);
                if (nd->grounded || p->full)
                    p->potential_of.items[node] = take(b, (uint32_t)nd->domain->npotential);
            }
            at[LIEDER_AT_PORT + LIEDER_PER_PORT * port + LIEDER_LAW] = p->zero;
            if (p->full)
                at[LIEDER_AT_PORT + LIEDER_PER_PORT * port + LIEDER_FLOWS] =
                    take(b, (uint32_t)(nd->domain->nflow * nd->domain->nregime));
            else if (c->link && c->group >= 0 && has_loops(b, c->group))
                at[LIEDER_AT_PORT + LIEDER_PER_PORT * port + LIEDER_FLOWS] =
                    take(b, (uint32_t)(nd->domain->nflow * nd->domain->nregime));
        }
        for (int s = 0; s < c->class_->nslot && !b->failed; s++) {
            const Slot *slot = &c->class_->slots[s];
            bool start = slot->member && member_has_start(slot->member);
            uint32_t place = at[LIEDER_AT_SELF] + (uint32_t)slot->index;
            if (slot->port >= 0) {
                if (shape->nodes.items[c->node[slot->port]].driver >= 0)
                    continue;
                place = p->signal_of.items[c->node[slot->port]];
            }
            if (!start)
                b->failed |=
                    !vec_push(b->alloc, &p->parameters, (ParameterPlace){i, (uint32_t)s, place});
        }
    }
    for (size_t s = 0; s < shape->states.n && !b->failed; s++) {
        const StateRef *ref = &shape->states.items[s];
        uint32_t self = at_of(p, ref->component)[LIEDER_AT_SELF];
        b->failed |= !vec_push(b->alloc, &p->state_place, self + (uint32_t)ref->member->index) ||
                     !vec_push(b->alloc, &p->derivative_place, self + (uint32_t)ref->member->other);
    }
    for (size_t i = 0; i < shape->components.n && !b->failed; i++)
        for (int port = 0; port < shape->components.items[i].class_->def->nport; port++) {
            uint32_t node = shape->components.items[i].node[port];
            *port_at(b, (uint32_t)i, port, LIEDER_SIGNALS) = p->signal_of.items[node];
            *port_at(b, (uint32_t)i, port, LIEDER_POTENTIALS) = p->potential_of.items[node];
        }
}

/* ------------------------------------------------------------------ programs */

/* whether someone reads outgoing signals of a component beyond the basic ones */
static bool reads_all(const Builder *b, uint32_t i)
{
    const Shape *shape = b->shape;
    const Component *c = &shape->components.items[i];
    if (b->p->full || !c->class_->facts.basic_signals)
        return true;
    for (int port = 0; port < c->class_->def->nport; port++) {
        if (port_incoming(c, port))
            continue;
        const Node *node = &shape->nodes.items[c->node[port]];
        for (uint32_t t = node->first_taker; t < node->first_taker + node->ntaker; t++) {
            uint32_t other = shape->takers.items[t].component;
            const Component *o = &shape->components.items[other];
            if (other != i && port_incoming(o, shape->takers.items[t].port) &&
                (!o->class_->facts.basic_signals || (o->link && b->all_read.items[other])))
                return true;
        }
    }
    return false;
}

static void mark_all_outputs_needed(Builder *b)
{
    const Shape *shape = b->shape;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t q = shape->order.n; q-- > 0;) {
            uint32_t i = shape->order.items[q].component;
            if (b->all_read.items[i] || !reads_all(b, i))
                continue;
            b->all_read.items[i] = 1;
            /* others have been visited before, unless blocks of one component stand apart */
            changed |= shape->components.items[i].class_->facts.nunit > 1;
        }
    }
}

/* whether some component that is wanted takes from a component */
static bool feeds_wanted(const Builder *b, uint32_t i)
{
    const Shape *shape = b->shape;
    const Component *c = &shape->components.items[i];
    for (int port = 0; port < c->class_->def->nport; port++) {
        if (port_incoming(c, port))
            continue;
        const Node *node = &shape->nodes.items[c->node[port]];
        for (uint32_t t = node->first_taker; t < node->first_taker + node->ntaker; t++)
            if (shape->takers.items[t].component != i &&
                b->wanted.items[shape->takers.items[t].component])
                return true;
    }
    return false;
}

/* components whose explicit block some derivative needs: sensors and signals that end nowhere do
 * not run unless someone looks at them */
static void mark_wanted(Builder *b)
{
    const Shape *shape = b->shape;
    for (size_t i = 0; i < shape->components.n; i++) {
        const Component *c = &shape->components.items[i];
        const LiederClassDef *def = c->class_->def;
        bool wanted = b->p->full || c->link || c->root || kernels_of(b->p, c)->inward[0].run;
        for (int m = 0; m < def->nmember; m++)
            wanted |= def->members[m].kind != LIEDER_PARAMETER &&
                      def->members[m].kind != LIEDER_OBSERVABLE;
        b->wanted.items[i] = wanted;
    }
    /* and whatever these depend on; once, unless blocks of one component stand apart */
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t q = shape->order.n; q-- > 0;) {
            uint32_t i = shape->order.items[q].component;
            if (b->wanted.items[i] || !feeds_wanted(b, i))
                continue;
            b->wanted.items[i] = 1;
            changed |= shape->components.items[i].class_->facts.nunit > 1;
        }
    }
}

/* the outward block of a component whose potentials are known without solving anything */
static void emit_known(Builder *b, uint32_t i)
{
    const Component *c = &b->shape->components.items[i];
    bool known = c->root || (c->link && kernels_of(b->p, c)->nunknown == 0);
    for (int port = 0; port < c->class_->def->nport && c->link; port++)
        if (!port_is_signal(&c->class_->def->ports[port]) && port_incoming(c, port))
            known &= b->shape->nodes.items[c->node[port]].grounded;
    if (known)
        emit(b, c->constant ? &b->p->constant : &b->p->explicit_, OP_OUTWARD, i);
}

/* explicit kernels; potentials of grounded nodes are found on the way, or behind them all if blocks
 * of one component stand apart */
static void program_explicit(Builder *b)
{
    Program *p = b->p;
    bool apart = false;
    for (size_t q = 0; q < b->shape->order.n; q++)
        apart |= b->shape->order.items[q].unit > 0;
    for (size_t q = 0; q < b->shape->order.n && apart; q++)
        if (b->shape->order.items[q].unit == 0 &&
            b->wanted.items[b->shape->order.items[q].component])
            emit(b, &p->constant, OP_CONSTANT, b->shape->order.items[q].component);
    for (size_t q = 0; q < b->shape->order.n; q++) {
        const Step *step = &b->shape->order.items[q];
        uint32_t i = step->component;
        const Component *c = &b->shape->components.items[i];
        if (!b->wanted.items[i])
            continue;
        OpList *list = step->constant ? &p->constant : &p->explicit_;
        if (step->unit == 0) {
            if (!apart)
                emit(b, &p->constant, OP_CONSTANT, i);
            emit(b, c->incoming_constant ? &p->constant : &p->explicit_, OP_INCOMING, i);
        }
        b->unit = step->unit;
        emit(b, list, b->all_read.items[i] || step->unit ? OP_EXPLICIT : OP_BASIC, i);
        b->unit = 0;
        if (!apart)
            emit_known(b, i);
    }
    for (size_t q = 0; q < b->shape->order.n && apart; q++)
        if (b->shape->order.items[q].unit == 0 &&
            b->wanted.items[b->shape->order.items[q].component])
            emit_known(b, b->shape->order.items[q].component);
}

/* adds the answer of a taker to the law of its node; the first one stores */
static void answer(Builder *b, uint32_t component, int port, int variant)
{
    const Component *c = &b->shape->components.items[component];
    uint32_t node = c->node[port];
    int add = 1;
    if (b->law.items[node] == NOWHERE) {
        b->law.items[node] = take(b, law_size(b->shape->nodes.items[node].domain));
        add = 0;
    }
    *port_at(b, component, port, LIEDER_LAW) = b->law.items[node];
    if (!push_op(b, &b->p->reduce, OP_REDUCE, variant, component, freeze_at(b, component), add))
        b->failed = true;
}

/* the leaves of a node answer */
static void leaves_answer(Builder *b, uint32_t node)
{
    const Node *nd = &b->shape->nodes.items[node];
    for (uint32_t t = nd->first_taker; t < nd->first_taker + nd->ntaker; t++) {
        const Taker *taker = &b->shape->takers.items[t];
        const Component *c = &b->shape->components.items[taker->component];
        const LiederKernels *k = kernels_of(b->p, c);
        if (c->link || c->root || !k->inward[0].run || c->coupling == COUPLE_BOTH ||
            (c->coupling == COUPLE_ONE && taker->port != c->coupled_port))
            continue;
        int variant = taker->port == 1 ? LIEDER_REVERSED : 0;
        if (c->coupling == COUPLE_ONE)
            variant |= LIEDER_GROUNDED;
        else if (b->level.items[nd->group])
            variant |= LIEDER_INERTIAL;
        answer(b, taker->component, taker->port, variant);
    }
}

static int reduce_variant(Builder *b, const Component *c)
{
    int variant = (c->reversed ? LIEDER_REVERSED : 0) | LIEDER_OPEN;
    const LiederClassDef *def = c->class_->def;
    if (b->level.items[c->group])
        variant |= LIEDER_INERTIAL;
    for (int port = 0; port < def->nport; port++) {
        if (port_is_signal(&def->ports[port]))
            continue;
        if (port_incoming(c, port) && b->shape->nodes.items[c->node[port]].grounded)
            variant |= LIEDER_GROUNDED;
        if (port > 1 && b->law.items[c->node[port]] != NOWHERE)
            variant &= ~LIEDER_OPEN;
    }
    return variant;
}

static void program_reduce(Builder *b)
{
    for (size_t q = b->shape->links.n; q-- > 0;) {
        uint32_t i = b->shape->links.items[q];
        const Component *c = &b->shape->components.items[i];
        const LiederClassDef *def = c->class_->def;
        if (c->group < 0)
            continue; /* rigidly fixed */
        for (int port = 0; port < def->nport; port++)
            if (!port_is_signal(&def->ports[port]) && !port_incoming(c, port)) {
                uint32_t node = c->node[port];
                if (b->shape->nodes.items[node].grounded)
                    continue;
                leaves_answer(b, node);
                *port_at(b, i, port, LIEDER_LAW) =
                    b->law.items[node] != NOWHERE ? b->law.items[node] : b->p->zero;
            }
        int variant = reduce_variant(b, c), in = c->reversed ? 1 : 0;
        if (variant & LIEDER_GROUNDED)
            push_op(b, &b->p->reduce, OP_REDUCE, variant, i, b->p->at_of.items[i], 0);
        else
            answer(b, i, in, variant);
        for (int port = 0; port < def->nport; port++)
            if (!port_is_signal(&def->ports[port]) && !port_incoming(c, port) &&
                b->law.items[c->node[port]] != NOWHERE)
                give_back(b, b->law.items[c->node[port]],
                          law_size(b->shape->nodes.items[c->node[port]].domain));
    }
}

/* a link that has states and no unknowns takes their derivatives from its potentials */
static bool integrates(const Program *p, const Component *c)
{
    const LiederClassDef *def = c->class_->def;
    bool states = false;
    for (int i = 0; i < def->nmember; i++)
        states |= def->members[i].kind == LIEDER_STATE;
    return c->link && states && kernels_of(p, c)->nunknown == 0;
}

/* which solves lead to a derivative, or to a coupling leaf */
static void mark_needed(Builder *b)
{
    const Shape *shape = b->shape;
    for (size_t i = 0; i < shape->components.n; i++) {
        const Component *c = &shape->components.items[i];
        if (c->coupling == COUPLE_BOTH && b->p->loops)
            for (int port = 0; port < 2; port++)
                b->users.items[c->node[port]]++;
    }
    for (size_t q = shape->links.n; q-- > 0;) {
        uint32_t i = shape->links.items[q];
        const Component *c = &shape->components.items[i];
        const LiederClassDef *def = c->class_->def;
        bool needed = c->group >= 0 && (kernels_of(b->p, c)->nunknown > 0 || b->p->full ||
                                        has_loops(b, c->group) || integrates(b->p, c));
        for (int port = 0; port < def->nport; port++)
            if (c->group >= 0 && !port_is_signal(&def->ports[port]) && !port_incoming(c, port))
                needed |= b->users.items[c->node[port]] > 0;
        b->needed.items[i] = needed;
        int in = c->reversed ? 1 : 0;
        if (needed && !shape->nodes.items[c->node[in]].grounded)
            b->users.items[c->node[in]]++;
    }
}

static void program_solve(Builder *b)
{
    const Shape *shape = b->shape;
    Program *p = b->p;
    bool keep = p->full;
    for (size_t g = 0; g < shape->groups.n; g++)
        keep |= has_loops(b, (int)g);
    for (size_t q = 0; q < shape->links.n && !b->failed; q++) {
        uint32_t i = shape->links.items[q];
        const Component *c = &shape->components.items[i];
        const LiederClassDef *def = c->class_->def;
        if (!b->needed.items[i])
            continue;
        int in = c->reversed ? 1 : 0, open = LIEDER_OPEN;
        uint32_t in_node = c->node[in];
        *port_at(b, i, in, LIEDER_POTENTIALS) = p->potential_of.items[in_node];
        for (int port = 0; port < def->nport; port++)
            if (!port_is_signal(&def->ports[port]) && !port_incoming(c, port) &&
                (b->users.items[c->node[port]] || keep))
                open = 0;
        for (int port = 0; port < def->nport && !open; port++) {
            if (port_is_signal(&def->ports[port]) || port_incoming(c, port))
                continue;
            uint32_t node = c->node[port];
            if (p->potential_of.items[node] == NOWHERE)
                p->potential_of.items[node] =
                    take(b, (uint32_t)shape->nodes.items[node].domain->npotential);
            *port_at(b, i, port, LIEDER_POTENTIALS) = p->potential_of.items[node];
        }
        /* what nobody looks at needs a place only until the kernel is done */
        for (int port = 0; port < def->nport && !open && !keep; port++)
            if (!port_is_signal(&def->ports[port]) && !port_incoming(c, port) &&
                b->users.items[c->node[port]] == 0 && !shape->nodes.items[c->node[port]].grounded)
                give_back(b, p->potential_of.items[c->node[port]],
                          (uint32_t)shape->nodes.items[c->node[port]].domain->npotential);
        int variant = (c->reversed ? LIEDER_REVERSED : 0) | open |
                      (b->level.items[c->group] && !keep ? LIEDER_INERTIAL : 0);
        if (shape->nodes.items[in_node].grounded)
            variant |= LIEDER_GROUNDED;
        if (!push_op(b, &p->solve, OP_SOLVE, variant, i, freeze_at(b, i), 0))
            b->failed = true;
        if (!shape->nodes.items[in_node].grounded && --b->users.items[in_node] == 0 && !keep)
            give_back(b, p->potential_of.items[in_node],
                      (uint32_t)shape->nodes.items[in_node].domain->npotential);
    }
}

/* what comes together at the outgoing ports of a component */
static bool add_moves(Builder *b, uint32_t component)
{
    const Shape *shape = b->shape;
    const Component *c = &shape->components.items[component];
    for (int port = 0; port < c->class_->def->nport; port++) {
        const Node *node = &shape->nodes.items[c->node[port]];
        uint32_t n = (uint32_t)(node->domain->nflow * node->domain->nregime);
        if (n == 0 || port_incoming(c, port) || node->driver != (int)component ||
            node->driver_port != port)
            continue;
        FlowMove move = {*port_at(b, component, port, LIEDER_FLOWS), NOWHERE, n, false};
        for (uint32_t t = node->first_taker; t < node->first_taker + node->ntaker; t++) {
            const Taker *taker = &shape->takers.items[t];
            if (taker->component == component && taker->port == port)
                continue;
            move.from = *port_at(b, taker->component, taker->port, LIEDER_FLOWS);
            if (!vec_push(b->alloc, &b->p->moves, move))
                return false;
            move.add = true;
        }
        if (move.from == NOWHERE && !vec_push(b->alloc, &b->p->moves, move))
            return false;
    }
    return true;
}

static bool list_moves(Builder *b)
{
    Program *p = b->p;
    bool ok = true;
    for (size_t i = 0; i < p->inward.n && ok; i++) {
        uint32_t component = p->inward.items[i].component;
        ok = vec_push(b->alloc, &p->move_first, (uint32_t)p->moves.n) &&
             (!b->shape->components.items[component].link || add_moves(b, component));
    }
    ok = ok && vec_push(b->alloc, &p->move_first, (uint32_t)p->moves.n);
    for (uint32_t i = 0; i < b->shape->components.n && ok; i++)
        ok = !b->shape->components.items[i].root || add_moves(b, i);
    return ok && vec_push(b->alloc, &p->move_first, (uint32_t)p->moves.n);
}

/* plain runs for probing and observing */
static void program_plain(Builder *b)
{
    const Shape *shape = b->shape;
    Program *p = b->p;
    for (size_t q = 0; q < shape->links.n; q++)
        emit(b, &p->outward, OP_OUTWARD, shape->links.items[q]);
    for (uint32_t i = 0; i < shape->components.n; i++)
        if (!shape->components.items[i].link && !shape->components.items[i].root)
            emit(b, &p->inward, OP_INWARD, i);
    for (size_t q = shape->links.n; q-- > 0;)
        emit(b, &p->inward, OP_INWARD, shape->links.items[q]);
    for (uint32_t i = 0; i < shape->components.n; i++)
        emit(b, &p->observe, OP_OBSERVE, i);
    b->failed |= !list_moves(b);
}

/* ------------------------------------------------------------------ complements */

/* links from a node inward, to the last one before a grounded node */
static bool path_inward(Builder *b, Complement *m, uint32_t node, uint32_t *first, uint32_t *n)
{
    *first = (uint32_t)m->path.n;
    while (!b->shape->nodes.items[node].grounded) {
        int driver = b->shape->nodes.items[node].driver;
        const Component *c = &b->shape->components.items[driver];
        LoopStep step = {m->position.items[driver], b->shape->nodes.items[node].driver_port};
        uint32_t nflow = (uint32_t)b->shape->nodes.items[node].domain->nflow;
        m->nflow = nflow > m->nflow ? nflow : m->nflow;
        if (!vec_push(b->alloc, &m->path, step))
            return false;
        node = c->node[c->reversed ? 1 : 0];
        nflow = (uint32_t)b->shape->nodes.items[node].domain->nflow;
        m->nflow = nflow > m->nflow ? nflow : m->nflow;
    }
    *n = (uint32_t)m->path.n - *first;
    return true;
}

static void build_complement(Builder *b, int group)
{
    const Shape *shape = b->shape;
    Program *p = b->p;
    if (!vec_push(b->alloc, &p->complements, (Complement){0})) {
        b->failed = true;
        return;
    }
    Complement *m = &p->complements.items[p->complements.n - 1];
    b->failed |= !vec_resize(b->alloc, &m->position, shape->components.n);
    for (size_t q = 0; q < shape->links.n && !b->failed; q++) {
        uint32_t i = shape->links.items[q];
        const Component *c = &shape->components.items[i];
        if (c->group != group)
            continue;
        m->position.items[i] = (uint32_t)m->links.n;
        int in = c->reversed ? 1 : 0;
        LoopLink link = {.component = i,
                         .first_unknown = m->nunknown,
                         .grounded = shape->nodes.items[c->node[in]].grounded};
        uint32_t in_at = LIEDER_AT_PORT + LIEDER_PER_PORT * (uint32_t)in + LIEDER_POTENTIALS;
        link.inward = freeze_at(b, i);
        p->at.items[link.inward + in_at] = b->p->zero;
        link.outward = freeze_at(b, i);
        if (link.grounded)
            p->at.items[link.outward + in_at] = b->p->zero;
        m->nunknown += (uint32_t)kernels_of(p, c)->nunknown;
        b->failed |= !vec_push(b->alloc, &m->links, link);
    }
    for (uint32_t i = 0; i < shape->components.n && !b->failed; i++) {
        const Component *c = &shape->components.items[i];
        if (c->group != group || c->coupling != COUPLE_BOTH)
            continue;
        const LiederDomain *d = c->class_->def->ports[0].domain;
        CoupledLeaf leaf = {.component = i,
                            .save = at_of(p, i)[LIEDER_AT_SAVE],
                            .np = (uint32_t)d->npotential,
                            .nf = (uint32_t)d->nflow,
                            .column = m->n};
        m->n += leaf.nf;
        for (int port = 0; port < 2; port++) {
            leaf.potential[port] = p->potential_of.items[c->node[port]];
            b->failed |= !path_inward(b, m, c->node[port], &leaf.path[port], &leaf.npath[port]);
        }
        b->failed |= !vec_push(b->alloc, &m->leaves, leaf);
    }
    m->matrix = take(b, m->n * (m->n + 1));
    m->response = take(b, m->n * m->nunknown + 1);
    m->base = take(b, m->nunknown + 1);
    m->flow = take(b, 2 * m->nflow);
}

/* ------------------------------------------------------------------ all of it */

static void group_levels(Builder *b)
{
    const Shape *shape = b->shape;
    for (size_t g = 0; g < shape->groups.n; g++)
        b->level.items[g] = 1;
    for (size_t i = 0; i < shape->components.n; i++) {
        const Component *c = &shape->components.items[i];
        const LiederKernels *k = kernels_of(b->p, c);
        if (c->link && c->group >= 0 && (c->class_->facts.mixes || integrates(b->p, c)))
            b->level.items[c->group] = 0;
        /* loops are closed with all columns */
        if (c->link || c->root || !k->inward[0].run ||
            (c->class_->facts.inertial && c->coupling != COUPLE_BOTH))
            continue;
        /* without coupling its flows are explicit; with it, it answers to every potential */
        bool two = class_physical_in(c->class_->def) > 1;
        for (int port = 0; port < c->class_->def->nport; port++) {
            int group = shape->nodes.items[c->node[port]].group;
            if (group >= 0 && (!two || c->coupling != COUPLE_NONE))
                b->level.items[group] = 0;
        }
    }
}

/* code of the ops, in registers and slots of its own where the classes are made of instructions */
static void join_ops(Builder *b)
{
    Program *p = b->p;
    int nscratch = 0;
    p->nreal = b->next;
    p->joined = program_join(p, NULL, 0, &nscratch);
    if (nscratch < 0)
        b->failed = true;
    else if ((uint32_t)nscratch > p->nscratch)
        p->nscratch = (uint32_t)nscratch;
    if (!b->failed && !p->joined.run && program_links(p)) {
        b->failed = !program_link(p, b->next);
        b->next += p->nscratch;
    }
}

LiederStatus program_build(Program *program, const Shape *shape, LiederIsa isa, bool full,
                           bool loops, const LiederAllocator *alloc)
{
    *program = (Program){.shape = shape, .alloc = alloc, .isa = isa, .full = full, .loops = loops};
    Builder b = {.p = program, .shape = shape, .alloc = alloc};
    program->lanes = shape->components.items[0].class_->kernels[isa]->lanes;
    bool ok = vec_resize(alloc, &program->at_of, shape->components.n) &&
              vec_resize(alloc, &program->signal_of, shape->nodes.n) &&
              vec_resize(alloc, &program->potential_of, shape->nodes.n) &&
              vec_resize(alloc, &b.law, shape->nodes.n) &&
              vec_resize(alloc, &b.level, shape->groups.n + 1) &&
              vec_resize(alloc, &b.needed, shape->components.n) &&
              vec_resize(alloc, &b.all_read, shape->components.n) &&
              vec_resize(alloc, &b.wanted, shape->components.n) &&
              vec_resize(alloc, &b.users, shape->nodes.n);
    if (ok) {
        for (size_t n = 0; n < shape->nodes.n; n++) /* a class without ports has none */
            b.law.items[n] = program->potential_of.items[n] = NOWHERE;
        group_levels(&b);
        place_fixed(&b);
    }
    if (ok && !b.failed) {
        mark_all_outputs_needed(&b);
        mark_wanted(&b);
        program_explicit(&b);
        program_reduce(&b);
    }
    if (ok && !b.failed) {
        b.nfree = 0; /* laws and potentials do not share areas: reduce runs before solve */
        mark_needed(&b);
        program_solve(&b);
        if (full)
            program_plain(&b);
        for (size_t g = 0; g < shape->groups.n && !b.failed; g++)
            if (has_loops(&b, (int)g))
                build_complement(&b, (int)g);
    }
    if (ok && !b.failed)
        join_ops(&b);
    vec_drop(alloc, &b.law);
    vec_drop(alloc, &b.level);
    vec_drop(alloc, &b.needed);
    vec_drop(alloc, &b.all_read);
    vec_drop(alloc, &b.wanted);
    vec_drop(alloc, &b.users);
    if (!ok || b.failed) {
        program_drop(program);
        return LIEDER_NO_MEMORY;
    }
    /* an odd number of 64-byte lines, so that records do not fall on the same cache sets */
    uint32_t line = program->lanes >= 8 ? 1 : 8 / (uint32_t)program->lanes;
    program->nreal = (b.next + line - 1) / line * line;
    if ((program->nreal / line) % 2 == 0)
        program->nreal += line;
    return LIEDER_DONE;
}

void program_drop(Program *program)
{
    const LiederAllocator *alloc = program->alloc;
    if (!alloc)
        return;
    program_unjoin(program, &program->joined);
    program_unlink(program);
    vec_drop(alloc, &program->at);
    vec_drop(alloc, &program->at_of);
    vec_drop(alloc, &program->signal_of);
    vec_drop(alloc, &program->potential_of);
    vec_drop(alloc, &program->constant);
    vec_drop(alloc, &program->explicit_);
    vec_drop(alloc, &program->reduce);
    vec_drop(alloc, &program->solve);
    vec_drop(alloc, &program->outward);
    vec_drop(alloc, &program->inward);
    vec_drop(alloc, &program->observe);
    vec_drop(alloc, &program->moves);
    vec_drop(alloc, &program->move_first);
    vec_drop(alloc, &program->parameters);
    vec_drop(alloc, &program->lane_parameters);
    vec_drop(alloc, &program->lane_constant);
    vec_drop(alloc, &program->state_place);
    vec_drop(alloc, &program->derivative_place);
    for (size_t i = 0; i < program->complements.n; i++) {
        Complement *m = &program->complements.items[i];
        vec_drop(alloc, &m->leaves);
        vec_drop(alloc, &m->path);
        vec_drop(alloc, &m->links);
        vec_drop(alloc, &m->position);
    }
    vec_drop(alloc, &program->complements);
    *program = (Program){0};
}

uint32_t op_area(const Program *p, const Op *op, uint32_t k)
{
    const Component *c = &p->shape->components.items[op->component];
    const LiederKernels *kernels = kernels_of(p, c);
    if (k == LIEDER_AT_SELF)
        return (uint32_t)kernels->nreal;
    if (k == LIEDER_AT_SAVE)
        return op->kind == OP_REDUCE || op->kind == OP_SOLVE ? (uint32_t)kernels->nsave : 0;
    uint32_t port = (k - LIEDER_AT_PORT) / LIEDER_PER_PORT;
    const LiederDomain *d = c->class_->def->ports[port].domain;
    switch ((k - LIEDER_AT_PORT) % LIEDER_PER_PORT) {
    case LIEDER_SIGNALS:
        return (uint32_t)d->nsignal;
    case LIEDER_POTENTIALS:
        return op->kind >= OP_OUTWARD ? (uint32_t)d->npotential : 0;
    case LIEDER_LAW:
        return op->kind == OP_REDUCE ? law_size(d) : 0;
    default:
        return 0; /* flows: plain runs only */
    }
}

void op_places(const Program *p, const Op *op, PlaceVisit *visit, void *user)
{
    const uint32_t *at = p->at.items + op->at;
    for (uint32_t k = 0; k < at_length(&p->shape->components.items[op->component]); k++) {
        uint32_t n = op_area(p, op, k);
        if (n > 0 && at[k] != NOWHERE)
            visit(user, at[k], n);
    }
}

size_t program_bytes(const Program *p)
{
    return (p->at.room + p->at_of.room + p->signal_of.room + p->potential_of.room) *
               sizeof(uint32_t) +
           (p->constant.room + p->explicit_.room + p->reduce.room + p->solve.room +
            p->outward.room + p->inward.room + p->observe.room + p->lane_constant.room) *
               sizeof(Op) +
           p->moves.room * sizeof(FlowMove) + p->move_first.room * sizeof(uint32_t) +
           (p->parameters.room + p->lane_parameters.room) * sizeof(ParameterPlace);
}
