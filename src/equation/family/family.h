/* family.h - a class with large arrays from the same class with small ones.
 *
 * The equations of an array are the same for all its elements but for a few at its ends. So what
 * the scalar compiler makes of a model with 12 elements shows what it would make of one with
 * 100 000: the size of the model is replaced by a few small ones, each is lowered, solved and made
 * a class as any other (index reduction, tearing, connections, start values: nothing of that is
 * written twice), and the assignments of these classes are read as loops whose ends are functions
 * a + b n of the size n. At the size that is wanted they are instantiated as code of constant
 * length (block/loop.h).
 *
 *   family_series.c members to series: x[1] ... x[n] is "x[#]"
 *   family_read.c   assignments to bodies: operations, and leaves that are elements of series or
 *                   numbers
 *   family_system.c equations that are solved where the class runs, in each element for itself
 *   family_fit.c    bodies to pieces: neighbours with the same operations, whose leaves move on by
 *                   constant steps, are a run; others, at the ends, are points. Positions as
 *                   functions a + b n, from two sizes
 *   family_order.c  pieces at the size that is wanted, and what they read of each other
 *   family_write.c  pieces in the order of what they read: lanes, sweeps, folds; neighbours that
 *                   fit become one loop
 *   family_class.c  members, layout, code: the class
 *
 * What is found from two sizes has to give exactly the classes of the others, element by element
 * and leaf by leaf; otherwise the model is no family and stays with the scalar compiler. Whoever
 * gives the sizes sees to it that the text has no decision between them and the size that is
 * wanted (front/divide/loops.c).
 *
 * A value that belongs to a variable is computed once, in the loop of that variable, and read from
 * there, at whatever distance: a chain y[i] = f(y[i - 1]) is a sweep, a balance that reads the
 * flows at both sides of a volume reads them shifted. A sum over an array is a fold.
 *
 * Rejected: families through every stage (matching with shifts, sorting by distances). It is what
 * this finds in the end, but would need a second compiler for index reduction, initial equations,
 * elimination and connections, whose results nothing checks.
 */
#ifndef LIEDER_EQUATION_FAMILY_H
#define LIEDER_EQUATION_FAMILY_H

#include "equation/class/class.h"

/* a model with one of the small sizes, solved */
typedef struct FamilySize {
    const Cell *cell;
    const CellClass *class_;
    long n;
} FamilySize;
enum { FAMILY_SIZES = 4 };

/* Members of the class that are elements of one array, or one member. */
typedef struct FamilySeries {
    const char *name;  /* of its first element; of a vector of parameters that of the member */
    int subscripts[2]; /* which of the name's subscripts are the element, from 0; -1: none */
    LiederMemberKind kind;
    bool is_vector;    /* a parameter that is one member */
    const char *whole; /* one that is one member of this name, though its elements are variables of
                          their own, such as start values; or NULL */
    bool is_initial;   /* a state whose start value the start block finds */
    long first[2], last[2]; /* elements */
} FamilySeries;

typedef struct FamilyClass {
    CellClass *class_;
    const FamilySeries *series; /* parameters and states, in the order of the struct */
    size_t nseries;
    char why[200]; /* where class_ is NULL: why it is no family; "" after an error of memory */
} FamilyClass;

/* the class for size n; false: memory ran out */
bool family_class_create(const FamilySize *sizes, long n, const CellClassInfo *info,
                         FamilyClass *result);
/* a name with other numbers in place of some of its subscripts */
void family_name(const char *name, const int *subscripts, const long *element, char *buffer,
                 size_t size);

#endif
