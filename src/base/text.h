/* text.h - texts that grow. */
#ifndef LIEDER_BASE_TEXT_H
#define LIEDER_BASE_TEXT_H

#include "base/memory.h"

typedef VEC(char) TextBuffer;

/* appends formatted text and keeps a NUL behind it; false when memory ran out */
__attribute__((format(printf, 3, 4))) bool text_add(const LiederAllocator *alloc, TextBuffer *to,
                                                    const char *format, ...);

#endif
