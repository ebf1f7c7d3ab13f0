/* texts.c - see texts.h. The files are inside the program, which so needs no installed folder and has
 * the classes it was built with. A new file is a row here. */
#include "library/texts.h"

#include "base/embed.h"

/* clang-format off */
#define TEXTS(X) \
    X(Signals) \
    X(Motion)  \
    X(Thermal)
/* clang-format on */

#define EMBED_TEXT(id) EMBED(text_##id, "library/" #id ".mo")
TEXTS(EMBED_TEXT)

const LibraryText *library_texts(size_t *n)
{
#define TEXT_ROW(id) {"library/" #id ".mo", EMBED_BEGIN(text_##id), EMBED_END(text_##id)},
    static const LibraryText list[] = {TEXTS(TEXT_ROW)};
    *n = sizeof list / sizeof *list;
    return list;
}
