/* parse.h - Modelica text to syntax tree. */
#ifndef LIEDER_FRONT_PARSE_H
#define LIEDER_FRONT_PARSE_H

#include "base/intern.h"
#include "front/syntax/tree.h"

#define PARSE_MAX_ERRORS 50 /* per file; then parsing stops with a closing note */

/* Parses one file. The text must have a NUL at text[length]; it and the file name must live
 * as long as the tree. Syntax errors go to the diagnostics and are counted in the result's
 * nerrors: then the tree has holes and is good for nothing but its names. NULL only when
 * memory ran out, with arena->failed set. */
SyntaxFile *parse_text(Arena *arena, Interner *names, Diagnostics *diag, const char *file_name,
                       const char *text, size_t length);

/* The same for a text that is known to be right, such as one of the library: of a class that is no
 * package only the head is read (prefixes, name, description), and Class.pending is set. Its body
 * ends at the first line that begins with "end NAME;". */
SyntaxFile *parse_outline(Arena *arena, Interner *names, Diagnostics *diag, const char *file_name,
                          const char *text, size_t length);
/* Reads the body of such a class; false only when memory ran out: it is pending still. */
bool parse_pending(Arena *arena, Interner *names, Diagnostics *diag, Class *class_);

#endif
