/* import.c - FMUs as classes of Modelica text.
 *
 *   model FMU_1 "pump.fmu"
 *     Signals.RealInput u;                    an input, held in a Gain that the run reads
 *     Signals.Gain fmu1_u(k = 1);
 *     Signals.RealOutput y;                   an output: a Constant that the run sets
 *     Signals.Constant fmu1_y(k = 0);
 *     parameter Real g = -9.81;               a parameter, read when the run begins
 *     Signals.Constant fmu1_g(k = g);
 *   equation
 *     connect(u, fmu1_u.u);
 *     connect(fmu1_y.y, y);
 *   end FMU_1;
 *
 * So the engine needs nothing new for FMUs: outputs are numbers that are set at communication
 * points (master.c) and held in between. Rejected: a class with a kernel that calls the FMU; the
 * engine repeats steps, evaluates ahead and on several threads, and an FMU allows none of that. */
#include "fmi/fmi.h"

#include "front/front.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

/* ------------------------------------------------------------------ the text */

/* a name that stands as it is in Modelica, else in quotes */
static void write_name(const ForeignVariable *v, char to[300])
{
    const unsigned char *c = (const unsigned char *)v->name;
    bool plain = isalpha(*c) || *c == '_';
    for (; *c && plain; c++)
        plain = isalnum(*c) || *c == '_';
    plain = plain && !front_is_keyword(v->name);
    snprintf(to, 300, plain ? "%.280s" : "'%.280s'", v->name);
    for (char *q = to + 1; !plain && *q && q[1]; q++)
        if (*q == '\'' || *q == '\\')
            *q = '_';
}

/* letters and digits of the name; the number makes it unique */
static void name_inner(size_t file, size_t number, ForeignVariable *v)
{
    size_t n = (size_t)snprintf(v->inner, sizeof v->inner, "fmu%zu_%zu_", file, number);
    for (const char *c = v->name; *c && n + 1 < sizeof v->inner; c++)
        v->inner[n++] = isalnum((unsigned char)*c) ? *c : '_';
    v->inner[n] = 0;
}

/* the start value of a variable as Modelica text, an array in braces */
static bool write_starts(const LiederAllocator *alloc, TextBuffer *to, const ForeignVariable *v)
{
    double *values = memory_zeroed(alloc, (v->n + 1) * sizeof *values);
    bool ok = values != NULL;
    if (ok)
        foreign_starts(v, values);
    if (v->n > 1)
        ok = ok && text_add(alloc, to, "{");
    for (size_t i = 0; i < v->n && ok; i++)
        ok = text_add(alloc, to, "%s%.17g", i ? ", " : "", values[i]);
    if (v->n > 1)
        ok = ok && text_add(alloc, to, "}");
    memory_free(alloc, values, (v->n + 1) * sizeof *values);
    return ok;
}

/* a variable as a declaration, with the inner component for its numbers */
static bool write_variable(const LiederAllocator *alloc, TextBuffer *to, const ForeignVariable *v)
{
    char name[300], size[32] = "";
    write_name(v, name);
    if (v->n > 1)
        snprintf(size, sizeof size, "[%zu]", v->n);
    switch (v->role) {
    case FOREIGN_INPUT:
        return text_add(alloc, to, "  Signals.RealInput %s%s;\n  Signals.Gain %s%s(%sk = 1);\n",
                        name, size, v->inner, size, v->n > 1 ? "each " : "");
    case FOREIGN_OUTPUT:
        return text_add(alloc, to, "  Signals.RealOutput %s%s;\n  Signals.Constant %s%s(k = ", name,
                        size, v->inner, size) &&
               write_starts(alloc, to, v) && text_add(alloc, to, ");\n");
    case FOREIGN_PARAMETER:
        return text_add(alloc, to, "  parameter Real %s%s = ", name, size) &&
               write_starts(alloc, to, v) &&
               text_add(alloc, to, ";\n  Signals.Constant %s%s(k = %s);\n", v->inner, size, name);
    default:
        return true;
    }
}

/* its connections to that component, element by element */
static bool write_connections(const LiederAllocator *alloc, TextBuffer *to,
                              const ForeignVariable *v)
{
    char name[300];
    bool ok = true;
    write_name(v, name);
    for (size_t i = 1; i <= v->n && ok; i++) {
        char index[32] = "";
        if (v->n > 1)
            snprintf(index, sizeof index, "[%zu]", i);
        if (v->role == FOREIGN_INPUT)
            ok = text_add(alloc, to, "  connect(%s%s, %s%s.u);\n", name, index, v->inner, index);
        else if (v->role == FOREIGN_OUTPUT)
            ok = text_add(alloc, to, "  connect(%s%s.y, %s%s);\n", v->inner, index, name, index);
    }
    return ok;
}

static bool is_seen(const ForeignVariable *v)
{
    return v->role != FOREIGN_NONE && v->type != FOREIGN_OTHER && v->n > 0;
}

/* the whole class; sets `first` of all variables */
static bool write_class(const LiederAllocator *alloc, ForeignModel *m, size_t number,
                        TextBuffer *to)
{
    bool ok = text_add(alloc, to, "model FMU_%zu\n", number);
    size_t first[4] = {0};
    for (size_t i = 0; i < m->variables.n && ok; i++) {
        ForeignVariable *v = &m->variables.items[i];
        if (!is_seen(v))
            continue;
        name_inner(number, i, v);
        v->first = first[v->role];
        first[v->role] += v->n;
        ok = write_variable(alloc, to, v);
    }
    ok = ok && text_add(alloc, to, "equation\n");
    for (size_t i = 0; i < m->variables.n && ok; i++)
        if (is_seen(&m->variables.items[i]))
            ok = write_connections(alloc, to, &m->variables.items[i]);
    return ok && text_add(alloc, to, "end FMU_%zu;\n", number);
}

/* ------------------------------------------------------------------ files */

static void remove_folder(const char *folder)
{
    char command[128];
    if (!folder[0] || strncmp(folder, "/tmp/lieder-fmu.", 16) != 0)
        return;
    snprintf(command, sizeof command, "rm -rf '%s'", folder); /* a name of mkdtemp's */
    if (system(command) != 0)
        return;
}

static void file_drop(const LiederAllocator *alloc, ImportedFile *file)
{
    remove_folder(file->folder);
    foreign_drop(&file->model);
    if (file->path)
        memory_free_text(alloc, file->path);
    memory_free(alloc, file, sizeof *file);
}

/* unpacks what a run needs: the binary of this machine, and resources */
static bool unpack_files(ImportedFile *file, Unzip *u)
{
    struct utsname machine;
    char below[512];
    uname(&machine);
    bool old = file->model.version == 2;
    snprintf(below, sizeof below, "binaries/%s%s/", old ? "linux64" : machine.machine,
             old ? "" : "-linux");
    bool has = false;
    for (size_t i = 0; i < u->entries.n; i++)
        has |= strncmp(u->entries.items[i].name, below, strlen(below)) == 0;
    if (!has) {
        snprintf(u->wrong, sizeof u->wrong,
                 "it has no binary for this machine (%s); build it from its sources first", below);
        return false;
    }
    snprintf(file->folder, sizeof file->folder, "/tmp/lieder-fmu.XXXXXX");
    if (!mkdtemp(file->folder)) {
        file->folder[0] = 0;
        snprintf(u->wrong, sizeof u->wrong, "no folder can be made in /tmp: %s", strerror(errno));
        return false;
    }
    return unzip_extract(u, file->folder, below) && unzip_extract(u, file->folder, "resources/");
}

/* opens an FMU: its description is read and its files are unpacked; false with a sentence in
 * `wrong` */
static bool file_read(const LiederAllocator *alloc, ImportedFile *file, char *wrong, size_t room)
{
    Unzip u;
    TextBuffer text = {0};
    bool ok = unzip_open(&u, alloc, file->path);
    const UnzipEntry *e = ok ? unzip_find(&u, "modelDescription.xml") : NULL;
    if (ok && !e) {
        snprintf(u.wrong, sizeof u.wrong, "it has no modelDescription.xml");
        ok = false;
    }
    ok = ok && unzip_read(&u, e, &text);
    if (ok && !foreign_read(&file->model, alloc, text.items, text.n)) {
        snprintf(u.wrong, sizeof u.wrong, "%s", file->model.wrong);
        ok = false;
    }
    ok = ok && unpack_files(file, &u);
    if (!ok)
        snprintf(wrong, room, "the FMU %s cannot be used: %s", file->path, u.wrong);
    vec_drop(alloc, &text);
    unzip_close(&u);
    return ok;
}

bool imports_class(void *user, const char *path, char *name, size_t size, bool *fresh,
                   const LiederAllocator *of_text, TextBuffer *text, char *wrong, size_t room)
{
    FmiImports *imports = user;
    const LiederAllocator *alloc = imports->alloc;
    *fresh = false;
    for (size_t i = 0; i < imports->files.n; i++)
        if (strcmp(imports->files.items[i]->path, path) == 0) {
            snprintf(name, size, "FMU_%zu", i + 1);
            return true;
        }
    ImportedFile *file = memory_zeroed(alloc, sizeof *file);
    bool ok = file && (file->path = memory_text(alloc, path)) != NULL;
    if (!ok)
        snprintf(wrong, room, "not enough memory");
    ok = ok && file_read(alloc, file, wrong, room);
    if (ok && !(write_class(of_text, &file->model, imports->files.n + 1, text) &&
                vec_push(alloc, &imports->files, file))) {
        snprintf(wrong, room, "not enough memory");
        ok = false;
    }
    if (!ok && file)
        file_drop(alloc, file);
    *fresh = ok;
    snprintf(name, size, "FMU_%zu", imports->files.n);
    return ok;
}

void imports_drop(FmiImports *imports)
{
    for (size_t i = 0; i < imports->files.n; i++)
        file_drop(imports->alloc, imports->files.items[i]);
    if (imports->alloc)
        vec_drop(imports->alloc, &imports->files);
}
