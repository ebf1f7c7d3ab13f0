/* answer.c - requests about a document, each answered from what resolve.h finds at a token. */
#include "lsp/server.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "lsp/format.h"

/* ------------------------------------------------------------------ what all need */

/* whether a file of a library is open: then the editor's text counts */
static bool is_open(const LspServer *s, const Document *file)
{
    for (size_t i = 0; i < s->documents.n; i++)
        if (strcmp(s->documents.items[i].path, file->path) == 0)
            return true;
    return false;
}

/* what may be meant in a document: itself, the other open ones, libraries; without memory for the
 * list nothing is found */
static Texts texts_of(LspQuestion *q, const Document *d)
{
    static const Scan empty = {.text = ""};
    static const Scan *nothing[] = {&empty};
    const LspServer *s = q->server;
    Texts t = {.n = 1, .scans = nothing};
    const Scan **list =
        arena_zeroed(&q->arena, (1 + s->documents.n + s->library.n + s->files.n) * sizeof *list);
    if (!list)
        return t;
    t.scans = list;
    list[0] = &d->scan;
    for (size_t i = 0; i < s->documents.n; i++)
        if (&s->documents.items[i] != d)
            list[t.n++] = &s->documents.items[i].scan;
    for (size_t i = 0; i < s->library.n; i++)
        list[t.n++] = &s->library.items[i];
    for (size_t i = 0; i < s->files.n; i++)
        if (!is_open(s, &s->files.items[i]))
            list[t.n++] = &s->files.items[i].scan;
    return t;
}

static Texts all_texts(LspQuestion *q)
{
    return texts_of(q, q->document);
}

/* the open document where something is declared; NULL: it is in the library */
static const Document *document_of(const LspQuestion *q, Meaning y)
{
    for (size_t i = 0; i < q->server->documents.n; i++)
        if (y.kind && y.scan == &q->server->documents.items[i].scan)
            return &q->server->documents.items[i];
    return NULL;
}

static size_t asked_offset(const LspQuestion *q)
{
    return position_offset(q->document, json_tree_member(q->params, "position"));
}

/* the name under the cursor, or SCAN_NONE; between two tokens the left one counts */
static size_t asked_token(const LspQuestion *q)
{
    const Scan *s = &q->document->scan;
    size_t offset = asked_offset(q), i = scan_token_before(s, offset + 1);
    const Token *t = &s->tokens.items[i];
    if (t->kind == TK_IDENT && t->at <= offset && offset <= t->at + t->length)
        return i;
    if (i > 0 && t[-1].kind == TK_IDENT && t[-1].at + t[-1].length == offset)
        return i - 1;
    return SCAN_NONE;
}

static Meaning asked_meaning(const LspQuestion *q, const Texts *t)
{
    size_t token = asked_token(q);
    return token == SCAN_NONE ? (Meaning){0} : resolve_token(t, &q->document->scan, token);
}

static void put_token_text(FILE *to, const Scan *s, size_t i)
{
    fwrite(s->text + s->tokens.items[i].at, 1, s->tokens.items[i].length, to);
}

static void put_token_range(FILE *to, const Document *d, size_t i)
{
    const Token *t = &d->scan.tokens.items[i];
    put_range(to, d, t->at, t->at + t->length);
}

/* a description without its quotes */
static void put_description(FILE *to, const Scan *s, size_t token)
{
    const Token *t = &s->tokens.items[token];
    if (token && t->length >= 2)
        fwrite(s->text + t->at + 1, 1, t->length - 2, to);
}

/* ------------------------------------------------------------------ hover */

/* a declaration as it is written, from its prefixes to the semicolon */
static void put_declaration(FILE *to, Meaning y)
{
    const Scan *s = y.scan;
    const ScanComponent *c = &s->components.items[y.index];
    size_t type_end = scan_behind_name(s, c->type), i = c->name;
    if (c->parameter)
        fputs("parameter ", to);
    const Token *first = &s->tokens.items[c->type], *last = &s->tokens.items[type_end - 1];
    fwrite(s->text + first->at, 1, last->at + last->length - first->at, to);
    fputc(' ', to);
    while (s->tokens.items[i].kind != TK_SEMICOLON && s->tokens.items[i].kind != TK_END_OF_FILE &&
           s->tokens.items[i].at - s->tokens.items[c->name].at < 400)
        i++;
    size_t end = s->tokens.items[i - 1].at + s->tokens.items[i - 1].length;
    fwrite(s->text + s->tokens.items[c->name].at, 1, end - s->tokens.items[c->name].at, to);
    fputs(";\n", to);
}

/* the reference of a class: of the library as `lieder doc` prints it, of the text its head */
static void put_reference(const LspQuestion *q, FILE *to, Meaning class_)
{
    char name[600];
    const LspOptions *o = q->server->options;
    const ScanClass *c = &class_.scan->classes.items[class_.index];
    meaning_full_name(class_, name, sizeof name);
    if (!document_of(q, class_) &&
        o->reference(o->user, q->server->session, q->server->front, name, to))
        return;
    put_token_text(to, class_.scan, c->keyword);
    fprintf(to, " %s", name);
    if (c->text) {
        fputs(" \"", to);
        put_description(to, class_.scan, c->text);
        fputc('"', to);
    }
    fputc('\n', to);
}

bool answer_hover(LspQuestion *q)
{
    Texts texts = all_texts(q);
    Meaning y = asked_meaning(q, &texts), type = resolve_type(&texts, y);
    char *body = NULL;
    size_t n = 0;
    FILE *to = y.kind ? open_memstream(&body, &n) : NULL;
    if (!to) {
        fputs("null", q->to);
        return true;
    }
    if (y.kind == MEANS_COMPONENT) {
        fputs("```modelica\n", to);
        put_declaration(to, y);
        fputs("```\n", to);
    }
    if (type.kind == MEANS_CLASS) {
        fputs("```text\n", to);
        put_reference(q, to, type);
        fputs("```\n", to);
    }
    fclose(to);
    fputs("{\"contents\":{\"kind\":\"markdown\",\"value\":", q->to);
    json_string(q->to, body ? body : "");
    fputs("},\"range\":", q->to);
    put_token_range(q->to, q->document, asked_token(q));
    fputc('}', q->to);
    free(body);
    return true;
}

/* ------------------------------------------------------------------ completion */

enum {
    ITEM_FIELD = 5,
    ITEM_VARIABLE = 6,
    ITEM_CLASS = 7,
    ITEM_MODULE = 9,
    ITEM_PROPERTY = 10,
    ITEM_KEYWORD = 14
};

typedef struct Items {
    FILE *to;
    size_t n;
    bool components, classes; /* which members are offered */
    VEC(Meaning) packages;    /* that were put: many files may fill one */
} Items;

static bool is_put(const Items *items, Meaning y)
{
    for (size_t i = 0; i < items->packages.n; i++) {
        Meaning p = items->packages.items[i];
        if (scan_same(p.scan, meaning_token(p), y.scan, meaning_token(y)))
            return true;
    }
    return false;
}

static void put_word(Items *items, const char *word, int kind)
{
    fputs(items->n++ ? ",{\"label\":" : "{\"label\":", items->to);
    json_string(items->to, word);
    fprintf(items->to, ",\"kind\":%d}", kind);
}

/* name, kind and description of a class or component */
static bool put_item(void *user, Meaning y)
{
    Items *items = user;
    const Scan *s = y.scan;
    bool is_class = y.kind == MEANS_CLASS;
    if (is_class ? !items->classes : !items->components)
        return true;
    const ScanClass *c = is_class ? &s->classes.items[y.index] : NULL;
    const ScanComponent *v = is_class ? NULL : &s->components.items[y.index];
    bool package = is_class && s->tokens.items[c->keyword].kind == TK_PACKAGE;
    if (package && (is_put(items, y) || !vec_push(HEAP, &items->packages, y)))
        return true;
    const Token *t = &s->tokens.items[meaning_token(y)];
    char *text = strndup(s->text + t->at, t->length);
    int kind = !is_class ? v->parameter ? ITEM_PROPERTY : ITEM_FIELD
               : package ? ITEM_MODULE
                         : ITEM_CLASS;
    fputs(items->n++ ? ",{\"label\":" : "{\"label\":", items->to);
    json_string(items->to, text ? text : "");
    fprintf(items->to, ",\"kind\":%d", kind);
    free(text);
    size_t at = is_class ? c->text : v->text;
    if (at) {
        text = s->tokens.items[at].length >= 2
                   ? strndup(s->text + s->tokens.items[at].at + 1, s->tokens.items[at].length - 2)
                   : NULL;
        fputs(",\"detail\":", items->to);
        json_string(items->to, text ? text : "");
        free(text);
    }
    fputc('}', items->to);
    return true;
}

/* several files of the library fill the same package */
static bool is_repeated(const Texts *t, size_t text, size_t class_)
{
    const Scan *s = t->scans[text];
    for (size_t k = 0; k < text; k++)
        for (size_t i = 0; i < t->scans[k]->classes.n; i++)
            if (t->scans[k]->classes.items[i].parent == SCAN_NONE &&
                scan_same(t->scans[k], t->scans[k]->classes.items[i].name, s,
                          s->classes.items[class_].name))
                return true;
    return false;
}

/* classes at the top of all texts, and members of the classes around */
static void put_scope(Items *items, const LspQuestion *q, const Texts *t, size_t token)
{
    static const char *const words[] = {"parameter",  "equation", "connect", "der",     "extends",
                                        "annotation", "model",    "Real",    "Integer", "Boolean",
                                        "end",        "if",       "then",    "else",    "when",
                                        "for",        "loop",     "inner",   "outer"};
    const Scan *s = &q->document->scan;
    for (size_t c = scan_class_around(s, token); c != SCAN_NONE; c = s->classes.items[c].parent)
        resolve_members(t, (Meaning){MEANS_CLASS, s, c}, put_item, items);
    for (size_t k = 0; k < t->n; k++)
        for (size_t i = 0; i < t->scans[k]->classes.n; i++)
            if (t->scans[k]->classes.items[i].parent == SCAN_NONE && !is_repeated(t, k, i))
                put_item(items, (Meaning){MEANS_CLASS, t->scans[k], i});
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        put_word(items, words[i], ITEM_KEYWORD);
}

/* what may be said in the brackets of a Real */
static void put_attributes(Items *items)
{
    static const char *const words[] = {"start", "fixed",       "min",      "max",        "nominal",
                                        "unit",  "displayUnit", "quantity", "stateSelect"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        put_word(items, words[i], ITEM_PROPERTY);
}

bool answer_completion(LspQuestion *q)
{
    const Scan *s = &q->document->scan;
    Texts texts = all_texts(q);
    Items items = {.to = q->to, .components = true, .classes = true};
    size_t offset = asked_offset(q), last = offset ? scan_token_before(s, offset) : 0;
    const Token *t = &s->tokens.items[last];
    // the name that is being typed does not count; `next` is where it stands or would stand
    bool typing = offset > 0 && t->at < offset && offset <= t->at + t->length &&
                  (t->kind == TK_IDENT || token_is_keyword(t->kind));
    size_t next = typing ? last : last + 1;
    fputs("{\"isIncomplete\":false,\"items\":[", q->to);
    if (next > 0 && s->tokens.items[next - 1].kind == TK_STRING &&
        offset < s->tokens.items[next - 1].at + s->tokens.items[next - 1].length) {
        // inside a text
    } else if (next > 1 && s->tokens.items[next - 1].kind == TK_DOT) {
        size_t before = next - 2;
        while (before > 0 && s->tokens.items[before].kind == TK_RBRACKET) {
            while (before > 0 && s->tokens.items[before].kind != TK_LBRACKET)
                before--;
            before -= before > 0;
        }
        Meaning y = resolve_token(&texts, s, before);
        items.classes = y.kind == MEANS_CLASS;
        resolve_members(&texts, resolve_type(&texts, y), put_item, &items);
    } else {
        Meaning modified = resolve_modified(&texts, s, next);
        items.classes = modified.kind == MEANS_NOTHING;
        if (modified.kind == MEANS_CLASS)
            resolve_members(&texts, modified, put_item, &items);
        else if (modified.kind == MEANS_COMPONENT)
            put_attributes(&items);
        else
            put_scope(&items, q, &texts, last);
    }
    vec_drop(HEAP, &items.packages);
    fputs("]}", q->to);
    return true;
}

/* ------------------------------------------------------------------ definition, references */

static void put_location(FILE *to, const Document *d, size_t token)
{
    fputs("{\"uri\":", to);
    json_string(to, d->uri);
    fputs(",\"range\":", to);
    put_token_range(to, d, token);
    fputc('}', to);
}

bool answer_definition(LspQuestion *q)
{
    Texts texts = all_texts(q);
    Meaning y = asked_meaning(q, &texts);
    const Document *home = document_of(q, y);
    for (size_t i = 0; i < q->server->files.n && !home && y.kind; i++)
        if (y.scan == &q->server->files.items[i].scan)
            home = &q->server->files.items[i];
    if (home) // our own library is inside the program
        put_location(q->to, home, meaning_token(y));
    else
        fputs("null", q->to);
    return true;
}

/* the next token of a document from `at` on that means this, or SCAN_NONE */
static size_t next_use(const Document *d, const Texts *t, Meaning y, size_t at)
{
    for (; at < d->scan.tokens.n; at++)
        if (scan_same(&d->scan, at, y.scan, meaning_token(y)) &&
            meaning_equal(resolve_token(t, &d->scan, at), y))
            return at;
    return SCAN_NONE;
}

bool answer_references(LspQuestion *q)
{
    Texts texts = all_texts(q);
    Meaning y = asked_meaning(q, &texts);
    size_t n = 0;
    fputc('[', q->to);
    for (size_t k = 0; y.kind && k < q->server->documents.n; k++) {
        const Document *d = &q->server->documents.items[k];
        Texts own = texts_of(q, d);
        for (size_t i = 0; (i = next_use(d, &own, y, i)) != SCAN_NONE; i++) {
            fputs(n++ ? "," : "", q->to);
            put_location(q->to, d, i);
        }
    }
    fputc(']', q->to);
    return true;
}

/* ------------------------------------------------------------------ rename */

/* the changes of one document, if there are any; returns whether */
static bool put_edits(LspQuestion *q, const Document *d, Meaning y, const char *name, bool more)
{
    Texts own = texts_of(q, d);
    size_t n = 0;
    for (size_t i = 0; (i = next_use(d, &own, y, i)) != SCAN_NONE; i++) {
        if (n++ == 0) {
            fputs(more ? "," : "", q->to);
            json_string(q->to, d->uri);
        }
        fputs(n == 1 ? ":[{\"range\":" : ",{\"range\":", q->to);
        put_token_range(q->to, d, i);
        fputs(",\"newText\":", q->to);
        json_string(q->to, name);
        fputc('}', q->to);
    }
    fputs(n ? "]" : "", q->to);
    return n > 0;
}

static bool is_name(const char *text)
{
    Lexer lexer;
    lex_init(&lexer, text, (uint32_t)strlen(text));
    Token t = lex_next(&lexer);
    return t.kind == TK_IDENT && t.length == strlen(text);
}

typedef struct Taken {
    const char *name;
    bool found;
} Taken;

static bool is_taken(void *user, Meaning member)
{
    Taken *t = user;
    t->found = t->found || scan_is(member.scan, meaning_token(member), t->name);
    return !t->found;
}

/* A component or class of an open document. The class where it stands must not have the new name.
 */
bool answer_rename(LspQuestion *q)
{
    Texts texts = all_texts(q);
    Meaning y = asked_meaning(q, &texts);
    const char *name = json_tree_text(json_tree_member(q->params, "newName"));
    Taken taken = {.name = name};
    if (!document_of(q, y)) {
        snprintf(q->error, sizeof q->error, "%s",
                 y.kind ? "this name belongs to the library"
                        : "there is no component or class here");
        return false;
    }
    if (!is_name(name)) {
        snprintf(q->error, sizeof q->error, "\"%.100s\" is no name in Modelica", name);
        return false;
    }
    size_t home = y.kind == MEANS_CLASS ? y.scan->classes.items[y.index].parent
                                        : y.scan->components.items[y.index].class_;
    if (home != SCAN_NONE)
        resolve_members(&texts, (Meaning){MEANS_CLASS, y.scan, home}, is_taken, &taken);
    if (taken.found) {
        snprintf(q->error, sizeof q->error, "there is a %.100s already", name);
        return false;
    }
    bool more = false;
    fputs("{\"changes\":{", q->to);
    for (size_t k = 0; k < q->server->documents.n; k++)
        more |= put_edits(q, &q->server->documents.items[k], y, name, more);
    fputs("}}", q->to);
    return true;
}

/* ------------------------------------------------------------------ symbols */

enum { SYMBOL_KIND_CLASS = 5, SYMBOL_KIND_PROPERTY = 7, SYMBOL_KIND_FIELD = 8 };

/* one entry of the outline, without its end */
static void put_entry(LspQuestion *q, size_t *n, size_t name, size_t first, size_t last, int kind)
{
    const Scan *s = &q->document->scan;
    const Token *t = &s->tokens.items[name], *a = &s->tokens.items[first],
                *b = &s->tokens.items[last];
    char *text = strndup(s->text + t->at, t->length);
    fputs((*n)++ ? ",{\"name\":" : "{\"name\":", q->to);
    json_string(q->to, text ? text : "");
    free(text);
    fprintf(q->to, ",\"kind\":%d,\"range\":", kind);
    put_range(q->to, q->document, a->at, b->at + b->length);
    fputs(",\"selectionRange\":", q->to);
    put_token_range(q->to, q->document, name);
}

/* what a class declares, for the outline of a document */
static void put_inside(LspQuestion *q, size_t class_, int depth)
{
    const Scan *s = &q->document->scan;
    size_t n = 0;
    for (size_t i = 0; i < s->components.n; i++) {
        const ScanComponent *c = &s->components.items[i];
        if (c->class_ != class_)
            continue;
        put_entry(q, &n, c->name, c->name, c->name,
                  c->parameter ? SYMBOL_KIND_PROPERTY : SYMBOL_KIND_FIELD);
        fputc('}', q->to);
    }
    for (size_t i = 0; i < s->classes.n && depth < 50; i++) {
        const ScanClass *c = &s->classes.items[i];
        if (c->parent != class_)
            continue;
        put_entry(q, &n, c->name, c->first, c->last, SYMBOL_KIND_CLASS);
        fputs(",\"children\":[", q->to);
        put_inside(q, i, depth + 1);
        fputs("]}", q->to);
    }
}

bool answer_symbols(LspQuestion *q)
{
    fputc('[', q->to);
    put_inside(q, SCAN_NONE, 0);
    fputc(']', q->to);
    return true;
}

/* ------------------------------------------------------------------ formatting */

/* one change of the whole text, or none */
bool answer_formatting(LspQuestion *q)
{
    const Document *d = q->document;
    char *text = NULL;
    size_t n = 0;
    double tab = json_tree_number(json_tree_path(q->params, "options.tabSize"), 4);
    FILE *to = open_memstream(&text, &n);
    if (to)
        format_text(&d->scan, d->length, tab >= 1 && tab <= 16 ? (size_t)tab : 4, to);
    if (!to || fclose(to) != 0) {
        snprintf(q->error, sizeof q->error, "out of memory");
        free(text);
        return false;
    }
    fputc('[', q->to);
    if (n != d->length || memcmp(text, d->text, n) != 0) {
        fputs("{\"range\":", q->to);
        put_range(q->to, d, 0, d->length);
        fputs(",\"newText\":", q->to);
        json_string(q->to, text);
        fputc('}', q->to);
    }
    fputc(']', q->to);
    free(text);
    return true;
}
