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

#include "model/session.h"

/* an input or output: where it stands, and to which flow of which port it belongs */
typedef struct Spot {
    uint32_t place;
    int port, variable; /* of a flow: port, and flow without its regime; else -1 */
    const char *block;
} Spot;

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
    int most; /* room in the lists below */
    Spot *in, *out;
    double *lists; /* NLIST of them */
    uint64_t seed;
} Check;

#define REFUSE(...) (diag_error(&session->diag, NULL, def->name, __VA_ARGS__), LIEDER_BAD_USE)

enum { NLIST = 11, MAX_BITS = 31 /* of the masks of a domain */ };
static double *list(const Check *c, int number)
{
    return c->lists + (size_t)number * (size_t)c->most;
}

static double random_number(Check *c)
{
    uint64_t z = c->seed += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

/* ------------------------------------------------------------------ the table of the class */

LiederStatus class_check_table(Lieder *session, const LiederClassDef *def)
{
    const LiederKernels *k = def->kernels;
    int nin = class_physical_in(def), nout = class_physical_out(def), nunknown = 0;
    for (int p = 0; p < def->nport; p++)
        if (def->ports[p].domain->nsignal > MAX_BITS || def->ports[p].domain->npotential > MAX_BITS)
            return REFUSE(
                "domain %s has more than %d signals or potentials\nmake two domains of it",
                def->ports[p].domain->name, MAX_BITS);
    if (!k)
        return def->nport == 0 ? LIEDER_DONE
                               : REFUSE("a class with ports needs kernels\ninclude "
                                        "lieder/kernels.inc after its blocks");
    if (nout > 0 && nin > 1 && k->reversible)
        return REFUSE("a link with %d incoming ports cannot be reversed\nremove REVERSIBLE", nin);
    if (nout == 0 && nin > 2 && k->nunknown == 0)
        return REFUSE(
            "a leaf without unknowns has at most two physical ports, this one %d\nmake it "
            "of several",
            nin);
    if (nout > 0 && !k->outward[0].run)
        return REFUSE("a class with outgoing ports needs an outward block\ndefine OUTWARD");
    if (nout > 0 && nin > 0 && !k->inward[0].run)
        return REFUSE("a link needs an inward block\ndefine INWARD");
    bool network = false, other = false;
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
    for (int m = 0; m < def->nmember; m++) {
        const LiederMember *member = &def->members[m];
        int last = member->index + (member->length > 1 ? member->length - 1 : 0);
        if (member->index < 0 || last >= k->nreal || member->other < 0 || member->other >= k->nreal)
            return REFUSE("member %s lies outside the struct\nname the struct of this class in its "
                          "table",
                          member->name);
        nunknown += member->kind == LIEDER_UNKNOWN;
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
    }
    if (nunknown != k->nunknown)
        return REFUSE("the table has %d unknowns and UNKNOWNS has %d\nlist the same ones in both",
                      nunknown, k->nunknown);
    return LIEDER_DONE;
}

/* ------------------------------------------------------------------ a record of its own */

static bool incoming(const Check *c, int port)
{
    if (c->reversed && port < 2)
        return port == 1;
    return c->def->ports[port].role == LIEDER_IN;
}

static void add_spot(Spot *list, int *n, Spot spot)
{
    list[(*n)++] = spot;
}

/* where everything stands; inputs and outputs for this direction */
static void lay_out(Check *c)
{
    uint32_t next = 1 + (uint32_t)c->k->nreal;
    c->at[LIEDER_AT_SELF] = 1;
    c->at[LIEDER_AT_SAVE] = 0;
    c->nin = c->nout = 0;
    for (int p = 0; p < c->def->nport; p++) {
        const LiederDomain *d = c->def->ports[p].domain;
        uint32_t *at = c->at + LIEDER_AT_PORT + LIEDER_PER_PORT * p;
        at[LIEDER_SIGNALS] = next;
        at[LIEDER_POTENTIALS] = at[LIEDER_SIGNALS] + (uint32_t)d->nsignal;
        at[LIEDER_FLOWS] = at[LIEDER_POTENTIALS] + (uint32_t)d->npotential;
        at[LIEDER_LAW] = 0;
        next = at[LIEDER_FLOWS] + (uint32_t)(d->nflow * d->nregime);
        for (int i = 0; i < d->npotential; i++) {
            Spot spot = {at[LIEDER_POTENTIALS] + (uint32_t)i, -1, -1, "outward"};
            if (incoming(c, p))
                add_spot(c->in, &c->nin, spot);
            else
                add_spot(c->out, &c->nout, spot);
        }
        for (int i = 0; i < d->nflow * d->nregime; i++) {
            Spot spot = {at[LIEDER_FLOWS] + (uint32_t)i, p, i % d->nflow, "inward"};
            if (incoming(c, p))
                add_spot(c->out, &c->nout, spot);
            else
                add_spot(c->in, &c->nin, spot);
        }
    }
    for (int m = 0; m < c->def->nmember; m++) {
        const LiederMember *member = &c->def->members[m];
        if (member->kind != LIEDER_UNKNOWN)
            continue;
        add_spot(c->in, &c->nin, (Spot){1 + (uint32_t)member->index, -1, -1, ""});
        add_spot(c->out, &c->nout, (Spot){1 + (uint32_t)member->other, -1, -1, "inward"});
    }
    c->nreal = next;
}

/* random numbers near one everywhere, and a table where one is expected */
static void fill(Check *c)
{
    static const double numbers[] = {0, 0, 1, 1};
    static const LiederTable table = {.rows = 2, .columns = 2, .data = numbers};
    const LiederTable *pointer = &table;
    for (size_t i = 0; i < c->nreal; i++) {
        double value = 0.5 + random_number(c);
        for (size_t l = 0; l < c->lanes; l++)
            c->filled[i * c->lanes + l] = value;
    }
    for (int m = 0; m < c->def->nmember; m++)
        if (c->def->members[m].kind == LIEDER_PARAMETER && c->def->members[m].length == 0)
            memcpy(c->filled + (1 + (size_t)c->def->members[m].index) * c->lanes, &pointer,
                   sizeof pointer);
}

/* what the blocks before the linear ones leave in the struct */
static void settle(Check *c)
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

/* outputs for given inputs */
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
    if (c->k->outward[c->reversed].run)
        lieder_run(c->k->outward[c->reversed], &strip, c->at, 0);
    if (c->k->inward[c->reversed].run)
        lieder_run(c->k->inward[c->reversed], &strip, c->at, 0);
    for (int i = 0; i < c->nout; i++) /* a root or a sensor leaves flows as they were */
        out[i] = (c->out[i].block[0] == 'i' ? c->k->inward : c->k->outward)[c->reversed].run
                     ? c->record[c->out[i].place * c->lanes]
                     : 0.0;
}

/* a = b up to rounding; what is not finite cannot be judged */
static bool same(double a, double b, double scale)
{
    return !(fabs(a - b) > 1e-9 * (1 + scale + fabs(a) + fabs(b)));
}

/* ------------------------------------------------------------------ the rules */

static const char *direction(const Check *c)
{
    return c->reversed ? " (reversed)" : "";
}

static LiederStatus check_linear(Check *c)
{
    Lieder *session = c->session;
    const LiederClassDef *def = c->def;
    double *u = list(c, 0), *v = list(c, 1), *w = list(c, 2), *zero = list(c, 3), *y = list(c, 4),
           *yu = list(c, 5), *yv = list(c, 6), *yw = list(c, 7), *y2 = list(c, 8), *z = list(c, 9),
           *zu = list(c, 10);
    memset(zero, 0, (size_t)c->most * sizeof *zero);
    for (int i = 0; i < c->nin; i++) {
        u[i] = 2 * random_number(c) - 1;
        v[i] = 2 * random_number(c) - 1;
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
                c->out[i].block, direction(c), y[i]);
    for (int i = 0; i < c->nout; i++)
        if (!same(yw[i], yu[i] + yv[i], fabs(yu[i]) + fabs(yv[i])) || !same(y2[i], -2 * yu[i], 0))
            return REFUSE(
                "block %s%s is not linear in potentials, flows and unknowns\nmove what is "
                "not linear into the explicit block",
                c->out[i].block, direction(c));
    for (int i = 0; i < c->nout; i++)
        if (!same(zu[i], z[i] + yu[i], fabs(z[i]) + fabs(yu[i])))
            return REFUSE(
                "block %s%s changes its linear part with the bias\nleave potentials, flows "
                "and unknowns outside constant_term(...)",
                c->out[i].block, direction(c));
    return LIEDER_DONE;
}

/* sums over the regimes of every flow in a list of numbers; what is no flow passes */
static void add_regimes(const Spot *spots, int n, const double *values, double *sums)
{
    for (int i = 0; i < n; i++) {
        sums[i] = spots[i].port < 0 ? values[i] : 0;
        for (int j = 0; j < n && spots[i].port >= 0; j++)
            if (spots[j].port == spots[i].port && spots[j].variable == spots[i].variable)
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
        u[i] = 2 * random_number(c) - 1;
    evaluate(c, 0, u, y);
    add_regimes(c->out, c->nout, y, sums);
    add_regimes(c->in, c->nin, u, total);
    for (int i = 0; i < c->nin; i++) /* the first of its flow keeps the sum */
        for (int j = 0; j < i && c->in[i].port >= 0; j++)
            if (c->in[j].port == c->in[i].port && c->in[j].variable == c->in[i].variable)
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

static LiederStatus check_leaf(Check *c)
{
    Lieder *session = c->session;
    const LiederClassDef *def = c->def;
    double *u = list(c, 0), *y = list(c, 1), *z = list(c, 2), *sums = list(c, 3),
           *bias_sums = list(c, 4);
    for (int i = 0; i < c->nin; i++)
        u[i] = 2 * random_number(c) - 1;
    evaluate(c, 0, u, y);
    evaluate(c, 1, u, z);
    add_regimes(c->out, c->nout, y, sums);
    add_regimes(c->out, c->nout, z, bias_sums);
    bool answers = false;
    for (int i = 0; i < c->nout; i++)
        answers |= y[i] != 0;
    /* the flow at the second port is minus that at the first */
    for (int i = 0; i < c->nout && class_physical_in(def) == 2 && (answers || !def->couples); i++)
        for (int j = 0; j < i; j++)
            if (c->out[i].port == 1 && c->out[j].port == 0 &&
                c->out[i].variable == c->out[j].variable &&
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
    size_t places = (size_t)c->k->nreal + 1;
    for (int p = 0; p < c->def->nport; p++) {
        const LiederDomain *d = c->def->ports[p].domain;
        places += (size_t)(d->nsignal + d->npotential + d->nflow * d->nregime);
    }
    c->most = (int)places; /* more than inputs or outputs of any kind */
    c->nat = LIEDER_AT_PORT + LIEDER_PER_PORT * (size_t)c->def->nport;
    c->record_bytes = places * c->lanes * sizeof(double);
    c->scratch_bytes = ((size_t)c->k->nscratch + 1) * c->lanes * sizeof(double);
    c->at = memory_zeroed(alloc, c->nat * sizeof *c->at);
    c->in = memory_zeroed(alloc, places * sizeof *c->in);
    c->out = memory_zeroed(alloc, places * sizeof *c->out);
    c->lists = memory_zeroed(alloc, NLIST * places * sizeof *c->lists);
    c->record = memory_aligned(alloc, c->record_bytes);
    c->filled = memory_aligned(alloc, c->record_bytes);
    c->scratch = memory_aligned(alloc, c->scratch_bytes);
    return c->at && c->in && c->out && c->lists && c->record && c->filled && c->scratch;
}

static void drop_room(Check *c)
{
    const LiederAllocator *alloc = &c->session->alloc;
    size_t places = (size_t)c->most;
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
        lay_out(&c);
        if (c.reversed == 0)
            fill(&c);
        status = check_linear(&c);
        settle(&c);
        if (status == LIEDER_DONE)
            status = leaf ? check_leaf(&c) : check_regimes(&c);
    }
    drop_room(&c);
    return status;
}
