/* select.c - which variables are recorded.
 *
 * The names of a model form a tree: scopes (models inside models), components, variables. The walk
 * goes down it in the order of the declarations and carries two states of the pattern along, one
 * for plain names and one for der(name). A branch where both are dead is left. The elements of an
 * array of a million equal models have the same names inside: if no name of a model or component
 * has matched with a pair of states, the walk skips it when it comes there with the same pair
 * again. So a pattern that names few variables costs a few steps for each element, and names that
 * do not match are never built as texts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "record/select.h"

enum { MAX_NAME = 1024 };

/* where the walk stands: the name so far and the pattern's states after it */
typedef struct NamePosition {
    size_t length;      /* of the name */
    int plain, derived; /* states for "name" and for "der(name)" */
    bool shared;        /* inside an array whose elements differ in their lanes only */
} NamePosition;

/* pairs of states with which a model or component of a shared array was walked in vain */
typedef struct Vain {
    uint32_t sheet, instance;
    int plain, derived;
    bool taken;
} Vain;

/* which variables that equations of the model itself compute are selected, beside its states */
typedef enum Own {
    OWN_NONE,
    OWN_DECLARED, /* those that the model itself declares, whose names have no dot */
    OWN_ALL       /* also the variables of components that its equations are merged with */
} Own;

typedef struct SelectWalk {
    Selection *selection;
    LiederSystem *system;
    Pattern *pattern; /* NULL: states and derivatives */
    bool no_derivatives;
    Own own; /* without a pattern */
    char name[MAX_NAME];
    VEC(Vain) vain; /* open addressing */
    size_t nvain;
    bool of_model, any_of_model; /* Selected.of_model of the present variable; of any so far */
} SelectWalk;

/* ------------------------------------------------------------------ the list
 */

static void add(Selection *s, Selected selected)
{
    if (!vec_push(HEAP, &s->list, selected))
        s->failed = true;
}

static char *keep(Selection *s, const char *text)
{
    char *copy = arena_text(&s->arena, text, strlen(text));
    s->failed |= !copy;
    return copy;
}

/* ------------------------------------------------------------------ vain walks
 */

/* the slot of an element with a pair of states, or the free one where it belongs */
static size_t vain_slot(const SelectWalk *w, const LiederElement *e, const NamePosition *p)
{
    size_t most = w->vain.n - 1;
    size_t at = (e->sheet * 0x9e3779b9u ^ e->instance * 0x27d4eb2fu ^
                 (uint32_t)p->plain * 0x85ebca6bu ^ (uint32_t)p->derived * 0xc2b2ae35u) &
                most;
    for (const Vain *v = &w->vain.items[at];
         v->taken && (v->sheet != e->sheet || v->instance != e->instance || v->plain != p->plain ||
                      v->derived != p->derived);
         v = &w->vain.items[at])
        at = (at + 1) & most;
    return at;
}

static bool vain_before(const SelectWalk *w, const LiederElement *e, const NamePosition *p)
{
    return p->shared && w->vain.n && w->vain.items[vain_slot(w, e, p)].taken;
}

/* notes that nothing matched in an element; a table that is half full starts anew */
static void remember_vain(SelectWalk *w, const LiederElement *e, const NamePosition *p)
{
    if (!p->shared || (!w->vain.n && !vec_resize(HEAP, &w->vain, 4096)))
        return;
    if (w->nvain > w->vain.n / 2) {
        memset(w->vain.items, 0, w->vain.n * sizeof *w->vain.items);
        w->nvain = 0;
    }
    w->vain.items[vain_slot(w, e, p)] =
        (Vain){e->sheet, e->instance, p->plain, p->derived, .taken = true};
    w->nvain++;
}

/* ------------------------------------------------------------------ names */

/* Has the model's text this name? The compiler adds others: "relation 2 (line 17)", "pre(on)". */
static bool is_of_text(const char *name)
{
    return !name_has(name, " (");
}

/* Does the pattern match any variable here? Then those of the compiler are not meant. */
static bool takes_anything(const SelectWalk *w, const NamePosition *p)
{
    static const char other[] = "no such name (0)";
    return pattern_accepts(w->pattern, pattern_step(w->pattern, p->plain, other, sizeof other - 1));
}

/* first characters with which no name of a component matches, as far as they were tried */
typedef struct DeadEnds {
    uint64_t tried[4];
} DeadEnds;

/* can the name match if it goes on with the first character of a text? */
static bool may_go_on(SelectWalk *w, const NamePosition *p, const char *text, DeadEnds *dead)
{
    unsigned char c = (unsigned char)*text;
    uint64_t bit = 1ull << c % 64, *word = &dead->tried[c / 64];
    if (!w->pattern)
        return true;
    if (*word & bit)
        return false;
    bool alive =
        (p->plain != PATTERN_DEAD && pattern_step(w->pattern, p->plain, text, 1) != PATTERN_DEAD) ||
        (p->derived != PATTERN_DEAD &&
         pattern_step(w->pattern, p->derived, text, 1) != PATTERN_DEAD);
    *word |= alive ? 0 : bit;
    return alive;
}

/* appends a piece of text to the name; false: no name that begins so can match */
static bool extend(SelectWalk *w, NamePosition *p, const char *text, size_t n)
{
    if (p->length + n + 8 >= MAX_NAME)
        return false;
    if (w->pattern && p->plain != PATTERN_DEAD)
        p->plain = pattern_step(w->pattern, p->plain, text, n);
    if (w->pattern && p->derived != PATTERN_DEAD)
        p->derived = pattern_step(w->pattern, p->derived, text, n);
    if (w->pattern && p->plain == PATTERN_DEAD && p->derived == PATTERN_DEAD)
        return false;
    memcpy(w->name + p->length, text, n);
    p->length += n;
    w->name[p->length] = '\0';
    return true;
}

static bool accepted(const SelectWalk *w, int state)
{
    return pattern_accepts(w->pattern, state);
}

/* ------------------------------------------------------------------ variables of a component */

/* the variable of a handle as a column of this name */
static void take_selected(SelectWalk *w, const char *name, const LiederVariableInfo *info,
                          const LiederHandle *handle)
{
    Selected s = {.name = keep(w->selection, name),
                  .unit = keep(w->selection, info->unit), /* the session may end before */
                  .text = info->text,
                  .constant = info->kind == LIEDER_VARIABLE_PARAMETER,
                  .of_model = w->of_model,
                  .handle = *handle};
    bool elsewhere = !lieder_handle_here(w->system, handle); /* another rank has its value */
    if (s.name && s.constant && !elsewhere &&
        lieder_handle_get(w->system, handle, &s.value) != LIEDER_DONE)
        return;
    if (s.name)
        add(w->selection, s);
}

/* one number: the name that stands in w->name, or its derivative */
static void walk_number(SelectWalk *w, const NamePosition *p, const LiederVariableInfo *info,
                        const LiederHandle *handle)
{
    if (info->kind == LIEDER_VARIABLE_DERIVATIVE) {
        char name[MAX_NAME + 8];
        if (w->pattern && !accepted(w, pattern_step(w->pattern, p->derived, ")", 1)))
            return;
        snprintf(name, sizeof name, "der(%s)", w->name);
        take_selected(w, name, info, handle);
    } else if (!w->pattern || accepted(w, p->plain)) {
        take_selected(w, w->name, info, handle);
    }
}

static bool is_state(const LiederVariableInfo *info)
{
    return info->kind == LIEDER_VARIABLE_STATE || info->kind == LIEDER_VARIABLE_DERIVATIVE;
}

/* is it recorded where no pattern is given? */
static bool is_default(const SelectWalk *w, const NamePosition *p, const LiederVariableInfo *info)
{
    bool computed =
        info->kind == LIEDER_VARIABLE_OBSERVABLE || info->kind == LIEDER_VARIABLE_DISCRETE;
    return is_state(info) || (w->own && p->length == 0 && computed && is_of_text(info->name) &&
                              (w->own == OWN_ALL || !strchr(info->name, '.')));
}

/* a variable of a component, chosen if its whole name matches */
static void walk_item(SelectWalk *w, NamePosition p, const LiederElement *component, uint32_t item,
                      DeadEnds *dead)
{
    const LiederVariableInfo *info = lieder_tree_item(w->system, component, item);
    bool state = is_state(info);
    if (w->no_derivatives && info->kind == LIEDER_VARIABLE_DERIVATIVE)
        return;
    if (!w->pattern ? !is_default(w, &p, info) : !is_of_text(info->name) && takes_anything(w, &p))
        return;
    if (!may_go_on(w, &p, info->name, dead) || !extend(w, &p, info->name, strlen(info->name)) ||
        (state && !lieder_tree_has_item(w->system, component, item)))
        return;
    size_t length = (size_t)info->length;
    w->of_model = w->pattern && p.length == strlen(info->name) && strchr(info->name, '.');
    w->any_of_model |= w->of_model;
    for (uint32_t i = 0; i < length; i++) {
        char index[INDEX_LENGTH];
        NamePosition element = p;
        lieder_variable_index(info, i, index, sizeof index);
        if (extend(w, &element, index, strlen(index)))
            walk_number(w, &element, info, &(LiederHandle){*component, item, i});
    }
    w->of_model = false;
}

static void walk_component(SelectWalk *w, NamePosition p, const LiederElement *component)
{
    size_t n = lieder_tree_item_count(w->system, component), before = w->selection->list.n;
    if (vain_before(w, component, &p))
        return;
    DeadEnds dead = {0};
    for (uint32_t i = 0; i < n; i++)
        walk_item(w, p, component, i, &dead);
    if (w->selection->list.n == before)
        remember_vain(w, component, &p);
}

/* ------------------------------------------------------------------ models */

static void walk_model(SelectWalk *w, NamePosition p, const LiederElement *model);

/* walks one element of a branch of the tree of names, and remembers if nothing matched in it */
static void walk_element(SelectWalk *w, NamePosition p, const LiederBranch *branch,
                         const LiederElement *element, size_t i)
{
    char index[INDEX_LENGTH];
    index_text(branch->ndim, branch->dimensions, i, index);
    if (!extend(w, &p, index, strlen(index)))
        return;
    /* a component without a name: its variables are those of the model */
    if (*branch->name && !extend(w, &p, ".", 1))
        return;
    if (branch->component) {
        walk_component(w, p, element);
        return;
    }
    if (vain_before(w, element, &p))
        return;
    size_t before = w->selection->list.n;
    walk_model(w, p, element);
    if (w->selection->list.n == before)
        remember_vain(w, element, &p);
}

/* goes into the components of a model as far as the pattern may match below them */
static void walk_model(SelectWalk *w, NamePosition p, const LiederElement *model)
{
    for (size_t i = 0; i < lieder_tree_count(w->system, model) && !w->selection->failed; i++) {
        LiederBranch branch = lieder_tree_branch(w->system, model, i);
        NamePosition q = p;
        if (!extend(w, &q, branch.name, strlen(branch.name)))
            continue;
        uint32_t first = 0;
        for (size_t k = 0; k < branch.n && !w->selection->failed; k++) {
            LiederElement element = lieder_tree_element(w->system, model, i, k);
            if (k == 0)
                first = element.sheet;
            q.shared = p.shared || (branch.n > 1 && !branch.component && element.sheet == first);
            walk_element(w, q, &branch, &element, k);
        }
    }
}

/* the ports of the model itself, by the names it gives them; without a pattern its outputs */
static void walk_ports(SelectWalk *w)
{
    size_t n = lieder_tree_port_count(w->system), rows = lieder_variable_count(w->system);
    for (size_t i = 0; i < n; i++) {
        LiederVariableInfo info = lieder_variable_info(w->system, rows - n + i);
        const char *name;
        LiederHandle handle;
        bool wanted = w->pattern ? pattern_matches(w->pattern, info.name)
                                 : info.causality == LIEDER_CAUSALITY_OUTPUT;
        if (wanted && lieder_tree_port(w->system, i, &name, &handle))
            take_selected(w, name, &info, &handle);
    }
}

/* ------------------------------------------------------------------ interface
 */

static int compare_names(const void *a, const void *b)
{
    const Selected *x = *(const Selected *const *)a, *y = *(const Selected *const *)b;
    int order = strcmp(x->name, y->name);
    return order ? order : x->of_model - y->of_model;
}

/* Equations of a model know the connectors of components beside them by the names that these have
 * themselves (front/lower/lower_beside.c): the components' own variables are recorded. */
static void drop_doubles(Selection *s)
{
    VEC(Selected *) order = {0};
    if (!vec_resize(HEAP, &order, s->list.n + 1)) {
        s->failed = true;
        return;
    }
    for (size_t i = 0; i < s->list.n; i++)
        order.items[i] = &s->list.items[i];
    qsort(order.items, s->list.n, sizeof *order.items, compare_names);
    for (size_t i = s->list.n; i-- > 1;)
        if (order.items[i]->of_model && strcmp(order.items[i]->name, order.items[i - 1]->name) == 0)
            order.items[i]->name = NULL;
    size_t n = 0;
    for (size_t i = 0; i < s->list.n; i++)
        if (s->list.items[i].name)
            s->list.items[n++] = s->list.items[i];
    s->list.n = n;
    vec_drop(HEAP, &order);
}

void select_matching(Selection *s, LiederSystem *system, Pattern *pattern)
{
    *s = (Selection){.system = system};
    arena_init(&s->arena, HEAP);
    SelectWalk w = {.selection = s, .system = system, .pattern = pattern};
    NamePosition p = {.plain = pattern_start(pattern)};
    p.derived = pattern_step(pattern, p.plain, "der(", 4);
    if (p.plain != PATTERN_DEAD || p.derived != PATTERN_DEAD) {
        LiederElement root = lieder_tree_root(system);
        walk_model(&w, p, &root);
        walk_ports(&w);
    }
    if (w.any_of_model && !s->failed)
        drop_doubles(s);
    vec_drop(HEAP, &w.vain);
}

void select_energies(Selection *s, LiederSystem *system, Pattern *pattern)
{
    static const char *const list[][2] = {
        {"energy.kinetic", "of bodies, by kinetic velocities"},
        {"energy.potential", "of gravity and springs"},
        {"energy.dissipated", "dampers, friction and events took"},
        {"energy.filter", "the filter with the time constant T_D took"},
        {"energy.supplied", "sources and equations of users gave"}};
    LiederHandle handle;
    /* not for a pattern that matches everything, since integrating powers takes time */
    bool anything = pattern_matches(pattern, "any.other(name)");
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (!anything && pattern_matches(pattern, list[i][0]) &&
            !lieder_handle_search(system, NULL, list[i][0], &handle) &&
            lieder_system_has_energy(system))
            add(s, (Selected){
                       .name = list[i][0], .unit = "J", .text = list[i][1], .energy = (int)i + 1});
}

/* number k of m places evenly spaced among n, the first and the last included */
static size_t evenly(size_t k, size_t m, size_t n)
{
    return m > 1 ? k * (n - 1) / (m - 1) : 0;
}

/* up to SELECT_SAMPLE states of a large model, the same number of every array of them */
static void walk_sample(SelectWalk *w)
{
    size_t rows = lieder_variable_count(w->system), arrays = 0, at = 0, chosen = 0;
    for (size_t i = 0; i < rows; i++)
        arrays += lieder_variable_info(w->system, i).kind == LIEDER_VARIABLE_STATE;
    size_t some = arrays < SELECT_SAMPLE ? arrays : SELECT_SAMPLE;
    for (size_t i = 0; i < rows && chosen < some && !w->selection->failed; i++) {
        LiederVariableInfo info = lieder_variable_info(w->system, i);
        if (info.kind != LIEDER_VARIABLE_STATE || at++ != evenly(chosen, some, arrays))
            continue;
        chosen++;
        size_t each = SELECT_SAMPLE / some, n = info.n < each ? info.n : each;
        for (size_t k = 0; k < n; k++) {
            LiederHandle handle;
            if (lieder_variable_handle(w->system, i, evenly(k, n, info.n), &handle))
                take_selected(w, lieder_handle_name(w->system, &handle, w->name, sizeof w->name),
                              &info, &handle);
        }
    }
}

/* the default: states, outputs, and variables that the model itself declares */
static void walk_default(Selection *s, LiederSystem *system, SelectDefault few, Own own)
{
    *s = (Selection){.system = system};
    arena_init(&s->arena, HEAP);
    SelectWalk w = {
        .selection = s, .system = system, .no_derivatives = few == SELECT_STATES, .own = own};
    LiederElement root = lieder_tree_root(system);
    if (few == SELECT_SOME)
        walk_sample(&w);
    else
        walk_model(&w, (NamePosition){0}, &root);
    walk_ports(&w);
    vec_drop(HEAP, &w.vain);
}

/* for a model without states and without variables of its own: all variables of its components, if
 * they are few, since a file without variables is useless */
static void select_few(Selection *s, LiederSystem *system)
{
    char message[100];
    size_t n = 0;
    for (size_t i = 0; i < lieder_variable_count(system) && n <= SELECT_FEW; i++)
        n += lieder_variable_info(system, i).n;
    Pattern *all = n && n <= SELECT_FEW ? pattern_create(".*", message, sizeof message) : NULL;
    if (!all)
        return;
    selection_drop(s);
    select_matching(s, system, all);
    pattern_destroy(all);
}

SelectDefault select_default(Selection *s, LiederSystem *system)
{
    size_t n = lieder_system_info(system).all_states;
    SelectDefault few = 2 * n <= SELECT_FEW ? SELECT_ALL
                        : n <= SELECT_FEW   ? SELECT_STATES
                                            : SELECT_SOME;
    Own own = few == SELECT_ALL ? OWN_ALL : OWN_NONE;
    walk_default(s, system, few, own);
    while (own && !s->failed && s->list.n > (own == OWN_ALL ? SELECT_OWN : SELECT_FEW)) {
        selection_drop(s);
        walk_default(s, system, few, --own);
    }
    if (s->list.n == 0 && !s->failed)
        select_few(s, system);
    return few;
}

void selection_add_constant(Selection *s, const char *name, const char *unit, const char *text,
                            double value)
{
    for (size_t i = 0; i < s->list.n; i++)
        if (strcmp(s->list.items[i].name, name) == 0)
            return;
    Selected one = {.constant = true, .own = true, .value = value, .name = keep(s, name)};
    one.unit = unit ? keep(s, unit) : NULL;
    one.text = text ? keep(s, text) : NULL;
    if (one.name)
        add(s, one);
}

/* The two mostly agree: the search goes on where the last name was found. The handles belong to two
 * systems afterwards and are not used. */
void selection_join(Selection *s, const Selection *other)
{
    size_t at = 0, n = s->list.n;
    s->system = NULL;
    for (size_t i = 0; i < other->list.n && !s->failed; i++) {
        Selected one = other->list.items[i];
        size_t k = 0;
        while (k < n && strcmp(s->list.items[(at + k) % n].name, one.name) != 0)
            k++;
        if (k < n) {
            at = (at + k + 1) % n;
            continue;
        }
        one.name = keep(s, one.name);
        one.unit = one.unit ? keep(s, one.unit) : NULL;
        one.text = one.text ? keep(s, one.text) : NULL;
        add(s, one);
    }
}

void selection_drop(Selection *s)
{
    arena_drop(&s->arena);
    vec_drop(HEAP, &s->list);
}
