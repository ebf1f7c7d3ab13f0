/* text.c - see text.h. */
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

bool text_put(const LiederAllocator *alloc, TextBuffer *to, const char *text, size_t n)
{
    if (to->room - to->n <= n && !vec_reserve(alloc, to, to->n + n + 1))
        return false;
    memcpy(to->items + to->n, text, n);
    to->n += n;
    to->items[to->n] = '\0';
    return true;
}

/* appends what printf would print, after growing where it does not fit; false: no memory */
static bool add_formatted(const LiederAllocator *alloc, TextBuffer *to, const char *format,
                          va_list args)
{
    for (int attempt = 0; attempt < 2; attempt++) {
        va_list again;
        va_copy(again, args);
        size_t room = to->room - to->n;
        int n =
            vsnprintf(to->items ? to->items + to->n : NULL, to->items ? room : 0, format, again);
        va_end(again);
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

/* plain text and %s, which is nearly all, are copied without printf */
bool text_add(const LiederAllocator *alloc, TextBuffer *to, const char *format, ...)
{
    size_t before = to->n;
    bool good = true;
    va_list args;
    va_start(args, format);
    do {
        const char *end = strchr(format, '%');
        size_t n = end ? (size_t)(end - format) : strlen(format);
        good = text_put(alloc, to, format, n);
        format += n;
        if (good && end && end[1] == 's') {
            const char *text = va_arg(args, const char *);
            text = text ? text : "(null)";
            good = text_put(alloc, to, text, strlen(text));
            format += 2;
        } else if (good && end) {
            good = add_formatted(alloc, to, format, args);
            break;
        }
    } while (good && *format);
    va_end(args);
    if (!good)
        to->n = before;
    return good;
}

bool text_ends(const char *text, const char *ending)
{
    size_t n = strlen(text), m = strlen(ending);
    return n > m && strcasecmp(text + n - m, ending) == 0;
}

/* digits from the end: printf would be the slowest part of naming a million elements */
char *index_text(int ndim, const size_t *dim, size_t position, char *buffer)
{
    size_t at = INDEX_LENGTH;
    buffer[--at] = '\0';
    for (int k = ndim; k-- > 0; position /= dim[k]) {
        buffer[--at] = k == ndim - 1 ? ']' : ',';
        for (size_t i = position % dim[k] + 1; i; i /= 10)
            buffer[--at] = (char)('0' + i % 10);
    }
    if (ndim)
        buffer[--at] = '[';
    return memmove(buffer, buffer + at, INDEX_LENGTH - at);
}

const char *unit_derivative(const char *unit, char *buffer, size_t size)
{
    size_t n = strlen(unit);
    if (n == 0)
        snprintf(buffer, size, "1/s");
    else if (n >= 2 && strcmp(unit + n - 2, "/s") == 0)
        snprintf(buffer, size, "%s2", unit);
    else if (strchr(unit, '/'))
        snprintf(buffer, size, "(%s)/s", unit);
    else
        snprintf(buffer, size, "%s/s", unit);
    return buffer;
}

bool name_has(const char *name, const char *characters)
{
    bool quoted = false;
    for (; *name; name++) {
        if (quoted && *name == '\\' && name[1])
            name++; /* an escaped quote is part of the name */
        else if (*name == '\'')
            quoted = !quoted;
        else if (!quoted && strchr(characters, *name))
            return true;
    }
    return false;
}
