/* test_http.c - what a browser sends is understood, everything else is refused with its status. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/http.h"

#define HOST "Host: 127.0.0.1:8000\r\n"

/* reads from a block of exactly its length, so that a byte too far is found by the sanitizer */
static ptrdiff_t read_exact(const char *text, size_t n, HttpRequest *r)
{
    char *copy = malloc(n ? n : 1);
    memcpy(copy, text, n);
    ptrdiff_t length = http_read(copy, n, r);
    free(copy); /* the parts of r are gone, lengths stay */
    return length;
}

static void reads_what_browsers_send(void **state)
{
    (void)state;
    static const char text[] =
        "POST /api/run HTTP/1.1\r\nHost: localhost:8000\r\nConnection: keep-alive\r\n"
        "Content-Length: 2\r\nX-Lieder-Token:\t abc \r\nContent-Type: application/json\r\n"
        "Origin: http://localhost:8000\r\nAccept: */*\r\nUser-Agent: Mozilla/5.0 (X11)\r\n\r\n{}"
        "GET / HTTP/1.1\r\n";
    HttpRequest r;
    ptrdiff_t n = http_read(text, sizeof text - 1, &r);
    assert_int_equal(n, strstr(text, "GET / ") - text);
    assert_true(r.post && !r.close);
    assert_true(http_equal(r.path, "/api/run"));
    assert_true(http_equal(r.host, "localhost:8000"));
    assert_true(http_equal(r.token, "abc"));
    assert_true(http_equal(r.origin, "http://localhost:8000"));
    assert_true(http_equal(r.content_type, "application/json"));
    assert_true(http_equal(r.body, "{}"));
    static const char get[] = "GET /app.js HTTP/1.1\r\nhost: a\r\nconnection: Close\r\n\r\n";
    n = http_read(get, sizeof get - 1, &r);
    assert_int_equal(n, sizeof get - 1);
    assert_true(!r.post && r.close && http_equal(r.path, "/app.js") && !r.origin.at);
}

/* every beginning of a request needs more, and no byte beyond it is read */
static void every_beginning_needs_more(void **state)
{
    (void)state;
    static const char text[] = "POST /api/x HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\n12345";
    HttpRequest r;
    for (size_t n = 0; n < sizeof text - 1; n++)
        assert_int_equal(read_exact(text, n, &r), 0);
    assert_int_equal(read_exact(text, sizeof text - 1, &r), sizeof text - 1);
}

static void refuses_everything_else(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int status;
    } cases[] = {
        {"GET / HTTP/1.1\r\n\r\n", 400},                              /* no Host */
        {"GET / HTTP/1.0\r\n" HOST "\r\n", 505},                      /* old */
        {"GET / HTTP/2.0\r\n" HOST "\r\n", 505},                      /* new */
        {"GET / ICY/1.11\r\n" HOST "\r\n", 400},                      /* something else */
        {"GET /\r\n" HOST "\r\n", 400},                               /* HTTP/0.9 */
        {"GET  / HTTP/1.1\r\n" HOST "\r\n", 400},                     /* two blanks */
        {"GET http://x/ HTTP/1.1\r\n" HOST "\r\n", 400},              /* a proxy's */
        {"GET /../etc/passwd?x HTTP/1.1\r\n" HOST "\r\n", 404},       /* a query */
        {"GET /%2e%2e/ HTTP/1.1\r\n" HOST "\r\n", 404},               /* escapes */
        {"OPTIONS / HTTP/1.1\r\n" HOST "\r\n", 405},                  /* a preflight */
        {"PUT /api/run HTTP/1.1\r\n" HOST "\r\n", 405},               /* */
        {"get / HTTP/1.1\r\n" HOST "\r\n", 405},                      /* methods have capitals */
        {"G\x01T / HTTP/1.1\r\n" HOST "\r\n", 400},                   /* */
        {"GET / HTTP/1.1\r\n" HOST HOST "\r\n", 400},                 /* which one? */
        {"GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400},                  /* a blank before the colon */
        {"GET / HTTP/1.1\r\n" HOST " folded\r\n\r\n", 400},           /* a folded line */
        {"GET / HTTP/1.1\r\n" HOST "no colon\r\n\r\n", 400},          /* */
        {"GET / HTTP/1.1\r\n" HOST "a: b\rc\r\n\r\n", 400},           /* a lone CR */
        {"GET / HTTP/1.1\nHost: a\r\n\r\n", 400},                     /* a lone LF */
        {"GET / HTTP/1.1\r\n" HOST "a: b\nc: d\r\n\r\n", 400},        /* */
        {"GET / HTTP/1.1\r\n" HOST "a: \x01\r\n\r\n", 400},           /* a control character */
        {"GET / HTTP/1.1\r\n" HOST "Content-Length: 1\r\n\r\n", 400}, /* GET with a body */
        {"POST /api/run HTTP/1.1\r\n" HOST "\r\n", 411},              /* without a length */
        {"POST / HTTP/1.1\r\n" HOST "Content-Length: 1048577\r\n\r\n", 413},
        {"POST / HTTP/1.1\r\n" HOST "Content-Length: 99999999999999999999\r\n\r\n", 413},
        {"POST / HTTP/1.1\r\n" HOST "Content-Length: -1\r\n\r\n", 400},
        {"POST / HTTP/1.1\r\n" HOST "Content-Length: 0x10\r\n\r\n", 400},
        {"POST / HTTP/1.1\r\n" HOST "Content-Length: 1, 1\r\n\r\n", 400},
        {"POST / HTTP/1.1\r\n" HOST "Content-Length: \r\n\r\n", 400},
        {"POST / HTTP/1.1\r\n" HOST "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", 400},
        {"POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n", 501},
        {"POST / HTTP/1.1\r\n" HOST "Content-Length: 1\r\nExpect: 100-continue\r\n\r\n", 417},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        HttpRequest r;
        ptrdiff_t n = read_exact(cases[i].text, strlen(cases[i].text), &r);
        if (n != -cases[i].status)
            fail_msg("%td, not %d: %s", n, -cases[i].status, cases[i].text);
        assert_string_not_equal(http_reason(cases[i].status), "Error");
    }
}

static void heads_are_limited(void **state)
{
    (void)state;
    HttpRequest r;
    char *text = malloc(HTTP_MAX_HEAD + 100);
    memset(text, 'a', HTTP_MAX_HEAD + 100);
    memcpy(text, "GET /", 5);
    assert_int_equal(http_read(text, HTTP_MAX_HEAD - 1, &r), 0);
    assert_int_equal(http_read(text, HTTP_MAX_HEAD, &r), -431);
    int n = sprintf(text, "GET / HTTP/1.1\r\n" HOST);
    for (int i = 0; i < HTTP_MAX_FIELDS; i++)
        n += sprintf(text + n, "a: b\r\n");
    n += sprintf(text + n, "\r\n");
    assert_int_equal(http_read(text, (size_t)n, &r), -431);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_browsers_send), cmocka_unit_test(every_beginning_needs_more),
        cmocka_unit_test(refuses_everything_else), cmocka_unit_test(heads_are_limited)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
