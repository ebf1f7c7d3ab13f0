/* texts.c - sources that go into an FMU: runtime/ and what it and the generated texts include. */
#include "compile/compile.h"
#include "fmi/fmi.h"

#include <string.h>

#define EMBED(id, file)                                                                            \
    __asm__(".pushsection .rodata\n"                                                               \
            ".hidden lieder_fmi_" #id "\n.hidden lieder_fmi_end_" #id "\n"                         \
            ".global lieder_fmi_" #id "\n.global lieder_fmi_end_" #id "\n"                         \
            "lieder_fmi_" #id ":\n.incbin \"" LIEDER_ROOT "/" file "\"\n"                          \
            "lieder_fmi_end_" #id ":\n.byte 0\n.popsection\n");                                    \
    extern const char lieder_fmi_##id[] __attribute__((visibility("hidden")));                     \
    extern const char lieder_fmi_end_##id[] __attribute__((visibility("hidden")));

#define RUNTIME(X)                                                                                 \
    X(fmu_h, "fmu.h")                                                                              \
    X(kinds, "kinds.h")                                                                            \
    X(fmu, "fmu.c")                                                                                \
    X(values, "values.c")                                                                          \
    X(evaluate, "evaluate.c")                                                                      \
    X(step, "step.c") X(state, "state.c") X(fmi2, "fmi2.c") X(fmi3, "fmi3.c")

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
