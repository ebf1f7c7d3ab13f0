/* loop_decide.c - whether a large model decides as the small ones do that stand for it. See
 * loops.c.
 *
 * While equations are read, numbers that the text compares or rounds are noted: if i > 1, div(n,
 * 2). Decisions at one place of one instance are a group. A group holds for the large size N if
 *
 *   it is the same for all small sizes, or
 *   it compares integers x with one y (or one x with integers y) by relations, x - y takes all
 *   values from lo to hi, both are lines a + b n, and at N as at the small sizes
 *     - x - y has one sign, and neither end moves towards zero, or
 *     - lo is the same for all sizes, -NEAR_END <= lo <= 0 < hi, and hi grows: i == 1, i > 2
 *     - hi is the same for all sizes, lo < 0 <= hi <= NEAR_END, and lo falls: i == n, i < n
 *
 * So a branch that an index takes begins at a fixed distance from an end of its range, and the
 * elements there are single equations beside the loop. A threshold inside of the range, i > 50,
 * might be beyond the end in all small models.
 */
#include "front/lower/lower.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "front/divide/loops.h"
#include "front/divide/noted.h"

/* how far from its end a range may be cut; less than half of the smallest size */
enum { NEAR_END = 4 };

/* ------------------------------------------------------------------ notes */

static size_t decision_hash(const Decision *d)
{
    unsigned long long h = hash_bytes(d->where, &d->file, sizeof d->file);
    h = hash_bytes(h, &d->at, sizeof d->at);
    h = hash_bytes(h, &d->x, sizeof d->x);
    return (size_t)hash_bytes(h, &d->y, sizeof d->y);
}

static bool same_group(const Decision *a, const Decision *b)
{
    return a->file == b->file && a->at == b->at && a->where == b->where;
}

static bool same_decision(const Decision *a, const Decision *b)
{
    return same_group(a, b) && a->x == b->x && a->y == b->y;
}

/* where a decision stands, or would */
static size_t find_decision(const Decisions *all, const Decision *d)
{
    size_t at = decision_hash(d) & (all->ntable - 1);
    while (all->table[at] && !same_decision(&all->list.items[all->table[at] - 1], d))
        at = (at + 1) & (all->ntable - 1);
    return at;
}

/* doubles the table; false: no memory */
static bool grow_decisions(Front *f, Decisions *all)
{
    size_t n = all->ntable ? 2 * all->ntable : 256;
    uint32_t *table = memory_zeroed(f->alloc, n * sizeof *table);
    if (!table)
        return false;
    memory_free(f->alloc, all->table, all->ntable * sizeof *table);
    all->table = table;
    all->ntable = n;
    for (size_t i = 0; i < all->list.n; i++)
        table[find_decision(all, &all->list.items[i])] = (uint32_t)i + 1;
    return true;
}

/* one more, if it is new */
static void note(Front *f, Decision d)
{
    Decisions *all = f->decisions;
    if (2 * (all->list.n + 1) > all->ntable && !grow_decisions(f, all)) {
        f->work.failed = true;
        return;
    }
    size_t at = find_decision(all, &d);
    if (all->table[at])
        return;
    if (!vec_push(f->alloc, &all->list, d)) {
        f->work.failed = true;
        return;
    }
    all->table[at] = (uint32_t)all->list.n;
}

/* names of the components around, without subscripts: the same for all sizes */
static unsigned long long path_hash(const Inst *inst)
{
    unsigned long long h = HASH_SEED;
    for (; inst; inst = inst->parent)
        if (inst->member)
            h = hash_bytes(h, inst->member->name, strlen(inst->member->name) + 1);
    return h;
}

/* a note that is open */
static void note_open(Front *f, Decision d)
{
    if (!vec_push(f->alloc, &f->decisions->open, d))
        f->work.failed = true;
}

void note_decision(Front *f, SourceSpan span, const Inst *where, double x, double y)
{
    if (f->decisions)
        note_open(f, (Decision){span.file, span.at, !f->nfunction, path_hash(where), x, y});
}

void note_rounding(Front *f, SourceSpan span, double x, double y)
{
    if (f->decisions)
        note_open(f, (Decision){span.file, span.at, false, HASH_SEED, x, y});
}

/* the instance of the large model that stands where one of the small model at hand does, or NULL */
static Inst *large_inst(Front *f, const Inst *inst)
{
    if (inst == f->top)
        return (Inst *)f->size_numbers->large;
    Inst *around = inst->member && inst->parent ? large_inst(f, inst->parent) : NULL;
    Member *m = around ? inst_listed(around, NULL, inst->member->name) : NULL;
    return m && m->component && member_type(f, m)->kind == TY_CLASS ? member_child(f, m) : NULL;
}

bool member_follows(Front *f, Member *m)
{
    if (!f->decisions || !f->size_numbers || !member_is_parameter(m))
        return false;
    const TypeKind kind = member_type(f, m)->kind;
    Inst *inst = large_inst(f, m->inst);
    Member *large = inst ? inst_listed(inst, NULL, m->name) : NULL;
    bool grows = false;
    if ((kind != TY_INTEGER && kind != TY_BOOLEAN && kind != TY_ENUM) || !large ||
        !large->component || !member_sizes(f, large) || large->ndim != m->ndim)
        return false;
    for (int k = 0; k < m->ndim; k++)
        grows |= large->dim[k] != m->dim[k];
    return grows;
}

void note_structural(Front *f, Member *m, size_t element, size_t key, double x)
{
    if (!f->decisions)
        return;
    const SourceSpan span = m->component->name_span;
    note_open(f, (Decision){span.file, span.at, false, path_hash(m->inst),
                            (double)(key * 4096 + element), x});
    StructuralNumber new = {m, element, key, x};
    for (size_t i = 0; i < f->decisions->structural.n; i++) {
        const StructuralNumber *known = &f->decisions->structural.items[i];
        if (known->member == m && known->element == element && known->key == key)
            return;
    }
    if (!vec_push(f->alloc, &f->decisions->structural, new))
        f->work.failed = true;
}

size_t decisions_open(const Front *f)
{
    return f->decisions ? f->decisions->open.n : 0;
}

void decisions_forget(Front *f, size_t from, size_t end)
{
    Decisions *all = f->decisions;
    if (!all || end > all->open.n || from >= end)
        return;
    memmove(&all->open.items[from], &all->open.items[end],
            (all->open.n - end) * sizeof *all->open.items);
    all->open.n -= end - from;
}

void decisions_settle(Front *f, size_t from)
{
    Decisions *all = f->decisions;
    for (size_t i = from; all && i < all->open.n; i++)
        note(f, all->open.items[i]);
    if (all && from < all->open.n)
        all->open.n = from;
}

void decisions_drop(Front *f, Decisions *all)
{
    vec_drop(f->alloc, &all->list);
    vec_drop(f->alloc, &all->open);
    vec_drop(f->alloc, &all->structural);
    memory_free(f->alloc, all->table, all->ntable * sizeof *all->table);
    *all = (Decisions){0};
}

/* ------------------------------------------------------------------ groups */

/* decisions of one group and one size, sorted */
typedef struct DecisionGroup {
    const Decision *d;
    size_t n;
} DecisionGroup;

/* by group, then by numbers; files lie at one address for all sizes */
static int by_group(const void *p, const void *q)
{
    const Decision *a = p, *b = q;
    if (a->file != b->file)
        return (uintptr_t)a->file < (uintptr_t)b->file ? -1 : 1;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    if (a->where != b->where)
        return a->where < b->where ? -1 : 1;
    if (a->x != b->x)
        return a->x < b->x ? -1 : 1;
    return a->y < b->y ? -1 : a->y > b->y;
}

/* the group of a size that begins at decision i */
static DecisionGroup group_at(const Decisions *all, size_t i)
{
    DecisionGroup g = {&all->list.items[i], 1};
    while (i + g.n < all->list.n && same_group(g.d, &g.d[g.n]))
        g.n++;
    return g;
}

/* the group of a size that a decision belongs to; n = 0: there is none */
static DecisionGroup group_of(const Decisions *all, const Decision *d)
{
    size_t low = 0, high = all->list.n;
    Decision first = *d;
    first.x = first.y = -INFINITY;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (by_group(&all->list.items[mid], &first) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    if (low == all->list.n || !same_group(&all->list.items[low], d))
        return (DecisionGroup){0};
    return group_at(all, low);
}

/* has `all` each decision of a group? */
static bool has_decisions(DecisionGroup all, DecisionGroup g)
{
    size_t k = 0;
    for (size_t i = 0; i < g.n; i++, k++) {
        while (k < all.n && by_group(&all.d[k], &g.d[i]) < 0)
            k++;
        if (k == all.n || by_group(&all.d[k], &g.d[i]) != 0)
            return false;
    }
    return true;
}

/* x - y from lo to hi without gaps, where x or y is one number? */
static bool find_range(DecisionGroup g, double *lo, double *hi)
{
    bool one_x = true, one_y = true, good = true;
    *lo = INFINITY;
    *hi = -INFINITY;
    for (size_t i = 0; i < g.n; i++) {
        const Decision *d = &g.d[i];
        good &= d->compares && d->x == floor(d->x) && d->y == floor(d->y);
        one_x &= d->x == g.d[0].x;
        one_y &= d->y == g.d[0].y;
        *lo = fmin(*lo, d->x - d->y);
        *hi = fmax(*hi, d->x - d->y);
    }
    /* each pair is there once, so that their number shows whether some are missing */
    return good && (one_x || one_y) && *hi - *lo + 1 == (double)g.n;
}

/* a line through the ends of the small sizes, at n; false: there is none */
static bool end_at(const double *ends, long n, double *slope, double *end)
{
    *slope = (ends[1] - ends[0]) / (double)(small_sizes[1] - small_sizes[0]);
    *end = ends[0] + *slope * (double)(n - small_sizes[0]);
    bool good = *slope == floor(*slope);
    for (int k = 0; k < FAMILY_SIZES; k++)
        good &= ends[k] == ends[0] + *slope * (double)(small_sizes[k] - small_sizes[0]);
    return good;
}

/* are branches the same, or cut at a fixed distance from an end? See the head. */
static bool follows_ends(const DecisionGroup *groups, long n)
{
    double lo[FAMILY_SIZES + 1], hi[FAMILY_SIZES + 1], lo_slope, hi_slope;
    for (int k = 0; k < FAMILY_SIZES; k++)
        if (!find_range(groups[k], &lo[k], &hi[k]))
            return false;
    if (!end_at(lo, n, &lo_slope, &lo[FAMILY_SIZES]) ||
        !end_at(hi, n, &hi_slope, &hi[FAMILY_SIZES]))
        return false;
    bool above = lo_slope >= 0, below = hi_slope <= 0;
    bool at_lo = lo_slope == 0 && hi_slope > 0 && lo[0] >= -NEAR_END;
    bool at_hi = hi_slope == 0 && lo_slope < 0 && hi[0] <= NEAR_END;
    for (int k = 0; k <= FAMILY_SIZES; k++) {
        above &= lo[k] > 0;
        below &= hi[k] < 0;
        at_lo &= lo[k] <= 0 && hi[k] > 0;
        at_hi &= hi[k] >= 0 && lo[k] < 0;
    }
    return above || below || at_lo || at_hi;
}

/* Does one group hold? What the first size alone has come to are values of constants, which are
 * found once for all. */
static bool group_holds(Decisions *const *all, const Decision *d, long n)
{
    DecisionGroup groups[FAMILY_SIZES];
    bool same = true, everywhere = true;
    const DecisionGroup *first = NULL;
    for (int k = 0; k < FAMILY_SIZES; k++) {
        groups[k] = group_of(all[k], d);
        everywhere &= groups[k].n > 0;
        if (!groups[k].n)
            continue;
        same &= !first || has_decisions(*first, groups[k]);
        first = first ? first : &groups[k];
    }
    return same || (everywhere && follows_ends(groups, n));
}

bool decisions_hold(Decisions *const *all, long n, SourceSpan *at)
{
    for (int k = 0; k < FAMILY_SIZES; k++)
        if (all[k]->list.n)
            qsort(all[k]->list.items, all[k]->list.n, sizeof *all[k]->list.items, by_group);
    for (int k = 0; k < FAMILY_SIZES; k++)
        for (size_t i = 0; i < all[k]->list.n; i += group_at(all[k], i).n) {
            const Decision *d = &all[k]->list.items[i];
            if (group_holds(all, d, n))
                continue;
            *at = (SourceSpan){d->file, d->at, 1};
            return false;
        }
    return true;
}
