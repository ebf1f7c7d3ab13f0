/* function.h - what call.c, function.c and function_assign.c share. Private to front/. */
#ifndef LIEDER_FRONT_FUNCTION_H
#define LIEDER_FRONT_FUNCTION_H

#include "front/instance/semantic.h"

enum { MAX_INPUTS = 40 };
/* Is the member an input? The fields of a record are those of its constructor. */
bool is_input(const Inst *inst, const Member *m);
/* call_order.c: the binding in the declaration of a variable, or NULL */
const Expr *function_default(const Member *m);
/* the members of a function or record: inputs first, the others behind those that they need; found
 * once. NULL: memory ran out */
const uint32_t *function_order(Front *f, Inst *inst);
/* a function that was found already, for values, with its results */
Value call_all_with_values(Front *f, Member *function, const Value *arguments, size_t n,
                           SourceSpan span, Env env, Value *all, size_t nall);

/* own_derivative.c: all numbers of a value, of the fields of a record one after the other */
typedef bool ElementVisit(void *user, Value *v, double *element);
bool visit_elements(Value *v, ElementVisit *visit, void *user);
/* for visit_elements: lists the nodes of elements; false: memory ran out */
typedef struct ElementNodes {
    Front *f;
    NodeList nodes;
    bool without_numbers, varies; /* varies: one of them is no number */
} ElementNodes;
bool list_element(void *user, Value *v, double *element);
bool is_number_kind(ValueKind kind);
bool same_structure(const Value *a, const Value *b); /* all but numbers */

/* A call with all its inputs that is written out: all results, whether they have values or not. How
 * many; 0 after an error. */
size_t call_for_all_results(Front *f, Inst *inst, const Value *inputs, size_t n, SourceSpan span,
                            Env env, Value *results, size_t most);

/* has it an annotation(derivative = ...) that counts here? */
bool has_own_derivative(const Front *f, const Inst *inst);
/* marks the results of a call with what its derivative is made of */
void mark_own_derivative(Front *f, Inst *inst, const Value *inputs, size_t n, Value *first,
                         Value *all, size_t nall, SourceSpan span, const Inst *where);
/* notes a call of a function with annotations inverse or smoothOrder */
void note_annotated_call(Front *f, Inst *inst, const Value *inputs, size_t n, const Value *first,
                         SourceSpan span, const Inst *where);
bool has_call_notes(const Front *f, const Inst *inst);
bool generates_events(const Inst *inst);
/* Graph.inverse */
Node inverse_value(void *user, uint32_t which, Node list, uint32_t element, Node result);
/* the number of a call and the elements of its inputs; false: these are numbers, or memory ran out
 */
bool list_call(Front *f, Inst *inst, const Value *inputs, size_t n, SourceSpan span,
               const Inst *where, uint32_t *which, Node *list);
size_t count_elements(const Value *v);
/* the inputs of a call with the elements of the list; NULL: there is no such call */
struct Lower;
struct OwnDerivativeCall;
Value *own_derivative_inputs(struct Lower *lower, uint32_t which, Node list,
                             struct OwnDerivativeCall *call);
/* A function is called for a cell whose text has been read already: while its equations are solved
 * they ask for a derivative or an inverse. */
typedef struct LateCall {
    struct Lower *lower, *outer, *around;
    bool asked;
} LateCall;
LateCall late_call_begin(struct Lower *lower);
void late_call_end(const LateCall *late);
/* Graph.own_derivative: the derivative of what was marked */
Node own_derivative(void *user, uint32_t which, Node list, Node derivatives, Node as_written);

typedef struct Dimension {
    const Expr *size;
    Env env;
} Dimension;

/* the dimensions of a variable one after the other: its own, those at its type, those of the type
 */
size_t dimensions_of(Front *f, Member *m, Env env, Dimension *to);
/* has the value the dimensions of the variable? false after reporting it */
bool check_dimensions(Front *f, Member *m, const Value *v, SourceSpan span, Env env);
/* a copy into the variable; false after reporting that it does not fit */
bool store_value(Front *f, LocalName *variable, Value v, SourceSpan span, const Inst *where);
/* the value that the declaration or a modifier gives; the class itself sees the frames */
Value field_default(Front *f, const Member *m, LocalName *frame);

/* does the value that the declaration gives read variables of the same function or record? */
bool default_reads_variables(Front *f, const Member *m);
/* one value to a variable, to elements of it or to a field; false after an error */
bool assign_value(Front *f, const Expr *left, Value v, Env env);
/* (a, , b) := f(x) */
bool assign_tuple(Front *f, const Equation *s, Env env);
/* external clause and algorithms, in the frames of `inside`; false after an error */
bool run_function(Front *f, const Inst *inst, Env inside, SourceSpan span);

#endif
