/* write.h - a compiled class as C: what is compiled once for each instruction set, and what is the
 * same for all of them. */
#ifndef LIEDER_PRECOMPILE_WRITE_H
#define LIEDER_PRECOMPILE_WRITE_H

#include "block/class.h"

/* Two files under way. What is wrong is reported at once, on stderr, and `ok` is false from then
 * on. */
typedef struct Files {
    const LiederAllocator *alloc;
    TextBuffer blocks, tables;
    TextBuffer rows; /* of the table of classes */
    bool ok;
} Files;

void files_begin(Files *f, const LiederAllocator *alloc, const char *source);
void files_add(Files *f, const BlockClass *c);
/* `name`: that of the list of classes */
void files_end(Files *f, const char *name);
void files_drop(Files *f);

#endif
