/* delayed.c - see delayed.h. */
#include "base/delayed.h"

#include <dlfcn.h>
#include <stdio.h>

/* Lazily: binding all functions of LAPACK at once takes longer than a small model takes to run. */
enum { MODE = RTLD_LAZY | RTLD_LOCAL };

void *delayed_function(const char *library, const char *name)
{
    void *handle = dlopen(library, MODE);
    return handle ? dlsym(handle, name) : NULL;
}

const char *delayed_problem(const char *library, char *buffer, size_t size)
{
    void *handle = dlopen(library, MODE);
    const char *problem = handle ? "" : dlerror();
    snprintf(buffer, size, "%s", problem ? problem : "it cannot be loaded");
    return buffer;
}
