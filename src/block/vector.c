/* vector.c - a long tape of one lane as operations on arrays.
 *
 * The equations of an array, or of an array of components, are equal up to a shift of their places.
 * After elimination and differentiation they still are, so they are found again in the tape, by
 * what the instructions do, wherever they come from:
 *
 *   shape   what an instruction computes, down to inputs and constants, without their places; the
 *           level of an instruction, its distance from these, follows from its shape
 *   order   by level, then by shape, then as before: instructions of one shape do not read each
 *           other's results
 *   run     neighbours in this order whose operands and results are each a constant distance
 *           apart
 *
 * A run is one operation on arrays (LinkedRun), computed on registers of lanes by the widest
 * instruction set; what is too short for that stays code. Results have places in the order in which
 * they are computed, so that those of neighbours are neighbours and the runs that read them are
 * long. Every value is computed by the same operation as before, hence has the same bits.
 */
#include "block/tape.h"

#include <stdlib.h>

enum { SHORT_TAPE = 128, SHORT_RUN = 4 }; /* nothing is gained below */

/* where a value comes from: the first content of a slot, or an instruction's d or e */
typedef struct VectorValue {
    uint64_t shape;
    uint32_t level;
    uint32_t place;  /* in the record */
    uint32_t output; /* 1 + where a store wants it, 0: nowhere */
} VectorValue;

typedef struct VectorItem {
    uint32_t level, bucket, index;
} VectorItem;

typedef struct Bucket {
    uint64_t shape;
    uint32_t number;
} Bucket;

typedef struct Vectors {
    const Tape *t;
    const uint32_t *at;
    const LiederAllocator *alloc;
    LinkedTape *to;
    uint32_t next;           /* free place */
    VEC(VectorValue) values; /* slots, then two for each instruction */
    VEC(uint32_t) now;       /* by slot: its value */
    VEC(uint32_t) operands;  /* four for each instruction: values */
    VEC(VectorItem) items;
    Bucket *buckets; /* open addressing */
    size_t nbucket, nplace;
    uint8_t *loaded; /* by place */
    bool ok;
} Vectors;

bool tape_is_long(const Tape *t)
{
    return t->code.n >= SHORT_TAPE && t->systems.n == 0;
}

uint32_t tape_vector_scratch(const Tape *t)
{
    return t->nslot + 2 * (uint32_t)t->code.n;
}

static uint32_t place_of(const Vectors *v, const TapeCopy *c, uint32_t k)
{
    return (c->group >= TAPE_AT ? v->at[c->group - TAPE_AT] : 0) + c->index + k;
}

static uint64_t mix(uint64_t hash, uint64_t with)
{
    hash = (hash ^ with) * 0x9e3779b97f4a7c15ull;
    return hash ^ hash >> 29;
}

/* ------------------------------------------------------------------ inputs */

static void prelude(Vectors *v, uint32_t op, uint32_t place, uint32_t a)
{
    LinkedInstruction i = {.op = op, .d = place * (uint32_t)sizeof(double), .a = a};
    v->ok = v->ok && vec_push(v->alloc, &v->to->code, i);
}

/* inputs stay where they are; numbers of the Call and constants get places of their own */
static void take_inputs(Vectors *v)
{
    enum { INPUT = 1, GIVEN, CONSTANT };
    for (size_t i = 0; i < v->t->loads.n; i++) {
        const TapeCopy *c = &v->t->loads.items[i];
        for (uint32_t k = 0; k < c->count; k++) {
            VectorValue *x = &v->values.items[c->slot + k];
            x->shape = c->group == TAPE_CALL ? GIVEN : INPUT;
            x->place = c->group == TAPE_CALL ? v->next++ : place_of(v, c, k);
            if (c->group == TAPE_CALL)
                prelude(v, OPERATION_GIVEN, x->place, c->index);
        }
    }
    for (size_t i = 0; i < v->t->constants.n; i++) {
        VectorValue *x = &v->values.items[v->t->constants.items[i].slot];
        x->shape = CONSTANT;
        x->place = v->next++;
        v->ok = v->ok && vec_push(v->alloc, &v->to->values, v->t->constants.items[i].value);
        prelude(v, OPERATION_NUMBER, x->place, (uint32_t)i);
    }
    prelude(v, OPERATION_END, 0, 0);
}

/* ------------------------------------------------------------------ shapes */

/* the number of a shape, in the order in which they are met */
static uint32_t bucket_of(Vectors *v, uint64_t shape)
{
    size_t at = (size_t)shape & (v->nbucket - 1);
    while (v->buckets[at].shape && v->buckets[at].shape != shape)
        at = (at + 1) & (v->nbucket - 1);
    if (!v->buckets[at].shape)
        v->buckets[at] = (Bucket){shape, (uint32_t)v->items.n};
    return v->buckets[at].number;
}

/* one instruction: its operands, its shape, and what its slots hold from now on */
static void take_instruction(Vectors *v, uint32_t index)
{
    const TapeInstruction *i = &v->t->code.items[index];
    const uint16_t slots[] = {i->a, i->b, i->c, i->e};
    int n = operation_operands((Operation)i->op);
    uint64_t shape = mix(i->op, 1);
    uint32_t level = 0, own = v->t->nslot + 1 + 2 * index;
    for (int k = 0; k < 4; k++) {
        uint32_t from = v->now.items[slots[k < n ? k : 0]];
        const VectorValue *x = &v->values.items[from];
        v->operands.items[4 * index + (uint32_t)k] = from;
        if (k < n) {
            shape = mix(shape, x->shape);
            level = x->level > level ? x->level : level;
        }
    }
    shape |= 1; /* zero is an empty bucket */
    v->values.items[own] = (VectorValue){.shape = shape, .level = level + 1};
    v->values.items[own + 1] = (VectorValue){.shape = shape ^ 2, .level = level + 1};
    v->now.items[i->d] = own;
    if (i->op == OPERATION_SINCOS)
        v->now.items[i->e] = own + 1;
    VectorItem item = {level + 1, bucket_of(v, shape), index};
    v->ok = v->ok && vec_push(v->alloc, &v->items, item);
}

static int by_level(const void *a, const void *b)
{
    const VectorItem *x = a, *y = b;
    if (x->level != y->level)
        return x->level < y->level ? -1 : 1;
    if (x->bucket != y->bucket)
        return x->bucket < y->bucket ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* ------------------------------------------------------------------ results */

/* A result is written where it is stored. false: something is stored where something is read, and
 * all reads come before all writes. */
static bool take_stores(Vectors *v)
{
    for (size_t i = 0; i < v->t->stores.n; i++)
        for (uint32_t k = 0; k < v->t->stores.items[i].count; k++) {
            const TapeCopy *c = &v->t->stores.items[i];
            uint32_t value = v->now.items[c->slot + k], place = place_of(v, c, k);
            if (place >= v->nplace || v->loaded[place])
                return false;
            if (value > v->t->nslot && !v->values.items[value].output)
                v->values.items[value].output = place + 1;
        }
    return true;
}

/* places that a tape reads from the record; false: one lies outside of it */
static bool mark_loaded(Vectors *v)
{
    for (size_t i = 0; i < v->t->loads.n; i++)
        for (uint32_t k = 0; k < v->t->loads.items[i].count; k++) {
            const TapeCopy *c = &v->t->loads.items[i];
            if (c->group == TAPE_CALL)
                continue;
            if (place_of(v, c, k) >= v->nplace)
                return false;
            v->loaded[place_of(v, c, k)] = 1;
        }
    return true;
}

/* continues the last run, or begins one; `same`: it may continue it */
static void add_run(Vectors *v, LinkedRun one, bool same)
{
    LinkedRun *last = v->to->runs.n ? &v->to->runs.items[v->to->runs.n - 1] : NULL;
    bool joins = same && last && last->op == one.op;
    for (int k = 0; k < LINKED_PLACES && joins; k++) {
        int32_t step = (int32_t)(one.place[k] - last->place[k]);
        joins = last->n == 1 || step == last->step[k] * (int32_t)last->n;
    }
    if (joins && last->n == 1 && one.place[0] == last->place[0])
        joins = false;
    if (!joins) {
        v->ok = v->ok && vec_push(v->alloc, &v->to->runs, one);
        return;
    }
    for (int k = 0; k < LINKED_PLACES && last->n == 1; k++)
        last->step[k] = (int32_t)(one.place[k] - last->place[k]);
    last->n++;
}

static void put_value(Vectors *v, VectorValue *x)
{
    x->place = x->output ? x->output - 1 : v->next++;
}

/* operations in order of level and kind; neighbours of one kind with places at equal distances
 * become one run */
static void make_runs(Vectors *v)
{
    for (size_t k = 0; k < v->items.n && v->ok; k++) {
        const VectorItem *item = &v->items.items[k];
        const TapeInstruction *i = &v->t->code.items[item->index];
        const uint32_t *from = &v->operands.items[4 * (size_t)item->index];
        VectorValue *own = &v->values.items[v->t->nslot + 1 + 2 * item->index];
        put_value(v, own);
        if (i->op == OPERATION_SINCOS)
            put_value(v, own + 1);
        LinkedRun one = {.op = i->op, .n = 1, .place = {own->place}};
        for (int n = 0; n < 4; n++)
            one.place[LINKED_A + n] = v->values.items[from[n]].place;
        if (i->op == OPERATION_SINCOS)
            one.place[LINKED_E] = own[1].place;
        add_run(v, one, k > 0 && v->items.items[k - 1].bucket == item->bucket);
    }
}

static bool is_short(const LinkedRun *r)
{
    return r->n < SHORT_RUN;
}

/* the values of a run as instructions */
static bool run_to_code(Vectors *v, const LinkedRun *r)
{
    const uint32_t size = sizeof(double);
    for (uint32_t k = 0; k < r->n; k++) {
        uint32_t at[LINKED_PLACES];
        for (int i = 0; i < LINKED_PLACES; i++)
            at[i] = (r->place[i] + k * (uint32_t)r->step[i]) * size;
        LinkedInstruction i = {r->op,        at[LINKED_D], at[LINKED_A],
                               at[LINKED_B], at[LINKED_C], at[LINKED_E]};
        if (!vec_push(v->alloc, &v->to->code, i))
            return false;
    }
    return true;
}

/* runs that are short become code between the others */
static bool shorten(Vectors *v)
{
    size_t kept = 0;
    const LinkedInstruction end = {.op = OPERATION_END};
    for (size_t k = 0; k < v->to->runs.n;) {
        LinkedRun run = v->to->runs.items[k];
        if (!is_short(&run)) {
            v->to->runs.items[kept++] = run;
            k++;
            continue;
        }
        LinkedRun code = {.op = OPERATION_END, .n = (uint32_t)v->to->code.n};
        for (; k < v->to->runs.n && is_short(&v->to->runs.items[k]); k++) {
            run = v->to->runs.items[k];
            if (!run_to_code(v, &run))
                return false;
        }
        if (!vec_push(v->alloc, &v->to->code, end))
            return false;
        v->to->runs.items[kept++] = code;
    }
    v->to->runs.n = kept;
    return true;
}

/* stores of values that were not written to their places at once */
static void copy_rest(Vectors *v)
{
    for (size_t i = 0; i < v->t->stores.n; i++)
        for (uint32_t k = 0; k < v->t->stores.items[i].count && v->ok; k++) {
            const TapeCopy *c = &v->t->stores.items[i];
            uint32_t from = v->values.items[v->now.items[c->slot + k]].place,
                     to = place_of(v, c, k);
            if (from != to)
                add_run(v,
                        (LinkedRun){
                            .op = OPERATION_COPY, .n = 1, .place = {to, from, from, from, from}},
                        true);
        }
}

/* ------------------------------------------------------------------ all of it */

/* levels of all operations, then runs of equal ones; false: it is not worth it, or no memory */
static bool vectors_make(Vectors *v)
{
    const Tape *t = v->t;
    if (!mark_loaded(v))
        return false;
    take_inputs(v);
    for (uint32_t s = 0; s <= t->nslot; s++)
        v->now.items[s] = s;
    for (uint32_t k = 0; k + 1 < t->code.n && v->ok; k++)
        take_instruction(v, k);
    if (!v->ok || !take_stores(v))
        return false;
    qsort(v->items.items, v->items.n, sizeof *v->items.items, by_level);
    make_runs(v);
    copy_rest(v);
    /* not worth it if most of it stays code */
    return v->ok && shorten(v) && v->to->code.n <= v->t->constants.n + t->code.n / 2;
}

bool tape_link_vectors(LinkedTape *to, const Tape *t, const uint32_t *at, uint32_t scratch,
                       const LiederAllocator *alloc)
{
    *to = (LinkedTape){0};
    Vectors v = {.t = t,
                 .at = at,
                 .alloc = alloc,
                 .to = to,
                 .next = scratch,
                 .nbucket = 64,
                 .nplace = scratch, /* slots stand behind all else */
                 .ok = true};
    while (v.nbucket < 2 * t->code.n)
        v.nbucket *= 2;
    v.buckets = memory_zeroed(alloc, v.nbucket * sizeof *v.buckets);
    v.loaded = memory_zeroed(alloc, v.nplace + 1);
    bool good = v.buckets && v.loaded &&
                vec_resize(alloc, &v.values, (size_t)t->nslot + 1 + 2 * t->code.n) &&
                vec_resize(alloc, &v.now, (size_t)t->nslot + 1) &&
                vec_resize(alloc, &v.operands, 4 * t->code.n) && vectors_make(&v);
    memory_free(alloc, v.buckets, v.nbucket * sizeof *v.buckets);
    memory_free(alloc, v.loaded, v.nplace + 1);
    vec_drop(alloc, &v.values);
    vec_drop(alloc, &v.now);
    vec_drop(alloc, &v.operands);
    vec_drop(alloc, &v.items);
    if (!good)
        linked_drop(to, alloc);
    return good;
}
