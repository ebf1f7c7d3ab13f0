/* text.c - see text.h. */
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

bool text_add(const LiederAllocator *alloc, TextBuffer *to, const char *format, ...)
{
    for (int attempt = 0; attempt < 2; attempt++) {
        va_list args;
        va_start(args, format);
        size_t room = to->room - to->n;
        int n = vsnprintf(to->items ? to->items + to->n : NULL, to->items ? room : 0, format, args);
        va_end(args);
        if (n < 0)
            return false;
        if ((size_t)n < room) {
            to->n += (size_t)n;
            return true;
        }
        if (!vec_reserve(alloc, to, to->n + (size_t)n + 1))
            return false;
    }
    return false;
}

bool text_ends(const char *text, const char *ending)
{
    size_t n = strlen(text), m = strlen(ending);
    return n > m && strcasecmp(text + n - m, ending) == 0;
}
