/* diag.c - see diag.h. */
#include "base/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void diag_init(Diagnostics *d, const LiederAllocator *alloc)
{
    *d = (Diagnostics){.alloc = *alloc};
}

/* a and b are paths to elements of the same arrays: they differ in subscripts only */
static bool same_arrays(const char *a, const char *b)
{
    while (*a && *a == *b) {
        if (*a == '[') {
            a += strcspn(a, "]");
            b += strcspn(b, "]");
        }
        if (*a)
            a++;
        if (*b)
            b++;
    }
    return !*a && !*b;
}

/* the first diagnostic of the list that says the same as g of another element of the same array, or
 * NULL */
static LiederDiagnostic *find_first_element(Diagnostics *d, const LiederDiagnostic *g)
{
    if (!g->path || !g->message || !strchr(g->path, '['))
        return NULL;
    for (size_t i = 0; i < d->list.n; i++) {
        LiederDiagnostic *k = &d->list.items[i];
        bool same_place = g->file && k->file ? g->line == k->line && g->column == k->column &&
                                                   strcmp(g->file, k->file) == 0
                                             : !g->file && !k->file;
        if (same_place && !k->counted && k->severity == g->severity && k->path && k->message &&
            strcmp(k->path, g->path) != 0 && same_arrays(k->path, g->path) &&
            strcmp(k->message, g->message) == 0)
            return k;
    }
    return NULL;
}

void diag_forget(Diagnostics *d, size_t n)
{
    while (d->list.n > n) {
        LiederDiagnostic *g = &d->list.items[--d->list.n];
        LiederDiagnostic *first = g->counted ? find_first_element(d, g) : NULL;
        if (first)
            first->nelement--;
        d->nerrors -= g->severity == LIEDER_ERROR;
        memory_free_text(&d->alloc, (char *)g->message);
        memory_free_text(&d->alloc, (char *)g->advice);
        memory_free_text(&d->alloc, (char *)g->path);
        memory_free_text(&d->alloc, (char *)g->file);
        memory_free_text(&d->alloc, (char *)g->source);
    }
}

void diag_clear(Diagnostics *d)
{
    diag_forget(d, 0);
    d->nerrors = d->nleft_out = 0;
    d->no_memory = false;
}

void diag_drop(Diagnostics *d)
{
    diag_clear(d);
    vec_drop(&d->alloc, &d->list);
}

/* a copy of the first line of the text */
static char *copy_line(Diagnostics *d, const char *text)
{
    size_t n = strcspn(text, "\r\n");
    char *copy = memory_resize(&d->alloc, NULL, 0, n + 1);
    if (copy) {
        memcpy(copy, text, n);
        copy[n] = '\0';
    }
    return copy;
}

/* false when the text was there but could not be copied */
static bool copy_into(Diagnostics *d, const char **to, const char *text)
{
    *to = text ? memory_text(&d->alloc, text) : NULL;
    return !text || *to;
}

void diag_add(Diagnostics *d, LiederSeverity severity, const Place *place, const char *path,
              const char *format, ...)
{
    if (path && !*path)
        path = NULL; /* the model itself */
    Place found;
    if (!place && path && d->locate && d->locate(d->locate_user, path, &found))
        place = &found;
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    char *advice = strchr(text, '\n');
    if (advice)
        *advice++ = '\0';

    if (severity == LIEDER_ERROR)
        d->nerrors++;
    LiederDiagnostic *first =
        find_first_element(d, &(LiederDiagnostic){.severity = severity,
                                                  .message = text,
                                                  .path = path,
                                                  .file = place ? place->file : NULL,
                                                  .line = place ? place->line : 0,
                                                  .column = place ? place->column : 0});
    if (first)
        first->nelement++;
    if (d->list.n >= MAX_DIAGNOSTICS) {
        d->nleft_out += !first;
        return;
    }
    LiederDiagnostic g = {.severity = severity, .counted = first != NULL};
    bool whole = copy_into(d, &g.message, text);
    whole &= copy_into(d, &g.advice, advice);
    whole &= copy_into(d, &g.path, path);
    if (place) {
        g.line = place->line;
        g.column = place->column;
        g.length = place->length;
        whole &= copy_into(d, &g.file, place->file);
        if (place->source)
            whole &= (g.source = copy_line(d, place->source)) != NULL;
    }
    if (!vec_push(&d->alloc, &d->list, g)) {
        memory_free_text(&d->alloc, (char *)g.message);
        memory_free_text(&d->alloc, (char *)g.advice);
        memory_free_text(&d->alloc, (char *)g.path);
        memory_free_text(&d->alloc, (char *)g.file);
        memory_free_text(&d->alloc, (char *)g.source);
        whole = false;
    }
    if (!whole)
        d->no_memory = true;
}
