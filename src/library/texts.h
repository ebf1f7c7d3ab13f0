/* texts.h - the classes of the library that are Modelica text: the files of library/. */
#ifndef LIEDER_LIBRARY_TEXTS_H
#define LIEDER_LIBRARY_TEXTS_H

#include <stddef.h>

typedef struct LibraryText {
    const char *name, *begin, *end; /* the file, what it says */
} LibraryText;

const LibraryText *library_texts(size_t *n);

#endif
