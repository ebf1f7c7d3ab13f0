/* diagnose.c - what `lieder check` would say about a document as it stands in the editor.
 *
 * Text that does not parse is told where it does not. Else the last model of the text is built, and
 * what front end and engine report is told at its place; what they report without one stands where
 * the component is declared, or at the first line. A file of a package in a folder ("within P;") is
 * parsed alone: its other classes are not there. */
#include <stdlib.h>
#include <string.h>

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

typedef struct Writer {
    const Document *document;
    const Front *front;
    FILE *to;
    size_t n;
} Writer;

/* the place of a diagnostic in the document; the first line if it has none there */
static void put_place(const Writer *w, const LiederDiagnostic *g)
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

static void put_diagnostic(Writer *w, const LiederDiagnostic *g)
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

/* a folder of packages has other files that this one needs */
static bool stands_in_folder(const Document *d)
{
    for (size_t i = 0; i < d->scan.tokens.n; i++)
        if (d->scan.tokens.items[i].kind == TK_WITHIN)
            return d->scan.tokens.items[i + 1].kind == TK_IDENT;
    return false;
}

/* loads the text and builds its last model; what is wrong is in the session */
static void build(const LspServer *s, const Document *d, Lieder *session, Front *front)
{
    if (!s->options->prepare(s->options->user, front))
        return;
    front_set_alone(front, true);
    bool folder = stands_in_folder(d);
    if (front_load_text(front, d->path, d->text) != LIEDER_DONE || folder)
        return;
    const char *name = front_last_model(front), *model;
    if (name && front_instantiate(front, name, NULL, 0, NULL, &model) == LIEDER_DONE)
        lieder_system_destroy(lieder_system_create(session, model, NULL));
}

void diagnose(const LspServer *s, const Document *d, FILE *to)
{
    Lieder *session = lieder_create(NULL);
    Front *front = session ? front_create(session) : NULL;
    Writer w = {.document = d, .front = front, .to = to};
    fputc('[', to);
    if (front) {
        build(s, d, session, front);
        for (size_t i = 0; i < lieder_diagnostic_count(session); i++)
            put_diagnostic(&w, lieder_diagnostic_get(session, i));
        front_destroy(front);
    }
    fputc(']', to);
    if (session)
        lieder_destroy(session);
}
