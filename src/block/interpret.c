/* interpret.c - runs a tape over lanes. Compiled once per instruction set, see cmake/lanes.cmake.
 *
 * Slots are slot-major: the lanes of one slot stand side by side, N registers of them, so that an
 * instruction is a loop of constant length over contiguous memory, and its dispatch (a computed
 * goto) is paid once for all of them. A strip is taken in chunks of 8, 4, 2 and 1 registers, on
 * machines without AVX2, which are slow in any case, of 2 and 1, which take less time to compile;
 * interpret.inc is the interpreter for one such number. With 8 registers and 100 slots the slots of
 * AVX2 take 25 kB of the first-level cache. Functions are called for all registers of a slot. A
 * system of equations is solved in a workspace behind the slots, where the instructions of its
 * residuals have slots of their own.
 */
#include "block/interpret.h"
#include "block/loop.h"

#include <string.h>

#define FUNCTION_1(lanes) lanes(a[v])
#define FUNCTION_2(lanes) lanes(a[v], b[v])
#define CALL(id, name, arity, lanes, result)                                                       \
    static __attribute__((noinline)) void call_##id(real *d, const real *a, const real *b, int n,  \
                                                    size_t apart)                                  \
    {                                                                                              \
        (void)b;                                                                                   \
        for (size_t v = 0; v < (size_t)n * apart; v += apart)                                      \
            d[v] = FUNCTION_##arity(lanes);                                                        \
    }
FUNCTIONS(CALL)

static __attribute__((noinline)) void call_sincos(real *d, real *e, const real *a, int n,
                                                  size_t apart)
{
    for (size_t v = 0; v < (size_t)n * apart; v += apart) {
        real s, c;
        real_sincos(a[v], &s, &c);
        d[v] = s;
        e[v] = c;
    }
}

static inline real *copy_place(const TapeCopy *c, real *record, const uint32_t *at)
{
    return record + (c->group >= TAPE_AT ? at[c->group - TAPE_AT] : 0) + c->index;
}

/* a number of the Call for a register of lanes, of which `lane` is the first */
static real call_value(const LiederStrip *strip, size_t lane, uint32_t index)
{
    const Call call = lieder_call(strip, lane);
    switch (index) {
    case TAPE_TIME:
        return call.time;
    case TAPE_EVENT_TIME:
        return call.event_time;
    case TAPE_BIAS_SCALE:
        return REAL(call.bias_scale);
    case TAPE_HOLD:
        return REAL((double)call.hold);
    case TAPE_INITIAL:
        return REAL((double)call.initial);
    default: /* TAPE_TERMINAL */
        return REAL((double)call.terminal);
    }
}

/* Prefetches the lanes that come next: the rows of a large fleet lie so far apart that the
 * processor does not do so by itself. Addresses beyond the end do no harm. */
static inline void prefetch_lanes(const double *from, size_t n)
{
    enum { LINE = 64 / sizeof(double) };
    for (size_t k = 0; k < n; k += LINE)
        __builtin_prefetch(from + k);
}

/* the numbers of n lanes into `whole` places; those beyond the last lane repeat it */
static inline void take_lanes(double *to, const double *from, size_t n, size_t whole)
{
    if (__builtin_expect(n == whole, 1)) {
        memcpy(to, from, whole * sizeof *to);
        prefetch_lanes(from + whole, whole);
        return;
    }
    for (size_t l = 0; l < whole; l++)
        to[l] = from[l < n ? l : n - 1];
}

/* copies the lanes that count back to where they are stored */
static inline void put_lanes(double *to, const double *from, size_t n, size_t whole)
{
    memcpy(to, from, (__builtin_expect(n == whole, 1) ? whole : n) * sizeof *to);
    prefetch_lanes(to + whole, whole);
}

#ifdef __AVX2__
#define MAX_REGISTERS 8
#else
#define MAX_REGISTERS 2
#endif
#define N          1
#define RUN        run_1
#define RUN_LINKED linked_1
#include "block/interpret.inc"
#define N          2
#define RUN        run_2
#define RUN_LINKED linked_2
#include "block/interpret.inc"
#if MAX_REGISTERS > 2
#define N          4
#define RUN        run_4
#define RUN_LINKED linked_4
#include "block/interpret.inc"
#define N          8
#define RUN        run_8
#define RUN_LINKED linked_8
#include "block/interpret.inc"
#endif

void LIEDER_SYMBOL(tape_run)(const void *code, const LiederStrip *strip, const uint32_t *at,
                             int add)
{
    const Tape *t = &((const TapeCode *)code)->tape[add != 0];
    int v = 0;
#if MAX_REGISTERS > 2
    for (; v + 8 <= strip->nvec; v += 8)
        run_8(t, strip, v, at);
    for (; v + 4 <= strip->nvec; v += 4)
        run_4(t, strip, v, at);
#endif
    for (; v + 2 <= strip->nvec; v += 2)
        run_2(t, strip, v, at);
    if (strip->nvec & 1)
        run_1(t, strip, v, at);
}

void LIEDER_SYMBOL(linked_run)(const void *code, const LiederStrip *strip, const uint32_t *at,
                               int add)
{
    const LinkedTape *t = code;
    int v = 0;
    (void)at;
    (void)add;
#if MAX_REGISTERS > 2
    for (; v + 8 <= strip->nvec; v += 8)
        linked_8(t, strip, v);
    for (; v + 4 <= strip->nvec; v += 4)
        linked_4(t, strip, v);
#endif
    for (; v + 2 <= strip->nvec; v += 2)
        linked_2(t, strip, v);
    if (strip->nvec & 1)
        linked_1(t, strip, v);
}

/* the joined tape by N registers at a time, where that many are left */
#define JOINED(N)                                                                                  \
    for (bool ready = false; most >= (N) && n - lane > ((N)-1) * LIEDER_LANES; ready = shared) {   \
        size_t here = n - lane < (N)*LIEDER_LANES ? n - lane : (N)*LIEDER_LANES;                   \
        bad = bad +                                                                                \
              joined_##N(t, strip, lane, x + lane, x_stride, dx + lane, dx_stride, here, ready);   \
        lane += here;                                                                              \
    }

LiederStatus LIEDER_SYMBOL(joined_run)(const void *code, const LiederStrip *strip, const double *x,
                                       size_t x_stride, double *dx, size_t dx_stride, size_t n)
{
    const Tape *t = &((const TapeCode *)code)->tape[0];
    const int most = strip->nvec;
    const bool shared = strip->record == 0;
    real bad = real_splat(0.0);
    size_t lane = 0;
#if MAX_REGISTERS > 2
    JOINED(8)
    JOINED(4)
#endif
    JOINED(2)
    JOINED(1)
    return mask_any((mask)(bad != 0.0)) ? LIEDER_GAVE_UP : LIEDER_DONE;
}

/* ------------------------------------------------------------------ runs */

/* Runs are taken by pieces of PIECE values. Operands that are neighbours are read where they stand,
 * one for all is read from a register of copies, others are gathered first; what does not fill a
 * register is padded with copies of its last value. */
enum { PIECE = 64 };

typedef struct RunOperand {
    const double *at;
    size_t step; /* from register to register */
} RunOperand;

typedef void RunStep(double *d, double *second, const RunOperand *from, size_t n);

static inline real load_register(const double *at)
{
    real x;
    memcpy(&x, at, sizeof x);
    return x;
}

#define REGISTERS(n) for (size_t k = 0; k < (n); k++)
#define TAKE(x, p)   const real x = load_register((p).at + k * (p).step)
#define STORE(to, x)                                                                               \
    {                                                                                              \
        const real result = (x);                                                                   \
        memcpy((to) + k * LIEDER_LANES, &result, sizeof result);                                   \
    }
#define RUN_STEP(id, count, lanes, text)                                                           \
    static void step_##id(double *d, double *second, const RunOperand *from, size_t n)             \
    {                                                                                              \
        const RunOperand pa = from[0], pb = from[(count) > 1 ? 1 : 0],                             \
                         pc = from[(count) > 2 ? 2 : 0], pe = from[(count) > 3 ? 3 : 0];           \
        (void)second;                                                                              \
        REGISTERS(n)                                                                               \
        {                                                                                          \
            TAKE(a, pa);                                                                           \
            TAKE(b, pb);                                                                           \
            TAKE(c, pc);                                                                           \
            TAKE(e, pe);                                                                           \
            (void)b;                                                                               \
            (void)c;                                                                               \
            (void)e;                                                                               \
            STORE(d, lanes)                                                                        \
        }                                                                                          \
    }
#define RUN_FUNCTION_1(lanes) lanes(a)
#define RUN_FUNCTION_2(lanes) lanes(a, b)
#define RUN_CALL(id, name, arity, lanes, result)                                                   \
    RUN_STEP(CALL_##id, arity, RUN_FUNCTION_##arity(lanes), "")
BASIC_OPERATIONS(RUN_STEP)
JOINED_OPERATIONS(RUN_STEP)
FUNCTIONS(RUN_CALL)
RUN_STEP(COPY, 1, a, "")

static void step_SINCOS(double *d, double *second, const RunOperand *from, size_t n)
{
    REGISTERS(n)
    {
        TAKE(a, from[0]);
        real s, c;
        real_sincos(a, &s, &c);
        STORE(d, s)
        STORE(second, c)
    }
}

static RunStep *const run_steps[OPERATION_COUNT] = {
#define RUN_ENTRY(id, n, lanes, text)                [OPERATION_##id] = step_##id,
#define RUN_CALL_ENTRY(id, name, arity, lanes, kind) [OPERATION_CALL_##id] = step_CALL_##id,
    BASIC_OPERATIONS(RUN_ENTRY) JOINED_OPERATIONS(RUN_ENTRY)
        FUNCTIONS(RUN_CALL_ENTRY)[OPERATION_SINCOS] = step_SINCOS,
    [OPERATION_COPY] = step_COPY};

/* m values from one on, as registers; `room` is for those that are gathered */
static RunOperand run_operand(const double *from, ptrdiff_t step, size_t m, double *room)
{
    size_t whole = (m + LIEDER_LANES - 1) / LIEDER_LANES * LIEDER_LANES, k = 0;
    if (step == 1 && whole == m)
        return (RunOperand){from, LIEDER_LANES};
    if (step == 0)
        m = whole = LIEDER_LANES;
    for (; k < m; k++)
        room[k] = from[(ptrdiff_t)k * step];
    for (; k < whole; k++)
        room[k] = room[m - 1];
    return (RunOperand){room, step == 0 ? 0 : LIEDER_LANES};
}

/* m values of a run, the k-th first */
static void run_piece(const LinkedRun *r, double *record, size_t first, size_t m)
{
    double room[4][PIECE], results[2][PIECE];
    size_t n = (m + LIEDER_LANES - 1) / LIEDER_LANES;
    RunOperand from[4];
    double *to[2];
    for (int i = 0; i < operation_operands((Operation)r->op); i++)
        from[i] =
            run_operand(record + r->place[LINKED_A + i] + (ptrdiff_t)first * r->step[LINKED_A + i],
                        r->step[LINKED_A + i], m, room[i]);
    const int places[] = {LINKED_D, LINKED_E};
    bool direct = n * LIEDER_LANES == m;
    for (int i = 0; i < 2; i++)
        to[i] =
            direct && r->step[places[i]] == 1 ? record + r->place[places[i]] + first : results[i];
    run_steps[r->op](to[0], to[1], from, n);
    for (int i = 0; i < (r->op == OPERATION_SINCOS ? 2 : 1); i++)
        for (size_t k = 0; k < m && to[i] == results[i]; k++)
            record[r->place[places[i]] + ((ptrdiff_t)first + (ptrdiff_t)k) * r->step[places[i]]] =
                results[i][k];
}

static void run_all(const LinkedRun *r, double *record)
{
    size_t first = 0;
    for (; first + PIECE <= r->n; first += PIECE)
        run_piece(r, record, first, PIECE);
    size_t whole = (r->n - first) / LIEDER_LANES * LIEDER_LANES;
    if (whole)
        run_piece(r, record, first, whole);
    if (first + whole < r->n)
        run_piece(r, record, first + whole, r->n - first - whole);
}

/* code from an instruction on */
static void linked_call(LiederKernel *scalar, const LinkedTape *t, size_t first,
                        const LiederStrip *strip)
{
    LinkedTape part = *t;
    part.code.items += first;
    scalar(&part, strip, NULL, 0);
}

void LIEDER_SYMBOL(runs)(const LinkedTape *t, const LiederStrip *strip, LiederKernel *scalar)
{
    linked_call(scalar, t, 0, strip);
    for (size_t i = 0; i < t->runs.n; i++) {
        const LinkedRun *r = &t->runs.items[i];
        if (r->op == OPERATION_END) {
            linked_call(scalar, t, r->n, strip);
            continue;
        }
        for (int v = 0; v < strip->nvec; v++) /* each record has one lane */
            run_all(r, (double *)strip->base + (size_t)v * strip->record);
    }
}

/* ------------------------------------------------------------------ loops */

#include "block/loop_run.inc"
