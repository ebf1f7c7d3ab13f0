/* type.c - the class that a name stands for: short definitions, enumerations and simple types are
 * followed to the class, enumeration or predefined type behind them. */
#include <string.h>

#include "front/instance/semantic.h"

const char *library_mark(const Front *f, const Class *class_, const char *key)
{
    if (!class_ || class_->span.file != f->library)
        return NULL;
    for (size_t i = 0; i < class_->comment.annotation.n; i++) {
        const Argument *a = class_->comment.annotation.items[i];
        if (a->kind != AR_MODIFY || strcmp(a->name->name, "__Lieder") != 0 || !a->modification)
            continue;
        for (size_t k = 0; k < a->modification->arguments.n; k++) {
            const Argument *mark = a->modification->arguments.items[k];
            if (mark->kind == AR_MODIFY && strcmp(mark->name->name, key) == 0)
                return mark->modification->value->text;
        }
    }
    return NULL;
}

Type class_type(Front *f, Member *m)
{
    (void)f;
    return (Type){.kind = TY_CLASS,
                  .class_ = m->class_,
                  .named = m->class_,
                  .env = m->env,
                  .mods = m->mods,
                  .restriction = m->class_->kind};
}

/* "type Angle extends Real(...)" means the same as the short form */
static const ClassElement *simple_base(Front *f, const Type *type)
{
    const Class *class_ = type->class_;
    if (class_->kind != CLASS_TYPE && class_->kind != CLASS_CONNECTOR)
        return NULL;
    for (size_t i = 0; i < class_->elements.n; i++) {
        const ClassElement *e = class_->elements.items[i];
        if (e->kind != EL_EXTENDS)
            continue;
        /* a type may extend a type of another name, also an array type */
        if (class_->kind == CLASS_TYPE &&
            lookup_type(f, type->env, e->extends->type).kind != TY_CLASS)
            return e;
        if (e->extends->type->rest)
            continue;
        Found found = lookup(f, type->env, e->extends->type->name);
        if (found.kind == FOUND_TYPE)
            return e;
    }
    return NULL;
}

/* function df = der(f, x, y): one more function that is differentiated by x and y */
static bool differentiate_by(Front *f, Type *type, const Class *class_)
{
    for (size_t i = 0; i < class_->inputs.n; i++) {
        DerivedBy *by = work_zeroed(f, sizeof *by);
        if (!by)
            return false;
        *by = (DerivedBy){type->by, class_->inputs.items[i]};
        type->by = by;
    }
    return true;
}

/* the sizes of a class that is an array of another go behind those of the type; false: no memory */
static bool append_sizes(Front *f, Type *type, const Class *class_)
{
    DimList *dims = class_->subscripts.n ? work_zeroed(f, sizeof *dims) : NULL;
    if (!dims)
        return class_->subscripts.n == 0;
    *dims = (DimList){.list = &class_->subscripts, .env = type->env};
    DimList **last = &type->dims;
    while (*last)
        last = &(*last)->next;
    *last = dims;
    return true;
}

/* of a class with a constraining clause, or a redeclared one, its own modifiers are in the list
 * already, see redeclare.c */
static bool has_modification(const Mod *mods, const Modification *modification)
{
    while (mods && modification && mods->modification != modification)
        mods = mods->next;
    return modification && mods;
}

/* type.class_ is another one by a short definition, or a simple type by a long one: type becomes
 * that. False after reporting an error. */
static bool follow_base(Front *f, Type *type, const Ref *name, const Modification *modification)
{
    const Class *class_ = type->class_;
    TypeKind predefined;
    Member *m = lookup_class(f, type->env, name, &predefined);
    if (!m && predefined == TY_NONE)
        return false;
    if (class_->form == FORM_DER && !(m && is_function_class(m->class_))) {
        report_error(f, ref_span(name), NULL, "'%s' is no function\nname a function", name->name);
        return false;
    }
    Mod *own = has_modification(type->mods, modification)
                   ? NULL
                   : mod_of(f, modification, type->env, ref_span(name));
    if (own)
        own->next = m ? m->mods : NULL;
    type->mods = mods_join(f, type->mods, own ? own : m ? m->mods : NULL);
    if (!append_sizes(f, type, class_))
        return false;
    if (class_->prefix.causality != CAUSE_NONE)
        type->causality = class_->prefix.causality;
    type->kind = m ? TY_CLASS : predefined;
    type->class_ = m ? m->class_ : NULL;
    type->env = m ? m->env : (Env){.inst = f->root};
    return true;
}

/* what inherits a simple type has no components beside it (Modelica 4.6.2) */
static bool is_simple_alone(Front *f, const Class *class_, const ClassElement *base)
{
    for (size_t i = 0; i < class_->elements.n; i++)
        if (class_->elements.items[i]->kind == EL_COMPONENT) {
            report_error(f, ref_span(base->extends->type), NULL,
                         "'%s' inherits the type %s and can have no components\n"
                         "declare a component of this type in it",
                         class_->name, base->extends->type->name);
            return false;
        }
    return true;
}

Type type_follow(Front *f, Type type, SourceSpan span)
{
    for (int i = 0; type.kind == TY_CLASS; i++) {
        const Class *class_ = type.class_;
        if (i > EXTENDS_DEPTH) {
            report_error(
                f, span, NULL,
                "class '%s' is defined by itself\nname another class behind the equals sign",
                class_->name);
            return (Type){0};
        }
        if (class_->form == FORM_ENUM && class_->open_enum) {
            report_error(f, class_->span, NULL,
                         "'%s' is an enumeration without literals\nlist them in parentheses",
                         class_->name);
            return (Type){0};
        }
        if (class_->form == FORM_ENUM)
            type.kind = TY_ENUM;
        if (class_->form == FORM_ENUM || class_->form == FORM_EXTENDS) /* collect knows its base */
            break;
        if (class_->form == FORM_DER && !differentiate_by(f, &type, class_))
            return (Type){0};
        const ClassElement *base = class_->form == FORM_LONG ? simple_base(f, &type) : NULL;
        if (class_->form == FORM_LONG && !base)
            break;
        if (base && !is_simple_alone(f, class_, base))
            return (Type){0};
        if (!follow_base(f, &type, base ? base->extends->type : class_->base,
                         base ? base->extends->modification : class_->modification))
            return (Type){0};
    }
    return type;
}
