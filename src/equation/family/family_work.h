/* family_work.h - a family under construction, shared by the files that family.h lists. Private to
 * equation/. */
#ifndef LIEDER_EQUATION_FAMILY_WORK_H
#define LIEDER_EQUATION_FAMILY_WORK_H

#include "block/loop.h"
#include "equation/class/class_maker.h"
#include "equation/family/family.h"

/* a + b n, an integer for positions */
typedef struct SizeForm {
    double a, b;
} SizeForm;
static inline double form_at(SizeForm f, double n)
{
    return f.a + f.b * n;
}

typedef enum SeriesKind {
    SERIES_PARAMETER,
    SERIES_STATE,
    SERIES_DERIVATIVE,
    SERIES_OBSERVABLE,
    SERIES_CROSSING, /* its value; SERIES_CHOICE: the side */
    SERIES_CHOICE,
    SERIES_MEMORY,
    SERIES_NEXT, /* of a memory */
    SERIES_TIMER,
    SERIES_REQUEST,
    SERIES_GUESS,  /* where an iteration begins */
    SERIES_FOUND,  /* where it ended: the series behind it */
    SERIES_STATUS, /* how a system of equations went */
    SERIES_VALUE,  /* what was found in the end; those of one system are neighbours in the struct */
    SERIES_SHADOW, /* new values of a series that the same block reads: copied in the end */
    SERIES_HIDDEN  /* a sum, or a number that parameters decide: without a name */
} SeriesKind;

/* A position has two coordinates; what grows in one direction has only the second one, the other is
 * 1. */
enum { ROW, COLUMN, DIRECTIONS };
typedef struct Element {
    long at[DIRECTIONS];
} Element;

/* elements of an array, of one kind, row by row */
typedef struct MemberSeries {
    SeriesKind kind;
    const char *name; /* with "#" where it grows */
    bool grows;
    int ngrow;                    /* in how many directions */
    bool is_vector, is_collapsed; /* a parameter: one member, here or in the large class only */
    bool is_initial;
    LiederMember member; /* of its first element; without place */
    Element first;
    SizeForm last[DIRECTIONS];
    Element lasts[FAMILY_SIZES];
    long counts[FAMILY_SIZES];  /* elements that were met */
    Node *nodes[FAMILY_SIZES];  /* what a program assigns to them; NO_NODE: nothing */
    int subscripts[DIRECTIONS]; /* which of its name grow, from 0; or -1 */
    long position, end;         /* of its first and last element among the members, smallest size */
    long row_end;               /* of the last one of the first row */
    uint32_t columns;           /* at the size that is wanted */
    uint32_t stride;            /* from one element to the next in the struct; 0: 1 */
    const LiederSystemDef *def; /* of a status or value: that of its first element */
    uint32_t value;             /* which value it is */
    uint32_t place;             /* of the first element in the large struct */
    uint32_t shadow, of;     /* 1 + the series of its new values, or 0; of which one it is that */
    bool is_used, is_placed; /* of a shadow: the program at hand sets it, some program does */
    uint32_t count;          /* elements in the large struct */
} MemberSeries;

static inline long series_columns(const MemberSeries *s, int size)
{
    return s->lasts[size].at[COLUMN] - s->first.at[COLUMN] + 1;
}
static inline long series_length(const MemberSeries *s, int size)
{
    return series_columns(s, size) * (s->lasts[size].at[ROW] - s->first.at[ROW] + 1);
}
/* the k-th element of one size, and back */
static inline Element series_element(const MemberSeries *s, int size, long k)
{
    long n = series_columns(s, size);
    return (Element){{s->first.at[ROW] + k / n, s->first.at[COLUMN] + k % n}};
}
static inline size_t series_index(const MemberSeries *s, int size, Element e)
{
    return (size_t)((e.at[ROW] - s->first.at[ROW]) * series_columns(s, size) + e.at[COLUMN] -
                    s->first.at[COLUMN]);
}

/* operands of an operation: an operation of the body, or a leaf */
enum { NO_OPERAND = INT32_MIN };
static inline int32_t leaf_operand(size_t leaf)
{
    return -1 - (int32_t)leaf;
}
static inline bool is_leaf(int32_t operand)
{
    return operand < 0 && operand != NO_OPERAND;
}
static inline size_t leaf_of(int32_t operand)
{
    return (size_t)(-1 - operand);
}

typedef struct BodyStep {
    uint8_t kind, function; /* NodeKind, Function */
    uint32_t system;        /* of NODE_SYSTEM: which of the family's; else 0 */
    int32_t a, b, c;
} BodyStep;

typedef enum LeafKind { LEAF_NUMBER, LEAF_ELEMENT, LEAF_CALL } LeafKind;
typedef struct Leaf {
    LeafKind kind;
    uint32_t series;          /* of an element; what a block is given: TAPE_TIME ... */
    double value[DIRECTIONS]; /* which element; of a number the second one is it */
} Leaf;

/* what is assigned to one element: operations in order */
typedef struct Body {
    const BodyStep *steps;
    const Leaf *leaves;
    size_t nstep, nleaf;
    int32_t root, second; /* `second`: the other factor of a term of a fold, or NO_OPERAND */
} Body;

/* A value without a name. A fold: its first value, then terms 1 ... nterm, which are rows of
 * `width` terms. Folds of one shape are elements of one series. */
typedef struct Hidden {
    bool is_fold;
    LoopFold fold;
    Node node; /* what it stands for */
    Body first;
    Body *terms;
    long nterm, width;
    uint32_t series; /* after those with names */
    long element;
} Hidden;
typedef VEC(Hidden) HiddenList;

/* leaves as functions of the position in a run and of the size: coordinate d of the element that is
 * read is p[d][ROW] i + p[d][COLUMN] j + q[d]; a number is that of COLUMN */
typedef struct LeafForm {
    LeafKind kind;
    uint32_t series;
    double p[DIRECTIONS][DIRECTIONS];
    SizeForm q[DIRECTIONS];
} LeafForm;

typedef enum PieceKind { PIECE_POINT, PIECE_RUN, PIECE_FOLD } PieceKind;
typedef struct Piece {
    PieceKind kind;
    LoopFold fold;
    long sum;        /* of a fold: which element of its series it sets; 0: that of its row */
    uint32_t series; /* that it sets, at from ... to; of a fold these are its terms */
    SizeForm from[DIRECTIONS], to[DIRECTIONS];
    const Body *body;
    const LeafForm *forms;
    /* At the size that is wanted, by turn: turns of a run in one direction move on by COLUMN, which
     * is coordinate `axis` of its elements. */
    int ndir, axis;
    Element first, last;
    bool is_constant, is_needed;
} Piece;
typedef VEC(Piece) PieceList;

/* equations that are solved where the class runs: those of other elements and sizes have the same
 * form, with other operands */
typedef struct FamilySystem {
    int size;
    uint32_t number; /* in the graph of that size */
} FamilySystem;

/* a block as loops */
typedef struct Family {
    const FamilySize *sizes;
    const LiederAllocator *alloc;
    Arena arena;
    VEC(MemberSeries) series;
    VEC(FamilySystem) systems;
    size_t nnamed;                       /* the others are hidden */
    size_t nhidden_before[FAMILY_SIZES]; /* hidden ones of programs that are done */
    uint32_t nhidden[FAMILY_SIZES];      /* series of them */
    bool failed;                         /* no memory */
    char why[200];                       /* "": it is a family as far as is known */
    /* by size, of the program at hand */
    uint32_t *series_of[FAMILY_SIZES]; /* by real of the struct: 1 + series */
    Element *element_of[FAMILY_SIZES];
    Node *kept[FAMILY_SIZES];           /* by real: what constant blocks put there for others */
    VEC(uint32_t) def_of[FAMILY_SIZES]; /* by node: 1 + series that it is the value of ... */
    VEC(Element) def_at[FAMILY_SIZES];  /* ... and the element */
    VEC(uint8_t) tried[FAMILY_SIZES];   /* by node: looked at as a sum */
    HiddenList hidden[FAMILY_SIZES];
    BlockKind program; /* BLOCK_EXPLICIT, with the constant one; BLOCK_START; BLOCK_EVENT */
    PieceList pieces;
} Family;

/* notes why it is no family, the first reason; returns false */
__attribute__((format(printf, 2, 3))) bool family_refuse(Family *f, const char *format, ...);
static inline bool family_good(const Family *f)
{
    return !f->failed && !f->why[0];
}

/* family_series.c */
bool family_read_series(Family *f);
/* numbered through, and no variable of the text: "relation 3 (line 7)" */
bool family_is_numbered(const LiederMember *m);

/* family_read.c */
/* what the blocks assign: those of the kinds given, for the elements of all sizes */
bool family_read_program(Family *f, BlockKind program);
/* is it a series that the program at hand sets? */
bool family_sets(const Family *f, const MemberSeries *s);
/* the body of an element; false: see family_refuse */
bool family_read_body(Family *f, int size, Node node, Body *body);

/* the same operations on leaves of the same series */
bool body_is_like(const Body *x, const Body *y);
/* Is y what comes next to x, after `before` or as the second of a run: the same operations, leaves
 * moved on by the same steps? */
bool body_follows(const Body *before, const Body *x, const Body *y);

/* family_system.c */
/* which of the family's a system is; UINT32_MAX: see family_refuse */
uint32_t family_system(Family *f, int size, uint32_t number);
/* the same in the graph of a loop; UINT32_MAX: no memory */
uint32_t family_write_system(const Family *f, uint32_t system, Graph *to);
/* does a body solve equations? */
bool family_solves(const Body *b);

/* family_fit.c: the pieces of the program at hand */
bool family_fit(Family *f);

/* family_order.c: pieces at the size n */
bool family_place_pieces(Family *f, long n);
/* the element that a piece sets in a turn */
Element family_element(const Piece *p, Element turn);
static inline uint32_t piece_turns(const Piece *p, int direction)
{
    return (uint32_t)(p->last.at[direction] - p->first.at[direction] + 1);
}
/* family_write.c: loops for that size; `lean`: without what no derivative needs */
typedef enum FamilyPart { PART_CONSTANT, PART_VARYING } FamilyPart;
bool family_write(Family *f, FamilyPart part, bool lean, LoopCode *code);

#endif
