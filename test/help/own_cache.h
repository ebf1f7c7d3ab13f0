/* own_cache.h - a cache directory and a compiler of our own for tests of generated code. */
#ifndef TEST_HELP_OWN_CACHE_H
#define TEST_HELP_OWN_CACHE_H

#include <sys/stat.h>
#include <unistd.h>

#include "help/engine.h"

static char folder[] = "/tmp/lieder-test-XXXXXX";
static char cache[64], calls[64];

/* a compiler that counts how often it is called */
static inline int prepare(void **state)
{
    (void)state;
    char script[128], path[64];
    if (!mkdtemp(folder))
        return -1;
    snprintf(cache, sizeof cache, "%s/cache", folder);
    snprintf(calls, sizeof calls, "%s/calls", folder);
    snprintf(path, sizeof path, "%s/cc", folder);
    snprintf(script, sizeof script, "#!/bin/sh\necho >> %s\nexec clang \"$@\"\n", calls);
    FILE *file = fopen(path, "w");
    if (!file || fputs(script, file) < 0 || fclose(file) != 0 || chmod(path, 0700) != 0)
        return -1;
    return setenv("LIEDER_CACHE", cache, 1) | setenv("LIEDER_CC", path, 1);
}

static inline int clean(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static inline long count_calls(void)
{
    struct stat s;
    return stat(calls, &s) == 0 ? (long)s.st_size : 0;
}

#endif
