/* noted.h - what is noted while the small models of a large one are read: numbers that the text
 * compares, rounds and looks up, and numbers that equations read. See loops.c. Elsewhere all of
 * this does nothing. Private to front/. */
#ifndef LIEDER_FRONT_NOTED_H
#define LIEDER_FRONT_NOTED_H

#include "front/instance/semantic.h"

/* ------------------------------------------------------------------ loop_decide.c */

/* numbers were compared by a relation, or rounded: what the text does then may depend on the size
 * of arrays (loop_decide.c) */
void note_decision(Front *f, SourceSpan span, const Inst *where, double x, double y);
void note_rounding(Front *f, SourceSpan span, double x, double y);
/* structure was decided by a number of a Real parameter: of an element, at the cursors of a key */
void note_structural(Front *f, Member *m, size_t element, size_t key, double x);
/* Does it decide structure and belong to the model, so that its numbers are examined as a whole
 * (loop_follow.c)? */
bool member_follows(Front *f, Member *m);
/* Notes are open until an equation has been read: how many are, those from one to another are no
 * longer of interest, and those from one on stay. */
size_t decisions_open(const Front *f);
void decisions_forget(Front *f, size_t from, size_t end);
void decisions_settle(Front *f, size_t from);
/* ------------------------------------------------------------------ loop_number.c */

/* A number that equations read beside expressions, where a large model is read with small sizes:
 * between the two functions it is evaluated (loop_number.c). */
typedef struct NumberMark {
    size_t note, end;                  /* decisions from ... to */
    size_t nlocal, nvariable, nsymbol; /* what was read */
    unsigned long long touched;
} NumberMark;
NumberMark number_begin(Front *f);
void number_end(Front *f, NumberMark *mark);
Value evaluate_operand(Front *f, const Expr *e, Env env, NumberMark *mark);
bool value_is_symbolic(const Value *v);
/* the operand of something that has expressions as well: itself, or parameters in place of its
 * numbers
 */
Value number_beside(Front *f, const Expr *e, Env env, Value v, const NumberMark *mark);
/* the same of two operands, where one has expressions and the other has none */
void numbers_beside(Front *f, Env env, const Expr *a, Value *x, const NumberMark *of_x,
                    const Expr *b, Value *y, const NumberMark *of_y);
/* Is a choice between numbers and expressions one whose branches are looked at each for itself? */
bool number_is_mixed(const Front *f, const Expr *e);
/* of what a declaration gives a variable */
Value number_of_binding(Front *f, Member *m, const Mod *mod, Value v, const NumberMark *mark);

#endif
