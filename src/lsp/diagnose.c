/* diagnose.c - what `lieder check` would say about a document as it stands in the editor.
 *
 * Text that does not parse is reported where it does not. Else the last model of the text is built,
 * and what front end and engine report stands at its place; what they report without one stands
 * where the component is declared, or at the first line. Of a file in the folder of a package
 * ("within P;") the model is built in its package; other files are read, or taken from the editor.
 * Classes that cannot be simulated are parsed. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "lsp/server.h"

/* byte offset of a column in characters, both from 1, in a line from 1 */
static size_t place_offset(const Document *d, int line, int column)
{
    size_t at = 0;
    for (; line > 1 && at < d->length; at++)
        line -= d->text[at] == '\n';
    while (column > 1 && at < d->length && d->text[at] != '\n') {
        do
            at++;
        while (at < d->length && ((unsigned char)d->text[at] & 0xc0) == 0x80);
        column--;
    }
    return at;
}

typedef struct DiagnosticsWriter {
    const Document *document;
    const Front *front;
    FILE *to;
    size_t n;
} DiagnosticsWriter;

/* the place of a diagnostic in the document; the first line if it has none there */
static void put_place(const DiagnosticsWriter *w, const LiederDiagnostic *g)
{
    const Document *d = w->document;
    int line = g->file && strcmp(g->file, d->path) == 0 ? g->line : 0;
    int column = g->column, length = g->length;
    Place place;
    if (!line && g->path && front_place(w->front, g->path, &place) && place.file &&
        strcmp(place.file, d->path) == 0) {
        line = place.line;
        column = place.column;
        length = place.length;
    }
    size_t begin = line ? place_offset(d, line, column) : 0;
    size_t end =
        line ? place_offset(d, line, column + (length > 0 ? length : 1)) : strcspn(d->text, "\n");
    put_range(w->to, d, begin, end);
}

/* a diagnostic as JSON, with its advice in the text */
static void put_diagnostic(DiagnosticsWriter *w, const LiederDiagnostic *g)
{
    char *text = NULL;
    size_t n = 0;
    FILE *all = open_memstream(&text, &n);
    if (!all)
        return;
    bool elsewhere = g->file && strcmp(g->file, w->document->path) != 0;
    if (elsewhere)
        fprintf(all, "%s:%d: ", g->file, g->line);
    fprintf(all, "%s%s%s", g->path ? g->path : "", g->path ? ": " : "", g->message);
    if (g->nelement)
        fprintf(all, " (and %zu more element%s likewise)", g->nelement,
                g->nelement == 1 ? "" : "s");
    if (g->advice)
        fprintf(all, "\n%s", g->advice);
    fclose(all);
    fputs(w->n++ ? ",{\"range\":" : "{\"range\":", w->to);
    put_place(w, g);
    fprintf(w->to, ",\"severity\":%d,\"source\":\"lieder\",\"message\":",
            g->severity == LIEDER_ERROR ? 1 : 2);
    json_string(w->to, text);
    fputc('}', w->to);
    free(text);
}

/* ------------------------------------------------------------------ files of a package */

/* the token `within` if a name follows, or SCAN_NONE: then other files belong to this one */
static size_t find_within(const Scan *s)
{
    for (size_t i = 0; i < s->tokens.n; i++)
        if (s->tokens.items[i].kind == TK_WITHIN)
            return s->tokens.items[i + 1].kind == TK_IDENT ? i : SCAN_NONE;
    return SCAN_NONE;
}

/* the first class of a file, if it can be simulated */
static const ScanClass *find_model(const Scan *s)
{
    const ScanClass *c = s->classes.n ? &s->classes.items[0] : NULL;
    if (!c || (s->tokens.items[c->keyword].kind != TK_MODEL &&
               s->tokens.items[c->keyword].kind != TK_BLOCK))
        return NULL;
    for (size_t i = c->first; i < c->keyword; i++)
        if (s->tokens.items[i].kind == TK_PARTIAL)
            return NULL;
    return c;
}

/* the outermost folder above a file that is a package; false: not even its own is */
static bool find_root(const char *path, char *root, size_t size)
{
    char folder[4096], file[4200];
    bool found = false;
    snprintf(folder, sizeof folder, "%s", path);
    for (char *end; (end = strrchr(folder, '/')) && end > folder;) {
        *end = '\0';
        snprintf(file, sizeof file, "%s/package.mo", folder);
        if (access(file, R_OK) != 0)
            return found;
        snprintf(root, size, "%s", folder);
        found = true;
    }
    return found;
}

/* what the editor has of a file */
static const char *unsaved_text(void *user, const char *path)
{
    const LspServer *s = user;
    for (size_t i = 0; i < s->documents.n; i++)
        if (strcmp(s->documents.items[i].path, path) == 0)
            return s->documents.items[i].text;
    return NULL;
}

/* the text without its within clause, for its syntax alone */
static void load_alone(const Document *d, Front *front, size_t within)
{
    char *copy = strdup(d->text);
    size_t end = within;
    while (d->scan.tokens.items[end].kind != TK_SEMICOLON &&
           d->scan.tokens.items[end].kind != TK_END_OF_FILE)
        end++;
    const Token *first = &d->scan.tokens.items[within], *last = &d->scan.tokens.items[end];
    if (copy) {
        memset(copy + first->at, ' ', last->at + last->length - first->at);
        front_load_text(front, d->path, copy);
    }
    free(copy);
}

/* the model of a file in its package, whose other files are read, or taken from the editor */
static void build_in_package(const LspServer *s, const Document *d, Lieder *session, Front *front,
                             size_t within)
{
    const Scan *scan = &d->scan;
    const ScanClass *c = find_model(scan);
    char root[4096], name[1024];
    const char *model;
    if (!c || !find_root(d->path, root, sizeof root)) {
        load_alone(d, front, within);
        return;
    }
    const Token *first = &scan->tokens.items[within + 1], *own = &scan->tokens.items[c->name];
    const Token *last = &scan->tokens.items[scan_behind_name(scan, within + 1) - 1];
    snprintf(name, sizeof name, "%.*s.%.*s", (int)(last->at + last->length - first->at),
             d->text + first->at, (int)own->length, d->text + own->at);
    front_set_text(front, unsaved_text, (void *)s);
    if (front_load(front, root) == LIEDER_DONE &&
        front_instantiate(front, name, NULL, 0, NULL, &model) == LIEDER_DONE)
        lieder_system_destroy(lieder_system_create(session, model, NULL));
}

/* ------------------------------------------------------------------ all of it */

/* loads the text and builds its last model; what is wrong is in the session */
static void build_text(const LspServer *s, const Document *d, Lieder *session, Front *front)
{
    if (!s->options->prepare(s->options->user, front))
        return;
    front_set_alone(front, true);
    size_t within = find_within(&d->scan);
    if (within != SCAN_NONE) {
        build_in_package(s, d, session, front, within);
        return;
    }
    if (front_load_text(front, d->path, d->text) != LIEDER_DONE)
        return;
    const char *name = front_last_model(front), *model;
    if (name && front_instantiate(front, name, NULL, 0, NULL, &model) == LIEDER_DONE)
        lieder_system_destroy(lieder_system_create(session, model, NULL));
}

void diagnose(const LspServer *s, const Document *d, FILE *to)
{
    Lieder *session = lieder_create(NULL);
    Front *front = session ? front_create(session) : NULL;
    DiagnosticsWriter w = {.document = d, .front = front, .to = to};
    fputc('[', to);
    if (front) {
        build_text(s, d, session, front);
        for (size_t i = 0; i < lieder_diagnostic_count(session); i++)
            if (!lieder_diagnostic_get(session, i)->counted)
                put_diagnostic(&w, lieder_diagnostic_get(session, i));
        front_destroy(front);
    }
    fputc(']', to);
    if (session)
        lieder_destroy(session);
}
