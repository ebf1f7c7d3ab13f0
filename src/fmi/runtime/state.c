/* state.c - see fmu.h. A copy is one block of bytes, so that it is its own serialised form: a head
 * with the token of the model, then numbers.
 *
 *   t, event_time, origin, counter, hold, at_start, phase, ends, lanes, next, x, choices,
 *   memory, marks, pasts (history.c);
 *   by shape: slots, a flag for each slot with numbers by lane, these numbers */
#include "fmu.h"

enum { TOKEN = 40, NUMBERS = 10, PHASE = 6 };

struct Kept {
    size_t size; /* of all */
    char token[TOKEN];
};

static size_t kept_need(const Values *v)
{
    size_t n = NUMBERS + v->nstate + v->nchoice + v->nmemory + v->nmark;
    n += fmu_events ? fmu_events->pasts_size(v) : 0;
    for (size_t i = 0; i < fmu_nshape; i++) {
        const ShapeValues *s = &v->shapes[i];
        n += 2 * s->shape->nslot;
        for (size_t k = 0; k < s->shape->nslot; k++)
            n += s->lanes[k] ? s->nlane : 0;
    }
    return sizeof(Kept) + n * sizeof(double);
}

static double *put_numbers(double *to, const double *from, size_t n)
{
    memcpy(to, from, n * sizeof *to);
    return to + n;
}

Kept *kept_take(const Values *v, Kept *old, int phase)
{
    size_t size = kept_need(v);
    Kept *kept = realloc(old, size);
    if (!kept)
        return NULL;
    memset(kept, 0, sizeof *kept);
    kept->size = size;
    strncpy(kept->token, fmu_token, TOKEN - 1);
    double *to = (double *)(kept + 1);
    const double numbers[NUMBERS] = {
        v->t,        v->event_time, v->origin, (double)v->counter, v->hold,
        v->at_start, (double)phase, v->ends,   (double)v->lanes,   v->next};
    to = put_numbers(to, numbers, NUMBERS);
    to = put_numbers(to, v->x, v->nstate);
    to = put_numbers(to, v->choices, v->nchoice);
    to = put_numbers(to, v->memory, v->nmemory);
    to = put_numbers(to, v->marks, v->nmark);
    if (fmu_events)
        to = fmu_events->pasts_write(v, to);
    for (size_t i = 0; i < fmu_nshape; i++) {
        const ShapeValues *s = &v->shapes[i];
        to = put_numbers(to, s->slots, s->shape->nslot);
        for (size_t k = 0; k < s->shape->nslot; k++) {
            *to++ = s->lanes[k] != NULL;
            if (s->lanes[k])
                to = put_numbers(to, s->lanes[k], s->nlane);
        }
    }
    return kept;
}

/* numbers by lane as the copy has them; NULL: no memory */
static const double *restore_lanes(ShapeValues *s, size_t slot, const double *from)
{
    size_t n = s->nlane;
    bool has = *from++ != 0;
    if (has && !s->lanes[slot])
        s->lanes[slot] = malloc((n + 1) * sizeof(double));
    if (has && !s->lanes[slot])
        return NULL;
    if (!has) {
        free(s->lanes[slot]);
        s->lanes[slot] = NULL;
        return from;
    }
    memcpy(s->lanes[slot], from, n * sizeof *from);
    return from + n;
}

int kept_phase(const Kept *kept)
{
    return (int)((const double *)(kept + 1))[PHASE];
}

bool kept_restore(Values *v, const Kept *kept)
{
    const double *from = (const double *)(kept + 1);
    if ((size_t)from[8] != v->lanes && !values_resize(v, (size_t)from[8]))
        return false;
    v->t = from[0];
    v->event_time = from[1];
    v->origin = from[2];
    v->counter = (size_t)from[3];
    v->hold = from[4] != 0;
    v->at_start = from[5] != 0;
    v->ends = from[7] != 0;
    v->next = from[9];
    from += NUMBERS;
    memcpy(v->x, from, v->nstate * sizeof *from);
    from += v->nstate;
    memcpy(v->choices, from, v->nchoice * sizeof *from);
    from += v->nchoice;
    memcpy(v->memory, from, v->nmemory * sizeof *from);
    from += v->nmemory;
    memcpy(v->marks, from, v->nmark * sizeof *from);
    from += v->nmark;
    if (fmu_events && !(from = fmu_events->pasts_read(v, from)))
        return false;
    for (size_t i = 0; i < fmu_nshape; i++) {
        ShapeValues *s = &v->shapes[i];
        memcpy(s->slots, from, s->shape->nslot * sizeof *from);
        from += s->shape->nslot;
        s->differ = 0;
        for (size_t k = 0; k < s->shape->nslot; k++) {
            from = restore_lanes(s, k, from);
            if (!from)
                return false;
            s->differ += (s->lanes[k] || s->shape->slots[k].lanes) && !slot_is_start(s->shape, k);
        }
        s->stale = true;
    }
    v->has_start = false;
    values_moved(v);
    return true;
}

void kept_free(Kept *kept)
{
    free(kept);
}

size_t kept_size(const Kept *kept)
{
    return kept->size;
}

void kept_write(const Kept *kept, unsigned char *to)
{
    memcpy(to, kept, kept->size);
}

/* the length of the copy in numbers, by its lanes and flags; n + 1: it does not fit */
static size_t kept_length(const double *numbers, size_t n)
{
    double lanes = numbers[8]; /* there is at least one number of each */
    if (!(lanes >= 1 && lanes <= (double)n) && (size_t)lanes != fmu_lanes)
        return n + 1;
    if (fmu_most_lanes && (size_t)lanes > fmu_most_lanes)
        return n + 1;
    Values *v = values_create((size_t)lanes); /* for the sizes */
    size_t at = v ? NUMBERS + v->nstate + v->nchoice + v->nmemory + v->nmark : n + 1;
    if (fmu_events && at <= n)
        at += fmu_events->pasts_length(v, numbers + at, n - at);
    for (size_t i = 0; i < fmu_nshape && at <= n; i++) {
        const FmuShape *shape = fmu_shapes[i];
        at += shape->nslot;
        for (size_t k = 0; k < shape->nslot; k++) /* each has a flag: at n one is missing */
            at += at < n && numbers[at] != 0 ? 1 + v->shapes[i].nlane : 1;
    }
    values_destroy(v);
    return at;
}

Kept *kept_read(const unsigned char *from, size_t n)
{
    Kept head;
    if (n < sizeof head + NUMBERS * sizeof(double) || (n - sizeof head) % sizeof(double))
        return NULL;
    memcpy(&head, from, sizeof head);
    if (head.size != n || memcmp(head.token, fmu_token, strlen(fmu_token)) != 0)
        return NULL;
    Kept *kept = malloc(n);
    if (!kept)
        return NULL;
    memcpy(kept, from, n);
    size_t count = (n - sizeof head) / sizeof(double);
    const double *numbers = (const double *)(kept + 1);
    bool ok = true;
    for (size_t i = 0; i < NUMBERS; i++)
        ok = ok && fmu_finite(numbers[i]);
    ok = ok && numbers[3] >= 0 && numbers[3] < 9e15 && numbers[8] >= 0 && numbers[8] < 9e15;
    /* one of the phases in which a copy can be taken */
    int phase = ok && numbers[PHASE] >= 1 && numbers[PHASE] <= PHASE_ANY ? kept_phase(kept) : 0;
    ok = ok && phase & PHASE_ANY && !(phase & (phase - 1)) && kept_length(numbers, count) == count;
    if (ok)
        return kept;
    free(kept);
    return NULL;
}
