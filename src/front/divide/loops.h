/* loops.h - sizes of large arrays: what loops.c asks of
 * loop_size.c and loop_decide.c. Private to front/. */
#ifndef LIEDER_FRONT_LOOPS_H
#define LIEDER_FRONT_LOOPS_H

#include "equation/family/family.h"
#include "front/emit/emit.h"
#include "front/lower/lower.h"

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
/* a number of a Real parameter that decided structure */
typedef struct StructuralNumber {
    Member *member;
    size_t element, key;
    double x;
} StructuralNumber;
typedef struct Decisions {
    VEC(Decision) list; /* each once */
    VEC(Decision) open; /* of the equation that is being read */
    VEC(StructuralNumber) structural;
    uint32_t *table; /* open addressing: 1 + decision */
    size_t ntable;
} Decisions;

/* ------------------------------------------------------------------ loop_number.c */

/* An expression whose numbers equations of an instance read; or what gives a variable its value
 * (`bound`). */
typedef struct NumberUse {
    const Expr *e;
    Inst *inst;
    ClassPart *part;
    Member *bound;
    unsigned long long values; /* what they are */
    bool varies;               /* depends on an index or an element, or has several values */
    bool is_line;              /* of indices and sizes, without rounding */
} NumberUse;

/* where the numbers of a parameter stand that is no variable of the text: subscripts of its name
 * are those of arrays of components, iterators, elements */
typedef struct NumberPlace {
    const Expr *e;
    Member *bound;
    Inst *inst;
    ClassPart *part;
    SourceSpan span;
    int naxis, niterator, ndim;
    const char *iterators[4];
} NumberPlace;

typedef struct NamedNumber {
    const char *name; /* interned */
    uint32_t variable;
} NamedNumber;

typedef VEC(const Expr *) ExprSet;
typedef struct TextNumbers {
    VEC(NumberUse) uses;
    uint32_t *table; /* open addressing by expression and instance: 1 + use */
    size_t ntable;
    VEC(NamedNumber) named;
    ExprSet mixed; /* choices that are expressions for some elements */
    bool is_first; /* nothing is known from models that were read before */
    /* of the models that were read before, by address: what is a parameter, and mixed */
    const ExprSet *data, *known_mixed;
} TextNumbers;
void numbers_drop(Front *f, TextNumbers *t);

/* ------------------------------------------------------------------ loops.c */

typedef struct SmallModel {
    Inst *top;
    Lower lower;
    bool is_lowered;
    CellClass *class_;
    Decisions decisions;
    TextNumbers numbers;
} SmallModel;

typedef struct LoopMaker {
    Front *f;
    Inst *top;
    ArraySizes size;
    SizeNumbers numbers;
    SmallModel small[FAMILY_SIZES];
    ExprSet data, mixed; /* numbers that become parameters, see loop_number.c */
    bool grows;          /* some size depends on it */
    bool is_wrong;       /* something is wrong with the model itself, and was reported */
    char why[300];
} LoopMaker;

/* the member of the model that stands where a member of the first small model does; NULL: none */
Member *loop_double(LoopMaker *m, const Member *x);
/* the next element of a series, row by row */
static inline void family_next(const FamilySeries *s, long *e)
{
    if (++e[1] <= s->last[1])
        return;
    e[1] = s->first[1];
    e[0]++;
}
/* the subscripts of a name, in order */
int name_subscripts(const char *name, long *to, int room);

/* further numbers that have to be parameters: the small models are to be read again */
bool numbers_choose_data(LoopMaker *m);
/* are the others what they are in the large model? */
bool numbers_hold(LoopMaker *m, SourceSpan *at);
/* the numbers of a series of such parameters; false: one has none */
bool numbers_set(LoopMaker *m, const FamilySeries *s, const NumberPlace *p);

/* ------------------------------------------------------------------ loop_follow.c */

/* Do parameters that decide structure have the numbers in the large model that follow from those of
 * the small ones? false: *name is one that has not. */
bool parameters_follow(LoopMaker *m, const char **name);

/* ------------------------------------------------------------------ the others */

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
