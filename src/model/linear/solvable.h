/* solvable.h - whether the linear groups of a system are regular, found before anything runs.
 *
 * docs/solvability.md has the rules with their proofs. In short: where every link passes forces
 * back through the transpose of its map of accelerations, and every leaf answers with a symmetric
 * positive semidefinite law, the matrix of a group is a sum B^T F B. It is positive definite if
 * each joint moves something whose law is definite in the directions of the motion. The links and
 * leaves are probed at random states: the rules use identities that hold at all of them.
 */
#ifndef LIEDER_MODEL_SOLVABLE_H
#define LIEDER_MODEL_SOLVABLE_H

#include "model/system/system.h"

typedef enum SolvableVerdict {
    SOLVABLE_PROVED,  /* for all states, with the parameters that the lanes have */
    SOLVABLE_AT_REST, /* the same, but for terms with the dialectic time constant, which vanish at
                         rest */
    SOLVABLE_TESTED,  /* regular at the states that were tried, the start among them */
    SOLVABLE_SINGULAR /* not regular at any of them */
} SolvableVerdict;

typedef struct GroupSolvable {
    uint32_t shape, group, nunknown;
    SolvableVerdict verdict;
    uint32_t component; /* if it is not proved: the reason; else the first joint */
    size_t lane;
    const char *why;         /* why it is not proved, or NULL */
    size_t ntried, nregular; /* states */
} GroupSolvable;

typedef VEC(GroupSolvable) GroupSolvables;

/* all groups, shape by shape; LIEDER_NO_MEMORY: the list is not complete */
LiederStatus system_solvable(LiederSystem *system, GroupSolvables *list);

#endif
