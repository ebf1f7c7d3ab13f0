/* scan.h - classes and components of a text that someone is typing.
 *
 * The parser of front/ wants a whole text. This one takes any: it goes through the tokens statement
 * by statement, knows declarations from equations by the keywords, and begins anew behind a
 * semicolon or at a keyword that starts a line. It finds where names are declared; what they mean
 * is found in resolve.h.
 *
 * Numbers of tokens, classes and components are indices; SCAN_NONE is no class: the top of the
 * text. */
#ifndef LIEDER_LSP_SCAN_H
#define LIEDER_LSP_SCAN_H

#include "base/memory.h"
#include "front/syntax/token.h"

#define SCAN_NONE ((size_t)-1)

typedef struct ScanClass {
    size_t parent;
    size_t keyword, name; /* tokens */
    size_t first, last;   /* its first and last token */
    size_t base;          /* of "type A = base": token where the name of the base begins; else 0 */
    size_t text;          /* token of its description, or 0 */
} ScanClass;

typedef struct ScanComponent {
    size_t class_;     /* where it is declared */
    size_t type, name; /* tokens: where the name of its type begins; its own */
    size_t text;       /* token of its description, or 0 */
    bool parameter;
} ScanComponent;

/* "extends type" and "import alias = type", alias 0: the last name counts; all: import type.* */
typedef struct ScanLink {
    size_t class_, type, alias;
    bool import, all;
} ScanLink;

typedef struct Scan {
    const char *text;  /* belongs to the caller, and ends with a NUL */
    VEC(Token) tokens; /* the last is the end of the file */
    VEC(ScanClass) classes;
    VEC(ScanComponent) components;
    VEC(ScanLink) links;
} Scan;

/* false: no memory */
bool scan_text(Scan *s, const char *text, size_t length);
void scan_drop(Scan *s);

/* Is it a name with these letters? */
bool scan_is(const Scan *s, size_t token, const char *name);
bool scan_same(const Scan *s, size_t token, const Scan *other, size_t other_token);
/* the token behind a dotted name that begins here */
size_t scan_behind_name(const Scan *s, size_t token);
/* the innermost class around a token, or SCAN_NONE */
size_t scan_class_around(const Scan *s, size_t token);
/* the last token that begins before the offset; 0 if there is none */
size_t scan_token_before(const Scan *s, size_t offset);

#endif
