/* linearise.c - a system near a point of its motion.
 *
 *   x' = f(t, x, u),   y = g(t, x, u);   A = df/dx,  B = df/du,  C = dg/dx,  D = dg/du
 *
 * Lanes do not see each other: A is block diagonal with one block per lane, and moving a state in
 * * all lanes at once costs one evaluation of the shape. The natural size of a state is the least
 * power of two that is at least max(1, |x|), so that steps add little rounding in linear models;
 * difference.c shortens it where the model bends.
 *
 * Inputs are parameters, or open signal inputs: their value is changed and restored. A parameter at
 * the end of its range is moved to the inside only.
 */
#include "analysis/analysis.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------ the point */

static LiederStatus no_memory(Linear *l)
{
    diag_error(&l->system->session->diag, NULL, NULL, "not enough memory to linearise the model");
    return LIEDER_NO_MEMORY;
}

static double natural_size(double x)
{
    return x == 0 ? 1 : fmax(1, exp2(ceil(log2(fabs(x)))));
}

/* the point: start values or those of a run, choices decided, room made */
static LiederStatus prepare_linear(Linear *l, const LinearPoint *p)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(l->system);
    size_t n = l->system->nstate, bytes = (n + 1) * sizeof(double);
    LiederStatus status = LIEDER_DONE;
    if (p->memory) /* of a run, whose past is gone */
        status = refuse_delays(l->system, "linearised after its start");
    else
        warn_of_delays(l->system);
    if (status != LIEDER_DONE)
        return status;
    status = team_create(&l->team, l->system, 1);
    if (status == LIEDER_DONE)
        status = events_create(&l->events, &l->team, fmax(1, fabs(p->t)), NULL);
    if (status != LIEDER_DONE)
        return no_memory(l);
    l->x = memory_zeroed(alloc, bytes);
    l->dx = memory_zeroed(alloc, bytes);
    if (!l->x || !l->dx || !vec_resize(alloc, &l->shapes, l->system->shapes.n))
        return no_memory(l);
    memcpy(l->x, p->x, n * sizeof(double));
    double decided = p->t + events_margin(&l->events, p->t);
    l->moment = events_moment(&l->events, decided, false);
    if (p->memory && l->system->nmemory)
        memcpy(l->events.memory, p->memory, l->system->nmemory * sizeof(double));
    if (p->choices)
        memcpy(l->events.choices, p->choices, l->system->nchoice * sizeof(double));
    else if (p->memory)
        status = events_decide_again(&l->events, p->t, decided, l->x, LIEDER_CHATTER_STOP);
    else
        status = events_start(&l->events, p->t, decided, l->x, LIEDER_CHATTER_STOP);
    if (status != LIEDER_DONE)
        return status;
    l->system->moment = l->moment; /* for observers */
    return team_derivatives(&l->team, p->t, &l->moment, l->x, l->dx, true);
}

/* ------------------------------------------------------------------ A */

/* errors of an entry: relative to itself, above which it is uncertain; relative to the largest
 * entry, below which it is negligible */
static const double UNCERTAIN = 1e-3, NEGLIGIBLE = 1e-10;

/* one state of all lanes of a shape, which is varied */
typedef struct Column {
    Linear *l;
    uint32_t shape;
    size_t state;
    double *moved, *changed; /* whole vectors; moved is x but for this state */
} Column;

/* derivatives with one state of each lane moved by h times its size */
static LiederStatus column_side(const Column *c, double h, double *to)
{
    const SystemShape *ss = &c->l->system->shapes.items[c->shape];
    size_t nlane = ss->shape->nlane;
    for (size_t lane = 0; lane < nlane; lane++) {
        size_t at = home_state(ss, c->state, lane);
        c->moved[at] = c->l->x[at] + h * natural_size(c->l->x[at]);
    }
    LiederStatus status =
        team_shape_derivatives(&c->l->team, c->shape, c->l->t, &c->l->moment, c->moved, c->changed);
    for (size_t s = 0; s < ss->shape->states.n; s++)
        for (size_t lane = 0; lane < nlane; lane++)
            to[s * nlane + lane] = c->changed[home_state(ss, s, lane)];
    return status;
}

/* both sides of the difference for one column, and the distance between them */
static LiederStatus column_ends(void *user, double h, double *high, double *low, double *width)
{
    Column *c = user;
    Diagnostics *diag = &c->l->system->session->diag;
    const SystemShape *ss = &c->l->system->shapes.items[c->shape];
    size_t nlane = ss->shape->nlane, n = ss->shape->states.n, before = diag->list.n;
    LiederStatus status = column_side(c, h, high);
    for (size_t lane = 0; lane < nlane; lane++)
        width[lane] = c->moved[home_state(ss, c->state, lane)];
    if (status == LIEDER_DONE)
        status = column_side(c, -h, low);
    for (size_t lane = 0; lane < nlane; lane++) {
        size_t at = home_state(ss, c->state, lane);
        width[lane] -= c->moved[at]; /* exactly what lies between */
        c->moved[at] = c->l->x[at];
    }
    for (size_t r = 1; r < n; r++)
        memcpy(width + r * nlane, width, nlane * sizeof(double));
    diag_forget(diag, before);
    return status;
}

static void name_failure(Linear *l, size_t state, LiederStatus status)
{
    char name[600];
    diag_error(&l->system->session->diag, NULL,
               lieder_system_state_name(l->system, state, name, sizeof name),
               "the derivatives cannot be evaluated near t = %g when this state moves: %s", l->t,
               lieder_status_text(status));
}

/* the matrices of all lanes of a shape, a column of all lanes at a time */
static LiederStatus make_blocks(Linear *l, uint32_t shape, double *moved, double *changed)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(l->system);
    const SystemShape *ss = &l->system->shapes.items[shape];
    size_t n = ss->shape->states.n, nlane = ss->shape->nlane;
    LinearShape *s = &l->shapes.items[shape];
    *s = (LinearShape){.n = n, .nlane = nlane};
    if (n * nlane == 0 || n > MAX_DENSE)
        return LIEDER_DONE;
    s->A = memory_zeroed(alloc, n * n * nlane * sizeof(double));
    s->error = memory_zeroed(alloc, n * n * nlane * sizeof(double));
    Difference d;
    if (!s->A || !s->error || difference_create(&d, alloc, n * nlane) != LIEDER_DONE)
        return no_memory(l);
    Column c = {.l = l, .shape = shape, .moved = moved, .changed = changed};
    LiederStatus status = LIEDER_DONE;
    for (c.state = 0; c.state < n && status == LIEDER_DONE; c.state++) {
        status = difference_find(&d, false, column_ends, &c);
        if (status != LIEDER_DONE)
            name_failure(l, home_state(ss, c.state, 0), status);
        for (size_t r = 0; r < n; r++)
            for (size_t lane = 0; lane < nlane; lane++) {
                size_t to = (lane * n + c.state) * n + r;
                s->A[to] = d.value[r * nlane + lane];
                s->error[to] = d.error[r * nlane + lane];
            }
    }
    difference_drop(&d);
    return status;
}

/* warns of entries that their own errors may hide, once for all of them */
static void warn_uncertain(Linear *l, uint32_t shape)
{
    const LinearShape *s = &l->shapes.items[shape];
    const SystemShape *ss = &l->system->shapes.items[shape];
    size_t count = 0, row = 0, column = 0, in = 0;
    for (size_t lane = 0, one; s->A && lanes_next(ss, &lane, &one, 1); lane++) {
        double largest = 0;
        for (size_t i = lane * s->n * s->n; i < (lane + 1) * s->n * s->n; i++)
            largest = fmax(largest, fabs(s->A[i]));
        for (size_t k = 0; k < s->n * s->n; k++) {
            size_t i = lane * s->n * s->n + k;
            if (s->error[i] <= UNCERTAIN * fabs(s->A[i]) || s->error[i] <= NEGLIGIBLE * largest)
                continue;
            if (count++ == 0)
                row = k % s->n, column = k / s->n, in = lane;
        }
    }
    if (count == 0)
        return;
    char to[300], by[300];
    size_t i = (in * s->n + column) * s->n + row;
    diag_add(&l->system->session->diag, LIEDER_WARNING, NULL, NULL,
             "%zu entr%s of A may be off by more than %g %%: d(der(%s))/d(%s) = %g +- %.1g\n"
             "the model bends or is too ill-conditioned there for differences",
             count, count == 1 ? "y" : "ies", 100 * UNCERTAIN,
             lieder_system_state_name(l->system, home_state(ss, row, in), to, sizeof to),
             lieder_system_state_name(l->system, home_state(ss, column, in), by, sizeof by),
             s->A[i], s->error[i]);
}

/* A, shape by shape */
static LiederStatus find_A(Linear *l)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(l->system);
    size_t bytes = (l->system->nstate + 1) * sizeof(double);
    double *moved = memory_copy(alloc, l->x, bytes), *changed = memory_zeroed(alloc, bytes);
    LiederStatus status = moved && changed ? LIEDER_DONE : no_memory(l);
    for (uint32_t i = 0; i < l->shapes.n && status == LIEDER_DONE; i++)
        status = make_blocks(l, i, moved, changed);
    for (uint32_t i = 0; i < l->shapes.n && status == LIEDER_DONE; i++)
        if (!l->rough)
            warn_uncertain(l, i);
    memory_free(alloc, moved, bytes);
    memory_free(alloc, changed, bytes);
    return status;
}

/* the blocks of lanes do not meet */
void linear_matrix(const Linear *l, double *A)
{
    size_t n = l->system->nstate;
    for (uint32_t i = 0; i < l->shapes.n; i++) {
        const LinearShape *s = &l->shapes.items[i];
        const SystemShape *ss = &l->system->shapes.items[i];
        for (size_t lane = 0, one; lanes_next(ss, &lane, &one, 1); lane++)
            for (size_t c = 0; c < s->n; c++)
                for (size_t r = 0; r < s->n; r++)
                    A[home_state(ss, c, lane) * n + home_state(ss, r, lane)] =
                        s->A[(lane * s->n + c) * s->n + r];
    }
}

/* ------------------------------------------------------------------ products without a matrix */

/* Along one direction, short enough for what bends early: half a dozen digits of f are left for a
 * truncation of the fourth order, (4 D(h/2) - D(h)) / 3. */
static const double PRODUCT_STEP = 0x1p-12;

LiederStatus linear_apply(Linear *l, uint32_t shape, size_t lane, const double *v, double *product,
                          double *room)
{
    SystemShape *ss = &l->system->shapes.items[shape];
    size_t n = ss->shape->states.n;
    double *moved = room, *high = room + n, *low = high + n, *sum = low + n, largest = 0;
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(v[i]) / natural_size(l->x[home_state(ss, i, lane)]));
    memset(sum, 0, n * sizeof(double));
    strip_load(ss, ss->workspace, lane, 1);
    for (int k = 0; k < 2 && largest > 0; k++) {
        double h = exp2(-ceil(log2(largest))) * PRODUCT_STEP / (1 + k);
        for (int side = 0; side < 2; side++) {
            for (size_t i = 0; i < n; i++)
                moved[i] = l->x[home_state(ss, i, lane)] + (side ? -h : h) * v[i];
            LiederStatus status = strip_evaluate(l->system, ss, ss->workspace, l->t, &l->moment,
                                                 lane, 1, moved, 1, side ? low : high, 1);
            if (status != LIEDER_DONE)
                return status;
        }
        for (size_t i = 0; i < n; i++)
            sum[i] += (k ? 4.0 / 3 : -1.0 / 3) * (high[i] - low[i]) / (2 * h);
    }
    memcpy(product, sum, n * sizeof(double));
    return LIEDER_DONE;
}

/* ------------------------------------------------------------------ B, C, D */

/* an input, or a state of one lane, which is varied; the functions are all derivatives (of an input
 * only), then outputs */
typedef struct LinearProbe {
    Linear *l;
    LiederObserver *observer;
    const LiederHandle *input; /* NULL: the state */
    size_t state;              /* in x */
    double value;              /* of the input or the state at the point */
    double *x;
    double low, high; /* how far it goes to the sides, in natural sizes: 0 or 1 */
} LinearProbe;

/* derivatives and outputs with one input or state at another value */
static LiederStatus probe_side(LinearProbe *p, double value, double *to)
{
    Linear *l = p->l;
    LiederStatus status = LIEDER_DONE;
    if (p->input)
        status = lieder_handle_set(l->system, p->input, value);
    else
        p->x[p->state] = value;
    if (status == LIEDER_DONE && p->input) {
        status = team_derivatives(&l->team, l->t, &l->moment, p->x, to, false);
        to += l->system->nstate;
    }
    if (status == LIEDER_DONE)
        status = lieder_observer_evaluate(p->observer, l->t, p->x, to);
    if (p->input)
        lieder_handle_set(l->system, p->input, p->value);
    else
        p->x[p->state] = p->value;
    return status;
}

/* both sides of the difference for an input or a state */
static LiederStatus probe_ends(void *user, double h, double *high, double *low, double *width)
{
    LinearProbe *p = user;
    Diagnostics *diag = &p->l->system->session->diag;
    size_t before = diag->list.n, n = p->l->noutput + (p->input ? p->l->system->nstate : 0);
    double size = natural_size(p->value);
    if (p->input && p->value != 0) /* a parameter knows its own size */
        size = exp2(floor(log2(fabs(p->value))) - 1);
    double top = p->value + p->high * h * size, bottom = p->value - p->low * h * size;
    LiederStatus status = probe_side(p, top, high);
    if (status == LIEDER_DONE)
        status = probe_side(p, bottom, low);
    for (size_t i = 0; i < n; i++)
        width[i] = top - bottom;
    diag_forget(diag, before);
    return status;
}

/* On which sides of the point is the input admissible? A thousandth is examined; longer steps that
 * are not admissible fail and are shortened. */
static bool choose_sides(LinearProbe *p)
{
    double step = 1e-3 * (p->value == 0 ? 1 : fabs(p->value));
    p->high = handle_admits(p->l->system, p->input, p->value + step);
    p->low = handle_admits(p->l->system, p->input, p->value - step);
    return p->high + p->low > 0;
}

/* columns of B and D, an input at a time */
static LiederStatus find_B(Linear *l, const LinearPoint *point, const LiederHandle *inputs,
                           LiederObserver *observer)
{
    size_t n = l->system->nstate;
    Difference d;
    if (difference_create(&d, SYSTEM_ALLOC(l->system), n + l->noutput) != LIEDER_DONE)
        return no_memory(l);
    LiederStatus status = LIEDER_DONE;
    for (size_t i = 0; i < l->ninput && status == LIEDER_DONE; i++) {
        LinearProbe p = {
            .l = l, .observer = observer, .input = &inputs[i], .value = l->u[i], .x = l->x};
        if (!choose_sides(&p)) {
            diag_error(&l->system->session->diag, NULL, point->inputs[i],
                       "cannot be an input: it cannot be changed while the system lives\n"
                       "inputs are numbers, no switches, counts or tables");
            status = LIEDER_BAD_USE;
            break;
        }
        status = difference_find(&d, p.high + p.low < 2, probe_ends, &p);
        if (status != LIEDER_DONE)
            diag_error(&l->system->session->diag, NULL, point->inputs[i],
                       "the derivatives cannot be evaluated near t = %g when this input moves: %s",
                       l->t, lieder_status_text(status));
        memcpy(l->B + i * n, d.value, n * sizeof(double));
        memcpy(l->D + i * l->noutput, d.value + n, l->noutput * sizeof(double));
    }
    difference_drop(&d);
    return status;
}

/* the columns of C for the states of an output's lane, unless an output before it is of that
 * lane */
static LiederStatus find_C_of_lane(Linear *l, LiederObserver *observer, size_t output,
                                   Difference *d)
{
    uint32_t shape, other_shape;
    size_t lane, other_lane;
    if (!observer_place(observer, output, &shape, &lane))
        return LIEDER_DONE;
    for (size_t i = 0; i < output; i++)
        if (observer_place(observer, i, &other_shape, &other_lane) && shape == other_shape &&
            lane == other_lane)
            return LIEDER_DONE;
    const SystemShape *ss = &l->system->shapes.items[shape];
    for (size_t s = 0; s < ss->shape->states.n; s++) {
        size_t state = home_state(ss, s, lane);
        LinearProbe p = {.l = l,
                         .observer = observer,
                         .state = state,
                         .value = l->x[state],
                         .x = l->x,
                         .low = 1,
                         .high = 1};
        LiederStatus status = difference_find(d, false, probe_ends, &p);
        if (status != LIEDER_DONE) {
            name_failure(l, state, status);
            return status;
        }
        memcpy(l->C + state * l->noutput, d->value, l->noutput * sizeof(double));
    }
    return LIEDER_DONE;
}

static LiederStatus find_C(Linear *l, LiederObserver *observer)
{
    Difference d;
    if (difference_create(&d, SYSTEM_ALLOC(l->system), l->noutput) != LIEDER_DONE)
        return no_memory(l);
    LiederStatus status = LIEDER_DONE;
    for (size_t i = 0; i < l->noutput && status == LIEDER_DONE; i++)
        status = find_C_of_lane(l, observer, i, &d);
    difference_drop(&d);
    return status;
}

/* B, C and D of the inputs and outputs of the point */
static LiederStatus find_ports(Linear *l, const LinearPoint *p)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(l->system);
    size_t n = l->system->nstate;
    l->ninput = p->ninput;
    l->noutput = p->noutput;
    l->B = memory_zeroed(alloc, (n * p->ninput + 1) * sizeof(double));
    l->C = memory_zeroed(alloc, (n * p->noutput + 1) * sizeof(double));
    l->D = memory_zeroed(alloc, (p->ninput * p->noutput + 1) * sizeof(double));
    l->u = memory_zeroed(alloc, (p->ninput + 1) * sizeof(double));
    l->y = memory_zeroed(alloc, (p->noutput + 1) * sizeof(double));
    LiederObserver *observer = lieder_observer_create(l->system);
    LiederHandle *inputs = memory_zeroed(alloc, (p->ninput + 1) * sizeof *inputs);
    bool ready = l->B && l->C && l->D && l->u && l->y && observer && inputs;
    LiederStatus status = ready ? LIEDER_DONE : no_memory(l);
    /* reports all wrong names at once */
    for (size_t i = 0; i < p->ninput && ready; i++)
        if (lieder_handle_find(l->system, p->inputs[i], &inputs[i]) != LIEDER_DONE ||
            lieder_handle_get(l->system, &inputs[i], &l->u[i]) != LIEDER_DONE)
            status = LIEDER_BAD_USE;
    for (size_t i = 0; i < p->noutput && ready; i++)
        if (lieder_observer_add(observer, p->outputs[i]) < 0)
            status = LIEDER_BAD_USE;
    if (status == LIEDER_DONE)
        status = lieder_observer_evaluate(observer, l->t, l->x, l->y);
    if (status == LIEDER_DONE && p->ninput)
        status = find_B(l, p, inputs, observer);
    if (status == LIEDER_DONE && p->noutput)
        status = find_C(l, observer);
    lieder_observer_destroy(observer);
    memory_free(alloc, inputs, (p->ninput + 1) * sizeof *inputs);
    return status;
}

/* ------------------------------------------------------------------ all of it */

LiederStatus linear_create(Linear *l, LiederSystem *system, const LinearPoint *point)
{
    *l = (Linear){.system = system, .t = point->t, .rough = point->rough};
    LiederStatus status = prepare_linear(l, point);
    if (status == LIEDER_DONE)
        status = find_ports(l, point);
    if (status == LIEDER_DONE)
        status = find_A(l);
    return status;
}

void linear_drop(Linear *l)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(l->system);
    size_t n = l->system->nstate;
    l->system->moment = (Moment){.event_time = NAN};
    for (size_t i = 0; i < l->shapes.n; i++) {
        LinearShape *s = &l->shapes.items[i];
        memory_free(alloc, s->A, s->n * s->n * s->nlane * sizeof(double));
        memory_free(alloc, s->error, s->n * s->n * s->nlane * sizeof(double));
    }
    vec_drop(alloc, &l->shapes);
    memory_free(alloc, l->x, (n + 1) * sizeof(double));
    memory_free(alloc, l->dx, (n + 1) * sizeof(double));
    memory_free(alloc, l->B, (n * l->ninput + 1) * sizeof(double));
    memory_free(alloc, l->C, (n * l->noutput + 1) * sizeof(double));
    memory_free(alloc, l->D, (l->ninput * l->noutput + 1) * sizeof(double));
    memory_free(alloc, l->u, (l->ninput + 1) * sizeof(double));
    memory_free(alloc, l->y, (l->noutput + 1) * sizeof(double));
    if (l->team.system) {
        events_drop(&l->events);
        team_drop(&l->team);
    }
    *l = (Linear){0};
}
