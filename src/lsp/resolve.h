/* resolve.h - what a name in a text means: a class or a component, of the text or of the library.
 *
 * The rules are those of Modelica as far as an editor needs them: components and classes of the
 * class around, what it extends and imports, then outward, then the top of all texts; behind a dot
 * the members of what stands before it; in brackets of a declaration ("Body cart(m = 2)") the
 * members of its type. */
#ifndef LIEDER_LSP_RESOLVE_H
#define LIEDER_LSP_RESOLVE_H

#include "lsp/scan.h"

/* the text that is asked about first, then other open ones, then those of libraries */
typedef struct Texts {
    const Scan **scans;
    size_t n; /* at least 1 */
} Texts;

typedef enum MeaningKind { MEANS_NOTHING, MEANS_CLASS, MEANS_COMPONENT } MeaningKind;

typedef struct Meaning {
    MeaningKind kind;
    const Scan *scan;
    size_t index; /* of its classes or components */
} Meaning;

/* what the name at a token means */
Meaning resolve_token(const Texts *t, const Scan *s, size_t token);
/* the class of a component; a class is its own. NONE: Real and its like */
Meaning resolve_type(const Texts *t, Meaning symbol);
/* what the arguments in the brackets around a token modify: the class, or of "x(" with a Real x the
 * component x itself */
Meaning resolve_modified(const Texts *t, const Scan *s, size_t token);
/* every member of a class, those of what it extends included; stops when visit returns false */
typedef bool ResolveVisit(void *user, Meaning member);
void resolve_members(const Texts *t, Meaning class_, ResolveVisit *visit, void *user);

bool meaning_equal(Meaning a, Meaning b);
size_t meaning_token(Meaning symbol); /* its name where it is declared */
/* "Dialectic.Planar.Body" of a class; returns buffer */
const char *meaning_full_name(Meaning class_, char *buffer, size_t size);

#endif
