/* fuse_kernel.c - kernels for the sequences of ops that fuse.c has found.
 *
 * What is stored. Laws and potentials share memory, so liveness is followed backward through all
 * three lists, place by place: a place is stored if in some instance of the sequence a later op may
 * read it before it is set again. At the end derivatives are read, and everything if there are
 * loops. A place that is always 0, 1 or -1 (model/program/known.c) in all instances is written as
 * that number. Pivots are not stored: strip_explain runs the plain lists again to find one that is
 * too small. */
#include "compile/fuse.h"

#include <math.h>
#include <string.h>

static const double UNSEEN = HUGE_VAL; /* of a place: no instance has been read */

/* ------------------------------------------------------------------ kernels */

/* inner: the places of the blocks of left and then of right, from those of the pair */
static void places_within(const Fuser *f, const FuseSymbol *s, const uint32_t *places,
                          uint32_t *inner)
{
    const Within *within = f->within.items + s->within;
    uint32_t n = f->symbols.items[s->left].nblock + f->symbols.items[s->right].nblock;
    for (uint32_t i = 0; i < n; i++)
        inner[i] = places[within[i].block] + within[i].offset;
}

/* the ops of a symbol on a local record, in which its blocks start at `start` */
static void unfold(const Fuser *f, uint32_t symbol, const uint32_t *start, FusedKernel *k, bool *ok)
{
    const FuseSymbol *s = &f->symbols.items[symbol];
    const Within *within = f->within.items + s->within;
    if (s->left == NOWHERE) {
        Op op = s->op;
        op.at = (uint32_t)k->part.at.n;
        for (uint32_t i = 0; i < op_length(f->p, &op) && *ok; i++) {
            uint32_t block = within[i].block;
            *ok = vec_push(f->alloc, &k->part.at,
                           block == NOWHERE ? NOWHERE
                           : block == ZERO  ? k->part.zero
                                            : start[block] + within[i].offset);
        }
        *ok = *ok && vec_push(f->alloc, &k->ops, op);
        return;
    }
    uint32_t inner[MAX_BLOCKS];
    places_within(f, s, start, inner);
    unfold(f, s->left, inner, k, ok);
    unfold(f, s->right, inner + f->symbols.items[s->left].nblock, k, ok);
}

/* A kernel reads a place from outside if an op reads it before an earlier op has set it. */
static void sum_reads(void *user, uint32_t place, uint32_t n, int how)
{
    uint8_t *sum = user;
    for (uint32_t i = place; i < place + n; i++)
        if ((how & ACCESS_READS) && !(sum[i] & ACCESS_SETS))
            sum[i] |= ACCESS_READS;
}

static void sum_writes(void *user, uint32_t place, uint32_t n, int how)
{
    uint8_t *sum = user;
    for (uint32_t i = place; i < place + n; i++)
        sum[i] |= how & (ACCESS_WRITES | ACCESS_SETS);
}

/* the blocks of a sequence as a program of its own, whose record is the arguments; false: no
 * memory */
static bool make_kernel(const Fuser *f, uint32_t symbol, FusedKernel *k)
{
    const FuseSymbol *s = &f->symbols.items[symbol];
    bool ok = vec_resize(f->alloc, &k->blocks, s->nblock) &&
              vec_resize(f->alloc, &k->argument, s->nblock);
    k->part = (Program){.shape = f->p->shape,
                        .alloc = f->alloc,
                        .isa = f->p->isa,
                        .lanes = f->p->lanes,
                        .zero = LIEDER_ALARM + 1,
                        .nzero = f->p->nzero,
                        .nreal = LIEDER_ALARM + 1 + f->p->nzero};
    for (uint32_t i = 0; i < s->nblock && ok; i++) {
        k->blocks.items[i] = k->part.nreal;
        k->part.nreal += f->sizes.items[s->sizes + i];
    }
    if (ok)
        unfold(f, symbol, k->blocks.items, k, &ok);
    ok = ok && vec_resize(f->alloc, &k->how, k->part.nreal) &&
         vec_resize(f->alloc, &k->known, k->part.nreal);
    for (uint32_t i = 0; i < k->part.nreal && ok; i++)
        k->known.items[i] = UNSEEN;
    for (size_t i = 0; i < k->ops.n && ok; i++) {
        op_accesses(&k->part, &k->ops.items[i], sum_reads, k->how.items);
        op_accesses(&k->part, &k->ops.items[i], sum_writes, k->how.items);
    }
    return ok;
}

/* adds an item to a list as kernels and single ops */
static void split_item(Fuser *f, uint32_t symbol, const uint32_t *places, Sequence *to)
{
    const FuseSymbol *s = &f->symbols.items[symbol];
    if (s->kernel != NOWHERE || s->left == NOWHERE) {
        f->ok = f->ok && fuser_add_item(f, to, symbol, places, s->nblock);
        return;
    }
    uint32_t inner[MAX_BLOCKS], n = f->symbols.items[s->left].nblock;
    places_within(f, s, places, inner);
    split_item(f, s->left, inner, to);
    split_item(f, s->right, inner + n, to);
}

/* a kernel for each sequence that is used */
static void make_kernels(Fuser *f, Fusion *fusion)
{
    for (uint32_t i = 0; i < f->symbols.n && f->ok; i++) {
        FuseSymbol *s = &f->symbols.items[i];
        if (s->left == NOWHERE || s->kernel == NOWHERE)
            continue;
        s->kernel = (uint32_t)fusion->kernels.n;
        f->ok = vec_push(f->alloc, &fusion->kernels, (FusedKernel){0}) &&
                make_kernel(f, i, &fusion->kernels.items[s->kernel]);
    }
    for (int l = 0; l < LISTS && f->ok; l++) {
        Sequence apart = {0}, *q = &f->lists[l];
        for (size_t i = 0; i < q->items.n; i++)
            split_item(f, q->items.items[i].symbol, q->places.items + q->items.items[i].places,
                       &apart);
        vec_drop(f->alloc, &q->items);
        vec_drop(f->alloc, &q->places);
        *q = apart;
    }
}

/* ------------------------------------------------------------------ what is known */

static void not_known(void *user, uint32_t place, uint32_t n, int how)
{
    for (uint32_t i = place; i < place + n && (how & ACCESS_WRITES); i++)
        ((double *)user)[i] = NAN;
}

/* f->known: the numbers of places that never change and that no op writes */
static bool read_known(Fuser *f, const KnownList *known, const OpList *const lists[LISTS])
{
    if (!vec_resize(f->alloc, &f->known, f->p->nreal))
        return false;
    for (uint32_t i = 0; i < f->p->nreal; i++)
        f->known.items[i] = NAN;
    for (size_t i = 0; i < known->n; i++)
        f->known.items[known->items[i].place] = known->items[i].value;
    for (int l = 0; l < LISTS && known->n; l++)
        for (size_t i = 0; i < lists[l]->n; i++)
            op_accesses(f->p, &lists[l]->items[i], not_known, f->known.items);
    return true;
}

/* keeps the known numbers that some kernel contains */
static bool keep_known(const Fuser *f, const Fusion *fusion, KnownList *known)
{
    VEC(uint8_t) used = {0};
    size_t kept = 0;
    if (!vec_resize(f->alloc, &used, f->p->nreal))
        return false;
    for (int l = 0; l < LISTS; l++)
        for (size_t i = 0; i < f->lists[l].items.n; i++) {
            const SequenceItem *item = &f->lists[l].items.items[i];
            const FuseSymbol *s = &f->symbols.items[item->symbol];
            if (s->left == NOWHERE)
                continue;
            const FusedKernel *k = &fusion->kernels.items[s->kernel];
            for (uint32_t b = 0; b < s->nblock; b++)
                for (uint32_t j = 0; j < f->sizes.items[s->sizes + b]; j++)
                    used.items[f->lists[l].places.items[item->places + b] + j] |=
                        isfinite(k->known.items[k->blocks.items[b] + j]);
        }
    for (size_t i = 0; i < known->n; i++)
        if (used.items[known->items[i].place])
            known->items[kept++] = known->items[i];
    known->n = kept;
    vec_drop(f->alloc, &used);
    return true;
}

/* ------------------------------------------------------------------ what is stored */

static void clear_set(void *live, uint32_t place, uint32_t n, int how)
{
    if (how & ACCESS_SETS)
        memset((uint8_t *)live + place, 0, n);
}

static void mark_read(void *live, uint32_t place, uint32_t n, int how)
{
    if (how & ACCESS_READS)
        memset((uint8_t *)live + place, 1, n);
}

/* Backward over one instance. A kernel that also exists as twice itself has the instances within
 * that, too, so that the places it stores do not depend on how many single ones are left over. */
static void pass_kernel(const Fuser *f, Fusion *fusion, uint32_t symbol, const uint32_t *places,
                        uint8_t *live)
{
    const FuseSymbol *s = &f->symbols.items[symbol];
    FusedKernel *k = &fusion->kernels.items[s->kernel];
    bool twice = s->left == s->right && f->symbols.items[s->left].left != NOWHERE;
    for (uint32_t b = 0; b < s->nblock; b++) {
        uint8_t *how = k->how.items + k->blocks.items[b];
        uint8_t *here = live + places[b];
        double *known = k->known.items + k->blocks.items[b];
        for (uint32_t i = 0; i < f->sizes.items[s->sizes + b]; i++) {
            double value = f->known.items[places[b] + i];
            if (known[i] != value) /* the same in all instances, or not known */
                known[i] = known[i] == UNSEEN ? value : NAN;
            if (here[i] && (how[i] & ACCESS_WRITES))
                how[i] |= ACCESS_STORED;
            if (!twice && (how[i] & ACCESS_SETS))
                here[i] = 0;
            if (!twice && (how[i] & ACCESS_READS))
                here[i] = 1;
        }
    }
    if (twice) {
        uint32_t inner[MAX_BLOCKS], n = f->symbols.items[s->left].nblock;
        places_within(f, s, places, inner);
        pass_kernel(f, fusion, s->right, inner + n, live);
        pass_kernel(f, fusion, s->left, inner, live);
    }
}

/* which results of a kernel a later op may read: only these are stored; false: no memory */
static bool find_stored(Fuser *f, Fusion *fusion, const OpList *const lists[LISTS])
{
    const Program *p = f->p;
    VEC(uint8_t) live = {0};
    if (!vec_resize(f->alloc, &live, p->nreal))
        return false;
    memset(live.items, p->complements.n > 0, p->nreal);
    for (size_t s = 0; s < p->derivative_place.n; s++)
        live.items[p->derivative_place.items[s]] = 1;
    for (int l = LISTS; l-- > 0;) {
        size_t op = lists[l]->n;
        for (size_t i = f->lists[l].items.n; i-- > 0;) {
            const SequenceItem *item = &f->lists[l].items.items[i];
            const FuseSymbol *s = &f->symbols.items[item->symbol];
            if (s->left == NOWHERE) {
                op_accesses(p, &lists[l]->items[--op], clear_set, live.items);
                op_accesses(p, &lists[l]->items[op], mark_read, live.items);
                continue;
            }
            FusedKernel *k = &fusion->kernels.items[s->kernel];
            op -= k->ops.n;
            for (size_t o = 0; o < k->ops.n; o++) /* in the end: the paths of the first instance */
                k->ops.items[o].component = lists[l]->items[op + o].component;
            pass_kernel(f, fusion, item->symbol, f->lists[l].places.items + item->places,
                        live.items);
        }
    }
    vec_drop(f->alloc, &live);
    return true;
}

/* ------------------------------------------------------------------ the lists */

static bool needs_outside(const FusedKernel *k, uint32_t place)
{
    int how = k->how.items[place];
    return (how & ACCESS_STORED) || ((how & ACCESS_READS) && !isfinite(k->known.items[place]));
}

/* the arguments of kernels: the blocks from which they load or to which they store */
static void number_arguments(const Fuser *f, Fusion *fusion)
{
    for (uint32_t i = 0; i < f->symbols.n; i++) {
        const FuseSymbol *s = &f->symbols.items[i];
        if (s->left == NOWHERE || s->kernel == NOWHERE)
            continue;
        FusedKernel *k = &fusion->kernels.items[s->kernel];
        for (uint32_t b = 0; b < s->nblock; b++) {
            bool used = false;
            for (uint32_t j = 0; j < f->sizes.items[s->sizes + b]; j++)
                used |= needs_outside(k, k->blocks.items[b] + j);
            k->argument.items[b] = used ? k->narguments++ : NOWHERE;
        }
    }
}

/* the list with its sequences replaced by ops of generated kernels; false: no memory */
static bool write_list(const Fuser *f, const Fusion *fusion, const Sequence *q, const OpList *from,
                       OpList *to, Fused *fused)
{
    const Program *p = f->p;
    size_t next = 0;
    bool ok = vec_reserve(f->alloc, to, q->items.n);
    for (size_t i = 0; i < q->items.n && ok; i++) {
        const SequenceItem *item = &q->items.items[i];
        const FuseSymbol *s = &f->symbols.items[item->symbol];
        uint32_t at = (uint32_t)fused->at.n;
        if (s->left == NOWHERE) {
            Op op = from->items[next++];
            uint32_t n = op_length(p, &op);
            ok = vec_resize(f->alloc, &fused->at, at + n);
            if (ok)
                memcpy(fused->at.items + at, p->at.items + op.at, n * sizeof(uint32_t));
            op.at = at;
            ok = ok && vec_push(f->alloc, to, op);
            continue;
        }
        const FusedKernel *k = &fusion->kernels.items[s->kernel];
        next += k->ops.n;
        ok = vec_push(f->alloc, to, (Op){.at = at, .component = s->kernel});
        for (uint32_t b = 0; b < s->nblock && ok; b++)
            if (k->argument.items[b] != NOWHERE)
                ok = vec_push(f->alloc, &fused->at, q->places.items[item->places + b]);
    }
    return ok;
}

/* ------------------------------------------------------------------ all of it */

bool fuser_make_kernels(Fuser *f, Fusion *fusion, KnownList *known,
                        const OpList *const lists[LISTS])
{
    make_kernels(f, fusion);
    if (!f->ok || !read_known(f, known, lists) || !find_stored(f, fusion, lists))
        return false;
    number_arguments(f, fusion);
    /* without kernels the whole shape may need them */
    return fusion->kernels.n == 0 || keep_known(f, fusion, known);
}

bool fuser_write_lists(const Fuser *f, Fusion *fusion, const OpList *const lists[LISTS])
{
    OpList *const to[LISTS] = {&fusion->fused.explicit_, &fusion->fused.reduce,
                               &fusion->fused.solve};
    for (int l = 0; l < LISTS; l++)
        if (!write_list(f, fusion, &f->lists[l], lists[l], to[l], &fusion->fused))
            return false;
    return true;
}

void fusion_drop(Fusion *fusion, const LiederAllocator *alloc)
{
    for (size_t i = 0; i < fusion->kernels.n; i++) {
        FusedKernel *k = &fusion->kernels.items[i];
        vec_drop(alloc, &k->ops);
        vec_drop(alloc, &k->part.at);
        vec_drop(alloc, &k->blocks);
        vec_drop(alloc, &k->argument);
        vec_drop(alloc, &k->how);
        vec_drop(alloc, &k->known);
    }
    vec_drop(alloc, &fusion->kernels);
    fused_drop(&fusion->fused, alloc);
}
