/* text.h - texts that grow, and how texts end. */
#ifndef LIEDER_BASE_TEXT_H
#define LIEDER_BASE_TEXT_H

#include "base/memory.h"

typedef VEC(char) TextBuffer;

/* appends formatted text and keeps a NUL behind it; false when memory ran out */
__attribute__((format(printf, 3, 4))) bool text_add(const LiederAllocator *alloc, TextBuffer *to,
                                                    const char *format, ...);

/* has something before this ending; capitals do not count: RESULT.CSV */
bool text_ends(const char *text, const char *ending);

#endif
