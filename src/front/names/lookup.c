/* lookup.c - names to members and classes.
 *
 * A simple name is looked up in the frame of indices and function variables, in the instance as
 * seen from the part where the name is written (what is inherited there, not what a derived class
 * adds), in the imports of that part, and then in the class around it; an encapsulated class
 * ends the search. The rest of a dotted name is looked up inside, without imports.
 */
#include <stdio.h>
#include <string.h>

#include "front/names/load.h"

/* ------------------------------------------------------------------ members by name */

static size_t hash_name(const char *name)
{
    return (size_t)(((uintptr_t)name >> 4) * 0x9e3779b97f4a7c15ull >> 20);
}

/* can a member be named from a part of the instance? */
static bool is_visible(const Member *m, const ClassPart *from)
{
    if (!from)
        return true;
    if (!m->part)
        return false;
    if (m->part->number >= from->number && m->part->number <= from->last)
        return true;
    for (const SharedBase *s = m->also; s; s = s->next)
        if (s->part->number >= from->number && s->part->number <= from->last)
            return true;
    for (const SharedBase *s = from->shared; s; s = s->next)
        if (m->part->number >= s->part->number && m->part->number <= s->part->last)
            return true;
    return false;
}

Member *inst_listed(const Inst *inst, const ClassPart *from, const char *name)
{
    if (inst->nindex) {
        for (size_t at = hash_name(name);; at++) {
            Member *m = inst->index[at & (inst->nindex - 1)];
            if (!m)
                return NULL;
            if (m->name == name)
                return is_visible(m, from) ? m : NULL;
        }
    }
    for (size_t i = 0; i < inst->members.n; i++)
        if (inst->members.items[i]->name == name)
            return is_visible(inst->members.items[i], from) ? inst->members.items[i] : NULL;
    return NULL;
}

Member *inst_find(const Inst *inst, const ClassPart *from, const char *name)
{
    Member *m = inst_listed(inst, from, name);
    Front *f = inst->front;
    if (!m && inst == f->root && f->libraries.n && load_from_libraries(f, name)) {
        inst_add_top(f, f->tops.items[f->tops.n - 1]);
        m = inst_listed(inst, from, name);
    }
    if (m && m->class_ && m->class_->pending)
        load_pending(f, (Class *)m->class_);
    return m;
}

/* ------------------------------------------------------------------ imports */

/* a class of the library whose last name this is, with its full name */
static bool find_in_library(const Class *class_, const char *name, char *buffer, size_t size)
{
    for (size_t i = 0; i < class_->elements.n; i++) {
        const ClassElement *e = class_->elements.items[i];
        if (e->kind != EL_CLASS)
            continue;
        if (e->class_->name == name) {
            size_t n = 0;
            if (class_->parent)
                n = (size_t)snprintf(buffer, size, "%s.", class_->parent->name);
            snprintf(buffer + n, size - n, "%s.%s", class_->name, name);
            return true;
        }
        if (e->class_->kind == CLASS_PACKAGE && find_in_library(e->class_, name, buffer, size))
            return true;
    }
    return false;
}

/* "did you mean ..." of a class of the library that has the last name of a dotted one; or
 * nothing */
static void nearest_in_library(const Front *f, const Ref *name, char *hint, size_t size)
{
    char full[100];
    while (name->rest)
        name = name->rest;
    for (size_t i = 0; i < f->library->classes.n; i++)
        if (find_in_library(f->library->classes.items[i], name->name, full, sizeof full)) {
            snprintf(hint, size, "did you mean '%s'?", full);
            return;
        }
}

/* the class or package that an import names, from the root */
static Member *find_global(Front *f, const Ref *name, const char *last, SourceSpan span,
                           bool report)
{
    Inst *inst = f->root;
    Member *m = NULL;
    char buffer[100], hint[140];
    for (const Ref *r = name; r || last; r = r ? r->rest : NULL) {
        const char *word = r ? r->name : last;
        if (!r)
            last = NULL;
        m = inst_find(inst, NULL, word);
        if (!m || (m->is_protected && inst->class_)) {
            if (report) {
                NearestName nearest = {.name = word};
                for (size_t i = 0; i < inst->members.n; i++)
                    nearest_try(&nearest, inst->members.items[i]->name);
                nearest_text(&nearest, hint, sizeof hint);
                if (!*hint)
                    nearest_in_library(f, name, hint, sizeof hint);
                report_error(f, span, NULL, "import: there is no '%s' in '%s'\n%s", word,
                             inst->class_ ? inst->class_->name : "the top level",
                             *hint ? hint : "load the library first");
            }
            return NULL;
        }
        bool more = (r && r->rest) || last;
        if (!more)
            break;
        if (!m->class_ || (m->class_->kind != CLASS_PACKAGE && m->class_->kind != CLASS_CLASS &&
                           m->class_->kind != CLASS_OPERATOR_RECORD)) {
            if (report)
                report_error(f, span, NULL, "import: '%s' is no package\nimport from a package",
                             ref_text(name, buffer, sizeof buffer));
            return NULL;
        }
        inst = class_inst(f, m, span);
        if (!inst)
            return NULL;
    }
    return m;
}

/* a name that imports with .* bring in from several packages */
static void report_ambiguous(Front *f, const ClassElement *e, const Member *a, const Member *b,
                             const char *name)
{
    report_error(f, e->span, NULL,
                 "'%s' stands in '%s' and in '%s', which are both imported with .*\n"
                 "import the one that is meant by its name",
                 name, a->inst->class_ ? a->inst->class_->name : "",
                 b->inst->class_ ? b->inst->class_->name : "");
}

/* qualified imports come before those with .* */
static Member *find_import(Front *f, const Class *class_, const char *name)
{
    Member *first = NULL;
    for (int all = 0; all < 2; all++)
        for (size_t i = 0; i < class_->imports.n; i++) {
            const ClassElement *e = class_->imports.items[i];
            f->nimport++;
            if (e->import->all != (all == 1))
                continue;
            const Import *import = e->import;
            const Ref *last = import->name;
            while (last->rest)
                last = last->rest;
            Member *m = NULL;
            if (!enter(f, e->span))
                return NULL;
            if (import->all)
                m = find_global(f, import->name, name, e->span, false);
            else if (import->names.n == 0 && (import->alias ? import->alias : last->name) == name)
                m = find_global(f, import->name, NULL, ref_span(import->name), true);
            for (size_t k = 0; k < import->names.n; k++)
                if (import->names.items[k]->name == name)
                    m = find_global(f, import->name, name, import->names.items[k]->span, true);
            leave(f);
            if (m && !import->all)
                return m;
            if (m && first && m != first)
                report_ambiguous(f, e, first, m, name);
            first = first ? first : m;
        }
    return first;
}

/* ------------------------------------------------------------------ simple names */

static TypeKind predefined(const char *name)
{
    static const struct {
        const char *name;
        TypeKind kind;
    } types[] = {
        {"Real", TY_REAL}, {"Integer", TY_INTEGER}, {"Boolean", TY_BOOLEAN}, {"String", TY_STRING}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(name, types[i].name) == 0)
            return types[i].kind;
    return TY_NONE;
}

/* what an outer class stands for: the inner one of the same name around its instance */
static Member *inner_class(Front *f, Member *m)
{
    if (!m->class_ || !m->is_outer || m->inner)
        return m->inner && m->class_ ? m->inner : m;
    for (const Inst *in = m->inst->parent; in && !m->inner; in = in->parent) {
        Member *candidate = inst_find(in, NULL, m->name);
        if (candidate && candidate->class_ && candidate->is_inner)
            m->inner = candidate;
    }
    if (!m->inner && (m->inst->parent || m->inst == f->top))
        report_error(f, m->class_->name_span, m->inst,
                     "outer class '%s' has no inner '%s' around it\n%s", m->name, m->name,
                     m->inst->parent ? "declare an inner class of this name in a model around it"
                                     : "this model is meant to be a component of another one");
    return m->inner ? m->inner : m;
}

Found lookup(Front *f, Env env, const char *name)
{
    for (LocalName *frame = env.frame; frame; frame = frame->outer)
        if (frame->name == name)
            return (Found){.kind = FOUND_FRAME, .frame = frame};
    TypeKind type = predefined(name);
    if (type != TY_NONE)
        return (Found){.kind = FOUND_TYPE, .type = type};
    bool enclosing = false;
    for (;;) {
        Member *m = inst_find(env.inst, env.part, name);
        if (m)
            return (Found){
                .kind = FOUND_MEMBER, .member = inner_class(f, m), .enclosing = enclosing};
        if (!env.part)
            break;
        m = env.part->class_->imports.n ? find_import(f, env.part->class_, name) : NULL;
        if (m)
            return (Found){.kind = FOUND_MEMBER, .member = m};
        if (env.part->class_->encapsulated)
            break;
        env = env.part->outer;
        enclosing = true;
    }
    /* predefined classes begin with a capital, unlike functions, which are looked up all the time
     */
    if (strcmp(name, "Clock") == 0)
        return (Found){.kind = FOUND_TYPE, .type = TY_CLOCK};
    bool capital = *name >= 'A' && *name <= 'Z';
    Member *m = capital && f->predefined ? inst_listed(f->predefined, NULL, name) : NULL;
    return (Found){.kind = m ? FOUND_MEMBER : FOUND_NOTHING, .member = m};
}

bool base_is_missing(const Inst *inst)
{
    bool missing = false;
    for (const ClassPart *part = inst->parts; part; part = part->next)
        missing |= part->base_missing;
    return missing;
}

/* "import A.b", "import b = A.c" or "import A.{b, c}" of this name */
static bool is_imported(const Class *class_, const char *name)
{
    for (size_t i = 0; i < class_->imports.n; i++) {
        const Import *import = class_->imports.items[i]->import;
        const Ref *last = import->name;
        while (last->rest)
            last = last->rest;
        if (!import->all && !import->names.n &&
            (import->alias ? import->alias : last->name) == name)
            return true;
        for (size_t k = 0; k < import->names.n; k++)
            if (import->names.items[k]->name == name)
                return true;
    }
    return false;
}

bool is_missing_elsewhere(Env env, const char *name)
{
    for (; env.inst; env = env.part->outer) {
        if (base_is_missing(env.inst) || (env.part && is_imported(env.part->class_, name)))
            return true;
        if (!env.part)
            break;
    }
    return false;
}

bool is_own_class(Front *f, Env env, const char *name)
{
    Found found = lookup(f, env, name);
    return found.kind == FOUND_MEMBER && !found.member->component;
}

void nearest_names(Env env, bool classes, NearestName *nearest)
{
    for (LocalName *frame = env.frame; frame; frame = frame->outer)
        if (frame->name)
            nearest_try(nearest, frame->name);
    while (env.inst) {
        for (size_t i = 0; i < env.inst->members.n; i++)
            if (!classes || env.inst->members.items[i]->class_)
                nearest_try(nearest, env.inst->members.items[i]->name);
        if (!env.part)
            break;
        env = env.part->outer;
    }
}

/* ------------------------------------------------------------------ classes */

/* the type that other languages call by this name; "" for all others */
static const char *type_elsewhere(const char *name)
{
    static const char *const known[][2] = {
        {"real", "Real"},       {"double", "Real"},  {"float", "Real"},   {"number", "Real"},
        {"integer", "Integer"}, {"int", "Integer"},  {"Int", "Integer"},  {"boolean", "Boolean"},
        {"bool", "Boolean"},    {"Bool", "Boolean"}, {"string", "String"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i][0]) == 0)
            return known[i][1];
    return "";
}

/* a name that is nowhere; the library may have a class that ends in it */
static void report_unknown(Front *f, Env env, const Ref *name, const Ref *part, const Inst *inside)
{
    char whole[200], hint[140];
    NearestName nearest = {.name = part->name};
    if (reports_are_full(f) || (inside ? base_is_missing(inside)
                                       : !name->global && is_missing_elsewhere(env, part->name))) {
        f->nwrong++;
        return;
    }
    if (inside)
        for (size_t i = 0; i < inside->members.n; i++)
            nearest_try(&nearest, inside->members.items[i]->name);
    else
        nearest_names(env, true, &nearest);
    ref_text(name, whole, sizeof whole);
    nearest_text(&nearest, hint, sizeof hint);
    if (!inside && !name->rest && *type_elsewhere(name->name))
        snprintf(hint, sizeof hint, "the type is called %s", type_elsewhere(name->name));
    char places[400];
    if (!inside && !name->rest)
        nearest_in_library(f, name, hint, sizeof hint);
    for (size_t i = 0; inside && !*hint && i < f->library->classes.n; i++)
        if (f->library->classes.items[i]->name == part->name)
            snprintf(hint, sizeof hint,
                     "'%s' is no part of another package: leave out what "
                     "stands before it",
                     part->name);
    if (inside)
        report_error(f, part->span, env.inst, "there is no class '%s' in '%s'\n%s", part->name,
                     inside->class_ ? inside->class_->name : "the top level",
                     *hint ? hint : "lieder list shows the classes of the library");
    else
        report_error(f, part->span, env.inst, "there is no class '%s'\n%s", whole,
                     *hint ? hint : load_places(f, places, sizeof places));
}

Member *lookup_class(Front *f, Env env, const Ref *name, TypeKind *type)
{
    *type = TY_NONE;
    env.frame = NULL;
    Found found = {0};
    if (name->global) {
        found = lookup(f, (Env){.inst = f->root}, name->name);
    } else {
        found = lookup(f, env, name->name);
    }
    if (found.kind == FOUND_TYPE && !name->rest) {
        *type = found.type;
        return NULL;
    }
    if (found.kind != FOUND_MEMBER) {
        report_unknown(f, env, name, name, name->global ? f->root : NULL);
        return NULL;
    }
    Member *m = found.member;
    for (const Ref *r = name; r; r = r->rest) {
        if (!m->class_ && !r->rest) {
            report_error(f, r->span, env.inst,
                         "'%s' is a component, but a class is needed here\nname a class", r->name);
            return NULL;
        }
        if (!r->rest)
            break;
        /* a function of a component: world.gravityAcceleration */
        Member *component = m->class_ ? NULL : member_resolve(f, m, r->span);
        if (!m->class_ && (!component || member_type(f, component)->kind != TY_CLASS)) {
            if (component)
                report_error(f, r->span, env.inst,
                             "'%s' is a component, but a class is needed here\nname a class",
                             r->name);
            return NULL;
        }
        Inst *inside = component ? member_child(f, component) : class_inst(f, m, r->span);
        if (!inside)
            return NULL;
        Member *next = inst_find(inside, NULL, r->rest->name);
        if (!next) {
            report_unknown(f, env, name, r->rest, inside);
            return NULL;
        }
        if (next->is_protected) {
            report_error(f, r->rest->span, env.inst,
                         "'%s' is protected in '%s'\nmake it public there", r->rest->name,
                         inside->class_ ? inside->class_->name : "");
            return NULL;
        }
        m = next;
    }
    return m;
}

Type lookup_type(Front *f, Env env, const Ref *name)
{
    TypeKind type;
    if (!enter(f, name->span))
        return (Type){0};
    Member *m = lookup_class(f, env, name, &type);
    Type result = {.kind = type};
    if (m)
        result = type_follow(f, class_type(f, m), ref_span(name));
    leave(f);
    return result;
}
