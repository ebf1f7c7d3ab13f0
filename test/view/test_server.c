/* test_server.c - the server among hostile clients: who has no token, another Host or Origin, sends
 * slowly, without end, too much, or leaves in the middle. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "view/server.h"

typedef struct Test {
    Server *server;
    int port;
    char token[64];
    size_t nrequest; /* that reached the handler */
    ServerClient later;
    bool hold, wait;
} Test;

static void handle(void *user, ServerClient client, const HttpRequest *r)
{
    Test *t = user;
    t->nrequest++;
    if (t->wait) {
        t->later = client;
        return;
    }
    if (t->hold)
        server_hold(t->server, client);
    else
        server_reply(t->server, client,
                     &(ServerReply){200, "text/plain", false, r->path.at, r->path.n});
}

static int set_up(void **state)
{
    Test *t = calloc(1, sizeof *t);
    char message[SERVER_MESSAGE];
    t->server = server_open(&memory_default, 0, handle, t, message);
    if (!t->server)
        return -1;
    if (sscanf(server_address(t->server), "http://127.0.0.1:%d/#%63s", &t->port, t->token) != 2)
        return -1;
    *state = t;
    return 0;
}

static int tear_down(void **state)
{
    Test *t = *state;
    server_close(t->server);
    free(t);
    return 0;
}

/* ------------------------------------------------------------------ a client */

static int connect_to(const Test *t)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                             .sin_port = htons((uint16_t)t->port)};
    if (connect(fd, (struct sockaddr *)&to, sizeof to) < 0)
        assert_int_equal(errno, EINPROGRESS);
    server_serve(t->server, 0.05);
    return fd;
}

static void send_text(const Test *t, int fd, const char *text, size_t n)
{
    for (size_t sent = 0; sent < n;) {
        ssize_t now = send(fd, text + sent, n - sent, MSG_NOSIGNAL);
        if (now > 0)
            sent += (size_t)now;
        else if (errno != EAGAIN)
            return; /* the server has closed it */
        server_serve(t->server, 0);
    }
}

/* what comes back, until `wanted` bytes, the end of the connection, or a second without any */
static size_t receive(const Test *t, int fd, char *to, size_t room, size_t wanted, bool *closed)
{
    size_t n = 0;
    double since = clock_seconds();
    *closed = false;
    while (n < wanted && clock_seconds() - since < 1) {
        server_serve(t->server, 0.01);
        ssize_t now = recv(fd, to + n, room - n - 1, 0);
        if (now > 0) {
            n += (size_t)now;
            since = clock_seconds();
        } else if (now == 0 || errno != EAGAIN) {
            *closed = true;
            break;
        } else if (n && clock_seconds() - since > 0.1) {
            break;
        }
    }
    to[n] = '\0';
    return n;
}

/* the status of the reply to one request, 0 if there is none */
static int ask(Test *t, const char *request)
{
    char reply[8192];
    bool closed;
    int fd = connect_to(t), status = 0;
    send_text(t, fd, request, strlen(request));
    receive(t, fd, reply, sizeof reply, sizeof reply - 1, &closed);
    close(fd);
    server_serve(t->server, 0);
    if (sscanf(reply, "HTTP/1.1 %d ", &status) == 1 && status == 200) {
        assert_non_null(
            strstr(reply, "Content-Security-Policy: default-src 'none'; script-src 'self'"));
        assert_non_null(strstr(reply, "X-Content-Type-Options: nosniff"));
        assert_non_null(strstr(reply, "Cache-Control: no-store"));
    }
    return status;
}

static int ask_with(Test *t, const char *first, const char *host, const char *origin,
                    const char *token, const char *type)
{
    char request[2048];
    snprintf(request, sizeof request,
             "%s HTTP/1.1\r\nHost: %s:%d\r\n%s%s%sContent-Length: %d\r\n%s%s%s%s%s%s\r\n%s", first,
             host, t->port, origin ? "Origin: " : "", origin ? origin : "", origin ? "\r\n" : "",
             *first == 'P' ? 2 : 0, token ? "X-Lieder-Token: " : "", token ? token : "",
             token ? "\r\n" : "", type ? "Content-Type: " : "", type ? type : "",
             type ? "\r\n" : "", *first == 'P' ? "{}" : "");
    return ask(t, request);
}

/* ------------------------------------------------------------------ who may */

static void only_the_page_is_served(void **state)
{
    Test *t = *state;
    const char *json = "application/json";
    char own[64], port[64];
    snprintf(own, sizeof own, "http://127.0.0.1:%d", t->port);
    snprintf(port, sizeof port, "http://127.0.0.1:%d", t->port + 1);
    assert_int_equal(strlen(t->token), 32);
    assert_int_equal(ask_with(t, "GET /", "127.0.0.1", NULL, NULL, NULL), 200);
    assert_int_equal(ask_with(t, "GET /", "localhost", NULL, NULL, NULL), 200);
    assert_int_equal(ask_with(t, "POST /api/run", "127.0.0.1", own, t->token, json), 200);
    assert_int_equal(t->nrequest, 3);
    /* a foreign name that leads here */
    assert_int_equal(ask_with(t, "GET /", "evil.example", NULL, NULL, NULL), 421);
    assert_int_equal(ask_with(t, "POST /api/run", "evil.example", own, t->token, json), 421);
    /* a foreign page, also one of another port */
    assert_int_equal(
        ask_with(t, "POST /api/run", "127.0.0.1", "http://evil.example", t->token, json), 403);
    assert_int_equal(ask_with(t, "POST /api/run", "127.0.0.1", "null", t->token, json), 403);
    assert_int_equal(ask_with(t, "POST /api/run", "127.0.0.1", port, t->token, json), 403);
    /* no token, a wrong one, one that is too long */
    char wrong[64];
    snprintf(wrong, sizeof wrong, "%s", t->token);
    wrong[31] = wrong[31] == '0' ? '1' : '0';
    assert_int_equal(ask_with(t, "POST /api/run", "127.0.0.1", own, NULL, json), 403);
    assert_int_equal(ask_with(t, "POST /api/run", "127.0.0.1", own, wrong, json), 403);
    assert_int_equal(ask_with(t, "POST /api/run", "127.0.0.1", own, "", json), 403);
    strcat(wrong, "00");
    assert_int_equal(ask_with(t, "POST /api/run", "127.0.0.1", own, wrong, json), 403);
    /* a form can send these without asking first */
    assert_int_equal(ask_with(t, "POST /api/run", "127.0.0.1", own, t->token, "text/plain"), 415);
    assert_int_equal(ask_with(t, "POST /api/run", "127.0.0.1", own, t->token, NULL), 415);
    assert_int_equal(ask_with(t, "POST /", "127.0.0.1", own, t->token, json), 405);
    assert_int_equal(ask_with(t, "GET /api/run", "127.0.0.1", own, t->token, NULL), 405);
    assert_int_equal(ask_with(t, "OPTIONS /api/run", "127.0.0.1", own, NULL, NULL), 405);
    assert_int_equal(t->nrequest, 3);
}

static void tokens_differ(void **state)
{
    Test *t = *state;
    char message[SERVER_MESSAGE];
    Server *other = server_open(&memory_default, 0, handle, t, message);
    assert_non_null(other);
    assert_null(strstr(server_address(other), t->token));
    server_close(other);
    /* a port that is taken */
    assert_null(server_open(&memory_default, t->port, handle, t, message));
    assert_non_null(strstr(message, "cannot listen"));
}

/* ------------------------------------------------------------------ how much */

static void many_connections_do_not_keep_others_out(void **state)
{
    Test *t = *state;
    enum { MANY = 100 };
    int fds[MANY];
    for (int i = 0; i < MANY; i++) {
        fds[i] = connect_to(t);
        send_text(t, fds[i], "GET / HT", 8); /* and no more */
    }
    assert_int_equal(ask_with(t, "GET /", "127.0.0.1", NULL, NULL, NULL), 200);
    for (int i = 0; i < MANY; i++)
        close(fds[i]);
    server_serve(t->server, 0);
    assert_int_equal(ask_with(t, "GET /", "127.0.0.1", NULL, NULL, NULL), 200);
}

static void heads_and_bodies_are_limited(void **state)
{
    Test *t = *state;
    size_t n = 1 << 20;
    char *text = malloc(n + 1);
    memset(text, 'a', n);
    text[n] = '\0';
    memcpy(text, "GET /", 5);
    assert_int_equal(ask(t, text), 431);
    snprintf(text, n,
             "POST /api/run HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: 2000000\r\n\r\n",
             t->port);
    assert_int_equal(ask(t, text), 413);
    free(text);
    assert_int_equal(t->nrequest, 0);
}

static void requests_may_come_byte_by_byte_and_together(void **state)
{
    Test *t = *state;
    char request[256], reply[8192];
    bool closed;
    int n = snprintf(request, sizeof request,
                     "GET /one HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\nGET /two HTTP/1.1\r\nHost: "
                     "127.0.0.1:%d\r\nConnection: close\r\n\r\n",
                     t->port, t->port);
    int fd = connect_to(t);
    for (int i = 0; i < n; i++)
        send_text(t, fd, request + i, 1);
    receive(t, fd, reply, sizeof reply, sizeof reply - 1, &closed);
    assert_non_null(strstr(reply, "/one"));
    assert_non_null(strstr(reply, "/two"));
    assert_true(closed);
    close(fd);
    fd = connect_to(t);
    send_text(t, fd, request, (size_t)n);
    receive(t, fd, reply, sizeof reply, sizeof reply - 1, &closed);
    assert_non_null(strstr(reply, "/two"));
    assert_int_equal(t->nrequest, 4);
    close(fd);
}

/* a reply of many megabytes to a client that does not read: nobody waits, and it comes whole */
static void slow_readers_delay_nobody(void **state)
{
    Test *t = *state;
    size_t n = 20 << 20;
    char *body = malloc(n), *got = malloc(n + 4096), request[256];
    for (size_t i = 0; i < n; i++)
        body[i] = (char)(i * 7 + i / 1000);
    snprintf(request, sizeof request, "GET /later HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n", t->port);
    int fd = connect_to(t);
    t->wait = true;
    send_text(t, fd, request, strlen(request));
    for (int i = 0; i < 10 && !t->nrequest; i++)
        server_serve(t->server, 0.02);
    assert_int_equal(t->nrequest, 1);
    server_reply(t->server, t->later, &(ServerReply){200, "x/y", false, body, n});
    t->wait = false;
    assert_int_equal(ask_with(t, "GET /", "127.0.0.1", NULL, NULL, NULL), 200);
    bool closed;
    size_t came = receive(t, fd, got, n + 4096, n + 200, &closed);
    for (size_t more = 1; more && came < n + 4000; came += more)
        more = receive(t, fd, got + came, n + 4096 - came, 1 << 20, &closed);
    const char *begin = strstr(got, "\r\n\r\n") + 4;
    assert_int_equal(got + came - begin, n);
    assert_memory_equal(begin, body, n);
    /* a second reply to the same request goes nowhere, as does one to a client that has left */
    server_reply(t->server, t->later, &(ServerReply){200, "x/y", false, body, 10});
    t->wait = true;
    send_text(t, fd, request, strlen(request));
    for (int i = 0; i < 10 && t->nrequest < 3; i++)
        server_serve(t->server, 0.02);
    close(fd);
    server_reply(t->server, t->later, &(ServerReply){200, "x/y", false, body, n});
    for (int i = 0; i < 5; i++)
        server_serve(t->server, 0.01);
    server_reply(t->server, 12345, &(ServerReply){200, "x/y", false, body, 10});
    free(body);
    free(got);
}

static void an_open_page_is_counted(void **state)
{
    Test *t = *state;
    char request[256];
    snprintf(
        request, sizeof request,
        "POST /api/alive HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nX-Lieder-Token: %s\r\nContent-Type: "
        "application/json\r\nContent-Length: 2\r\n\r\n{}",
        t->port, t->token);
    t->hold = true;
    assert_int_equal(server_pages(t->server), 0);
    int fd = connect_to(t);
    send_text(t, fd, request, strlen(request));
    for (int i = 0; i < 10; i++)
        server_serve(t->server, 0.01);
    assert_int_equal(server_pages(t->server), 1);
    assert_true(server_idle(t->server) == 0);
    close(fd);
    for (int i = 0; i < 10; i++)
        server_serve(t->server, 0.01);
    assert_int_equal(server_pages(t->server), 0);
    assert_true(server_idle(t->server) > 0);
}

/* random bytes, and requests with random bytes changed: no crash, and nothing reaches the handler
 * without its token */
static void noise_does_no_harm(void **state)
{
    Test *t = *state;
    uint32_t seed = 1;
    char request[512];
    for (int round = 0; round < 60; round++) {
        int n = snprintf(request, sizeof request,
                         "POST /api/run HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: "
                         "application/json\r\nContent-Length: 2\r\n\r\n{}",
                         t->port);
        for (int i = 0; i < 1 + round % 9; i++) {
            seed = seed * 1664525 + 1013904223;
            request[seed % (uint32_t)n] = (char)(seed >> 24);
        }
        int fd = connect_to(t);
        send_text(t, fd, request, (size_t)n);
        for (int i = 0; i < 3; i++)
            server_serve(t->server, 0);
        close(fd);
    }
    assert_int_equal(t->nrequest, 0);
    assert_int_equal(ask_with(t, "GET /", "127.0.0.1", NULL, NULL, NULL), 200);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {TEST(only_the_page_is_served),
                                       TEST(tokens_differ),
                                       TEST(many_connections_do_not_keep_others_out),
                                       TEST(heads_and_bodies_are_limited),
                                       TEST(requests_may_come_byte_by_byte_and_together),
                                       TEST(slow_readers_delay_nobody),
                                       TEST(an_open_page_is_counted),
                                       TEST(noise_does_no_harm)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
