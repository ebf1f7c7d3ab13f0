/* server.h - the viewer's page over HTTP/1.1, for this machine alone.
 *
 * * One thread, sockets that do not block. The program calls server_serve, which calls a handler
 * with whole requests; the handler replies by server_reply, at once or later. So a run can serve
 * the page between two of its rows, and a page that reads slowly delays neither the run nor other
 * pages: its reply waits in memory, one for each connection.
 *
 * Protection against others:
 * - the socket listens on 127.0.0.1;
 * - Host must be 127.0.0.1:PORT or localhost:PORT, so that a foreign name that leads here (DNS
 *   rebinding) is refused; Origin, where there is one, must be the same;
 * - every path below /api/ needs a random token, which stands in the fragment of the address that
 *   the user opens, is never sent by the browser itself, and comes in a field of the request;
 * - the page may load and connect to nothing but this server (Content-Security-Policy);
 * - connections, sizes and waiting times are limited: http.h and server.c.
 */
#ifndef LIEDER_VIEW_SERVER_H
#define LIEDER_VIEW_SERVER_H

#include <stdint.h>

#include "base/memory.h"
#include "view/http.h"

typedef struct Server Server;
typedef uint64_t ServerClient; /* a connection that waits for its reply */

/* Called with each request that is whole and permitted. Its texts are valid until the handler
 * returns. */
typedef void ServerHandler(void *user, ServerClient client, const HttpRequest *request);

enum { SERVER_MESSAGE = 256, SERVER_ADDRESS = 96 };

/* port 0: any that is free. NULL, and a message "what\nadvice". */
Server *server_open(const LiederAllocator *alloc, int port, ServerHandler *handler, void *user,
                    char message[SERVER_MESSAGE]);
void server_close(Server *s);
/* http://127.0.0.1:PORT/#TOKEN */
const char *server_address(const Server *s);

/* Waits up to `seconds` for bytes or connections, and handles all that have come. False: the system
 * call failed. */
bool server_serve(Server *s, double seconds);

typedef struct ServerReply {
    int status;
    const char *type; /* "application/json" */
    bool gzip;        /* the bytes are compressed */
    const void *bytes;
    size_t n;
} ServerReply;
/* The bytes are copied. If the client is gone, nothing happens. */
void server_reply(Server *s, ServerClient client, const ServerReply *reply);

/* begins a reply without an end: the connection stays open as long as the page */
void server_hold(Server *s, ServerClient client);
/* pages that are open; for how long there has been none, s */
size_t server_pages(const Server *s);
double server_idle(const Server *s);

#endif
