/* server.c - connections, one by one: bytes come in until a request is whole, its reply goes out.
 *
 * A connection has one request under way. While it waits for its reply, further bytes stay in the
 * kernel; they are read when the reply has gone out. Connections without a request are closed when
 * others need their place.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "view/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"

enum {
    MAX_CONNECTIONS = 32,
    MAX_REPLY = 1 << 30,
    TOKEN_BYTES = 16,
    TOKEN_TEXT = 2 * TOKEN_BYTES,
    READ_PIECE = 16384
};
static const double REQUEST_SECONDS = 10; /* from the first byte of a request to its last */

typedef enum ConnectionState {
    CONNECTION_FREE,
    CONNECTION_READING, /* bytes of a request */
    CONNECTION_WAITING, /* for the handler's reply */
    CONNECTION_WRITING, /* the reply */
    CONNECTION_HELD     /* a page is open */
} ConnectionState;

typedef struct HttpConnection {
    ConnectionState state;
    int fd;
    uint32_t number; /* counts the connections of this place */
    bool close;      /* after the reply */
    double since;    /* first byte of the request, or end of the last reply */
    VEC(char) in, out;
    size_t taken; /* bytes of `in` that the request has */
    size_t sent;  /* of `out` */
} HttpConnection;

struct Server {
    LiederAllocator alloc;
    int listener;
    int port;
    char token[TOKEN_TEXT + 1], address[SERVER_ADDRESS];
    char host[2][32], origin[2][40];
    ServerHandler *handler;
    void *user;
    HttpConnection connections[MAX_CONNECTIONS];
    size_t nheld;       /* connections that are held: open pages */
    double empty_since; /* time of the clock when the last page was closed, or of the start */
};

/* ------------------------------------------------------------------ beginning and end */

static bool make_token(char token[TOKEN_TEXT + 1])
{
    unsigned char bytes[TOKEN_BYTES];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return false;
    for (int i = 0; i < TOKEN_BYTES; i++)
        snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

/* the socket that listens; 0 or an errno */
static int listen_on(Server *s, int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                                  .sin_port = htons((uint16_t)port)};
    socklen_t length = sizeof address;
    int one = 1;
    s->listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (s->listener < 0)
        return errno;
    setsockopt(s->listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(s->listener, (struct sockaddr *)&address, sizeof address) < 0 ||
        listen(s->listener, MAX_CONNECTIONS) < 0 ||
        getsockname(s->listener, (struct sockaddr *)&address, &length) < 0)
        return errno;
    s->port = ntohs(address.sin_port);
    return 0;
}

Server *server_open(const LiederAllocator *alloc, int port, ServerHandler *handler, void *user,
                    char message[SERVER_MESSAGE])
{
    Server *s = memory_zeroed(alloc, sizeof *s);
    if (!s) {
        snprintf(message, SERVER_MESSAGE, "out of memory");
        return NULL;
    }
    *s = (Server){.alloc = *alloc, .listener = -1, .handler = handler, .user = user};
    int error = listen_on(s, port);
    if (error || !make_token(s->token)) {
        if (error)
            snprintf(message, SERVER_MESSAGE, "cannot listen on port %d of 127.0.0.1: %s\n%s", port,
                     strerror(error),
                     port ? "another --port, or none, which takes a free one" : "");
        else
            snprintf(message, SERVER_MESSAGE, "the system gives no random numbers");
        server_close(s);
        return NULL;
    }
    static const char *const names[] = {"127.0.0.1", "localhost"};
    for (int i = 0; i < 2; i++) {
        snprintf(s->host[i], sizeof s->host[i], "%s:%d", names[i], s->port);
        snprintf(s->origin[i], sizeof s->origin[i], "http://%s", s->host[i]);
    }
    snprintf(s->address, sizeof s->address, "%s/#%s", s->origin[0], s->token);
    s->empty_since = clock_seconds();
    return s;
}

static void drop_connection(Server *s, HttpConnection *c)
{
    if (c->state == CONNECTION_HELD && --s->nheld == 0)
        s->empty_since = clock_seconds();
    close(c->fd);
    vec_drop(&s->alloc, &c->in);
    vec_drop(&s->alloc, &c->out);
    *c = (HttpConnection){.number = c->number + 1};
}

void server_close(Server *s)
{
    if (!s)
        return;
    for (int i = 0; i < MAX_CONNECTIONS; i++)
        if (s->connections[i].state != CONNECTION_FREE)
            drop_connection(s, &s->connections[i]);
    if (s->listener >= 0)
        close(s->listener);
    LiederAllocator alloc = s->alloc;
    memory_free(&alloc, s, sizeof *s);
}

const char *server_address(const Server *s)
{
    return s->address;
}

size_t server_pages(const Server *s)
{
    return s->nheld;
}

double server_idle(const Server *s)
{
    return s->nheld ? 0 : clock_seconds() - s->empty_since;
}

/* ------------------------------------------------------------------ replies */

static ServerClient client_of(const Server *s, const HttpConnection *c)
{
    return (uint64_t)c->number << 32 | (uint64_t)(c - s->connections);
}

/* the connection that still waits for this reply, or NULL */
static HttpConnection *waiting(Server *s, ServerClient client)
{
    size_t place = (uint32_t)client;
    if (place >= MAX_CONNECTIONS)
        return NULL;
    HttpConnection *c = &s->connections[place];
    return c->state == CONNECTION_WAITING && c->number == client >> 32 ? c : NULL;
}

static bool put_reply(Server *s, HttpConnection *c, const void *bytes, size_t n)
{
    if (!vec_reserve(&s->alloc, &c->out, c->out.n + n))
        return false;
    if (n)
        memcpy(c->out.items + c->out.n, bytes, n);
    c->out.n += n;
    return true;
}

/* the head of a reply; length SIZE_MAX: it ends with the connection */
static bool put_head(Server *s, HttpConnection *c, int status, const char *type, bool gzip,
                     size_t length)
{
    char head[1024], size[64] = "";
    if (length != SIZE_MAX)
        snprintf(size, sizeof size, "Content-Length: %zu\r\n", length);
    int n = snprintf(
        head, sizeof head,
        "HTTP/1.1 %d %s\r\nContent-Type: %s\r\n%s%s%s%s"
        "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; "
        "connect-src 'self'; img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'\r\n"
        "Cross-Origin-Opener-Policy: same-origin\r\nCross-Origin-Resource-Policy: same-origin\r\n"
        "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
        "Cache-Control: no-store\r\n\r\n",
        status, http_reason(status), type ? type : "text/plain", size,
        gzip ? "Content-Encoding: gzip\r\n" : "", status == 405 ? "Allow: GET, POST\r\n" : "",
        c->close ? "Connection: close\r\n" : "");
    return put_reply(s, c, head, (size_t)n);
}

/* as much as the kernel takes; false: the connection is over */
static bool write_out(HttpConnection *c)
{
    while (c->sent < c->out.n) {
        ssize_t n = send(c->fd, c->out.items + c->sent, c->out.n - c->sent, MSG_NOSIGNAL);
        if (n < 0)
            return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
        c->sent += (size_t)n;
    }
    return true;
}

/* writes what can be written; when all is out, the next request may come */
static void pump_clients(Server *s, HttpConnection *c)
{
    if (!write_out(c)) {
        drop_connection(s, c);
        return;
    }
    if (c->sent < c->out.n)
        return;
    c->out.n = c->sent = 0;
    if (c->out.room > 1 << 20)
        vec_drop(&s->alloc, &c->out);
    if (c->state != CONNECTION_WRITING)
        return;
    if (c->close) {
        drop_connection(s, c);
        return;
    }
    memmove(c->in.items, c->in.items + c->taken, c->in.n - c->taken);
    c->in.n -= c->taken;
    c->taken = 0;
    c->state = CONNECTION_READING;
    c->since = clock_seconds();
}

void server_reply(Server *s, ServerClient client, const ServerReply *reply)
{
    HttpConnection *c = waiting(s, client);
    if (!c)
        return;
    if (reply->n > MAX_REPLY) {
        server_reply(s, client, &(ServerReply){.status = 413});
        return;
    }
    if (!put_head(s, c, reply->status, reply->type, reply->gzip, reply->n) ||
        !put_reply(s, c, reply->bytes, reply->n)) {
        drop_connection(s, c); /* no memory: the page reports a broken connection */
        return;
    }
    c->state = CONNECTION_WRITING;
    pump_clients(s, c);
}

void server_hold(Server *s, ServerClient client)
{
    HttpConnection *c = waiting(s, client);
    if (!c)
        return;
    c->close = true;
    if (!put_head(s, c, 200, "text/plain", false, SIZE_MAX)) {
        drop_connection(s, c);
        return;
    }
    c->state = CONNECTION_HELD;
    s->nheld++;
    pump_clients(s, c);
}

/* ------------------------------------------------------------------ requests */

/* as long for a wrong token as for the right one */
static bool token_is_right(const Server *s, HttpText token)
{
    unsigned different = token.n != TOKEN_TEXT;
    for (size_t i = 0; i < TOKEN_TEXT; i++)
        different |= (unsigned)(s->token[i] ^ (token.n == TOKEN_TEXT ? token.at[i] : 0));
    return !different;
}

/* 0: it may be handled; or the status that refuses it */
static int judge_request(const Server *s, const HttpRequest *r)
{
    if (!http_equal(r->host, s->host[0]) && !http_equal(r->host, s->host[1]))
        return 421;
    if (r->origin.at && !http_equal(r->origin, s->origin[0]) &&
        !http_equal(r->origin, s->origin[1]))
        return 403;
    static const char api[] = "/api/";
    bool below = r->path.n >= sizeof api - 1 && memcmp(r->path.at, api, sizeof api - 1) == 0;
    if (r->post && !below)
        return 405;
    if (below && !r->post)
        return 405;
    if (below && !token_is_right(s, r->token))
        return 403;
    return r->post && !http_equal(r->content_type, "application/json") ? 415 : 0;
}

/* calls the handler if the bytes are a whole request, or refuses it */
static void take_request(Server *s, HttpConnection *c)
{
    HttpRequest r;
    ptrdiff_t length = http_read(c->in.items, c->in.n, &r);
    if (length == 0)
        return;
    c->state = CONNECTION_WAITING;
    int status = length < 0 ? (int)-length : judge_request(s, &r);
    ServerClient client = client_of(s, c);
    if (length < 0) {
        c->close = true;
    } else {
        c->taken = (size_t)length;
        c->close = r.close;
    }
    if (status)
        server_reply(s, client, &(ServerReply){.status = status});
    else
        s->handler(s->user, client, &r);
}

/* reads a piece, and takes the request if it is whole */
static void receive(Server *s, HttpConnection *c)
{
    if (!vec_reserve(&s->alloc, &c->in, c->in.n + READ_PIECE)) {
        drop_connection(s, c);
        return;
    }
    ssize_t n = recv(c->fd, c->in.items + c->in.n, READ_PIECE, 0);
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
        return;
    if (n <= 0) {
        drop_connection(s, c);
        return;
    }
    if (c->in.n == 0)
        c->since = clock_seconds();
    c->in.n += (size_t)n;
    take_request(s, c);
}

/* bytes on a held connection are no request: only its end matters */
static void watch_held(Server *s, HttpConnection *c)
{
    char ignored[256];
    ssize_t n = recv(c->fd, ignored, sizeof ignored, 0);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR))
        drop_connection(s, c);
}

/* ------------------------------------------------------------------ waiting */

/* a free place: if there is none, that of the connection that has been without a request longest */
static HttpConnection *free_place(Server *s)
{
    HttpConnection *oldest = NULL;
    for (int i = 0; i < MAX_CONNECTIONS; i++) {
        HttpConnection *c = &s->connections[i];
        if (c->state == CONNECTION_FREE)
            return c;
        if (c->state == CONNECTION_READING && (!oldest || c->since < oldest->since))
            oldest = c;
    }
    if (oldest)
        drop_connection(s, oldest);
    return oldest;
}

/* accepts the connections that wait; without a free place they are closed */
static void accept_all(Server *s)
{
    for (int i = 0; i < MAX_CONNECTIONS; i++) {
        int fd = accept4(s->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0)
            return;
        HttpConnection *c = free_place(s);
        if (!c) {
            close(fd);
            continue;
        }
        int one = 1;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        *c = (HttpConnection){.state = CONNECTION_READING,
                              .fd = fd,
                              .number = c->number + 1,
                              .since = clock_seconds()};
    }
}

/* refuses requests that are not whole after REQUEST_SECONDS */
static void drop_late(Server *s)
{
    double now = clock_seconds();
    for (int i = 0; i < MAX_CONNECTIONS; i++) {
        HttpConnection *c = &s->connections[i];
        if (c->state != CONNECTION_READING || c->in.n == 0 || now - c->since < REQUEST_SECONDS)
            continue;
        c->state = CONNECTION_WAITING;
        c->close = true;
        server_reply(s, client_of(s, c), &(ServerReply){.status = 408});
    }
}

static void serve_connection(Server *s, HttpConnection *c, short events)
{
    if (c->state == CONNECTION_READING && events & (POLLIN | POLLHUP | POLLERR))
        receive(s, c);
    else if (c->state == CONNECTION_HELD && events & (POLLIN | POLLHUP | POLLERR))
        watch_held(s, c);
    else if (c->state == CONNECTION_WAITING && events & (POLLHUP | POLLERR))
        drop_connection(s, c);
    else if ((c->state == CONNECTION_WRITING || c->state == CONNECTION_HELD) && events & ~POLLIN)
        pump_clients(s, c);
}

bool server_serve(Server *s, double seconds)
{
    struct pollfd list[MAX_CONNECTIONS + 1];
    int place[MAX_CONNECTIONS], n = 0;
    /* a request that came together with the one before it */
    for (int i = 0; i < MAX_CONNECTIONS; i++)
        if (s->connections[i].state == CONNECTION_READING && s->connections[i].in.n)
            take_request(s, &s->connections[i]);
    for (int i = 0; i < MAX_CONNECTIONS; i++) {
        const HttpConnection *c = &s->connections[i];
        if (c->state == CONNECTION_FREE)
            continue;
        bool reads = c->state == CONNECTION_READING || c->state == CONNECTION_HELD;
        list[n] = (struct pollfd){
            c->fd, (short)((reads ? POLLIN : 0) | (c->sent < c->out.n ? POLLOUT : 0)), 0};
        place[n++] = i;
    }
    list[n] = (struct pollfd){s->listener, POLLIN, 0};
    int found = poll(list, (nfds_t)n + 1, (int)ceil(fmin(fmax(seconds, 0), 3600) * 1e3));
    if (found < 0)
        return errno == EINTR;
    for (int i = 0; i < n && found; i++)
        if (list[i].revents)
            serve_connection(s, &s->connections[place[i]], list[i].revents);
    if (list[n].revents & POLLIN)
        accept_all(s);
    drop_late(s);
    return true;
}
