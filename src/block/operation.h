/* operation.h - the operations of tapes: those of expressions (NODE_...), the functions of the
 * language, and some that are made of two. What one does on lanes and the same as C text stand in
 * one row. */
#ifndef LIEDER_BLOCK_OPERATION_H
#define LIEDER_BLOCK_OPERATION_H

#include "block/expression.h"

#include <assert.h>

/* X(ID, number of operands, value of a, b, c on `real`, C text with %s for the operands) */
#define SUBTRACT_OPERATION(X) X(SUBTRACT, 2, a - b, "%s - %s")
#define DIVIDE_OPERATION(X)   X(DIVIDE, 2, a / b, "%s / %s")
#define FUSED_OPERATION(X)    X(FUSED, 3, fused(a, b, c), "fused(%s, %s, %s)")
#define ARITHMETIC_OPERATIONS(X)                                                                   \
    X(NEGATE, 1, -a, "-%s")                                                                        \
    X(ADD, 2, a + b, "%s + %s")                                                                    \
    SUBTRACT_OPERATION(X)                                                                          \
    X(MULTIPLY, 2, a *b, "%s * %s")                                                                \
    DIVIDE_OPERATION(X)                                                                            \
    FUSED_OPERATION(X)
#define LOGIC_OPERATIONS(X)                                                                        \
    X(LESS, 2, choose(a < b, 1.0, 0.0), "choose(%s < %s, 1.0, 0.0)")                               \
    X(LESS_EQUAL, 2, choose(a <= b, 1.0, 0.0), "choose(%s <= %s, 1.0, 0.0)")                       \
    X(EQUAL, 2, choose(a == b, 1.0, 0.0), "choose(%s == %s, 1.0, 0.0)")                            \
    X(NOT, 1, choose(a == 0.0, 1.0, 0.0), "choose(%s == 0.0, 1.0, 0.0)")                           \
    X(AND, 2, choose(a != 0.0, choose(b != 0.0, 1.0, 0.0), 0.0),                                   \
      "choose(%s != 0.0, choose(%s != 0.0, 1.0, 0.0), 0.0)")                                       \
    X(OR, 2, choose(a != 0.0, 1.0, choose(b != 0.0, 1.0, 0.0)),                                    \
      "choose(%s != 0.0, 1.0, choose(%s != 0.0, 1.0, 0.0))")                                       \
    X(SELECT, 3, choose(a != 0.0, b, c), "choose(%s != 0.0, %s, %s)")
#define BASIC_OPERATIONS(X) ARITHMETIC_OPERATIONS(X) LOGIC_OPERATIONS(X)

/* several at once, rounded as one after the other; the fourth operand is e */
#define JOINED_OPERATIONS(X)                                                                       \
    X(MULTIPLY_ADD, 3, a *b + c, "%s * %s + %s")                                                   \
    X(MULTIPLY_SUBTRACT, 3, a *b - c, "%s * %s - %s")                                              \
    X(FUSED_MINUS, 3, fused(a, b, -c), "fused(%s, %s, -%s)")                                       \
    X(MINUS_FUSED, 3, fused(-a, b, c), "fused(-%s, %s, %s)")                                       \
    X(MINUS_FUSED_MINUS, 3, fused(-a, b, -c), "fused(-%s, %s, -%s)")                               \
    X(FUSED_PRODUCT, 4, fused(a, b, c *e), "fused(%s, %s, %s * %s)")                               \
    X(MINUS_FUSED_PRODUCT, 4, fused(-a, b, c *e), "fused(-%s, %s, %s * %s)")                       \
    X(SUBTRACT_PRODUCT, 3, c - a * b, "-(%s * %s) + %s")

typedef enum Operation {
    OPERATION_END,
#define BASIC_ID(id, n, lanes, text)        OPERATION_##id,
#define CALL_ID(id, name, n, lanes, result) OPERATION_CALL_##id,
    BASIC_OPERATIONS(BASIC_ID) JOINED_OPERATIONS(BASIC_ID) FUNCTIONS(CALL_ID)
#undef BASIC_ID
#undef CALL_ID
        OPERATION_SINCOS, /* sine to d, cosine to e */
    OPERATION_SYSTEM,     /* a: number of a system of the tape */
    OPERATION_COPY,       /* these three in linked tapes only */
    OPERATION_NUMBER,     /* a: number of a constant */
    OPERATION_GIVEN,      /* a: TAPE_TIME ..., a number of the Call */
    OPERATION_COUNT,
    OPERATION_FIRST_CALL = OPERATION_SUBTRACT_PRODUCT + 1
} Operation;

/* how many of a, b, c, e are read */
static inline int operation_operands(Operation op)
{
#define BASIC_COUNT(id, n, lanes, text)        [OPERATION_##id] = n,
#define CALL_COUNT(id, name, n, lanes, result) [OPERATION_CALL_##id] = n,
    static const uint8_t count[OPERATION_COUNT] = {
        BASIC_OPERATIONS(BASIC_COUNT) JOINED_OPERATIONS(BASIC_COUNT)
            FUNCTIONS(CALL_COUNT)[OPERATION_SINCOS] = 1,
        [OPERATION_COPY] = 1};
#undef BASIC_COUNT
#undef CALL_COUNT
    return count[op];
}

/* the operation of a node that has one: no constant, symbol, system or part of a system */
static inline Operation operation_of(const NodeData *n)
{
#define BASIC_KIND(id, n, lanes, text) [NODE_##id] = OPERATION_##id,
    static const uint8_t of_kind[] = {BASIC_OPERATIONS(BASIC_KIND)};
#undef BASIC_KIND
    assert(n->kind == NODE_CALL || (size_t)n->kind < sizeof of_kind);
    return (Operation)(n->kind == NODE_CALL ? OPERATION_FIRST_CALL + n->function
                                            : of_kind[n->kind]);
}

#endif
