/* server.c - JSON-RPC over two descriptors: "Content-Length: N", an empty line, N bytes of JSON.
 *
 * One thread. Documents come whole with every change (textDocumentSync 1). Diagnostics are for
 * those who type: they are computed when no further message is waiting, so that a fast typist does
 * not queue them up. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "lsp/server.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "library/texts.h"

enum {
    MAX_MESSAGE = 64 << 20,
    PARSE_ERROR = -32700,
    BAD_REQUEST = -32600,
    NO_METHOD = -32601,
    BAD_PARAMS = -32602,
    NOT_READY = -32002,
    FAILED = -32803
};

/* ------------------------------------------------------------------ out */

/* frames and writes what a stream has gathered, and frees it */
static void send_message(LspServer *s, FILE *stream, char **body, size_t *n)
{
    char head[64];
    if (fclose(stream) == 0 && *body) {
        int length = snprintf(head, sizeof head, "Content-Length: %zu\r\n\r\n", *n);
        struct {
            const char *at;
            size_t n;
        } parts[2] = {{head, (size_t)length}, {*body, *n}};
        for (int k = 0; k < 2; k++)
            while (parts[k].n > 0) {
                ssize_t done = write(s->out, parts[k].at, parts[k].n);
                if (done < 0 && errno == EINTR)
                    continue;
                if (done <= 0) {
                    s->over = true;
                    break;
                }
                parts[k].at += done;
                parts[k].n -= (size_t)done;
            }
    }
    free(*body);
}

static void put_id(FILE *to, const JsonValue *id)
{
    if (id && id->kind == JSON_TEXT)
        json_string(to, id->text);
    else if (id && id->kind == JSON_NUMBER)
        fprintf(to, "%.17g", id->number);
    else
        fputs("null", to);
}

/* an answer to a request up to what follows its id; NULL: no memory */
static FILE *begin_answer(const JsonValue *id, char **body, size_t *n)
{
    FILE *to = open_memstream(body, n);
    if (!to)
        return NULL;
    fputs("{\"jsonrpc\":\"2.0\",\"id\":", to);
    put_id(to, id);
    return to;
}

static void send_error(LspServer *s, const JsonValue *id, int code, const char *message)
{
    char *body = NULL;
    size_t n = 0;
    FILE *to = begin_answer(id, &body, &n);
    if (!to)
        return;
    fprintf(to, ",\"error\":{\"code\":%d,\"message\":", code);
    json_string(to, message);
    fputs("}}", to);
    send_message(s, to, &body, &n);
}

static void send_result(LspServer *s, const JsonValue *id, const char *json)
{
    char *body = NULL;
    size_t n = 0;
    FILE *to = begin_answer(id, &body, &n);
    if (!to)
        return;
    fprintf(to, ",\"result\":%s}", json);
    send_message(s, to, &body, &n);
}

/* ------------------------------------------------------------------ positions */

/* bytes of the character at s, and its UTF-16 units */
static size_t character(const char *s, size_t left, size_t *units)
{
    unsigned char c = (unsigned char)*s;
    size_t n = c < 0xc0 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
    *units = n == 4 ? 2 : 1;
    return n < left ? n : left;
}

size_t position_offset(const Document *d, const JsonValue *position)
{
    double line = json_tree_number(json_tree_member(position, "line"), 0);
    double column = json_tree_number(json_tree_member(position, "character"), 0);
    size_t at = 0, units;
    for (; line >= 1 && at < d->length; at++)
        line -= d->text[at] == '\n';
    while (column >= 1 && at < d->length && d->text[at] != '\n') {
        at += character(d->text + at, d->length - at, &units);
        column -= (double)units;
    }
    return at;
}

/* the line and the UTF-16 unit in it of a place */
static void write_position(FILE *to, const Document *d, size_t offset)
{
    size_t line = 0, begin = 0, column = 0, units;
    for (size_t i = 0; i < offset && i < d->length; i++)
        if (d->text[i] == '\n') {
            line++;
            begin = i + 1;
        }
    while (begin < offset && begin < d->length) {
        begin += character(d->text + begin, d->length - begin, &units);
        column += units;
    }
    if (line == 0)
        column -= column < d->prefix ? column : d->prefix;
    fprintf(to, "{\"line\":%zu,\"character\":%zu}", line, column);
}

void put_range(FILE *to, const Document *d, size_t begin, size_t end)
{
    fputs("{\"start\":", to);
    write_position(to, d, begin);
    fputs(",\"end\":", to);
    write_position(to, d, end);
    fputc('}', to);
}

/* ------------------------------------------------------------------ documents */

static Document *find_document(LspServer *s, const char *uri)
{
    for (size_t i = 0; i < s->documents.n; i++)
        if (strcmp(s->documents.items[i].uri, uri) == 0)
            return &s->documents.items[i];
    return NULL;
}

/* file:///a%20b.mo is /a b.mo */
static char *path_of(const char *uri)
{
    char *path = strdup(strncmp(uri, "file://", 7) == 0 ? uri + 7 : uri), *to = path;
    if (!path)
        return NULL;
    for (const char *c = path; *c; c++) {
        unsigned byte;
        if (*c == '%' && c[1] && c[2] && sscanf(c + 1, "%2x", &byte) == 1 && byte) {
            *to++ = (char)byte;
            c += 2;
        } else {
            *to++ = *c;
        }
    }
    *to = '\0';
    return path;
}

void document_drop(Document *d)
{
    scan_drop(&d->scan);
    free(d->uri);
    free(d->path);
    free(d->text);
}

/* the text of a document from now on */
static void set_text(LspServer *s, Document *d, const char *text)
{
    char *copy = strdup(text);
    if (!copy)
        return;
    scan_drop(&d->scan);
    free(d->text);
    d->text = copy;
    d->length = strlen(copy);
    d->changed = true;
    if (scan_text(&d->scan, d->text, d->length))
        library_read_named(s, &d->scan);
}

/* an editor shows a file: its text is the document's from now on */
static void open_document(LspServer *s, const JsonValue *params)
{
    const char *uri = json_tree_text(json_tree_path(params, "textDocument.uri"));
    Document *d = find_document(s, uri);
    if (!d && vec_push(HEAP, &s->documents, (Document){0})) {
        d = &s->documents.items[s->documents.n - 1];
        d->uri = strdup(uri);
        d->path = path_of(uri);
        if (!d->uri || !d->path) {
            document_drop(d);
            s->documents.n--;
            return;
        }
    }
    if (d)
        set_text(s, d, json_tree_text(json_tree_path(params, "textDocument.text")));
}

static void change_document(LspServer *s, const JsonValue *params)
{
    Document *d = find_document(s, json_tree_text(json_tree_path(params, "textDocument.uri")));
    const JsonValue *changes = json_tree_member(params, "contentChanges");
    for (const JsonValue *c = changes ? changes->first : NULL; c && d; c = c->next)
        if (json_tree_member(c, "text") && !json_tree_member(c, "range"))
            set_text(s, d, json_tree_text(json_tree_member(c, "text")));
}

/* the diagnostics of a document; none for one that was closed */
static void publish(LspServer *s, const Document *d, bool closed)
{
    char *body = NULL;
    size_t n = 0;
    FILE *to = open_memstream(&body, &n);
    if (!to)
        return;
    fputs(
        "{\"jsonrpc\":\"2.0\",\"method\":\"textDocument/publishDiagnostics\",\"params\":{\"uri\":",
        to);
    json_string(to, d->uri);
    fputs(",\"diagnostics\":", to);
    if (closed)
        fputs("[]", to);
    else
        diagnose(s, d, to);
    fputs("}}", to);
    send_message(s, to, &body, &n);
}

static void close_document(LspServer *s, const JsonValue *params)
{
    Document *d = find_document(s, json_tree_text(json_tree_path(params, "textDocument.uri")));
    if (!d)
        return;
    publish(s, d, true);
    document_drop(d);
    *d = s->documents.items[--s->documents.n];
}

static void diagnose_again(LspServer *s)
{
    for (size_t i = 0; i < s->documents.n; i++)
        s->documents.items[i].changed = true;
}

static void publish_changed(LspServer *s)
{
    for (size_t i = 0; i < s->documents.n; i++)
        if (s->documents.items[i].changed) {
            s->documents.items[i].changed = false;
            publish(s, &s->documents.items[i], false);
        }
}

/* ------------------------------------------------------------------ requests */

static const struct {
    const char *method;
    bool (*answer)(LspQuestion *);
} answers[] = {
    {"textDocument/hover", answer_hover},           {"textDocument/completion", answer_completion},
    {"textDocument/definition", answer_definition}, {"textDocument/references", answer_references},
    {"textDocument/rename", answer_rename},         {"textDocument/documentSymbol", answer_symbols},
    {"textDocument/formatting", answer_formatting},
};

/* what the server can do */
static void initialize(LspServer *s, const JsonValue *id)
{
    s->initialized = true;
    send_result(
        s, id,
        "{\"capabilities\":{\"positionEncoding\":\"utf-16\",\"textDocumentSync\":{\"openClose\":"
        "true,"
        "\"change\":1,\"save\":true},\"hoverProvider\":true,\"definitionProvider\":true,"
        "\"referencesProvider\":true,\"renameProvider\":true,\"documentSymbolProvider\":true,"
        "\"documentFormattingProvider\":true,"
        "\"completionProvider\":{\"triggerCharacters\":[\".\",\"(\"]}},"
        "\"serverInfo\":{\"name\":\"lieder\",\"version\":\"" LIEDER_VERSION "\"}}");
}

/* a request about an open document; false: the method is unknown */
static bool answer_client(LspServer *s, const char *method, const JsonValue *id,
                          const JsonValue *params)
{
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        if (strcmp(method, answers[i].method) != 0)
            continue;
        char *result = NULL;
        size_t n = 0;
        LspQuestion q = {.server = s,
                         .params = params,
                         .document = find_document(
                             s, json_tree_text(json_tree_path(params, "textDocument.uri")))};
        arena_init(&q.arena, HEAP);
        q.to = open_memstream(&result, &n);
        if (!q.document || !q.to) {
            send_error(s, id, BAD_PARAMS, q.to ? "this document is not open" : "out of memory");
            if (q.to)
                fclose(q.to);
        } else {
            bool fine = answers[i].answer(&q);
            fclose(q.to);
            fine ? send_result(s, id, result) : send_error(s, id, FAILED, q.error);
        }
        arena_drop(&q.arena);
        free(result);
        return true;
    }
    return false;
}

/* what has no answer; unknown ones are none of our business */
static void notice(LspServer *s, const char *method, const JsonValue *params)
{
    if (strcmp(method, "exit") == 0)
        s->over = true;
    else if (!s->initialized)
        return;
    else if (strcmp(method, "textDocument/didOpen") == 0)
        open_document(s, params);
    else if (strcmp(method, "textDocument/didChange") == 0)
        change_document(s, params);
    else if (strcmp(method, "textDocument/didSave") == 0) // others may have changed with it
        diagnose_again(s);
    else if (strcmp(method, "textDocument/didClose") == 0)
        close_document(s, params);
}

/* one message: a request is answered, a notification acted upon */
static void take_message(LspServer *s, const char *bytes, size_t n)
{
    Arena arena;
    arena_init(&arena, HEAP);
    const JsonValue *message = json_tree_read(&arena, bytes, n, NULL),
                    *id = json_tree_member(message, "id");
    const char *method = json_tree_text(json_tree_member(message, "method"));
    const JsonValue *params = json_tree_member(message, "params");
    if (!message)
        send_error(s, NULL, PARSE_ERROR, "this is no JSON");
    else if (message->kind != JSON_OBJECT)
        send_error(s, NULL, BAD_REQUEST, "a message is an object with a method");
    else if (!id)
        notice(s, method, params);
    else if (strcmp(method, "initialize") == 0)
        initialize(s, id);
    else if (!s->initialized)
        send_error(s, id, NOT_READY, "initialize comes first");
    else if (strcmp(method, "shutdown") == 0)
        s->shut_down = true, send_result(s, id, "null");
    else if (*method && !answer_client(s, method, id, params))
        send_error(s, id, NO_METHOD, "this server does not know the method");
    arena_drop(&arena);
}

/* ------------------------------------------------------------------ in */

/* more bytes; false at the end */
static bool read_more(LspServer *s)
{
    enum { PIECE = 65536 };
    if (s->used > 0) {
        memmove(s->input.items, s->input.items + s->used, s->input.n - s->used);
        s->input.n -= s->used;
        s->used = 0;
    }
    if (!vec_reserve(HEAP, &s->input, s->input.n + PIECE))
        return false;
    ssize_t n;
    do
        n = read(s->in, s->input.items + s->input.n, PIECE);
    while (n < 0 && errno == EINTR);
    s->input.n += n > 0 ? (size_t)n : 0;
    return n > 0;
}

/* The length that the head of a message says and where its body begins; 0: the head is not whole. A
 * head without a length ends the connection, for nothing says where the next message begins. */
static size_t read_head(LspServer *s, size_t *length)
{
    const char *begin = s->input.items + s->used;
    size_t left = s->input.n - s->used;
    const char *end = left ? memmem(begin, left, "\r\n\r\n", 4) : NULL;
    if (!end) {
        s->over = left > 4096;
        return 0;
    }
    *length = 0;
    for (const char *line = begin; line < end;
         line = (const char *)memchr(line, '\n', (size_t)(end + 2 - line)) + 1)
        if ((size_t)(end - line) > 15 && strncasecmp(line, "Content-Length:", 15) == 0)
            *length = strtoul(line + 15, NULL, 10);
    s->over = *length == 0 || *length > MAX_MESSAGE;
    return (size_t)(end + 4 - begin);
}

/* one message, if there is a whole one */
static bool take_one(LspServer *s)
{
    size_t length, head = read_head(s, &length);
    if (s->over)
        send_error(s, NULL, PARSE_ERROR,
                   "a message begins with Content-Length: 1 to 67108864, or nobody knows where the "
                   "next one begins: the server ends");
    if (!head || s->over || s->input.n - s->used < head + length)
        return false;
    size_t begin = s->used + head;
    s->used = begin + length;
    take_message(s, s->input.items + begin, length);
    return true;
}

/* nothing is waiting: time for diagnostics */
static bool is_idle(const LspServer *s)
{
    return poll(&(struct pollfd){.fd = s->in, .events = POLLIN}, 1, 0) == 0;
}

/* ------------------------------------------------------------------ start and end */

/* the classes of the library as texts: those in C as the front end sees them, and the files in
 * Modelica */
static bool scan_library(LspServer *s)
{
    size_t n;
    const LibraryText *texts = library_texts(&n);
    Scan scan;
    const char *native = front_library_text(s->front);
    if (!scan_text(&scan, native, strlen(native)) || !vec_push(HEAP, &s->library, scan))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!scan_text(&scan, texts[i].begin, (size_t)(texts[i].end - texts[i].begin)) ||
            !vec_push(HEAP, &s->library, scan))
            return false;
    return true;
}

/* frees documents, library and session */
static void server_drop(LspServer *s)
{
    for (size_t i = 0; i < s->documents.n; i++)
        document_drop(&s->documents.items[i]);
    for (size_t i = 0; i < s->library.n; i++)
        scan_drop(&s->library.items[i]);
    library_drop(s);
    vec_drop(HEAP, &s->documents);
    vec_drop(HEAP, &s->library);
    vec_drop(HEAP, &s->input);
    if (s->front)
        front_destroy(s->front);
    if (s->session)
        lieder_destroy(s->session);
}

int lsp_serve(int in, int out, const LspOptions *options)
{
    LspServer s = {.in = in, .out = out, .options = options, .session = lieder_create(NULL)};
    s.front = s.session ? front_create(s.session) : NULL;
    s.over = !s.front || !scan_library(&s);
    library_list(&s);
    while (!s.over) {
        while (!s.over && take_one(&s)) {
        }
        if (!s.over && is_idle(&s))
            publish_changed(&s);
        if (!s.over && !read_more(&s))
            break;
    }
    int code = s.shut_down ? 0 : 1;
    server_drop(&s);
    return code;
}
