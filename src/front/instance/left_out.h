/* left_out.h - what `break` in an extends clause leaves out. */
#ifndef LIEDER_FRONT_LEFT_OUT_H
#define LIEDER_FRONT_LEFT_OUT_H

#include "front/instance/semantic.h"

/* twice.c: the text of two places, blanks left out */
bool span_same_text(SourceSpan a, SourceSpan b);

/* does an extends clause among the modifiers leave out this component? */
bool component_left_out(const Mod *mods, const char *name);
/* ... or this connection of a part? */
bool connection_left_out(const ClassPart *part, const Equation *e);
/* reports when what the argument leaves out is not there */
void left_out_check(Front *f, Inst *inst, const Argument *a);

#endif
