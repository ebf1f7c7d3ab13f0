/* check.c - what a class must be before it is registered.
 *
 * The engine finds the affine law of a component by running its linear blocks on unit inputs. That
 * is right only if the blocks keep the rules of component.h, and a broken rule would show as wrong
 * numbers far away. So the blocks are run once on random data: with u, v random inputs (incoming
 * potentials, outgoing flows, unknowns), y(u) the outputs (outgoing potentials, incoming flows,
 * residuals) with the bias off and z(u) with the bias on,
 *
 *   y(0) = 0,   y(u + v) = y(u) + y(v),   y(-2 u) = -2 y(u),   z(u) = z(0) + y(u)
 *
 * and, because kernels.inc and lanes.c rely on it: a link hands on the sum of the regimes
 * whatever their shares; the two flows of a leaf that couples are opposite. The struct holds random
 * positive numbers meanwhile: the rules hold for any content, so the explicit block need not run.
 * Classes made of equations keep parts of expressions in the struct, f1 + f2 here and -f1 - f2
 * there: for the last two rules their constant and explicit blocks run first.
 */
#include <math.h>
#include <string.h>

#include "model/class/linear_map.h"

typedef struct Check {
    Lieder *session;
    const LiederClassDef *def;
    const LiederKernels *k;
    double *record, *filled; /* the record, and what it is filled with before each run */
    double *scratch;
    size_t record_bytes, scratch_bytes;
    size_t lanes, nreal;
    uint32_t *at;
    size_t nat;
    int reversed;
    int nin, nout;
    int room; /* of the lists below */
    MapVariable *in, *out;
    double *lists; /* NLIST of them */
    uint64_t seed;
} Check;

#define REFUSE(...) (diag_error(&session->diag, NULL, def->name, __VA_ARGS__), LIEDER_BAD_USE)

enum { NLIST = 11, MAX_BITS = 31 /* of the masks of a domain */ };
static double *list(const Check *c, int number)
{
    return c->lists + (size_t)number * (size_t)c->room;
}

/* ------------------------------------------------------------------ the table of the class */

/* the sizes of the domains of its ports */
static LiederStatus check_domains(Lieder *session, const LiederClassDef *def)
{
    for (int p = 0; p < def->nport; p++) {
        const LiederDomain *d = def->ports[p].domain;
        if (d->nsignal > MAX_BITS || d->npotential > MAX_BITS)
            return REFUSE(
                "domain %s has more than %d signals or potentials\nmake two domains of it", d->name,
                MAX_BITS);
        if (d->power &&
            (d->nregime != 2 || d->nsignal != 2 * d->nflow || d->npotential != 2 * d->nflow))
            return REFUSE(
                "domain %s says that it has a power, which takes two regimes and twice as "
                "many signals and potentials as flows\nremove .power",
                d->name);
    }
    return LIEDER_DONE;
}

/* the blocks that a class must have for its ports, and the ports that may be together */
static LiederStatus check_ports(Lieder *session, const LiederClassDef *def)
{
    const LiederKernels *k = def->kernels;
    int nin = class_physical_in(def), nout = class_physical_out(def);
    bool network = false, other = false;
    if (nout > 0 && nin > 1 && k->reversible)
        return REFUSE("a link with %d incoming ports cannot be reversed\nremove REVERSIBLE", nin);
    if (nout == 0 && nin > 2 && k->nunknown == 0 && k->reduce[0].run)
        return REFUSE(
            "a leaf without unknowns has at most two physical ports, this one %d\nmake it "
            "of several",
            nin);
    if (nout > 0 && !k->outward[0].run)
        return REFUSE("a class with outgoing ports needs an outward block\ndefine OUTWARD");
    if (nout > 0 && nin > 0 && !k->inward[0].run)
        return REFUSE("a link needs an inward block\ndefine INWARD");
    for (int p = 0; p < def->nport; p++) {
        network |= port_is_network(&def->ports[p]);
        other |= !port_is_network(&def->ports[p]) && !port_is_signal(&def->ports[p]);
    }
    if (network && other)
        return REFUSE("a class has ports of a domain without signals, or of one with signals, not "
                      "of both\nmake two of it");
    if (network && nin > 0 && nout > 0)
        return REFUSE("a domain without signals has leaves and roots, but no links\nmake all its "
                      "ports incoming");
    return LIEDER_DONE;
}

/* a member against the struct and the blocks of its class */
static LiederStatus check_member(Lieder *session, const LiederClassDef *def,
                                 const LiederMember *member)
{
    const LiederKernels *k = def->kernels;
    int last = member->index + (member->length > 1 ? member->length - 1 : 0);
    if (member->index < 0 || last >= k->nreal || member->other < 0 || member->other >= k->nreal)
        return REFUSE("member %s lies outside the struct\nname the struct of this class in its "
                      "table",
                      member->name);
    if ((member->kind == LIEDER_MEMORY || member->kind == LIEDER_TIMER ||
         member->kind == LIEDER_HISTORY) &&
        !k->event.run)
        return REFUSE("%s is changed by events, but the class has no event block\nadd one",
                      member->name);
    if (member->kind == LIEDER_HISTORY && member->other + 2 >= k->nreal)
        return REFUSE("history %s needs three reals, the last of which lies outside the struct",
                      member->name);
    if (member->kind == LIEDER_MEMORY && member->other == member->index)
        return REFUSE("memory %s has no place for its new value\nname another member of the "
                      "struct",
                      member->name);
    return LIEDER_DONE;
}

LiederStatus class_check_table(Lieder *session, const LiederClassDef *def)
{
    const LiederKernels *k = def->kernels;
    int nunknown = 0;
    LiederStatus status = check_domains(session, def);
    if (status != LIEDER_DONE)
        return status;
    if (!k)
        return def->nport == 0 ? LIEDER_DONE
                               : REFUSE("a class with ports needs kernels\ninclude "
                                        "lieder/kernels.inc after its blocks");
    status = check_ports(session, def);
    for (int m = 0; m < def->nmember && status == LIEDER_DONE; m++) {
        nunknown += def->members[m].kind == LIEDER_UNKNOWN;
        status = check_member(session, def, &def->members[m]);
    }
    if (status == LIEDER_DONE && nunknown != k->nunknown)
        return REFUSE("the table has %d unknowns and UNKNOWNS has %d\nlist the same ones in both",
                      nunknown, k->nunknown);
    return status;
}

/* ------------------------------------------------------------------ a record of its own */

/* inputs and outputs for this direction, each regime of a flow apart */
static void list_variables(Check *c)
{
    size_t room = (size_t)c->room;
    c->nin = (int)map_inputs(c->def, c->at, c->reversed, MAP_REGIMES_APART, c->in, room);
    c->nout = (int)map_outputs(c->def, c->at, c->reversed, MAP_REGIMES_APART, c->out, room);
}

/* random numbers near one everywhere, and a table where one is expected */
static void fill(Check *c)
{
    for (size_t i = 0; i < c->nreal; i++) {
        double value = 0.5 + random_unit(&c->seed);
        for (size_t l = 0; l < c->lanes; l++)
            c->filled[i * c->lanes + l] = value;
    }
    class_fill_tables(c->def, c->at, c->filled, 1, c->nreal, c->lanes);
}

/* runs the blocks before the linear ones in `filled`, for classes made of instructions */
static void settle_block(Check *c)
{
    const LiederKernels *k = c->k;
    LiederStrip strip = {
        .base = c->filled, .record = c->nreal, .scratch = c->scratch, .nvec = 1, .bias_scale = 1};
    LiederCode codes[] = {k->constant, k->explicit_[c->reversed]};
    for (int i = 0; k->link && i < 2 + k->nmore; i++) {
        LiederCode code = i < 2 ? codes[i] : k->more[i - 2][c->reversed];
        if (code.run)
            lieder_run(code, &strip, c->at, 0);
    }
}

/* the block that sets an output */
static LiederCode block_of(const Check *c, int output)
{
    bool outward = c->out[output].kind == MAP_POTENTIAL;
    return (outward ? c->k->outward : c->k->inward)[c->reversed];
}

static const char *block_name(const Check *c, int output)
{
    return c->out[output].kind == MAP_POTENTIAL ? "outward" : "inward";
}

/* runs the linear blocks on a fresh record with these inputs in all lanes; reads the outputs */
static void evaluate(Check *c, double bias_scale, const double *in, double *out)
{
    memcpy(c->record, c->filled, c->nreal * c->lanes * sizeof(double));
    for (int i = 0; i < c->nin; i++)
        for (size_t l = 0; l < c->lanes; l++)
            c->record[c->in[i].place * c->lanes + l] = in[i];
    LiederStrip strip = {.base = c->record,
                         .record = c->nreal,
                         .scratch = c->scratch,
                         .nvec = 1,
                         .bias_scale = bias_scale};
    map_run(c->k, c->reversed, c->at, &strip);
    for (int i = 0; i < c->nout; i++) /* a root or a sensor leaves flows as they were */
        out[i] = block_of(c, i).run ? map_read(c->record, c->lanes, &c->out[i]) : 0.0;
}

/* a = b up to rounding; true if one of them is not finite, which cannot be judged */
static bool same(double a, double b, double scale)
{
    return !(fabs(a - b) > 1e-9 * (1 + scale + fabs(a) + fabs(b)));
}

/* ------------------------------------------------------------------ the rules */

static const char *direction(const Check *c)
{
    return c->reversed ? " (reversed)" : "";
}

/* outward and inward blocks at random inputs: the answer to a sum is the sum of the answers, and
 * what is known adds the same each time */
static LiederStatus check_linear(Check *c)
{
    Lieder *session = c->session;
    const LiederClassDef *def = c->def;
    double *u = list(c, 0), *v = list(c, 1), *w = list(c, 2), *zero = list(c, 3), *y = list(c, 4),
           *yu = list(c, 5), *yv = list(c, 6), *yw = list(c, 7), *y2 = list(c, 8), *z = list(c, 9),
           *zu = list(c, 10);
    memset(zero, 0, (size_t)c->room * sizeof *zero);
    for (int i = 0; i < c->nin; i++) {
        u[i] = 2 * random_unit(&c->seed) - 1;
        v[i] = 2 * random_unit(&c->seed) - 1;
        w[i] = u[i] + v[i];
    }
    evaluate(c, 0, zero, y);
    evaluate(c, 0, u, yu);
    evaluate(c, 0, v, yv);
    evaluate(c, 0, w, yw);
    for (int i = 0; i < c->nin; i++)
        w[i] = -2 * u[i];
    evaluate(c, 0, w, y2);
    evaluate(c, 1, zero, z);
    evaluate(c, 1, u, zu);
    for (int i = 0; i < c->nout; i++)
        if (!same(y[i], 0, 0))
            return REFUSE(
                "block %s%s gives %g for zero inputs while the bias is off\nput every term "
                "without potential, flow or unknown into constant_term(...)",
                block_name(c, i), direction(c), y[i]);
    for (int i = 0; i < c->nout; i++)
        if (!same(yw[i], yu[i] + yv[i], fabs(yu[i]) + fabs(yv[i])) || !same(y2[i], -2 * yu[i], 0))
            return REFUSE(
                "block %s%s is not linear in potentials, flows and unknowns\nmove what is "
                "not linear into the explicit block",
                block_name(c, i), direction(c));
    for (int i = 0; i < c->nout; i++)
        if (!same(zu[i], z[i] + yu[i], fabs(z[i]) + fabs(yu[i])))
            return REFUSE(
                "block %s%s changes its linear part with the bias\nleave potentials, flows "
                "and unknowns outside constant_term(...)",
                block_name(c, i), direction(c));
    return LIEDER_DONE;
}

static bool same_flow(const MapVariable *a, const MapVariable *b)
{
    return a->kind == MAP_FLOW && b->kind == MAP_FLOW && a->port == b->port && a->index == b->index;
}

/* sums of every flow over its regimes; other numbers are copied */
static void add_regimes(const MapVariable *list, int n, const double *values, double *sums)
{
    for (int i = 0; i < n; i++) {
        sums[i] = list[i].kind == MAP_FLOW ? 0 : values[i];
        for (int j = 0; j < n && list[i].kind == MAP_FLOW; j++)
            if (same_flow(&list[i], &list[j]))
                sums[i] += values[j];
    }
}

/* all flow in the first regime gives the same sums as any shares */
static LiederStatus check_regimes(Check *c)
{
    Lieder *session = c->session;
    const LiederClassDef *def = c->def;
    double *u = list(c, 0), *total = list(c, 1), *y = list(c, 2), *sums = list(c, 3),
           *other = list(c, 4);
    for (int i = 0; i < c->nin; i++)
        u[i] = 2 * random_unit(&c->seed) - 1;
    evaluate(c, 0, u, y);
    add_regimes(c->out, c->nout, y, sums);
    add_regimes(c->in, c->nin, u, total);
    for (int i = 0; i < c->nin; i++) /* the first of its flow keeps the sum */
        for (int j = 0; j < i; j++)
            if (same_flow(&c->in[i], &c->in[j]))
                total[i] = 0;
    evaluate(c, 0, total, y);
    add_regimes(c->out, c->nout, y, other);
    for (int i = 0; i < c->nout; i++)
        if (!same(sums[i], other[i], 0))
            return REFUSE(
                "block inward%s treats the regimes of a flow differently\nhand on the sum "
                "of all regimes by one law",
                direction(c));
    return LIEDER_DONE;
}

/* the flows of a leaf balance in each regime, and it answers to something */
static LiederStatus check_leaf(Check *c)
{
    Lieder *session = c->session;
    const LiederClassDef *def = c->def;
    double *u = list(c, 0), *y = list(c, 1), *z = list(c, 2), *sums = list(c, 3),
           *bias_sums = list(c, 4);
    for (int i = 0; i < c->nin; i++)
        u[i] = 2 * random_unit(&c->seed) - 1;
    evaluate(c, 0, u, y);
    evaluate(c, 1, u, z);
    add_regimes(c->out, c->nout, y, sums);
    add_regimes(c->out, c->nout, z, bias_sums);
    bool answers = false;
    for (int i = 0; i < c->nout; i++)
        answers |= y[i] != 0;
    /* the flow at the second port is minus that at the first */
    for (int i = 0; i < c->nout && class_physical_in(def) == 2 && !class_is_whole(def) &&
                    (answers || !def->couples);
         i++)
        for (int j = 0; j < i; j++)
            if (c->out[i].kind == MAP_FLOW && c->out[j].kind == MAP_FLOW && c->out[i].port == 1 &&
                c->out[j].port == 0 && c->out[i].index == c->out[j].index &&
                (!same(sums[i], -sums[j], 0) || !same(bias_sums[i], -bias_sums[j], 0)))
                return REFUSE(
                    "the flows at %s and %s are not opposite\nmake them opposite, or write a "
                    "link",
                    def->ports[0].name, def->ports[1].name);
    return LIEDER_DONE;
}

/* the memory of a check; false: not enough of it */
static bool make_room(Check *c)
{
    const LiederAllocator *alloc = &c->session->alloc;
    c->nat = class_at_length(c->def);
    c->at = memory_zeroed(alloc, c->nat * sizeof *c->at);
    if (!c->at)
        return false;
    size_t places = c->nreal = class_lay_out(c->def, c->k, c->at);
    c->room = (int)places; /* more than inputs or outputs of any kind */
    c->record_bytes = places * c->lanes * sizeof(double);
    c->scratch_bytes = ((size_t)c->k->nscratch + 1) * c->lanes * sizeof(double);
    c->in = memory_zeroed(alloc, places * sizeof *c->in);
    c->out = memory_zeroed(alloc, places * sizeof *c->out);
    c->lists = memory_zeroed(alloc, NLIST * places * sizeof *c->lists);
    c->record = memory_aligned(alloc, c->record_bytes);
    c->filled = memory_aligned(alloc, c->record_bytes);
    c->scratch = memory_aligned(alloc, c->scratch_bytes);
    return c->in && c->out && c->lists && c->record && c->filled && c->scratch;
}

static void drop_room(Check *c)
{
    const LiederAllocator *alloc = &c->session->alloc;
    size_t places = (size_t)c->room;
    memory_free(alloc, c->at, c->nat * sizeof *c->at);
    memory_free(alloc, c->in, places * sizeof *c->in);
    memory_free(alloc, c->out, places * sizeof *c->out);
    memory_free(alloc, c->lists, NLIST * places * sizeof *c->lists);
    memory_free_aligned(alloc, c->record, c->record_bytes);
    memory_free_aligned(alloc, c->filled, c->record_bytes);
    memory_free_aligned(alloc, c->scratch, c->scratch_bytes);
}

LiederStatus class_check_blocks(Lieder *session, const LiederClass *class_)
{
    const LiederClassDef *def = class_->def;
    const LiederKernels *k = class_any_kernels(class_);
    if (!k || !machine_has(k->isa) || (!k->outward[0].run && !k->inward[0].run))
        return LIEDER_DONE;
    Check c = {.session = session, .def = def, .k = k, .lanes = (size_t)k->lanes};
    bool leaf = class_physical_out(def) == 0;
    LiederStatus status = make_room(&c) ? LIEDER_DONE : LIEDER_NO_MEMORY;
    for (c.reversed = 0; c.reversed < (k->reversible ? 2 : 1) && status == LIEDER_DONE;
         c.reversed++) {
        list_variables(&c);
        if (c.reversed == 0)
            fill(&c);
        status = check_linear(&c);
        settle_block(&c);
        if (status == LIEDER_DONE)
            status = leaf ? check_leaf(&c) : check_regimes(&c);
    }
    drop_room(&c);
    return status;
}
