/* rows.c - the variables of an FMU, out of the table of variables, and where their numbers stand.
 *
 * Arrays stay rows. The elements of a row stand in pieces: all lanes of a sheet are one, a
 * component that is an element of its own is another, so that a million crane crabs have as many
 * pieces as one. A vector of a component in many lanes (crab.rod.r) becomes a row for each of its
 * numbers (crab.rod.r[1]), which then has one start value for all lanes instead of a list of
 * millions. */
#include "fmi/fmi.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "fmi/runtime/kinds.h"

/* A parameter with more different start values than that would make a description of megabytes,
 * which few tools read: it stays inside the FMU, and cannot be set. */
enum { MAX_STARTS = 10000 };

/* where one number stands */
typedef struct RowPlace {
    int kind;
    uint32_t shape, place;
    size_t lane;
    double value; /* of a constant */
} RowPlace;

static bool report_memory(FmiRows *rows)
{
    diag_error(&rows->system->session->diag, NULL, NULL, "not enough memory for the export");
    return false;
}

/* ------------------------------------------------------------------ one number */

static uint32_t state_number(const SystemShape *ss, const Seat *seat, const LiederMember *member)
{
    const Shape *shape = ss->shape;
    for (size_t s = shape_first_state(shape, seat->component);
         s < shape->states.n && shape->states.items[s].component == seat->component; s++)
        if (shape->states.items[s].member == member)
            return (uint32_t)s;
    return NOWHERE;
}

/* false: there is no such state here */
static bool find_place(LiederSystem *system, const LiederHandle *h, RowPlace *found)
{
    const ClassVariable *v = handle_variable(system, h);
    LiederVariableInfo info = lieder_handle_info(system, h);
    Seat seat = home_seat(system, &h->element);
    *found = (RowPlace){.kind = FMU_CONSTANT, .shape = seat.shape, .lane = seat.lane};
    if (seat.shape == NOWHERE || (info.kind == LIEDER_VARIABLE_PARAMETER && !info.tunable)) {
        found->value = info.start;
        return true;
    }
    const SystemShape *ss = &system->shapes.items[seat.shape];
    const uint32_t *at = at_of(&ss->plan.full, seat.component);
    if (info.kind == LIEDER_VARIABLE_STATE || info.kind == LIEDER_VARIABLE_DERIVATIVE) {
        found->kind = info.kind == LIEDER_VARIABLE_STATE ? FMU_STATE : FMU_DERIVATIVE;
        found->place = state_number(ss, &seat, v->member);
        return found->place != NOWHERE;
    }
    if (info.kind == LIEDER_VARIABLE_PARAMETER || info.causality == LIEDER_CAUSALITY_INPUT) {
        found->kind = FMU_SLOT;
        found->place = ss->values.slot_first.items[seat.component] + (uint32_t)v->slot + h->index;
        return true;
    }
    found->kind = FMU_RECORD;
    found->place = v->offset + h->index +
                   (v->area < 0 ? at[LIEDER_AT_SELF]
                                : at[LIEDER_AT_PORT + LIEDER_PER_PORT * v->port + v->area]);
    return true;
}

/* ------------------------------------------------------------------ pieces of a row */

/* numbers of a row that stand at one place of a shape; those beside the last piece are added to it
 */
static bool add_piece(FmiRows *rows, FmiRow *row, const RowPlace *found, uint32_t length, size_t n)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(rows->system);
    uint32_t place = found->place;
    if (found->kind == FMU_CONSTANT) {
        place = (uint32_t)rows->constants.n;
        for (size_t i = 0; i < n; i++)
            if (!vec_push(alloc, &rows->constants, found->value))
                return report_memory(rows);
    }
    RowPiece *last = row->npiece ? &rows->pieces.items[rows->pieces.n - 1] : NULL;
    /* numbers of one component side by side */
    if (last && last->lane == found->lane && last->n == last->length && length == 1 &&
        last->shape == found->shape && place == last->place + last->n) {
        last->n++;
        last->length++;
        return true;
    }
    RowPiece piece = {found->shape, place, (uint32_t)found->lane, length, (uint32_t)n};
    if (!vec_push(alloc, &rows->pieces, piece))
        return report_memory(rows);
    row->npiece++;
    return true;
}

static bool element_handle(const FmiRows *rows, const FmiRow *row, size_t i, LiederHandle *h)
{
    return lieder_variable_handle(rows->system, row->variable, i * row->stride + row->offset, h);
}

/* all elements are lanes of one sheet: one piece */
static bool is_sheet(const FmiRows *rows, const FmiRow *row)
{
    LiederHandle first, last;
    return row->n > 1 && element_handle(rows, row, 0, &first) &&
           element_handle(rows, row, row->n - 1, &last) &&
           first.element.sheet == last.element.sheet &&
           first.element.instance == last.element.instance && first.item == last.item &&
           first.index == last.index && last.element.lane - first.element.lane == row->n - 1;
}

/* start values of elements, if they are not all the same */
static bool keep_values(FmiRows *rows, FmiRow *row)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(rows->system);
    bool has_start = row->kind == FMU_STATE || row->kind == FMU_SLOT || row->kind == FMU_CONSTANT;
    LiederHandle h;
    for (size_t i = 0; i < row->n && has_start; i++) {
        if (!element_handle(rows, row, i, &h))
            continue;
        double value = lieder_handle_info(rows->system, &h).start;
        row->solved_start |= isnan(value);
        if (row->values)
            row->values[i] = value;
        if (row->values || value == row->info.start)
            continue;
        row->values = memory_zeroed(alloc, row->n * sizeof(double));
        if (!row->values)
            return report_memory(rows);
        for (size_t k = 0; k < i; k++)
            row->values[k] = row->info.start;
        row->values[i] = value;
    }
    return true;
}

/* has the slot of a place the same number in all lanes? */
static bool is_shared(const RowPlace *found, const SystemShape *ss)
{
    uint32_t slot = found->place;
    if (found->kind == FMU_STATE) {
        const StateRef *ref = &ss->shape->states.items[found->place];
        slot = ss->values.slot_first.items[ref->component] + ref->slot;
    } else if (found->kind != FMU_SLOT) {
        return true;
    }
    return !ss->values.slots.items[slot].lanes;
}

static bool fail_row(FmiRows *rows, const FmiRow *row)
{
    diag_error(&rows->system->session->diag, NULL, row->name,
               "some elements of this array have the state and others do not\nan FMU needs all or "
               "none of them: set the switch (TD) alike for all elements");
    return false;
}

/* finds all elements; *none: the row has none */
static bool place_row(FmiRows *rows, FmiRow *row, bool *none)
{
    LiederSystem *system = rows->system;
    LiederHandle h;
    RowPlace found;
    *none = !element_handle(rows, row, 0, &h) || !find_place(system, &h, &found);
    if (*none)
        return true;
    row->kind = found.kind;
    row->solved_start = found.kind == FMU_STATE && isnan(row->info.start);
    row->info.start = lieder_handle_info(system, &h).start;
    if (is_sheet(rows, row) && found.shape != NOWHERE)
        return add_piece(rows, row, &found, 1, row->n) &&
               (is_shared(&found, &system->shapes.items[found.shape]) || keep_values(rows, row));
    for (size_t i = 0; i < row->n; i++) {
        if (!element_handle(rows, row, i, &h) || !find_place(system, &h, &found))
            return fail_row(rows, row);
        if (found.kind != row->kind) {
            diag_error(
                &system->session->diag, NULL, row->name,
                "some elements of this array can be set and others not\nconnect all inputs of "
                "an array, or none");
            return false;
        }
        if (!add_piece(rows, row, &found, 1, 1))
            return false;
    }
    return keep_values(rows, row);
}

/* ------------------------------------------------------------------ which rows */

/* whether a variable of the table becomes one of the FMU */
static bool is_wanted(const LiederVariableInfo *info)
{
    switch (info->kind) {
    case LIEDER_VARIABLE_PARAMETER:
    case LIEDER_VARIABLE_STATE:
    case LIEDER_VARIABLE_DERIVATIVE:
    case LIEDER_VARIABLE_OBSERVABLE:
    case LIEDER_VARIABLE_CROSSING:
    case LIEDER_VARIABLE_DISCRETE:
        return true;
    default:
        return info->alias || info->causality == LIEDER_CAUSALITY_INPUT ||
               info->causality == LIEDER_CAUSALITY_OUTPUT;
    }
}

static bool is_output_port(const LiederPortDef *port)
{
    return port_is_signal(port) && port->role == LIEDER_OUT;
}

/* an output port of a model that is one component itself, so that it has no path; or the state or
 * variable of such a port */
static bool is_own_output(const FmiRows *rows, size_t variable, const char *name)
{
    LiederHandle h;
    if (strchr(name, '.') || !lieder_variable_handle(rows->system, variable, 0, &h))
        return false;
    const ClassVariable *v = handle_variable(rows->system, &h);
    const LiederClassDef *def = v ? def_of(rows->system, &h.element) : NULL;
    if (v && v->port >= 0)
        return is_output_port(&def->ports[v->port]);
    for (int i = 0; v && i < def->nport; i++)
        if (is_output_port(&def->ports[i]) && strcmp(def->ports[i].name, name) == 0)
            return true;
    return false;
}

/* Observables of a block that FMUs do not have: products of forces and accelerations */
static bool is_left_out(const FmiRows *rows, size_t variable)
{
    LiederHandle h;
    const ClassVariable *v = lieder_variable_handle(rows->system, variable, 0, &h)
                                 ? handle_variable(rows->system, &h)
                                 : NULL;
    return v && v->member && v->member->by_observe;
}

/* an unknown of the linear group whose sign is a choice: the margins of friction that sticks */
static bool is_unknown_crossing(const FmiRows *rows, size_t variable)
{
    LiederHandle h;
    if (!lieder_variable_handle(rows->system, variable, 0, &h))
        return false;
    const ClassVariable *v = handle_variable(rows->system, &h);
    if (!v || !v->member || v->member->kind != LIEDER_UNKNOWN)
        return false;
    const LiederClassDef *def = def_of(rows->system, &h.element);
    for (int i = 0; i < def->nmember; i++)
        if (def->members[i].kind == LIEDER_CROSSING && def->members[i].index == v->member->index)
            return true;
    return false;
}

static RowCausality causality_of(const FmiRow *row)
{
    if (row->kind == FMU_CONSTANT)
        return ROW_CONSTANT;
    if (row->info.kind == LIEDER_VARIABLE_PARAMETER)
        return row->values && row->n > MAX_STARTS ? ROW_CALCULATED : ROW_PARAMETER;
    if (row->kind == FMU_SLOT)
        return ROW_INPUT;
    return row->info.causality == LIEDER_CAUSALITY_OUTPUT ? ROW_OUTPUT : ROW_LOCAL;
}

static bool same_places(const FmiRows *rows, const FmiRow *a, const FmiRow *b)
{
    if (a->n != b->n || a->npiece != b->npiece || a->kind != b->kind)
        return false;
    return memcmp(&rows->pieces.items[a->first_piece], &rows->pieces.items[b->first_piece],
                  a->npiece * sizeof(RowPiece)) == 0;
}

/* A port of the model itself is the input, not the connected port inside with the same number. */
static void settle_inputs(FmiRows *rows)
{
    for (size_t i = 0; i < rows->list.n; i++) {
        FmiRow *outer = &rows->list.items[i];
        for (size_t k = 0; k < rows->list.n && outer->info.alias && outer->causality == ROW_INPUT;
             k++) {
            FmiRow *inner = &rows->list.items[k];
            if (!inner->info.alias && inner->causality == ROW_INPUT &&
                same_places(rows, outer, inner))
                inner->causality = ROW_LOCAL;
        }
    }
}

/* a discrete variable that only the engine uses: "first pass", "condition 2" */
static bool is_inner(const LiederVariableInfo *info, const char *name)
{
    return info->kind == LIEDER_VARIABLE_DISCRETE && name_has(name, " ");
}

/* the length of an identifier with its indices, 0 if there is none */
static size_t identifier_length(const char *name)
{
    size_t n = 0;
    if (!isalpha((unsigned char)*name) && *name != '_')
        return 0;
    while (isalnum((unsigned char)name[n]) || name[n] == '_')
        n++;
    if (name[n] == '[')
        n += strcspn(name + n, "]") + 1;
    return n;
}

void row_name(const char *name, char *to, size_t size)
{
    size_t at = strncmp(name, "der(", 4) == 0 ? 4 : 0;
    for (size_t n; (n = identifier_length(name + at)) > 0 && name[at + n] == '.';)
        at += n + 1;
    size_t n = identifier_length(name + at);
    bool derivative = strncmp(name, "der(", 4) == 0,
         good = n > 0 && strcmp(name + at + n, derivative ? ")" : "") == 0;
    if (derivative && !good)
        at = 0;
    if (good || name[at] == '\'')
        snprintf(to, size, "%s", name);
    else
        snprintf(to, size, "%.*s'%s'", (int)at, name, name + at);
}

/* a row with its pieces, or none if it has no place; false after reporting */
static bool add_row(FmiRows *rows, FmiRow row, const char *name)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(rows->system);
    bool none = false;
    row.first_piece = (uint32_t)rows->pieces.n;
    row.state = -1;
    char written[1200];
    row_name(name, written, sizeof written);
    row.name = memory_text(alloc, written);
    bool ok = row.name ? place_row(rows, &row, &none) : report_memory(rows);
    if (ok && !none) {
        row.causality = causality_of(&row);
        if (row.kind == FMU_STATE && row.values && row.n > MAX_STARTS)
            row.solved_start = true;
        if (row.values && row.n > MAX_STARTS)
            diag_warning(&rows->system->session->diag, NULL, row.name,
                         "the %zu different start values stay inside the FMU and cannot be set",
                         row.n);
        if (vec_push(alloc, &rows->list, row))
            return true;
        ok = report_memory(rows);
    }
    memory_free_text(alloc, row.name);
    memory_free(alloc, row.values, row.values ? row.n * sizeof(double) : 0);
    return ok;
}

/* a variable of the table: one row, or one for each number of a vector in many lanes */
static bool add_variable(FmiRows *rows, size_t variable, bool (*also)(void *user, const char *name),
                         void *user)
{
    char name[1024], element[1024 + INDEX_LENGTH];
    FmiRow row = {.variable = variable, .info = lieder_variable_info(rows->system, variable)};
    lieder_variable_name(rows->system, variable, name, sizeof name);
    if (is_own_output(rows, variable, name))
        row.info.causality = LIEDER_CAUSALITY_OUTPUT;
    if (is_unknown_crossing(rows, variable))
        row.info.kind = LIEDER_VARIABLE_CROSSING;
    if (row.info.n == 0 || is_inner(&row.info, name) || is_left_out(rows, variable) ||
        (!is_wanted(&row.info) && !(also && also(user, name))))
        return true;
    row.n = row.info.n;
    row.stride = 1;
    row.ndim = lieder_variable_dimensions(rows->system, variable, row.dimensions, INDEX_DIMS);
    LiederHandle first;
    const LiederVariableInfo *own = NULL; /* as its component has it */
    if (!row.info.alias && lieder_variable_handle(rows->system, variable, 0, &first))
        own = lieder_tree_item(rows->system, &first.element, first.item);
    size_t length = own ? (size_t)own->length : 1,
           nindex = own && own->nindex ? (size_t)own->nindex : 1;
    if (length <= 1 || row.ndim <= nindex)
        return add_row(rows, row, name);
    row.n /= length;
    row.stride = length;
    row.ndim -= nindex;
    bool ok = true;
    for (size_t i = 0; i < length && ok; i++) {
        char index[INDEX_LENGTH];
        row.offset = i;
        snprintf(element, sizeof element, "%s%s", name,
                 lieder_variable_index(own, i, index, sizeof index));
        ok = add_row(rows, row, element);
    }
    return ok;
}

/* numbers the rows, and finds which are states, their derivatives, crossings */
static bool number_rows(FmiRows *rows)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(rows->system);
    ptrdiff_t state = -1;
    bool ok = true;
    rows->n = 1; /* the time */
    for (size_t i = 0; i < rows->list.n && ok; i++) {
        FmiRow *row = &rows->list.items[i];
        row->first = rows->n;
        rows->n += row->n;
        if (row->kind == FMU_STATE) {
            state = (ptrdiff_t)i;
            ok = vec_push(alloc, &rows->states, (uint32_t)i);
        } else if (row->kind == FMU_DERIVATIVE) {
            row->state = state; /* a state is followed by its derivative */
        } else if (row->info.kind == LIEDER_VARIABLE_CROSSING) {
            ok = vec_push(alloc, &rows->crossings, (uint32_t)i);
        }
    }
    return ok || report_memory(rows);
}

bool rows_make(FmiRows *rows, LiederSystem *system, bool (*also)(void *user, const char *name),
               void *user)
{
    *rows = (FmiRows){.system = system};
    size_t n = lieder_variable_count(system);
    bool ok = true;
    for (size_t i = 0; i < system->shapes.n && ok; i++)
        ok = full_prepare(system, &system->shapes.items[i]) == LIEDER_DONE || report_memory(rows);
    for (size_t i = 0; i < n && ok; i++)
        ok = add_variable(rows, i, also, user);
    if (ok)
        settle_inputs(rows);
    return ok && number_rows(rows);
}

void rows_drop(FmiRows *rows)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(rows->system);
    for (size_t i = 0; i < rows->list.n; i++) {
        FmiRow *row = &rows->list.items[i];
        memory_free_text(alloc, row->name);
        memory_free(alloc, row->values, row->values ? row->n * sizeof(double) : 0);
    }
    vec_drop(alloc, &rows->list);
    vec_drop(alloc, &rows->pieces);
    vec_drop(alloc, &rows->constants);
    vec_drop(alloc, &rows->states);
    vec_drop(alloc, &rows->crossings);
}
