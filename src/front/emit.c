/* emit.c - instances to models of the session.
 *
 * A model is first written down as a draft, a plain sequence of the calls that build it. Drafts
 * with the same content give one model: "one model for each distinct class and modifiers" needs no
 * comparison of modifiers then. Components are emitted before the model around them.
 *
 * A parameter of a native component that is the same for all elements of the arrays around it is
 * set in the model next to it. One that differs (it touched an axis) is set by the model that
 * declares the outermost such array, once that model is complete, with one value per element.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "front/divide.h"
#include "front/emit.h"
#include "front/external.h"
#include "front/rigid.h"

/* a setting with values by element */
typedef struct Late {
    Inst *native;
    Member *member;
    const char *attribute;   /* "start", "nominal" ... of a state; NULL: the value of a parameter */
    const CellSetting *cell; /* of a cell, or NULL */
    struct Late *next;
} Late;

struct Draft {
    VEC(char) bytes;
    VEC(NumberList *) lists; /* of OP_EACH: the bytes have their place here and their hash */
    VEC(size_t) connections; /* where the paths of each stand */
    bool has_text;           /* a component of the compiled library has a text, see rigid.c */
    Late *late;
};

enum { PATH_LENGTH = 500 }; /* the engine takes a little more */

enum {
    OP_ADD_ONE = 'A',
    OP_ADD_ARRAY = 'B',
    OP_SET = 'S',
    OP_VECTOR = 'V',
    OP_EACH = 'E',
    OP_BOUND = 'F',
    OP_CONNECT = 'C',
    OP_EXPOSE = 'X'
};

/* ------------------------------------------------------------------ writing a draft */

static void put(Front *f, Draft *d, const void *bytes, size_t n)
{
    if (!vec_reserve(f->alloc, &d->bytes, d->bytes.n + n)) {
        f->work.failed = true;
        return;
    }
    memcpy(d->bytes.items + d->bytes.n, bytes, n);
    d->bytes.n += n;
}

static void put_texts(Front *f, Draft *d, char op, const char *a, const char *b)
{
    put(f, d, &op, 1);
    put(f, d, a, strlen(a) + 1);
    if (b)
        put(f, d, b, strlen(b) + 1);
}

static void put_numbers(Front *f, Draft *d, char op, const char *path, const double *values,
                        size_t n)
{
    put_texts(f, d, op, path, NULL);
    if (op != OP_SET)
        put(f, d, &n, sizeof n);
    put(f, d, values, n * sizeof *values);
}

/* equal ones are taken for equal content */
static Content content_of(const void *bytes, size_t n)
{
    Content c = {.length = n};
    c.hash[0] = hash_bytes(HASH_SEED, bytes, n);
    c.hash[1] = hash_bytes(c.hash[0] ^ 0x5bd1e995u, bytes, n);
    return c;
}

/* the list is handed over: the model that is built holds it, and nobody copies it */
static void put_each(Front *f, Draft *d, const char *path, NumberList *list)
{
    size_t place = d->lists.n;
    Content content = content_of(list->values, list->n * sizeof *list->values);
    if (!vec_push(f->alloc, &d->lists, list)) {
        number_list_release(f->alloc, list);
        f->work.failed = true;
        return;
    }
    put_texts(f, d, OP_EACH, path, NULL);
    put(f, d, &place, sizeof place);
    put(f, d, &content, sizeof content);
}

void emit_connection(Front *f, Inst *inst, const char *a, const char *b)
{
    size_t place = inst->draft->bytes.n + 1;
    put_texts(f, inst->draft, OP_CONNECT, a, b);
    if (!vec_push(f->alloc, &inst->draft->connections, place))
        f->work.failed = true;
}

void emit_port(Front *f, Inst *inst, const char *name, const char *inner)
{
    put_texts(f, inst->draft, OP_EXPOSE, name, inner);
    const char *copy = arena_text(&f->work, name, strlen(name));
    if (!copy || !vec_push(f->alloc, &inst->ports, copy))
        f->work.failed = true;
}

void emit_one(Front *f, Inst *inst, const char *name, const char *class_name)
{
    put_texts(f, inst->draft, OP_ADD_ONE, name, class_name);
}

/* ------------------------------------------------------------------ drafts to models */

static const char *take_text(const char **at)
{
    const char *text = *at;
    *at += strlen(text) + 1;
    return text;
}

static const double *take_numbers(Front *f, const char **at, size_t *n)
{
    memcpy(n, *at, sizeof *n);
    *at += sizeof *n;
    double *copy = scratch_zeroed(f, (*n ? *n : 1) * sizeof *copy);
    if (copy)
        memcpy(copy, *at, *n * sizeof *copy);
    *at += *n * sizeof *copy;
    return copy;
}

static void replay(Front *f, const Draft *d, LiederModel *model)
{
    const char *at = d->bytes.items, *end = at + d->bytes.n;
    while (at < end && !f->work.failed) {
        char op = *at++;
        const char *a = take_text(&at);
        const double *values;
        double x;
        size_t n;
        switch (op) {
        case OP_ADD_ONE: {
            const char *class_name = take_text(&at);
            if (*a)
                lieder_model_add(model, a, class_name);
            else
                native_add_unnamed(model, class_name);
            break;
        }
        case OP_ADD_ARRAY: {
            const char *class_name = take_text(&at);
            size_t dim[VALUE_DIMS];
            memcpy(&n, at, sizeof n);
            memcpy(dim, at + sizeof n, n * sizeof *dim);
            at += sizeof n + n * sizeof *dim;
            lieder_model_add_grid(model, a, class_name, (int)n, dim);
            break;
        }
        case OP_SET:
            memcpy(&x, at, sizeof x);
            at += sizeof x;
            lieder_model_set(model, a, x);
            break;
        case OP_VECTOR:
            values = take_numbers(f, &at, &n);
            if (values)
                lieder_model_set_vector(model, a, values, n);
            break;
        case OP_EACH:
            memcpy(&n, at, sizeof n);
            at += sizeof n + sizeof(Content);
            native_set_each(model, a, d->lists.items[n]);
            break;
        case OP_BOUND:
            native_bind(model, a);
            break;
        case OP_CONNECT:
            lieder_model_connect(model, a, take_text(&at));
            break;
        default:
            lieder_model_expose(model, a, take_text(&at));
            break;
        }
    }
}

void emit_visit_connections(Front *f, Inst *inst, ConnectionVisit *visit, void *user)
{
    Draft draft = {0}, *before = inst->draft;
    inst->draft = &draft;
    emit_connections(f, inst, false);
    inst->draft = before;
    const char *at = draft.bytes.items, *end = at ? at + draft.bytes.n : at;
    while (at < end && !f->work.failed) {
        char op = *at++;
        const char *a = take_text(&at), *b = take_text(&at);
        if (op == OP_CONNECT)
            visit(user, a, b);
    }
    vec_drop(f->alloc, &draft.bytes);
    vec_drop(f->alloc, &draft.connections);
}

const char *emit_free_name(Front *f, const char *name, char *buffer, size_t size)
{
    snprintf(buffer, size, "%.200s", name);
    for (int i = 2; lieder_class_find(f->session, buffer); i++)
        snprintf(buffer, size, "%.200s#%d", name, i + f->nmodel);
    return buffer;
}

static const char *build(Front *f, const Draft *d, const char *name, const char *text)
{
    struct BuiltModel key = {.content = content_of(d->bytes.items, d->bytes.n)};
    for (size_t i = 0; i < f->built.n; i++)
        if (memcmp(&f->built.items[i].content, &key.content, sizeof key.content) == 0)
            return f->built.items[i].name;
    char buffer[240];
    f->nmodel++;
    LiederModel *model =
        lieder_model_create(f->session, emit_free_name(f, name, buffer, sizeof buffer), text);
    if (!model) {
        f->work.failed = true;
        return NULL;
    }
    if (d->bytes.n)
        replay(f, d, model);
    const LiederClass *class_ = lieder_class_find(f->session, buffer);
    key.name = class_ ? lieder_class_name(class_) : NULL;
    if (!vec_push(f->alloc, &f->built, key))
        f->work.failed = true;
    return key.name;
}

/* ------------------------------------------------------------------ settings */

/* the nearest instance around that is being written */
static Inst *holder_of(Inst *inst)
{
    while (inst && !inst->draft)
        inst = inst->parent;
    return inst;
}

/* "crab.cart.m" as seen from the holder; false, with a diagnostic, if it is too long */
static bool path_from(Front *f, const Inst *holder, const Inst *inst, const char *member,
                      char *buffer, size_t size)
{
    const Inst *chain[INSTANCE_DEPTH + 2], *of = inst;
    size_t n = 0, at = 0;
    for (; inst && inst != holder && n < INSTANCE_DEPTH + 2; inst = inst->parent)
        chain[n++] = inst;
    while (n-- > 0 && at < size)
        at += (size_t)snprintf(buffer + at, size - at, "%s.", chain[n]->member->name);
    if (at < size)
        at += (size_t)snprintf(buffer + at, size - at, "%s", member);
    if (at < size)
        return true;
    report_error(f, of->member->component->name_span, NULL,
                 "the path of '%.100s' is longer than %zu characters\nuse shorter names",
                 of->member->name, size - 1);
    return false;
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
    char buffer[PATH_LENGTH];
    if (!attribute || is_start(attribute))
        return name;
    int n = snprintf(buffer, sizeof buffer, "%s.%s", name, attribute);
    const char *copy = n < PATH_LENGTH ? arena_text(&f->work, buffer, (size_t)n) : NULL;
    return copy ? copy : name;
}

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
    bound_begin(f, &root, &m->value);
    Value v = find_setting(f, m, attribute);
    bound_end(f, &root);
    return v;
}

/* to be set when the model of the holder is complete */
static void add_late(Front *f, Inst *holder, Late late)
{
    Late *copy = work_zeroed(f, sizeof *copy), **last = &holder->draft->late;
    if (!copy)
        return;
    *copy = late;
    while (*last)
        last = &(*last)->next;
    *last = copy;
}

static void set_one(Front *f, Inst *inst, Member *m, const char *attribute)
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
                 (Late){.native = inst, .member = m, .attribute = attribute});
        return;
    }
    if (!is_finite_value(f, m, &v))
        return;
    char path[PATH_LENGTH];
    if (!path_from(f, holder, inst, setting_name(f, m->name, attribute), path, sizeof path))
        return;
    if (v.ndim == 0)
        put_numbers(f, holder->draft, OP_SET, path, &v.x, 1);
    else
        put_numbers(f, holder->draft, OP_VECTOR, path, v.num, v.n);
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
                     (Late){.native = s->top,
                            .member = s->member,
                            .attribute = s->attribute,
                            .cell = copy});
        }
        return;
    }
    char path[PATH_LENGTH];
    if (!is_finite_value(f, s->member, &v) ||
        !path_from(f, holder, s->top, setting_name(f, s->name, s->attribute), path, sizeof path))
        return;
    if (v.ndim == 0)
        put_numbers(f, holder->draft, OP_SET, path, &v.x, 1);
    else
        put_numbers(f, holder->draft, OP_VECTOR, path, v.num, v.n);
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

static void put_late(Front *f, Inst *holder, const Late *late)
{
    char whole[PATH_LENGTH];
    const char *name =
        setting_name(f, late->cell ? late->cell->name : late->member->name, late->attribute);
    if (!path_from(f, holder, late->cell ? late->cell->top : late->native, name, whole,
                   sizeof whole - INDEX_LENGTH))
        return; /* room for an index is left */
    Axis *axes[AXIS_DEPTH];
    Member *m = late->member;
    Inst *component = late->cell ? late->cell->top : late->native;
    size_t naxis = axes_between(holder, component, axes), total = 1, width = 1;
    for (size_t i = 0; i < naxis; i++)
        total *= axes[i]->n;
    char path[PATH_LENGTH], tail[PATH_LENGTH];
    bool alone = naxis == 1 && component->axis == axes[0] && component->parent == holder &&
                 !component->model;
    VEC(NumberList *) lists = {0}; /* one for each number of a vector */
    bool ok = spend(f, m->component->name_span, total);
    for (size_t i = 0; i < total && ok; i++) {
        set_cursors(axes, naxis, i);
        Value v = late->cell ? cell_value(f, late->cell) : setting_value(f, m, late->attribute);
        ok = v.kind != V_NONE && is_finite_value(f, m, &v);
        if (ok && i == 0) {
            width = v.n;
            ok = alone || vec_resize(f->alloc, &lists, width);
            for (size_t k = 0; k < lists.n && ok; k++)
                ok = (lists.items[k] = number_list_create(f->alloc, total)) != NULL;
            if (!ok)
                f->work.failed = true;
        }
        if (!ok || v.n != width)
            break;
        if (alone) {
            /* elements of a native array one by one: the engine finds each at once */
            char index[INDEX_LENGTH];
            ok = snprintf(path, sizeof path, "%s%s.%s", component->member->name,
                          index_text(axes[0]->ndim, axes[0]->dim, i, index), name) < PATH_LENGTH;
            if (v.ndim)
                put_numbers(f, holder->draft, OP_VECTOR, path, v.num, v.n);
            else
                put_numbers(f, holder->draft, OP_SET, path, &v.x, 1);
            continue;
        }
        for (size_t k = 0; k < width; k++)
            lists.items[k]->values[i] = value_at(&v, k);
    }
    set_cursors(axes, naxis, 0);
    for (size_t k = 0; k < width && ok && !alone; k++) {
        snprintf(tail, sizeof tail, m->ndim > 0 && !late->attribute ? "%s[%zu]" : "%s", name,
                 k + 1);
        if (path_from(f, holder, component, tail, path, sizeof path))
            put_each(f, holder->draft, path, number_list_hold(lists.items[k]));
    }
    for (size_t k = 0; k < lists.n; k++)
        number_list_release(f->alloc, lists.items[k]);
    vec_drop(f->alloc, &lists);
}

/* what numbers of the model were computed from: to be set before it is made, not later */
static void put_bound(Front *f, Inst *top)
{
    char path[PATH_LENGTH];
    for (const EmittedNumber *e = f->emitted; e; e = e->next)
        if (e->member->value.is_bound && path_from(f, top, e->inst, e->name, path, sizeof path))
            put_texts(f, top->draft, OP_BOUND, path, NULL);
}

/* ------------------------------------------------------------------ native components */

static void emit_variable(Front *f, Inst *inst, Member *m)
{
    bool state = native_is_state(f->session, inst->native, m->name);
    const Mod *bound = outside_mod(m, false), *start = outside_mod(m, true);
    if (bound && !(bound->override && state)) {
        report_error(f, bound->span, inst,
                     "'%s' is a variable of '%s' and cannot be given a value\n%s", m->name,
                     inst->native,
                     state ? "set its start value: phi(start = 1)"
                           : "only parameters and start values can be set");
        return;
    }
    member_check(f, m);
    bool given;
    Value fixed = member_attribute(f, m, "fixed", &given);
    if (given && fixed.kind == V_BOOLEAN && value_at(&fixed, 0) == 0)
        report_error(f, m->mods->span, inst,
                     "'%s' cannot have fixed = false: every state starts at its start value\n"
                     "leave fixed out",
                     m->name);
    for (size_t i = 0; i < NSTATE_ATTRIBUTES; i++) {
        member_attribute(f, m, state_attributes[i], &given);
        if (given && state)
            set_one(f, inst, m, state_attributes[i]);
        else if (given)
            warn(f, m->mods->span, inst,
                 "attribute %s of '%s' has no effect: it is no state\nleave it out",
                 state_attributes[i], m->name);
    }
    member_attribute(f, m, "stateSelect", &given);
    if (given)
        warn(f, m->mods->span, inst,
             "attribute stateSelect of '%s' has no effect: the class has chosen its states\nleave "
             "it out",
             m->name);
    if (start && !state)
        report_error(f, start->span, inst,
                     "'%s' is no state of '%s' and has no start value\nonly states have one",
                     m->name, inst->native);
    else if (start || bound)
        set_one(f, inst, m, "start");
}

/* what says nothing to a class of the library, which has its unit and its range */
static void warn_of_unused(Front *f, Inst *inst, Member *m)
{
    static const char *const unused[] = {"nominal", "quantity"};
    bool given;
    for (size_t i = 0; i < sizeof unused / sizeof *unused; i++) {
        member_attribute(f, m, unused[i], &given);
        if (given)
            warn(f, m->mods->span, inst,
                 "attribute %s of the parameter '%s' has no effect\nleave it out", unused[i],
                 m->name);
    }
}

static void emit_native_member(Front *f, Inst *inst, Member *m)
{
    const Type *type = member_type(f, m);
    Causality causality;
    if (type->kind == TY_NONE || m->element->outer)
        return;
    if (type->kind == TY_CLASS) {
        if (m->mods && !m->mods->own)
            report_error(
                f, m->mods->span, inst,
                "the connector '%s' cannot be modified\nmodify the parameters of the component",
                m->name);
        return;
    }
    if (member_is_parameter(m)) {
        if (inst->opaque && !m->mods)
            return;
        if (!inst->opaque || !m->mods->own)
            member_check(f, m);
        if (m->mods && !m->mods->own)
            warn_of_unused(f, inst, m);
        if (outside_mod(m, false))
            set_one(f, inst, m, NULL);
        else if (!inst->opaque && !m->mods)
            member_value(f, m, m->component->name_span); /* reports that there is none */
        else if (!inst->opaque && m->mods && m->mods->own && !m->mods->modification->value &&
                 !m->mods->next)
            member_value(f, m, m->component->name_span);
        return;
    }
    if (connector_domain(f, m, &causality)) {
        if (causality == CAUSE_INPUT && outside_mod(m, false))
            set_one(f, inst, m, NULL);
        else if (outside_mod(m, false))
            report_error(f, m->mods->span, inst,
                         "the output '%s' cannot be given a value\nthe component computes it",
                         m->name);
        return;
    }
    emit_variable(f, inst, m);
}

/* a native class that the user extends may get parameters, nothing else */
static void check_extended(Front *f, Inst *inst)
{
    for (size_t i = 0; i < inst->members.n; i++) {
        Member *m = inst->members.items[i];
        if (!m->component || m->part->class_->span.file == f->library || member_is_parameter(m) ||
            m->element->outer)
            continue;
        report_error(f, m->component->name_span, inst,
                     "'%s' cannot be added to the native class '%s'\n"
                     "use the native class as a component instead of extending it",
                     m->name, inst->native);
    }
    for (const Part *p = inst->parts; p; p = p->next)
        if (p->class_->equations.n && p->class_->span.file != f->library)
            report_error(f, p->class_->equations.items[0]->span, inst,
                         "equations cannot be added to the native class '%s'\n"
                         "use the native class as a component instead of extending it",
                         inst->native);
}

static void emit_native(Front *f, Inst *inst)
{
    check_extended(f, inst);
    for (size_t i = 0; i < inst->members.n; i++) {
        Member *m = inst->members.items[i];
        if (!m->component)
            continue;
        if (m->part->class_->span.file == f->library)
            emit_native_member(f, inst, m);
        else if (member_is_parameter(m))
            member_check(f, m);
    }
}

/* the components of a template: what is modified from outside is set by path */
static void emit_template(Front *f, Inst *inst)
{
    for (size_t i = 0; i < inst->members.n; i++) {
        Member *m = inst->members.items[i];
        if (!m->component)
            continue;
        if (member_type(f, m)->kind != TY_CLASS) {
            member_check(f, m);
            continue;
        }
        Causality causality;
        if (connector_domain(f, m, &causality) || !m->mods)
            continue;
        Inst *child = member_child(f, m);
        if (child && child->native)
            emit_native(f, child);
        else if (child)
            emit_template(f, child);
    }
}

/* ------------------------------------------------------------------ components */

const char *connector_domain(Front *f, Member *m, Causality *causality)
{
    const Type *type = member_type(f, m);
    *causality = m->component->prefix.causality != CAUSE_NONE ? m->component->prefix.causality
                                                              : type->causality;
    if (type->kind == TY_REAL && *causality != CAUSE_NONE && !member_is_parameter(m))
        return "Signal";
    if (type->kind != TY_CLASS || type->class_->kind != CLASS_CONNECTOR)
        return NULL;
    /* a port of a component of the library needs no instance of its variables */
    if (!m->child && !m->mods && !type->mods && m->inst && m->inst->native && member_sizes(f, m) &&
        m->ndim == 0 && library_mark(f, type->class_, "domain"))
        return library_mark(f, type->class_, "domain");
    Inst *child = member_child(f, m);
    return child ? child->domain : NULL;
}

static bool is_plain_name(const char *name)
{
    return name[strcspn(name, ".[]# \t\n\r\v\f")] == '\0';
}

/* fields of a record are parameters */
static void emit_record(Front *f, Member *record)
{
    Inst *inst = member_child(f, record);
    for (size_t i = 0; inst && i < inst->members.n; i++) {
        Member *m = inst->members.items[i];
        if (!m->component)
            continue;
        if (member_type(f, m)->kind == TY_CLASS)
            emit_record(f, m);
        else
            member_check(f, m);
    }
    for (const Mod *mod = record->mods; mod; mod = mod->next)
        if (!mod->rest && mod->modification && mod->modification->value &&
            !is_record_value(mod->modification->value))
            report_error(
                f, mod->modification->value->span, record->inst,
                "this value for the whole record '%s' is not supported yet\nmodify its fields "
                "instead: %s(a = ...)",
                record->name, record->name);
}

static void add_component(Front *f, Inst *inst, const Member *m, const char *class_name)
{
    if (!class_name)
        return;
    put_texts(f, inst->draft, m->axis ? OP_ADD_ARRAY : OP_ADD_ONE, m->name, class_name);
    if (m->axis) {
        size_t ndim = (size_t)m->axis->ndim;
        put(f, inst->draft, &ndim, sizeof ndim);
        put(f, inst->draft, m->axis->dim, ndim * sizeof *m->axis->dim);
    }
}

/* an override of something that is not there would change nothing in silence */
static void refuse_overrides(Front *f, const Member *m, const char *why)
{
    for (const Mod *mod = m->mods; mod; mod = mod->next)
        if (mod->override)
            report_error(f, mod->span, NULL, "'%s' %s: the override changes nothing\nleave it out",
                         m->name, why);
}

/* Nothing can be connected to it. An array of such components is one of models, which the engine
 * takes as lanes and never expands. */
static bool stands_alone(Front *f, const Inst *inst)
{
    for (size_t i = 0; i < inst->members.n; i++) {
        Member *m = inst->members.items[i];
        if (!m->component || member_is_parameter(m) || m->element->outer || m->is_protected)
            continue;
        const Type *type = member_type(f, m);
        if (member_causality(m) != CAUSE_NONE ||
            (type->kind == TY_CLASS &&
             (type->class_->kind == CLASS_CONNECTOR || type->restriction == CLASS_CONNECTOR ||
              is_expandable(type))))
            return false;
    }
    return true;
}

static void emit_class_component(Front *f, Inst *inst, Member *m)
{
    Inst *child = member_child(f, m);
    if (child && m->axis && m->axis->n == 0)
        refuse_overrides(f, m, "is an array without elements");
    if (!child || (m->axis && m->axis->n == 0))
        return;
    for (const Mod *mod = m->mods; mod; mod = mod->next)
        if (!mod->rest && mod->modification && mod->modification->value)
            report_error(f, mod->modification->value->span, inst,
                         "'%s' is a component and cannot be given a value\n"
                         "modify its parameters: %s(m = 2)",
                         m->name, m->name);
        else if (mod->at && mod->at->subscripts.n && !m->axis)
            report_error(f, mod->at->span, inst,
                         "'%s' is no array and has no index\nremove the index", m->name);
    if (child->native) {
        add_component(f, inst, m, child->native);
        inst->draft->has_text |= rigid_has_text(child);
        emit_native(f, child);
    } else if (child->template_) {
        add_component(f, inst, m, child->built);
        emit_template(f, child);
    } else if (!divide_model(f, child) && inst_is_cell(f, child) && !inst_has_beside(f, child) &&
               !(m->axis && stands_alone(f, child))) {
        add_component(f, inst, m, emit_cell(f, child, child->class_->name));
    } else if (inst_is_cell(f, child) && !inst_has_beside(f, child)) {
        add_component(f, inst, m, emit_model(f, child, child->class_->name));
    } else {
        char name[200];
        snprintf(name, sizeof name, "%.90s.%.90s", child->class_->name, m->name);
        add_component(f, inst, m, emit_model(f, child, name));
    }
}

/* one component of a composed model */
static void emit_component(Front *f, Inst *inst, Member *m)
{
    const Type *type = member_type(f, m);
    Causality causality;
    if (type->kind == TY_NONE)
        return;
    if (m->element->outer && !m->element->inner) {
        member_resolve(f, m, m->component->name_span);
        return;
    }
    if (!member_present(f, m)) {
        refuse_overrides(f, m, "is absent by its condition");
        return;
    }
    if (type->kind == TY_CLASS && is_external_object(type->class_))
        return;
    if (type->kind != TY_CLASS && member_is_parameter(m)) {
        member_check(f, m);
        return;
    }
    if (type->kind == TY_CLASS && is_record_class(type->class_) && member_is_parameter(m)) {
        emit_record(f, m);
        return;
    }
    if (!is_plain_name(m->name)) {
        report_error(f, m->component->name_span, inst,
                     "components cannot be named %s yet\n"
                     "choose a name without dots, brackets and blanks",
                     m->name);
        return;
    }
    if (connector_domain(f, m, &causality)) {
        member_sizes(f, m);
        bool modified = false;
        for (const Mod *mod = m->mods; mod; mod = mod->next)
            modified |= mod->rest || (mod->modification &&
                                      (mod->modification->value || mod->modification->arguments.n));
        if (modified && type->kind == TY_CLASS)
            report_error(f, m->mods->span, inst,
                         "the connector '%s' cannot be modified\n"
                         "modify the components that it is connected to",
                         m->name);
        else if (outside_mod(m, false) || (m->mods && m->mods->own && m->mods->modification->value))
            report_error(f, m->mods->span, inst,
                         "the connector '%s' of a model cannot be given a value yet\n"
                         "connect a Signals.Constant to it",
                         m->name);
        return;
    }
    if (type->kind != TY_CLASS)
        return; /* with a variable the model would be a cell */
    if (type->class_->kind == CLASS_CONNECTOR || type->class_->kind == CLASS_TYPE) {
        report_error(f, ref_span(m->component->type), inst,
                     "'%s' is a connector of its own, which is not supported yet\n"
                     "use or extend a connector of the library",
                     type->class_->name);
        return;
    }
    emit_class_component(f, inst, m);
}

/* components and connections */
static void emit_composed(Front *f, Inst *inst)
{
    for (size_t i = 0; i < inst->members.n; i++)
        if (inst->members.items[i]->component)
            emit_component(f, inst, inst->members.items[i]);
    emit_connections(f, inst, false);
    divide_hang(f, inst);
}

static void draft_drop(Front *f, Draft *draft)
{
    for (size_t i = 0; i < draft->lists.n; i++)
        number_list_release(f->alloc, draft->lists.items[i]);
    vec_drop(f->alloc, &draft->lists);
    vec_drop(f->alloc, &draft->bytes);
    vec_drop(f->alloc, &draft->connections);
    *draft = (Draft){0};
}

/* are there rigid loops of components of the compiled library? They are marked then. */
static bool has_rigid_loops(Front *f, Inst *inst)
{
    const Draft *d = inst->draft;
    VEC(RigidPair) pairs = {0};
    bool found = false;
    if (!d->has_text || d->connections.n < 2 || f->nwrong || f->work.failed)
        return false;
    if (vec_resize(f->alloc, &pairs, d->connections.n)) {
        for (size_t i = 0; i < pairs.n; i++) {
            const char *at = d->bytes.items + d->connections.items[i], *a = take_text(&at);
            pairs.items[i] = (RigidPair){a, at};
        }
        found = rigid_merge(f, inst, pairs.items, pairs.n);
    } else {
        f->work.failed = true;
    }
    vec_drop(f->alloc, &pairs);
    return found;
}

/* the model itself has equations: one component without a name, whose variables are those of the
 * model, and the components that stay beside it */
static void emit_own_cell(Front *f, Inst *inst, const char *name)
{
    EmittedNumber *emitted = f->emitted;
    do {
        draft_drop(f, inst->draft);
        f->emitted = emitted;
        for (size_t i = 0; i < inst->members.n; i++)
            if (member_is_beside(f, inst->members.items[i]))
                emit_component(f, inst, inst->members.items[i]);
        emit_connections(f, inst, true);
    } while (has_rigid_loops(f, inst)); /* these belong to the cell */
    const char *class_name = emit_cell(f, inst, name);
    if (class_name)
        put_texts(f, inst->draft, OP_ADD_ONE, "", class_name);
}

const char *emit_model(Front *f, Inst *inst, const char *name)
{
    Draft draft = {0};
    EmittedNumber *emitted = f->emitted;
    if (!enter(f, inst->class_->span))
        return NULL;
    divide_model(f, inst);
    inst->draft = &draft;
    if (!inst_is_cell(f, inst)) {
        emit_composed(f, inst);
        if (has_rigid_loops(f, inst)) { /* once more, as a cell */
            draft_drop(f, &draft);
            f->emitted = emitted;
        }
    }
    if (inst_is_cell(f, inst))
        emit_own_cell(f, inst, name);
    for (const Late *late = draft.late; late; late = late->next)
        put_late(f, inst, late);
    if (inst == f->top)
        put_bound(f, inst);
    inst->draft = NULL;
    if (f->nwrong == 0 && !f->work.failed)
        inst->model =
            build(f, &draft, name, inst->class_->comment.text ? inst->class_->comment.text : "");
    draft_drop(f, &draft);
    leave(f);
    return inst->model;
}
