/* member_value.c - the value of a member and its attributes, with what is checked about them: type,
 * sizes, range, unit. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "front/instance/semantic.h"
#include "front/evaluate/subscript.h"

/* ------------------------------------------------------------------ values */

/* the kind of value that a type has */
static ValueKind value_kind(TypeKind kind)
{
    switch (kind) {
    case TY_REAL:
        return V_REAL;
    case TY_INTEGER:
        return V_INTEGER;
    case TY_BOOLEAN:
        return V_BOOLEAN;
    case TY_STRING:
        return V_STRING;
    case TY_ENUM:
        return V_ENUM;
    case TY_CLASS:
        return V_OBJECT; /* external objects are the only values among them */
    default:
        return V_NONE;
    }
}

/* 0 and 1 from the command line may mean false and true */
static bool convert_override(Value *v, ValueKind kind)
{
    if (kind == V_BOOLEAN && v->kind == V_INTEGER && v->ndim == 0 && (v->x == 0 || v->x == 1))
        v->kind = V_BOOLEAN;
    if (kind == V_INTEGER && v->kind == V_REAL && v->ndim == 0 && v->x == floor(v->x) &&
        fabs(v->x) < 1e15)
        v->kind = V_INTEGER;
    return v->kind == kind;
}

/* a value must have the type of its member, after the conversions that the language allows */
static bool check_kind(Front *f, Member *m, const Mod *mod, Value *v, const char *what)
{
    const Type *type = member_type(f, m);
    ValueKind kind = value_kind(type->kind);
    Value before = *v;
    bool fits = value_convert(v, kind) || (mod->override && convert_override(v, kind));
    if (fits && kind == V_ENUM)
        fits = v->literals == type->class_;
    if (!fits)
        report_error(f, mod->modification->value->span, m->inst,
                     "%s%s is of type %s, but the value is of type %s\n%s", what, m->name,
                     kind == V_ENUM ? type->class_->name : value_kind_text(kind),
                     before.kind == V_ENUM && before.literals ? before.literals->name
                                                              : value_kind_text(before.kind),
                     kind == V_INTEGER && before.kind == V_REAL ? "integer(x) rounds down"
                                                                : "change the type or the value");
    return fits;
}

/* a value must have the sizes of its member */
static bool check_sizes(Front *f, Member *m, const Mod *mod, const Value *v)
{
    char have[100];
    bool fits = v->ndim == m->ndim;
    for (int k = 0; k < m->ndim && fits; k++)
        fits = m->dim[k] == NO_SIZE || m->dim[k] == v->dim[k];
    if (fits)
        return true;
    Value want = {.ndim = m->ndim};
    memcpy(want.dim, m->dim, sizeof want.dim);
    char need[100];
    if (m->ndim == 0)
        report_error(f, mod->modification->value->span, m->inst,
                     "'%s' is a scalar, but the value has the sizes %s\n"
                     "pick one element",
                     m->name, value_sizes_text(v, have, sizeof have));
    else if (v->ndim == 0)
        report_error(f, mod->modification->value->span, m->inst,
                     "'%s' is an array of the sizes %s, but the value is a scalar\n"
                     "write fill(value, n) for n equal values",
                     m->name, value_sizes_text(&want, need, sizeof need));
    else
        report_error(f, mod->modification->value->span, m->inst,
                     "'%s' has the sizes %s, but the value has %s\ngive as many numbers as it has",
                     m->name, value_sizes_text(&want, need, sizeof need),
                     value_sizes_text(v, have, sizeof have));
    return false;
}

const char *attribute_text(Front *f, Member *m, const char *name)
{
    bool given;
    unsigned long long before = f->touched;
    Value v = member_attribute(f, m, name, &given);
    f->touched = before;
    return v.kind == V_STRING && value_text(&v, 0) && *value_text(&v, 0) ? value_text(&v, 0) : NULL;
}

/* unit, min and max; values by element of an array are examined again for each element */
static void find_limits(Front *f, Member *m)
{
    if (m->limits_known)
        return;
    bool given;
    unsigned long long before = f->touched;
    f->touched = 0;
    Value least = member_attribute(f, m, "min", &given);
    Value most = member_attribute(f, m, "max", &given);
    if ((least.kind != V_NONE || most.kind != V_NONE) && !m->limits)
        m->limits = work_zeroed(f, 2 * sizeof *m->limits);
    if (m->limits) {
        m->limits[0] = least;
        m->limits[1] = most;
    }
    m->limits_known = f->touched == 0;
    f->touched = before;
    m->unit = attribute_text(f, m, "unit");
}

static void check_unit(Front *f, Member *m, const Mod *mod, Value *v)
{
    const char *unit = m->unit;
    if (unit && v->unit && unit_differs(unit, v->unit))
        report_error(f, mod->modification->value->span, m->inst,
                     "'%s' has the unit \"%s\", but the value has the unit \"%s\"\n"
                     "convert the value, or correct one of the units",
                     m->name, unit, v->unit);
    v->unit = unit;
}

/* a value must be within min and max */
static void check_range(Front *f, Member *m, const Mod *mod, const Value *v)
{
    if ((v->kind != V_REAL && v->kind != V_INTEGER) || !m->limits)
        return;
    for (int side = 0; side < 2; side++) {
        Value bound = m->limits[side];
        if ((bound.kind != V_REAL && bound.kind != V_INTEGER) || (bound.ndim && bound.n != v->n))
            continue;
        for (size_t i = 0; i < v->n; i++) {
            double x = value_at(v, i), b = value_at(&bound, bound.ndim ? i : 0);
            if (side ? x <= b : x >= b)
                continue;
            /* the classes of the library cannot work with it; elsewhere it is advice */
            if (m->part && m->part->class_->span.file == f->library)
                report_error(f, mod->modification->value->span, m->inst,
                             "%s = %g must be %s %g\ngive it a number in its range", m->name, x,
                             side ? "at most" : "at least", b);
            else
                warn(f, mod->modification->value->span, m->inst,
                     "%s = %g should be %s %g\nits declaration says so by %s", m->name, x,
                     side ? "at most" : "at least", b, side ? "max" : "min");
            return;
        }
    }
}

static Value attribute_value(Front *f, Member *m, Mod *mod, bool *given);

/* the same value for all elements of a member, if it is an array */
static Value for_all_elements(Front *f, const Member *m, Value v, SourceSpan span)
{
    if (v.kind == V_NONE || v.ndim > 0 || m->ndim == 0)
        return v;
    Value all = value_array(f, span, v.kind, m->ndim, m->dim);
    for (size_t i = 0; all.kind != V_NONE && i < all.n; i++)
        value_put(&all, i, &v);
    all.unit = v.unit;
    return all;
}

/* One element set from outside, x[2] = v, on top of the value of the others. */
static Value put_element(Front *f, const Member *m, const Mod *mod, const Ref *at, Value v,
                         Value rest)
{
    rest = for_all_elements(f, m, rest, mod->span);
    if (v.kind == V_NONE || rest.kind == V_NONE)
        return (Value){0};
    IndexSelection s;
    if (!select_subscripts(f, &at->subscripts, mod->env, rest.ndim, rest.dim, at->span, m->name,
                           &s))
        return (Value){0};
    Value copy = value_array(f, mod->span, rest.kind, rest.ndim, rest.dim);
    size_t position = 0;
    for (int k = 0; k < s.ndim; k++) {
        if (s.n[k] != 1 || v.ndim != 0) {
            report_error(f, mod->span, m->inst,
                         "one value for one element of '%s' is needed\nname one element", m->name);
            return (Value){0};
        }
        position = position * rest.dim[k] + s.at[k][0];
    }
    if (copy.kind == V_NONE)
        return copy;
    for (size_t i = 0; i < rest.n; i++) {
        Value e = value_element(&rest, i);
        value_put(&copy, i, i == position ? &v : &e);
    }
    copy.unit = rest.unit;
    return copy;
}

/* elements set one by one from outside, on top of the value of the others */
static Value override_elements(Front *f, Member *m, Mod *mod, Value rest)
{
    Value v = mod_value(f, mod, 0, m->inst, m->name);
    if (v.kind == V_NONE || !check_kind(f, m, mod, &v, ""))
        return (Value){0};
    return put_element(f, m, mod, mod->at, v, rest);
}

/* a parameter that initial equations decide: a number where only that is asked, else an error */
static Value free_value(Front *f, Member *m, SourceSpan span)
{
    bool given;
    if (!f->free_met) {
        report_error(
            f, span.file ? span : m->component->name_span, m->inst,
            "'%s' has fixed = false: initial equations decide its value when the simulation "
            "starts, but it is needed before\ngive it a value",
            m->name);
        return (Value){0};
    }
    *f->free_met = true;
    Value start = member_attribute(f, m, "start", &given);
    if (given && start.ndim == m->ndim)
        return start;
    static const ValueKind kinds[] = {V_NONE,   V_REAL, V_INTEGER, V_BOOLEAN,
                                      V_STRING, V_ENUM, V_NONE};
    return value_array(f, span, kinds[member_type(f, m)->kind], m->ndim, m->dim);
}

/* the first modifier that gives a value */
static Value find_value(Front *f, Member *m, Mod *mod, SourceSpan span)
{
    for (; mod; mod = mod->next) {
        if (mod->rest || !mod->modification || !mod_applies(f, mod))
            continue;
        if (mod->modification->is_break)
            break;
        if (!mod->modification->value)
            continue;
        if (mod->at && mod->at->subscripts.n)
            return override_elements(f, m, mod, find_value(f, m, mod->next, span));
        Value v = mod_value(f, mod, m->ndim, m->inst, m->name);
        if (v.kind == V_NONE || !check_kind(f, m, mod, &v, "") || !check_sizes(f, m, mod, &v))
            return (Value){0};
        if (f->free_met && *f->free_met)
            return v; /* a guess */
        find_limits(f, m);
        check_unit(f, m, mod, &v);
        check_range(f, m, mod, &v);
        return v;
    }
    bool given;
    Value fixed = member_attribute(f, m, "fixed", &given);
    if (given && fixed.kind == V_BOOLEAN && value_at(&fixed, 0) == 0)
        return free_value(f, m, span);
    Value start = member_attribute(f, m, "start", &given);
    if (given)
        return start;
    char path[300] = "";
    if (m->inst->parent)
        inst_path(m->inst, path, sizeof path);
    /* of a class of the library: at the component that uses it */
    SourceSpan place = m->component->name_span;
    for (const Inst *in = m->inst; in && in->parent && place.file == f->library; in = in->parent)
        place = in->member->component->name_span;
    bool constant = m->prefix.variability == VARY_CONSTANT;
    report_error(f, place, m->inst, "%s '%s' has no value\ngive it one: %s%s%s = ...",
                 constant ? "constant" : "parameter", m->name, path, *path ? "." : "", m->name);
    return (Value){0};
}

bool member_is_free(Front *f, Member *m)
{
    if (f->without_numbers)
        return false;
    if (m->free_state == MEMO_DONE)
        return m->is_free;
    bool met = false, *outer = f->free_met;
    f->free_met = &met;
    member_value(f, m, m->component->name_span);
    f->free_met = outer;
    m->free_state = MEMO_DONE;
    m->is_free = met;
    return met;
}

Mod *member_binding(Front *f, const Member *m)
{
    for (Mod *mod = m->mods; mod; mod = mod->next) {
        if (mod->rest || !mod->modification || !mod_applies(f, mod))
            continue;
        if (mod->modification->is_break)
            return NULL;
        /* an override of a variable is its start value */
        if (mod->modification->value && !(mod->override && !member_is_parameter(m)))
            return mod;
    }
    return NULL;
}

/* the record that a member is a field of, as a component, or NULL */
static const Member *record_of(const Member *m)
{
    const Inst *inst = m->inst;
    return inst && is_record_class(inst->class_) && inst->member && inst->member->component
               ? inst->member
               : NULL;
}

static bool is_single_field(Front *f, const Member *m)
{
    return m->type.kind == TY_REAL && m->ndim == 0 && record_of(m) && member_binding(f, m);
}

/* annotation(Evaluate = true) */
static bool says_evaluate(const Member *m)
{
    const ArgumentList *list = &m->element->comment.annotation;
    for (size_t i = 0; i < list->n; i++) {
        const Argument *a = list->items[i];
        const Expr *value = a->kind == AR_MODIFY && a->modification ? a->modification->value : NULL;
        if (value && value->kind == EX_BOOLEAN && strcmp(a->name->name, "Evaluate") == 0)
            return value->boolean;
    }
    return false;
}

/* it, or a record that it is part of */
static bool is_marked_evaluate(const Member *m)
{
    while (m && !says_evaluate(m))
        m = record_of(m);
    return m != NULL;
}

/* final, or of a record that is declared as final */
static bool is_final(Front *f, Member *m)
{
    const Mod *mod = member_binding(f, m);
    bool final = mod && (mod->final || (mod->own && m->element->final));
    for (const Member *r = mod ? record_of(m) : NULL; r && !final; r = record_of(r))
        final = r->element->final;
    return final;
}

/* Does a parameter stay data, with what its value is made of at hand? What is final stays what it
 * follows from. */
static bool stays_data(Front *f, Member *m)
{
    if (member_type(f, m)->kind != TY_REAL || m->prefix.variability == VARY_CONSTANT ||
        is_marked_evaluate(m))
        return false;
    return !is_final(f, m) || f->of_data;
}

bool member_is_evaluated(Front *f, Member *m, unsigned long long axes)
{
    if (f->without_numbers)
        return false;
    unsigned long long before = f->touched;
    bool of_data = f->of_data;
    f->touched = 0;
    f->of_data = false;
    Value v = member_value(f, m, m->component->name_span);
    bool single = v.kind == V_REAL && v.ndim == 0;
    bool vanishes = single && v.x == 0 && is_final(f, m);
    bool is_none = single && isnan(v.x) && !is_symbolic(v.x); /* see member_value */
    bool evaluated =
        v.kind == V_REAL && (!f->of_data || vanishes || is_none) && !(f->touched & ~axes);
    f->touched = before;
    f->of_data = of_data;
    return evaluated;
}

Memo *member_memo(Front *f, Member *m)
{
    if (!m->value)
        m->value = work_zeroed(f, sizeof *m->value);
    return m->value;
}

Value member_value(Front *f, Member *m, SourceSpan span)
{
    Memo *memo = member_memo(f, m);
    if (!memo)
        return (Value){0};
    bound_read(f, memo);
    if (memo->state == MEMO_DONE && memo->key == memo_key(m->inst->axis, memo->touched)) {
        f->touched |= memo->touched;
        f->of_data |= memo->of_data;
        return memo->value;
    }
    if (memo->state == MEMO_BUSY) {
        report_error(
            f, m->component->name_span, m->inst,
            "the value of '%s' depends on itself\nbreak the cycle: give one of the parameters a "
            "number",
            m->name);
        return (Value){0};
    }
    if (!enter(f, span))
        return (Value){0};
    unsigned long long before = f->touched;
    struct Lower *lower = f->lower;
    bool of_data = f->of_data;
    Memo *reading = f->reading;
    f->reading = memo;
    f->lower = NULL; /* a number is asked for, also from within equations */
    f->touched = 0;
    f->of_data = false;
    memo->state = MEMO_BUSY;
    Value v = {0};
    bool met = f->free_met && *f->free_met;
    if (f->free_met)
        *f->free_met = false;
    size_t wrong = f->nwrong;
    if (member_sizes(f, m))
        v = find_value(f, m, m->mods, span);
    if (v.kind == V_NONE && f->nwrong == wrong && is_single_field(f, m))
        v = value_number(V_REAL, NAN); /* the function that makes the record does not assign it */
    f->reading = reading;
    f->lower = lower;
    bool is_guess = f->free_met && *f->free_met; /* to be asked again by those who need a number */
    if (f->free_met)
        *f->free_met |= met;
    memo->value = v;
    memo->touched = f->touched;
    memo->key = memo_key(m->inst->axis, memo->touched);
    memo->state = is_guess ? MEMO_NEW : MEMO_DONE;
    memo->of_data = is_guess || stays_data(f, m);
    f->touched |= before;
    f->of_data = of_data || memo->of_data;
    leave(f);
    return v;
}

/* ------------------------------------------------------------------ attributes */

static const char *const attribute_names[] = {"start",       "fixed",       "min",     "max",
                                              "unit",        "displayUnit", "nominal", "quantity",
                                              "stateSelect", "unbounded"};

static bool is_start(const Mod *mod)
{
    return strcmp(mod->at->name, "start") == 0;
}

/* an attribute that only some elements have; a start value is zero where nothing is said */
static void report_others(Front *f, const Member *m, const Mod *mod)
{
    report_error(f, mod->span, m->inst,
                 "the attribute '%s' of one element of '%s', but the others have none\n"
                 "give it for all elements, without an index",
                 mod->at->name, m->name);
}

/* An attribute of one element, x[2].start, and those of the others. Found once. */
static Value attribute_elements(Front *f, Member *m, Mod *mod)
{
    if (!mod->elements)
        mod->elements = work_zeroed(f, sizeof *mod->elements);
    Memo *memo = mod->elements;
    if (!memo)
        return (Value){0};
    if (memo->state == MEMO_DONE && memo->key == memo_key(m->inst->axis, memo->touched)) {
        f->touched |= memo->touched;
        return memo->value;
    }
    unsigned long long before = f->touched;
    bool given;
    f->touched = 0;
    Value v = mod_value(f, mod, 0, m->inst, m->name),
          rest = attribute_value(f, m, mod->next, &given);
    if (!given && is_start(mod))
        rest = value_array(f, mod->span, value_kind(member_type(f, m)->kind), m->ndim, m->dim);
    else if (!given)
        report_others(f, m, mod);
    memo->value = put_element(f, m, mod, mod->of, v, rest);
    memo->touched = f->touched;
    memo->key = memo_key(m->inst->axis, memo->touched);
    memo->state = MEMO_DONE;
    f->touched |= before;
    return memo->value;
}

/* the first modifier of an attribute that holds for the element at hand */
static Value attribute_value(Front *f, Member *m, Mod *mod, bool *given)
{
    const Mod *of_others = NULL;
    for (; mod; mod = mod->next) {
        if (!mod->modification || !mod->modification->value || mod->rest)
            continue;
        if (!mod_applies(f, mod)) {
            of_others = mod;
            continue;
        }
        *given = true;
        return mod->of && mod->of->subscripts.n ? attribute_elements(f, m, mod)
                                                : mod_value(f, mod, 0, m->inst, m->name);
    }
    if (of_others && !is_start(of_others))
        report_others(f, m, of_others);
    *given = false;
    return (Value){0};
}

Value member_attribute(Front *f, Member *m, const char *name, bool *given)
{
    *given = false;
    member_type(f, m);
    const char *interned = intern(f, name);
    Mod *mod = m->attributes;
    while (mod && mod->at->name != interned)
        mod = mod->other;
    if (!mod) {
        mod = mods_below(f, m->mods, interned);
        if (!mod || !mod->at)
            return (Value){0};
        mod->other = m->attributes;
        m->attributes = mod;
    }
    struct Lower *lower = f->lower;
    f->lower = NULL;
    Value whole = attribute_value(f, m, mod, given);
    f->lower = lower;
    return whole;
}

/* The unit of the declaration is the one its numbers are read in: another one from outside would be
 * believed and not used. displayUnit says only how to show it, but must be a unit of the quantity.
 */
static void check_units(Front *f, Member *m)
{
    bool alone = !m->mods || !m->mods->next; /* one modifier does not contradict itself */
    Mod *units = alone ? NULL : mods_below(f, m->mods, intern(f, "unit")), *declared = units;
    const char *unit = attribute_text(f, m, "unit"), *shown = attribute_text(f, m, "displayUnit");
    while (declared && declared->next)
        declared = declared->next;
    if (units != declared && declared->modification && declared->modification->value) {
        unsigned long long before = f->touched;
        Value own = mod_value(f, declared, 0, m->inst, m->name);
        f->touched = before;
        const char *text = own.kind == V_STRING ? value_text(&own, 0) : NULL;
        if (text && *text && unit && !unit_agrees(unit, text))
            report_error(f, units->span, m->inst,
                         "'%s' is declared in \"%s\", and a modifier cannot make it \"%s\"\n"
                         "leave the unit out and give the value in %s",
                         m->name, text, unit, text);
    }
    if (unit && shown && !unit_converts(unit, shown))
        report_error(f, m->mods->span, m->inst,
                     "the displayUnit \"%s\" of '%s' is no unit of what is measured in \"%s\"\n"
                     "give a unit of the same quantity",
                     shown, m->name, unit);
}

/* units are compared by what they are made of: a text that is none is compared with nothing */
static void check_unit_text(Front *f, const Member *m, const Value *v, SourceSpan span,
                            const char *attribute)
{
    for (size_t i = 0; v->kind == V_STRING && i < v->n; i++) {
        const char *text = value_text(v, i);
        if (!text || !*text || unit_is_text(text))
            continue;
        warn(f, span, m->inst,
             "the %s \"%s\" of '%s' is not written as a unit, and nothing is compared with it\n"
             "factors are joined by dots, whole exponents follow them, and one division may: "
             "\"kg.m2/s\"",
             attribute, text, m->name);
        return;
    }
}

static bool is_attribute(const char *name)
{
    for (size_t k = 0; k < sizeof attribute_names / sizeof *attribute_names; k++)
        if (strcmp(name, attribute_names[k]) == 0)
            return true;
    return false;
}

/* the sizes of a member as those of a value */
static const char *member_sizes_text(const Member *m, char *buffer, size_t size)
{
    Value v = {.ndim = m->ndim};
    memcpy(v.dim, m->dim, sizeof v.dim);
    return value_sizes_text(&v, buffer, size);
}

/* one value for all elements of the member, or one for each */
static bool attribute_fits(const Member *m, const Value *v)
{
    bool fits = v->ndim == 0 || v->ndim == m->ndim;
    for (int k = 0; k < v->ndim && fits; k++)
        fits = m->dim[k] == NO_SIZE || v->dim[k] == m->dim[k];
    return fits;
}

/* type and sizes of one attribute, which is given at `span` */
static void check_attribute(Front *f, Member *m, const char *n, SourceSpan span)
{
    char sizes[100], own[100];
    bool given;
    unsigned long long before = f->touched;
    Value v = member_attribute(f, m, n, &given);
    f->touched = before;
    if (!given || v.kind == V_NONE)
        return;
    ValueKind need =
        strcmp(n, "unit") == 0 || strcmp(n, "displayUnit") == 0 || strcmp(n, "quantity") == 0
            ? V_STRING
        : strcmp(n, "fixed") == 0 || strcmp(n, "unbounded") == 0 ? V_BOOLEAN
        : strcmp(n, "stateSelect") == 0                          ? V_NONE
                                        : value_kind(member_type(f, m)->kind);
    if (strcmp(n, "stateSelect") == 0 && v.kind != V_ENUM)
        report_error(f, span, m->inst,
                     "attribute stateSelect of '%s' must be a literal of StateSelect, not of type "
                     "%s\nwrite StateSelect.prefer or its like",
                     m->name, value_kind_text(v.kind));
    if (!attribute_fits(m, &v))
        report_error(f, span, m->inst,
                     "attribute %s of '%s' has the sizes %s, but '%s' %s%s\n"
                     "give one value, or one for each element",
                     n, m->name, value_sizes_text(&v, sizes, sizeof sizes), m->name,
                     m->ndim ? "has " : "is a scalar",
                     m->ndim ? member_sizes_text(m, own, sizeof own) : "");
    if (need != V_NONE && !value_convert(&v, need))
        report_error(f, span, m->inst,
                     "attribute %s of '%s' must be of type %s, not %s\n"
                     "change the value",
                     n, m->name, value_kind_text(need), value_kind_text(v.kind));
    else if (strcmp(n, "unit") == 0 || strcmp(n, "displayUnit") == 0)
        check_unit_text(f, m, &v, span, n);
}

/* 'x.nominel = 1' from outside the text names an attribute, too, and nothing is below one */
static void check_override(Front *f, Member *m, const Mod *mod)
{
    if (mod->override && mod->rest && (mod->rest->rest || !is_attribute(mod->rest->name)))
        report_error(f, mod->span, m->inst,
                     "'%s' has no attribute '%s%s'\n"
                     "attributes are start, fixed, min, max, unit, displayUnit, nominal",
                     m->name, mod->rest->name, mod->rest->rest ? "..." : "");
    else if (mod->override && mod->rest && strcmp(mod->rest->name, "start") == 0 &&
             member_is_parameter(m) && member_binding(f, m))
        report_error(f, mod->span, m->inst,
                     "'%s' is a parameter that has a value: nothing reads its start value\n"
                     "override '%s' itself",
                     m->name, m->name);
    else if (mod->override && mod->rest)
        check_attribute(f, m, mod->rest->name, mod->span);
}

/* argument i of a modification names an attribute: once, with a value that fits */
static void check_modified(Front *f, Member *m, const Modification *modification, size_t i)
{
    const Argument *a = modification->arguments.items[i];
    for (size_t k = 0; k < i; k++) {
        const Argument *b = modification->arguments.items[k];
        if (b->kind == AR_MODIFY && b->name->name == a->name->name)
            report_error(f, a->span, m->inst,
                         "'%s' is modified twice in one list\nremove one of the two",
                         a->name->name);
    }
    check_attribute(f, m, a->name->name, a->span);
}

/* reports a name that is no attribute, with the one that may be meant */
static void report_attribute(Front *f, const Member *m, const Type *type, const Argument *a)
{
    char hint[140];
    NearestName nearest = {.name = a->kind == AR_MODIFY ? a->name->name : "redeclare"};
    for (size_t k = 0; k < sizeof attribute_names / sizeof *attribute_names; k++)
        nearest_try(&nearest, attribute_names[k]);
    nearest_text(&nearest, hint, sizeof hint);
    report_error(
        f, a->span, m->inst, "'%s' is of type %s, which has no attribute '%s'\n%s", m->name,
        type->kind == TY_ENUM ? type->class_->name : value_kind_text(value_kind(type->kind)),
        nearest.name,
        *hint ? hint : "attributes are start, fixed, min, max, unit, displayUnit, nominal");
}

/* names, types and sizes of attributes, of the text and of overrides */
static void check_attributes(Front *f, Member *m)
{
    const Type *type = member_type(f, m);
    for (const Mod *mod = m->mods; mod; mod = mod->next)
        check_override(f, m, mod);
    for (const Mod *mod = m->mods; mod; mod = mod->next)
        for (size_t i = 0; mod->modification && i < mod->modification->arguments.n; i++) {
            const Argument *a = mod->modification->arguments.items[i];
            if (a->kind == AR_MODIFY && is_attribute(a->name->name))
                check_modified(f, m, mod->modification, i);
            else
                report_attribute(f, m, type, a);
        }
}

void member_refuse_overrides(Front *f, const Member *m, const char *why)
{
    for (const Mod *mod = m->mods; mod; mod = mod->next)
        if (mod->override)
            report_error(f, mod->span, NULL, "'%s' %s: the override changes nothing\nleave it out",
                         m->name, why);
}

void component_refuse_value(Front *f, const Member *m)
{
    for (const Mod *mod = m->mods; mod; mod = mod->next)
        if (!mod->rest && mod->modification && mod->modification->value)
            report_error(f, mod->modification->value->span, m->inst,
                         "'%s' is a component and cannot be given a value\n"
                         "modify its parameters: %s(m = 2)",
                         m->name, m->name);
        else if (mod->at && mod->at->subscripts.n && !m->axis)
            report_error(f, mod->at->span, m->inst,
                         "'%s' is no array and has no index\nremove the index", m->name);
}

void member_check(Front *f, Member *m)
{
    if (m->checked)
        return;
    m->checked = true;
    const Type *type = member_type(f, m);
    if (type->kind == TY_NONE || !member_sizes(f, m))
        return;
    if (type->kind != TY_CLASS) {
        check_attributes(f, m);
        if (m->mods && type->kind == TY_REAL)
            check_units(f, m);
        bool bound = false, given = false;
        for (const Mod *mod = m->mods; mod; mod = mod->next)
            bound |= !mod->rest && mod->modification && mod->modification->value;
        unsigned long long before = f->touched;
        if (bound && member_is_parameter(m))
            member_is_free(f, m); /* its value, if it is known by now */
        else
            member_attribute(f, m, "start", &given);
        f->touched = before;
    }
}
