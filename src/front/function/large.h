/* large.h - large functions stay calls: what call.c asks of large.c. Private to front/. */
#ifndef LIEDER_FRONT_LARGE_H
#define LIEDER_FRONT_LARGE_H

#include "front/instance/semantic.h"

struct Lower;

/* may calls of the function stay calls here? */
bool large_is_possible(const Front *f, const Inst *inst);
/* The call of a function for values of all its inputs, of which one at least varies. false: it is
 * to be written out. */
bool large_call(Front *f, Inst *inst, const Value *inputs, size_t n, SourceSpan span, Env env,
                Value *first, Value *all, size_t nall);

/* before a call is written out: what there is */
typedef struct LargeMark {
    size_t nodes, calls, requests, assertions;
} LargeMark;
LargeMark large_mark(Front *f);
/* has it become more than is to be written out? */
bool large_is_more(Front *f, const LargeMark *mark);
/* takes back the assertions since the mark; the second time they hold again */
void large_exchange_assertions(Front *f, LargeMark *mark);

/* While a function is made, an assertion is one of its results; true: it is not to be added. */
bool large_keep_assertion(Front *f, int kind, Node fails, const char *text, SourceSpan span);
/* a construct that belongs to the place where it stands: no function is made of it; false: none is
 * being made */
bool large_refuse(Front *f);
/* the argument that a node stands for, for the texts of assertions; NULL: it is none */
const char *large_stand_in_name(Front *f, Node node);
void large_drop(struct Lower *lower);

#endif
