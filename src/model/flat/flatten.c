/* flatten.c - see flatten.h.
 *
 * expand_scope walks the tree of declarations once: parents before children for structure, children
 * before parents for settings, so that an outer setting replaces an inner one. All problems are
 * reported before it gives up.
 */
#include "model/flat/flatten_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* ------------------------------------------------------------------ connections */

/* One end of a connection: a port of a sheet. */
typedef struct FlatPort {
    uint32_t sheet, port;
    const LiederPortDef *def;
    bool held; /* this rank has it */
} FlatPort;

/* The port that ids lead to from a scope. `list`: the model whose inner_ports a negative port
 * means. An array that became lanes is entered if `lane` is given. false: some of the path is a
 * name, or it leads into lanes without `lane`. */
static bool follow_port(const Flat *flat, uint32_t scope, const LiederModel *list,
                        const PortPath *path, FlatPort *to, size_t *lane)
{
    const Scope *s = &flat->scopes.items[scope];
    if (path->declaration == NO_DECLARATION || path->port == INT32_MIN)
        return false;
    const Declaration *d = &s->model->declarations.items[path->declaration];
    const InnerPort *inner = path->port < 0 ? model_inner_port(list, path) : NULL;
    if (inner && inner->name)
        return false;
    if (d->class_->def) {
        Instance in = sheet_instance(&flat->sheets.items[s->sheet],
                                     s->first[path->declaration] + path->element);
        *to = (FlatPort){s->sheet, in.first_port + (uint32_t)path->port,
                         &d->class_->def->ports[path->port], instance_is_held(&in)};
        return true;
    }
    uint32_t inside = s->first[path->declaration];
    bool lanes = flat->scopes.items[inside].index <= -2;
    if (lanes && !lane)
        return false;
    if (lanes)
        *lane = *lane * d->n + path->element;
    else
        inside += path->element;
    if (inner)
        return follow_port(flat, inside, list, &inner->inner, to, lane);
    const LiederModel *model = d->class_->model;
    return follow_port(flat, inside, model, &model->exposed.items[path->port].inner, to, lane);
}

/* a path of names that is followed from a scope to a port */
typedef struct PathWalk {
    uint32_t scope;   /* where the path begins */
    const char *path; /* all of it, for messages */
    uint32_t at;      /* the scope that has been reached, */
    const char *rest; /* and what follows there */
    uint32_t *sheet;  /* of the port */
    size_t *lane;     /* NULL: arrays that became lanes are not entered */
} PathWalk;

static uint32_t find_port(Flat *flat, uint32_t scope, const char *path, uint32_t *sheet,
                          size_t *lane);

/* the port that a model exposes by a name; NOWHERE with a diagnostic, or because there is none */
static uint32_t exposed_port(Flat *flat, const PathWalk *w, const char *name, bool *found)
{
    const LiederModel *model = flat->scopes.items[w->at].model;
    size_t i = 0;
    while (i < model->exposed.n && model->exposed.items[i].name != name)
        i++;
    *found = i < model->exposed.n && *w->rest == '\0';
    if (!*found)
        return NOWHERE;
    const PortPath *inner = &model->exposed.items[i].inner;
    FlatPort to;
    size_t before = w->lane ? *w->lane : 0;
    if (follow_port(flat, w->at, model, inner, &to, w->lane)) {
        *w->sheet = to.sheet;
        return to.port;
    }
    if (w->lane)
        *w->lane = before;
    char text[512];
    return find_port(flat, w->at, port_path_text(model, inner, text, sizeof text), w->sheet,
                     w->lane);
}

/* A port of the model that has been reached itself: of its component without a name, or one that it
 * exposes. `here` is the rest of the path, `name` its first step. */
static uint32_t port_of_model(Flat *flat, const PathWalk *w, const char *here, const char *name)
{
    const Scope *s = &flat->scopes.items[w->at];
    ptrdiff_t unnamed = model_find_unnamed(s->model);
    here += *here == '.';
    int own = unnamed < 0 ? -1
                          : class_find_port(s->model->declarations.items[unnamed].class_, here,
                                            strlen(here));
    if (own >= 0) {
        *w->sheet = s->sheet;
        return sheet_instance(&flat->sheets.items[s->sheet], s->first[unnamed]).first_port +
               (uint32_t)own;
    }
    /* an element of an array of ports has its index in the name */
    bool found;
    uint32_t port = exposed_port(
        flat, w, intern_range(&flat->session->names, here, (size_t)(w->rest - here)), &found);
    char buffer[512];
    if (!found)
        WRONG(path_below(flat, w->scope, w->path, buffer, sizeof buffer),
              "'%s' has no component or port '%s'\nadd it, or look at the spelling",
              s->class_->name, name);
    return port;
}

/* the port of a native component that the rest of the path names */
static uint32_t component_port(Flat *flat, const PathWalk *w, const Declaration *decl,
                               uint32_t instance)
{
    const Scope *s = &flat->scopes.items[w->at];
    const char *name = *w->rest == '.' ? w->rest + 1 : w->rest;
    int port = class_find_port(decl->class_, name, strlen(name));
    char buffer[512];
    if (port < 0) {
        WRONG(path_below(flat, w->scope, w->path, buffer, sizeof buffer),
              "class %s has no port '%s'\nlieder doc %s lists its ports", decl->class_->name, name,
              decl->class_->name);
        return NOWHERE;
    }
    *w->sheet = s->sheet;
    return sheet_instance(&flat->sheets.items[s->sheet], instance).first_port + (uint32_t)port;
}

/* continues the walk in an element of a declared model; false after reporting an error */
static bool enter_model(Flat *flat, PathWalk *w, ptrdiff_t declaration, uint32_t element)
{
    const Scope *s = &flat->scopes.items[w->at];
    const Declaration *decl = &s->model->declarations.items[declaration];
    uint32_t first = s->first[declaration];
    bool lanes = flat->scopes.items[first].index <= -2;
    char buffer[512];
    if (lanes && !w->lane) {
        WRONG(path_below(flat, w->scope, w->path, buffer, sizeof buffer),
              "'%s' is an array inside '%s' and cannot be reached from outside\nexpose the port in "
              "'%s' and connect that",
              decl->name, s->class_->name, s->class_->name);
        return false;
    }
    w->at = lanes ? first : first + element;
    if (lanes)
        *w->lane = *w->lane * decl->n + element;
    return true;
}

/* the element of a declaration that a step of the path names; -1 after reporting an error */
static ptrdiff_t step_element(Flat *flat, const PathWalk *w, const Declaration *decl,
                              const PathStep *step)
{
    ptrdiff_t element = declaration_element(decl, step);
    char buffer[512];
    if (element >= 0)
        return element;
    path_below(flat, w->scope, w->path, buffer, sizeof buffer);
    if (step->nindex)
        report_index(flat, decl, step, buffer);
    else
        WRONG(buffer, "'%s' is an array of %zu\nname one element by an index from 1", decl->name,
              decl->n);
    return -1;
}

/* Port of a path relative to a scope, or NOWHERE with a diagnostic. An array that became lanes is
 * entered if `lane` is given, which must be zero at first. */
static uint32_t find_port(Flat *flat, uint32_t scope, const char *path, uint32_t *sheet,
                          size_t *lane)
{
    PathWalk w = {scope, path, scope, path, sheet, lane};
    for (;;) {
        const char *here = w.rest;
        char buffer[512];
        PathStep step;
        if (!path_next(&w.rest, &step)) {
            WRONG(path_below(flat, scope, path, buffer, sizeof buffer),
                  *here ? "the path cannot be read\nwrite it as in \"component.port\""
                        : "the path names no port\nwrite it as in \"component.port\"");
            return NOWHERE;
        }
        const Scope *s = &flat->scopes.items[w.at];
        const char *name = intern_range(&flat->session->names, step.name, step.length);
        if (!name) {
            flat->status = LIEDER_NO_MEMORY;
            return NOWHERE;
        }
        ptrdiff_t d = model_find(s->model, name);
        if (d < 0)
            return port_of_model(flat, &w, here, name);
        const Declaration *decl = &s->model->declarations.items[d];
        ptrdiff_t element = step_element(flat, &w, decl, &step);
        if (element < 0)
            return NOWHERE;
        if (decl->class_->def)
            return component_port(flat, &w, decl, s->first[d] + (uint32_t)element);
        if (!enter_model(flat, &w, d, (uint32_t)element))
            return NOWHERE;
    }
}

bool flat_find_port(Flat *flat, const char *path, LiederElement *at, int *port)
{
    size_t nwrong = flat->nwrong;
    *at = (LiederElement){0};
    uint32_t found = find_port(flat, 0, path, &at->sheet, &at->lane);
    flat->nwrong = nwrong; /* a wrong path is no mistake of the model */
    if (found == NOWHERE)
        return false;
    const Sheet *sheet = &flat->sheets.items[at->sheet];
    Instance in = sheet_held(sheet, sheet->port_held.items[found]);
    at->instance = in.number;
    *port = (int)(found - in.first_port);
    return true;
}

static const LiederPortDef *port_def(const Sheet *sheet, uint32_t port)
{
    Instance in = sheet_held(sheet, sheet->port_held.items[port]);
    return &in.class_->def->ports[port - in.first_port];
}

enum { PATH_TEXT = 2048 };

/* The port that a path leads to; false: with a diagnostic, or because this rank does not hold it.
 */
static bool connected_port(Flat *flat, uint32_t scope, const PortPath *path, FlatPort *to)
{
    const LiederModel *model = flat->scopes.items[scope].model;
    char text[PATH_TEXT];
    if (follow_port(flat, scope, model, path, to, NULL))
        return to->held;
    to->port =
        find_port(flat, scope, port_path_text(model, path, text, sizeof text), &to->sheet, NULL);
    if (to->port != NOWHERE)
        to->def = port_def(&flat->sheets.items[to->sheet], to->port);
    return to->port != NOWHERE;
}

/* joins the nodes of two ports of one domain */
static void connect_ports(Flat *flat, uint32_t scope, const Connection *c, const PortPath *end_a,
                          const PortPath *end_b)
{
    FlatPort a, b;
    bool found_a = connected_port(flat, scope, end_a, &a),
         found_b = connected_port(flat, scope, end_b, &b);
    if (!found_a || !found_b)
        return;
    Sheet *sheet = &flat->sheets.items[a.sheet];
    if (a.sheet != b.sheet) /* cannot happen: connected elements are never lanes */
        return;
    if (a.def->domain != b.def->domain) {
        const LiederModel *model = flat->scopes.items[scope].model;
        char buffer[512], text[2][PATH_TEXT];
        Place place;
        port_path_text(model, end_a, text[0], sizeof text[0]);
        port_path_text(model, end_b, text[1], sizeof text[1]);
        flat->nwrong++;
        diag_error(DIAG, model_place(model, &c->range, &place),
                   path_below(flat, scope, text[0], buffer, sizeof buffer),
                   "cannot be connected to %s: %s is not %s\nconnect ports of one domain; a wheel "
                   "or a gear leads from one to the other",
                   text[1], a.def->domain->name, b.def->domain->name);
        return;
    }
    uint32_t ra = sheet_node(sheet, a.port), rb = sheet_node(sheet, b.port);
    if (ra != rb)
        sheet->port_parent.items[ra > rb ? ra : rb] = ra > rb ? rb : ra;
}

static void connect_all(Flat *flat, uint32_t scope, const LiederModel *model)
{
    ConnectionCursor cursor = {0};
    PortPath a, b;
    while (connection_next(model, &cursor, &a, &b))
        connect_ports(flat, scope, &model->connections.items[cursor.current], &a, &b);
}

/* ------------------------------------------------------------------ expansion */

/* arguments of a template: the settings of the enclosing models, outermost last; false after
 * reporting an error */
static bool find_arguments(Flat *flat, uint32_t parent, uint32_t declaration,
                           const LiederClass *class_, double *arguments)
{
    const LiederTemplate *t = &class_->template_;
    char path[512];
    uint32_t way[MAX_DEPTH + 2]; /* declarations from the scope down, the last one first */
    uint32_t n = 0;
    for (int i = 0; i < t->nargument; i++)
        arguments[i] = t->arguments[i].fallback;
    if (declaration != NOWHERE)
        way[n++] = declaration;
    for (uint32_t at = parent; at != NOWHERE && t->nargument && n < MAX_DEPTH + 2;
         at = flat->scopes.items[at].parent) {
        const Scope *s = &flat->scopes.items[at];
        for (size_t i = 0; i < s->model->settings.n; i++) {
            const Setting *setting = &s->model->settings.items[i];
            const ModelStep *steps = s->model->steps.items + setting->first_step;
            bool same = setting->nstep == n && setting->kind == SET_ALL;
            for (uint32_t k = 0; k < n && same; k++)
                same = steps[k].declaration == way[n - 1 - k] && steps[k].element == ALL_ELEMENTS;
            for (int k = 0; k < t->nargument && same; k++)
                if (strcmp(setting->name, t->arguments[k].name) == 0)
                    arguments[k] = setting->value;
        }
        way[n++] = s->declaration;
    }
    for (int i = 0; i < t->nargument; i++)
        if (!(arguments[i] >= t->arguments[i].min && arguments[i] <= t->arguments[i].max)) {
            WRONG(declaration != NOWHERE
                      ? path_below(
                            flat, parent,
                            flat->scopes.items[parent].model->declarations.items[declaration].name,
                            path, sizeof path)
                      : class_->name,
                  "%s = %g is outside %g ... %g\ngive it a number in this range",
                  t->arguments[i].name, arguments[i], t->arguments[i].min, t->arguments[i].max);
            return false;
        }
    return true;
}

/* the model of a template with these arguments; equal arguments, equal model: it is built once */
static LiederModel *build_model(Flat *flat, const LiederClass *class_, const double *arguments)
{
    const LiederTemplate *t = &class_->template_;
    TextBuffer name = {0};
    bool ok = text_add(ALLOC, &name, "%s(", class_->name);
    for (int i = 0; i < t->nargument && ok; i++)
        ok = text_add(ALLOC, &name, "%s%.17g", i ? ", " : "", arguments[i]);
    ok = ok && text_add(ALLOC, &name, ")");
    const LiederClass *built = ok ? lieder_class_find(flat->session, name.items) : NULL;
    LiederModel *model = built ? built->model : NULL;
    if (ok && !built) {
        model = lieder_model_create(flat->session, name.items, t->text);
        if (model)
            t->build(model, arguments, t->user);
    }
    if (!model)
        flat->status = LIEDER_NO_MEMORY;
    vec_drop(ALLOC, &name);
    return model;
}

/* the model of a template in this place; NULL after reporting an error */
static LiederModel *build_template(Flat *flat, uint32_t parent, uint32_t declaration,
                                   const LiederClass *class_)
{
    size_t bytes = ((size_t)class_->template_.nargument + 1) * sizeof(double);
    double *arguments = memory_zeroed(ALLOC, bytes);
    if (!arguments) {
        flat->status = LIEDER_NO_MEMORY;
        return NULL;
    }
    LiederModel *model = NULL;
    if (find_arguments(flat, parent, declaration, class_, arguments))
        model = build_model(flat, class_, arguments);
    memory_free(ALLOC, arguments, bytes);
    return model;
}

/* one more instance of a model, with the environment that holds around it; NOWHERE: no memory */
static uint32_t add_scope(Flat *flat, uint32_t parent, uint32_t declaration,
                          const LiederClass *class_, LiederModel *model, int32_t index,
                          uint32_t sheet)
{
    Scope s = {.class_ = class_,
               .model = model,
               .parent = parent,
               .declaration = declaration,
               .index = index,
               .sheet = sheet,
               .environment = NOWHERE,
               .environment_sheet = NOWHERE};
    if (parent != NOWHERE) {
        s.environment = flat->scopes.items[parent].environment;
        s.environment_sheet = flat->scopes.items[parent].environment_sheet;
        s.spare = scope_declaration(flat, &s)->spare || flat->scopes.items[parent].spare;
    }
    s.nfirst = model->declarations.n + 1;
    s.first = memory_zeroed(ALLOC, s.nfirst * sizeof *s.first);
    if (!s.first || !vec_push(ALLOC, &flat->scopes, s)) {
        memory_free(ALLOC, s.first, s.nfirst * sizeof *s.first);
        flat->status = LIEDER_NO_MEMORY;
        return NOWHERE;
    }
    return (uint32_t)flat->scopes.n - 1;
}

/* a sheet with one axis more */
static uint32_t add_sheet(Flat *flat, uint32_t from, size_t n)
{
    Sheet sheet = {.nlane = 1};
    if (from != NOWHERE) {
        const Sheet *s = &flat->sheets.items[from];
        if (s->naxis == MAX_AXES)
            return NOWHERE;
        sheet.naxis = s->naxis + 1;
        memcpy(sheet.axis, s->axis, sizeof s->axis);
        sheet.axis[s->naxis] = n;
        sheet.nlane = s->nlane * n;
    }
    if (!vec_push(ALLOC, &flat->sheets, sheet)) {
        flat->status = LIEDER_NO_MEMORY;
        return NOWHERE;
    }
    return (uint32_t)flat->sheets.n - 1;
}

/* is the model of a scope nested without end? reports it */
static bool nested_too_deep(Flat *flat, uint32_t scope, int depth)
{
    const LiederModel *model = flat->scopes.items[scope].model;
    char buffer[512];
    if (depth > MAX_DEPTH) {
        WRONG(path_below(flat, scope, "", buffer, sizeof buffer),
              "models are nested more than %d deep\ndoes one contain itself?", MAX_DEPTH);
        return true;
    }
    for (uint32_t up = flat->scopes.items[scope].parent; up != NOWHERE;
         up = flat->scopes.items[up].parent)
        if (flat->scopes.items[up].model == model) {
            WRONG(path_below(flat, scope, "", buffer, sizeof buffer),
                  "model '%s' contains itself\nremove one of the components on this path",
                  model->name);
            return true;
        }
    return false;
}

/* the environment that declaration d adds holds in this scope and what is inside of it */
static void enter_environment(Flat *flat, uint32_t scope, size_t d)
{
    Scope *s = &flat->scopes.items[scope];
    const Declaration *decl = &s->model->declarations.items[d];
    char buffer[512];
    if (s->environment != NOWHERE && s->environment_sheet == s->sheet &&
        sheet_instance(&flat->sheets.items[s->sheet], s->environment).scope == scope)
        WRONG(path_below(flat, scope, decl->name, buffer, sizeof buffer),
              "a model has one %s, this is the second\nremove it", decl->class_->name);
    s->environment = s->first[d];
    s->environment_sheet = s->sheet;
}

/* the native components of a scope; false: no memory */
static bool add_components(Flat *flat, uint32_t scope)
{
    Scope *s = &flat->scopes.items[scope];
    Sheet *sheet = &flat->sheets.items[s->sheet];
    for (size_t d = 0; d < s->model->declarations.n; d++) {
        const Declaration *decl = &s->model->declarations.items[d];
        if (!decl->class_->def)
            continue;
        s->first[d] = sheet->ninstance;
        if (decl->class_->is_environment)
            enter_environment(flat, scope, d);
        InstanceRow row = {.class_ = decl->class_,
                           .scope = scope,
                           .declaration = (uint32_t)d,
                           .array = decl->ndim > 0,
                           .spare = decl->spare || s->spare};
        if (!sheet_add_row(sheet, row, decl->n, ALLOC)) {
            flat->status = LIEDER_NO_MEMORY;
            return false;
        }
    }
    return true;
}

static void expand_scope(Flat *flat, uint32_t scope, int depth);

/* The elements of a declared model, as lanes if no connection reaches them. False: no memory, or
 * something inside has ended the expansion. */
static bool expand_elements(Flat *flat, uint32_t scope, uint32_t d, LiederModel *inner, int depth)
{
    const Declaration decl = flat->scopes.items[scope].model->declarations.items[d];
    uint32_t sheet = flat->scopes.items[scope].sheet, first = (uint32_t)flat->scopes.n;
    bool lanes =
        decl.ndim && !decl.connected && decl.n > 0 && flat->sheets.items[sheet].naxis < MAX_AXES;
    size_t n = lanes ? 1 : decl.n;
    if (lanes) {
        sheet = add_sheet(flat, sheet, decl.n);
        if (sheet == NOWHERE)
            return false;
    }
    flat->scopes.items[scope].first[d] = first;
    for (size_t i = 0; i < n; i++) {
        int32_t index = lanes       ? -2 - (int32_t)(flat->sheets.items[sheet].naxis - 1)
                        : decl.ndim ? (int32_t)i
                                    : -1;
        if (add_scope(flat, scope, d, decl.class_, inner, index, sheet) == NOWHERE)
            return false;
    }
    for (size_t i = 0; i < n; i++) {
        expand_scope(flat, first + (uint32_t)i, depth + 1);
        if (flat->status != LIEDER_DONE)
            return false;
    }
    return true;
}

/* Everything inside a scope: native components, models in it, then its settings and connections.
 * The components come first because an environment among them holds for the models. */
static void expand_scope(Flat *flat, uint32_t scope, int depth)
{
    LiederModel *model = flat->scopes.items[scope].model;
    if (nested_too_deep(flat, scope, depth))
        return;
    flat->nwrong += model->nwrong;
    model_resolve(model);
    if (!add_components(flat, scope))
        return;
    for (uint32_t d = 0; d < model->declarations.n; d++) {
        const LiederClass *class_ = model->declarations.items[d].class_;
        if (class_->def)
            continue;
        LiederModel *inner = class_->model ? class_->model : build_template(flat, scope, d, class_);
        if (inner && !expand_elements(flat, scope, d, inner, depth))
            return;
    }
    for (size_t i = 0; i < model->settings.n; i++)
        apply_setting(flat, scope, &model->settings.items[i]);
    connect_all(flat, scope, model);
}

/* ------------------------------------------------------------------ defaults and ranges */

/* a number against finiteness and the range of its member */
static void check_value(Flat *flat, uint32_t sheet, const Instance *in, const Slot *slot,
                        double value, size_t lane)
{
    const char *name = slot->member ? slot->member->name : in->class_->def->ports[slot->port].name;
    char path[512];
    bool start = slot->member && member_has_start(slot->member);
    if (isfinite(value) &&
        (!slot->member || (value >= slot->member->min && value <= slot->member->max)))
        return;
    flat_path(flat, sheet, in->number, lane, path, sizeof path);
    if (start && isnan(value) && isnan(slot->member->fallback))
        return; /* the start block finds it */
    if (isnan(value) && slot->member && !start && isnan(slot->member->fallback) &&
        !slot->member->environment)
        WRONG(path, "parameter %s has no value\nset \"%s.%s\"", name, path, name);
    else if (!isfinite(value))
        WRONG(path, "%s%s = %g is not a finite number\ngive \"%s.%s\" a finite number",
              start ? "start value of " : "parameter ", name, value, path, name);
    else if (isinf(slot->member->max))
        WRONG(path, "parameter %s = %g must be at least %g\ngive \"%s.%s\" a greater number", name,
              value, slot->member->min, path, name);
    else
        WRONG(path,
              "parameter %s = %g must lie between %g and %g\ngive \"%s.%s\" a number in this "
              "range",
              name, value, slot->member->min, slot->member->max, path, name);
}

/* The value of a parameter of the environment that holds for an instance. *by_lane is set if the
 * lanes of the environment differ: one value for each of its lanes, which are outer lanes of the
 * instance's sheet. */
static double environment_value(const Flat *flat, const Instance *in, const char *name,
                                NumberList **by_lane)
{
    const Scope *scope = &flat->scopes.items[in->scope];
    const LiederClass *class_ = flat->session->environment;
    int k = 0;
    if (!class_)
        return NAN;
    while (k < class_->nslot && strcmp(class_->slots[k].member->name, name) != 0)
        k++;
    if (k == class_->nslot)
        return NAN;
    if (scope->environment == NOWHERE)
        return class_->slots[k].member->fallback;
    const Sheet *from = &flat->sheets.items[scope->environment_sheet];
    uint32_t source = sheet_instance(from, scope->environment).first_slot + (uint32_t)k;
    *by_lane = sheet_lanes(from, source);
    return from->value.items[source];
}

/* gives a slot its default in the lanes that no setting has reached */
static void fill_slot(Flat *flat, uint32_t sheet_id, const Instance *in, const Slot *slot,
                      uint32_t at)
{
    Sheet *sheet = &flat->sheets.items[sheet_id];
    const char *environment = slot->member ? slot->member->environment : NULL;
    double value = slot->member ? slot->member->fallback : 0.0;
    NumberList *given = NULL, *lanes = sheet_lanes(sheet, at);
    if (environment)
        value = environment_value(flat, in, environment, &given);
    if (sheet->is_set.items[at]) {
        given = NULL;
        value = sheet->value.items[at];
    }
    if (!given && !lanes) {
        sheet->value.items[at] = value;
        return;
    }
    if (!lanes && given->n == sheet->nlane) {
        give_lanes(flat, sheet, at, number_list_hold(given));
        return;
    }
    size_t left = 0;
    while (lanes && left < sheet->nlane && !isnan(lanes->values[left]))
        left++;
    if (left == sheet->nlane)
        return; /* a list of the model has all of them, and stays as it is */
    double *values = lane_values(flat, sheet, at);
    for (size_t l = left; values && l < sheet->nlane; l++)
        if (isnan(values[l]))
            values[l] = given ? given->values[l / (sheet->nlane / given->n)] : value;
}

/* ranges of all lanes; a switch must stand the same way in all of them */
static void check_slot(Flat *flat, uint32_t sheet_id, const Instance *in, const Slot *slot,
                       uint32_t at)
{
    const Sheet *sheet = &flat->sheets.items[sheet_id];
    const NumberList *lanes = sheet_lanes(sheet, at);
    if (!lanes) {
        check_value(flat, sheet_id, in, slot, sheet->value.items[at], 0);
        return;
    }
    const double *values = lanes->values;
    for (size_t l = 0; l < sheet->nlane; l++)
        check_value(flat, sheet_id, in, slot, values[l], l);
    for (size_t l = 1; slot->member && slot->member->structural && l < sheet->nlane; l++)
        if (values[l] != values[0]) {
            char path[512];
            WRONG(flat_path(flat, sheet_id, in->number, l, path, sizeof path),
                  "switch %s = %g is %g in the first element of the array\nmake an array for each "
                  "position of the switch",
                  slot->member->name, values[l], values[0]);
            return;
        }
}

/* what the class itself says about its values */
static void check_instance(Flat *flat, uint32_t sheet_id, const Instance *in)
{
    const Sheet *sheet = &flat->sheets.items[sheet_id];
    double *values = flat->session->values.items;
    size_t nslot = (size_t)in->class_->nslot, nlane = 1;
    if (!in->class_->def->check)
        return;
    for (size_t i = 0; i < nslot; i++)
        if (sheet->lanes_of.items[in->first_slot + i])
            nlane = sheet->nlane;
    for (size_t l = 0; l < nlane; l++) {
        for (size_t i = 0; i < nslot; i++)
            values[i] = sheet_value(sheet, in->first_slot + (uint32_t)i, l);
        const char *wrong = in->class_->def->check(values);
        char path[512];
        if (wrong)
            WRONG(flat_path(flat, sheet_id, in->number, l, path, sizeof path),
                  "%s\nchange the parameters of this %s", wrong, in->class_->name);
    }
}

/* defaults, then the checks of ranges and of the class */
static void fill_defaults(Flat *flat, uint32_t sheet_id, uint32_t instance)
{
    Sheet *sheet = &flat->sheets.items[sheet_id];
    const Instance in = sheet_instance(sheet, instance);
    size_t nwrong = flat->nwrong;
    for (int i = 0; i < in.class_->nslot; i++) {
        const Slot *slot = &in.class_->slots[i];
        uint32_t at = in.first_slot + (uint32_t)i;
        if (slot->member && slot->member->kind == LIEDER_PARAMETER && slot->member->length == 0) {
            char path[512];
            if (!sheet->is_set.items[at]) {
                WRONG(flat_path(flat, sheet_id, instance, 0, path, sizeof path),
                      "parameter %s has no value\nset it with lieder_model_set_vector",
                      slot->member->name);
                store_table(flat, sheet, at, NULL, 0);
            }
            continue;
        }
        fill_slot(flat, sheet_id, &in, slot, at);
        check_slot(flat, sheet_id, &in, slot, at);
    }
    if (flat->nwrong == nwrong)
        check_instance(flat, sheet_id, &in);
}

/* the instances of a sheet that are environments, or the others */
static void fill_sheet(Flat *flat, uint32_t sheet, bool environments)
{
    for (size_t r = 0; r < flat->sheets.items[sheet].rows.n; r++) {
        const Sheet *s = &flat->sheets.items[sheet];
        const InstanceRow *row = &s->rows.items[r];
        uint32_t end = r + 1 < s->rows.n ? row[1].first : s->ninstance;
        if (row->class_->is_environment != environments)
            continue;
        for (uint32_t i = sheet_next_held(s, row->first); i < end; i = sheet_next_held(s, i + 1))
            fill_defaults(flat, sheet, i);
    }
}

LiederStatus flatten(Flat *flat, Lieder *session, const LiederClass *root, HeldRuns *held)
{
    *flat = (Flat){.session = session, .status = LIEDER_DONE};
    uint32_t sheet = add_sheet(flat, NOWHERE, 1);
    LiederModel *model = root->model;
    if (sheet == NOWHERE)
        return LIEDER_NO_MEMORY;
    flat->sheets.items[sheet].held = *held;
    *held = (HeldRuns){0};
    if (!model && root->template_.build)
        model = build_template(flat, NOWHERE, NOWHERE, root);
    if (!model)
        return flat->status == LIEDER_DONE ? LIEDER_BAD_MODEL : flat->status;
    uint32_t scope = add_scope(flat, NOWHERE, NOWHERE, root, model, -1, sheet);
    if (scope != NOWHERE)
        expand_scope(flat, scope, 0);
    /* environments before the others, which take their defaults from them */
    for (int pass = 0; pass < 2; pass++)
        for (size_t s = 0; s < flat->sheets.n && flat->status == LIEDER_DONE; s++)
            fill_sheet(flat, (uint32_t)s, pass == 0);
    if (session->no_memory)
        flat->status = LIEDER_NO_MEMORY;
    if (flat->status != LIEDER_DONE)
        return flat->status;
    return flat->nwrong ? LIEDER_BAD_MODEL : LIEDER_DONE;
}
