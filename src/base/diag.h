/* diag.h - the list of everything that is wrong with a model.
 *
 * Problems are collected, not thrown: the checks go on to the next one, and a person sees all of
 * them at once. A diagnostic says where (file, line, column with the source line for the caret, or
 * the path of a component), what, and what to do. What is wrong with several elements of an array
 * is added for each of them; the first one counts the others, so that they may be shown as one.
 */
#ifndef LIEDER_BASE_DIAG_H
#define LIEDER_BASE_DIAG_H

#include "base/memory.h"

/* a place in a source text; file NULL when the model came from C */
typedef struct Place {
    const char *file;
    int line, column, length; /* 1-based; length of the underlined part */
    const char *source;       /* start of the source line, not NUL terminated; or NULL */
} Place;

/* more than a person reads at once: a large model may be wrong in a million places */
enum { MAX_DIAGNOSTICS = 200 };

/* where the component of a path stands in a source text; false: it is not known */
typedef bool DiagnosticLocate(const void *user, const char *path, Place *place);

typedef struct Diagnostics {
    LiederAllocator alloc;
    VEC(LiederDiagnostic) list;
    size_t nerrors;
    size_t nleft_out; /* beyond MAX_DIAGNOSTICS: counted, not kept */
    bool no_memory;   /* a diagnostic itself could not be stored */
    /* finds the place of a diagnostic that has a path only, for the engine knows components, not
     * texts; set by the front end (front/names/loader.c), else NULL */
    DiagnosticLocate *locate;
    const void *locate_user;
} Diagnostics;

void diag_init(Diagnostics *d, const LiederAllocator *alloc);
void diag_drop(Diagnostics *d);
void diag_clear(Diagnostics *d);
/* removes all but the first n: those of an attempt that failed and does not matter */
void diag_forget(Diagnostics *d, size_t n);

/* what and advice are printf formats joined by one newline: "what\nadvice"; path and
 * place may be NULL */
__attribute__((format(printf, 5, 6))) void diag_add(Diagnostics *d, LiederSeverity severity,
                                                    const Place *place, const char *path,
                                                    const char *format, ...);
#define diag_error(d, place, path, ...)   diag_add(d, LIEDER_ERROR, place, path, __VA_ARGS__)
#define diag_warning(d, place, path, ...) diag_add(d, LIEDER_WARNING, place, path, __VA_ARGS__)

#endif
