/* partial.h - function df = der(f, x): what call.c asks of partial.c. Private to front/. */
#ifndef LIEDER_FRONT_PARTIAL_H
#define LIEDER_FRONT_PARTIAL_H

#include "front/instance/semantic.h"

/* a call of a partial derivative under way */
typedef struct PartialCall {
    size_t first;                   /* of its seeds */
    struct Lower *own;              /* made for a call with numbers, or NULL */
    struct Lower *lower, *lowering; /* of the front end before */
} PartialCall;

/* before the frames of a call are opened, where inst->by is set; false after reporting what cannot
 * be differentiated */
bool partial_begin(Front *f, Inst *inst, PartialCall *call);
/* when the values of all inputs are known: seeds take the place of those that are differentiated by
 */
void partial_seed(Front *f, const Inst *inst, LocalName *frames);
/* results become their derivatives; `first` is the first one again */
Value partial_end(Front *f, const Inst *inst, PartialCall *call, Value first, Value *all,
                  size_t nall, SourceSpan span);

#endif
