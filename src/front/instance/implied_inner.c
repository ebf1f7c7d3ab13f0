/* implied_inner.c - an outer component without an inner one around it.
 *
 * Modelica 5.4: if all outer components of the name that lack an inner one are of one class, which
 * is not partial, an inner component of this class is added at the top of the model, and a warning
 * says so. That such a component is missing shows when something reads it; the declaration is kept
 * (Front.implied_inner), and front_instantiate begins again with the component in the model. */
#include <string.h>

#include "front/external/external.h"

/* .P.Q.A */
static bool add_path(Front *f, TextBuffer *text, const Class *class_)
{
    return (!class_->parent || add_path(f, text, class_->parent)) &&
           text_add(f->alloc, text, ".%s", class_->name);
}

bool imply_inner(Front *f, Member *outer)
{
    const Type *type = member_type(f, outer);
    if (type->kind != TY_CLASS || type->class_->partial || outer->ndim || type->dims ||
        is_external_object(type->class_) || is_function_class(type->class_) || !f->top ||
        inst_find(f->top, NULL, outer->name)) /* it is not around this one */
        return false;
    for (size_t i = 0; i < f->implied_inner.n; i++)
        if (strcmp(f->implied_inner.items[i].name, outer->name) == 0)
            return f->implied_inner.items[i].class_ == type->class_;
    struct ImpliedInner implied = {outer->name, type->class_, outer->component};
    f->work.failed |= !vec_push(f->alloc, &f->implied_inner, implied);
    return true;
}

void add_implied_inner(Front *f)
{
    TextBuffer text = {0};
    bool good = f->implied_inner.n && text_add(f->alloc, &text, "model Implied\n");
    for (size_t i = 0; good && i < f->implied_inner.n; i++) {
        const struct ImpliedInner *implied = &f->implied_inner.items[i];
        good = text_add(f->alloc, &text, "  inner ") && add_path(f, &text, implied->class_) &&
               text_add(f->alloc, &text, " %s;\n", implied->name);
        warn(f, implied->outer->name_span, NULL,
             "outer '%s' has no inner '%s' around it: one of its class, as it is declared, is "
             "added to the model\ndeclare \"inner %s %s;\" in the model",
             implied->name, implied->name, implied->class_->name, implied->name);
    }
    good = good && text_add(f->alloc, &text, "end Implied;\n");
    if (good)
        inst_add_text(f, f->top, text.items, text.n);
    f->work.failed |= f->implied_inner.n && !good;
    vec_drop(f->alloc, &text);
}
