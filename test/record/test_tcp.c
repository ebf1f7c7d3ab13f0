/* test_tcp.c - results over a loopback socket: readers that are good, slow, late and rude. */
#include "help.h"

#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>

/* In place of the C library's: a stream of input that never pauses, which no real sender is sure to
 * make. Gives up after so many calls in a row that a test can fail instead of hanging. */
static struct {
    bool on;
    size_t calls, most; /* since the last row, and the most of them */
} endless;

ssize_t recv(int fd, void *bytes, size_t n, int flags)
{
    if (!endless.on)
        return recvfrom(fd, bytes, n, flags, NULL, NULL);
    endless.most = ++endless.calls > endless.most ? endless.calls : endless.most;
    if (endless.calls < 100000) {
        memset(bytes, 'x', n);
        return (ssize_t)n;
    }
    errno = EAGAIN;
    return -1;
}

static const RecordColumn columns[] = {
    {.name = "x\n\"y\"", .unit = "m", .text = "a\\b"},
    {.name = "m", .unit = "kg", .constant = true, .value = 2.5},
    {.name = "v", .unit = "m/s"},
};
enum { N = 3 };

static const char greeting[] =
    "{\"lieder\":\"record\",\"version\":1,\"columns\":["
    "{\"name\":\"time\",\"unit\":\"s\",\"text\":\"Simulation time\"},"
    "{\"name\":\"x\\u000a\\\"y\\\"\",\"unit\":\"m\",\"text\":\"a\\\\b\"},"
    "{\"name\":\"v\",\"unit\":\"m/s\",\"text\":\"\"}],\"constants\":["
    "{\"name\":\"m\",\"unit\":\"kg\",\"text\":\"\",\"value\":2.5}]}\n";

static struct sockaddr_in loopback(int port)
{
    return (struct sockaddr_in){.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)port),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static int connect_reader(int port, int receive_buffer)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    if (receive_buffer)
        setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    struct sockaddr_in at = loopback(port);
    assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof at), 0);
    return fd;
}

/* a listening socket at any free port */
static int listen_reader(int *port)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in at = loopback(0);
    socklen_t size = sizeof at;
    assert_int_equal(bind(fd, (struct sockaddr *)&at, size), 0);
    assert_int_equal(listen(fd, 1), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &size), 0);
    *port = ntohs(at.sin_port);
    return fd;
}

/* everything until the end of the stream, or until nothing comes for a while; NUL at the end */
static char *read_stream(int fd, int milliseconds)
{
    size_t n = 0, room = 1 << 16;
    char *text = malloc(room);
    struct pollfd p = {.fd = fd, .events = POLLIN};
    while (poll(&p, 1, milliseconds) > 0) {
        if (room - n < 4096)
            text = realloc(text, room *= 2);
        ssize_t some = recv(fd, text + n, room - n - 1, 0);
        if (some <= 0)
            break;
        n += (size_t)some;
    }
    text[n] = '\0';
    return text;
}

static LiederStatus send_row(Recorder *r, size_t i)
{
    double x = (double)i;
    return record_row(r, x, (double[]){x / 3, 0, -x});
}

/* After the greeting: row i as send_row made it, i growing. Gives back the number of rows; first,
 * last (may be NULL) and what stands behind the rows. A torn row fails. */
static size_t check_rows(const char *text, size_t *first, size_t *last, const char **rest)
{
    assert_int_equal(strncmp(text, greeting, sizeof greeting - 1), 0);
    text += sizeof greeting - 1;
    size_t n = 0, before = 0;
    while (*text >= '0' && *text <= '9') {
        size_t i = strtoul(text, NULL, 10);
        char expected[100];
        int size =
            snprintf(expected, sizeof expected, "%zu,%.16g,%.16g\n", i, (double)i / 3, -(double)i);
        if (strncmp(text, expected, (size_t)size) != 0)
            fail_msg("a torn row: %.60s", text);
        assert_true(n == 0 || i > before);
        if (n == 0 && first)
            *first = i;
        before = i;
        n++;
        text += size;
    }
    if (last)
        *last = before;
    *rest = text;
    return n;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void test_connect(void **unused)
{
    (void)unused;
    int port, listener = listen_reader(&port);
    char target[64];
    snprintf(target, sizeof target, "tcp://127.0.0.1:%d", port);
    Meter m = {0};
    LiederAllocator alloc = meter_allocator(&m);
    Recorder r;
    assert_int_equal(record_open(&r, &alloc, target, columns, N, NULL), LIEDER_DONE);
    int reader = accept(listener, NULL, NULL);
    assert_int_equal(send(reader, "hello?\n", 7, 0), 7); // must not hurt
    size_t before = m.calls;
    for (size_t i = 0; i < 3000; i++)
        assert_int_equal(send_row(&r, i), LIEDER_DONE);
    assert_int_equal(record_close(&r), LIEDER_DONE);
    assert_int_equal(m.calls, before);
    assert_int_equal(m.live, 0);
    assert_string_equal(record_message(&r), "");

    char *text = read_stream(reader, 3000);
    const char *rest;
    assert_int_equal(check_rows(text, NULL, NULL, &rest), 3000);
    assert_string_equal(rest, "{\"end\":true,\"rows\":3000,\"lost\":0}\n");
    free(text);
    close(reader);
    close(listener);
}

static void test_refused(void **unused)
{
    (void)unused;
    int port, listener = listen_reader(&port);
    char target[64];
    snprintf(target, sizeof target, "tcp://127.0.0.1:%d", port);
    close(listener);
    Recorder r;
    assert_int_equal(record_open(&r, NULL, target, columns, N, NULL), LIEDER_IO);
    assert_non_null(strstr(record_message(&r), "cannot connect to the reader at tcp://127.0.0.1:"));
    assert_non_null(strstr(record_message(&r), "Connection refused"));

    const char *bad[] = {"tcp://localhost", "tcp://localhost:", "tcp://localhost:70000",
                         "tcp-listen://",   "tcp://a:1x",       "tcp://:-1"};
    for (int i = 0; i < 6; i++) {
        assert_int_equal(record_open(&r, NULL, bad[i], columns, N, NULL), LIEDER_BAD_USE);
        assert_non_null(strstr(record_message(&r), "tcp-listen://HOST:PORT"));
    }

    // a port that is taken
    Recorder other;
    assert_int_equal(record_open(&r, NULL, "tcp://:0", columns, N, NULL), LIEDER_DONE);
    snprintf(target, sizeof target, "tcp-listen://127.0.0.1:%d", record_tcp_port(&r));
    assert_int_equal(record_open(&other, NULL, target, columns, N, NULL), LIEDER_IO);
    assert_non_null(strstr(record_message(&other), "Address already in use"));
    record_close(&r);
}

// a reader that connects and does not read: the run goes on, whole rows go missing
static void test_slow(void **unused)
{
    (void)unused;
    enum { ROWS = 300000 };
    RecordOptions options = record_defaults();
    options.tcp_bytes = 10000;
    Recorder r;
    assert_int_equal(record_open(&r, NULL, "tcp://:0", columns, N, &options), LIEDER_DONE);
    int reader = connect_reader(record_tcp_port(&r), 4096);
    for (size_t i = 0; i < ROWS; i++)
        assert_int_equal(send_row(&r, i), LIEDER_DONE);
    assert_true(r.nlost > 0);

    // it wakes up and catches up, while rows go on
    char *text = NULL;
    const char *rest;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        size_t last;
        text = read_stream(reader, 3000);
        size_t n = check_rows(text, NULL, &last, &rest);
        char end[100];
        snprintf(end, sizeof end, "{\"end\":true,\"rows\":%d,\"lost\":%zu}\n", ROWS + 1000,
                 ROWS + 1000 - n);
        bool good = last == ROWS + 999 && strcmp(rest, end) == 0;
        free(text);
        _exit(good ? 0 : 1);
    }
    close(reader);
    usleep(50000);
    for (size_t i = 0; i < 1000; i++) {
        assert_int_equal(send_row(&r, ROWS + i), LIEDER_DONE);
        usleep(i % 20 ? 0 : 1000);
    }
    assert_int_equal(record_flush(&r), LIEDER_DONE);
    assert_int_equal(record_close(&r), LIEDER_DONE);
    assert_non_null(strstr(record_message(&r), "of 301000 rows to tcp://:0 were lost"));
    int status;
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

// a reader that never reads costs no more than the linger time at close
static void test_stuck(void **unused)
{
    (void)unused;
    RecordOptions options = record_defaults();
    options.tcp_bytes = 10000;
    options.tcp_linger_seconds = 0.1;
    Recorder r;
    assert_int_equal(record_open(&r, NULL, "tcp://:0", columns, N, &options), LIEDER_DONE);
    int reader = connect_reader(record_tcp_port(&r), 4096);
    for (size_t i = 0; i < 300000; i++)
        assert_int_equal(send_row(&r, i), LIEDER_DONE);
    double start = seconds();
    assert_int_equal(record_close(&r), LIEDER_DONE);
    assert_true(seconds() - start < 1); // 0.1 s, and a busy machine
    size_t nlost = r.nlost;

    // what came is whole rows but for the end, and the count agrees with it
    char *text = read_stream(reader, 3000), *end = strrchr(text, '\n');
    assert_non_null(end);
    end[1] = '\0';
    const char *rest;
    assert_int_equal(check_rows(text, NULL, NULL, &rest), 300000 - nlost);
    assert_string_equal(rest, "");
    free(text);
    close(reader);
}

// the reader goes away in mid-run: no signal, no error, the rest is lost
static void test_vanished(void **unused)
{
    (void)unused;
    int port, listener = listen_reader(&port);
    char target[64];
    snprintf(target, sizeof target, "tcp://localhost:%d", port);
    Recorder r;
    assert_int_equal(record_open(&r, NULL, target, columns, N, NULL), LIEDER_DONE);
    int reader = accept(listener, NULL, NULL);
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(send_row(&r, i), LIEDER_DONE);
    close(reader);
    for (size_t i = 0; i < 100000; i++)
        assert_int_equal(send_row(&r, i), LIEDER_DONE);
    assert_int_equal(record_close(&r), LIEDER_DONE);
    assert_true(r.nlost > 90000 && r.nlost < 101000);
    assert_non_null(strstr(record_message(&r), "were lost"));
    close(listener);
}

// readers of a listening recorder come late, leave, and others come
static void test_late(void **unused)
{
    (void)unused;
    RecordOptions options = record_defaults();
    options.tcp_bytes = 10000;
    Recorder r;
    assert_int_equal(record_open(&r, NULL, "tcp-listen://127.0.0.1:0", columns, N, &options),
                     LIEDER_DONE);
    int port = record_tcp_port(&r);
    assert_true(port > 0);
    size_t i = 0, first, last, n;
    const char *rest;
    for (; i < 5000; i++)
        send_row(&r, i);

    // the recent past without holes up to now
    int reader = connect_reader(port, 0);
    record_flush(&r);
    char *text = read_stream(reader, 200);
    n = check_rows(text, &first, &last, &rest);
    assert_true(first > 4000 && last == 4999 && n == last - first + 1);
    assert_string_equal(rest, "");
    assert_int_equal(r.nlost, first);
    free(text);

    // the next one, which gets the whole start line and whole rows
    struct linger reset = {.l_onoff = 1, .l_linger = 0};
    setsockopt(reader, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    close(reader);
    reader = connect_reader(port, 0);
    for (int k = 0; k < 10; k++) {
        send_row(&r, i++);
        record_flush(&r);
    }
    assert_int_equal(record_close(&r), LIEDER_DONE);
    text = read_stream(reader, 3000);
    n = check_rows(text, &first, &last, &rest);
    assert_true(last == i - 1 && n == last - first + 1);
    assert_int_equal(strncmp(rest, "{\"end\":true,\"rows\":5010,", 24), 0);
    free(text);
    close(reader);
}

// a reader that leaves with half a row: the next one gets that row whole
static void test_resume(void **unused)
{
    (void)unused;
    RecordOptions options = record_defaults();
    options.tcp_bytes = 100000;
    Recorder r;
    assert_int_equal(record_open(&r, NULL, "tcp://:0", columns, N, &options), LIEDER_DONE);
    int port = record_tcp_port(&r);
    size_t i = 0;
    for (int k = 0; k < 5; k++) {
        int reader = connect_reader(port, 4096);
        size_t nlost = r.nlost;
        while (r.nlost == nlost) // until the kernel and the ring are full
            send_row(&r, i++);
        struct linger reset = {.l_onoff = 1, .l_linger = 0};
        setsockopt(reader, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
        close(reader);
        record_flush(&r); // sees that it is gone

        // every other time rows push others out while nobody is there
        for (int n = 0; n < 100 && k % 2; n++)
            send_row(&r, i++);
        reader = connect_reader(port, 0);
        record_flush(&r);
        char *text = read_stream(reader, 50);
        const char *rest;
        assert_true(check_rows(text, NULL, NULL, &rest) > 100);
        free(text);
        close(reader);
        usleep(1000);
        record_flush(&r);
        for (int n = 0; n < 10; n++) {
            send_row(&r, i++);
            record_flush(&r);
        }
    }
    assert_int_equal(record_close(&r), LIEDER_DONE);
}

// a reader that talks, too: our end must not become a reset that takes the last rows with it
static void test_chatty(void **unused)
{
    (void)unused;
    enum { ROWS = 20000 };
    Recorder r;
    assert_int_equal(record_open(&r, NULL, "tcp://:0", columns, N, NULL), LIEDER_DONE);
    int reader = connect_reader(record_tcp_port(&r), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        // slow at first, so that much waits in the kernel when the recorder ends
        bool good = send(reader, "hello?\n", 7, 0) == 7;
        usleep(200000);
        const char *rest;
        char *text = read_stream(reader, 3000);
        good = good && check_rows(text, NULL, NULL, &rest) == ROWS &&
               strcmp(rest, "{\"end\":true,\"rows\":20000,\"lost\":0}\n") == 0;
        free(text);
        _exit(good ? 0 : 1);
    }
    close(reader);
    usleep(20000);
    for (size_t i = 0; i < ROWS; i++)
        assert_int_equal(send_row(&r, i), LIEDER_DONE);
    assert_int_equal(record_close(&r), LIEDER_DONE);
    int status;
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void test_nobody(void **unused)
{
    (void)unused;
    RecordOptions options = record_defaults();
    options.tcp_wait_seconds = 0.03;
    Recorder r;
    double start = seconds();
    assert_int_equal(record_open(&r, NULL, "tcp://:0", columns, N, &options), LIEDER_DONE);
    assert_true(seconds() - start > 0.02); // it waited, with a clock of 4 ms
    for (size_t i = 0; i < 10; i++)
        send_row(&r, i);
    assert_int_equal(record_close(&r), LIEDER_DONE);
    assert_int_equal(r.nlost, 10);
    assert_string_equal(record_message(&r), "nobody read the 10 rows at tcp://:0");
}

/* a child that does something to the socket of a reader until it is killed */
static pid_t start_rude(int fd, bool sends, bool reads)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child)
        return child;
    alarm(10); // never for ever, whatever becomes of the test
    char junk[65536] = "x";
    for (;;) {
        if (sends && send(fd, junk, sizeof junk, MSG_NOSIGNAL | (reads ? MSG_DONTWAIT : 0)) < 0 &&
            errno != EAGAIN)
            _exit(0);
        if (reads && recv(fd, junk, sizeof junk, MSG_DONTWAIT) == 0)
            _exit(0);
    }
}

static void stop_rude(pid_t child)
{
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

/* a reader that sends without pause holds nothing up, whether it reads or not, nor does the end */
static void test_flood(void **unused)
{
    (void)unused;
    for (int reads = 0; reads < 2; reads++) {
        RecordOptions options = record_defaults();
        options.tcp_linger_seconds = 0.2;
        options.tcp_bytes = 1 << 16;
        Recorder r;
        assert_int_equal(record_open(&r, NULL, "tcp://:0", columns, N, &options), LIEDER_DONE);
        int reader = connect_reader(record_tcp_port(&r), 4096);
        pid_t children[3];
        for (int i = 0; i < 3; i++)
            children[i] = start_rude(reader, true, reads);
        double start = seconds(), longest = 0;
        for (size_t i = 0; seconds() - start < 0.5; i++) {
            double before = seconds();
            assert_int_equal(send_row(&r, i), LIEDER_DONE);
            longest = fmax(longest, seconds() - before);
        }
        double closing = seconds();
        assert_int_equal(record_close(&r), LIEDER_DONE);
        closing = seconds() - closing;
        for (int i = 0; i < 3; i++)
            stop_rude(children[i]);
        assert_true(longest < 2 && closing < 2); // without a bound: as long as they send
        close(reader);
    }
}

/* input that never ends is read a little at a time */
static void test_endless_input(void **unused)
{
    (void)unused;
    RecordOptions options = record_defaults();
    options.flush_rows = 1;
    Recorder r;
    assert_int_equal(record_open(&r, NULL, "tcp://:0", columns, N, &options), LIEDER_DONE);
    int reader = connect_reader(record_tcp_port(&r), 0);
    endless.on = true;
    for (size_t i = 0; i < 100; i++) {
        endless.calls = 0;
        assert_int_equal(send_row(&r, i), LIEDER_DONE);
    }
    endless.on = false;
    assert_true(endless.most > 1 && endless.most < 1000);
    assert_int_equal(record_close(&r), LIEDER_DONE);
    close(reader);
}

/* one that closes its half, as netcat does at the end of its input, still gets everything */
static void test_half_closed(void **unused)
{
    (void)unused;
    Recorder r;
    assert_int_equal(record_open(&r, NULL, "tcp://:0", columns, N, NULL), LIEDER_DONE);
    int reader = connect_reader(record_tcp_port(&r), 0);
    assert_int_equal(shutdown(reader, SHUT_WR), 0);
    for (size_t i = 0; i < 3000; i++)
        assert_int_equal(send_row(&r, i), LIEDER_DONE);
    assert_int_equal(record_close(&r), LIEDER_DONE);
    char *text = read_stream(reader, 3000);
    const char *rest;
    assert_int_equal(check_rows(text, NULL, NULL, &rest), 3000);
    assert_string_equal(rest, "{\"end\":true,\"rows\":3000,\"lost\":0}\n");
    free(text);
    close(reader);
}

/* readers that come and reset the connection, a hundred times: the last, a good one, is served */
static void test_reset(void **unused)
{
    (void)unused;
    RecordOptions options = record_defaults();
    options.flush_rows = 1;
    Recorder r;
    assert_int_equal(record_open(&r, NULL, "tcp://:0", columns, N, &options), LIEDER_DONE);
    int port = record_tcp_port(&r);
    size_t n = 0;
    for (int i = 0; i < 100; i++) {
        int fd = connect_reader(port, 0);
        assert_int_equal(send_row(&r, n++), LIEDER_DONE);
        struct linger hard = {.l_onoff = 1};
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
        close(fd);
        assert_int_equal(send_row(&r, n++), LIEDER_DONE);
    }
    int reader = connect_reader(port, 0);
    for (size_t i = 0; i < 300; i++)
        assert_int_equal(send_row(&r, n++), LIEDER_DONE);
    assert_int_equal(record_close(&r), LIEDER_DONE);
    char *text = read_stream(reader, 3000);
    const char *rest;
    size_t last;
    assert_true(check_rows(text, NULL, &last, &rest) >= 300);
    assert_int_equal(last, n - 1);
    free(text);
    close(reader);
}

static bool always(void *user)
{
    (void)user;
    return true;
}

/* an interrupted run does not wait for a reader that is stuck */
static void test_interrupted(void **unused)
{
    (void)unused;
    RecordOptions options = record_defaults();
    options.tcp_linger_seconds = 60;
    options.interrupted = always;
    Recorder r;
    assert_int_equal(record_open(&r, NULL, "tcp://:0", columns, N, &options), LIEDER_DONE);
    int reader = connect_reader(record_tcp_port(&r), 4096);
    for (size_t i = 0; i < 200000; i++)
        send_row(&r, i);
    double start = seconds();
    assert_int_equal(record_close(&r), LIEDER_DONE);
    assert_true(seconds() - start < 1);
    assert_true(r.nlost > 0);
    close(reader);
}

static void test_no_memory(void **unused)
{
    (void)unused;
    check_open_without_memory("tcp://:0", columns, N, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_connect),       cmocka_unit_test(test_refused),
        cmocka_unit_test(test_slow),          cmocka_unit_test(test_stuck),
        cmocka_unit_test(test_vanished),      cmocka_unit_test(test_late),
        cmocka_unit_test(test_resume),        cmocka_unit_test(test_chatty),
        cmocka_unit_test(test_nobody),        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_flood),         cmocka_unit_test(test_half_closed),
        cmocka_unit_test(test_reset),         cmocka_unit_test(test_interrupted),
        cmocka_unit_test(test_endless_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
