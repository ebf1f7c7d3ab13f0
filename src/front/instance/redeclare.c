/* redeclare.c - declarations, and those that replace them.
 *
 *   model A replaceable Real x(start = 1); end A;
 *   model B extends A(x(min = 0)); redeclare replaceable Real x(start = 2); end B;
 *   B b(x(start = 3)), c(redeclare Real x(start = 4));
 *
 * The modifiers of a member are a list, outermost first: of x in b and c those of b and c, what B's
 * redeclaration says, those of B's extends clause, the declaration in A. A redeclaration is a place
 * in the list (Mod.redeclare): the outermost one is the declaration that holds, and its modifiers
 * count at its place, so start is 3 in b and 4 in c. What the others say is dropped; new types keep
 * what constraining clauses say, or the first declaration where it has none (Modelica 7.3.2), and
 * prefixes and sizes that a redeclaration does not mention (7.3).
 */
#include "front/instance/redeclare.h"

/* the modifiers that a declaration has itself: of a component, or of model M = Other(...) */
static const Modification *own_modification(const ClassElement *e)
{
    if (e->kind == EL_COMPONENT)
        return e->component->modification;
    return e->class_->form == FORM_SHORT ? e->class_->modification : NULL;
}

static SourceSpan name_span(const ClassElement *e)
{
    return e->kind == EL_CLASS ? e->class_->name_span : e->component->name_span;
}

/* the outermost redeclaration of a list, or NULL */
static Mod *redeclaration(Mod *mods)
{
    while (mods && !mods->redeclare)
        mods = mods->next;
    return mods;
}

/* ------------------------------------------------------------------ the constraining type */

/* the new type must offer what the constraining one has: same names */
static void check_constraint(Front *f, Member *m)
{
    const ClassElement *original = m->declared;
    const Ref *name = original->constraint             ? original->constraint->type
                      : original->kind == EL_COMPONENT ? original->component->type
                                                       : NULL;
    if (!name)
        return;
    Type need = lookup_type(f, (Env){.inst = m->inst, .part = m->part}, name);
    Type have = m->class_ ? type_follow(f, class_type(f, m), m->element->span)
                          : lookup_type(f, m->env, m->component->type);
    if (need.kind == TY_NONE || have.kind == TY_NONE)
        return;
    if (need.kind != have.kind) {
        report_error(f, m->element->span, m->inst,
                     "'%s' must be a kind of '%s'\nchoose another class", m->name,
                     need.named ? need.named->name : name->name);
        return;
    }
    if (need.kind != TY_CLASS || need.class_ == have.class_)
        return;
    Inst *a = inst_create(f, &need, need.mods, NULL, NULL, NULL, m->element->span);
    Inst *b = inst_create(f, &have, have.mods, NULL, NULL, NULL, m->element->span);
    for (size_t i = 0; a && b && i < a->members.n; i++) {
        const Member *want = a->members.items[i];
        if (want->is_protected || inst_find(b, NULL, want->name))
            continue;
        m->misfit = true;
        report_error(f, m->element->span, m->inst,
                     "'%s' cannot replace '%s': it has no '%s' as '%s' requires\n"
                     "choose a class with the same elements",
                     have.class_->name, m->name, want->name, need.class_->name);
        return;
    }
}

/* ------------------------------------------------------------------ which declaration holds */

/* one declaration may replace another: both classes or both components */
static bool is_allowed(Front *f, const Member *m, const Mod *by)
{
    const Mod *inner = redeclaration(by->next);
    const ClassElement *e = by->redeclare, *replaced = inner ? inner->redeclare : m->declared;
    if ((e->kind == EL_CLASS) != (replaced->kind == EL_CLASS)) {
        report_error(f, by->span, m->inst,
                     "'%s' is a %s and cannot be redeclared as a %s\n"
                     "redeclare it as what it is",
                     m->name, replaced->kind == EL_CLASS ? "class" : "component",
                     e->kind == EL_CLASS ? "class" : "component");
        return false;
    }
    const ClassPart *part = inner ? inner->env.part : m->part;
    if (!replaced->replaceable && e->redeclare && !(by->own && part == by->env.part)) {
        report_error(f, by->span, m->inst,
                     "'%s' is not replaceable and cannot be redeclared\n"
                     "declare it replaceable in '%s'",
                     m->name, part ? part->class_->name : "");
        return false;
    }
    return true;
}

/* what the declarations further out do not mention */
static void keep_parts(Member *m, const ClassElement *e, Env env)
{
    if (!m->is_inner && !m->is_outer) {
        m->is_inner = e->inner;
        m->is_outer = e->outer;
    }
    if (e->kind == EL_CLASS)
        return;
    const ComponentDecl *c = e->component;
    if (m->prefix.connection == CONNECT_POTENTIAL)
        m->prefix.connection = c->prefix.connection;
    if (m->prefix.variability == VARY_CONTINUOUS)
        m->prefix.variability = c->prefix.variability;
    if (m->prefix.causality == CAUSE_NONE)
        m->prefix.causality = c->prefix.causality;
    if (!m->dims || (m->dims->n == 0 && m->type_dims->n == 0)) {
        m->dims = &c->subscripts;
        m->type_dims = &c->type_subscripts;
        m->dims_env = env;
    }
    if (!m->condition && c->condition) {
        m->condition = c->condition;
        m->condition_part = env.part;
    }
}

/* the declaration that holds */
static void take_declaration(Member *m, const ClassElement *e, Env env)
{
    m->element = e;
    m->env = env;
    m->class_ = e->kind == EL_CLASS ? e->class_ : NULL;
    m->component = e->kind == EL_COMPONENT ? e->component : NULL;
    m->prefix = (TypePrefix){0};
    m->dims = m->type_dims = NULL;
    m->condition = NULL;
    m->is_inner = e->inner;
    m->is_outer = e->outer;
    keep_parts(m, e, env);
}

/* what follows the list: modifiers of the first declaration and of its constraining clause. Those
 * of a class that nobody redeclares are found with the class. */
static void add_own(Front *f, Member *m, bool redeclared)
{
    const ClassElement *e = m->declared;
    Env env = {.inst = m->inst, .part = m->part};
    Mod *constraint =
        e->constraint ? mod_of(f, e->constraint->modification, env, e->constraint->span) : NULL;
    bool holds = e->constraint ? !redeclared : e->kind == EL_COMPONENT || redeclared;
    Mod *own = holds ? mod_of(f, own_modification(e), env, name_span(e)) : NULL;
    if (own) {
        own->own = true;
        own->final = e->final;
        own->next = constraint;
    }
    if (constraint)
        constraint->own = true;
    if (own || constraint)
        m->mods = mods_join(f, m->mods, own ? own : constraint);
}

/* The modifiers that redeclarations have themselves: of the outermost one all, of the others those
 * of their constraining clauses. */
static void fill_redeclarations(Front *f, Mod *by)
{
    for (Mod *mod = by; mod; mod = redeclaration(mod->next)) {
        const ClassElement *e = mod->redeclare;
        const Modification *constraint = e->constraint ? e->constraint->modification : NULL;
        mod->modification = mod == by ? own_modification(e) : constraint;
        Mod *more = mod == by ? mod_of(f, constraint, mod->env, mod->span) : NULL;
        if (more) {
            more->own = true;
            more->passes = mod->passes;
            more->next = mod->next;
            mod->next = more;
        }
    }
}

/* redeclare model extends M */
static bool extends_own_name(const Member *m)
{
    return m->class_ && m->class_->form == FORM_EXTENDS;
}

/* From the list of modifiers from outside and redeclarations to the member. A class that extends
 * the one of its name that it replaces has what that one has: what is further inside is there. */
static void settle_member(Front *f, Member *m)
{
    Env env = {.inst = m->inst, .part = m->part};
    Mod *by = redeclaration(m->mods);
    while (by && !is_allowed(f, m, by)) {
        by->redeclare = NULL;
        by = redeclaration(by->next);
    }
    take_declaration(m, by ? by->redeclare : m->declared, by ? by->env : env);
    for (const Mod *inner = by; inner; inner = redeclaration(inner->next))
        keep_parts(m, inner->redeclare, inner->env);
    if (by)
        keep_parts(m, m->declared, env);
    fill_redeclarations(f, by);
    if (!extends_own_name(m))
        add_own(f, m, by);
    else if (by)
        by->next = NULL;
    mods_check_final(f, m);
    if (by)
        check_constraint(f, m);
}

void redeclare_first(Front *f, Member *m, Mod *mods)
{
    m->mods = mods;
    settle_member(f, m);
}

/* ------------------------------------------------------------------ in the body of a class */

/* the list without what declarations have added to it */
static Mod *without_own(Mod *mods)
{
    Mod **at = &mods;
    while (*at)
        if ((*at)->own && !(*at)->redeclare)
            *at = (*at)->next;
        else
            at = &(*at)->next;
    return mods;
}

/* does the extends clause of the same class redeclare it, too? */
static bool is_redeclared_twice(const Mod *inner, const Mod *by)
{
    for (; inner; inner = inner->next)
        if (inner->redeclare && inner->env.inst == by->env.inst && inner->env.part == by->env.part)
            return true;
    return false;
}

void redeclare_again(Front *f, Member *m, const ClassElement *e, Env env, Mod *outer)
{
    Mod *by = work_zeroed(f, sizeof *by);
    if (!by)
        return;
    *by = (Mod){.redeclare = e, .env = env, .span = name_span(e), .final = e->final, .own = true};
    Mod *further = extends_own_name(m) && m->base ? mods_join(f, m->base->mods, NULL) : NULL;
    m->mods = without_own(mods_join(f, m->mods, further));
    Mod **at = &m->mods;
    while (*at && outer) { /* as many as come from outside of the class */
        at = &(*at)->next;
        outer = outer->next;
    }
    if (is_redeclared_twice(*at, by)) {
        report_error(f, by->span, m->inst,
                     "'%s' is redeclared twice in '%s'\nremove one of the two", m->name,
                     env.part->class_->name);
        return;
    }
    if (m->class_ && e->kind == EL_CLASS && e->class_->form == FORM_EXTENDS) {
        /* what was inherited under this name becomes the base of the new class */
        Member *base = work_zeroed(f, sizeof *base);
        if (!base)
            return;
        *base = *m;
        base->mods = mods_join(f, *at, NULL);
        settle_member(f, base);
        m->base = base;
        m->child = NULL;
    }
    by->next = *at;
    *at = by;
    settle_member(f, m);
}
