/* number_list.h - lists of numbers that several hold and nobody copies until someone writes.
 *
 * A parameter that differs between a million elements is 8 MB. The model that it was written down
 * in keeps it, so that a second system can be made of it, and every system works with it: all of
 * them hold the same list. Who wants to change a number makes the list his own first. Counting
 * the holders is safe because a session is used by one thread at a time.
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
/* The list for its one holder, who has given up `numbers` for it; NULL: no memory, and he still
 * has what he had. */
NumberList *number_list_own(const LiederAllocator *alloc, NumberList *numbers);
/* the list that these values are all of; NULL for NULL */
NumberList *number_list_of(const double *values);
size_t number_list_bytes(const NumberList *numbers);

#endif
