/* model.c - see model.h. */
#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

LiederModel *lieder_model_create(Lieder *session, const char *name, const char *text)
{
    if (lieder_class_find(session, name)) {
        diag_error(&session->diag, NULL, name,
                   "a class of this name exists already\ngive the new model another name");
        return NULL;
    }
    /* the model first: a class must not stand in the register without one */
    LiederModel *model = memory_zeroed(&session->alloc, sizeof *model);
    LiederClass *class_ = model ? session_new_class(session, name) : NULL;
    if (!class_) {
        memory_free(&session->alloc, model, sizeof *model);
        session->no_memory = true;
        return NULL;
    }
    model->session = session;
    model->name = class_->name;
    class_->model = model;
    model->text = memory_text(&session->alloc, text ? text : "");
    if (!model->text)
        session->no_memory = true;
    return model;
}

static void drop_dim(const LiederModel *model, Declaration *d)
{
    memory_free(&model->session->alloc, d->dim, (size_t)d->ndim * sizeof *d->dim);
}

void model_destroy(LiederModel *model)
{
    if (!model)
        return;
    const LiederAllocator *alloc = &model->session->alloc;
    for (size_t i = 0; i < model->settings.n; i++) {
        Setting *s = &model->settings.items[i];
        memory_free_text(alloc, s->path);
        number_list_release(alloc, s->numbers);
    }
    for (size_t i = 0; i < model->exposed.n; i++)
        memory_free_text(alloc, model->exposed.items[i].inner);
    for (size_t i = 0; i < model->declarations.n; i++)
        drop_dim(model, &model->declarations.items[i]);
    vec_drop(alloc, &model->declarations);
    vec_drop(alloc, &model->settings);
    vec_drop(alloc, &model->connections);
    vec_drop(alloc, &model->exposed);
    memory_free(alloc, model->index, model->nindex * sizeof *model->index);
    memory_free_text(alloc, model->text);
    memory_free(alloc, model, sizeof *model);
}

/* ------------------------------------------------------------------ names */

/* interned names are compared and hashed as pointers */
static size_t hash_name(const char *name)
{
    return (size_t)(((uintptr_t)name >> 4) * 0x9e3779b97f4a7c15ull >> 20);
}

ptrdiff_t model_find(const LiederModel *model, const char *name)
{
    for (size_t at = hash_name(name); model->nindex; at++) {
        uint32_t entry = model->index[at & (model->nindex - 1)];
        if (!entry)
            break;
        if (model->declarations.items[entry - 1].name == name)
            return (ptrdiff_t)entry - 1;
    }
    return -1;
}

static void enter(uint32_t *index, size_t nindex, const char *name, uint32_t entry)
{
    size_t at = hash_name(name);
    while (index[at & (nindex - 1)])
        at++;
    index[at & (nindex - 1)] = entry;
}

static bool index_name(LiederModel *model)
{
    const LiederAllocator *alloc = &model->session->alloc;
    size_t n = model->declarations.n;
    if (n * 2 > model->nindex) {
        size_t nindex = model->nindex ? model->nindex * 2 : 16;
        uint32_t *index = memory_zeroed(alloc, nindex * sizeof *index);
        if (!index)
            return false;
        for (size_t i = 0; i + 1 < n; i++)
            enter(index, nindex, model->declarations.items[i].name, (uint32_t)i + 1);
        memory_free(alloc, model->index, model->nindex * sizeof *index);
        model->index = index;
        model->nindex = nindex;
    }
    enter(model->index, model->nindex, model->declarations.items[n - 1].name, (uint32_t)n);
    return true;
}

bool path_index(const char **text, PathStep *step)
{
    const char *p = *text;
    step->nindex = 0;
    do {
        char *end;
        long long i = strtoll(p + 1, &end, 10);
        if (end == p + 1 || (*end != ']' && *end != ',') || i < 1 || step->nindex == INDEX_DIMS)
            return false;
        step->index[step->nindex++] = (size_t)i - 1;
        p = end;
    } while (*p == ',');
    *text = p + 1;
    return true;
}

bool path_next(const char **text, PathStep *step)
{
    const char *p = *text;
    if (*p == '.')
        p++;
    size_t n = strcspn(p, ".[)");
    if (n == 0)
        return false;
    step->name = p;
    step->length = n;
    step->nindex = 0;
    p += n;
    if (*p == '[' && !path_index(&p, step))
        return false;
    if (*p != '\0' && *p != '.' && *p != ')')
        return false;
    *text = p;
    return true;
}

ptrdiff_t model_find_unnamed(const LiederModel *model)
{
    const char *none = intern_text(&model->session->names, "");
    return none ? model_find(model, none) : -1;
}

bool path_last(const char *text, PathStep *step)
{
    const char *bracket = strrchr(text, '[');
    size_t n = strlen(text);
    *step = (PathStep){.name = text, .length = n};
    if (n == 0 || !bracket || text[n - 1] != ']')
        return n > 0;
    step->length = (size_t)(bracket - text);
    return step->length > 0 && path_index(&bracket, step) && !*bracket;
}

ptrdiff_t declaration_element(const Declaration *d, const PathStep *step)
{
    const size_t *dim = declaration_dim(d);
    size_t element = 0;
    if (step->nindex != d->ndim)
        return -1;
    for (int k = 0; k < d->ndim; k++) {
        if (step->index[k] >= dim[k])
            return -1;
        element = element * dim[k] + step->index[k];
    }
    return (ptrdiff_t)element;
}

/* ------------------------------------------------------------------ building */

/* a mistake of the builder: it counts against the model */
#define MISTAKE(model, path, ...)                                                                  \
    ((model)->nwrong++, diag_error(&(model)->session->diag, NULL, path, __VA_ARGS__))

static bool is_name(const char *name)
{
    return *name && name[strcspn(name, ".[]() \t\n")] == '\0';
}

/* ndim < 0: a component without a name */
static void add(LiederModel *model, const char *name, const char *class_name, int ndim,
                const size_t *dim)
{
    bool unnamed = ndim < 0;
    if (unnamed)
        ndim = 0;
    Lieder *session = model->session;
    const LiederClass *class_ = lieder_class_find(session, class_name);
    if (!class_) {
        MISTAKE(model, name, "there is no class '%s'\nlieder list shows the classes of the library",
                class_name);
        return;
    }
    if (class_->model == model) {
        MISTAKE(model, name, "model '%s' cannot contain itself\nadd a component of another class",
                class_name);
        return;
    }
    if (!unnamed && !is_name(name)) {
        MISTAKE(model, name,
                "'%s' is not a name\nnames have no dots, brackets, parentheses or blanks", name);
        return;
    }
    const char *interned = intern_text(&session->names, name);
    if (!interned) {
        session->no_memory = true;
        return;
    }
    if (model_find(model, interned) >= 0) {
        MISTAKE(model, name, "the name '%s' is used twice in model '%s'\nrename one of the two",
                name, model->name);
        return;
    }
    Declaration d = {.name = interned, .class_ = class_, .n = 1, .ndim = ndim};
    for (int k = 0; k < ndim; k++)
        d.n *= dim[k];
    if (ndim > 1)
        d.dim = memory_copy(&session->alloc, dim, (size_t)ndim * sizeof *dim);
    bool ok = (ndim <= 1 || d.dim) && vec_push(&session->alloc, &model->declarations, d);
    if (ok && !index_name(model)) {
        model->declarations.n--;
        ok = false;
    }
    if (!ok) {
        drop_dim(model, &d);
        session->no_memory = true;
    }
}

void lieder_model_add(LiederModel *model, const char *name, const char *class_name)
{
    if (model)
        add(model, name, class_name, 0, NULL);
}

void lieder_model_add_array(LiederModel *model, const char *name, const char *class_name, size_t n)
{
    if (model)
        add(model, name, class_name, 1, &n);
}

void lieder_model_add_grid(LiederModel *model, const char *name, const char *class_name, int ndim,
                           const size_t *dimensions)
{
    if (!model)
        return;
    size_t n = 1;
    bool fits = ndim >= 1 && ndim <= INDEX_DIMS;
    for (int k = 0; fits && k < ndim; k++)
        fits = !__builtin_mul_overflow(n, dimensions[k], &n);
    if (fits)
        add(model, name, class_name, ndim, dimensions);
    else
        MISTAKE(model, name,
                "an array has from 1 to %d dimensions, and its elements can be counted\nmake it "
                "smaller",
                INDEX_DIMS);
}

void lieder_model_spare(LiederModel *model, const char *name)
{
    if (!model)
        return;
    const char *interned = intern_text(&model->session->names, name);
    ptrdiff_t d = interned ? model_find(model, interned) : -1;
    if (!interned)
        model->session->no_memory = true;
    else if (d < 0)
        MISTAKE(model, name, "model '%s' has no component '%s' to be spare\nadd it first",
                model->name, name);
    else
        model->declarations.items[d].spare = true;
}

/* the list of a setting is handed over */
static void set(LiederModel *model, const char *path, SettingKind kind, double value,
                NumberList *numbers)
{
    const LiederAllocator *alloc = &model->session->alloc;
    Setting s = {
        .kind = kind, .value = value, .numbers = numbers, .path = memory_text(alloc, path)};
    bool listed = kind == SET_VECTOR || kind == SET_EACH;
    if (!s.path || (listed && !numbers) || !vec_push(alloc, &model->settings, s)) {
        memory_free_text(alloc, s.path);
        number_list_release(alloc, numbers);
        model->session->no_memory = true;
    }
}

void lieder_model_set(LiederModel *model, const char *path, double value)
{
    if (model)
        set(model, path, SET_ALL, value, NULL);
}

void lieder_model_set_vector(LiederModel *model, const char *path, const double *values, size_t n)
{
    if (model)
        set(model, path, SET_VECTOR, 0, number_list_copy(&model->session->alloc, values, n));
}

void lieder_model_set_each(LiederModel *model, const char *path, const double *values, size_t n)
{
    if (model)
        set(model, path, SET_EACH, 0, number_list_copy(&model->session->alloc, values, n));
}

void model_bind(LiederModel *model, const char *path)
{
    set(model, path, SET_BOUND, 0, NULL);
}

void model_set_each(LiederModel *model, const char *path, NumberList *numbers)
{
    set(model, path, SET_EACH, 0, number_list_hold(numbers));
}

/* remembers that a declaration is reached from outside; known: where it leads, or NULL */
static void mark_connected(LiederModel *model, const char *path, const PortPath *known)
{
    PathStep step;
    const char *rest = path;
    if (known && known->declaration != NO_DECLARATION) {
        model->declarations.items[known->declaration].connected = true;
        return;
    }
    if (!path_next(&rest, &step))
        return;
    const char *name = intern_range(&model->session->names, step.name, step.length);
    if (!name) {
        model->session->no_memory = true;
        return;
    }
    ptrdiff_t at = model_find(model, name);
    if (at >= 0)
        model->declarations.items[at].connected = true;
}

/* the component that a path leads to, if there is one; false: no memory */
static bool read_port_path(LiederModel *model, const char *text, PortPath *path)
{
    Interner *names = &model->session->names;
    const char *rest = text;
    PathStep step;
    *path = (PortPath){.declaration = NO_DECLARATION};
    if (path_next(&rest, &step) && *rest == '.' && rest[1]) {
        const char *name = intern_range(names, step.name, step.length);
        ptrdiff_t d = name ? model_find(model, name) : -1,
                  element = d < 0 ? -1 : declaration_element(&model->declarations.items[d], &step);
        if (element >= 0 && element < NO_DECLARATION) {
            *path = (PortPath){(uint32_t)d, (uint32_t)element, intern_text(names, rest + 1)};
            return path->rest;
        }
    }
    path->rest = intern_text(names, text);
    return path->rest;
}

char *port_path_text(const LiederModel *model, const PortPath *path, char *buffer, size_t size)
{
    char index[INDEX_LENGTH] = "";
    if (path->declaration == NO_DECLARATION) {
        snprintf(buffer, size, "%s", path->rest);
        return buffer;
    }
    const Declaration *d = &model->declarations.items[path->declaration];
    snprintf(buffer, size, "%s%s.%s", d->name, d->ndim ? element_text(d, path->element, index) : "",
             path->rest);
    return buffer;
}

void lieder_model_connect(LiederModel *model, const char *port, const char *other)
{
    if (!model)
        return;
    Connection c;
    if (!read_port_path(model, port, &c.a) || !read_port_path(model, other, &c.b) ||
        !vec_push(&model->session->alloc, &model->connections, c)) {
        model->session->no_memory = true;
        return;
    }
    mark_connected(model, port, &c.a);
    mark_connected(model, other, &c.b);
}

void lieder_model_expose(LiederModel *model, const char *name, const char *inner_port)
{
    if (!model)
        return;
    const LiederAllocator *alloc = &model->session->alloc;
    Exposed e = {intern_text(&model->session->names, name), memory_text(alloc, inner_port)};
    if (!e.name || !e.inner || !vec_push(alloc, &model->exposed, e)) {
        memory_free_text(alloc, e.inner);
        model->session->no_memory = true;
        return;
    }
    mark_connected(model, inner_port, NULL);
}

void model_add_unnamed(LiederModel *model, const char *class_name)
{
    add(model, "", class_name, -1, NULL);
}
