/* split.h - which components of a net each of several ranks holds.
 *
 * A net is one subsystem: no lanes that ranks could share. It is cut between its cells, the parts
 * that ties hold together (net.h). A rank owns some cells, and holds beside them
 *
 *   - the ties that take hold of its cells,
 *   - the cells at the other ends of these, the halo, whose states their owners compute, too,
 *   - the ground that any of these hang on.
 *
 * Everything that ties of its own cells read is there, so that ranks send letters only where the
 * linear system is solved (net_share.c). All ranks find the same cells, each for itself, from the
 * components and connections of the model alone, before any of them is instantiated; that takes
 * some 60 bytes for each component of the whole. The cut between them is that of rank 0.
 *
 * What is cut: a model of components of classes (no models inside it) that is one subsystem, with
 * enough cells for each rank. Other models are not: see share.c.
 */
#ifndef LIEDER_MODEL_SPLIT_H
#define LIEDER_MODEL_SPLIT_H

#include "model/flat/flatten.h"

enum { MAX_SPLIT = 0xfffe /* ranks */ };

typedef struct Split {
    bool cut;            /* there are parts; else everything is as without ranks */
    HeldRuns held;       /* the instances that this rank holds; owner 0: an environment */
    size_t ncell, nhalo; /* own, and of others */
} Split;

/* LIEDER_NO_MEMORY, or done */
LiederStatus split_find(Split *split, const LiederModel *model, const LiederRanks *ranks);
void split_drop(Split *split, const LiederAllocator *alloc);

#endif
