/* http.c - reads a request line by line; see RFC 9112, of which this is a small subset. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "view/http.h"

#include <string.h>
#include <strings.h>

/* a character of a method or of the name of a field */
static bool is_token(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           (c && strchr("!#$%&'*+-.^_`|~", c));
}

/* a character of a path: no escapes, no query */
static bool is_path(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           (c && strchr("/.-_", c));
}

bool http_equal(HttpText text, const char *other)
{
    return text.at && text.n == strlen(other) && memcmp(text.at, other, text.n) == 0;
}

static bool same_name(HttpText name, const char *other)
{
    return name.n == strlen(other) && strncasecmp(name.at, other, name.n) == 0;
}

/* the line at `at`, without its end; false: there is none, or a lone CR or LF is in it */
static bool take_line(const char *bytes, size_t n, size_t *at, HttpText *line)
{
    const char *begin = bytes + *at, *end = memchr(begin, '\n', n - *at);
    if (!end || end == begin || end[-1] != '\r')
        return false;
    *line = (HttpText){begin, (size_t)(end - begin) - 1};
    *at += line->n + 2;
    return !memchr(line->at, '\r', line->n);
}

/* METHOD SP PATH SP HTTP/1.1; 0 or a status */
static int read_request_line(HttpText line, HttpRequest *r)
{
    const char *end = line.at + line.n, *space = memchr(line.at, ' ', line.n);
    if (!space)
        return 400;
    HttpText method = {line.at, (size_t)(space - line.at)};
    for (size_t i = 0; i < method.n; i++)
        if (!is_token(method.at[i]))
            return 400;
    const char *path = space + 1, *second = memchr(path, ' ', (size_t)(end - path));
    if (!second || !method.n)
        return 400;
    HttpText version = {second + 1, (size_t)(end - second) - 1};
    if (version.n != 8 || memcmp(version.at, "HTTP/", 5) != 0)
        return 400;
    if (!http_equal(version, "HTTP/1.1"))
        return 505;
    r->path = (HttpText){path, (size_t)(second - path)};
    if (r->path.n == 0 || path[0] != '/')
        return 400;
    for (size_t i = 0; i < r->path.n; i++)
        if (!is_path(path[i]))
            return 404;
    r->post = http_equal(method, "POST");
    return r->post || http_equal(method, "GET") ? 0 : 405;
}

/* digits alone, up to the limit; 0 or a status */
static int read_length(HttpText value, size_t *length)
{
    *length = 0;
    if (value.n == 0 || value.n > 18)
        return value.n ? 413 : 400;
    for (size_t i = 0; i < value.n; i++) {
        if (value.at[i] < '0' || value.at[i] > '9')
            return 400;
        *length = 10 * *length + (size_t)(value.at[i] - '0');
    }
    return *length > HTTP_MAX_BODY ? 413 : 0;
}

/* keeps a field that may stand only once, since two could be read in two ways; 0 or a status */
static int keep_field(HttpText *field, HttpText value)
{
    if (field->at)
        return 400;
    *field = value;
    return 0;
}

/* NAME: VALUE; 0 or a status */
static int read_field(HttpText line, HttpRequest *r, HttpText *length)
{
    const char *colon = memchr(line.at, ':', line.n);
    if (!colon || colon == line.at)
        return 400;
    HttpText name = {line.at, (size_t)(colon - line.at)};
    for (size_t i = 0; i < name.n; i++)
        if (!is_token(name.at[i]))
            return 400;
    HttpText value = {colon + 1, line.n - name.n - 1};
    while (value.n && (value.at[0] == ' ' || value.at[0] == '\t'))
        value.at++, value.n--;
    while (value.n && (value.at[value.n - 1] == ' ' || value.at[value.n - 1] == '\t'))
        value.n--;
    for (size_t i = 0; i < value.n; i++)
        if (((unsigned char)value.at[i] < 0x20 && value.at[i] != '\t') || value.at[i] == 0x7f)
            return 400;
    if (same_name(name, "host"))
        return keep_field(&r->host, value);
    if (same_name(name, "origin"))
        return keep_field(&r->origin, value);
    if (same_name(name, "x-lieder-token"))
        return keep_field(&r->token, value);
    if (same_name(name, "content-type"))
        return keep_field(&r->content_type, value);
    if (same_name(name, "content-length"))
        return keep_field(length, value);
    if (same_name(name, "transfer-encoding"))
        return 501;
    if (same_name(name, "expect"))
        return 417;
    if (same_name(name, "connection"))
        r->close |= same_name(value, "close");
    return 0;
}

/* the length of the head with its empty line; 0: it is not complete */
static size_t find_head(const char *bytes, size_t n)
{
    const char *end = memmem(bytes, n, "\r\n\r\n", 4);
    return end ? (size_t)(end - bytes) + 4 : 0;
}

ptrdiff_t http_read(const char *bytes, size_t n, HttpRequest *r)
{
    *r = (HttpRequest){0};
    size_t seen = n < HTTP_MAX_HEAD ? n : HTTP_MAX_HEAD, head = find_head(bytes, seen), at = 0;
    if (!head)
        return n >= HTTP_MAX_HEAD ? -431 : 0;
    HttpText line, length = {0};
    if (!take_line(bytes, head, &at, &line))
        return -400;
    int status = read_request_line(line, r);
    for (int fields = 0; !status && at < head - 2; fields++) {
        if (fields == HTTP_MAX_FIELDS)
            return -431;
        status = take_line(bytes, head, &at, &line) ? read_field(line, r, &length) : 400;
    }
    size_t body = 0;
    if (!status && length.at)
        status = read_length(length, &body);
    if (!status && r->post && !length.at)
        status = 411;
    if (!status && ((!r->post && body) || !r->host.at))
        status = 400;
    if (status)
        return -status;
    r->body = (HttpText){bytes + head, body};
    return n - head < body ? 0 : (ptrdiff_t)(head + body);
}

const char *http_reason(int status)
{
    static const struct {
        int status;
        const char *reason;
    } table[] = {{200, "OK"},
                 {204, "No Content"},
                 {400, "Bad Request"},
                 {403, "Forbidden"},
                 {404, "Not Found"},
                 {405, "Method Not Allowed"},
                 {408, "Request Timeout"},
                 {411, "Length Required"},
                 {413, "Content Too Large"},
                 {415, "Unsupported Media Type"},
                 {417, "Expectation Failed"},
                 {421, "Misdirected Request"},
                 {431, "Request Header Fields Too Large"},
                 {500, "Internal Server Error"},
                 {501, "Not Implemented"},
                 {503, "Service Unavailable"},
                 {505, "HTTP Version Not Supported"}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].status == status)
            return table[i].reason;
    return "Error";
}
