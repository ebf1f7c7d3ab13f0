/* main.c - lieder-precompile NAME FOLDER FILE.mo...: the classes of files of library/ as C, when
 * the project is built. Writes FOLDER/NAME.c, which is compiled once for each instruction set, and
 * FOLDER/NAME_tables.c. Beside the file with the classes others may have functions.
 *
 * The program is the front end and the compiler of the project itself, with a session that has the
 * World and the connectors and no class of the library. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lieder/mechanics.h>

#include "front/precompile.h"
#include "library/library.h"
#include "library/texts.h"
#include "model/class/session.h"
#include "precompile/write.h"

/* ------------------------------------------------------------------ what the library is here */

enum { MAX_TEXTS = 8 };

/* the texts at hand, which front.c joins with the packages of the session */
static LibraryText the_texts[MAX_TEXTS];
static size_t ntext;

const LibraryText *library_texts(size_t *n)
{
    *n = ntext;
    return the_texts;
}

const LibraryText *library_compiled_texts(size_t *n)
{
    *n = 0;
    return the_texts;
}

bool library_is_text(const char *class_name)
{
    (void)class_name;
    return false;
}

/* a class for each domain: a session knows a domain by a class that has a port of it */
static const LiederPortDef ports[] = {PORT_IN("port", lieder_translational, ""),
                                      PORT_IN("port", lieder_rotational, ""),
                                      PORT_IN("port", lieder_planar, ""), PORT_INPUT("port", "")};
static const LiederKernels no_blocks = {.tag = "", .lanes = 1, .nreal = 1};
static const LiederClassDef bearers[] = {
    {.name = "Translational.Bearer",
     .text = "",
     .nport = 1,
     .ports = &ports[0],
     .kernels = &no_blocks},
    {.name = "Rotational.Bearer",
     .text = "",
     .nport = 1,
     .ports = &ports[1],
     .kernels = &no_blocks},
    {.name = "Planar.Bearer", .text = "", .nport = 1, .ports = &ports[2], .kernels = &no_blocks},
    {.name = "Signals.Bearer", .text = "", .nport = 1, .ports = &ports[3], .kernels = &no_blocks}};

Lieder *lieder_create(const LiederAllocator *alloc)
{
    Lieder *session = session_create(alloc);
    LiederStatus status = session ? class_enter(session, &library_world) : LIEDER_NO_MEMORY;
    for (int i = 0; i < LIEDER_COUNT(bearers) && status == LIEDER_DONE; i++)
        status = class_enter(session, &bearers[i]);
    if (status == LIEDER_DONE)
        return session;
    if (session)
        lieder_diagnostic_print_all(session, stderr);
    lieder_destroy(session);
    return NULL;
}

/* ------------------------------------------------------------------ classes */

typedef struct ModelVisit {
    Front *front;
    VEC(char *) names; /* of models; they stand in the front end, which forgets */
    bool ok;
} ModelVisit;

static void ignore_part(void *user, const FrontPart *part)
{
    (void)user;
    (void)part;
}

static void note_model(void *user, const char *name, const char *text)
{
    ModelVisit *v = user;
    const char *kind = NULL;
    (void)text;
    if (!front_describe_class(v->front, name, &kind, &text, ignore_part, NULL) ||
        (strcmp(kind, "model") != 0 && strcmp(kind, "block") != 0))
        return;
    char *copy = memory_text(&memory_default, name);
    v->ok = v->ok && copy && vec_push(&memory_default, &v->names, copy);
}

/* mechanics.h says which */
static unsigned basic_signals(const LiederDomain *domain)
{
    return domain == &lieder_planar ? Frame_BASIC : 0;
}

/* "Dialectic.Planar.Body" is "Planar.Body" for the engine, and Planar_Body in C */
static bool compile_class(Front *front, const char *full, Files *files)
{
    static const char package[] = "Dialectic.";
    size_t skip = strncmp(full, package, sizeof package - 1) == 0 ? sizeof package - 1 : 0;
    const char *name = full + skip;
    CellClass *class_ = front_precompile(front, full, name, basic_signals);
    if (!class_)
        fprintf(stderr, "%s could not be compiled\n", full);
    else
        files_add(files, cell_class_block(class_));
    cell_class_destroy(class_);
    return class_ != NULL;
}

/* every class of the library's texts, one after the other; false after reporting what is wrong */
static bool compile_all(Lieder *session, Files *files)
{
    Front *front = front_create(session);
    ModelVisit v = {.front = front, .ok = front != NULL};
    if (front)
        front_visit_library(front, note_model, &v);
    for (size_t i = 0; i < v.names.n; i++)
        v.ok = compile_class(front, v.names.items[i], files) && v.ok;
    for (size_t i = 0; i < v.names.n; i++)
        memory_free_text(&memory_default, v.names.items[i]);
    vec_drop(&memory_default, &v.names);
    front_destroy(front);
    return v.ok;
}

/* ------------------------------------------------------------------ files */

/* ended by a zero, as the embedded texts are */
static bool read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    long size = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    bool good = size > 0 && fseek(file, 0, SEEK_SET) == 0 && (text = calloc(1, (size_t)size + 1)) &&
                fread(text, 1, (size_t)size, file) == (size_t)size;
    if (file)
        fclose(file);
    if (!good) {
        free(text);
        fprintf(stderr, "%s cannot be read\n", path);
        return false;
    }
    the_texts[ntext++] = (LibraryText){path, text, text + size};
    return true;
}

static bool write_text(const char *folder, const char *name, const char *suffix,
                       const TextBuffer *text)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/%s%s.c", folder, name, suffix);
    FILE *file = fopen(path, "wb");
    bool good = file && fwrite(text->items, 1, text->n, file) == text->n;
    good = file && fclose(file) == 0 && good;
    if (!good)
        fprintf(stderr, "%s cannot be written\n", path);
    return good;
}

int main(int n, char **arguments)
{
    if (n < 4 || n > 3 + MAX_TEXTS) {
        fprintf(stderr, "usage: lieder-precompile NAME FOLDER FILE.mo...\n");
        return 2;
    }
    const char *name = arguments[1], *folder = arguments[2];
    char source[200];
    Files files;
    snprintf(source, sizeof source, "library/%s.mo", name);
    files_begin(&files, &memory_default, source);
    bool read = true;
    for (int i = 3; i < n; i++)
        read = read_text(arguments[i]) && read;
    Lieder *session = read ? lieder_create(NULL) : NULL;
    bool good = session && compile_all(session, &files);
    if (session && !good)
        lieder_diagnostic_print_all(session, stderr);
    files_end(&files, name);
    good = good && files.ok && write_text(folder, name, "", &files.blocks) &&
           write_text(folder, name, "_tables", &files.tables);
    files_drop(&files);
    lieder_destroy(session);
    for (size_t i = 0; i < ntext; i++)
        free((char *)the_texts[i].begin);
    return good ? 0 : 1;
}
