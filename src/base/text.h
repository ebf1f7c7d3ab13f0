/* text.h - texts that grow, and how texts end. */
#ifndef LIEDER_BASE_TEXT_H
#define LIEDER_BASE_TEXT_H

#include "base/memory.h"

typedef VEC(char) TextBuffer;

/* appends formatted text and keeps a NUL behind it; false when memory ran out */
__attribute__((format(printf, 3, 4))) bool text_add(const LiederAllocator *alloc, TextBuffer *to,
                                                    const char *format, ...);

/* the same for n bytes as they are */
bool text_put(const LiederAllocator *alloc, TextBuffer *to, const char *text, size_t n);

/* whether the text is longer than this ending and ends so, in small or capital letters: RESULT.CSV
 */
bool text_ends(const char *text, const char *ending);

/* whether the name has one of these characters outside of quoted identifiers: 'x y'.z has no blank
 */
bool name_has(const char *name, const char *characters);

/* "[3]" or "[1,2]" for an element of an array with these dimensions, counted from 0 with the last
 * index fastest; "" for ndim 0. Returns buffer (INDEX_LENGTH, enough for INDEX_DIMS dimensions). */
enum { INDEX_DIMS = 8, INDEX_LENGTH = 21 * INDEX_DIMS + 2 };
char *index_text(int ndim, const size_t *dim, size_t position, char *buffer);

/* unit of a derivative: m -> m/s, m/s -> m/s2, N -> N/s; returns buffer */
const char *unit_derivative(const char *unit, char *buffer, size_t size);

#endif
