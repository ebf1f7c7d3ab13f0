/* flat.c - a flattened model: paths of its components, and numbers of its slots by lane. */
#include "model/flat/flatten_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* ------------------------------------------------------------------ names */

/* appends "name[1,2]" and returns the new length, which may be beyond the size; element -1: no
 * index
 */
static size_t append_step(const Declaration *d, ptrdiff_t element, const char *end, char *buffer,
                          size_t size, size_t n)
{
    char index[INDEX_LENGTH] = "";
    if (n >= size)
        return n;
    if (element >= 0)
        element_text(d, (size_t)element, index);
    return n + (size_t)snprintf(buffer + n, size - n, "%s%s%s", d->name, index, end);
}

/* appends the steps from the root down to a scope; returns the length */
static size_t scope_path(const Flat *flat, uint32_t scope, const size_t *at, char *buffer,
                         size_t size)
{
    const Scope *s = &flat->scopes.items[scope];
    if (s->parent == NOWHERE)
        return 0;
    size_t n = scope_path(flat, s->parent, at, buffer, size);
    ptrdiff_t index = s->index <= -2 ? (at ? (ptrdiff_t)at[-2 - s->index] : -1) : s->index;
    return append_step(scope_declaration(flat, s), index, ".", buffer, size, n);
}

void lane_indices(const Sheet *sheet, size_t lane, size_t *at)
{
    for (size_t i = sheet->naxis; i-- > 0;) {
        at[i] = lane % sheet->axis[i];
        lane /= sheet->axis[i];
    }
}

char *flat_path(const Flat *flat, uint32_t sheet, uint32_t instance, size_t lane, char *buffer,
                size_t size)
{
    const Sheet *s = &flat->sheets.items[sheet];
    Instance in = sheet_instance(s, instance);
    size_t at[MAX_AXES];
    lane_indices(s, lane, at);
    size_t n = scope_path(flat, in.scope, at, buffer, size);
    const Declaration *d = instance_declaration(flat, &in);
    if (*d->name)
        append_step(d, in.index, "", buffer, size, n);
    else if (size) /* the model itself: without the dot after its name */
        buffer[n && n <= size ? n - 1 : 0] = '\0';
    return buffer;
}

const char *path_below(const Flat *flat, uint32_t scope, const char *tail, char *buffer,
                       size_t size)
{
    size_t n = scope_path(flat, scope, NULL, buffer, size);
    if (n < size)
        snprintf(buffer + n, size - n, "%s", tail);
    return buffer;
}

/* ------------------------------------------------------------------ numbers */

static void drop_numbers(Flat *flat, Sheet *s)
{
    for (size_t i = 0; i < s->lanes.n; i++)
        number_list_release(ALLOC, s->lanes.items[i]);
    vec_drop(ALLOC, &s->is_set);
    vec_drop(ALLOC, &s->attribute_of);
    vec_drop(ALLOC, &s->lanes_of);
    vec_drop(ALLOC, &s->lanes);
}

/* whether lanes of an environment differ: it is no part of a shape, so its sheet keeps its
 * numbers */
static bool environment_differs(const Sheet *s)
{
    for (size_t i = 0; i < s->rows.n && s->lanes_of.n; i++) { /* lanes_of has one for each slot */
        const InstanceRow *row = &s->rows.items[i];
        for (int k = 0; row->class_->is_environment && k < row->class_->nslot; k++)
            if (row->first_slot + (size_t)k < s->lanes_of.n &&
                s->lanes_of.items[row->first_slot + (size_t)k])
                return true;
    }
    return false;
}

/* frees the numbers behind those of environments, unless there are tables, whose places they are */
static bool trim_values(Flat *flat, Sheet *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->rows.n; i++)
        if (s->rows.items[i].class_->is_environment)
            n = s->rows.items[i].first_slot + (size_t)s->rows.items[i].class_->nslot;
    if (s->tables.n || n >= s->value.n)
        return true;
    double *values = memory_resize(ALLOC, s->value.items, s->value.room * sizeof(double),
                                   (n + 1) * sizeof(double));
    if (!values)
        return false;
    s->value.items = values;
    s->value.n = n;
    s->value.room = n + 1;
    return true;
}

bool flat_settle(Flat *flat)
{
    bool ok = true;
    for (size_t i = 0; i < flat->sheets.n; i++) {
        Sheet *s = &flat->sheets.items[i];
        if (!environment_differs(s))
            drop_numbers(flat, s);
        ok &= trim_values(flat, s);
        if (s->held.n) { /* connections of a net that ranks share do not change */
            vec_drop(ALLOC, &s->port_parent);
            vec_drop(ALLOC, &s->port_held);
        }
    }
    return ok;
}

bool flat_has_attributes(const Flat *flat)
{
    for (size_t i = 0; i < flat->sheets.n; i++)
        if (flat->sheets.items[i].attribute_of.n)
            return true;
    return false;
}

/* frees what a sheet owns, tables included */
static void sheet_drop(Flat *flat, Sheet *s)
{
    drop_numbers(flat, s);
    for (size_t i = 0; i < s->tables.n; i++) {
        LiederTable *t = s->tables.items[i];
        memory_free(ALLOC, (void *)t->data, t->rows * t->columns * sizeof(double));
        memory_free(ALLOC, t, sizeof *t);
    }
    vec_drop(ALLOC, &s->rows);
    vec_drop(ALLOC, &s->held);
    vec_drop(ALLOC, &s->port_parent);
    vec_drop(ALLOC, &s->port_held);
    vec_drop(ALLOC, &s->value);
    vec_drop(ALLOC, &s->tables);
    vec_drop(ALLOC, &s->is_bound);
}

void flat_drop(Flat *flat)
{
    if (!flat->session)
        return;
    for (size_t i = 0; i < flat->scopes.n; i++) {
        Scope *s = &flat->scopes.items[i];
        memory_free(ALLOC, s->first, s->nfirst * sizeof *s->first);
    }
    for (size_t i = 0; i < flat->sheets.n; i++)
        sheet_drop(flat, &flat->sheets.items[i]);
    vec_drop(ALLOC, &flat->scopes);
    vec_drop(ALLOC, &flat->sheets);
}

size_t flat_bytes(const Flat *flat)
{
    size_t bytes = flat->scopes.room * sizeof(Scope) + flat->sheets.room * sizeof(Sheet);
    for (size_t i = 0; i < flat->scopes.n; i++)
        bytes += flat->scopes.items[i].nfirst * sizeof(uint32_t);
    for (size_t i = 0; i < flat->sheets.n; i++) {
        const Sheet *s = &flat->sheets.items[i];
        bytes += s->rows.room * sizeof(InstanceRow) + s->held.room * sizeof(HeldRun) +
                 (s->port_parent.room + s->port_held.room) * sizeof(uint32_t) +
                 s->value.room * sizeof(double);
    }
    return bytes;
}

/* ------------------------------------------------------------------ instances */

/* the last run that begins at an instance or before it; NULL: there is none */
static const HeldRun *run_before(const Sheet *s, uint32_t number)
{
    size_t low = 0, high = s->held.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->held.items[middle].first <= number)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &s->held.items[low - 1] : NULL;
}

/* how many instances are held before this one */
static uint32_t held_before(const Sheet *s, uint32_t number)
{
    if (!s->held.n)
        return number;
    const HeldRun *run = run_before(s, number);
    if (!run)
        return 0;
    return run->before + (number - run->first < run->n ? number - run->first : run->n);
}

Instance sheet_instance(const Sheet *s, uint32_t number)
{
    /* the last row that begins there or before; without arrays it has the number of the instance */
    size_t n = s->rows.n, more = s->ninstance > n ? s->ninstance - n : 0,
           low = number > more ? number - more : 0, high = number < n ? number + 1 : n;
    if (low >= n || s->rows.items[low].first > number)
        low = 0;
    if (high < n && s->rows.items[high].first <= number)
        high = n;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (s->rows.items[middle].first <= number)
            low = middle;
        else
            high = middle;
    }
    const InstanceRow *row = &s->rows.items[low];
    const HeldRun *run = s->held.n ? run_before(s, number) : NULL;
    Instance in = {.class_ = row->class_,
                   .scope = row->scope,
                   .declaration = row->declaration,
                   .index = row->array ? (int32_t)(number - row->first) : -1,
                   .number = number,
                   .held = NOWHERE,
                   .first_port = NOWHERE,
                   .first_slot = NOWHERE,
                   .spare = row->spare};
    if (s->held.n && (!run || number - run->first >= run->n))
        return in;
    in.held = run ? run->before + (number - run->first) : number;
    in.owner = run ? run->owner : 0;
    in.first_port =
        row->first_port + (in.held - row->first_held) * (uint32_t)row->class_->def->nport;
    in.first_slot = row->first_slot + (in.held - row->first_held) * (uint32_t)row->class_->nslot;
    return in;
}

Instance sheet_held(const Sheet *s, uint32_t held)
{
    size_t low = 0, high = s->held.n;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (s->held.items[middle].before <= held)
            low = middle;
        else
            high = middle;
    }
    const HeldRun *run = s->held.n ? &s->held.items[low] : NULL;
    return sheet_instance(s, run ? run->first + (held - run->before) : held);
}

uint32_t sheet_next_held(const Sheet *s, uint32_t number)
{
    const HeldRun *run = s->held.n ? run_before(s, number) : NULL, *end = s->held.items + s->held.n;
    if (!s->held.n || (run && number - run->first < run->n))
        return number;
    run = run ? run + 1 : s->held.items;
    return run < end ? run->first : s->ninstance;
}

bool sheet_add_row(Sheet *s, InstanceRow row, size_t n, const LiederAllocator *alloc)
{
    if (n >= NOWHERE - s->ninstance)
        return false;
    row.first = s->ninstance;
    row.first_held = s->nheld;
    row.first_port = (uint32_t)s->port_parent.n;
    row.first_slot = (uint32_t)s->value.n;
    uint32_t nheld = held_before(s, row.first + (uint32_t)n) - row.first_held;
    size_t nport = (size_t)row.class_->def->nport, ports = nheld * nport,
           nslot = nheld * (size_t)row.class_->nslot;
    if (s->port_parent.n + ports >= NOWHERE || s->value.n + nslot >= NOWHERE ||
        !vec_push(alloc, &s->rows, row) ||
        !vec_reserve(alloc, &s->port_parent, s->port_parent.n + ports) ||
        !vec_reserve(alloc, &s->port_held, s->port_parent.n + ports) ||
        !vec_resize(alloc, &s->value, s->value.n + nslot) ||
        !vec_resize(alloc, &s->is_set, s->is_set.n + nslot) ||
        !vec_resize(alloc, &s->lanes_of, s->lanes_of.n + nslot))
        return false;
    for (size_t i = 0; i < ports; i++, s->port_parent.n++) {
        s->port_parent.items[s->port_parent.n] = (uint32_t)s->port_parent.n;
        s->port_held.items[s->port_held.n++] = row.first_held + (uint32_t)(i / nport);
    }
    s->ninstance += (uint32_t)n;
    s->nheld += nheld;
    return true;
}

/* ------------------------------------------------------------------ ports and numbers */

uint32_t sheet_node(Sheet *sheet, uint32_t port)
{
    uint32_t *parent = sheet->port_parent.items;
    while (parent[port] != port)
        port = parent[port] = parent[parent[port]];
    return port;
}

double sheet_value(const Sheet *sheet, uint32_t slot, size_t lane)
{
    uint32_t lanes = sheet->lanes_of.n ? sheet->lanes_of.items[slot] : 0;
    return lanes ? sheet->lanes.items[lanes - 1]->values[lane] : sheet->value.items[slot];
}

NumberList *sheet_lanes(const Sheet *sheet, uint32_t slot)
{
    uint32_t lanes = sheet->lanes_of.items[slot];
    return lanes ? sheet->lanes.items[lanes - 1] : NULL;
}

NumberList *give_lanes(Flat *flat, Sheet *sheet, uint32_t slot, NumberList *numbers)
{
    uint32_t lanes = sheet->lanes_of.items[slot];
    if (!numbers || (!lanes && !vec_push(ALLOC, &sheet->lanes, NULL))) {
        number_list_release(ALLOC, numbers);
        flat->status = LIEDER_NO_MEMORY;
        return NULL;
    }
    if (!lanes)
        lanes = sheet->lanes_of.items[slot] = (uint32_t)sheet->lanes.n;
    NumberList **place = &sheet->lanes.items[lanes - 1];
    if (*place != numbers)
        number_list_release(ALLOC, *place);
    return *place = numbers;
}

double *lane_values(Flat *flat, Sheet *sheet, uint32_t slot)
{
    NumberList *numbers = sheet_lanes(sheet, slot);
    if (numbers && numbers->holders > 1) {
        numbers = number_list_copy(ALLOC, numbers->values, numbers->n);
    } else if (!numbers) {
        double old = sheet->is_set.items[slot] ? sheet->value.items[slot] : NAN;
        numbers = number_list_create(ALLOC, sheet->nlane);
        for (size_t i = 0; numbers && i < sheet->nlane; i++)
            numbers->values[i] = old;
    }
    numbers = give_lanes(flat, sheet, slot, numbers);
    return numbers ? numbers->values : NULL;
}
