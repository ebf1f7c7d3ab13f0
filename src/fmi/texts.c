/* texts.c - sources that go into an FMU: runtime/ and the texts that it and generated texts
 * include; and runtime/ as object files for processors with AVX2, so that an export compiles the
 * model alone. */
#include "compile/compile.h"
#include "fmi/fmi.h"

#include <string.h>

#define EMBED_FILE(id, path)                                                                       \
    __asm__(".pushsection .rodata\n"                                                               \
            ".hidden lieder_fmi_" #id "\n.hidden lieder_fmi_end_" #id "\n"                         \
            ".global lieder_fmi_" #id "\n.global lieder_fmi_end_" #id "\n"                         \
            "lieder_fmi_" #id ":\n.incbin \"" path "\"\n"                                          \
            "lieder_fmi_end_" #id ":\n.byte 0\n.popsection\n");                                    \
    extern const char lieder_fmi_##id[] __attribute__((visibility("hidden")));                     \
    extern const char lieder_fmi_end_##id[] __attribute__((visibility("hidden")));
#define EMBED(id, file) EMBED_FILE(id, LIEDER_ROOT "/" file)

#define RUNTIME(X)                                                                                 \
    X(fmu_h, "fmu.h")                                                                              \
    X(kinds, "kinds.h")                                                                            \
    X(fmu, "fmu.c")                                                                                \
    X(values, "values.c")                                                                          \
    X(evaluate, "evaluate.c")                                                                      \
    X(events, "events.c")                                                                          \
    X(history, "history.c")                                                                        \
    X(late, "late.c")                                                                              \
    X(sparse_h, "sparse.h")                                                                        \
    X(sparse, "sparse.c")                                                                          \
    X(step, "step.c")                                                                              \
    X(state, "state.c") X(interface, "interface.c") X(fmi2, "fmi2.c") X(fmi3, "fmi3.c")

#ifdef LIEDER_FMI_OBJECTS
EMBED_FILE(object2, LIEDER_FMI_OBJECTS "/runtime_2.o")
EMBED_FILE(object3, LIEDER_FMI_OBJECTS "/runtime_3.o")
#endif

#define EMBED_ROW(id, name) EMBED(id, "src/fmi/runtime/" name)
RUNTIME(EMBED_ROW)
EMBED(licence, "LICENSE")

const FmiSource *runtime_list(size_t *n)
{
#define LIST_ROW(id, name) {name, lieder_fmi_##id, lieder_fmi_end_##id},
    static const FmiSource list[] = {RUNTIME(LIST_ROW){"../documentation/licenses/license.txt",
                                                       lieder_fmi_licence, lieder_fmi_end_licence}};
    *n = sizeof list / sizeof *list;
    return list;
}

FmiSource runtime_object(int version)
{
#ifdef LIEDER_FMI_OBJECTS
    if (version == 2)
        return (FmiSource){"runtime.o", lieder_fmi_object2, lieder_fmi_end_object2};
    return (FmiSource){"runtime.o", lieder_fmi_object3, lieder_fmi_end_object3};
#else
    (void)version;
    return (FmiSource){0};
#endif
}

const FmiSource *include_find(const char *name, FmiSource *room)
{
    size_t n;
    const Source *list = sources_list(&n);
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i].name, name) == 0) {
            *room = (FmiSource){list[i].name, list[i].begin, list[i].end};
            return room;
        }
    return NULL;
}
