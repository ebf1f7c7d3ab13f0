/* function.h - the table of the functions of the language: everything that is known about one
 * stands in its row. Value and C text are one inline function of include/lieder/functions.h (or
 * real.h), which serves one lane and many, so that a sine has one bit pattern in a parameter, in a
 * block and in generated code. The table in derivative.c has the derivative of each row. */
#ifndef LIEDER_BLOCK_FUNCTION_H
#define LIEDER_BLOCK_FUNCTION_H

/* what the language says about the type of a result: Real, Integer, or Integer if all arguments are
 */
typedef enum FunctionResult { RESULT_REAL, RESULT_INTEGER, RESULT_SAME } FunctionResult;

/* X(ID, name, number of arguments, function on `real`, type of the result); arrays are taken
 * element by element */
#define ELEMENT_FUNCTIONS(X)                                                                       \
    X(ABS, abs, 1, real_absolute, RESULT_SAME)                                                     \
    X(SIGN, sign, 1, real_sign, RESULT_INTEGER)                                                    \
    X(SQRT, sqrt, 1, real_sqrt, RESULT_REAL)                                                       \
    X(SIN, sin, 1, real_sin, RESULT_REAL)                                                          \
    X(COS, cos, 1, real_cos, RESULT_REAL)                                                          \
    X(TAN, tan, 1, real_tan, RESULT_REAL)                                                          \
    X(ASIN, asin, 1, real_asin, RESULT_REAL)                                                       \
    X(ACOS, acos, 1, real_acos, RESULT_REAL)                                                       \
    X(ATAN, atan, 1, real_atan, RESULT_REAL)                                                       \
    X(ATAN2, atan2, 2, real_atan2, RESULT_REAL)                                                    \
    X(SINH, sinh, 1, real_sinh, RESULT_REAL)                                                       \
    X(COSH, cosh, 1, real_cosh, RESULT_REAL)                                                       \
    X(TANH, tanh, 1, real_tanh, RESULT_REAL)                                                       \
    X(EXP, exp, 1, real_exp, RESULT_REAL)                                                          \
    X(LOG, log, 1, real_log, RESULT_REAL)                                                          \
    X(LOG10, log10, 1, real_log10, RESULT_REAL)                                                    \
    X(FLOOR, floor, 1, real_floor, RESULT_REAL)                                                    \
    X(CEIL, ceil, 1, real_ceil, RESULT_REAL)                                                       \
    X(INTEGER, integer, 1, real_floor, RESULT_INTEGER)                                             \
    X(DIV, div, 2, real_div, RESULT_SAME)                                                          \
    X(MOD, mod, 2, real_mod, RESULT_SAME)                                                          \
    X(REM, rem, 2, real_rem, RESULT_SAME)

/* and those that are not called element by element: min and max, which are reductions of arrays;
 * power, which is an operator; xor of the 32 bits of two Integers, for random numbers, and the
 * readers of a history (history.h), which have no name in the language */
#define FUNCTIONS(X)                                                                               \
    ELEMENT_FUNCTIONS(X)                                                                           \
    X(POW, pow, 2, real_pow, RESULT_REAL)                                                          \
    X(MIN, min, 2, real_minimum, RESULT_SAME)                                                      \
    X(MAX, max, 2, real_maximum, RESULT_SAME)                                                      \
    X(XOR, xor, 2, real_xor, RESULT_INTEGER)                                                       \
    X(HISTORY_READY, history_ready, 2, real_history_ready, RESULT_INTEGER)                         \
    X(HISTORY_FROM, history_from, 2, real_history_from, RESULT_REAL)                               \
    X(HISTORY_UNTIL, history_until, 2, real_history_until, RESULT_REAL)                            \
    X(HISTORY_VALUE, history_value, 2, real_history_value, RESULT_REAL)                            \
    X(HISTORY_SLOPE, history_slope, 2, real_history_slope, RESULT_REAL)                            \
    X(HISTORY_CURVE, history_curve, 2, real_history_curve, RESULT_REAL)

typedef enum Function {
#define FUNCTION_ID(id, name, arity, lanes, result) FUNCTION_##id,
    FUNCTIONS(FUNCTION_ID)
#undef FUNCTION_ID
        FUNCTION_COUNT
} Function;

typedef struct FunctionInfo {
    const char *name;  /* in the language */
    const char *lanes; /* in C */
    int arity;
    FunctionResult result;
} FunctionInfo;

extern const FunctionInfo function_table[FUNCTION_COUNT];

/* of one lane; y is ignored by functions of one argument */
double function_value(Function f, double x, double y);

/* the function of this name, or FUNCTION_COUNT */
Function function_find(const char *name);

#endif
