/* library.h - the classes that every session knows, per file and instruction set. */
#ifndef LIEDER_LIBRARY_H
#define LIEDER_LIBRARY_H

#include <lieder/component.h>

#include "library/files.h"

typedef struct LiederClassList {
    int n;
    const LiederClassDef *classes;
} LiederClassList;

/* each source file of the library is compiled once per instruction set */
#define LIBRARY_EACH_ISA(X, file)                                                                  \
    X(file, scalar) X(file, scalar_fma) X(file, sse2) X(file, avx2) X(file, avx512)
#define LIBRARY_DECLARE(file, isa) extern const LiederClassList library_##file##_##isa;
#define LIBRARY_DECLARE_FILE(file) LIBRARY_EACH_ISA(LIBRARY_DECLARE, file)
LIBRARY_FILES(LIBRARY_DECLARE_FILE, LIBRARY_DECLARE_FILE)

/* a row of a table of classes; further fields of LiederClassDef may follow */
#define LIBRARY_CLASS(name_, text_, ports_, members_, kernels_, ...)                               \
    {                                                                                              \
        .name = name_, .text = text_, .nport = LIEDER_COUNT(ports_), .ports = ports_,              \
        .nmember = LIEDER_COUNT(members_), .members = members_, .kernels = &kernels_, __VA_ARGS__  \
    }
#define LIBRARY_CLASS_PLAIN(name_, text_, ports_, kernels_)                                        \
    {                                                                                              \
        .name = name_, .text = text_, .nport = LIEDER_COUNT(ports_), .ports = ports_,              \
        .kernels = &kernels_                                                                       \
    }

#define TD_MEMBER(class_)                                                                          \
    WORLD_PARAMETER(class_, TD, "s", AT_LEAST(0),                                                  \
                    "dialectic time constant; 0 is classical mechanics")
#define DAMPED_MEMBER(class_)                                                                      \
    WORLD_SWITCH(class_, damped, "add d_el = d + c TD between elastic and kinetic velocity")

extern const LiederClassDef library_world;

/* all native classes and the composed examples into a session */
LiederStatus library_register(Lieder *session);
LiederStatus library_register_contact(Lieder *session);
LiederStatus library_register_examples(Lieder *session);

#endif
