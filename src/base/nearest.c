/* nearest.c - see nearest.h. */
#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

enum { MAX_COMPARED = 2000 }; /* candidates that are compared letter by letter */

int edit_distance(const char *a, const char *b)
{
    size_t na = strlen(a), nb = strlen(b);
    if (na > NEAREST_LENGTH || nb > NEAREST_LENGTH)
        return NEAREST_LENGTH + 1;
    int row[3][NEAREST_LENGTH + 1];
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

void nearest_try(NearestName *nearest, const char *candidate)
{
    int bound = strlen(nearest->name) <= 4 ? 1 : strlen(nearest->name) <= 7 ? 2 : 3;
    size_t na = strlen(nearest->name), nb = strlen(candidate);
    if ((na > nb ? na - nb : nb - na) > (size_t)bound || nearest->ntried++ >= MAX_COMPARED)
        return;
    int d = edit_distance(nearest->name, candidate);
    if (d <= bound && strcmp(candidate, nearest->name) != 0 && d < (int)strlen(nearest->name) &&
        (!nearest->best || d < nearest->distance)) {
        nearest->best = candidate;
        nearest->distance = d;
    }
}

const char *nearest_text(const NearestName *nearest, char *buffer, size_t size)
{
    if (nearest->best)
        snprintf(buffer, size, "did you mean '%.100s'?", nearest->best);
    else
        buffer[0] = '\0';
    return buffer;
}
