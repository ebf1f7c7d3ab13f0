/* cell.h - the equations of a class, put in the order in which they are solved.
 *
 * A cell is a set of scalar equations left = right in variables. Some variables are known from
 * outside (parameters, inputs, time), the others are unknown; as many of these as there are
 * equations. cell_solve finds, by structural analysis and for each stage of differentiation:
 *
 *   s = -max d ... -1: equation i, c_i + s times differentiated, for variables of order d_j + s.
 *
 *   A matching of least cost leaves some of these variables over: they are the states.
 *
 *   s = 0: all equations for the highest derivatives.
 *
 * Where equations with numbers as factors depend on each other in the last stage, which structure
 * does not show, their sum takes the place of one of them before all this (dependent.c), and
 * equations are differentiated more often where preferred variables become states by it (prefer.c).
 *
 * (c, d: offsets of Pryce's method; the stages are the dummy derivatives of Mattsson and
 * Soederlind, SIAM J. Sci. Comput. 14, 1993.) In each stage equations are sorted into strongly
 * connected components; one equation is solved for its variable, a linear component is eliminated
 * symbolically as far as that is safe and short. What remains, and nonlinear components after
 * tearing, are systems that are solved where the class runs (NODE_SYSTEM). The result is a node for
 * each variable and order that depends on known variables, states and time only.
 *
 * A constraint g = 0 that is not linear in what it would be solved for, such as the length of a
 * pendulum, the norm of a quaternion or the closing of a loop of rods, has no variable that it may
 * be solved for at all times: where its factor vanishes the choice would have to change, and of two
 * solutions nothing but the past says which. Such a constraint is kept if forces enforce it: what
 * is left of a component after tearing stays as states, with its derivatives, and in stage 0
 *
 *   g' + g = 0   or   g" + 2 g' + g = 0
 *
 * stands for the highest derivative of the constraint: on g = 0 these are the same equations
 * (Baumgarte, Comput. Methods Appl. Mech. Eng. 1, 1972). Everything that is computed from the
 * states is computed from the point of the constraint next to them, to rounding, and what errors of
 * integration leave between the two fades within seconds (project.c). The motion goes through dead
 * points and any number of turns, and it is the same for every lane, solver and restart. Rejected:
 * states that change at events where a pivot becomes small (a set of states of its own for each
 * lane, and events of the solver that are none of the model). A model with reinit has constraints
 * that are solved, since a state that jumps takes the others along.
 *
 * A cell with ports is solved for an orientation. At an incoming port the outward variables are
 * known with their derivatives up to the contract of the port, and the inward ones are unknown; at
 * an outgoing port it is the other way round. Lower derivatives are signals and may enter
 * nonlinearly; the highest ones are potentials. Stage 0 then has two halves: equations without
 * inward variables, solved outwards for potentials and derivatives, where what is left over are the
 * unknowns of the linear group; and the others, solved for the inward variables, where what is left
 * over are the residuals. The first half never depends on the second.
 *
 * What happens at events stands in event.h: cell_solve takes sides of relations and memory as
 * known, and cell_solve_events says afterwards what these are.
 *
 * Costs decide which variable an equation is solved for: a factor of one is best, a factor of
 * parameters next, then a varying one; a factor that a relation makes zero is never divided by: a
 * class with ports has an unknown there, in others the equations are solved with pivots chosen by
 * the numbers.
 */
#ifndef LIEDER_EQUATION_CELL_H
#define LIEDER_EQUATION_CELL_H

#include "base/diag.h"
#include "block/expression.h"
#include "equation/event/event.h"
#include "equation/graph/incidence.h"
#include "equation/class/summary.h"

typedef enum CellRole {
    CELL_UNKNOWN,
    CELL_PARAMETER, /* constant in time */
    CELL_INPUT,     /* known at every time, but not its derivatives */
    CELL_DISCRETE,  /* constant between events */
    CELL_OUTWARD,   /* of a port: handed on from the root outwards, with its derivatives */
    CELL_INWARD     /* of a port: the answer to these */
} CellRole;

/* StateSelect of Modelica */
typedef enum CellSelect {
    SELECT_NEVER,
    SELECT_AVOID,
    SELECT_DEFAULT,
    SELECT_PREFER,
    SELECT_ALWAYS
} CellSelect;

/* What a declaration says of a number, where a class is compiled that is to serve all numbers:
 * front/precompile.c */
typedef struct CellDeclaration {
    double value; /* of a parameter, or the start value; NaN: there is none */
    double min, max;
    const char *environment; /* the parameter of the environment that is its default, or NULL */
    bool is_switch;          /* 0 or 1, and decides what the class is made of */
} CellDeclaration;

/* the coordinates of joints in a cell with rigid loops are states before anything else is, and
 * first of all those that no loop goes through */
typedef enum CellCoordinate { COORDINATE_NONE, COORDINATE_OF_LOOP, COORDINATE_FREE } CellCoordinate;

typedef struct CellVariable {
    const char *name; /* for messages; as written, "body.v" */
    Place place;
    CellRole role;
    CellSelect select;
    bool start_given;          /* has a start value: preferred as a state */
    bool start_fixed;          /* which holds: initial equations do not change it */
    bool is_free;              /* a parameter that initial equations decide */
    Node start;                /* where iterations for it begin, of parameters; NO_NODE: zero */
    bool is_output;            /* handed on as a signal */
    bool is_hidden;            /* no observable: what another variable is at a tick */
    bool is_hint;              /* a parameter that the class has only if it is read */
    bool is_zero;              /* a parameter that is zero unless someone sets it */
    CellCoordinate coordinate; /* of a joint of a cell with rigid loops */
    bool has_number;           /* a parameter of which a number is known: that of the instance */
    double number;             /* at hand; others may have another one, see probe.c */
    uint32_t element, length;  /* of an array: which one, of how many; the others follow */
    int ndim;                  /* of an array: how many indices, and the size of each, as long as */
    const size_t *sizes;       /* the cell; or 0 and NULL */
    const char *unit, *text;   /* for a reader, or NULL */
    bool has_limits;           /* of a variable: min and max, which a run watches */
    double min, max;
    double nominal;                  /* of a variable: how large it is about; 0: nobody says that */
    const CellDeclaration *declared; /* or NULL */
    bool is_protected;               /* no observable, where a class is compiled for all numbers */
    int energy;          /* likewise 1 + which of the numbers of Energy (component.h) it is; or 0 */
    LiederType type;     /* a number all the same; an enumeration is an Integer */
    CellMeaning meaning; /* of a discrete one */
    uint32_t of;   /* MEANING_PRE: of which variable; others: what it was before, event_limit.c */
    uint32_t port; /* outward and inward: of which port */
    uint32_t contract; /* outward: how often it is differentiated across the port */
} CellVariable;

typedef struct CellEquation {
    Node left, right;
    Place place;
    const char *path; /* the component it stands in, or NULL */
    bool is_start;    /* initial: a start value that holds, left is the variable itself */
    Node by_time; /* left - right as it is differentiated: with NODE_OWN_DERIVATIVE; or NO_NODE */
} CellEquation;

/* homotopy(actual, simplified): equations have the actual value, see homotopy.c */
typedef struct CellHomotopy {
    Node actual, simplified;
} CellHomotopy;

/* a call of a function whose author says more than its statements do, see annotated.c */
typedef struct CellCall {
    Node value, list; /* of one result, and the elements of its inputs */
    uint32_t which;   /* for Graph.inverse */
    bool has_inverse;
    int32_t smooth;  /* how often it may be differentiated (smoothOrder); -1: nobody says that */
    int32_t derived; /* how often the value is differentiated already */
    bool warned;
    uint32_t before; /* 1 + the call before it with the same value, or 0 */
    const char *name, *path;
    Place place;
} CellCall;

/* a condition on parameters that an instance must meet */
typedef struct CellAssertion {
    Node condition;
    const char *text;
} CellAssertion;

/* a variable that is integrated: variable `variable` differentiated `order` times. A parameter that
 * initial equations decide is a state whose derivative is zero. */
typedef struct CellState {
    uint32_t variable, order;
    Node initial; /* its start value, from initial equations; NO_NODE: the start attribute */
    /* for a reader: how many variables of its stage hang together by how many equations, and of
     * those that are no states the one that the text prefers most: 1 + variable, or 0; its order */
    uint32_t ntied, nconstraint, rival, rival_order;
    bool is_kept;      /* a constraint is kept in place of being solved for it */
    bool is_projected; /* it is read as a point of its constraints, see project.c */
} CellState;

/* equations of a stage that had to be solved together, for a reader */
typedef struct CellComponent {
    uint32_t nequation, nleft; /* before and after elimination or tearing */
    CellSolution solution;
    uint32_t variable; /* one of those solved for */
    bool is_constant;  /* the linear system has the same coefficients at all times */
    bool is_sparse;    /* as in CellSystem */
    uint32_t nentry;
} CellComponent;

/* an initial equation that is left over: it has to agree with the start values that others decide
 */
typedef struct CellCheck {
    Node left, right;
    CellEquation source;
} CellCheck;

/* a division by something that may become zero: who divides and what for */
typedef struct CellPivot {
    Node node;
    uint32_t equation, variable;
} CellPivot;

/* equations that are solved together where the class runs, by number of the graph's systems
 * (GraphSystem.source) */
typedef struct CellSystem {
    size_t nequation; /* before tearing */
    bool is_linear;
    bool is_constant;          /* its coefficients are made of numbers and parameters */
    bool is_sparse;            /* the order of its pivots is found once, see block/sparse.h */
    bool is_projection;        /* corrects states, see project.c */
    uint32_t nentry;           /* of its matrix */
    VEC(uint64_t) symbols;     /* what is solved for */
    VEC(CellEquation) sources; /* by row: where the residuals come from */
} CellSystem;

/* numbers at which factors are judged; see probe.c */
typedef struct CellProbe {
    VEC(double) value;    /* by variable: NaN where nothing is known */
    VEC(uint8_t) verdict; /* by node, of those that were asked for: 1 it vanishes, 2 it does not */
    VEC(uint8_t) unknown; /* by node of `here`: it depends on symbols without a number */
    GraphNumbers numbers; /* of the last evaluation */
    GraphNumbers here, nearby; /* at the probe, and a little beside it */
} CellProbe;

typedef struct Cell {
    const LiederAllocator *alloc;
    Diagnostics *diag;
    Graph graph;
    VEC(CellVariable) variables;
    VEC(CellEquation) equations;
    VEC(CellEquation) initial; /* equations that hold at the start only */
    VEC(CellSystem) systems;
    VEC(CellHomotopy) homotopies;
    VEC(CellCall) calls;
    VEC(uint32_t)
    call_at; /* by node: 1 + the last call of that value; of the first nmapped calls */
    size_t nmapped;
    CellEvents events;
    bool several_reported; /* systems with several solutions, see several.c */
    VEC(CellAssertion) assertions;
    uint32_t nport;
    bool
        has_loops; /* rigid ones: made for one place, whose numbers are known; see cell_is_shared */
    CellProbe probe;
} Cell;

/* A cell with ports is solved for all places where the class may stand: no numbers of an instance
 * are known, few pivots are chosen where it runs, and no constraint is kept. One that consists of
 * rigid loops is made for its place. */
static inline bool cell_is_shared(const Cell *cell)
{
    return cell->nport && !cell->has_loops;
}

/* What cell_solve finds, for one orientation: the set of ports through which outward variables
 * leave. At the other ports they come in. */
typedef struct CellPlan {
    uint64_t out; /* the ports, a bit each */
    VEC(CellState) states;
    VEC(NodeList) equations; /* by equation: left - right, differentiated 0, 1, ... times */
    VEC(NodeList) values; /* by variable and order: in known variables, states, unknowns and time */
    VEC(uint8_t) deep;    /* by variable: its value needs a large system, see stage.c */
    bool any_deep;
    VEC(CellPivot) pivots;
    VEC(CellState) unknowns; /* highest derivatives that the linear group decides */
    NodeList residuals;      /* as many: zero if these are right */
    VEC(uint8_t) reads;      /* by variable: a parameter that something here reads */
    VEC(uint32_t) kept;      /* equations that hold by their derivative, see above */
    NodeList kept_raw;       /* these in the states as they are integrated, see project.c */
    VEC(uint32_t) even;    /* of these: between elements of one array that nothing distinguishes */
    VEC(CellCheck) checks; /* conditions on the start values */
    VEC(CellComponent) components; /* stage by stage */
    size_t ndifferentiated;        /* equations that are differentiated */
    size_t largest_component;      /* equations of the largest linear system that was eliminated */
} CellPlan;

void cell_init(Cell *cell, const LiederAllocator *alloc, Diagnostics *diag);
void cell_drop(Cell *cell);

/* UINT32_MAX: memory ran out */
uint32_t cell_add_variable(Cell *cell, CellVariable variable);
bool cell_add_equation(Cell *cell, CellEquation equation);
bool cell_add_initial(Cell *cell, CellEquation equation);

/* symbols of the graph: a variable differentiated some times, or time */
enum {
    CELL_ORDERS = 256,
    CELL_RAW = 128,       /* and more: a state as it is integrated, before it is projected */
    CELL_CORRECTION = 192 /* and more: what projects it */
};
#define CELL_TIME ((uint64_t)1 << 62)
static inline uint64_t cell_symbol(uint32_t variable, uint32_t order)
{
    return (uint64_t)variable * CELL_ORDERS + order;
}
static inline uint32_t symbol_variable(uint64_t symbol)
{
    return (uint32_t)(symbol / CELL_ORDERS);
}
static inline uint32_t symbol_order(uint64_t symbol)
{
    return (uint32_t)(symbol % CELL_ORDERS);
}
/* "x", "der(x)", "derivative 2 of x" */
void cell_symbol_text(const Cell *cell, uint64_t symbol, char *buffer, size_t size);
/* the node of a variable, and of der(expression) */
Node cell_variable(Cell *cell, uint32_t variable, uint32_t order);
Node cell_time(Cell *cell);
Node cell_derivative(Cell *cell, Node node);
/* own derivatives of functions (NODE_OWN_DERIVATIVE) stay with the equations that may be
 * differentiated and is gone from everything else; false: memory ran out */
bool cell_settle_own_derivatives(Cell *cell);
/* of the events that functions have which were called while the cell was solved: assertions of
 * derivatives and of inverses */
bool cell_settle_new_own_derivatives(Cell *cell);

/* notes a call, unless it is known; false: memory ran out */
bool cell_add_call(Cell *cell, CellCall call);
/* values of calls have become other nodes */
void cell_forget_call_nodes(Cell *cell);
/* der(node) was taken: of calls that may not be differentiated so often a warning says so; false:
 * memory ran out */
bool cell_note_derivative(Cell *cell, Node node);

/* false: memory ran out */
bool cell_add_homotopy(Cell *cell, Node actual, Node simplified);
/* simplified values that name a mode decide the modes of the first pass; false: no memory */
bool cell_choose_modes(Cell *cell);
/* puts in the numbers of variables that equations make numbers, see constant.c; false: memory ran
 * out */
bool cell_put_constants(Cell *cell);
/* before a cell without ports is solved: derivatives that only initial equations have; false:
 * memory ran out */
bool cell_prepare_initial(Cell *cell);
/* LIEDER_BAD_MODEL: what is wrong is in the diagnostics, with the place of each equation */
LiederStatus cell_solve(Cell *cell, uint64_t out, CellPlan *plan);
/* Then, the start values: all equations and the initial equations as one system, see initial.c */
LiederStatus cell_solve_initial(Cell *cell, CellPlan *plan);
void plan_drop(CellPlan *plan, const LiederAllocator *alloc);

#endif
