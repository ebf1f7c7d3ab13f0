/* texts.h - the classes of the library that are Modelica text: the files of library/. */
#ifndef LIEDER_LIBRARY_TEXTS_H
#define LIEDER_LIBRARY_TEXTS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct LibraryText {
    const char *name, *begin, *end; /* the file, what it says */
} LibraryText;

const LibraryText *library_texts(size_t *n);
/* the texts that classes of the library were compiled from */
const LibraryText *library_compiled_texts(size_t *n);
/* is Modelica shown the text of a class instead of the class in C? */
bool library_is_text(const char *class_name);

#endif
