/* lower.h - an instance with equations of its own as a cell. Private to front/.
 *
 * The instance and all components in it are flattened: every variable of every component becomes a
 * variable of the cell, every equation, binding and connection an equation. What stays data are
 * Real parameters; Integer, Boolean and enumeration parameters and constants are known numbers,
 * because sizes, indices and branches depend on them.
 */
#ifndef LIEDER_FRONT_LOWER_H
#define LIEDER_FRONT_LOWER_H

#include "equation/cell/cell.h"
#include "front/instance/semantic.h"

/* where a variable of the cell comes from */
typedef struct LowerVariable {
    Member *member;                   /* NULL: of a helper of events, or ... */
    const struct NumberPlace *number; /* ... of a number of the text, see loop_number.c */
    size_t element;                   /* of an array */
    size_t key;    /* cursors of the arrays of components around it, inside the cell */
    bool is_start; /* a parameter that holds the start value of the element */
    bool flow;
    uint32_t stream_flow; /* of a stream variable: 1 + the flow of its connector; else 0 */
    bool is_clock;        /* of type Clock */
    bool is_clocked;      /* memory that the ticks of a clock set, see lower_clock.c */
} LowerVariable;

/* variables of a member, one after the other */
typedef struct LowerBlock {
    const Member *member;
    size_t key;
    uint32_t first;
} LowerBlock;

/* a connector of the cell itself */
typedef struct LowerPort {
    Member *member;
    size_t element; /* of an array */
} LowerPort;

typedef VEC(CellEquation) EquationPairs;

/* one end of a connection */
typedef struct ConnectEnd {
    uint32_t variable;
    const char *name; /* inside the connector */
    bool flow, stream;
    bool in_connector; /* a part of one, which has to have the same name on the other side */
} ConnectEnd;

/* an overconstrained record of a connector, such as an orientation */
typedef struct ConnectRecord {
    Inst *inst;
    Value value;
    size_t first, last; /* its ends */
    uint32_t node;      /* of the virtual graph */
} ConnectRecord;

typedef struct ConnectSide {
    VEC(ConnectEnd) ends;
    VEC(ConnectRecord) records;
    VEC(uint32_t) bus; /* nodes of expandable connectors, in place of ends */
    int ndim;          /* of the array that the reference is, sizes dim; 0: no array */
    size_t dim[VALUE_DIMS];
    bool own;       /* a connector of the model itself */
    bool removed;   /* by its condition */
    bool is_record; /* an overconstrained record alone is looked for */
} ConnectSide;

/* expandable connectors, see lower_bus.c: a connector, or an element of a node by its name */
typedef struct BusNode {
    const Inst *inst; /* or NULL */
    size_t key;
    const char *path; /* of a connector: "a.bus[2]." */
    uint32_t parent;
    const char *name;
    int nindex; /* of an element "[2,3]": its indices, counted from 1 */
    size_t index[VALUE_DIMS];
    uint32_t set; /* of united nodes */
} BusNode;

/* a connector that is connected to a node */
typedef struct BusSide {
    uint32_t node;
    bool own;
    bool declared; /* variables of the expandable connector itself */
    SourceSpan span;
    VEC(ConnectEnd) ends;
    int ndim; /* as in ConnectSide */
    size_t dim[VALUE_DIMS];
} BusSide;

typedef struct Buses {
    VEC(BusNode) nodes;
    VEC(BusSide) sides;
} Buses;

/* the virtual connection graph, see lower_virtual.c */
typedef struct VirtualNode {
    const Inst *inst;
    size_t key;
    SourceSpan span;
    double priority; /* of a potential root */
    bool root, potential;
    uint32_t set, depth; /* of the tree; depth 0: a root */
} VirtualNode;

typedef struct VirtualEdge {
    uint32_t a, b;
    bool branch; /* cannot be broken */
    bool broken;
} VirtualEdge;

typedef struct VirtualGraph {
    VEC(VirtualNode) nodes;
    VEC(VirtualEdge) edges;
    bool collecting, known;
} VirtualGraph;

/* sample(start, interval): where it is true */
typedef struct LowerSample {
    Node start, interval, fires;
} LowerSample;

/* operators on clocks and clocked variables, see lower_clock.c */
typedef enum ClockKind {
    CLOCK_SAMPLE,
    CLOCK_HOLD,
    CLOCK_PREVIOUS,
    CLOCK_SUB,
    CLOCK_SUPER,
    CLOCK_SHIFT,
    CLOCK_BACK,
    CLOCK_NO_CLOCK,
    CLOCK_INTERVAL,
    CLOCK_FIRST_TICK,
    CLOCK_INFERRED, /* constructors */
    CLOCK_RATIONAL,
    CLOCK_REAL,
    CLOCK_EVENT,
    CLOCK_SOLVER
} ClockKind;

typedef struct ClockOperator {
    ClockKind kind;
    uint32_t result;        /* the variable that stands for the call */
    uint32_t of;            /* the variable, or clock, that it is applied to; UINT32_MAX: none */
    Node is;                /* what `of` is, where that is no variable of the text; or NO_NODE */
    uint32_t clock;         /* sample(u, clock); UINT32_MAX: none */
    Node number;            /* the interval of a Real clock, or the first one of an event clock */
    long long count, parts; /* factor or counter, and resolution */
    const char *method;     /* of a solver */
    SourceSpan span;
    const Inst *where;
} ClockOperator;

/* equations of a clocked when-clause */
typedef struct ClockBody {
    size_t first, end;
    uint32_t clock;
} ClockBody;

/* the hidden state of impureRandom, see lower_random.c */
enum { RANDOM_WORDS = 33 };
typedef struct LowerRandom {
    bool used;
    int nseed;                  /* how many different states it is set to */
    double given[RANDOM_WORDS]; /* the last of them */
    double state[RANDOM_WORDS]; /* elements: after the calls that have been read */
    uint32_t first;             /* variable of the cell, the others follow */
    SourceSpan span;            /* of the first call */
    const Inst *where;
} LowerRandom;

typedef struct Lower {
    Front *front;
    Inst *top;
    Cell cell;
    bool is_asked; /* for a derivative or an inverse: the call is no part of the text */
    VEC(LowerVariable) variables; /* by variable of the cell */
    VEC(LowerPort) ports;         /* by port of the cell */
    LowerBlock *table;            /* open addressing */
    size_t ntable, nblock;
    VEC(uint32_t) joined;    /* by end of a connection, see connect_ends: union-find */
    VEC(Place) join_places;  /* by end: the first connection of the set */
    VEC(uint32_t) stream_in; /* by stream variable: 1 + its inStream, or 0 */
    VirtualGraph virtual_;
    Buses bus;
    const Equation *loop; /* the for-equation that is being written out, or NULL ... */
    size_t before_loop;   /* ... and the equations of the cell when it began */
    const Member *array;  /* the variable with the most elements, or NULL */
    size_t narray;
    size_t counted;        /* of the effort of the graph, among the steps of the front end */
    bool is_initial;       /* initial equations are being read */
    bool of_numbers;       /* one call of a partial derivative with numbers: parameters are some */
    EquationPairs *branch; /* equations of a branch are collected here; or NULL */
    /* lower_event.c */
    VEC(uint32_t) side_of; /* by node: 1 + variable of the relation with this value */
    VEC(uint32_t) pre_of;  /* by variable: 1 + its pre */
    NodeList varies;       /* by node: a verdict, see surely_varies */
    VEC(LowerSample) samples;
    VEC(ClockOperator) clocks;
    VEC(ClockBody) clock_bodies;
    bool in_clock;     /* the body of a clocked when-clause is read */
    int literal;       /* relations are computed where they stand */
    bool in_when;      /* the body of a clause is read, which fires ... */
    Node fires;        /* ... here */
    Node guard;        /* condition of the branches around that variables decide, or NO_NODE */
    size_t npre;       /* how often pre was asked for */
    LocalName *frames; /* of the algorithm under way, or NULL */
    LowerRandom random;
    size_t ncounted; /* components that lower_balance.c has seen, and classes that it has counted */
    VEC(const Class *) balanced;
    size_t nunbalanced; /* of these; other errors end the counting */
    /* rigid.c */
    VEC(uint32_t)
    rigid;           /* by variable, the first of a connector: what moves together, union-find */
    uint32_t ground; /* the first variable of a connector that is fixed; or UINT32_MAX */
    size_t nclosing; /* connections that close rigid loops, and the first of them */
    Place closing;
    VEC(struct LargeFunction *) large; /* functions whose calls stay calls, see large.c */
    VEC(CellPart) parts; /* components of the compiled library that became part of the cell */
} Lower;

/* equations that are neither connections nor assertions */
bool list_has_equations(const EquationList *list);
/* does the model around give a variable of a component a value, block(y = 2*x)? */
bool is_bound_from_outside(Front *f, Inst *inst);
/* does the instance have variables or equations of its own, or components with connectors of their
 * own? */
bool inst_is_cell(Front *f, Inst *inst);
/* what has become of loops and arrays so far, for a model that is too large: "the loop over 'i' in
 * line 7 has become ...", or "" */
void lower_what_grew(const Lower *lower, char *buffer, size_t size);
/* the start value of a Real variable of the cell, a parameter; NO_NODE: memory ran out */
Node lower_start_node(Lower *lower, uint32_t variable);
/* false after reporting what is wrong */
bool lower_instance(Lower *lower, Front *f, Inst *inst);
void lower_drop(Lower *lower);

/* lower_variable.c, lower_number.c */
Graph *lower_graph(Front *f);
/* the variables of a member from `first` on, as a value */
Value lower_symbols(Front *f, Member *m, uint32_t first, SourceSpan span);
/* the first variable of the cell of a member at the present cursors; UINT32_MAX after an error */
uint32_t lower_variables(Front *f, Member *m, SourceSpan span);
/* the path of an instance as seen from the top of the cell at the present cursors, with a dot at
 * its end; NULL: memory ran out */
const char *lower_inst_path(Lower *lower, const Inst *inst);
/* one more variable that is equal to another one */
void lower_add_alias(Lower *lower, const char *name, uint32_t variable, Place place);
/* of a connector of the library: how many signals it has, and where a member of it stands; the
 * potentials follow the signals in the same order */
int lower_signals(const Lower *lower, const Inst *connector);
int lower_position(const Member *m);
/* a connector of the cell itself, to which something outside may be connected */
bool lower_is_port(const Lower *lower, const Inst *inst);

/* open.c: inputs of components of the compiled library in the cell that nobody drives are zero */
void lower_open_inputs(Lower *lower);

/* lower_beside.c */
/* does a component of a model that is a cell stay beside it? */
bool member_is_beside(Front *f, Member *m);
bool inst_has_beside(Front *f, Inst *inst);
bool inst_is_beside(const Lower *lower, const Inst *inst);
/* does one side of a connection in the model name such a component? */
bool side_is_beside(Front *f, const Expr *e, Inst *top);
/* the port of the cell for a connector, or an element of it, of such a component */
const char *beside_name(Front *f, const Inst *component, const char *connector, size_t element,
                        bool indexed);
/* the role of a signal of such a component; false: it is none */
bool beside_role(Lower *lower, const Member *m, Causality causality, CellVariable *v);
/* reports a variable that only the component itself can read; false: it is none */
bool beside_refused(Lower *lower, const Member *m, Causality causality, SourceSpan span);
/* components of the model that equations read a variable of become instances of their texts */
void beside_take_texts(Front *f, Inst *inst);
/* the connections between the ports of the cell and the components beside it */
void emit_beside_links(Front *f, const Lower *lower);

/* lower_equation.c */
void lower_equation_pair(Lower *lower, Node left, Node right, SourceSpan span, const Inst *where);
/* left = right, element by element */
void lower_equal(Lower *lower, Value left, Value right, SourceSpan span, Env env);
void lower_equations(Lower *lower, const EquationList *list, Env env);

/* lower_algorithm.c */
void lower_algorithm(Lower *lower, const Algorithm *algorithm, Env env);
/* the frame of a variable inside of a component that the algorithm under way assigns, by its first
 * variable of the cell, and what it has there; NULL: it assigns none */
LocalName *algorithm_frame(const Lower *lower, uint32_t first);
const Value *algorithm_value(Front *f, const Member *m, uint32_t first, SourceSpan span);

static inline Node lower_and(Graph *g, Node a, Node b)
{
    return node_make(g, NODE_AND, a, b, NO_NODE);
}
static inline Node lower_or(Graph *g, Node a, Node b)
{
    return node_make(g, NODE_OR, a, b, NO_NODE);
}
static inline Node lower_not(Graph *g, Node a)
{
    return node_make(g, NODE_NOT, a, NO_NODE, NO_NODE);
}

/* arrays of components around an instance, inside the cell, as bits for memo_key */
unsigned long long lower_inner_axes(const Lower *lower, const Inst *inst);

/* lower_balance.c: where a component begins, and when it is part of the cell */
typedef struct BalanceMark {
    size_t equation, component, nwrong;
} BalanceMark;
BalanceMark balance_begin(const Lower *lower);
/* warns of a connector with more potentials than flows, or less */
void balance_check_connector(Lower *lower, Inst *inst);
void balance_end(Lower *lower, Inst *inst, BalanceMark mark);

/* lower_when.c */
void lower_when(Lower *lower, const Equation *e, Env env);
/* a clause gives the variables `left` these values at events */
void lower_assigned_values(Lower *lower, Value left, Value value, SourceSpan span, Env env);

/* lower_event.c */
/* after the cell may have added variables by itself */
bool lower_sync(Lower *lower);
Node lower_initial_flag(Lower *lower);
/* pre of a variable, which it gets if it has none */
Node lower_pre_of(Lower *lower, uint32_t v, SourceSpan span);
/* is it what sample(...) has become? */
bool lower_is_sample(const Lower *lower, Node node);
Value lower_before(Front *f, Value variable, SourceSpan span); /* pre, element by element */
/* the variable that a node is, or UINT32_MAX */
uint32_t lower_variable_of(const Lower *lower, Node node);
/* path of an instance inside the cell, kept; NULL: the top of it */
const char *lower_inst_text(Lower *lower, const Inst *where);
/* lower_request.c: a request, unless the same one was there a moment ago */
void lower_add_request(Lower *lower, CellRequestKind kind, Node node, const char *text,
                       SourceSpan span);
/* the variable of the cell that a node is, for texts; "..." */
const char *lower_variable_name(Front *f, Node node);
/* an assertion whose condition varies */
void lower_assertion(Lower *lower, const Expr *e, double condition, Env env);
/* lower_equation.c: 1 warning, 2 error, 0 after reporting what is wrong with it */
int assertion_level(Front *f, const Expr *e, Env env);
/* pre, edge, change, sample, initial, terminal; false: another function */
bool lower_event_function(Front *f, const Expr *e, Env env, Value *result);
/* does a node depend on anything but parameters? */
bool lower_varies(Lower *lower, Node node);
/* a discrete variable without a name in the text; UINT32_MAX: memory ran out */
uint32_t lower_hidden(Lower *lower, CellMeaning meaning, const char *what, size_t number,
                      SourceSpan span);
void lower_memory(Lower *lower, CellMemory memory);
Node lower_happens(Lower *lower); /* where what is being read happens at all */

/* lower_random.c */
void lower_random_seed(Lower *lower, const double *state);
void random_keep_seed(Front *f, const double *state); /* of a parameter of the model */
/* the elements of the state before a call in the body of a clause; NULL: memory ran out */
double *lower_random_state(Lower *lower, SourceSpan span, const Inst *where);
void lower_random_advance(Lower *lower, const double *next); /* and after it */
void lower_end_random(Lower *lower);

/* lower_clock.c */
/* Clock, hold, previous, ..., and sample of a clock; false: another function */
bool lower_clock_function(Front *f, const Expr *e, Env env, Value *result);
bool is_clock_value(Front *f, const Value *v);
/* false: the condition is no clock */
bool lower_clocked_when(Lower *lower, const Equation *e, Env env);
/* lower_tick.c: when all is read; what is wrong is only reported if nothing else is */
void lower_end_clocks(Lower *lower, bool reports);
/* lower_partition.c: the clock of each variable */
typedef struct ClockRate {
    bool known;
    long long interval[2], start[2]; /* as fractions of the unit */
    Node unit;                       /* of a Real clock; NO_NODE: seconds, or an event clock ... */
    uint32_t event;                  /* ... which is 1 + its operator */
    const char *method;
} ClockRate;
typedef struct ClockParts {
    VEC(uint32_t) set;     /* by variable: union-find */
    VEC(uint8_t) clocked;  /* by variable that stands for its set */
    VEC(ClockRate) rates;  /* likewise */
    VEC(uint32_t) call_of; /* by variable: 1 + its operator */
    VEC(uint32_t) side_of; /* by variable: 1 + its relation or, behind these, its step */
    long long denominator; /* of all intervals and starts of periodic clocks */
} ClockParts;
bool clock_partition(Lower *lower, ClockParts *parts);
void clock_parts_drop(Lower *lower, ClockParts *parts);
uint32_t clock_set(ClockParts *parts, uint32_t v);
/* the variables of a node, with those of its relations; false of a visit ends it */
typedef bool ClockVisit(void *user, uint32_t variable, uint32_t order);
bool clock_symbols(Lower *lower, ClockParts *parts, Node node, ClockVisit *visit, void *user);

/* lower_delay.c */
Value lower_delay(Front *f, const Expr *e, Env env);
/* memory of pre values */
void lower_end_events(Lower *lower);

/* lower_connect.c */
void lower_connect(Lower *lower, const Equation *e, Env env);
void lower_connection_sets(Lower *lower);
/* the ends, and overconstrained records, of one side of a connection; false after an error */
bool connect_find_ends(Lower *lower, ConnectSide *side, const Expr *e, Env env);
void connect_side_drop(Lower *lower, ConnectSide *side);
/* have other connections joined the two already? */
bool connect_is_joined(Lower *lower, const ConnectSide *a, const ConnectSide *b);
/* two sides of na and nb dimensions with these sizes may be connected; false after reporting an
 * error */
bool connect_sizes_fit(Lower *lower, int na, const size_t *a, int nb, const size_t *b,
                       SourceSpan span, const Inst *inst);
/* joins two ends of connectors that are seen from inside (own) or outside */
void connect_join(Lower *lower, const ConnectEnd *a, bool a_own, const ConnectEnd *b, bool b_own,
                  SourceSpan span);

/* the end that stands for all that are joined with it; its place has a line if there is one more */
uint32_t connect_root(Lower *lower, uint32_t end);
/* a variable of a connector of a class that is examined alone */
bool connect_is_open(const Lower *lower, uint32_t variable);

/* lower_stream.c */
/* the flow beside a stream variable at the present cursors; UINT32_MAX after an error */
uint32_t stream_flow(Lower *lower, const Member *m, SourceSpan span);
Value lower_stream_call(Front *f, const Expr *e, Env env); /* inStream, actualStream */
void lower_streams(Lower *lower);                          /* when all connections are known */
void lower_stream_starts(Lower *lower);

/* lower_bus.c */
bool is_expandable(const Type *type);
/* the node that the rest of a reference means in an expandable connector; false after an error */
bool bus_walk(Lower *lower, ConnectSide *side, Inst *inst, const Ref *rest, Env env);
/* variables of an expandable connector, which are an element of it that its text declares */
void bus_declare(Lower *lower, const Member *m, uint32_t first, SourceSpan span);
/* a connection of which one side at least is such a node */
void bus_connect(Lower *lower, ConnectSide *a, ConnectSide *b, SourceSpan span, Env env);
/* when all connections have been read: what meets at nodes is joined */
void lower_buses(Lower *lower);
void bus_drop(Lower *lower);

/* lower_equation.c: 0 or 1 if parameters decide the condition, else symbolic */
Value lower_condition(Lower *lower, const Expr *e, Env env);

/* precompile.c: where a class is compiled that serves all numbers, is a parameter one that follows
 * from others, by its declaration or a modifier, or a switch? */
bool precompile_follows(Front *f, const Member *m);
bool precompile_is_switch(Front *f, Member *m);
/* a condition on parameters and what is reported where it is not met; false after an error */
bool precompile_assert(Front *f, Node condition, const Expr *text, Env env);

/* merged.c: the components that are flattened into a cell, for a reader */
typedef struct MergedText {
    size_t n; /* 0: none */
    char names[400], why[400];
} MergedText;
void merged_describe(const Lower *lower, MergedText *text);

/* lower_virtual.c */
bool virtual_constraint(Front *f, Inst *inst); /* has it an equalityConstraint? */
bool virtual_add_record(Lower *lower, ConnectSide *side, Inst *inst, size_t first, SourceSpan span);
/* collects Connections.* and connections, chooses roots and breaks loops */
void lower_virtual_graph(Lower *lower);
/* does end i belong to a record whose connection is broken? */
bool virtual_is_cut(const Lower *lower, const ConnectSide *a, const ConnectSide *b, size_t i);
/* the equations of broken connections */
void virtual_equations(Lower *lower, const ConnectSide *a, const ConnectSide *b, SourceSpan span,
                       Env env);

/* connect.c: a reference in a connect equation names a connector that is not there; returns false
 */
bool report_no_member(Front *f, const Ref *ref, const Inst *in, const Inst *where);

#endif
