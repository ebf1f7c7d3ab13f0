/* known.c - numbers of a record that are 0, 1 or -1 whatever the states are.
 *
 * Models are full of them: the other coordinate of a direction, an offset that is not there, the
 * potentials of the ground. Generated code has them folded in, which removes most of the difference
 * between general components and equations written by hand for one mechanism. It is valid as long
 * as these numbers are the same, so they are kept, and compared when parameters have changed.
 *
 * They are found by a trial: two records full of different arbitrary values get the parameters,
 * constant blocks run on them, and numbers that are then equal in both follow from parameters. Left
 * out are open inputs, which a program may set in every step, and all that depends on parameters
 * that differ between lanes. */
#include "model/system/system.h"

#include <string.h>

typedef struct KnownSearch {
    const Program *p;
    uint8_t *may_change; /* by place: may be set in a run, or differs between lanes */
    bool found;          /* among the places visited */
} KnownSearch;

static void find_may_change(void *user, uint32_t first, uint32_t n)
{
    KnownSearch *s = user;
    for (uint32_t i = first; i < first + n && i < s->p->nreal; i++)
        s->found |= s->may_change[i];
}

static void mark_may_change(void *user, uint32_t first, uint32_t n)
{
    KnownSearch *s = user;
    for (uint32_t i = first; i < first + n && i < s->p->nreal; i++)
        s->may_change[i] = 1;
}

/* numbers that differ or may be set in a run, and all that constant blocks make of them */
static void collect_may_change(const SystemShape *ss, KnownSearch *s)
{
    const Program *p = s->p;
    for (size_t i = 0; i < p->parameters.n; i++) {
        const ParameterPlace *pp = &p->parameters.items[i];
        const LiederMember *m =
            ss->shape->components.items[pp->component].class_->slots[pp->slot].member;
        if (m && member_has_start(m))
            continue; /* constant blocks read no states, and generated code has its own */
        if (!m || m->kind != LIEDER_PARAMETER || slot_value(ss, pp)->lanes)
            mark_may_change(s, pp->place, 1);
    }
    for (size_t i = 0; i < p->constant.n; i++) {
        s->found = false;
        op_places(p, &p->constant.items[i], find_may_change, s);
        if (s->found)
            op_places(p, &p->constant.items[i], mark_may_change, s);
    }
}

bool known_find(SystemShape *ss, const LiederAllocator *alloc, Known *to)
{
    const Program *p = &ss->plan.lean;
    size_t lanes = (size_t)p->lanes, n = ss->strip_bytes / sizeof(double);
    KnownSearch s = {.p = p, .may_change = memory_zeroed(alloc, p->nreal)};
    double *a = memory_aligned(alloc, ss->strip_bytes), *b = memory_aligned(alloc, ss->strip_bytes);
    bool ok = s.may_change && a && b;
    to->places.n = 0;
    to->lanes = p->lane_parameters.n;
    to->differ = ss->values.lanes_differ;
    if (ok) {
        for (size_t i = 0; i < n; i++) {
            a[i] = 3.14 + 0.37 * (double)i;
            b[i] = -5.23 - 0.71 * (double)i;
        }
        collect_may_change(ss, &s);
        strip_fill(ss, &(Workspace){.strip = a});
        strip_fill(ss, &(Workspace){.strip = b});
    }
    for (uint32_t i = 0; ok && i < p->nreal; i++) {
        double value = a[i * lanes];
        if (!s.may_change[i] && i != LIEDER_ALARM && value == b[i * lanes] &&
            (value == 0 || value == 1 || value == -1))
            ok = vec_push(alloc, &to->places, ((LiederKnown){i, value}));
    }
    memory_free(alloc, s.may_change, p->nreal);
    memory_free_aligned(alloc, a, ss->strip_bytes);
    memory_free_aligned(alloc, b, ss->strip_bytes);
    return ok;
}

bool known_hold(const SystemShape *ss, const Known *known)
{
    const double *record = ss->workspace->strip;
    /* a parameter that all lanes shared may be another one in a lane that is not read below */
    if (known->lanes != ss->plan.lean.lane_parameters.n || known->differ != ss->values.lanes_differ)
        return false;
    for (size_t i = 0; i < known->places.n; i++)
        if (record[known->places.items[i].place * (size_t)ss->plan.lean.lanes] !=
            known->places.items[i].value)
            return false;
    return true;
}
