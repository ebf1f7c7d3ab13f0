/* trace.c - what kernels.inc makes of blocks in C, for blocks that are expressions: each function
 * trace_X here does what the function X_one there does, with nodes in place of reals and tapes as
 * result. Where C relies on the compiler to fold the zeros and ones of unit inputs, here the graph
 * folds them while it is made.
 */
#include "block/class.h"

#include <string.h>

typedef struct Trace {
    const BlockClass *c;
    Graph *g;
    NodeList image;        /* by node: while a block is run, NO_NODE between runs */
    VEC(Node) self;        /* by real of the struct */
    VEC(Node) port;        /* all ports, one after the other */
    VEC(uint32_t) port_at; /* by port: its first real in `port` */
    TapeOutputs out;
    bool reversed;
    Node bias_scale, time, event_time, hold, initial, terminal;
    TapeStatus status;
} Trace;

static void check_memory(Trace *t, bool ok)
{
    if (!ok)
        t->status = TAPE_NO_MEMORY;
}

static const LiederDomain *domain_of(const Trace *t, int port)
{
    return t->c->info.def.ports[port].domain;
}

static bool is_in(const Trace *t, int port)
{
    return t->c->info.def.ports[port].role == LIEDER_IN;
}

static int port_length(const LiederDomain *d)
{
    return d->nsignal + d->npotential + d->nregime * d->nflow;
}

/* real i of a port of the block */
static Node *port_real(Trace *t, int port, int i)
{
    return &t->port.items[t->port_at.items[port] + (uint32_t)i];
}

/* group of what belongs to a port: a reversed link exchanges its first two */
static uint32_t port_group(const Trace *t, int port, int what)
{
    int there = t->reversed && port < 2 ? 1 - port : port;
    return (uint32_t)(TAPE_AT + LIEDER_AT_PORT + LIEDER_PER_PORT * there + what);
}

static Node input(Trace *t, uint32_t group, int index)
{
    return node_symbol(t->g, tape_symbol(group, (uint32_t)index));
}

static Node self_input(Trace *t, int index)
{
    return input(t, TAPE_AT + LIEDER_AT_SELF, index);
}

static Node save_input(Trace *t, int index)
{
    return input(t, TAPE_AT + LIEDER_AT_SAVE, index);
}

static void output(Trace *t, uint32_t group, int index, Node node)
{
    check_memory(t, node &&
                        vec_push(t->c->alloc, &t->out, (TapeOutput){node, group, (uint32_t)index}));
}

/* ------------------------------------------------------------------ a block and its ports */

/* the struct as it stands in the record; ports with their signals, everything else zero */
static void trace_fresh(Trace *t)
{
    const LiederClassDef *def = &t->c->info.def;
    for (int i = 0; i < t->c->info.nreal; i++)
        t->self.items[i] = self_input(t, i);
    for (int port = 0; port < def->nport; port++)
        for (int i = 0; i < port_length(domain_of(t, port)); i++)
            *port_real(t, port, i) = i < domain_of(t, port)->nsignal
                                         ? input(t, port_group(t, port, LIEDER_SIGNALS), i)
                                         : node_constant(t->g, 0);
}

/* symbols for the variables of the component and its ports; false: no memory */
static bool trace_begin(Trace *t, const BlockClass *c, bool reversed)
{
    *t = (Trace){.c = c, .g = c->info.graph, .reversed = reversed};
    uint32_t n = 0;
    bool ok = vec_resize(c->alloc, &t->self, (size_t)c->info.nreal);
    for (int port = 0; ok && port < c->info.def.nport; port++) {
        ok = vec_push(c->alloc, &t->port_at, n);
        n += (uint32_t)port_length(c->info.def.ports[port].domain);
    }
    ok = ok && vec_resize(c->alloc, &t->port, n);
    check_memory(t, ok);
    if (!ok)
        return false;
    t->bias_scale = input(t, TAPE_CALL, TAPE_BIAS_SCALE);
    t->time = input(t, TAPE_CALL, TAPE_TIME);
    t->event_time = input(t, TAPE_CALL, TAPE_EVENT_TIME);
    t->hold = input(t, TAPE_CALL, TAPE_HOLD);
    t->initial = input(t, TAPE_CALL, TAPE_INITIAL);
    t->terminal = input(t, TAPE_CALL, TAPE_TERMINAL);
    trace_fresh(t);
    return true;
}

/* the tape of what was traced, after which the trace is empty */
static TapeStatus trace_end(Trace *t, Tape *tape)
{
    const LiederAllocator *alloc = t->c->alloc;
    check_memory(t, !t->g->failed);
    if (t->status == TAPE_DONE)
        t->status = tape_compile(tape, t->g, t->out.items, t->out.n);
    vec_drop(alloc, &t->image);
    vec_drop(alloc, &t->self);
    vec_drop(alloc, &t->port);
    vec_drop(alloc, &t->port_at);
    vec_drop(alloc, &t->out);
    return t->status;
}

/* where a variable of a port stands in it */
static int port_index(const LiederDomain *d, BlockPlace place)
{
    return place.index + (place.kind == PLACE_SIGNAL      ? 0
                          : place.kind == PLACE_POTENTIAL ? d->nsignal
                                                          : d->nsignal + d->npotential);
}

static Node *place_real(Trace *t, BlockPlace place)
{
    if (place.kind == PLACE_MEMBER)
        return &t->self.items[place.index];
    return port_real(t, place.port, port_index(domain_of(t, place.port), place));
}

/* what a symbol of a block stands for */
static Node symbol_image(Trace *t, uint64_t symbol)
{
    const BlockPlace *place = block_place_of(t->c, symbol);
    if (symbol == tape_symbol(TAPE_CALL, TAPE_BIAS_SCALE))
        return t->bias_scale;
    if (!place) {
        t->status = TAPE_UNKNOWN_SYMBOL;
        return NO_NODE;
    }
    switch (place->kind) {
    case PLACE_TIME:
        return t->time;
    case PLACE_EVENT_TIME:
        return t->event_time;
    case PLACE_HOLD:
        return t->hold;
    case PLACE_INITIAL:
        return t->initial;
    case PLACE_TERMINAL:
        return t->terminal;
    case PLACE_DIRECTION:
        return node_constant(t->g, t->reversed ? -1 : 1);
    default:
        return *place_real(t, *place);
    }
}

/* a node of the class with present values in place of its symbols */
static Node node_image(Trace *t, Node i)
{
    const NodeData n = *node_data(t->g, i); /* a copy: the array grows */
    const Node *image = t->image.items;
    if (n.kind == NODE_CONSTANT)
        return i;
    if (n.kind == NODE_SYMBOL)
        return symbol_image(t, n.symbol);
    if (n.kind == NODE_CALL)
        return node_call(t->g, (Function)n.function, image[n.a], image[n.b]);
    if (n.kind == NODE_FUSED)
        return node_fused(t->g, image[n.a], image[n.b], image[n.c]);
    return node_make(t->g, (NodeKind)n.kind, image[n.a], image[n.b], image[n.c]);
}

/* runs a block on what struct and ports hold; the result of iterate is returned */
static Node trace_run(Trace *t, BlockKind kind)
{
    const BlockAssignments *block = &t->c->blocks[kind][t->reversed];
    NodeList roots = {0}, order = {0};
    Node result = node_constant(t->g, 0);
    for (size_t i = 0; i < block->n; i++)
        check_memory(t, vec_push(t->c->alloc, &roots, block->items[i].node));
    check_memory(t, t->status == TAPE_DONE && vec_resize(t->c->alloc, &t->image, t->g->nodes.n) &&
                        graph_reach(t->g, roots.items, roots.n, NULL, &order));
    for (size_t k = 0; k < order.n && t->status == TAPE_DONE; k++)
        t->image.items[order.items[k]] = node_image(t, order.items[k]);
    for (size_t i = 0; i < block->n && t->status == TAPE_DONE; i++) {
        Node node = t->image.items[block->items[i].node];
        if (block->items[i].place.kind == PLACE_RESULT)
            result = node;
        else
            *place_real(t, block->items[i].place) = node;
    }
    for (size_t k = 0; k < order.n && order.items[k] < t->image.n; k++)
        t->image.items[order.items[k]] = NO_NODE;
    vec_drop(t->c->alloc, &roots);
    vec_drop(t->c->alloc, &order);
    return result;
}

static void load_potentials(Trace *t)
{
    for (int port = 0; port < t->c->info.def.nport; port++)
        for (int j = 0; is_in(t, port) && j < domain_of(t, port)->npotential; j++)
            *port_real(t, port, domain_of(t, port)->nsignal + j) =
                input(t, port_group(t, port, LIEDER_POTENTIALS), j);
}

static void load_flows(Trace *t)
{
    for (int port = 0; port < t->c->info.def.nport; port++) {
        const LiederDomain *d = domain_of(t, port);
        for (int j = 0; !is_in(t, port) && j < d->nregime * d->nflow; j++)
            *port_real(t, port, d->nsignal + d->npotential + j) =
                input(t, port_group(t, port, LIEDER_FLOWS), j);
    }
}

static void store_self(Trace *t, const uint8_t *skip)
{
    for (int i = 0; i < t->c->info.nreal; i++)
        if (!(skip && skip[i]) && t->self.items[i] != self_input(t, i))
            output(t, TAPE_AT + LIEDER_AT_SELF, i, t->self.items[i]);
}

static void store_signals(Trace *t, bool basic)
{
    for (int port = 0; port < t->c->info.def.nport; port++)
        for (int j = 0; !is_in(t, port) && j < domain_of(t, port)->nsignal; j++)
            if (!basic || (t->c->info.basic[port] >> j & 1))
                output(t, port_group(t, port, LIEDER_SIGNALS), j, *port_real(t, port, j));
}

static void store_potentials(Trace *t, int variant)
{
    for (int port = 0; port < t->c->info.def.nport && !(variant & LIEDER_OPEN); port++) {
        const LiederDomain *d = domain_of(t, port);
        for (int j = 0; !is_in(t, port) && j < d->npotential; j++)
            if (!(variant & LIEDER_INERTIAL) || (d->inertial >> j & 1))
                output(t, port_group(t, port, LIEDER_POTENTIALS), j,
                       *port_real(t, port, d->nsignal + j));
    }
}

static void store_flows(Trace *t)
{
    for (int port = 0; port < t->c->info.def.nport; port++) {
        const LiederDomain *d = domain_of(t, port);
        for (int j = 0; is_in(t, port) && j < d->nregime * d->nflow; j++)
            output(t, port_group(t, port, LIEDER_FLOWS), j,
                   *port_real(t, port, d->nsignal + d->npotential + j));
    }
}

/* ------------------------------------------------------------------ plain runs */

TapeStatus trace_plain(const BlockClass *c, BlockKind kind, bool reversed, bool basic,
                       const uint8_t *skip, Tape *tape)
{
    Trace t;
    if (trace_begin(&t, c, reversed)) {
        if (kind == BLOCK_OUTWARD || kind == BLOCK_INWARD || kind == BLOCK_ITERATE ||
            kind == BLOCK_OBSERVE)
            load_potentials(&t);
        if (kind == BLOCK_INWARD || kind == BLOCK_OBSERVE)
            load_flows(&t);
        Node result = trace_run(&t, kind);
        store_self(&t, skip);
        if (kind == BLOCK_EXPLICIT || kind == BLOCK_EXPLICIT_SECOND)
            store_signals(&t, basic);
        if (kind == BLOCK_OUTWARD)
            store_potentials(&t, 0);
        if (kind == BLOCK_INWARD)
            store_flows(&t);
        if (kind == BLOCK_ITERATE) {
            Node alarm = input(&t, TAPE_RECORD, LIEDER_ALARM);
            output(&t, TAPE_RECORD, LIEDER_ALARM, node_add(t.g, alarm, result));
        }
    }
    return trace_end(&t, tape);
}

/* ------------------------------------------------------------------ the affine law */

typedef struct LawSizes {
    int nu, np, nf, ns;
    unsigned inertial;
} LawSizes;

static LawSizes law_sizes(const BlockClass *c)
{
    if (c->info.def.nport == 0)
        return (LawSizes){.nu = c->nunknown};
    const LiederDomain *d = c->info.def.ports[0].domain;
    return (LawSizes){c->nunknown, d->npotential, d->nflow, d->nsignal, d->inertial};
}

SaveLayout block_save_layout(const BlockClass *c)
{
    LawSizes n = law_sizes(c);
    SaveLayout s = {.u0 = n.nu * n.np};
    s.limit = s.u0 + n.nu;
    s.pivot = s.limit + n.nu;
    s.flow = s.pivot + n.nu;
    s.inverse = s.flow + n.nf * n.nu;
    s.size = n.nu ? s.inverse + n.nu * n.nu : 0;
    return s;
}

/* c + a b, rounded as in kernels.inc */
static Node plus_product(Graph *g, Node c, Node a, Node b)
{
    return node_fused(g, a, b, c);
}

/* u = U p + u0, then outward */
TapeStatus trace_solve(const BlockClass *c, int variant, Tape *tape)
{
    Trace t;
    LawSizes n = law_sizes(c);
    SaveLayout save = block_save_layout(c);
    if (trace_begin(&t, c, variant & LIEDER_REVERSED)) {
        t.bias_scale = node_constant(t.g, 1);
        load_potentials(&t);
        for (int i = 0; i < n.nu; i++) {
            Node u = save_input(&t, save.u0 + i);
            for (int k = 0; k < n.np; k++)
                if (!(variant & LIEDER_GROUNDED) &&
                    (!(variant & LIEDER_INERTIAL) || (n.inertial >> k & 1)))
                    u = plus_product(t.g, u, save_input(&t, i * n.np + k),
                                     *port_real(&t, 0, n.ns + k));
            t.self.items[c->unknown.items[i]] = u;
        }
        trace_run(&t, BLOCK_OUTWARD);
        store_self(&t, NULL);
        store_potentials(&t, variant);
    }
    return trace_end(&t, tape);
}

/* flow of an outgoing port = -(law of what is connected there) */
static void apply_law(Trace *t, int port, int variant, bool bias)
{
    const LiederDomain *d = domain_of(t, port);
    uint32_t law = port_group(t, port, LIEDER_LAW);
    if (is_in(t, port) || ((variant & LIEDER_OPEN) && port > 1))
        return;
    for (int r = 0; r < d->nflow; r++) {
        Node sum = bias ? input(t, law, d->npotential * d->nflow + r) : node_constant(t->g, 0);
        for (int j = 0; j < d->npotential; j++)
            if (!(variant & LIEDER_INERTIAL) || (d->inertial >> j & 1))
                sum = plus_product(t->g, sum, input(t, law, j * d->nflow + r),
                                   *port_real(t, port, d->nsignal + j));
        *port_real(t, port, d->nsignal + d->npotential + r) = node_negate(t->g, sum);
    }
}

/* a unit input: potential k of incoming port `port`, or unknown m, or the constant terms */
typedef struct UnitInput {
    int port, k, m;
    bool bias;
} UnitInput;

/* flows of the first two ports, incoming ones, and residuals */
static void trace_column(Trace *t, int variant, int known, UnitInput unit, Node *flow,
                         Node *residual)
{
    const BlockClass *c = t->c;
    Graph *g = t->g;
    trace_fresh(t);
    t->bias_scale = unit.bias ? node_constant(g, 1) : node_constant(g, 0);
    t->time = t->event_time = t->hold = t->initial = t->terminal = node_constant(g, 0);
    for (int i = 0; i < c->nunknown; i++)
        t->self.items[c->unknown.items[i]] =
            unit.m == i ? node_constant(g, 1) : node_constant(g, 0);
    /* known potentials enter with the constant terms */
    for (int port = 0; port < c->info.def.nport; port++)
        if (is_in(t, port) && unit.bias && (known >> port & 1))
            for (int j = 0; j < domain_of(t, port)->npotential; j++)
                *port_real(t, port, domain_of(t, port)->nsignal + j) =
                    input(t, port_group(t, port, LIEDER_POTENTIALS), j);
    if (unit.port >= 0 && unit.port < c->info.def.nport &&
        unit.k < domain_of(t, unit.port)->npotential)
        *port_real(t, unit.port, domain_of(t, unit.port)->nsignal + unit.k) = node_constant(g, 1);
    trace_run(t, BLOCK_OUTWARD);
    for (int port = 0; port < c->info.def.nport; port++)
        apply_law(t, port, variant, unit.bias);
    trace_run(t, BLOCK_INWARD);
    for (int port = 0; port < c->info.def.nport && port < 2; port++) {
        const LiederDomain *d = domain_of(t, port);
        int flows = d->nsignal + d->npotential;
        for (int r = 0; is_in(t, port) && d->npotential > 0 && r < d->nflow; r++) {
            Node sum = *port_real(t, port, flows + r);
            for (int regime = 1; regime < d->nregime; regime++)
                sum = node_add(g, sum, *port_real(t, port, flows + regime * d->nflow + r));
            flow[port * d->nflow + r] = sum;
        }
    }
    for (int i = 0; i < c->nunknown; i++)
        residual[i] = t->self.items[c->residual.items[i]];
}

/* the columns of a law, and R_u with its right-hand sides beside it: columns of p, then the
 * constant terms */
typedef struct LawColumns {
    LawSizes n;
    VEC(Node) all;
    Node *base, *residual, *Fu, *F, *R, *inverse;
    int width; /* of R */
} LawColumns;

/* room for the columns of a law and of its elimination, in one piece; false: no memory */
static bool columns_init(LawColumns *l, const BlockClass *c)
{
    *l = (LawColumns){.n = law_sizes(c)};
    size_t nu = (size_t)l->n.nu, np = (size_t)l->n.np, flows = 2 * (size_t)l->n.nf,
           width = nu + np + 1;
    if (!vec_resize(c->alloc, &l->all,
                    flows + nu + nu * flows + np * flows + nu * width + nu * nu + 1))
        return false;
    l->width = (int)width;
    l->base = l->all.items;
    l->residual = l->base + flows;
    l->Fu = l->residual + nu;
    l->F = l->Fu + nu * flows;
    l->R = l->F + np * flows;
    l->inverse = l->R + nu * width;
    return true;
}

/* Gauss-Jordan without exchange, pivots compared with their limits */
static void trace_elimination(Trace *t, LawColumns *l)
{
    Graph *g = t->g;
    SaveLayout save = block_save_layout(t->c);
    int nu = l->n.nu, width = l->width;
    Node *R = l->R, *inverse = l->inverse;
    for (int i = 0; i < nu * nu; i++)
        inverse[i] = i % (nu + 1) == 0 ? node_constant(g, 1) : node_constant(g, 0);
    Node alarm = input(t, TAPE_RECORD, LIEDER_ALARM);
    for (int i = 0; i < nu; i++) {
        Node pivot = R[i * width + i];
        output(t, TAPE_AT + LIEDER_AT_SAVE, save.pivot + i, pivot);
        Node large = node_make(g, NODE_LESS, save_input(t, save.limit + i),
                               node_call(g, FUNCTION_ABS, pivot, NO_NODE), NO_NODE);
        alarm = node_select(g, large, alarm, node_constant(g, 1));
        Node factor = node_divide(g, node_constant(g, -1), pivot);
        for (int j = i + 1; j < width; j++)
            R[i * width + j] = node_multiply(g, R[i * width + j], factor);
        for (int j = 0; j <= i; j++)
            inverse[i * nu + j] = node_multiply(g, inverse[i * nu + j], factor);
        for (int h = 0; h < nu; h++) {
            if (h == i)
                continue;
            for (int j = i + 1; j < width; j++)
                R[h * width + j] =
                    plus_product(g, R[h * width + j], R[h * width + i], R[i * width + j]);
            for (int j = 0; j <= i; j++)
                inverse[h * nu + j] =
                    plus_product(g, inverse[h * nu + j], R[h * width + i], inverse[i * nu + j]);
        }
    }
    output(t, TAPE_RECORD, LIEDER_ALARM, alarm);
}

/* whether a variant works on column k of a law */
static bool is_live(const LawColumns *l, int variant, int k)
{
    return !(variant & LIEDER_INERTIAL) || (l->n.inertial >> k & 1);
}

/* what the outward pass needs again: unknowns by potentials, and for loops flows and inverse */
static void save_results(Trace *t, const LawColumns *l, int variant, bool grounded)
{
    SaveLayout save = block_save_layout(t->c);
    uint32_t group = TAPE_AT + LIEDER_AT_SAVE;
    int nu = l->n.nu, np = l->n.np, nf = l->n.nf;
    for (int i = 0; i < nu; i++) {
        output(t, group, save.u0 + i, l->R[i * l->width + nu + np]);
        for (int k = 0; k < np; k++)
            if (!grounded && is_live(l, variant, k))
                output(t, group, i * np + k, l->R[i * l->width + nu + k]);
        if (variant & LIEDER_INERTIAL)
            continue;
        for (int r = 0; r < nf; r++)
            output(t, group, save.flow + r * nu + i, l->Fu[i * 2 * nf + r]);
        for (int j = 0; j < nu; j++)
            output(t, group, save.inverse + i * nu + j, node_negate(t->g, l->inverse[i * nu + j]));
    }
}

/* the law of the whole, stored or added to what is there */
static void store_law(Trace *t, LawColumns *l, int variant, int port, int add)
{
    Graph *g = t->g;
    int nu = l->n.nu, np = l->n.np, nf = l->n.nf, flows = 2 * nf;
    uint32_t group = port_group(t, port, LIEDER_LAW);
    for (int k = 0; k < np; k++)
        for (int r = 0; r < nf && is_live(l, variant, k); r++) {
            for (int i = 0; i < nu; i++)
                l->F[k * flows + r] = plus_product(g, l->F[k * flows + r], l->Fu[i * flows + r],
                                                   l->R[i * l->width + nu + k]);
        }
    for (int r = 0; r < nf; r++)
        for (int i = 0; i < nu; i++)
            l->base[r] =
                plus_product(g, l->base[r], l->Fu[i * flows + r], l->R[i * l->width + nu + np]);
    for (int k = 0; k <= np; k++)
        for (int r = 0; r < nf; r++) {
            if (k < np && !is_live(l, variant, k))
                continue;
            Node value = (k < np ? l->F + k * flows : l->base)[port * nf + r];
            if (add)
                value = node_add(g, input(t, group, k * nf + r), value);
            output(t, group, k * nf + r, value);
        }
}

TapeStatus trace_reduce(const BlockClass *c, int variant, int add, Tape *tape)
{
    Trace t;
    LawColumns l = {0};
    bool link = block_has(c, BLOCK_OUTWARD), reversed = variant & LIEDER_REVERSED;
    int nin = 0;
    for (int i = 0; i < c->info.def.nport; i++)
        nin +=
            c->info.def.ports[i].role == LIEDER_IN && c->info.def.ports[i].domain->npotential > 0;
    /* a leaf answers at one port; the potentials of its other port are known */
    int port = !link && nin > 1 && reversed ? 1 : 0;
    bool grounded = link && (variant & LIEDER_GROUNDED);
    int known = !(variant & LIEDER_GROUNDED) ? 0 : link ? 1 : 2 >> port;
    if (trace_begin(&t, c, link && reversed) && columns_init(&l, c)) {
        int nu = l.n.nu, np = l.n.np, flows = 2 * l.n.nf;
        for (int i = 0; i < np * flows; i++)
            l.F[i] = node_constant(t.g, 0);
        for (int i = 0; i < nu * l.width; i++)
            l.R[i] = node_constant(t.g, 0);
        for (int m = 0; m < nu; m++) {
            trace_column(&t, variant, known, (UnitInput){-1, -1, m, false}, l.Fu + m * flows,
                         l.residual);
            for (int i = 0; i < nu; i++)
                l.R[i * l.width + m] = l.residual[i];
        }
        trace_column(&t, variant, known, (UnitInput){-1, -1, -1, true}, l.base, l.residual);
        for (int i = 0; i < nu; i++)
            l.R[i * l.width + nu + np] = l.residual[i];
        for (int k = 0; k < np && !grounded; k++)
            if (is_live(&l, variant, k)) {
                trace_column(&t, variant, known, (UnitInput){port, k, -1, false}, l.F + k * flows,
                             l.residual);
                for (int i = 0; i < nu; i++)
                    l.R[i * l.width + nu + k] = l.residual[i];
            }
        if (nu > 0 && t.status == TAPE_DONE && !t.g->failed) {
            trace_elimination(&t, &l);
            save_results(&t, &l, variant, grounded);
        }
        if (!grounded && t.status == TAPE_DONE && !t.g->failed)
            store_law(&t, &l, variant, port, add);
    } else {
        t.status = TAPE_NO_MEMORY;
    }
    vec_drop(c->alloc, &l.all);
    return trace_end(&t, tape);
}

/* K (2nf x 2np, column by column) and k0 (2nf) into the save area */
TapeStatus trace_couple(const BlockClass *c, Tape *tape)
{
    Trace t;
    LawColumns l = {0};
    if (trace_begin(&t, c, false) && columns_init(&l, c)) {
        int np = l.n.np, flows = 2 * l.n.nf;
        for (int k = 0; k <= 2 * np; k++) {
            bool bias = k == 2 * np;
            UnitInput unit = {bias ? -1 : k / np, bias ? -1 : k % np, -1, bias};
            memset(l.base, 0, (size_t)flows * sizeof *l.base);
            trace_column(&t, 0, 0, unit, l.base, l.residual);
            for (int r = 0; r < flows; r++)
                if (l.base[r]) /* the class has this port */
                    output(&t, TAPE_AT + LIEDER_AT_SAVE, k * flows + r, l.base[r]);
        }
    } else {
        t.status = TAPE_NO_MEMORY;
    }
    vec_drop(c->alloc, &l.all);
    return trace_end(&t, tape);
}
