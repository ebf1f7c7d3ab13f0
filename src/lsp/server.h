/* server.h - the server and its documents, for the files of src/lsp. */
#ifndef LIEDER_LSP_SERVER_H
#define LIEDER_LSP_SERVER_H

#include "base/json_tree.h"
#include "lsp/lsp.h"
#include "lsp/resolve.h"

#define HEAP (&memory_default)

typedef struct Document {
    char *uri, *path; /* path: of a file, else the uri */
    char *text;
    size_t length;
    size_t prefix; /* bytes of the first line that are not in the file: library.c */
    Scan scan;
    bool changed; /* since it was diagnosed */
} Document;

/* a package that a --library folder has */
typedef struct LspPackage {
    char *name, *path;
    bool read;
} LspPackage;

typedef struct LspServer {
    const LspOptions *options;
    int in, out;
    VEC(char) input; /* bytes that are not read yet begin at `used` */
    size_t used;
    VEC(Document) documents;
    Lieder *session; /* of the library */
    Front *front;
    VEC(Scan) library;
    VEC(LspPackage) packages;
    VEC(Document) files; /* of the packages that were read */
    size_t nbyte;        /* of their texts */
    bool initialized, shut_down, over;
} LspServer;

/* positions: a line and a number of UTF-16 units in it, both from 0 */
size_t position_offset(const Document *d, const JsonValue *position);
void put_range(FILE *to, const Document *d, size_t begin, size_t end);

void document_drop(Document *d);

/* library.c: which packages the folders have; reads those whose names a text has */
void library_list(LspServer *s);
void library_read_named(LspServer *s, const Scan *scan);
void library_drop(LspServer *s);

/* answer.c: the result of a request about a document, as JSON; false: `error` says why not */
typedef struct LspQuestion {
    LspServer *server;
    const Document *document;
    const JsonValue *params;
    FILE *to;
    Arena arena;
    char error[200];
} LspQuestion;
bool answer_hover(LspQuestion *q);
bool answer_completion(LspQuestion *q);
bool answer_definition(LspQuestion *q);
bool answer_references(LspQuestion *q);
bool answer_rename(LspQuestion *q);
bool answer_symbols(LspQuestion *q);
bool answer_formatting(LspQuestion *q);

/* diagnose.c: the diagnostics of a document as a JSON list */
void diagnose(const LspServer *server, const Document *d, FILE *to);

#endif
