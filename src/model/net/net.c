/* net.c - many small parts that elastic elements hold together: nets, cables, lattices.
 *
 * Without the coupling leaves ("ties") such a shape falls into parts that hang on the ground, each
 * with a few unknowns of its own. Equal parts are lanes of one small shape, and equal ties are
 * lanes of a shape of one component, so that both go through the kernels in strips as wide as the
 * registers, however irregular the whole shape is:
 *
 *   1. parts: explicit blocks; then signals, p0, P and Q at their points, M and the bias
 *   (net_plan.h)
 *   2. ties:  explicit blocks on the signals of two points; K and k0; answers and matrix blocks
 *   3. the linear system over all cells (net_solve.c)
 *   4. parts: explicit blocks again, outward with the unknowns: derivatives
 *
 * Between the passes only the numbers of a NetWork (net_plan.h) are kept; recomputing the explicit
 * blocks of a part is cheaper than keeping its record.
 *
 * How a shape is taken apart stands in net_divide.c, how parts and ties are put together as lanes
 * in net_build.c and net_wire.c.
 */
#include "model/net/net_plan.h"
#include "model/system/evaluate.h"

#include <math.h>
#include <string.h>

const NetOps *net_ops_of(LiederIsa isa)
{
    return ISA_TABLE(isa, net_ops);
}

const NetVectors *net_vectors_of(LiederIsa isa)
{
    return ISA_TABLE(isa, net_vectors);
}

/* ------------------------------------------------------------------ parameters */

/* a part or tie: its shape, and which components of the whole its lanes are, `n` for each */
typedef struct NetPiece {
    SystemShape *ss;
    const uint32_t *components;
    size_t n;
} NetPiece;

static size_t piece_count(const Net *net)
{
    return net->parts.n + net->ties.n;
}

static NetPiece piece_at(const Net *net, size_t index)
{
    if (index < net->parts.n) {
        NetPart *part = net->parts.items[index];
        return (NetPiece){&part->ss, part->components.items, part->shape.components.n};
    }
    NetTie *tie = net->ties.items[index - net->parts.n];
    return (NetPiece){&tie->ss, tie->components.items, 1};
}

static Workspace *piece_workspace(const NetWork *w, size_t index)
{
    size_t npart = w->net->parts.n;
    return index < npart ? w->parts[index].workspace : w->ties[index - npart].workspace;
}

/* whether slot s of component i is a number that blocks read */
static bool slot_is_number(const NetPiece *piece, size_t i, int s)
{
    const LiederMember *m = piece->ss->shape->components.items[i].class_->slots[s].member;
    return !m || !(member_has_start(m) || m->length == 0);
}

/* the number of slot s of component i in lane l of a piece, where the whole has `lane` */
static double whole_number(const SystemShape *whole, const NetPiece *piece, size_t i, int s,
                           size_t l, size_t lane)
{
    uint32_t component = piece->components[l * piece->n + i];
    const SlotValue *v = slot_of(whole, component, (uint32_t)s);
    return v->lanes ? v->lanes[lane] : v->value;
}

/* whether the lanes of a piece differ in slot s of component i, in any lane of the whole */
static bool slot_differs(const SystemShape *whole, const NetPiece *piece, size_t i, int s)
{
    for (size_t lane = 0; lane < (whole->values.lanes_differ ? whole->shape->nlane : 1); lane++) {
        double first = whole_number(whole, piece, i, s, 0, lane);
        for (size_t l = 1; l < piece->ss->shape->nlane; l++) {
            double value = whole_number(whole, piece, i, s, l, lane);
            if (memcmp(&value, &first, sizeof value) != 0)
                return true;
        }
    }
    return false;
}

/* a list for the numbers of slot s of component i, if lanes of the piece do not share one */
static bool reserve_slot(const SystemShape *whole, const NetPiece *piece, size_t i, int s,
                         const LiederAllocator *alloc)
{
    SystemShape *ss = piece->ss;
    SlotValue *v = &ss->values.slots.items[ss->values.slot_first.items[i] + (uint32_t)s];
    bool differs = slot_is_number(piece, i, s) && slot_differs(whole, piece, i, s);
    if (differs && !v->lanes) {
        NumberList *list = number_list_create(alloc, ss->shape->nlane);
        if (!list)
            return false;
        v->lanes = list->values;
    } else if (!differs && v->lanes) {
        number_list_release(alloc, number_list_of(v->lanes));
        v->lanes = NULL;
    }
    return true;
}

/* whether lanes of a piece differ, and in what, after its lists were made */
static bool list_piece(const NetPiece *piece, const LiederAllocator *alloc)
{
    SystemShape *ss = piece->ss;
    ss->values.lanes_differ = false;
    for (size_t s = 0; s < ss->values.slots.n; s++)
        ss->values.lanes_differ |= ss->values.slots.items[s].lanes != NULL;
    return list_lanes(ss, alloc) == LIEDER_DONE;
}

/* lists for the numbers that lanes of a piece do not share */
static bool reserve_piece(const SystemShape *whole, const NetPiece *piece,
                          const LiederAllocator *alloc)
{
    for (size_t i = 0; i < piece->n; i++)
        for (int s = 0; s < piece->ss->shape->components.items[i].class_->nslot; s++)
            if (!reserve_slot(whole, piece, i, s, alloc))
                return false;
    return list_piece(piece, alloc);
}

/* the numbers that slot s of component i has in `lane` of the whole into slots of a piece */
static void load_slot(const SystemShape *whole, const NetPiece *piece, size_t i, int s,
                      SlotValue *slots, size_t lane)
{
    SystemShape *ss = piece->ss;
    SlotValue *v = &slots[ss->values.slot_first.items[i] + (uint32_t)s];
    if (!slot_is_number(piece, i, s))
        return;
    v->value = whole_number(whole, piece, i, s, 0, lane);
    for (size_t l = 0; v->lanes && l < ss->shape->nlane; l++)
        v->lanes[l] = whole_number(whole, piece, i, s, l, lane);
}

/* the numbers of `lane` of the whole into slots of a piece */
static void load_piece(const SystemShape *whole, const NetPiece *piece, SlotValue *slots,
                       size_t lane)
{
    for (size_t i = 0; i < piece->n; i++)
        for (int s = 0; s < piece->ss->shape->components.items[i].class_->nslot; s++)
            load_slot(whole, piece, i, s, slots, lane);
}

/* whether some lane of a piece has `component` of the whole as its component i */
static bool piece_has(const NetPiece *piece, size_t i, uint32_t component)
{
    size_t l = 0, nlane = piece->ss->shape->nlane;
    while (l < nlane && piece->components[l * piece->n + i] != component)
        l++;
    return l < nlane;
}

/* For all lanes of the whole at once, when the net is made and when parameters have been set, so
 * that evaluations allocate nothing. */
bool net_reserve(const SystemShape *ss, Net *net)
{
    net->reserved = true;
    net->numbers++;
    for (size_t i = 0; i < piece_count(net) && net->reserved; i++) {
        NetPiece piece = piece_at(net, i);
        net->reserved = reserve_piece(ss, &piece, net->pool.alloc);
        if (net->reserved)
            load_piece(ss, &piece, piece.ss->values.slots.items, 0);
    }
    return net->reserved;
}

bool net_refill(const SystemShape *ss)
{
    Net *net = ss->plan.net;
    if (!net)
        return true;
    net->reserved = false; /* what fails here is tried again by net_follow */
    return net_reserve(ss, net) &&
           (!ss->workspace || !ss->workspace->net || net_follow(ss, ss->workspace->net));
}

bool net_update(const SystemShape *ss, uint32_t component, uint32_t slot)
{
    Net *net = ss->plan.net;
    bool ok = net->reserved;
    for (size_t k = 0; k < piece_count(net) && ok; k++) {
        NetPiece piece = piece_at(net, k);
        bool found = false;
        for (size_t i = 0; i < piece.n && ok; i++) {
            if (!piece_has(&piece, i, component) || !slot_is_number(&piece, i, (int)slot))
                continue;
            found = true;
            ok = reserve_slot(ss, &piece, i, (int)slot, net->pool.alloc);
            if (ok)
                load_slot(ss, &piece, i, (int)slot, piece.ss->values.slots.items, 0);
        }
        ok = ok && (!found || list_piece(&piece, net->pool.alloc));
    }
    if (!ok)
        return net_refill(ss);
    net->numbers++;
    return !ss->workspace || !ss->workspace->net || net_follow(ss, ss->workspace->net);
}

bool net_follow(const SystemShape *ss, NetWork *w)
{
    Net *net = ss->plan.net;
    if (!net->reserved && !net_reserve(ss, net))
        return false;
    if (w->numbers == net->numbers)
        return true;
    for (size_t i = 0; i < piece_count(net); i++) {
        NetPiece piece = piece_at(net, i);
        Workspace *workspace = piece_workspace(w, i);
        if (!ss->values.lanes_differ)
            slots_drop(piece.ss, workspace, net->pool.alloc);
        else if (!slots_copy(piece.ss, workspace, net->pool.alloc))
            return false;
        strip_fill(piece.ss, workspace);
    }
    w->loaded = 0;
    w->numbers = net->numbers;
    return true;
}

/* parameters of a lane of the whole into the strips of a thread; false: no memory */
static bool load_parameters(const SystemShape *ss, NetWork *w, size_t lane)
{
    if (!net_follow(ss, w))
        return false;
    if (lane == w->loaded || !ss->values.lanes_differ)
        return true;
    for (size_t i = 0; i < piece_count(w->net); i++) {
        NetPiece piece = piece_at(w->net, i);
        Workspace *workspace = piece_workspace(w, i);
        load_piece(ss, &piece, workspace->slots, lane);
        strip_fill(piece.ss, workspace);
    }
    w->loaded = lane;
    return true;
}

/* ------------------------------------------------------------------ evaluation */

/* where and when a net is evaluated */
typedef struct Occasion {
    double t;
    const Moment *moment;
    const double *x;
    size_t stride;
} Occasion;

/* n lanes of a part or tie, with their parameters */
static LiederStrip load_strip(const SystemShape *ss, Workspace *workspace, const Occasion *o,
                              size_t lane, size_t n)
{
    const Program *p = &ss->plan.lean;
    size_t lanes = (size_t)p->lanes;
    LiederStrip strip = workspace_strip(ss, workspace, (int)((n + lanes - 1) / lanes), o->t);
    const Moment *m = o->moment;
    if (!isnan(m->event_time))
        strip.event_time = m->event_time;
    if (m->times) { /* of the one lane of the whole */
        strip.time = m->times[0];
        strip.event_time = m->event_times ? m->event_times[0] : m->times[0];
    }
    strip_load(ss, workspace, lane, n);
    return strip;
}

/* states and explicit blocks of n cells */
static LiederStrip load_cells(NetWork *w, const NetPartWork *work, const Occasion *o, size_t lane,
                              size_t n)
{
    const NetPart *part = work->part;
    size_t nlane = part->shape.nlane, nstate = part->shape.states.n;
    LiederStrip strip = load_strip(&part->ss, work->workspace, o, lane, n);
    for (size_t s = 0; s < nstate; s++)
        for (size_t l = 0; l < n; l++)
            w->states[s * n + l] =
                o->x[(size_t)part->states.items[s * nlane + lane + l] * o->stride];
    part->ss.plan.lean_ops->load_all(&strip, part->ss.plan.lean.state_place.items, nstate,
                                     w->states, n, n);
    run_ops(&part->ss.plan.lean.explicit_, &strip, part->ss.plan.lean.at.items);
    return strip;
}

/* whether ties answer with a flow for the first time, whose Q was left out so far */
static bool enliven(NetWork *w)
{
    const Net *net = w->net;
    bool more = false;
    for (size_t i = 0; i < net->ties.n; i++)
        for (int r = 0; r < NET_FLOWS; r++)
            if (w->ties[i].live[r] && !w->live[r])
                more = w->live[r] = true;
    return more;
}

/* maps of all parts, answers of all ties */
static void find_coefficients(NetWork *w, const Occasion *o)
{
    const Net *net = w->net;
    for (size_t i = 0; i < net->parts.n; i++) {
        const NetPartWork *work = &w->parts[i];
        const NetPart *part = work->part;
        const NetOps *ops = net_ops_of(part->ss.plan.lean.isa);
        size_t width = workspace_width(&part->ss), nlane = part->shape.nlane;
        for (size_t lane = 0; lane < nlane; lane += width) {
            size_t n = nlane - lane < width ? nlane - lane : width;
            LiederStrip strip = load_cells(w, work, o, lane, n);
            ops->cells(w, work, &strip, lane, n);
        }
    }
    memset(w->flows, 0, (size_t)net->npoint * NET_FLOWS * sizeof(double));
    for (size_t i = 0; i < net->ties.n; i++) {
        NetTieWork *work = &w->ties[i];
        const NetTie *tie = work->tie;
        const Program *p = &tie->ss.plan.lean;
        const NetOps *ops = net_ops_of(p->isa);
        LiederCode couple = kernels_of(p, &tie->shape.components.items[0])->couple;
        size_t width = workspace_width(&tie->ss), ntie = tie->components.n;
        for (size_t first = 0; first < ntie; first += width) {
            size_t n = ntie - first < width ? ntie - first : width;
            LiederStrip strip = load_strip(&tie->ss, work->workspace, o, first, n);
            ops->gather(w, work, &strip, first, n);
            run_ops(&p->explicit_, &strip, p->at.items);
            lieder_run(couple, &strip, at_of(p, 0), 0);
            ops->answer(w, work, &strip, first, n);
        }
    }
}

/* Steps 1 and 2. The coefficients are compared with those of the evaluation before, bit by bit, and
 * the matrix is put together again, scaled and factored only if one of them has changed. */
static void assemble(NetWork *w, const Occasion *o)
{
    const Net *net = w->net;
    w->changed = w->version == 0;
    do
        find_coefficients(w, o);
    while (enliven(w));
    w->changed = net_any(net, w->changed);
    if (w->changed) {
        w->version++;
        w->lopsided = 0;
        memcpy(w->diagonal, w->own, net_order(net) * net->block * sizeof(double));
        for (size_t i = 0; i < net->ties.n; i++)
            net->ops->add_blocks(w, &w->ties[i]);
        net_compare_diagonals(w);
    }
}

/* a joint of a cell, as a component of the whole */
static uint32_t blame(const Net *net, uint32_t cell)
{
    const NetPart *part = net->parts.items[net->cell_part[cell]];
    uint32_t local = part->unknowns.n ? part->unknowns.items[0].component : 0;
    return part->components.items[net->cell_lane[cell] * part->shape.components.n + local];
}

/* assembles the linear system of a lane and finds its unknowns (steps 1 to 3 at the head);
 * *culprit: component of the cell that failed */
static LiederStatus solve(const SystemShape *ss, NetWork *w, const Occasion *o, size_t lane,
                          uint32_t *culprit)
{
    uint32_t cell;
    if (!load_parameters(ss, w, lane))
        return LIEDER_NO_MEMORY;
    assemble(w, o);
    if (net_linear_solve(w, &cell))
        return LIEDER_DONE;
    if (w->pool.failed)
        return LIEDER_NO_MEMORY;
    *culprit = cell == NOWHERE ? NOWHERE : blame(w->net, cell); /* of another rank */
    return w->unsettled ? LIEDER_GAVE_UP : LIEDER_SINGULAR;
}

LiederStatus net_take_part(const SystemShape *ss, NetWork *w, double t, const Moment *moment,
                           const double *x)
{
    uint32_t culprit;
    return solve(ss, w, &(Occasion){t, moment, x, 1}, 0, &culprit);
}

LiederStatus net_evaluate(const SystemShape *ss, NetWork *w, double t, const Moment *moment,
                          size_t lane, const double *x, size_t x_stride, double *dx,
                          size_t dx_stride, uint32_t *culprit)
{
    Occasion o = {t, moment, x, x_stride};
    double not_finite = 0;
    const Net *net = w->net;
    LiederStatus status = solve(ss, w, &o, lane, culprit);
    for (size_t i = 0; i < net->parts.n && status == LIEDER_DONE; i++) {
        const NetPartWork *work = &w->parts[i];
        const NetPart *part = work->part;
        const Program *p = &part->ss.plan.lean;
        size_t width = workspace_width(&part->ss), nlane = part->shape.nlane,
               ns = part->shape.states.n;
        for (size_t at = 0; at < nlane; at += width) {
            size_t n = nlane - at < width ? nlane - at : width;
            LiederStrip strip = load_cells(w, work, &o, at, n);
            net_ops_of(p->isa)->outward(w, work, &strip, at, n);
            not_finite += part->ss.plan.lean_ops->store_all(&strip, p->derivative_place.items, ns,
                                                            w->states, n, n);
            for (size_t s = 0; s < ns; s++)
                for (size_t l = 0; l < n; l++)
                    dx[(size_t)part->states.items[s * nlane + at + l] * dx_stride] =
                        w->states[s * n + l];
        }
    }
    if (status == LIEDER_DONE && not_finite != 0)
        status = LIEDER_NOT_FINITE;
    return net_status(net, status);
}

LiederStatus net_observe(const SystemShape *ss, NetWork *w, double *rec, double t,
                         const Moment *moment, size_t lane, const double *x, size_t stride,
                         uint32_t *culprit)
{
    Occasion o = {t, moment, x, stride};
    const Net *net = w->net;
    LiederStatus status = solve(ss, w, &o, lane, culprit);
    for (uint32_t c = 0; c < net->ncell && status == LIEDER_DONE; c++) {
        const NetPart *part = net->parts.items[net->cell_part[c]];
        for (size_t i = 0; i < part->unknowns.n; i++) {
            const PartUnknown *u = &part->unknowns.items[i];
            uint32_t component =
                part->components.items[net->cell_lane[c] * part->shape.components.n + u->component];
            uint32_t within = u->place - at_of(&part->ss.plan.lean, u->component)[LIEDER_AT_SELF];
            rec[(at_of(&ss->plan.full, component)[LIEDER_AT_SELF] + within) *
                (size_t)ss->plan.full.lanes] = w->u[c * net->block + i];
        }
    }
    return status;
}

/* ------------------------------------------------------------------ at the start */

/* pivots of a cell's own block, from the outermost unknown inward */
static void own_pivots(const NetWork *w, size_t cell, double *pivots)
{
    const Net *net = w->net;
    int k = (int)net->block;
    double M[NET_BLOCK][NET_BLOCK];
    memcpy(M, w->own + cell * net->block * net->block, sizeof(double) * (size_t)(k * k));
    double *m = &M[0][0];
    for (int i = k; i-- > 0;) {
        pivots[i] = m[i * k + i];
        for (int h = 0; h < i; h++)
            for (int j = 0; j < i; j++)
                m[h * k + j] -= m[h * k + i] * m[i * k + j] / pivots[i];
    }
}

/* ranks that share a net iterate or factor together, which they do for symmetric matrices only */
static LiederStatus refuse_lopsided(LiederSystem *system, const NetWork *w)
{
    const char *advice = system_advice(system, LIEDER_ADVICE_LOPSIDED);
    diag_error(
        &system->session->diag, NULL, NULL,
        "%d ranks share this net, and its matrix is not symmetric (by %.2g of its size)\nrun "
        "it in one process, which factors such matrices%s",
        system->options.ranks->count, w->lopsided, advice ? advice : "");
    return LIEDER_BAD_MODEL;
}

/* Prepares for matrices of other states: where the matrix changes, iteration may fail, so that
 * factors are needed, and other unknowns of cells may answer to each other. Both are found at some
 * states far from the start. Choices of events may change them as well. False: no memory. */
static bool foresee(const SystemShape *ss, NetWork *w, const Occasion *o)
{
    enum { TRIALS = 3 };
    Net *net = ss->plan.net;
    const LiederAllocator *alloc = net->pool.alloc;
    size_t n = ss->shape->states.n;
    uint64_t random = 1;
    net->couples = ss->held.crossings.n ? net_all_couples(net) : 0;
    /* ranks find their pattern together, in the evaluation that needs it */
    net->needs_factors = !net->share && (!net->constant || ss->held.crossings.n);
    if (!net->needs_factors)
        return true;
    double *x = memory_zeroed(alloc, (n + 1) * sizeof *x);
    for (int trial = 0; trial < TRIALS && x; trial++) {
        bool symmetric;
        for (size_t s = 0; s < n; s++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            x[s] = o->x[s * o->stride] + 2 * ((double)(random >> 11) * 0x1p-53 - 0.5);
        }
        assemble(w, &(Occasion){o->t, o->moment, x, 1});
        net->couples |= net_find_couples(w, &symmetric);
        net->needs_lu |= !symmetric;
    }
    memory_free(alloc, x, (n + 1) * sizeof *x);
    assemble(w, o);
    return x && (!net->needs_lu || net_plan_lu(net));
}

/* As check_pivots does for trees: a pivot that is nothing but rounding changes by as much as itself
 * when the states move a little. Then the method is chosen. */
LiederStatus net_check(LiederSystem *system, SystemShape *ss, NetWork *w)
{
    Net *net = ss->plan.net;
    const Moment moment = {.event_time = NAN};
    LiederStatus status = LIEDER_NO_MEMORY;
    size_t n = (size_t)net->ncell * net->block, nlane = ss->shape->nlane;
    double *x = memory_zeroed(net->pool.alloc, system->nstate * sizeof(double));
    double *pivots = memory_zeroed(net->pool.alloc, n * sizeof(double));
    Occasion o = {0, &moment, NULL, nlane};
    if (x && pivots && load_parameters(ss, w, 0)) {
        status = find_start(system, ss, 0, x);
        o.x = x + ss->first_state;
        assemble(w, &o);
        for (size_t c = 0; c < net->ncell; c++)
            own_pivots(w, c, pivots + c * net->block);
        for (size_t s = 0; s < ss->shape->states.n; s++) {
            double *value = &x[ss->first_state + s * nlane];
            *value += 1e-11 * (1 + fabs(*value)) * (1 + (double)(s % 7));
        }
        assemble(w, &o);
        net->constant = !w->changed;
        for (size_t c = 0; c < net->ncell; c++) {
            double moved[NET_BLOCK];
            const NetPart *part = net->parts.items[net->cell_part[c]];
            own_pivots(w, c, moved);
            for (size_t i = 0; i < part->unknowns.n; i++) {
                double a = pivots[c * net->block + i];
                if (fabs(a - moved[i]) < 0.1 * fabs(a))
                    continue;
                uint32_t component =
                    part->components.items[net->cell_lane[c] * part->shape.components.n +
                                           part->unknowns.items[i].component];
                status = report_pivot(system, ss, component, 0, a);
                break;
            }
        }
        uint32_t cell;
        if (net_any(net, status != LIEDER_DONE) && status == LIEDER_DONE)
            status = LIEDER_BAD_MODEL; /* on another rank, which reports it */
        if (status == LIEDER_DONE)
            w->pool.failed |= !foresee(ss, w, &o);
        if (status == LIEDER_DONE)
            net_linear_choose(net, w,
                              &cell); /* what fails here fails again in the first evaluation */
        if (status == LIEDER_DONE && w->unsettled)
            status = refuse_lopsided(system, w);
        if (status == LIEDER_DONE)
            w->pool.failed |= !net_direct_prepare(w);
        if (w->pool.failed)
            status = LIEDER_NO_MEMORY;
    }
    memory_free(net->pool.alloc, x, system->nstate * sizeof(double));
    memory_free(net->pool.alloc, pivots, n * sizeof(double));
    return status;
}
