/* restart.c - the state of a run in a file.
 *
 *   Header      see below: what the model, the solver and its grid of steps were
 *   states, choices, Crossing of each choice (crossing.c), memory (model/system/held.c)
 *   histories   head, segments and jumps of each (history.c)
 *   checksum    of all bytes before it
 *
 * States, choices and memory stand shape by shape, a row of all lanes for each: the same file for
 * any number of ranks, which send their lanes to the first one. To go on, each rank reads the file
 * and keeps its own lanes. States of a net stand in the order of declaration, since ranks that
 * share a net number its components in other orders.
 *
 * Numbers are in the machine's own byte order: a restart must give the same bits, so they are not
 * converted, and a file from another kind of machine is refused. The fingerprint covers classes,
 * connections and names, not parameters: a run may go on with a changed parameter. The
 * file is written beside and renamed (base/file.h), so that there is always a whole one. A checksum
 * detects damage, not malice: every number of the file is checked before it is used.
 */
#include "solve/run/restart.h"
#include "base/file.h"
#include "solve/run/ranks.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { STATE_VERSION = 7, ENDIAN = 0x01020304 };
static const char MAGIC[8] = "LIEDERST";

typedef struct Header {
    char magic[8];
    uint32_t version, endian;
    uint64_t fingerprint;
    uint64_t solver, counter;
    double t, origin, step, wanted;
    uint64_t nstate, nchoice, nmemory;
} Header;

enum { STATE_NAME = 600 };

/* the name of a state of the first lane of a batch, whichever rank owns that */
static void name_state(const LiederSystem *system, const Batch *batch, const StateRef *ref,
                       char *name)
{
    flat_path(&system->flat, batch->sheet, batch->instances[ref->component], 0, name, 512);
    size_t n = strlen(name);
    snprintf(name + n, STATE_NAME - n, "%s%s", n ? "." : "", ref->member->name);
}

/* the sum over all ranks of 64 bit numbers, modulo 2^64; `here` where ranks share no net */
static uint64_t sum_of_ranks(const LiederSystem *system, uint64_t here)
{
    uint64_t sum = 0;
    for (int i = 0; i < 4; i++) /* exact in any order */
        sum += (uint64_t)ranks_sum(system, (here >> 16 * i) & 0xffff) << 16 * i;
    return system->cut ? sum : here;
}

/* Of a net: classes and names of its own components, in any order, and the connections of the
 * model, which all ranks have. */
static uint64_t net_fingerprint(const LiederSystem *system, const Shape *shape)
{
    const LiederModel *model = system->flat.scopes.items[0].model;
    uint64_t sum = 0;
    char name[STATE_NAME];
    const Batch *batch = &shape->batches.items[0];
    for (size_t c = 0; c < shape->components.n; c++) {
        LiederElement e = {.sheet = batch->sheet, .instance = batch->instances[c]};
        if (shape->cut && !owns_element(system, &e))
            continue;
        const char *class_ = shape->components.items[c].class_->name;
        flat_path(&system->flat, e.sheet, e.instance, 0, name, sizeof name);
        sum += hash_bytes(hash_bytes(HASH_SEED, class_, strlen(class_) + 1), name, strlen(name));
    }
    unsigned long long hash = sum_of_ranks(system, sum);
    /* in any order, and however they were written down */
    ConnectionCursor cursor = {0};
    PortPath a, b;
    sum = 0;
    while (connection_next(model, &cursor, &a, &b)) {
        const int64_t ends[] = {a.declaration, a.element, a.port, b.declaration, b.element, b.port};
        sum += hash_bytes(HASH_SEED, ends, sizeof ends);
    }
    return hash_bytes(hash, &sum, sizeof sum);
}

/* a hash of classes, connections, names of states and numbers of lanes: which model a state file
 * belongs to */
static uint64_t fingerprint(const LiederSystem *system)
{
    unsigned long long hash = HASH_SEED;
    char name[STATE_NAME];
    for (size_t i = 0; i < system->nhome; i++) {
        const SystemShape *ss = &system->shapes.items[i];
        const Shape *shape = ss->shape;
        hash = hash_bytes(hash, &shape->all_lanes, sizeof shape->all_lanes);
        if (ss->plan.method == LIEDER_METHOD_NET) {
            uint64_t net = net_fingerprint(system, shape);
            hash = hash_bytes(hash, &net, sizeof net);
            continue;
        }
        for (size_t c = 0; c < shape->components.n; c++) {
            const Component *k = &shape->components.items[c];
            hash = hash_bytes(hash, k->class_->name, strlen(k->class_->name) + 1);
            hash = hash_bytes(hash, k->node, (size_t)k->class_->def->nport * sizeof *k->node);
        }
        for (size_t s = 0; s < shape->states.n; s++)
            for (size_t b = 0; b < shape->batches.n; b++) {
                name_state(system, &shape->batches.items[b], &shape->states.items[s], name);
                hash = hash_bytes(hash, name, strlen(name) + 1);
            }
    }
    return hash + structure_hash(system);
}

typedef enum RowKind { ROW_STATE, ROW_CHOICE, ROW_MEMORY } RowKind;

static size_t rows_of(const SystemShape *ss, RowKind kind)
{
    return kind == ROW_STATE    ? ss->shape->states.n
           : kind == ROW_CHOICE ? ss->held.crossings.n
                                : ss->held.memories.n;
}

/* numbers of a kind on all ranks */
static size_t all_rows(const LiederSystem *system, RowKind kind)
{
    size_t n = 0;
    if (system->cut)
        return kind == ROW_STATE ? system->cut_states : 0;
    for (size_t i = 0; i < system->nhome; i++)
        n += rows_of(&system->shapes.items[i], kind) * system->shapes.items[i].shape->all_lanes;
    return n;
}

/* ------------------------------------------------------------------ writing */

static bool put_bytes(FILE *f, unsigned long long *sum, const void *bytes, size_t n)
{
    *sum = hash_bytes(*sum, bytes, n);
    return n == 0 || fwrite(bytes, 1, n, f) == n;
}

/* an array with something of each state, choice or memory in the lanes of this rank */
typedef struct RestartRows {
    RowKind kind;
    size_t size; /* of one lane's, in bytes */
    void *own;
} RestartRows;

/* row r of a shape in the lanes of this rank */
static void *own_row(const SystemShape *ss, const RestartRows *rows, size_t r)
{
    size_t first = rows->kind == ROW_STATE    ? ss->first_state
                   : rows->kind == ROW_CHOICE ? ss->held.first_choice
                                              : ss->held.first_memory;
    return (char *)rows->own + (first + r * ss->shape->nlane) * rows->size;
}

/* n bytes of rank `from` into the file, through the first rank; f NULL: it cannot be written */
static bool put_piece(const LiederSystem *system, FILE *f, unsigned long long *sum, int from,
                      const void *own, size_t n)
{
    const LiederRanks *r = system->options.ranks;
    int rank = r ? r->rank : 0;
    char buffer[1 << 16];
    bool ok = true;
    if (rank == 0 && from == 0)
        return f && put_bytes(f, sum, own, n);
    for (size_t at = 0, piece; at < n; at += piece) {
        piece = n - at < sizeof buffer ? n - at : sizeof buffer;
        if (rank == from)
            r->collect(r->user, from, (char *)own + at, piece);
        else if (rank == 0) {
            r->collect(r->user, from, buffer, piece);
            ok = ok && f && put_bytes(f, sum, buffer, piece);
        }
    }
    return ok;
}

/* ------------------------------------------------------------------ nets */

/* a state of a net and where it stands in the order of declaration */
typedef struct NetState {
    uint32_t instance, state; /* of the shape */
} NetState;
typedef VEC(NetState) NetStates;

static int compare_net_states(const void *a, const void *b)
{
    const NetState *x = a, *y = b;
    if (x->instance != y->instance)
        return x->instance < y->instance ? -1 : 1;
    return x->state < y->state ? -1 : x->state > y->state;
}

/* all states of a net that are here, or its own only, in the order of declaration */
static bool list_net_states(const LiederSystem *system, const Shape *shape, bool own, NetStates *to)
{
    const Batch *batch = &shape->batches.items[0];
    if (!vec_reserve(SYSTEM_ALLOC(system), to, shape->states.n + 1))
        return false;
    for (size_t s = 0; s < shape->states.n; s++)
        if (!own || owns_state(system, shape, s))
            to->items[to->n++] =
                (NetState){batch->instances[shape->states.items[s].component], (uint32_t)s};
    qsort(to->items, to->n, sizeof *to->items, compare_net_states);
    return true;
}

/* number of states of a class; those of nets that are cut have no others (split.c) */
static size_t states_of(const LiederClass *class_)
{
    size_t n = 0;
    for (int m = 0; m < class_->def->nmember; m++)
        n += class_->def->members[m].kind == LIEDER_STATE;
    return n;
}

/* Places in the file of the states of a net that is cut, which are in the order of declaration.
 * Every rank knows the classes of all instances. */
static void find_places(const LiederSystem *system, const NetStates *states, uint64_t *places)
{
    const Sheet *sheet = &system->flat.sheets.items[0];
    uint64_t before = 0;
    size_t k = 0;
    for (uint32_t i = 0; i < sheet->ninstance && k < states->n; i++) {
        for (uint64_t within = 0; k < states->n && states->items[k].instance == i; k++)
            places[k] = before + within++;
        before += states_of(sheet_instance(sheet, i).class_);
    }
}

/* The states of all ranks into `all`, on the first of them. */
static bool gather_net(const LiederSystem *system, const Shape *shape, const double *x, double *all)
{
    const LiederRanks *r = system->options.ranks;
    const LiederAllocator *alloc = SYSTEM_ALLOC(system);
    NetStates states = {0};
    uint64_t *places = NULL;
    double *values = NULL;
    bool ok = list_net_states(system, shape, true, &states);
    size_t room = system->cut_states + 1;
    places = memory_resize(alloc, NULL, 0, room * sizeof *places);
    values = memory_resize(alloc, NULL, 0, room * sizeof *values);
    ok = ok && places && values;
    if (ok)
        find_places(system, &states, places);
    for (size_t k = 0; k < states.n && ok; k++)
        values[k] = x[states.items[k].state];
    for (size_t k = 0; k < states.n && ok && r->rank == 0; k++)
        all[places[k]] = values[k];
    for (int from = 1; from < r->count && ok; from++) {
        uint64_t n = states.n;
        if (r->rank != 0 && r->rank != from)
            continue;
        r->collect(r->user, from, &n, sizeof n);
        r->collect(r->user, from, places, n * sizeof *places);
        r->collect(r->user, from, values, n * sizeof *values);
        for (size_t k = 0; k < n && r->rank == 0; k++)
            all[places[k]] = values[k];
    }
    vec_drop(alloc, &states);
    memory_free(alloc, places, room * sizeof *places);
    memory_free(alloc, values, room * sizeof *values);
    return ok;
}

/* writes the states of a net that ranks share */
static bool put_cut_net(const LiederSystem *system, FILE *f, unsigned long long *sum,
                        const RestartRows *rows)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(system);
    bool first = system->options.ranks->rank == 0;
    size_t bytes = (first ? system->cut_states : 0) * sizeof(double) + 1;
    double *all = memory_resize(alloc, NULL, 0, bytes);
    bool ok = all && gather_net(system, system->shapes.items[0].shape, rows->own, all);
    ok = ok && (!first || (f && put_bytes(f, sum, all, bytes - 1)));
    memory_free(alloc, all, bytes);
    return ok;
}

/* The order of rows in the file: as they are, or as a net has its states. False: no memory. */
static bool order_rows(const LiederSystem *system, const SystemShape *ss, RowKind kind,
                       NetStates *order)
{
    order->n = 0;
    return kind != ROW_STATE || ss->plan.method != LIEDER_METHOD_NET ||
           list_net_states(system, ss->shape, false, order);
}

/* writes all rows of all shapes; every rank calls it */
static bool put_rows(const LiederSystem *system, FILE *f, unsigned long long *sum,
                     const RestartRows *rows)
{
    bool ok = true;
    NetStates order = {0};
    for (size_t i = 0; i < system->nhome; i++) {
        const SystemShape *ss = &system->shapes.items[i];
        size_t nrow = rows_of(ss, rows->kind), first, n;
        if (ss->shape->cut) {
            ok = (rows->kind != ROW_STATE || put_cut_net(system, f, sum, rows)) && ok;
            continue;
        }
        /* a shape that one rank owns is one piece */
        ok = order_rows(system, ss, rows->kind, &order) && ok;
        size_t block = (ss->shape->whole || rank_count(system) < 2) && !order.n ? nrow : 1;
        for (size_t r = 0; r < nrow; r += block)
            for (int rank = 0; rank < rank_count(system); rank++) {
                const void *own = own_row(ss, rows, order.n ? order.items[r].state : r);
                lanes_of_rank(system, ss->shape, rank, &first, &n);
                ok = put_piece(system, f, sum, rank, own, block * n * rows->size) && ok;
            }
    }
    vec_drop(SYSTEM_ALLOC(system), &order);
    return ok;
}

typedef struct StatePart {
    FILE *f;
    unsigned long long *sum;
} StatePart;

/* one history of rank `from`, its number i there */
static bool put_history(const LiederSystem *system, FILE *f, unsigned long long *sum, int from,
                        const Events *held, size_t i)
{
    const LiederRanks *r = system->options.ranks;
    int rank = r ? r->rank : 0;
    HistoryParts parts = {0};
    if (rank == from)
        parts = history_parts(held, i);
    if (from > 0 && (rank == 0 || rank == from)) /* which says how much follows */
        r->collect(r->user, from, &parts.head, sizeof parts.head);
    bool ok = rank != 0 || (f && put_bytes(f, sum, &parts.head, sizeof parts.head));
    ok = put_piece(system, f, sum, from, parts.segments, parts.head.n * sizeof *parts.segments) &&
         ok;
    return put_piece(system, f, sum, from, parts.jumps, parts.head.njump * sizeof(double)) && ok;
}

/* writes the histories of all ranks, by shape, member and lane; every rank calls it */
static bool put_histories(const LiederSystem *system, FILE *f, unsigned long long *sum,
                          const Events *held)
{
    bool ok = true;
    size_t own = 0, first, n;
    int rank = system->options.ranks ? system->options.ranks->rank : 0;
    for (size_t i = 0; i < system->nhome; i++)
        for (size_t k = 0; k < system->shapes.items[i].held.nhistory; k++)
            for (int from = 0; from < rank_count(system); from++) {
                lanes_of_rank(system, system->shapes.items[i].shape, from, &first, &n);
                for (size_t lane = 0; lane < n; lane++)
                    ok = put_history(system, f, sum, from, held, from == rank ? own++ : 0) && ok;
            }
    return ok;
}

/* reads the histories of a file and keeps those of this rank's lanes */
static bool get_histories(const LiederSystem *system, Events *held, HistoryGet *get, void *user)
{
    bool ok = true;
    size_t own = 0;
    for (size_t i = 0; i < system->nhome; i++) {
        const Shape *shape = system->shapes.items[i].shape;
        for (size_t k = 0; k < system->shapes.items[i].held.nhistory; k++)
            for (size_t lane = 0; lane < shape->all_lanes && ok; lane++) {
                bool ours = lane >= shape->first_lane && lane < shape->first_lane + shape->nlane;
                ok = history_read(held, ours ? own++ : SIZE_MAX, get, user);
            }
    }
    histories_attach(held, true);
    return ok;
}

/* writes everything behind one another, on the first rank (others: file NULL); 0 or an errno */
static int write_state(const LiederSystem *system, const NewFile *file, const Header *h,
                       const RestartRows rows[], size_t nrows, const Events *held)
{
    unsigned long long sum = HASH_SEED;
    FILE *f = file ? new_file_stream(file) : NULL;
    int error = file && !f ? errno : 0;
    errno = 0;
    bool ok = !f || put_bytes(f, &sum, h, sizeof *h);
    for (size_t i = 0; i < nrows; i++)
        ok = put_rows(system, f, &sum, &rows[i]) && ok;
    ok = put_histories(system, f, &sum, held) && ok;
    if (!f)
        return error;
    ok = ok && fwrite(&sum, sizeof sum, 1, f) == 1;
    error = ok ? 0 : errno ? errno : EIO;
    if (fclose(f) != 0 && !error)
        error = errno; // the last bytes may be the ones that find no room
    return error;
}

LiederStatus checkpoint_write(LiederSystem *system, const char *file, const Checkpoint *c,
                              const double *x, Events *held)
{
    Header h = {.version = STATE_VERSION,
                .endian = ENDIAN,
                .fingerprint = fingerprint(system),
                .solver = (uint64_t)c->solver,
                .counter = c->counter,
                .t = c->t,
                .origin = c->origin,
                .step = c->step,
                .wanted = c->wanted,
                .nstate = all_rows(system, ROW_STATE),
                .nchoice = all_rows(system, ROW_CHOICE),
                .nmemory = all_rows(system, ROW_MEMORY)};
    memcpy(h.magic, MAGIC, sizeof h.magic);
    const RestartRows rows[] = {{ROW_STATE, sizeof(double), (void *)x},
                                {ROW_CHOICE, sizeof(double), held->choices},
                                {ROW_CHOICE, sizeof *held->crossings, held->crossings},
                                {ROW_MEMORY, sizeof(double), held->memory}};
    size_t nrows = sizeof rows / sizeof *rows, before = system->session->diag.list.n;
    histories_attach(held, false); /* zeros in place of addresses */
    if (system->options.ranks && system->options.ranks->rank > 0) {
        write_state(system, NULL, &h, rows, nrows, held);
        histories_attach(held, true);
        return ranks_status(system, LIEDER_DONE, before);
    }
    NewFile f;
    char reason[FILE_REASON];
    int error = new_file_open(&f, file, FILE_ATOMIC | (c->synced ? FILE_SYNCED : 0));
    int written = write_state(system, error ? NULL : &f, &h, rows, nrows, held);
    histories_attach(held, true);
    error = error ? error : written;
    if (!error)
        error = new_file_publish(&f);
    int closed = new_file_close(&f);
    error = error ? error : closed;
    if (!error)
        return ranks_status(system, LIEDER_DONE, before);
    diag_error(&system->session->diag, NULL, NULL, "the state file %s cannot be written: %s", file,
               file_reason(error, reason));
    return ranks_status(system, LIEDER_IO, before);
}

/* ------------------------------------------------------------------ reading */

static LiederStatus refuse_file(LiederSystem *system, const char *file, const char *why)
{
    diag_error(&system->session->diag, NULL, NULL, "the state file %s cannot be used: %s", file,
               why);
    return LIEDER_IO;
}

static bool get_bytes(FILE *f, unsigned long long *sum, void *bytes, size_t n)
{
    if (n && fread(bytes, 1, n, f) != n)
        return false;
    *sum = hash_bytes(*sum, bytes, n);
    return true;
}

static bool get_part(void *user, void *bytes, size_t n)
{
    StatePart *p = user;
    return get_bytes(p->f, p->sum, bytes, n);
}

/* reads the states of a net that is cut and keeps those of this rank and of its halo */
static bool get_cut_net(const LiederSystem *system, FILE *f, unsigned long long *sum, double *x)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(system);
    const Shape *shape = system->shapes.items[0].shape;
    double buffer[1 << 12];
    NetStates states = {0};
    uint64_t *places = memory_resize(alloc, NULL, 0, (shape->states.n + 1) * sizeof *places);
    bool ok = places && list_net_states(system, shape, false, &states);
    if (ok)
        find_places(system, &states, places);
    for (size_t at = 0, k = 0, n; at < system->cut_states && ok; at += n) {
        n = system->cut_states - at;
        n = n < sizeof buffer / sizeof *buffer ? n : sizeof buffer / sizeof *buffer;
        ok = get_bytes(f, sum, buffer, n * sizeof *buffer);
        for (; k < states.n && places[k] < at + n && ok; k++)
            x[states.items[k].state] = buffer[places[k] - at];
    }
    vec_drop(alloc, &states);
    memory_free(alloc, places, (shape->states.n + 1) * sizeof *places);
    return ok;
}

/* reads all rows of all shapes and keeps those of this rank */
static bool get_rows(const LiederSystem *system, FILE *f, unsigned long long *sum,
                     const RestartRows *rows)
{
    char buffer[1 << 16];
    NetStates order = {0};
    bool ok = true;
    for (size_t i = 0; i < system->nhome && ok; i++) {
        const SystemShape *ss = &system->shapes.items[i];
        size_t nrow = rows_of(ss, rows->kind), own = ss->shape->nlane * rows->size,
               all = ss->shape->all_lanes * rows->size, first = ss->shape->first_lane * rows->size;
        if (ss->shape->cut) {
            ok = rows->kind != ROW_STATE || get_cut_net(system, f, sum, rows->own);
            continue;
        }
        ok = order_rows(system, ss, rows->kind, &order);
        for (size_t r = 0; r < nrow && ok; r++) {
            size_t skip[] = {first, all - first - own};
            void *to = own_row(ss, rows, order.n ? order.items[r].state : r);
            for (int side = 0; side < 2; side++) {
                for (size_t n; skip[side] && ok; skip[side] -= n) {
                    n = skip[side] < sizeof buffer ? skip[side] : sizeof buffer;
                    ok = get_bytes(f, sum, buffer, n);
                }
                ok = ok && (side == 1 || get_bytes(f, sum, to, own));
            }
        }
    }
    vec_drop(SYSTEM_ALLOC(system), &order);
    return ok;
}

/* what is impossible in the header, or NULL. Only fixed steps have a grid; t is one of its points,
 * or less than a step beside one where a mode has ended. */
static const char *impossible_header(const Header *h)
{
    const double most = 9e15; /* steps that a double counts */
    if (h->solver <= LIEDER_SOLVER_AUTO || h->solver >= LIEDER_SOLVER_COUNT)
        return "there is no such solver";
    if (!isfinite(h->t))
        return "the time is no number";
    if (!isfinite(h->origin) || h->origin > h->t + 1e-9 * fabs(h->t))
        return "its grid does not begin before its time";
    if (!isfinite(h->wanted) || h->wanted < 0)
        return "the step that was wanted is impossible";
    if (lieder_solver_info((LiederSolver)h->solver)->adaptive)
        return h->counter || h->step != 0 ? "an adaptive solver has no grid of steps" : NULL;
    if (!isfinite(h->step) || !(h->step > 0))
        return "its step is impossible";
    if ((double)h->counter > most ||
        fabs(h->origin + (double)h->counter * h->step - h->t) > 2 * h->step + 1e-9 * fabs(h->t))
        return "its time is not on its grid of steps";
    return NULL;
}

/* is this value of memory possible? A timer may be infinite, Booleans are 0 or 1, Integers whole */
static bool possible_memory(const LiederMember *m, double value)
{
    if (m->kind == LIEDER_TIMER)
        return !isnan(value);
    if (m->kind == LIEDER_MEMORY && m->type == LIEDER_TYPE_BOOLEAN)
        return value == 0 || value == 1;
    return isfinite(value) &&
           (m->kind != LIEDER_MEMORY || m->type != LIEDER_TYPE_INTEGER || value == rint(value));
}

/* what is impossible in the rest, or NULL */
static const char *impossible_memory(const LiederSystem *system, const double *x,
                                     const Events *held)
{
    for (size_t i = 0; i < system->nhome; i++) {
        const SystemShape *ss = &system->shapes.items[i];
        for (size_t k = 0; k < ss->held.memories.n; k++)
            for (size_t lane = 0; lane < ss->shape->nlane; lane++)
                if (!possible_memory(ss->held.memories.items[k].member,
                                     held->memory[home_memory(ss, k, lane)]))
                    return "what a component remembers is impossible";
    }
    for (size_t i = 0; i < system->nstate; i++)
        if (!isfinite(x[i]))
            return "a state is no number";
    for (size_t i = 0; i < system->nchoice; i++) {
        const Crossing *c = &held->crossings[i];
        if (held->choices[i] != 0 && held->choices[i] != 1 && held->choices[i] != 2)
            return "a choice is neither 0, 1 nor 2";
        if ((c->armed != 0 && c->armed != 1) || !isfinite(c->noise) || c->noise < 0 ||
            !isfinite(c->scale[0]) || c->scale[0] < 0 || !isfinite(c->scale[1]) ||
            c->scale[1] < 0 || !(c->recent.since < INFINITY) || c->recent.count > 1000 ||
            !isfinite(c->bounces.last) || !isfinite(c->bounces.value) || !isfinite(c->last) ||
            !(c->first >= 0 && c->first < INFINITY && c->grown >= 0 && c->grown < INFINITY &&
              c->wrong >= 0 && c->wrong <= 1000 && isfinite(c->since)))
            return "what a crossing remembers is impossible";
    }
    return NULL;
}

/* header, states, choices, checksum; every reason to refuse the file is reported in its own words
 */
static LiederStatus read_open(LiederSystem *system, FILE *f, const char *file, uint64_t model,
                              Checkpoint *c, double *x, Events *held)
{
    Header h;
    unsigned long long sum = HASH_SEED, written;
    char extra;
    if (!get_bytes(f, &sum, h.magic, sizeof h.magic) || memcmp(h.magic, MAGIC, sizeof MAGIC) != 0)
        return refuse_file(system, file, "it is no state file of Lieder");
    if (!get_bytes(f, &sum, (char *)&h + sizeof h.magic, sizeof h - sizeof h.magic))
        return refuse_file(system, file, "it ends too early");
    if (h.endian != ENDIAN)
        return refuse_file(system, file, "it comes from a machine with another order of bytes");
    if (h.version != STATE_VERSION)
        return refuse_file(system, file,
                           "its version is another one\nwrite it anew with this program");
    const RestartRows rows[] = {{ROW_STATE, sizeof(double), x},
                                {ROW_CHOICE, sizeof(double), held->choices},
                                {ROW_CHOICE, sizeof *held->crossings, held->crossings},
                                {ROW_MEMORY, sizeof(double), held->memory}};
    if (h.nstate != all_rows(system, ROW_STATE) || h.nchoice != all_rows(system, ROW_CHOICE) ||
        h.nmemory != all_rows(system, ROW_MEMORY) || h.fingerprint != model)
        return refuse_file(system, file,
                           "it belongs to another model\nresume the model that wrote it");
    bool whole = true;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && whole; i++)
        whole = get_rows(system, f, &sum, &rows[i]);
    whole = get_histories(system, held, get_part, &(StatePart){f, &sum}) && whole;
    if (!whole || fread(&written, sizeof written, 1, f) != 1)
        return refuse_file(system, file, "it ends too early");
    if (written != sum || fread(&extra, 1, 1, f) == 1)
        return refuse_file(system, file, "it is damaged (the checksum is wrong)");
    const char *why = impossible_header(&h);
    if (!why)
        why = impossible_memory(system, x, held);
    if (why)
        return refuse_file(system, file, why);
    *c = (Checkpoint){.solver = (LiederSolver)h.solver,
                      .t = h.t,
                      .origin = h.origin,
                      .step = h.step,
                      .wanted = h.wanted,
                      .counter = h.counter};
    return LIEDER_DONE;
}

LiederStatus checkpoint_read(LiederSystem *system, const char *file, Checkpoint *c, double *x,
                             Events *held)
{
    struct stat kind;
    uint64_t model = fingerprint(system); /* before the first return: all ranks compute it */
    if (stat(file, &kind) == 0 && !S_ISREG(kind.st_mode)) // a pipe would hold the run up
        return refuse_file(system, file, "it is no regular file");
    FILE *f = fopen(file, "rb");
    if (!f)
        return refuse_file(system, file, strerror(errno));
    LiederStatus status = read_open(system, f, file, model, c, x, held);
    fclose(f);
    return status;
}
