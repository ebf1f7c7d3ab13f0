/* delayed.c - see delayed.h. */
#include "base/delayed.h"

#include <dlfcn.h>
#include <stdio.h>

void *delayed_function(const char *library, const char *name)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    return handle ? dlsym(handle, name) : NULL;
}

const char *delayed_problem(const char *library, char *buffer, size_t size)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    const char *problem = handle ? "" : dlerror();
    snprintf(buffer, size, "%s", problem ? problem : "it cannot be loaded");
    return buffer;
}
