/* library.h - the classes that every session knows, per file and instruction set. */
#ifndef LIEDER_LIBRARY_H
#define LIEDER_LIBRARY_H

#include <lieder/component.h>

typedef struct LiederClassList {
    int n;
    const LiederClassDef *classes;
} LiederClassList;

/* each source file of the library is compiled once per instruction set */
#define LIBRARY_EACH_ISA(X, file) X(file, scalar) X(file, sse2) X(file, avx2) X(file, avx512)
#define LIBRARY_FILES(X)                     \
    LIBRARY_EACH_ISA(X, library_one_dimensional) \
    LIBRARY_EACH_ISA(X, library_planar)      \
    LIBRARY_EACH_ISA(X, library_signals)
#define LIBRARY_DECLARE(file, isa) extern const LiederClassList file##_##isa;
LIBRARY_FILES(LIBRARY_DECLARE)

/* all native classes and the composed examples into a session */
LiederStatus library_register(Lieder *session);
LiederStatus library_register_examples(Lieder *session);

#endif
