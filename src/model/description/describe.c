/* describe.c - see describe.h: settings by ids, loops of connections, and names that become ids as
 * soon as their components are declared. */
#include <stdio.h>
#include <string.h>

#include "model/description/model.h"

/* ------------------------------------------------------------------ places */

const Place *model_place(const LiederModel *model, const SourceRange *range, Place *buffer)
{
    if (!range->file || !model->place_of)
        return NULL;
    *buffer = model->place_of(range);
    return buffer;
}

void models_forget_places(Lieder *session)
{
    for (size_t i = 0; i < session->classes.n; i++)
        if (session->classes.items[i]->model)
            session->classes.items[i]->model->place_of = NULL;
}

void model_merge(Lieder *session, const char *class_name, LiederModel *other)
{
    const LiederClass *class_ = lieder_class_find(session, class_name);
    LiederModel *model = class_ ? class_->model : NULL;
    if (model && model->declarations.n == other->declarations.n &&
        model->settings.n == other->settings.n && model->connections.n == other->connections.n) {
        model->place_of = other->place_of;
        for (size_t i = 0; i < model->declarations.n; i++)
            model->declarations.items[i].range = other->declarations.items[i].range;
        for (size_t i = 0; i < model->settings.n; i++)
            model->settings.items[i].range = other->settings.items[i].range;
        for (size_t i = 0; i < model->connections.n; i++)
            model->connections.items[i].range = other->connections.items[i].range;
    }
    model_destroy(other);
}

/* ------------------------------------------------------------------ loops of connections */

/* Loops between the same ports that the next connection may extend, newest first: the row, the
 * plane whose next row that is, the cube whose next plane that is. */
typedef struct OpenLoops {
    uint32_t key[5];
    uint32_t entry[LOOP_DIMS]; /* 1 + position in connections, or 0 */
} OpenLoops;

enum { FINDER_SETS = 64, FINDER_WAYS = 4 };

struct LoopFinder {
    OpenLoops open[FINDER_SETS][FINDER_WAYS];
    uint8_t oldest[FINDER_SETS];
    VEC(uint32_t) unused; /* entries that became part of others */
};

static bool is_array(const LiederModel *model, const PortPath *path)
{
    return path->declaration != NO_DECLARATION &&
           model->declarations.items[path->declaration].ndim > 0;
}

static const ConnectionLoop one_turn = {.n = {1, 1, 1}}, no_turn;

static ConnectionLoop loop_of(const LiederModel *model, const Connection *c)
{
    return c->loop ? model->loops.items[c->loop - 1] : one_turn;
}

/* the loop that a connection stands for; false: no memory */
static bool put_loop(LiederModel *model, Connection *c, const ConnectionLoop *loop)
{
    if (!c->loop) {
        if (!vec_push(&model->session->alloc, &model->loops, *loop)) {
            model->session->no_memory = true;
            return false;
        }
        c->loop = (uint32_t)model->loops.n;
    }
    model->loops.items[c->loop - 1] = *loop;
    return true;
}

/* Adds one turn to loop `dim` around connection c if `other` is what this turn would be. */
static bool extend_loop(LiederModel *model, Connection *c, const Connection *other, int dim)
{
    ConnectionLoop loop = loop_of(model, c), turn = loop_of(model, other);
    for (int k = 0; k < dim; k++)
        if (loop.n[k] != turn.n[k] ||
            memcmp(loop.stride[k], turn.stride[k], sizeof loop.stride[k]) != 0)
            return false;
    for (int k = dim; k < LOOP_DIMS; k++)
        if (turn.n[k] != 1 || (k > dim && loop.n[k] != 1))
            return false;
    int64_t a = (int64_t)other->a.element - c->a.element,
            b = (int64_t)other->b.element - c->b.element, n = loop.n[dim];
    if (n == 1) {
        if (a > INT32_MAX || a < INT32_MIN || b > INT32_MAX || b < INT32_MIN || (!a && !b))
            return false;
        loop.stride[dim][0] = (int32_t)a;
        loop.stride[dim][1] = (int32_t)b;
    } else if (a != n * loop.stride[dim][0] || b != n * loop.stride[dim][1]) {
        return false;
    }
    loop.n[dim]++;
    return loop.n[dim] && put_loop(model, c, &loop);
}

/* the open loops between these ports, a new entry if there are none */
static OpenLoops *find_open_loops(struct LoopFinder *finder, const Connection *c)
{
    const uint32_t key[5] = {c->a.declaration, c->b.declaration, (uint32_t)c->a.port,
                             (uint32_t)c->b.port, c->range.at};
    size_t set = (key[0] * 31u + key[1] * 37u + key[2] * 41u + key[3] * 43u + key[4]) % FINDER_SETS;
    for (int w = 0; w < FINDER_WAYS; w++)
        if (finder->open[set][w].entry[0] && memcmp(finder->open[set][w].key, key, sizeof key) == 0)
            return &finder->open[set][w];
    OpenLoops *g = &finder->open[set][finder->oldest[set]++ % FINDER_WAYS];
    *g = (OpenLoops){0};
    memcpy(g->key, key, sizeof key);
    return g;
}

/* a row that is as long as the one before it becomes part of a plane, a plane of a cube */
static void fold(LiederModel *model, OpenLoops *g)
{
    for (int dim = 1; dim < LOOP_DIMS && g->entry[1]; dim++) {
        Connection *newest = &model->connections.items[g->entry[0] - 1];
        if (!extend_loop(model, &model->connections.items[g->entry[1] - 1], newest, dim))
            continue;
        if (!put_loop(model, newest, &no_turn) ||
            !vec_push(&model->session->alloc, &model->finder->unused, g->entry[0] - 1))
            model->session->no_memory = true;
        memmove(g->entry, g->entry + 1, sizeof g->entry - sizeof *g->entry);
        g->entry[LOOP_DIMS - 1] = 0;
    }
}

/* a connection that no loop takes: a new entry, or one that is no longer used */
static uint32_t new_entry(LiederModel *model, const Connection *c)
{
    struct LoopFinder *finder = model->finder;
    if (finder && finder->unused.n) {
        uint32_t entry = finder->unused.items[--finder->unused.n];
        Connection *place = &model->connections.items[entry];
        uint32_t loop = place->loop;
        *place = *c;
        place->loop = loop;
        if (loop)
            model->loops.items[loop - 1] = one_turn;
        return entry + 1;
    }
    if (!vec_push(&model->session->alloc, &model->connections, *c)) {
        model->session->no_memory = true;
        return 0;
    }
    return (uint32_t)model->connections.n;
}

/* notes that a connection reaches into a declaration */
static void mark_connected(LiederModel *model, const PortPath *path)
{
    if (path->declaration != NO_DECLARATION)
        model->declarations.items[path->declaration].connected = true;
    else
        model->is_changed = true;
}

void model_connect(LiederModel *model, PortPath a, PortPath b, SourceRange range)
{
    Connection c = {.a = a, .b = b, .range = range};
    mark_connected(model, &a);
    mark_connected(model, &b);
    model->is_changed |= a.port < 0 || b.port < 0;
    if (!is_array(model, &a) && !is_array(model, &b)) {
        new_entry(model, &c);
        return;
    }
    if (!model->finder)
        model->finder = memory_zeroed(&model->session->alloc, sizeof *model->finder);
    if (!model->finder) {
        model->session->no_memory = true;
        return;
    }
    OpenLoops *g = find_open_loops(model->finder, &c);
    if (!g->entry[0] || !extend_loop(model, &model->connections.items[g->entry[0] - 1], &c, 0)) {
        memmove(g->entry + 1, g->entry, sizeof g->entry - sizeof *g->entry);
        g->entry[0] = new_entry(model, &c);
    }
    fold(model, g);
}

bool connection_next(const LiederModel *model, ConnectionCursor *cursor, PortPath *a, PortPath *b)
{
    while (cursor->entry < model->connections.n) {
        const Connection *c = &model->connections.items[cursor->entry];
        const ConnectionLoop *loop = c->loop ? &model->loops.items[c->loop - 1] : &one_turn;
        if (loop->n[0] == 0) { /* it became part of another */
            cursor->entry++;
            continue;
        }
        cursor->current = cursor->entry;
        *a = c->a;
        *b = c->b;
        for (int k = 0; k < LOOP_DIMS; k++) {
            a->element += cursor->at[k] * (uint32_t)loop->stride[k][0];
            b->element += cursor->at[k] * (uint32_t)loop->stride[k][1];
        }
        int k = 0;
        while (k < LOOP_DIMS && ++cursor->at[k] == loop->n[k])
            cursor->at[k++] = 0;
        cursor->entry += k == LOOP_DIMS;
        return true;
    }
    return false;
}

/* ------------------------------------------------------------------ settings */

static const char *const attribute_names[STATE_ATTRIBUTES] = {
    [STATE_NOMINAL] = "nominal", [STATE_MIN] = "min", [STATE_MAX] = "max"};

/* "s.nominal": the state's slot in its class and the attribute; false: it is no such name */
static bool find_attribute(const LiederClass *class_, const char *name, Setting *setting)
{
    const char *dot = strrchr(name, '.');
    for (int k = 0; dot && k < STATE_ATTRIBUTES; k++)
        if (strcmp(dot + 1, attribute_names[k]) == 0) {
            setting->slot = class_slot_named(class_, name, (size_t)(dot - name));
            setting->attribute = (uint8_t)(k + 1);
            return setting->slot >= 0 && class_->slots[setting->slot].member &&
                   class_->slots[setting->slot].member->kind == LIEDER_STATE;
        }
    return false;
}

bool setting_resolve(const LiederClass *class_, Setting *s)
{
    PathStep step;
    s->attribute = 0;
    s->element = -1;
    s->slot = class_slot_named(class_, s->name, strlen(s->name)); /* "x[2]" may be a whole name */
    if (s->slot >= 0 || find_attribute(class_, s->name, s))
        return true;
    s->attribute = 0;
    s->slot = -1;
    if (!path_last(s->name, &step))
        return false;
    s->slot = class_slot_named(class_, step.name, step.length);
    if (s->slot < 0 || !step.nindex)
        return s->slot >= 0;
    const LiederMember *member = class_->slots[s->slot].member;
    int ndim = member ? member->ndim : 0;
    ptrdiff_t element = path_element(&step, INT32_MAX, ndim, ndim ? member->sizes : NULL);
    if (element < 0)
        s->slot = -1;
    s->element = (int32_t)element;
    return s->slot >= 0;
}

/* the class where steps from a model end; NULL: there are none */
static const LiederClass *class_below(const LiederModel *model, const ModelStep *steps,
                                      size_t nstep)
{
    const LiederClass *class_ = NULL;
    for (size_t i = 0; i < nstep; i++)
        class_ = (i ? class_->model : model)->declarations.items[steps[i].declaration].class_;
    return class_;
}

static const LiederClass *class_of_setting(const LiederModel *model, const Setting *s)
{
    return class_below(model, model->steps.items + s->first_step, s->nstep);
}

/* Goes down a path from the model `at` as far as its components are known, and adds the steps to
 * those of `model`. *class_: the class where they end; *rest: the path from there on. false: no
 * memory. */
static bool follow_path(LiederModel *model, const LiederModel *at, const LiederClass **class_,
                        const char **rest)
{
    while (at) {
        PathStep step;
        const char *here = *rest, *next = here;
        if (!path_next(&next, &step))
            return true;
        const char *name = intern_range(&model->session->names, step.name, step.length);
        if (!name)
            return false;
        ptrdiff_t d = model_find(at, name), element = ALL_ELEMENTS;
        if (d < 0) { /* all of it belongs to the component without a name */
            d = model_find_unnamed(at);
            next = here;
        } else if (*next != '.' || !next[1]) {
            return true;
        } else if (step.nindex) {
            element = declaration_element(&at->declarations.items[d], &step);
            if (element < 0 || element >= ALL_ELEMENTS)
                return true;
        }
        if (d < 0)
            return true;
        ModelStep down = {(uint32_t)d, (uint32_t)element};
        if (!vec_push(&model->session->alloc, &model->steps, down))
            return false;
        *rest = next + (*next == '.');
        *class_ = at->declarations.items[d].class_;
        at = (*class_)->model;
    }
    return true;
}

/* extends the steps of a setting as far as components are known by now; false: no memory */
static bool follow_further(LiederModel *model, Setting *s)
{
    const LiederClass *class_ = class_of_setting(model, s);
    const char *rest = s->name;
    uint32_t first = (uint32_t)model->steps.n;
    for (uint32_t i = 0; i < s->nstep; i++) {
        ModelStep step = model->steps.items[s->first_step + i];
        if (!vec_push(&model->session->alloc, &model->steps, step))
            return false;
    }
    if (!follow_path(model, s->nstep ? class_->model : model, &class_, &rest))
        return false;
    if (model->steps.n == first + s->nstep) {
        model->steps.n = first;
        return true;
    }
    const char *name = intern_text(&model->session->names, rest);
    if (!name)
        return false;
    s->first_step = first;
    s->nstep = (uint32_t)model->steps.n - first;
    s->name = name;
    if (class_->def)
        setting_resolve(class_, s);
    return true;
}

/* takes over the caller's hold of the list, also where there is no memory */
static void add_setting(LiederModel *model, const ModelStep *steps, size_t nstep, const char *name,
                        Setting s)
{
    const LiederAllocator *alloc = &model->session->alloc;
    uint32_t first = (uint32_t)model->steps.n;
    bool ok = !setting_has_list(&s) || s.numbers;
    for (size_t i = 0; i < nstep && ok; i++)
        ok = vec_push(alloc, &model->steps, steps[i]);
    s.slot = -1;
    s.first_step = first;
    s.nstep = (uint32_t)nstep;
    const LiederClass *class_ = ok ? class_of_setting(model, &s) : NULL;
    ok = ok && follow_path(model, nstep ? class_->model : model, &class_, &name);
    s.nstep = (uint32_t)model->steps.n - first;
    /* many settings of one component have the same steps */
    const Setting *last = model->settings.n ? &model->settings.items[model->settings.n - 1] : NULL;
    if (last && s.nstep > 0 && last->nstep == s.nstep &&
        memcmp(model->steps.items + last->first_step, model->steps.items + first,
               s.nstep * sizeof *steps) == 0) {
        s.first_step = last->first_step;
        model->steps.n = first;
    }
    s.name = ok ? intern_text(&model->session->names, name) : NULL;
    if (s.name && class_ && class_->def)
        setting_resolve(class_, &s);
    model->is_changed |= s.slot < 0;
    if (!s.name || !vec_push(alloc, &model->settings, s)) {
        model->steps.n = first;
        if (setting_has_list(&s))
            number_list_release(alloc, s.numbers);
        model->session->no_memory = true;
    }
}

void model_set(LiederModel *model, const ModelStep *steps, size_t nstep, const char *name,
               double value, SourceRange range)
{
    add_setting(model, steps, nstep, name,
                (Setting){.kind = SET_ALL, .value = value, .range = range});
}

void model_set_list(LiederModel *model, const ModelStep *steps, size_t nstep, const char *name,
                    SettingKind kind, NumberList *numbers, SourceRange range)
{
    add_setting(model, steps, nstep, name,
                (Setting){.kind = (uint8_t)kind, .numbers = numbers, .range = range});
}

void model_bind(LiederModel *model, const ModelStep *steps, size_t nstep, const char *name)
{
    add_setting(model, steps, nstep, name, (Setting){.kind = SET_BOUND});
}

/* ------------------------------------------------------------------ names that become ids */

/* the negative port of a path that stands for an entry of inner_ports; INT32_MIN: no memory */
static int32_t add_inner_port(LiederModel *model, InnerPort port)
{
    size_t n = model->inner_ports.n;
    for (size_t i = n; i-- > 0 && n - i < 16;) { /* a loop comes back to it */
        const InnerPort *known = &model->inner_ports.items[i];
        if (known->name == port.name && known->inner.declaration == port.inner.declaration &&
            known->inner.element == port.inner.element && known->inner.port == port.inner.port)
            return -1 - (int32_t)i;
    }
    if (!vec_push(&model->session->alloc, &model->inner_ports, port)) {
        model->session->no_memory = true;
        return INT32_MIN;
    }
    return -1 - (int32_t)n;
}

/* a name that may become a port later */
static int32_t add_port_name(LiederModel *model, const char *name)
{
    const char *interned = intern_text(&model->session->names, name);
    if (interned)
        return add_inner_port(model, (InnerPort){.name = interned});
    model->session->no_memory = true;
    return INT32_MIN;
}

/* the number of a port of a class, or -1 */
static int32_t port_number(const LiederModel *model, const LiederClass *class_, const char *name)
{
    if (class_->def)
        return class_find_port(class_, name, strlen(name));
    const char *interned = intern_text(&model->session->names, name);
    for (size_t i = 0; class_->model && interned && i < class_->model->exposed.n; i++)
        if (class_->model->exposed.items[i].name == interned)
            return (int32_t)i;
    return -1;
}

uint32_t model_number_inside(const LiederModel *model, const ModelStep *steps, size_t nstep,
                             const char *name)
{
    const LiederModel *inside = nstep ? class_below(model, steps, nstep)->model : model;
    return inside ? model_number(inside, name) : NO_DECLARATION;
}

PortPath model_port(LiederModel *model, const ModelStep *steps, size_t nstep, const char *name)
{
    int32_t port = port_number(model, class_below(model, steps, nstep), name);
    if (port < 0)
        port = add_port_name(model, name);
    PortPath path = {steps[nstep - 1].declaration, steps[nstep - 1].element, port};
    for (size_t i = nstep - 1; i-- > 0;)
        path = (PortPath){steps[i].declaration, steps[i].element,
                          path.port == INT32_MIN ? INT32_MIN
                                                 : add_inner_port(model, (InnerPort){NULL, path})};
    return path;
}

size_t model_port_count(const LiederModel *model, uint32_t declaration)
{
    const LiederClass *class_ = model->declarations.items[declaration].class_;
    return class_->def ? (size_t)class_->def->nport : class_->model ? class_->model->exposed.n : 0;
}

size_t model_inner_count(const LiederModel *model)
{
    return model->inner_ports.n;
}

/* Does a path lead to a port by numbers alone? */
static bool is_known_port(const LiederModel *model, const PortPath *path)
{
    while (path->port < 0 && path->port != INT32_MIN && !model_inner_port(model, path)->name)
        path = &model_inner_port(model, path)->inner;
    return path->port >= 0;
}

/* The components that a path goes through as far as they are declared; *text: the rest of the path.
 * false: it does not begin with a component. */
static bool steps_of_text(const LiederModel *model, const char **text, ModelStep *steps,
                          size_t *nstep)
{
    const LiederModel *at = model;
    PathStep step;
    *nstep = 0;
    for (const char *rest = *text;
         at && *nstep < MAX_DEPTH && path_next(&rest, &step) && *rest == '.' && rest[1];
         *text = ++rest) {
        const char *name = intern_range(&model->session->names, step.name, step.length);
        ptrdiff_t d = name ? model_find(at, name) : -1,
                  element = d < 0 ? -1 : declaration_element(&at->declarations.items[d], &step);
        if (element < 0 || element >= NO_DECLARATION)
            break;
        steps[(*nstep)++] = (ModelStep){(uint32_t)d, (uint32_t)element};
        at = at->declarations.items[d].class_->model;
    }
    return *nstep > 0;
}

PortPath model_port_path(LiederModel *model, const char *text)
{
    ModelStep steps[MAX_DEPTH];
    size_t nstep;
    const char *rest = text;
    if (steps_of_text(model, &rest, steps, &nstep))
        return model_port(model, steps, nstep, rest);
    ptrdiff_t unnamed = model_find_unnamed(model);
    int own = unnamed < 0
                  ? -1
                  : class_find_port(model->declarations.items[unnamed].class_, text, strlen(text));
    if (own >= 0)
        return (PortPath){(uint32_t)unnamed, 0, own};
    return (PortPath){.declaration = NO_DECLARATION, .port = add_port_name(model, text)};
}

/* the number of a port that went by name, if its component is there by now */
static void resolve_port(LiederModel *model, PortPath *path)
{
    char text[2048];
    if (path->port == INT32_MIN || is_known_port(model, path))
        return;
    size_t n = model->inner_ports.n;
    PortPath found = model_port_path(model, port_path_text(model, path, text, sizeof text));
    if (is_known_port(model, &found))
        *path = found;
    else
        model->inner_ports.n = n; /* as it was */
    if (path->declaration != NO_DECLARATION)
        model->declarations.items[path->declaration].connected = true;
}

void model_resolve(LiederModel *model)
{
    if (!model->is_changed)
        return;
    model->is_changed = false;
    for (size_t i = 0; i < model->connections.n; i++) {
        resolve_port(model, &model->connections.items[i].a);
        resolve_port(model, &model->connections.items[i].b);
    }
    for (size_t i = 0; i < model->exposed.n; i++)
        resolve_port(model, &model->exposed.items[i].inner);
    for (size_t i = 0; i < model->settings.n; i++)
        if (model->settings.items[i].slot < 0 &&
            !follow_further(model, &model->settings.items[i])) {
            model->session->no_memory = true;
            return;
        }
}

/* ------------------------------------------------------------------ ids as texts */

/* the name of a port of a class by its number */
static const char *name_of_port(const LiederClass *class_, int32_t port)
{
    return class_->def ? class_->def->ports[port].name : class_->model->exposed.items[port].name;
}

const char *port_path_name(const LiederModel *model, const PortPath *path)
{
    if (path->port == INT32_MIN)
        return "";
    if (path->port < 0)
        return model_inner_port(model, path)->name;
    return name_of_port(model->declarations.items[path->declaration].class_, path->port);
}

char *port_path_text(const LiederModel *model, const PortPath *path, char *buffer, size_t size)
{
    const LiederModel *at = model; /* whose declarations the path names */
    size_t n = 0;
    *buffer = '\0';
    while (path && n < size) {
        const Declaration *d =
            path->declaration == NO_DECLARATION ? NULL : &at->declarations.items[path->declaration];
        const InnerPort *inner =
            path->port < 0 && path->port != INT32_MIN ? model_inner_port(model, path) : NULL;
        char index[INDEX_LENGTH] = "";
        if (d && *d->name)
            n += (size_t)snprintf(buffer + n, size - n, "%s%s.", d->name,
                                  d->ndim ? element_text(d, path->element, index) : "");
        if (n < size && !(inner && !inner->name))
            snprintf(buffer + n, size - n, "%s",
                     inner                     ? inner->name
                     : path->port == INT32_MIN ? ""
                                               : name_of_port(d->class_, path->port));
        at = d ? d->class_->model : NULL;
        path = inner && !inner->name ? &inner->inner : NULL;
    }
    return buffer;
}

char *setting_text(const LiederModel *model, const Setting *setting, char *buffer, size_t size)
{
    size_t n = 0;
    const LiederModel *at = model;
    for (uint32_t i = 0; i < setting->nstep && at && n < size; i++) {
        const ModelStep *step = &model->steps.items[setting->first_step + i];
        const Declaration *d = &at->declarations.items[step->declaration];
        char index[INDEX_LENGTH] = "";
        if (d->ndim && step->element != ALL_ELEMENTS)
            element_text(d, step->element, index);
        if (*d->name)
            n += (size_t)snprintf(buffer + n, size - n, "%s%s.", d->name, index);
        at = d->class_->model;
    }
    if (n < size)
        snprintf(buffer + n, size - n, "%s", setting->name);
    return buffer;
}

/* ------------------------------------------------------------------ content */

static void content_add(unsigned long long hash[2], const void *bytes, size_t n)
{
    hash[0] = hash_bytes(hash[0], bytes, n);
    hash[1] = hash_bytes(hash[1] ^ 0x5bd1e995u, bytes, n);
}

static void content_text(unsigned long long hash[2], const char *text)
{
    content_add(hash, text, strlen(text) + 1);
}

/* the ids of a path, inward; a name where there is no id */
static void content_port(unsigned long long hash[2], const LiederModel *model, const PortPath *path)
{
    const InnerPort *inner = NULL;
    do {
        const uint32_t ids[] = {path->declaration, path->element,
                                path->port < 0 ? UINT32_MAX : (uint32_t)path->port};
        content_add(hash, ids, sizeof ids);
        inner = path->port < 0 && path->port != INT32_MIN ? model_inner_port(model, path) : NULL;
        if (inner && inner->name)
            content_text(hash, inner->name);
        path = inner && !inner->name ? &inner->inner : NULL;
    } while (path);
}

/* where a setting goes and what it says; the name only where it has no slot */
static void content_setting(unsigned long long hash[2], const LiederModel *model, const Setting *s)
{
    const uint32_t ids[] = {s->kind, s->nstep, (uint32_t)s->slot, (uint32_t)s->element,
                            s->attribute};
    content_add(hash, ids, sizeof ids);
    for (uint32_t i = 0; i < s->nstep; i++)
        content_add(hash, &model->steps.items[s->first_step + i], sizeof(ModelStep));
    if (s->slot < 0)
        content_text(hash, s->name);
    if (!setting_has_list(s)) {
        content_add(hash, &s->value, sizeof s->value);
        return;
    }
    content_add(hash, &s->numbers->n, sizeof s->numbers->n);
    content_add(hash, s->numbers->values, s->numbers->n * sizeof *s->numbers->values);
}

void model_content(const LiederModel *model, unsigned long long hash[2])
{
    hash[0] = HASH_SEED;
    hash[1] = HASH_SEED + 1;
    for (size_t i = 0; i < model->declarations.n; i++) {
        const Declaration *d = &model->declarations.items[i];
        const uint64_t ids[] = {(uint64_t)d->class_->id, (uint64_t)d->ndim, d->spare};
        content_text(hash, d->name);
        content_add(hash, ids, sizeof ids);
        content_add(hash, declaration_dim(d), (size_t)d->ndim * sizeof *d->dim);
    }
    for (size_t i = 0; i < model->settings.n; i++)
        content_setting(hash, model, &model->settings.items[i]);
    for (size_t i = 0; i < model->connections.n; i++) {
        const Connection *c = &model->connections.items[i];
        const ConnectionLoop loop = loop_of(model, c);
        if (loop.n[0] == 0)
            continue;
        content_port(hash, model, &c->a);
        content_port(hash, model, &c->b);
        content_add(hash, &loop, sizeof loop);
    }
    for (size_t i = 0; i < model->exposed.n; i++) {
        content_text(hash, model->exposed.items[i].name);
        content_port(hash, model, &model->exposed.items[i].inner);
    }
}

size_t model_bytes(const LiederModel *model)
{
    size_t bytes =
        sizeof *model + model->nindex * sizeof *model->index +
        model->declarations.room * sizeof(Declaration) + model->settings.room * sizeof(Setting) +
        model->connections.room * sizeof(Connection) + model->exposed.room * sizeof(Exposed) +
        model->steps.room * sizeof(ModelStep) + model->loops.room * sizeof(ConnectionLoop) +
        model->inner_ports.room * sizeof(InnerPort) + (model->finder ? sizeof *model->finder : 0);
    for (size_t i = 0; i < model->settings.n; i++)
        if (setting_has_list(&model->settings.items[i]))
            bytes += number_list_bytes(model->settings.items[i].numbers);
    return bytes;
}

/* ------------------------------------------------------------------ end of writing */

void model_forget_loops(LiederModel *model)
{
    const LiederAllocator *alloc = &model->session->alloc;
    if (!model->finder)
        return;
    vec_drop(alloc, &model->finder->unused);
    memory_free(alloc, model->finder, sizeof *model->finder);
    model->finder = NULL;
}
