/* describe.c - the classes of the library for a reader, as the syntax tree has them: names and
 * texts as a list, and the members of a class with their types, units, defaults and texts. */
#include <string.h>

#include "front/front.h"
#include "front/names/load.h"

/* what a list shows: classes that can be used in a model, and the connectors between them */
static bool is_shown(const Front *f, const Class *class_)
{
    if (class_->kind == CLASS_CONNECTOR)
        return true; /* classes in C have theirs nowhere else */
    return class_->span.file != f->library && !class_->partial &&
           (class_->kind == CLASS_MODEL || class_->kind == CLASS_BLOCK ||
            class_->kind == CLASS_FUNCTION);
}

/* the classes in one, the class itself first; `name` has its full name in front of `at` */
static void visit_class(const Front *f, const Class *class_, char *name, size_t at, size_t size,
                        FrontVisit *visit, void *user)
{
    int n = snprintf(name + at, size - at, "%s%s", at ? "." : "", class_->name);
    if (n < 0 || at + (size_t)n >= size)
        return;
    if (is_shown(f, class_))
        visit(user, name, class_->comment.text);
    if (class_->kind != CLASS_PACKAGE)
        return;
    for (size_t i = 0; i < class_->elements.n; i++)
        if (class_->elements.items[i]->kind == EL_CLASS)
            visit_class(f, class_->elements.items[i]->class_, name, at + (size_t)n, size, visit,
                        user);
    name[at] = '\0';
}

void front_visit_library(const Front *f, FrontVisit *visit, void *user)
{
    char name[256];
    for (size_t i = 0; i < f->nlibrary; i++)
        visit_class(f, f->tops.items[i]->class_, name, 0, sizeof name, visit, user);
}

/* the class that is meant by the rest of a dotted name, or NULL */
static const Class *find_inside(const Class *package, const char *name)
{
    size_t length = strcspn(name, ".");
    for (size_t i = 0; i < package->elements.n; i++) {
        const ClassElement *e = package->elements.items[i];
        if (e->kind != EL_CLASS || strlen(e->class_->name) != length ||
            memcmp(e->class_->name, name, length) != 0)
            continue;
        return name[length] ? find_inside(e->class_, name + length + 1) : e->class_;
    }
    return NULL;
}

/* by full name; that of Dialectic may be left out. Its body is read now if it was not before. */
static const Class *find_class(const Front *f, const char *name)
{
    for (size_t i = 0; i < f->tops.n; i++) {
        const Class *top = f->tops.items[i]->class_, *found = NULL;
        size_t length = strlen(top->name);
        if (strcmp(top->name, name) == 0)
            found = top;
        else if (strncmp(top->name, name, length) == 0 && name[length] == '.')
            found = find_inside(top, name + length + 1);
        if (!found && strcmp(top->name, "Dialectic") == 0)
            found = find_inside(top, name);
        if (found && found->pending)
            load_pending((Front *)f, (Class *)found);
        if (found)
            return found;
    }
    return NULL;
}

/* ------------------------------------------------------------------ the members of a class */

enum { TEXT = 256, DEPTH = 16 };

/* the text of a node as it is written, blanks and line ends as one blank */
static const char *source_of(SourceSpan span, char *buffer)
{
    size_t n = 0;
    for (uint32_t i = 0; span.file && i < span.length && n + 4 < TEXT; i++) {
        char c = span.file->text[span.at + i];
        bool blank = c == ' ' || c == '\n' || c == '\t';
        if (!blank || (n && buffer[n - 1] != ' '))
            buffer[n++] = blank ? ' ' : c;
        if (n + 4 == TEXT) {
            memcpy(buffer + n, "...", 3);
            n += 3;
        }
    }
    buffer[n] = '\0';
    return buffer;
}

static const char *dotted(const Ref *ref, char *buffer)
{
    size_t n = 0;
    for (; ref && n + 1 < TEXT; ref = ref->rest)
        n += (size_t)snprintf(buffer + n, TEXT - n, "%s%s", n ? "." : "", ref->name);
    return buffer;
}

/* the class that a name means in a scope ("Dialectic.Planar.Contact"), from the inside out */
static const Class *find_from(const Front *f, const char *scope, const char *name)
{
    char path[2 * TEXT];
    for (size_t n = strlen(scope);;) {
        snprintf(path, sizeof path, "%.*s%s%s", (int)n, scope, n ? "." : "", name);
        const Class *found = find_class(f, path);
        if (found || n == 0)
            return found;
        while (n > 0 && scope[n - 1] != '.')
            n--;
        n -= n > 0; /* the dot */
    }
}

/* an attribute of a modification, or "" */
static const char *attribute(const Modification *m, const char *name, char *buffer)
{
    for (size_t i = 0; m && i < m->arguments.n; i++) {
        const Argument *a = m->arguments.items[i];
        if (a->kind != AR_MODIFY || strcmp(a->name->name, name) != 0 || !a->modification ||
            !a->modification->value)
            continue;
        const Expr *value = a->modification->value;
        return value->kind == EX_STRING ? value->text : source_of(value->span, buffer);
    }
    return "";
}

static bool is_predefined(const char *type)
{
    return strcmp(type, "Real") == 0 || strcmp(type, "Integer") == 0 ||
           strcmp(type, "Boolean") == 0 || strcmp(type, "String") == 0;
}

static FrontPartKind kind_of(const ComponentDecl *c, const Class *type)
{
    if (c->prefix.causality != CAUSE_NONE ||
        (type && (type->kind == CLASS_CONNECTOR || type->kind == CLASS_EXPANDABLE_CONNECTOR)))
        return FRONT_CONNECTOR;
    if (c->prefix.variability == VARY_PARAMETER || c->prefix.variability == VARY_CONSTANT)
        return FRONT_PARAMETER;
    return type && (type->kind == CLASS_MODEL || type->kind == CLASS_BLOCK) ? FRONT_COMPONENT
                                                                            : FRONT_VARIABLE;
}

/* name and dimensions: "r[2]" */
static const char *name_of(const ComponentDecl *c, char *buffer)
{
    size_t n = (size_t)snprintf(buffer, TEXT, "%s", c->name);
    const ExprList *lists[] = {&c->subscripts, &c->type_subscripts};
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < lists[k]->n && n + 1 < TEXT; i++) {
            char one[TEXT];
            n += (size_t)snprintf(buffer + n, TEXT - n, "%s%s%s", i ? ", " : "[",
                                  source_of(lists[k]->items[i]->span, one),
                                  i + 1 == lists[k]->n ? "]" : "");
        }
    return buffer;
}

/* what a declaration says, as texts */
static void visit_component(const Front *f, const char *scope, const ClassElement *e,
                            FrontPartVisit *visit, void *user)
{
    const ComponentDecl *c = e->component;
    char name[TEXT], type[TEXT], full[TEXT + 8], unit[TEXT], value[TEXT], least[TEXT], most[TEXT];
    dotted(c->type, type);
    const Class *class_ = is_predefined(type) ? NULL : find_from(f, scope, type);
    const Modification *m = c->modification;
    FrontPart part = {.kind = kind_of(c, class_),
                      .name = name_of(c, name),
                      .type = full,
                      .role = c->prefix.connection == CONNECT_FLOW ? "flow" : "",
                      .unit = attribute(m, "unit", unit),
                      .min = attribute(m, "min", least),
                      .max = attribute(m, "max", most),
                      .text = e->comment.text ? e->comment.text : "",
                      .bound = m && m->value};
    part.value = m && m->value                 ? source_of(m->value->span, value)
                 : part.kind == FRONT_VARIABLE ? attribute(m, "start", value)
                                               : "";
    snprintf(full, sizeof full, "%s%s",
             c->prefix.causality == CAUSE_INPUT    ? "input "
             : c->prefix.causality == CAUSE_OUTPUT ? "output "
                                                   : "",
             type);
    visit(user, &part);
}

/* members of the class and, where it extends them, of others; `scope` is its full name */
static void visit_members(const Front *f, const Class *class_, const char *scope, int depth,
                          FrontPartVisit *visit, void *user)
{
    for (size_t i = 0; depth < DEPTH && i < class_->elements.n; i++) {
        const ClassElement *e = class_->elements.items[i];
        char name[TEXT], inner[2 * TEXT];
        if (e->kind == EL_EXTENDS) {
            const Class *base = find_from(f, scope, dotted(e->extends->type, name));
            /* names in it are meant where it stands, which is most often beside the class */
            snprintf(inner, sizeof inner, "%s", scope);
            if (base && base != class_)
                visit_members(f, base, inner, depth + 1, visit, user);
        } else if (e->kind == EL_COMPONENT && !e->is_protected && !e->outer) {
            visit_component(f, scope, e, visit, user);
        }
    }
}

bool front_describe_class(const Front *f, const char *name, const char **kind, const char **text,
                          FrontPartVisit *visit, void *user)
{
    const Class *class_ = find_class(f, name);
    if (!class_)
        return false;
    char scope[2 * TEXT] = "";
    const Class *chain[DEPTH];
    int n = 0;
    for (const Class *c = class_; c && n < DEPTH; c = c->parent)
        chain[n++] = c;
    for (int i = n; i-- > 0;)
        snprintf(scope + strlen(scope), sizeof scope - strlen(scope), "%s%s", *scope ? "." : "",
                 chain[i]->name);
    *kind = class_kind_text(class_->kind);
    *text = class_->comment.text;
    if (class_->form == FORM_SHORT) {
        char base[TEXT];
        FrontPart part = {.kind = FRONT_VARIABLE,
                          .name = dotted(class_->base, base),
                          .type = "",
                          .role = "",
                          .unit = "",
                          .value = "",
                          .min = "",
                          .max = "",
                          .text = "itself"};
        visit(user, &part);
        return true;
    }
    for (size_t i = 0; class_->form == FORM_ENUM && i < class_->literals.n; i++) {
        const EnumLiteral *literal = class_->literals.items[i];
        const char *said = literal->comment.text;
        visit(user, &(FrontPart){.kind = FRONT_VARIABLE,
                                 .name = literal->name,
                                 .type = "literal",
                                 .role = "",
                                 .unit = "",
                                 .value = "",
                                 .min = "",
                                 .max = "",
                                 .text = said ? said : ""});
    }
    visit_members(f, class_, scope, 0, visit, user);
    return true;
}
