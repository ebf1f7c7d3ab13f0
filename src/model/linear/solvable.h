/* solvable.h - whether the linear groups of a system are regular, found before anything runs.
 *
 * docs/solvability.md has the rules with their proofs. In short: where every link hands forces back
 * through the transpose of what it hands accelerations on by, and every leaf answers with a
 * symmetric positive semidefinite law, the matrix of a group is a sum B^T F B. It is positive
 * definite if each joint moves something whose law is definite in the directions it moves along.
 * The links and leaves are probed at random states: what has to be the same identity at all of them
 * holds everywhere; what varies is not used.
 */
#ifndef LIEDER_MODEL_SOLVABLE_H
#define LIEDER_MODEL_SOLVABLE_H

#include "model/system/system.h"

typedef enum SolvableVerdict {
    SOLVABLE_PROVED,  /* for all states, with the parameters that the lanes have */
    SOLVABLE_AT_REST, /* so but for terms with the dialectic time constant, which vanish at rest */
    SOLVABLE_TESTED,  /* at the start and where it was tried */
    SOLVABLE_SINGULAR /* not even there */
} SolvableVerdict;

typedef struct GroupSolvable {
    uint32_t shape, group, nunknown;
    SolvableVerdict verdict;
    uint32_t component; /* the first joint; if it is not proved: who is the reason */
    size_t lane;
    const char *why;         /* it is not proved; or NULL */
    size_t ntried, nregular; /* states, the start among them */
} GroupSolvable;

typedef VEC(GroupSolvable) GroupSolvables;

/* all groups, shape by shape; LIEDER_NO_MEMORY: the list is not complete */
LiederStatus system_solvable(LiederSystem *system, GroupSolvables *list);

#endif
