/* variables.h - every variable of a system, by name and by handle.
 *
 * A system has a table of variables. A row is a variable as the model declares it, and arrays stay
 * arrays: the masses of crab[1000000] are one row "crab.cart.m" with one dimension, and nothing in
 * the table grows with their number.
 *
 *   for (size_t i = 0; i < lieder_variable_count(system); i++) {
 *       LiederVariableInfo v = lieder_variable_info(system, i);      kind, unit, text, range ...
 *       lieder_variable_name(system, i, name, sizeof name);          "crab.cart.m"
 *   }
 *
 * A handle names one number: an element of a row. Handles are found once, by path or by row and
 * element, and are valid as long as the system lives, also when its connections change.
 *
 *   LiederHandle force, angle;
 *   lieder_handle_find(system, "force.f", &force);                   diagnostics name the nearest
 *   lieder_handle_find(system, "crab[3].revolute.phi", &angle);
 *   lieder_handle_set(system, &force, 2);                            parameters and open inputs
 *   lieder_observer_watch(observer, &angle);                         values at (t, x), in batches
 *
 * Names of elements have the indices where the arrays are declared, from 1: "crab[3].rod.r[2]",
 * "grid[1,2].body.m". The derivative of a state is "der(crab[3].revolute.phi)".
 *
 * Rows stand in the order of the declarations: of a component first the states, each followed by
 * its derivative, then its other variables, then its ports; the ports of the model itself, which
 * are further names of variables inside, stand at the end. */
#ifndef LIEDER_VARIABLES_H
#define LIEDER_VARIABLES_H

#include <stdint.h>

#include <lieder/lieder.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ what is known of a variable */

typedef enum LiederVariableKind {
    LIEDER_VARIABLE_PARAMETER,
    LIEDER_VARIABLE_STATE,
    LIEDER_VARIABLE_DERIVATIVE, /* of a state */
    LIEDER_VARIABLE_UNKNOWN,    /* of a linear group */
    LIEDER_VARIABLE_SIGNAL,     /* of a port: known before the linear groups are solved */
    LIEDER_VARIABLE_POTENTIAL,  /* of a port: found by solving them */
    LIEDER_VARIABLE_FLOW,       /* of a port */
    LIEDER_VARIABLE_OBSERVABLE, /* computed for observers only */
    LIEDER_VARIABLE_CROSSING,   /* its sign is a choice, decided at events */
    LIEDER_VARIABLE_DISCRETE    /* held between events, which change it */
} LiederVariableKind;

typedef enum LiederCausality {
    LIEDER_CAUSALITY_LOCAL,
    LIEDER_CAUSALITY_PARAMETER,
    LIEDER_CAUSALITY_INPUT, /* an input that nothing is connected to: it may be set */
    LIEDER_CAUSALITY_OUTPUT /* an output port of the model itself */
} LiederCausality;

/* Texts belong to the system or the session. A row has the start value of its first element. */
typedef struct LiederVariableInfo {
    const char *name; /* in its component: "phi", "frame_a.fx"; of a derivative the state's */
    const char *unit, *text; /* never NULL */
    LiederVariableKind kind;
    LiederCausality causality;
    LiederType type;
    bool tunable;        /* a parameter or open input that may be set while the system lives */
    bool alias;          /* a port of the model itself: another name of a variable inside */
    int length;          /* numbers in each component: 1, or n of a vector */
    int nindex;          /* of an array with several indices in each component: how many, else 0 */
    const size_t *sizes; /* and the size of each, the last one fastest; length is their product */
    double start;        /* value of a parameter or open input, start value of a state; else NaN */
    double min, max;     /* admissible, -INFINITY and INFINITY where there is no limit */
    double nominal;      /* 1 where nothing else is known */
    size_t n;            /* elements in all, the product of the dimensions; 1 for a scalar */
    int ndim;            /* see lieder_variable_dimensions */
} LiederVariableInfo;

const char *lieder_variable_kind_text(LiederVariableKind kind); /* "parameter", "state" ... */

/* ------------------------------------------------------------------ the table */

/* One component or model of a system: an element of every array on the way to it. A model is known
 * by its scope in place of a sheet. */
typedef struct LiederElement {
    uint32_t sheet, instance; /* component; a model has instance LIEDER_NO_INSTANCE */
    size_t lane;
} LiederElement;
#define LIEDER_NO_INSTANCE 0xffffffffu

/* One number: a variable of a component, and for a vector which of its numbers. */
typedef struct LiederHandle {
    LiederElement element;
    uint32_t item, index;
} LiederHandle;

/* How many rows there are; 0 if memory ran out. The first call of one of the functions below counts
 * them. A row that is not there has empty names and no kind of its own. */
size_t lieder_variable_count(const LiederSystem *system);
LiederVariableInfo lieder_variable_info(const LiederSystem *system, size_t variable);
/* "crab.cart.m", "der(crab.revolute.phi)", without indices; returns buffer */
const char *lieder_variable_name(const LiederSystem *system, size_t variable, char *buffer,
                                 size_t size);
/* Writes up to `room` dimensions, the first index first; returns how many there are. */
size_t lieder_variable_dimensions(const LiederSystem *system, size_t variable, size_t *dimensions,
                                  size_t room);
/* "[2]", "[1,2]" or "": number i of the `length` that a component has of a variable; returns buffer
 */
const char *lieder_variable_index(const LiederVariableInfo *info, size_t i, char *buffer,
                                  size_t size);
/* the row of a name without indices, or -1 with a diagnostic that has the nearest name */
ptrdiff_t lieder_variable_find(LiederSystem *system, const char *name);
/* The handle of an element, counted from 0 with the last index fastest. False: there is none; of a
 * state that depends on a switch some elements may have none. */
bool lieder_variable_handle(const LiederSystem *system, size_t variable, size_t element,
                            LiederHandle *handle);

/* ------------------------------------------------------------------ handles */

/* by path, with an index for every array; LIEDER_BAD_USE with a diagnostic that has the nearest
 * name */
LiederStatus lieder_handle_find(LiederSystem *system, const char *path, LiederHandle *handle);
/* The same without a diagnostic, and from a component or model on: "frame_a.x" of a body. From NULL
 * is the whole system. False: there is no such variable. */
bool lieder_handle_search(const LiederSystem *system, const LiederElement *from, const char *path,
                          LiederHandle *handle);
/* path of the number, which find finds; returns buffer */
const char *lieder_handle_name(const LiederSystem *system, const LiederHandle *handle, char *buffer,
                               size_t size);
/* of this element: ndim is 0 and n is 1 */
LiederVariableInfo lieder_handle_info(const LiederSystem *system, const LiederHandle *handle);
/* whether the system owns it, or another rank does: see LiederRanks */
bool lieder_handle_here(const LiederSystem *system, const LiederHandle *handle);
/* index of a state in x, or -1 */
ptrdiff_t lieder_handle_state(const LiederSystem *system, const LiederHandle *handle);

/* The number that the system holds: of a parameter or open input its value, of a state its start
 * value. Others are functions of (t, x): see lieder_observer_watch. LIEDER_BAD_USE, with a
 * diagnostic, if there is none, or if the value is not admissible.
 *
 * Setting costs what depends on the number: it is written to its place, and the blocks that read
 * nothing but constants are run again if they depend on it. A parameter from which other numbers
 * were computed when the system was made (c = 2*k, a start value) is refused, since these would
 * keep their values: it is not `tunable`. An override of lieder_system_load changes them, too. */
LiederStatus lieder_handle_get(LiederSystem *system, const LiederHandle *handle, double *value);
LiederStatus lieder_handle_set(LiederSystem *system, const LiederHandle *handle, double value);

/* The value at (t, x) becomes the next one in the output of lieder_observer_evaluate: its index
 * there, or -1 with a diagnostic. Values of one component in one lane are evaluated together. */
ptrdiff_t lieder_observer_watch(LiederObserver *observer, const LiederHandle *handle);

/* ------------------------------------------------------------------ the tree of names */

/* What a model declares: a component, a model inside, or an array of one of these. */
typedef struct LiederBranch {
    const char *name;
    const LiederClass *class_;
    bool component; /* has variables; else branches of its own */
    bool array;
    size_t n; /* elements; 1 if it is no array */
    int ndim;
    const size_t *dimensions; /* ndim; valid as long as nothing is added to the model */
} LiederBranch;

/* the model of the system; from there on branch by branch: numbers must be below the counts */
LiederElement lieder_tree_root(const LiederSystem *system);
size_t lieder_tree_count(const LiederSystem *system, const LiederElement *model);
LiederBranch lieder_tree_branch(const LiederSystem *system, const LiederElement *model,
                                size_t branch);
/* Element number `index` from 0 of a branch. Elements of an array that share all but their numbers
 * have the same sheet and instance, and differ in the lane. */
LiederElement lieder_tree_element(const LiederSystem *system, const LiederElement *model,
                                  size_t branch, size_t index);
/* the variables of a component: handle {element, item, index}, index from 0 below its length */
size_t lieder_tree_item_count(const LiederSystem *system, const LiederElement *component);
/* name, unit, text, kind, type, length and range: what its class says */
const LiederVariableInfo *lieder_tree_item(const LiederSystem *system,
                                           const LiederElement *component, size_t item);
/* false: a switch of the component leaves this state out */
bool lieder_tree_has_item(const LiederSystem *system, const LiederElement *component, size_t item);
/* the ports of the model itself that lead to one signal inside: name and handle */
size_t lieder_tree_port_count(const LiederSystem *system);
bool lieder_tree_port(const LiederSystem *system, size_t port, const char **name,
                      LiederHandle *handle);

#ifdef __cplusplus
}
#endif
#endif
