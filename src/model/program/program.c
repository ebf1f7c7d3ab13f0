/* program.c - the lists of ops of a program. See program.h for what a program is. Places in the
 * record are program_layout.c's, loops program_complement.c's; how lists become code of their own
 * stands in program_join.c.
 *
 * A derivative is computed in three passes over a tree of links from its roots to its leaves:
 *
 *   explicit   blocks in the order of shape_order.c; signals s = g(x, t). A block whose inputs
 *              never change goes to the list `constant`, which runs once
 *   reduce     from the far ends to the roots. A leaf adds its law to that of its node:
 *                  flow = F p + f0, p the potentials of the node. A link with unknowns u has
 *                  p2 = P p + Q u + p0 behind it and residuals R_p p + R_u u + r0 = 0; with the law
 *                  of the node behind it, u is eliminated by R_u^-1, and what is left is a law for
 *                  the node before it. U and u0 of u = U p + u0 are kept in the save area
 *   solve      from the roots to the far ends: u = U p + u0, then p2 for the links behind
 *
 * What no derivative needs gets no op; three marks, each found backwards through the ops:
 *
 *   wanted     the explicit block is needed: the component has members besides parameters and
 *              observables or an inward block, fixes or passes on potentials, or feeds one that is
 *              wanted
 *   all_read   all outgoing signals are needed; else the shorter kernel for the basic ones runs
 *   needed     the potentials behind a link are needed: it has unknowns or states, or one behind it
 *              is needed, or it is on the path of a loop
 *
 * `level` of a group is 1 if all its leaves answer to inertial potentials alone and no link mixes
 * them with others: then kernels eliminate with those columns of F only.
 *
 * Laws and potentials live from one op to a later one. An area is taken when the first op writes it
 * and given back after the last op that reads it (of a law: the link that takes it over; of
 * potentials: `users` counts down), so that a chain of n links needs the areas of one link. */
#include "model/program/program_build.h"

#include <string.h>

bool shape_has_isa(const Shape *shape, LiederIsa isa)
{
    for (size_t i = 0; i < shape->components.n; i++)
        if (!shape->components.items[i].class_->kernels[isa])
            return false;
    return true;
}

/* ------------------------------------------------------------------ ops */

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

/* one call of a kernel, unless the class has none for this block; false: no memory */
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

/* an op on the places of at_of */
static void emit(Builder *b, OpList *list, OpKind kind, uint32_t component)
{
    push_op(b, list, kind, b->shape->components.items[component].reversed ? LIEDER_REVERSED : 0,
            component, b->p->at_of.items[component], 0);
}

/* ------------------------------------------------------------------ programs */

/* whether outgoing signals of a component beyond the basic ones are read */
static bool reads_all(const Builder *b, uint32_t i)
{
    const Shape *shape = b->shape;
    const Component *c = &shape->components.items[i];
    if (b->p->full || !c->class_->facts.basic_signals)
        return true;
    for (int port = 0; port < c->class_->def->nport; port++) {
        if (port_incoming(c, port))
            continue;
        const ShapeNode *node = &shape->nodes.items[c->node[port]];
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

/* all_read, backwards: a component whose signals reach one that is all_read is all_read as well */
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

/* whether a component that is wanted is connected behind a component */
static bool feeds_wanted(const Builder *b, uint32_t i)
{
    const Shape *shape = b->shape;
    const Component *c = &shape->components.items[i];
    for (int port = 0; port < c->class_->def->nport; port++) {
        if (port_incoming(c, port))
            continue;
        const ShapeNode *node = &shape->nodes.items[c->node[port]];
        for (uint32_t t = node->first_taker; t < node->first_taker + node->ntaker; t++)
            if (shape->takers.items[t].component != i &&
                b->wanted.items[shape->takers.items[t].component])
                return true;
    }
    return false;
}

/* components whose explicit block some derivative needs: sensors and signals that lead nowhere run
 * for observers only */
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
    /* and the components that these depend on; one round, unless blocks of one component stand
     * apart */
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
static void answer_op(Builder *b, uint32_t component, int port, int variant)
{
    const Component *c = &b->shape->components.items[component];
    uint32_t node = c->node[port];
    int add = 1;
    if (b->law.items[node] == NOWHERE) {
        b->law.items[node] = area_take(b, law_size(b->shape->nodes.items[node].domain));
        add = 0;
    }
    *builder_port(b, component, port, LIEDER_LAW) = b->law.items[node];
    if (!push_op(b, &b->p->reduce, OP_REDUCE, variant, component, freeze_at(b, component), add))
        b->failed = true;
}

/* emits an op for every leaf at a node whose law counts there, in the variant that its coupling
 * asks for */
static void leaves_answer(Builder *b, uint32_t node)
{
    const ShapeNode *nd = &b->shape->nodes.items[node];
    for (uint32_t t = nd->first_taker; t < nd->first_taker + nd->ntaker; t++) {
        const Taker *taker = &b->shape->takers.items[t];
        const Component *c = &b->shape->components.items[taker->component];
        const LiederKernels *k = kernels_of(b->p, c);
        if (c->link || c->root || !k->inward[0].run || class_is_whole(c->class_->def) ||
            c->coupling == COUPLE_BOTH ||
            (c->coupling == COUPLE_ONE && taker->port != c->coupled_port))
            continue;
        int variant = taker->port == 1 ? LIEDER_REVERSED : 0;
        if (c->coupling == COUPLE_ONE)
            variant |= LIEDER_GROUNDED;
        else if (b->level.items[nd->group])
            variant |= LIEDER_INERTIAL;
        answer_op(b, taker->component, taker->port, variant);
    }
}

/* which variant of elimination a link needs: reversed, open behind, on the ground, inertial alone
 */
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

/* the inward pass: laws of leaves, then of links from the far ends towards the roots */
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
                *builder_port(b, i, port, LIEDER_LAW) =
                    b->law.items[node] != NOWHERE ? b->law.items[node] : b->p->zero;
            }
        int variant = reduce_variant(b, c), in = c->reversed ? 1 : 0;
        if (variant & LIEDER_GROUNDED)
            push_op(b, &b->p->reduce, OP_REDUCE, variant, i, b->p->at_of.items[i], 0);
        else
            answer_op(b, i, in, variant);
        for (int port = 0; port < def->nport; port++)
            if (!port_is_signal(&def->ports[port]) && !port_incoming(c, port) &&
                b->law.items[c->node[port]] != NOWHERE)
                area_give_back(b, b->law.items[c->node[port]],
                               law_size(b->shape->nodes.items[c->node[port]].domain));
    }
}

/* whether a link has states and no unknowns: its potentials are their derivatives */
static bool integrates(const Program *p, const Component *c)
{
    const LiederClassDef *def = c->class_->def;
    bool states = false;
    for (int i = 0; i < def->nmember; i++)
        states |= def->members[i].kind == LIEDER_STATE;
    return c->link && states && kernels_of(p, c)->nunknown == 0;
}

/* solves on which a derivative or a coupling leaf depends */
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
                                        group_has_loops(b, c->group) || integrates(b->p, c));
        for (int port = 0; port < def->nport; port++)
            if (c->group >= 0 && !port_is_signal(&def->ports[port]) && !port_incoming(c, port))
                needed |= b->users.items[c->node[port]] > 0;
        b->needed.items[i] = needed;
        int in = c->reversed ? 1 : 0;
        if (needed && !shape->nodes.items[c->node[in]].grounded)
            b->users.items[c->node[in]]++;
    }
}

/* the outward pass: potentials from the roots on, as far as something needs them */
static void program_solve(Builder *b)
{
    const Shape *shape = b->shape;
    Program *p = b->p;
    bool keep = p->full;
    for (size_t g = 0; g < shape->groups.n; g++)
        keep |= group_has_loops(b, (int)g);
    for (size_t q = 0; q < shape->links.n && !b->failed; q++) {
        uint32_t i = shape->links.items[q];
        const Component *c = &shape->components.items[i];
        const LiederClassDef *def = c->class_->def;
        if (!b->needed.items[i])
            continue;
        int in = c->reversed ? 1 : 0, open = LIEDER_OPEN;
        uint32_t in_node = c->node[in];
        *builder_port(b, i, in, LIEDER_POTENTIALS) = p->potential_of.items[in_node];
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
                    area_take(b, (uint32_t)shape->nodes.items[node].domain->npotential);
            *builder_port(b, i, port, LIEDER_POTENTIALS) = p->potential_of.items[node];
        }
        /* potentials that are not read need a place only until the kernel is done */
        for (int port = 0; port < def->nport && !open && !keep; port++)
            if (!port_is_signal(&def->ports[port]) && !port_incoming(c, port) &&
                b->users.items[c->node[port]] == 0 && !shape->nodes.items[c->node[port]].grounded)
                area_give_back(b, p->potential_of.items[c->node[port]],
                               (uint32_t)shape->nodes.items[c->node[port]].domain->npotential);
        int variant = (c->reversed ? LIEDER_REVERSED : 0) | open |
                      (b->level.items[c->group] && !keep ? LIEDER_INERTIAL : 0);
        if (shape->nodes.items[in_node].grounded)
            variant |= LIEDER_GROUNDED;
        if (!push_op(b, &p->solve, OP_SOLVE, variant, i, freeze_at(b, i), 0))
            b->failed = true;
        if (!shape->nodes.items[in_node].grounded && --b->users.items[in_node] == 0 && !keep)
            area_give_back(b, p->potential_of.items[in_node],
                           (uint32_t)shape->nodes.items[in_node].domain->npotential);
    }
}

/* moves to the outgoing ports of a component from the other ports at their nodes; false: no
 * memory */
static bool add_moves(Builder *b, uint32_t component)
{
    const Shape *shape = b->shape;
    const Component *c = &shape->components.items[component];
    for (int port = 0; port < c->class_->def->nport; port++) {
        const ShapeNode *node = &shape->nodes.items[c->node[port]];
        uint32_t n = (uint32_t)(node->domain->nflow * node->domain->nregime);
        if (n == 0 || port_incoming(c, port) || node->driver != (int)component ||
            node->driver_port != port)
            continue;
        FlowMove move = {*builder_port(b, component, port, LIEDER_FLOWS), NOWHERE, n, false};
        for (uint32_t t = node->first_taker; t < node->first_taker + node->ntaker; t++) {
            const Taker *taker = &shape->takers.items[t];
            if (taker->component == component && taker->port == port)
                continue;
            move.from = *builder_port(b, taker->component, taker->port, LIEDER_FLOWS);
            if (!vec_push(b->alloc, &b->p->moves, move))
                return false;
            move.add = true;
        }
        if (move.from == NOWHERE && !vec_push(b->alloc, &b->p->moves, move))
            return false;
    }
    return true;
}

/* flows at the outgoing ports of links, before each op of `inward`, and of roots; false: no
 * memory */
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

/* ------------------------------------------------------------------ all of it */

/* which groups can be eliminated with inertial columns alone */
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
    if (program_joins(p))
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
            if (group_has_loops(&b, (int)g))
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
