/* lsp.h - a language server: Modelica in editors, over the Language Server Protocol 3.17.
 *
 *   server.c    messages in and out, documents, which request is answered by what
 *   answer.c    hover, completion, definition, references, rename, symbols
 *   diagnose.c  what is wrong with a document, by the front end and the engine
 *   resolve.c   what a name means
 *   format.c    lines of a text indented
 *   library.c   packages of --library folders
 *   scan.c      classes and components of a text that is being typed */
#ifndef LIEDER_LSP_LSP_H
#define LIEDER_LSP_LSP_H

#include <stdio.h>

#include "front/front.h"

typedef struct LspOptions {
    /* gives a front end the libraries that models may use; false: no memory */
    bool (*prepare)(void *user, Front *front);
    /* writes the reference of a class of the library, as `lieder doc` does; false: there is none */
    bool (*reference)(void *user, const Lieder *session, const Front *front, const char *name,
                      FILE *to);
    /* the folders of libraries, from 0 on; false: there are no more. NULL: none */
    bool (*folder)(void *user, size_t index, char *path, size_t size);
    void *user;
} LspOptions;

/* Serves until the client says exit or goes. 0: it said shutdown before. */
int lsp_serve(int in, int out, const LspOptions *options);

#endif
