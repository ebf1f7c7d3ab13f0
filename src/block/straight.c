/* straight.c - a joined tape as the body of the function of a whole shape.
 *
 * One statement for each instruction, on variables named after slots. Constant zeros and ones were
 * folded when the ops were joined, so that nothing is left to a compiler but registers and order.
 * gcc, which does not fold zeros through calls of blocks, makes code of it that is as good as
 * clang's: 8 lanes with AVX-512 took 13 times as long before. The names x, dx, total, alarm, call,
 * OUTSIDE and MASK_... are those of compile/lanes.inc and evaluate.inc.
 *
 * On a tape a truth value is a number, 1 or 0. Here each is a mask as well, beside the number:
 * selections read the mask, and the compiler leaves the number out where it is not read. So the
 * alarm of a crane crab is two comparisons (gcc: 2.35 ns a crab in 8 lanes, 2.7 with numbers). */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "block/interpret.h"
#include "block/joined.h"

/* what is known of the value in a slot */
typedef enum Truth {
    NUMBER, /* nothing */
    FALSE_NUMBER,
    TRUE_NUMBER,
    TRUTH /* 0 or 1, and m<slot> is its mask */
} Truth;

typedef struct StraightWriter {
    const LiederAllocator *alloc;
    TextBuffer *to;
    VEC(uint8_t) truth; /* Truth by slot */
    bool ok;
} StraightWriter;

#define WRITE(w, ...) ((w)->ok = (w)->ok && text_add((w)->alloc, (w)->to, __VA_ARGS__))

/* what a load takes: a state, a number of the record that the strip holds, or of the call */
static void write_load(StraightWriter *w, const TapeCopy *copy, uint32_t k)
{
    static const char *const given[] = {[TAPE_TIME] = "call.time",
                                        [TAPE_EVENT_TIME] = "call.event_time",
                                        [TAPE_BIAS_SCALE] = "REAL(call.bias_scale)",
                                        [TAPE_HOLD] = "REAL((double)call.hold)",
                                        [TAPE_INITIAL] = "REAL((double)call.initial)",
                                        [TAPE_TERMINAL] = "REAL((double)call.terminal)"};
    WRITE(w, "    s%u = ", copy->slot + k);
    if (copy->group == TAPE_CALL)
        WRITE(w, "%s;\n", given[copy->index + k]);
    else
        WRITE(w, copy->group == TAPE_STATE ? "x[%u];\n" : "OUTSIDE(%u);\n", copy->index + k);
}

/* the C text of an operation of the table, with its operands in place of %s */
static void write_operation(StraightWriter *w, const char *text, const uint16_t *operands)
{
    for (; *text; text++)
        if (text[0] == '%' && text[1] == 's') {
            WRITE(w, "s%u", *operands++);
            text++;
        } else {
            WRITE(w, "%c", *text);
        }
}

/* ------------------------------------------------------------------ truth values */

/* enough for the longest mask that is written */
enum { MASK_TEXT = 64 };

/* C text of the mask of the lanes in which a slot is true */
static const char *mask_text(const StraightWriter *w, uint16_t slot, char *text)
{
    switch ((Truth)w->truth.items[slot]) {
    case FALSE_NUMBER:
        return "MASK_NONE";
    case TRUE_NUMBER:
        return "MASK_ALL";
    case TRUTH:
        snprintf(text, MASK_TEXT, "m%u", slot);
        return text;
    default:
        snprintf(text, MASK_TEXT, "(mask)(s%u != 0.0)", slot);
        return text;
    }
}

/* the mask of slot d, then its number: an operand may stand in the same slot */
__attribute__((format(printf, 3, 4))) static void write_truth(StraightWriter *w, uint16_t d,
                                                              const char *format, ...)
{
    char text[4 * MASK_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    WRITE(w, "    m%u = %s;\n    s%u = choose(m%u, 1.0, 0.0);\n", d, text, d, d);
    w->truth.items[d] = TRUTH;
}

/* a ? b : c; of truth values it is one */
static void write_select(StraightWriter *w, const TapeInstruction *i)
{
    char at[3][MASK_TEXT];
    const char *a = mask_text(w, i->a, at[0]);
    Truth b = (Truth)w->truth.items[i->b], c = (Truth)w->truth.items[i->c];
    if (b != NUMBER && c != NUMBER) {
        write_truth(w, i->d, "(%s & %s) | (MASK_NOT(%s) & %s)", a, mask_text(w, i->b, at[1]), a,
                    mask_text(w, i->c, at[2]));
        return;
    }
    WRITE(w, "    s%u = choose(%s, s%u, s%u);\n", i->d, a, i->b, i->c);
    w->truth.items[i->d] = NUMBER;
}

/* an operation of logic as one of masks; false: it is none */
static bool write_logic(StraightWriter *w, Operation op, const TapeInstruction *i)
{
    char at[2][MASK_TEXT];
    switch (op) {
    case OPERATION_LESS:
        write_truth(w, i->d, "(mask)(s%u < s%u)", i->a, i->b);
        return true;
    case OPERATION_LESS_EQUAL:
        write_truth(w, i->d, "(mask)(s%u <= s%u)", i->a, i->b);
        return true;
    case OPERATION_EQUAL:
        write_truth(w, i->d, "(mask)(s%u == s%u)", i->a, i->b);
        return true;
    case OPERATION_NOT:
        write_truth(w, i->d, "MASK_NOT(%s)", mask_text(w, i->a, at[0]));
        return true;
    case OPERATION_AND:
    case OPERATION_OR:
        write_truth(w, i->d, "%s %c %s", mask_text(w, i->a, at[0]), op == OPERATION_AND ? '&' : '|',
                    mask_text(w, i->b, at[1]));
        return true;
    case OPERATION_SELECT:
        write_select(w, i);
        return true;
    default:
        return false;
    }
}

/* ------------------------------------------------------------------ instructions */

/* what an instruction does; of a chained tape the mark above the operation is left out */
static Operation operation_at(const TapeInstruction *i)
{
    return (Operation)(i->op & ((1u << CHAIN_SHIFT) - 1));
}

/* writes an instruction as one C statement */
static void write_instruction(StraightWriter *w, const TapeInstruction *i)
{
#define TEXT(id, n, lanes, text)              [OPERATION_##id] = text,
#define CALL_TEXT(id, name, n, lanes, result) [OPERATION_CALL_##id] = CALL_TEXT_##n(lanes),
#define CALL_TEXT_1(lanes)                    #lanes "(%s)"
#define CALL_TEXT_2(lanes)                    #lanes "(%s, %s)"
    static const char *const texts[OPERATION_COUNT] = {
        BASIC_OPERATIONS(TEXT) JOINED_OPERATIONS(TEXT) FUNCTIONS(CALL_TEXT)};
    const uint16_t operands[] = {i->a, i->b, i->c, i->e};
    const Operation op = operation_at(i);
    if (write_logic(w, op, i))
        return;
    w->truth.items[i->d] = NUMBER;
    if (op == OPERATION_SINCOS) {
        w->truth.items[i->e] = NUMBER;
        WRITE(w, "    sine_cosine(s%u, &s%u, &s%u);\n", i->a, i->d, i->e);
        return;
    }
    WRITE(w, "    s%u = ", i->d);
    write_operation(w, texts[op], operands);
    WRITE(w, ";\n");
}

/* the tape of joined code, or NULL: it was not made here */
static const Tape *tape_of(LiederJoined joined)
{
    bool ours = joined.run == joined_run_scalar || joined.run == joined_run_scalar_fma ||
                joined.run == joined_run_sse2 || joined.run == joined_run_avx2 ||
                joined.run == joined_run_avx512;
    return ours ? ((const TapeCode *)joined.code)->tape : NULL;
}

size_t joined_instructions(LiederJoined joined)
{
    const Tape *t = tape_of(joined);
    return t ? t->code.n : 0;
}

static void write_constant(StraightWriter *w, uint32_t slot, double value)
{
    if (isfinite(value))
        WRITE(w, "    s%u = real_splat(%a); /* %.17g */\n", slot, value, value);
    else
        WRITE(w, "    s%u = real_splat(%s);\n", slot,
              isnan(value) ? "__builtin_nan(\"\")"
              : value > 0  ? "__builtin_inf()"
                           : "-__builtin_inf()");
    w->truth.items[slot] = value == 0 ? FALSE_NUMBER : value == 1 ? TRUE_NUMBER : NUMBER;
}

static void write_alarm(StraightWriter *w, uint16_t slot)
{
    char text[MASK_TEXT];
    WRITE(w, "    *alarm = %s;\n", mask_text(w, slot, text));
}

/* Whether a number that is not finite makes the result of an instruction so, as operand number k.
 * Infinity times zero is none either. */
static bool passes_on(Operation op, int k)
{
    return op == OPERATION_DIVIDE
               ? k == 0
               : op == OPERATION_NEGATE || op == OPERATION_ADD || op == OPERATION_SUBTRACT ||
                     op == OPERATION_MULTIPLY || op == OPERATION_FUSED ||
                     (op >= OPERATION_MULTIPLY_ADD && op < OPERATION_FIRST_CALL);
}

/* The sum of derivatives that is to be examined, see evaluate.inc. One that another is computed
 * from is left out, such as the acceleration a in v + T_D a, where the other one shows it. */
static void write_total(StraightWriter *w, const Tape *t)
{
    typedef VEC(uint32_t) Slots;
    Slots derivative = {0}, last = {0};
    w->ok = w->ok && vec_resize(w->alloc, &derivative, t->nslot) &&
            vec_resize(w->alloc, &last, t->nslot);
    for (size_t i = 0; w->ok && i < t->stores.n; i++)
        for (uint32_t k = 0; k < t->stores.items[i].count; k++)
            derivative.items[t->stores.items[i].slot + k] =
                t->stores.items[i].group == TAPE_DERIVATIVE;
    for (size_t i = 0; w->ok && i + 1 < t->code.n; i++) { /* instructions are counted from 1 on */
        const TapeInstruction *at = &t->code.items[i];
        last.items[at->d] = (uint32_t)i + 1;
        if (operation_at(at) == OPERATION_SINCOS)
            last.items[at->e] = (uint32_t)i + 1;
    }
    for (uint32_t slot = 0; w->ok && slot < t->nslot; slot++) {
        if (!derivative.items[slot] || !last.items[slot])
            continue;
        const TapeInstruction *at = &t->code.items[last.items[slot] - 1];
        const uint16_t operands[] = {at->a, at->b, at->c, at->e};
        const Operation op = operation_at(at);
        for (int k = 0; k < operation_operands(op); k++)
            if (passes_on(op, k) && last.items[operands[k]] < last.items[slot])
                derivative.items[operands[k]] = 0;
    }
    WRITE(w, "    *total = ");
    bool first = true;
    for (uint32_t slot = 0; w->ok && slot < t->nslot; slot++)
        if (derivative.items[slot]) {
            WRITE(w, "%ss%u", first ? "" : " + ", slot);
            first = false;
        }
    WRITE(w, "%s;\n", first ? "real_splat(0.0)" : "");
    vec_drop(w->alloc, &derivative);
    vec_drop(w->alloc, &last);
}

bool joined_write(LiederJoined joined, const LiederAllocator *alloc, TextBuffer *to)
{
    const Tape *t = tape_of(joined);
    StraightWriter w = {.alloc = alloc, .to = to, .ok = t && vec_resize(alloc, &w.truth, t->nslot)};
    if (!w.ok)
        return false;
    for (int masks = 0; masks < 2; masks++)
        for (uint32_t i = 0; i < t->nslot; i++)
            WRITE(&w, "%s %c%u%s",
                  i       ? ","
                  : masks ? "    mask"
                          : "    real",
                  masks ? 'm' : 's', i, i + 1 == t->nslot ? ";\n" : "");
    for (size_t i = 0; i < t->loads.n; i++)
        for (uint32_t k = 0; k < t->loads.items[i].count; k++)
            write_load(&w, &t->loads.items[i], k);
    for (size_t i = 0; i < t->constants.n; i++)
        write_constant(&w, t->constants.items[i].slot, t->constants.items[i].value);
    for (size_t i = 0; i + 1 < t->code.n; i++)
        write_instruction(&w, &t->code.items[i]);
    for (size_t i = 0; i < t->stores.n; i++)
        for (uint32_t k = 0; k < t->stores.items[i].count; k++) {
            const TapeCopy *copy = &t->stores.items[i];
            if (copy->group == TAPE_DERIVATIVE)
                WRITE(&w, "    dx[%u] = s%u;\n", copy->index + k, copy->slot + k);
            else
                write_alarm(&w, (uint16_t)(copy->slot + k));
        }
    write_total(&w, t);
    vec_drop(alloc, &w.truth);
    return w.ok;
}
