/* diag.c - see diag.h. */
#include "base/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void diag_init(Diagnostics *d, const LiederAllocator *alloc)
{
    *d = (Diagnostics){.alloc = *alloc};
}

void diag_forget(Diagnostics *d, size_t n)
{
    while (d->list.n > n) {
        LiederDiagnostic *g = &d->list.items[--d->list.n];
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
    if (severity == LIEDER_ERROR)
        d->nerrors++;
    if (d->list.n >= DIAG_MOST) {
        d->nleft_out++;
        return;
    }
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

    LiederDiagnostic g = {.severity = severity};
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
