/* merged.c - what lieder show says about components that were flattened into a class: how many,
 * which, and why. The rule itself is inst_is_cell of lower.c. */
#include "front/external/external.h"
#include "front/lower/lower.h"

#include <stdio.h>
#include <string.h>

static size_t elements_of(const Member *m)
{
    return m->axis ? m->axis->n : 1;
}

/* a component that becomes a part of the cell of `top` */
static Inst *merged_child(const Lower *lower, Member *m)
{
    Front *f = lower->front;
    if (!m->component || (m->is_outer && !m->is_inner))
        return NULL;
    const Type *type = member_type(f, m);
    if (type->kind != TY_CLASS || is_record_class(type->class_) || is_expandable(type) ||
        is_external_object(type->class_) || !member_present(f, m))
        return NULL;
    Inst *child = member_child(f, m);
    bool part = child && !inst_is_connector(child) && !child->native && !child->template_ &&
                !inst_is_beside(lower, child);
    return part ? child : NULL;
}

/* components inside that have no components themselves */
static size_t count_merged(const Lower *lower, Inst *inst)
{
    size_t n = 0;
    for (size_t i = 0; i < inst->members.n; i++) {
        Inst *child = merged_child(lower, inst->members.items[i]);
        size_t inside = child ? count_merged(lower, child) : 0;
        n += child ? elements_of(inst->members.items[i]) * (inside ? inside : 1) : 0;
    }
    return n;
}

/* "resistor, diode[4], ..." */
static void list_merged(const Lower *lower, char *buffer, size_t size)
{
    const Inst *top = lower->top;
    size_t at = 0, n = 0;
    buffer[0] = '\0';
    for (size_t i = 0; i < top->members.n && at + 8 < size; i++) {
        Member *m = top->members.items[i];
        if (!merged_child(lower, m))
            continue;
        if (n++ == 8) {
            snprintf(buffer + at, size - at, ", ...");
            return;
        }
        at += (size_t)snprintf(buffer + at, size - at, "%s%.40s", n > 1 ? ", " : "", m->name);
        if (m->axis && at < size)
            at += (size_t)snprintf(buffer + at, size - at, "[%zu]", m->axis->n);
    }
}

/* the connector of its own that a component has, or NULL */
static const Member *own_connector(Front *f, const Inst *inst)
{
    for (size_t i = 0; i < inst->members.n; i++) {
        Member *m = inst->members.items[i];
        if (!m->component || m->is_protected || m->is_outer || !member_present(f, m))
            continue;
        Inst *child = member_type(f, m)->kind == TY_CLASS ? member_child(f, m) : NULL;
        if (child && inst_is_connector(child) && !child->domain)
            return m;
    }
    return NULL;
}

/* why components were flattened into one class */
static void say_why(const Lower *lower, char *buffer, size_t size)
{
    const Inst *top = lower->top;
    if (lower->nclosing) {
        snprintf(buffer, size,
                 "they form %s rigid loop%s: line %d of %.200s connects what moves together "
                 "already, so that states and forces are found for all of them together",
                 lower->nclosing == 1 ? "a" : "several", lower->nclosing == 1 ? "" : "s",
                 lower->closing.line, lower->closing.file ? lower->closing.file : "");
        return;
    }
    for (size_t i = 0; i < top->members.n; i++) {
        Member *m = top->members.items[i];
        Inst *child = merged_child(lower, m);
        const Member *connector = child ? own_connector(lower->front, child) : NULL;
        if (!connector)
            continue;
        snprintf(buffer, size,
                 "%.60s.%.60s is a %.80s: which way round equations across such a connector are "
                 "solved is found for all of them together",
                 m->name, connector->name,
                 member_type(lower->front, (Member *)connector)->class_->name);
        return;
    }
    snprintf(buffer, size, "the model around them has variables or equations of its own");
}

void merged_describe(const Lower *lower, MergedText *text)
{
    *text = (MergedText){.n = count_merged(lower, lower->top)};
    if (!text->n)
        return;
    list_merged(lower, text->names, sizeof text->names);
    say_why(lower, text->why, sizeof text->why);
}
