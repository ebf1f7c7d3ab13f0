/* print.h - syntax tree back to Modelica text.
 *
 * The text parses to the same tree: every name, value and order is kept, layout, comments in
 * code and superfluous parentheses are not. Only for trees without syntax errors. Numbers
 * follow the locale of the stream's program: keep LC_NUMERIC at "C".
 */
#ifndef LIEDER_FRONT_PRINT_H
#define LIEDER_FRONT_PRINT_H

#include <stdio.h>

#include "front/syntax/tree.h"

void print_file(const SyntaxFile *file, FILE *to);
void print_class(const Class *class_, FILE *to);
void print_expression(const Expr *e, FILE *to);
void print_reference(const Ref *ref, FILE *to);

#endif
