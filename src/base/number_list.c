/* number_list.c - see number_list.h. */
#include "base/number_list.h"

#include <stddef.h>

size_t number_list_bytes(const NumberList *numbers)
{
    return sizeof *numbers + numbers->n * sizeof *numbers->values;
}

NumberList *number_list_create(const LiederAllocator *alloc, size_t n)
{
    NumberList *numbers = memory_zeroed(alloc, sizeof *numbers + n * sizeof *numbers->values);
    if (numbers) {
        numbers->n = n;
        numbers->holders = 1;
    }
    return numbers;
}

NumberList *number_list_copy(const LiederAllocator *alloc, const double *values, size_t n)
{
    NumberList *numbers = number_list_create(alloc, n);
    for (size_t i = 0; numbers && i < n; i++)
        numbers->values[i] = values[i];
    return numbers;
}

NumberList *number_list_hold(NumberList *numbers)
{
    if (numbers)
        numbers->holders++;
    return numbers;
}

void number_list_release(const LiederAllocator *alloc, NumberList *numbers)
{
    if (numbers && --numbers->holders == 0)
        memory_free(alloc, numbers, number_list_bytes(numbers));
}

NumberList *number_list_own(const LiederAllocator *alloc, NumberList *numbers)
{
    if (numbers->holders == 1)
        return numbers;
    NumberList *own = number_list_copy(alloc, numbers->values, numbers->n);
    if (own)
        numbers->holders--;
    return own;
}

NumberList *number_list_of(const double *values)
{
    return values ? (NumberList *)((char *)values - offsetof(NumberList, values)) : NULL;
}
