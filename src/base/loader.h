/* loader.h - the front end of a session as the engine calls it: see front/names/loader.c, which
 * sets the fields with the first text that is loaded. */
#ifndef LIEDER_BASE_LOADER_H
#define LIEDER_BASE_LOADER_H

#include <lieder/load.h>

typedef struct Loader {
    void *front; /* NULL: nothing was loaded */
    bool (*knows)(const void *front, const char *class_name);
    LiederSystem *(*create)(void *front, const char *class_name,
                            const LiederSystemOptions *options);
    void (*destroy)(void *front);
} Loader;

#endif
