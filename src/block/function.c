/* function.c - the functions of the language for one lane. Compiled without contraction
 * (cmake/library.cmake), so that values have the bits of those in blocks. */
#define LIEDER_LANES 1
#include <string.h>

#include <lieder/functions.h>

#include "block/function.h"

#define ROW(id, name_, arity_, lanes_, result_)                                                    \
    [FUNCTION_##id] = {.name = #name_, .lanes = #lanes_, .arity = arity_, .result = result_},
const FunctionInfo function_table[FUNCTION_COUNT] = {FUNCTIONS(ROW)};

#define CALL_1(lanes) lanes(x)
#define CALL_2(lanes) lanes(x, y)
#define CASE(id, name, arity, lanes, result)                                                       \
    case FUNCTION_##id:                                                                            \
        return CALL_##arity(lanes);

double function_value(Function f, double x, double y)
{
    switch (f) {
        FUNCTIONS(CASE)
    default:
        return NAN;
    }
}

Function function_find(const char *name)
{
    int f = 0;
    while (f < FUNCTION_COUNT && strcmp(function_table[f].name, name) != 0)
        f++;
    return (Function)f;
}
