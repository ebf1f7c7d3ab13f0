/* message.c - the JSON object of a request: which values it may have. */
#include "view/message.h"

#include <math.h>
#include <string.h>

/* the kind that all values inside a member must have */
static JsonKind kind_inside(const JsonValue *member)
{
    return member->kind == JSON_LIST ? JSON_NUMBER : JSON_TEXT;
}

/* NULL: the member may stand here */
static const char *member_problem(const JsonValue *object, const JsonValue *member)
{
    if (member->kind == JSON_NULL)
        return "a value is null";
    for (const JsonValue *v = member->first; v; v = v->next)
        if (v->kind != kind_inside(member))
            return "a list has numbers, an object inside has texts, and nothing else";
    for (const JsonValue *v = object->first; v != member; v = v->next)
        if (strcmp(v->name, member->name) == 0)
            return "a member stands twice";
    return NULL;
}

bool message_read(Message *m, const LiederAllocator *alloc, const char *bytes, size_t n)
{
    *m = (Message){0};
    arena_init(&m->arena, alloc);
    const JsonValue *object = json_tree_read(&m->arena, bytes, n, &m->reason);
    if (object && object->kind != JSON_OBJECT)
        m->reason = "it is no object";
    size_t members = 0;
    for (const JsonValue *v = object ? object->first : NULL; v && !m->reason; v = v->next)
        m->reason =
            ++members > MESSAGE_MAX_MEMBERS ? "it has too many members" : member_problem(object, v);
    m->object = m->reason ? NULL : object;
    return m->object;
}

void message_drop(Message *m)
{
    arena_drop(&m->arena);
}

/* ------------------------------------------------------------------ members by name */

const JsonValue *message_find(const Message *m, const char *name, JsonKind kind)
{
    const JsonValue *found = json_tree_member(m->object, name);
    return found && found->kind == kind ? found : NULL;
}

const char *message_text(const Message *m, const char *name)
{
    const JsonValue *found = message_find(m, name, JSON_TEXT);
    return found ? found->text : NULL;
}

double message_number(const Message *m, const char *name)
{
    const JsonValue *found = message_find(m, name, JSON_NUMBER);
    return found ? found->number : NAN;
}

bool message_flag(const Message *m, const char *name)
{
    const JsonValue *found = message_find(m, name, JSON_FLAG);
    return found && found->number != 0;
}
