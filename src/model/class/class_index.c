/* class_index.c - where the members of a class are, by name, by member and by place in the struct.
 *
 * A class of the library has some twenty members, a class made of a text with arrays ten thousand,
 * and callers search for each of them. The index is made with the class:
 *
 *   members   by hash of the name: 1 + the first member of this name
 *   named     by hash of the name: 1 + the first slot of this name
 *   slot_of   by member, then by port: its first slot, or -1
 *   place     by real of the struct: 1 + the member that decides how it is accessed
 *   variable  by member: 1 + its first variable, when these are listed (variables.c)
 */
#include <string.h>

#include "model/class/session.h"

static const char *name_of_slot(const LiederClass *class_, int slot)
{
    const Slot *s = &class_->slots[slot];
    return s->member ? s->member->name : class_->def->ports[s->port].name;
}

static const char *name_of_member(const LiederClass *class_, int member)
{
    return class_->def->members[member].name;
}

typedef const char *NameOf(const LiederClass *class_, int i);

/* the position of a name in a table, or the empty one where it belongs */
static size_t find_indexed(const LiederClass *class_, const int32_t *table, NameOf *name_of,
                           const char *name, size_t length)
{
    size_t last = class_->index.ntable - 1;
    size_t at = (size_t)hash_bytes(HASH_SEED, name, length) & last;
    for (; table[at]; at = (at + 1) & last) {
        const char *other = name_of(class_, table[at] - 1);
        if (strncmp(other, name, length) == 0 && !other[length])
            break;
    }
    return at;
}

static void enter_name(const LiederClass *class_, int32_t *table, NameOf *name_of, int i)
{
    const char *name = name_of(class_, i);
    int32_t *at = &table[find_indexed(class_, table, name_of, name, strlen(name))];
    if (!*at)
        *at = i + 1;
}

/* how many reals of the struct belong to a member */
static int member_length(const LiederMember *m)
{
    return m->kind == LIEDER_PARAMETER && m->length > 1 ? m->length : 1;
}

static void enter_place(ClassIndex *index, int place, int member)
{
    if (place >= 0 && (size_t)place < index->nplace && !index->place[place])
        index->place[place] = member + 1;
}

/* `place` for the reals of parameters, states, memory and unknowns with their residuals */
static void enter_places(const LiederClassDef *def, ClassIndex *index)
{
    for (int i = 0; i < def->nmember; i++) {
        const LiederMember *m = &def->members[i];
        bool unknown = m->kind == LIEDER_UNKNOWN;
        if (!unknown && m->kind != LIEDER_PARAMETER && !member_has_start(m))
            continue;
        for (int k = 0; k < member_length(m); k++)
            enter_place(index, m->index + k, i);
        if (unknown)
            enter_place(index, m->other, i);
    }
}

static size_t count_places(const LiederClassDef *def)
{
    int n = 0;
    for (int i = 0; i < def->nmember; i++) {
        const LiederMember *m = &def->members[i];
        if (m->index + member_length(m) > n)
            n = m->index + member_length(m);
        if (m->kind == LIEDER_UNKNOWN && m->other >= n)
            n = m->other + 1;
    }
    return (size_t)n;
}

bool class_index_make(LiederClass *class_, const LiederAllocator *alloc)
{
    const LiederClassDef *def = class_->def;
    ClassIndex *index = &class_->index;
    size_t nowner = (size_t)(def->nmember + def->nport);
    *index = (ClassIndex){.ntable = 8, .nplace = count_places(def)};
    while (index->ntable < 2 * (nowner + 1))
        index->ntable *= 2;
    index->nitem = 2 * index->ntable + nowner + index->nplace + (size_t)def->nmember;
    index->members = memory_zeroed(alloc, index->nitem * sizeof *index->members);
    if (!index->members)
        return false;
    index->named = index->members + index->ntable;
    index->slot_of = index->named + index->ntable;
    index->place = index->slot_of + nowner;
    index->variable = index->place + index->nplace;
    for (size_t i = 0; i < nowner; i++)
        index->slot_of[i] = -1;
    for (int i = 0; i < def->nmember; i++)
        enter_name(class_, index->members, name_of_member, i);
    for (int s = 0; s < class_->nslot; s++) {
        const Slot *slot = &class_->slots[s];
        long owner = slot->member ? slot->member - def->members : def->nmember + slot->port;
        enter_name(class_, index->named, name_of_slot, s);
        if (index->slot_of[owner] < 0)
            index->slot_of[owner] = s;
    }
    enter_places(def, index);
    return true;
}

void class_index_drop(LiederClass *class_, const LiederAllocator *alloc)
{
    memory_free(alloc, class_->index.members, class_->index.nitem * sizeof(int32_t));
    class_->index = (ClassIndex){0};
}

int class_slot_named(const LiederClass *class_, const char *name, size_t length)
{
    const ClassIndex *index = &class_->index;
    return index->named[find_indexed(class_, index->named, name_of_slot, name, length)] - 1;
}

int class_member_named(const LiederClass *class_, const char *name, size_t length)
{
    const ClassIndex *index = &class_->index;
    return index->members[find_indexed(class_, index->members, name_of_member, name, length)] - 1;
}

const LiederMember *class_find_member(const LiederClass *class_, const char *name, size_t length)
{
    int m = class_->def ? class_member_named(class_, name, length) : -1;
    return m < 0 ? NULL : &class_->def->members[m];
}

int class_slot_of_member(const LiederClass *class_, const LiederMember *member)
{
    return class_->index.slot_of[member - class_->def->members];
}

int class_slot_of_port(const LiederClass *class_, int port)
{
    return class_->index.slot_of[class_->def->nmember + port];
}

const LiederMember *class_member_at(const LiederClass *class_, int place)
{
    const ClassIndex *index = &class_->index;
    bool known = place >= 0 && (size_t)place < index->nplace && index->place[place];
    return known ? &class_->def->members[index->place[place] - 1] : NULL;
}
