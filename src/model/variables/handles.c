/* handles.c - paths to handles and back, and the numbers of a system by handle.
 *
 * Setting a number: it is kept in the slots of the shape where its component is at home, and in
 * those of the guest where it is evaluated now; workspace_update brings it into the records.
 */
#define _GNU_SOURCE /* memrchr */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/text.h"
#include "model/system/system.h"
#include "model/variables/variables.h"

/* ------------------------------------------------------------------ finding */

typedef enum MissKind {
    MISS_TEXT,     /* the path cannot be read */
    MISS_BRANCH,   /* a model declares nothing of this name */
    MISS_ELEMENT,  /* the indices name no element */
    MISS_VARIABLE, /* a component has no variable of this name */
    MISS_MEMORY
} MissKind;

/* where the search for a path failed, for the message */
typedef struct Miss {
    MissKind kind;
    LiederElement at;               /* model or component */
    const char *begin, *end;        /* of the name that was not found, in the path */
    const Declaration *declaration; /* MISS_ELEMENT */
} Miss;

/* the search for the variable that a path names, and where it failed */
typedef struct HandleSearch {
    const LiederSystem *system;
    bool rows;  /* arrays have no indices: the first element stands for all */
    size_t row; /* then its number */
    bool derivative;
    const char *end; /* of the path: before the ")" of a derivative */
    Miss miss;
} HandleSearch;

static bool fail_handle(HandleSearch *s, MissKind kind, const LiederElement *at, const char *begin,
                        const char *end)
{
    s->miss = (Miss){.kind = kind, .at = *at, .begin = begin, .end = end};
    return false;
}

static bool item_is_named(const char *name, const char *text, size_t length)
{
    return strncmp(name, text, length) == 0 && !name[length];
}

/* a signal goes by the name of its port; "port.y" is the same */
static bool signal_is_named(const LiederSystem *system, const LiederElement *at, uint32_t item,
                            const char *text, size_t length)
{
    const ClassVariable *v = handle_variable(system, &(LiederHandle){*at, item, 0});
    const char *dot = memchr(text, '.', length);
    if (v->port < 0 || v->info.kind != LIEDER_VARIABLE_SIGNAL || !dot)
        return false;
    const LiederPortDef *port = &def_of(system, at)->ports[v->port];
    return port_is_signal(port) && item_is_named(v->info.name, text, (size_t)(dot - text)) &&
           item_is_named(port->domain->variables[0].name, dot + 1,
                         length - (size_t)(dot + 1 - text));
}

/* the index at the end of a name of n characters, or NULL */
static const char *last_bracket(const char *name, size_t n)
{
    return n && name[n - 1] == ']' ? memrchr(name, '[', n) : NULL;
}

/* whether a variable has this name, with an index or without */
static bool is_called(const HandleSearch *s, const LiederElement *at, uint32_t item,
                      const char *name, size_t n, size_t length)
{
    const LiederVariableInfo *info = lieder_tree_item(s->system, at, item);
    return s->derivative == (info->kind == LIEDER_VARIABLE_DERIVATIVE) &&
           (item_is_named(info->name, name, n) || item_is_named(info->name, name, length) ||
            signal_is_named(s->system, at, item, name, n));
}

/* The first variable of a component that has this name; `nitem`: none. Variables of ports have
 * several names; others are found by the index of the class, since a class made of arrays has
 * hundreds of thousands. */
static uint32_t first_called(const HandleSearch *s, const LiederElement *at, const char *name,
                             size_t n, size_t length, uint32_t nitem)
{
    uint32_t items[4], first = nitem;
    if (def_of(s->system, at)->nport) {
        for (first = 0; first < nitem && !is_called(s, at, first, name, n, length); first++)
            ;
        return first;
    }
    size_t count = class_variables_named(s->system, at, name, n, items);
    if (length < n)
        count += class_variables_named(s->system, at, name, length, items + count);
    for (size_t k = 0; k < count; k++)
        if (items[k] < first && is_called(s, at, items[k], name, n, length))
            first = items[k];
    return first;
}

/* finds the variable at the end of a path: "phi", "r[2]", "port.x" */
static bool search_item(HandleSearch *s, const LiederElement *at, const char *name,
                        LiederHandle *handle)
{
    const LiederSystem *system = s->system;
    uint32_t nitem = (uint32_t)lieder_tree_item_count(system, at);
    size_t n = (size_t)(s->end - name);
    const char *bracket = last_bracket(name, n);
    size_t length = bracket ? (size_t)(bracket - name) : n;
    uint32_t i = first_called(s, at, name, n, length, nitem);
    if (i == nitem)
        return fail_handle(s, MISS_VARIABLE, at, name, s->end);
    const LiederVariableInfo *info = lieder_tree_item(system, at, i);
    bool one = info->length == 1 || s->rows;
    PathStep step = {0};
    const char *text = bracket;
    ptrdiff_t index = 0;
    if (item_is_named(info->name, name, n)) /* "x[2]" may be a name of its own */
        bracket = NULL;
    if (bracket && path_index(&text, &step) && text == s->end && !s->rows)
        index = path_element(&step, info->length, info->nindex, info->sizes);
    else if (bracket)
        index = -1;
    if (index < 0 || (!bracket && !one))
        return fail_handle(s, MISS_ELEMENT, at, name, s->end);
    if (!lieder_tree_has_item(system, at, i))
        return fail_handle(s, MISS_VARIABLE, at, name, s->end);
    *handle = (LiederHandle){*at, i, (uint32_t)index};
    s->row += i;
    return true;
}

/* a port that the model names: the variable of the signal inside */
static bool search_port(HandleSearch *s, uint32_t scope, size_t lane, const char *name,
                        size_t length, LiederHandle *handle)
{
    const Flat *flat = &s->system->flat;
    const LiederModel *model = flat->scopes.items[scope].model;
    for (size_t i = 0; i < model->exposed.n; i++) {
        const Exposed *e = &model->exposed.items[i];
        if (strlen(e->name) != length || memcmp(e->name, name, length) != 0)
            continue;
        /* what is inside may be a port of a model in turn */
        LiederElement at = {scope, LIEDER_NO_INSTANCE, lane};
        char inner[512];
        port_path_text(model, &e->inner, inner, sizeof inner);
        /* a port of the model's own equations has the same path inside, and is no signal */
        return strcmp(inner, e->name) != 0 && lieder_handle_search(s->system, &at, inner, handle);
    }
    return false;
}

/* the row of a port of the model itself; ports of models inside have none */
static bool port_row(HandleSearch *s, const RowCounts *rows, uint32_t scope, const char *name)
{
    const LiederModel *model = s->system->flat.scopes.items[0].model;
    for (size_t i = 0; scope == 0 && i < rows->ports.n; i++)
        if (strcmp(model->exposed.items[rows->ports.items[i].exposed].name, name) == 0) {
            s->row = rows->ninner + i;
            return true;
        }
    LiederElement at = {scope, LIEDER_NO_INSTANCE, 0};
    return fail_handle(s, MISS_BRANCH, &at, name, s->end);
}

/* follows a path from an element down; on failure s->miss says where it ended */
static bool search(HandleSearch *s, LiederElement at, const char *path, LiederHandle *handle)
{
    const LiederSystem *system = s->system;
    const RowCounts *rows = s->rows ? row_counts(system) : NULL;
    if (s->rows && !rows)
        return fail_handle(s, MISS_MEMORY, &at, path, s->end);
    while (at.instance == LIEDER_NO_INSTANCE) {
        const Scope *scope = &system->flat.scopes.items[at.sheet];
        const char *here = path + (*path == '.');
        PathStep step;
        if (path >= s->end || !path_next(&path, &step) || path > s->end)
            return fail_handle(s, MISS_TEXT, &at, here, s->end);
        const char *name = intern_range(&system->session->names, step.name, step.length);
        ptrdiff_t d = name ? model_find(scope->model, name) : -1;
        if (!name)
            return fail_handle(s, MISS_MEMORY, &at, here, s->end);
        if (d < 0 && path == s->end && !s->derivative &&
            search_port(s, at.sheet, at.lane, here, (size_t)(path - here), handle)) {
            return !s->rows || port_row(s, rows, at.sheet, here);
        }
        ptrdiff_t unnamed = d < 0 ? model_find_unnamed(scope->model) : -1;
        if (unnamed >= 0) {
            LiederElement own = lieder_tree_element(system, &at, (size_t)unnamed, 0);
            if (s->rows)
                s->row += rows->first[at.sheet][unnamed];
            return search_item(s, &own, here, handle);
        }
        if (d < 0)
            return fail_handle(s, MISS_BRANCH, &at, step.name, step.name + step.length);
        const Declaration *decl = &scope->model->declarations.items[d];
        ptrdiff_t element =
            s->rows ? (step.nindex || !decl->n ? -1 : 0) : declaration_element(decl, &step);
        if (element < 0) {
            fail_handle(s, MISS_ELEMENT, &at, here, path);
            s->miss.declaration = decl;
            return false;
        }
        if (s->rows)
            s->row += rows->first[at.sheet][d];
        at = lieder_tree_element(system, &at, (size_t)d, (size_t)element);
    }
    return search_item(s, &at, path + (*path == '.'), handle);
}

/* "der(name)" is the derivative of a state */
static HandleSearch search_begin(const LiederSystem *system, const char **path, bool rows)
{
    size_t n = strlen(*path);
    bool derivative = n > 5 && strncmp(*path, "der(", 4) == 0 && (*path)[n - 1] == ')';
    HandleSearch s = {
        .system = system, .rows = rows, .derivative = derivative, .end = *path + n - derivative};
    *path += derivative ? 4 : 0;
    return s;
}

/* ------------------------------------------------------------------ what was meant */

/* the nearest name among those that could stand there */
static NearestName find_nearest(const HandleSearch *s, const char *wrong)
{
    const LiederSystem *system = s->system;
    NearestName nearest = {.name = wrong};
    if (s->miss.at.instance == LIEDER_NO_INSTANCE) {
        for (size_t i = 0; i < lieder_tree_count(system, &s->miss.at); i++)
            nearest_try(&nearest, lieder_tree_branch(system, &s->miss.at, i).name);
        for (size_t i = 0; s->miss.at.sheet == 0 && i < lieder_tree_port_count(system); i++)
            nearest_try(&nearest, system->flat.scopes.items[0].model->exposed.items[i].name);
    }
    for (size_t i = 0; i < lieder_tree_item_count(system, &s->miss.at); i++) {
        const LiederVariableInfo *info = lieder_tree_item(system, &s->miss.at, i);
        if (!s->derivative || info->kind == LIEDER_VARIABLE_DERIVATIVE)
            nearest_try(&nearest, info->name);
    }
    return nearest;
}

/* the class of the element where the search ended */
static const char *class_at(const LiederSystem *system, const LiederElement *at)
{
    if (at->instance == LIEDER_NO_INSTANCE)
        return system->flat.scopes.items[at->sheet].class_->name;
    return sheet_instance(&system->flat.sheets.items[at->sheet], at->instance).class_->name;
}

/* reports where the path leads nowhere, with the whole path as it was probably meant */
static void report_miss(const HandleSearch *s, const char *whole)
{
    Diagnostics *diag = &s->system->session->diag;
    const Miss *m = &s->miss;
    char wrong[NEAREST_LENGTH + 1], advice[600];
    snprintf(wrong, sizeof wrong, "%.*s", (int)(m->end - m->begin), m->begin);
    NearestName nearest = find_nearest(s, wrong);
    if (nearest.best && m->kind != MISS_ELEMENT)
        snprintf(advice, sizeof advice, "did you mean \"%.*s%.100s%s\"?", (int)(m->begin - whole),
                 whole, nearest.best, m->end);
    else
        snprintf(advice, sizeof advice,
                 "name a component and a variable as in \"crab[3].revolute.phi\"");
    switch (m->kind) {
    case MISS_MEMORY:
        diag_error(diag, NULL, whole, "not enough memory to find it");
        break;
    case MISS_TEXT:
        diag_error(diag, NULL, whole, "there is no variable of this name: %s\n%s",
                   m->begin >= s->end ? "it names a model or component" : "it cannot be read",
                   advice);
        break;
    case MISS_BRANCH:
        diag_error(diag, NULL, whole, "there is no variable of this name: %s has no '%s'\n%s",
                   class_at(s->system, &m->at), wrong, advice);
        break;
    case MISS_VARIABLE:
        diag_error(diag, NULL, whole,
                   *wrong ? "there is no variable of this name: %s has no %s'%s'\n%s"
                          : "there is no variable of this name: this is a %s%s%s\n%s",
                   class_at(s->system, &m->at), *wrong && s->derivative ? "state " : "", wrong,
                   advice);
        break;
    case MISS_ELEMENT: {
        char sizes[INDEX_LENGTH] = "";
        const Declaration *d = m->declaration;
        size_t at = 0;
        for (int k = 0; d && k < d->ndim && at < sizeof sizes; k++)
            at += (size_t)snprintf(sizes + at, sizeof sizes - at, "%s%zu", k ? "," : "",
                                   declaration_dim(d)[k]);
        if (s->rows)
            diag_error(diag, NULL, whole,
                       "names an element, not a row of the table\nleave out the indices");
        else if (d && !d->ndim)
            diag_error(diag, NULL, whole,
                       "there is no variable of this name: '%s' is no array\nleave out the index",
                       d->name);
        else if (d)
            diag_error(diag, NULL, whole,
                       "there is no variable of this name: '%s' is an array of [%s]\nname one "
                       "element, indices count from 1",
                       d->name, sizes);
        else
            diag_error(
                diag, NULL, whole,
                "there is no variable of this name: '%s' does not name one number\nname "
                "an element of a vector by an index from 1, of a matrix by two, and a scalar "
                "without",
                wrong);
        break;
    }
    }
}

bool lieder_handle_search(const LiederSystem *system, const LiederElement *from, const char *path,
                          LiederHandle *handle)
{
    HandleSearch s = search_begin(system, &path, false);
    return search(&s, from ? *from : lieder_tree_root(system), path, handle);
}

LiederStatus lieder_handle_find(LiederSystem *system, const char *path, LiederHandle *handle)
{
    const char *inner = path;
    HandleSearch s = search_begin(system, &inner, false);
    if (search(&s, lieder_tree_root(system), inner, handle))
        return LIEDER_DONE;
    report_miss(&s, path);
    return s.miss.kind == MISS_MEMORY ? LIEDER_NO_MEMORY : LIEDER_BAD_USE;
}

ptrdiff_t lieder_variable_find(LiederSystem *system, const char *name)
{
    LiederHandle unused;
    const char *inner = name;
    HandleSearch s = search_begin(system, &inner, true);
    if (search(&s, lieder_tree_root(system), inner, &unused))
        return (ptrdiff_t)s.row;
    report_miss(&s, name);
    return -1;
}

/* ------------------------------------------------------------------ names and facts */

const char *lieder_handle_name(const LiederSystem *system, const LiederHandle *handle, char *buffer,
                               size_t size)
{
    const ClassVariable *v = handle_variable(system, handle);
    if (size)
        buffer[0] = '\0';
    if (!v || !size)
        return buffer;
    bool derivative = v->info.kind == LIEDER_VARIABLE_DERIVATIVE;
    size_t at = derivative ? (size_t)snprintf(buffer, size, "der(") : 0, length;
    char index[INDEX_LENGTH];
    lieder_variable_index(&v->info, handle->index, index, sizeof index);
    if (at >= size)
        return buffer;
    flat_path(&system->flat, handle->element.sheet, handle->element.instance, handle->element.lane,
              buffer + at, size - at);
    length = strlen(buffer);
    snprintf(buffer + length, size - length, "%s%s%s%s", length > at ? "." : "", v->info.name,
             index, derivative ? ")" : "");
    return buffer;
}

/* the seat whose number counts: where the component is evaluated, or its home if it sleeps */
static Seat seat_of_number(const LiederSystem *system, const LiederElement *e, const Seat *home)
{
    Seat now = current_seat(system, e);
    return now.shape == NOWHERE ? *home : now;
}

/* an input that nothing drives */
static bool is_open(const LiederSystem *system, const LiederHandle *handle, const ClassVariable *v)
{
    const LiederElement *e = &handle->element;
    Seat home = system_place(system, e->sheet, e->instance); /* the shape counts, not the lane */
    if (v->port < 0 || v->slot < 0 || home.shape == NOWHERE)
        return false;
    Seat now = seat_of_number(system, &handle->element, &home);
    const Shape *shape = system->shapes.items[now.shape].shape;
    const Component *c = &shape->components.items[now.component];
    return shape->asleep || shape->nodes.items[c->node[v->port]].driver < 0;
}

static double held_value(const LiederSystem *system, const LiederHandle *handle,
                         const ClassVariable *v);

/* whether other numbers were computed from it when the system was made */
static bool is_bound(const LiederSystem *system, const LiederHandle *handle, const ClassVariable *v)
{
    const Sheet *sheet = &system->flat.sheets.items[handle->element.sheet];
    size_t slot = sheet_instance(sheet, handle->element.instance).first_slot +
                  (size_t)(v->slot + (int)handle->index);
    return v->slot >= 0 && slot < sheet->is_bound.n && sheet->is_bound.items[slot];
}

LiederVariableInfo lieder_handle_info(const LiederSystem *system, const LiederHandle *handle)
{
    const ClassVariable *v = handle_variable(system, handle);
    if (!v)
        return (LiederVariableInfo){.name = "", .unit = "", .text = ""};
    LiederVariableInfo info = v->info;
    info.length = 1;
    info.nindex = 0;
    info.sizes = NULL;
    if (is_open(system, handle, v)) {
        info.causality = LIEDER_CAUSALITY_INPUT;
        info.tunable = true;
    }
    if (info.tunable && is_bound(system, handle, v))
        info.tunable = false;
    if (v->slot >= 0 && (v->port < 0 || info.tunable))
        info.start = held_value(system, handle, v);
    ptrdiff_t state = system->scales.nominal ? lieder_handle_state(system, handle) : -1;
    if (state >= 0) {
        info.nominal = system->scales.nominal[state];
        info.min = system->scales.min[state];
        info.max = system->scales.max[state];
    }
    return info;
}

ptrdiff_t lieder_handle_state(const LiederSystem *system, const LiederHandle *handle)
{
    const ClassVariable *v = handle_variable(system, handle);
    if (!v || v->info.kind != LIEDER_VARIABLE_STATE)
        return -1;
    Seat home = home_seat(system, &handle->element);
    if (home.shape == NOWHERE)
        return -1;
    const SystemShape *ss = &system->shapes.items[home.shape];
    const Shape *shape = ss->shape;
    /* states stand in the order of components and members; there may be a million of them */
    size_t low = shape_first_state(shape, home.component), high = shape->states.n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (shape->states.items[mid].component == home.component &&
            shape->states.items[mid].member < v->member)
            low = mid + 1;
        else
            high = mid;
    }
    bool found = low < shape->states.n && shape->states.items[low].component == home.component &&
                 shape->states.items[low].member == v->member;
    return found ? (ptrdiff_t)home_state(ss, low, home.lane) : -1;
}

ptrdiff_t lieder_system_state_index(const LiederSystem *system, const char *path)
{
    LiederHandle h;
    return lieder_handle_search(system, NULL, path, &h) ? lieder_handle_state(system, &h) : -1;
}

/* ------------------------------------------------------------------ numbers */

static const SlotValue *slot_at(const LiederSystem *system, const Seat *seat, int slot)
{
    return slot_of(&system->shapes.items[seat->shape], seat->component, (uint32_t)slot);
}

/* the number that a slot holds; an environment has no home and keeps its numbers on the sheet */
static double held_value(const LiederSystem *system, const LiederHandle *handle,
                         const ClassVariable *v)
{
    int slot = v->slot + (int)handle->index;
    Seat home = home_seat(system, &handle->element);
    if (!owns_element(system, &handle->element))
        return NAN;
    if (home.shape == NOWHERE) {
        const Sheet *sheet = &system->flat.sheets.items[handle->element.sheet];
        return sheet_value(
            sheet, sheet_instance(sheet, handle->element.instance).first_slot + (uint32_t)slot,
            handle->element.lane);
    }
    const SlotValue *number = slot_at(system, &home, slot);
    return number->lanes ? number->lanes[home.lane] : number->value;
}

/* the variable of a handle if it has a number of its own; NULL with a diagnostic */
static const ClassVariable *settable(LiederSystem *system, const LiederHandle *handle)
{
    Diagnostics *diag = &system->session->diag;
    const ClassVariable *v = handle_variable(system, handle);
    char name[600];
    bool number = v && v->slot >= 0 && handle->index < (uint32_t)v->info.length;
    if (v && !owns_element(system, &handle->element)) {
        diag_error(diag, NULL, lieder_handle_name(system, handle, name, sizeof name),
                   "belongs to another rank\nask the process that owns it");
        return NULL;
    }
    if (number && (v->port < 0 || is_open(system, handle, v)))
        return v;
    if (!v)
        diag_error(diag, NULL, NULL, "this handle belongs to another system");
    else if (number)
        diag_error(diag, NULL, lieder_handle_name(system, handle, name, sizeof name),
                   "cannot be an input: a connection gives it its value\n"
                   "name a parameter or an open input of what it is connected to, or take the "
                   "connection away");
    else
        diag_error(diag, NULL, lieder_handle_name(system, handle, name, sizeof name),
                   "is no parameter, open input or state, it is computed from time and states\n"
                   "an observer shows its value");
    return NULL;
}

LiederStatus lieder_handle_get(LiederSystem *system, const LiederHandle *handle, double *value)
{
    const ClassVariable *v = settable(system, handle);
    if (!v)
        return LIEDER_BAD_USE;
    *value = held_value(system, handle, v);
    return LIEDER_DONE;
}

/* what is wrong with the parameters of a component if one of them had this value; NULL: nothing */
static const char *refuse_value(const LiederSystem *system, const SystemShape *ss, const Seat *seat,
                                int slot, double value)
{
    const Component *c = &ss->shape->components.items[seat->component];
    const LiederClassDef *def = c->class_->def;
    double *values = system->session->values.items;
    int nslot = c->class_->nslot;
    for (int s = 0; s < nslot; s++) {
        const SlotValue *v = slot_of(ss, seat->component, (uint32_t)s);
        values[s] = s == slot ? value : v->lanes ? v->lanes[seat->lane] : v->value;
    }
    if (!c->link && !c->couples && def->couples && class_physical_in(def) > 1 &&
        !ss->shape->asleep && def->couples(values))
        return "would couple what was made ready uncoupled\nset it in the model";
    return def->check ? def->check(values) : NULL;
}

/* gives a slot of a home shape lanes that may be written; false: no memory */
static bool own_lanes(const LiederSystem *system, const SystemShape *ss, SlotValue *v)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(system);
    NumberList *numbers = v->lanes ? number_list_own(alloc, number_list_of(v->lanes))
                                   : number_list_create(alloc, ss->shape->nlane);
    if (!numbers)
        return false;
    for (size_t l = 0; l < numbers->n && !v->lanes; l++)
        numbers->values[l] = v->value;
    v->lanes = numbers->values;
    return true;
}

/* gives a component slots that no other shares; false: no memory */
static bool own_slots(const LiederSystem *system, SystemShape *ss, uint32_t component)
{
    uint32_t *first = &ss->values.slot_first.items[component];
    size_t nslot = (size_t)ss->shape->components.items[component].class_->nslot,
           at = ss->values.slots.n;
    if (*first >= ss->values.ncommon)
        return true;
    if (!vec_resize(SYSTEM_ALLOC(system), &ss->values.slots, at + nslot))
        return false;
    for (size_t s = 0; s < nslot; s++)
        ss->values.slots.items[at + s] = *slot_of(ss, component, (uint32_t)s);
    *first = (uint32_t)at;
    return true;
}

/* a number of a component where it is at home, or a guest */
static LiederStatus put_slot(LiederSystem *system, const Seat *seat, int slot, double value)
{
    SystemShape *ss = &system->shapes.items[seat->shape];
    if (!own_slots(system, ss, seat->component))
        return LIEDER_NO_MEMORY;
    SlotValue *v =
        &ss->values.slots.items[ss->values.slot_first.items[seat->component] + (uint32_t)slot];
    const LiederMember *m = ss->shape->components.items[seat->component].class_->slots[slot].member;
    if (ss->shape->nlane == 1 && !v->lanes) {
        v->value = value;
    } else {
        bool shared = !v->lanes;
        if (!ss->guest.room && !own_lanes(system, ss, v))
            return LIEDER_NO_MEMORY;
        if (shared && list_lanes(ss, SYSTEM_ALLOC(system)) != LIEDER_DONE) {
            number_list_release(SYSTEM_ALLOC(system), number_list_of(v->lanes));
            v->lanes = NULL;
            return LIEDER_NO_MEMORY;
        }
        v->lanes[seat->lane] = value;
        if (!m || !member_has_start(m))
            set_lanes_differ(ss, true);
    }
    if (m && m->kind == LIEDER_MEMORY && !ss->guest.room)
        held_update(system, seat, m, value);
    return workspace_update(ss, seat->component, (uint32_t)slot) ? LIEDER_DONE : LIEDER_NO_MEMORY;
}

/* why a slot cannot have a value where the component is now, with advice; NULL: it can */
static const char *refuse_handle(const LiederSystem *system, const Seat *now, int slot,
                                 double value)
{
    if (now->shape == NOWHERE)
        return "the environment was used when the system was made\nset it in the model";
    const SystemShape *ss = &system->shapes.items[now->shape];
    const LiederMember *m = ss->shape->components.items[now->component].class_->slots[slot].member;
    if (m && m->structural)
        return "a switch, count or table cannot be changed in a running system\nset it in the "
               "model";
    if (!isfinite(value) || (m && (value < m->min || value > m->max)))
        return "this value is not admissible\nlieder doc shows the range";
    return refuse_value(system, ss, now, slot, value);
}

bool lieder_handle_here(const LiederSystem *system, const LiederHandle *handle)
{
    return handle_variable(system, handle) && owns_element(system, &handle->element);
}

bool handle_admits(LiederSystem *system, const LiederHandle *handle, double value)
{
    const ClassVariable *v = handle_variable(system, handle);
    if (!v || v->slot < 0 || !owns_element(system, &handle->element) || is_bound(system, handle, v))
        return false;
    Seat home = home_seat(system, &handle->element);
    Seat now = seat_of_number(system, &handle->element, &home);
    return !refuse_handle(system, &now, v->slot + (int)handle->index, value);
}

LiederStatus lieder_handle_set(LiederSystem *system, const LiederHandle *handle, double value)
{
    const ClassVariable *v = settable(system, handle);
    if (!v)
        return LIEDER_BAD_USE;
    int slot = v->slot + (int)handle->index;
    Seat home = home_seat(system, &handle->element);
    Seat now = seat_of_number(system, &handle->element, &home);
    const char *wrong =
        is_bound(system, handle, v)
            ? "other parameters or start values follow from it, which were computed "
              "when the system was made\nset it before: in the text, or by an "
              "override"
            : refuse_handle(system, &now, slot, value);
    if (wrong) {
        char name[600];
        diag_error(&system->session->diag, NULL,
                   lieder_handle_name(system, handle, name, sizeof name), "%g: %s", value, wrong);
        return LIEDER_BAD_USE;
    }
    /* the number at home is the one that counts when connections change; guests have a copy */
    LiederStatus status = put_slot(system, &home, slot, value);
    if (status == LIEDER_DONE && now.shape != home.shape)
        status = put_slot(system, &now, slot, value);
    return status;
}

LiederStatus lieder_system_get(LiederSystem *system, const char *path, double *value)
{
    LiederHandle h;
    LiederStatus status = lieder_handle_find(system, path, &h);
    return status == LIEDER_DONE ? lieder_handle_get(system, &h, value) : status;
}

LiederStatus lieder_system_set(LiederSystem *system, const char *path, double value)
{
    LiederHandle h;
    LiederStatus status = lieder_handle_find(system, path, &h);
    return status == LIEDER_DONE ? lieder_handle_set(system, &h, value) : status;
}
