/* library.c - the registration of all classes, and sessions that know them. */
#include "library/library.h"

#include <string.h>

#include "model/class/session.h"

Lieder *lieder_create(const LiederAllocator *alloc)
{
    Lieder *session = session_create(alloc);
    if (session && library_register(session) != LIEDER_DONE) {
        lieder_destroy(session);
        return NULL;
    }
    return session;
}

LiederStatus library_register(Lieder *session)
{
    struct {
        const char *variant;
        const LiederClassList *list;
    } lists[] = {
#define LIBRARY_ADDRESS(file, isa) {#isa, &library_##file##_##isa},
#define LIBRARY_ADDRESSES(file)    LIBRARY_EACH_ISA(LIBRARY_ADDRESS, file)
        LIBRARY_FILES(LIBRARY_ADDRESSES, LIBRARY_ADDRESSES)};
    /* two variants are for one lane, and the machine decides between them */
    __builtin_cpu_init();
    bool fma = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    const char *other = fma ? "scalar" : "scalar_fma";
    LiederStatus status = class_enter(session, &library_world);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (int k = 0; k < lists[i].list->n && status == LIEDER_DONE; k++)
            if (strcmp(lists[i].variant, other) != 0)
                status = class_enter(session, &lists[i].list->classes[k]);
    if (status == LIEDER_DONE)
        status = library_register_contact(session);
    return status == LIEDER_DONE ? library_register_examples(session) : status;
}
