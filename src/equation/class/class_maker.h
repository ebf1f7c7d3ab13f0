/* class_maker.h - a component class under construction, shared by the files that make it:
 *
 *   orient.c         the cell solved for the ways its ports can be used
 *   class_level.c    which block can compute a node
 *   class_members.c  the struct of the class, its tables of members and ports, what symbols read
 *   class_blocks.c   the assignments of the blocks, parts kept from one block to the next
 *   class_events.c   crossings, memory, timer, requests, and the event block
 *   class_systems.c  a description of the systems of equations that the blocks solve
 *   class_guess.c    where the iterations of these begin
 *   class_drift.c    how far constraints that are kept are off
 *   class_declared.c  what a class of the library declares to the engine beside its blocks
 *   class_summary.c  what a reader is shown about the class
 *   class.c          all of it in order
 *
 * The struct of the class is: parameters, states, derivatives, residuals, other variables, then
 * parts of expressions that are kept from one block to the next. Private to equation/. */
#ifndef LIEDER_EQUATION_CLASS_MAKER_H
#define LIEDER_EQUATION_CLASS_MAKER_H

#include "block/class.h"
#include "equation/class/class.h"

typedef enum Level {
    LEVEL_NUMBER,
    LEVEL_PARAMETER,
    LEVEL_INCOMING,
    LEVEL_SIGNAL,
    LEVEL_INPUT, /* reads an input, and there is an output that reads none: see maker_find_split */
    LEVEL_POTENTIAL,
    LEVEL_FLOW
} Level;

enum { NO_PLACE = -1 };
/* symbols of kept parts: above those of variables and below 2^63 */
#define KEPT_SYMBOL ((uint64_t)1 << 61)
/* and those of guesses, by the real that they read */
#define GUESS_SYMBOL ((uint64_t)3 << 60)

struct CellClass {
    const LiederAllocator *alloc;
    Arena arena; /* names and tables that the class points to */
    CellPlan plan[2];
    EventPlan events;
    bool reversible;
    bool hangs; /* see CellClassInfo */
    BlockClass *block;
    LiederPortDef *ports;
    LiederMember *members;
    LiederSystemDef *systems;
    CellSummary summary;
    int nport, nmember, nreal;
};

/* an assignment of a block, until all places are known */
typedef struct Assignment {
    BlockKind kind;
    BlockDirection direction;
    BlockPlace place;
    Node node;
} Assignment;

/* a class under construction */
/* a variable that is not affine in forces and accelerations: the observe block computes it for
 * those who examine it, or nothing can */
enum { HIDDEN_EARLY = 1, HIDDEN_FOR_ALL = 2 };

typedef struct ClassMaker {
    Cell *cell;
    CellClass *c;
    const CellClassInfo *info;
    VEC(uint8_t) hidden;  /* by variable: linear blocks cannot compute it, HIDDEN_... */
    VEC(int) variable_at; /* by variable: its real as a parameter, observable, memory or side */
    VEC(int) input_port;  /* by variable: port of an input or output, or NO_PLACE */
    VEC(int) state_at, derivative_at, residual_at; /* by state, state, unknown */
    VEC(int) shown_at;                             /* by state: its real as it is projected, or 0 */
    VEC(int) crossing_at, next_at, request_at;     /* by crossing, memory, request of the events */
    VEC(int) delay_at; /* by delay: the variable, its delay, the longest one */
    int timer_at;
    VEC(int) unknown_at; /* by unknown: a derivative, or a real of its own */
    VEC(BlockSymbol) symbols;
    VEC(LiederMember) members;
    VEC(LiederPortDef) ports;
    NodeList levels;               /* by node: 1 + level; 0: not yet */
    NodeList cuts[LEVEL_FLOW + 1]; /* by level and node, see cut_node */
    NodeList kept;                 /* parts in the order of their reals */
    VEC(int) kept_at;              /* by part */
    NodeList kept_of;              /* by node: 1 + part, in the direction at hand */
    VEC(Assignment) assignments;
    VEC(LiederSystemDef) systems;
    bool split;           /* what reads inputs has a block of its own */
    VEC(uint64_t) linear; /* symbols of potentials, unknowns and flows, in the direction at hand */
    int direction;        /* the plan at hand: 0, or 1 for reversed */
    bool failed;
} ClassMaker;

/* false, after noting that memory ran out */
static inline bool maker_fail(ClassMaker *m)
{
    m->failed = true;
    return false;
}
#define TRY(m, call) ((call) ? true : maker_fail(m))

/* the plan of the direction at hand */
static inline const CellPlan *maker_plan(const ClassMaker *m)
{
    return &m->c->plan[m->direction];
}
static inline bool port_is_out(const ClassMaker *m, uint32_t port)
{
    return maker_plan(m)->out >> port & 1;
}

/* ------------------------------------------------------------------ orient.c */

/* leaf, link, root: the first that works */
LiederStatus cell_orient(Cell *cell, const CellClassInfo *info, CellClass *c);

/* ------------------------------------------------------------------ class_level.c */

static inline Level node_level(const ClassMaker *m, Node node)
{
    return node ? (Level)(m->levels.items[node] - 1) : LEVEL_NUMBER;
}
/* levels of everything below a node */
bool maker_find_levels(ClassMaker *m, Node root);
/* the earliest block that can compute a node, but not before `least` */
Level maker_level_for(ClassMaker *m, Node node, Level least);
/* whether there are outputs that read no input and others, or states, that do */
bool maker_find_split(ClassMaker *m);
/* variables that no linear block can compute */
bool maker_find_hidden(ClassMaker *m);
/* is a node affine in forces, accelerations and unknowns of the direction at hand? */
bool maker_is_affine(ClassMaker *m, Node node);

/* ------------------------------------------------------------------ class_members.c */

/* the port of the class that a port of the cell is, and a variable's place there */
int port_place(const ClassMaker *m, uint32_t port);
int place_in_port(const Cell *cell, uint32_t variable);
int first_potential(const ClassMaker *m, uint32_t port);
int signal_in_port(const Cell *cell, uint32_t variable, uint32_t order);
/* `count` further reals of the struct; the first of them */
int maker_new_real(ClassMaker *m, int count);
/* a text that stays with the class; for a derivative with a mark for its order */
const char *maker_keep_name(ClassMaker *m, const char *name, uint32_t order);
void maker_add_member(ClassMaker *m, LiederMember member);
/* Is a variable of a class of the library the value of a crossing, which is called so? */
bool maker_is_crossing(const ClassMaker *m, uint32_t v);
void maker_add_symbol(ClassMaker *m, uint64_t symbol, PlaceKind kind, int port, int index);
bool maker_add_ports(ClassMaker *m);
bool maker_add_members(ClassMaker *m);
/* what the symbols of the graph read */
void maker_add_port_symbols(ClassMaker *m);
void maker_add_member_symbols(ClassMaker *m);

/* ------------------------------------------------------------------ class_blocks.c */

/* the derivatives of inputs are not known */
LiederStatus maker_check_inputs(ClassMaker *m);
LiederStatus maker_assign_ports(ClassMaker *m);
LiederStatus maker_assign_states(ClassMaker *m);
LiederStatus maker_assign_variables(ClassMaker *m);
void maker_assign_start(ClassMaker *m);
/* the parts from `first` on, each in the block of its level */
void maker_assign_kept(ClassMaker *m, size_t first);

/* an assignment in the block of a level, cut into what earlier blocks compute */
void maker_assign_at(ClassMaker *m, Level level, BlockPlace place, Node node);
/* in a block of another kind, cut likewise */
void maker_assign(ClassMaker *m, BlockKind kind, Level level, BlockPlace place, Node node);

/* ------------------------------------------------------------------ class_events.c */

/* all nodes of the events, for those who examine what is read */
bool maker_visit_events(ClassMaker *m, SymbolVisit *visit, void *user);
void maker_add_event_members(ClassMaker *m);
void maker_add_event_symbols(ClassMaker *m);
LiederStatus maker_assign_events(ClassMaker *m);

/* ------------------------------------------------------------------ class_systems.c */

/* when all assignments are there */
void maker_add_systems(ClassMaker *m);
/* "file:line:column in component" of each equation */
const char *const *maker_keep_places(ClassMaker *m, const CellEquation *sources, size_t n);

/* ------------------------------------------------------------------ class_guess.c */

/* when all assignments are there, before their systems are described */
void maker_add_guesses(ClassMaker *m);

/* ------------------------------------------------------------------ class_drift.c */

void maker_assign_drift(ClassMaker *m);

/* ------------------------------------------------------------------ class_declared.c */

/* energies, check, couples, next_time: into the class, when it is there */
void maker_assign_declared(ClassMaker *m);
/* Does nothing but time decide its events? */
bool maker_has_next_time(const ClassMaker *m);
/* the switch without which nothing reads a state, or NULL */
const char *maker_only_if(ClassMaker *m, const CellState *s);

/* ------------------------------------------------------------------ class_summary.c */

void maker_summarise(ClassMaker *m);

#endif
