/* view_lanes.c - which members of a fleet are shown: crab[1000000] has more than a page can hold.
 *
 * A choice is written as in Modelica: "1:100", "1:1000:1000000" (from, step, to), "3,7,20:30".
 * Without one, members are taken at even distances, as many as the page takes.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/view.h"

/* ------------------------------------------------------------------ the choice */

/* one number of a list; false: none */
static bool read_count(const char **at, size_t *value)
{
    char *end;
    if (**at < '0' || **at > '9')
        return false;
    unsigned long long n = strtoull(*at, &end, 10);
    if (n == 0 || n > SIZE_MAX / 4)
        return false;
    *at = end;
    *value = (size_t)n;
    return true;
}

bool lanes_read(Lanes *l, const char *text)
{
    l->n = 0;
    for (const char *at = text;; at++) {
        size_t part[3], n = 0;
        do {
            if (n == 3 || !read_count(&at, &part[n++]))
                return false;
        } while (*at == ':' && at++);
        size_t from = part[0], to = n > 1 ? part[n - 1] : from, step = n == 3 ? part[1] : 1;
        for (size_t i = from; i <= to; i += step)
            if (l->n == VIEW_MAX_LANES || !vec_push(HEAP, l, i - 1))
                return false;
        if (*at == '\0')
            return l->n > 0;
        if (*at != ',')
            return false;
    }
}

bool lanes_spread(Lanes *l, size_t all, size_t most)
{
    size_t n = most < 1 ? 1 : most < all ? most : all;
    l->n = 0;
    for (size_t i = 0; i < n; i++)
        if (!vec_push(HEAP, l, i * all / n))
            return false;
    return true;
}

static int by_number(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

void lanes_sort(Lanes *l)
{
    if (l->n)
        qsort(l->items, l->n, sizeof *l->items, by_number);
}

/* ------------------------------------------------------------------ variables of them */

/* numbers that one component has of a row: the elements that belong to the same one */
static size_t length_of_row(const LiederSystem *system, size_t row, size_t n)
{
    LiederHandle first, next;
    size_t length = 1;
    if (!lieder_variable_handle(system, row, 0, &first))
        return 1;
    while (length < n && lieder_variable_handle(system, row, length, &next) &&
           memcmp(&next.element, &first.element, sizeof first.element) == 0)
        length++;
    return length;
}

size_t lanes_of_system(const LiederSystem *system, size_t *numbers)
{
    size_t most = 1, rows = lieder_variable_count(system);
    *numbers = 0;
    for (size_t i = 0; i < rows; i++) {
        LiederVariableInfo v = lieder_variable_info(system, i);
        size_t length = length_of_row(system, i, v.n);
        most = v.n / length > most ? v.n / length : most;
        *numbers += length;
    }
    return most;
}

/* names whose first index is one of the chosen ones; what has no index has one lane, and is taken
 */
char *lanes_pattern(const Lanes *l)
{
    TextBuffer text = {0};
    bool good = text_add(HEAP, &text, "[^[]*(\\[(");
    for (size_t i = 0; good && i < l->n; i++)
        good = text_add(HEAP, &text, i ? "|%zu" : "%zu", l->items[i] + 1);
    good = good && text_add(HEAP, &text, ")\\].*)?");
    if (good)
        return text.items;
    vec_drop(HEAP, &text);
    return NULL;
}
