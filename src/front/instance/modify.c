/* modify.c - modifiers: which apply to a member, what value they give an element.
 *
 * The modifiers of an instance are a list, outermost first. Those of a member are what the list
 * has under its name, in the same order, and its own declaration at the end: the first one that
 * gives a value wins. A modifier that goes into an array of components remembers the array (Pass):
 * its value then has one value for each element, unless it says each. In b[2](each a(k = {1, 2}))
 * each belongs to b alone: the elements of an array a inside have different values of k. A value
 * without a dimension for them is that of all elements inside, too (Mod.each).
 */
#include <stdio.h>
#include <string.h>

#include "front/instance/left_out.h"
#include "front/divide/noted.h"
#include "front/instance/semantic.h"
#include "front/evaluate/subscript.h"

Mod *mod_of(Front *f, const Modification *modification, Env env, SourceSpan span)
{
    if (!modification)
        return NULL;
    Mod *mod = work_zeroed(f, sizeof *mod);
    if (mod)
        *mod = (Mod){.modification = modification, .env = env, .span = span};
    return mod;
}

Mod *mods_join(Front *f, Mod *first, Mod *last)
{
    Mod *head = NULL, **tail = &head;
    for (; first; first = first->next) {
        Mod *copy = work_zeroed(f, sizeof *copy);
        if (!copy)
            break;
        *copy = *first;
        copy->memo = NULL;
        *tail = copy;
        tail = &copy->next;
    }
    *tail = last;
    return head;
}

/* ------------------------------------------------------------------ inwards */

static const char *argument_name(const Argument *a)
{
    if (a->kind == AR_MODIFY)
        return a->name->name;
    if (a->kind == AR_ELEMENT)
        return a->element->kind == EL_CLASS       ? a->element->class_->name
               : a->element->kind == EL_COMPONENT ? a->element->component->name
                                                  : NULL;
    return NULL;
}

/* the passes of what goes into the array */
static Pass *pass_into(Front *f, const Mod *mod, bool each)
{
    if (!mod->cross)
        return mod->passes;
    Pass *pass = work_zeroed(f, sizeof *pass);
    const Ref *only = mod->at && mod->at->subscripts.n ? mod->at : NULL;
    if (pass)
        *pass = (Pass){mod->passes, mod->cross, each, only, mod->env};
    return pass;
}

/* one more modifier at the end of a list; returns the new end */
static Mod **append(Front *f, Mod **tail, Mod mod)
{
    Mod *copy = work_zeroed(f, sizeof *copy);
    if (!copy)
        return tail;
    *copy = mod;
    copy->next = NULL;
    copy->own = false;
    copy->cross = NULL;
    copy->memo = NULL;
    *tail = copy;
    return &copy->next;
}

Mod *mods_below(Front *f, Mod *mods, const char *name)
{
    Mod *head = NULL, **tail = &head;
    for (Mod *mod = mods; mod; mod = mod->next) {
        Mod below = *mod;
        if (mod->rest) {
            if (mod->rest->name != name)
                continue;
            below.rest = mod->rest->rest;
            below.at = mod->rest;
            below.of = mod->at;
            below.span = mod->rest->span;
            below.passes = pass_into(f, mod, false);
            tail = append(f, tail, below);
            continue;
        }
        for (size_t i = 0; mod->modification && i < mod->modification->arguments.n; i++) {
            const Argument *a = mod->modification->arguments.items[i];
            if (argument_name(a) != name)
                continue;
            below.rest = a->kind == AR_MODIFY ? a->name->rest : NULL;
            below.modification = a->modification;
            below.redeclare = a->kind == AR_ELEMENT ? a->element : NULL;
            bool each = a->each || (below.redeclare && below.redeclare->each);
            below.each = mod->each || each;
            below.final = mod->final || a->final || (below.redeclare && below.redeclare->final);
            below.span = a->kind == AR_MODIFY ? a->name->span : a->span;
            below.at = a->kind == AR_MODIFY ? a->name : NULL;
            below.passes = pass_into(f, mod, each);
            tail = append(f, tail, below);
        }
    }
    return head;
}

/* ------------------------------------------------------------------ fields of records */

bool is_record_value(const Expr *e)
{
    return e->kind != EX_INTEGER && e->kind != EX_REAL && e->kind != EX_STRING &&
           e->kind != EX_BOOLEAN && e->height < SYNTAX_DEPTH;
}

/* other.field for the reference other */
static Expr *field_of_ref(Front *f, const Expr *e, const char *name)
{
    Expr *copy = work_zeroed(f, sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *e;
    Ref **last = &copy->ref;
    for (const Ref *r = e->ref; r; r = r->rest, last = &(*last)->rest) {
        if (!(*last = work_zeroed(f, sizeof **last)))
            return NULL;
        **last = *r;
        (*last)->rest = NULL;
    }
    if (!(*last = work_zeroed(f, sizeof **last)))
        return NULL;
    **last = (Ref){.span = e->span, .name = name};
    return copy;
}

/* the record that a call makes, or NULL: it calls something else */
static const Class *constructor_of(Front *f, const Expr *e, Env env)
{
    const Ref *name = e->call->function;
    TypeKind predefined;
    if (!name->rest && lookup(f, env, name->name).kind == FOUND_NOTHING)
        return NULL; /* a built-in function */
    const Member *m = lookup_class(f, env, name, &predefined);
    return m && m->class_ && m->class_->kind == CLASS_RECORD ? m->class_ : NULL;
}

/* (value).field for any other expression */
static Expr *field_of_value(Front *f, const Expr *e, const char *name)
{
    Expr *field = work_zeroed(f, sizeof *field);
    if (field)
        *field = (Expr){.kind = EX_SELECT,
                        .span = e->span,
                        .height = e->height + 1,
                        .select = {.base = (Expr *)e, .name = name}};
    return field;
}

/* The part of a record's value that belongs to a field of a record of this class. The constructor
 * of another record, which extends it, has defaults of its own. */
static Expr *field_of(Front *f, const Expr *e, const char *name, size_t position,
                      const Class *class_, Env env)
{
    if (e->kind == EX_REF)
        return field_of_ref(f, e, name);
    if (e->kind == EX_CALL && class_ && constructor_of(f, e, env) == class_)
        return call_argument(e->call, position, name);
    if (e->kind != EX_IF)
        return field_of_value(f, e, name);
    Expr *copy = work_zeroed(f, sizeof *copy);
    ExprList *values = work_zeroed(f, sizeof *values);
    size_t n = e->choice.values->n;
    Expr **items = work_zeroed(f, n * sizeof *items);
    if (!copy || !values || !items)
        return NULL;
    for (size_t i = 0; i < n; i++)
        if (!(items[i] = field_of(f, e->choice.values->items[i], name, position, class_, env)))
            return NULL;
    *copy = *e;
    *values = (ExprList){items, n};
    copy->choice.values = values;
    return copy;
}

Mod *mods_of_field(Front *f, Mod *mods, const char *name, size_t position, const Class *class_)
{
    Mod *head = NULL, **tail = &head;
    for (Mod *mod = mods; mod; mod = mod->next) {
        Mod one = *mod;
        one.next = NULL;
        *tail = mods_below(f, &one, name);
        while (*tail)
            tail = &(*tail)->next;
        const Expr *whole = !mod->rest && mod->modification ? mod->modification->value : NULL;
        if (!whole || !is_record_value(whole) || !enter(f, whole->span))
            continue;
        Modification *m = work_zeroed(f, sizeof *m);
        Expr *part = m ? field_of(f, whole, name, position, class_, mod->env) : NULL;
        leave(f);
        if (!part)
            continue;
        *m = (Modification){.span = mod->modification->span, .value = part};
        one.modification = m;
        one.of_record = true;
        one.passes = pass_into(f, mod, false);
        tail = append(f, tail, one);
    }
    return head;
}

/* ------------------------------------------------------------------ checks */

/* a modifier names something that is not there: says what comes near */
static void report_target(Front *f, const Mod *mod, Inst *inst, SourceSpan span, const char *name)
{
    char hint[140];
    NearestName nearest = {.name = name};
    for (size_t i = 0; i < inst->members.n; i++)
        if (!inst->members.items[i]->is_protected)
            nearest_try(&nearest, inst->members.items[i]->name);
    nearest_text(&nearest, hint, sizeof hint);
    const Class *class_ = inst->class_;
    if (!*hint && strcmp(name, "useHeatPort") == 0 && class_ && class_->parent)
        snprintf(hint, sizeof hint,
                 "'lieder doc %.40s.%.40s' shows how its loss reaches a heat port",
                 class_->parent->name, class_->name);
    (void)mod;
    report_error(f, span, inst, "'%s' has no element '%s' that could be modified\n%s",
                 inst->class_ ? inst->class_->name : "", name,
                 *hint ? hint : "look at its declaration for the names it has");
}

static void check_target(Front *f, const Mod *mod, Inst *inst, SourceSpan span, const char *name)
{
    const Member *m = inst_find(inst, NULL, name);
    if (!m)
        report_target(f, mod, inst, span, name);
    else if (m->is_protected && inst->parent && mod->env.inst != inst)
        report_error(f, span, inst,
                     "'%s' is protected and cannot be modified from outside\n"
                     "make it public in '%s'",
                     name, m->part->class_->name);
}

/* r = R(1, b = 2): as many values as there are fields, and names that there are; r = 1 gives none
 */
static void check_constructor(Front *f, const Mod *mod, const Inst *inst)
{
    const Expr *e = !mod->rest && mod->modification ? mod->modification->value : NULL;
    bool fields = is_record_class(inst->class_) || inst->class_->kind == CLASS_CONNECTOR;
    if (e && fields && !is_record_value(e) && e->height < SYNTAX_DEPTH)
        report_error(f, e->span, mod->env.inst,
                     "this is no '%s' and gives its fields no values\n"
                     "write %s(...) with a value for each field",
                     inst->class_->name, inst->class_->name);
    if (!e || e->kind != EX_CALL || !is_record_class(inst->class_) ||
        !constructor_of(f, e, mod->env))
        return;
    size_t nfield = 0;
    for (size_t i = 0; i < inst->members.n; i++)
        nfield += inst->members.items[i]->component != NULL;
    if (e->call->positional.n > nfield)
        report_error(f, e->span, mod->env.inst,
                     "'%s' has %zu field(s), but %zu values are given\nleave out the others",
                     inst->class_->name, nfield, e->call->positional.n);
    for (size_t i = 0; i < e->call->named.n; i++) {
        const Member *m = inst_listed(inst, NULL, e->call->named.items[i]->name);
        if (!m || !m->component)
            report_error(f, e->call->named.items[i]->span, mod->env.inst,
                         "'%s' has no field '%s'\nsee its declaration", inst->class_->name,
                         e->call->named.items[i]->name);
    }
}

void mods_check(Front *f, Inst *inst)
{
    for (const Mod *mod = inst->mods; mod; mod = mod->next) {
        check_constructor(f, mod, inst);
        if (mod->rest) {
            check_target(f, mod, inst, mod->rest->span, mod->rest->name);
            continue;
        }
        for (size_t i = 0; mod->modification && i < mod->modification->arguments.n; i++) {
            const Argument *a = mod->modification->arguments.items[i];
            if (a->kind == AR_BREAK || a->kind == AR_BREAK_CONNECT) {
                left_out_check(f, inst, a);
                continue;
            }
            const char *name = argument_name(a);
            if (!name)
                continue;
            check_target(f, mod, inst, a->kind == AR_MODIFY ? a->name->span : a->span, name);
            for (size_t k = 0; k < i; k++) {
                const Argument *b = mod->modification->arguments.items[k];
                if (argument_name(b) == name && (a->kind != AR_MODIFY || b->kind != AR_MODIFY ||
                                                 (!a->name->rest && !b->name->rest)))
                    report_error(f, a->span, inst,
                                 "'%s' is modified twice in one list\nremove one of the two", name);
            }
        }
    }
}

/* what a whole record says about a field that is final inside is passed over: it cannot be another
 * value */
static void drop_of_record(Member *m)
{
    bool final = m->element->final;
    for (const Mod *mod = m->mods; mod; mod = mod->next)
        final |= mod->final && !mod->of_record;
    for (Mod **at = &m->mods; final && *at;)
        if ((*at)->of_record)
            *at = (*at)->next;
        else
            at = &(*at)->next;
}

void mods_check_final(Front *f, Member *m)
{
    drop_of_record(m);
    if (!m->mods)
        return;
    if (m->declared->final && !m->mods->own) {
        report_error(f, m->mods->span, m->inst,
                     "'%s' is final and cannot be modified\n"
                     "see its declaration in '%s'",
                     m->name, m->part ? m->part->class_->name : "");
        return;
    }
    for (const Mod *mod = m->mods->next; mod; mod = mod->next)
        if (mod->final && (!mod->own || mod->redeclare)) {
            report_error(f, m->mods->span, m->inst,
                         "'%s' has been given a final value further inside (line %d) and cannot be "
                         "modified again\nremove the modifier here, or final there",
                         m->name, span_line(mod->span));
            return;
        }
}

/* ------------------------------------------------------------------ values */

/* Is the element at hand one of those that "crab[3]" names? A subscript that is left out, and a
 * range, name several: m[2] of a matrix is its second row. */
static bool is_selected(Front *f, const Pass *pass)
{
    const Axis *axis = pass->axis;
    IndexSelection s;
    if (!select_subscripts(f, &pass->only->subscripts, pass->env, axis->ndim, axis->dim,
                           pass->only->span, axis->name, &s))
        return false;
    for (int k = 0; k < s.ndim; k++)
        if (s.n[k] == 0) {
            report_error(f, pass->only->span, NULL,
                         "index %d of '%s' names no element\na range goes up, as in 1:3", k + 1,
                         axis->name);
            return false;
        }
    size_t position = axis->index;
    for (int k = s.ndim - 1; k >= 0; k--) {
        size_t at = position % axis->dim[k], i = 0;
        position /= axis->dim[k];
        while (i < s.n[k] && s.at[k][i] != at)
            i++;
        if (i == s.n[k])
            return false;
    }
    return true;
}

bool mod_applies(Front *f, const Mod *mod)
{
    for (const Pass *pass = mod->passes; pass; pass = pass->outer) {
        if (!pass->only)
            continue;
        f->touched |= 1ull << pass->axis->depth;
        if (!is_selected(f, pass))
            return false;
    }
    return true;
}

/* picks by the cursors of the passed arrays, outermost first; *used: dimensions taken */
static bool pick(Front *f, const Mod *mod, const Pass *pass, const Value *v, size_t *position,
                 int *used, const Inst *where, const char *name)
{
    if (!pass)
        return true;
    if (!pick(f, mod, pass->outer, v, position, used, where, name))
        return false;
    bool outermost = !pass->outer;
    if (pass->each || pass->only || (mod->override && !(mod->by_element && outermost)))
        return true;
    for (int k = 0; k < pass->axis->ndim; k++, (*used)++) {
        if (*used >= v->ndim) {
            report_error(
                f, mod->span, where,
                "one value for '%s' where '%s' is an array of %zu\n"
                "write \"each %s = ...\" if all elements have the same value, or give %zu values",
                name, pass->axis->name, pass->axis->n, name, pass->axis->n);
            return false;
        }
        if (v->dim[*used] != pass->axis->dim[k]) {
            report_error(
                f, mod->span, where,
                "%zu values for '%s' where '%s' is an array of %zu\ngive one value for each",
                v->dim[*used], name, pass->axis->name, pass->axis->dim[k]);
            return false;
        }
    }
    *position = *position * pass->axis->n + pass->axis->index;
    f->touched |= 1ull << pass->axis->depth;
    return true;
}

/* nothing else decides it, and to read it again costs nothing */
static bool is_literal(const Expr *e)
{
    return e->kind == EX_INTEGER || e->kind == EX_REAL || e->kind == EX_STRING ||
           e->kind == EX_BOOLEAN;
}

/* the modifier's whole value, once for all elements */
static Value whole_value(Front *f, Mod *mod)
{
    const Axis *axis = mod->env.inst->axis;
    if (is_literal(mod->modification->value))
        return evaluate(f, mod->modification->value, mod->env);
    if (!mod->memo)
        mod->memo = work_zeroed(f, sizeof *mod->memo);
    Memo *memo = mod->memo;
    if (!memo)
        return (Value){0};
    bound_read(f, memo);
    if (memo->state == MEMO_DONE && memo->key == memo_key(axis, memo->touched)) {
        f->touched |= memo->touched;
        f->of_data |= memo->of_data;
        return memo->value;
    }
    if (memo->state == MEMO_BUSY) {
        report_error(
            f, mod->modification->value->span, mod->env.inst,
            "the value depends on itself\nbreak the cycle: give one of the parameters a number");
        return (Value){0};
    }
    unsigned long long before = f->touched;
    bool of_data = f->of_data;
    f->touched = 0;
    f->of_data = false;
    memo->state = MEMO_BUSY;
    bool met = f->free_met && *f->free_met;
    if (f->free_met)
        *f->free_met = false;
    Memo *reading = f->reading;
    f->reading = memo;
    const size_t nlocal = f->nlocal, nvariable = f->nvariable, note = decisions_open(f);
    memo->value = evaluate(f, mod->modification->value, mod->env);
    decisions_settle(f, note); /* others read the value, too */
    f->nlocal = nlocal;
    f->nvariable = nvariable;
    f->reading = reading;
    memo->touched = f->touched;
    memo->key = memo_key(axis, memo->touched);
    memo->state = f->free_met && *f->free_met ? MEMO_NEW : MEMO_DONE; /* not a guess */
    if (f->free_met)
        *f->free_met |= met;
    f->touched |= before;
    memo->of_data = f->of_data;
    f->of_data |= of_data;
    return memo->value;
}

Value mod_value(Front *f, Mod *mod, int ndim, const Inst *where, const char *name)
{
    Value v = whole_value(f, mod);
    if (v.kind == V_NONE)
        return v;
    size_t position = 0;
    int used = 0;
    if (v.ndim == ndim) {
        /* the same for all, if that is what it says */
        bool split = false;
        for (const Pass *pass = mod->passes; pass; pass = pass->outer)
            split |= !pass->each && !pass->only;
        if (!split || mod->each || mod->override)
            return v;
        if (ndim > 0) {
            report_error(
                f, mod->span, where,
                "one array for '%s' of all elements\nwrite \"each %s = ...\" if all elements have "
                "the same value, or give one array for each element",
                name, name);
            return (Value){0};
        }
    }
    if (!pick(f, mod, mod->passes, &v, &position, &used, where, name))
        return (Value){0};
    return used ? value_below(&v, used, position) : v;
}
