/* loop_follow.c - whether parameters that decide structure go on in the large model as they do in
 * the small ones. See loops.c.
 *
 * Integer, Boolean and enumeration parameters are numbers while equations are read: factors,
 * subscripts, conditions. Those that are one for all elements have been examined (same_parameter in
 * loops.c). The numbers of others, arrays and parameters of components in arrays, have to follow
 * from those of two small models: the first and last few elements are lines in the size, those
 * between them in their index, too. The other two small models and the large one are examined,
 * element by element.
 *
 * Real parameters are data, but a condition of the text may ask for their number: if k > 0 then ...
 * equations. Such numbers are the same in all small models (loop_decide.c) and have to be that in
 * the large one.
 */
#include "front/divide/loops.h"

#include <math.h>

enum { NENDS = 4, MAX_COORDINATES = 8, LARGE = FAMILY_SIZES };

/* ------------------------------------------------------------------ numbers of Real parameters */

/* sets the arrays of components around a member to the cursors of a key; false: outside */
static bool set_key(const LoopMaker *m, const Member *x, size_t key)
{
    Axis *inner[AXIS_DEPTH];
    size_t n = 0;
    for (Axis *axis = x->inst->axis; axis && axis != m->top->axis; axis = axis->outer)
        inner[n++] = axis;
    for (size_t i = n; key && i-- > 0; key /= inner[i]->n + 1) {
        const size_t digit = key % (inner[i]->n + 1);
        inner[i]->index = digit ? digit - 1 : 0;
    }
    return key == 0;
}

static void reset_axes(const LoopMaker *m, const Member *x)
{
    for (Axis *axis = x->inst->axis; axis && axis != m->top->axis; axis = axis->outer)
        axis->index = 0;
}

static bool same_structural(LoopMaker *m, const StructuralNumber *s)
{
    Member *large = loop_double(m, s->member);
    if (!large || !set_key(m, large, s->key))
        return false;
    const Value v = member_value(m->f, large, large->component->name_span);
    reset_axes(m, large);
    return (v.kind == V_REAL || v.kind == V_INTEGER) && s->element < v.n &&
           value_at(&v, s->element) == s->x;
}

/* ------------------------------------------------------------------ tables of numbers */

/* all numbers of a member in one of the models, the last coordinate fastest */
typedef struct NumberTable {
    long n;
    int ndim;
    size_t dim[MAX_COORDINATES];
    VEC(double) numbers;
} NumberTable;

/* the arrays of components around a member, outermost first */
static size_t axes_around(const Member *x, const Axis *top, Axis **axes)
{
    size_t n = 0;
    for (Axis *axis = x->inst->axis; axis && axis != top; axis = axis->outer)
        axes[n++] = axis;
    for (size_t i = 0; i < n / 2; i++) {
        Axis *swap = axes[i];
        axes[i] = axes[n - 1 - i];
        axes[n - 1 - i] = swap;
    }
    return n;
}

/* reads all numbers of a member; false: some have none, or another size */
static bool read_table(LoopMaker *m, Member *x, NumberTable *t)
{
    Front *f = m->f;
    Axis *axes[AXIS_DEPTH];
    const size_t naxis = axes_around(x, m->top->axis, axes);
    size_t total = 1;
    bool good = true;
    for (size_t a = 0; a < naxis; a++)
        for (int k = 0; k < axes[a]->ndim && good; k++) {
            good = t->ndim < MAX_COORDINATES;
            if (good)
                t->dim[t->ndim++] = axes[a]->dim[k];
            total *= axes[a]->dim[k];
        }
    const int outer = t->ndim;
    for (size_t i = 0; i < total && good; i++) {
        for (size_t a = naxis, rest = i; a-- > 0; rest /= axes[a]->n)
            axes[a]->index = rest % axes[a]->n;
        const Value v = member_value(f, x, x->component->name_span);
        good = v.kind >= V_REAL && v.kind <= V_ENUM && v.kind != V_STRING &&
               outer + v.ndim <= MAX_COORDINATES && spend(f, x->component->name_span, 1 + v.n);
        for (int k = 0; k < v.ndim && good; k++) {
            if (i == 0)
                t->dim[t->ndim++] = v.dim[k];
            good = outer + v.ndim == t->ndim && t->dim[outer + k] == v.dim[k];
        }
        for (size_t k = 0; k < v.n && good; k++)
            good = vec_push(f->alloc, &t->numbers, value_at(&v, k));
    }
    reset_axes(m, x);
    return good;
}

/* the number at coordinates */
static double table_at(const NumberTable *t, const size_t *at)
{
    size_t k = 0;
    for (int d = 0; d < t->ndim; d++)
        k = k * t->dim[d] + at[d];
    return t->numbers.items[k];
}

/* the element of a small table that stands for one of another table; `beyond`: how far it is from
 * there, in the middle */
static void stand_in(const NumberTable *t, const bool *grows, const NumberTable *of,
                     const size_t *at, size_t *to, size_t *beyond)
{
    for (int d = 0; d < t->ndim; d++) {
        const size_t left = of->dim[d] - 1 - at[d];
        beyond[d] = 0;
        to[d] = at[d];
        if (!grows[d] || at[d] < NENDS)
            continue;
        to[d] = left < NENDS ? t->dim[d] - 1 - left : NENDS;
        beyond[d] = left < NENDS ? 0 : at[d] - NENDS;
    }
}

/* the number that follows for an element of a table from two small ones */
static double follow_number(const NumberTable *a, const NumberTable *b, const bool *grows,
                            const NumberTable *of, const size_t *at)
{
    size_t in_a[MAX_COORDINATES], in_b[MAX_COORDINATES], beyond[MAX_COORDINATES],
        same[MAX_COORDINATES];
    stand_in(a, grows, of, at, in_a, beyond);
    stand_in(b, grows, of, at, in_b, same);
    const double x = table_at(a, in_a);
    double y = x + (table_at(b, in_b) - x) / (double)(b->n - a->n) * (double)(of->n - a->n);
    for (int d = 0; d < of->ndim; d++) {
        if (!beyond[d])
            continue;
        in_a[d]++;
        y += (double)beyond[d] * (table_at(a, in_a) - x);
        in_a[d]--;
    }
    return y;
}

/* do the numbers of a table follow from two small ones? */
static bool table_follows(const NumberTable *a, const NumberTable *b, const NumberTable *t)
{
    size_t at[MAX_COORDINATES];
    bool grows[MAX_COORDINATES];
    if (t->ndim != a->ndim || t->ndim != b->ndim)
        return false;
    for (int d = 0; d < t->ndim; d++) {
        grows[d] = a->dim[d] != b->dim[d];
        if (!grows[d] && t->dim[d] != a->dim[d])
            return false;
        /* room for both ends and a step between them */
        if (grows[d] &&
            (t->dim[d] < 2 * NENDS + 1 || a->dim[d] < 2 * NENDS + 2 || b->dim[d] < 2 * NENDS + 1))
            return false;
    }
    for (size_t i = 0; i < t->numbers.n; i++) {
        size_t rest = i;
        for (int d = t->ndim; d-- > 0; rest /= t->dim[d])
            at[d] = rest % t->dim[d];
        if (follow_number(a, b, grows, t, at) != t->numbers.items[i])
            return false;
    }
    return true;
}

/* ------------------------------------------------------------------ all parameters */

/* one parameter in the models */
static bool parameter_follows(LoopMaker *m, Member *const *x)
{
    NumberTable tables[FAMILY_SIZES + 1] = {{0}};
    bool good = true;
    for (int k = 0; k <= FAMILY_SIZES && good; k++) {
        tables[k].n = k == LARGE ? m->size.n : small_sizes[k];
        good = read_table(m, x[k], &tables[k]);
    }
    for (int k = 0; k <= FAMILY_SIZES && good; k++)
        good = table_follows(&tables[3], &tables[2], &tables[k]);
    for (int k = 0; k <= FAMILY_SIZES; k++)
        vec_drop(m->f->alloc, &tables[k].numbers);
    return good;
}

static bool instances_follow(LoopMaker *m, Inst *const *inst, const char **name);

/* one member of an instance and its doubles: the models in the order of sizes, the large one
 * last */
static bool double_follows(LoopMaker *m, Member *const *x, const char **name)
{
    Front *f = m->f;
    const Member *large = x[LARGE];
    if (!large->component || (large->is_outer && !large->is_inner))
        return true;
    const Type *type = member_type(f, x[LARGE]);
    if (type->kind == TY_NONE || !member_present(f, x[LARGE]) || is_expandable(type))
        return true;
    if (type->kind == TY_CLASS) {
        Inst *child[FAMILY_SIZES + 1];
        for (int k = 0; k <= FAMILY_SIZES; k++)
            if (!(child[k] = member_child(f, x[k])))
                return true;
        return instances_follow(m, child, name);
    }
    const bool number =
        type->kind == TY_INTEGER || type->kind == TY_BOOLEAN || type->kind == TY_ENUM;
    const bool one = !large->ndim && (!large->inst->axis || large->inst->axis == m->top->axis);
    if (!number || one || !member_is_parameter(large) || !member_binding(f, large))
        return true;
    *name = large->name;
    return parameter_follows(m, x);
}

/* all members of an instance and its doubles */
static bool instances_follow(LoopMaker *m, Inst *const *inst, const char **name)
{
    Front *f = m->f;
    const Inst *large = inst[LARGE];
    Member *x[FAMILY_SIZES + 1];
    bool good = true;
    if (large->native || large->domain || !enter(f, large->class_->span))
        return true;
    for (size_t i = 0; i < large->members.n && good; i++) {
        for (int k = 0; k <= FAMILY_SIZES; k++)
            x[k] = i < inst[k]->members.n ? inst[k]->members.items[i] : NULL;
        bool all = true;
        for (int k = 0; k <= FAMILY_SIZES; k++)
            all &= x[k] && x[k]->name == large->members.items[i]->name;
        good = !all || double_follows(m, x, name);
    }
    leave(f);
    return good;
}

bool parameters_follow(LoopMaker *m, const char **name)
{
    Inst *inst[FAMILY_SIZES + 1] = {[LARGE] = m->top};
    const Decisions *first = &m->small[0].decisions;
    LowerRandom *seed = m->f->random;
    bool good = true;
    m->f->random = NULL;
    for (size_t i = 0; i < first->structural.n && good; i++) {
        *name = first->structural.items[i].member->name;
        good = same_structural(m, &first->structural.items[i]);
    }
    for (int k = 0; k < FAMILY_SIZES; k++)
        inst[k] = m->small[k].top;
    good = good && instances_follow(m, inst, name);
    m->f->random = seed;
    return good;
}
