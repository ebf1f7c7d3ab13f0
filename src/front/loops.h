/* loops.h - sizes of large arrays: what loops.c asks of loop_size.c. Private to front/. */
#ifndef LIEDER_FRONT_LOOPS_H
#define LIEDER_FRONT_LOOPS_H

#include "equation/family.h"
#include "front/emit.h"

/* the sizes that the class of a large model follows from */
extern const long small_sizes[FAMILY_SIZES];

/* a number that may be the size of arrays */
typedef struct ArraySize {
    const char *path; /* the parameter, "n" or "pipe.n"; NULL: a number of the text */
    const char *text; /* how messages name it */
    long n;
} ArraySize;

/* the numbers of a model's text that stand for its size, where models with small ones are read */
typedef struct SizeNumbers {
    const Class *class_; /* whose text it is */
    long n;
    const Inst *large; /* which has the numbers of the text */
    const Inst *small[FAMILY_SIZES];
    int making; /* which of these is being made; or -1 */
} SizeNumbers;

/* candidates for the size of a model's arrays, the likely ones first; returns how many */
size_t find_array_sizes(Front *f, Inst *inst, ArraySize *to, size_t room);
/* the model with small_sizes[k] in place of the size; NULL with a diagnostic */
Inst *small_instance(Front *f, const ArraySize *size, SizeNumbers *numbers, int k);

#endif
