/* emit_settings.c - numbers of components: parameters, start values and attributes of states.
 *
 * A parameter of a native component that is the same for all elements of the arrays around it is
 * set in the model next to it. One that differs (it touched an axis) is set by the model that
 * declares the outermost such array, once that model is complete, with one value per element.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "front/emit/emit.h"

enum { NAME_LENGTH = 500 }; /* of a member, with an index or the attribute of a state */

/* a setting with values by element */
struct PerElementSetting {
    Inst *native;
    Member *member;
    const char *attribute;   /* "start", "nominal" ... of a state; NULL: the value of a parameter */
    const CellSetting *cell; /* of a cell, or NULL */
    struct PerElementSetting *next;
};

/* where a number goes, as seen from the model that holds it */
typedef struct SettingTarget {
    ModelStep steps[INSTANCE_DEPTH + 2];
    size_t nstep;
    char name[NAME_LENGTH]; /* of the member */
} SettingTarget;

/* ------------------------------------------------------------------ settings */

/* the nearest instance around that is being written */
static Inst *holder_of(Inst *inst)
{
    while (inst && !inst->draft)
        inst = inst->parent;
    return inst;
}

/* The components from the holder down to an instance, and a member of it; false: there is no path,
 * reported unless something else is wrong. */
static bool target_of(Front *f, const Inst *holder, Inst *inst, const char *member,
                      SettingTarget *target)
{
    Inst *chain[INSTANCE_DEPTH + 2], *of = inst;
    size_t n = 0, size = sizeof target->name - INDEX_LENGTH; /* room for an index is left */
    target->nstep = 0;
    if (inst == holder && inst->draft->own)
        target->steps[target->nstep++] = (ModelStep){inst->draft->own - 1, ALL_ELEMENTS};
    for (; inst && inst != holder && n < INSTANCE_DEPTH + 2; inst = inst->parent)
        chain[n++] = inst;
    while (n-- > 0) {
        uint32_t number = emit_number_inside(holder, target->steps, target->nstep, chain[n]);
        if (number == NO_DECLARATION)
            return false; /* what it belongs to is wrong */
        target->steps[target->nstep++] = (ModelStep){number, ALL_ELEMENTS};
    }
    if (target->nstep == 0)
        return false; /* likewise */
    if ((size_t)snprintf(target->name, size, "%s", member) < size)
        return true;
    report_error(f, of->member->component->name_span, NULL,
                 "the path of '%.100s' is longer than %zu characters\nuse shorter names",
                 of->member->name, size - 1);
    return false;
}

/* the modifier that gives a number from outside its class, or where the member is declared */
static SourceRange range_of(const Member *m)
{
    const Mod *mod = outside_mod(m, false);
    mod = mod ? mod : outside_mod(m, true);
    const SourceSpan span = mod ? mod->span : m->component->name_span;
    return (SourceRange){span.file, span.at, span.length};
}

/* a number or a vector in the model of the holder */
static void put_value(Front *f, const Inst *holder, const SettingTarget *target, const Member *m,
                      const Value *v)
{
    LiederModel *model = holder->draft->model;
    if (v->ndim == 0)
        model_set(model, target->steps, target->nstep, target->name, v->x, range_of(m));
    else
        model_set_list(model, target->steps, target->nstep, target->name, SET_VECTOR,
                       number_list_copy(native_allocator(f->session), v->num, v->n), range_of(m));
}

const Mod *outside_mod(const Member *m, bool start)
{
    for (const Mod *mod = m->mods; mod; mod = mod->next) {
        if (mod->own)
            continue;
        if (!start && !mod->rest && mod->modification && mod->modification->value)
            return mod;
        if (!start)
            continue;
        if (mod->rest && strcmp(mod->rest->name, "start") == 0)
            return mod;
        for (size_t i = 0; mod->modification && i < mod->modification->arguments.n; i++) {
            const Argument *a = mod->modification->arguments.items[i];
            if (a->kind == AR_MODIFY && strcmp(a->name->name, "start") == 0)
                return mod;
        }
    }
    return NULL;
}

static bool is_finite_value(Front *f, const Member *m, const Value *v)
{
    for (size_t i = 0; i < v->n; i++)
        if (v->kind != V_STRING && !isfinite(value_at(v, i))) {
            report_error(f, m->mods ? m->mods->span : m->component->name_span, m->inst,
                         "%s = %g is not a finite number\ngive it a finite number", m->name,
                         value_at(v, i));
            return false;
        }
    return v->kind != V_STRING;
}

const char *const state_attributes[NSTATE_ATTRIBUTES] = {"nominal", "min", "max"};

static bool is_start(const char *attribute)
{
    return attribute && strcmp(attribute, "start") == 0;
}

/* "s" for its value and its start value, "s.nominal" for other attributes */
static const char *setting_name(Front *f, const char *name, const char *attribute)
{
    char buffer[NAME_LENGTH];
    if (!attribute || is_start(attribute))
        return name;
    int n = snprintf(buffer, sizeof buffer, "%s.%s", name, attribute);
    const char *copy = n < NAME_LENGTH ? arena_text(&f->work, buffer, (size_t)n) : NULL;
    return copy ? copy : name;
}

/* the same, without a note of what it is computed from */
static Value find_setting(Front *f, Member *m, const char *attribute)
{
    bool given;
    if (!attribute)
        return member_value(f, m, m->component->name_span);
    if (!is_start(attribute))
        return member_attribute(f, m, attribute, &given);
    /* from outside the text, phi = 1 means its start value */
    for (Mod *mod = m->mods; mod; mod = mod->next)
        if (mod->override && !mod->rest && mod->modification && mod->modification->value &&
            mod_applies(f, mod))
            return member_value(f, m, m->component->name_span);
    return member_attribute(f, m, "start", &given);
}

/* the value of a parameter, of an open input or of an attribute; what it is computed from is bound
 */
static Value setting_value(Front *f, Member *m, const char *attribute)
{
    BoundRoot root;
    bound_begin(f, &root, member_memo(f, m));
    Value v = find_setting(f, m, attribute);
    bound_end(f, &root);
    return v;
}

/* to be set when the model of the holder is complete */
static void add_late(Front *f, Inst *holder, PerElementSetting late)
{
    PerElementSetting *copy = work_zeroed(f, sizeof *copy);
    Draft *draft = holder->draft;
    if (!copy)
        return;
    *copy = late;
    if (draft->last)
        draft->last->next = copy;
    else
        draft->late = copy;
    draft->last = copy;
}

void emit_setting(Front *f, Inst *inst, Member *m, const char *attribute)
{
    Inst *holder = holder_of(inst->parent);
    unsigned long long before = f->touched;
    f->touched = 0;
    Value v = setting_value(f, m, attribute);
    unsigned long long touched = f->touched;
    f->touched = before;
    if (v.kind == V_NONE || !holder)
        return;
    if (!attribute)
        bound_emit(f, m, inst, m->name);
    if (attribute && v.ndim) {
        report_error(f, m->mods->span, m->inst, "the %s value of '%s' must be one number\ngive one",
                     attribute, m->name);
        return;
    }
    if (attribute && v.kind != V_REAL && v.kind != V_INTEGER) {
        report_error(f, m->mods->span, m->inst, "the %s value of '%s' must be a number\ngive one",
                     attribute, m->name);
        return;
    }
    if (touched) {
        if (v.ndim == 2) {
            same_for_all(f, touched, m->mods->span, m->inst, m->name);
            return;
        }
        /* the model of the outermost array that matters */
        Axis *outermost = inst->axis;
        for (Axis *axis = inst->axis; axis; axis = axis->outer)
            if (touched >> axis->depth & 1)
                outermost = axis;
        add_late(f, holder_of(outermost->owner),
                 (PerElementSetting){.native = inst, .member = m, .attribute = attribute});
        return;
    }
    if (!is_finite_value(f, m, &v))
        return;
    SettingTarget target;
    if (target_of(f, holder, inst, setting_name(f, m->name, attribute), &target))
        put_value(f, holder, &target, m, &v);
}

/* ------------------------------------------------------------------ numbers of cells */

bool emit_is_overridden(const Member *m)
{
    for (const Mod *mod = m->mods; mod; mod = mod->next)
        if (mod->override && !mod->rest && mod->modification && mod->modification->value)
            return true;
    return false;
}

/* the arrays of components between a cell and a member of it, set to the cursors of the key */
static unsigned long long set_inner_cursors(const CellSetting *s)
{
    Axis *inner[AXIS_DEPTH];
    size_t n = 0, key = s->key;
    unsigned long long set = 0;
    for (Axis *axis = s->member->inst->axis; axis && axis != s->top->axis; axis = axis->outer) {
        inner[n++] = axis;
        set |= 1ull << axis->depth;
    }
    while (key && n-- > 0) { /* memo_key has put the outermost last */
        inner[n]->index = key % (inner[n]->n + 1) - 1;
        key /= inner[n]->n + 1;
    }
    return set;
}

/* the value at the present cursors; of an attribute that of the element alone */
static Value cell_value(Front *f, const CellSetting *s)
{
    unsigned long long before = f->touched;
    f->touched = 0;
    unsigned long long inner = set_inner_cursors(s);
    Value v = setting_value(f, s->member, s->attribute);
    f->touched = before | (f->touched & ~inner);
    if (s->attribute && v.ndim && s->element < v.n)
        v = value_element(&v, s->element);
    else if (v.ndim && v.n == 1)
        v = value_element(&v, 0); /* a vector of one is a number of the class */
    return v;
}

bool emit_cell_number(Front *f, const CellSetting *s, double *x)
{
    unsigned long long before = f->touched;
    f->touched = 0;
    Value v = cell_value(f, s);
    bool same = f->touched == 0;
    f->touched = before;
    if (!same || v.kind == V_NONE || v.kind == V_STRING || (v.ndim && s->element >= v.n))
        return false;
    *x = value_at(&v, v.ndim ? s->element : 0);
    return isfinite(*x);
}

void emit_cell_setting(Front *f, const CellSetting *s)
{
    Inst *holder = holder_of(s->top);
    unsigned long long before = f->touched;
    f->touched = 0;
    Value v = cell_value(f, s);
    unsigned long long touched = f->touched;
    f->touched = before;
    if (v.kind == V_NONE || !holder)
        return;
    if (!s->attribute)
        bound_emit(f, s->member, s->top, s->name);
    if (touched) {
        Axis *outermost = s->top->axis;
        for (Axis *axis = s->top->axis; axis; axis = axis->outer)
            if (touched >> axis->depth & 1)
                outermost = axis;
        CellSetting *copy = work_zeroed(f, sizeof *copy);
        if (copy) {
            *copy = *s;
            add_late(f, holder_of(outermost->owner),
                     (PerElementSetting){.native = s->top,
                                         .member = s->member,
                                         .attribute = s->attribute,
                                         .cell = copy});
        }
        return;
    }
    SettingTarget target;
    if (is_finite_value(f, s->member, &v) &&
        target_of(f, holder, s->top, setting_name(f, s->name, s->attribute), &target))
        put_value(f, holder, &target, s->member, &v);
}

void emit_cell_numbers(Front *f, Inst *top, const char *name, SourceSpan span,
                       const double *numbers, size_t n)
{
    Inst *holder = holder_of(top);
    SettingTarget target;
    const SourceRange range = {span.file, span.at, span.length};
    if (!holder || !target_of(f, holder, top, name, &target))
        return;
    if (n == 1)
        model_set(holder->draft->model, target.steps, target.nstep, target.name, numbers[0], range);
    else
        model_set_list(holder->draft->model, target.steps, target.nstep, target.name, SET_VECTOR,
                       number_list_copy(native_allocator(f->session), numbers, n), range);
}

/* ------------------------------------------------------------------ values by element */

/* the arrays between the holder and the component, outermost first */
static size_t axes_between(const Inst *holder, const Inst *inst, Axis **axes)
{
    size_t n = 0;
    for (Axis *axis = inst->axis; axis != holder->axis; axis = axis->outer)
        axes[n++] = axis;
    for (size_t i = 0; i < n / 2; i++) {
        Axis *swap = axes[i];
        axes[i] = axes[n - 1 - i];
        axes[n - 1 - i] = swap;
    }
    return n;
}

static void set_cursors(Axis **axes, size_t n, size_t position)
{
    for (size_t i = n; i-- > 0;) {
        axes[i]->index = position % axes[i]->n;
        position /= axes[i]->n;
    }
}

/* values by element, evaluated with the arrays around the component at each of them in turn */
static void put_late(Front *f, Inst *holder, const PerElementSetting *late)
{
    SettingTarget target;
    const char *name =
        setting_name(f, late->cell ? late->cell->name : late->member->name, late->attribute);
    Axis *axes[AXIS_DEPTH];
    Member *m = late->member;
    Inst *component = late->cell ? late->cell->top : late->native;
    if (!target_of(f, holder, component, name, &target))
        return;
    size_t naxis = axes_between(holder, component, axes), total = 1, width = 1;
    for (size_t i = 0; i < naxis; i++)
        total *= axes[i]->n;
    bool alone = naxis == 1 && component->axis == axes[0] && component->parent == holder &&
                 !component->model;
    VEC(NumberList *) lists = {0}; /* one for each number of a vector */
    bool ok = spend(f, m->component->name_span, total), vector = false;
    for (size_t i = 0; i < total && ok; i++) {
        set_cursors(axes, naxis, i);
        Value v = late->cell ? cell_value(f, late->cell) : setting_value(f, m, late->attribute);
        ok = v.kind != V_NONE && is_finite_value(f, m, &v);
        vector = v.ndim > 0;
        if (ok && i == 0) {
            width = v.n;
            ok = (alone && vector) || vec_resize(f->alloc, &lists, width);
            for (size_t k = 0; k < lists.n && ok; k++)
                ok = (lists.items[k] = number_list_create(f->alloc, total)) != NULL;
            if (!ok)
                f->work.failed = true;
        }
        if (!ok || (v.n != width && !(alone && vector)))
            break;
        if (alone && vector) { /* tables may have as many rows as they like */
            target.steps[target.nstep - 1].element = (uint32_t)i;
            put_value(f, holder, &target, m, &v);
            continue;
        }
        for (size_t k = 0; k < width; k++)
            lists.items[k]->values[i] = value_at(&v, k);
    }
    set_cursors(axes, naxis, 0);
    size_t end = strlen(target.name);
    for (size_t k = 0; k < lists.n && ok; k++) {
        char index[INDEX_LENGTH];
        if (m->ndim > 0 && !late->attribute)
            snprintf(target.name + end, sizeof target.name - end, "%s",
                     index_text(m->ndim, m->dim, k, index));
        model_set_list(holder->draft->model, target.steps, target.nstep, target.name, SET_EACH,
                       number_list_hold(lists.items[k]), range_of(m));
    }
    for (size_t k = 0; k < lists.n; k++)
        number_list_release(f->alloc, lists.items[k]);
    vec_drop(f->alloc, &lists);
}

void emit_bound(Front *f, Inst *top)
{
    SettingTarget target;
    for (const EmittedNumber *e = f->emitted; e; e = e->next)
        if (e->member->value && e->member->value->is_bound &&
            target_of(f, top, e->inst, e->name, &target))
            model_bind(top->draft->model, target.steps, target.nstep, target.name);
}

void emit_late(Front *f, Inst *holder)
{
    for (const PerElementSetting *late = holder->draft->late; late; late = late->next)
        /* a component that has become part of a rigid loop meanwhile has its numbers in the cell */
        if (late->cell || !late->native->member->as_text)
            put_late(f, holder, late);
}
