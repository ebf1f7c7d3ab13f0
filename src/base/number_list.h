/* number_list.h - lists of numbers that several holders share, copied when one of them writes.
 *
 * A parameter that differs between a million elements is 8 MB. The model keeps it, so that a second
 * system can be made of it, and every system works with it: all of them hold the same list. A
 * holder that changes a number makes the list its own first (number_list_own). Counting the holders
 * is safe because a session is used by one thread at a time.
 */
#ifndef LIEDER_BASE_NUMBER_LIST_H
#define LIEDER_BASE_NUMBER_LIST_H

#include "base/memory.h"

typedef struct NumberList {
    size_t n, holders;
    double values[];
} NumberList;

NumberList *number_list_create(const LiederAllocator *alloc, size_t n); /* zeros; NULL on failure */
NumberList *number_list_copy(const LiederAllocator *alloc, const double *values, size_t n);
/* one holder more, and one less: the last one frees it; NULL is nothing */
NumberList *number_list_hold(NumberList *numbers);
void number_list_release(const LiederAllocator *alloc, NumberList *numbers);
/* `numbers` if the caller is its only holder; else a copy with one holder, and the caller holds
 * `numbers` no longer. NULL: no memory, and the caller still holds `numbers`. */
NumberList *number_list_own(const LiederAllocator *alloc, NumberList *numbers);
/* the list to whose `values` this points; NULL for NULL */
NumberList *number_list_of(const double *values);
size_t number_list_bytes(const NumberList *numbers);

#endif
