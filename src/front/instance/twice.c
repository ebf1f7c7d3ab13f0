/* twice.c - elements that a class has more than once, by itself and by the classes that it extends.
 *
 * Two declarations of one name are legal when they say the same (Modelica 5.6.1.4, 7.1): type,
 * prefixes, sizes, value, redeclarations; of attributes each may give what the other does not.
 */
#include <string.h>

#include "front/instance/left_out.h"

/* the text of two places, blanks left out */
bool span_same_text(SourceSpan a, SourceSpan b)
{
    const char *p = a.file ? a.file->text + a.at : "", *q = b.file ? b.file->text + b.at : "";
    const char *p_end = p + (a.file ? a.length : 0), *q_end = q + (b.file ? b.length : 0);
    for (;;) {
        while (p < p_end && strchr(" \t\r\n", *p))
            p++;
        while (q < q_end && strchr(" \t\r\n", *q))
            q++;
        if (p == p_end || q == q_end)
            return p == p_end && q == q_end;
        if (*p++ != *q++)
            return false;
    }
}

static bool is_same_modification(const Modification *a, const Modification *b)
{
    return !a == !b && (!a || span_same_text(a->span, b->span));
}

/* the same value, and no attribute that both give in different ways */
static bool modifications_agree(const Modification *a, const Modification *b)
{
    const Expr *x = a ? a->value : NULL, *y = b ? b->value : NULL;
    if (!x != !y || (x && !span_same_text(x->span, y->span)))
        return false;
    for (size_t i = 0; a && i < a->arguments.n; i++)
        for (size_t k = 0; b && k < b->arguments.n; k++) {
            const Argument *p = a->arguments.items[i], *q = b->arguments.items[k];
            if (p->kind != AR_MODIFY || q->kind != AR_MODIFY ||
                (p->name->name == q->name->name && !span_same_text(p->span, q->span)))
                return false;
        }
    return true;
}

/* two short classes of the same base; `a_part` and `b_part`: where they stand */
static bool is_same_class(Front *f, const ClassElement *a, const ClassPart *a_part,
                          const ClassElement *b, const ClassPart *b_part)
{
    const Class *x = a->class_, *y = b->class_;
    char one[300], two[300];
    if (x->form != FORM_SHORT || y->form != FORM_SHORT || x->kind != y->kind ||
        x->partial != y->partial || x->encapsulated != y->encapsulated ||
        memcmp(&x->prefix, &y->prefix, sizeof x->prefix) != 0 || x->subscripts.n ||
        y->subscripts.n || !is_same_modification(x->modification, y->modification) ||
        strcmp(ref_text(x->base, one, sizeof one), ref_text(y->base, two, sizeof two)) != 0 ||
        !a->constraint != !b->constraint)
        return false;
    if (a->constraint &&
        (strcmp(ref_text(a->constraint->type, one, sizeof one),
                ref_text(b->constraint->type, two, sizeof two)) != 0 ||
         !is_same_modification(a->constraint->modification, b->constraint->modification)))
        return false;
    /* the name means the same around both, or it is one of the class itself */
    Found u = lookup(f, a_part->outer, x->base->name), v = lookup(f, b_part->outer, y->base->name);
    return u.kind == v.kind && u.member == v.member && u.type == v.type;
}

/* what modifiers redeclare it as; NULL: nothing */
static const ClassElement *redeclared_as(const Mod *mods)
{
    while (mods && !mods->redeclare)
        mods = mods->next;
    return mods ? mods->redeclare : NULL;
}

bool is_same_declaration(Front *f, const Member *known, const ClassElement *b,
                         const ClassPart *b_part, const Mod *mods)
{
    const ClassElement *a = known->declared;
    const ClassPart *a_part = known->part;
    if (redeclared_as(known->mods) != redeclared_as(mods))
        return false;
    if (a->kind != b->kind || a->replaceable != b->replaceable || a->final != b->final ||
        a->inner != b->inner || a->outer != b->outer)
        return false;
    if (a->kind == EL_CLASS)
        return a_part && b_part && is_same_class(f, a, a_part, b, b_part);
    const ComponentDecl *x = a->component, *y = b->component;
    if (memcmp(&x->prefix, &y->prefix, sizeof x->prefix) != 0 || x->condition || y->condition ||
        x->subscripts.n != y->subscripts.n || x->type_subscripts.n != y->type_subscripts.n)
        return false;
    char one[300], two[300];
    if (strcmp(ref_text(x->type, one, sizeof one), ref_text(y->type, two, sizeof two)) != 0)
        return false;
    for (size_t i = 0; i < x->subscripts.n; i++)
        if (!span_same_text(x->subscripts.items[i]->span, y->subscripts.items[i]->span))
            return false;
    for (size_t i = 0; i < x->type_subscripts.n; i++)
        if (!span_same_text(x->type_subscripts.items[i]->span, y->type_subscripts.items[i]->span))
            return false;
    return modifications_agree(x->modification, y->modification);
}
