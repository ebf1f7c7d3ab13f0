/* net_share.c - a net of which each rank has a part: see split.h.
 *
 * A rank has rows of its own cells and numbers of its halo, the cells of others to which its ties
 * lead. Coefficients of the halo are computed here as by their owners, since they depend on the
 * states of the cell alone; ties of other ranks are not known here, so that the diagonal blocks
 * come from the owner. Then
 *
 *   S p needs p of the halo before each product (net_fetch_black),
 *   a residual needs u of the halo (net_fetch),
 *
 * and both need sums over the ranks. Cells that other ranks read are black, and so is the whole
 * halo: red cells, which are eliminated, have all their neighbours at home, and one letter to each
 * neighbour is enough for a step of conjugate gradients.
 *
 * In the end every rank has the u of its halo with the bits of the owner, and from the same states
 * the same derivatives: both integrate the states of the halo, which are never sent.
 *
 * Sums. Each rank adds up its part, and the parts are added up in the order of ranks: the same bits
 * in every run with as many ranks. Another number of ranks eliminates other cells and adds up in
 * another order; rounds with true residuals leave differences of some 1e-13 of that.
 */
#include <stdlib.h>
#include <string.h>

#include "model/net/net_plan.h"

/* the cells that a neighbour and this rank have in common, in the same order there */
typedef struct NetPartner {
    int rank;
    uint32_t first_sent, nsent, first_received, nreceived; /* in NetShare.sent, .received */
} NetPartner;

struct NetShare {
    const LiederRanks *ranks;
    VEC(NetPartner) partners;
    uint32_t *sent, *received; /* cells, partner by partner */
    size_t nsent, nreceived;
    double *out, *in; /* block x block numbers for each of them */
    LiederLetter *letters;
    double *parts; /* of a sum, by rank */
};

/* ------------------------------------------------------------------ partners */

/* a cell at a tie between two ranks, whose numbers are sent to the other rank or received from
 * it */
typedef struct Meeting {
    uint32_t rank, key, cell; /* key: the first instance of the cell, the same number on all
                                 ranks */
    bool received;
} Meeting;
typedef VEC(Meeting) Meetings;

static int compare_meetings(const void *a, const void *b)
{
    const Meeting *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->received != y->received)
        return x->received ? 1 : -1;
    return x->key < y->key ? -1 : x->key > y->key;
}

typedef struct Owners {
    const uint32_t *instances; /* by component of the whole */
    const Sheet *sheet;
} Owners;

/* the rank that owns a cell, from 1, and its key; 0: components of two ranks are in it */
static uint32_t owner_of(const Net *net, const Owners *o, uint32_t cell, uint32_t *key)
{
    const NetPart *part = net->parts.items[net->cell_part[cell]];
    size_t n = part->shape.components.n, lane = net->cell_lane[cell];
    uint32_t owner = 0;
    *key = NOWHERE;
    for (size_t i = 0; i < n; i++) {
        const Component *c = &part->shape.components.items[i];
        uint32_t instance = o->instances[part->components.items[lane * n + i]];
        if (c->root || c->constant) /* ground that the cell has a copy of */
            continue;
        uint32_t here = sheet_instance(o->sheet, instance).owner;
        if (owner && here != owner)
            return 0;
        owner = here;
        *key = instance < *key ? instance : *key;
    }
    return owner;
}

static bool find_halo(Net *net, const Owners *o, int rank, uint32_t *owners, uint32_t *keys)
{
    for (uint32_t c = 0; c < net->ncell; c++) {
        owners[c] = owner_of(net, o, c, &keys[c]);
        if (!owners[c])
            return false;
        net->halo[c] = owners[c] != 1 + (uint32_t)rank;
        net->nhalo += net->halo[c];
    }
    return true;
}

/* for each tie between an own cell and one of another rank, the cell that is sent and the one that
 * is received; sorted */
static bool list_meetings(Net *net, const uint32_t *owners, const uint32_t *keys, Meetings *to)
{
    bool ok = true;
    for (size_t i = 0; i < net->ties.n; i++)
        for (size_t t = 0; t < net->ties.items[i]->cells.n && ok; t++) {
            uint32_t a = net->ties.items[i]->cells.items[t],
                     b = net->ties.items[i]->cells.items[t ^ 1];
            if (net->halo[a] || !net->halo[b])
                continue;
            ok = vec_push(net->pool.alloc, to, (Meeting){owners[b] - 1, keys[a], a, false}) &&
                 vec_push(net->pool.alloc, to, (Meeting){owners[b] - 1, keys[b], b, true});
        }
    if (ok && to->n)
        qsort(to->items, to->n, sizeof *to->items, compare_meetings);
    return ok;
}

/* the ranks that this one exchanges with, and the cells of each letter in the same order on both
 * sides */
static bool list_partners(Net *net, const Meetings *met)
{
    NetShare *s = net->share;
    s->sent = net_get(&net->pool, met->n + 1, sizeof(uint32_t));
    s->received = net_get(&net->pool, met->n + 1, sizeof(uint32_t));
    if (!s->sent || !s->received)
        return false;
    for (size_t i = 0; i < met->n; i++) {
        const Meeting *m = &met->items[i];
        if (i && compare_meetings(m, m - 1) == 0)
            continue; /* several ties */
        if (!s->partners.n || s->partners.items[s->partners.n - 1].rank != (int)m->rank) {
            NetPartner p = {.rank = (int)m->rank,
                            .first_sent = (uint32_t)s->nsent,
                            .first_received = (uint32_t)s->nreceived};
            if (!vec_push(net->pool.alloc, &s->partners, p))
                return false;
        }
        NetPartner *p = &s->partners.items[s->partners.n - 1];
        if (m->received) {
            s->received[s->nreceived++] = m->cell;
            p->nreceived++;
        } else {
            s->sent[s->nsent++] = m->cell;
            p->nsent++;
        }
    }
    size_t size = (size_t)net->block * net->block;
    s->out = net_get(&net->pool, s->nsent * size + 1, sizeof(double));
    s->in = net_get(&net->pool, s->nreceived * size + 1, sizeof(double));
    s->letters = net_get(&net->pool, s->partners.n + 1, sizeof *s->letters);
    s->parts = net_get(&net->pool, (size_t)s->ranks->count, sizeof(double));
    return s->out && s->in && s->letters && s->parts;
}

LiederStatus net_share_create(Net *net, const LiederSystem *system, const SystemShape *ss)
{
    const LiederRanks *ranks = system->options.ranks;
    if (!ss->shape->cut)
        return LIEDER_DONE;
    Meetings met = {0};
    size_t n = net->ncell;
    const Batch *batch = &ss->shape->batches.items[0];
    Owners o = {batch->instances, &system->flat.sheets.items[batch->sheet]};
    net->share = net_get(&net->pool, 1, sizeof *net->share);
    net->halo = net_get(&net->pool, n + 1, 1);
    uint32_t *owners = memory_zeroed(net->pool.alloc, (n + 1) * sizeof(uint32_t)),
             *keys = memory_zeroed(net->pool.alloc, (n + 1) * sizeof(uint32_t));
    bool ok = net->share && net->halo && owners && keys, plain = true;
    if (ok) {
        double block = net->block;
        net->share->ranks = ranks;
        net_greatest(net, &block, 1); /* cells of some ranks may have more unknowns */
        net->block = (uint32_t)block;
        plain = find_halo(net, &o, ranks->rank, owners, keys);
        ok = list_meetings(net, owners, keys, &met) && list_partners(net, &met);
    }
    vec_drop(net->pool.alloc, &met);
    memory_free(net->pool.alloc, owners, (n + 1) * sizeof(uint32_t));
    memory_free(net->pool.alloc, keys, (n + 1) * sizeof(uint32_t));
    if (!ok)
        return LIEDER_NO_MEMORY;
    if (!net_any(net, !plain))
        return LIEDER_DONE;
    diag_error(&system->session->diag, NULL, NULL,
               "this net cannot be cut for several ranks: a part of it has components of two of "
               "them\nrun it in one process");
    return LIEDER_BAD_MODEL;
}

void net_share_drop(Net *net)
{
    if (net->share)
        vec_drop(net->pool.alloc, &net->share->partners);
}

void net_share_pairs(Net *net, uint8_t *black)
{
    for (size_t i = 0; net->share && i < net->share->nsent; i++)
        black[net->share->sent[i]] = 1;
    for (size_t c = 0; net->share && c < net->ncell; c++)
        black[c] |= net->halo[c];
}

/* ------------------------------------------------------------------ decisions and sums */

/* the place of a rank stays zero elsewhere, so that nothing is rounded on the way */
double net_total(const Net *net, double here)
{
    const NetShare *s = net->share;
    if (!s)
        return here;
    double sum = 0;
    size_t n = (size_t)s->ranks->count;
    memset(s->parts, 0, n * sizeof(double));
    s->parts[s->ranks->rank] = here;
    s->ranks->combine(s->ranks->user, LIEDER_SUM, s->parts, n);
    for (size_t i = 0; i < n; i++)
        sum += s->parts[i];
    return sum;
}

size_t net_count_before(const Net *net, size_t here, size_t *all)
{
    const NetShare *s = net->share;
    size_t before = 0;
    *all = here;
    if (!s)
        return 0;
    memset(s->parts, 0, (size_t)s->ranks->count * sizeof(double));
    s->parts[s->ranks->rank] = (double)here;
    s->ranks->combine(s->ranks->user, LIEDER_SUM, s->parts, (size_t)s->ranks->count);
    *all = 0;
    for (int i = 0; i < s->ranks->count; i++) {
        before += i < s->ranks->rank ? (size_t)s->parts[i] : 0;
        *all += (size_t)s->parts[i];
    }
    return before;
}

bool net_is_own(const Net *net, size_t cell)
{
    return !net->halo || !net->halo[cell];
}

void net_mark_behind(const Net *net, double *vector, double mark)
{
    const NetShare *s = net->share;
    for (size_t i = 0; i < s->partners.n; i++) {
        const NetPartner *p = &s->partners.items[i];
        for (uint32_t k = 0; k < p->nreceived && p->rank > s->ranks->rank; k++)
            vector[s->received[p->first_received + k]] = mark;
    }
}

const LiederRanks *net_ranks(const Net *net)
{
    return net->share ? net->share->ranks : NULL;
}

void net_greatest(const Net *net, double *values, size_t n)
{
    if (net->share)
        net->share->ranks->combine(net->share->ranks->user, LIEDER_GREATEST, values, n);
}

bool net_any(const Net *net, bool here)
{
    double any = here;
    net_greatest(net, &any, 1);
    return any > 0;
}

LiederStatus net_status(const Net *net, LiederStatus here)
{
    double worst = -(double)here;
    net_greatest(net, &worst, 1);
    return net->share ? (LiederStatus)-worst : here;
}

/* ------------------------------------------------------------------ numbers of the halo */

/* sends `out` to the partners and receives theirs in `in`; bytes: of a cell */
static void send_letters(NetShare *s, size_t bytes)
{
    for (size_t i = 0; i < s->partners.n; i++) {
        const NetPartner *p = &s->partners.items[i];
        s->letters[i] = (LiederLetter){.rank = p->rank,
                                       .sent = (const char *)s->out + p->first_sent * bytes,
                                       .nsent = p->nsent * bytes,
                                       .received = (char *)s->in + p->first_received * bytes,
                                       .nreceived = p->nreceived * bytes};
    }
    s->ranks->exchange(s->ranks->user, s->letters, s->partners.n);
}

void net_fetch(const Net *net, double *vector, size_t width)
{
    NetShare *s = net->share;
    if (!s)
        return;
    for (size_t i = 0; i < s->nsent; i++)
        memcpy(s->out + i * width, vector + s->sent[i] * width, width * sizeof(double));
    send_letters(s, width * sizeof(double));
    for (size_t i = 0; i < s->nreceived; i++)
        memcpy(vector + s->received[i] * width, s->in + i * width, width * sizeof(double));
}

void net_fetch_black(const Net *net, float *vector)
{
    NetShare *s = net->share;
    size_t k = net->block, stride = net->stride[1];
    if (!s)
        return;
    float *out = (float *)s->out, *in = (float *)s->in;
    for (size_t i = 0; i < s->nsent; i++)
        for (size_t m = 0; m < k; m++)
            out[i * k + m] = vector[net->position[s->sent[i]] - net->nred + m * stride];
    send_letters(s, k * sizeof(float));
    for (size_t i = 0; i < s->nreceived; i++)
        for (size_t m = 0; m < k; m++)
            vector[net->position[s->received[i]] - net->nred + m * stride] = in[i * k + m];
}
