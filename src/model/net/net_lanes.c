/* net_lanes.c - cells and ties of a net as lanes, compiled once per instruction set; see
 * net_plan.h.
 *
 * Cells and ties pass through in strips of lanes like any shape. Their linear maps are found by
 * running the plain blocks on unit inputs. Results of a strip are written cell by cell and tie by
 * tie in their order, so that the bits are the same for all instruction sets. net_vectors.c has the
 * vectors of the linear system over all cells.
 *
 * These are not the passes of linear_map.h, which serves for one component in one lane: here a unit
 * goes through all components of a cell, for a strip of cells at a time and in every evaluation,
 * and only along the links between a point and the ground (net_wire.c). A third of the time of a
 * net is spent here, so these loops over lanes are written for it.
 */
#include "model/net/net_lanes.h"

#include <math.h>
#include <string.h>

static real *record_of(const LiederStrip *strip, int v)
{
    return (real *)strip->base + (size_t)v * strip->record;
}

/* ------------------------------------------------------------------ cells */

LIEDER_INLINE void move_one(const LiederStrip *strip, const FlowMove *move, const uint32_t n)
{
    real *to = (real *)strip->base + move->to;
    const real *from = (const real *)strip->base + move->from;
    size_t step = strip->record;
    if (move->from == NOWHERE)
        for (int v = 0; v < strip->nvec; v++, to += step)
            for (uint32_t j = 0; j < n; j++)
                to[j] = real_splat(0.0);
    else if (move->add)
        for (int v = 0; v < strip->nvec; v++, to += step, from += step)
            for (uint32_t j = 0; j < n; j++)
                to[j] = to[j] - from[j];
    else
        for (int v = 0; v < strip->nvec; v++, to += step, from += step)
            for (uint32_t j = 0; j < n; j++)
                to[j] = -from[j];
}

static void move_flows(const LiederStrip *strip, const FlowMove *moves, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (moves[i].n == 6) /* both regimes of a frame */
            move_one(strip, &moves[i], 6);
        else
            move_one(strip, &moves[i], moves[i].n);
}

static void run_part_outward(const NetPart *part, const LiederStrip *strip, bool on)
{
    for (size_t i = 0; i < part->outward.n; i++) {
        const PartOp *op = &part->outward.items[i];
        lieder_run(op->code, strip, part->at.items + (on ? op->on : op->off), 0);
    }
}

static void run_part_inward(const NetPart *part, const LiederStrip *strip, bool on)
{
    for (size_t i = 0; i < part->inward.n; i++) {
        const PartOp *op = &part->inward.items[i];
        move_flows(strip, part->moves.items + op->first_move, op->nmove);
        lieder_run(op->code, strip, part->at.items + (on ? op->on : op->off), 0);
    }
}

static void fill_place(const LiederStrip *strip, uint32_t place, double value)
{
    for (int v = 0; v < strip->nvec; v++)
        record_of(strip, v)[place] = real_splat(value);
}

/* a number of every lane of a strip, to the lanes' own places */
static void scatter(const LiederStrip *strip, uint32_t place, double *const *to, size_t offset,
                    size_t n)
{
    const real *rec = (const real *)strip->base + place;
    size_t whole = n / LIEDER_LANES * LIEDER_LANES, l = 0;
    for (; l < whole; l += LIEDER_LANES, rec += strip->record)
        for (int i = 0; i < LIEDER_LANES; i++)
            to[l + (size_t)i][offset] = LIEDER_LANE(*rec, i);
    for (; l < n; l++)
        to[l][offset] = ((const double *)rec)[l - whole];
}

/* where the numbers of the lanes at hand go */
typedef struct Targets {
    double *bias[NET_STRIP], *point[NET_STRIP];
} Targets;

static void find_points(Targets *to, NetWork *w, const NetPart *part, size_t lane, size_t n,
                        size_t s)
{
    const Net *net = w->net;
    for (size_t l = 0; l < n; l++)
        to->point[l] =
            w->points + (net->cell_point[part->cells.items[lane + l]] + s) * net->point_size;
}

/* from one number of the maps to the next one */
static size_t map_stride(const NetPart *part, const LiederStrip *strip)
{
    return part->only_strip ? part->only_strip : (size_t)strip->nvec * LIEDER_LANES;
}

/* number i of the maps of a strip that begins with `lane` */
static double *map_of(const NetPartWork *work, const LiederStrip *strip, size_t lane, size_t i)
{
    const NetPart *part = work->part;
    return work->maps + (part->only_strip ? 0 : lane * part->nmap) + i * map_stride(part, strip);
}

/* mask_any tests whole lanes; this every bit of them */
static bool any_bit(const mask *m)
{
    int64_t all = 0;
    for (int i = 0; i < LIEDER_LANES; i++)
        all |= ((const int64_t *)m)[i];
    return all != 0;
}

/* keeps a number of every lane as number i of the maps; true if one of them has changed, or the old
 * ones are not kept here */
static bool keep_map(const NetPartWork *work, const LiederStrip *strip, size_t lane, size_t n,
                     size_t i, uint32_t place)
{
    const NetPart *part = work->part;
    const real *rec = (const real *)strip->base + place;
    double *to = map_of(work, strip, lane, i);
    size_t whole = n / LIEDER_LANES;
    mask differ = {0};
    const real *next = rec;
    for (size_t v = 0; v < whole && !part->only_strip; v++, next += strip->record) {
        real old;
        memcpy(&old, to + v * LIEDER_LANES, sizeof old);
        differ |= real_bits(old) ^ real_bits(*next);
    }
    size_t rest = (n - whole * LIEDER_LANES) * sizeof(double);
    const real *last = rec + whole * strip->record;
    if (!part->only_strip && !any_bit(&differ) &&
        (!rest || memcmp(to + whole * LIEDER_LANES, last, rest) == 0))
        return false;
    for (size_t v = 0; v < whole; v++)
        memcpy(to + v * LIEDER_LANES, rec + v * strip->record, sizeof(real));
    memcpy(to + whole * LIEDER_LANES, last, rest);
    return true;
}

/* the flow at the port through which a step is entered: a unit of flow f at the point itself, else
 * the flow of the step before, as the sum of its regimes */
LIEDER_INLINE void take_flow(const LiederStrip *strip, const GroundStep *step,
                             const GroundStep *before, uint32_t f, const uint32_t nout,
                             const uint32_t regimes)
{
    real *rec = (real *)strip->base;
    for (int v = 0; v < strip->nvec; v++, rec += strip->record)
        for (uint32_t j = 0; j < nout; j++) {
            real taken = real_splat(j == f ? 1.0 : 0.0);
            for (uint32_t g = 0; before && g < regimes; g++)
                taken = g ? taken + rec[before->in + g * before->nin + j] : rec[before->in + j];
            rec[step->out + j] = -taken;
        }
}

/* A unit flow taken at a point, inward to the ground: one column of Q. All other flows and all
 * potentials are zero. */
static bool send_flow(const NetPartWork *work, const LiederStrip *strip, size_t lane, size_t n,
                      const TiePoint *point, uint32_t f)
{
    const NetPart *part = work->part;
    bool changed = false;
    for (uint32_t i = 0; i < point->nstep; i++) {
        const GroundStep *step = &part->steps.items[point->first_step + i];
        const GroundStep *before = i ? step - 1 : NULL;
        move_flows(strip, part->moves.items + step->first_zero, step->nzero);
        if (step->nout == 3 && !before)
            take_flow(strip, step, NULL, f, 3, 0);
        else if (step->nout == 3 && before->in_regimes == 2)
            take_flow(strip, step, before, f, 3, 2);
        else
            take_flow(strip, step, before, f, step->nout, before ? before->in_regimes : 0);
        lieder_run(step->code, strip, part->at.items + step->at, 0);
        for (uint32_t j = 0; j < step->nout && step->open; j++)
            fill_place(strip, step->out + j, 0.0);
        for (uint32_t j = 0; j < step->nunknown; j++) {
            uint32_t unknown = step->first_unknown + j;
            changed |= keep_map(work, strip, lane, n, point->first_map + unknown * point->nf + f,
                                part->unknowns.items[unknown].residual);
        }
    }
    return changed;
}

/* one column of M, and of P at all points: a unit of unknown m alone */
static bool send_unknown(const NetPartWork *work, const LiederStrip *strip, size_t lane, size_t n,
                         size_t m)
{
    const NetPart *part = work->part;
    const PartUnknown *unknowns = part->unknowns.items;
    size_t k = part->unknowns.n;
    bool changed = false;
    fill_place(strip, unknowns[m].place, 1.0);
    run_part_outward(part, strip, false);
    for (size_t s = 0; s < part->points.n; s++) {
        const TiePoint *point = &part->points.items[s];
        for (uint32_t q = 0; q < point->np; q++)
            changed |= keep_map(work, strip, lane, n, point->first_map + k * point->nf + q * k + m,
                                point->potentials + q);
    }
    run_part_inward(part, strip, false);
    for (size_t i = 0; i < k; i++)
        changed |= keep_map(work, strip, lane, n, i * k + m, unknowns[i].residual);
    fill_place(strip, unknowns[m].place, 0.0);
    return changed;
}

/* writes a number; 0 if it was the same to the bit */
static int64_t renew(double *to, double value)
{
    int64_t before, now;
    memcpy(&before, to, sizeof before);
    memcpy(&now, &value, sizeof now);
    *to = value;
    return before ^ now;
}

/* the maps M of one cell; sign: how residuals are turned so that the diagonal is positive. Not 0 if
 * one has changed, as below. */
static int64_t spread_own(NetWork *w, size_t cell, size_t nu, const double *M, size_t next,
                          double *sign)
{
    size_t k = w->net->block;
    int64_t differ = 0;
    for (size_t i = 0; i < nu; i++) {
        sign[i] = M[(i * nu + i) * next] < 0 ? -1 : 1;
        for (size_t m = 0; m < nu; m++)
            differ |= renew(&w->own[(cell * k + i) * k + m], sign[i] * M[(i * nu + m) * next]);
    }
    return differ;
}

/* the maps Q and P at point number `to` of all */
static int64_t spread_point(NetWork *w, const TiePoint *point, size_t to, size_t nu,
                            const double *Q, size_t next, const double *sign)
{
    const Net *net = w->net;
    const double *P = Q + nu * point->nf * next;
    size_t k = net->block;
    int64_t differ = 0;
    for (size_t i = 0; i < nu; i++)
        for (size_t f = 0; f < point->nf; f++)
            if (w->live[f])
                differ |= renew(&w->Q[(to * k + i) * NET_FLOWS + f],
                                sign[i] * Q[(i * point->nf + f) * next]);
    for (size_t q = 0; q < point->np; q++)
        for (size_t m = 0; m < nu; m++)
            differ |= renew(&w->P[to * net->P_size + q * k + m], P[(q * nu + m) * next]);
    return differ;
}

/* Maps that have changed go to the cells; true if one of them has. */
static bool spread_maps(NetWork *w, const NetPartWork *work, const LiederStrip *strip, size_t lane,
                        size_t n)
{
    const NetPart *part = work->part;
    size_t nu = part->unknowns.n, next = map_stride(part, strip);
    int64_t differ = 0;
    for (size_t l = 0; l < n; l++) {
        size_t cell = part->cells.items[lane + l], first = w->net->cell_point[cell];
        const double *M = map_of(work, strip, lane, 0) + l;
        double sign[NET_BLOCK];
        differ |= spread_own(w, cell, nu, M, next, sign);
        for (size_t s = 0; s < part->points.n; s++) {
            const TiePoint *point = &part->points.items[s];
            differ |=
                spread_point(w, point, first + s, nu, M + point->first_map * next, next, sign);
        }
    }
    return differ != 0;
}

/* residuals without unknowns and ties, turned like those of the maps */
static void store_bias(Targets *to, NetWork *w, const NetPartWork *work, const LiederStrip *strip,
                       size_t lane, size_t n)
{
    const NetPart *part = work->part;
    const Net *net = w->net;
    for (size_t l = 0; l < n; l++)
        to->bias[l] = w->bias + (size_t)part->cells.items[lane + l] * net->block;
    for (size_t i = 0, nu = part->unknowns.n; i < nu; i++) {
        const double *M = map_of(work, strip, lane, i * nu + i);
        for (int v = 0; v < strip->nvec; v++) {
            real diagonal, *residual = record_of(strip, v) + part->unknowns.items[i].residual;
            memcpy(&diagonal, M + v * LIEDER_LANES, sizeof diagonal);
            *residual = choose(diagonal < 0.0, -*residual, *residual);
        }
        scatter(strip, part->unknowns.items[i].residual, to->bias, i, n);
    }
}

/* coefficients of the lanes of a part by unit flows and unknowns; then signals, p0 and bias */
static void cells(NetWork *w, const NetPartWork *work, const LiederStrip *strip, size_t lane,
                  size_t n)
{
    const NetPart *part = work->part;
    const Net *net = w->net;
    Targets to;
    LiederStrip on = *strip, off = *strip;
    on.bias_scale = 1;
    off.bias_scale = 0;
    bool changed = false;
    for (size_t s = 0; s < part->points.n; s++)
        for (uint32_t f = 0; f < part->points.items[s].nf; f++)
            if (w->live[f])
                changed |= send_flow(work, &off, lane, n, &part->points.items[s], f);
    for (size_t i = 0; i < part->unknowns.n; i++)
        fill_place(strip, part->unknowns.items[i].place, 0.0);
    for (size_t m = 0; m < part->unknowns.n; m++)
        changed |= send_unknown(work, &off, lane, n, m);
    if (changed || w->version == 0)
        changed &= spread_maps(w, work, strip, lane, n) || !part->only_strip;
    w->changed |= changed;
    run_part_outward(part, &on, true);
    for (size_t s = 0; s < part->points.n; s++) {
        const TiePoint *point = &part->points.items[s];
        find_points(&to, w, part, lane, n, s);
        for (uint32_t q = 0; q < point->ns; q++)
            scatter(strip, point->signals + q, to.point, q, n);
        for (uint32_t q = 0; q < point->np; q++)
            scatter(strip, point->potentials + q, to.point, net->at_p0 + q, n);
    }
    run_part_inward(part, &on, true);
    store_bias(&to, w, work, strip, lane, n);
}

/* unknowns of the linear system into the records of n cells; their outward blocks */
static void outward_cells(NetWork *w, const NetPartWork *work, const LiederStrip *strip,
                          size_t lane, size_t n)
{
    const NetPart *part = work->part;
    const Net *net = w->net;
    LiederStrip on = *strip;
    on.bias_scale = 1;
    for (size_t i = 0; i < part->unknowns.n; i++)
        for (size_t l = 0; l < n; l++) {
            real *rec = record_of(strip, (int)(l / LIEDER_LANES));
            ((double *)(rec + part->unknowns.items[i].place))[l % LIEDER_LANES] =
                w->u[(size_t)part->cells.items[lane + l] * net->block + i];
        }
    run_part_outward(part, &on, true);
}

/* ------------------------------------------------------------------ ties */

/* the tie of a lane; beyond the last one it is repeated */
static size_t tie_at(size_t first, size_t n, size_t l)
{
    return first + (l < n ? l : n - 1);
}

/* signals of both points into the records of ties */
LIEDER_INLINE void gather_signals(NetWork *w, const NetTieWork *work, const LiederStrip *strip,
                                  size_t first, size_t n, const uint32_t ns)
{
    const NetTie *tie = work->tie;
    const Net *net = w->net;
    const uint32_t *at = at_of(&tie->ss.plan.lean, 0) + LIEDER_AT_PORT;
    for (int v = 0; v < strip->nvec; v++)
        for (int e = 0; e < 2; e++) {
            const double *point[LIEDER_LANES];
            real *to = record_of(strip, v) + at[LIEDER_PER_PORT * e + LIEDER_SIGNALS];
            for (size_t l = 0; l < LIEDER_LANES; l++) {
                size_t t = tie_at(first, n, (size_t)v * LIEDER_LANES + l);
                point[l] =
                    w->points + (size_t)tie->points.items[2 * t + (size_t)e] * net->point_size;
            }
            for (uint32_t q = 0; q < ns; q++) {
                real x = real_splat(0.0);
                for (int l = 0; l < LIEDER_LANES; l++)
                    ((double *)&x)[l] = point[l][q];
                to[q] = x;
            }
        }
}

static void gather_ties(NetWork *w, const NetTieWork *work, const LiederStrip *strip, size_t first,
                        size_t n)
{
    const NetTie *tie = work->tie;
    if (tie->ns == 6)
        gather_signals(w, work, strip, first, n, 6);
    else
        gather_signals(w, work, strip, first, n, tie->ns);
}

/* Lambda and lambda0 of a strip of ties, by flow, end and unknown */
typedef struct TieAnswer {
    real lambda0[NET_FLOWS], Lambda[NET_FLOWS][2][NET_BLOCK];
} TieAnswer;

/* flow r of the answers of some ties, as it is kept; lambda0 is summed at their points */
LIEDER_INLINE void keep_answer(NetWork *w, NetTieWork *work, const TieAnswer *a, int r,
                               size_t first, size_t n, const int k, size_t (*number)[LIEDER_LANES])
{
    double *to = answer_of(work, r, first, k), *to0 = to + 2 * k * NET_WIDTH;
    mask any = (mask)(a->lambda0[r] != 0.0), differ = {0};
    for (int e = 0; e < 2; e++)
        for (int m = 0; m < k; m++)
            any |= (mask)(a->Lambda[r][e][m] != 0.0);
    work->live[r] |= mask_any(any);
    if (!work->live[r])
        return; /* its answers are zero from the beginning */
    for (int m = 0; m < 2 * k; m++) {
        real old;
        memcpy(&old, to + m * NET_WIDTH, sizeof old);
        differ |= real_bits(old) ^ real_bits(a->Lambda[r][m / k][m % k]);
    }
    if (any_bit(&differ)) {
        w->changed = true;
        for (int m = 0; m < 2 * k; m++)
            memcpy(to + m * NET_WIDTH, &a->Lambda[r][m / k][m % k], sizeof(real));
    }
    memcpy(to0, &a->lambda0[r], sizeof(real));
    double *flows = w->flows + r;
    for (size_t l = 0; l < n; l++) {
        flows[number[0][l] * NET_FLOWS] -= to0[l];
        flows[number[1][l] * NET_FLOWS] += to0[l];
    }
}

/* lambda = Lambda u + lambda0 at the second end, -lambda at the first; lambda0 is summed at the
 * points. Most of K is zero as a rule, and then the potentials are not read. */
LIEDER_INLINE void answer_one(NetWork *w, NetTieWork *work, const real *rec, size_t first, size_t n,
                              const int k, const int np, const int nf)
{
    const NetTie *tie = work->tie;
    const Net *net = w->net;
    TieAnswer a;
    const real *K = rec + tie->save, *k0 = K + 4 * np * nf + nf;
    const real zero = real_splat(0.0);
    const double *point[2][LIEDER_LANES];
    size_t number[2][LIEDER_LANES];
    for (int e = 0; e < 2; e++)
        for (size_t l = 0; l < LIEDER_LANES; l++) {
            number[e][l] = tie->points.items[2 * tie_at(first, n, l) + (size_t)e];
            point[e][l] = w->points + number[e][l] * net->point_size;
        }
    for (int r = 0; r < nf; r++) {
        a.lambda0[r] = k0[r];
        for (int e = 0; e < 2; e++)
            for (int m = 0; m < k; m++)
                a.Lambda[r][e][m] = zero;
    }
    uint32_t columns = 0; /* that are not zero */
#pragma GCC unroll 12
    for (int q = 0; q < 2 * np; q++) {
        mask any = real_bits(K[q * 2 * nf + nf]);
        for (int r = 1; r < nf; r++)
            any |= real_bits(K[q * 2 * nf + nf + r]);
        columns |= (uint32_t)mask_any((mask)(real_from_bits(any) != 0.0)) << q;
    }
    for (; columns; columns &= columns - 1) {
        int both = __builtin_ctz(columns), e = both >= np, q = both - e * np;
        const real *column = K + both * 2 * nf + nf;
        real p0 = zero, P[NET_BLOCK];
        for (int l = 0; l < LIEDER_LANES; l++) {
            const double *from = w->P + number[e][l] * net->P_size + q * k;
            ((double *)&p0)[l] = point[e][l][net->at_p0 + (uint32_t)q];
            for (int m = 0; m < k; m++)
                ((double *)&P[m])[l] = from[m];
        }
        for (int r = 0; r < nf; r++) {
            a.lambda0[r] = a.lambda0[r] + column[r] * p0;
            for (int m = 0; m < k; m++)
                a.Lambda[r][e][m] = a.Lambda[r][e][m] + column[r] * P[m];
        }
    }
    for (int r = 0; r < nf; r++)
        keep_answer(w, work, &a, r, first, n, k, number);
}

/* the laws of ties in a strip, in code for the usual sizes */
static void answer_ties(NetWork *w, NetTieWork *work, const LiederStrip *strip, size_t first,
                        size_t n)
{
    const NetTie *tie = work->tie;
    const Net *net = w->net;
    int np = (int)tie->np, nf = (int)tie->nf;
    for (int v = 0; v < strip->nvec; v++) {
        size_t at = (size_t)v * LIEDER_LANES;
        size_t count = n - at < LIEDER_LANES ? n - at : LIEDER_LANES;
        const real *rec = record_of(strip, v);
        if (np == 6 && nf == 3)
            FOR_BLOCK(net->block, answer_one(w, work, rec, first + at, count, K, 6, 3));
        else
            FOR_BLOCK(net->block, answer_one(w, work, rec, first + at, count, K, np, nf));
    }
}

/* Q Lambda of a strip of ties, by the end whose residuals and the end whose unknowns it belongs
 * to */
typedef real TieBlock[2][2][NET_BLOCK][NET_BLOCK];

/* row i of the blocks of end a */
LIEDER_INLINE void block_row(const NetWork *w, const NetTieWork *work, size_t first, size_t n,
                             const int k, int a, int i, TieBlock block)
{
    const NetTie *tie = work->tie;
    real Q[NET_FLOWS], sum[2][NET_BLOCK];
    for (int m = 0; m < k; m++)
        sum[0][m] = sum[1][m] = real_splat(0.0);
    for (int r = 0; r < (int)tie->nf; r++) {
        if (!work->live[r])
            continue;
        const double *Lambda = answer_of(work, r, first, k);
        for (size_t l = 0; l < LIEDER_LANES; l++) {
            size_t s = tie->points.items[2 * tie_at(first, n, l) + (size_t)a];
            ((double *)&Q[r])[l] = w->Q[(s * (size_t)k + (size_t)i) * NET_FLOWS + (size_t)r];
        }
        for (int b = 0; b < 2; b++)
            for (int m = 0; m < k; m++, Lambda += NET_WIDTH) {
                real x;
                memcpy(&x, Lambda, sizeof x);
                sum[b][m] = sum[b][m] + Q[r] * x;
            }
    }
    for (int b = 0; b < 2; b++)
        for (int m = 0; m < k; m++)
            block[a][b][i][m] = a ? sum[b][m] : -sum[b][m];
}

/* the blocks of one tie, lane l of its strip, to the diagonals of both cells and to their pair */
LIEDER_INLINE void add_block(NetWork *w, const NetTie *tie, size_t number, size_t l, const int k,
                             TieBlock block)
{
    const uint32_t *cell = tie->cells.items + 2 * number;
    uint32_t pair = tie->pairs.items[number];
    for (int e = 0; e < 2; e++)
        for (int i = 0; i < k; i++) {
            double *d = w->diagonal + ((size_t)cell[e] * (size_t)k + (size_t)i) * (size_t)k;
            for (int m = 0; m < k; m++) {
                d[m] += ((const double *)&block[e][e][i][m])[l];
                if (pair == NOWHERE) /* both ends at one cell */
                    d[m] += ((const double *)&block[e][1 - e][i][m])[l];
            }
        }
    if (pair == NOWHERE)
        return;
    int a = pair & PAIR_TURNED ? 1 : 0;
    double *to = w->pair_block + (size_t)(pair >> PAIR_BITS) * (size_t)(k * k);
    for (int i = 0; i < k; i++)
        for (int m = 0; m < k; m++) {
            double x = ((const double *)&block[a][1 - a][i][m])[l];
            to[i * k + m] = pair & PAIR_FIRST ? x : to[i * k + m] + x;
        }
}

/* lopsided: how far the blocks between both ends are from symmetric, over their largest number */
LIEDER_INLINE void note_lopsided(NetWork *w, size_t n, const int k, TieBlock block)
{
    real most = real_splat(0.0), apart = most;
    for (int i = 0; i < k; i++)
        for (int m = 0; m < k; m++) {
            real x = real_absolute(block[0][1][i][m]);
            real d = real_absolute(block[0][1][i][m] - block[1][0][m][i]);
            most = choose(x > most, x, most);
            apart = choose(d > apart, d, apart);
        }
    if (mask_any((mask)(apart > w->lopsided * most)))
        for (size_t l = 0; l < n; l++) {
            double a = ((const double *)&apart)[l], b = ((const double *)&most)[l];
            if (a > w->lopsided * b)
                w->lopsided = a / b;
        }
}

/* A_ij += Q Lambda for both ends of some ties, and how far that is from symmetric */
LIEDER_INLINE void blocks_one(NetWork *w, const NetTieWork *work, size_t first, size_t n,
                              const int k)
{
    TieBlock block;
    for (int a = 0; a < 2; a++)
        for (int i = 0; i < k; i++)
            block_row(w, work, first, n, k, a, i, block);
    for (size_t l = 0; l < n; l++)
        add_block(w, work->tie, first + l, l, k, block);
    note_lopsided(w, n, k, block);
}

static void add_blocks(NetWork *w, const NetTieWork *work)
{
    const NetTie *tie = work->tie;
    const Net *net = w->net;
    size_t ntie = tie->components.n;
    for (size_t first = 0; first < ntie; first += LIEDER_LANES) {
        size_t n = ntie - first < LIEDER_LANES ? ntie - first : LIEDER_LANES;
        FOR_BLOCK(net->block, blocks_one(w, work, first, n, K));
    }
}

extern const NetOps LIEDER_SYMBOL(net_ops);
const NetOps LIEDER_SYMBOL(net_ops) = {cells, outward_cells, gather_ties, answer_ties, add_blocks};
