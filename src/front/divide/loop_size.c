/* loop_size.c - what the size of large arrays is, and the model with another one. See loops.c.
 *
 * A size is one of:
 *
 *   a parameter  an Integer parameter of the model, n, or of one of its components, pipe.n, that is
 *                given as a number; other sizes are set as by an override
 *   a number     of the text of the model: a dimension (Real x[1000]), or what a constant or final
 *                Integer is. Other sizes are put in place of this number, and of those next to it
 *                (999, 1001), wherever the text of the model has them as Integers
 *
 * A number that is meant otherwise, a density of 1000 beside 1000 elements, is replaced as well.
 * That does no harm: with the size that is wanted every number is what the text has, and that the
 * class follows evenly from the small sizes up to there is checked for all of them alike.
 *
 * Several sizes grow together, each as r + b n with integers of its own that give what is wanted at
 * one n: two pipes of 1000 and 500 elements have 22 and 11 in the first small model. So one number
 * is enough for the class, and nothing has to be known about which array belongs to which size.
 */
#include "front/divide/loops.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "front/lower/lower.h"

const long small_sizes[FAMILY_SIZES] = {11, 12, 14, 17};

/* ------------------------------------------------------------------ numbers of the text */

/* how far a number of the text may be from the size to move with it: ends of ranges */
enum { NEAR = 2 };

static bool is_inside(SourceSpan part, SourceSpan whole)
{
    return part.file == whole.file && part.at >= whole.at &&
           part.at + part.length <= whole.at + whole.length;
}

/* what a number is in the small model k */
static long small_number(const ArraySize *size, int k)
{
    return size->rest + size->slope * small_sizes[k];
}

/* the size that a number of the text stands for, or is next to; NULL: none */
static const ArraySize *size_of(const SizeNumbers *s, const Expr *e)
{
    for (size_t i = 0; i < s->sizes->count; i++) {
        const ArraySize *size = &s->sizes->items[i];
        if (!size->path && e->integer >= size->n - NEAR && e->integer <= size->n + NEAR)
            return size;
    }
    return NULL;
}

long long size_number(const Front *f, const Expr *e, Env env)
{
    const SizeNumbers *s = f->size_numbers;
    const ArraySize *size = s ? size_of(s, e) : NULL;
    if (!size || !is_inside(e->span, s->class_->span))
        return e->integer;
    const Inst *top = env.inst;
    while (top && top->parent)
        top = top->parent;
    for (int k = 0; k < FAMILY_SIZES; k++)
        if (top && top != s->large &&
            (top == s->small[k] || (k == s->making && top->class_ == s->class_)))
            return e->integer - size->n + small_number(size, k);
    return e->integer;
}

/* ------------------------------------------------------------------ small models */

Inst *small_instance(Front *f, SizeNumbers *numbers, int k)
{
    char text[24];
    Mod *mods = f->top_mods;
    for (size_t i = 0; i < numbers->sizes->count; i++) {
        const ArraySize *size = &numbers->sizes->items[i];
        if (!size->path)
            continue;
        snprintf(text, sizeof text, "%ld", small_number(size, k));
        char *value = arena_text(&f->work, text, strlen(text));
        FrontOverride o = {.name = size->path, .value = value};
        Mod *mod = value ? parse_override(f, &o, (Env){.inst = f->root}) : NULL;
        if (!mod)
            return NULL;
        mod->next = mods;
        mods = mod;
    }
    f->top = NULL;
    numbers->making = k;
    Inst *small =
        inst_create(f, &f->top_type, mods, NULL, NULL, NULL, numbers->large->class_->name_span);
    numbers->making = -1;
    numbers->small[k] = small;
    return small;
}

/* ------------------------------------------------------------------ sizes of a model */

typedef struct SizeFinder {
    Front *f;
    ArraySize *to;
    size_t n;
} SizeFinder;

static bool is_large(const Front *f, double n)
{
    return n > (double)small_sizes[FAMILY_SIZES - 1] && n >= (double)f->limits.loops && n < 1e9;
}

/* adds a size; one that is there, or as good as there, is none */
static void add_size(SizeFinder *s, const char *path, long n)
{
    char text[200];
    for (size_t i = 0; i < s->n && !path; i++)
        if (!s->to[i].path && n >= s->to[i].n - NEAR && n <= s->to[i].n + NEAR)
            return;
    if (s->n == MAX_ARRAY_SIZES)
        return;
    if (path)
        snprintf(text, sizeof text, "%.180s", path);
    else
        snprintf(text, sizeof text, "the number %ld", n);
    const char *kept = arena_text(&s->f->work, text, strlen(text));
    path = path ? arena_text(&s->f->work, path, strlen(path)) : NULL;
    if (kept)
        s->to[s->n++] = (ArraySize){.path = path, .text = kept, .n = n};
}

/* the number that an Integer parameter or constant is given as; 0: it is none, or a small one */
static long number_of(Front *f, Member *x)
{
    if (!x->component || !member_is_parameter(x) || member_type(f, x)->kind != TY_INTEGER ||
        !member_sizes(f, x) || x->ndim)
        return 0;
    /* a number itself, not one that follows from others */
    const Mod *mod = member_binding(f, x);
    if (!mod || !mod->modification || !mod->modification->value ||
        mod->modification->value->kind != EX_INTEGER)
        return 0;
    Value v = member_value(f, x, x->component->name_span);
    return v.kind == V_INTEGER && is_large(f, v.x) ? (long)v.x : 0;
}

static bool may_be_set(const Member *x)
{
    bool final = x->element->final;
    for (const Mod *mod = x->mods; mod && !final; mod = mod->next)
        final = mod->final;
    return !final && x->prefix.variability != VARY_CONSTANT;
}

/* parameters of the model itself, then numbers of its text */
static void find_own(SizeFinder *s, Inst *inst)
{
    Front *f = s->f;
    for (size_t i = 0; i < inst->members.n; i++) {
        Member *x = inst->members.items[i];
        long n = number_of(f, x);
        if (n && may_be_set(x))
            add_size(s, x->name, n);
    }
    for (size_t i = 0; i < inst->members.n; i++) {
        Member *x = inst->members.items[i];
        const Mod *mod = x->component ? member_binding(f, x) : NULL;
        long n = number_of(f, x);
        if (n && !may_be_set(x) && is_inside(mod->modification->span, inst->class_->span))
            add_size(s, NULL, n);
        const ExprList *lists[] = {x->component ? &x->component->subscripts : NULL,
                                   x->component ? &x->component->type_subscripts : NULL};
        for (int k = 0; k < 2; k++)
            for (size_t j = 0; lists[k] && j < lists[k]->n; j++) {
                const Expr *e = lists[k]->items[j];
                if (e->kind == EX_INTEGER && is_large(f, (double)e->integer) &&
                    is_inside(e->span, inst->class_->span))
                    add_size(s, NULL, (long)e->integer);
            }
    }
}

/* parameters of its components: pipe.n */
static void find_inside(SizeFinder *s, Inst *inst)
{
    Front *f = s->f;
    char path[200];
    for (size_t i = 0; i < inst->members.n; i++) {
        Member *x = inst->members.items[i];
        size_t nwrong = f->nwrong;
        if (!x->component || x->is_outer || x->is_inner || x->component->condition ||
            x->component->subscripts.n || x->component->type_subscripts.n ||
            member_type(f, x)->kind != TY_CLASS || is_expandable(member_type(f, x)))
            continue;
        Inst *child = f->nwrong == nwrong ? member_child(f, x) : NULL;
        if (f->nwrong != nwrong)
            return;
        if (!child || child->native || child->domain || child->axis != inst->axis)
            continue;
        for (size_t k = 0; k < child->members.n; k++) {
            Member *y = child->members.items[k];
            long n = number_of(f, y);
            if (!n || !may_be_set(y))
                continue;
            snprintf(path, sizeof path, "%.90s.%.90s", x->name, y->name);
            add_size(s, path, n);
        }
    }
}

size_t find_array_sizes(Front *f, Inst *inst, ArraySize *to)
{
    SizeFinder s = {.f = f, .to = to};
    find_own(&s, inst);
    find_inside(&s, inst);
    /* where one alone grows, the others are small */
    for (size_t i = 1; i < s.n; i++)
        for (size_t k = i; k > 0 && to[k].n > to[k - 1].n; k--) {
            const ArraySize x = to[k];
            to[k] = to[k - 1];
            to[k - 1] = x;
        }
    return s.n;
}

/* ------------------------------------------------------------------ several sizes */

/* All sizes as rest + slope n. Returns how many elements an array with all of them as indices has
 * in the largest of the small models; INFINITY: they cannot be that. */
static double divide_sizes(ArraySizes *all, long n)
{
    enum { MAX_SLOPE = 12, MAX_SMALL = 130 }; /* small models stay small */
    double product = 1;
    all->n = n;
    for (size_t i = 0; i < all->count; i++) {
        ArraySize *size = &all->items[i];
        size->slope = size->n / n;
        size->rest = size->n - size->slope * n;
        long small = small_number(size, FAMILY_SIZES - 1);
        if (size->slope > MAX_SLOPE || small > MAX_SMALL)
            return INFINITY;
        product *= (double)small;
    }
    return product;
}

bool join_array_sizes(const ArraySize *list, size_t n, ArraySizes *to)
{
    enum { MAX_PARTS = 6 };
    *to = (ArraySizes){.count = n};
    memcpy(to->items, list, n * sizeof *list);
    long least = list[0].n, best = 0;
    double fewest = INFINITY;
    for (size_t i = 0; i < n; i++) {
        size_t at = strlen(to->text);
        snprintf(to->text + at, sizeof to->text - at, "%s%.45s", i ? " and " : "", list[i].text);
        least = list[i].n < least ? list[i].n : least;
    }
    for (long parts = 1; parts <= MAX_PARTS; parts++) {
        bool large = least / parts > small_sizes[FAMILY_SIZES - 1];
        double elements = large ? divide_sizes(to, least / parts) : INFINITY;
        if (elements < fewest) {
            best = least / parts;
            fewest = elements;
        }
    }
    return best && isfinite(divide_sizes(to, best));
}
