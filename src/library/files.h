/* files.h - the files of the library that have blocks, in the order in which their classes are
 * listed:
 *
 *   SOURCE(name)   src/library/name.c
 *   TEXT(Name)     library/Name.mo: Modelica text that src/precompile compiles in the build
 *
 * A class is in one of them. cmake/lanes.cmake reads the rows and compiles each file once per
 * instruction set; library.h declares what they define, src/compile/sources.c embeds the texts in
 * C. */
#ifndef LIEDER_LIBRARY_FILES_H
#define LIEDER_LIBRARY_FILES_H

/* clang-format off */
#define LIBRARY_FILES(SOURCE, TEXT) \
    TEXT(Translational)             \
    TEXT(Rotational)                \
    SOURCE(breakable)               \
    SOURCE(sticking)                \
    TEXT(Planar)                    \
    SOURCE(planar)                  \
    SOURCE(shapes)                  \
    TEXT(Sources)                   \
    SOURCE(signals)                 \
    SOURCE(electrical)
/* clang-format on */

#endif
