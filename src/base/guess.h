/* guess.h - the nearest of many names, for "did you mean". */
#ifndef LIEDER_BASE_GUESS_H
#define LIEDER_BASE_GUESS_H

#include <stddef.h>

/* longer names are not compared */
enum { GUESS_LENGTH = 63 };

/* letters to insert, drop or change, and neighbours to swap, to make b of a; case is ignored.
 * More than GUESS_LENGTH if one of them is longer. */
int edit_distance(const char *a, const char *b);

/* the nearest of the names fed to guess_try, as long as it is near enough to be meant */
typedef struct Guess {
    const char *name, *best;
    int distance, ntried;
} Guess;
void guess_try(Guess *guess, const char *candidate);
/* "did you mean 'cart'?", or "" if nothing is near; returns buffer */
const char *guess_text(const Guess *guess, char *buffer, size_t size);

#endif
