/* library.c - packages of --library folders: names that no open document has.
 *
 * The folders are listed when the server starts; a package is read, all files of it, when a
 * document first has its name. The text of a file is scanned as if it stood where the folders say:
 *
 *   the file    Modelica/Blocks/Math.mo
 *   is read as  package Modelica package Blocks within Modelica.Blocks; package Math ...
 *
 * The packages that are put before it stand on its first line and are not counted as columns. */
#include "lsp/server.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"

enum { MAX_BYTES = 100 << 20, MAX_DEPTH = 16 };

/* ------------------------------------------------------------------ folders */

static bool is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* "Modelica" of "/lib/Modelica 4.1.0" and of "/lib/Modelica.mo"; NULL: no memory */
static char *package_name(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t n = strcspn(name, " ");
    if (text_ends(name, ".mo") && n == strlen(name))
        n -= 3;
    return strndup(name, n);
}

/* a file or folder that may be a package of a library */
static void add_package(LspServer *s, const char *path)
{
    char inside[4200];
    snprintf(inside, sizeof inside, "%s/package.mo", path);
    if (!is_file(inside) && !(text_ends(path, ".mo") && is_file(path)))
        return;
    LspPackage p = {.name = package_name(path), .path = strdup(path)};
    if (!p.name || !p.path || !vec_push(HEAP, &s->packages, p)) {
        free(p.name);
        free(p.path);
    }
}

void library_list(LspServer *s)
{
    char folder[4000], path[4400];
    const LspOptions *o = s->options;
    for (size_t i = 0; o->folder && o->folder(o->user, i, folder, sizeof folder); i++) {
        snprintf(path, sizeof path, "%s/package.mo", folder);
        DIR *d = is_file(path) ? NULL : opendir(folder);
        if (is_file(path))
            add_package(s, folder);
        for (struct dirent *e; d && (e = readdir(d));) {
            snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
            if (e->d_name[0] != '.')
                add_package(s, path);
        }
        if (d)
            closedir(d);
    }
}

/* ------------------------------------------------------------------ files */

/* file:///a%20b.mo of /a b.mo; NULL: no memory */
static char *uri_of(const char *path)
{
    char *uri = malloc(8 + 3 * strlen(path)), *to = uri;
    if (!uri)
        return NULL;
    to += sprintf(to, "file://");
    for (const unsigned char *c = (const unsigned char *)path; *c; c++)
        to += sprintf(to, isalnum(*c) || strchr("-._~/", *c) ? "%c" : "%%%02X", *c);
    return uri;
}

/* a file as a document that nobody has opened */
static void read_one(LspServer *s, const char *before, const char *path)
{
    FILE *f = fopen(path, "r");
    struct stat st;
    size_t n = strlen(before);
    if (!f)
        return;
    bool fits = fstat(fileno(f), &st) == 0 && s->nbyte + (size_t)st.st_size < MAX_BYTES;
    Document d = {.prefix = n, .path = strdup(path), .uri = uri_of(path)};
    size_t room = n + (fits ? (size_t)st.st_size : 0);
    d.text = fits ? malloc(room + 1) : NULL;
    if (d.text && d.uri && d.path) {
        memcpy(d.text, before, n);
        d.length = n + fread(d.text + n, 1, room - n, f);
        d.text[d.length] = '\0';
        s->nbyte += d.length;
    }
    fclose(f);
    if (!d.text || !d.uri || !d.path || !scan_text(&d.scan, d.text, d.length) ||
        !vec_push(HEAP, &s->files, d))
        document_drop(&d);
}

/* a package as a folder: package.mo, then its files and folders */
static void read_folder(LspServer *s, const char *before, const char *path, int depth)
{
    char inside[4800], packages[1200];
    snprintf(inside, sizeof inside, "%s/package.mo", path);
    if (depth == MAX_DEPTH || !is_file(inside))
        return;
    read_one(s, before, inside);
    char *name = package_name(path);
    snprintf(packages, sizeof packages, "%spackage %s ", before, name ? name : "");
    free(name);
    struct dirent **entries;
    int n = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        const char *entry = entries[i]->d_name;
        snprintf(inside, sizeof inside, "%s/%s", path, entry);
        if (entry[0] != '.' && strcmp(entry, "package.mo") != 0) {
            if (text_ends(entry, ".mo"))
                read_one(s, packages, inside);
            else
                read_folder(s, packages, inside, depth + 1);
        }
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
}

static void read_package(LspServer *s, LspPackage *p)
{
    p->read = true;
    if (text_ends(p->path, ".mo"))
        read_one(s, "", p->path);
    else
        read_folder(s, "", p->path, 0);
}

void library_read_named(LspServer *s, const Scan *scan)
{
    for (size_t i = 0; i + 1 < scan->tokens.n; i++)
        for (size_t k = 0; k < s->packages.n && scan->tokens.items[i].kind == TK_IDENT; k++)
            if (!s->packages.items[k].read && scan_is(scan, i, s->packages.items[k].name))
                read_package(s, &s->packages.items[k]);
}

void library_drop(LspServer *s)
{
    for (size_t i = 0; i < s->packages.n; i++) {
        free(s->packages.items[i].name);
        free(s->packages.items[i].path);
    }
    for (size_t i = 0; i < s->files.n; i++)
        document_drop(&s->files.items[i]);
    vec_drop(HEAP, &s->packages);
    vec_drop(HEAP, &s->files);
}
