/* lsp.h - a language server: Modelica in editors, over the Language LspServer Protocol 3.17.
 *
 *   server.c    messages in and out, documents, which request is answered by what
 *   answer.c    hover, completion, definition, references, rename, symbols
 *   diagnose.c  what is wrong with a document, by the front end and the engine
 *   resolve.c   what a name means
 *   scan.c      classes and components of a text that is being typed
 *   json_tree.c     JSON */
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
    void *user;
} LspOptions;

/* Serves until the client says exit or goes. 0: it said shutdown before. */
int lsp_serve(int in, int out, const LspOptions *options);

#endif
