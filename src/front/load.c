/* load.c - see load.h.
 *
 * A folder with package.mo is a package: its other files and the folders with a package.mo inside
 * it are its classes, in the order of package.order where that says so, by name otherwise. A file
 * that says "within A.B" goes into that package; one that says nothing goes to the top.
 */
#include "front/load.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "front/parse.h"

enum { MAX_FOLDERS = 40, MAX_FILE = 1 << 30 };

/* ------------------------------------------------------------------ places in the tree */

static Element *class_element(Front *f, Class *class_)
{
    Element *e = arena_zeroed(&f->syntax, sizeof *e);
    if (e)
        *e = (Element){.kind = EL_CLASS, .spot = class_->spot, .class_ = class_};
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

static void add_top(Front *f, Class *class_)
{
    Class *known = find_top(f, class_->name);
    if (known) {
        Place place = spot_place(class_->name_spot);
        diag_error(f->diag, &place, NULL,
                   "a class '%s' exists already, in %s\nrename one of the two", class_->name,
                   known->spot.file == f->library ? "the library" : known->spot.file->name);
        return;
    }
    Element *e = class_element(f, class_);
    if (!e || !vec_push(f->alloc, &f->tops, e))
        f->syntax.failed = true;
}

static void add_inside(Front *f, Class *package, Class *class_)
{
    if (find_inside(package, class_->name)) {
        Place place = spot_place(class_->name_spot);
        diag_error(f->diag, &place, NULL,
                   "package '%s' has a class '%s' already\nrename one of the two", package->name,
                   class_->name);
        return;
    }
    Element *e = class_element(f, class_);
    Element **items = arena_zeroed(&f->syntax, (package->elements.n + 1) * sizeof *items);
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
        if (!next || next->spot.file == f->library) {
            Place place = spot_place(r->spot);
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

/* the last model among the classes of a package, as far inside as need be */
static const Class *last_model(const Class *class_, int depth)
{
    if (is_model(class_))
        return class_;
    if (class_->kind != CLASS_PACKAGE || depth > MAX_FOLDERS)
        return NULL;
    for (size_t i = class_->elements.n; i-- > 0;) {
        const Element *e = class_->elements.items[i];
        const Class *found = e->kind == EL_CLASS ? last_model(e->class_, depth + 1) : NULL;
        if (found)
            return found;
    }
    return NULL;
}

static void note_model(Front *f, const Class *class_)
{
    const Class *model = last_model(class_, 0);
    if (!model)
        return;
    const Class *chain[SYNTAX_DEPTH];
    size_t n = 0;
    for (; model && n < SYNTAX_DEPTH; model = model->parent)
        chain[n++] = model;
    TextBuffer name = {0};
    bool ok = true;
    while (n-- > 0 && ok)
        ok = text_add(f->alloc, &name, "%s%s", chain[n]->name, n ? "." : "");
    f->last_model = ok ? intern(f, name.items) : NULL;
    f->syntax.failed |= !ok;
    vec_drop(f->alloc, &name);
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
    if (f->syntax.failed || f->work.failed || f->diag->no_memory)
        return LIEDER_NO_MEMORY;
    return f->diag->nerrors > nerrors ? LIEDER_BAD_MODEL : LIEDER_DONE;
}

LiederStatus load_text(Front *f, const char *name, const char *text, size_t length)
{
    size_t before = f->diag->nerrors;
    f->last_model = NULL;
    SyntaxFile *file = parse(f, name, text, length);
    if (!file || file->nerrors)
        return status_since(f, before);
    Class *package = file->within ? find_within(f, file->within) : NULL;
    for (size_t i = 0; i < file->classes.n; i++) {
        if (file->within && package)
            add_inside(f, package, file->classes.items[i]);
        else if (!file->within)
            add_top(f, file->classes.items[i]);
        note_model(f, file->classes.items[i]);
    }
    if (file->classes.n == 0) {
        Place place = {.file = file->name, .line = 1, .column = 1, .length = 1};
        diag_error(f->diag, &place, NULL,
                   "the file has no class\nwrite a model: model M ... end M;");
    }
    return status_since(f, before);
}

/* ------------------------------------------------------------------ files and folders */

/* the whole file; NULL with a diagnostic */
static char *read_file(Front *f, const char *path, size_t *length)
{
    FILE *in = fopen(path, "rb");
    TextBuffer text = {0};
    bool ok = in != NULL;
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
    if (!in || ferror(in) || text.n > MAX_FILE) {
        diag_error(f->diag, NULL, path,
                   "the file cannot be read: %s\nlook at its name and its rights",
                   text.n > MAX_FILE ? "it is too big" : strerror(errno));
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
    return file && !file->nerrors ? file : NULL;
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
typedef struct Entry {
    char *name;
    size_t rank;
} Entry;

static int compare_entries(const void *a, const void *b)
{
    const Entry *x = a, *y = b;
    return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank)
                              : strcmp(x->name, y->name);
}

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

static Class *load_folder(Front *f, const char *path, Class *around, int depth);

static void load_entry(Front *f, const char *folder, const char *name, Class *package, int depth)
{
    char *path = join_path(f, folder, name);
    if (!path)
        return;
    if (is_folder(path)) {
        char *inside = join_path(f, path, "package.mo");
        struct stat s;
        if (inside && stat(inside, &s) == 0)
            load_folder(f, path, package, depth + 1);
        return;
    }
    SyntaxFile *file = parse_file(f, path);
    for (size_t i = 0; file && i < file->classes.n; i++)
        add_inside(f, package, file->classes.items[i]);
}

/* all entries of a folder in the order of its package.order */
static void load_entries(Front *f, const char *path, Class *package, int depth)
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
    VEC(Entry) entries = {0};
    for (struct dirent *d; (d = readdir(folder)) != NULL;) {
        size_t n = strlen(d->d_name);
        bool is_text =
            n > 3 && strcmp(d->d_name + n - 3, ".mo") == 0 && strcmp(d->d_name, "package.mo") != 0;
        if (d->d_name[0] == '.' || (!is_text && strchr(d->d_name, '.')))
            continue;
        char *name = arena_text(&f->syntax, d->d_name, n);
        if (!name || !vec_push(f->alloc, &entries, (Entry){name, rank_in(order, name)}))
            f->syntax.failed = true;
    }
    closedir(folder);
    if (entries.n)
        qsort(entries.items, entries.n, sizeof *entries.items, compare_entries);
    for (size_t i = 0; i < entries.n && !f->syntax.failed; i++)
        load_entry(f, path, entries.items[i].name, package, depth);
    vec_drop(f->alloc, &entries);
}

static Class *load_folder(Front *f, const char *path, Class *around, int depth)
{
    if (depth > MAX_FOLDERS) {
        diag_error(f->diag, NULL, path,
                   "folders are nested more than %d deep\ndoes a link lead back?", MAX_FOLDERS);
        return NULL;
    }
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
    Class *package = file->classes.items[0];
    if (around)
        add_inside(f, around, package);
    else
        add_top(f, package);
    load_entries(f, path, package, depth);
    return package;
}

LiederStatus load_path(Front *f, const char *path)
{
    size_t before = f->diag->nerrors;
    struct stat s;
    f->last_model = NULL;
    if (stat(path, &s) != 0) {
        diag_error(f->diag, NULL, path, "there is no such file: %s\nlook at its name",
                   strerror(errno));
        return LIEDER_IO;
    }
    if (S_ISDIR(s.st_mode)) {
        char *inside = join_path(f, path, "package.mo");
        if (!inside || stat(inside, &s) != 0) {
            diag_error(f->diag, NULL, path,
                       "the folder has no package.mo\nname a file, or a folder that is a package");
            return LIEDER_IO;
        }
        Class *package = load_folder(f, path, NULL, 0);
        if (package)
            note_model(f, package);
        return status_since(f, before);
    }
    size_t length;
    char *text = read_file(f, path, &length);
    if (!text)
        return f->syntax.failed ? LIEDER_NO_MEMORY : LIEDER_IO;
    return load_text(f, path, text, length);
}
