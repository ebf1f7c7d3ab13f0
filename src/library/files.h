/* files.h - the source files of the library that have blocks. CMakeLists.txt reads the rows and
 * compiles each file once per instruction set; library.h declares what they define,
 * src/compile/sources.c embeds their texts. */
#ifndef LIEDER_LIBRARY_FILES_H
#define LIEDER_LIBRARY_FILES_H

/* clang-format off */
#define LIBRARY_FILES(X) \
    X(one_dimensional)   \
    X(sticking)          \
    X(planar)            \
    X(shapes)            \
    X(signals)           \
    X(electrical)
/* clang-format on */

#endif
