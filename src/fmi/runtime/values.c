/* values.c - see fmu.h. */
#include "fmu.h"

#include <stdio.h>

/* ------------------------------------------------------------------ creation */

static bool shape_create(ShapeValues *s, const FmuShape *shape)
{
    s->shape = shape;
    s->slots = calloc(shape->nslot + 1, sizeof *s->slots);
    s->lanes = calloc(shape->nslot + 1, sizeof *s->lanes);
    s->full = calloc(shape->full.nreal + 1, sizeof *s->full);
    s->lean = shape->function ? calloc(shape->lean.nreal + 1, sizeof *s->lean) : NULL;
    s->sparse = shape->sparse ? fmu_sparse->create(shape->sparse) : NULL;
    return s->slots && s->lanes && s->full && (s->lean || !shape->function) &&
           (s->sparse || !shape->sparse);
}

static void shape_drop(ShapeValues *s)
{
    for (size_t i = 0; s->lanes && i < s->shape->nslot; i++)
        free(s->lanes[i]);
    free(s->slots);
    free(s->lanes);
    free(s->full);
    free(s->lean);
    if (s->sparse)
        fmu_sparse->drop(s->sparse);
}

void values_destroy(Values *v)
{
    if (!v)
        return;
    if (fmu_events)
        fmu_events->drop(v);
    for (size_t i = 0; v->shapes && i < fmu_nshape; i++)
        shape_drop(&v->shapes[i]);
    free(v->shapes);
    free(v->x);
    free(v->dx);
    free(v->choices);
    free(v->memory);
    free(v->marks);
    free(v->moved);
    free(v->scratch);
    free(v->walk);
    free(v);
}

Values *values_create(size_t lanes)
{
    Values *v = calloc(1, sizeof *v);
    if (!v)
        return NULL;
    v->lanes = lanes;
    v->shapes = calloc(fmu_nshape + 1, sizeof *v->shapes);
    bool ok = v->shapes != NULL;
    for (size_t i = 0; ok && i < fmu_nshape; i++) {
        const FmuShape *shape = fmu_shapes[i];
        v->shapes[i].shape = shape;
        v->shapes[i].nlane = shape->scales ? lanes : shape->nlane;
        ok = shape_create(&v->shapes[i], shape);
        v->shapes[i].first_state = v->nstate;
        v->shapes[i].first_choice = v->nchoice;
        v->shapes[i].first_memory = v->nmemory;
        v->shapes[i].first_mark = v->nmark;
        v->nmemory += shape->nmemory * v->shapes[i].nlane;
        v->nmark += mark_count(shape) * v->shapes[i].nlane;
        v->nmode += shape->nmode;
        v->nstate += shape->nstate * v->shapes[i].nlane;
        v->nchoice += shape->ncrossing * v->shapes[i].nlane;
        if (v->walk_room < shape->nstate)
            v->walk_room = shape->nstate;
    }
    if (v->walk_room < STRIP_NUMBERS)
        v->walk_room = STRIP_NUMBERS;
    v->x = calloc(v->nstate + 1, sizeof(double));
    v->dx = calloc(v->nstate + 1, sizeof(double));
    v->choices = calloc(v->nchoice + 1, sizeof(double));
    v->memory = calloc(v->nmemory + 1, sizeof(double));
    v->marks = calloc(v->nmark + 1, sizeof(double));
    v->moved = calloc(v->nchoice + 1, 1);
    v->scratch = calloc(v->nstate + v->nchoice + 1, sizeof(double));
    v->walk = calloc(WALK_VECTORS * v->walk_room, sizeof(double));
    ok = ok && (!fmu_events || fmu_events->create(v));
    if (ok && v->x && v->dx && v->choices && v->memory && v->marks && v->moved && v->scratch &&
        v->walk) {
        values_reset(v);
        return v;
    }
    values_destroy(v);
    return NULL;
}

/* moves the numbers that both have: all of a shape, or those that are the same in all lanes */
static void keep_slots(ShapeValues *to, ShapeValues *from)
{
    for (size_t k = 0; k < to->shape->nslot; k++) {
        if (to->nlane == from->nlane) {
            double *lanes = to->lanes[k];
            to->lanes[k] = from->lanes[k];
            from->lanes[k] = lanes;
        }
        to->slots[k] = from->slots[k];
    }
    to->differ = to->nlane == from->nlane ? from->differ : to->differ;
}

bool values_resize(Values *v, size_t lanes)
{
    Values *other = lanes < SIZE_MAX / 1024 ? values_create(lanes) : NULL, old = *v;
    if (!other) {
        snprintf(v->wrong, sizeof v->wrong, "out of memory for %zu lanes", lanes);
        return false;
    }
    for (size_t i = 0; i < fmu_nshape; i++)
        keep_slots(&other->shapes[i], &v->shapes[i]);
    other->warn = v->warn;
    other->user = v->user;
    *v = *other;
    *other = old;
    values_destroy(other);
    return true;
}

bool slot_is_start(const FmuShape *shape, size_t slot)
{
    for (size_t s = 0; s < shape->nstate; s++)
        if (shape->start_slot[s] == slot)
            return true;
    return false;
}

/* numbers that differ between lanes get memory when they first do */
static bool own_lanes(ShapeValues *s, size_t slot)
{
    size_t n = s->nlane;
    if (s->lanes[slot])
        return true;
    double *lanes = malloc((n + 1) * sizeof *lanes);
    if (!lanes)
        return false;
    const double *from = s->shape->slots[slot].lanes;
    for (size_t l = 0; l < n; l++)
        lanes[l] = from ? from[l] : s->slots[slot];
    s->lanes[slot] = lanes;
    s->differ += !slot_is_start(s->shape, slot);
    return true;
}

void values_reset(Values *v)
{
    for (size_t i = 0; i < fmu_nshape; i++) {
        ShapeValues *s = &v->shapes[i];
        const FmuShape *shape = s->shape;
        s->differ = 0;
        for (size_t k = 0; k < shape->nslot; k++) {
            s->slots[k] = shape->slots[k].value;
            free(s->lanes[k]);
            s->lanes[k] = NULL;
            s->differ += shape->slots[k].lanes && !slot_is_start(shape, k);
        }
        s->loaded = s->seen = SIZE_MAX;
        s->stale = true;
    }
    memset(v->choices, 0, v->nchoice * sizeof *v->choices);
    memset(v->memory, 0, v->nmemory * sizeof *v->memory);
    memset(v->marks, 0, v->nmark * sizeof *v->marks);
    v->t = v->event_time = v->origin = 0;
    v->counter = 0;
    v->hold = v->has_dx = v->ends = v->reported_late = v->reported_jump = false;
    v->at_start = true;
    v->has_start = false;
    v->wrong[0] = 0;
}

void values_moved(Values *v)
{
    v->has_dx = false;
    for (size_t i = 0; i < fmu_nshape; i++)
        v->shapes[i].seen = SIZE_MAX;
}

/* ------------------------------------------------------------------ records */

double slot_value(const ShapeValues *s, size_t slot, size_t lane)
{
    const double *fixed = s->shape->slots[slot].lanes;
    return s->lanes[slot] ? s->lanes[slot][lane] : fixed ? fixed[lane] : s->slots[slot];
}

/* parameters, tables and limits of a lane into a record, then its constant blocks */
static void layout_load(const ShapeValues *s, const FmuLayout *layout, double *rec, size_t lane)
{
    Call call = {.dir = 1, .bias_scale = 1};
    rec[LIEDER_ALARM] = 0;
    for (size_t k = 0; k < s->shape->nslot; k++)
        if (layout->slot_place[k] != FMU_NOWHERE)
            rec[layout->slot_place[k]] = slot_value(s, k, lane);
    for (size_t k = 0; k < layout->ntable; k++)
        memcpy(&rec[layout->tables[k].place], &layout->tables[k].table,
               sizeof layout->tables[k].table);
    for (size_t k = 0; k < layout->nlimit; k++)
        rec[layout->limits[k].place] = layout->limits[k].value;
    for (size_t k = 0; k < layout->constant.n; k++)
        layout->constant.ops[k].run(rec, layout->at + layout->constant.ops[k].at, call);
}

__attribute__((noinline)) void lane_load(ShapeValues *s, size_t lane)
{
    const FmuShape *shape = s->shape;
    if (!s->differ)
        lane = 0;
    if (!s->stale && s->loaded == lane)
        return;
    layout_load(s, &shape->full, s->full, lane);
    s->folded = false;
    if (s->lean) {
        layout_load(s, &shape->lean, s->lean, lane);
        s->folded = true;
        for (size_t k = 0; k < shape->nknown; k++)
            s->folded &= s->lean[shape->known[k].place] == shape->known[k].value;
    }
    s->loaded = lane;
    s->seen = SIZE_MAX;
    s->stale = false;
}

/* ------------------------------------------------------------------ variables */

const FmuRow *row_of(uint32_t reference, uint32_t *element)
{
#if FMI_VERSION == 2 /* references count elements; rows are found by bisection */
    size_t low = 0, high = fmu_nrow;
    extern const uint32_t fmu_row_first[];
    if (reference >= fmu_row_first[fmu_nrow])
        return NULL;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (fmu_row_first[middle] <= reference)
            low = middle;
        else
            high = middle;
    }
    *element = reference - fmu_row_first[low];
    return &fmu_rows[low];
#else
    *element = 0;
    return reference < fmu_nrow ? &fmu_rows[reference] : NULL;
#endif
}

/* number i of a piece of a row, computed if it is a derivative or observed; false: that failed */
static bool piece_value(Values *v, const FmuRow *row, const FmuPiece *p, size_t i, double *to)
{
    size_t lane = p->lane + i / p->length, place = p->place + i % p->length;
    if (row->kind == FMU_CONSTANT) {
        *to = fmu_constants[place];
        return true;
    }
    ShapeValues *s = &v->shapes[p->shape];
    size_t state = s->first_state + place * s->nlane + lane;
    switch ((FmuKind)row->kind) {
    case FMU_SLOT:
        *to = slot_value(s, place, lane);
        return true;
    case FMU_STATE:
        *to = v->x[state];
        return true;
    case FMU_DERIVATIVE:
        if (!derivatives_update(v))
            return false;
        *to = v->dx[state];
        return true;
    default:
        if (!lane_observe(v, s, lane))
            return false;
        *to = s->full[place];
        return true;
    }
}

/* n numbers of a row from the first on, over its pieces */
static bool get_values(Values *v, const FmuRow *row, size_t first, size_t n, double *to)
{
    size_t before = 0, done = 0;
    for (; row->scales && row->kind == FMU_CONSTANT && done < n; done++) {
        size_t i = first + done < row->n ? first + done : 0; /* all alike if there may be more */
        to[done] = fmu_constants[fmu_pieces[row->piece].place + i];
    }
    for (uint32_t k = row->piece; k < row->piece + row->npiece && done < n; k++) {
        const FmuPiece *p = &fmu_pieces[k];
        for (; first + done < before + piece_count(v, row, p) && done < n; done++)
            if (!piece_value(v, row, p, first + done - before, &to[done]))
                return false;
        before += piece_count(v, row, p);
    }
    return true;
}

__attribute__((noinline)) bool row_get(Values *v, const FmuRow *row, size_t first, size_t n,
                                       double *to)
{
    if (row->kind == FMU_TIME || row->kind == FMU_LANES) {
        *to = row->kind == FMU_TIME ? v->t : (double)v->lanes;
        return true;
    }
    if (row->kind >= FMU_STATE && !start_find(v))
        return false;
    if (!get_values(v, row, first, n, to))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!fmu_finite(to[i]) && row->kind != FMU_CONSTANT) {
            snprintf(v->wrong, sizeof v->wrong, "variable %zu has a value that is not finite",
                     (size_t)(row - fmu_rows));
            return false;
        }
    return true;
}

/* sets a number of a parameter or input */
static bool slot_set(Values *v, ShapeValues *s, size_t slot, size_t lane, double value)
{
    const FmuShape *shape = s->shape;
    const FmuSlotInfo *info = &shape->slots[slot];
    if (!fmu_finite(value) || value < info->min || value > info->max) {
        snprintf(v->wrong, sizeof v->wrong, "the value %g is not admissible: %g ... %g", value,
                 info->min, info->max);
        return false;
    }
    if (s->nlane > 1 && !own_lanes(s, slot)) {
        snprintf(v->wrong, sizeof v->wrong, "out of memory");
        return false;
    }
    if (s->lanes[slot])
        s->lanes[slot][lane] = value;
    else
        s->slots[slot] = value;
    v->has_dx = v->has_start = false;
    s->seen = SIZE_MAX;
    if (!info->input || s->differ) {
        s->stale = true;
        return true;
    }
    if (shape->full.slot_place[slot] != FMU_NOWHERE)
        s->full[shape->full.slot_place[slot]] = value;
    if (s->lean && shape->lean.slot_place[slot] != FMU_NOWHERE)
        s->lean[shape->lean.slot_place[slot]] = value;
    return true;
}

__attribute__((noinline)) bool row_set(Values *v, const FmuRow *row, size_t first, size_t n,
                                       const double *from)
{
    size_t before = 0, done = 0;
    for (uint32_t k = row->piece; k < row->piece + row->npiece && done < n; k++) {
        const FmuPiece *p = &fmu_pieces[k];
        ShapeValues *s = &v->shapes[p->shape];
        for (; first + done < before + piece_count(v, row, p) && done < n; done++) {
            size_t i = first + done - before, place = p->place + i % p->length;
            if (row->kind == FMU_STATE)
                place = s->shape->start_slot[place];
            if (!slot_set(v, s, place, p->lane + i / p->length, from[done]))
                return false;
        }
        before += piece_count(v, row, p);
    }
    return true;
}

/* ------------------------------------------------------------------ states in the order of rows */

__attribute__((noinline)) void states_get(const Values *v, const double *x, double *to)
{
    for (size_t r = 0; r < fmu_nstate_row; r++) {
        const FmuRow *row = &fmu_rows[fmu_state_rows[r]];
        for (uint32_t k = row->piece; k < row->piece + row->npiece; k++) {
            const FmuPiece *p = &fmu_pieces[k];
            const ShapeValues *s = &v->shapes[p->shape];
            for (size_t i = 0; i < piece_count(v, row, p); i++)
                *to++ = x[s->first_state + (p->place + i % p->length) * s->nlane + p->lane +
                          i / p->length];
        }
    }
}

bool states_set(Values *v, const double *from)
{
    for (size_t r = 0; r < fmu_nstate_row; r++) {
        const FmuRow *row = &fmu_rows[fmu_state_rows[r]];
        for (uint32_t k = row->piece; k < row->piece + row->npiece; k++) {
            const FmuPiece *p = &fmu_pieces[k];
            const ShapeValues *s = &v->shapes[p->shape];
            for (size_t i = 0; i < piece_count(v, row, p); i++, from++) {
                if (!fmu_finite(*from)) {
                    snprintf(v->wrong, sizeof v->wrong, "a state is not finite");
                    return false;
                }
                v->x[s->first_state + (p->place + i % p->length) * s->nlane + p->lane +
                     i / p->length] = *from;
            }
        }
    }
    values_moved(v);
    return true;
}

/* ------------------------------------------------------------------ for both interfaces */

const char *phase_name(int phase)
{
    switch (phase) {
    case PHASE_INSTANTIATED:
    case PHASE_SETUP:
        return "instantiated";
    case PHASE_INITIALIZATION:
        return "in initialization mode";
    case PHASE_EVENT:
        return "in event mode";
    case PHASE_CONTINUOUS:
        return "in continuous-time mode";
    case PHASE_STEP:
        return "in step mode";
    case PHASE_CONFIGURATION:
        return "in configuration mode";
    case PHASE_TERMINATED:
        return "terminated";
    default:
        return "in error";
    }
}

const char *binary_problem(void)
{
#if defined __x86_64__ && defined __FMA__
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        return "this binary needs a processor with AVX2 and FMA: build it from its sources";
#endif
    return NULL;
}
