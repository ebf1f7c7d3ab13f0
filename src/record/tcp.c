/* tcp.c - results to a reader on a socket, while the run goes on.
 *
 *     tcp://HOST:PORT           connects; one reader, and when it leaves the rest is lost
 *     tcp-listen://HOST:PORT    listens; readers come and go, one at a time
 *     tcp://:PORT               listens on 127.0.0.1; to be seen from other machines one has to
 *                               say so: tcp-listen://0.0.0.0:PORT
 *
 * HOST is a name or an address, IPv6 in brackets; PORT a number, when listening also 0 (any
 * free one). What a reader gets is text that netcat shows as it is:
 *
 *     {"lieder":"record","version":1,"columns":[{"name":"time","unit":"s","text":"..."},...],
 *      "constants":[{"name":"cart.m","unit":"kg","text":"...","value":5},...]}    one line
 *     0,0.1                       a row per line, numbers in the order of "columns"
 *     {"end":true,"rows":1000,"lost":0}
 *
 * A line counts when its newline has come. It is text, not binary, since people can read it, and
 * its formatting (30 ns a number) is not what limits a run that is watched.
 *
 * The run never waits for a reader. The socket does not block; rows wait in a ring of bytes that
 * holds whole rows only. When it is full, whole rows are dropped and counted: the newest when a
 * reader is connected but slow (so that its stream has no holes as long as possible), the oldest
 * when there is no reader (a late one gets the recent past and then the present). Rows go to the
 * kernel in batches, see row_tcp; close waits a little for the rest. Bytes that a reader sends are
 * read and dropped, a bounded amount at a time: a reader that sends without pause delays its own
 * stream, not the run. When a reader vanishes in the middle of a row, the next one gets that row
 * from its start. Rows that the kernel took and the reader never fetched count as sent.
 *
 *     begin <= sent <= head      counted in bytes since the start of the run, place = mod size
 *     begin                      start of the first row that is not sent whole
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "record/format.h"

#include <errno.h>
#include <math.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* rows go to the kernel after so many bytes or seconds */
static const size_t BATCH_BYTES = 16 * 1024;
static const double BATCH_SECONDS = 0.02;
/* pieces of input that are dropped at a time, and how long the end of a run does so */
enum { DISCARD_PIECES = 16 };
static const double END_SECONDS = 0.05;
/* an interrupted run waits no longer than this for its reader */
static const double INTERRUPTED_SECONDS = 0.3;

typedef struct Tcp {
    int listener; /* or -1 */
    int reader;   /* or -1 */
    size_t nreader;
    VEC(char) greeting; /* the first line, for every new reader */
    size_t greeted;     /* bytes of it that are sent */
    char *ring;         /* (size) */
    size_t size;
    uint64_t begin, sent, head;
    uint64_t pumped; /* head at the last pump */
    double pumped_at;
    char *line; /* the row that is being written */
    size_t line_room;
    NumberWriter numbers;
} Tcp;

/* ------------------------------------------------------------------ ring */

/* how many bytes lie side by side from `at` on; *from: the first */
static size_t span(const Tcp *s, uint64_t at, char **from)
{
    size_t place = (size_t)(at % s->size);
    size_t ahead = (size_t)(s->head - at);
    *from = s->ring + place;
    return ahead < s->size - place ? ahead : s->size - place;
}

static size_t count_rows(const Tcp *s)
{
    size_t nrow = 0;
    for (uint64_t at = s->begin; at < s->head;) {
        char *from;
        size_t n = span(s, at, &from);
        for (size_t i = 0; i < n; i++)
            nrow += from[i] == '\n';
        at += n;
    }
    return nrow;
}

static void drop_oldest(Tcp *s)
{
    for (;;) {
        char *from;
        size_t n = span(s, s->begin, &from);
        const char *end = memchr(from, '\n', n);
        s->begin += end ? (size_t)(end + 1 - from) : n;
        if (end)
            break;
    }
    s->sent = s->begin;
}

static void append_bytes(Tcp *s, const char *line, size_t n)
{
    size_t place = (size_t)(s->head % s->size);
    size_t first = n < s->size - place ? n : s->size - place;
    memcpy(s->ring + place, line, first);
    memcpy(s->ring, line + first, n - first);
    s->head += n;
}

static size_t room_left(const Tcp *s)
{
    return s->size - (size_t)(s->head - s->begin);
}

/* ------------------------------------------------------------------ reader */

static void greet(Tcp *s, int fd)
{
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on); // batches are made here
    s->reader = fd;
    s->nreader++;
    s->greeted = 0;
    s->sent = s->begin;
}

/* The reader has left. Rows in the ring stay for the next one, if there can be one. */
static void drop_reader(Recorder *r, Tcp *s)
{
    close(s->reader);
    s->reader = -1;
    if (s->listener < 0) {
        r->nlost += count_rows(s);
        s->begin = s->head;
    }
    s->sent = s->begin;
}

/* Sends as much as goes without waiting. Returns the number of bytes, or -1: the reader is gone. */
static ptrdiff_t send_some(Tcp *s, const char *from, size_t n)
{
    ssize_t some;
    do
        some = send(s->reader, from, n, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (some < 0 && errno == EINTR);
    if (some < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS))
        return 0;
    return some;
}

/* Input of a reader is ignored, but unread input would make close a reset that loses the last rows.
 * False: the end of its stream. */
static bool discard_input(const Tcp *s)
{
    char junk[4096];
    ssize_t n = 1;
    for (int i = 0; i < DISCARD_PIECES && n > 0; i++)
        n = recv(s->reader, junk, sizeof junk, MSG_DONTWAIT);
    return n != 0;
}

static bool reader_has_all(const Tcp *s)
{
    return s->greeted == s->greeting.n && s->sent == s->head;
}

/* accepts a new reader if there is none, and sends it as many rows as go without waiting */
static void pump(Recorder *r, Tcp *s)
{
    s->pumped = s->head;
    s->pumped_at = r->now;
    if (s->reader < 0 && s->listener >= 0) {
        int fd = accept4(s->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0)
            greet(s, fd);
    }
    if (s->reader < 0)
        return;
    discard_input(s);
    while (s->greeted < s->greeting.n) {
        ptrdiff_t n = send_some(s, s->greeting.items + s->greeted, s->greeting.n - s->greeted);
        if (n < 0)
            drop_reader(r, s);
        if (n <= 0)
            return;
        s->greeted += (size_t)n;
    }
    while (s->sent < s->head) {
        char *from;
        size_t all = span(s, s->sent, &from);
        ptrdiff_t n = send_some(s, from, all);
        if (n < 0)
            drop_reader(r, s);
        if (n <= 0)
            return;
        const char *end = memrchr(from, '\n', (size_t)n);
        if (end)
            s->begin = s->sent + (size_t)(end + 1 - from);
        s->sent += (size_t)n;
    }
}

/* ------------------------------------------------------------------ first line */

static bool put_tcp(Recorder *r, const char *text, size_t n)
{
    Tcp *s = r->state;
    size_t at = s->greeting.n;
    if (n > s->greeting.room - at && !vec_reserve(&r->alloc, &s->greeting, at + n))
        return false;
    memcpy(s->greeting.items + at, text, n);
    s->greeting.n += n;
    return true;
}

/* a JSON string after a key: "key":"text" */
static bool put_string(Recorder *r, const char *key, const char *text)
{
    bool ok = put_tcp(r, key, strlen(key)) && put_tcp(r, ":\"", 2);
    for (const char *c = text ? text : ""; ok && *c; c++) {
        char escaped[8];
        int n = 1;
        if (*c == '"' || *c == '\\')
            n = snprintf(escaped, sizeof escaped, "\\%c", *c);
        else if ((unsigned char)*c < 0x20)
            n = snprintf(escaped, sizeof escaped, "\\u%04x", (unsigned)(unsigned char)*c);
        else
            escaped[0] = *c;
        ok = put_tcp(r, escaped, (size_t)n);
    }
    return ok && put_tcp(r, "\"", 1);
}

/* a column of the greeting as a JSON object; nan and inf become null */
static bool put_column(Recorder *r, const RecordColumn *c)
{
    Tcp *s = r->state;
    bool ok = put_string(r, "{\"name\"", c->name) && put_string(r, ",\"unit\"", c->unit) &&
              put_string(r, ",\"text\"", c->text);
    if (c->constant) {
        char number[NUMBER_ROOM + 1];
        // JSON knows no nan and no inf
        char *end = isfinite(c->value) ? number_write(&s->numbers, c->value, number)
                                       : (char *)memcpy(number, "null", 4) + 4;
        ok = ok && put_tcp(r, ",\"value\":", 9) && put_tcp(r, number, (size_t)(end - number));
    }
    return ok && put_tcp(r, "}", 1);
}

/* the first line that a reader gets: version and columns, those that vary before the constant ones
 */
static LiederStatus write_greeting(Recorder *r, const RecordColumn *columns)
{
    static const char start[] = "{\"lieder\":\"record\",\"version\":1,\"columns\":[";
    RecordColumn time = {.name = "time", .unit = "s", .text = "Simulation time"};
    bool ok = put_tcp(r, start, sizeof start - 1) && put_column(r, &time);
    for (size_t i = 0; ok && i < r->ncolumn; i++)
        if (!columns[i].constant)
            ok = put_tcp(r, ",", 1) && put_column(r, &columns[i]);
    ok = ok && put_tcp(r, "],\"constants\":[", 15);
    bool first = true;
    for (size_t i = 0; ok && i < r->ncolumn; i++)
        if (columns[i].constant) {
            ok = (first || put_tcp(r, ",", 1)) && put_column(r, &columns[i]);
            first = false;
        }
    ok = ok && put_tcp(r, "]}\n", 3);
    return ok ? LIEDER_DONE : record_fail_memory(r, 0);
}

/* ------------------------------------------------------------------ open */

typedef struct Address {
    bool listens;
    char host[256], port[8];
} Address;

/* tcp://HOST:PORT, tcp-listen://HOST:PORT, HOST perhaps empty or in brackets */
static LiederStatus read_target(Recorder *r, Address *a)
{
    a->listens = strncmp(r->target, "tcp-listen://", 13) == 0;
    const char *host = strstr(r->target, "://") + 3, *colon = strrchr(host, ':');
    char *end = NULL;
    unsigned long port = colon ? strtoul(colon + 1, &end, 10) : 0;
    size_t n = colon ? (size_t)(colon - host) : 0;
    if (!colon || colon[1] < '0' || colon[1] > '9' || *end || port > 65535 || n >= sizeof a->host)
        return record_fail(r, LIEDER_BAD_USE,
                           "cannot make out host and port in \"%.700s\": write tcp://HOST:PORT to "
                           "connect to a reader, tcp-listen://HOST:PORT or tcp://:PORT to wait "
                           "for one, with a port from 0 to 65535",
                           r->target);
    snprintf(a->port, sizeof a->port, "%lu", port);
    if (n == 0) {
        a->listens = true;
        memcpy(a->host, "127.0.0.1", 10);
        return LIEDER_DONE;
    }
    if (n >= 2 && host[0] == '[' && host[n - 1] == ']') {
        host++;
        n -= 2;
    }
    memcpy(a->host, host, n);
    a->host[n] = '\0';
    return LIEDER_DONE;
}

static int to_milliseconds(double seconds)
{
    return seconds <= 0 ? 0 : seconds > 1e6 ? 1000000000 : (int)ceil(seconds * 1e3);
}

/* poll for one descriptor in short pieces, between which an interruption ends it */
static int poll_one(const Recorder *r, int fd, short events, double seconds)
{
    enum { NAP = 50 };
    struct pollfd p = {.fd = fd, .events = events};
    double until = record_clock() + seconds, left = seconds;
    int n;
    do {
        int nap = to_milliseconds(left);
        n = poll(&p, 1, nap < NAP ? nap : NAP);
        left = until - record_clock();
    } while ((n == 0 || (n < 0 && errno == EINTR)) && left > 0 && !record_interrupted(r));
    return n;
}

/* connects, waiting as long as the options allow; 0 or an errno */
static int finish_connect(const Recorder *r, int fd, const struct addrinfo *at)
{
    if (connect(fd, at->ai_addr, at->ai_addrlen) == 0)
        return 0;
    if (errno != EINPROGRESS && errno != EINTR)
        return errno;
    if (poll_one(r, fd, POLLOUT, r->options.tcp_connect_seconds) <= 0)
        return ETIMEDOUT;
    int error = 0;
    socklen_t size = sizeof error;
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

static int start_listening(int fd, const struct addrinfo *at)
{
    int on = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    return bind(fd, at->ai_addr, at->ai_addrlen) == 0 && listen(fd, 4) == 0 ? 0 : errno;
}

/* tries the addresses of the host until one works */
static LiederStatus open_socket(Recorder *r, Tcp *s, const Address *a)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV}, *list;
    int problem = getaddrinfo(a->host, a->port, &hints, &list);
    if (problem)
        return record_fail(r, LIEDER_IO, "cannot send results to %.700s: %s", r->target,
                           gai_strerror(problem));
    int error = EADDRNOTAVAIL;
    for (struct addrinfo *at = list; at && error; at = at->ai_next) {
        int fd = socket(at->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        error = fd < 0 ? errno : a->listens ? start_listening(fd, at) : finish_connect(r, fd, at);
        if (error && fd >= 0)
            close(fd);
        else if (!error && a->listens)
            s->listener = fd;
        else if (!error)
            greet(s, fd);
    }
    freeaddrinfo(list);
    char buffer[128];
    return error ? record_fail(r, LIEDER_IO, "cannot %s %.700s: %s",
                               a->listens ? "wait for a reader at" : "connect to the reader at",
                               r->target, record_error_text(error, buffer, sizeof buffer))
                 : LIEDER_DONE;
}

/* makes the ring of rows, the greeting and the socket; waits for a first reader if the options say
 * so */
static LiederStatus open_tcp(Recorder *r, const RecordColumn *columns)
{
    Tcp *s = r->state = memory_zeroed(&r->alloc, sizeof *s);
    if (!s)
        return record_fail_memory(r, 0);
    s->listener = s->reader = -1;
    Address address = {0};
    if (read_target(r, &address) < 0)
        return r->status;

    // a ring that holds a few rows at least
    number_init(&s->numbers);
    s->line_room = (r->nvarying + 1) * NUMBER_ROOM;
    s->size = r->options.tcp_bytes > 4 * s->line_room ? r->options.tcp_bytes : 4 * s->line_room;
    s->line = memory_resize(&r->alloc, NULL, 0, s->line_room);
    s->ring = memory_resize(&r->alloc, NULL, 0, s->size);
    if (!s->line || !s->ring)
        return record_fail_memory(r, 0);
    if (write_greeting(r, columns) < 0 || open_socket(r, s, &address) < 0)
        return r->status;

    // a first reader, if the caller wants to wait for one
    if (s->listener >= 0 && r->options.tcp_wait_seconds > 0)
        poll_one(r, s->listener, POLLIN, r->options.tcp_wait_seconds);
    r->now = record_clock();
    pump(r, s);
    return LIEDER_DONE;
}

int record_tcp_port(const Recorder *r)
{
    const Tcp *s = r->state;
    struct sockaddr_storage at;
    socklen_t size = sizeof at;
    if (r->format != &record_tcp || s->listener < 0 ||
        getsockname(s->listener, (struct sockaddr *)&at, &size) != 0)
        return -1;
    return ntohs(at.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&at)->sin6_port
                                          : ((struct sockaddr_in *)&at)->sin_port);
}

/* ------------------------------------------------------------------ rows */

/* Puts a row into the ring. If it is full, the oldest rows are dropped while there is no reader,
 * the new one if the reader is slow. */
static LiederStatus row_tcp(Recorder *r, double time, const double *values)
{
    Tcp *s = r->state;
    if (s->reader < 0 && s->listener < 0) {
        r->nlost++;
        return LIEDER_DONE;
    }
    char *to = number_write(&s->numbers, time, s->line);
    for (size_t i = 0; i < r->nvarying; i++) {
        *to++ = ',';
        to = number_write(&s->numbers, values[r->varying[i]], to);
    }
    *to++ = '\n';
    size_t n = (size_t)(to - s->line);

    // room for the row, or one row less
    if (n > room_left(s) && s->reader >= 0)
        pump(r, s);
    while (n > room_left(s) && s->reader < 0) {
        drop_oldest(s);
        r->nlost++;
    }
    if (n <= room_left(s) && (s->reader >= 0 || s->listener >= 0))
        append_bytes(s, s->line, n);
    else
        r->nlost++;

    if (s->head - s->pumped >= BATCH_BYTES || r->now - s->pumped_at >= BATCH_SECONDS)
        pump(r, s);
    return LIEDER_DONE;
}

static LiederStatus flush_tcp(Recorder *r)
{
    pump(r, r->state);
    return LIEDER_DONE;
}

/* sends the last line, and closes the stream so that the reader gets all of it */
static void end_stream(const Recorder *r, Tcp *s, double until)
{
    char line[96];
    int n = snprintf(line, sizeof line, "{\"end\":true,\"rows\":%zu,\"lost\":%zu}\n", r->nrow,
                     r->nlost);
    for (int at = 0; at < n;) {
        ptrdiff_t some = send_some(s, line + at, (size_t)(n - at));
        if (some < 0 || (some == 0 && poll_one(r, s->reader, POLLOUT, until - record_clock()) <= 0))
            break;
        at += (int)some;
    }
    shutdown(s->reader, SHUT_WR);
    double end = record_clock() + END_SECONDS;
    while (poll_one(r, s->reader, POLLIN, end - record_clock()) > 0 && discard_input(s) &&
           record_clock() < end)
        ;
}

/* waits a while until the reader has all rows, and reports rows that were lost */
static LiederStatus finish_tcp(Recorder *r)
{
    Tcp *s = r->state;
    double until = record_clock() + r->options.tcp_linger_seconds, now;
    pump(r, s);
    while (s->reader >= 0 && !reader_has_all(s) && (now = record_clock()) < until) {
        if (record_interrupted(r) && until > now + INTERRUPTED_SECONDS)
            until = now + INTERRUPTED_SECONDS;
        poll_one(r, s->reader, POLLOUT, until - now);
        pump(r, s);
    }
    r->nlost += count_rows(s);
    if (s->reader >= 0 && reader_has_all(s))
        end_stream(r, s, until);
    if (r->nlost && s->nreader == 0)
        snprintf(r->message, sizeof r->message, "nobody read the %zu rows at %.700s", r->nrow,
                 r->target);
    else if (r->nlost)
        snprintf(r->message, sizeof r->message,
                 "%zu of %zu rows to %.700s were lost: the reader was too slow, came late or left",
                 r->nlost, r->nrow, r->target);
    return LIEDER_DONE;
}

/* closes the sockets and frees the ring */
static void drop_tcp(Recorder *r)
{
    Tcp *s = r->state;
    if (!s)
        return;
    if (s->reader >= 0)
        close(s->reader);
    if (s->listener >= 0)
        close(s->listener);
    vec_drop(&r->alloc, &s->greeting);
    memory_free(&r->alloc, s->ring, s->size);
    memory_free(&r->alloc, s->line, s->line_room);
    memory_free(&r->alloc, s, sizeof *s);
}

const RecordFormat record_tcp = {
    .open = open_tcp, .row = row_tcp, .flush = flush_tcp, .finish = finish_tcp, .drop = drop_tcp};
