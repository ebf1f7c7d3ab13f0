/* straight.c - a joined tape as the body of the function of a whole shape.
 *
 * One statement for each instruction, on variables named after slots. What is zero or one for good
 * was folded when the ops were joined, so that nothing is left to a compiler but registers and
 * order. gcc, which does not fold zeros through calls of blocks, makes code of it that is as good
 * as clang's: 8 lanes with AVX-512 took 13 times as long before. The names x, dx, alarm, call and
 * OUTSIDE are those of compile/lanes.inc and evaluate.inc. */
#include "block/interpret.h"
#include "block/joined.h"

typedef struct StraightWriter {
    const LiederAllocator *alloc;
    TextBuffer *to;
    bool ok;
} StraightWriter;

#define WRITE(w, ...) ((w)->ok = (w)->ok && text_add((w)->alloc, (w)->to, __VA_ARGS__))

/* what a load takes: a state, a number of the record that the strip holds, or of the call */
static void write_load(StraightWriter *w, const TapeCopy *copy, uint32_t k)
{
    static const char *const told[] = {[TAPE_TIME] = "call.time",
                                       [TAPE_EVENT_TIME] = "call.event_time",
                                       [TAPE_BIAS_SCALE] = "REAL(call.bias_scale)",
                                       [TAPE_HOLD] = "REAL((double)call.hold)",
                                       [TAPE_INITIAL] = "REAL((double)call.initial)",
                                       [TAPE_TERMINAL] = "REAL((double)call.terminal)"};
    WRITE(w, "    s%u = ", copy->slot + k);
    if (copy->group == TAPE_CALL)
        WRITE(w, "%s;\n", told[copy->index + k]);
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

/* one statement; of a chained tape the mark above the operation is left out */
static void write_instruction(StraightWriter *w, const TapeInstruction *i)
{
#define TEXT(id, n, lanes, text)              [OPERATION_##id] = text,
#define CALL_TEXT(id, name, n, lanes, result) [OPERATION_CALL_##id] = CALL_TEXT_##n(lanes),
#define CALL_TEXT_1(lanes)                    #lanes "(%s)"
#define CALL_TEXT_2(lanes)                    #lanes "(%s, %s)"
    static const char *const texts[OPERATION_COUNT] = {
        BASIC_OPERATIONS(TEXT) JOINED_OPERATIONS(TEXT) FUNCTIONS(CALL_TEXT)};
    const uint16_t operands[] = {i->a, i->b, i->c, i->e};
    unsigned op = i->op & ((1u << CHAIN_SHIFT) - 1);
    if (op == OPERATION_SINCOS) {
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

bool joined_write(LiederJoined joined, const LiederAllocator *alloc, TextBuffer *to)
{
    const Tape *t = tape_of(joined);
    StraightWriter w = {alloc, to, t != NULL};
    if (!t)
        return false;
    for (uint32_t i = 0; i < t->nslot; i++)
        WRITE(&w, "%s s%u%s", i ? "," : "    real", i, i + 1 == t->nslot ? ";\n" : "");
    for (size_t i = 0; i < t->loads.n; i++)
        for (uint32_t k = 0; k < t->loads.items[i].count; k++)
            write_load(&w, &t->loads.items[i], k);
    for (size_t i = 0; i < t->constants.n; i++)
        WRITE(&w, "    s%u = real_splat(%a); /* %.17g */\n", t->constants.items[i].slot,
              t->constants.items[i].value, t->constants.items[i].value);
    for (size_t i = 0; i + 1 < t->code.n; i++)
        write_instruction(&w, &t->code.items[i]);
    for (size_t i = 0; i < t->stores.n; i++)
        for (uint32_t k = 0; k < t->stores.items[i].count; k++) {
            const TapeCopy *copy = &t->stores.items[i];
            if (copy->group == TAPE_DERIVATIVE)
                WRITE(&w, "    dx[%u] = s%u;\n", copy->index + k, copy->slot + k);
            else
                WRITE(&w, "    *alarm = s%u;\n", copy->slot + k);
        }
    return w.ok;
}
