/* facts.c - what the blocks of a class read and write, found by running them.
 *
 * A class says what it is made of, not how its parts depend on each other. The engine must know a
 * few of these dependences, and finds them here, so that no author has to declare them:
 *
 *   reads, writes   which input ports an explicit block reads, which output ports it sets: the
 *                   order of explicit blocks follows. An input that linear blocks alone read is
 *                   read by none, so that a controller may act on what it measures.
 *   after           an explicit block that reads members which an earlier one of its class sets
 *   rests           an outgoing port whose signals and potentials are zero whatever comes in
 *   basic_signals   nothing but outgoing signals that are not basic depends on incoming signals
 *                   that are not basic (mechanics.h: positions and linear velocities never turn
 *                   anything); these outputs are left out where they are not read
 *   inertial        a leaf that answers to inertial potentials only
 *   couples         a leaf whose flow at one port answers to the potentials of another
 *   mixes           a link that makes inertial potentials of others: its group needs all columns
 *
 * Every question has the form "does B depend on A", and is tried at NPOINT points at once, which
 * are the lanes of one strip: all numbers are random, parameters within their range, others of
 * different sizes and signs and now and then 0, 1 or -1, so that the branches of choose(...) are
 * reached. The blocks run twice from the same numbers but for A, and B is compared bit by bit.
 * Rejected: NaN in place of A. choose(...) drops it, as do compilers that take numbers for finite.
 *
 * A record holds the struct, and for each port signals, potentials and flows (class_lay_out).
 */
#include <math.h>
#include <string.h>

#include "model/class/linear_map.h"

enum {
    NPOINT = 64,
    NPOOL = 1024, /* random numbers that are made at once */
    STRIDE = 67   /* from the numbers of one place to those of the next; odd, so that all differ */
};

typedef struct FactsTrial {
    Lieder *session;
    const LiederClass *class_;
    const LiederClassDef *def;
    const LiederKernels *k;
    ClassFacts *facts;
    size_t lanes, nvec, nreal; /* lanes of a record, records, reals of one */
    uint32_t *at;
    double *start, *one, *other, *scratch; /* records: after the constant block, and two results */
    size_t bytes, scratch_bytes;
    int reversed;
    uint64_t seed;
    double pool[NPOOL]; /* of any_number; places take NPOINT of them, one place after the other */
    size_t ntaken;
} FactsTrial;

/* ------------------------------------------------------------------ records */

/* a number of any size and sign */
static double any_number(FactsTrial *t)
{
    double kind = random_unit(&t->seed), value = 4 * random_unit(&t->seed) - 2;
    if (kind < 0.1)
        return 0;
    if (kind < 0.2)
        return value < 0 ? -1 : 1;
    return kind < 0.3 ? 1000 * value : kind < 0.4 ? 0.001 * value : value;
}

/* within the range of a parameter; a switch stands at one of its ends */
static double admissible_number(FactsTrial *t, const LiederMember *m)
{
    double low = m->min, high = m->max, value = any_number(t);
    if (m->structural)
        return random_unit(&t->seed) < 0.5 ? low : high;
    if (isfinite(low) && isfinite(high))
        return low + (high - low) * random_unit(&t->seed);
    if (isfinite(low) && value < low)
        return low + fabs(value);
    return isfinite(high) && value > high ? high - fabs(value) : value;
}

static double *number_at(const FactsTrial *t, double *records, size_t point, uint32_t place)
{
    size_t v = point / t->lanes, l = point % t->lanes;
    return records + (v * t->nreal + place) * t->lanes + l;
}

static void fill_pool(FactsTrial *t)
{
    for (size_t i = 0; i < NPOOL; i++)
        t->pool[i] = any_number(t);
}

/* never twice the same numbers for a place: the pool is made anew when all of it was taken */
static void fill_place(FactsTrial *t, double *records, uint32_t place)
{
    if (t->ntaken % NPOOL == 0)
        fill_pool(t);
    size_t from = t->ntaken++ * STRIDE;
    for (size_t v = 0; v < t->nvec; v++)
        for (size_t l = 0; l < t->lanes; l++)
            records[(v * t->nreal + place) * t->lanes + l] = t->pool[from++ % NPOOL];
}

/* random numbers everywhere, and a table where one is expected */
static void fill_records(FactsTrial *t)
{
    for (uint32_t place = 1; place < t->nreal; place++)
        fill_place(t, t->start, place);
    for (int i = 0; i < t->def->nmember; i++) {
        const LiederMember *m = &t->def->members[i];
        uint32_t place = t->at[LIEDER_AT_SELF] + (uint32_t)m->index;
        for (int e = 0; m->kind == LIEDER_PARAMETER && e < m->length; e++)
            for (size_t n = 0; n < NPOINT; n++)
                *number_at(t, t->start, n, place + (uint32_t)e) = admissible_number(t, m);
    }
    class_fill_tables(t->def, t->at, t->start, t->nvec, t->nreal, t->lanes);
}

static uint32_t port_place(const FactsTrial *t, int port, int what)
{
    return t->at[LIEDER_AT_PORT + LIEDER_PER_PORT * port + what];
}

static bool port_comes_in(const FactsTrial *t, int port)
{
    return class_port_incoming(t->def, t->reversed, port);
}

/* do n reals from a place on differ anywhere? */
static bool differ(const FactsTrial *t, const double *a, const double *b, uint32_t place, size_t n)
{
    for (size_t v = 0; v < t->nvec; v++) {
        size_t from = (v * t->nreal + place) * t->lanes;
        if (memcmp(a + from, b + from, n * t->lanes * sizeof(double)) != 0)
            return true;
    }
    return false;
}

static bool all_zero(const FactsTrial *t, const double *records, uint32_t place, int n)
{
    for (size_t v = 0; v < t->nvec; v++)
        for (size_t i = 0; i < (size_t)n * t->lanes; i++)
            if (records[(v * t->nreal + place) * t->lanes + i] != 0)
                return false;
    return true;
}

/* n reals from a place on become zero */
static void clear(const FactsTrial *t, double *records, uint32_t place, size_t n)
{
    for (size_t v = 0; v < t->nvec; v++)
        memset(records + (v * t->nreal + place) * t->lanes, 0, n * t->lanes * sizeof(double));
}

/* ------------------------------------------------------------------ runs */

/* runs a block on the records of all trial points */
static void run_facts(const FactsTrial *t, LiederCode code, double *records, double bias_scale)
{
    if (!code.run)
        return;
    LiederStrip strip = {.base = records,
                         .scratch = t->scratch,
                         .record = t->nreal,
                         .nvec = (int)t->nvec,
                         .bias_scale = bias_scale,
                         .time = 0.7,
                         .event_time = 0.7};
    lieder_run(code, &strip, t->at, 0);
}

static void run_unit(const FactsTrial *t, int unit, double *records)
{
    if (unit == 0) {
        run_facts(t, t->k->incoming[t->reversed], records, 1);
        run_facts(t, t->k->explicit_[t->reversed], records, 1);
    } else {
        run_facts(t, t->k->more[unit - 1][t->reversed], records, 1);
    }
}

/* records with everything that stands before a unit in its class */
static void begin(const FactsTrial *t, double *records, int unit)
{
    memcpy(records, t->start, t->bytes);
    for (int u = 0; u < unit; u++)
        run_unit(t, u, records);
}

/* ------------------------------------------------------------------ explicit blocks */

/* does a unit change what it sets when these reals are others? */
static bool unit_reads(FactsTrial *t, int unit, uint32_t place, size_t n)
{
    if (n == 0)
        return false;
    begin(t, t->one, unit);
    memcpy(t->other, t->one, t->bytes);
    for (uint32_t k = 0; k < n; k++)
        fill_place(t, t->other, place + k);
    run_unit(t, unit, t->one);
    run_unit(t, unit, t->other);
    return differ(t, t->one, t->other, 0, place) ||
           differ(t, t->one, t->other, place + (uint32_t)n, t->nreal - place - n);
}

/* the ports that each unit reads and sets */
static void find_accesses(FactsTrial *t)
{
    ClassFacts *f = t->facts;
    for (int u = 0; u < f->nunit; u++)
        for (int p = 0; p < t->def->nport; p++) {
            uint32_t place = port_place(t, p, LIEDER_SIGNALS);
            size_t n = (size_t)t->def->ports[p].domain->nsignal;
            uint8_t *reads = &f->reads[u * t->def->nport + p];
            uint8_t *writes = &f->writes[u * t->def->nport + p];
            if (port_comes_in(t, p)) {
                if (!*reads)
                    *reads = unit_reads(t, u, place, n);
            } else if (!*writes) {
                begin(t, t->one, u);
                memcpy(t->other, t->one, t->bytes);
                run_unit(t, u, t->one);
                *writes = differ(t, t->one, t->other, place, n);
            }
        }
}

/* does a unit read members that another one sets? */
static bool unit_follows(FactsTrial *t, int unit, int earlier)
{
    begin(t, t->one, earlier);
    memcpy(t->other, t->one, t->bytes);
    run_unit(t, earlier, t->other);
    uint32_t self = t->at[LIEDER_AT_SELF];
    for (uint32_t i = self; i < self + (uint32_t)t->k->nreal; i++) {
        begin(t, t->one, earlier);
        memcpy(t->other, t->one, t->bytes);
        run_unit(t, earlier, t->other);
        if (differ(t, t->one, t->other, i, 1) && unit_reads(t, unit, i, 1))
            return true;
    }
    return false;
}

/* false after reporting that a block reads what a later one sets */
static bool find_sequence(FactsTrial *t)
{
    ClassFacts *f = t->facts;
    for (int u = 0; u < f->nunit; u++)
        for (int w = 0; w < f->nunit; w++) {
            if (w == u || !unit_follows(t, u, w))
                continue;
            if (w > u) {
                diag_error(&t->session->diag, NULL, t->def->name,
                           "explicit block %d reads what block %d sets\nput them in the order in "
                           "which they run",
                           u + 1, w + 1);
                return false;
            }
            f->after[u * f->nunit + w] = 1;
        }
    return true;
}

/* ------------------------------------------------------------------ linear blocks */

/* runs all blocks of the class in order: explicit ones, outward, inward */
static void run_all(const FactsTrial *t, double *records)
{
    for (int u = 0; u < t->facts->nunit; u++)
        run_unit(t, u, records);
    run_facts(t, t->k->outward[t->reversed], records, 1);
    run_facts(t, t->k->inward[t->reversed], records, 1);
}

static void find_rests(FactsTrial *t)
{
    memcpy(t->one, t->start, t->bytes);
    run_all(t, t->one);
    for (int p = 0; p < t->def->nport; p++) {
        const LiederDomain *d = t->def->ports[p].domain;
        if (d->npotential && !port_comes_in(t, p))
            t->facts->rests[p] &=
                all_zero(t, t->one, port_place(t, p, LIEDER_SIGNALS), d->nsignal) &&
                all_zero(t, t->one, port_place(t, p, LIEDER_POTENTIALS), d->npotential);
    }
}

/* does anything but signals that are not basic depend on incoming signals that are not basic? */
static bool basic_alone(FactsTrial *t)
{
    const int *basic = t->k->basic_signals;
    uint32_t self = t->at[LIEDER_AT_SELF];
    memcpy(t->one, t->start, t->bytes);
    memcpy(t->other, t->start, t->bytes);
    for (int p = 0; p < t->def->nport; p++)
        for (int s = 0; s < t->def->ports[p].domain->nsignal && port_comes_in(t, p); s++)
            if (!(basic[p] >> s & 1))
                fill_place(t, t->other, port_place(t, p, LIEDER_SIGNALS) + (uint32_t)s);
    run_all(t, t->one);
    run_all(t, t->other);
    bool found = differ(t, t->one, t->other, self, (size_t)t->k->nreal);
    for (int p = 0; p < t->def->nport; p++) {
        const LiederDomain *d = t->def->ports[p].domain;
        found |= differ(t, t->one, t->other, port_place(t, p, LIEDER_POTENTIALS),
                        (size_t)(d->npotential + d->nflow * d->nregime));
        for (int s = 0; s < d->nsignal && !port_comes_in(t, p); s++)
            if (basic[p] >> s & 1)
                found |=
                    differ(t, t->one, t->other, port_place(t, p, LIEDER_SIGNALS) + (uint32_t)s, 1);
    }
    return !found;
}

/* Incoming potentials are the only inputs: those of one port, or, with only_port < 0, of all ports
 * those that are not inertial. */
static void put_potentials(FactsTrial *t, int only_port)
{
    memcpy(t->one, t->start, t->bytes);
    for (int u = 0; u < t->facts->nunit; u++)
        run_unit(t, u, t->one);
    for (int p = 0; p < t->def->nport; p++) {
        const LiederDomain *d = t->def->ports[p].domain;
        uint32_t place = port_place(t, p, LIEDER_POTENTIALS);
        for (int i = 0; i < d->npotential; i++)
            if (!port_comes_in(t, p) || (only_port < 0 ? d->inertial >> i & 1 : p != only_port))
                clear(t, t->one, place + (uint32_t)i, 1);
        clear(t, t->one, port_place(t, p, LIEDER_FLOWS), (size_t)(d->nflow * d->nregime));
    }
    const LiederMember *unknown;
    for (int m = 0; (unknown = next_unknown(t->def, &m));)
        clear(t, t->one, t->at[LIEDER_AT_SELF] + (uint32_t)unknown->index, 1);
    run_facts(t, t->k->outward[t->reversed], t->one, 0);
    run_facts(t, t->k->inward[t->reversed], t->one, 0);
}

static void find_couples(FactsTrial *t)
{
    for (int from = 0; from < t->def->nport; from++) {
        put_potentials(t, from);
        for (int p = 0; p < t->def->nport; p++) {
            const LiederDomain *d = t->def->ports[p].domain;
            if (p != from && port_comes_in(t, p))
                t->facts->couples |=
                    !all_zero(t, t->one, port_place(t, p, LIEDER_FLOWS), d->nflow * d->nregime);
        }
    }
}

/* whether a leaf answers to inertial potentials alone, and whether a link mixes them into others */
static void find_inertial(FactsTrial *t, bool leaf)
{
    put_potentials(t, -1);
    for (int p = 0; p < t->def->nport; p++) {
        const LiederDomain *d = t->def->ports[p].domain;
        if (leaf && t->k->inward[0].run && port_comes_in(t, p))
            t->facts->inertial &=
                all_zero(t, t->one, port_place(t, p, LIEDER_FLOWS), d->nflow * d->nregime);
        for (int i = 0; i < d->npotential && !leaf && !port_comes_in(t, p); i++)
            if (d->inertial >> i & 1)
                t->facts->mixes |=
                    !all_zero(t, t->one, port_place(t, p, LIEDER_POTENTIALS) + (uint32_t)i, 1);
    }
}

/* ------------------------------------------------------------------ all of it */

/* records of all trial points, three copies; false: no memory */
static bool make_room(FactsTrial *t)
{
    const LiederAllocator *alloc = &t->session->alloc;
    t->at = memory_zeroed(alloc, class_at_length(t->def) * sizeof *t->at);
    if (!t->at)
        return false;
    t->nreal = class_lay_out(t->def, t->k, t->at);
    t->nvec = NPOINT / t->lanes;
    t->bytes = t->nvec * t->nreal * t->lanes * sizeof(double);
    t->scratch_bytes = t->nvec * ((size_t)t->k->nscratch + 1) * t->lanes * sizeof(double);
    t->start = memory_aligned(alloc, t->bytes);
    t->one = memory_aligned(alloc, t->bytes);
    t->other = memory_aligned(alloc, t->bytes);
    t->scratch = memory_aligned(alloc, t->scratch_bytes);
    return t->start && t->one && t->other && t->scratch;
}

static void drop_room(FactsTrial *t)
{
    const LiederAllocator *alloc = &t->session->alloc;
    memory_free(alloc, t->at, class_at_length(t->def) * sizeof *t->at);
    memory_free_aligned(alloc, t->start, t->bytes);
    memory_free_aligned(alloc, t->one, t->bytes);
    memory_free_aligned(alloc, t->other, t->bytes);
    memory_free_aligned(alloc, t->scratch, t->scratch_bytes);
}

/* all facts of a class in one direction of its ports, by running its blocks on records of arbitrary
 * values */
static bool try_direction(FactsTrial *t, bool leaf)
{
    fill_records(t);
    run_facts(t, t->k->constant, t->start, 1);
    find_accesses(t);
    find_rests(t);
    find_inertial(t, leaf);
    if (leaf && t->k->inward[0].run)
        find_couples(t);
    if (t->k->basic_signals && t->facts->nunit == 1)
        t->facts->basic_signals &= basic_alone(t);
    return t->facts->nunit == 1 || find_sequence(t);
}

/* a port that no unit sets counts as set by the first one, so that its readers wait for that */
static void complete(ClassFacts *f, const LiederClassDef *def)
{
    for (int p = 0; p < def->nport; p++) {
        int nwriter = 0;
        for (int u = 0; u < f->nunit; u++)
            nwriter += f->writes[u * def->nport + p];
        if (nwriter == 0)
            f->writes[p] = 1;
        /* signals of a physical port come with its potentials */
        if (!port_is_signal(&def->ports[p]))
            f->reads[p] = 1;
    }
}

static bool facts_room(ClassFacts *f, const LiederClass *class_, const LiederAllocator *alloc)
{
    size_t nport = (size_t)class_->def->nport, nunit = (size_t)f->nunit;
    f->nbyte = 2 * nunit * nport + nunit * nunit + nport + 1;
    f->reads = memory_zeroed(alloc, f->nbyte);
    if (!f->reads)
        return false;
    f->writes = f->reads + nunit * nport;
    f->after = f->writes + nunit * nport;
    f->rests = f->after + nunit * nunit;
    return true;
}

void class_facts_drop(LiederClass *class_, const LiederAllocator *alloc)
{
    memory_free(alloc, class_->facts.reads, class_->facts.nbyte);
    class_->facts = (ClassFacts){0};
}

LiederStatus class_find_facts(Lieder *session, LiederClass *class_)
{
    const LiederAllocator *alloc = &session->alloc;
    const LiederClassDef *def = class_->def;
    const LiederKernels *k = NULL;
    for (int i = 0; i < ISA_COUNT; i++)
        if (class_->kernels[i] && machine_has((LiederIsa)i))
            k = class_->kernels[i]; /* the widest: it has the bits of all others */
    int nin = class_physical_in(def), nout = class_physical_out(def);
    bool leaf = nin > 0 && nout == 0;
    ClassFacts *f = &class_->facts;
    *f = (ClassFacts){.nunit = 1 + (k ? k->nmore : 0), .inertial = leaf && k};
    f->basic_signals = k && k->basic_signals;
    if (!facts_room(f, class_, alloc))
        return LIEDER_NO_MEMORY;
    if (def->nport == 0 && f->nunit == 1) /* no port, and no block beside another */
        return LIEDER_DONE;
    if (!k) { /* nothing that could be run */
        f->mixes = nin > 0 && nout > 0;
        memset(f->reads, 1, f->nbyte - 1 - (size_t)def->nport);
        memset(f->after, 0, (size_t)(f->nunit * f->nunit));
        return LIEDER_DONE;
    }
    FactsTrial t = {.session = session,
                    .class_ = class_,
                    .def = def,
                    .k = k,
                    .facts = f,
                    .lanes = (size_t)k->lanes};
    LiederStatus status = make_room(&t) ? LIEDER_DONE : LIEDER_NO_MEMORY;
    for (int p = 0; p < def->nport; p++)
        f->rests[p] = def->ports[p].role == LIEDER_OUT && def->ports[p].domain->npotential &&
                      nin > 0 && p > (k->reversible ? 1 : 0);
    for (t.reversed = 0; t.reversed < (k->reversible ? 2 : 1) && status == LIEDER_DONE;
         t.reversed++)
        if (!try_direction(&t, leaf))
            status = LIEDER_BAD_USE;
    complete(f, def);
    drop_room(&t);
    if (status != LIEDER_DONE)
        class_facts_drop(class_, alloc);
    return status;
}
