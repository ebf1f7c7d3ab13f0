/* loops.h - sizes of large arrays: what loops.c asks of
 * loop_size.c and loop_decide.c. Private to front/. */
#ifndef LIEDER_FRONT_LOOPS_H
#define LIEDER_FRONT_LOOPS_H

#include "equation/family.h"
#include "front/emit.h"

/* the sizes that the class of a large model follows from */
extern const long small_sizes[FAMILY_SIZES];

/* A number that may be the size of arrays. In a small model it is rest + slope small_sizes[k]. */
typedef struct ArraySize {
    const char *path; /* the parameter, "n" or "pipe.n"; NULL: a number of the text */
    const char *text; /* how messages name it */
    long n, rest, slope;
} ArraySize;
enum { MAX_ARRAY_SIZES = 4 };

/* sizes that grow together: all of them are rest + slope n */
typedef struct ArraySizes {
    ArraySize items[MAX_ARRAY_SIZES];
    size_t count;
    long n;
    char text[200];
} ArraySizes;

/* where models with small sizes are read: what numbers of the text stand for */
typedef struct SizeNumbers {
    const Class *class_; /* whose text it is */
    const ArraySizes *sizes;
    const Inst *large; /* which has the numbers of the text */
    const Inst *small[FAMILY_SIZES];
    int making; /* which of these is being made; or -1 */
} SizeNumbers;

/* two numbers that were compared or rounded at a place of the text */
typedef struct Decision {
    const SyntaxFile *file;
    uint32_t at;
    bool compares;            /* by a relation that stands in no function */
    unsigned long long where; /* the path of the instance */
    double x, y;
} Decision;
typedef struct Decisions {
    VEC(Decision) list; /* each once */
    uint32_t *table;    /* open addressing: 1 + decision */
    size_t ntable;
} Decisions;

/* Would the size n decide as the small sizes do? Sorts them. false: *at is where it might not. */
bool decisions_hold(Decisions *const *all, long n, SourceSpan *at);
void decisions_drop(Front *f, Decisions *all);

/* candidates for the size of a model's arrays, the largest first; returns how many */
size_t find_array_sizes(Front *f, Inst *inst, ArraySize *to);
/* `n` of them as sizes that grow together; false: they cannot */
bool join_array_sizes(const ArraySize *list, size_t n, ArraySizes *to);
/* the model with small_sizes[k] in place of the size; NULL with a diagnostic */
Inst *small_instance(Front *f, SizeNumbers *numbers, int k);

#endif
