/* expression.h - expressions as a graph in which equal expressions are one node.
 *
 * A node is a number, a symbol, an operation on nodes or the call of a function of function.h.
 * Nodes are made once (hash-consed) and never change, so equal texts share their work, and
 * comparing two expressions is comparing two indices. Booleans are the numbers 0 and 1.
 *
 * What is rewritten when a node is made, and nothing else, so that every tier computes the same
 * bits:
 *
 *   operations on constants, by the functions that blocks use;
 *   x + 0, x - 0, 0 - x, x * 1, x / 1, --x;
 *   0 * x and 0 / x are 0 (as in component blocks, where zeros are structural);
 *   x ^ 2 is x * x; a selection with a constant condition or equal branches;
 *   a - (-b), a + (-b), (-a) * b: signs move outwards (negation is exact)
 *
 * Sums and products are never reordered, a quotient never becomes a product.
 *
 * Several equations that are solved together where the expression is computed are one node
 * (NODE_SYSTEM), and each of its unknowns another (NODE_PART); see system.c. So is the call of a
 * large function, and each of its results; see call.c.
 *
 * Memory: after a failed allocation graph->failed is set and every function returns NO_NODE, which
 * all of them also take, so a builder checks once at the end.
 */
#ifndef LIEDER_BLOCK_EXPRESSION_H
#define LIEDER_BLOCK_EXPRESSION_H

#include <stdint.h>

#include "base/memory.h"
#include "block/function.h"
#include "block/sparse.h"

typedef uint32_t Node; /* index into Graph.nodes */
enum { NO_NODE = 0 };

typedef enum NodeKind {
    NODE_NONE,
    NODE_CONSTANT, /* value */
    NODE_SYMBOL,   /* symbol: a number that the caller gives a meaning */
    NODE_NEGATE,
    NODE_ADD,
    NODE_SUBTRACT,
    NODE_MULTIPLY,
    NODE_DIVIDE,
    NODE_FUSED, /* a * b + c, rounded once */
    NODE_LESS,  /* comparisons and the logic on them: 0 or 1 */
    NODE_LESS_EQUAL,
    NODE_EQUAL,
    NODE_NOT,
    NODE_AND,
    NODE_OR,
    NODE_SELECT, /* a ? b : c; both are computed */
    NODE_CALL,   /* function of one or two arguments */
    NODE_LIST,   /* numbers: a, then those of b, which is a list or NO_NODE */
    NODE_SYSTEM, /* equations solved together, see GraphSystem: a, c: lists; b: constant, which */
    NODE_PART,   /* one number of what a system a gives; b: constant, which */
    NODE_OWN_DERIVATIVE /* a, whose derivative by time Graph.own_derivative gives; b: the list of
                           the arguments of its author's function, c: constant, which function;
                           node_plain takes it out before anything is solved */
} NodeKind;

typedef struct NodeData {
    uint8_t kind;
    uint8_t function; /* Function of a call */
    Node a, b, c;     /* operands; of smaller index than the node itself */
    union {
        double value;
        uint64_t symbol;
    };
} NodeData;

typedef VEC(Node) NodeList;

/* What a NODE_SYSTEM does with the numbers that its lists have.
 *
 *   linear:     sum over k of entry[k] z[column[k]] (row[k] = i) = right[i], entries in list a,
 *               right sides in list c
 *   nonlinear:  residual[i](z, p) = 0, in symbols bound_symbol(system, 0 ... n - 1) for z and
 *               those that follow for p; entries are the partial derivatives, row by row. List a
 *               has the start values of z, then p.
 *
 * Its parts are z (n numbers, NaN where no solution was found), the last z that was tried (n), and
 * 0, or 1 + the row where it failed; -(1 + an unknown that nothing decides) of a lenient one.
 *
 * A sparse linear system may be solved by two nodes, so that a matrix of parameters is factored
 * where these are known: the parts of a SYSTEM_FACTORS are numbers of the factors; a
 * SYSTEM_FACTORED has these behind the entries in its list a. */
typedef enum SystemStep { SYSTEM_WHOLE, SYSTEM_FACTORS, SYSTEM_FACTORED, SYSTEM_CALL } SystemStep;

/* a derivative of a result of a called function, which is a result as well */
typedef struct CallDerivative {
    uint32_t of, by; /* a result, an argument */
    bool own;        /* the own derivative of the function, by time */
    uint32_t is;     /* the result that it is; NO_RESULT: zero */
} CallDerivative;
struct TapeBody;
/* One condition of a call: it is needed only where this is not zero (wanted), or zero. Conditions
 * of one call stand one after the other, calls in the order of evaluation; see guard.c. */
typedef struct CallGuard {
    Node system, condition;
    bool wanted;
} CallGuard;
typedef VEC(CallGuard) CallGuards;

/* A function that is called (SYSTEM_CALL, call.c). Its results are expressions in
 * bound_symbol(system, k) of its arguments, which are list a; its parts are these results.
 * Derivatives of results are added as results when they are first needed. */
typedef struct GraphCall {
    uint32_t ninput;    /* arguments */
    NodeList output;    /* results as they are written */
    NodeList plain;     /* without NODE_OWN_DERIVATIVE: what is computed */
    VEC(uint32_t) size; /* by result: nodes below it */
    VEC(uint8_t) reads; /* by result and argument: 1 where it reads it */
    VEC(CallDerivative) derivatives;
    NodeList order; /* nodes of the first nordered results, operands first */
    size_t nordered;
    CallGuards guards;       /* of calls in this order */
    struct TapeBody *bodies; /* tapes of some of its results, see tape.c */
} GraphCall;
typedef struct GraphSystem {
    bool linear;
    bool lenient, near; /* LiederPattern of systems.h */
    SystemStep step;
    uint32_t n;                /* equations and unknowns */
    uint32_t ninput;           /* numbers of list a */
    VEC(uint32_t) row, column; /* of the entries of the matrix */
    NodeList residual, entry;  /* nonlinear */
    NodeList size;             /* nonlinear, by residual: what its terms amount to; or empty */
    SparseTable table;         /* how it is eliminated; empty: as a dense matrix */
    uint32_t homotopy;         /* place in list a of the operand that is moved from 0 to 1, or 0 */
    uint32_t guess;            /* of n operands, see node_guess_system, or 0 */
    VEC(double) nominal;       /* by unknown: 0 where none is given; empty: nowhere */
    uint32_t source;           /* of the caller: which equations it comes from */
    GraphCall *call;           /* SYSTEM_CALL; else NULL */
} GraphSystem;

typedef struct Graph {
    const LiederAllocator *alloc;
    VEC(NodeData) nodes; /* the first is NO_NODE */
    Node *table;         /* open addressing */
    size_t ntable;
    VEC(uint32_t) mark; /* by node: the last walk that has reached it */
    uint32_t walk;
    NodeList scratch; /* by node: results of a walk under way, NO_NODE between walks */
    NodeList free_;   /* likewise of FreeNodes */
    NodeList settled; /* those of FreeNodes that are kept */
    VEC(GraphSystem) systems;
    /* A typical number of a symbol, NaN where none is known. `holds`: it is one that stays, so that
     * a zero is no accident. NULL: none is known. */
    double (*sample)(void *user, uint64_t symbol, bool *holds);
    void *sample_user;
    /* The derivative by time of a NODE_OWN_DERIVATIVE: `which` is its c, `list` its b,
     * `derivatives` are those of the list's items, `as_written` is the derivative that the
     * expression itself has. NULL: that one is taken. */
    Node (*own_derivative)(void *user, uint32_t which, Node list, Node derivatives,
                           Node as_written);
    /* An input of such a call by the inverse of the function: `which` and `list` as above,
     * `element` is the one that is unknown, `result` that of the call. NO_NODE: there is no
     * inverse. NULL: of no function. */
    Node (*inverse)(void *user, uint32_t which, Node list, uint32_t element, Node result);
    void *function_user;      /* the first argument of these two */
    bool has_own_derivatives; /* such a node was made */
    Node zero;                /* the constant, once it has been made */
    uint64_t homotopy; /* 1 + the symbol that solvers of nonlinear systems move from 0 to 1, or 0 */
    /* Spent on finding and making nodes; beyond max_effort (0: no limit) the graph has failed and
     * is exhausted. */
    size_t effort, max_effort;
    bool failed, exhausted;
} Graph;

void graph_init(Graph *graph, const LiederAllocator *alloc);
void graph_drop(Graph *graph);

Node node_constant(Graph *graph, double value);
Node node_symbol(Graph *graph, uint64_t symbol);
Node graph_find_symbol(const Graph *graph, uint64_t symbol); /* NO_NODE: it was not made */
/* an operation: as many operands as its kind has, the others NO_NODE */
Node node_make(Graph *graph, NodeKind kind, Node a, Node b, Node c);
Node node_call(Graph *graph, Function function, Node a, Node b);

static inline Node node_negate(Graph *g, Node a)
{
    return node_make(g, NODE_NEGATE, a, NO_NODE, NO_NODE);
}
static inline Node node_add(Graph *g, Node a, Node b)
{
    return node_make(g, NODE_ADD, a, b, NO_NODE);
}
static inline Node node_subtract(Graph *g, Node a, Node b)
{
    return node_make(g, NODE_SUBTRACT, a, b, NO_NODE);
}
static inline Node node_multiply(Graph *g, Node a, Node b)
{
    return node_make(g, NODE_MULTIPLY, a, b, NO_NODE);
}
static inline Node node_divide(Graph *g, Node a, Node b)
{
    return node_make(g, NODE_DIVIDE, a, b, NO_NODE);
}
/* a b + c, rounded once */
static inline Node node_fused(Graph *g, Node a, Node b, Node c)
{
    return node_make(g, NODE_FUSED, a, b, c);
}
static inline Node node_select(Graph *g, Node condition, Node a, Node b)
{
    return node_make(g, NODE_SELECT, condition, a, b);
}

static inline const NodeData *node_data(const Graph *graph, Node node)
{
    return &graph->nodes.items[node];
}
static inline bool node_is_constant(const Graph *graph, Node node, double value)
{
    const NodeData *n = node_data(graph, node);
    return n->kind == NODE_CONSTANT && n->value == value;
}
int node_operands(NodeKind kind); /* how many of a, b, c are in use; of a call see function_table */

/* ------------------------------------------------------------------ walks */

/* The nodes below `nodes` and these themselves, operands before what uses them, each once, appended
 * to `order`; not those whose place in `done` (NULL: none) is set. The cost is that of the nodes
 * reached. false: memory ran out. */
bool graph_reach(Graph *graph, const Node *nodes, size_t n, const Node *done, NodeList *order);

/* Visits each symbol below the nodes once. false: memory ran out, or a visit returned false. */
typedef bool SymbolVisit(void *user, uint64_t symbol, Node node);
bool graph_symbols(Graph *graph, const Node *nodes, size_t n, SymbolVisit *visit, void *user);

/* Replacing symbols: `of_symbol` returns the node to stand for a symbol. Differentiating: it
 * returns the derivative of a symbol, NO_NODE for zero; so the derivative by time is the direction
 * in which every symbol has its own derivative, and a partial derivative the direction of one
 * symbol. `done` keeps results by node, so that several nodes of one pass share the work. */
typedef Node SymbolNode(void *user, uint64_t symbol, Node node);
typedef struct GraphPass {
    Graph *graph;
    SymbolNode *of_symbol;
    void *user;
    NodeList done;
    bool by_time; /* differentiating by time: own derivatives of functions hold */
} GraphPass;
Node replace_symbols(GraphPass *pass, Node node);
Node replace_once(Graph *graph, SymbolNode *of_symbol, void *user,
                  Node node); /* keeps no results */
void pass_drop(GraphPass *pass);
/* without NODE_OWN_DERIVATIVE; a pass of its own, whose of_symbol is NULL */
Node node_plain(GraphPass *pass, Node node);

/* what a pass does at a node whose operands have results in `done`; for derivative.c */
typedef Node GraphStep(GraphPass *pass, Node node, const Node *done);
Node node_replaced(GraphPass *pass, Node node, const Node *done); /* with its operands replaced */
Node pass_run(GraphPass *pass, Node node, GraphStep *step);
Node pass_once(Graph *graph, SymbolNode *of_symbol, void *user, Node node, GraphStep *step);

/* What the terms of a node amount to, in a measure m with m(a b) = m(a) m(b): sums add the measures
 * of their terms, so that terms that cancel count. */
typedef struct Magnitude {
    Node (*of)(Graph *graph, Node node);
    Node (*of_call)(Graph *graph, Node node, const NodeData *data, const Node *done);
} Magnitude;
Node node_magnitude(Graph *graph, Node node, const Magnitude *measure);

/* The number of a node for given numbers of its symbols, by the operations that blocks use. The
 * numbers x are those of nodes in order, operands first; the number of a call is the place of its
 * results in `results`. */
typedef double SymbolValue(void *user, uint64_t symbol);
typedef VEC(double) CallNumbers;
void evaluate_nodes(Graph *graph, const NodeList *order, SymbolValue *value, void *user, double *x,
                    CallNumbers *results, const CallGuards *guards);
/* NaN also where memory ran out: the graph has failed then */
double node_evaluate(Graph *graph, Node node, SymbolValue *value, void *user);

/* The same many times: the lists are kept for the next evaluation, so that each costs what its own
 * nodes cost and not as much as the graph. */
typedef struct GraphNumbers {
    VEC(double) of_node;
    NodeList order; /* the nodes of the last evaluation, operands first */
    NodeList done;  /* by node, of node_evaluate_more: itself where it has a number */
    CallNumbers results;
} GraphNumbers;
double node_evaluate_again(Graph *graph, Node node, SymbolValue *value, void *user,
                           GraphNumbers *numbers);
/* The same for many nodes with the same numbers of symbols: a node that has a number is not
 * evaluated again. */
double node_evaluate_more(Graph *graph, Node node, SymbolValue *value, void *user,
                          GraphNumbers *numbers);
void graph_numbers_drop(Graph *graph, GraphNumbers *numbers);

/* ------------------------------------------------------------------ system.c */

void graph_system_drop(Graph *graph, GraphSystem *system);
/* what a nonlinear one computes from its unknowns and operands: residuals, entries, sizes */
size_t system_outputs(const GraphSystem *system);
Node system_output(const GraphSystem *system, size_t k);
/* how many numbers its factors have; 0: the matrix is dense */
uint32_t system_nfactor(const GraphSystem *system);
/* numbers->of_node: the numbers of nodes for typical numbers of their symbols (Graph.sample; where
 * that knows none, a number that differs from symbol to symbol); false: memory ran out */
bool graph_samples(Graph *graph, const Node *nodes, size_t n, GraphNumbers *numbers);
/* a list of n nodes */
Node node_list(Graph *graph, const Node *nodes, size_t n);
/* appends the items of a list */
bool list_items(const Graph *graph, Node list, NodeList *items);

static inline uint64_t bound_symbol(uint32_t system, uint32_t index)
{
    return (uint64_t)1 << 60 | (uint64_t)system << 32 | index;
}
/* the index in Graph.systems of a NODE_SYSTEM */
static inline uint32_t system_number(const Graph *graph, Node system)
{
    return (uint32_t)node_data(graph, node_data(graph, system)->b)->value;
}
Node node_part(Graph *graph, Node system, uint32_t index);

/* n equations A z = right; `entry`: those of A that are not zero, with their rows and columns.
 * `constant`: the entries are made of parameters; the factors are nodes of their own then. */
Node node_linear_system(Graph *graph, uint32_t n, const uint32_t *row, const uint32_t *column,
                        const Node *entry, size_t nentry, const Node *right, uint32_t source,
                        bool constant);
/* residuals that are to be zero in n symbols, with start values and nominal values of these (0
 * where none is given; or NULL) */
Node node_nonlinear_system(Graph *graph, uint32_t n, const Node *residuals, const uint64_t *symbols,
                           const Node *starts, const double *nominal, uint32_t source);
/* The same nonlinear system with n symbols more behind its list: the iteration begins at start
 * value plus symbol and, where it finds nothing from there, at the start value. Either all nodes of
 * one system number have them or none. */
Node node_guess_system(Graph *graph, Node system, Node list, const uint64_t *symbols);
/* the system whose solution is the derivative of that of a system; `a` and `c`: lists of the
 * derivatives of its lists. A constant zero if these are zero. */
Node system_derivative(Graph *graph, Node system, Node a, Node c);

/* ------------------------------------------------------------------ call.c */

enum { NO_RESULT = -1 };
/* Makes a function and returns its number; its results are expressions in bound_symbol(number, k).
 * UINT32_MAX: memory ran out. */
uint32_t graph_call_begin(Graph *graph);
/* sets how many arguments it has */
void graph_call_inputs(Graph *graph, uint32_t number, uint32_t ninput);
/* adds a result and returns its index, that of an equal one if there is one; NO_RESULT: memory ran
 * out */
uint32_t graph_call_result(Graph *graph, uint32_t number, Node node);
/* the result of that index for a list of arguments; short ones are written out */
Node node_call_part(Graph *graph, uint32_t number, Node list, uint32_t result);
/* the function that a node of kind NODE_SYSTEM or NODE_PART calls, or NULL */
GraphCall *node_called(const Graph *graph, Node node);
/* the derivative of a part of a call; the derivatives of its arguments are a list */
Node called_derivative(GraphPass *pass, Node part, Node rates);
/* Appends the results of a call, from the numbers of its arguments in x (by node), to `results`;
 * returns where they begin. */
double called_numbers(Graph *graph, Node system, double *x, CallNumbers *results);
/* part `which` of a call whose arguments are constants: a constant */
Node called_constant(Graph *graph, Node system, Node which);
void graph_call_drop(Graph *graph, GraphCall *call);
static inline bool is_bound_symbol(uint64_t symbol)
{
    return symbol >> 60 == 1;
}

/* ------------------------------------------------------------------ guard.c */

/* the conditions under which the calls among nodes in order (operands first) are needed for the
 * roots; false: memory ran out */
bool graph_guards(Graph *graph, const NodeList *order, const Node *roots, size_t nroot,
                  CallGuards *to);

/* ------------------------------------------------------------------ derivative.c */

Node differentiate(GraphPass *pass, Node node);
/* sum + factor * rate, in the form that derivatives have */
Node derivative_term(Graph *graph, Node sum, Node factor, Node rate);
/* by one symbol */
Node node_partial(Graph *graph, Node node, uint64_t symbol);

/* node = sum over k of coefficients[k] * symbols[k] + *rest, where neither depends on the symbols.
 * Returns 0 if the node is not of this form, 1 if it is, -1 when memory ran out. */
int node_affine(Graph *graph, Node node, const uint64_t *symbols, size_t n, Node *coefficients,
                Node *rest);
/* For many nodes and the same symbols: of_node[k] is k where nothing below node k depends on them,
 * else NO_NODE. Nodes that were made later count as dependent. The list is the graph's own, kept
 * from one use to the next, so that a use costs what it visits: each begin has its end, also where
 * memory ran out (false). `keep`: what is free is not visited again by later uses with keep, as
 * long as their symbols were not met before: for systems that are solved one after the other. */
typedef struct FreeNodes {
    NodeList of_node, order;
    bool keep;
} FreeNodes;
bool graph_free_begin(Graph *graph, const Node *nodes, size_t n, const uint64_t *symbols,
                      size_t nsymbol, bool keep, FreeNodes *to);
void graph_free_end(Graph *graph, FreeNodes *nodes);
/* node_affine with the list of graph_free_begin; it visits only nodes that depend on the symbols */
int node_affine_among(Graph *graph, Node node, NodeList *free_, const uint64_t *symbols, size_t n,
                      Node *coefficients, Node *rest);
/* the symbols below a node that are not free */
bool graph_symbols_among(Graph *graph, Node node, NodeList *free_, SymbolVisit *visit, void *user);

#endif
