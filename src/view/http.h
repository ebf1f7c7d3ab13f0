/* http.h - one HTTP/1.1 request, read strictly.
 *
 * The only client is the viewer's page, so only the requests of browsers are understood: GET and
 * POST of a path, lines that end with CR LF, a Content-Length instead of chunks. Everything else is
 * refused with the status that HTTP has for it. Reading is a function of bytes: no socket, no
 * memory, no state.
 */
#ifndef LIEDER_VIEW_HTTP_H
#define LIEDER_VIEW_HTTP_H

#include <stdbool.h>
#include <stddef.h>

enum { HTTP_MAX_HEAD = 8192, HTTP_MAX_BODY = 1 << 20, HTTP_MAX_FIELDS = 64 };

/* a part of the bytes that were read; at NULL: it was not there */
typedef struct HttpText {
    const char *at;
    size_t n;
} HttpText;

typedef struct HttpRequest {
    bool post;
    HttpText path; /* without a query, which no request has */
    HttpText host, origin, token, content_type;
    bool close; /* the client wants the connection closed after the reply */
    HttpText body;
} HttpRequest;

/* More than zero: the length of the request, which `r` then describes. 0: more bytes are needed.
 * Less than zero: the request is refused with this status, negated (-400). */
ptrdiff_t http_read(const char *bytes, size_t n, HttpRequest *r);

bool http_equal(HttpText text, const char *other);
/* "Not Found" */
const char *http_reason(int status);

#endif
