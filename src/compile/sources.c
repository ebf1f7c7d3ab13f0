/* sources.c - the texts that generated code includes, inside the library itself, so that a program
 * needs a compiler but no installed headers, and the blocks are those it was built with. */
#include "base/embed.h"
#include "compile/compile.h"
#include "library/files.h"

/* name as it is included, where it stands in the repository; beside these the files of the library
 */
#define SOURCES(X)                                                                                 \
    X(lieder, "lieder/lieder.h", "include/lieder/lieder.h")                                        \
    X(real, "lieder/real.h", "include/lieder/real.h")                                              \
    X(functions, "lieder/functions.h", "include/lieder/functions.h")                               \
    X(history, "lieder/history.h", "include/lieder/history.h")                                     \
    X(software, "lieder/fused.h", "include/lieder/fused.h")                                        \
    X(sparse, "lieder/sparse.h", "include/lieder/sparse.h")                                        \
    X(systems, "lieder/systems.h", "include/lieder/systems.h")                                     \
    X(component, "lieder/component.h", "include/lieder/component.h")                               \
    X(kernels, "lieder/kernels.inc", "include/lieder/kernels.inc")                                 \
    X(mechanics, "lieder/mechanics.h", "include/lieder/mechanics.h")                               \
    X(electrical, "lieder/electrical.h", "include/lieder/electrical.h")                            \
    X(library, "library/library.h", "src/library/library.h")                                       \
    X(files, "library/files.h", "src/library/files.h")                                             \
    X(either, "library/either.h", "src/library/either.h")                                          \
    X(friction, "library/friction.h", "src/library/friction.h")                                    \
    X(options, "compile/options.inc", "src/compile/options.inc")                                   \
    X(lanes, "compile/lanes.inc", "src/compile/lanes.inc")                                         \
    X(complement, "compile/complement.inc", "src/model/program/complement.inc")                    \
    X(lu_h, "model/linear/lu.h", "src/model/linear/lu.h")                                          \
    X(lu, "model/linear/lu.c", "src/model/linear/lu.c")                                            \
    X(evaluate, "compile/evaluate.inc", "src/compile/evaluate.inc")                                \
    X(fused, "compile/fused.inc", "src/compile/fused.inc")

#define EMBED_ROW(id, name, file) EMBED(id, file)
SOURCES(EMBED_ROW)
#define EMBED_LIBRARY(file) EMBED(library_##file, "src/library/" #file ".c")
#define NO_SOURCE(file)     /* its classes have their texts beside them */
LIBRARY_FILES(EMBED_LIBRARY, NO_SOURCE)

const Source *sources_list(size_t *n)
{
#define LIST_ROW(id, name, file) {name, EMBED_BEGIN(id), EMBED_END(id)},
#define LIST_LIBRARY(file)       LIST_ROW(library_##file, "library/" #file ".c", )
    static const Source list[] = {SOURCES(LIST_ROW) LIBRARY_FILES(LIST_LIBRARY, NO_SOURCE)};
    *n = sizeof list / sizeof *list;
    return list;
}
