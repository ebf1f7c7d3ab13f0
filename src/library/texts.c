/* texts.c - see texts.h. The files are inside the program, which so needs no installed folder and
 * has the classes it was built with. A new file is a row here. */
#include "library/texts.h"

#include <string.h>

#include "base/embed.h"
#include "library/files.h"

/* clang-format off */
#define TEXTS(X) \
    X(Signals)    \
    X(Logic)      \
    X(Sampled)    \
    X(Tables)     \
    X(StateGraph) \
    X(Motion)     \
    X(Plane)      \
    X(Wheels)     \
    X(Contact)    \
    X(Thermal)    \
    X(Electrical)
/* clang-format on */

#define EMBED_TEXT(id) EMBED(text_##id, "library/" #id ".mo")
TEXTS(EMBED_TEXT)
#define NOTHING(id)
LIBRARY_FILES(NOTHING, EMBED_TEXT)
EMBED_TEXT(Friction) /* functions of these */

/* packages whose classes in C are for programs in C, and the oracle of tests: Modelica has the text
 */
static const char *const text_packages[] = {"Electrical."};

bool library_is_text(const char *class_name)
{
    for (size_t i = 0; i < sizeof text_packages / sizeof *text_packages; i++)
        if (strncmp(class_name, text_packages[i], strlen(text_packages[i])) == 0)
            return true;
    return false;
}

const LibraryText *library_texts(size_t *n)
{
#define TEXT_ROW(id) {"library/" #id ".mo", EMBED_BEGIN(text_##id), EMBED_END(text_##id)},
    static const LibraryText list[] = {TEXTS(TEXT_ROW)};
    *n = sizeof list / sizeof *list;
    return list;
}

const LibraryText *library_compiled_texts(size_t *n)
{
    static const LibraryText list[] = {LIBRARY_FILES(NOTHING, TEXT_ROW) TEXT_ROW(Friction)};
    *n = sizeof list / sizeof *list;
    return list;
}
