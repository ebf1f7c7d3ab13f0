/* select.c - which variables are recorded.
 *
 * The names of a model form a tree: scopes (models inside models), components,
 * variables. The walk goes down it in the order of the declarations and carries
 * the pattern's state along, one for plain names and one for der(name). A
 * branch where both are dead is left. An array of a million equal models is one
 * scope: having walked it once with a pair of states in vain, the walk knows
 * that the same pair brings nothing in the next element, so that a pattern that
 * names few variables costs a few steps for each element, and no text is ever
 * made for a name that does not match.
 */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "model/system.h"

enum { MAX_NAME = 1024 };

/* where the walk stands: the name so far and the pattern's states after it */
typedef struct Position {
    size_t length;      /* of the name */
    int plain, derived; /* states for "name" and for "der(name)" */
    size_t lane;
} Position;

/* pairs of states with which a scope was walked in vain */
typedef struct Vain {
    uint32_t scope;
    int plain, derived;
} Vain;

typedef struct Walk {
    Selection *selection;
    LiederSystem *system;
    Pattern *pattern; /* NULL: states and derivatives */
    char name[MAX_NAME];
    VEC(Vain) vain; /* open addressing; scope NOWHERE: free */
    size_t nvain;
} Walk;

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

static size_t vain_slot(const Walk *w, uint32_t scope, const Position *p)
{
    size_t most = w->vain.n - 1;
    size_t at = (scope * 0x9e3779b9u ^ (uint32_t)p->plain * 0x85ebca6bu ^
                 (uint32_t)p->derived * 0xc2b2ae35u) &
                most;
    while (w->vain.items[at].scope != NOWHERE &&
           (w->vain.items[at].scope != scope || w->vain.items[at].plain != p->plain ||
            w->vain.items[at].derived != p->derived))
        at = (at + 1) & most;
    return at;
}

static bool vain_before(const Walk *w, uint32_t scope, const Position *p)
{
    return w->vain.n && w->vain.items[vain_slot(w, scope, p)].scope == scope;
}

/* forgetting is always allowed: a full table starts anew */
static void remember_vain(Walk *w, uint32_t scope, const Position *p)
{
    if (!w->vain.n && !vec_resize(HEAP, &w->vain, 4096))
        return;
    if (w->nvain == 0 || w->nvain > w->vain.n / 2) {
        for (size_t i = 0; i < w->vain.n; i++)
            w->vain.items[i].scope = NOWHERE;
        w->nvain = 0;
    }
    w->vain.items[vain_slot(w, scope, p)] = (Vain){scope, p->plain, p->derived};
    w->nvain++;
}

/* ------------------------------------------------------------------ names */

/* goes on by a piece of text; false: nothing below can match */
static bool extend(Walk *w, Position *p, const char *text, size_t n)
{
    if (p->length + n + 8 >= MAX_NAME)
        return false;
    memcpy(w->name + p->length, text, n);
    p->length += n;
    w->name[p->length] = '\0';
    if (!w->pattern)
        return true;
    p->plain = pattern_step(w->pattern, p->plain, text, n);
    p->derived = pattern_step(w->pattern, p->derived, text, n);
    return p->plain != PATTERN_DEAD || p->derived != PATTERN_DEAD;
}

/* "[17]"; printf would be the slowest part of a walk over a million elements */
static bool extend_index(Walk *w, Position *p, size_t index)
{
    char text[24];
    size_t at = sizeof text;
    text[--at] = ']';
    for (size_t i = index + 1; i; i /= 10)
        text[--at] = (char)('0' + i % 10);
    text[--at] = '[';
    return extend(w, p, text + at, sizeof text - at);
}

static bool accepted(const Walk *w, int state)
{
    return pattern_accepts(w->pattern, state);
}

/* ------------------------------------------------------------------ variables of a component */

/* the name that stands in w->name as a column */
static void take(Walk *w, const char *unit, const char *text, bool constant)
{
    Selected s = {.text = text, .constant = constant};
    s.name = s.path = keep(w->selection, w->name);
    s.unit = (char *)unit;
    if (s.name && constant && lieder_system_get(w->system, s.name, &s.value) != LIEDER_DONE)
        return;
    if (s.name)
        add(w->selection, s);
}

static void take_derivative(Walk *w, const char *unit)
{
    char text[MAX_NAME + 8];
    snprintf(text, sizeof text, "der(%s)", w->name);
    Selected s = {.text = "derivative"};
    s.name = s.path = keep(w->selection, text);
    s.unit = keep(w->selection, unit_derivative(unit, text, sizeof text));
    if (s.name)
        add(w->selection, s);
}

/* states before the rest, each with its derivative */
static void walk_member(Walk *w, Position p, const LiederMember *m)
{
    if (!extend(w, &p, m->name, strlen(m->name)))
        return;
    if (m->kind == LIEDER_STATE) {
        int derived = w->pattern ? pattern_step(w->pattern, p.derived, ")", 1) : 0;
        bool plain = !w->pattern || accepted(w, p.plain);
        bool derivative = !w->pattern || accepted(w, derived);
        /* a state that is there only with a certain switch */
        if ((!plain && !derivative) || lieder_system_state_index(w->system, w->name) < 0)
            return;
        if (plain)
            take(w, m->unit, m->text, false);
        if (derivative)
            take_derivative(w, m->unit);
    } else if (m->kind == LIEDER_PARAMETER && m->length > 1) {
        for (int i = 0; i < m->length; i++) {
            Position element = p;
            if (extend_index(w, &element, (size_t)i) && accepted(w, element.plain))
                take(w, m->unit, m->text, true);
        }
    } else if (accepted(w, p.plain)) {
        take(w, m->unit, m->text, m->kind == LIEDER_PARAMETER);
    }
}

static void walk_port(Walk *w, Position p, const LiederPortDef *port)
{
    const LiederDomain *d = port->domain;
    if (!extend(w, &p, port->name, strlen(port->name)))
        return;
    /* a signal goes by the name of its port */
    if (d->npotential == 0) {
        if (accepted(w, p.plain))
            take(w, d->variables[0].unit, port->text, false);
        return;
    }
    if (!extend(w, &p, ".", 1))
        return;
    for (int i = 0; i < d->nsignal + d->npotential + d->nflow * d->nregime; i++) {
        Position variable = p;
        if (extend(w, &variable, d->variables[i].name, strlen(d->variables[i].name)) &&
            accepted(w, variable.plain))
            take(w, d->variables[i].unit, d->variables[i].text, false);
    }
}

/* does an earlier member have the same name? An unknown may be an observable as
 * well */
static bool named_before(const LiederClassDef *def, int member)
{
    for (int i = 0; i < member; i++)
        if (strcmp(def->members[i].name, def->members[member].name) == 0)
            return true;
    return false;
}

static void walk_component(Walk *w, Position p, uint32_t sheet, uint32_t instance)
{
    const LiederClassDef *def =
        w->system->flat.sheets.items[sheet].instances.items[instance].class_->def;
    if (w->system->places.items[sheet][instance].shape == NOWHERE || !extend(w, &p, ".", 1))
        return;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < def->nmember; i++) {
            const LiederMember *m = &def->members[i];
            bool table = m->kind == LIEDER_PARAMETER && m->length == 0;
            bool early = m->kind == LIEDER_STATE;
            if (early == (pass == 0) && !table && (early || w->pattern) && !named_before(def, i))
                walk_member(w, p, m);
        }
    for (int i = 0; w->pattern && i < def->nport; i++)
        walk_port(w, p, &def->ports[i]);
}

/* ------------------------------------------------------------------ scopes */

static void walk_scope(Walk *w, Position p, uint32_t scope);

/* one element of a declaration */
static void walk_element(Walk *w, Position p, uint32_t scope, const Declaration *d, uint32_t first,
                         size_t i)
{
    const Flat *flat = &w->system->flat;
    if (d->is_array && !extend_index(w, &p, i))
        return;
    if (d->class_->def) {
        walk_component(w, p, flat->scopes.items[scope].sheet, first + (uint32_t)i);
        return;
    }
    if (!extend(w, &p, ".", 1))
        return;
    if (flat->scopes.items[first].index > -2) {
        walk_scope(w, p, first + (uint32_t)i);
        return;
    }
    /* an array of lanes: the same scope for all elements */
    p.lane = p.lane * d->n + i;
    if (vain_before(w, first, &p))
        return;
    size_t before = w->selection->list.n;
    walk_scope(w, p, first);
    if (w->selection->list.n == before)
        remember_vain(w, first, &p);
}

static void walk_scope(Walk *w, Position p, uint32_t scope)
{
    const Scope *s = &w->system->flat.scopes.items[scope];
    for (size_t i = 0; i < s->model->declarations.n && !w->selection->failed; i++) {
        const Declaration *d = &s->model->declarations.items[i];
        Position q = p;
        if (!extend(w, &q, d->name, strlen(d->name)))
            continue;
        for (size_t k = 0; k < d->n && !w->selection->failed; k++)
            walk_element(w, q, scope, d, s->first[i], k);
    }
}

/* ------------------------------------------------------------------ declared outputs */

/* the native output port behind an exposed port of a scope, its path into
 * `path` */
static const LiederPortDef *resolve_output(const LiederSystem *system, const char *inner,
                                           char *path, size_t size)
{
    const Flat *flat = &system->flat;
    uint32_t scope = 0;
    snprintf(path, size, "%s", inner);
    char *at = path;
    for (int depth = 0; depth < MAX_DEPTH; depth++) {
        const Scope *s = &flat->scopes.items[scope];
        PathStep step;
        const char *text = at;
        if (!path_next(&text, &step))
            return NULL;
        size_t used = (size_t)(text - at);
        const char *name = intern_range(&flat->session->names, step.name, step.length);
        ptrdiff_t d = name ? model_find(s->model, name) : -1;
        /* the last step is a port that the model inside exposes in turn */
        for (size_t i = 0; d < 0 && i < s->model->exposed.n; i++)
            if (s->model->exposed.items[i].name == name) {
                snprintf(at, size - (size_t)(at - path), "%s", s->model->exposed.items[i].inner);
                used = 0;
                break;
            }
        if (d < 0 && used)
            return NULL;
        if (!used)
            continue;
        const Declaration *decl = &s->model->declarations.items[d];
        at += used;
        at += *at == '.';
        if (decl->class_->def) {
            int port = class_find_port(decl->class_, at, strlen(at));
            const LiederPortDef *def = port < 0 ? NULL : &decl->class_->def->ports[port];
            return def && port_is_signal(def) && def->role == LIEDER_OUT ? def : NULL;
        }
        scope = s->first[d];
        if (flat->scopes.items[scope].index > -2 && step.index > 0)
            scope += (uint32_t)step.index;
    }
    return NULL;
}

/* output ports of the model itself, by the names it gives them */
static void select_outputs(Selection *s, const LiederSystem *system, Pattern *pattern)
{
    const LiederModel *root = system->flat.scopes.items[0].model;
    for (size_t i = 0; i < root->exposed.n; i++) {
        const Exposed *e = &root->exposed.items[i];
        char path[MAX_NAME];
        const LiederPortDef *port = resolve_output(system, e->inner, path, sizeof path);
        if (!port || (pattern && !pattern_matches(pattern, e->name)))
            continue;
        Selected selected = {.name = keep(s, e->name), .path = keep(s, path), .text = port->text};
        selected.unit = (char *)port->domain->variables[0].unit;
        if (selected.name && selected.path)
            add(s, selected);
    }
}

/* ------------------------------------------------------------------ interface
 */

void select_matching(Selection *s, LiederSystem *system, Pattern *pattern)
{
    *s = (Selection){0};
    arena_init(&s->arena, HEAP);
    Walk w = {.selection = s, .system = system, .pattern = pattern};
    Position p = {.plain = pattern_start(pattern)};
    p.derived = pattern_step(pattern, p.plain, "der(", 4);
    if (p.plain != PATTERN_DEAD || p.derived != PATTERN_DEAD) {
        walk_scope(&w, p, 0);
        select_outputs(s, system, pattern);
    }
    vec_drop(HEAP, &w.vain);
}

bool select_default(Selection *s, LiederSystem *system)
{
    *s = (Selection){0};
    arena_init(&s->arena, HEAP);
    Walk w = {.selection = s, .system = system};
    bool few = 2 * lieder_system_state_count(system) <= SELECT_FEW;
    if (few)
        walk_scope(&w, (Position){0}, 0);
    vec_drop(HEAP, &w.vain);
    select_outputs(s, system, NULL);
    return few;
}

/* the expression that matches a text and nothing else; false: it does not fit
 */
static bool quote(const char *text, char *buffer, size_t size)
{
    size_t n = 0;
    for (; *text && n + 3 < size; text++) {
        if (strchr(".[]()*+?{}|^$\\", *text))
            buffer[n++] = '\\';
        buffer[n++] = *text;
    }
    buffer[n] = '\0';
    return !*text;
}

/* brackets are part of names and of expressions: was the name itself meant? */
static bool meant_literally(LiederSystem *system, const char *regex, char *quoted, size_t size)
{
    char message[128];
    Pattern *pattern =
        quote(regex, quoted, size) ? pattern_create(quoted, message, sizeof message) : NULL;
    if (!pattern)
        return false;
    Selection s;
    select_matching(&s, system, pattern);
    bool found = s.list.n > 0;
    selection_drop(&s);
    pattern_destroy(pattern);
    return found;
}

ExitCode select_or_say(Selection *s, Log *log, LiederSystem *system, const char *regex)
{
    char message[256], quoted[512];
    *s = (Selection){0};
    arena_init(&s->arena, HEAP);
    Pattern *pattern = pattern_create(regex, message, sizeof message);
    if (!pattern) {
        log_error(log, "--record %s is no regular expression: %s", regex, message);
        return EXIT_USAGE;
    }
    select_matching(s, system, pattern);
    bool failed = s->failed || pattern_failed(pattern);
    pattern_destroy(pattern);
    if (failed) {
        log_error(log,
                  "out of memory for the variables that --record names (%zu so far), or the "
                  "expression is too complicated\nname fewer of them, or write it more simply",
                  s->list.n);
        return EXIT_SIMULATION;
    }
    if (s->list.n)
        return EXIT_DONE;
    if (meant_literally(system, regex, quoted, sizeof quoted))
        log_error(log,
                  "no variable matches --record %s\nbrackets and dots mean "
                  "something in a regular "
                  "expression: did you mean '%s'?",
                  regex, quoted);
    else
        log_error(log,
                  "no variable matches --record %s\nit must match whole names, as "
                  "'.*phi' does; 'lieder show "
                  "FILE.mo --record .*' lists all",
                  regex);
    return EXIT_USAGE;
}

/* the two mostly agree: the search goes on where the last name was found */
void selection_join(Selection *s, const Selection *other)
{
    size_t at = 0, n = s->list.n;
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
        one.path = keep(s, one.path);
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
