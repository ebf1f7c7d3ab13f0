/* nearest.h - the nearest of many names, for "did you mean". */
#ifndef LIEDER_BASE_NEAREST_H
#define LIEDER_BASE_NEAREST_H

#include <stddef.h>

/* longer names are not compared */
enum { NEAREST_LENGTH = 63 };

/* letters to insert, drop or change, and neighbours to swap, to make b of a; case is ignored.
 * More than NEAREST_LENGTH if one of them is longer. */
int edit_distance(const char *a, const char *b);

/* the nearest of the names fed to nearest_try, as long as it is near enough to be meant */
typedef struct NearestName {
    const char *name; /* as it was written; set by the caller, the rest is zero at first */
    const char *best; /* the nearest so far, or NULL */
    int distance;     /* of best */
    int ntried;       /* candidates of about the same length */
} NearestName;
void nearest_try(NearestName *nearest, const char *candidate);
/* "did you mean 'cart'?", or "" if nothing is near; returns buffer */
const char *nearest_text(const NearestName *nearest, char *buffer, size_t size);

#endif
