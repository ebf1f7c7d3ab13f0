/* delayed.h - functions of shared libraries that are loaded when they are first called.
 *
 * LAPACK, ARPACK and CHOLMOD bring a BLAS along, and loading that takes longer (5 ms) than a short
 * run of a small model. Most runs call none of them. */
#ifndef LIEDER_BASE_DELAYED_H
#define LIEDER_BASE_DELAYED_H

#include <stddef.h>

/* A function of a library, which is loaded if need be and stays; NULL: there is none. The same
 * address every time, so that it may be kept. */
void *delayed_function(const char *library, const char *name);
/* why a library cannot be loaded, "" if it can; returns buffer */
const char *delayed_problem(const char *library, char *buffer, size_t size);

#endif
