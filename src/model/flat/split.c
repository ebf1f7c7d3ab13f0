/* split.c - see split.h.
 *
 * Components become vertices of a graph by their classes alone: a leaf between two ports is a tie,
 * a root is ground, and so is a link without states that hangs on ground; the rest are parts. Parts
 * that share a node which is no ground are one cell. Cells are cut by METIS where that makes fewer
 * ties between ranks than ranges of cells in the order of their declaration, which keep neighbours
 * in memory near each other; METIS is loaded when it is first called; without it the ranges are
 * taken. Rank 0 alone calls it, because it needs as much memory as all the rest here, and sends its
 * cut to the others.
 */
#include "model/flat/split.h"

#include <string.h>

#include "base/delayed.h"

/* cells for each rank below which a net is not worth cutting; components of the largest cell */
enum { MIN_CELLS = 48, LARGEST_CELL = 64 };

typedef enum Kind { KIND_PART, KIND_TIE, KIND_GROUND, KIND_RIGID, KIND_ENVIRONMENT } Kind;

/* the elements of a declaration */
typedef struct Row {
    Kind kind;
    uint32_t first, n, first_port, nport;
    const LiederClass *class_;
} Row;

typedef struct Splitter {
    const LiederAllocator *alloc;
    const LiederModel *model;
    const LiederRanks *ranks;
    VEC(Row) rows; /* by declaration */
    uint32_t nelement, nport, ncell;
    IndexVec node;         /* by port: union-find */
    IndexVec at;           /* by node: an element of the cell there, or NOWHERE */
    IndexVec cell;         /* by element: union-find, then the number of its cell; or NOWHERE */
    IndexVec ends;         /* by tie: cells of both ends; NOWHERE: ground */
    IndexVec weight;       /* by cell */
    VEC(uint8_t) ground;   /* by node */
    VEC(uint8_t) fixed;    /* by element: it is a root or a rigid link on the ground */
    VEC(uint16_t) part;    /* by cell: 1 + rank */
    VEC(uint8_t) halo;     /* by cell */
    VEC(uint16_t) reached; /* by node of the ground: the first rank whose cells hang there */
    VEC(uint8_t) held;     /* by node of the ground: some component of this rank hangs there */
    bool changed;          /* one of the two, in the round at hand */
} Splitter;

/* frees the work lists */
static void splitter_drop(Splitter *s)
{
    vec_drop(s->alloc, &s->rows);
    vec_drop(s->alloc, &s->node);
    vec_drop(s->alloc, &s->at);
    vec_drop(s->alloc, &s->cell);
    vec_drop(s->alloc, &s->ends);
    vec_drop(s->alloc, &s->weight);
    vec_drop(s->alloc, &s->ground);
    vec_drop(s->alloc, &s->fixed);
    vec_drop(s->alloc, &s->part);
    vec_drop(s->alloc, &s->halo);
    vec_drop(s->alloc, &s->reached);
    vec_drop(s->alloc, &s->held);
}

static uint32_t find(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

static void join_sets(uint32_t *parent, uint32_t a, uint32_t b)
{
    a = find(parent, a);
    b = find(parent, b);
    parent[a > b ? a : b] = a > b ? b : a;
}

/* ------------------------------------------------------------------ components */

/* whether a switch decides about a state: the numbers of switches are not known to all ranks */
static bool has_optional_state(const LiederClassDef *def)
{
    for (int m = 0; m < def->nmember; m++)
        if (def->members[m].kind == LIEDER_STATE && def->members[m].only_if)
            return true;
    return false;
}

/* what net_suits demands of a shape, as far as a class shows it; the rest is examined when there
 * are shapes */
static bool suits(const LiederClass *class_)
{
    const LiederClassDef *def = class_->def;
    const LiederKernels *k = def ? class_any_kernels(class_) : NULL;
    if (!def || class_->is_environment)
        return def;
    for (int p = 0; p < def->nport; p++)
        if (port_is_network(&def->ports[p]))
            return false;
    return k && !k->iterate.run && !class_has_member(def, LIEDER_CROSSING) &&
           !class_has_member(def, LIEDER_MEMORY) && !class_has_member(def, LIEDER_TIMER) &&
           !class_has_member(def, LIEDER_HISTORY) && !class_has_member(def, LIEDER_REQUEST) &&
           !has_optional_state(def);
}

static Kind kind_of(const LiederClass *class_)
{
    const LiederClassDef *def = class_->def;
    int in = class_physical_in(def), out = class_physical_out(def);
    bool rests = !class_has_member(def, LIEDER_STATE) && class_any_kernels(class_)->nunknown == 0;
    if (in == 0 && out > 0)
        return KIND_GROUND;
    if (in == 2 && out == 0 && def->nport == 2 && rests)
        return KIND_TIE;
    return in > 0 && out > 0 && rests ? KIND_RIGID : KIND_PART;
}

/* false: the model has something that cannot be cut (*status done), or no memory */
static bool list_rows(Splitter *s, LiederStatus *status)
{
    uint64_t nelement = 0, nport = 0;
    for (size_t d = 0; d < s->model->declarations.n; d++) {
        const Declaration *decl = &s->model->declarations.items[d];
        if (!suits(decl->class_) || decl->spare)
            return false;
        Row row = {.kind = decl->class_->is_environment ? KIND_ENVIRONMENT : kind_of(decl->class_),
                   .first = (uint32_t)nelement,
                   .n = (uint32_t)decl->n,
                   .first_port = (uint32_t)nport,
                   .nport = (uint32_t)decl->class_->def->nport,
                   .class_ = decl->class_};
        nelement += decl->n;
        nport += decl->n * row.nport;
        if (decl->n >= NOWHERE || nelement >= NOWHERE || nport >= NOWHERE)
            return false;
        if (!vec_push(s->alloc, &s->rows, row)) {
            *status = LIEDER_NO_MEMORY;
            return false;
        }
    }
    s->nelement = (uint32_t)nelement;
    s->nport = (uint32_t)nport;
    return nelement > 0;
}

/* ------------------------------------------------------------------ nodes */

/* NOWHERE: no port of a component, which flatten will report */
static uint32_t port_of(const Splitter *s, const PortPath *path)
{
    if (path->port < 0)
        return NOWHERE;
    const Row *row = &s->rows.items[path->declaration];
    return row->first_port + path->element * row->nport + (uint32_t)path->port;
}

/* nodes by ports; false: a connection names no port of a component */
static bool join_nodes(Splitter *s)
{
    for (uint32_t p = 0; p < s->nport; p++)
        s->node.items[p] = p;
    ConnectionCursor cursor = {0};
    PortPath end_a, end_b;
    while (connection_next(s->model, &cursor, &end_a, &end_b)) {
        uint32_t a = port_of(s, &end_a), b = port_of(s, &end_b);
        if (a == NOWHERE || b == NOWHERE)
            return false;
        join_sets(s->node.items, a, b);
    }
    for (uint32_t p = 0; p < s->nport; p++)
        s->node.items[p] = find(s->node.items, p);
    return true;
}

/* visits an element; `node` has the nodes of its ports */
typedef void RowVisitor(Splitter *s, const Row *row, uint32_t element, const uint32_t *node);

static void visit(Splitter *s, RowVisitor *what)
{
    for (size_t d = 0; d < s->rows.n; d++) {
        const Row *row = &s->rows.items[d];
        for (uint32_t i = 0; i < row->n && row->kind != KIND_ENVIRONMENT; i++)
            what(s, row, row->first + i, s->node.items + row->first_port + i * row->nport);
    }
}

/* roots, and rigid links that hang on ground */
static void mark_ground(Splitter *s, const Row *row, uint32_t element, const uint32_t *node)
{
    bool fixed = row->kind == KIND_GROUND;
    for (uint32_t p = 0; p < row->nport && row->kind == KIND_RIGID; p++)
        fixed |= s->ground.items[node[p]];
    for (uint32_t p = 0; p < row->nport && fixed; p++)
        s->ground.items[node[p]] = 1;
    s->fixed.items[element] = fixed;
}

/* parts that share a node which is no ground are one cell */
static void join_cells(Splitter *s, const Row *row, uint32_t element, const uint32_t *node)
{
    if (row->kind == KIND_TIE || s->fixed.items[element])
        return;
    for (uint32_t p = 0; p < row->nport; p++) {
        uint32_t *at = &s->at.items[node[p]];
        if (s->ground.items[node[p]])
            continue;
        if (*at == NOWHERE)
            *at = element;
        else
            join_sets(s->cell.items, *at, element);
    }
}

/* whether connections hold all components together, environments apart */
static bool is_one_subsystem(Splitter *s)
{
    for (uint32_t i = 0; i < s->nelement; i++)
        s->cell.items[i] = i;
    memset(s->at.items, 0xff, s->nport * sizeof(uint32_t));
    for (size_t d = 0; d < s->rows.n; d++) {
        const Row *row = &s->rows.items[d];
        for (uint32_t i = 0; i < row->n * row->nport; i++) {
            uint32_t *at = &s->at.items[s->node.items[row->first_port + i]];
            if (*at == NOWHERE)
                *at = row->first + i / row->nport;
            else
                join_sets(s->cell.items, *at, row->first + i / row->nport);
        }
    }
    uint32_t first = NOWHERE;
    for (size_t d = 0; d < s->rows.n; d++) {
        const Row *row = &s->rows.items[d];
        for (uint32_t i = 0; i < row->n && row->kind != KIND_ENVIRONMENT; i++) {
            uint32_t root = find(s->cell.items, row->first + i);
            first = first == NOWHERE ? root : first;
            if (root != first)
                return false;
        }
    }
    return first != NOWHERE;
}

/* ------------------------------------------------------------------ cells and ties */

/* roots of the union-find are the first elements of their cells, and are met first */
static void number_cells(Splitter *s, const Row *row, uint32_t element, const uint32_t *node)
{
    (void)node;
    if (row->kind == KIND_TIE || s->fixed.items[element]) {
        s->cell.items[element] = NOWHERE;
        return;
    }
    uint32_t root = s->cell.items[element];
    uint32_t number = root == element ? s->ncell++ : s->cell.items[root];
    s->cell.items[element] = number;
    s->weight.items[number]++;
}

static void count_cell(Splitter *s, const Row *row, uint32_t element, const uint32_t *node)
{
    (void)node;
    s->ncell +=
        row->kind != KIND_TIE && !s->fixed.items[element] && s->cell.items[element] == element;
}

static uint32_t cell_at(const Splitter *s, uint32_t node)
{
    uint32_t element = s->ground.items[node] ? NOWHERE : s->at.items[node];
    return element == NOWHERE ? NOWHERE : s->cell.items[element];
}

/* ties one after the other as they are met */
static void list_tie(Splitter *s, const Row *row, uint32_t element, const uint32_t *node)
{
    (void)element;
    for (uint32_t p = 0; p < 2 && row->kind == KIND_TIE; p++)
        s->ends.items[s->ends.n++] = cell_at(s, node[p]);
}

/* ground, cells and ties; false: cells are too large or too few to be cut */
static bool find_cells(Splitter *s, LiederStatus *status)
{
    uint32_t nground;
    do { /* rigid links hang on each other, a few of them */
        nground = 0;
        for (uint32_t p = 0; p < s->nport; p++)
            nground += s->ground.items[p];
        visit(s, mark_ground);
        for (uint32_t p = 0; p < s->nport; p++)
            nground -= s->ground.items[p];
    } while (nground);
    memset(s->at.items, 0xff, s->nport * sizeof(uint32_t));
    for (uint32_t i = 0; i < s->nelement; i++)
        s->cell.items[i] = i;
    visit(s, join_cells);
    for (uint32_t i = 0; i < s->nelement; i++)
        s->cell.items[i] = find(s->cell.items, i);
    *status = LIEDER_NO_MEMORY;
    visit(s, count_cell);
    if (!vec_resize(s->alloc, &s->weight, s->ncell + 1))
        return false;
    s->ncell = 0;
    visit(s, number_cells);
    uint64_t nend = 0;
    for (size_t d = 0; d < s->rows.n; d++)
        nend += s->rows.items[d].kind == KIND_TIE ? 2 * (uint64_t)s->rows.items[d].n : 0;
    if (!vec_reserve(s->alloc, &s->ends, nend + 1))
        return false;
    visit(s, list_tie);
    *status = LIEDER_DONE;
    for (uint32_t c = 0; c < s->ncell; c++)
        if (s->weight.items[c] > LARGEST_CELL)
            return false;
    return s->ncell >= (uint64_t)MIN_CELLS * (uint64_t)s->ranks->count;
}

/* ------------------------------------------------------------------ cuts */

/* ties between different ranks */
static size_t count_cut(const Splitter *s, const uint16_t *part)
{
    size_t n = 0;
    for (size_t t = 0; t < s->ends.n; t += 2) {
        uint32_t a = s->ends.items[t], b = s->ends.items[t + 1];
        n += a != NOWHERE && b != NOWHERE && part[a] != part[b];
    }
    return n;
}

/* ranges of equal weight in the order of declaration */
static void cut_ranges(Splitter *s)
{
    uint64_t all = 0, before = 0, count = (uint64_t)s->ranks->count;
    for (uint32_t c = 0; c < s->ncell; c++)
        all += s->weight.items[c];
    for (uint32_t c = 0; c < s->ncell; c++) {
        s->part.items[c] = (uint16_t)(1 + (2 * before + s->weight.items[c]) * count / (2 * all));
        before += s->weight.items[c];
    }
}

/* neighbours of each cell as METIS takes them */
static bool list_neighbours(const Splitter *s, IndexVec *first, IndexVec *other)
{
    size_t n = s->ncell;
    if (!vec_resize(s->alloc, first, n + 2) || !vec_resize(s->alloc, other, s->ends.n + 1))
        return false;
    for (size_t t = 0; t < s->ends.n; t++)
        if (s->ends.items[t] != NOWHERE && s->ends.items[t ^ 1] != NOWHERE &&
            s->ends.items[t] != s->ends.items[t ^ 1])
            first->items[s->ends.items[t] + 2]++;
    for (size_t c = 0; c < n; c++)
        first->items[c + 2] += first->items[c + 1];
    for (size_t t = 0; t < s->ends.n; t++)
        if (s->ends.items[t] != NOWHERE && s->ends.items[t ^ 1] != NOWHERE &&
            s->ends.items[t] != s->ends.items[t ^ 1])
            other->items[first->items[s->ends.items[t] + 1]++] = s->ends.items[t ^ 1];
    return true;
}

/* METIS_PartGraphKway with 32-bit numbers, as Debian has it; 1: METIS_OK */
typedef int Partition(int32_t *n, int32_t *conditions, int32_t *first, int32_t *other,
                      int32_t *weights, int32_t *sizes, int32_t *edges, int32_t *parts,
                      float *shares, float *unbalance, int32_t *options, int32_t *cut,
                      int32_t *part);

/* takes the cut of METIS if it is better; false: no memory */
static bool cut_by_metis(Splitter *s)
{
    Partition *partition = (Partition *)delayed_function("libmetis.so.5", "METIS_PartGraphKway");
    IndexVec first = {0}, other = {0}, part = {0};
    VEC(uint16_t) found = {0};
    int32_t n = (int32_t)s->ncell, one = 1, count = s->ranks->count, cut;
    if (!partition || s->ends.n >= INT32_MAX || s->ncell >= INT32_MAX)
        return true;
    bool ok = list_neighbours(s, &first, &other) && vec_resize(s->alloc, &part, s->ncell) &&
              vec_resize(s->alloc, &found, s->ncell);
    bool cuts = ok && partition(&n, &one, (int32_t *)first.items, (int32_t *)other.items,
                                (int32_t *)s->weight.items, NULL, NULL, &count, NULL, NULL, NULL,
                                &cut, (int32_t *)part.items) == 1;
    for (uint32_t c = 0; c < s->ncell && cuts; c++)
        found.items[c] = (uint16_t)(1 + part.items[c]);
    if (cuts && 10 * count_cut(s, found.items) < 9 * count_cut(s, s->part.items))
        memcpy(s->part.items, found.items, s->ncell * sizeof(uint16_t));
    vec_drop(s->alloc, &first);
    vec_drop(s->alloc, &other);
    vec_drop(s->alloc, &part);
    vec_drop(s->alloc, &found);
    return ok;
}

/* the cut of the first rank becomes that of all; false: no memory on some rank */
static bool share_cut(Splitter *s)
{
    const LiederRanks *r = s->ranks;
    size_t n = r->rank ? 1 : (size_t)r->count - 1, bytes = s->ncell * sizeof(uint16_t);
    LiederLetter *letters = memory_zeroed(s->alloc, n * sizeof *letters);
    double bad = !letters || (r->rank == 0 && !cut_by_metis(s));
    r->combine(r->user, LIEDER_GREATEST, &bad, 1);
    for (size_t i = 0; i < n && bad == 0; i++)
        letters[i] =
            r->rank ? (LiederLetter){.rank = 0, .received = s->part.items, .nreceived = bytes}
                    : (LiederLetter){.rank = (int)i + 1, .sent = s->part.items, .nsent = bytes};
    if (bad == 0)
        r->exchange(r->user, letters, n);
    memory_free(s->alloc, letters, n * sizeof *letters);
    return bad == 0;
}

/* ------------------------------------------------------------------ what this rank holds */

static uint16_t me(const Splitter *s)
{
    return (uint16_t)(1 + s->ranks->rank);
}

static void find_halo(Splitter *s)
{
    for (size_t t = 0; t < s->ends.n; t++) {
        uint32_t a = s->ends.items[t], b = s->ends.items[t ^ 1];
        if (a != NOWHERE && b != NOWHERE && s->part.items[a] == me(s) && s->part.items[b] != me(s))
            s->halo.items[b] = 1;
    }
}

/* the owner of a component that is no ground; *held: is it held here */
static uint16_t owner_of(const Splitter *s, const Row *row, uint32_t element, const uint32_t *node,
                         bool *held)
{
    if (row->kind != KIND_TIE) {
        uint32_t c = s->cell.items[element];
        *held = s->part.items[c] == me(s) || s->halo.items[c];
        return s->part.items[c];
    }
    uint32_t a = cell_at(s, node[0]), b = cell_at(s, node[1]);
    uint16_t pa = a == NOWHERE ? 0 : s->part.items[a], pb = b == NOWHERE ? 0 : s->part.items[b];
    *held = pa == me(s) || pb == me(s) || (!pa && !pb && me(s) == 1);
    return pa ? pa : pb ? pb : 1;
}

/* for each node of the ground: the first rank, and whether this rank, has components there */
static void reach_parts(Splitter *s, const Row *row, uint32_t element, const uint32_t *node)
{
    bool held;
    if (s->fixed.items[element])
        return;
    uint16_t owner = owner_of(s, row, element, node, &held);
    for (uint32_t p = 0; p < row->nport; p++) {
        uint16_t *first = &s->reached.items[node[p]];
        s->held.items[node[p]] |= held;
        *first = !*first || owner < *first ? owner : *first;
    }
}

/* passes both on through links of the ground, towards the roots */
static void reach_on(Splitter *s, const Row *row, uint32_t element, const uint32_t *node)
{
    uint16_t owner = 0;
    bool held = false;
    for (uint32_t p = 0; p < row->nport && s->fixed.items[element]; p++) {
        uint16_t there = s->reached.items[node[p]];
        owner = !owner || (there && there < owner) ? there : owner;
        held |= s->held.items[node[p]];
    }
    for (uint32_t p = 0; p < row->nport && s->fixed.items[element]; p++) {
        s->changed |= s->reached.items[node[p]] != owner || s->held.items[node[p]] != held;
        s->reached.items[node[p]] = owner;
        s->held.items[node[p]] = held;
    }
}

/* appends an instance that is held; false: no memory */
static bool hold(const Splitter *s, HeldRuns *to, uint32_t instance, uint16_t owner)
{
    HeldRun *last = to->n ? &to->items[to->n - 1] : NULL;
    if (last && last->owner == owner && last->first + last->n == instance) {
        last->n++;
        return true;
    }
    HeldRun run = {instance, 1, last ? last->before + last->n : 0, owner};
    return vec_push(s->alloc, to, run); /* which may move the last one */
}

/* what this rank holds: its cells, their ties, neighbours, and the ground that these hang on;
 * false: no memory */
static bool find_owners(Splitter *s, Split *split)
{
    const LiederAllocator *alloc = s->alloc;
    if (!vec_resize(alloc, &s->reached, s->nport) || !vec_resize(alloc, &s->held, s->nport))
        return false;
    visit(s, reach_parts);
    do {
        s->changed = false;
        visit(s, reach_on);
    } while (s->changed);
    for (size_t d = 0; d < s->rows.n; d++) {
        const Row *row = &s->rows.items[d];
        for (uint32_t i = 0; i < row->n; i++) {
            const uint32_t *node = s->node.items + row->first_port + i * row->nport;
            uint32_t element = row->first + i;
            bool held = true;
            uint16_t owner = 0;
            if (row->kind != KIND_ENVIRONMENT && s->fixed.items[element]) {
                owner = s->reached.items[node[0]];
                held = s->held.items[node[0]];
            } else if (row->kind != KIND_ENVIRONMENT) {
                owner = owner_of(s, row, element, node, &held);
            }
            if (held && !hold(s, &split->held, element, owner))
                return false;
        }
    }
    for (uint32_t c = 0; c < s->ncell; c++) {
        split->ncell += s->part.items[c] == me(s);
        split->nhalo += s->halo.items[c];
    }
    return true;
}

/* ------------------------------------------------------------------ all of it */

static bool make_room(Splitter *s)
{
    const LiederAllocator *alloc = s->alloc;
    return vec_resize(alloc, &s->node, s->nport + 1) && vec_resize(alloc, &s->at, s->nport + 1) &&
           vec_resize(alloc, &s->cell, s->nelement) &&
           vec_resize(alloc, &s->ground, s->nport + 1) && vec_resize(alloc, &s->fixed, s->nelement);
}

LiederStatus split_find(Split *split, const LiederModel *model, const LiederRanks *ranks)
{
    *split = (Split){0};
    if (!model || !ranks || ranks->count < 2 || ranks->count > MAX_SPLIT || !ranks->exchange)
        return LIEDER_DONE;
    Splitter s = {.alloc = &model->session->alloc, .model = model, .ranks = ranks};
    LiederStatus status = LIEDER_DONE;
    bool cut = list_rows(&s, &status);
    if (cut && !make_room(&s))
        status = LIEDER_NO_MEMORY;
    cut = cut && status == LIEDER_DONE && join_nodes(&s) && is_one_subsystem(&s) &&
          find_cells(&s, &status);
    if (cut) {
        status = LIEDER_NO_MEMORY;
        if (vec_resize(s.alloc, &s.part, s.ncell) && vec_resize(s.alloc, &s.halo, s.ncell)) {
            cut_ranges(&s);
            if (share_cut(&s))
                status = LIEDER_DONE;
        }
    }
    if (cut && status == LIEDER_DONE) {
        find_halo(&s);
        status = find_owners(&s, split) ? LIEDER_DONE : LIEDER_NO_MEMORY;
    }
    splitter_drop(&s);
    split->cut = cut && status == LIEDER_DONE;
    return status;
}

void split_drop(Split *split, const LiederAllocator *alloc)
{
    vec_drop(alloc, &split->held);
    *split = (Split){0};
}
