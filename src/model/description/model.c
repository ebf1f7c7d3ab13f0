/* model.c - see model.h. */
#include "model/description/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

LiederModel *model_begin(Lieder *session, PlaceOfRange *place_of)
{
    LiederModel *model = memory_zeroed(&session->alloc, sizeof *model);
    if (model)
        *model = (LiederModel){.session = session, .name = "", .place_of = place_of};
    else
        session->no_memory = true;
    return model;
}

const char *model_finish(LiederModel *model, const char *name, const char *text)
{
    Lieder *session = model->session;
    LiederClass *class_ = session_new_class(session, name);
    if (!class_) {
        model_destroy(model);
        session->no_memory = true;
        return NULL;
    }
    model->name = class_->name;
    class_->model = model;
    model->text = memory_text(&session->alloc, text ? text : "");
    if (!model->text)
        session->no_memory = true;
    model_resolve(model);
    model_forget_loops(model);
    return model->name;
}

LiederModel *lieder_model_create(Lieder *session, const char *name, const char *text)
{
    if (lieder_class_find(session, name)) {
        diag_error(&session->diag, NULL, name,
                   "a class of this name exists already\ngive the new model another name");
        return NULL;
    }
    LiederModel *model = model_begin(session, NULL);
    return model && model_finish(model, name, text) ? model : NULL;
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
    for (size_t i = 0; i < model->settings.n; i++)
        if (setting_has_list(&model->settings.items[i]))
            number_list_release(alloc, model->settings.items[i].numbers);
    for (size_t i = 0; i < model->declarations.n; i++)
        drop_dim(model, &model->declarations.items[i]);
    vec_drop(alloc, &model->declarations);
    vec_drop(alloc, &model->settings);
    vec_drop(alloc, &model->connections);
    vec_drop(alloc, &model->exposed);
    vec_drop(alloc, &model->steps);
    vec_drop(alloc, &model->loops);
    vec_drop(alloc, &model->inner_ports);
    model_forget_loops(model);
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

static void enter_declaration(uint32_t *index, size_t nindex, const char *name, uint32_t entry)
{
    size_t at = hash_name(name);
    while (index[at & (nindex - 1)])
        at++;
    index[at & (nindex - 1)] = entry;
}

/* enters the last declaration into the index, which grows by doubling; false: no memory */
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
            enter_declaration(index, nindex, model->declarations.items[i].name, (uint32_t)i + 1);
        memory_free(alloc, model->index, model->nindex * sizeof *index);
        model->index = index;
        model->nindex = nindex;
    }
    enter_declaration(model->index, model->nindex, model->declarations.items[n - 1].name,
                      (uint32_t)n);
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

/* the element that the indices of a step name, the last one fastest, or -1 */
static ptrdiff_t element_of(const PathStep *step, int ndim, const size_t *sizes)
{
    size_t element = 0;
    if (step->nindex != ndim)
        return -1;
    for (int k = 0; k < ndim; k++) {
        if (step->index[k] >= sizes[k])
            return -1;
        element = element * sizes[k] + step->index[k];
    }
    return (ptrdiff_t)element;
}

ptrdiff_t path_element(const PathStep *step, int length, int ndim, const size_t *sizes)
{
    const size_t vector = length > 0 ? (size_t)length : 0;
    return ndim ? element_of(step, ndim, sizes) : element_of(step, 1, &vector);
}

ptrdiff_t declaration_element(const Declaration *d, const PathStep *step)
{
    return element_of(step, d->ndim, declaration_dim(d));
}

/* ------------------------------------------------------------------ building */

/* a mistake of the builder: it counts against the model */
#define MISTAKE(model, path, ...)                                                                  \
    ((model)->nwrong++, diag_error(&(model)->session->diag, NULL, path, __VA_ARGS__))

static bool is_name(const char *name)
{
    return *name && name[strcspn(name, ".[]() \t\n")] == '\0';
}

uint32_t model_declare(LiederModel *model, const char *name, const char *class_name, int ndim,
                       const size_t *dim, SourceRange range)
{
    Lieder *session = model->session;
    const LiederClass *class_ = lieder_class_find(session, class_name);
    if (!class_) {
        MISTAKE(model, name, "there is no class '%s'\nlieder list shows the classes of the library",
                class_name);
        return NO_DECLARATION;
    }
    if (class_->model == model) {
        MISTAKE(model, name, "model '%s' cannot contain itself\nadd a component of another class",
                class_name);
        return NO_DECLARATION;
    }
    const char *interned = intern_text(&session->names, name);
    if (!interned) {
        session->no_memory = true;
        return NO_DECLARATION;
    }
    if (model_find(model, interned) >= 0) {
        MISTAKE(model, name, "the name '%s' is used twice in model '%s'\nrename one of the two",
                name, model->name);
        return NO_DECLARATION;
    }
    Declaration d = {.name = interned, .class_ = class_, .n = 1, .ndim = ndim, .range = range};
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
        return NO_DECLARATION;
    }
    return (uint32_t)model->declarations.n - 1;
}

uint32_t model_number(const LiederModel *model, const char *name)
{
    const char *interned = intern_text(&model->session->names, name);
    ptrdiff_t d = interned ? model_find(model, interned) : -1;
    return d < 0 ? NO_DECLARATION : (uint32_t)d;
}

static const SourceRange no_range;

static void add_declaration(LiederModel *model, const char *name, const char *class_name, int ndim,
                            const size_t *dim)
{
    if (is_name(name))
        model_declare(model, name, class_name, ndim, dim, no_range);
    else
        MISTAKE(model, name,
                "'%s' is not a name\nnames have no dots, brackets, parentheses or blanks", name);
}

void lieder_model_add(LiederModel *model, const char *name, const char *class_name)
{
    if (model)
        add_declaration(model, name, class_name, 0, NULL);
}

void lieder_model_add_array(LiederModel *model, const char *name, const char *class_name, size_t n)
{
    if (model)
        add_declaration(model, name, class_name, 1, &n);
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
        add_declaration(model, name, class_name, ndim, dimensions);
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

void lieder_model_set(LiederModel *model, const char *path, double value)
{
    if (model)
        model_set(model, NULL, 0, path, value, no_range);
}

void lieder_model_set_vector(LiederModel *model, const char *path, const double *values, size_t n)
{
    if (model)
        model_set_list(model, NULL, 0, path, SET_VECTOR,
                       number_list_copy(&model->session->alloc, values, n), no_range);
}

void lieder_model_set_each(LiederModel *model, const char *path, const double *values, size_t n)
{
    if (model)
        model_set_list(model, NULL, 0, path, SET_EACH,
                       number_list_copy(&model->session->alloc, values, n), no_range);
}

void lieder_model_connect(LiederModel *model, const char *port, const char *other)
{
    if (!model)
        return;
    PortPath a = model_port_path(model, port), b = model_port_path(model, other);
    model_connect(model, a, b, no_range);
}

void model_expose(LiederModel *model, const char *name, PortPath inner)
{
    Exposed e = {intern_text(&model->session->names, name), inner};
    if (!e.name || !vec_push(&model->session->alloc, &model->exposed, e)) {
        model->session->no_memory = true;
        return;
    }
    model->is_changed |= inner.port < 0;
    if (inner.declaration != NO_DECLARATION)
        model->declarations.items[inner.declaration].connected = true;
}

void lieder_model_expose(LiederModel *model, const char *name, const char *inner_port)
{
    if (model)
        model_expose(model, name, model_port_path(model, inner_port));
}
