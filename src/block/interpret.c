/* interpret.c - runs a tape over lanes. Compiled once per instruction set, see CMakeLists.txt.
 *
 * Slots are slot-major: the lanes of one slot stand side by side, N registers of them, so that an
 * instruction is a loop of constant length over contiguous memory, and its dispatch (a computed
 * goto) is paid once for all of them. A strip is taken in chunks of 8, 4, 2 and 1 registers;
 * interpret.inc is the interpreter for one such number. With 8 registers and 100 slots the slots of
 * AVX2 take 25 kB of the first-level cache. Functions are called for all registers of a slot. A
 * system of equations is solved in a workspace behind the slots, where the instructions of its
 * residuals have slots of their own.
 */
#include "block/interpret.h"

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

/* what a block is told about the lanes from `lane` on */
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

#define N          1
#define RUN        run_1
#define RUN_LINKED linked_1
#include "block/interpret.inc"
#define N          2
#define RUN        run_2
#define RUN_LINKED linked_2
#include "block/interpret.inc"
#define N          4
#define RUN        run_4
#define RUN_LINKED linked_4
#include "block/interpret.inc"
#define N          8
#define RUN        run_8
#define RUN_LINKED linked_8
#include "block/interpret.inc"

void LIEDER_SYMBOL(tape_run)(const void *code, const LiederStrip *strip, const uint32_t *at,
                             int add)
{
    const Tape *t = &((const TapeCode *)code)->tape[add != 0];
    int v = 0;
    for (; v + 8 <= strip->nvec; v += 8)
        run_8(t, strip, v, at);
    if (strip->nvec & 4) {
        run_4(t, strip, v, at);
        v += 4;
    }
    if (strip->nvec & 2) {
        run_2(t, strip, v, at);
        v += 2;
    }
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
    for (; v + 8 <= strip->nvec; v += 8)
        linked_8(t, strip, v);
    if (strip->nvec & 4) {
        linked_4(t, strip, v);
        v += 4;
    }
    if (strip->nvec & 2) {
        linked_2(t, strip, v);
        v += 2;
    }
    if (strip->nvec & 1)
        linked_1(t, strip, v);
}
