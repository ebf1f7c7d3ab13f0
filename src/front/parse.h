/* parse.h - Modelica text to syntax tree. */
#ifndef LIEDER_FRONT_PARSE_H
#define LIEDER_FRONT_PARSE_H

#include "base/intern.h"
#include "front/tree.h"

#define PARSE_MAX_ERRORS 50 /* per file; then parsing stops with a closing note */

/* Parses one file. The text must have a NUL at text[length]; it and the file name must live
 * as long as the tree. Syntax errors go to the diagnostics and are counted in the result's
 * nerrors: then the tree has holes and is good for nothing but its names. NULL only when
 * memory ran out, with arena->failed set. */
SyntaxFile *parse_text(Arena *arena, Interner *names, Diagnostics *diag, const char *file_name,
                       const char *text, size_t length);

#endif
