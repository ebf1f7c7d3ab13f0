/* net_substructure.c - factors of the symmetric matrix of a net that ranks share, by substructuring
 * (Przemieniecki 1963; Smith, Bjorstad, Gropp 1996).
 *
 * A cell is at the *interface* if a tie leads from it to a cell of a rank behind its own; all
 * others are inner cells of their rank. Then no tie leads from an inner cell of one rank to one of
 * another, and with the inner unknowns 1 of a rank and those 2 of the interface around it
 *
 *   [ A11  A12 ]   [ L11     ] [ L11^T  L21^T ]
 *   [ A21   .  ] = [ L21  .  ] [          .   ],    S = A22 - sum over ranks of L21 L21^T.
 *
 * Each rank factors its own matrix with the interface last (CHOLMOD; the diagonal of the interface
 * is made so large that its factor has no effect), adds up L21 L21^T, and sends it to rank 0, which
 * factors S. A solution takes one letter from each rank to rank 0 and one back:
 *
 *   y1 = L11^-1 r1,   S u2 = r2 - sum of L21 y1,   L11^T u1 = y1 - L21^T u2
 *
 * Sums are added up in the order of ranks: as many ranks give the same bits. Unknowns that no tie
 * couples are kept apart, as in net_direct.c: L21 L21^T consists of a triangle for each *group* of
 * unknowns that answer to each other.
 *
 * Chosen over MUMPS, which needs hundreds of letters for a solution: on two ranks with a processor
 * each it took 114 ms for a net of 200 x 200 where one process takes 12, and minutes where ranks
 * share a processor. The price: one rank factors S, which limits this to some hundred ranks.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/net/net_plan.h"

#include "model/net/cholesky.h"

/* the interface around a rank: numbers in S, group by group, each ascending */
typedef struct Clique {
    uint32_t n;    /* unknowns */
    size_t nvalue; /* entries of the triangles */
    uint32_t *numbers;
    uint32_t begin[NET_BLOCK + 1]; /* by group */
    double *values;                /* triangles column by column, from the diagonal down */
    double *vector;
} Clique;

struct NetSubstructure {
    cholmod_common common;
    bool begun;
    uint64_t couples; /* the pattern it was analysed for; see Net */
    uint32_t ngroup, group[NET_BLOCK];
    /* the matrix of this rank: inner unknowns, then the interface */
    int *columns; /* by unknown: where its column begins */
    Cholesky matrix;
    uint32_t ninner, n; /* unknowns */
    uint32_t *place;    /* by cell: its first inner unknown, or NOWHERE; then of the interface: */
    uint32_t *ring;     /* by cell and unknown: place within the clique, or NOWHERE */
    double *number;     /* by cell: that of its first unknown in S, or -1 */
    double *work;
    int *ends; /* by unknown: where its column ends so far */
    Clique own;
    /* S, on rank 0 */
    Clique *cliques; /* by rank */
    Cholesky schur;
    uint32_t *next; /* by rank and group: work of add_cliques, */
    size_t *met;    /* by unknown of S */
    uint32_t order;
    LiederLetter *letters;
    double entries, flops; /* of the slowest rank and of S */
};

/* the diagonal of the interface in the matrix of a rank, in units of its own diagonal */
static const double FAR = 1e6;

/* ------------------------------------------------------------------ the interface */

/* unknowns that answer to each other, directly or through others, are of one group */
static void find_groups(const NetWork *w, NetSubstructure *s)
{
    const Net *net = w->net;
    for (uint32_t i = 0; i < net->block; i++)
        s->group[i] = i;
    for (uint32_t round = 0; round < net->block; round++)
        for (uint32_t i = 0; i < net->block; i++)
            for (uint32_t j = 0; j < net->block; j++)
                if (net_couples(net, w->couples, i, j) && s->group[i] > s->group[j])
                    s->group[i] = s->group[j];
                else if (net_couples(net, w->couples, i, j))
                    s->group[j] = s->group[i];
    uint32_t name[NET_BLOCK];
    s->ngroup = 0;
    for (uint32_t i = 0; i < net->block; i++) {
        if (s->group[i] == i)
            name[i] = s->ngroup++;
        s->group[i] = name[s->group[i]];
    }
}

/* s->number: 0 for cells at the interface, own ones that ties join with ranks behind this one and
 * those of the halo by their owners; -1 elsewhere */
static void find_interface(NetWork *w, NetSubstructure *s)
{
    const Net *net = w->net;
    const double behind = -2;
    for (uint32_t c = 0; c < net->ncell; c++)
        s->number[c] = -1;
    net_mark_behind(net, s->number, behind);
    for (size_t p = 0; p < net->npair; p++)
        for (int side = 0; side < 2; side++) {
            uint32_t a = net->pair_cells[2 * p + side], b = net->pair_cells[2 * p + 1 - side];
            if (net_is_own(net, a) && s->number[b] == behind)
                s->number[a] = 0;
        }
    net_fetch(net, s->number, 1);
}

/* numbers of the interface in S, those of the halo from their owners */
static void number_interface(NetWork *w, NetSubstructure *s)
{
    const Net *net = w->net;
    size_t here = 0, all;
    for (uint32_t c = 0; c < net->ncell; c++)
        here += net_is_own(net, c) && s->number[c] >= 0;
    size_t next = net_count_before(net, here, &all);
    for (uint32_t c = 0; c < net->ncell; c++)
        if (net_is_own(net, c) && s->number[c] >= 0)
            s->number[c] = (double)(net->block * next++);
    net_fetch(net, s->number, 1);
    s->order = (uint32_t)(all * net->block);
}

static int compare_numbers(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* sizes of the triangles of a clique whose groups are known */
static size_t count_values(const Clique *q, uint32_t ngroup)
{
    size_t sum = 0;
    for (uint32_t g = 0; g < ngroup; g++) {
        size_t n = q->begin[g + 1] - q->begin[g];
        sum += n * (n + 1) / 2;
    }
    return sum;
}

/* memory for the numbers, values and one vector of a clique of n unknowns */
static bool make_clique(NetWork *w, Clique *q)
{
    q->numbers = net_get(&w->pool, q->n + 1, sizeof(uint32_t));
    q->vector = net_get(&w->pool, q->n + 1, sizeof(double));
    return q->numbers && q->vector;
}

/* Inner unknowns in the order of cells, and the clique: all cells at the interface that this rank
 * has, group by group in the order of their numbers. */
static bool place_unknowns(NetWork *w, NetSubstructure *s)
{
    const Net *net = w->net;
    uint32_t k = net->block, ncell = 0;
    s->ninner = 0;
    for (uint32_t c = 0; c < net->ncell; c++) {
        s->place[c] = NOWHERE;
        if (s->number[c] >= 0)
            ncell++;
        else if (net_is_own(net, c)) {
            s->place[c] = s->ninner;
            s->ninner += k;
        }
    }
    s->own.n = ncell * k;
    s->n = s->ninner + s->own.n;
    if (!make_clique(w, &s->own))
        return false;
    uint32_t at = 0;
    for (uint32_t g = 0; g < s->ngroup; g++) {
        s->own.begin[g] = at;
        for (uint32_t c = 0; c < net->ncell; c++)
            for (uint32_t i = 0; i < k && s->number[c] >= 0; i++)
                if (s->group[i] == g)
                    s->own.numbers[at++] = (uint32_t)s->number[c] + i;
        qsort(s->own.numbers + s->own.begin[g], at - s->own.begin[g], sizeof(uint32_t),
              compare_numbers);
    }
    s->own.begin[s->ngroup] = at;
    for (uint32_t c = 0; c < net->ncell; c++)
        for (uint32_t i = 0; i < k; i++) {
            s->ring[c * k + i] = NOWHERE;
            if (s->number[c] < 0)
                continue;
            uint32_t number = (uint32_t)s->number[c] + i, g = s->group[i];
            const uint32_t *found =
                bsearch(&number, s->own.numbers + s->own.begin[g],
                        s->own.begin[g + 1] - s->own.begin[g], sizeof(uint32_t), compare_numbers);
            s->ring[c * k + i] = (uint32_t)(found - s->own.numbers);
        }
    return true;
}

/* ------------------------------------------------------------------ the matrix of a rank */

/* the matrix of a rank as its entries come */
typedef struct Filling {
    const NetWork *w;
    NetSubstructure *s;
    int *columns, *rows;    /* columns: ends of the columns so far */
    const Cholesky *values; /* or NULL: the pattern alone */
    double lift;
} Filling;

/* the place of entry (i, j) within the triangles of a clique */
static size_t triangle_place(const NetSubstructure *s, const Clique *q, uint32_t i, uint32_t j)
{
    size_t before = 0, low = i < j ? i : j, high = i < j ? j : i;
    uint32_t g = 0;
    for (; g + 1 < s->ngroup && low >= q->begin[g + 1]; g++) {
        size_t n = q->begin[g + 1] - q->begin[g];
        before += n * (n + 1) / 2;
    }
    size_t n = q->begin[g + 1] - q->begin[g];
    low -= q->begin[g];
    high -= q->begin[g];
    return before + low * n - low * (low + 1) / 2 + high;
}

/* one entry, of unknown i of cell a and j of cell b; between cells of the interface it goes into
 * the triangles */
static void fill_matrix(Filling *f, uint32_t a, uint32_t i, uint32_t b, uint32_t j, double x)
{
    NetSubstructure *s = f->s;
    uint32_t k = f->w->net->block;
    bool inner_a = s->place[a] != NOWHERE, inner_b = s->place[b] != NOWHERE;
    if (!inner_a && !inner_b) {
        if (f->values)
            s->own.values[triangle_place(s, &s->own, s->ring[a * k + i], s->ring[b * k + j])] += x;
        return;
    }
    uint32_t row = inner_a ? s->place[a] + i : s->ninner + s->ring[a * k + i];
    uint32_t column = inner_b ? s->place[b] + j : s->ninner + s->ring[b * k + j];
    if (row < column) {
        uint32_t other = row;
        row = column;
        column = other;
    }
    int at = f->columns[column]++;
    if (f->rows)
        f->rows[at] = (int)row;
    if (f->values)
        *cholesky_value(f->values, (size_t)at) = x;
}

/* whether this rank adds the coupling of two cells, one of which is its own, to the matrix */
static bool gives_pair(const NetWork *w, const NetSubstructure *s, uint32_t a, uint32_t b)
{
    const Net *net = w->net;
    bool own_a = net_is_own(net, a), own_b = net_is_own(net, b);
    if (own_a && own_b)
        return true;
    /* an inner cell is known to its owner alone; at the interface the lower number decides */
    uint32_t own = own_a ? a : b, other = own_a ? b : a;
    if (s->place[own] != NOWHERE)
        return true;
    return (own_a || own_b) && s->number[other] >= 0 && s->number[own] < s->number[other];
}

/* all entries of this rank: own diagonal blocks, pairs, the far diagonal of the interface */
static void fill_all(Filling *f)
{
    const NetWork *w = f->w;
    const Net *net = w->net;
    NetSubstructure *s = f->s;
    uint32_t k = net->block;
    for (uint32_t c = 0; c < net->ncell; c++)
        for (uint32_t j = 0; j < k; j++) {
            const double *D = w->diagonal + (size_t)c * k * k;
            for (uint32_t i = j; i < k && net_is_own(net, c); i++)
                if (net_couples(net, w->couples, i, j))
                    fill_matrix(f, c, i, c, j,
                                i == j ? D[i * k + j] * (1 + f->lift) : D[i * k + j]);
            if (s->number[c] < 0)
                continue;
            uint32_t column = s->ninner + s->ring[c * k + j];
            int at = f->columns[column]++;
            if (f->rows)
                f->rows[at] = (int)column;
            if (f->values)
                *cholesky_value(f->values, (size_t)at) = D[j * k + j] * FAR;
        }
    for (size_t p = 0; p < net->npair; p++) {
        uint32_t a = net->pair_cells[2 * p], b = net->pair_cells[2 * p + 1];
        for (uint32_t j = 0; j < k && gives_pair(w, s, a, b); j++)
            for (uint32_t i = 0; i < k; i++)
                if (net_couples(net, w->couples, i, j))
                    fill_matrix(f, a, j, b, i, w->pair_block[(p * k + j) * k + i]);
    }
}

/* The inner unknowns in an order of their own, then the interface as it is: the inner part alone is
 * analysed for its permutation. */
static bool order_matrix(NetWork *w, NetSubstructure *s, cholmod_sparse *lower)
{
    const int *p = lower->p, *rows = lower->i;
    int *order = net_get(&w->pool, s->n + 1, sizeof(int));
    cholmod_sparse *inner = cholmod_allocate_sparse(s->ninner, s->ninner, (size_t)p[s->ninner], 0,
                                                    1, -1, CHOLMOD_PATTERN, &s->common);
    Cholesky draft = {0};
    bool ok = inner && order;
    if (ok) {
        int at = 0, *to = inner->p;
        for (uint32_t j = 0; j < s->ninner; j++) {
            to[j] = at;
            for (int e = p[j]; e < p[j + 1]; e++)
                if (rows[e] < (int)s->ninner)
                    ((int *)inner->i)[at++] = rows[e];
        }
        to[s->ninner] = at;
        ok = cholesky_analyse(&draft, inner, NULL, &s->common, w->pool.alloc);
    }
    if (ok) {
        memcpy(order, draft.factor->Perm, s->ninner * sizeof(int));
        for (uint32_t i = s->ninner; i < s->n; i++)
            order[i] = (int)i;
        ok = cholesky_analyse(&s->matrix, lower, order, &s->common, w->pool.alloc);
    }
    cholesky_drop(&draft, &s->common);
    cholmod_free_sparse(&inner, &s->common);
    return ok;
}

/* The pattern, entries counted and then written, and its analysis. */
static bool make_matrix(NetWork *w, NetSubstructure *s)
{
    int *ends = s->ends = net_get(&w->pool, s->n + 2, sizeof(int));
    Filling f = {.w = w, .s = s, .columns = ends};
    if (!ends)
        return false;
    fill_all(&f);
    size_t sum = 0;
    for (uint32_t j = 0; j <= s->n; j++) {
        size_t here = j < s->n ? (size_t)ends[j] : 0;
        ends[j] = (int)sum;
        sum += here;
    }
    if (sum > INT32_MAX)
        return false;
    s->columns = net_get(&w->pool, s->n + 1, sizeof(int));
    cholmod_sparse *lower =
        cholmod_allocate_sparse(s->n, s->n, sum, 0, 1, -1, CHOLMOD_PATTERN, &s->common);
    bool ok = s->columns && lower;
    if (ok) {
        memcpy(s->columns, ends, (s->n + 1) * sizeof(int));
        memcpy(lower->p, ends, (s->n + 1) * sizeof(int));
        f.rows = lower->i;
        fill_all(&f);
        ok = order_matrix(w, s, lower);
    }
    cholmod_free_sparse(&lower, &s->common);
    return ok;
}

/* ------------------------------------------------------------------ S, on rank 0 */

/* the cliques of all ranks: how large, then which */
static bool collect_cliques(NetWork *w, NetSubstructure *s)
{
    const Net *net = w->net;
    const LiederRanks *ranks = net_ranks(net);
    uint32_t head[NET_BLOCK + 2] = {s->own.n};
    bool ok = true;
    memcpy(head + 1, s->own.begin, sizeof s->own.begin);
    s->own.nvalue = count_values(&s->own, s->ngroup);
    s->own.values = net_get(&w->pool, s->own.nvalue + 1, sizeof(double));
    ok = s->own.values;
    if (ranks->rank == 0) {
        s->cliques = net_get(&w->pool, (size_t)ranks->count, sizeof *s->cliques);
        s->letters = net_get(&w->pool, (size_t)ranks->count, sizeof *s->letters);
        ok = ok && s->cliques && s->letters;
    } else {
        s->letters = net_get(&w->pool, 1, sizeof *s->letters);
        ok = ok && s->letters;
    }
    if (net_any(net, !ok))
        return false;
    if (ranks->rank == 0)
        s->cliques[0] = s->own;
    for (int r = 1; r < ranks->count; r++) {
        if (ranks->rank != 0 && ranks->rank != r)
            continue;
        ranks->collect(ranks->user, r, head, sizeof head);
        if (ranks->rank)
            continue;
        Clique *q = &s->cliques[r];
        q->n = head[0];
        memcpy(q->begin, head + 1, sizeof q->begin);
        q->nvalue = count_values(q, s->ngroup);
        ok = make_clique(w, q) && ok;
        q->values = net_get(&w->pool, q->nvalue + 1, sizeof(double));
        ok = q->values && ok;
    }
    if (net_any(net, !ok))
        return false;
    for (int r = 1; r < ranks->count; r++)
        if (ranks->rank == r || ranks->rank == 0)
            ranks->collect(ranks->user, r, (ranks->rank ? &s->own : &s->cliques[r])->numbers,
                           (ranks->rank ? s->own.n : s->cliques[r].n) * sizeof(uint32_t));
    return true;
}

/* the lower half of S while it is listed: its pattern, its values, or how long it is */
typedef struct SchurHalf {
    int *columns, *rows;
    const Cholesky *values;
    size_t n, begin; /* entries so far; where the column at hand begins */
} SchurHalf;

/* the column of a clique that begins at its number `at`; met: by row, its place in S + 1 */
static void add_clique_column(const NetSubstructure *s, const Clique *q, uint32_t at, uint32_t end,
                              SchurHalf *h)
{
    const double *from = q->values + triangle_place(s, q, at, at);
    for (uint32_t i = at; i < end; i++) {
        uint32_t row = q->numbers[i];
        if (s->met[row] <= h->begin) { /* not in this column yet */
            if (h->rows)
                h->rows[h->n] = (int)row;
            if (h->values)
                *cholesky_value(h->values, h->n) = 0;
            s->met[row] = ++h->n;
        }
        if (h->values)
            *cholesky_value(h->values, s->met[row] - 1) += from[i - at];
    }
}

/* Lower half of S, column by column: a column is the union of those of all cliques that have it.
 * Without values it makes the pattern and returns the number of entries. */
static size_t add_cliques(const NetWork *w, const NetSubstructure *s, int *columns, int *rows,
                          const Cholesky *values)
{
    const Net *net = w->net;
    int count = net_ranks(net)->count;
    SchurHalf h = {columns, rows, values, 0, 0};
    memset(s->met, 0, ((size_t)s->order + 1) * sizeof *s->met);
    for (int r = 0; r < count; r++)
        memcpy(s->next + (size_t)r * NET_BLOCK, s->cliques[r].begin, NET_BLOCK * sizeof *s->next);
    for (uint32_t j = 0; j < s->order; j++) {
        uint32_t g = s->group[j % net->block];
        h.begin = h.n;
        if (columns)
            columns[j] = (int)h.begin;
        for (int r = 0; r < count; r++) {
            const Clique *q = &s->cliques[r];
            uint32_t *at = &s->next[(size_t)r * NET_BLOCK + g], end = q->begin[g + 1];
            if (*at == end || q->numbers[*at] != j)
                continue;
            add_clique_column(s, q, *at, end, &h);
            ++*at;
        }
    }
    if (columns)
        columns[s->order] = (int)h.n;
    return h.n;
}

/* the pattern of S and its analysis; false: no memory */
static bool analyse_schur(NetWork *w, NetSubstructure *s)
{
    s->next = net_get(&w->pool, (size_t)net_ranks(w->net)->count * NET_BLOCK, sizeof *s->next);
    s->met = net_get(&w->pool, (size_t)s->order + 1, sizeof *s->met);
    if (!s->next || !s->met)
        return false;
    size_t entries = add_cliques(w, s, NULL, NULL, NULL);
    cholmod_sparse *lower = NULL;
    if (entries < INT32_MAX)
        lower = cholmod_allocate_sparse(s->order, s->order, entries, 0, 1, -1, CHOLMOD_PATTERN,
                                        &s->common);
    bool ok = lower;
    if (ok) {
        add_cliques(w, s, lower->p, lower->i, NULL);
        ok = cholesky_analyse(&s->schur, lower, NULL, &s->common, w->pool.alloc);
    }
    cholmod_free_sparse(&lower, &s->common);
    return ok;
}

/* ------------------------------------------------------------------ analysis and factors */

static void forget_factors(NetSubstructure *s)
{
    cholesky_drop(&s->matrix, &s->common);
    cholesky_drop(&s->schur, &s->common);
}

/* once: the library's own state and arrays by cell */
static NetSubstructure *begin_parts(NetWork *w)
{
    const Net *net = w->net;
    NetSubstructure *s = w->substructure;
    if (s)
        return s;
    s = w->substructure = net_get(&w->pool, 1, sizeof *s);
    if (!s)
        return NULL;
    s->begun = cholesky_begin(&s->common);
    s->place = net_get(&w->pool, net->ncell + 1, sizeof(uint32_t));
    s->ring = net_get(&w->pool, net_order(net) + 1, sizeof(uint32_t));
    s->number = net_get(&w->pool, net->ncell + 1, sizeof(double));
    s->work = net_get(&w->pool, net_order(net) + 1, sizeof(double));
    return s;
}

bool substructure_analyse(NetWork *w, double *entries, double *flops)
{
    const Net *net = w->net;
    NetSubstructure *s = begin_parts(w);
    bool ok = s && s->begun && s->place && s->ring && s->number && s->work;
    double took[4] = {0};
    if (net_any(net, !ok))
        return false;
    if (!s->matrix.factor || s->couples != w->couples) {
        forget_factors(s);
        s->couples = w->couples;
        find_groups(w, s);
        find_interface(w, s);
        number_interface(w, s);
        ok = place_unknowns(w, s) && make_matrix(w, s);
        if (net_any(net, !ok) || !collect_cliques(w, s))
            return false;
        took[0] = s->matrix.entries;
        took[1] = s->matrix.flops;
        if (net_ranks(net)->rank == 0) {
            ok = analyse_schur(w, s);
            took[2] = s->schur.entries;
            took[3] = s->schur.flops;
        }
        if (net_any(net, !ok))
            return false;
        net_greatest(net, took, 4); /* all wait for the slowest, then for rank 0 */
        s->entries = took[0] + took[2];
        s->flops = took[1] + took[3];
    }
    *entries = s->entries;
    *flops = s->flops;
    return true;
}

/* subtracts L21 L21^T from the triangles, column by column of the inner unknowns */
static void take_inner_off(NetSubstructure *s)
{
    const cholmod_factor *factor = s->matrix.factor;
    const int *p = factor->p, *nz = factor->nz, *rows = factor->i;
    const double *L = factor->x;
    for (uint32_t j = 0; j < s->ninner; j++) {
        int e = p[j], end = p[j] + nz[j];
        while (e < end && rows[e] < (int)s->ninner)
            e++;
        for (; e < end; e++) { /* rows ascend, and are all of the same group */
            uint32_t low = (uint32_t)rows[e] - s->ninner;
            double *to = s->own.values + triangle_place(s, &s->own, low, low);
            double x = L[e];
            for (int h = e; h < end; h++)
                to[(uint32_t)rows[h] - s->ninner - low] -= x * L[h];
        }
    }
}

bool substructure_factorise(NetWork *w, double lift)
{
    const Net *net = w->net;
    NetSubstructure *s = w->substructure;
    const LiederRanks *ranks = net_ranks(net);
    size_t bad;
    memset(s->own.values, 0, s->own.nvalue * sizeof(double));
    memcpy(s->ends, s->columns, (s->n + 1) * sizeof *s->ends);
    fill_all(&(Filling){.w = w, .s = s, .columns = s->ends, .values = &s->matrix, .lift = lift});
    bool ok = cholesky_factor(&s->matrix, &bad, &s->common);
    if (net_any(net, !ok))
        return false;
    take_inner_off(s);
    for (int r = 1; r < ranks->count; r++)
        if (ranks->rank == r || ranks->rank == 0) {
            Clique *q = ranks->rank ? &s->own : &s->cliques[r];
            ranks->collect(ranks->user, r, q->values, q->nvalue * sizeof(double));
        }
    if (ranks->rank == 0) {
        add_cliques(w, s, NULL, NULL, &s->schur);
        ok = cholesky_factor(&s->schur, &bad, &s->common);
    }
    return !net_any(net, !ok);
}

/* ------------------------------------------------------------------ solution */

/* the parts of the interface to rank 0, or its solution back to all */
static void pass_vectors(const NetWork *w, NetSubstructure *s, bool back)
{
    const Net *net = w->net;
    const LiederRanks *ranks = net_ranks(net);
    size_t n = 0;
    for (int r = ranks->rank ? 0 : 1; r < (ranks->rank ? 1 : ranks->count); r++) {
        Clique *q = ranks->rank ? &s->own : &s->cliques[r];
        bool sends = back == (ranks->rank == 0);
        s->letters[n++] = (LiederLetter){.rank = r,
                                         .sent = sends ? q->vector : NULL,
                                         .nsent = sends ? q->n * sizeof(double) : 0,
                                         .received = sends ? NULL : q->vector,
                                         .nreceived = sends ? 0 : q->n * sizeof(double)};
    }
    ranks->exchange(ranks->user, s->letters, n);
}

/* S u2 = the sum of what the ranks have sent, in their order; rank 0 */
static bool solve_schur(const NetWork *w, NetSubstructure *s)
{
    const Net *net = w->net;
    double *right = s->schur.right->x;
    int count = net_ranks(net)->count;
    memset(right, 0, s->order * sizeof(double));
    for (int r = 0; r < count; r++)
        for (uint32_t i = 0; i < s->cliques[r].n; i++)
            right[s->cliques[r].numbers[i]] += s->cliques[r].vector[i];
    const double *found = cholesky_solve(&s->schur, right, &s->common);
    for (int r = 0; r < count; r++)
        for (uint32_t i = 0; i < s->cliques[r].n; i++)
            s->cliques[r].vector[i] = found ? found[s->cliques[r].numbers[i]] : NAN;
    return found;
}

void substructure_solve(NetWork *w, const double *r, double *z)
{
    const Net *net = w->net;
    NetSubstructure *s = w->substructure;
    const cholmod_factor *factor = s->matrix.factor;
    const int *p = factor->p, *nz = factor->nz, *rows = factor->i, *order = factor->Perm;
    const double *L = factor->x;
    double *y = s->work, *ring = s->own.vector;
    uint32_t k = net->block;
    /* right-hand sides: of inner cells in the order of cells, of own ones at the interface */
    memset(ring, 0, s->own.n * sizeof(double));
    for (uint32_t c = 0; c < net->ncell; c++)
        for (uint32_t i = 0; i < k && net_is_own(net, c); i++)
            if (s->place[c] != NOWHERE)
                z[s->place[c] + i] = r[c * k + i];
            else
                ring[s->ring[c * k + i]] = r[c * k + i];
    for (uint32_t j = 0; j < s->ninner; j++)
        y[j] = z[order[j]];
    for (uint32_t j = 0; j < s->ninner; j++) {
        double x = y[j] /= L[p[j]];
        int e = p[j] + 1, end = p[j] + nz[j];
        for (; e < end && rows[e] < (int)s->ninner; e++)
            y[rows[e]] -= L[e] * x;
        for (; e < end; e++)
            ring[rows[e] - (int)s->ninner] -= L[e] * x;
    }
    pass_vectors(w, s, false);
    if (net_ranks(net)->rank == 0) {
        s->cliques[0].vector = ring;
        solve_schur(w, s);
    }
    pass_vectors(w, s, true);
    for (uint32_t j = s->ninner; j-- > 0;) {
        double sum = y[j];
        int e = p[j] + 1, end = p[j] + nz[j];
        for (; e < end && rows[e] < (int)s->ninner; e++)
            sum -= L[e] * y[rows[e]];
        for (; e < end; e++)
            sum -= L[e] * ring[rows[e] - (int)s->ninner];
        y[j] = sum / L[p[j]];
    }
    /* back by cell; what is in the order of the factor goes through the place of the right-hand
     * side */
    double *inner = w->scaled;
    for (uint32_t j = 0; j < s->ninner; j++)
        inner[order[j]] = y[j];
    for (uint32_t c = 0; c < net->ncell; c++)
        for (uint32_t i = 0; i < k && net_is_own(net, c); i++)
            z[c * k + i] =
                s->place[c] != NOWHERE ? inner[s->place[c] + i] : ring[s->ring[c * k + i]];
    net_fetch(net, z, k);
}

void substructure_drop(NetWork *w)
{
    NetSubstructure *s = w->substructure;
    if (!s || !s->begun)
        return;
    forget_factors(s);
    cholmod_finish(&s->common);
}
