/* load.h - files and folders to classes at their place in the tree of packages. */
#ifndef LIEDER_FRONT_LOAD_H
#define LIEDER_FRONT_LOAD_H

#include "front/semantic.h"

LiederStatus load_text(Front *f, const char *name, const char *text, size_t length);
LiederStatus load_path(Front *f, const char *path);

#endif
