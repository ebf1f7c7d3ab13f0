/* flatten_settings.c - settings: a path from a scope down, into all elements where an array has no
 * index, and the number, list or table that it sets. */
#include "model/flat/flatten_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* whether a path leads to a lane; *position: its element of a SET_EACH list */
static bool on_way(const LanePath *way, const size_t *at, size_t *position)
{
    *position = 0;
    for (size_t i = 0; i < way->n; i++) {
        size_t index = way->step[i].axis >= 0 ? at[way->step[i].axis] : (size_t)way->step[i].index;
        if (way->step[i].axis >= 0 && way->step[i].index >= 0 &&
            index != (size_t)way->step[i].index)
            return false;
        *position = *position * way->step[i].n + index;
    }
    return true;
}

/* whether a SET_EACH list has one number for each lane, in their order */
static bool way_of_lanes(const LanePath *way, const Sheet *sheet)
{
    bool same = way->n == sheet->naxis;
    for (size_t i = 0; i < way->n && same; i++)
        same = way->step[i].axis == (int)i && way->step[i].index < 0;
    return same;
}

/* reports what is wrong with a setting, at its place in the text */
#define WRONG_SETTING(job, ...)                                                                    \
    do {                                                                                           \
        char wrong_path[512];                                                                      \
        Place wrong_place;                                                                         \
        flat->nwrong++;                                                                            \
        diag_error(DIAG, job_place(flat, job, &wrong_place), job_path(flat, job, wrong_path),      \
                   __VA_ARGS__);                                                                   \
    } while (0)

/* a setting whose path is being followed */
typedef struct SettingJob {
    uint32_t scope; /* whose model it is written in */
    const Setting *setting;
    LanePath way;
} SettingJob;

static const char *job_path(const Flat *flat, const SettingJob *job, char buffer[512])
{
    char text[512];
    setting_text(flat->scopes.items[job->scope].model, job->setting, text, sizeof text);
    return path_below(flat, job->scope, text, buffer, 512);
}

static const Place *job_place(const Flat *flat, const SettingJob *job, Place *buffer)
{
    return model_place(flat->scopes.items[job->scope].model, &job->setting->range, buffer);
}

/* writes a setting into one slot */
static void put_value(Flat *flat, uint32_t sheet_id, uint32_t slot, const Setting *setting,
                      const LanePath *way, double value)
{
    Sheet *sheet = &flat->sheets.items[sheet_id];
    bool all = setting->kind != SET_EACH;
    for (size_t i = 0; i < way->n && all; i++)
        all = way->step[i].axis < 0 || way->step[i].index < 0;
    if (all) {
        NumberList *lanes = sheet_lanes(sheet, slot);
        if (lanes) {
            number_list_release(ALLOC, lanes);
            sheet->lanes.items[sheet->lanes_of.items[slot] - 1] = NULL;
            sheet->lanes_of.items[slot] = 0;
        }
        sheet->value.items[slot] = value;
        sheet->is_set.items[slot] = 1;
        return;
    }
    if (setting->kind == SET_EACH && way_of_lanes(way, sheet)) {
        give_lanes(flat, sheet, slot, number_list_hold(setting->numbers));
        return;
    }
    double *values = lane_values(flat, sheet, slot);
    if (!values)
        return;
    /* a single lane is addressed directly: many settings of single elements stay linear */
    bool single = setting->kind != SET_EACH;
    size_t lane = 0;
    for (size_t a = 0; a < sheet->naxis && single; a++) {
        ptrdiff_t index = -1;
        for (size_t i = 0; i < way->n; i++)
            if (way->step[i].axis == (int)a)
                index = way->step[i].index;
        single = index >= 0;
        lane = lane * sheet->axis[a] + (size_t)index;
    }
    if (single) {
        values[lane] = value;
        return;
    }
    for (lane = 0; lane < sheet->nlane; lane++) {
        size_t at[MAX_AXES], position;
        lane_indices(sheet, lane, at);
        if (on_way(way, at, &position))
            values[lane] = setting->kind == SET_EACH ? setting->numbers->values[position] : value;
    }
}

bool store_table(Flat *flat, Sheet *sheet, uint32_t slot, const double *numbers, size_t rows)
{
    size_t bytes = 2 * rows * sizeof(double);
    LiederTable *table = memory_zeroed(ALLOC, sizeof *table);
    double *data = memory_copy(ALLOC, numbers, bytes);
    if (!table || !data || !vec_push(ALLOC, &sheet->tables, table)) {
        memory_free(ALLOC, table, sizeof *table);
        memory_free(ALLOC, data, bytes);
        flat->status = LIEDER_NO_MEMORY;
        return false;
    }
    *table = (LiederTable){.rows = rows, .columns = 2, .data = data};
    sheet->value.items[slot] = (double)(sheet->tables.n - 1);
    sheet->is_set.items[slot] = 1;
    return true;
}

/* a table of rows of two numbers, checked by its class */
static void put_table(Flat *flat, Sheet *sheet, uint32_t slot, const SettingJob *job,
                      const LiederClassDef *def)
{
    const double *data = job->setting->numbers->values;
    size_t n = job->setting->numbers->n, row = 0;
    if (n < 2 || n % 2) {
        WRONG_SETTING(
            job, "a table has rows of two numbers, this one has %zu numbers\ngive them row by row",
            n);
        store_table(flat, sheet, slot, NULL, 0);
        return;
    }
    if (!store_table(flat, sheet, slot, data, n / 2) || !def->check_table)
        return;
    const char *wrong = def->check_table(sheet->tables.items[sheet->tables.n - 1], &row);
    if (wrong)
        WRONG_SETTING(job, "row %zu of the table is (%g, %g)\n%s", row + 1, data[2 * row],
                      data[2 * row + 1], wrong);
}

/* The slot of an attribute's number, which is made when it is first given; NOWHERE: no memory. */
static uint32_t attribute_slot(Flat *flat, Sheet *sheet, uint32_t state, StateAttribute attribute)
{
    size_t at = (size_t)state * STATE_ATTRIBUTES + attribute, n = sheet->value.n;
    if (at < sheet->attribute_of.n && sheet->attribute_of.items[at])
        return sheet->attribute_of.items[at] - 1;
    if ((at >= sheet->attribute_of.n &&
         !vec_resize(ALLOC, &sheet->attribute_of, n * STATE_ATTRIBUTES)) ||
        !vec_resize(ALLOC, &sheet->value, n + 1) || !vec_resize(ALLOC, &sheet->is_set, n + 1) ||
        !vec_resize(ALLOC, &sheet->lanes_of, n + 1)) {
        flat->status = LIEDER_NO_MEMORY;
        return NOWHERE;
    }
    sheet->value.items[n] = NAN;
    sheet->attribute_of.items[at] = (uint32_t)n + 1;
    return (uint32_t)n;
}

double sheet_attribute(const Sheet *sheet, uint32_t slot, StateAttribute attribute, size_t lane)
{
    size_t at = (size_t)slot * STATE_ATTRIBUTES + attribute;
    if (at >= sheet->attribute_of.n || !sheet->attribute_of.items[at])
        return NAN;
    return sheet_value(sheet, sheet->attribute_of.items[at] - 1, lane);
}

/* writes the number of a setting, or of a SET_EACH list the one for each element, into a slot */
static void put_number(Flat *flat, uint32_t sheet_id, uint32_t slot, const SettingJob *job)
{
    const Setting *setting = job->setting;
    const LanePath *way = &job->way;
    if (setting->kind != SET_EACH) {
        put_value(flat, sheet_id, slot, setting, way, setting->value);
        return;
    }
    size_t n = 1;
    bool lanes = false;
    for (size_t i = 0; i < way->n; i++) {
        n *= way->step[i].n;
        lanes |= way->step[i].axis >= 0;
    }
    if (n != setting->numbers->n) {
        WRONG_SETTING(job,
                      "%zu values for the %zu elements of the arrays on the path\ngive one for "
                      "each element, the first index outermost",
                      setting->numbers->n, n);
        return;
    }
    size_t none[MAX_AXES] = {0}, position;
    static const Setting one = {.kind = SET_ALL};
    if (!lanes) {
        on_way(way, none, &position);
        put_value(flat, sheet_id, slot, &one, way, setting->numbers->values[position]);
        return;
    }
    put_value(flat, sheet_id, slot, setting, way, NAN);
}

static void set_attribute(Flat *flat, uint32_t sheet_id, uint32_t state, StateAttribute attribute,
                          const SettingJob *job)
{
    if (job->setting->kind == SET_VECTOR) {
        WRONG_SETTING(job, "an attribute of a state is one number\ngive one");
        return;
    }
    uint32_t slot = attribute_slot(flat, &flat->sheets.items[sheet_id], state, attribute);
    if (slot != NOWHERE)
        put_number(flat, sheet_id, slot, job);
}

/* a number, vector or table of an instance; `to` has its slot */
static void set_slot(Flat *flat, uint32_t sheet_id, uint32_t instance, const Setting *to,
                     const SettingJob *job)
{
    Sheet *sheet = &flat->sheets.items[sheet_id];
    const Instance in = sheet_instance(sheet, instance);
    const Setting *setting = job->setting;
    const LiederMember *member = in.class_->slots[to->slot].member;
    int length = !member || member_has_start(member) ? 1 : member->length;
    uint32_t slot = in.first_slot + (uint32_t)to->slot;
    uint32_t element = to->element >= 0 ? (uint32_t)to->element : 0;
    if (setting->kind == SET_BOUND) {
        if (vec_resize(ALLOC, &sheet->is_bound, sheet->value.n))
            memset(sheet->is_bound.items + slot, 1, (size_t)(length > 0 ? length : 1));
        else
            flat->status = LIEDER_NO_MEMORY;
    } else if (to->attribute) {
        set_attribute(flat, sheet_id, slot, (StateAttribute)(to->attribute - 1), job);
    } else if (length == 0) {
        if (setting->kind != SET_VECTOR)
            WRONG_SETTING(job, "a table cannot be set to one number\nuse lieder_model_set_vector");
        else
            put_table(flat, sheet, slot, job, in.class_->def);
    } else if (setting->kind == SET_VECTOR) {
        if ((size_t)length != setting->numbers->n || length == 1)
            WRONG_SETTING(job, "%zu numbers for a parameter of %d\ngive it %d", setting->numbers->n,
                          length, length);
        else
            for (int e = 0; e < length; e++)
                put_value(flat, sheet_id, slot + (uint32_t)e, setting, &job->way,
                          setting->numbers->values[e]);
    } else if (length > 1 && to->element < 0) {
        WRONG_SETTING(job,
                      "the parameter is a vector of %d\nset it with lieder_model_set_vector or "
                      "name one element as in \"r[1]\"",
                      length);
    } else if (element >= (uint32_t)length) {
        WRONG_SETTING(job,
                      "index %u is beyond the %d element(s) of the parameter\nindices count from 1",
                      element + 1, length);
    } else {
        put_number(flat, sheet_id, slot + element, job);
    }
}

/* indices that name no number of a parameter */
static void report_indices(Flat *flat, const LiederClass *class_, const PathStep *step,
                           const SettingJob *job)
{
    const LiederMember *member =
        class_->slots[class_slot_named(class_, step->name, step->length)].member;
    char sizes[INDEX_LENGTH] = "";
    size_t at = 0;
    for (int k = 0; member && k < member->ndim; k++)
        at += (size_t)snprintf(sizes + at, sizeof sizes - at, k ? ",%zu" : "%zu", member->sizes[k]);
    if (member && member->ndim)
        WRONG_SETTING(job,
                      "the parameter is an array of [%s]\nname one element, indices count from 1",
                      sizes);
    else
        WRONG_SETTING(job, "%d indices for a parameter with one dimension\ngive one index",
                      step->nindex);
}

/* the rest of a path as text names a member of an instance */
static void set_member(Flat *flat, uint32_t sheet_id, uint32_t instance, const char *name,
                       const SettingJob *job)
{
    const Sheet *sheet = &flat->sheets.items[sheet_id];
    const LiederClass *class_ = sheet_instance(sheet, instance).class_;
    PathStep step;
    Setting to = *job->setting;
    to.name = name;
    if (setting_resolve(class_, &to))
        set_slot(flat, sheet_id, instance, &to, job);
    else if (!path_last(name, &step))
        WRONG_SETTING(job, "no parameter is named here\nname one as in \"cart.m\"");
    else if (class_slot_named(class_, step.name, step.length) >= 0)
        report_indices(flat, class_, &step, job);
    else
        WRONG_SETTING(job, "class %s has no parameter or state '%.*s'\nlieder doc %s lists them",
                      class_->name, (int)step.length, step.name, class_->name);
}

/* once per setting, not per element: a SET_EACH list may be long */
static bool setting_is_finite(Flat *flat, const SettingJob *job)
{
    const Setting *setting = job->setting;
    const NumberList *list = setting_has_list(setting) ? setting->numbers : NULL;
    for (size_t i = 0; i < (list ? list->n : 1); i++) {
        double value = list ? list->values[i] : setting->value;
        if (!isfinite(value)) {
            WRONG_SETTING(job, "%g is not a finite number\ngive it a finite number", value);
            return false;
        }
    }
    return true;
}

void report_index(Flat *flat, const Declaration *d, const PathStep *step, const char *path)
{
    const size_t *dim = declaration_dim(d);
    int k = 0;
    if (!d->ndim) {
        WRONG(path, "'%s' is no array\nleave out the index", d->name);
        return;
    }
    if (step->nindex != d->ndim) {
        WRONG(path, "'%s' has %d dimension%s and needs as many indices, not %d\nwrite %s", d->name,
              d->ndim, d->ndim > 1 ? "s" : "", step->nindex,
              d->ndim > 1 ? "them as in \"grid[1,2]\"" : "one as in \"crab[3]\"");
        return;
    }
    while (step->index[k] < dim[k])
        k++;
    WRONG(path, "index %zu is beyond the %zu elements of '%s'\nindices count from 1",
          step->index[k] + 1, dim[k], d->name);
}

static void go_on(Flat *flat, uint32_t scope, uint32_t step, const char *rest, SettingJob *job);

/* continues in one element of a declaration, or in all of them (-1) */
static void enter_elements(Flat *flat, uint32_t scope, uint32_t d, ptrdiff_t element, uint32_t step,
                           const char *rest, SettingJob *job)
{
    const Scope *s = &flat->scopes.items[scope];
    const Declaration *decl = &s->model->declarations.items[d];
    const Setting *setting = job->setting;
    uint32_t first = s->first[d], sheet = s->sheet;
    bool native = decl->class_->def != NULL;
    int axis = -1;
    if (!native && decl->n > 0 && flat->scopes.items[first].index <= -2)
        axis = -2 - flat->scopes.items[first].index;
    size_t begin = element >= 0 ? (size_t)element : 0;
    size_t end = axis >= 0 || element >= 0 ? begin + 1 : decl->n;
    LanePath *way = &job->way;
    size_t depth = way->n;
    for (size_t i = begin; i < end; i++) {
        if (native) {
            i = sheet_next_held(&flat->sheets.items[sheet], first + (uint32_t)i) - first;
            if (i >= end)
                break;
        }
        if (decl->ndim && depth < sizeof way->step / sizeof *way->step) {
            way->step[depth].n = decl->n;
            way->step[depth].index = axis >= 0 ? element : (ptrdiff_t)i;
            way->step[depth].axis = axis;
            way->n = depth + 1;
        }
        if (!native)
            go_on(flat, axis >= 0 ? first : first + (uint32_t)i, step, rest, job);
        else if (setting->slot >= 0 && step == setting->nstep)
            set_slot(flat, sheet, first + (uint32_t)i, setting, job);
        else
            set_member(flat, sheet, first + (uint32_t)i, rest, job);
    }
    way->n = depth;
}

/* follows the rest of a path, which is text: below a template, or wrong */
static void go_on_by_name(Flat *flat, uint32_t scope, const char *rest, SettingJob *job)
{
    PathStep step;
    const char *here = rest;
    char path[512];
    if (!path_next(&rest, &step)) {
        WRONG_SETTING(job, "the path cannot be read at '%s'\nwrite it as in \"crab[3].cart.m\"",
                      here);
        return;
    }
    const Scope *s = &flat->scopes.items[scope];
    const char *name = intern_range(&flat->session->names, step.name, step.length);
    if (!name) {
        flat->status = LIEDER_NO_MEMORY;
        return;
    }
    ptrdiff_t d = model_find(s->model, name), unnamed = d < 0 ? model_find_unnamed(s->model) : -1;
    if (unnamed >= 0) {
        set_member(flat, s->sheet, s->first[unnamed], here, job);
        return;
    }
    if (d < 0) {
        /* an argument of a template was used when the model was built */
        const Setting *setting = job->setting;
        const ModelStep *steps =
            flat->scopes.items[job->scope].model->steps.items + setting->first_step;
        bool indexed = setting->kind != SET_ALL || strchr(setting->name, '[');
        for (uint32_t i = 0; i < setting->nstep; i++)
            indexed |= steps[i].element != ALL_ELEMENTS;
        for (int i = 0; i < s->class_->template_.nargument; i++)
            if (strcmp(s->class_->template_.arguments[i].name, name) == 0) {
                if (indexed)
                    WRONG_SETTING(job,
                                  "%s decides the structure and is one number for all elements "
                                  "of an array\nset it once, without index",
                                  name);
                return;
            }
        WRONG_SETTING(job, "'%s' has no component '%s'\nadd it, or look at the spelling",
                      s->class_->name, name);
        return;
    }
    const Declaration *decl = &s->model->declarations.items[d];
    ptrdiff_t element = step.nindex ? declaration_element(decl, &step) : -1;
    if (step.nindex && element < 0)
        report_index(flat, decl, &step, job_path(flat, job, path));
    else if (*rest == '\0')
        WRONG_SETTING(job, "'%s' is a component, no parameter\nname one as in \"%s.x\"", name,
                      name);
    else
        enter_elements(flat, scope, (uint32_t)d, element, UINT32_MAX, rest + 1, job);
}

/* follows the next step of a setting, or the rest of its path as text */
static void go_on(Flat *flat, uint32_t scope, uint32_t step, const char *rest, SettingJob *job)
{
    if (step >= job->setting->nstep) {
        go_on_by_name(flat, scope, rest, job);
        return;
    }
    const LiederModel *model = flat->scopes.items[job->scope].model;
    const ModelStep next = model->steps.items[job->setting->first_step + step];
    enter_elements(flat, scope, next.declaration,
                   next.element == ALL_ELEMENTS ? -1 : (ptrdiff_t)next.element, step + 1, rest,
                   job);
}

void apply_setting(Flat *flat, uint32_t scope, const Setting *setting)
{
    SettingJob job; /* not initialised as a whole: `way` is long */
    job.scope = scope;
    job.setting = setting;
    job.way.n = 0;
    if (setting_is_finite(flat, &job))
        go_on(flat, scope, 0, setting->name, &job);
}
