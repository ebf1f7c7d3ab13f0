/* guess.c - see guess.h. */
#include "base/guess.h"

#include <stdio.h>
#include <string.h>

enum { MAX_GUESSES = 2000 }; /* candidates that are compared letter by letter */

int edit_distance(const char *a, const char *b)
{
    size_t na = strlen(a), nb = strlen(b);
    if (na > GUESS_LENGTH || nb > GUESS_LENGTH)
        return GUESS_LENGTH + 1;
    int row[3][GUESS_LENGTH + 1];
    for (size_t j = 0; j <= nb; j++)
        row[0][j] = (int)j;
    for (size_t i = 1; i <= na; i++) {
        int *now = row[i % 3], *up = row[(i + 2) % 3], *up2 = row[(i + 1) % 3];
        now[0] = (int)i;
        for (size_t j = 1; j <= nb; j++) {
            int same = (a[i - 1] | 32) == (b[j - 1] | 32);
            int best = up[j - 1] + !same;
            if (up[j] + 1 < best)
                best = up[j] + 1;
            if (now[j - 1] + 1 < best)
                best = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                up2[j - 2] + 1 < best)
                best = up2[j - 2] + 1;
            now[j] = best;
        }
    }
    return row[na % 3][nb];
}

void guess_try(Guess *guess, const char *candidate)
{
    int bound = strlen(guess->name) <= 4 ? 1 : strlen(guess->name) <= 7 ? 2 : 3;
    size_t na = strlen(guess->name), nb = strlen(candidate);
    if ((na > nb ? na - nb : nb - na) > (size_t)bound || guess->ntried++ >= MAX_GUESSES)
        return;
    int d = edit_distance(guess->name, candidate);
    if (d <= bound && strcmp(candidate, guess->name) != 0 && d < (int)strlen(guess->name) &&
        (!guess->best || d < guess->distance)) {
        guess->best = candidate;
        guess->distance = d;
    }
}

const char *guess_text(const Guess *guess, char *buffer, size_t size)
{
    if (guess->best)
        snprintf(buffer, size, "did you mean '%.100s'?", guess->best);
    else
        buffer[0] = '\0';
    return buffer;
}
