/* net_lanes.c - the loops of a net, compiled once per instruction set; see net.h and net_solve.c.
 *
 * Cells and ties pass through in strips of lanes like any shape. Their linear maps are found by
 * running the plain blocks on unit inputs. What leaves a strip is written cell by cell and tie by
 * tie in their order, and sums of vectors run in NET_WIDTH columns on every machine, so that the
 * bits are the same for all instruction sets.
 */
#include "model/net.h"

#include <math.h>
#include <string.h>

/* loops below are written for any block size, and made for the common ones */
#define FOR_BLOCK(k, call)                                                                         \
    do {                                                                                           \
        switch (k) {                                                                               \
        case 1: {                                                                                  \
            enum { K = 1 };                                                                        \
            call;                                                                                  \
        } break;                                                                                   \
        case 2: {                                                                                  \
            enum { K = 2 };                                                                        \
            call;                                                                                  \
        } break;                                                                                   \
        case 3: {                                                                                  \
            enum { K = 3 };                                                                        \
            call;                                                                                  \
        } break;                                                                                   \
        default: {                                                                                 \
            const int K = (int)(k);                                                                \
            call;                                                                                  \
        }                                                                                          \
        }                                                                                          \
    } while (0)

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
    double *bias[NET_STRIP], *spot[NET_STRIP];
} Targets;

static void find_spots(Targets *to, Net *net, const NetPart *part, size_t lane, size_t n, size_t s)
{
    for (size_t l = 0; l < n; l++)
        to->spot[l] =
            net->spots + (net->cell_spot[part->cells.items[lane + l]] + s) * net->spot_size;
}

/* number i of the maps of a strip that begins with `lane` */
static double *map_of(const NetPart *part, const LiederStrip *strip, size_t lane, size_t i)
{
    return part->maps + lane * part->nmap + i * (size_t)strip->nvec * LIEDER_LANES;
}

/* mask_any tests whole lanes; this every bit of them */
static bool any_bit(const mask *m)
{
    int64_t all = 0;
    for (int i = 0; i < LIEDER_LANES; i++)
        all |= ((const int64_t *)m)[i];
    return all != 0;
}

/* keeps a number of every lane as number i of the maps; true if one of them has changed */
static bool keep_map(const NetPart *part, const LiederStrip *strip, size_t lane, size_t n, size_t i,
                     uint32_t place)
{
    const real *rec = (const real *)strip->base + place;
    double *to = map_of(part, strip, lane, i);
    size_t whole = n / LIEDER_LANES;
    mask differ = {0};
    const real *next = rec;
    for (size_t v = 0; v < whole; v++, next += strip->record) {
        real old;
        memcpy(&old, to + v * LIEDER_LANES, sizeof old);
        differ |= real_bits(old) ^ real_bits(*next);
    }
    size_t rest = (n - whole * LIEDER_LANES) * sizeof(double);
    const real *last = rec + whole * strip->record;
    if (!any_bit(&differ) && (!rest || memcmp(to + whole * LIEDER_LANES, last, rest) == 0))
        return false;
    for (size_t v = 0; v < whole; v++)
        memcpy(to + v * LIEDER_LANES, rec + v * strip->record, sizeof(real));
    memcpy(to + whole * LIEDER_LANES, last, rest);
    return true;
}

/* the flow f at the spot itself, or what the step before hands inward: the sum of its regimes */
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

/* A unit flow taken at a spot, inward to the ground: one column of Q. All other flows and all
 * potentials are zero. */
static bool send_flow(const NetPart *part, const LiederStrip *strip, size_t lane, size_t n,
                      const PartSpot *spot, uint32_t f)
{
    bool changed = false;
    for (uint32_t i = 0; i < spot->nstep; i++) {
        const GroundStep *step = &part->steps.items[spot->first_step + i];
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
            changed |= keep_map(part, strip, lane, n, spot->first_map + unknown * spot->nf + f,
                                part->unknowns.items[unknown].residual);
        }
    }
    return changed;
}

/* one column of M, and of P at all spots: a unit of unknown m alone */
static bool send_unknown(const NetPart *part, const LiederStrip *strip, size_t lane, size_t n,
                         size_t m)
{
    const PartUnknown *unknowns = part->unknowns.items;
    size_t k = part->unknowns.n;
    bool changed = false;
    fill_place(strip, unknowns[m].place, 1.0);
    run_part_outward(part, strip, false);
    for (size_t s = 0; s < part->spots.n; s++) {
        const PartSpot *spot = &part->spots.items[s];
        for (uint32_t q = 0; q < spot->np; q++)
            changed |= keep_map(part, strip, lane, n, spot->first_map + k * spot->nf + q * k + m,
                                spot->potentials + q);
    }
    run_part_inward(part, strip, false);
    for (size_t i = 0; i < k; i++)
        changed |= keep_map(part, strip, lane, n, i * k + m, unknowns[i].residual);
    fill_place(strip, unknowns[m].place, 0.0);
    return changed;
}

/* maps that have changed go to the cells. Residuals are turned so that the diagonal is positive. */
static void spread_maps(Net *net, const NetPart *part, const LiederStrip *strip, size_t lane,
                        size_t n)
{
    size_t k = net->block, nu = part->unknowns.n, next = (size_t)strip->nvec * LIEDER_LANES;
    for (size_t l = 0; l < n; l++) {
        size_t cell = part->cells.items[lane + l];
        const double *M = map_of(part, strip, lane, 0) + l;
        double sign[NET_BLOCK];
        for (size_t i = 0; i < nu; i++) {
            sign[i] = M[(i * nu + i) * next] < 0 ? -1 : 1;
            for (size_t m = 0; m < nu; m++)
                net->own[(cell * k + i) * k + m] = sign[i] * M[(i * nu + m) * next];
        }
        for (size_t s = 0; s < part->spots.n; s++) {
            const PartSpot *spot = &part->spots.items[s];
            const double *Q = M + spot->first_map * next, *P = Q + nu * spot->nf * next;
            size_t to = net->cell_spot[cell] + s;
            for (size_t i = 0; i < nu; i++)
                for (size_t f = 0; f < spot->nf; f++)
                    net->Q[(to * k + i) * NET_FLOWS + f] = sign[i] * Q[(i * spot->nf + f) * next];
            for (size_t q = 0; q < spot->np; q++)
                for (size_t m = 0; m < nu; m++)
                    net->P[to * net->P_size + q * k + m] = P[(q * nu + m) * next];
        }
    }
}

/* residuals without unknowns and ties, turned like those of the maps */
static void store_bias(Targets *to, Net *net, const NetPart *part, const LiederStrip *strip,
                       size_t lane, size_t n)
{
    for (size_t l = 0; l < n; l++)
        to->bias[l] = net->bias + (size_t)part->cells.items[lane + l] * net->block;
    for (size_t i = 0, nu = part->unknowns.n; i < nu; i++) {
        const double *M = map_of(part, strip, lane, i * nu + i);
        for (int v = 0; v < strip->nvec; v++) {
            real diagonal, *residual = record_of(strip, v) + part->unknowns.items[i].residual;
            memcpy(&diagonal, M + v * LIEDER_LANES, sizeof diagonal);
            *residual = choose(diagonal < 0.0, -*residual, *residual);
        }
        scatter(strip, part->unknowns.items[i].residual, to->bias, i, n);
    }
}

static void cells(Net *net, const NetPart *part, const LiederStrip *strip, size_t lane, size_t n)
{
    Targets to;
    LiederStrip on = *strip, off = *strip;
    on.bias_scale = 1;
    off.bias_scale = 0;
    bool changed = false;
    for (size_t s = 0; s < part->spots.n; s++)
        for (uint32_t f = 0; f < part->spots.items[s].nf; f++)
            if (net->live[f])
                changed |= send_flow(part, &off, lane, n, &part->spots.items[s], f);
    for (size_t i = 0; i < part->unknowns.n; i++)
        fill_place(strip, part->unknowns.items[i].place, 0.0);
    for (size_t m = 0; m < part->unknowns.n; m++)
        changed |= send_unknown(part, &off, lane, n, m);
    if (changed || net->version == 0)
        spread_maps(net, part, strip, lane, n);
    net->changed |= changed;
    run_part_outward(part, &on, true);
    for (size_t s = 0; s < part->spots.n; s++) {
        const PartSpot *spot = &part->spots.items[s];
        find_spots(&to, net, part, lane, n, s);
        for (uint32_t q = 0; q < spot->ns; q++)
            scatter(strip, spot->signals + q, to.spot, q, n);
        for (uint32_t q = 0; q < spot->np; q++)
            scatter(strip, spot->potentials + q, to.spot, net->at_p0 + q, n);
    }
    run_part_inward(part, &on, true);
    store_bias(&to, net, part, strip, lane, n);
}

static void outward(Net *net, const NetPart *part, const LiederStrip *strip, size_t lane, size_t n)
{
    LiederStrip on = *strip;
    on.bias_scale = 1;
    for (size_t i = 0; i < part->unknowns.n; i++)
        for (size_t l = 0; l < n; l++) {
            real *rec = record_of(strip, (int)(l / LIEDER_LANES));
            ((double *)(rec + part->unknowns.items[i].place))[l % LIEDER_LANES] =
                net->u[(size_t)part->cells.items[lane + l] * net->block + i];
        }
    run_part_outward(part, &on, true);
}

/* ------------------------------------------------------------------ ties */

/* the tie of a lane; beyond the last one it is repeated */
static size_t tie_at(size_t first, size_t n, size_t l)
{
    return first + (l < n ? l : n - 1);
}

/* signals of both spots into the records of ties */
LIEDER_INLINE void gather_signals(Net *net, const NetTie *tie, const LiederStrip *strip,
                                  size_t first, size_t n, const uint32_t ns)
{
    const uint32_t *at = at_of(&tie->ss.lean, 0) + LIEDER_AT_PORT;
    for (int v = 0; v < strip->nvec; v++)
        for (int e = 0; e < 2; e++) {
            const double *spot[LIEDER_LANES];
            real *to = record_of(strip, v) + at[LIEDER_PER_PORT * e + LIEDER_SIGNALS];
            for (size_t l = 0; l < LIEDER_LANES; l++) {
                size_t t = tie_at(first, n, (size_t)v * LIEDER_LANES + l);
                spot[l] = net->spots + (size_t)tie->spots.items[2 * t + (size_t)e] * net->spot_size;
            }
            for (uint32_t q = 0; q < ns; q++) {
                real x;
                for (int l = 0; l < LIEDER_LANES; l++)
                    ((double *)&x)[l] = spot[l][q];
                to[q] = x;
            }
        }
}

static void gather(Net *net, const NetTie *tie, const LiederStrip *strip, size_t first, size_t n)
{
    if (tie->ns == 6)
        gather_signals(net, tie, strip, first, n, 6);
    else
        gather_signals(net, tie, strip, first, n, tie->ns);
}

/* where the answers of the ties from `first` on begin; lanes divide NET_WIDTH */
static double *answer_of(const NetTie *tie, int r, size_t first, const int k)
{
    return tie->answer + (size_t)r * tie->answer_size +
           first / NET_WIDTH * NET_WIDTH * (size_t)(2 * k + 1) + first % NET_WIDTH;
}

/* lambda = Lambda u + lambda0 at the second end, -lambda at the first; lambda0 is summed at the
 * spots. Most of K is zero as a rule, and then the potentials are not read. */
LIEDER_INLINE void answer_one(Net *net, NetTie *tie, const real *rec, size_t first, size_t n,
                              const int k, const int np, const int nf)
{
    real lambda0[NET_FLOWS], Lambda[NET_FLOWS][2][NET_BLOCK];
    const real *K = rec + tie->save, *k0 = K + 4 * np * nf + nf;
    const real zero = real_splat(0.0);
    const double *spot[2][LIEDER_LANES];
    size_t number[2][LIEDER_LANES];
    for (int e = 0; e < 2; e++)
        for (size_t l = 0; l < LIEDER_LANES; l++) {
            number[e][l] = tie->spots.items[2 * tie_at(first, n, l) + (size_t)e];
            spot[e][l] = net->spots + number[e][l] * net->spot_size;
        }
    for (int r = 0; r < nf; r++) {
        lambda0[r] = k0[r];
        for (int e = 0; e < 2; e++)
            for (int m = 0; m < k; m++)
                Lambda[r][e][m] = zero;
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
            const double *from = net->P + number[e][l] * net->P_size + q * k;
            ((double *)&p0)[l] = spot[e][l][net->at_p0 + (uint32_t)q];
            for (int m = 0; m < k; m++)
                ((double *)&P[m])[l] = from[m];
        }
        for (int r = 0; r < nf; r++) {
            lambda0[r] = lambda0[r] + column[r] * p0;
            for (int m = 0; m < k; m++)
                Lambda[r][e][m] = Lambda[r][e][m] + column[r] * P[m];
        }
    }
    for (int r = 0; r < nf; r++) {
        double *to = answer_of(tie, r, first, k), *to0 = to + 2 * k * NET_WIDTH;
        mask any = (mask)(lambda0[r] != 0.0), differ = {0};
        for (int e = 0; e < 2; e++)
            for (int m = 0; m < k; m++)
                any |= (mask)(Lambda[r][e][m] != 0.0);
        tie->live[r] |= mask_any(any);
        if (!tie->live[r])
            continue; /* its answers are zero from the beginning */
        for (int m = 0; m < 2 * k; m++) {
            real old;
            memcpy(&old, to + m * NET_WIDTH, sizeof old);
            differ |= real_bits(old) ^ real_bits(Lambda[r][m / k][m % k]);
        }
        if (any_bit(&differ)) {
            net->changed = true;
            for (int m = 0; m < 2 * k; m++)
                memcpy(to + m * NET_WIDTH, &Lambda[r][m / k][m % k], sizeof(real));
        }
        memcpy(to0, &lambda0[r], sizeof(real));
        double *flows = net->flows + r;
        for (size_t l = 0; l < n; l++) {
            flows[number[0][l] * NET_FLOWS] -= to0[l];
            flows[number[1][l] * NET_FLOWS] += to0[l];
        }
    }
}

static void answer(Net *net, NetTie *tie, const LiederStrip *strip, size_t first, size_t n)
{
    int np = (int)tie->np, nf = (int)tie->nf;
    for (int v = 0; v < strip->nvec; v++) {
        size_t at = (size_t)v * LIEDER_LANES;
        size_t count = n - at < LIEDER_LANES ? n - at : LIEDER_LANES;
        const real *rec = record_of(strip, v);
        if (np == 6 && nf == 3)
            FOR_BLOCK(net->block, answer_one(net, tie, rec, first + at, count, K, 6, 3));
        else
            FOR_BLOCK(net->block, answer_one(net, tie, rec, first + at, count, K, np, nf));
    }
}

/* A_ij += Q Lambda for both ends of some ties, and how far that is from symmetric */
LIEDER_INLINE void blocks_one(Net *net, const NetTie *tie, size_t first, size_t n, const int k)
{
    real block[2][2][NET_BLOCK][NET_BLOCK];
    for (int a = 0; a < 2; a++)
        for (int i = 0; i < k; i++) {
            real Q[NET_FLOWS], sum[2][NET_BLOCK];
            for (int m = 0; m < k; m++)
                sum[0][m] = sum[1][m] = real_splat(0.0);
            for (int r = 0; r < (int)tie->nf; r++) {
                if (!tie->live[r])
                    continue;
                const double *Lambda = answer_of(tie, r, first, k);
                for (size_t l = 0; l < LIEDER_LANES; l++) {
                    size_t s = tie->spots.items[2 * tie_at(first, n, l) + (size_t)a];
                    ((double *)&Q[r])[l] =
                        net->Q[(s * (size_t)k + (size_t)i) * NET_FLOWS + (size_t)r];
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
    for (size_t l = 0; l < n; l++) {
        const uint32_t *cell = tie->cells.items + 2 * (first + l);
        uint32_t pair = tie->pairs.items[first + l];
        for (int e = 0; e < 2; e++)
            for (int i = 0; i < k; i++) {
                double *d = net->diagonal + ((size_t)cell[e] * (size_t)k + (size_t)i) * (size_t)k;
                for (int m = 0; m < k; m++) {
                    d[m] += ((const double *)&block[e][e][i][m])[l];
                    if (pair == NOWHERE) /* both ends at one cell */
                        d[m] += ((const double *)&block[e][1 - e][i][m])[l];
                }
            }
        if (pair == NOWHERE)
            continue;
        int a = pair & PAIR_TURNED ? 1 : 0;
        double *to = net->pair_block + (size_t)(pair >> PAIR_BITS) * (size_t)(k * k);
        for (int i = 0; i < k; i++)
            for (int m = 0; m < k; m++) {
                double x = ((const double *)&block[a][1 - a][i][m])[l];
                to[i * k + m] = pair & PAIR_FIRST ? x : to[i * k + m] + x;
            }
    }
    real most = real_splat(0.0), apart = most;
    for (int i = 0; i < k; i++)
        for (int m = 0; m < k; m++) {
            real x = real_absolute(block[0][1][i][m]);
            real d = real_absolute(block[0][1][i][m] - block[1][0][m][i]);
            most = choose(x > most, x, most);
            apart = choose(d > apart, d, apart);
        }
    if (mask_any((mask)(apart > net->lopsided * most)))
        for (size_t l = 0; l < n; l++) {
            double a = ((const double *)&apart)[l], b = ((const double *)&most)[l];
            if (a > net->lopsided * b)
                net->lopsided = a / b;
        }
}

static void add_blocks(Net *net, const NetTie *tie)
{
    size_t ntie = tie->components.n;
    for (size_t first = 0; first < ntie; first += LIEDER_LANES) {
        size_t n = ntie - first < LIEDER_LANES ? ntie - first : LIEDER_LANES;
        FOR_BLOCK(net->block, blocks_one(net, tie, first, n, K));
    }
}

/* ------------------------------------------------------------------ A x, and what is missing */

/* flows of all ties of a class: those that are live, n of them */
LIEDER_INLINE void add_flows(Net *net, const NetTie *tie, const int *live, const double *x,
                             double one, const int k, const int n)
{
    const uint32_t *cell = tie->cells.items, *spot = tie->spots.items;
    const double *answer[NET_FLOWS];
    double *flows[NET_FLOWS];
    for (int i = 0; i < n; i++) {
        answer[i] = answer_of(tie, live[i], 0, k);
        flows[i] = net->flows + live[i];
    }
    for (size_t t = 0; t < tie->components.n; t++, cell += 2, spot += 2) {
        const double *x0 = x + (size_t)cell[0] * (size_t)k, *x1 = x + (size_t)cell[1] * (size_t)k;
        size_t at = t / NET_WIDTH * NET_WIDTH * (size_t)(2 * k + 1) + t % NET_WIDTH;
        size_t to0 = (size_t)spot[0] * NET_FLOWS, to1 = (size_t)spot[1] * NET_FLOWS;
        for (int i = 0; i < n; i++) {
            const double *a = answer[i] + at;
            double lambda = one * a[2 * k * NET_WIDTH];
            for (int m = 0; m < k; m++)
                lambda += a[m * NET_WIDTH] * x0[m] + a[(k + m) * NET_WIDTH] * x1[m];
            flows[i][to0] -= lambda;
            flows[i][to1] += lambda;
        }
    }
}

LIEDER_INLINE void tie_flows(Net *net, const NetTie *tie, const double *x, double one, const int k)
{
    int live[NET_FLOWS] = {0}, n = 0;
    for (int r = 0; r < (int)tie->nf; r++)
        if (tie->live[r])
            live[n++] = r;
    if (n == 2)
        add_flows(net, tie, live, x, one, k, 2);
    else
        add_flows(net, tie, live, x, one, k, n);
}

/* y = M x + Q flows, or what is missing: y = -(bias + M x + Q flows); without x: M x is left out.
 * Returns 0 if all of y is finite. */
LIEDER_INLINE double cell_rows(const Net *net, const double *x, const bool missing, double *y,
                               const int k)
{
    double zero = 0;
    for (size_t c = 0; c < net->ncell; c++) {
        double sum[NET_BLOCK], all = 0;
        const double *M = net->own + c * (size_t)(k * k);
        for (int i = 0; i < k; i++) {
            sum[i] = missing ? net->bias[c * (size_t)k + (size_t)i] : 0;
            for (int m = 0; m < k && x; m++)
                sum[i] += M[i * k + m] * x[c * (size_t)k + (size_t)m];
        }
        for (size_t s = net->cell_spot[c]; s < net->cell_spot[c + 1]; s++) {
            const double *Q = net->Q + s * (size_t)(k * NET_FLOWS);
            const double *f = net->flows + s * NET_FLOWS;
            for (int i = 0; i < k; i++)
                for (int r = 0; r < NET_FLOWS; r++)
                    sum[i] += Q[i * NET_FLOWS + r] * f[r];
        }
        for (int i = 0; i < k; i++) {
            y[c * (size_t)k + (size_t)i] = missing ? -sum[i] : sum[i];
            all += sum[i] * 0.0;
        }
        zero += all;
    }
    return zero;
}

static void multiply(Net *net, const double *x, bool missing, double *y)
{
    memset(net->flows, 0, (size_t)net->nspot * NET_FLOWS * sizeof(double));
    for (size_t i = 0; i < net->ties.n; i++)
        FOR_BLOCK(net->block, tie_flows(net, net->ties.items[i], x, missing ? 1 : 0, K));
    if (missing)
        FOR_BLOCK(net->block, cell_rows(net, x, true, y, K));
    else
        FOR_BLOCK(net->block, cell_rows(net, x, false, y, K));
}

static double start(Net *net)
{
    FOR_BLOCK(net->block, return cell_rows(net, NULL, true, net->residual, K));
    return 0;
}

/* ------------------------------------------------------------------ scaling */

/* y = L^-1 x: L lower, its diagonal stored inverse */
LIEDER_INLINE void forward(const double *L, const double *x, double *y, const int k)
{
    for (int i = 0; i < k; i++) {
        double sum = x[i];
        for (int j = 0; j < i; j++)
            sum -= L[i * k + j] * y[j];
        y[i] = sum * L[i * k + i];
    }
}

/* D = L L^T, D taken from its lower half; false if it is not positive definite */
LIEDER_INLINE bool factor_block(const double *D, double *L, const int k)
{
    for (int i = 0; i < k; i++)
        for (int j = 0; j <= i; j++) {
            double sum = D[i * k + j];
            for (int h = 0; h < j; h++)
                sum -= L[i * k + h] * L[j * k + h];
            if (i != j)
                L[i * k + j] = sum * L[j * k + j];
            else if (sum > 0 && sum < INFINITY)
                L[i * k + i] = 1 / sqrt(sum);
            else
                return false;
        }
    return true;
}

/* whatever hangs together through others hangs together once it is scaled */
LIEDER_INLINE void find_couples(Net *net, bool *live, const int k)
{
    for (int i = 0; i < k; i++)
        for (int j = 0; j < i; j++)
            live[i * k + j] = live[j * k + i] = live[i * k + j] || live[j * k + i];
    for (int h = 0; h < k; h++)
        for (int i = 0; i < k; i++)
            for (int j = 0; j < k; j++)
                live[i * k + j] |= live[i * k + h] && live[h * k + j];
    net->couples = 0;
    for (int i = 0; i < k * k; i++)
        net->couples |= (uint64_t)live[i] << i;
}

LIEDER_INLINE bool scale_blocks(Net *net, uint32_t *cell, const int k)
{
    size_t size = (size_t)(k * k);
    for (size_t c = 0; c < net->ncell; c++)
        if (!factor_block(net->diagonal + c * size, net->factor + c * size, k)) {
            *cell = (uint32_t)c;
            return false;
        }
    bool live[NET_BLOCK * NET_BLOCK] = {0};
    for (int i = 0; i < k; i++)
        live[i * k + i] = true;
    for (size_t c = 0; c < net->ncell; c++)
        for (int i = 0; i < k; i++)
            for (int j = 0; j < i; j++)
                live[i * k + j] |= net->diagonal[c * size + (size_t)(i * k + j)] != 0;
    for (size_t p = 0; p < net->npair; p++) {
        const uint32_t *ends = net->pair_cells + 2 * p;
        const double *Li = net->factor + ends[0] * size, *Lj = net->factor + ends[1] * size;
        const double *A = net->pair_block + p * size;
        double left[NET_BLOCK][NET_BLOCK], both[NET_BLOCK][NET_BLOCK];
        for (int m = 0; m < k; m++) { /* left[m] = L_i^-1 (column m) */
            double column[NET_BLOCK];
            for (int i = 0; i < k; i++)
                column[i] = A[i * k + m];
            forward(Li, column, left[m], k);
        }
        for (int i = 0; i < k; i++) { /* (L_i^-1 A L_j^-T)^T = L_j^-1 (L_i^-1 A)^T */
            double column[NET_BLOCK];
            for (int m = 0; m < k; m++)
                column[m] = left[m][i];
            forward(Lj, column, both[i], k);
        }
        const Bands *a = &net->bands[net->entry_matrix[2 * p]];
        const Bands *b = &net->bands[net->entry_matrix[2 * p + 1]];
        for (int i = 0; i < k; i++)
            for (int m = 0; m < k; m++) {
                float x = (float)both[i][m];
                if (net->entry[2 * p] != NOWHERE)
                    a->value[(size_t)(i * k + m) * a->plane + net->entry[2 * p]] = x;
                if (net->entry[2 * p + 1] != NOWHERE)
                    b->value[(size_t)(m * k + i) * b->plane + net->entry[2 * p + 1]] = x;
                live[i * k + m] |= A[i * k + m] != 0;
            }
    }
    find_couples(net, live, k);
    return true;
}

static bool scale(Net *net, uint32_t *cell)
{
    FOR_BLOCK(net->block, return scale_blocks(net, cell, K));
    return false;
}

/* sums of NET_WIDTH columns */
typedef double Columns[NET_WIDTH];
static double total(const Columns c)
{
    double sum = 0;
    for (int l = 0; l < NET_WIDTH; l++)
        sum += c[l];
    return sum;
}

LIEDER_INLINE double scale_vector(const Net *net, const double *r, double *scaled, const int k)
{
    Columns sum = {0};
    for (size_t c = 0; c < net->ncell; c++) {
        double *to = scaled + c * (size_t)k;
        if (net->halo && net->halo[c]) /* stays zero: a row of another rank */
            continue;
        forward(net->factor + c * (size_t)(k * k), r + c * (size_t)k, to, k);
        for (int i = 0; i < k; i++)
            sum[c % NET_WIDTH] += to[i] * to[i];
    }
    return total(sum);
}

static double into_scale(const Net *net, const double *r, double *scaled)
{
    FOR_BLOCK(net->block, return scale_vector(net, r, scaled, K));
    return 0;
}

/* where component 0 of a cell stands, and the stride to the next */
static float *cell_vector(const Net *net, float *red, float *black, size_t cell, size_t *stride)
{
    uint32_t at = net->position[cell];
    bool is_red = at < net->nred;
    *stride = net->stride[!is_red];
    return is_red ? red + at : black + (at - net->nred);
}

LIEDER_INLINE double add_correction(Net *net, double size, const int k)
{
    Columns sum = {0};
    for (size_t c = 0; c < net->ncell; c++) {
        size_t stride;
        if (net->halo && net->halo[c])
            continue;
        const float *z = cell_vector(net, net->red, net->x, c, &stride);
        const double *L = net->factor + c * (size_t)(k * k);
        double *u = net->u + c * (size_t)k, step[NET_BLOCK];
        for (int i = k; i-- > 0;) { /* L^T step = size z */
            double value = size * (double)z[(size_t)i * stride];
            sum[c % NET_WIDTH] += value * value;
            for (int j = i + 1; j < k; j++)
                value -= L[j * k + i] * step[j];
            step[i] = value * L[i * k + i];
        }
        for (int i = 0; i < k; i++)
            u[i] += step[i];
    }
    return total(sum);
}

static double out_of_scale(Net *net, double size)
{
    FOR_BLOCK(net->block, return add_correction(net, size, K));
    return 0;
}

/* ------------------------------------------------------------------ iteration */

typedef float Floats __attribute__((vector_size(NET_WIDTH * sizeof(float))));
typedef float HalfFloats __attribute__((vector_size(NET_WIDTH / 2 * sizeof(float))));
typedef double HalfDoubles __attribute__((vector_size(NET_WIDTH / 2 * sizeof(double))));

/* macros: vectors wider than the machine's are not handed to functions */
#define load_floats(from)                                                                          \
    ({                                                                                             \
        Floats loaded_;                                                                            \
        memcpy(&loaded_, (from), sizeof loaded_);                                                  \
        loaded_;                                                                                   \
    })
#define pick_floats(from, places)                                                                  \
    ({                                                                                             \
        Floats picked_;                                                                            \
        for (int l = 0; l < NET_WIDTH; l++)                                                        \
            picked_[l] = (from)[(places)[l]];                                                      \
        picked_;                                                                                   \
    })
#define splat_floats(x) ((Floats){0} + (x))

/* sums of NET_WIDTH columns in double precision, in halves that a register holds */
typedef struct Sums {
    HalfDoubles low, high;
} Sums;

#define add_to_sums(sums, floats)                                                                  \
    do {                                                                                           \
        Floats all_ = (floats);                                                                    \
        HalfFloats low_, high_;                                                                    \
        memcpy(&low_, &all_, sizeof low_);                                                         \
        memcpy(&high_, (const char *)&all_ + sizeof low_, sizeof high_);                           \
        (sums).low += __builtin_convertvector(low_, HalfDoubles);                                  \
        (sums).high += __builtin_convertvector(high_, HalfDoubles);                                \
    } while (0)

static double total_sums(const Sums *sums)
{
    double sum = 0;
    for (int l = 0; l < NET_WIDTH / 2; l++)
        sum += sums->low[l];
    for (int l = 0; l < NET_WIDTH / 2; l++)
        sum += sums->high[l];
    return sum;
}

/* the loops below are made for unknowns that keep apart, that all hang together, and others */
#define FOR_BANDS(net, call)                                                                       \
    do {                                                                                           \
        uint64_t couples_ = (net)->couples;                                                        \
        if (bands_apart(net)) {                                                                    \
            enum { COUPLES = BANDS_APART };                                                        \
            FOR_BLOCK((net)->block, call);                                                         \
        } else if (couples_ == ((uint64_t)1 << (net)->block * (net)->block) - 1) {                 \
            enum { COUPLES = BANDS_ALL };                                                          \
            FOR_BLOCK((net)->block, call);                                                         \
        } else {                                                                                   \
            enum { COUPLES = BANDS_SOME };                                                         \
            FOR_BLOCK((net)->block, call);                                                         \
        }                                                                                          \
    } while (0)

enum { BANDS_APART, BANDS_ALL, BANDS_SOME };

static bool bands_apart(const Net *net)
{
    uint64_t diagonal = 0;
    for (uint32_t i = 0; i < net->block; i++)
        diagonal |= (uint64_t)1 << (i * net->block + i);
    return net->couples == diagonal;
}

/* acc += rows of a chunk times x: a slot beside another, all of them shifted or all scattered */
LIEDER_INLINE void chunk_rows(const Bands *m, uint64_t live, uint32_t chunk, const float *x,
                              size_t stride, Floats *acc, const int k, const int couples)
{
    uint32_t first = m->first[chunk], end = m->first[chunk + 1];
    bool scattered = first < end && m->shift[first] == NET_SCATTERED;
#define ADD_SLOTS(load)                                                                            \
    for (uint32_t s = first; s < end; s++) {                                                       \
        const float *value = m->value + (size_t)s * NET_WIDTH;                                     \
        for (int j = 0; j < k; j++) {                                                              \
            Floats xj = load;                                                                      \
            for (int i = 0; i < k; i++)                                                            \
                if (couples == BANDS_APART ? i == j                                                \
                                           : couples == BANDS_ALL || (live >> (i * k + j) & 1))    \
                    acc[i] += load_floats(value + (size_t)(i * k + j) * m->plane) * xj;            \
        }                                                                                          \
    }
    if (scattered)
        ADD_SLOTS(pick_floats(x + (size_t)j * stride, m->columns + s * NET_WIDTH))
    else
        ADD_SLOTS(load_floats(x + (size_t)j * stride + (ptrdiff_t)chunk * NET_WIDTH + m->shift[s]))
#undef ADD_SLOTS
}

LIEDER_INLINE void red_rows(Net *net, const float *x, float *y, const float *base, const int k,
                            const int couples)
{
    const Bands m = net->bands[0]; /* a copy: no store can touch it */
    const size_t red = net->stride[0], black = net->stride[1];
    const uint64_t live = net->couples;
    for (uint32_t c = 0; c < m.nchunk; c++) {
        Floats acc[NET_BLOCK];
        for (int i = 0; i < k; i++)
            acc[i] = splat_floats(0);
        chunk_rows(&m, live, c, x, black, acc, k, couples);
        for (int i = 0; i < k; i++) {
            size_t at = (size_t)i * red + c * NET_WIDTH;
            if (base)
                acc[i] = load_floats(base + at) - acc[i];
            memcpy(y + at, &acc[i], sizeof acc[i]);
        }
    }
}

static void band_red(Net *net, const float *x, float *y, const float *base)
{
    FOR_BANDS(net, red_rows(net, x, y, base, K, COUPLES));
}

/* q = (1 + A_bb) p - A_br red */
LIEDER_INLINE double black_rows(Net *net, const int k, const int couples)
{
    const Bands across = net->bands[1], among = net->bands[2];
    const size_t red = net->stride[0], black = net->stride[1];
    const uint64_t live = net->couples;
    const float *p = net->p, *from = net->red;
    float *to = net->q;
    Sums sums = {0};
    for (uint32_t c = 0; c < across.nchunk; c++) {
        Floats minus[NET_BLOCK], acc[NET_BLOCK];
        for (int i = 0; i < k; i++) {
            minus[i] = splat_floats(0);
            acc[i] = load_floats(p + (size_t)i * black + c * NET_WIDTH);
        }
        chunk_rows(&across, live, c, from, red, minus, k, couples);
        if (among.nslot)
            chunk_rows(&among, live, c, p, black, acc, k, couples);
        for (int i = 0; i < k; i++) {
            size_t at = (size_t)i * black + c * NET_WIDTH;
            Floats q = acc[i] - minus[i];
            memcpy(to + at, &q, sizeof q);
            add_to_sums(sums, q * load_floats(p + at));
        }
    }
    return total_sums(&sums);
}

static double band_black(Net *net)
{
    FOR_BANDS(net, return black_rows(net, K, COUPLES));
    return 0;
}

LIEDER_INLINE void split_rows(Net *net, double size, const int k, const int couples)
{
    const Bands across = net->bands[1];
    const size_t red = net->stride[0], black = net->stride[1];
    const uint64_t live = net->couples;
    const float *from = net->red_right;
    float *right = net->right;
    double factor = 1 / size;
    for (size_t c = 0; c < net->ncell; c++) {
        size_t stride;
        float *to = cell_vector(net, net->red_right, right, c, &stride);
        for (int i = 0; i < k; i++)
            to[(size_t)i * stride] = (float)(factor * net->scaled[c * (size_t)k + (size_t)i]);
    }
    for (uint32_t c = 0; c < across.nchunk; c++) {
        Floats acc[NET_BLOCK];
        for (int i = 0; i < k; i++)
            acc[i] = splat_floats(0);
        chunk_rows(&across, live, c, from, red, acc, k, couples);
        for (int i = 0; i < k; i++) {
            size_t at = (size_t)i * black + c * NET_WIDTH;
            acc[i] = load_floats(right + at) - acc[i];
            memcpy(right + at, &acc[i], sizeof acc[i]);
        }
    }
}

static void split(Net *net, double size)
{
    FOR_BANDS(net, split_rows(net, size, K, COUPLES));
}

/* the vectors of black cells are one piece, padding and all */
static double descend(Net *net, float alpha)
{
    size_t n = net->stride[1] * net->block;
    const float *p = net->p, *q = net->q;
    float *to_x = net->x, *to_r = net->r;
    Sums sums = {0};
    Floats a = splat_floats(alpha);
    for (size_t i = 0; i < n; i += NET_WIDTH) {
        Floats x = load_floats(to_x + i) + a * load_floats(p + i);
        Floats r = load_floats(to_r + i) - a * load_floats(q + i);
        memcpy(to_x + i, &x, sizeof x);
        memcpy(to_r + i, &r, sizeof r);
        add_to_sums(sums, r * r);
    }
    return total_sums(&sums);
}

static void turn(Net *net, float beta)
{
    size_t n = net->stride[1] * net->block;
    const float *r = net->r;
    float *to = net->p;
    Floats b = splat_floats(beta);
    for (size_t i = 0; i < n; i += NET_WIDTH) {
        Floats p = load_floats(r + i) + b * load_floats(to + i);
        memcpy(to + i, &p, sizeof p);
    }
}

extern const NetOps LIEDER_SYMBOL(net_ops);
const NetOps LIEDER_SYMBOL(net_ops) = {cells, outward,  gather,     answer,     add_blocks,
                                       start, multiply, scale,      into_scale, out_of_scale,
                                       split, band_red, band_black, descend,    turn};
