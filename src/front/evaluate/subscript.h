/* subscript.h - subscripts of arrays: subscript.c. Private to front/. */
#ifndef LIEDER_FRONT_SUBSCRIPT_H
#define LIEDER_FRONT_SUBSCRIPT_H

#include "front/instance/semantic.h"

/* subscripts of an array as lists of positions from 0; n[k] = 1 and drop[k] for a scalar one */
typedef struct IndexSelection {
    int ndim;
    size_t *at[VALUE_DIMS];
    size_t n[VALUE_DIMS];
    size_t one[VALUE_DIMS]; /* what `at` points to for a single index: nets have millions of them */
    bool drop[VALUE_DIMS];
} IndexSelection;
/* are subscripts of the types that the dimensions of a declaration are indexed by? */
bool check_index_types(Front *f, Member *m, const ExprList *subscripts, Env env);
bool select_subscripts(Front *f, const ExprList *subscripts, Env env, int ndim, const size_t *dim,
                       SourceSpan span, const char *name, IndexSelection *selection);
/* how many elements are selected, and the position in the array of the i-th of them */
size_t selection_count(const IndexSelection *selection);
size_t selection_position(const IndexSelection *selection, const size_t *dim, size_t i);
/* the position of the one element that subscripts of numbers select; false: there is none */
bool select_element(Front *f, const ExprList *subscripts, Env env, int ndim, const size_t *dim,
                    size_t *element);
/* subscripts of which one varies, with a number in its place */
typedef struct Varying {
    double index;
    size_t n;
    int first; /* what it is for the first element: of a Boolean 0 */
    Expr number, *items[VALUE_DIMS];
    ExprList subscripts;
} Varying;
bool find_varying(Front *f, const ExprList *subscripts, Env env, int ndim, const size_t *dim,
                  Varying *varies);
/* the condition that it is the i-th, and its number in the subscripts */
double varying_is(Front *f, Varying *varies, size_t i);

/* all literals of an enumeration, false and true of Boolean (NULL), as a vector */
Value all_of_type(Front *f, const Class *literals, SourceSpan span);
/* those that an index without a range takes; V_NONE: it takes Integers */
Value implied_of_type(Front *f, const ForIndex *index, Env env);

#endif
