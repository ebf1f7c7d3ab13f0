/* differing.c - arrays of components whose elements differ in structure.
 *
 *   Pipe pipe[3](n = {2, 5, 3})      sizes
 *   Wheel wheel[4](driven = {true, true, false, false})     conditional components
 *
 * An array of components has one Inst for all its elements (semantic.h). Where a size, a condition
 * or a count turns out to be another one for each element, that cannot be: the attempt that meets
 * it fails, keeps the declarations of the arrays that the value depends on (Front.differing), and
 * front_instantiate begins again. In the next attempt each element of these arrays has an Inst of
 * its own, as if it were a component of another class; the Axis stays, so that modifiers, memos,
 * keys and names (pipe[2].T[5]) are those of any other array. Whoever goes through the elements
 * sets the cursor and asks member_child, which returns the Inst of the element at the cursor.
 *
 * The model that has such an array is solved as one system: an array of the engine has one class.
 */
#include "front/instance/semantic.h"

/* was the declaration noted by an attempt before this one? */
static bool is_noted(const Front *f, const ComponentDecl *component)
{
    for (size_t i = 0; i < f->differing.n; i++)
        if (f->differing.items[i] == component)
            return true;
    return false;
}

bool member_differs(Front *f, Member *m)
{
    return f->differing.n > 0 && m->component && is_noted(f, m->component) &&
           member_type(f, m)->kind == TY_CLASS && member_sizes(f, m) && m->ndim > 0;
}

bool inst_has_differing(Front *f, const Inst *inst)
{
    for (size_t i = 0; f->differing.n > 0 && i < inst->members.n; i++)
        if (member_differs(f, inst->members.items[i]))
            return true;
    return false;
}

void note_differing(Front *f, unsigned long long touched, const Inst *where)
{
    for (const Axis *axis = where ? where->axis : NULL; axis; axis = axis->outer) {
        const Member *m = touched >> axis->depth & 1 && !axis->differs
                              ? inst_listed(axis->owner, NULL, axis->name)
                              : NULL;
        if (!m || !m->component || is_noted(f, m->component))
            continue;
        if (!vec_push(f->alloc, &f->differing, m->component))
            f->work.failed = true;
    }
}

unsigned long long differing_axes(const Axis *axis)
{
    unsigned long long set = 0;
    for (; axis; axis = axis->outer)
        if (axis->differs)
            set |= 1ull << axis->depth;
    return set;
}
