/* writer.h - what source.c and source_sparse.c share: a generated text under way. */
#ifndef LIEDER_FMI_WRITER_H
#define LIEDER_FMI_WRITER_H

#include "compile/compile.h"
#include "fmi/fmi.h"

enum { CALL = 256 }; /* room for the text of a call */

typedef VEC(uint32_t) PlaceList;

typedef struct SourceWriter {
    const FmiTexts *t;
    SystemShape *ss;
    size_t number; /* of the shape */
    const LiederAllocator *alloc;
    TextBuffer *to;
    VEC(char *) calls; /* texts of the functions that ops have */
    bool ok;
} SourceWriter;

#define WRITE(w, ...) ((w)->ok = (w)->ok && text_add((w)->alloc, (w)->to, __VA_ARGS__))

/* what stands before item i of a table with n of them in a line */
static inline const char *table_separator(size_t i, size_t n)
{
    if (i == 0)
        return "";
    return i % n ? ", " : ",\n    ";
}

void write_places(SourceWriter *w, const char *name, const uint32_t *places, size_t n);
/* the number of the function for a call; new: the caller writes it */
size_t call_number(SourceWriter *w, const char *call);

/* the plan of a sparse system of the shape, as tables */
void sparse_source(SourceWriter *w);

#endif
