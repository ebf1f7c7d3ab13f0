/* load.c - see load.h.
 *
 * A folder with package.mo is a package: its other files and the folders with a package.mo inside
 * it are its classes, in the order of package.order where that says so, by name otherwise. A file
 * that says "within A.B" goes into that package; one that says nothing goes to the top.
 *
 * A folder is an index of names: its files are stubs (Class.pending) until lookup asks for one of
 * them, so that a library costs what is used of it. Packages that no operand has are looked for in
 * the library folders in the same way, by their name, "Name VERSION" or "Name.mo".
 */
#define _GNU_SOURCE /* strverscmp */
#include "front/names/load.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "front/syntax/parse.h"

enum { MAX_FOLDERS = 40, MAX_FILE = 1 << 30 };

/* ------------------------------------------------------------------ places in the tree */

static ClassElement *class_element(Front *f, Class *class_)
{
    ClassElement *e = arena_zeroed(&f->syntax, sizeof *e);
    if (e)
        *e = (ClassElement){.kind = EL_CLASS, .span = class_->span, .class_ = class_};
    return e;
}

static Class *find_top(const Front *f, const char *name)
{
    for (size_t i = 0; i < f->tops.n; i++)
        if (f->tops.items[i]->class_->name == name)
            return f->tops.items[i]->class_;
    return NULL;
}

static Class *find_inside(const Class *package, const char *name)
{
    for (size_t i = 0; i < package->elements.n; i++)
        if (package->elements.items[i]->kind == EL_CLASS &&
            package->elements.items[i]->class_->name == name)
            return package->elements.items[i]->class_;
    return NULL;
}

/* a class at the top; one of that name must not be there */
static void add_top(Front *f, Class *class_)
{
    Class *known = find_top(f, class_->name);
    if (known) {
        Place place = span_place(class_->name_span);
        diag_error(f->diag, &place, NULL,
                   "a class '%s' exists already, in %s\nrename one of the two", class_->name,
                   known->span.file == f->library ? "the library" : known->span.file->name);
        return;
    }
    ClassElement *e = class_element(f, class_);
    if (!e || !vec_push(f->alloc, &f->tops, e))
        f->syntax.failed = true;
}

/* a class in its package; one of that name must not be there */
static void add_inside(Front *f, Class *package, Class *class_)
{
    if (find_inside(package, class_->name)) {
        Place place = span_place(class_->name_span);
        diag_error(f->diag, &place, NULL,
                   "package '%s' has a class '%s' already\nrename one of the two", package->name,
                   class_->name);
        return;
    }
    ClassElement *e = class_element(f, class_);
    ClassElement **items = arena_zeroed(&f->syntax, (package->elements.n + 1) * sizeof *items);
    if (!e || !items)
        return;
    for (size_t i = 0; i < package->elements.n; i++)
        items[i] = package->elements.items[i];
    items[package->elements.n] = e;
    package->elements.items = items;
    package->elements.n++;
    class_->parent = package;
}

/* the package of "within", or NULL with a diagnostic */
static Class *find_within(Front *f, const Ref *within)
{
    Class *at = NULL;
    for (const Ref *r = within; r; r = r->rest) {
        Class *next = at ? find_inside(at, r->name) : find_top(f, r->name);
        if (!next && !at && load_from_libraries(f, r->name))
            next = find_top(f, r->name);
        if (next && next->pending)
            load_pending(f, next);
        if (!next || next->span.file == f->library) {
            Place place = span_place(r->span);
            diag_error(
                f->diag, &place, NULL,
                "there is no package '%s'%s%s\nload the folder of the package instead of this file",
                r->name, at ? " in " : "", at ? at->name : "");
            return NULL;
        }
        at = next;
    }
    return at;
}

/* ------------------------------------------------------------------ the model meant by default */

static bool is_model(const Class *class_)
{
    return (class_->kind == CLASS_MODEL || class_->kind == CLASS_BLOCK ||
            class_->kind == CLASS_CLASS) &&
           !class_->partial;
}

static bool has_experiment(const Class *class_)
{
    for (size_t i = 0; i < class_->comment.annotation.n; i++) {
        const Argument *a = class_->comment.annotation.items[i];
        if (a->kind == AR_MODIFY && strcmp(a->name->name, "experiment") == 0)
            return true;
    }
    return false;
}

/* the last model among the classes of a package, as far inside as need be; with an experiment: only
 * one whose annotation says how to run it */
static const Class *last_model(Front *f, Class *class_, bool experiment, int depth)
{
    if (class_->pending)
        load_pending(f, class_);
    if (is_model(class_) && (!experiment || has_experiment(class_)))
        return class_;
    if (class_->kind != CLASS_PACKAGE || depth > MAX_FOLDERS)
        return NULL;
    for (size_t i = class_->elements.n; i-- > 0;) {
        const ClassElement *e = class_->elements.items[i];
        const Class *found =
            e->kind == EL_CLASS ? last_model(f, e->class_, experiment, depth + 1) : NULL;
        if (found)
            return found;
    }
    return NULL;
}

/* what was loaded last; which of its models is meant is found out when someone asks */
static void note_class(Front *f, Class *class_)
{
    if (!vec_push(f->alloc, &f->last_loaded, class_))
        f->syntax.failed = true;
}

const char *load_last_model(Front *f)
{
    const Class *model = NULL;
    for (int experiment = 1; experiment >= 0 && !model; experiment--)
        for (size_t i = f->last_loaded.n; i-- > 0 && !model;)
            model = last_model(f, f->last_loaded.items[i], experiment, 0);
    if (!model)
        return NULL;
    const Class *chain[MAX_FOLDERS];
    size_t n = 0;
    for (; model && n < MAX_FOLDERS; model = model->parent)
        chain[n++] = model;
    TextBuffer name = {0};
    bool ok = true;
    while (n-- > 0 && ok)
        ok = text_add(f->alloc, &name, "%s%s", chain[n]->name, n ? "." : "");
    const char *result = ok ? intern(f, name.items) : NULL;
    f->syntax.failed |= !result;
    vec_drop(f->alloc, &name);
    return result;
}

/* ------------------------------------------------------------------ texts */

static SyntaxFile *parse(Front *f, const char *name, const char *text, size_t length)
{
    char *copy = arena_text(&f->syntax, text, length),
         *copied_name = arena_text(&f->syntax, name, strlen(name));
    return copy && copied_name
               ? parse_text(&f->syntax, &f->names, f->diag, copied_name, copy, length)
               : NULL;
}

static LiederStatus status_since(Front *f, size_t nerrors)
{
    if (report_memory(f))
        return LIEDER_BAD_MODEL;
    if (f->syntax.failed || f->work.failed || f->diag->no_memory)
        return LIEDER_NO_MEMORY;
    return f->diag->nerrors > nerrors ? LIEDER_BAD_MODEL : LIEDER_DONE;
}

LiederStatus load_text(Front *f, const char *name, const char *text, size_t length)
{
    size_t before = f->diag->nerrors;
    f->last_loaded.n = 0;
    SyntaxFile *file = parse(f, name, text, length);
    if (!file || file->nerrors)
        return status_since(f, before);
    fmu_components(f, file);
    Class *package = file->within ? find_within(f, file->within) : NULL;
    for (size_t i = 0; i < file->classes.n; i++) {
        if (file->within && package)
            add_inside(f, package, file->classes.items[i]);
        else if (!file->within)
            add_top(f, file->classes.items[i]);
        note_class(f, file->classes.items[i]);
    }
    if (file->classes.n == 0) {
        Place place = {.file = file->name, .line = 1, .column = 1, .length = 1};
        diag_error(f->diag, &place, NULL,
                   "the file has no class\nwrite a model: model M ... end M;");
    }
    return status_since(f, before);
}

/* ------------------------------------------------------------------ files and folders */

void note_read(Front *f, const char *path)
{
    const char *copy = arena_text(&f->syntax, path, strlen(path));
    if (!copy || !vec_push(f->alloc, &f->read, copy))
        f->syntax.failed = true;
}

const char *front_file_read(const Front *f, size_t index)
{
    return index < f->read.n ? f->read.items[index] : NULL;
}

/* the whole file; NULL with a diagnostic */
static char *read_file(Front *f, const char *path, size_t *length)
{
    const char *unsaved = f->text ? f->text(f->text_user, path) : NULL;
    if (unsaved) {
        *length = strlen(unsaved);
        return arena_text(&f->syntax, unsaved, *length);
    }
    const char *why = "";
    FILE *in = file_open_to_read(path, &why);
    TextBuffer text = {0};
    bool ok = in != NULL;
    note_read(f, path);
    while (ok) {
        ok = vec_reserve(f->alloc, &text, text.n + 65536);
        if (!ok) {
            f->syntax.failed = true;
            break;
        }
        size_t n = fread(text.items + text.n, 1, 65535, in);
        text.n += n;
        if (n == 0 || text.n > MAX_FILE)
            break;
    }
    if (in && ferror(in))
        why = strerror(errno);
    if (!in || ferror(in) || text.n > MAX_FILE) {
        diag_error(f->diag, NULL, path,
                   "the file cannot be read: %s\nlook at its name and its rights",
                   text.n > MAX_FILE ? "it is too big" : why);
        ok = false;
    }
    if (in)
        fclose(in);
    char *copy = ok ? arena_text(&f->syntax, text.items ? text.items : "", text.n) : NULL;
    *length = text.n;
    vec_drop(f->alloc, &text);
    return copy;
}

static SyntaxFile *parse_file(Front *f, const char *path)
{
    size_t length;
    char *text = read_file(f, path, &length), *name = arena_text(&f->syntax, path, strlen(path));
    SyntaxFile *file =
        text && name ? parse_text(&f->syntax, &f->names, f->diag, name, text, length) : NULL;
    if (!file || file->nerrors)
        return NULL;
    fmu_components(f, file);
    return file;
}

static bool is_folder(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

static char *join_path(Front *f, const char *folder, const char *name)
{
    size_t a = strlen(folder), b = strlen(name);
    char *path = arena_zeroed(&f->syntax, a + b + 2);
    if (path) {
        memcpy(path, folder, a);
        path[a] = '/';
        memcpy(path + a + 1, name, b);
    }
    return path;
}

/* rank in package.order, or behind all that it names */
typedef struct DirectoryEntry {
    char *name;
    size_t rank;
} DirectoryEntry;

static int compare_entries(const void *a, const void *b)
{
    const DirectoryEntry *x = a, *y = b;
    return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank)
                              : strcmp(x->name, y->name);
}

/* where a name stands in package.order */
static size_t rank_in(const char *order, const char *name)
{
    size_t n = strlen(name), rank = 0;
    if (n > 3 && strcmp(name + n - 3, ".mo") == 0)
        n -= 3;
    for (const char *p = order; p && *p; rank++) {
        size_t line = strcspn(p, "\r\n");
        if (line == n && memcmp(p, name, n) == 0)
            return rank;
        p += line;
        p += strspn(p, "\r\n");
    }
    return (size_t)-1;
}

/* a class that is known by the name of its file or folder alone */
static void add_entry(Front *f, const char *folder, const char *name, const SyntaxFile *file,
                      Class *package)
{
    char *path = join_path(f, folder, name);
    struct stat s;
    if (!path)
        return;
    size_t length = strlen(name);
    if (is_folder(path)) {
        char *inside = join_path(f, path, "package.mo");
        if (!inside || stat(inside, &s) != 0)
            return;
    } else {
        length -= 3; /* .mo */
    }
    Class *stub = arena_zeroed(&f->syntax, sizeof *stub);
    const char *word = intern_range(&f->names, name, length);
    if (!stub || !word) {
        f->syntax.failed = true;
        return;
    }
    *stub = (Class){.name = word, .pending = path, .span.file = file, .name_span.file = file};
    add_inside(f, package, stub);
}

/* all entries of a folder in the order of its package.order */
static void load_entries(Front *f, const char *path, const SyntaxFile *file, Class *package)
{
    DIR *folder = opendir(path);
    if (!folder) {
        diag_error(f->diag, NULL, path, "the folder cannot be read: %s\nlook at its rights",
                   strerror(errno));
        return;
    }
    size_t length;
    char *order_path = join_path(f, path, "package.order");
    struct stat s;
    const char *order =
        order_path && stat(order_path, &s) == 0 ? read_file(f, order_path, &length) : NULL;
    VEC(DirectoryEntry) entries = {0};
    for (struct dirent *d; (d = readdir(folder)) != NULL;) {
        size_t n = strlen(d->d_name);
        bool is_text =
            n > 3 && strcmp(d->d_name + n - 3, ".mo") == 0 && strcmp(d->d_name, "package.mo") != 0;
        if (d->d_name[0] == '.' || (!is_text && strchr(d->d_name, '.')))
            continue;
        char *name = arena_text(&f->syntax, d->d_name, n);
        if (!name || !vec_push(f->alloc, &entries, (DirectoryEntry){name, rank_in(order, name)}))
            f->syntax.failed = true;
    }
    closedir(folder);
    if (entries.n)
        qsort(entries.items, entries.n, sizeof *entries.items, compare_entries);
    for (size_t i = 0; i < entries.n && !f->syntax.failed; i++)
        add_entry(f, path, entries.items[i].name, file, package);
    vec_drop(f->alloc, &entries);
}

/* the one package that package.mo must hold; NULL with a diagnostic */
static Class *read_package(Front *f, const char *path)
{
    char *package_path = join_path(f, path, "package.mo");
    SyntaxFile *file = package_path ? parse_file(f, package_path) : NULL;
    if (!file)
        return NULL;
    if (file->classes.n != 1 || file->classes.items[0]->kind != CLASS_PACKAGE) {
        Place place = {.file = file->name, .line = 1, .column = 1, .length = 1};
        diag_error(f->diag, &place, NULL,
                   "package.mo must hold exactly one package\nput its classes into the package, or "
                   "into files beside it");
        return NULL;
    }
    return file->classes.items[0];
}

/* a package at the top; what stands in it is listed by name */
static Class *load_folder(Front *f, const char *path)
{
    Class *package = read_package(f, path);
    if (!package)
        return NULL;
    add_top(f, package);
    load_entries(f, path, package->span.file, package);
    return package;
}

/* what was read takes the place of the stub, which others point to already */
static void replace_stub(Class *stub, const Class *read)
{
    Class *parent = stub->parent;
    *stub = *read;
    stub->parent = parent;
    for (size_t i = 0; i < stub->elements.n; i++)
        if (stub->elements.items[i]->kind == EL_CLASS)
            stub->elements.items[i]->class_->parent = stub;
}

void load_pending(Front *f, Class *class_)
{
    if (class_->has_head) { /* of the library */
        f->work.failed |= !parse_pending(&f->fixed, &f->names, f->diag, class_);
        return;
    }
    const char *path = class_->pending, *name = class_->name;
    class_->pending = NULL;
    int depth = 0;
    for (const Class *c = class_; c; c = c->parent)
        depth++;
    if (depth > MAX_FOLDERS) {
        diag_error(f->diag, NULL, path,
                   "folders are nested more than %d deep\ndoes a link lead back?", MAX_FOLDERS);
        return;
    }
    bool folder = is_folder(path);
    SyntaxFile *file = folder ? NULL : parse_file(f, path);
    const Class *read = folder                        ? read_package(f, path)
                        : file && file->classes.n > 0 ? file->classes.items[0]
                                                      : NULL;
    if (read && (read->name != name || (file && file->classes.n > 1))) {
        Place place = span_place(read->name_span);
        diag_error(f->diag, &place, NULL,
                   "the file must hold one class '%s' and nothing else, as its own name says\n"
                   "rename the class or the file",
                   name);
    } else if (read) {
        replace_stub(class_, read);
        if (folder)
            load_entries(f, path, class_->span.file, class_);
    }
    if (read && read->name == name)
        return;
    f->nwrong++; /* reported where it could not be read, and by the next instantiation again */
    if (!vec_push(f->alloc, &f->broken, ((struct BrokenFile){class_, path})))
        f->work.failed = true;
}

/* ------------------------------------------------------------------ libraries */

/* a text in an annotation of a class: annotation(version = "4.1.0"), or of what it uses */
static const char *find_version(const ArgumentList *list)
{
    for (size_t i = 0; i < list->n; i++) {
        const Argument *a = list->items[i];
        if (a->kind == AR_MODIFY && strcmp(a->name->name, "version") == 0 && a->modification &&
            a->modification->value && a->modification->value->kind == EX_STRING)
            return a->modification->value->text;
    }
    return NULL;
}

/* the version that a loaded class asks for by annotation(uses(Name(version = "..."))); or NULL */
static const char *wanted_version(const Front *f, const char *name)
{
    for (size_t t = f->nlibrary; t < f->tops.n; t++) {
        const ArgumentList *list = &f->tops.items[t]->class_->comment.annotation;
        for (size_t i = 0; i < list->n; i++) {
            const Argument *uses = list->items[i];
            if (uses->kind != AR_MODIFY || strcmp(uses->name->name, "uses") != 0 ||
                !uses->modification)
                continue;
            for (size_t k = 0; k < uses->modification->arguments.n; k++) {
                const Argument *a = uses->modification->arguments.items[k];
                if (a->kind == AR_MODIFY && a->name->name == name && a->modification)
                    return find_version(&a->modification->arguments);
            }
        }
    }
    return NULL;
}

static bool exists(const char *path)
{
    struct stat s;
    return path && stat(path, &s) == 0;
}

/* "Name 4.1.0" in a folder: the version that is wanted, else the highest; NULL: none */
static char *find_versioned(Front *f, const char *folder, const char *name, const char *wanted)
{
    DIR *dir = opendir(folder);
    char best[256] = "";
    size_t n = strlen(name);
    for (struct dirent *d; dir && (d = readdir(dir)) != NULL;) {
        if (strncmp(d->d_name, name, n) != 0 || d->d_name[n] != ' ')
            continue;
        bool exact = wanted && strcmp(d->d_name + n + 1, wanted) == 0;
        if (exact || !*best || strverscmp(d->d_name, best) > 0)
            snprintf(best, sizeof best, "%s", d->d_name);
        if (exact)
            break;
    }
    if (dir)
        closedir(dir);
    return *best ? join_path(f, folder, best) : NULL;
}

/* the folder or file of a top-level class in one library folder; NULL: it is not there */
static char *find_in_folder(Front *f, const char *folder, const char *name)
{
    const char *wanted = wanted_version(f, name), *slash = strrchr(folder, '/');
    char file[300];
    char *candidates[4] = {NULL};
    size_t n = 0;
    if (wanted && snprintf(file, sizeof file, "%s %s", name, wanted) < (int)sizeof file)
        candidates[n++] = join_path(f, folder, file);
    candidates[n++] = join_path(f, folder, name);
    snprintf(file, sizeof file, "%.200s.mo", name);
    candidates[n++] = join_path(f, folder, file);
    for (size_t i = 0; i < n; i++) {
        char *package = candidates[i] ? join_path(f, candidates[i], "package.mo") : NULL;
        if (exists(is_folder(candidates[i] ? candidates[i] : "") ? package : candidates[i]))
            return candidates[i];
    }
    /* the folder may be the package itself */
    if (strcmp(slash ? slash + 1 : folder, name) == 0) {
        char *package = join_path(f, folder, "package.mo");
        if (exists(package))
            return arena_text(&f->syntax, folder, strlen(folder));
    }
    char *versioned = find_versioned(f, folder, name, wanted);
    char *package = versioned ? join_path(f, versioned, "package.mo") : NULL;
    return exists(package) ? versioned : NULL;
}

static void check_version(Front *f, const Class *class_, const char *wanted)
{
    const char *have = find_version(&class_->comment.annotation);
    if (!wanted || !have || strcmp(wanted, have) == 0)
        return;
    Place place = span_place(class_->name_span);
    diag_add(f->diag, LIEDER_WARNING, &place, NULL,
             "the library '%s' has the version %s, but %s is asked for by uses\n"
             "name the folder of that version by --library",
             class_->name, have, wanted);
}

bool load_from_libraries(Front *f, const char *name)
{
    for (size_t i = 0; i < f->missing.n; i++)
        if (f->missing.items[i] == name)
            return false;
    const char *wanted = wanted_version(f, name);
    for (size_t i = 0; i < f->libraries.n; i++) {
        char *path = strchr(name, '/') ? NULL : find_in_folder(f, f->libraries.items[i], name);
        if (!path)
            continue;
        size_t before = f->tops.n;
        SyntaxFile *file = is_folder(path) ? NULL : parse_file(f, path);
        if (is_folder(path))
            load_folder(f, path);
        else if (file && file->classes.n == 1 && file->classes.items[0]->name == name)
            add_top(f, file->classes.items[0]);
        if (f->tops.n == before || f->tops.items[before]->class_->name != name)
            continue;
        check_version(f, f->tops.items[before]->class_, wanted);
        return true;
    }
    if (!vec_push(f->alloc, &f->missing, name))
        f->work.failed = true;
    return false;
}

const char *load_places(const Front *f, char *buffer, size_t size)
{
    size_t at = (size_t)snprintf(buffer, size,
                                 f->libraries.n
                                     ? "looked for it in"
                                     : "load the file that has it, name a folder of libraries by "
                                       "--library, or see lieder list for the library");
    for (size_t i = 0; i < f->libraries.n && at < size; i++)
        at +=
            (size_t)snprintf(buffer + at, size - at, "%s %s", i ? "," : "", f->libraries.items[i]);
    return buffer;
}

/* ------------------------------------------------------------------ all of it */

/* "Machines/package.mo" stands for its folder, as in other tools; any other path is itself */
static const char *path_of_package(Front *f, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (strcmp(slash ? slash + 1 : path, "package.mo") != 0)
        return path;
    const char *folder = slash ? intern_range(&f->names, path, (size_t)(slash - path)) : ".";
    return folder && *folder ? folder : path;
}

LiederStatus load_path(Front *f, const char *path)
{
    size_t before = f->diag->nerrors;
    struct stat s;
    f->last_loaded.n = 0;
    if (stat(path, &s) == 0)
        path = path_of_package(f, path);
    if (stat(path, &s) != 0) {
        diag_error(f->diag, NULL, path, "there is no such file: %s\nlook at its name",
                   strerror(errno));
        return LIEDER_IO;
    }
    if (S_ISDIR(s.st_mode)) {
        char *inside = join_path(f, path, "package.mo");
        if (!inside)
            return LIEDER_NO_MEMORY;
        if (stat(inside, &s) != 0) {
            diag_error(f->diag, NULL, path,
                       "the folder has no package.mo\nname a file, or a folder that is a package");
            return LIEDER_IO;
        }
        Class *package = load_folder(f, path);
        if (package)
            note_class(f, package);
        return status_since(f, before);
    }
    size_t length;
    char *text = read_file(f, path, &length);
    if (!text)
        return report_memory(f)   ? LIEDER_BAD_MODEL
               : f->syntax.failed ? LIEDER_NO_MEMORY
                                  : LIEDER_IO;
    return load_text(f, path, text, length);
}

bool load_resource(Front *f, const char *uri, char *path, size_t size)
{
    size_t n = strcspn(uri, "./");
    const char *rest = strchr(uri, '/');
    const char *name = rest ? intern_range(&f->names, uri, n) : NULL;
    Member *m = name ? inst_find(f->root, NULL, name) : NULL;
    const SyntaxFile *file = m && m->class_ ? m->class_->span.file : NULL;
    if (!file || !file->name)
        return false;
    const char *slash = strrchr(file->name, '/');
    int length = slash ? (int)(slash - file->name) : 1;
    return (size_t)snprintf(path, size, "%.*s%s", length, slash ? file->name : ".", rest) < size;
}
