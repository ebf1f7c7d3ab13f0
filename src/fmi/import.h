/* import.h - FMUs in models, for programs that load and run these. */
#ifndef LIEDER_FMI_IMPORT_H
#define LIEDER_FMI_IMPORT_H

#include <lieder/simulate.h>

#include "base/text.h"

/* ------------------------------------------------------------------ import.c */

typedef struct ImportedFile ImportedFile;

typedef struct FmiImports {
    const LiederAllocator *alloc;
    VEC(ImportedFile *) files;
    bool in_process; /* FMUs run in this process */
} FmiImports;

/* a FrontFmu; user: FmiImports */
bool imports_class(void *user, const char *path, char *name, size_t size, bool *fresh,
                   const LiederAllocator *of_text, TextBuffer *text, char *wrong, size_t room);
void imports_drop(FmiImports *imports);

/* ------------------------------------------------------------------ master.c */

/* lieder_simulate, for a system that may have FMUs */
LiederStatus fmi_simulate(LiederSystem *system, const FmiImports *imports,
                          const LiederSimulateOptions *options, LiederStatistics *statistics);

#endif
