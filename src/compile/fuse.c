/* fuse.c - short sequences of ops that recur in a large shape, as kernels of their own.
 *
 * A compiler needs seconds for one function of a long chain, though one link is like the next. So a
 * large shape keeps its lists of ops, and sequences of ops that recur become one op each, whose
 * kernel is generated. It works like a whole shape in generate.c, on a local record with constant
 * places; only places that come from outside the sequence are loaded, and only places that an op
 * outside may read are stored. The time does not depend on the size of the shape.
 *
 * Blocks. An op finds its places through at[]. The places that a component owns stand together in
 * the record (place_fixed in program_layout.c), so its struct, its save area and the signals of its
 * nodes are one block with constant distances. A law, a potential, or the signals of a node that
 * another component owns is a block of its own, until a sequence has both: then it is a part of the
 * owner's block. Two sequences are the same if their ops are the same and their blocks coincide in
 * the same way; an instance is known by the places of its blocks.
 *
 * * Finding them. The most frequent pair of neighbours becomes one item, again and again (Larsson
 * and Moffat, Offline dictionary-based compression, DCC 1999), until nothing recurs or sequences
 * get long. A chain of n links gives its period first, then twice the period and so on, and the
 * shorter sequences are kept for the rest at the end of a list: the text is the same for every n.
 * Pairs are counted in samples of the lists, so that the work is linear in n with a small factor.
 *
 * fuse_kernel.c makes kernels of the sequences. */
#include "compile/fuse.h"

#include <string.h>

/* how two neighbours share their blocks */
typedef struct Joint {
    uint32_t n, place[MAX_BLOCKS], size[MAX_BLOCKS];
    Within within[MAX_BLOCKS];
} Joint;

/* ------------------------------------------------------------------ single ops */

/* the blocks of an op, and for each index in at[] the block that has the place */
typedef struct OpBlocks {
    uint32_t n, place[MAX_BLOCKS], size[MAX_BLOCKS];
    Within within[MAX_PLACES];
} OpBlocks;

/* does the component of an op own the place at[k]? Places before its struct belong to others */
static bool owns(const Program *p, const Op *op, uint32_t k)
{
    const uint32_t *at = p->at.items + op->at;
    const Component *c = &p->shape->components.items[op->component];
    if (k < LIEDER_AT_PORT)
        return true;
    uint32_t what = (k - LIEDER_AT_PORT) % LIEDER_PER_PORT;
    uint32_t node = c->node[(k - LIEDER_AT_PORT) / LIEDER_PER_PORT];
    bool fixed = what == LIEDER_SIGNALS ||
                 (what == LIEDER_POTENTIALS && p->shape->nodes.items[node].grounded);
    return fixed && at[k] >= at[LIEDER_AT_SELF];
}

/* false: too many blocks, or they overlap */
static bool find_blocks(const Program *p, const Op *op, OpBlocks *blocks)
{
    const uint32_t *at = p->at.items + op->at, self = at[LIEDER_AT_SELF];
    *blocks = (OpBlocks){.n = 1, .place = {self}};
    if (op_length(p, op) > MAX_PLACES)
        return false;
    for (uint32_t k = 0; k < op_length(p, op); k++) {
        uint32_t size = op_area(p, op, k), i = 0;
        blocks->within[k] = (Within){NOWHERE, 0};
        if (size == 0 || at[k] == NOWHERE)
            continue;
        if (at[k] - p->zero < p->nzero) {
            blocks->within[k].block = ZERO;
            continue;
        }
        if (!owns(p, op, k))
            for (i = 1; i < blocks->n && blocks->place[i] != at[k];)
                i++;
        if (i == MAX_BLOCKS)
            return false;
        if (i == blocks->n)
            blocks->place[blocks->n++] = at[k];
        blocks->within[k] = (Within){i, at[k] - blocks->place[i]};
        if (blocks->within[k].offset + size > blocks->size[i])
            blocks->size[i] = blocks->within[k].offset + size;
    }
    for (uint32_t i = 0; i < blocks->n; i++)
        for (uint32_t k = 0; k < i; k++)
            if (blocks->place[i] < blocks->place[k] + blocks->size[k] &&
                blocks->place[k] < blocks->place[i] + blocks->size[i])
                return false;
    return true;
}

static bool same_blocks(const Fuser *f, const FuseSymbol *s, const Op *op, const OpBlocks *blocks)
{
    const Component *c = &f->p->shape->components.items[op->component];
    const Component *o = &f->p->shape->components.items[s->op.component];
    return s->left == NOWHERE && s->op.kind == op->kind && s->op.variant == op->variant &&
           s->op.unit == op->unit && s->op.add == op->add && o->class_ == c->class_ &&
           o->reversed == c->reversed && o->link == c->link && s->nblock == blocks->n &&
           memcmp(f->sizes.items + s->sizes, blocks->size, blocks->n * sizeof(uint32_t)) == 0 &&
           memcmp(f->within.items + s->within, blocks->within,
                  op_length(f->p, op) * sizeof(Within)) == 0;
}

/* a symbol for a sequence of ops, with the sizes of its places and which of them lie in each other
 */
static uint32_t new_symbol(Fuser *f, FuseSymbol s, const uint32_t *size, const Within *within,
                           size_t n)
{
    s.sizes = (uint32_t)f->sizes.n;
    s.within = (uint32_t)f->within.n;
    s.kernel = NOWHERE;
    f->ok = f->ok && vec_resize(f->alloc, &f->sizes, f->sizes.n + s.nblock) &&
            vec_resize(f->alloc, &f->within, f->within.n + n) && vec_push(f->alloc, &f->symbols, s);
    if (!f->ok)
        return NOWHERE;
    for (uint32_t i = 0; i < s.nblock; i++)
        f->sizes.items[s.sizes + i] = size[i];
    for (size_t i = 0; i < n; i++)
        f->within.items[s.within + i] = within[i];
    return (uint32_t)f->symbols.n - 1;
}

static uint32_t symbol_of(Fuser *f, const Op *op, const OpBlocks *blocks)
{
    for (uint32_t i = ALONE + 1; i < f->symbols.n; i++)
        if (same_blocks(f, &f->symbols.items[i], op, blocks))
            return i;
    FuseSymbol s = {.left = NOWHERE, .right = NOWHERE, .op = *op, .nop = 1, .nblock = blocks->n};
    return new_symbol(f, s, blocks->size, blocks->within, op_length(f->p, op));
}

bool fuser_add_item(Fuser *f, Sequence *to, uint32_t symbol, const uint32_t *places, uint32_t n)
{
    SequenceItem item = {symbol, (uint32_t)to->places.n};
    if (!vec_push(f->alloc, &to->items, item) ||
        !vec_resize(f->alloc, &to->places, to->places.n + n))
        return false;
    for (uint32_t i = 0; i < n; i++)
        to->places.items[item.places + i] = places[i];
    return true;
}

/* a list of ops as symbols; equal ops have equal symbols */
static void read_list(Fuser *f, const OpList *list, Sequence *to)
{
    OpBlocks blocks;
    f->ok = f->ok && vec_reserve(f->alloc, &to->items, list->n);
    for (size_t i = 0; i < list->n && f->ok; i++) {
        uint32_t symbol = ALONE;
        if (find_blocks(f->p, &list->items[i], &blocks))
            symbol = symbol_of(f, &list->items[i], &blocks);
        else
            blocks.n = 0;
        f->ok = f->ok && fuser_add_item(f, to, symbol, blocks.place, blocks.n);
    }
}

/* ------------------------------------------------------------------ pairs */

/* Blocks of both: one that lies within another is a part of it. False: they are too many, or some
 * overlap in another way. */
static bool join_sequences(const Fuser *f, const Sequence *q, const SequenceItem *a,
                           const SequenceItem *b, Joint *j)
{
    const FuseSymbol *left = &f->symbols.items[a->symbol], *right = &f->symbols.items[b->symbol];
    uint32_t n = left->nblock + right->nblock, place[MAX_BLOCKS], end[MAX_BLOCKS];
    if (n > MAX_BLOCKS)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        bool first = i < left->nblock;
        uint32_t k = first ? i : i - left->nblock;
        place[i] = q->places.items[(first ? a : b)->places + k];
        end[i] = place[i] + f->sizes.items[(first ? left : right)->sizes + k];
    }
    /* those of one sequence do not overlap each other */
    uint32_t root[MAX_BLOCKS], index[MAX_BLOCKS];
    for (uint32_t i = 0; i < n; i++)
        root[i] = i;
    for (uint32_t i = 0; i < left->nblock; i++)
        for (uint32_t k = left->nblock; k < n; k++) {
            if (place[k] >= end[i] || place[i] >= end[k])
                continue;
            if (place[k] >= place[i] && end[k] <= end[i])
                root[k] = i;
            else if (place[i] >= place[k] && end[i] <= end[k])
                root[i] = k;
            else
                return false;
        }
    j->n = 0;
    for (uint32_t i = 0; i < n; i++)
        if (root[i] == i) {
            index[i] = j->n;
            j->place[j->n] = place[i];
            j->size[j->n++] = end[i] - place[i];
        }
    for (uint32_t i = 0; i < n; i++)
        j->within[i] = (Within){index[root[i]], place[i] - place[root[i]]};
    return true;
}

static uint64_t hash_pair(const SequenceItem *a, const SequenceItem *b, const Joint *j, uint32_t n)
{
    uint64_t h = ((uint64_t)a->symbol << 32 | b->symbol) + 1;
    for (uint32_t i = 0; i < n; i++) {
        h = (h ^ ((uint64_t)j->within[i].block << 32 | j->within[i].offset)) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    }
    return h ? h : 1;
}

/* the pair of items i and i + 1, if it may become one symbol */
static bool pair_at(const Fuser *f, const Sequence *q, size_t i, Joint *j)
{
    const SequenceItem *a = &q->items.items[i], *b = a + 1;
    return a->symbol != NOWHERE && b->symbol != NOWHERE &&
           f->symbols.items[a->symbol].nop + f->symbols.items[b->symbol].nop <= MAX_OPS &&
           join_sequences(f, q, a, b, j);
}

/* *where: the first place of the most frequent pair; false: no pair is frequent */
static bool most_frequent(Fuser *f, const Sequence *q, size_t *where)
{
    size_t last = f->pairs.n - 1;
    const SymbolPair *best = NULL;
    memset(f->pairs.items, 0, f->pairs.n * sizeof(SymbolPair));
    for (size_t i = 0; i + 1 < q->items.n; i++) {
        Joint j;
        if (!pair_at(f, q, i, &j))
            continue;
        const SequenceItem *a = &q->items.items[i];
        uint32_t n = f->symbols.items[a->symbol].nblock + f->symbols.items[a[1].symbol].nblock;
        uint64_t h = hash_pair(a, a + 1, &j, n);
        size_t at = h & last;
        while (f->pairs.items[at].hash && f->pairs.items[at].hash != h)
            at = (at + 1) & last;
        SymbolPair *pair = &f->pairs.items[at];
        if (!pair->hash)
            *pair = (SymbolPair){h, 1, (uint32_t)i, (uint32_t)i};
        else if (pair->last + 1 != i) /* x x x has one pair */
            *pair = (SymbolPair){h, pair->count + 1, pair->first, (uint32_t)i};
        else
            continue;
        if (!best || pair->count > best->count ||
            (pair->count == best->count && pair->first < best->first))
            best = pair;
    }
    if (!best || best->count < MIN_COUNT)
        return false;
    *where = best->first;
    return true;
}

/* makes one item of every pair that equals the symbol, from left to right */
static void replace(const Fuser *f, Sequence *q, uint32_t symbol)
{
    const FuseSymbol *s = &f->symbols.items[symbol];
    uint32_t n = f->symbols.items[s->left].nblock + f->symbols.items[s->right].nblock;
    size_t to = 0, places = 0;
    for (size_t i = 0; i < q->items.n; i++) {
        SequenceItem item = q->items.items[i];
        Joint j;
        if (item.symbol == s->left && i + 1 < q->items.n &&
            q->items.items[i + 1].symbol == s->right &&
            join_sequences(f, q, &q->items.items[i], &q->items.items[i + 1], &j) &&
            memcmp(j.within, f->within.items + s->within, n * sizeof(Within)) == 0) {
            memcpy(q->places.items + places, j.place, j.n * sizeof(uint32_t));
            q->items.items[to++] = (SequenceItem){symbol, (uint32_t)places};
            places += j.n;
            i++;
            continue;
        }
        uint32_t count = item.symbol == NOWHERE ? 0 : f->symbols.items[item.symbol].nblock;
        memmove(q->places.items + places, q->places.items + item.places, count * sizeof(uint32_t));
        q->items.items[to++] = (SequenceItem){item.symbol, (uint32_t)places};
        places += count;
    }
    q->items.n = to;
    q->places.n = places;
}

/* first, middle and last part of a list */
static bool take_samples(Fuser *f, const Sequence *q, Sequence *to)
{
    size_t n = q->items.n, parts = n <= NSAMPLE * SAMPLE ? 1 : NSAMPLE;
    bool ok = true;
    for (size_t k = 0; k < parts && ok; k++) {
        size_t from = parts == 1 ? 0 : (n - SAMPLE) * k / (NSAMPLE - 1);
        size_t end = parts == 1 ? n : from + SAMPLE;
        for (size_t i = from; i < end && ok; i++) {
            const SequenceItem *item = &q->items.items[i];
            ok = fuser_add_item(f, to, item->symbol, q->places.items + item->places,
                                f->symbols.items[item->symbol].nblock);
        }
        ok = ok && fuser_add_item(f, to, NOWHERE, NULL, 0);
    }
    return ok;
}

/* joins the most frequent pair of neighbours, again and again, counted on samples of a long list */
static void find_symbols(Fuser *f, Sequence *q)
{
    Sequence sample = {0};
    size_t where, room = 16;
    f->ok = f->ok && take_samples(f, q, &sample);
    while (room < 2 * sample.items.n)
        room *= 2;
    f->ok = f->ok && vec_resize(f->alloc, &f->pairs, room);
    for (int rule = 0; rule < MAX_RULES && f->ok && most_frequent(f, &sample, &where); rule++) {
        Joint j;
        pair_at(f, &sample, where, &j);
        uint32_t left = sample.items.items[where].symbol,
                 right = sample.items.items[where + 1].symbol;
        const FuseSymbol *a = &f->symbols.items[left], *b = &f->symbols.items[right];
        FuseSymbol s = {.left = left, .right = right, .nop = a->nop + b->nop, .nblock = j.n};
        uint32_t symbol = new_symbol(f, s, j.size, j.within, a->nblock + b->nblock);
        if (!f->ok)
            break;
        replace(f, &sample, symbol);
        replace(f, q, symbol);
    }
    vec_drop(f->alloc, &sample.items);
    vec_drop(f->alloc, &sample.places);
}

/* ------------------------------------------------------------------ which become kernels */

/* The ops of a kernel that would be new. If it is twice the same sequence, that sequence becomes a
 * kernel, too, for a single one that is left over. */
static uint32_t ops_of(const Fuser *f, uint32_t symbol)
{
    const FuseSymbol *s = &f->symbols.items[symbol];
    uint32_t n = s->kernel == NOWHERE ? s->nop : 0;
    return s->left == s->right && s->left != NOWHERE ? n + ops_of(f, s->left) : n;
}

static void keep_symbol(Fuser *f, uint32_t symbol)
{
    FuseSymbol *s = &f->symbols.items[symbol];
    s->kernel = 0;
    if (s->left == s->right && s->left != NOWHERE)
        keep_symbol(f, s->left);
}

/* With the kernels chosen so far: how often each symbol occurs when all items are split into
 * kernels and single ops, and into how many pieces it is split. Parts stand before the whole. */
static void count_pieces(Fuser *f)
{
    for (size_t i = 0; i < f->symbols.n; i++) {
        FuseSymbol *s = &f->symbols.items[i];
        s->count = 0;
        s->pieces = s->kernel != NOWHERE || s->left == NOWHERE
                        ? 1
                        : f->symbols.items[s->left].pieces + f->symbols.items[s->right].pieces;
    }
    for (int l = 0; l < LISTS; l++)
        for (size_t i = 0; i < f->lists[l].items.n; i++)
            f->symbols.items[f->lists[l].items.items[i].symbol].count++;
    for (size_t i = f->symbols.n; i-- > 0;) {
        const FuseSymbol *s = &f->symbols.items[i];
        if (s->kernel == NOWHERE && s->left != NOWHERE) {
            f->symbols.items[s->left].count += s->count;
            f->symbols.items[s->right].count += s->count;
        }
    }
}

/* Removes kernels all of whose instances belong to longer kernels. Returns how many ops they
 * had. */
static uint32_t release_unused(Fuser *f)
{
    uint32_t n = 0;
    count_pieces(f);
    for (uint32_t i = (uint32_t)f->symbols.n; i-- > 0;) {
        FuseSymbol *s = &f->symbols.items[i];
        bool left_over = false; /* half of another kernel */
        for (uint32_t k = i + 1; k < f->symbols.n && s->kernel != NOWHERE; k++) {
            const FuseSymbol *t = &f->symbols.items[k];
            left_over |= t->kernel != NOWHERE && t->left == i && t->right == i;
        }
        if (s->kernel == NOWHERE || s->left == NOWHERE || s->count || left_over)
            continue;
        s->kernel = NOWHERE;
        n += s->nop;
    }
    return n;
}

/* Chooses the symbols that save most for their length, as many as a compiler handles soon; the
 * others are split again. */
static void choose_kernels(Fuser *f)
{
    size_t all = f->p->explicit_.n + f->p->reduce.n + f->p->solve.n;
    for (uint32_t room = ALL_OPS;;) {
        double most = 0;
        uint32_t best = NOWHERE;
        count_pieces(f);
        for (uint32_t i = 0; i < f->symbols.n; i++) {
            const FuseSymbol *s = &f->symbols.items[i];
            uint32_t n = ops_of(f, i);
            size_t saved = (size_t)s->count * (s->pieces - 1);
            if (s->left == NOWHERE || s->count < MIN_COUNT || n > room || saved * MIN_SHARE < all ||
                (double)saved / n <= most)
                continue;
            most = (double)saved / n;
            best = i;
        }
        if (best == NOWHERE)
            return;
        room -= ops_of(f, best);
        keep_symbol(f, best);
        room += release_unused(f);
    }
}

/* ------------------------------------------------------------------ all of it */

bool fusion_make(const Program *p, KnownList *known, Fusion *fusion, const LiederAllocator *alloc)
{
    Fuser f = {.p = p, .alloc = alloc, .ok = true};
    const OpList *const from[LISTS] = {&p->explicit_, &p->reduce, &p->solve};
    new_symbol(&f, (FuseSymbol){.left = NOWHERE, .right = NOWHERE, .nop = MAX_OPS + 1}, NULL, NULL,
               0);
    for (int l = 0; l < LISTS; l++)
        read_list(&f, from[l], &f.lists[l]);
    for (int l = 0; l < LISTS && f.ok; l++)
        find_symbols(&f, &f.lists[l]);
    if (f.ok)
        choose_kernels(&f);
    f.ok =
        f.ok && fuser_make_kernels(&f, fusion, known, from) && fuser_write_lists(&f, fusion, from);
    for (int l = 0; l < LISTS; l++) {
        vec_drop(alloc, &f.lists[l].items);
        vec_drop(alloc, &f.lists[l].places);
    }
    vec_drop(alloc, &f.symbols);
    vec_drop(alloc, &f.sizes);
    vec_drop(alloc, &f.within);
    vec_drop(alloc, &f.pairs);
    vec_drop(alloc, &f.known);
    return f.ok;
}
